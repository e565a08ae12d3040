package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const group = "/apis/kueue.x-k8s.io/"

// workload is what the runner knows of one.
type workload struct {
	class                 *class
	created, first, last  time.Time // last: of the admission that it is running under
	admitted, evicting    bool
	finishing, finished   bool
	evictions, admissions int
}

type run struct {
	c       *client
	api     string // /apis/kueue.x-k8s.io/v1beta2
	version string
	share   int

	lock  sync.Mutex
	all   map[string]*workload // by namespace/name
	left  int
	done  chan struct{}
	start time.Time
	last  time.Time // the last admission
}

func newRun(c *client, version string, share int) *run {
	return &run{c: c, api: group + version, version: version, share: share, all: map[string]*workload{},
		done: make(chan struct{})}
}

func (r *run) progress() string {
	r.lock.Lock()
	defer r.lock.Unlock()
	admitted := 0
	for _, w := range r.all {
		if !w.first.IsZero() {
			admitted++
		}
	}
	return fmt.Sprintf("%d made, %d admitted, %d not finished", len(r.all), admitted, r.left)
}

func queueName(cohort, queue int) string { return fmt.Sprintf("cq-%d-cohort-%d", queue, cohort) }

// setup makes the flavor and the queues; a second time nothing happens.
func (r *run) setup() {
	kind := func(k string) string {
		return fmt.Sprintf(`"apiVersion":"kueue.x-k8s.io/%s","kind":%q`, r.version, k)
	}
	r.c.must("POST", r.api+"/resourceflavors", jsonBody,
		fmt.Sprintf(`{%s,"metadata":{"name":"rf"},"spec":{}}`, kind("ResourceFlavor")))
	for cohort := range cohorts {
		for queue := range queues {
			name := queueName(cohort, queue)
			r.c.must("POST", r.api+"/clusterqueues", jsonBody, fmt.Sprintf(`{%s,"metadata":{"name":%q},"spec":{
				"cohortName":"cohort-%d","namespaceSelector":{},"queueingStrategy":"BestEffortFIFO",
				"preemption":{"reclaimWithinCohort":"Any","withinClusterQueue":"LowerPriority"},
				"resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"rf","resources":[
				{"name":"cpu","nominalQuota":"20","borrowingLimit":"100"}]}]}]}}`, kind("ClusterQueue"), name, cohort))
			r.c.must("POST", "/api/v1/namespaces", jsonBody,
				fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, name))
			r.c.must("POST", fmt.Sprintf("%s/namespaces/%s/localqueues", r.api, name), jsonBody, fmt.Sprintf(
				`{%s,"metadata":{"name":%q},"spec":{"clusterQueue":%q}}`, kind("LocalQueue"), name, name))
		}
	}
}

func (r *run) create(space, name string, k *class) {
	r.lock.Lock()
	r.all[space+"/"+name] = &workload{class: k, created: time.Now()}
	r.lock.Unlock()
	r.c.must("POST", fmt.Sprintf("%s/namespaces/%s/workloads", r.api, space), jsonBody, fmt.Sprintf(
		`{"apiVersion":"kueue.x-k8s.io/%s","kind":"Workload","metadata":{"name":%q,"namespace":%q,"labels":{"class":%q}},
		"spec":{"queueName":%q,"priority":%d,"active":true,"podSets":[{"name":"main","count":1,"template":{"spec":{
		"restartPolicy":"Never","containers":[{"name":"c","image":"none","resources":{"requests":{"cpu":"%d"}}}]}}}]}}`,
		r.version, name, space, k.name, space, k.priority, k.cpu))
}

// generate makes all streams of all queues, each at its own pace, and calls after() for each Workload made.
func (r *run) generate(after func(space, name string, k *class)) {
	var group sync.WaitGroup
	for cohort := range cohorts {
		for queue := range queues {
			for i := range classes {
				k, space := &classes[i], queueName(cohort, queue)
				group.Go(func() {
					for n := range k.count / r.share {
						time.Sleep(time.Duration(k.intervalMs) * time.Millisecond)
						name := fmt.Sprintf("%s-%d", k.name, n)
						r.create(space, name, k)
						after(space, name, k)
					}
				})
			}
		}
	}
	group.Wait()
}

func (r *run) total() int {
	sum := 0
	for _, k := range classes {
		sum += cohorts * queues * (k.count / r.share)
	}
	return sum
}

type condition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	Reason             string `json:"reason"`
	Message            string `json:"message"`
	LastTransitionTime string `json:"lastTransitionTime"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
}

type object struct {
	Metadata struct {
		Name, Namespace, ResourceVersion, UID string
	}
	Status struct {
		Conditions []condition
		Admission  json.RawMessage
	}
}

func (o *object) holds(kind string) bool {
	return slices.ContainsFunc(o.Status.Conditions, func(c condition) bool {
		return c.Type == kind && c.Status == "True"
	})
}

func (r *run) path(o *object) string {
	return fmt.Sprintf("%s/namespaces/%s/workloads/%s/status", r.api, o.Metadata.Namespace, o.Metadata.Name)
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// seen is the job controller: what to do now that this is how the Workload is.
func (r *run) seen(kind string, raw json.RawMessage) {
	if kind != "ADDED" && kind != "MODIFIED" {
		return
	}
	o := new(object)
	check(json.Unmarshal(raw, o))
	r.lock.Lock()
	defer r.lock.Unlock()
	w := r.all[o.Metadata.Namespace+"/"+o.Metadata.Name]
	if w == nil || w.finished {
		return
	}
	admitted := o.holds("Admitted")
	switch {
	case o.holds("Finished"):
		w.finished = true
		if r.left--; r.left == 0 {
			close(r.done)
		}
	case admitted && o.holds("Evicted"):
		w.admitted = false
		w.evictions++
		go r.completeEviction(o)
	case admitted && !w.admitted:
		w.admitted = true
		w.admissions++
		w.last = time.Now()
		r.last = w.last
		if w.first.IsZero() {
			w.first = w.last
		}
		number := w.admissions
		time.AfterFunc(time.Duration(w.class.runtimeMs)*time.Millisecond, func() { r.finish(o, w, number) })
	case !admitted:
		w.admitted = false
	}
}

// completeEviction is what a job's reconciler does when its pods are gone. A conflict means that a newer
// version is on its way here.
func (r *run) completeEviction(o *object) {
	at := now()
	conditions := slices.Clone(o.Status.Conditions)
	for i := range conditions {
		c := &conditions[i]
		if c.Type == "QuotaReserved" {
			c.Status, c.Reason, c.Message, c.LastTransitionTime = "False", "Pending", "Evicted by the runner", at
		} else if c.Type == "Admitted" {
			c.Status, c.Reason, c.Message, c.LastTransitionTime = "False", "NoReservation", "The workload has no reservation", at
		}
	}
	body, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": o.Metadata.ResourceVersion, "uid": o.Metadata.UID},
		"status":   map[string]any{"admission": nil, "conditions": conditions},
	})
	check(err)
	if code, answer := r.c.send("PATCH", r.path(o), merge, string(body)); code == http.StatusConflict {
		r.c.conflicts.Add(1)
	} else if code != http.StatusOK {
		log.Fatalf("loadrunner: eviction of %s: %d %.300s", r.path(o), code, answer)
	}
}

// finish ends the Workload unless the admission that it ran under is over by now.
func (r *run) finish(o *object, w *workload, number int) {
	r.lock.Lock()
	over := w.finished || !w.admitted || w.admissions != number
	r.lock.Unlock()
	if over {
		return
	}
	r.c.must("PATCH", r.path(o), jsonPatch, fmt.Sprintf(`[{"op":"test","path":"/metadata/uid","value":%q},
		{"op":"add","path":"/status/conditions/-","value":%s}]`, o.Metadata.UID, finished()))
}

func finished() string {
	return fmt.Sprintf(`{"type":"Finished","status":"True","reason":"ByTest","message":"By the runner","lastTransitionTime":%q}`, now())
}

// load is the benchmark: everything is made, admitted and finished.
func (r *run) load() any {
	r.setup()
	r.left = r.total()
	r.c.watch(r.api+"/workloads", r.seen)
	time.Sleep(time.Second) // the queues are known to the engine
	writes := r.c.writes.Load()
	r.start = time.Now()
	r.generate(func(string, string, *class) {})
	made := time.Since(r.start)
	<-r.done
	return r.report(made, writes)
}

// alone does the runner's own writes at the same pace; nobody admits.
func (r *run) alone() any {
	r.setup()
	r.c.watch(r.api+"/workloads", func(string, json.RawMessage) {})
	time.Sleep(time.Second)
	writes := r.c.writes.Load()
	r.start = time.Now()
	var group sync.WaitGroup
	r.generate(func(space, name string, k *class) {
		group.Go(func() {
			time.Sleep(time.Duration(k.runtimeMs) * time.Millisecond)
			r.c.must("PATCH", strings.Join([]string{r.api, "namespaces", space, "workloads", name, "status"}, "/"), merge,
				fmt.Sprintf(`{"status":{"conditions":[%s]}}`, finished()))
		})
	})
	group.Wait()
	return map[string]any{"workloads": len(r.all), "seconds": time.Since(r.start).Seconds(),
		"writes": r.c.writes.Load() - writes}
}
