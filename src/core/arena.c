#include "core/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>

#define ALIGN 8U

enum plm_code plm_arena_init(struct plm_arena *arena, size_t capacity, struct plm_error *err)
{
	void *base = mmap(NULL, capacity, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	*arena = (struct plm_arena){0};
	if (base == MAP_FAILED) {
		return plm_fail(err, PLM_E_LIMIT, "cannot reserve %zu bytes of address space",
				capacity);
	}
	arena->base = base;
	arena->capacity = capacity;
	return PLM_OK;
}

void plm_arena_fini(struct plm_arena *arena)
{
	if (arena != NULL && arena->base != NULL) {
		(void)munmap(arena->base, arena->capacity);
		*arena = (struct plm_arena){0};
	}
}

void *plm_arena_try(struct plm_arena *arena, size_t size)
{
	size_t start = arena->used;
	size_t end = 0;

	PLM_ASSERT(start % ALIGN == 0);
	if (size > arena->capacity || __builtin_add_overflow(start, size, &end) ||
	    end > arena->capacity - (ALIGN - 1)) {
		return NULL;
	}
	end = (end + ALIGN - 1) / ALIGN * ALIGN;
	if (start < arena->touched) {
		size_t dirty = arena->touched < end ? arena->touched : end;

		memset(arena->base + start, 0, dirty - start);
	}
	if (end > arena->touched) {
		arena->touched = end;
	}
	arena->used = end;
	return arena->base + start;
}

void *plm_arena_take(struct plm_arena *arena, size_t size)
{
	void *bytes = plm_arena_try(arena, size);

	PLM_ASSERT(bytes != NULL);
	return bytes;
}

void *plm_arena_array(struct plm_arena *arena, size_t count, size_t size)
{
	size_t bytes = 0;
	bool overflow = __builtin_mul_overflow(count, size, &bytes);

	PLM_ASSERT(!overflow);
	return plm_arena_take(arena, bytes);
}

struct plm_slice plm_arena_copy(struct plm_arena *arena, struct plm_slice bytes)
{
	uint8_t *copy = plm_arena_take(arena, bytes.size);

	if (bytes.size > 0) {
		memcpy(copy, bytes.ptr, bytes.size);
	}
	return plm_slice_of(copy, bytes.size);
}

struct plm_slice plm_arena_format(struct plm_arena *arena, const char *format, ...)
{
	va_list args;
	va_list again;
	int size = 0;
	char *text = NULL;

	va_start(args, format);
	va_copy(again, args);
	size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	PLM_ASSERT(size >= 0);
	text = plm_arena_take(arena, (size_t)size + 1);
	(void)vsnprintf(text, (size_t)size + 1, format, again);
	va_end(again);
	return plm_slice_of(text, (size_t)size);
}

void plm_arena_rewind(struct plm_arena *arena, size_t mark)
{
	PLM_ASSERT(mark <= arena->used);
	PLM_ASSERT(mark % ALIGN == 0);
	arena->used = mark;
}
