#include "reducers/provision/retry.h"

#include "core/limits.h"
#include "reducers/disruption/drain.h"
#include "reducers/provision/adopt.h"
#include "reducers/provision/claims.h"
#include "reducers/provision/orphan.h"

/* An effect by what it is and on what. */
struct effect {
	enum plm_call call;
	enum plm_kind kind;
	plm_sym name;
};

static bool is_kept(const struct effect *effect)
{
	switch ((uint32_t)effect->call) {
	case PLM_CALL_NODE_TAINT:
	case PLM_CALL_NODE_DELETE:
	case PLM_CALL_NODE_FINALIZE:
	case PLM_CALL_NODE_SYNC:
	case PLM_CALL_ANNOTATE:
	case PLM_CALL_CLAIM_DELETE:
	case PLM_CALL_CLAIM_FINALIZE:
	case PLM_CALL_INSTANCE_TAG:
		return true;
	case PLM_CALL_TERMINATE:
		return effect->kind == PLM_KIND_NONE; /* of an instance that no claim knows */
	default:
		return false;
	}
}

static plm_id row_of(const struct plm_state *st, const struct effect *effect)
{
	PLM_EACH(st, retry, id)
	{
		const struct plm_retry *row = plm_retry_at(st, id);

		if (row->call == (uint32_t)effect->call && row->kind == (uint32_t)effect->kind &&
		    plm_sym_equal(row->name, effect->name)) {
			return id;
		}
	}
	return (plm_id){0};
}

static int64_t wait_of(uint32_t tries, bool conflict)
{
	int64_t wait_ms = conflict ? PLM_RETRY_CONFLICT_MS : PLM_LIMIT_RETRY_FIRST_MS;

	PLM_ASSERT(tries > 0);
	for (uint32_t i = 1; i < tries && wait_ms < PLM_LIMIT_RETRY_MS; i++) {
		wait_ms *= 2;
	}
	return plm_min(wait_ms, PLM_LIMIT_RETRY_MS);
}

static void hold(struct plm_state *st, const struct effect *effect, bool conflict, int64_t now_ms)
{
	plm_id id = row_of(st, effect);
	struct plm_retry *row = NULL;

	if (id.n == 0) {
		id = plm_slot_new(st, PLM_TABLE_RETRY);
	}
	row = plm_retry_edit(st, id);
	row->call = (uint32_t)effect->call;
	row->kind = (uint32_t)effect->kind;
	row->name = effect->name;
	row->tries++;
	row->held = 1;
	row->due_ms = plm_add_sat(now_ms, wait_of(row->tries, conflict));
}

static bool has_failed(const struct plm_w_result *w)
{
	return (w->class == PLM_RESULT_FAILED || w->class == PLM_RESULT_CONFLICT) &&
	       !plm_orphan_unknown(w);
}

bool plm_retry_holds(struct plm_state *st, const struct plm_w_result *w, int64_t now_ms)
{
	uint64_t seq = (uint64_t)w->intent;
	plm_id open = plm_index_find(st, PLM_KEY_INTENT, (uint32_t)seq, (uint32_t)(seq >> 32));
	const struct plm_intent *intent = plm_intent_at(st, open);
	struct effect effect = {(enum plm_call)intent->call, (enum plm_kind)intent->kind,
				intent->name};
	plm_id id = {0};

	if (open.n == 0 || !is_kept(&effect) || w->class == PLM_RESULT_RETRYABLE ||
	    w->class == PLM_RESULT_UNKNOWN) {
		return false;
	}
	if (has_failed(w)) {
		hold(st, &effect, w->class == PLM_RESULT_CONFLICT, now_ms);
		return true;
	}
	/* While it is held another one has failed, and only the end of its wait takes back what was told. */
	id = row_of(st, &effect);
	if (id.n != 0 && plm_retry_at(st, id)->held == 0) {
		plm_slot_free(st, PLM_TABLE_RETRY, id);
	}
	return false;
}

void plm_retry_asked(struct plm_state *st, const struct plm_w_intent *w)
{
	struct effect effect = {(enum plm_call)w->call, (enum plm_kind)w->kind,
				plm_sym_find(st, w->name)};
	plm_id id = is_kept(&effect) ? row_of(st, &effect) : (plm_id){0};

	if (id.n != 0) {
		plm_retry_edit(st, id)->held = 0;
	}
}

/* What was told is taken back. */
static void let_go(struct plm_state *st, plm_id id, int64_t now_ms)
{
	const struct plm_retry *row = plm_retry_edit(st, id);
	struct plm_intent intent = {.call = row->call, .kind = row->kind, .name = row->name};
	struct plm_w_result failed = {.class = PLM_RESULT_FAILED};

	plm_retry_edit(st, id)->held = 0;
	if (intent.call == PLM_CALL_TERMINATE) {
		plm_orphan_fold_result(st, intent.name, &failed);
		return;
	}
	if (intent.call == PLM_CALL_NODE_TAINT) {
		plm_claim_cordon(st, intent.name, false);
	}
	plm_adopt_undone(st, &intent);
	plm_drain_told(st,
		       &(struct plm_drain_asked){(enum plm_call)intent.call,
						 (enum plm_kind)intent.kind, intent.name},
		       false, now_ms);
}

void plm_retry_expire(struct plm_state *st, int64_t now_ms)
{
	plm_id id = plm_retry_next(st, (plm_id){0});

	while (id.n != 0) {
		const struct plm_retry *row = plm_retry_at(st, id);
		plm_id next = plm_retry_next(st, id);

		if (row->held != 0 && row->due_ms <= now_ms) {
			let_go(st, id, now_ms);
		} else if (row->held == 0 &&
			   plm_add_sat(row->due_ms, PLM_LIMIT_RETRY_FORGET_MS) <= now_ms) {
			plm_slot_free(st, PLM_TABLE_RETRY, id);
		}
		id = next;
	}
}

int64_t plm_retry_next_due(const struct plm_state *st)
{
	int64_t due = PLM_UNSET;

	PLM_EACH(st, retry, id)
	{
		const struct plm_retry *row = plm_retry_at(st, id);

		if (row->held != 0 && (due == PLM_UNSET || row->due_ms < due)) {
			due = row->due_ms;
		}
	}
	return due;
}
