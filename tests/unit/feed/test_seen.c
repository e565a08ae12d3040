#include "feed.h"

#include "plm_test.h"

#include "adapters/catalog/offered.h"
#include "core/limits.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- decimals ---------------------------------------------------------------------------------- */

static const struct micro_case {
	const char *text;
	int64_t micro;
} micro_table[] = {
	{"0.0960000000", 96000}, {"98.3200000000", 98320000},
	{"0.00001", 10},	 {"1", 1000000},
	{".5", 500000},		 {"0", 0},
	{"0.0000005", 0}, /* half to even */
	{"0.0000015", 2},	 {"0.0000025", 2},
	{"0.00000251", 3},	 {"", PLM_UNSET},
	{"-1", PLM_UNSET},	 {"1e3", PLM_UNSET},
	{"5k", PLM_UNSET},	 {"1.2.3", PLM_UNSET},
	{"0x1", PLM_UNSET},	 {"99999999999999999999", PLM_UNSET},
};

static void micro_row(const struct micro_case *row)
{
	assert_int_equal(plm_ec2_micro(plm_slice_str(row->text)), row->micro);
}
PLM_TEST_ROWS(micro_row, struct micro_case)

/* ---- types ------------------------------------------------------------------------------------- */

#define SAME_NUMBER(field)                                                                         \
	if (have->field != want->field) {                                                          \
		fail_msg("%s: " #field " is %ld, the table has %ld", have->name,                   \
			 (long)have->field, (long)want->field);                                    \
	}
#define SAME_TEXT(field)                                                                           \
	if (strcmp(have->field == NULL ? "" : have->field,                                         \
		   want->field == NULL ? "" : want->field) != 0) {                                 \
		fail_msg("%s: " #field " is \"%s\", the table has \"%s\"", have->name,             \
			 have->field, want->field);                                                \
	}

static void same_facts(const struct plm_ec2_facts *have, const struct plm_ec2_facts *want)
{
	SAME_TEXT(name)
	SAME_TEXT(arch)
	SAME_TEXT(hypervisor)
	SAME_TEXT(cpu_maker)
	SAME_TEXT(gpu_name)
	SAME_TEXT(gpu_maker)
	SAME_TEXT(accelerator_name)
	SAME_TEXT(accelerator_maker)
	SAME_NUMBER(vcpu)
	SAME_NUMBER(memory_mib)
	SAME_NUMBER(clock_mhz)
	SAME_NUMBER(local_nvme_gb)
	SAME_NUMBER(network_mbps)
	SAME_NUMBER(ebs_mbps)
	SAME_NUMBER(enis)
	SAME_NUMBER(ipv4_per_eni)
	SAME_NUMBER(branch_enis)
	SAME_NUMBER(efa)
	SAME_NUMBER(gpu_count)
	SAME_NUMBER(gpu_mem_mib)
	SAME_NUMBER(accelerator_count)
	SAME_NUMBER(neuron_devices)
	SAME_NUMBER(neuron_cores)
	SAME_NUMBER(encrypts_in_transit)
	SAME_NUMBER(on_demand)
	SAME_NUMBER(spot)
}

/* The table was compiled from the same answers: one reader in Python, this one in C. */
static void types_are_as_the_table_has_them(void **state)
{
	char *text = feed_file("types.xml");
	const struct plm_aws_node *root = NULL;
	struct plm_ec2_sheet sheet;
	struct plm_arena arena;
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_arena_init(&arena, 64L * 1024 * 1024, &err), &err);
	plm_assert_ok(plm_aws_xml(plm_slice_str(text), &arena, &root, &err), &err);
	plm_ec2_sheet_init(&sheet, PLM_EC2_SEEN_TYPES);
	plm_ec2_sheet_read(&sheet, root, "USD");
	plm_ec2_sheet_close(&sheet);
	plm_arena_fini(&arena);
	free(text);
	assert_int_equal(sheet.unreadable, 0);
	assert_true(sheet.count >= 13);
	for (uint32_t i = 0; i < sheet.count; i++) {
		const struct plm_ec2_facts *have = (const struct plm_ec2_facts *)sheet.rows + i;
		const struct plm_ec2_facts *want = plm_catalog_known(plm_slice_str(have->name));

		assert_non_null(want);
		same_facts(have, want);
	}
	plm_ec2_sheet_fini(&sheet);
}

#define NEW_TYPE                                                                                   \
	"<instanceTypeSet><item><instanceType>z99.large</instanceType>"                            \
	"<supportedUsageClasses><item>spot</item></supportedUsageClasses>"                         \
	"<hypervisor>nitro</hypervisor><processorInfo><supportedArchitectures><item>i386</item>"   \
	"<item>x86_64</item></supportedArchitectures><sustainedClockSpeedInGhz>3.35"               \
	"</sustainedClockSpeedInGhz><manufacturer>AMD</manufacturer></processorInfo>"              \
	"<vCpuInfo><defaultVCpus>2</defaultVCpus></vCpuInfo>"                                      \
	"<memoryInfo><sizeInMiB>8192</sizeInMiB></memoryInfo>"                                     \
	"<gpuInfo><gpus><item><name>Radeon Pro V520</name><manufacturer>AMD</manufacturer>"        \
	"<count>1</count><memoryInfo><sizeInMiB>8192</sizeInMiB></memoryInfo></item></gpus>"       \
	"</gpuInfo><networkInfo><defaultNetworkCardIndex>0</defaultNetworkCardIndex>"              \
	"<networkCards><item><maximumNetworkInterfaces>3</maximumNetworkInterfaces>"               \
	"<baselineBandwidthInGbps>0.75</baselineBandwidthInGbps></item>%s</networkCards>"          \
	"</networkInfo></item></instanceTypeSet>"

static void a_type_that_the_table_does_not_have(void **state)
{
	const struct plm_ec2_facts *facts = NULL;
	struct plm_ec2_sheet sheet;
	char text[2048];

	(void)state;
	plm_ec2_sheet_init(&sheet, PLM_EC2_SEEN_TYPES);
	(void)snprintf(text, sizeof(text), NEW_TYPE, "");
	feed_read(&sheet, text);
	(void)snprintf(text, sizeof(text), NEW_TYPE, "<item/>");
	feed_read(&sheet, text);
	assert_int_equal(sheet.count, 2);
	facts = sheet.rows;
	assert_string_equal(facts->name, "z99.large");
	assert_string_equal(facts->arch, "amd64");
	assert_string_equal(facts->gpu_maker, "amd");
	assert_string_equal(facts->gpu_name, "radeon-pro-v520");
	assert_int_equal(facts->clock_mhz, 3350);
	assert_int_equal(facts->network_mbps, 750);
	assert_false(facts->on_demand);
	assert_true(facts->spot);
	assert_int_equal(facts[1].network_mbps, 0); /* two cards: not the type's own figure */
	plm_ec2_sheet_close(&sheet);
	assert_int_equal(sheet.count, 1);
	plm_ec2_sheet_fini(&sheet);
}

/* ---- what nothing can be made of --------------------------------------------------------------- */

static const struct odd_case {
	const char *name;
	enum plm_ec2_sheet_kind kind;
	const char *xml;
	uint32_t rows, unreadable;
} odd_table[] = {
	{"an empty answer", PLM_EC2_SEEN_OFFERS, "", 0, 0},
	{"another answer", PLM_EC2_SEEN_OFFERS, "<regionInfo><item/></regionInfo>", 0, 0},
	{"no location", PLM_EC2_SEEN_OFFERS,
	 "<instanceTypeOfferingSet><item><instanceType>m5.large</instanceType></item>"
	 "<item><instanceType>m5.large</instanceType><location>us-west-2a</location></item>"
	 "</instanceTypeOfferingSet>",
	 1, 1},
	{"no architecture of ours", PLM_EC2_SEEN_TYPES,
	 "<instanceTypeSet><item><instanceType>mac1.metal</instanceType><processorInfo>"
	 "<supportedArchitectures><item>x86_64_mac</item></supportedArchitectures></processorInfo>"
	 "<vCpuInfo><defaultVCpus>2</defaultVCpus></vCpuInfo><memoryInfo><sizeInMiB>1</sizeInMiB>"
	 "</memoryInfo></item></instanceTypeSet>",
	 0, 1},
	{"a price that is none", PLM_EC2_SEEN_SPOT,
	 "<spotPriceHistorySet><item><instanceType>m5.large</instanceType><availabilityZone>"
	 "us-west-2a</availabilityZone><spotPrice>free</spotPrice></item></spotPriceHistorySet>",
	 0, 1},
	{"a price of nothing", PLM_EC2_SEEN_SPOT,
	 "<spotPriceHistorySet><item><instanceType>m5.large</instanceType><availabilityZone>"
	 "us-west-2a</availabilityZone><spotPrice>0.0</spotPrice></item></spotPriceHistorySet>",
	 0, 1},
	{"a closed zone", PLM_EC2_SEEN_ZONES,
	 "<availabilityZoneInfo><item><zoneName>us-west-2a</zoneName><zoneId>usw2-az1</zoneId>"
	 "<zoneState>unavailable</zoneState></item><item><zoneName>us-west-2b</zoneName>"
	 "<zoneId>usw2-az2</zoneId><zoneState>available</zoneState></item></availabilityZoneInfo>",
	 1, 0},
};

static void odd_row(const struct odd_case *row)
{
	struct plm_ec2_sheet sheet;

	plm_ec2_sheet_init(&sheet, row->kind);
	feed_read(&sheet, row->xml);
	assert_int_equal(sheet.count, row->rows);
	assert_int_equal(sheet.unreadable, row->unreadable);
	plm_ec2_sheet_fini(&sheet);
}
PLM_TEST_ROWS(odd_row, struct odd_case)

/* ---- prices ------------------------------------------------------------------------------------ */

static void the_newest_spot_price_counts(void **state)
{
	static const char *const rows[][2] = {{"0.05", "2026-01-01T00:00:00.000Z"},
					      {"0.03", "2026-01-03T00:00:00.000Z"},
					      {"0.02", "2026-01-03T00:00:00.000Z"},
					      {"0.04", "2026-01-02T00:00:00.000Z"}};
	const struct plm_ec2_price_row *row = NULL;
	struct plm_ec2_sheet sheet;
	char text[1024];

	(void)state;
	plm_ec2_sheet_init(&sheet, PLM_EC2_SEEN_SPOT);
	for (size_t i = 0; i < PLM_COUNTOF(rows); i++) {
		(void)snprintf(text, sizeof(text),
			       "<spotPriceHistorySet><item><instanceType>m5.large</instanceType>"
			       "<availabilityZone>us-west-2a</availabilityZone><spotPrice>%s"
			       "</spotPrice><timestamp>%s</timestamp></item></spotPriceHistorySet>",
			       rows[i][0], rows[i][1]);
		feed_read(&sheet, text);
	}
	assert_int_equal(sheet.count, 4);
	plm_ec2_sheet_close(&sheet);
	assert_int_equal(sheet.count, 1);
	row = sheet.rows;
	assert_int_equal(row->micro, 20000);
	plm_ec2_sheet_fini(&sheet);
}

#define PRODUCT(type, unit, price)                                                                 \
	"\"{\\\"product\\\":{\\\"attributes\\\":{\\\"instanceType\\\":\\\"" type                   \
	"\\\"}},\\\"terms\\\":{\\\"OnDemand\\\":{\\\"A.B\\\":{\\\"priceDimensions\\\":{"           \
	"\\\"A.B.C\\\":{\\\"pricePerUnit\\\":{\\\"" unit "\\\":\\\"" price                         \
	"\\\"}}}}},\\\"Reserved\\\":{\\\"x\\\":{\\\"priceDimensions\\\":{\\\"y\\\":{"              \
	"\\\"pricePerUnit\\\":{\\\"USD\\\":\\\"1\\\"}}}}}}}\""

static void products_are_texts_in_a_list(void **state)
{
	const struct plm_ec2_price_row *rows = NULL;
	struct plm_ec2_sheet sheet;

	(void)state;
	plm_ec2_sheet_init(&sheet, PLM_EC2_SEEN_DEMAND);
	feed_read_json(&sheet,
		       "{\"FormatVersion\":\"aws_v1\",\"PriceList\":[" PRODUCT(
			       "m5.large", "USD",
			       "0.0960000000") "," PRODUCT("c5.large", "USD",
							   "0.0000000000") ",\"no\",\"{}\"]}",
		       "USD");
	plm_ec2_sheet_close(&sheet);
	assert_int_equal(sheet.count, 1); /* what costs nothing is a rate of something else */
	assert_int_equal(sheet.unreadable, 2);
	rows = sheet.rows;
	plm_assert_text(rows[0].type, "m5.large");
	assert_int_equal(rows[0].micro, 96000);
	plm_ec2_sheet_fini(&sheet);
	plm_ec2_sheet_init(&sheet, PLM_EC2_SEEN_DEMAND);
	feed_read_json(&sheet, "{\"PriceList\":[" PRODUCT("m5.large", "CNY", "0.7") "]}", "CNY");
	assert_int_equal(((const struct plm_ec2_price_row *)sheet.rows)->micro, 700000);
	plm_ec2_sheet_fini(&sheet);
}

/* ---- bounds ------------------------------------------------------------------------------------ */

static void more_types_than_there_is_room_for(void **state)
{
	struct plm_ec2_sheet sheet;

	(void)state;
	plm_ec2_sheet_init(&sheet, PLM_EC2_SEEN_TYPES);
	for (uint32_t i = 0; i < PLM_LIMIT_EC2_TYPES; i++) {
		assert_non_null(plm_ec2_sheet_row(&sheet));
	}
	assert_null(plm_ec2_sheet_row(&sheet));
	assert_int_equal(sheet.left_out, 1);
	plm_ec2_sheet_fini(&sheet);
}

static void texts_are_utf8(void **state)
{
	struct plm_ec2_sheet sheet;
	struct plm_slice out = {0};

	(void)state;
	plm_ec2_sheet_init(&sheet, PLM_EC2_SEEN_OFFERS);
	assert_false(plm_ec2_sheet_text(&sheet, plm_slice_str("m5\xff"), &out));
	assert_true(plm_ec2_sheet_text(&sheet, plm_slice_str("m5"), &out));
	plm_ec2_sheet_fini(&sheet);
	plm_ec2_sheet_fini(&sheet);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, micro_row, micro_table);
	PLM_TEST_ADD(&tests, types_are_as_the_table_has_them);
	PLM_TEST_ADD(&tests, a_type_that_the_table_does_not_have);
	PLM_TEST_TABLE(&tests, odd_row, odd_table);
	PLM_TEST_ADD(&tests, the_newest_spot_price_counts);
	PLM_TEST_ADD(&tests, products_are_texts_in_a_list);
	PLM_TEST_ADD(&tests, more_types_than_there_is_room_for);
	PLM_TEST_ADD(&tests, texts_are_utf8);
	return plm_tests_run(&tests, "seen");
}
