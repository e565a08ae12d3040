/*
 * Golden launch templates: a class in ec2/NAME.yaml, its user data and template in ec2/NAME.want.
 * PLM_UPDATE=1 writes them anew.
 */
#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>

#include "adapters/ec2/mime.h"
#include "adapters/ec2/template.h"
#include "adapters/ec2/toml.h"
#include "adapters/manifest/manifest.h"
#include "core/wire_copy.h"

#define PATH "%s/tests/unit/adapters/ec2/%s.%s"

static struct plm_arena arena;
static const struct plm_w_node_class *class_read;

static enum plm_code take(void *ctx, const struct plm_manifest_fact *fact, struct plm_error *err)
{
	(void)ctx;
	(void)err;
	assert_int_equal(fact->type, PLM_EV_NODE_CLASS);
	class_read = plm_wire_copy(&plm_type_node_class, fact->payload, &arena);
	return PLM_OK;
}

static void warned(void *ctx, const char *text)
{
	(void)ctx;
	fail_msg("%s", text);
}

static struct plm_slice read_file(const char *name, const char *end)
{
	char path[512];
	char *bytes = PLM_NEW_ARRAY(&arena, 65536, char);
	FILE *file = NULL;
	size_t size = 0;

	(void)snprintf(path, sizeof(path), PATH, getenv("PLM_SOURCE_ROOT"), name, end);
	file = fopen(path, "r");
	if (file == NULL) {
		return (struct plm_slice){0};
	}
	size = fread(bytes, 1, 65535, file);
	(void)fclose(file);
	return plm_slice_of(bytes, size);
}

static void write_file(const char *name, struct plm_slice text)
{
	char path[512];
	FILE *file = NULL;

	(void)snprintf(path, sizeof(path), PATH, getenv("PLM_SOURCE_ROOT"), name, "want");
	file = fopen(path, "w");
	PLM_ASSERT(file != NULL);
	assert_int_equal(fwrite(text.ptr, 1, text.size, file), text.size);
	assert_int_equal(fclose(file), 0);
}

static void read_class(const char *name)
{
	struct plm_slice text = read_file(name, "yaml");
	const struct plm_manifest_options options = {.now_ms = 1000};
	const struct plm_manifest_sink sink = {NULL, take, NULL, warned};
	PLM_CLEANUP(plm_manifest_close) struct plm_manifest *reader = NULL;
	struct plm_error err = {0};

	assert_true(text.size > 0);
	class_read = NULL;
	plm_assert_ok(plm_manifest_open(&reader, &options, &sink, &err), &err);
	plm_assert_ok(plm_manifest_read_text(reader, name, text, &err), &err);
	assert_non_null(class_read);
}

#define TEXT(text) {(const uint8_t *)(text), sizeof(text) - 1}

static const struct plm_ec2_cluster cluster = {.name = TEXT("test-cluster"),
					       .endpoint = TEXT("https://test-cluster"),
					       .ca_bundle = TEXT("Y2EtYnVuZGxlCg=="),
					       .service_cidr = TEXT("10.100.0.0/16"),
					       .dns_ip = TEXT("10.0.100.10")};
static const struct plm_w_kv labels[] = {
	{TEXT("karpenter.k8s.aws/ec2nodeclass"), TEXT("c")},
	{TEXT("karpenter.sh/nodepool"), TEXT("p")},
	{TEXT("kubernetes.io/arch"), TEXT("amd64")},
	{TEXT("node.kubernetes.io/instance-type"), TEXT("m5.large")},
	{TEXT("testing/cluster"), TEXT("unspecified")},
	{TEXT("x.k8s.io/kept-out"), TEXT("1")},
};
static const struct plm_w_taint taints[] = {
	{.key = TEXT("gpu"), .value = TEXT("true"), .effect = PLM_EFFECT_NO_SCHEDULE}};
static const struct plm_w_taint startup[] = {
	{.key = TEXT("cilium"), .effect = PLM_EFFECT_NO_EXECUTE}};
static const struct plm_slice groups[] = {TEXT("sg-1"), TEXT("sg-2")};

static struct plm_ec2_launch launch_of(void)
{
	return (struct plm_ec2_launch){
		.boot = {.class = class_read,
			 .cluster = &cluster,
			 .labels = {labels, PLM_COUNTOF(labels)},
			 .taints = {taints, PLM_COUNTOF(taints)},
			 .startup_taints = {startup, PLM_COUNTOF(startup)},
			 .max_pods = 29},
		.pool = plm_slice_str("p"),
		.image = plm_slice_str("ami-1"),
		.instance_profile = plm_slice_str("profile"),
		.security_groups = {groups, PLM_COUNTOF(groups)},
		.capacity_type = plm_slice_str("on-demand"),
	};
}

static const struct golden_case {
	const char *why;
} golden_table[] = {
	{"al2"},     {"al2023"}, {"al2023-mime"}, {"al2023-yaml"}, {"bottlerocket"},
	{"windows"}, {"custom"}, {"ubuntu"},	  {"ubuntu-key"},  {"ubuntu-no-boot"},
};

static void golden_row(const struct golden_case *row)
{
	struct plm_ec2_launch launch;
	struct plm_ec2_template value;
	struct plm_slice json = {0};
	struct plm_slice name = {0};
	struct plm_slice have = {0};
	struct plm_slice want = {0};
	struct plm_error err = {0};

	plm_arena_reset(&arena);
	read_class(row->why);
	launch = launch_of();
	plm_assert_ok(plm_ec2_template(&launch, &arena, &value, &err), &err);
	json = plm_ec2_template_json(&value, &arena);
	name = plm_ec2_template_name(json, &arena);
	have = plm_arena_format(
		&arena, "%.*s\n\n---- user data ----\n%.*s\n---- template ----\n%.*s\n",
		(int)name.size, (const char *)name.ptr, (int)value.user_data.size,
		(const char *)value.user_data.ptr, (int)json.size, (const char *)json.ptr);
	if (getenv("PLM_UPDATE") != NULL) {
		write_file(row->why, have);
		return;
	}
	want = read_file(row->why, "want");
	plm_assert_text(have, (const char *)want.ptr);
}
PLM_TEST_ROWS(golden_row, struct golden_case)

/* ---- what is not golden -------------------------------------------------------------------------- */

static struct plm_slice json_of(const struct plm_ec2_launch *launch)
{
	struct plm_ec2_template value;
	struct plm_error err = {0};

	plm_assert_ok(plm_ec2_template(launch, &arena, &value, &err), &err);
	return plm_ec2_template_json(&value, &arena);
}

static bool has(struct plm_slice text, const char *part)
{
	return memmem(text.ptr, text.size, part, strlen(part)) != NULL;
}

static void spot_and_reserved_differ(void **state)
{
	struct plm_ec2_launch launch;
	struct plm_slice spot = {0};
	struct plm_slice reserved = {0};

	(void)state;
	plm_arena_reset(&arena);
	read_class("al2023");
	launch = launch_of();
	assert_false(has(json_of(&launch), "spot-instances-request"));
	launch.capacity_type = plm_slice_str("spot");
	spot = json_of(&launch);
	assert_true(has(spot, "\"ResourceType\":\"spot-instances-request\""));
	assert_true(has(spot, "\"CapacityReservationPreference\":\"none\""));
	launch.capacity_type = plm_slice_str("reserved");
	launch.reservation = plm_slice_str("cr-1");
	launch.capacity_block = true;
	reserved = json_of(&launch);
	assert_true(
		has(reserved, "\"CapacityReservationPreference\":\"capacity-reservations-only\""));
	assert_true(has(reserved, "\"CapacityReservationId\":\"cr-1\""));
	assert_true(has(reserved, "\"MarketType\":\"capacity-block\""));
}

static void one_efa_per_card(void **state)
{
	struct plm_ec2_launch launch;
	struct plm_slice json = {0};

	(void)state;
	plm_arena_reset(&arena);
	read_class("al2023");
	launch = launch_of();
	launch.efa_count = 2;
	json = json_of(&launch);
	assert_true(has(json, "{\"DeviceIndex\":0,\"Groups\":[\"sg-1\",\"sg-2\"],"
			      "\"InterfaceType\":\"efa\",\"NetworkCardIndex\":0}"));
	assert_true(has(json, "{\"DeviceIndex\":1,\"Groups\":[\"sg-1\",\"sg-2\"],"
			      "\"InterfaceType\":\"efa\",\"NetworkCardIndex\":1}"));
}

static void the_name_follows_from_the_value(void **state)
{
	struct plm_ec2_launch launch;
	struct plm_slice first = {0};
	struct plm_slice again = {0};
	struct plm_slice other = {0};

	(void)state;
	plm_arena_reset(&arena);
	read_class("al2023");
	launch = launch_of();
	first = plm_ec2_template_name(json_of(&launch), &arena);
	again = plm_ec2_template_name(json_of(&launch), &arena);
	launch.boot.max_pods = 30;
	other = plm_ec2_template_name(json_of(&launch), &arena);
	assert_int_equal(first.size, strlen("plimsoll/") + 32);
	assert_true(plm_slice_equal(first, again));
	assert_false(plm_slice_equal(first, other));
}

static struct plm_w_node_class with_user_data(const char *family, struct plm_slice text)
{
	return (struct plm_w_node_class){.meta = {.name = plm_slice_str("c")},
					 .ami_family = plm_slice_str(family),
					 .setup = {.user_data = text}};
}

static void size_has_a_limit_and_a_warning(void **state)
{
	char *bytes = NULL;
	struct plm_slice out = {0};
	bool near_limit = false;
	struct plm_error err = {0};

	(void)state;
	plm_arena_reset(&arena);
	bytes = PLM_NEW_ARRAY(&arena, 20000, char);
	memset(bytes, 'x', 20000);
	for (size_t size = 14745; size <= 16385; size += 820) {
		struct plm_w_node_class class = with_user_data("Custom", plm_slice_of(bytes, size));
		struct plm_ec2_boot boot = {.class = &class, .cluster = &cluster};
		enum plm_code code = plm_ec2_user_data(&boot, &arena, &out, &near_limit, &err);

		assert_int_equal(code, size > 16384 ? PLM_E_LIMIT : PLM_OK);
		assert_true(near_limit == (size > 14742));
	}
	assert_non_null(
		strstr(err.text, "EC2NodeClass c: user data has 16385 bytes, EC2 takes 16384"));
}

static const struct broken_case {
	const char *why;
	const char *family, *text, *error;
} broken_table[] = {
	{"no boundary", "AL2", "MIME-Version: 1.0\nContent-Type: text/plain\n\nx",
	 "names no multipart"},
	{"no end", "AL2023",
	 "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nx\n",
	 "the boundary --b-- at its end is missing"},
	{"no part", "AL2", "Content-Type: multipart/mixed; boundary=b\n\nx", "is missing"},
	{"a text without quotes", "Bottlerocket", "[settings]\na = b\n",
	 "line 2 of the TOML: a text must stand in quotes"},
	{"a key twice", "Bottlerocket", "a = 1\na = 2\n",
	 "line 2 of the TOML: a key stands there twice"},
	{"a table twice", "Bottlerocket", "[a]\n[b]\n[a]\n", "line 3 of the TOML: a table stands"},
	{"a value as a table", "Bottlerocket", "a = 1\n[a.b]\n", "a key with a value cannot have"},
	{"a string without an end", "Bottlerocket", "a = \"b\n", "a string does not end"},
	{"an array without an end", "Bottlerocket", "a = [1, 2\n", "an array does not end"},
	{"an array without commas", "Bottlerocket", "a = [1 2]\n", "a comma is missing"},
	{"two values", "Bottlerocket", "a = 1 b = 2\n", "something follows the value"},
	{"an escape of nothing", "Bottlerocket", "a = \"\\q\"\n", "an unknown escape"},
	{"half a character", "Bottlerocket", "a = \"\\ud800\"\n", "an escape is no character"},
	{"no value", "Bottlerocket", "a =\n", "a value is missing"},
	{"no equals sign", "Bottlerocket", "a\n", "= is missing behind a key"},
	{"an element of an array that is not of tables", "Bottlerocket", "a = [1]\n[[a]]\n",
	 "is no array of tables"},
	{"a header without an end", "Bottlerocket", "[a\n", "the name of a table does not end"},
};

static void broken_row(const struct broken_case *row)
{
	struct plm_w_node_class class = with_user_data(row->family, plm_slice_str(row->text));
	struct plm_ec2_boot boot = {.class = &class, .cluster = &cluster, .max_pods = 1};
	struct plm_slice out = {0};
	struct plm_error err = {0};

	plm_arena_reset(&arena);
	plm_assert_fails(plm_ec2_user_data(&boot, &arena, &out, NULL, &err), PLM_E_INPUT, err,
			 row->error);
}
PLM_TEST_ROWS(broken_row, struct broken_case)

static const struct toml_case {
	const char *why;
	const char *text, *written;
} toml_table[] = {
	{"nothing", "", ""},
	{"values", "b = 1\na = \"x\"\nc = [1, \"y\", [true]]\n",
	 "a = \"x\"\nb = 1\nc = [1, \"y\", [true]]\n"},
	{"four forms of a string",
	 "a = 'C:\\x'\nb = '''\none\ntwo'''\nc = \"\"\"\nq\\\n   r\"\"\"\nd = \"\\u00fc\\t\"\n",
	 "a = \"C:\\\\x\"\nb = \"one\\ntwo\"\nc = \"qr\"\nd = \"\xc3\xbc\\u0009\"\n"},
	{"dotted keys", "a.b.c = 1\na.b.d = 2\n", "[a]\n\n[a.b]\nc = 1\nd = 2\n"},
	{"keys in quotes", "\"a b\".\"c.d\" = 1\n", "[\"a b\"]\n\"c.d\" = 1\n"},
	{"inline tables", "a = {c = 1, b = {d = 2}}\n", "[a]\nc = 1\n\n[a.b]\nd = 2\n"},
	{"inline tables in an array", "a = [{b = 1}, {b = 2}]\n", "a = [{ b = 1 }, { b = 2 }]\n"},
	{"array of tables", "[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3\n",
	 "[[a]]\nb = 1\n\n[[a]]\nb = 2\n\n[a.c]\nd = 3\n"},
	{"an array over lines", "a = [\n  1, # one\n  2,\n]\n", "a = [1, 2]\n"},
	{"numbers and dates as they are", "a = 0x1F\nb = -1_000.5e+3\nc = 07:32:00\nd = inf\n",
	 "a = 0x1F\nb = -1_000.5e+3\nc = 07:32:00\nd = inf\n"},
};

static void toml_row(const struct toml_case *row)
{
	struct plm_toml *root = NULL;
	struct plm_toml *twice = NULL;
	struct plm_slice once = {0};
	struct plm_error err = {0};

	plm_arena_reset(&arena);
	plm_assert_ok(plm_toml_read(plm_slice_str(row->text), &arena, &root, &err), &err);
	once = plm_toml_write(root, &arena);
	plm_assert_text(once, row->written);
	plm_assert_ok(plm_toml_read(once, &arena, &twice, &err), &err);
	plm_assert_text(plm_toml_write(twice, &arena), row->written);
}
PLM_TEST_ROWS(toml_row, struct toml_case)

int main(void)
{
	static struct plm_tests tests;
	struct plm_error err = {0};

	plm_assert_ok(plm_arena_init(&arena, (size_t)16 << 20, &err), &err);
	PLM_TEST_TABLE(&tests, golden_row, golden_table);
	PLM_TEST_ADD(&tests, spot_and_reserved_differ);
	PLM_TEST_ADD(&tests, one_efa_per_card);
	PLM_TEST_ADD(&tests, the_name_follows_from_the_value);
	PLM_TEST_ADD(&tests, size_has_a_limit_and_a_warning);
	PLM_TEST_TABLE(&tests, broken_row, broken_table);
	PLM_TEST_TABLE(&tests, toml_row, toml_table);
	return plm_tests_run(&tests, "ec2_template");
}
