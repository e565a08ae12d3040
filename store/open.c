#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "store/backend.h"
#include "store/file.h"
#include "store/lmdb_check.h"
#include "store/snapshot.h"

/* Which place a path means, and what is asked of a place as a whole. */

enum plm_code plm_log_open(const char *path, enum plm_log_mode mode, struct plm_log **out,
			   struct plm_error *err)
{
	struct plm_backend backend = {0};
	struct stat status;
	enum plm_code code = PLM_OK;

	PLM_ASSERT(path != NULL && out != NULL);
	if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
		if (mode == PLM_LOG_WRITE) {
			return plm_fail(err, PLM_E_REFUSED,
					"%s: an exported file can be read, not written", path);
		}
		code = plm_plog_open(path, &backend, err);
	} else {
		code = plm_lmdb_open(path, mode, &backend, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	*out = plm_log_over(&backend, mode);
	return PLM_OK;
}

static uint64_t file_bytes(const char *path, bool is_folder)
{
	char file[PLM_PATH_SIZE];
	struct stat status;

	if (is_folder) {
		if (plm_path_join(file, path, "data.mdb", NULL) != PLM_OK) {
			return 0;
		}
		path = file;
	}
	return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static bool is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static void describe(const char *path, const struct plm_log_head *head, uint64_t first,
		     struct plm_log_stat *out)
{
	bool folder = !is_file(path);

	PLM_ASSERT(head->frames <= head->seq);
	*out = (struct plm_log_stat){
		.first = head->seq == 0 ? 0 : first,
		.head = *head,
		.file_bytes = file_bytes(path, folder),
		.snapshots = folder ? plm_snapshot_count_valid(path) : 0,
	};
}

enum plm_code plm_log_stat(const char *path, struct plm_log_stat *out, struct plm_error *err)
{
	struct plm_log *log = NULL;
	struct plm_log_head head;
	enum plm_code code = plm_log_open(path, PLM_LOG_READ, &log, err);

	PLM_ASSERT(path != NULL && out != NULL);
	if (code != PLM_OK) {
		return code;
	}
	head = plm_log_head(log);
	describe(path, &head, plm_log_first(log), out);
	plm_log_close(log);
	return PLM_OK;
}

/* Every batch of an exported file; it says itself where it ends. */
static enum plm_code verify_file(const char *path, const struct plm_log_watch *watch,
				 struct plm_log_stat *out, uint64_t *last_good,
				 struct plm_error *err)
{
	struct plm_log *log = NULL;
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	struct plm_log_head head = {0};
	enum plm_code code = plm_log_open(path, PLM_LOG_READ, &log, err);

	if (code != PLM_OK) {
		return code;
	}
	head = plm_log_head(log);
	*last_good = plm_log_first(log) - 1;
	code = plm_log_cursor_open(log, plm_log_first(log), &cursor, err);
	while (code == PLM_OK) {
		code = plm_log_cursor_next(cursor, &record, err);
		if (code == PLM_OK && record.last_of_frame) {
			*last_good = record.seq;
			if (watch != NULL && watch->progress != NULL &&
			    record.head.frames % 1024 == 0) {
				watch->progress(watch->ctx, record.seq, head.seq);
			}
		}
	}
	plm_log_cursor_close(cursor);
	if (code == PLM_E_NOT_FOUND) {
		describe(path, &head, plm_log_first(log), out);
		code = PLM_OK;
	}
	plm_log_close(log);
	return code;
}

enum plm_code plm_log_verify(const char *path, const struct plm_log_watch *watch,
			     struct plm_log_stat *out, uint64_t *last_good, struct plm_error *err)
{
	struct plm_log_head head = {0};
	enum plm_code code = PLM_OK;

	PLM_ASSERT(path != NULL && out != NULL);
	PLM_ASSERT(last_good != NULL);
	*last_good = 0;
	if (is_file(path)) {
		return verify_file(path, watch, out, last_good, err);
	}
	code = plm_lmdb_check(path, PLM_LMDB_CHECK_ALL, watch, &head, last_good, err);
	if (code == PLM_OK) {
		describe(path, &head, 1, out);
	}
	return code;
}
