#include "ring.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "core/arena.h"
#include "core/timefmt.h"

/* An entry lies in one piece: this head, the position, the payload, padding to 8. */
struct head {
	uint64_t size; /* with the head; SKIP: nothing more up to the end of the ring */
	uint64_t intent;
	uint64_t pos_size, payload_size;
	uint16_t source, type;
	uint16_t has_pos, observed;
};
#define SKIP 0

/*
 * 'begin' and 'end' only grow (until the ring is empty: both go back to 0, so that a small load touches
 * little memory); a position is a place modulo the capacity. Bytes between them belong to the consumer,
 * who reads them without the lock; all else belongs to who holds the lock.
 */
struct plm_ring {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct plm_arena memory; /* owned */
	size_t capacity;	 /* bytes */
	size_t max_entries;
	uint64_t begin, end;
	struct plm_ring_stats stats;
	bool woken;
};

static size_t align8(size_t size)
{
	return (size + 7) / 8 * 8;
}

static enum plm_code init_sync(struct plm_ring *ring, struct plm_error *err)
{
	pthread_condattr_t attr;
	int rc = pthread_mutex_init(&ring->lock, NULL);

	if (rc == 0) {
		rc = pthread_condattr_init(&attr);
		PLM_ASSERT(rc == 0);
		rc = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
		PLM_ASSERT(rc == 0);
		rc = pthread_cond_init(&ring->filled, &attr);
		(void)pthread_condattr_destroy(&attr);
	}
	return rc == 0 ? PLM_OK : plm_fail(err, PLM_E_LIMIT, "ring: no lock (error %d)", rc);
}

enum plm_code plm_ring_new(size_t bytes, size_t entries, struct plm_ring **out,
			   struct plm_error *err)
{
	struct plm_ring *ring = calloc(1, sizeof(*ring));
	enum plm_code code = PLM_OK;

	if (ring == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "ring: out of memory");
	}
	PLM_ASSERT(entries > 0);
	ring->capacity = align8(bytes);
	ring->max_entries = entries;
	code = plm_arena_init(&ring->memory, ring->capacity, err);
	if (code == PLM_OK) {
		code = init_sync(ring, err);
	}
	if (code != PLM_OK) {
		plm_arena_fini(&ring->memory);
		free(ring);
		return code;
	}
	*out = ring;
	return PLM_OK;
}

void plm_ring_free(struct plm_ring *ring)
{
	if (ring != NULL) {
		(void)pthread_cond_destroy(&ring->filled);
		(void)pthread_mutex_destroy(&ring->lock);
		plm_arena_fini(&ring->memory);
		free(ring);
	}
}

static void lock(struct plm_ring *ring)
{
	int rc = pthread_mutex_lock(&ring->lock);

	PLM_ASSERT(rc == 0);
}

static void unlock(struct plm_ring *ring)
{
	int rc = pthread_mutex_unlock(&ring->lock);

	PLM_ASSERT(rc == 0);
}

static uint8_t *place(const struct plm_ring *ring, uint64_t position)
{
	return ring->memory.base + position % ring->capacity;
}

/* Bytes from 'position' to the end of the memory. */
static size_t left_at(const struct plm_ring *ring, uint64_t position)
{
	return ring->capacity - (size_t)(position % ring->capacity);
}

/* The place behind 'bytes'. */
static uint8_t *append(uint8_t *at, struct plm_slice bytes)
{
	if (bytes.size > 0) {
		PLM_ASSERT(bytes.ptr != NULL);
		memcpy(at, bytes.ptr, bytes.size);
	}
	return at + bytes.size;
}

static void write_entry(uint8_t *at, size_t size, const struct plm_observation *observation)
{
	struct head head = {
		.size = size,
		.intent = observation->intent,
		.pos_size = observation->pos.size,
		.payload_size = observation->payload.size,
		.source = (uint16_t)observation->source,
		.type = (uint16_t)observation->type,
		.has_pos = observation->pos.ptr != NULL,
		.observed = (uint16_t)observation->observed,
	};

	at = append(at, plm_slice_of(&head, sizeof(head)));
	at = append(at, observation->pos);
	(void)append(at, observation->payload);
}

/* Room for 'size' bytes in one piece; moves 'end' over what is too short at the end of the memory. */
static bool make_room(struct plm_ring *ring, size_t size)
{
	size_t left = 0;
	size_t skipped = 0;

	if (ring->stats.entries == ring->max_entries) {
		return false;
	}
	if (ring->begin == ring->end) {
		ring->begin = 0;
		ring->end = 0;
	}
	left = left_at(ring, ring->end);
	skipped = left < size ? left : 0;
	if (ring->end - ring->begin + skipped + size > ring->capacity) {
		return false;
	}
	if (skipped >= sizeof(struct head)) {
		memset(place(ring, ring->end), SKIP, sizeof(struct head));
	}
	ring->end += skipped;
	return true;
}

enum plm_code plm_ring_put(struct plm_ring *ring, const struct plm_observation *observation)
{
	size_t size = 0;
	bool room = false;

	if (observation->payload.size > ring->capacity || observation->pos.size > ring->capacity) {
		return PLM_E_LIMIT;
	}
	size = align8(sizeof(struct head) + observation->pos.size + observation->payload.size);
	if (size > ring->capacity) {
		return PLM_E_LIMIT;
	}
	lock(ring);
	room = make_room(ring, size);
	if (room) {
		write_entry(place(ring, ring->end), size, observation);
		ring->end += size;
		ring->stats.entries++;
		(void)pthread_cond_signal(&ring->filled);
	} else {
		ring->stats.refused++;
	}
	unlock(ring);
	return room ? PLM_OK : PLM_E_AGAIN;
}

static enum plm_code put(void *self, const struct plm_observation *observation)
{
	return plm_ring_put(self, observation);
}

static uint64_t accepted(void *self)
{
	struct plm_ring_stats stats = plm_ring_stats(self);

	return stats.taken + stats.entries;
}

static uint64_t settled(void *self)
{
	return plm_ring_stats(self).settled;
}

struct plm_inbox plm_ring_inbox(struct plm_ring *ring)
{
	return (struct plm_inbox){
		.self = ring, .put = put, .accepted = accepted, .settled = settled};
}

void plm_ring_wake(struct plm_ring *ring)
{
	lock(ring);
	ring->woken = true;
	(void)pthread_cond_signal(&ring->filled);
	unlock(ring);
}

struct plm_ring_stats plm_ring_stats(struct plm_ring *ring)
{
	struct plm_ring_stats stats;

	lock(ring);
	stats = ring->stats;
	stats.bytes = ring->end - ring->begin;
	unlock(ring);
	return stats;
}

/* The head of the oldest entry; there is one. */
static struct head oldest(struct plm_ring *ring)
{
	struct head head = {.size = SKIP};
	size_t left = left_at(ring, ring->begin);

	if (left >= sizeof(head)) {
		memcpy(&head, place(ring, ring->begin), sizeof(head));
	}
	if (head.size == SKIP) {
		ring->begin += left;
		memcpy(&head, place(ring, ring->begin), sizeof(head));
	}
	PLM_ASSERT(head.size >= sizeof(head) && head.size <= ring->end - ring->begin);
	return head;
}

bool plm_ring_peek(struct plm_ring *ring, struct plm_observation *out)
{
	struct head head;
	const uint8_t *at = NULL;
	bool any = false;

	lock(ring);
	any = ring->stats.entries > 0;
	if (any) {
		head = oldest(ring);
		at = place(ring, ring->begin) + sizeof(head);
		*out = (struct plm_observation){
			.source = (enum plm_source)head.source,
			.type = (enum plm_event_type)head.type,
			.intent = head.intent,
			.pos = plm_slice_of(head.has_pos ? at : NULL, head.pos_size),
			.payload = plm_slice_of(at + head.pos_size, head.payload_size),
			.observed = (enum plm_observed)head.observed,
		};
	}
	unlock(ring);
	return any;
}

void plm_ring_pop(struct plm_ring *ring)
{
	lock(ring);
	PLM_ASSERT(ring->stats.entries > 0);
	ring->begin += oldest(ring).size;
	ring->stats.entries--;
	ring->stats.taken++;
	unlock(ring);
}

void plm_ring_settle(struct plm_ring *ring)
{
	lock(ring);
	ring->stats.settled = ring->stats.taken;
	unlock(ring);
}

static struct timespec deadline(int64_t timeout_ms)
{
	struct timespec at;
	int rc = clock_gettime(CLOCK_MONOTONIC, &at);

	PLM_ASSERT(rc == 0);
	at.tv_sec += timeout_ms / PLM_MS_PER_SECOND;
	at.tv_nsec += timeout_ms % PLM_MS_PER_SECOND * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_nsec -= 1000000000;
		at.tv_sec++;
	}
	return at;
}

void plm_ring_wait(struct plm_ring *ring, int64_t timeout_ms)
{
	struct timespec at = deadline(timeout_ms < 0 ? 0 : timeout_ms);
	int rc = 0;

	lock(ring);
	while (ring->stats.entries == 0 && !ring->woken && rc != ETIMEDOUT) {
		rc = timeout_ms < 0 ? pthread_cond_wait(&ring->filled, &ring->lock)
				    : pthread_cond_timedwait(&ring->filled, &ring->lock, &at);
		PLM_ASSERT(rc == 0 || rc == ETIMEDOUT);
	}
	ring->woken = false;
	unlock(ring);
}
