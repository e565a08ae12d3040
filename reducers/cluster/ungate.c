#include "reducers/cluster/ungate.h"

#include "core/sort.h"
#include "reducers/tas/rank.h"
#include "reducers/tas/tas.h"

struct pass {
	const struct plm_state *st;
	struct plm_arena *arena;
	struct plm_out *out;
	plm_sym gate;
	plm_id *pods; /* of placed workloads, not ended */
	plm_id *workloads;
	uint32_t count;
};

/* ---- which pods -------------------------------------------------------------------------------- */

static bool waits(const struct pass *p, const struct plm_pod *pod)
{
	return pod->gated == 1 && pod->object.deleting_ms == PLM_UNSET &&
	       plm_syms_have(p->st, pod->gates, p->gate);
}

static bool ended(const struct plm_pod *pod)
{
	return pod->phase == PLM_PHASE_SUCCEEDED || pod->phase == PLM_PHASE_FAILED;
}

static bool placed(const struct plm_state *st, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(st, id);

	return workload->stage == PLM_STAGE_ADMITTED && workload->evicted_ms == PLM_UNSET &&
	       plm_tas_assigned(st, workload->assignments);
}

/* By workload slot: 1 = a pod of it waits, 2 = one was asked for and has not come yet. */
static uint8_t *find_waiting(const struct pass *p, bool *any)
{
	uint8_t *waiting = PLM_NEW_ARRAY(p->arena, plm_workload_bound(p->st), uint8_t);

	PLM_EACH(p->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(p->st, id);
		plm_id workload = {0};

		if (!waits(p, pod)) {
			continue;
		}
		workload = plm_pod_workload(p->st, pod);
		if (workload.n != 0 && waiting[workload.n] != 2 && placed(p->st, workload)) {
			waiting[workload.n] = pod->ungating == 1 ? 2 : 1;
			*any = true;
		}
	}
	return waiting;
}

static void gather(struct pass *p, const uint8_t *waiting)
{
	p->pods = PLM_NEW_ARRAY(p->arena, plm_pod_live(p->st), plm_id);
	p->workloads = PLM_NEW_ARRAY(p->arena, plm_pod_live(p->st), plm_id);
	PLM_EACH(p->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(p->st, id);
		plm_id workload = {0};

		if (ended(pod)) {
			continue;
		}
		workload = plm_pod_workload(p->st, pod);
		if (workload.n != 0 && waiting[workload.n] == 1) {
			p->pods[p->count] = id;
			p->workloads[p->count++] = workload;
		}
	}
}

/* Workloads by namespace and name, pod sets and pods by name. */
static int by_set(const void *context, uint32_t a, uint32_t b)
{
	const struct pass *p = context;
	const struct plm_object *left = &plm_workload_at(p->st, p->workloads[a])->object;
	const struct plm_object *right = &plm_workload_at(p->st, p->workloads[b])->object;
	const struct plm_pod *pod = plm_pod_at(p->st, p->pods[a]);
	const struct plm_pod *other = plm_pod_at(p->st, p->pods[b]);
	int order = plm_sym_compare(p->st, left->ns, right->ns);

	order = order != 0 ? order : plm_sym_compare(p->st, left->name, right->name);
	order = order != 0 ? order : plm_sym_compare(p->st, pod->pod_set, other->pod_set);
	order = order != 0 ? order : plm_sym_compare(p->st, pod->object.name, other->object.name);
	return order != 0 ? order : (a < b ? -1 : a > b);
}

/* ---- intents ----------------------------------------------------------------------------------- */

static struct plm_slice text(const struct pass *p, plm_sym sym)
{
	return plm_str(p->st, sym);
}

/* Level labels with the values of the domain, by label. */
static struct plm_vec selector(const struct pass *p, const struct plm_assignment *set,
			       uint32_t domain)
{
	uint32_t domains = 0;
	uint32_t levels = 0;
	uint32_t count = 0;
	const struct plm_topology_domain *list =
		PLM_SPAN(p->st, set->domains, struct plm_topology_domain, &domains);
	const plm_sym *keys = PLM_SPAN(p->st, set->levels, plm_sym, &levels);
	const plm_sym *values = NULL;
	struct plm_w_kv *rows = NULL;

	PLM_ASSERT(domain < domains);
	values = PLM_SPAN(p->st, list[domain].values, plm_sym, &count);
	count = count < levels ? count : levels;
	rows = PLM_NEW_ARRAY(p->arena, count, struct plm_w_kv);
	for (uint32_t i = 0; i < count; i++) {
		struct plm_w_kv row = {text(p, keys[i]), text(p, values[i])};
		uint32_t at = i;

		for (; at > 0 && plm_slice_compare(rows[at - 1].key, row.key) > 0; at--) {
			rows[at] = rows[at - 1];
		}
		rows[at] = row;
	}
	return (struct plm_vec){rows, count};
}

static void let_go(const struct pass *p, const struct plm_pod *pod,
		   const struct plm_assignment *set, uint32_t domain)
{
	struct plm_w_req_pod_ungate *request = PLM_NEW(p->arena, struct plm_w_req_pod_ungate);
	struct plm_w_intent *intent = PLM_NEW(p->arena, struct plm_w_intent);

	request->ns = text(p, pod->object.ns);
	request->name = text(p, pod->object.name);
	request->uid = text(p, pod->object.uid);
	request->gate = text(p, p->gate);
	request->node_selector = selector(p, set, domain);
	intent->call = PLM_CALL_POD_UNGATE;
	intent->kind = PLM_KIND_POD;
	intent->ns = request->ns;
	intent->name = request->name;
	intent->uid = request->uid;
	intent->encoder = PLM_ENCODER_VERSION;
	intent->deadline_ms = PLM_UNSET;
	(void)plm_out_intent(p->out, intent, request, PLM_CAUSE_CYCLE);
}

/* The assignment that pods of 'name' belong to: the only one when they do not say. */
static const struct plm_assignment *assignment_of(const struct pass *p,
						  const struct plm_workload *workload, plm_sym name)
{
	uint32_t count = 0;
	const struct plm_assignment *sets =
		PLM_SPAN(p->st, workload->assignments, struct plm_assignment, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(sets[i].name, name) || (name.n == 0 && count == 1)) {
			return &sets[i];
		}
	}
	return NULL;
}

/* Pods of one pod set: 'pods', by name. */
static void let_go_set(const struct pass *p, plm_id id, const plm_id *list, uint32_t count)
{
	const struct plm_workload *workload = plm_workload_at(p->st, id);
	plm_sym name = plm_pod_at(p->st, list[0])->pod_set;
	struct plm_tas_pods pods = {.list = list, .count = count};
	uint32_t *domains = PLM_NEW_ARRAY(p->arena, count, uint32_t);

	pods.set = assignment_of(p, workload, name);
	if (pods.set == NULL || pods.set->domains.n == 0) {
		return;
	}
	pods.spec = plm_tas_spec(p->st, workload, pods.set->name);
	pods.offset = plm_tas_offset(p->st, workload, pods.set);
	plm_tas_rank(p->st, &pods, p->arena, domains);
	for (uint32_t i = 0; i < count; i++) {
		const struct plm_pod *pod = plm_pod_at(p->st, list[i]);

		if (domains[i] != PLM_TAS_NO_DOMAIN && waits(p, pod)) {
			let_go(p, pod, pods.set, domains[i]);
		}
	}
}

void plm_ungate(const struct plm_state *st, struct plm_arena *arena, struct plm_out *out)
{
	struct pass p = {.st = st, .arena = arena, .out = out};
	bool any = false;
	uint8_t *waiting = NULL;
	uint32_t *order = NULL;
	plm_id *list = NULL;

	p.gate = plm_sym_find(st, plm_slice_str(PLM_TOPOLOGY_GATE));
	if (p.gate.n == 0 || plm_root(st)->gated_pods == 0) {
		return;
	}
	waiting = find_waiting(&p, &any);
	if (!any) {
		return;
	}
	gather(&p, waiting);
	order = PLM_NEW_ARRAY(arena, p.count, uint32_t);
	list = PLM_NEW_ARRAY(arena, p.count, plm_id);
	for (uint32_t i = 0; i < p.count; i++) {
		order[i] = i;
	}
	plm_sort(order, p.count, by_set, &p, arena);
	for (uint32_t i = 0, end = 0; i < p.count; i = end) {
		plm_id workload = p.workloads[order[i]];
		plm_sym set = plm_pod_at(st, p.pods[order[i]])->pod_set;

		for (end = i; end < p.count && p.workloads[order[end]].n == workload.n &&
			      plm_sym_equal(plm_pod_at(st, p.pods[order[end]])->pod_set, set);
		     end++) {
			list[end] = p.pods[order[end]];
		}
		let_go_set(&p, workload, list + i, end - i);
	}
}
