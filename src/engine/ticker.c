#include "engine/ticker.h"

#include "core/limits.h"

static int64_t passed_ms(const struct plm_ticker *ticker, int64_t boot_ms)
{
	return boot_ms > ticker->boot_ms ? boot_ms - ticker->boot_ms : 0;
}

int64_t plm_ticker_read(const struct plm_ticker *ticker, int64_t wall_ms, int64_t boot_ms)
{
	int64_t passed = passed_ms(ticker, boot_ms);
	int64_t ahead = 0;

	if (!ticker->running) {
		return wall_ms > ticker->now_ms ? wall_ms : ticker->now_ms;
	}
	ahead = wall_ms - (ticker->now_ms + passed);
	if (ahead > PLM_LIMIT_CLOCK_STEP_MS) {
		return ticker->now_ms + passed + (ahead < passed ? ahead : passed);
	}
	if (ahead < -PLM_LIMIT_CLOCK_STEP_MS) {
		return ticker->now_ms + passed;
	}
	return wall_ms > ticker->now_ms ? wall_ms : ticker->now_ms;
}

int64_t plm_ticker_take(struct plm_ticker *ticker, int64_t wall_ms, int64_t boot_ms)
{
	int64_t now = plm_ticker_read(ticker, wall_ms, boot_ms);
	int64_t apart = wall_ms - (ticker->now_ms + passed_ms(ticker, boot_ms));
	int64_t step = 0;

	PLM_ASSERT(now >= ticker->now_ms);
	if (!ticker->running) {
		apart = 0;
	} else if (apart - ticker->apart_ms > PLM_LIMIT_CLOCK_STEP_MS ||
		   ticker->apart_ms - apart > PLM_LIMIT_CLOCK_STEP_MS) {
		step = apart - ticker->apart_ms;
	}
	ticker->apart_ms = wall_ms - now; /* what is left of it is caught up quietly */
	ticker->now_ms = now;
	ticker->boot_ms = boot_ms;
	ticker->running = true;
	return step;
}
