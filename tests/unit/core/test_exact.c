/* Exact amounts, sums by resource, decimals: core/exact.h. */
#include "core/exact.h"
#include "plm_test.h"

static plm_i128 nano_of(const char *quantity)
{
	plm_i128 nano = 0;

	assert_int_equal(plm_quantity_parse_exact(plm_slice_str(quantity), &nano, NULL), PLM_OK);
	return nano;
}

/* ---- kept as a pair ---------------------------------------------------------------------------- */

static const struct split_row {
	const char *text;
	enum plm_scale scale;
	int64_t amount, excess_nano;
} split_rows[] = {
	{"2", PLM_SCALE_WHOLE, 2, 0},
	{"1500m", PLM_SCALE_WHOLE, 2, 500000000},
	{"1500m", PLM_SCALE_MILLI, 1500, 0},
	{"500u", PLM_SCALE_MILLI, 1, 500000},
	{"1n", PLM_SCALE_WHOLE, 1, 999999999},
	{"0", PLM_SCALE_MILLI, 0, 0},
	{"-500m", PLM_SCALE_WHOLE, 0, 500000000},
	{"-1500m", PLM_SCALE_WHOLE, -1, 500000000},
	{"9223372036854775807", PLM_SCALE_MILLI, INT64_MAX, 0},
};

static void split_test(const struct split_row *row)
{
	plm_i128 nano = nano_of(row->text);
	int64_t amount = 0;
	int64_t excess_nano = 0;

	plm_exact_split(nano, row->scale, &amount, &excess_nano);
	assert_int_equal(amount, row->amount);
	assert_int_equal(excess_nano, row->excess_nano);
	if (amount != INT64_MAX) {
		assert_true(plm_exact_nano(amount, excess_nano, row->scale) == nano);
	}
}
PLM_TEST_ROWS(split_test, struct split_row)

/* ---- the pod rule ------------------------------------------------------------------------------ */

/* Amounts of two resources per part, in order; 0 = it names none. */
struct part {
	enum plm_pod_part part;
	int64_t ask[2];
};

static const struct pod_row {
	const char *why;
	struct part parts[4];
	int64_t whole[2], overhead[2];
	int64_t want[2];
} pod_rows[] = {
	{"containers add up",
	 {{PLM_POD_PART_MAIN, {1, 2}}, {PLM_POD_PART_MAIN, {3, 0}}},
	 {0},
	 {0},
	 {4, 2}},
	{"the highest init container",
	 {{PLM_POD_PART_INIT, {5, 0}}, {PLM_POD_PART_INIT, {2, 1}}, {PLM_POD_PART_MAIN, {3, 3}}},
	 {0},
	 {0},
	 {5, 3}},
	{"a sidecar runs with the containers",
	 {{PLM_POD_PART_SIDECAR, {2, 0}}, {PLM_POD_PART_MAIN, {3, 1}}},
	 {0},
	 {0},
	 {5, 1}},
	{"and with the init containers after it",
	 {{PLM_POD_PART_INIT, {4, 0}},
	  {PLM_POD_PART_SIDECAR, {2, 0}},
	  {PLM_POD_PART_INIT, {4, 0}},
	  {PLM_POD_PART_MAIN, {1, 0}}},
	 {0},
	 {0},
	 {6, 0}},
	{"the pod as a whole replaces what it names",
	 {{PLM_POD_PART_MAIN, {3, 4}}},
	 {1, 0},
	 {0},
	 {1, 4}},
	{"overhead comes on top", {{PLM_POD_PART_MAIN, {3, 0}}}, {2, 0}, {1, 7}, {3, 7}},
};

static struct plm_asks asks_of(struct plm_arena *arena, const int64_t *amounts)
{
	struct plm_asks asks = plm_asks_make(arena, 2);

	for (uint32_t r = 0; r < 2; r++) {
		if (amounts[r] != 0) {
			plm_asks_add(&asks, r, amounts[r]);
		}
	}
	return asks;
}

static void pod_test(const struct pod_row *row)
{
	struct plm_arena arena;
	struct plm_pod_sum sum;
	struct plm_asks whole;
	struct plm_asks overhead;
	const struct plm_asks *total = NULL;

	plm_test_ok(plm_arena_init(&arena, 1 << 20, NULL), NULL, __FILE__, __LINE__);
	sum = plm_pod_sum_begin(&arena, 2);
	for (size_t i = 0; i < PLM_COUNTOF(row->parts); i++) {
		struct plm_asks asks = asks_of(&arena, row->parts[i].ask);

		plm_pod_sum_add(&sum, row->parts[i].part, &asks);
	}
	whole = asks_of(&arena, row->whole);
	overhead = asks_of(&arena, row->overhead);
	total = plm_pod_sum_end(&sum, &whole, &overhead);
	for (uint32_t r = 0; r < 2; r++) {
		const struct plm_ask *ask = plm_asks_find(total, r);

		assert_true((ask == NULL ? 0 : ask->nano) == row->want[r]);
	}
	plm_arena_fini(&arena);
}
PLM_TEST_ROWS(pod_test, struct pod_row)

/* ---- decimals ---------------------------------------------------------------------------------- */

/* (a * b + c) rounded up. */
static const struct decimal_row {
	const char *why, *a, *b, *c;
	enum plm_scale scale;
	int64_t want;
} decimal_rows[] = {
	{"half and half is one", "500m", "1", "500m", PLM_SCALE_WHOLE, 1},
	{"half a unit is rounded once", "3", "500m", "0", PLM_SCALE_WHOLE, 2},
	{"a tenth of a milli", "100u", "10000", "0", PLM_SCALE_WHOLE, 1},
	{"cpu in milli", "1500m", "3", "1m", PLM_SCALE_MILLI, 4501},
	{"cancels", "-2", "3", "6", PLM_SCALE_WHOLE, 0},
	{"below zero stays below", "-2", "3", "500m", PLM_SCALE_WHOLE, -5},
	{"bytes times a fraction", "17179869184", "0.3", "0", PLM_SCALE_WHOLE, 5153960756},
	{"digits beyond 38 are rounded up", "9007199254740993.123456789", "1234567.123456789", "0",
	 PLM_SCALE_MILLI, INT64_MAX},
	{"large and fine", "123456789012.123456789", "1.000000001", "0", PLM_SCALE_WHOLE,
	 123456789136},
	{"too big saturates", "9223372036854775807", "9223372036854775807", "1", PLM_SCALE_WHOLE,
	 INT64_MAX},
	{"too small saturates", "-9223372036854775807", "9223372036854775807", "1", PLM_SCALE_WHOLE,
	 -INT64_MAX},
};

static void decimal_test(const struct decimal_row *row)
{
	struct plm_decimal product =
		plm_decimal_mul(plm_decimal_of(nano_of(row->a)), plm_decimal_of(nano_of(row->b)));
	struct plm_decimal sum = plm_decimal_add(product, plm_decimal_of(nano_of(row->c)));

	assert_int_equal(plm_decimal_round(sum, row->scale), row->want);
	sum = plm_decimal_add(plm_decimal_of(nano_of(row->c)), product);
	assert_int_equal(plm_decimal_round(sum, row->scale), row->want);
}
PLM_TEST_ROWS(decimal_test, struct decimal_row)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, split_test, split_rows);
	PLM_TEST_TABLE(&tests, pod_test, pod_rows);
	PLM_TEST_TABLE(&tests, decimal_test, decimal_rows);
	return plm_tests_run(&tests, "exact");
}
