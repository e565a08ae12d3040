/*
 * known.h - the label keys and words that rules of scheduling name, as symbols
 *
 * Owns: the well-known label set (karpenter.md 1.6), the older names of some of them, and the words
 * that reducers compare with. A word that is not interned in state yet gets a number outside the heap,
 * so that it can be compared and written like any other; plm_sched_text() knows both.
 * Does not: change state; plm_known_intern() is for apply().
 */
#ifndef PLM_REDUCERS_SCHED_KNOWN_H
#define PLM_REDUCERS_SCHED_KNOWN_H

#include "core/state.h"

/* Labels that a pod may ask for though the supplier does not mention them come first. */
#define PLM_KNOWN_LIST(X)                                                                          \
	X(NODE_POOL, "karpenter.sh/nodepool")                                                      \
	X(ZONE, "topology.kubernetes.io/zone")                                                     \
	X(REGION, "topology.kubernetes.io/region")                                                 \
	X(INSTANCE_TYPE, "node.kubernetes.io/instance-type")                                       \
	X(ARCH, "kubernetes.io/arch")                                                              \
	X(OS, "kubernetes.io/os")                                                                  \
	X(CAPACITY_TYPE, "karpenter.sh/capacity-type")                                             \
	X(WINDOWS_BUILD, "node.kubernetes.io/windows-build")                                       \
	X(ZONE_ID, "topology.k8s.aws/zone-id")                                                     \
	X(CATEGORY, "karpenter.k8s.aws/instance-category")                                         \
	X(FAMILY, "karpenter.k8s.aws/instance-family")                                             \
	X(GENERATION, "karpenter.k8s.aws/instance-generation")                                     \
	X(SIZE, "karpenter.k8s.aws/instance-size")                                                 \
	X(TYPE_CPU, "karpenter.k8s.aws/instance-cpu")                                              \
	X(CPU_MANUFACTURER, "karpenter.k8s.aws/instance-cpu-manufacturer")                         \
	X(CPU_MHZ, "karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz")                     \
	X(TYPE_MEMORY, "karpenter.k8s.aws/instance-memory")                                        \
	X(HYPERVISOR, "karpenter.k8s.aws/instance-hypervisor")                                     \
	X(ENCRYPTION, "karpenter.k8s.aws/instance-encryption-in-transit-supported")                \
	X(FLEX, "karpenter.k8s.aws/instance-capability-flex")                                      \
	X(LOCAL_NVME, "karpenter.k8s.aws/instance-local-nvme")                                     \
	X(EBS_BANDWIDTH, "karpenter.k8s.aws/instance-ebs-bandwidth")                               \
	X(NETWORK_BANDWIDTH, "karpenter.k8s.aws/instance-network-bandwidth")                       \
	X(GPU_NAME, "karpenter.k8s.aws/instance-gpu-name")                                         \
	X(GPU_MANUFACTURER, "karpenter.k8s.aws/instance-gpu-manufacturer")                         \
	X(GPU_COUNT, "karpenter.k8s.aws/instance-gpu-count")                                       \
	X(GPU_MEMORY, "karpenter.k8s.aws/instance-gpu-memory")                                     \
	X(ACCELERATOR_NAME, "karpenter.k8s.aws/instance-accelerator-name")                         \
	X(ACCELERATOR_MANUFACTURER, "karpenter.k8s.aws/instance-accelerator-manufacturer")         \
	X(ACCELERATOR_COUNT, "karpenter.k8s.aws/instance-accelerator-count")                       \
	X(TENANCY, "karpenter.k8s.aws/instance-tenancy")                                           \
	X(NITRO_SANDBOX, "karpenter.k8s.aws/nitro-sandbox")                                        \
	X(RESERVATION_ID, "karpenter.k8s.aws/capacity-reservation-id")                             \
	X(RESERVATION_TYPE, "karpenter.k8s.aws/capacity-reservation-type")                         \
	X(RESERVATION_INTERRUPTIBLE, "karpenter.k8s.aws/capacity-reservation-interruptible")       \
	X(PLACEMENT_GROUP, "karpenter.k8s.aws/placement-group-id")                                 \
	X(PLACEMENT_PARTITION, "karpenter.k8s.aws/placement-group-partition")                      \
	X(HOSTNAME, "kubernetes.io/hostname")                                                      \
	X(REGISTERED, "karpenter.sh/registered")                                                   \
	X(INITIALIZED, "karpenter.sh/initialized")                                                 \
	X(NODE_CLASS, "karpenter.k8s.aws/ec2nodeclass")                                            \
	X(NODE_TEMPLATE, "karpenter.k8s.aws/nodetemplate")                                         \
	X(OLD_ZONE, "failure-domain.beta.kubernetes.io/zone")                                      \
	X(OLD_REGION, "failure-domain.beta.kubernetes.io/region")                                  \
	X(OLD_ARCH, "beta.kubernetes.io/arch")                                                     \
	X(OLD_OS, "beta.kubernetes.io/os")                                                         \
	X(OLD_TYPE, "beta.kubernetes.io/instance-type")                                            \
	X(EBS_ZONE, "topology.ebs.csi.aws.com/zone")                                               \
	X(DISRUPTED, "karpenter.sh/disrupted")                                                     \
	X(UNREGISTERED, "karpenter.sh/unregistered")                                               \
	X(NOT_READY, "node.kubernetes.io/not-ready")                                               \
	X(UNREACHABLE, "node.kubernetes.io/unreachable")                                           \
	X(UNSCHEDULABLE, "node.kubernetes.io/unschedulable")                                       \
	X(UNINITIALIZED, "node.cloudprovider.kubernetes.io/uninitialized")                         \
	X(TRUE, "true")                                                                            \
	X(SPOT, "spot")                                                                            \
	X(ON_DEMAND, "on-demand")                                                                  \
	X(RESERVED, "reserved")                                                                    \
	X(CPU, "cpu")                                                                              \
	X(MEMORY, "memory")                                                                        \
	X(PODS, "pods")                                                                            \
	X(NODES, "nodes")                                                                          \
	X(DAEMON_SET, "DaemonSet")                                                                 \
	X(NODE, "Node")                                                                            \
	X(STATEFUL_SET, "StatefulSet")                                                             \
	X(ANY_IP, "0.0.0.0")                                                                       \
	X(ANY_IP6, "::")                                                                           \
	X(DO_NOT_SYNC, "karpenter.sh/do-not-sync-taints")

enum plm_known_word {
#define PLM_KNOWN_ENUM(name, text) PLM_KNOWN_##name,
	PLM_KNOWN_LIST(PLM_KNOWN_ENUM)
#undef PLM_KNOWN_ENUM
	PLM_KNOWN_COUNT
};
/* Words below this one are well-known labels. */
#define PLM_KNOWN_LABELS PLM_KNOWN_HOSTNAME

/* What every function of this layer needs; made once per step. */
struct plm_sched {
	const struct plm_state *st;
	struct plm_arena *arena; /* of what is returned */
	plm_sym known[PLM_KNOWN_COUNT];
	uint32_t slots[256]; /* open addressing: symbol of a known word to its index + 1 */
};

/* Symbols from this number on are not in the heap: names that exist in one pass only. */
#define PLM_SYM_OUTSIDE 0x80000000U
#define PLM_SYM_KNOWN 0xff000000U

static inline bool plm_sym_outside(plm_sym sym)
{
	return sym.n >= PLM_SYM_OUTSIDE;
}

void plm_sched_init(struct plm_sched *sched, const struct plm_state *st, struct plm_arena *arena);
/* Intern every known word, so that symbols never change their meaning later. For apply(). */
void plm_known_intern(struct plm_state *st);
/* The known word that 'sym' is, or PLM_KNOWN_COUNT. */
enum plm_known_word plm_known_of(const struct plm_sched *sched, plm_sym sym);
/* The key that 'key' stands for today: older names of a label are the label. */
plm_sym plm_known_key(const struct plm_sched *sched, plm_sym key);
static inline bool plm_known_label(const struct plm_sched *sched, plm_sym key)
{
	return plm_known_of(sched, key) < PLM_KNOWN_LABELS;
}
/* The bytes of any symbol, also of one outside the heap (a name of this pass has none: empty). */
struct plm_slice plm_sched_text(const struct plm_sched *sched, plm_sym sym);
/* By bytes; names of this pass by number, after all others. */
int plm_sched_compare(const struct plm_sched *sched, plm_sym a, plm_sym b);
/* The integer that 'sym' spells (optional sign, decimal digits). False: it spells none. */
bool plm_sched_integer(const struct plm_sched *sched, plm_sym sym, int64_t *out);

#endif
