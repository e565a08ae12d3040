#include "store/lmdb_env.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/limits.h"
#include "store/file.h"

#define FORMAT_KEY "format"
/* The pages on disk begin with two meta pages; these are LMDB 0.9's places in them. */
#define PAGE_BYTES 4096
#define META_MAGIC_AT 16
#define META_VERSION_AT 20
#define META_MAP_AT 32
#define META_MAGIC 0xBEEFC0DEU

enum plm_code plm_lmdb_fail(struct plm_error *err, int rc, const char *what)
{
	enum plm_code code = PLM_E_IO;

	PLM_ASSERT(rc != 0);
	switch (rc) {
	case MDB_MAP_FULL:
	case MDB_TXN_FULL:
	case ENOSPC:
	case EDQUOT:
		code = PLM_E_FULL;
		break;
	case MDB_READERS_FULL:
		code = PLM_E_AGAIN;
		break;
	case MDB_CORRUPTED:
	case MDB_PAGE_NOTFOUND:
	case MDB_PAGE_FULL:
	case MDB_CURSOR_FULL:
	case MDB_PANIC:
	case MDB_INVALID:
	case MDB_VERSION_MISMATCH:
	case MDB_INCOMPATIBLE:
	case MDB_BAD_VALSIZE:
	case MDB_BAD_DBI:
	case MDB_BAD_TXN:
	case MDB_KEYEXIST:
	case MDB_NOTFOUND:
	case MDB_DBS_FULL:
	case MDB_MAP_RESIZED:
	case EINVAL:
		/*
		 * Our own calls are right (the tests say so), so such an answer comes from the
		 * pages.
		 */
		code = PLM_E_CORRUPT;
		break;
	default:
		break;
	}
	return plm_fail(err, code, "%s: %s", what, mdb_strerror(rc));
}

/* ---- opening ------------------------------------------------------------------------------- */

/* The same number at the same place of both meta pages. */
static bool both_say(const uint8_t *pages, size_t at, uint64_t value, size_t size)
{
	return memcmp(pages + at, &value, size) == 0 &&
	       memcmp(pages + PAGE_BYTES + at, &value, size) == 0;
}

/*
 * mdb_env_open() has failed with 'rc' on a file that is there. A version that both meta pages
 * agree on is a newer LMDB's, a refusal of the system is its own; anything else that this file
 * makes LMDB say is damage.
 */
static enum plm_code judge(const char *path, int rc, struct plm_error *err)
{
	char file[PLM_PATH_SIZE];
	uint8_t pages[2 * PAGE_BYTES];
	uint32_t version = 0;
	enum plm_code code = plm_path_join(file, path, PLM_LMDB_FILE, err);

	if (code != PLM_OK) {
		return code;
	}
	PLM_CLEANUP(plm_fd_close) int fd = open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		return plm_file_fail(err, errno, "open", file);
	}
	if (pread(fd, pages, sizeof(pages), 0) != (ssize_t)sizeof(pages)) {
		return plm_fail(err, PLM_E_CORRUPT, "%s: it is cut: %s", file, mdb_strerror(rc));
	}
	memcpy(&version, pages + META_VERSION_AT, sizeof(version));
	if (rc == MDB_VERSION_MISMATCH && both_say(pages, META_MAGIC_AT, META_MAGIC, 4) &&
	    both_say(pages, META_VERSION_AT, version, 4)) {
		return plm_fail(err, PLM_E_VERSION, "%s: another LMDB's file (version %" PRIu32 ")",
				file, version);
	}
	if (rc == EACCES || rc == EPERM || rc == EMFILE || rc == ENFILE || rc == EAGAIN ||
	    rc == EIO || rc == ENOSPC ||
	    (rc == ENOMEM && both_say(pages, META_MAP_AT, (uint64_t)PLM_LIMIT_MAP_BYTES, 8))) {
		return plm_lmdb_fail(err, rc, file);
	}
	return plm_fail(err, PLM_E_CORRUPT, "%s: %s", file, mdb_strerror(rc));
}

static int open_tables(struct plm_lmdb *lmdb, enum plm_lmdb_use use, MDB_txn *txn)
{
	unsigned int flags = use == PLM_LMDB_BUILD ? MDB_CREATE : 0;
	int rc = mdb_dbi_open(txn, "log", flags, &lmdb->log);

	if (rc == 0) {
		rc = mdb_dbi_open(txn, "frame", flags, &lmdb->frame);
	}
	if (rc == 0) {
		rc = mdb_dbi_open(txn, "meta", flags, &lmdb->meta);
	}
	return rc;
}

/*
 * The only thing that is read before the format is known. A table "meta" without it is not a log of
 * ours, whatever else the file holds.
 */
static enum plm_code check_format(const struct plm_lmdb *lmdb, MDB_txn *txn, struct plm_error *err)
{
	struct plm_slice value = {0};
	enum plm_code code = plm_lmdb_get_meta(lmdb, txn, FORMAT_KEY, &value, err);

	if (code == PLM_E_NOT_FOUND || (code == PLM_OK && value.size != 4)) {
		return plm_fail(err, PLM_E_CORRUPT, "the log does not say its format");
	}
	if (code != PLM_OK) {
		return code;
	}
	if (plm_get_be32(value.ptr) != PLM_LMDB_FORMAT) {
		return plm_fail(err, PLM_E_VERSION,
				"log format %" PRIu32 ", this build knows format %d",
				plm_get_be32(value.ptr), PLM_LMDB_FORMAT);
	}
	return PLM_OK;
}

static enum plm_code open_content(struct plm_lmdb *lmdb, enum plm_lmdb_use use,
				  struct plm_error *err)
{
	MDB_txn *txn = NULL;
	uint8_t format[4];
	enum plm_code code = PLM_OK;
	int dead = 0;
	int rc = mdb_txn_begin(lmdb->env, NULL, use == PLM_LMDB_BUILD ? 0 : MDB_RDONLY, &txn);

	/* Readers that were killed hold their places until somebody looks. */
	if (rc == MDB_READERS_FULL && mdb_reader_check(lmdb->env, &dead) == 0 && dead > 0) {
		rc = mdb_txn_begin(lmdb->env, NULL, MDB_RDONLY, &txn);
	}
	if (rc == 0) {
		rc = open_tables(lmdb, use, txn);
	}
	if (rc == 0 && use == PLM_LMDB_BUILD) {
		plm_put_be32(format, PLM_LMDB_FORMAT);
		rc = plm_lmdb_put_meta(lmdb, txn, FORMAT_KEY, plm_slice_of(format, sizeof(format)));
	} else if (rc == 0) {
		code = check_format(lmdb, txn, err);
	}
	if (rc == 0 && code == PLM_OK) {
		rc = mdb_txn_commit(txn); /* frees it in any case; keeps the table handles */
		txn = NULL;
	}
	if (txn != NULL) {
		mdb_txn_abort(txn);
	}
	return rc != 0 ? plm_lmdb_fail(err, rc, "open the tables") : code;
}

/*
 * A reader registers in lock.mdb. Where it may not write that file (a copy on read-only ground), it
 * keeps writers out by a shared lock instead, and reads without registering.
 */
static int open_unregistered(const char *path, struct plm_lmdb *lmdb)
{
	lmdb->lock_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lmdb->lock_fd < 0 || flock(lmdb->lock_fd, LOCK_SH | LOCK_NB) != 0) {
		return EACCES;
	}
	return mdb_env_open(lmdb->env, path, MDB_RDONLY | MDB_NOTLS | MDB_NOLOCK, 0644);
}

/* LMDB prints and aborts; in a reading child its death says enough (guard.h). */
PLM_NORETURN static void die_quietly(MDB_env *env, const char *what)
{
	(void)env;
	(void)what;
	abort();
}

static int new_env(struct plm_lmdb *lmdb, enum plm_lmdb_use use)
{
	int rc = mdb_env_create(&lmdb->env);

	if (rc == 0 && use == PLM_LMDB_READ) {
		rc = mdb_env_set_assert(lmdb->env, die_quietly);
	}
	if (rc == 0) {
		rc = mdb_env_set_maxdbs(lmdb->env, 3);
	}
	if (rc == 0) {
		rc = mdb_env_set_maxreaders(lmdb->env, PLM_LIMIT_READERS);
	}
	if (rc == 0) {
		rc = mdb_env_set_mapsize(lmdb->env, (size_t)PLM_LIMIT_MAP_BYTES);
	}
	return rc;
}

static bool is_there(const char *path)
{
	char file[PLM_PATH_SIZE];
	struct stat status;

	return plm_path_join(file, path, PLM_LMDB_FILE, NULL) == PLM_OK && stat(file, &status) == 0;
}

/*
 * Nothing is created but by PLM_LMDB_BUILD: a writer that opens the wrong folder by mistake must
 * not leave an empty log there, and a torn creation must not look like a damaged log.
 */
enum plm_code plm_lmdb_env_open(const char *path, enum plm_lmdb_use use, struct plm_lmdb *out,
				struct plm_error *err)
{
	static const unsigned int flags[] = {
		[PLM_LMDB_READ] = MDB_RDONLY | MDB_NOTLS,
		[PLM_LMDB_WRITE] = MDB_NOTLS,
		[PLM_LMDB_BUILD] = MDB_NOTLS | MDB_NOSYNC,
	};
	struct plm_lmdb lmdb = {.lock_fd = -1};
	enum plm_code code = PLM_OK;
	int rc = 0;

	PLM_ASSERT(path != NULL && out != NULL);
	if (use != PLM_LMDB_BUILD && !is_there(path)) {
		return plm_fail(err, PLM_E_NOT_FOUND, "%s: no log here", path);
	}
	rc = new_env(&lmdb, use);
	if (rc == 0) {
		rc = mdb_env_open(lmdb.env, path, flags[use], 0644);
	}
	if (rc == EACCES && use == PLM_LMDB_READ) {
		mdb_env_close(lmdb.env);
		rc = new_env(&lmdb, use);
		if (rc == 0) {
			rc = open_unregistered(path, &lmdb);
		}
	}
	if (rc != 0) {
		code = use == PLM_LMDB_BUILD ? plm_lmdb_fail(err, rc, path) : judge(path, rc, err);
	} else {
		code = open_content(&lmdb, use, err);
	}
	if (code != PLM_OK) {
		plm_lmdb_env_close(&lmdb);
		return code;
	}
	*out = lmdb;
	return PLM_OK;
}

void plm_lmdb_env_close(struct plm_lmdb *lmdb)
{
	PLM_ASSERT(lmdb != NULL);
	mdb_env_close(lmdb->env);
	plm_fd_close(lmdb->lock_fd);
	*lmdb = (struct plm_lmdb){.lock_fd = -1};
}

/* ---- tables -------------------------------------------------------------------------------- */

MDB_val plm_lmdb_key(uint64_t seq, uint8_t room[8])
{
	plm_put_be64(room, seq);
	return (MDB_val){.mv_size = 8, .mv_data = room};
}

/*
 * The frame first: with MDB_APPEND each table takes the new keys at its right edge, so both are
 * written without a search, and their pages are full (343 against 374 bytes per event on disk,
 * D5).
 */
int plm_lmdb_put_batch(const struct plm_lmdb *lmdb, MDB_txn *txn, const struct plm_frame *frame,
		       const struct plm_slice *records)
{
	uint8_t room[8];
	uint8_t bytes[PLM_FRAME_SIZE];
	MDB_val key = plm_lmdb_key(frame->last, room);
	MDB_val value = {.mv_size = PLM_FRAME_SIZE, .mv_data = bytes};
	int rc = 0;

	PLM_ASSERT(txn != NULL);
	PLM_ASSERT(frame->count >= 1);
	plm_frame_encode(frame, bytes);
	rc = mdb_put(txn, lmdb->frame, &key, &value, MDB_APPEND);
	for (uint32_t i = 0; i < frame->count && rc == 0; i++) {
		key = plm_lmdb_key(frame->first + i, room);
		/* LMDB copies out of it; it has no const. With MDB_RESERVE the copy is ours. */
		value = (MDB_val){.mv_size = records[i].size, .mv_data = NULL};
		rc = mdb_put(txn, lmdb->log, &key, &value, MDB_APPEND | MDB_RESERVE);
		if (rc == 0 && records[i].size > 0) {
			memcpy(value.mv_data, records[i].ptr, records[i].size);
		}
	}
	return rc;
}

int plm_lmdb_put_meta(const struct plm_lmdb *lmdb, MDB_txn *txn, const char *key,
		      struct plm_slice value)
{
	char name[64];
	int size = snprintf(name, sizeof(name), "%s", key);
	MDB_val at = {.mv_size = (size_t)size, .mv_data = name};
	MDB_val room = {.mv_size = value.size + 8, .mv_data = NULL};
	int rc = 0;

	PLM_ASSERT(txn != NULL);
	PLM_ASSERT(value.ptr != NULL || value.size == 0);
	PLM_ASSERT(size > 0 && (size_t)size < sizeof(name));
	rc = mdb_put(txn, lmdb->meta, &at, &room, MDB_RESERVE);
	if (rc == 0) {
		memcpy(room.mv_data, value.ptr, value.size);
		plm_put_be64((uint8_t *)room.mv_data + value.size, plm_xxh64(value));
	}
	return rc;
}

/* No chain covers "meta", so each value carries its own checksum. */
enum plm_code plm_lmdb_get_meta(const struct plm_lmdb *lmdb, MDB_txn *txn, const char *key,
				struct plm_slice *out, struct plm_error *err)
{
	char name[64];
	int size = snprintf(name, sizeof(name), "%s", key);
	MDB_val at = {.mv_size = (size_t)size, .mv_data = name};
	MDB_val value = {0};
	struct plm_slice bytes;
	int rc = 0;

	PLM_ASSERT(txn != NULL && out != NULL);
	PLM_ASSERT(size > 0 && (size_t)size < sizeof(name));
	rc = mdb_get(txn, lmdb->meta, &at, &value);
	if (rc == MDB_NOTFOUND) {
		return plm_fail(err, PLM_E_NOT_FOUND, "meta has no \"%s\"", key);
	}
	if (rc != 0) {
		return plm_lmdb_fail(err, rc, "read meta");
	}
	bytes = plm_slice_of(value.mv_data, value.mv_size < 8 ? 0 : value.mv_size - 8);
	if (value.mv_size < 8 || value.mv_size > 1024 ||
	    plm_xxh64(bytes) != plm_get_be64(bytes.ptr + bytes.size)) {
		return plm_fail(err, PLM_E_CORRUPT, "meta \"%s\": its checksum differs", key);
	}
	*out = bytes;
	return PLM_OK;
}
