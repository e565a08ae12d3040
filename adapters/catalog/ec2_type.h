/*
 * ec2_type.h - from the facts of an EC2 instance type to labels and capacity
 *
 * Owns: the labels that a node of a type carries (karpenter.md 1.6), the resources that depend on no class,
 * and the capacity under a class that says nothing (ec2/capacity.h has the formulas).
 * Does not: zones, prices (builtin.c), or where the facts came from.
 */
#ifndef PLM_CATALOG_EC2_TYPE_H
#define PLM_CATALOG_EC2_TYPE_H

#include "core/arena.h"
#include "core/object.h"

/* Texts are static or as long-lived as what is made from them; an empty text or 0 = has none. */
struct plm_ec2_facts {
	const char *name;
	const char *arch;	/* as Kubernetes spells it */
	const char *hypervisor; /* empty on bare metal */
	const char *cpu_maker;
	const char *gpu_name, *gpu_maker;
	const char *accelerator_name, *accelerator_maker;
	int32_t vcpu;
	int32_t memory_mib;
	int32_t clock_mhz;
	int32_t local_nvme_gb;
	int32_t network_mbps, ebs_mbps;
	int32_t enis, ipv4_per_eni; /* of the default network card */
	int32_t branch_enis;
	int32_t efa;
	int32_t gpu_count, gpu_mem_mib;
	int32_t accelerator_count;
	int32_t neuron_devices, neuron_cores;
	bool encrypts_in_transit;
	bool on_demand, spot;
};

/*
 * Fill name, requirements, facts, capacity and allocatable of 'out' (arena); offerings are left empty, so
 * zone, region and capacity type are required with the values given here as they come: 'zones' and
 * 'capacity_types' are sorted, borrowed texts of the arena's life.
 */
void plm_ec2_type(const struct plm_ec2_facts *facts, struct plm_slice region, struct plm_vec zones,
		  struct plm_vec capacity_types, struct plm_arena *arena,
		  struct plm_w_instance_type *out);

#endif
