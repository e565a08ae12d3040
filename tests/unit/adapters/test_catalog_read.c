#include "plm_test.h"

#include <stdio.h>

#include "adapters/catalog/catalog.h"

static struct plm_arena arena;

#define HEAD "{\"apiVersion\":\"plimsoll.dev/v1alpha1\",\"kind\":\"Catalog\",\"instanceTypes\":["
#define TAIL "]}"
/* A type around the JSON of its other fields. */
#define TYPE(name, rest) "{\"name\":\"" name "\"," rest "}"
#define FITS "\"capacity\":{\"cpu\":\"2\",\"memory\":\"7577Mi\",\"pods\":\"29\"}"
#define REQUIRE(key, value) "{\"key\":\"" key "\",\"operator\":\"In\",\"values\":[\"" value "\"]}"
#define ZONE(zone) REQUIRE("topology.kubernetes.io/zone", zone)
#define CAPACITY(type) REQUIRE("karpenter.sh/capacity-type", type)
#define OFFER(zone, type, rest) "{\"requirements\":[" ZONE(zone) "," CAPACITY(type) "]" rest "}"
#define ONE(rest) HEAD TYPE("t1", rest) TAIL
#define OFFERED(list) ONE(FITS ",\"offerings\":[" list "]")

static enum plm_code read(const char *text, struct plm_w_catalog *out, struct plm_error *err)
{
	plm_arena_reset(&arena);
	return plm_catalog_read(plm_slice_str(text), "cat.json", &arena, out, err);
}

static struct plm_w_catalog good(const char *text)
{
	struct plm_w_catalog catalog = {0};
	struct plm_error err = {0};

	plm_assert_ok(read(text, &catalog, &err), &err);
	return catalog;
}

static const struct plm_w_instance_type *type_at(const struct plm_w_catalog *catalog, size_t index)
{
	assert_true(index < catalog->types.count);
	return (const struct plm_w_instance_type *)catalog->types.ptr + index;
}

/* "In a,b" of a requirement of the type; "" when it has none. */
static const char *required(struct plm_vec requirements, const char *key)
{
	const struct plm_w_expr *exprs = requirements.ptr;

	for (size_t i = 0; i < requirements.count; i++) {
		const struct plm_slice *values = exprs[i].values.ptr;
		struct plm_slice text = plm_slice_str(plm_names_text(&plm_names_op, exprs[i].op));

		if (!plm_slice_is(exprs[i].key, key)) {
			continue;
		}
		for (size_t j = 0; j < exprs[i].values.count; j++) {
			text = plm_arena_format(&arena, "%.*s%s%.*s", (int)text.size, text.ptr,
						j == 0 ? " " : ",", (int)values[j].size,
						values[j].ptr);
		}
		return (const char *)plm_arena_format(&arena, "%.*s", (int)text.size, text.ptr).ptr;
	}
	return "";
}

static int64_t amount(struct plm_vec list, const char *resource)
{
	const struct plm_w_amount *amounts = list.ptr;

	for (size_t i = 0; i < list.count; i++) {
		if (plm_slice_is(amounts[i].resource, resource)) {
			return amounts[i].amount;
		}
	}
	return PLM_UNSET;
}

static const struct bad_case {
	const char *why;
	const char *text;
	const char *says;
} bad_table[] = {
	{"nothing", "", "cat.json:1:1: is not JSON"},
	{"not JSON", "{\n  \"kind\": }", "cat.json:2:11: is not JSON"},
	{"two documents", ONE(FITS ",\"offerings\":[]") "\n{}", "cat.json:2:1: something follows"},
	{"a list", "[]", "cat.json: apiVersion: is not plimsoll.dev/v1alpha1"},
	{"another version", "{\"apiVersion\":\"v1\",\"kind\":\"Catalog\"}", "apiVersion: is not"},
	{"another kind", "{\"apiVersion\":\"plimsoll.dev/v1alpha1\",\"kind\":\"List\"}",
	 "kind: is not Catalog"},
	{"no types", "{\"apiVersion\":\"plimsoll.dev/v1alpha1\",\"kind\":\"Catalog\"}",
	 "instanceTypes: is missing"},
	{"a misspelt field", ONE(FITS ",\"offering\":[]"),
	 "instanceTypes[0]: offering: is no field"},
	{"a field twice", ONE(FITS "," FITS ",\"offerings\":[]"), "capacity: stands there twice"},
	{"no name", HEAD "{" FITS ",\"offerings\":[]}" TAIL, "instanceTypes[0]: name: is missing"},
	{"an empty name", HEAD TYPE("", FITS ",\"offerings\":[]") TAIL, "name: is empty"},
	{"one name twice",
	 HEAD TYPE("t1", FITS ",\"offerings\":[]") "," TYPE("t1", FITS ",\"offerings\":[]") TAIL,
	 "instanceTypes[0] and [1]: name: is the same"},
	{"no capacity", ONE("\"offerings\":[]"), "t1: capacity: is missing"},
	{"capacity is a list", ONE("\"capacity\":[],\"offerings\":[]"),
	 "t1: capacity: is not a map"},
	{"a bad quantity", ONE("\"capacity\":{\"cpu\":\"2x\"},\"offerings\":[]"), "t1: cpu"},
	{"a quantity of another kind", ONE("\"capacity\":{\"cpu\":true},\"offerings\":[]"),
	 "t1: cpu: is not a quantity"},
	{"an unknown overhead", ONE(FITS ",\"overhead\":{\"kube\":{}},\"offerings\":[]"),
	 "t1: kube: is no field"},
	{"a bad overhead",
	 ONE(FITS ",\"overhead\":{\"kubeReserved\":{\"memory\":\"1Q\"}},\"offerings\":[]"),
	 "t1: memory"},
	{"no offerings", ONE(FITS), "t1: offerings: is missing"},
	{"offerings are a map", ONE(FITS ",\"offerings\":{}"), "t1: offerings: is not a list"},
	{"an offering is a text", OFFERED("\"spot\""), "t1: offerings[0]: is not an object"},
	{"no zone", OFFERED("{\"requirements\":[" CAPACITY("spot") "]}"),
	 "t1: offerings[0]: requirements: names no zone"},
	{"two zones",
	 OFFERED("{\"requirements\":[{\"key\":\"topology.kubernetes.io/zone\",\"operator\":\"In\","
		 "\"values\":[\"a\",\"b\"]}," CAPACITY("spot") "]}"),
	 "t1: offerings[0]: topology.kubernetes.io/zone: is not one value"},
	{"the second offering is bad",
	 OFFERED(OFFER("a", "spot", "") "," OFFER("a", "on-demand", ",\"price\":1")),
	 "t1: offerings[1]: price: is no field"},
	{"a price with a fraction", OFFERED(OFFER("a", "spot", ",\"priceMicroUSDPerHour\":1.5")),
	 "priceMicroUSDPerHour: is not a whole number"},
	{"a negative price", OFFERED(OFFER("a", "spot", ",\"priceMicroUSDPerHour\":-1")),
	 "priceMicroUSDPerHour: is not a whole number"},
	{"a price beyond all", OFFERED(OFFER("a", "spot", ",\"priceMicroUSDPerHour\":1e16")),
	 "priceMicroUSDPerHour: is not a whole number"},
	{"a price as a text", OFFERED(OFFER("a", "spot", ",\"priceMicroUSDPerHour\":\"1\"")),
	 "priceMicroUSDPerHour: is not a whole number"},
	{"available as a text", OFFERED(OFFER("a", "spot", ",\"available\":\"no\"")),
	 "available: is neither true nor false"},
	{"an unknown operator",
	 ONE("\"requirements\":[{\"key\":\"a\",\"operator\":\"Gt\",\"values\":[\"1\"]}]," FITS
	     ",\"offerings\":[]"),
	 "t1: operator: is none of In, NotIn"},
	{"In without values",
	 ONE("\"requirements\":[{\"key\":\"a\",\"operator\":\"In\"}]," FITS ",\"offerings\":[]"),
	 "t1: values: is empty"},
	{"Exists with values",
	 ONE("\"requirements\":[{\"key\":\"a\",\"operator\":\"Exists\",\"values\":[\"1\"]}]," FITS
	     ",\"offerings\":[]"),
	 "t1: values: is given"},
	{"a key twice",
	 ONE("\"requirements\":[" REQUIRE("a", "1") "," REQUIRE("a", "2") "]," FITS
									  ",\"offerings\":[]"),
	 "t1: requirements: names a key twice"},
	{"a value that is no text",
	 ONE("\"requirements\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[1]}]," FITS
	     ",\"offerings\":[]"),
	 "t1: values: is not a text"},
};

static void bad_row(const struct bad_case *row)
{
	struct plm_w_catalog catalog = {.source = plm_slice_str("untouched")};
	struct plm_error err = {0};

	plm_assert_fails(read(row->text, &catalog, &err), PLM_E_INPUT, err, row->says);
	plm_assert_fails(PLM_E_INPUT, PLM_E_INPUT, err, "cat.json");
	plm_assert_text(catalog.source, "untouched");
}
PLM_TEST_ROWS(bad_row, struct bad_case)

static void allocatable_is_capacity_less_three_overheads(void **state)
{
	struct plm_w_catalog catalog = good(
		ONE(FITS ",\"overhead\":{\"kubeReserved\":{\"cpu\":\"70m\",\"memory\":\"574Mi\","
			 "\"hugepages-2Mi\":\"2Mi\"},\"systemReserved\":{\"pods\":1},"
			 "\"evictionThreshold\":{\"memory\":\"100Mi\"}},\"offerings\":[]"));
	const struct plm_w_instance_type *type = type_at(&catalog, 0);

	(void)state;
	assert_int_equal(amount(type->capacity, "cpu"), 2000);
	assert_int_equal(amount(type->allocatable, "cpu"), 1930);
	assert_int_equal(amount(type->allocatable, "memory"), 6903LL * 1024 * 1024);
	assert_int_equal(amount(type->allocatable, "pods"), 28);
	assert_true(amount(type->allocatable, "hugepages-2Mi") == PLM_UNSET);
	assert_int_equal(amount(type->capacity, "pods"), 29);
}

static void offerings_complete_the_requirements(void **state)
{
	struct plm_w_catalog catalog = good(ONE("\"requirements\":[" REQUIRE(
		"kubernetes.io/arch",
		"amd64") "]," FITS
			 ",\"offerings\":[" OFFER("b", "spot", ",\"available\":false") "," OFFER("a", "on-demand", ",\"priceMicroUSDPerHour\":33210") ",{\"requirements\":[" ZONE(
				 "a") "," CAPACITY("reserved") "," REQUIRE("karpenter.k8s.aws/"
									   "capacity-reservation-"
									   "id",
									   "cr-1") "," REQUIRE("kar"
											       "pen"
											       "ter"
											       ".k8"
											       "s."
											       "aws"
											       "/ca"
											       "pac"
											       "ity"
											       "-re"
											       "ser"
											       "vat"
											       "ion"
											       "-ty"
											       "pe",
											       "def"
											       "aul"
											       "t") "],\"reservationCapacity\":3}]"));
	const struct plm_w_instance_type *type = type_at(&catalog, 0);
	const struct plm_w_offering *offerings = type->offerings.ptr;
	struct plm_vec all = type->requirements;

	(void)state;
	assert_string_equal(required(all, "node.kubernetes.io/instance-type"), "In t1");
	assert_string_equal(required(all, "kubernetes.io/arch"), "In amd64");
	assert_string_equal(required(all, "topology.kubernetes.io/zone"), "In a,b");
	assert_string_equal(required(all, "karpenter.sh/capacity-type"),
			    "In on-demand,reserved,spot");
	assert_string_equal(required(all, "karpenter.k8s.aws/capacity-reservation-id"), "In cr-1");
	assert_string_equal(required(all, "karpenter.k8s.aws/capacity-reservation-type"),
			    "In default");
	assert_string_equal(required(all, "karpenter.k8s.aws/instance-gpu-name"), "DoesNotExist");
	assert_string_equal(required(all, "karpenter.sh/nodepool"), "");
	assert_int_equal(all.count, 36);
	assert_int_equal(type->offerings.count, 3);
	assert_int_equal(offerings[0].available, 0);
	assert_true(offerings[0].price_micro == PLM_UNSET);
	assert_int_equal(offerings[1].price_micro, 33210);
	assert_int_equal(offerings[1].available, 1);
	assert_int_equal(offerings[1].reservation.size, 0);
	assert_int_equal(offerings[1].requirements.count, 0);
	plm_assert_text(offerings[2].reservation, "cr-1");
	assert_int_equal(offerings[2].reserved_left, 3);
	assert_string_equal(
		required(offerings[2].requirements, "karpenter.k8s.aws/capacity-reservation-type"),
		"In default");
}

static void what_a_type_says_itself_is_not_widened(void **state)
{
	struct plm_w_catalog catalog = good(ONE("\"requirements\":[" ZONE(
		"z") "]," FITS ",\"offerings\":[" OFFER("a", "spot", "") "]"));

	(void)state;
	assert_string_equal(
		required(type_at(&catalog, 0)->requirements, "topology.kubernetes.io/zone"),
		"In z");
}

static void types_come_by_name(void **state)
{
	struct plm_w_catalog catalog = good(HEAD TYPE("b", FITS ",\"offerings\":[]") "," TYPE(
		"a", FITS ",\"offerings\":[]") TAIL);

	(void)state;
	plm_assert_text(type_at(&catalog, 0)->name, "a");
	plm_assert_text(type_at(&catalog, 1)->name, "b");
	plm_assert_text(catalog.source, "cat.json");
}

static void a_small_arena_is_refused(void **state)
{
	struct plm_w_catalog catalog = {0};
	struct plm_arena small = {0};
	struct plm_error err = {0};
	const char *text = OFFERED("");

	(void)state;
	plm_assert_ok(plm_arena_init(&small, plm_catalog_room(strlen(text)) - 1, NULL), NULL);
	plm_assert_fails(plm_catalog_read(plm_slice_str(text), "cat.json", &small, &catalog, &err),
			 PLM_E_LIMIT, err, "cat.json");
	plm_arena_fini(&small);
}

/* The shapes that grow most while they are read, each in exactly the room that is asked for. */
static void room_is_enough(void **state)
{
	static const struct {
		const char *head, *part, *tail;
	} shapes[] = {
		{HEAD, "{\"name\":\"%d\",\"capacity\":{},\"offerings\":[]}", TAIL},
		{HEAD "{\"name\":\"a\",\"capacity\":{", "\"%d\":1", "},\"offerings\":[]}" TAIL},
		{HEAD "{\"name\":\"a\",\"capacity\":{},\"offerings\":[],\"requirements\":[",
		 "{\"key\":\"%d\",\"operator\":\"Exists\"}", "]}" TAIL},
		{HEAD "{\"name\":\"a\",\"capacity\":{},\"offerings\":[",
		 "{\"requirements\":[" ZONE("%d") "," CAPACITY("s") "]}", "]}" TAIL},
		{HEAD "{\"name\":\"a\",\"capacity\":{},\"offerings\":[],\"requirements\":[{\"key\":"
		      "\"k\","
		      "\"operator\":\"In\",\"values\":[",
		 "\"%d\"", "]}]}" TAIL},
	};
	static char text[1 << 20];

	(void)state;
	for (size_t i = 0; i < PLM_COUNTOF(shapes); i++) {
		struct plm_w_catalog catalog = {0};
		struct plm_arena exact = {0};
		struct plm_error err = {0};
		size_t size = strlen(shapes[i].head);

		memcpy(text, shapes[i].head, size);
		for (int j = 0; j < 2000; j++) {
			const char *part = shapes[i].part;
			const char *hole = strstr(part, "%d");
			size_t before = (size_t)(hole - part);

			if (j > 0) {
				text[size++] = ',';
			}
			memcpy(text + size, part, before);
			size += before;
			size += (size_t)snprintf(text + size, sizeof(text) - size, "%d%s", j,
						 hole + 2);
		}
		memcpy(text + size, shapes[i].tail, strlen(shapes[i].tail));
		size += strlen(shapes[i].tail);
		plm_assert_ok(plm_arena_init(&exact, plm_catalog_room(size), NULL), NULL);
		plm_assert_ok(plm_catalog_read(plm_slice_of(text, size), "cat.json", &exact,
					       &catalog, &err),
			      &err);
		plm_arena_fini(&exact);
	}
}

static void long_lists_are_refused(void **state)
{
	static char text[1 << 16];
	struct plm_w_catalog catalog = {0};
	struct plm_error err = {0};
	const char *head = HEAD "{\"name\":\"t1\",\"capacity\":{},\"offerings\":[";
	size_t size = strlen(head);

	(void)state;
	memcpy(text, head, size);
	for (size_t i = 0; i < 4097; i++) {
		memcpy(text + size, "0,", 2);
		size += 2;
	}
	memcpy(text + size - 1, "]}" TAIL, sizeof("]}" TAIL));
	plm_assert_fails(read(text, &catalog, &err), PLM_E_INPUT, err, "PLM_LIMIT_CATALOG_LIST");
}

int main(void)
{
	static struct plm_tests tests;
	int failed = 0;

	plm_assert_ok(plm_arena_init(&arena, (size_t)1 << 26, NULL), NULL);
	PLM_TEST_TABLE(&tests, bad_row, bad_table);
	PLM_TEST_ADD(&tests, allocatable_is_capacity_less_three_overheads);
	PLM_TEST_ADD(&tests, offerings_complete_the_requirements);
	PLM_TEST_ADD(&tests, what_a_type_says_itself_is_not_widened);
	PLM_TEST_ADD(&tests, types_come_by_name);
	PLM_TEST_ADD(&tests, a_small_arena_is_refused);
	PLM_TEST_ADD(&tests, room_is_enough);
	PLM_TEST_ADD(&tests, long_lists_are_refused);
	failed = plm_tests_run(&tests, "catalog_read");
	plm_arena_fini(&arena);
	return failed;
}
