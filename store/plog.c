#include "store/plog.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "store/backend.h"
#include "store/file.h"

uint64_t plm_plog_sum(const uint8_t header[PLM_PLOG_BLOCK_SIZE], struct plm_slice body)
{
	const struct plm_slice parts[] = {{header, PLM_PLOG_BLOCK_SIZE - 8}, body};

	return plm_xxh64_parts(parts, 2);
}

void plm_plog_put_place(uint8_t out[PLM_PLOG_PLACE_SIZE], const struct plm_log_head *head)
{
	plm_put_be64(out, head->seq);
	plm_put_be64(out + 8, head->frames);
	plm_put_be64(out + 16, head->bytes);
	plm_put_be64(out + 24, head->epoch);
	memcpy(out + 32, head->chain.bytes, PLM_SHA256_SIZE);
}

struct plm_log_head plm_plog_get_place(const uint8_t bytes[PLM_PLOG_PLACE_SIZE])
{
	struct plm_log_head head = {
		.seq = plm_get_be64(bytes),
		.frames = plm_get_be64(bytes + 8),
		.bytes = plm_get_be64(bytes + 16),
		.epoch = plm_get_be64(bytes + 24),
	};

	memcpy(head.chain.bytes, bytes + 32, PLM_SHA256_SIZE);
	return head;
}

/*
 * An open file. It is read by calls, never mapped: a file that shrinks is an error, not a signal.
 */
struct plog {
	char *path; /* owned */
	int fd;
	uint64_t size;
	struct plm_log_head before; /* what it continues */
	struct plm_log_head end;
};

struct plog_reader {
	struct plm_reader reader;
	const struct plog *file; /* borrowed */
	uint64_t at;		 /* of the next block */
	struct plm_blob body;
	struct plm_blob content; /* of the block before 'at': 'used' of it was handed out */
	size_t used;
	struct plm_log_head head; /* at the end of what was handed out, by the frames' word */
};

static enum plm_code damaged(const struct plog *file, uint64_t good, const char *what,
			     struct plm_error *err)
{
	return plm_fail(err, PLM_E_CORRUPT, "%s: %s; record %" PRIu64 " is the last good one",
			file->path, what, good);
}

/* 'size' bytes at 'at'. */
static enum plm_code read_at(const struct plog *file, uint64_t at, void *out, uint64_t size,
			     uint64_t good, struct plm_error *err)
{
	uint8_t *to = out;

	PLM_ASSERT(file->fd >= 0);
	PLM_ASSERT(out != NULL || size == 0);
	if (at > file->size || file->size - at < size) {
		return damaged(file, good, "it is cut", err);
	}
	while (size > 0) {
		ssize_t done = pread(file->fd, to, size, (off_t)at);

		if (done < 0 && errno == EINTR) {
			continue;
		}
		if (done < 0) {
			return plm_file_fail(err, errno, "read", file->path);
		}
		if (done == 0) {
			return damaged(file, good, "it shrank while it was read", err);
		}
		to += done;
		at += (uint64_t)done;
		size -= (uint64_t)done;
	}
	return PLM_OK;
}

/* ---- blocks -------------------------------------------------------------------------------- */

static enum plm_code read_block_header(const struct plog *file, uint64_t at, uint64_t good,
				       uint8_t bytes[PLM_PLOG_BLOCK_SIZE],
				       struct plm_plog_block *out)
{
	uint32_t kind = 0;

	if (read_at(file, at, bytes, PLM_PLOG_BLOCK_SIZE, good, NULL) != PLM_OK) {
		return PLM_E_CORRUPT;
	}
	kind = plm_get_be32(bytes);
	*out = (struct plm_plog_block){
		.kind = kind == PLM_PLOG_END ? PLM_PLOG_END : PLM_PLOG_DATA,
		.last = plm_get_be64(bytes + 8),
		.content_size = plm_get_be64(bytes + 16),
		.body_size = plm_get_be64(bytes + 24),
		.xxh3 = plm_get_be64(bytes + 32),
	};
	if ((kind != PLM_PLOG_DATA && kind != PLM_PLOG_END) ||
	    out->content_size > PLM_PLOG_CONTENT_MAX ||
	    out->body_size > ZSTD_compressBound(PLM_PLOG_CONTENT_MAX)) {
		return PLM_E_CORRUPT;
	}
	return PLM_OK;
}

/* The content of a data block, whose checksum holds. */
static bool unpack(struct plog_reader *self, const struct plm_plog_block *block)
{
	size_t size = 0;

	PLM_ASSERT(block->kind == PLM_PLOG_DATA);
	PLM_ASSERT(self->body.size == block->body_size);
	/*
	 * No block is larger than what its body can hold: zstd packs 128 KiB into 4 bytes at
	 * best.
	 */
	if (block->content_size / 32768 > block->body_size ||
	    ZSTD_findFrameCompressedSize(self->body.bytes, self->body.size) != self->body.size) {
		return false;
	}
	plm_blob_reserve(&self->content, block->content_size + 1);
	size = ZSTD_decompress(self->content.bytes, block->content_size, self->body.bytes,
			       self->body.size);
	self->content.size = block->content_size;
	self->used = 0;
	return !ZSTD_isError(size) && size == block->content_size;
}

/* Load the block at 'self->at'. PLM_E_NOT_FOUND: it is the end mark. */
static enum plm_code load_block(struct plog_reader *self, struct plm_error *err)
{
	const struct plog *file = self->file;
	uint64_t good = self->head.seq;
	uint8_t bytes[PLM_PLOG_BLOCK_SIZE];
	struct plm_plog_block block;
	enum plm_code code = read_block_header(file, self->at, good, bytes, &block);

	PLM_ASSERT(self->used == self->content.size);
	PLM_ASSERT(self->at <= file->size);
	if (code != PLM_OK) {
		return damaged(file, good, "a block's header is damaged", err);
	}
	if (block.kind == PLM_PLOG_END) {
		if (file->size - self->at != PLM_PLOG_END_SIZE || file->end.seq != good ||
		    memcmp(&file->end.chain, &self->head.chain, PLM_SHA256_SIZE) != 0) {
			return damaged(file, good, "it does not end where its end mark says", err);
		}
		return plm_fail(err, PLM_E_NOT_FOUND, "%s: the log ends here", file->path);
	}
	if (file->size - self->at - PLM_PLOG_BLOCK_SIZE < block.body_size) {
		return damaged(file, good, "it is cut", err);
	}
	plm_blob_reserve(&self->body, block.body_size + 1);
	self->body.size = block.body_size;
	code = read_at(file, self->at + PLM_PLOG_BLOCK_SIZE, self->body.bytes, block.body_size,
		       good, err);
	if (code != PLM_OK) {
		return code;
	}
	if (plm_plog_sum(bytes, plm_slice_of(self->body.bytes, self->body.size)) != block.xxh3 ||
	    !unpack(self, &block)) {
		return damaged(file, good, "a block is damaged", err);
	}
	self->at += PLM_PLOG_BLOCK_SIZE + block.body_size;
	return PLM_OK;
}

/* The frame of the next blob in the content. PLM_E_NOT_FOUND: the file ends. */
static enum plm_code peek(struct plog_reader *self, struct plm_frame *out, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	PLM_ASSERT(self->used <= self->content.size);
	while (self->used == self->content.size) {
		code = load_block(self, err);
		if (code != PLM_OK) {
			return code;
		}
	}
	if (self->content.size - self->used < PLM_FRAME_SIZE) {
		return damaged(self->file, self->head.seq, "a batch is cut", err);
	}
	code = plm_frame_decode(plm_slice_of(self->content.bytes + self->used, PLM_FRAME_SIZE), out,
				err);
	if (code != PLM_OK) {
		return plm_fail_prefix(err, code, "%s: behind record %" PRIu64, self->file->path,
				       self->head.seq);
	}
	if (self->content.size - self->used < plm_blob_size(out)) {
		return damaged(self->file, self->head.seq, "a batch is cut", err);
	}
	return PLM_OK;
}

/* ---- the reader ---------------------------------------------------------------------------- */

/*
 * Pass whole blocks that end before 'from', but not the last of them: its newest frame says where
 * the log stands there.
 */
static void skip_blocks(struct plog_reader *self, uint64_t from)
{
	const struct plog *file = self->file;
	uint64_t at = self->at;
	uint64_t previous = at;
	uint8_t bytes[PLM_PLOG_BLOCK_SIZE];
	struct plm_plog_block block;

	while (read_block_header(file, at, 0, bytes, &block) == PLM_OK &&
	       block.kind == PLM_PLOG_DATA && block.last < from &&
	       block.body_size <= file->size - at - PLM_PLOG_BLOCK_SIZE) {
		previous = at;
		at += PLM_PLOG_BLOCK_SIZE + block.body_size;
	}
	self->at = previous;
}

static enum plm_code plog_seek(struct plm_reader *reader, uint64_t from,
			       struct plm_log_head *before, struct plm_error *err)
{
	struct plog_reader *self = (struct plog_reader *)reader;
	struct plm_frame frame;
	enum plm_code code = PLM_OK;

	PLM_ASSERT(from >= 1);
	if (from <= self->file->before.seq) {
		return plm_fail(err, PLM_E_NOT_FOUND, "%s: it begins with record %" PRIu64,
				self->file->path, self->file->before.seq + 1);
	}
	self->at = PLM_PLOG_HEADER_SIZE;
	self->head = self->file->before;
	skip_blocks(self, from);
	while ((code = peek(self, &frame, err)) == PLM_OK && frame.last < from) {
		self->head = plm_frame_head(&frame);
		self->used += plm_blob_size(&frame);
	}
	if (code != PLM_OK && code != PLM_E_NOT_FOUND) {
		return code;
	}
	*before = self->head;
	return PLM_OK;
}

static enum plm_code plog_next(struct plm_reader *reader, struct plm_blob *out,
			       struct plm_error *err)
{
	struct plog_reader *self = (struct plog_reader *)reader;
	struct plm_frame frame;
	size_t size = 0;
	enum plm_code code = peek(self, &frame, err);

	if (code != PLM_OK) {
		return code;
	}
	size = plm_blob_size(&frame);
	plm_blob_reserve(out, size);
	memcpy(out->bytes, self->content.bytes + self->used, size);
	out->size = size;
	self->used += size;
	self->head = plm_frame_head(&frame);
	return PLM_OK;
}

static void plog_reader_close(struct plm_reader *reader)
{
	struct plog_reader *self = (struct plog_reader *)reader;

	plm_blob_fini(&self->body);
	plm_blob_fini(&self->content);
	free(self);
}

static const struct plm_reader_ops plog_reader_ops = {
	.seek = plog_seek,
	.next = plog_next,
	.close = plog_reader_close,
};

static enum plm_code plog_reader_open(void *self, struct plm_reader **out, struct plm_error *err)
{
	struct plog_reader *reader = calloc(1, sizeof(*reader));

	(void)err;
	PLM_ASSERT(reader != NULL);
	reader->reader.ops = &plog_reader_ops;
	reader->file = self;
	*out = &reader->reader;
	return PLM_OK;
}

/* ---- the file ------------------------------------------------------------------------------ */

static enum plm_code plog_append(void *self, const struct plm_frame *frame,
				 const struct plm_slice *records, struct plm_error *err)
{
	(void)self;
	(void)frame;
	(void)records;
	(void)err;
	PLM_UNREACHABLE(); /* plm_log_open() refuses to open a file for writing */
}

static enum plm_code plog_room(void *self, struct plm_log_room *out, struct plm_error *err)
{
	const struct plog *file = self;

	(void)out;
	return plm_fail(err, PLM_E_REFUSED, "%s: an exported file takes no records", file->path);
}

static void plog_note_put(void *self, const char *name, const char *text)
{
	(void)self;
	(void)name;
	(void)text;
	PLM_UNREACHABLE();
}

static enum plm_code plog_note_get(void *self, const char *name, char *text, size_t size,
				   struct plm_error *err)
{
	const struct plog *file = self;

	(void)text;
	(void)size;
	return plm_fail(err, PLM_E_NOT_FOUND, "%s: an exported file has no note \"%s\"", file->path,
			name);
}

static void plog_close(void *self)
{
	struct plog *file = self;

	plm_fd_close(file->fd);
	free(file->path);
	free(file);
}

static const struct plm_backend_ops plog_ops = {
	.append = plog_append,
	.reader = plog_reader_open,
	.room = plog_room,
	.note_put = plog_note_put,
	.note_get = plog_note_get,
	.close = plog_close,
};

static enum plm_code read_header(struct plog *file, struct plm_error *err)
{
	uint8_t bytes[PLM_PLOG_HEADER_SIZE];
	uint32_t version = 0;

	if (file->size < sizeof(bytes) ||
	    read_at(file, 0, bytes, sizeof(bytes), 0, NULL) != PLM_OK ||
	    memcmp(bytes, PLM_PLOG_MAGIC, 8) != 0) {
		return plm_fail(err, PLM_E_CORRUPT, "%s: it is no exported log, or cut",
				file->path);
	}
	if (plm_xxh64(plm_slice_of(bytes, sizeof(bytes) - 8)) !=
	    plm_get_be64(bytes + sizeof(bytes) - 8)) {
		return plm_fail(err, PLM_E_CORRUPT, "%s: the checksum of its header differs",
				file->path);
	}
	version = plm_get_be32(bytes + 8);
	if (version != PLM_PLOG_VERSION) {
		return plm_fail(err, PLM_E_VERSION,
				"%s: export version %" PRIu32 ", this build knows %d", file->path,
				version, PLM_PLOG_VERSION);
	}
	file->before = plm_plog_get_place(bytes + 24);
	if (plm_get_be32(bytes + 12) != sizeof(bytes) || file->before.seq == UINT64_MAX ||
	    file->before.frames > file->before.seq ||
	    plm_get_be64(bytes + 16) != file->before.seq + 1) {
		return plm_fail(err, PLM_E_CORRUPT, "%s: its header contradicts itself",
				file->path);
	}
	return PLM_OK;
}

/* The end first: a file that was cut anywhere is refused before a record of it is used. */
static enum plm_code read_end(struct plog *file, struct plm_error *err)
{
	uint8_t bytes[PLM_PLOG_END_SIZE] = {0};
	struct plm_slice body = plm_slice_of(bytes + PLM_PLOG_BLOCK_SIZE, PLM_PLOG_PLACE_SIZE);

	if (file->size < PLM_PLOG_HEADER_SIZE + sizeof(bytes) ||
	    read_at(file, file->size - sizeof(bytes), bytes, sizeof(bytes), 0, NULL) != PLM_OK ||
	    plm_get_be32(bytes) != PLM_PLOG_END ||
	    plm_plog_sum(bytes, body) != plm_get_be64(bytes + 32)) {
		return plm_fail(err, PLM_E_CORRUPT, "%s: it has no end mark: cut or damaged",
				file->path);
	}
	file->end = plm_plog_get_place(bytes + PLM_PLOG_BLOCK_SIZE);
	if (file->end.seq < file->before.seq || file->end.frames < file->before.frames ||
	    file->end.frames > file->end.seq || file->end.bytes < file->before.bytes) {
		return plm_fail(err, PLM_E_CORRUPT, "%s: it ends before it begins", file->path);
	}
	return PLM_OK;
}

enum plm_code plm_plog_open(const char *path, struct plm_backend *out, struct plm_error *err)
{
	struct plog *file = calloc(1, sizeof(*file));
	struct stat status;
	enum plm_code code = PLM_OK;

	PLM_ASSERT(path != NULL && out != NULL);
	PLM_ASSERT(file != NULL);
	file->path = strdup(path);
	PLM_ASSERT(file->path != NULL);
	file->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0 || fstat(file->fd, &status) != 0) {
		code = plm_file_fail(err, errno, "open", path);
	} else {
		file->size = (uint64_t)status.st_size;
		code = read_header(file, err);
	}
	if (code == PLM_OK) {
		code = read_end(file, err);
	}
	if (code != PLM_OK) {
		plog_close(file);
		return code;
	}
	*out = (struct plm_backend){
		.ops = &plog_ops,
		.self = file,
		.first = file->before.seq + 1,
		.head = file->end,
	};
	return PLM_OK;
}
