/*
 * parts.h - wire structs to interned spans
 *
 * One function per part of core/parts.h: interns the texts and lists inside, then the span itself, and
 * returns its symbol. Temporary arrays live in 'scratch', which is used and given back. The order of a
 * list is kept; adapters have sorted what has no order of its own.
 */
#ifndef PLM_REDUCERS_CLUSTER_PARTS_H
#define PLM_REDUCERS_CLUSTER_PARTS_H

#include "core/state.h"

/* Where parts go: the state they are interned in, and memory for the moment. */
struct plm_fold {
	struct plm_state *st;
	struct plm_arena *scratch;
};

plm_sym plm_fold_text(const struct plm_fold *f, struct plm_slice text);
plm_sym plm_fold_texts(const struct plm_fold *f, struct plm_vec texts);
plm_sym plm_fold_kvs(const struct plm_fold *f, struct plm_vec kvs);
plm_sym plm_fold_amounts(const struct plm_fold *f, struct plm_vec amounts);
plm_sym plm_fold_exacts(const struct plm_fold *f, struct plm_vec exacts);
plm_sym plm_fold_limit_items(const struct plm_fold *f, struct plm_vec items);
plm_sym plm_fold_taints(const struct plm_fold *f, struct plm_vec taints);
plm_sym plm_fold_tolerations(const struct plm_fold *f, struct plm_vec tolerations);
plm_sym plm_fold_exprs(const struct plm_fold *f, struct plm_vec exprs);
struct plm_selector plm_fold_selector(const struct plm_fold *f,
				      const struct plm_w_selector *selector);
plm_sym plm_fold_terms(const struct plm_fold *f, struct plm_vec terms);
plm_sym plm_fold_csi_drivers(const struct plm_fold *f, struct plm_vec drivers);
plm_sym plm_fold_shape(const struct plm_fold *f, const struct plm_w_shape *shape);
plm_sym plm_fold_pod_sets(const struct plm_fold *f, struct plm_vec pod_sets);
plm_sym plm_fold_groups(const struct plm_fold *f, struct plm_vec groups);
plm_sym plm_fold_checks(const struct plm_fold *f, struct plm_vec checks);
plm_sym plm_fold_check_statuses(const struct plm_fold *f, struct plm_vec statuses);
plm_sym plm_fold_pod_counts(const struct plm_fold *f, struct plm_vec counts);
plm_sym plm_fold_assignments(const struct plm_fold *f, struct plm_vec assignments);
plm_sym plm_fold_budgets(const struct plm_fold *f, struct plm_vec budgets);
plm_sym plm_fold_cursors(const struct plm_fold *f, struct plm_vec cursors);
plm_sym plm_fold_places(const struct plm_fold *f, struct plm_vec places);
plm_sym plm_fold_offerings(const struct plm_fold *f, struct plm_vec offerings);
plm_sym plm_fold_class_subnets(const struct plm_fold *f, struct plm_vec subnets);
plm_sym plm_fold_class_images(const struct plm_fold *f, struct plm_vec images);
plm_sym plm_fold_class_groups(const struct plm_fold *f, struct plm_vec groups);
plm_sym plm_fold_class_conditions(const struct plm_fold *f, struct plm_vec conditions);
/* The key of an explanation that stands in the log at 'seq'. */
struct plm_why plm_fold_why(const struct plm_fold *f, const struct plm_w_explain *why,
			    uint64_t seq);

#endif
