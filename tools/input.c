#include "tools/input.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "codec/codec.h"
#include "codec/upcast.h"
#include "tools/live.h"
#include "tools/round.h"
#include "tools/term.h"

#define NS_PER_MS 1000000ULL
/* Records looked at first for the beginning of a payload in PARTs, and how that grows. */
#define BACK_RECORDS 8U
#define BACK_GROWTH 16U

/* ---- opening ----------------------------------------------------------------------------------- */

static enum plm_code open_log(struct plm_cli *call, const char *path, struct plm_input *out,
			      struct plm_error *err)
{
	struct stat info = {0};
	enum plm_code code = PLM_OK;

	out->name = path;
	if (stat(path, &info) != 0) {
		return plm_fail(err, PLM_E_UNREACHABLE, "%s: no such log", path);
	}
	code = plm_log_open(path, PLM_LOG_READ, &out->log, err);
	if (code == PLM_E_NOT_FOUND) {
		return plm_fail(err, PLM_E_UNREACHABLE, "%s: no log is there", path);
	}
	if (code == PLM_OK && S_ISDIR(info.st_mode)) {
		out->snapshots = (const char *)plm_arena_format(call->arena, "%s", path).ptr;
	}
	return code;
}

static enum plm_code open_round(struct plm_cli *call, struct plm_input *out, struct plm_error *err)
{
	enum plm_code code = plm_round_open(call, &out->round, err);

	out->name = "the manifests";
	if (code == PLM_OK) {
		out->log = plm_round_log(out->round);
	}
	return code;
}

static enum plm_code open_source(struct plm_cli *call, struct plm_input *out, struct plm_error *err)
{
	const struct plm_live *source = call->live;
	enum plm_code code = open_log(call, source->folder, out, err);

	if (code != PLM_OK) {
		plm_input_close(out);
		return code;
	}
	out->name = "the daemon's log";
	if (source->seq != 0 && source->seq <= plm_log_head(out->log).seq) {
		out->pinned = source->seq;
		out->ready = source->state;
	}
	return PLM_OK;
}

enum plm_code plm_input_open(struct plm_cli *call, struct plm_input *out, struct plm_error *err)
{
	bool log = plm_cli_has(call, PLM_FLAG_LOG);
	bool files = plm_cli_has(call, PLM_FLAG_FILENAME);
	bool takes_files = plm_command_flag(call->command, "filename", 8) != PLM_FLAG_NONE;
	enum plm_code code = PLM_OK;

	*out = (struct plm_input){0};
	if (call->live != NULL) {
		return open_source(call, out, err);
	}
	if (log && files) {
		return plm_fail(err, PLM_E_USAGE, "one source: either -L or -f");
	}
	if (!log && !files) {
		return plm_fail(err, PLM_E_USAGE,
				"no source: add --server URL (a daemon), -L PATH (a log)%s",
				takes_files ? " or -f FILE (manifests)" : "");
	}
	code = log ? open_log(call, plm_cli_text(call, PLM_FLAG_LOG, ""), out, err)
		   : open_round(call, out, err);
	if (code != PLM_OK) {
		plm_input_close(out);
	}
	return code;
}

void plm_input_close(struct plm_input *input)
{
	if (input == NULL) {
		return;
	}
	if (input->round != NULL) {
		plm_round_close(input->round);
	} else {
		plm_log_close(input->log);
	}
	*input = (struct plm_input){0};
}

/* ---- events by number -------------------------------------------------------------------------- */

static enum plm_code envelope_at(const struct plm_input *input, uint64_t seq,
				 struct plm_envelope *out, struct plm_error *err)
{
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record = {0};
	enum plm_code code = plm_log_cursor_open(input->log, seq, &cursor, err);

	if (code == PLM_OK) {
		code = plm_log_cursor_next(cursor, &record, err);
	}
	if (code == PLM_OK) {
		code = plm_envelope_decode(record.bytes, out, err);
		out->pos = (struct plm_slice){0}; /* they borrow the cursor's memory */
		out->payload = (struct plm_slice){0};
	}
	plm_log_cursor_close(cursor);
	return code;
}

uint64_t plm_input_head(const struct plm_input *input)
{
	return input->pinned != 0 ? input->pinned : plm_log_head(input->log).seq;
}

static uint64_t first_of(const struct plm_input *input)
{
	return plm_log_first(input->log);
}

enum plm_code plm_input_time(const struct plm_input *input, uint64_t seq, int64_t *out_ms,
			     struct plm_error *err)
{
	struct plm_envelope envelope = {0};
	uint64_t first = first_of(input);
	enum plm_code code = PLM_OK;

	if (plm_input_head(input) == 0) {
		return plm_fail(err, PLM_E_NOT_FOUND, "%s: the log is empty", input->name);
	}
	code = envelope_at(input, seq < first ? first : seq, &envelope, err);
	if (code == PLM_OK) {
		*out_ms = (int64_t)(envelope.wall_ns / NS_PER_MS);
	}
	return code;
}

static enum plm_code outside(const struct plm_input *input, const char *what, struct plm_error *err)
{
	return plm_fail(err, PLM_E_NOT_FOUND,
			"%s: %s is outside of the log, which holds events %" PRIu64 " to %" PRIu64,
			input->name, what, first_of(input), plm_input_head(input));
}

/*
 * The last event whose time is not above 'ms' (or, with 'before', below it). Times never decrease, so
 * halving the range finds it with few reads.
 */
static enum plm_code seq_of_time(const struct plm_input *input, int64_t ms, bool before,
				 uint64_t *out, struct plm_error *err)
{
	uint64_t low = first_of(input) - 1; /* everything up to it is early enough */
	uint64_t high = plm_input_head(input);

	while (low < high) {
		uint64_t middle = low + (high - low + 1) / 2;
		int64_t at = 0;
		enum plm_code code = plm_input_time(input, middle, &at, err);

		if (code != PLM_OK) {
			return code;
		}
		if (before ? at < ms : at <= ms) {
			low = middle;
		} else {
			high = middle - 1;
		}
	}
	if (low == first_of(input) - 1 && !before) {
		return outside(input, "that time", err);
	}
	*out = low;
	return PLM_OK;
}

/* The newest MARK called 'name'. */
static enum plm_code seq_of_mark(const struct plm_input *input, struct plm_slice name,
				 uint64_t *out, struct plm_error *err)
{
	struct plm_reader *reader = NULL;
	struct plm_logged event = {0};
	uint64_t found = 0;
	enum plm_code code = plm_reader_open(input->log, first_of(input), &reader, err);

	while (code == PLM_OK) {
		code = plm_reader_next(reader, &event, err);
		if (code == PLM_OK && event.envelope.type == PLM_EV_MARK) {
			const struct plm_w_mark *mark = event.payload;

			found = plm_slice_equal(mark->name, name) ? event.envelope.seq : found;
		}
	}
	plm_reader_close(reader);
	if (code != PLM_E_NOT_FOUND) {
		return code;
	}
	if (found == 0) {
		return plm_fail(err, PLM_E_NOT_FOUND, "%s: no mark is called '%.*s'", input->name,
				(int)name.size, (const char *)name.ptr);
	}
	*out = found;
	return PLM_OK;
}

static enum plm_code seq_of_number(const struct plm_input *input, const struct plm_point *point,
				   uint64_t *out, struct plm_error *err)
{
	uint64_t head = plm_input_head(input);
	uint64_t none = first_of(input) - 1;
	char what[48];

	if (point->kind == PLM_POINT_HEAD) {
		(void)snprintf(what, sizeof(what), "HEAD~%" PRIu64, point->number);
		if (point->number > head - none) {
			return outside(input, what, err);
		}
		*out = head - point->number;
		return PLM_OK;
	}
	(void)snprintf(what, sizeof(what), "event %" PRIu64, point->number);
	if (point->number > head || point->number < none) {
		return outside(input, what, err);
	}
	*out = point->number;
	return PLM_OK;
}

/* One event back for --before; nothing lies before the start. */
static enum plm_code step_back(const struct plm_input *input, uint64_t seq, uint64_t *out,
			       struct plm_error *err)
{
	if (seq < first_of(input)) {
		return outside(input, "the point before the first event", err);
	}
	*out = seq - 1;
	return PLM_OK;
}

enum plm_code plm_input_resolve(const struct plm_input *input, const struct plm_point *point,
				bool before, uint64_t *out, struct plm_error *err)
{
	uint64_t seq = first_of(input) - 1;
	int64_t end_ms = 0;
	enum plm_code code = PLM_OK;

	switch (point->kind) {
	case PLM_POINT_START:
		break;
	case PLM_POINT_SEQ:
	case PLM_POINT_HEAD:
		code = seq_of_number(input, point, &seq, err);
		break;
	case PLM_POINT_MARK:
		code = seq_of_mark(input, point->mark, &seq, err);
		break;
	case PLM_POINT_TIME:
		return seq_of_time(input, point->time_ms, before, out, err);
	case PLM_POINT_FROM_END:
		code = plm_input_time(input, plm_input_head(input), &end_ms, err);
		return code != PLM_OK
			       ? code
			       : seq_of_time(input, end_ms - point->time_ms, before, out, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	if (before) {
		return step_back(input, seq, out, err);
	}
	*out = seq;
	return PLM_OK;
}

enum plm_code plm_input_at(const struct plm_cli *call, const struct plm_input *input, uint64_t *out,
			   int64_t *out_ms, struct plm_error *err)
{
	bool before = plm_cli_has(call, PLM_FLAG_BEFORE);
	struct plm_point point = {0};
	int64_t end_ms = 0;
	enum plm_code code = PLM_OK;

	if (before && plm_cli_has(call, PLM_FLAG_AT)) {
		return plm_fail(err, PLM_E_USAGE, "one point: either --at or --before");
	}
	code = plm_point_parse(
		plm_slice_str(plm_cli_text(call, before ? PLM_FLAG_BEFORE : PLM_FLAG_AT, "HEAD")),
		&point, err);
	if (code == PLM_OK && point.kind == PLM_POINT_FROM_END) {
		code = plm_input_time(input, plm_input_head(input), &end_ms, err);
		point = (struct plm_point){.kind = PLM_POINT_TIME,
					   .time_ms = end_ms - point.time_ms};
	}
	if (code == PLM_OK) {
		code = plm_input_resolve(input, &point, before, out, err);
	}
	if (code == PLM_OK) {
		*out_ms = point.kind == PLM_POINT_TIME ? point.time_ms : PLM_UNSET;
	}
	return code;
}

enum plm_code plm_input_range(const struct plm_input *input, const char *text,
			      struct plm_seq_range *out, struct plm_error *err)
{
	struct plm_point from = {0};
	struct plm_point to = {0};
	struct plm_seq_range range = {0};
	bool is_range = false;
	enum plm_code code = plm_range_parse(plm_slice_str(text != NULL ? text : ".."), &from, &to,
					     &is_range, err);

	if (code == PLM_OK) {
		code = plm_input_resolve(input, &to, false, &range.to, err);
	}
	if (code == PLM_OK && is_range) {
		code = plm_input_resolve(input, &from, false, &range.after, err);
	} else if (code == PLM_OK) {
		code = step_back(input, range.to, &range.after, err);
	}
	if (code == PLM_OK && range.after > range.to) {
		return plm_fail(err, PLM_E_USAGE, "'%s' ends before it begins", text);
	}
	if (code == PLM_OK) {
		*out = range;
	}
	return code;
}

/* ---- events ------------------------------------------------------------------------------------ */

/* The last record before 'from' that is no PART, looked for from 'low' on; 'low' - 1 when none is. */
static enum plm_code last_whole(const struct plm_input *input, uint64_t low, uint64_t from,
				uint64_t *out, struct plm_error *err)
{
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record = {0};
	struct plm_envelope envelope = {0};
	uint64_t found = low - 1;
	enum plm_code code = plm_log_cursor_open(input->log, low, &cursor, err);

	for (uint64_t seq = low; code == PLM_OK && seq < from; seq++) {
		code = plm_log_cursor_next(cursor, &record, err);
		if (code == PLM_OK) {
			code = plm_envelope_decode(record.bytes, &envelope, err);
		}
		if (code == PLM_OK && envelope.type != PLM_EV_PART) {
			found = seq;
		}
	}
	plm_log_cursor_close(cursor);
	*out = found;
	return code;
}

enum plm_code plm_input_reader(const struct plm_input *input, uint64_t from,
			       struct plm_reader **out, struct plm_error *err)
{
	uint64_t first = first_of(input);
	uint64_t back = BACK_RECORDS;
	uint64_t whole = from - 1;
	enum plm_code code = PLM_OK;

	while (from > first) {
		uint64_t low = from - first > back ? from - back : first;

		code = last_whole(input, low, from, &whole, err);
		if (code != PLM_OK) {
			return code;
		}
		if (whole >= low || low == first) {
			break;
		}
		back *= BACK_GROWTH;
	}
	return plm_reader_open(input->log, whole + 1, out, err);
}

enum plm_code plm_event_keep(const struct plm_logged *event, struct plm_arena *arena,
			     struct plm_logged *out, struct plm_error *err)
{
	struct plm_payload payload;
	enum plm_code code = PLM_OK;

	*out = *event;
	out->envelope.payload = plm_arena_copy(arena, event->envelope.payload);
	out->envelope.pos = plm_arena_copy(arena, event->envelope.pos);
	code = plm_payload_lift(plm_upcasters(), &out->envelope, arena, &payload, err);
	if (code == PLM_OK) {
		out->payload = payload.value;
		out->object_hash = payload.hash;
		out->projection = payload.projection;
	}
	return code;
}

enum plm_code plm_input_event(const struct plm_input *input, uint64_t seq, struct plm_arena *arena,
			      struct plm_logged *out, struct plm_error *err)
{
	struct plm_reader *reader = NULL;
	struct plm_logged event = {0};
	enum plm_code code = plm_input_reader(input, seq, &reader, err);

	while (code == PLM_OK && event.envelope.seq < seq) {
		code = plm_reader_next(reader, &event, err);
	}
	if (code == PLM_OK) {
		code = plm_event_keep(&event, arena, out, err);
	}
	plm_reader_close(reader);
	return code;
}

/* ---- state ------------------------------------------------------------------------------------- */

struct fold_watch {
	struct plm_progress progress;
	uint64_t to;
};

static void on_fold(void *ctx, uint64_t seq)
{
	struct fold_watch *watch = ctx;

	plm_progress_tick(&watch->progress, seq, watch->to);
}

enum plm_code plm_input_fold(struct plm_input *input, uint64_t seq, struct plm_state *st,
			     struct plm_fold_report *report, struct plm_error *err)
{
	struct fold_watch watch = {.to = seq};
	struct plm_fold_options options = {
		.snapshots = input->snapshots, .to = seq, .progress = on_fold, .ctx = &watch};
	enum plm_code code = PLM_OK;

	*report = (struct plm_fold_report){0};
	if (input->ready != NULL && seq == input->pinned) {
		*st = *input->ready;
		*input->ready = (struct plm_state){0};
		input->ready = NULL;
		return PLM_OK;
	}
	code = plm_state_init(st, PLM_PROFILE_SMALL, err);
	if (code != PLM_OK || seq == 0) {
		return code;
	}
	if (first_of(input) != 1) {
		return plm_fail(err, PLM_E_INCOMPLETE,
				"%s: it is a part of a log that begins at event %" PRIu64
				"; a state needs all events from the first",
				input->name, first_of(input));
	}
	plm_progress_begin(&watch.progress, "folding event");
	code = plm_fold(input->log, &options, st, report, err);
	plm_progress_end(&watch.progress);
	return code;
}
