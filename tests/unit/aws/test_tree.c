#include "adapters/ec2/tree.h"

#include "plm_test.h"

#include "core/event.h"
#include "core/limits.h"

#include <stdlib.h>

static struct plm_arena arena;
static struct plm_error err;

static const struct plm_aws_node *xml(const char *text)
{
	const struct plm_aws_node *root = NULL;

	plm_assert_ok(plm_aws_xml(plm_slice_str(text), &arena, &root, &err), &err);
	return root;
}

static const struct plm_aws_node *json(const char *text)
{
	const struct plm_aws_node *root = NULL;

	plm_assert_ok(plm_aws_json(plm_slice_str(text), &arena, &root, &err), &err);
	return root;
}

static void xml_becomes_nodes(void **state)
{
	const struct plm_aws_node *root =
		xml("<?xml version=\"1.0\"?>\n<e:R xmlns:e=\"urn:x\" a=\"b\">\n\t<set>\n\t\t<item>"
		    "<id>i-1</id><n>12</n><on>true</on></item>\n\t\t<item/>\n\t</set>\n"
		    "<t>a &lt;&amp;&#65; b</t><when>2026-01-01T00:00:01.000Z</when>"
		    "<c><![CDATA[<x>]]></c></e:R>");
	const struct plm_aws_node *set = plm_aws_get(root, "set");
	const struct plm_aws_node *item = plm_aws_get(set, "item");

	(void)state;
	plm_assert_text(root->name, "R");
	plm_assert_text(root->text, "");
	assert_int_equal(root->count, 4);
	assert_int_equal(set->count, 2);
	plm_assert_text(set->text, "");
	plm_assert_text(plm_aws_text(item, "id"), "i-1");
	assert_int_equal(plm_aws_number(item, "n", -1), 12);
	assert_int_equal(plm_aws_number(item, "id", -1), -1);
	assert_int_equal(plm_aws_number(item, "none", -1), -1);
	assert_true(plm_aws_true(item, "on"));
	assert_false(plm_aws_true(item, "id"));
	assert_null(item->next->child);
	assert_null(item->next->next);
	plm_assert_text(plm_aws_text(root, "t"), "a <&A b");
	plm_assert_text(plm_aws_text(root, "c"), "<x>");
	assert_int_equal(plm_aws_time_ms(root, "when"), 1767225601000);
	assert_int_equal(plm_aws_time_ms(root, "t"), PLM_UNSET);
}

static void json_becomes_nodes(void **state)
{
	const struct plm_aws_node *root = json(" {\"a\": [\"x\", {\"b\": 1234567890123}, []], "
					       "\"t\": true, \"f\": false, \"z\": null,"
					       " \"r\": 1.5}\n");
	const struct plm_aws_node *list = plm_aws_get(root, "a");

	(void)state;
	plm_assert_text(root->name, "");
	assert_int_equal(root->count, 5);
	assert_int_equal(list->count, 3);
	plm_assert_text(list->child->name, "item");
	plm_assert_text(list->child->text, "x");
	assert_int_equal(plm_aws_number(list->child->next, "b", 0), 1234567890123);
	assert_int_equal(list->child->next->next->count, 0);
	assert_true(plm_aws_true(root, "t"));
	plm_assert_text(plm_aws_text(root, "f"), "false");
	plm_assert_text(plm_aws_text(root, "z"), "");
	plm_assert_text(plm_aws_text(root, "r"), "1.5");
	plm_assert_text(json("3")->text, "3");
	plm_assert_text(json("[\"q\"]")->child->text, "q");
}

static void nothing_reads_as_nothing(void **state)
{
	(void)state;
	assert_null(plm_aws_get(NULL, "a"));
	plm_assert_text(plm_aws_text(NULL, "a"), "");
	assert_int_equal(plm_aws_number(NULL, "a", 7), 7);
	assert_false(plm_aws_true(NULL, "a"));
	assert_int_equal(plm_aws_time_ms(NULL, "a"), PLM_UNSET);
}

static const struct bad_case {
	const char *name;
	bool json;
	const char *text, *part;
} bad_table[] = {
	{"empty XML", false, "", "empty"},
	{"no XML", false, "Internal Server Error", "not XML"},
	{"HTML", false, "<!doctype html>\n<html lang=en><title>500</title>", "not XML"},
	{"cut off", false, "<R><a>1</a>", "not XML"},
	{"two roots", false, "<a/><b/>", "not XML"},
	{"entities that grow", false,
	 "<!DOCTYPE a [<!ENTITY x \"xx\"><!ENTITY y \"&x;&x;\">]><a>&y;</a>", "document type"},
	{"an entity from outside", false, "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
	 "document type"},
	{"an entity that nobody knows", false, "<a>&nbsp;</a>", "not XML"},
	{"no UTF-8", false, "<a>\xff</a>", "not XML"},
	{"empty JSON", true, "", "empty"},
	{"no JSON", true, "<html/>", "not JSON"},
	{"JSON cut off", true, "{\"a\": [1,", "not JSON"},
	{"JSON and more", true, "{} {}", "follows"},
};

static void refuses_row(const struct bad_case *row)
{
	const struct plm_aws_node *root = NULL;
	enum plm_code code = row->json ? plm_aws_json(plm_slice_str(row->text), &arena, &root, &err)
				       : plm_aws_xml(plm_slice_str(row->text), &arena, &root, &err);

	plm_assert_fails(code, PLM_E_INPUT, err, row->part);
	assert_null(root);
}
PLM_TEST_ROWS(refuses_row, struct bad_case)

/* 'unit' so many times between 'first' and 'last'. */
static char *many(const char *first, const char *unit, size_t times, const char *last)
{
	size_t before = strlen(first);
	size_t size = strlen(unit);
	char *text = malloc(before + size * times + strlen(last) + 1);

	assert_non_null(text);
	memcpy(text, first, before);
	for (size_t i = 0; i < times; i++) {
		memcpy(text + before + i * size, unit, size);
	}
	memcpy(text + before + size * times, last, strlen(last) + 1);
	return text;
}

static void depth_is_bounded(void **state)
{
	const struct plm_aws_node *root = NULL;
	char *text = many("", "<a>", PLM_LIMIT_AWS_DEPTH + 1, "");
	char *deep = many("", "[", PLM_LIMIT_AWS_DEPTH, "]");

	(void)state;
	plm_assert_fails(plm_aws_xml(plm_slice_str(text), &arena, &root, &err), PLM_E_INPUT, err,
			 "deeply");
	free(text);
	text = many(deep, "]", PLM_LIMIT_AWS_DEPTH - 1, "");
	plm_assert_ok(plm_aws_json(plm_slice_str(text), &arena, &root, &err), &err);
	free(text);
	free(deep);
	deep = many("", "[", PLM_LIMIT_AWS_DEPTH + 1, "]");
	text = many(deep, "]", PLM_LIMIT_AWS_DEPTH, "");
	root = NULL;
	plm_assert_fails(plm_aws_json(plm_slice_str(text), &arena, &root, &err), PLM_E_INPUT, err,
			 "deeply");
	assert_null(root);
	free(text);
	free(deep);
}

static void nodes_and_memory_are_bounded(void **state)
{
	const struct plm_aws_node *root = NULL;
	char *text = many("<r>", "<a/>", PLM_LIMIT_AWS_NODES, "</r>");
	struct plm_arena small;

	(void)state;
	plm_assert_fails(plm_aws_xml(plm_slice_str(text), &arena, &root, &err), PLM_E_LIMIT, err,
			 "too large");
	free(text);
	plm_arena_reset(&arena);
	text = many("<r>", "<a>x</a>", 4096, "</r>");
	plm_assert_ok(plm_arena_init(&small, 65536, &err), &err);
	plm_assert_fails(plm_aws_xml(plm_slice_str(text), &small, &root, &err), PLM_E_LIMIT, err,
			 "too large");
	plm_arena_fini(&small);
	free(text);
}

/* A text longer than expat hands over at once, and than any buffer of ours begins with. */
static void long_texts_are_whole(void **state)
{
	char *text = many("<r><t>", "0123456789", 100000, "</t></r>");
	struct plm_slice got = plm_aws_text(xml(text), "t");

	(void)state;
	assert_int_equal(got.size, 1000000);
	assert_memory_equal(got.ptr, text + 6, got.size);
	free(text);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_ASSERT(plm_arena_init(&arena, PLM_LIMIT_AWS_TREE_BYTES, &err) == PLM_OK);
	PLM_TEST_ADD(&tests, xml_becomes_nodes);
	PLM_TEST_ADD(&tests, json_becomes_nodes);
	PLM_TEST_ADD(&tests, nothing_reads_as_nothing);
	PLM_TEST_TABLE(&tests, refuses_row, bad_table);
	PLM_TEST_ADD(&tests, depth_is_bounded);
	PLM_TEST_ADD(&tests, nodes_and_memory_are_bounded);
	PLM_TEST_ADD(&tests, long_texts_are_whole);
	return plm_tests_run(&tests, "aws tree");
}
