/*
 * out.h - what a step of a cycle has decided
 *
 * A reducer appends events here and changes nothing; the engine encodes them, puts them in the log and
 * folds them back into state, in order. Payloads live in the step's arena or in state. The cause of an
 * event is the CYCLE, or an event appended earlier (an INTENT is caused by its decision).
 */
#ifndef PLM_CORE_OUT_H
#define PLM_CORE_OUT_H

#include "core/arena.h"
#include "core/event.h"

#define PLM_CAUSE_CYCLE 0U

struct plm_out_item {
	enum plm_event_type type;
	const void *payload; /* wire struct of 'type' */
	const void *request; /* INTENT: wire struct of the call, frozen by the engine; else NULL */
	uint32_t cause;	     /* PLM_CAUSE_CYCLE or a handle */
};

struct plm_out {
	struct plm_arena *arena; /* borrowed: the step's */
	struct plm_out_item **chunks;
	uint32_t chunk_count, chunk_capacity;
	uint32_t count;
};

void plm_out_init(struct plm_out *out, struct plm_arena *arena);
/* Append an event; returns its handle (>= 1), to be a cause of later ones. */
uint32_t plm_out_add(struct plm_out *out, enum plm_event_type type, const void *payload,
		     uint32_t cause);
/* Append an INTENT: 'head' without its frozen bytes, and the typed 'request' of head->call. */
uint32_t plm_out_intent(struct plm_out *out, const struct plm_w_intent *head, const void *request,
			uint32_t cause);
/* Item of 'handle', 1 ... count. */
const struct plm_out_item *plm_out_item(const struct plm_out *out, uint32_t handle);

#endif
