/* The fold of facts and the lifecycle of work, on states of a few objects. */
#include "core/out.h"
#include "plm_test.h"
#include "reducers/area.h"

struct world {
	struct plm_state st;
	struct plm_arena scratch, step;
	struct plm_out out;
	uint64_t seq;
};

static int setup(void **state)
{
	struct world *w = test_calloc(1, sizeof(*w));
	struct plm_error err;

	plm_assert_ok(plm_state_init(&w->st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_arena_init(&w->scratch, 1U << 28, &err), &err);
	plm_assert_ok(plm_arena_init(&w->step, 1U << 28, &err), &err);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	plm_state_check(&w->st);
	plm_state_fini(&w->st);
	plm_arena_fini(&w->scratch);
	plm_arena_fini(&w->step);
	test_free(w);
	return 0;
}

static void fold(struct world *w, enum plm_event_type type, const void *payload)
{
	struct plm_event event = {
		.seq = ++w->seq,
		.wall_ns = 1000000000ULL * w->seq,
		.type = (uint16_t)type,
		.payload = payload,
	};

	plm_cluster_apply(&w->st, &event, &w->scratch);
	w->st.seq = w->seq;
}

/* Run the lifecycle and fold the intents it puts out, as the engine would. */
static void lifecycle(struct world *w)
{
	struct plm_cycle_run run = {.phase = PLM_CYCLE_LIFECYCLE};

	plm_marks_settle(&w->st);
	plm_arena_reset(&w->step);
	plm_out_init(&w->out, &w->step);
	assert_true(plm_lifecycle_step(&w->st, &run, &w->step, &w->out));
	for (uint32_t handle = 1; handle <= w->out.count; handle++) {
		fold(w, plm_out_item(&w->out, handle)->type,
		     plm_out_item(&w->out, handle)->payload);
	}
}

static const struct plm_out_item *item(const struct world *w, uint32_t handle)
{
	assert_true(handle <= w->out.count);
	return plm_out_item(&w->out, handle);
}

static struct plm_w_meta meta(const char *ns, const char *name, const char *uid)
{
	return (struct plm_w_meta){
		.ns = plm_slice_str(ns),
		.name = plm_slice_str(name),
		.uid = plm_slice_str(uid),
		.created_ms = 1000,
		.deleting_ms = PLM_UNSET,
	};
}

static struct plm_w_pod_set_spec pods(const char *name, int64_t count)
{
	return (struct plm_w_pod_set_spec){
		.name = plm_slice_str(name),
		.count = count,
		.min_count = PLM_UNSET,
		.shape = {.priority = PLM_UNSET},
	};
}

static struct plm_w_job job(enum plm_kind kind, const char *name, int64_t count)
{
	static struct plm_w_pod_set_spec sets[16]; /* of the jobs that a test holds at once */
	static size_t at;
	struct plm_w_pod_set_spec *set = &sets[at++ % PLM_COUNTOF(sets)];

	*set = pods("main", count);
	return (struct plm_w_job){
		.meta = meta("ml", name, name),
		.kind = kind,
		.workload = plm_slice_str(name),
		.queue = plm_slice_str("lq"),
		.managed = 1,
		.suspended = 1,
		.parallelism = count,
		.completions = count,
		.backoff_limit = 1,
		.min_parallelism = PLM_UNSET,
		.ended_ms = PLM_UNSET,
		.started_ms = PLM_UNSET,
		.pod_sets = {.ptr = set, .count = 1},
	};
}

static struct plm_w_pod pod(const char *name, const char *owner, enum plm_phase phase)
{
	struct plm_w_pod pod = {
		.meta = meta("ml", name, name),
		.shape = {.priority = PLM_UNSET},
		.phase = phase,
		.index = name[strlen(name) - 1] - '0',
		.started_ms = PLM_UNSET,
	};

	pod.meta.owner_kind = plm_slice_str("PodSet");
	pod.meta.owner_uid = plm_slice_str(owner);
	return pod;
}

static plm_id workload(const struct world *w, const char *name)
{
	return plm_find_text(&w->st, PLM_KIND_WORKLOAD, "ml", name);
}

/* What admission's fold of RESERVE and ADMIT does, as far as the lifecycle looks. */
static void admit(struct world *w, const char *name, const char *flavor)
{
	plm_id id = workload(w, name);
	struct plm_workload *slot = plm_workload_edit(&w->st, id);
	uint32_t count = 0;
	const struct plm_pod_set *sets =
		PLM_SPAN(&w->st, slot->pod_sets, struct plm_pod_set, &count);
	struct plm_kv kv = {plm_intern(&w->st, plm_slice_str("cpu")),
			    plm_intern(&w->st, plm_slice_str(flavor))};
	struct plm_assignment set = {.name = sets[0].name, .count = sets[0].count};

	set.flavors = plm_intern_span(&w->st, &kv, 1, sizeof(kv));
	slot->stage = PLM_STAGE_ADMITTED;
	slot->assignments = plm_intern_span(&w->st, &set, 1, sizeof(set));
}

static void evict(struct world *w, const char *name)
{
	struct plm_w_evict decision = {
		.ns = plm_slice_str("ml"),
		.name = plm_slice_str(name),
		.reason = PLM_REASON_PREEMPTED,
	};
	plm_id id = workload(w, name);

	plm_workload_edit(&w->st, id)->evicted_ms = 5000;
	plm_workload_edit(&w->st, id)->evicted_reason =
		plm_intern(&w->st, plm_slice_str("Preempted"));
	fold(w, PLM_EV_EVICT, &decision);
}

static void a_managed_job_gets_a_workload(void **state)
{
	struct world *w = *state;
	struct plm_w_job one = job(PLM_KIND_JOB, "train", 4);
	struct plm_w_job other = job(PLM_KIND_JOB, "free", 1);
	const struct plm_workload *slot = NULL;

	other.managed = 0;
	fold(w, PLM_EV_JOB, &one);
	fold(w, PLM_EV_JOB, &other);
	assert_int_equal(workload(w, "free").n, 0);
	slot = plm_workload_at(&w->st, workload(w, "train"));
	assert_int_equal(slot->stage, PLM_STAGE_PENDING);
	assert_true(plm_sym_is(&w->st, slot->queue, "lq"));
	assert_true(plm_sym_is(&w->st, slot->object.owner_kind, "Job"));
	one.end = PLM_JOB_COMPLETE;
	one.ended_ms = 9000;
	fold(w, PLM_EV_JOB, &one);
	assert_int_equal(slot->stage, PLM_STAGE_FINISHED);
	assert_true(plm_sym_is(&w->st, slot->finished_reason, "Succeeded"));
}

static void a_workload_object_is_adopted_by_its_owner(void **state)
{
	struct world *w = *state;
	struct plm_w_job one = job(PLM_KIND_JOB, "train", 4);
	struct plm_w_pod_set_spec set = pods("main", 4);
	struct plm_w_workload object = {
		.meta = meta("ml", "job-train-abcde", "w1"),
		.queue = plm_slice_str("lq"),
		.active = 1,
		.priority = PLM_UNSET,
		.pod_sets = {&set, 1},
		.reserved_ms = PLM_UNSET,
		.admitted_ms = PLM_UNSET,
		.evicted_ms = PLM_UNSET,
		.requeue_at_ms = PLM_UNSET,
		.finished_ms = PLM_UNSET,
	};

	object.meta.owner_uid = one.meta.uid;
	fold(w, PLM_EV_JOB, &one);
	fold(w, PLM_EV_WORKLOAD, &object);
	assert_int_equal(workload(w, "train").n, 0);
	assert_int_equal(plm_workload_live(&w->st), 1);
	assert_int_not_equal(plm_workload_at(&w->st, workload(w, "job-train-abcde"))->job.n, 0);
}

struct priority_case {
	const char *why;
	const char *workload_class, *pod_class;
	int64_t given, want;
};
static const struct priority_case priorities[] = {
	{"given wins", "high", "low", 7, 7},
	{"workload class before pod class", "high", "low", PLM_UNSET, 1000},
	{"pod class", "", "low", PLM_UNSET, -5},
	{"unknown class: the global default", "none", "none", PLM_UNSET, 50},
	{"no class: the global default", "", "", PLM_UNSET, 50},
};

static void priority_row(const struct priority_case *row)
{
	struct world w = {0};
	struct world *at = &w;
	struct plm_error err;
	struct plm_w_priority_class high = {meta("", "high", "1"), PLM_KIND_WORKLOAD_PRIORITY_CLASS,
					    1000, 0, 0};
	struct plm_w_priority_class low = {meta("", "low", "2"), PLM_KIND_PRIORITY_CLASS, -5, 0, 0};
	struct plm_w_priority_class base = {meta("", "base", "3"), PLM_KIND_PRIORITY_CLASS, 50, 1,
					    0};
	struct plm_w_job one = job(PLM_KIND_JOB, "train", 1);
	struct plm_w_pod_set_spec set = pods("main", 1);

	plm_assert_ok(plm_state_init(&w.st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_arena_init(&w.scratch, 1U << 26, &err), &err);
	one.priority_class = plm_slice_str(row->workload_class);
	set.shape.priority_class = plm_slice_str(row->pod_class);
	set.shape.priority = row->given;
	one.pod_sets = (struct plm_vec){&set, 1};
	if (row->given != PLM_UNSET) {
		one.priority_class = (struct plm_slice){0};
	}
	fold(at, PLM_EV_JOB, &one); /* the classes come later: any order of facts */
	fold(at, PLM_EV_PRIORITY_CLASS, &high);
	fold(at, PLM_EV_PRIORITY_CLASS, &low);
	fold(at, PLM_EV_PRIORITY_CLASS, &base);
	assert_int_equal(plm_workload_at(&w.st, workload(at, "train"))->priority, row->want);
	plm_state_fini(&w.st);
	plm_arena_fini(&w.scratch);
}
PLM_TEST_ROWS(priority_row, struct priority_case)

static void pods_are_counted_whatever_comes_first(void **state)
{
	struct world *w = *state;
	struct plm_w_node node = {.meta = meta("", "n1", "n1")};
	struct plm_w_pod one = pod("p0", "", PLM_PHASE_RUNNING);
	struct plm_w_gone gone = {PLM_KIND_POD, plm_slice_str("ml"), plm_slice_str("p0"), {0}};
	plm_id id;

	one.node = plm_slice_str("n1");
	fold(w, PLM_EV_POD, &one);
	fold(w, PLM_EV_NODE, &node);
	id = plm_find_text(&w->st, PLM_KIND_NODE, "", "n1");
	assert_int_equal(plm_node_at(&w->st, id)->pods, 1);
	fold(w, PLM_EV_POD, &one);
	assert_int_equal(plm_node_at(&w->st, id)->pods, 1);
	one.phase = PLM_PHASE_SUCCEEDED;
	fold(w, PLM_EV_POD, &one);
	assert_int_equal(plm_node_at(&w->st, id)->pods, 0);
	one.phase = PLM_PHASE_RUNNING;
	one.meta.uid = plm_slice_str("again");
	fold(w, PLM_EV_POD, &one);
	assert_int_equal(plm_node_at(&w->st, id)->pods, 1);
	fold(w, PLM_EV_GONE, &gone);
	assert_int_equal(plm_node_at(&w->st, id)->pods, 0);
}

static void an_admitted_job_is_started_once(void **state)
{
	struct world *w = *state;
	struct plm_w_job one = job(PLM_KIND_JOB, "train", 4);
	struct plm_w_kv label = {plm_slice_str("tier"), plm_slice_str("spot")};
	struct plm_w_flavor flavor = {.meta = meta("", "spot", "f1"), .node_labels = {&label, 1}};
	const struct plm_w_req_job_start *request = NULL;
	const struct plm_w_start_set *set = NULL;
	const struct plm_w_kv *given = NULL;

	fold(w, PLM_EV_FLAVOR, &flavor);
	fold(w, PLM_EV_JOB, &one);
	lifecycle(w);
	assert_int_equal(w->out.count, 0);
	admit(w, "train", "spot");
	lifecycle(w);
	assert_int_equal(w->out.count, 1);
	request = item(w, 1)->request;
	set = request->pod_sets.ptr;
	given = set->node_selector.ptr;
	assert_int_equal(set->count, 4);
	plm_assert_text(given->key, "tier");
	plm_assert_text(given->value, "spot");
	lifecycle(w);
	assert_int_equal(w->out.count, 0);
}

static void an_evicted_job_gives_quota_back_when_it_has_stopped(void **state)
{
	struct world *w = *state;
	struct plm_w_job one = job(PLM_KIND_JOB, "train", 4);
	const struct plm_w_release *release = NULL;

	fold(w, PLM_EV_JOB, &one);
	admit(w, "train", "spot");
	lifecycle(w);
	one.suspended = 0;
	one.active = 4;
	fold(w, PLM_EV_JOB, &one);
	evict(w, "train");
	lifecycle(w);
	assert_int_equal(w->out.count, 1);
	assert_int_equal(((const struct plm_w_intent *)item(w, 1)->payload)->call,
			 PLM_CALL_JOB_STOP);
	lifecycle(w);
	assert_int_equal(w->out.count, 0); /* told already, still running */
	one.suspended = 1;
	one.active = 0;
	fold(w, PLM_EV_JOB, &one);
	lifecycle(w);
	assert_int_equal(item(w, 1)->type, PLM_EV_RELEASE);
	release = item(w, 1)->payload;
	assert_int_equal(release->reason, PLM_REASON_PREEMPTED);
	assert_int_equal(release->requeued, 1);
}

static void a_job_that_runs_without_quota_is_stopped(void **state)
{
	struct world *w = *state;
	struct plm_w_job one = job(PLM_KIND_JOB, "train", 4);

	one.suspended = 0;
	one.active = 2;
	fold(w, PLM_EV_JOB, &one);
	lifecycle(w);
	assert_int_equal(((const struct plm_w_intent *)item(w, 1)->payload)->call,
			 PLM_CALL_JOB_STOP);
}

static const char *made(const struct world *w, uint32_t handle, char *text)
{
	const struct plm_w_req_pod_create *request = item(w, handle)->request;

	memcpy(text, request->name.ptr, request->name.size);
	text[request->name.size] = '\0';
	return text;
}

static void a_pod_set_makes_its_pods_and_replaces_failed_ones(void **state)
{
	struct world *w = *state;
	struct plm_w_job set = job(PLM_KIND_POD_SET, "train", 2);
	struct plm_w_pod failed = pod("train-1", "train", PLM_PHASE_FAILED);
	struct plm_w_gone gone = {PLM_KIND_POD, plm_slice_str("ml"), plm_slice_str("train-1"), {0}};
	char text[64];

	fold(w, PLM_EV_JOB, &set);
	admit(w, "train", "default");
	lifecycle(w);
	assert_int_equal(w->out.count, 2);
	assert_string_equal(made(w, 1, text), "train-0");
	assert_string_equal(made(w, 2, text), "train-1");
	lifecycle(w);
	assert_int_equal(w->out.count, 0);
	fold(w, PLM_EV_POD, &failed);
	lifecycle(w);
	assert_int_equal(((const struct plm_w_intent *)item(w, 1)->payload)->call,
			 PLM_CALL_POD_DELETE);
	lifecycle(w);
	assert_int_equal(w->out.count, 0);
	fold(w, PLM_EV_GONE, &gone);
	lifecycle(w);
	assert_int_equal(w->out.count, 1);
	assert_string_equal(made(w, 1, text), "train-1");
}

static void a_pod_set_ends_by_success_or_too_many_failures(void **state)
{
	struct world *w = *state;
	struct plm_w_job set = job(PLM_KIND_POD_SET, "train", 2);
	struct plm_w_pod a = pod("train-0", "train", PLM_PHASE_SUCCEEDED);
	struct plm_w_pod b = pod("train-1", "train", PLM_PHASE_FAILED);

	fold(w, PLM_EV_JOB, &set);
	admit(w, "train", "default");
	lifecycle(w);
	fold(w, PLM_EV_POD, &a);
	fold(w, PLM_EV_POD, &b);
	fold(w, PLM_EV_POD, &b); /* seen twice, failed once */
	assert_int_equal(plm_workload_at(&w->st, workload(w, "train"))->stage, PLM_STAGE_ADMITTED);
	b.meta.uid = plm_slice_str("second try");
	fold(w, PLM_EV_POD, &b);
	assert_int_equal(plm_workload_at(&w->st, workload(w, "train"))->stage, PLM_STAGE_FINISHED);
	assert_true(plm_sym_is(
		&w->st, plm_workload_at(&w->st, workload(w, "train"))->finished_reason, "Failed"));
}

static void an_evicted_pod_set_goes_pod_by_pod(void **state)
{
	struct world *w = *state;
	struct plm_w_job set = job(PLM_KIND_POD_SET, "train", 1);
	struct plm_w_pod a = pod("train-0", "train", PLM_PHASE_RUNNING);
	struct plm_w_gone gone = {PLM_KIND_POD, plm_slice_str("ml"), plm_slice_str("train-0"), {0}};

	fold(w, PLM_EV_JOB, &set);
	admit(w, "train", "default");
	lifecycle(w);
	fold(w, PLM_EV_POD, &a);
	evict(w, "train");
	lifecycle(w);
	assert_int_equal(w->out.count, 1);
	assert_int_equal(((const struct plm_w_intent *)item(w, 1)->payload)->call,
			 PLM_CALL_POD_DELETE);
	fold(w, PLM_EV_GONE, &gone);
	lifecycle(w);
	assert_int_equal(w->out.count, 1);
	assert_int_equal(item(w, 1)->type, PLM_EV_RELEASE);
	assert_int_equal(
		plm_job_at(&w->st, plm_workload_at(&w->st, workload(w, "train"))->job)->next_index,
		0);
}

#define IN_WORLD(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	static struct plm_tests tests;
	const struct CMUnitTest list[] = {
		IN_WORLD(a_managed_job_gets_a_workload),
		IN_WORLD(a_workload_object_is_adopted_by_its_owner),
		IN_WORLD(pods_are_counted_whatever_comes_first),
		IN_WORLD(an_admitted_job_is_started_once),
		IN_WORLD(an_evicted_job_gives_quota_back_when_it_has_stopped),
		IN_WORLD(a_job_that_runs_without_quota_is_stopped),
		IN_WORLD(a_pod_set_makes_its_pods_and_replaces_failed_ones),
		IN_WORLD(a_pod_set_ends_by_success_or_too_many_failures),
		IN_WORLD(an_evicted_pod_set_goes_pod_by_pod),
	};

	memcpy(tests.list, list, sizeof(list));
	tests.count = PLM_COUNTOF(list);
	PLM_TEST_TABLE(&tests, priority_row, priorities);
	return plm_tests_run(&tests, "cluster");
}
