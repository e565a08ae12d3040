/*
 * decision.h - what a round has decided, as a DecisionList (CLI.md)
 *
 * Owns: gathering decisions from the round's log and their standing from its state. `admitted` lists
 * what this round reserved quota for (--cycles N, stable) or what holds quota at the end (settled);
 * `preempted` the new victims; `pending` every workload without quota.
 * Does not: decide, print.
 */
#ifndef PLM_TOOLS_DECISION_H
#define PLM_TOOLS_DECISION_H

#include "tools/json.h"
#include "tools/round.h"

/* '*out' lives in the call's arena and borrows the round's state. */
enum plm_code plm_decision_list(struct plm_cli *call, struct plm_round *round,
				struct plm_json **out, struct plm_error *err) PLM_MUST_CHECK;

#endif
