#include "plm_test.h"

#include "adapters/catalog/ec2_type.h"
#include "ec2/capacity.h"

#define MIB (1024LL * 1024)

static struct plm_arena arena;

/* The facts of data/ec2 for m5.large, changed a little by the rows. */
static struct plm_ec2_facts m5_large(void)
{
	return (struct plm_ec2_facts){
		.name = "m5.large",
		.arch = "amd64",
		.hypervisor = "nitro",
		.cpu_maker = "intel",
		.vcpu = 2,
		.memory_mib = 8192,
		.clock_mhz = 3100,
		.network_mbps = 750,
		.ebs_mbps = 4750,
		.enis = 3,
		.ipv4_per_eni = 10,
		.branch_enis = 9,
		.on_demand = true,
		.spot = true,
	};
}

static struct plm_w_instance_type project(const struct plm_ec2_facts *facts)
{
	struct plm_w_instance_type type = {0};
	static struct plm_slice zone;

	zone = plm_slice_str("us-west-2a");
	plm_ec2_type(facts, plm_slice_str("us-west-2"), (struct plm_vec){&zone, 1},
		     (struct plm_vec){&zone, 0}, &arena, &type);
	return type;
}

/* Values of the requirement joined by a comma; "-" = does not exist, "?" = not named at all. */
static const char *label(const struct plm_w_instance_type *type, const char *key)
{
	const struct plm_w_expr *exprs = type->requirements.ptr;

	for (size_t i = 0; i < type->requirements.count; i++) {
		const struct plm_slice *values = exprs[i].values.ptr;
		struct plm_slice text = plm_slice_str("");

		if (!plm_slice_is(exprs[i].key, key)) {
			continue;
		}
		if (exprs[i].op == PLM_OP_DOES_NOT_EXIST) {
			return "-";
		}
		assert_int_equal(exprs[i].op, PLM_OP_IN);
		for (size_t j = 0; j < exprs[i].values.count; j++) {
			text = plm_arena_format(&arena, "%.*s%s%.*s", (int)text.size, text.ptr,
						j == 0 ? "" : ",", (int)values[j].size,
						values[j].ptr);
		}
		return (const char *)text.ptr;
	}
	return "?";
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

static const struct name_case {
	const char *why;
	const char *name, *category, *generation, *family, *size, *flex;
} name_table[] = {
	{"plain", "m5.large", "m", "5", "m5", "large", "false"},
	{"letters after the number", "c6gn.16xlarge", "c", "6", "c6gn", "16xlarge", "false"},
	{"two letters", "is4gen.medium", "is", "4", "is4gen", "medium", "false"},
	{"flex", "m7i-flex.xlarge", "m", "7", "m7i-flex", "xlarge", "true"},
	{"terabytes before the number", "u-6tb1.metal", "u", "1", "u-6tb1", "metal", "false"},
	{"terabytes after the number", "u7i-12tb.224xlarge", "u", "7", "u7i-12tb", "224xlarge",
	 "false"},
	{"no number", "mac-m4.metal", "-", "-", "mac-m4", "metal", "false"},
	{"size with a dash", "c7i.metal-24xl", "c", "7", "c7i", "metal-24xl", "false"},
};

static void name_row(const struct name_case *row)
{
	struct plm_ec2_facts facts = m5_large();
	struct plm_w_instance_type type;

	facts.name = row->name;
	type = project(&facts);
	assert_string_equal(label(&type, "node.kubernetes.io/instance-type"), row->name);
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-category"), row->category);
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-generation"), row->generation);
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-family"), row->family);
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-size"), row->size);
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-capability-flex"), row->flex);
}
PLM_TEST_ROWS(name_row, struct name_case)

static const struct cpu_case {
	const char *why;
	int64_t cpu_milli, reserved_milli;
} cpu_table[] = {
	{"none", 0, 0},
	{"one core", 1000, 60},
	{"two cores", 2000, 70},
	{"four cores", 4000, 80},
	{"eight cores", 8000, 90},
	{"48 cores", 48000, 190},
	{"96 cores", 96000, 310},
	{"part of a core is cut", 1050, 60},
};

static void cpu_row(const struct cpu_case *row)
{
	assert_int_equal(plm_ec2_reserved_cpu_milli(row->cpu_milli), row->reserved_milli);
}
PLM_TEST_ROWS(cpu_row, struct cpu_case)

/* The worked example of karpenter.md 4.4. */
static void m5_large_is_the_worked_example(void **state)
{
	struct plm_ec2_facts facts = m5_large();
	struct plm_w_instance_type type = project(&facts);

	(void)state;
	assert_int_equal(amount(type.capacity, "cpu"), 2000);
	assert_int_equal(amount(type.capacity, "memory"), 7577 * MIB);
	assert_int_equal(amount(type.capacity, "pods"), 29);
	assert_int_equal(amount(type.capacity, "ephemeral-storage"), 20480 * MIB);
	assert_int_equal(amount(type.allocatable, "cpu"), 1930);
	assert_int_equal(amount(type.allocatable, "memory"), 6903 * MIB);
	assert_int_equal(amount(type.allocatable, "pods"), 29);
	assert_int_equal(amount(type.allocatable, "ephemeral-storage"), 17408 * MIB);
	assert_int_equal(amount(type.allocatable, "vpc.amazonaws.com/pod-eni"), 9);
	assert_int_equal(amount(type.allocatable, "nvidia.com/gpu"), 0);
}

/* 196,608 MiB on arm64: the row m6g.12xlarge of the behaviour cases. */
static void arm_gives_up_64_mib_first(void **state)
{
	struct plm_ec2_facts facts = m5_large();
	struct plm_w_instance_type type;

	(void)state;
	facts.name = "m6g.12xlarge";
	facts.arch = "arm64";
	facts.vcpu = 48;
	facts.memory_mib = 196608;
	facts.enis = 8;
	facts.ipv4_per_eni = 30;
	type = project(&facts);
	assert_int_equal(amount(type.capacity, "pods"), 234);
	assert_int_equal(amount(type.capacity, "memory"), (196544 - 14741) * MIB);
	assert_int_equal(amount(type.allocatable, "memory"),
			 (196544 - 14741 - (11 * 234 + 255) - 100) * MIB);
	assert_int_equal(amount(type.allocatable, "cpu"), 47810);
}

static void labels_are_complete_and_sorted(void **state)
{
	struct plm_ec2_facts facts = m5_large();
	struct plm_w_instance_type type = project(&facts);
	const struct plm_w_expr *exprs = type.requirements.ptr;

	(void)state;
	assert_int_equal(type.requirements.count, 36);
	for (size_t i = 1; i < type.requirements.count; i++) {
		assert_true(plm_slice_compare(exprs[i - 1].key, exprs[i].key) < 0);
	}
	assert_string_equal(label(&type, "kubernetes.io/os"), "linux");
	assert_string_equal(label(&type, "kubernetes.io/arch"), "amd64");
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-cpu"), "2");
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-memory"), "8192");
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-network-bandwidth"), "750");
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-ebs-bandwidth"), "4750");
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-tenancy"),
			    "dedicated,default");
	assert_string_equal(label(&type, "topology.kubernetes.io/region"), "us-west-2");
	assert_string_equal(label(&type, "topology.kubernetes.io/zone"), "us-west-2a");
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-local-nvme"), "-");
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-gpu-count"), "-");
	assert_string_equal(label(&type, "karpenter.k8s.aws/capacity-reservation-id"), "-");
	assert_string_equal(label(&type, "node.kubernetes.io/windows-build"), "-");
}

static void devices_have_labels_and_amounts(void **state)
{
	struct plm_ec2_facts facts = m5_large();
	struct plm_w_instance_type type;

	(void)state;
	facts.name = "p4d.24xlarge";
	facts.gpu_name = "a100";
	facts.gpu_maker = "nvidia";
	facts.gpu_count = 8;
	facts.gpu_mem_mib = 40960;
	facts.efa = 4;
	facts.accelerator_name = "trainium";
	facts.accelerator_maker = "aws";
	facts.accelerator_count = 16;
	facts.neuron_devices = 16;
	facts.neuron_cores = 32;
	type = project(&facts);
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-gpu-name"), "a100");
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-gpu-manufacturer"), "nvidia");
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-gpu-count"), "8");
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-gpu-memory"), "40960");
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-accelerator-name"),
			    "trainium");
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-accelerator-count"), "16");
	assert_int_equal(amount(type.allocatable, "nvidia.com/gpu"), 8);
	assert_int_equal(amount(type.allocatable, "vpc.amazonaws.com/efa"), 4);
	assert_int_equal(amount(type.allocatable, "aws.amazon.com/neuron"), 16);
	assert_int_equal(amount(type.allocatable, "aws.amazon.com/neuroncore"), 32);
}

static void bare_metal_has_an_empty_hypervisor(void **state)
{
	struct plm_ec2_facts facts = m5_large();
	struct plm_w_instance_type type;

	(void)state;
	facts.hypervisor = "";
	type = project(&facts);
	assert_string_equal(label(&type, "karpenter.k8s.aws/instance-hypervisor"), "");
}

static void no_interface_no_pods(void **state)
{
	struct plm_ec2_facts facts = m5_large();
	struct plm_w_instance_type type;

	(void)state;
	facts.enis = 0;
	type = project(&facts);
	assert_int_equal(amount(type.capacity, "pods"), 0);
	assert_int_equal(amount(type.allocatable, "memory"), (7577 - 255 - 100) * MIB);
}

int main(void)
{
	static struct plm_tests tests;
	int failed = 0;

	plm_assert_ok(plm_arena_init(&arena, (size_t)1 << 24, NULL), NULL);
	PLM_TEST_TABLE(&tests, name_row, name_table);
	PLM_TEST_TABLE(&tests, cpu_row, cpu_table);
	PLM_TEST_ADD(&tests, m5_large_is_the_worked_example);
	PLM_TEST_ADD(&tests, arm_gives_up_64_mib_first);
	PLM_TEST_ADD(&tests, labels_are_complete_and_sorted);
	PLM_TEST_ADD(&tests, devices_have_labels_and_amounts);
	PLM_TEST_ADD(&tests, bare_metal_has_an_empty_hypervisor);
	PLM_TEST_ADD(&tests, no_interface_no_pods);
	failed = plm_tests_run(&tests, "ec2_type");
	plm_arena_fini(&arena);
	return failed;
}
