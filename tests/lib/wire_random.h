/*
 * wire_random.h - any wire struct with seeded random contents
 *
 * Owns: values that the schema allows and that a codec might get wrong: the ends of every integer form,
 * PLM_UNSET, empty and long texts, several-byte characters, empty and longer lists.
 */
#ifndef PLM_WIRE_RANDOM_H
#define PLM_WIRE_RANDOM_H

#include "core/arena.h"
#include "core/wire.h"

/* A struct of 'type' in 'arena'. Lists get shorter the deeper they are, so that the whole stays small. */
void *plm_wire_random(const struct plm_wire_type *type, uint64_t *random, struct plm_arena *arena);
/* Equal in all fields; texts and lists by contents. */
bool plm_wire_equal(const struct plm_wire_type *type, const void *a, const void *b);

#endif
