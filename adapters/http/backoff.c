#include "adapters/http/backoff.h"

#include "core/event.h"
#include "core/limits.h"

const struct plm_backoff_rule plm_backoff_watch = {
	.first_ms = PLM_LIMIT_WATCH_BACKOFF_FIRST_MS,
	.last_ms = PLM_LIMIT_WATCH_BACKOFF_LAST_MS,
	.reset_ms = PLM_LIMIT_WATCH_BACKOFF_RESET_MS,
};
const struct plm_backoff_rule plm_backoff_call = {
	.first_ms = PLM_LIMIT_CALL_BACKOFF_FIRST_MS,
	.last_ms = PLM_LIMIT_CALL_BACKOFF_LAST_MS,
	.reset_ms = 0,
};

/* splitmix64 */
static uint64_t draw(struct plm_backoff *backoff)
{
	uint64_t mixed;

	backoff->random += 0x9e3779b97f4a7c15U;
	mixed = backoff->random;
	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
	return mixed ^ (mixed >> 31);
}

/* The bias of % on 64 bits is nothing here. */
int64_t plm_backoff_jitter(struct plm_backoff *backoff, int64_t below_ms)
{
	PLM_ASSERT(below_ms > 0);
	return (int64_t)(draw(backoff) % (uint64_t)below_ms);
}

void plm_backoff_init(struct plm_backoff *backoff, const struct plm_backoff_rule *rule,
		      uint64_t seed)
{
	PLM_ASSERT(rule->first_ms > 0 && rule->last_ms >= rule->first_ms);
	*backoff = (struct plm_backoff){.rule = *rule, .random = seed};
}

int64_t plm_backoff_failed(struct plm_backoff *backoff, int64_t now_ms, int64_t retry_after_ms)
{
	const struct plm_backoff_rule *rule = &backoff->rule;
	int64_t wait_ms = rule->first_ms;

	if (rule->reset_ms > 0 && now_ms - backoff->failed_ms >= rule->reset_ms) {
		backoff->failures = 0;
	}
	for (uint32_t i = 0; i < backoff->failures && wait_ms < rule->last_ms; i++) {
		wait_ms *= 2;
	}
	wait_ms = wait_ms < rule->last_ms ? wait_ms : rule->last_ms;
	backoff->failures += backoff->failures < UINT32_MAX ? 1 : 0;
	backoff->failed_ms = now_ms;
	wait_ms += plm_backoff_jitter(backoff, wait_ms);
	if (retry_after_ms != PLM_UNSET && retry_after_ms > wait_ms) {
		wait_ms = retry_after_ms + plm_backoff_jitter(backoff, rule->first_ms);
	}
	return wait_ms;
}

void plm_backoff_good(struct plm_backoff *backoff)
{
	backoff->failures = 0;
}
