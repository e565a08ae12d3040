/*
 * bench_load.h - inputs for the benchmarks: manifests as a cluster would dump them, of any size
 *
 * All are functions of their numbers alone: two runs measure the same bytes. Each writes items of a
 * JSON list, or YAML documents; bench_load_begin() and bench_load_end() put the list around them.
 */
#ifndef PLM_BENCH_LOAD_H
#define PLM_BENCH_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/slice.h"

struct bench_load {
	FILE *out;   /* owned */
	bool yaml;   /* documents in flow style, one per object */
	bool begun;  /* a comma is due */
	char *bytes; /* owned; the whole input once bench_load_end() was called */
	size_t size;
};

/* Into memory, or, with 'path', into that file (then 'bytes' stays NULL). */
void bench_load_begin(struct bench_load *load, const char *path, bool yaml);
struct plm_slice bench_load_end(struct bench_load *load);
void bench_load_fini(struct bench_load *load);

/*
 * 'queues' ClusterQueues in cohorts of 'cohort', a LocalQueue each, two flavors; quota for about a
 * sixth of what waits.
 */
void bench_load_queues(struct bench_load *load, uint32_t queues, uint32_t cohort);
/* Workloads numbered from 'from': eight shapes, five priorities, over all queues. */
void bench_load_workloads(struct bench_load *load, uint32_t queues, uint32_t from, uint32_t count);
/* As many admitted workloads of the lowest priority as fill the quota of all queues. */
void bench_load_running(struct bench_load *load, uint32_t queues);

/* One open NodePool with its class. */
void bench_load_pool(struct bench_load *load);
/*
 * Pending pods of 'shapes' shapes: requests, and every few of them a zone, arch or spot selector.
 */
void bench_load_pods(struct bench_load *load, uint32_t count, uint32_t shapes);

/* A running pod as `kubectl get pods -o json` prints it, managedFields and status in full; 7 KB. */
void bench_load_dump(struct bench_load *load, uint32_t from, uint32_t count);

/* Nodes as they are dumped, with the labels that Karpenter and the cloud put on them. */
void bench_load_nodes(struct bench_load *load, uint32_t count);

#endif
