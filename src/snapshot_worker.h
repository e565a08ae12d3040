/*
 * snapshot_worker.h - the thread that writes snapshots
 *
 * Owns: one copy of an image at a time, and compressing, writing, syncing and renaming it (store's
 * snapshot.h), so that the engine thread pays for a copy only. While it is busy a new image is left out:
 * a snapshot is a cache, and the next one comes. A failure is a line in the log and a counter.
 */
#ifndef PLM_SNAPSHOT_WORKER_H
#define PLM_SNAPSHOT_WORKER_H

#include "store/snapshot.h"

struct plm_snapshot_worker; /* opaque */

/* 'folder' is the log's; borrowed. */
enum plm_code plm_snapshot_worker_start(const char *folder, struct plm_snapshot_worker **out,
					struct plm_error *err) PLM_MUST_CHECK;
/* Finish the one under way and end. NULL-safe. */
void plm_snapshot_worker_stop(struct plm_snapshot_worker *worker);

/* For struct plm_engine_options: 'self' is the worker. From the engine thread; copies 'parts'. */
void plm_snapshot_worker_take(void *self, const struct plm_snapshot_info *info,
			      const struct plm_slice *parts, size_t count);

struct plm_snapshot_worker_stats {
	uint64_t written, failed, left_out;
	uint64_t last_seq, last_bytes; /* of the image; of the last one written */
};
struct plm_snapshot_worker_stats plm_snapshot_worker_stats(struct plm_snapshot_worker *worker);

#endif
