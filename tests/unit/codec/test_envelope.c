#include "plm_test.h"

#include "codec/codec.h"
#include "hash/hash.h"

static struct plm_arena arena;

static struct plm_envelope sample(void)
{
	return (struct plm_envelope){
		.format = PLM_ENVELOPE_FORMAT,
		.flags = PLM_FLAG_TEST,
		.source = PLM_SOURCE_KUBE,
		.type = PLM_EV_GONE,
		.schema = 1,
		.seq = 42,
		.epoch = 3,
		.wall_ns = 1767225600000000000ULL,
		.tick_ms = 1767225600000ULL,
		.cause = 0,
		.intent = 300,
		.pos = plm_slice_str("77"),
		.payload = plm_slice_of("\x91\x05", 2),
	};
}

static void expect(const struct plm_envelope *envelope, const char *want)
{
	struct plm_slice bytes;
	struct plm_envelope out = {0};
	struct plm_error err;
	char text[256];

	plm_arena_reset(&arena);
	bytes = plm_envelope_encode(envelope, &arena);
	plm_hex(bytes, text);
	assert_string_equal(text, want);
	plm_assert_ok(plm_envelope_decode(bytes, &out, &err), &err);
	assert_int_equal(out.format, envelope->format);
	assert_int_equal(out.flags, envelope->flags);
	assert_int_equal(out.source, envelope->source);
	assert_int_equal(out.type, envelope->type);
	assert_int_equal(out.schema, envelope->schema);
	assert_int_equal(out.seq, envelope->seq);
	assert_int_equal(out.epoch, envelope->epoch);
	assert_int_equal(out.wall_ns, envelope->wall_ns);
	assert_int_equal(out.tick_ms, envelope->tick_ms);
	assert_int_equal(out.cause, envelope->cause);
	assert_int_equal(out.intent, envelope->intent);
	assert_int_equal(out.pos.ptr == NULL, envelope->pos.ptr == NULL);
	assert_true(plm_slice_equal(out.pos, envelope->pos));
	assert_true(plm_slice_equal(out.payload, envelope->payload));
}

static void thirteen_fields_in_the_order_of_the_design(void **state)
{
	struct plm_envelope envelope = sample();

	(void)state;
	expect(&envelope, "9d012a03cf18867251edfa0000cf0000019b76daa80001"
			  "c4023737260100cd012c02c4029105");
}

static void no_position_is_nil_and_an_empty_one_is_not(void **state)
{
	struct plm_envelope envelope = sample();

	(void)state;
	envelope.wall_ns = 1;
	envelope.tick_ms = 2;
	envelope.pos = (struct plm_slice){0};
	envelope.payload = (struct plm_slice){0};
	expect(&envelope, "9d012a03010201c0260100cd012c02c400");
	envelope.pos = plm_slice_str("");
	expect(&envelope, "9d012a03010201c400260100cd012c02c400");
}

static void all_ends_of_the_numbers(void **state)
{
	struct plm_envelope envelope = sample();

	(void)state;
	envelope.seq = UINT64_MAX;
	envelope.type = UINT16_MAX;
	envelope.schema = 128;
	envelope.flags = UINT8_MAX;
	envelope.wall_ns = 1;
	envelope.tick_ms = 2;
	envelope.pos = (struct plm_slice){0};
	expect(&envelope, "9d01cfffffffffffffffff03010201c0cdffffcc8000cd012cccffc4029105");
}

static const struct refuse_case {
	const char *why;
	const char *bytes;
	size_t size;
	enum plm_code want;
	const char *part;
} refuse_table[] = {
	{"nothing", "", 0, PLM_E_CORRUPT, "ends in the middle"},
	{"a newer format", "\x92\x02\x2a", 3, PLM_E_VERSION, "format 2: this build reads up to 1"},
	{"a newer format that ends early", "\x9e\x02", 2, PLM_E_CORRUPT, "ends in the middle"},
	{"format 0", "\x91\x00", 2, PLM_E_CORRUPT, "array of 13"},
	{"twelve fields", "\x9c\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 14,
	 PLM_E_CORRUPT, "array of 13"},
	{"a source that is not known",
	 "\x9d\x01\x01\x01\x01\x01\x07\xc0\x01\x01\x00\x00\x00\xc4\x00", 15, PLM_E_CORRUPT,
	 "source"},
	{"a text for the position",
	 "\x9d\x01\x01\x01\x01\x01\x01\xa1\x61\x01\x01\x00\x00\x00\xc4\x00", 16, PLM_E_CORRUPT,
	 "not a byte string"},
	{"a negative number", "\x9d\x01\xff\x01\x01\x01\x01\xc0\x01\x01\x00\x00\x00\xc4\x00", 15,
	 PLM_E_CORRUPT, "zero or more"},
	{"a type of 17 bits",
	 "\x9d\x01\x01\x01\x01\x01\x01\xc0\xce\x00\x01\x00\x00\x01\x00\x00\x00\xc4\x00", 19,
	 PLM_E_CORRUPT, "out of range"},
	{"a byte after the end", "\x9d\x01\x01\x01\x01\x01\x01\xc0\x01\x01\x00\x00\x00\xc4\x00\x00",
	 16, PLM_E_CORRUPT, "after its end"},
	{"a payload that ends early",
	 "\x9d\x01\x01\x01\x01\x01\x01\xc0\x01\x01\x00\x00\x00\xc4\x02\x00", 16, PLM_E_CORRUPT,
	 "ends in the middle"},
};

static void refuse_row(const struct refuse_case *row)
{
	struct plm_envelope out = {.seq = 7};
	struct plm_error err = {0};
	enum plm_code code = plm_envelope_decode(plm_slice_of(row->bytes, row->size), &out, &err);

	plm_assert_fails(code, row->want, err, row->part);
	assert_int_equal(out.seq, 7);
}
PLM_TEST_ROWS(refuse_row, struct refuse_case)

int main(void)
{
	static struct plm_tests tests;
	struct plm_error err;

	plm_assert_ok(plm_arena_init(&arena, 1U << 20, &err), &err);
	PLM_TEST_ADD(&tests, thirteen_fields_in_the_order_of_the_design);
	PLM_TEST_ADD(&tests, no_position_is_nil_and_an_empty_one_is_not);
	PLM_TEST_ADD(&tests, all_ends_of_the_numbers);
	PLM_TEST_TABLE(&tests, refuse_row, refuse_table);
	return plm_tests_run(&tests, "envelope");
}
