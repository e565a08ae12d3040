#include "plm_test.h"

#include "codec/codec.h"

static struct plm_arena arena;

static void names_in_camel_case_absent_fields_left_out(void **state)
{
	const struct plm_w_kv labels[] = {{plm_slice_str("a"), plm_slice_str("1")}};
	const struct plm_w_local_queue value = {
		.meta = {.name = plm_slice_str("c"),
			 .created_ms = 5,
			 .deleting_ms = PLM_UNSET,
			 .generation = 0,
			 .labels = {.ptr = labels, .count = 1}},
		.cluster_queue = plm_slice_str("q"),
	};

	(void)state;
	plm_arena_reset(&arena);
	plm_assert_text(
		plm_wire_json(&plm_type_local_queue, &value, &arena),
		"{\"meta\":{\"name\":\"c\",\"createdMs\":5,\"generation\":0,"
		"\"labels\":[{\"key\":\"a\",\"value\":\"1\"}]},"
		"\"clusterQueue\":\"q\",\"stop\":\"None\",\"weightNano\":0,\"consumedMs\":0}");
}

static void an_empty_struct_is_absent_but_keeps_its_place_in_a_list(void **state)
{
	const struct plm_w_explained explained = {
		.why = {.need = PLM_UNSET, .have = PLM_UNSET, .limit = PLM_UNSET}};
	const struct plm_w_kv labels[] = {{.key = {0}}, {.key = plm_slice_str("k")}};
	const struct plm_w_start_set set = {.count = -1, .labels = {.ptr = labels, .count = 2}};

	(void)state;
	plm_arena_reset(&arena);
	plm_assert_text(plm_wire_json(&plm_type_explained, &explained, &arena), "{}");
	plm_assert_text(plm_wire_json(&plm_type_start_set, &set, &arena),
			"{\"count\":-1,\"labels\":[{},{\"key\":\"k\"}]}");
}

static void texts_are_escaped_and_bytes_are_hex(void **state)
{
	const struct plm_slice pods[] = {plm_slice_str("q\"\\/"),
					 plm_slice_str("\x01\b\t\n\x0b\f\r"),
					 plm_slice_str("größe\x1f"), plm_slice_str("")};
	const struct plm_w_nominate nominate = {.pods = {.ptr = pods, .count = 4}};
	const struct plm_w_part part = {.index = 2, .bytes = plm_slice_of("\x00\xfe", 2)};

	(void)state;
	plm_arena_reset(&arena);
	plm_assert_text(plm_wire_json(&plm_type_nominate, &nominate, &arena),
			"{\"claim\":0,\"pods\":[\"q\\\"\\\\/\",\"\\u0001\\b\\t\\n\\u000b\\f\\r\","
			"\"größe\\u001f\",\"\"]}");
	plm_assert_text(plm_wire_json(&plm_type_part, &part, &arena),
			"{\"index\":2,\"bytes\":\"00fe\"}");
}

int main(void)
{
	static struct plm_tests tests;
	struct plm_error err;

	plm_assert_ok(plm_arena_init(&arena, 1U << 20, &err), &err);
	PLM_TEST_ADD(&tests, names_in_camel_case_absent_fields_left_out);
	PLM_TEST_ADD(&tests, an_empty_struct_is_absent_but_keeps_its_place_in_a_list);
	PLM_TEST_ADD(&tests, texts_are_escaped_and_bytes_are_hex);
	return plm_tests_run(&tests, "json");
}
