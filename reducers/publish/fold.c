/* What an object remembers of the writes that were asked for, and of their answers. */
#include "core/limits.h"
#include "core/timefmt.h"
#include "core/written.h"
#include "reducers/publish/publish.h"

bool plm_publish_is(int64_t call)
{
	return call == PLM_CALL_WORKLOAD_CREATE || call == PLM_CALL_WORKLOAD_STATUS ||
	       call == PLM_CALL_QUEUE_STATUS || plm_publish_is_of_nodes(call);
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

/* Nobody who is known here runs it, and nobody owns it: that it is evicted is all there is to say. */
static bool nobodys(const struct plm_workload *workload)
{
	return workload->job.n == 0 && workload->object.owner_uid.n == 0;
}

static void status_asked(struct plm_state *st, plm_id id)
{
	struct plm_workload *workload = plm_workload_edit(st, id);
	bool again = workload->theirs != PLM_THEIRS_NONE &&
		     workload->written_print == plm_written_of(st, id).status;

	PLM_ASSERT(workload->writing == 0);
	if (!plm_marks_has(st, id, PLM_MARK_UNWRITTEN)) {
		said(st);
	}
	keep(st, id);
	workload->writing = 1;
	workload->write_at_ms = PLM_UNSET;
	workload->theirs = again ? PLM_THEIRS_ANSWERED : PLM_THEIRS_NONE;
	if (workload->evicted_ms != PLM_UNSET && workload->reserved_in.n != 0 &&
	    workload->halt == PLM_HALT_NONE && nobodys(workload)) {
		workload->halt = PLM_HALT_ASKED;
	}
}

void plm_publish_asked(struct plm_state *st, const struct plm_w_intent *intent, plm_id id)
{
	if (plm_publish_is_of_nodes(intent->call)) {
		plm_publish_node_asked(st, intent, id);
	} else if (intent->call == PLM_CALL_WORKLOAD_CREATE) {
		plm_workload_edit(st, id)->making = PLM_MAKING_ASKED;
	} else if (intent->call == PLM_CALL_QUEUE_STATUS) {
		said(st);
		plm_publish_queue_asked(st, (enum plm_kind)intent->kind, id,
					(uint64_t)intent->print);
	} else {
		status_asked(st, id);
	}
}

static bool done(enum plm_result_class class)
{
	return class == PLM_RESULT_DONE || class == PLM_RESULT_ALREADY_DONE;
}

/* A refusal is tried again after a long while: what was wrong with it lies outside. */
static void made(struct plm_workload *workload, enum plm_result_class class, int64_t now_ms)
{
	workload->making = done(class) ? PLM_MADE : PLM_MAKING_NOT;
	if (!done(class)) {
		workload->write_at_ms =
			plm_add_sat(now_ms, class == PLM_RESULT_CONFLICT ? PLM_LIMIT_WRITE_AGAIN_MS
									 : PLM_LIMIT_MAKE_AGAIN_MS);
	}
}

static void written(struct plm_workload *workload, enum plm_result_class class, int64_t now_ms)
{
	workload->writing = 0;
	if (class == PLM_RESULT_CONFLICT) {
		workload->written_print = PLM_WRITTEN_WRONG;
		workload->said_print = 0;
	}
	if (!done(class)) {
		workload->write_at_ms = plm_add_sat(now_ms, PLM_LIMIT_WRITE_AGAIN_MS);
	}
	if (workload->halt == PLM_HALT_ASKED && nobodys(workload)) {
		workload->halt = done(class) ? PLM_HALT_DONE : PLM_HALT_NONE;
	}
}

void plm_publish_answered(struct plm_state *st, const struct plm_intent *intent,
			  enum plm_result_class class, int64_t now_ms)
{
	plm_id id = plm_find(st, PLM_KIND_WORKLOAD, intent->ns, intent->name);

	if (plm_publish_is_of_nodes(intent->call)) {
		plm_publish_node_answered(st, intent, class, now_ms);
		return;
	}
	if (intent->call == PLM_CALL_QUEUE_STATUS) {
		plm_publish_queue_answered(st, intent, done(class));
		return;
	}
	if (id.n == 0) {
		return; /* and another one under its name was never asked for */
	}
	if (intent->call == PLM_CALL_WORKLOAD_CREATE) {
		if (plm_workload_at(st, id)->making == PLM_MAKING_ASKED) {
			made(plm_workload_edit(st, id), class, now_ms);
		}
	} else if (plm_sym_equal(plm_workload_at(st, id)->object.uid, intent->uid)) {
		written(plm_workload_edit(st, id), class, now_ms);
	}
}

/* ---- facts --------------------------------------------------------------------------------------- */

static bool holds(const struct plm_workload *workload)
{
	return workload->reserved_ms != PLM_UNSET && workload->stage != PLM_STAGE_PENDING;
}

/* Does the object say what the state says, as far as a fact tells? */
static bool agrees(const struct plm_state *st, const struct plm_workload *workload,
		   const struct plm_w_workload *w)
{
	int64_t requeued = workload->requeued;
	bool ended = workload->stage == PLM_STAGE_FINISHED;

	if (ended || w->finished_ms != PLM_UNSET) {
		return ended && w->finished_ms != PLM_UNSET;
	}
	if (holds(workload) != (w->reserved_ms != PLM_UNSET) ||
	    (workload->evicted_ms != PLM_UNSET) != (w->evicted_ms != PLM_UNSET) ||
	    requeued != w->requeued) {
		return false;
	}
	return !holds(workload) ||
	       (plm_slice_equal(plm_str(st, workload->reserved_in), w->cluster_queue) &&
		(workload->stage == PLM_STAGE_ADMITTED) == (w->admitted_ms != PLM_UNSET));
}

struct plm_publish_seen plm_publish_before(const struct plm_state *st, plm_id id)
{
	const struct plm_workload *workload = id.n == 0 ? NULL : plm_workload_at(st, id);
	struct plm_written now = {0};

	if (workload == NULL || workload->object.seq == 0) {
		return (struct plm_publish_seen){.first = false};
	}
	now = plm_written_of(st, id);
	return (struct plm_publish_seen){
		.current = workload->writing == 0 && (workload->theirs == PLM_THEIRS_SEEN ||
						      !plm_written_owes(workload, now)),
		.print = now.status,
	};
}

void plm_publish_after(struct plm_state *st, plm_id id, const struct plm_w_workload *w,
		       const struct plm_publish_seen *seen)
{
	const struct plm_workload *workload = plm_workload_at(st, id);
	bool agreed = agrees(st, workload, w);

	if (seen->first && agreed &&
	    (w->reserved_ms != PLM_UNSET || w->evicted_ms != PLM_UNSET ||
	     w->finished_ms != PLM_UNSET || w->requeued != 0)) {
		keep(st, id);
		if (w->evicted_ms != PLM_UNSET && nobodys(workload) &&
		    (plm_root(st)->publish & PLM_PUBLISH_QUEUES) != 0) {
			plm_workload_edit(st, id)->halt = PLM_HALT_DONE; /* it has been said */
		}
	}
	if (seen->first || !seen->current) {
		return;
	}
	if (agreed && plm_written_of(st, id).status != seen->print) {
		plm_workload_edit(st, id)->written_print = plm_written_of(st, id).status;
	}
	if (agreed && workload->theirs == PLM_THEIRS_SEEN) {
		plm_workload_edit(st, id)->theirs = PLM_THEIRS_NONE;
		plm_workload_edit(st, id)->write_at_ms = PLM_UNSET;
	} else if (!agreed && workload->theirs == PLM_THEIRS_NONE) {
		plm_workload_edit(st, id)->theirs = PLM_THEIRS_SEEN;
		plm_workload_edit(st, id)->write_at_ms =
			plm_add_sat(plm_root(st)->now_ms, PLM_LIMIT_THEIRS_MS);
	}
}

bool plm_publish_answers(const struct plm_state *st, plm_id id, const struct plm_w_workload *w)
{
	const struct plm_workload *workload = plm_workload_at(st, id);

	if (workload->evicted_ms == PLM_UNSET || w->evicted_ms == PLM_UNSET ||
	    w->reserved_ms != PLM_UNSET) {
		return false;
	}
	return (plm_root(st)->publish & PLM_PUBLISH_QUEUES) == 0 ||
	       w->evicted_ms / PLM_MS_PER_SECOND == workload->evicted_ms / PLM_MS_PER_SECOND;
}
