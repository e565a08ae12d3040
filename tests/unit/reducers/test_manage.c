/* Who is queued: owners, queues for all, integrations, workloads of others, groups of pods, runtimes. */
#include "core/integration.h"
#include "plm_test.h"
#include "reducers/area.h"

struct world {
	struct plm_state st;
	struct plm_arena scratch;
	uint64_t seq;
};

static int setup(void **state)
{
	struct world *w = test_calloc(1, sizeof(*w));
	struct plm_error err;

	plm_assert_ok(plm_state_init(&w->st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_arena_init(&w->scratch, 1U << 28, &err), &err);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	plm_state_check(&w->st);
	plm_state_fini(&w->st);
	plm_arena_fini(&w->scratch);
	test_free(w);
	return 0;
}

static void fold(struct world *w, enum plm_event_type type, const void *payload)
{
	struct plm_event event = {
		.seq = ++w->seq,
		.wall_ns = 1000000000ULL * w->seq,
		.tick_ms = 1000 * w->seq,
		.type = (uint16_t)type,
		.payload = payload,
	};

	plm_cluster_apply(&w->st, &event, &w->scratch);
	w->st.seq = w->seq;
}

static struct plm_w_meta meta(const char *name, const char *owner)
{
	return (struct plm_w_meta){
		.ns = plm_slice_str("ml"),
		.name = plm_slice_str(name),
		.uid = plm_slice_str(name),
		.owner_uid = plm_slice_str(owner),
		.created_ms = 1000,
		.deleting_ms = PLM_UNSET,
	};
}

static const struct plm_w_pod_set_spec four = {.name = {(const uint8_t *)"main", 4},
					       .count = 4,
					       .min_count = PLM_UNSET,
					       .shape = {.priority = PLM_UNSET}};

static struct plm_w_job job(enum plm_kind kind, const char *name, const char *owner,
			    const char *queue)
{
	return (struct plm_w_job){
		.meta = meta(name, owner),
		.kind = kind,
		.workload = plm_slice_str(name),
		.queue = plm_slice_str(queue),
		.managed = queue[0] != '\0',
		.parallelism = 4,
		.completions = 4,
		.min_parallelism = PLM_UNSET,
		.ended_ms = PLM_UNSET,
		.started_ms = PLM_UNSET,
		.max_exec_s = PLM_UNSET,
		.nodes = PLM_UNSET,
		.pod_sets = {&four, 1},
	};
}

static plm_id workload(const struct world *w, const char *name)
{
	return plm_find_text(&w->st, PLM_KIND_WORKLOAD, "ml", name);
}

static const struct plm_job *slot(const struct world *w, enum plm_kind kind, const char *name)
{
	return plm_job_at(&w->st, plm_find_text(&w->st, kind, "ml", name));
}

static void children_of_a_queued_job_are_not_queued(void **state)
{
	struct world *w = *state;
	struct plm_w_job top = job(PLM_KIND_JOB_SET, "top", "", "q");
	struct plm_w_job child = job(PLM_KIND_JOB, "child", "top", "q");
	struct plm_w_job early = job(PLM_KIND_JOB, "early", "top", "q");

	fold(w, PLM_EV_JOB, &early); /* it is queued until its owner is seen */
	assert_int_not_equal(workload(w, "early").n, 0);
	fold(w, PLM_EV_JOB, &top);
	fold(w, PLM_EV_JOB, &child);
	assert_int_not_equal(workload(w, "top").n, 0);
	assert_int_equal(workload(w, "early").n, 0);
	assert_int_equal(workload(w, "child").n, 0);
	assert_int_equal(slot(w, PLM_KIND_JOB, "child")->managed, 0);
	/* Its pods belong to the JobSet. */
	assert_int_equal(plm_job_above(&w->st, plm_sym_find(&w->st, plm_slice_str("child"))).n,
			 plm_find_text(&w->st, PLM_KIND_JOB_SET, "ml", "top").n);
}

static void an_owner_without_a_queue_leaves_its_children_alone(void **state)
{
	struct world *w = *state;
	struct plm_w_job top = job(PLM_KIND_RAY_JOB, "top", "", "");
	struct plm_w_job middle = job(PLM_KIND_RAY_CLUSTER, "middle", "top", "");
	struct plm_w_job child = job(PLM_KIND_JOB, "child", "middle", "q");
	struct plm_w_job stranger = job(PLM_KIND_JOB, "stranger", "unknown", "q");

	fold(w, PLM_EV_JOB, &top);
	fold(w, PLM_EV_JOB, &middle);
	fold(w, PLM_EV_JOB, &child);
	fold(w, PLM_EV_JOB, &stranger);
	assert_int_not_equal(workload(w, "child").n, 0);
	assert_int_not_equal(workload(w, "stranger").n, 0);
	top.queue = plm_slice_str("q"); /* two steps up */
	top.managed = 1;
	fold(w, PLM_EV_JOB, &top);
	fold(w, PLM_EV_JOB, &child);
	assert_int_equal(workload(w, "child").n, 0);
}

static void a_queue_called_default_takes_jobs_without_one(void **state)
{
	struct world *w = *state;
	struct plm_w_job before = job(PLM_KIND_JOB, "before", "", "");
	struct plm_w_job runs = job(PLM_KIND_JOB, "runs", "", "");
	struct plm_w_job after = job(PLM_KIND_JOB, "after", "", "");
	struct plm_w_local_queue queue = {.meta = meta("default", ""),
					  .cluster_queue = plm_slice_str("cq")};

	runs.active = 4;
	fold(w, PLM_EV_JOB, &before);
	fold(w, PLM_EV_JOB, &runs);
	assert_int_equal(workload(w, "before").n, 0);
	fold(w, PLM_EV_LOCAL_QUEUE, &queue);
	fold(w, PLM_EV_JOB, &after);
	assert_true(plm_sym_is(&w->st, plm_workload_at(&w->st, workload(w, "before"))->queue,
			       "default"));
	assert_true(plm_sym_is(&w->st, plm_workload_at(&w->st, workload(w, "after"))->queue,
			       "default"));
	assert_int_equal(slot(w, PLM_KIND_JOB, "after")->suspended, 1);
	assert_int_equal(workload(w, "runs").n, 0); /* it was there, and ran */
}

static void integrations_can_be_off(void **state)
{
	struct world *w = *state;
	struct plm_slice on[] = {plm_slice_str("batch/job")};
	struct plm_slice not_here[] = {plm_slice_str("system")};
	struct plm_w_expr expr = {
		.key = plm_slice_str("name"), .op = PLM_OP_NOT_IN, .values = {not_here, 1}};
	struct plm_w_kv label = {plm_slice_str("name"), plm_slice_str("system")};
	struct plm_w_config config = {.frameworks = {on, 1}, .manage_unnamed = 1};
	struct plm_w_namespace ns = {.meta = meta("ml", "")};
	struct plm_w_job set = job(PLM_KIND_JOB_SET, "set", "", "q");
	struct plm_w_job child = job(PLM_KIND_JOB, "child", "set", "q");
	struct plm_w_job unnamed = job(PLM_KIND_JOB, "unnamed", "", "");
	struct plm_w_job late = job(PLM_KIND_JOB, "late", "", "q");

	fold(w, PLM_EV_CONFIG, &config);
	fold(w, PLM_EV_JOB, &set);
	fold(w, PLM_EV_JOB, &child);
	fold(w, PLM_EV_JOB, &unnamed);
	assert_int_equal(workload(w, "set").n, 0);
	assert_int_not_equal(workload(w, "child").n, 0); /* nobody above stands for it */
	assert_int_not_equal(workload(w, "unnamed").n, 0);
	ns.meta.ns = (struct plm_slice){0};
	ns.meta.labels = (struct plm_vec){&label, 1};
	config.managed_namespaces = (struct plm_w_selector){1, {&expr, 1}};
	fold(w, PLM_EV_NAMESPACE, &ns);
	fold(w, PLM_EV_CONFIG, &config);
	fold(w, PLM_EV_JOB, &late);
	assert_int_equal(workload(w, "late").n, 0);
}

static void a_prebuilt_workload_is_waited_for(void **state)
{
	struct world *w = *state;
	struct plm_w_job one = job(PLM_KIND_JOB, "one", "", "q");
	struct plm_w_workload object = {
		.meta = meta("mine", ""),
		.queue = plm_slice_str("q"),
		.active = 1,
		.priority = PLM_UNSET,
		.pod_sets = {&four, 1},
		.reserved_ms = PLM_UNSET,
		.admitted_ms = PLM_UNSET,
		.evicted_ms = PLM_UNSET,
		.requeue_at_ms = PLM_UNSET,
		.finished_ms = PLM_UNSET,
	};

	one.workload = plm_slice_str("mine");
	one.prebuilt = 1;
	fold(w, PLM_EV_JOB, &one);
	assert_int_equal(plm_workload_live(&w->st), 0);
	fold(w, PLM_EV_WORKLOAD, &object);
	assert_int_equal(slot(w, PLM_KIND_JOB, "one")->workload_id.n, workload(w, "mine").n);
	assert_int_not_equal(plm_workload_at(&w->st, workload(w, "mine"))->job.n, 0);
}

/* ---- runtimes ---------------------------------------------------------------------------------- */

static void a_train_job_has_the_pods_of_its_runtime(void **state)
{
	struct world *w = *state;
	struct plm_w_amount old[] = {{plm_slice_str("cpu"), 100}, {plm_slice_str("memory"), 7}};
	struct plm_w_amount new = {plm_slice_str("cpu"), 2000};
	struct plm_w_pod_set_spec node = {.name = plm_slice_str("node"),
					  .count = 1,
					  .min_count = PLM_UNSET,
					  .shape = {.requests = {old, 2}, .priority = PLM_UNSET}};
	struct plm_w_job runtime = job(PLM_KIND_TRAINING_RUNTIME, "torch", "", "");
	struct plm_w_job train = job(PLM_KIND_TRAIN_JOB, "train", "", "q");
	const struct plm_pod_set *sets = NULL;
	const struct plm_shape *shape = NULL;
	const struct plm_amount *amounts = NULL;
	uint32_t count = 0;

	train.pod_sets = (struct plm_vec){0};
	train.runtime_kind = PLM_KIND_TRAINING_RUNTIME;
	train.runtime = plm_slice_str("torch");
	train.nodes = 3;
	train.node_requests = (struct plm_vec){&new, 1};
	runtime.pod_sets = (struct plm_vec){&node, 1};
	fold(w, PLM_EV_JOB, &train);
	assert_int_equal(workload(w, "train").n, 0); /* what it needs is not known */
	fold(w, PLM_EV_JOB, &runtime);
	assert_int_not_equal(workload(w, "train").n, 0);
	sets = PLM_SPAN(&w->st, plm_workload_at(&w->st, workload(w, "train"))->pod_sets,
			struct plm_pod_set, &count);
	assert_int_equal(count, 1);
	assert_int_equal(sets[0].count, 3);
	shape = PLM_SPAN(&w->st, sets[0].shape, struct plm_shape, &count);
	amounts = PLM_SPAN(&w->st, shape->requests, struct plm_amount, &count);
	assert_int_equal(count, 2);
	assert_int_equal(amounts[0].amount, 2000);
	assert_int_equal(amounts[1].amount, 7);
}

/* ---- groups ------------------------------------------------------------------------------------ */

static const struct plm_slice gate = {(const uint8_t *)PLM_GATE_ADMISSION,
				      sizeof(PLM_GATE_ADMISSION) - 1};

static struct plm_w_pod member(const char *name, const char *role, int64_t total)
{
	return (struct plm_w_pod){
		.meta = meta(name, ""),
		.shape = {.priority = PLM_UNSET},
		.started_ms = PLM_UNSET,
		.queue = plm_slice_str("q"),
		.group = plm_slice_str("team"),
		.role = plm_slice_str(role),
		.group_total = total,
		.gated = 1,
		.gates = {&gate, 1},
		.max_exec_s = PLM_UNSET,
	};
}

static void gone(struct world *w, const char *name)
{
	struct plm_w_gone event = {.kind = PLM_KIND_POD,
				   .ns = plm_slice_str("ml"),
				   .name = plm_slice_str(name),
				   .uid = plm_slice_str(name)};

	fold(w, PLM_EV_GONE, &event);
}

static void a_group_waits_for_its_pods(void **state)
{
	struct world *w = *state;
	struct plm_w_pod a = member("a", "worker", 3);
	struct plm_w_pod b = member("b", "driver", 3);
	struct plm_w_pod c = member("c", "worker", 3);
	const struct plm_pod_set *sets = NULL;
	uint32_t count = 0;

	fold(w, PLM_EV_POD, &a);
	fold(w, PLM_EV_POD, &b);
	assert_int_equal(workload(w, "team").n, 0);
	fold(w, PLM_EV_POD, &c);
	sets = PLM_SPAN(&w->st, plm_workload_at(&w->st, workload(w, "team"))->pod_sets,
			struct plm_pod_set, &count);
	assert_int_equal(count, 2);
	assert_true(plm_sym_is(&w->st, sets[0].name, "driver"));
	assert_int_equal(sets[0].count, 1);
	assert_int_equal(sets[1].count, 2);
	gone(w, "b"); /* it waits again until there is another one */
	assert_int_equal(plm_workload_at(&w->st, workload(w, "team"))->gated, PLM_GATED_BY_GROUP);
	b = member("b2", "driver", 3);
	fold(w, PLM_EV_POD, &b);
	assert_int_equal(plm_workload_at(&w->st, workload(w, "team"))->gated, 0);
	gone(w, "a");
	gone(w, "b2");
	gone(w, "c");
	assert_int_equal(plm_workload_live(&w->st), 0);
	assert_int_equal(plm_job_live(&w->st), 0);
}

static void a_fast_group_does_not(void **state)
{
	struct world *w = *state;
	struct plm_w_pod a = member("a", "main", 5);
	const struct plm_pod_set *sets = NULL;
	uint32_t count = 0;

	a.group_flags = PLM_GROUP_FAST | PLM_GROUP_SERVING;
	fold(w, PLM_EV_POD, &a);
	sets = PLM_SPAN(&w->st, plm_workload_at(&w->st, workload(w, "team"))->pod_sets,
			struct plm_pod_set, &count);
	assert_int_equal(count, 1);
	assert_int_equal(sets[0].count, 5);
}

struct group_end_case {
	const char *why;
	uint32_t flags;
	enum plm_phase first, second;
	enum plm_stage stage;
	int64_t back; /* pods given back */
};
static const struct group_end_case group_ends[] = {
	{"all have succeeded", 0, PLM_PHASE_SUCCEEDED, PLM_PHASE_SUCCEEDED, PLM_STAGE_FINISHED, 2},
	{"one is done", 0, PLM_PHASE_SUCCEEDED, PLM_PHASE_RUNNING, PLM_STAGE_PENDING, 1},
	{"one is done, of a service", PLM_GROUP_SERVING, PLM_PHASE_SUCCEEDED, PLM_PHASE_RUNNING,
	 PLM_STAGE_PENDING, 0},
	{"a failed one is made again", 0, PLM_PHASE_FAILED, PLM_PHASE_FAILED, PLM_STAGE_PENDING, 0},
	{"or may not be", PLM_GROUP_UNRETRIABLE, PLM_PHASE_FAILED, PLM_PHASE_SUCCEEDED,
	 PLM_STAGE_FINISHED, 1},
	{"not while another runs", PLM_GROUP_UNRETRIABLE, PLM_PHASE_FAILED, PLM_PHASE_RUNNING,
	 PLM_STAGE_PENDING, 0},
};

static void group_end_row(const struct group_end_case *row)
{
	void *state = NULL;
	struct world *w = NULL;
	struct plm_w_pod a = member("a", "main", 2);
	struct plm_w_pod b = member("b", "main", 2);
	const struct plm_pod_count *back = NULL;
	uint32_t count = 0;

	assert_int_equal(setup(&state), 0);
	w = state;
	a.group_flags = row->flags;
	b.group_flags = row->flags;
	fold(w, PLM_EV_POD, &a);
	fold(w, PLM_EV_POD, &b);
	a.gates = (struct plm_vec){0};
	b.gates = a.gates;
	a.phase = row->first;
	b.phase = row->second;
	fold(w, PLM_EV_POD, &a);
	fold(w, PLM_EV_POD, &b);
	assert_int_equal(plm_workload_at(&w->st, workload(w, "team"))->stage, row->stage);
	back = PLM_SPAN(&w->st, plm_workload_at(&w->st, workload(w, "team"))->reclaimable,
			struct plm_pod_count, &count);
	assert_int_equal(count == 0 ? 0 : back[0].count, row->back);
	(void)teardown(&state);
}
PLM_TEST_ROWS(group_end_row, struct group_end_case)

static void pods_of_a_queued_job_are_no_group(void **state)
{
	struct world *w = *state;
	struct plm_w_job top = job(PLM_KIND_JOB_SET, "top", "", "q");
	struct plm_w_pod a = member("a", "main", 1);

	a.meta.owner_uid = plm_slice_str("top");
	fold(w, PLM_EV_JOB, &top);
	fold(w, PLM_EV_POD, &a);
	assert_int_equal(workload(w, "team").n, 0);
}

/* ---- the table --------------------------------------------------------------------------------- */

static void each_kind_of_work_has_one_row(void **state)
{
	size_t count = 0;
	size_t rules = 0;
	const struct plm_integration *rows = plm_integrations(&count);
	const struct plm_set_rule *set = plm_set_rules(&rules);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(plm_kind_table(rows[i].kind), PLM_TABLE_JOB);
		assert_ptr_equal(plm_integration(rows[i].kind), &rows[i]);
		assert_true(rows[i].start != PLM_START_BY_FLAG || rows[i].suspend != NULL);
	}
	for (size_t i = 0; i < rules; i++) {
		assert_non_null(plm_integration(set[i].kind));
		assert_true((set[i].name == NULL) == (set[i].name_at != NULL));
	}
	for (uint32_t kind = 0; kind < plm_names_kind.count; kind++) {
		if (kind != PLM_KIND_NONE && plm_kind_table((enum plm_kind)kind) == PLM_TABLE_JOB) {
			assert_non_null(plm_integration((enum plm_kind)kind));
		}
	}
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	static struct plm_tests tests;
	const struct CMUnitTest list[] = {
		IN_WORLD(children_of_a_queued_job_are_not_queued),
		IN_WORLD(an_owner_without_a_queue_leaves_its_children_alone),
		IN_WORLD(a_queue_called_default_takes_jobs_without_one),
		IN_WORLD(integrations_can_be_off),
		IN_WORLD(a_prebuilt_workload_is_waited_for),
		IN_WORLD(a_train_job_has_the_pods_of_its_runtime),
		IN_WORLD(a_group_waits_for_its_pods),
		IN_WORLD(a_fast_group_does_not),
		IN_WORLD(pods_of_a_queued_job_are_no_group),
		cmocka_unit_test(each_kind_of_work_has_one_row),
	};

	memcpy(tests.list, list, sizeof(list));
	tests.count = PLM_COUNTOF(list);
	PLM_TEST_TABLE(&tests, group_end_row, group_ends);
	return plm_tests_run(&tests, "manage");
}
