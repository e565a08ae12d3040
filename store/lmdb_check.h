/*
 * lmdb_check.h - is the log in a folder whole? (private to store/)
 *
 * Owns: what is checked at each kind of open and by a full verification. Everything runs in a
 * child.
 *
 *	any open	format; the newest frame; as many records and frames as it says; not behind
 *			"head" and no snapshot, and the same chain as "head" where that is
 *	writing		the frames of the last PLM_LIMIT_TAIL_EVENTS records; that LMDB's own books balance
 *			(each page is used once or free once); an append, rehearsed and taken back
 *	verification	every frame and every snapshot
 */
#ifndef PLM_STORE_LMDB_CHECK_H
#define PLM_STORE_LMDB_CHECK_H

#include "store/log.h"

enum plm_lmdb_depth {
	PLM_LMDB_CHECK_READ,
	PLM_LMDB_CHECK_WRITE,
	PLM_LMDB_CHECK_ALL,
};

/* Check the folder 'path'. '*good' (may be NULL) is set in any case. Codes as plm_log_open(). */
enum plm_code plm_lmdb_check(const char *path, enum plm_lmdb_depth depth,
			     const struct plm_log_watch *watch, struct plm_log_head *out,
			     uint64_t *good, struct plm_error *err) PLM_MUST_CHECK;

#endif
