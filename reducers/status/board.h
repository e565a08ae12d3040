/*
 * board.h - where every queue stands: what the status of ClusterQueue, LocalQueue and Cohort say
 *
 * Owns: counts of workloads, quota reserved and used by flavor and resource, the Active condition, the
 * weighted share. One pass over the tables of a state, whatever its indexes hold; nothing is decided.
 * Amounts in state's units. Source: kueue.md 1.1, 1.2, 1.4 (status), 2.9 (weightedShare).
 */
#ifndef PLM_REDUCERS_STATUS_BOARD_H
#define PLM_REDUCERS_STATUS_BOARD_H

#include "core/state.h"

/* Infinite: a queue of weight 0 that borrows. */
#define PLM_SHARE_INFINITE INT64_MAX

struct plm_queue_active {
	bool is_true;
	struct plm_slice reason, message; /* of the Active condition */
};

struct plm_queue_counts {
	int64_t pending;      /* waits and is tried */
	int64_t inadmissible; /* waits and is not tried until something changes */
	int64_t reserving;    /* holds quota, admitted or not */
	int64_t admitted;     /* and not finished */
	int64_t finished;     /* and not deleted yet */
};

/* One flavor and resource of a ClusterQueue, in the order of its groups, or of a cohort. */
struct plm_quota_line {
	plm_sym flavor, resource;
	int64_t nominal, borrowing, lending; /* limits PLM_UNSET = none */
	int64_t subtree;		     /* quota of the node with what its children lend it */
	int64_t reserved;		     /* by all that hold quota */
	int64_t used;			     /* by those admitted */
	int64_t borrowed;		     /* reserved above nominal, 0 at least */
};

struct plm_quota_lines {
	struct plm_quota_line *list;
	uint32_t count;
};

struct plm_queue_status {
	struct plm_queue_active active;
	struct plm_queue_counts counts;
	plm_sym cohort, root; /* 0 = none */
	struct plm_quota_lines lines;
	int64_t weighted_share; /* PLM_UNSET without fair sharing */
};

struct plm_local_status {
	struct plm_queue_active active;
	struct plm_queue_counts counts;
	plm_sym cluster_queue;	      /* it leads to; 0 = none */
	struct plm_quota_lines lines; /* flavor, resource, reserved, used */
};

struct plm_cohort_status {
	plm_sym name, parent, root;
	struct plm_quota_lines
		lines; /* struct plm_quota_line: flavor, resource, nominal, subtree, reserved */
	int64_t weighted_share; /* PLM_UNSET without fair sharing */
	int64_t admitted;	/* workloads of its subtree */
};

struct plm_board {
	struct plm_queue_status *queues;   /* by ClusterQueue slot */
	struct plm_local_status *locals;   /* by LocalQueue slot */
	struct plm_cohort_status *cohorts; /* by name */
	uint32_t cohort_count;
};

void plm_status_board(const struct plm_state *st, struct plm_arena *arena, struct plm_board *out);

#endif
