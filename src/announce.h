/*
 * announce.h - Kubernetes Events on their way from the log to the API server
 *
 * Owns: which of the log's events are announced (those since shortly before this start: a restart announces
 * again what may not have got out, under the same names), and a bounded queue from the follower's thread,
 * which composes them from the state as it was before the event, to the loop's, which sends them. When it
 * is full the newest are dropped and counted: Events are for people, and hold nothing up.
 * Does not: compose (reducers/status/announce.h), name or send (adapters/kube/events.h).
 */
#ifndef PLM_ANNOUNCE_H
#define PLM_ANNOUNCE_H

#include "adapters/kube/kube.h"
#include "core/state.h"

struct plm_announce; /* opaque */

struct plm_announce_options {
	int64_t since_ms;	  /* wall time: older events are left alone */
	void (*wake)(void *self); /* the loop; from the follower's thread */
	void *self;
};
struct plm_announce *plm_announce_new(const struct plm_announce_options *options); /* never NULL */
void plm_announce_free(struct plm_announce *announce); /* NULL-safe; the follower has ended */

/* For struct plm_follower_options, on the follower's thread: 'st' is the state before 'event'. */
void plm_announce_take(void *announce, const struct plm_state *st, const struct plm_event *event,
		       struct plm_arena *scratch);
/* On the loop's thread: hand on what waits. */
void plm_announce_deliver(struct plm_announce *announce,
			  void (*send)(void *self, const struct plm_kube_event *event), void *self);
uint64_t plm_announce_dropped(struct plm_announce *announce);

#endif
