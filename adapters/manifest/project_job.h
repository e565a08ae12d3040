/*
 * project_job.h - the files that project jobs, between themselves
 *
 * Owns: the pod sets of one job while they are gathered. project_job.c reads by the table of
 * core/integration.h; project_special.c what no path can say: the rest of a Job and a PodSet, the pods
 * that Spark and Ray make up, the components of an AppWrapper, the leader of a LeaderWorkerSet.
 */
#ifndef PLM_ADAPTERS_MANIFEST_PROJECT_JOB_H
#define PLM_ADAPTERS_MANIFEST_PROJECT_JOB_H

#include "adapters/manifest/project.h"
#include "core/integration.h"
#include "core/limits.h"

#define PLM_MULTIKUEUE "kueue.x-k8s.io/multikueue"

struct plm_sets {
	struct plm_project *p;
	struct plm_w_pod_set_spec *list;
	struct plm_w_pod_count *back; /* reclaimable, as many as there are pod sets */
	struct plm_doc *templates[PLM_LIMIT_JOB_SETS];
	int64_t each
		[PLM_LIMIT_JOB_SETS]; /* pods of one Job, where an entry of the status is a Job */
	size_t count;
};

/*
 * The whole number above 0 that 'text' of the metadata says; PLM_UNSET: it is empty, or no such number, and
 * then the document fails with 'what' it is.
 */
int64_t plm_project_whole(struct plm_project *p, struct plm_doc *root, const char *what,
			  struct plm_slice text);
/* 'count' pods of 'template' (NULL = an empty one) under 'name' in small letters. */
struct plm_w_pod_set_spec *plm_sets_add(struct plm_sets *sets, struct plm_slice name,
					struct plm_doc *template, int64_t count);
/* The pod sets of 'root', an object of 'kind', by the table. */
void plm_sets_by_table(struct plm_sets *sets, enum plm_kind kind, struct plm_doc *root);
/* What the table cannot say; 'sets' has what it can. */
void plm_sets_special(struct plm_sets *sets, struct plm_doc *root, struct plm_w_job *job);
/* What only a Job or a PodSet has; after the status. */
void plm_sets_rest(struct plm_sets *sets, struct plm_doc *root, struct plm_w_job *job);

#endif
