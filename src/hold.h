/*
 * hold.h - may this process act on the cluster? Our Lease, and those of the programs that we take over from
 *
 * Owns: our identity (a file in the data folder: who has the volume is who he was), waiting for the Lease at
 * a start as a standby does, the witness of the log's tail in it, and for each area whether its peer (Kueue
 * for queues, Karpenter for nodes) still lives: then the area stays observed. What was found at the start
 * holds for the whole run: when a peer comes or goes, or the Lease is lost, the process ends with 75, to be
 * started again under what is true then. Sources: eventsourcing.md D10, D16; exact.md 9 (Enforce).
 * Does not: exist where nothing is to be enforced: who observes writes no Lease.
 */
#ifndef PLM_HOLD_H
#define PLM_HOLD_H

#include "adapters/kube/client.h"
#include "core/ports.h"
#include "gate.h"
#include "loop.h"
#include "store/log.h"

struct plm_hold; /* opaque */

struct plm_hold_options {
	struct plm_loop *loop;		/* borrowed, as all that follows */
	struct plm_kube_client *client; /* discovered, allowed to read and write the Lease */
	struct plm_clock clock;
	const char *folder;    /* of the data */
	struct plm_log *log;   /* read in plm_hold_take() only */
	struct plm_gate *gate; /* areas of living peers are taken out of it */
	bool accept_older;     /* an operator says that what the log lacks is lost */
};

/* PLM_E_IO: the identity cannot be read or written. */
enum plm_code plm_hold_new(const struct plm_hold_options *options, struct plm_hold **out,
			   struct plm_error *err) PLM_MUST_CHECK;
void plm_hold_free(struct plm_hold *hold); /* NULL-safe */

/*
 * Look at the peers, then wait for the Lease. PLM_E_AGAIN: told to end meanwhile. PLM_E_REFUSED: the log is
 * behind what its last holder had, so it is an old copy, or has lost its tail.
 */
enum plm_code plm_hold_take(struct plm_hold *hold, struct plm_error *err) PLM_MUST_CHECK;
/* The log is durable up to 'head' now. */
void plm_hold_durable(struct plm_hold *hold, const struct plm_log_head *head);
/* May an effect leave at this moment? */
bool plm_hold_may_act(const struct plm_hold *hold);
/* How it stands, for people: who waits for whom, which area is left to a living peer. Valid until the loop runs. */
const char *plm_hold_why(const struct plm_hold *hold);
/* Why the process has to end, NULL = it has not. */
const char *plm_hold_over(const struct plm_hold *hold);
/* Give the Lease back, on the loop, for a few seconds at most. */
void plm_hold_release(struct plm_hold *hold);

#endif
