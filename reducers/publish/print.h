/*
 * print.h - fingerprints of what is written: FNV-1a
 *
 * Only compared for equality, with one that stands in the state.
 */
#ifndef PLM_REDUCERS_PUBLISH_PRINT_H
#define PLM_REDUCERS_PUBLISH_PRINT_H

#include "core/slice.h"

#define PLM_PRINT_BASIS 0xcbf29ce484222325ULL

static inline uint64_t plm_print_byte(uint64_t print, uint8_t byte)
{
	return (print ^ byte) * 0x100000001b3ULL;
}

static inline uint64_t plm_print_number(uint64_t print, int64_t value)
{
	for (uint32_t shift = 0; shift < 64; shift += 8) {
		print = plm_print_byte(print, (uint8_t)((uint64_t)value >> shift & 0xff));
	}
	return print;
}

static inline uint64_t plm_print_text(uint64_t print, struct plm_slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		print = plm_print_byte(print, text.ptr[i]);
	}
	return plm_print_number(print, (int64_t)text.size);
}

#endif
