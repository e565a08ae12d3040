/*
 * life.h - a claim on its way in: launch and its repetitions, registration, initialization, timeouts
 *
 * Owns: who is given up and when; what a node is told when it registers and when it is initialized; what is
 * noted of it (no unregistered taint, less than promised); the health of a pool's launches. Claims that
 * somebody else made are the same as ours from the moment that they are seen (adopt.h).
 * Does not: drain or terminate (drain.h), choose offers (launch.h).
 *
 * Timeouts count from times of the API (creation, transition of a condition) and stand still while the
 * source that would have told us could not be reached. Sources: karpenter.md 2.13.
 */
#ifndef PLM_REDUCERS_PROVISION_LIFE_H
#define PLM_REDUCERS_PROVISION_LIFE_H

#include "reducers/provision/pass.h"

struct plm_life {
	const struct plm_state *st;
	struct plm_pass *pass; /* with the catalogue, made when a launch needs it */
	struct plm_sched sched;
	struct plm_out *out;
	int64_t now_ms;
};

/* One claim that is not ENDING, once per cycle. */
void plm_life_look(struct plm_life *life, plm_id claim);
/* Its next timer; PLM_UNSET when it has none. */
int64_t plm_life_due(const struct plm_state *st, const struct plm_node_claim *claim);
/* Give it up. */
void plm_life_end(const struct plm_life *life, const struct plm_node_claim *claim,
		  enum plm_reason reason, enum plm_rule rule, int64_t limit);

/* fold: a source cannot be reached from 'now_ms' on, or can again. */
void plm_life_away(struct plm_state *st, enum plm_source source, bool away, int64_t now_ms);
/* fold: the outcome of a launch goes into its pool's ring, once per claim. */
void plm_life_outcome(struct plm_state *st, plm_id claim, bool registered);

enum plm_health {
	PLM_HEALTH_UNKNOWN,
	PLM_HEALTH_GOOD,
	PLM_HEALTH_BAD,
};
/* NodeRegistrationHealthy: reporting only. */
enum plm_health plm_life_health(const struct plm_node_pool *pool);

#endif
