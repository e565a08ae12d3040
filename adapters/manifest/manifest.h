/*
 * manifest.h - YAML and JSON files as a source of facts
 *
 * Owns: reading (files, folders, standard input; multi-document YAML, JSON values one after another,
 * lists of any kind, `kubectl get` dumps), the translation of both dialects into projections
 * (core/object.h), and the errors that name file, line, object, field and reason.
 * Does not: decide, resolve references between objects, or keep a document after it was handed on.
 *
 * Memory: one item of a list or one document at a time (PLM_LIMIT_ITEM_BYTES), whatever the size of
 * the file, and 24 bytes per object to notice that the same object comes twice.
 * One thread. Nothing is emitted after the first failure; what was emitted before it is the caller's to
 * throw away, so that nothing is decided on half an input.
 *
 * Defaults (exact.md 4): an absent uid is derived from kind, namespace and name; an absent
 * creationTimestamp is 'now_ms' of the options. Where the caller's "now" is the newest time of the
 * input itself, it either reads twice (first with no 'fact' in the sink, then plm_manifest_newest()), or
 * leaves 'now_ms' PLM_UNSET and fills in meta.created_ms of the facts that come with PLM_UNSET.
 */
#ifndef PLM_ADAPTERS_MANIFEST_MANIFEST_H
#define PLM_ADAPTERS_MANIFEST_MANIFEST_H

#include "adapters/manifest/doc.h"
#include "core/event.h"
#include "hash/hash.h"

/* Documents that are settings, not facts. */
enum plm_manifest_setting {
	PLM_SETTING_KUEUE,     /* kind Configuration, config.kueue.x-k8s.io */
	PLM_SETTING_KARPENTER, /* ConfigMap karpenter-settings */
	PLM_SETTING_SCENARIO,  /* kind Scenario, plimsoll.dev/v1alpha1 */
};

struct plm_manifest_fact {
	enum plm_event_type type;
	enum plm_kind kind;
	const void *payload;	       /* wire struct of 'type', borrowed for the call */
	const struct plm_w_meta *meta; /* the first member of 'payload' */
	struct plm_sha256 object_hash; /* over the source's bytes of this item or document */
	const char *file;	       /* borrowed for the life of the reader */
	int line;		       /* where the object begins */
	struct plm_doc_tree *tree;     /* the document, and where in it the object stands: */
	struct plm_doc *doc;	       /* for what no projection holds; borrowed for the call */
};

/* Each returns PLM_OK or the failure that ends the reading; each but 'warn' may be NULL. */
struct plm_manifest_sink {
	void *ctx;
	enum plm_code (*fact)(void *ctx, const struct plm_manifest_fact *fact,
			      struct plm_error *err);
	/* 'tree' is borrowed for the call. NULL: such documents are named in a warning. */
	enum plm_code (*setting)(void *ctx, enum plm_manifest_setting setting,
				 struct plm_doc_tree *tree, struct plm_error *err);
	/* One line without prefix, each only once: unknown kinds, fields that nothing decides on. */
	void (*warn)(void *ctx, const char *text);
};

struct plm_manifest_options {
	int64_t now_ms; /* for an absent creationTimestamp; may be PLM_UNSET */
	bool updates;	/* the same object again is an update, not an error */
};

struct plm_manifest; /* a reader; open with plm_manifest_open() */

/* PLM_E_LIMIT: no address space. '*out' is owned by the caller. */
enum plm_code plm_manifest_open(struct plm_manifest **out,
				const struct plm_manifest_options *options,
				const struct plm_manifest_sink *sink,
				struct plm_error *err) PLM_MUST_CHECK;
void plm_manifest_close(struct plm_manifest *reader); /* NULL-safe */
PLM_DEFINE_CLEANUP(struct plm_manifest *, plm_manifest_close)

/*
 * Read 'path': a file, a folder (its *.yaml, *.yml and *.json in byte order of names, not below), or "-".
 * May be called for several paths. PLM_E_NOT_FOUND: no such file; PLM_E_IO: it cannot be read;
 * PLM_E_INPUT: the text of 'err' is "FILE:LINE: Kind ns/name: field: reason"; else what the sink said.
 * After a failure only plm_manifest_newest() and plm_manifest_close() are legal.
 */
enum plm_code plm_manifest_read(struct plm_manifest *reader, const char *path,
				struct plm_error *err) PLM_MUST_CHECK;
/* As plm_manifest_read() of a file 'name' that holds 'text'. */
enum plm_code plm_manifest_read_text(struct plm_manifest *reader, const char *name,
				     struct plm_slice text, struct plm_error *err) PLM_MUST_CHECK;

/*
 * Project the object at 'node' of a tree that the reader handed to 'setting' (a Scenario's arrivals and
 * changes hold manifests). 'ns' and 'name' replace the object's own where they are not empty. The fact
 * goes to 'sink'; payload and texts live as long as 'tree'. Not checked against objects read before.
 */
struct plm_manifest_naming {
	struct plm_slice ns;
	struct plm_slice name;
};
enum plm_code plm_manifest_project(struct plm_manifest *reader, struct plm_doc_tree *tree,
				   struct plm_doc *node, const struct plm_manifest_naming *naming,
				   struct plm_error *err) PLM_MUST_CHECK;

/*
 * What somebody changes of a Workload: 'map' has namespace, name and, as a Workload has them, active,
 * admissionChecks, reclaimablePods. Failures stay in the tree; texts live as long as it.
 */
void plm_manifest_patch(struct plm_doc_tree *tree, struct plm_doc *map,
			struct plm_w_workload_patch *out);

/* The newest creationTimestamp or lastTransitionTime read so far, PLM_UNSET when there was none. */
int64_t plm_manifest_newest(const struct plm_manifest *reader);
/* Objects read so far. */
uint64_t plm_manifest_count(const struct plm_manifest *reader);

/*
 * Put what a Kueue or Karpenter settings document says into 'config' (texts: arena of 'tree').
 * PLM_E_INPUT as above. Settings that nothing decides on yet are named through the reader's 'warn'.
 */
enum plm_code plm_manifest_apply_setting(struct plm_manifest *reader,
					 enum plm_manifest_setting setting,
					 struct plm_doc_tree *tree, struct plm_w_config *config,
					 struct plm_error *err) PLM_MUST_CHECK;

/* UUID (36 characters, arena) made from kind, namespace and name: the same on every machine. */
struct plm_slice plm_manifest_uid(struct plm_arena *arena, enum plm_kind kind, struct plm_slice ns,
				  struct plm_slice name);

/* waitForPodsReady where no Configuration says anything: Kueue's own default, v1beta2. */
void plm_manifest_setting_defaults(struct plm_w_config *config);

#endif
