/*
 * ticker.h - the logical time that decisions see
 *
 * Owns: one number of Unix milliseconds that never goes back and is not pushed about by a wall clock
 * that is set. It follows the wall clock while that runs as the boot clock does. When the wall clock
 * steps by more than PLM_LIMIT_CLOCK_STEP_MS, durations go on by the boot clock: backward, logical time
 * runs on at its own pace until the wall has caught up; forward, it catches up at twice its pace. So a
 * corrected clock fires no timeout of an hour in a second. After a restart, when no boot clock spans
 * the gap, it takes the wall clock, but never an earlier time than the log knows.
 * Source: eventsourcing.md D17 (durations by tick, calendars by wall).
 */
#ifndef PLM_ENGINE_TICKER_H
#define PLM_ENGINE_TICKER_H

#include "core/base.h"

struct plm_ticker {
	int64_t now_ms;	  /* logical time, as last taken or as the log has it */
	int64_t boot_ms;  /* boot clock at that moment */
	int64_t apart_ms; /* wall - logical, as last told by a step */
	bool running;	  /* boot_ms means something: a reading was taken since the start */
};

/* Logical time at these clocks; changes nothing. */
int64_t plm_ticker_read(const struct plm_ticker *ticker, int64_t wall_ms, int64_t boot_ms);
/*
 * Take that time. Returns by how much the wall clock stepped, when it did and this was not told yet,
 * else 0.
 */
int64_t plm_ticker_take(struct plm_ticker *ticker, int64_t wall_ms, int64_t boot_ms);

#endif
