/* DescribeInstanceTypes: one item as facts, by the names of karpenter.md 1.6. */
#include <stdlib.h>

#include "adapters/catalog/offered.h"
#include "adapters/ec2/seen.h"

typedef const struct plm_aws_node node;

static bool is_text(const node *at, const char *name, const char *value)
{
	return plm_slice_is(plm_aws_text(at, name), value);
}

/* Has the list 'name' this entry? */
static bool lists(const node *at, const char *name, const char *value)
{
	node *list = plm_aws_get(at, name);

	for (node *item = list == NULL ? NULL : list->child; item != NULL; item = item->next) {
		if (plm_slice_is(item->text, value)) {
			return true;
		}
	}
	return false;
}

static node *first_of(const node *at, const char *group, const char *name)
{
	node *list = plm_aws_get(plm_aws_get(at, group), name);

	return list == NULL ? NULL : list->child;
}

/* A count of at most 2^31 - 1. */
static int32_t count_of(const node *at, const char *name)
{
	int64_t value = plm_aws_number(at, name, 0);

	return value < 0 || value > INT32_MAX ? 0 : (int32_t)value;
}

/* A number with decimals, in thousandths, half up. */
static int32_t milli_of(const node *at, const char *name)
{
	int64_t micro = plm_ec2_micro(plm_aws_text(at, name));
	int64_t milli = micro == PLM_UNSET ? 0 : (micro + 500) / 1000;

	return milli > INT32_MAX ? 0 : (int32_t)milli;
}

static const char *keep(struct plm_ec2_sheet *sheet, struct plm_slice text)
{
	struct plm_slice kept = {0};

	return text.size > 0 && plm_ec2_sheet_text(sheet, text, &kept) ? (const char *)kept.ptr
								       : "";
}

/* "Qualcomm AI100" as a label has it: "qualcomm-ai100". */
static const char *kebab(struct plm_ec2_sheet *sheet, struct plm_slice text)
{
	struct plm_slice kept = {0};

	if (text.size == 0 || !plm_ec2_sheet_text(sheet, text, &kept)) {
		return "";
	}
	for (size_t i = 0; i < kept.size; i++) {
		char *c = (char *)(uintptr_t)kept.ptr + i;

		if (*c >= 'A' && *c <= 'Z') {
			*c = (char)(*c - 'A' + 'a');
		} else if (*c == ' ') {
			*c = '-';
		}
	}
	return (const char *)kept.ptr;
}

static void read_devices(struct plm_ec2_sheet *sheet, const node *item, struct plm_ec2_facts *out)
{
	node *gpu = first_of(item, "gpuInfo", "gpus");
	node *neuron = first_of(item, "neuronInfo", "neuronDevices");
	node *other = first_of(item, "inferenceAcceleratorInfo", "accelerators");

	if (gpu != NULL && gpu->next == NULL) {
		out->gpu_name = kebab(sheet, plm_aws_text(gpu, "name"));
		out->gpu_maker = kebab(sheet, plm_aws_text(gpu, "manufacturer"));
		out->gpu_count = count_of(gpu, "count");
		out->gpu_mem_mib = count_of(plm_aws_get(gpu, "memoryInfo"), "sizeInMiB");
	}
	for (node *device = neuron; device != NULL; device = device->next) {
		out->neuron_devices += count_of(device, "count");
	}
	if (neuron != NULL) {
		out->neuron_cores =
			out->neuron_devices * count_of(plm_aws_get(neuron, "coreInfo"), "count");
	}
	if (neuron != NULL && neuron->next == NULL) {
		out->accelerator_name = kebab(sheet, plm_aws_text(neuron, "name"));
		out->accelerator_maker = "aws";
		out->accelerator_count = count_of(neuron, "count");
	} else if (neuron == NULL && other != NULL && other->next == NULL) {
		out->accelerator_name = kebab(sheet, plm_aws_text(other, "name"));
		out->accelerator_maker = kebab(sheet, plm_aws_text(other, "manufacturer"));
		out->accelerator_count = count_of(other, "count");
	}
}

/*
 * The bandwidth that EC2 names is what several cards together would have; the label is the type's. So with
 * several cards it comes from the table alone, as do the branch interfaces, of which EC2 says nothing.
 */
static void read_network(const node *item, const struct plm_ec2_facts *known,
			 struct plm_ec2_facts *out)
{
	node *network = plm_aws_get(item, "networkInfo");
	node *cards = plm_aws_get(network, "networkCards");
	int64_t wanted = plm_aws_number(network, "defaultNetworkCardIndex", 0);
	int64_t at = 0;

	out->ipv4_per_eni = count_of(network, "ipv4AddressesPerInterface");
	out->efa = count_of(plm_aws_get(network, "efaInfo"), "maximumEfaInterfaces");
	out->encrypts_in_transit = plm_aws_true(network, "encryptionInTransitSupported");
	for (node *card = cards == NULL ? NULL : cards->child; card != NULL; card = card->next) {
		if (at++ == wanted) {
			out->enis = count_of(card, "maximumNetworkInterfaces");
		}
	}
	if (known != NULL) {
		out->network_mbps = known->network_mbps;
		out->branch_enis = known->branch_enis;
	} else if (at == 1) {
		out->network_mbps = milli_of(cards->child, "baselineBandwidthInGbps");
	}
}

static void read_disks(const node *item, struct plm_ec2_facts *out)
{
	node *store = plm_aws_get(item, "instanceStorageInfo");
	node *volumes = plm_aws_get(item, "ebsInfo");

	if (store != NULL && !is_text(store, "nvmeSupport", "unsupported")) {
		out->local_nvme_gb = count_of(store, "totalSizeInGB");
	}
	if (is_text(volumes, "ebsOptimizedSupport", "default")) {
		out->ebs_mbps = count_of(plm_aws_get(volumes, "ebsOptimizedInfo"),
					 "maximumBandwidthInMbps");
	}
}

/* The first architecture that a node can have, as Kubernetes spells it; NULL = none. */
static const char *arch_of(const node *processor)
{
	node *list = plm_aws_get(processor, "supportedArchitectures");

	for (node *item = list == NULL ? NULL : list->child; item != NULL; item = item->next) {
		if (plm_slice_is(item->text, "x86_64")) {
			return "amd64";
		}
		if (plm_slice_is(item->text, "arm64")) {
			return "arm64";
		}
	}
	return NULL;
}

bool plm_ec2_read_type(struct plm_ec2_sheet *sheet, const node *item, struct plm_ec2_facts *out)
{
	node *processor = plm_aws_get(item, "processorInfo");
	struct plm_slice name = plm_aws_text(item, "instanceType");

	*out = (struct plm_ec2_facts){
		.arch = arch_of(processor),
		.vcpu = count_of(plm_aws_get(item, "vCpuInfo"), "defaultVCpus"),
		.memory_mib = count_of(plm_aws_get(item, "memoryInfo"), "sizeInMiB"),
		.clock_mhz = milli_of(processor, "sustainedClockSpeedInGhz"),
		.on_demand = lists(item, "supportedUsageClasses", "on-demand"),
		.spot = lists(item, "supportedUsageClasses", "spot"),
	};
	if (name.size == 0 || out->arch == NULL || out->vcpu == 0 || out->memory_mib == 0) {
		return false;
	}
	out->name = keep(sheet, name);
	out->hypervisor = keep(sheet, plm_aws_text(item, "hypervisor"));
	out->cpu_maker = kebab(sheet, plm_aws_text(processor, "manufacturer"));
	read_devices(sheet, item, out);
	read_network(item, plm_catalog_known(name), out);
	read_disks(item, out);
	return out->name[0] != '\0';
}
