/* timeline: events about an object and its relatives. */
#include <inttypes.h>

#include "tools/events.h"
#include "tools/print.h"
#include "tools/spell.h"
#include "tools/timeline.h"
#include "tools/verbs.h"

#define NS_PER_MS 1000000ULL

static const struct plm_column columns[] = {
	{"SEQ", true, false},  {"TIME", false, false},	 {"+DELTA", true, false},
	{"WHO", false, false}, {"WHAT", false, false},	 {"OBJECT", false, false},
	{"CAUSE", true, true}, {"DETAIL", false, false},
};

/* Who made it happen: the source, or for the engine's own the area that decided. */
static const char *who(const struct plm_logged *event)
{
	static const struct {
		uint16_t type;
		const char *who;
	} areas[] = {
		{PLM_EV_RESERVE, "queue"},   {PLM_EV_ADMIT, "queue"},	  {PLM_EV_PEND, "queue"},
		{PLM_EV_EVICT, "queue"},     {PLM_EV_RELEASE, "queue"},	  {PLM_EV_HOLD, "queue"},
		{PLM_EV_PLACES, "nodes"},    {PLM_EV_NOMINATE, "nodes"},  {PLM_EV_CLAIM, "nodes"},
		{PLM_EV_CLAIM_END, "nodes"}, {PLM_EV_EXPLAINED, "nodes"}, {PLM_EV_DISRUPT, "nodes"},
		{PLM_EV_BLOCKED, "nodes"},
	};

	for (size_t i = 0; i < PLM_COUNTOF(areas); i++) {
		if (areas[i].type == event->envelope.type) {
			return areas[i].who;
		}
	}
	return plm_names_text(&plm_names_source, event->envelope.source);
}

static int64_t ms_of(const struct plm_logged *event)
{
	return (int64_t)(event->envelope.wall_ns / NS_PER_MS);
}

/* The subject of an effect's result is that of its intent. */
static struct plm_slice object_of(struct plm_arena *arena, const struct plm_timeline *timeline,
				  const struct plm_logged *event)
{
	struct plm_subject subject = plm_event_subject(event);

	for (size_t i = 0; subject.kind == PLM_KIND_NONE && i < timeline->count; i++) {
		if (event->envelope.intent != 0 &&
		    timeline->events[i].envelope.seq == event->envelope.intent) {
			subject = plm_event_subject(&timeline->events[i]);
		}
	}
	return subject.kind == PLM_KIND_NONE ? (struct plm_slice){0}
					     : plm_subject_text(arena, &subject);
}

static void print_rows(struct plm_cli *call, const struct plm_timeline *timeline)
{
	struct plm_grid grid;

	plm_grid_init(&grid, call->arena, columns, PLM_COUNTOF(columns));
	for (size_t i = 0; i < timeline->count; i++) {
		const struct plm_logged *event = &timeline->events[i];
		int64_t delta = i == 0 ? 0 : ms_of(event) - ms_of(&timeline->events[i - 1]);

		plm_grid_format(&grid, "%" PRIu64, event->envelope.seq);
		plm_grid_cell(&grid, plm_spell_time(call->arena, ms_of(event)));
		plm_grid_cell(&grid, delta == 0 ? (struct plm_slice){0}
						: plm_spell_duration(call->arena, delta));
		plm_grid_cell(&grid, plm_slice_str(who(event)));
		plm_grid_cell(&grid, plm_slice_str(event->info->name));
		plm_grid_cell(&grid, object_of(call->arena, timeline, event));
		if (event->envelope.cause == 0) {
			plm_grid_cell(&grid, (struct plm_slice){0});
		} else {
			plm_grid_format(&grid, "%" PRIu64, event->envelope.cause);
		}
		plm_grid_cell(&grid, plm_event_words(call->arena, event));
	}
	plm_print_grid(call, &grid);
}

static struct plm_json *row_tree(struct plm_cli *call, const struct plm_timeline *timeline,
				 const struct plm_logged *event)
{
	struct plm_json *row = plm_json_object(call->arena);

	plm_json_put_int(row, "seq", (int64_t)event->envelope.seq);
	plm_json_put_text(row, "time", plm_spell_time(call->arena, ms_of(event)));
	plm_json_put_str(row, "who", who(event));
	plm_json_put_str(row, "what", event->info->name);
	plm_json_put_text(row, "object", object_of(call->arena, timeline, event));
	plm_json_put_text(row, "detail", plm_event_words(call->arena, event));
	if (event->envelope.cause != 0) {
		plm_json_put_int(row, "cause", (int64_t)event->envelope.cause);
	}
	if (event->envelope.intent != 0) {
		plm_json_put_int(row, "intent", (int64_t)event->envelope.intent);
	}
	return row;
}

static void print_documents(struct plm_cli *call, const struct plm_subject *subject,
			    const struct plm_timeline *timeline)
{
	struct plm_json *doc = plm_json_document(call->arena, "Timeline");
	struct plm_json *items = plm_json_list(call->arena);

	for (size_t i = 0; i < timeline->count; i++) {
		plm_json_add(items, row_tree(call, timeline, &timeline->events[i]));
	}
	if (strcmp(plm_cli_format(call), "jsonl") == 0) {
		for (size_t i = 0; i < items->count; i++) {
			plm_json_write(call->out, items->items[i], PLM_JSON_LINE);
		}
		return;
	}
	plm_json_put_text(doc, "subject", plm_subject_text(call->arena, subject));
	plm_json_put(doc, "items", items);
	plm_print_document(call, doc);
}

/* The namespace may be left out where only one object has the name, also when it is gone by now. */
static enum plm_code complete(struct plm_view *view, struct plm_subject *subject,
			      struct plm_error *err)
{
	struct plm_error missing = {0};
	plm_id id = {0};
	enum plm_code code = plm_subject_find(&view->state, subject, &id, &missing);

	if (code == PLM_E_USAGE) {
		return plm_fail(err, code, "%s", missing.text);
	}
	if (code == PLM_E_NOT_FOUND && plm_kind_info(subject->kind)->namespaced &&
	    subject->ns.size == 0) {
		return plm_fail(err, code, "%s; for what is gone add its namespace with -n",
				missing.text);
	}
	return PLM_OK;
}

enum plm_code plm_cmd_timeline(struct plm_cli *call, struct plm_error *err)
{
	struct plm_view view = {0};
	struct plm_subject subject = {0};
	struct plm_timeline timeline = {0};
	enum plm_code code = plm_subject_parse(call, 0, &subject, err);

	if (subject.kind ==
	    PLM_KIND_POD_GROUP) { /* no event is about it, but its workload has its name */
		subject.kind = PLM_KIND_WORKLOAD;
	}
	if (code == PLM_OK) {
		code = plm_view_open(call, &view, err);
	}
	if (code == PLM_OK) {
		code = complete(&view, &subject, err);
	}
	if (code == PLM_OK) {
		code = plm_timeline_find(&view, &subject, &timeline, err);
	}
	if (code == PLM_OK && plm_print_is_document(call)) {
		print_documents(call, &subject, &timeline);
	} else if (code == PLM_OK) {
		print_rows(call, &timeline);
	}
	plm_view_close(&view);
	return code;
}
