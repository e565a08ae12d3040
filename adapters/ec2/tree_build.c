#include "adapters/ec2/tree_build.h"

void plm_aws_build_fail(struct plm_aws_build *build, enum plm_code code, const char *why)
{
	if (build->code == PLM_OK) {
		build->code = plm_fail(build->err, code, "%s", why);
	}
}

static bool copy(struct plm_aws_build *build, struct plm_slice bytes, struct plm_slice *out)
{
	uint8_t *at = NULL;

	*out = (struct plm_slice){0};
	if (bytes.size == 0) {
		return true;
	}
	at = plm_arena_try(build->arena, bytes.size);
	if (at == NULL) {
		plm_aws_build_fail(build, PLM_E_LIMIT, "the answer is too large");
		return false;
	}
	memcpy(at, bytes.ptr, bytes.size);
	*out = plm_slice_of(at, bytes.size);
	return true;
}

static bool copy_name(struct plm_aws_build *build, struct plm_slice name, struct plm_slice *out)
{
	uint32_t hash = 2166136261U;
	struct plm_slice *slot = NULL;

	for (size_t i = 0; i < name.size; i++) {
		hash = (hash ^ name.ptr[i]) * 16777619U;
	}
	slot = &build->names[hash % PLM_AWS_NAME_SLOTS];
	if (!plm_slice_equal(*slot, name) && !copy(build, name, slot)) {
		return false;
	}
	*out = *slot;
	return true;
}

static struct plm_aws_node *new_node(struct plm_aws_build *build)
{
	struct plm_aws_node *node = NULL;

	if (build->depth == PLM_LIMIT_AWS_DEPTH) {
		plm_aws_build_fail(build, PLM_E_INPUT, "the answer is nested too deeply");
		return NULL;
	}
	if (build->nodes < PLM_LIMIT_AWS_NODES) {
		node = plm_arena_try(build->arena, sizeof(*node));
	}
	if (node == NULL) {
		plm_aws_build_fail(build, PLM_E_LIMIT, "the answer is too large");
		return NULL;
	}
	build->nodes++;
	return node;
}

void plm_aws_build_open(struct plm_aws_build *build, struct plm_slice name)
{
	struct plm_aws_node *node = build->code == PLM_OK ? new_node(build) : NULL;

	if (node == NULL || !copy_name(build, name, &node->name)) {
		return;
	}
	if (build->depth == 0) {
		PLM_ASSERT(build->root == NULL);
		build->root = node;
	} else {
		struct plm_aws_node *parent = build->open[build->depth - 1].node;

		if (parent->child == NULL) {
			parent->child = node;
		} else {
			build->open[build->depth - 1].last->next = node;
		}
		parent->count++;
		build->open[build->depth - 1].last = node;
	}
	build->open[build->depth].node = node;
	build->open[build->depth].last = NULL;
	build->depth++;
}

void plm_aws_build_close(struct plm_aws_build *build, struct plm_slice text)
{
	if (build->code != PLM_OK) {
		return;
	}
	PLM_ASSERT(build->depth > 0);
	build->depth--;
	(void)copy(build, text, &build->open[build->depth].node->text);
}
