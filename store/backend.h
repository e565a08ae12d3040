/*
 * backend.h - the seam below the log (private to store/)
 *
 * Owns: the two tables of calls that a place for records offers: appending a finished batch, and
 * reading batches in order. log.c builds and checks frames above it; log_mem.c, log_lmdb.c and
 * plog.c stand below. A reader hands out whole batches as blobs (frame.h).
 * Does not: check a chain (log.c does, unless the reader says that its blobs are checked already).
 */
#ifndef PLM_STORE_BACKEND_H
#define PLM_STORE_BACKEND_H

#include "store/frame.h"

struct plm_reader;

struct plm_reader_ops {
	/*
	 * Stand before the frame that holds 'from', or at the end when there is none yet;
	 * '*before' is where the log stands there. PLM_E_NOT_FOUND: the log begins later.
	 */
	enum plm_code (*seek)(struct plm_reader *reader, uint64_t from, struct plm_log_head *before,
			      struct plm_error *err);
	/* The next batch. PLM_E_NOT_FOUND: none yet, may be asked again. */
	enum plm_code (*next)(struct plm_reader *reader, struct plm_blob *out,
			      struct plm_error *err);
	void (*close)(struct plm_reader *reader);
};

/* Embedded first in each backend's reader. */
struct plm_reader {
	const struct plm_reader_ops *ops; /* static */
	bool checked;			  /* blobs were checked where they come from */
};

struct plm_backend_ops {
	/* Make one batch durable. Any error: what was kept is unknown, the backend is dead. */
	enum plm_code (*append)(void *self, const struct plm_frame *frame,
				const struct plm_slice *records, struct plm_error *err);
	enum plm_code (*reader)(void *self, struct plm_reader **out, struct plm_error *err);
	enum plm_code (*room)(void *self, struct plm_log_room *out, struct plm_error *err);
	/* Keep with the next batch; outside the chain. */
	void (*note_put)(void *self, const char *name, const char *text);
	enum plm_code (*note_get)(void *self, const char *name, char *text, size_t size,
				  struct plm_error *err);
	void (*close)(void *self);
};

/* What an opened backend knows. */
struct plm_backend {
	const struct plm_backend_ops *ops; /* static */
	void *self;			   /* owned by the log */
	uint64_t first; /* number of the first record; 1 but for a part of a log */
	struct plm_log_head head;
};

/* A log over 'backend' (ownership moves). */
struct plm_log *plm_log_over(const struct plm_backend *backend, enum plm_log_mode mode);

/*
 * Reading by batches: the next whole batch (borrowed until the next call), and where the cursor
 * stands.
 */
enum plm_code plm_log_cursor_batch(struct plm_log_cursor *cursor, struct plm_slice *out,
				   struct plm_error *err) PLM_MUST_CHECK;
struct plm_log_head plm_log_cursor_head(const struct plm_log_cursor *cursor);
/* Tell the log's watch, if enough was done since '*told', the record that it was told of last. */
void plm_log_tell(const struct plm_log *log, uint64_t seq, uint64_t *told);

/* The backends' own open calls; codes as plm_log_open(). */
enum plm_code plm_lmdb_open(const char *path, enum plm_log_mode mode, struct plm_backend *out,
			    struct plm_error *err) PLM_MUST_CHECK;
enum plm_code plm_plog_open(const char *path, struct plm_backend *out,
			    struct plm_error *err) PLM_MUST_CHECK;

#endif
