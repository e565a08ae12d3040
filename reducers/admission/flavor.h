/*
 * flavor.h - which flavors a workload would get
 *
 * Owns: the flavor scan: eligibility, quota, the order of preference, the cursor: kueue.md 2.6. Does
 * not: search victims (preempt.h) except as the scan's oracle, reduce counts (assess.h).
 */
#ifndef PLM_REDUCERS_ADMISSION_FLAVOR_H
#define PLM_REDUCERS_ADMISSION_FLAVOR_H

#include "reducers/admission/preempt.h"
#include "reducers/admission/request.h"

/* How a flavor would be had; a later one is better. */
enum plm_way {
	PLM_WAY_NO_FIT,
	PLM_WAY_NO_CANDIDATES,
	PLM_WAY_PREEMPT,
	PLM_WAY_RECLAIM,
	PLM_WAY_FIT,
};

enum plm_mode {
	PLM_MODE_NO_FIT,
	PLM_MODE_PREEMPT,
	PLM_MODE_DEFERRED_FIT,
	PLM_MODE_FIT,
};

/* Why a flavor was not to be had, least first: kueue.md 2.6 "NoFit reason". */
enum plm_severity {
	PLM_SEVERITY_NONE,
	PLM_SEVERITY_CAPACITY, /* ours: no capacity for the gang */
	PLM_SEVERITY_PLACEMENT,
	PLM_SEVERITY_QUOTA,
	PLM_SEVERITY_MAX_QUOTA,
	PLM_SEVERITY_MISMATCH,
};

/* One flavor that was looked at, with its worst resource. */
struct plm_attempt {
	plm_sym flavor, resource;
	enum plm_way way;
	enum plm_severity severity;
	enum plm_rule rule;
	plm_sym key;		   /* of a taint or label; the queue or cohort that binds */
	int64_t need, have, limit; /* PLM_UNSET where the rule has none; 'have' may be negative */
	uint32_t set;
	uint32_t scan; /* those of one scan are each other's alternatives */
};

/* A flavor for a resource of a pod set. */
struct plm_pick {
	plm_sym resource, flavor;
	uint32_t pair;
	enum plm_way way;
	uint32_t height;
	int64_t amount; /* for this pod set */
	int64_t tried;	/* cursor: -1 = the last flavor was looked at */
	bool injected;
	enum plm_rule rule; /* what binds where it does not fit at once: in 'binding' */
	plm_sym binding;
	int64_t have, limit; /* what was available, may be negative; the most there can be */
};

struct plm_set_picks {
	int64_t count;
	struct plm_pick *list;
	uint32_t list_count;
	enum plm_mode mode;
	enum plm_delayed delayed;  /* its domains come later */
	struct plm_tas_set places; /* its domains; none where it is not placed by topology */
};

struct plm_assess {
	struct plm_set_picks
		*sets; /* as many as there are pod sets; those not reached are NO_FIT */
	uint32_t count;
	enum plm_mode mode;
	uint32_t height;       /* of borrowing */
	struct plm_uses usage; /* charged when it is admitted */
	struct plm_uses wants; /* kueue.md 2.11 R */
	uint32_t *pairs;       /* F */
	uint32_t pair_count;
	enum plm_severity severity;   /* when NO_FIT */
	struct plm_attempt *attempts; /* in order */
	uint32_t attempt_count, attempt_capacity;
	uint32_t scans; /* so far */
	/* topology.h */
	struct plm_tas_ask *asks; /* pod sets that are placed, and their indexes */
	uint32_t *ask_sets;
	uint32_t ask_count;
	struct plm_tas_uses tas; /* what it would take */
	bool is_unplaced;	 /* there were no domains, be it without its victims */
	struct plm_tas_failure unplaced;
};

/* Everything that an assessment reads. */
struct plm_applicant {
	struct plm_preemptor preemptor;
	const struct plm_workload *workload;
	const struct plm_cluster_queue *queue;
	struct plm_requests requests;
	plm_sym cursor;			/* span of plm_cursor; 0 = from the first flavor */
	const struct plm_assess *after; /* begin behind its flavors; NULL = by the cursor */
	const struct plm_assess *pin;	/* only flavors that were chosen then; NULL = any */
	bool topology_only; /* all flavors of its queue have one: every pod set is placed */
};

/* Assess with 'counts' pods per pod set. Lives in the snapshot's arena. */
void plm_flavor_assign(struct plm_applicant *a, const int64_t *counts, struct plm_assess *out);
/* 'a' is better than 'b': kueue.md 2.6. */
struct plm_rank {
	enum plm_way way;
	uint32_t height;
};
bool plm_flavor_preferred(struct plm_rank a, struct plm_rank b, uint32_t preference);

#endif
