/*
 * sort.h - the one sort: stable, total, the same everywhere
 *
 * Merge sort over an array of uint32_t (slots or indexes), with a comparator that must be a total
 * order: 0 for two different values is a bug, since then the result would depend on something unnamed.
 */
#ifndef PLM_CORE_SORT_H
#define PLM_CORE_SORT_H

#include "core/arena.h"

/* <0, 0, >0; 0 only for equal values. */
typedef int plm_order_fn(const void *context, uint32_t a, uint32_t b);

/* Sort 'values' in place; 'scratch' is used and given back. */
void plm_sort(uint32_t *values, size_t count, plm_order_fn *order, const void *context,
	      struct plm_arena *scratch);

/*
 * Sort numbers upwards: where an order fits into 64 bits, with the index in the lowest ones, this is
 * several times as fast as plm_sort().
 */
void plm_sort_numbers(uint64_t *values, size_t count, struct plm_arena *scratch);

#endif
