/*
 * room.h - how much room is left on the disk, and what that means
 *
 * Owns: the thresholds of eventsourcing.md D8. LMDB reports a full disk as a failed write, after
 * which only the end of the process is safe, so room is looked at before each batch. The ballast
 * (store/volume.h) is given up for the last events when the disk is all but full.
 */
#ifndef PLM_ROOM_H
#define PLM_ROOM_H

#include "core/error.h"

enum plm_room_level {
	PLM_ROOM_PLENTY,
	PLM_ROOM_WARN,	  /* below PLM_LIMIT_ROOM_WARN_PERCENT */
	PLM_ROOM_LOW,	  /* below PLM_LIMIT_ROOM_LOW_PERCENT */
	PLM_ROOM_OBSERVE, /* below PLM_LIMIT_ROOM_OBSERVE_PERCENT: no new effects */
	PLM_ROOM_NONE,	  /* less than PLM_LIMIT_ROOM_LAST_BYTES: the next batch may not fit */
};

struct plm_room {
	uint64_t free_bytes; /* that we may still write */
	uint64_t total_bytes;
};

/* PLM_E_IO: the system's word. */
enum plm_code plm_room_measure(const char *path, struct plm_room *out,
			       struct plm_error *err) PLM_MUST_CHECK;
enum plm_room_level plm_room_level(struct plm_room room);
const char *plm_room_level_text(enum plm_room_level level);

#endif
