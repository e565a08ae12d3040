/*
 * live.h - the log of the daemon that a call runs in, in place of -L and -f
 *
 * Owns: nothing; it says where the log is and lends the state that the daemon's follower has folded, so
 * that a question about now needs no fold. The call runs in a process of its own (src/kid.h), so the
 * state is a frozen copy that the call may use up. HEAD is the follower's last event: what an answer
 * says and the state that it was taken from are of one moment.
 */
#ifndef PLM_TOOLS_LIVE_H
#define PLM_TOOLS_LIVE_H

#include "core/state.h"

/* What only the daemon knows, for `head`. */
struct plm_live_about {
	const char *queues, *nodes; /* "enforce", "observe" */
	int64_t lag_events;	    /* that the log has and the follower has not seen yet */
};

struct plm_live {
	const char *folder; /* the log's */
	/* At 'seq'; moves to the first view that wants it. NULL: fold from a snapshot. */
	struct plm_state *state;
	uint64_t seq; /* HEAD; 0 = the newest event that is there */
	struct plm_live_about about;
};

/* The point that a call looked at, for who called it: an answer's ETag. */
struct plm_call_point {
	uint64_t seq; /* 0 = the call looked at no single point */
	char hash[33];
};

#endif
