#include "reducers/provision/orphan.h"

#include "core/limits.h"
#include "reducers/provision/claims.h"

/* ---- fold -------------------------------------------------------------------------------------- */

static plm_id row_of(const struct plm_state *st, plm_sym provider_id)
{
	return provider_id.n == 0 ? (plm_id){0}
				  : plm_index_find(st, PLM_KEY_INSTANCE, provider_id.n, 0);
}

static void drop(struct plm_state *st, plm_id id)
{
	plm_index_drop(st, PLM_KEY_INSTANCE, plm_instance_at(st, id)->provider_id.n, 0);
	plm_slot_free(st, PLM_TABLE_INSTANCE, id);
}

void plm_orphan_known(struct plm_state *st, plm_sym provider_id)
{
	plm_id id = row_of(st, provider_id);

	if (id.n != 0) {
		drop(st, id);
	}
}

/*
 * The claim that it was launched for and that does not have an instance yet. Where the answer to the launch
 * is still to come, that will tell.
 */
static plm_id claim_waiting(const struct plm_state *st, const struct plm_w_instance *w)
{
	plm_sym name = plm_sym_find(st, w->claim);
	plm_id id =
		name.n == 0 ? (plm_id){0} : plm_find(st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, name);
	const struct plm_node_claim *claim = plm_node_claim_at(st, id);

	return id.n != 0 && claim->provider_id.n == 0 && claim->phase == PLM_CLAIM_WANTED
		       ? id
		       : (plm_id){0};
}

static void remember(struct plm_state *st, const struct plm_fold *fold,
		     const struct plm_w_instance *w)
{
	plm_sym provider = plm_fold_text(fold, w->provider_id);
	plm_id id = row_of(st, provider);
	struct plm_instance *row = NULL;

	if (id.n == 0) {
		id = plm_slot_new(st, PLM_TABLE_INSTANCE);
		plm_index_put(st, PLM_KEY_INSTANCE, provider.n, 0, id);
	}
	row = plm_instance_edit(st, id);
	row->provider_id = provider;
	row->instance_type = plm_fold_text(fold, w->instance_type);
	row->zone = plm_fold_text(fold, w->zone);
	row->capacity_type = plm_fold_text(fold, w->capacity_type);
	row->claim = plm_fold_text(fold, w->claim);
	row->pool = plm_fold_text(fold, w->pool);
	row->launched_ms = w->launched_ms;
	plm_root_change(st)->nodes_dirty = 1;
}

static bool has_ended(const struct plm_w_instance *w)
{
	return plm_slice_is(w->state, "terminated") || plm_slice_is(w->state, "shutting-down");
}

/*
 * How long a launched instance takes to be listed: what is worse is believed at once, what is better bit by
 * bit. In the first round of an epoch nobody knows since when it could have been seen.
 */
static void note_lag(struct plm_state *st, plm_id id, const struct plm_w_instance *w,
		     int64_t now_ms)
{
	struct plm_root *root = plm_root_change(st);
	struct plm_node_claim *claim = plm_node_claim_edit(st, id);
	int64_t lag_ms =
		plm_min(plm_max(0, plm_sub_sat(now_ms, w->launched_ms)), PLM_LIMIT_LAUNCH_LAG_MS);

	if (claim->described != 0) {
		return;
	}
	claim->described = 1;
	if (claim->intent == 0 || w->launched_ms == PLM_UNSET || root->instances_listed == 0) {
		return;
	}
	root->launch_lag_ms = lag_ms >= root->launch_lag_ms
				      ? lag_ms
				      : root->launch_lag_ms - (root->launch_lag_ms - lag_ms) / 8;
}

void plm_orphan_fold_instance(struct plm_state *st, const struct plm_fold *fold,
			      const struct plm_w_instance *w, int64_t now_ms)
{
	plm_sym provider = plm_sym_find(st, w->provider_id);
	plm_id known = provider.n == 0 ? (plm_id){0}
				       : plm_index_find(st, PLM_KEY_CLAIM_PROVIDER, provider.n, 0);
	plm_id waiting = {0};

	if (known.n != 0) {
		if (plm_slice_is(w->state, "terminated")) {
			plm_claim_instance_gone(st, known);
		} else {
			note_lag(st, known, w, now_ms);
		}
		return;
	}
	if (has_ended(w)) {
		plm_orphan_known(st, provider);
		return;
	}
	waiting = claim_waiting(st, w);
	if (waiting.n == 0) {
		if (w->ours == 1) {
			remember(st, fold, w);
		}
	} else if (plm_node_claim_at(st, waiting)->intent == 0) {
		plm_claim_found(st, fold, waiting, w, now_ms);
	}
}

void plm_orphan_fold(struct plm_state *st, const struct plm_w_orphan *w)
{
	plm_id id = row_of(st, plm_sym_find(st, w->provider_id));

	if (id.n != 0) {
		plm_instance_edit(st, id)->told = 1;
	}
}

bool plm_orphan_unknown(const struct plm_w_result *w)
{
	return w->class == PLM_RESULT_FAILED && plm_slice_is(w->code, "InvalidInstanceID.NotFound");
}

void plm_orphan_fold_result(struct plm_state *st, plm_sym provider_id, const struct plm_w_result *w)
{
	plm_id id = row_of(st, provider_id);

	if (id.n == 0) {
		return;
	}
	if (w->class == PLM_RESULT_DONE || w->class == PLM_RESULT_ALREADY_DONE ||
	    plm_orphan_unknown(w)) {
		drop(st, id);
	} else {
		plm_instance_edit(st, id)->told = 0;
	}
}

/* ---- cycle ------------------------------------------------------------------------------------- */

/* May anything be said of what no claim knows? */
static bool all_is_seen(const struct plm_root *root)
{
	return root->claims_listed.n != 0 && root->kube_away_ms == PLM_UNSET &&
	       root->cloud_away_ms == PLM_UNSET && root->observe_only == 0;
}

/* When it is old enough. */
static int64_t due_ms(const struct plm_root *root, const struct plm_instance *row)
{
	return plm_add_sat(row->launched_ms == PLM_UNSET ? 0 : row->launched_ms,
			   plm_max(PLM_LIMIT_ORPHAN_AGE_MS, 2 * root->launch_lag_ms));
}

static void terminate(const struct plm_life *life, const struct plm_instance *row)
{
	struct plm_arena *arena = life->sched.arena;
	struct plm_w_orphan *w = PLM_NEW(arena, struct plm_w_orphan);
	struct plm_w_intent *intent = PLM_NEW(arena, struct plm_w_intent);
	struct plm_w_req_terminate *request = PLM_NEW(arena, struct plm_w_req_terminate);
	uint32_t cause = 0;

	PLM_ASSERT(row->told == 0);
	w->provider_id = plm_sched_text(&life->sched, row->provider_id);
	w->why = (struct plm_w_explain){.rule = PLM_RULE_ORPHAN,
					.reason = PLM_REASON_ORPHAN,
					.object = plm_sched_text(&life->sched, row->claim),
					.need = PLM_UNSET,
					.have = PLM_UNSET,
					.limit = PLM_UNSET,
					.detail = w->provider_id};
	cause = plm_out_add(life->out, PLM_EV_ORPHAN, w, PLM_CAUSE_CYCLE);
	*intent = (struct plm_w_intent){.call = PLM_CALL_TERMINATE,
					.name = w->provider_id,
					.encoder = PLM_ENCODER_VERSION,
					.deadline_ms = PLM_UNSET};
	request->claim = w->why.object;
	request->provider_id = w->provider_id;
	(void)plm_out_intent(life->out, intent, request, cause);
}

void plm_orphan_step(const struct plm_life *life)
{
	const struct plm_root *root = plm_root(life->st);

	if (plm_instance_live(life->st) == 0 || !all_is_seen(root)) {
		return;
	}
	PLM_EACH(life->st, instance, id)
	{
		const struct plm_instance *row = plm_instance_at(life->st, id);

		if (row->told == 0 && due_ms(root, row) <= life->now_ms) {
			terminate(life, row);
		}
	}
}

int64_t plm_orphan_due(const struct plm_state *st)
{
	const struct plm_root *root = plm_root(st);
	int64_t due = PLM_UNSET;

	if (!all_is_seen(root)) {
		return PLM_UNSET;
	}
	PLM_EACH(st, instance, id)
	{
		const struct plm_instance *row = plm_instance_at(st, id);

		if (row->told == 0 && (due == PLM_UNSET || due_ms(root, row) < due)) {
			due = due_ms(root, row);
		}
	}
	return due;
}
