/*
 * json.c - cJSON's tree as ours
 *
 * The scanner has checked the grammar and noted where each value stands; cJSON decodes the texts. Both
 * walk in the order of the source, so the n-th value of one is the n-th of the other: lines, and the
 * digits of numbers, which cJSON keeps as floats only, come from the scanner.
 */
#include "adapters/manifest/build.h"

#include <cjson/cJSON.h>

struct json {
	struct plm_doc_build build;
	struct plm_slice text;
	const struct plm_json_values *values;
	size_t index; /* of the next value */
};

static const struct plm_json_value *take(struct json *j)
{
	PLM_ASSERT(j->index < j->values->count);
	return &j->values->list[j->index++];
}

/* Past a value that nobody reads, without making nodes of it. */
static void skip(struct json *j, const cJSON *item)
{
	(void)take(j);
	for (const cJSON *child = item->child; child != NULL; child = child->next) {
		skip(j, child);
	}
}

/* Server-side apply's bookkeeping is often half of a dump and never read. */
static bool is_noise(const struct plm_doc *parent, const char *key)
{
	return plm_slice_is(parent->key, "metadata") && strcmp(key, "managedFields") == 0;
}

static void scalar(struct json *j, const cJSON *item, struct plm_doc *node,
		   const struct plm_json_value *value)
{
	if (cJSON_IsString(item)) {
		node->kind = PLM_DOC_TEXT;
		node->quoted = true;
		node->text = plm_doc_copy_text(&j->build, plm_slice_str(item->valuestring));
		return;
	}
	node->text = plm_slice_of(j->text.ptr + value->offset, value->size);
	if (cJSON_IsNumber(item)) {
		node->kind = PLM_DOC_NUMBER;
		node->text = plm_doc_copy_text(&j->build, node->text);
	} else {
		node->kind = cJSON_IsNull(item) ? PLM_DOC_NULL : PLM_DOC_BOOL;
	}
}

static void convert(struct json *j, const cJSON *item, struct plm_doc *parent, struct plm_slice key)
{
	const struct plm_json_value *value = take(j);
	struct plm_doc *node = plm_doc_add(&j->build, parent, key, value->line);

	if (node == NULL) {
		return;
	}
	if (!cJSON_IsObject(item) && !cJSON_IsArray(item)) {
		scalar(j, item, node, value);
		return;
	}
	node->kind = cJSON_IsObject(item) ? PLM_DOC_MAP : PLM_DOC_LIST;
	for (const cJSON *child = item->child; child != NULL; child = child->next) {
		struct plm_slice name = {0};

		if (j->build.tree->code != PLM_OK) {
			return;
		}
		if (node->kind == PLM_DOC_MAP && is_noise(node, child->string)) {
			skip(j, child);
			continue;
		}
		if (node->kind == PLM_DOC_MAP) {
			name = plm_doc_copy_text(&j->build, plm_slice_str(child->string));
		}
		convert(j, child, node, name);
	}
	plm_doc_check_keys(&j->build, node);
}

void plm_json_build(struct plm_doc_tree *tree, struct plm_slice text,
		    const struct plm_json_values *values)
{
	struct json j = {.build = {.tree = tree}, .text = text, .values = values};
	cJSON *root = cJSON_ParseWithLength((const char *)text.ptr, text.size);

	PLM_ASSERT(values->count > 0);
	tree->root = NULL;
	if (root == NULL) {
		struct plm_doc place = {.line = values->list[0].line};

		plm_doc_fail(tree, &place, "not JSON: a text that cannot be decoded");
		return;
	}
	convert(&j, root, NULL, (struct plm_slice){0});
	cJSON_Delete(root);
}
