/*
 * cron.h - schedules of five fields, or a macro, in UTC
 *
 * Owns: the grammar of robfig/cron's standard parser, which disruption budgets are written in (minute,
 * hour, day of month, month, day of week; lists, ranges, steps, names of months and days; @yearly,
 * @annually, @monthly, @weekly, @daily, @midnight, @hourly), and when such a schedule hits next.
 * Does not: know time zones or seconds, or read a clock. Errors name the field and what is wrong with it.
 * Source: karpenter.md 3.9.
 */
#ifndef PLM_CORE_CRON_H
#define PLM_CORE_CRON_H

#include "core/error.h"
#include "core/slice.h"
#include "core/units.h"

enum plm_cron_field {
	PLM_CRON_MINUTE,
	PLM_CRON_HOUR,
	PLM_CRON_DAY,
	PLM_CRON_MONTH,
	PLM_CRON_WEEKDAY,
	PLM_CRON_FIELDS
};

struct plm_cron {
	uint64_t allowed[PLM_CRON_FIELDS]; /* bits */
	bool any_day, any_weekday;	   /* written as a star: the other one decides alone */
};

/* PLM_E_INPUT: not such a schedule; '*out' is then undefined. 'err' may be NULL. */
enum plm_code plm_cron_parse(struct plm_slice text, struct plm_cron *out,
			     struct plm_error *err) PLM_MUST_CHECK;

/*
 * The first whole minute after 'after_ms' (Unix, not 'after_ms' itself) that the schedule allows;
 * PLM_UNSET when there is none until the end of the fifth year that follows ("0 0 30 2 *").
 */
int64_t plm_cron_next(const struct plm_cron *cron, int64_t after_ms);

#endif
