/*
 * lock.h - one writer per folder (private to store/)
 *
 * Owns: the flock on the folder itself. It ends with the last copy of the descriptor, so with the
 * process; a child closes its copy first thing (guard.c). Should the process die before that, the lock
 * lasts a moment longer than it: whoever comes next waits for a second before it believes the lock.
 */
#ifndef PLM_STORE_LOCK_H
#define PLM_STORE_LOCK_H

#include "core/error.h"

/*
 * '*out' is the descriptor that holds the lock, owned by the caller. PLM_E_REFUSED: another
 * writer.
 */
enum plm_code plm_lock_take(const char *folder, int *out, struct plm_error *err) PLM_MUST_CHECK;

#endif
