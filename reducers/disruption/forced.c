#include "reducers/disruption/forced.h"

#include "reducers/provision/claims.h"
#include "reducers/provision/pass.h"
#include "reducers/provision/stock.h"

/* Why a claim ends, and what becomes of its pods until then. */
struct end {
	enum plm_reason reason; /* NONE: it does not end now */
	enum plm_rule rule;
	bool forced;
	int64_t hold_until_ms; /* 0 = its pods go at once */
	bool hold_whole;
	int64_t limit;
	struct plm_slice detail;
};

static bool is_strict(const struct plm_state *st)
{
	return plm_root(st)->compat == PLM_COMPAT_STRICT;
}

/* ---- age --------------------------------------------------------------------------------------- */

/* When it has lived long enough; PLM_UNSET = never. */
static int64_t expires_ms(const struct plm_node_claim *claim)
{
	if (claim->expire_ms == PLM_UNSET || claim->expire_ms <= 0 ||
	    claim->object.created_ms == PLM_UNSET) {
		return PLM_UNSET;
	}
	return plm_add_sat(claim->object.created_ms, claim->expire_ms);
}

/* From when on the node of an expiring claim is replaced; it goes at its end all the same. */
static int64_t replace_ms(const struct plm_state *st, const struct plm_node_claim *claim)
{
	int64_t lead_ms = plm_min(PLM_EXPIRE_LEAD_MS, claim->expire_ms / 10);
	int64_t end_ms = expires_ms(claim);

	if (end_ms == PLM_UNSET || is_strict(st) || claim->phase != PLM_CLAIM_READY) {
		return end_ms;
	}
	return plm_sub_sat(end_ms, lead_ms);
}

static struct end end_of_life(const struct plm_state *st, const struct plm_node_claim *claim,
			      int64_t now_ms)
{
	int64_t end_ms = expires_ms(claim);
	int64_t from_ms = replace_ms(st, claim);
	struct end end = {0};

	if (from_ms == PLM_UNSET || now_ms < from_ms) {
		return end;
	}
	end.reason = PLM_REASON_EXPIRED;
	end.rule = PLM_RULE_EXPIRED;
	end.limit = claim->expire_ms;
	if (now_ms < end_ms) {
		end.hold_until_ms = end_ms;
		end.hold_whole = true;
	}
	return end;
}

/* ---- the cloud --------------------------------------------------------------------------------- */

static enum plm_reason reason_of(enum plm_interrupt kind)
{
	switch (kind) {
	case PLM_INTERRUPT_SPOT:
		return PLM_REASON_INTERRUPTED;
	case PLM_INTERRUPT_REBALANCE:
		return PLM_REASON_REBALANCE;
	case PLM_INTERRUPT_STATE:
		return PLM_REASON_INSTANCE_STOPPING;
	case PLM_INTERRUPT_SCHEDULED:
		return PLM_REASON_SCHEDULED_CHANGE;
	case PLM_INTERRUPT_RESERVATION:
		return PLM_REASON_RESERVATION_INTERRUPTED;
	case PLM_INTERRUPT_IMPAIRED:
		return PLM_REASON_UNHEALTHY;
	case PLM_INTERRUPT_BLOCK:
		return PLM_REASON_CAPACITY_BLOCK_ENDING;
	}
	PLM_UNREACHABLE();
}

static struct end by_cloud(enum plm_interrupt kind)
{
	return (struct end){.reason = reason_of(kind),
			    .rule = PLM_RULE_INTERRUPTED,
			    .limit = PLM_UNSET,
			    .detail = plm_slice_str(plm_names_text(&plm_names_interrupt, kind))};
}

/* How long pods wait for their new places once the cloud has said 'kind'. */
static int64_t hold_of(const struct plm_node_claim *claim, enum plm_interrupt kind, int64_t now_ms)
{
	int64_t most_ms = plm_add_sat(now_ms, PLM_HOLD_MOST_MS);
	int64_t taken_ms =
		kind == PLM_INTERRUPT_SCHEDULED ? claim->change_ms : claim->interrupted_ms;

	if (kind == PLM_INTERRUPT_STATE || kind == PLM_INTERRUPT_IMPAIRED) {
		return 0; /* nothing runs there any more that would be worth it */
	}
	if (taken_ms != PLM_UNSET && taken_ms > 0) {
		most_ms = plm_min(most_ms, plm_sub_sat(taken_ms, PLM_HOLD_BEFORE_END_MS));
	}
	return most_ms > now_ms ? most_ms : 0;
}

static struct end said_by_cloud(const struct plm_state *st, const struct plm_node_claim *claim,
				int64_t now_ms)
{
	struct end end = {0};

	if (claim->interruption != 0) {
		enum plm_interrupt kind = (enum plm_interrupt)(claim->interruption - 1);

		end = by_cloud(kind);
		end.hold_until_ms = hold_of(claim, kind, now_ms);
		if (kind == PLM_INTERRUPT_STATE) {
			end.detail = plm_str(st, claim->cloud_state);
		}
	} else if (claim->impaired_ms != 0 &&
		   plm_add_sat(claim->impaired_ms, PLM_IMPAIRED_MS) <= now_ms) {
		end = by_cloud(PLM_INTERRUPT_IMPAIRED);
		end.forced = true;
	} else if (claim->block_end_ms != 0 &&
		   plm_sub_sat(claim->block_end_ms, PLM_BLOCK_LEAD_MS) <= now_ms) {
		end = by_cloud(PLM_INTERRUPT_BLOCK);
		end.hold_until_ms = plm_min(
			plm_add_sat(now_ms, PLM_BLOCK_HOLD_MS),
			plm_sub_sat(claim->block_end_ms, PLM_BLOCK_LEAD_MS - PLM_BLOCK_HOLD_MS));
	}
	if (is_strict(st)) {
		end.hold_until_ms = 0;
	}
	return end;
}

/* ---- all claims -------------------------------------------------------------------------------- */

/*
 * The pool of a claim of ours is gone, and with it the claim's owner: what garbage collection does for
 * claims that are objects, which are then deleted and said to be so.
 */
static bool lost_pool(const struct plm_state *st, const struct plm_node_claim *claim)
{
	return claim->object.seq == 0 && claim->pool.n != 0 &&
	       plm_find(st, PLM_KIND_NODE_POOL, (plm_sym){0}, claim->pool).n == 0;
}

static struct end end_of(const struct plm_state *st, const struct plm_node_claim *claim,
			 int64_t now_ms)
{
	struct end end = said_by_cloud(st, claim, now_ms);

	if (end.reason == PLM_REASON_NONE && lost_pool(st, claim)) {
		end = (struct end){.reason = PLM_REASON_POOL_DELETED,
				   .rule = PLM_RULE_POOL_MISSING,
				   .limit = PLM_UNSET};
	}
	if (end.reason == PLM_REASON_NONE) {
		end = end_of_life(st, claim, now_ms);
	}
	return end;
}

bool plm_claim_decided(const struct plm_out *out, uint32_t count, struct plm_slice name)
{
	PLM_ASSERT(count <= out->count);
	for (uint32_t handle = 1; handle <= count; handle++) {
		const struct plm_out_item *item = plm_out_item(out, handle);
		const struct plm_w_claim_end *end = item->payload;
		const struct plm_w_intent *intent = item->payload;

		if ((item->type == PLM_EV_CLAIM_END && plm_slice_equal(end->name, name)) ||
		    (item->type == PLM_EV_INTENT && intent->call == PLM_CALL_LAUNCH &&
		     plm_slice_equal(intent->name, name))) {
			return true;
		}
	}
	return false;
}

static void end_claim(const struct plm_sched *sched, struct plm_out *out,
		      const struct plm_node_claim *claim, const struct end *end)
{
	struct plm_w_claim_end *w = PLM_NEW(sched->arena, struct plm_w_claim_end);

	PLM_ASSERT(claim->phase != PLM_CLAIM_ENDING && end->reason != PLM_REASON_NONE);
	PLM_ASSERT(!end->forced || end->hold_until_ms == 0);
	*w = (struct plm_w_claim_end){.name = plm_sched_text(sched, claim->object.name),
				      .reason = end->reason,
				      .forced = end->forced ? 1 : 0,
				      .hold_until_ms = end->hold_until_ms,
				      .hold_whole = end->hold_whole ? 1 : 0};
	w->why = (struct plm_w_explain){.kind = PLM_KIND_NODE_CLAIM,
					.name = w->name,
					.rule = end->rule,
					.reason = end->reason,
					.object = plm_sched_text(sched, claim->node),
					.need = PLM_UNSET,
					.have = PLM_UNSET,
					.limit = end->limit,
					.detail = end->detail};
	if (end->rule == PLM_RULE_POOL_MISSING) {
		w->why.detail = w->why.object;
		w->why.object = plm_sched_text(sched, claim->pool);
	}
	(void)plm_out_add(out, PLM_EV_CLAIM_END, w, PLM_CAUSE_CYCLE);
}

void plm_forced_all(const struct plm_sched *sched, struct plm_out *out, int64_t now_ms)
{
	uint32_t before = out->count;

	PLM_EACH(sched->st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(sched->st, id);
		struct end end = {0};

		if (claim->phase == PLM_CLAIM_ENDING || claim->ended_by_cloud != 0) {
			continue;
		}
		end = end_of(sched->st, claim, now_ms);
		if (end.reason != PLM_REASON_NONE &&
		    !plm_claim_decided(out, before, plm_sched_text(sched, claim->object.name))) {
			end_claim(sched, out, claim, &end);
		}
	}
}

static void sooner(int64_t *due, int64_t ms)
{
	if (ms != PLM_UNSET && (*due == PLM_UNSET || ms < *due)) {
		*due = ms;
	}
}

int64_t plm_forced_next_due(const struct plm_state *st)
{
	int64_t due = PLM_UNSET;

	PLM_EACH(st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(st, id);

		if (claim->phase == PLM_CLAIM_ENDING || claim->ended_by_cloud != 0) {
			continue;
		}
		sooner(&due, replace_ms(st, claim));
		if (claim->impaired_ms != 0) {
			sooner(&due, plm_add_sat(claim->impaired_ms, PLM_IMPAIRED_MS));
		}
		if (claim->block_end_ms != 0) {
			sooner(&due, plm_sub_sat(claim->block_end_ms, PLM_BLOCK_LEAD_MS));
		}
	}
	return due;
}

/* ---- fold -------------------------------------------------------------------------------------- */

/* What was taken back is not to be had for a while: the cloud said so first. */
static void out_of_stock(struct plm_state *st, const struct plm_node_claim *claim,
			 plm_sym capacity_type, int64_t now_ms)
{
	struct plm_w_refusal offer = {.instance_type = plm_str(st, claim->instance_type),
				      .zone = plm_str(st, claim->zone),
				      .capacity_type = plm_str(st, capacity_type),
				      .reservation = plm_str(st, claim->reservation)};

	if (claim->instance_type.n != 0 && claim->zone.n != 0 && capacity_type.n != 0) {
		plm_stock_note(st, &offer, plm_slice_str("InsufficientInstanceCapacity"), now_ms);
	}
}

/* The instance is taken at 'at_ms'; of several warnings the earliest counts. */
static void taken_at(struct plm_node_claim *claim, int64_t at_ms)
{
	if (at_ms > 0 && (claim->interrupted_ms == 0 || at_ms < claim->interrupted_ms)) {
		claim->interrupted_ms = at_ms;
	}
}

/* A hold that was begun for something else ends no later than it would for 'kind'; 0 would be "none". */
static void shorten_hold(struct plm_node_claim *claim, enum plm_interrupt kind, int64_t now_ms)
{
	if (claim->hold_until_ms != 0) {
		int64_t until_ms = plm_max(1, hold_of(claim, kind, now_ms));

		claim->hold_until_ms = plm_min(claim->hold_until_ms, until_ms);
		claim->hold_whole = 0;
	}
}

void plm_forced_fold(struct plm_state *st, const struct plm_w_interruption *w, int64_t now_ms)
{
	plm_sym provider = plm_sym_find(st, w->provider_id);
	plm_id id = provider.n == 0 ? (plm_id){0}
				    : plm_index_find(st, PLM_KEY_CLAIM_PROVIDER, provider.n, 0);
	struct plm_node_claim *claim = NULL;
	bool first = false;

	if (id.n == 0) {
		return; /* not ours, or gone already */
	}
	claim = plm_node_claim_edit(st, id);
	first = claim->interruption == 0;
	plm_root_change(st)->nodes_dirty = 1;
	switch ((enum plm_interrupt)w->kind) {
	case PLM_INTERRUPT_REBALANCE:
		claim->rebalance_ms = claim->rebalance_ms == 0 ? now_ms : claim->rebalance_ms;
		return;
	case PLM_INTERRUPT_IMPAIRED:
		claim->impaired_ms = w->at_ms == PLM_UNSET ? now_ms : plm_max(0, w->at_ms);
		return;
	case PLM_INTERRUPT_BLOCK:
		claim->block_end_ms = w->at_ms == PLM_UNSET ? 0 : plm_max(0, w->at_ms);
		return;
	case PLM_INTERRUPT_STATE:
		claim->cloud_state = plm_intern(st, w->state);
		break;
	case PLM_INTERRUPT_SCHEDULED:
		claim->change_ms = w->at_ms;
		break;
	case PLM_INTERRUPT_SPOT:
	case PLM_INTERRUPT_RESERVATION:
		taken_at(claim, w->at_ms);
		if (first) {
			out_of_stock(st, claim, claim->capacity_type, now_ms);
		}
		break;
	}
	claim = plm_node_claim_edit(st, id);
	shorten_hold(claim, (enum plm_interrupt)w->kind, now_ms);
	if (first) {
		claim->interruption = 1 + (uint32_t)w->kind;
	}
}

void plm_forced_fold_epoch(struct plm_state *st)
{
	PLM_EACH(st, node_claim, id)
	{
		if (plm_node_claim_at(st, id)->impaired_ms != 0) {
			plm_node_claim_edit(st, id)->impaired_ms = 0;
		}
	}
}
