/*
 * timer_heap.h - when each workload is to be looked at next
 *
 * Owns: a binary heap of workload slots by time, so that the first timer of a million workloads is read in
 * constant time. Does not: know what is due (reducers/admission/due.h does), write the image.
 *
 * Outside the image, as the queue index that it belongs to. The order of equal times is never seen.
 */
#ifndef PLM_CORE_TIMER_HEAP_H
#define PLM_CORE_TIMER_HEAP_H

#include "core/units.h"

#include <stdint.h>

struct plm_timer_heap {
	uint32_t *heap; /* owned: workload slots */
	uint32_t count, capacity;
	uint32_t *places; /* owned, by slot: 1 + place in the heap, 0 = not in it */
	int64_t *dues;	  /* owned, by slot */
	uint32_t place_count, due_count;
};

void plm_timer_heap_fini(struct plm_timer_heap *timers);
/* Look at 'slot' at 'due_ms'; PLM_UNSET = never. */
void plm_timer_heap_set(struct plm_timer_heap *timers, uint32_t slot, int64_t due_ms);
/* What was set last. */
int64_t plm_timer_heap_get(const struct plm_timer_heap *timers, uint32_t slot);
/* The earliest time, PLM_UNSET when there is none. */
int64_t plm_timer_heap_first(const struct plm_timer_heap *timers);
/* Assert that it is a heap. */
void plm_timer_heap_check(const struct plm_timer_heap *timers);

#endif
