#include "reducers/admission/skeleton.h"

#include "reducers/admission/activity.h"

struct skeleton {
	struct plm_quota_node *nodes; /* their cells without usage */
	struct plm_pairs *pairs;      /* by root */
	uint32_t *order;
	uint32_t *queue_nodes;
	uint32_t count, queue_bound;
};

static const struct skeleton *skeleton_of(const struct plm_state *st)
{
	return st->queues.block_made ? st->queues.block : NULL;
}

/* ---- making ------------------------------------------------------------------------------------ */

/* Pieces of a block, one after the other; without 'base' only their size is summed up. */
struct packing {
	uint8_t *base;
	size_t at;
};

static void *pack(struct packing *packing, const void *from, size_t count, size_t size)
{
	size_t bytes = count * size;
	uint8_t *to = packing->base == NULL ? NULL : packing->base + packing->at;

	if (to != NULL && bytes > 0) {
		memcpy(to, from, bytes);
	}
	packing->at += (bytes + 15) / 16 * 16;
	return to;
}

static void pack_pairs(struct packing *packing, struct plm_pairs *to, const struct plm_pairs *from)
{
	struct plm_pair *list = pack(packing, from->list, from->count, sizeof(*list));
	uint32_t *hash = from->hash == NULL
				 ? NULL
				 : pack(packing, from->hash, from->mask + 1, sizeof(*hash));

	if (to != NULL) {
		*to = *from;
		to->list = list;
		to->hash = hash;
	}
}

static void pack_all(struct packing *packing, const struct plm_quotas *snap)
{
	uint32_t count = snap->tree.count;
	struct skeleton made = {.count = count, .queue_bound = plm_cluster_queue_bound(snap->st)};
	struct skeleton *top = pack(packing, &made, 1, sizeof(made));

	made.nodes = pack(packing, snap->tree.nodes, count, sizeof(*made.nodes));
	made.pairs = pack(packing, snap->pairs, count, sizeof(*made.pairs));
	made.order = pack(packing, snap->order, count, sizeof(*made.order));
	made.queue_nodes =
		pack(packing, snap->queue_nodes, made.queue_bound, sizeof(*made.queue_nodes));
	for (uint32_t n = 0; n < count; n++) {
		struct plm_cell *cells = pack(packing, snap->tree.nodes[n].cells,
					      plm_quotas_pair_count(snap, n), sizeof(*cells));

		pack_pairs(packing, made.pairs == NULL ? NULL : &made.pairs[n], &snap->pairs[n]);
		if (made.nodes != NULL) {
			made.nodes[n].cells = cells;
			made.nodes[n].lendable = NULL;
		}
	}
	if (top != NULL) {
		*top = made;
	}
}

void plm_skeleton_make(struct plm_state *st, struct plm_arena *scratch)
{
	size_t mark = plm_arena_mark(scratch);
	struct packing packing = {NULL, 0};
	struct plm_quotas snap;

	if (st->queues.block_made) {
		return;
	}
	plm_quotas_bare(&snap, st, scratch);
	pack_all(&packing, &snap);
	packing.base = plm_queue_index_block(st, packing.at);
	packing.at = 0;
	pack_all(&packing, &snap);
	st->queues.block_made = true;
	plm_arena_rewind(scratch, mark);
}

/* Kinds that come by the thousand and say nothing about quotas, flavors, checks or pools. */
static bool is_work(enum plm_kind kind)
{
	return kind == PLM_KIND_WORKLOAD || kind == PLM_KIND_JOB || kind == PLM_KIND_POD_SET ||
	       kind == PLM_KIND_POD || kind == PLM_KIND_NODE || kind == PLM_KIND_NODE_CLAIM;
}

void plm_skeleton_forget(struct plm_state *st, const struct plm_event *ev)
{
	bool keep = false;

	switch ((int)ev->type) {
	case PLM_EV_WORKLOAD:
	case PLM_EV_JOB:
	case PLM_EV_POD:
	case PLM_EV_NODE:
	case PLM_EV_NODE_CLAIM:
	case PLM_EV_INSTANCE:
		keep = true;
		break;
	case PLM_EV_GONE:
		keep = is_work((enum plm_kind)((const struct plm_w_gone *)ev->payload)->kind);
		break;
	default:
		keep = plm_event_info(ev->type)->class != PLM_CLASS_FACT &&
		       ev->type != PLM_EV_CONFIG;
		break;
	}
	st->queues.block_made = st->queues.block_made && keep;
}

/* ---- using ------------------------------------------------------------------------------------- */

bool plm_skeleton_active(const struct plm_state *st, plm_id queue)
{
	const struct skeleton *skeleton = skeleton_of(st);

	if (skeleton == NULL) {
		return plm_activity_of(st, queue).rule == PLM_RULE_NONE;
	}
	PLM_ASSERT(queue.n < skeleton->queue_bound);
	return skeleton->nodes[skeleton->queue_nodes[queue.n]].active;
}

/* What is held in a queue into its cells. False: a pair without quota. */
static bool add_held(const struct plm_quotas *snap, uint32_t n)
{
	const struct plm_quota_node *node = &snap->tree.nodes[n];
	const struct plm_helds *held = &plm_queue_index_cell(snap->st, node->slot)->held;

	for (uint32_t i = 0; i < held->count; i++) {
		uint32_t pair = PLM_NO_PAIR;

		if (held->list[i].sum == 0) {
			continue;
		}
		pair = plm_quotas_pair(snap, n, held->list[i].flavor, held->list[i].resource);
		if (pair == PLM_NO_PAIR) {
			return false;
		}
		node->cells[pair].usage = plm_held_amount(&held->list[i]);
	}
	return true;
}

/* Usage of the queues, and what of it their cohorts lend them. */
static bool fill(const struct plm_quotas *snap, const uint8_t *trees)
{
	const struct plm_quota_node *nodes = snap->tree.nodes;

	for (uint32_t i = 0; i < snap->tree.count; i++) {
		const struct plm_quota_node *node = &nodes[snap->order[i]];

		if (trees[node->tree] == 0) {
			continue;
		}
		if (node->queue && !add_held(snap, snap->order[i])) {
			return false;
		}
		if (node->parent != PLM_NO_NODE) {
			plm_quota_gather_usage(&nodes[node->parent], node,
					       plm_quotas_pair_count(snap, snap->order[i]));
		}
	}
	return true;
}

bool plm_skeleton_copy(struct plm_quotas *snap, const uint8_t *wanted)
{
	const struct skeleton *skeleton = skeleton_of(snap->st);
	struct plm_quota_node *nodes = NULL;
	uint8_t *trees = NULL;

	if (skeleton == NULL) {
		return false;
	}
	PLM_ASSERT(skeleton->queue_bound == plm_cluster_queue_bound(snap->st));
	nodes = PLM_NEW_ARRAY(snap->arena, skeleton->count, struct plm_quota_node);
	trees = PLM_NEW_ARRAY(snap->arena, skeleton->count, uint8_t);
	snap->pairs = PLM_NEW_ARRAY(snap->arena, skeleton->count + 1, struct plm_pairs);
	memcpy(nodes, skeleton->nodes, skeleton->count * sizeof(*nodes));
	memcpy(snap->pairs, skeleton->pairs, skeleton->count * sizeof(*snap->pairs));
	snap->tree = (struct plm_quota_tree){nodes, skeleton->count};
	snap->order = skeleton->order;
	snap->queue_nodes = skeleton->queue_nodes;
	for (uint32_t q = 1; q < skeleton->queue_bound; q++) {
		if (wanted[q] != 0) {
			trees[nodes[snap->queue_nodes[q]].tree] = 1;
		}
	}
	for (uint32_t i = 0; i < skeleton->count; i++) {
		uint32_t n = skeleton->order[i];
		uint32_t pairs = plm_quotas_pair_count(snap, n);

		nodes[n].cells = NULL;
		if (trees[nodes[n].tree] == 0) {
			continue;
		}
		nodes[n].cells = PLM_NEW_ARRAY(snap->arena, pairs, struct plm_cell);
		memcpy(nodes[n].cells, skeleton->nodes[n].cells, pairs * sizeof(struct plm_cell));
	}
	return fill(snap, trees);
}
