#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum plm_code plm_path_join(char *out, const char *folder, const char *name, struct plm_error *err)
{
	int size = snprintf(out, PLM_PATH_SIZE, "%s/%s", folder, name);

	PLM_ASSERT(out != NULL && folder != NULL && name != NULL);
	if (size < 0 || size >= PLM_PATH_SIZE) {
		return plm_fail(err, PLM_E_LIMIT, "a path of more than %d bytes",
				PLM_PATH_SIZE - 1);
	}
	return PLM_OK;
}

/*
 * One place that knows errno; a full disk is told apart, since the engine answers it differently.
 */
enum plm_code plm_file_fail(struct plm_error *err, int number, const char *what, const char *path)
{
	enum plm_code code = PLM_E_IO;

	PLM_ASSERT(number != 0);
	if (number == ENOSPC || number == EDQUOT) {
		code = PLM_E_FULL;
	} else if (number == ENOENT || number == ENOTDIR) {
		code = PLM_E_NOT_FOUND;
	}
	return plm_fail(err, code, "%s: %s: %s", path, what, strerror(number));
}

/* What was to be made has no place to be in: nothing is missing that anybody asked for. */
enum plm_code plm_file_fail_make(struct plm_error *err, int number, const char *what,
				 const char *path)
{
	if (number == ENOENT || number == ENOTDIR) {
		return plm_fail(err, PLM_E_UNREACHABLE, "%s: %s: %s", path, what, strerror(number));
	}
	return plm_file_fail(err, number, what, path);
}

void plm_fd_close(int fd)
{
	if (fd >= 0) {
		(void)close(fd);
	}
}

/* A write may be cut short without an error; only the next one says why. */
enum plm_code plm_file_write(int fd, const void *bytes, size_t size, const char *path,
			     struct plm_error *err)
{
	const uint8_t *at = bytes;

	PLM_ASSERT(fd >= 0);
	PLM_ASSERT(bytes != NULL || size == 0);
	while (size > 0) {
		ssize_t done = write(fd, at, size);

		if (done < 0 && errno == EINTR) {
			continue;
		}
		if (done <= 0) {
			return plm_file_fail(err, done < 0 ? errno : ENOSPC, "write", path);
		}
		at += done;
		size -= (size_t)done;
	}
	return PLM_OK;
}

static enum plm_code read_rest(int fd, struct plm_blob *out, size_t size, const char *path,
			       struct plm_error *err)
{
	PLM_ASSERT(fd >= 0);
	plm_blob_reserve(out, size + 1);
	out->size = 0;
	while (out->size < size) {
		ssize_t done = read(fd, out->bytes + out->size, size - out->size);

		if (done < 0 && errno == EINTR) {
			continue;
		}
		if (done < 0) {
			return plm_file_fail(err, errno, "read", path);
		}
		if (done == 0) {
			return plm_fail(err, PLM_E_IO, "%s: it shrank while it was read", path);
		}
		out->size += (size_t)done;
	}
	return PLM_OK;
}

enum plm_code plm_file_read(const char *path, uint64_t limit, struct plm_blob *out,
			    struct plm_error *err)
{
	PLM_CLEANUP(plm_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0) {
		return plm_file_fail(err, errno, "open", path);
	}
	if (!S_ISREG(status.st_mode)) {
		return plm_fail(err, PLM_E_IO, "%s: not a regular file", path);
	}
	if ((uint64_t)status.st_size > limit) {
		return plm_fail(err, PLM_E_LIMIT, "%s: %" PRIu64 " bytes, at most %" PRIu64 " fit",
				path, (uint64_t)status.st_size, limit);
	}
	return read_rest(fd, out, (size_t)status.st_size, path, err);
}

enum plm_code plm_file_sync(int fd, const char *path, struct plm_error *err)
{
	PLM_ASSERT(fd >= 0);
	if (fsync(fd) != 0) {
		return plm_file_fail(err, errno, "sync", path);
	}
	return PLM_OK;
}

/* A file is found after a crash only when the folder that names it was synced too. */
enum plm_code plm_file_sync_folder(const char *folder, struct plm_error *err)
{
	PLM_CLEANUP(plm_fd_close)
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		return plm_file_fail(err, errno, "open", folder);
	}
	return plm_file_sync(fd, folder, err);
}

enum plm_code plm_file_make_folder(const char *folder, struct plm_error *err)
{
	char parent[PLM_PATH_SIZE];
	const char *slash = NULL;

	PLM_ASSERT(folder[0] != '\0');
	if (mkdir(folder, 0755) != 0) {
		struct stat status;

		/* Whoever made it may not have come to the sync. */
		if (errno != EEXIST || stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
			return plm_file_fail_make(err, errno, "make the folder", folder);
		}
	}
	if (strlen(folder) >= sizeof(parent)) {
		return plm_fail(err, PLM_E_LIMIT, "a path of more than %d bytes",
				PLM_PATH_SIZE - 1);
	}
	(void)snprintf(parent, sizeof(parent), "%s", folder);
	slash = strrchr(parent, '/');
	if (slash == NULL) {
		return plm_file_sync_folder(".", err);
	}
	parent[slash == parent ? 1 : slash - parent] = '\0';
	return plm_file_sync_folder(parent, err);
}
