// Command awsproxy stands between a client and moto, plain HTTP/1.1 with kept connections, and has what AWS has
// and moto lacks: it verifies signatures, keeps client tokens, pages every list, throttles, runs out of stock, shows
// instances late, answers Pricing, spot prices and reservations from tables, and does to chosen requests what
// networks do. Asked to, it plays EC2's launches by itself, for rates that moto has not.
//
//	awsproxy -target http://127.0.0.1:5000 -folder DIR -data data/ec2 [-keep DIR]
//
// writes DIR/proxy.json with the ports: {"port": for clients, "control": plain HTTP}. It ends when its stdin
// does, so that it cannot outlive the test that started it.
//
// Control: POST /fault a JSON list of rules (rules.go), which replaces those before; GET /fault with how often
// each matched and was applied; POST /config a JSON object (config.go), merged into what holds; GET /log what went
// through, DELETE /log forgets it; GET /tokens what each client token led to; GET /own
// the instances that are played here; POST /cut resets all connections; POST
// /renew makes everything as it was at the start, but for the keys.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

type connKey struct{}

// proxy is all that there is; each part has a lock of its own.
type proxy struct {
	target    string
	transport *http.Transport
	keys      keyring
	script    script
	journal   journal
	config    configured
	tokens    tokenStore
	ages      ages
	tables    tables
	kept      keptReplies
	buckets   buckets
	own       ownCloud

	lock  sync.Mutex
	conns map[net.Conn]bool // open connections of clients
}

func (p *proxy) track(c net.Conn, state http.ConnState) {
	p.lock.Lock()
	defer p.lock.Unlock()
	switch state {
	case http.StateNew:
		p.conns[c] = true
		p.journal.connected()
	case http.StateClosed, http.StateHijacked:
		delete(p.conns, c)
	}
}

// reset ends a connection so that the client reads ECONNRESET.
func reset(c net.Conn) {
	if plain, ok := c.(*net.TCPConn); ok {
		plain.SetLinger(0)
	}
	c.Close()
}

func (p *proxy) cut() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for c := range p.conns {
		reset(c)
	}
}

func (p *proxy) renew() {
	p.script.replace(nil)
	p.journal.forget()
	p.config.forget()
	p.tokens.forget()
	p.ages.forget()
	p.buckets.forget()
	p.own.forget()
}

// control serves JSON: what get returns, and what set takes.
func control[T any](get func() any, set func(T) error) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		switch q.Method {
		case http.MethodGet:
			json.NewEncoder(w).Encode(get())
		default:
			var value T
			err := json.NewDecoder(q.Body).Decode(&value)
			if err == nil || err == io.EOF {
				err = set(value)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
			}
		}
	}
}

func (p *proxy) controls() *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("/fault", control(p.script.state, p.script.replace))
	mux.Handle("/config", control(p.config.state, p.config.merge))
	mux.Handle("/log", control(p.journal.state, func(any) error { p.journal.forget(); return nil }))
	mux.Handle("/tokens", control(p.tokens.state, func(any) error { p.tokens.forget(); return nil }))
	mux.Handle("/own", control(p.own.state, func(any) error { p.own.forget(); return nil }))
	mux.Handle("/keys", control(func() any { return nil }, p.keys.add))
	mux.HandleFunc("POST /renew", func(http.ResponseWriter, *http.Request) { p.renew() })
	mux.HandleFunc("POST /cut", func(http.ResponseWriter, *http.Request) { p.cut() })
	return mux
}

func listen(port string) net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	check(err)
	return listener
}

func main() {
	target := flag.String("target", "", "moto's address")
	folder := flag.String("folder", ".", "where proxy.json is written")
	data := flag.String("data", "", "folder with ec2-prices.csv, ec2-spot-prices.csv")
	keep := flag.String("keep", "", "folder for answers that never change")
	flag.Parse()
	p := &proxy{
		target: *target,
		transport: &http.Transport{MaxIdleConnsPerHost: 100, DisableCompression: true,
			DisableKeepAlives: true}, // moto closes each connection; one that is kept races with that
		conns: map[net.Conn]bool{},
	}
	p.kept.folder = *keep
	p.tables.folder = *data
	p.journal.start = time.Now()
	listener, commands := listen("0"), listen("0")
	server := &http.Server{
		Handler:     p,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ConnState:   p.track,
		ErrorLog:    log.New(io.Discard, "", 0),
	}
	go func() { check(http.Serve(commands, p.controls())) }()
	go func() { check(server.Serve(listener)) }()

	ports, err := json.Marshal(map[string]int{
		"port":    listener.Addr().(*net.TCPAddr).Port,
		"control": commands.Addr().(*net.TCPAddr).Port,
	})
	check(err)
	file := filepath.Join(*folder, "proxy.json")
	check(os.WriteFile(file+".new", ports, 0o644))
	check(os.Rename(file+".new", file))
	io.Copy(io.Discard, os.Stdin)
}

func check(err error) {
	if err != nil {
		log.Fatal("awsproxy: ", err)
	}
}
