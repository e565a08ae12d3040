#include "adapters/manifest/window.h"

#include "core/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Read at once; the window is twice that as long as items are small. */
#define CHUNK ((size_t)256 * 1024)

static enum plm_code system_failed(const char *name, struct plm_error *err)
{
	enum plm_code code = errno == ENOENT ? PLM_E_NOT_FOUND
			     : errno == EIO  ? PLM_E_IO
					     : PLM_E_UNREACHABLE;

	return plm_fail(err, code, "%s: %s", name, strerror(errno));
}

enum plm_code plm_window_open(struct plm_window *source, const char *path, struct plm_error *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	*source = (struct plm_window){.name = path, .fd = -1, .last = true};
	if (fd < 0) {
		return system_failed(path, err);
	}
	source->owned = malloc(2 * CHUNK);
	if (source->owned == NULL) {
		(void)close(fd);
		return plm_fail(err, PLM_E_LIMIT, "%s: out of memory", path);
	}
	source->window = source->owned;
	source->capacity = 2 * CHUNK;
	source->fd = fd;
	source->last = false;
	return PLM_OK;
}

void plm_window_open_text(struct plm_window *source, const char *name, struct plm_slice text)
{
	*source = (struct plm_window){.name = name, .fd = -1, .size = text.size, .last = true};
	source->window = text.size == 0 ? (const uint8_t *)"" : text.ptr;
}

void plm_window_close(struct plm_window *source)
{
	if (source->fd >= 0) {
		(void)close(source->fd);
	}
	free(source->owned);
	*source = (struct plm_window){.fd = -1, .last = true};
}

static enum plm_code make_room(struct plm_window *source, uint64_t keep, struct plm_error *err)
{
	size_t drop = (size_t)(keep - source->base);

	if (source->size - drop > PLM_LIMIT_ITEM_BYTES) {
		return plm_fail(err, PLM_E_INPUT,
				"%s: one document, or one item of a list, is longer than %ld bytes",
				source->name, PLM_LIMIT_ITEM_BYTES);
	}
	if (drop > 0) {
		memmove(source->owned, source->owned + drop, source->size - drop);
		source->size -= drop;
		source->base = keep;
	}
	if (source->capacity - source->size < CHUNK) {
		uint8_t *longer = realloc(source->owned, source->capacity * 2);

		if (longer == NULL) {
			return plm_fail(err, PLM_E_LIMIT, "%s: out of memory", source->name);
		}
		source->owned = longer;
		source->window = longer;
		source->capacity *= 2;
	}
	return PLM_OK;
}

enum plm_code plm_window_more(struct plm_window *source, uint64_t keep, struct plm_error *err)
{
	enum plm_code code = PLM_OK;
	ssize_t got = 0;

	PLM_ASSERT(keep >= source->base && keep <= source->base + source->size);
	if (source->last) {
		return PLM_OK;
	}
	code = make_room(source, keep, err);
	if (code != PLM_OK) {
		return code;
	}
	do {
		got = read(source->fd, source->owned + source->size, CHUNK);
	} while (got < 0 && errno == EINTR);
	if (got < 0) {
		return system_failed(source->name, err);
	}
	source->size += (size_t)got;
	source->last = got == 0;
	return PLM_OK;
}
