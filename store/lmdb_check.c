#include "store/lmdb_check.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/limits.h"
#include "store/backend.h"
#include "store/guard.h"
#include "store/lmdb_env.h"
#include "store/snapshot.h"
#include "store/witness.h"

struct job {
	const char *path;
	enum plm_lmdb_depth depth;
	struct plm_witness witness;
	uint64_t newest_snapshot; /* by its name; 0 = none */
};

/* ---- frames -------------------------------------------------------------------------------- */

/* Also counts for whoever waits: seat->good is what the death of this child will be told with. */
static enum plm_code read_on(struct plm_reader *reader, struct plm_log_head *head,
			     struct plm_guard_seat *seat, struct plm_error *err)
{
	struct plm_blob blob = {0};
	struct plm_leaves leaves = {0};
	enum plm_code code = PLM_OK;

	PLM_ASSERT(reader != NULL && head != NULL);
	while (code == PLM_OK) {
		atomic_store(&seat->good, head->seq);
		code = reader->ops->next(reader, &blob, err);
		if (code == PLM_OK) {
			code = plm_blob_check(plm_slice_of(blob.bytes, blob.size), head, &leaves,
					      head, err);
		}
	}
	plm_blob_fini(&blob);
	plm_leaves_fini(&leaves);
	return code == PLM_E_NOT_FOUND ? PLM_OK : code;
}

/* The newest frame's number without any check but its own. */
static enum plm_code newest(struct plm_reader *reader, struct plm_log_head *out,
			    struct plm_error *err)
{
	return reader->ops->seek(reader, UINT64_MAX, out, err);
}

/* D11: starting a writer costs O(tail), never O(log). */
static uint64_t where_to_begin(enum plm_lmdb_depth depth, uint64_t last)
{
	switch (depth) {
	case PLM_LMDB_CHECK_READ:
		return last;
	case PLM_LMDB_CHECK_WRITE:
		return last > PLM_LIMIT_TAIL_EVENTS ? last - PLM_LIMIT_TAIL_EVENTS + 1 : 1;
	case PLM_LMDB_CHECK_ALL:
		return 1;
	}
	PLM_UNREACHABLE();
}

static enum plm_code check_frames(const struct job *job, struct plm_reader *reader,
				  struct plm_log_head *head, struct plm_guard_seat *seat,
				  struct plm_error *err)
{
	struct plm_log_head last = {0};
	enum plm_code code = newest(reader, &last, err);

	if (code != PLM_OK || last.seq == 0) {
		return code;
	}
	atomic_store(&seat->goal, last.seq);
	code = reader->ops->seek(reader, where_to_begin(job->depth, last.seq), head, err);
	if (code == PLM_OK) {
		code = read_on(reader, head, seat, err);
	}
	if (code == PLM_OK && head->seq < last.seq) {
		return plm_fail(err, PLM_E_CORRUPT,
				"frames end at record %" PRIu64 ", the newest is %" PRIu64,
				head->seq, last.seq);
	}
	return code;
}

/* ---- witnesses ----------------------------------------------------------------------------- */

static enum plm_code check_witness(const struct plm_lmdb *lmdb, MDB_txn *txn, const struct job *job,
				   const struct plm_log_head *head, struct plm_error *err)
{
	const struct plm_witness *witness = &job->witness;
	struct plm_frame frame;
	uint8_t room[8];
	MDB_val key = plm_lmdb_key(witness->seq, room);
	MDB_val value = {0};
	int rc = 0;

	PLM_ASSERT(head->frames <= head->seq);
	if (!witness->valid || witness->seq == 0) {
		return PLM_OK;
	}
	if (witness->seq > head->seq) {
		return plm_fail(err, PLM_E_CORRUPT,
				"the log ends with record %" PRIu64
				", but \"head\" knows record %" PRIu64
				": it lost its tail; record %" PRIu64 " is the last good one",
				head->seq, witness->seq, head->seq);
	}
	rc = mdb_get(txn, lmdb->frame, &key, &value);
	if (rc != 0 ||
	    plm_frame_decode(plm_slice_of(value.mv_data, value.mv_size), &frame, NULL) != PLM_OK ||
	    frame.number != witness->frames ||
	    memcmp(frame.chain.bytes, witness->chain.bytes, PLM_SHA256_SIZE) != 0) {
		return plm_fail(err, PLM_E_CORRUPT,
				"\"head\" knows another chain up to record %" PRIu64
				" than the log has",
				witness->seq);
	}
	return PLM_OK;
}

/*
 * Cheap where nothing is wrong: only a snapshot whose name is ahead of the log is opened. And
 * only one that is whole proves anything.
 */
static enum plm_code check_snapshots(const struct job *job, const struct plm_log_head *head,
				     struct plm_error *err)
{
	uint64_t ahead = 0;

	if (job->newest_snapshot > head->seq) {
		ahead = plm_snapshot_newest_valid(job->path);
	}
	if (ahead > head->seq) {
		return plm_fail(err, PLM_E_CORRUPT,
				"the log ends with record %" PRIu64
				", but there is a snapshot of record %" PRIu64
				": it lost its tail; record %" PRIu64 " is the last good one",
				head->seq, ahead, head->seq);
	}
	if (job->depth == PLM_LMDB_CHECK_ALL) {
		return plm_snapshot_verify(job->path, err);
	}
	return PLM_OK;
}

/* ---- LMDB's own books ----------------------------------------------------------------------- */

/* As many entries as the newest frame says, all in one transaction. */
static enum plm_code count_entries(const struct plm_lmdb *lmdb, MDB_txn *txn, struct plm_error *err)
{
	MDB_cursor *cursor = NULL;
	MDB_val key = {0};
	MDB_val value = {0};
	MDB_stat log = {0};
	MDB_stat frames = {0};
	struct plm_frame frame = {0};
	enum plm_code code = PLM_OK;
	int rc = mdb_cursor_open(txn, lmdb->frame, &cursor);

	if (rc == 0) {
		rc = mdb_cursor_get(cursor, &key, &value, MDB_LAST);
		mdb_cursor_close(cursor);
	}
	if (rc == 0) {
		code = plm_frame_decode(plm_slice_of(value.mv_data, value.mv_size), &frame, err);
	}
	if (rc == 0 || rc == MDB_NOTFOUND) {
		rc = mdb_stat(txn, lmdb->log, &log);
	}
	if (rc == 0) {
		rc = mdb_stat(txn, lmdb->frame, &frames);
	}
	if (rc != 0 || code != PLM_OK) {
		return rc != 0 ? plm_lmdb_fail(err, rc, "count the records") : code;
	}
	if (log.ms_entries != frame.last || frames.ms_entries != frame.number) {
		return plm_fail(err, PLM_E_CORRUPT,
				"%zu records and %zu frames, the newest frame says %" PRIu64
				" and %" PRIu64,
				log.ms_entries, frames.ms_entries, frame.last, frame.number);
	}
	return PLM_OK;
}

static size_t pages_of(const MDB_stat *stat)
{
	return stat->ms_branch_pages + stat->ms_leaf_pages + stat->ms_overflow_pages;
}

/* Word 'index' of 'value', which damage may have put at any address. */
static size_t word(const MDB_val *value, size_t index)
{
	size_t out = 0;

	memcpy(&out, (const uint8_t *)value->mv_data + index * sizeof(out), sizeof(out));
	return out;
}

/* Count the free pages; each must be inside the file and occur once. */
static enum plm_code count_free(MDB_txn *txn, size_t pages, size_t *out, struct plm_error *err)
{
	uint8_t *seen = calloc(pages / 8 + 1, 1);
	MDB_cursor *cursor = NULL;
	MDB_val key = {0};
	MDB_val value = {0};
	bool good = true;
	int rc = mdb_cursor_open(txn, 0, &cursor);

	PLM_ASSERT(pages >= 2);
	PLM_ASSERT(seen != NULL);
	*out = 0;
	/* A free list entry is a count and that many page numbers. */
	while (good && rc == 0 && (rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == 0) {
		size_t words = value.mv_size / sizeof(size_t);
		size_t entries = words > 0 ? word(&value, 0) : 0;

		good = words > 0 && words - 1 >= entries;
		for (size_t i = 1; good && i <= entries; i++) {
			size_t page = word(&value, i);

			good = page >= 2 && page < pages &&
			       (seen[page / 8] & (1U << (page % 8))) == 0;
			if (good) {
				seen[page / 8] = (uint8_t)(seen[page / 8] | (1U << (page % 8)));
				++*out;
			}
		}
	}
	if (cursor != NULL) {
		mdb_cursor_close(cursor);
	}
	free(seen);
	if (!good) {
		return plm_fail(err, PLM_E_CORRUPT, "the list of free pages is damaged");
	}
	return rc == MDB_NOTFOUND ? PLM_OK : plm_lmdb_fail(err, rc, "read the list of free pages");
}

/* Pages used by the tables, free pages and the two meta pages are all pages there are. */
static enum plm_code balance(const struct plm_lmdb *lmdb, MDB_txn *txn, struct plm_error *err)
{
	const MDB_dbi tables[] = {0, 1, lmdb->log, lmdb->frame, lmdb->meta};
	MDB_envinfo info = {0};
	size_t used = 2;
	size_t unused = 0;
	enum plm_code code = PLM_OK;
	int rc = mdb_env_info(lmdb->env, &info);

	for (size_t i = 0; i < PLM_COUNTOF(tables) && rc == 0; i++) {
		MDB_stat stat = {0};

		rc = mdb_stat(txn, tables[i], &stat);
		used += pages_of(&stat);
	}
	if (rc != 0) {
		return plm_lmdb_fail(err, rc, "count the pages");
	}
	if (info.me_last_pgno > PLM_LIMIT_MAP_BYTES / 4096) {
		return plm_fail(err, PLM_E_CORRUPT, "page %zu lies beyond the map",
				info.me_last_pgno);
	}
	code = count_free(txn, info.me_last_pgno + 1, &unused, err);
	if (code == PLM_OK && used + unused != info.me_last_pgno + 1) {
		return plm_fail(err, PLM_E_CORRUPT,
				"%zu pages are used and %zu free, but there are %zu", used, unused,
				info.me_last_pgno + 1);
	}
	return code;
}

/*
 * Append one record and one frame and take them back: the pages on that way can be read and
 * changed.
 */
static enum plm_code rehearse(const char *path, const struct plm_log_head *head,
			      struct plm_error *err)
{
	const struct plm_slice record = plm_slice_str("rehearsal");
	struct plm_leaves leaves = {0};
	struct plm_frame frame = plm_frame_build(head, head->epoch, &record, 1, &leaves);
	struct plm_lmdb lmdb;
	MDB_txn *txn = NULL;
	enum plm_code code = plm_lmdb_env_open(path, PLM_LMDB_WRITE, &lmdb, err);
	int rc = 0;

	plm_leaves_fini(&leaves);
	if (code != PLM_OK) {
		return code;
	}
	rc = mdb_txn_begin(lmdb.env, NULL, 0, &txn);
	if (rc == 0) {
		rc = plm_lmdb_put_batch(&lmdb, txn, &frame, &record);
		mdb_txn_abort(txn);
	}
	plm_lmdb_env_close(&lmdb);
	return rc == 0 ? PLM_OK : plm_lmdb_fail(err, rc, "rehearse an append");
}

/* ---- all together -------------------------------------------------------------------------- */

/* One transaction for all of it, so that a live writer cannot come in between. */
static enum plm_code check_tables(const struct job *job, const struct plm_lmdb *lmdb,
				  const struct plm_log_head *head, struct plm_error *err)
{
	MDB_txn *txn = NULL;
	enum plm_code code = PLM_OK;
	int rc = mdb_txn_begin(lmdb->env, NULL, MDB_RDONLY, &txn);

	if (rc != 0) {
		return plm_lmdb_fail(err, rc, "begin reading");
	}
	code = check_witness(lmdb, txn, job, head, err);
	if (code == PLM_OK) {
		code = count_entries(lmdb, txn, err);
	}
	if (code == PLM_OK && job->depth == PLM_LMDB_CHECK_WRITE) {
		code = balance(lmdb, txn, err);
	}
	mdb_txn_abort(txn);
	return code;
}

/* Cheapest first; what may crash the child runs where its death is understood. */
static enum plm_code check_in_child(const void *ctx, struct plm_guard_seat *seat,
				    struct plm_error *err)
{
	const struct job *job = ctx;
	struct plm_log_head head = {0};
	struct plm_lmdb lmdb;
	struct plm_reader *reader = NULL;
	enum plm_code code = plm_lmdb_env_open(job->path, PLM_LMDB_READ, &lmdb, err);

	if (code != PLM_OK) {
		return code;
	}
	reader = plm_lmdb_reader_new(&lmdb);
	code = check_frames(job, reader, &head, seat, err);
	reader->ops->close(reader);
	if (code == PLM_OK) {
		code = check_tables(job, &lmdb, &head, err);
	}
	plm_lmdb_env_close(&lmdb);
	if (code == PLM_OK) {
		code = check_snapshots(job, &head, err);
	}
	if (code == PLM_OK && job->depth == PLM_LMDB_CHECK_WRITE) {
		code = rehearse(job->path, &head, err);
	}
	memcpy(seat->result, &head, sizeof(head));
	return code;
}
PLM_STATIC_ASSERT(sizeof(struct plm_log_head) <= PLM_GUARD_RESULT_SIZE, "it comes back");

enum plm_code plm_lmdb_check(const char *path, enum plm_lmdb_depth depth,
			     const struct plm_log_watch *watch, struct plm_log_head *out,
			     uint64_t *good, struct plm_error *err)
{
	struct job job = {.path = path, .depth = depth};
	struct plm_guard_task task = {
		.what = path,
		.run = check_in_child,
		.ctx = &job,
		.watch = watch,
		.result = out,
		.result_size = sizeof(*out),
		.good = good,
	};
	enum plm_code code = PLM_OK;

	PLM_ASSERT(path != NULL && out != NULL);
	/*
	 * The witnesses first, the log behind them: beside a live writer the log may only be
	 * further by then, never behind.
	 */
	code = plm_witness_read(path, &job.witness, err);
	if (code != PLM_OK) {
		return code;
	}
	job.newest_snapshot = plm_snapshot_newest_name(path);
	code = plm_guard_call(&task, err);
	if (code == PLM_E_NOT_FOUND && (job.witness.valid || job.newest_snapshot > 0)) {
		return plm_fail(err, PLM_E_CORRUPT,
				"%s: \"head\" or a snapshot is there, but the log is not", path);
	}
	if (code != PLM_OK && err != NULL && strncmp(err->text, path, strlen(path)) != 0) {
		return plm_fail_prefix(err, code, "%s", path);
	}
	return code;
}
