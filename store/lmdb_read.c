#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "core/limits.h"
#include "store/backend.h"
#include "store/lmdb_env.h"

/*
 * Batches out of LMDB, one after the other. Runs in reading children only: any access may die on a
 * damaged page. Everything is copied out of the map before anybody checks it, so that what is
 * checked is what is handed out.
 */
struct lmdb_reader {
	struct plm_reader reader;
	const struct plm_lmdb *lmdb; /* borrowed */
	MDB_txn *txn;		     /* owned; kept between uses */
	MDB_cursor *frames;	     /* owned, of 'txn'; NULL = between transactions */
	MDB_cursor *records;
	bool placed; /* both cursors stand on what was handed out last */
	int64_t born_ms;
	uint64_t seq; /* newest record handed out */
};

static int64_t now_ms(void)
{
	struct timespec now;

	PLM_ASSERT(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void plm_lmdb_reader_idle(struct plm_reader *reader)
{
	struct lmdb_reader *self = (struct lmdb_reader *)reader;

	if (self->frames != NULL) {
		mdb_cursor_close(self->frames);
		mdb_cursor_close(self->records);
		self->frames = NULL;
		self->records = NULL;
		self->placed = false;
		mdb_txn_reset(self->txn);
	}
}

/*
 * Half the limit: a batch that is just being read is finished before the transaction is too old. A
 * cursor does not survive its transaction, so the next read has to find its place again.
 */
static int begin(struct lmdb_reader *self)
{
	int rc = 0;

	if (self->frames != NULL && now_ms() - self->born_ms < PLM_LIMIT_READ_MS / 2) {
		return 0;
	}
	plm_lmdb_reader_idle(&self->reader);
	rc = self->txn == NULL ? mdb_txn_begin(self->lmdb->env, NULL, MDB_RDONLY, &self->txn)
			       : mdb_txn_renew(self->txn);
	if (rc != 0) {
		return rc;
	}
	self->born_ms = now_ms();
	rc = mdb_cursor_open(self->txn, self->lmdb->frame, &self->frames);
	if (rc == 0) {
		rc = mdb_cursor_open(self->txn, self->lmdb->log, &self->records);
		if (rc != 0) {
			mdb_cursor_close(self->frames);
			self->frames = NULL;
		}
	}
	if (rc != 0) {
		mdb_txn_reset(self->txn);
	}
	return rc;
}

/* The frame in 'value' under 'key'. */
static enum plm_code decode(const MDB_val *key, const MDB_val *value, struct plm_frame *out,
			    struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	PLM_ASSERT(key->mv_data != NULL && value->mv_data != NULL);
	if (value->mv_size > PLM_LIMIT_RECORD_BYTES) {
		return plm_fail(err, PLM_E_CORRUPT, "a frame of %zu bytes", value->mv_size);
	}
	code = plm_frame_decode(plm_slice_of(value->mv_data, value->mv_size), out, err);
	if (code == PLM_OK && (key->mv_size != 8 || plm_get_be64(key->mv_data) != out->last)) {
		return plm_fail(err, PLM_E_CORRUPT,
				"the frame of record %" PRIu64 " is under another number",
				out->last);
	}
	return code;
}

/*
 * The frame before the one that is asked for says where the log stands there: seq, count, bytes,
 * chain. It is trusted by its own checksum only; the chain then proves that the next one follows
 * it.
 */
static enum plm_code lmdb_seek(struct plm_reader *reader, uint64_t from,
			       struct plm_log_head *before, struct plm_error *err)
{
	struct lmdb_reader *self = (struct lmdb_reader *)reader;
	uint8_t room[8];
	MDB_val key = plm_lmdb_key(from, room);
	MDB_val value = {0};
	struct plm_frame frame;
	enum plm_code code = PLM_OK;
	int rc = begin(self);

	PLM_ASSERT(from >= 1);
	if (rc != 0) {
		return plm_lmdb_fail(err, rc, "begin reading");
	}
	self->placed = false;
	rc = mdb_cursor_get(self->frames, &key, &value, MDB_SET_RANGE);
	if (rc == 0) {
		rc = mdb_cursor_get(self->frames, &key, &value, MDB_PREV);
	} else if (rc == MDB_NOTFOUND) {
		rc = mdb_cursor_get(self->frames, &key, &value, MDB_LAST);
	}
	if (rc == MDB_NOTFOUND) {
		self->seq = 0;
		*before = (struct plm_log_head){0};
		return PLM_OK;
	}
	if (rc != 0) {
		return plm_lmdb_fail(err, rc, "find a frame");
	}
	code = decode(&key, &value, &frame, err);
	if (code == PLM_OK) {
		self->seq = frame.last;
		*before = plm_frame_head(&frame);
	}
	return code;
}

static int next_frame(struct lmdb_reader *self, MDB_val *key, MDB_val *value)
{
	uint8_t room[8];

	PLM_ASSERT(self->frames != NULL);
	if (self->placed) {
		return mdb_cursor_get(self->frames, key, value, MDB_NEXT);
	}
	*key = plm_lmdb_key(self->seq + 1, room);
	return mdb_cursor_get(self->frames, key, value, MDB_SET_RANGE);
}

static enum plm_code bad_record(struct plm_error *err, uint64_t seq, uint64_t good, int rc)
{
	return plm_fail(err, PLM_E_CORRUPT,
			"record %" PRIu64 " %s%s; record %" PRIu64 " is the last good one", seq,
			rc == 0 ? "is not what its frame says" : "cannot be read: ",
			rc == 0 ? "" : mdb_strerror(rc), good);
}

/* Sizes and numbers are checked before a byte is copied: damage may have made them anything. */
static enum plm_code copy_records(struct lmdb_reader *self, const struct plm_frame *frame,
				  struct plm_blob *out, struct plm_error *err)
{
	uint8_t *size_at = out->bytes + PLM_FRAME_SIZE;
	uint8_t *record_at = size_at + (size_t)frame->count * 4;
	uint64_t left = frame->bytes;
	uint8_t room[8];
	MDB_val key = plm_lmdb_key(frame->first, room);
	MDB_val value = {0};

	PLM_ASSERT(self->records != NULL);
	PLM_ASSERT(out->capacity >= plm_blob_size(frame));
	for (uint32_t i = 0; i < frame->count; i++) {
		uint64_t seq = frame->first + i;
		int rc = mdb_cursor_get(self->records, &key, &value,
					i == 0 && !self->placed ? MDB_SET_RANGE : MDB_NEXT);

		if (rc != 0 || key.mv_size != 8 || plm_get_be64(key.mv_data) != seq ||
		    value.mv_size > left || value.mv_size > PLM_LIMIT_RECORD_BYTES) {
			return bad_record(err, seq, frame->first - 1, rc);
		}
		plm_put_be32(size_at + (size_t)i * 4, (uint32_t)value.mv_size);
		memcpy(record_at, value.mv_data, value.mv_size);
		record_at += value.mv_size;
		left -= value.mv_size;
	}
	if (left != 0) {
		return bad_record(err, frame->last, frame->first - 1, 0);
	}
	out->size = plm_blob_size(frame);
	return PLM_OK;
}

static enum plm_code lmdb_next(struct plm_reader *reader, struct plm_blob *out,
			       struct plm_error *err)
{
	struct lmdb_reader *self = (struct lmdb_reader *)reader;
	MDB_val key = {0};
	MDB_val value = {0};
	struct plm_frame frame;
	enum plm_code code = PLM_OK;
	int rc = begin(self);

	if (rc == 0) {
		rc = next_frame(self, &key, &value);
		if (rc == MDB_NOTFOUND) {
			plm_lmdb_reader_idle(reader);
			return plm_fail(err, PLM_E_NOT_FOUND, "the log ends with record %" PRIu64,
					self->seq);
		}
	}
	if (rc != 0) {
		return plm_lmdb_fail(err, rc, "read a frame");
	}
	code = decode(&key, &value, &frame, err);
	if (code != PLM_OK) {
		return plm_fail_prefix(err, code, "behind record %" PRIu64, self->seq);
	}
	if (frame.first != self->seq + 1) {
		return plm_fail(err, PLM_E_CORRUPT,
				"no frame begins with record %" PRIu64 "; record %" PRIu64
				" is the last good one",
				self->seq + 1, self->seq);
	}
	plm_blob_reserve(out, plm_blob_size(&frame));
	memcpy(out->bytes, value.mv_data, PLM_FRAME_SIZE);
	code = copy_records(self, &frame, out, err);
	self->placed = code == PLM_OK;
	self->seq = frame.last;
	return code;
}

static void lmdb_reader_close(struct plm_reader *reader)
{
	struct lmdb_reader *self = (struct lmdb_reader *)reader;

	plm_lmdb_reader_idle(reader);
	if (self->txn != NULL) {
		mdb_txn_abort(self->txn);
	}
	free(self);
}

static const struct plm_reader_ops lmdb_reader_ops = {
	.seek = lmdb_seek,
	.next = lmdb_next,
	.close = lmdb_reader_close,
};

struct plm_reader *plm_lmdb_reader_new(const struct plm_lmdb *lmdb)
{
	struct lmdb_reader *self = calloc(1, sizeof(*self));

	PLM_ASSERT(self != NULL);
	self->reader.ops = &lmdb_reader_ops;
	self->lmdb = lmdb;
	return &self->reader;
}
