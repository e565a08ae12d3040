/*
 * Sites: claims that are alike in every label that topology counts by, host names apart.
 *
 * A group by zone that refuses one claim refuses all that may become the same zones, so a walk asks one of
 * them. Not told apart where there are more than fit in a word.
 */
#include "reducers/provision/pass.h"

void plm_sites_refresh(struct plm_pass *pass)
{
	struct plm_sites *sites = &pass->sites;

	if (pass->topology == NULL || pass->topology->key_count == sites->keys) {
		return;
	}
	sites->keys = pass->topology->key_count;
	sites->count = 0;
	sites->reqs = PLM_NEW_ARRAY(pass->arena, (size_t)PLM_OPEN_SITES * sites->keys,
				    const struct plm_req *);
	for (uint32_t i = 0; i < pass->claim_count; i++) {
		pass->opens.links[i].site = PLM_OPEN_SITE_OPEN;
	}
}

static bool same_req(const struct plm_req *a, const struct plm_req *b)
{
	return a == b || (a != NULL && b != NULL && plm_req_equal(a, b));
}

static const struct plm_req *req_of(const struct plm_pass *pass, const struct plm_reqs *reqs,
				    uint32_t key)
{
	plm_sym name = pass->topology->keys[key]->key;

	return plm_sym_equal(name, pass->sched.known[PLM_KNOWN_HOSTNAME])
		       ? NULL
		       : plm_reqs_get(reqs, name);
}

uint32_t plm_site_of(struct plm_pass *pass, const struct plm_reqs *reqs)
{
	struct plm_sites *sites = &pass->sites;
	const struct plm_req **mine = NULL;

	if (pass->topology == NULL) {
		return PLM_OPEN_SITE_ANY;
	}
	PLM_ASSERT(sites->keys == pass->topology->key_count);
	for (uint32_t s = 0; s < sites->count; s++) {
		const struct plm_req **have = sites->reqs + (size_t)s * sites->keys;
		uint32_t k = 0;

		while (k < sites->keys && same_req(have[k], req_of(pass, reqs, k))) {
			k++;
		}
		if (k == sites->keys) {
			return s;
		}
	}
	if (sites->count == PLM_OPEN_SITES) {
		return PLM_OPEN_SITE_ANY;
	}
	mine = sites->reqs + (size_t)sites->count * sites->keys;
	for (uint32_t k = 0; k < sites->keys; k++) {
		mine[k] = req_of(pass, reqs, k);
	}
	return sites->count++;
}
