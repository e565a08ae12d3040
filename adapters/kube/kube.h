/*
 * kube.h - the Kubernetes end of the daemon
 *
 * Owns: watching what the API server has as facts (reflect.h), carrying effects out on it (effect.h),
 * Kubernetes Events (events.h), and how far behind it is. Translates and repeats; never decides.
 * Everything is called on the loop's thread.
 *
 * Order at a start: new, discover (client.h), the engine is opened on the log of that cluster, start. Facts
 * cross 'inbox' as they come; when it is full the answers are paused, nothing is dropped.
 */
#ifndef PLM_ADAPTERS_KUBE_KUBE_H
#define PLM_ADAPTERS_KUBE_KUBE_H

#include "adapters/kube/client.h"
#include "core/ports.h"

struct plm_kube; /* opaque */

struct plm_kube_options {
	uv_loop_t *loop;		/* borrowed */
	struct plm_kube_client *client; /* borrowed, discovered */
	struct plm_inbox inbox;
	struct plm_clock clock;
	int64_t relist_ms; /* whole lists are taken again this often, jittered; 0 = never */
	/* One line for people: a watch that ends, an object that cannot be projected, ... */
	void (*note)(void *self, const char *text);
	void *self;
	const char *
		instance; /* reportingInstance of Events: the pod's name; copied; NULL = "plimsoll" */
};
enum plm_code plm_kube_new(const struct plm_kube_options *options, struct plm_kube **out,
			   struct plm_error *err) PLM_MUST_CHECK;
void plm_kube_free(struct plm_kube *kube); /* NULL-safe */

/* Begin to list and watch every resource that the server has. */
void plm_kube_start(struct plm_kube *kube);
/* The inbox has room again, or time has passed: go on with what was paused. */
void plm_kube_resume(struct plm_kube *kube);

/* Calls of enum plm_call that are the API server's; others (instances) belong to the cloud. */
bool plm_kube_carries(enum plm_call call);
struct plm_effects plm_kube_effects(struct plm_kube *kube);

/* A Kubernetes Event. 'seq' of the log event makes its name, so a second sending is none. Texts copied. */
struct plm_kube_event {
	uint64_t seq;
	uint32_t index; /* among those of 'seq' */
	int64_t at_ms;
	enum plm_kind kind;
	struct plm_slice ns, name, uid;
	bool warning;
	struct plm_slice reason, message;
};
void plm_kube_announce(struct plm_kube *kube, const struct plm_kube_event *event);

struct plm_kube_status {
	bool synced;	/* every resource was listed whole since the start */
	bool away;	/* the API server cannot be reached */
	int64_t lag_ms; /* of the slowest watch: since it was last known to be up to date */
	uint64_t objects, gone, unreadable; /* told as facts; told as deleted; not projected */
	uint64_t restarts;		    /* of watches */
	uint64_t effects_under_way;
};
struct plm_kube_status plm_kube_status(const struct plm_kube *kube);
/* The same for one resource, for metrics: lag and restarts. False: it is not watched. */
struct plm_kube_watch_status {
	const char *resource; /* static */
	int64_t lag_ms;
	uint64_t restarts_gone, restarts_closed, restarts_error;
	bool synced;
};
bool plm_kube_watch_status(const struct plm_kube *kube, enum plm_kube_resource_id resource,
			   struct plm_kube_watch_status *out);

#endif
