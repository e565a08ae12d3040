/*
 * grow.h - arrays outside the image that grow by doubling
 */
#ifndef PLM_CORE_GROW_H
#define PLM_CORE_GROW_H

#include <stddef.h>
#include <stdint.h>

/* 'array' (owned by the caller, free()) of '*count' elements with room for 'want' of them, new ones zeroed. */
void *plm_grown(void *array, uint32_t *count, uint32_t want, size_t size);

#endif
