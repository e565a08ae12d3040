/*
 * The tournament under fair sharing: kueue.md 2.9. Shares are computed anew before each turn, since the
 * usage of entries that had theirs is in the snapshot by then.
 */
#include "reducers/admission/fair.h"
#include "reducers/admission/round.h"

/* What an entry shows at one node of its path, its usage added. */
struct plm_fair_key {
	struct plm_share share;
	bool borrows; /* some FR that it asks for */
};

static bool borrows(const struct plm_round *round, const struct plm_entry *entry, uint32_t node)
{
	const struct plm_uses *usage = &entry->result.assess.usage;

	for (uint32_t i = 0; i < usage->count; i++) {
		if (usage->list[i].amount > 0 &&
		    !plm_quota_within(plm_quotas_cell(&round->snap, node, usage->list[i].pair))) {
			return true;
		}
	}
	return false;
}

static void make_keys(const struct plm_round *round, struct plm_entry *entry)
{
	const struct plm_quota_node *nodes = round->snap.tree.nodes;

	if (entry->keys == NULL) {
		entry->keys = PLM_NEW_ARRAY(round->arena, nodes[entry->node].depth + 1,
					    struct plm_fair_key);
	}
	plm_quotas_use(&round->snap, entry->node, entry->result.assess.usage);
	for (uint32_t n = entry->node; nodes[n].parent != PLM_NO_NODE; n = nodes[n].parent) {
		entry->keys[nodes[n].depth] = (struct plm_fair_key){
			.share = plm_fair_share(&round->snap, n),
			.borrows = borrows(round, entry, n),
		};
	}
	plm_quotas_free(&round->snap, entry->node, entry->result.assess.usage);
}

/* Two entries whose paths part below one cohort, seen at 'depth'. */
static bool beats(const struct plm_round *round, const struct plm_entry *a,
		  const struct plm_entry *b, uint32_t depth)
{
	const struct plm_fair_key *left = &a->keys[depth];
	const struct plm_fair_key *right = &b->keys[depth];
	int order = 0;

	if (left->borrows != right->borrows) {
		return !left->borrows;
	}
	order = plm_fair_compare(left->share, right->share);
	return order != 0 ? order < 0 : plm_order_plain(round, a, b) < 0;
}

/* The winner of the tree of 'root'. */
static struct plm_entry *tournament(struct plm_round *round, uint32_t root)
{
	const struct plm_quotas *snap = &round->snap;
	size_t mark = 0;
	struct plm_entry **winner = NULL;
	struct plm_entry *first = NULL;

	for (uint32_t i = 0; i < round->count; i++) {
		struct plm_entry *entry = &round->entries[i];

		if (!entry->taken && snap->tree.nodes[entry->node].tree == root) {
			make_keys(round, entry);
		}
	}
	mark = plm_arena_mark(round->arena);
	winner = PLM_NEW_ARRAY(round->arena, snap->tree.count, struct plm_entry *);
	for (uint32_t i = 0; i < round->count; i++) {
		struct plm_entry *entry = &round->entries[i];

		if (!entry->taken && snap->tree.nodes[entry->node].tree == root) {
			winner[entry->node] = entry;
		}
	}
	for (uint32_t i = 0; i < snap->tree.count; i++) {
		uint32_t n = snap->order[i];
		uint32_t parent = snap->tree.nodes[n].parent;

		if (winner[n] == NULL || parent == PLM_NO_NODE) {
			continue;
		}
		if (winner[parent] == NULL ||
		    beats(round, winner[n], winner[parent], snap->tree.nodes[n].depth)) {
			winner[parent] = winner[n];
		}
	}
	first = winner[root];
	plm_arena_rewind(round->arena, mark);
	return first;
}

/* Any queue that is left names the tree: we take the first by name. */
struct plm_entry *plm_order_next_fair(struct plm_round *round)
{
	const struct plm_quota_node *nodes = round->snap.tree.nodes;
	struct plm_entry *first = NULL;

	for (uint32_t i = 0; i < round->count; i++) {
		struct plm_entry *entry = &round->entries[i];

		if (!entry->taken &&
		    (first == NULL || plm_sym_compare(round->st, nodes[entry->node].name,
						      nodes[first->node].name) < 0)) {
			first = entry;
		}
	}
	if (first == NULL || nodes[first->node].parent == PLM_NO_NODE) {
		return first; /* alone: no share is looked at */
	}
	return tournament(round, nodes[first->node].tree);
}
