/*
 * The step of the admission phase: a policy pass first, then one round per call, until nothing changes.
 * Source: kueue.md 2.5; exact.md 3 and 8.
 */
#include "core/limits.h"
#include "reducers/admission/afs.h"
#include "reducers/admission/queue.h"
#include "reducers/admission/round.h"
#include "reducers/area.h"

/* Is the cursor of a workload still good? kueue.md 2.6. */
static plm_sym cursor_of(struct plm_round *round, const struct plm_entry *entry)
{
	const struct plm_workload *workload = entry->applicant.workload;
	const struct plm_root *root = plm_root(round->st);
	bool recent = workload->cursor_seq > root->cycle_seq &&
		      workload->cursor_round + 1 >= round->run->round;

	if (workload->cursor_generation ==
	    entry->applicant.queue->generation + root->quota_generation) {
		return workload->cursor;
	}
	round->by_number = round->by_number || (recent && workload->cursor.n != 0);
	return recent ? workload->cursor : (plm_sym){0};
}

/* What it asks for is there now. Of a fit that is true, but where a flavor folds to one: kueue.md 2.6. */
static bool has_room(const struct plm_round *round, const struct plm_entry *entry)
{
	const struct plm_uses *usage = &entry->result.assess.usage;

	for (uint32_t i = 0; i < usage->count; i++) {
		if (usage->list[i].amount >
		    plm_quotas_available(&round->snap, entry->node, usage->list[i].pair)) {
			return false;
		}
	}
	return true;
}

static void nominate(struct plm_round *round)
{
	for (uint32_t i = 0; i < round->count; i++) {
		struct plm_entry *entry = &round->entries[i];
		enum plm_requeue how = PLM_REQUEUE_GENERIC;

		plm_assess_begin(&entry->applicant, &round->snap, entry->workload, entry->node,
				 &round->run->spent);
		if (!plm_heads_check(round, entry, &how)) {
			plm_emit_hold(round, entry, false);
			plm_emit_pend(round, entry, how, false);
			continue;
		}
		entry->applicant.cursor = cursor_of(round, entry);
		entry->assessed = true;
		plm_claim_suspend(round, entry);
		if (!plm_claim_assess(round, entry)) {
			plm_assess_run(&entry->applicant, &entry->result);
		}
		entry->folded = round->better && entry->result.assess.mode == PLM_MODE_FIT &&
				!has_room(round, entry);
		plm_claim_resume(round, entry);
	}
}

static bool ended(struct plm_cycle_run *run)
{
	if (run->cycle.max_rounds > 0 && run->round >= (uint64_t)run->cycle.max_rounds) {
		return true;
	}
	if (run->quiet_rounds >= PLM_LIMIT_QUIET_ROUNDS) {
		return true;
	}
	if (run->round >= PLM_LIMIT_ROUNDS ||
	    (run->cycle.budget > 0 && run->spent >= (uint64_t)run->cycle.budget)) {
		run->unsettled = true;
		return true;
	}
	return false;
}

bool plm_admission_step(const struct plm_state *st, struct plm_cycle_run *run,
			struct plm_arena *scratch, struct plm_out *out)
{
	struct plm_round round = {
		.st = st,
		.run = run,
		.arena = scratch,
		.out = out,
		.better = plm_root(st)->compat != PLM_COMPAT_STRICT,
	};

	struct plm_entry *entry = NULL;

	PLM_ASSERT(st->queues.filled && !st->queues.stale);
	if (run->step++ == 0) {
		run->quiet_rounds = 0;
		plm_policy_pass(&round);
		plm_second_pass_watch(&round);
		if (out->count > 0) {
			return false;
		}
	}
	if (run->step <= 2) {
		run->step = 3;
		plm_second_pass(&round);
		if (out->count > 0) {
			return false;
		}
	}
	if (ended(run) || !plm_heads_collect(&round)) {
		return true;
	}
	plm_claims_enter(&round);
	nominate(&round);
	plm_order_begin(&round);
	for (entry = plm_order_next(&round); entry != NULL; entry = plm_order_next(&round)) {
		plm_process_entry(&round, entry);
	}
	run->round++;
	run->quiet_rounds = round.changed ? 0 : run->quiet_rounds + 1;
	if (!round.changed && out->count == 0 && !round.by_number) {
		run->quiet_rounds =
			PLM_LIMIT_QUIET_ROUNDS; /* every further one is this one again */
	}
	return ended(run);
}

int64_t plm_admission_next_due(const struct plm_state *st)
{
	int64_t timer = plm_queue_next_timer(st);
	int64_t sample = plm_afs_next_due(st);

	if (timer == PLM_UNSET || sample == PLM_UNSET) {
		return timer == PLM_UNSET ? sample : timer;
	}
	return plm_min(timer, sample);
}
