/* describe: everything about one object. */
#include <inttypes.h>

#include "core/limits.h"
#include "reducers/admission/explain.h"
#include "reducers/status/announce.h"
#include "tools/events.h"
#include "tools/print.h"
#include "tools/spell.h"
#include "tools/state_tree.h"
#include "tools/status_tree.h"
#include "tools/timeline.h"
#include "tools/verbs.h"
#include "tools/why.h"

static struct plm_slice text_at(struct plm_json *row, const char *key)
{
	struct plm_json *value = plm_json_get(row, plm_slice_str(key));

	return value != NULL && value->kind == PLM_JSON_TEXT ? value->text : (struct plm_slice){0};
}

static struct plm_json *event_list(struct plm_cli *call, const struct plm_timeline *own)
{
	struct plm_json *list = plm_json_list(call->arena);

	for (size_t i = 0; i < own->count; i++) {
		struct plm_json *row = plm_json_object(call->arena);

		plm_json_put_int(row, "seq", (int64_t)own->events[i].envelope.seq);
		plm_json_put_str(row, "type", own->events[i].info->name);
		plm_json_put_text(row, "detail", plm_event_words(call->arena, &own->events[i]));
		plm_json_add(list, row);
	}
	return list;
}

/* ---- Kubernetes Events ------------------------------------------------------------------------- */

struct announcing {
	struct plm_view *view;
	const struct plm_subject *subject;
	struct plm_state state;
	struct plm_arena scratch;
	struct plm_json *list;
};

static void announce_one(struct announcing *a, const struct plm_logged *logged)
{
	struct plm_arena *arena = a->view->call->arena;
	struct plm_announcements found;
	struct plm_event event = plm_logged_event(logged);

	plm_arena_reset(&a->scratch);
	plm_status_announce(&a->state, &event, &a->scratch, &found);
	for (uint32_t i = 0; i < found.count; i++) {
		const struct plm_announcement *one = &found.list[i];
		struct plm_json *row = NULL;

		if (one->kind != a->subject->kind ||
		    !plm_slice_equal(one->name, a->subject->name) ||
		    !plm_slice_equal(one->ns, a->subject->ns)) {
			continue;
		}
		row = plm_json_object(arena);
		plm_json_put_int(row, "seq", (int64_t)event.seq);
		plm_json_put_text(row, "time", plm_spell_time(arena, (int64_t)event.tick_ms));
		plm_json_put_str(row, "type", one->warning ? "Warning" : "Normal");
		plm_json_put_text(row, "reason", plm_arena_copy(arena, one->reason));
		plm_json_put_text(row, "message", plm_arena_copy(arena, one->message));
		plm_json_add(a->list, row);
	}
}

static enum plm_code announce_all(struct announcing *a, struct plm_error *err)
{
	struct plm_reader *reader = NULL;
	struct plm_logged logged = {0};
	enum plm_code code = plm_input_reader(&a->view->input, 1, &reader, err);

	while (code == PLM_OK && logged.envelope.seq < a->view->seq) {
		code = plm_reader_next(reader, &logged, err);
		if (code == PLM_OK) {
			announce_one(a, &logged);
			plm_fold_event(&a->state, &logged, &a->scratch);
		}
	}
	plm_reader_close(reader);
	return code;
}

/* Kubernetes Events on the subject, from the first event of the log on. */
static enum plm_code announced(struct plm_view *view, const struct plm_subject *subject,
			       struct plm_json **out, struct plm_error *err)
{
	struct announcing a = {.view = view, .subject = subject};
	enum plm_code code = plm_arena_init(&a.scratch, PLM_LIMIT_EVENT_ARENA, err);

	if (code != PLM_OK) {
		return code;
	}
	a.list = plm_json_list(view->call->arena);
	code = plm_state_init(&a.state, PLM_PROFILE_SMALL, err);
	if (code == PLM_OK) {
		code = announce_all(&a, err);
		plm_state_fini(&a.state);
	}
	plm_arena_fini(&a.scratch);
	*out = a.list;
	return code;
}

static void print_announced(struct plm_cli *call, struct plm_json *list)
{
	static const struct plm_column columns[] = {{"TYPE", false, false},
						    {"REASON", false, false},
						    {"TIME", false, false},
						    {"MESSAGE", false, false}};
	struct plm_grid_style style = {.indent = 2};
	struct plm_grid grid;

	if (list->count == 0) {
		return;
	}
	(void)fputs("\nKubernetes Events:\n", call->out);
	plm_grid_init(&grid, call->arena, columns, PLM_COUNTOF(columns));
	for (size_t i = 0; i < list->count; i++) {
		plm_grid_cell(&grid, text_at(list->items[i], "type"));
		plm_grid_cell(&grid, text_at(list->items[i], "reason"));
		plm_grid_cell(&grid, text_at(list->items[i], "time"));
		plm_grid_cell(&grid, text_at(list->items[i], "message"));
	}
	plm_grid_print(call->out, &grid, &style);
}

/* ---- status ------------------------------------------------------------------------------------ */

static struct plm_json *status_of(struct plm_view *view, enum plm_kind kind, plm_id id)
{
	struct plm_arena *arena = view->call->arena;
	struct plm_status_source source = {.st = &view->state, .arena = arena};
	struct plm_w_explain why;
	bool explained = kind == PLM_KIND_WORKLOAD &&
			 plm_admission_explain(&view->state, id, arena, &why, NULL);

	return plm_status_tree(&source, kind, id, explained ? &why : NULL);
}

static void print_text(struct plm_cli *call, struct plm_json *doc, const struct plm_timeline *own)
{
	struct plm_json *why = plm_json_get(doc, plm_slice_str("why"));
	struct plm_slice subject = text_at(why, "subject");
	struct plm_slice state = text_at(why, "state");
	struct plm_slice reason = text_at(why, "reason");
	struct plm_slice message = text_at(why, "message");
	struct plm_grid_style style = {.indent = 2};
	struct plm_grid grid;

	(void)fprintf(call->out, "Object:  %.*s\nState:   %.*s\n", (int)subject.size,
		      (const char *)subject.ptr, (int)state.size, (const char *)state.ptr);
	if (reason.size > 0) {
		(void)fprintf(call->out, "Reason:  %.*s\n", (int)reason.size,
			      (const char *)reason.ptr);
	}
	if (message.size > 0) {
		(void)fprintf(call->out, "Message: %.*s\n", (int)message.size,
			      (const char *)message.ptr);
	}
	(void)fputs("\nFields:\n", call->out);
	plm_json_write(call->out, plm_json_get(doc, plm_slice_str("object")), PLM_JSON_YAML);
	if (plm_json_get(doc, plm_slice_str("status")) != NULL) {
		(void)fputs("\nStatus:\n", call->out);
		plm_json_write(call->out, plm_json_get(doc, plm_slice_str("status")),
			       PLM_JSON_YAML);
	}
	print_announced(call, plm_json_get(doc, plm_slice_str("announced")));
	if (own->count > 0) {
		(void)fputs("\nEvents:\n", call->out);
		plm_event_grid(&grid, call->arena);
		for (size_t i = 0; i < own->count; i++) {
			plm_event_row(&grid, &own->events[i]);
		}
		plm_grid_print(call->out, &grid, &style);
	}
}

static enum plm_code describe(struct plm_view *view, struct plm_subject *subject,
			      struct plm_error *err)
{
	struct plm_cli *call = view->call;
	struct plm_json *doc = plm_json_document(call->arena, "Description");
	struct plm_json *why = NULL;
	struct plm_timeline own = {0};
	struct plm_json *status = NULL;
	struct plm_json *told = NULL;
	plm_id id = {0};
	enum plm_code code = plm_subject_find(&view->state, subject, &id, err);

	if (code == PLM_OK) {
		code = plm_why_tree(view, subject, &why, err);
	}
	if (code == PLM_OK) {
		code = plm_timeline_own(view, subject, &own, err);
	}
	if (code == PLM_OK) {
		code = announced(view, subject, &told, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	plm_json_put(doc, "at", plm_view_point(view));
	plm_json_put(doc, "why", why);
	plm_json_put(doc, "object",
		     plm_object_tree(call->arena, &view->state, plm_kind_table(subject->kind), id));
	plm_json_put(doc, "events", event_list(call, &own));
	plm_json_put(doc, "announced", told);
	status = status_of(view, subject->kind, id);
	if (status != NULL) {
		plm_json_put(doc, "status", status);
	}
	if (plm_print_is_document(call)) {
		plm_print_document(call, doc);
	} else {
		print_text(call, doc, &own);
	}
	return PLM_OK;
}

enum plm_code plm_cmd_describe(struct plm_cli *call, struct plm_error *err)
{
	struct plm_view view = {0};
	struct plm_subject subject = {0};
	enum plm_code code = plm_subject_parse(call, 0, &subject, err);

	if (code == PLM_OK) {
		code = plm_view_open(call, &view, err);
	}
	if (code == PLM_OK) {
		code = describe(&view, &subject, err);
	}
	plm_view_close(&view);
	return code;
}
