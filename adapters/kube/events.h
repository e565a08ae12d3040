/*
 * events.h - Kubernetes Events
 *
 * Owns: their deterministic names (a second sending is none), series of the same thing (counted, one
 * object), the rate at which they leave, and what is dropped beyond it. Never holds up anything: an Event
 * that cannot be sent is counted and forgotten. Does not: say what is announced (reducers/status does).
 */
#ifndef PLM_ADAPTERS_KUBE_EVENTS_H
#define PLM_ADAPTERS_KUBE_EVENTS_H

#include "adapters/kube/kube.h"

struct plm_kube_announcer; /* opaque */

struct plm_kube_announcer_options {
	uv_loop_t *loop;		/* borrowed */
	struct plm_kube_client *client; /* borrowed, discovered */
	struct plm_clock clock;
	const char *instance; /* reportingInstance: the pod's name; copied */
	void (*note)(void *self, const char *text);
	void *self;
};
enum plm_code plm_kube_announcer_new(const struct plm_kube_announcer_options *options,
				     struct plm_kube_announcer **out,
				     struct plm_error *err) PLM_MUST_CHECK;
void plm_kube_announcer_free(struct plm_kube_announcer *announcer); /* NULL-safe */
void plm_kube_announcer_tell(struct plm_kube_announcer *announcer,
			     const struct plm_kube_event *event);

struct plm_kube_announcer_stats {
	uint64_t sent, repeated, dropped, failed;
};
struct plm_kube_announcer_stats
plm_kube_announcer_stats(const struct plm_kube_announcer *announcer);

#endif
