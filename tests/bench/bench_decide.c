/*
 * bench_decide - what a decision costs on 10,000 workloads in 100 queues, and on 10,000 pods
 *
 * Parsing (read, project, encode) is apart from what follows it: the facts taken into a log in memory,
 * and the decision, under both `compat` values, for one cycle and until stable. Raw beside the parsing:
 * cJSON alone over the same bytes; beside the rest: nothing comparable exists. Every figure is the median
 * of RUNS runs. With PLM_SHORT the loads are small and run once, and the answers are still checked.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>

#include "adapters/catalog/catalog.h"
#include "adapters/manifest/manifest.h"
#include "bench_lib.h"
#include "bench_load.h"
#include "codec/codec.h"
#include "engine/engine.h"

#define RUNS 7
/* As `decide`: settled after this many cycles, or not at all. */
#define MAX_CYCLES 64
#define ROUNDS 1000
#define MS 1000000

struct fact {
	enum plm_event_type type;
	struct plm_slice payload;
};

/* An input after parsing. */
struct input {
	char name[64];
	struct plm_arena bytes, scratch; /* owned */
	struct fact *facts;		 /* owned */
	size_t count, capacity;
	int64_t now_ms;
	bool wants_catalog;
};

struct plan {
	const char *name;
	enum plm_compat compat;
	int64_t rounds; /* of one cycle; ROUNDS = until stable */
	enum plm_only only;
};

/* Medians of one plan on one input. */
struct taken {
	struct bench_times open, facts, decide, all, cpu;
};

static void must(enum plm_code code, const struct plm_error *err)
{
	bench_check(code == PLM_OK, err->text);
}

static int runs(void)
{
	return bench_short() ? 1 : RUNS;
}

/*
 * ---- parsing
 * -----------------------------------------------------------------------------------
 */

static enum plm_code keep(void *ctx, const struct plm_manifest_fact *fact, struct plm_error *err)
{
	struct input *in = ctx;
	struct plm_slice hash =
		plm_slice_of(fact->object_hash.bytes, sizeof(fact->object_hash.bytes));
	struct plm_slice payload;

	(void)err;
	if (in->count == in->capacity) {
		in->capacity = in->capacity == 0 ? 1024 : in->capacity * 2;
		in->facts = reallocarray(in->facts, in->capacity, sizeof(*in->facts));
		bench_check(in->facts != NULL, "no memory");
	}
	plm_arena_reset(&in->scratch);
	payload = plm_payload_encode(plm_event_info((uint16_t)fact->type), fact->payload, hash,
				     &in->scratch);
	in->facts[in->count++] = (struct fact){fact->type, plm_arena_copy(&in->bytes, payload)};
	in->wants_catalog |= fact->type == PLM_EV_NODE_POOL;
	return PLM_OK;
}

static void parse_once(struct input *in, struct plm_slice text)
{
	struct plm_manifest_options options = {.now_ms = PLM_UNSET};
	struct plm_manifest_sink sink = {.ctx = in, .fact = keep};
	struct plm_manifest *reader = NULL;
	struct plm_error err = {0};

	in->count = 0;
	plm_arena_reset(&in->bytes);
	must(plm_manifest_open(&reader, &options, &sink, &err), &err);
	must(plm_manifest_read_text(reader, "load.json", text, &err), &err);
	in->now_ms = plm_manifest_newest(reader);
	plm_manifest_close(reader);
}

static void raw_json(struct plm_slice text)
{
	cJSON *tree = cJSON_ParseWithLength((const char *)text.ptr, text.size);

	bench_check(tree != NULL, "cJSON");
	cJSON_Delete(tree);
}

static void parse(struct input *in, struct plm_slice text)
{
	struct bench_times ours = {0};
	struct bench_times raw = {0};
	char name[128];
	char note[128];

	for (int i = 0; i < runs(); i++) {
		int64_t begin = bench_now_ns();

		parse_once(in, text);
		bench_times_add(&ours, bench_now_ns() - begin);
		begin = bench_now_ns();
		raw_json(text);
		bench_times_add(&raw, bench_now_ns() - begin);
	}
	(void)snprintf(name, sizeof(name), "decide: %s, read and projected", in->name);
	(void)snprintf(note, sizeof(note), "JSON, beside cJSON's tree alone; %zu KB, %zu objects",
		       text.size / 1024, in->count);
	bench_print_ms(name, bench_times_at(&ours, 500), bench_times_at(&raw, 500), note);
	bench_times_fini(&ours);
	bench_times_fini(&raw);
}

/*
 * ---- deciding
 * ----------------------------------------------------------------------------------
 */

static int64_t wall_ns(void *self)
{
	return ((const struct input *)self)->now_ms * MS;
}

static int64_t boot_ms(void *self)
{
	(void)self;
	return 0;
}

static void take(struct plm_engine *engine, const struct input *in)
{
	struct plm_error err = {0};

	for (size_t i = 0; i < in->count; i++) {
		struct plm_observation seen = {
			.source = PLM_SOURCE_FILE,
			.type = in->facts[i].type,
			.payload = in->facts[i].payload,
		};
		enum plm_code code = plm_engine_observe(engine, &seen, &err);

		if (code == PLM_E_AGAIN) {
			must(plm_engine_flush(engine, &err), &err);
			code = plm_engine_observe(engine, &seen, &err);
		}
		must(code, &err);
	}
	must(plm_engine_flush(engine, &err), &err);
}

static void decide(struct plm_engine *engine, const struct plan *plan)
{
	struct plm_error err = {0};
	bool settled = false;
	bool did = plan->rounds == ROUNDS;

	must(plm_engine_cycle(engine, plan->rounds, &settled, &err), &err);
	for (int i = 0; did && i < MAX_CYCLES; i++) {
		must(plm_engine_step(engine, &did, &err), &err);
	}
}

static struct plm_engine *open_engine(struct input *in, const struct plan *plan,
				      struct plm_log *log, struct plm_arena *arena)
{
	struct plm_engine_options options = {
		.log = log,
		.clock = {.self = in, .wall_ns = wall_ns, .boot_ms = boot_ms},
		.cluster_uid = "bench",
		.profile = PLM_PROFILE_SMALL,
		.config =
			{
				.compat = plan->compat,
				.only = plan->only,
				.cluster_name = plm_slice_str("bench"),
				.region = plm_slice_str("us-west-2"),
				.pending_by_hand = plan->compat == PLM_COMPAT_STRICT ? 0 : 1,
				.gang_timeout_ms = 900000,
				.registration_timeout_ms = 900000,
				.launch_timeout_ms = 300000,
				.stock_out_ms = 180000,
			},
	};
	struct plm_w_catalog catalog = {0};
	struct plm_engine *engine = NULL;
	struct plm_error err = {0};

	if (in->wants_catalog) {
		must(plm_catalog_builtin("us-west-2", arena, &catalog, &err), &err);
		options.catalog = &catalog;
	}
	must(plm_engine_open(&options, &engine, &err), &err);
	return engine;
}

/* What the decision was: the note, and whether it was one. */
static void tell(const struct plm_engine *engine, const struct input *in, char *out, size_t size)
{
	const struct plm_state *st = plm_engine_state(engine);
	uint32_t admitted = 0;
	uint32_t placed = 0;

	PLM_EACH(st, workload, id)
	{
		enum plm_stage stage = (enum plm_stage)plm_workload_at(st, id)->stage;

		admitted += stage == PLM_STAGE_RESERVED || stage == PLM_STAGE_ADMITTED ? 1 : 0;
	}
	PLM_EACH(st, pod, id)
	{
		placed += plm_pod_at(st, id)->target.n != 0 ? 1 : 0;
	}
	if (in->wants_catalog) {
		bench_check(placed == plm_pod_live(st), "a pod was not placed");
		(void)snprintf(out, size, "%u types, %u pods on %u new nodes",
			       plm_instance_type_live(st), placed, plm_node_claim_live(st));
	} else {
		bench_check(admitted > 0, "nothing was admitted");
		(void)snprintf(out, size, "%u of %u workloads hold quota", admitted,
			       plm_workload_live(st));
	}
}

static void run_once(struct input *in, const struct plan *plan, struct taken *taken, char *note,
		     size_t size)
{
	struct plm_log *log = NULL;
	struct plm_engine *engine = NULL;
	struct plm_arena arena = {0};
	struct plm_error err = {0};
	int64_t cpu = bench_cpu_ns();
	int64_t at[4] = {bench_now_ns()};

	must(plm_log_open_memory(&log, &err), &err);
	must(plm_arena_init(&arena, PLM_CATALOG_ARENA_BYTES, &err), &err);
	engine = open_engine(in, plan, log, &arena);
	at[1] = bench_now_ns();
	take(engine, in);
	at[2] = bench_now_ns();
	decide(engine, plan);
	at[3] = bench_now_ns();
	bench_times_add(&taken->cpu, bench_cpu_ns() - cpu);
	bench_times_add(&taken->open, at[1] - at[0]);
	bench_times_add(&taken->facts, at[2] - at[1]);
	bench_times_add(&taken->decide, at[3] - at[2]);
	bench_times_add(&taken->all, at[3] - at[0]);
	tell(engine, in, note, size);
	plm_engine_close(engine);
	plm_log_close(log);
	plm_arena_fini(&arena);
}

static void measure(struct input *in, const struct plan *plan, const char *aim)
{
	struct taken taken = {0};
	char what[128] = "";
	char name[128];
	char note[384];

	for (int i = 0; i < runs(); i++) {
		run_once(in, plan, &taken, what, sizeof(what));
	}
	(void)snprintf(name, sizeof(name), "decide: %s, %s, after parsing", in->name, plan->name);
	(void)snprintf(note, sizeof(note),
		       "%s; start %.1f, facts %.1f, decision %.1f, CPU %.1f ms; %s", aim,
		       (double)bench_times_at(&taken.open, 500) / MS,
		       (double)bench_times_at(&taken.facts, 500) / MS,
		       (double)bench_times_at(&taken.decide, 500) / MS,
		       (double)bench_times_at(&taken.cpu, 500) / MS, what);
	bench_print_ms(name, bench_times_at(&taken.all, 500), 0, note);
	bench_times_fini(&taken.open);
	bench_times_fini(&taken.facts);
	bench_times_fini(&taken.decide);
	bench_times_fini(&taken.all);
	bench_times_fini(&taken.cpu);
}

/*
 * ---- loads
 * -------------------------------------------------------------------------------------
 */

static void open_input(struct input *in, uint32_t count, const char *what)
{
	struct plm_error err = {0};

	*in = (struct input){0};
	(void)snprintf(in->name, sizeof(in->name), "%u %s", count, what);
	must(plm_arena_init(&in->bytes, (size_t)1 << 30, &err), &err);
	must(plm_arena_init(&in->scratch, (size_t)1 << 28, &err), &err);
}

static void close_input(struct input *in)
{
	plm_arena_fini(&in->bytes);
	plm_arena_fini(&in->scratch);
	free(in->facts);
}

static void queues(const char *what, uint32_t cohort, bool full)
{
	static const struct plan plans[] = {
		{"strict, one cycle", PLM_COMPAT_STRICT, 1, PLM_ONLY_QUEUES},
		{"strict, stable", PLM_COMPAT_STRICT, ROUNDS, PLM_ONLY_QUEUES},
		{"better, one cycle", PLM_COMPAT_BETTER, 1, PLM_ONLY_QUEUES},
		{"better, stable", PLM_COMPAT_BETTER, ROUNDS, PLM_ONLY_QUEUES},
	};
	uint32_t count = bench_short() ? 10 : 100;
	struct bench_load load;
	struct input in;

	open_input(&in, count * 100, what);
	bench_load_begin(&load, NULL, false);
	bench_load_queues(&load, count, cohort);
	if (full) {
		bench_load_running(&load, count);
	}
	bench_load_workloads(&load, count, 0, count * 100);
	parse(&in, bench_load_end(&load));
	for (size_t i = 0; i < PLM_COUNTOF(plans); i++) {
		measure(&in, &plans[i], "aim 100 ms");
	}
	bench_load_fini(&load);
	close_input(&in);
}

static void pods(uint32_t shapes, const char *what)
{
	static const struct plan plans[] = {
		{"strict, one cycle", PLM_COMPAT_STRICT, 1, PLM_ONLY_NODES},
		{"strict, stable", PLM_COMPAT_STRICT, ROUNDS, PLM_ONLY_NODES},
		{"better, one cycle", PLM_COMPAT_BETTER, 1, PLM_ONLY_NODES},
		{"better, stable", PLM_COMPAT_BETTER, ROUNDS, PLM_ONLY_NODES},
	};
	uint32_t count = bench_short() ? 300 : 10000;
	struct bench_load load;
	struct input in;

	open_input(&in, count, what);
	bench_load_begin(&load, NULL, false);
	bench_load_pool(&load);
	bench_load_pods(&load, count, shapes);
	parse(&in, bench_load_end(&load));
	for (size_t i = 0; i < PLM_COUNTOF(plans); i++) {
		measure(&in, &plans[i], "aim 300 ms");
	}
	bench_load_fini(&load);
	close_input(&in);
}

int main(void)
{
	queues("workloads, cohorts of 10", 10, false);
	queues("workloads, cohorts of 10, full", 10, true);
	queues("workloads, one cohort", 100, false);
	pods(1, "pods of 1 shape");
	pods(50, "pods of 50 shapes");
	pods(10000, "pods all different");
	return 0;
}
