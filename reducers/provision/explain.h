/*
 * explain.h - why a pod or gang has no place, as data
 *
 * Owns: the funnel (what each rule leaves of a pool's types), the candidates with the numbers that
 * decided, for EXPLAINED and RELEASE and, run on the state of any point, for `why`. Everything is made
 * in the given arena. Does not: compose a sentence.
 *
 * Each rule is looked at as if the others held (funnel.h), so that all that stands in the way is named at
 * once: "no type has 8 GPUs, and were there one, its taint is not tolerated". The rule that is named
 * is the one that took the last candidates of the pool where fewest rules stop one.
 */
#ifndef PLM_REDUCERS_PROVISION_EXPLAIN_H
#define PLM_REDUCERS_PROVISION_EXPLAIN_H

#include "reducers/provision/lift.h"

/*
 * Why wants of 'shape' have no place; head of the record (kind, ns, name, reason) is the caller's. 'lifts',
 * here and below, may be NULL: what would give them one.
 */
void plm_explain_shape(struct plm_pass *pass, uint32_t shape, struct plm_w_explain *out,
		       struct plm_lifts *lifts);
/* The operands about volumes are those of want 'want': equal pods name others. */
void plm_explain_volumes(const struct plm_pass *pass, uint32_t want, struct plm_w_explain *out);
/* Why a pod is not looked at: it asks for what no pod may ask for. */
void plm_explain_refused(struct plm_pass *pass, plm_id pod, struct plm_w_explain *out);
/* Why the pods of an open claim have none: nothing that a launch may ask for is left of it (emit.h). */
void plm_explain_unbought(const struct plm_pass *pass, const struct plm_open *claim,
			  struct plm_w_explain *out);
/* Of the first pod of a gang that a packed pass has no place for. False: all have one. */
bool plm_explain_gang(struct plm_pass *pass, plm_id workload, struct plm_w_explain *out,
		      struct plm_lifts *lifts);
/* Of a pending pod. False: it is not pending, bound, or has a place. */
bool plm_provision_explain_pod(const struct plm_state *st, struct plm_arena *arena, plm_id pod,
			       struct plm_w_explain *out, struct plm_lifts *lifts);
/* Of a gang, for the flavors that it holds or, when it holds none, for none. False: it fits. */
bool plm_provision_explain_workload(const struct plm_state *st, struct plm_arena *arena,
				    plm_id workload, struct plm_w_explain *out,
				    struct plm_lifts *lifts);
/* Is 'why' what was said already? */
bool plm_why_said(const struct plm_state *st, const struct plm_why *said,
		  const struct plm_w_explain *why);

#endif
