#include "tools/json.h"

#include <inttypes.h>

#include "core/sort.h"

#define FIRST_CAPACITY 8U

static struct plm_json *node_new(struct plm_arena *arena, enum plm_json_kind kind)
{
	struct plm_json *node = PLM_NEW(arena, struct plm_json);

	node->arena = arena;
	node->kind = kind;
	return node;
}

struct plm_json *plm_json_null(struct plm_arena *arena)
{
	return node_new(arena, PLM_JSON_NULL);
}

struct plm_json *plm_json_bool(struct plm_arena *arena, bool value)
{
	struct plm_json *node = node_new(arena, PLM_JSON_BOOL);

	node->number = value ? 1 : 0;
	return node;
}

struct plm_json *plm_json_int(struct plm_arena *arena, int64_t value)
{
	struct plm_json *node = node_new(arena, PLM_JSON_INT);

	node->number = value;
	return node;
}

struct plm_json *plm_json_text(struct plm_arena *arena, struct plm_slice text)
{
	struct plm_json *node = node_new(arena, PLM_JSON_TEXT);

	node->text = text;
	return node;
}

struct plm_json *plm_json_str(struct plm_arena *arena, const char *text)
{
	return plm_json_text(arena, plm_slice_str(text));
}

struct plm_json *plm_json_list(struct plm_arena *arena)
{
	return node_new(arena, PLM_JSON_LIST);
}

struct plm_json *plm_json_object(struct plm_arena *arena)
{
	return node_new(arena, PLM_JSON_OBJECT);
}

struct plm_json *plm_json_document(struct plm_arena *arena, const char *kind)
{
	struct plm_json *node = plm_json_object(arena);

	plm_json_put_str(node, "apiVersion", "plimsoll.dev/v1alpha1");
	plm_json_put_str(node, "kind", kind);
	return node;
}

static void append(struct plm_json *node, struct plm_slice key, struct plm_json *item)
{
	PLM_ASSERT(item != NULL);
	if (node->count == node->capacity) {
		size_t capacity = node->capacity == 0 ? FIRST_CAPACITY : node->capacity * 2;
		struct plm_json **items = PLM_NEW_ARRAY(node->arena, capacity, struct plm_json *);
		struct plm_slice *keys = NULL;

		if (node->kind == PLM_JSON_OBJECT) {
			keys = PLM_NEW_ARRAY(node->arena, capacity, struct plm_slice);
		}
		if (node->count > 0) {
			memcpy(items, node->items, node->count * sizeof(struct plm_json *));
		}
		if (node->count > 0 && keys != NULL) {
			memcpy(keys, node->keys, node->count * sizeof(struct plm_slice));
		}
		node->items = items;
		node->keys = keys;
		node->capacity = capacity;
	}
	node->items[node->count] = item;
	if (node->kind == PLM_JSON_OBJECT) {
		PLM_ASSERT(node->keys != NULL);
		node->keys[node->count] = key;
		node->sorted = false;
	}
	node->count++;
}

void plm_json_add(struct plm_json *list, struct plm_json *item)
{
	PLM_ASSERT(list->kind == PLM_JSON_LIST);
	append(list, (struct plm_slice){0}, item);
}

void plm_json_add_text(struct plm_json *list, struct plm_slice text)
{
	plm_json_add(list, plm_json_text(list->arena, text));
}

void plm_json_put_key(struct plm_json *object, struct plm_slice key, struct plm_json *item)
{
	PLM_ASSERT(object->kind == PLM_JSON_OBJECT);
	append(object, key, item);
}

void plm_json_put(struct plm_json *object, const char *key, struct plm_json *item)
{
	plm_json_put_key(object, plm_slice_str(key), item);
}

void plm_json_put_int(struct plm_json *object, const char *key, int64_t value)
{
	plm_json_put(object, key, plm_json_int(object->arena, value));
}

void plm_json_put_bool(struct plm_json *object, const char *key, bool value)
{
	plm_json_put(object, key, plm_json_bool(object->arena, value));
}

void plm_json_put_text(struct plm_json *object, const char *key, struct plm_slice text)
{
	plm_json_put(object, key, plm_json_text(object->arena, text));
}

void plm_json_put_str(struct plm_json *object, const char *key, const char *text)
{
	plm_json_put_text(object, key, plm_slice_str(text));
}

void plm_json_put_some(struct plm_json *object, const char *key, struct plm_slice text)
{
	if (text.size > 0) {
		plm_json_put_text(object, key, text);
	}
}

/* ---- order and comparison --------------------------------------------------------------------- */

static int key_order(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_json *node = context;

	return plm_slice_compare(node->keys[a], node->keys[b]);
}

void plm_json_sort(struct plm_json *object)
{
	uint32_t *order = NULL;
	struct plm_slice *keys = NULL;
	struct plm_json **items = NULL;

	PLM_ASSERT(object->kind == PLM_JSON_OBJECT && object->count < UINT32_MAX);
	if (object->sorted || object->count == 0) {
		return;
	}
	order = PLM_NEW_ARRAY(object->arena, object->count, uint32_t);
	keys = PLM_NEW_ARRAY(object->arena, object->count, struct plm_slice);
	items = PLM_NEW_ARRAY(object->arena, object->count, struct plm_json *);
	for (uint32_t i = 0; i < object->count; i++) {
		order[i] = i;
	}
	plm_sort(order, object->count, key_order, object, object->arena);
	for (uint32_t i = 0; i < object->count; i++) {
		keys[i] = object->keys[order[i]];
		items[i] = object->items[order[i]];
		PLM_ASSERT(i == 0 || plm_slice_compare(keys[i - 1], keys[i]) < 0);
	}
	object->keys = keys;
	object->items = items;
	object->capacity = object->count;
	object->sorted = true;
}

struct plm_json *plm_json_get(struct plm_json *object, struct plm_slice key)
{
	size_t low = 0;
	size_t high = object->count;

	if (object->kind != PLM_JSON_OBJECT) {
		return NULL;
	}
	plm_json_sort(object);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = plm_slice_compare(object->keys[middle], key);

		if (order == 0) {
			return object->items[middle];
		}
		if (order < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return NULL;
}

static bool equal_at(struct plm_json *a, struct plm_json *b, int depth)
{
	PLM_ASSERT(depth < PLM_JSON_MAX_DEPTH);
	if (a->kind != b->kind || a->count != b->count || a->number != b->number ||
	    !plm_slice_equal(a->text, b->text)) {
		return false;
	}
	if (a->kind == PLM_JSON_OBJECT) {
		plm_json_sort(a);
		plm_json_sort(b);
	}
	for (size_t i = 0; i < a->count; i++) {
		if (a->kind == PLM_JSON_OBJECT && !plm_slice_equal(a->keys[i], b->keys[i])) {
			return false;
		}
		if (!equal_at(a->items[i], b->items[i], depth + 1)) {
			return false;
		}
	}
	return true;
}

bool plm_json_equal(struct plm_json *a, struct plm_json *b)
{
	return equal_at(a, b, 0);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

/* Writers return nothing: stdio keeps the error, and whoever owns 'out' asks for it once. */
static void put(FILE *out, const char *text)
{
	(void)fputs(text, out);
}

static void indent(FILE *out, int depth)
{
	(void)fprintf(out, "%*s", depth * 2, "");
}

static const char *escape_of(uint8_t byte)
{
	switch (byte) {
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '\n':
		return "\\n";
	case '\r':
		return "\\r";
	case '\t':
		return "\\t";
	case '\b':
		return "\\b";
	case '\f':
		return "\\f";
	default:
		return NULL;
	}
}

void plm_json_write_text(FILE *out, struct plm_slice text)
{
	size_t start = 0;

	(void)fputc('"', out);
	for (size_t i = 0; i < text.size; i++) {
		const char *escape = escape_of(text.ptr[i]);

		if (escape == NULL && text.ptr[i] >= 0x20 && text.ptr[i] != 0x7f) {
			continue;
		}
		(void)fwrite(text.ptr + start, 1, i - start, out);
		if (escape != NULL) {
			put(out, escape);
		} else {
			(void)fprintf(out, "\\u%04x", text.ptr[i]);
		}
		start = i + 1;
	}
	if (start < text.size) {
		(void)fwrite(text.ptr + start, 1, text.size - start, out);
	}
	(void)fputc('"', out);
}

static void write_scalar(FILE *out, const struct plm_json *node)
{
	switch (node->kind) {
	case PLM_JSON_NULL:
		put(out, "null");
		break;
	case PLM_JSON_BOOL:
		put(out, node->number != 0 ? "true" : "false");
		break;
	case PLM_JSON_INT:
		(void)fprintf(out, "%" PRId64, node->number);
		break;
	case PLM_JSON_TEXT:
		plm_json_write_text(out, node->text);
		break;
	case PLM_JSON_LIST:
		put(out, "[]");
		break;
	case PLM_JSON_OBJECT:
		put(out, "{}");
		break;
	}
}

static void write_json(FILE *out, struct plm_json *node, bool pretty, int depth)
{
	bool object = node->kind == PLM_JSON_OBJECT;

	PLM_ASSERT(depth < PLM_JSON_MAX_DEPTH);
	if (node->count == 0) {
		write_scalar(out, node);
		return;
	}
	if (object) {
		plm_json_sort(node);
	}
	put(out, object ? "{" : "[");
	for (size_t i = 0; i < node->count; i++) {
		put(out, i == 0 ? "" : ",");
		if (pretty) {
			put(out, "\n");
			indent(out, depth + 1);
		}
		if (object) {
			plm_json_write_text(out, node->keys[i]);
			put(out, pretty ? ": " : ":");
		}
		write_json(out, node->items[i], pretty, depth + 1);
	}
	if (pretty) {
		put(out, "\n");
		indent(out, depth);
	}
	put(out, object ? "}" : "]");
}

/* ---- YAML -------------------------------------------------------------------------------------- */

static bool plain_first(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
	       byte == '/' || byte == '$';
}

static bool plain_rest(uint8_t byte)
{
	return plain_first(byte) || (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' ||
	       byte == '+' || byte == '(' || byte == ')' || byte == '=' || byte == ';';
}

static bool plain_word(struct plm_slice text)
{
	/* What YAML 1.1 readers take for something else than a text, in lower case. */
	static const char *const words[] = {"null", "true", "false", "yes", "no",  "on",
					    "off",  "y",    "n",     "~",   "inf", "nan"};
	char lower[8] = {0};

	if (text.size >= sizeof(lower)) {
		return true;
	}
	for (size_t i = 0; i < text.size; i++) {
		uint8_t byte = text.ptr[i];

		lower[i] = (char)(byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte);
	}
	for (size_t i = 0; i < PLM_COUNTOF(words); i++) {
		if (strcmp(lower, words[i]) == 0) {
			return false;
		}
	}
	return true;
}

/* May 'text' stand without quotes? Narrow on purpose: quotes never hurt. */
static bool plain(struct plm_slice text)
{
	if (text.size == 0 || !plain_first(text.ptr[0]) || !plain_word(text)) {
		return false;
	}
	for (size_t i = 1; i < text.size; i++) {
		bool space = text.ptr[i] == ' ' && i + 1 < text.size && text.ptr[i + 1] != ' ';

		if (!plain_rest(text.ptr[i]) && !space) {
			return false;
		}
	}
	return true;
}

static void spell_text(FILE *out, struct plm_slice text)
{
	if (plain(text)) {
		(void)fwrite(text.ptr, 1, text.size, out);
	} else {
		plm_json_write_text(out, text);
	}
}

static void spell_node(FILE *out, struct plm_json *node, int depth);

/* What follows "key:" or "-": on the same line, or below it. */
static void spell_value(FILE *out, struct plm_json *node, int depth)
{
	if (node->kind == PLM_JSON_TEXT) {
		put(out, " ");
		spell_text(out, node->text);
		put(out, "\n");
	} else if (node->count == 0) {
		put(out, " ");
		write_scalar(out, node);
		put(out, "\n");
	} else {
		put(out, "\n");
		spell_node(out, node, depth);
	}
}

/* "- " and the first member of an object share a line, as kubectl prints it. */
static void spell_item(FILE *out, struct plm_json *item, int depth)
{
	indent(out, depth);
	put(out, "-");
	if (item->kind != PLM_JSON_OBJECT || item->count == 0) {
		spell_value(out, item, depth + 1);
		return;
	}
	plm_json_sort(item);
	for (size_t i = 0; i < item->count; i++) {
		if (i == 0) {
			put(out, " ");
		} else {
			indent(out, depth + 1);
		}
		spell_text(out, item->keys[i]);
		put(out, ":");
		spell_value(out, item->items[i],
			    item->items[i]->kind == PLM_JSON_LIST ? depth + 1 : depth + 2);
	}
}

static void spell_node(FILE *out, struct plm_json *node, int depth)
{
	PLM_ASSERT(depth < PLM_JSON_MAX_DEPTH * 2);
	if (node->kind == PLM_JSON_OBJECT) {
		plm_json_sort(node);
	}
	for (size_t i = 0; i < node->count; i++) {
		if (node->kind == PLM_JSON_LIST) {
			spell_item(out, node->items[i], depth);
			continue;
		}
		indent(out, depth);
		spell_text(out, node->keys[i]);
		put(out, ":");
		spell_value(out, node->items[i],
			    node->items[i]->kind == PLM_JSON_LIST ? depth : depth + 1);
	}
}

static void write_yaml(FILE *out, struct plm_json *node)
{
	if (node->kind == PLM_JSON_TEXT) {
		spell_text(out, node->text);
		put(out, "\n");
	} else if (node->count == 0) {
		write_scalar(out, node);
		put(out, "\n");
	} else {
		spell_node(out, node, 0);
	}
}

void plm_json_write(FILE *out, struct plm_json *node, enum plm_json_style style)
{
	if (style == PLM_JSON_YAML) {
		write_yaml(out, node);
		return;
	}
	write_json(out, node, style == PLM_JSON_PRETTY, 0);
	put(out, "\n");
}
