#include "adapters/ec2/page.h"

#include "plm_test.h"

#include "stage.h"

#include "core/limits.h"

#include <stdio.h>

static struct stage stage;

static struct reader {
	struct plm_aws_pages *pages;
	int page_count, items, done;
	int hold_at; /* this page says to hold on; 0 = none */
	bool cancel; /* there, the read is cancelled */
	enum plm_aws_class class;
	char code[64];
} reader;

static bool on_page(void *self, const struct plm_aws_node *root)
{
	struct reader *at = self;
	const struct plm_aws_node *set = plm_aws_get(root, "set");

	at->page_count++;
	at->items += set == NULL ? 0 : (int)set->count;
	if (at->page_count == at->hold_at) {
		if (at->cancel) {
			plm_aws_pages_cancel(at->pages);
		}
		return false;
	}
	return true;
}

static void on_end(void *self, const struct plm_aws_answer *answer)
{
	struct reader *at = self;

	assert_null(answer->root);
	at->done++;
	at->class = answer->class;
	(void)snprintf(at->code, sizeof(at->code), "%s", answer->code);
}

static void start(enum plm_aws_call call, const char *body)
{
	const struct plm_aws_paging paging = {
		.call = call,
		.body = plm_slice_str(body),
		.on_page = on_page,
		.on_end = on_end,
		.self = &reader,
	};

	reader = (struct reader){0};
	reader.pages = plm_aws_pages_start(stage.client, &paging);
}

/* Three pages of two, none and one item; the tokens have to be escaped. */
static void three(struct stage *at, const struct stage_asked *asked, struct server_answer *answer)
{
	switch (at->count) {
	case 1:
		stage_say(at, asked, answer,
			  "<set><item/><item/></set><nextToken>a+/=b</nextToken>");
		break;
	case 2:
		stage_say(at, asked, answer, "<set/><nextToken>c</nextToken>");
		break;
	default:
		stage_say(at, asked, answer, "<set><item/></set>");
	}
}

static void all_pages_are_handed_on(void **state)
{
	(void)state;
	stage_open(&stage);
	stage.answer = three;
	start(PLM_AWS_CALL_DESCRIBE_INSTANCES, "MaxResults=2");
	stage_until(&stage, &reader.done, 1);
	assert_int_equal(reader.class, PLM_AWS_DONE);
	assert_int_equal(reader.page_count, 3);
	assert_int_equal(reader.items, 3);
	assert_string_equal(stage.asked[0].body,
			    "Action=DescribeInstances&Version=2016-11-15&MaxResults=2");
	assert_string_equal(
		stage.asked[1].body,
		"Action=DescribeInstances&Version=2016-11-15&MaxResults=2&NextToken=a%2B%2F%3Db");
	assert_string_equal(stage.asked[2].body,
			    "Action=DescribeInstances&Version=2016-11-15&MaxResults=2&NextToken=c");
	stage_close(&stage);
}

static void two_of_json(struct stage *at, const struct stage_asked *asked,
			struct server_answer *answer)
{
	stage_say(at, asked, answer,
		  at->count % 2 == 1 ? "{\"set\":[1,2],\"NextToken\":\"x\\\"y\"}"
				     : "{\"set\":[3]}");
}

static void json_is_paged_alike(void **state)
{
	(void)state;
	stage_open(&stage);
	stage.answer = two_of_json;
	start(PLM_AWS_CALL_GET_PRODUCTS, "{\"ServiceCode\":\"AmazonEC2\"}");
	stage_until(&stage, &reader.done, 1);
	assert_int_equal(reader.class, PLM_AWS_DONE);
	assert_int_equal(reader.items, 3);
	assert_string_equal(stage.asked[0].body, "{\"ServiceCode\":\"AmazonEC2\"}");
	assert_string_equal(stage.asked[1].body,
			    "{\"NextToken\":\"x\\\"y\",\"ServiceCode\":\"AmazonEC2\"}");
	start(PLM_AWS_CALL_GET_PRODUCTS, "{}");
	stage_until(&stage, &reader.done, 1);
	assert_string_equal(stage.asked[3].body, "{\"NextToken\":\"x\\\"y\"}");
	stage_close(&stage);
}

static void in_a_circle(struct stage *at, const struct stage_asked *asked,
			struct server_answer *answer)
{
	char body[64];

	(void)snprintf(body, sizeof(body), "<nextToken>%zu</nextToken>", at->count % 3);
	stage_say(at, asked, answer, body);
}

static void a_token_that_comes_again_ends_it(void **state)
{
	(void)state;
	stage_open(&stage);
	stage.answer = in_a_circle;
	start(PLM_AWS_CALL_DESCRIBE_SUBNETS, "");
	stage_until(&stage, &reader.done, 1);
	assert_int_equal(reader.class, PLM_AWS_UNKNOWN);
	assert_string_equal(reader.code, "RepeatedToken");
	assert_int_equal(stage.count, 4);
	stage_close(&stage);
}

static void refused(struct stage *at, const struct stage_asked *asked, struct server_answer *answer)
{
	if (at->count == 1) {
		stage_say(at, asked, answer, "<nextToken>t</nextToken>");
	} else {
		stage_refuse(at, asked, answer, 400, "InvalidNextToken");
	}
}

static void a_page_that_fails_ends_it(void **state)
{
	(void)state;
	stage_open(&stage);
	stage.answer = refused;
	start(PLM_AWS_CALL_DESCRIBE_SUBNETS, "");
	stage_until(&stage, &reader.done, 1);
	assert_int_equal(reader.class, PLM_AWS_REFUSED);
	assert_string_equal(reader.code, "InvalidNextToken");
	assert_int_equal(reader.page_count, 1);
	stage_close(&stage);
}

static void a_reader_may_hold_on(void **state)
{
	(void)state;
	stage_open(&stage);
	stage.answer = three;
	start(PLM_AWS_CALL_DESCRIBE_INSTANCES, "");
	reader.hold_at = 1;
	stage_until(&stage, &reader.page_count, 1);
	stage_run(&stage, 20);
	assert_int_equal(stage.count, 1);
	plm_aws_pages_go(reader.pages);
	plm_aws_pages_go(reader.pages); /* it goes already */
	stage_until(&stage, &reader.done, 1);
	assert_int_equal(stage.count, 3);
	assert_int_equal(reader.items, 3);
	stage_close(&stage);
}

static void a_read_may_be_cancelled(void **state)
{
	(void)state;
	stage_open(&stage);
	stage.answer = three;
	start(PLM_AWS_CALL_DESCRIBE_INSTANCES, "");
	plm_aws_pages_cancel(reader.pages); /* under way */
	start(PLM_AWS_CALL_DESCRIBE_INSTANCES, "");
	reader.hold_at = 1;
	reader.cancel = true; /* from inside */
	stage_until(&stage, &reader.page_count, 1);
	start(PLM_AWS_CALL_DESCRIBE_INSTANCES, "");
	reader.hold_at = 1;
	stage_until(&stage, &reader.page_count, 1);
	plm_aws_pages_cancel(reader.pages); /* held */
	stage_run(&stage, 20);
	assert_int_equal(reader.done, 0);
	stage_close(&stage);
}

static void only_reads_have_pages(void **state)
{
	(void)state;
	stage_open(&stage);
	plm_assert_panics(start(PLM_AWS_CALL_CREATE_FLEET, ""));
	stage_close(&stage);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, all_pages_are_handed_on);
	PLM_TEST_ADD(&tests, json_is_paged_alike);
	PLM_TEST_ADD(&tests, a_token_that_comes_again_ends_it);
	PLM_TEST_ADD(&tests, a_page_that_fails_ends_it);
	PLM_TEST_ADD(&tests, a_reader_may_hold_on);
	PLM_TEST_ADD(&tests, a_read_may_be_cancelled);
	PLM_TEST_ADD(&tests, only_reads_have_pages);
	return plm_tests_run(&tests, "aws page");
}
