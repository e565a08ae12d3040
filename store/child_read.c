#include "store/child_read.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "store/guard.h"
#include "store/lmdb_env.h"

/* Small batches travel together in messages of about this size. */
#define SEND_BYTES (128 * 1024)
#define RECEIVE_BYTES (256 * 1024)

enum message {
	MESSAGE_BEFORE, /* struct plm_log_head: where the reader stands */
	MESSAGE_BATCH,	/* a checked blob */
	MESSAGE_END,	/* nothing more for now */
	MESSAGE_ERROR,	/* struct plm_error */
};

struct header {
	enum message message;
	uint64_t size;
};

/* ---- the child ----------------------------------------------------------------------------- */

struct start {
	const char *path;
	uint64_t from;
	struct plm_guard_seat *seat;
};

struct sender {
	int fd;
	struct plm_reader *reader; /* NULL until it is open */
	struct plm_lmdb lmdb;	   /* open as long as 'reader' is */
	struct plm_blob out;
};

static void close_reader(struct sender *sender)
{
	if (sender->reader != NULL) {
		sender->reader->ops->close(sender->reader);
		sender->reader = NULL;
		plm_lmdb_env_close(&sender->lmdb);
	}
}

/* The parent has no more use for us: give back our place among LMDB's readers first. */
PLM_NORETURN static void leave(struct sender *sender)
{
	close_reader(sender);
	_exit(0);
}

/* Send what has gathered; the parent's end being closed ends this process. */
static void flush(struct sender *sender)
{
	size_t done = 0;

	PLM_ASSERT(sender->out.size <= sender->out.capacity);
	while (done < sender->out.size) {
		ssize_t size = send(sender->fd, sender->out.bytes + done, sender->out.size - done,
				    MSG_DONTWAIT | MSG_NOSIGNAL);

		if (size > 0) {
			done += (size_t)size;
		} else if (size < 0 && errno == EAGAIN) {
			struct pollfd poller = {.fd = sender->fd, .events = POLLOUT};

			/* A slow parent must not make this transaction old. */
			if (sender->reader != NULL && poll(&poller, 1, 100) == 0) {
				plm_lmdb_reader_idle(sender->reader);
			}
			(void)poll(&poller, 1, -1);
		} else if (size == 0 || errno != EINTR) {
			leave(sender);
		}
	}
	sender->out.size = 0;
}

/*
 * Batches gather until there are enough of them for one call; everything else goes out at once,
 * with all that gathered before it, so that order is kept.
 */
static void add(struct sender *sender, enum message message, const void *bytes, size_t size)
{
	struct header header = {.message = message, .size = size};

	PLM_ASSERT(bytes != NULL || size == 0);
	plm_blob_reserve(&sender->out, sender->out.size + sizeof(header) + size);
	memcpy(sender->out.bytes + sender->out.size, &header, sizeof(header));
	sender->out.size += sizeof(header);
	if (size > 0) {
		memcpy(sender->out.bytes + sender->out.size, bytes, size);
		sender->out.size += size;
	}
	if (message != MESSAGE_BATCH || sender->out.size >= SEND_BYTES) {
		flush(sender);
	}
}

/* Wait until the parent asks for more; its end being closed ends this process. */
static void await(struct sender *sender)
{
	char byte = 0;
	ssize_t size = 0;

	do {
		size = recv(sender->fd, &byte, 1, 0);
	} while (size < 0 && errno == EINTR);
	if (size <= 0) {
		leave(sender);
	}
}

/*
 * Runs ahead of the parent until the socket is full: the next batches are read and checked while
 * the parent folds the last ones.
 */
static enum plm_code stream(struct sender *sender, const struct start *start, struct plm_error *err)
{
	struct plm_log_head head = {0};
	struct plm_leaves leaves = {0};
	struct plm_blob blob = {0};
	enum plm_code code = sender->reader->ops->seek(sender->reader, start->from, &head, err);

	PLM_ASSERT(sender->reader != NULL);
	PLM_ASSERT(start->from >= 1);
	if (code == PLM_OK) {
		atomic_store(&start->seat->good, head.seq);
		add(sender, MESSAGE_BEFORE, &head, sizeof(head));
	}
	while (code == PLM_OK) {
		code = sender->reader->ops->next(sender->reader, &blob, err);
		if (code == PLM_E_NOT_FOUND) {
			add(sender, MESSAGE_END, NULL, 0);
			await(sender);
			code = PLM_OK;
			continue;
		}
		if (code == PLM_OK) {
			code = plm_blob_check(plm_slice_of(blob.bytes, blob.size), &head, &leaves,
					      &head, err);
		}
		if (code == PLM_OK) {
			atomic_store(&start->seat->good, head.seq);
			add(sender, MESSAGE_BATCH, blob.bytes, blob.size);
		}
	}
	plm_blob_fini(&blob);
	plm_leaves_fini(&leaves);
	return code;
}

static void child_run(void *ctx, int fd)
{
	const struct start *start = ctx;
	struct sender sender = {.fd = fd};
	struct plm_error err = {0};
	enum plm_code code = plm_lmdb_env_open(start->path, PLM_LMDB_READ, &sender.lmdb, &err);

	if (code == PLM_OK) {
		sender.reader = plm_lmdb_reader_new(&sender.lmdb);
		code = stream(&sender, start, &err);
		flush(&sender);
		close_reader(&sender);
	}
	PLM_ASSERT(code != PLM_OK);
	err.code = code;
	add(&sender, MESSAGE_ERROR, &err, sizeof(err));
	plm_blob_fini(&sender.out);
}

/* ---- the parent ---------------------------------------------------------------------------- */

struct child_reader {
	struct plm_reader reader;
	char *path; /* owned */
	struct plm_guard_child child;
	struct plm_guard_seat *seat; /* owned */
	bool started;
	bool resting;	    /* the child waits to be asked again */
	struct plm_blob in; /* received: 'at' .. 'in.size' is not used yet */
	size_t at;
};

/* At least 'size' unused bytes in 'in'. */
static enum plm_code receive(struct child_reader *self, size_t size, struct plm_error *err)
{
	PLM_ASSERT(self->at <= self->in.size);
	PLM_ASSERT(self->started);
	while (self->in.size - self->at < size) {
		ssize_t got = 0;

		if (self->at > 0) {
			memmove(self->in.bytes, self->in.bytes + self->at,
				self->in.size - self->at);
			self->in.size -= self->at;
			self->at = 0;
		}
		plm_blob_reserve(&self->in, size < RECEIVE_BYTES ? RECEIVE_BYTES : size);
		got = recv(self->child.fd, self->in.bytes + self->in.size,
			   self->in.capacity - self->in.size, 0);
		if (got > 0) {
			self->in.size += (size_t)got;
		} else if (got == 0 || errno != EINTR) {
			return plm_guard_death(&self->child, self->path, err);
		}
	}
	return PLM_OK;
}

/* The next message; '*payload' is borrowed until the next call. */
static enum plm_code next_message(struct child_reader *self, struct header *header,
				  struct plm_slice *payload, struct plm_error *err)
{
	enum plm_code code = receive(self, sizeof(*header), err);

	if (code == PLM_OK) {
		memcpy(header, self->in.bytes + self->at, sizeof(*header));
		code = receive(self, sizeof(*header) + header->size, err);
	}
	if (code == PLM_OK) {
		*payload = plm_slice_of(self->in.bytes + self->at + sizeof(*header), header->size);
		self->at += sizeof(*header) + header->size;
	}
	return code;
}

/* The child knows what, the parent knows where: the path is put before the child's words. */
static enum plm_code read_error(const struct child_reader *self, struct plm_slice payload,
				struct plm_error *err)
{
	struct plm_error theirs;

	PLM_ASSERT(payload.size == sizeof(struct plm_error));
	PLM_ASSERT(payload.size == sizeof(theirs));
	memcpy(&theirs, payload.ptr, sizeof(theirs));
	if (err != NULL) {
		*err = theirs;
	}
	return plm_fail_prefix(err, theirs.code, "%s", self->path);
}

/* The child begins here and not earlier: a cursor that is never used costs nothing. */
static enum plm_code child_seek(struct plm_reader *reader, uint64_t from,
				struct plm_log_head *before, struct plm_error *err)
{
	struct child_reader *self = (struct child_reader *)reader;
	struct start start = {.path = self->path, .from = from};
	struct header header = {0};
	struct plm_slice payload;
	enum plm_code code = PLM_OK;

	PLM_ASSERT(!self->started);
	self->seat = plm_guard_seat_new(err);
	if (self->seat == NULL) {
		return PLM_E_IO;
	}
	start.seat = self->seat;
	code = plm_guard_start(&self->child, child_run, &start, self->seat, err);
	if (code != PLM_OK) {
		return code;
	}
	self->started = true;
	code = next_message(self, &header, &payload, err);
	if (code != PLM_OK) {
		return code;
	}
	if (header.message == MESSAGE_ERROR) {
		return read_error(self, payload, err);
	}
	PLM_ASSERT(header.message == MESSAGE_BEFORE && payload.size == sizeof(*before));
	memcpy(before, payload.ptr, sizeof(*before));
	return PLM_OK;
}

static enum plm_code child_next(struct plm_reader *reader, struct plm_blob *out,
				struct plm_error *err)
{
	struct child_reader *self = (struct child_reader *)reader;
	struct header header = {0};
	struct plm_slice payload;
	enum plm_code code = PLM_OK;

	PLM_ASSERT(self->started);
	if (self->resting) {
		/* A child that died meanwhile is noticed by the answer that does not come. */
		(void)send(self->child.fd, "m", 1, MSG_NOSIGNAL);
		self->resting = false;
	}
	code = next_message(self, &header, &payload, err);
	if (code != PLM_OK) {
		return code;
	}
	switch (header.message) {
	case MESSAGE_BATCH:
		plm_blob_reserve(out, payload.size);
		memcpy(out->bytes, payload.ptr, payload.size);
		out->size = payload.size;
		return PLM_OK;
	case MESSAGE_END:
		self->resting = true;
		return plm_fail(err, PLM_E_NOT_FOUND, "%s: the log ends here", self->path);
	case MESSAGE_ERROR:
		return read_error(self, payload, err);
	case MESSAGE_BEFORE:
		break;
	}
	PLM_UNREACHABLE();
}

static void child_close(struct plm_reader *reader)
{
	struct child_reader *self = (struct child_reader *)reader;

	if (self->started) {
		plm_guard_stop(&self->child);
	}
	plm_guard_seat_free(self->seat);
	plm_blob_fini(&self->in);
	free(self->path);
	free(self);
}

static const struct plm_reader_ops child_reader_ops = {
	.seek = child_seek,
	.next = child_next,
	.close = child_close,
};

struct plm_reader *plm_child_reader_new(const char *path)
{
	struct child_reader *self = calloc(1, sizeof(*self));

	PLM_ASSERT(self != NULL);
	self->reader.ops = &child_reader_ops;
	self->reader.checked = true;
	self->path = strdup(path);
	PLM_ASSERT(self->path != NULL);
	return &self->reader;
}
