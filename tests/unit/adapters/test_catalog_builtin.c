#include "plm_test.h"

#include <stdlib.h>

#include "adapters/catalog/catalog.h"

static struct plm_arena arena;

static struct plm_w_catalog open_region(const char *region)
{
	struct plm_w_catalog catalog = {0};
	struct plm_error err = {0};

	plm_arena_reset(&arena);
	plm_assert_ok(plm_catalog_builtin(region, &arena, &catalog, &err), &err);
	return catalog;
}

static const struct plm_w_instance_type *find(const struct plm_w_catalog *catalog, const char *name)
{
	const struct plm_w_instance_type *types = catalog->types.ptr;

	for (size_t i = 0; i < catalog->types.count; i++) {
		if (plm_slice_is(types[i].name, name)) {
			return &types[i];
		}
	}
	return NULL;
}

static const struct plm_w_offering *offering(const struct plm_w_instance_type *type,
					     const char *zone, const char *capacity_type)
{
	const struct plm_w_offering *list = type->offerings.ptr;

	for (size_t i = 0; i < type->offerings.count; i++) {
		if (plm_slice_is(list[i].zone, zone) &&
		    plm_slice_is(list[i].capacity_type, capacity_type)) {
			return &list[i];
		}
	}
	return NULL;
}

static int64_t amount(struct plm_vec list, const char *resource)
{
	const struct plm_w_amount *amounts = list.ptr;

	for (size_t i = 0; i < list.count; i++) {
		if (plm_slice_is(amounts[i].resource, resource)) {
			return amounts[i].amount;
		}
	}
	return 0;
}

/* data/ec2/README.md, "Checks", and rows of the CSV files. */
static const struct price_case {
	const char *why;
	const char *region, *zone, *type, *capacity_type;
	int64_t price_micro, estimated;
} price_table[] = {
	{"m5.xlarge us-east-1", "us-east-1", "us-east-1a", "m5.xlarge", "on-demand", 192000, 0},
	{"m5.xlarge us-west-2", "us-west-2", "us-west-2a", "m5.xlarge", "on-demand", 192000, 0},
	{"m5.xlarge eu-west-1", "eu-west-1", "eu-west-1a", "m5.xlarge", "on-demand", 214000, 0},
	{"g5.xlarge us-east-1", "us-east-1", "us-east-1a", "g5.xlarge", "on-demand", 1006000, 0},
	{"trn1.32xlarge", "us-east-1", "us-east-1f", "trn1.32xlarge", "on-demand", 21500000, 0},
	{"t3.micro", "us-east-1", "us-east-1b", "t3.micro", "on-demand", 10400, 0},
	{"observed spot", "eu-west-1", "eu-west-1b", "a1.2xlarge", "spot", 230400, 0},
	{"price of us-east-1", "us-west-2", "us-west-2a", "c8a.large", "on-demand", 107770, 1},
	{"spot by fraction, rounded up", "us-west-2", "us-west-2a", "c8a.large", "spot", 38798, 1},
	{"no price anywhere", "us-east-1", "us-east-1a", "r9g.large", "on-demand", PLM_UNSET, 0},
	{"no spot price either", "us-east-1", "us-east-1a", "r9g.large", "spot", PLM_UNSET, 0},
};

static void price_row(const struct price_case *row)
{
	struct plm_w_catalog catalog = open_region(row->region);
	const struct plm_w_instance_type *type = find(&catalog, row->type);
	const struct plm_w_offering *found = NULL;

	assert_non_null(type);
	found = offering(type, row->zone, row->capacity_type);
	assert_non_null(found);
	assert_true(found->price_micro == row->price_micro);
	assert_int_equal(found->estimated, row->estimated);
	assert_int_equal(found->available, 1);
}
PLM_TEST_ROWS(price_row, struct price_case)

static const struct region_case {
	const char *why;
	size_t min_types; /* of those offered, without Apple and paravirtual ones */
	size_t zones;
} region_table[] = {
	{"us-west-2", 1300, 4},
	{"us-east-1", 1300, 6},
	{"eu-west-1", 1100, 3},
};

static void region_row(const struct region_case *row)
{
	struct plm_w_catalog catalog = open_region(row->why);
	const struct plm_w_instance_type *types = catalog.types.ptr;
	size_t widest = 0;

	plm_assert_text(catalog.region, row->why);
	assert_true(catalog.types.count >= row->min_types);
	for (size_t i = 0; i < catalog.types.count; i++) {
		assert_true(types[i].offerings.count > 0);
		assert_true(i == 0 || plm_slice_compare(types[i - 1].name, types[i].name) < 0);
		assert_true(amount(types[i].capacity, "cpu") >= 1000);
		widest = types[i].offerings.count > widest ? types[i].offerings.count : widest;
	}
	assert_int_equal(widest, 2 * row->zones);
}
PLM_TEST_ROWS(region_row, struct region_case)

/* data/ec2/README.md: "Checks" of the types. */
static void types_hold_their_facts(void **state)
{
	struct plm_w_catalog catalog = open_region("us-east-1");
	const struct plm_w_instance_type *p4d = find(&catalog, "p4d.24xlarge");
	const struct plm_w_instance_type *trn1 = find(&catalog, "trn1.32xlarge");
	const struct plm_w_instance_type *m5 = find(&catalog, "m5.large");

	(void)state;
	assert_int_equal(amount(m5->allocatable, "cpu"), 1930);
	assert_int_equal(amount(m5->allocatable, "memory"), 6903LL * 1024 * 1024);
	assert_int_equal(amount(m5->capacity, "pods"), 29);
	assert_int_equal(amount(p4d->capacity, "cpu"), 96000);
	assert_int_equal(amount(p4d->capacity, "nvidia.com/gpu"), 8);
	assert_int_equal(amount(p4d->capacity, "vpc.amazonaws.com/efa"), 4);
	/* 15 interfaces of the default card count, not all 60. */
	assert_int_equal(amount(p4d->capacity, "pods"), 15 * 49 + 2);
	assert_int_equal(amount(trn1->capacity, "aws.amazon.com/neuron"), 16);
}

static void what_cannot_run_pods_is_left_out(void **state)
{
	struct plm_w_catalog catalog = open_region("us-east-1");

	(void)state;
	assert_null(find(&catalog, "mac2.metal"));
	assert_null(find(&catalog, "m1.small"));
	assert_null(find(&catalog, "t1.micro"));
	assert_non_null(find(&catalog, "m3.medium"));
}

static void an_unknown_region_is_named(void **state)
{
	struct plm_w_catalog catalog = {.region = plm_slice_str("untouched")};
	struct plm_error err = {0};

	(void)state;
	plm_assert_fails(plm_catalog_builtin("us-west-9", &arena, &catalog, &err), PLM_E_NOT_FOUND,
			 err, "\"us-west-9\"");
	/* Prices alone are not enough: eu-central-1 has no zones in the data. */
	plm_assert_fails(plm_catalog_builtin("eu-central-1", &arena, &catalog, &err),
			 PLM_E_NOT_FOUND, err, "eu-west-1, us-east-1, us-west-2");
	plm_assert_text(catalog.region, "untouched");
}

static void twice_is_the_same(void **state)
{
	static uint8_t first[PLM_CATALOG_ARENA_BYTES];
	size_t used = 0;

	(void)state;
	(void)open_region("us-west-2");
	used = arena.used;
	assert_true(used < PLM_CATALOG_ARENA_BYTES / 2);
	memcpy(first, arena.base, used);
	(void)open_region("us-west-2");
	assert_int_equal(arena.used, used);
	assert_memory_equal(first, arena.base, used);
}

int main(void)
{
	static struct plm_tests tests;
	int failed = 0;

	plm_assert_ok(plm_arena_init(&arena, PLM_CATALOG_ARENA_BYTES, NULL), NULL);
	PLM_TEST_TABLE(&tests, price_row, price_table);
	PLM_TEST_TABLE(&tests, region_row, region_table);
	PLM_TEST_ADD(&tests, types_hold_their_facts);
	PLM_TEST_ADD(&tests, what_cannot_run_pods_is_left_out);
	PLM_TEST_ADD(&tests, an_unknown_region_is_named);
	PLM_TEST_ADD(&tests, twice_is_the_same);
	failed = plm_tests_run(&tests, "catalog_builtin");
	plm_arena_fini(&arena);
	return failed;
}
