/*
 * generate.h - random scenarios: made from a seed, made smaller while they still fail
 *
 * Owns: a scenario as a list of parts (queues of both dialects, pools, jobs of several kinds, gangs, pods,
 * faults, changes), each of which can be taken away or reduced without making the rest meaningless, and
 * its YAML. What is written is an ordinary scenario: `plimsoll sim` runs it.
 * Does not: run anything.
 */
#ifndef PLM_TOOLS_SIM_GENERATE_H
#define PLM_TOOLS_SIM_GENERATE_H

#include "core/base.h"

#define PLM_GENERATED_PARTS 64
#define PLM_GENERATED_NUMBERS 10
#define PLM_GENERATED_BYTES 65536

enum plm_generated_kind {
	PLM_GENERATED_NODES,	    /* count, type */
	PLM_GENERATED_PRIORITY,	    /* value */
	PLM_GENERATED_FLAVOR,	    /* number, spot */
	PLM_GENERATED_COHORT,	    /* number, cpu */
	PLM_GENERATED_QUEUE,	    /* number, cohort, cpu, borrowing, within, reclaim, strict */
	PLM_GENERATED_SIMPLE_QUEUE, /* number, min cpu, max cpu, preemption, max parallel, weight */
	PLM_GENERATED_POOL,	    /* number, family, spot, limit cpu */
	PLM_GENERATED_SIMPLE_POOL,  /* number, types, min size, max size, tainted */
	/* number, queue, count, every, parallelism, completions, cpu, priority, features, fail percent */
	PLM_GENERATED_JOBS,
	PLM_GENERATED_SETS,	    /* the same; without completions */
	PLM_GENERATED_DEPLOYMENT,   /* number, replicas, cpu, later replicas, at */
	PLM_GENERATED_PODS,	    /* number, count, every, cpu, spread */
	PLM_GENERATED_STOCK_OUT,    /* type, zone, from, to */
	PLM_GENERATED_RECLAIM,	    /* at, percent */
	PLM_GENERATED_LAUNCH_FAILS, /* percent */
	PLM_GENERATED_FAULT,	    /* kind, at, for, percent */
	PLM_GENERATED_DELETE,	    /* jobs number, index, at */
	PLM_GENERATED_CUT,	    /* queue number, cpu, at */
	PLM_GENERATED_STOP,	    /* queue number, drain, at, until */
	PLM_GENERATED_DROP_POOL,    /* number, at, of the simple dialect */
	PLM_GENERATED_DAEMON_SET,   /* number, cpu */
	PLM_GENERATED_STATEFUL_SET, /* number, replicas, cpu */
	/* number, queue, count, every, pods, cpu, priority, which: other kinds of work */
	PLM_GENERATED_WORK,
};

#define PLM_GENERATED_WORK_KINDS 5

struct plm_generated_part {
	enum plm_generated_kind kind;
	bool on;
	int64_t n[PLM_GENERATED_NUMBERS];
};

struct plm_generated {
	uint64_t seed;
	struct plm_generated_part parts[PLM_GENERATED_PARTS];
	size_t count;
};

void plm_generate(uint64_t seed, struct plm_generated *out);
/* The YAML, zero-terminated; returns its length without the zero. */
size_t plm_generated_yaml(const struct plm_generated *scenario, char text[PLM_GENERATED_BYTES]);

/* True: the scenario still shows what is looked for. */
typedef bool plm_generated_fails(void *ctx, const struct plm_generated *scenario);
/* Take parts away and halve numbers for as long as 'fails' stays true, at most 'tries' calls of it. */
void plm_generated_shrink(struct plm_generated *scenario, plm_generated_fails *fails, void *ctx,
			  int tries);

#endif
