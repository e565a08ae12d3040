/*
 * yaml.c - libyaml's events as a tree
 *
 * One document (or one item cut out of a list) at a time. Untagged plain scalars are resolved as
 * kubectl does: null, true and false with their YAML 1.1 spellings, decimal numbers; all else is text.
 */
#include "adapters/manifest/build.h"

#include "core/limits.h"

#include <yaml.h>

struct anchor {
	struct plm_slice name;
	struct plm_doc *node;
};

struct yaml {
	struct plm_doc_build build;
	yaml_parser_t parser;
	int line;	      /* of the first line of the text */
	struct plm_doc *open; /* the map or list that is being filled */
	size_t depth;
	bool has_key; /* 'key' waits for its value */
	struct plm_slice key;
	int key_line;
	struct anchor anchors[PLM_LIMIT_DOC_ANCHORS];
	size_t anchor_count;
};

static int line_of(const struct yaml *y, yaml_mark_t mark)
{
	return y->line + (int)mark.line;
}

/* A failure at a place where there is no node yet. */
static void fail_at(struct yaml *y, int line, const char *what)
{
	struct plm_doc place = {.line = line, .parent = NULL};

	plm_doc_fail(y->build.tree, &place, "%s", what);
}

static struct plm_slice cstr(const yaml_char_t *text)
{
	return plm_slice_str((const char *)text);
}

/* ---- scalars ----------------------------------------------------------------------------------- */

static bool among(struct plm_slice text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (plm_slice_is(text, list[i])) {
			return true;
		}
	}
	return false;
}

static bool is_null(struct plm_slice text)
{
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};

	return among(text, nulls, PLM_COUNTOF(nulls));
}

static bool is_true(struct plm_slice text)
{
	static const char *const trues[] = {"true", "True", "TRUE", "yes", "Yes",
					    "YES",  "on",   "On",   "ON"};

	return among(text, trues, PLM_COUNTOF(trues));
}

static bool is_false(struct plm_slice text)
{
	static const char *const falses[] = {"false", "False", "FALSE", "no", "No",
					     "NO",    "off",   "Off",	"OFF"};

	return among(text, falses, PLM_COUNTOF(falses));
}

static size_t digits(struct plm_slice text, size_t at)
{
	while (at < text.size && text.ptr[at] >= '0' && text.ptr[at] <= '9') {
		at++;
	}
	return at;
}

/* [-+]? digits [. digits] [e [-+] digits], at least one digit before or behind the point. */
static bool is_number(struct plm_slice text)
{
	size_t start = text.size > 0 && (text.ptr[0] == '-' || text.ptr[0] == '+') ? 1 : 0;
	size_t at = digits(text, start);
	size_t count = at - start;

	if (at < text.size && text.ptr[at] == '.') {
		size_t behind = digits(text, at + 1);

		count += behind - at - 1;
		at = behind;
	}
	if (count > 0 && at < text.size && (text.ptr[at] == 'e' || text.ptr[at] == 'E')) {
		size_t sign = at + 1;

		if (sign < text.size && (text.ptr[sign] == '-' || text.ptr[sign] == '+')) {
			sign++;
		}
		at = digits(text, sign);
		count = at > sign ? count : 0;
	}
	return count > 0 && at == text.size;
}

/* The first byte tells for most texts that they are nothing but text. */
static enum plm_doc_kind resolve(struct plm_slice text)
{
	if (text.size > 0 && memchr("0123456789+-.~nNtTfFyYoO", text.ptr[0], 24) == NULL) {
		return PLM_DOC_TEXT;
	}
	if (is_null(text)) {
		return PLM_DOC_NULL;
	}
	if (is_true(text) || is_false(text)) {
		return PLM_DOC_BOOL;
	}
	return is_number(text) ? PLM_DOC_NUMBER : PLM_DOC_TEXT;
}

static enum plm_doc_kind tagged(struct yaml *y, const yaml_event_t *event, struct plm_slice text)
{
	static const struct {
		const char *tag;
		enum plm_doc_kind kind;
	} tags[] = {
		{"!", PLM_DOC_TEXT},
		{YAML_STR_TAG, PLM_DOC_TEXT},
		{YAML_INT_TAG, PLM_DOC_NUMBER},
		{YAML_FLOAT_TAG, PLM_DOC_NUMBER},
		{YAML_BOOL_TAG, PLM_DOC_BOOL},
		{YAML_NULL_TAG, PLM_DOC_NULL},
		{YAML_TIMESTAMP_TAG, PLM_DOC_TEXT},
	};
	struct plm_slice tag = cstr(event->data.scalar.tag);

	for (size_t i = 0; i < PLM_COUNTOF(tags); i++) {
		if (!plm_slice_is(tag, tags[i].tag)) {
			continue;
		}
		if (tags[i].kind != PLM_DOC_TEXT && resolve(text) != tags[i].kind) {
			fail_at(y, line_of(y, event->start_mark),
				"the value is not what its tag says");
		}
		return tags[i].kind;
	}
	fail_at(y, line_of(y, event->start_mark), "this tag is not supported");
	return PLM_DOC_TEXT;
}

static enum plm_doc_kind scalar_kind(struct yaml *y, const yaml_event_t *event,
				     struct plm_slice text)
{
	if (event->data.scalar.tag != NULL) {
		return tagged(y, event, text);
	}
	if (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) {
		return PLM_DOC_TEXT;
	}
	return resolve(text);
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static struct plm_doc *add(struct yaml *y, const yaml_event_t *event)
{
	struct plm_slice key = y->key;
	int line = y->has_key ? y->key_line : line_of(y, event->start_mark);
	struct plm_doc *node = NULL;

	if (y->open == NULL && y->build.tree->root != NULL) {
		fail_at(y, line, "more than one document where one is expected");
		return NULL;
	}
	y->has_key = false;
	y->key = (struct plm_slice){0};
	node = plm_doc_add(&y->build, y->open, key, line);
	if (node != NULL) {
		node->begin = (uint32_t)event->start_mark.index;
		node->end = (uint32_t)event->end_mark.index;
	}
	return node;
}

static void remember(struct yaml *y, const yaml_char_t *name, struct plm_doc *node)
{
	if (name == NULL || node == NULL) {
		return;
	}
	if (y->anchor_count == PLM_LIMIT_DOC_ANCHORS) {
		plm_doc_fail(y->build.tree, node, "more than %d anchors in one document",
			     PLM_LIMIT_DOC_ANCHORS);
		return;
	}
	y->anchors[y->anchor_count++] =
		(struct anchor){plm_doc_copy_text(&y->build, cstr(name)), node};
}

static void scalar(struct yaml *y, const yaml_event_t *event)
{
	struct plm_slice text = plm_slice_of(event->data.scalar.value, event->data.scalar.length);
	struct plm_doc *node = NULL;

	if (memchr(event->data.scalar.value, 0, event->data.scalar.length) != NULL) {
		fail_at(y, line_of(y, event->start_mark), "a text must not contain NUL");
		return;
	}
	text = plm_doc_copy_text(&y->build, text);
	if (y->open != NULL && y->open->kind == PLM_DOC_MAP && !y->has_key) {
		y->key = text;
		y->key_line = line_of(y, event->start_mark);
		y->has_key = true;
		if (event->data.scalar.anchor != NULL) {
			fail_at(y, y->key_line, "a key must not have an anchor");
		}
		return;
	}
	node = add(y, event);
	if (node == NULL) {
		return;
	}
	node->kind = scalar_kind(y, event, text);
	node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	node->text = text;
	if (node->kind == PLM_DOC_BOOL) {
		node->text = plm_slice_str(is_true(text) ? "true" : "false");
	}
	remember(y, event->data.scalar.anchor, node);
}

static bool key_expected(struct yaml *y, const yaml_event_t *event)
{
	if (y->open != NULL && y->open->kind == PLM_DOC_MAP && !y->has_key) {
		fail_at(y, line_of(y, event->start_mark), "a key must be a text");
		return true;
	}
	return false;
}

static void begin(struct yaml *y, const yaml_event_t *event, enum plm_doc_kind kind,
		  const yaml_char_t *anchor)
{
	struct plm_doc *node = key_expected(y, event) ? NULL : add(y, event);

	if (node == NULL) {
		return;
	}
	if (y->depth == PLM_LIMIT_DOC_DEPTH) {
		plm_doc_fail(y->build.tree, node, "nested deeper than %d", PLM_LIMIT_DOC_DEPTH);
		return;
	}
	node->kind = kind;
	y->open = node;
	y->depth++;
	remember(y, anchor, node);
}

/* ---- aliases and merge keys -------------------------------------------------------------------- */

/* A copy of what 'from' holds, below 'to'. Depth and number of values are limited. */
static void copy_into(struct yaml *y, struct plm_doc *to, const struct plm_doc *from, size_t depth)
{
	if (depth > PLM_LIMIT_DOC_DEPTH) {
		plm_doc_fail(y->build.tree, to, "nested deeper than %d", PLM_LIMIT_DOC_DEPTH);
		return;
	}
	to->kind = from->kind;
	to->text = from->text;
	to->quoted = from->quoted;
	to->begin = from->begin;
	to->end = from->end;
	for (const struct plm_doc *child = from->first; child != NULL; child = child->next) {
		struct plm_doc *copy = plm_doc_add(&y->build, to, child->key, child->line);

		if (copy == NULL) {
			return;
		}
		copy_into(y, copy, child, depth + 1);
	}
}

static const struct plm_doc *find_anchor(const struct yaml *y, struct plm_slice name)
{
	for (size_t i = y->anchor_count; i > 0; i--) {
		if (plm_slice_equal(y->anchors[i - 1].name, name)) {
			return y->anchors[i - 1].node;
		}
	}
	return NULL;
}

static void alias(struct yaml *y, const yaml_event_t *event)
{
	const struct plm_doc *from = find_anchor(y, cstr(event->data.alias.anchor));
	struct plm_doc *node = NULL;

	if (from == NULL) {
		fail_at(y, line_of(y, event->start_mark), "an alias without its anchor");
		return;
	}
	for (const struct plm_doc *up = y->open; up != NULL; up = up->parent) {
		if (up == from) {
			fail_at(y, line_of(y, event->start_mark), "an alias inside its own anchor");
			return;
		}
	}
	node = key_expected(y, event) ? NULL : add(y, event);
	if (node != NULL) {
		copy_into(y, node, from, y->depth);
	}
}

/* Members of 'from' that 'map' does not have yet. */
static void merge_from(struct yaml *y, struct plm_doc *map, const struct plm_doc *from)
{
	if (from->kind != PLM_DOC_MAP) {
		plm_doc_fail(y->build.tree, from, "a merge key takes a map");
		return;
	}
	for (const struct plm_doc *child = from->first; child != NULL; child = child->next) {
		bool there = false;

		for (const struct plm_doc *own = map->first; own != NULL; own = own->next) {
			there = there || plm_slice_equal(own->key, child->key);
		}
		if (!there) {
			struct plm_doc *copy = plm_doc_add(&y->build, map, child->key, child->line);

			if (copy == NULL) {
				return;
			}
			copy_into(y, copy, child, y->depth);
		}
	}
}

static void unlink_child(struct plm_doc *map, const struct plm_doc *gone)
{
	struct plm_doc *before = NULL;
	uint32_t index = 0;

	for (struct plm_doc *node = map->first; node != NULL; node = node->next) {
		if (node != gone) {
			node->index = index++;
			before = node;
		} else if (before == NULL) {
			map->first = node->next;
		} else {
			before->next = node->next;
		}
	}
	map->last = before;
	map->count = index;
}

/* "<<": own members win, then the first of several maps. */
static void merge_keys(struct yaml *y, struct plm_doc *map)
{
	struct plm_doc *merge = NULL;

	for (struct plm_doc *node = map->first; node != NULL && merge == NULL; node = node->next) {
		merge = plm_slice_is(node->key, "<<") ? node : NULL;
	}
	if (merge == NULL) {
		return;
	}
	unlink_child(map, merge);
	if (merge->kind != PLM_DOC_LIST) {
		merge_from(y, map, merge);
		return;
	}
	for (const struct plm_doc *item = merge->first; item != NULL; item = item->next) {
		merge_from(y, map, item);
	}
}

static void end(struct yaml *y, const yaml_event_t *event)
{
	struct plm_doc *node = y->open;

	PLM_ASSERT(node != NULL);
	node->end = (uint32_t)event->end_mark.index;
	if (node->kind == PLM_DOC_MAP) {
		merge_keys(y, node);
		plm_doc_check_keys(&y->build, node);
	}
	y->open = node->parent;
	y->depth--;
}

/* ---- the parser -------------------------------------------------------------------------------- */

static void parser_failed(struct yaml *y)
{
	const yaml_parser_t *p = &y->parser;
	struct plm_doc place = {.line = line_of(y, p->problem_mark)};

	y->build.tree->kind = (struct plm_slice){0};
	if (p->error == YAML_READER_ERROR) {
		place.line = y->line + (int)p->mark.line;
	}
	plm_doc_fail(y->build.tree, &place, "not YAML: %s%s%s",
		     p->problem == NULL ? "out of memory" : p->problem,
		     p->context == NULL ? "" : ", ", p->context == NULL ? "" : p->context);
}

static void handle(struct yaml *y, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		scalar(y, event);
		break;
	case YAML_ALIAS_EVENT:
		alias(y, event);
		break;
	case YAML_MAPPING_START_EVENT:
		begin(y, event, PLM_DOC_MAP, event->data.mapping_start.anchor);
		break;
	case YAML_SEQUENCE_START_EVENT:
		begin(y, event, PLM_DOC_LIST, event->data.sequence_start.anchor);
		break;
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		end(y, event);
		break;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		break;
	}
}

void plm_yaml_parse(struct plm_doc_tree *tree, struct plm_slice text, int line)
{
	struct yaml y = {.build = {.tree = tree}, .line = line};
	bool more = true;

	tree->root = NULL;
	if (yaml_parser_initialize(&y.parser) == 0) {
		fail_at(&y, line, "out of memory");
		return;
	}
	yaml_parser_set_encoding(&y.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&y.parser, text.ptr, text.size);
	while (more && tree->code == PLM_OK) {
		yaml_event_t event;

		if (yaml_parser_parse(&y.parser, &event) == 0) {
			parser_failed(&y);
			break;
		}
		handle(&y, &event);
		more = event.type != YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&y.parser);
}
