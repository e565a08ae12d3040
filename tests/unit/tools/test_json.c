#include "plm_test.h"

#include <stdlib.h>

#include "tools/json.h"

static struct plm_arena arena; /* of all tests: opened in main() */

static void written(struct plm_json *node, enum plm_json_style style, const char *want)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	plm_json_write(out, node, style);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, want);
	free(text);
}

static struct plm_json *sample(void)
{
	struct plm_json *doc = plm_json_document(&arena, "Sample");
	struct plm_json *list = plm_json_list(&arena);
	struct plm_json *item = plm_json_object(&arena);

	plm_json_put_int(item, "n", -5);
	plm_json_put_str(item, "a", "x");
	plm_json_add(list, item);
	plm_json_add(list, plm_json_null(&arena));
	plm_json_put(doc, "list", list);
	plm_json_put_bool(doc, "yes", true);
	plm_json_put(doc, "empty", plm_json_list(&arena));
	plm_json_put(doc, "none", plm_json_object(&arena));
	return doc;
}

static void keys_are_sorted_whatever_their_order(void **state)
{
	struct plm_json *a = plm_json_object(&arena);
	struct plm_json *b = plm_json_object(&arena);

	(void)state;
	plm_json_put_int(a, "b", 1);
	plm_json_put_int(a, "B", 2);
	plm_json_put_int(a, "a", 3);
	plm_json_put_int(b, "a", 3);
	plm_json_put_int(b, "b", 1);
	plm_json_put_int(b, "B", 2);
	written(a, PLM_JSON_LINE, "{\"B\":2,\"a\":3,\"b\":1}\n");
	assert_true(plm_json_equal(a, b));
	written(b, PLM_JSON_LINE, "{\"B\":2,\"a\":3,\"b\":1}\n");
}

static void pretty_and_line_and_yaml(void **state)
{
	(void)state;
	written(sample(), PLM_JSON_LINE,
		"{\"apiVersion\":\"plimsoll.dev/v1alpha1\",\"empty\":[],\"kind\":\"Sample\","
		"\"list\":[{\"a\":\"x\",\"n\":-5},null],\"none\":{},\"yes\":true}\n");
	written(sample(), PLM_JSON_PRETTY,
		"{\n  \"apiVersion\": \"plimsoll.dev/v1alpha1\",\n  \"empty\": [],\n"
		"  \"kind\": \"Sample\",\n  \"list\": [\n    {\n      \"a\": \"x\",\n"
		"      \"n\": -5\n    },\n    null\n  ],\n  \"none\": {},\n  \"yes\": true\n}\n");
	written(sample(), PLM_JSON_YAML,
		"apiVersion: plimsoll.dev/v1alpha1\nempty: []\nkind: Sample\nlist:\n- a: x\n"
		"  \"n\": -5\n- null\nnone: {}\n\"yes\": true\n");
}

static const struct text_case {
	const char *why;
	const char *text;
	const char *json, *yaml;
} text_table[] = {
	{"plain", "node-1.us-west", "\"node-1.us-west\"\n", "node-1.us-west\n"},
	{"empty", "", "\"\"\n", "\"\"\n"},
	{"quotes and backslashes", "a\"b\\c", "\"a\\\"b\\\\c\"\n", "\"a\\\"b\\\\c\"\n"},
	{"control bytes", "a\n\t\x01\x7f", "\"a\\n\\t\\u0001\\u007f\"\n",
	 "\"a\\n\\t\\u0001\\u007f\"\n"},
	{"what looks like a number", "10", "\"10\"\n", "\"10\"\n"},
	{"what looks like a boolean", "Yes", "\"Yes\"\n", "\"Yes\"\n"},
	{"what looks like null", "null", "\"null\"\n", "\"null\"\n"},
	{"a colon", "a: b", "\"a: b\"\n", "\"a: b\"\n"},
	{"a comment sign", "a #b", "\"a #b\"\n", "\"a #b\"\n"},
	{"a space at the end", "a ", "\"a \"\n", "\"a \"\n"},
	{"a sentence", "two words", "\"two words\"\n", "two words\n"},
	{"UTF-8 stays", "\xc3\xa9", "\"\xc3\xa9\"\n", "\"\xc3\xa9\"\n"},
};

static void text_row(const struct text_case *row)
{
	struct plm_json *node = plm_json_str(&arena, row->text);

	written(node, PLM_JSON_LINE, row->json);
	written(node, PLM_JSON_YAML, row->yaml);
}
PLM_TEST_ROWS(text_row, struct text_case)

static void members_are_found(void **state)
{
	struct plm_json *object = plm_json_object(&arena);

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct plm_slice key = plm_arena_format(&arena, "k%03d", 999 - i);

		plm_json_put_key(object, key, plm_json_int(&arena, 999 - i));
	}
	assert_int_equal(plm_json_get(object, plm_slice_str("k042"))->number, 42);
	assert_int_equal(plm_json_get(object, plm_slice_str("k000"))->number, 0);
	assert_null(plm_json_get(object, plm_slice_str("k")));
	plm_json_put_int(object, "later", 1);
	assert_int_equal(plm_json_get(object, plm_slice_str("later"))->number, 1);
	assert_null(plm_json_get(plm_json_list(&arena), plm_slice_str("k")));
}

static void a_key_may_stand_only_once(void **state)
{
	struct plm_json *object = plm_json_object(&arena);

	(void)state;
	plm_json_put_int(object, "a", 1);
	plm_json_put_int(object, "a", 2);
	plm_assert_panics(plm_json_sort(object));
}

static void trees_differ(void **state)
{
	struct plm_json *a = sample();
	struct plm_json *b = sample();

	(void)state;
	assert_true(plm_json_equal(a, b));
	plm_json_put_int(b, "more", 1);
	assert_false(plm_json_equal(a, b));
	assert_false(plm_json_equal(plm_json_int(&arena, 1), plm_json_bool(&arena, true)));
	assert_false(plm_json_equal(plm_json_str(&arena, "a"), plm_json_str(&arena, "b")));
}

int main(void)
{
	static struct plm_tests tests;
	int failed = 0;

	if (plm_arena_init(&arena, 1 << 26, NULL) != PLM_OK) {
		return 255;
	}
	PLM_TEST_ADD(&tests, keys_are_sorted_whatever_their_order);
	PLM_TEST_ADD(&tests, pretty_and_line_and_yaml);
	PLM_TEST_ADD(&tests, members_are_found);
	PLM_TEST_ADD(&tests, a_key_may_stand_only_once);
	PLM_TEST_ADD(&tests, trees_differ);
	PLM_TEST_TABLE(&tests, text_row, text_table);
	failed = plm_tests_run(&tests, "json");
	plm_arena_fini(&arena);
	return failed;
}
