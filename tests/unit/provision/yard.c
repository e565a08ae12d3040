#include "yard.h"

#include <stdio.h>
#include <string.h>

#define GIB (1LL << 30)

static struct plm_slice s(const char *text)
{
	return plm_slice_str(text);
}

/* A copy that lives as long as the yard. */
static void *keep(struct yard *y, const void *bytes, size_t size)
{
	void *copy = plm_arena_take(&y->texts, size);

	memcpy(copy, bytes, size);
	return copy;
}

static struct plm_vec list(struct yard *y, const void *rows, size_t count, size_t size)
{
	return (struct plm_vec){keep(y, rows, count * size), count};
}

void yard_fold(struct yard *y, enum plm_event_type type, const void *payload)
{
	struct plm_event event = {
		.seq = ++y->seq,
		.wall_ns = (uint64_t)y->now_ms * 1000000,
		.tick_ms = (uint64_t)y->now_ms,
		.type = (uint16_t)type,
		.payload = payload,
	};

	plm_apply(&y->st, &event, &y->scratch);
}

static struct plm_vec amounts(struct yard *y, int64_t cpu, int64_t memory, int64_t gpus,
			      int64_t pods)
{
	struct plm_w_amount rows[4];
	size_t count = 0;

	rows[count++] = (struct plm_w_amount){s("cpu"), cpu};
	if (memory > 0) {
		rows[count++] = (struct plm_w_amount){s("memory"), memory};
	}
	if (gpus > 0) {
		rows[count++] = (struct plm_w_amount){s("nvidia.com/gpu"), gpus};
	}
	if (pods > 0) {
		rows[count++] = (struct plm_w_amount){s("pods"), pods};
	}
	return list(y, rows, count, sizeof(*rows));
}

static struct plm_w_expr expr(struct yard *y, const char *key, const char *a, const char *b)
{
	struct plm_slice values[2] = {s(a), s(b == NULL ? "" : b)};

	return (struct plm_w_expr){.key = s(key),
				   .op = PLM_OP_IN,
				   .values = list(y, values, b == NULL ? 1 : 2, sizeof(*values))};
}

static struct plm_w_instance_type type(struct yard *y, const char *name, int64_t cpu, int64_t gpus,
				       int64_t price)
{
	struct plm_w_expr reqs[3] = {
		expr(y, "node.kubernetes.io/instance-type", name, NULL),
		expr(y, "topology.kubernetes.io/zone", "a", "b"),
		expr(y, "karpenter.sh/capacity-type", "on-demand", NULL),
	};
	struct plm_w_offering offers[2] = {
		{.zone = s("a"),
		 .capacity_type = s("on-demand"),
		 .price_micro = price,
		 .available = 1,
		 .reserved_left = PLM_UNSET},
		{.zone = s("b"),
		 .capacity_type = s("on-demand"),
		 .price_micro = price + 1,
		 .available = 1,
		 .reserved_left = PLM_UNSET},
	};

	return (struct plm_w_instance_type){
		.name = s(name),
		.requirements = list(y, reqs, 3, sizeof(*reqs)),
		.capacity = amounts(y, cpu, 16 * GIB, gpus, 20),
		.allocatable = amounts(y, cpu, 16 * GIB, gpus, 20),
		.offerings = list(y, offers, 2, sizeof(*offers)),
	};
}

static void begin(struct yard *y)
{
	struct plm_w_genesis genesis = {.cluster_uid = s("uid"), .cluster_name = s("yard")};
	struct plm_w_instance_type types[3];
	struct plm_w_catalog catalog = {.region = s("r")};
	struct plm_w_node_class class = {.meta = yard_meta("", "class"),
					 .kind = PLM_KIND_NODE_TEMPLATE};
	struct plm_w_namespace namespace = {.meta = yard_meta("", "ns")};

	y->config = (struct plm_w_config){
		.compat = PLM_COMPAT_BETTER,
		.gang_timeout_ms = 600000,
		.registration_timeout_ms = 900000,
		.launch_timeout_ms = 300000,
		.stock_out_ms = 180000,
	};
	types[0] = type(y, "small", 2000, 0, 100);
	types[1] = type(y, "large", 8000, 0, 390);
	types[2] = type(y, "gpu", 8000, 4, 1000);
	catalog.types = (struct plm_vec){types, 3};
	yard_fold(y, PLM_EV_GENESIS, &genesis);
	yard_fold(y, PLM_EV_CONFIG, &y->config);
	yard_fold(y, PLM_EV_CATALOG, &catalog);
	yard_fold(y, PLM_EV_NAMESPACE, &namespace);
	yard_fold(y, PLM_EV_NODE_CLASS, &class);
}

int yard_open(void **state)
{
	struct yard *y = test_calloc(1, sizeof(*y));
	struct plm_error err = {0};

	plm_assert_ok(plm_state_init(&y->st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_arena_init(&y->scratch, (size_t)64 << 20, &err), &err);
	plm_assert_ok(plm_arena_init(&y->step, (size_t)256 << 20, &err), &err);
	plm_assert_ok(plm_arena_init(&y->texts, (size_t)64 << 20, &err), &err);
	plm_out_init(&y->out, &y->step);
	y->now_ms = YARD_START_MS;
	begin(y);
	*state = y;
	return 0;
}

int yard_close(void **state)
{
	struct yard *y = *state;

	plm_state_check(&y->st);
	plm_state_fini(&y->st);
	plm_arena_fini(&y->scratch);
	plm_arena_fini(&y->step);
	plm_arena_fini(&y->texts);
	test_free(y);
	return 0;
}

void yard_at(struct yard *y, int64_t ms)
{
	struct plm_w_cycle cycle = {.budget = 1000000};

	y->now_ms = YARD_START_MS + ms;
	cycle.now_ms = y->now_ms;
	yard_fold(y, PLM_EV_CYCLE, &cycle);
}

void yard_run(struct yard *y, plm_step_fn *step)
{
	struct plm_cycle_run run = {.cycle = {.now_ms = y->now_ms, .budget = 1000000}};
	struct plm_out all;
	bool over = false;

	plm_arena_reset(&y->step);
	plm_out_init(&all, &y->step);
	for (uint32_t calls = 0; !over; calls++) {
		struct plm_out out;

		assert_true(calls < 100);
		plm_out_init(&out, &y->step);
		over = step(&y->st, &run, &y->step, &out);
		for (uint32_t handle = 1; handle <= out.count; handle++) {
			const struct plm_out_item *item = plm_out_item(&out, handle);

			if (item->type == PLM_EV_INTENT) {
				(void)plm_out_intent(&all, item->payload, item->request, 0);
			} else {
				(void)plm_out_add(&all, item->type, item->payload, 0);
			}
			yard_fold(y, item->type, item->payload);
		}
	}
	y->out = all;
}

/* ---- what was decided -------------------------------------------------------------------------- */

uint32_t yard_count(const struct yard *y, enum plm_event_type type_)
{
	uint32_t count = 0;

	for (uint32_t handle = 1; handle <= y->out.count; handle++) {
		count += plm_out_item(&y->out, handle)->type == type_ ? 1 : 0;
	}
	return count;
}

const void *yard_event(const struct yard *y, enum plm_event_type type_, uint32_t n)
{
	for (uint32_t handle = 1; handle <= y->out.count; handle++) {
		const struct plm_out_item *item = plm_out_item(&y->out, handle);

		if (item->type == type_ && n-- == 0) {
			return item->payload;
		}
	}
	fail_msg("no such event");
	return NULL;
}

static const struct plm_out_item *intent(const struct yard *y, enum plm_call call, uint32_t n)
{
	for (uint32_t handle = 1; handle <= y->out.count; handle++) {
		const struct plm_out_item *item = plm_out_item(&y->out, handle);

		if (item->type == PLM_EV_INTENT &&
		    ((const struct plm_w_intent *)item->payload)->call == call && n-- == 0) {
			return item;
		}
	}
	return NULL;
}

const void *yard_request(const struct yard *y, enum plm_call call, uint32_t n)
{
	const struct plm_out_item *item = intent(y, call, n);

	assert_non_null(item);
	return item->request;
}

uint32_t yard_intents(const struct yard *y, enum plm_call call)
{
	uint32_t count = 0;

	while (intent(y, call, count) != NULL) {
		count++;
	}
	return count;
}

/* ---- objects ----------------------------------------------------------------------------------- */

struct plm_w_meta yard_meta(const char *ns, const char *name)
{
	return (struct plm_w_meta){.ns = s(ns),
				   .name = s(name),
				   .uid = s(name),
				   .created_ms = YARD_START_MS,
				   .deleting_ms = PLM_UNSET};
}

struct plm_w_node_pool yard_pool(const char *name)
{
	return (struct plm_w_node_pool){
		.meta = yard_meta("", name),
		.class_kind = PLM_KIND_NODE_TEMPLATE,
		.class_name = s("class"),
		.min_size = 0,
		.max_size = PLM_UNSET,
		.expire_ms = PLM_UNSET,
		.grace_ms = PLM_UNSET,
		.consolidate_after_ms = 600000,
		.consolidation = PLM_CONSOLIDATE_WHEN_EMPTY,
		.dialect = 1,
	};
}

void yard_add_pool(struct yard *y, const struct plm_w_node_pool *pool)
{
	yard_fold(y, PLM_EV_NODE_POOL, pool);
}

static struct plm_w_shape shape(struct yard *y, int64_t cpu, int64_t gpus)
{
	return (struct plm_w_shape){.requests = amounts(y, cpu, 0, gpus, 0), .priority = PLM_UNSET};
}

struct plm_w_pod yard_pod(struct yard *y, const char *name, int64_t cpu, int64_t gpus)
{
	return (struct plm_w_pod){
		.meta = yard_meta("ns", name),
		.shape = shape(y, cpu, gpus),
		.phase = PLM_PHASE_PENDING,
		.unschedulable = 1,
		.started_ms = PLM_UNSET,
		.index = PLM_UNSET,
		.deletion_cost = PLM_UNSET,
	};
}

void yard_add_pod(struct yard *y, const char *name, int64_t cpu, int64_t gpus)
{
	struct plm_w_pod pod = yard_pod(y, name, cpu, gpus);

	yard_fold(y, PLM_EV_POD, &pod);
}

static void add_queue(struct yard *y)
{
	struct plm_w_cluster_queue queue = {
		.meta = yard_meta("", "cq"), .capacity_check = 1, .weight_nano = 1000000000};

	if (plm_find_text(&y->st, PLM_KIND_CLUSTER_QUEUE, "", "cq").n == 0) {
		yard_fold(y, PLM_EV_CLUSTER_QUEUE, &queue);
	}
}

void yard_reserve_gang(struct yard *y, const char *name, int64_t count, int64_t cpu, int64_t gpus)
{
	struct plm_w_pod_set_spec set = {.name = s("main"),
					 .count = count,
					 .min_count = PLM_UNSET,
					 .shape = shape(y, cpu, gpus)};
	struct plm_w_job job = {
		.meta = yard_meta("ns", name),
		.kind = PLM_KIND_POD_SET,
		.workload = s(name),
		.queue = s("lq"),
		.managed = 1,
		.suspended = 1,
		.parallelism = count,
		.completions = count,
		.min_parallelism = PLM_UNSET,
		.ended_ms = PLM_UNSET,
		.started_ms = PLM_UNSET,
		.pod_sets = {&set, 1},
	};
	struct plm_w_kv flavor = {s("cpu"), s("default")};
	struct plm_w_assignment assignment = {.name = s("main"), .count = count};
	struct plm_w_reserve reserve = {.ns = s("ns"), .name = s(name), .cluster_queue = s("cq")};

	add_queue(y);
	yard_fold(y, PLM_EV_JOB, &job);
	assignment.flavors = list(y, &flavor, 1, sizeof(flavor));
	assignment.usage = amounts(y, cpu * count, 0, gpus * count, 0);
	reserve.assignments = list(y, &assignment, 1, sizeof(assignment));
	yard_fold(y, PLM_EV_RESERVE, &reserve);
	assert_int_equal(yard_gang_at(y, name)->stage, PLM_STAGE_RESERVED);
}

const struct plm_pod *yard_pod_at(const struct yard *y, const char *name)
{
	plm_id id = plm_find_text(&y->st, PLM_KIND_POD, "ns", name);

	assert_int_not_equal(id.n, 0);
	return plm_pod_at(&y->st, id);
}

const struct plm_node_claim *yard_claim_at(const struct yard *y, const char *name)
{
	plm_id id = plm_find_text(&y->st, PLM_KIND_NODE_CLAIM, "", name);

	return id.n == 0 ? NULL : plm_node_claim_at(&y->st, id);
}

const struct plm_workload *yard_gang_at(const struct yard *y, const char *name)
{
	plm_id id = plm_find_text(&y->st, PLM_KIND_WORKLOAD, "ns", name);

	assert_int_not_equal(id.n, 0);
	return plm_workload_at(&y->st, id);
}

const struct plm_node_claim *yard_only_claim(const struct yard *y)
{
	assert_int_equal(plm_node_claim_live(&y->st), 1);
	return plm_node_claim_at(&y->st, plm_node_claim_next(&y->st, (plm_id){0}));
}

/* ---- the world answers ------------------------------------------------------------------------- */

void yard_launched(struct yard *y, const char *claim, const char *type_name)
{
	struct plm_w_result result = {
		.intent = (int64_t)yard_claim_at(y, claim)->intent,
		.class = PLM_RESULT_DONE,
		.provider_id = plm_arena_format(&y->texts, "i-%s", claim),
		.instance_type = s(type_name),
		.zone = s("a"),
		.capacity_type = s("on-demand"),
		.price_micro = PLM_UNSET,
	};

	yard_fold(y, PLM_EV_RESULT, &result);
}

void yard_refused(struct yard *y, const char *claim, const char *type_name, const char *zone)
{
	struct plm_w_refusal offers[2] = {
		{s(type_name), s(zone), s("on-demand"), s(""), s("")},
	};
	struct plm_w_result result = {
		.intent = (int64_t)yard_claim_at(y, claim)->intent,
		.class = PLM_RESULT_FAILED,
		.code = s("InsufficientInstanceCapacity"),
		.price_micro = PLM_UNSET,
		.refused = {offers, 1},
	};

	yard_fold(y, PLM_EV_RESULT, &result);
}

static void add_node(struct yard *y, const char *claim, const char *node, struct plm_vec taints)
{
	struct plm_w_node w = {
		.meta = yard_meta("", node),
		.provider_id = plm_arena_format(&y->texts, "i-%s", claim),
		.capacity = amounts(y, 8000, 16 * GIB, 4, 20),
		.allocatable = amounts(y, 8000, 16 * GIB, 4, 20),
		.taints = taints,
		.ready = 1,
	};
	struct plm_w_kv labels[] = {
		{s("karpenter.sh/capacity-type"), s("on-demand")},
		{s("karpenter.sh/initialized"), s("true")},
		{s("karpenter.sh/registered"), s("true")},
		{s("topology.kubernetes.io/zone"), s("a")},
	};

	w.meta.labels = (struct plm_vec){labels, PLM_COUNTOF(labels)};
	yard_fold(y, PLM_EV_NODE, &w);
}

void yard_joined(struct yard *y, const char *claim, const char *node)
{
	add_node(y, claim, node, (struct plm_vec){NULL, 0});
}

void yard_closed(struct yard *y, const char *claim, const char *node)
{
	struct plm_w_taint taint = {.key = s("karpenter.sh/disrupted"),
				    .effect = PLM_EFFECT_NO_SCHEDULE};

	add_node(y, claim, node, (struct plm_vec){&taint, 1});
}

void yard_bind(struct yard *y, const char *name, int64_t cpu, const char *node)
{
	struct plm_w_pod pod = yard_pod(y, name, cpu, 0);

	pod.node = s(node);
	pod.scheduled_ms = y->now_ms;
	pod.unschedulable = 0;
	pod.phase = PLM_PHASE_RUNNING;
	yard_fold(y, PLM_EV_POD, &pod);
}
