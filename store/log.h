/*
 * log.h - the log: records, frames, chain, durability
 *
 * Owns: the record and frame layout, the hash chain, batches, the tail check at open, verification on
 * every read, the witness file "head", the writer's lock. Does not: know what a record means: an
 * envelope is bytes with a dense number. One writer thread; any number of cursors, each on one thread.
 *
 * Two backends carry the same bytes (log_lmdb.c on disk, log_mem.c in memory with a durable and a
 * volatile image): "the same log" means the same records and frames. Sources: spec D4-D8 and D11 of the
 * event-sourcing design, exact decisions 1.
 *
 * A batch is 1..n records with consecutive numbers and one frame, in one transaction. Any error of
 * plm_log_commit() but PLM_E_LIMIT (nothing was tried) ends the life of the handle: only
 * plm_log_close() is legal, and the process is expected to end, since what the kernel kept is unknown.
 *
 * Later work attaches here: a root over the whole log is one more frame field; sealing moves rows out
 * through a cursor and a delete below a sealed number; signed checkpoints and the Lease's witness read
 * struct plm_log_head.
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
 * Open the LMDB log in folder 'path'. Writing creates it. The frames of the tail are verified.
 * PLM_E_REFUSED: another writer holds it. PLM_E_CORRUPT: damage, a log behind its witness "head".
 * PLM_E_VERSION: newer layout. PLM_E_NOT_FOUND: nothing to read. PLM_E_IO: the system's word.
 */
enum plm_code plm_log_open(const char *path, enum plm_log_mode mode, struct plm_log **out,
			   struct plm_error *err) PLM_MUST_CHECK;
/* A log in memory, empty. */
enum plm_code plm_log_open_memory(struct plm_log **out, struct plm_error *err) PLM_MUST_CHECK;
void plm_log_close(struct plm_log *log); /* NULL-safe */

struct plm_log_head plm_log_head(const struct plm_log *log);

/*
 * Append 'count' >= 1 records (borrowed) as one batch; they get the numbers head.seq + 1 ...; durable
 * when this returns PLM_OK. PLM_E_LIMIT: a record above PLM_LIMIT_RECORD_BYTES, nothing was tried.
 * PLM_E_FULL, PLM_E_IO: see above, the handle is dead.
 */
enum plm_code plm_log_commit(struct plm_log *log, const struct plm_slice *records, size_t count,
			     struct plm_error *err) PLM_MUST_CHECK;

/* A cursor before record 'from' (>= 1). It may be used while the log grows. */
enum plm_code plm_log_cursor_open(struct plm_log *log, uint64_t from, struct plm_log_cursor **out,
				  struct plm_error *err) PLM_MUST_CHECK;
/*
 * The next record. PLM_E_NOT_FOUND: the end, for now; the cursor stays usable and sees what is appended
 * later. PLM_E_CORRUPT: 'err' names the last good number; only closing is legal.
 */
enum plm_code plm_log_cursor_next(struct plm_log_cursor *cursor, struct plm_log_record *out,
				  struct plm_error *err) PLM_MUST_CHECK;
void plm_log_cursor_close(struct plm_log_cursor *cursor); /* NULL-safe */

#endif
