/*
 * lease.h - who may act: one Lease of coordination.k8s.io, the witness of the log's tail in it, and the
 * Leases of peers
 *
 * Owns: taking, renewing and giving back our Lease; until when effects may leave; the annotation that says
 * how far the log of whoever held it was; whether a peer (Kueue, Karpenter) is alive. Does not: fence. Two
 * holders are told apart by the log's epoch and by the preconditions of effects (eventsourcing.md D16);
 * a Lease says who lives.
 *
 * 15 s Lease, renewed every 2 s, nothing leaves later than 10 s after the sending of the last renewal that
 * succeeded, on a clock that does not step. Others' times are never compared with our clock: a Lease has
 * run out when it has not changed before our eyes for as long as it says. Everything on the loop's thread.
 *
 * Use: plm_lease_new() with modes allowed that let it be written (client.h), wait for HELD, take the
 * epoch, act while plm_lease_may_act(). After LOST, end: somebody else acts.
 */
#ifndef PLM_ADAPTERS_KUBE_LEASE_H
#define PLM_ADAPTERS_KUBE_LEASE_H

#include "adapters/kube/client.h"
#include "core/ports.h"

/* How far a log is: durable, as the Lease's annotation "plimsoll.dev/head" tells it: "SEQ:ROOT:EPOCH". */
#define PLM_LEASE_ROOT_SIZE 17
struct plm_lease_head {
	uint64_t seq;
	char root[PLM_LEASE_ROOT_SIZE]; /* hex digits at the beginning of the chain's head */
	uint64_t epoch;
};

enum plm_lease_state {
	PLM_LEASE_ASKING,  /* nothing is known yet, or the API server does not answer */
	PLM_LEASE_STANDBY, /* somebody else holds it; it is taken when that one is gone */
	PLM_LEASE_BEHIND, /* the log is not the one whose holder wrote the annotation: never taken */
	PLM_LEASE_HELD,	  /* ours */
	PLM_LEASE_LATE, /* ours as far as is known, but not renewed for too long: nothing may leave */
	PLM_LEASE_LOST,	    /* was ours, and somebody else took it: over */
	PLM_LEASE_RELEASED, /* given back: over */
};
const char *plm_lease_state_name(enum plm_lease_state state); /* static: "held" */

struct plm_lease_options {
	uv_loop_t *loop;		/* borrowed */
	struct plm_kube_client *client; /* borrowed, discovered */
	struct plm_clock clock;
	const char *ns, *name; /* copied */
	/*
	 * Copied. "VOLUME_PROCESS": the first part is the same after a restart on the same volume: whoever holds
	 * the lock on the log is alone there, so it takes the Lease of the volume again without waiting. The
	 * second is another with each process: a copy of the volume that took the Lease is not taken for us.
	 */
	const char *identity;
	uint64_t seed; /* of the jitter */
	/* The durable head of our log at this moment. */
	void (*head)(void *self, struct plm_lease_head *out);
	/*
	 * Whether our log, which is not shorter, has exactly 'witness' in it: a record that ends a frame with
	 * that chain. NULL: only lengths and epochs are compared.
	 */
	bool (*holds)(void *self, const struct plm_lease_head *witness);
	bool accept_behind; /* an operator says that the lost tail is lost (an event of the log, too) */
	/* After every change. 'why' is one line for people, "" = nothing to say. Not from inside plm_lease_*(). */
	void (*on_change)(void *self, enum plm_lease_state state, const char *why);
	void *self;
};

struct plm_lease; /* opaque */

/* Begins at once to ask for it. */
struct plm_lease *plm_lease_new(const struct plm_lease_options *options);
/* NULL-safe; gives nothing back (see release). The loop still has to run a close. */
void plm_lease_free(struct plm_lease *lease);

/* Look here right before an effect is sent. */
bool plm_lease_may_act(const struct plm_lease *lease);

/*
 * Give it back, with the head of the log as it is now, so that a successor need not wait. 'on_done' comes
 * once, from the loop, within twice PLM_LIMIT_LEASE_CALL_MS; 'released' false: it will run out by itself.
 */
void plm_lease_release(struct plm_lease *lease, void (*on_done)(void *self, bool released),
		       void *self);

struct plm_lease_status {
	enum plm_lease_state state;
	int64_t renewed_ms;	       /* ago; PLM_UNSET = never */
	int64_t transitions;	       /* leaseTransitions */
	char holder[256];	       /* as last read; "" = nobody */
	bool witnessed;		       /* 'witness' was read */
	struct plm_lease_head witness; /* before we took it: our epoch must be above this one's */
	char why[256];		       /* of the last thing that went wrong; "" = none */
};
struct plm_lease_status plm_lease_status(const struct plm_lease *lease);

/* ---- a peer's Lease ---- */

enum plm_peer_state {
	PLM_PEER_UNKNOWN, /* not looked at for long enough */
	PLM_PEER_ABSENT,  /* there is no such Lease, or it was given back */
	PLM_PEER_STALE,	  /* it has not changed for as long as it lasts */
	PLM_PEER_FRESH,	  /* its holder lives: the area stays observed */
};
const char *plm_peer_state_name(enum plm_peer_state state); /* static: "fresh" */

struct plm_peer_options {
	uv_loop_t *loop;		/* borrowed */
	struct plm_kube_client *client; /* borrowed, discovered */
	struct plm_clock clock;
	const char *ns, *name; /* copied */
	uint64_t seed;
	void (*on_change)(void *self, enum plm_peer_state state, const char *holder);
	void *self;
};

struct plm_peer; /* opaque */
/* Begins at once to look, every PLM_LIMIT_PEER_LOOK_MS. */
struct plm_peer *plm_peer_new(const struct plm_peer_options *options);
void plm_peer_free(struct plm_peer *peer); /* NULL-safe; the loop still has to run a close */
enum plm_peer_state plm_peer_state(const struct plm_peer *peer);
const char *plm_peer_holder(const struct plm_peer *peer); /* valid until the loop runs */
/* Why it could not be read the last time, "" = it could; likewise. */
const char *plm_peer_why(const struct plm_peer *peer);

#endif
