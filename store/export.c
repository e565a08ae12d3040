#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "store/backend.h"
#include "store/file.h"
#include "store/plog.h"

/* From a log to a .plog file: whole batches, as they are. */

#define ZSTD_LEVEL 3

struct writer {
	const struct plm_log *log; /* borrowed: its watch is told */
	int fd;
	const char *path;
	ZSTD_CCtx *zstd;
	struct plm_blob content;
	struct plm_blob body;
	struct plm_log_head head; /* at the end of what was added */
};

static enum plm_code write_block(struct writer *writer, enum plm_plog_kind kind,
				 struct plm_slice body, uint64_t content_size,
				 struct plm_error *err)
{
	uint8_t header[PLM_PLOG_BLOCK_SIZE] = {0};
	enum plm_code code = PLM_OK;

	PLM_ASSERT(writer->fd >= 0);
	PLM_ASSERT(kind == PLM_PLOG_DATA || kind == PLM_PLOG_END);
	plm_put_be32(header, (uint32_t)kind);
	plm_put_be64(header + 8, writer->head.seq);
	plm_put_be64(header + 16, content_size);
	plm_put_be64(header + 24, body.size);
	plm_put_be64(header + 32, plm_plog_sum(header, body));
	code = plm_file_write(writer->fd, header, sizeof(header), writer->path, err);
	if (code == PLM_OK) {
		code = plm_file_write(writer->fd, body.ptr, body.size, writer->path, err);
	}
	return code;
}

/* Each block is a zstd frame of its own, so that a reader can skip to the one it wants. */
static enum plm_code flush(struct writer *writer, struct plm_error *err)
{
	size_t content_size = writer->content.size;
	size_t size = 0;

	if (content_size == 0) {
		return PLM_OK;
	}
	plm_blob_reserve(&writer->body, ZSTD_compressBound(writer->content.size));
	size = ZSTD_compressCCtx(writer->zstd, writer->body.bytes, writer->body.capacity,
				 writer->content.bytes, writer->content.size, ZSTD_LEVEL);
	PLM_ASSERT(!ZSTD_isError(size));
	writer->content.size = 0;
	return write_block(writer, PLM_PLOG_DATA, plm_slice_of(writer->body.bytes, size),
			   content_size, err);
}

static enum plm_code add(struct writer *writer, struct plm_slice blob,
			 const struct plm_log_head *after, struct plm_error *err)
{
	PLM_ASSERT(blob.size >= PLM_FRAME_SIZE);
	PLM_ASSERT(after->seq > writer->head.seq);
	plm_blob_reserve(&writer->content, writer->content.size + blob.size);
	memcpy(writer->content.bytes + writer->content.size, blob.ptr, blob.size);
	writer->content.size += blob.size;
	writer->head = *after;
	return writer->content.size < PLM_PLOG_CONTENT_BYTES ? PLM_OK : flush(writer, err);
}

static enum plm_code write_header(struct writer *writer, struct plm_error *err)
{
	uint8_t bytes[PLM_PLOG_HEADER_SIZE] = {0};

	memcpy(bytes, PLM_PLOG_MAGIC, 8);
	plm_put_be32(bytes + 8, PLM_PLOG_VERSION);
	plm_put_be32(bytes + 12, sizeof(bytes));
	plm_put_be64(bytes + 16, writer->head.seq + 1);
	plm_plog_put_place(bytes + 24, &writer->head);
	plm_put_be64(bytes + sizeof(bytes) - 8, plm_xxh64(plm_slice_of(bytes, sizeof(bytes) - 8)));
	return plm_file_write(writer->fd, bytes, sizeof(bytes), writer->path, err);
}

static enum plm_code write_end(struct writer *writer, struct plm_error *err)
{
	uint8_t place[PLM_PLOG_PLACE_SIZE];
	enum plm_code code = flush(writer, err);

	plm_plog_put_place(place, &writer->head);
	if (code == PLM_OK) {
		code = write_block(writer, PLM_PLOG_END, plm_slice_of(place, sizeof(place)),
				   sizeof(place), err);
	}
	return code == PLM_OK ? plm_file_sync(writer->fd, writer->path, err) : code;
}

static enum plm_code write_all(struct writer *writer, struct plm_log_cursor *cursor, uint64_t to,
			       struct plm_error *err)
{
	uint64_t told = 0;
	enum plm_code code = PLM_OK;

	writer->head = plm_log_cursor_head(cursor);
	code = write_header(writer, err);
	while (code == PLM_OK && writer->head.seq < to) {
		struct plm_slice blob;

		code = plm_log_cursor_batch(cursor, &blob, err);
		if (code == PLM_OK) {
			struct plm_log_head after = plm_log_cursor_head(cursor);

			code = add(writer, blob, &after, err);
			plm_log_tell(writer->log, after.seq, &told);
		}
	}
	return code == PLM_OK ? write_end(writer, err) : code;
}

static enum plm_code sync_parent(const char *path, struct plm_error *err)
{
	char parent[PLM_PATH_SIZE];
	const char *slash = strrchr(path, '/');

	if (slash == NULL) {
		return plm_file_sync_folder(".", err);
	}
	(void)snprintf(parent, sizeof(parent), "%.*s", slash == path ? 1 : (int)(slash - path),
		       path);
	return plm_file_sync_folder(parent, err);
}

/* A file that could not be finished is removed: half an export must not be taken for one. */
static enum plm_code export_file(const struct plm_log *log, struct plm_log_cursor *cursor,
				 uint64_t to, const char *path, struct plm_error *err)
{
	struct writer writer = {.log = log, .path = path};
	enum plm_code code = PLM_OK;

	writer.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (writer.fd < 0) {
		return errno == EEXIST ? plm_fail(err, PLM_E_REFUSED, "%s: it exists", path)
				       : plm_file_fail_make(err, errno, "create", path);
	}
	writer.zstd = ZSTD_createCCtx();
	PLM_ASSERT(writer.zstd != NULL);
	code = write_all(&writer, cursor, to, err);
	(void)ZSTD_freeCCtx(writer.zstd);
	plm_blob_fini(&writer.content);
	plm_blob_fini(&writer.body);
	plm_fd_close(writer.fd);
	if (code == PLM_OK) {
		code = sync_parent(path, err);
	}
	if (code != PLM_OK) {
		(void)unlink(path);
	}
	return code;
}

enum plm_code plm_log_export(struct plm_log *log, uint64_t from, uint64_t to, const char *path,
			     struct plm_error *err)
{
	struct plm_log_cursor *cursor = NULL;
	uint64_t last = plm_log_head(log).seq;
	enum plm_code code = PLM_OK;

	PLM_ASSERT(log != NULL && path != NULL);
	PLM_ASSERT(from >= 1 && (to == 0 || from <= to));
	if (to > last || (from > last && !(from == 1 && last == 0))) {
		return plm_fail(err, PLM_E_NOT_FOUND,
				"the log ends with record %" PRIu64 ", there is no record %" PRIu64,
				last, to > last ? to : from);
	}
	code = plm_log_cursor_open(log, from, &cursor, err);
	if (code == PLM_OK) {
		code = export_file(log, cursor, to == 0 ? last : to, path, err);
		plm_log_cursor_close(cursor);
	}
	return code;
}
