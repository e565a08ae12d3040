#include "reducers/disruption/evict.h"

#include "core/sort.h"
#include "reducers/disruption/drain.h"
#include "reducers/disruption/leave.h"
#include "reducers/provision/pass.h"

/* ---- gathering ---------------------------------------------------------------------------------- */

static int compare_objects(const struct plm_state *st, const struct plm_object *a,
			   const struct plm_object *b)
{
	int order = plm_sym_compare(st, a->ns, b->ns);

	order = order != 0 ? order : plm_sym_compare(st, a->name, b->name);
	return order != 0 ? order : plm_sym_compare(st, a->uid, b->uid);
}

static int ended_first(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_state *st = context;
	const struct plm_node_claim *left = plm_node_claim_at(st, (plm_id){a});
	const struct plm_node_claim *right = plm_node_claim_at(st, (plm_id){b});

	if (left->ended_ms != right->ended_ms) {
		return left->ended_ms < right->ended_ms ? -1 : 1;
	}
	return compare_objects(st, &left->object, &right->object);
}

static int pod_by_name(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_state *st = context;

	return compare_objects(st, &plm_pod_at(st, (plm_id){a})->object,
			       &plm_pod_at(st, (plm_id){b})->object);
}

static void gather_claims(struct plm_leaving *l)
{
	const struct plm_state *st = l->sched->st;
	uint32_t *order = PLM_NEW_ARRAY(l->sched->arena, plm_node_claim_live(st), uint32_t);

	PLM_EACH(st, node_claim, id)
	{
		if (plm_node_claim_at(st, id)->phase == PLM_CLAIM_ENDING) {
			order[l->count++] = id.n;
		}
	}
	plm_sort(order, l->count, ended_first, st, l->sched->arena);
	l->nodes = PLM_NEW_ARRAY(l->sched->arena, l->count, struct plm_leaving_node);
	for (uint32_t i = 0; i < l->count; i++) {
		l->nodes[i].claim = (plm_id){order[i]};
	}
}

/* The node on its way out that the pod is on and waited for, NULL = none. */
static struct plm_leaving_node *node_of(const struct plm_leaving *l, const uint32_t *of_claim,
					const struct plm_pod *pod)
{
	const struct plm_state *st = l->sched->st;
	plm_id node = pod->node.n == 0 ? (plm_id){0}
				       : plm_find(st, PLM_KIND_NODE, (plm_sym){0}, pod->node);
	uint32_t at = node.n == 0 ? 0 : of_claim[plm_node_at(st, node)->claim.n];

	return at == 0 || !plm_pod_waits(l->sched, pod, l->now_ms) ? NULL : &l->nodes[at - 1];
}

/* Two walks: how many pods each node has, then which. */
static void gather_pods(struct plm_leaving *l)
{
	const struct plm_state *st = l->sched->st;
	uint32_t *of_claim = PLM_NEW_ARRAY(l->sched->arena, plm_node_claim_bound(st), uint32_t);
	uint32_t *ids = PLM_NEW_ARRAY(l->sched->arena, plm_pod_live(st), uint32_t);
	uint32_t count = 0;

	for (uint32_t i = 0; i < l->count; i++) {
		of_claim[l->nodes[i].claim.n] = i + 1;
	}
	PLM_EACH(st, pod, id)
	{
		struct plm_leaving_node *on = node_of(l, of_claim, plm_pod_at(st, id));

		if (on != NULL) {
			on->count++;
			ids[count++] = id.n;
		}
	}
	plm_sort(ids, count, pod_by_name, st, l->sched->arena);
	for (uint32_t i = 0; i < l->count; i++) {
		l->nodes[i].pods = PLM_NEW_ARRAY(l->sched->arena, l->nodes[i].count, plm_id);
		l->nodes[i].count = 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct plm_leaving_node *on =
			node_of(l, of_claim, plm_pod_at(st, (plm_id){ids[i]}));

		PLM_ASSERT(on != NULL);
		on->pods[on->count++] = (plm_id){ids[i]};
	}
}

/* Evictions that were asked for and that no budget has counted yet. */
static void count_budgets(struct plm_leaving *l)
{
	const struct plm_state *st = l->sched->st;

	l->left = PLM_NEW_ARRAY(l->sched->arena, l->pdbs.count, int64_t);
	for (uint32_t i = 0; i < l->pdbs.count; i++) {
		/* A status of an older spec: the API server lets nobody go until it is written anew. */
		l->left[i] = plm_pdb_at(st, l->pdbs.list[i].id)->stale != 0
				     ? 0
				     : l->pdbs.list[i].allowed;
	}
	if (l->pdbs.count == 0) {
		return;
	}
	PLM_EACH(st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(st, id);

		if (pod->ending != 0 && plm_pod_active(pod)) {
			(void)plm_pdbs_evict(&l->pdbs, pod, l->left);
		}
	}
}

struct plm_leaving *plm_leaving_gather(const struct plm_sched *sched, struct plm_out *out,
				       int64_t now_ms)
{
	struct plm_leaving *l = PLM_NEW(sched->arena, struct plm_leaving);

	l->sched = sched;
	l->out = out;
	l->now_ms = now_ms;
	gather_claims(l);
	if (l->count > 0) {
		gather_pods(l);
		plm_pdbs_gather(&l->pdbs, sched, now_ms);
		count_budgets(l);
	}
	return l;
}

/* ---- asking ------------------------------------------------------------------------------------- */

static void ask(const struct plm_leaving *l, const struct plm_pod *pod, enum plm_call call,
		int64_t grace_ms)
{
	struct plm_arena *arena = l->sched->arena;
	struct plm_w_req_pod *request = PLM_NEW(arena, struct plm_w_req_pod);
	struct plm_w_intent *intent = PLM_NEW(arena, struct plm_w_intent);

	*request = (struct plm_w_req_pod){.ns = plm_sched_text(l->sched, pod->object.ns),
					  .name = plm_sched_text(l->sched, pod->object.name),
					  .uid = plm_sched_text(l->sched, pod->object.uid),
					  .grace_ms = grace_ms};
	*intent = (struct plm_w_intent){.call = call,
					.kind = PLM_KIND_POD,
					.ns = request->ns,
					.name = request->name,
					.uid = request->uid,
					.encoder = PLM_ENCODER_VERSION,
					.deadline_ms = PLM_UNSET};
	(void)plm_out_intent(l->out, intent, request, PLM_CAUSE_CYCLE);
}

static bool may_ask(const struct plm_leaving *l, const struct plm_pod *pod)
{
	return pod->evict_ms == 0 || pod->evict_ms <= l->now_ms;
}

static struct plm_slice name_of(const struct plm_leaving *l, const struct plm_object *object)
{
	struct plm_slice ns = plm_sched_text(l->sched, object->ns);
	struct plm_slice name = plm_sched_text(l->sched, object->name);
	uint8_t *bytes = PLM_NEW_ARRAY(l->sched->arena, ns.size + 1 + name.size, uint8_t);

	memcpy(bytes, ns.ptr, ns.size);
	bytes[ns.size] = '/';
	memcpy(bytes + ns.size + 1, name.ptr, name.size);
	return plm_slice_of(bytes, ns.size + 1 + name.size);
}

/* How much a wait says: a pod that may not go, more than a budget, more than pods that are going. */
static int weight(enum plm_rule rule)
{
	switch ((int)rule) {
	case PLM_RULE_GRACE_ENDING:
		return 5;
	case PLM_RULE_DO_NOT_DISRUPT:
		return 4;
	case PLM_RULE_PDBS:
		return 3;
	case PLM_RULE_PDB:
		return 2;
	case PLM_RULE_EVICTION_REFUSED:
		return 1;
	default:
		return 0;
	}
}

static void note(struct plm_drain_wait *wait, enum plm_rule rule, struct plm_slice object,
		 struct plm_slice detail)
{
	if (wait->rule == PLM_RULE_NONE || weight(rule) > weight(wait->rule)) {
		wait->rule = rule;
		wait->reason = weight(rule) == 0 || rule == PLM_RULE_GRACE_ENDING
				       ? PLM_REASON_DRAINING
				       : PLM_REASON_FAILED_DRAINING;
		wait->object = object;
		wait->detail = detail;
	}
}

/*
 * What would still run at the deadline is deleted in time to have its own grace period, whatever protects
 * it; no less than a second, so that it goes by way of the kubelet.
 */
static bool delete_in_time(const struct plm_leaving *l, const struct plm_node_claim *claim,
			   const struct plm_pod *pod, struct plm_drain_wait *wait)
{
	int64_t delete_ms = plm_drain_delete_ms(claim, pod);
	int64_t left_s = 0;

	if (delete_ms == PLM_UNSET || l->now_ms < delete_ms || pod->forced != 0 ||
	    (pod->object.deleting_ms != PLM_UNSET &&
	     pod->object.deleting_ms <= claim->deadline_ms)) {
		return false;
	}
	if (may_ask(l, pod)) {
		left_s =
			plm_max(1, plm_div_floor(plm_sub_sat(claim->deadline_ms, l->now_ms), 1000));
		ask(l, pod, PLM_CALL_POD_DELETE, plm_mul_sat(left_s, 1000));
		wait->unanswered++;
	}
	note(wait, PLM_RULE_GRACE_ENDING, (struct plm_slice){0}, (struct plm_slice){0});
	return true;
}

/* A pod whose turn it is: evict it, or note what keeps it. */
static void take_turn(struct plm_leaving *l, const struct plm_pod *pod, struct plm_drain_wait *wait)
{
	const struct plm_state *st = l->sched->st;
	struct plm_pdb_answer answer = {PLM_PDB_FREE, {0}};
	struct plm_slice none = {0};

	if (!plm_pod_active(pod) || pod->ending != 0) {
		wait->unanswered += plm_pod_active(pod) ? 1 : 0;
		note(wait, PLM_RULE_PODS_LEAVING, none, none);
		return;
	}
	if (plm_pod_protected(pod, l->now_ms)) {
		note(wait, PLM_RULE_DO_NOT_DISRUPT, name_of(l, &pod->object), none);
		return;
	}
	if (!may_ask(l, pod)) {
		note(wait, PLM_RULE_EVICTION_REFUSED, name_of(l, &pod->object), none);
		return;
	}
	answer = plm_pdbs_evict(&l->pdbs, pod, l->left);
	if (answer.word == PLM_PDB_FREE) {
		ask(l, pod, PLM_CALL_POD_EVICT, PLM_UNSET);
		wait->unanswered++;
		note(wait, PLM_RULE_PODS_LEAVING, none, none);
		return;
	}
	note(wait, answer.word == PLM_PDB_SEVERAL ? PLM_RULE_PDBS : PLM_RULE_PDB,
	     name_of(l, &plm_pdb_at(st, answer.pdb)->object), name_of(l, &pod->object));
}

enum plm_drain_group plm_drain_group(const struct plm_sched *sched, const struct plm_pod *pod)
{
	uint32_t count = 0;
	const struct plm_shape *shape = PLM_SPAN(sched->st, pod->shape, struct plm_shape, &count);
	bool critical = count == 1 &&
			(plm_sym_is(sched->st, shape->priority_class, "system-cluster-critical") ||
			 plm_sym_is(sched->st, shape->priority_class, "system-node-critical"));
	bool daemon = plm_pod_of_daemon(sched, pod);

	if (critical) {
		return daemon ? PLM_GROUP_CRITICAL_DAEMON : PLM_GROUP_CRITICAL;
	}
	return daemon ? PLM_GROUP_DAEMON : PLM_GROUP_PLAIN;
}

struct plm_drain_wait plm_evict_pods(struct plm_leaving *l, const struct plm_node_claim *claim,
				     const struct plm_leaving_node *on)
{
	const struct plm_state *st = l->sched->st;
	struct plm_drain_wait wait = {.rule = PLM_RULE_NONE, .pods = on->count};
	uint32_t turn = PLM_GROUPS;

	for (uint32_t i = 0; i < on->count; i++) {
		uint32_t group = plm_drain_group(l->sched, plm_pod_at(st, on->pods[i]));

		turn = group < turn ? group : turn;
	}
	for (uint32_t i = 0; i < on->count; i++) {
		const struct plm_pod *pod = plm_pod_at(st, on->pods[i]);

		if (!delete_in_time(l, claim, pod, &wait) &&
		    plm_drain_group(l->sched, pod) == turn) {
			take_turn(l, pod, &wait);
		}
	}
	PLM_ASSERT((wait.rule == PLM_RULE_NONE) == (on->count == 0));
	return wait;
}
