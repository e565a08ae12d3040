/*
 * ring.h - what the outside world tells the engine, on its way between threads
 *
 * Owns: a bounded ring of bytes that holds observations, copied in by any thread and read in place by
 * the one consumer; the sleep of the consumer. Nothing is ever dropped: what does not fit is refused with
 * PLM_E_AGAIN, and whoever brought it keeps it. The consumer takes whatever arrived while its last
 * commit was under way, so batches grow with the load and nobody lingers (eventsourcing.md D6).
 * Does not: look into a payload.
 */
#ifndef PLM_RING_H
#define PLM_RING_H

#include "core/ports.h"

struct plm_ring; /* opaque */

/* 'bytes' holds the largest observation there can be and its head; 'entries' at most at a time. */
enum plm_code plm_ring_new(size_t bytes, size_t entries, struct plm_ring **out,
			   struct plm_error *err) PLM_MUST_CHECK;
void plm_ring_free(struct plm_ring *ring); /* NULL-safe; nobody may be using it */

/* ---- any thread ---- */

/* Copy it in. PLM_E_AGAIN: full. PLM_E_LIMIT: it can never fit. */
enum plm_code plm_ring_put(struct plm_ring *ring,
			   const struct plm_observation *observation) PLM_MUST_CHECK;
struct plm_inbox plm_ring_inbox(struct plm_ring *ring);
/* End the consumer's sleep, or its next one. */
void plm_ring_wake(struct plm_ring *ring);

struct plm_ring_stats {
	uint64_t entries, bytes; /* in it now */
	uint64_t taken;		 /* ever */
	uint64_t settled;	 /* of those taken: durable, or nothing new */
	uint64_t refused;	 /* PLM_E_AGAIN answers */
};
struct plm_ring_stats plm_ring_stats(struct plm_ring *ring);

/* ---- the consumer ---- */

/* The oldest one, borrowed until plm_ring_pop(); false when there is none. */
bool plm_ring_peek(struct plm_ring *ring, struct plm_observation *out);
void plm_ring_pop(struct plm_ring *ring); /* what plm_ring_peek() gave */
/* All that was popped so far is durable, or was nothing new. */
void plm_ring_settle(struct plm_ring *ring);
/* Sleep until there is one, somebody wakes, or 'timeout_ms' passed (< 0: without end). */
void plm_ring_wait(struct plm_ring *ring, int64_t timeout_ms);

#endif
