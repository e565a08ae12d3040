#include "adapters/kube/split.h"

#include <stdlib.h>

/* What the window keeps when it is empty, and the step by which it grows. */
#define WINDOW_LEAST ((size_t)16 * 1024)
#define VALUES_LEAST ((size_t)256)

/* What the value behind a key is for us. */
enum field {
	FIELD_NONE,
	FIELD_TYPE,   /* of a line */
	FIELD_OBJECT, /* of a line */
	FIELD_ITEMS,  /* of a list */
	FIELD_HEAD,   /* metadata of a list */
	FIELD_HEAD_REVISION,
	FIELD_HEAD_NEXT,
	FIELD_META, /* metadata of an object */
	FIELD_NS,
	FIELD_NAME,
	FIELD_UID,
	FIELD_REVISION,
	FIELD_MANAGED, /* managedFields */
	FIELD_ANNOTATIONS,
	FIELD_INITIAL_END,
	FIELD_CODE,
	FIELD_MESSAGE,
};

struct plm_split {
	enum plm_split_form form;
	plm_split_sink sink;
	void *self;
	struct plm_json_scan scan; /* bytes = the window */
	uint8_t *window;	   /* owned */
	size_t size, capacity;
	size_t keep; /* bytes of the window from here on are still needed */
	struct plm_split_head head;

	enum field field;	 /* of the value that comes next */
	enum field top;		 /* of the outermost object: whose value we are in */
	bool ended;		 /* the list's outermost object */
	bool typed;		 /* the line's type is known */
	bool in_item, have_item; /* inside one; one is complete */
	bool in_meta, in_annotations;
	bool waits;
	uint32_t depth;		/* of the members of the item */
	size_t item, item_size; /* where it stands in the window */
	size_t hole;		/* where a value stands that is taken out; depth of its members: */
	uint32_t hole_depth;	/* 0 = none */
	struct plm_json_value *values; /* owned */
	size_t value_count, value_capacity;
	struct plm_split_item at; /* the item at hand */
};

enum plm_code plm_split_new(struct plm_split **out, struct plm_error *err)
{
	struct plm_split *split = calloc(1, sizeof(*split));

	if (split == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "out of memory");
	}
	*out = split;
	return PLM_OK;
}

void plm_split_free(struct plm_split *split)
{
	if (split != NULL) {
		free(split->window);
		free(split->values);
		free(split);
	}
}

void plm_split_begin(struct plm_split *split, enum plm_split_form form, plm_split_sink sink,
		     void *self)
{
	struct plm_split fresh = {
		.form = form,
		.sink = sink,
		.self = self,
		.window = split->window,
		.capacity = split->capacity,
		.values = split->values,
		.value_capacity = split->value_capacity,
	};

	fresh.scan.line = 1;
	fresh.scan.lenient = true;
	*split = fresh;
}

bool plm_split_waits(const struct plm_split *split)
{
	return split->waits;
}

bool plm_split_whole(const struct plm_split *split)
{
	if (split->form == PLM_SPLIT_LIST) {
		return split->ended;
	}
	return split->scan.depth == 0 && split->scan.at == split->size;
}

const struct plm_split_head *plm_split_head(const struct plm_split *split)
{
	return &split->head;
}

size_t plm_split_memory(const struct plm_split *split)
{
	return split->capacity + split->value_capacity * sizeof(*split->values);
}

/* ---- the window -------------------------------------------------------------------------------- */

/* Bytes before 'keep' are given up. */
static void compact(struct plm_split *s)
{
	size_t drop = s->keep;

	if (drop == 0) {
		return;
	}
	memmove(s->window, s->window + drop, s->size - drop);
	s->size -= drop;
	s->scan.at -= drop;
	s->item = s->item > drop ? s->item - drop : 0;
	s->hole = s->hole > drop ? s->hole - drop : 0;
	s->keep = 0;
}

/* After a long object the window becomes short again. */
static void shrink(struct plm_split *s)
{
	uint8_t *shorter = NULL;

	if (s->size > 0 || s->capacity <= 4 * WINDOW_LEAST) {
		return;
	}
	shorter = realloc(s->window, WINDOW_LEAST);
	if (shorter != NULL) {
		s->window = shorter;
		s->capacity = WINDOW_LEAST;
	}
	free(s->values);
	s->values = NULL;
	s->value_capacity = 0;
}

static enum plm_code append(struct plm_split *s, struct plm_slice bytes, struct plm_error *err)
{
	size_t capacity = s->capacity == 0 ? WINDOW_LEAST : s->capacity;

	compact(s);
	shrink(s);
	if (bytes.size == 0) {
		return PLM_OK;
	}
	while (capacity - s->size < bytes.size) {
		capacity *= 2;
	}
	if (capacity > s->capacity) {
		uint8_t *longer = realloc(s->window, capacity);

		if (longer == NULL) {
			return plm_fail(err, PLM_E_LIMIT, "out of memory");
		}
		s->window = longer;
		s->capacity = capacity;
	}
	memcpy(s->window + s->size, bytes.ptr, bytes.size);
	s->size += bytes.size;
	return PLM_OK;
}

/* The text that the last token was, without its quotes; escapes stay as they are. */
static struct plm_slice last_text(const struct plm_split *s)
{
	return plm_slice_of(s->window + s->scan.start + 1, s->scan.at - s->scan.start - 2);
}

static void keep_text(char to[PLM_SPLIT_TEXT], struct plm_slice text)
{
	size_t size = text.size < PLM_SPLIT_TEXT ? text.size : PLM_SPLIT_TEXT - 1;

	memcpy(to, text.ptr, size);
	to[size] = '\0';
}

/* ---- an object --------------------------------------------------------------------------------- */

static void begin_item(struct plm_split *s)
{
	enum plm_split_type type = s->form == PLM_SPLIT_LIST ? PLM_SPLIT_ITEM : s->at.type;

	s->at = (struct plm_split_item){.type = type};
	s->in_item = true;
	s->in_meta = false;
	s->in_annotations = false;
	s->depth = s->scan.depth;
	s->item = s->scan.start;
	s->keep = s->scan.start;
	s->value_count = 0;
	s->scan.nul = false;
}

/* The object goes on without its bytes. */
static void spoil(struct plm_split *s, const char *problem)
{
	if (s->at.problem == NULL) {
		s->at.problem = problem;
	}
	s->hole_depth = 0;
}

static void note_value(struct plm_split *s)
{
	if (s->hole_depth != 0 || s->at.problem != NULL) {
		return;
	}
	if (s->value_count == PLM_LIMIT_DOC_NODES) {
		spoil(s, "more values than are read of one object");
		return;
	}
	if (s->value_count == s->value_capacity) {
		size_t capacity = s->value_capacity * 2 + VALUES_LEAST;
		struct plm_json_value *list = realloc(s->values, capacity * sizeof(*list));

		if (list == NULL) {
			spoil(s, "out of memory");
			return;
		}
		s->values = list;
		s->value_capacity = capacity;
	}
	s->values[s->value_count++] = (struct plm_json_value){
		.offset = (uint32_t)(s->scan.start - s->item),
		.size = (uint32_t)(s->scan.at - s->scan.start),
		.line = 1,
	};
}

/* The value from 'hole' to here is taken out: what stands before it in the object moves up to it. */
static void close_hole(struct plm_split *s)
{
	size_t taken = s->scan.at - s->hole - 2;
	size_t before = s->hole - s->item;

	memmove(s->window + s->item + taken, s->window + s->item, before);
	memcpy(s->window + s->scan.at - 2, "[]", 2);
	s->item += taken;
	s->keep = s->item;
	s->hole_depth = 0;
}

/* Escapes stand in texts only, so a backslash is never anything else. */
static void replace_nul(uint8_t *at, const uint8_t *end)
{
	while (at < end) {
		if (*at != '\\') {
			at++;
		} else if (at[1] == 'u' && memcmp(at + 2, "0000", 4) == 0) {
			memcpy(at + 2, "fffd", 4);
			at += 6;
		} else {
			at += 2;
		}
	}
}

static void end_item(struct plm_split *s)
{
	s->in_item = false;
	s->have_item = true;
	s->item_size = s->scan.at - s->item;
	if (s->scan.nul && s->at.problem == NULL) {
		replace_nul(s->window + s->item, s->window + s->item + s->item_size);
	}
}

static enum plm_code emit(struct plm_split *s, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	s->at.text = (struct plm_slice){0};
	s->at.values = (struct plm_json_values){0};
	if (s->at.problem == NULL) {
		s->at.text = plm_slice_of(s->window + s->item, s->item_size);
		s->at.values = (struct plm_json_values){s->values, s->value_count};
	}
	code = s->sink(s->self, &s->at, err);
	s->waits = code == PLM_E_AGAIN;
	if (code == PLM_OK) {
		s->have_item = false;
		s->keep = s->scan.at;
	}
	return code;
}

/* ---- keys and values --------------------------------------------------------------------------- */

struct word {
	const char *text;
	enum field field;
};

static enum field which(struct plm_slice key, const struct word *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (plm_slice_is(key, words[i].text)) {
			return words[i].field;
		}
	}
	return FIELD_NONE;
}
#define WHICH(key, words) which((key), (words), PLM_COUNTOF(words))

static enum field item_field(const struct plm_split *s, struct plm_slice key)
{
	static const struct word own[] = {
		{"metadata", FIELD_META}, {"code", FIELD_CODE}, {"message", FIELD_MESSAGE}};
	static const struct word meta[] = {
		{"namespace", FIELD_NS},
		{"name", FIELD_NAME},
		{"uid", FIELD_UID},
		{"resourceVersion", FIELD_REVISION},
		{"managedFields", FIELD_MANAGED},
		{"annotations", FIELD_ANNOTATIONS},
	};
	static const struct word annotations[] = {{"k8s.io/initial-events-end", FIELD_INITIAL_END}};

	if (s->scan.depth == s->depth) {
		return WHICH(key, own);
	}
	if (s->scan.depth == s->depth + 1 && s->in_meta) {
		return WHICH(key, meta);
	}
	if (s->scan.depth == s->depth + 2 && s->in_annotations) {
		return WHICH(key, annotations);
	}
	return FIELD_NONE;
}

static void on_key(struct plm_split *s)
{
	static const struct word list[] = {{"metadata", FIELD_HEAD}, {"items", FIELD_ITEMS}};
	static const struct word line[] = {{"type", FIELD_TYPE}, {"object", FIELD_OBJECT}};
	static const struct word head[] = {{"resourceVersion", FIELD_HEAD_REVISION},
					   {"continue", FIELD_HEAD_NEXT}};
	struct plm_slice key = last_text(s);

	s->field = FIELD_NONE;
	if (s->hole_depth != 0) {
		return;
	}
	if (s->in_item) {
		s->field = item_field(s, key);
	} else if (s->scan.depth == 1) {
		s->field = s->form == PLM_SPLIT_LIST ? WHICH(key, list) : WHICH(key, line);
		s->top = s->field;
	} else if (s->scan.depth == 2 && s->top == FIELD_HEAD) {
		s->field = WHICH(key, head);
	}
}

static enum plm_code take_type(struct plm_split *s, struct plm_error *err)
{
	static const char *const names[] = {
		[PLM_SPLIT_ADDED] = "ADDED",	 [PLM_SPLIT_MODIFIED] = "MODIFIED",
		[PLM_SPLIT_DELETED] = "DELETED", [PLM_SPLIT_BOOKMARK] = "BOOKMARK",
		[PLM_SPLIT_ERROR] = "ERROR",
	};
	struct plm_slice text = last_text(s);

	for (size_t i = PLM_SPLIT_ADDED; i < PLM_COUNTOF(names); i++) {
		if (plm_slice_is(text, names[i])) {
			s->at.type = (enum plm_split_type)i;
			s->typed = true;
			return PLM_OK;
		}
	}
	return plm_fail(err, PLM_E_INPUT, "a watch event of an unknown type");
}

static enum plm_code take_next(struct plm_split *s, struct plm_error *err)
{
	struct plm_slice text = last_text(s);

	if (text.size >= PLM_SPLIT_CONTINUE) {
		return plm_fail(err, PLM_E_INPUT, "a continue token of more than %d bytes",
				PLM_SPLIT_CONTINUE - 1);
	}
	memcpy(s->head.next, text.ptr, text.size);
	s->head.next[text.size] = '\0';
	return PLM_OK;
}

static enum plm_code on_text(struct plm_split *s, enum field field, struct plm_error *err)
{
	switch ((uint32_t)field) {
	case FIELD_TYPE:
		return take_type(s, err);
	case FIELD_HEAD_NEXT:
		return take_next(s, err);
	case FIELD_HEAD_REVISION:
		keep_text(s->head.revision, last_text(s));
		return PLM_OK;
	case FIELD_NS:
		keep_text(s->at.ns, last_text(s));
		return PLM_OK;
	case FIELD_NAME:
		keep_text(s->at.name, last_text(s));
		return PLM_OK;
	case FIELD_UID:
		keep_text(s->at.uid, last_text(s));
		return PLM_OK;
	case FIELD_REVISION:
		keep_text(s->at.revision, last_text(s));
		return PLM_OK;
	case FIELD_MESSAGE:
		keep_text(s->at.message, last_text(s));
		return PLM_OK;
	case FIELD_INITIAL_END:
		s->at.initial_end = plm_slice_is(last_text(s), "true");
		return PLM_OK;
	default:
		return PLM_OK;
	}
}

/* A Status' code has three digits. */
static void on_number(struct plm_split *s)
{
	s->at.code = 0;
	for (size_t at = s->scan.start; at < s->scan.at && s->at.code < 1000; at++) {
		uint8_t byte = s->window[at];

		s->at.code = byte >= '0' && byte <= '9' ? s->at.code * 10 + (byte - '0') : 1000;
	}
}

static void on_open(struct plm_split *s, enum field field)
{
	if (s->scan.depth > s->depth + PLM_LIMIT_DOC_DEPTH - 1 && s->hole_depth == 0) {
		spoil(s, "nested deeper than is read");
	}
	if (field == FIELD_META) {
		s->in_meta = true;
	} else if (field == FIELD_ANNOTATIONS) {
		s->in_annotations = true;
	} else if (field == FIELD_MANAGED && s->at.problem == NULL) {
		s->hole = s->scan.start;
		s->hole_depth = s->scan.depth;
	}
}

/* Is the value at hand an object of the list, or of the line? */
static bool is_item(const struct plm_split *s, enum field field, bool opens)
{
	if (s->form == PLM_SPLIT_LIST) {
		return s->top == FIELD_ITEMS && s->scan.depth == (opens ? 3 : 2);
	}
	return field == FIELD_OBJECT;
}

static enum plm_code on_value(struct plm_split *s, enum plm_json_token token, struct plm_error *err)
{
	enum field field = s->field;
	bool opens = token == PLM_TOKEN_OBJECT || token == PLM_TOKEN_ARRAY;

	s->field = FIELD_NONE;
	if (s->scan.depth == (opens ? 1 : 0)) {
		if (token != PLM_TOKEN_OBJECT || s->ended) {
			return plm_fail(err, PLM_E_INPUT, "one object is expected");
		}
		s->typed = false;
		s->top = FIELD_NONE;
		return PLM_OK;
	}
	if (field == FIELD_ITEMS && token != PLM_TOKEN_ARRAY && token != PLM_TOKEN_WORD) {
		return plm_fail(err, PLM_E_INPUT, "items that are no list");
	}
	if (!s->in_item && is_item(s, field, opens)) {
		if (token != PLM_TOKEN_OBJECT) {
			return plm_fail(err, PLM_E_INPUT, "an item that is no object");
		}
		if (s->have_item) {
			return plm_fail(err, PLM_E_INPUT, "a watch event of two objects");
		}
		begin_item(s);
	}
	if (s->in_item) {
		note_value(s);
		if (opens) {
			on_open(s, field);
		}
	}
	if (token == PLM_TOKEN_NUMBER && field == FIELD_CODE) {
		on_number(s);
	}
	return token == PLM_TOKEN_TEXT ? on_text(s, field, err) : PLM_OK;
}

/* A line has ended. */
static enum plm_code end_line(struct plm_split *s, struct plm_error *err)
{
	if (!s->typed || !s->have_item) {
		return plm_fail(err, PLM_E_INPUT, "a watch event without type or object");
	}
	return emit(s, err);
}

static enum plm_code on_close(struct plm_split *s, struct plm_error *err)
{
	uint32_t depth = s->scan.depth;

	if (s->hole_depth != 0 && depth == s->hole_depth - 1) {
		close_hole(s);
	}
	if (s->in_item) {
		s->in_annotations = s->in_annotations && depth > s->depth + 1;
		s->in_meta = s->in_meta && depth > s->depth;
		if (depth == s->depth - 1) {
			end_item(s);
			return s->form == PLM_SPLIT_LIST ? emit(s, err) : PLM_OK;
		}
	}
	if (depth != 0) {
		return PLM_OK;
	}
	if (s->form == PLM_SPLIT_WATCH) {
		return end_line(s, err);
	}
	s->ended = true;
	return PLM_OK;
}

static enum plm_code on_token(struct plm_split *s, enum plm_json_token token, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	switch (token) {
	case PLM_TOKEN_KEY:
		on_key(s);
		break;
	case PLM_TOKEN_CLOSE:
		code = on_close(s, err);
		break;
	case PLM_TOKEN_TEXT:
	case PLM_TOKEN_NUMBER:
	case PLM_TOKEN_WORD:
	case PLM_TOKEN_OBJECT:
	case PLM_TOKEN_ARRAY:
		code = on_value(s, token, err);
		break;
	case PLM_TOKEN_MORE:
	case PLM_TOKEN_END:
		break;
	case PLM_TOKEN_BAD:
		return plm_fail(err, PLM_E_INPUT, "not JSON: %s", s->scan.problem);
	}
	if (code == PLM_OK && !s->have_item && (!s->in_item || s->at.problem != NULL)) {
		s->keep = s->scan.at;
	}
	return code;
}

/* What is kept between two feeds: at most one object, or one token. */
static enum plm_code check_size(struct plm_split *s, struct plm_error *err)
{
	if (s->size - s->keep <= PLM_LIMIT_ITEM_BYTES) {
		return PLM_OK;
	}
	if (s->in_item && s->at.problem == NULL) {
		spoil(s, "longer than an object may be");
		s->keep = s->scan.at;
	}
	return s->size - s->keep <= PLM_LIMIT_ITEM_BYTES
		       ? PLM_OK
		       : plm_fail(err, PLM_E_INPUT, "one text of more than %ld bytes",
				  PLM_LIMIT_ITEM_BYTES);
}

enum plm_code plm_split_feed(struct plm_split *split, struct plm_slice bytes, struct plm_error *err)
{
	enum plm_json_token token = PLM_TOKEN_KEY;
	enum plm_code code = append(split, bytes, err);

	if (code == PLM_OK && split->waits) {
		code = emit(split, err);
	}
	split->scan.bytes = plm_slice_of(split->window, split->size);
	while (code == PLM_OK && token != PLM_TOKEN_MORE) {
		token = plm_json_next(&split->scan);
		code = on_token(split, token, err);
	}
	return code == PLM_OK ? check_size(split, err) : code;
}
