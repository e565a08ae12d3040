/* Bytes of files and of base64, for config.c and access.c. */
#include "adapters/kube/config.h"

#include "core/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static enum plm_code unreadable(const char *path, struct plm_error *err)
{
	return plm_fail(err, PLM_E_CONFIG, "%s: cannot be read: %s", path, strerror(errno));
}

enum plm_code plm_kube_file_read(struct plm_arena *arena, const char *path, struct plm_slice *out,
				 struct plm_error *err)
{
	size_t mark = plm_arena_mark(arena);
	uint8_t *bytes = NULL;
	size_t size = 0;
	ssize_t got = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		return unreadable(path, err);
	}
	bytes = plm_arena_try(arena, PLM_LIMIT_KUBECONFIG_BYTES + 1);
	if (bytes == NULL) {
		(void)close(fd);
		return plm_fail(err, PLM_E_CONFIG, "%s: no memory for so many files", path);
	}
	do {
		got = read(fd, bytes + size, PLM_LIMIT_KUBECONFIG_BYTES + 1 - size);
		size += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0) {
		enum plm_code code = unreadable(path, err);

		(void)close(fd);
		plm_arena_rewind(arena, mark);
		return code;
	}
	(void)close(fd);
	if (size > PLM_LIMIT_KUBECONFIG_BYTES) {
		plm_arena_rewind(arena, mark);
		return plm_fail(err, PLM_E_CONFIG, "%s: longer than %d bytes", path,
				PLM_LIMIT_KUBECONFIG_BYTES);
	}
	/* Taken again at its true size: memory is given out in order. */
	plm_arena_rewind(arena, mark + (size + 8) / 8 * 8);
	bytes[size] = 0;
	*out = plm_slice_of(bytes, size);
	return PLM_OK;
}

/* 0 to 63, or -1. */
static int digit64(uint8_t byte)
{
	if (byte >= 'A' && byte <= 'Z') {
		return byte - 'A';
	}
	if (byte >= 'a' && byte <= 'z') {
		return byte - 'a' + 26;
	}
	if (byte >= '0' && byte <= '9') {
		return byte - '0' + 52;
	}
	return byte == '+' ? 62 : (byte == '/' ? 63 : -1);
}

static bool is_space(uint8_t byte)
{
	return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

bool plm_kube_base64(struct plm_arena *arena, struct plm_slice text, struct plm_slice *out)
{
	uint8_t *bytes = plm_arena_try(arena, text.size / 4 * 3 + 4);
	size_t size = 0;
	size_t digits = 0;
	size_t padding = 0;
	uint32_t bits = 0;

	for (size_t i = 0; i < text.size && bytes != NULL; i++) {
		int value = digit64(text.ptr[i]);

		if (is_space(text.ptr[i])) {
			continue;
		}
		if (text.ptr[i] == '=') {
			padding++;
			continue;
		}
		if (value < 0 || padding > 0) {
			return false;
		}
		bits = bits << 6 | (uint32_t)value;
		digits++;
		if (digits % 4 != 1) {
			bytes[size++] = (uint8_t)(bits >> (6 - 2 * ((digits - 1) % 4)));
		}
	}
	if (bytes == NULL || digits % 4 == 1 || (digits + padding) % 4 != 0 || padding > 2) {
		return false;
	}
	*out = plm_slice_of(bytes, size);
	return true;
}

static char digit_of(uint32_t value)
{
	return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[value & 63U];
}

const char *plm_kube_base64_write(struct plm_arena *arena, struct plm_slice bytes)
{
	char *out = plm_arena_take(arena, (bytes.size + 2) / 3 * 4 + 1);
	char *to = out;

	for (size_t i = 0; i < bytes.size; i += 3) {
		size_t left = bytes.size - i;
		uint32_t bits = (uint32_t)bytes.ptr[i] << 16;

		bits |= left > 1 ? (uint32_t)bytes.ptr[i + 1] << 8 : 0;
		bits |= left > 2 ? (uint32_t)bytes.ptr[i + 2] : 0;
		*to++ = digit_of(bits >> 18);
		*to++ = digit_of(bits >> 12);
		to[0] = to[1] = '=';
		if (left > 1) {
			to[0] = digit_of(bits >> 6);
		}
		if (left > 2) {
			to[1] = digit_of(bits);
		}
		to += 2;
	}
	return out;
}
