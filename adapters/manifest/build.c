#include "adapters/manifest/build.h"

#include "core/limits.h"
#include "hash/hash.h"

/* Up to here a new key is compared with all keys before it; a table does it for longer maps. */
#define SHORT_MAP 24

static bool has_key(const struct plm_doc *map, struct plm_slice key)
{
	for (const struct plm_doc *node = map->first; node != NULL; node = node->next) {
		if (plm_slice_equal(node->key, key)) {
			return true;
		}
	}
	return false;
}

static void twice(struct plm_doc_build *build, struct plm_doc *node)
{
	plm_doc_fail(build->tree, node, "this key stands twice in its map");
}

struct plm_doc *plm_doc_add(struct plm_doc_build *build, struct plm_doc *parent,
			    struct plm_slice key, int line)
{
	bool map = parent != NULL && parent->kind == PLM_DOC_MAP;
	bool known = map && parent->count < SHORT_MAP && has_key(parent, key);
	struct plm_doc *node = plm_arena_try(build->tree->arena, sizeof(*node));

	if (build->tree->code != PLM_OK) {
		return NULL;
	}
	if (build->nodes == PLM_LIMIT_DOC_NODES || node == NULL) {
		plm_doc_fail(build->tree, parent, "more than %d values in one document",
			     PLM_LIMIT_DOC_NODES);
		return NULL;
	}
	build->nodes++;
	node->line = line;
	node->key = key;
	node->parent = parent;
	if (parent == NULL) {
		build->tree->root = node;
		return node;
	}
	node->index = parent->count++;
	if (parent->last == NULL) {
		parent->first = node;
	} else {
		parent->last->next = node;
	}
	parent->last = node;
	if (known) {
		twice(build, node);
		return NULL;
	}
	return node;
}

struct plm_slice plm_doc_copy_text(struct plm_doc_build *build, struct plm_slice text)
{
	uint8_t *copy = plm_arena_try(build->tree->arena, text.size + 1);

	if (copy == NULL) {
		plm_doc_fail(build->tree, NULL, "the texts of one document exceed %ld bytes",
			     PLM_LIMIT_DOC_BYTES);
		return (struct plm_slice){0};
	}
	if (text.size > 0) {
		memcpy(copy, text.ptr, text.size);
	}
	return plm_slice_of(copy, text.size);
}

/* Put 'node' into the open-addressing table; false when its key is there. */
static bool put(struct plm_doc **table, size_t mask, struct plm_doc *node)
{
	size_t at = plm_xxh64(node->key) & mask;

	for (; table[at] != NULL; at = (at + 1) & mask) {
		if (plm_slice_equal(table[at]->key, node->key)) {
			return false;
		}
	}
	table[at] = node;
	return true;
}

void plm_doc_check_keys(struct plm_doc_build *build, struct plm_doc *map)
{
	size_t mask = 63;
	struct plm_doc **table = NULL;

	if (map->kind != PLM_DOC_MAP || map->count <= SHORT_MAP || build->tree->code != PLM_OK) {
		return;
	}
	while (mask < (size_t)map->count * 2) {
		mask = mask * 2 + 1;
	}
	table = plm_arena_try(build->tree->arena, (mask + 1) * sizeof(*table));
	if (table == NULL) {
		plm_doc_fail(build->tree, map, "one document needs more than %ld bytes",
			     PLM_LIMIT_DOC_BYTES);
		return;
	}
	for (struct plm_doc *node = map->first; node != NULL; node = node->next) {
		if (!put(table, mask, node)) {
			twice(build, node);
			return;
		}
	}
}
