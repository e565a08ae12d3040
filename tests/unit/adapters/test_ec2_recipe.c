/* The bytes that travel with a launch, and the template that follows from them. */
#include "plm_test.h"

#include "adapters/ec2/recipe.h"

static struct plm_arena arena;

#define TEXT(text) {(const uint8_t *)(text), sizeof(text) - 1}

static const struct plm_w_class_subnet subnets[] = {
	{TEXT("subnet-b1"), TEXT("us-west-2b"), TEXT("usw2-az2")},
	{TEXT("subnet-a1"), TEXT("us-west-2a"), TEXT("usw2-az1")},
	{TEXT("subnet-a2"), TEXT("us-west-2a"), TEXT("usw2-az1")},
};
static const struct plm_slice groups[] = {TEXT("sg-1"), TEXT("sg-2")};
static const struct plm_w_ec2_reservation reservations[] = {
	{TEXT("cr-block"), 1, 0}, {TEXT("cr-plain"), 0, 0}, {TEXT("cr-spare"), 0, 1}};
static const struct plm_slice images[] = {TEXT("ami-0"), TEXT("ami-1")};

static struct plm_w_ec2_recipe recipe_of(void)
{
	struct plm_w_ec2_recipe recipe = {
		.subnets = {subnets, PLM_COUNTOF(subnets)},
		.security_groups = {groups, PLM_COUNTOF(groups)},
		.instance_profile = plm_slice_str("profile"),
		.cluster = plm_slice_str("test-cluster"),
		.endpoint = plm_slice_str("https://test-cluster"),
		.ca = plm_slice_str("Y2E="),
		.service_cidr = plm_slice_str("10.100.0.0/16"),
		.dns_ip = plm_slice_str("10.100.0.10"),
		.placement_group = plm_slice_str("pg-1"),
		.reservations = {reservations, PLM_COUNTOF(reservations)},
	};

	recipe.class.kind = PLM_KIND_NODE_CLASS;
	recipe.class.meta.name = plm_slice_str("c");
	recipe.class.ami_family = plm_slice_str("AL2023");
	recipe.class.kubelet.max_pods = PLM_UNSET;
	recipe.class.setup.public_ip = PLM_UNSET;
	return recipe;
}

static struct plm_w_req_launch request_of(void)
{
	return (struct plm_w_req_launch){
		.claim = plm_slice_str("p-1"),
		.pool = plm_slice_str("p"),
		.class_name = plm_slice_str("c"),
		.images = {images, PLM_COUNTOF(images)},
	};
}

static struct plm_w_offer offer_of(const char *zone, const char *reservation, int64_t image)
{
	return (struct plm_w_offer){
		.instance_type = plm_slice_str("m5.large"),
		.zone = plm_slice_str(zone),
		.capacity_type = plm_slice_str(reservation[0] == '\0' ? "on-demand" : "reserved"),
		.reservation = plm_slice_str(reservation),
		.image = image,
		.pods = 29,
	};
}

static const struct plm_w_ec2_recipe *read_back(struct plm_slice bytes)
{
	const struct plm_w_ec2_recipe *recipe = NULL;
	struct plm_error err = {0};

	plm_assert_ok(plm_ec2_recipe_read(bytes, &arena, &recipe, &err), &err);
	return recipe;
}

static void bytes_come_back(void **state)
{
	struct plm_w_ec2_recipe recipe = recipe_of();
	struct plm_slice bytes = plm_ec2_recipe_write(&recipe, &arena);
	const struct plm_w_ec2_recipe *again = read_back(bytes);

	(void)state;
	assert_true(plm_slice_equal(plm_ec2_recipe_write(again, &arena), bytes));
	assert_true(plm_slice_is(again->class.meta.name, "c"));
	assert_int_equal(again->subnets.count, 3);
	assert_true(plm_slice_is(plm_ec2_recipe_subnet(again, plm_slice_str("us-west-2a")),
				 "subnet-a1"));
	assert_int_equal(plm_ec2_recipe_subnet(again, plm_slice_str("us-west-2c")).size, 0);
}

static void wrong_bytes_are_refused(void **state)
{
	struct plm_w_ec2_recipe recipe = recipe_of();
	struct plm_slice bytes = plm_ec2_recipe_write(&recipe, &arena);
	uint8_t *changed = PLM_NEW_ARRAY(&arena, bytes.size, uint8_t);
	const struct plm_w_ec2_recipe *out = NULL;
	struct plm_error err = {0};

	(void)state;
	assert_int_equal(plm_ec2_recipe_read(plm_slice_str(""), &arena, &out, &err), PLM_E_CORRUPT);
	memcpy(changed, bytes.ptr, bytes.size);
	changed[0] = PLM_EC2_RECIPE_VERSION + 1;
	assert_int_equal(plm_ec2_recipe_read(plm_slice_of(changed, bytes.size), &arena, &out, &err),
			 PLM_E_VERSION);
	for (size_t size = 1; size < bytes.size; size++) {
		assert_int_equal(
			plm_ec2_recipe_read(plm_slice_of(bytes.ptr, size), &arena, &out, &err),
			PLM_E_CORRUPT);
	}
	assert_null(out);
}

static const struct template_case {
	const char *name, *reservation, *market, *preference;
	int64_t image;
} template_table[] = {
	{"on demand", "", "", "none", 1},
	{"reserved", "cr-plain", "", "capacity-reservations-only", 0},
	{"capacity block", "cr-block", "capacity-block", "capacity-reservations-only", 0},
	{"interruptible", "cr-spare", "interruptible-capacity-reservation",
	 "capacity-reservations-only", 0},
};

static void template_row(const struct template_case *test)
{
	struct plm_w_ec2_recipe recipe = recipe_of();
	struct plm_w_req_launch request = request_of();
	struct plm_w_offer offer = offer_of("us-west-2a", test->reservation, test->image);
	struct plm_ec2_template template = {0};
	struct plm_error err = {0};

	plm_assert_ok(plm_ec2_recipe_template(&recipe, &request, &offer, &arena, &template, &err),
		      &err);
	assert_true(plm_slice_equal(template.image, images[test->image]));
	assert_true(plm_slice_is(template.instance_profile, "profile"));
	assert_true(plm_slice_is(template.reservation, test->reservation));
	assert_true(plm_slice_is(template.placement_group, "pg-1"));
	assert_string_equal(template.market, test->market);
	assert_string_equal(template.reservation_preference, test->preference);
	assert_int_equal(template.security_groups.count, 2);
	assert_false(template.ipv6);
	assert_int_equal(template.tags.count, 4);
}
PLM_TEST_ROWS(template_row, struct template_case)

static void addresses_of_the_cluster_are_ipv6(void **state)
{
	struct plm_w_ec2_recipe recipe = recipe_of();
	struct plm_w_req_launch request = request_of();
	struct plm_w_offer offer = offer_of("us-west-2a", "", 0);
	struct plm_ec2_template template = {0};
	struct plm_error err = {0};

	(void)state;
	recipe.ipv6 = 1;
	recipe.dns_ip = plm_slice_str("");
	plm_assert_ok(plm_ec2_recipe_template(&recipe, &request, &offer, &arena, &template, &err),
		      &err);
	assert_true(template.ipv6);
}

static void an_offer_without_image_is_refused(void **state)
{
	struct plm_w_ec2_recipe recipe = recipe_of();
	struct plm_w_req_launch request = request_of();
	const int64_t none[] = {PLM_UNSET, 2, -1};

	(void)state;
	for (size_t i = 0; i < PLM_COUNTOF(none); i++) {
		struct plm_w_offer offer = offer_of("us-west-2a", "", none[i]);
		struct plm_ec2_template template = {0};
		struct plm_error err = {0};

		assert_int_equal(
			plm_ec2_recipe_template(&recipe, &request, &offer, &arena, &template, &err),
			PLM_E_INPUT);
		assert_string_equal(err.text, "claim p-1: the offer of m5.large names no image");
	}
}

static void a_reservation_of_others_is_refused(void **state)
{
	struct plm_w_ec2_recipe recipe = recipe_of();
	struct plm_w_req_launch request = request_of();
	struct plm_w_offer offer = offer_of("us-west-2a", "cr-others", 0);
	struct plm_ec2_template template = {0};
	struct plm_error err = {0};

	(void)state;
	plm_assert_fails(
		plm_ec2_recipe_template(&recipe, &request, &offer, &arena, &template, &err),
		PLM_E_INPUT, err, "class c does not select capacity reservation cr-others");
}

static void one_template_for_what_is_the_same(void **state)
{
	struct plm_w_offer a = offer_of("us-west-2a", "", 0);
	struct plm_w_offer b = offer_of("us-west-2b", "", 0);
	struct plm_w_offer pods = a;
	struct plm_w_offer image = a;
	struct plm_w_offer reserved = offer_of("us-west-2a", "cr-plain", 0);

	(void)state;
	b.instance_type = plm_slice_str("m5.xlarge");
	pods.pods = 58;
	image.image = 1;
	assert_true(plm_ec2_recipe_same(&a, &b));
	assert_false(plm_ec2_recipe_same(&a, &pods));
	assert_false(plm_ec2_recipe_same(&a, &image));
	assert_false(plm_ec2_recipe_same(&a, &reserved));
}

int main(void)
{
	static struct plm_tests tests;
	struct plm_error err = {0};

	plm_assert_ok(plm_arena_init(&arena, (size_t)64 << 20, &err), &err);
	PLM_TEST_ADD(&tests, bytes_come_back);
	PLM_TEST_ADD(&tests, wrong_bytes_are_refused);
	PLM_TEST_TABLE(&tests, template_row, template_table);
	PLM_TEST_ADD(&tests, addresses_of_the_cluster_are_ipv6);
	PLM_TEST_ADD(&tests, an_offer_without_image_is_refused);
	PLM_TEST_ADD(&tests, a_reservation_of_others_is_refused);
	PLM_TEST_ADD(&tests, one_template_for_what_is_the_same);
	return plm_tests_run(&tests, "ec2_recipe");
}
