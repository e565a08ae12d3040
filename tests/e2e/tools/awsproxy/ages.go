package main

import (
	"regexp"
	"sync"
	"time"
)

var instanceID = regexp.MustCompile(`\bi-[0-9a-f]{8,17}\b`)

// launchedBy returns the instances that an answer names, each once.
func launchedBy(answer *reply) []string {
	out, seen := []string{}, map[string]bool{}
	for _, found := range instanceID.FindAllString(string(answer.body), -1) {
		if !seen[found] {
			seen[found] = true
			out = append(out, found)
		}
	}
	return out
}

// ages knows when each instance was launched and ended, by what went through.
type ages struct {
	lock            sync.Mutex
	launched, ended map[string]time.Time
	before          map[string][][]byte // lists as they were shown, by request
	asked           map[string]int
}

func (a *ages) forget() {
	a.lock.Lock()
	defer a.lock.Unlock()
	a.launched, a.ended, a.before, a.asked = nil, nil, nil, nil
}

func (a *ages) note(ids []string, ended bool) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.launched == nil {
		a.launched, a.ended = map[string]time.Time{}, map[string]time.Time{}
	}
	to := a.launched
	if ended {
		to = a.ended
	}
	for _, id := range ids {
		if _, known := to[id]; !known {
			to[id] = time.Now()
		}
	}
}

func (a *ages) anyEnded(ids []string) bool {
	a.lock.Lock()
	defer a.lock.Unlock()
	for _, id := range ids {
		if _, ended := a.ended[id]; ended {
			return true
		}
	}
	return false
}

// younger says whether something happened to it less than so many ms ago.
func (a *ages) younger(of func(*ages) map[string]time.Time, id string, ms int) bool {
	a.lock.Lock()
	defer a.lock.Unlock()
	at, known := of(a)[id]
	return known && time.Since(at) < time.Duration(ms)*time.Millisecond
}

func launches(a *ages) map[string]time.Time { return a.launched }
func ends(a *ages) map[string]time.Time     { return a.ended }

// old returns, each n-th time that the same list is asked for, what was shown before.
func (a *ages) old(r *request, rows [][]byte, every int) [][]byte {
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.before == nil {
		a.before, a.asked = map[string][][]byte{}, map[string]int{}
	}
	key := digest(r.body)
	a.asked[key]++
	before, known := a.before[key]
	if known && a.asked[key]%every == 0 {
		return before
	}
	a.before[key] = rows
	return rows
}
