/*
 * settle.h - the embedded cluster and cloud as the rest of the world: `decide --cycles settled`
 *
 * Owns: an instant world (adapters/sim) at one moment: launches succeed, nodes join, pods are bound,
 * evictions complete, nothing finishes and no time passes. Facts go into it instead of into the engine,
 * and it tells the engine what people and machines would see.
 * Does not: drive the engine (round.c).
 */
#ifndef PLM_TOOLS_SETTLE_H
#define PLM_TOOLS_SETTLE_H

#include "core/ports.h"

struct plm_settle; /* opaque */

/* 'catalog' may be NULL. 'reserved_enis' is the setting. Observations go to 'take'. */
enum plm_code plm_settle_open(int64_t now_ms, const struct plm_w_catalog *catalog,
			      int64_t reserved_enis, const struct plm_inbox *take,
			      struct plm_settle **out, struct plm_error *err) PLM_MUST_CHECK;
void plm_settle_close(struct plm_settle *settle); /* NULL-safe */

struct plm_effects plm_settle_effects(struct plm_settle *settle);
/* An object of the input, encoded. PLM_E_INPUT: the payload is not canonical. */
enum plm_code plm_settle_apply(struct plm_settle *settle, const struct plm_observation *fact,
			       struct plm_error *err) PLM_MUST_CHECK;
/* Let everything happen that is due now; true when something was. */
/* All of the input has been told: what is not there does not exist. */
void plm_settle_listed(struct plm_settle *settle);
bool plm_settle_advance(struct plm_settle *settle);

#endif
