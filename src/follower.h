/*
 * follower.h - the log read along, for who asks
 *
 * Owns: a thread that reads what the engine has committed, folds it into a state of its own and counts:
 * so that metrics are sums over the log from its first event on, and a question about now finds a folded
 * state. It runs at low priority and never holds the engine up; it is behind by what 'lag' says. After a
 * start it reads the whole log once; until then it is not caught up and what it counts is not shown, so
 * that no counter is ever seen to fall.
 * Does not: write, or print.
 */
#ifndef PLM_FOLLOWER_H
#define PLM_FOLLOWER_H

#include "core/state.h"
#include "hash/hash.h"
#include "tools/exposition.h"

struct plm_follower; /* opaque */

struct plm_follower_options {
	const char *folder; /* the log's, borrowed; a log that is still empty is waited for */
	/* Each event, with the state before it; from the follower's thread. May be NULL. */
	void (*seen)(void *self, const struct plm_state *st, const struct plm_event *event,
		     struct plm_arena *scratch);
	void *self;
};
enum plm_code plm_follower_start(const struct plm_follower_options *options,
				 struct plm_follower **out, struct plm_error *err) PLM_MUST_CHECK;
void plm_follower_stop(struct plm_follower *follower); /* NULL-safe */
/* The log's newest event is 'seq' now; any thread, never waits for work. */
void plm_follower_wake(struct plm_follower *follower, uint64_t seq);

struct plm_follower_report {
	uint64_t seq;	/* folded up to */
	uint64_t head;	/* the newest that it was told of */
	bool caught_up; /* it has been at the head once */
	bool failed;
	struct plm_error err;	 /* of a failure */
	uint64_t bytes;		 /* of the log's records */
	int64_t oldest_ms;	 /* wall time of the first event; PLM_UNSET = none */
	struct plm_hash128 hash; /* of its state; only when asked for by plm_follower_point() */
};
struct plm_follower_report plm_follower_report(struct plm_follower *follower);
/* The same with the hash of the state: the point of an answer about now. */
struct plm_follower_report plm_follower_point(struct plm_follower *follower);

/* For plm_kid_start(): nothing changes between the two. */
void plm_follower_freeze(void *follower);
void plm_follower_thaw(void *follower);

/* What a child sees after a fork in between. */
struct plm_follower_view {
	struct plm_state *state;
	uint64_t seq;
	struct plm_exposition *counted;
	struct plm_metric_run *run;
	struct plm_arena *scratch;
};
struct plm_follower_view plm_follower_view(struct plm_follower *follower);

#endif
