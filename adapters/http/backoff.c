#include "adapters/http/backoff.h"

#include "adapters/http/jitter.h"
#include "core/event.h"
#include "core/limits.h"

const struct plm_backoff_rule plm_backoff_watch = {
	.first_ms = PLM_LIMIT_WATCH_BACKOFF_FIRST_MS,
	.last_ms = PLM_LIMIT_WATCH_BACKOFF_LAST_MS,
	.reset_ms = PLM_LIMIT_WATCH_BACKOFF_RESET_MS,
};

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
	wait_ms += plm_jitter(&backoff->random, 0, wait_ms - 1);
	if (retry_after_ms != PLM_UNSET && retry_after_ms > wait_ms) {
		wait_ms = retry_after_ms + plm_jitter(&backoff->random, 0, rule->first_ms - 1);
	}
	return wait_ms;
}

void plm_backoff_good(struct plm_backoff *backoff)
{
	backoff->failures = 0;
}
