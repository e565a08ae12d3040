/*
 * The provisioning phase of a cycle: gangs one by one, then all pending pods in one pass.
 *
 * Each call does one thing and lets the next call see it in state: a gang's plan, gang pods to their
 * places, at last the pass over plain pods with minSize, which ends the phase.
 */
#include "reducers/area.h"
#include "reducers/provision/claims.h"
#include "reducers/provision/emit.h"
#include "reducers/provision/explain.h"
#include "reducers/provision/gang.h"
#include "reducers/provision/retry.h"
#include "reducers/provision/stock.h"

/* ---- plain pods -------------------------------------------------------------------------------- */

static struct plm_vec pods_of(const struct plm_pass *pass, uint32_t first, uint32_t count)
{
	struct plm_slice *rows = PLM_NEW_ARRAY(pass->arena, count, struct plm_slice);
	uint32_t at = count;

	/* Linked last to first. */
	for (uint32_t want = first; want != 0; want = pass->wants[want - 1].next) {
		PLM_ASSERT(at > 0);
		rows[--at] = plm_emit_key(&pass->sched,
					  &plm_pod_at(pass->st, pass->wants[want - 1].pod)->object);
	}
	PLM_ASSERT(at == 0);
	return (struct plm_vec){rows, count};
}

static void nominate(const struct plm_pass *pass, struct plm_slice target, bool is_claim,
		     struct plm_vec pods, struct plm_out *out)
{
	struct plm_w_nominate *w = PLM_NEW(pass->arena, struct plm_w_nominate);

	w->target = target;
	w->claim = is_claim ? 1 : 0;
	w->pods = pods;
	(void)plm_out_add(out, PLM_EV_NOMINATE, w, PLM_CAUSE_CYCLE);
}

static void emit_seats(struct plm_pass *pass, struct plm_out *out)
{
	for (uint32_t i = 0; i < pass->seat_count; i++) {
		const struct plm_seat *seat = &pass->seats[i];

		if (seat->pods > 0) {
			nominate(pass, plm_sched_text(&pass->sched, seat->name), seat->node.n == 0,
				 pods_of(pass, seat->first, seat->pods), out);
		}
	}
}

static void explain_pod(struct plm_pass *pass, plm_id id, const struct plm_w_explain *why,
			struct plm_out *out)
{
	const struct plm_pod *pod = plm_pod_at(pass->st, id);
	struct plm_w_explained *w = NULL;

	if (plm_why_said(pass->st, &pod->why, why)) {
		return;
	}
	w = PLM_NEW(pass->arena, struct plm_w_explained);
	w->why = *why;
	w->why.kind = PLM_KIND_POD;
	w->why.ns = plm_sched_text(&pass->sched, pod->object.ns);
	w->why.name = plm_sched_text(&pass->sched, pod->object.name);
	(void)plm_out_add(out, PLM_EV_EXPLAINED, w, PLM_CAUSE_CYCLE);
}

/* Nothing is to be had for the pods of a claim. */
static void explain_unbought(struct plm_pass *pass, const struct plm_open *claim,
			     struct plm_out *out)
{
	struct plm_w_explain why = {0};

	plm_explain_unbought(pass, claim, &why);
	for (uint32_t want = claim->first; want != 0; want = pass->wants[want - 1].next) {
		explain_pod(pass, pass->wants[want - 1].pod, &why, out);
	}
}

static void emit_claims(struct plm_pass *pass, struct plm_out *out)
{
	struct plm_open **claims = pass->claims;
	uint32_t made = 0;

	for (uint32_t i = 0; i < pass->claim_count; i++) {
		struct plm_purpose purpose = {
			.reason =
				claims[i]->pods > 0 ? PLM_REASON_PROVISIONED : PLM_REASON_MIN_SIZE,
			.rule = claims[i]->pods > 0 ? PLM_RULE_CHEAPEST : PLM_RULE_MIN_SIZE,
		};

		if (!plm_emit_choose(pass, claims[i])) {
			explain_unbought(pass, claims[i], out);
			continue;
		}
		(void)plm_emit_claim(pass, claims[i], made++, &purpose, out);
		if (claims[i]->pods > 0) {
			nominate(pass, claims[i]->name_text, true,
				 pods_of(pass, claims[i]->first, claims[i]->pods), out);
		}
	}
}

/* One explanation per shape, said of each of its pods. */
static void explain_open(struct plm_pass *pass, struct plm_out *out)
{
	struct plm_w_explain **said =
		PLM_NEW_ARRAY(pass->arena, pass->shape_count, struct plm_w_explain *);

	for (uint32_t i = 0; i < pass->want_count; i++) {
		const struct plm_want *want = &pass->wants[i];
		struct plm_w_explain why = {0};

		if (want->place != PLM_WANT_OPEN) {
			continue;
		}
		if (said[want->shape] == NULL) {
			said[want->shape] = PLM_NEW(pass->arena, struct plm_w_explain);
			plm_explain_shape(pass, want->shape, said[want->shape], NULL);
		}
		why = *said[want->shape];
		plm_explain_volumes(pass, i, &why);
		explain_pod(pass, want->pod, &why, out);
	}
}

static void explain_refused(struct plm_pass *pass, struct plm_out *out)
{
	PLM_EACH_WAITING(pass->st, id)
	{
		const struct plm_pod *pod = plm_pod_at(pass->st, id);
		plm_sym key = {0};

		if (plm_pod_pending(&pass->sched, pod) &&
		    plm_pod_refused(&pass->sched, pod, &key) != PLM_RULE_NONE) {
			struct plm_w_explain why = {0};

			plm_explain_refused(pass, id, &why);
			explain_pod(pass, id, &why, out);
		}
	}
}

/* ---- minSize ----------------------------------------------------------------------------------- */

/* How many nodes the pool lacks. */
static int64_t lacks(const struct plm_pass *pass, uint32_t index)
{
	const struct plm_pool *pool = &pass->pools[index];
	int64_t nodes = pool->nodes;

	for (uint32_t i = 0; i < pass->claim_count; i++) {
		nodes += pass->claims[i]->pool == index ? 1 : 0;
	}
	return pool->use == PLM_POOL_USED && pool->slot->min_size != PLM_UNSET
		       ? pool->slot->min_size - nodes
		       : 0;
}

/* Nodes that a pool keeps without anyone asking: dialect.md Nodes. */
static void fill_min_sizes(struct plm_pass *pass)
{
	for (uint32_t p = 0; p < pass->pool_count; p++) {
		for (int64_t n = lacks(pass, p); n > 0 && plm_open_empty(pass, p); n--) {
		}
	}
}

static bool any_min_size(const struct plm_state *st)
{
	PLM_EACH(st, node_pool, id)
	{
		const struct plm_node_pool *pool = plm_node_pool_at(st, id);

		if (pool->min_size != PLM_UNSET && pool->min_size > 0) {
			return true;
		}
	}
	return false;
}

/* ---- the phase --------------------------------------------------------------------------------- */

/* Is a pod still pending although the node that it is expected on is up? Somebody may have its place. */
static bool should_be_bound(const struct plm_state *st, const struct plm_sched *sched,
			    const struct plm_pod *pod)
{
	plm_id id = {0};

	if (!plm_pod_pending(sched, pod)) {
		return false;
	}
	id = plm_find(st, pod->target_claim != 0 ? PLM_KIND_NODE_CLAIM : PLM_KIND_NODE,
		      (plm_sym){0}, pod->target);
	return pod->target_claim == 0 || plm_node_claim_at(st, id)->phase == PLM_CLAIM_READY;
}

static bool waits(const struct plm_state *st, const struct plm_sched *sched, plm_id id)
{
	const struct plm_pod *pod = plm_pod_at(st, id);

	if (plm_target_stands(st, pod->target, pod->target_claim != 0) &&
	    !should_be_bound(st, sched, pod)) {
		return false;
	}
	return plm_pod_pending(sched, pod) || (pod->node.n != 0 && !plm_pod_terminal(pod) &&
					       !plm_target_stands(st, pod->node, false));
}

/* A pod whose node is not there, or goes away. */
static bool anyone_moves(const struct plm_state *st, const struct plm_sched *sched)
{
	const struct plm_pod_index *index = &st->pods;

	for (uint32_t c = 1; c < index->cell_count; c++) {
		if (index->cells[c].running == 0 || plm_cell_stands(st, &index->cells[c])) {
			continue;
		}
		for (plm_id pod = plm_pod_index_next(st, c, PLM_SIDE_BOUND, (plm_id){0});
		     pod.n != 0; pod = plm_pod_index_next(st, c, PLM_SIDE_BOUND, pod)) {
			if (waits(st, sched, pod)) {
				return true;
			}
		}
	}
	return false;
}

/* Is there anything that a pass would look at? */
static bool anyone_waits(const struct plm_state *st, struct plm_arena *arena)
{
	struct plm_sched *sched = PLM_NEW(arena, struct plm_sched);

	plm_sched_init(sched, st, arena);
	PLM_EACH_WAITING(st, id)
	{
		if (waits(st, sched, id)) {
			return true;
		}
	}
	return anyone_moves(st, sched) || any_min_size(st);
}

static void plan_pods(const struct plm_state *st, struct plm_cycle_run *run,
		      struct plm_arena *arena, struct plm_out *out)
{
	struct plm_demand demand = {.pods = true};
	struct plm_pass *pass = plm_pass_plan(st, arena, &demand);

	/* As it was before anything was placed, or the crowd would be of our own making. */
	demand.crowded = plm_pass_crowded(pass, &demand.crowded_count);
	if (demand.crowded_count > 0) {
		pass = plm_pass_plan(st, arena, &demand);
	}
	fill_min_sizes(pass);
	emit_seats(pass, out);
	emit_claims(pass, out);
	explain_open(pass, out);
	explain_refused(pass, out);
	run->spent += pass->spent;
}

bool plm_provision_step(const struct plm_state *st, struct plm_cycle_run *run,
			struct plm_arena *scratch, struct plm_out *out)
{
	if (plm_gangs_step(st, scratch, run->cycle.now_ms, out) ||
	    plm_gangs_nominate(st, scratch, out)) {
		return false;
	}
	if (plm_root(st)->batch_opened_ms == PLM_UNSET && anyone_waits(st, scratch)) {
		plan_pods(st, run, scratch, out);
	}
	return true;
}

static int64_t earlier(int64_t a, int64_t b)
{
	if (a == PLM_UNSET || b == PLM_UNSET) {
		return a == PLM_UNSET ? b : a;
	}
	return plm_min(a, b);
}

int64_t plm_provision_next_due(const struct plm_state *st)
{
	/* What was out of stock may be there again: who waits for it tries anew. */
	int64_t due = earlier(plm_stock_next_due(st), plm_retry_next_due(st));

	return earlier(earlier(plm_batch_due(st), plm_gangs_due(st)), due);
}
