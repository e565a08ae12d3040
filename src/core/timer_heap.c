#include "core/timer_heap.h"

#include "core/base.h"
#include "core/grow.h"

#include <stdlib.h>
#include <string.h>

void plm_timer_heap_fini(struct plm_timer_heap *timers)
{
	free(timers->heap);
	free(timers->places);
	free(timers->dues);
	*timers = (struct plm_timer_heap){0};
}

static void put(struct plm_timer_heap *timers, uint32_t at, uint32_t slot)
{
	timers->heap[at] = slot;
	timers->places[slot] = at + 1;
}

static void up(struct plm_timer_heap *timers, uint32_t at, uint32_t slot)
{
	while (at > 0 && timers->dues[slot] < timers->dues[timers->heap[(at - 1) / 2]]) {
		put(timers, at, timers->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	put(timers, at, slot);
}

static void down(struct plm_timer_heap *timers, uint32_t at, uint32_t slot)
{
	for (uint32_t child = 2 * at + 1; child < timers->count; child = 2 * at + 1) {
		if (child + 1 < timers->count &&
		    timers->dues[timers->heap[child + 1]] < timers->dues[timers->heap[child]]) {
			child++;
		}
		if (timers->dues[timers->heap[child]] >= timers->dues[slot]) {
			break;
		}
		put(timers, at, timers->heap[child]);
		at = child;
	}
	put(timers, at, slot);
}

/* Where 'slot' belongs when it stands at 'at' with a new time. */
static void settle(struct plm_timer_heap *timers, uint32_t at, uint32_t slot)
{
	if (at > 0 && timers->dues[slot] < timers->dues[timers->heap[(at - 1) / 2]]) {
		up(timers, at, slot);
	} else {
		down(timers, at, slot);
	}
}

static void take_out(struct plm_timer_heap *timers, uint32_t slot)
{
	uint32_t at = timers->places[slot] - 1;
	uint32_t last = timers->heap[--timers->count];

	PLM_ASSERT(at <= timers->count);
	timers->places[slot] = 0;
	if (last != slot) {
		settle(timers, at, last);
	}
}

void plm_timer_heap_set(struct plm_timer_heap *timers, uint32_t slot, int64_t due_ms)
{
	bool in = slot < timers->place_count && timers->places[slot] != 0;

	if (!in && due_ms == PLM_UNSET) {
		return;
	}
	timers->places =
		plm_grown(timers->places, &timers->place_count, slot + 1, sizeof(uint32_t));
	timers->dues = plm_grown(timers->dues, &timers->due_count, slot + 1, sizeof(int64_t));
	if (in && due_ms == PLM_UNSET) {
		take_out(timers, slot);
		return;
	}
	if (in && timers->dues[slot] == due_ms) {
		return;
	}
	timers->dues[slot] = due_ms;
	if (in) {
		settle(timers, timers->places[slot] - 1, slot);
		return;
	}
	timers->heap =
		plm_grown(timers->heap, &timers->capacity, timers->count + 1, sizeof(uint32_t));
	timers->count++;
	up(timers, timers->count - 1, slot);
}

int64_t plm_timer_heap_get(const struct plm_timer_heap *timers, uint32_t slot)
{
	return slot < timers->place_count && timers->places[slot] != 0 ? timers->dues[slot]
								       : PLM_UNSET;
}

int64_t plm_timer_heap_first(const struct plm_timer_heap *timers)
{
	return timers->count == 0 ? PLM_UNSET : timers->dues[timers->heap[0]];
}

void plm_timer_heap_check(const struct plm_timer_heap *timers)
{
	uint32_t in = 0;

	for (uint32_t i = 0; i < timers->count; i++) {
		PLM_ASSERT(timers->places[timers->heap[i]] == i + 1);
		PLM_ASSERT(i == 0 || timers->dues[timers->heap[(i - 1) / 2]] <=
					     timers->dues[timers->heap[i]]);
	}
	for (uint32_t slot = 0; slot < timers->place_count; slot++) {
		in += timers->places[slot] != 0;
	}
	PLM_ASSERT(in == timers->count);
}
