/*
 * Emptiness: nodes that nobody would miss go: karpenter.md 3.5; the dialect: 10 minutes, above minSize.
 */
#include "core/sort.h"
#include "reducers/disruption/method.h"
#include "reducers/provision/pass.h"

#define REASON "Empty"

bool plm_may_be_empty(const struct plm_state *st, plm_id id, int64_t now_ms)
{
	const struct plm_node *node = plm_node_at(st, id);
	int64_t due = PLM_UNSET;

	if (node->claim.n == 0 || node->keepers > 0) {
		return false;
	}
	due = plm_consolidatable_ms(st, id);
	return due != PLM_UNSET && due <= now_ms &&
	       !plm_claim_leaves(plm_node_claim_at(st, node->claim));
}

/* ---- words ------------------------------------------------------------------------------------- */

static struct plm_w_explain about(const struct plm_disruption *d, const struct plm_candidate *c,
				  enum plm_rule rule)
{
	const struct plm_node_claim *claim = plm_node_claim_at(d->st, c->claim);

	return (struct plm_w_explain){
		.kind = PLM_KIND_NODE_CLAIM,
		.name = plm_sched_text(&d->book.sched, claim->object.name),
		.rule = rule,
		.reason = PLM_REASON_EMPTY,
		.object = plm_sched_text(&d->book.sched, plm_node_at(d->st, c->node)->object.name),
		.need = PLM_UNSET,
		.have = PLM_UNSET,
		.limit = PLM_UNSET,
		.detail = plm_sched_text(&d->book.sched, claim->pool)};
}

static struct plm_w_explain why_empty(const struct plm_disruption *d, const struct plm_candidate *c)
{
	struct plm_w_explain why = about(d, c, PLM_RULE_EMPTY_NODE);
	int64_t patience = plm_node_pool_at(d->st, c->pool)->consolidate_after_ms;
	int64_t since = plm_sub_sat(plm_consolidatable_ms(d->st, c->node), patience);

	why.resource = plm_slice_str("emptyMs");
	why.need = patience;
	why.have = plm_sub_sat(d->now_ms, since);
	return why;
}

static struct plm_w_explain why_kept(const struct plm_disruption *d, const struct plm_candidate *c,
				     enum plm_rule rule, int64_t have, int64_t limit)
{
	struct plm_w_explain why = about(d, c, rule);

	why.reason = PLM_REASON_DISRUPTION_BLOCKED;
	why.detail = why.object;
	why.object = plm_sched_text(&d->book.sched, plm_node_pool_at(d->st, c->pool)->object.name);
	why.have = have;
	why.limit = limit;
	return why;
}

/* ---- candidates, dearest first ----------------------------------------------------------------- */

struct list {
	const struct plm_state *st;
	struct plm_candidate *at;
	uint32_t *order;
	uint32_t count;
};

/* The most saved per unit of disruption first; then by name. */
static int savings_first(const void *context, uint32_t a, uint32_t b)
{
	const struct list *list = context;
	const struct plm_candidate *x = &list->at[a];
	const struct plm_candidate *y = &list->at[b];
	int order = plm_ratio_compare(plm_cost_savings(y->price_micro, &y->cost),
				      plm_cost_savings(x->price_micro, &x->cost));

	return order != 0 ? order
			  : plm_sym_compare(list->st, plm_node_at(list->st, x->node)->object.name,
					    plm_node_at(list->st, y->node)->object.name);
}

/* What passes by itself is no reason to speak of. */
static bool lasts(enum plm_rule rule)
{
	return rule == PLM_RULE_NODE_PROTECTED || rule == PLM_RULE_LABEL_MISSING ||
	       rule == PLM_RULE_POOL_MISSING || rule == PLM_RULE_DO_NOT_DISRUPT ||
	       rule == PLM_RULE_PDB || rule == PLM_RULE_PDBS;
}

static void gather(const struct plm_disruption *d, struct list *list)
{
	uint32_t room = plm_node_live(d->st);

	*list = (struct list){.st = d->st,
			      .at = PLM_NEW_ARRAY(d->arena, room, struct plm_candidate),
			      .order = PLM_NEW_ARRAY(d->arena, room, uint32_t)};
	PLM_EACH(d->st, node, id)
	{
		struct plm_candidate c;

		if (!plm_may_be_empty(d->st, id, d->now_ms)) {
			continue;
		}
		c = plm_candidate_look(&d->book, id);
		if (c.blocker.rule == PLM_RULE_NONE && plm_cost_is_empty(&c.cost)) {
			list->order[list->count] = list->count;
			list->at[list->count++] = c;
		} else if (lasts(c.blocker.rule)) {
			struct plm_w_explain why = plm_blocker_explain(&d->book, &c);

			plm_disrupt_blocked(d, &c, &why, c.blocker.until_ms);
		}
	}
	plm_sort(list->order, list->count, savings_first, list, d->arena);
}

/* ---- budgets and sizes ------------------------------------------------------------------------- */

/* What a pool lets go in this command; looked up when its first node is. */
struct room {
	bool known;
	struct plm_allowance budget;
	int64_t above; /* minSize */
};

int64_t plm_pool_size(const struct plm_state *st, plm_sym pool)
{
	int64_t size = 0;

	PLM_EACH(st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(st, id);

		size += plm_sym_equal(claim->pool, pool) && !plm_claim_leaves(claim) ? 1 : 0;
	}
	return size;
}

static struct room *room_of(const struct plm_disruption *d, struct room *rooms, plm_id pool_id)
{
	const struct plm_node_pool *pool = plm_node_pool_at(d->st, pool_id);
	struct room *room = &rooms[pool_id.n];

	if (!room->known) {
		room->known = true;
		room->budget = plm_budget_allowance(&d->book.sched, pool_id, REASON, d->now_ms);
		room->above = INT64_MAX;
		if (pool->min_size != PLM_UNSET && pool->min_size > 0) {
			room->above = plm_pool_size(d->st, pool->object.name) - pool->min_size;
		}
	}
	return room;
}

/* 'out_why' is why the candidate goes, or why it stays. */
static bool takes(const struct plm_disruption *d, struct room *room, const struct plm_candidate *c,
		  struct plm_w_explain *out_why)
{
	if (room->above <= 0) {
		*out_why = why_kept(d, c, PLM_RULE_KEPT, PLM_UNSET,
				    plm_node_pool_at(d->st, c->pool)->min_size);
		plm_disrupt_blocked(d, c, out_why, PLM_UNSET);
		return false;
	}
	if (room->budget.left <= 0) {
		*out_why =
			why_kept(d, c, PLM_RULE_BUDGET, room->budget.going, room->budget.allowed);
		plm_disrupt_blocked(d, c, out_why, room->budget.change_ms);
		return false;
	}
	*out_why = why_empty(d, c);
	room->above -= room->above == INT64_MAX ? 0 : 1;
	room->budget.left -= room->budget.left == INT64_MAX ? 0 : 1;
	room->budget.going++;
	return true;
}

bool plm_disrupt_empty(const struct plm_disruption *d)
{
	struct room *rooms = PLM_NEW_ARRAY(d->arena, plm_node_pool_bound(d->st), struct room);
	struct list list;
	bool started = false;

	gather(d, &list);
	for (uint32_t i = 0; i < list.count; i++) {
		const struct plm_candidate *c = &list.at[list.order[i]];
		struct plm_w_explain why;

		if (takes(d, room_of(d, rooms, c->pool), c, &why)) {
			plm_disrupt_node(d, c, &why);
			started = true;
		}
	}
	return started;
}

/* ---- looked at again --------------------------------------------------------------------------- */

static bool waits(const struct plm_disruption *d, plm_id node)
{
	plm_id id = plm_node_at(d->st, node)->claim;
	const struct plm_node_claim *claim = plm_node_claim_at(d->st, id);

	return id.n != 0 && claim->validate_ms != 0 && claim->validate_ms <= d->now_ms &&
	       !plm_claim_leaves(claim);
}

void plm_validate_empty(const struct plm_disruption *d)
{
	struct room *rooms = PLM_NEW_ARRAY(d->arena, plm_node_pool_bound(d->st), struct room);

	PLM_ASSERT(d->wait_ms == 0 && d->book.fresh);
	PLM_EACH(d->st, node, id)
	{
		struct plm_candidate c;
		struct plm_w_explain why;
		bool holds = false;

		if (!waits(d, id)) {
			continue;
		}
		c = plm_candidate_look(&d->book, id);
		holds = c.blocker.rule == PLM_RULE_NONE && plm_may_be_empty(d->st, id, d->now_ms) &&
			plm_cost_is_empty(&c.cost);
		if (holds && takes(d, room_of(d, rooms, c.pool), &c, &why)) {
			plm_disrupt_node(d, &c, &why);
			continue;
		}
		if (!holds) {
			why = c.blocker.rule != PLM_RULE_NONE ? plm_blocker_explain(&d->book, &c)
							      : about(d, &c, PLM_RULE_NOT_EMPTY);
		}
		plm_disrupt_drop(d, &c, &why);
	}
}
