#include "tools/input.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "codec/codec.h"
#include "tools/round.h"

#define NS_PER_MS 1000000ULL

/* ---- opening ----------------------------------------------------------------------------------- */

static enum plm_code open_log(struct plm_cli *call, struct plm_input *out, struct plm_error *err)
{
	const char *path = plm_cli_text(call, PLM_FLAG_LOG, "");
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

enum plm_code plm_input_open(struct plm_cli *call, struct plm_input *out, struct plm_error *err)
{
	bool log = plm_cli_has(call, PLM_FLAG_LOG);
	bool files = plm_cli_has(call, PLM_FLAG_FILENAME);
	bool takes_files = plm_command_flag(call->command, "filename", 8) != PLM_FLAG_NONE;
	enum plm_code code = PLM_OK;

	*out = (struct plm_input){0};
	if (log && files) {
		return plm_fail(err, PLM_E_USAGE, "one source: either -L or -f");
	}
	if (!log && !files) {
		return plm_fail(err, PLM_E_USAGE, "no source: add -L PATH (a log)%s",
				takes_files ? " or -f FILE (manifests)" : "");
	}
	code = log ? open_log(call, out, err) : open_round(call, out, err);
	if (code != PLM_OK) {
		plm_input_close(out);
	}
	return code;
}

void plm_input_close(struct plm_input *source)
{
	if (source == NULL) {
		return;
	}
	if (source->round != NULL) {
		plm_round_close(source->round);
	} else {
		plm_log_close(source->log);
	}
	*source = (struct plm_input){0};
}

/* ---- events by number -------------------------------------------------------------------------- */

static enum plm_code envelope_at(const struct plm_input *source, uint64_t seq,
				 struct plm_envelope *out, struct plm_error *err)
{
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record = {0};
	enum plm_code code = plm_log_cursor_open(source->log, seq, &cursor, err);

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

static uint64_t first_of(const struct plm_input *source)
{
	return plm_log_first(source->log);
}

enum plm_code plm_input_time(const struct plm_input *source, uint64_t seq, int64_t *out_ms,
			     struct plm_error *err)
{
	struct plm_envelope envelope = {0};
	uint64_t first = first_of(source);
	enum plm_code code = PLM_OK;

	if (plm_log_head(source->log).seq == 0) {
		return plm_fail(err, PLM_E_NOT_FOUND, "%s: the log is empty", source->name);
	}
	code = envelope_at(source, seq < first ? first : seq, &envelope, err);
	if (code == PLM_OK) {
		*out_ms = (int64_t)(envelope.wall_ns / NS_PER_MS);
	}
	return code;
}

static enum plm_code outside(const struct plm_input *source, const char *what,
			     struct plm_error *err)
{
	return plm_fail(err, PLM_E_NOT_FOUND,
			"%s: %s is outside of the log, which holds events %" PRIu64 " to %" PRIu64,
			source->name, what, first_of(source), plm_log_head(source->log).seq);
}

/*
 * The last event whose time is not above 'ms' (or, with 'before', below it). Times never decrease, so
 * halving the range finds it with few reads.
 */
static enum plm_code seq_of_time(const struct plm_input *source, int64_t ms, bool before,
				 uint64_t *out, struct plm_error *err)
{
	uint64_t low = first_of(source) - 1; /* everything up to it is early enough */
	uint64_t high = plm_log_head(source->log).seq;

	while (low < high) {
		uint64_t middle = low + (high - low + 1) / 2;
		int64_t at = 0;
		enum plm_code code = plm_input_time(source, middle, &at, err);

		if (code != PLM_OK) {
			return code;
		}
		if (before ? at < ms : at <= ms) {
			low = middle;
		} else {
			high = middle - 1;
		}
	}
	if (low == first_of(source) - 1 && !before) {
		return outside(source, "that time", err);
	}
	*out = low;
	return PLM_OK;
}

/* The newest MARK called 'name'. */
static enum plm_code seq_of_mark(const struct plm_input *source, struct plm_slice name,
				 uint64_t *out, struct plm_error *err)
{
	struct plm_reader *reader = NULL;
	struct plm_logged event = {0};
	uint64_t found = 0;
	enum plm_code code = plm_reader_open(source->log, first_of(source), &reader, err);

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
		return plm_fail(err, PLM_E_NOT_FOUND, "%s: no mark is called '%.*s'", source->name,
				(int)name.size, (const char *)name.ptr);
	}
	*out = found;
	return PLM_OK;
}

static enum plm_code seq_of_number(const struct plm_input *source, const struct plm_point *point,
				   uint64_t *out, struct plm_error *err)
{
	uint64_t head = plm_log_head(source->log).seq;
	uint64_t none = first_of(source) - 1;
	char what[48];

	if (point->kind == PLM_POINT_HEAD) {
		(void)snprintf(what, sizeof(what), "HEAD~%" PRIu64, point->number);
		if (point->number > head - none) {
			return outside(source, what, err);
		}
		*out = head - point->number;
		return PLM_OK;
	}
	(void)snprintf(what, sizeof(what), "event %" PRIu64, point->number);
	if (point->number > head || point->number < none) {
		return outside(source, what, err);
	}
	*out = point->number;
	return PLM_OK;
}

/* One event back for --before; nothing lies before the start. */
static enum plm_code step_back(const struct plm_input *source, uint64_t seq, uint64_t *out,
			       struct plm_error *err)
{
	if (seq < first_of(source)) {
		return outside(source, "the point before the first event", err);
	}
	*out = seq - 1;
	return PLM_OK;
}

enum plm_code plm_input_resolve(const struct plm_input *source, const struct plm_point *point,
				bool before, uint64_t *out, struct plm_error *err)
{
	uint64_t seq = first_of(source) - 1;
	int64_t end_ms = 0;
	enum plm_code code = PLM_OK;

	switch (point->kind) {
	case PLM_POINT_START:
		break;
	case PLM_POINT_SEQ:
	case PLM_POINT_HEAD:
		code = seq_of_number(source, point, &seq, err);
		break;
	case PLM_POINT_MARK:
		code = seq_of_mark(source, point->mark, &seq, err);
		break;
	case PLM_POINT_TIME:
		return seq_of_time(source, point->time_ms, before, out, err);
	case PLM_POINT_FROM_END:
		code = plm_input_time(source, plm_log_head(source->log).seq, &end_ms, err);
		return code != PLM_OK
			       ? code
			       : seq_of_time(source, end_ms - point->time_ms, before, out, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	if (before) {
		return step_back(source, seq, out, err);
	}
	*out = seq;
	return PLM_OK;
}

enum plm_code plm_input_at(const struct plm_cli *call, const struct plm_input *source,
			   uint64_t *out, struct plm_error *err)
{
	bool before = plm_cli_has(call, PLM_FLAG_BEFORE);
	struct plm_point point = {0};
	enum plm_code code = PLM_OK;

	if (before && plm_cli_has(call, PLM_FLAG_AT)) {
		return plm_fail(err, PLM_E_USAGE, "one point: either --at or --before");
	}
	code = plm_point_parse(
		plm_slice_str(plm_cli_text(call, before ? PLM_FLAG_BEFORE : PLM_FLAG_AT, "HEAD")),
		&point, err);
	return code != PLM_OK ? code : plm_input_resolve(source, &point, before, out, err);
}

enum plm_code plm_input_range(const struct plm_input *source, const char *text,
			      struct plm_seq_range *out, struct plm_error *err)
{
	struct plm_point from = {0};
	struct plm_point to = {0};
	struct plm_seq_range range = {0};
	bool is_range = false;
	enum plm_code code = plm_range_parse(plm_slice_str(text != NULL ? text : ".."), &from, &to,
					     &is_range, err);

	if (code == PLM_OK) {
		code = plm_input_resolve(source, &to, false, &range.to, err);
	}
	if (code == PLM_OK && is_range) {
		code = plm_input_resolve(source, &from, false, &range.after, err);
	} else if (code == PLM_OK) {
		code = step_back(source, range.to, &range.after, err);
	}
	if (code == PLM_OK && range.after > range.to) {
		return plm_fail(err, PLM_E_USAGE, "'%s' ends before it begins", text);
	}
	if (code == PLM_OK) {
		*out = range;
	}
	return code;
}

/* ---- state ------------------------------------------------------------------------------------- */

enum plm_code plm_input_fold(const struct plm_input *source, uint64_t seq, struct plm_state *st,
			     struct plm_fold_report *report, struct plm_error *err)
{
	struct plm_fold_options options = {.snapshots = source->snapshots, .to = seq};
	enum plm_code code = plm_state_init(st, PLM_PROFILE_SMALL, err);

	*report = (struct plm_fold_report){0};
	if (code != PLM_OK || seq == 0) {
		return code;
	}
	if (first_of(source) != 1) {
		return plm_fail(err, PLM_E_INCOMPLETE,
				"%s: it is a part of a log that begins at event %" PRIu64
				"; a state needs all events from the first",
				source->name, first_of(source));
	}
	return plm_fold(source->log, &options, st, report, err);
}
