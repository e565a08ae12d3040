/* What a way to a pod's volumes leaves of a node, a claim or a pool. karpenter.md 2.6, 2.7. */
#include "reducers/provision/pass.h"

bool plm_volume_join(const struct plm_pass *pass, const struct plm_reqs *way, bool known_ok,
		     struct plm_reqs *reqs)
{
	bool news = false;
	struct plm_reqs both;

	if (!plm_reqs_compatible(&pass->sched, reqs, way, known_ok, NULL)) {
		return false;
	}
	both = plm_reqs_merge(&pass->sched, reqs, way);
	for (uint32_t i = 0; i < way->count && !news; i++) {
		const struct plm_req *old = plm_reqs_get(reqs, way->list[i].key);

		news = old == NULL || !plm_req_equal(old, plm_reqs_get(&both, way->list[i].key));
	}
	*reqs = news ? both : *reqs;
	return true;
}

bool plm_volume_seat_reached(const struct plm_pass *pass, const struct plm_seat *seat, uint32_t set)
{
	const struct plm_volume_set *volumes = plm_volume_set_at(pass, set);

	for (uint32_t w = 0; volumes != NULL && w < volumes->way_count; w++) {
		if (plm_reqs_compatible(&pass->sched, &seat->reqs, &volumes->ways[w], false,
					NULL)) {
			return true;
		}
	}
	return volumes == NULL || (volumes->way_count == 0 && volumes->refuse == PLM_RULE_NONE);
}
