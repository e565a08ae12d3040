#include "plm_test.h"

#include <stdlib.h>

#include "codec/codec.h"
#include "hash/hash.h"
#include "wire_random.h"

#define ROUNDS 40

static struct plm_arena arena;

static struct plm_slice from_hex(const char *hex)
{
	size_t size = strlen(hex) / 2;
	uint8_t *bytes = plm_arena_take(&arena, size);

	for (size_t i = 0; i < size; i++) {
		char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

		bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return plm_slice_of(bytes, size);
}

static void expect_bytes(struct plm_slice have, const char *want)
{
	char text[512];

	assert_true(have.size * 2 < sizeof(text));
	plm_hex(have, text);
	assert_string_equal(text, want);
}

static void an_epoch_is_its_number(void **state)
{
	const struct plm_w_epoch epoch = {.epoch = 300};

	(void)state;
	plm_arena_reset(&arena);
	expect_bytes(plm_wire_encode(&plm_type_epoch, &epoch, &arena), "91cd012c");
}

static void a_decision_is_its_fields_in_order(void **state)
{
	const struct plm_slice pods[] = {plm_slice_str("a/b"), plm_slice_str("a/c")};
	const struct plm_w_nominate nominate = {
		.target = plm_slice_str("n1"),
		.claim = 1,
		.pods = {.ptr = pods, .count = 2},
	};

	(void)state;
	plm_arena_reset(&arena);
	expect_bytes(plm_wire_encode(&plm_type_nominate, &nominate, &arena),
		     "93a26e310192a3612f62a3612f63");
}

static void a_fact_is_a_pair(void **state)
{
	const struct plm_w_gone gone = {
		.kind = PLM_KIND_POD,
		.ns = plm_slice_str("ns"),
		.name = plm_slice_str("p"),
		.uid = plm_slice_str("u"),
	};
	const struct plm_event_info *info = plm_event_info(PLM_EV_GONE);
	uint8_t hash[32];
	struct plm_slice bytes;
	struct plm_payload out;
	struct plm_error err;

	(void)state;
	plm_arena_reset(&arena);
	memset(hash, 0xab, sizeof(hash));
	expect_bytes(plm_payload_encode(info, &gone, (struct plm_slice){0}, &arena),
		     "92940da26e73a170a175c0");
	bytes = plm_payload_encode(info, &gone, plm_slice_of(hash, sizeof(hash)), &arena);
	expect_bytes(bytes, "92940da26e73a170a175c420"
			    "abababababababababababababababababababababababababababababababab");
	plm_assert_ok(plm_payload_decode(info, bytes, &arena, &out, &err), &err);
	assert_true(plm_wire_equal(&plm_type_gone, &gone, out.value));
	assert_true(plm_slice_equal(out.hash, plm_slice_of(hash, sizeof(hash))));
	expect_bytes(out.projection, "940da26e73a170a175");
}

static void unset_is_nil_and_unlimited_is_a_number(void **state)
{
	const struct plm_w_quota quota = {
		.resource = plm_slice_str("cpu"),
		.nominal = PLM_UNLIMITED,
		.borrowing = PLM_UNSET,
		.lending = -33,
	};

	(void)state;
	plm_arena_reset(&arena);
	expect_bytes(plm_wire_encode(&plm_type_quota, &quota, &arena),
		     "94a3637075cf7fffffffffffffffc0d0df");
}

/* "cc"-like numbers of 'amount' in [resource, amount], and what else can be wrong in one. */
static const struct refuse_case {
	const char *why;
	const char *hex;
	const char *part;
} refuse_table[] = {
	{"nothing", "", "ends in the middle"},
	{"too few fields", "91a0", "another number of fields"},
	{"too many fields", "93a00000", "another number of fields"},
	{"no array", "80", "not an array"},
	{"a map for the struct", "82a000a000", "not an array"},
	{"count in 16 bits", "dc0002a000", "count in a longer form"},
	{"count in 32 bits", "dd00000002a000", "count in a longer form"},
	{"a count beyond the input", "9f", "ends in the middle"},
	{"5 in 8 bits", "92a0cc05", "longer form"},
	{"127 in 8 bits", "92a0cc7f", "longer form"},
	{"255 in 16 bits", "92a0cd00ff", "longer form"},
	{"65535 in 32 bits", "92a0ce0000ffff", "longer form"},
	{"2^32 - 1 in 64 bits", "92a0cf00000000ffffffff", "longer form"},
	{"2^63", "92a0cf8000000000000000", "out of range"},
	{"a positive number as signed", "92a0d005", "longer form"},
	{"-1 in 8 bits", "92a0d0ff", "longer form"},
	{"-32 in 8 bits", "92a0d0e0", "longer form"},
	{"-128 in 16 bits", "92a0d1ff80", "longer form"},
	{"-32768 in 32 bits", "92a0d2ffff8000", "longer form"},
	{"-2^31 in 64 bits", "92a0d3ffffffff80000000", "longer form"},
	{"the number nil stands for", "92a0d38000000000000000", "nil stands for"},
	{"a short number", "92a0cd01", "ends in the middle"},
	{"a float", "92a0ca3f800000", "not a number"},
	{"a double", "92a0cb3ff0000000000000", "not a number"},
	{"a boolean", "92a0c3", "not a number"},
	{"an extension", "92a0d40100", "not a number"},
	{"a timestamp", "92a0d6ff00000000", "not a number"},
	{"the byte that is never used", "92a0c1", "not a number"},
	{"nil for a text", "92c000", "amount.resource is not a text"},
	{"bytes for a text", "92c4016100", "amount.resource is not a text"},
	{"a text in 8 bits", "92d9016100", "length in a longer form"},
	{"a text in 16 bits", "92da00016100", "length in a longer form"},
	{"a text in 32 bits", "92db000000016100", "length in a longer form"},
	{"a text that ends early", "92a56162", "ends in the middle"},
	{"a lone continuation", "92a18000", "not UTF-8"},
	{"an overlong form", "92a2c0af00", "not UTF-8"},
	{"a surrogate", "92a3eda08000", "not UTF-8"},
	{"above U+10FFFF", "92a4f490808000", "not UTF-8"},
	{"NUL in a text", "92a10000", "not UTF-8"},
	{"a byte after the end", "92a00000", "after its end"},
};

static void refuse_row(const struct refuse_case *row)
{
	const void *out = &arena;
	struct plm_error err = {0};
	enum plm_code code = PLM_OK;
	size_t mark = 0;
	struct plm_slice bytes;

	plm_arena_reset(&arena);
	bytes = from_hex(row->hex);
	mark = plm_arena_mark(&arena);
	code = plm_wire_decode(&plm_type_amount, bytes, &arena, &out, &err);
	plm_assert_fails(code, PLM_E_CORRUPT, err, row->part);
	assert_ptr_equal(out, &arena);
	assert_int_equal(plm_arena_mark(&arena), mark);
}
PLM_TEST_ROWS(refuse_row, struct refuse_case)

static void an_enum_has_a_name(void **state)
{
	const void *out = NULL;
	struct plm_error err = {0};

	(void)state;
	plm_arena_reset(&arena);
	plm_assert_ok(plm_wire_decode(&plm_type_taint, from_hex("93a16ba003"), &arena, &out, &err),
		      &err);
	plm_assert_fails(
		plm_wire_decode(&plm_type_taint, from_hex("93a16ba004"), &arena, &out, &err),
		PLM_E_CORRUPT, err, "taint.effect is a value that has no name");
	plm_assert_fails(
		plm_wire_decode(&plm_type_taint, from_hex("93a16ba0ff"), &arena, &out, &err),
		PLM_E_CORRUPT, err, "taint.effect is not a number of zero or more");
}

static void a_forged_count_takes_no_memory(void **state)
{
	struct plm_slice bytes;
	uint8_t *forged = NULL;
	const void *out = NULL;
	struct plm_error err = {0};
	size_t mark = 0;

	(void)state;
	plm_arena_reset(&arena);
	forged = plm_arena_take(&arena, 70000);
	bytes = from_hex("91dd00011000");
	memcpy(forged, bytes.ptr, bytes.size);
	mark = plm_arena_mark(&arena);
	plm_assert_fails(
		plm_wire_decode(&plm_type_limits, plm_slice_of(forged, 70000), &arena, &out, &err),
		PLM_E_CORRUPT, err, "limits.tables has more elements than bytes");
	assert_int_equal(plm_arena_mark(&arena), mark);
}

static void a_full_arena_is_no_damage(void **state)
{
	struct plm_arena small;
	const void *out = NULL;
	struct plm_error err = {0};

	(void)state;
	plm_assert_ok(plm_arena_init(&small, 4096, &err), &err);
	(void)plm_arena_take(&small, 4080);
	plm_assert_fails(plm_wire_decode(&plm_type_amount, from_hex("92a000"), &small, &out, &err),
			 PLM_E_LIMIT, err, "memory");
	plm_arena_fini(&small);
}

static void a_fact_needs_its_pair(void **state)
{
	static const struct {
		const char *hex, *part;
	} rows[] = {
		{"940da0a0a0", "not the pair"},
		{"92940da0a0a0", "ends in the middle"},
		{"92940da0a0a0c401ab", "object hash of another size"},
		{"92940da0a0a0c400", "object hash of another size"},
		{"92940da0a0a000", "not a byte string"},
		{"93940da0a0a0c0c0", "not the pair"},
		{"92940da0a0a0c0c0", "after its end"},
	};
	const struct plm_event_info *info = plm_event_info(PLM_EV_GONE);
	struct plm_payload out;
	struct plm_error err = {0};

	(void)state;
	for (size_t i = 0; i < PLM_COUNTOF(rows); i++) {
		enum plm_code code = PLM_OK;

		plm_arena_reset(&arena);
		code = plm_payload_decode(info, from_hex(rows[i].hex), &arena, &out, &err);
		plm_assert_fails(code, PLM_E_CORRUPT, err, rows[i].part);
		assert_non_null(strstr(err.text, "GONE: "));
	}
}

static void wrong_texts_are_bugs(void **state)
{
	const struct plm_w_kv kv = {.key = plm_slice_of("\xff", 1)};
	const struct plm_w_taint taint = {.effect = 4};

	(void)state;
	plm_arena_reset(&arena);
	plm_assert_panics((void)plm_wire_encode(&plm_type_kv, &kv, &arena));
	plm_assert_panics((void)plm_wire_encode(&plm_type_taint, &taint, &arena));
}

/* Every truncation is refused, and what a changed byte still decodes to encodes to just those bytes. */
static void poke(const struct plm_event_info *info, struct plm_slice bytes, uint64_t *random)
{
	uint8_t *copy = plm_arena_take(&arena, bytes.size);
	size_t at = plm_test_below(random, bytes.size);
	struct plm_payload out;
	struct plm_slice again;

	assert_int_not_equal(
		plm_payload_decode(info, plm_slice_of(bytes.ptr, at), &arena, &out, NULL), PLM_OK);
	memcpy(copy, bytes.ptr, bytes.size);
	copy[at] = (uint8_t)plm_test_random(random);
	if (plm_payload_decode(info, plm_slice_of(copy, bytes.size), &arena, &out, NULL) ==
	    PLM_OK) {
		again = plm_payload_encode(info, out.value, out.hash, &arena);
		assert_true(plm_slice_equal(again, plm_slice_of(copy, bytes.size)));
	}
}

static void round_trip(const struct plm_event_info *info, uint64_t *random)
{
	uint8_t hash[32] = {1, 2, 3};
	struct plm_slice object = plm_slice_of(hash, plm_test_below(random, 2) * sizeof(hash));
	struct plm_slice bytes;
	struct plm_payload out;
	const void *value = NULL;
	struct plm_error err;

	plm_arena_reset(&arena);
	value = plm_wire_random(info->payload, random, &arena);
	bytes = plm_payload_encode(info, value, object, &arena);
	plm_assert_ok(plm_payload_decode(info, bytes, &arena, &out, &err), &err);
	assert_true(plm_wire_equal(info->payload, value, out.value));
	if (info->class == PLM_CLASS_FACT) {
		assert_true(plm_slice_equal(object, out.hash));
	}
	assert_true(plm_slice_equal(plm_payload_encode(info, out.value, out.hash, &arena), bytes));
	for (int i = 0; i < 8; i++) {
		poke(info, bytes, random);
	}
}

static void every_event_survives_the_round_trip(void **state)
{
	uint64_t random = plm_test_seed();
	uint32_t count = 0;
	const struct plm_event_info *infos = plm_event_infos(&count);

	(void)state;
	for (uint32_t i = 0; i < count; i++) {
		for (int round = 0; round < ROUNDS; round++) {
			round_trip(&infos[i], &random);
		}
	}
}

static void every_request_survives_the_round_trip(void **state)
{
	uint64_t random = plm_test_seed();

	(void)state;
	for (int64_t call = 1; call < plm_names_call.count; call++) {
		const struct plm_wire_type *type = plm_call_request((enum plm_call)call);
		const void *value = NULL;
		const void *out = NULL;
		struct plm_error err;

		plm_arena_reset(&arena);
		value = plm_wire_random(type, &random, &arena);
		plm_assert_ok(plm_wire_decode(type, plm_wire_encode(type, value, &arena), &arena,
					      &out, &err),
			      &err);
		assert_true(plm_wire_equal(type, value, out));
	}
}

int main(void)
{
	static struct plm_tests tests;
	struct plm_error err;

	plm_assert_ok(plm_arena_init(&arena, 256U << 20, &err), &err);
	PLM_TEST_ADD(&tests, an_epoch_is_its_number);
	PLM_TEST_ADD(&tests, a_decision_is_its_fields_in_order);
	PLM_TEST_ADD(&tests, a_fact_is_a_pair);
	PLM_TEST_ADD(&tests, unset_is_nil_and_unlimited_is_a_number);
	PLM_TEST_TABLE(&tests, refuse_row, refuse_table);
	PLM_TEST_ADD(&tests, an_enum_has_a_name);
	PLM_TEST_ADD(&tests, a_forged_count_takes_no_memory);
	PLM_TEST_ADD(&tests, a_full_arena_is_no_damage);
	PLM_TEST_ADD(&tests, a_fact_needs_its_pair);
	PLM_TEST_ADD(&tests, wrong_texts_are_bugs);
	PLM_TEST_ADD(&tests, every_event_survives_the_round_trip);
	PLM_TEST_ADD(&tests, every_request_survives_the_round_trip);
	return plm_tests_run(&tests, "wire");
}
