/*
 * cloud.h - the port of a cloud: catalogue, launch, terminate, list, interruptions
 *
 * One struct of functions, filled in by a folder under adapters/ (ec2; sim for the embedded one). Another cloud
 * is another folder, and nothing else changes: the reducers know offers, instances and what a class came
 * to, never a call of somebody's API. What every cloud owes, tests/unit/adapters/test_cloud.c holds it to:
 *
 * - Catalogue: CATALOG facts, whole, when something in it changed. CLASS_STATUS facts for each node class it
 *   was shown (saw): what a launch by that class would use, or why there can be none; its 'recipe' comes back
 *   in each launch request, byte for byte, so that a repeated request is the same request.
 * - Launch: one intent is at most one instance, whatever is repeated, lost or answered late: the effect's key
 *   is the cloud's idempotency token, and the instance carries the intent's number as a tag. RESULT by the
 *   classes of D14; an unknown outcome is looked up and repeated with the same key until it is known.
 * - Terminate: repeated until the cloud says that the instance is ending or gone.
 * - List, in rounds: INSTANCE facts of this cluster's instances as they change, LISTED once all were told, and again
 *   after an absence.
 * - Interruptions: INTERRUPTION facts; a message leaves its queue only when its fact is durable.
 *
 * While 'act' is false nothing leaves but reads and what credentials need. Everything is called on the
 * loop's thread, nothing blocks. Credentials are in no fact, text or log line.
 */
#ifndef PLM_CORE_CLOUD_H
#define PLM_CORE_CLOUD_H

#include "core/ports.h"

struct plm_cloud_start {
	struct plm_inbox inbox;
	struct plm_clock clock;
	const char *cluster_uid; /* borrowed for good */
	bool act;		 /* area nodes is enforced */
	const char *kubernetes;	 /* version of the API server, "1.37"; "" = not known */
};

struct plm_cloud {
	void *self;
	const char *name; /* "ec2" */
	/* Where it is ("us-west-2"), which names its catalogue; "" until it is known. */
	const char *(*place)(const void *self);
	/* Facts may come from now on; before it there are only reads for credentials. */
	void (*start)(void *self, const struct plm_cloud_start *start);
	/* Carries out what plm_cloud_carries() names; after 'start'. */
	struct plm_effects (*effects)(void *self);
	/* What the cluster's end told the inbox of node classes is shown here too; borrowed for the call. */
	void (*saw)(void *self, const struct plm_observation *observation);
	/* There may be room in the inbox again; facts may have become durable (plm_inbox.settled). */
	void (*resume)(void *self);
	/* What readyz says of it; returns how many. */
	size_t (*ready)(const void *self, struct plm_ready_check *out, size_t max);
	/* Numbers for metrics: 'one' is called for each. */
	void (*tell)(const void *self,
		     void (*one)(void *ctx, enum plm_cloud_number number, const char *label,
				 int64_t value),
		     void *ctx);
	void (*free)(void *self); /* ends what is under way without telling */
};

/* Calls of enum plm_call that are the cloud's. */
static inline bool plm_cloud_carries(enum plm_call call)
{
	return call == PLM_CALL_LAUNCH || call == PLM_CALL_TERMINATE ||
	       call == PLM_CALL_INSTANCE_TAG;
}

#endif
