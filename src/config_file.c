#include "config_file.h"

#include <errno.h>
#include <stdio.h>

#include "adapters/manifest/build.h"

/* A settings file is a page of text, not data. */
#define FILE_MAX ((size_t)1024 * 1024)

static enum plm_code slurp(struct plm_config *config, struct plm_slice *out, struct plm_error *err)
{
	const char *path = plm_config_text(config, PLM_CONFIG_KEY_CONFIG);
	FILE *file = fopen(path, "rbe");
	uint8_t *bytes = NULL;
	size_t size = 0;
	char text[128];
	bool failed = false;

	if (file == NULL) {
		return plm_config_fail(config, PLM_CONFIG_KEY_CONFIG, err, "%s: %s", path,
				       strerror_r(errno, text, sizeof(text)));
	}
	bytes = plm_arena_take(config->arena, FILE_MAX + 1);
	size = fread(bytes, 1, FILE_MAX + 1, file);
	failed = ferror(file) != 0;
	(void)fclose(file);
	if (failed) {
		return plm_config_fail(config, PLM_CONFIG_KEY_CONFIG, err, "%s: cannot be read",
				       path);
	}
	if (size > FILE_MAX) {
		return plm_config_fail(config, PLM_CONFIG_KEY_CONFIG, err,
				       "%s: longer than a settings file may be", path);
	}
	*out = plm_slice_of(bytes, size);
	return PLM_OK;
}

static int key_by_name(struct plm_slice name)
{
	for (int i = 0; i < PLM_CONFIG_KEY_COUNT; i++) {
		const char *file = plm_config_key_info((enum plm_config_key)i)->file;

		if (*file != '\0' && plm_slice_is(name, file)) {
			return i;
		}
	}
	return -1;
}

static bool scalar(const struct plm_doc *node)
{
	return node->kind == PLM_DOC_BOOL || node->kind == PLM_DOC_NUMBER ||
	       node->kind == PLM_DOC_TEXT;
}

static enum plm_code bad_value(const struct plm_doc_tree *tree, const struct plm_doc *node, int key,
			       struct plm_error *err)
{
	return plm_fail(err, PLM_E_CONFIG, "%s: is not a plain value (from %s:%d)",
			plm_config_key_info((enum plm_config_key)key)->flag, tree->file,
			node->line);
}

static enum plm_code read_member(struct plm_config *config, const struct plm_doc_tree *tree,
				 const struct plm_doc *node, struct plm_error *err)
{
	int key = key_by_name(node->key);
	bool list = node->kind == PLM_DOC_LIST;
	struct plm_config_given given = {
		.origin = (const char *)plm_arena_format(config->arena, "%s:%d", tree->file,
							 node->line)
				  .ptr};
	enum plm_code code = PLM_OK;

	if (key < 0) {
		return plm_fail(err, PLM_E_CONFIG, "%.*s: no such setting (from %s:%d)",
				(int)node->key.size, (const char *)node->key.ptr, tree->file,
				node->line);
	}
	if (!list && !scalar(node)) {
		return bad_value(tree, node, key, err);
	}
	if (!list) {
		given.text = (const char *)node->text.ptr;
		return plm_config_set(config, (enum plm_config_key)key, &given, err);
	}
	for (const struct plm_doc *item = node->first; item != NULL && code == PLM_OK;
	     item = item->next) {
		if (!scalar(item)) {
			return bad_value(tree, item, key, err);
		}
		given.text = (const char *)item->text.ptr;
		code = plm_config_set(config, (enum plm_config_key)key, &given, err);
	}
	return code;
}

enum plm_code plm_config_read_file(struct plm_config *config, struct plm_error *err)
{
	struct plm_doc_tree tree = {.file = plm_config_text(config, PLM_CONFIG_KEY_CONFIG),
				    .arena = config->arena};
	struct plm_slice text = {0};
	enum plm_code code = slurp(config, &text, err);

	if (code != PLM_OK) {
		return code;
	}
	tree.source = text;
	plm_yaml_parse(&tree, text, 1);
	if (tree.code != PLM_OK) {
		return plm_config_fail(config, PLM_CONFIG_KEY_CONFIG, err, "%s", tree.err.text);
	}
	if (tree.root == NULL || tree.root->kind == PLM_DOC_NULL) {
		return PLM_OK;
	}
	if (tree.root->kind != PLM_DOC_MAP) {
		return plm_config_fail(config, PLM_CONFIG_KEY_CONFIG, err,
				       "%s: is not a map of settings", tree.file);
	}
	for (const struct plm_doc *node = tree.root->first; node != NULL && code == PLM_OK;
	     node = node->next) {
		code = read_member(config, &tree, node, err);
	}
	return code;
}
