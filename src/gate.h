/*
 * gate.h - which effects may leave, and which are still on their way
 *
 * Owns: the modes (observe, enforce by area), holding effects back while the disk is nearly full or the
 * daemon is about to end, counting effects in flight by their results, and a line in the log for each.
 * An effect that is not let out is not lost: its intent stands open in the log and is carried out after
 * the next start, or when enforcement is turned on. Everything is called on the loop's thread.
 */
#ifndef PLM_GATE_H
#define PLM_GATE_H

#include "config.h"
#include "core/ports.h"

struct plm_gate {
	struct plm_effects beyond; /* who carries effects out */
	struct plm_inbox inbox;	   /* where results go */
	struct plm_arena *scratch; /* borrowed: for the decoding of one result */
	bool queues, nodes;	   /* areas that are enforced */
	uint64_t in_flight;
	uint64_t sent, kept; /* let out; of an area that is only observed */
};

/* Read the modes from 'config'. PLM_E_CONFIG: they contradict each other. */
enum plm_code plm_gate_init(struct plm_gate *gate, const struct plm_config *config,
			    struct plm_error *err) PLM_MUST_CHECK;

/* What effects go through, and what the outside's observations go through. */
struct plm_effects plm_gate_effects(struct plm_gate *gate);
struct plm_inbox plm_gate_inbox(struct plm_gate *gate);

#endif
