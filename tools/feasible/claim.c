/* New claims against their pool and the catalogue; places of gangs. */
#include "tools/feasible/view.h"

/* ---- claims -------------------------------------------------------------------------------------- */

static bool some_offering(const struct view *v, const struct plm_node_claim *claim, plm_id type)
{
	uint32_t count = 0;
	const struct plm_offering *list = PLM_SPAN(
		v->st, plm_instance_type_at(v->st, type)->offerings, struct plm_offering, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (is_offered(v, claim, type, &list[i])) {
			return true;
		}
	}
	return false;
}

/* Does some value of the type under each key of the claim hold? */
static bool type_fits(const struct view *v, const struct host *host, plm_id type, plm_sym *bad)
{
	uint32_t count = 0;
	const struct plm_expr *exprs = PLM_SPAN(
		v->st, plm_instance_type_at(v->st, type)->requirements, struct plm_expr, &count);
	uint32_t asked = 0;
	const struct plm_expr *own =
		PLM_SPAN(v->st, claim_at(v, host)->requirements, struct plm_expr, &asked);

	for (uint32_t i = 0; i < asked; i++) {
		for (uint32_t k = 0; k < count; k++) {
			uint32_t values = 0;
			const plm_sym *list = PLM_SPAN(v->st, exprs[k].values, plm_sym, &values);
			struct values has = {.list = list, .count = values};

			if (!plm_sym_equal(new_key(v, own[i].key), new_key(v, exprs[k].key)) ||
			    (exprs[k].op != PLM_OP_IN && exprs[k].op != PLM_OP_DOES_NOT_EXIST)) {
				continue;
			}
			if (!values_meet(v, &own[i], &has, false)) {
				*bad = own[i].key;
				return false;
			}
		}
	}
	return true;
}

static uint32_t distinct_values(const struct view *v, const struct plm_node_claim *claim,
				plm_sym key)
{
	uint32_t count = 0;
	const plm_sym *types = PLM_SPAN(v->st, claim->types, plm_sym, &count);
	plm_sym *found = PLM_NEW_ARRAY(v->arena, 4096, plm_sym);
	uint32_t distinct = 0;

	for (uint32_t i = 0; i < count; i++) {
		plm_id type = type_named(v, types[i]);
		uint32_t exprs_count = 0;
		const struct plm_expr *exprs =
			PLM_SPAN(v->st, plm_instance_type_at(v->st, type)->requirements,
				 struct plm_expr, &exprs_count);

		for (uint32_t k = 0; k < exprs_count; k++) {
			uint32_t values = 0;
			const plm_sym *list = PLM_SPAN(v->st, exprs[k].values, plm_sym, &values);

			for (uint32_t x = 0;
			     plm_sym_equal(exprs[k].key, key) && x < values && distinct < 4096;
			     x++) {
				bool had = false;

				for (uint32_t y = 0; y < distinct; y++) {
					had = had || plm_sym_equal(found[y], list[x]);
				}
				if (!had) {
					found[distinct++] = list[x];
				}
			}
		}
	}
	return distinct;
}

static void judge_minimum(const struct view *v, const struct plm_node_claim *claim)
{
	uint32_t count = 0;
	const struct plm_expr *exprs =
		PLM_SPAN(v->st, claim->requirements, struct plm_expr, &count);
	struct plm_slice name = plm_str(v->st, claim->object.name);

	if (plm_root(v->st)->min_values == PLM_MIN_VALUES_BEST_EFFORT) {
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t has = exprs[i].min_values == 0
				       ? 0
				       : distinct_values(v, claim, new_key(v, exprs[i].key));
		struct plm_slice key = plm_str(v->st, exprs[i].key);

		if (has < exprs[i].min_values) {
			say(v, "claim %.*s: its types have %u values of %.*s, %u are the least",
			    (int)name.size, (const char *)name.ptr, has, (int)key.size,
			    (const char *)key.ptr, exprs[i].min_values);
		}
	}
}

void judge_claim(const struct view *v, plm_id id)
{
	const struct plm_node_claim *claim = plm_node_claim_at(v->st, id);
	const struct host *host = &v->hosts[v->of_claim[id.n] - 1];
	struct plm_slice name = plm_str(v->st, claim->object.name);
	uint32_t count = 0;
	const plm_sym *types = PLM_SPAN(v->st, claim->types, plm_sym, &count);

	if (count == 0) {
		say(v, "claim %.*s: names no type", (int)name.size, (const char *)name.ptr);
	}
	for (uint32_t i = 0; i < count; i++) {
		plm_id type = type_named(v, types[i]);
		struct plm_slice text = plm_str(v->st, types[i]);
		plm_sym bad = {0};

		if (type.n == 0) {
			say(v, "claim %.*s: type %.*s is not in the catalogue", (int)name.size,
			    (const char *)name.ptr, (int)text.size, (const char *)text.ptr);
		} else if (!type_fits(v, host, type, &bad)) {
			struct plm_slice key = plm_str(v->st, bad);

			say(v, "claim %.*s: type %.*s does not meet its requirement on %.*s",
			    (int)name.size, (const char *)name.ptr, (int)text.size,
			    (const char *)text.ptr, (int)key.size, (const char *)key.ptr);
		} else if (!some_offering(v, claim, type)) {
			say(v, "claim %.*s: type %.*s cannot be bought within its requirements",
			    (int)name.size, (const char *)name.ptr, (int)text.size,
			    (const char *)text.ptr);
		}
	}
	judge_minimum(v, claim);
}

/* ---- pools --------------------------------------------------------------------------------------- */

/* The most that the claim may turn out to have. */
static int64_t claim_most(const struct view *v, const struct plm_node_claim *claim,
			  plm_sym resource)
{
	uint32_t count = 0;
	const plm_sym *types = PLM_SPAN(v->st, claim->types, plm_sym, &count);
	plm_id node = plm_find(v->st, PLM_KIND_NODE, (plm_sym){0}, claim->node);
	int64_t most = amount_of(v, claim->capacity, resource);

	if (claim->phase == PLM_CLAIM_READY && node.n != 0) {
		return amount_of(v, plm_node_at(v->st, node)->capacity, resource);
	}
	for (uint32_t i = 0; claim->capacity.n == 0 && i < count; i++) {
		plm_id type = type_named(v, types[i]);

		if (type.n != 0) {
			most = plm_max(most, type_has(v, claim, type, resource, false));
		}
	}
	return most;
}

/* Claims and nodes without one that carry the pool's name; in pieces for the resource "nodes". */
static int64_t pool_holds(const struct view *v, plm_sym pool, plm_sym resource, bool pieces)
{
	plm_sym label = plm_sym_find(v->st, plm_slice_str("karpenter.sh/nodepool"));
	int64_t sum = 0;

	for (uint32_t i = 0; i < v->host_count; i++) {
		const struct host *host = &v->hosts[i];
		const struct plm_node_claim *claim = claim_at(v, host);
		const struct plm_node *node = plm_node_at(v->st, host->node);
		plm_sym value = {0};

		if (host->claim.n != 0 && plm_sym_equal(claim->pool, pool)) {
			sum = plm_add_sat(sum, pieces ? 1 : claim_most(v, claim, resource));
		} else if (host->claim.n == 0 && node->object.deleting_ms == PLM_UNSET &&
			   label.n != 0 && plm_kv_get(v->st, node->object.labels, label, &value) &&
			   plm_sym_equal(value, pool)) {
			sum = plm_add_sat(sum, pieces ? 1 : amount_of(v, node->capacity, resource));
		}
	}
	return sum;
}

void judge_pool(const struct view *v, plm_id id)
{
	const struct plm_node_claim *claim = plm_node_claim_at(v->st, id);
	plm_id pool = plm_find(v->st, PLM_KIND_NODE_POOL, (plm_sym){0}, claim->pool);
	const struct plm_node_pool *slot = plm_node_pool_at(v->st, pool);
	struct plm_slice name = plm_str(v->st, claim->pool);
	uint32_t count = 0;
	const struct plm_amount *limits = NULL;
	int64_t holds = 0;

	if (pool.n == 0) {
		say(v, "a claim of pool %.*s, which is not there", (int)name.size,
		    (const char *)name.ptr);
		return;
	}
	limits = PLM_SPAN(v->st, slot->limits, struct plm_amount, &count);
	for (uint32_t i = 0; i < count; i++) {
		struct plm_slice resource = plm_str(v->st, limits[i].resource);

		holds = pool_holds(v, claim->pool, limits[i].resource,
				   plm_slice_is(resource, "nodes"));
		if (holds > limits[i].amount) {
			say(v, "pool %.*s: %lld of %.*s, its limit is %lld", (int)name.size,
			    (const char *)name.ptr, (long long)holds, (int)resource.size,
			    (const char *)resource.ptr, (long long)limits[i].amount);
		}
	}
	holds = pool_holds(v, claim->pool, (plm_sym){0}, true);
	if (slot->max_size != PLM_UNSET && holds > slot->max_size) {
		say(v, "pool %.*s: %lld nodes, maxSize is %lld", (int)name.size,
		    (const char *)name.ptr, (long long)holds, (long long)slot->max_size);
	}
}

/* ---- gangs --------------------------------------------------------------------------------------- */

const struct plm_pod_set *set_named(const struct view *v, plm_id workload, plm_sym name)
{
	uint32_t count = 0;
	const struct plm_pod_set *sets = PLM_SPAN(v->st, plm_workload_at(v->st, workload)->pod_sets,
						  struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(sets[i].name, name)) {
			return &sets[i];
		}
	}
	return NULL;
}

/* The workload of a pod, by the jobs above it. */
plm_id workload_of(const struct view *v, const struct plm_pod *pod)
{
	plm_id job = pod->group.n != 0
			     ? plm_find(v->st, PLM_KIND_POD_GROUP, pod->object.ns, pod->group)
			     : plm_index_find(v->st, PLM_KEY_JOB_UID, pod->object.owner_uid.n, 0);

	for (int up = 0; up < 16 && job.n != 0; up++) {
		const struct plm_job *slot = plm_job_at(v->st, job);

		if (slot->workload_id.n != 0) {
			return slot->workload_id;
		}
		job = plm_index_find(v->st, PLM_KEY_JOB_UID, slot->object.owner_uid.n, 0);
	}
	return (plm_id){0};
}

int64_t places_left(const struct view *v, plm_id workload, const struct plm_place *place,
		    uint32_t host)
{
	uint32_t count = 0;
	const struct plm_pod_set *sets = PLM_SPAN(v->st, plm_workload_at(v->st, workload)->pod_sets,
						  struct plm_pod_set, &count);
	int64_t left = place->count;

	for (uint32_t i = 0; i < v->resident_count; i++) {
		const struct plm_pod *pod = plm_pod_at(v->st, v->residents[i].pod);
		plm_sym set = pod->group.n != 0 ? pod->role : pod->pod_set;

		set = set.n == 0 && count > 0 ? sets[0].name : set;
		if (v->residents[i].host == host && plm_sym_equal(set, place->pod_set) &&
		    workload_of(v, pod).n == workload.n) {
			left--;
		}
	}
	return plm_max(left, 0);
}

/* Tolerations that its flavors bring along: those of the first one that has any. */
static plm_sym flavor_tolerations(const struct view *v, plm_id workload, plm_sym set)
{
	uint32_t count = 0;
	const struct plm_assignment *list =
		PLM_SPAN(v->st, plm_workload_at(v->st, workload)->assignments,
			 struct plm_assignment, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t flavors = 0;
		const struct plm_kv *kvs =
			PLM_SPAN(v->st, list[i].flavors, struct plm_kv, &flavors);

		for (uint32_t k = 0; plm_sym_equal(list[i].name, set) && k < flavors; k++) {
			plm_id flavor =
				plm_find(v->st, PLM_KIND_FLAVOR, (plm_sym){0}, kvs[k].value);

			if (plm_flavor_at(v->st, flavor)->tolerations.n != 0) {
				return plm_flavor_at(v->st, flavor)->tolerations;
			}
		}
	}
	return (plm_sym){0};
}

static void judge_place(const struct view *v, plm_id workload, const struct plm_place *place)
{
	const struct plm_pod_set *set = set_named(v, workload, place->pod_set);
	uint32_t at = host_named(v, place->target, place->claim != 0);
	struct plm_slice gang = plm_str(v->st, plm_workload_at(v->st, workload)->object.name);
	struct plm_slice target = plm_str(v->st, place->target);
	const struct plm_shape *shape = NULL;
	const struct host *host = NULL;
	uint32_t count = 0;
	const plm_sym *types = NULL;
	bool fits = true;

	if (set == NULL || at == 0) {
		say(v, "workload %.*s: its place %.*s is not there", (int)gang.size,
		    (const char *)gang.ptr, (int)target.size, (const char *)target.ptr);
		return;
	}
	host = &v->hosts[at - 1];
	shape = PLM_SPAN(v->st, set->shape, struct plm_shape, &count);
	if (taint_against(v, shape, flavor_tolerations(v, workload, set->name), host).n != 0) {
		say(v, "workload %.*s: a taint of %.*s keeps it off", (int)gang.size,
		    (const char *)gang.ptr, (int)target.size, (const char *)target.ptr);
	}
	types = PLM_SPAN(v->st, claim_at(v, host)->types, plm_sym, &count);
	if (!host->open) {
		fits = node_fits(v, shape, host, (plm_id){0}, true);
	}
	for (uint32_t i = 0; host->open && i < count; i++) {
		fits = fits && node_fits(v, shape, host, type_named(v, types[i]), true);
	}
	if (!fits) {
		say(v, "workload %.*s: %.*s is not what it asks for", (int)gang.size,
		    (const char *)gang.ptr, (int)target.size, (const char *)target.ptr);
	}
}

void judge_gang(const struct view *v, plm_id workload)
{
	uint32_t count = 0;
	const struct plm_place *places =
		PLM_SPAN(v->st, plm_workload_at(v->st, workload)->places, struct plm_place, &count);

	for (uint32_t i = 0; i < count; i++) {
		judge_place(v, workload, &places[i]);
	}
}
