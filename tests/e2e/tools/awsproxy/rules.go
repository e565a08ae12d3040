package main

import (
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"
)

// What a rule does to the requests it takes. "Before" means that moto never sees the request.
const (
	kindError      = "error"        // before: an error with that status and code
	kindHTML       = "html"         // before: a page of HTML with that status, as a load balancer's
	kindReset      = "reset-before" // before: a TCP reset
	kindStall      = "stall"        // before: no answer until the client gives up
	kindDelay      = "delay"        // before: wait delayMs, then go on
	kindKill       = "kill"         // before: SIGKILL to pid, no answer
	kindFleet      = "fleet-errors" // CreateFleet, RunInstances: no stock of the overrides that match
	kindLose       = "reset-after"  // carried out, then a TCP reset
	kindLoseKill   = "losekill"     // carried out, then SIGKILL to pid
	kindTruncate   = "truncate"     // carried out, half of the answer, then a TCP reset
	kindStallAfter = "stall-after"  // carried out, half of the answer, then nothing more
	kindPass       = "pass"         // nothing; of use in a cycle
)

var kinds = []string{kindError, kindHTML, kindReset, kindStall, kindDelay, kindKill, kindFleet, kindLose, kindLoseKill,
	kindTruncate, kindStallAfter, kindPass}

// rule takes requests by action; the first rule that takes a request decides. With a cycle, the same request (by its
// token or body) gets its kinds in turn; where it stands is kept by the rule's name when the rules are replaced.
type rule struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Cycle   []string `json:"cycle"`
	Action  string   `json:"action"` // regular expression, of the whole name
	Match   string   `json:"match"`  // regular expression, searched for in the body
	Skip    int      `json:"skip"`   // let so many pass first
	Count   int      `json:"count"`  // then take so many; 0: all
	Every   int      `json:"every"`  // of those only each n-th
	Status  int      `json:"status"`
	Code    string   `json:"code"`
	DelayMs int      `json:"delayMs"`
	Pid     int      `json:"pid"`
	// Of fleet-errors; regular expressions of whole names, "" is any.
	Types     string `json:"types"`
	Zones     string `json:"zones"`
	Lifecycle string `json:"lifecycle"`

	Seen  int `json:"seen"`  // requests that matched
	Taken int `json:"taken"` // those that it was done to

	action, match, types, zones *regexp.Regexp
}

func (r *rule) compile() (err error) {
	for _, kind := range append(r.Cycle, r.Kind) {
		if !slices.Contains(kinds, kind) && (kind != "" || len(r.Cycle) == 0) {
			return fmt.Errorf("rule %q: no kind %q", r.Name, kind)
		}
	}
	for _, one := range []struct {
		to   **regexp.Regexp
		from string
	}{
		{&r.action, "^(" + r.Action + ")$"}, {&r.match, r.Match}, {&r.types, "^(" + r.Types + ")$"},
		{&r.zones, "^(" + r.Zones + ")$"},
	} {
		if *one.to, err = regexp.Compile(one.from); err != nil {
			return fmt.Errorf("rule %q: %w", r.Name, err)
		}
	}
	return nil
}

func (r *rule) matches(q *request) bool {
	return (r.Action == "" || r.action.MatchString(q.action)) && r.match.Match(q.body)
}

// takes counts a match and says whether this is one that the rule is for.
func (r *rule) takes() bool {
	r.Seen++
	past := r.Seen - r.Skip
	if past <= 0 || (r.Count > 0 && r.Taken >= r.Count) || (r.Every > 1 && past%r.Every != 0) {
		return false
	}
	r.Taken++
	return true
}

// script is the rules in force.
type script struct {
	lock  sync.Mutex
	rules []*rule
	turns map[string]int // of cycles, by rule and request
}

// pick returns a copy of the first rule that takes the request, or nil.
func (s *script) pick(q *request) *rule {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, one := range s.rules {
		if !one.matches(q) || !one.takes() {
			continue
		}
		taken := *one
		if len(one.Cycle) > 0 {
			key := one.Name + " " + q.action + " " + digest(q.body)
			if s.turns == nil {
				s.turns = map[string]int{}
			}
			taken.Kind = one.Cycle[s.turns[key]%len(one.Cycle)]
			s.turns[key]++
		}
		return &taken
	}
	return nil
}

func (s *script) replace(rules []*rule) error {
	for _, one := range rules {
		if err := one.compile(); err != nil {
			return err
		}
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.rules = rules
	return nil
}

func (s *script) state() any {
	s.lock.Lock()
	defer s.lock.Unlock()
	out := []rule{}
	for _, one := range s.rules {
		out = append(out, *one)
	}
	return out
}

// record is what is remembered of one request.
type record struct {
	At        float64  `json:"at"` // wall clock, seconds
	Service   string   `json:"service"`
	Action    string   `json:"action"`
	Token     string   `json:"token,omitempty"`
	Status    int      `json:"status"` // what the client was told; 0: nothing
	Code      string   `json:"code,omitempty"`
	Fault     string   `json:"fault,omitempty"`
	Replay    bool     `json:"replay,omitempty"` // answered from the token store
	Instances []string `json:"instances,omitempty"`
	Agent     string   `json:"agent,omitempty"`
	Body      string   `json:"body,omitempty"`
	TookMs    int64    `json:"tookMs"`
}

// journal is the record of what went through.
type journal struct {
	lock        sync.Mutex
	start       time.Time
	records     []record
	connections int
}

// remember takes what began since the record was begun: a long poll may end after whoever asked is gone.
func (j *journal) remember(one record) {
	j.lock.Lock()
	defer j.lock.Unlock()
	if one.At < float64(j.start.UnixMilli())/1e3 {
		return
	}
	j.records = append(j.records, one)
}

func (j *journal) connected() {
	j.lock.Lock()
	defer j.lock.Unlock()
	j.connections++
}

func (j *journal) forget() {
	j.lock.Lock()
	defer j.lock.Unlock()
	j.records, j.connections, j.start = nil, 0, time.Now()
}

func (j *journal) state() any {
	j.lock.Lock()
	defer j.lock.Unlock()
	return map[string]any{"records": append([]record{}, j.records...), "connections": j.connections}
}
