/* In which order entries are processed: kueue.md 2.9, classical. */
#include "core/sort.h"
#include "reducers/admission/queue.h"
#include "reducers/admission/round.h"

static int by_turn(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_round *round = context;
	const struct plm_entry *left = &round->entries[a];
	const struct plm_entry *right = &round->entries[b];
	const struct plm_workload *lw = left->applicant.workload;
	const struct plm_workload *rw = right->applicant.workload;
	int64_t left_ms = plm_queue_since(round->st, lw);
	int64_t right_ms = plm_queue_since(round->st, rw);
	int order = 0;

	if (left->result.assess.height != right->result.assess.height) {
		return left->result.assess.height < right->result.assess.height ? -1 : 1;
	}
	if (lw->priority != rw->priority) {
		return lw->priority > rw->priority ? -1 : 1;
	}
	if (left_ms != right_ms) {
		return left_ms < right_ms ? -1 : 1;
	}
	order = plm_sym_compare(round->st, lw->object.name, rw->object.name);
	if (order == 0) {
		order = plm_sym_compare(round->st, lw->object.ns, rw->object.ns);
	}
	return order != 0 ? order : (a < b ? -1 : (a > b ? 1 : 0));
}

/* Only entries that were assessed take part. */
void plm_order_entries(struct plm_round *round)
{
	uint32_t count = 0;

	round->order = PLM_NEW_ARRAY(round->arena, round->count, uint32_t);
	for (uint32_t i = 0; i < round->count; i++) {
		if (round->entries[i].assessed) {
			round->order[count++] = i;
		}
	}
	plm_sort(round->order, count, by_turn, round, round->arena);
	round->count = count;
}
