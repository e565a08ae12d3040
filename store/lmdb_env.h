/*
 * lmdb_env.h - one LMDB environment as the log uses it (private to store/)
 *
 * Owns: how the environment is opened, its three tables, the layout of keys and of "meta", what
 * LMDB's codes mean. Only the writer and the reading children have one open.
 *
 *	log	be64 seq -> record
 *	frame	be64 last seq -> frame (frame.h)
 *	meta	"format" -> be32 PLM_LMDB_FORMAT, be64 XXH3-64 of it;
 *		"note:<name>" -> text, be64 XXH3-64 of it
 *
 * Sync mode: LMDB's default, always (D7). MDB_NOTLS, 64 GiB of address space, never grown.
 */
#ifndef PLM_STORE_LMDB_ENV_H
#define PLM_STORE_LMDB_ENV_H

#include <lmdb.h>

#include "store/frame.h"

#define PLM_LMDB_FORMAT 1
#define PLM_LMDB_FILE "data.mdb"

enum plm_lmdb_use {
	PLM_LMDB_READ,
	PLM_LMDB_WRITE,
	PLM_LMDB_BUILD, /* a new environment that becomes the log by a rename: no sync before its end */
};

struct plm_lmdb {
	MDB_env *env; /* owned */
	MDB_dbi log;
	MDB_dbi frame;
	MDB_dbi meta;
	int lock_fd; /* shared lock of a reader that may not write lock.mdb; -1 = none */
};

/* Open folder 'path'. PLM_E_NOT_FOUND: no log there. PLM_E_CORRUPT, PLM_E_VERSION, PLM_E_IO. */
enum plm_code plm_lmdb_env_open(const char *path, enum plm_lmdb_use use, struct plm_lmdb *out,
				struct plm_error *err) PLM_MUST_CHECK;
void plm_lmdb_env_close(struct plm_lmdb *lmdb);

/* Fail with LMDB's or the system's code 'rc', which is not 0. */
enum plm_code plm_lmdb_fail(struct plm_error *err, int rc, const char *what);

/* A key: be64 of 'seq', kept in 'room'. */
MDB_val plm_lmdb_key(uint64_t seq, uint8_t room[8]);

/* Put the batch into the tables of a write transaction. Returns LMDB's code. */
int plm_lmdb_put_batch(const struct plm_lmdb *lmdb, MDB_txn *txn, const struct plm_frame *frame,
		       const struct plm_slice *records);
/* "meta": bytes with a checksum behind them. Returns LMDB's code. */
int plm_lmdb_put_meta(const struct plm_lmdb *lmdb, MDB_txn *txn, const char *key,
		      struct plm_slice value);
/* '*out' is borrowed from the transaction. PLM_E_NOT_FOUND: no such key. */
enum plm_code plm_lmdb_get_meta(const struct plm_lmdb *lmdb, MDB_txn *txn, const char *key,
				struct plm_slice *out, struct plm_error *err) PLM_MUST_CHECK;

/*
 * A reader of batches over 'lmdb' (borrowed), with transactions of its own that are renewed after
 * PLM_LIMIT_READ_MS. Its blobs are not checked.
 */
struct plm_reader *plm_lmdb_reader_new(const struct plm_lmdb *lmdb);
/*
 * End the transaction, so that waiting for somebody pins no page; the next read begins a new one.
 */
void plm_lmdb_reader_idle(struct plm_reader *reader);

#endif
