#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "jsonlog.h"

static int ends[2];
static char have[8192];

static const char *line_of(void)
{
	ssize_t size = read(ends[0], have, sizeof(have) - 1);

	assert_true(size > 0);
	have[size] = '\0';
	return have;
}

static void keys_in_karpenters_order(void **state)
{
	const struct plm_log_field fields[] = {
		PLM_LOG_TEXT("NodeClaim", plm_slice_str("default-1")),
		PLM_LOG_INT("intent", -7),
		PLM_LOG_END,
	};
	const char *line = NULL;

	(void)state;
	plm_jsonlog(PLM_LOG_INFO, "effects", "launched", fields);
	line = line_of();
	assert_ptr_equal(strstr(line, "{\"level\":\"INFO\",\"time\":\"2"), line);
	assert_non_null(
		strstr(line, "Z\",\"logger\":\"effects\",\"message\":\"launched\",\"commit\":\""));
	assert_non_null(strstr(line, "\",\"NodeClaim\":\"default-1\",\"intent\":-7}\n"));
}

static void below_the_level_is_nothing(void **state)
{
	(void)state;
	assert_false(plm_jsonlog_on(PLM_LOG_DEBUG));
	plm_jsonlog(PLM_LOG_DEBUG, "a", "b", NULL);
	plm_jsonlog(PLM_LOG_ERROR, "a", "c", NULL);
	assert_non_null(strstr(line_of(), "\"ERROR\""));
}

static void texts_are_escaped(void **state)
{
	const struct plm_log_field fields[] = {PLM_LOG_STR("k", "a\"b\\c\n\x01größe"), PLM_LOG_END};

	(void)state;
	plm_jsonlog(PLM_LOG_WARN, "a", "b", fields);
	assert_non_null(strstr(line_of(), "\"k\":\"a\\\"b\\\\c\\u000a\\u0001größe\"}\n"));
}

static void too_long_is_cut_between_characters_and_stays_json(void **state)
{
	static char large[20000];
	struct plm_log_field fields[] = {PLM_LOG_STR("k", large), PLM_LOG_INT("n", 1), PLM_LOG_END};
	const char *line = NULL;
	size_t size = 0;

	(void)state;
	for (size_t i = 0; i + 2 < sizeof(large); i += 2) {
		memcpy(large + i, "\xc3\xb6", 2);
	}
	fields[0].text = plm_slice_str(large);
	plm_jsonlog(PLM_LOG_WARN, "a", "b", fields);
	line = line_of();
	size = strlen(line);
	assert_true(size <= 4096 && size > 3900);
	assert_non_null(strstr(line, "\xc3\xb6\""));
	assert_string_equal(line + size - 2, "}\n");
}

int main(void)
{
	static struct plm_tests tests;

	if (pipe(ends) != 0) {
		return 1;
	}
	plm_jsonlog_setup(PLM_LOG_INFO, ends[1]);
	PLM_TEST_ADD(&tests, keys_in_karpenters_order);
	PLM_TEST_ADD(&tests, below_the_level_is_nothing);
	PLM_TEST_ADD(&tests, texts_are_escaped);
	PLM_TEST_ADD(&tests, too_long_is_cut_between_characters_and_stays_json);
	return plm_tests_run(&tests, "json log");
}
