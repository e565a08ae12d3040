/*
 * A log of random work, on disk, with snapshots: every way back to its end gives the same state and the
 * same decisions: from the start, from each snapshot, with snapshots missing or damaged.
 */
#include "codec/codec.h"
#include "engine/engine.h"
#include "engine/replay.h"
#include "hash/state_hash.h"
#include "plm_test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define START_MS 1767225600000LL
#define QUEUES 6U
#define JOBS 60U

struct load {
	char folder[64];
	struct plm_log *log;
	struct plm_engine *engine;
	struct plm_arena arena;
	int64_t now_ms;
	uint64_t seed;
	struct plm_hash128 live;
	uint32_t snapshots; /* written so far */
	/* What the cluster does when it is told: the job runs or has stopped. */
	uint64_t intents[4096];
	char names[4096][24];
	bool start[4096];
	size_t count;
};

static int64_t wall_ns(void *self)
{
	return ((struct load *)self)->now_ms * 1000000;
}

static int64_t boot_ms(void *self)
{
	return ((struct load *)self)->now_ms;
}

static void submit(void *self, const struct plm_effect *effect)
{
	struct load *l = self;
	const struct plm_w_req_job_stop *any =
		effect->request; /* kind, ns, name lead both requests */

	if ((effect->call != PLM_CALL_JOB_START && effect->call != PLM_CALL_JOB_STOP) ||
	    l->count == PLM_COUNTOF(l->intents)) {
		return;
	}
	l->intents[l->count] = effect->intent;
	l->start[l->count] = effect->call == PLM_CALL_JOB_START;
	(void)snprintf(l->names[l->count], sizeof(l->names[0]), "%.*s", (int)any->name.size,
		       (const char *)any->name.ptr);
	l->count++;
}

static void snapshot(void *self, const struct plm_snapshot_info *info,
		     const struct plm_slice *parts, size_t count)
{
	struct load *l = self;
	struct plm_error err;

	plm_assert_ok(plm_snapshot_write(l->folder, info, parts, count, &err), &err);
	l->snapshots++;
}

static void observe(struct load *l, enum plm_event_type type, const void *value)
{
	struct plm_observation o = {
		.source = PLM_SOURCE_KUBE,
		.type = type,
		.payload = plm_payload_encode(plm_event_info((uint16_t)type), value,
					      (struct plm_slice){0}, &l->arena),
	};
	struct plm_error err;

	plm_assert_ok(plm_engine_observe(l->engine, &o, &err), &err);
	plm_arena_reset(&l->arena);
}

static void step(struct load *l)
{
	struct plm_error err;
	bool did = false;

	l->now_ms += (int64_t)plm_test_below(&l->seed, 3000);
	plm_assert_ok(plm_engine_step(l->engine, &did, &err), &err);
}

static struct plm_w_meta meta(const char *ns, const char *name)
{
	return (struct plm_w_meta){
		.ns = plm_slice_str(ns),
		.name = plm_slice_str(name),
		.uid = plm_slice_str(name),
		.created_ms = START_MS,
		.deleting_ms = PLM_UNSET,
	};
}

static void put_queue(struct load *l, uint32_t i)
{
	char name[16];
	struct plm_slice cpu = plm_slice_str("cpu");
	struct plm_w_quota quota = {cpu, (int64_t)plm_test_below(&l->seed, 20) * 1000, PLM_UNSET,
				    PLM_UNSET};
	struct plm_w_flavor_quota of = {plm_slice_str("default"), {&quota, 1}};
	struct plm_w_group group = {{&cpu, 1}, {&of, 1}};
	struct plm_w_cluster_queue queue = {
		.cohort = plm_slice_str(i % 2 == 0 ? "even" : "odd"),
		.groups = {&group, 1},
		.ns_selector = {.present = 1},
		.strategy = i % 3 == 0 ? PLM_STRATEGY_STRICT_FIFO : PLM_STRATEGY_BEST_EFFORT_FIFO,
		.when_can_preempt = PLM_FUNGIBILITY_TRY_NEXT_FLAVOR,
		.within = PLM_PREEMPTION_LOWER_PRIORITY,
		.reclaim = PLM_PREEMPTION_ANY,
		.borrow_threshold = PLM_UNSET,
		.preempt_threshold = PLM_UNSET,
		.weight_nano = 1000000000,
	};
	struct plm_w_local_queue local = {0};

	(void)snprintf(name, sizeof(name), "q-%u", i);
	queue.meta = meta("", name);
	local.meta = meta("ml", name);
	local.cluster_queue = plm_slice_str(name);
	observe(l, PLM_EV_CLUSTER_QUEUE, &queue);
	observe(l, PLM_EV_LOCAL_QUEUE, &local);
}

static void put_job(struct load *l, const char *name, bool running, bool done)
{
	uint32_t number = (uint32_t)strtoul(name + 4, NULL, 10);
	struct plm_w_amount cpu = {plm_slice_str("cpu"), 1000 + 1000 * (number % 5)};
	char queue[16];
	struct plm_w_pod_set_spec set = {
		.name = plm_slice_str("main"), .count = 2, .min_count = PLM_UNSET};
	struct plm_w_job job = {
		.meta = meta("ml", name),
		.kind = PLM_KIND_JOB,
		.workload = plm_slice_str(name),
		.managed = 1,
		.suspended = running || done ? 0 : 1,
		.parallelism = 2,
		.completions = 2,
		.min_parallelism = PLM_UNSET,
		.active = running ? 2 : 0,
		.end = done ? PLM_JOB_COMPLETE : PLM_JOB_OPEN,
		.ended_ms = done ? l->now_ms : PLM_UNSET,
		.started_ms = PLM_UNSET,
		.pod_sets = {&set, 1},
	};

	(void)snprintf(queue, sizeof(queue), "q-%u", number % QUEUES);
	job.queue = plm_slice_str(queue);
	set.shape.requests = (struct plm_vec){&cpu, 1};
	set.shape.priority = number % 4;
	observe(l, PLM_EV_JOB, &job);
}

static void answer(struct load *l)
{
	for (size_t i = 0; i < l->count; i++) {
		struct plm_w_result done = {.intent = (int64_t)l->intents[i],
					    .class = PLM_RESULT_DONE,
					    .price_micro = PLM_UNSET};

		observe(l, PLM_EV_RESULT, &done);
		put_job(l, l->names[i], l->start[i], false);
	}
	l->count = 0;
}

static void one_change(struct load *l)
{
	char name[24];
	struct plm_w_gone gone = {.kind = PLM_KIND_JOB, .ns = plm_slice_str("ml")};

	(void)snprintf(name, sizeof(name), "job-%llu",
		       (unsigned long long)plm_test_below(&l->seed, JOBS));
	switch (plm_test_below(&l->seed, 8)) {
	case 0:
		gone.name = plm_slice_str(name);
		observe(l, PLM_EV_GONE, &gone);
		break;
	case 1:
		put_queue(l, (uint32_t)plm_test_below(&l->seed, QUEUES));
		break;
	case 2:
		put_job(l, name, false, true);
		break;
	default:
		put_job(l, name, false, false);
		break;
	}
}

static void open_engine(struct load *l)
{
	struct plm_engine_options options = {
		.folder = l->folder,
		.clock = {l, wall_ns, boot_ms},
		.effects = {l, submit, NULL},
		.snapshot = snapshot,
		.snapshot_self = l,
		.snapshot_events = 4096,
		.cluster_uid = "replay",
		.profile = PLM_PROFILE_SMALL,
		.config = {.cluster_name = plm_slice_str("replay"), .only = PLM_ONLY_QUEUES},
	};
	struct plm_error err;

	plm_assert_ok(plm_log_open(l->folder, PLM_LOG_WRITE, &l->log, &err), &err);
	options.log = l->log;
	plm_assert_ok(plm_engine_open(&options, &l->engine, &err), &err);
}

static void close_engine(struct load *l)
{
	plm_engine_close(l->engine);
	plm_log_close(l->log);
	l->engine = NULL;
	l->log = NULL;
}

static void setup(void **state)
{
	struct load *l = *state;
	struct plm_w_namespace ns = {.meta = meta("", "ml")};
	struct plm_w_flavor flavor = {.meta = meta("", "default")};
	struct plm_error err;
	uint32_t snapshots = getenv("PLM_SHORT") != NULL ? 2 : 4;

	(void)snprintf(l->folder, sizeof(l->folder), "replay-XXXXXX");
	assert_non_null(mkdtemp(l->folder));
	plm_assert_ok(plm_arena_init(&l->arena, 1U << 26, &err), &err);
	l->seed = plm_test_seed();
	l->now_ms = START_MS;
	open_engine(l);
	observe(l, PLM_EV_NAMESPACE, &ns);
	observe(l, PLM_EV_FLAVOR, &flavor);
	for (uint32_t i = 0; i < QUEUES; i++) {
		put_queue(l, i);
	}
	for (uint32_t i = 0; l->snapshots < snapshots; i++) {
		for (uint64_t n = plm_test_below(&l->seed, 6); n > 0; n--) {
			one_change(l);
		}
		step(l);
		answer(l);
		if (i % 400 == 399) {
			close_engine(l); /* a restart now and then */
			open_engine(l);
		}
	}
	step(l);
	l->live = plm_state_hash_slow(plm_engine_state(l->engine));
}

static int drop(const char *path, const struct stat *stat, int flag, struct FTW *ftw)
{
	(void)stat;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void teardown(struct load *l)
{
	close_engine(l);
	plm_arena_fini(&l->arena);
	(void)nftw(l->folder, drop, 8, FTW_DEPTH | FTW_PHYS);
}

/* Fold to the end, beginning at snapshot 'max' (0 = from the start); returns where it began. */
static uint64_t fold_from(const struct load *l, uint64_t max, bool recompute)
{
	struct plm_fold_options options = {
		.snapshots = max == 0 ? NULL : l->folder,
		.snapshot_max = max,
		.to = UINT64_MAX,
		.recompute = recompute,
	};
	struct plm_fold_report report = {0};
	struct plm_state st;
	struct plm_error err;

	plm_assert_ok(plm_state_init(&st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_fold(l->log, &options, &st, &report, &err), &err);
	if (report.diverged != 0) {
		fail_msg("diverged at %llu: %s", (unsigned long long)report.diverged,
			 report.difference);
	}
	assert_true(report.state_hash.low == l->live.low && report.state_hash.high == l->live.high);
	plm_state_check(&st);
	plm_state_fini(&st);
	return report.from;
}

static void from_the_start(void **state)
{
	const struct load *l = *state;

	assert_int_equal(fold_from(l, 0, false), 1);
	assert_int_equal(fold_from(l, 0, true), 1);
}

static void from_every_snapshot(void **state)
{
	const struct load *l = *state;
	uint64_t *seqs = NULL;
	size_t count = plm_snapshot_list(l->folder, &seqs);

	assert_true(count >= 2);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(fold_from(l, seqs[i], true), seqs[i] + 1);
	}
	free(seqs);
}

/* Change byte 'at' of the file by 'mask', or cut the file there when 'mask' is 0. */
static void damage(const char *path, long at, int mask)
{
	FILE *file = fopen(path, "r+b");
	int byte = 0;

	assert_non_null(file);
	if (mask == 0) {
		assert_int_equal(ftruncate(fileno(file), at), 0);
	} else {
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		byte = fgetc(file);
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		(void)fputc(byte ^ mask, file);
	}
	assert_int_equal(fclose(file), 0);
}

/* Runs last: the newest snapshot is changed in many places, then cut, then all are gone. */
static void with_damaged_and_missing_snapshots(void **state)
{
	struct load *l = *state;
	uint64_t *seqs = NULL;
	size_t count = plm_snapshot_list(l->folder, &seqs);
	char path[160];
	struct plm_error err;
	uint32_t places = getenv("PLM_SHORT") != NULL ? 8 : 40;

	(void)snprintf(path, sizeof(path), "%s/%s/%020llu.snap", l->folder, PLM_SNAPSHOT_FOLDER,
		       (unsigned long long)seqs[count - 1]);
	for (uint32_t i = 0; i < places; i++) {
		long at = (long)plm_test_below(&l->seed, 2000);

		damage(path, at, 1 << (i % 8));
		assert_true(fold_from(l, UINT64_MAX, false) <= seqs[count - 2] + 1);
		damage(path, at, 1 << (i % 8));
	}
	assert_int_equal(fold_from(l, UINT64_MAX, false), seqs[count - 1] + 1);
	damage(path, 1000, 0);
	assert_int_equal(fold_from(l, UINT64_MAX, false), seqs[count - 2] + 1);
	for (size_t i = 0; i < count; i++) {
		plm_assert_ok(plm_snapshot_remove(l->folder, seqs[i], &err), &err);
	}
	assert_int_equal(fold_from(l, UINT64_MAX, true), 1);
	free(seqs);
	teardown(l);
}

/* The first test makes the log, the last one removes it. */
int main(void)
{
	static struct plm_tests tests;
	static struct load load;

	plm_tests_add(&tests, "a log of random work", setup, &load);
	plm_tests_add(&tests, "from the start", from_the_start, &load);
	plm_tests_add(&tests, "from every snapshot", from_every_snapshot, &load);
	plm_tests_add(&tests, "with damaged and missing snapshots",
		      with_damaged_and_missing_snapshots, &load);
	return plm_tests_run(&tests, "replay");
}
