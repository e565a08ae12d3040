/*
 * template.h - what an instance of a class is made of: the value of one launch template
 *
 * Owns: everything of a launch template resolved from class, claim and cluster (karpenter.md 1.3, 4.3,
 * 4.7): image, user data, volumes, interfaces, metadata options, tags, reservation. One typed struct, its
 * canonical form and the name that follows from it: equal values have the same name for ever, so a template
 * that is there already is found by name, and one that Karpenter made is never ours (exact.md 9).
 * Does not: call EC2, choose types. Types of one template have the same image, pods and EFA count.
 */
#ifndef PLM_EC2_TEMPLATE_H
#define PLM_EC2_TEMPLATE_H

#include "adapters/ec2/user_data.h"

#define PLM_EC2_TEMPLATE_PREFIX "plimsoll/"

struct plm_ec2_launch {
	struct plm_ec2_boot boot;
	struct plm_slice pool, image, instance_profile;
	struct plm_vec security_groups;	    /* struct plm_slice: ids */
	struct plm_slice capacity_type;	    /* "on-demand", "spot", "reserved" */
	struct plm_slice reservation;	    /* id; "" = none */
	bool capacity_block, interruptible; /* of that reservation */
	int64_t efa_count;		    /* EFA interfaces that a pod asked for; 0 = none */
	struct plm_slice placement_group;   /* id; "" = none */
};

struct plm_ec2_interface {
	int64_t card, device; /* card PLM_UNSET = not said */
	const char *type;     /* "interface", "efa", "efa-only"; "" = not said */
	bool ip;	      /* it has addresses of its own */
};

struct plm_ec2_template {
	struct plm_slice image, instance_profile, user_data;
	struct plm_vec devices;	   /* struct plm_w_block_device */
	struct plm_vec interfaces; /* struct plm_ec2_interface */
	struct plm_vec security_groups;
	int64_t public_ip, ip_prefixes, detailed_monitoring; /* PLM_UNSET = not said */
	bool ipv6;
	struct plm_slice http_endpoint, http_ipv6, http_tokens;
	int64_t http_hops;
	int64_t tcp_established_s, udp_stream_s, udp_s;
	struct plm_slice nested_virtualization;
	struct plm_vec
		tags; /* struct plm_w_kv, sorted: of interfaces, spot requests, the template */
	bool spot;
	const char *reservation_preference; /* "none", "capacity-reservations-only" */
	struct plm_slice reservation;
	const char *market; /* "" = the usual one */
	struct plm_slice placement_group;
};

/* '*out' in the arena; fails as plm_ec2_user_data(). */
enum plm_code plm_ec2_template(const struct plm_ec2_launch *launch, struct plm_arena *arena,
			       struct plm_ec2_template *out, struct plm_error *err) PLM_MUST_CHECK;

/* The canonical form: LaunchTemplateData as JSON, members in a fixed order, user data as it is. */
struct plm_slice plm_ec2_template_json(const struct plm_ec2_template *value,
				       struct plm_arena *arena);
/* "plimsoll/" and the first 32 hexadecimal digits of SHA-256 over that. */
struct plm_slice plm_ec2_template_name(struct plm_slice json, struct plm_arena *arena);

/* Class tags, and over them those of cluster, pool and class; sorted. */
struct plm_vec plm_ec2_tags(const struct plm_ec2_launch *launch, struct plm_arena *arena);

#endif
