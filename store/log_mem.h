/*
 * log_mem.h - a log in memory whose machine can die
 *
 * Owns: the "disk", an object that outlives the handles on it and holds two images: the durable
 * one, which is what a crash leaves, and the volatile one, which cursors see. The simulator and
 * the tests of the engine kill a writer at any write of any commit with it and open what is left.
 * Does not: imitate LMDB's pages (tests/fault does that with the real one).
 *
 * A commit makes PLM_DISK_CALLS_PER_COMMIT calls, as LMDB does, numbered from 1 over the disk's
 * life:
 *
 *	1. write the data	lost in a crash
 *	2. sync it		still invisible: no meta page points there
 *	3. write the meta page	written and synced in one: from here on the batch is durable
 *	4. write the witness	the commit returns PLM_OK after it
 *
 * A planned fault acts at one of these calls:
 *
 *	PLM_DISK_CRASH       the machine dies just before the call takes place: all handles are dead,
 *	                     the volatile image is gone
 *	PLM_DISK_FULL        the call finds no room: PLM_E_FULL
 *	PLM_DISK_SYNC_ERROR  the call fails: PLM_E_IO; at call 3 the batch is durable all the same, at
 *	                     the calls before it is not: both things that a kernel may have done
 *	PLM_DISK_LIES        from this call on commits return PLM_OK while nothing becomes durable: a
 *	                     disk without a conscience, to show that a test notices
 *
 *	the engine:	 code = plm_log_commit(...) fails -> it ends, as the daemon would
 *	the simulator:	 plm_log_disk_crashed(disk)? -> close the dead handle, drop the engine,
 *			 plm_log_open_disk() again -> a new engine over the durable image
 *
 * One thread for a disk and all its handles and cursors.
 */
#ifndef PLM_STORE_LOG_MEM_H
#define PLM_STORE_LOG_MEM_H

#include "store/log.h"

#define PLM_DISK_CALLS_PER_COMMIT 4

struct plm_log_disk; /* opaque, owned by who made it */

enum plm_disk_fault {
	PLM_DISK_NO_FAULT,
	PLM_DISK_CRASH,
	PLM_DISK_FULL,
	PLM_DISK_SYNC_ERROR,
	PLM_DISK_LIES,
};

struct plm_log_disk *plm_log_disk_new(void); /* never NULL */
/* NULL-safe. All handles on it must be closed. */
void plm_log_disk_free(struct plm_log_disk *disk);

/*
 * A handle on the log of 'disk' (borrowed). After a crash it holds the durable image.
 * PLM_E_REFUSED: another writer holds it.
 */
enum plm_code plm_log_open_disk(struct plm_log_disk *disk, enum plm_log_mode mode,
				struct plm_log **out, struct plm_error *err) PLM_MUST_CHECK;

/* Plan one fault for call number 'call' (> plm_log_disk_calls()); replaces what was planned. */
void plm_log_disk_plan(struct plm_log_disk *disk, enum plm_disk_fault fault, uint64_t call);
/* Calls made so far. */
uint64_t plm_log_disk_calls(const struct plm_log_disk *disk);
/* The machine dies now, between commits. */
void plm_log_disk_crash(struct plm_log_disk *disk);
/* A crash has happened and no handle was opened since. */
bool plm_log_disk_crashed(const struct plm_log_disk *disk);
/* What a crash at this moment would leave: an intent above it must not have left. */
struct plm_log_head plm_log_disk_durable(const struct plm_log_disk *disk);
/* What plm_log_room() says from now on; a commit larger than 'free_bytes' finds no room. */
void plm_log_disk_set_room(struct plm_log_disk *disk, struct plm_log_room room);

#endif
