/* Real instance types under real classes: what the formulas of karpenter.md 4.4 give. */
#include "plm_test.h"

#include "ec2/capacity.h"

#define MIB (1024LL * 1024)
#define GIB (1024 * MIB)

/* As DescribeInstanceTypes has them: vCPU, MiB, kept by arm64, interfaces, addresses, GB, EFA. */
static const struct plm_type_facts m5_large = {2, 8192, 0, 3, 10, 0, 0};
static const struct plm_type_facts c6g_large = {2, 4096, 64, 3, 10, 0, 0};
static const struct plm_type_facts t3_large = {2, 8192, 0, 3, 12, 0, 0};
static const struct plm_type_facts t4g_small = {2, 2048, 64, 3, 4, 0, 0};
static const struct plm_type_facts c6g_metal = {64, 131072, 64, 15, 50, 0, 0};
static const struct plm_type_facts m5_metal = {96, 393216, 0, 15, 50, 0, 0};
static const struct plm_type_facts g4dn_8xlarge = {32, 131072, 0, 4, 15, 900, 1};
static const struct plm_type_facts p5_48xlarge = {192, 2097152, 0, 2, 50, 30400, 32};
static const struct plm_type_facts inf2_24xlarge = {96, 393216, 0, 15, 50, 0, 0};
static const struct plm_type_facts trn1_32xlarge = {128, 524288, 0, 5, 50, 7600, 8};
static const struct plm_type_facts m6idn_32xlarge = {128, 524288, 0, 8, 50, 7600, 2};

static const struct plm_class_capacity plain;
static const struct plm_ec2_settings defaults;

/* ---- types under a class that says nothing ------------------------------------------------------- */

static const struct plain_case {
	const char *why;
	const struct plm_type_facts *facts;
	int64_t memory_mib, pods, cpu_milli, left_mib; /* capacity, then what is for pods */
} plain_table[] = {
	{"m5.large: the worked example", &m5_large, 7577, 29, 1930, 6903},
	{"c6g.large: 64 MiB less first", &c6g_large, 3729, 29, 1930, 3055},
	{"t3.large", &t3_large, 7577, 35, 1930, 6837},
	{"t4g.small: a third is left", &t4g_small, 1835, 11, 1930, 1359},
	{"c6g.metal: metal pays the overhead too", &c6g_metal, 121182, 737, 63770, 112720},
	{"m5.metal", &m5_metal, 363724, 737, 95690, 355262},
	{"g4dn.8xlarge", &g4dn_8xlarge, 121241, 58, 31850, 120248},
	{"p5.48xlarge: two interfaces on card 0", &p5_48xlarge, 1939865, 100, 191450, 1938410},
	{"inf2.24xlarge", &inf2_24xlarge, 363724, 737, 95690, 355262},
	{"trn1.32xlarge", &trn1_32xlarge, 484966, 247, 127610, 481894},
	{"m6idn.32xlarge: of two cards the first counts", &m6idn_32xlarge, 484966, 394, 127610,
	 480277},
};

static void plain_row(const struct plain_case *row)
{
	struct plm_ec2_amounts have;

	plm_ec2_amounts(row->facts, &plain, &defaults, 0, &have);
	assert_int_equal(have.capacity[PLM_EC2_CPU], row->facts->vcpu * 1000);
	assert_int_equal(have.capacity[PLM_EC2_MEMORY], row->memory_mib * MIB);
	assert_int_equal(have.capacity[PLM_EC2_PODS_RESOURCE], row->pods);
	assert_int_equal(have.capacity[PLM_EC2_STORAGE], 20 * GIB);
	assert_int_equal(have.capacity[PLM_EC2_EFA], row->facts->efa);
	assert_int_equal(have.capacity[PLM_EC2_IPV4], 0);
	assert_int_equal(have.allocatable[PLM_EC2_CPU], row->cpu_milli);
	assert_int_equal(have.allocatable[PLM_EC2_MEMORY], row->left_mib * MIB);
	assert_int_equal(have.allocatable[PLM_EC2_PODS_RESOURCE], row->pods);
	assert_int_equal(have.allocatable[PLM_EC2_STORAGE], 17 * GIB);
}
PLM_TEST_ROWS(plain_row, struct plain_case)

/* ---- classes ------------------------------------------------------------------------------------- */

#define TEXT(text) {(const uint8_t *)(text), sizeof(text) - 1}
#define KV(key, value) {TEXT(key), TEXT(value)}
#define LIST_OF(array) {(array), PLM_COUNTOF(array)}

static const struct plm_w_kv kube_reserved[] = {KV("cpu", "200m"), KV("memory", "1Gi")};
static const struct plm_w_kv system_reserved[] = {KV("cpu", "100m"), KV("ephemeral-storage", "2Gi"),
						  KV("memory", "100Mi")};
static const struct plm_w_kv evict_percent[] = {KV("memory.available", "5%"),
						KV("nodefs.available", "12.5%")};
static const struct plm_w_kv evict_amount[] = {KV("memory.available", "500Mi"),
					       KV("nodefs.available", "3Gi")};
static const struct plm_w_kv evict_never[] = {KV("memory.available", "100%")};
static const struct plm_w_kv evict_odd[] = {KV("memory.available", "many")};

/* The section with two numbers, N for none, and lists. */
#define N PLM_UNSET
#define SAYS(pods, per_core, ...)                                                                  \
	.kubelet = {.present = 1, .max_pods = (pods), .pods_per_core = (per_core), __VA_ARGS__}
#define FAMILY(name) .ami_family = TEXT(name)

static const struct plm_w_block_device root_100[] = {
	{.name = TEXT("/dev/xvdz"), .root = 1, .size_bytes = 100 * GIB}};
static const struct plm_w_block_device xvda_50[] = {
	{.name = TEXT("/dev/xvda"), .size_bytes = 50 * GIB},
	{.name = TEXT("/dev/xvdc"), .size_bytes = 70 * GIB}};
static const struct plm_w_class_interface efa_only[] = {
	{0, 0, TEXT("interface")}, {0, 1, TEXT("efa-only")}, {1, 1, TEXT("efa-only")}};

static const struct class_case {
	const char *why;
	const struct plm_type_facts *facts;
	struct plm_w_node_class class;
	enum plm_ec2_resource resource;
	int64_t capacity, allocatable;
} class_table[] = {
	{"max pods", &m5_large, {SAYS(20, N, .gc_high = N)}, PLM_EC2_PODS_RESOURCE, 20, 20},
	{"max pods of none", &m5_large, {SAYS(0, N, .gc_high = N)}, PLM_EC2_PODS_RESOURCE, 0, 0},
	{"max pods leave kubeReserved as it is",
	 &m5_large,
	 {SAYS(20, N, .gc_high = N)},
	 PLM_EC2_MEMORY,
	 7577 * MIB,
	 6903 * MIB},
	{"Bottlerocket reserves by pods",
	 &m5_large,
	 {FAMILY("Bottlerocket"), SAYS(20, N, .gc_high = N)},
	 PLM_EC2_MEMORY,
	 7577 * MIB,
	 (7577 - 11 * 20 - 255 - 100) * MIB},
	{"pods per core", &m5_large, {SAYS(N, 4, .gc_high = N)}, PLM_EC2_PODS_RESOURCE, 8, 8},
	{"the smaller of both",
	 &m5_large,
	 {SAYS(30, 20, .gc_high = N)},
	 PLM_EC2_PODS_RESOURCE,
	 30,
	 30},
	{"Bottlerocket knows no pods per core",
	 &m5_large,
	 {FAMILY("Bottlerocket"), SAYS(N, 1, .gc_high = N)},
	 PLM_EC2_PODS_RESOURCE,
	 29,
	 29},
	{"Windows has 110 pods",
	 &m5_large,
	 {FAMILY("Windows2022")},
	 PLM_EC2_PODS_RESOURCE,
	 110,
	 110},
	{"Windows reserves for them",
	 &m5_large,
	 {FAMILY("Windows2022")},
	 PLM_EC2_MEMORY,
	 7577 * MIB,
	 (7577 - 11 * 110 - 255 - 100) * MIB},
	{"Windows has addresses", &m5_large, {FAMILY("Windows2019")}, PLM_EC2_IPV4, 9, 9},
	{"Windows boots from 50Gi",
	 &m5_large,
	 {FAMILY("Windows2025")},
	 PLM_EC2_STORAGE,
	 50 * GIB,
	 44 * GIB},
	{"kubeReserved cpu",
	 &m5_large,
	 {SAYS(N, N, .kube_reserved = LIST_OF(kube_reserved))},
	 PLM_EC2_CPU,
	 2000,
	 1800},
	{"kubeReserved memory",
	 &m5_large,
	 {SAYS(N, N, .kube_reserved = LIST_OF(kube_reserved))},
	 PLM_EC2_MEMORY,
	 7577 * MIB,
	 (7577 - 1024 - 100) * MIB},
	{"kubeReserved says nothing of storage",
	 &m5_large,
	 {SAYS(N, N, .kube_reserved = LIST_OF(kube_reserved))},
	 PLM_EC2_STORAGE,
	 20 * GIB,
	 17 * GIB},
	{"systemReserved is on top",
	 &m5_large,
	 {SAYS(N, N, .kube_reserved = LIST_OF(kube_reserved),
	       .system_reserved = LIST_OF(system_reserved))},
	 PLM_EC2_CPU,
	 2000,
	 1700},
	{"systemReserved memory",
	 &m5_large,
	 {SAYS(N, N, .system_reserved = LIST_OF(system_reserved))},
	 PLM_EC2_MEMORY,
	 7577 * MIB,
	 6803 * MIB},
	{"systemReserved storage",
	 &m5_large,
	 {SAYS(N, N, .system_reserved = LIST_OF(system_reserved))},
	 PLM_EC2_STORAGE,
	 20 * GIB,
	 15 * GIB},
	{"a threshold in percent, rounded up",
	 &m5_large,
	 {SAYS(N, N, .eviction_hard = LIST_OF(evict_percent))},
	 PLM_EC2_MEMORY,
	 7577 * MIB,
	 7003 * MIB - 397253018},
	{"with a fraction",
	 &m5_large,
	 {SAYS(N, N, .eviction_hard = LIST_OF(evict_percent))},
	 PLM_EC2_STORAGE,
	 20 * GIB,
	 20 * GIB - GIB - 5 * GIB / 2},
	{"a threshold as an amount",
	 &m5_large,
	 {SAYS(N, N, .eviction_hard = LIST_OF(evict_amount))},
	 PLM_EC2_MEMORY,
	 7577 * MIB,
	 (7003 - 500) * MIB},
	{"storage as an amount",
	 &m5_large,
	 {SAYS(N, N, .eviction_hard = LIST_OF(evict_amount))},
	 PLM_EC2_STORAGE,
	 20 * GIB,
	 16 * GIB},
	{"100% turns it off",
	 &m5_large,
	 {SAYS(N, N, .eviction_hard = LIST_OF(evict_never))},
	 PLM_EC2_MEMORY,
	 7577 * MIB,
	 7003 * MIB},
	{"no quantity says nothing",
	 &m5_large,
	 {SAYS(N, N, .eviction_hard = LIST_OF(evict_odd))},
	 PLM_EC2_MEMORY,
	 7577 * MIB,
	 6903 * MIB},
	{"soft thresholds do not count",
	 &m5_large,
	 {SAYS(N, N, .eviction_soft = LIST_OF(evict_amount))},
	 PLM_EC2_MEMORY,
	 7577 * MIB,
	 6903 * MIB},
	{"RAID0 of instance stores, in GB",
	 &g4dn_8xlarge,
	 {.setup = {.raid0 = 1}},
	 PLM_EC2_STORAGE,
	 900000000000,
	 900000000000 - GIB - 90000000000},
	{"RAID0 of none", &m5_large, {.setup = {.raid0 = 1}}, PLM_EC2_STORAGE, 20 * GIB, 17 * GIB},
	{"the root volume, whatever its name",
	 &m5_large,
	 {.setup = {.devices = LIST_OF(root_100)}},
	 PLM_EC2_STORAGE,
	 100 * GIB,
	 89 * GIB},
	{"the family's device",
	 &m5_large,
	 {FAMILY("AL2023"), .setup = {.devices = LIST_OF(xvda_50)}},
	 PLM_EC2_STORAGE,
	 50 * GIB,
	 44 * GIB},
	{"another family's device is not it",
	 &m5_large,
	 {FAMILY("Bottlerocket"), .setup = {.devices = LIST_OF(xvda_50)}},
	 PLM_EC2_STORAGE,
	 20 * GIB,
	 17 * GIB},
	{"Custom takes the last one",
	 &m5_large,
	 {FAMILY("Custom"), .setup = {.devices = LIST_OF(xvda_50)}},
	 PLM_EC2_STORAGE,
	 70 * GIB,
	 62 * GIB},
	{"EFA-only interfaces are counted",
	 &p5_48xlarge,
	 {.setup = {.interfaces = LIST_OF(efa_only)}},
	 PLM_EC2_EFA,
	 2,
	 2},
	{"and take an interface of card 0",
	 &p5_48xlarge,
	 {.setup = {.interfaces = LIST_OF(efa_only)}},
	 PLM_EC2_PODS_RESOURCE,
	 51,
	 51},
};

static void class_row(const struct class_case *row)
{
	struct plm_class_capacity class = plm_ec2_class_capacity(&row->class);
	struct plm_ec2_amounts have;

	plm_ec2_amounts(row->facts, &class, &defaults, 0, &have);
	assert_int_equal(have.capacity[row->resource], row->capacity);
	assert_int_equal(have.allocatable[row->resource], row->allocatable);
}
PLM_TEST_ROWS(class_row, struct class_case)

/* ---- settings, what was seen --------------------------------------------------------------------- */

static void reserved_interfaces_take_no_pods(void **state)
{
	const struct plm_ec2_settings one = {.reserved_enis = 1};
	const struct plm_ec2_settings all = {.reserved_enis = 9};
	struct plm_ec2_amounts have;

	(void)state;
	plm_ec2_amounts(&m5_large, &plain, &one, 0, &have);
	assert_int_equal(have.capacity[PLM_EC2_PODS_RESOURCE], 20);
	/* What the kubelet reserves follows the interfaces that there are. */
	assert_int_equal(have.allocatable[PLM_EC2_MEMORY], 6903 * MIB);
	plm_ec2_amounts(&m5_large, &plain, &all, 0, &have);
	assert_int_equal(have.capacity[PLM_EC2_PODS_RESOURCE], 0);
}

static void overhead_is_a_setting(void **state)
{
	const struct plm_ec2_settings tenth = {.vm_memory_nano = 900000000};
	const struct plm_ec2_settings none = {.vm_memory_nano = 1000000000};
	struct plm_ec2_amounts have;

	(void)state;
	plm_ec2_amounts(&m5_large, &plain, &tenth, 0, &have);
	assert_int_equal(have.capacity[PLM_EC2_MEMORY], (8192 - 820) * MIB);
	plm_ec2_amounts(&m5_large, &plain, &none, 0, &have);
	assert_int_equal(have.capacity[PLM_EC2_MEMORY], 8192 * MIB);
}

static void what_was_seen_stands_for_the_estimate(void **state)
{
	struct plm_ec2_amounts have;

	(void)state;
	plm_ec2_amounts(&m5_large, &plain, &defaults, 7700 * MIB, &have);
	assert_int_equal(have.capacity[PLM_EC2_MEMORY], 7700 * MIB);
	assert_int_equal(have.allocatable[PLM_EC2_MEMORY], (7700 - 574 - 100) * MIB);
}

static void too_little_memory_is_below_zero(void **state)
{
	const struct plm_type_facts t3_nano = {2, 512, 0, 2, 2, 0, 0};
	struct plm_w_node_class class = {FAMILY("Windows2022")};
	struct plm_class_capacity windows = plm_ec2_class_capacity(&class);
	struct plm_ec2_amounts have;

	(void)state;
	plm_ec2_amounts(&t3_nano, &windows, &defaults, 0, &have);
	assert_true(have.allocatable[PLM_EC2_MEMORY] < 0);
}

static void plain_classes_are_known(void **state)
{
	struct plm_w_node_class al2023 = {FAMILY("AL2023")};
	struct plm_w_node_class bottlerocket = {FAMILY("Bottlerocket")};
	struct plm_w_node_class few = {SAYS(20, N, .gc_high = N)};
	struct plm_class_capacity class = plm_ec2_class_capacity(&al2023);
	const struct plm_ec2_settings reserved = {.reserved_enis = 1};

	(void)state;
	assert_true(plm_ec2_is_plain(&plain, &defaults));
	assert_true(plm_ec2_is_plain(&class, &defaults));
	assert_false(plm_ec2_is_plain(&class, &reserved));
	class = plm_ec2_class_capacity(&bottlerocket);
	assert_false(plm_ec2_is_plain(&class, &defaults));
	class = plm_ec2_class_capacity(&few);
	assert_false(plm_ec2_is_plain(&class, &defaults));
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, plain_row, plain_table);
	PLM_TEST_TABLE(&tests, class_row, class_table);
	PLM_TEST_ADD(&tests, reserved_interfaces_take_no_pods);
	PLM_TEST_ADD(&tests, overhead_is_a_setting);
	PLM_TEST_ADD(&tests, what_was_seen_stands_for_the_estimate);
	PLM_TEST_ADD(&tests, too_little_memory_is_below_zero);
	PLM_TEST_ADD(&tests, plain_classes_are_known);
	return plm_tests_run(&tests, "capacity");
}
