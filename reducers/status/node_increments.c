/* What one event of the log adds to the counters of metric_nodes.h. */
#include "reducers/status/metric.h"

struct adding {
	const struct plm_state *st;
	const struct plm_event *ev;
	plm_metric_sink *sink;
	void *self;
};

static void put(const struct adding *a, struct plm_metric metric)
{
	a->sink(a->self, &metric);
}

static int64_t now_of(const struct adding *a)
{
	return (int64_t)a->ev->tick_ms;
}

static int64_t since(const struct adding *a, int64_t from_ms)
{
	return from_ms == PLM_UNSET || from_ms == 0 ? 0 : plm_max(0, now_of(a) - from_ms);
}

static void put_time(const struct adding *a, enum plm_metric_id id, struct plm_slice label,
		     int64_t ms)
{
	put(a, (struct plm_metric){.id = id, .labels = {label}, .value = ms, .decimals = 3});
}

static plm_id find(const struct adding *a, enum plm_kind kind, struct plm_slice ns,
		   struct plm_slice name)
{
	return plm_find(a->st, kind, plm_sym_find(a->st, ns), plm_sym_find(a->st, name));
}

static const struct plm_node_claim *claim_of(const struct adding *a, struct plm_slice name)
{
	plm_id id = find(a, PLM_KIND_NODE_CLAIM, (struct plm_slice){0}, name);

	return id.n == 0 ? NULL : plm_node_claim_at(a->st, id);
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static struct plm_slice label_in(const struct plm_w_meta *meta, const char *key)
{
	const struct plm_w_kv *list = meta->labels.ptr;

	for (size_t i = 0; i < meta->labels.count; i++) {
		if (plm_slice_is(list[i].key, key)) {
			return list[i].value;
		}
	}
	return (struct plm_slice){0};
}

static struct plm_slice label_of(const struct adding *a, plm_sym labels, const char *key)
{
	uint32_t count = 0;
	const struct plm_kv *list = PLM_SPAN(a->st, labels, struct plm_kv, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_is(a->st, list[i].key, key)) {
			return plm_str(a->st, list[i].value);
		}
	}
	return (struct plm_slice){0};
}

static void on_node(const struct adding *a, const struct plm_w_node *node)
{
	struct plm_slice pool = label_in(&node->meta, "karpenter.sh/nodepool");

	if (pool.size > 0 &&
	    find(a, PLM_KIND_NODE, (struct plm_slice){0}, node->meta.name).n == 0) {
		put(a,
		    (struct plm_metric){
			    .id = PLM_METRIC_NODES_CREATED,
			    .labels = {pool, label_in(&node->meta, "topology.kubernetes.io/zone")},
			    .value = 1});
	}
}

static void on_node_gone(const struct adding *a, plm_id id)
{
	const struct plm_object *node = &plm_node_at(a->st, id)->object;
	struct plm_slice pool = label_of(a, node->labels, "karpenter.sh/nodepool");

	if (pool.size == 0) {
		return;
	}
	put(a, (struct plm_metric){
		       .id = PLM_METRIC_NODES_TERMINATED,
		       .labels = {pool, label_of(a, node->labels, "topology.kubernetes.io/zone")},
		       .value = 1});
	put_time(a, PLM_METRIC_NODE_LIFETIME, pool, since(a, node->created_ms));
	if (node->deleting_ms != PLM_UNSET) {
		put_time(a, PLM_METRIC_NODE_TERMINATION, pool, since(a, node->deleting_ms));
	}
}

/* ---- claims ------------------------------------------------------------------------------------ */

static void on_claim(const struct adding *a, const struct plm_w_claim *claim)
{
	put(a, (struct plm_metric){
		       .id = PLM_METRIC_CLAIMS_CREATED,
		       .labels = {plm_slice_str("provisioned"), claim->pool,
				  plm_slice_str(claim->min_values_relaxed == 1 ? "true" : "false")},
		       .value = 1});
}

/* Reasons as upstream's label has them; one that upstream does not know is spelled like its own. */
static const char *disruption_label(int64_t reason)
{
	switch (reason) {
	case PLM_REASON_EMPTY:
		return "empty";
	case PLM_REASON_UNDERUTILIZED:
		return "underutilized";
	case PLM_REASON_DRIFTED:
		return "drifted";
	case PLM_REASON_EXPIRED:
		return "expired";
	case PLM_REASON_INTERRUPTED:
		return "spot_interrupted";
	case PLM_REASON_REBALANCE:
		return "rebalance_recommendation";
	case PLM_REASON_INSTANCE_STOPPING:
		return "instance_stopping";
	case PLM_REASON_INSTANCE_TERMINATING:
		return "instance_terminating";
	case PLM_REASON_SCHEDULED_CHANGE:
		return "scheduled_change";
	case PLM_REASON_RESERVATION_INTERRUPTED:
		return "capacity_reservation_instance_interrupted";
	case PLM_REASON_UNHEALTHY:
		return "unhealthy";
	case PLM_REASON_REGISTRATION_TIMEOUT:
		return "registration_timeout";
	case PLM_REASON_INSUFFICIENT_CAPACITY:
		return "insufficient_capacity";
	case PLM_REASON_NODE_CLASS_NOT_READY:
		return "nodeclass_not_ready";
	case PLM_REASON_INSTANCE_GONE:
		return "garbage_collected";
	default:
		return plm_names_text(&plm_names_reason, (uint32_t)reason);
	}
}

static const char *mode_of(const struct plm_node_claim *claim)
{
	return claim->grace_ms == PLM_UNSET ? "graceful"
	       : claim->grace_ms <= 0	    ? "forceful"
					    : "eventual";
}

static struct plm_slice policy_of(const struct adding *a, const struct plm_node_claim *claim)
{
	plm_id pool = plm_find(a->st, PLM_KIND_NODE_POOL, (plm_sym){0}, claim->pool);

	return pool.n == 0 ? (struct plm_slice){0}
			   : plm_slice_str(
				     plm_names_text(&plm_names_consolidation,
						    plm_node_pool_at(a->st, pool)->consolidation));
}

static bool is_voluntary(int64_t reason)
{
	return reason == PLM_REASON_EMPTY || reason == PLM_REASON_UNDERUTILIZED ||
	       reason == PLM_REASON_DRIFTED;
}

static void on_claim_end(const struct adding *a, const struct plm_w_claim_end *end)
{
	const struct plm_node_claim *claim = claim_of(a, end->name);
	struct plm_slice reason = plm_slice_str(disruption_label(end->reason));
	const char *type = end->reason == PLM_REASON_EMPTY ? "empty" : "";

	if (claim == NULL) {
		return;
	}
	if (claim->launched_ms != PLM_UNSET) {
		put(a, (struct plm_metric){.id = PLM_METRIC_CLAIMS_DISRUPTED,
					   .labels = {reason, plm_str(a->st, claim->pool),
						      plm_str(a->st, claim->capacity_type),
						      policy_of(a, claim),
						      plm_slice_str(mode_of(claim))},
					   .value = 1});
	}
	if (is_voluntary(end->reason)) {
		put(a, (struct plm_metric){
			       .id = PLM_METRIC_DISRUPTIONS,
			       .labels = {plm_slice_str("delete"), reason, plm_slice_str(type)},
			       .value = 1});
	}
}

/* A removal that was to be looked at again does not qualify any more. */
static void on_disrupt(const struct adding *a, const struct plm_w_disrupt *disrupt)
{
	const struct plm_node_claim *claim = claim_of(a, disrupt->name);

	if (claim != NULL && disrupt->validate_ms == PLM_UNSET && claim->validate_ms != 0) {
		put(a, (struct plm_metric){.id = PLM_METRIC_FAILED_VALIDATIONS,
					   .labels = {plm_slice_str("empty")},
					   .value = 1});
	}
}

static void on_drain(const struct adding *a, const struct plm_w_drain *drain)
{
	const struct plm_node_claim *claim = claim_of(a, drain->name);

	if (claim != NULL && drain->stage > PLM_DRAIN_DRAINING &&
	    claim->drain_stage <= PLM_DRAIN_DRAINING) {
		put(a, (struct plm_metric){.id = PLM_METRIC_NODES_DRAINED,
					   .labels = {plm_str(a->st, claim->pool)},
					   .value = 1});
	}
}

/* The claim that the event is about, if it may be over with it. */
static plm_id claim_at(const struct adding *a)
{
	plm_id id = {0};

	if (a->ev->type == PLM_EV_GONE) {
		const struct plm_w_gone *gone = a->ev->payload;

		if (gone->kind == PLM_KIND_NODE_CLAIM) {
			return find(a, PLM_KIND_NODE_CLAIM, gone->ns, gone->name);
		}
		id = gone->kind == PLM_KIND_NODE ? find(a, PLM_KIND_NODE, gone->ns, gone->name)
						 : id;
		return id.n == 0 ? id : plm_node_at(a->st, id)->claim;
	}
	if (a->ev->type == PLM_EV_INSTANCE) {
		const struct plm_w_instance *instance = a->ev->payload;
		plm_sym provider = plm_sym_find(a->st, instance->provider_id);

		return provider.n == 0
			       ? id
			       : plm_index_find(a->st, PLM_KEY_CLAIM_PROVIDER, provider.n, 0);
	}
	if (a->ev->type == PLM_EV_CLAIM_END) {
		const struct plm_w_claim_end *end = a->ev->payload;

		return find(a, PLM_KIND_NODE_CLAIM, (struct plm_slice){0}, end->name);
	}
	if (a->ev->type == PLM_EV_RESULT) {
		const struct plm_w_result *result = a->ev->payload;

		id = plm_index_find(a->st, PLM_KEY_INTENT, (uint32_t)result->intent,
				    (uint32_t)((uint64_t)result->intent >> 32));
		return id.n == 0 || plm_intent_at(a->st, id)->kind != PLM_KIND_NODE_CLAIM
			       ? (plm_id){0}
			       : plm_find(a->st, PLM_KIND_NODE_CLAIM, (plm_sym){0},
					  plm_intent_at(a->st, id)->name);
	}
	return id;
}

static void begin_claim(const struct adding *a, struct plm_metric_run *run)
{
	plm_id id = claim_at(a);
	const struct plm_node_claim *claim = plm_node_claim_at(a->st, id);

	run->claim = (struct plm_metric_claim){.id = id};
	if (id.n != 0) {
		run->claim = (struct plm_metric_claim){id,
						       claim->object.name,
						       claim->pool,
						       claim->capacity_type,
						       claim->zone,
						       claim->ended_ms,
						       claim->terminating_ms,
						       now_of(a)};
	}
}

/* With the state behind the event: is it over? */
static void end_claim(const struct adding *a, struct plm_metric_run *run)
{
	const struct plm_metric_claim *claim = &run->claim;
	struct plm_slice pool = plm_str(a->st, claim->pool);

	if (claim->id.n == 0 ||
	    plm_find(a->st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, claim->name).n == claim->id.n) {
		return;
	}
	put(a, (struct plm_metric){.id = PLM_METRIC_CLAIMS_TERMINATED,
				   .labels = {pool, plm_str(a->st, claim->capacity_type),
					      plm_str(a->st, claim->zone)},
				   .value = 1});
	if (claim->ended_ms > 0) {
		put_time(a, PLM_METRIC_CLAIM_TERMINATION, pool,
			 plm_max(0, claim->at_ms - claim->ended_ms));
	}
	if (claim->terminating_ms > 0) {
		put_time(a, PLM_METRIC_INSTANCE_TERMINATION, pool,
			 plm_max(0, claim->at_ms - claim->terminating_ms));
	}
	run->claim = (struct plm_metric_claim){0};
}

void plm_metric_node_end(const struct plm_state *st, struct plm_metric_run *run,
			 plm_metric_sink *sink, void *self)
{
	struct adding a = {st, NULL, sink, self};

	end_claim(&a, run);
}

static void on_gone(const struct adding *a, const struct plm_w_gone *gone)
{
	plm_id id = gone->kind == PLM_KIND_NODE ? find(a, PLM_KIND_NODE, gone->ns, gone->name)
						: (plm_id){0};

	if (id.n != 0) {
		on_node_gone(a, id);
	}
}

/* ---- pods -------------------------------------------------------------------------------------- */

static void on_pod(const struct adding *a, const struct plm_w_pod *pod)
{
	plm_id id = find(a, PLM_KIND_POD, pod->meta.ns, pod->meta.name);
	const struct plm_pod *before = id.n == 0 ? NULL : plm_pod_at(a->st, id);

	if (before == NULL || before->phase != PLM_PHASE_PENDING) {
		return;
	}
	if (before->node.n == 0 && pod->node.size > 0) {
		put_time(a, PLM_METRIC_POD_BOUND, (struct plm_slice){0},
			 since(a, before->object.created_ms));
	}
	if (before->ready == 0 && pod->ready == 1) {
		put_time(a, PLM_METRIC_POD_STARTUP, (struct plm_slice){0},
			 since(a, before->object.created_ms));
	}
}

/* ---- effects ----------------------------------------------------------------------------------- */

/* What the call is called in the interface of Karpenter's providers. */
static const char *method_of(uint32_t call)
{
	return call == PLM_CALL_LAUNCH ? "Create" : call == PLM_CALL_TERMINATE ? "Delete" : NULL;
}

static bool is_error(int64_t class)
{
	return class != PLM_RESULT_DONE && class != PLM_RESULT_ALREADY_DONE;
}

static void on_cloud(const struct adding *a, const struct plm_w_result *result, const char *method,
		     int64_t took_ms)
{
	struct plm_slice controller =
		plm_slice_str(*method == 'C' ? "nodeclaim.lifecycle" : "nodeclaim.termination");
	struct plm_slice provider = plm_slice_str("aws");

	if (took_ms >= 0) {
		put(a, (struct plm_metric){.id = PLM_METRIC_CLOUD_DURATION,
					   .labels = {controller, plm_slice_str(method), provider},
					   .value = took_ms,
					   .decimals = 3});
	}
	if (is_error(result->class)) {
		put(a, (struct plm_metric){.id = PLM_METRIC_CLOUD_ERRORS,
					   .labels = {controller, plm_slice_str(method), provider,
						      result->code},
					   .value = 1});
	}
}

static void on_eviction(const struct adding *a, const struct plm_w_result *result)
{
	struct plm_slice code = result->code;

	if (code.size == 0) {
		code = plm_slice_str(is_error(result->class) ? "500" : "200");
	}
	put(a, (struct plm_metric){.id = PLM_METRIC_EVICTIONS, .labels = {code}, .value = 1});
}

static void on_result(const struct adding *a, const struct plm_w_result *result,
		      const struct plm_metric_run *run)
{
	plm_id id = plm_index_find(a->st, PLM_KEY_INTENT, (uint32_t)result->intent,
				   (uint32_t)((uint64_t)result->intent >> 32));
	uint64_t seq = (uint64_t)result->intent;
	uint32_t call = id.n == 0 ? PLM_CALL_NONE : plm_intent_at(a->st, id)->call;
	struct plm_slice name = plm_slice_str(plm_names_text(&plm_names_call, call));
	int64_t took_ms = run->sent[seq % PLM_METRIC_SENT].seq == seq
				  ? since(a, run->sent[seq % PLM_METRIC_SENT].ms)
				  : -1;

	if (call == PLM_CALL_NONE) {
		return;
	}
	put(a,
	    (struct plm_metric){.id = PLM_METRIC_OWN_EFFECTS,
				.labels = {name, plm_slice_str(plm_names_text(
							 &plm_names_result_class, result->class))},
				.value = 1});
	if (took_ms >= 0) {
		put_time(a, PLM_METRIC_OWN_EFFECT_TIME, name, took_ms);
	}
	if (result->class == PLM_RESULT_RETRYABLE || result->class == PLM_RESULT_UNKNOWN) {
		put(a, (struct plm_metric){
			       .id = PLM_METRIC_OWN_RETRIES, .labels = {name}, .value = 1});
	}
	if (method_of(call) != NULL) {
		on_cloud(a, result, method_of(call), took_ms);
	} else if (call == PLM_CALL_POD_EVICT) {
		on_eviction(a, result);
	}
}

/* ---- any event --------------------------------------------------------------------------------- */

/* Which area a decision is of, and what it carries as its reason. */
static const char *decision_kind(uint16_t type)
{
	return type >= PLM_EV_PLACES && type <= PLM_EV_CLAIM_END ? "nodes"
	       : type >= PLM_EV_DRAIN && type <= PLM_EV_ORPHAN	 ? "nodes"
								 : "queues";
}

static int64_t reason_of(const struct plm_event *ev)
{
	switch (ev->type) {
	case PLM_EV_PEND: {
		const struct plm_w_pend *pend = ev->payload;

		return pend->why.reason;
	}
	case PLM_EV_EVICT: {
		const struct plm_w_evict *evict = ev->payload;

		return evict->reason;
	}
	case PLM_EV_CLAIM_END: {
		const struct plm_w_claim_end *end = ev->payload;

		return end->reason;
	}
	case PLM_EV_EXPLAINED: {
		const struct plm_w_explained *explained = ev->payload;

		return explained->why.reason;
	}
	default:
		return PLM_REASON_NONE;
	}
}

static void on_any(const struct adding *a, enum plm_source source, struct plm_metric_run *run)
{
	const struct plm_event_info *info = plm_event_info(a->ev->type);

	put(a,
	    (struct plm_metric){.id = PLM_METRIC_OWN_EVENTS,
				.labels = {plm_slice_str(plm_names_text(&plm_names_source, source)),
					   plm_slice_str(info->name)},
				.value = 1});
	if (info->class == PLM_CLASS_DECISION) {
		put(a,
		    (struct plm_metric){.id = PLM_METRIC_OWN_DECISIONS,
					.labels = {plm_slice_str(decision_kind(a->ev->type)),
						   plm_slice_str(info->name),
						   plm_slice_str(plm_names_text(&plm_names_reason,
										reason_of(a->ev)))},
					.value = 1});
	} else if (info->class == PLM_CLASS_INTENT) {
		run->sent[a->ev->seq % PLM_METRIC_SENT].seq = a->ev->seq;
		run->sent[a->ev->seq % PLM_METRIC_SENT].ms = now_of(a);
	} else if (info->class == PLM_CLASS_FACT && run->first_fact_ms == 0) {
		run->first_fact_ms = now_of(a);
	} else if (a->ev->type == PLM_EV_CYCLE && run->first_fact_ms != 0) {
		put_time(a, PLM_METRIC_OWN_LATENCY, (struct plm_slice){0},
			 since(a, run->first_fact_ms));
		run->first_fact_ms = 0;
	}
}

static void on_interruption(const struct adding *a, const struct plm_w_interruption *message)
{
	put(a, (struct plm_metric){.id = PLM_METRIC_INTERRUPTIONS,
				   .labels = {plm_slice_str(
					   plm_names_text(&plm_names_interrupt, message->kind))},
				   .value = 1});
}

void plm_metric_node_event(const struct plm_state *st, const struct plm_event *ev,
			   enum plm_source source, struct plm_metric_run *run,
			   plm_metric_sink *sink, void *self)
{
	struct adding a = {st, ev, sink, self};

	end_claim(&a, run);
	begin_claim(&a, run);
	on_any(&a, source, run);
	switch (ev->type) {
	case PLM_EV_NODE:
		on_node(&a, ev->payload);
		break;
	case PLM_EV_POD:
		on_pod(&a, ev->payload);
		break;
	case PLM_EV_GONE:
		on_gone(&a, ev->payload);
		break;
	case PLM_EV_CLAIM:
		on_claim(&a, ev->payload);
		break;
	case PLM_EV_CLAIM_END:
		on_claim_end(&a, ev->payload);
		break;
	case PLM_EV_DISRUPT:
		on_disrupt(&a, ev->payload);
		break;
	case PLM_EV_DRAIN:
		on_drain(&a, ev->payload);
		break;
	case PLM_EV_RESULT:
		on_result(&a, ev->payload, run);
		break;
	case PLM_EV_INTERRUPTION:
		on_interruption(&a, ev->payload);
		break;
	default:
		break;
	}
}
