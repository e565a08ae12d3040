#include "reducers/tas/rank.h"

#include "core/quantity.h"

/* ---- where pods are ---------------------------------------------------------------------------- */

struct ranking {
	const struct plm_state *st;
	const struct plm_tas_pods *pods;
	const struct plm_topology_domain *domains;
	uint32_t domain_count;
	const plm_sym *levels;
	uint32_t level_count;
};

static plm_sym selector_of(const struct plm_state *st, const struct plm_pod *pod)
{
	uint32_t count = 0;
	const struct plm_shape *shape = PLM_SPAN(st, pod->shape, struct plm_shape, &count);

	return count == 1 ? shape->node_selector : (plm_sym){0};
}

/* The domain that an ungated pod was sent to, by its node selector. */
static uint32_t domain_of(const struct ranking *r, const struct plm_pod *pod)
{
	plm_sym selector = selector_of(r->st, pod);

	for (uint32_t i = 0; i < r->domain_count; i++) {
		uint32_t count = 0;
		const plm_sym *values = PLM_SPAN(r->st, r->domains[i].values, plm_sym, &count);
		uint32_t level = 0;
		plm_sym have = {0};

		while (level < count && level < r->level_count &&
		       plm_kv_get(r->st, selector, r->levels[level], &have) &&
		       plm_sym_equal(have, values[level])) {
			level++;
		}
		if (level == count && count > 0) {
			return i;
		}
	}
	return PLM_TAS_NO_DOMAIN;
}

static const struct plm_pod *pod_at(const struct ranking *r, uint32_t i)
{
	return plm_pod_at(r->st, r->pods->list[i]);
}

/* ---- by rank ----------------------------------------------------------------------------------- */

/* The number in a label of the pod, below 'bound'; -1 = there is none. */
static int64_t label_number(const struct plm_state *st, const struct plm_pod *pod, plm_sym key,
			    int64_t bound)
{
	plm_sym value = {0};
	int64_t number = 0;

	if (!plm_kv_get(st, pod->object.labels, key, &value) ||
	    !plm_integer_parse(plm_str(st, value), &number)) {
		return -1;
	}
	return number >= 0 && number < bound ? number : -1;
}

/* -1 = none that can be used. */
static int64_t rank_of(const struct ranking *r, const struct plm_pod *pod)
{
	const struct plm_pod_set *spec = r->pods->spec;
	int64_t size = r->pods->set->count;
	int64_t offset = r->pods->offset;
	int64_t index = pod->index;
	int64_t group = 0;

	if (spec != NULL && spec->pod_index_label.n != 0) {
		index = label_number(r->st, pod, spec->pod_index_label, size + offset);
	}
	if (index < 0) {
		return -1;
	}
	if (spec != NULL && spec->sub_group_label.n != 0 && spec->sub_group_count > 0) {
		int64_t each = size / spec->sub_group_count;

		group = label_number(r->st, pod, spec->sub_group_label, spec->sub_group_count);
		if (group < 0 || index >= each) {
			return -1;
		}
		group *= each;
	}
	index += group - offset;
	return index < size ? plm_max(-1, index) : -1;
}

/* The domain of a rank: domains take as many ranks in turn as they have pods. */
static uint32_t domain_of_rank(const struct ranking *r, int64_t rank)
{
	for (uint32_t i = 0; i < r->domain_count; i++) {
		if (rank < r->domains[i].count) {
			return i;
		}
		rank -= r->domains[i].count;
	}
	return PLM_TAS_NO_DOMAIN;
}

/* False: ranks cannot be used; 'out' is then of no use. */
static bool by_rank(const struct ranking *r, struct plm_arena *arena, uint32_t *out)
{
	size_t size = (size_t)plm_max(0, r->pods->set->count);
	uint8_t *taken = PLM_NEW_ARRAY(arena, size, uint8_t);

	for (uint32_t i = 0; i < r->pods->count; i++) {
		const struct plm_pod *pod = pod_at(r, i);
		int64_t rank = rank_of(r, pod);
		uint32_t domain = rank < 0 ? PLM_TAS_NO_DOMAIN : domain_of_rank(r, rank);

		if (domain == PLM_TAS_NO_DOMAIN || taken[rank] != 0 ||
		    (pod->gated == 0 && domain_of(r, pod) != domain)) {
			return false;
		}
		taken[rank] = 1;
		out[i] = pod->gated == 0 ? PLM_TAS_NO_DOMAIN : domain;
	}
	return true;
}

/* ---- wherever some are missing ----------------------------------------------------------------- */

static void by_need(const struct ranking *r, struct plm_arena *arena, uint32_t *out)
{
	int64_t *missing = PLM_NEW_ARRAY(arena, r->domain_count, int64_t);
	uint32_t at = 0;

	for (uint32_t i = 0; i < r->domain_count; i++) {
		missing[i] = r->domains[i].count;
	}
	for (uint32_t i = 0; i < r->pods->count; i++) {
		const struct plm_pod *pod = pod_at(r, i);
		uint32_t domain = pod->gated == 0 ? domain_of(r, pod) : PLM_TAS_NO_DOMAIN;

		if (domain != PLM_TAS_NO_DOMAIN) {
			missing[domain]--;
		}
	}
	for (uint32_t i = 0; i < r->pods->count; i++) {
		out[i] = PLM_TAS_NO_DOMAIN;
		if (pod_at(r, i)->gated == 0) {
			continue;
		}
		while (at < r->domain_count && missing[at] <= 0) {
			at++;
		}
		if (at < r->domain_count) {
			out[i] = at;
			missing[at]--;
		}
	}
}

void plm_tas_rank(const struct plm_state *st, const struct plm_tas_pods *pods,
		  struct plm_arena *arena, uint32_t *out)
{
	struct ranking r = {.st = st, .pods = pods};

	PLM_ASSERT(pods->set != NULL && pods->offset >= 0);
	r.domains = PLM_SPAN(st, pods->set->domains, struct plm_topology_domain, &r.domain_count);
	r.levels = PLM_SPAN(st, pods->set->levels, plm_sym, &r.level_count);
	if (!by_rank(&r, arena, out)) {
		by_need(&r, arena, out);
	}
}

/* ---- groups ------------------------------------------------------------------------------------ */

const struct plm_pod_set *plm_tas_spec(const struct plm_state *st,
				       const struct plm_workload *workload, plm_sym name)
{
	uint32_t count = 0;
	const struct plm_pod_set *sets =
		PLM_SPAN(st, workload->pod_sets, struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(sets[i].name, name)) {
			return &sets[i];
		}
	}
	return NULL;
}

int64_t plm_tas_offset(const struct plm_state *st, const struct plm_workload *workload,
		       const struct plm_assignment *set)
{
	const struct plm_pod_set *spec = plm_tas_spec(st, workload, set->name);
	int64_t offset = spec == NULL ? 0 : plm_max(0, spec->index_offset);
	uint32_t count = 0;
	const struct plm_assignment *others =
		PLM_SPAN(st, workload->assignments, struct plm_assignment, &count);

	if (spec == NULL || spec->topology_group.n == 0) {
		return offset;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct plm_pod_set *other = plm_tas_spec(st, workload, others[i].name);
		bool before = others[i].count < set->count ||
			      (others[i].count == set->count && &others[i] < set);

		if (other != NULL && other != spec && before &&
		    plm_sym_equal(other->topology_group, spec->topology_group)) {
			offset += others[i].count;
		}
	}
	return offset;
}
