/*
 * family.h - image families: which there are and how they differ
 *
 * Owns: the table of AMI families (karpenter.md 1.3, 4.4, 4.6): names, aliases, what they do with pods
 * and kubelet settings, their default volumes. Ubuntu is here for NodeTemplates; Karpenter had it until
 * v0.37 and set it up as AL2.
 * Does not: read manifests, call anything. Pure.
 */
#ifndef PLM_EC2_FAMILY_H
#define PLM_EC2_FAMILY_H

#include "core/object.h"

/* The first one is what a class without a family is. */
enum plm_ec2_family {
	PLM_EC2_CUSTOM,
	PLM_EC2_AL2,
	PLM_EC2_AL2023,
	PLM_EC2_BOTTLEROCKET,
	PLM_EC2_UBUNTU,
	PLM_EC2_WINDOWS_2019,
	PLM_EC2_WINDOWS_2022,
	PLM_EC2_WINDOWS_2025,
	PLM_EC2_FAMILY_COUNT,
};

/* A default volume; gp3, encrypted. */
struct plm_ec2_volume {
	const char *device;
	int64_t bytes;
};

struct plm_ec2_family_row {
	const char *name;	   /* of amiFamily */
	const char *alias;	   /* before the '@'; "" = has none */
	const char *windows_year;  /* "" = Linux */
	const char *windows_build; /* value of node.kubernetes.io/windows-build */
	bool eni_pods;		   /* pods are limited by network interfaces, else 110 */
	bool eni_memory;	/* kubeReserved memory by what the interfaces allow, else by pods */
	bool pods_per_core;	/* the kubelet's podsPerCore is heeded */
	bool any_kubelet_field; /* every field of KubeletConfiguration reaches the kubelet */
	bool syncs_no_taints;	/* the kubelet registers with all taints by itself */
	const char *storage_device;	  /* that holds the pods' files */
	struct plm_ec2_volume volumes[2]; /* device NULL = none */
};

const struct plm_ec2_family_row *plm_ec2_family_row(enum plm_ec2_family family);
/* False: no such family; '*out' is untouched. */
bool plm_ec2_family_find(struct plm_slice name, enum plm_ec2_family *out);
/* Of "family@version". False: not of that form, or no such family. '*out_version' may be NULL. */
bool plm_ec2_alias_find(struct plm_slice alias, enum plm_ec2_family *out,
			struct plm_slice *out_version);
/* The family of a class: amiFamily, else that of its alias, else Custom. */
enum plm_ec2_family plm_ec2_family_of(const struct plm_w_node_class *class);

#endif
