/*
 * build.h - making the tree of a document: what the YAML and the JSON reader share
 *
 * Owns: the limits of a tree (values, depth, memory) and the rule that a key stands once in a map.
 * A failure is kept in the tree (doc.h); building goes on harmlessly until the reader looks.
 */
#ifndef PLM_ADAPTERS_MANIFEST_BUILD_H
#define PLM_ADAPTERS_MANIFEST_BUILD_H

#include "adapters/manifest/doc.h"

struct plm_doc_build {
	struct plm_doc_tree *tree;
	uint32_t nodes; /* made so far */
};

/*
 * A new last child of 'parent' (NULL: the root). 'key' (arena) is set in maps. NULL after a failure:
 * too many values, out of memory, or 'key' there already.
 */
struct plm_doc *plm_doc_add(struct plm_doc_build *build, struct plm_doc *parent,
			    struct plm_slice key, int line);
/* A zero-terminated copy in the tree's arena; empty after a failure. */
struct plm_slice plm_doc_copy_text(struct plm_doc_build *build, struct plm_slice text);
/* 'map' is complete: looks for keys that stand twice in maps too long for plm_doc_add() to look. */
void plm_doc_check_keys(struct plm_doc_build *build, struct plm_doc *map);

/* Into 'tree' (file and arena are set): PLM_E_INPUT through tree->code. 'line' is that of the first byte. */
void plm_yaml_parse(struct plm_doc_tree *tree, struct plm_slice text, int line);

/* Values of one JSON text in the order of the text, as the scanner saw them. */
struct plm_json_value {
	uint32_t offset, size;
	int line;
};
struct plm_json_values {
	struct plm_json_value *list; /* borrowed */
	size_t count;
};
void plm_json_build(struct plm_doc_tree *tree, struct plm_slice text,
		    const struct plm_json_values *values);

#endif
