/*
 * shadow.h - what would be decided on a state, without deciding it
 *
 * Owns: a copy of a state on which both areas take their turns, as in the engine's cycle and by the same
 * code, and what comes out of that. The state that is asked about stays as it is, and nothing is logged:
 * the answer is a function of the state and the time. Used where another program decides (agree.h).
 */
#ifndef PLM_ENGINE_SHADOW_H
#define PLM_ENGINE_SHADOW_H

#include "core/state.h"

struct plm_shadow; /* opaque */

enum plm_code plm_shadow_new(struct plm_shadow **out, struct plm_error *err) PLM_MUST_CHECK;
void plm_shadow_free(struct plm_shadow *shadow); /* NULL-safe */

/*
 * One cycle on a copy of 'st' at 'now_ms'; 'decided' sees each decision (no INTENT), payload borrowed for the
 * call. PLM_E_LIMIT: no memory for the copy.
 */
enum plm_code plm_shadow_look(struct plm_shadow *shadow, const struct plm_state *st, int64_t now_ms,
			      void (*decided)(void *self, enum plm_event_type type,
					      const void *payload),
			      void *self, struct plm_error *err) PLM_MUST_CHECK;

#endif
