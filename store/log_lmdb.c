#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "core/limits.h"
#include "store/backend.h"
#include "store/build_log.h"
#include "store/child_read.h"
#include "store/file.h"
#include "store/guard.h"
#include "store/lmdb_check.h"
#include "store/lmdb_env.h"
#include "store/lock.h"
#include "store/witness.h"

/*
 * The log in a folder. A reading handle is a path and the head that a child found; cursors start
 * children of their own. A writing handle has the only LMDB environment that this process opens,
 * after a child has checked the tail, and never reads its pages but on the way to the place of an
 * append.
 */

#define NOTES_MAX 16
/* Slots of readers that died are given back this often. */
#define READER_CHECK_MS 10000
/* Beside the records a batch writes the pages on the way to them; LMDB calls a full disk EIO. */
#define SPARE_BYTES (256 * 1024)

struct note {
	char name[PLM_NOTE_NAME_MAX + 6]; /* "note:..." */
	char text[PLM_NOTE_TEXT_MAX + 1];
};

struct lmdb_log {
	char *path; /* owned */
	enum plm_log_mode mode;
	int folder_fd; /* carries the writer's lock; -1 for a reader */
	int witness_fd;
	bool is_open;
	struct plm_lmdb lmdb;
	int64_t reader_check_ms;
	struct note notes[NOTES_MAX]; /* put, not yet durable */
	size_t note_count;
};

static int64_t now_ms(void)
{
	struct timespec now;

	PLM_ASSERT(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- appending ----------------------------------------------------------------------------- */

/* What an unprivileged user may still take: the reserve of root is not ours. */
static enum plm_code room_of(const char *path, struct plm_log_room *out, struct plm_error *err)
{
	struct statvfs status;

	if (statvfs(path, &status) != 0) {
		return plm_file_fail(err, errno, "free space", path);
	}
	out->free_bytes = (uint64_t)status.f_bavail * status.f_frsize;
	out->total_bytes = (uint64_t)status.f_blocks * status.f_frsize;
	return PLM_OK;
}

static enum plm_code lmdb_room(void *self, struct plm_log_room *out, struct plm_error *err)
{
	const struct lmdb_log *log = self;

	return room_of(log->path, out, err);
}

/*
 * Asked before each batch: once LMDB has met the full disk, all it says is EIO, and whether the
 * batch is there is anybody's guess (D8.2). Not beginning it leaves the log in order.
 */
static enum plm_code check_room(const struct lmdb_log *log, const struct plm_frame *frame,
				struct plm_error *err)
{
	uint64_t need = 2 * plm_blob_size(frame) + SPARE_BYTES;
	struct plm_log_room room = {0};
	enum plm_code code = room_of(log->path, &room, err);

	if (code == PLM_OK && room.free_bytes < need) {
		return plm_fail(err, PLM_E_FULL,
				"%s: %" PRIu64 " bytes are free, the next batch may need %" PRIu64,
				log->path, room.free_bytes, need);
	}
	return code;
}

static int put_notes(struct lmdb_log *log, MDB_txn *txn)
{
	int rc = 0;

	PLM_ASSERT(log->note_count <= NOTES_MAX);
	for (size_t i = 0; i < log->note_count && rc == 0; i++) {
		rc = plm_lmdb_put_meta(&log->lmdb, txn, log->notes[i].name,
				       plm_slice_str(log->notes[i].text));
	}
	return rc;
}

static int write_batch(struct lmdb_log *log, const struct plm_frame *frame,
		       const struct plm_slice *records)
{
	MDB_txn *txn = NULL;
	int rc = mdb_txn_begin(log->lmdb.env, NULL, 0, &txn);

	PLM_ASSERT(log->is_open);
	PLM_ASSERT(log->mode == PLM_LOG_WRITE);
	if (rc == 0) {
		rc = plm_lmdb_put_batch(&log->lmdb, txn, frame, records);
	}
	if (rc == 0) {
		rc = put_notes(log, txn);
	}
	if (rc == 0) {
		return mdb_txn_commit(txn); /* frees it in any case */
	}
	if (txn != NULL) {
		mdb_txn_abort(txn);
	}
	return rc;
}

/*
 * A reader that was killed keeps its transaction's pages from being used again until somebody
 * looks.
 */
static void check_readers(struct lmdb_log *log)
{
	int64_t now = now_ms();
	int dead = 0;

	if (now - log->reader_check_ms >= READER_CHECK_MS) {
		log->reader_check_ms = now;
		(void)mdb_reader_check(log->lmdb.env, &dead);
	}
}

/*
 * The witness is written behind the commit, never before: what it says was durable once, so a log
 * that is behind it has lost something. If writing it fails the batch is there all the same; the
 * caller hears of a failure, ends, and finds the batch when it starts again.
 */
static enum plm_code lmdb_append(void *self, const struct plm_frame *frame,
				 const struct plm_slice *records, struct plm_error *err)
{
	struct lmdb_log *log = self;
	struct plm_log_head head = plm_frame_head(frame);
	enum plm_code code = check_room(log, frame, err);
	int rc = 0;

	PLM_ASSERT(log->is_open);
	if (code != PLM_OK) {
		return code;
	}
	rc = write_batch(log, frame, records);
	if (rc != 0) {
		code = plm_lmdb_fail(err, rc, log->path);
		/* A write that was cut short is EIO in LMDB's words. */
		if (rc == EIO && check_room(log, frame, NULL) != PLM_OK) {
			return plm_fail(err, PLM_E_FULL, "%s: no room left", log->path);
		}
		return code;
	}
	log->note_count = 0;
	check_readers(log);
	return plm_witness_write(log->witness_fd, &head, err);
}

/* ---- notes --------------------------------------------------------------------------------- */

static void lmdb_note_put(void *self, const char *name, const char *text)
{
	struct lmdb_log *log = self;
	struct note *note = &log->notes[log->note_count];

	PLM_ASSERT(log->mode == PLM_LOG_WRITE);
	PLM_ASSERT(log->note_count < NOTES_MAX);
	(void)snprintf(note->name, sizeof(note->name), "note:%s", name);
	(void)snprintf(note->text, sizeof(note->text), "%s", text);
	log->note_count++;
}

struct note_question {
	const char *path;
	const char *name;
};

static enum plm_code read_note(const void *ctx, struct plm_guard_seat *seat, struct plm_error *err)
{
	const struct note_question *question = ctx;
	char name[PLM_NOTE_NAME_MAX + 6];
	struct plm_slice text = {0};
	struct plm_lmdb lmdb;
	MDB_txn *txn = NULL;
	int rc = 0;
	enum plm_code code = plm_lmdb_env_open(question->path, PLM_LMDB_READ, &lmdb, err);

	if (code != PLM_OK) {
		return code;
	}
	(void)snprintf(name, sizeof(name), "note:%s", question->name);
	rc = mdb_txn_begin(lmdb.env, NULL, MDB_RDONLY, &txn);
	if (rc != 0) {
		code = plm_lmdb_fail(err, rc, "begin reading");
	} else {
		code = plm_lmdb_get_meta(&lmdb, txn, name, &text, err);
	}
	if (code == PLM_OK && text.size <= PLM_NOTE_TEXT_MAX) {
		if (text.size > 0) {
			memcpy(seat->result, text.ptr, text.size);
		}
	} else if (code == PLM_OK) {
		code = plm_fail(err, PLM_E_CORRUPT, "note \"%s\" is too long", question->name);
	}
	if (txn != NULL) {
		mdb_txn_abort(txn);
	}
	plm_lmdb_env_close(&lmdb);
	return code;
}
PLM_STATIC_ASSERT(PLM_NOTE_TEXT_MAX < PLM_GUARD_RESULT_SIZE, "a note comes back with its zero");

static enum plm_code lmdb_note_get(void *self, const char *name, char *text, size_t size,
				   struct plm_error *err)
{
	const struct lmdb_log *log = self;
	struct note_question question = {.path = log->path, .name = name};
	const struct plm_guard_task task = {
		.what = log->path,
		.run = read_note,
		.ctx = &question,
		.result = text,
		.result_size = PLM_NOTE_TEXT_MAX + 1,
	};

	PLM_ASSERT(size >= task.result_size);
	return plm_guard_call(&task, err);
}

/* ---- opening and closing -------------------------------------------------------------------- */

static enum plm_code lmdb_reader_open(void *self, struct plm_reader **out, struct plm_error *err)
{
	const struct lmdb_log *log = self;

	(void)err;
	*out = plm_child_reader_new(log->path);
	return PLM_OK;
}

static void lmdb_close(void *self)
{
	struct lmdb_log *log = self;

	if (log->is_open) {
		plm_lmdb_env_close(&log->lmdb);
	}
	plm_fd_close(log->witness_fd);
	plm_fd_close(log->folder_fd);
	free(log->path);
	free(log);
}

static const struct plm_backend_ops lmdb_ops = {
	.append = lmdb_append,
	.reader = lmdb_reader_open,
	.room = lmdb_room,
	.note_put = lmdb_note_put,
	.note_get = lmdb_note_get,
	.close = lmdb_close,
};

/*
 * After a failed sync the kernel may hold pages as clean that never reached the disk (D8): what the
 * checks read shall come from the disk.
 */
static void drop_cache(const char *path)
{
	char file[PLM_PATH_SIZE];
	int fd = -1;

	if (plm_path_join(file, path, PLM_LMDB_FILE, NULL) == PLM_OK) {
		fd = open(file, O_RDONLY | O_CLOEXEC);
	}
	if (fd >= 0) {
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	plm_fd_close(fd);
}

/* No log yet: nothing durable is lost if this fails half-way, see build_log.h. */
static enum plm_code create(const char *path, struct plm_error *err)
{
	struct plm_build *build = NULL;
	enum plm_code code = plm_build_begin(path, &build, err);

	PLM_ASSERT(path != NULL);
	return code == PLM_OK ? plm_build_end(build, err) : code;
}

/* The lock, a log where there was none, the checks; then the environment. */
static enum plm_code open_writer(struct lmdb_log *log, struct plm_log_head *head,
				 struct plm_error *err)
{
	enum plm_code code = plm_file_make_folder(log->path, err);

	PLM_ASSERT(log->folder_fd < 0 && !log->is_open);
	if (code == PLM_OK) {
		code = plm_lock_take(log->path, &log->folder_fd, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	drop_cache(log->path);
	code = plm_lmdb_check(log->path, PLM_LMDB_CHECK_WRITE, NULL, head, NULL, err);
	if (code == PLM_E_NOT_FOUND) {
		code = create(log->path, err);
		*head = (struct plm_log_head){0};
	}
	if (code == PLM_OK) {
		code = plm_witness_open(log->path, &log->witness_fd, err);
	}
	if (code == PLM_OK) {
		code = plm_lmdb_env_open(log->path, PLM_LMDB_WRITE, &log->lmdb, err);
		log->is_open = code == PLM_OK;
	}
	if (code == PLM_OK && head->seq > 0) {
		/* It may be older than the log by what was never synced. */
		code = plm_witness_write(log->witness_fd, head, err);
	}
	return code;
}

enum plm_code plm_lmdb_open(const char *path, enum plm_log_mode mode, struct plm_backend *out,
			    struct plm_error *err)
{
	struct lmdb_log *log = calloc(1, sizeof(*log));
	struct plm_log_head head = {0};
	enum plm_code code = PLM_OK;

	PLM_ASSERT(log != NULL);
	log->path = strdup(path);
	PLM_ASSERT(log->path != NULL);
	log->mode = mode;
	log->folder_fd = -1;
	log->witness_fd = -1;
	log->reader_check_ms = now_ms();
	switch (mode) {
	case PLM_LOG_WRITE:
		code = open_writer(log, &head, err);
		break;
	case PLM_LOG_READ:
		code = plm_lmdb_check(path, PLM_LMDB_CHECK_READ, NULL, &head, NULL, err);
		break;
	}
	if (code != PLM_OK) {
		lmdb_close(log);
		return code;
	}
	*out = (struct plm_backend){.ops = &lmdb_ops, .self = log, .first = 1, .head = head};
	return PLM_OK;
}
