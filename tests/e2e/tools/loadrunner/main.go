// Command loadrunner is the other side of the end-to-end benchmark: it makes Workloads in the shape of
// Kueue's generator (cohorts of ClusterQueues, each with its own stream of small, medium and large ones)
// and plays the job controller: a Workload finishes runtimeMs after it was admitted, and an eviction is
// completed at once. It prints one JSON object.
//
//	loadrunner FLAGS setup                 the flavor, the queues and their namespaces
//	loadrunner FLAGS [-share 5] run        the whole load; -share 5: a fifth of it
//	loadrunner FLAGS [-share 5] alone      the same writes of its own, waiting for nobody
//	loadrunner FLAGS [-count N] latency    one Workload after another, quota always free
//	loadrunner FLAGS [-count N] bound      status patches as fast as the API server takes them
//
// FLAGS: -server URL -ca FILE -token FILE. It uses only the standard library, and many connections of HTTP/1.1, so that it is not the bound.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"os"
	"time"
)

// class is one stream of a queue: count Workloads, one each interval.
type class struct {
	name          string
	count         int
	intervalMs    int
	runtimeMs     int
	priority, cpu int
}

// The numbers are those of Kueue's baseline: 500 Workloads a queue, 15,000 in all.
var classes = []class{
	{"small", 350, 100, 200, 50, 1},
	{"medium", 100, 500, 500, 100, 5},
	{"large", 50, 1200, 1000, 200, 20},
}

const (
	cohorts = 5
	queues  = 6 // of each cohort
)

func main() {
	server := flag.String("server", "", "the API server's address")
	ca := flag.String("ca", "", "file with its certificate")
	token := flag.String("token", "", "file with the token")
	share := flag.Int("share", 1, "one Workload of so many")
	count := flag.Int("count", 200, "Workloads of latency, patches of bound")
	limit := flag.Duration("limit", 20*time.Minute, "give up after this")
	version := flag.String("version", "v1beta2", "API version of the dialect")
	flag.Parse()
	log.SetFlags(0)
	c := newClient(*server, *ca, *token)
	r := newRun(c, *version, *share)
	time.AfterFunc(*limit, func() { log.Fatalf("loadrunner: not done within %v: %s", *limit, r.progress()) })

	var report any
	switch flag.Arg(0) {
	case "setup":
		r.setup()
		report = map[string]int{"queues": cohorts * queues}
	case "run":
		report = r.load()
	case "alone":
		report = r.alone()
	case "latency":
		report = r.latency(*count)
	case "bound":
		report = r.bound(*count)
	default:
		flag.Usage()
		os.Exit(2)
	}
	json.NewEncoder(os.Stdout).Encode(report)
}
