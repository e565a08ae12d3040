#include "world.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "plm_test.h"
#include "shim.h"
#include "store/log_mem.h"
#include "store/snapshot.h"
#include "tests/unit/store/store_test.h"

#define STATE_SIZE 20000

static size_t batch_size(size_t commit)
{
	return commit % 7 + 1;
}

void world_init(struct world *world)
{
	struct plm_log *log = NULL;
	struct plm_error err = {0};

	/*
	 * LMDB takes 2 MiB of zeroes for each environment. From the heap they would be cleared by
	 * hand, and copied in each child; thousands of environments are opened here. (The sanitizers'
	 * allocator does not know the option: only time is lost.)
	 */
	(void)mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	plm_assert_ok(plm_log_open_memory(&log, &err), &err);
	for (size_t i = 0; i < PLM_COUNTOF(world->heads); i++) {
		world->heads[i] = plm_log_head(log);
		plm_assert_ok(store_commit(log, batch_size(i), &err), &err);
	}
	plm_log_close(log);
}

/* A state that does not pack well, so that its file has several pages. */
static enum plm_code write_snapshot(const char *folder, struct plm_log_head head,
				    struct plm_error *err)
{
	static uint8_t bytes[STATE_SIZE];
	struct plm_snapshot_info info = {.seq = head.seq, .chain = head.chain};
	const struct plm_slice part = plm_slice_of(bytes, sizeof(bytes));
	uint64_t random = head.seq;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (uint8_t)plm_test_random(&random);
	}
	return plm_snapshot_write(folder, &info, &part, 1, err);
}

static enum plm_code step(struct plm_log *log, const char *folder, struct world_run *out)
{
	enum plm_code code = PLM_OK;

	code = store_commit(log, batch_size(out->acked), &out->err);
	if (code != PLM_OK) {
		return code;
	}
	out->acked++;
	shim_mark(out->acked, out->snapshot);
	if (out->acked % WORLD_SNAPSHOT_EVERY == 0) {
		struct plm_log_head head = plm_log_head(log);

		/* A snapshot that fails is no matter: the log goes on. */
		if (write_snapshot(folder, head, NULL) == PLM_OK) {
			out->snapshot = head.seq;
			shim_mark(out->acked, out->snapshot);
		}
	}
	return PLM_OK;
}

void world_run(const char *folder, size_t commits, struct world_run *out)
{
	struct plm_log *log = NULL;

	*out = (struct world_run){0};
	shim_mark(0, 0);
	out->code = plm_log_open(folder, PLM_LOG_WRITE, &log, &out->err);
	while (out->code == PLM_OK && out->acked < commits) {
		out->code = step(log, folder, out);
	}
	if (log != NULL && out->code != PLM_OK) {
		out->dead = store_commit(log, 1, NULL) == PLM_E_IO;
	}
	plm_log_close(log);
}

void world_make(const char *folder, size_t commits)
{
	struct world_run run;

	world_run(folder, commits, &run);
	plm_assert_ok(run.code, &run.err);
}

/* ---- the verdict --------------------------------------------------------------------------- */

static char verdict[1024];

static const char *complain(const char *what, const struct plm_error *err)
{
	(void)snprintf(verdict, sizeof(verdict), "%s%s%s", what, err == NULL ? "" : ": ",
		       err == NULL ? "" : err->text);
	return verdict;
}

static const char *judge_snapshots(const char *folder, uint64_t log_seq, uint64_t want)
{
	struct plm_snapshot_want ask = {.max_seq = UINT64_MAX};
	struct plm_snapshot snapshot = {0};
	uint64_t have = 0;

	if (plm_snapshot_load(folder, &ask, &snapshot, NULL) == PLM_OK) {
		have = snapshot.info.seq;
	}
	plm_snapshot_fini(&snapshot);
	if (have < want) {
		return complain("a snapshot is lost", NULL);
	}
	return have > log_seq ? complain("a snapshot is ahead of its log", NULL) : NULL;
}

/* Append the batch that the run would have appended next. */
static const char *judge_append(const struct world *world, struct plm_log *log, size_t commits)
{
	struct plm_error err = {0};
	struct plm_log_head head;

	if (store_commit(log, batch_size(commits), &err) != PLM_OK) {
		return complain("appending does not go on", &err);
	}
	head = plm_log_head(log);
	if (memcmp(&head.chain, &world->heads[commits + 1].chain, sizeof(head.chain)) != 0) {
		return complain("appending goes on wrongly", NULL);
	}
	return NULL;
}

const char *world_judge(const struct world *world, const char *folder, size_t acked,
			uint64_t snapshot)
{
	struct plm_log *log = NULL;
	struct plm_log_head head;
	struct plm_error err = {0};
	const char *wrong = NULL;
	size_t commits = 0;

	if (plm_log_open(folder, PLM_LOG_WRITE, &log, &err) != PLM_OK) {
		return complain("the log cannot be opened", &err);
	}
	/* Opening has verified every frame; equal chain heads are equal records. */
	head = plm_log_head(log);
	while (commits <= WORLD_COMMITS && world->heads[commits].seq != head.seq) {
		commits++;
	}
	if (commits > WORLD_COMMITS ||
	    memcmp(&head.chain, &world->heads[commits].chain, sizeof(head.chain)) != 0) {
		wrong = complain("it is not a prefix of what was appended", NULL);
	} else if (commits < acked) {
		wrong = complain("a commit that was acknowledged is lost", NULL);
	} else if (commits > acked + 1) {
		wrong = complain("it holds more than was appended", NULL);
	} else {
		wrong = judge_snapshots(folder, head.seq, snapshot);
	}
	if (wrong == NULL) {
		wrong = judge_append(world, log, commits);
	}
	plm_log_close(log);
	return wrong;
}
