#include "plm_test.h"

#include "core/quantity.h"
#include "core/units.h"

static const struct parse_case {
	const char *why;
	const char *text;
	int64_t whole, milli;
} parse_table[] = {
	{"zero", "0", 0, 0},
	{"minus zero", "-0", 0, 0},
	{"plain", "12", 12, 12000},
	{"signed", "+12", 12, 12000},
	{"negative goes away from zero", "-1500m", -2, -1500},
	{"milli rounds up to one", "1m", 1, 1},
	{"memory of 500m is a byte", "500m", 1, 500},
	{"micro", "1u", 1, 1},
	{"nano", "1n", 1, 1},
	{"nano that is a milli", "1000000n", 1, 1},
	{"nano above a milli", "1000001n", 1, 2},
	{"below nano", "0.0000000001", 1, 1},
	{"decimal", "1.5", 2, 1500},
	{"point at the end", "1.", 1, 1000},
	{"point at the start", ".5", 1, 500},
	{"leading zeros", "000012", 12, 12000},
	{"kilo", "3k", 3000, 3000000},
	{"mega", "3M", 3000000, 3000000000},
	{"giga", "2G", 2000000000, 2000000000000},
	{"tera", "2T", 2000000000000, 2000000000000000},
	{"peta", "2P", 2000000000000000, 2000000000000000000},
	{"exa", "2E", 2000000000000000000, INT64_MAX},
	{"kibi", "4Ki", 4096, 4096000},
	{"mebi", "1.5Mi", 1572864, 1572864000},
	{"gibi", "4Gi", 4294967296, 4294967296000},
	{"tebi", "1Ti", 1099511627776, 1099511627776000},
	{"pebi", "1Pi", 1125899906842624, 1125899906842624000},
	{"exbi", "7Ei", 8070450532247928832, INT64_MAX},
	{"exbi above the end", "8Ei", INT64_MAX, INT64_MAX},
	{"exponent", "1e3", 1000, 1000000},
	{"big exponent letter", "1E3", 1000, 1000000},
	{"exponent with plus", "12e+2", 1200, 1200000},
	{"exponent below", "1e-3", 1, 1},
	{"exponent far below", "1e-400", 1, 1},
	{"exponent far above", "1e400", INT64_MAX, INT64_MAX},
	{"zero with an exponent", "0e400", 0, 0},
	{"top", "9223372036854775807", INT64_MAX, INT64_MAX},
	{"just below the top", "9223372036854775806", INT64_MAX - 1, INT64_MAX},
	{"just above the top", "9223372036854775808", INT64_MAX, INT64_MAX},
	{"top of milli", "9223372036854775807m", 9223372036854776, INT64_MAX},
	{"bottom saturates", "-99999999999999999999", -INT64_MAX, -INT64_MAX},
	{"long fraction", "0.100000000000000000000000000000000000001", 1, 101},
	{"long number that fits", "1234567890123456789.00000000000000000000", 1234567890123456789,
	 INT64_MAX},
};

static void parse_row(const struct parse_case *row)
{
	struct plm_error err = {0};
	int64_t whole = 7;
	int64_t milli = 7;

	plm_assert_ok(plm_quantity_parse(plm_slice_str(row->text), PLM_SCALE_WHOLE, &whole, &err),
		      &err);
	plm_assert_ok(plm_quantity_parse(plm_slice_str(row->text), PLM_SCALE_MILLI, &milli, &err),
		      &err);
	assert_int_equal(whole, row->whole);
	assert_int_equal(milli, row->milli);
}
PLM_TEST_ROWS(parse_row, struct parse_case)

static const struct refuse_case {
	const char *why;
	const char *text;
} refuse_table[] = {
	{"nothing", ""},
	{"sign only", "-"},
	{"point only", "."},
	{"suffix only", "Ki"},
	{"two points", "1.1.1"},
	{"space before", " 1"},
	{"space behind", "1 "},
	{"kilo in capitals", "1K"},
	{"bytes", "1GB"},
	{"kibi in small letters", "1ki"},
	{"milli bi", "1mi"},
	{"exponent without number", "1e"},
	{"exponent with sign only", "1e-"},
	{"exponent with a point", "1e1.5"},
	{"two exponents", "1e1e1"},
	{"suffix and exponent", "1Ki+3"},
	{"word", "lots"},
	{"hex", "0x10"},
	{"too long", "1000000000000000000000000000000000000000000000000000000000000000000"},
};

static void refuse_row(const struct refuse_case *row)
{
	struct plm_error err = {0};
	int64_t out = 7;

	plm_assert_fails(plm_quantity_parse(plm_slice_str(row->text), PLM_SCALE_WHOLE, &out, &err),
			 PLM_E_INPUT, err, "quantity");
	assert_int_equal(out, 7);
}
PLM_TEST_ROWS(refuse_row, struct refuse_case)

static const struct format_case {
	const char *why;
	const char *resource;
	int64_t amount;
	const char *want;
} format_table[] = {
	{"milli", "cpu", 500, "500m"},
	{"whole cpu", "cpu", 3000, "3"},
	{"thousand cpus", "cpu", 1000000, "1k"},
	{"part of a cpu", "cpu", 3500, "3500m"},
	{"no cpu", "cpu", 0, "0"},
	{"requests of cpu", "requests.cpu", 250, "250m"},
	{"gibi", "memory", 4LL << 30, "4Gi"},
	{"mebi", "memory", 1536LL << 20, "1536Mi"},
	{"bytes", "memory", 1025, "1025"},
	{"few bytes are decimal", "memory", 1000, "1k"},
	{"exbi", "memory", 1LL << 60, "1Ei"},
	{"storage", "ephemeral-storage", 20LL << 30, "20Gi"},
	{"huge pages", "hugepages-2Mi", 2LL << 20, "2Mi"},
	{"pieces", "nvidia.com/gpu", 8, "8"},
	{"thousand pieces", "pods", 1000, "1k"},
	{"negative", "memory", -2048, "-2Ki"},
	{"unlimited", "memory", PLM_UNLIMITED, "9223372036854775807"},
};

static void format_row(const struct format_case *row)
{
	char text[PLM_QUANTITY_SIZE];
	struct plm_slice resource = plm_slice_str(row->resource);
	int64_t back = 0;

	assert_string_equal(plm_quantity_format(resource, row->amount, text), row->want);
	assert_int_equal(
		plm_quantity_parse(plm_slice_str(text), plm_resource_scale(resource), &back, NULL),
		PLM_OK);
	assert_int_equal(back, row->amount);
}
PLM_TEST_ROWS(format_row, struct format_case)

static const struct integer_case {
	const char *why;
	const char *text;
	bool good;
	int64_t want;
} integer_table[] = {
	{"digits", "42", true, 42},
	{"a leading zero", "007", true, 7},
	{"minus", "-42", true, -42},
	{"plus", "+42", true, 42},
	{"the greatest", "9223372036854775807", true, INT64_MAX},
	{"the least", "-9223372036854775808", true, INT64_MIN},
	{"one more", "9223372036854775808", false, 0},
	{"nothing", "", false, 0},
	{"a sign only", "-", false, 0},
	{"a sign and a word", "-many", false, 0},
	{"a suffix", "5k", false, 0},
	{"a fraction", "1.5", false, 0},
	{"a space", " 1", false, 0},
};

static void integer_row(const struct integer_case *row)
{
	int64_t have = -77;

	assert_int_equal(plm_integer_parse(plm_slice_str(row->text), &have), row->good);
	assert_int_equal(have, row->good ? row->want : -77);
}
PLM_TEST_ROWS(integer_row, struct integer_case)

/* Whatever is written is read back as the same number. */
static void every_amount_comes_back(void **state)
{
	static const char *const resources[] = {"cpu", "memory", "pods"};
	uint64_t random = plm_test_seed();

	(void)state;
	for (size_t i = 0; i < 20000; i++) {
		struct plm_slice resource = plm_slice_str(resources[i % 3]);
		int64_t amount = (int64_t)(plm_test_random(&random) >> (i % 63 + 1));
		char text[PLM_QUANTITY_SIZE];
		int64_t back = 0;

		plm_quantity_format(resource, amount, text);
		assert_int_equal(plm_quantity_parse(plm_slice_str(text),
						    plm_resource_scale(resource), &back, NULL),
				 PLM_OK);
		assert_int_equal(back, amount);
	}
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, parse_row, parse_table);
	PLM_TEST_TABLE(&tests, refuse_row, refuse_table);
	PLM_TEST_TABLE(&tests, format_row, format_table);
	PLM_TEST_TABLE(&tests, integer_row, integer_table);
	PLM_TEST_ADD(&tests, every_amount_comes_back);
	return plm_tests_run(&tests, "quantity");
}
