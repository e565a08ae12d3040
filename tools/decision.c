#include "tools/decision.h"

#include "core/sort.h"
#include "reducers/admission/lift.h"
#include "reducers/status/render.h"
#include "tools/explain_tree.h"
#include "tools/input.h"
#include "tools/queue_order.h"
#include "tools/spell.h"
#include "tools/subject.h"
#include "tools/topology_tree.h"

/* A decision, copied out of the log. */
struct made {
	uint64_t seq, cause;
	uint16_t type;
	const void *payload;
	const struct plm_w_explain *why; /* NULL = none */
};

struct listing {
	struct plm_arena *arena;
	struct plm_round *round;
	const struct plm_state *st;
	struct made *made;
	size_t count, capacity;
	struct plm_json *doc;
	const uint8_t *our_claims; /* by slot: 1 = made in this round and not given up */
};

/* ---- gathering --------------------------------------------------------------------------------- */

static enum plm_code keep(struct listing *list, const struct plm_logged *event,
			  struct plm_error *err)
{
	struct plm_logged copy;
	enum plm_code code = PLM_OK;

	if (list->count == list->capacity) {
		size_t capacity = list->capacity == 0 ? 256 : list->capacity * 2;
		struct made *grown = PLM_NEW_ARRAY(list->arena, capacity, struct made);

		if (list->count > 0) {
			memcpy(grown, list->made, list->count * sizeof(*grown));
		}
		list->made = grown;
		list->capacity = capacity;
	}
	code = plm_event_keep(event, list->arena, &copy, err);
	if (code != PLM_OK) {
		return code;
	}
	list->made[list->count++] = (struct made){
		.seq = copy.envelope.seq,
		.cause = copy.envelope.cause,
		.type = copy.envelope.type,
		.payload = copy.payload,
		.why = plm_event_why(&copy),
	};
	return PLM_OK;
}

static enum plm_code gather(struct listing *list, struct plm_error *err)
{
	struct plm_reader *reader = NULL;
	struct plm_logged event = {0};
	enum plm_code code = plm_reader_open(plm_round_log(list->round),
					     plm_round_facts_end(list->round) + 1, &reader, err);

	while (code == PLM_OK) {
		code = plm_reader_next(reader, &event, err);
		if (code == PLM_OK && event.info->class == PLM_CLASS_DECISION) {
			code = keep(list, &event, err);
		}
	}
	plm_reader_close(reader);
	return code == PLM_E_NOT_FOUND ? PLM_OK : code;
}

/* The record that a slot's plm_why names, NULL when it is not of this round. */
static const struct plm_w_explain *record_of(const struct listing *list, uint64_t seq)
{
	size_t low = 0;
	size_t high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->made[middle].seq < seq) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low < list->count && list->made[low].seq == seq ? list->made[low].why : NULL;
}

/* Why the last plan for a gang failed: what "all flavors were tried" stands for. */
static const struct plm_w_explain *no_capacity(const struct listing *list, plm_id workload)
{
	const struct plm_workload *slot = plm_workload_at(list->st, workload);

	for (size_t i = list->count; i-- > 0;) {
		const struct plm_w_release *release = list->made[i].payload;

		if (list->made[i].type == PLM_EV_RELEASE &&
		    release->reason == PLM_REASON_NO_CAPACITY &&
		    plm_slice_equal(release->name, plm_str(list->st, slot->object.name)) &&
		    plm_slice_equal(release->ns, plm_str(list->st, slot->object.ns))) {
			return &release->why;
		}
	}
	return NULL;
}

static struct plm_slice name_of(const struct listing *list, const struct plm_object *object)
{
	struct plm_subject subject = plm_subject_of(list->st, object);

	return plm_subject_name(list->arena, &subject);
}

static struct plm_slice joined(const struct listing *list, struct plm_slice ns,
			       struct plm_slice name)
{
	struct plm_subject subject = {.ns = ns, .name = name};

	return plm_subject_name(list->arena, &subject);
}

/* ---- order ------------------------------------------------------------------------------------- */

struct sorting {
	struct plm_json *list;
	struct plm_slice key;
};

static struct plm_slice first_text(struct plm_json *row, struct plm_slice key)
{
	struct plm_json *value = plm_json_get(row, key);

	if (value != NULL && value->kind == PLM_JSON_LIST && value->count > 0) {
		value = value->items[0];
	}
	return value != NULL && value->kind == PLM_JSON_TEXT ? value->text : (struct plm_slice){0};
}

static int row_order(const void *context, uint32_t a, uint32_t b)
{
	const struct sorting *sorting = context;
	int by = plm_slice_compare(first_text(sorting->list->items[a], sorting->key),
				   first_text(sorting->list->items[b], sorting->key));

	return by != 0 ? by : (a > b) - (a < b);
}

/* Arrays are sorted by their first key. */
static void put_sorted(struct listing *list, const char *name, struct plm_json *rows,
		       const char *key)
{
	struct sorting sorting = {.list = rows, .key = plm_slice_str(key)};
	uint32_t *order = PLM_NEW_ARRAY(list->arena, rows->count + 1, uint32_t);
	struct plm_json *sorted = plm_json_list(list->arena);

	for (uint32_t i = 0; i < rows->count; i++) {
		plm_json_sort(rows->items[i]); /* not within the sort: its scratch is taken back */
		order[i] = i;
	}
	plm_sort(order, rows->count, row_order, &sorting, list->arena);
	for (uint32_t i = 0; i < rows->count; i++) {
		plm_json_add(sorted, rows->items[order[i]]);
	}
	plm_json_put(list->doc, name, sorted);
}

/* ---- workloads --------------------------------------------------------------------------------- */

static struct plm_json *kv_map(const struct listing *list, plm_sym span)
{
	struct plm_json *map = plm_json_object(list->arena);
	uint32_t count = 0;
	const struct plm_kv *rows = PLM_SPAN(list->st, span, struct plm_kv, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_json_put_key(map, plm_str(list->st, rows[i].key),
				 plm_json_text(list->arena, plm_str(list->st, rows[i].value)));
	}
	return map;
}

static struct plm_json *pod_sets(const struct listing *list, plm_sym span)
{
	struct plm_json *sets = plm_json_list(list->arena);
	uint32_t count = 0;
	const struct plm_assignment *rows = PLM_SPAN(list->st, span, struct plm_assignment, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct plm_json *set = plm_json_object(list->arena);

		plm_json_put_text(set, "name", plm_str(list->st, rows[i].name));
		plm_json_put_int(set, "count", rows[i].count);
		plm_json_put(set, "flavors", kv_map(list, rows[i].flavors));
		plm_topology_tree_put(list->st, list->arena, &rows[i], set);
		plm_json_add(sets, set);
	}
	return sets;
}

static bool holds_quota(const struct plm_workload *workload)
{
	return workload->stage == PLM_STAGE_RESERVED || workload->stage == PLM_STAGE_ADMITTED;
}

/* Workloads that a RESERVE of this round is about, one byte each. */
static const uint8_t *reserved_now(const struct listing *list)
{
	uint8_t *marks = PLM_NEW_ARRAY(list->arena, plm_workload_bound(list->st), uint8_t);

	for (size_t i = 0; i < list->count; i++) {
		const struct plm_w_reserve *reserve = list->made[i].payload;
		plm_id id = {0};

		if (list->made[i].type != PLM_EV_RESERVE) {
			continue;
		}
		id = plm_find(list->st, PLM_KIND_WORKLOAD, plm_sym_find(list->st, reserve->ns),
			      plm_sym_find(list->st, reserve->name));
		marks[id.n] = 1;
	}
	return marks;
}

static void put_admitted(struct listing *list)
{
	struct plm_json *rows = plm_json_list(list->arena);
	const uint8_t *now = reserved_now(list);
	bool all = plm_round_is_settling(list->round);

	PLM_EACH(list->st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(list->st, id);
		struct plm_json *row = NULL;

		if (!holds_quota(workload) || (!all && now[id.n] == 0)) {
			continue;
		}
		row = plm_json_object(list->arena);
		plm_json_put_text(row, "workload", name_of(list, &workload->object));
		plm_json_put_text(row, "clusterQueue", plm_str(list->st, workload->reserved_in));
		plm_json_put_bool(row, "admitted", workload->stage == PLM_STAGE_ADMITTED);
		plm_json_put(row, "podSets", pod_sets(list, workload->assignments));
		plm_json_add(rows, row);
	}
	put_sorted(list, "admitted", rows, "workload");
}

static void put_preempted(struct listing *list)
{
	struct plm_json *rows = plm_json_list(list->arena);

	for (size_t i = 0; i < list->count; i++) {
		const struct plm_w_evict *evict = list->made[i].payload;
		struct plm_json *row = NULL;

		if (list->made[i].type != PLM_EV_EVICT || evict->preemption == PLM_REASON_NONE) {
			continue;
		}
		row = plm_json_object(list->arena);
		plm_json_put_text(row, "workload", joined(list, evict->ns, evict->name));
		plm_json_put_str(row, "reason",
				 plm_names_text(&plm_names_reason, evict->preemption));
		plm_json_put_text(row, "preemptor", joined(list, evict->by_ns, evict->by_name));
		plm_json_add(rows, row);
	}
	put_sorted(list, "preempted", rows, "workload");
}

/* Reason, message and what else the record says; 'record' NULL = nothing was said in this round. */
static void put_why(const struct listing *list, struct plm_json *row, plm_id workload,
		    const struct plm_w_explain *record, int64_t reason)
{
	struct plm_json *part = NULL;
	struct plm_lifts lifts = {0};

	plm_json_put_str(row, "reason", plm_names_text(&plm_names_reason, reason));
	if (record == NULL) {
		plm_json_put_str(row, "message", "");
		return;
	}
	plm_json_put_text(row, "message", plm_render_message(list->arena, record));
	part = plm_considered_tree(list->arena, record);
	if (part->count > 0) {
		plm_json_put(row, "considered", part);
	}
	if (workload.n != 0) {
		plm_admission_lifts(list->st, workload, record, &lifts);
	}
	part = plm_unblock_tree(list->arena, list->st, &lifts, record);
	if (part->count > 0) {
		plm_json_put(row, "unblock", part);
	}
	part = plm_funnel_tree(list->arena, record);
	if (part->count > 0) {
		plm_json_put(row, "funnel", part);
	}
}

/* Nobody looked at it in this round: for what it waits. 'first' heads its queue. */
static const struct plm_w_explain *unsaid(const struct listing *list, plm_id id, plm_id first)
{
	struct plm_w_explain *why = PLM_NEW(list->arena, struct plm_w_explain);

	why->reason = PLM_REASON_PENDING_EVALUATION;
	why->need = PLM_UNSET;
	why->have = PLM_UNSET;
	why->limit = PLM_UNSET;
	if (first.n != id.n && first.n != 0) {
		why->rule = PLM_RULE_BEHIND;
		why->object = plm_str(list->st, plm_workload_at(list->st, first)->object.name);
	} else {
		why->detail = plm_slice_str("no cycle has looked at it");
	}
	return why;
}

static void put_pending(struct listing *list)
{
	plm_id first = {0};
	struct plm_json *rows = plm_json_list(list->arena);
	struct plm_queue_order order = plm_queue_order(list->st, list->arena);

	for (uint32_t i = 0; i < order.count; i++) {
		plm_id id = {order.ids[i]};
		const struct plm_workload *workload = plm_workload_at(list->st, id);
		const struct plm_w_explain *record = record_of(list, workload->why.seq);
		const struct plm_w_explain *capacity = NULL;
		struct plm_json *row = plm_json_object(list->arena);

		if (order.positions[id.n] <= 1) {
			first.n = order.positions[id.n] == 1 ? id.n : 0;
		}
		if (record == NULL && workload->why.seq == 0) {
			record = unsaid(list, id, first);
		}
		if (record != NULL && record->rule == PLM_RULE_GANG) {
			capacity = no_capacity(list, id);
		}
		plm_json_put_text(row, "workload", name_of(list, &workload->object));
		plm_json_put_text(row, "clusterQueue", plm_str(list->st, order.queues[id.n]));
		plm_json_put_int(row, "position", order.positions[id.n]);
		record = capacity != NULL ? capacity : record;
		if (record != NULL) {
			struct plm_w_explain *named = PLM_NEW(list->arena, struct plm_w_explain);

			*named = plm_render_in_set(list->st, workload, record);
			record = named;
		}
		put_why(list, row, id, record,
			workload->why.seq == 0 ? PLM_REASON_PENDING_EVALUATION
					       : workload->why.reason);
		plm_json_add(rows, row);
	}
	put_sorted(list, "pending", rows, "workload");
}

/* ---- nodes ------------------------------------------------------------------------------------- */

/* The one value that 'key' is left with, empty when there are several or none. */
static struct plm_slice only_value(const struct listing *list, plm_sym requirements,
				   const char *key)
{
	uint32_t count = 0;
	const struct plm_expr *exprs = PLM_SPAN(list->st, requirements, struct plm_expr, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t values = 0;
		const plm_sym *value = PLM_SPAN(list->st, exprs[i].values, plm_sym, &values);

		if (exprs[i].op == PLM_OP_IN && values == 1 &&
		    plm_sym_is(list->st, exprs[i].key, key)) {
			return plm_str(list->st, value[0]);
		}
	}
	return (struct plm_slice){0};
}

static struct plm_json *amounts_map(const struct listing *list, plm_sym span)
{
	struct plm_json *map = plm_json_object(list->arena);
	uint32_t count = 0;
	const struct plm_amount *rows = PLM_SPAN(list->st, span, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct plm_slice resource = plm_str(list->st, rows[i].resource);

		plm_json_put_key(map, resource,
				 plm_json_text(list->arena, plm_spell_amount(list->arena, resource,
									     rows[i].amount)));
	}
	return map;
}

static struct plm_json *texts_list(const struct listing *list, plm_sym span)
{
	struct plm_json *texts = plm_json_list(list->arena);
	uint32_t count = 0;
	const plm_sym *rows = PLM_SPAN(list->st, span, plm_sym, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_json_add_text(texts, plm_str(list->st, rows[i]));
	}
	return texts;
}

/* Where a pod is expected (also when it has to leave its node), else where it is. 0: nowhere. */
static plm_sym place_of(const struct plm_pod *pod)
{
	return pod->target.n != 0 ? pod->target : pod->node;
}

static bool is_on(const struct plm_node_claim *claim, const struct plm_pod *pod)
{
	plm_sym place = place_of(pod);

	return place.n != 0 && (place.n == claim->object.name.n || place.n == claim->node.n);
}

static int by_slot(const void *context, uint32_t a, uint32_t b)
{
	(void)context;
	return a < b ? -1 : (a > b ? 1 : 0);
}

/* Pods that the index has under the claim's name or its node's; 'pods' NULL = how many. */
static uint32_t pods_named(const struct listing *list, const struct plm_node_claim *claim,
			   uint32_t *pods)
{
	const plm_sym names[] = {claim->object.name, claim->node};
	uint32_t count = 0;

	for (int i = 0; i < 8; i++) {
		uint32_t cell = plm_pod_index_cell(list->st, names[i & 1], (i & 2) != 0);
		enum plm_pod_side side = (i & 4) != 0 ? PLM_SIDE_BOUND : PLM_SIDE_EXPECTED;

		for (plm_id pod = plm_pod_index_next(list->st, cell, side, (plm_id){0}); pod.n != 0;
		     pod = plm_pod_index_next(list->st, cell, side, pod)) {
			if (pods != NULL) {
				pods[count] = pod.n;
			}
			count++;
		}
	}
	return count;
}

/* "ns/pod" of the pods on a claim, or on the node that it has become. */
static struct plm_json *pods_on(const struct listing *list, const struct plm_node_claim *claim)
{
	struct plm_json *rows = plm_json_list(list->arena);
	bool known = plm_pod_index_true(list->st);
	uint32_t count = known ? pods_named(list, claim, NULL) : plm_pod_bound(list->st) - 1;
	uint32_t *pods = PLM_NEW_ARRAY(list->arena, count, uint32_t);

	for (uint32_t i = 0; i < count; i++) {
		pods[i] = i + 1;
	}
	if (known) {
		(void)pods_named(list, claim, pods);
		plm_sort(pods, count, by_slot, NULL, list->arena);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct plm_pod *pod = plm_pod_at(list->st, (plm_id){pods[i]});

		if ((i == 0 || pods[i] != pods[i - 1]) && pod->object.used != 0 &&
		    is_on(claim, pod)) {
			plm_json_add_text(rows, name_of(list, &pod->object));
		}
	}
	return rows;
}

static struct plm_json *claim_tree(const struct listing *list, plm_id id)
{
	const struct plm_node_claim *claim = plm_node_claim_at(list->st, id);
	struct plm_json *row = plm_json_object(list->arena);

	plm_json_put_text(row, "name", plm_str(list->st, claim->object.name));
	plm_json_put_text(row, "nodePool", plm_str(list->st, claim->pool));
	plm_json_put(row, "instanceTypes", texts_list(list, claim->types));
	plm_json_put_some(row, "zone",
			  only_value(list, claim->requirements, "topology.kubernetes.io/zone"));
	plm_json_put_some(row, "capacityType",
			  only_value(list, claim->requirements, "karpenter.sh/capacity-type"));
	if (claim->price_micro != PLM_UNSET) {
		plm_json_put_int(row, "priceMicroUSDPerHour", claim->price_micro);
	}
	plm_json_put(row, "pods", pods_on(list, claim));
	plm_json_put(row, "requests", amounts_map(list, claim->requests));
	return row;
}

/* The slot of a claim that this round made and has not given up; 0 otherwise. */
static plm_id made_claim(const struct listing *list, const struct made *made)
{
	const struct plm_w_claim *claim = made->payload;
	plm_id id = {0};

	if (made->type != PLM_EV_CLAIM) {
		return id;
	}
	id = plm_find(list->st, PLM_KIND_NODE_CLAIM, (plm_sym){0},
		      plm_sym_find(list->st, claim->name));
	if (id.n != 0 && plm_node_claim_at(list->st, id)->phase == PLM_CLAIM_ENDING) {
		id.n = 0;
	}
	return id;
}

static void find_claims(struct listing *list)
{
	uint8_t *ours = PLM_NEW_ARRAY(list->arena, plm_node_claim_bound(list->st), uint8_t);

	for (size_t i = 0; i < list->count; i++) {
		ours[made_claim(list, &list->made[i]).n] = 1;
	}
	ours[0] = 0;
	list->our_claims = ours;
}

static bool is_disruption(int64_t reason)
{
	return reason == PLM_REASON_EMPTY || reason == PLM_REASON_UNDERUTILIZED ||
	       reason == PLM_REASON_DRIFTED;
}

/* Does a node removal of this round have 'made' as its cause or the other way round? */
static bool replaces(const struct listing *list, const struct made *claim)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct plm_w_claim_end *end = list->made[i].payload;

		if (list->made[i].type == PLM_EV_CLAIM_END && is_disruption(end->reason) &&
		    list->made[i].cause == claim->seq) {
			return true;
		}
	}
	return false;
}

static void put_claims(struct listing *list)
{
	struct plm_json *rows = plm_json_list(list->arena);

	for (size_t i = 0; i < list->count; i++) {
		plm_id id = made_claim(list, &list->made[i]);

		if (id.n != 0 && !replaces(list, &list->made[i])) {
			plm_json_add(rows, claim_tree(list, id));
		}
	}
	put_sorted(list, "nodeClaims", rows, "name");
}

/* The claim that this round made a node for, by its own name; else the node. */
static struct plm_slice place_name(const struct listing *list, plm_sym place)
{
	plm_id node = plm_find(list->st, PLM_KIND_NODE, (plm_sym){0}, place);
	plm_id claim = node.n != 0 ? plm_node_at(list->st, node)->claim : (plm_id){0};

	return claim.n != 0 && list->our_claims[claim.n] != 0
		       ? plm_str(list->st, plm_node_claim_at(list->st, claim)->object.name)
		       : plm_str(list->st, place);
}

static void put_placements(struct listing *list)
{
	struct plm_json *rows = plm_json_list(list->arena);

	PLM_EACH(list->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(list->st, id);
		struct plm_slice name = name_of(list, &pod->object);
		struct plm_json *row = NULL;

		if (place_of(pod).n == 0 ||
		    (pod->target.n == 0 && plm_round_was_bound(list->round, name))) {
			continue;
		}
		row = plm_json_object(list->arena);
		plm_json_put_text(row, "pod", name);
		plm_json_put_text(row, "node", place_name(list, place_of(pod)));
		plm_json_add(rows, row);
	}
	put_sorted(list, "placements", rows, "pod");
}

static void add_unschedulable(struct listing *list, struct plm_json *rows,
			      const struct plm_object *object, const struct plm_why *why)
{
	struct plm_json *row = plm_json_object(list->arena);

	plm_json_put_text(row, "pod", name_of(list, object));
	put_why(list, row, (plm_id){0}, record_of(list, why->seq), why->reason);
	if (plm_json_get(row, plm_slice_str("funnel")) == NULL) {
		plm_json_put(row, "funnel", plm_json_list(list->arena));
	}
	plm_json_add(rows, row);
}

static bool is_refusal(const struct plm_why *why)
{
	return why->seq != 0 && why->reason != PLM_REASON_NOMINATED &&
	       why->reason != PLM_REASON_PROVISIONED && why->reason != PLM_REASON_NONE;
}

static void put_unschedulable(struct listing *list)
{
	struct plm_json *rows = plm_json_list(list->arena);

	PLM_EACH(list->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(list->st, id);

		if (pod->target.n == 0 && is_refusal(&pod->why)) {
			add_unschedulable(list, rows, &pod->object, &pod->why);
		}
	}
	PLM_EACH(list->st, replicator, id)
	{
		const struct plm_replicator *replicator = plm_replicator_at(list->st, id);

		if (is_refusal(&replicator->why)) {
			add_unschedulable(list, rows, &replicator->object, &replicator->why);
		}
	}
	put_sorted(list, "unschedulable", rows, "pod");
}

/* The node of a claim, or the claim's own name while it has none. */
static struct plm_slice node_of_claim(const struct listing *list, struct plm_slice name)
{
	plm_id id =
		plm_find(list->st, PLM_KIND_NODE_CLAIM, (plm_sym){0}, plm_sym_find(list->st, name));

	if (id.n == 0 || plm_node_claim_at(list->st, id)->node.n == 0) {
		return name;
	}
	return plm_str(list->st, plm_node_claim_at(list->st, id)->node);
}

static struct plm_json *replacements(const struct listing *list, const struct made *end)
{
	struct plm_json *rows = plm_json_list(list->arena);

	for (size_t i = 0; i < list->count; i++) {
		plm_id id = made_claim(list, &list->made[i]);

		if (id.n != 0 && list->made[i].seq == end->cause) {
			plm_json_add(rows, claim_tree(list, id));
		}
	}
	return rows;
}

/* One command removes the nodes whose CLAIM_ENDs share cause and reason. */
static bool same_command(const struct made *a, const struct made *b)
{
	const struct plm_w_claim_end *x = a->payload;
	const struct plm_w_claim_end *y = b->payload;

	return b->type == PLM_EV_CLAIM_END && a->cause == b->cause && x->reason == y->reason;
}

static struct plm_json *command_tree(const struct listing *list, size_t first)
{
	const struct made *end = &list->made[first];
	const struct plm_w_claim_end *payload = end->payload;
	struct plm_json *row = plm_json_object(list->arena);
	struct plm_json *nodes = plm_json_list(list->arena);
	struct plm_json *new = replacements(list, end);

	for (size_t i = first; i < list->count; i++) {
		const struct plm_w_claim_end *other = list->made[i].payload;

		if (same_command(end, &list->made[i])) {
			plm_json_add_text(nodes, node_of_claim(list, other->name));
		}
	}
	plm_json_put_str(row, "action", new->count > 0 ? "replace" : "delete");
	plm_json_put_str(row, "reason", plm_names_text(&plm_names_reason, payload->reason));
	plm_json_put(row, "nodes", nodes);
	plm_json_put(row, "replacements", new);
	return row;
}

static void put_disruptions(struct listing *list)
{
	struct plm_json *rows = plm_json_list(list->arena);

	for (size_t i = 0; i < list->count; i++) {
		const struct plm_w_claim_end *end = list->made[i].payload;
		bool again = false;

		if (list->made[i].type != PLM_EV_CLAIM_END || !is_disruption(end->reason)) {
			continue;
		}
		for (size_t j = 0; j < i && !again; j++) {
			again = list->made[j].type == PLM_EV_CLAIM_END &&
				same_command(&list->made[j], &list->made[i]);
		}
		if (!again) {
			plm_json_add(rows, command_tree(list, i));
		}
	}
	put_sorted(list, "disruptions", rows, "action");
}

enum plm_code plm_decision_list(struct plm_cli *call, struct plm_round *round,
				struct plm_json **out, struct plm_error *err)
{
	struct listing list = {.arena = call->arena,
			       .round = round,
			       .st = plm_round_state(round),
			       .doc = plm_json_document(call->arena, "DecisionList")};
	enum plm_code code = gather(&list, err);

	if (code != PLM_OK) {
		return code;
	}
	plm_json_put_text(list.doc, "now", plm_spell_time(list.arena, plm_round_now_ms(round)));
	plm_json_put_int(list.doc, "cycles", plm_round_cycles(round));
	plm_json_put_str(list.doc, "mode", plm_round_mode(round));
	plm_json_put_bool(list.doc, "settled", plm_round_settled(round));
	plm_json_put_int(list.doc, "inputs", (int64_t)plm_round_objects(round));
	find_claims(&list);
	put_admitted(&list);
	put_preempted(&list);
	put_pending(&list);
	put_claims(&list);
	put_placements(&list);
	put_unschedulable(&list);
	put_disruptions(&list);
	*out = list.doc;
	return PLM_OK;
}
