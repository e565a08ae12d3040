/* describe: everything about one object. */
#include <inttypes.h>

#include "tools/events.h"
#include "tools/print.h"
#include "tools/state_tree.h"
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
	plm_id id = {0};
	enum plm_code code = plm_subject_find(&view->state, subject, &id, err);

	if (code == PLM_OK) {
		code = plm_why_tree(view, subject, &why, err);
	}
	if (code == PLM_OK) {
		code = plm_timeline_own(view, subject, &own, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	plm_json_put(doc, "at", plm_view_point(view));
	plm_json_put(doc, "why", why);
	plm_json_put(doc, "object",
		     plm_object_tree(call->arena, &view->state, plm_kind_table(subject->kind), id));
	plm_json_put(doc, "events", event_list(call, &own));
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
