/*
 * clock.h - the machine's clocks as the engine's port
 */
#ifndef PLM_CLOCK_H
#define PLM_CLOCK_H

#include "core/ports.h"

/* Wall: UTC, may step. Boot: never steps back, goes on in suspend. */
struct plm_clock plm_clock_system(void);
int64_t plm_clock_boot_ms(void);
static inline int64_t plm_clock_wall_ms(const struct plm_clock *clock)
{
	return clock->wall_ns(clock->self) / 1000000;
}

#endif
