/*
 * handover.h - what the engine asks of the outside world, on its way between threads
 *
 * Owns: the queue from the engine thread to the loop, in the order of the engine's calls: "durable up to
 * seq" before the effects of that commit. It is bounded by the table of open intents. An effect is
 * copied as its frozen bytes and decoded again where it is carried out.
 * Does not: carry anything out.
 */
#ifndef PLM_HANDOVER_H
#define PLM_HANDOVER_H

#include "core/arena.h"
#include "core/ports.h"

struct plm_handover; /* opaque */

/* 'notify' is called, from the engine thread, when something came; it must not block. */
enum plm_code plm_handover_new(void (*notify)(void *self), void *self, struct plm_handover **out,
			       struct plm_error *err) PLM_MUST_CHECK;
void plm_handover_free(struct plm_handover *handover); /* NULL-safe; drops what is in it */

/* The engine's port. */
struct plm_effects plm_handover_effects(struct plm_handover *handover);

/* ---- the loop ---- */

/*
 * Hand the oldest item to 'effects'; 'scratch' holds its request meanwhile. '*out_intent' is the
 * effect's intent, 0 for a note that something is durable. False when there is nothing.
 */
bool plm_handover_deliver(struct plm_handover *handover, const struct plm_effects *effects,
			  struct plm_arena *scratch, uint64_t *out_intent);
size_t plm_handover_count(struct plm_handover *handover);

#endif
