/*
 * world.h - one run of a writer, and the verdict on what is left of it
 *
 * A run opens a new log, commits WORLD_COMMITS batches and writes a snapshot now and then. The
 * same run gives the same calls and the same log every time, so that call number n of one run is
 * call number n of the next.
 */
#ifndef PLM_FAULT_WORLD_H
#define PLM_FAULT_WORLD_H

#include "store/log.h"

#define WORLD_COMMITS 210
#define WORLD_SNAPSHOT_EVERY 50

struct world {
	/* heads[n] = after n commits; the whole log, as a memory log says it. */
	struct plm_log_head heads[WORLD_COMMITS + 2];
};

/* Fill in what a run must come to. */
void world_init(struct world *world);

struct world_run {
	size_t acked;	    /* commits that returned PLM_OK */
	uint64_t snapshot;  /* newest snapshot whose writing returned PLM_OK */
	enum plm_code code; /* what ended the run */
	struct plm_error err;
	bool dead; /* a commit behind the failed one was refused */
};

/* Run in 'folder' until 'commits' are done or something fails. */
void world_run(const char *folder, size_t commits, struct world_run *out);

/*
 * NULL when the log in 'folder' is a prefix of the run that holds 'acked' commits and at most one
 * more, the snapshot of 'snapshot' (0 = none) can be loaded, and appending goes on; else what is
 * wrong.
 */
const char *world_judge(const struct world *world, const char *folder, size_t acked,
			uint64_t snapshot);

/* The log of 'commits' commits in the empty folder 'folder'. */
void world_make(const char *folder, size_t commits);

#endif
