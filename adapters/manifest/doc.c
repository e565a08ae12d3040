#include "adapters/manifest/doc.h"

#include <stdarg.h>
#include <stdio.h>

static struct plm_doc *member(struct plm_doc *map, struct plm_slice key)
{
	if (map == NULL || map->kind != PLM_DOC_MAP) {
		return NULL;
	}
	for (struct plm_doc *node = map->first; node != NULL; node = node->next) {
		if (plm_slice_equal(node->key, key)) {
			node->seen = node->seen == 0 ? 1 : node->seen;
			return node->kind == PLM_DOC_NULL ? NULL : node;
		}
	}
	return NULL;
}

struct plm_doc *plm_doc_get(struct plm_doc *map, const char *key)
{
	return member(map, plm_slice_str(key));
}

struct plm_doc *plm_doc_at(struct plm_doc *map, const char *path)
{
	struct plm_doc *node = map;

	while (node != NULL && *path != '\0') {
		size_t size = strcspn(path, ".");

		node = member(node, plm_slice_of(path, size));
		path += size;
		path += *path == '.' ? 1 : 0;
	}
	return node;
}

struct plm_doc *plm_doc_items(struct plm_doc *list)
{
	return list != NULL && list->kind == PLM_DOC_LIST ? list->first : NULL;
}

void plm_doc_ignore(struct plm_doc *node)
{
	if (node != NULL) {
		node->seen = 2;
	}
}

/* The node after 'node' and all below it, without leaving 'top'. */
static struct plm_doc *beyond(struct plm_doc *node, const struct plm_doc *top)
{
	while (node != NULL && node != top && node->next == NULL) {
		node = node->parent;
	}
	return node == NULL || node == top ? NULL : node->next;
}

/* Items of a list are as seen as the list: a read walks over all of them. */
static bool unread(const struct plm_doc *node)
{
	bool item = node->parent != NULL && node->parent->kind == PLM_DOC_LIST;

	return !item && node->seen == 0;
}

struct plm_doc *plm_doc_unread(struct plm_doc *node)
{
	struct plm_doc *at = node;

	while (at != NULL) {
		if (at != node && unread(at)) {
			return at;
		}
		at = at->seen != 2 && at->first != NULL ? at->first : beyond(at, node);
	}
	return NULL;
}

static bool is_plain(struct plm_slice key)
{
	return key.size > 0 && memchr(key.ptr, '.', key.size) == NULL &&
	       memchr(key.ptr, '/', key.size) == NULL;
}

/* One step of a path: ".name", ["na.me"] or [3] ([] where 'any'). */
static int step_text(char *text, size_t size, const struct plm_doc *node, bool any)
{
	if (node->parent->kind == PLM_DOC_LIST) {
		return any ? snprintf(text, size, "[]") : snprintf(text, size, "[%u]", node->index);
	}
	return snprintf(text, size, is_plain(node->key) ? ".%.*s" : "[\"%.*s\"]",
			(int)node->key.size, (const char *)node->key.ptr);
}

static struct plm_slice path_text(struct plm_doc_tree *tree, const struct plm_doc *node, bool any)
{
	const struct plm_doc *steps[128];
	size_t count = 0;
	char text[PLM_ERROR_TEXT_SIZE];
	size_t used = 0;

	text[0] = '\0';
	for (; node != NULL && node->parent != NULL && count < PLM_COUNTOF(steps);
	     node = node->parent) {
		steps[count++] = node;
	}
	for (size_t i = count; i > 0 && used < sizeof(text) - 1; i--) {
		int size = step_text(text + used, sizeof(text) - used, steps[i - 1], any);

		used += size > 0 ? (size_t)size : 0;
	}
	used = used < sizeof(text) ? used : sizeof(text) - 1;
	if (used > 0 && text[0] == '.') {
		return plm_arena_format(tree->arena, "%s", text + 1);
	}
	return plm_arena_format(tree->arena, "%s", text);
}

struct plm_slice plm_doc_path(struct plm_doc_tree *tree, const struct plm_doc *node)
{
	return path_text(tree, node, false);
}

struct plm_slice plm_doc_field(struct plm_doc_tree *tree, const struct plm_doc *node)
{
	return path_text(tree, node, true);
}

/* "Kind ns/name: " as far as it is known. */
static void label(const struct plm_doc_tree *tree, char *text, size_t size)
{
	const char *space = tree->name.size > 0 ? " " : "";
	const char *slash = tree->ns.size > 0 && tree->name.size > 0 ? "/" : "";
	int ns_size = tree->name.size > 0 ? (int)tree->ns.size : 0;

	if (tree->kind.size == 0) {
		text[0] = '\0';
		return;
	}
	(void)snprintf(text, size, "%.*s%s%.*s%s%.*s: ", (int)tree->kind.size,
		       (const char *)tree->kind.ptr, space, ns_size, (const char *)tree->ns.ptr,
		       slash, (int)tree->name.size, (const char *)tree->name.ptr);
}

void plm_doc_fail(struct plm_doc_tree *tree, const struct plm_doc *node, const char *format, ...)
{
	char object[256];
	char reason[384];
	struct plm_slice path = {0};
	va_list args;

	if (tree->code != PLM_OK) {
		return;
	}
	va_start(args, format);
	(void)vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	node = node == NULL ? tree->root : node;
	path = plm_doc_path(tree, node);
	label(tree, object, sizeof(object));
	tree->code = plm_fail(&tree->err, PLM_E_INPUT, "%s:%d: %s%s%s%s", tree->file,
			      node == NULL ? 1 : node->line, object, (const char *)path.ptr,
			      path.size > 0 ? ": " : "", reason);
}

enum plm_code plm_doc_result(const struct plm_doc_tree *tree, struct plm_error *err)
{
	if (tree->code != PLM_OK && err != NULL) {
		*err = tree->err;
	}
	return tree->code;
}
