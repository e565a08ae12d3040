#include "store/log.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/limits.h"
#include "store/backend.h"

/* Copying does some hundred thousand records per second. */
#define TELL_EVENTS 32768

struct plm_log {
	struct plm_backend backend;
	enum plm_log_mode mode;
	bool dead; /* a commit failed: what was kept is unknown */
	uint64_t epoch;
	const struct plm_log_watch *watch; /* borrowed; may be NULL */
	struct plm_leaves leaves;
	atomic_uint cursors; /* open ones; they may live on other threads */
};

struct plm_log_cursor {
	struct plm_log *log;	   /* borrowed */
	struct plm_reader *reader; /* owned */
	uint64_t from;		   /* records before it are skipped */
	struct plm_log_head head;  /* at the end of the batch in 'blob' */
	struct plm_blob blob;
	uint32_t index; /* of the next record in 'blob' */
	uint32_t count;
	uint64_t first;
	size_t offset;
	bool dead;
	struct plm_leaves leaves;
};

struct plm_log *plm_log_over(const struct plm_backend *backend, enum plm_log_mode mode)
{
	struct plm_log *log = calloc(1, sizeof(*log));

	PLM_ASSERT(log != NULL);
	PLM_ASSERT(backend->ops != NULL);
	log->backend = *backend;
	log->mode = mode;
	log->epoch = backend->head.epoch;
	return log;
}

void plm_log_close(struct plm_log *log)
{
	if (log == NULL) {
		return;
	}
	PLM_ASSERT(atomic_load(&log->cursors) == 0);
	log->backend.ops->close(log->backend.self);
	plm_leaves_fini(&log->leaves);
	free(log);
}

struct plm_log_head plm_log_head(const struct plm_log *log)
{
	PLM_ASSERT(log != NULL);
	PLM_ASSERT(log->backend.head.frames <= log->backend.head.seq);
	return log->backend.head;
}

uint64_t plm_log_first(const struct plm_log *log)
{
	PLM_ASSERT(log != NULL);
	PLM_ASSERT(log->backend.first >= 1);
	return log->backend.first;
}

void plm_log_set_epoch(struct plm_log *log, uint64_t epoch)
{
	PLM_ASSERT(log->mode == PLM_LOG_WRITE);
	log->epoch = epoch;
}

void plm_log_note_put(struct plm_log *log, const char *name, const char *text)
{
	PLM_ASSERT(log->mode == PLM_LOG_WRITE);
	PLM_ASSERT(strlen(name) >= 1 && strlen(name) <= PLM_NOTE_NAME_MAX);
	PLM_ASSERT(strlen(text) <= PLM_NOTE_TEXT_MAX);
	log->backend.ops->note_put(log->backend.self, name, text);
}

enum plm_code plm_log_note_get(struct plm_log *log, const char *name, char *text, size_t size,
			       struct plm_error *err)
{
	PLM_ASSERT(log != NULL && name != NULL && text != NULL);
	PLM_ASSERT(size > PLM_NOTE_TEXT_MAX);
	return log->backend.ops->note_get(log->backend.self, name, text, size, err);
}

enum plm_code plm_log_room(struct plm_log *log, struct plm_log_room *out, struct plm_error *err)
{
	PLM_ASSERT(log != NULL && out != NULL);
	return log->backend.ops->room(log->backend.self, out, err);
}

void plm_log_set_watch(struct plm_log *log, const struct plm_log_watch *watch)
{
	PLM_ASSERT(log != NULL);
	log->watch = watch;
}

void plm_log_tell(const struct plm_log *log, uint64_t seq, uint64_t *told)
{
	PLM_ASSERT(*told <= seq);
	PLM_ASSERT(seq <= log->backend.head.seq);
	if (log->watch != NULL && log->watch->progress != NULL && seq - *told >= TELL_EVENTS) {
		*told = seq;
		log->watch->progress(log->watch->ctx, seq, log->backend.head.seq);
	}
}

/* ---- appending ----------------------------------------------------------------------------- */

static enum plm_code check_limits(const struct plm_slice *records, size_t count,
				  struct plm_error *err)
{
	uint64_t bytes = 0;

	PLM_ASSERT(count >= 1);
	if (count > PLM_LIMIT_FRAME_RECORDS) {
		return plm_fail(err, PLM_E_LIMIT, "a batch of %zu records; at most %d fit", count,
				PLM_LIMIT_FRAME_RECORDS);
	}
	for (size_t i = 0; i < count; i++) {
		if (records[i].size > PLM_LIMIT_RECORD_BYTES) {
			return plm_fail(err, PLM_E_LIMIT,
					"record %zu of the batch has %zu bytes; at most %d fit",
					i + 1, records[i].size, PLM_LIMIT_RECORD_BYTES);
		}
		bytes += records[i].size;
	}
	if (bytes > PLM_LIMIT_FRAME_BYTES) {
		return plm_fail(err, PLM_E_LIMIT, "a batch of %" PRIu64 " bytes; at most %lld fit",
				bytes, PLM_LIMIT_FRAME_BYTES);
	}
	return PLM_OK;
}

/*
 * The chain head in 'backend.head' moves only behind a durable append, so a caller that asks for
 * it never sees a batch that a crash could still take back.
 */
enum plm_code plm_log_commit(struct plm_log *log, const struct plm_slice *records, size_t count,
			     struct plm_error *err)
{
	struct plm_frame frame;
	enum plm_code code = PLM_OK;

	PLM_ASSERT(log->mode == PLM_LOG_WRITE);
	PLM_ASSERT(records != NULL && count >= 1);
	if (log->dead) {
		return plm_fail(err, PLM_E_IO,
				"an earlier commit failed; what was kept is unknown until the log "
				"is opened again");
	}
	code = check_limits(records, count, err);
	if (code != PLM_OK) {
		return code;
	}
	frame = plm_frame_build(&log->backend.head, log->epoch, records, count, &log->leaves);
	code = log->backend.ops->append(log->backend.self, &frame, records, err);
	if (code != PLM_OK) {
		log->dead = true;
		return code;
	}
	log->backend.head = plm_frame_head(&frame);
	return PLM_OK;
}

/* ---- reading ------------------------------------------------------------------------------- */

enum plm_code plm_log_cursor_open(struct plm_log *log, uint64_t from, struct plm_log_cursor **out,
				  struct plm_error *err)
{
	struct plm_log_cursor *cursor = NULL;
	struct plm_reader *reader = NULL;
	struct plm_log_head before = {0};
	enum plm_code code = PLM_OK;

	PLM_ASSERT(log != NULL && out != NULL);
	PLM_ASSERT(from >= 1);
	code = log->backend.ops->reader(log->backend.self, &reader, err);
	if (code != PLM_OK) {
		return code;
	}
	code = reader->ops->seek(reader, from, &before, err);
	if (code != PLM_OK) {
		reader->ops->close(reader);
		return code;
	}
	cursor = calloc(1, sizeof(*cursor));
	PLM_ASSERT(cursor != NULL);
	cursor->log = log;
	cursor->reader = reader;
	cursor->from = from;
	cursor->head = before;
	atomic_fetch_add(&log->cursors, 1);
	*out = cursor;
	return PLM_OK;
}

/* The next batch into 'blob', checked. */
static enum plm_code next_batch(struct plm_log_cursor *cursor, struct plm_error *err)
{
	struct plm_log_head after = {0};
	struct plm_frame frame;
	enum plm_code code = cursor->reader->ops->next(cursor->reader, &cursor->blob, err);

	PLM_ASSERT(cursor->index == cursor->count);
	PLM_ASSERT(!cursor->dead);
	if (code != PLM_OK) {
		cursor->dead = code != PLM_E_NOT_FOUND;
		return code;
	}
	if (!cursor->reader->checked) {
		struct plm_slice bytes = plm_slice_of(cursor->blob.bytes, cursor->blob.size);

		code = plm_blob_check(bytes, &cursor->head, &cursor->leaves, &after, err);
		if (code != PLM_OK) {
			cursor->dead = true;
			return code;
		}
	}
	frame = plm_blob_frame(&cursor->blob);
	PLM_ASSERT(frame.first == cursor->head.seq + 1);
	cursor->head = plm_frame_head(&frame);
	cursor->first = frame.first;
	cursor->count = frame.count;
	cursor->index = 0;
	cursor->offset = 0;
	return PLM_OK;
}

/* Records before 'from' in its batch were checked with the others, and are passed by. */
enum plm_code plm_log_cursor_next(struct plm_log_cursor *cursor, struct plm_log_record *out,
				  struct plm_error *err)
{
	struct plm_slice bytes;
	uint64_t seq = 0;

	PLM_ASSERT(cursor != NULL && out != NULL);
	PLM_ASSERT(cursor->index <= cursor->count);
	PLM_ASSERT(!cursor->dead);
	do {
		if (cursor->index == cursor->count) {
			enum plm_code code = next_batch(cursor, err);

			if (code != PLM_OK) {
				return code;
			}
		}
		seq = cursor->first + cursor->index;
		bytes = plm_blob_record(&cursor->blob, cursor->index, &cursor->offset);
		cursor->index++;
	} while (seq < cursor->from);
	*out = (struct plm_log_record){
		.seq = seq,
		.bytes = bytes,
		.last_of_frame = cursor->index == cursor->count,
		.head = cursor->head,
	};
	return PLM_OK;
}

enum plm_code plm_log_cursor_batch(struct plm_log_cursor *cursor, struct plm_slice *out,
				   struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	PLM_ASSERT(!cursor->dead);
	PLM_ASSERT(cursor->index == cursor->count);
	code = next_batch(cursor, err);
	if (code == PLM_OK) {
		cursor->index = cursor->count;
		*out = plm_slice_of(cursor->blob.bytes, cursor->blob.size);
	}
	return code;
}

struct plm_log_head plm_log_cursor_head(const struct plm_log_cursor *cursor)
{
	PLM_ASSERT(cursor != NULL);
	return cursor->head;
}

void plm_log_cursor_close(struct plm_log_cursor *cursor)
{
	if (cursor == NULL) {
		return;
	}
	PLM_ASSERT(atomic_fetch_sub(&cursor->log->cursors, 1) > 0);
	cursor->reader->ops->close(cursor->reader);
	plm_blob_fini(&cursor->blob);
	plm_leaves_fini(&cursor->leaves);
	free(cursor);
}
