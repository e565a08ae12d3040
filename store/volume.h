/*
 * volume.h - the volume that holds a log: is it fit, and is there a reserve?
 *
 * Owns: which file systems are refused (D8: LMDB needs shared maps and locks of one machine, and
 * a disk that keeps what it synced), and the ballast: a file that takes room as long as there is
 * enough, and is removed to give the last batches theirs.
 * Does not: act by itself. The daemon asks at its start (exact.md 7: for 'run' only) and
 * releases the ballast by the thresholds that it takes from plm_log_room().
 */
#ifndef PLM_STORE_VOLUME_H
#define PLM_STORE_VOLUME_H

#include "core/error.h"

#define PLM_BALLAST_FILE "ballast"

/* PLM_E_REFUSED: 'folder' is on an overlay or network file system, which 'err' names. PLM_E_IO. */
enum plm_code plm_volume_check(const char *folder, struct plm_error *err) PLM_MUST_CHECK;
/* Name of a file system that is refused, by the number that statfs() gives it; NULL = a fit one. */
const char *plm_volume_refused(uint64_t magic);

/*
 * Make the ballast of PLM_LIMIT_BALLAST_BYTES in 'folder', or find it there. PLM_E_FULL: no room
 * for it, nothing is left behind. PLM_E_IO.
 */
enum plm_code plm_volume_ballast_make(const char *folder, struct plm_error *err) PLM_MUST_CHECK;
/* Give its room back; done when there is none. PLM_E_IO. */
enum plm_code plm_volume_ballast_release(const char *folder, struct plm_error *err) PLM_MUST_CHECK;

#endif
