/*
 * item.h - one object of a stream (an API server's list or watch) as a fact
 *
 * The way in for objects that come one by one and for ever: nothing is remembered of them, and one that
 * cannot be read does not end anything.
 */
#ifndef PLM_ADAPTERS_MANIFEST_ITEM_H
#define PLM_ADAPTERS_MANIFEST_ITEM_H

#include "adapters/manifest/build.h"
#include "adapters/manifest/manifest.h"

struct plm_manifest_item {
	const char *source;	       /* where errors say it came from: "pods"; kept by its text */
	struct plm_slice text;	       /* JSON of one object; borrowed for the call */
	struct plm_json_values values; /* as the scanner saw them in 'text' */
	const char *version, *kind;    /* where the object names neither, as the items of a list */
};

/*
 * The fact goes to the reader's sink. PLM_E_INPUT: it cannot be projected; the text names object and
 * field. Else what the sink said. The reader can be used again after any answer.
 */
enum plm_code plm_manifest_item(struct plm_manifest *reader, const struct plm_manifest_item *item,
				struct plm_error *err) PLM_MUST_CHECK;

#endif
