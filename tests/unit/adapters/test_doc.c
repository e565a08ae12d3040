#include "plm_test.h"

#include "adapters/manifest/build.h"
#include "core/limits.h"
#include "core/units.h"

#include <stdio.h>
#include <stdlib.h>

static struct plm_arena arena;

static void parse(struct plm_doc_tree *tree, const char *text)
{
	struct plm_error err = {0};

	if (arena.base == NULL) {
		plm_assert_ok(plm_arena_init(&arena, PLM_LIMIT_DOC_BYTES, &err), &err);
	}
	plm_arena_reset(&arena);
	*tree = (struct plm_doc_tree){.file = "f.yaml", .arena = &arena};
	plm_yaml_parse(tree, plm_slice_str(text), 1);
}

/* A tree without its white space: maps {k:v}, lists [v], texts 'v', numbers #v, booleans as they are. */
static void show(const struct plm_doc *node, char *out, size_t size)
{
	size_t used = strlen(out);

	switch (node->kind) {
	case PLM_DOC_NULL:
		(void)snprintf(out + used, size - used, "null");
		return;
	case PLM_DOC_BOOL:
	case PLM_DOC_NUMBER:
	case PLM_DOC_TEXT:
		(void)snprintf(out + used, size - used, "%s%s%s",
			       node->kind == PLM_DOC_TEXT ? "'" : "", (const char *)node->text.ptr,
			       node->kind == PLM_DOC_TEXT ? "'" : "");
		return;
	case PLM_DOC_LIST:
	case PLM_DOC_MAP:
		break;
	}
	(void)snprintf(out + used, size - used, "%s", node->kind == PLM_DOC_MAP ? "{" : "[");
	for (const struct plm_doc *child = node->first; child != NULL; child = child->next) {
		used = strlen(out);
		(void)snprintf(out + used, size - used, "%s%.*s%s", child == node->first ? "" : ",",
			       (int)child->key.size, (const char *)child->key.ptr,
			       node->kind == PLM_DOC_MAP ? ":" : "");
		show(child, out, size);
		assert_ptr_equal(child->parent, node);
	}
	used = strlen(out);
	(void)snprintf(out + used, size - used, "%s", node->kind == PLM_DOC_MAP ? "}" : "]");
}

static const struct yaml_case {
	const char *why;
	const char *text;
	const char *tree; /* or NULL */
	const char *failure;
} yaml_table[] = {
	{"nothing", "", NULL, NULL},
	{"comment only", "# x\n", NULL, NULL},
	{"plain texts", "{a: b, c: 'd', e: \"f\\u00e9\"}", "{a:'b',c:'d',e:'f\xC3\xA9'}", NULL},
	{"numbers", "[1, -2, 1.5, 1e3, .5, 3., +4, 1E-2]", "[1,-2,1.5,1e3,.5,3.,+4,1E-2]", NULL},
	{"texts that look like numbers", "['1', \"2\", 1a, 1.2.3, --1, 1e, 0x10, 1_000, 12:30]",
	 "['1','2','1a','1.2.3','--1','1e','0x10','1_000','12:30']", NULL},
	{"quantities are texts", "[500m, 4Gi, 1e3]", "['500m','4Gi',1e3]", NULL},
	{"times are texts", "t: 2025-01-15T10:00:00Z", "{t:'2025-01-15T10:00:00Z'}", NULL},
	{"nulls", "[~, null, Null, , '']", NULL, "not YAML"},
	{"null values", "{a: , b: ~, c: null, d: 'null'}", "{a:null,b:null,c:null,d:'null'}", NULL},
	{"booleans", "[true, True, yes, on, false, NO, Off, 'true']",
	 "[true,true,true,true,false,false,false,'true']", NULL},
	{"y and n are texts", "[y, n]", "['y','n']", NULL},
	{"tags", "[!!str 1, !!int 2, !!bool true, ! 3]", "['1',2,true,'3']", NULL},
	{"tag that lies", "!!int abc", NULL, "the value is not what its tag says"},
	{"unknown tag", "!custom abc", NULL, "this tag is not supported"},
	{"block and flow", "a:\n- b: 1\n  c: [2, {d: 3}]\n- |\n  x\n  y\n",
	 "{a:[{b:1,c:[2,{d:3}]},'x\ny\n']}", NULL},
	{"folded", "a: >-\n  x\n  y\n", "{a:'x y'}", NULL},
	{"key twice", "a: 1\nb: 2\na: 3\n", NULL, "f.yaml:3: a: this key stands twice in its map"},
	{"key twice below", "x:\n- a: 1\n  'a': 3\n", NULL,
	 "f.yaml:3: x[0].a: this key stands twice in its map"},
	{"list as a key", "? [a]\n: b\n", NULL, "a key must be a text"},
	{"two documents", "a: 1\n---\nb: 2\n", NULL, "more than one document"},
	{"broken", "a: [1, 2\nb: 3\n", NULL, "not YAML: did not find expected"},
	{"tab as indentation", "a:\n\tb: 1\n", NULL, "not YAML"},
	{"NUL in a text", "a: \"x\\0y\"", NULL, "f.yaml:1: a text must not contain NUL"},
	{"alias", "a: &x {b: [1]}\nc: *x\n", "{a:{b:[1]},c:{b:[1]}}", NULL},
	{"alias of a text", "a: &x 500m\nc: *x\n", "{a:'500m',c:'500m'}", NULL},
	{"anchor again", "a: &x 1\nb: &x 2\nc: *x\n", "{a:1,b:2,c:2}", NULL},
	{"alias without anchor", "a: *x\n", NULL, "an alias without its anchor"},
	{"alias in itself", "a: &x\n  b: *x\n", NULL, "an alias inside its own anchor"},
	{"merge key", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n", "{a:{b:1,c:2},d:{c:3,b:1}}",
	 NULL},
	{"merge of two", "a: &x {b: 1}\nc: &y {b: 2, d: 4}\ne:\n  <<: [*x, *y]\n",
	 "{a:{b:1},c:{b:2,d:4},e:{b:1,d:4}}", NULL},
	{"merge of a text", "a:\n  <<: b\n", NULL, "a merge key takes a map"},
};

static void yaml_row(const struct yaml_case *row)
{
	struct plm_doc_tree tree;
	char out[1024] = "";

	parse(&tree, row->text);
	if (row->failure != NULL) {
		assert_int_equal(tree.code, PLM_E_INPUT);
		assert_non_null(strstr(tree.err.text, row->failure));
		return;
	}
	assert_string_equal(tree.err.text, "");
	if (row->tree == NULL) {
		assert_null(tree.root);
		return;
	}
	show(tree.root, out, sizeof(out));
	assert_string_equal(out, row->tree);
}
PLM_TEST_ROWS(yaml_row, struct yaml_case)

/* Nine levels of nine aliases each would be 9^9 values. */
static void laughs_are_few(void **state)
{
	struct plm_doc_tree tree;
	char text[1024] = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n";

	(void)state;
	for (int i = 1; i <= 9; i++) {
		size_t used = strlen(text);

		(void)snprintf(text + used, sizeof(text) - used,
			       "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i,
			       i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
	}
	parse(&tree, text);
	assert_int_equal(tree.code, PLM_E_INPUT);
	assert_non_null(strstr(tree.err.text, "more than 200000 values"));
}

static void depth_is_limited(void **state)
{
	struct plm_doc_tree tree;
	char text[2 * PLM_LIMIT_DOC_DEPTH + 8] = "";

	(void)state;
	memset(text, '[', PLM_LIMIT_DOC_DEPTH + 1);
	memset(text + PLM_LIMIT_DOC_DEPTH + 1, ']', PLM_LIMIT_DOC_DEPTH + 1);
	parse(&tree, text);
	assert_int_equal(tree.code, PLM_E_INPUT);
	assert_non_null(strstr(tree.err.text, "nested deeper than 64"));
	/* aliases nest, too: each level of the text doubles the depth of the tree */
	parse(&tree,
	      "a: &a [[[[[[[[1]]]]]]]]\nb: &b [[[[[[[[*a]]]]]]]]\nc: &c [[[[[[[[*b]]]]]]]]\n"
	      "d: &d [[[[[[[[*c]]]]]]]]\ne: &e [[[[[[[[*d]]]]]]]]\nf: &f [[[[[[[[*e]]]]]]]]\n"
	      "g: &g [[[[[[[[*f]]]]]]]]\nh: [[[[[[[[*g]]]]]]]]\n");
	assert_int_equal(tree.code, PLM_E_INPUT);
	assert_non_null(strstr(tree.err.text, "nested deeper than 64"));
}

static void anchors_are_limited(void **state)
{
	struct plm_doc_tree tree;
	char *text = calloc(1, 16384);

	(void)state;
	assert_non_null(text);
	for (int i = 0; i <= PLM_LIMIT_DOC_ANCHORS; i++) {
		(void)snprintf(text + strlen(text), 32, "- &a%d x\n", i);
	}
	parse(&tree, text);
	free(text);
	assert_int_equal(tree.code, PLM_E_INPUT);
	assert_non_null(strstr(tree.err.text, "more than 256 anchors"));
}

/* Long maps find a key that stands twice by another way than short ones. */
static void long_maps_are_checked(void **state)
{
	struct plm_doc_tree tree;
	char text[4096] = "";

	(void)state;
	for (int i = 0; i < 100; i++) {
		(void)snprintf(text + strlen(text), 32, "k%d: 1\n", i);
	}
	parse(&tree, text);
	assert_int_equal(tree.code, PLM_OK);
	assert_int_equal(tree.root->count, 100);
	(void)snprintf(text + strlen(text), 32, "k50: 1\n");
	parse(&tree, text);
	assert_int_equal(tree.code, PLM_E_INPUT);
	assert_string_equal(tree.err.text, "f.yaml:101: k50: this key stands twice in its map");
}

/* ---- typed reads ------------------------------------------------------------------------------- */

static const char sample[] =
	"text: abc\nnumber: 12\nbig: 9223372036854775807\ntoo-big: 9223372036854775808\n"
	"fraction: 1.5\nquoted: '12'\nyes: true\nnothing: null\nwait: 90s\nnever: Never\n"
	"negative: -1s\nat: '2026-01-01T00:00:00Z'\ncpu: 500m\nminus: '-1'\nwhen: Never\n"
	"texts: [b, a]\nmixed: [a, 1]\nlabels: {z: '1', a: '2'}\n"
	"amounts: {memory: 1Ki, cpu: 250m}\nmap: {a.b/c: [{x: 1}]}\noctal: 010\n";

struct read_case {
	const char *why;
	int64_t (*read)(struct plm_doc_tree *tree, struct plm_doc *root);
	int64_t want;
	const char *failure; /* part of it, or NULL */
};

#define READ(name, call)                                                                           \
	static int64_t name(struct plm_doc_tree *t, struct plm_doc *r)                             \
	{                                                                                          \
		(void)t;                                                                           \
		return call;                                                                       \
	}
READ(int_there, plm_doc_int(t, r, "number", 7))
READ(int_absent, plm_doc_int(t, r, "other", 7))
READ(int_null, plm_doc_int(t, r, "nothing", 7))
READ(int_big, plm_doc_int(t, r, "big", 7))
READ(int_too_big, plm_doc_int(t, r, "too-big", 7))
READ(int_of_fraction, plm_doc_int(t, r, "fraction", 7))
READ(int_of_text, plm_doc_int(t, r, "quoted", 7))
READ(int_octal, plm_doc_int(t, r, "octal", 7))
READ(int32_big, plm_doc_int32(t, r, "big", 7))
READ(count_big, plm_doc_count(t, r, "big", 7))
READ(bool_there, plm_doc_bool(t, r, "yes", 0))
READ(bool_of_text, plm_doc_bool(t, r, "text", 0))
READ(duration_there, plm_doc_duration(t, r, "wait", 7))
READ(duration_of_word, plm_doc_duration(t, r, "never", 7))
READ(duration_negative, plm_doc_duration(t, r, "negative", 7))
READ(duration_never, plm_doc_duration_or_never(t, r, "never", 7))
READ(time_there, plm_doc_time(t, r, "at"))
READ(time_absent, plm_doc_time(t, r, "other"))
READ(time_of_text, plm_doc_time(t, r, "text"))
READ(quantity_there, plm_doc_quantity(t, r, "cpu", PLM_SCALE_MILLI, 7))
READ(quantity_number, plm_doc_quantity(t, r, "fraction", PLM_SCALE_MILLI, 7))
READ(quantity_negative, plm_doc_quantity(t, r, "minus", PLM_SCALE_WHOLE, 7))
READ(quantity_word, plm_doc_quantity(t, r, "text", PLM_SCALE_WHOLE, 7))
READ(quantity_map, plm_doc_quantity(t, r, "map", PLM_SCALE_WHOLE, 7))
READ(enum_there, plm_doc_enum(t, r, "when", &plm_names_preemption, 7))
READ(enum_absent, plm_doc_enum(t, r, "other", &plm_names_preemption, 7))
READ(enum_unknown, plm_doc_enum(t, r, "text", &plm_names_stop, 7))
READ(texts_mixed, (int64_t)plm_doc_texts(t, r, "mixed").count)
READ(list_of_map, plm_doc_list(t, r, "map") == NULL ? 0 : 1)
READ(map_of_list, plm_doc_map(t, r, "texts") == NULL ? 0 : 1)
READ(required_there, (int64_t)plm_doc_text_required(t, r, "text").size)
READ(required_absent, (int64_t)plm_doc_text_required(t, r, "other").size)
READ(int_or_text_map, (int64_t)plm_doc_int_or_text(t, r, "map").size)
READ(path_there, plm_doc_at(r, "map") == NULL ? 0 : 1)
READ(deep_failure,
     plm_doc_int(t, plm_doc_items(plm_doc_get(plm_doc_get(r, "map"), "a.b/c")), "y", 3) +
	     plm_doc_bool(t, plm_doc_items(plm_doc_get(plm_doc_get(r, "map"), "a.b/c")), "x", 4))

static const struct read_case read_table[] = {
	{"a number", int_there, 12, NULL},
	{"absent", int_absent, 7, NULL},
	{"null is absent", int_null, 7, NULL},
	{"largest number", int_big, INT64_MAX, NULL},
	{"number above int64", int_too_big, 7, "f.yaml:4: too-big: must be a whole number"},
	{"fraction as number", int_of_fraction, 7, "must be a whole number, is 1.5"},
	{"text as number", int_of_text, 7, "must be a whole number, is a text"},
	{"leading zero", int_octal, 7, "must be a whole number, is 010"},
	{"above int32", int32_big, 7, "must be from -2147483648 to 2147483647"},
	{"above a count", count_big, 7, "must be from 0 to 2147483647"},
	{"true", bool_there, 1, NULL},
	{"text as boolean", bool_of_text, 0, "must be true or false, is a text"},
	{"duration", duration_there, 90000, NULL},
	{"word as duration", duration_of_word, 7, "\"Never\" is not a duration"},
	{"negative duration", duration_negative, 7, "must not be negative"},
	{"Never", duration_never, PLM_UNSET, NULL},
	{"time", time_there, 1767225600000, NULL},
	{"absent time", time_absent, PLM_UNSET, NULL},
	{"text as time", time_of_text, PLM_UNSET, "is not a time"},
	{"quantity", quantity_there, 500, NULL},
	{"number as quantity", quantity_number, 1500, NULL},
	{"negative quantity", quantity_negative, 7, "must not be negative, is -1"},
	{"word as quantity", quantity_word, 7, "\"abc\" is not a quantity"},
	{"map as quantity", quantity_map, 7, "must be a quantity, is a map"},
	{"enum", enum_there, PLM_PREEMPTION_NEVER, NULL},
	{"absent enum", enum_absent, 7, NULL},
	{"unknown enum", enum_unknown, 7,
	 "f.yaml:1: text: must be None, Hold or HoldAndDrain, is \"abc\""},
	{"list with a number", texts_mixed, 2,
	 "mixed[1]: must be a text, is a number: put 1 in quotes"},
	{"map as list", list_of_map, 0, "must be a list, is a map"},
	{"list as map", map_of_list, 0, "must be a map, is a list"},
	{"required text", required_there, 3, NULL},
	{"required and absent", required_absent, 0, "other is required"},
	{"map as int or text", int_or_text_map, 0, "must be a whole number or a text, is a map"},
	{"path", path_there, 1, NULL},
	{"path of a failure", deep_failure, 7,
	 "f.yaml:20: map[\"a.b/c\"][0].x: must be true or false, is a number"},
};

static void read_row(const struct read_case *row)
{
	struct plm_doc_tree tree;
	struct plm_error err = {0};

	parse(&tree, sample);
	assert_int_equal(tree.code, PLM_OK);
	assert_int_equal(row->read(&tree, tree.root), row->want);
	if (row->failure == NULL) {
		plm_assert_ok(plm_doc_result(&tree, &err), &err);
	} else {
		plm_assert_fails(plm_doc_result(&tree, &err), PLM_E_INPUT, err, row->failure);
	}
}
PLM_TEST_ROWS(read_row, struct read_case)

static void maps_come_sorted(void **state)
{
	struct plm_doc_tree tree;
	struct plm_vec labels;
	struct plm_vec amounts;
	const struct plm_w_kv *kv = NULL;
	const struct plm_w_amount *amount = NULL;

	(void)state;
	parse(&tree, sample);
	labels = plm_doc_kv(&tree, tree.root, "labels");
	amounts = plm_doc_amounts(&tree, tree.root, "amounts");
	assert_int_equal(labels.count, 2);
	assert_int_equal(amounts.count, 2);
	kv = labels.ptr;
	amount = amounts.ptr;
	plm_assert_text(kv[0].key, "a");
	plm_assert_text(kv[0].value, "2");
	plm_assert_text(kv[1].key, "z");
	plm_assert_text(amount[0].resource, "cpu");
	assert_int_equal(amount[0].amount, 250);
	assert_int_equal(amount[1].amount, 1024);
}

/* The first failure stays. */
static void failures_are_sticky(void **state)
{
	struct plm_doc_tree tree;
	struct plm_error err = {0};

	(void)state;
	parse(&tree, sample);
	assert_int_equal(plm_doc_int(&tree, tree.root, "text", 1), 1);
	assert_int_equal(plm_doc_bool(&tree, tree.root, "text", 0), 0);
	plm_assert_fails(plm_doc_result(&tree, &err), PLM_E_INPUT, err, "must be a whole number");
}

static void unread_fields_are_found(void **state)
{
	struct plm_doc_tree tree;
	struct plm_doc *found = NULL;
	struct plm_doc *spec = NULL;

	(void)state;
	parse(&tree, "spec: {a: 1, b: {c: 2, d: 3}, e: [{f: 4, g: 5}], h: 6}");
	spec = plm_doc_map(&tree, tree.root, "spec");
	(void)plm_doc_int(&tree, spec, "a", 0);
	(void)plm_doc_int(&tree, plm_doc_get(spec, "b"), "c", 0);
	(void)plm_doc_int(&tree, plm_doc_items(plm_doc_list(&tree, spec, "e")), "f", 0);
	found = plm_doc_unread(spec);
	plm_assert_text(plm_doc_path(&tree, found), "spec.b.d");
	plm_doc_ignore(found);
	found = plm_doc_unread(spec);
	plm_assert_text(plm_doc_path(&tree, found), "spec.e[0].g");
	plm_assert_text(plm_doc_field(&tree, found), "spec.e[].g");
	plm_doc_ignore(plm_doc_get(spec, "e"));
	found = plm_doc_unread(spec);
	plm_assert_text(plm_doc_path(&tree, found), "spec.h");
	plm_doc_ignore(found);
	assert_null(plm_doc_unread(spec));
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, yaml_row, yaml_table);
	PLM_TEST_ADD(&tests, laughs_are_few);
	PLM_TEST_ADD(&tests, depth_is_limited);
	PLM_TEST_ADD(&tests, anchors_are_limited);
	PLM_TEST_ADD(&tests, long_maps_are_checked);
	PLM_TEST_TABLE(&tests, read_row, read_table);
	PLM_TEST_ADD(&tests, maps_come_sorted);
	PLM_TEST_ADD(&tests, failures_are_sticky);
	PLM_TEST_ADD(&tests, unread_fields_are_found);
	return plm_tests_run(&tests, "doc");
}
