#include "adapters/catalog/ec2_type.h"

#include "adapters/catalog/labels.h"
#include "ec2/capacity.h"

/* The resources that an EC2 type can have, sorted by name as lists of amounts are. */
enum resource {
	AMD_GPU,
	NEURON,
	NEURON_CORE,
	CPU,
	EPHEMERAL,
	GAUDI,
	MEMORY,
	GPU,
	PODS,
	EFA,
	POD_ENI,
	RESOURCE_COUNT,
};

static const char *const resource_names[RESOURCE_COUNT] = {
	[AMD_GPU] = "amd.com/gpu",
	[NEURON] = "aws.amazon.com/neuron",
	[NEURON_CORE] = "aws.amazon.com/neuroncore",
	[CPU] = "cpu",
	[EPHEMERAL] = "ephemeral-storage",
	[GAUDI] = "habana.ai/gaudi",
	[MEMORY] = "memory",
	[GPU] = "nvidia.com/gpu",
	[PODS] = "pods",
	[EFA] = "vpc.amazonaws.com/efa",
	[POD_ENI] = "vpc.amazonaws.com/pod-eni",
};

/* Those that a class has a say in. */
static const struct {
	enum resource here;
	enum plm_ec2_resource there;
} of_class[] = {
	{CPU, PLM_EC2_CPU},	  {EPHEMERAL, PLM_EC2_STORAGE},
	{MEMORY, PLM_EC2_MEMORY}, {PODS, PLM_EC2_PODS_RESOURCE},
	{EFA, PLM_EC2_EFA},
};

/* ---- labels ------------------------------------------------------------------------------------ */

struct labels {
	struct plm_w_expr *exprs;
	struct plm_arena *arena;
};

static void put_values(struct labels *labels, enum plm_catalog_label label, struct plm_vec values)
{
	labels->exprs[label].op = PLM_OP_IN;
	labels->exprs[label].values = values;
}

static void put_slice(struct labels *labels, enum plm_catalog_label label, struct plm_slice value)
{
	struct plm_slice *one = PLM_NEW(labels->arena, struct plm_slice);

	*one = value;
	put_values(labels, label, (struct plm_vec){.ptr = one, .count = 1});
}

static void put_text(struct labels *labels, enum plm_catalog_label label, const char *value)
{
	if (value != NULL && value[0] != '\0') {
		put_slice(labels, label, plm_slice_str(value));
	}
}

static void put_number(struct labels *labels, enum plm_catalog_label label, int64_t value)
{
	put_slice(labels, label, plm_arena_format(labels->arena, "%lld", (long long)value));
}

static void put_positive(struct labels *labels, enum plm_catalog_label label, int64_t value)
{
	if (value > 0) {
		put_number(labels, label, value);
	}
}

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Category, generation, family and size: "m5.large" is m, 5, m5, large; "u-6tb1.metal" is u, 1, u-6tb1,
 * metal. A name of another form ("mac-m4.metal") has neither category nor generation.
 */
static void put_name_parts(struct labels *labels, const char *name)
{
	const char *dot = strchr(name, '.');
	const char *at = name;
	const char *category_end = NULL;
	const char *digits = NULL;

	if (dot == NULL) {
		return;
	}
	put_slice(labels, PLM_LABEL_FAMILY, plm_slice_of(name, (size_t)(dot - name)));
	put_text(labels, PLM_LABEL_SIZE, dot + 1);
	while (is_letter(*at)) {
		at++;
	}
	category_end = at;
	if (*at == '-') {
		at++;
		while (is_digit(*at)) {
			at++;
		}
		at = strncmp(at, "tb", 2) == 0 ? at + 2 : category_end;
	}
	digits = at;
	while (is_digit(*at)) {
		at++;
	}
	if (category_end > name && at > digits) {
		put_slice(labels, PLM_LABEL_CATEGORY,
			  plm_slice_of(name, (size_t)(category_end - name)));
		put_slice(labels, PLM_LABEL_GENERATION,
			  plm_slice_of(digits, (size_t)(at - digits)));
	}
}

static void put_devices(struct labels *labels, const struct plm_ec2_facts *facts)
{
	if (facts->gpu_maker != NULL && facts->gpu_maker[0] != '\0') {
		put_text(labels, PLM_LABEL_GPU_NAME, facts->gpu_name);
		put_text(labels, PLM_LABEL_GPU_MANUFACTURER, facts->gpu_maker);
		put_number(labels, PLM_LABEL_GPU_COUNT, facts->gpu_count);
		put_number(labels, PLM_LABEL_GPU_MEMORY, facts->gpu_mem_mib);
	}
	if (facts->accelerator_count > 0) {
		put_text(labels, PLM_LABEL_ACCELERATOR_NAME, facts->accelerator_name);
		put_text(labels, PLM_LABEL_ACCELERATOR_MANUFACTURER, facts->accelerator_maker);
		put_number(labels, PLM_LABEL_ACCELERATOR_COUNT, facts->accelerator_count);
	}
}

static void put_facts(struct labels *labels, const struct plm_ec2_facts *facts)
{
	static const char *const tenancies[] = {"dedicated", "default"};
	struct plm_slice *tenancy =
		PLM_NEW_ARRAY(labels->arena, PLM_COUNTOF(tenancies), struct plm_slice);

	for (size_t i = 0; i < PLM_COUNTOF(tenancies); i++) {
		tenancy[i] = plm_slice_str(tenancies[i]);
	}
	put_values(labels, PLM_LABEL_TENANCY,
		   (struct plm_vec){.ptr = tenancy, .count = PLM_COUNTOF(tenancies)});
	put_text(labels, PLM_LABEL_INSTANCE_TYPE, facts->name);
	put_text(labels, PLM_LABEL_ARCH, facts->arch);
	put_text(labels, PLM_LABEL_OS, "linux");
	/* Bare metal has an empty hypervisor, which is a value, not an absence. */
	put_slice(labels, PLM_LABEL_HYPERVISOR, plm_slice_str(facts->hypervisor));
	put_text(labels, PLM_LABEL_CPU_MANUFACTURER, facts->cpu_maker);
	put_text(labels, PLM_LABEL_ENCRYPTION, facts->encrypts_in_transit ? "true" : "false");
	put_text(labels, PLM_LABEL_CAPABILITY_FLEX,
		 strstr(facts->name, "-flex.") != NULL ? "true" : "false");
	put_number(labels, PLM_LABEL_CPU, facts->vcpu);
	put_number(labels, PLM_LABEL_CPU_CLOCK, facts->clock_mhz);
	put_number(labels, PLM_LABEL_MEMORY, facts->memory_mib);
	put_positive(labels, PLM_LABEL_LOCAL_NVME, facts->local_nvme_gb);
	put_positive(labels, PLM_LABEL_NETWORK_BANDWIDTH, facts->network_mbps);
	put_positive(labels, PLM_LABEL_EBS_BANDWIDTH, facts->ebs_mbps);
}

/* ---- capacity ---------------------------------------------------------------------------------- */

static struct plm_vec amounts(const int64_t *values, const bool *shown, struct plm_arena *arena)
{
	struct plm_w_amount *list = PLM_NEW_ARRAY(arena, RESOURCE_COUNT, struct plm_w_amount);
	size_t count = 0;

	for (size_t i = 0; i < RESOURCE_COUNT; i++) {
		if (shown[i]) {
			list[count].resource = plm_slice_str(resource_names[i]);
			list[count].amount = values[i];
			count++;
		}
	}
	return (struct plm_vec){.ptr = list, .count = count};
}

static struct plm_w_ec2_facts facts_of(const struct plm_ec2_facts *facts)
{
	return (struct plm_w_ec2_facts){
		.vcpu = facts->vcpu,
		.memory_mib = facts->memory_mib,
		.reserved_mib = strcmp(facts->arch, "arm64") == 0 ? PLM_EC2_ARM_RESERVED_MIB : 0,
		.enis = facts->enis,
		.ipv4_per_eni = facts->ipv4_per_eni,
		.store_gb = facts->local_nvme_gb,
		.efa = facts->efa,
	};
}

/* What its maker's device plugin calls a GPU. */
static enum resource gpu_of(const struct plm_ec2_facts *facts)
{
	const char *maker = facts->gpu_maker == NULL ? "" : facts->gpu_maker;

	if (strcmp(maker, "amd") == 0) {
		return AMD_GPU;
	}
	return strcmp(maker, "habana") == 0 ? GAUDI : GPU;
}

static void put_capacity(const struct plm_ec2_facts *facts, struct plm_arena *arena,
			 struct plm_w_instance_type *out)
{
	struct plm_w_ec2_facts *said = PLM_NEW(arena, struct plm_w_ec2_facts);
	const struct plm_class_capacity plain = {0};
	const struct plm_ec2_settings settings = {0};
	struct plm_ec2_amounts from_class;
	struct plm_type_facts type;
	int64_t values[RESOURCE_COUNT] = {
		[NEURON] = facts->neuron_devices,
		[NEURON_CORE] = facts->neuron_cores,
		[POD_ENI] = facts->branch_enis,
	};
	bool shown[RESOURCE_COUNT] = {0};

	values[gpu_of(facts)] = facts->gpu_count;
	*said = facts_of(facts);
	type = plm_ec2_facts_of(said);
	plm_ec2_amounts(&type, &plain, &settings, 0, &from_class);
	out->facts = (struct plm_vec){said, 1};
	for (size_t i = 0; i < PLM_COUNTOF(of_class); i++) {
		values[of_class[i].here] = from_class.capacity[of_class[i].there];
	}
	for (size_t i = 0; i < RESOURCE_COUNT; i++) {
		shown[i] = values[i] > 0 || i == CPU || i == MEMORY || i == PODS || i == EPHEMERAL;
	}
	out->capacity = amounts(values, shown, arena);
	for (size_t i = 0; i < PLM_COUNTOF(of_class); i++) {
		values[of_class[i].here] = from_class.allocatable[of_class[i].there];
	}
	out->allocatable = amounts(values, shown, arena);
}

void plm_ec2_type(const struct plm_ec2_facts *facts, struct plm_slice region, struct plm_vec zones,
		  struct plm_vec capacity_types, struct plm_arena *arena,
		  struct plm_w_instance_type *out)
{
	struct labels labels = {
		.exprs = PLM_NEW_ARRAY(arena, PLM_LABEL_COUNT, struct plm_w_expr),
		.arena = arena,
	};

	for (size_t i = 0; i < PLM_LABEL_COUNT; i++) {
		labels.exprs[i].key = plm_slice_str(plm_catalog_labels[i]);
		labels.exprs[i].op = PLM_OP_DOES_NOT_EXIST;
		labels.exprs[i].min_values = PLM_UNSET;
	}
	put_facts(&labels, facts);
	put_name_parts(&labels, facts->name);
	put_devices(&labels, facts);
	put_slice(&labels, PLM_LABEL_REGION, region);
	put_values(&labels, PLM_LABEL_ZONE, zones);
	put_values(&labels, PLM_LABEL_CAPACITY_TYPE, capacity_types);
	*out = (struct plm_w_instance_type){
		.name = plm_slice_str(facts->name),
		.requirements = {.ptr = labels.exprs, .count = PLM_LABEL_COUNT},
	};
	put_capacity(facts, arena, out);
}
