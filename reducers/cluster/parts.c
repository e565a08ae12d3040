#include "reducers/cluster/parts.h"

#include "reducers/cluster/pod_limits.h"

plm_sym plm_fold_text(const struct plm_fold *f, struct plm_slice text)
{
	return plm_intern(f->st, text);
}

/*
 * Defines plm_fold_<name>: a list of struct plm_w_<wire> becomes a span of struct plm_<part>, whose
 * members 'fill' sets from 'from'.
 */
#define FOLD_LIST(name, wire, part, fill)                                                          \
	plm_sym plm_fold_##name(const struct plm_fold *f, struct plm_vec list)                     \
	{                                                                                          \
		const struct plm_w_##wire *rows = list.ptr;                                        \
		size_t mark = plm_arena_mark(f->scratch);                                          \
		struct plm_##part *span =                                                          \
			PLM_NEW_ARRAY(f->scratch, list.count, struct plm_##part);                  \
		plm_sym sym;                                                                       \
                                                                                                   \
		for (size_t i = 0; i < list.count; i++) {                                          \
			fill(f, &rows[i], &span[i]);                                               \
		}                                                                                  \
		sym = plm_intern_span(f->st, span, list.count, sizeof(*span));                     \
		plm_arena_rewind(f->scratch, mark);                                                \
		return sym;                                                                        \
	}

plm_sym plm_fold_texts(const struct plm_fold *f, struct plm_vec texts)
{
	const struct plm_slice *rows = texts.ptr;
	size_t mark = plm_arena_mark(f->scratch);
	plm_sym *span = PLM_NEW_ARRAY(f->scratch, texts.count, plm_sym);
	plm_sym sym;

	for (size_t i = 0; i < texts.count; i++) {
		span[i] = plm_intern(f->st, rows[i]);
	}
	sym = plm_intern_span(f->st, span, texts.count, sizeof(*span));
	plm_arena_rewind(f->scratch, mark);
	return sym;
}

static void fill_kv(const struct plm_fold *f, const struct plm_w_kv *from, struct plm_kv *to)
{
	to->key = plm_fold_text(f, from->key);
	to->value = plm_fold_text(f, from->value);
}
FOLD_LIST(kvs, kv, kv, fill_kv)

static void fill_amount(const struct plm_fold *f, const struct plm_w_amount *from,
			struct plm_amount *to)
{
	to->resource = plm_fold_text(f, from->resource);
	to->amount = from->amount;
}
FOLD_LIST(amounts, amount, amount, fill_amount)

static void fill_exact(const struct plm_fold *f, const struct plm_w_exact *from,
		       struct plm_amount *to)
{
	PLM_ASSERT(from->excess_nano >= 0 && from->excess_nano <= UINT32_MAX);
	to->resource = plm_fold_text(f, from->resource);
	to->amount = from->amount;
	to->excess_nano = (uint32_t)from->excess_nano;
}
FOLD_LIST(exacts, exact, amount, fill_exact)

static void fill_container(const struct plm_fold *f, const struct plm_w_container *from,
			   struct plm_container *to)
{
	to->role = (uint32_t)from->role;
	to->requests = plm_fold_exacts(f, from->requests);
	to->limits = plm_fold_exacts(f, from->limits);
}
static FOLD_LIST(containers, container, container, fill_container)

	static void fill_limit_item(const struct plm_fold *f, const struct plm_w_limit_item *from,
				    struct plm_limit_item *to)
{
	to->type = (uint32_t)from->type;
	to->max = plm_fold_exacts(f, from->max);
	to->min = plm_fold_exacts(f, from->min);
	to->default_limits = plm_fold_exacts(f, from->default_limits);
	to->default_requests = plm_fold_exacts(f, from->default_requests);
	to->ratio = plm_fold_exacts(f, from->ratio);
}
FOLD_LIST(limit_items, limit_item, limit_item, fill_limit_item)

static void fill_taint(const struct plm_fold *f, const struct plm_w_taint *from,
		       struct plm_taint *to)
{
	to->key = plm_fold_text(f, from->key);
	to->value = plm_fold_text(f, from->value);
	to->effect = (uint32_t)from->effect;
}
FOLD_LIST(taints, taint, taint, fill_taint)

static void fill_toleration(const struct plm_fold *f, const struct plm_w_toleration *from,
			    struct plm_toleration *to)
{
	to->key = plm_fold_text(f, from->key);
	to->value = plm_fold_text(f, from->value);
	to->op = (uint32_t)from->op;
	to->effect = (uint32_t)from->effect;
	to->seconds = from->seconds;
}
FOLD_LIST(tolerations, toleration, toleration, fill_toleration)

static void fill_expr(const struct plm_fold *f, const struct plm_w_expr *from, struct plm_expr *to)
{
	to->key = plm_fold_text(f, from->key);
	to->op = (uint32_t)from->op;
	to->values = plm_fold_texts(f, from->values);
	to->min_values = from->min_values > 0 ? (uint32_t)from->min_values : 0;
}
FOLD_LIST(exprs, expr, expr, fill_expr)

static void fill_term(const struct plm_fold *f, const struct plm_w_term *from, struct plm_term *to)
{
	to->exprs = plm_fold_exprs(f, from->exprs);
	to->fields = plm_fold_exprs(f, from->fields);
	to->weight = from->weight;
}
FOLD_LIST(terms, term, term, fill_term)

struct plm_selector plm_fold_selector(const struct plm_fold *f,
				      const struct plm_w_selector *selector)
{
	return (struct plm_selector){.present = selector->present == 1,
				     .exprs = plm_fold_exprs(f, selector->exprs)};
}

static void fill_affinity(const struct plm_fold *f, const struct plm_w_affinity *from,
			  struct plm_affinity *to)
{
	to->topology_key = plm_fold_text(f, from->topology_key);
	to->selector = plm_fold_selector(f, &from->selector);
	to->namespaces = plm_fold_texts(f, from->namespaces);
	to->ns_selector = plm_fold_selector(f, &from->ns_selector);
	to->match_keys = plm_fold_texts(f, from->match_keys);
	to->mismatch_keys = plm_fold_texts(f, from->mismatch_keys);
	to->weight = from->weight;
}
static FOLD_LIST(affinities, affinity, affinity, fill_affinity)

	static void fill_spread(const struct plm_fold *f, const struct plm_w_spread *from,
				struct plm_spread *to)
{
	to->topology_key = plm_fold_text(f, from->topology_key);
	to->when = (uint32_t)from->when;
	to->selector = plm_fold_selector(f, &from->selector);
	to->affinity_policy = (uint32_t)from->affinity_policy;
	to->taints_policy = (uint32_t)from->taints_policy;
	to->match_keys = plm_fold_texts(f, from->match_keys);
	to->max_skew = from->max_skew;
	to->min_domains = from->min_domains;
}
static FOLD_LIST(spreads, spread, spread, fill_spread)

	static void fill_port(const struct plm_fold *f, const struct plm_w_port *from,
			      struct plm_port *to)
{
	to->ip = plm_fold_text(f, from->ip);
	to->protocol = plm_fold_text(f, from->protocol);
	to->port = from->port;
}
static FOLD_LIST(ports, port, port, fill_port)

	/*
	 * Requests and limits as the containers say, with no LimitRange and no RuntimeClass. A pod without a list
	 * of containers has one, which asks for all of it.
	 */
	static void fill_requests(const struct plm_fold *f, const struct plm_w_shape *from,
				  struct plm_shape *to)
{
	size_t mark = plm_arena_mark(f->scratch);
	struct plm_pod_limits limits = {0};
	struct plm_pod_exam exam;
	struct plm_container only = {.role = PLM_CONTAINER_MAIN};

	to->overhead = plm_fold_exacts(f, from->overhead);
	if (from->containers.count == 0) {
		to->requests = plm_fold_amounts(f, from->requests);
		only.requests = to->requests;
		to->containers = plm_intern_span(f->st, &only, 1, sizeof(only));
		return;
	}
	to->containers = plm_fold_containers(f, from->containers);
	limits.overhead = to->overhead;
	exam = plm_pod_examine(f->st, to, &limits, f->scratch);
	to->requests = plm_pod_asks_intern(f->st, &exam.requests, f->scratch);
	to->over_limit = exam.limits.resource;
	plm_arena_rewind(f->scratch, mark);
}

static void fill_volume_use(const struct plm_fold *f, const struct plm_w_volume_use *from,
			    struct plm_volume_use *to)
{
	to->claim = plm_fold_text(f, from->claim);
	to->ephemeral = plm_fold_text(f, from->ephemeral);
	to->class_name = plm_fold_text(f, from->class);
	to->class_said = from->class_said == 1;
}
static FOLD_LIST(volume_uses, volume_use, volume_use, fill_volume_use)

	static void fill_csi_driver(const struct plm_fold *f, const struct plm_w_csi_driver *from,
				    struct plm_csi_driver *to)
{
	to->name = plm_fold_text(f, from->name);
	to->limit = from->limit;
}
FOLD_LIST(csi_drivers, csi_driver, csi_driver, fill_csi_driver)

plm_sym plm_fold_shape(const struct plm_fold *f, const struct plm_w_shape *from)
{
	struct plm_shape to = {
		.node_selector = plm_fold_kvs(f, from->node_selector),
		.required = plm_fold_terms(f, from->required),
		.required_present = from->required_present == 1,
		.preferred = plm_fold_terms(f, from->preferred),
		.tolerations = plm_fold_tolerations(f, from->tolerations),
		.affinity = plm_fold_affinities(f, from->affinity),
		.anti_affinity = plm_fold_affinities(f, from->anti_affinity),
		.preferred_affinity = plm_fold_affinities(f, from->preferred_affinity),
		.preferred_anti_affinity = plm_fold_affinities(f, from->preferred_anti_affinity),
		.spread = plm_fold_spreads(f, from->spread),
		.ports = plm_fold_ports(f, from->ports),
		.volumes = plm_fold_volume_uses(f, from->volumes),
		.runtime_class = plm_fold_text(f, from->runtime_class),
		.scheduler = plm_fold_text(f, from->scheduler),
		.priority_class = plm_fold_text(f, from->priority_class),
		.never_preempt = from->never_preempt == 1,
		.priority = from->priority,
		.has_claims = from->has_claims == 1,
	};

	fill_requests(f, from, &to);
	return plm_intern_span(f->st, &to, 1, sizeof(to));
}

static void fill_topology_slice(const struct plm_fold *f, const struct plm_w_topology_slice *from,
				struct plm_topology_slice *to)
{
	to->level = plm_fold_text(f, from->level);
	to->size = from->size;
}
static FOLD_LIST(topology_slices, topology_slice, topology_slice, fill_topology_slice)

	static void fill_pod_set(const struct plm_fold *f, const struct plm_w_pod_set_spec *from,
				 struct plm_pod_set *to)
{
	to->name = plm_fold_text(f, from->name);
	to->labels = plm_fold_kvs(f, from->labels);
	to->shape = plm_fold_shape(f, &from->shape);
	to->topology_required = plm_fold_text(f, from->topology_required);
	to->topology_preferred = plm_fold_text(f, from->topology_preferred);
	to->topology_unconstrained = from->topology_unconstrained == 1;
	to->topology_group = plm_fold_text(f, from->topology_group);
	to->count = from->count;
	to->min_count = from->min_count;
	to->topology_asked = from->topology_asked == 1;
	to->topology_slices = plm_fold_topology_slices(f, from->topology_slices);
	to->pod_index_label = plm_fold_text(f, from->pod_index_label);
	to->sub_group_label = plm_fold_text(f, from->sub_group_label);
	to->sub_group_count = from->sub_group_count;
	to->index_offset = from->index_offset;
}
FOLD_LIST(pod_sets, pod_set_spec, pod_set, fill_pod_set)

static void fill_quota(const struct plm_fold *f, const struct plm_w_quota *from,
		       struct plm_quota *to)
{
	to->resource = plm_fold_text(f, from->resource);
	to->nominal = from->nominal;
	to->borrowing = from->borrowing;
	to->lending = from->lending;
}
static FOLD_LIST(quotas, quota, quota, fill_quota)

	static void fill_flavor_quota(const struct plm_fold *f,
				      const struct plm_w_flavor_quota *from,
				      struct plm_flavor_quota *to)
{
	to->flavor = plm_fold_text(f, from->flavor);
	to->quotas = plm_fold_quotas(f, from->quotas);
}
static FOLD_LIST(flavor_quotas, flavor_quota, flavor_quota, fill_flavor_quota)

	static void fill_group(const struct plm_fold *f, const struct plm_w_group *from,
			       struct plm_group *to)
{
	to->resources = plm_fold_texts(f, from->resources);
	to->flavors = plm_fold_flavor_quotas(f, from->flavors);
}
FOLD_LIST(groups, group, group, fill_group)

static void fill_check(const struct plm_fold *f, const struct plm_w_check_use *from,
		       struct plm_check_use *to)
{
	to->name = plm_fold_text(f, from->name);
	to->flavors = plm_fold_texts(f, from->flavors);
}
FOLD_LIST(checks, check_use, check_use, fill_check)

static void fill_update(const struct plm_fold *f, const struct plm_w_pod_set_update *from,
			struct plm_pod_set_update *to)
{
	to->name = plm_fold_text(f, from->name);
	to->labels = plm_fold_kvs(f, from->labels);
	to->annotations = plm_fold_kvs(f, from->annotations);
	to->node_selector = plm_fold_kvs(f, from->node_selector);
	to->tolerations = plm_fold_tolerations(f, from->tolerations);
}
static FOLD_LIST(updates, pod_set_update, pod_set_update, fill_update)

	static void fill_check_status(const struct plm_fold *f,
				      const struct plm_w_check_status *from,
				      struct plm_check_status *to)
{
	to->name = plm_fold_text(f, from->name);
	to->state = (uint32_t)from->state;
	to->since_ms = from->since_ms;
	to->requeue_after_ms = from->requeue_after_ms;
	to->retry_count = (uint32_t)from->retry_count;
	to->message = plm_fold_text(f, from->message);
	to->updates = plm_fold_updates(f, from->updates);
}
FOLD_LIST(check_statuses, check_status, check_status, fill_check_status)

static void fill_pod_count(const struct plm_fold *f, const struct plm_w_pod_count *from,
			   struct plm_pod_count *to)
{
	to->name = plm_fold_text(f, from->name);
	to->count = from->count;
}
FOLD_LIST(pod_counts, pod_count, pod_count, fill_pod_count)

static void fill_topology_domain(const struct plm_fold *f, const struct plm_w_topology_domain *from,
				 struct plm_topology_domain *to)
{
	to->values = plm_fold_texts(f, from->values);
	to->count = from->count;
}
static FOLD_LIST(topology_domains, topology_domain, topology_domain, fill_topology_domain)

	static void fill_assignment(const struct plm_fold *f, const struct plm_w_assignment *from,
				    struct plm_assignment *to)
{
	to->name = plm_fold_text(f, from->name);
	to->flavors = plm_fold_kvs(f, from->flavors);
	to->usage = plm_fold_amounts(f, from->usage);
	to->delayed = (uint32_t)from->delayed;
	to->count = from->count;
	to->levels = plm_fold_texts(f, from->levels);
	to->domains = plm_fold_topology_domains(f, from->domains);
}
FOLD_LIST(assignments, assignment, assignment, fill_assignment)

static void fill_budget(const struct plm_fold *f, const struct plm_w_budget *from,
			struct plm_budget *to)
{
	to->nodes = plm_fold_text(f, from->nodes);
	to->reasons = plm_fold_texts(f, from->reasons);
	to->schedule = plm_fold_text(f, from->schedule);
	to->duration_ms = from->duration_ms;
}
FOLD_LIST(budgets, budget, budget, fill_budget)

static void fill_cursor(const struct plm_fold *f, const struct plm_w_cursor *from,
			struct plm_cursor *to)
{
	to->pod_set = plm_fold_text(f, from->pod_set);
	to->resource = plm_fold_text(f, from->resource);
	to->tried = from->tried;
}
FOLD_LIST(cursors, cursor, cursor, fill_cursor)

static void fill_place(const struct plm_fold *f, const struct plm_w_place *from,
		       struct plm_place *to)
{
	to->pod_set = plm_fold_text(f, from->pod_set);
	to->target = plm_fold_text(f, from->target);
	to->claim = from->claim == 1;
	to->count = from->count;
}
FOLD_LIST(places, place, place, fill_place)

static void fill_offering(const struct plm_fold *f, const struct plm_w_offering *from,
			  struct plm_offering *to)
{
	to->zone = plm_fold_text(f, from->zone);
	to->capacity_type = plm_fold_text(f, from->capacity_type);
	to->reservation = plm_fold_text(f, from->reservation);
	to->available = from->available == 1;
	to->requirements = plm_fold_exprs(f, from->requirements);
	to->estimated = from->estimated == 1;
	to->price_micro = from->price_micro;
	to->reserved_left = from->reserved_left;
}
FOLD_LIST(offerings, offering, offering, fill_offering)

struct plm_why plm_fold_why(const struct plm_fold *f, const struct plm_w_explain *why, uint64_t seq)
{
	return (struct plm_why){
		.seq = seq,
		.rule = (uint32_t)why->rule,
		.reason = (uint32_t)why->reason,
		.object = plm_fold_text(f, why->object),
		.resource = plm_fold_text(f, why->resource),
		.flavor = plm_fold_text(f, why->flavor),
	};
}

static void fill_class_subnet(const struct plm_fold *f, const struct plm_w_class_subnet *from,
			      struct plm_class_subnet *to)
{
	to->id = plm_fold_text(f, from->id);
	to->zone = plm_fold_text(f, from->zone);
	to->zone_id = plm_fold_text(f, from->zone_id);
}
FOLD_LIST(class_subnets, class_subnet, class_subnet, fill_class_subnet)

static void fill_class_image(const struct plm_fold *f, const struct plm_w_class_image *from,
			     struct plm_class_image *to)
{
	to->id = plm_fold_text(f, from->id);
	to->name = plm_fold_text(f, from->name);
	to->requirements = plm_fold_exprs(f, from->requirements);
	to->deprecated = from->deprecated == 1;
}
FOLD_LIST(class_images, class_image, class_image, fill_class_image)

static void fill_class_group(const struct plm_fold *f, const struct plm_w_class_group *from,
			     struct plm_class_group *to)
{
	to->id = plm_fold_text(f, from->id);
	to->name = plm_fold_text(f, from->name);
}
FOLD_LIST(class_groups, class_group, class_group, fill_class_group)

static void fill_class_condition(const struct plm_fold *f, const struct plm_w_class_condition *from,
				 struct plm_class_condition *to)
{
	to->type = plm_fold_text(f, from->type);
	to->reason = plm_fold_text(f, from->reason);
	to->message = plm_fold_text(f, from->message);
	to->met = from->met == PLM_UNSET ? PLM_CLASS_MET_UNKNOWN
					 : (from->met == 1 ? PLM_CLASS_MET : PLM_CLASS_MET_NOT);
}
FOLD_LIST(class_conditions, class_condition, class_condition, fill_class_condition)
