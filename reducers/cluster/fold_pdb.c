/* PodDisruptionBudgets: karpenter.md 3.2. */
#include "reducers/cluster/fold.h"

void plm_fold_pdb(const struct plm_folding *in, const struct plm_w_pdb *w)
{
	plm_id id = plm_fold_object(in, PLM_KIND_POD_DISRUPTION_BUDGET, &w->meta, NULL);
	struct plm_pdb *pdb = plm_pdb_edit(in->f.st, id);

	pdb->selector = plm_fold_selector(&in->f, &w->selector);
	pdb->min_available = w->min_available;
	pdb->min_percent = w->min_percent == 1;
	pdb->max_unavailable = w->max_unavailable;
	pdb->max_percent = w->max_percent == 1;
	pdb->always_allow = w->always_allow == 1;
	pdb->has_status = w->has_status == 1;
	pdb->stale = w->stale == 1;
	pdb->allowed = w->allowed;
	pdb->healthy = w->healthy;
	pdb->desired = w->desired;
	pdb->expected = w->expected;
}
