package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// spread is how long something took, in milliseconds.
type spread struct {
	Count int     `json:"count"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

func spreadOf(took []time.Duration) spread {
	if len(took) == 0 {
		return spread{}
	}
	slices.Sort(took)
	var sum time.Duration
	for _, one := range took {
		sum += one
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	at := func(q float64) float64 { return ms(took[int(q*float64(len(took)-1))]) }
	return spread{len(took), ms(sum) / float64(len(took)), at(0.5), at(0.99), at(1)}
}

func (r *run) report(made time.Duration, writesBefore int64) any {
	r.lock.Lock()
	defer r.lock.Unlock()
	waits := map[string][]time.Duration{}
	evictions := 0
	for _, w := range r.all {
		waits[w.class.name] = append(waits[w.class.name], w.first.Sub(w.created))
		evictions += w.evictions
	}
	spreads := map[string]spread{}
	for name, took := range waits {
		spreads[name] = spreadOf(took)
	}
	return map[string]any{
		"workloads":     len(r.all),
		"made":          made.Seconds(),
		"lastAdmission": r.last.Sub(r.start).Seconds(),
		"seconds":       time.Since(r.start).Seconds(),
		"evictions":     evictions,
		"writes":        r.c.writes.Load() - writesBefore,
		"conflicts":     r.c.conflicts.Load(),
		"wait":          spreads,
	}
}

// latency makes one Workload at a time in an empty queue: from the request's sending to the watch event
// that shows it admitted.
func (r *run) latency(count int) any {
	r.setup()
	seen := make(chan string, 1)
	r.c.watch(r.api+"/workloads", func(kind string, raw json.RawMessage) {
		o := new(object)
		check(json.Unmarshal(raw, o))
		if kind != "DELETED" && o.holds("Admitted") && !o.holds("Finished") {
			seen <- o.Metadata.Name
		}
	})
	time.Sleep(time.Second)
	space := queueName(0, 0)
	took := make([]time.Duration, 0, count)
	for n := range count {
		name := fmt.Sprintf("latency-%d", n)
		begin := time.Now()
		go r.create(space, name, &classes[0])
		for <-seen != name {
		}
		took = append(took, time.Since(begin))
		r.c.must("DELETE", fmt.Sprintf("%s/namespaces/%s/workloads/%s", r.api, space, name), "", "")
	}
	return map[string]any{"latency": spreadOf(took)}
}

// bound is what the API server can do at best with status patches of such Workloads.
func (r *run) bound(count int) any {
	r.setup()
	space := queueName(0, 0)
	const objects, workers = 100, 50
	for n := range objects {
		r.create(space, fmt.Sprintf("bound-%d", n), &classes[0])
	}
	var next atomic.Int64
	var group sync.WaitGroup
	begin := time.Now()
	for range workers {
		group.Go(func() {
			for n := next.Add(1); n <= int64(count); n = next.Add(1) {
				r.c.must("PATCH", fmt.Sprintf("%s/namespaces/%s/workloads/bound-%d/status", r.api, space, n%objects),
					merge, fmt.Sprintf(`{"status":{"conditions":[{"type":"QuotaReserved","status":"False","reason":"Pending",
					"message":"%d","lastTransitionTime":%q}]}}`, n, now()))
			}
		})
	}
	group.Wait()
	seconds := time.Since(begin).Seconds()
	for n := range objects {
		r.c.must("DELETE", fmt.Sprintf("%s/namespaces/%s/workloads/bound-%d", r.api, space, n), "", "")
	}
	return map[string]any{"writesPerSecond": float64(count) / seconds}
}
