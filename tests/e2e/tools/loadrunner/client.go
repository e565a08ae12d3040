package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
)

const (
	jsonBody  = "application/json"
	jsonPatch = "application/json-patch+json"
	merge     = "application/merge-patch+json"
)

// client speaks with the API server; what it cannot explain ends the program.
type client struct {
	base, token string
	http        *http.Client
	writes      atomic.Int64
	conflicts   atomic.Int64
}

func newClient(server, caFile, tokenFile string) *client {
	token, err := os.ReadFile(tokenFile)
	check(err)
	pem, err := os.ReadFile(caFile)
	check(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return &client{base: server, token: strings.TrimSpace(string(token)), http: &http.Client{
		Transport: &http.Transport{
			TLSClientConfig:     &tls.Config{RootCAs: roots},
			TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
			MaxConnsPerHost:     100,
			MaxIdleConnsPerHost: 100,
		},
	}}
}

func check(err error) {
	if err != nil {
		log.Fatal("loadrunner: ", err)
	}
}

func (c *client) open(method, path, kind, body string) *http.Response {
	request, err := http.NewRequest(method, c.base+path, strings.NewReader(body))
	check(err)
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("User-Agent", "loadrunner")
	if body != "" {
		request.Header.Set("Content-Type", kind)
	}
	response, err := c.http.Do(request)
	check(err)
	return response
}

// send returns the status and the body.
func (c *client) send(method, path, kind, body string) (int, []byte) {
	response := c.open(method, path, kind, body)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	check(err)
	if method != http.MethodGet {
		c.writes.Add(1)
	}
	return response.StatusCode, answer
}

// must is a send that has to succeed; an object that is there already will do.
func (c *client) must(method, path, kind, body string) []byte {
	code, answer := c.send(method, path, kind, body)
	if code/100 != 2 && !(method == http.MethodPost && code == http.StatusConflict) {
		log.Fatalf("loadrunner: %s %s: %d %.500s", method, path, code, answer)
	}
	return answer
}

// watch calls back for each event of the collection from now on, in a goroutine of its own.
func (c *client) watch(path string, each func(kind string, object json.RawMessage)) {
	var head struct {
		Metadata struct{ ResourceVersion string }
	}
	check(json.Unmarshal(c.must("GET", path+"?limit=1", "", ""), &head))
	query := fmt.Sprintf("?watch=1&allowWatchBookmarks=true&resourceVersion=%s&timeoutSeconds=7200",
		head.Metadata.ResourceVersion)
	stream := c.open("GET", path+query, "", "")
	if stream.StatusCode != http.StatusOK {
		log.Fatalf("loadrunner: watch %s: %s", path, stream.Status)
	}
	go func() {
		lines := bufio.NewReaderSize(stream.Body, 1<<20)
		for {
			line, err := lines.ReadBytes('\n')
			check(err)
			var event struct {
				Type   string
				Object json.RawMessage
			}
			check(json.Unmarshal(line, &event))
			if event.Type == "ERROR" {
				log.Fatalf("loadrunner: watch %s: %.300s", path, event.Object)
			}
			each(event.Type, event.Object)
		}
	}()
}
