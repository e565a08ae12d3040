#include "store/build_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/file.h"
#include "store/lmdb_env.h"

#define NEW_FOLDER ".new"
/* A transaction keeps its pages in memory until it commits. */
#define COMMIT_BYTES (32 * 1024 * 1024)

struct plm_build {
	char folder[PLM_PATH_SIZE];
	char workshop[PLM_PATH_SIZE + 8];
	struct plm_lmdb lmdb;
	bool is_open;
	MDB_txn *txn;
	uint64_t pending; /* bytes in 'txn' */
};

static void clear(const struct plm_build *build)
{
	static const char *const names[] = {PLM_LMDB_FILE, "lock.mdb"};
	char path[PLM_PATH_SIZE + 32];

	for (size_t i = 0; i < PLM_COUNTOF(names); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", build->workshop, names[i]);
		(void)unlink(path);
	}
	(void)rmdir(build->workshop);
}

void plm_build_drop(struct plm_build *build)
{
	if (build == NULL) {
		return;
	}
	if (build->txn != NULL) {
		mdb_txn_abort(build->txn);
	}
	if (build->is_open) {
		plm_lmdb_env_close(&build->lmdb);
	}
	clear(build);
	free(build);
}

enum plm_code plm_build_begin(const char *folder, struct plm_build **out, struct plm_error *err)
{
	struct plm_build *build = calloc(1, sizeof(*build));
	enum plm_code code = PLM_OK;

	PLM_ASSERT(folder != NULL && out != NULL);
	PLM_ASSERT(build != NULL);
	if (strlen(folder) >= sizeof(build->folder)) {
		free(build);
		return plm_fail(err, PLM_E_LIMIT, "a path of more than %d bytes",
				PLM_PATH_SIZE - 1);
	}
	(void)snprintf(build->folder, sizeof(build->folder), "%s", folder);
	(void)snprintf(build->workshop, sizeof(build->workshop), "%s/%s", folder, NEW_FOLDER);
	clear(build);
	if (mkdir(build->workshop, 0755) != 0) {
		code = plm_file_fail_make(err, errno, "make the folder", build->workshop);
	}
	if (code == PLM_OK) {
		code = plm_lmdb_env_open(build->workshop, PLM_LMDB_BUILD, &build->lmdb, err);
		build->is_open = code == PLM_OK;
	}
	if (code != PLM_OK) {
		plm_build_drop(build);
		return code;
	}
	*out = build;
	return PLM_OK;
}

static enum plm_code commit(struct plm_build *build, struct plm_error *err)
{
	int rc = 0;

	if (build->txn != NULL) {
		rc = mdb_txn_commit(build->txn);
		build->txn = NULL;
		build->pending = 0;
	}
	return rc == 0 ? PLM_OK : plm_lmdb_fail(err, rc, build->workshop);
}

/* Many batches per transaction: nothing here is durable before the end anyway. */
enum plm_code plm_build_add(struct plm_build *build, const struct plm_frame *frame,
			    const struct plm_slice *records, struct plm_error *err)
{
	int rc = 0;

	PLM_ASSERT(build->is_open);
	PLM_ASSERT(frame->count >= 1 && records != NULL);
	if (build->txn == NULL) {
		rc = mdb_txn_begin(build->lmdb.env, NULL, 0, &build->txn);
	}
	if (rc == 0) {
		rc = plm_lmdb_put_batch(&build->lmdb, build->txn, frame, records);
	}
	if (rc != 0) {
		return plm_lmdb_fail(err, rc, build->workshop);
	}
	build->pending += frame->bytes;
	return build->pending < COMMIT_BYTES ? PLM_OK : commit(build, err);
}

/* The order is the promise: contents, then the name, then the folder that holds the name. */
static enum plm_code move_in(const struct plm_build *build, struct plm_error *err)
{
	char from[PLM_PATH_SIZE + 32];
	char to[PLM_PATH_SIZE + 32];
	enum plm_code code = PLM_OK;

	PLM_ASSERT(!build->is_open && build->txn == NULL);
	(void)snprintf(from, sizeof(from), "%s/%s", build->workshop, PLM_LMDB_FILE);
	(void)snprintf(to, sizeof(to), "%s/%s", build->folder, PLM_LMDB_FILE);
	PLM_CLEANUP(plm_fd_close) int fd = open(from, O_RDWR | O_CLOEXEC);

	if (fd < 0) {
		return plm_file_fail(err, errno, "open", from);
	}
	code = plm_file_sync(fd, from, err);
	if (code != PLM_OK) {
		return code;
	}
	if (rename(from, to) != 0) {
		return plm_file_fail(err, errno, "rename", from);
	}
	return plm_file_sync_folder(build->folder, err);
}

enum plm_code plm_build_end(struct plm_build *build, struct plm_error *err)
{
	enum plm_code code = commit(build, err);

	if (code == PLM_OK) {
		plm_lmdb_env_close(&build->lmdb);
		build->is_open = false;
		code = move_in(build, err);
	}
	plm_build_drop(build);
	return code;
}
