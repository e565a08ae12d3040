#include "gate.h"

#include "codec/codec.h"
#include "jsonlog.h"

enum plm_code plm_gate_init(struct plm_gate *gate, const struct plm_config *config,
			    struct plm_error *err)
{
	bool some = plm_config_has(config, PLM_CONFIG_KEY_ENFORCE);
	bool mode = plm_config_has(config, PLM_CONFIG_KEY_MODE);
	bool cloudless = !plm_config_has(config, PLM_CONFIG_KEY_CLOUD) ||
			 plm_config_is(config, PLM_CONFIG_KEY_CLOUD, "none");
	bool all = mode ? plm_config_is(config, PLM_CONFIG_KEY_MODE, "enforce")
			: !some && plm_config_is(config, PLM_CONFIG_KEY_CLOUD, "sim");

	if (some && mode && !all) {
		return plm_config_fail(config, PLM_CONFIG_KEY_ENFORCE, err,
				       "contradicts mode observe");
	}
	if (some && cloudless && plm_config_lists(config, PLM_CONFIG_KEY_ENFORCE, "nodes")) {
		return plm_config_fail(config, PLM_CONFIG_KEY_ENFORCE, err,
				       "nodes: there is no cloud to buy them from (cloud none)");
	}
	*gate = (struct plm_gate){0};
	gate->queues = some ? plm_config_lists(config, PLM_CONFIG_KEY_ENFORCE, "queues") : all;
	gate->nodes = some ? plm_config_lists(config, PLM_CONFIG_KEY_ENFORCE, "nodes")
			   : all && !cloudless;
	return PLM_OK;
}

static bool enforced(const struct plm_gate *gate, enum plm_call call)
{
	switch (call) {
	case PLM_CALL_NONE:
		break;
	case PLM_CALL_JOB_START:
	case PLM_CALL_JOB_STOP:
	case PLM_CALL_POD_CREATE:
	case PLM_CALL_POD_UNGATE:
	case PLM_CALL_POD_FINALIZE:
	case PLM_CALL_JOB_DELETE:
	case PLM_CALL_WORKLOAD_DELETE:
	case PLM_CALL_WORKLOAD_DEACTIVATE:
	case PLM_CALL_WORKLOAD_CREATE:
	case PLM_CALL_WORKLOAD_STATUS:
	case PLM_CALL_QUEUE_STATUS:
		return gate->queues;
	case PLM_CALL_POD_EVICT:
	case PLM_CALL_POD_DELETE:
		return gate->queues || gate->nodes;
	case PLM_CALL_LAUNCH:
	case PLM_CALL_TERMINATE:
	case PLM_CALL_INSTANCE_TAG:
	case PLM_CALL_NODE_TAINT:
	case PLM_CALL_NODE_DELETE:
	case PLM_CALL_NODE_FINALIZE:
	case PLM_CALL_NODE_SYNC:
	case PLM_CALL_ANNOTATE:
	case PLM_CALL_CLAIM_DELETE:
	case PLM_CALL_CLAIM_FINALIZE:
	case PLM_CALL_CLAIM_CREATE:
	case PLM_CALL_CLAIM_STATUS:
	case PLM_CALL_POOL_STATUS:
	case PLM_CALL_CLASS_STATUS:
		return gate->nodes;
	}
	PLM_UNREACHABLE();
}

/* Namespace and name of what a request is about, and the word Karpenter's logs have for it. */
struct about {
	const char *key;
	struct plm_slice ns, name;
};

/* The same of what is written of decisions. */
static struct about about_status(const struct plm_effect *effect)
{
	const struct plm_w_req_workload_create *make_workload = effect->request;
	const struct plm_w_req_workload_status *workload = effect->request;
	const struct plm_w_req_claim_create *make_claim = effect->request;
	const struct plm_w_req_claim_status *claim_status = effect->request;
	const struct plm_w_req_queue_status *queue = effect->request;
	const struct plm_w_req_pool_status *pool = effect->request;
	const struct plm_w_req_class_status *class = effect->request;

	switch ((uint32_t)effect->call) {
	case PLM_CALL_WORKLOAD_CREATE:
		return (struct about){"name", make_workload->ns, make_workload->name};
	case PLM_CALL_WORKLOAD_STATUS:
		return (struct about){"name", workload->ns, workload->name};
	case PLM_CALL_CLAIM_CREATE:
		return (struct about){"NodeClaim", {0}, make_claim->name};
	case PLM_CALL_CLAIM_STATUS:
		return (struct about){"NodeClaim", {0}, claim_status->name};
	case PLM_CALL_QUEUE_STATUS:
		return (struct about){"name", queue->ns, queue->name};
	case PLM_CALL_POOL_STATUS:
		return (struct about){"NodePool", {0}, pool->name};
	case PLM_CALL_CLASS_STATUS:
		return (struct about){"EC2NodeClass", {0}, class->name};
	default:
		PLM_UNREACHABLE();
	}
}

static struct about about(const struct plm_effect *effect)
{
	const struct plm_w_req_job_start *start = effect->request;
	const struct plm_w_req_job_stop *stop = effect->request;
	const struct plm_w_req_pod_create *create = effect->request;
	const struct plm_w_req_pod *pod = effect->request;
	const struct plm_w_req_pod_ungate *ungate = effect->request;
	const struct plm_w_req_launch *launch = effect->request;
	const struct plm_w_req_terminate *terminate = effect->request;
	const struct plm_w_req_instance_tag *tag = effect->request;
	const struct plm_w_req_node_taint *taint = effect->request;
	const struct plm_w_req_node_delete *remove = effect->request;
	const struct plm_w_req_work *work = effect->request;
	const struct plm_w_req_node_sync *sync = effect->request;
	const struct plm_w_req_annotate *annotate = effect->request;
	const struct plm_w_req_claim *claim = effect->request;

	switch (effect->call) {
	case PLM_CALL_NONE:
		break;
	case PLM_CALL_JOB_START:
		return (struct about){"name", start->ns, start->name};
	case PLM_CALL_JOB_STOP:
		return (struct about){"name", stop->ns, stop->name};
	case PLM_CALL_POD_CREATE:
		return (struct about){"Pod", create->ns, create->name};
	case PLM_CALL_POD_EVICT:
	case PLM_CALL_POD_DELETE:
	case PLM_CALL_POD_FINALIZE:
		return (struct about){"Pod", pod->ns, pod->name};
	case PLM_CALL_POD_UNGATE:
		return (struct about){"Pod", ungate->ns, ungate->name};
	case PLM_CALL_LAUNCH:
		return (struct about){"NodeClaim", {0}, launch->claim};
	case PLM_CALL_INSTANCE_TAG:
		return (struct about){"NodeClaim", {0}, tag->claim};
	case PLM_CALL_TERMINATE:
		return (struct about){"NodeClaim", {0}, terminate->claim};
	case PLM_CALL_NODE_TAINT:
		return (struct about){"Node", {0}, taint->node};
	case PLM_CALL_NODE_DELETE:
	case PLM_CALL_NODE_FINALIZE:
		return (struct about){"Node", {0}, remove->node};
	case PLM_CALL_JOB_DELETE:
	case PLM_CALL_WORKLOAD_DELETE:
	case PLM_CALL_WORKLOAD_DEACTIVATE:
		return (struct about){"name", work->ns, work->name};
	case PLM_CALL_NODE_SYNC:
		return (struct about){"Node", {0}, sync->node};
	case PLM_CALL_ANNOTATE:
		return (struct about){"name", {0}, annotate->name};
	case PLM_CALL_CLAIM_DELETE:
	case PLM_CALL_CLAIM_FINALIZE:
		return (struct about){"NodeClaim", {0}, claim->name};
	case PLM_CALL_WORKLOAD_CREATE:
	case PLM_CALL_WORKLOAD_STATUS:
	case PLM_CALL_CLAIM_CREATE:
	case PLM_CALL_CLAIM_STATUS:
	case PLM_CALL_QUEUE_STATUS:
	case PLM_CALL_POOL_STATUS:
	case PLM_CALL_CLASS_STATUS:
		return about_status(effect);
	}
	PLM_UNREACHABLE();
}

static void tell_effect(const struct plm_effect *effect, const char *message)
{
	struct about what = about(effect);
	const struct plm_log_field fields[] = {
		PLM_LOG_STR("call", plm_names_text(&plm_names_call, effect->call)),
		PLM_LOG_TEXT(what.key, what.name),
		PLM_LOG_INT("intent", effect->intent),
		PLM_LOG_INT("resent", effect->resent),
		{.key = what.ns.size > 0 ? "namespace" : NULL, .text = what.ns},
		PLM_LOG_END,
	};

	plm_jsonlog(PLM_LOG_INFO, "effects", message, fields);
}

static void submit(void *self, const struct plm_effect *effect)
{
	struct plm_gate *gate = self;

	if (!enforced(gate, effect->call)) {
		gate->kept++;
		tell_effect(effect, "decided, not carried out in this mode");
		return;
	}
	gate->sent++;
	gate->in_flight++;
	tell_effect(effect, "carrying out");
	gate->beyond.submit(gate->beyond.self, effect);
}

static void durable(void *self, uint64_t seq)
{
	struct plm_gate *gate = self;

	if (gate->beyond.durable != NULL) {
		gate->beyond.durable(gate->beyond.self, seq);
	}
}

struct plm_effects plm_gate_effects(struct plm_gate *gate)
{
	return (struct plm_effects){.self = gate, .submit = submit, .durable = durable};
}

static void tell_result(const struct plm_w_result *result)
{
	bool well = result->class == PLM_RESULT_DONE || result->class == PLM_RESULT_ALREADY_DONE;
	const struct plm_log_field fields[] = {
		PLM_LOG_INT("intent", result->intent),
		PLM_LOG_STR("result", plm_names_text(&plm_names_result_class, result->class)),
		PLM_LOG_TEXT("code", result->code),
		PLM_LOG_TEXT("error", result->message),
		PLM_LOG_TEXT("provider-id", result->provider_id),
		PLM_LOG_TEXT("instance-type", result->instance_type),
		PLM_LOG_TEXT("zone", result->zone),
		PLM_LOG_TEXT("capacity-type", result->capacity_type),
		PLM_LOG_END,
	};

	plm_jsonlog(well ? PLM_LOG_DEBUG : PLM_LOG_WARN, "effects",
		    well ? "carried out" : "not carried out", fields);
}

/* RETRYABLE and UNKNOWN leave the effect on its way. */
static bool is_final(const struct plm_w_result *result)
{
	return result->class != PLM_RESULT_RETRYABLE && result->class != PLM_RESULT_UNKNOWN;
}

static void see_result(struct plm_gate *gate, struct plm_slice payload)
{
	size_t mark = plm_arena_mark(gate->scratch);
	const void *value = NULL;

	if (plm_wire_decode(&plm_type_result, payload, gate->scratch, &value, NULL) == PLM_OK) {
		tell_result(value);
		if (is_final(value) && gate->in_flight > 0) {
			gate->in_flight--;
		}
	}
	plm_arena_rewind(gate->scratch, mark);
}

static enum plm_code put(void *self, const struct plm_observation *observation)
{
	struct plm_gate *gate = self;
	enum plm_code code = gate->inbox.put(gate->inbox.self, observation);

	if (code == PLM_OK && observation->type == PLM_EV_RESULT) {
		see_result(gate, observation->payload);
	}
	return code;
}

static uint64_t accepted(void *self)
{
	const struct plm_gate *gate = self;

	return gate->inbox.accepted(gate->inbox.self);
}

static uint64_t settled(void *self)
{
	const struct plm_gate *gate = self;

	return gate->inbox.settled(gate->inbox.self);
}

/* Whoever asks for counts has an inbox beyond that keeps them. */
struct plm_inbox plm_gate_inbox(struct plm_gate *gate)
{
	return (struct plm_inbox){
		.self = gate, .put = put, .accepted = accepted, .settled = settled};
}
