#include "clock.h"

#include <time.h>

#define NS_PER_SECOND 1000000000LL

static int64_t read_ns(clockid_t id)
{
	struct timespec now;
	int rc = clock_gettime(id, &now);

	PLM_ASSERT(rc == 0);
	return now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

static int64_t wall_ns(void *self)
{
	(void)self;
	return read_ns(CLOCK_REALTIME);
}

int64_t plm_clock_boot_ms(void)
{
	return read_ns(CLOCK_BOOTTIME) / 1000000;
}

static int64_t boot_ms(void *self)
{
	(void)self;
	return plm_clock_boot_ms();
}

struct plm_clock plm_clock_system(void)
{
	return (struct plm_clock){.self = NULL, .wall_ns = wall_ns, .boot_ms = boot_ms};
}
