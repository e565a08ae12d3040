// Command faultproxy stands between a client and a Kubernetes API server, TLS (HTTP/1.1 and 2) on both
// sides, and does to chosen requests what networks, proxies and API servers do: resets, delays, truncated
// answers, refusals, and answers that are lost after the request was carried out.
//
//	faultproxy -target https://127.0.0.1:6443 -ca apiserver.crt -folder DIR
//
// writes DIR/proxy.crt, the certificate of its own that clients trust, and DIR/proxy.json with the ports:
// {"port": for the client, "control": plain HTTP for rules}. It ends when its stdin does, so that it cannot
// outlive the test that started it.
//
// Control: POST /rules a JSON list of rules (rules.go), which replaces those before; GET /rules with how
// often each matched and was applied; GET /log what went through; POST /cut resets every open connection.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"flag"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

// ownCertificate makes a key and a certificate for the loopback, and writes the certificate.
func ownCertificate(file string) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(now.UnixNano()),
		Subject:               pkix.Name{CommonName: "faultproxy"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(48 * time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:              []string{"localhost"},
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	check(err)
	check(os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// upstream is the client that speaks with the API server.
func upstream(caFile string) *http.Transport {
	roots := x509.NewCertPool()
	ca, err := os.ReadFile(caFile)
	check(err)
	roots.AppendCertsFromPEM(ca)
	return &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots},
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 100,
		DisableCompression:  true,
	}
}

func main() {
	target := flag.String("target", "", "the API server's address")
	ca := flag.String("ca", "", "file with the API server's certificate")
	folder := flag.String("folder", ".", "where proxy.crt and proxy.json are written")
	port := flag.String("port", "0", "port to listen on; 0: any")
	flag.Parse()
	base, err := url.Parse(*target)
	check(err)

	p := &proxy{base: base, transport: upstream(*ca), conns: map[net.Conn]bool{}}
	p.script.start, p.script.turns = time.Now(), map[string]int{}
	listener, err := net.Listen("tcp", "127.0.0.1:"+*port)
	check(err)
	control, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	server := &http.Server{
		Handler:     p,
		TLSConfig:   &tls.Config{Certificates: []tls.Certificate{ownCertificate(filepath.Join(*folder, "proxy.crt"))}},
		ConnContext: func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		ConnState:   p.track,
		ErrorLog:    log.New(io.Discard, "", 0),
	}
	mux := http.NewServeMux()
	mux.Handle("/", &p.script)
	mux.HandleFunc("POST /cut", func(http.ResponseWriter, *http.Request) { p.cut() })
	go func() { check(http.Serve(control, mux)) }()
	go func() { check(server.ServeTLS(listener, "", "")) }()

	ports, err := json.Marshal(map[string]int{
		"port":    listener.Addr().(*net.TCPAddr).Port,
		"control": control.Addr().(*net.TCPAddr).Port,
	})
	check(err)
	file := filepath.Join(*folder, "proxy.json")
	check(os.WriteFile(file+".new", ports, 0o644))
	check(os.Rename(file+".new", file))
	io.Copy(io.Discard, os.Stdin)
}

func check(err error) {
	if err != nil {
		log.Fatal("faultproxy: ", err)
	}
}
