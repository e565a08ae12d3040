/* Open intents: the outbox is state (eventsourcing.md D14). */
#include "core/limits.h"
#include "reducers/admission/queue.h"
#include "reducers/cluster/fold.h"
#include "reducers/disruption/drain.h"
#include "reducers/publish/publish.h"

/* The index at the end of a pod's name, "<podset>-<index>". */
static uint32_t index_of(struct plm_slice name)
{
	uint64_t index = 0;
	uint64_t digit = 1;

	for (size_t i = name.size; i > 0 && name.ptr[i - 1] >= '0' && name.ptr[i - 1] <= '9'; i--) {
		index += (uint64_t)(name.ptr[i - 1] - '0') * digit;
		digit *= 10;
		if (digit > PLM_LIMIT_POD_SET_PODS) {
			break;
		}
	}
	return (uint32_t)index;
}

/* A pod of a PodSet was asked for: it is not asked for again unless it has to be remade. */
static void made_pod(struct plm_state *st, plm_id id, uint32_t index)
{
	struct plm_job *set = plm_job_edit(st, id);
	uint32_t count = 0;
	uint32_t kept = 0;
	const uint32_t *old = PLM_SPAN(st, set->remake, uint32_t, &count);
	uint32_t span[PLM_LIMIT_REMAKE];

	set->started = PLM_TOLD_TO_RUN;
	if (index >= set->next_index) {
		set->next_index = index + 1;
		return;
	}
	PLM_ASSERT(count <= PLM_LIMIT_REMAKE);
	for (uint32_t i = 0; i < count; i++) {
		if (old[i] != index) {
			span[kept++] = old[i];
		}
	}
	set->remake = plm_intern_span(st, span, kept, sizeof(*span));
}

/* The deletion of a Workload or job, or the end of its activity, is on its way ('on' 1) or was not to be. */
static void told_work(struct plm_state *st, enum plm_call call, plm_id id, uint32_t on)
{
	if (call == PLM_CALL_JOB_DELETE) {
		id = plm_job_at(st, id)->workload_id;
	}
	if (id.n != 0 && call == PLM_CALL_WORKLOAD_DEACTIVATE) {
		plm_workload_edit(st, id)->deactivating = on;
	} else if (id.n != 0 && (call == PLM_CALL_WORKLOAD_DELETE || call == PLM_CALL_JOB_DELETE)) {
		plm_workload_edit(st, id)->retired = on;
		plm_queue_timer(st, id);
	}
}

/* What the target remembers of an intent, so that it is not asked for twice. */
static void told(struct plm_state *st, const struct plm_w_intent *w)
{
	plm_id id = plm_find(st, (enum plm_kind)w->kind, plm_sym_find(st, w->ns),
			     plm_sym_find(st, w->name));
	plm_id set = plm_fold_job_of(st, plm_sym_find(st, w->uid));

	if (w->call == PLM_CALL_POD_CREATE && set.n != 0) {
		made_pod(st, set, index_of(w->name));
	}
	if (id.n == 0) {
		return;
	}
	if (w->call == PLM_CALL_JOB_START) {
		plm_job_edit(st, id)->started = PLM_TOLD_TO_RUN;
	} else if (w->call == PLM_CALL_JOB_STOP && w->kind == PLM_KIND_WORKLOAD) {
		plm_workload_edit(st, id)->halt = PLM_HALT_ASKED;
	} else if (w->call == PLM_CALL_JOB_STOP) {
		plm_job_edit(st, id)->started = PLM_TOLD_TO_STOP;
	} else if (w->call == PLM_CALL_POD_EVICT || w->call == PLM_CALL_POD_DELETE) {
		plm_pod_edit(st, id)->ending = 1;
		plm_pod_edit(st, id)->forced |= w->call == PLM_CALL_POD_DELETE;
	} else if (w->call == PLM_CALL_POD_UNGATE) {
		plm_pod_edit(st, id)->ungating = 1;
		plm_pod_edit(st, id)->told = 1;
	} else if (w->call == PLM_CALL_POD_FINALIZE) {
		plm_pod_edit(st, id)->finalizing = PLM_FINALIZING_ASKED;
	} else if (plm_publish_is(w->call)) {
		plm_publish_asked(st, w, id);
	} else {
		told_work(st, (enum plm_call)w->call, id, 1);
	}
}

void plm_fold_intent(const struct plm_folding *in, const struct plm_w_intent *w)
{
	struct plm_state *st = in->f.st;
	plm_id id = plm_slot_new(st, PLM_TABLE_INTENT);
	struct plm_intent *intent = plm_intent_edit(st, id);

	intent->call = (uint32_t)w->call;
	intent->kind = (uint32_t)w->kind;
	intent->ns = plm_fold_text(&in->f, w->ns);
	intent->name = plm_fold_text(&in->f, w->name);
	intent->uid = plm_fold_text(&in->f, w->uid);
	intent->seq = in->ev->seq;
	intent->deadline_ms = w->deadline_ms;
	plm_index_put(st, PLM_KEY_INTENT, (uint32_t)in->ev->seq, (uint32_t)(in->ev->seq >> 32), id);
	told(st, w);
}

/* The effect did not come about: what was told is taken back, the next cycle decides anew. */
static void untold(struct plm_state *st, const struct plm_intent *intent, int64_t now_ms)
{
	plm_id id = plm_find(st, (enum plm_kind)intent->kind, intent->ns, intent->name);
	plm_id set = plm_fold_job_of(st, intent->uid);

	if (id.n == 0) {
		/* A pod of that name that is still there is made again when it goes. */
		if (intent->call == PLM_CALL_POD_CREATE && set.n != 0 &&
		    plm_job_at(st, set)->started == PLM_TOLD_TO_RUN) {
			plm_fold_remake(st, set, index_of(plm_str(st, intent->name)));
		}
		return;
	}
	if (intent->call == PLM_CALL_JOB_START) {
		plm_job_edit(st, id)->started = PLM_TOLD_NOTHING;
	} else if (intent->call == PLM_CALL_JOB_STOP && intent->kind == PLM_KIND_WORKLOAD) {
		plm_workload_edit(st, id)->halt = PLM_HALT_NONE;
	} else if (intent->call == PLM_CALL_JOB_STOP) {
		/* Unless it is seen stopped by now: an answer may be lost, and the next one a refusal. */
		if (plm_job_at(st, id)->started == PLM_TOLD_TO_STOP) {
			plm_job_edit(st, id)->started = PLM_TOLD_TO_RUN;
		}
	} else if (intent->call == PLM_CALL_POD_EVICT || intent->call == PLM_CALL_POD_DELETE) {
		plm_pod_edit(st, id)->ending = 0;
		plm_pod_edit(st, id)->forced = 0;
		plm_drain_refused(st, id, now_ms);
	} else if (intent->call == PLM_CALL_POD_UNGATE) {
		plm_pod_edit(st, id)->ungating = 0;
		plm_pod_edit(st, id)->told = plm_pod_at(st, id)->admission_gated == 0;
	} else if (intent->call == PLM_CALL_POD_FINALIZE) {
		plm_pod_edit(st, id)->finalizing = PLM_FINALIZING_FAILED;
	} else {
		told_work(st, (enum plm_call)intent->call, id, 0);
	}
}

/* A Workload without an object of its own is deleted by being forgotten, and at rest when that is said. */
static void carried_out(struct plm_state *st, const struct plm_intent *intent)
{
	plm_id id = intent->kind == PLM_KIND_WORKLOAD
			    ? plm_find(st, PLM_KIND_WORKLOAD, intent->ns, intent->name)
			    : (plm_id){0};

	if (id.n != 0 && intent->call == PLM_CALL_JOB_STOP &&
	    plm_workload_at(st, id)->halt == PLM_HALT_ASKED) {
		plm_workload_edit(st, id)->halt = PLM_HALT_DONE;
	}
	if (intent->call != PLM_CALL_WORKLOAD_DELETE) {
		return;
	}
	if (id.n != 0 && plm_workload_at(st, id)->object.seq == 0 &&
	    plm_workload_at(st, id)->stage == PLM_STAGE_FINISHED) {
		plm_fold_gone(st, PLM_KIND_WORKLOAD, id);
	}
}

static bool final(int64_t class)
{
	return class != PLM_RESULT_RETRYABLE && class != PLM_RESULT_UNKNOWN;
}

void plm_fold_result(const struct plm_folding *in, const struct plm_w_result *w)
{
	struct plm_state *st = in->f.st;
	uint64_t seq = (uint64_t)w->intent;
	plm_id id = plm_index_find(st, PLM_KEY_INTENT, (uint32_t)seq, (uint32_t)(seq >> 32));

	if (id.n == 0 || !final(w->class)) {
		return;
	}
	if (plm_publish_is(plm_intent_at(st, id)->call)) {
		plm_publish_answered(st, plm_intent_at(st, id), (enum plm_result_class)w->class,
				     (int64_t)in->ev->tick_ms);
	} else if (w->class == PLM_RESULT_FAILED || w->class == PLM_RESULT_CONFLICT) {
		untold(st, plm_intent_at(st, id), (int64_t)in->ev->tick_ms);
	} else {
		carried_out(st, plm_intent_at(st, id));
	}
	plm_index_drop(st, PLM_KEY_INTENT, (uint32_t)seq, (uint32_t)(seq >> 32));
	plm_slot_free(st, PLM_TABLE_INTENT, id);
}

/* ---- decisions, as far as jobs are concerned --------------------------------------------------- */

static plm_id job_of_workload(const struct plm_state *st, struct plm_slice ns,
			      struct plm_slice name)
{
	plm_id id = plm_find(st, PLM_KIND_WORKLOAD, plm_sym_find(st, ns), plm_sym_find(st, name));

	return id.n == 0 ? id : plm_workload_at(st, id)->job;
}

/* From here on the pods of a PodSet are not made again. */
void plm_fold_evicted(const struct plm_folding *in, const struct plm_w_evict *w)
{
	struct plm_state *st = in->f.st;
	plm_id id = job_of_workload(st, w->ns, w->name);

	if (id.n != 0 && plm_job_at(st, id)->object.kind == PLM_KIND_POD_SET &&
	    plm_job_at(st, id)->started == PLM_TOLD_TO_RUN) {
		plm_job_edit(st, id)->started = PLM_TOLD_TO_STOP;
	}
}

/* It may begin anew. */
void plm_fold_released(const struct plm_folding *in, const struct plm_w_release *w)
{
	plm_id id = job_of_workload(in->f.st, w->ns, w->name);
	plm_id workload = plm_find(in->f.st, PLM_KIND_WORKLOAD, plm_sym_find(in->f.st, w->ns),
				   plm_sym_find(in->f.st, w->name));
	struct plm_job *job = NULL;

	if (workload.n != 0) {
		plm_fold_pod_limits_anew(&in->f, workload);
	}
	if (id.n == 0) {
		return;
	}
	job = plm_job_edit(in->f.st, id);
	job->started = PLM_TOLD_NOTHING;
	job->next_index = 0;
	job->remake = (plm_sym){0};
}
