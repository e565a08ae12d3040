/*
 * reflect.h - what the API server has, resource by resource, told again and again as facts
 *
 * Owns: per resource one list and then a watch that goes on from it, for ever: streaming lists where they
 * are served, pages otherwise; resuming after a cut, relisting after 410, once in a while and when a
 * watch is silent; waits between tries; rights that are missing; resources that come and go; whether the
 * API server can be reached at all. Does not: read an object (observe.h), drop one, or keep time by
 * itself: plm_kube_reflect_tick() says when it wants to be called again.
 *
 * A list is consistent (resourceVersion unset), and only one that was told whole makes things gone. A
 * resource that the server does not have counts as listed and empty: what state knows of it went with its
 * CRD. It is looked for again. Sources: exact.md 9, eventsourcing.md D15.
 */
#ifndef PLM_ADAPTERS_KUBE_REFLECT_H
#define PLM_ADAPTERS_KUBE_REFLECT_H

#include "adapters/kube/client.h"
#include "adapters/kube/observe.h"

struct plm_kube_reflect; /* opaque: all resources */

struct plm_kube_reflect_options {
	struct plm_kube_client *client;	    /* borrowed, discovered */
	struct plm_kube_observer *observer; /* borrowed */
	struct plm_clock clock;
	int64_t relist_ms; /* a whole list again this often, jittered; 0 = never */
	uint64_t seed;	   /* of the jitter */
	void (*note)(void *self, const char *text);
	/* Something may be due earlier than the last tick said. */
	void (*due)(void *self);
	void *self;
};
enum plm_code plm_kube_reflect_new(const struct plm_kube_reflect_options *options,
				   struct plm_kube_reflect **out,
				   struct plm_error *err) PLM_MUST_CHECK;
/* NULL-safe. Calls under way are cancelled. */
void plm_kube_reflect_free(struct plm_kube_reflect *reflect);

/* Begin: one resource after the other in the order of call.h, so that what is referred to comes first. */
void plm_kube_reflect_start(struct plm_kube_reflect *reflect);
/* The inbox has room again. */
void plm_kube_reflect_resume(struct plm_kube_reflect *reflect);
/* Do what is due. Gives the boot time at which to call again. */
int64_t plm_kube_reflect_tick(struct plm_kube_reflect *reflect);

struct plm_kube_reflect_status {
	bool synced;	   /* every resource was listed whole since the start */
	bool away;	   /* the API server cannot be reached */
	bool waits;	   /* something waits for room in the inbox */
	int64_t lag_ms;	   /* of the slowest watch: since it was last heard of */
	uint64_t restarts; /* of watches */
	size_t memory;	   /* bytes of the windows */
};
struct plm_kube_reflect_status plm_kube_reflect_status(const struct plm_kube_reflect *reflect);

/* Of one resource; false: it is not watched. */
struct plm_kube_reflector_status {
	int64_t lag_ms;
	uint64_t lists; /* that were told whole */
	uint64_t restarts_gone, restarts_closed, restarts_error;
	bool synced;
};
bool plm_kube_reflector_status(const struct plm_kube_reflect *reflect,
			       enum plm_kube_resource_id resource,
			       struct plm_kube_reflector_status *out);

#endif
