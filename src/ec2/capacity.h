/*
 * capacity.h - what a node of an EC2 type has, and what of it is for pods
 *
 * Owns: the formulas of karpenter.md 4.4. They are a pure function of three things: what EC2 says of the
 * type (struct plm_type_facts), what the class says (struct plm_class_capacity, made here from the
 * EC2NodeClass) and two settings of the process. The catalogue of an event holds their value for a class
 * that says nothing; reducers ask again for classes that say something, the simulator's cloud asks for
 * each instance that it launches. Three callers, one formula.
 * Does not: know resources that no class changes (GPUs, Neuron, pod-eni): the catalogue has them.
 *
 * Why a layer of its own: reducers, the catalogue and the simulator need it and may not know each other,
 * and core knows no cloud. It is pure as reducers are, and the same lints look at it.
 */
#ifndef PLM_EC2_CAPACITY_H
#define PLM_EC2_CAPACITY_H

#include "core/tables.h"
#include "ec2/family.h"

/* Share of the memory that the hypervisor keeps, in 10^-9: VM_MEMORY_OVERHEAD_PERCENT 0.075. */
#define PLM_EC2_VM_MEMORY_NANO (1000000000LL - 75000000)
/* Memory that Graviton reserves for contiguous allocation. */
#define PLM_EC2_ARM_RESERVED_MIB 64
/* Pods of a node whose family does not count network interfaces. */
#define PLM_EC2_PODS 110

/* What a class has a say in, in the order of the names. */
enum plm_ec2_resource {
	PLM_EC2_CPU,
	PLM_EC2_STORAGE,
	PLM_EC2_MEMORY,
	PLM_EC2_PODS_RESOURCE,
	PLM_EC2_IPV4, /* Windows only */
	PLM_EC2_EFA,
	PLM_EC2_RESOURCE_COUNT,
};

/* "cpu", "ephemeral-storage", … */
extern const char *const plm_ec2_resources[PLM_EC2_RESOURCE_COUNT];

/* cpu in milli, the rest in whole units. 'allocatable' may be negative. */
struct plm_ec2_amounts {
	int64_t capacity[PLM_EC2_RESOURCE_COUNT];
	int64_t allocatable[PLM_EC2_RESOURCE_COUNT];
};

struct plm_ec2_settings {
	int64_t vm_memory_nano; /* left by the hypervisor; 0 = the default */
	int64_t reserved_enis;
};

struct plm_type_facts plm_ec2_facts_of(const struct plm_w_ec2_facts *w);

/* What 'class' says; a text that is no quantity says nothing (validation refuses it before). */
struct plm_class_capacity plm_ec2_class_capacity(const struct plm_w_node_class *class);

/* Does 'class' with 'settings' leave every type as the catalogue has it? */
bool plm_ec2_is_plain(const struct plm_class_capacity *class,
		      const struct plm_ec2_settings *settings);

/* 'seen_memory' of a node of this type and class stands for the estimate; 0 = none was seen. */
void plm_ec2_amounts(const struct plm_type_facts *facts, const struct plm_class_capacity *class,
		     const struct plm_ec2_settings *settings, int64_t seen_memory,
		     struct plm_ec2_amounts *out);

/* Milli-CPU that the kubelet reserves on 'cpu_milli'. */
int64_t plm_ec2_reserved_cpu_milli(int64_t cpu_milli);

/* "10%" in 10^-9 of the whole ("100%" turns the threshold off: 0), or a quantity. False: neither. */
bool plm_ec2_threshold_parse(struct plm_slice text, int64_t *out_amount, int64_t *out_nano);

#endif
