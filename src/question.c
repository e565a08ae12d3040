#include "question.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "core/limits.h"

#define EXIT_BUG 70
#define READ_BLOCK ((size_t)256 * 1024)

/* What the child sends first; notes and answer follow. */
struct head {
	enum plm_code code;
	int exit_code;
	struct plm_error err;
	struct plm_call_point point;
	uint64_t notes_size, size;
};

/* ---- in the child ------------------------------------------------------------------------------ */

static void send_all(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size > 0) {
		ssize_t sent = write(fd, at, size);

		if (sent <= 0) {
			_exit(0); /* nobody wants it any more */
		}
		at += sent;
		size -= (size_t)sent;
	}
}

static struct plm_follower_view lend(const struct plm_question *q, struct plm_live *live)
{
	struct plm_follower_view view = plm_follower_view(q->follower);

	if (!q->stream) {
		live->state = view.state;
		live->seq = view.seq;
	}
	return view;
}

static void run_call(const struct plm_question *q, FILE *out, FILE *notes, struct head *head)
{
	struct plm_live live = q->live;
	struct plm_cli *call = q->call;

	(void)lend(q, &live);
	call->live = &live;
	call->out = out;
	call->notes = notes;
	call->point = &head->point;
	head->code = call->command->run(call, &head->err);
	head->exit_code = head->code != PLM_OK ? plm_code_exit(head->code)
			  : call->bug	       ? EXIT_BUG
			  : call->finding      ? 1
					       : 0;
}

/* As it comes; an error is a comment at the end, since the status is out already. */
static void run_stream(const struct plm_question *q, int fd)
{
	FILE *out = fdopen(fd, "w");
	FILE *notes = fopen("/dev/null", "w");
	struct head head = {.code = PLM_OK};

	if (out == NULL || notes == NULL) {
		_exit(1);
	}
	run_call(q, out, notes, &head);
	if (head.code != PLM_OK) {
		(void)fprintf(out, ": error: %s\n\n", head.err.text);
	}
	(void)fflush(out);
}

static void run_whole(const struct plm_question *q, int fd)
{
	char *notes = NULL;
	char *bytes = NULL;
	size_t notes_size = 0;
	size_t size = 0;
	FILE *note_file = open_memstream(&notes, &notes_size);
	FILE *file = open_memstream(&bytes, &size);
	struct head head = {.code = PLM_OK};

	if (note_file == NULL || file == NULL) {
		_exit(1);
	}
	if (q->write != NULL) {
		struct plm_follower_view view = plm_follower_view(q->follower);

		q->write(q->ctx, &view, file);
	} else {
		run_call(q, file, note_file, &head);
	}
	if (fflush(file) != 0 || fflush(note_file) != 0) {
		_exit(1);
	}
	head.notes_size = notes_size;
	head.size = size;
	send_all(fd, &head, sizeof(head));
	send_all(fd, notes, notes_size);
	send_all(fd, bytes, size);
}

static void in_child(void *ctx, int fd)
{
	const struct plm_question *q = ctx;

	if (q->stream) {
		run_stream(q, fd);
	} else {
		run_whole(q, fd);
	}
}

/* ---- beside it --------------------------------------------------------------------------------- */

enum plm_code plm_question_begin(const struct plm_question *question, struct plm_kid *out,
				 struct plm_error *err)
{
	union {
		const struct plm_question *from;
		void *to;
	} ctx = {.from = question};
	const struct plm_kid_task task = {
		.run = in_child,
		.ctx = ctx.to,
		.freeze = plm_follower_freeze,
		.thaw = plm_follower_thaw,
		.self = question->follower,
	};

	return plm_kid_start(&task, out, err);
}

static enum plm_code read_all(struct plm_kid *kid, void *bytes, size_t size, int64_t due_ms,
			      struct plm_error *err)
{
	char *at = bytes;

	while (size > 0) {
		size_t got = 0;
		size_t want = size < READ_BLOCK ? size : READ_BLOCK;
		enum plm_code code =
			plm_kid_read(kid, at, want, due_ms - plm_clock_boot_ms(), &got, err);

		if (code == PLM_OK && got == 0) {
			code = plm_fail(err, PLM_E_IO,
					"the process that worked on it died; nothing else did");
		}
		if (code != PLM_OK) {
			return code;
		}
		at += got;
		size -= got;
	}
	return PLM_OK;
}

static enum plm_code read_part(struct plm_kid *kid, uint64_t size, int64_t due_ms, char **out,
			       struct plm_error *err)
{
	if (size > PLM_LIMIT_WEB_ANSWER_BYTES) {
		return plm_fail(err, PLM_E_LIMIT,
				"an answer of %llu bytes is too large: ask for a part of it",
				(unsigned long long)size);
	}
	*out = malloc(size + 1);
	if (*out == NULL) {
		return plm_fail(err, PLM_E_AGAIN, "no memory for the answer now");
	}
	return read_all(kid, *out, size, due_ms, err);
}

static enum plm_code read_reply(struct plm_kid *kid, struct plm_reply *out, struct plm_error *err)
{
	int64_t due_ms = plm_clock_boot_ms() + PLM_LIMIT_WEB_WORK_MS;
	struct head head = {.code = PLM_OK};
	enum plm_code code = read_all(kid, &head, sizeof(head), due_ms, err);

	if (code == PLM_OK) {
		code = read_part(kid, head.notes_size, due_ms, &out->notes, err);
	}
	if (code == PLM_OK) {
		code = read_part(kid, head.size, due_ms, &out->bytes, err);
	}
	if (code == PLM_OK) {
		out->code = head.code;
		out->exit_code = head.exit_code;
		out->err = head.err;
		out->point = head.point;
		out->notes_size = head.notes_size;
		out->size = head.size;
	}
	return code;
}

enum plm_code plm_question_ask(const struct plm_question *question, struct plm_reply *out,
			       struct plm_error *err)
{
	struct plm_kid kid = {.fd = -1};
	enum plm_code code = plm_question_begin(question, &kid, err);

	*out = (struct plm_reply){.code = PLM_OK};
	if (code == PLM_OK) {
		code = read_reply(&kid, out, err);
	}
	plm_kid_stop(&kid);
	if (code != PLM_OK) {
		plm_reply_free(out);
	}
	return code;
}

void plm_reply_free(struct plm_reply *reply)
{
	free(reply->notes);
	free(reply->bytes);
	*reply = (struct plm_reply){.code = PLM_OK};
}
