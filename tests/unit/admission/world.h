/*
 * world.h - states of a few queue objects in a line each, and the decisions on them as text
 *
 * A setup is lines of words; "key=value" words are options:
 *
 *	namespace NAME label=KEY:VALUE
 *	topology NAME
 *	check NAME off
 *	flavor NAME label=KEY:VALUE taint=KEY
 *	cohort NAME parent=NAME weight=PERCENT flavor:NAME cpu=QUOTA mem=QUOTA
 *	queue NAME cohort=NAME strict within=.. reclaim=.. borrowWithin=.. threshold=N preemptFrom=N
 *	      canBorrow=.. canPreempt=.. prefer=.. stop=.. weight=PERCENT check=NAME capacity dialect
 *	      selects=KEY:VALUE (of namespaces)
 *	      flavor:NAME cpu=QUOTA mem=QUOTA (without flavor: "default"); QUOTA = nominal/borrow/lend
 *	      byUsage (admission fair sharing)
 *	local NAME queue=NAME|work=NAME stop=.. weight=PERCENT consumed=CPU
 *	      (a queue has a LocalQueue of its own name)
 *	work NAME queue=NAME max=N
 *	workload NAME queue=LOCAL prio=N at=S count=N min=N cpu=N mem=N back=N selector=KEY:VALUE
 *		tolerate=KEY held=FLAVOR in=QUEUE since=S evicted gated off check=NAME:STATE
 *	      limits of its container: limit:cpu=N; init containers: init:cpu=N; class=RUNTIMECLASS
 *	range NAME container:max:cpu=N pod:min:mem=N	(max, min, default, request)
 *	class NAME cpu=N mem=N	a RuntimeClass with that overhead
 *	gone KIND NAME
 *	finish NAME	the workload is done
 *	release NAME	an eviction is completed
 *
 * Everything lies in namespace "ns"; times are seconds after the epoch; amounts whole units.
 */
#ifndef PLM_TESTS_ADMISSION_WORLD_H
#define PLM_TESTS_ADMISSION_WORLD_H

#include "core/out.h"
#include "plm_test.h"
#include "reducers/area.h"

struct world {
	struct plm_state st;
	struct plm_arena scratch, step, memory;
	uint64_t seq;
	int64_t now_ms;
	uint64_t spent;
	struct plm_state *mirror; /* folds the same events; NULL = none */
	/* Sees each event before it is folded; NULL = nobody. */
	void (*before)(struct world *w, const struct plm_event *event);
	void *before_self;
	char text[65536]; /* decisions of the last run */
	size_t used;
};

void world_init(struct world *w);
void world_fini(struct world *w);
void world_fold(struct world *w, enum plm_event_type type, const void *payload);
void world_setup(struct world *w, const char *lines);
void world_config(struct world *w, const struct plm_w_config *config);
/*
 * One CYCLE with 'rounds' at most (0 = to the fixed point), its decisions folded. Their text: one each,
 * separated by "; ": "reserve x=default", "evict y InClusterQueue", "pend z WaitingForQuota parked", ...
 */
const char *world_run(struct world *w, int64_t rounds);
plm_id world_workload(const struct world *w, const char *name);

#endif
