/* Resources and host ports of a host, with the daemon sets that will come. */
#include "tools/feasible/view.h"

int64_t amount_of(const struct view *v, plm_sym span, plm_sym resource)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(v->st, span, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i].resource, resource)) {
			return list[i].amount;
		}
	}
	return 0;
}

/* ---- sums ---------------------------------------------------------------------------------------- */

static int64_t *cell(struct sum *sum, plm_sym resource)
{
	for (uint32_t i = 0; i < sum->count; i++) {
		if (plm_sym_equal(sum->names[i], resource)) {
			return &sum->amounts[i];
		}
	}
	if (sum->count == VIEW_RESOURCES) {
		return &sum->rest;
	}
	sum->names[sum->count] = resource;
	sum->amounts[sum->count] = 0;
	return &sum->amounts[sum->count++];
}

static void add(const struct view *v, struct sum *sum, const struct plm_shape *shape, int64_t times)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(v->st, shape->requests, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		int64_t *at = cell(sum, list[i].resource);

		*at = plm_add_sat(*at, plm_mul_sat(list[i].amount, times));
	}
	if (v->pods.n != 0) {
		int64_t *at = cell(sum, v->pods);

		*at = plm_add_sat(*at, times);
	}
}

/* ---- capacity ------------------------------------------------------------------------------------ */

static const struct plm_class_capacity *class_of(const struct view *v,
						 const struct plm_node_claim *claim)
{
	static const struct plm_class_capacity none;
	plm_id pool = plm_find(v->st, PLM_KIND_NODE_POOL, (plm_sym){0}, claim->pool);
	const struct plm_node_pool *slot = plm_node_pool_at(v->st, pool);
	plm_id class = {0};

	if (pool.n != 0) {
		class = plm_find(v->st, (enum plm_kind)slot->class_kind, (plm_sym){0},
				 slot->class_name);
	}
	return class.n == 0 ? &none : &plm_node_class_at(v->st, class)->capacity;
}

static int64_t seen_memory(const struct view *v, const struct plm_node_claim *claim, plm_id type)
{
	PLM_EACH(v->st, seen_memory, id)
	{
		const struct plm_seen_memory *row = plm_seen_memory_at(v->st, id);

		if (plm_sym_equal(row->class_name, claim->class_name) &&
		    plm_sym_equal(row->instance_type, plm_instance_type_at(v->st, type)->name)) {
			return row->bytes;
		}
	}
	return 0;
}

int64_t type_has(const struct view *v, const struct plm_node_claim *claim, plm_id type,
		 plm_sym resource, bool allocatable)
{
	const struct plm_instance_type *slot = plm_instance_type_at(v->st, type);
	const struct plm_ec2_settings settings = {.vm_memory_nano = plm_root(v->st)->vm_memory_nano,
						  .reserved_enis = plm_root(v->st)->reserved_enis};
	struct plm_ec2_amounts amounts;

	for (uint32_t r = 0; slot->facts.vcpu != 0 && r < PLM_EC2_RESOURCE_COUNT; r++) {
		if (plm_sym_is(v->st, resource, plm_ec2_resources[r])) {
			plm_ec2_amounts(&slot->facts, class_of(v, claim), &settings,
					seen_memory(v, claim, type), &amounts);
			return allocatable ? amounts.allocatable[r] : amounts.capacity[r];
		}
	}
	return amount_of(v, allocatable ? slot->allocatable : slot->capacity, resource);
}

static int64_t host_has(const struct view *v, const struct host *host, plm_id type,
			plm_sym resource)
{
	const struct plm_node_claim *claim = claim_at(v, host);
	int64_t has = host->node.n == 0
			      ? 0
			      : amount_of(v, plm_node_at(v->st, host->node)->allocatable, resource);

	if (host->open) {
		return type_has(v, claim, type, resource, true);
	}
	return has == 0 && host->starting ? amount_of(v, claim->allocatable, resource) : has;
}

/* ---- daemon sets --------------------------------------------------------------------------------- */

static bool is_owned(const struct plm_daemon_set *set, const struct plm_pod *pod)
{
	if (!plm_sym_equal(set->object.ns, pod->object.ns)) {
		return false;
	}
	return pod->object.owner_uid.n != 0 && set->object.uid.n != 0
		       ? plm_sym_equal(pod->object.owner_uid, set->object.uid)
		       : plm_sym_equal(pod->object.owner_name, set->object.name);
}

static bool is_daemon(const struct view *v, const struct plm_pod *pod)
{
	return plm_sym_is(v->st, pod->object.owner_kind, "DaemonSet");
}

/* What a pod of the set asks for: what its newest pod does, since admission may have added to it. */
static const struct plm_shape *daemon_shape(const struct view *v, const struct plm_daemon_set *set,
					    const struct plm_shape **requests)
{
	uint32_t count = 0;
	const struct plm_pod_set *template =
		PLM_SPAN(v->st, set->template_set, struct plm_pod_set, &count);
	const struct plm_shape *shape = NULL;
	const struct plm_pod *newest = NULL;

	if (count == 0 || set->object.deleting_ms != PLM_UNSET) {
		return NULL;
	}
	shape = PLM_SPAN(v->st, template->shape, struct plm_shape, &count);
	*requests = shape;
	PLM_EACH(v->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(v->st, id);

		if (is_daemon(v, pod) && is_owned(set, pod) && shape_of(v, pod) != NULL &&
		    pod->phase != PLM_PHASE_SUCCEEDED && pod->phase != PLM_PHASE_FAILED &&
		    (newest == NULL || pod->object.created_ms > newest->object.created_ms ||
		     (pod->object.created_ms == newest->object.created_ms &&
		      plm_sym_compare(v->st, pod->object.name, newest->object.name) > 0))) {
			newest = pod;
			*requests = shape_of(v, pod);
		}
	}
	return shape;
}

/* Those that run on the host, bound pods of theirs taken off; what is left is never below 0. */
static void add_daemons(const struct view *v, uint32_t at, plm_id type, struct sum *sum)
{
	const struct host *host = &v->hosts[at];
	struct sum expected = {.count = 0};
	struct sum bound = {.count = 0};

	PLM_EACH(v->st, daemon_set, id)
	{
		const struct plm_shape *requests = NULL;
		const struct plm_shape *shape =
			daemon_shape(v, plm_daemon_set_at(v->st, id), &requests);

		if (shape != NULL && taint_against(v, shape, (plm_sym){0}, host).n == 0 &&
		    node_fits(v, shape, host, type, false)) {
			add(v, &expected, requests, 1);
		}
	}
	for (uint32_t i = 0; i < v->resident_count; i++) {
		const struct plm_pod *pod = plm_pod_at(v->st, v->residents[i].pod);

		if (v->residents[i].host == at && is_daemon(v, pod)) {
			add(v, &bound, shape_of(v, pod), 1);
		}
	}
	for (uint32_t r = 0; r < expected.count; r++) {
		int64_t left = expected.amounts[r] - *cell(&bound, expected.names[r]);
		int64_t *total = cell(sum, expected.names[r]);

		*total = plm_add_sat(*total, plm_max(left, 0));
	}
}

/* ---- everybody ----------------------------------------------------------------------------------- */

static void add_places(const struct view *v, uint32_t at, struct sum *sum)
{
	PLM_EACH(v->st, workload, id)
	{
		uint32_t count = 0;
		const struct plm_place *places = PLM_SPAN(v->st, plm_workload_at(v->st, id)->places,
							  struct plm_place, &count);

		for (uint32_t i = 0; i < count; i++) {
			const struct plm_pod_set *set = set_named(v, id, places[i].pod_set);
			uint32_t one = 0;

			if (set != NULL &&
			    host_named(v, places[i].target, places[i].claim != 0) == at + 1) {
				add(v, sum, PLM_SPAN(v->st, set->shape, struct plm_shape, &one),
				    places_left(v, id, &places[i], at));
			}
		}
	}
}

static void judge_sum(const struct view *v, uint32_t at, plm_id type, const struct sum *asked,
		      const struct sum *all)
{
	const struct host *host = &v->hosts[at];
	struct plm_slice name = plm_str(v->st, host->name);
	struct plm_slice on = plm_str(v->st, plm_instance_type_at(v->st, type)->name);

	for (uint32_t r = 0; r < asked->count; r++) {
		struct plm_slice resource = plm_str(v->st, asked->names[r]);
		int64_t has = host_has(v, host, type, asked->names[r]);
		int64_t total = 0;

		for (uint32_t k = 0; k < all->count; k++) {
			if (plm_sym_equal(all->names[k], asked->names[r])) {
				total = all->amounts[k];
			}
		}
		if (asked->amounts[r] > 0 && total > has) {
			say(v, "%.*s%s%.*s: %lld of %.*s are asked for, it has %lld",
			    (int)name.size, (const char *)name.ptr, on.size > 0 ? " as " : "",
			    (int)on.size, (const char *)on.ptr, (long long)total,
			    (int)resource.size, (const char *)resource.ptr, (long long)has);
		}
	}
}

static bool clash(const struct view *v, const struct plm_port *a, const struct plm_port *b)
{
	bool any = a->ip.n == 0 || b->ip.n == 0 || plm_sym_is(v->st, a->ip, "0.0.0.0") ||
		   plm_sym_is(v->st, b->ip, "0.0.0.0") || plm_sym_is(v->st, a->ip, "::") ||
		   plm_sym_is(v->st, b->ip, "::");

	return a->port == b->port && plm_sym_equal(a->protocol, b->protocol) &&
	       (any || plm_sym_equal(a->ip, b->ip));
}

static bool ports_clash(const struct view *v, plm_sym a, plm_sym b)
{
	uint32_t a_count = 0;
	uint32_t b_count = 0;
	const struct plm_port *x = PLM_SPAN(v->st, a, struct plm_port, &a_count);
	const struct plm_port *y = PLM_SPAN(v->st, b, struct plm_port, &b_count);

	for (uint32_t i = 0; i < a_count * b_count; i++) {
		if (clash(v, &x[i / b_count], &y[i % b_count])) {
			return true;
		}
	}
	return false;
}

static void judge_ports(const struct view *v, uint32_t at)
{
	for (uint32_t i = 0; i < v->resident_count; i++) {
		const struct plm_pod *a = plm_pod_at(v->st, v->residents[i].pod);

		if (v->residents[i].host != at || !v->residents[i].fresh) {
			continue;
		}
		for (uint32_t k = 0; k < v->resident_count; k++) {
			const struct plm_pod *b = plm_pod_at(v->st, v->residents[k].pod);

			if (k != i && v->residents[k].host == at &&
			    ports_clash(v, shape_of(v, a)->ports, shape_of(v, b)->ports)) {
				struct plm_slice x = plm_str(v->st, a->object.name);
				struct plm_slice y = plm_str(v->st, b->object.name);

				say(v, "pods %.*s and %.*s want the same port of one node",
				    (int)x.size, (const char *)x.ptr, (int)y.size,
				    (const char *)y.ptr);
			}
		}
	}
}

static void judge_type(const struct view *v, uint32_t at, plm_id type, const struct sum *asked)
{
	struct sum all = {.count = 0};

	for (uint32_t i = 0; i < v->resident_count; i++) {
		if (v->residents[i].host == at) {
			add(v, &all, shape_of(v, plm_pod_at(v->st, v->residents[i].pod)), 1);
		}
	}
	add_places(v, at, &all);
	add_daemons(v, at, type, &all);
	judge_sum(v, at, type, asked, &all);
}

void judge_room(const struct view *v, uint32_t at)
{
	const struct host *host = &v->hosts[at];
	struct sum asked = {.count = 0};
	uint32_t count = 0;
	const plm_sym *types = PLM_SPAN(v->st, claim_at(v, host)->types, plm_sym, &count);

	for (uint32_t i = 0; i < v->resident_count; i++) {
		if (v->residents[i].host == at && v->residents[i].fresh) {
			add(v, &asked, shape_of(v, plm_pod_at(v->st, v->residents[i].pod)), 1);
		}
	}
	if (asked.count == 0) {
		add_places(v, at, &asked);
	}
	judge_ports(v, at);
	if (!host->open) {
		judge_type(v, at, (plm_id){0}, &asked);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		plm_id type = type_named(v, types[i]);

		if (type.n != 0) {
			judge_type(v, at, type, &asked);
		}
	}
}
