/*
 * arena.h - a lifetime as one growing range of memory
 *
 * Owns: one reserved address range, touched up to what was used. Memory taken is zeroed, padding
 * included, aligned to 8. Nothing is freed singly: plm_arena_reset() or a mark ends a lifetime.
 * A reducer cannot fail to allocate: asking for more than the capacity is a bug (the limit was checked
 * when the event was admitted). Code that reads outside data asks plm_arena_try() instead.
 */
#ifndef PLM_CORE_ARENA_H
#define PLM_CORE_ARENA_H

#include "core/error.h"
#include "core/slice.h"

struct plm_arena {
	uint8_t *base; /* owned */
	size_t used;
	size_t capacity;
	size_t touched; /* high-water: what must be zeroed again when it is taken again */
};

/* Reserve 'capacity' bytes of address space. PLM_E_LIMIT: the system refuses; 'arena' is then empty. */
enum plm_code plm_arena_init(struct plm_arena *arena, size_t capacity,
			     struct plm_error *err) PLM_MUST_CHECK;
void plm_arena_fini(struct plm_arena *arena); /* NULL-safe, idempotent */

/* Take 'size' zeroed bytes, aligned to 8. Never NULL. */
void *plm_arena_take(struct plm_arena *arena, size_t size);
/* As plm_arena_take(), but NULL when it does not fit. */
void *plm_arena_try(struct plm_arena *arena, size_t size);
/* 'count' elements of 'size' bytes; overflow is a bug. */
void *plm_arena_array(struct plm_arena *arena, size_t count, size_t size);
/* A copy of 'bytes' that lives as long as the arena. */
struct plm_slice plm_arena_copy(struct plm_arena *arena, struct plm_slice bytes);
/* Formatted text; a terminating zero follows but is not counted. */
struct plm_slice plm_arena_format(struct plm_arena *arena, const char *format, ...)
	PLM_PRINTF(2, 3);

static inline size_t plm_arena_mark(const struct plm_arena *arena)
{
	return arena->used;
}
/* Give back everything taken since 'mark'. */
void plm_arena_rewind(struct plm_arena *arena, size_t mark);
static inline void plm_arena_reset(struct plm_arena *arena)
{
	plm_arena_rewind(arena, 0);
}

#define PLM_NEW(arena, type) ((type *)plm_arena_take((arena), sizeof(type)))
#define PLM_NEW_ARRAY(arena, count, type) ((type *)plm_arena_array((arena), (count), sizeof(type)))

#endif
