package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// keyring has the secrets of those whose requests are let through: {access key: secret}. Keys that AWS hands out
// (STS) are learned from the answers that pass.
type keyring struct {
	lock    sync.Mutex
	secrets map[string]string
	ends    map[string]time.Time // of those that STS handed out for a while
	tokens  map[string]string    // of sessions, which those must send
}

func (k *keyring) add(more map[string]string) error {
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.secrets == nil {
		k.secrets, k.ends, k.tokens = map[string]string{}, map[string]time.Time{}, map[string]string{}
	}
	for key, secret := range more {
		k.secrets[key] = secret
	}
	return nil
}

var handedOut = regexp.MustCompile(`(?s)<AccessKeyId>([^<]+)</AccessKeyId>.*?<SecretAccessKey>([^<]+)</SecretAccessKey>` +
	`.*?<SessionToken>([^<]+)</SessionToken>`)

var expiration = regexp.MustCompile(`<Expiration>[^<]*</Expiration>`)

// learn takes in the keys of an answer; with a life in seconds it returns the answer with their end in it.
func (k *keyring) learn(body []byte, life int) []byte {
	end := time.Now().Add(time.Duration(life) * time.Second)
	for _, found := range handedOut.FindAllSubmatch(body, -1) {
		k.add(map[string]string{string(found[1]): string(found[2])})
		k.lock.Lock()
		k.tokens[string(found[1])] = string(found[3])
		if life > 0 {
			k.ends[string(found[1])] = end
		}
		k.lock.Unlock()
	}
	if life == 0 {
		return body
	}
	return expiration.ReplaceAll(body, []byte("<Expiration>"+end.UTC().Format("2006-01-02T15:04:05Z")+"</Expiration>"))
}

func (k *keyring) expired(key string) bool {
	k.lock.Lock()
	defer k.lock.Unlock()
	end, ends := k.ends[key]
	return ends && time.Now().After(end)
}

func (k *keyring) token(key string) string {
	k.lock.Lock()
	defer k.lock.Unlock()
	return k.tokens[key]
}

func (k *keyring) secret(key string) (string, bool) {
	k.lock.Lock()
	defer k.lock.Unlock()
	secret, known := k.secrets[key]
	return secret, known
}

// signature is what an Authorization header says.
type signature struct {
	key, date, region, service string
	headers                    []string
	value                      string
}

var authorization = regexp.MustCompile(
	`^AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$`)

func signatureOf(q *http.Request) (s signature, ok bool) {
	found := authorization.FindStringSubmatch(q.Header.Get("Authorization"))
	if found == nil {
		return s, false
	}
	return signature{found[1], found[2], found[3], found[4], strings.Split(found[5], ";"), found[6]}, true
}

var blanks = regexp.MustCompile(` +`)

// headerValue as it is signed; false where it was not sent.
func headerValue(q *http.Request, name string) (string, bool) {
	switch name {
	case "host":
		return q.Host, true
	case "content-length":
		return fmt.Sprint(q.ContentLength), true
	}
	values := q.Header.Values(name)
	for i, one := range values {
		values[i] = blanks.ReplaceAllString(strings.TrimSpace(one), " ")
	}
	return strings.Join(values, ","), len(values) > 0
}

const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"

func escaped(text, also string) string {
	var out strings.Builder
	for i := range len(text) {
		if strings.IndexByte(unreserved+also, text[i]) >= 0 {
			out.WriteByte(text[i])
		} else {
			fmt.Fprintf(&out, "%%%02X", text[i])
		}
	}
	return out.String()
}

func canonicalQuery(raw string) string {
	var rows []string
	for _, pair := range strings.Split(raw, "&") {
		if pair == "" {
			continue
		}
		key, value, _ := strings.Cut(pair, "=")
		key, _ = url.QueryUnescape(key)
		value, _ = url.QueryUnescape(value)
		rows = append(rows, escaped(key, "")+"="+escaped(value, ""))
	}
	slices.Sort(rows)
	return strings.Join(rows, "&")
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// verify says what is wrong with a signature: a code of AWS, or nothing.
func (k *keyring) verify(q *http.Request, body []byte, s signature) (code, why string) {
	secret, known := k.secret(s.key)
	if !known {
		return "InvalidClientTokenId", "no such access key"
	}
	if q.Header.Get("X-Amz-Security-Token") != k.token(s.key) {
		return "InvalidClientTokenId", "the session token is not that of the key"
	}
	if k.expired(s.key) {
		return "ExpiredToken", "the security token included in the request is expired"
	}
	stamp := q.Header.Get("X-Amz-Date")
	at, err := time.Parse("20060102T150405Z", stamp)
	if err != nil || !strings.HasPrefix(stamp, s.date) {
		return "IncompleteSignature", "X-Amz-Date does not fit the scope"
	}
	if age := time.Since(at).Abs(); age > 15*time.Minute {
		return "RequestExpired", "the request is signed for another time"
	}
	sum := digest(body)
	if claimed := q.Header.Get("X-Amz-Content-Sha256"); claimed != "" && claimed != sum {
		return "XAmzContentSHA256Mismatch", "the body is not the one that was signed"
	}
	var lines strings.Builder
	for _, name := range s.headers {
		value, sent := headerValue(q, name)
		if !sent {
			return "SignatureDoesNotMatch", "signed header " + name + " was not sent"
		}
		lines.WriteString(name + ":" + value + "\n")
	}
	canonical := strings.Join([]string{q.Method, escaped(q.URL.EscapedPath(), "/"), canonicalQuery(q.URL.RawQuery),
		lines.String(), strings.Join(s.headers, ";"), sum}, "\n")
	scope := s.date + "/" + s.region + "/" + s.service + "/aws4_request"
	toSign := "AWS4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n" + digest([]byte(canonical))
	key := []byte("AWS4" + secret)
	for _, part := range strings.Split(scope, "/") {
		key = mac(key, part)
	}
	if hex.EncodeToString(mac(key, toSign)) != s.value {
		return "SignatureDoesNotMatch", "the signature does not match"
	}
	for _, name := range []string{"host", "x-amz-date"} {
		if !slices.Contains(s.headers, name) {
			return "IncompleteSignature", name + " is not signed"
		}
	}
	return "", ""
}
