#include "adapters/kube/observe.h"

#include "adapters/manifest/item.h"
#include "codec/codec.h"
#include "hash/hash.h"

#include <stdio.h>
#include <stdlib.h>

struct plm_kube_observer {
	struct plm_kube_observer_options options;
	struct plm_manifest *reader; /* owned */
	struct plm_arena arena;	     /* owned; of one observation */
	uint64_t named[PLM_LIMIT_NAMED_OBJECTS];
	struct plm_kube_observer_stats stats;
	/* The item at hand. */
	enum plm_kube_resource_id resource;
	const struct plm_split_item *item;
	bool told; /* the reader has handed it on */
};

/* ---- telling ----------------------------------------------------------------------------------- */

static enum plm_code tell(struct plm_kube_observer *o, struct plm_observation observation,
			  const void *payload, struct plm_slice object_hash)
{
	const struct plm_event_info *info = plm_event_info((uint16_t)observation.type);

	plm_arena_reset(&o->arena);
	observation.source = PLM_SOURCE_KUBE;
	observation.payload = plm_payload_encode(info, payload, object_hash, &o->arena);
	return o->options.inbox.put(o->options.inbox.self, &observation);
}

static void note(struct plm_kube_observer *o, const char *text)
{
	o->options.note(o->options.self, text);
}

static void warn(void *ctx, const char *text)
{
	note(ctx, text);
}

static enum plm_code take_fact(void *ctx, const struct plm_manifest_fact *fact,
			       struct plm_error *err)
{
	struct plm_kube_observer *o = ctx;
	const struct plm_observation observation = {
		.type = fact->type,
		.pos = plm_slice_str(o->item->revision),
	};
	enum plm_code code = tell(o, observation, fact->payload,
				  plm_slice_of(&fact->object_hash, sizeof(fact->object_hash)));

	o->told = true;
	return code == PLM_OK ? code : plm_fail(err, code, "%s", plm_code_text(code));
}

/* ---- objects ----------------------------------------------------------------------------------- */

static const char *kind_of(const struct plm_kube_observer *o)
{
	return plm_kube_resource(o->resource)->kind;
}

static enum plm_code tell_gone(struct plm_kube_observer *o, enum plm_observed observed)
{
	const struct plm_w_gone gone = {
		.kind = plm_kube_resource(o->resource)->projected,
		.ns = plm_slice_str(o->item->ns),
		.name = plm_slice_str(o->item->name),
		.uid = plm_slice_str(o->item->uid),
	};
	const struct plm_observation observation = {
		.type = PLM_EV_GONE,
		.pos = plm_slice_str(o->item->revision),
		.observed = observed,
	};

	return tell(o, observation, &gone, (struct plm_slice){0});
}

/* True the first time: the same thing about the same object is named once. */
static bool is_new(struct plm_kube_observer *o, const char *why)
{
	const struct plm_slice parts[] = {
		plm_slice_str(kind_of(o)),
		plm_slice_str(o->item->uid),
		plm_slice_str(why),
	};
	uint64_t hash = plm_xxh64_parts(parts, PLM_COUNTOF(parts));
	uint64_t *place = &o->named[hash % PLM_LIMIT_NAMED_OBJECTS];
	bool fresh = *place != hash;

	*place = hash;
	return fresh;
}

/* 'why' says the rest. What state knows of the object stays as it was. */
static enum plm_code unreadable(struct plm_kube_observer *o, const char *why)
{
	const struct plm_split_item *item = o->item;
	char text[PLM_ERROR_TEXT_SIZE + 2 * PLM_SPLIT_TEXT];
	enum plm_code code = tell_gone(o, PLM_OBSERVED_STANDS);

	if (code == PLM_E_AGAIN) {
		return code;
	}
	o->stats.unreadable++;
	if (is_new(o, why)) {
		(void)snprintf(text, sizeof(text), "%s %s%s%s cannot be read and is left out: %s",
			       kind_of(o), item->ns, item->ns[0] == '\0' ? "" : "/", item->name,
			       why);
		note(o, text);
	}
	return PLM_OK;
}

/* "pods:1: Pod ns/name: spec.x: reason" without what is said already. */
static const char *reason_of(const struct plm_kube_observer *o, const struct plm_error *err)
{
	const char *at = strstr(err->text, ": ");
	const char *label = at == NULL ? NULL : at + 2;
	size_t size = strlen(kind_of(o));

	if (label == NULL) {
		return err->text;
	}
	if (strncmp(label, kind_of(o), size) != 0) {
		return label;
	}
	at = strstr(label, ": ");
	return at == NULL ? label : at + 2;
}

/* Of one that came without its bytes nothing is said: no bytes mean that it is gone. */
static void tell_workload(const struct plm_kube_observer *o)
{
	const struct plm_split_item *item = o->item;
	bool gone = item->type == PLM_SPLIT_DELETED;

	if (o->resource == PLM_KUBE_RES_WORKLOADS && o->options.workload != NULL &&
	    (gone || item->problem == NULL)) {
		o->options.workload(o->options.self, plm_slice_str(item->uid),
				    plm_slice_str(item->revision),
				    gone ? (struct plm_slice){0} : item->text);
	}
}

static enum plm_code project(struct plm_kube_observer *o, const char *version)
{
	const struct plm_kube_resource *resource = plm_kube_resource(o->resource);
	char api_version[128];
	struct plm_manifest_item item = {
		.source = resource->name,
		.text = o->item->text,
		.values = o->item->values,
		.version = api_version,
		.kind = resource->kind,
	};
	struct plm_error err;
	enum plm_code code = PLM_OK;

	(void)snprintf(api_version, sizeof(api_version), "%s%s%s", resource->group,
		       resource->group[0] == '\0' ? "" : "/", version);
	o->told = false;
	code = plm_manifest_item(o->reader, &item, &err);
	if (code == PLM_E_AGAIN) {
		return code;
	}
	if (code != PLM_OK) {
		return unreadable(o, reason_of(o, &err));
	}
	if (!o->told) {
		return unreadable(o, "this version of the kind is not known");
	}
	o->stats.objects++;
	return PLM_OK;
}

enum plm_code plm_kube_observe_item(struct plm_kube_observer *observer,
				    enum plm_kube_resource_id resource, const char *version,
				    const struct plm_split_item *item)
{
	enum plm_code code = PLM_OK;

	observer->resource = resource;
	observer->item = item;
	if (item->type == PLM_SPLIT_DELETED) {
		code = tell_gone(observer, PLM_OBSERVED_FACT);
		observer->stats.gone += code == PLM_OK;
	} else if (item->problem != NULL) {
		code = unreadable(observer, item->problem);
	} else {
		code = project(observer, version);
	}
	if (code == PLM_OK) {
		tell_workload(observer);
	}
	observer->item = NULL;
	return code == PLM_E_AGAIN ? code : PLM_OK;
}

/* ---- lists ------------------------------------------------------------------------------------- */

static enum plm_code tell_list(struct plm_kube_observer *o, enum plm_kube_resource_id resource,
			       const char *revision, enum plm_observed observed)
{
	const struct plm_w_listed listed = {
		.kind = plm_kube_resource(resource)->projected,
		.revision = plm_slice_str(revision),
	};
	const struct plm_observation observation = {
		.type = PLM_EV_LISTED,
		.pos = plm_slice_str(revision),
		.observed = observed,
	};

	return tell(o, observation, &listed, (struct plm_slice){0});
}

enum plm_code plm_kube_observe_list_begins(struct plm_kube_observer *observer,
					   enum plm_kube_resource_id resource)
{
	return tell_list(observer, resource, "", PLM_OBSERVED_LIST_BEGINS);
}

enum plm_code plm_kube_observe_listed(struct plm_kube_observer *observer,
				      enum plm_kube_resource_id resource, const char *revision)
{
	return tell_list(observer, resource, revision, PLM_OBSERVED_FACT);
}

enum plm_code plm_kube_observe_reach(struct plm_kube_observer *observer, bool away)
{
	const struct plm_w_reach reach = {.source = PLM_SOURCE_KUBE, .away = away ? 1 : 0};

	return tell(observer, (struct plm_observation){.type = PLM_EV_REACH}, &reach,
		    (struct plm_slice){0});
}

/* ---- life -------------------------------------------------------------------------------------- */

enum plm_code plm_kube_observer_new(const struct plm_kube_observer_options *options,
				    struct plm_kube_observer **out, struct plm_error *err)
{
	struct plm_kube_observer *o = calloc(1, sizeof(*o));
	/* An API server gives every object its creationTimestamp. */
	const struct plm_manifest_options reading = {.now_ms = 0, .updates = true};
	const struct plm_manifest_sink sink = {.ctx = o, .fact = take_fact, .warn = warn};
	enum plm_code code = PLM_OK;

	if (o == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "out of memory");
	}
	o->options = *options;
	code = plm_arena_init(&o->arena, PLM_LIMIT_DOC_BYTES, err);
	if (code == PLM_OK) {
		code = plm_manifest_open(&o->reader, &reading, &sink, err);
	}
	if (code != PLM_OK) {
		plm_kube_observer_free(o);
		return code;
	}
	*out = o;
	return PLM_OK;
}

void plm_kube_observer_free(struct plm_kube_observer *observer)
{
	if (observer != NULL) {
		plm_manifest_close(observer->reader);
		plm_arena_fini(&observer->arena);
		free(observer);
	}
}

struct plm_kube_observer_stats plm_kube_observer_stats(const struct plm_kube_observer *observer)
{
	return observer->stats;
}
