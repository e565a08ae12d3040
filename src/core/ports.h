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

/* PLM_E_AGAIN: the ring is full; try again after the engine has taken some. */
struct plm_inbox {
	void *self;
	enum plm_code (*put)(void *self, const struct plm_observation *observation);
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
