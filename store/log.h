/*
 * log.h - the log: records, frames, chain, durability
 *
 * Owns: the record and frame layout (frame.h), the hash chain, batches, the tail check at open,
 * verification on every read, the witness file "head", the writer's lock. Does not: know what a
 * record means: an envelope is bytes with a dense number. One writer thread; any number of
 * cursors, each on one thread.
 *
 * Three places carry the same bytes: log_lmdb.c (a folder), log_mem.c (memory, with a durable and a
 * volatile image: log_mem.h), plog.c (an exported file, read only). "The same log" means the same
 * records and frames. Sources: eventsourcing.md D4-D8 and D11, exact.md 1.
 *
 * A batch is 1..n records with consecutive numbers and one frame, in one transaction. Any error of
 * plm_log_commit() but PLM_E_LIMIT (nothing was tried) ends the life of the handle: only
 * plm_log_close() is legal, and the process is expected to end, since what the kernel kept is
 * unknown.
 *
 * A folder holds data.mdb and lock.mdb (LMDB), "head" and snapshots/ (snapshot.h). "head" is {seq,
 * frames, chain head, checksum}, written unsynced behind each durable commit: LMDB falls back to an
 * older meta page in silence, so a log behind its "head" or behind a valid snapshot is damage.
 *
 * LMDB detects almost no damage and may crash on it, so a folder is read by child processes only
 * (guard.h): a cursor's child sends checked batches, and its death is PLM_E_CORRUPT here.
 *
 * Later work attaches here: a root over the whole log is one more frame field; sealing moves rows
 * out through a cursor and a delete below a sealed number; signed checkpoints and the Lease's
 * witness read struct plm_log_head.
 */
#ifndef PLM_STORE_LOG_H
#define PLM_STORE_LOG_H

#include "core/error.h"
#include "core/slice.h"
#include "hash/hash.h"

struct plm_log;	       /* opaque, owned by who opened it */
struct plm_log_cursor; /* opaque */

enum plm_log_mode {
	PLM_LOG_WRITE, /* take the writer's lock; create the log when the folder holds none */
	PLM_LOG_READ,  /* beside a live writer or alone; never writes */
};

struct plm_log_head {
	uint64_t seq;		 /* newest record; 0 = empty log */
	uint64_t frames;	 /* number of frames */
	uint64_t bytes;		 /* sum of the sizes of the records */
	uint64_t epoch;		 /* of the newest frame: plm_log_set_epoch() */
	struct plm_sha256 chain; /* chain head; zero bytes for the empty log */
};

/* One record as read: verified against its frame, and the frame against the chain. */
struct plm_log_record {
	uint64_t seq;
	struct plm_slice bytes;	  /* borrowed until the next call on the cursor */
	bool last_of_frame;	  /* the last record of its batch */
	struct plm_log_head head; /* as of the end of this record's frame */
};

/*
 * Open the log in folder 'path'. Writing creates it, and verifies the frames of the tail
 * (PLM_LIMIT_TAIL_EVENTS records); reading verifies the newest frame. Reading also takes an
 * exported .plog file, or a part of one.
 * PLM_E_REFUSED: another writer holds it, or a file was to be written. PLM_E_CORRUPT: damage, a log
 * behind its "head" or a snapshot. PLM_E_VERSION: newer layout. PLM_E_NOT_FOUND: nothing to read.
 * PLM_E_IO: the system's word.
 */
enum plm_code plm_log_open(const char *path, enum plm_log_mode mode, struct plm_log **out,
			   struct plm_error *err) PLM_MUST_CHECK;
/* A log in memory, empty; gone when closed. For images that outlive a handle: log_mem.h. */
enum plm_code plm_log_open_memory(struct plm_log **out, struct plm_error *err) PLM_MUST_CHECK;
/* NULL-safe. All its cursors must be closed. */
void plm_log_close(struct plm_log *log);

/* As of the open or the last commit through this handle. */
struct plm_log_head plm_log_head(const struct plm_log *log);
/* Number of the first record: 1, but for a part exported from a log. */
uint64_t plm_log_first(const struct plm_log *log);

/*
 * Append 'count' >= 1 records (borrowed) as one batch; they get the numbers head.seq + 1 ...;
 * durable when this returns PLM_OK. PLM_E_LIMIT: a record above PLM_LIMIT_RECORD_BYTES or a batch
 * above PLM_LIMIT_FRAME_RECORDS or PLM_LIMIT_FRAME_BYTES, nothing was tried, the handle lives.
 * PLM_E_FULL, PLM_E_IO, PLM_E_CORRUPT: see above, the handle is dead.
 */
enum plm_code plm_log_commit(struct plm_log *log, const struct plm_slice *records, size_t count,
			     struct plm_error *err) PLM_MUST_CHECK;

/* The epoch that later frames carry; 0 until set. Not part of the chain: the EPOCH event is. */
void plm_log_set_epoch(struct plm_log *log, uint64_t epoch);

/*
 * Notes are short texts beside the log that no hash covers: compiler, commit, image. A note put is
 * written with the next batch; 'name' has at most PLM_NOTE_NAME_MAX bytes, 'text'
 * PLM_NOTE_TEXT_MAX.
 */
#define PLM_NOTE_NAME_MAX 32
#define PLM_NOTE_TEXT_MAX 256
void plm_log_note_put(struct plm_log *log, const char *name, const char *text);
/* 'text' (of PLM_NOTE_TEXT_MAX + 1 bytes) gets the durable note. PLM_E_NOT_FOUND: none. */
enum plm_code plm_log_note_get(struct plm_log *log, const char *name, char *text, size_t size,
			       struct plm_error *err) PLM_MUST_CHECK;

/* Room on the volume that holds the log: what the engine's thresholds of D8 are taken from. */
struct plm_log_room {
	uint64_t free_bytes; /* that this user may still write */
	uint64_t total_bytes;
};
enum plm_code plm_log_room(struct plm_log *log, struct plm_log_room *out,
			   struct plm_error *err) PLM_MUST_CHECK;

/*
 * A cursor before record 'from' (>= 1). It may be used while the log grows, and sees what is
 * durable. Its child ends with the thread that called this, so that thread must live as long.
 * PLM_E_NOT_FOUND: 'log' is a part that begins later. PLM_E_AGAIN: PLM_LIMIT_READERS are at it.
 */
enum plm_code plm_log_cursor_open(struct plm_log *log, uint64_t from, struct plm_log_cursor **out,
				  struct plm_error *err) PLM_MUST_CHECK;
/*
 * The next record. PLM_E_NOT_FOUND: the end, for now; the cursor stays usable and sees what is
 * appended later. PLM_E_CORRUPT: 'err' names the last good number; only closing is legal.
 */
enum plm_code plm_log_cursor_next(struct plm_log_cursor *cursor, struct plm_log_record *out,
				  struct plm_error *err) PLM_MUST_CHECK;
void plm_log_cursor_close(struct plm_log_cursor *cursor); /* NULL-safe */

/* Told of progress about ten times a second, from the calling process. */
struct plm_log_watch {
	void (*progress)(void *ctx, uint64_t seq, uint64_t head_seq); /* may be NULL */
	void *ctx;						      /* borrowed */
};
/* Who is told of what plm_log_export() and plm_log_save() of 'log' do; NULL = nobody. Borrowed. */
void plm_log_set_watch(struct plm_log *log, const struct plm_log_watch *watch);

struct plm_log_stat {
	uint64_t first; /* number of the first record; 0 = empty log */
	struct plm_log_head head;
	uint64_t file_bytes; /* of data.mdb or the .plog file */
	uint64_t snapshots;  /* snapshot files that are whole */
};

/* Facts about the log at 'path' (folder or .plog), after the checks of a reading open. */
enum plm_code plm_log_stat(const char *path, struct plm_log_stat *out,
			   struct plm_error *err) PLM_MUST_CHECK;
/*
 * Read everything at 'path' again: every record, frame, checksum, gap and snapshot. '*last_good'
 * is set in any case: the newest record up to which all is well. Codes as plm_log_open().
 */
enum plm_code plm_log_verify(const char *path, const struct plm_log_watch *watch,
			     struct plm_log_stat *out, uint64_t *last_good,
			     struct plm_error *err) PLM_MUST_CHECK;

/*
 * Write the whole frames that hold records 'from' .. 'to' (0 = the end) of 'log' to the new file
 * 'path', compressed and checkable on its own. PLM_E_REFUSED: 'path' exists. PLM_E_NOT_FOUND: no
 * such record.
 */
enum plm_code plm_log_export(struct plm_log *log, uint64_t from, uint64_t to, const char *path,
			     struct plm_error *err) PLM_MUST_CHECK;
/*
 * Copy 'log', which must begin at record 1, into the folder 'path', which must be missing or empty:
 * same records, frames and chain head. It appears there whole or not at all.
 * PLM_E_REFUSED: the folder is not empty, or 'log' is a later part.
 */
enum plm_code plm_log_save(struct plm_log *log, const char *path,
			   struct plm_error *err) PLM_MUST_CHECK;
/* plm_log_save() of the .plog file 'from'; '*out' (may be NULL) is the head that both now have. */
enum plm_code plm_log_import(const char *from, const char *path, struct plm_log_head *out,
			     struct plm_error *err) PLM_MUST_CHECK;

#endif
