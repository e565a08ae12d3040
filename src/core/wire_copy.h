/*
 * wire_copy.h - deep copies of wire structs
 *
 * What an adapter or a tool keeps beyond the life of its lender: every text and every list of the copy
 * lies in 'arena'.
 */
#ifndef PLM_CORE_WIRE_COPY_H
#define PLM_CORE_WIRE_COPY_H

#include "core/arena.h"
#include "core/wire.h"

/* A copy of the struct 'value' of 'type'. */
void *plm_wire_copy(const struct plm_wire_type *type, const void *value, struct plm_arena *arena);
/* A copy of 'list', whose elements are structs of 'type'. */
struct plm_vec plm_wire_copy_list(const struct plm_wire_type *type, struct plm_vec list,
				  struct plm_arena *arena);

#endif
