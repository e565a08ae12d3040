/*
 * known.h - what is known of each Workload's status without asking
 *
 * Owns: by UID, the newest resourceVersion that was seen and which conditions stand there, so that most
 * writes of a status need no read before (exact.md 9: the adapter forwards every new resourceVersion). A
 * hint, never a truth: what is wrong here is answered 409 and read again. At most
 * PLM_LIMIT_KNOWN_WORKLOADS; those beyond are read each time.
 */
#ifndef PLM_ADAPTERS_KUBE_KNOWN_H
#define PLM_ADAPTERS_KUBE_KNOWN_H

#include <cjson/cJSON.h>

#include "core/event.h"

/* A resourceVersion with its zero; a longer one is not remembered. */
#define PLM_KUBE_REVISION_SIZE 24

struct plm_known {
	uint64_t low, high; /* fingerprint of the UID; both 0: an empty slot */
	char revision[PLM_KUBE_REVISION_SIZE];
	uint32_t conditions; /* bits, by the table in known.c */
	bool others;	     /* conditions that are not Kueue's, or entries of check controllers */
};

struct plm_known_table {
	struct plm_known *slots; /* owned */
	size_t capacity;	 /* 0 or a power of two */
	size_t count;
};

void plm_known_fini(struct plm_known_table *table); /* idempotent */
/* 'workload' as a list, a watch or an answer had it; one that is older than what is known is ignored. */
void plm_known_saw(struct plm_known_table *table, struct plm_slice uid, struct plm_slice revision,
		   const cJSON *workload);
void plm_known_forget(struct plm_known_table *table, struct plm_slice uid);
/* NULL: nothing is known. Valid until the next change. */
const struct plm_known *plm_known_find(const struct plm_known_table *table, struct plm_slice uid);
/* All conditions that stand there are among 'conditions' (struct plm_w_condition). */
bool plm_known_covered(const struct plm_known *known, struct plm_vec conditions);

/* A condition of Workloads that is ours: what stands there and is not said any more does not hold. */
bool plm_known_is_ours(struct plm_slice type);

#endif
