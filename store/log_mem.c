#include "store/log_mem.h"

#include <inttypes.h>
#include <stdlib.h>

#include "store/backend.h"

#define NOTES_MAX 16

/* The calls of one commit, in their order. */
enum step {
	STEP_DATA,
	STEP_SYNC,
	STEP_META,
	STEP_WITNESS,
	STEP_COUNT,
};
PLM_STATIC_ASSERT(STEP_COUNT == PLM_DISK_CALLS_PER_COMMIT, "the header names the calls");

struct note {
	char name[PLM_NOTE_NAME_MAX + 1];
	char text[PLM_NOTE_TEXT_MAX + 1];
};

struct batch {
	struct plm_log_head head; /* at its end */
	struct plm_blob blob;
};

struct plm_log_disk {
	struct batch *batches; /* owned */
	size_t count;	       /* the volatile image */
	size_t durable;	       /* the durable image: the first of them */
	size_t capacity;
	uint64_t calls;
	enum plm_disk_fault fault;
	uint64_t fault_call;
	bool lies;
	bool crashed;
	uint64_t life; /* crashes so far: a handle of an earlier life is dead */
	struct handle *writer;
	unsigned int handles;
	struct plm_log_room room;
	struct note notes[NOTES_MAX];
	size_t note_count;
};

struct handle {
	struct plm_log_disk *disk; /* borrowed, or owned by a private log */
	bool owns_disk;
	uint64_t life;
	struct note notes[NOTES_MAX]; /* put, not yet durable */
	size_t note_count;
};

struct plm_log_disk *plm_log_disk_new(void)
{
	struct plm_log_disk *disk = calloc(1, sizeof(*disk));

	PLM_ASSERT(disk != NULL);
	disk->room = (struct plm_log_room){.free_bytes = UINT64_MAX, .total_bytes = UINT64_MAX};
	return disk;
}

/* Forget the batches from 'count' on. */
static void cut(struct plm_log_disk *disk, size_t count)
{
	PLM_ASSERT(count <= disk->count);
	for (size_t i = count; i < disk->count; i++) {
		plm_blob_fini(&disk->batches[i].blob);
	}
	disk->count = count;
}

void plm_log_disk_free(struct plm_log_disk *disk)
{
	if (disk == NULL) {
		return;
	}
	PLM_ASSERT(disk->handles == 0);
	cut(disk, 0);
	free(disk->batches);
	free(disk);
}

void plm_log_disk_plan(struct plm_log_disk *disk, enum plm_disk_fault fault, uint64_t call)
{
	PLM_ASSERT(disk != NULL);
	PLM_ASSERT(call > disk->calls || fault == PLM_DISK_NO_FAULT);
	disk->fault = fault;
	disk->fault_call = call;
}

uint64_t plm_log_disk_calls(const struct plm_log_disk *disk)
{
	return disk->calls;
}

void plm_log_disk_crash(struct plm_log_disk *disk)
{
	PLM_ASSERT(disk != NULL);
	cut(disk, disk->durable);
	disk->crashed = true;
	disk->lies = false;
	disk->fault = PLM_DISK_NO_FAULT;
	disk->life++;
	disk->writer = NULL;
}

bool plm_log_disk_crashed(const struct plm_log_disk *disk)
{
	return disk->crashed;
}

static struct plm_log_head head_at(const struct plm_log_disk *disk, size_t count)
{
	PLM_ASSERT(count <= disk->count);
	return count == 0 ? (struct plm_log_head){0} : disk->batches[count - 1].head;
}

/* What cursors see: a batch whose commit failed is not there, one that a lying disk took is. */
static size_t visible(const struct plm_log_disk *disk)
{
	PLM_ASSERT(disk->durable <= disk->count);
	return disk->lies ? disk->count : disk->durable;
}

struct plm_log_head plm_log_disk_durable(const struct plm_log_disk *disk)
{
	return head_at(disk, disk->durable);
}

void plm_log_disk_set_room(struct plm_log_disk *disk, struct plm_log_room room)
{
	disk->room = room;
}

/* ---- appending ----------------------------------------------------------------------------- */

/* The new batch is in the volatile image only: nobody sees it before the meta page is written. */
static struct batch *push(struct plm_log_disk *disk)
{
	PLM_ASSERT(disk->count <= disk->capacity);
	PLM_ASSERT(disk->durable <= disk->count);
	if (disk->count == disk->capacity) {
		size_t capacity = disk->capacity == 0 ? 64 : disk->capacity * 2;
		struct batch *batches =
			reallocarray(disk->batches, capacity, sizeof(disk->batches[0]));

		PLM_ASSERT(batches != NULL);
		disk->batches = batches;
		disk->capacity = capacity;
	}
	disk->batches[disk->count] = (struct batch){0};
	return &disk->batches[disk->count++];
}

/* What a call does when nothing is planned for it. */
static void take_place(struct handle *handle, enum step step)
{
	struct plm_log_disk *disk = handle->disk;

	PLM_ASSERT(handle->life == handle->disk->life);
	PLM_ASSERT(step < STEP_COUNT);
	if (step != STEP_META || disk->lies) {
		return;
	}
	disk->durable = disk->count;
	for (size_t i = 0; i < handle->note_count; i++) {
		size_t at = 0;

		while (at < disk->note_count &&
		       strcmp(disk->notes[at].name, handle->notes[i].name) != 0) {
			at++;
		}
		PLM_ASSERT(at < NOTES_MAX);
		disk->notes[at] = handle->notes[i];
		disk->note_count = at == disk->note_count ? at + 1 : disk->note_count;
	}
	handle->note_count = 0;
}

static enum plm_code call(struct handle *handle, enum step step, struct plm_error *err)
{
	struct plm_log_disk *disk = handle->disk;
	bool planned = ++disk->calls == disk->fault_call;

	PLM_ASSERT(disk->writer == handle);
	switch (planned ? disk->fault : PLM_DISK_NO_FAULT) {
	case PLM_DISK_CRASH:
		plm_log_disk_crash(disk);
		return plm_fail(err, PLM_E_IO, "the machine died before write call %" PRIu64,
				disk->calls);
	case PLM_DISK_FULL:
		return plm_fail(err, PLM_E_FULL, "no room for write call %" PRIu64, disk->calls);
	case PLM_DISK_SYNC_ERROR:
		take_place(handle, step);
		return plm_fail(err, PLM_E_IO, "write call %" PRIu64 " failed", disk->calls);
	case PLM_DISK_LIES:
		disk->lies = true;
		return PLM_OK;
	case PLM_DISK_NO_FAULT:
		break;
	}
	take_place(handle, step);
	return PLM_OK;
}

/*
 * The calls of one commit, one by one, as LMDB makes them. Whatever fails leaves the batch where it
 * stands; the next open drops what never became durable.
 */
static enum plm_code mem_append(void *self, const struct plm_frame *frame,
				const struct plm_slice *records, struct plm_error *err)
{
	struct handle *handle = self;
	struct plm_log_disk *disk = handle->disk;
	struct batch *batch = NULL;
	enum plm_code code = PLM_OK;

	if (handle->life != disk->life) {
		return plm_fail(err, PLM_E_IO, "the machine died since this log was opened");
	}
	PLM_ASSERT(disk->writer == handle);
	if (plm_blob_size(frame) > disk->room.free_bytes) {
		return plm_fail(err, PLM_E_FULL, "%zu bytes do not fit in %" PRIu64 " free",
				plm_blob_size(frame), disk->room.free_bytes);
	}
	batch = push(disk);
	batch->head = plm_frame_head(frame);
	plm_blob_build(&batch->blob, frame, records);
	for (int step = STEP_DATA; step < STEP_COUNT && code == PLM_OK; step++) {
		code = call(handle, (enum step)step, err);
	}
	return code;
}

/* ---- reading ------------------------------------------------------------------------------- */

struct mem_reader {
	struct plm_reader reader;
	struct handle *handle; /* borrowed */
	size_t next;
};

static enum plm_code mem_seek(struct plm_reader *reader, uint64_t from, struct plm_log_head *before,
			      struct plm_error *err)
{
	struct mem_reader *self = (struct mem_reader *)reader;
	const struct plm_log_disk *disk = self->handle->disk;
	size_t low = 0;
	size_t high = visible(disk);

	PLM_ASSERT(from >= 1);
	(void)err;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (disk->batches[middle].head.seq < from) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	self->next = low;
	*before = head_at(disk, low);
	return PLM_OK;
}

/* Copied out: the list of batches may move while the caller still looks at a record. */
static enum plm_code mem_next(struct plm_reader *reader, struct plm_blob *out,
			      struct plm_error *err)
{
	struct mem_reader *self = (struct mem_reader *)reader;
	const struct plm_log_disk *disk = self->handle->disk;
	const struct plm_blob *blob = NULL;

	PLM_ASSERT(out != NULL);
	if (self->handle->life != disk->life) {
		return plm_fail(err, PLM_E_IO, "the machine died since this log was opened");
	}
	if (self->next >= visible(disk)) {
		return plm_fail(err, PLM_E_NOT_FOUND, "the log ends here");
	}
	blob = &disk->batches[self->next++].blob;
	plm_blob_reserve(out, blob->size);
	memcpy(out->bytes, blob->bytes, blob->size);
	out->size = blob->size;
	return PLM_OK;
}

static void mem_reader_close(struct plm_reader *reader)
{
	free(reader);
}

static const struct plm_reader_ops mem_reader_ops = {
	.seek = mem_seek,
	.next = mem_next,
	.close = mem_reader_close,
};

static enum plm_code mem_reader_open(void *self, struct plm_reader **out, struct plm_error *err)
{
	struct mem_reader *reader = calloc(1, sizeof(*reader));

	(void)err;
	PLM_ASSERT(reader != NULL);
	reader->reader.ops = &mem_reader_ops;
	reader->handle = self;
	*out = &reader->reader;
	return PLM_OK;
}

/* ---- the rest ------------------------------------------------------------------------------ */

static enum plm_code mem_room(void *self, struct plm_log_room *out, struct plm_error *err)
{
	const struct handle *handle = self;

	(void)err;
	*out = handle->disk->room;
	return PLM_OK;
}

static void mem_note_put(void *self, const char *name, const char *text)
{
	struct handle *handle = self;
	struct note *note = &handle->notes[handle->note_count];

	PLM_ASSERT(handle->note_count < NOTES_MAX);
	*note = (struct note){0};
	memcpy(note->name, name, strlen(name));
	memcpy(note->text, text, strlen(text));
	handle->note_count++;
}

static enum plm_code mem_note_get(void *self, const char *name, char *text, size_t size,
				  struct plm_error *err)
{
	const struct handle *handle = self;
	const struct plm_log_disk *disk = handle->disk;

	for (size_t i = 0; i < disk->note_count; i++) {
		if (strcmp(disk->notes[i].name, name) == 0) {
			PLM_ASSERT(sizeof(disk->notes[i].text) <= size);
			memcpy(text, disk->notes[i].text, sizeof(disk->notes[i].text));
			return PLM_OK;
		}
	}
	return plm_fail(err, PLM_E_NOT_FOUND, "no note \"%s\"", name);
}

static void mem_close(void *self)
{
	struct handle *handle = self;
	struct plm_log_disk *disk = handle->disk;

	if (disk->writer == handle) {
		disk->writer = NULL;
	}
	PLM_ASSERT(disk->handles > 0);
	disk->handles--;
	if (handle->owns_disk) {
		plm_log_disk_free(disk);
	}
	free(handle);
}

static const struct plm_backend_ops mem_ops = {
	.append = mem_append,
	.reader = mem_reader_open,
	.room = mem_room,
	.note_put = mem_note_put,
	.note_get = mem_note_get,
	.close = mem_close,
};

static struct plm_log *open_handle(struct plm_log_disk *disk, enum plm_log_mode mode,
				   bool owns_disk)
{
	struct handle *handle = calloc(1, sizeof(*handle));

	PLM_ASSERT(handle != NULL);
	handle->disk = disk;
	handle->owns_disk = owns_disk;
	handle->life = disk->life;
	disk->handles++;
	disk->crashed = false;
	if (mode == PLM_LOG_WRITE) {
		/*
		 * What a failed commit left behind without a meta page is overwritten by the
		 * next.
		 */
		cut(disk, visible(disk));
		disk->writer = handle;
	}
	return plm_log_over(
		&(struct plm_backend){
			.ops = &mem_ops,
			.self = handle,
			.first = 1,
			.head = head_at(disk, visible(disk)),
		},
		mode);
}

enum plm_code plm_log_open_disk(struct plm_log_disk *disk, enum plm_log_mode mode,
				struct plm_log **out, struct plm_error *err)
{
	PLM_ASSERT(disk != NULL && out != NULL);
	if (mode == PLM_LOG_WRITE && disk->writer != NULL) {
		return plm_fail(err, PLM_E_REFUSED, "another writer holds this log");
	}
	*out = open_handle(disk, mode, false);
	return PLM_OK;
}

enum plm_code plm_log_open_memory(struct plm_log **out, struct plm_error *err)
{
	(void)err;
	PLM_ASSERT(out != NULL);
	*out = open_handle(plm_log_disk_new(), PLM_LOG_WRITE, true);
	return PLM_OK;
}
