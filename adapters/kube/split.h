/*
 * split.h - the answers of lists and watches, cut into objects as their bytes arrive
 *
 * Owns: a window on the bytes, never longer than one object and what came with its end; what the head of a
 * list says, wherever it stands; what must be known of an object before it is read (name, uid, revision).
 * Server-side apply's managedFields, often half of an object, are taken out of the bytes on the way, and a
 * NUL in a text ("\u0000") becomes U+FFFD. Does not: know a kind, keep an object, or read one (observe.h).
 *
 * One object that is too long, too deep or has too many values comes without its bytes and with 'problem':
 * whoever may write one object must not be able to end the stream of all.
 */
#ifndef PLM_ADAPTERS_KUBE_SPLIT_H
#define PLM_ADAPTERS_KUBE_SPLIT_H

#include "adapters/manifest/build.h"
#include "adapters/manifest/json_scan.h"
#include "core/error.h"

enum plm_split_form {
	PLM_SPLIT_LIST,	 /* one object with items[] */
	PLM_SPLIT_WATCH, /* lines {"type", "object"} */
};

enum plm_split_type {
	PLM_SPLIT_ITEM, /* of a list */
	PLM_SPLIT_ADDED,
	PLM_SPLIT_MODIFIED,
	PLM_SPLIT_DELETED,
	PLM_SPLIT_BOOKMARK, /* 'revision' alone counts */
	PLM_SPLIT_ERROR,    /* 'code' and 'message' of a Status */
};

#define PLM_SPLIT_TEXT 256 /* bytes of a name, uid or revision, and a zero; longer ones are cut */

struct plm_split_item {
	enum plm_split_type type;
	struct plm_slice text;	       /* the object; borrowed for the call; empty: see 'problem' */
	struct plm_json_values values; /* in 'text', for the reader; borrowed for the call */
	const char *problem;	       /* static: why there is no 'text'; NULL = there is */
	char ns[PLM_SPLIT_TEXT], name[PLM_SPLIT_TEXT], uid[PLM_SPLIT_TEXT];
	char revision[PLM_SPLIT_TEXT]; /* metadata.resourceVersion */
	bool initial_end;	       /* a bookmark: all objects that there were have been told */
	int64_t code;		       /* of a Status, else 0 */
	char message[PLM_SPLIT_TEXT];  /* of a Status; cut */
};

#define PLM_SPLIT_CONTINUE 8192 /* bytes of a continue token and a zero; a longer one is refused */

struct plm_split_head {
	char revision[PLM_SPLIT_TEXT];
	char next[PLM_SPLIT_CONTINUE]; /* metadata.continue; "" = this is the last page */
};

/*
 * One object. PLM_OK: taken. PLM_E_AGAIN: not now; it is offered again by the next plm_split_feed().
 * Anything else ends the answer.
 */
typedef enum plm_code (*plm_split_sink)(void *self, const struct plm_split_item *item,
					struct plm_error *err);

struct plm_split; /* opaque */

/* PLM_E_LIMIT: out of memory. */
enum plm_code plm_split_new(struct plm_split **out, struct plm_error *err) PLM_MUST_CHECK;
void plm_split_free(struct plm_split *split); /* NULL-safe */
/* A new answer of this form begins; what is left of the last one is dropped. */
void plm_split_begin(struct plm_split *split, enum plm_split_form form, plm_split_sink sink,
		     void *self);

/*
 * Take bytes (none: go on with what is there). PLM_E_AGAIN: the sink wants to wait; the bytes are kept.
 * PLM_E_INPUT: not JSON, or not of this form. After another failure only plm_split_begin() is legal.
 */
enum plm_code plm_split_feed(struct plm_split *split, struct plm_slice bytes,
			     struct plm_error *err) PLM_MUST_CHECK;
/* An object waits for room. */
bool plm_split_waits(const struct plm_split *split);
/* The answer is whole: a list has ended, a watch does not stop in the middle of a line. */
bool plm_split_whole(const struct plm_split *split);
const struct plm_split_head *plm_split_head(const struct plm_split *split);
/* Bytes of the window, for figures. */
size_t plm_split_memory(const struct plm_split *split);

#endif
