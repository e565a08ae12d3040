/*
 * parts.h - the variable-length parts of objects, as state keeps them: interned spans
 *
 * A span is an array of one of these structs, interned in the heap of state like a string: equal spans
 * have the same plm_sym, whatever object they come from, so "same labels", "same pod shape" and "same
 * pod sets" are one integer comparison. Nothing here has padding; spans nest by plm_sym. Meaning and
 * units of the members are those of the wire structs of the same name in object.h.
 */
#ifndef PLM_CORE_PARTS_H
#define PLM_CORE_PARTS_H

#include "core/object.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wpadded"

struct plm_kv {
	plm_sym key, value;
};

/* 'amount' in the unit of the resource, rounded up; 'excess_nano' is what that added, in 10^-9 (exact.h). */
struct plm_amount {
	plm_sym resource;
	uint32_t excess_nano;
	int64_t amount;
};

struct plm_taint {
	plm_sym key, value;
	uint32_t effect; /* enum plm_taint_effect */
	uint32_t zero;
};

struct plm_toleration {
	plm_sym key, value;
	uint32_t op;	 /* enum plm_toleration_op */
	uint32_t effect; /* enum plm_taint_effect */
	int64_t seconds;
};

struct plm_expr {
	plm_sym key;
	uint32_t op;	     /* enum plm_op */
	plm_sym values;	     /* span of plm_sym, in the order of the manifest */
	uint32_t min_values; /* 0 = none */
};

struct plm_term {
	plm_sym exprs, fields; /* spans of plm_expr */
	int64_t weight;
};

struct plm_selector {
	uint32_t present;
	plm_sym exprs; /* span of plm_expr */
};

struct plm_affinity {
	plm_sym topology_key;
	struct plm_selector selector;
	plm_sym namespaces; /* span of plm_sym */
	struct plm_selector ns_selector;
	plm_sym match_keys, mismatch_keys; /* spans of plm_sym */
	int64_t weight;
};

struct plm_spread {
	plm_sym topology_key;
	uint32_t when; /* enum plm_spread_when */
	struct plm_selector selector;
	uint32_t affinity_policy, taints_policy; /* enum plm_node_policy */
	plm_sym match_keys;			 /* span of plm_sym */
	uint32_t zero;
	int64_t max_skew;
	int64_t min_domains;
};

struct plm_port {
	plm_sym ip, protocol;
	int64_t port;
};

struct plm_shape {
	plm_sym requests;	   /* span of plm_amount, by resource name */
	plm_sym node_selector;	   /* span of plm_kv, by key */
	plm_sym required;	   /* span of plm_term */
	uint32_t required_present; /* 1: there is required node affinity, be it without terms */
	plm_sym preferred;	   /* span of plm_term */
	plm_sym tolerations;	   /* span of plm_toleration */
	plm_sym affinity;	   /* spans of plm_affinity */
	plm_sym anti_affinity;
	plm_sym preferred_affinity;
	plm_sym preferred_anti_affinity;
	plm_sym spread;	 /* span of plm_spread */
	plm_sym ports;	 /* span of plm_port */
	plm_sym volumes; /* span of plm_volume_use */
	plm_sym runtime_class, scheduler, priority_class;
	plm_sym over_limit; /* a resource whose request exceeds its limit */
	uint32_t never_preempt;
	int64_t priority;     /* PLM_UNSET = by class */
	plm_sym containers;   /* span of plm_container, as written: 'requests' is made of it */
	plm_sym overhead;     /* span of plm_amount, as written */
	plm_sym out_of_range; /* a resource outside the LimitRanges of the namespace */
	uint32_t has_claims;  /* 1: it names resourceClaims */
};

/* A volume with a claim, in the order of the spec. */
struct plm_volume_use {
	plm_sym claim;	   /* 0: it is the pod's own, named after pod and volume */
	plm_sym ephemeral; /* name of the volume */
	plm_sym class_name;
	uint32_t class_said; /* 0: of the default class */
};

/* Of a CSINode; 'limit' as in object.h. */
struct plm_csi_driver {
	plm_sym name;
	uint32_t zero;
	int64_t limit;
};

/* What one container asks for; 'role' POD: the pod itself. */
struct plm_container {
	uint32_t role;	  /* enum plm_container_role */
	plm_sym requests; /* spans of plm_amount, by resource name */
	plm_sym limits;
};

/* One kind of thing that a LimitRange rules; spans of plm_amount. */
struct plm_limit_item {
	uint32_t type; /* enum plm_limit_type */
	plm_sym max, min, default_limits, default_requests, ratio;
};

struct plm_topology_slice {
	plm_sym level;
	uint32_t zero;
	int64_t size;
};

struct plm_pod_set {
	plm_sym name;
	plm_sym labels; /* span of plm_kv */
	plm_sym shape;	/* span of one plm_shape */
	plm_sym topology_required, topology_preferred;
	uint32_t topology_unconstrained;
	plm_sym topology_group; /* pod sets of one group get one flavor */
	uint32_t topology_asked;
	int64_t count;
	int64_t min_count;
	plm_sym topology_slices; /* span of plm_topology_slice, outermost first */
	plm_sym pod_index_label, sub_group_label;
	uint32_t zero;
	int64_t sub_group_count, index_offset;
};

struct plm_quota {
	plm_sym resource;
	uint32_t zero;
	int64_t nominal, borrowing, lending;
};

struct plm_flavor_quota {
	plm_sym flavor;
	plm_sym quotas; /* span of plm_quota, in the order of the manifest */
};

struct plm_group {
	plm_sym resources; /* span of plm_sym */
	plm_sym flavors;   /* span of plm_flavor_quota */
};

struct plm_check_use {
	plm_sym name;
	plm_sym flavors; /* span of plm_sym */
};

struct plm_pod_set_update {
	plm_sym name;
	plm_sym labels, annotations, node_selector; /* spans of plm_kv */
	plm_sym tolerations;			    /* span of plm_toleration */
};

/*
 * 'taken_*': the answer that an eviction has used up; told once more it is no news, and the check stays
 * Pending until there is another one.
 */
struct plm_check_status {
	plm_sym name;
	uint32_t state; /* enum plm_check_state */
	int64_t since_ms, requeue_after_ms;
	uint32_t retry_count;
	plm_sym message;
	plm_sym updates;      /* span of plm_pod_set_update */
	uint32_t taken_state; /* enum plm_check_state; Pending = none was used up */
	int64_t taken_ms;
};

/* status.schedulingStats.evictions. */
struct plm_eviction_count {
	uint32_t reason, cause; /* enum plm_reason */
	int64_t count;
};

struct plm_pod_count {
	plm_sym name;
	uint32_t zero;
	int64_t count;
};

struct plm_topology_domain {
	plm_sym values; /* span of plm_sym, one per level */
	uint32_t zero;
	int64_t count;
};

struct plm_assignment {
	plm_sym name;
	plm_sym flavors;  /* span of plm_kv: resource to flavor */
	plm_sym usage;	  /* span of plm_amount, for all pods together */
	uint32_t delayed; /* enum plm_delayed */
	int64_t count;
	plm_sym levels;	 /* span of plm_sym */
	plm_sym domains; /* span of plm_topology_domain; 0 = none is assigned */
};

struct plm_transformation {
	plm_sym input, multiply_by;
	plm_sym outputs; /* span of plm_amount */
	uint32_t keep;
};

struct plm_cursor {
	plm_sym pod_set, resource;
	int64_t tried;
};

struct plm_place {
	plm_sym pod_set;
	plm_sym target; /* name of a node or a claim */
	uint32_t claim; /* 1: 'target' is a claim */
	uint32_t zero;
	int64_t count;
};

struct plm_budget {
	plm_sym nodes, reasons, schedule;
	uint32_t zero;
	int64_t duration_ms;
};

struct plm_offering {
	plm_sym zone, capacity_type, reservation;
	uint32_t available;
	plm_sym requirements; /* span of plm_expr, all requirements of the offering */
	uint32_t estimated;
	int64_t price_micro;
	int64_t reserved_left;
};

/* What a node class comes to in the cloud: event.h, CLASS_STATUS. */
struct plm_class_subnet {
	plm_sym id, zone, zone_id;
};
struct plm_class_image {
	plm_sym id, name;
	plm_sym requirements; /* span of plm_expr */
	uint32_t deprecated;
};
struct plm_class_group {
	plm_sym id, name;
};
struct plm_class_condition {
	plm_sym type, reason, message;
	uint32_t met; /* enum plm_class_met */
};
enum plm_class_met {
	PLM_CLASS_MET_UNKNOWN,
	PLM_CLASS_MET_NOT,
	PLM_CLASS_MET,
};

/* What the cloud would not give, and its word for why. */
struct plm_refusal {
	plm_sym instance_type, zone, capacity_type, reservation, code;
};

/* An amount with 32 binary digits behind the point. */
struct plm_fixed {
	plm_sym resource;
	uint32_t fraction;
	int64_t whole;
};

/* The key of what was last said about a subject; the record itself stands in the log at 'seq'. */
struct plm_why {
	uint64_t seq; /* 0 = nothing was said yet */
	uint32_t rule, reason;
	plm_sym object, resource, flavor;
	uint32_t zero;
};

#pragma GCC diagnostic pop

#endif
