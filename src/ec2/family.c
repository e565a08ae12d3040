#include "ec2/family.h"

#define GIB (1024LL * 1024 * 1024)
#define DEFAULT_BYTES (20 * GIB)

static const struct plm_ec2_family_row rows[PLM_EC2_FAMILY_COUNT] = {
	[PLM_EC2_CUSTOM] = {.name = "Custom",
			    .alias = "",
			    .windows_year = "",
			    .windows_build = "",
			    .eni_pods = true,
			    .eni_memory = true,
			    .pods_per_core = true},
	[PLM_EC2_AL2] = {.name = "AL2",
			 .alias = "al2",
			 .windows_year = "",
			 .windows_build = "",
			 .eni_pods = true,
			 .eni_memory = true,
			 .pods_per_core = true,
			 .syncs_no_taints = true,
			 .storage_device = "/dev/xvda",
			 .volumes = {{"/dev/xvda", DEFAULT_BYTES}}},
	[PLM_EC2_AL2023] = {.name = "AL2023",
			    .alias = "al2023",
			    .windows_year = "",
			    .windows_build = "",
			    .eni_pods = true,
			    .eni_memory = true,
			    .pods_per_core = true,
			    .any_kubelet_field = true,
			    .syncs_no_taints = true,
			    .storage_device = "/dev/xvda",
			    .volumes = {{"/dev/xvda", DEFAULT_BYTES}}},
	/* Its settings have no podsPerCore. The root volume holds the system alone. */
	[PLM_EC2_BOTTLEROCKET] = {.name = "Bottlerocket",
				  .alias = "bottlerocket",
				  .windows_year = "",
				  .windows_build = "",
				  .eni_pods = true,
				  .syncs_no_taints = true,
				  .storage_device = "/dev/xvdb",
				  .volumes = {{"/dev/xvda", 4 * GIB},
					      {"/dev/xvdb", DEFAULT_BYTES}}},
	[PLM_EC2_UBUNTU] = {.name = "Ubuntu",
			    .alias = "",
			    .windows_year = "",
			    .windows_build = "",
			    .eni_pods = true,
			    .eni_memory = true,
			    .pods_per_core = true,
			    .syncs_no_taints = true,
			    .storage_device = "/dev/sda1",
			    .volumes = {{"/dev/sda1", DEFAULT_BYTES}}},
	[PLM_EC2_WINDOWS_2019] = {.name = "Windows2019",
				  .alias = "windows2019",
				  .windows_year = "2019",
				  .windows_build = "10.0.17763",
				  .pods_per_core = true,
				  .syncs_no_taints = true,
				  .storage_device = "/dev/sda1",
				  .volumes = {{"/dev/sda1", 50 * GIB}}},
	[PLM_EC2_WINDOWS_2022] = {.name = "Windows2022",
				  .alias = "windows2022",
				  .windows_year = "2022",
				  .windows_build = "10.0.20348",
				  .pods_per_core = true,
				  .syncs_no_taints = true,
				  .storage_device = "/dev/sda1",
				  .volumes = {{"/dev/sda1", 50 * GIB}}},
	[PLM_EC2_WINDOWS_2025] = {.name = "Windows2025",
				  .alias = "windows2025",
				  .windows_year = "2025",
				  .windows_build = "10.0.26100",
				  .pods_per_core = true,
				  .syncs_no_taints = true,
				  .storage_device = "/dev/sda1",
				  .volumes = {{"/dev/sda1", 50 * GIB}}},
};

const struct plm_ec2_family_row *plm_ec2_family_row(enum plm_ec2_family family)
{
	PLM_ASSERT(family < PLM_EC2_FAMILY_COUNT);
	return &rows[family];
}

bool plm_ec2_family_find(struct plm_slice name, enum plm_ec2_family *out)
{
	for (size_t i = 0; i < PLM_EC2_FAMILY_COUNT; i++) {
		if (plm_slice_is(name, rows[i].name)) {
			*out = (enum plm_ec2_family)i;
			return true;
		}
	}
	/* The dialect names releases: Ubuntu22.04, Ubuntu24.04. */
	if (plm_slice_is(name, "Ubuntu22.04") || plm_slice_is(name, "Ubuntu24.04")) {
		*out = PLM_EC2_UBUNTU;
		return true;
	}
	return false;
}

bool plm_ec2_alias_find(struct plm_slice alias, enum plm_ec2_family *out,
			struct plm_slice *out_version)
{
	const uint8_t *text = alias.ptr;
	size_t at = 0;

	while (at < alias.size && text[at] != '@') {
		at++;
	}
	if (at == 0 || at + 1 >= alias.size) {
		return false;
	}
	for (size_t i = 0; i < PLM_EC2_FAMILY_COUNT; i++) {
		if (plm_slice_is(plm_slice_of(text, at), rows[i].alias)) {
			*out = (enum plm_ec2_family)i;
			if (out_version != NULL) {
				*out_version = plm_slice_of(text + at + 1, alias.size - at - 1);
			}
			return true;
		}
	}
	return false;
}

enum plm_ec2_family plm_ec2_family_of(const struct plm_w_node_class *class)
{
	const struct plm_w_image_term *terms = class->setup.images.ptr;
	enum plm_ec2_family family = PLM_EC2_CUSTOM;

	if (plm_ec2_family_find(class->ami_family, &family)) {
		return family;
	}
	for (size_t i = 0; i < class->setup.images.count; i++) {
		if (plm_ec2_alias_find(terms[i].alias, &family, NULL)) {
			return family;
		}
	}
	return family;
}
