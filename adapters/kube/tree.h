/*
 * tree.h - objects of the API as JSON trees, and JSON patches of them
 *
 * Owns: reading along paths and JSON pointers, building without ever failing (no memory is a bug), and
 * patches that test what was read before they change it: a patch made here never overwrites what somebody
 * else wrote in between. Does not: know a kind of object.
 *
 * Numbers are whole and of 32 bits, which is what Kubernetes counts with; a larger one is written as it is,
 * but not compared.
 */
#ifndef PLM_ADAPTERS_KUBE_TREE_H
#define PLM_ADAPTERS_KUBE_TREE_H

#include <cjson/cJSON.h>

#include "core/arena.h"
#include "core/object.h"

/* ---- reading; NULL-safe: what is absent or null reads as NULL, "" and 'absent' ------------------- */

cJSON *plm_tree_get(const cJSON *map, const char *key);
/* Names separated by dots, as core/integration.h writes paths; "" is 'root' itself. */
const cJSON *plm_tree_at(const cJSON *root, const char *path);
/* A JSON pointer (RFC 6901). */
const cJSON *plm_tree_pointer(const cJSON *root, const char *pointer);
struct plm_slice plm_tree_text(const cJSON *map, const char *key); /* borrowed from the tree */
/* Whole numbers of 32 bits; any other reads as 'absent'. */
int64_t plm_tree_whole(const cJSON *node, int64_t absent);
int64_t plm_tree_int(const cJSON *map, const char *key, int64_t absent);
bool plm_tree_is_true(const cJSON *node);
bool plm_tree_is(const cJSON *map, const char *key, const char *text);
/* NULL: 'body' is no JSON object. Owned by the caller. */
cJSON *plm_tree_parse(struct plm_slice body);

/* ---- building: everything put is owned by where it was put --------------------------------------- */

cJSON *plm_tree_map(void);
cJSON *plm_tree_list(void);
cJSON *plm_tree_string(struct plm_slice text);
cJSON *plm_tree_number(int64_t value);
cJSON *plm_tree_copy(const cJSON *node); /* NULL of NULL */
void plm_tree_put(cJSON *map, struct plm_slice key,
		  cJSON *value); /* in the place of what was there */
void plm_tree_put_text(cJSON *map, const char *key, struct plm_slice value);
void plm_tree_put_string(cJSON *map, const char *key, const char *value);
void plm_tree_put_int(cJSON *map, const char *key, int64_t value);
void plm_tree_put_time(cJSON *map, const char *key, int64_t ms); /* RFC 3339, whole seconds */
void plm_tree_add(cJSON *list, cJSON *value);
/* 'map' and, over it, every pair of 'pairs' (struct plm_w_kv). A new map, or NULL when both are empty. */
cJSON *plm_tree_over(const cJSON *map, struct plm_vec pairs);
/* A map of quantities of 'amounts' (struct plm_w_amount). */
cJSON *plm_tree_amounts(struct plm_vec amounts);
/* A list of texts (struct plm_slice). */
cJSON *plm_tree_texts(struct plm_vec texts);
/*
 * The text of 'node', with '<', '>' and '&' spelled as Go spells them: the API server compares the bytes
 * of texts when a patch tests them.
 */
struct plm_slice plm_tree_print(const cJSON *node, struct plm_arena *arena);

/* ---- JSON patch ---------------------------------------------------------------------------------- */

struct plm_patch {
	cJSON *ops;  /* owned */
	cJSON *work; /* owned: the object as it is after the operations so far */
	bool changes;
};

/* A patch of 'object', which is tested to be the one of 'uid' (empty: whatever it is). */
void plm_patch_init(struct plm_patch *patch, const cJSON *object, struct plm_slice uid);
void plm_patch_fini(struct plm_patch *patch);
/* On the condition that 'pointer' still has the value that was read; nothing when it has 'value'. */
void plm_patch_set(struct plm_patch *patch, const char *pointer,
		   cJSON *value /* owned; NULL = gone */);
void plm_patch_test(struct plm_patch *patch, const char *pointer, cJSON *value /* owned */);
/* 'format' makes a pointer; no argument may hold '~' or '/'. Arena. */
const char *plm_pointer(struct plm_arena *arena, const char *format, ...) PLM_PRINTF(2, 3);

#endif
