#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "timing.h"

/* 'text' is a line of the page. */
static void has_line(const char *page, const char *text)
{
	const char *found = strstr(page, text);

	if (found == NULL || (found != page && found[-1] != '\n') || found[strlen(text)] != '\n') {
		fail_msg("no line %s in\n%s", text, page);
	}
}

static void buckets_are_cumulative_and_spelled_as_go_does(void **state)
{
	struct plm_timing timing = {0};
	char *page = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&page, &size);

	(void)state;
	assert_non_null(out);
	plm_timing_add(&timing, PLM_METRIC_DEFAULTS, 0);
	plm_timing_add(&timing, PLM_METRIC_DEFAULTS, 5000);
	plm_timing_add(&timing, PLM_METRIC_DEFAULTS, 5001);
	plm_timing_add(&timing, PLM_METRIC_DEFAULTS, -7); /* a clock was set */
	plm_timing_add(&timing, PLM_METRIC_DEFAULTS, 3000000);
	plm_timing_add(&timing, PLM_METRIC_DEFAULTS, 3600000000);
	plm_timing_print(out, &timing, PLM_METRIC_DEFAULTS, "x_seconds", "a=\"b\"");
	plm_timing_print(out, &timing, PLM_METRIC_DEFAULTS, "y_seconds", "");
	assert_int_equal(fclose(out), 0);
	has_line(page, "x_seconds_bucket{a=\"b\",le=\"0.005\"} 3");
	has_line(page, "x_seconds_bucket{a=\"b\",le=\"0.01\"} 4");
	has_line(page, "x_seconds_bucket{a=\"b\",le=\"2.5\"} 4");
	has_line(page, "x_seconds_bucket{a=\"b\",le=\"5\"} 5");
	has_line(page, "x_seconds_bucket{a=\"b\",le=\"10\"} 5");
	has_line(page, "x_seconds_bucket{a=\"b\",le=\"+Inf\"} 6");
	has_line(page, "x_seconds_sum{a=\"b\"} 3603.010001");
	has_line(page, "x_seconds_count{a=\"b\"} 6");
	has_line(page, "y_seconds_bucket{le=\"0.05\"} 4");
	has_line(page, "y_seconds_count 6");
	free(page);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, buckets_are_cumulative_and_spelled_as_go_does);
	return plm_tests_run(&tests, "timing");
}
