#include "core/event.h"

#include "core/wire_table.h"

#define NAME_ROW(value, text) text,
#define DEFINE_NAMES(name, LIST)                                                                   \
	static const char *const name##_texts[] = {LIST(NAME_ROW)};                                \
	const struct plm_wire_names plm_names_##name = {#name, name##_texts,                       \
							PLM_COUNTOF(name##_texts)};

DEFINE_NAMES(kind, PLM_KIND_LIST)
DEFINE_NAMES(taint_effect, PLM_EFFECT_LIST)
DEFINE_NAMES(toleration_op, PLM_TOLERATION_OP_LIST)
DEFINE_NAMES(op, PLM_OP_LIST)
DEFINE_NAMES(spread_when, PLM_SPREAD_WHEN_LIST)
DEFINE_NAMES(node_policy, PLM_NODE_POLICY_LIST)
DEFINE_NAMES(strategy, PLM_STRATEGY_LIST)
DEFINE_NAMES(fungibility, PLM_FUNGIBILITY_LIST)
DEFINE_NAMES(flavor_preference, PLM_FLAVOR_PREFERENCE_LIST)
DEFINE_NAMES(preemption, PLM_PREEMPTION_LIST)
DEFINE_NAMES(stop, PLM_STOP_LIST)
DEFINE_NAMES(check_state, PLM_CHECK_STATE_LIST)
DEFINE_NAMES(admission_mode, PLM_ADMISSION_MODE_LIST)
DEFINE_NAMES(phase, PLM_PHASE_LIST)
DEFINE_NAMES(job_end, PLM_JOB_END_LIST)
DEFINE_NAMES(container_role, PLM_CONTAINER_ROLE_LIST)
DEFINE_NAMES(limit_type, PLM_LIMIT_TYPE_LIST)
DEFINE_NAMES(consolidation, PLM_CONSOLIDATION_LIST)
DEFINE_NAMES(delayed, PLM_DELAYED_LIST)
#define TYPE struct plm_w_kv
DEFINE_TYPE(kv, PLM_KV_FIELDS)
#undef TYPE
#define TYPE struct plm_w_amount
DEFINE_TYPE(amount, PLM_AMOUNT_FIELDS)
#undef TYPE
#define TYPE struct plm_w_meta
DEFINE_TYPE(meta, PLM_META_FIELDS)
#undef TYPE
#define TYPE struct plm_w_taint
DEFINE_TYPE(taint, PLM_TAINT_FIELDS)
#undef TYPE
#define TYPE struct plm_w_toleration
DEFINE_TYPE(toleration, PLM_TOLERATION_FIELDS)
#undef TYPE
#define TYPE struct plm_w_expr
DEFINE_TYPE(expr, PLM_EXPR_FIELDS)
#undef TYPE
#define TYPE struct plm_w_term
DEFINE_TYPE(term, PLM_TERM_FIELDS)
#undef TYPE
#define TYPE struct plm_w_selector
DEFINE_TYPE(selector, PLM_SELECTOR_FIELDS)
#undef TYPE
#define TYPE struct plm_w_affinity
DEFINE_TYPE(affinity, PLM_AFFINITY_FIELDS)
#undef TYPE
#define TYPE struct plm_w_spread
DEFINE_TYPE(spread, PLM_SPREAD_FIELDS)
#undef TYPE
#define TYPE struct plm_w_port
DEFINE_TYPE(port, PLM_PORT_FIELDS)
#undef TYPE
#define TYPE struct plm_w_exact
DEFINE_TYPE(exact, PLM_EXACT_FIELDS)
#undef TYPE
#define TYPE struct plm_w_container
DEFINE_TYPE(container, PLM_CONTAINER_FIELDS)
#undef TYPE
#define TYPE struct plm_w_volume_use
DEFINE_TYPE(volume_use, PLM_VOLUME_USE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_shape
DEFINE_TYPE(shape, PLM_SHAPE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_topology_slice
DEFINE_TYPE(topology_slice, PLM_TOPOLOGY_SLICE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_pod_set_spec
DEFINE_TYPE(pod_set_spec, PLM_POD_SET_SPEC_FIELDS)
#undef TYPE
#define TYPE struct plm_w_namespace
DEFINE_TYPE(namespace, PLM_NAMESPACE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_flavor
DEFINE_TYPE(flavor, PLM_FLAVOR_FIELDS)
#undef TYPE
#define TYPE struct plm_w_quota
DEFINE_TYPE(quota, PLM_QUOTA_FIELDS)
#undef TYPE
#define TYPE struct plm_w_flavor_quota
DEFINE_TYPE(flavor_quota, PLM_FLAVOR_QUOTA_FIELDS)
#undef TYPE
#define TYPE struct plm_w_group
DEFINE_TYPE(group, PLM_GROUP_FIELDS)
#undef TYPE
#define TYPE struct plm_w_cohort
DEFINE_TYPE(cohort, PLM_COHORT_FIELDS)
#undef TYPE
#define TYPE struct plm_w_check_use
DEFINE_TYPE(check_use, PLM_CHECK_USE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_cluster_queue
DEFINE_TYPE(cluster_queue, PLM_CLUSTER_QUEUE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_local_queue
DEFINE_TYPE(local_queue, PLM_LOCAL_QUEUE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_work_queue
DEFINE_TYPE(work_queue, PLM_WORK_QUEUE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_priority_class
DEFINE_TYPE(priority_class, PLM_PRIORITY_CLASS_FIELDS)
#undef TYPE
#define TYPE struct plm_w_admission_check
DEFINE_TYPE(admission_check, PLM_ADMISSION_CHECK_FIELDS)
#undef TYPE
#define TYPE struct plm_w_topology_domain
DEFINE_TYPE(topology_domain, PLM_TOPOLOGY_DOMAIN_FIELDS)
#undef TYPE
#define TYPE struct plm_w_limit_item
DEFINE_TYPE(limit_item, PLM_LIMIT_ITEM_FIELDS)
#undef TYPE
#define TYPE struct plm_w_limit_range
DEFINE_TYPE(limit_range, PLM_LIMIT_RANGE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_runtime_class
DEFINE_TYPE(runtime_class, PLM_RUNTIME_CLASS_FIELDS)
#undef TYPE
#define TYPE struct plm_w_pdb
DEFINE_TYPE(pdb, PLM_PDB_FIELDS)
#undef TYPE
#define TYPE struct plm_w_volume_claim
DEFINE_TYPE(volume_claim, PLM_VOLUME_CLAIM_FIELDS)
#undef TYPE
#define TYPE struct plm_w_volume
DEFINE_TYPE(volume, PLM_VOLUME_FIELDS)
#undef TYPE
#define TYPE struct plm_w_storage_class
DEFINE_TYPE(storage_class, PLM_STORAGE_CLASS_FIELDS)
#undef TYPE
#define TYPE struct plm_w_csi_driver
DEFINE_TYPE(csi_driver, PLM_CSI_DRIVER_FIELDS)
#undef TYPE
#define TYPE struct plm_w_csi_node
DEFINE_TYPE(csi_node, PLM_CSI_NODE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_volume_attachment
DEFINE_TYPE(volume_attachment, PLM_VOLUME_ATTACHMENT_FIELDS)
#undef TYPE
#define TYPE struct plm_w_assignment
DEFINE_TYPE(assignment, PLM_ASSIGNMENT_FIELDS)
#undef TYPE
#define TYPE struct plm_w_pod_set_update
DEFINE_TYPE(pod_set_update, PLM_POD_SET_UPDATE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_check_status
DEFINE_TYPE(check_status, PLM_CHECK_STATUS_FIELDS)
#undef TYPE
#define TYPE struct plm_w_pod_count
DEFINE_TYPE(pod_count, PLM_POD_COUNT_FIELDS)
#undef TYPE
#define TYPE struct plm_w_topology
DEFINE_TYPE(topology, PLM_TOPOLOGY_FIELDS)
#undef TYPE
#define TYPE struct plm_w_workload
DEFINE_TYPE(workload, PLM_WORKLOAD_FIELDS)
#undef TYPE
#define TYPE struct plm_w_workload_patch
DEFINE_TYPE(workload_patch, PLM_WORKLOAD_PATCH_FIELDS)
#undef TYPE
#define TYPE struct plm_w_job
DEFINE_TYPE(job, PLM_JOB_FIELDS)
#undef TYPE
#define TYPE struct plm_w_pod
DEFINE_TYPE(pod, PLM_POD_FIELDS)
#undef TYPE
#define TYPE struct plm_w_node
DEFINE_TYPE(node, PLM_NODE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_daemon_set
DEFINE_TYPE(daemon_set, PLM_DAEMON_SET_FIELDS)
#undef TYPE
#define TYPE struct plm_w_replicator
DEFINE_TYPE(replicator, PLM_REPLICATOR_FIELDS)
#undef TYPE
#define TYPE struct plm_w_budget
DEFINE_TYPE(budget, PLM_BUDGET_FIELDS)
#undef TYPE
#define TYPE struct plm_w_node_pool
DEFINE_TYPE(node_pool, PLM_NODE_POOL_FIELDS)
#undef TYPE
#define TYPE struct plm_w_node_claim
DEFINE_TYPE(node_claim, PLM_NODE_CLAIM_FIELDS)
#undef TYPE
#define TYPE struct plm_w_kubelet
DEFINE_TYPE(kubelet, PLM_KUBELET_FIELDS)
#undef TYPE
#define TYPE struct plm_w_block_device
DEFINE_TYPE(block_device, PLM_BLOCK_DEVICE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_class_interface
DEFINE_TYPE(class_interface, PLM_CLASS_INTERFACE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_image_term
DEFINE_TYPE(image_term, PLM_IMAGE_TERM_FIELDS)
#undef TYPE
#define TYPE struct plm_w_select_term
DEFINE_TYPE(select_term, PLM_SELECT_TERM_FIELDS)
#undef TYPE
#define TYPE struct plm_w_class_setup
DEFINE_TYPE(class_setup, PLM_CLASS_SETUP_FIELDS)
#undef TYPE
#define TYPE struct plm_w_node_class
DEFINE_TYPE(node_class, PLM_NODE_CLASS_FIELDS)
#undef TYPE
#define TYPE struct plm_w_gone
DEFINE_TYPE(gone, PLM_GONE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_offering
DEFINE_TYPE(offering, PLM_OFFERING_FIELDS)
#undef TYPE
#define TYPE struct plm_w_ec2_facts
DEFINE_TYPE(ec2_facts, PLM_EC2_FACTS_FIELDS)
#undef TYPE
#define TYPE struct plm_w_instance_type
DEFINE_TYPE(instance_type, PLM_INSTANCE_TYPE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_catalog
DEFINE_TYPE(catalog, PLM_CATALOG_FIELDS)
#undef TYPE
DEFINE_NAMES(source, PLM_SOURCE_LIST)
DEFINE_NAMES(reason, PLM_REASON_LIST)
DEFINE_NAMES(interrupt, PLM_INTERRUPT_LIST)
DEFINE_NAMES(rule, PLM_RULE_LIST)
#define TYPE struct plm_w_candidate
DEFINE_TYPE(candidate, PLM_CANDIDATE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_step
DEFINE_TYPE(step, PLM_STEP_FIELDS)
#undef TYPE
#define TYPE struct plm_w_explain
DEFINE_TYPE(explain, PLM_EXPLAIN_FIELDS)
#undef TYPE
#define TYPE struct plm_w_genesis
DEFINE_TYPE(genesis, PLM_GENESIS_FIELDS)
#undef TYPE
#define TYPE struct plm_w_limit
DEFINE_TYPE(limit, PLM_LIMIT_FIELDS)
#undef TYPE
#define TYPE struct plm_w_limits
DEFINE_TYPE(limits, PLM_LIMITS_FIELDS)
#undef TYPE
DEFINE_NAMES(compat, PLM_COMPAT_LIST)
DEFINE_NAMES(only, PLM_ONLY_LIST)
DEFINE_NAMES(preference_policy, PLM_PREFERENCE_POLICY_LIST)
DEFINE_NAMES(min_values_policy, PLM_MIN_VALUES_POLICY_LIST)
DEFINE_NAMES(fair_strategies, PLM_FAIR_STRATEGIES_LIST)
DEFINE_NAMES(requeue_timestamp, PLM_REQUEUE_TIMESTAMP_LIST)
#define TYPE struct plm_w_transformation
DEFINE_TYPE(transformation, PLM_TRANSFORMATION_FIELDS)
#undef TYPE
#define TYPE struct plm_w_config
DEFINE_TYPE(config, PLM_CONFIG_FIELDS)
#undef TYPE
#define TYPE struct plm_w_software
DEFINE_TYPE(software, PLM_SOFTWARE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_epoch
DEFINE_TYPE(epoch, PLM_EPOCH_FIELDS)
#undef TYPE
#define TYPE struct plm_w_cycle
DEFINE_TYPE(cycle, PLM_CYCLE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_hash
DEFINE_TYPE(hash, PLM_HASH_FIELDS)
#undef TYPE
#define TYPE struct plm_w_part
DEFINE_TYPE(part, PLM_PART_FIELDS)
#undef TYPE
#define TYPE struct plm_w_clock_step
DEFINE_TYPE(clock_step, PLM_CLOCK_STEP_FIELDS)
#undef TYPE
#define TYPE struct plm_w_rejected
DEFINE_TYPE(rejected, PLM_REJECTED_FIELDS)
#undef TYPE
#define TYPE struct plm_w_mark
DEFINE_TYPE(mark, PLM_MARK_FIELDS)
#undef TYPE
#define TYPE struct plm_w_instance
DEFINE_TYPE(instance, PLM_INSTANCE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_class_subnet
DEFINE_TYPE(class_subnet, PLM_CLASS_SUBNET_FIELDS)
#undef TYPE
#define TYPE struct plm_w_class_image
DEFINE_TYPE(class_image, PLM_CLASS_IMAGE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_class_group
DEFINE_TYPE(class_group, PLM_CLASS_GROUP_FIELDS)
#undef TYPE
#define TYPE struct plm_w_class_condition
DEFINE_TYPE(class_condition, PLM_CLASS_CONDITION_FIELDS)
#undef TYPE
#define TYPE struct plm_w_class_reservation
DEFINE_TYPE(class_reservation, PLM_CLASS_RESERVATION_FIELDS)
#undef TYPE
#define TYPE struct plm_w_class_status
DEFINE_TYPE(class_status, PLM_CLASS_STATUS_FIELDS)
#undef TYPE
#define TYPE struct plm_w_interruption
DEFINE_TYPE(interruption, PLM_INTERRUPTION_FIELDS)
#undef TYPE
#define TYPE struct plm_w_listed
DEFINE_TYPE(listed, PLM_LISTED_FIELDS)
#undef TYPE
#define TYPE struct plm_w_reach
DEFINE_TYPE(reach, PLM_REACH_FIELDS)
#undef TYPE
#define TYPE struct plm_w_reserve
DEFINE_TYPE(reserve, PLM_RESERVE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_admit
DEFINE_TYPE(admit, PLM_ADMIT_FIELDS)
#undef TYPE
DEFINE_NAMES(queue_place, PLM_QUEUE_PLACE_LIST)
#define TYPE struct plm_w_cursor
DEFINE_TYPE(cursor, PLM_CURSOR_FIELDS)
#undef TYPE
#define TYPE struct plm_w_pend
DEFINE_TYPE(pend, PLM_PEND_FIELDS)
#undef TYPE
#define TYPE struct plm_w_evict
DEFINE_TYPE(evict, PLM_EVICT_FIELDS)
#undef TYPE
#define TYPE struct plm_w_release
DEFINE_TYPE(release, PLM_RELEASE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_hold
DEFINE_TYPE(hold, PLM_HOLD_FIELDS)
#undef TYPE
#define TYPE struct plm_w_assigned
DEFINE_TYPE(assigned, PLM_ASSIGNED_FIELDS)
#undef TYPE
#define TYPE struct plm_w_unhealthy
DEFINE_TYPE(unhealthy, PLM_UNHEALTHY_FIELDS)
#undef TYPE
#define TYPE struct plm_w_place
DEFINE_TYPE(place, PLM_PLACE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_places
DEFINE_TYPE(places, PLM_PLACES_FIELDS)
#undef TYPE
#define TYPE struct plm_w_nominate
DEFINE_TYPE(nominate, PLM_NOMINATE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_claim
DEFINE_TYPE(claim, PLM_CLAIM_FIELDS)
#undef TYPE
#define TYPE struct plm_w_claim_end
DEFINE_TYPE(claim_end, PLM_CLAIM_END_FIELDS)
#undef TYPE
#define TYPE struct plm_w_claim_note
DEFINE_TYPE(claim_note, PLM_CLAIM_NOTE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_orphan
DEFINE_TYPE(orphan, PLM_ORPHAN_FIELDS)
#undef TYPE
#define TYPE struct plm_w_drain
DEFINE_TYPE(drain, PLM_DRAIN_FIELDS)
#undef TYPE
#define TYPE struct plm_w_disrupt
DEFINE_TYPE(disrupt, PLM_DISRUPT_FIELDS)
#undef TYPE
#define TYPE struct plm_w_blocked
DEFINE_TYPE(blocked, PLM_BLOCKED_FIELDS)
#undef TYPE
#define TYPE struct plm_w_requeue
DEFINE_TYPE(requeue, PLM_REQUEUE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_finish
DEFINE_TYPE(finish, PLM_FINISH_FIELDS)
#undef TYPE
#define TYPE struct plm_w_postpone
DEFINE_TYPE(postpone, PLM_POSTPONE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_explained
DEFINE_TYPE(explained, PLM_EXPLAINED_FIELDS)
#undef TYPE
DEFINE_NAMES(call, PLM_CALL_LIST)
#define TYPE struct plm_w_intent
DEFINE_TYPE(intent, PLM_INTENT_FIELDS)
#undef TYPE
#define TYPE struct plm_w_start_set
DEFINE_TYPE(start_set, PLM_START_SET_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_job_start
DEFINE_TYPE(req_job_start, PLM_REQ_JOB_START_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_job_stop
DEFINE_TYPE(req_job_stop, PLM_REQ_JOB_STOP_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_pod_create
DEFINE_TYPE(req_pod_create, PLM_REQ_POD_CREATE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_pod
DEFINE_TYPE(req_pod, PLM_REQ_POD_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_pod_ungate
DEFINE_TYPE(req_pod_ungate, PLM_REQ_POD_UNGATE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_offer
DEFINE_TYPE(offer, PLM_OFFER_FIELDS)
#undef TYPE
#define TYPE struct plm_w_refusal
DEFINE_TYPE(refusal, PLM_REFUSAL_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_launch
DEFINE_TYPE(req_launch, PLM_REQ_LAUNCH_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_instance_tag
DEFINE_TYPE(req_instance_tag, PLM_REQ_INSTANCE_TAG_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_class_status
DEFINE_TYPE(req_class_status, PLM_REQ_CLASS_STATUS_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_terminate
DEFINE_TYPE(req_terminate, PLM_REQ_TERMINATE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_node_taint
DEFINE_TYPE(req_node_taint, PLM_REQ_NODE_TAINT_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_work
DEFINE_TYPE(req_work, PLM_REQ_WORK_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_node_sync
DEFINE_TYPE(req_node_sync, PLM_REQ_NODE_SYNC_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_annotate
DEFINE_TYPE(req_annotate, PLM_REQ_ANNOTATE_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_claim
DEFINE_TYPE(req_claim, PLM_REQ_CLAIM_FIELDS)
#undef TYPE

#define TYPE struct plm_w_condition
DEFINE_TYPE(condition, PLM_CONDITION_FIELDS)
#undef TYPE

#define TYPE struct plm_w_req_workload_create
DEFINE_TYPE(req_workload_create, PLM_REQ_WORKLOAD_CREATE_FIELDS)
#undef TYPE

#define TYPE struct plm_w_evicted_count
DEFINE_TYPE(evicted_count, PLM_EVICTED_COUNT_FIELDS)
#undef TYPE

#define TYPE struct plm_w_req_workload_status
DEFINE_TYPE(req_workload_status, PLM_REQ_WORKLOAD_STATUS_FIELDS)
#undef TYPE

#define TYPE struct plm_w_claim_need
DEFINE_TYPE(claim_need, PLM_CLAIM_NEED_FIELDS)
#undef TYPE

#define TYPE struct plm_w_req_claim_create
DEFINE_TYPE(req_claim_create, PLM_REQ_CLAIM_CREATE_FIELDS)
#undef TYPE

#define TYPE struct plm_w_req_claim_status
DEFINE_TYPE(req_claim_status, PLM_REQ_CLAIM_STATUS_FIELDS)
#undef TYPE

#define TYPE struct plm_w_quota_use
DEFINE_TYPE(quota_use, PLM_QUOTA_USE_FIELDS)
#undef TYPE

#define TYPE struct plm_w_req_queue_status
DEFINE_TYPE(req_queue_status, PLM_REQ_QUEUE_STATUS_FIELDS)
#undef TYPE

#define TYPE struct plm_w_req_pool_status
DEFINE_TYPE(req_pool_status, PLM_REQ_POOL_STATUS_FIELDS)
#undef TYPE
#define TYPE struct plm_w_req_node_delete
DEFINE_TYPE(req_node_delete, PLM_REQ_NODE_DELETE_FIELDS)
#undef TYPE
DEFINE_NAMES(result_class, PLM_RESULT_CLASS_LIST)
DEFINE_NAMES(drain_stage, PLM_DRAIN_STAGE_LIST)
#define TYPE struct plm_w_result
DEFINE_TYPE(result, PLM_RESULT_FIELDS)
#undef TYPE

int64_t plm_names_find(const struct plm_wire_names *names, struct plm_slice text)
{
	for (uint32_t i = 0; i < names->count; i++) {
		if (plm_slice_is(text, names->texts[i])) {
			return i;
		}
	}
	return -1;
}

const char *plm_names_text(const struct plm_wire_names *names, int64_t value)
{
	PLM_ASSERT(value >= 0 && value < names->count);
	return names->texts[value];
}

static const struct plm_event_info infos[] = {
#define INFO_ROW(name, number, schema, payload, class)                                             \
	{#name, &plm_type_##payload, number, schema, PLM_CLASS_##class},
	PLM_EVENTS(INFO_ROW)
#undef INFO_ROW
};

enum {
#define INFO_INDEX(name, number, schema, payload, class) INFO_INDEX_##name,
	PLM_EVENTS(INFO_INDEX)
#undef INFO_INDEX
};

const struct plm_event_info *plm_event_infos(uint32_t *count)
{
	*count = PLM_COUNTOF(infos);
	return infos;
}

const struct plm_event_info *plm_event_info(uint16_t type)
{
	switch (type) {
#define INFO_CASE(name, number, schema, payload, class)                                            \
	case number:                                                                               \
		return &infos[INFO_INDEX_##name];
		PLM_EVENTS(INFO_CASE)
#undef INFO_CASE
	default:
		return NULL;
	}
}

const struct plm_wire_type *plm_call_request(enum plm_call call)
{
	switch (call) {
	case PLM_CALL_NONE:
		break;
	case PLM_CALL_JOB_START:
		return &plm_type_req_job_start;
	case PLM_CALL_JOB_STOP:
		return &plm_type_req_job_stop;
	case PLM_CALL_POD_CREATE:
		return &plm_type_req_pod_create;
	case PLM_CALL_POD_EVICT:
	case PLM_CALL_POD_DELETE:
	case PLM_CALL_POD_FINALIZE:
		return &plm_type_req_pod;
	case PLM_CALL_LAUNCH:
		return &plm_type_req_launch;
	case PLM_CALL_TERMINATE:
		return &plm_type_req_terminate;
	case PLM_CALL_INSTANCE_TAG:
		return &plm_type_req_instance_tag;
	case PLM_CALL_CLASS_STATUS:
		return &plm_type_req_class_status;
	case PLM_CALL_NODE_TAINT:
		return &plm_type_req_node_taint;
	case PLM_CALL_NODE_DELETE:
	case PLM_CALL_NODE_FINALIZE:
		return &plm_type_req_node_delete;
	case PLM_CALL_POD_UNGATE:
		return &plm_type_req_pod_ungate;
	case PLM_CALL_JOB_DELETE:
	case PLM_CALL_WORKLOAD_DELETE:
	case PLM_CALL_WORKLOAD_DEACTIVATE:
		return &plm_type_req_work;
	case PLM_CALL_NODE_SYNC:
		return &plm_type_req_node_sync;
	case PLM_CALL_ANNOTATE:
		return &plm_type_req_annotate;
	case PLM_CALL_CLAIM_DELETE:
	case PLM_CALL_CLAIM_FINALIZE:
		return &plm_type_req_claim;
	case PLM_CALL_WORKLOAD_CREATE:
		return &plm_type_req_workload_create;
	case PLM_CALL_WORKLOAD_STATUS:
		return &plm_type_req_workload_status;
	case PLM_CALL_CLAIM_CREATE:
		return &plm_type_req_claim_create;
	case PLM_CALL_CLAIM_STATUS:
		return &plm_type_req_claim_status;
	case PLM_CALL_QUEUE_STATUS:
		return &plm_type_req_queue_status;
	case PLM_CALL_POOL_STATUS:
		return &plm_type_req_pool_status;
	}
	PLM_UNREACHABLE();
}

/* The kind that a type of event is always about; NONE when the payload says it or there is none. */
static enum plm_kind kind_of_type(uint16_t type)
{
	switch (type) {
	case PLM_EV_NAMESPACE:
		return PLM_KIND_NAMESPACE;
	case PLM_EV_FLAVOR:
		return PLM_KIND_FLAVOR;
	case PLM_EV_COHORT:
		return PLM_KIND_COHORT;
	case PLM_EV_CLUSTER_QUEUE:
		return PLM_KIND_CLUSTER_QUEUE;
	case PLM_EV_LOCAL_QUEUE:
		return PLM_KIND_LOCAL_QUEUE;
	case PLM_EV_WORK_QUEUE:
		return PLM_KIND_WORK_QUEUE;
	case PLM_EV_ADMISSION_CHECK:
		return PLM_KIND_ADMISSION_CHECK;
	case PLM_EV_TOPOLOGY:
		return PLM_KIND_TOPOLOGY;
	case PLM_EV_LIMIT_RANGE:
		return PLM_KIND_LIMIT_RANGE;
	case PLM_EV_RUNTIME_CLASS:
		return PLM_KIND_RUNTIME_CLASS;
	case PLM_EV_POD_DISRUPTION_BUDGET:
		return PLM_KIND_POD_DISRUPTION_BUDGET;
	case PLM_EV_VOLUME_CLAIM:
		return PLM_KIND_VOLUME_CLAIM;
	case PLM_EV_VOLUME:
		return PLM_KIND_VOLUME;
	case PLM_EV_STORAGE_CLASS:
		return PLM_KIND_STORAGE_CLASS;
	case PLM_EV_CSI_NODE:
		return PLM_KIND_CSI_NODE;
	case PLM_EV_VOLUME_ATTACHMENT:
		return PLM_KIND_VOLUME_ATTACHMENT;
	case PLM_EV_POD:
		return PLM_KIND_POD;
	case PLM_EV_NODE:
		return PLM_KIND_NODE;
	case PLM_EV_NODE_POOL:
		return PLM_KIND_NODE_POOL;
	case PLM_EV_DAEMON_SET:
		return PLM_KIND_DAEMON_SET;
	case PLM_EV_NODE_CLAIM:
	case PLM_EV_CLAIM:
	case PLM_EV_CLAIM_END:
	case PLM_EV_CLAIM_NOTE:
	case PLM_EV_DRAIN:
	case PLM_EV_DISRUPT:
	case PLM_EV_BLOCKED:
		return PLM_KIND_NODE_CLAIM;
	case PLM_EV_WORKLOAD:
	case PLM_EV_RESERVE:
	case PLM_EV_ADMIT:
	case PLM_EV_PEND:
	case PLM_EV_EVICT:
	case PLM_EV_RELEASE:
	case PLM_EV_HOLD:
	case PLM_EV_PLACES:
	case PLM_EV_ASSIGNED:
	case PLM_EV_UNHEALTHY:
	case PLM_EV_WORKLOAD_PATCH:
	case PLM_EV_REQUEUE:
	case PLM_EV_FINISH:
	case PLM_EV_POSTPONE:
		return PLM_KIND_WORKLOAD;
	default:
		return PLM_KIND_NONE;
	}
}

/* Payloads that say their kind have a member of that name. */
static enum plm_kind kind_said(const struct plm_event_info *info, const void *value)
{
	const struct plm_wire_type *type = info->payload;

	for (uint32_t i = 0; i < type->field_count; i++) {
		if (type->fields[i].names == &plm_names_kind) {
			int64_t number = 0;

			memcpy(&number, (const uint8_t *)value + type->fields[i].offset,
			       sizeof(number));
			return (enum plm_kind)number;
		}
	}
	return PLM_KIND_NONE;
}

enum plm_kind plm_event_kind(const struct plm_event_info *info, const void *value)
{
	enum plm_kind kind = kind_of_type(info->type);

	if (info->type == PLM_EV_LISTED) {
		return PLM_KIND_NONE; /* it is about all objects of the kind that it names */
	}
	return kind == PLM_KIND_NONE ? kind_said(info, value) : kind;
}
