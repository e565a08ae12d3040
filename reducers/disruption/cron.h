/*
 * cron.h - windows of disruption budgets: a five-field schedule in UTC and a duration
 */
#ifndef PLM_REDUCERS_DISRUPTION_CRON_H
#define PLM_REDUCERS_DISRUPTION_CRON_H

#include "core/slice.h"
#include "core/units.h"

/*
 * Is 'now_ms' within 'duration_ms' after a time of 'schedule'? Without a schedule always. A schedule that
 * cannot be read counts as active: the budget then holds at all times, which disrupts less.
 */
bool plm_cron_active(struct plm_slice schedule, int64_t duration_ms, int64_t now_ms);

#endif
