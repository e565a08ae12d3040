/*
 * compare.h - how far a living peer and we agree, while the daemon runs
 *
 * Owns: tools/agree.h on the follower's thread, and the two ratios that metrics show. The report with each
 * difference is the verb's (`plimsoll agree`). Does not: exist where everything is enforced.
 */
#ifndef PLM_COMPARE_H
#define PLM_COMPARE_H

#include "core/arena.h"
#include "core/state.h"

struct plm_compare; /* opaque */

enum plm_code plm_compare_new(struct plm_compare **out, struct plm_error *err) PLM_MUST_CHECK;
void plm_compare_free(struct plm_compare *compare); /* NULL-safe; the follower has ended */
/* On the follower's thread: 'st' is the state before 'event'. */
void plm_compare_take(struct plm_compare *compare, const struct plm_state *st,
		      const struct plm_event *event);
/* Any thread: thousandths of what was compared in queues (0) or nodes (1); PLM_UNSET = nothing was. */
int64_t plm_compare_permille(const struct plm_compare *compare, int area);

#endif
