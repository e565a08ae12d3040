/*
 * room.h - is there room on the disk, and may the log lie there at all
 *
 * Owns: the thresholds of event-sourcing design D8, the ballast file, and the refusal of file systems
 * that LMDB cannot trust. LMDB reports a full disk as a failed write, after which only the end of the
 * process is safe, so room is looked at before each batch. The ballast is given up for the last events
 * when the disk is all but full.
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

/* PLM_E_REFUSED: 'path' lies on a network, overlay or user-space file system. */
enum plm_code plm_room_check_kind(const char *path, struct plm_error *err) PLM_MUST_CHECK;
/* NULL, or what the file system of magic number 'magic' is and why it is refused. */
const char *plm_room_refused_kind(uint64_t magic);

/* Make sure that the ballast of 'bytes' lies in 'folder'. PLM_E_FULL, PLM_E_IO. 0 bytes: none. */
enum plm_code plm_ballast_make(const char *folder, uint64_t bytes,
			       struct plm_error *err) PLM_MUST_CHECK;
/* Give it up; true when there was one. */
bool plm_ballast_release(const char *folder);

#endif
