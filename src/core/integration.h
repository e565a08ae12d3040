/*
 * integration.h - the one table of the kinds of work
 *
 * Owns: for every kind that Kueue queues (kueue.md 1.9) and for our PodSet: where its pod templates,
 * counts, suspend flag, status and end stand, what its pod sets are called, and how it is started and
 * stopped. Adding a kind is a value of enum plm_kind and a row here, not a file.
 * Does not: read an object (adapters/manifest does, by this table), decide, or know a client.
 *
 * Why in core: four layers read it. adapters/manifest projects by its paths, adapters/sim plays the
 * kinds' controllers by it, an adapter that patches real objects needs the same paths to the flag and to
 * the templates, and adapters may not know each other; reducers ask how a kind is started and stopped.
 *
 * A path is names separated by dots, below the object; "" is the place itself. No name has a dot.
 */
#ifndef PLM_CORE_INTEGRATION_H
#define PLM_CORE_INTEGRATION_H

#include "core/state.h"

/* What keeps a queued pod from the scheduler. */
#define PLM_GATE_ADMISSION "kueue.x-k8s.io/admission"
/* Upstream's finalizer on pods that it lets in: such a pod stays until somebody takes it off. */
#define PLM_FINALIZER_MANAGED "kueue.x-k8s.io/managed"

/* The pod set of a training runtime whose size and requests a TrainJob sets. */
#define PLM_TRAIN_NODE "node"

/* How a kind is told to run and to stop. */
enum plm_start {
	PLM_START_BY_FLAG, /* job.start and job.stop: the suspend flag, additions to its templates */
	PLM_START_BY_PODS, /* pod.create and pod.delete: we make its pods (PodSet) */
	PLM_START_BY_GATES, /* pod.ungate and pod.delete: its pods are made gated (pods, groups of pods) */
	PLM_START_NEVER, /* only its children are work, or it is but a template */
};

enum plm_set_place {
	PLM_SET_AT,   /* one pod set, of the map at 'at'; none when that is absent */
	PLM_SET_EACH, /* one of each item of the list at 'at' */
};

/* Where one pod set, or a list of them, stands. Paths but 'at' are below the map or item. */
struct plm_set_rule {
	enum plm_kind kind;
	enum plm_set_place place;
	const char *at;
	const char *template; /* the pod template {metadata, spec} */
	const char *name;     /* of the pod set; NULL = by 'name_at', in small letters */
	const char *name_at;
	const char *count;   /* pods; absent = 1; NULL = 1 */
	const char *at_most; /* and no more than this, when it is there; NULL = no bound */
	const char *times;   /* as often as this; absent = 1; NULL = once */
	const char *index;   /* label of its pods that ranks them in a topology; NULL = none */
	const char *group;   /* label that numbers the 'times'; NULL = none */
};

/*
 * An end: condition 'condition' is True, or the text at 'path' of the status is 'value'. It is a failure
 * after all unless the text at 'only_at' is 'only'; it is none yet while condition 'unless' is True.
 */
struct plm_end_rule {
	enum plm_kind kind;
	const char *condition;
	const char *path, *value;
	enum plm_job_end end;
	const char *only_at, *only;
	const char *unless;
};

/* Which pod sets must succeed for a job to be complete. */
enum plm_done {
	PLM_DONE_ALL,
	PLM_DONE_LEAD,	/* the first of 'leads' that there is; the others are stopped with it */
	PLM_DONE_NEVER, /* a service: until it is deleted */
};

struct plm_integration {
	enum plm_kind kind;
	enum plm_start start;
	const char *framework; /* Kueue's name of the integration; "" = always on */
	const char *suspend;   /* path of the flag; NULL = has none */
	const char
		*priority; /* path of a PriorityClass before those of the templates; NULL = none */
	const char *managed_by; /* path; NULL = none */
	/*
	 * Status. 'counts': a list or map whose entries say how many are active, ready, succeeded and
	 * failed. 'state': a text, and the object is active while that is none of 'idle'. 'running': a
	 * condition that is True while it is active. NULL = not so.
	 */
	const char *counts;
	const char *state;
	const char *idle[4]; /* ends with NULL */
	const char *running;
	/* All its pods are ready: a condition, or a value of 'state'; NULL = by 'counts'. */
	const char *ready;
	bool reclaims; /* entries of 'counts' are named after pod sets and what succeeded is given back */
	enum plm_done done;
	const char *leads[4]; /* ends with NULL */
	bool serves;	      /* pod sets that do not lead run until it ends */
	const char *backoff;  /* path of the failures that are borne; NULL = none are said */
	int64_t backoff_default;
};

/* NULL: the kind is no work. */
const struct plm_integration *plm_integration(enum plm_kind kind);
/* All rows, by place in the table; 'count' is set. */
const struct plm_integration *plm_integrations(size_t *count);
const struct plm_set_rule *plm_set_rules(size_t *count);
const struct plm_end_rule *plm_end_rules(size_t *count);

/* 'kind' of a JOB event: one that is no work counts as a Job. */
enum plm_kind plm_job_kind(int64_t kind);

/* ---- owners in the state ------------------------------------------------------------------------ */

/* Owners that are looked at above an object: kueue.md 1.9. */
#define PLM_OWNERS_MAX 10

/*
 * The job that stands for what 'owner_uid' owns: that owner, or the first above it that has a workload;
 * 0 when there is none. A pod of a Job of a JobSet belongs to the JobSet's workload.
 */
plm_id plm_job_above(const struct plm_state *st, plm_sym owner_uid);

#endif
