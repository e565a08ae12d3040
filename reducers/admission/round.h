/*
 * round.h - one Kueue cycle: its heads, their entries, and what becomes of them
 *
 * Owns: the pieces of a round that its files share: heads.c (who is tried), order.c (in which order),
 * process.c (each entry against the changing snapshot), emit.c (decisions), why.c (explanations).
 * Source: kueue.md 2.5, 2.9, 2.10.
 */
#ifndef PLM_REDUCERS_ADMISSION_ROUND_H
#define PLM_REDUCERS_ADMISSION_ROUND_H

#include "core/out.h"
#include "reducers/admission/activity.h"
#include "reducers/admission/assess.h"
#include "reducers/reducer.h"

/* Why an entry goes back to its queue: kueue.md 2.4. */
enum plm_requeue {
	PLM_REQUEUE_GENERIC,
	PLM_REQUEUE_NAMESPACE_MISMATCH,
	PLM_REQUEUE_NO_FIT,
	PLM_REQUEUE_NO_CANDIDATES,
	PLM_REQUEUE_PENDING_PREEMPTION,
	PLM_REQUEUE_AFTER_NOMINATION,
};

/* A head and what was found out about it. */
struct plm_entry {
	plm_id workload;
	uint32_t node;
	struct plm_applicant applicant;
	struct plm_result result;
	struct plm_why key;	   /* rule, reason, object, resource, flavor of what is said */
	int64_t need, have, limit; /* operands of the rule */
	plm_sym detail;
	uint32_t scan;	       /* of the attempt that binds; 0 = none does */
	struct plm_slice path; /* of the field that is wrong, in place of 'detail' */
	struct plm_uses claim; /* what was held for it in the snapshot */
	struct plm_tas_uses claim_tas;
	bool assessed;
	bool claimed;		   /* it was promised what its victims free */
	bool fair;		   /* its tree is shared by weight */
	bool taken;		   /* it had its turn */
	bool folded;		   /* called a fit, but there is no room: not under strict */
	struct plm_fair_key *keys; /* fair_order.c: by depth of the nodes on its path */
};

struct plm_round {
	const struct plm_state *st;
	struct plm_cycle_run *run;
	struct plm_arena *arena;
	struct plm_out *out;
	struct plm_quotas snap;
	struct plm_entry *entries;
	uint32_t count;
	uint32_t *order; /* of the entries without fair sharing */
	uint32_t order_count, order_at;
	uint8_t *victim; /* by workload slot: chosen earlier in this round (P); NULL = none yet */
	const struct plm_holder **victims;
	uint32_t victim_count, victim_capacity;
	bool changed;	 /* admissions, victims, reasons, parking */
	bool by_number;	 /* a cursor counted only because few rounds have passed since */
	bool used;	 /* some entry took of the snapshot: others may fit no more */
	bool better;	 /* not strict: claims of preemptors are held */
	plm_sym unready; /* the last that was let in by this round, 0 = none */
};

/* heads.c: entries of this round; false when no queue has an active head. */
bool plm_heads_collect(struct plm_round *round);
/* Checks before the assessment; false: 'entry' says why it is requeued, and how in '*out_how'. */
bool plm_heads_check(const struct plm_round *round, struct plm_entry *entry,
		     enum plm_requeue *out_how);

/* limit_check.c: requests, limits and LimitRanges; false: 'entry' says what is broken where. */
bool plm_limits_check(const struct plm_round *round, struct plm_entry *entry);

/* order.c, fair_order.c: the next entry to be processed, NULL when all are; shares are looked at anew. */
void plm_order_begin(struct plm_round *round);
struct plm_entry *plm_order_next(struct plm_round *round);
struct plm_entry *plm_order_next_fair(struct plm_round *round);
int plm_order_plain(const struct plm_round *round, const struct plm_entry *a,
		    const struct plm_entry *b);

/* process.c */
void plm_process_entry(struct plm_round *round, struct plm_entry *entry);

/* claim.c: what preemptors are promised, in and out of the snapshot. */
void plm_claims_enter(struct plm_round *round);
void plm_claim_suspend(const struct plm_round *round, const struct plm_entry *entry);
/* Assess who holds a claim with the flavors of the claim; false: that is no way any more, or none. */
bool plm_claim_assess(const struct plm_round *round, struct plm_entry *entry);
void plm_claim_resume(const struct plm_round *round, const struct plm_entry *entry);

/* why.c: the key and operands of an entry. */
void plm_why_none(struct plm_entry *entry, enum plm_rule rule, enum plm_reason reason);
void plm_why_assess(const struct plm_round *round, struct plm_entry *entry);
void plm_why_pair(const struct plm_round *round, struct plm_entry *entry, enum plm_rule rule,
		  enum plm_reason reason);
/* No domains for its pods. */
void plm_why_unplaced(const struct plm_round *round, struct plm_entry *entry);
void plm_why_blocked(const struct plm_round *round, struct plm_entry *entry);
/* An entry of an inactive queue. */
void plm_activity_say(const struct plm_state *st, plm_id queue, const struct plm_activity *activity,
		      struct plm_entry *out);
/* What is said of a workload that was not assessed: 'key', without operands. */
struct plm_entry plm_entry_said(plm_id workload, struct plm_why key);
void plm_why_fill(const struct plm_state *st, struct plm_arena *arena,
		  const struct plm_entry *entry, struct plm_w_explain *out);
/* Same rule, reason, object, resource and flavor. */
bool plm_why_same(const struct plm_why *a, const struct plm_why *b);

/* emit.c */
void plm_emit_reserve(struct plm_round *round, struct plm_entry *entry);
void plm_emit_pend(struct plm_round *round, struct plm_entry *entry, enum plm_requeue how,
		   bool keep_cursor);
void plm_emit_victims(struct plm_round *round, const struct plm_entry *entry);
void plm_emit_hold(struct plm_round *round, const struct plm_entry *entry, bool keep);
/* A workload that is no head: its reason, if that has changed. */
void plm_emit_told(struct plm_round *round, const struct plm_entry *said);

/* Symbols as texts, domains as the log has them. */
struct plm_vec plm_emit_texts(const struct plm_round *round, const plm_sym *list, uint32_t count);
struct plm_vec plm_emit_domains(const struct plm_round *round, const struct plm_tas_set *places);

/* second_pass.c: nodes that failed since the last cycle; then places for who holds quota already. */
void plm_second_pass_watch(struct plm_round *round);
void plm_second_pass(struct plm_round *round);

/* policy.c: what follows from checks, stops and deactivation; before the rounds. */
void plm_policy_pass(struct plm_round *round);
/* It may run now. */
void plm_policy_admit(struct plm_round *round, plm_id id);

#endif
