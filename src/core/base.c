#include "core/base.h"

#include <stdio.h>
#include <stdlib.h>

void plm_panic(const char *file, int line, const char *what)
{
	(void)fprintf(stderr, "plimsoll: bug at %s:%d: %s\n", file, line, what);
	abort();
}
