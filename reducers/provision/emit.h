/*
 * emit.h - from a pass to the wire structs of decisions
 *
 * Owns: the texts and lists of CLAIM, PLACES, NOMINATE and the launch request. Everything is made in the
 * arena of the step. Does not: decide.
 */
#ifndef PLM_REDUCERS_PROVISION_EMIT_H
#define PLM_REDUCERS_PROVISION_EMIT_H

#include "reducers/provision/pass.h"

struct plm_vec plm_emit_kvs(const struct plm_sched *sched, plm_sym kvs);
/* As a claim names them: by key, bounds as Gte and Lte, without host names. */
struct plm_vec plm_emit_reqs(const struct plm_sched *sched, const struct plm_reqs *reqs);
struct plm_vec plm_emit_amounts(const struct plm_sched *sched, plm_sym amounts);
struct plm_vec plm_emit_taints(const struct plm_sched *sched, plm_sym taints);
/* "ns/name". */
struct plm_slice plm_emit_key(const struct plm_sched *sched, const struct plm_object *object);

/* For whom and why claims are bought. */
struct plm_purpose {
	plm_id workload; /* 0 = plain pods */
	enum plm_reason reason;
	enum plm_rule rule;
};

/* What an open claim will ask the cloud for; false: no offer is left of it, so it is not to be made. */
bool plm_emit_choose(struct plm_pass *pass, struct plm_open *claim);
/*
 * CLAIM, and the INTENT of its launch, for an open claim of 'pass' that has chosen; gives it its name, the
 * 'ordinal'-th of this step. Returns the CLAIM's handle.
 */
uint32_t plm_emit_claim(struct plm_pass *pass, struct plm_open *claim, uint32_t ordinal,
			const struct plm_purpose *purpose, struct plm_out *out);
/* INTENT of another launch for a claim that stands in state; false: no offer is left. */
bool plm_emit_launch(struct plm_pass *pass, plm_id claim, struct plm_out *out);

#endif
