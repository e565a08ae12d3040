#include "reducers/admission/quota.h"

int64_t plm_quota_add(int64_t a, int64_t b)
{
	if (a == PLM_UNLIMITED || b == PLM_UNLIMITED) {
		return PLM_UNLIMITED;
	}
	return plm_add_sat(a, b);
}

int64_t plm_quota_sub(int64_t a, int64_t b)
{
	if (a == PLM_UNLIMITED) {
		return b == PLM_UNLIMITED ? 0 : PLM_UNLIMITED;
	}
	return b == PLM_UNLIMITED ? INT64_MIN : plm_sub_sat(a, b);
}

int64_t plm_quota_local(const struct plm_cell *cell)
{
	if (cell->lending == PLM_UNSET) {
		return 0;
	}
	return plm_max(0, plm_quota_sub(cell->subtree, cell->lending));
}

int64_t plm_quota_local_available(const struct plm_cell *cell)
{
	return plm_max(0, plm_quota_sub(plm_quota_local(cell), cell->usage));
}

/* What the node may take from its parent: kueue.md 2.7, the second argument of min. */
static int64_t borrowable(const struct plm_cell *cell)
{
	int64_t local = plm_quota_local(cell);
	int64_t lent = plm_quota_sub(cell->subtree, local);
	int64_t taken = plm_max(0, plm_quota_sub(cell->usage, local));

	return plm_quota_add(plm_quota_sub(lent, taken), cell->borrowing);
}

/*
 * available(n) = la(n) + min(limit(n), available(parent)) unrolls to the least of: la summed up to a
 * node with a limit, plus that limit; la summed up below the root, plus what the root has left.
 */
int64_t plm_quota_available(const struct plm_quota_tree *tree, uint32_t node, uint32_t pair)
{
	int64_t sum = 0;
	int64_t least = PLM_UNLIMITED;

	for (uint32_t n = node;; n = tree->nodes[n].parent) {
		const struct plm_cell *cell = &tree->nodes[n].cells[pair];

		if (tree->nodes[n].parent == PLM_NO_NODE) {
			int64_t left = plm_quota_sub(cell->subtree, cell->usage);

			return plm_min(least, plm_quota_add(sum, left));
		}
		sum = plm_quota_add(sum, plm_quota_local_available(cell));
		if (cell->borrowing != PLM_UNSET) {
			least = plm_min(least, plm_quota_add(sum, borrowable(cell)));
		}
	}
}

uint32_t plm_quota_binding(const struct plm_quota_tree *tree, uint32_t node, uint32_t pair,
			   bool *out_limit)
{
	int64_t available = plm_quota_available(tree, node, pair);
	int64_t sum = 0;

	for (uint32_t n = node;; n = tree->nodes[n].parent) {
		const struct plm_cell *cell = &tree->nodes[n].cells[pair];

		*out_limit = false;
		if (tree->nodes[n].parent == PLM_NO_NODE) {
			return n;
		}
		sum = plm_quota_add(sum, plm_quota_local_available(cell));
		if (cell->borrowing != PLM_UNSET &&
		    plm_quota_add(sum, borrowable(cell)) == available) {
			*out_limit = true;
			return n;
		}
	}
}

int64_t plm_quota_potential(const struct plm_quota_tree *tree, uint32_t node, uint32_t pair)
{
	int64_t sum = 0;
	int64_t least = PLM_UNLIMITED;

	for (uint32_t n = node;; n = tree->nodes[n].parent) {
		const struct plm_cell *cell = &tree->nodes[n].cells[pair];

		if (tree->nodes[n].parent == PLM_NO_NODE) {
			return plm_min(least, plm_quota_add(sum, cell->subtree));
		}
		if (cell->borrowing != PLM_UNSET) {
			int64_t most = plm_quota_add(cell->subtree, cell->borrowing);

			least = plm_min(least, plm_quota_add(sum, most));
		}
		sum = plm_quota_add(sum, plm_quota_local(cell));
	}
}

void plm_quota_use(const struct plm_quota_tree *tree, uint32_t node, uint32_t pair, int64_t amount)
{
	for (uint32_t n = node; n != PLM_NO_NODE; n = tree->nodes[n].parent) {
		struct plm_cell *cell = &tree->nodes[n].cells[pair];
		int64_t local = plm_quota_local_available(cell);

		cell->usage = plm_quota_add(cell->usage, amount);
		if (amount <= local) {
			return;
		}
		amount = plm_quota_sub(amount, local);
	}
}

void plm_quota_free(const struct plm_quota_tree *tree, uint32_t node, uint32_t pair, int64_t amount)
{
	for (uint32_t n = node; n != PLM_NO_NODE; n = tree->nodes[n].parent) {
		struct plm_cell *cell = &tree->nodes[n].cells[pair];
		int64_t stored = plm_quota_sub(cell->usage, plm_quota_local(cell));

		cell->usage = plm_quota_sub(cell->usage, amount);
		if (stored <= 0) {
			return;
		}
		amount = plm_min(amount, stored);
	}
}

bool plm_quota_borrows(const struct plm_cell *cell, int64_t amount)
{
	return cell->subtree < plm_quota_add(cell->usage, amount);
}

bool plm_quota_within(const struct plm_cell *cell)
{
	return cell->subtree >= cell->usage;
}

struct plm_fit plm_quota_lowest_fit(const struct plm_quota_tree *tree, uint32_t node, uint32_t pair,
				    int64_t amount)
{
	const struct plm_quota_node *at = &tree->nodes[node];
	int64_t left = amount;

	if (!plm_quota_borrows(&at->cells[pair], amount) || at->parent == PLM_NO_NODE) {
		return (struct plm_fit){0, at->parent != PLM_NO_NODE};
	}
	left = plm_quota_sub(left, plm_quota_local_available(&at->cells[pair]));
	while (at->parent != PLM_NO_NODE) {
		at = &tree->nodes[at->parent];
		if (!plm_quota_borrows(&at->cells[pair], left)) {
			return (struct plm_fit){at->height, at->parent != PLM_NO_NODE};
		}
		left = plm_quota_sub(left, plm_quota_local_available(&at->cells[pair]));
	}
	return (struct plm_fit){at->height, false};
}

void plm_quota_gather(const struct plm_quota_node *parent, const struct plm_quota_node *child,
		      uint32_t pairs)
{
	for (uint32_t f = 0; f < pairs; f++) {
		struct plm_cell *to = &parent->cells[f];
		const struct plm_cell *from = &child->cells[f];
		int64_t local = plm_quota_local(from);

		to->subtree = plm_quota_add(to->subtree, plm_quota_sub(from->subtree, local));
		to->usage = plm_quota_add(to->usage, plm_max(0, plm_quota_sub(from->usage, local)));
	}
}

void plm_quota_gather_usage(const struct plm_quota_node *parent, const struct plm_quota_node *child,
			    uint32_t pairs)
{
	for (uint32_t f = 0; f < pairs; f++) {
		int64_t over =
			plm_quota_sub(child->cells[f].usage, plm_quota_local(&child->cells[f]));

		parent->cells[f].usage = plm_quota_add(parent->cells[f].usage, plm_max(0, over));
	}
}
