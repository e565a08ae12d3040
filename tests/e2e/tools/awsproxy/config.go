package main

import (
	"encoding/json"
	"math"
	"regexp"
	"sync"
	"time"
)

// config is how this AWS is, for all requests and until it is said otherwise.
type config struct {
	Types         string            `json:"types"`         // regular expression: which types there are at all
	PageSize      int               `json:"pageSize"`      // of every list; 0: what the request asks for
	EmptyFirst    bool              `json:"emptyFirst"`    // the first page of a list is empty and has a token
	HideMs        int               `json:"hideMs"`        // instances are not found for so long after their launch
	PendingMs     int               `json:"pendingMs"`     // and pending for so long
	EndingMs      int               `json:"endingMs"`      // shutting-down for so long after their end
	OldEvery      int               `json:"oldEvery"`      // each n-th list of instances is that from before
	Buckets       map[string]bucket `json:"buckets"`       // by action; throttled beyond
	Zones         map[string]string `json:"zones"`         // of subnets
	Own           bool              `json:"own"`           // instances are played here, not by moto
	OwnDelayMs    int               `json:"ownDelayMs"`    // what a launch takes then
	KeySeconds    int               `json:"keySeconds"`    // life of keys that STS hands out; 0: what moto says
	GoneIsAnError bool              `json:"goneIsAnError"` // a CreateFleet whose instances are gone, repeated, is refused
	Events        json.RawMessage   `json:"events"`        // raw items of DescribeInstanceStatus, a text
	Reservations  string            `json:"reservations"`  // raw items of DescribeCapacityReservations

	types *regexp.Regexp
}

type bucket struct {
	Rate  float64 `json:"rate"`
	Burst float64 `json:"burst"`
}

type configured struct {
	lock sync.Mutex
	now  config
}

func (c *configured) get() config {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.now
}

func (c *configured) state() any { return c.get() }

func (c *configured) forget() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.now = config{}
}

// merge takes over the members that are named.
func (c *configured) merge(more map[string]json.RawMessage) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	text, err := json.Marshal(more)
	if err != nil {
		return err
	}
	next := c.now
	if more["buckets"] != nil {
		next.Buckets = nil
	}
	if err := json.Unmarshal(text, &next); err != nil {
		return err
	}
	next.types = nil
	if next.Types != "" {
		if next.types, err = regexp.Compile("^(" + next.Types + ")$"); err != nil {
			return err
		}
	}
	c.now = next
	return nil
}

// buckets are EC2's: so many at once, refilled at a rate.
type buckets struct {
	lock sync.Mutex
	left map[string]float64
	last map[string]time.Time
}

func (b *buckets) forget() {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.left, b.last = nil, nil
}

func (b *buckets) take(action string, size bucket) bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.left == nil {
		b.left, b.last = map[string]float64{}, map[string]time.Time{}
	}
	now := time.Now()
	left := size.Burst
	if last, known := b.last[action]; known {
		left = math.Min(size.Burst, b.left[action]+now.Sub(last).Seconds()*size.Rate)
	}
	b.last[action] = now
	if left < 1 {
		b.left[action] = left
		return false
	}
	b.left[action] = left - 1
	return true
}
