/*
 * yard.h - a small cluster to plan nodes for: tests of reducers/provision and reducers/disruption
 *
 * Owns: a state, folded by the real plm_apply() from the events that a test names, and the two or three
 * instance types, one pool and one queue that most tests need. Time stands until yard_at() moves it.
 *
 * Types, on demand in zones a and b: small 2 cpu at 100, large 8 cpu at 390, gpu 8 cpu and 4 GPUs at 1000
 * (prices in zone b are 1 higher), each with 16 GiB and 20 pods.
 */
#ifndef PLM_TEST_PROVISION_YARD_H
#define PLM_TEST_PROVISION_YARD_H

#include "plm_test.h"

#include "reducers/area.h"
#include "reducers/reducer.h"

#define YARD_START_MS 1000000LL

struct yard {
	struct plm_state st;
	struct plm_arena scratch, step, texts;
	struct plm_out out; /* of the last step */
	uint64_t seq;
	int64_t now_ms;
	struct plm_w_config config;
};

int yard_open(void **state);  /* a CMocka setup: configuration and catalogue are there */
int yard_close(void **state); /* checks the state */

void yard_fold(struct yard *y, enum plm_event_type type, const void *payload);
/* The clock goes to 'ms' after the start; folds a CYCLE. */
void yard_at(struct yard *y, int64_t ms);
/* Run a phase to its end at the present time and fold what it puts out; what came is kept in 'all'. */
void yard_run(struct yard *y, plm_step_fn *step);

/* What the last yard_run() decided. */
uint32_t yard_count(const struct yard *y, enum plm_event_type type);
/* The payload of the n-th (from 0) event of 'type'; fails the test when there is none. */
const void *yard_event(const struct yard *y, enum plm_event_type type, uint32_t n);
/* The request of the n-th INTENT of 'call'. */
const void *yard_request(const struct yard *y, enum plm_call call, uint32_t n);
uint32_t yard_intents(const struct yard *y, enum plm_call call);

/* ---- objects ---- */
struct plm_w_meta yard_meta(const char *ns, const char *name);
struct plm_w_node_pool yard_pool(const char *name);
void yard_add_pool(struct yard *y, const struct plm_w_node_pool *pool);
struct plm_w_pod yard_pod(struct yard *y, const char *name, int64_t cpu, int64_t gpus);
/* A pending pod in namespace "ns". */
void yard_add_pod(struct yard *y, const char *name, int64_t cpu, int64_t gpus);
/* A PodSet of 'count' pods, its workload with quota reserved in a queue with the capacity check. */
void yard_reserve_gang(struct yard *y, const char *name, int64_t count, int64_t cpu, int64_t gpus);

const struct plm_pod *yard_pod_at(const struct yard *y, const char *name);
const struct plm_node_claim *yard_claim_at(const struct yard *y, const char *name);
const struct plm_workload *yard_gang_at(const struct yard *y, const char *name);
/* The only claim there is. */
const struct plm_node_claim *yard_only_claim(const struct yard *y);

/* The launch of 'claim' is done: an instance of 'type'. */
void yard_launched(struct yard *y, const char *claim, const char *type);
/* ... or refused: these offers (NULL-terminated types, zone a and b) are out of stock. */
void yard_refused(struct yard *y, const char *claim, const char *type, const char *zone);
/* Its node comes, ready, registered and initialized. */
void yard_joined(struct yard *y, const char *claim, const char *node);
/* The node takes no more pods. */
void yard_closed(struct yard *y, const char *claim, const char *node);
/* A pod is bound. */
void yard_bind(struct yard *y, const char *name, int64_t cpu, const char *node);

#endif
