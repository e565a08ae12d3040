/*
 * json.h - the answer of a verb as a tree, and its spellings
 *
 * Owns: a small tree (object, list, text, integer, bool, null) in an arena, and the three ways to write
 * it: JSON in lines, JSON on one line, YAML. Keys are sorted by bytes, there are no floats, and the same
 * tree gives the same bytes on every machine. A key may be put only once.
 * Does not: read JSON (adapters/manifest does), or know what an answer means.
 *
 * Texts are borrowed: they live at least as long as the tree.
 */
#ifndef PLM_TOOLS_JSON_H
#define PLM_TOOLS_JSON_H

#include <stdio.h>

#include "core/arena.h"

/* Nesting beyond this is a bug. */
#define PLM_JSON_MAX_DEPTH 32

enum plm_json_kind {
	PLM_JSON_NULL,
	PLM_JSON_BOOL,
	PLM_JSON_INT,
	PLM_JSON_TEXT,
	PLM_JSON_LIST,
	PLM_JSON_OBJECT,
};

struct plm_json {
	struct plm_arena *arena; /* borrowed */
	enum plm_json_kind kind;
	bool sorted;	       /* object: keys are in order */
	int64_t number;	       /* INT, BOOL */
	struct plm_slice text; /* TEXT */
	struct plm_json **items;
	struct plm_slice *keys; /* object: one per item */
	size_t count, capacity;
};

struct plm_json *plm_json_null(struct plm_arena *arena);
struct plm_json *plm_json_bool(struct plm_arena *arena, bool value);
struct plm_json *plm_json_int(struct plm_arena *arena, int64_t value);
struct plm_json *plm_json_text(struct plm_arena *arena, struct plm_slice text);
struct plm_json *plm_json_str(struct plm_arena *arena, const char *text);
struct plm_json *plm_json_list(struct plm_arena *arena);
struct plm_json *plm_json_object(struct plm_arena *arena);
/* An object with apiVersion plimsoll.dev/v1alpha1 and 'kind'. */
struct plm_json *plm_json_document(struct plm_arena *arena, const char *kind);

void plm_json_add(struct plm_json *list, struct plm_json *item);
void plm_json_add_text(struct plm_json *list, struct plm_slice text);
void plm_json_put(struct plm_json *object, const char *key, struct plm_json *item);
void plm_json_put_key(struct plm_json *object, struct plm_slice key, struct plm_json *item);
void plm_json_put_int(struct plm_json *object, const char *key, int64_t value);
void plm_json_put_bool(struct plm_json *object, const char *key, bool value);
void plm_json_put_text(struct plm_json *object, const char *key, struct plm_slice text);
void plm_json_put_str(struct plm_json *object, const char *key, const char *text);
/* As plm_json_put_text(), but an empty text is left out. */
void plm_json_put_some(struct plm_json *object, const char *key, struct plm_slice text);

/* The member, NULL when there is none or 'object' is no object; sorts it. */
struct plm_json *plm_json_get(struct plm_json *object, struct plm_slice key);
void plm_json_sort(struct plm_json *object);
bool plm_json_equal(struct plm_json *a, struct plm_json *b);

enum plm_json_style {
	PLM_JSON_PRETTY, /* two spaces a level, a newline at the end */
	PLM_JSON_LINE,	 /* one line, a newline at the end */
	PLM_JSON_YAML,
};

/* Write 'node'; a failure of 'out' is found by the caller's ferror(). */
void plm_json_write(FILE *out, struct plm_json *node, enum plm_json_style style);
/* 'text' as a JSON string with its quotes. */
void plm_json_write_text(FILE *out, struct plm_slice text);

#endif
