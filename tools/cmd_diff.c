/* diff: objects and fields that changed between two points. */
#include <inttypes.h>

#include "tools/input.h"
#include "tools/print.h"
#include "tools/spell.h"
#include "tools/state_tree.h"
#include "tools/verbs.h"
#include "tools/view.h"

/* What is compared: two points, and all objects or one. */
struct diff {
	struct plm_cli *call;
	uint64_t seq[2];
	int64_t time_ms[2];
	struct plm_subject subject; /* kind NONE = all objects */
	struct plm_state state[2];
	bool folded[2];
	struct plm_json *changes; /* [{object, change, fields: [{path, from, to}]}] */
	struct plm_json *counts;  /* group -> {added, removed, changed} */
};

/* ---- operands ---------------------------------------------------------------------------------- */

/* "A..B", or "A" and "B", or "A" alone (to HEAD); the last operand may be KIND/NAME. */
static enum plm_code parse_points(struct diff *diff, struct plm_input *input, size_t count,
				  struct plm_error *err)
{
	struct plm_point point[2] = {{.kind = PLM_POINT_START}, {.kind = PLM_POINT_HEAD}};
	struct plm_slice first = plm_slice_str(diff->call->operands[0]);
	bool range = false;
	enum plm_code code = PLM_OK;

	if (strstr(diff->call->operands[0], "..") != NULL) {
		if (count > 1) {
			return plm_fail(err, PLM_E_USAGE, "a range and a point: '%s' '%s'",
					diff->call->operands[0], diff->call->operands[1]);
		}
		code = plm_range_parse(first, &point[0], &point[1], &range, err);
	} else {
		code = plm_point_parse(first, &point[0], err);
		if (code == PLM_OK && count > 1) {
			code = plm_point_parse(plm_slice_str(diff->call->operands[1]), &point[1],
					       err);
		}
	}
	for (size_t i = 0; code == PLM_OK && i < 2; i++) {
		code = plm_input_resolve(input, &point[i], false, &diff->seq[i], err);
	}
	return code;
}

static enum plm_code parse_operands(struct diff *diff, struct plm_input *input,
				    struct plm_error *err)
{
	struct plm_cli *call = diff->call;
	size_t count = call->operand_count;
	const char *last = call->operands[count - 1];

	if (count > 1 && plm_kind_by_name(last, strcspn(last, "/")) != NULL) {
		enum plm_code code = plm_subject_parse(call, count - 1, &diff->subject, err);

		if (code != PLM_OK) {
			return code;
		}
		count--;
	} else if (count > 2) {
		return plm_fail(err, PLM_E_USAGE, "'%s' is not KIND/NAME", last);
	}
	return parse_points(diff, input, count, err);
}

/* ---- comparison -------------------------------------------------------------------------------- */

static void field_change(struct plm_json *fields, struct plm_slice path, struct plm_json *from,
			 struct plm_json *to)
{
	struct plm_json *row = plm_json_object(fields->arena);

	plm_json_put_text(row, "path", path);
	if (from != NULL) {
		plm_json_put(row, "from", from);
	}
	if (to != NULL) {
		plm_json_put(row, "to", to);
	}
	plm_json_add(fields, row);
}

static struct plm_slice join(struct plm_arena *arena, struct plm_slice path, struct plm_slice key)
{
	return path.size == 0 ? key
			      : plm_arena_format(arena, "%.*s.%.*s", (int)path.size,
						 (const char *)path.ptr, (int)key.size,
						 (const char *)key.ptr);
}

/* Fields that follow from every event and say nothing about the object. */
static bool is_noise(struct plm_slice path)
{
	return plm_slice_is(path, "object.seq") || plm_slice_is(path, "why.seq");
}

/* A walk over the union of the keys of two objects, in order. */
struct union_walk {
	struct plm_json *a, *b;
	size_t i, j;
	struct plm_slice key;
	struct plm_json *from, *to; /* NULL: not on that side */
};

static struct union_walk union_begin(struct plm_json *a, struct plm_json *b)
{
	plm_json_sort(a);
	plm_json_sort(b);
	return (struct union_walk){.a = a, .b = b};
}

static bool union_next(struct union_walk *walk)
{
	const struct plm_json *a = walk->a;
	const struct plm_json *b = walk->b;
	int order = 0;

	if (walk->i == a->count && walk->j == b->count) {
		return false;
	}
	if (walk->i == a->count || walk->j == b->count) {
		order = walk->i == a->count ? 1 : -1;
	} else {
		order = plm_slice_compare(a->keys[walk->i], b->keys[walk->j]);
	}
	walk->key = order <= 0 ? a->keys[walk->i] : b->keys[walk->j];
	walk->from = order <= 0 ? a->items[walk->i] : NULL;
	walk->to = order >= 0 ? b->items[walk->j] : NULL;
	walk->i += order <= 0 ? 1 : 0;
	walk->j += order >= 0 ? 1 : 0;
	return true;
}

static void compare(struct plm_json *fields, struct plm_slice path, struct plm_json *a,
		    struct plm_json *b)
{
	struct union_walk walk = union_begin(a, b);

	while (union_next(&walk)) {
		struct plm_slice below = join(fields->arena, path, walk.key);
		bool both = walk.from != NULL && walk.to != NULL;

		if (both && walk.from->kind == PLM_JSON_OBJECT &&
		    walk.to->kind == PLM_JSON_OBJECT) {
			compare(fields, below, walk.from, walk.to);
		} else if (!is_noise(below) && (!both || !plm_json_equal(walk.from, walk.to))) {
			field_change(fields, below, walk.from, walk.to);
		}
	}
}

static void count_change(struct diff *diff, const char *group, const char *change)
{
	struct plm_json *counts = plm_json_get(diff->counts, plm_slice_str(group));
	struct plm_json *count = NULL;

	if (counts == NULL) {
		counts = plm_json_object(diff->call->arena);
		plm_json_put_int(counts, "added", 0);
		plm_json_put_int(counts, "removed", 0);
		plm_json_put_int(counts, "changed", 0);
		plm_json_put_str(diff->counts, group, "");
		plm_json_sort(diff->counts);
		for (size_t i = 0; i < diff->counts->count; i++) {
			if (plm_slice_is(diff->counts->keys[i], group)) {
				diff->counts->items[i] = counts;
			}
		}
	}
	count = plm_json_get(counts, plm_slice_str(change));
	count->number++;
}

/* One object on both sides; either may be missing. */
static void compare_object(struct diff *diff, const char *group, struct plm_slice key,
			   struct plm_json *from, struct plm_json *to)
{
	struct plm_arena *arena = diff->call->arena;
	struct plm_json *fields = plm_json_list(arena);
	struct plm_json *empty = plm_json_object(arena);
	struct plm_json *row = NULL;
	const char *change = from == NULL ? "added" : to == NULL ? "removed" : "changed";

	compare(fields, (struct plm_slice){0}, from != NULL ? from : empty,
		to != NULL ? to : empty);
	if (fields->count == 0) {
		return;
	}
	row = plm_json_object(arena);
	plm_json_put_text(
		row, "object",
		plm_arena_format(arena, "%s/%.*s", group, (int)key.size, (const char *)key.ptr));
	plm_json_put_str(row, "change", change);
	plm_json_put(row, "fields", fields);
	plm_json_add(diff->changes, row);
	count_change(diff, group, change);
}

/* May objects of 'group' be shown? */
static bool wanted(const struct diff *diff, const char *group)
{
	const struct plm_cli *call = diff->call;
	const struct plm_flag_value *kinds = &call->flags[PLM_FLAG_KIND];

	if (diff->subject.kind != PLM_KIND_NONE) {
		return strcmp(plm_kind_info(diff->subject.kind)->plural, group) == 0;
	}
	if (strcmp(group, "root") == 0 || kinds->count == 0) {
		return kinds->count == 0;
	}
	for (size_t i = 0; i < kinds->count; i++) {
		for (const char *at = kinds->texts[i]; *at != '\0';) {
			size_t size = strcspn(at, ",");
			const struct plm_kind_info *kind = plm_kind_by_name(at, size);

			if (kind != NULL && strcmp(kind->plural, group) == 0) {
				return true;
			}
			at += size + (at[size] == ',' ? 1 : 0);
		}
	}
	return false;
}

static bool is_subject(const struct diff *diff, struct plm_slice key)
{
	struct plm_slice name;

	if (diff->subject.kind == PLM_KIND_NONE) {
		return true;
	}
	name = plm_subject_name(diff->call->arena, &diff->subject);
	if (plm_kind_info(diff->subject.kind)->namespaced && diff->subject.ns.size == 0) {
		return key.size > name.size && key.ptr[key.size - name.size - 1] == '/' &&
		       memcmp(key.ptr + key.size - name.size, name.ptr, name.size) == 0;
	}
	return plm_slice_equal(key, name);
}

static void compare_groups(struct diff *diff, const char *group, struct plm_json *a,
			   struct plm_json *b)
{
	struct union_walk walk = union_begin(a, b);

	while (union_next(&walk)) {
		if (is_subject(diff, walk.key)) {
			compare_object(diff, group, walk.key, walk.from, walk.to);
		}
	}
}

static void compare_states(struct diff *diff)
{
	struct plm_arena *arena = diff->call->arena;
	struct plm_json *trees[2] = {plm_state_tree(arena, &diff->state[0]),
				     plm_state_tree(arena, &diff->state[1])};
	struct plm_json *names = plm_json_object(arena);

	for (size_t side = 0; side < 2; side++) {
		for (size_t i = 0; i < trees[side]->count; i++) {
			if (plm_json_get(names, trees[side]->keys[i]) == NULL) {
				plm_json_put_key(names, trees[side]->keys[i], trees[side]);
			}
		}
	}
	plm_json_sort(names);
	for (size_t i = 0; i < names->count; i++) {
		const char *group = (const char *)names->keys[i].ptr; /* static, terminated */
		struct plm_json *a = plm_json_get(trees[0], names->keys[i]);
		struct plm_json *b = plm_json_get(trees[1], names->keys[i]);
		struct plm_json *empty = plm_json_object(arena);

		if (!wanted(diff, group)) {
			continue;
		}
		if (strcmp(group, "root") == 0) {
			compare_object(diff, "root", names->keys[i], a, b);
		} else {
			compare_groups(diff, group, a != NULL ? a : empty, b != NULL ? b : empty);
		}
	}
}

/* ---- output ------------------------------------------------------------------------------------ */

static void print_value(FILE *out, const char *sign, struct plm_json *value)
{
	if (value == NULL) {
		return;
	}
	(void)fputs(sign, out);
	if (value->kind == PLM_JSON_TEXT) {
		(void)fprintf(out, "%.*s\n", (int)value->text.size, (const char *)value->text.ptr);
	} else {
		plm_json_write(out, value, PLM_JSON_LINE);
	}
}

static void print_change(struct plm_cli *call, struct plm_json *row)
{
	struct plm_slice object = plm_json_get(row, plm_slice_str("object"))->text;
	struct plm_slice change = plm_json_get(row, plm_slice_str("change"))->text;
	struct plm_json *fields = plm_json_get(row, plm_slice_str("fields"));

	(void)fprintf(call->out, "%.*s %.*s\n", (int)object.size, (const char *)object.ptr,
		      (int)change.size, (const char *)change.ptr);
	if (!plm_slice_is(change, "changed")) {
		return;
	}
	for (size_t i = 0; i < fields->count; i++) {
		struct plm_json *field = fields->items[i];
		struct plm_slice path = plm_json_get(field, plm_slice_str("path"))->text;

		(void)fprintf(call->out, "  %.*s\n", (int)path.size, (const char *)path.ptr);
		print_value(call->out, "    - ", plm_json_get(field, plm_slice_str("from")));
		print_value(call->out, "    + ", plm_json_get(field, plm_slice_str("to")));
	}
}

static void print_counts(struct diff *diff)
{
	for (size_t i = 0; i < diff->counts->count; i++) {
		struct plm_json *counts = diff->counts->items[i];

		(void)fprintf(diff->call->out, "%-20.*s +%" PRId64 " -%" PRId64 " ~%" PRId64 "\n",
			      (int)diff->counts->keys[i].size,
			      (const char *)diff->counts->keys[i].ptr,
			      plm_json_get(counts, plm_slice_str("added"))->number,
			      plm_json_get(counts, plm_slice_str("removed"))->number,
			      plm_json_get(counts, plm_slice_str("changed"))->number);
	}
}

static struct plm_json *point_tree(const struct diff *diff, size_t side)
{
	struct plm_json *point = plm_json_object(diff->call->arena);

	plm_json_put_int(point, "seq", (int64_t)diff->seq[side]);
	plm_json_put_text(point, "time", plm_spell_time(diff->call->arena, diff->time_ms[side]));
	return point;
}

static void print_diff(struct diff *diff)
{
	struct plm_cli *call = diff->call;
	struct plm_json *doc = NULL;

	plm_json_sort(diff->counts);
	call->finding = diff->changes->count > 0;
	if (plm_print_is_document(call)) {
		doc = plm_json_document(call->arena, "StateDiff");
		plm_json_put(doc, "from", point_tree(diff, 0));
		plm_json_put(doc, "to", point_tree(diff, 1));
		plm_json_put(doc, "stat", diff->counts);
		if (!plm_cli_has(call, PLM_FLAG_STAT)) {
			plm_json_put(doc, "changes", diff->changes);
		}
		plm_print_document(call, doc);
		return;
	}
	if (plm_cli_has(call, PLM_FLAG_STAT)) {
		print_counts(diff);
		return;
	}
	for (size_t i = 0; i < diff->changes->count; i++) {
		print_change(call, diff->changes->items[i]);
	}
}

static enum plm_code check_kinds(const struct plm_cli *call, struct plm_error *err)
{
	const struct plm_flag_value *kinds = &call->flags[PLM_FLAG_KIND];

	for (size_t i = 0; i < kinds->count; i++) {
		for (const char *at = kinds->texts[i]; *at != '\0';) {
			size_t size = strcspn(at, ",");

			if (plm_kind_by_name(at, size) == NULL) {
				return plm_fail(err, PLM_E_USAGE, "--kind: no kind '%.*s'",
						(int)size, at);
			}
			at += size + (at[size] == ',' ? 1 : 0);
		}
	}
	return PLM_OK;
}

/* KIND/NAME that is on neither side is a question about nothing. */
static enum plm_code check_subject(struct diff *diff, struct plm_error *err)
{
	struct plm_subject subject = diff->subject;
	plm_id id = {0};

	if (subject.kind == PLM_KIND_NONE ||
	    plm_subject_find(&diff->state[0], &subject, &id, NULL) == PLM_OK) {
		return PLM_OK;
	}
	return plm_subject_find(&diff->state[1], &subject, &id, err);
}

enum plm_code plm_cmd_diff(struct plm_cli *call, struct plm_error *err)
{
	struct diff diff = {.call = call,
			    .changes = plm_json_list(call->arena),
			    .counts = plm_json_object(call->arena)};
	struct plm_input input = {0};
	struct plm_fold_report report;
	enum plm_code code = check_kinds(call, err);

	if (code == PLM_OK) {
		code = plm_input_open(call, &input, err);
	}
	if (code == PLM_OK) {
		code = parse_operands(&diff, &input, err);
	}
	for (size_t i = 0; code == PLM_OK && i < 2; i++) {
		diff.folded[i] = true;
		code = plm_input_fold(&input, diff.seq[i], &diff.state[i], &report, err);
		if (code == PLM_OK) {
			code = plm_input_time(&input, diff.seq[i], &diff.time_ms[i], err);
		}
	}
	if (code == PLM_OK) {
		code = check_subject(&diff, err);
	}
	if (code == PLM_OK) {
		compare_states(&diff);
		print_diff(&diff);
	}
	for (size_t i = 0; i < 2; i++) {
		if (diff.folded[i]) {
			plm_state_fini(&diff.state[i]);
		}
	}
	plm_input_close(&input);
	return code;
}
