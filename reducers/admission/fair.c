#include "reducers/admission/fair.h"

#include "reducers/admission/elastic.h"

bool plm_fair_sharing(const struct plm_quotas *snap, uint32_t node)
{
	const struct plm_quota_node *root = &snap->tree.nodes[snap->tree.nodes[node].tree];

	return plm_root(snap->st)->fair_sharing == 1 ||
	       (!root->queue && plm_sym_is(snap->st, root->name, PLM_ELASTIC_COHORT));
}
