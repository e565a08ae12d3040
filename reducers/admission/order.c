/* In which order entries are processed: kueue.md 2.9, classical. */
#include "core/sort.h"
#include "reducers/admission/fair.h"
#include "reducers/admission/queue.h"
#include "reducers/admission/round.h"

int plm_order_plain(const struct plm_round *round, const struct plm_entry *a,
		    const struct plm_entry *b)
{
	const struct plm_workload *left = a->applicant.workload;
	const struct plm_workload *right = b->applicant.workload;
	int64_t left_ms = plm_queue_since(round->st, left);
	int64_t right_ms = plm_queue_since(round->st, right);
	int order = 0;

	if (left->priority != right->priority) {
		return left->priority > right->priority ? -1 : 1;
	}
	if (left_ms != right_ms) {
		return left_ms < right_ms ? -1 : 1;
	}
	order = plm_sym_compare(round->st, left->object.name, right->object.name);
	if (order == 0) {
		order = plm_sym_compare(round->st, left->object.ns, right->object.ns);
	}
	return order != 0 ? order : (a < b ? -1 : (a > b ? 1 : 0));
}

static int by_turn(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_round *round = context;
	const struct plm_entry *left = &round->entries[a];
	const struct plm_entry *right = &round->entries[b];

	if (left->claimed != right->claimed) {
		return left->claimed ? -1 : 1;
	}
	if (left->result.assess.height != right->result.assess.height) {
		return left->result.assess.height < right->result.assess.height ? -1 : 1;
	}
	return plm_order_plain(round, left, right);
}

/* Only entries that were assessed take part. Who holds a claim comes before all others. */
void plm_order_begin(struct plm_round *round)
{
	round->order = PLM_NEW_ARRAY(round->arena, round->count, uint32_t);
	for (uint32_t i = 0; i < round->count; i++) {
		struct plm_entry *entry = &round->entries[i];

		entry->taken = !entry->assessed;
		entry->fair = plm_fair_sharing(&round->snap, entry->node);
		if (!entry->taken && (!entry->fair || entry->claimed)) {
			round->order[round->order_count++] = i;
		}
	}
	plm_sort(round->order, round->order_count, by_turn, round, round->arena);
}

struct plm_entry *plm_order_next(struct plm_round *round)
{
	struct plm_entry *entry = NULL;

	if (round->order_at < round->order_count) {
		entry = &round->entries[round->order[round->order_at++]];
	} else {
		entry = plm_order_next_fair(round);
	}
	if (entry != NULL) {
		entry->taken = true;
	}
	return entry;
}
