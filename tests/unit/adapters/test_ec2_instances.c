/*
 * test_ec2_instances.c - lists in rounds, looks between them, and what of it is told
 */
#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "adapters/ec2/sight.h"
#include "core/limits.h"
#include "ec2_bed.h"

#define MINUTE 60000

static struct bed bed;

static struct played_instance *add(int number)
{
	char id[32];

	(void)snprintf(id, sizeof(id), "i-%017x", (unsigned)number);
	return played_add(id, "m5.large");
}

#define FIRST "i-00000000000000001"

static void a_list(void **state)
{
	const struct plm_w_instance *fact = NULL;

	(void)state;
	bed_open(&bed);
	(void)add(1);
	(void)snprintf(add(2)->tags[2][1], 128, "another-cluster");
	played_run(5000);
	assert_int_equal(bed.lists, 1);
	assert_int_equal(plm_ec2_instances_count(bed.instances), 1);
	assert_true(plm_ec2_instances_listed(bed.instances));
	fact = bed_fact(&bed, FIRST);
	assert_non_null(fact);
	plm_assert_text(fact->provider_id, "aws:///us-west-2a/" FIRST);
	plm_assert_text(fact->state, "running");
	plm_assert_text(fact->instance_type, "m5.large");
	plm_assert_text(fact->zone, "us-west-2a");
	plm_assert_text(fact->capacity_type, "on-demand");
	plm_assert_text(fact->pool, "p");
	plm_assert_text(fact->claim, "");
	assert_int_equal(fact->ours, 1);
	assert_int_equal(fact->intent, 0);
	assert_int_equal(fact->launched_ms, INT64_C(1767225601000));
	assert_null(bed_fact(&bed, "i-00000000000000002"));
	/* What did not change is not told again, nor that it was looked at. */
	played_run(10 * MINUTE);
	assert_int_equal(bed.lists, 1);
	assert_true(played.lists > 10);
	assert_int_equal(bed_facts(&bed, FIRST), 2); /* pending, running */
	bed_close(&bed);
}

/* Whose number plimsoll/intent is, plimsoll/cluster says. */
static void an_intent_of_another_log(void **state)
{
	struct played_instance *instance = NULL;

	(void)state;
	bed_open(&bed);
	instance = add(1);
	(void)snprintf(instance->tags[3][0], 128, "plimsoll/intent");
	(void)snprintf(instance->tags[3][1], 128, "12");
	(void)snprintf(instance->tags[4][0], 128, "plimsoll/cluster");
	(void)snprintf(instance->tags[4][1], 128, "other");
	instance->tag_count = 5;
	played_run(5000);
	assert_int_equal(bed_fact(&bed, FIRST)->intent, 0);
	(void)snprintf(instance->tags[4][1], 128, "11111111-2222-3333-4444-555555555555");
	played_run(MINUTE);
	assert_int_equal(bed_fact(&bed, FIRST)->intent, 12);
	bed_close(&bed);
}

static void how_often(void **state)
{
	int lists = 0;

	(void)state;
	bed_open(&bed);
	played_run(PLM_LIMIT_EC2_FRESH_MS); /* after a start they are fast */
	assert_in_range(played.lists, 10, 14);
	played_run(MINUTE);
	lists = played.lists;
	played_run(10 * MINUTE); /* nothing is there */
	assert_in_range(played.lists - lists, 9, 11);
	(void)add(1);
	played_run(2 * MINUTE);
	lists = played.lists;
	played_run(10 * MINUTE);
	assert_in_range(played.lists - lists, 19, 21);
	bed_close(&bed);
}

/* What was launched is looked at by its id until it runs, and when it was first seen is remembered. */
static void a_fresh_one(void **state)
{
	int calls = 0;

	(void)state;
	bed_open(&bed);
	played_run(10 * MINUTE);
	calls = played.lists;
	played.lag_ms = 4000;
	bed_launch(&bed, 7, false);
	played_run(3000);
	assert_null(bed_fact(&bed, FIRST));
	played_run(12000);
	plm_assert_text(bed_fact(&bed, FIRST)->state, "running");
	assert_int_equal(bed_fact(&bed, FIRST)->intent, 7);
	plm_assert_text(bed_fact(&bed, FIRST)->claim, "claim-7");
	assert_in_range(plm_ec2_instances_lag_ms(bed.instances), 4000, 8000);
	assert_in_range(played.lists - calls, 2, 5);
	bed_close(&bed);
}

static void an_ending_one(void **state)
{
	(void)state;
	bed_open(&bed);
	(void)add(1);
	played_run(10 * MINUTE);
	bed_terminate(&bed, 1, plm_slice_str("aws:///us-west-2a/" FIRST));
	played_run(15000);
	plm_assert_text(bed_fact(&bed, FIRST)->state, "terminated");
	assert_int_equal(bed_facts(&bed, FIRST), 4);
	/* An older view does not bring it back. */
	played.list[0].ending_ms = PLM_UNSET;
	played_run(5 * MINUTE);
	plm_assert_text(bed_fact(&bed, FIRST)->state, "terminated");
	bed_close(&bed);
}

/* Ended by somebody else: the list does not show it, so it is looked at. */
static void one_that_went(void **state)
{
	(void)state;
	bed_open(&bed);
	(void)add(1);
	played_run(5 * MINUTE);
	played.list[0].ending_ms = played_now() - 10000;
	played_run(40000);
	plm_assert_text(bed_fact(&bed, FIRST)->state, "terminated");
	bed_close(&bed);
}

/* Not shown for a moment is nothing; not for long is gone; and when it comes back it is told. */
static void one_that_hides(void **state)
{
	(void)state;
	bed_open(&bed);
	(void)add(1);
	played_run(5 * MINUTE);
	played.list[0].hidden = true;
	played_run(50000);
	plm_assert_text(bed_fact(&bed, FIRST)->state, "running");
	played.list[0].hidden = false;
	played_run(MINUTE);
	assert_int_equal(bed_facts(&bed, FIRST), 2);
	played.list[0].hidden = true;
	played_run(3 * MINUTE);
	plm_assert_text(bed_fact(&bed, FIRST)->state, "terminated");
	assert_int_equal(bed_facts(&bed, FIRST), 3);
	played.list[0].hidden = false;
	played_run(MINUTE);
	plm_assert_text(bed_fact(&bed, FIRST)->state, "running");
	bed_close(&bed);
}

static void pages(void **state)
{
	(void)state;
	bed_open(&bed);
	played.page = 7;
	for (int i = 1; i <= 50; i++) {
		(void)snprintf(add(i)->tags[2][1], 128, "%s",
			       i > 14 && i < 30 ? "another-cluster" : "test-cluster");
	}
	played_run(5000);
	assert_int_equal(plm_ec2_instances_count(bed.instances), 35);
	assert_int_equal(bed.lists, 1);
	bed_close(&bed);
}

static void a_list_that_fails(void **state)
{
	char why[128];

	(void)state;
	bed_open(&bed);
	(void)add(1);
	played.fault = PLAYED_THROTTLED;
	played.fault_count = 1000;
	played_run(20000);
	assert_int_equal(bed.lists, 0);
	assert_int_equal(bed.reaches_away, 0);
	played_run(MINUTE);
	assert_int_equal(bed.reaches_away, 1);
	assert_true(plm_ec2_instances_away(bed.instances, why));
	assert_non_null(strstr(why, "RequestLimitExceeded"));
	assert_in_range(played.calls, 4, 12);
	played.fault_count = 0;
	played_run(MINUTE);
	assert_true(bed.lists > 0);
	assert_false(plm_ec2_instances_away(bed.instances, why));
	assert_int_equal(bed.reaches_away, 1);
	bed_close(&bed);
}

/* Half a list says nothing of what it did not come to. */
static void half_a_list(void **state)
{
	(void)state;
	bed_open(&bed);
	played.page = 1;
	(void)add(1);
	(void)add(2);
	played_run(5 * MINUTE);
	played.fault = PLAYED_LOST_BEFORE;
	for (int i = 0; i < 20; i++) {
		played.fault_skip = 1;
		played.fault_count = 1;
		played_run(30000);
	}
	plm_assert_text(bed_fact(&bed, "i-00000000000000002")->state, "running");
	assert_int_equal(bed_facts(&bed, "i-00000000000000002"), 2);
	bed_close(&bed);
}

/* A launch came to nothing, and yet something with its tag was seen: that is told again, for whoever ends orphans. */
static void seen_of_a_launch_that_failed(void **state)
{
	(void)state;
	bed_open(&bed);
	bed_launch(&bed, 7, false);
	played_run(MINUTE);
	assert_int_equal(bed_facts(&bed, FIRST), 2); /* pending, running */
	plm_ec2_instances_unlaunched(bed.instances, 7);
	played_run(MINUTE);
	assert_int_equal(bed_facts(&bed, FIRST), 3);
	bed_close(&bed);
}

static void a_full_inbox(void **state)
{
	(void)state;
	bed_open(&bed);
	played.page = 5;
	for (int i = 1; i <= 50; i++) {
		add(i)->born_ms = -MINUTE;
	}
	bed.room = 3;
	played_run(5000);
	assert_int_equal(bed.fact_count, 3);
	assert_int_equal(played.lists, 1); /* the first page; the others wait */
	bed.room = SIZE_MAX;
	plm_ec2_tell_more(&bed.context);
	plm_ec2_instances_resume(bed.instances);
	played_run(1000);
	assert_int_equal(bed.fact_count, 50);
	assert_int_equal(bed.lists, 1);
	bed_close(&bed);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, a_list);
	PLM_TEST_ADD(&tests, an_intent_of_another_log);
	PLM_TEST_ADD(&tests, how_often);
	PLM_TEST_ADD(&tests, a_fresh_one);
	PLM_TEST_ADD(&tests, an_ending_one);
	PLM_TEST_ADD(&tests, one_that_went);
	PLM_TEST_ADD(&tests, one_that_hides);
	PLM_TEST_ADD(&tests, pages);
	PLM_TEST_ADD(&tests, a_list_that_fails);
	PLM_TEST_ADD(&tests, half_a_list);
	PLM_TEST_ADD(&tests, seen_of_a_launch_that_failed);
	PLM_TEST_ADD(&tests, a_full_inbox);
	return plm_tests_run(&tests, "ec2 instances");
}
