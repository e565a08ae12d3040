#include "store/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "store/file.h"

#define NAME_DIGITS 20
#define SUFFIX ".snap"
#define NAME_SIZE (NAME_DIGITS + sizeof(SUFFIX))
/* Fast: a snapshot is written beside live commits, and read once in a while. */
#define ZSTD_LEVEL 1
#define OUT_BYTES (128 * 1024)
#define ORDER_MARK 0x0a0b0c0dU
#define FILE_BYTES_MAX (2 * (uint64_t)PLM_LIMIT_SNAPSHOT_BYTES)

enum {
	AT_VERSION = 8,
	AT_ORDER = 12,
	AT_COUNT = 16,
	AT_HEADER_SIZE = 24,
	AT_SEQ = 32,
	AT_CHAIN = 40,
	AT_STATE_LOW = 72,
	AT_STATE_HIGH = 80,
	AT_LAYOUT = 88,
	AT_LIMITS = 96,
	AT_IMAGE_SIZE = 104,
	AT_BODY_SIZE = 112,
	AT_BODY_XXH3 = 120,
	AT_IMAGE_XXH3 = 128,
	AT_PARTS = 136,
	HEADER_MAX = AT_PARTS + 8 * PLM_LIMIT_SNAPSHOT_PARTS + 8,
};

static const char magic[8] = {'P', 'L', 'M', 'S', 'N', 'A', 'P', '1'};

struct header {
	struct plm_snapshot_info info;
	size_t count;
	size_t size; /* of the header itself */
	uint64_t body_size;
	uint64_t body_xxh3;
	uint64_t image_xxh3;
	uint64_t part_sizes[PLM_LIMIT_SNAPSHOT_PARTS];
};

static size_t header_size(size_t count)
{
	return AT_PARTS + 8 * count + 8;
}

void plm_snapshot_fini(struct plm_snapshot *snapshot)
{
	PLM_ASSERT(snapshot != NULL);
	free(snapshot->image);
	*snapshot = (struct plm_snapshot){0};
}

static enum plm_code folder_of(char *out, const char *folder, struct plm_error *err)
{
	return plm_path_join(out, folder, PLM_SNAPSHOT_FOLDER, err);
}

static enum plm_code path_of(char *out, const char *folder, uint64_t seq, struct plm_error *err)
{
	char name[sizeof(PLM_SNAPSHOT_FOLDER) + 1 + NAME_SIZE];

	(void)snprintf(name, sizeof(name), "%s/%020" PRIu64 SUFFIX, PLM_SNAPSHOT_FOLDER, seq);
	return plm_path_join(out, folder, name, err);
}

/* ---- header -------------------------------------------------------------------------------- */

static void encode_header(const struct header *header, uint8_t out[HEADER_MAX])
{
	const struct plm_snapshot_info *info = &header->info;
	const uint32_t mark = ORDER_MARK;

	PLM_ASSERT(header->count <= PLM_LIMIT_SNAPSHOT_PARTS);
	PLM_ASSERT(header->size == header_size(header->count));
	memcpy(out, magic, sizeof(magic));
	plm_put_be32(out + AT_VERSION, PLM_SNAPSHOT_VERSION);
	memcpy(out + AT_ORDER, &mark, sizeof(mark));
	plm_put_be64(out + AT_COUNT, header->count);
	plm_put_be64(out + AT_HEADER_SIZE, header->size);
	plm_put_be64(out + AT_SEQ, info->seq);
	memcpy(out + AT_CHAIN, info->chain.bytes, PLM_SHA256_SIZE);
	plm_put_be64(out + AT_STATE_LOW, info->state.low);
	plm_put_be64(out + AT_STATE_HIGH, info->state.high);
	plm_put_be64(out + AT_LAYOUT, info->layout_digest);
	plm_put_be64(out + AT_LIMITS, info->limits_digest);
	plm_put_be64(out + AT_IMAGE_SIZE, info->image_bytes);
	plm_put_be64(out + AT_BODY_SIZE, header->body_size);
	plm_put_be64(out + AT_BODY_XXH3, header->body_xxh3);
	plm_put_be64(out + AT_IMAGE_XXH3, header->image_xxh3);
	for (size_t i = 0; i < header->count; i++) {
		plm_put_be64(out + AT_PARTS + 8 * i, header->part_sizes[i]);
	}
	plm_put_be64(out + header->size - 8, plm_xxh64(plm_slice_of(out, header->size - 8)));
}

/* The numbers of a header whose checksum holds. */
static enum plm_code decode_fields(const uint8_t *bytes, uint64_t file_size, struct header *out,
				   struct plm_error *err)
{
	uint32_t mark = 0;
	uint64_t sum = 0;

	PLM_ASSERT(out->count <= PLM_LIMIT_SNAPSHOT_PARTS);
	PLM_ASSERT(out->size == header_size(out->count));
	memcpy(&mark, bytes + AT_ORDER, sizeof(mark));
	if (mark != ORDER_MARK) {
		return plm_fail(err, PLM_E_CORRUPT, "it was written with another byte order");
	}
	out->info = (struct plm_snapshot_info){
		.seq = plm_get_be64(bytes + AT_SEQ),
		.state = {.low = plm_get_be64(bytes + AT_STATE_LOW),
			  .high = plm_get_be64(bytes + AT_STATE_HIGH)},
		.layout_digest = plm_get_be64(bytes + AT_LAYOUT),
		.limits_digest = plm_get_be64(bytes + AT_LIMITS),
		.image_bytes = plm_get_be64(bytes + AT_IMAGE_SIZE),
		.file_bytes = file_size,
	};
	memcpy(out->info.chain.bytes, bytes + AT_CHAIN, PLM_SHA256_SIZE);
	out->body_size = plm_get_be64(bytes + AT_BODY_SIZE);
	out->body_xxh3 = plm_get_be64(bytes + AT_BODY_XXH3);
	out->image_xxh3 = plm_get_be64(bytes + AT_IMAGE_XXH3);
	for (size_t i = 0; i < out->count; i++) {
		out->part_sizes[i] = plm_get_be64(bytes + AT_PARTS + 8 * i);
		if (out->part_sizes[i] > PLM_LIMIT_SNAPSHOT_BYTES) {
			return plm_fail(err, PLM_E_CORRUPT, "part %zu is larger than any", i);
		}
		sum += out->part_sizes[i];
	}
	if (sum != out->info.image_bytes || sum > PLM_LIMIT_SNAPSHOT_BYTES ||
	    file_size < out->size || file_size - out->size != out->body_size) {
		return plm_fail(err, PLM_E_CORRUPT, "its sizes do not add up");
	}
	return PLM_OK;
}

/*
 * 'bytes' are the first bytes of a file of 'file_size', at least the whole header where there is
 * one.
 */
static enum plm_code decode_header(struct plm_slice bytes, uint64_t file_size, struct header *out,
				   struct plm_error *err)
{
	uint64_t count = 0;
	uint64_t size = 0;

	if (bytes.size < header_size(0) || memcmp(bytes.ptr, magic, sizeof(magic)) != 0) {
		return plm_fail(err, PLM_E_CORRUPT, "it is no snapshot, or cut");
	}
	count = plm_get_be64(bytes.ptr + AT_COUNT);
	size = plm_get_be64(bytes.ptr + AT_HEADER_SIZE);
	if (size < header_size(0) || size > bytes.size) {
		return plm_fail(err, PLM_E_CORRUPT, "its header is cut");
	}
	if (plm_xxh64(plm_slice_of(bytes.ptr, size - 8)) != plm_get_be64(bytes.ptr + size - 8)) {
		return plm_fail(err, PLM_E_CORRUPT, "the checksum of its header differs");
	}
	if (plm_get_be32(bytes.ptr + AT_VERSION) != PLM_SNAPSHOT_VERSION) {
		return plm_fail(err, PLM_E_VERSION,
				"snapshot version %" PRIu32 ", this build knows %d",
				plm_get_be32(bytes.ptr + AT_VERSION), PLM_SNAPSHOT_VERSION);
	}
	if (count > PLM_LIMIT_SNAPSHOT_PARTS || size != header_size(count)) {
		return plm_fail(err, PLM_E_CORRUPT,
				"its header has %" PRIu64 " bytes for %" PRIu64 " parts", size,
				count);
	}
	out->count = count;
	out->size = size;
	return decode_fields(bytes.ptr, file_size, out, err);
}

/* ---- writing ------------------------------------------------------------------------------- */

struct body {
	ZSTD_CCtx *zstd;
	struct plm_xxh_stream *sum;
	uint8_t *out;
	uint64_t size;
	int fd;
	const char *path;
};

/* Compress 'part'; 'last' also ends the frame. */
static enum plm_code write_part(struct body *body, struct plm_slice part, bool last,
				struct plm_error *err)
{
	ZSTD_inBuffer in = {.src = part.ptr, .size = part.size};
	size_t left = 1;

	PLM_ASSERT(part.ptr != NULL || part.size == 0);
	while (in.pos < in.size || (last && left != 0)) {
		ZSTD_outBuffer out = {.dst = body->out, .size = OUT_BYTES};
		enum plm_code code = PLM_OK;

		left = ZSTD_compressStream2(body->zstd, &out, &in,
					    last ? ZSTD_e_end : ZSTD_e_continue);
		PLM_ASSERT(!ZSTD_isError(left));
		plm_xxh_stream_add(body->sum, plm_slice_of(body->out, out.pos));
		body->size += out.pos;
		code = plm_file_write(body->fd, body->out, out.pos, body->path, err);
		if (code != PLM_OK) {
			return code;
		}
	}
	return PLM_OK;
}

static enum plm_code write_body(struct body *body, const struct plm_slice *parts, size_t count,
				struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	body->zstd = ZSTD_createCCtx();
	body->sum = plm_xxh_stream_new();
	body->out = malloc(OUT_BYTES);
	PLM_ASSERT(body->zstd != NULL && body->out != NULL);
	PLM_ASSERT(!ZSTD_isError(
		ZSTD_CCtx_setParameter(body->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)));
	for (size_t i = 0; i < count && code == PLM_OK; i++) {
		code = write_part(body, parts[i], false, err);
	}
	if (code == PLM_OK) {
		code = write_part(body, plm_slice_of(NULL, 0), true, err);
	}
	return code;
}

static void body_fini(struct body *body)
{
	(void)ZSTD_freeCCtx(body->zstd);
	plm_xxh_stream_free(body->sum);
	free(body->out);
}

/* The body behind room for the header, the header, a sync. */
static enum plm_code write_file(int fd, const char *path, struct header *header,
				const struct plm_slice *parts, struct plm_error *err)
{
	struct body body = {.fd = fd, .path = path};
	uint8_t bytes[HEADER_MAX] = {0};
	enum plm_code code = plm_file_write(fd, bytes, header->size, path, err);

	if (code == PLM_OK) {
		code = write_body(&body, parts, header->count, err);
		header->body_size = body.size;
		header->body_xxh3 = plm_xxh_stream_value(body.sum);
		body_fini(&body);
	}
	if (code == PLM_OK) {
		encode_header(header, bytes);
		if (lseek(fd, 0, SEEK_SET) != 0) {
			return plm_file_fail(err, errno, "seek", path);
		}
		code = plm_file_write(fd, bytes, header->size, path, err);
	}
	return code == PLM_OK ? plm_file_sync(fd, path, err) : code;
}

static enum plm_code describe(const struct plm_snapshot_info *info, const struct plm_slice *parts,
			      size_t count, struct header *out, struct plm_error *err)
{
	uint64_t bytes = 0;

	PLM_ASSERT(parts != NULL || count == 0);
	if (count > PLM_LIMIT_SNAPSHOT_PARTS) {
		return plm_fail(err, PLM_E_LIMIT, "a snapshot of %zu parts; at most %d fit", count,
				PLM_LIMIT_SNAPSHOT_PARTS);
	}
	*out = (struct header){.info = *info, .count = count, .size = header_size(count)};
	for (size_t i = 0; i < count; i++) {
		if (parts[i].size > (uint64_t)PLM_LIMIT_SNAPSHOT_BYTES - bytes) {
			return plm_fail(err, PLM_E_LIMIT, "a snapshot above %lld bytes",
					PLM_LIMIT_SNAPSHOT_BYTES);
		}
		out->part_sizes[i] = parts[i].size;
		bytes += parts[i].size;
	}
	out->info.image_bytes = bytes;
	out->image_xxh3 = plm_xxh64_parts(parts, count);
	return PLM_OK;
}

/* Temporary file first; it goes away whenever the rest fails. */
static enum plm_code write_and_rename(const char *folder, const char *path, struct header *header,
				      const struct plm_slice *parts, struct plm_error *err)
{
	char temporary[PLM_PATH_SIZE + 8];
	enum plm_code code = PLM_OK;

	(void)snprintf(temporary, sizeof(temporary), "%s.tmp", path);
	PLM_CLEANUP(plm_fd_close)
	int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0) {
		return plm_file_fail(err, errno, "create", temporary);
	}
	code = write_file(fd, temporary, header, parts, err);
	if (code == PLM_OK && rename(temporary, path) != 0) {
		code = plm_file_fail(err, errno, "rename", temporary);
	}
	if (code != PLM_OK) {
		(void)unlink(temporary);
		return code;
	}
	return plm_file_sync_folder(folder, err);
}

enum plm_code plm_snapshot_write(const char *folder, const struct plm_snapshot_info *info,
				 const struct plm_slice *parts, size_t count, struct plm_error *err)
{
	char home[PLM_PATH_SIZE];
	char path[PLM_PATH_SIZE];
	struct header header = {0};
	enum plm_code code = describe(info, parts, count, &header, err);

	PLM_ASSERT(info->seq >= 1);
	if (code == PLM_OK) {
		code = folder_of(home, folder, err);
	}
	if (code == PLM_OK) {
		code = path_of(path, folder, info->seq, err);
	}
	if (code == PLM_OK) {
		code = plm_file_make_folder(home, err);
	}
	if (code == PLM_OK) {
		code = write_and_rename(home, path, &header, parts, err);
	}
	return code;
}

/* ---- reading ------------------------------------------------------------------------------- */

static void place_parts(const struct header *header, struct plm_snapshot *out)
{
	const uint8_t *at = out->image;

	PLM_ASSERT(header->count <= PLM_COUNTOF(out->parts));
	for (size_t i = 0; i < header->count; i++) {
		out->parts[i] = plm_slice_of(at, header->part_sizes[i]);
		at += header->part_sizes[i];
	}
	out->part_count = header->count;
	out->info = header->info;
}

/*
 * Every check that needs no state: layout, sizes, checksums. Whether the state is the right one
 * only the engine can tell, by the HASH event that follows 'seq'.
 */
enum plm_code plm_snapshot_decode(struct plm_slice file, struct plm_snapshot *out,
				  struct plm_error *err)
{
	struct header header = {0};
	struct plm_slice body;
	size_t size = 0;
	uint8_t *image = NULL;
	enum plm_code code = decode_header(file, file.size, &header, err);

	PLM_ASSERT(file.ptr != NULL || file.size == 0);
	PLM_ASSERT(out != NULL && out->image == NULL);
	if (code != PLM_OK) {
		return code;
	}
	body = plm_slice_of(file.ptr + header.size, header.body_size);
	if (plm_xxh64(body) != header.body_xxh3) {
		return plm_fail(err, PLM_E_CORRUPT, "the checksum of its body differs");
	}
	/*
	 * The frame says the size too, so that no header makes us take memory that no body fills.
	 */
	if (ZSTD_findFrameCompressedSize(body.ptr, body.size) != body.size ||
	    header.info.image_bytes / 32768 > body.size) {
		return plm_fail(err, PLM_E_CORRUPT, "its body cannot hold such an image");
	}
	image = malloc(header.info.image_bytes + 1);
	if (image == NULL) {
		return plm_fail(err, PLM_E_CORRUPT, "no memory for %" PRIu64 " bytes",
				header.info.image_bytes);
	}
	size = ZSTD_decompress(image, header.info.image_bytes, body.ptr, body.size);
	if (ZSTD_isError(size) || size != header.info.image_bytes ||
	    plm_xxh64(plm_slice_of(image, size)) != header.image_xxh3) {
		free(image);
		return plm_fail(err, PLM_E_CORRUPT, "its image is not what its header says");
	}
	out->image = image;
	place_parts(&header, out);
	return PLM_OK;
}

/* The name is checked too: a copy under another number would be taken for another state. */
static enum plm_code load_one(const char *folder, uint64_t seq, struct plm_snapshot *out,
			      struct plm_error *err)
{
	char path[PLM_PATH_SIZE];
	struct plm_blob file = {0};
	enum plm_code code = path_of(path, folder, seq, err);

	if (code == PLM_OK) {
		code = plm_file_read(path, FILE_BYTES_MAX, &file, err);
	}
	if (code == PLM_OK) {
		code = plm_snapshot_decode(plm_slice_of(file.bytes, file.size), out, err);
		if (code == PLM_OK && out->info.seq != seq) {
			plm_snapshot_fini(out);
			code = plm_fail(err, PLM_E_CORRUPT, "it holds another record's state");
		}
		if (code != PLM_OK) {
			code = plm_fail_prefix(err, code, "%s", path);
		}
	}
	plm_blob_fini(&file);
	return code;
}

enum plm_code plm_snapshot_info(const char *folder, uint64_t seq, struct plm_snapshot_info *out,
				struct plm_error *err)
{
	char path[PLM_PATH_SIZE];
	uint8_t bytes[HEADER_MAX];
	struct header header = {0};
	enum plm_code code = path_of(path, folder, seq, err);
	off_t end = 0;
	ssize_t size = 0;

	PLM_ASSERT(out != NULL);
	if (code != PLM_OK) {
		return code;
	}
	PLM_CLEANUP(plm_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		return plm_file_fail(err, errno, "open", path);
	}
	size = pread(fd, bytes, sizeof(bytes), 0);
	end = lseek(fd, 0, SEEK_END);
	if (size < 0 || end < 0) {
		return plm_file_fail(err, errno, "read", path);
	}
	code = decode_header(plm_slice_of(bytes, (size_t)size), (uint64_t)end, &header, err);
	if (code == PLM_OK && header.info.seq != seq) {
		code = plm_fail(err, PLM_E_CORRUPT, "it holds another record's state");
	}
	if (code != PLM_OK) {
		return plm_fail_prefix(err, code, "%s", path);
	}
	*out = header.info;
	return PLM_OK;
}

/* ---- the folder ---------------------------------------------------------------------------- */

/* 0 when 'name' is no snapshot's. */
static uint64_t parse_name(const char *name)
{
	uint64_t seq = 0;

	if (strlen(name) != NAME_SIZE - 1 || strcmp(name + NAME_DIGITS, SUFFIX) != 0) {
		return 0;
	}
	for (size_t i = 0; i < NAME_DIGITS; i++) {
		if (name[i] < '0' || name[i] > '9' || __builtin_mul_overflow(seq, 10U, &seq) ||
		    __builtin_add_overflow(seq, (uint64_t)(name[i] - '0'), &seq)) {
			return 0;
		}
	}
	return seq;
}

/* Insert by number; 'list' has room for one more. */
static void put_number(uint64_t *list, size_t count, uint64_t seq)
{
	while (count > 0 && list[count - 1] > seq) {
		list[count] = list[count - 1];
		count--;
	}
	list[count] = seq;
}

size_t plm_snapshot_list(const char *folder, uint64_t **out)
{
	char home[PLM_PATH_SIZE];
	uint64_t *list = NULL;
	size_t count = 0;
	size_t capacity = 0;
	const struct dirent *entry = NULL;
	DIR *dir = folder_of(home, folder, NULL) == PLM_OK ? opendir(home) : NULL;

	PLM_ASSERT(folder != NULL && out != NULL);
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		uint64_t seq = parse_name(entry->d_name);

		if (seq == 0) {
			continue;
		}
		if (count == capacity) {
			capacity = capacity == 0 ? 64 : capacity * 2;
			list = reallocarray(list, capacity, sizeof(*list));
			PLM_ASSERT(list != NULL);
		}
		put_number(list, count++, seq);
	}
	if (dir != NULL) {
		(void)closedir(dir);
	}
	*out = list;
	return count;
}

/* Does the header of 'seq' answer what is wanted? */
static enum plm_code suits(const char *folder, uint64_t seq, const struct plm_snapshot_want *want,
			   struct plm_error *err)
{
	struct plm_snapshot_info info;
	enum plm_code code = plm_snapshot_info(folder, seq, &info, err);

	if (code == PLM_OK && info.layout_digest != want->layout_digest) {
		return plm_fail(err, PLM_E_VERSION,
				"snapshot %" PRIu64 ": its tables are laid out differently", seq);
	}
	if (code == PLM_OK && want->accept != NULL && !want->accept(want->ctx, &info, err)) {
		return PLM_E_CORRUPT;
	}
	return code;
}

enum plm_code plm_snapshot_load(const char *folder, const struct plm_snapshot_want *want,
				struct plm_snapshot *out, struct plm_error *err)
{
	uint64_t *list = NULL;
	size_t count = plm_snapshot_list(folder, &list);
	enum plm_code code = PLM_E_NOT_FOUND;

	PLM_ASSERT(want != NULL && out != NULL);
	for (size_t i = count; i > 0 && code != PLM_OK; i--) {
		struct plm_error why = {0};

		if (list[i - 1] > want->max_seq) {
			continue;
		}
		code = suits(folder, list[i - 1], want, &why);
		if (code == PLM_OK) {
			code = load_one(folder, list[i - 1], out, &why);
		}
		if (code != PLM_OK && want->ignored != NULL) {
			want->ignored(want->ctx, why.text);
		}
	}
	free(list);
	if (code != PLM_OK) {
		return plm_fail(err, PLM_E_NOT_FOUND, "%s: no snapshot serves for record %" PRIu64,
				folder, want->max_seq);
	}
	return PLM_OK;
}

enum plm_code plm_snapshot_remove(const char *folder, uint64_t seq, struct plm_error *err)
{
	char path[PLM_PATH_SIZE];
	enum plm_code code = path_of(path, folder, seq, err);

	if (code == PLM_OK && unlink(path) != 0 && errno != ENOENT) {
		return plm_file_fail(err, errno, "remove", path);
	}
	return code;
}

uint64_t plm_snapshot_newest_name(const char *folder)
{
	uint64_t *list = NULL;
	size_t count = plm_snapshot_list(folder, &list);
	uint64_t newest = count == 0 ? 0 : list[count - 1];

	free(list);
	return newest;
}

/*
 * Go through all, newest first; '*newest' and '*valid' count what is whole, 'err' the first that
 * is not.
 */
static enum plm_code survey(const char *folder, uint64_t *newest, uint64_t *valid,
			    struct plm_error *err)
{
	uint64_t *list = NULL;
	size_t count = plm_snapshot_list(folder, &list);
	enum plm_code worst = PLM_OK;

	*newest = 0;
	*valid = 0;
	for (size_t i = count; i > 0; i--) {
		struct plm_snapshot snapshot = {0};
		enum plm_code code =
			load_one(folder, list[i - 1], &snapshot, worst == PLM_OK ? err : NULL);

		if (code == PLM_OK) {
			*newest = *newest == 0 ? list[i - 1] : *newest;
			++*valid;
		} else if (worst == PLM_OK && code != PLM_E_NOT_FOUND) {
			worst = code;
		}
		plm_snapshot_fini(&snapshot);
	}
	free(list);
	return worst;
}

uint64_t plm_snapshot_newest_valid(const char *folder)
{
	uint64_t newest = 0;
	uint64_t valid = 0;

	(void)survey(folder, &newest, &valid, NULL);
	return newest;
}

uint64_t plm_snapshot_count_valid(const char *folder)
{
	uint64_t newest = 0;
	uint64_t valid = 0;

	(void)survey(folder, &newest, &valid, NULL);
	return valid;
}

enum plm_code plm_snapshot_verify(const char *folder, struct plm_error *err)
{
	uint64_t newest = 0;
	uint64_t valid = 0;

	return survey(folder, &newest, &valid, err);
}
