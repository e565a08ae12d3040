/*
 * user_data.h - what an instance is told when it boots
 *
 * Owns: the user data of each image family (karpenter.md 4.7), from the class, the claim and the cluster,
 * to the last byte the same for the same input. The user's own parts come first; where both say the same,
 * ours holds. Labels that a kubelet may not set itself are left out, the taint karpenter.sh/unregistered is
 * always there.
 * Does not: encode in base64 (the call does), read files, know EC2's calls.
 */
#ifndef PLM_EC2_USER_DATA_H
#define PLM_EC2_USER_DATA_H

#include "core/arena.h"
#include "core/error.h"
#include "core/object.h"

/* What EC2 takes, before base64; from 90 % on there is a warning. */
#define PLM_EC2_USER_DATA_BYTES 16384

struct plm_ec2_cluster {
	struct plm_slice name, endpoint;
	struct plm_slice ca_bundle;    /* PEM in base64; may be empty */
	struct plm_slice service_cidr; /* for AL2023 */
	struct plm_slice dns_ip;       /* used unless the class names one; may be empty */
};

struct plm_ec2_boot {
	const struct plm_w_node_class *class;
	const struct plm_ec2_cluster *cluster;
	struct plm_vec labels;		       /* struct plm_w_kv, sorted by key */
	struct plm_vec taints, startup_taints; /* struct plm_w_taint */
	int64_t max_pods;		       /* of the types that are launched with it */
	bool default_mounts; /* Bottlerocket: its release binds the usual folders by itself */
};

/*
 * '*out' in the arena. PLM_E_INPUT: the user's part cannot be read. PLM_E_LIMIT: larger than
 * PLM_EC2_USER_DATA_BYTES. '*near_limit' (may be NULL): more than 90 % of that.
 */
enum plm_code plm_ec2_user_data(const struct plm_ec2_boot *boot, struct plm_arena *arena,
				struct plm_slice *out, bool *near_limit,
				struct plm_error *err) PLM_MUST_CHECK;

/* ---- for the files of this folder ---------------------------------------------------------------- */

/* The labels that the kubelet may set, with karpenter.sh/do-not-sync-taints where the family has it. */
struct plm_vec plm_ec2_boot_labels(const struct plm_ec2_boot *boot, struct plm_arena *arena);
/* Taints, startup taints and the one of unregistered nodes. */
struct plm_vec plm_ec2_boot_taints(const struct plm_ec2_boot *boot, struct plm_arena *arena);
/* The address of DNS, or empty. */
struct plm_slice plm_ec2_boot_dns(const struct plm_ec2_boot *boot);
int64_t plm_ec2_boot_pods(const struct plm_ec2_boot *boot);
/* key=value:Effect */
struct plm_slice plm_ec2_taint_text(const struct plm_w_taint *taint, struct plm_arena *arena);

/* nodeadm.c: nodeadm's NodeConfig. */
enum plm_code plm_ec2_node_config(const struct plm_ec2_boot *boot, struct plm_arena *arena,
				  struct plm_slice *out, struct plm_error *err) PLM_MUST_CHECK;
/* Is the text one YAML mapping? */
bool plm_ec2_is_yaml_map(struct plm_slice text);
/* bottlerocket.c */
enum plm_code plm_ec2_bottlerocket(const struct plm_ec2_boot *boot, struct plm_arena *arena,
				   struct plm_slice *out, struct plm_error *err) PLM_MUST_CHECK;

#endif
