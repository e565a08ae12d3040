#include "ec2/capacity.h"

#include "core/quantity.h"

#define MIB (1024LL * 1024)
#define GIB (1024 * MIB)
#define GB 1000000000LL
#define NANO 1000000000LL

/* kubeReserved and evictionThreshold of karpenter.md 4.4. */
#define POD_MIB 11
#define KUBELET_MIB 255
#define KUBELET_STORAGE_BYTES GIB
#define EVICTION_MEMORY_BYTES (100 * MIB)
#define EVICTION_STORAGE_NANO (NANO / 10)
#define DEFAULT_VOLUME_BYTES (20 * GIB)

const char *const plm_ec2_resources[PLM_EC2_RESOURCE_COUNT] = {
	[PLM_EC2_CPU] = "cpu",
	[PLM_EC2_STORAGE] = "ephemeral-storage",
	[PLM_EC2_MEMORY] = "memory",
	[PLM_EC2_PODS_RESOURCE] = "pods",
	[PLM_EC2_IPV4] = "vpc.amazonaws.com/PrivateIPv4Address",
	[PLM_EC2_EFA] = "vpc.amazonaws.com/efa",
};

/* ---- what a class says --------------------------------------------------------------------------- */

bool plm_ec2_threshold_parse(struct plm_slice text, int64_t *out_amount, int64_t *out_nano)
{
	const uint8_t *bytes = text.ptr;
	struct plm_error err = {0};

	*out_amount = PLM_UNSET;
	*out_nano = PLM_UNSET;
	if (text.size > 1 && bytes[text.size - 1] == '%') {
		int64_t percent_nano = 0;

		if (plm_quantity_parse(plm_slice_of(bytes, text.size - 1), PLM_SCALE_NANO,
				       &percent_nano, &err) != PLM_OK ||
		    percent_nano < 0 || percent_nano > 100 * NANO) {
			return false;
		}
		*out_nano = percent_nano == 100 * NANO ? 0 : percent_nano / 100;
		return true;
	}
	return plm_quantity_parse(text, PLM_SCALE_WHOLE, out_amount, &err) == PLM_OK &&
	       *out_amount >= 0;
}

static struct plm_slice value_of(struct plm_vec kvs, const char *key)
{
	const struct plm_w_kv *list = kvs.ptr;

	for (size_t i = 0; i < kvs.count; i++) {
		if (plm_slice_is(list[i].key, key)) {
			return list[i].value;
		}
	}
	return (struct plm_slice){0};
}

static int64_t amount_of(struct plm_vec kvs, const char *key)
{
	struct plm_slice text = value_of(kvs, key);
	struct plm_error err = {0};
	int64_t amount = 0;

	if (text.size == 0 || plm_quantity_parse(text, plm_resource_scale(plm_slice_str(key)),
						 &amount, &err) != PLM_OK) {
		return PLM_UNSET;
	}
	return amount;
}

static void say_kubelet(const struct plm_w_kubelet *kubelet, struct plm_class_capacity *out)
{
	struct plm_slice memory = value_of(kubelet->eviction_hard, "memory.available");
	struct plm_slice storage = value_of(kubelet->eviction_hard, "nodefs.available");

	if (kubelet->present == 0) {
		return;
	}
	out->max_pods = kubelet->max_pods;
	out->pods_per_core = kubelet->pods_per_core;
	out->kube_cpu_milli = amount_of(kubelet->kube_reserved, "cpu");
	out->kube_memory = amount_of(kubelet->kube_reserved, "memory");
	out->kube_storage = amount_of(kubelet->kube_reserved, "ephemeral-storage");
	out->system_cpu_milli = amount_of(kubelet->system_reserved, "cpu");
	out->system_memory = amount_of(kubelet->system_reserved, "memory");
	out->system_storage = amount_of(kubelet->system_reserved, "ephemeral-storage");
	if (!plm_ec2_threshold_parse(memory, &out->evict_memory, &out->evict_memory_nano)) {
		out->evict_memory = PLM_UNSET;
	}
	if (!plm_ec2_threshold_parse(storage, &out->evict_storage, &out->evict_storage_nano)) {
		out->evict_storage = PLM_UNSET;
	}
}

/* The volume that holds the pods' files: the one marked as root, else by family, else its default. */
static int64_t volume_bytes(const struct plm_w_node_class *class, enum plm_ec2_family family)
{
	const struct plm_ec2_family_row *row = plm_ec2_family_row(family);
	const struct plm_w_block_device *devices = class->setup.devices.ptr;
	size_t count = class->setup.devices.count;

	for (size_t i = 0; i < count; i++) {
		if (devices[i].root == 1 && devices[i].size_bytes != PLM_UNSET) {
			return devices[i].size_bytes;
		}
	}
	if (count > 0 && family == PLM_EC2_CUSTOM) {
		return devices[count - 1].size_bytes == PLM_UNSET ? DEFAULT_VOLUME_BYTES
								  : devices[count - 1].size_bytes;
	}
	for (size_t i = 0; i < count; i++) {
		if (plm_slice_is(devices[i].name, row->storage_device) &&
		    devices[i].size_bytes != PLM_UNSET) {
			return devices[i].size_bytes;
		}
	}
	for (size_t i = 0; i < PLM_COUNTOF(row->volumes); i++) {
		if (row->volumes[i].device != NULL &&
		    plm_slice_is(plm_slice_str(row->volumes[i].device), row->storage_device)) {
			return row->volumes[i].bytes;
		}
	}
	return DEFAULT_VOLUME_BYTES;
}

static void say_interfaces(const struct plm_w_node_class *class, struct plm_class_capacity *out)
{
	const struct plm_w_class_interface *list = class->setup.interfaces.ptr;

	if (class->setup.interfaces.count == 0) {
		return;
	}
	out->efa_only = 0;
	out->efa_only_first = 0;
	for (size_t i = 0; i < class->setup.interfaces.count; i++) {
		if (plm_slice_is(list[i].type, "efa-only")) {
			out->efa_only++;
			out->efa_only_first += list[i].card == 0 ? 1 : 0;
		}
	}
}

struct plm_class_capacity plm_ec2_class_capacity(const struct plm_w_node_class *class)
{
	struct plm_class_capacity out = {
		.said = 1,
		.family = plm_ec2_family_of(class),
		.max_pods = PLM_UNSET,
		.pods_per_core = PLM_UNSET,
		.kube_cpu_milli = PLM_UNSET,
		.kube_memory = PLM_UNSET,
		.kube_storage = PLM_UNSET,
		.system_cpu_milli = PLM_UNSET,
		.system_memory = PLM_UNSET,
		.system_storage = PLM_UNSET,
		.evict_memory = PLM_UNSET,
		.evict_memory_nano = PLM_UNSET,
		.evict_storage = PLM_UNSET,
		.evict_storage_nano = PLM_UNSET,
		.efa_only = PLM_UNSET,
		.raid0 = class->setup.raid0 == 1 ? 1 : 0,
	};

	out.volume_bytes = volume_bytes(class, (enum plm_ec2_family)out.family);
	say_kubelet(&class->kubelet, &out);
	say_interfaces(class, &out);
	return out;
}

static struct plm_class_capacity says_nothing(void)
{
	const struct plm_w_node_class none = {0};

	return plm_ec2_class_capacity(&none);
}

/* A family that counts as the default one does. */
static bool counts_plainly(uint32_t family)
{
	const struct plm_ec2_family_row *row = plm_ec2_family_row((enum plm_ec2_family)family);

	return row->eni_pods && row->eni_memory && row->pods_per_core;
}

bool plm_ec2_is_plain(const struct plm_class_capacity *class,
		      const struct plm_ec2_settings *settings)
{
	struct plm_class_capacity plain = says_nothing();

	if ((settings->vm_memory_nano != 0 && settings->vm_memory_nano != PLM_EC2_VM_MEMORY_NANO) ||
	    settings->reserved_enis > 0) {
		return false;
	}
	if (class->said == 0) {
		return true;
	}
	if (!counts_plainly(class->family)) {
		return false;
	}
	plain.family = class->family;
	return memcmp(&plain, class, sizeof(plain)) == 0;
}

struct plm_type_facts plm_ec2_facts_of(const struct plm_w_ec2_facts *w)
{
	return (struct plm_type_facts){
		.vcpu = w->vcpu,
		.memory_mib = w->memory_mib,
		.reserved_mib = w->reserved_mib,
		.enis = w->enis,
		.ipv4_per_eni = w->ipv4_per_eni,
		.store_gb = w->store_gb,
		.efa = w->efa,
	};
}

/* ---- capacity ------------------------------------------------------------------------------------ */

/* ceil(amount * nano / 10^9), in 128 bits between. */
static int64_t share_up(int64_t amount, int64_t nano)
{
	return (int64_t)(((plm_i128)amount * nano + (NANO - 1)) / NANO);
}

static int64_t memory_bytes(const struct plm_type_facts *facts,
			    const struct plm_ec2_settings *settings)
{
	int64_t left =
		settings->vm_memory_nano == 0 ? PLM_EC2_VM_MEMORY_NANO : settings->vm_memory_nano;
	int64_t mib = facts->memory_mib - facts->reserved_mib;

	return (mib - share_up(mib, NANO - left)) * MIB;
}

static int64_t eni_pods(const struct plm_type_facts *facts, const struct plm_class_capacity *class,
			int64_t reserved_enis)
{
	int64_t enis = facts->enis - reserved_enis - plm_max(class->efa_only_first, 0);

	return enis <= 0 ? 0 : enis * (facts->ipv4_per_eni - 1) + 2;
}

static int64_t pods_of(const struct plm_type_facts *facts, const struct plm_class_capacity *class,
		       const struct plm_ec2_settings *settings)
{
	const struct plm_ec2_family_row *row =
		plm_ec2_family_row((enum plm_ec2_family) class->family);
	int64_t pods = PLM_EC2_PODS;

	if (class->max_pods != PLM_UNSET) {
		pods = class->max_pods;
	} else if (row->eni_pods) {
		pods = eni_pods(facts, class, settings->reserved_enis);
	}
	if (class->pods_per_core > 0 && row->pods_per_core) {
		pods = plm_min(pods, plm_mul_sat(class->pods_per_core, facts->vcpu));
	}
	return pods;
}

static int64_t storage_bytes(const struct plm_type_facts *facts,
			     const struct plm_class_capacity *class)
{
	if (class->raid0 == 1 && facts->store_gb > 0) {
		return facts->store_gb * GB;
	}
	return class->volume_bytes;
}

/* ---- what is kept from pods ---------------------------------------------------------------------- */

int64_t plm_ec2_reserved_cpu_milli(int64_t cpu_milli)
{
	/* 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest. */
	static const struct {
		int64_t from_milli, to_milli, per_hundred_thousand;
	} portions[] = {
		{0, 1000, 6000},
		{1000, 2000, 1000},
		{2000, 4000, 500},
		{4000, INT64_MAX, 250},
	};
	int64_t reserved = 0;

	PLM_ASSERT(cpu_milli >= 0 && cpu_milli < INT64_MAX / 6000);
	for (size_t i = 0; i < PLM_COUNTOF(portions); i++) {
		int64_t upto = plm_min(cpu_milli, portions[i].to_milli);

		if (upto > portions[i].from_milli) {
			/* Each portion is cut to whole milli-cores by itself, as upstream does. */
			reserved += (upto - portions[i].from_milli) *
				    portions[i].per_hundred_thousand / 100000;
		}
	}
	return reserved;
}

static int64_t said_or(int64_t said, int64_t otherwise)
{
	return said == PLM_UNSET ? otherwise : said;
}

static int64_t threshold(int64_t amount, int64_t nano, int64_t capacity, int64_t otherwise)
{
	if (nano != PLM_UNSET) {
		return share_up(capacity, nano);
	}
	return said_or(amount, otherwise);
}

static void take(struct plm_ec2_amounts *out, enum plm_ec2_resource resource, int64_t amount)
{
	out->allocatable[resource] = plm_sub_sat(out->allocatable[resource], amount);
}

static void take_memory(const struct plm_type_facts *facts, const struct plm_class_capacity *class,
			int64_t estimate, struct plm_ec2_amounts *out)
{
	bool by_enis = plm_ec2_family_row((enum plm_ec2_family) class->family)->eni_memory;
	int64_t pods = by_enis ? eni_pods(facts, class, 0) : out->capacity[PLM_EC2_PODS_RESOURCE];

	take(out, PLM_EC2_MEMORY,
	     said_or(class->kube_memory, (POD_MIB * pods + KUBELET_MIB) * MIB));
	take(out, PLM_EC2_MEMORY, said_or(class->system_memory, 0));
	take(out, PLM_EC2_MEMORY,
	     threshold(class->evict_memory, class->evict_memory_nano, estimate,
		       EVICTION_MEMORY_BYTES));
}

static void take_rest(const struct plm_class_capacity *class, struct plm_ec2_amounts *out)
{
	int64_t storage = out->capacity[PLM_EC2_STORAGE];

	take(out, PLM_EC2_CPU,
	     said_or(class->kube_cpu_milli,
		     plm_ec2_reserved_cpu_milli(out->capacity[PLM_EC2_CPU])));
	take(out, PLM_EC2_CPU, said_or(class->system_cpu_milli, 0));
	take(out, PLM_EC2_STORAGE, said_or(class->kube_storage, KUBELET_STORAGE_BYTES));
	take(out, PLM_EC2_STORAGE, said_or(class->system_storage, 0));
	take(out, PLM_EC2_STORAGE,
	     threshold(class->evict_storage, class->evict_storage_nano, storage,
		       share_up(storage, EVICTION_STORAGE_NANO)));
}

void plm_ec2_amounts(const struct plm_type_facts *facts, const struct plm_class_capacity *class,
		     const struct plm_ec2_settings *settings, int64_t seen_memory,
		     struct plm_ec2_amounts *out)
{
	const struct plm_class_capacity plain = says_nothing();
	const struct plm_class_capacity *says = class->said == 0 ? &plain : class;
	const struct plm_ec2_family_row *row =
		plm_ec2_family_row((enum plm_ec2_family)says->family);
	int64_t estimate = memory_bytes(facts, settings);

	PLM_ASSERT(facts->vcpu > 0 && facts->memory_mib > facts->reserved_mib);
	*out = (struct plm_ec2_amounts){
		.capacity = {
			[PLM_EC2_CPU] = facts->vcpu * 1000,
			[PLM_EC2_STORAGE] = storage_bytes(facts, says),
			[PLM_EC2_MEMORY] = seen_memory > 0 ? seen_memory : estimate,
			[PLM_EC2_PODS_RESOURCE] = pods_of(facts, says, settings),
			[PLM_EC2_IPV4] = row->windows_year[0] != '\0'
						 ? plm_max(facts->ipv4_per_eni - 1, 0)
						 : 0,
			[PLM_EC2_EFA] = said_or(says->efa_only, facts->efa),
		}};
	memcpy(out->allocatable, out->capacity, sizeof(out->allocatable));
	take_memory(facts, says, estimate, out);
	take_rest(says, out);
}
