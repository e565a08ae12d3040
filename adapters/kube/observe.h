/*
 * observe.h - what the API server tells, on its way into the inbox
 *
 * Owns: the projection of each object (adapters/manifest), its position (resourceVersion), the bracket of
 * a list (ports.h), REACH. An object that cannot be projected is named in one note, counted, and told as
 * STANDS, so that a list that shows it does not make it gone. Does not: remember an object, wait, or know
 * how the bytes came.
 *
 * Each call gives PLM_OK, or PLM_E_AGAIN when the inbox is full: nothing was told then, call again.
 */
#ifndef PLM_ADAPTERS_KUBE_OBSERVE_H
#define PLM_ADAPTERS_KUBE_OBSERVE_H

#include "adapters/kube/call.h"
#include "adapters/kube/split.h"
#include "core/ports.h"

struct plm_kube_observer; /* opaque */

struct plm_kube_observer_options {
	struct plm_inbox inbox;
	/* One line for people, each only once. */
	void (*note)(void *self, const char *text);
	/* Workload 'uid' was told as 'item' at 'revision'; item empty: it is gone. May be NULL. */
	void (*workload)(void *self, struct plm_slice uid, struct plm_slice revision,
			 struct plm_slice item);
	void *self;
};
enum plm_code plm_kube_observer_new(const struct plm_kube_observer_options *options,
				    struct plm_kube_observer **out,
				    struct plm_error *err) PLM_MUST_CHECK;
void plm_kube_observer_free(struct plm_kube_observer *observer); /* NULL-safe */

/* An object of a list or watch (ITEM, ADDED, MODIFIED, DELETED) of 'resource' in 'version'. */
enum plm_code plm_kube_observe_item(struct plm_kube_observer *observer,
				    enum plm_kube_resource_id resource, const char *version,
				    const struct plm_split_item *item) PLM_MUST_CHECK;
enum plm_code plm_kube_observe_list_begins(struct plm_kube_observer *observer,
					   enum plm_kube_resource_id resource) PLM_MUST_CHECK;
enum plm_code plm_kube_observe_listed(struct plm_kube_observer *observer,
				      enum plm_kube_resource_id resource,
				      const char *revision) PLM_MUST_CHECK;
enum plm_code plm_kube_observe_reach(struct plm_kube_observer *observer, bool away) PLM_MUST_CHECK;

struct plm_kube_observer_stats {
	uint64_t objects;    /* told as facts */
	uint64_t gone;	     /* told as deleted */
	uint64_t unreadable; /* not projected */
};
struct plm_kube_observer_stats plm_kube_observer_stats(const struct plm_kube_observer *observer);

#endif
