/*
 * tree_build.h - how a tree of tree.h grows, the same for XML and JSON
 *
 * Owns: the bounds of depth, nodes and bytes; names that are stored once although lists repeat them.
 */
#ifndef PLM_ADAPTERS_EC2_TREE_BUILD_H
#define PLM_ADAPTERS_EC2_TREE_BUILD_H

#include "adapters/ec2/tree.h"
#include "core/limits.h"

#define PLM_AWS_NAME_SLOTS 256

struct plm_aws_build {
	struct plm_arena *arena; /* borrowed */
	struct plm_error *err;	 /* of the first failure */
	enum plm_code code;	 /* PLM_OK until then; nothing is built after it */
	struct plm_aws_node *root;
	uint32_t depth; /* open nodes; the innermost is the last */
	struct {
		struct plm_aws_node *node, *last; /* and its newest child */
	} open[PLM_LIMIT_AWS_DEPTH];
	uint32_t nodes;
	struct plm_slice names[PLM_AWS_NAME_SLOTS]; /* by hash, the newest of each slot */
};

/* A child of the innermost open node, or the root; it is open then. */
void plm_aws_build_open(struct plm_aws_build *build, struct plm_slice name);
/* Ends the innermost; 'text' is copied. */
void plm_aws_build_close(struct plm_aws_build *build, struct plm_slice text);
void plm_aws_build_fail(struct plm_aws_build *build, enum plm_code code, const char *why);

#endif
