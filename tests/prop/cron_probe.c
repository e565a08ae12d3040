/* Reads "MINUTE SCHEDULE", one a line; prints the minute (since 1970) of the next hit, "never" or "refused". */
#include "core/cron.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MINUTE_MS 60000

static bool probe(const char *line)
{
	char *rest = NULL;
	int64_t after = strtoll(line, &rest, 10);
	struct plm_slice schedule = plm_slice_of(rest + 1, strcspn(rest + 1, "\n"));
	struct plm_cron cron;
	int64_t next = 0;

	if (plm_cron_parse(schedule, &cron, NULL) != PLM_OK) {
		return printf("refused\n") > 0;
	}
	next = plm_cron_next(&cron, after * MINUTE_MS);
	if (next == PLM_UNSET) {
		return printf("never\n") > 0;
	}
	return printf("%" PRId64 "\n", next / MINUTE_MS) > 0;
}

int main(void)
{
	char line[256];
	bool good = true;

	while (good && fgets(line, sizeof(line), stdin) != NULL) {
		good = probe(line);
	}
	return good ? 0 : 1;
}
