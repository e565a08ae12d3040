package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"syscall"
	"time"
)

type connKey struct{}

// proxy passes requests on and does what the script's rules say to some of them.
type proxy struct {
	base      *url.URL
	transport *http.Transport
	script    script

	lock  sync.Mutex
	conns map[net.Conn]bool // open connections of clients
}

func (p *proxy) track(c net.Conn, state http.ConnState) {
	p.lock.Lock()
	defer p.lock.Unlock()
	switch state {
	case http.StateNew:
		p.conns[c] = true
	case http.StateClosed, http.StateHijacked:
		delete(p.conns, c)
	}
}

// reset ends a connection so that the client reads ECONNRESET.
func reset(c net.Conn) {
	raw := c
	if secured, ok := c.(*tls.Conn); ok {
		raw = secured.NetConn()
	}
	if plain, ok := raw.(*net.TCPConn); ok {
		plain.SetLinger(0)
	}
	raw.Close()
}

// cut resets all connections: every watch ends at once.
func (p *proxy) cut() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for c := range p.conns {
		reset(c)
	}
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	begin := time.Now()
	one := record{
		At: begin.Sub(p.script.start).Milliseconds(), Method: q.Method,
		Path: q.URL.Path, Query: q.URL.RawQuery, Agent: q.UserAgent(),
	}
	taken := p.script.pick(q)
	if taken != nil && taken.Action != actionPass {
		one.Fault = taken.Action
	}
	// Remembered at the end, by whatever way it ends.
	defer func() {
		one.TookMs = time.Since(begin).Milliseconds()
		p.script.remember(one)
	}()
	if taken != nil && p.before(taken, w, q) {
		return
	}
	p.pass(taken, w, q, &one)
}

// before does what happens instead of the request; false: the request goes on.
func (p *proxy) before(r *rule, w http.ResponseWriter, q *http.Request) bool {
	switch r.Action {
	case actionDelay:
		select {
		case <-time.After(time.Duration(r.DelayMs) * time.Millisecond):
			return false
		case <-q.Context().Done():
		}
	case actionReset:
		reset(q.Context().Value(connKey{}).(net.Conn))
	case actionStatus:
		refuse(w, r)
	case actionExpire:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"type":"ERROR","object":%s}`+"\n", status(http.StatusGone, "Expired"))
	case actionHang:
		<-q.Context().Done()
	case actionKill:
		syscall.Kill(r.Pid, syscall.SIGKILL)
		<-q.Context().Done()
	default:
		return false
	}
	return true
}

var reasons = map[int]string{
	400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 409: "Conflict", 410: "Expired",
	422: "Invalid", 429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable", 504: "Timeout",
}

func status(code int, reason string) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",`+
		`"message":"injected by faultproxy","reason":%q,"code":%d}`, reason, code)
}

func refuse(w http.ResponseWriter, r *rule) {
	if r.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(r.RetryAfter))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.Status)
	io.WriteString(w, status(r.Status, reasons[r.Status]))
}

// pass forwards the request and its answer. One that is to be lost is carried out whatever the client does.
func (p *proxy) pass(r *rule, w http.ResponseWriter, q *http.Request, one *record) {
	ctx := q.Context()
	lost := r != nil && (r.Action == actionLose || r.Action == actionLoseKill)
	if lost {
		ctx = context.WithoutCancel(ctx)
	}
	out := q.Clone(ctx)
	out.RequestURI, out.Close = "", false
	out.URL.Scheme, out.URL.Host, out.Host = p.base.Scheme, p.base.Host, p.base.Host
	for _, hop := range []string{"Connection", "Keep-Alive", "Te", "Transfer-Encoding", "Upgrade"} {
		out.Header.Del(hop)
	}
	answer, err := p.transport.RoundTrip(out)
	if err != nil {
		if q.Context().Err() == nil {
			refuse(w, &rule{Status: http.StatusServiceUnavailable})
		}
		return
	}
	defer answer.Body.Close()
	one.Status = answer.StatusCode
	if lost {
		io.Copy(io.Discard, answer.Body)
		if r.Action == actionLoseKill {
			syscall.Kill(r.Pid, syscall.SIGKILL)
		}
		reset(q.Context().Value(connKey{}).(net.Conn))
		return
	}
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	p.copyBody(r, w, q, answer.Body)
}

// copyBody flushes after each read, so that watches are not held back.
func (p *proxy) copyBody(r *rule, w http.ResponseWriter, q *http.Request, body io.Reader) {
	left := -1
	if r != nil && (r.Action == actionTruncate || r.Action == actionStall) {
		left = r.Bytes
	}
	flusher := http.NewResponseController(w)
	buffer := make([]byte, 64<<10)
	flusher.Flush()
	for left != 0 {
		n, err := body.Read(buffer)
		if left > 0 && n > left {
			n = left
		}
		if n > 0 {
			w.Write(buffer[:n])
			flusher.Flush()
		}
		if left > 0 {
			left -= n
		}
		if err != nil {
			return
		}
	}
	if r.Action == actionStall {
		<-q.Context().Done()
		return
	}
	time.Sleep(5 * time.Millisecond) // what was flushed leaves before the reset
	reset(q.Context().Value(connKey{}).(net.Conn))
}
