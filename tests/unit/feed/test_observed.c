#include "feed.h"

#include "plm_test.h"

#include "adapters/catalog/catalog.h"
#include "adapters/ec2/observed.h"
#include "codec/codec.h"
#include "core/limits.h"

#include <stdio.h>
#include <stdlib.h>

static struct plm_arena arena, known;
static struct plm_w_catalog builtin;
static struct plm_ec2_sheet sheets[PLM_EC2_SEEN_COUNT];
static struct plm_ec2_observed observed;

static void see(enum plm_ec2_sheet_kind kind, const char *xml)
{
	plm_ec2_sheet_fini(&sheets[kind]);
	plm_ec2_sheet_init(&sheets[kind], kind);
	if (kind == PLM_EC2_SEEN_DEMAND) {
		feed_read_json(&sheets[kind], xml, "USD");
	} else {
		feed_read(&sheets[kind], xml);
	}
	plm_ec2_sheet_close(&sheets[kind]);
	observed.sheets[kind] = &sheets[kind];
}

static int set_up(void **state)
{
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_arena_init(&arena, PLM_LIMIT_EC2_CATALOG_ARENA, &err), &err);
	plm_assert_ok(plm_arena_init(&known, PLM_CATALOG_ARENA_BYTES, &err), &err);
	plm_assert_ok(plm_catalog_builtin("us-west-2", &known, &builtin, &err), &err);
	observed = (struct plm_ec2_observed){
		.fallback = &builtin, .region = plm_slice_str("us-west-2"), .now_ms = 1000};
	return 0;
}

static void tear_down(void)
{
	for (unsigned i = 0; i < PLM_EC2_SEEN_COUNT; i++) {
		plm_ec2_sheet_fini(&sheets[i]);
	}
	plm_arena_fini(&arena);
	plm_arena_fini(&known);
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

static const struct plm_w_offering *offer(const struct plm_w_catalog *catalog, const char *name,
					  const char *zone, const char *capacity_type)
{
	const struct plm_w_instance_type *type = find(catalog, name);
	const struct plm_w_offering *list = type == NULL ? NULL : type->offerings.ptr;

	for (size_t i = 0; type != NULL && i < type->offerings.count; i++) {
		if (plm_slice_is(list[i].zone, zone) &&
		    plm_slice_is(list[i].capacity_type, capacity_type)) {
			return &list[i];
		}
	}
	return NULL;
}

/* What a type requires of 'key', with a comma between. */
static const char *required(const struct plm_w_instance_type *type, const char *key)
{
	static char text[256];
	const struct plm_w_expr *list = type->requirements.ptr;

	text[0] = '\0';
	for (size_t i = 0; i < type->requirements.count; i++) {
		const struct plm_slice *values = list[i].values.ptr;

		for (size_t v = 0; plm_slice_is(list[i].key, key) && v < list[i].values.count;
		     v++) {
			(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%.*s",
				       v == 0 ? "" : ",", (int)values[v].size,
				       (const char *)values[v].ptr);
		}
	}
	return text;
}

static void nothing_known_is_the_builtin(void **state)
{
	struct plm_w_catalog out;
	const struct plm_w_instance_type *have = NULL;
	const struct plm_w_instance_type *want = NULL;

	(void)set_up(state);
	plm_ec2_observed_catalog(&observed, &arena, &out);
	have = out.types.ptr;
	want = builtin.types.ptr;
	assert_int_equal(out.types.count, builtin.types.count);
	for (size_t i = 0; i < out.types.count; i++) {
		plm_assert_text(have[i].name, (const char *)want[i].name.ptr);
		assert_int_equal(have[i].requirements.count, want[i].requirements.count);
		assert_int_equal(have[i].offerings.count, want[i].offerings.count);
		assert_int_equal(
			((const struct plm_w_offering *)have[i].offerings.ptr)->price_micro,
			((const struct plm_w_offering *)want[i].offerings.ptr)->price_micro);
	}
	tear_down();
}

#define OFFER(type, zone)                                                                          \
	"<item><instanceType>" type "</instanceType><location>" zone "</location></item>"
#define SPOT(type, zone, price)                                                                    \
	"<item><instanceType>" type "</instanceType><availabilityZone>" zone                       \
	"</availabilityZone><spotPrice>" price                                                     \
	"</spotPrice><timestamp>2026-01-01T00:00:00.000Z</timestamp></item>"
#define OFFERS(items) "<instanceTypeOfferingSet>" items "</instanceTypeOfferingSet>"
#define SPOTS(items) "<spotPriceHistorySet>" items "</spotPriceHistorySet>"
#define ZONES                                                                                      \
	"<availabilityZoneInfo><item><zoneName>us-west-2a</zoneName><zoneId>usw2-az2</zoneId>"     \
	"</item><item><zoneName>us-west-2b</zoneName><zoneId>usw2-az1</zoneId></item>"             \
	"</availabilityZoneInfo>"
#define DEMAND                                                                                     \
	"{\"PriceList\":[\"{\\\"product\\\":{\\\"attributes\\\":{\\\"instanceType\\\":"            \
	"\\\"m5.large\\\"}},\\\"terms\\\":{\\\"OnDemand\\\":{\\\"a\\\":{"                          \
	"\\\"priceDimensions\\\":{\\\"b\\\":{\\\"pricePerUnit\\\":{\\\"USD\\\":"                   \
	"\\\"0.1000000000\\\"}}}}}}}\"]}"

/* All types of 'types.xml', on offer in two zones. */
static void see_types(void)
{
	char *text = feed_file("types.xml");
	const char *list = strstr(text, "<instanceTypeSet>");
	char *end = strstr(text, "</DescribeInstanceTypesResponse>");

	assert_non_null(list);
	*end = '\0';
	see(PLM_EC2_SEEN_TYPES, list);
	free(text);
}

static void what_is_seen_counts(void **state)
{
	const struct plm_w_offering *one = NULL;
	struct plm_w_catalog out;

	(void)set_up(state);
	see_types();
	see(PLM_EC2_SEEN_ZONES, ZONES);
	see(PLM_EC2_SEEN_OFFERS,
	    OFFERS(OFFER("m5.large", "us-west-2a") OFFER("m5.large", "us-west-2b")
			   OFFER("t4g.nano", "us-west-2z")));
	see(PLM_EC2_SEEN_SPOT, SPOTS(SPOT("m5.large", "us-west-2a", "0.04")));
	see(PLM_EC2_SEEN_DEMAND, DEMAND);
	plm_ec2_observed_catalog(&observed, &arena, &out);
	plm_assert_text(out.source, "ec2");
	assert_int_equal(out.types.count, 2); /* the others are offered nowhere */
	one = offer(&out, "m5.large", "us-west-2a", "on-demand");
	assert_int_equal(one->price_micro, 100000);
	assert_int_equal(one->estimated, 0);
	one = offer(&out, "m5.large", "us-west-2a", "spot");
	assert_int_equal(one->price_micro, 40000);
	assert_int_equal(one->estimated, 0);
	one = offer(&out, "m5.large", "us-west-2b", "spot"); /* what the table saw in the region */
	assert_int_equal(one->price_micro,
			 offer(&builtin, "m5.large", "us-west-2b", "spot")->price_micro);
	assert_int_equal(one->estimated, 1);
	assert_string_equal(required(find(&out, "m5.large"), "topology.k8s.aws/zone-id"),
			    "usw2-az1,usw2-az2");
	assert_string_equal(required(find(&out, "m5.large"), "topology.kubernetes.io/zone"),
			    "us-west-2a,us-west-2b");
	one = offer(&out, "t4g.nano", "us-west-2z",
		    "on-demand"); /* a zone without an id; no price */
	assert_int_equal(one->price_micro, 4200);
	assert_int_equal(one->estimated, 1);
	assert_int_equal(one->requirements.count, 0);
	observed.strict = true;
	plm_ec2_observed_catalog(&observed, &arena, &out);
	assert_int_equal(offer(&out, "m5.large", "us-west-2b", "spot")->price_micro, PLM_UNSET);
	tear_down();
}

static void a_guess_follows_the_price_on_demand(void **state)
{
	struct plm_w_catalog out;

	(void)set_up(state);
	observed.fallback = NULL;
	observed.region = plm_slice_str("ap-nowhere-1"); /* which the table does not know */
	see_types();
	see(PLM_EC2_SEEN_OFFERS, OFFERS(OFFER("m5.large", "ap-nowhere-1a")));
	see(PLM_EC2_SEEN_DEMAND, DEMAND);
	plm_ec2_observed_catalog(&observed, &arena, &out);
	assert_int_equal(out.types.count, 1);
	assert_int_equal(offer(&out, "m5.large", "ap-nowhere-1a", "spot")->price_micro, 36000);
	assert_int_equal(offer(&out, "m5.large", "ap-nowhere-1a", "spot")->estimated, 1);
	tear_down();
}

#define RESERVATION(id, type, zone, left, more)                                                    \
	"<item><capacityReservationId>" id "</capacityReservationId><instanceType>" type           \
	"</instanceType><availabilityZone>" zone                                                   \
	"</availabilityZone><state>active</state><availableInstanceCount>" left                    \
	"</availableInstanceCount>" more "</item>"
#define RESERVATIONS(items) "<capacityReservationSet>" items "</capacityReservationSet>"

static void reservations_are_offerings(void **state)
{
	const struct plm_w_offering *one = NULL;
	const struct plm_w_instance_type *type = NULL;
	struct plm_w_catalog out;

	(void)set_up(state);
	see(PLM_EC2_SEEN_DEMAND, DEMAND);
	see(PLM_EC2_SEEN_RESERVATIONS,
	    RESERVATIONS(RESERVATION("cr-1", "m5.large", "us-west-2a", "3", "")
				 RESERVATION("cr-2", "m5.large", "us-west-2b", "0",
					     "<reservationType>capacity-block</reservationType>"
					     "<endDate>2026-01-01T00:00:00.000Z</endDate>")
					 RESERVATION("cr-3", "m5.large", "us-west-2z", "1", "")));
	plm_ec2_observed_catalog(&observed, &arena, &out);
	type = find(&out, "m5.large");
	one = offer(&out, "m5.large", "us-west-2a", "reserved");
	plm_assert_text(one->reservation, "cr-1");
	assert_int_equal(one->reserved_left, 3);
	assert_int_equal(one->available, 1);
	assert_int_equal(one->price_micro, 1); /* a ten millionth of 0.10 USD, rounded up */
	one = offer(&out, "m5.large", "us-west-2b", "reserved");
	plm_assert_text(one->reservation, "cr-2");
	assert_int_equal(one->available, 0);
	assert_null(offer(&out, "m5.large", "us-west-2z", "reserved")); /* not offered there */
	assert_string_equal(required(type, "karpenter.sh/capacity-type"),
			    "on-demand,reserved,spot");
	assert_string_equal(required(type, "karpenter.k8s.aws/capacity-reservation-id"),
			    "cr-1,cr-2");
	assert_string_equal(required(type, "karpenter.k8s.aws/capacity-reservation-type"),
			    "capacity-block,default");
	assert_string_equal(required(find(&out, "m5.xlarge"), "karpenter.sh/capacity-type"),
			    "on-demand,spot");
	tear_down();
}

static const struct block_case {
	const char *name;
	int64_t before_end_ms;
	int64_t available;
} block_table[] = {
	{"a block with time left", 41LL * 60 * 1000, 1},
	{"a block that ends soon", 40LL * 60 * 1000, 0},
	{"a block that is over", -1, 0},
};

static void block_row(const struct block_case *row)
{
	struct plm_w_catalog out;

	(void)set_up(NULL);
	see(PLM_EC2_SEEN_RESERVATIONS,
	    RESERVATIONS(RESERVATION("cr-1", "m5.large", "us-west-2a", "3",
				     "<reservationType>capacity-block</reservationType>"
				     "<endDate>2026-01-01T00:00:00.000Z</endDate>")));
	observed.now_ms = 1767225600000 - row->before_end_ms;
	plm_ec2_observed_catalog(&observed, &arena, &out);
	assert_int_equal(offer(&out, "m5.large", "us-west-2a", "reserved")->available,
			 row->available);
	tear_down();
}
PLM_TEST_ROWS(block_row, struct block_case)

/* ---- what changed ------------------------------------------------------------------------------ */

static struct plm_ec2_said said;

static size_t next(bool again, struct plm_w_catalog *out)
{
	struct plm_w_catalog all;

	plm_arena_reset(&arena);
	plm_ec2_observed_catalog(&observed, &arena, &all);
	return plm_ec2_said_next(&said, &all, again, &arena, out) ? out->types.count : 0;
}

static void only_what_changed_is_told(void **state)
{
	const struct plm_w_instance_type *type = NULL;
	struct plm_w_catalog out;

	(void)set_up(state);
	assert_int_equal(next(false, &out), builtin.types.count);
	assert_int_equal(out.part, 0);
	assert_int_equal(next(false, &out), 0);
	assert_int_equal(next(true, &out), 0); /* there are no reservations */
	see(PLM_EC2_SEEN_SPOT, SPOTS(SPOT("m5.large", "us-west-2a", "0.04")));
	assert_int_equal(next(false, &out), 1);
	assert_int_equal(out.part, 1);
	type = out.types.ptr;
	plm_assert_text(type->name, "m5.large");
	see(PLM_EC2_SEEN_RESERVATIONS,
	    RESERVATIONS(RESERVATION("cr-1", "c5.large", "us-west-2a", "3", "")));
	assert_int_equal(next(false, &out), 1);
	assert_int_equal(next(false, &out), 0);
	assert_int_equal(next(true, &out),
			 1); /* launches into it: from now on it has what it says */
	see(PLM_EC2_SEEN_SPOT, SPOTS(SPOT("m5.large", "us-west-2a", "0.05")));
	assert_int_equal(next(false, &out), 2); /* and the reservations with it */
	see(PLM_EC2_SEEN_RESERVATIONS, RESERVATIONS(""));
	assert_int_equal(next(false, &out), 1);
	see(PLM_EC2_SEEN_OFFERS, OFFERS(OFFER("m5.large", "us-west-2a")));
	assert_int_equal(next(false, &out), 1);
	assert_int_equal(out.part, 0); /* the others are gone */
	plm_ec2_said_fini(&said);
	tear_down();
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, nothing_known_is_the_builtin);
	PLM_TEST_ADD(&tests, what_is_seen_counts);
	PLM_TEST_ADD(&tests, a_guess_follows_the_price_on_demand);
	PLM_TEST_ADD(&tests, reservations_are_offerings);
	PLM_TEST_TABLE(&tests, block_row, block_table);
	PLM_TEST_ADD(&tests, only_what_changed_is_told);
	return plm_tests_run(&tests, "observed");
}
