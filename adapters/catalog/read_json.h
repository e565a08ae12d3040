/*
 * read_json.h - values of a catalogue file, each checked, each with a message that says where
 *
 * Owns: what a field may hold; unknown and repeated fields are refused, so that a misspelt one is not
 * silently nothing. Does not: what the fields mean (read.c).
 */
#ifndef PLM_CATALOG_READ_JSON_H
#define PLM_CATALOG_READ_JSON_H

#include <cjson/cJSON.h>

#include "core/arena.h"
#include "core/object.h"

#define PLM_READ_PATH_SIZE 192

/* Where the reader is, for messages. */
struct plm_reader {
	const char *file;	       /* borrowed */
	char path[PLM_READ_PATH_SIZE]; /* "m5.large: offerings[2]"; empty at the top */
	struct plm_arena *arena;       /* of all that is read */
	struct plm_error *err;
};

/* All of these fail with PLM_E_INPUT and "FILE: PATH: FIELD: what is wrong". */
enum plm_code plm_read_fail(struct plm_reader *in, const char *field, const char *what);
/* "FILE:LINE:COLUMN: what" for the byte 'at' of 'text'. */
enum plm_code plm_read_fail_at(struct plm_reader *in, struct plm_slice text, const char *at,
			       const char *what);

/* The member 'field' of 'object' (may be NULL), or NULL. Borrowed. */
const cJSON *plm_read_get(const cJSON *object, const char *field);
/* 'item' is an object without a field outside 'allowed' (at most 64, ends with NULL), none twice. */
enum plm_code plm_read_object(struct plm_reader *in, const cJSON *item, const char *field,
			      const char *const *allowed) PLM_MUST_CHECK;
/* The entries of a list; absent is 0, more than PLM_LIMIT_CATALOG_LIST is refused. */
enum plm_code plm_read_list(struct plm_reader *in, const cJSON *item, const char *field,
			    size_t *out) PLM_MUST_CHECK;
enum plm_code plm_read_text(struct plm_reader *in, const cJSON *item, const char *field,
			    struct plm_slice *out) PLM_MUST_CHECK;
/* A whole number from 0 to 10^15; absent gives PLM_UNSET. */
enum plm_code plm_read_count(struct plm_reader *in, const cJSON *item, const char *field,
			     int64_t *out) PLM_MUST_CHECK;
/* A map of resource to quantity as amounts sorted by name; absent is empty. */
enum plm_code plm_read_amounts(struct plm_reader *in, const cJSON *item, const char *field,
			       struct plm_vec *out) PLM_MUST_CHECK;

#endif
