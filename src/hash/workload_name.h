/*
 * workload_name.h - the name that a job's Workload has
 *
 * Owns: Kueue's formula (exact.md 8). Whoever sees a job, be it an adapter or the embedded cluster, gives
 * its workload the same name. Does not: know whether there is one.
 */
#ifndef PLM_HASH_WORKLOAD_NAME_H
#define PLM_HASH_WORKLOAD_NAME_H

#include "core/arena.h"

/* 'group' of the API, "" for the core; 'uid' empty = without suffix. Arena. */
struct plm_slice plm_workload_name(struct plm_arena *arena, const char *kind, const char *group,
				   struct plm_slice name, struct plm_slice uid);

#endif
