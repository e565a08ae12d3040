/* Layouts of node classes and what they came to in the cloud. */
#include "tools/layout_make.h"

#define TYPE struct plm_class_capacity
static const struct plm_member class_capacity_members[] = {
	BOOL(said),	     U32(family),
	I64(max_pods),	     I64(pods_per_core),
	I64(kube_cpu_milli), I64(kube_memory),
	I64(kube_storage),   I64(system_cpu_milli),
	I64(system_memory),  I64(system_storage),
	I64(evict_memory),   I64(evict_memory_nano),
	I64(evict_storage),  I64(evict_storage_nano),
	I64(volume_bytes),   I64(efa_only),
	I64(efa_only_first), I64(raid0)};
LAYOUT(static, class_capacity)
#undef TYPE
#define TYPE struct plm_class_subnet
static const struct plm_member class_subnet_members[] = {TEXT(id), TEXT(zone), TEXT(zone_id)};
LAYOUT(static, class_subnet)
#undef TYPE
#define TYPE struct plm_class_image
static const struct plm_member class_image_members[] = {TEXT(id), TEXT(name),
							LIST(requirements, expr), BOOL(deprecated)};
LAYOUT(static, class_image)
#undef TYPE
#define TYPE struct plm_class_group
static const struct plm_member class_group_members[] = {TEXT(id), TEXT(name)};
LAYOUT(static, class_group)
#undef TYPE
static const char *const met_texts[] = {"Unknown", "False", "True"};
static const struct plm_wire_names met_names = {"class_met", met_texts, PLM_COUNTOF(met_texts)};
#define TYPE struct plm_class_condition
static const struct plm_member class_condition_members[] = {TEXT(type), TEXT(reason), TEXT(message),
							    OWN_ENUM(met, met_names)};
LAYOUT(static, class_condition)
#undef TYPE
#define TYPE struct plm_node_class
static const struct plm_member node_class_members[] = {PART(object, object),
						       TEXTS(instance_types),
						       TEXT(ami_family),
						       LIST(tags, kv),
						       TEXT(not_ready),
						       TEXT(hash),
						       TEXT(stamped_hash),
						       TEXT(stamped_version),
						       BOOL(told),
						       PART(capacity, class_capacity),
						       BOOL(by_condition),
						       BOOL(looked_up),
						       TEXT(status_uid),
						       TEXT(status_hash),
						       TEXT(status_not_ready),
						       LIST(subnets, class_subnet),
						       LIST(images, class_image),
						       LIST(security_groups, class_group),
						       LIST(conditions, class_condition),
						       TEXT(instance_profile),
						       SKIP(recipe),
						       BOOL(writing),
						       BOOL(reserves),
						       SKIP(zero),
						       SKIP(status_low),
						       SKIP(status_high),
						       SKIP(written_print),
						       I64(write_at_ms)};
LAYOUT(, node_class)
#undef TYPE
