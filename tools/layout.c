#include "tools/layout_make.h"

static const char *const stage_texts[] = {"Pending", "Reserved", "Admitted", "Finished"};
static const struct plm_wire_names stage_names = {"stage", stage_texts, PLM_COUNTOF(stage_texts)};
static const char *const claim_texts[] = {"Wanted", "Launched", "Joined", "Ready", "Ending"};
static const struct plm_wire_names claim_names = {"claim_phase", claim_texts,
						  PLM_COUNTOF(claim_texts)};

static const char *const told_texts[] = {"Nothing", "ToRun", "ToStop"};
static const struct plm_wire_names told_names = {"told", told_texts, PLM_COUNTOF(told_texts)};
static const char *const halt_texts[] = {"None", "Asked", "Done"};
static const struct plm_wire_names halt_names = {"halt", halt_texts, PLM_COUNTOF(halt_texts)};
static const char *const making_texts[] = {"Not", "Asked", "Made"};
static const struct plm_wire_names making_names = {"making", making_texts,
						   PLM_COUNTOF(making_texts)};
static const char *const listing_texts[] = {"Never", "Now", "Once"};
static const struct plm_wire_names listing_names = {"listing", listing_texts,
						    PLM_COUNTOF(listing_texts)};
static const char *const theirs_texts[] = {"None", "Seen", "Answered"};
static const struct plm_wire_names theirs_names = {"theirs", theirs_texts,
						   PLM_COUNTOF(theirs_texts)};
static const char *const ready_texts[] = {"", "WaitForStart", "Started", "WaitForRecovery",
					  "Recovered"};
static const struct plm_wire_names ready_names = {"pods_ready", ready_texts,
						  PLM_COUNTOF(ready_texts)};

/* ---- parts, innermost first -------------------------------------------------------------------- */

#define TYPE struct plm_kv
static const struct plm_member kv_members[] = {TEXT(key), TEXT(value)};
LAYOUT(, kv)
#undef TYPE
#define TYPE struct plm_amount
static const struct plm_member amount_members[] = {TEXT(resource), SKIP(excess_nano), I64(amount)};
LAYOUT(, amount)
#undef TYPE
#define TYPE struct plm_fixed
static const struct plm_member fixed_members[] = {TEXT(resource), U32(fraction), I64(whole)};
LAYOUT(, fixed)
#undef TYPE
#define TYPE struct plm_taint
static const struct plm_member taint_members[] = {TEXT(key), TEXT(value),
						  ENUM(effect, taint_effect), SKIP(zero)};
LAYOUT(static, taint)
#undef TYPE
#define TYPE struct plm_toleration
static const struct plm_member toleration_members[] = {
	TEXT(key), TEXT(value), ENUM(op, toleration_op), ENUM(effect, taint_effect), I64(seconds)};
LAYOUT(static, toleration)
#undef TYPE
#define TYPE struct plm_expr
static const struct plm_member expr_members[] = {TEXT(key), ENUM(op, op), TEXTS(values),
						 U32(min_values)};
LAYOUT(, expr)
#undef TYPE
#define TYPE struct plm_term
static const struct plm_member term_members[] = {LIST(exprs, expr), LIST(fields, expr),
						 I64(weight)};
LAYOUT(static, term)
#undef TYPE
#define TYPE struct plm_selector
static const struct plm_member selector_members[] = {BOOL(present), LIST(exprs, expr)};
LAYOUT(static, selector)
#undef TYPE
#define TYPE struct plm_affinity
static const struct plm_member affinity_members[] = {
	TEXT(topology_key), PART(selector, selector),
	TEXTS(namespaces),  PART(ns_selector, selector),
	TEXTS(match_keys),  TEXTS(mismatch_keys),
	I64(weight)};
LAYOUT(static, affinity)
#undef TYPE
#define TYPE struct plm_spread
static const struct plm_member spread_members[] = {TEXT(topology_key),
						   ENUM(when, spread_when),
						   PART(selector, selector),
						   ENUM(affinity_policy, node_policy),
						   ENUM(taints_policy, node_policy),
						   TEXTS(match_keys),
						   SKIP(zero),
						   I64(max_skew),
						   I64(min_domains)};
LAYOUT(static, spread)
#undef TYPE
#define TYPE struct plm_port
static const struct plm_member port_members[] = {TEXT(ip), TEXT(protocol), I64(port)};
LAYOUT(static, port)
#undef TYPE
#define TYPE struct plm_container
static const struct plm_member container_members[] = {ENUM(role, container_role),
						      LIST(requests, amount), LIST(limits, amount)};
LAYOUT(static, container)
#undef TYPE
#define TYPE struct plm_limit_item
static const struct plm_member limit_item_members[] = {ENUM(type, limit_type),
						       LIST(max, amount),
						       LIST(min, amount),
						       LIST(default_limits, amount),
						       LIST(default_requests, amount),
						       LIST(ratio, amount)};
LAYOUT(static, limit_item)
#undef TYPE
#define TYPE struct plm_volume_use
static const struct plm_member volume_use_members[] = {TEXT(claim), TEXT(ephemeral),
						       TEXT(class_name), BOOL(class_said)};
LAYOUT(static, volume_use)
#undef TYPE
#define TYPE struct plm_csi_driver
static const struct plm_member csi_driver_members[] = {TEXT(name), SKIP(zero), I64(limit)};
LAYOUT(static, csi_driver)
#undef TYPE
#define TYPE struct plm_shape
static const struct plm_member shape_members[] = {LIST(requests, amount),
						  LIST(node_selector, kv),
						  LIST(required, term),
						  BOOL(required_present),
						  LIST(preferred, term),
						  LIST(tolerations, toleration),
						  LIST(affinity, affinity),
						  LIST(anti_affinity, affinity),
						  LIST(preferred_affinity, affinity),
						  LIST(preferred_anti_affinity, affinity),
						  LIST(spread, spread),
						  LIST(ports, port),
						  LIST(volumes, volume_use),
						  TEXT(runtime_class),
						  TEXT(scheduler),
						  TEXT(priority_class),
						  TEXT(over_limit),
						  BOOL(never_preempt),
						  I64(priority),
						  LIST(containers, container),
						  LIST(overhead, amount),
						  TEXT(out_of_range),
						  BOOL(has_claims)};
LAYOUT(static, shape)
#undef TYPE
#define TYPE struct plm_topology_slice
static const struct plm_member topology_slice_members[] = {TEXT(level), SKIP(zero), I64(size)};
LAYOUT(static, topology_slice)
#undef TYPE
#define TYPE struct plm_pod_set
static const struct plm_member pod_set_members[] = {TEXT(name),
						    LIST(labels, kv),
						    ONE(shape, shape),
						    TEXT(topology_required),
						    TEXT(topology_preferred),
						    BOOL(topology_unconstrained),
						    TEXT(topology_group),
						    BOOL(topology_asked),
						    I64(count),
						    I64(min_count),
						    LIST(topology_slices, topology_slice),
						    TEXT(pod_index_label),
						    TEXT(sub_group_label),
						    SKIP(zero),
						    I64(sub_group_count),
						    I64(index_offset)};
LAYOUT(static, pod_set)
#undef TYPE
#define TYPE struct plm_quota
static const struct plm_member quota_members[] = {TEXT(resource), SKIP(zero), I64(nominal),
						  I64(borrowing), I64(lending)};
LAYOUT(static, quota)
#undef TYPE
#define TYPE struct plm_flavor_quota
static const struct plm_member flavor_quota_members[] = {TEXT(flavor), LIST(quotas, quota)};
LAYOUT(static, flavor_quota)
#undef TYPE
#define TYPE struct plm_group
static const struct plm_member group_members[] = {TEXTS(resources), LIST(flavors, flavor_quota)};
LAYOUT(static, group)
#undef TYPE
#define TYPE struct plm_check_use
static const struct plm_member check_use_members[] = {TEXT(name), TEXTS(flavors)};
LAYOUT(static, check_use)
#undef TYPE
#define TYPE struct plm_pod_set_update
static const struct plm_member pod_set_update_members[] = {
	TEXT(name), LIST(labels, kv), LIST(annotations, kv), LIST(node_selector, kv),
	LIST(tolerations, toleration)};
LAYOUT(static, pod_set_update)
#undef TYPE
#define TYPE struct plm_check_status
static const struct plm_member check_status_members[] = {TEXT(name),
							 ENUM(state, check_state),
							 I64(since_ms),
							 I64(requeue_after_ms),
							 U32(retry_count),
							 TEXT(message),
							 LIST(updates, pod_set_update),
							 ENUM(taken_state, check_state),
							 I64(taken_ms)};
LAYOUT(static, check_status)
#undef TYPE
#define TYPE struct plm_eviction_count
static const struct plm_member eviction_count_members[] = {ENUM(reason, reason),
							   ENUM(cause, reason), I64(count)};
LAYOUT(static, eviction_count)
#undef TYPE
#define TYPE struct plm_pod_count
static const struct plm_member pod_count_members[] = {TEXT(name), SKIP(zero), I64(count)};
LAYOUT(static, pod_count)
#undef TYPE
#define TYPE struct plm_topology_domain
static const struct plm_member topology_domain_members[] = {TEXTS(values), SKIP(zero), I64(count)};
LAYOUT(static, topology_domain)
#undef TYPE
#define TYPE struct plm_assignment
static const struct plm_member assignment_members[] = {
	TEXT(name), LIST(flavors, kv), LIST(usage, amount),	      ENUM(delayed, delayed),
	I64(count), TEXTS(levels),     LIST(domains, topology_domain)};
LAYOUT(static, assignment)
#undef TYPE
#define TYPE struct plm_cursor
static const struct plm_member cursor_members[] = {TEXT(pod_set), TEXT(resource), I64(tried)};
LAYOUT(static, cursor)
#undef TYPE
#define TYPE struct plm_transformation
static const struct plm_member transformation_members[] = {TEXT(input), TEXT(multiply_by),
							   LIST(outputs, amount), BOOL(keep)};
LAYOUT(static, transformation)
#undef TYPE
#define TYPE struct plm_place
static const struct plm_member place_members[] = {TEXT(pod_set), TEXT(target), BOOL(claim),
						  SKIP(zero), I64(count)};
LAYOUT(static, place)
#undef TYPE
#define TYPE struct plm_budget
static const struct plm_member budget_members[] = {TEXT(nodes), TEXTS(reasons), TEXT(schedule),
						   SKIP(zero), I64(duration_ms)};
LAYOUT(static, budget)
#undef TYPE
#define TYPE struct plm_offering
static const struct plm_member offering_members[] = {
	TEXT(zone),	  TEXT(capacity_type),	    TEXT(reservation),
	BOOL(available),  LIST(requirements, expr), BOOL(estimated),
	I64(price_micro), I64(reserved_left)};
LAYOUT(static, offering)
#undef TYPE
#define TYPE struct plm_refusal
static const struct plm_member refusal_members[] = {
	TEXT(instance_type), TEXT(zone), TEXT(capacity_type), TEXT(reservation), TEXT(code)};
LAYOUT(static, refusal)
#undef TYPE
#define TYPE struct plm_why
static const struct plm_member why_members[] = {
	U64(seq),     ENUM(rule, rule), ENUM(reason, reason), TEXT(object), TEXT(resource),
	TEXT(flavor), SKIP(zero)};
LAYOUT(static, why)
#undef TYPE
#define TYPE struct plm_object
static const struct plm_member object_members[] = {
	SKIP(used),	  ENUM(kind, kind), TEXT(ns),	      TEXT(name),      TEXT(uid),
	LIST(labels, kv), TEXT(owner_kind), TEXT(owner_name), TEXT(owner_uid), SKIP(generation),
	I64(created_ms),  I64(deleting_ms), U64(seq),	      SKIP(print_low), SKIP(print_high)};
LAYOUT(, object)
#undef TYPE

/* ---- tables ------------------------------------------------------------------------------------ */

#define TYPE struct plm_namespace
static const struct plm_member namespace_members[] = {PART(object, object),
						      LIST(limits, limit_item), SKIP(zero)};
LAYOUT(static, namespace)
#undef TYPE
#define TYPE struct plm_flavor
static const struct plm_member flavor_members[] = {PART(object, object), LIST(node_labels, kv),
						   LIST(node_taints, taint),
						   LIST(tolerations, toleration), TEXT(topology)};
LAYOUT(static, flavor)
#undef TYPE
#define TYPE struct plm_cohort
static const struct plm_member cohort_members[] = {PART(object, object), TEXT(parent),
						   LIST(groups, group), I64(weight_nano)};
LAYOUT(static, cohort)
#undef TYPE
#define TYPE struct plm_cluster_queue
static const struct plm_member cluster_queue_members[] = {PART(object, object),
							  TEXT(cohort),
							  LIST(groups, group),
							  ENUM(strategy, strategy),
							  PART(ns_selector, selector),
							  ENUM(when_can_borrow, fungibility),
							  ENUM(when_can_preempt, fungibility),
							  ENUM(preference, flavor_preference),
							  ENUM(within, preemption),
							  ENUM(reclaim, preemption),
							  ENUM(borrow_within, preemption),
							  ENUM(stop, stop),
							  LIST(checks, check_use),
							  BOOL(capacity_check),
							  BOOL(dialect),
							  TEXT(misconfigured),
							  I64(borrow_threshold),
							  I64(preempt_threshold),
							  I64(weight_nano),
							  U64(generation),
							  ID(sticky, WORKLOAD),
							  U32(holding),
							  ENUM(admission_mode, admission_mode),
							  BOOL(concurrent),
							  SKIP(written_print),
							  I64(write_at_ms),
							  BOOL(writing),
							  SKIP(zero)};
LAYOUT(static, cluster_queue)
#undef TYPE
#define TYPE struct plm_local_queue
static const struct plm_member local_queue_members[] = {
	PART(object, object),	TEXT(cluster_queue), TEXT(work_queue),	  ENUM(stop, stop),
	LIST(reported, amount), I64(weight_nano),    I64(reported_ms),	  I64(sampled_ms),
	SKIP(consumed),		BOOL(writing),	     SKIP(written_print), I64(write_at_ms)};
LAYOUT(static, local_queue)
#undef TYPE
#define TYPE struct plm_consumed
static const struct plm_member consumed_members[] = {SKIP(used), ID(local, LOCAL_QUEUE), SKIP(next),
						     SKIP(zero), PART(amount, fixed)};
LAYOUT(static, consumed)
#undef TYPE
#define TYPE struct plm_instance
static const struct plm_member instance_members[] = {
	SKIP(used),  TEXT(provider_id), TEXT(instance_type), TEXT(zone),      TEXT(capacity_type),
	TEXT(claim), TEXT(pool),	BOOL(told),	     I64(launched_ms)};
LAYOUT(static, instance)
#undef TYPE
#define TYPE struct plm_work_queue
static const struct plm_member work_queue_members[] = {PART(object, object), TEXT(cluster_queue),
						       SKIP(zero), I64(max_parallel)};
LAYOUT(static, work_queue)
#undef TYPE
#define TYPE struct plm_priority_class
static const struct plm_member priority_class_members[] = {
	PART(object, object), BOOL(global_default), BOOL(never_preempt), I64(value)};
LAYOUT(static, priority_class)
#undef TYPE
#define TYPE struct plm_admission_check
static const struct plm_member admission_check_members[] = {PART(object, object), TEXT(controller),
							    BOOL(active)};
LAYOUT(static, admission_check)
#undef TYPE
#define TYPE struct plm_limit_range
static const struct plm_member limit_range_members[] = {PART(object, object),
							LIST(items, limit_item), SKIP(zero)};
LAYOUT(static, limit_range)
#undef TYPE
#define TYPE struct plm_runtime_class
static const struct plm_member runtime_class_members[] = {PART(object, object),
							  LIST(overhead, amount), SKIP(zero)};
LAYOUT(static, runtime_class)
#undef TYPE
#define TYPE struct plm_pdb
static const struct plm_member pdb_members[] = {PART(object, object), PART(selector, selector),
						BOOL(min_percent),    BOOL(max_percent),
						BOOL(always_allow),   BOOL(has_status),
						BOOL(stale),	      SKIP(zero),
						I64(min_available),   I64(max_unavailable),
						I64(allowed),	      I64(healthy),
						I64(desired),	      I64(expected)};
LAYOUT(static, pdb)
#undef TYPE
#define TYPE struct plm_workload
static const struct plm_member workload_members[] = {PART(object, object),
						     TEXT(queue),
						     TEXT(priority_class),
						     LIST(pod_sets, pod_set),
						     BOOL(active),
						     BOOL(gated),
						     ID(job, JOB),
						     LIST(checks, check_status),
						     LIST(reclaimable, pod_count),
						     I64(priority_given),
						     I64(priority),
						     OWN_ENUM(stage, stage_names),
						     ID(cluster_queue, CLUSTER_QUEUE),
						     TEXT(reserved_in),
						     BOOL(failed),
						     LIST(assignments, assignment),
						     TEXT(evicted_reason),
						     ENUM(place, queue_place),
						     ENUM(preemption, reason),
						     I32(requeued),
						     LIST(cursor, cursor),
						     U64(cursor_generation),
						     U64(cursor_seq),
						     I64(reserved_ms),
						     I64(admitted_ms),
						     I64(evicted_ms),
						     I64(finished_ms),
						     I64(requeue_at_ms),
						     TEXT(finished_reason),
						     LIST(places, place),
						     LIST(hold, assignment),
						     U32(cursor_round),
						     I64(places_deadline_ms),
						     TEXTS(tried),
						     ID(by, WORKLOAD),
						     BOOL(polite),
						     TEXTS(unhealthy),
						     LIST(penalty, fixed),
						     U32(turn_spent),
						     U32(turn_preempted),
						     ENUM(evicted_cause, reason),
						     PART(why, why),
						     U32(active_told),
						     U32(max_execution_s),
						     U32(past_execution_s),
						     OWN_ENUM(pods_ready, ready_names),
						     I64(pods_ready_ms),
						     I64(ready_by_ms),
						     U32(requeue_count),
						     ENUM(requeued_reason, reason),
						     I64(requeued_ms),
						     LIST(evictions, eviction_count),
						     BOOL(retired),
						     BOOL(deactivating),
						     OWN_ENUM(halt, halt_names),
						     BOOL(elastic),
						     OWN_ENUM(making, making_names),
						     SKIP(written_print),
						     SKIP(said_print),
						     I64(write_at_ms),
						     BOOL(writing),
						     OWN_ENUM(theirs, theirs_names)};
LAYOUT(static, workload)
#undef TYPE
#define TYPE struct plm_job
static const struct plm_member job_members[] = {PART(object, object),
						TEXT(workload),
						TEXT(queue),
						TEXT(work_queue),
						TEXT(priority_class),
						LIST(pod_sets, pod_set),
						BOOL(managed),
						BOOL(suspended),
						BOOL(indexed),
						ENUM(end, job_end),
						BOOL(elastic),
						I64(parallelism),
						I64(completions),
						I64(backoff_limit),
						I64(min_parallelism),
						I64(active),
						I64(ready),
						I64(succeeded),
						I64(failed),
						I64(ended_ms),
						I64(started_ms),
						ID(workload_id, WORKLOAD),
						OWN_ENUM(started, told_names),
						SKIP(remake),
						U32(next_index),
						I64(pods),
						I64(max_exec_s),
						LIST(reclaimable, pod_count),
						BOOL(prebuilt),
						SKIP(first_pod),
						U32(group_total),
						U32(group_flags),
						U32(named),
						TEXT(runtime),
						ENUM(runtime_kind, kind),
						LIST(node_requests, amount),
						SKIP(zero2),
						I64(nodes)};
LAYOUT(static, job)
#undef TYPE
#define TYPE struct plm_pod
static const struct plm_member pod_members[] = {PART(object, object),
						ONE(shape, shape),
						TEXT(node),
						TEXT(nominated),
						TEXT(pod_set),
						ENUM(phase, phase),
						BOOL(unschedulable),
						BOOL(no_status),
						BOOL(gated),
						BOOL(ready),
						BOOL(do_not_disrupt),
						BOOL(tas),
						TEXTS(gates),
						I64(started_ms),
						I64(deletion_cost),
						I64(index),
						I64(priority),
						TEXT(target),
						BOOL(target_claim),
						BOOL(ending),
						BOOL(batched),
						PART(why, why),
						BOOL(ungating),
						BOOL(managed),
						TEXT(group),
						TEXT(role),
						SKIP(group_next),
						U32(group_flags),
						BOOL(admission_gated),
						BOOL(told),
						BOOL(not_ready),
						BOOL(misprotected),
						I64(protected_ms),
						I64(grace_s),
						U32(evict_tries),
						BOOL(forced),
						I64(evict_ms),
						I64(scheduled_ms),
						U32(seen),
						U32(finalizing)};
LAYOUT(static, pod)
#undef TYPE
#define TYPE struct plm_node
static const struct plm_member node_members[] = {PART(object, object),
						 TEXT(provider_id),
						 LIST(taints, taint),
						 LIST(capacity, amount),
						 LIST(allocatable, amount),
						 BOOL(ready),
						 BOOL(unschedulable),
						 BOOL(do_not_disrupt),
						 ID(claim, NODE_CLAIM),
						 I64(empty_since_ms),
						 U32(pods),
						 BOOL(termination_finalizer),
						 I64(pod_event_ms),
						 U32(keepers),
						 SKIP(zero)};
LAYOUT(static, node)
#undef TYPE
#define TYPE struct plm_daemon_set
static const struct plm_member daemon_set_members[] = {PART(object, object),
						       ONE(template_set, pod_set), SKIP(zero)};
LAYOUT(static, daemon_set)
#undef TYPE
#define TYPE struct plm_replicator
static const struct plm_member replicator_members[] = {PART(object, object),
						       ONE(template_set, pod_set), SKIP(zero),
						       I64(replicas), PART(why, why)};
LAYOUT(static, replicator)
#undef TYPE
#define TYPE struct plm_node_pool
static const struct plm_member node_pool_members[] = {PART(object, object),
						      ENUM(class_kind, kind),
						      TEXT(class_name),
						      LIST(template_labels, kv),
						      LIST(taints, taint),
						      LIST(startup_taints, taint),
						      LIST(requirements, expr),
						      LIST(limits, amount),
						      LIST(budgets, budget),
						      ENUM(consolidation, consolidation),
						      BOOL(dialect),
						      TEXT(not_ready),
						      BOOL(by_condition),
						      I64(weight),
						      I64(min_size),
						      I64(max_size),
						      I64(expire_ms),
						      I64(grace_ms),
						      I64(consolidate_after_ms),
						      TEXT(hash),
						      TEXT(stamped_hash),
						      TEXT(stamped_version),
						      U32(launches),
						      U32(launch_ring),
						      BOOL(told),
						      I64(generation),
						      BOOL(writing),
						      SKIP(zero),
						      SKIP(written_print),
						      I64(write_at_ms)};
LAYOUT(static, node_pool)
#undef TYPE
#define TYPE struct plm_node_claim
static const struct plm_member node_claim_members[] = {PART(object, object),
						       TEXT(pool),
						       TEXT(class_name),
						       LIST(requirements, expr),
						       LIST(requests, amount),
						       LIST(taints, taint),
						       LIST(startup_taints, taint),
						       TEXT(provider_id),
						       TEXT(node),
						       LIST(capacity, amount),
						       LIST(allocatable, amount),
						       TEXTS(types),
						       BOOL(do_not_disrupt),
						       I64(launched_ms),
						       I64(registered_ms),
						       I64(initialized_ms),
						       I64(consolidatable_ms),
						       I64(drifted_ms),
						       I64(grace_ms),
						       OWN_ENUM(phase, claim_names),
						       TEXT(instance_type),
						       TEXT(zone),
						       TEXT(capacity_type),
						       I64(price_micro),
						       I64(decided_ms),
						       U64(intent),
						       TEXT(for_ns),
						       TEXT(for_name),
						       ENUM(end_reason, reason),
						       BOOL(ended_by_cloud),
						       U32(failures),
						       BOOL(cordoned),
						       I64(interrupted_ms),
						       I64(ended_ms),
						       PART(why, why),
						       ENUM(class_kind, kind),
						       TEXT(pool_hash),
						       TEXT(pool_hash_version),
						       TEXT(class_hash),
						       TEXT(class_hash_version),
						       BOOL(termination_finalizer),
						       I64(expire_ms),
						       I64(registering_ms),
						       TEXT(reservation),
						       TEXT(launch_code),
						       LIST(refused, refusal),
						       TEXTS(bought_for),
						       U32(bought_pods),
						       U32(synced),
						       U32(noted),
						       U32(asked),
						       I64(retry_ms),
						       I64(node_gone_ms),
						       I64(blind_kube_ms),
						       I64(blind_cloud_ms),
						       ENUM(drain_stage, drain_stage),
						       U32(drain_marks),
						       I64(deadline_ms),
						       I64(draining_ms),
						       I64(drained_ms),
						       I64(terminating_ms),
						       I64(terminate_ms),
						       PART(drain_why, why),
						       I64(last_pod_event_ms),
						       I64(nominated_ms),
						       U64(nominated_seq),
						       I64(validate_ms),
						       I64(blocked_until_ms),
						       PART(blocked, why),
						       U32(interruption),
						       BOOL(hold_whole),
						       TEXT(cloud_state),
						       SKIP(zero),
						       I64(change_ms),
						       I64(impaired_ms),
						       I64(block_end_ms),
						       I64(rebalance_ms),
						       I64(hold_until_ms),
						       BOOL(described),
						       OWN_ENUM(making, making_names),
						       TEXT(image),
						       BOOL(writing),
						       SKIP(written_print),
						       I64(write_at_ms)};
LAYOUT(static, node_claim)
#undef TYPE
#define TYPE struct plm_type_facts
static const struct plm_member type_facts_members[] = {
	I64(vcpu),	   I64(memory_mib), I64(reserved_mib), I64(enis),
	I64(ipv4_per_eni), I64(store_gb),   I64(efa)};
LAYOUT(static, type_facts)
#undef TYPE
#define TYPE struct plm_instance_type
static const struct plm_member instance_type_members[] = {SKIP(used),
							  TEXT(name),
							  LIST(requirements, expr),
							  LIST(capacity, amount),
							  LIST(allocatable, amount),
							  LIST(offerings, offering),
							  PART(facts, type_facts)};
LAYOUT(static, instance_type)
#undef TYPE
#define TYPE struct plm_seen_memory
static const struct plm_member seen_memory_members[] = {SKIP(used), TEXT(instance_type),
							TEXT(class_name), SKIP(zero), I64(bytes)};
LAYOUT(static, seen_memory)
#undef TYPE
#define TYPE struct plm_stock_out
static const struct plm_member stock_out_members[] = {
	SKIP(used),	   TEXT(instance_type), TEXT(zone),	TEXT(capacity_type), I64(until_ms),
	TEXT(reservation), U32(times),		I64(forget_ms), BOOL(lapsed),	     SKIP(zero)};
LAYOUT(static, stock_out)
#undef TYPE
#define TYPE struct plm_intent
static const struct plm_member intent_members[] = {SKIP(used), ENUM(call, call), ENUM(kind, kind),
						   TEXT(ns),   TEXT(name),	 TEXT(uid),
						   U64(seq),   I64(deadline_ms)};
LAYOUT(static, intent)
#undef TYPE
#define TYPE struct plm_retry
static const struct plm_member retry_members[] = {SKIP(used), ENUM(call, call), ENUM(kind, kind),
						  TEXT(name), U32(tries),	BOOL(held),
						  I64(due_ms)};
LAYOUT(static, retry)
#undef TYPE
#define TYPE struct plm_root
static const struct plm_member root_members[] = {SKIP(used),
						 TEXT(cluster_uid),
						 TEXT(cluster_name),
						 TEXT(region),
						 TEXT(catalog_region),
						 ENUM(compat, compat),
						 ENUM(only, only),
						 BOOL(fair_sharing),
						 BOOL(pending_by_hand),
						 ENUM(preferences, preference_policy),
						 ENUM(min_values, min_values_policy),
						 BOOL(settle),
						 ENUM(fair_strategies, fair_strategies),
						 BOOL(ignore_undeclared),
						 TEXTS(exclude_prefixes),
						 LIST(transformations, transformation),
						 U64(epoch),
						 I64(now_ms),
						 I64(batch_idle_ms),
						 I64(batch_max_ms),
						 I64(gang_timeout_ms),
						 I64(registration_timeout_ms),
						 I64(launch_timeout_ms),
						 I64(stock_out_ms),
						 I64(batch_opened_ms),
						 I64(batch_touched_ms),
						 U64(claims_made),
						 U64(bundle),
						 U64(cycle_seq),
						 U64(quota_generation),
						 BOOL(observe_only),
						 BOOL(queues_dirty),
						 BOOL(nodes_dirty),
						 BOOL(room_freed),
						 BOOL(domains_freed),
						 BOOL(afs),
						 LIST(afs_weights, amount),
						 BOOL(domains_look),
						 I64(afs_half_life_ms),
						 I64(afs_interval_ms),
						 I64(afs_due_ms),
						 U32(turn),
						 BOOL(node_gone),
						 BOOL(pods_ready),
						 BOOL(block_admission),
						 ENUM(requeue_timestamp, requeue_timestamp),
						 U32(deactivate_at),
						 I64(ready_timeout_ms),
						 I64(recovery_timeout_ms),
						 I64(requeue_base_s),
						 I64(requeue_max_s),
						 I64(retain_finished_ms),
						 I64(retain_deactivated_ms),
						 TEXTS(frameworks),
						 BOOL(manage_unnamed),
						 PART(managed_namespaces, selector),
						 BOOL(device_classes),
						 U32(gated_pods),
						 I64(kube_away_ms),
						 I64(cloud_away_ms),
						 I64(kube_blind_ms),
						 I64(cloud_blind_ms),
						 TEXT(claims_listed),
						 BOOL(instances_listed),
						 I64(vm_memory_nano),
						 I64(reserved_enis),
						 I64(disruption_wait_ms),
						 BOOL(nodes_listed),
						 SKIP(zero3),
						 I64(catalog_ms),
						 U32(publish),
						 OWN_ENUM(workloads_listed, listing_names),
						 I64(say_at_ms),
						 BOOL(board_dirty),
						 BOOL(board_look),
						 I64(board_at_ms),
						 BOOL(class_status),
						 U32(nodes_unsaid),
						 I64(launch_lag_ms),
						 I64(nodes_say_ms)};
LAYOUT(static, root)
#undef TYPE

#define TYPE struct plm_tas_topology
static const struct plm_member tas_topology_members[] = {PART(object, object), TEXTS(levels),
							 SKIP(zero)};
LAYOUT(static, tas_topology)
#undef TYPE

#define TYPE struct plm_volume_claim
static const struct plm_member volume_claim_members[] = {
	PART(object, object), TEXT(class_name), TEXT(volume), BOOL(class_said),
	BOOL(bound),	      BOOL(lost),	SKIP(zero)};
LAYOUT(static, volume_claim)
#undef TYPE
#define TYPE struct plm_volume
static const struct plm_member volume_members[] = {
	PART(object, object), TEXT(class_name), TEXT(driver), TEXT(handle), LIST(terms, term),
	TEXT(claim_ns),	      TEXT(claim),	BOOL(local),  SKIP(zero)};
LAYOUT(static, volume)
#undef TYPE
#define TYPE struct plm_storage_class
static const struct plm_member storage_class_members[] = {PART(object, object), TEXT(provisioner),
							  LIST(terms, term), BOOL(immediate),
							  BOOL(is_default)};
LAYOUT(static, storage_class)
#undef TYPE
#define TYPE struct plm_csi_node
static const struct plm_member csi_node_members[] = {PART(object, object),
						     LIST(drivers, csi_driver), SKIP(zero)};
LAYOUT(static, csi_node)
#undef TYPE
#define TYPE struct plm_volume_attachment
static const struct plm_member volume_attachment_members[] = {
	PART(object, object), TEXT(driver), TEXT(node), TEXT(volume), BOOL(attached)};
LAYOUT(static, volume_attachment)
#undef TYPE

/* ---- lookups ----------------------------------------------------------------------------------- */

static const struct plm_layout *const tables[PLM_TABLE_COUNT] = {
#define TABLE_ROW(NAME, name, type, small, cluster, ceiling) &plm_layout_##name,
	PLM_TABLES(TABLE_ROW)
#undef TABLE_ROW
};

static const struct plm_layout *const parts[] = {
	&plm_layout_kv,
	&plm_layout_amount,
	&plm_layout_taint,
	&plm_layout_toleration,
	&plm_layout_expr,
	&plm_layout_term,
	&plm_layout_selector,
	&plm_layout_affinity,
	&plm_layout_spread,
	&plm_layout_port,
	&plm_layout_shape,
	&plm_layout_pod_set,
	&plm_layout_quota,
	&plm_layout_flavor_quota,
	&plm_layout_group,
	&plm_layout_check_use,
	&plm_layout_check_status,
	&plm_layout_pod_count,
	&plm_layout_assignment,
	&plm_layout_cursor,
	&plm_layout_place,
	&plm_layout_budget,
	&plm_layout_offering,
	&plm_layout_why,
	&plm_layout_object,
	&plm_layout_transformation,
	&plm_layout_topology_slice,
	&plm_layout_topology_domain,
	&plm_layout_container,
	&plm_layout_limit_item,
	&plm_layout_pod_set_update,
	&plm_layout_eviction_count,
	&plm_layout_volume_use,
	&plm_layout_csi_driver,
};

const struct plm_layout *plm_table_layout(enum plm_table table)
{
	PLM_ASSERT(table < PLM_TABLE_COUNT);
	return tables[table];
}

const struct plm_layout *plm_layout_next(const struct plm_layout *layout)
{
	if (layout == NULL) {
		return parts[0];
	}
	for (size_t i = 0; i < PLM_COUNTOF(parts); i++) {
		if (parts[i] == layout) {
			return i + 1 < PLM_COUNTOF(parts) ? parts[i + 1] : tables[0];
		}
	}
	for (size_t i = 0; i + 1 < PLM_COUNTOF(tables); i++) {
		if (tables[i] == layout) {
			return tables[i + 1];
		}
	}
	return NULL;
}

plm_sym plm_member_sym(const struct plm_member *member, const void *base)
{
	plm_sym sym = {0};

	PLM_ASSERT(member->size == sizeof(sym));
	memcpy(&sym, (const uint8_t *)base + member->offset, sizeof(sym));
	return sym;
}

static uint32_t word_at(const struct plm_member *member, const void *base)
{
	uint32_t word = 0;

	PLM_ASSERT(member->size == sizeof(word));
	memcpy(&word, (const uint8_t *)base + member->offset, sizeof(word));
	return word;
}

int64_t plm_member_number(const struct plm_member *member, const void *base)
{
	int64_t number = 0;

	switch (member->kind) {
	case PLM_MEMBER_ENUM:
	case PLM_MEMBER_BOOL:
	case PLM_MEMBER_U32:
	case PLM_MEMBER_ID:
		return (int64_t)word_at(member, base);
	case PLM_MEMBER_I32:
		return (int64_t)(int32_t)word_at(member, base);
	case PLM_MEMBER_U64:
	case PLM_MEMBER_I64:
		PLM_ASSERT(member->size == sizeof(number));
		memcpy(&number, (const uint8_t *)base + member->offset, sizeof(number));
		return number;
	case PLM_MEMBER_SKIP:
	case PLM_MEMBER_TEXT:
	case PLM_MEMBER_TEXTS:
	case PLM_MEMBER_LIST:
	case PLM_MEMBER_ONE:
	case PLM_MEMBER_PART:
		break;
	}
	PLM_UNREACHABLE();
}
