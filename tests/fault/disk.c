#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plm_test.h"

#define FILES_MAX 256
#define SECTOR 512

struct content {
	uint8_t *bytes; /* owned */
	size_t size;
	size_t capacity;
};

struct file {
	struct content durable;
	size_t *pending; /* owned: calls that are written, not synced */
	size_t count;
	size_t capacity;
};

struct entry {
	char path[SHIM_PATH_MAX];
	int file;
};

/* A folder tree as a list of names. */
struct tree {
	struct entry list[FILES_MAX];
	size_t count;
};

struct disk {
	enum disk_lie lie;
	struct file files[FILES_MAX];
	struct tree durable;
	size_t *entry_ops; /* owned: changes of entries that no folder sync covers yet */
	size_t entry_count;
	size_t entry_capacity;
};

struct disk *disk_new(enum disk_lie lie)
{
	struct disk *disk = calloc(1, sizeof(*disk));

	assert_non_null(disk);
	disk->lie = lie;
	return disk;
}

void disk_free(struct disk *disk)
{
	for (size_t i = 0; i < FILES_MAX; i++) {
		free(disk->files[i].durable.bytes);
		free(disk->files[i].pending);
	}
	free(disk->entry_ops);
	free(disk);
}

static void push(size_t **list, size_t *count, size_t *capacity, size_t op)
{
	if (*count == *capacity) {
		*capacity = *capacity == 0 ? 64 : *capacity * 2;
		*list = reallocarray(*list, *capacity, sizeof(**list));
		assert_non_null(*list);
	}
	(*list)[(*count)++] = op;
}

/* ---- contents ------------------------------------------------------------------------------ */

static void resize(struct content *content, size_t size)
{
	if (size > content->capacity) {
		uint8_t *bytes = realloc(content->bytes, size + size / 2);

		PLM_ASSERT(bytes != NULL);
		content->bytes = bytes;
		content->capacity = size + size / 2;
	}
	if (size > content->size) {
		PLM_ASSERT(content->bytes != NULL);
		memset(content->bytes + content->size, 0, size - content->size);
	}
	content->size = size;
}

/* Bytes 'from' .. 'to' of the write 'op'. */
static void put(struct content *content, const struct shim_op *op, size_t from, size_t to)
{
	if (op->kind == SHIM_TRUNCATE) {
		resize(content, op->size);
		return;
	}
	if (to > from) {
		if (content->size < op->offset + to) {
			resize(content, op->offset + to);
		}
		PLM_ASSERT(content->bytes != NULL && op->bytes != NULL);
		memcpy(content->bytes + op->offset + from, op->bytes + from, to - from);
	}
}

/* ---- entries ------------------------------------------------------------------------------- */

static void tree_remove(struct tree *tree, const char *path)
{
	for (size_t i = 0; i < tree->count; i++) {
		if (strcmp(tree->list[i].path, path) == 0) {
			tree->list[i] = tree->list[--tree->count];
			return;
		}
	}
}

static void tree_add(struct tree *tree, const char *path, int file)
{
	tree_remove(tree, path);
	assert_true(tree->count < FILES_MAX);
	(void)snprintf(tree->list[tree->count].path, SHIM_PATH_MAX, "%s", path);
	tree->list[tree->count++].file = file;
}

static void tree_apply(struct tree *tree, const struct shim_op *op)
{
	if (op->kind == SHIM_CREATE) {
		tree_add(tree, op->path, op->file);
	} else if (op->kind == SHIM_UNLINK) {
		tree_remove(tree, op->path);
	} else {
		assert_int_equal(op->kind, SHIM_RENAME);
		for (size_t i = 0; i < tree->count; i++) {
			if (strcmp(tree->list[i].path, op->path) == 0) {
				int file = tree->list[i].file;

				tree_remove(tree, op->path);
				tree_add(tree, op->to, file);
				return;
			}
		}
	}
}

/* Does 'path' lie directly in 'folder' ("." = the watched one)? */
static bool is_in(const char *path, const char *folder)
{
	const char *slash = strrchr(path, '/');
	size_t size = slash == NULL ? 0 : (size_t)(slash - path);

	if (strcmp(folder, ".") == 0) {
		return slash == NULL;
	}
	return size == strlen(folder) && memcmp(path, folder, size) == 0;
}

/*
 * A sync of a folder makes its changed entries durable. A rename needs the entry that it moves, so
 * everything that led to it comes along, as in a journal.
 */
static void sync_folder(struct disk *disk, const char *folder)
{
	size_t last = 0;

	for (size_t i = 0; i < disk->entry_count; i++) {
		const struct shim_op *op = shim_op(disk->entry_ops[i]);

		if (is_in(op->kind == SHIM_RENAME ? op->to : op->path, folder)) {
			last = i + 1;
		}
	}
	for (size_t i = 0; i < last; i++) {
		tree_apply(&disk->durable, shim_op(disk->entry_ops[i]));
	}
	disk->entry_count -= last;
	memmove(disk->entry_ops, disk->entry_ops + last, disk->entry_count * sizeof(size_t));
}

/* ---- applying ------------------------------------------------------------------------------ */

static void sync_file(struct file *file)
{
	for (size_t i = 0; i < file->count; i++) {
		const struct shim_op *op = shim_op(file->pending[i]);

		put(&file->durable, op, 0, op->size);
	}
	file->count = 0;
}

void disk_apply(struct disk *disk, size_t index)
{
	const struct shim_op *op = shim_op(index);
	struct file *file = &disk->files[op->file];

	switch (op->kind) {
	case SHIM_WRITE:
		if (op->durable && disk->lie != DISK_IGNORES_DSYNC) {
			put(&file->durable, op, 0, op->size);
			break;
		}
		push(&file->pending, &file->count, &file->capacity, index);
		break;
	case SHIM_TRUNCATE:
		push(&file->pending, &file->count, &file->capacity, index);
		break;
	case SHIM_SYNC:
		if (disk->lie != DISK_IGNORES_SYNC) {
			sync_file(file);
		}
		break;
	case SHIM_SYNC_FOLDER:
		if (disk->lie != DISK_IGNORES_FOLDER_SYNC) {
			sync_folder(disk, op->path);
		}
		break;
	case SHIM_CREATE:
	case SHIM_RENAME:
	case SHIM_UNLINK:
		push(&disk->entry_ops, &disk->entry_count, &disk->entry_capacity, index);
		break;
	}
}

/* ---- images -------------------------------------------------------------------------------- */

struct chance {
	enum disk_image image;
	uint64_t random;
	size_t newest; /* the call under way */
};

static bool is_mixed(enum disk_image image)
{
	return image == DISK_MIXED_1 || image == DISK_MIXED_2 || image == DISK_MIXED_3;
}

/* What of the unsynced write 'index' is there. */
static void put_by_chance(struct content *content, size_t index, struct chance *chance)
{
	const struct shim_op *op = shim_op(index);
	size_t cut = op->size;

	if (chance->image == DISK_ALL_LOST) {
		return;
	}
	if (index == chance->newest && chance->image == DISK_TORN_512) {
		cut = cut < 512 ? cut : 512;
	}
	if (index == chance->newest && chance->image == DISK_TORN_4096) {
		cut = cut < 4096 ? cut : 4096;
	}
	if (!is_mixed(chance->image) || op->kind == SHIM_TRUNCATE) {
		put(content, op, 0, cut);
		return;
	}
	/*
	 * A sector is written or not: no disk tears one (LMDB's meta page relies on it, as all
	 * do).
	 */
	for (size_t at = 0; at < op->size;) {
		size_t end = at + SECTOR - (op->offset + at) % SECTOR;

		end = end < op->size ? end : op->size;
		if (plm_test_below(&chance->random, 2) == 0) {
			put(content, op, at, end);
		}
		at = end;
	}
}

static void write_out(const char *folder, const char *name, const struct content *content)
{
	char path[2 * SHIM_PATH_MAX];
	char *slash = NULL;
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	slash = strrchr(path, '/');
	*slash = '\0';
	assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
	*slash = '/';
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, content->bytes, content->size), content->size);
	(void)close(fd);
}

static void build_file(const struct disk *disk, int number, struct chance *chance,
		       struct content *out)
{
	const struct file *file = &disk->files[number];
	const struct shim_op *under_way = shim_op(chance->newest);
	size_t order[64];
	size_t count = 0;

	resize(out, 0);
	resize(out, file->durable.size);
	if (file->durable.size > 0) {
		memcpy(out->bytes, file->durable.bytes, file->durable.size);
	}
	/* Of a long list the newest count: later writes hide earlier ones of the same place. */
	for (size_t i = file->count > 60 ? file->count - 60 : 0; i < file->count; i++) {
		order[count++] = file->pending[i];
	}
	if (under_way->file == number &&
	    (under_way->kind == SHIM_WRITE || under_way->kind == SHIM_TRUNCATE)) {
		order[count++] = chance->newest;
	}
	for (size_t i = 0; is_mixed(chance->image) && i + 1 < count; i++) {
		size_t other = i + plm_test_below(&chance->random, count - i);
		size_t keep = order[i];

		order[i] = order[other];
		order[other] = keep;
	}
	for (size_t i = 0; i < count; i++) {
		put_by_chance(out, order[i], chance);
	}
}

static void build_tree(const struct disk *disk, struct chance *chance, struct tree *out)
{
	const struct shim_op *under_way = shim_op(chance->newest);
	size_t keep = disk->entry_count;

	*out = disk->durable;
	if (chance->image == DISK_ALL_LOST) {
		return;
	}
	/* A file system's journal keeps the order of entries: some first part of them is there. */
	if (is_mixed(chance->image)) {
		keep = plm_test_below(&chance->random, disk->entry_count + 1);
	}
	for (size_t i = 0; i < keep; i++) {
		tree_apply(out, shim_op(disk->entry_ops[i]));
	}
	if (keep == disk->entry_count &&
	    (under_way->kind == SHIM_CREATE || under_way->kind == SHIM_RENAME ||
	     under_way->kind == SHIM_UNLINK)) {
		tree_apply(out, under_way);
	}
}

bool disk_is_kept(size_t op, enum disk_image image)
{
	size_t size = shim_op(op)->kind == SHIM_WRITE ? shim_op(op)->size : 0;

	return (image == DISK_TORN_512 && size <= 512) || (image == DISK_TORN_4096 && size <= 4096);
}

void disk_build(const struct disk *disk, size_t op, enum disk_image image, uint64_t seed,
		const char *path)
{
	struct chance chance = {.image = image, .random = seed, .newest = op};
	struct content content = {0};
	struct tree tree;

	build_tree(disk, &chance, &tree);
	for (size_t i = 0; i < tree.count; i++) {
		build_file(disk, tree.list[i].file, &chance, &content);
		write_out(path, tree.list[i].path, &content);
	}
	free(content.bytes);
}
