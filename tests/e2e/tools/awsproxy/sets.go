package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
)

// set is a list in EC2's answers: the element that has its items, how many a page may have, and which child of
// an item says what type it is for.
type set struct {
	element  string
	max      int
	typed    string
	constant bool // the answer is the same in every run of moto
}

var sets = map[string]set{
	"DescribeInstances":             {"reservationSet", 1000, "", false},
	"DescribeInstanceTypes":         {"instanceTypeSet", 100, "instanceType", true},
	"DescribeInstanceTypeOfferings": {"instanceTypeOfferingSet", 1000, "instanceType", true},
	"DescribeSpotPriceHistory":      {"spotPriceHistorySet", 1000, "instanceType", false},
	"DescribeSubnets":               {"subnetSet", 1000, "", false},
	"DescribeSecurityGroups":        {"securityGroupInfo", 1000, "", false},
	"DescribeImages":                {"imagesSet", 1000, "", false},
	"DescribeLaunchTemplates":       {"launchTemplates", 200, "", false},
	"DescribeInstanceStatus":        {"instanceStatusSet", 1000, "", false},
	"DescribeCapacityReservations":  {"capacityReservationSet", 1000, "", false},
}

var tag = regexp.MustCompile(`<(/?)([A-Za-z][\w.:-]*)[^<>]*?(/?)>`)

// children returns the elements right below the first element of that name.
func children(text []byte, name string) (out [][]byte) {
	start := bytes.Index(text, []byte("<"+name+">"))
	if start < 0 {
		return nil
	}
	text = text[start+len(name)+2:]
	depth, begin := 0, 0
	for at := 0; at < len(text); {
		open := bytes.IndexByte(text[at:], '<')
		if open < 0 {
			return out
		}
		open += at
		end := bytes.IndexByte(text[open:], '>')
		if end < 0 {
			return out
		}
		end += open + 1
		at = end
		switch {
		case text[open+1] == '/':
			depth--
			if depth < 0 {
				return out
			}
			if depth == 0 {
				out = append(out, text[begin:end])
			}
		case text[end-2] == '/':
			if depth == 0 {
				out = append(out, text[open:end])
			}
		default:
			if depth == 0 {
				begin = open
			}
			depth++
		}
	}
	return out
}

// inner returns the text of the first element of that name.
func inner(text []byte, name string) string {
	_, rest, found := bytes.Cut(text, []byte("<"+name+">"))
	if !found {
		return ""
	}
	value, _, _ := bytes.Cut(rest, []byte("</"+name+">"))
	return string(value)
}

// instancesOf takes reservations apart: one for each instance.
func instancesOf(reservations [][]byte) (out [][]byte) {
	for _, one := range reservations {
		all := children(one, "instancesSet")
		head, _, _ := bytes.Cut(one, []byte("<instancesSet>"))
		_, tail, _ := bytes.Cut(one, []byte("</instancesSet>"))
		for _, instance := range all {
			out = append(out, bytes.Join([][]byte{head, []byte("<instancesSet>"), instance,
				[]byte("</instancesSet>"), tail}, nil))
		}
	}
	return out
}

// keptReplies are lists that never change, as items; over runs in a folder.
type keptReplies struct {
	lock   sync.Mutex
	folder string
	rows   map[string][][]byte
}

// get returns the items that fetch finds, or those that it found before.
func (k *keptReplies) get(key, element string, fetch func() (*reply, [][]byte)) (*reply, [][]byte) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if rows, known := k.rows[key]; known {
		return nil, rows
	}
	file := filepath.Join(k.folder, key+".xml")
	if k.folder != "" {
		if text, err := os.ReadFile(file); err == nil {
			return nil, k.put(key, children(text, element))
		}
	}
	failed, rows := fetch()
	if failed != nil {
		return failed, nil
	}
	if k.folder != "" {
		text := []byte("<" + element + ">" + string(bytes.Join(rows, nil)) + "</" + element + ">")
		new := fmt.Sprintf("%s.%d", file, os.Getpid())
		if os.MkdirAll(k.folder, 0o755) == nil && os.WriteFile(new, text, 0o644) == nil {
			os.Rename(new, file)
		}
	}
	return nil, k.put(key, rows)
}

func (k *keptReplies) put(key string, rows [][]byte) [][]byte {
	if k.rows == nil {
		k.rows = map[string][][]byte{}
	}
	k.rows[key] = rows
	return rows
}

// whole asks moto for all items of a list, whatever page was asked for.
func (p *proxy) whole(r *request, kind set) (failed *reply, rows [][]byte) {
	form := url.Values{}
	for name, value := range r.form {
		if name != "MaxResults" && name != "NextToken" {
			form[name] = value
		}
	}
	if r.action == "DescribeInstances" {
		anyState(form)
	}
	for {
		answer := p.forward(r.changed(form))
		if answer.status != 200 {
			return answer, nil
		}
		rows = append(rows, children(answer.body, kind.element)...)
		next := inner(answer.body, "nextToken")
		if next == "" {
			return nil, rows
		}
		form.Set("NextToken", next)
	}
}

func (p *proxy) items(r *request, kind set) (failed *reply, rows [][]byte) {
	if !kind.constant {
		return p.whole(r, kind)
	}
	form := url.Values{}
	for name, value := range r.form {
		if name != "MaxResults" && name != "NextToken" {
			form[name] = value
		}
	}
	key := r.action + "-" + digest([]byte(r.region + form.Encode()))[:24]
	return p.kept.get(key, kind.element, func() (*reply, [][]byte) { return p.whole(r, kind) })
}

// list answers a page of a list.
func (p *proxy) list(r *request, kind set) *reply {
	if p.config.get().Own && r.action == "DescribeInstances" {
		failed, rows := p.own.describe(r)
		if failed != nil {
			return failed
		}
		return p.page(r, kind, rows)
	}
	var failed *reply
	rows, answered := p.tables.rows(r, p.config.get())
	if !answered {
		if failed, rows = p.items(r, kind); failed != nil {
			return failed
		}
	}
	now := p.config.get()
	if kind.typed != "" && now.types != nil {
		var some [][]byte
		for _, one := range rows {
			if now.types.MatchString(inner(one, kind.typed)) {
				some = append(some, one)
			}
		}
		rows = some
	}
	if r.action == "DescribeInstances" {
		if failed, rows = p.seen(r, instancesOf(rows)); failed != nil {
			return failed
		}
	}
	return p.page(r, kind, rows)
}

func (p *proxy) page(r *request, kind set, rows [][]byte) *reply {
	now := p.config.get()
	size, _ := strconv.Atoi(r.form.Get("MaxResults"))
	if now.PageSize > 0 && (size == 0 || size > now.PageSize) {
		size = now.PageSize
	}
	if size > kind.max {
		size = kind.max
	}
	from := -1
	if token := r.form.Get("NextToken"); token != "" {
		text, err := base64.URLEncoding.DecodeString(token)
		if err == nil {
			from, err = strconv.Atoi(string(text))
		}
		if err != nil {
			return failure(r, 400, "InvalidNextToken", "The token is not one of ours")
		}
	}
	next := ""
	switch {
	case size == 0:
	case from < 0 && now.EmptyFirst:
		rows, next = nil, base64.URLEncoding.EncodeToString([]byte("0"))
	default:
		from = min(max(from, 0), len(rows))
		if from+size < len(rows) {
			next = base64.URLEncoding.EncodeToString([]byte(strconv.Itoa(from + size)))
		}
		rows = rows[from:min(from+size, len(rows))]
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+
		`<%sResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>%s</requestId><%s>`, r.action, requestID,
		kind.element)
	for _, one := range rows {
		out.Write(one)
	}
	fmt.Fprintf(&out, "</%s>", kind.element)
	if next != "" {
		fmt.Fprintf(&out, "<nextToken>%s</nextToken>", next)
	}
	fmt.Fprintf(&out, "</%sResponse>", r.action)
	return xmlReply(out.String())
}
