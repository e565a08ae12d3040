/*
 * The calls are defined under both names that they have: liblmdb knows one, large file support
 * the other.
 */
#undef _FILE_OFFSET_BITS
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/base.h"

#define FILES_MAX 256

static struct {
	char folder[SHIM_PATH_MAX];
	size_t folder_size; /* 0 = not watching */
	bool record;
	struct shim_op *ops;
	size_t count;
	size_t capacity;
	size_t calls;
	uint64_t acked;
	uint64_t stamp;
	struct {
		ino_t inode;
		char path[SHIM_PATH_MAX];
	} files[FILES_MAX];
	int file_count;
	enum shim_fault fault;
	size_t fault_call;
	size_t fault_bytes;
	bool struck;
	uint64_t room;
} shim = {.room = UINT64_MAX};

void shim_watch(const char *folder, bool record)
{
	for (size_t i = 0; i < shim.count && shim.ops != NULL; i++) {
		free(shim.ops[i].bytes);
	}
	free(shim.ops);
	memset(&shim, 0, sizeof(shim));
	shim.folder_size = strlen(folder);
	PLM_ASSERT(shim.folder_size < sizeof(shim.folder));
	memcpy(shim.folder, folder, shim.folder_size);
	shim.record = record;
	shim.room = UINT64_MAX;
}

void shim_stop(void)
{
	shim.folder_size = 0;
}

size_t shim_count(void)
{
	return shim.count;
}

size_t shim_calls(void)
{
	return shim.calls;
}

const struct shim_op *shim_op(size_t index)
{
	PLM_ASSERT(index < shim.count && shim.record);
	return &shim.ops[index];
}

void shim_mark(uint64_t acked, uint64_t stamp)
{
	shim.acked = acked;
	shim.stamp = stamp;
}

void shim_plan(enum shim_fault fault, size_t call, size_t bytes)
{
	shim.fault = fault;
	shim.fault_call = call;
	shim.fault_bytes = bytes;
	shim.struck = false;
}

void shim_room(uint64_t free_bytes)
{
	shim.room = free_bytes;
}

bool shim_struck(void)
{
	return shim.struck;
}

/* ---- the journal --------------------------------------------------------------------------- */

/*
 * 'path' relative to the watched folder into 'out'; false when it is not there or is the lock
 * file.
 */
static bool relative(const char *path, char *out)
{
	size_t size = strlen(path);

	if (shim.folder_size == 0 || size < shim.folder_size ||
	    memcmp(path, shim.folder, shim.folder_size) != 0) {
		return false;
	}
	if (size == shim.folder_size) {
		memcpy(out, ".", 2);
		return true;
	}
	if (path[shim.folder_size] != '/' || size - shim.folder_size > SHIM_PATH_MAX ||
	    (size >= 8 && strcmp(path + size - 8, "lock.mdb") == 0)) {
		return false;
	}
	memcpy(out, path + shim.folder_size + 1, size - shim.folder_size);
	return true;
}

/* What a descriptor is open on; asking the kernel each time would be most of a test's work. */
static bool path_of(int fd, char *out, size_t size)
{
	static struct {
		dev_t device;
		ino_t inode;
		char path[2 * SHIM_PATH_MAX];
	} known[64];
	char link[64];
	struct stat status;
	ssize_t got = 0;

	if (fd < 0 || fd >= 64 || fstat(fd, &status) != 0) {
		return false;
	}
	/* The journal wants the name of today: a rename changes it. */
	if (shim.record || known[fd].device != status.st_dev || known[fd].inode != status.st_ino) {
		(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		got = readlink(link, known[fd].path, sizeof(known[fd].path) - 1);
		if (got <= 0) {
			return false;
		}
		known[fd].path[got] = '\0';
		known[fd].device = status.st_dev;
		known[fd].inode = status.st_ino;
	}
	(void)snprintf(out, size, "%s", known[fd].path);
	return true;
}

static bool watched(int fd, char *out)
{
	char path[2 * SHIM_PATH_MAX];

	return shim.folder_size > 0 && path_of(fd, path, sizeof(path)) && relative(path, out);
}

static struct shim_op *push(enum shim_kind kind, const char *path)
{
	static struct shim_op uncounted;
	struct shim_op *op = &uncounted;

	if (shim.record) {
		if (shim.count == shim.capacity) {
			shim.capacity = shim.capacity == 0 ? 1024 : shim.capacity * 2;
			shim.ops = reallocarray(shim.ops, shim.capacity, sizeof(*shim.ops));
			PLM_ASSERT(shim.ops != NULL);
		}
		op = &shim.ops[shim.count];
	}
	*op = (struct shim_op){
		.kind = kind,
		.call = shim.calls,
		.acked = shim.acked,
		.stamp = shim.stamp,
	};
	(void)snprintf(op->path, sizeof(op->path), "%s", path);
	shim.count += shim.record ? 1 : 0;
	shim.calls += kind == SHIM_CREATE ? 0 : 1;
	return op;
}

static int file_of(int fd, const char *path)
{
	struct stat status;

	PLM_ASSERT(fstat(fd, &status) == 0);
	for (int i = 0; i < shim.file_count; i++) {
		if (shim.files[i].inode == status.st_ino && strcmp(shim.files[i].path, path) == 0) {
			return i;
		}
	}
	PLM_ASSERT(shim.file_count < FILES_MAX);
	shim.files[shim.file_count].inode = status.st_ino;
	(void)snprintf(shim.files[shim.file_count].path, SHIM_PATH_MAX, "%s", path);
	if (shim.record) {
		push(SHIM_CREATE, path)->file = shim.file_count;
	}
	return shim.file_count++;
}

static bool is_due(enum shim_fault fault)
{
	return shim.fault == fault && shim.calls == shim.fault_call;
}

static bool strikes(enum shim_fault fault)
{
	if (!is_due(fault)) {
		return false;
	}
	shim.struck = true;
	if (fault == SHIM_FILLS_UP) {
		shim.room = 0;
	}
	return true;
}

static bool is_full(enum shim_fault fault)
{
	return fault == SHIM_DISK_FULL || fault == SHIM_FILLS_UP;
}

/* How many of 'size' bytes may be written; -1 = none, the disk is full. */
static ssize_t allowed(size_t size)
{
	if (strikes(SHIM_DISK_FULL) || strikes(SHIM_FILLS_UP)) {
		return shim.fault_bytes == 0
			       ? -1
			       : (ssize_t)(shim.fault_bytes < size ? shim.fault_bytes : size);
	}
	return is_full(shim.fault) && shim.struck ? -1 : (ssize_t)size;
}

static bool is_durable(int fd)
{
	return (fcntl(fd, F_GETFL) & O_DSYNC) != 0;
}

static void record_write(int fd, const char *path, uint64_t offset, const struct iovec *parts,
			 size_t done)
{
	int file = shim.record ? file_of(fd, path) : 0;
	struct shim_op *op = push(SHIM_WRITE, path);
	size_t at = 0;

	op->file = file;
	op->durable = shim.record && is_durable(fd);
	op->offset = offset;
	op->size = done;
	if (shim.record) {
		op->bytes = malloc(done + 1);
		PLM_ASSERT(op->bytes != NULL);
		for (size_t i = 0; at < done; i++) {
			size_t size = parts[i].iov_len < done - at ? parts[i].iov_len : done - at;

			memcpy(op->bytes + at, parts[i].iov_base, size);
			at += size;
		}
	}
}

/* ---- the calls ----------------------------------------------------------------------------- */

/* 'offset' -1: where the descriptor stands. */
static ssize_t do_write(int fd, const struct iovec *parts, int count, off_t offset)
{
	char path[SHIM_PATH_MAX];
	struct iovec cut[64];
	size_t size = 0;
	ssize_t room = 0;
	ssize_t done = 0;
	off_t at = offset;
	int used = 0;

	if (!watched(fd, path)) {
		return offset < 0 ? syscall(SYS_writev, fd, parts, count)
				  : syscall(SYS_pwritev, fd, parts, count, offset, 0);
	}
	for (int i = 0; i < count; i++) {
		size += parts[i].iov_len;
	}
	room = allowed(size);
	if (room < 0 ||
	    (is_due(SHIM_SYNC_FORGETS) && is_durable(fd) && strikes(SHIM_SYNC_FORGETS))) {
		shim.calls++;
		errno = room < 0 ? ENOSPC : EIO;
		return -1;
	}
	PLM_ASSERT(count <= 64);
	for (size_t left = (size_t)room; left > 0; used++) {
		cut[used] = parts[used];
		cut[used].iov_len = cut[used].iov_len < left ? cut[used].iov_len : left;
		left -= cut[used].iov_len;
	}
	if (offset < 0) {
		at = lseek(fd, 0, SEEK_CUR);
	}
	done = offset < 0 ? syscall(SYS_writev, fd, cut, used)
			  : syscall(SYS_pwritev, fd, cut, used, offset, 0);
	PLM_ASSERT(done == room);
	if (is_due(SHIM_SYNC_FAILS) && is_durable(fd) && strikes(SHIM_SYNC_FAILS)) {
		shim.calls++;
		errno = EIO;
		return -1;
	}
	record_write(fd, path, (uint64_t)at, cut, (size_t)done);
	return done;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	struct iovec part = {.iov_len = size};

	memcpy(&part.iov_base, &bytes, sizeof(bytes));
	return do_write(fd, &part, 1, -1);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
	struct iovec part = {.iov_len = size};

	memcpy(&part.iov_base, &bytes, sizeof(bytes));
	return do_write(fd, &part, 1, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
	return pwrite(fd, bytes, size, offset);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	return do_write(fd, parts, count, -1);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
	return do_write(fd, parts, count, offset);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset)
{
	return do_write(fd, parts, count, offset);
}

static int do_sync(int fd, long number)
{
	char path[SHIM_PATH_MAX];
	struct stat status;

	if (!watched(fd, path)) {
		return (int)syscall(number, fd);
	}
	if (strikes(SHIM_SYNC_FAILS) || strikes(SHIM_SYNC_FORGETS)) {
		shim.calls++;
		errno = EIO;
		return -1;
	}
	PLM_ASSERT(fstat(fd, &status) == 0);
	if (S_ISDIR(status.st_mode)) {
		(void)push(SHIM_SYNC_FOLDER, path);
	} else {
		int file = shim.record ? file_of(fd, path) : 0;

		push(SHIM_SYNC, path)->file = file;
	}
	return 0; /* the journal says what would be durable; the real disk need not wait */
}

int fsync(int fd)
{
	return do_sync(fd, SYS_fsync);
}

int fdatasync(int fd)
{
	return do_sync(fd, SYS_fdatasync);
}

int msync(void *start, size_t size, int flags)
{
	/* LMDB calls it with MDB_WRITEMAP only, which the log never uses. */
	PLM_ASSERT(shim.folder_size == 0);
	return (int)syscall(SYS_msync, start, size, flags);
}

int ftruncate(int fd, off_t size)
{
	char path[SHIM_PATH_MAX];

	if (watched(fd, path)) {
		int file = file_of(fd, path);
		struct shim_op *op = push(SHIM_TRUNCATE, path);

		op->file = file;
		op->size = (size_t)size;
	}
	return (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate64(int fd, off64_t size)
{
	return ftruncate(fd, size);
}

int rename(const char *from, const char *to)
{
	char path[SHIM_PATH_MAX];
	char path_to[SHIM_PATH_MAX];
	int rc = (int)syscall(SYS_rename, from, to);

	if (rc == 0 && relative(from, path) && relative(to, path_to)) {
		(void)snprintf(push(SHIM_RENAME, path)->to, SHIM_PATH_MAX, "%s", path_to);
		for (int i = 0; i < shim.file_count; i++) {
			if (strcmp(shim.files[i].path, path) == 0) {
				(void)snprintf(shim.files[i].path, SHIM_PATH_MAX, "%s", path_to);
			}
		}
	}
	return rc;
}

int unlink(const char *path)
{
	char name[SHIM_PATH_MAX];
	int rc = (int)syscall(SYS_unlink, path);

	if (rc == 0 && relative(path, name)) {
		(void)push(SHIM_UNLINK, name);
		for (int i = 0; i < shim.file_count; i++) {
			if (strcmp(shim.files[i].path, name) == 0) {
				shim.files[i].path[0] = '\0';
			}
		}
	}
	return rc;
}

int statvfs(const char *path, struct statvfs *out)
{
	char name[SHIM_PATH_MAX];
	struct statfs status;

	if (syscall(SYS_statfs, path, &status) != 0) {
		return -1;
	}
	*out = (struct statvfs){
		.f_bsize = (unsigned long)status.f_bsize,
		.f_frsize = (unsigned long)status.f_bsize,
		.f_blocks = status.f_blocks,
		.f_bfree = status.f_bfree,
		.f_bavail = status.f_bavail,
	};
	if (shim.room != UINT64_MAX && relative(path, name)) {
		out->f_bavail = shim.room / out->f_frsize;
	}
	return 0;
}

int statvfs64(const char *path, struct statvfs64 *out)
{
	/* One layout on 64-bit machines. */
	PLM_STATIC_ASSERT(sizeof(struct statvfs) == sizeof(struct statvfs64), "one layout");
	struct statvfs status;
	int rc = statvfs(path, &status);

	memcpy(out, &status, sizeof(status));
	return rc;
}
