/*
 * build_log.h - a log folder that appears whole or not at all (private to store/)
 *
 * Owns: the making of a new data.mdb: in <folder>/.new, unsynced; at its end one sync, a rename
 * into the folder, a sync of the folder. So a torn creation is never taken for a damaged log:
 * until the rename there is no log.
 */
#ifndef PLM_STORE_BUILD_LOG_H
#define PLM_STORE_BUILD_LOG_H

#include "store/frame.h"

struct plm_build; /* opaque, owned by the caller */

/*
 * Begin in 'folder', whose writer's lock the caller holds. What an earlier attempt left is
 * removed.
 */
enum plm_code plm_build_begin(const char *folder, struct plm_build **out,
			      struct plm_error *err) PLM_MUST_CHECK;
enum plm_code plm_build_add(struct plm_build *build, const struct plm_frame *frame,
			    const struct plm_slice *records, struct plm_error *err) PLM_MUST_CHECK;
/* Make it the folder's log. 'build' is gone in any case. */
enum plm_code plm_build_end(struct plm_build *build, struct plm_error *err) PLM_MUST_CHECK;
void plm_build_drop(struct plm_build *build); /* NULL-safe */

#endif
