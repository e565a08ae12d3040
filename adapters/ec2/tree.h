/*
 * tree.h - an answer of AWS as a tree, whichever way it was written
 *
 * Owns: XML (expat; no entities but the five, no DTD) and JSON (cJSON) turned into nodes of one shape in an arena, bounded
 * in bytes, depth and nodes. Namespaces are cut off, attributes are left out, text is trimmed where a node has
 * children. A list of XML is a node whose children are called "item" (EC2) or "member" (IAM); of JSON a node whose
 * children have the name "item".
 * PLM_E_INPUT: not well-formed, a DTD, or deeper than PLM_LIMIT_AWS_DEPTH. PLM_E_LIMIT: too large.
 */
#ifndef PLM_ADAPTERS_EC2_TREE_H
#define PLM_ADAPTERS_EC2_TREE_H

#include "core/arena.h"
#include "core/error.h"

struct plm_aws_node {
	struct plm_slice name, text; /* "" = none; JSON: numbers and booleans as they are written */
	const struct plm_aws_node *child, *next;
	uint32_t count; /* of children */
};

enum plm_code plm_aws_xml(struct plm_slice bytes, struct plm_arena *arena,
			  const struct plm_aws_node **out, struct plm_error *err) PLM_MUST_CHECK;
enum plm_code plm_aws_json(struct plm_slice bytes, struct plm_arena *arena,
			   const struct plm_aws_node **out, struct plm_error *err) PLM_MUST_CHECK;

/* All of them take NULL. The first child of that name; NULL. */
const struct plm_aws_node *plm_aws_get(const struct plm_aws_node *node, const char *name);
/* Its text; empty. */
struct plm_slice plm_aws_text(const struct plm_aws_node *node, const char *name);
/* A whole number; 'otherwise' where it is absent or none. */
int64_t plm_aws_number(const struct plm_aws_node *node, const char *name, int64_t otherwise);
bool plm_aws_true(const struct plm_aws_node *node, const char *name);
/* "2026-01-01T00:00:00.000Z" as ms; PLM_UNSET. */
int64_t plm_aws_time_ms(const struct plm_aws_node *node, const char *name);

#endif
