/*
 * account.h - an account of AWS that plays what node classes come to, and the classes part on it
 *
 * Owns: a stage, the things of an account as rows that the test changes, their answers in the shapes that EC2, SSM, IAM
 * and EKS give (pretty-printed or not), a clock that the test moves, and the facts that were told.
 */
#ifndef PLM_TEST_AWS_ACCOUNT_H
#define PLM_TEST_AWS_ACCOUNT_H

#include "adapters/ec2/classes.h"
#include "adapters/ec2/recipe.h"

#include "stage.h"

#define ROWS 8

struct account_subnet {
	const char *id, *zone;
	int free;
};
struct account_image {
	const char *id, *name, *machine, *created, *deprecated; /* deprecated NULL = not */
};
struct account_parameter {
	const char *part, *value; /* of every parameter that has 'part' in its path */
};
/* Answers of an action that are refused: the next 'times'. */
struct account_refusal {
	const char *action, *code;
	unsigned status;
	int times;
};

struct account {
	struct stage stage;
	struct plm_ec2_context context;
	struct plm_ec2_classes *classes;
	int64_t now_ms; /* boot; wall is 2026-01-01 and that */

	struct account_subnet subnets[ROWS];
	const char *groups[ROWS]; /* "sg-1=name" */
	struct account_image images[ROWS];
	struct account_parameter parameters[ROWS];
	const char *reservations; /* items as XML; NULL = none */
	const char *placement;	  /* id of the group; NULL = none */
	const char *cluster;	  /* JSON of the member "cluster"; NULL = there is none */
	struct account_refusal refusal;
	bool pages;		     /* subnets come one by one, with an empty page between */
	bool pretty;		     /* XML has room between its elements */
	bool instances;		     /* there are some */
	char profile[128], role[64]; /* of the one that is there; "" = none */

	int facts;
	struct plm_arena arena; /* holds the newest fact, and what a test reads */
	const struct plm_w_class_status *status;
	struct plm_slice fact; /* its bytes */
};

/* Two zones with a subnet each, a group, an image for each of two architectures, options without EKS. */
void account_open(struct account *account);
void account_start(struct account *account, bool act);
void account_close(struct account *account);

/* The class in a manifest, as the cluster's end would tell it. */
void account_saw(struct account *account, const char *yaml);
void account_gone(struct account *account, enum plm_kind kind, const char *name);
void account_list(struct account *account, enum plm_kind kind, bool begins);

/* Let 'ms' go by and all that is due happen, until nothing is under way. */
void account_after(struct account *account, int64_t ms);

const struct plm_w_class_condition *account_condition(const struct account *account,
						      const char *type);
/* Fails unless that condition is so; 'message' is a part of it. */
void account_expect(const struct account *account, const char *type, int64_t met,
		    const char *reason, const char *message);
const struct plm_w_ec2_recipe *account_recipe(struct account *account);

#endif
