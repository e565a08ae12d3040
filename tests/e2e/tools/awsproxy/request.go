package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// request is a call as all parts see it.
type request struct {
	*http.Request
	body    []byte
	service string // of the scope: "ec2"
	region  string
	action  string
	form    url.Values // of the query protocol; else nil
	sign    signature
	signed  bool
	at      time.Time
}

func read(q *http.Request, body []byte) *request {
	r := &request{Request: q, body: body, at: time.Now()}
	if r.sign, r.signed = signatureOf(q); r.signed {
		r.service, r.region = r.sign.service, r.sign.region
	}
	target := q.Header.Get("X-Amz-Target")
	switch {
	case target != "":
		r.action = target[strings.LastIndex(target, ".")+1:]
	case strings.HasPrefix(q.Header.Get("Content-Type"), "application/x-www-form-urlencoded"):
		r.form, _ = url.ParseQuery(string(body))
		r.action = r.form.Get("Action")
	case r.service == "eks" && q.Method == http.MethodGet && strings.Count(q.URL.Path, "/") == 2:
		r.action = "DescribeCluster"
	default:
		r.action = q.Method + " " + q.URL.Path
	}
	return r
}

// unsigned calls are those by which one gets keys.
func (r *request) mayBeUnsigned() bool {
	return r.action == "AssumeRoleWithWebIdentity" || strings.HasPrefix(r.URL.Path, "/latest/")
}

// changed returns a copy with another form.
func (r *request) changed(form url.Values) *request {
	other := *r
	other.form, other.body = form, []byte(form.Encode())
	return &other
}

// list returns the values of Name.1, Name.2, ...
func (r *request) list(name string) (out []string) {
	for n := 1; r.form.Has(fmt.Sprintf("%s.%d", name, n)); n++ {
		out = append(out, r.form.Get(fmt.Sprintf("%s.%d", name, n)))
	}
	return out
}

// reply is an answer as a whole.
type reply struct {
	status int
	header http.Header
	body   []byte
	code   string // of an error
}

func xmlReply(body string) *reply {
	return &reply{status: 200, header: http.Header{"Content-Type": {"text/xml;charset=UTF-8"}}, body: []byte(body)}
}

func jsonReply(body []byte) *reply {
	return &reply{status: 200, header: http.Header{"Content-Type": {"application/x-amz-json-1.1"}}, body: body}
}

const requestID = "7a62c49f-347e-4fc4-9331-6e8eEXAMPLE"

// failure is an error in the words of the service that was asked.
func failure(r *request, status int, code, message string) *reply {
	out := &reply{status: status, code: code, header: http.Header{"X-Amzn-Requestid": {requestID}}}
	switch r.service {
	case "ec2", "":
		out.header.Set("Content-Type", "text/xml;charset=UTF-8")
		out.body = fmt.Appendf(nil, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<Response><Errors><Error><Code>%s</Code>`+
			`<Message>%s</Message></Error></Errors><RequestID>%s</RequestID></Response>`, code, message, requestID)
	case "sts", "iam":
		out.header.Set("Content-Type", "text/xml")
		out.body = fmt.Appendf(nil, `<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error>`+
			`<RequestId>%s</RequestId></ErrorResponse>`, code, message, requestID)
	default:
		out.header.Set("Content-Type", "application/x-amz-json-1.1")
		out.header.Set("X-Amzn-Errortype", code)
		out.body = fmt.Appendf(nil, `{"__type":%q,"message":%q}`, code, message)
	}
	return out
}

// refused says which status AWS gives a code that comes from before the call itself.
func refused(r *request, code, message string) *reply {
	if r.service == "ec2" {
		switch code {
		case "InvalidClientTokenId", "SignatureDoesNotMatch", "XAmzContentSHA256Mismatch":
			return failure(r, 401, "AuthFailure", "AWS was not able to validate the provided access credentials")
		case "RequestExpired", "ExpiredToken":
			return failure(r, 400, code, message)
		}
	}
	return failure(r, 403, code, message)
}
