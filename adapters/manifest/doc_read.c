/* The typed reads of doc.h. */
#include "adapters/manifest/doc.h"

#include "core/timefmt.h"
#include "core/units.h"

#include <stdio.h>

/* The node that a read is about; NULL when absent or null. */
static struct plm_doc *pick(struct plm_doc *map, const char *key)
{
	if (key != NULL) {
		return plm_doc_get(map, key);
	}
	return map == NULL || map->kind == PLM_DOC_NULL ? NULL : map;
}

static const char *kind_text(const struct plm_doc *node)
{
	switch (node->kind) {
	case PLM_DOC_NULL:
		return "null";
	case PLM_DOC_BOOL:
		return "true or false";
	case PLM_DOC_NUMBER:
		return "a number";
	case PLM_DOC_TEXT:
		return "a text";
	case PLM_DOC_LIST:
		return "a list";
	case PLM_DOC_MAP:
		return "a map";
	}
	PLM_UNREACHABLE();
}

static void wrong_kind(struct plm_doc_tree *tree, const struct plm_doc *node, const char *wanted)
{
	plm_doc_fail(tree, node, "must be %s, is %s", wanted, kind_text(node));
}

struct plm_doc *plm_doc_map(struct plm_doc_tree *tree, struct plm_doc *map, const char *key)
{
	struct plm_doc *node = pick(map, key);

	if (node != NULL && node->kind != PLM_DOC_MAP) {
		wrong_kind(tree, node, "a map");
		return NULL;
	}
	return node;
}

struct plm_doc *plm_doc_list(struct plm_doc_tree *tree, struct plm_doc *map, const char *key)
{
	struct plm_doc *node = pick(map, key);

	if (node != NULL && node->kind != PLM_DOC_LIST) {
		wrong_kind(tree, node, "a list");
		return NULL;
	}
	return node;
}

struct plm_slice plm_doc_text(struct plm_doc_tree *tree, struct plm_doc *map, const char *key)
{
	struct plm_doc *node = pick(map, key);

	if (node == NULL) {
		return (struct plm_slice){0};
	}
	if (node->kind == PLM_DOC_NUMBER || node->kind == PLM_DOC_BOOL) {
		plm_doc_fail(tree, node, "must be a text, is %s: put %.*s in quotes",
			     kind_text(node), (int)node->text.size, (const char *)node->text.ptr);
		return (struct plm_slice){0};
	}
	if (node->kind != PLM_DOC_TEXT) {
		wrong_kind(tree, node, "a text");
		return (struct plm_slice){0};
	}
	return node->text;
}

struct plm_slice plm_doc_text_required(struct plm_doc_tree *tree, struct plm_doc *map,
				       const char *key)
{
	struct plm_slice text = plm_doc_text(tree, map, key);

	if (text.size == 0) {
		plm_doc_fail(tree, map, "%s is required", key == NULL ? "a text" : key);
	}
	return text;
}

int64_t plm_doc_bool(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
		     int64_t absent)
{
	struct plm_doc *node = pick(map, key);

	if (node == NULL) {
		return absent;
	}
	if (node->kind != PLM_DOC_BOOL) {
		wrong_kind(tree, node, "true or false");
		return absent;
	}
	return node->text.ptr[0] == 't' ? 1 : 0;
}

/* Decimal digits with an optional minus. */
static bool parse_int(struct plm_slice text, int64_t *out)
{
	bool negative = text.size > 0 && text.ptr[0] == '-';
	size_t at = negative ? 1 : 0;
	int64_t value = 0;

	if (at == text.size || (text.ptr[at] == '0' && text.size > at + 1)) {
		return false;
	}
	for (; at < text.size; at++) {
		int64_t digit = text.ptr[at] - '0';

		if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_sub_overflow(value, digit, &value)) {
			return false;
		}
	}
	if (!negative && value == INT64_MIN) {
		return false;
	}
	*out = negative ? value : -value;
	return true;
}

struct range {
	int64_t low, high;
};

static int64_t read_int(struct plm_doc_tree *tree, struct plm_doc *node, int64_t absent,
			struct range range)
{
	int64_t value = 0;

	if (node == NULL) {
		return absent;
	}
	if (node->kind != PLM_DOC_NUMBER) {
		wrong_kind(tree, node, "a whole number");
		return absent;
	}
	if (!parse_int(node->text, &value)) {
		plm_doc_fail(tree, node, "must be a whole number, is %.*s", (int)node->text.size,
			     (const char *)node->text.ptr);
		return absent;
	}
	if (value < range.low || value > range.high) {
		plm_doc_fail(tree, node, "must be from %lld to %lld, is %lld", (long long)range.low,
			     (long long)range.high, (long long)value);
		return absent;
	}
	return value;
}

int64_t plm_doc_int(struct plm_doc_tree *tree, struct plm_doc *map, const char *key, int64_t absent)
{
	/* INT64_MIN is PLM_UNSET */
	return read_int(tree, pick(map, key), absent, (struct range){INT64_MIN + 1, INT64_MAX});
}

int64_t plm_doc_int32(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
		      int64_t absent)
{
	return read_int(tree, pick(map, key), absent, (struct range){INT32_MIN, INT32_MAX});
}

int64_t plm_doc_count(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
		      int64_t absent)
{
	return read_int(tree, pick(map, key), absent, (struct range){0, INT32_MAX});
}

struct plm_slice plm_doc_int_or_text(struct plm_doc_tree *tree, struct plm_doc *map,
				     const char *key)
{
	struct plm_doc *node = pick(map, key);

	if (node == NULL) {
		return (struct plm_slice){0};
	}
	if (node->kind != PLM_DOC_NUMBER && node->kind != PLM_DOC_TEXT) {
		wrong_kind(tree, node, "a whole number or a text");
		return (struct plm_slice){0};
	}
	return node->text;
}

/* "A, B or C" of what may be written. */
static void list_names(const struct plm_wire_names *names, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < names->count; i++) {
		const char *between = i + 1 == names->count ? " or " : ", ";
		int more = 0;

		if (names->texts[i][0] == '\0' || used >= size) {
			continue;
		}
		more = snprintf(text + used, size - used, "%s%s", used > 0 ? between : "",
				names->texts[i]);
		used += more > 0 ? (size_t)more : 0;
	}
}

int64_t plm_doc_enum(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
		     const struct plm_wire_names *names, int64_t absent)
{
	struct plm_doc *node = pick(map, key);
	struct plm_slice text = plm_doc_text(tree, node, NULL);
	int64_t value = plm_names_find(names, text);
	char known[256];

	if (text.size == 0) {
		return absent;
	}
	if (value < 0) {
		list_names(names, known, sizeof(known));
		plm_doc_fail(tree, node, "must be %s, is \"%.*s\"", known, (int)text.size,
			     (const char *)text.ptr);
		return absent;
	}
	return value;
}

int64_t plm_doc_duration(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
			 int64_t absent)
{
	struct plm_doc *node = pick(map, key);
	struct plm_slice text = {0};
	struct plm_error err = {0};
	int64_t value = absent;

	if (node == NULL) {
		return absent;
	}
	text = node->kind == PLM_DOC_NUMBER ? node->text : plm_doc_text(tree, node, NULL);
	if (tree->code != PLM_OK) {
		return absent;
	}
	if (plm_duration_parse_ms(text, &value, &err) != PLM_OK) {
		plm_doc_fail(tree, node, "%s", err.text);
		return absent;
	}
	if (value < 0) {
		plm_doc_fail(tree, node, "must not be negative");
		return absent;
	}
	return value;
}

int64_t plm_doc_duration_or_never(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
				  int64_t absent)
{
	struct plm_doc *node = pick(map, key);

	if (node != NULL && node->kind == PLM_DOC_TEXT && plm_slice_is(node->text, "Never")) {
		return PLM_UNSET;
	}
	return plm_doc_duration(tree, node, NULL, absent);
}

int64_t plm_doc_time(struct plm_doc_tree *tree, struct plm_doc *map, const char *key)
{
	struct plm_doc *node = pick(map, key);
	struct plm_slice text = plm_doc_text(tree, node, NULL);
	struct plm_error err = {0};
	int64_t ms = PLM_UNSET;

	if (text.size == 0) {
		return PLM_UNSET;
	}
	if (plm_time_parse(text, &ms, &err) != PLM_OK) {
		plm_doc_fail(tree, node, "%s", err.text);
		return PLM_UNSET;
	}
	return ms;
}

int64_t plm_doc_quantity(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
			 enum plm_scale scale, int64_t absent)
{
	struct plm_doc *node = pick(map, key);
	struct plm_error err = {0};
	int64_t value = absent;

	if (node == NULL) {
		return absent;
	}
	if (node->kind != PLM_DOC_NUMBER && node->kind != PLM_DOC_TEXT) {
		wrong_kind(tree, node, "a quantity");
		return absent;
	}
	if (plm_quantity_parse(node->text, scale, &value, &err) != PLM_OK) {
		plm_doc_fail(tree, node, "%s", err.text);
		return absent;
	}
	if (value < 0) {
		plm_doc_fail(tree, node, "must not be negative, is %.*s", (int)node->text.size,
			     (const char *)node->text.ptr);
		return absent;
	}
	return value;
}

struct plm_vec plm_doc_texts(struct plm_doc_tree *tree, struct plm_doc *map, const char *key)
{
	struct plm_doc *list = plm_doc_list(tree, map, key);
	struct plm_slice *texts = NULL;
	size_t count = 0;

	if (list == NULL || list->count == 0) {
		return (struct plm_vec){0};
	}
	texts = PLM_NEW_ARRAY(tree->arena, list->count, struct plm_slice);
	for (struct plm_doc *item = list->first; item != NULL; item = item->next) {
		texts[count++] = plm_doc_text(tree, item, NULL);
	}
	return (struct plm_vec){texts, count};
}

/*
 * The children of 'map' sorted by key; NULL when there is none. Insertion into a sorted prefix: maps of
 * an object are short and mostly sorted as kubectl prints them; long ones are merged by halves.
 */
static void merge(struct plm_doc **nodes, struct plm_doc **spare, size_t half, size_t count)
{
	size_t left = 0;
	size_t right = half;

	for (size_t i = 0; i < count; i++) {
		bool take = right == count ||
			    (left < half &&
			     plm_slice_compare(nodes[left]->key, nodes[right]->key) <= 0);

		spare[i] = nodes[take ? left : right];
		left += take ? 1 : 0;
		right += take ? 0 : 1;
	}
	memcpy(nodes, spare, count * sizeof(*nodes));
}

static void sort(struct plm_doc **nodes, struct plm_doc **spare, size_t count)
{
	for (size_t width = 1; width < count; width *= 2) {
		for (size_t at = 0; at + width < count; at += 2 * width) {
			size_t size = count - at < 2 * width ? count - at : 2 * width;

			if (plm_slice_compare(nodes[at + width - 1]->key, nodes[at + width]->key) >
			    0) {
				merge(nodes + at, spare, width, size);
			}
		}
	}
}

static struct plm_doc **sorted(struct plm_doc_tree *tree, struct plm_doc *map)
{
	struct plm_doc **nodes = PLM_NEW_ARRAY(tree->arena, map->count, struct plm_doc *);
	struct plm_doc **spare = PLM_NEW_ARRAY(tree->arena, map->count, struct plm_doc *);
	size_t count = 0;

	for (struct plm_doc *node = map->first; node != NULL; node = node->next) {
		nodes[count++] = node;
	}
	PLM_ASSERT(count == map->count);
	sort(nodes, spare, count);
	return nodes;
}

struct plm_vec plm_doc_kv(struct plm_doc_tree *tree, struct plm_doc *map, const char *key)
{
	struct plm_doc *node = plm_doc_map(tree, map, key);
	struct plm_doc **nodes = NULL;
	struct plm_w_kv *list = NULL;

	if (node == NULL || node->count == 0) {
		return (struct plm_vec){0};
	}
	plm_doc_ignore(node);
	nodes = sorted(tree, node);
	list = PLM_NEW_ARRAY(tree->arena, node->count, struct plm_w_kv);
	for (size_t i = 0; i < node->count; i++) {
		list[i].key = nodes[i]->key;
		list[i].value = plm_doc_text(tree, nodes[i], NULL);
	}
	return (struct plm_vec){list, node->count};
}

struct plm_vec plm_doc_amounts(struct plm_doc_tree *tree, struct plm_doc *map, const char *key)
{
	struct plm_doc *node = plm_doc_map(tree, map, key);
	struct plm_doc **nodes = NULL;
	struct plm_w_amount *list = NULL;

	if (node == NULL || node->count == 0) {
		return (struct plm_vec){0};
	}
	plm_doc_ignore(node);
	nodes = sorted(tree, node);
	list = PLM_NEW_ARRAY(tree->arena, node->count, struct plm_w_amount);
	for (size_t i = 0; i < node->count; i++) {
		list[i].resource = nodes[i]->key;
		list[i].amount = plm_doc_quantity(tree, nodes[i], NULL,
						  plm_resource_scale(nodes[i]->key), 0);
	}
	return (struct plm_vec){list, node->count};
}
