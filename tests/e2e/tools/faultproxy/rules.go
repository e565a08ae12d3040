package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"
)

// What a rule does to the requests it takes. "Before" means that the API server never sees the request.
const (
	actionDelay    = "delay"    // before: wait delayMs, then go on
	actionReset    = "reset"    // before: the client's connection ends with a TCP reset
	actionStatus   = "status"   // before: answer with a Kubernetes Status of that code
	actionExpire   = "expire"   // before: a watch that ends with an ERROR event, 410
	actionHang     = "hang"     // before: no answer until the client gives up
	actionKill     = "kill"     // before: SIGKILL to pid, no answer
	actionLose     = "lose"     // after: carried out by the API server, then a TCP reset
	actionLoseKill = "losekill" // after: carried out by the API server, then SIGKILL to pid
	actionTruncate = "truncate" // after: the first `bytes` bytes of the body, then a TCP reset
	actionStall    = "stall"    // after: the first `bytes` bytes of the body, then nothing more
	actionPass     = "pass"     // nothing; of use in a cycle
)

var actions = []string{actionDelay, actionReset, actionStatus, actionExpire, actionHang, actionKill,
	actionLose, actionLoseKill, actionTruncate, actionStall, actionPass}

// rule takes requests by method, path and query; the first rule that takes a request decides. With a cycle,
// requests of the same method and path get its actions in turn; where it stands is kept by the rule's name
// when the rules are replaced.
type rule struct {
	Name       string   `json:"name"`
	Action     string   `json:"action"`
	Cycle      []string `json:"cycle"`
	Methods    []string `json:"methods"` // none: any
	Path       string   `json:"path"`    // regular expressions, searched for
	Query      string   `json:"query"`
	Agent      string   `json:"agent"`
	Skip       int      `json:"skip"`  // let so many pass first
	Count      int      `json:"count"` // then take so many; 0: all
	Every      int      `json:"every"` // of those only each n-th
	Status     int      `json:"status"`
	RetryAfter int      `json:"retryAfter"` // seconds
	DelayMs    int      `json:"delayMs"`
	Bytes      int      `json:"bytes"`
	Pid        int      `json:"pid"`

	Seen  int `json:"seen"`  // requests that matched
	Taken int `json:"taken"` // those that the action was done to

	path, query, agent *regexp.Regexp
}

func (r *rule) compile() (err error) {
	for _, action := range append(r.Cycle, r.Action) {
		if !slices.Contains(actions, action) && (action != "" || len(r.Cycle) == 0) {
			return fmt.Errorf("rule %q: no action %q", r.Name, action)
		}
	}
	for _, one := range []struct {
		to   **regexp.Regexp
		from string
	}{{&r.path, r.Path}, {&r.query, r.Query}, {&r.agent, r.Agent}} {
		if *one.to, err = regexp.Compile(one.from); err != nil {
			return fmt.Errorf("rule %q: %w", r.Name, err)
		}
	}
	return nil
}

func (r *rule) matches(q *http.Request) bool {
	return (len(r.Methods) == 0 || slices.Contains(r.Methods, q.Method)) &&
		r.path.MatchString(q.URL.Path) && r.query.MatchString(q.URL.RawQuery) &&
		r.agent.MatchString(q.UserAgent())
}

// takes counts a match and says whether this is one that the action is for.
func (r *rule) takes() bool {
	r.Seen++
	past := r.Seen - r.Skip
	if past <= 0 || (r.Count > 0 && r.Taken >= r.Count) || (r.Every > 1 && past%r.Every != 0) {
		return false
	}
	r.Taken++
	return true
}

// record is what is remembered of one request.
type record struct {
	At     int64  `json:"at"` // ms since the proxy's start
	Method string `json:"method"`
	Path   string `json:"path"`
	Query  string `json:"query,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Status int    `json:"status"` // what the API server answered; 0: it was not asked or did not answer
	Fault  string `json:"fault,omitempty"`
	TookMs int64  `json:"tookMs"`
}

// script is the rules in force and the record of what went through.
type script struct {
	lock    sync.Mutex
	rules   []*rule
	records []record
	turns   map[string]int // of cycles, by rule, method and path
	start   time.Time
}

// pick returns a copy of the first rule that takes the request, or nil.
func (s *script) pick(q *http.Request) *rule {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, one := range s.rules {
		if one.matches(q) && one.takes() {
			taken := *one
			if len(one.Cycle) > 0 {
				key := one.Name + " " + q.Method + " " + q.URL.Path
				taken.Action = one.Cycle[s.turns[key]%len(one.Cycle)]
				s.turns[key]++
			}
			return &taken
		}
	}
	return nil
}

func (s *script) remember(one record) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.records = append(s.records, one)
}

// ServeHTTP is the control end: GET and POST /rules, GET and DELETE /log.
func (s *script) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	switch q.Method + " " + q.URL.Path {
	case "POST /rules":
		var rules []*rule
		err := json.NewDecoder(q.Body).Decode(&rules)
		for _, one := range rules {
			if err == nil {
				err = one.compile()
			}
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.lock.Lock()
		defer s.lock.Unlock()
		s.rules = rules
	case "GET /rules":
		s.lock.Lock()
		defer s.lock.Unlock()
		json.NewEncoder(w).Encode(s.rules)
	case "GET /log":
		s.lock.Lock()
		defer s.lock.Unlock()
		json.NewEncoder(w).Encode(s.records)
	case "DELETE /log":
		s.lock.Lock()
		defer s.lock.Unlock()
		s.records = nil
	default:
		http.NotFound(w, q)
	}
}
