/*
 * sets.h - the pod sets inside a job's object: where their templates stand
 *
 * Owns: finding them by the table of core/integration.h, and for the kinds that the table cannot say
 * (Spark's roles) by hand, as JSON pointers that a patch can use. Does not: change anything.
 */
#ifndef PLM_ADAPTERS_KUBE_SETS_H
#define PLM_ADAPTERS_KUBE_SETS_H

#include "adapters/kube/tree.h"
#include "core/limits.h"

struct plm_kube_set {
	struct plm_slice name; /* small letters, as projected; arena */
	const cJSON *template; /* borrowed; NULL: the object has none there */
	int64_t count;	       /* pods */
	int64_t times;	       /* groups that these pods are made in; 0 = none */
	const char *index;     /* label that ranks its pods; NULL = none */
	const char *group;     /* label that numbers the groups; NULL = none */
	/*
	 * JSON pointers of what a start adds to. NULL: nothing is added in place ('gates' also of Spark's
	 * roles). Arena.
	 */
	const char *labels, *annotations, *node_selector, *tolerations, *gates;
	int component; /* of an AppWrapper, from 0 */
};

struct plm_kube_sets {
	struct plm_kube_set list[PLM_LIMIT_JOB_SETS];
	size_t count;
};

void plm_kube_sets(enum plm_kind kind, const cJSON *job, struct plm_arena *arena,
		   struct plm_kube_sets *out);
/* NULL: there is none of that name. */
const struct plm_kube_set *plm_kube_set_named(const struct plm_kube_sets *sets,
					      struct plm_slice name);
/* A label that the Job controller writes into the template of its pods. */
bool plm_kube_is_job_label(const char *key);
/* The JSON pointer of a path of core/integration.h. Arena. */
const char *plm_kube_pointer_of(struct plm_arena *arena, const char *path);

#endif
