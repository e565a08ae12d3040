/* The next domain of each kind of group, and the record of what was placed: karpenter.md 2.9. */
#include "reducers/sched/topology.h"

/* What one group is asked: the pod's and the node's values of its key. */
struct question {
	const struct plm_topology *t;
	struct plm_topo_group *group;
	const struct plm_req *pod, *node;
	bool self; /* the group selects the pod itself */
};

static int32_t count_of(const struct question *q, plm_sym value)
{
	uint32_t place = plm_topo_find(q->group->key, value);

	return place < q->group->key->count && place < q->group->room ? q->group->counts[place]
								      : PLM_TOPO_UNKNOWN;
}

static struct plm_req none_of(const struct question *q)
{
	struct plm_req none = plm_req_exists(q->group->key->key);

	none.complement = 0;
	return none;
}

static struct plm_req only(const struct question *q, plm_sym value)
{
	return plm_req_make(q->t->sched, q->group->key->key, PLM_OP_IN, &value, 1);
}

/* Values to look at: those that the node names, else every domain that the node may have. */
struct walk {
	const struct question *q;
	uint32_t at;
	plm_sym value;
	int32_t count;
};

static bool walk_next(struct walk *walk)
{
	const struct question *q = walk->q;
	const struct plm_topo_group *group = q->group;

	if (plm_req_op(q->node) == PLM_OP_IN) {
		while (walk->at < q->node->count) {
			walk->value = q->node->values[walk->at++];
			walk->count = count_of(q, walk->value);
			if (walk->count != PLM_TOPO_UNKNOWN) {
				return true;
			}
		}
		return false;
	}
	while (walk->at < group->key->count && walk->at < group->room) {
		uint32_t place = walk->at++;

		walk->value = group->key->values[place];
		walk->count = group->counts[place];
		if (walk->count != PLM_TOPO_UNKNOWN &&
		    plm_req_has(q->t->sched, q->node, walk->value)) {
			return true;
		}
	}
	return false;
}

static uint32_t most_domains(const struct question *q)
{
	return plm_req_op(q->node) == PLM_OP_IN ? q->node->count : q->group->key->count;
}

/* ---- spread ------------------------------------------------------------------------------------ */

static int64_t least_count(const struct question *q)
{
	const struct plm_topo_group *group = q->group;
	int64_t least = INT32_MAX;
	int64_t supported = 0;

	if (plm_sym_equal(group->key->key, q->t->sched->known[PLM_KNOWN_HOSTNAME])) {
		return 0;
	}
	for (uint32_t i = 0; i < group->key->count && i < group->room; i++) {
		if (group->counts[i] != PLM_TOPO_UNKNOWN &&
		    plm_req_has(q->t->sched, q->pod, group->key->values[i])) {
			supported++;
			least = plm_min(least, group->counts[i]);
		}
	}
	return group->min_domains != PLM_UNSET && supported < group->min_domains ? 0 : least;
}

static struct plm_req next_spread(const struct question *q)
{
	int64_t self = q->self ? 1 : 0;
	int64_t least = least_count(q);
	struct walk walk = {.q = q};
	plm_sym best = {0};
	int64_t best_count = INT64_MAX;

	if (plm_sym_equal(q->group->key->key, q->t->sched->known[PLM_KNOWN_HOSTNAME]) &&
	    plm_req_op(q->node) == PLM_OP_IN && q->node->count == 1) {
		int32_t have = count_of(q, q->node->values[0]);
		int64_t count = (have == PLM_TOPO_UNKNOWN ? 0 : have) + self;

		return count <= q->group->max_skew ? only(q, q->node->values[0]) : none_of(q);
	}
	while (walk_next(&walk)) {
		int64_t count = walk.count + self;

		if (plm_sub_sat(count, least) > q->group->max_skew || count > best_count) {
			continue;
		}
		if (count < best_count || plm_sched_compare(q->t->sched, walk.value, best) < 0) {
			best = walk.value;
			best_count = count;
		}
	}
	return best_count == INT64_MAX ? none_of(q) : only(q, best);
}

/* ---- affinity ---------------------------------------------------------------------------------- */

/* Does the group count pods in a domain that the pod may be in? */
static bool any_compatible(const struct question *q)
{
	const struct plm_topo_group *group = q->group;

	for (uint32_t i = 0; i < group->key->count && i < group->room; i++) {
		if (group->counts[i] > 0 &&
		    plm_req_has(q->t->sched, q->pod, group->key->values[i])) {
			return true;
		}
	}
	return false;
}

/* The first known domain by name that 'req' has. */
static bool first_domain(const struct question *q, const struct plm_req *req, plm_sym *out)
{
	const struct plm_topo_group *group = q->group;
	bool found = false;

	for (uint32_t i = 0; i < group->key->count && i < group->room; i++) {
		plm_sym value = group->key->values[i];

		if (group->counts[i] == PLM_TOPO_UNKNOWN || !plm_req_has(q->t->sched, req, value)) {
			continue;
		}
		if (!found || plm_sched_compare(q->t->sched, value, *out) < 0) {
			*out = value;
			found = true;
		}
	}
	return found;
}

/* The first pod of a group that wants to be together: one domain of the node, one of the pod. */
static struct plm_req bootstrap(const struct question *q)
{
	struct plm_req both = plm_req_intersect(q->t->sched, q->pod, q->node);
	plm_sym values[2] = {{0}, {0}};
	uint32_t count = 0;

	count += first_domain(q, &both, &values[count]) ? 1 : 0;
	count += first_domain(q, q->pod, &values[count]) ? 1 : 0;
	return plm_req_make(q->t->sched, q->group->key->key, PLM_OP_IN, values, count);
}

static struct plm_req next_affinity(const struct question *q)
{
	plm_sym *values = PLM_NEW_ARRAY(q->t->sched->arena, most_domains(q), plm_sym);
	struct walk walk = {.q = q};
	uint32_t count = 0;

	while (walk_next(&walk)) {
		if (walk.count > 0 && plm_req_has(q->t->sched, q->pod, walk.value)) {
			values[count++] = walk.value;
		}
	}
	if (count > 0) {
		return plm_req_make(q->t->sched, q->group->key->key, PLM_OP_IN, values, count);
	}
	if (q->self && (q->group->occupied == 0 || !any_compatible(q))) {
		return bootstrap(q);
	}
	return none_of(q);
}

static struct plm_req next_anti_affinity(const struct question *q)
{
	plm_sym *values = PLM_NEW_ARRAY(q->t->sched->arena, most_domains(q), plm_sym);
	struct walk walk = {.q = q};
	uint32_t count = 0;

	while (walk_next(&walk)) {
		if (walk.count == 0 && plm_req_has(q->t->sched, q->pod, walk.value)) {
			values[count++] = walk.value;
		}
	}
	return plm_req_make(q->t->sched, q->group->key->key, PLM_OP_IN, values, count);
}

/* ---- all groups of a pod ----------------------------------------------------------------------- */

static struct plm_req next_of(const struct question *q)
{
	switch (q->group->type) {
	case PLM_TOPO_SPREAD:
		return next_spread(q);
	case PLM_TOPO_AFFINITY:
		return next_affinity(q);
	case PLM_TOPO_ANTI_AFFINITY:
	default:
		return next_anti_affinity(q);
	}
}

/*
 * What a "no" is worth. A domain that has a pod is never empty again, and a host that is full stays so; a
 * spread or an affinity over other labels looks at them alone.
 */
static enum plm_topo_answer refusal(const struct question *q)
{
	bool by_host = plm_sym_equal(q->group->key->key, q->t->sched->known[PLM_KNOWN_HOSTNAME]);

	if (q->group->type == PLM_TOPO_ANTI_AFFINITY) {
		return PLM_TOPO_NEVER;
	}
	if (!by_host) {
		return PLM_TOPO_NOT_THERE;
	}
	return q->group->type == PLM_TOPO_SPREAD && plm_req_op(q->node) == PLM_OP_IN &&
			       q->node->count == 1
		       ? PLM_TOPO_NEVER
		       : PLM_TOPO_NOT_NOW;
}

/* The node may be in these domains and in no others. */
static bool is_all(const struct plm_req *domains, const struct plm_req *node)
{
	return node->complement == 0 && domains->count == node->count &&
	       memcmp(domains->values, node->values, node->count * sizeof(plm_sym)) == 0;
}

/* A node in one domain: does the group let the pod in there? A bootstrap takes the long way. */
static bool fits_there(const struct question *q)
{
	plm_sym value = q->node->values[0];
	int32_t count = count_of(q, value);

	if (count == PLM_TOPO_UNKNOWN || q->group->type == PLM_TOPO_SPREAD ||
	    !plm_req_has(q->t->sched, q->pod, value)) {
		return false;
	}
	return (q->group->type == PLM_TOPO_AFFINITY) == (count > 0);
}

/* Intersects what 'group' leaves into 'out'; requirements looked at are those before this step. */
static enum plm_topo_answer ask_group(const struct plm_topology *t, uint32_t kind,
				      struct plm_topo_group *group,
				      const struct plm_reqs *const given[2], struct plm_reqs *out)
{
	struct plm_req any = plm_req_exists(group->key->key);
	const struct plm_req *pod = plm_reqs_get(given[0], group->key->key);
	const struct plm_req *node = plm_reqs_get(given[1], group->key->key);
	struct question q = {.t = t,
			     .group = group,
			     .pod = pod == NULL ? &any : pod,
			     .node = node == NULL ? &any : node,
			     .self = group->selects[kind] != 0};
	struct plm_req domains;

	if (q.node->complement == 0 && q.node->count == 1 && fits_there(&q)) {
		return PLM_TOPO_FITS;
	}
	domains = next_of(&q);
	if (domains.count == 0) {
		return refusal(&q);
	}
	if (!is_all(&domains, q.node)) {
		*out = plm_reqs_add(t->sched, out, &domains);
	}
	return PLM_TOPO_FITS;
}

enum plm_topo_answer plm_topology_narrow(const struct plm_topology *t, uint32_t kind,
					 const struct plm_topo_groups *groups,
					 const struct plm_reqs *strict, struct plm_reqs *reqs)
{
	const struct plm_reqs before = *reqs;
	const struct plm_reqs *const given[2] = {strict, &before};
	enum plm_topo_answer answer = PLM_TOPO_FITS;

	for (uint32_t i = 0; i < groups->count && answer == PLM_TOPO_FITS; i++) {
		answer = ask_group(t, kind, groups->list[i], given, reqs);
	}
	for (uint32_t i = 0; t->kinds[kind].held && i < t->inverse.count && answer == PLM_TOPO_FITS;
	     i++) {
		if (t->inverse.list[i]->selects[kind] != 0) {
			answer = ask_group(t, kind, t->inverse.list[i], given, reqs);
		}
	}
	return answer;
}

static bool host_closed(const struct plm_topology *t, const struct plm_topo_group *group,
			uint32_t kind, plm_sym host)
{
	uint32_t place = plm_topo_find(group->key, host);
	int32_t count = place < group->key->count && place < group->room ? group->counts[place]
									 : PLM_TOPO_UNKNOWN;

	if (!plm_sym_equal(group->key->key, t->sched->known[PLM_KNOWN_HOSTNAME])) {
		return false;
	}
	if (group->type == PLM_TOPO_ANTI_AFFINITY) {
		return count != 0;
	}
	return group->type == PLM_TOPO_SPREAD &&
	       (count == PLM_TOPO_UNKNOWN ? 0 : count) + (group->selects[kind] != 0 ? 1 : 0) >
		       group->max_skew;
}

bool plm_topology_host_closed(const struct plm_topology *t, uint32_t kind,
			      const struct plm_topo_groups *groups, plm_sym host)
{
	for (uint32_t i = 0; i < groups->count; i++) {
		if (host_closed(t, groups->list[i], kind, host)) {
			return true;
		}
	}
	for (uint32_t i = 0; t->kinds[kind].held && i < t->inverse.count; i++) {
		if (t->inverse.list[i]->selects[kind] != 0 &&
		    host_closed(t, t->inverse.list[i], kind, host)) {
			return true;
		}
	}
	return false;
}

/* ---- records ----------------------------------------------------------------------------------- */

static void record_values(const struct plm_topology *t, struct plm_topo_group *group,
			  const struct plm_req *req)
{
	for (uint32_t i = 0; req != NULL && i < req->count; i++) {
		plm_topo_count(t, group, req->values[i]);
	}
}

void plm_topology_record(struct plm_topology *t, uint32_t kind, const struct plm_topo_site *site,
			 const struct plm_reqs *reqs)
{
	const struct plm_topo_kind *k = &t->kinds[kind];

	for (uint32_t i = 0; i < k->counted.count; i++) {
		struct plm_topo_group *group = k->counted.list[i];
		const struct plm_req *req = NULL;

		if (!plm_topo_filter_matches(t, &group->filter, &site->taints, reqs)) {
			continue;
		}
		req = plm_reqs_get(reqs, group->key->key);
		if (group->type == PLM_TOPO_ANTI_AFFINITY) {
			/* It may land in any of them: none is free any more. */
			record_values(t, group, req);
		} else if (req != NULL && req->complement == 0 && req->count == 1) {
			record_values(t, group, req);
		}
	}
	for (uint32_t i = 0; i < k->inverse.count; i++) {
		struct plm_topo_group *group = k->inverse.list[i];

		record_values(t, group, plm_reqs_get(reqs, group->key->key));
	}
}
