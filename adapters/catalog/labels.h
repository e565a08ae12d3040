/*
 * labels.h - the well-known labels of an instance type, karpenter.md 1.6
 *
 * What a type does not require of these does not exist on it (rule 2 of the catalogue format).
 */
#ifndef PLM_CATALOG_LABELS_H
#define PLM_CATALOG_LABELS_H

#include "core/base.h"

/* Sorted by bytes, so that a list of requirements that follows it is sorted. */
#define PLM_CATALOG_LABELS(X)                                                                      \
	X(CAPACITY_RESERVATION_ID, "karpenter.k8s.aws/capacity-reservation-id")                    \
	X(CAPACITY_RESERVATION_INTERRUPTIBLE,                                                      \
	  "karpenter.k8s.aws/capacity-reservation-interruptible")                                  \
	X(CAPACITY_RESERVATION_TYPE, "karpenter.k8s.aws/capacity-reservation-type")                \
	X(ACCELERATOR_COUNT, "karpenter.k8s.aws/instance-accelerator-count")                       \
	X(ACCELERATOR_MANUFACTURER, "karpenter.k8s.aws/instance-accelerator-manufacturer")         \
	X(ACCELERATOR_NAME, "karpenter.k8s.aws/instance-accelerator-name")                         \
	X(CAPABILITY_FLEX, "karpenter.k8s.aws/instance-capability-flex")                           \
	X(CATEGORY, "karpenter.k8s.aws/instance-category")                                         \
	X(CPU, "karpenter.k8s.aws/instance-cpu")                                                   \
	X(CPU_MANUFACTURER, "karpenter.k8s.aws/instance-cpu-manufacturer")                         \
	X(CPU_CLOCK, "karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz")                   \
	X(EBS_BANDWIDTH, "karpenter.k8s.aws/instance-ebs-bandwidth")                               \
	X(ENCRYPTION, "karpenter.k8s.aws/instance-encryption-in-transit-supported")                \
	X(FAMILY, "karpenter.k8s.aws/instance-family")                                             \
	X(GENERATION, "karpenter.k8s.aws/instance-generation")                                     \
	X(GPU_COUNT, "karpenter.k8s.aws/instance-gpu-count")                                       \
	X(GPU_MANUFACTURER, "karpenter.k8s.aws/instance-gpu-manufacturer")                         \
	X(GPU_MEMORY, "karpenter.k8s.aws/instance-gpu-memory")                                     \
	X(GPU_NAME, "karpenter.k8s.aws/instance-gpu-name")                                         \
	X(HYPERVISOR, "karpenter.k8s.aws/instance-hypervisor")                                     \
	X(LOCAL_NVME, "karpenter.k8s.aws/instance-local-nvme")                                     \
	X(MEMORY, "karpenter.k8s.aws/instance-memory")                                             \
	X(NETWORK_BANDWIDTH, "karpenter.k8s.aws/instance-network-bandwidth")                       \
	X(SIZE, "karpenter.k8s.aws/instance-size")                                                 \
	X(TENANCY, "karpenter.k8s.aws/instance-tenancy")                                           \
	X(NITRO_SANDBOX, "karpenter.k8s.aws/nitro-sandbox")                                        \
	X(PLACEMENT_GROUP_ID, "karpenter.k8s.aws/placement-group-id")                              \
	X(PLACEMENT_GROUP_PARTITION, "karpenter.k8s.aws/placement-group-partition")                \
	X(CAPACITY_TYPE, "karpenter.sh/capacity-type")                                             \
	X(ARCH, "kubernetes.io/arch")                                                              \
	X(OS, "kubernetes.io/os")                                                                  \
	X(INSTANCE_TYPE, "node.kubernetes.io/instance-type")                                       \
	X(WINDOWS_BUILD, "node.kubernetes.io/windows-build")                                       \
	X(ZONE_ID, "topology.k8s.aws/zone-id")                                                     \
	X(REGION, "topology.kubernetes.io/region")                                                 \
	X(ZONE, "topology.kubernetes.io/zone")

enum plm_catalog_label {
#define PLM_CATALOG_LABEL_ENUM(name, text) PLM_LABEL_##name,
	PLM_CATALOG_LABELS(PLM_CATALOG_LABEL_ENUM)
#undef PLM_CATALOG_LABEL_ENUM
	PLM_LABEL_COUNT,
};

extern const char *const plm_catalog_labels[PLM_LABEL_COUNT];

#endif
