/*
 * bench_world.h - states of many queues and workloads, made without manifests, and cycles on them
 *
 * Owns: the shapes that Kueue's own benchmark uses (cohorts of queues, three classes of workloads), as
 * facts of the catalogue of events; and two ways to decide on them: the bare reducers (fold, cycle, fold;
 * nothing is encoded, hashed or kept) and the engine over a log in memory (encoded, hashed, chained,
 * held in memory; no file). Every figure says which of the two it is.
 */
#ifndef PLM_BENCH_WORLD_H
#define PLM_BENCH_WORLD_H

#include "core/arena.h"
#include "engine/engine.h"
#include "reducers/reducer.h"

/* A class of workloads of the benchmark. */
struct bench_class {
	const char *name;
	int64_t cpu; /* whole, of all pods */
	int64_t priority, runtime_ms, every_ms;
	uint32_t count; /* of one queue */
	uint32_t pods;	/* 0 = one */
};

struct bench_shape {
	uint32_t cohorts, queues; /* queues: of one cohort */
	int64_t nominal, borrow;  /* cpu of one queue */
	const struct bench_class *classes;
	uint32_t class_count;
	/* Racks of 64 nodes of 96 cpu; workloads ask for one in turns: required, preferred, any. */
	uint32_t racks;
};

/* 15,000 over 30 queues in 5 cohorts; 50,000 over 1,000 queues in 10 cohorts. */
extern const struct bench_shape bench_baseline;
extern const struct bench_shape bench_large;
/* As the first, with 2, 4 or 8 pods each, placed on 640 nodes in 10 racks. */
extern const struct bench_shape bench_tas;

uint32_t bench_shape_queues(const struct bench_shape *shape);
uint32_t bench_shape_workloads(const struct bench_shape *shape);

/* Where facts go: the engine when it is set, else the bare state. */
struct bench_world {
	struct plm_state st;
	struct plm_arena scratch, step;
	struct plm_engine *engine; /* owned; NULL = bare */
	struct plm_log *log;	   /* owned */
	uint64_t seq;
	int64_t now_ms;
	/* Hears of each decision before it is folded (bare); may be NULL. */
	void (*hear)(void *self, enum plm_event_type type, const void *payload);
	void *hear_self;
	/* of the last cycle */
	uint32_t reserved, decisions, rounds;
};

struct bench_world_options {
	bool engine;
	bool cluster; /* profile, and tables at their ceiling: a million workloads */
	enum plm_compat compat;
	enum plm_only only;
	bool settle; /* evictions are complete at once */
};

void bench_world_open(struct bench_world *w, const struct bench_world_options *options);
void bench_world_close(struct bench_world *w);
const struct plm_state *bench_world_state(const struct bench_world *w);

void bench_world_fold(struct bench_world *w, enum plm_event_type type, const void *payload);
/* Namespace, flavor, cohorts, ClusterQueues with a LocalQueue each; quota in whole cpu. */
void bench_world_queues(struct bench_world *w, const struct bench_shape *shape);
/* Workload 'number' of 'class' in queue 'queue', created at 'at_ms'. */
void bench_world_workload(struct bench_world *w, const struct bench_class *class, uint32_t queue,
			  uint32_t number, int64_t at_ms);
/* The same, told to have finished at now. */
void bench_world_finish(struct bench_world *w, const struct bench_class *class, uint32_t queue,
			uint32_t number);
/* All workloads of a shape, classes in turn. */
void bench_world_fill(struct bench_world *w, const struct bench_shape *shape);
/* Ready nodes of 96 cpu. */
void bench_world_nodes(struct bench_world *w, uint32_t count);
/* What is gathered becomes durable (engine) before a cycle is timed. */
void bench_world_flush(struct bench_world *w);
/* One CYCLE, to its fixed point with 'rounds' 0; its decisions are folded. */
void bench_world_cycle(struct bench_world *w, int64_t rounds);

#endif
