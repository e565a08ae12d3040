/* One entry against the changing snapshot: kueue.md 2.10. */
#include "reducers/admission/life.h"

static bool same_tree(const struct plm_round *round, const struct plm_holder *holder,
		      const struct plm_entry *entry)
{
	const struct plm_quota_node *nodes = round->snap.tree.nodes;

	return nodes[holder->node].tree == nodes[entry->node].tree;
}

/* The victims of earlier entries, out of the snapshot or back into it. */
static void victims_out(const struct plm_round *round, const struct plm_entry *entry)
{
	for (uint32_t i = 0; i < round->victim_count; i++) {
		if (same_tree(round, round->victims[i], entry)) {
			plm_quotas_remove(&round->snap, round->victims[i]);
		}
	}
}

static void victims_back(const struct plm_round *round, const struct plm_entry *entry)
{
	for (uint32_t i = 0; i < round->victim_count; i++) {
		if (same_tree(round, round->victims[i], entry)) {
			plm_quotas_restore(&round->snap, round->victims[i]);
		}
	}
}

/* Was it chosen as a victim earlier in this round? */
static bool chosen(const struct plm_round *round, const struct plm_holder *holder)
{
	return round->victim != NULL && round->victim[holder->workload.n] != 0;
}

static bool overlaps(const struct plm_round *round, const struct plm_entry *entry)
{
	for (uint32_t i = 0; i < entry->result.targets.count; i++) {
		if (chosen(round, entry->result.targets.list[i].holder)) {
			return true;
		}
	}
	return false;
}

enum fit {
	FIT_ALL,
	FIT_NO_QUOTA,
	FIT_NO_DOMAINS,
};

/* What an entry would be charged and would occupy, in the snapshot for the rest of the round. */
static void hold(struct plm_round *round, const struct plm_entry *entry)
{
	const struct plm_assess *assess = &entry->result.assess;

	plm_quotas_use(&round->snap, entry->node, assess->usage);
	round->used = true;
	plm_tas_add(round->snap.tas, assess->tas.list, assess->tas.count, 1);
}

/* Does the entry fit once the victims, earlier ones and its own, are gone? */
static enum fit fits(const struct plm_round *round, struct plm_entry *entry)
{
	const struct plm_targets *targets = &entry->result.targets;
	const struct plm_uses *usage = &entry->result.assess.usage;
	const struct plm_tas_uses *tas = &entry->result.assess.tas;
	enum fit all = FIT_ALL;

	victims_out(round, entry);
	for (uint32_t i = 0; i < targets->count; i++) {
		if (!chosen(round, targets->list[i].holder)) {
			plm_quotas_remove(&round->snap, targets->list[i].holder);
		}
	}
	for (uint32_t i = 0; all == FIT_ALL && i < usage->count; i++) {
		int64_t available =
			plm_quotas_available(&round->snap, entry->node, usage->list[i].pair);

		if (available < usage->list[i].amount) {
			const struct plm_pair *pair =
				plm_quotas_pair_at(&round->snap, entry->node, usage->list[i].pair);

			entry->key.resource = pair->resource;
			entry->key.flavor = pair->flavor;
			entry->need = usage->list[i].amount;
			entry->have = plm_max(-PLM_UNLIMITED,
					      plm_quota_available(&round->snap.tree, entry->node,
								  usage->list[i].pair));
			all = FIT_NO_QUOTA;
		}
	}
	if (all == FIT_ALL && tas->count > 0 &&
	    !plm_tas_fits(round->snap.tas, tas->list, tas->count)) {
		all = FIT_NO_DOMAINS;
	}
	for (uint32_t i = 0; i < targets->count; i++) {
		if (!chosen(round, targets->list[i].holder)) {
			plm_quotas_restore(&round->snap, targets->list[i].holder);
		}
	}
	victims_back(round, entry);
	return all;
}

/*
 * Again with the victims of others gone, bound to the flavors that were nominated. What it shares with
 * them it has to wait for.
 */
static void recompute(struct plm_round *round, struct plm_entry *entry, bool shared)
{
	struct plm_assess nominated = entry->result.assess;

	victims_out(round, entry);
	entry->applicant.pin = &nominated;
	entry->applicant.cursor = (plm_sym){0};
	plm_assess_run(&entry->applicant, &entry->result);
	entry->applicant.pin = NULL;
	victims_back(round, entry);
	if (shared && entry->result.assess.mode == PLM_MODE_FIT) {
		entry->result.assess.mode = PLM_MODE_DEFERRED_FIT;
	}
}

/* What a head that cannot preempt keeps from later entries of this round: kueue.md 2.10 (5). */
static void reserve_capacity(const struct plm_round *round, const struct plm_entry *entry)
{
	const struct plm_assess *assess = &entry->result.assess;

	for (uint32_t i = 0; i < assess->usage.count; i++) {
		const struct plm_use *use = &assess->usage.list[i];
		const struct plm_cell *cell = plm_quotas_cell(&round->snap, entry->node, use->pair);
		int64_t amount = use->amount;

		if (assess->height == 0) {
			amount = plm_max(
				0, plm_min(amount, plm_quota_sub(cell->nominal, cell->usage)));
		} else if (cell->borrowing != PLM_UNSET) {
			int64_t most = plm_quota_add(cell->nominal, cell->borrowing);

			amount = plm_min(amount, plm_quota_sub(most, cell->usage));
		}
		plm_quota_use(&round->snap.tree, entry->node, use->pair, amount);
	}
	plm_tas_add(round->snap.tas, assess->tas.list, assess->tas.count, 1);
}

static void add_victims(struct plm_round *round, const struct plm_entry *entry)
{
	uint32_t want = round->victim_count + entry->result.targets.count;

	if (want > round->victim_capacity) {
		const struct plm_holder **list =
			PLM_NEW_ARRAY(round->arena, 2 * (size_t)want, const struct plm_holder *);

		if (round->victim_count > 0) {
			memcpy(list, round->victims,
			       round->victim_count * sizeof(const struct plm_holder *));
		}
		if (round->victim == NULL) {
			round->victim =
				PLM_NEW_ARRAY(round->arena, plm_workload_bound(round->st), uint8_t);
		}
		round->victims = list;
		round->victim_capacity = 2 * want;
	}
	for (uint32_t i = 0; i < entry->result.targets.count; i++) {
		const struct plm_holder *holder = entry->result.targets.list[i].holder;

		PLM_ASSERT(round->victim[holder->workload.n] == 0);
		round->victim[holder->workload.n] = 1;
		round->victims[round->victim_count++] = holder;
	}
}

/* Preempt: its victims are told, it waits for them. */
static void preempt(struct plm_round *round, struct plm_entry *entry)
{
	add_victims(round, entry);
	hold(round, entry);
	plm_why_pair(round, entry, PLM_RULE_PREEMPTION, PLM_REASON_WAITING_FOR_PREEMPTED);
	plm_emit_victims(round, entry);
	plm_emit_hold(round, entry, true);
	plm_emit_pend(round, entry, PLM_REQUEUE_PENDING_PREEMPTION, false);
}

/* What follows from the mode alone; true when the entry is done. */
static bool process_mode(struct plm_round *round, struct plm_entry *entry)
{
	const struct plm_assess *assess = &entry->result.assess;

	if (assess->mode == PLM_MODE_NO_FIT) {
		plm_why_assess(round, entry);
		plm_emit_hold(round, entry, false);
		plm_emit_pend(round, entry, PLM_REQUEUE_NO_FIT, true);
		return true;
	}
	if (assess->mode == PLM_MODE_PREEMPT && entry->result.targets.count == 0) {
		if (entry->applicant.queue->reclaim != PLM_PREEMPTION_ANY) {
			reserve_capacity(round, entry);
			round->used = true;
		}
		plm_why_blocked(round, entry);
		plm_emit_hold(round, entry, false);
		plm_emit_pend(round, entry, PLM_REQUEUE_NO_CANDIDATES, true);
		return true;
	}
	if (assess->mode == PLM_MODE_DEFERRED_FIT) {
		hold(round, entry);
		plm_why_pair(round, entry, PLM_RULE_PREEMPTION, PLM_REASON_WAITING_FOR_PREEMPTED);
		plm_emit_pend(round, entry, PLM_REQUEUE_PENDING_PREEMPTION, false);
		return true;
	}
	return false;
}

/*
 * It was to fit, and does not. Where it never did, a flavor borrows and would need victims besides
 * (kueue.md 2.6): upstream tries it again in every cycle, and nobody behind it, or lets it in beyond the
 * quota when another one's victims are on their way. Upstream also goes on behind the flavor that
 * another one took, and so misses those before.
 */
static void skip(struct plm_round *round, struct plm_entry *entry)
{
	bool never = entry->folded || (round->better && !round->used);

	entry->key.object = round->snap.tree.nodes[entry->node].name;
	plm_why_none(entry, never ? PLM_RULE_QUOTA : PLM_RULE_TAKEN_THIS_CYCLE,
		     PLM_REASON_WAITING_FOR_QUOTA);
	plm_emit_pend(round, entry,
		      never ? PLM_REQUEUE_NO_CANDIDATES : PLM_REQUEUE_AFTER_NOMINATION,
		      !round->better);
}

void plm_process_entry(struct plm_round *round, struct plm_entry *entry)
{
	enum fit fit = FIT_ALL;
	bool shared = overlaps(round, entry);

	plm_claim_suspend(round, entry);
	fit = fits(round, entry);
	if (shared || fit == FIT_NO_DOMAINS) {
		recompute(round, entry, shared);
		fit = fits(round, entry);
	}
	if (process_mode(round, entry)) {
		return;
	}
	/* The victims of others were gone when it was assessed anew. */
	PLM_ASSERT(!overlaps(round, entry));
	if (fit != FIT_ALL || entry->folded) {
		plm_claim_resume(round, entry);
		skip(round, entry);
		return;
	}
	if (entry->result.assess.mode == PLM_MODE_PREEMPT) {
		preempt(round, entry);
		return;
	}
	hold(round, entry);
	if (plm_life_blocks(round, entry)) {
		plm_emit_pend(round, entry, PLM_REQUEUE_AFTER_NOMINATION, true);
		return;
	}
	plm_emit_reserve(round, entry);
	round->unready = entry->applicant.workload->object.name;
}
