/* get: list objects as the engine sees them at a point. */
#include <inttypes.h>
#include <strings.h>

#include "core/sort.h"
#include "tools/events.h"
#include "tools/page.h"
#include "tools/print.h"
#include "tools/rows.h"
#include "tools/spell.h"
#include "tools/state_tree.h"
#include "tools/verbs.h"

/* What is asked for: objects of a kind, a table without names, or records of the log. */
enum what {
	WHAT_OBJECTS,
	WHAT_TYPES,
	WHAT_STOCK_OUTS,
	WHAT_EFFECTS,
	WHAT_DECISIONS,
	WHAT_EVENTS,
	WHAT_UNKNOWN,
};

static const struct {
	const char *words;
	enum what what;
} others[] = {
	{"instancetypes|instancetype|types", WHAT_TYPES},
	{"stockouts|stockout", WHAT_STOCK_OUTS},
	{"effects|effect|eff|intents", WHAT_EFFECTS},
	{"decisions|decision|dec", WHAT_DECISIONS},
	{"events|event|ev", WHAT_EVENTS},
};

struct get {
	struct plm_cli *call;
	struct plm_view view;
	const struct plm_kind_info *kind; /* OBJECTS */
	enum what what;
	struct plm_subject subject; /* name empty = all; ns empty = every namespace */
	uint32_t *ids;		    /* arena */
	uint32_t count;
	struct plm_page page;
	uint64_t rows; /* of the whole list */
};

/* ---- operands ---------------------------------------------------------------------------------- */

static enum what find_other(const char *word)
{
	char lower[32];
	size_t size = strlen(word);

	if (size >= sizeof(lower)) {
		return WHAT_UNKNOWN;
	}
	for (size_t i = 0; i <= size; i++) {
		lower[i] =
			(char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] + ('a' - 'A') : word[i]);
	}
	for (size_t i = 0; i < PLM_COUNTOF(others); i++) {
		if (plm_choice_has(others[i].words, lower)) {
			return others[i].what;
		}
	}
	return WHAT_UNKNOWN;
}

static enum plm_code parse(struct get *get, struct plm_error *err)
{
	struct plm_cli *call = get->call;
	const char *word = call->operands[0];
	size_t size = strcspn(word, "/");

	get->kind = plm_kind_by_name(word, size);
	get->what = get->kind != NULL ? WHAT_OBJECTS : find_other(word);
	if (get->what == WHAT_UNKNOWN) {
		return plm_fail(err, PLM_E_USAGE, "no kind '%s'; `%s get --help` lists them", word,
				call->program);
	}
	if (get->what != WHAT_OBJECTS && call->operand_count > 1) {
		return plm_fail(err, PLM_E_USAGE, "%s have no names; leave '%s' out", word,
				call->operands[1]);
	}
	if (word[size] == '/' || call->operand_count > 1) {
		return plm_subject_parse(call, 0, &get->subject, err);
	}
	if (get->kind != NULL && get->kind->namespaced) {
		get->subject.ns = plm_slice_str(plm_cli_text(call, PLM_FLAG_NAMESPACE, ""));
	}
	return PLM_OK;
}

/* ---- objects ----------------------------------------------------------------------------------- */

static int by_name(const void *context, uint32_t a, uint32_t b)
{
	const struct get *get = context;
	const struct plm_state *st = &get->view.state;
	enum plm_table table = plm_kind_table(get->kind->kind);
	const struct plm_object *x = plm_slot(st, table, (plm_id){a});
	const struct plm_object *y = plm_slot(st, table, (plm_id){b});
	int order = plm_sym_compare(st, x->ns, y->ns);

	order = order != 0 ? order : plm_sym_compare(st, x->name, y->name);
	return order != 0 ? order : (a > b) - (a < b);
}

static bool chosen(const struct get *get, const struct plm_object *object)
{
	const struct plm_state *st = &get->view.state;

	if (object->kind != (uint32_t)get->kind->kind) {
		return false;
	}
	if (get->subject.ns.size > 0 &&
	    !plm_slice_equal(plm_str(st, object->ns), get->subject.ns)) {
		return false;
	}
	return get->subject.name.size == 0 ||
	       plm_slice_equal(plm_str(st, object->name), get->subject.name);
}

static void choose(struct get *get)
{
	const struct plm_state *st = &get->view.state;
	enum plm_table table = plm_kind_table(get->kind->kind);

	get->ids = PLM_NEW_ARRAY(get->call->arena, (size_t)st->tables[table].high + 1, uint32_t);
	for (plm_id id = plm_slot_next(st, table, (plm_id){0}); id.n != 0;
	     id = plm_slot_next(st, table, id)) {
		if (chosen(get, plm_slot(st, table, id))) {
			get->ids[get->count++] = id.n;
		}
	}
	plm_sort(get->ids, get->count, by_name, get, get->call->arena);
	get->rows = get->count;
}

/* Only the rows of this part. */
static void cut(struct get *get)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < get->count; i++) {
		if (plm_page_has(&get->page, i)) {
			get->ids[kept++] = get->ids[i];
		}
	}
	get->count = kept;
}

static void print_names(struct get *get)
{
	const struct plm_state *st = &get->view.state;

	for (uint32_t i = 0; i < get->count; i++) {
		struct plm_subject subject = plm_subject_of(
			st, plm_slot(st, plm_kind_table(get->kind->kind), (plm_id){get->ids[i]}));
		struct plm_slice text = plm_subject_text(get->call->arena, &subject);

		(void)fprintf(get->call->out, "%.*s\n", (int)text.size, (const char *)text.ptr);
	}
}

static struct plm_json *list_document(struct get *get, const char *kind, struct plm_json *items)
{
	struct plm_json *doc = plm_json_document(
		get->call->arena,
		(const char *)plm_arena_format(get->call->arena, "%sList", kind).ptr);

	plm_json_put(doc, "at", plm_view_point(&get->view));
	plm_json_put(doc, "items", items);
	plm_page_end(&get->page, get->view.seq, get->rows, doc);
	return doc;
}

static void print_objects(struct get *get)
{
	struct plm_cli *call = get->call;
	const struct plm_state *st = &get->view.state;
	enum plm_table table = plm_kind_table(get->kind->kind);
	struct plm_json *items = plm_json_list(call->arena);
	struct plm_status_source source = {.st = st, .arena = call->arena};

	for (uint32_t i = 0; i < get->count; i++) {
		plm_id id = {get->ids[i]};
		struct plm_json *item = plm_object_tree(call->arena, st, table, id);
		struct plm_json *status = plm_status_tree(&source, get->kind->kind, id, NULL);

		if (status != NULL) {
			plm_json_put(item, "status", status);
		}
		plm_json_add(items, item);
	}
	if (get->subject.name.size > 0 && get->count == 1) {
		plm_print_document(call, items->items[0]);
	} else {
		plm_print_document(
			call, list_document(get, plm_names_text(&plm_names_kind, get->kind->kind),
					    items));
	}
}

static void print_rows(struct get *get)
{
	struct plm_cli *call = get->call;
	struct plm_status_source status = {.st = &get->view.state, .arena = call->arena};
	struct plm_rows rows = {
		.status = &status,
		.arena = call->arena,
		.st = &get->view.state,
		.now_ms = plm_view_now(&get->view),
		.order = plm_queue_order(&get->view.state, call->arena),
	};
	struct plm_grid grid;

	if (get->count == 0) {
		(void)fprintf(call->notes, "No resources found%s%.*s%s.\n",
			      get->subject.ns.size > 0 ? " in " : "", (int)get->subject.ns.size,
			      (const char *)get->subject.ns.ptr,
			      get->subject.ns.size > 0 ? " namespace" : "");
		return;
	}
	plm_rows_begin(&rows, get->kind->kind, &grid);
	for (uint32_t i = 0; i < get->count; i++) {
		plm_rows_add(&rows, get->kind->kind, (plm_id){get->ids[i]}, &grid);
	}
	plm_print_grid(call, &grid);
}

static enum plm_code get_objects(struct get *get, struct plm_error *err)
{
	const char *format = plm_cli_format(get->call);

	choose(get);
	if (get->count == 0 && get->subject.name.size > 0) {
		plm_id id = {0};

		return plm_subject_find(&get->view.state, &get->subject, &id, err);
	}
	cut(get);
	if (strcmp(format, "name") == 0) {
		print_names(get);
	} else if (plm_print_is_document(get->call)) {
		print_objects(get);
	} else {
		print_rows(get);
	}
	return PLM_OK;
}

/* ---- tables without names ---------------------------------------------------------------------- */

static const struct plm_column type_columns[] = {
	{"NAME", false, false}, {"OFFERINGS", true, false}, {"FROM $/H", true, false}};
static const struct plm_column stock_out_columns[] = {{"TYPE", false, false},
						      {"ZONE", false, false},
						      {"CAPACITY", false, false},
						      {"UNTIL", false, false}};
static const struct plm_column effect_columns[] = {{"ID", true, false},
						   {"CALL", false, false},
						   {"TARGET", false, false},
						   {"STATUS", false, false},
						   {"DEADLINE", false, false}};

static void type_cells(const struct get *get, struct plm_grid *grid, plm_id id)
{
	const struct plm_state *st = &get->view.state;
	const struct plm_instance_type *type = plm_instance_type_at(st, id);
	uint32_t count = 0;
	const struct plm_offering *list =
		PLM_SPAN(st, type->offerings, struct plm_offering, &count);
	int64_t least = PLM_UNSET;

	for (uint32_t i = 0; i < count; i++) {
		int64_t price = list[i].price_micro;

		if (price != PLM_UNSET && (least == PLM_UNSET || price < least)) {
			least = price;
		}
	}
	plm_grid_cell(grid, plm_str(st, type->name));
	plm_grid_format(grid, "%u", count);
	plm_grid_cell(grid, plm_spell_price(grid->arena, least));
}

static void stock_out_cells(const struct get *get, struct plm_grid *grid, plm_id id)
{
	const struct plm_state *st = &get->view.state;
	const struct plm_stock_out *row = plm_stock_out_at(st, id);

	plm_grid_cell(grid, plm_str(st, row->instance_type));
	plm_grid_cell(grid, plm_str(st, row->zone));
	plm_grid_cell(grid, plm_str(st, row->capacity_type));
	plm_grid_cell(grid, plm_spell_time(grid->arena, row->until_ms));
}

static void effect_cells(const struct get *get, struct plm_grid *grid, plm_id id)
{
	const struct plm_state *st = &get->view.state;
	const struct plm_intent *row = plm_intent_at(st, id);
	struct plm_subject subject = {.kind = (enum plm_kind)row->kind,
				      .ns = plm_str(st, row->ns),
				      .name = plm_str(st, row->name)};

	plm_grid_format(grid, "%" PRIu64, row->seq);
	plm_grid_cell(grid, plm_slice_str(plm_names_text(&plm_names_call, row->call)));
	plm_grid_cell(grid, plm_subject_text(grid->arena, &subject));
	plm_grid_cell(grid, plm_slice_str("open"));
	plm_grid_cell(grid, row->deadline_ms == PLM_UNSET || row->deadline_ms == 0
				    ? (struct plm_slice){0}
				    : plm_spell_time(grid->arena, row->deadline_ms));
}

static void table_cells(const struct get *get, struct plm_grid *grid, plm_id id)
{
	if (get->what == WHAT_TYPES) {
		type_cells(get, grid, id);
	} else if (get->what == WHAT_STOCK_OUTS) {
		stock_out_cells(get, grid, id);
	} else {
		effect_cells(get, grid, id);
	}
}

static enum plm_code get_table(struct get *get)
{
	static const struct {
		enum plm_table table;
		const char *kind;
		const struct plm_column *columns;
		size_t count;
	} tables[] = {
		[WHAT_TYPES] = {PLM_TABLE_INSTANCE_TYPE, "InstanceType", type_columns,
				PLM_COUNTOF(type_columns)},
		[WHAT_STOCK_OUTS] = {PLM_TABLE_STOCK_OUT, "StockOut", stock_out_columns,
				     PLM_COUNTOF(stock_out_columns)},
		[WHAT_EFFECTS] = {PLM_TABLE_INTENT, "Effect", effect_columns,
				  PLM_COUNTOF(effect_columns)},
	};
	struct plm_cli *call = get->call;
	const struct plm_state *st = &get->view.state;
	enum plm_table table = tables[get->what].table;
	struct plm_json *items = plm_json_list(call->arena);
	struct plm_grid grid;

	plm_grid_init(&grid, call->arena, tables[get->what].columns, tables[get->what].count);
	for (plm_id id = plm_slot_next(st, table, (plm_id){0}); id.n != 0;
	     id = plm_slot_next(st, table, id)) {
		if (plm_page_has(&get->page, get->rows++)) {
			plm_json_add(items, plm_object_tree(call->arena, st, table, id));
			table_cells(get, &grid, id);
		}
	}
	if (plm_print_is_document(call)) {
		plm_print_document(call, list_document(get, tables[get->what].kind, items));
	} else {
		plm_print_grid(call, &grid);
	}
	return PLM_OK;
}

/* ---- records of the log ------------------------------------------------------------------------ */

static enum plm_code get_events(struct get *get, struct plm_error *err)
{
	struct plm_cli *call = get->call;
	struct plm_json *items = plm_json_list(call->arena);
	struct plm_reader *reader = NULL;
	struct plm_logged event = {0};
	struct plm_grid grid;
	enum plm_code code = plm_reader_open(get->view.input.log,
					     plm_log_first(get->view.input.log), &reader, err);

	plm_event_grid(&grid, call->arena);
	while (code == PLM_OK) {
		code = plm_reader_next(reader, &event, err);
		if (code != PLM_OK || event.envelope.seq > get->view.seq) {
			break;
		}
		if (get->what == WHAT_DECISIONS && event.info->class != PLM_CLASS_DECISION) {
			continue;
		}
		if (!plm_page_has(&get->page, get->rows++)) {
			continue;
		}
		if (plm_print_is_document(call)) {
			plm_json_add(items, plm_event_tree(call->arena, &event));
		} else {
			plm_event_row(&grid, &event);
		}
	}
	plm_reader_close(reader);
	if (code != PLM_OK && code != PLM_E_NOT_FOUND) {
		return code;
	}
	if (plm_print_is_document(call)) {
		plm_print_document(
			call,
			list_document(get, get->what == WHAT_EVENTS ? "Event" : "Decision", items));
	} else {
		plm_print_grid(call, &grid);
	}
	return PLM_OK;
}

enum plm_code plm_cmd_get(struct plm_cli *call, struct plm_error *err)
{
	struct get get = {.call = call};
	enum plm_code code = parse(&get, err);

	if (code == PLM_OK) {
		code = plm_page_begin(call, &get.page, err);
	}
	if (code == PLM_OK) {
		code = plm_view_open(call, &get.view, err);
	}
	if (code == PLM_OK) {
		switch (get.what) {
		case WHAT_OBJECTS:
			code = get_objects(&get, err);
			break;
		case WHAT_TYPES:
		case WHAT_STOCK_OUTS:
		case WHAT_EFFECTS:
			code = get_table(&get);
			break;
		case WHAT_DECISIONS:
		case WHAT_EVENTS:
			code = get_events(&get, err);
			break;
		case WHAT_UNKNOWN:
			PLM_UNREACHABLE();
		}
	}
	plm_view_close(&get.view);
	return code;
}
