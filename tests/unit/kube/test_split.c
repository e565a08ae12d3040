/* Answers of lists and watches, cut at every byte. */
#include "adapters/kube/split.h"
#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_ITEMS 16

/* What came of an answer: one line per item. */
struct told {
	char lines[16384];
	size_t count;
	uint32_t refuse; /* items that are offered twice: one bit each */
	uint32_t refused;
};

static enum plm_code take(void *self, const struct plm_split_item *item, struct plm_error *err)
{
	struct told *told = self;
	size_t used = strlen(told->lines);
	uint32_t bit = 1U << told->count;

	if ((told->refuse & bit) != 0 && (told->refused & bit) == 0) {
		told->refused |= bit;
		return plm_fail(err, PLM_E_AGAIN, "later");
	}
	for (size_t i = 0; i < item->values.count; i++) {
		const struct plm_json_value *value = &item->values.list[i];

		assert_true((size_t)value->offset + value->size <= item->text.size);
	}
	(void)snprintf(
		told->lines + used, sizeof(told->lines) - used,
		"%d %s/%s %s@%s%s %lld %s%s|%.*s|%zu\n", (int)item->type, item->ns, item->name,
		item->uid, item->revision, item->initial_end ? " end" : "", (long long)item->code,
		item->message, item->problem == NULL ? "" : item->problem, (int)item->text.size,
		item->text.size == 0 ? "" : (const char *)item->text.ptr, item->values.count);
	told->count++;
	return PLM_OK;
}

static enum plm_code feed(struct plm_split *split, const char *bytes, size_t size,
			  struct plm_error *err)
{
	/* A copy of its own, so that a sanitizer sees a read behind the end. */
	uint8_t *copy = malloc(size + 1);
	enum plm_code code = PLM_OK;

	assert_non_null(copy);
	if (size > 0) {
		memcpy(copy, bytes, size);
	}
	code = plm_split_feed(split, plm_slice_of(copy, size), err);
	free(copy);
	for (int i = 0; i < MAX_ITEMS && code == PLM_E_AGAIN; i++) {
		assert_true(plm_split_waits(split));
		code = plm_split_feed(split, (struct plm_slice){0}, err);
	}
	return code;
}

static const struct split_case {
	const char *why;
	enum plm_split_form form;
	const char *text;
	const char *lines; /* NULL: refused */
	const char *revision, *next;
} split_table[] = {
	{"an empty list", PLM_SPLIT_LIST,
	 "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\"},"
	 "\"items\":[]}\n",
	 "", "7", ""},
	{"items that are null", PLM_SPLIT_LIST,
	 "{\"metadata\":{\"resourceVersion\":\"8\"},\"items\":null}", "", "8", ""},
	{"two items and a next page", PLM_SPLIT_LIST,
	 "{\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"abc\",\"remainingItemCount\":3},"
	 "\"items\":[{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\","
	 "\"resourceVersion\":\"5\"}}, {\"spec\":[1,{\"x\":true}],\"metadata\":{\"name\":\"b\"}}]}",
	 "0 n/a u@5 0 |{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\","
	 "\"resourceVersion\":\"5\"}}|6\n"
	 "0 /b @ 0 |{\"spec\":[1,{\"x\":true}],\"metadata\":{\"name\":\"b\"}}|7\n",
	 "9", "abc"},
	{"the head behind the items", PLM_SPLIT_LIST,
	 "{\"items\":[{\"metadata\":{\"name\":\"a\"}}],\"metadata\":{\"continue\":\"c\","
	 "\"resourceVersion\":\"12\"}}",
	 "0 /a @ 0 |{\"metadata\":{\"name\":\"a\"}}|3\n", "12", "c"},
	{"managedFields are taken out, whatever they hold", PLM_SPLIT_LIST,
	 "{\"items\":[{\"metadata\":{\"name\":\"a\",\"managedFields\":[{\"f\":{\"name\":\"x\"}},"
	 "\"]\"],\"uid\":\"u\"},\"managedFields\":[1]}]}",
	 "0 /a u@ 0 |{\"metadata\":{\"name\":\"a\",\"managedFields\":[],\"uid\":\"u\"},"
	 "\"managedFields\":[1]}|7\n",
	 "", ""},
	{"a name elsewhere is not the name", PLM_SPLIT_LIST,
	 "{\"items\":[{\"spec\":{\"name\":\"no\",\"metadata\":{\"name\":\"no\"}},"
	 "\"metadata\":{\"labels\":{\"name\":\"no\"},\"name\":\"yes\","
	 "\"ownerReferences\":[{\"name\":\"no\",\"uid\":\"no\"}]}}]}",
	 "0 /yes @ 0 |{\"spec\":{\"name\":\"no\",\"metadata\":{\"name\":\"no\"}},"
	 "\"metadata\":{\"labels\":{\"name\":\"no\"},\"name\":\"yes\","
	 "\"ownerReferences\":[{\"name\":\"no\",\"uid\":\"no\"}]}}|13\n",
	 "", ""},
	{"a NUL becomes a character that can be read", PLM_SPLIT_LIST,
	 "{\"items\":[{\"a\":\"x\\u0000\\\\u0000\\\"\"}]}",
	 "0 / @ 0 |{\"a\":\"x\\ufffd\\\\u0000\\\"\"}|2\n", "", ""},
	{"a watch", PLM_SPLIT_WATCH,
	 "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}}"
	 "\n"
	 "{\"object\":{\"metadata\":{\"name\":\"b\",\"uid\":\"u\"}},\"type\":\"DELETED\"}\n"
	 "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"managedFields\":[{}],\"name\":\"c\"}}}"
	 "\n",
	 "1 /a @1 0 |{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}|4\n"
	 "3 /b u@ 0 |{\"metadata\":{\"name\":\"b\",\"uid\":\"u\"}}|4\n"
	 "2 /c @ 0 |{\"metadata\":{\"managedFields\":[],\"name\":\"c\"}}|4\n",
	 "", ""},
	{"bookmarks and an error", PLM_SPLIT_WATCH,
	 "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"77\","
	 "\"annotations\":"
	 "{\"k8s.io/initial-events-end\":\"true\"}}}}\n"
	 "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"78\"}}}\n"
	 "{\"type\":\"ERROR\",\"object\":{\"code\":410,\"message\":\"too old\"}}",
	 "4 / @77 end 0 |{\"metadata\":{\"resourceVersion\":\"77\",\"annotations\":"
	 "{\"k8s.io/initial-events-end\":\"true\"}}}|5\n"
	 "4 / @78 0 |{\"metadata\":{\"resourceVersion\":\"78\"}}|3\n"
	 "5 / @ 410 too old|{\"code\":410,\"message\":\"too old\"}|3\n",
	 "", ""},
	{"not JSON", PLM_SPLIT_LIST, "{\"items\":[{]}", NULL, "", ""},
	{"not an object", PLM_SPLIT_LIST, "[1]", NULL, "", ""},
	{"items of another kind", PLM_SPLIT_LIST, "{\"items\":[1]}", NULL, "", ""},
	{"items that are no list", PLM_SPLIT_LIST, "{\"items\":{\"a\":{}}}", NULL, "", ""},
	{"two lists", PLM_SPLIT_LIST, "{\"items\":[]}{}", NULL, "", ""},
	{"a line without a type", PLM_SPLIT_WATCH, "{\"object\":{}}", NULL, "", ""},
	{"a line without an object", PLM_SPLIT_WATCH, "{\"type\":\"ADDED\"}", NULL, "", ""},
	{"a line with two objects", PLM_SPLIT_WATCH,
	 "{\"type\":\"ADDED\",\"object\":{},\"object\":{}}", NULL, "", ""},
	{"an object that is none", PLM_SPLIT_WATCH, "{\"type\":\"ADDED\",\"object\":[]}", NULL, "",
	 ""},
	{"a type of tomorrow", PLM_SPLIT_WATCH, "{\"type\":\"MOVED\",\"object\":{}}", NULL, "", ""},
};

static void check(const struct split_case *row, struct plm_split *split, const struct told *told)
{
	assert_string_equal(told->lines, row->lines);
	assert_true(plm_split_whole(split));
	assert_string_equal(plm_split_head(split)->revision, row->revision);
	assert_string_equal(plm_split_head(split)->next, row->next);
}

/* Cut at 'a' and 'b', with the items of 'refuse' offered twice. */
static void run(const struct split_case *row, struct plm_split *split, size_t a, size_t b,
		uint32_t refuse)
{
	struct told told = {.refuse = refuse};
	size_t size = strlen(row->text);
	struct plm_error err;
	enum plm_code code = PLM_OK;

	plm_split_begin(split, row->form, take, &told);
	code = feed(split, row->text, a, &err);
	code = code == PLM_OK ? feed(split, row->text + a, b - a, &err) : code;
	code = code == PLM_OK ? feed(split, row->text + b, size - b, &err) : code;
	if (row->lines == NULL) {
		assert_int_equal(code, PLM_E_INPUT);
		return;
	}
	assert_int_equal(code, PLM_OK);
	check(row, split, &told);
}

static void split_row(const struct split_case *row)
{
	size_t size = strlen(row->text);
	struct plm_split *split = NULL;

	assert_int_equal(plm_split_new(&split, NULL), PLM_OK);
	for (size_t a = 0; a <= size; a++) {
		run(row, split, a, a, 0);
		run(row, split, a, size, 5);
		run(row, split, a,
		    plm_min((int64_t)a + 7, (int64_t)size) > 0
			    ? (size_t)plm_min((int64_t)a + 7, (int64_t)size)
			    : 0,
		    0xffff);
	}
	plm_split_free(split);
}
PLM_TEST_ROWS(split_row, struct split_case)

/* Byte by byte. */
static void bytes_row(const struct split_case *row)
{
	struct told told = {.refuse = 2};
	struct plm_split *split = NULL;
	enum plm_code code = PLM_OK;
	struct plm_error err;

	assert_int_equal(plm_split_new(&split, NULL), PLM_OK);
	plm_split_begin(split, row->form, take, &told);
	for (const char *at = row->text; *at != '\0' && code == PLM_OK; at++) {
		code = feed(split, at, 1, &err);
	}
	if (row->lines == NULL) {
		assert_int_equal(code, PLM_E_INPUT);
	} else {
		assert_int_equal(code, PLM_OK);
		check(row, split, &told);
	}
	plm_split_free(split);
}
PLM_TEST_ROWS(bytes_row, struct split_case)

/* A watch line around 'middle' repeated. */
static enum plm_code repeated(struct plm_split *split, struct told *told, const char *begin,
			      const char *middle, size_t count, const char *end)
{
	struct plm_error err;
	enum plm_code code = PLM_OK;
	size_t size = strlen(middle);
	char *many = malloc(size * 1000);

	assert_non_null(many);
	for (size_t i = 0; i < 1000; i++) {
		memcpy(many + i * size, middle, size);
	}
	plm_split_begin(split, PLM_SPLIT_WATCH, take, told);
	code = feed(split, begin, strlen(begin), &err);
	for (size_t i = 0; i < count / 1000 && code == PLM_OK; i++) {
		code = feed(split, many, size * 1000, &err);
	}
	free(many);
	return code == PLM_OK ? feed(split, end, strlen(end), &err) : code;
}

#define HEAD                                                                                       \
	"{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"namespace\":\"n\",\"name\":\"x\"},\"a\":"
#define NEXT "}}\n{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"y\"}}}\n"
#define NEXT_TOLD "1 /y @ 0 |{\"metadata\":{\"name\":\"y\"}}|3\n"

/* One bad object neither ends the stream nor stays in memory. */
static void one_object_never_ends_the_stream(void **state)
{
	static const struct {
		const char *begin, *middle;
		size_t count;
		const char *end, *told;
	} table[] = {
		{HEAD "[0", ",0", 201000, "]" NEXT,
		 "1 n/x @ 0 more values than are read of one object||0\n" NEXT_TOLD},
		{HEAD "[\"\"", ",\"........................................\"", 400000, "]" NEXT,
		 NULL},
		{HEAD, "[", 5000, "", ""},
	};
	struct plm_split *split = NULL;

	(void)state;
	assert_int_equal(plm_split_new(&split, NULL), PLM_OK);
	for (size_t i = 0; i < PLM_COUNTOF(table); i++) {
		struct told told = {0};

		assert_int_equal(repeated(split, &told, table[i].begin, table[i].middle,
					  table[i].count, table[i].end),
				 PLM_OK);
		if (table[i].told != NULL) {
			assert_string_equal(told.lines, table[i].told);
		} else {
			assert_non_null(strstr(told.lines, NEXT_TOLD));
		}
	}
	plm_split_free(split);
}

/* Nested too deep for a reader, not for the stream. */
static void deep_objects_come_without_their_bytes(void **state)
{
	struct told told = {0};
	struct plm_split *split = NULL;
	struct plm_error err;
	char close[5001];

	(void)state;
	memset(close, ']', 5000);
	close[5000] = '\0';
	assert_int_equal(plm_split_new(&split, NULL), PLM_OK);
	assert_int_equal(repeated(split, &told, HEAD, "[", 5000, close), PLM_OK);
	assert_int_equal(feed(split, NEXT, strlen(NEXT), &err), PLM_OK);
	assert_string_equal(told.lines, "1 n/x @ 0 nested deeper than is read||0\n" NEXT_TOLD);
	plm_split_free(split);
}

/* 20 MB in one object: the window never holds more than one object may have, and is given back. */
static void the_window_is_bounded(void **state)
{
	struct told told = {0};
	struct plm_split *split = NULL;
	static char piece[16384];
	struct plm_error err;

	(void)state;
	assert_int_equal(plm_split_new(&split, NULL), PLM_OK);
	plm_split_begin(split, PLM_SPLIT_WATCH, take, &told);
	assert_int_equal(feed(split, HEAD "[0", strlen(HEAD "[0"), &err), PLM_OK);
	memset(piece, ' ', sizeof(piece));
	for (size_t i = 0; i < 20 * 64; i++) {
		assert_int_equal(feed(split, piece, sizeof(piece), &err), PLM_OK);
		assert_in_range(plm_split_memory(split), 1, 2 * PLM_LIMIT_ITEM_BYTES + 65536);
	}
	assert_int_equal(feed(split, "]" NEXT, strlen("]" NEXT), &err), PLM_OK);
	assert_int_equal(feed(split, NULL, 0, &err), PLM_OK);
	assert_string_equal(told.lines, "1 n/x @ 0 longer than an object may be||0\n" NEXT_TOLD);
	assert_in_range(plm_split_memory(split), 1, 65536);
	plm_split_free(split);
}

/* A list that is cut off is not whole. */
static void half_an_answer_is_not_whole(void **state)
{
	struct told told = {0};
	struct plm_split *split = NULL;
	struct plm_error err;

	(void)state;
	assert_int_equal(plm_split_new(&split, NULL), PLM_OK);
	plm_split_begin(split, PLM_SPLIT_LIST, take, &told);
	assert_int_equal(feed(split, "{\"items\":[{}]", 13, &err), PLM_OK);
	assert_false(plm_split_whole(split));
	plm_split_begin(split, PLM_SPLIT_WATCH, take, &told);
	assert_int_equal(feed(split, "{\"type\":", 8, &err), PLM_OK);
	assert_false(plm_split_whole(split));
	plm_split_free(split);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, split_row, split_table);
	PLM_TEST_TABLE(&tests, bytes_row, split_table);
	PLM_TEST_ADD(&tests, one_object_never_ends_the_stream);
	PLM_TEST_ADD(&tests, deep_objects_come_without_their_bytes);
	PLM_TEST_ADD(&tests, the_window_is_bounded);
	PLM_TEST_ADD(&tests, half_an_answer_is_not_whole);
	return plm_tests_run(&tests, "split");
}
