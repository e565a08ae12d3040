/*
 * classes_found.h - what AWS said to one question of a node class, as rows
 *
 * Owns: reading the trees of DescribeSubnets, DescribeSecurityGroups, DescribeImages, DescribeCapacityReservations,
 * DescribePlacementGroups, GetParameter, GetInstanceProfile and DescribeCluster into rows in an arena, page by page. An
 * item without what makes it usable (its id, a zone, an architecture that Kubernetes knows) is left out.
 * Does not: ask (classes_ask.h), choose (classes_status.h).
 * Sources: karpenter.md 4.1 and 4.6, ec2-test.md 3; names as EC2 answers.
 */
#ifndef PLM_ADAPTERS_EC2_CLASSES_FOUND_H
#define PLM_ADAPTERS_EC2_CLASSES_FOUND_H

#include "adapters/ec2/tree.h"

enum plm_ec2_what {
	PLM_EC2_SUBNETS,      /* struct plm_ec2_subnet */
	PLM_EC2_GROUPS,	      /* struct plm_ec2_group */
	PLM_EC2_IMAGES,	      /* struct plm_ec2_found_image */
	PLM_EC2_RESERVATIONS, /* struct plm_ec2_found_reservation */
	PLM_EC2_PLACEMENT,    /* struct plm_ec2_group */
	PLM_EC2_PARAMETER,    /* struct plm_slice: its value, one */
	PLM_EC2_PROFILE,      /* struct plm_ec2_found_profile, one */
	PLM_EC2_CLUSTER,      /* struct plm_ec2_found_cluster, one */
	PLM_EC2_WHAT_COUNT
};

struct plm_ec2_subnet {
	struct plm_slice id, zone, zone_id;
	int64_t free; /* addresses */
};

struct plm_ec2_group {
	struct plm_slice id, name;
};

struct plm_ec2_found_image {
	struct plm_slice id, name;
	const char *arch;      /* static: as Kubernetes spells it */
	int64_t created_ms;    /* PLM_UNSET = not said */
	int64_t deprecated_ms; /* from then on; PLM_UNSET = not */
};

struct plm_ec2_found_reservation {
	struct plm_slice id, zone, instance_type, owner, criteria;
	struct plm_slice kind; /* "default", "capacity-block" */
	int64_t end_ms;	       /* PLM_UNSET = none */
	bool interruptible;
};

struct plm_ec2_found_profile {
	struct plm_slice name, path, role; /* role "" = has none */
};

struct plm_ec2_found_cluster {
	struct plm_slice endpoint, ca; /* PEM in base64 */
	struct plm_slice cidr;	       /* of services, of the family that the cluster has */
	struct plm_slice version;      /* "1.33" */
	bool ipv6;
};

/* Rows of one kind; zeroed = empty. 'arena' is borrowed and holds them with their texts. */
struct plm_ec2_rows {
	struct plm_arena *arena;
	enum plm_ec2_what what;
	void *list;
	size_t count, room;
};

/*
 * Add what one page has. PLM_E_LIMIT: more than PLM_LIMIT_CLASS_ROWS, or than the arena holds. PLM_E_INPUT: the answer is
 * none to this question.
 */
enum plm_code plm_ec2_found_read(struct plm_ec2_rows *rows, const struct plm_aws_node *root,
				 struct plm_error *err) PLM_MUST_CHECK;

#endif
