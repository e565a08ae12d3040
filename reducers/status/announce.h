/*
 * announce.h - the Kubernetes Events that one event of the log leads to
 *
 * Owns: which log event is announced on which object, with which reason, type and message. Does not:
 * write or deduplicate them (the adapter does), or keep anything: it is a function of the state before
 * the log event and of the log event. Source: kueue.md 3.3; dialect.md PodSet ("Reservation",
 * "Scheduled"). Reasons and wording are upstream's where upstream has them.
 */
#ifndef PLM_REDUCERS_STATUS_ANNOUNCE_H
#define PLM_REDUCERS_STATUS_ANNOUNCE_H

#include "core/state.h"

struct plm_announcement {
	enum plm_kind kind;
	struct plm_slice ns, name, uid; /* of the object that it is about */
	bool warning;			/* type Warning, else Normal */
	struct plm_slice reason, message;
};

/* A workload has 8 checks at most (kueue.md 1.5). */
#define PLM_ANNOUNCEMENTS_MAX 8

struct plm_announcements {
	struct plm_announcement list[PLM_ANNOUNCEMENTS_MAX];
	uint32_t count;
};

/* 'st' is the state before 'ev' is applied. Texts live in the payload, in state or in 'arena'. */
void plm_status_announce(const struct plm_state *st, const struct plm_event *ev,
			 struct plm_arena *arena, struct plm_announcements *out);

#endif
