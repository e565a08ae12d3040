/*
 * complete.h - what a catalogue file leaves unsaid
 *
 * Owns: sorted lists without repetition, rules 1 and 2 of the file format: what a type does not
 * require is required by its offerings together, or does not exist on it.
 * Lists are arrays with room for what is inserted: the caller's business.
 */
#ifndef PLM_CATALOG_COMPLETE_H
#define PLM_CATALOG_COMPLETE_H

#include "core/arena.h"
#include "core/object.h"

/* Insert by bytes; what is there already stays single. */
void plm_catalog_put_text(struct plm_slice *list, size_t *count, struct plm_slice value);
/* Insert by key; false: the key is there already and nothing changed. */
bool plm_catalog_put_expr(struct plm_w_expr *list, size_t *count, struct plm_w_expr expr);

/* Rule 1 for every key of 'offerings' (of struct plm_w_offering) that 'list' does not have. */
void plm_catalog_add_unions(struct plm_arena *arena, struct plm_vec offerings,
			    struct plm_w_expr *list, size_t *count);
/* Rule 2: DoesNotExist for every well-known label that 'list' does not have; at most PLM_LABEL_COUNT. */
void plm_catalog_add_absent(struct plm_w_expr *list, size_t *count);

#endif
