#include "adapters/ec2/call.h"

#include "plm_test.h"

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* What may leave while nothing is enforced only looks: so AWS names such calls. */
static void observed_calls_only_look(void **state)
{
	(void)state;
	for (int i = PLM_AWS_CALL_NONE + 1; i < PLM_AWS_CALL_COUNT; i++) {
		const struct plm_aws_call_row *row = plm_aws_call((enum plm_aws_call)i);
		bool looks = begins(row->action, "Describe") || begins(row->action, "Get") ||
			     begins(row->action, "List");

		assert_true(row->modes != 0);
		assert_true((row->modes & PLM_AWS_NODES) != 0);
		assert_int_equal(plm_aws_is_read((enum plm_aws_call)i),
				 (row->modes & PLM_AWS_OBSERVE) != 0);
		if ((row->modes & PLM_AWS_OBSERVE) != 0 && !looks) {
			fail_msg("%s is no read, and is allowed while observing", row->action);
		}
	}
	assert_false(plm_aws_is_read(PLM_AWS_CALL_RECEIVE_MESSAGE));
}

static void rows_are_whole(void **state)
{
	(void)state;
	for (int i = PLM_AWS_CALL_NONE + 1; i < PLM_AWS_CALL_COUNT; i++) {
		const struct plm_aws_call_row *row = plm_aws_call((enum plm_aws_call)i);

		assert_true(row->service < PLM_AWS_SERVICE_COUNT);
		assert_true(row->family < PLM_AWS_FAMILY_COUNT);
		assert_true(row->total_ms > 0);
		assert_true(row->action[0] != '\0' && row->when[0] != '\0');
		/* Only EC2 has families; the others have one bucket each. */
		assert_int_equal(row->service == PLM_AWS_EC2, row->family != PLM_AWS_OTHER);
		for (int k = PLM_AWS_CALL_NONE + 1; k < i; k++) {
			const struct plm_aws_call_row *other = plm_aws_call((enum plm_aws_call)k);

			assert_true(other->service != row->service ||
				    strcmp(other->action, row->action) != 0);
		}
	}
}

static void services_say_their_protocol(void **state)
{
	(void)state;
	assert_int_equal(plm_aws_protocol(PLM_AWS_EC2), PLM_AWS_QUERY);
	assert_int_equal(plm_aws_protocol(PLM_AWS_SQS), PLM_AWS_JSON10);
	assert_int_equal(plm_aws_protocol(PLM_AWS_PRICING), PLM_AWS_JSON11);
	assert_int_equal(plm_aws_protocol(PLM_AWS_EKS), PLM_AWS_REST);
	assert_string_equal(plm_aws_service(PLM_AWS_PRICING)->name, "pricing");
	assert_string_equal(plm_aws_service(PLM_AWS_PRICING)->host, "api.pricing");
	assert_string_equal(plm_aws_service(PLM_AWS_EC2)->version, "2016-11-15");
}

static void none_is_a_bug(void **state)
{
	(void)state;
	plm_assert_panics((void)plm_aws_call(PLM_AWS_CALL_NONE));
	plm_assert_panics((void)plm_aws_call(PLM_AWS_CALL_COUNT));
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, observed_calls_only_look);
	PLM_TEST_ADD(&tests, rows_are_whole);
	PLM_TEST_ADD(&tests, services_say_their_protocol);
	PLM_TEST_ADD(&tests, none_is_a_bug);
	return plm_tests_run(&tests, "aws call");
}
