/*
 * decide.h - a cycle, step by step, as both the live engine and replay run it
 *
 * Owns: turning what a reducer put out into the bytes that stand in the log: payloads encoded, requests
 * frozen. The live engine appends them, replay compares them with what is recorded.
 */
#ifndef PLM_ENGINE_DECIDE_H
#define PLM_ENGINE_DECIDE_H

#include "reducers/reducer.h"

struct plm_decider {
	struct plm_arena arena; /* owned: one step's decisions */
	struct plm_out out;	/* of the last step */
	struct plm_cycle_run run;
	bool active; /* a cycle is under way */
	bool last;   /* the last step ended it */
};

enum plm_code plm_decider_init(struct plm_decider *decider, struct plm_error *err) PLM_MUST_CHECK;
void plm_decider_fini(struct plm_decider *decider);

void plm_decider_begin(struct plm_decider *decider, const struct plm_w_cycle *cycle);
/* Run one step; its decisions are decider->out, valid until the next. Only while active. */
void plm_decider_step(struct plm_decider *decider, const struct plm_state *st);
/*
 * The payload of decision 'handle' as it stands in the log, in 'arena'; '*out_value' is the wire struct
 * that was encoded (an INTENT with its request frozen).
 */
struct plm_slice plm_decider_payload(const struct plm_decider *decider, uint32_t handle,
				     struct plm_arena *arena, const void **out_value);

#endif
