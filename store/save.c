#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "store/backend.h"
#include "store/build_log.h"
#include "store/file.h"
#include "store/lock.h"
#include "store/witness.h"

/*
 * From any log to a new folder, batch by batch, so that records, frames and chain stay what they
 * are.
 */

struct records {
	struct plm_slice *list; /* owned */
	size_t capacity;
};

static enum plm_code add_batch(struct plm_build *build, struct plm_slice blob,
			       struct records *records, struct plm_error *err)
{
	struct plm_blob view = {.size = blob.size};
	struct plm_frame frame;
	size_t offset = 0;

	PLM_ASSERT(blob.size >= PLM_FRAME_SIZE);
	/* Only read from; a blob has no const. */
	memcpy(&view.bytes, &blob.ptr, sizeof(view.bytes));
	frame = plm_blob_frame(&view);
	if (frame.count > records->capacity) {
		records->list = reallocarray(records->list, frame.count, sizeof(*records->list));
		PLM_ASSERT(records->list != NULL);
		records->capacity = frame.count;
	}
	for (uint32_t i = 0; i < frame.count; i++) {
		records->list[i] = plm_blob_record(&view, i, &offset);
	}
	return plm_build_add(build, &frame, records->list, err);
}

static enum plm_code copy_batches(struct plm_log *log, struct plm_build *build,
				  struct plm_error *err)
{
	struct plm_log_cursor *cursor = NULL;
	struct records records = {0};
	uint64_t last = plm_log_head(log).seq;
	uint64_t told = 0;
	enum plm_code code = plm_log_cursor_open(log, 1, &cursor, err);

	while (code == PLM_OK && plm_log_cursor_head(cursor).seq < last) {
		struct plm_slice blob;

		code = plm_log_cursor_batch(cursor, &blob, err);
		if (code == PLM_OK) {
			code = add_batch(build, blob, &records, err);
			plm_log_tell(log, plm_log_cursor_head(cursor).seq, &told);
		}
	}
	plm_log_cursor_close(cursor);
	free(records.list);
	return code;
}

/* What an earlier attempt left in .new is no content: it is never read, and removed. */
static enum plm_code refuse_full(const char *path, struct plm_error *err)
{
	DIR *dir = opendir(path);
	const struct dirent *entry = NULL;
	enum plm_code code = PLM_OK;

	if (dir == NULL) {
		return plm_file_fail(err, errno, "open", path);
	}
	while (code == PLM_OK && (entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    strcmp(entry->d_name, ".new") != 0) {
			code = plm_fail(err, PLM_E_REFUSED, "%s: the folder is not empty (%s)",
					path, entry->d_name);
		}
	}
	(void)closedir(dir);
	return code;
}

static enum plm_code write_witness(const char *path, const struct plm_log_head *head,
				   struct plm_error *err)
{
	int fd = -1;
	enum plm_code code = plm_witness_open(path, &fd, err);

	if (code == PLM_OK) {
		code = plm_witness_write(fd, head, err);
		plm_fd_close(fd);
	}
	return code;
}

/* The witness comes last: until the rename there is no log that it could speak of. */
static enum plm_code save_locked(struct plm_log *log, const char *path, struct plm_error *err)
{
	struct plm_log_head head = plm_log_head(log);
	struct plm_build *build = NULL;
	enum plm_code code = refuse_full(path, err);

	if (code == PLM_OK) {
		code = plm_build_begin(path, &build, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	code = copy_batches(log, build, err);
	if (code != PLM_OK) {
		plm_build_drop(build);
		return code;
	}
	code = plm_build_end(build, err);
	if (code == PLM_OK && head.seq > 0) {
		code = write_witness(path, &head, err);
	}
	return code;
}

enum plm_code plm_log_save(struct plm_log *log, const char *path, struct plm_error *err)
{
	int lock = -1;
	enum plm_code code = PLM_OK;

	PLM_ASSERT(log != NULL && path != NULL);
	if (plm_log_first(log) != 1) {
		return plm_fail(err, PLM_E_REFUSED,
				"a log begins with record 1; this part begins with record %llu",
				(unsigned long long)plm_log_first(log));
	}
	code = plm_file_make_folder(path, err);
	if (code == PLM_OK) {
		code = plm_lock_take(path, &lock, err);
	}
	if (code == PLM_OK) {
		code = save_locked(log, path, err);
		plm_fd_close(lock);
	}
	return code;
}

enum plm_code plm_log_import(const char *from, const char *path, struct plm_log_head *out,
			     struct plm_error *err)
{
	struct plm_log *log = NULL;
	enum plm_code code = plm_log_open(from, PLM_LOG_READ, &log, err);

	PLM_ASSERT(from != NULL && path != NULL);
	if (code != PLM_OK) {
		return code;
	}
	code = plm_log_save(log, path, err);
	if (code == PLM_OK && out != NULL) {
		*out = plm_log_head(log);
	}
	plm_log_close(log);
	return code;
}
