/*
 * stage.h - a queue, a few jobs and their cluster, driven by hand: what the life cycle decides, as words
 *
 * Owns: the facts of one ClusterQueue "cq" (resource cpu, one flavor) with the LocalQueue "lq", of jobs
 * that ask for 1 cpu per pod, and a job controller that does what it is told. Does not: commit, sleep.
 */
#ifndef PLM_TESTS_UNIT_LIFE_STAGE_H
#define PLM_TESTS_UNIT_LIFE_STAGE_H

#include "reducers/reducer.h"

#define STAGE_JOBS 8
#define STAGE_START_MS 1000000LL

struct stage_job {
	const char *name; /* static; also of its Workload and its uid */
	int64_t pods, ready, succeeded;
	int64_t priority, max_exec_s;
	bool suspended, exists, over;
};

struct stage_intent {
	uint64_t seq;
	enum plm_call call;
	char name[32];
};

struct stage {
	struct plm_state st;
	struct plm_arena scratch, step;
	uint64_t seq;
	int64_t now_ms;
	struct plm_w_config config;
	int64_t cpu;  /* nominal quota */
	int64_t stop; /* enum plm_stop of the ClusterQueue */
	int64_t local_stop;
	const char *checks[4]; /* static */
	struct stage_job jobs[STAGE_JOBS];
	struct plm_arena kept;				/* the last status asked for */
	const struct plm_w_req_workload_status *status; /* NULL: none was */
	bool boards; /* else what is written of queues is not told, and not answered */
	struct stage_intent open[64];
	uint32_t open_count;
	char text[4096];
	size_t used;
};

/* A queue with 'cpu', waitForPodsReady after a minute with backoffs of 10 and 20 s, no checks. */
void stage_init(struct stage *s, int64_t cpu);
void stage_fini(struct stage *s);

void stage_fact(struct stage *s, enum plm_event_type type, const void *payload);
/* Tell the settings, the ClusterQueue, the LocalQueue as they stand in 's'. */
void stage_config(struct stage *s);
void stage_queue(struct stage *s);
void stage_local(struct stage *s);
void stage_check(struct stage *s, const char *name);
/* A new job, told; and one told again after its members were changed. */
struct stage_job *stage_add(struct stage *s, const char *name, int64_t pods);
void stage_tell(struct stage *s, const struct stage_job *job);
void stage_delete(struct stage *s, struct stage_job *job);
/* Somebody writes into the Workload of 'job'. */
void stage_active(struct stage *s, const char *job, bool active);
void stage_answer(struct stage *s, const char *job, const struct plm_w_check_status *status);

/* Advance to 'ms' after the start, and run cycles while one is wanted. Returns what was decided. */
const char *stage_run(struct stage *s, int64_t ms);
/* The cluster does what is asked of it: each open intent is carried out, answered and told. */
void stage_obey(struct stage *s);
/* Run, obey, and so on until nothing is asked for any more; everything that was decided. */
const char *stage_settle(struct stage *s, int64_t ms);

const struct plm_workload *stage_workload(const struct stage *s, const char *job);

#endif
