/*
 * reader.h - the inside of the reader: what the files of this folder share
 *
 * A file goes through a stream (stream_json.c, stream_yaml.c), which cuts it into pieces, one document
 * or one item of a list each; a piece becomes a tree (json.c, yaml.c), a tree one or more objects
 * (manifest.c), an object a fact (project_*.c) or a setting.
 */
#ifndef PLM_ADAPTERS_MANIFEST_READER_H
#define PLM_ADAPTERS_MANIFEST_READER_H

#include "adapters/manifest/build.h"
#include "adapters/manifest/manifest.h"
#include "adapters/manifest/seen.h"
#include "adapters/manifest/window.h"

struct plm_manifest {
	struct plm_manifest_options options;
	struct plm_manifest_sink sink;
	struct plm_arena arena;	       /* of the document at hand */
	struct plm_seen seen;	       /* objects and warnings so far */
	struct plm_json_value *values; /* owned; of the item at hand */
	size_t value_capacity;
	int64_t newest_ms;
	uint64_t count;
	char **files; /* owned; names of what was read */
	size_t file_count;
	enum plm_code failed;
};

#define PLM_LIST_TEXT 256

/* What the head of a list says its items are; empty while it is not known. */
struct plm_list_head {
	char version[PLM_LIST_TEXT];
	char kind[PLM_LIST_TEXT];
};

/* Bytes of one document or of one item. */
struct plm_piece {
	struct plm_slice bytes;		      /* borrowed */
	int line;			      /* of the first byte */
	uint32_t file;			      /* index of plm_manifest.files */
	const struct plm_json_values *values; /* NULL: YAML */
	bool dashed;			      /* YAML: a sequence of one item */
	const struct plm_list_head *list;     /* NULL: no item of a list */
};

/* The index of 'name' in plm_manifest.files, where it is entered once. */
enum plm_code plm_manifest_source(struct plm_manifest *reader, const char *name, uint32_t *out,
				  struct plm_error *err) PLM_MUST_CHECK;
/* Parse a piece and hand on its objects. */
enum plm_code plm_manifest_piece(struct plm_manifest *reader, const struct plm_piece *piece,
				 struct plm_error *err) PLM_MUST_CHECK;
/* Read apiVersion and kind from a part of a YAML list's document that is not items. */
enum plm_code plm_manifest_head(struct plm_manifest *reader, const struct plm_piece *piece,
				struct plm_list_head *head, struct plm_error *err) PLM_MUST_CHECK;
/* Whether kind 'head' can have items; true while it is not known. */
bool plm_list_head_fits(const struct plm_list_head *head);
/* At the end of a list: PLM_E_INPUT unless its kind was said and is that of a list. */
enum plm_code plm_list_head_check(const struct plm_manifest *reader, const struct plm_piece *piece,
				  const struct plm_list_head *head,
				  struct plm_error *err) PLM_MUST_CHECK;

enum plm_code plm_stream_json(struct plm_manifest *reader, struct plm_window *source, uint32_t file,
			      struct plm_error *err) PLM_MUST_CHECK;
enum plm_code plm_stream_yaml(struct plm_manifest *reader, struct plm_window *source, uint32_t file,
			      struct plm_error *err) PLM_MUST_CHECK;

/* One line to the sink's 'warn', the first time this text comes. */
void plm_manifest_warn(struct plm_manifest *reader, const char *format, ...) PLM_PRINTF(2, 3);

#endif
