/*
 * effect.h - the engine's calls, carried out on the API server
 *
 * Owns: effects from their hand-over to their RESULT: in order per object, a bounded number under way,
 * each step planned by encode.h, repeated with the same key while its result is not known, and answered
 * once for good. An effect that cannot be carried out now is told once as RETRYABLE or UNKNOWN and goes
 * on by itself. Does not: decide, or drop an effect.
 *
 * Everything is called on the loop's thread; nothing here waits.
 */
#ifndef PLM_ADAPTERS_KUBE_EFFECT_H
#define PLM_ADAPTERS_KUBE_EFFECT_H

#include "adapters/kube/client.h"
#include "core/ports.h"

struct plm_kube_effector; /* opaque */

struct plm_kube_effector_options {
	uv_loop_t *loop;		/* borrowed */
	struct plm_kube_client *client; /* borrowed, discovered */
	struct plm_inbox inbox;		/* RESULTs go there; when it is full they wait here */
	struct plm_clock clock;
	int64_t wait_first_ms; /* before an effect goes out again; 0 = PLM_LIMIT_EFFECT_WAIT_FIRST_MS */
	void (*note)(void *self, const char *text); /* one line for people */
	void *self;
};
enum plm_code plm_kube_effector_new(const struct plm_kube_effector_options *options,
				    struct plm_kube_effector **out,
				    struct plm_error *err) PLM_MUST_CHECK;
/* NULL-safe. Calls under way are cancelled untold; the loop still has to run the closes. */
void plm_kube_effector_free(struct plm_kube_effector *effector);

/* Whether effects of 'call' are carried out here. */
bool plm_kube_effector_carries(enum plm_call call);
struct plm_effects plm_kube_effector_port(struct plm_kube_effector *effector);
/* The inbox has room again. */
void plm_kube_effector_resume(struct plm_kube_effector *effector);
/* Effects that have no final RESULT yet. */
uint64_t plm_kube_effector_under_way(const struct plm_kube_effector *effector);

/*
 * A watch or list told Workload 'uid' as 'item' (the object's JSON, borrowed) at 'revision', or that it is
 * gone (item empty). So the next write of its status needs no read before it.
 */
void plm_kube_effector_saw_workload(struct plm_kube_effector *effector, struct plm_slice uid,
				    struct plm_slice revision, struct plm_slice item);

#endif
