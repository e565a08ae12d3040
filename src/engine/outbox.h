/*
 * outbox.h - intents on their way out
 *
 * Owns: the idempotency key and the hand-over to the effects port, after the commit. Which intents are
 * open is state (table `intent`); there is no second list to disagree. Source: eventsourcing.md D14.
 */
#ifndef PLM_ENGINE_OUTBOX_H
#define PLM_ENGINE_OUTBOX_H

#include "core/arena.h"
#include "core/ports.h"

/* key = base32(SHA-256(cluster uid || be64 seq))[0:52], RFC 4648 alphabet in lower case. */
void plm_intent_key(struct plm_slice cluster_uid, uint64_t seq, char key[PLM_INTENT_KEY_SIZE]);

/* An intent on its way; 'resent' as in struct plm_effect. */
struct plm_outgoing {
	uint64_t seq;
	const struct plm_w_intent *intent; /* borrowed */
	bool resent;
};

/* Hand 'out' to 'effects'; its request is decoded into 'scratch'. */
enum plm_code plm_outbox_submit(const struct plm_effects *effects, struct plm_slice cluster_uid,
				struct plm_outgoing out, struct plm_arena *scratch,
				struct plm_error *err) PLM_MUST_CHECK;

#endif
