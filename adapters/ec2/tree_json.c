#include <cjson/cJSON.h>

#include "adapters/ec2/tree_build.h"

#define NUMBER_SIZE 64

static struct plm_slice scalar(cJSON *item, char number[NUMBER_SIZE])
{
	if (cJSON_IsString(item)) {
		return plm_slice_str(item->valuestring);
	}
	if (cJSON_IsBool(item)) {
		return plm_slice_str(cJSON_IsTrue(item) ? "true" : "false");
	}
	if (cJSON_IsNumber(item)) {
		PLM_ASSERT(cJSON_PrintPreallocated(item, number, NUMBER_SIZE, false));
		return plm_slice_str(number);
	}
	return (struct plm_slice){0};
}

static struct plm_slice name_of(const cJSON *item)
{
	return item->string == NULL ? plm_slice_str("item") : plm_slice_str(item->string);
}

/* What comes after 'item', which is closed, in the order of the text; NULL = the end. */
static cJSON *after(struct plm_aws_build *build, cJSON *item, cJSON **parents)
{
	while (build->code == PLM_OK && build->depth > 0) {
		if (item->next != NULL) {
			return item->next;
		}
		item = parents[build->depth - 1];
		plm_aws_build_close(build, (struct plm_slice){0});
	}
	return NULL;
}

static void walk(struct plm_aws_build *build, cJSON *root)
{
	cJSON *parents[PLM_LIMIT_AWS_DEPTH];
	char number[NUMBER_SIZE];
	cJSON *item = root;

	while (item != NULL) {
		plm_aws_build_open(build, item == root ? plm_slice_str("") : name_of(item));
		if (build->code != PLM_OK) {
			return;
		}
		if (item->child != NULL) {
			parents[build->depth - 1] = item;
			item = item->child;
			continue;
		}
		plm_aws_build_close(build, scalar(item, number));
		item = after(build, item, parents);
	}
}

enum plm_code plm_aws_json(struct plm_slice bytes, struct plm_arena *arena,
			   const struct plm_aws_node **out, struct plm_error *err)
{
	struct plm_aws_build build = {.arena = arena, .err = err};
	cJSON *root = NULL;
	const char *end = NULL;

	if (bytes.size > PLM_LIMIT_AWS_BODY_BYTES) {
		return plm_fail(err, PLM_E_LIMIT, "the answer is too large");
	}
	if (bytes.size == 0) {
		return plm_fail(err, PLM_E_INPUT, "the answer is empty");
	}
	root = cJSON_ParseWithLengthOpts((const char *)bytes.ptr, bytes.size, &end, false);
	if (root == NULL) {
		return plm_fail(err, PLM_E_INPUT, "the answer is not JSON");
	}
	while (end < (const char *)bytes.ptr + bytes.size &&
	       (*end == ' ' || *end == '\n' || *end == '\r' || *end == '\t')) {
		end++;
	}
	if (end < (const char *)bytes.ptr + bytes.size) {
		plm_aws_build_fail(&build, PLM_E_INPUT, "something follows the JSON");
	} else {
		walk(&build, root);
	}
	cJSON_Delete(root);
	if (build.code == PLM_OK) {
		PLM_ASSERT(build.depth == 0);
		*out = build.root;
	}
	return build.code;
}
