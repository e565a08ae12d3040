/* What an object remembers of the writes that were asked for, and of their answers. */
#include "core/limits.h"
#include "core/written.h"
#include "reducers/publish/publish.h"

bool plm_publish_is(int64_t call)
{
	return call == PLM_CALL_WORKLOAD_CREATE || call == PLM_CALL_WORKLOAD_STATUS ||
	       call == PLM_CALL_QUEUE_STATUS;
}

static void keep(struct plm_state *st, plm_id id)
{
	struct plm_written now = plm_written_of(st, id);
	struct plm_workload *workload = plm_workload_edit(st, id);

	workload->written_print = now.status;
	workload->said_print = now.waits;
}

/* One of the less urgent writes: the next has to wait. */
static void said(struct plm_state *st)
{
	struct plm_root *root = plm_root_change(st);
	int64_t from_ms =
		plm_max(root->say_at_ms, plm_sub_sat(root->now_ms, PLM_LIMIT_SAY_AFTER_MS));

	root->say_at_ms = plm_add_sat(from_ms, PLM_LIMIT_SAY_EVERY_MS);
}

void plm_publish_asked(struct plm_state *st, const struct plm_w_intent *intent, plm_id id)
{
	if (intent->call == PLM_CALL_WORKLOAD_CREATE) {
		plm_workload_edit(st, id)->making = PLM_MAKING_ASKED;
		return;
	}
	if (intent->call == PLM_CALL_QUEUE_STATUS) {
		said(st);
		plm_publish_queue_asked(st, (enum plm_kind)intent->kind, id,
					(uint64_t)intent->print);
		return;
	}
	PLM_ASSERT(plm_workload_at(st, id)->writing == 0);
	if (!plm_marks_has(st, id, PLM_MARK_UNWRITTEN)) {
		said(st);
	}
	keep(st, id);
	plm_workload_edit(st, id)->writing = 1;
	plm_workload_edit(st, id)->write_at_ms = PLM_UNSET;
}

static bool done(enum plm_result_class class)
{
	return class == PLM_RESULT_DONE || class == PLM_RESULT_ALREADY_DONE;
}

void plm_publish_answered(struct plm_state *st, const struct plm_intent *intent,
			  enum plm_result_class class, int64_t now_ms)
{
	plm_id id = plm_find(st, PLM_KIND_WORKLOAD, intent->ns, intent->name);
	struct plm_workload *workload = NULL;

	if (intent->call == PLM_CALL_QUEUE_STATUS) {
		plm_publish_queue_answered(st, intent, done(class));
		return;
	}
	if (id.n == 0) {
		return;
	}
	workload = plm_workload_edit(st, id);
	if (intent->call == PLM_CALL_WORKLOAD_CREATE) {
		/* A failure is not repeated: the same request would fail again. */
		workload->making = class == PLM_RESULT_CONFLICT ? PLM_MAKING_NOT : PLM_MADE;
		return;
	}
	workload->writing = 0;
	if (class == PLM_RESULT_CONFLICT) {
		workload->written_print = 0;
		workload->said_print = 0;
	}
	if (!done(class)) {
		workload->write_at_ms = plm_add_sat(now_ms, PLM_LIMIT_WRITE_AGAIN_MS);
	}
}

void plm_publish_adopt(struct plm_state *st, plm_id id, const struct plm_w_workload *w)
{
	if (w->reserved_ms != PLM_UNSET || w->evicted_ms != PLM_UNSET ||
	    w->finished_ms != PLM_UNSET || w->requeued != 0) {
		keep(st, id);
	}
}
