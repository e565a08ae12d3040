/* Events of a log, decoded: log show, log tail. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/events.h"
#include "tools/input.h"
#include "tools/print.h"
#include "tools/verbs.h"

#define TAIL_DEFAULT 10
#define TAIL_WAIT_US 100000
/* A comment in a stream that has nothing to say: every 15 s, so that nobody in between gives it up. */
#define HEARTBEAT_WAITS 150U
/* A table is printed in runs of this many rows, so that a long log does not have to be kept. */
#define RUN_ROWS 500U

/* How the events of one call are chosen and printed. */
struct show {
	struct plm_cli *call;
	struct plm_event_filter filter;
	struct plm_arena arena; /* owned: one event, or one run of rows */
	struct plm_grid grid;
	struct plm_json *items; /* json, yaml: all of them, in call->arena */
	bool rows;		/* a table */
	bool headed;		/* its header line is out */
	bool stream;		/* Server-Sent Events */
	size_t run;
	uint64_t limit, shown; /* 0 = no limit */
	uint64_t to;	       /* end of the range */
	uint64_t last;	       /* of the events that passed */
	bool more;	       /* one more passed behind the limit */
};

static enum plm_code show_begin(struct show *show, struct plm_cli *call, struct plm_error *err)
{
	const char *format = plm_cli_format(call);
	enum plm_code code = plm_arena_init(&show->arena, (size_t)16 * 1024 * 1024 * 1024, err);

	show->call = call;
	show->rows = plm_choice_has("table|wide", format);
	show->stream = strcmp(format, "sse") == 0;
	if (plm_choice_has("json|yaml", format)) {
		show->items = plm_json_list(call->arena);
	}
	plm_event_grid(&show->grid, &show->arena);
	return code == PLM_OK ? plm_event_filter_parse(call, &show->filter, err) : code;
}

static void flush_rows(struct show *show)
{
	struct plm_grid_style style = {
		.wide = strcmp(plm_cli_format(show->call), "wide") == 0,
		.no_headers = show->headed || plm_cli_has(show->call, PLM_FLAG_NO_HEADERS),
	};

	if (show->rows && (show->run > 0 || !show->headed)) {
		plm_grid_print(show->call->out, &show->grid, &style);
		show->headed = true;
	}
	show->run = 0;
	plm_arena_reset(&show->arena);
	plm_event_grid(&show->grid, &show->arena);
}

static void show_event(struct show *show, const struct plm_logged *event)
{
	if (!plm_event_passes(&show->filter, event)) {
		return;
	}
	if (show->limit != 0 && show->shown == show->limit) {
		show->more = true;
		return;
	}
	show->shown++;
	show->last = event->envelope.seq;
	if (show->items != NULL) {
		plm_json_add(show->items, plm_event_tree(show->call->arena, event));
	} else if (show->rows) {
		plm_event_row(&show->grid, event);
		show->run++;
		if (show->run == RUN_ROWS) {
			flush_rows(show);
		}
	} else {
		if (show->stream) {
			(void)fprintf(show->call->out,
				      "id: %" PRIu64 "\nevent: %s\ndata: ", event->envelope.seq,
				      event->info->name);
		}
		plm_json_write(show->call->out, plm_event_tree(&show->arena, event), PLM_JSON_LINE);
		(void)fputs(show->stream ? "\n" : "", show->call->out);
		plm_arena_reset(&show->arena);
	}
}

static void show_end(struct show *show)
{
	struct plm_json *doc = NULL;

	if (show->items != NULL) {
		doc = plm_json_document(show->call->arena, "EventList");
		plm_json_put(doc, "items", show->items);
		if (show->more) {
			plm_json_put_text(doc, "continue",
					  plm_arena_format(show->call->arena,
							   "%" PRIu64 "..%" PRIu64, show->last,
							   show->to));
		}
		plm_print_document(show->call, doc);
	} else {
		flush_rows(show);
	}
	plm_arena_fini(&show->arena);
}

static enum plm_code show_range(struct show *show, struct plm_input *input,
				const struct plm_seq_range *range, struct plm_error *err)
{
	struct plm_reader *reader = NULL;
	struct plm_logged event = {0};
	enum plm_code code = plm_input_reader(input, range->after + 1, &reader, err);

	show->to = range->to;
	while (code == PLM_OK && ferror(show->call->out) == 0 && !show->more) {
		code = plm_reader_next(reader, &event, err);
		if (code == PLM_OK && event.envelope.seq > range->to) {
			break;
		}
		if (code == PLM_OK) {
			show_event(show, &event);
		}
	}
	plm_reader_close(reader);
	return code == PLM_E_NOT_FOUND ? PLM_OK : code;
}

/* One event is an object of its own, not a list of one. */
static enum plm_code show_one(struct plm_cli *call, struct plm_input *input, uint64_t seq,
			      struct plm_error *err)
{
	struct plm_logged event = {0};
	struct plm_json *doc = plm_json_document(call->arena, "Event");
	struct plm_json *tree = NULL;
	enum plm_code code = plm_input_event(input, seq, call->arena, &event, err);

	if (code != PLM_OK) {
		return code;
	}
	tree = plm_event_tree(call->arena, &event);
	for (size_t i = 0; i < tree->count; i++) {
		plm_json_put_key(doc, tree->keys[i], tree->items[i]);
	}
	plm_print_document(call, doc);
	return PLM_OK;
}

enum plm_code plm_cmd_log_show(struct plm_cli *call, struct plm_error *err)
{
	struct show show = {0};
	struct plm_input input = {0};
	struct plm_seq_range range = {0};
	const char *whole = call->operand_count > 0 ? call->operands[0] : NULL;
	const char *text = plm_cli_text(call, PLM_FLAG_CONTINUE, whole);
	bool one = text != NULL && strstr(text, "..") == NULL;
	enum plm_code code = plm_input_open(call, &input, err);

	if (code == PLM_OK) {
		code = plm_input_range(&input, text, &range, err);
	}
	if (code == PLM_OK && one && plm_choice_has("json|yaml", plm_cli_format(call))) {
		code = show_one(call, &input, range.to, err);
		plm_input_close(&input);
		return code;
	}
	if (code == PLM_OK) {
		code = show_begin(&show, call, err);
		show.limit = (uint64_t)plm_cli_number(call, PLM_FLAG_LIMIT, 0);
	}
	if (code == PLM_OK) {
		code = show_range(&show, &input, &range, err);
		show_end(&show);
	}
	plm_input_close(&input);
	return code;
}

/* ---- tail -------------------------------------------------------------------------------------- */

/*
 * Follow 'input' from 'from' on. The cursor sees what is committed later; the loop ends when the reader
 * of the output is gone, by a signal, or by --timeout.
 */
static enum plm_code follow(struct show *show, struct plm_input *input, uint64_t from,
			    struct plm_error *err)
{
	struct plm_reader *reader = NULL;
	struct plm_logged event = {0};
	uint32_t idle = 0;
	enum plm_code code = plm_input_reader(input, from, &reader, err);

	while (code == PLM_OK && ferror(show->call->out) == 0) {
		code = plm_reader_next(reader, &event, err);
		if (code == PLM_OK) {
			show_event(show, &event);
			idle = 0;
			continue;
		}
		if (code == PLM_E_NOT_FOUND) {
			flush_rows(show);
			idle++;
			if (show->stream && idle % HEARTBEAT_WAITS == 0) {
				(void)fputs(": still here\n\n", show->call->out);
			}
			(void)fflush(show->call->out);
			(void)usleep(TAIL_WAIT_US);
			code = PLM_OK;
		}
	}
	plm_reader_close(reader);
	return code;
}

/* --from in place of a number of events. */
static enum plm_code begin_at(const struct plm_cli *call, const struct plm_input *input,
			      struct plm_seq_range *range, struct plm_error *err)
{
	struct plm_point point = {0};
	enum plm_code code = PLM_OK;

	if (!plm_cli_has(call, PLM_FLAG_FROM)) {
		return PLM_OK;
	}
	code = plm_point_parse(plm_slice_str(plm_cli_text(call, PLM_FLAG_FROM, "")), &point, err);
	return code == PLM_OK ? plm_input_resolve(input, &point, false, &range->after, err) : code;
}

enum plm_code plm_cmd_log_tail(struct plm_cli *call, struct plm_error *err)
{
	struct show show = {0};
	struct plm_input input = {0};
	struct plm_seq_range range = {0};
	uint64_t lines = (uint64_t)plm_cli_number(call, PLM_FLAG_LINES, TAIL_DEFAULT);
	enum plm_code code = plm_input_open(call, &input, err);

	if (code == PLM_OK) {
		code = plm_input_range(&input, NULL, &range, err);
	}
	if (code == PLM_OK) {
		code = show_begin(&show, call, err);
	}
	if (code == PLM_OK) {
		range.after = range.to - range.after > lines ? range.to - lines : range.after;
		code = begin_at(call, &input, &range, err);
	}
	if (code == PLM_OK) {
		code = plm_cli_has(call, PLM_FLAG_FOLLOW)
			       ? follow(&show, &input, range.after + 1, err)
			       : show_range(&show, &input, &range, err);
		show_end(&show);
	}
	plm_input_close(&input);
	return code;
}
