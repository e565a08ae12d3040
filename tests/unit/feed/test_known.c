#include "feed.h"

#include "plm_test.h"

#include "core/limits.h"

#include <stdio.h>

static struct plm_ec2_known known;

static void saw(const char *provider_id, const char *state, const char *reservation)
{
	struct plm_w_instance fact = {.provider_id = plm_slice_str(provider_id),
				      .state = plm_slice_str(state),
				      .reservation = plm_slice_str(reservation)};

	plm_ec2_known_saw(&known, PLM_EV_INSTANCE, &fact);
}

static const char *provider_of(const char *id)
{
	const struct plm_ec2_known_row *row = plm_ec2_known_find(&known, plm_slice_str(id));

	return row == NULL ? "" : row->provider_id;
}

static void by_id(void **state)
{
	(void)state;
	assert_string_equal(provider_of("i-1"), "");
	saw("aws:///us-west-2a/i-1", "running", "");
	saw("aws:///us-west-2b/i-2", "pending", "cr-1");
	assert_string_equal(provider_of("i-1"), "aws:///us-west-2a/i-1");
	assert_string_equal(provider_of("i-2"), "aws:///us-west-2b/i-2");
	saw("aws:///us-west-2a/i-1", "terminated", "");
	saw("aws:///us-west-2a/i-9", "terminated", "");
	assert_string_equal(provider_of("i-1"), "");
	assert_int_equal(known.count, 1);
	plm_ec2_known_fini(&known);
}

static void launches_count(void **state)
{
	struct plm_w_result result = {.class = PLM_RESULT_DONE,
				      .provider_id = plm_slice_str("aws:///us-west-2a/i-1"),
				      .reservation = plm_slice_str("cr-1")};
	struct plm_ec2_known_row *row = NULL;
	uint32_t at = 0;

	(void)state;
	plm_ec2_known_saw(&known, PLM_EV_RESULT, &result);
	result.class = PLM_RESULT_FAILED;
	result.provider_id = plm_slice_str("aws:///us-west-2a/i-2");
	plm_ec2_known_saw(&known, PLM_EV_RESULT, &result);
	assert_string_equal(provider_of("i-1"), "aws:///us-west-2a/i-1");
	assert_string_equal(provider_of("i-2"), "");
	assert_int_equal(known.reserved, 1);
	row = plm_ec2_known_in(&known, plm_slice_str("cr-1"), &at);
	assert_non_null(row);
	row->block_end_ms = 7;
	assert_null(plm_ec2_known_in(&known, plm_slice_str("cr-1"), &at));
	saw("aws:///us-west-2a/i-1", "running", "cr-1");
	at = 0;
	row = plm_ec2_known_in(&known, plm_slice_str("cr-1"), &at);
	assert_non_null(row);
	assert_int_equal(row->block_end_ms, 7); /* being told again says nothing new of it */
	plm_ec2_known_fini(&known);
}

/* Against a plain array, through growth, removal and the bound. */
static void many(void **state)
{
	uint64_t random = plm_test_seed();
	static bool there[4096];
	uint32_t count = 0;

	(void)state;
	for (uint32_t i = 0; i < 40000; i++) {
		uint64_t n = plm_test_below(&random, PLM_COUNTOF(there));
		bool gone = plm_test_below(&random, 3) == 0;
		char id[64];

		(void)snprintf(id, sizeof(id), "aws:///us-west-2a/i-%04u", (unsigned)n);
		saw(id, gone ? "terminated" : "running", "");
		there[n] = !gone;
	}
	for (uint32_t i = 0; i < PLM_COUNTOF(there); i++) {
		char id[64];

		(void)snprintf(id, sizeof(id), "i-%04u", i);
		assert_int_equal(provider_of(id)[0] != '\0', there[i]);
		count += there[i] ? 1 : 0;
	}
	assert_int_equal(known.count, count);
	plm_ec2_known_fini(&known);
}

static void the_oldest_half_is_forgotten(void **state)
{
	char id[64];

	(void)state;
	for (uint32_t i = 0; i <= PLM_LIMIT_EC2_KNOWN; i++) {
		(void)snprintf(id, sizeof(id), "aws:///z/i-%u", i);
		saw(id, "running", "");
	}
	assert_true(known.count <= PLM_LIMIT_EC2_KNOWN / 2 + 1);
	assert_string_equal(provider_of("i-0"), "");
	(void)snprintf(id, sizeof(id), "i-%u", PLM_LIMIT_EC2_KNOWN);
	assert_string_not_equal(provider_of(id), "");
	plm_ec2_known_fini(&known);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, by_id);
	PLM_TEST_ADD(&tests, launches_count);
	PLM_TEST_ADD(&tests, many);
	PLM_TEST_ADD(&tests, the_oldest_half_is_forgotten);
	return plm_tests_run(&tests, "known");
}
