/* Workloads: objects for jobs that have none, and their status. */
#include "core/integration.h"
#include "core/limits.h"
#include "core/written.h"
#include "reducers/admission/explain.h"
#include "reducers/publish/publish.h"
#include "reducers/status/condition.h"

static struct plm_slice text(const struct plm_publish_pass *p, plm_sym sym)
{
	return plm_str(p->st, sym);
}

static void ask(const struct plm_publish_pass *p, enum plm_call call,
		const struct plm_object *object, const void *request)
{
	struct plm_w_intent intent = {
		.call = call,
		.kind = object->kind,
		.ns = text(p, object->ns),
		.name = text(p, object->name),
		.uid = text(p, object->uid),
		.encoder = PLM_ENCODER_VERSION,
		.deadline_ms = PLM_UNSET,
	};
	struct plm_w_intent *kept = PLM_NEW(p->arena, struct plm_w_intent);

	*kept = intent;
	(void)plm_out_intent(p->out, kept, request, PLM_CAUSE_CYCLE);
}

/* ---- objects for jobs ---------------------------------------------------------------------------- */

static struct plm_vec counts_of(const struct plm_publish_pass *p, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_pod_set *sets = PLM_SPAN(p->st, span, struct plm_pod_set, &count);
	struct plm_w_pod_count *out = PLM_NEW_ARRAY(p->arena, count, struct plm_w_pod_count);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_pod_count){text(p, sets[i].name), sets[i].count};
	}
	return (struct plm_vec){out, count};
}

static void make(const struct plm_publish_pass *p, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(p->st, id);
	const struct plm_job *job = plm_job_at(p->st, workload->job);
	struct plm_w_req_workload_create *request =
		PLM_NEW(p->arena, struct plm_w_req_workload_create);

	request->ns = text(p, workload->object.ns);
	request->name = text(p, workload->object.name);
	request->owner_kind = job->object.kind;
	request->owner = text(p, job->object.name);
	request->owner_uid = text(p, job->object.uid);
	request->queue = text(p, workload->queue);
	request->priority = workload->priority;
	request->priority_class = text(p, workload->priority_class);
	request->active = workload->active;
	request->pod_sets = counts_of(p, workload->pod_sets);
	request->max_execution_s = workload->max_execution_s;
	ask(p, PLM_CALL_WORKLOAD_CREATE, &workload->object, request);
}

/* ---- status -------------------------------------------------------------------------------------- */

static struct plm_vec conditions_of(const struct plm_publish_pass *p, plm_id id)
{
	struct plm_w_explain *why = PLM_NEW(p->arena, struct plm_w_explain);
	struct plm_conditions *found = PLM_NEW(p->arena, struct plm_conditions);
	bool waits = plm_workload_at(p->st, id)->stage == PLM_STAGE_PENDING &&
		     plm_admission_explain(p->st, id, p->arena, why, NULL);
	struct plm_w_condition *out = NULL;

	plm_status_conditions(p->st, id, waits ? why : NULL, p->arena, found);
	out = PLM_NEW_ARRAY(p->arena, found->count, struct plm_w_condition);
	for (uint32_t i = 0; i < found->count; i++) {
		const struct plm_condition *from = &found->list[i];

		out[i] = (struct plm_w_condition){
			.type = plm_slice_str(from->type),
			.status = plm_slice_str(from->is_true ? "True" : "False"),
			.reason = from->reason,
			.message = from->message,
			.since_ms = from->since_ms == PLM_UNSET ? p->now_ms : from->since_ms,
		};
	}
	return (struct plm_vec){out, found->count};
}

static struct plm_vec amounts_of(const struct plm_publish_pass *p, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_amount *from = PLM_SPAN(p->st, span, struct plm_amount, &count);
	struct plm_w_amount *out = PLM_NEW_ARRAY(p->arena, count, struct plm_w_amount);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_amount){text(p, from[i].resource), from[i].amount};
	}
	return (struct plm_vec){out, count};
}

static struct plm_vec flavors_of(const struct plm_publish_pass *p, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_kv *from = PLM_SPAN(p->st, span, struct plm_kv, &count);
	struct plm_w_kv *out = PLM_NEW_ARRAY(p->arena, count, struct plm_w_kv);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_kv){text(p, from[i].key), text(p, from[i].value)};
	}
	return (struct plm_vec){out, count};
}

static struct plm_vec texts_of(const struct plm_publish_pass *p, plm_sym span)
{
	uint32_t count = 0;
	const plm_sym *from = PLM_SPAN(p->st, span, plm_sym, &count);
	struct plm_slice *out = PLM_NEW_ARRAY(p->arena, count, struct plm_slice);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = text(p, from[i]);
	}
	return (struct plm_vec){out, count};
}

static struct plm_vec domains_of(const struct plm_publish_pass *p, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_topology_domain *from =
		PLM_SPAN(p->st, span, struct plm_topology_domain, &count);
	struct plm_w_topology_domain *out =
		PLM_NEW_ARRAY(p->arena, count, struct plm_w_topology_domain);

	for (uint32_t i = 0; i < count; i++) {
		out[i].values = texts_of(p, from[i].values);
		out[i].count = from[i].count;
	}
	return (struct plm_vec){out, count};
}

static struct plm_vec assignments_of(const struct plm_publish_pass *p, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_assignment *from = PLM_SPAN(p->st, span, struct plm_assignment, &count);
	struct plm_w_assignment *out = PLM_NEW_ARRAY(p->arena, count, struct plm_w_assignment);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_assignment){
			.name = text(p, from[i].name),
			.count = from[i].count,
			.flavors = flavors_of(p, from[i].flavors),
			.usage = amounts_of(p, from[i].usage),
			.levels = texts_of(p, from[i].levels),
			.domains = domains_of(p, from[i].domains),
			.delayed = from[i].delayed,
		};
	}
	return (struct plm_vec){out, count};
}

static struct plm_vec given_back_of(const struct plm_publish_pass *p, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_pod_count *from = PLM_SPAN(p->st, span, struct plm_pod_count, &count);
	struct plm_w_pod_count *out = PLM_NEW_ARRAY(p->arena, count, struct plm_w_pod_count);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = (struct plm_w_pod_count){text(p, from[i].name), from[i].count};
	}
	return (struct plm_vec){out, count};
}

static struct plm_vec evictions_of(const struct plm_publish_pass *p, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_eviction_count *from =
		PLM_SPAN(p->st, span, struct plm_eviction_count, &count);
	struct plm_w_evicted_count *out =
		PLM_NEW_ARRAY(p->arena, count, struct plm_w_evicted_count);

	for (uint32_t i = 0; i < count; i++) {
		out[i].reason = plm_slice_str(plm_names_text(&plm_names_reason, from[i].reason));
		out[i].cause = plm_slice_str(plm_names_text(&plm_names_reason, from[i].cause));
		out[i].count = from[i].count;
	}
	return (struct plm_vec){out, count};
}

static void write_status(const struct plm_publish_pass *p, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(p->st, id);
	struct plm_w_req_workload_status *request =
		PLM_NEW(p->arena, struct plm_w_req_workload_status);

	request->ns = text(p, workload->object.ns);
	request->name = text(p, workload->object.name);
	request->uid = text(p, workload->object.uid);
	request->cluster_queue = text(p, workload->reserved_in);
	request->assignments = assignments_of(p, workload->assignments);
	request->conditions = conditions_of(p, id);
	request->checks = plm_publish_checks(p, id);
	request->requeue_count =
		workload->requeue_count == 0 && workload->requeue_at_ms == PLM_UNSET
			? PLM_UNSET
			: (int64_t)workload->requeue_count;
	request->requeue_at_ms = workload->requeue_at_ms;
	request->past_execution_s = workload->past_execution_s;
	request->evictions = evictions_of(p, workload->evictions);
	request->unhealthy = texts_of(p, workload->unhealthy);
	request->reclaimable = given_back_of(p, workload->reclaimable);
	ask(p, PLM_CALL_WORKLOAD_STATUS, &workload->object, request);
}

/* ---- when ---------------------------------------------------------------------------------------- */

static bool rests(const struct plm_publish_pass *p, plm_id id)
{
	int64_t at_ms = plm_workload_at(p->st, id)->write_at_ms;

	return at_ms != PLM_UNSET && at_ms > p->now_ms;
}

static int64_t say_from_ms(const struct plm_state *st, plm_id id)
{
	return plm_add_sat(plm_workload_at(st, id)->object.created_ms, PLM_LIMIT_SAY_AFTER_MS);
}

void plm_publish_waiting(const struct plm_publish_pass *p, uint32_t *room)
{
	if (plm_root(p->st)->workloads_listed != PLM_LISTED_NOW) {
		return;
	}
	PLM_EACH_MARKED(p->st, PLM_MARKED(PLM_MARK_UNSAID), id)
	{
		if (*room == 0) {
			break;
		}
		if (plm_marks_has(p->st, id, PLM_MARK_UNWRITTEN) || rests(p, id) ||
		    say_from_ms(p->st, id) > p->now_ms) {
			continue;
		}
		write_status(p, id);
		*room -= 1;
	}
}

void plm_publish_workloads(const struct plm_publish_pass *p)
{
	if (plm_root(p->st)->workloads_listed != PLM_LISTED_NOW) {
		return;
	}
	PLM_EACH_MARKED(p->st, PLM_MARKED(PLM_MARK_UNMADE), id)
	{
		if (!rests(p, id)) {
			make(p, id);
		}
	}
	PLM_EACH_MARKED(p->st, PLM_MARKED(PLM_MARK_UNWRITTEN), id)
	{
		if (!rests(p, id)) {
			write_status(p, id);
		}
	}
}

static int64_t sooner(int64_t a_ms, int64_t b_ms)
{
	return a_ms == PLM_UNSET ? b_ms : plm_min(a_ms, b_ms);
}

/* Those of 'mark' by the time that they are to rest. */
static int64_t due_of(const struct plm_state *st, enum plm_mark mark)
{
	int64_t due_ms = PLM_UNSET;

	PLM_EACH_MARKED(st, PLM_MARKED(mark), id)
	{
		int64_t at_ms = plm_workload_at(st, id)->write_at_ms;

		due_ms = sooner(due_ms, at_ms == PLM_UNSET ? 0 : at_ms);
		if (due_ms == 0) {
			break;
		}
	}
	return due_ms;
}

/* When say() has something to say. One that is found due then is due there as well. */
static int64_t say_due(const struct plm_state *st)
{
	const struct plm_root *root = plm_root(st);
	int64_t due_ms = PLM_UNSET;
	int looks = 0;

	PLM_EACH_MARKED(st, PLM_MARKED(PLM_MARK_UNSAID), id)
	{
		int64_t rest_ms = plm_workload_at(st, id)->write_at_ms;

		if (plm_marks_has(st, id, PLM_MARK_UNWRITTEN)) {
			continue;
		}
		due_ms = sooner(due_ms, plm_max(say_from_ms(st, id), rest_ms));
		if (due_ms <= root->say_at_ms || ++looks == PLM_LIMIT_SAY_LOOK) {
			break;
		}
	}
	return due_ms == PLM_UNSET ? due_ms : plm_max(due_ms, root->say_at_ms);
}

int64_t plm_publish_workloads_due(const struct plm_state *st)
{
	int64_t due_ms = PLM_UNSET;
	int64_t say_ms = PLM_UNSET;

	if (plm_root(st)->workloads_listed != PLM_LISTED_NOW) {
		return PLM_UNSET;
	}
	due_ms = due_of(st, PLM_MARK_UNMADE);
	say_ms = say_due(st);
	due_ms = say_ms == PLM_UNSET ? due_ms : sooner(due_ms, say_ms);
	say_ms = due_of(st, PLM_MARK_UNWRITTEN);
	return say_ms == PLM_UNSET ? due_ms : sooner(due_ms, say_ms);
}
