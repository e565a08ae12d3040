/*
 * encode.h - what one call of the engine is on the API server, step by step
 *
 * Owns: for every call the HTTP requests that carry it out, with the preconditions of exact.md 9. A step
 * is a pure function of the frozen request, the intent's key, the objects that were read and the versions
 * that the server has; golden files pin it. Every call can be begun again at any point: what is done
 * already is seen in the objects that are read, or refused by a name, a UID or a resourceVersion.
 * Does not: send, wait, repeat (effect.h), or say what a fate means (outcome.h).
 */
#ifndef PLM_ADAPTERS_KUBE_ENCODE_H
#define PLM_ADAPTERS_KUBE_ENCODE_H

#include "adapters/kube/call.h"
#include "adapters/kube/known.h"
#include "adapters/kube/tree.h"

/* Objects that one call looks at: the target, and another (owner, Workload, what has the name). */
enum plm_read {
	PLM_READ_TARGET,
	PLM_READ_OTHER,
	PLM_READ_COUNT,
};

struct plm_read_object {
	enum {
		PLM_READ_NOT_YET,
		PLM_READ_ABSENT,
		PLM_READ_THERE,
	} state;
	cJSON *object; /* THERE */
};

struct plm_encode {
	enum plm_call call;
	const void *request;		     /* wire struct of 'call' */
	struct plm_slice key;		     /* of the intent */
	const struct plm_read_object *reads; /* [PLM_READ_COUNT] */
	const struct plm_known *known;	     /* workload.status: of its target; NULL = nothing */
	bool name_taken;		     /* a create was answered AlreadyExists */
	bool look; /* a write was refused, or its end is not known: read the object before the next */
	struct plm_arena *arena; /* of the step */
	/* The version that the server has of a resource, NULL = it has none. */
	const char *(*version)(void *self, enum plm_kube_resource_id resource);
	void *self;
};

enum plm_step_kind {
	PLM_STEP_READ,	/* get an object, then ask again */
	PLM_STEP_WRITE, /* send this; its answer ends the call, or is the target for what is left */
	PLM_STEP_WAIT,	/* the server would refuse it now: look again soon */
	PLM_STEP_ANSWER, /* the call is over */
};

struct plm_step {
	enum plm_step_kind kind;
	/* READ, WRITE */
	enum plm_read read;
	enum plm_kube_resource_id resource;
	const char *subresource; /* static */
	enum plm_kube_verb verb;
	struct plm_slice ns, name;
	const char *query; /* arena; NULL = none */
	struct plm_slice body;
	bool more;	   /* WRITE: ask again after it, with its answer as target */
	bool gone_is_done; /* WRITE: no such object is ALREADY_DONE, else CONFLICT */
	/* ANSWER */
	enum plm_result_class class;
	const char *code; /* static */
	struct plm_slice message;
};

/* Whether 'call' is one of the API server's. */
bool plm_encode_knows(enum plm_call call);
/* The object that 'call' changes, for the order of effects: what no two at once may touch. */
struct plm_target {
	enum plm_kube_resource_id resource;
	struct plm_slice ns, name;
};
struct plm_target plm_encode_target(enum plm_call call, const void *request);
/* 'out' is the next step. */
void plm_encode(const struct plm_encode *in, struct plm_step *out);

/* ---- between the files of the encoder ------------------------------------------------------------ */

#define PLM_LABEL_INTENT "plimsoll.dev/intent"

void plm_step_read(struct plm_step *out, enum plm_read read, struct plm_target target);
void plm_step_answer(struct plm_step *out, enum plm_result_class class, const char *code);
/* A patch of the target; when it changes nothing the answer is ALREADY_DONE. Ends 'patch'. */
void plm_step_patch(const struct plm_encode *in, struct plm_step *out, struct plm_target target,
		    struct plm_patch *patch);
/* A create; 'body' is owned and ends here. */
void plm_step_create(const struct plm_encode *in, struct plm_step *out, struct plm_target target,
		     cJSON *body);
/* A delete on the condition that the object is the one of 'uid'. */
void plm_step_delete(const struct plm_encode *in, struct plm_step *out, struct plm_target target,
		     struct plm_slice uid, int64_t grace_ms);

cJSON *plm_encode_delete_options(struct plm_slice uid, int64_t grace_ms);

/* Take 'finalizer' off the target. */
void plm_encode_finalize(const struct plm_encode *in, struct plm_step *out, struct plm_slice uid,
			 const char *finalizer);

/* The target as it was read; asks for it, or NULL and 'out' is filled: READ, or ANSWER 'absent'. */
const cJSON *plm_encode_object(const struct plm_encode *in, struct plm_step *out,
			       struct plm_target target, struct plm_slice uid,
			       enum plm_result_class absent);
/* For a removal: false when it is to be looked at first, or is gone; 'out' is filled then. */
bool plm_encode_looked(const struct plm_encode *in, struct plm_step *out, struct plm_target target,
		       struct plm_slice uid);
/* The other object; false: 'out' asks for it. '*out_object' is NULL when there is none. */
bool plm_encode_other(const struct plm_encode *in, struct plm_step *out, struct plm_target target,
		      const cJSON **out_object);
/* A create found its name taken: by this very intent, which is fine, or by somebody else. */
void plm_encode_name_taken(const struct plm_encode *in, struct plm_step *out,
			   struct plm_target target);
/* "kueue.x-k8s.io/v1beta2" of a resource. Arena. */
const char *plm_encode_api_version(const struct plm_encode *in, enum plm_kube_resource_id id);
/* metadata with name, namespace, labels of the intent and 'labels' over them. */
cJSON *plm_encode_meta(const struct plm_encode *in, struct plm_target target,
		       struct plm_vec labels);
/*
 * An owner reference. It does not block deletion: on some clusters that needs rights on the owner, and the
 * only thing that would come of it is that a foreground deletion waits.
 */
cJSON *plm_encode_owner(const struct plm_encode *in, enum plm_kube_resource_id resource,
			struct plm_slice name, struct plm_slice uid);
/* A taint and a list of them; a toleration; conditions over those that were read. */
cJSON *plm_encode_taint(const struct plm_w_taint *taint);
cJSON *plm_encode_taints(struct plm_vec taints);
/* 'list' and those of 'more' (struct plm_w_toleration) that it lacks; NULL when that is none. */
cJSON *plm_encode_tolerations(const cJSON *list, struct plm_vec more);
cJSON *plm_encode_conditions(const cJSON *had, struct plm_vec conditions);
/* 'list' of scheduling gates and 'gate' (empty: none). NULL when that is none. */
cJSON *plm_encode_gates(const cJSON *list, struct plm_slice gate);

/*
 * Jobs whose pods stand in objects of others are told beside these what their pods are given: AppWrapper
 * per component, TrainJob in a patch of its runtime. Other kinds are left alone.
 */
void plm_encode_told_start(const struct plm_encode *in, enum plm_kind kind, struct plm_vec starts,
			   struct plm_patch *patch);
void plm_encode_told_stop(const struct plm_encode *in, enum plm_kind kind, struct plm_patch *patch);

/* The topology that a pod set's annotations ask for; NULL: none. */
struct plm_kube_set;
cJSON *plm_encode_topology(const struct plm_kube_set *set);
/* A Workload with 'meta' and 'sets' (both owned) is made for 'job', or for such pods. */
void plm_encode_workload_make(const struct plm_encode *in, const cJSON *job, cJSON *meta,
			      cJSON *sets, struct plm_step *out);
/* workload.create of pods that are queued by themselves. */
void plm_encode_group_create(const struct plm_encode *in, struct plm_step *out);

void plm_encode_job_start(const struct plm_encode *in, struct plm_step *out);
void plm_encode_job_stop(const struct plm_encode *in, struct plm_step *out);
void plm_encode_job_delete(const struct plm_encode *in, struct plm_step *out);
void plm_encode_pod_create(const struct plm_encode *in, struct plm_step *out);
void plm_encode_pod_ungate(const struct plm_encode *in, struct plm_step *out);
void plm_encode_pod_evict(const struct plm_encode *in, struct plm_step *out);
void plm_encode_pod_delete(const struct plm_encode *in, struct plm_step *out);
void plm_encode_pod_finalize(const struct plm_encode *in, struct plm_step *out);
void plm_encode_node_taint(const struct plm_encode *in, struct plm_step *out);
void plm_encode_node_sync(const struct plm_encode *in, struct plm_step *out);
void plm_encode_node_delete(const struct plm_encode *in, struct plm_step *out);
void plm_encode_node_finalize(const struct plm_encode *in, struct plm_step *out);
void plm_encode_annotate(const struct plm_encode *in, struct plm_step *out);
void plm_encode_claim_create(const struct plm_encode *in, struct plm_step *out);
void plm_encode_claim_delete(const struct plm_encode *in, struct plm_step *out);
void plm_encode_claim_finalize(const struct plm_encode *in, struct plm_step *out);
void plm_encode_claim_status(const struct plm_encode *in, struct plm_step *out);
void plm_encode_workload_create(const struct plm_encode *in, struct plm_step *out);
void plm_encode_workload_status(const struct plm_encode *in, struct plm_step *out);
void plm_encode_workload_delete(const struct plm_encode *in, struct plm_step *out);
void plm_encode_workload_deactivate(const struct plm_encode *in, struct plm_step *out);
void plm_encode_queue_status(const struct plm_encode *in, struct plm_step *out);
void plm_encode_pool_status(const struct plm_encode *in, struct plm_step *out);
void plm_encode_class_status(const struct plm_encode *in, struct plm_step *out);

#endif
