/*
 * batch.h - the records of one transaction, while they are gathered
 *
 * Owns: numbering, envelopes, the splitting of long payloads into PART records, the wall clock that
 * never goes back. All events of a batch carry the same wall time and tick.
 */
#ifndef PLM_ENGINE_BATCH_H
#define PLM_ENGINE_BATCH_H

#include "core/arena.h"
#include "core/event.h"

struct plm_batch {
	struct plm_arena arena; /* owned: everything below, until plm_batch_begin() */
	struct plm_slice *records;
	size_t count, capacity;
	size_t facts, bytes;
	uint64_t next_seq; /* of the next record; goes on over batches */
	uint64_t epoch, wall_ns, tick_ms;
	bool open;
};

/* What an event says besides its payload. */
struct plm_batch_event {
	enum plm_event_type type;
	enum plm_source source;
	uint64_t cause, intent;
	struct plm_slice pos, payload;
};

enum plm_code plm_batch_init(struct plm_batch *batch, struct plm_error *err) PLM_MUST_CHECK;
void plm_batch_fini(struct plm_batch *batch);

/* Begin a batch at this wall time, clamped to be non-decreasing, and this logical time (ticker.h). */
void plm_batch_begin(struct plm_batch *batch, int64_t wall_ns, int64_t tick_ms);
/* Append an event and return its number (of the last record, if it was split). */
uint64_t plm_batch_add(struct plm_batch *batch, const struct plm_batch_event *event);
/* The batch was committed. */
void plm_batch_end(struct plm_batch *batch);

#endif
