#include "bench_world.h"

#include <stdio.h>

#include "bench_lib.h"
#include "codec/codec.h"
#include "core/limits.h"

#define MILLI 1000
#define START_MS INT64_C(1767225600000)
#define TEXT_BYTES 96

static const struct bench_class baseline_classes[] = {
	{"small", 1, 50, 200, 100, 350, 1},
	{"medium", 5, 100, 500, 500, 100, 1},
	{"large", 20, 200, 1000, 1200, 50, 1},
};
static const struct bench_class large_classes[] = {
	{"small", 1, 50, 150, 20, 35, 1},
	{"medium", 5, 100, 350, 50, 11, 1},
	{"large", 20, 200, 700, 200, 4, 1},
};

static const struct bench_class tas_classes[] = {
	{"small", 1, 50, 200, 100, 350, 2},
	{"medium", 5, 100, 500, 500, 100, 4},
	{"large", 20, 200, 1000, 1200, 50, 8},
};

const struct bench_shape bench_baseline = {5, 6, 20, 100, baseline_classes, 3, 0};
const struct bench_shape bench_large = {10, 100, 20, 100, large_classes, 3, 0};
const struct bench_shape bench_tas = {5, 6, 20, 100, tas_classes, 3, 10};

uint32_t bench_shape_queues(const struct bench_shape *shape)
{
	return shape->cohorts * shape->queues;
}

uint32_t bench_shape_workloads(const struct bench_shape *shape)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < shape->class_count; i++) {
		count += shape->classes[i].count;
	}
	return count * bench_shape_queues(shape);
}

static void must(enum plm_code code, const struct plm_error *err)
{
	bench_check(code == PLM_OK, err->text);
}

/* ---- life -------------------------------------------------------------------------------------- */

static int64_t wall_ns(void *self)
{
	return ((const struct bench_world *)self)->now_ms * 1000000;
}

static int64_t boot_ms(void *self)
{
	return ((const struct bench_world *)self)->now_ms - START_MS;
}

static void open_engine(struct bench_world *w, const struct bench_world_options *options,
			const struct plm_w_config *config)
{
	struct plm_error err = {0};
	struct plm_engine_options mine = {
		.clock = {.self = w, .wall_ns = wall_ns, .boot_ms = boot_ms},
		.cluster_uid = "bench",
		.profile = options->cluster ? PLM_PROFILE_CLUSTER : PLM_PROFILE_SMALL,
		.config = *config,
	};

	must(plm_log_open_memory(&w->log, &err), &err);
	mine.log = w->log;
	must(plm_engine_open(&mine, &w->engine, &err), &err);
}

static void open_bare(struct bench_world *w, const struct bench_world_options *options,
		      const struct plm_w_config *config)
{
	struct plm_error err = {0};
	struct plm_w_limit workloads = {.table = plm_slice_str("workload"), .capacity = 2000000};
	struct plm_w_limit heap = {.table = plm_slice_str("heap"), .capacity = INT64_C(3) << 30};
	struct plm_w_limit tables[] = {workloads, heap};
	struct plm_w_limits limits = {.tables = {tables, PLM_COUNTOF(tables)}};

	must(plm_state_init(&w->st, options->cluster ? PLM_PROFILE_CLUSTER : PLM_PROFILE_SMALL,
			    &err),
	     &err);
	if (options->cluster) {
		plm_state_set_limits(&w->st, &limits);
	} else {
		tables[0].capacity = 100000;
		tables[1].capacity = INT64_C(1) << 28;
		plm_state_set_limits(&w->st, &limits);
	}
	bench_world_fold(w, PLM_EV_CONFIG, config);
}

void bench_world_open(struct bench_world *w, const struct bench_world_options *options)
{
	struct plm_error err = {0};
	struct plm_w_config config = {
		.compat = options->compat,
		.only = options->only,
		.settle = options->settle ? 1 : 0,
		.cluster_name = plm_slice_str("bench"),
		.gang_timeout_ms = 900000,
		.registration_timeout_ms = 900000,
		.launch_timeout_ms = 300000,
		.stock_out_ms = 180000,
	};

	*w = (struct bench_world){.now_ms = START_MS};
	must(plm_arena_init(&w->scratch, PLM_LIMIT_STEP_ARENA, &err), &err);
	must(plm_arena_init(&w->step, PLM_LIMIT_STEP_ARENA, &err), &err);
	if (options->engine) {
		open_engine(w, options, &config);
	} else {
		open_bare(w, options, &config);
	}
}

void bench_world_close(struct bench_world *w)
{
	plm_arena_fini(&w->scratch);
	plm_arena_fini(&w->step);
	if (w->engine != NULL) {
		plm_engine_close(w->engine);
		plm_log_close(w->log);
	} else {
		plm_state_fini(&w->st);
	}
}

const struct plm_state *bench_world_state(const struct bench_world *w)
{
	return w->engine != NULL ? plm_engine_state(w->engine) : &w->st;
}

/* ---- facts ------------------------------------------------------------------------------------- */

static void observe(struct bench_world *w, enum plm_event_type type, const void *payload)
{
	struct plm_error err = {0};
	struct plm_observation seen = {
		.source = PLM_SOURCE_FILE,
		.type = type,
		.payload = plm_payload_encode(plm_event_info((uint16_t)type), payload,
					      (struct plm_slice){0}, &w->scratch),
	};
	enum plm_code code = plm_engine_observe(w->engine, &seen, &err);

	if (code == PLM_E_AGAIN) {
		must(plm_engine_flush(w->engine, &err), &err);
		code = plm_engine_observe(w->engine, &seen, &err);
	}
	must(code, &err);
}

void bench_world_fold(struct bench_world *w, enum plm_event_type type, const void *payload)
{
	struct plm_event event = {.seq = ++w->seq, .type = (uint16_t)type, .payload = payload};

	plm_arena_reset(&w->scratch);
	if (w->engine != NULL) {
		observe(w, type, payload);
	} else {
		plm_apply(&w->st, &event, &w->scratch);
	}
}

static struct plm_w_meta meta(const char *ns, const char *name, int64_t at_ms)
{
	return (struct plm_w_meta){
		.ns = plm_slice_str(ns),
		.name = plm_slice_str(name),
		.uid = plm_slice_str(name),
		.created_ms = at_ms,
		.deleting_ms = PLM_UNSET,
	};
}

static void fold_queue(struct bench_world *w, const struct bench_shape *shape, uint32_t number)
{
	char name[TEXT_BYTES];
	char cohort[TEXT_BYTES];
	struct plm_slice cpu = plm_slice_str("cpu");
	struct plm_w_quota quota = {
		.resource = cpu,
		.nominal = shape->nominal * MILLI,
		.borrowing = shape->borrow * MILLI,
		.lending = PLM_UNSET,
	};
	struct plm_w_flavor_quota flavor = {plm_slice_str("default"), {&quota, 1}};
	struct plm_w_group group = {{&cpu, 1}, {&flavor, 1}};
	struct plm_w_cluster_queue queue = {
		.groups = {&group, 1},
		.ns_selector = {.present = 1},
		.within = PLM_PREEMPTION_LOWER_PRIORITY,
		.reclaim = PLM_PREEMPTION_ANY,
		.borrow_threshold = PLM_UNSET,
		.preempt_threshold = PLM_UNSET,
		.weight_nano = 1000000000,
	};
	struct plm_w_local_queue local = {0};

	(void)snprintf(name, sizeof(name), "q%u", number);
	(void)snprintf(cohort, sizeof(cohort), "cohort-%u", number % shape->cohorts);
	queue.meta = meta("", name, START_MS);
	queue.cohort = plm_slice_str(cohort);
	bench_world_fold(w, PLM_EV_CLUSTER_QUEUE, &queue);
	local.meta = meta("bench", name, START_MS);
	local.cluster_queue = plm_slice_str(name);
	bench_world_fold(w, PLM_EV_LOCAL_QUEUE, &local);
}

#define BLOCK "cloud.provider.com/topology-block"
#define RACK "cloud.provider.com/topology-rack"
#define HOST "kubernetes.io/hostname"
#define RACK_NODES 64U

static void fold_topology(struct bench_world *w)
{
	struct plm_slice levels[] = {plm_slice_str(BLOCK), plm_slice_str(RACK),
				     plm_slice_str(HOST)};
	struct plm_w_topology topology = {
		.meta = meta("", "racks", START_MS),
		.levels = {levels, PLM_COUNTOF(levels)},
	};

	bench_world_fold(w, PLM_EV_TOPOLOGY, &topology);
}

void bench_world_queues(struct bench_world *w, const struct bench_shape *shape)
{
	struct plm_w_namespace ns = {.meta = meta("", "bench", START_MS)};
	struct plm_w_flavor flavor = {.meta = meta("", "default", START_MS)};
	struct plm_w_kv label = {plm_slice_str("group"), plm_slice_str("tas")};

	bench_world_fold(w, PLM_EV_NAMESPACE, &ns);
	if (shape->racks > 0) {
		fold_topology(w);
		flavor.topology = plm_slice_str("racks");
		flavor.node_labels = (struct plm_vec){&label, 1};
		bench_world_nodes(w, shape->racks * RACK_NODES);
	}
	bench_world_fold(w, PLM_EV_FLAVOR, &flavor);
	for (uint32_t i = 0; i < bench_shape_queues(shape); i++) {
		fold_queue(w, shape, i);
	}
}

/* A workload as its object says; the lists live where the caller keeps them. */
struct parts {
	char name[TEXT_BYTES], queue[TEXT_BYTES];
	struct plm_w_amount cpu;
	struct plm_w_pod_set_spec set;
	struct plm_w_workload workload;
};

static void ask(struct plm_w_pod_set_spec *set, uint32_t number)
{
	set->topology_asked = 1;
	if (number % 3 == 0) {
		set->topology_required = plm_slice_str(RACK);
	} else if (number % 3 == 1) {
		set->topology_preferred = plm_slice_str(RACK);
	} else {
		set->topology_unconstrained = 1;
	}
}

static void make(struct parts *parts, const struct bench_class *class, uint32_t queue,
		 uint32_t number)
{
	(void)snprintf(parts->name, sizeof(parts->name), "%s-%u-%u", class->name, queue, number);
	(void)snprintf(parts->queue, sizeof(parts->queue), "q%u", queue);
	uint32_t pods = class->pods == 0 ? 1 : class->pods;

	parts->cpu = (struct plm_w_amount){plm_slice_str("cpu"), class->cpu * MILLI / pods};
	parts->set = (struct plm_w_pod_set_spec){
		.name = plm_slice_str("main"),
		.count = pods,
		.min_count = PLM_UNSET,
		.shape = {.requests = {&parts->cpu, 1}, .priority = PLM_UNSET},
	};
	if (pods > 1) {
		ask(&parts->set, number);
	}
	parts->workload = (struct plm_w_workload){
		.meta = meta("bench", parts->name, START_MS),
		.queue = plm_slice_str(parts->queue),
		.priority = class->priority,
		.active = 1,
		.pod_sets = {&parts->set, 1},
		.reserved_ms = PLM_UNSET,
		.admitted_ms = PLM_UNSET,
		.evicted_ms = PLM_UNSET,
		.requeue_at_ms = PLM_UNSET,
		.finished_ms = PLM_UNSET,
	};
}

void bench_world_workload(struct bench_world *w, const struct bench_class *class, uint32_t queue,
			  uint32_t number, int64_t at_ms)
{
	struct parts parts;

	make(&parts, class, queue, number);
	parts.workload.meta.created_ms = START_MS + at_ms;
	bench_world_fold(w, PLM_EV_WORKLOAD, &parts.workload);
}

void bench_world_finish(struct bench_world *w, const struct bench_class *class, uint32_t queue,
			uint32_t number)
{
	struct parts parts;

	make(&parts, class, queue, number);
	parts.workload.finished_ms = w->now_ms;
	bench_world_fold(w, PLM_EV_WORKLOAD, &parts.workload);
}

void bench_world_fill(struct bench_world *w, const struct bench_shape *shape)
{
	for (uint32_t c = 0; c < shape->class_count; c++) {
		const struct bench_class *class = &shape->classes[c];

		for (uint32_t i = 0; i < class->count; i++) {
			for (uint32_t q = 0; q < bench_shape_queues(shape); q++) {
				bench_world_workload(w, class, q, i, i * class->every_ms);
			}
		}
	}
}

void bench_world_nodes(struct bench_world *w, uint32_t count)
{
	struct plm_w_amount amounts[] = {
		{plm_slice_str("cpu"), INT64_C(96) * MILLI},
		{plm_slice_str("memory"), INT64_C(256) << 30},
		{plm_slice_str("pods"), 110},
	};
	char name[TEXT_BYTES];
	char rack[TEXT_BYTES];

	for (uint32_t i = 0; i < count; i++) {
		struct plm_w_kv labels[] = {
			{plm_slice_str(BLOCK), plm_slice_str("b")},
			{plm_slice_str(RACK), {0}},
			{plm_slice_str("group"), plm_slice_str("tas")},
			{plm_slice_str(HOST), {0}},
		};
		struct plm_w_node node = {
			.capacity = {amounts, PLM_COUNTOF(amounts)},
			.allocatable = {amounts, PLM_COUNTOF(amounts)},
			.ready = 1,
		};

		(void)snprintf(name, sizeof(name), "node-%u", i);
		(void)snprintf(rack, sizeof(rack), "rack-%u", i / RACK_NODES);
		labels[1].value = plm_slice_str(rack);
		labels[3].value = plm_slice_str(name);
		node.meta = meta("", name, START_MS);
		node.meta.labels = (struct plm_vec){labels, PLM_COUNTOF(labels)};
		bench_world_fold(w, PLM_EV_NODE, &node);
	}
}

/* ---- cycles ------------------------------------------------------------------------------------ */

void bench_world_flush(struct bench_world *w)
{
	struct plm_error err = {0};

	if (w->engine != NULL) {
		must(plm_engine_flush(w->engine, &err), &err);
	}
}

static void count(struct bench_world *w, const struct plm_out *out)
{
	for (uint32_t handle = 1; handle <= out->count; handle++) {
		w->reserved += plm_out_item(out, handle)->type == PLM_EV_RESERVE;
	}
	w->decisions += out->count;
}

static void cycle_bare(struct bench_world *w, int64_t rounds)
{
	struct plm_w_cycle cycle = {
		.now_ms = w->now_ms,
		.max_rounds = rounds,
		.budget = PLM_LIMIT_CYCLE_BUDGET,
	};
	struct plm_cycle_run run;
	bool over = false;

	bench_world_fold(w, PLM_EV_CYCLE, &cycle);
	plm_cycle_begin(&run, &cycle);
	while (!over) {
		struct plm_out out;

		plm_arena_reset(&w->step);
		plm_out_init(&out, &w->step);
		over = plm_cycle_step(&w->st, &run, &w->step, &out);
		for (uint32_t handle = 1; handle <= out.count; handle++) {
			const struct plm_out_item *item = plm_out_item(&out, handle);

			if (w->hear != NULL) {
				w->hear(w->hear_self, item->type, item->payload);
			}
			bench_world_fold(w, item->type, item->payload);
		}
		count(w, &out);
	}
	w->rounds = run.round;
}

static void cycle_engine(struct bench_world *w, int64_t rounds)
{
	struct plm_engine_stats before = plm_engine_stats(w->engine);
	struct plm_error err = {0};
	bool settled = false;

	must(plm_engine_cycle(w->engine, rounds, &settled, &err), &err);
	w->decisions = (uint32_t)(plm_engine_stats(w->engine).decisions - before.decisions);
	PLM_EACH(bench_world_state(w), workload, id)
	{
		uint32_t stage = plm_workload_at(bench_world_state(w), id)->stage;

		w->reserved += stage == PLM_STAGE_RESERVED || stage == PLM_STAGE_ADMITTED;
	}
}

void bench_world_cycle(struct bench_world *w, int64_t rounds)
{
	w->reserved = 0;
	w->decisions = 0;
	if (w->engine != NULL) {
		cycle_engine(w, rounds);
	} else {
		cycle_bare(w, rounds);
	}
}
