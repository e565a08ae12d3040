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
	"time"
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

// open waits out 429: the storage of a custom resource is made anew when its CRD changes.
func (c *client) open(method, path, kind, body string) *http.Response {
	response := c.try(method, path, kind, body)
	for range 60 {
		if response.StatusCode != http.StatusTooManyRequests {
			break
		}
		response.Body.Close()
		time.Sleep(500 * time.Millisecond)
		response = c.try(method, path, kind, body)
	}
	return response
}

func (c *client) try(method, path, kind, body string) *http.Response {
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

// watch calls back for each event of the collection from now on, in a goroutine of its own. A stream that
// ends is taken up where it was: API servers close them when they like.
func (c *client) watch(path string, each func(kind string, object json.RawMessage)) {
	var head versioned
	check(json.Unmarshal(c.must("GET", path+"?limit=1", "", ""), &head))
	version := head.Metadata.ResourceVersion
	stream := c.openWatch(path, version)
	go func() {
		for {
			lines := bufio.NewReaderSize(stream.Body, 1<<20)
			for {
				line, err := lines.ReadBytes('\n')
				if err != nil {
					break
				}
				var event struct {
					Type   string
					Object json.RawMessage
				}
				check(json.Unmarshal(line, &event))
				if event.Type == "ERROR" {
					log.Fatalf("loadrunner: watch %s: %.300s", path, event.Object)
				}
				var at versioned
				check(json.Unmarshal(event.Object, &at))
				version = at.Metadata.ResourceVersion
				each(event.Type, event.Object)
			}
			stream.Body.Close()
			time.Sleep(100 * time.Millisecond)
			stream = c.openWatch(path, version)
		}
	}()
}

type versioned struct {
	Metadata struct{ ResourceVersion string }
}

func (c *client) openWatch(path, version string) *http.Response {
	stream := c.open("GET", fmt.Sprintf("%s?watch=1&allowWatchBookmarks=true&resourceVersion=%s&timeoutSeconds=7200",
		path, version), "", "")
	if stream.StatusCode != http.StatusOK {
		log.Fatalf("loadrunner: watch %s: %s", path, stream.Status)
	}
	return stream
}
