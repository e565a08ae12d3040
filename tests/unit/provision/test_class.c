/* What a node class came to in the cloud, and what that leaves of its pools: class_use.h. */
#include "yard.h"

#define s(text) plm_slice_str(text)
#define MINUTE 60000LL

/* Only zone b has a subnet; images for "gpu" and for "small". */
struct looked_up {
	struct plm_w_class_subnet subnets[1];
	struct plm_slice types[2];
	struct plm_w_expr meets[2];
	struct plm_w_class_image images[2];
	struct plm_w_class_status status;
};

static void look_up(struct looked_up *l)
{
	*l = (struct looked_up){
		.subnets = {{s("subnet-b"), s("b"), s("use1-az2")}},
		.types = {s("gpu"), s("small")},
	};
	for (size_t i = 0; i < 2; i++) {
		l->meets[i] = (struct plm_w_expr){.key = s("node.kubernetes.io/instance-type"),
						  .op = PLM_OP_IN,
						  .values = {&l->types[i], 1}};
		l->images[i] =
			(struct plm_w_class_image){.id = i == 0 ? s("ami-gpu") : s("ami-small"),
						   .name = s("image"),
						   .requirements = {&l->meets[i], 1}};
	}
	l->status = (struct plm_w_class_status){
		.kind = PLM_KIND_NODE_TEMPLATE,
		.name = s("class"),
		.uid = s("class"),
		.subnets = {l->subnets, 1},
		.images = {l->images, 2},
		.recipe = s("recipe"),
	};
}

static void tell(struct yard *y, const struct looked_up *l)
{
	yard_fold(y, PLM_EV_CLASS_STATUS, &l->status);
}

/* A pod of 1 cpu (or with a GPU) in a pool of the yard's class. */
static void ask(struct yard *y, int64_t gpus)
{
	struct plm_w_node_pool pool = yard_pool("pool");

	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 1000, gpus);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
}

static const struct plm_w_explain *why(const struct yard *y)
{
	return &((const struct plm_w_explained *)yard_event(y, PLM_EV_EXPLAINED, 0))->why;
}

static void a_launch_is_by_what_was_looked_up(void **state)
{
	struct yard *y = *state;
	struct looked_up l;
	const struct plm_w_req_launch *launch = NULL;
	const struct plm_w_offer *offer = NULL;

	look_up(&l);
	tell(y, &l);
	ask(y, 0);
	launch = yard_request(y, PLM_CALL_LAUNCH, 0);
	/* Neither "large", for which there is no image, nor zone a. */
	assert_true(launch->offers.count >= 1);
	offer = launch->offers.ptr;
	for (size_t i = 0; i < launch->offers.count; i++) {
		assert_true(plm_slice_is(offer[i].zone, "b"));
		assert_false(plm_slice_is(offer[i].instance_type, "large"));
		assert_int_equal(offer[i].pods, 20);
	}
	assert_true(plm_slice_is(offer[0].instance_type, "small"));
	assert_int_equal(offer[0].image, 0);
	assert_true(plm_slice_is(((const struct plm_slice *)launch->images.ptr)[0], "ami-small"));
	assert_true(plm_slice_is(launch->recipe, "recipe"));
	assert_int_equal(launch->efa, 0);
}

static void the_next_launch_is_by_the_class_as_it_is_then(void **state)
{
	struct yard *y = *state;
	struct looked_up l;
	const struct plm_w_req_launch *launch = NULL;

	ask(y, 0);
	launch = yard_request(y, PLM_CALL_LAUNCH, 0);
	assert_int_equal(launch->recipe.size, 0);
	assert_int_equal(((const struct plm_w_offer *)launch->offers.ptr)[0].image, PLM_UNSET);
	assert_true(plm_slice_is(((const struct plm_w_offer *)launch->offers.ptr)[0].zone, "a"));
	yard_refused(y, (const char *)launch->claim.ptr, "small", "a");
	look_up(&l);
	tell(y, &l);
	yard_at(y, MINUTE);
	yard_run(y, plm_claims_step);
	launch = yard_request(y, PLM_CALL_LAUNCH, 0);
	assert_true(plm_slice_is(launch->recipe, "recipe"));
	assert_true(plm_slice_is(((const struct plm_w_offer *)launch->offers.ptr)[0].zone, "b"));
	assert_int_equal(((const struct plm_w_offer *)launch->offers.ptr)[0].image, 0);
}

static void a_class_that_was_not_looked_up_waits(void **state)
{
	struct yard *y = *state;
	struct looked_up l;

	y->config.class_status = 1;
	yard_fold(y, PLM_EV_CONFIG, &y->config);
	ask(y, 0);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 0);
	assert_int_equal(why(y)->rule, PLM_RULE_POOL_NOT_READY);
	assert_true(plm_slice_is(why(y)->detail, "its class has not been looked up yet"));
	look_up(&l);
	l.status.class_hash = s("of another class");
	tell(y, &l);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 0);
	look_up(&l);
	tell(y, &l);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
}

static void what_the_cloud_says_makes_the_pool_unusable(void **state)
{
	struct yard *y = *state;
	struct looked_up l;

	look_up(&l);
	l.status.not_ready = s("SubnetsNotFound: no subnet matches");
	tell(y, &l);
	ask(y, 0);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 0);
	assert_int_equal(why(y)->rule, PLM_RULE_POOL_NOT_READY);
	assert_true(plm_slice_is(why(y)->detail, "SubnetsNotFound: no subnet matches"));
}

/* The class's own condition is what we wrote of it: the cloud has the last word. */
static void an_echo_of_the_condition_does_not_count(void **state)
{
	struct yard *y = *state;
	struct looked_up l;
	struct plm_w_node_class class = {.meta = yard_meta("", "class"),
					 .kind = PLM_KIND_NODE_TEMPLATE,
					 .not_ready = s("condition Ready is not True"),
					 .by_condition = 1};

	yard_fold(y, PLM_EV_NODE_CLASS, &class);
	ask(y, 0);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 0);
	look_up(&l);
	tell(y, &l);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 1);
}

static void a_type_without_an_image_is_explained(void **state)
{
	struct yard *y = *state;
	struct looked_up l;

	look_up(&l);
	l.status.images.count = 0;
	tell(y, &l);
	ask(y, 0);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 0);
	assert_int_equal(why(y)->rule, PLM_RULE_IMAGES);
}

static void a_zone_without_a_subnet_is_explained(void **state)
{
	struct yard *y = *state;
	struct looked_up l;
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_pod pod = yard_pod(y, "p0", 1000, 0);
	struct plm_w_kv zone = {s("topology.kubernetes.io/zone"), s("a")};

	look_up(&l);
	tell(y, &l);
	yard_add_pool(y, &pool);
	pod.shape.node_selector = (struct plm_vec){&zone, 1};
	yard_fold(y, PLM_EV_POD, &pod);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 0);
	assert_int_equal(why(y)->rule, PLM_RULE_SUBNETS);
}

/* A spread over zones counts those with a subnet only. */
static void domains_are_those_with_a_subnet(void **state)
{
	struct yard *y = *state;
	struct looked_up l;
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_kv app = {s("app"), s("web")};
	struct plm_slice value = s("web");
	struct plm_w_expr is_web = {.key = s("app"), .op = PLM_OP_IN, .values = {&value, 1}};
	struct plm_w_spread spread = {.topology_key = s("topology.kubernetes.io/zone"),
				      .when = PLM_SPREAD_DO_NOT_SCHEDULE,
				      .selector = {.present = 1, .exprs = {&is_web, 1}},
				      .max_skew = 1,
				      .min_domains = PLM_UNSET};

	look_up(&l);
	tell(y, &l);
	yard_add_pool(y, &pool);
	for (int i = 0; i < 3; i++) {
		struct plm_w_pod pod = yard_pod(y, i == 0 ? "p0" : (i == 1 ? "p1" : "p2"), 1000, 0);

		pod.meta.labels = (struct plm_vec){&app, 1};
		pod.shape.spread = (struct plm_vec){&spread, 1};
		yard_fold(y, PLM_EV_POD, &pod);
	}
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_EXPLAINED), 0);
	assert_true(yard_count(y, PLM_EV_CLAIM) >= 1);
}

/* "small" in zone b, reserved for less than on demand. */
static void sell_reserved(struct yard *y)
{
	static struct plm_slice name, zone;
	static struct plm_w_expr type[2];
	static struct plm_w_amount room[2];
	static struct plm_w_offering offers[2];
	static struct plm_w_instance_type small;
	struct plm_w_catalog catalog = {.region = s("r"), .types = {&small, 1}};

	name = s("small");
	zone = s("b");
	type[0] = (struct plm_w_expr){.key = s("node.kubernetes.io/instance-type"),
				      .op = PLM_OP_IN,
				      .values = {&name, 1}};
	type[1] = (struct plm_w_expr){
		.key = s("topology.kubernetes.io/zone"), .op = PLM_OP_IN, .values = {&zone, 1}};
	room[0] = (struct plm_w_amount){s("cpu"), 8000};
	room[1] = (struct plm_w_amount){s("pods"), 20};
	offers[0] = (struct plm_w_offering){.zone = zone,
					    .capacity_type = s("on-demand"),
					    .price_micro = 2,
					    .available = 1,
					    .reserved_left = PLM_UNSET};
	offers[1] = offers[0];
	offers[1].capacity_type = s("reserved");
	offers[1].reservation = s("cr-1");
	offers[1].price_micro = 1;
	offers[1].reserved_left = 5;
	small = (struct plm_w_instance_type){.name = name,
					     .requirements = {type, 2},
					     .capacity = {room, 2},
					     .allocatable = {room, 2},
					     .offerings = {offers, 2}};
	yard_fold(y, PLM_EV_CATALOG, &catalog);
}

/* A reservation is somebody's: a class that selects none buys by the hour. */
static void reserved_capacity_is_for_classes_that_select_it(void **state)
{
	static const char *const bought[] = {"on-demand", "reserved"};
	const struct plm_w_class_reservation reservation = {.id = s("cr-1")};

	(void)state;
	for (size_t selects = 0; selects < 2; selects++) {
		void *own = NULL;
		struct yard *y = NULL;
		struct looked_up l;
		struct plm_w_node_pool pool = yard_pool("pool");
		const struct plm_w_req_launch *launch = NULL;

		assert_int_equal(yard_open(&own), 0);
		y = own;
		sell_reserved(y);
		look_up(&l);
		l.status.reservations = (struct plm_vec){&reservation, selects};
		tell(y, &l);
		pool.dialect = 0;
		yard_add_pool(y, &pool);
		yard_add_pod(y, "p0", 1000, 0);
		yard_at(y, 0);
		yard_run(y, plm_provision_step);
		launch = yard_request(y, PLM_CALL_LAUNCH, 0);
		assert_true(plm_slice_is(
			((const struct plm_w_offer *)launch->offers.ptr)[0].capacity_type,
			bought[selects]));
		assert_int_equal(yard_close(&own), 0);
	}
}

#define WITH_YARD(function) cmocka_unit_test_setup_teardown(function, yard_open, yard_close)

int main(void)
{
	static struct plm_tests tests;
	static const struct CMUnitTest stories[] = {
		WITH_YARD(a_launch_is_by_what_was_looked_up),
		cmocka_unit_test(reserved_capacity_is_for_classes_that_select_it),
		WITH_YARD(the_next_launch_is_by_the_class_as_it_is_then),
		WITH_YARD(a_class_that_was_not_looked_up_waits),
		WITH_YARD(what_the_cloud_says_makes_the_pool_unusable),
		WITH_YARD(an_echo_of_the_condition_does_not_count),
		WITH_YARD(a_type_without_an_image_is_explained),
		WITH_YARD(a_zone_without_a_subnet_is_explained),
		WITH_YARD(domains_are_those_with_a_subnet),
	};

	for (size_t i = 0; i < PLM_COUNTOF(stories); i++) {
		tests.list[tests.count++] = stories[i];
	}
	return plm_tests_run(&tests, "class");
}
