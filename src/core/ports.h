/*
 * ports.h - the seams: what the engine asks of the world and what the world tells it
 *
 * The daemon, `sim` and the tests plug different worlds into these; the engine cannot tell them apart.
 * Time comes only through struct plm_clock, outside events only through struct plm_inbox, effects leave
 * only through struct plm_effects, and only after the batch that holds their INTENT is durable.
 */
#ifndef PLM_CORE_PORTS_H
#define PLM_CORE_PORTS_H

#include "core/error.h"
#include "core/event.h"

struct plm_clock {
	void *self;
	int64_t (*wall_ns)(void *self); /* UTC, may step */
	int64_t (*boot_ms)(void *self); /* never steps back */
};

/*
 * What an observation is. FACT is an event; the others are never logged and only say what a list shows, so
 * that the engine can infer what is gone (engine/sweep.h). A list of a kind is LIST_BEGINS, its objects as
 * facts in any order (watch events of that kind between them do no harm), and a fact LISTED. LIST_BEGINS
 * again discards what the list before it showed.
 */
enum plm_observed {
	PLM_OBSERVED_FACT,
	PLM_OBSERVED_LIST_BEGINS, /* as type LISTED */
	PLM_OBSERVED_STANDS,	  /* as type GONE: that object is there, but it cannot be read */
};

/*
 * One event from outside, already encoded (codec/codec.h), so that it can cross a thread. 'pos' is the
 * position in the source (resourceVersion, request id). For RESULT and INSTANCE 'intent' names the
 * INTENT. All borrowed for the call.
 */
struct plm_observation {
	enum plm_source source;
	enum plm_event_type type;
	uint64_t intent;
	struct plm_slice pos;
	struct plm_slice payload;
	enum plm_observed observed;
};

/*
 * put: PLM_E_AGAIN, the ring is full; try again after the engine has taken some. 'accepted' counts the
 * observations that 'put' ever took, 'settled' how many of them, in that order, are durable or were
 * dropped as nothing new; both may be NULL where nobody asks.
 */
struct plm_inbox {
	void *self;
	enum plm_code (*put)(void *self, const struct plm_observation *observation);
	uint64_t (*accepted)(void *self);
	uint64_t (*settled)(void *self);
};

/* What one part of the outside says of itself to readyz. */
#define PLM_READY_CHECKS 16
struct plm_ready_check {
	const char *name; /* static */
	bool ok;
	char why[128]; /* why not, or what of it */
};

/* Numbers of a cloud's end, for metrics (src/metrics.h has their names). 'label' per number below. */
enum plm_cloud_number {
	PLM_CLOUD_CALLS,     /* by "Service.Action outcome": requests that were answered or lost */
	PLM_CLOUD_CALL_MS,   /* by "Service.Action": sum of their times */
	PLM_CLOUD_THROTTLED, /* by "Service.Action": answers that said to slow down */
	PLM_CLOUD_INSTANCES, /* without: in the newest whole list */
	PLM_CLOUD_LAG_MS, /* without: longest observed from a launch to its first sight in a list */
	PLM_CLOUD_MESSAGES,	/* by kind: received from the queue */
	PLM_CLOUD_DELETED,	/* without: messages taken off the queue */
	PLM_CLOUD_UNREADABLE,	/* by source: messages and answers that nothing could be made of */
	PLM_CLOUD_CREDENTIALS_S /* without: until they expire; -1 = never */
};

#define PLM_INTENT_KEY_SIZE 53 /* 52 characters of base32 and a zero */

/* An effect to carry out. Borrowed for the call; the port copies what it keeps. */
struct plm_effect {
	uint64_t intent; /* seq of the INTENT */
	enum plm_call call;
	char key[PLM_INTENT_KEY_SIZE]; /* idempotency key: base32(SHA-256(cluster uid, seq)) */
	const void *request;	       /* decoded wire struct of 'call' */
	struct plm_slice frozen;       /* the same as logged */
	int64_t deadline_ms;
	bool resent; /* after a restart: it may have been carried out already */
};

/*
 * 'submit' takes an effect; its RESULT comes back through the inbox. 'durable' tells the newest durable
 * seq after each commit, before the effects of that commit are submitted (invariant S5 is checked
 * against it by the embedded ends). 'durable' may be NULL.
 */
struct plm_effects {
	void *self;
	void (*submit)(void *self, const struct plm_effect *effect);
	void (*durable)(void *self, uint64_t seq);
};

#endif
