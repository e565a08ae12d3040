/*
 * bench_replay - what a log of real decisions costs: to write, to keep, to replay
 *
 * Jobs arrive in 100 queues, are admitted, run and end; the effects are answered at once. Figures:
 * events per second live and replayed (folded and verified; decided again), bytes per event, time
 * to the middle of the log with and without snapshots.
 */
#include "bench_lib.h"
#include "codec/codec.h"
#include "engine/engine.h"
#include "engine/replay.h"

#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>

#define QUEUES 100U
#define START_MS 1767225600000LL

struct bench {
	struct plm_log *log;
	struct plm_engine *engine;
	struct plm_arena arena;
	int64_t now_ms;
	const char *folder;
	/* Effects to answer, in order. */
	struct answer {
		uint64_t intent;
		char name[64];
	} *answers;
	size_t count, capacity;
};

static void must(enum plm_code code, const struct plm_error *err)
{
	bench_check(code == PLM_OK, err->text);
}

/*
 * ---- ports
 * -------------------------------------------------------------------------------------
 */

static int64_t wall_ns(void *self)
{
	return ((struct bench *)self)->now_ms * 1000000;
}

static int64_t boot_ms(void *self)
{
	return ((struct bench *)self)->now_ms - START_MS;
}

static void submit(void *self, const struct plm_effect *effect)
{
	struct bench *b = self;
	const struct plm_w_req_job_start *start = effect->request;

	if (effect->call != PLM_CALL_JOB_START) {
		return;
	}
	if (b->count == b->capacity) {
		b->capacity = b->capacity == 0 ? 1024 : b->capacity * 2;
		b->answers = realloc(b->answers, b->capacity * sizeof(*b->answers));
	}
	b->answers[b->count].intent = effect->intent;
	(void)snprintf(b->answers[b->count].name, sizeof(b->answers->name), "%.*s",
		       (int)start->name.size, (const char *)start->name.ptr);
	b->count++;
}

static void snapshot(void *self, const struct plm_snapshot_info *info,
		     const struct plm_slice *parts, size_t count)
{
	struct bench *b = self;
	struct plm_error err;

	must(plm_snapshot_write(b->folder, info, parts, count, &err), &err);
}

static void step(struct bench *b)
{
	struct plm_error err;
	bool did = true;

	b->now_ms += 50;
	must(plm_engine_step(b->engine, &did, &err), &err);
}

static void observe(struct bench *b, enum plm_event_type type, uint64_t intent, const void *value)
{
	struct plm_observation o = {
		.source = PLM_SOURCE_KUBE,
		.type = type,
		.intent = intent,
		.pos = plm_slice_str("123456"),
		.payload = plm_payload_encode(plm_event_info((uint16_t)type), value,
					      plm_slice_of("0123456789abcdef0123456789abcdef", 32),
					      &b->arena),
	};
	struct plm_error err;
	enum plm_code code = plm_engine_observe(b->engine, &o, &err);

	if (code == PLM_E_AGAIN) {
		step(b);
		code = plm_engine_observe(b->engine, &o, &err);
	}
	must(code, &err);
	plm_arena_reset(&b->arena);
}

/*
 * ---- the load
 * ----------------------------------------------------------------------------------
 */

static struct plm_w_meta meta(const char *ns, struct plm_slice name)
{
	return (struct plm_w_meta){
		.ns = plm_slice_str(ns),
		.name = name,
		.uid = name,
		.created_ms = START_MS,
		.deleting_ms = PLM_UNSET,
	};
}

static void make_queues(struct bench *b)
{
	struct plm_w_namespace ns = {.meta = meta("", plm_slice_str("ml"))};
	struct plm_w_flavor flavor = {.meta = meta("", plm_slice_str("default"))};

	observe(b, PLM_EV_NAMESPACE, 0, &ns);
	observe(b, PLM_EV_FLAVOR, 0, &flavor);
	for (uint32_t i = 0; i < QUEUES; i++) {
		char name[32];
		struct plm_slice cpu = plm_slice_str("cpu");
		struct plm_w_quota quota = {cpu, 64000, PLM_UNSET, PLM_UNSET};
		struct plm_w_flavor_quota of = {plm_slice_str("default"), {&quota, 1}};
		struct plm_w_group group = {{&cpu, 1}, {&of, 1}};
		struct plm_w_cluster_queue queue = {0};
		struct plm_w_local_queue local = {0};

		(void)snprintf(name, sizeof(name), "q-%u", i);
		queue.meta = meta("", plm_slice_str(name));
		queue.cohort = plm_slice_str("all");
		queue.groups = (struct plm_vec){&group, 1};
		queue.ns_selector.present = 1;
		queue.when_can_preempt = PLM_FUNGIBILITY_TRY_NEXT_FLAVOR;
		queue.borrow_threshold = PLM_UNSET;
		queue.preempt_threshold = PLM_UNSET;
		queue.weight_nano = 1000000000;
		observe(b, PLM_EV_CLUSTER_QUEUE, 0, &queue);
		local.meta = meta("ml", plm_slice_str(name));
		local.cluster_queue = plm_slice_str(name);
		observe(b, PLM_EV_LOCAL_QUEUE, 0, &local);
	}
}

static void put_job(struct bench *b, const char *name, bool running, bool done)
{
	uint32_t number = (uint32_t)strtoul(name + 4, NULL, 10);
	struct plm_w_amount requests[2] = {{plm_slice_str("cpu"), 4000},
					   {plm_slice_str("memory"), 8LL << 30}};
	char queue[32];
	struct plm_w_pod_set_spec set = {
		.name = plm_slice_str("main"), .count = 4, .min_count = PLM_UNSET};
	struct plm_w_job job = {
		.meta = meta("ml", plm_slice_str(name)),
		.kind = PLM_KIND_JOB,
		.workload = plm_slice_str(name),
		.managed = 1,
		.suspended = running || done ? 0 : 1,
		.parallelism = 4,
		.completions = 4,
		.backoff_limit = 6,
		.min_parallelism = PLM_UNSET,
		.active = running ? 4 : 0,
		.succeeded = done ? 4 : 0,
		.end = done ? PLM_JOB_COMPLETE : PLM_JOB_OPEN,
		.ended_ms = done ? b->now_ms : PLM_UNSET,
		.started_ms = running || done ? b->now_ms : PLM_UNSET,
		.pod_sets = {&set, 1},
	};

	(void)snprintf(queue, sizeof(queue), "q-%u", number % QUEUES);
	job.queue = plm_slice_str(queue);
	set.shape.requests = (struct plm_vec){requests, 1};
	set.shape.priority = PLM_UNSET;
	observe(b, PLM_EV_JOB, 0, &job);
}

/* Every started job runs, and ends three rounds later. */
static void answer(struct bench *b, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		struct plm_w_result done = {.intent = (int64_t)b->answers[i].intent,
					    .class = PLM_RESULT_DONE,
					    .price_micro = PLM_UNSET};

		observe(b, PLM_EV_RESULT, b->answers[i].intent, &done);
		put_job(b, b->answers[i].name, true, false);
	}
}

static void load(struct bench *b, uint32_t jobs)
{
	uint32_t made = 0;
	size_t answered = 0;
	size_t ended = 0;

	make_queues(b);
	step(b);
	while (ended < jobs) {
		size_t started = 0;

		for (uint32_t i = 0; i < 200 && made < jobs; i++, made++) {
			char name[32];

			(void)snprintf(name, sizeof(name), "job-%u", made);
			put_job(b, name, false, false);
		}
		step(b);
		started = b->count;
		for (; ended < answered; ended++) {
			put_job(b, b->answers[ended].name, false, true);
		}
		answer(b, answered, started);
		answered = started;
		step(b);
		if (started == ended && made == jobs && ended < jobs) {
			(void)fprintf(stderr, "bench_replay: %zu of %u jobs ran\n", ended, jobs);
			exit(1);
		}
	}
}

/*
 * ---- figures
 * -----------------------------------------------------------------------------------
 */

/* Wall time and processor time of this process; the child that reads the log is not in it. */
struct took {
	int64_t ns, cpu_ns;
};

static struct plm_fold_report fold(struct bench *b, const struct plm_fold_options *options,
				   struct took *out)
{
	struct plm_fold_report report = {0};
	struct plm_state st;
	struct plm_error err;
	struct took begin;

	must(plm_state_init(&st, PLM_PROFILE_CLUSTER, &err), &err);
	begin = (struct took){bench_now_ns(), bench_cpu_ns()};
	must(plm_fold(b->log, options, &st, &report, &err), &err);
	*out = (struct took){bench_now_ns() - begin.ns, bench_cpu_ns() - begin.cpu_ns};
	bench_check(report.diverged == 0, report.difference);
	plm_state_fini(&st);
	return report;
}

static int64_t rate(uint64_t events, int64_t ns)
{
	return (int64_t)((plm_i128)events * 1000000000 / (ns > 0 ? ns : 1));
}

/* A cursor of LMDB that only touches every line of every row: events per second. */
static int64_t raw_scan(const char *folder)
{
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_dbi dbi = 0;
	MDB_cursor *cursor = NULL;
	MDB_val key;
	MDB_val value;
	uint64_t rows = 0;
	volatile uint8_t sum = 0;
	int64_t begin = 0;

	bench_check(mdb_env_create(&env) == 0 && mdb_env_set_maxdbs(env, 8) == 0 &&
			    mdb_env_set_mapsize(env, 1ULL << 36) == 0 &&
			    mdb_env_open(env, folder, MDB_RDONLY | MDB_NOLOCK, 0644) == 0 &&
			    mdb_txn_begin(env, NULL, MDB_RDONLY, &txn) == 0 &&
			    mdb_dbi_open(txn, "log", 0, &dbi) == 0 &&
			    mdb_cursor_open(txn, dbi, &cursor) == 0,
		    "raw scan");
	begin = bench_now_ns();
	while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
		for (size_t i = 0; i < value.mv_size; i += 64) {
			sum = (uint8_t)(sum + ((const uint8_t *)value.mv_data)[i]);
		}
		rows++;
	}
	begin = bench_now_ns() - begin;
	mdb_cursor_close(cursor);
	mdb_txn_abort(txn);
	mdb_env_close(env);
	return rate(rows, begin);
}

static void replay_figure(struct bench *b, const char *name, bool recompute)
{
	struct plm_fold_options options = {.to = UINT64_MAX, .recompute = recompute};
	struct took took;
	struct plm_fold_report report = fold(b, &options, &took);
	char note[160];

	bench_check(!recompute || report.decisions > 0, "nothing was decided again");
	(void)snprintf(note, sizeof(note),
		       "%sbeside a bare LMDB cursor over the same rows; %lld ns of CPU per event "
		       "besides the child that reads",
		       recompute ? "" : "aim 600,000; ",
		       (long long)(took.cpu_ns / (int64_t)report.events));
	bench_print(name, rate(report.events, took.ns), "events/s", raw_scan(b->folder), note);
}

static void replay_figures(struct bench *b)
{
	struct plm_fold_options middle = {.to = plm_log_head(b->log).seq / 2};
	struct plm_fold_options near = {.to = middle.to, .snapshots = b->folder};
	struct took took;

	replay_figure(b, "replay: folded and verified", false);
	replay_figure(b, "replay: decided again and compared", true);
	(void)fold(b, &middle, &took);
	bench_print_ms("time to a point: middle of the log, from the start", took.ns, 0,
		       "no snapshot");
	(void)fold(b, &near, &took);
	bench_print_ms("time to a point: middle of the log, from a snapshot", took.ns, 0,
		       "a snapshot each 32,768 events");
}

static void run(struct bench *b, uint32_t jobs, struct plm_engine_options *options)
{
	struct plm_error err;
	int64_t begin = 0;
	uint64_t events = 0;
	char note[160];

	must(plm_arena_init(&b->arena, 1U << 28, &err), &err);
	must(plm_log_open(b->folder, PLM_LOG_WRITE, &b->log, &err), &err);
	options->log = b->log;
	options->folder = b->folder;
	must(plm_engine_open(options, &b->engine, &err), &err);
	begin = bench_now_ns();
	load(b, jobs);
	begin = bench_now_ns() - begin;
	events = plm_log_head(b->log).seq;
	(void)snprintf(note, sizeof(note),
		       "%u jobs queued, admitted, run, ended; 200 new ones each 100 ms; %s", jobs,
		       bench_file_system(b->folder));
	bench_print("live: observed, decided, durable", rate(events, begin), "events/s", 0, note);
	bench_print("log: bytes per event", (int64_t)(plm_log_head(b->log).bytes / events), "B", 0,
		    "envelopes; keys, frames and pages come on top");
	plm_engine_close(b->engine);
	b->engine = NULL;
	replay_figures(b);
	plm_log_close(b->log);
	plm_arena_fini(&b->arena);
	free(b->answers);
}

int main(int argc, char **argv)
{
	char folder[4000];
	struct bench b = {.now_ms = START_MS, .folder = folder};
	struct plm_engine_options options = {
		.clock = {&b, wall_ns, boot_ms},
		.effects = {&b, submit, NULL},
		.snapshot = snapshot,
		.snapshot_self = &b,
		.snapshot_events = bench_short() ? 4096 : 32768,
		.cluster_uid = "bench",
		.profile = PLM_PROFILE_CLUSTER,
		.config = {.cluster_name = plm_slice_str("bench"), .only = PLM_ONLY_QUEUES},
	};

	bench_folder(argc, argv, folder, sizeof(folder));
	run(&b, bench_short() ? 1000 : 20000, &options);
	bench_remove(folder);
	return 0;
}
