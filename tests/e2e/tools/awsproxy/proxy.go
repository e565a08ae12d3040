package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"
)

var hops = []string{"Connection", "Keep-Alive", "Te", "Transfer-Encoding", "Upgrade", "Content-Length", "Date", "Server"}

// forward asks moto. What it answers for things that it does not know is HTML with status 500.
func (p *proxy) forward(r *request) *reply {
	ctx := context.WithoutCancel(r.Context()) // carried out whatever the client does
	out, err := http.NewRequestWithContext(ctx, r.Method, p.target+r.URL.RequestURI(), bytes.NewReader(r.body))
	check(err)
	out.Header = r.Header.Clone()
	out.Host = r.Host
	for _, name := range hops {
		out.Header.Del(name)
	}
	answer, err := p.transport.RoundTrip(out)
	if err != nil {
		return failure(r, 503, "Unavailable", "moto does not answer")
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return failure(r, 503, "Unavailable", "moto broke off")
	}
	header := answer.Header.Clone()
	for _, name := range hops {
		header.Del(name)
	}
	code := ""
	if answer.StatusCode >= 400 {
		code = inner(body, "Code")
	}
	return &reply{status: answer.StatusCode, header: header, body: body, code: code}
}

// carryOut does what is asked.
func (p *proxy) carryOut(r *request, taken *rule) *reply {
	if r.service == "ec2" {
		own := p.config.get().Own
		switch r.action {
		case "CreateFleet":
			return p.fleet(r, taken)
		case "RunInstances":
			return p.run(r, taken)
		case "TerminateInstances":
			if own {
				return p.own.terminate(r)
			}
			return p.forward(r)
		case "CreateTags":
			if own {
				return p.own.tag(r)
			}
		}
		if kind, known := sets[r.action]; known {
			return p.list(r, kind)
		}
	}
	if r.service == "pricing" && r.action == "GetProducts" {
		return p.products(r)
	}
	return p.forward(r)
}

// note keeps what later answers depend on.
func (p *proxy) note(r *request, answer *reply) {
	if answer.status != 200 {
		return
	}
	switch r.action {
	case "CreateFleet", "RunInstances":
		p.ages.note(launchedBy(answer), false)
	case "TerminateInstances":
		p.ages.note(launchedBy(answer), true)
	}
	if r.service == "sts" || !r.signed {
		answer.body = p.keys.learn(answer.body, p.config.get().KeySeconds)
	}
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	r := read(q, body)
	row := record{At: float64(r.at.UnixMilli()) / 1e3, Service: r.service, Action: r.action, Agent: q.UserAgent()}
	if r.form != nil {
		row.Token = r.form.Get("ClientToken")
	}
	if len(body) <= 1<<16 {
		row.Body = string(body)
	}
	// Remembered at the end, by whatever way it ends.
	defer func() {
		row.TookMs = time.Since(r.at).Milliseconds()
		p.journal.remember(row)
	}()
	taken := p.script.pick(r)
	if taken != nil && taken.Kind != kindPass {
		row.Fault = taken.Kind
	}
	answer := p.refusal(r)
	if answer == nil {
		if p.before(taken, r) {
			return
		}
		answer = instead(taken, r)
	}
	if answer == nil {
		answer, row.Replay = p.once(r, func() *reply { return p.carryOut(r, taken) })
		p.note(r, answer)
		if r.action == "CreateFleet" || r.action == "RunInstances" {
			row.Instances = launchedBy(answer)
		}
	}
	row.Code = answer.code
	if p.after(taken, w, r, answer) {
		return
	}
	row.Status = answer.status
	send(w, answer, len(answer.body))
}

// refusal says why a request is not even looked at; nil: it is.
func (p *proxy) refusal(r *request) *reply {
	if !r.signed {
		if r.mayBeUnsigned() {
			return nil
		}
		return refused(r, "MissingAuthenticationToken", "Request is missing Authentication Token")
	}
	if code, why := p.keys.verify(r.Request, r.body, r.sign); code != "" {
		return refused(r, code, why)
	}
	if size, limited := p.config.get().Buckets[r.action]; limited && !p.buckets.take(r.action, size) {
		return failure(r, 503, "RequestLimitExceeded", "Request limit exceeded.")
	}
	return nil
}

// before does what happens instead of an answer; true: there is none.
func (p *proxy) before(taken *rule, r *request) bool {
	if taken == nil {
		return false
	}
	switch taken.Kind {
	case kindDelay:
		select {
		case <-time.After(time.Duration(taken.DelayMs) * time.Millisecond):
			return false
		case <-r.Context().Done():
		}
	case kindReset:
		reset(r.Context().Value(connKey{}).(net.Conn))
	case kindStall:
		<-r.Context().Done()
	case kindKill:
		syscall.Kill(taken.Pid, syscall.SIGKILL)
		<-r.Context().Done()
	default:
		return false
	}
	return true
}

func instead(taken *rule, r *request) *reply {
	switch {
	case taken == nil:
	case taken.Kind == kindError:
		return failure(r, taken.Status, taken.Code, "injected")
	case taken.Kind == kindHTML:
		return &reply{status: taken.Status, header: http.Header{"Content-Type": {"text/html"}},
			body: []byte("<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>")}
	}
	return nil
}

// after does what happens to the answer of what was carried out; true: the client was not told it whole.
func (p *proxy) after(taken *rule, w http.ResponseWriter, r *request, answer *reply) bool {
	if taken == nil {
		return false
	}
	conn := r.Context().Value(connKey{}).(net.Conn)
	switch taken.Kind {
	case kindLose:
		reset(conn)
	case kindLoseKill:
		syscall.Kill(taken.Pid, syscall.SIGKILL)
		reset(conn)
	case kindTruncate:
		send(w, answer, len(answer.body)/2)
		http.NewResponseController(w).Flush()
		time.Sleep(5 * time.Millisecond) // what was flushed leaves before the reset
		reset(conn)
	case kindStallAfter:
		send(w, answer, len(answer.body)/2)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	default:
		return false
	}
	return true
}

func send(w http.ResponseWriter, answer *reply, bytes int) {
	for name, values := range answer.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(answer.body)))
	w.WriteHeader(answer.status)
	w.Write(answer.body[:bytes])
}
