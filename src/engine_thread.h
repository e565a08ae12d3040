/*
 * engine_thread.h - the one thread that writes the log and owns the state
 *
 * Owns: the life of the engine between plm_engine_open() and plm_engine_close(): takes observations from
 * the ring into the batch, commits, sleeps until there is more, a timer of state is due, or somebody
 * wakes it. Batches are what arrived while the last commit was under way (eventsourcing.md D6).
 * Looks at the room on the disk before each batch (room.h). Any failure of the engine ends the thread,
 * never the process: the loop reads the report and ends it in order.
 * Does not: carry out effects (handover.h) or know where observations come from.
 */
#ifndef PLM_ENGINE_THREAD_H
#define PLM_ENGINE_THREAD_H

#include "engine/engine.h"
#include "ring.h"
#include "room.h"
#include "timing.h"

struct plm_engine_thread; /* opaque */

struct plm_engine_thread_options {
	struct plm_engine *engine; /* borrowed; nobody else touches it while the thread runs */
	struct plm_ring *ring;	   /* borrowed; the thread is its consumer */
	struct plm_clock clock;
	const char *folder; /* borrowed: where room is measured; NULL = nowhere */
	bool ballast;	    /* there is one in 'folder' */
	/* After each batch, and when the thread ends; from the thread, must not block. */
	void (*notify)(void *self);
	void *self;
};

/* What the thread last said about itself. */
struct plm_engine_report {
	bool ended;
	enum plm_code code; /* when ended: PLM_OK after plm_engine_thread_stop() */
	struct plm_error err;
	struct plm_engine_stats stats;
	uint64_t seq;		    /* newest event of the state */
	struct plm_log_head head;   /* of the log, durable */
	int64_t batch_boot_ms;	    /* when the last batch ended; 0 = none has */
	uint64_t rejected;	    /* observations that were not what they should be */
	struct plm_error rejection; /* the last of them */
	enum plm_room_level level;
	struct plm_room room;
	bool ballast_released;
	struct plm_timing cycles[2];   /* batches with a cycle that reserved quota, that did not */
	struct plm_timing evaluations; /* the same, all of them */
	struct plm_timing appends;     /* commits: written and synced */
	int64_t working_since_ms;      /* boot time: a batch is under way; 0 = none is */
};

enum plm_code plm_engine_thread_start(const struct plm_engine_thread_options *options,
				      struct plm_engine_thread **out,
				      struct plm_error *err) PLM_MUST_CHECK;
/* Commit what is in the ring, then end. Returns at once. */
void plm_engine_thread_stop(struct plm_engine_thread *thread);
/* Wait for the end and give the memory back; the last report. NULL-safe. */
struct plm_engine_report plm_engine_thread_join(struct plm_engine_thread *thread);
struct plm_engine_report plm_engine_thread_report(struct plm_engine_thread *thread);

#endif
