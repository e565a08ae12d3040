/*
 * area.h - the functions that an area of the reducers gives to the registry; nobody else calls them
 */
#ifndef PLM_REDUCERS_AREA_H
#define PLM_REDUCERS_AREA_H

#include "reducers/reducer.h"

/*
 * Fold; order: cluster, admission, provision, disruption. For GONE and RESULT cluster comes last, so that
 * the others still see the slots that it frees (object, open intent).
 */
void plm_cluster_apply(struct plm_state *st, const struct plm_event *ev, struct plm_arena *scratch);
void plm_admission_apply(struct plm_state *st, const struct plm_event *ev,
			 struct plm_arena *scratch);
/*
 * Before any area folds 'ev': what admission derives from state (core/queue_index.h) is brought up to
 * the state as it is now, so that it says the same whether it was kept for hours or made after a load.
 */
void plm_admission_before(struct plm_state *st, const struct plm_event *ev);
void plm_provision_apply(struct plm_state *st, const struct plm_event *ev,
			 struct plm_arena *scratch);
/* A CYCLE begins: what is known of nodes and claims outside the image is brought up to date. */
void plm_provision_look(struct plm_state *st, struct plm_arena *scratch);
void plm_disruption_apply(struct plm_state *st, const struct plm_event *ev,
			  struct plm_arena *scratch);

/* One step of the area's phase; true when the phase is over. */
typedef bool plm_step_fn(const struct plm_state *st, struct plm_cycle_run *run,
			 struct plm_arena *scratch, struct plm_out *out);
plm_step_fn plm_lifecycle_step; /* cluster: evictions done, jobs started and stopped, pods made */
plm_step_fn plm_claims_step;	/* provision: claims and nodes on their way in and out */
plm_step_fn plm_admission_step;
plm_step_fn plm_provision_step;
plm_step_fn plm_disruption_step;
plm_step_fn plm_publish_step; /* what was decided, into objects */

/* The area's next timer, PLM_UNSET when none. */
int64_t plm_claims_next_due(const struct plm_state *st);
int64_t plm_lifecycle_next_due(const struct plm_state *st);
int64_t plm_admission_next_due(const struct plm_state *st);
int64_t plm_provision_next_due(const struct plm_state *st);
int64_t plm_disruption_next_due(const struct plm_state *st);
int64_t plm_publish_next_due(const struct plm_state *st);

#endif
