#include "reducers/admission/lift.h"

#include "reducers/admission/activity.h"
#include "reducers/admission/queue.h"
#include "reducers/sched/selector.h"

/* One question: the record, the workload that it is about, and its way to a queue. */
struct asked {
	const struct plm_state *st;
	const struct plm_w_explain *why;
	plm_id id;
	const struct plm_workload *workload;
	struct plm_route route;
	struct plm_slice queue; /* name of its ClusterQueue, empty when there is none */
	struct plm_lifts *out;
};

static struct plm_lift *put(const struct asked *q, enum plm_lift_action action, enum plm_kind kind,
			    struct plm_slice name)
{
	return plm_lifts_put(q->out, action, kind, name);
}

static void next_option(const struct asked *q)
{
	plm_lifts_next(q->out);
}

static void put_workload(const struct asked *q, enum plm_lift_action action,
			 const struct plm_workload *workload)
{
	struct plm_lift *lift =
		put(q, action, PLM_KIND_WORKLOAD, plm_str(q->st, workload->object.name));

	if (lift != NULL) {
		lift->ns = plm_str(q->st, workload->object.ns);
	}
}

/* ---- quota ------------------------------------------------------------------------------------- */

struct shortage {
	int64_t rule;
	struct plm_slice flavor, resource, binding, set;
	int64_t need, have;
};

static int64_t short_of(const struct shortage *s)
{
	if (s->need == PLM_UNSET || s->have == PLM_UNSET || s->have >= s->need) {
		return 0;
	}
	return plm_sub_sat(s->need, s->have);
}

static void put_amount(const struct asked *q, enum plm_lift_action action, enum plm_kind kind,
		       struct plm_slice name, const struct shortage *s)
{
	struct plm_lift *lift = put(q, action, kind, name);

	if (lift == NULL) {
		return;
	}
	lift->flavor = s->flavor;
	lift->resource = s->resource;
	lift->amount = short_of(s);
	lift->key = action == PLM_LIFT_REQUEST ? s->set : (struct plm_slice){0};
	lift->ns = action == PLM_LIFT_REQUEST ? plm_str(q->st, q->workload->object.ns)
					      : (struct plm_slice){0};
}

/* More of its own quota is always enough: what is available to a queue grows by as much. */
static void lift_quota(const struct asked *q, const struct shortage *s)
{
	enum plm_kind kind =
		plm_slice_equal(s->binding, q->queue) ? PLM_KIND_CLUSTER_QUEUE : PLM_KIND_COHORT;

	if (short_of(s) == 0 || q->queue.size == 0) {
		return;
	}
	next_option(q);
	put_amount(q, PLM_LIFT_NOMINAL, PLM_KIND_CLUSTER_QUEUE, q->queue, s);
	if (s->rule == PLM_RULE_BORROWING_LIMIT && s->binding.size > 0) {
		next_option(q);
		put_amount(q, PLM_LIFT_BORROWING, kind, s->binding, s);
	}
	if (s->rule == PLM_RULE_MAX_QUOTA && !plm_slice_is(s->resource, "pods")) {
		next_option(q);
		put_amount(q, PLM_LIFT_REQUEST, PLM_KIND_WORKLOAD,
			   plm_str(q->st, q->workload->object.name), s);
	}
}

/* ---- flavors ----------------------------------------------------------------------------------- */

static const struct plm_flavor *flavor_of(const struct asked *q, struct plm_slice name)
{
	plm_id id = plm_find(q->st, PLM_KIND_FLAVOR, (plm_sym){0}, plm_sym_find(q->st, name));

	return id.n == 0 ? NULL : plm_flavor_at(q->st, id);
}

/* Taints are told apart by key and effect: all of that key. */
static void lift_taint(const struct asked *q, struct plm_slice flavor, struct plm_slice key)
{
	const struct plm_flavor *have = flavor_of(q, flavor);
	uint32_t count = 0;
	const struct plm_taint *taint = NULL;

	if (have == NULL) {
		return;
	}
	next_option(q);
	taint = PLM_SPAN(q->st, have->node_taints, struct plm_taint, &count);
	for (uint32_t i = 0; i < count; i++) {
		struct plm_lift *lift = NULL;

		if (taint[i].effect == PLM_EFFECT_PREFER_NO_SCHEDULE ||
		    !plm_slice_equal(plm_str(q->st, taint[i].key), key)) {
			continue;
		}
		lift = put(q, PLM_LIFT_TOLERATE, PLM_KIND_WORKLOAD,
			   plm_str(q->st, q->workload->object.name));
		if (lift != NULL) {
			lift->ns = plm_str(q->st, q->workload->object.ns);
			lift->flavor = flavor;
			lift->key = key;
			lift->value = plm_str(q->st, taint[i].value);
			lift->effect = plm_slice_str(
				plm_names_text(&plm_names_taint_effect, taint[i].effect));
		}
	}
}

static void lift_affinity(const struct asked *q, struct plm_slice flavor, struct plm_slice key)
{
	const struct plm_flavor *have = flavor_of(q, flavor);
	plm_sym value = {0};
	struct plm_lift *lift = NULL;

	if (have == NULL ||
	    !plm_kv_get(q->st, have->node_labels, plm_sym_find(q->st, key), &value)) {
		return;
	}
	next_option(q);
	lift = put(q, PLM_LIFT_SELECT, PLM_KIND_WORKLOAD, plm_str(q->st, q->workload->object.name));
	if (lift != NULL) {
		lift->ns = plm_str(q->st, q->workload->object.ns);
		lift->flavor = flavor;
		lift->key = key;
		lift->value = plm_str(q->st, value);
	}
}

static void lift_missing(const struct asked *q, enum plm_kind kind, struct plm_slice ns,
			 struct plm_slice name)
{
	struct plm_lift *lift = NULL;

	next_option(q);
	lift = put(q, PLM_LIFT_CREATE, kind, name);
	if (lift != NULL) {
		lift->ns = ns;
	}
}

static void lift_cover(const struct asked *q, struct plm_slice resource, int64_t need)
{
	struct plm_lift *lift = NULL;

	if (q->queue.size == 0) {
		return;
	}
	next_option(q);
	lift = put(q, PLM_LIFT_COVER, PLM_KIND_CLUSTER_QUEUE, q->queue);
	if (lift != NULL) {
		lift->resource = resource;
		lift->amount = need;
	}
}

/* One flavor that was looked at. */
static void lift_attempt(const struct asked *q, const struct shortage *s, struct plm_slice key)
{
	switch (s->rule) {
	case PLM_RULE_QUOTA:
	case PLM_RULE_MAX_QUOTA:
	case PLM_RULE_BORROWING_LIMIT:
	case PLM_RULE_NO_PREEMPTION_CANDIDATES:
	case PLM_RULE_TAKEN_THIS_CYCLE:
		lift_quota(q, s);
		break;
	case PLM_RULE_FLAVOR_TAINT:
		lift_taint(q, s->flavor, key);
		break;
	case PLM_RULE_FLAVOR_AFFINITY:
		lift_affinity(q, s->flavor, key);
		break;
	case PLM_RULE_FLAVOR_MISSING:
		lift_missing(q, PLM_KIND_FLAVOR, (struct plm_slice){0}, s->flavor);
		break;
	case PLM_RULE_UNDECLARED_RESOURCE:
		lift_cover(q, s->resource, s->need);
		break;
	default:
		break;
	}
}

/* The flavor that binds first, then the others, each as another way. */
static void lift_flavors(const struct asked *q)
{
	const struct plm_w_explain *why = q->why;
	const struct plm_w_candidate *candidates = why->considered.ptr;
	struct shortage binding = {
		.rule = why->rule,
		.flavor = why->flavor,
		.resource = why->resource,
		.binding = why->object,
		.need = why->need,
		.have = why->have,
	};

	if (why->rule == PLM_RULE_MAX_QUOTA) {
		binding.have = why->limit;
	}
	lift_attempt(q, &binding, why->detail);
	for (size_t i = 0; i < why->considered.count; i++) {
		const struct plm_w_candidate *c = &candidates[i];
		struct shortage s = {
			.rule = c->rule,
			.flavor = c->candidate,
			.resource = c->resource,
			.binding = c->detail,
			.need = c->need,
			.have = c->have,
		};

		if (!plm_slice_equal(c->candidate, why->flavor)) {
			lift_attempt(q, &s, c->detail);
		}
	}
}

/* ---- other workloads --------------------------------------------------------------------------- */

static bool holds(const struct plm_workload *workload)
{
	return workload->object.used == 1 &&
	       (workload->stage == PLM_STAGE_RESERVED || workload->stage == PLM_STAGE_ADMITTED);
}

static bool same_tree(const struct asked *q, plm_id other)
{
	plm_sym mine = plm_cluster_queue_at(q->st, q->route.cluster)->cohort;
	plm_sym theirs = plm_cluster_queue_at(q->st, other)->cohort;

	if (other.n == q->route.cluster.n) {
		return true;
	}
	return mine.n != 0 && theirs.n != 0 &&
	       plm_sym_equal(plm_queue_root(q->st, mine), plm_queue_root(q->st, theirs));
}

/* Workloads of the tree on their way out: those that go for this one, else all of them. */
static void lift_victims(const struct asked *q)
{
	bool own = false;

	if (q->route.cluster.n == 0) {
		return;
	}
	for (int pass = 0; pass < 2 && !own; pass++) {
		PLM_EACH(q->st, workload, id)
		{
			const struct plm_workload *victim = plm_workload_at(q->st, id);

			if (!holds(victim) || victim->evicted_ms == PLM_UNSET ||
			    victim->cluster_queue.n == 0 || !same_tree(q, victim->cluster_queue) ||
			    (pass == 0 && victim->by.n != q->id.n)) {
				continue;
			}
			own = true;
			put_workload(q, PLM_LIFT_FINISH, victim);
		}
	}
	if (!own) { /* they will be chosen when it is looked at */
		(void)put(q, PLM_LIFT_CYCLE, PLM_KIND_WORKLOAD,
			  plm_str(q->st, q->workload->object.name));
	}
}

static void lift_behind(const struct asked *q)
{
	PLM_EACH(q->st, workload, id)
	{
		const struct plm_workload *ahead = plm_workload_at(q->st, id);

		if (ahead->stage == PLM_STAGE_PENDING && id.n != q->id.n &&
		    plm_slice_equal(plm_str(q->st, ahead->object.name), q->why->object) &&
		    plm_queue_route(q->st, ahead).cluster.n == q->route.cluster.n) {
			put_workload(q, PLM_LIFT_FINISH, ahead);
			return;
		}
	}
}

static void lift_parallel(const struct asked *q)
{
	struct plm_lift *lift = NULL;

	if (q->why->have == PLM_UNSET || q->why->limit == PLM_UNSET) {
		return;
	}
	lift = put(q, PLM_LIFT_PARALLEL, PLM_KIND_WORK_QUEUE, q->why->object);
	if (lift != NULL) {
		lift->amount = plm_max(1, plm_sub_sat(q->why->have, q->why->limit) + 1);
	}
}

/* ---- queues and namespaces --------------------------------------------------------------------- */

/* The label that 'expr' asks for: a value, or that there be none. */
static void lift_expr(const struct asked *q, const struct plm_expr *expr)
{
	uint32_t count = 0;
	const plm_sym *values = PLM_SPAN(q->st, expr->values, plm_sym, &count);
	bool there = expr->op == PLM_OP_IN || expr->op == PLM_OP_EXISTS;
	struct plm_lift *lift = put(q, there ? PLM_LIFT_LABEL : PLM_LIFT_UNLABEL,
				    PLM_KIND_NAMESPACE, plm_str(q->st, q->workload->object.ns));

	if (lift != NULL) {
		lift->key = plm_str(q->st, expr->key);
		lift->value = expr->op == PLM_OP_IN && count > 0 ? plm_str(q->st, values[0])
								 : (struct plm_slice){0};
	}
}

static void lift_selector(const struct asked *q)
{
	plm_id ns = plm_find(q->st, PLM_KIND_NAMESPACE, (plm_sym){0}, q->workload->object.ns);
	const struct plm_selector *selector = NULL;
	uint32_t count = 0;
	const struct plm_expr *expr = NULL;

	if (q->route.cluster.n == 0 || ns.n == 0) {
		return;
	}
	selector = &plm_cluster_queue_at(q->st, q->route.cluster)->ns_selector;
	if (selector->present == 0) {
		(void)put(q, PLM_LIFT_SELECTOR, PLM_KIND_CLUSTER_QUEUE, q->queue);
		return;
	}
	expr = PLM_SPAN(q->st, selector->exprs, struct plm_expr, &count);
	for (uint32_t i = 0; i < count; i++) {
		if (!plm_selector_expr_matches(q->st, &expr[i],
					       plm_namespace_at(q->st, ns)->object.labels)) {
			lift_expr(q, &expr[i]);
		}
	}
}

static void lift_inactive(const struct asked *q)
{
	plm_sym name = plm_sym_find(q->st, q->why->detail);
	plm_id check = plm_find(q->st, PLM_KIND_ADMISSION_CHECK, (plm_sym){0}, name);
	const struct plm_cluster_queue *queue = NULL;

	if (q->route.cluster.n == 0) {
		return;
	}
	queue = plm_cluster_queue_at(q->st, q->route.cluster);
	if (queue->misconfigured.n != 0) {
		return; /* the detail says what is wrong */
	}
	if (queue->object.deleting_ms != PLM_UNSET) {
		lift_missing(q, PLM_KIND_CLUSTER_QUEUE, (struct plm_slice){0}, q->queue);
	} else if (check.n != 0) {
		(void)put(q, PLM_LIFT_ACTIVATE, PLM_KIND_ADMISSION_CHECK, q->why->detail);
	} else {
		lift_missing(q, PLM_KIND_ADMISSION_CHECK, (struct plm_slice){0}, q->why->detail);
	}
}

static void lift_stop(const struct asked *q)
{
	bool queue = q->route.rule != PLM_RULE_QUEUE_STOPPED;
	struct plm_lift *lift =
		put(q, PLM_LIFT_RESUME, queue ? PLM_KIND_CLUSTER_QUEUE : PLM_KIND_LOCAL_QUEUE,
		    q->why->object);

	if (lift != NULL && !queue) {
		lift->ns = plm_str(q->st, q->workload->object.ns);
	}
}

static void lift_backoff(const struct asked *q)
{
	struct plm_lift *lift = NULL;

	if (q->workload->requeue_at_ms == PLM_UNSET) {
		put_workload(q, PLM_LIFT_REQUEUE, q->workload);
		return;
	}
	lift = put(q, PLM_LIFT_WAIT, PLM_KIND_WORKLOAD, plm_str(q->st, q->workload->object.name));
	if (lift != NULL) {
		lift->ns = plm_str(q->st, q->workload->object.ns);
		lift->amount = q->workload->requeue_at_ms;
	}
}

static void put_check(const struct asked *q, struct plm_slice check)
{
	struct plm_lift *lift =
		put(q, PLM_LIFT_CHECK, PLM_KIND_WORKLOAD, plm_str(q->st, q->workload->object.name));

	if (lift != NULL) {
		lift->ns = plm_str(q->st, q->workload->object.ns);
		lift->key = check;
	}
}

static bool has_flavor(const struct asked *q, plm_sym flavor)
{
	uint32_t sets = 0;
	const struct plm_assignment *set =
		PLM_SPAN(q->st, q->workload->assignments, struct plm_assignment, &sets);

	for (uint32_t i = 0; i < sets; i++) {
		uint32_t count = 0;
		const struct plm_kv *pair = PLM_SPAN(q->st, set[i].flavors, struct plm_kv, &count);

		for (uint32_t j = 0; j < count; j++) {
			if (plm_sym_equal(pair[j].value, flavor)) {
				return true;
			}
		}
	}
	return false;
}

/* Does the check apply to what the workload was given? Nobody is told that capacity is ready. */
static bool waits_for(const struct asked *q, const struct plm_check_use *use)
{
	plm_id check = plm_find(q->st, PLM_KIND_ADMISSION_CHECK, (plm_sym){0}, use->name);
	uint32_t count = 0;
	const plm_sym *flavors = PLM_SPAN(q->st, use->flavors, plm_sym, &count);
	bool applies = count == 0;

	for (uint32_t i = 0; i < count; i++) {
		applies = applies || has_flavor(q, flavors[i]);
	}
	return applies && check.n != 0 &&
	       !plm_sym_is(q->st, plm_admission_check_at(q->st, check)->controller,
			   PLM_CAPACITY_CONTROLLER);
}

/* All that are not ready: the workload runs when the last one is. */
static void lift_checks(const struct asked *q)
{
	uint32_t count = 0;
	const struct plm_check_use *use = NULL;
	uint32_t known = 0;
	const struct plm_check_status *status =
		PLM_SPAN(q->st, q->workload->checks, struct plm_check_status, &known);

	if (q->workload->cluster_queue.n == 0) {
		return;
	}
	use = PLM_SPAN(q->st, plm_cluster_queue_at(q->st, q->workload->cluster_queue)->checks,
		       struct plm_check_use, &count);
	for (uint32_t i = 0; i < count; i++) {
		bool ready = false;

		for (uint32_t j = 0; j < known; j++) {
			ready = ready || (plm_sym_equal(status[j].name, use[i].name) &&
					  status[j].state == PLM_CHECK_READY);
		}
		if (!ready && waits_for(q, &use[i])) {
			put_check(q, plm_str(q->st, use[i].name));
		}
	}
}

/* Requests against limits and LimitRanges: the amount between the two. */
static void lift_limit(const struct asked *q, enum plm_lift_action action)
{
	bool own = action == PLM_LIFT_LIMIT;
	int64_t need = q->why->need;
	int64_t limit = q->why->limit;
	struct plm_lift *lift =
		put(q, action, own ? PLM_KIND_WORKLOAD : PLM_KIND_LIMIT_RANGE,
		    own ? plm_str(q->st, q->workload->object.name) : q->why->object);

	if (lift == NULL || need == PLM_UNSET || limit == PLM_UNSET) {
		return;
	}
	lift->ns = plm_str(q->st, q->workload->object.ns);
	lift->resource = q->why->resource;
	lift->amount = need > limit ? plm_sub_sat(need, limit) : plm_sub_sat(limit, need);
	lift->key = own ? q->why->detail : (struct plm_slice){0};
}

/* ---- by rule ----------------------------------------------------------------------------------- */

static void lift_outside(const struct asked *q)
{
	struct plm_slice ns = plm_str(q->st, q->workload->object.ns);
	struct plm_slice none = {0};

	switch (q->why->rule) {
	case PLM_RULE_NAMESPACE_SELECTOR:
		lift_selector(q);
		break;
	case PLM_RULE_NAMESPACE_MISSING:
		lift_missing(q, PLM_KIND_NAMESPACE, none, q->why->object);
		break;
	case PLM_RULE_LOCAL_QUEUE_MISSING:
		lift_missing(q, PLM_KIND_LOCAL_QUEUE, ns, q->why->object);
		break;
	case PLM_RULE_CLUSTER_QUEUE_MISSING:
		lift_missing(q, PLM_KIND_CLUSTER_QUEUE, none, q->why->object);
		break;
	case PLM_RULE_WORK_QUEUE_MISSING:
		lift_missing(q, PLM_KIND_WORK_QUEUE, none, q->why->object);
		break;
	case PLM_RULE_QUEUE_INACTIVE:
		lift_inactive(q);
		break;
	case PLM_RULE_QUEUE_STOPPED:
		lift_stop(q);
		break;
	case PLM_RULE_QUEUE_AMBIGUOUS:
		put_workload(q, PLM_LIFT_NAME_QUEUE, q->workload);
		break;
	case PLM_RULE_COHORT_RING:
		(void)put(q, PLM_LIFT_BREAK_RING, PLM_KIND_COHORT, q->why->detail);
		break;
	case PLM_RULE_GATED:
		put_workload(q, PLM_LIFT_UNGATE, q->workload);
		break;
	case PLM_RULE_INACTIVE:
		put_workload(q, PLM_LIFT_ACTIVATE, q->workload);
		break;
	case PLM_RULE_BACKOFF:
		lift_backoff(q);
		break;
	default:
		break;
	}
}

static void lift_inside(const struct asked *q)
{
	switch (q->why->rule) {
	case PLM_RULE_PREEMPTION:
		lift_victims(q);
		break;
	case PLM_RULE_BEHIND:
		lift_behind(q);
		break;
	case PLM_RULE_MAX_PARALLEL:
		lift_parallel(q);
		break;
	case PLM_RULE_CHECK_FAILED:
		put_check(q, q->why->object);
		break;
	case PLM_RULE_CHECK_PENDING:
		lift_checks(q);
		break;
	case PLM_RULE_LIMITS:
		lift_limit(q, PLM_LIFT_LIMIT);
		break;
	case PLM_RULE_LIMIT_RANGE_MAX:
		lift_limit(q, PLM_LIFT_MAXIMUM);
		break;
	case PLM_RULE_LIMIT_RANGE_MIN:
		lift_limit(q, PLM_LIFT_MINIMUM);
		break;
	case PLM_RULE_FITS:
		(void)put(q, PLM_LIFT_CYCLE, PLM_KIND_WORKLOAD,
			  plm_str(q->st, q->workload->object.name));
		break;
	default:
		lift_flavors(q);
		break;
	}
}

void plm_admission_lifts(const struct plm_state *st, plm_id workload,
			 const struct plm_w_explain *why, struct plm_lifts *out)
{
	struct asked q = {
		.st = st,
		.why = why,
		.id = workload,
		.workload = plm_workload_at(st, workload),
		.out = out,
	};

	out->count = 0;
	out->options = 0;
	out->full = false;
	PLM_ASSERT(q.workload->object.used == 1);
	if (q.workload->stage == PLM_STAGE_FINISHED ||
	    (why->rule == PLM_RULE_FITS && q.workload->stage != PLM_STAGE_PENDING)) {
		return;
	}
	q.route = plm_queue_route(st, q.workload);
	if (q.route.cluster.n != 0) {
		q.queue = plm_str(st, plm_cluster_queue_at(st, q.route.cluster)->object.name);
	}
	lift_outside(&q);
	if (out->count == 0) {
		lift_inside(&q);
	}
	PLM_ASSERT(out->count <= PLM_LIFTS_MAX && out->options <= out->count);
}
