/*
 * A write or sync that fails, once and for good: the handle is dead, nothing acknowledged is
 * lost, the next open is right. A disk that is full at any write after any number of bytes: the
 * same, and when there is room again appending goes on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "disk.h"
#include "plm_test.h"
#include "shim.h"
#include "tests/unit/store/store_test.h"
#include "world.h"

static struct world world;

/* The calls of a run: what each is, how many bytes it writes. */
struct call {
	enum shim_kind kind;
	bool durable;
	size_t size;
	uint64_t acked;
	char path[SHIM_PATH_MAX];
};

static struct call *calls;
static size_t call_count;

static void record_calls(void)
{
	char folder[STORE_PATH_MAX];
	struct world_run run;

	store_folder(folder);
	shim_watch(folder, true);
	world_run(folder, WORLD_COMMITS, &run);
	shim_stop();
	plm_assert_ok(run.code, &run.err);
	calls = calloc(shim_calls(), sizeof(*calls));
	assert_non_null(calls);
	for (size_t i = 0; i < shim_count(); i++) {
		const struct shim_op *op = shim_op(i);

		if (op->kind != SHIM_CREATE) {
			calls[op->call] = (struct call){.kind = op->kind,
							.durable = op->durable,
							.size = op->size,
							.acked = op->acked};
			memcpy(calls[op->call].path, op->path, SHIM_PATH_MAX);
		}
	}
	call_count = shim_calls();
	store_remove(folder);
}

static bool is_snapshot(const struct call *call)
{
	return strstr(call->path, "snapshots") != NULL ||
	       (call->kind == SHIM_SYNC_FOLDER && call->acked > 0);
}

struct tally {
	size_t runs;
	size_t dead;
	size_t full;
	size_t refused_opens;
};

/* One run with a fault at 'call'; then without it. */
static void run_with(enum shim_fault fault, size_t call, size_t bytes, struct tally *tally)
{
	char folder[STORE_PATH_MAX];
	struct world_run run;
	const char *wrong = NULL;

	store_folder(folder);
	shim_watch(folder, false);
	shim_plan(fault, call, bytes);
	world_run(folder, WORLD_COMMITS, &run);
	assert_true(shim_struck());
	shim_stop();
	tally->runs++;
	if (run.code != PLM_OK) {
		if ((run.code != PLM_E_IO && run.code != PLM_E_FULL) || run.err.text[0] == '\0') {
			fail_msg("fault %d at call %zu (%s): code %d: %s", (int)fault, call,
				 calls[call].path, (int)run.code, run.err.text);
		}
		/* Failing once is failing for good, unless no handle came to be. */
		assert_true(run.dead || run.acked == 0);
		tally->dead += run.dead ? 1 : 0;
		tally->refused_opens += run.dead ? 0 : 1;
		tally->full += run.code == PLM_E_FULL ? 1 : 0;
	} else if (!is_snapshot(&calls[call])) {
		/* Only what a snapshot does may fail without ending the run. */
		fail_msg("fault %d at call %zu (%s) is not noticed", (int)fault, call,
			 calls[call].path);
	}
	wrong = world_judge(&world, folder, run.acked, run.snapshot);
	if (wrong != NULL) {
		fail_msg("fault %d at call %zu (%s) after %zu bytes: %s", (int)fault, call,
			 calls[call].path, bytes, wrong);
	}
	store_remove(folder);
}

/* All calls, or in short runs every eleventh beside those that make a new log. */
static size_t next_call(size_t call)
{
	return getenv("PLM_SHORT") == NULL || call < 12 ? call + 1 : call + 11;
}

static void a_sync_that_fails_ends_the_handle(void **state)
{
	struct tally tally = {0};

	(void)state;
	for (size_t i = 0; i < call_count; i = next_call(i)) {
		bool sync = calls[i].kind == SHIM_SYNC || calls[i].kind == SHIM_SYNC_FOLDER ||
			    (calls[i].kind == SHIM_WRITE && calls[i].durable);

		if (sync) {
			run_with(SHIM_SYNC_FAILS, i, 0, &tally);
			run_with(SHIM_SYNC_FORGETS, i, 0, &tally);
		}
	}
	print_message("%zu runs, %zu dead handles, %zu logs that did not come to be\n", tally.runs,
		      tally.dead, tally.refused_opens);
	assert_true(getenv("PLM_SHORT") != NULL || tally.runs >= (size_t)WORLD_COMMITS * 4);
	assert_true(tally.dead > 0 && tally.refused_opens > 0);
}

static void a_full_disk_loses_nothing(void **state)
{
	struct tally tally = {0};
	uint64_t random = plm_test_seed();

	(void)state;
	for (size_t i = 0; i < call_count; i = next_call(i)) {
		size_t size = calls[i].size;
		const size_t cuts[] = {0, 1, 511, 512, 4095, 4096, size - 1};

		for (size_t k = 0; calls[i].kind == SHIM_WRITE && k < PLM_COUNTOF(cuts); k++) {
			/* A cut at or behind the end is none; the last one is always one. */
			if (cuts[k] < size && (k == 6 || cuts[k] != size - 1)) {
				run_with(SHIM_DISK_FULL, i, cuts[k], &tally);
			}
		}
		/* Every count of bytes, one of them per round. */
		if (calls[i].kind == SHIM_WRITE && size > 0 && getenv("PLM_SOAK") != NULL) {
			run_with(SHIM_DISK_FULL, i, plm_test_below(&random, size), &tally);
		}
	}
	print_message("%zu runs, %zu dead handles, %zu say that there is no room\n", tally.runs,
		      tally.dead, tally.full);
	assert_true(tally.runs > 0 && tally.dead > 0 && tally.full > 0);
}

/*
 * What LMDB alone would do, and why the handle must be dead: behind a failed sync the next commit
 * of the same environment succeeds, on top of pages that may be gone.
 */
static void a_failed_commit_is_never_repeated(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_error err = {0};
	size_t before = 0;

	(void)state;
	store_folder(folder);
	shim_watch(folder, false);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	plm_assert_ok(store_commit(log, 1, &err), &err);
	before = shim_calls();
	plm_assert_ok(store_commit(log, 1, &err), &err);
	/* The last but one call of a commit is the meta page. */
	shim_plan(SHIM_SYNC_FAILS, shim_calls() + (shim_calls() - before) - 2, 0);
	plm_assert_fails(store_commit(log, 1, &err), PLM_E_IO, err, folder);
	assert_true(shim_struck());
	before = shim_calls();
	plm_assert_fails(store_commit(log, 1, &err), PLM_E_IO, err, "an earlier commit failed");
	assert_int_equal(shim_calls(), before);
	assert_int_equal(plm_log_head(log).seq, 2);
	shim_stop();
	plm_log_close(log);
	store_remove(folder);
}

/*
 * Where a batch would not fit, it is not begun: the log ends in order, and goes on when there is
 * room.
 */
static void a_batch_that_would_not_fit_is_not_begun(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_room room = {0};
	struct plm_error err = {0};
	size_t before = 0;

	(void)state;
	store_folder(folder);
	shim_watch(folder, false);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	plm_assert_ok(store_commit(log, 5, &err), &err);
	shim_room(100000);
	plm_assert_ok(plm_log_room(log, &room, &err), &err);
	assert_int_equal(room.free_bytes, 100000 / 4096 * 4096);
	before = shim_calls();
	plm_assert_fails(store_commit(log, 5, &err), PLM_E_FULL, err, "98304 bytes are free");
	assert_int_equal(shim_calls(), before);
	plm_log_close(log);
	/* Somebody made room: the ballast, say. */
	shim_room(UINT64_MAX);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	assert_int_equal(plm_log_head(log).seq, 5);
	plm_assert_ok(store_commit(log, 5, &err), &err);
	assert_int_equal(store_read_all(log, 1), 10);
	shim_stop();
	plm_log_close(log);
	store_remove(folder);
}

/* LMDB says EIO when a write is cut; with the volume full that is what the log says. */
static void a_cut_write_on_a_full_volume_is_no_room(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	shim_watch(folder, false);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	plm_assert_ok(store_commit(log, 5, &err), &err);
	shim_plan(SHIM_FILLS_UP, shim_calls(), 512);
	plm_assert_fails(store_commit(log, 5, &err), PLM_E_FULL, err, "no room left");
	shim_stop();
	plm_log_close(log);
	store_remove(folder);
}

int main(void)
{
	struct plm_tests tests = {0};

	world_init(&world);
	record_calls();
	PLM_TEST_ADD(&tests, a_sync_that_fails_ends_the_handle);
	PLM_TEST_ADD(&tests, a_full_disk_loses_nothing);
	PLM_TEST_ADD(&tests, a_failed_commit_is_never_repeated);
	PLM_TEST_ADD(&tests, a_batch_that_would_not_fit_is_not_begun);
	PLM_TEST_ADD(&tests, a_cut_write_on_a_full_volume_is_no_room);
	return plm_tests_run(&tests, "errors");
}
