/*
 * name_set.h - a set of short texts, in the order of their coming
 *
 * Owns: the texts (copied into an arena) and a table to find them by. Zeroed but for 'arena' = empty.
 */
#ifndef PLM_TOOLS_NAME_SET_H
#define PLM_TOOLS_NAME_SET_H

#include "core/arena.h"

struct plm_name_set {
	struct plm_arena *arena; /* borrowed */
	struct plm_slice *names; /* arena, in the order of their coming */
	size_t count, capacity;
	uint32_t *cells; /* arena: index + 1 into 'names', 0 = empty */
	size_t cell_count;
};

/* True when 'name' is new. */
bool plm_name_set_add(struct plm_name_set *set, struct plm_slice name);
bool plm_name_set_has(const struct plm_name_set *set, struct plm_slice name);

#endif
