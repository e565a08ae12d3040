/*
 * codes.h - what the cloud's word for a failed launch means
 *
 * Owns: one table from error code (and, for the vague ones, a piece of the message) to what becomes of the
 * claim, what is remembered of the offer, and the reason that Karpenter gives it. Pure.
 * Does not: fold anything (stock.h, claims.c do). Source: karpenter.md 2.11 (9), 4.5.
 */
#ifndef PLM_REDUCERS_PROVISION_CODES_H
#define PLM_REDUCERS_PROVISION_CODES_H

#include "core/slice.h"

#include <stdint.h>

/* What becomes of the claim. */
enum plm_launch_effect {
	PLM_LAUNCH_RETRY,	  /* Launched is Unknown; again after a wait that grows */
	PLM_LAUNCH_RETRY_AT_ONCE, /* what was missing is made anew */
	PLM_LAUNCH_NO_CAPACITY,	  /* the claim is given up, or goes on with other offers */
};

/* What is out of stock by that. */
enum plm_launch_mark {
	PLM_MARK_NOTHING,
	PLM_MARK_OFFERING,	/* (capacity type, type, zone) */
	PLM_MARK_CAPACITY_TYPE, /* in all zones, of all types */
	PLM_MARK_ZONE,		/* its subnet has no addresses */
	PLM_MARK_RESERVATION,	/* it is used up */
};

struct plm_launch_code {
	const char *code;
	const char *message; /* a piece that the message must have, or NULL */
	enum plm_launch_effect effect;
	enum plm_launch_mark mark;
	const char *reason; /* of the Launched condition */
};

/* Never NULL: an unknown code is tried again, as LaunchFailed. */
const struct plm_launch_code *plm_launch_code(struct plm_slice code, struct plm_slice message);

#endif
