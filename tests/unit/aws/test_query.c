#include "adapters/ec2/query.h"

#include "plm_test.h"

#include "core/event.h"

static struct plm_arena arena;

static int set_up(void **state)
{
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_arena_init(&arena, 1024UL * 1024, &err), &err);
	return 0;
}

static struct plm_slice text(const char *value)
{
	return plm_slice_str(value);
}

static void bytes_do_not_depend_on_the_order(void **state)
{
	struct plm_query one;
	struct plm_query other;

	(void)state;
	plm_query_init(&one, &arena);
	plm_query_text(&one, "B", "2");
	plm_query_text(&one, "A", "1");
	plm_query_text(&one, "C", "");
	plm_query_init(&other, &arena);
	plm_query_text(&other, "C", "");
	plm_query_text(&other, "A", "1");
	plm_query_text(&other, "B", "2");
	plm_assert_text(plm_query_form(&one), "A=1&B=2&C=");
	assert_true(plm_slice_equal(plm_query_form(&one), plm_query_form(&other)));
	plm_assert_text(plm_query_form(&one), "A=1&B=2&C="); /* again: nothing was used up */
}

static const struct escape_case {
	const char *name, *value, *want;
} escape_table[] = {
	{"plain", "AZaz09-_.~", "AZaz09-_.~"},
	{"space", "a b", "a%20b"},
	{"slash and colon", "plimsoll/cluster:x", "plimsoll%2Fcluster%3Ax"},
	{"plus and star", "+*", "%2B%2A"},
	{"equals and ampersand", "a=b&c", "a%3Db%26c"},
	{"umlaut", "\xc3\xbc", "%C3%BC"},
	{"line feed", "\n", "%0A"},
	{"nothing", "", ""},
};

static void escapes_row(const struct escape_case *row)
{
	plm_assert_text(plm_query_escape(text(row->value), &arena), row->want);
}
PLM_TEST_ROWS(escapes_row, struct escape_case)

static void lists_filters_and_tags(void **state)
{
	struct plm_slice ids[] = {text("i-1"), text("i-2")};
	struct plm_w_kv tags[] = {{.key = text("k"), .value = text("v")},
				  {.key = text("Name"), .value = text("a b")}};
	struct plm_query query;

	(void)state;
	plm_query_init(&query, &arena);
	plm_query_list(&query, "InstanceId", (struct plm_vec){.ptr = ids, .count = 2});
	plm_query_filter(&query, "instance-state-name", (struct plm_vec){.ptr = ids, .count = 2});
	plm_query_filter_one(&query, "tag:x", text("y"));
	plm_query_tags(&query, "TagSpecification.1", (struct plm_vec){.ptr = tags, .count = 2});
	plm_query_number(&query, 1000, "MaxResults");
	plm_query_bool(&query, "DryRun", true);
	plm_assert_text(plm_query_form(&query),
			"DryRun=true&Filter.1.Name=instance-state-name&Filter.1.Value.1=i-1&"
			"Filter.1.Value.2=i-2&Filter.2.Name=tag%3Ax&Filter.2.Value.1=y&"
			"InstanceId.1=i-1&InstanceId.2=i-2&MaxResults=1000&"
			"TagSpecification.1.Tag.1.Key=k&TagSpecification.1.Tag.1.Value=v&"
			"TagSpecification.1.Tag.2.Key=Name&TagSpecification.1.Tag.2.Value=a%20b");
}

static void a_whole_form_says_its_action_first(void **state)
{
	struct plm_query query;

	(void)state;
	plm_query_init(&query, &arena);
	plm_assert_text(plm_query_whole(&query, PLM_AWS_CALL_GET_CALLER_IDENTITY),
			"Action=GetCallerIdentity&Version=2011-06-15");
	plm_query_put(&query, text("t"), "Client%s", "Token");
	plm_assert_text(plm_query_whole(&query, PLM_AWS_CALL_CREATE_FLEET),
			"Action=CreateFleet&Version=2016-11-15&ClientToken=t");
}

static void a_name_twice_is_a_bug(void **state)
{
	struct plm_query query;

	(void)state;
	plm_query_init(&query, &arena);
	plm_query_text(&query, "A", "1");
	plm_query_text(&query, "A", "2");
	plm_assert_panics((void)plm_query_form(&query));
}

int main(void)
{
	struct plm_tests tests = {0};

	(void)set_up(NULL);
	PLM_TEST_ADD(&tests, bytes_do_not_depend_on_the_order);
	PLM_TEST_TABLE(&tests, escapes_row, escape_table);
	PLM_TEST_ADD(&tests, lists_filters_and_tags);
	PLM_TEST_ADD(&tests, a_whole_form_says_its_action_first);
	PLM_TEST_ADD(&tests, a_name_twice_is_a_bug);
	return plm_tests_run(&tests, "aws query");
}
