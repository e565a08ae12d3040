/*
 * toml.h - Bottlerocket's settings: read what the user wrote, set members, write it again
 *
 * Owns: TOML 1.0 as a tree. Strings are decoded and written anew, numbers, booleans and dates go through as
 * they were written; comments and order are lost, keys come out sorted. Debian 12 has no TOML library with
 * an interface for C, and a merge needs no more than this.
 */
#ifndef PLM_EC2_TOML_H
#define PLM_EC2_TOML_H

#include "core/arena.h"
#include "core/error.h"

enum plm_toml_kind {
	PLM_TOML_STRING,
	PLM_TOML_OTHER, /* number, boolean, date: as written */
	PLM_TOML_ARRAY,
	PLM_TOML_TABLE,
};

struct plm_toml {
	enum plm_toml_kind kind;
	bool defined; /* a table with a header of its own, or inline: not to be named again */
	struct plm_slice key;  /* in a table */
	struct plm_slice text; /* of a scalar */
	struct plm_toml *first, *last, *next;
};

/* The root table, in the arena. PLM_E_INPUT: 'err' says line and reason. */
enum plm_code plm_toml_read(struct plm_slice text, struct plm_arena *arena, struct plm_toml **out,
			    struct plm_error *err) PLM_MUST_CHECK;

/* The member 'key' of a table; NULL when absent. */
struct plm_toml *plm_toml_get(struct plm_toml *table, const char *key);
/* The table 'key' of 'table', made when absent or when it is no table. */
struct plm_toml *plm_toml_table(struct plm_arena *arena, struct plm_toml *table, const char *key);
/* Set a member, whatever it was; the new empty value. */
struct plm_toml *plm_toml_set(struct plm_arena *arena, struct plm_toml *table, struct plm_slice key,
			      enum plm_toml_kind kind);
void plm_toml_set_text(struct plm_arena *arena, struct plm_toml *table, const char *key,
		       struct plm_slice text);
void plm_toml_set_number(struct plm_arena *arena, struct plm_toml *table, const char *key,
			 int64_t number);
/* Add an element to an array. */
struct plm_toml *plm_toml_add(struct plm_arena *arena, struct plm_toml *array,
			      enum plm_toml_kind kind);

struct plm_slice plm_toml_write(struct plm_toml *root, struct plm_arena *arena);

#endif
