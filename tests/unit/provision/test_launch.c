/* What a launch asks for, and what a refusal means: karpenter.md 2.11, 2.12, 4.5. */
#include "core/limits.h"
#include "reducers/provision/codes.h"
#include "reducers/provision/stock.h"
#include "yard.h"

#define s(text) plm_slice_str(text)
#define MINUTE 60000LL

/* ---- codes ------------------------------------------------------------------------------------- */

static const struct code_case {
	const char *code;
	const char *message;
	enum plm_launch_effect effect;
	enum plm_launch_mark mark;
	const char *reason;
} code_table[] = {
	{"InsufficientInstanceCapacity", "", PLM_LAUNCH_NO_CAPACITY, PLM_MARK_OFFERING,
	 "InsufficientCapacityError"},
	{"MaxSpotInstanceCountExceeded", "", PLM_LAUNCH_NO_CAPACITY, PLM_MARK_OFFERING,
	 "SpotQuotaExceeded"},
	{"VcpuLimitExceeded", "", PLM_LAUNCH_NO_CAPACITY, PLM_MARK_OFFERING, "VCPULimitExceeded"},
	{"UnfulfillableCapacity", "", PLM_LAUNCH_NO_CAPACITY, PLM_MARK_OFFERING,
	 "InsufficientCapacityError"},
	{"Unsupported", "", PLM_LAUNCH_NO_CAPACITY, PLM_MARK_OFFERING, "InsufficientCapacityError"},
	{"MaxFleetCountExceeded", "", PLM_LAUNCH_NO_CAPACITY, PLM_MARK_OFFERING,
	 "FleetQuotaExceeded"},
	{"SpotMaxPriceTooLow", "", PLM_LAUNCH_NO_CAPACITY, PLM_MARK_OFFERING,
	 "InsufficientCapacityError"},
	{"InsufficientFreeAddressesInSubnet", "", PLM_LAUNCH_NO_CAPACITY, PLM_MARK_ZONE,
	 "InsufficientFreeAddressesInSubnet"},
	{"ReservationCapacityExceeded", "", PLM_LAUNCH_NO_CAPACITY, PLM_MARK_RESERVATION,
	 "InsufficientCapacityError"},
	{"AuthFailure.ServiceLinkedRoleCreationNotPermitted", "", PLM_LAUNCH_NO_CAPACITY,
	 PLM_MARK_CAPACITY_TYPE, "SpotSLRCreationFailed"},
	{"InvalidLaunchTemplateName.NotFoundException", "", PLM_LAUNCH_RETRY_AT_ONCE,
	 PLM_MARK_NOTHING, "LaunchTemplateNotFound"},
	{"InvalidLaunchTemplateId.NotFound", "", PLM_LAUNCH_RETRY_AT_ONCE, PLM_MARK_NOTHING,
	 "LaunchTemplateNotFound"},
	{"UnauthorizedOperation", "", PLM_LAUNCH_RETRY, PLM_MARK_NOTHING, "Unauthorized"},
	{"AuthFailure", "Not authorized for images: [ami-1]", PLM_LAUNCH_RETRY, PLM_MARK_NOTHING,
	 "AMIAuthorizationFailure"},
	{"AuthFailure", "", PLM_LAUNCH_RETRY, PLM_MARK_NOTHING, "Unauthorized"},
	{"InvalidParameterValue",
	 "Value (x) for parameter is invalid. Invalid IAM Instance "
	 "Profile name",
	 PLM_LAUNCH_RETRY, PLM_MARK_NOTHING, "InstanceProfileNameInvalid"},
	{"InvalidParameterValue", "", PLM_LAUNCH_RETRY, PLM_MARK_NOTHING, "LaunchFailed"},
	{"InvalidUserData.Malformed", "", PLM_LAUNCH_RETRY, PLM_MARK_NOTHING,
	 "UserDataSizeLimitExceeded"},
	{"InvalidAMIID.NotFound", "", PLM_LAUNCH_RETRY, PLM_MARK_NOTHING, "AMINotFound"},
	{"InvalidAMIID.Malformed", "", PLM_LAUNCH_RETRY, PLM_MARK_NOTHING, "InvalidAMIID"},
	{"RequestLimitExceeded", "", PLM_LAUNCH_RETRY, PLM_MARK_NOTHING, "RequestLimitExceeded"},
	{"InternalError", "", PLM_LAUNCH_RETRY, PLM_MARK_NOTHING, "InternalError"},
	{"PendingVerification", "", PLM_LAUNCH_RETRY, PLM_MARK_NOTHING,
	 "AccountPendingVerification"},
	{"SomethingNew", "", PLM_LAUNCH_RETRY, PLM_MARK_NOTHING, "LaunchFailed"},
};

static void code_row(const struct code_case *row)
{
	const struct plm_launch_code *code = plm_launch_code(s(row->code), s(row->message));

	assert_int_equal(code->effect, row->effect);
	assert_int_equal(code->mark, row->mark);
	assert_string_equal(code->reason, row->reason);
}
PLM_TEST_ROWS(code_row, struct code_case)

/* ---- what is remembered ------------------------------------------------------------------------ */

/* 'offer' of the yard: is it out after 'code' was said of (small, a, on-demand)? */
static const struct cover_case {
	const char *code;
	bool same, other_type, other_zone;
} cover_table[] = {
	{"InsufficientInstanceCapacity", true, false, false},
	{"InsufficientFreeAddressesInSubnet", true, true, false},
	{"AuthFailure.ServiceLinkedRoleCreationNotPermitted", true, true, true},
	{"UnauthorizedOperation", false, false, false},
};

static bool is_out(struct yard *y, const char *type, const char *zone)
{
	struct plm_offering offering = {.zone = plm_intern(&y->st, s(zone)),
					.capacity_type = plm_intern(&y->st, s("on-demand"))};

	return plm_stock_is_out(&y->st, plm_intern(&y->st, s(type)), &offering, y->now_ms);
}

static void cover_row(const struct cover_case *row)
{
	void *state = NULL;
	struct yard *y = NULL;
	struct plm_w_refusal refusal = {s("small"), s("a"), s("on-demand"), s(""), s(row->code)};

	assert_int_equal(yard_open(&state), 0);
	y = state;
	plm_stock_note(&y->st, &refusal, s(""), y->now_ms);
	assert_int_equal(is_out(y, "small", "a"), row->same);
	assert_int_equal(is_out(y, "large", "a"), row->other_type);
	assert_int_equal(is_out(y, "small", "b"), row->other_zone);
	yard_at(y, 3 * MINUTE);
	assert_false(is_out(y, "small", "a"));
	assert_int_equal(yard_close(&state), 0);
}
PLM_TEST_ROWS(cover_row, struct cover_case)

static const struct memory_case {
	const char *why;
	enum plm_compat compat;
	int64_t minutes
		[5]; /* how long the first to fifth refusal count, each just after the last */
} memory_table[] = {
	{"twice as long each time", PLM_COMPAT_BETTER, {3, 6, 12, 24, 24}},
	{"upstream forgets", PLM_COMPAT_STRICT, {3, 3, 3, 3, 3}},
};

static void memory_row(const struct memory_case *row)
{
	void *state = NULL;
	struct yard *y = NULL;
	struct plm_w_refusal refusal = {s("small"), s("a"), s("on-demand"), s(""), s("")};
	int64_t at = 0;

	assert_int_equal(yard_open(&state), 0);
	y = state;
	y->config.compat = row->compat;
	yard_fold(y, PLM_EV_CONFIG, &y->config);
	for (size_t i = 0; i < PLM_COUNTOF(row->minutes); i++) {
		plm_stock_note(&y->st, &refusal, s("InsufficientInstanceCapacity"), y->now_ms);
		plm_stock_note(&y->st, &refusal, s("InsufficientInstanceCapacity"), y->now_ms);
		assert_int_equal(plm_stock_next_due(&y->st), y->now_ms + row->minutes[i] * MINUTE);
		at += row->minutes[i] * MINUTE;
		yard_at(y, at);
		assert_false(is_out(y, "small", "a"));
	}
	plm_stock_had(&y->st, plm_intern(&y->st, s("small")), plm_intern(&y->st, s("a")),
		      plm_intern(&y->st, s("on-demand")));
	assert_int_equal(plm_stock_out_live(&y->st), 0); /* there was one: all is well again */
	assert_int_equal(yard_close(&state), 0);
}
PLM_TEST_ROWS(memory_row, struct memory_case)

/* ---- filters ----------------------------------------------------------------------------------- */

/* One offering of a catalogue row: "type/zone/capacity type" at a price. */
struct sold {
	const char *type, *capacity_type, *reservation, *market;
	int64_t price, left;
};

static const struct choice_case {
	const char *why;
	struct sold sold[6];
	int64_t gpus, min_types; /* of the pod; minValues on the type */
	const char *asked;	 /* the offers' types, cheapest first, with commas */
	const char *strategy;
} choice_table[] = {
	{"on demand, lowest price",
	 {{"t1", "on-demand", "", "", 10, 0}, {"t2", "on-demand", "", "", 5, 0}},
	 0,
	 0,
	 "t2,t1",
	 "lowest-price"},
	{"spot before on demand",
	 {{"t1", "on-demand", "", "", 10, 0}, {"t1", "spot", "", "", 9, 0}},
	 0,
	 0,
	 "t1",
	 "price-capacity-optimized"},
	{"dear spot goes, an equal price stays",
	 {{"t1", "on-demand", "", "", 10, 0},
	  {"t1", "spot", "", "", 10, 0},
	  {"t2", "spot", "", "", 11, 0},
	  {"t3", "spot", "", "", 4, 0}},
	 0,
	 0,
	 "t3,t1",
	 "price-capacity-optimized"},
	{"minValues keep dear spot",
	 {{"t1", "on-demand", "", "", 10, 0},
	  {"t1", "spot", "", "", 9, 0},
	  {"t2", "spot", "", "", 11, 0}},
	 0,
	 2,
	 "t1,t2",
	 "price-capacity-optimized"},
	{"accelerators that nobody asked for",
	 {{"g1", "on-demand", "", "", 1, 0}, {"t1", "on-demand", "", "", 10, 0}},
	 0,
	 0,
	 "t1",
	 "lowest-price"},
	{"accelerators that somebody asked for",
	 {{"g1", "on-demand", "", "", 1, 0}, {"t1", "on-demand", "", "", 10, 0}},
	 1,
	 0,
	 "g1",
	 "lowest-price"},
	{"a reservation before everything",
	 {{"t1", "on-demand", "", "", 10, 0},
	  {"t2", "reserved", "r1", "default", 1, 2},
	  {"t1", "spot", "", "", 2, 0}},
	 0,
	 0,
	 "t2",
	 "lowest-price"},
	{"of two reservations in a zone the one with more room",
	 {{"t2", "reserved", "r1", "default", 1, 2}, {"t2", "reserved", "r2", "default", 1, 5}},
	 0,
	 0,
	 "t2:r2",
	 "lowest-price"},
	{"the default market on a tie",
	 {{"t1", "reserved", "r1", "capacity-block", 1, 2},
	  {"t2", "reserved", "r2", "default", 1, 5}},
	 0,
	 0,
	 "t2:r2",
	 "lowest-price"},
	{"one capacity block",
	 {{"t1", "reserved", "r1", "capacity-block", 1, 2},
	  {"t2", "reserved", "r2", "capacity-block", 2, 5}},
	 0,
	 0,
	 "t1:r1",
	 "lowest-price"},
};

static struct plm_vec keep(struct yard *y, const void *list, size_t count, size_t size)
{
	void *mine = plm_arena_array(&y->texts, count, size);

	memcpy(mine, list, count * size);
	return (struct plm_vec){mine, count};
}

static struct plm_w_expr in(struct yard *y, const char *key, const char *value)
{
	struct plm_slice one = s(value);

	return (struct plm_w_expr){
		.key = s(key), .op = PLM_OP_IN, .values = keep(y, &one, 1, sizeof(one))};
}

static struct plm_w_offering offering(struct yard *y, const struct sold *sold)
{
	struct plm_w_expr market =
		in(y, "karpenter.k8s.aws/capacity-reservation-type", sold->market);

	return (struct plm_w_offering){
		.zone = s("a"),
		.capacity_type = s(sold->capacity_type),
		.reservation = s(sold->reservation),
		.price_micro = sold->price,
		.available = 1,
		.reserved_left = sold->reservation[0] != '\0' ? sold->left : PLM_UNSET,
		.requirements = keep(y, &market, sold->market[0] != '\0', sizeof(market)),
	};
}

static void sell_part(struct yard *y, const struct sold *sold, bool part)
{
	static const char *const names[] = {"g1", "t1", "t2", "t3"};
	struct plm_w_instance_type types[4];
	struct plm_w_catalog catalog = {.region = s("r"), .part = part};
	size_t count = 0;

	for (size_t n = 0; n < PLM_COUNTOF(names); n++) {
		struct plm_w_offering offers[6];
		size_t has = 0;
		struct plm_w_amount amounts[3] = {
			{s("cpu"), 8000}, {s("nvidia.com/gpu"), n == 0 ? 4 : 0}, {s("pods"), 20}};
		struct plm_w_expr type = in(y, "node.kubernetes.io/instance-type", names[n]);

		for (size_t i = 0; i < 6 && sold[i].type != NULL; i++) {
			if (strcmp(sold[i].type, names[n]) == 0) {
				offers[has++] = offering(y, &sold[i]);
			}
		}
		if (has > 0) {
			types[count++] = (struct plm_w_instance_type){
				.name = s(names[n]),
				.requirements = keep(y, &type, 1, sizeof(type)),
				.capacity = keep(y, amounts, 3, sizeof(*amounts)),
				.allocatable = keep(y, amounts, 3, sizeof(*amounts)),
				.offerings = keep(y, offers, has, sizeof(*offers))};
		}
	}
	catalog.types = (struct plm_vec){types, count};
	yard_fold(y, PLM_EV_CATALOG, &catalog);
}

static void sell(struct yard *y, const struct sold *sold)
{
	sell_part(y, sold, false);
}

static const char *asked(struct yard *y, const struct plm_w_req_launch *launch, bool reservations)
{
	const struct plm_w_offer *offers = launch->offers.ptr;
	struct plm_slice text = {0};

	for (size_t i = 0; i < launch->offers.count; i++) {
		text = plm_arena_format(
			&y->texts, "%.*s%s%.*s%s%.*s", (int)text.size, (const char *)text.ptr,
			i > 0 ? "," : "", (int)offers[i].instance_type.size,
			(const char *)offers[i].instance_type.ptr, reservations ? ":" : "",
			reservations ? (int)offers[i].reservation.size : 0,
			(const char *)offers[i].reservation.ptr);
	}
	return (const char *)text.ptr;
}

static void choice_row(const struct choice_case *row)
{
	void *state = NULL;
	struct yard *y = NULL;
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_expr reqs[2] = {{.key = s("karpenter.sh/capacity-type"), .op = PLM_OP_EXISTS},
				     {.key = s("node.kubernetes.io/instance-type"),
				      .op = PLM_OP_EXISTS,
				      .min_values = row->min_types}};
	const struct plm_w_req_launch *launch = NULL;

	assert_int_equal(yard_open(&state), 0);
	y = state;
	y->config.compat = PLM_COMPAT_STRICT;
	yard_fold(y, PLM_EV_CONFIG, &y->config);
	sell(y, row->sold);
	pool.requirements = (struct plm_vec){reqs, row->min_types > 0 ? 2 : 1};
	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 1000, row->gpus);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	launch = yard_request(y, PLM_CALL_LAUNCH, 0);
	assert_string_equal(asked(y, launch, strchr(row->asked, ':') != NULL), row->asked);
	plm_assert_text(launch->strategy, row->strategy);
	plm_assert_text(launch->tenancy, "default");
	assert_int_equal(yard_close(&state), 0);
}
PLM_TEST_ROWS(choice_row, struct choice_case)

/* A reservation that is being bought from is not counted on twice. */
static void a_reservation_is_used_up(void **state)
{
	struct yard *y = *state;
	static const struct sold sold[6] = {{"t1", "reserved", "r1", "default", 1, 1},
					    {"t1", "on-demand", "", "", 10, 0}};
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_expr any = {.key = s("karpenter.sh/capacity-type"), .op = PLM_OP_EXISTS};
	const struct plm_w_req_launch *launch = NULL;

	pool.requirements = (struct plm_vec){&any, 1};
	sell(y, sold);
	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 7000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	launch = yard_request(y, PLM_CALL_LAUNCH, 0);
	plm_assert_text(((const struct plm_w_offer *)launch->offers.ptr)->reservation, "r1");
	yard_add_pod(y, "p1", 7000, 0);
	yard_at(y, 1000);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_intents(y, PLM_CALL_LAUNCH), 0); /* it waits for the reservation */
}

/* What a plan buys follows the newest catalogue, of which a part may come alone. */
static void prices_change(void **state)
{
	struct yard *y = *state;
	static const struct sold before[6] = {{"t1", "on-demand", "", "", 10, 0},
					      {"t2", "on-demand", "", "", 20, 0}};
	static const struct sold cheaper[6] = {{"t2", "on-demand", "", "", 5, 0}};
	static const struct sold stranger[6] = {{"t3", "on-demand", "", "", 1, 0}};
	struct plm_w_node_pool pool = yard_pool("pool");

	sell(y, before);
	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 7000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	assert_string_equal(asked(y, yard_request(y, PLM_CALL_LAUNCH, 0), false), "t1,t2");
	sell_part(y, cheaper, true);
	sell_part(y, stranger, true); /* of a type that there is not: no news */
	assert_int_equal(plm_instance_type_live(&y->st), 2);
	yard_add_pod(y, "p1", 7000, 0);
	yard_at(y, 1000);
	yard_run(y, plm_provision_step);
	assert_string_equal(asked(y, yard_request(y, PLM_CALL_LAUNCH, 0), false), "t2,t1");
	sell(y, stranger);
	assert_int_equal(plm_instance_type_live(&y->st), 1);
	yard_add_pod(y, "p2", 7000, 0);
	yard_at(y, 2000);
	yard_run(y, plm_provision_step);
	assert_string_equal(asked(y, yard_request(y, PLM_CALL_LAUNCH, 0), false), "t3");
}

/* A launch names 60 types: with more values asked for than they have there is nothing to buy, once for all. */
static void too_many_values_buy_nothing(void **state)
{
	struct yard *y = *state;
	static const struct sold sold = {"", "on-demand", "", "", 10, 0};
	struct plm_w_instance_type types[PLM_LIMIT_LAUNCH_TYPES + 1];
	struct plm_w_amount amounts[2] = {{s("cpu"), 8000}, {s("pods"), 20}};
	struct plm_w_catalog catalog = {.region = s("r"), .types = {types, PLM_COUNTOF(types)}};
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_w_expr many = {.key = s("node.kubernetes.io/instance-type"),
				  .op = PLM_OP_EXISTS,
				  .min_values = PLM_COUNTOF(types)};
	struct plm_w_offering offer = offering(y, &sold);
	const struct plm_w_explained *said = NULL;

	for (size_t i = 0; i < PLM_COUNTOF(types); i++) {
		struct plm_slice name = plm_arena_format(&y->texts, "t%02zu", i);
		struct plm_w_expr type =
			in(y, "node.kubernetes.io/instance-type", (const char *)name.ptr);

		types[i] = (struct plm_w_instance_type){
			.name = name,
			.requirements = keep(y, &type, 1, sizeof(type)),
			.capacity = keep(y, amounts, 2, sizeof(*amounts)),
			.allocatable = keep(y, amounts, 2, sizeof(*amounts)),
			.offerings = keep(y, &offer, 1, sizeof(offer))};
	}
	yard_fold(y, PLM_EV_CATALOG, &catalog);
	pool.requirements = (struct plm_vec){&many, 1};
	yard_add_pool(y, &pool);
	yard_add_pod(y, "p0", 1000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), 0);
	assert_int_equal(yard_count(y, PLM_EV_NOMINATE), 0);
	assert_int_equal(yard_intents(y, PLM_CALL_LAUNCH), 0);
	said = yard_event(y, PLM_EV_EXPLAINED, 0);
	assert_int_equal(said->why.rule, PLM_RULE_MIN_VALUES);
	plm_assert_text(said->why.detail, "node.kubernetes.io/instance-type");
	yard_at(y, 1000);
	yard_run(y, plm_provision_step);
	assert_int_equal(y->out.count, 0);
	many.min_values--;
	yard_add_pool(y, &pool);
	yard_at(y, 2000);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_intents(y, PLM_CALL_LAUNCH), 1);
}

#define WITH_YARD(function) cmocka_unit_test_setup_teardown(function, yard_open, yard_close)

int main(void)
{
	static struct plm_tests tests;
	static const struct CMUnitTest stories[] = {
		WITH_YARD(a_reservation_is_used_up),
		WITH_YARD(prices_change),
		WITH_YARD(too_many_values_buy_nothing),
	};

	for (size_t i = 0; i < PLM_COUNTOF(stories); i++) {
		tests.list[tests.count++] = stories[i];
	}
	PLM_TEST_TABLE(&tests, code_row, code_table);
	PLM_TEST_TABLE(&tests, cover_row, cover_table);
	PLM_TEST_TABLE(&tests, memory_row, memory_table);
	PLM_TEST_TABLE(&tests, choice_row, choice_table);
	return plm_tests_run(&tests, "launch");
}
