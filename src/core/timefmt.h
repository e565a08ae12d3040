/*
 * timefmt.h - RFC 3339 instants and Go durations as integers
 *
 * Owns: both grammars and both spellings. UTC only on output. No clock, no locale, no time zone
 * database: libc's time functions are not used, so that the same text is the same number everywhere.
 */
#ifndef PLM_CORE_TIMEFMT_H
#define PLM_CORE_TIMEFMT_H

#include "core/error.h"
#include "core/slice.h"

#define PLM_MS_PER_SECOND 1000LL
#define PLM_MS_PER_MINUTE (60 * PLM_MS_PER_SECOND)
#define PLM_MS_PER_HOUR (60 * PLM_MS_PER_MINUTE)
#define PLM_MS_PER_DAY (24 * PLM_MS_PER_HOUR)

/* Enough for every text that this module writes, with the terminating zero. */
#define PLM_TIME_SIZE 64

/*
 * '*out_ms' = Unix milliseconds of an RFC 3339 instant ("2026-01-01T00:00:00Z", an offset or a fraction
 * (MicroTime) allowed; what is below a millisecond is cut). A leap second counts as the second before.
 * PLM_E_INPUT: not an instant of the years 1 to 9999; '*out_ms' is untouched.
 */
enum plm_code plm_time_parse(struct plm_slice text, int64_t *out_ms,
			     struct plm_error *err) PLM_MUST_CHECK;
/* "2026-01-01T00:00:00Z", with ".250" before the Z when there are milliseconds. Returns 'text'. */
const char *plm_time_format(int64_t ms, char text[PLM_TIME_SIZE]);

/*
 * '*out_ns' = a Go duration ("1h30m", "1.5s", "-2us", "0"): units ns us µs μs ms s m h.
 * PLM_E_INPUT: not a duration, or beyond int64; '*out_ns' is untouched.
 */
enum plm_code plm_duration_parse(struct plm_slice text, int64_t *out_ns,
				 struct plm_error *err) PLM_MUST_CHECK;
/* As plm_duration_parse(), in milliseconds, rounded away from zero. */
enum plm_code plm_duration_parse_ms(struct plm_slice text, int64_t *out_ms,
				    struct plm_error *err) PLM_MUST_CHECK;
/* Go's spelling: "0s", "50ms", "1.5s", "1h30m0s". Returns 'text'. */
const char *plm_duration_format(int64_t ms, char text[PLM_TIME_SIZE]);

#endif
