/*
 * doc.h - one document as a tree with lines, the same for YAML and JSON
 *
 * Owns: the tree of one document and the typed reads from it. Every node knows its line and its place,
 * so that an error can say file, line, object, path and reason. A read marks what it read:
 * plm_doc_unread() then finds the fields that nobody asked for.
 * Does not: know a kind of object (project_*.c do).
 *
 * Errors are sticky: the first failed read is kept in the tree, later ones are ignored, and every read
 * returns its "absent" value after a failure of its own. A projection is therefore written straight on
 * and ends with plm_doc_result(). A node that is NULL or an explicit null reads as absent.
 */
#ifndef PLM_ADAPTERS_MANIFEST_DOC_H
#define PLM_ADAPTERS_MANIFEST_DOC_H

#include "core/arena.h"
#include "core/object.h"
#include "core/quantity.h"

enum plm_doc_kind {
	PLM_DOC_NULL,
	PLM_DOC_BOOL,
	PLM_DOC_NUMBER, /* 'text' as written */
	PLM_DOC_TEXT,
	PLM_DOC_LIST,
	PLM_DOC_MAP,
};

/* A value; all of it lies in the arena of its tree. */
struct plm_doc {
	enum plm_doc_kind kind;
	int line;		/* from 1 */
	uint32_t count;		/* children of a LIST or MAP */
	uint32_t index;		/* place among the parent's children */
	uint32_t begin, end;	/* YAML: where it stands in the source, in characters */
	uint8_t seen;		/* 1: a read asked for it; 2: with all below it */
	bool quoted;		/* written in quotes (or as a block) */
	struct plm_slice key;	/* its name in a MAP, else empty */
	struct plm_slice text;	/* scalars; zero-terminated (not counted) */
	struct plm_doc *parent; /* NULL at the root */
	struct plm_doc *first;	/* children in the order of the source */
	struct plm_doc *last;
	struct plm_doc *next;
};

struct plm_doc_tree {
	struct plm_doc *root;
	const char *file;	  /* borrowed; "-" for standard input */
	struct plm_slice source;  /* borrowed: the bytes of this item or document */
	struct plm_slice version; /* apiVersion, "" when absent */
	struct plm_slice kind;
	struct plm_slice ns; /* as written, "" when absent */
	struct plm_slice name;
	struct plm_arena *arena; /* borrowed; ends with the document */
	enum plm_code code;	 /* PLM_OK or that of the first failure */
	struct plm_error err;
};

/* ---- walking ----------------------------------------------------------------------------------- */

/* The member 'key' of 'map', marked as seen; NULL when absent, null, or 'map' is no MAP. */
struct plm_doc *plm_doc_get(struct plm_doc *map, const char *key);
/* As plm_doc_get() along names separated by dots ("spec.template.spec"); no name may contain a dot. */
struct plm_doc *plm_doc_at(struct plm_doc *map, const char *path);
/* for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) */
struct plm_doc *plm_doc_items(struct plm_doc *list);
/* Mark 'node' and everything below it as seen. NULL-safe. */
void plm_doc_ignore(struct plm_doc *node);
/* The first node at or below 'node', in the order of the source, that no read asked for, or NULL. */
struct plm_doc *plm_doc_unread(struct plm_doc *node);

/* "spec.containers[0].resources.requests["nvidia.com/gpu"]", in the tree's arena, zero-terminated. */
struct plm_slice plm_doc_path(struct plm_doc_tree *tree, const struct plm_doc *node);
/* As plm_doc_path() with "[]" for every index: one text per field. */
struct plm_slice plm_doc_field(struct plm_doc_tree *tree, const struct plm_doc *node);

/*
 * Record "FILE:LINE: KIND ns/name: path: reason" unless a failure is recorded already. 'node' is what is
 * wrong (NULL: the root).
 */
void plm_doc_fail(struct plm_doc_tree *tree, const struct plm_doc *node, const char *format, ...)
	PLM_PRINTF(3, 4);
/* PLM_OK, or the first failure copied to 'err'. */
enum plm_code plm_doc_result(const struct plm_doc_tree *tree, struct plm_error *err) PLM_MUST_CHECK;

/* ---- typed reads of the member 'key' of 'map' --------------------------------------------------- */
/* With 'key' NULL the node itself is read: list items. Texts and arrays are arena. */

/* A MAP or a LIST, or NULL when absent. */
struct plm_doc *plm_doc_map(struct plm_doc_tree *tree, struct plm_doc *map, const char *key);
struct plm_doc *plm_doc_list(struct plm_doc_tree *tree, struct plm_doc *map, const char *key);
/* A failure when absent or empty. */
struct plm_slice plm_doc_text_required(struct plm_doc_tree *tree, struct plm_doc *map,
				       const char *key);
struct plm_slice plm_doc_text(struct plm_doc_tree *tree, struct plm_doc *map, const char *key);
/* 0 or 1. */
int64_t plm_doc_bool(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
		     int64_t absent);
/* An integer of int64, of int32, of 0 to INT32_MAX. */
int64_t plm_doc_int(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
		    int64_t absent);
int64_t plm_doc_int32(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
		      int64_t absent);
int64_t plm_doc_count(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
		      int64_t absent);
/* IntOrString as the text that was written; "" when absent. */
struct plm_slice plm_doc_int_or_text(struct plm_doc_tree *tree, struct plm_doc *map,
				     const char *key);
/* One of 'names'; the failure lists them. */
int64_t plm_doc_enum(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
		     const struct plm_wire_names *names, int64_t absent);
/* A Go duration in milliseconds; not below 0. */
int64_t plm_doc_duration(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
			 int64_t absent);
/* As plm_doc_duration(), with "Never" = PLM_UNSET. */
int64_t plm_doc_duration_or_never(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
				  int64_t absent);
/* RFC 3339 in Unix milliseconds, PLM_UNSET when absent. */
int64_t plm_doc_time(struct plm_doc_tree *tree, struct plm_doc *map, const char *key);
/* A Kubernetes quantity, text or number; not below 0. */
int64_t plm_doc_quantity(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
			 enum plm_scale scale, int64_t absent);
/* A list of texts (struct plm_slice). */
struct plm_vec plm_doc_texts(struct plm_doc_tree *tree, struct plm_doc *map, const char *key);
/* A map of texts as struct plm_w_kv, sorted by key. */
struct plm_vec plm_doc_kv(struct plm_doc_tree *tree, struct plm_doc *map, const char *key);
/* A map of quantities as struct plm_w_amount, sorted; each in the unit of its resource. */
struct plm_vec plm_doc_amounts(struct plm_doc_tree *tree, struct plm_doc *map, const char *key);

#endif
