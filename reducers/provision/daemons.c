/* What DaemonSets take on every node of a pool: karpenter.md 2.8. */
#include "reducers/provision/pass.h"

static const struct plm_shape *shape_in(const struct plm_pass *pass, plm_sym template_set)
{
	uint32_t count = 0;
	const struct plm_pod_set *set =
		PLM_SPAN(pass->st, template_set, struct plm_pod_set, &count);

	return count == 0 ? NULL : PLM_SPAN(pass->st, set->shape, struct plm_shape, &count);
}

static bool owns(const struct plm_daemon_set *set, const struct plm_pod *pod)
{
	if (!plm_sym_equal(set->object.ns, pod->object.ns)) {
		return false;
	}
	if (pod->object.owner_uid.n != 0 && set->object.uid.n != 0) {
		return plm_sym_equal(pod->object.owner_uid, set->object.uid);
	}
	return plm_sym_equal(pod->object.owner_name, set->object.name);
}

static bool newer(const struct plm_pass *pass, const struct plm_pod *pod,
		  const struct plm_pod *than)
{
	if (than == NULL || pod->object.created_ms != than->object.created_ms) {
		return than == NULL || pod->object.created_ms > than->object.created_ms;
	}
	return plm_sym_compare(pass->st, pod->object.name, than->object.name) > 0;
}

/* The newest pod of each set: it carries what admission added to the template. */
static const struct plm_pod **newest_pods(const struct plm_pass *pass)
{
	const struct plm_pod **pods =
		PLM_NEW_ARRAY(pass->arena, pass->daemon_count, const struct plm_pod *);

	if (pass->daemon_count == 0) {
		return pods;
	}
	PLM_EACH(pass->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(pass->st, id);

		if (!plm_pod_of_daemon(&pass->sched, pod) || plm_pod_terminal(pod)) {
			continue;
		}
		for (uint32_t d = 0; d < pass->daemon_count; d++) {
			if (owns(plm_daemon_set_at(pass->st, pass->daemons[d].id), pod) &&
			    newer(pass, pod, pods[d])) {
				pods[d] = pod;
			}
		}
	}
	return pods;
}

static void build_daemon_asks(struct plm_pass *pass, struct plm_daemon *daemon)
{
	uint32_t terms = 0;

	(void)PLM_SPAN(pass->st, daemon->shape->required, struct plm_term, &terms);
	daemon->ask_count = terms > 1 ? terms : 1;
	daemon->asks = PLM_NEW_ARRAY(pass->arena, daemon->ask_count, struct plm_ask);
	daemon->asks[0] = plm_ask_first(&pass->sched, daemon->shape, PLM_ASK_IGNORE);
	daemon->asks[0].tolerations.all_soft = true;
	for (uint32_t i = 1; i < daemon->ask_count; i++) {
		bool more = plm_ask_relax(&pass->sched, daemon->shape, &daemon->asks[i - 1], false,
					  &daemon->asks[i]);

		PLM_ASSERT(more);
	}
}

void plm_pass_daemons(struct plm_pass *pass)
{
	uint32_t live = plm_daemon_set_live(pass->st);
	const struct plm_pod **newest = NULL;

	pass->daemons = PLM_NEW_ARRAY(pass->arena, live, struct plm_daemon);
	PLM_EACH(pass->st, daemon_set, id)
	{
		const struct plm_daemon_set *set = plm_daemon_set_at(pass->st, id);
		const struct plm_shape *shape = shape_in(pass, set->template_set);

		/* Devices are not counted, so nobody knows where it runs. */
		if (shape != NULL && shape->has_claims == 0 &&
		    set->object.deleting_ms == PLM_UNSET) {
			pass->daemons[pass->daemon_count++] =
				(struct plm_daemon){.id = id, .shape = shape};
		}
	}
	newest = newest_pods(pass);
	for (uint32_t d = 0; d < pass->daemon_count; d++) {
		struct plm_daemon *daemon = &pass->daemons[d];
		struct plm_shape *shape = NULL;
		uint32_t count = 0;

		if (newest[d] == NULL || newest[d]->shape.n == 0) {
			continue;
		}
		/* Its node affinity names one node: the template's is what counts. */
		shape = PLM_NEW(pass->arena, struct plm_shape);
		*shape = *PLM_SPAN(pass->st, newest[d]->shape, struct plm_shape, &count);
		shape->required = daemon->shape->required;
		shape->required_present = daemon->shape->required_present;
		daemon->shape = shape;
	}
	for (uint32_t d = 0; d < pass->daemon_count; d++) {
		plm_res_note(pass, pass->daemons[d].shape->requests);
		build_daemon_asks(pass, &pass->daemons[d]);
	}
}

void plm_pass_daemon_requests(struct plm_pass *pass)
{
	for (uint32_t d = 0; d < pass->daemon_count; d++) {
		pass->daemons[d].requests = plm_res_of_pod(pass, pass->daemons[d].shape->requests);
	}
}

/*
 * Does the daemon run on nodes of a pool that are of a type? Its terms are tried in turn; under 'strict'
 * those that fail are taken off it for good, so that the next type, pool and node see only the rest.
 */
static bool runs_on_type(const struct plm_pass *pass, struct plm_daemon *daemon,
			 const struct plm_reqs *pool, const struct plm_reqs *type)
{
	PLM_ASSERT(daemon->ask_now < daemon->ask_count);
	for (uint32_t i = pass->strict ? daemon->ask_now : 0; i < daemon->ask_count; i++) {
		const struct plm_reqs *ask = &daemon->asks[i].strict;

		daemon->ask_now = i;
		if (plm_reqs_compatible(&pass->sched, pool, ask, true, NULL) &&
		    plm_reqs_meet(&pass->sched, type, ask, NULL)) {
			return true;
		}
	}
	return false;
}

bool plm_daemon_runs(const struct plm_pass *pass, const struct plm_daemon *daemon,
		     const struct plm_taints *taints, const struct plm_reqs *reqs)
{
	uint32_t from = pass->strict ? daemon->ask_now : 0;
	uint32_t to = pass->strict ? daemon->ask_now + 1 : daemon->ask_count;

	PLM_ASSERT(to <= daemon->ask_count);
	if (plm_taints_refuse(&pass->sched, taints, &daemon->asks[0].tolerations) != NULL) {
		return false;
	}
	for (uint32_t i = from; i < to; i++) {
		if (plm_reqs_compatible(&pass->sched, reqs, &daemon->asks[i].strict, false, NULL)) {
			return true;
		}
	}
	return false;
}

/* ---- overhead by type -------------------------------------------------------------------------- */

struct signatures {
	uint64_t *bits; /* per type: the daemons that run on it */
	uint32_t words;
};

struct plm_reqs plm_reqs_when_up(const struct plm_pass *pass, const struct plm_reqs *reqs)
{
	const plm_sym *yes = &pass->sched.known[PLM_KNOWN_TRUE];
	struct plm_req registered = plm_req_make(
		&pass->sched, pass->sched.known[PLM_KNOWN_REGISTERED], PLM_OP_IN, yes, 1);
	struct plm_req initialized = plm_req_make(
		&pass->sched, pass->sched.known[PLM_KNOWN_INITIALIZED], PLM_OP_IN, yes, 1);
	struct plm_reqs set = plm_reqs_add(&pass->sched, reqs, &registered);

	return plm_reqs_add(&pass->sched, &set, &initialized);
}

static void sign_types(struct plm_pass *pass, const struct plm_pool *pool, struct signatures *signs)
{
	struct plm_reqs base = plm_reqs_when_up(pass, &pool->reqs);
	bool *tolerates = PLM_NEW_ARRAY(pass->arena, pass->daemon_count, bool);

	for (uint32_t d = 0; d < pass->daemon_count; d++) {
		tolerates[d] = plm_taints_refuse(&pass->sched, &pool->taints,
						 &pass->daemons[d].asks[0].tolerations) == NULL;
	}
	for (uint32_t t = 0; t < pass->types.count; t++) {
		if (!PLM_BIT(pool->bits, t)) {
			continue;
		}
		for (uint32_t d = 0; d < pass->daemon_count; d++) {
			struct plm_daemon *daemon = &pass->daemons[d];

			if (tolerates[d] &&
			    runs_on_type(pass, daemon, &base, &pass->types.reqs[t])) {
				PLM_BIT_SET(signs->bits + (size_t)t * signs->words, d);
			}
		}
	}
}

static struct plm_overhead make_overhead(struct plm_pass *pass, const uint64_t *sign)
{
	struct plm_overhead overhead = {
		.bits = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t),
		.requests = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t),
	};

	for (uint32_t d = 0; d < pass->daemon_count; d++) {
		if (PLM_BIT(sign, d)) {
			plm_res_add(pass, overhead.requests, pass->daemons[d].requests);
			overhead.ports = plm_ports_add(&pass->sched, overhead.ports,
						       pass->daemons[d].shape->ports);
		}
	}
	return overhead;
}

void plm_pool_overheads(struct plm_pass *pass, struct plm_pool *pool)
{
	struct signatures signs = {.words = (pass->daemon_count + 63) / 64};
	uint32_t *owner = NULL; /* by overhead: the type whose signature it is */

	if (signs.words == 0) {
		pool->overheads = PLM_NEW_ARRAY(pass->arena, 1, struct plm_overhead);
		pool->overheads[0].bits = pool->bits;
		pool->overheads[0].requests = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
		pool->overhead_count = 1;
		return;
	}
	signs.bits = PLM_NEW_ARRAY(pass->arena, (size_t)pass->types.count * signs.words, uint64_t);
	sign_types(pass, pool, &signs);
	pool->overheads = PLM_NEW_ARRAY(pass->arena, pass->types.count, struct plm_overhead);
	owner = PLM_NEW_ARRAY(pass->arena, pass->types.count, uint32_t);
	for (uint32_t t = 0; t < pass->types.count; t++) {
		const uint64_t *sign = signs.bits + (size_t)t * signs.words;
		uint32_t g = 0;

		if (!PLM_BIT(pool->bits, t)) {
			continue;
		}
		while (g < pool->overhead_count &&
		       memcmp(signs.bits + (size_t)owner[g] * signs.words, sign,
			      signs.words * sizeof(*sign)) != 0) {
			g++;
		}
		if (g == pool->overhead_count) {
			owner[g] = t;
			pool->overheads[pool->overhead_count++] = make_overhead(pass, sign);
		}
		PLM_BIT_SET(pool->overheads[g].bits, t);
	}
}
