/* Which pods need a place, and what equal pods share. */
#include "core/hashing.h"
#include "core/integration.h"
#include "core/sort.h"
#include "reducers/disruption/leave.h"
#include "reducers/provision/gang.h"

bool plm_pod_terminal(const struct plm_pod *pod)
{
	return pod->phase == PLM_PHASE_SUCCEEDED || pod->phase == PLM_PHASE_FAILED;
}

bool plm_pod_holds(const struct plm_pod *pod)
{
	return (pod->node.n != 0 || pod->target.n != 0) && !plm_pod_terminal(pod);
}

bool plm_pod_of_daemon(const struct plm_sched *sched, const struct plm_pod *pod)
{
	return plm_sym_equal(pod->object.owner_kind, sched->known[PLM_KNOWN_DAEMON_SET]);
}

bool plm_pod_pending(const struct plm_sched *sched, const struct plm_pod *pod)
{
	bool by_hand = plm_root(sched->st)->pending_by_hand != 0 && pod->no_status != 0;

	if (pod->unschedulable == 0 && !by_hand) {
		return false;
	}
	return pod->node.n == 0 && pod->nominated.n == 0 && pod->gated == 0 &&
	       !plm_pod_terminal(pod) && !plm_pod_of_daemon(sched, pod) &&
	       !plm_pod_mirror(sched, pod);
}

plm_id plm_pod_gang(const struct plm_sched *sched, const struct plm_pod *pod, plm_sym *out_set)
{
	const struct plm_state *st = sched->st;
	plm_id job = pod->group.n != 0
			     ? plm_find(st, PLM_KIND_POD_GROUP, pod->object.ns, pod->group)
			     : plm_job_above(st, pod->object.owner_uid);
	plm_id workload = job.n == 0 ? (plm_id){0} : plm_job_at(st, job)->workload_id;

	*out_set = (plm_sym){0};
	if (workload.n == 0 || plm_workload_at(st, workload)->places.n == 0) {
		return (plm_id){0};
	}
	*out_set = pod->group.n != 0 ? pod->role : pod->pod_set;
	if (out_set->n == 0) {
		uint32_t count = 0;
		const struct plm_pod_set *sets = PLM_SPAN(
			st, plm_workload_at(st, workload)->pod_sets, struct plm_pod_set, &count);

		*out_set = count > 0 ? sets[0].name : *out_set;
	}
	return workload;
}

/* ---- shapes ------------------------------------------------------------------------------------ */

static const struct plm_shape *shape_at(const struct plm_pass *pass, plm_sym span)
{
	uint32_t count = 0;
	const struct plm_shape *shape = PLM_SPAN(pass->st, span, struct plm_shape, &count);

	PLM_ASSERT(count == 1);
	return shape;
}

static uint32_t shape_hash(plm_sym shape, plm_sym labels, plm_sym ns)
{
	return (uint32_t)plm_hash_mix(((uint64_t)shape.n << 32 | labels.n) * 0x9e3779b97f4a7c15ULL +
				      ns.n);
}

/* As written, less the names of its volumes: pods of a StatefulSet differ in nothing else. */
static struct plm_shape without_volumes(const struct plm_pass *pass, plm_sym shape)
{
	struct plm_shape bare = *shape_at(pass, shape);

	bare.volumes = (plm_sym){0};
	return bare;
}

static bool same_shape(const struct plm_pass *pass, const struct plm_want_shape *a,
		       const struct plm_want_shape *b)
{
	struct plm_shape x;
	struct plm_shape y;

	if (a->volumes != b->volumes || a->set != b->set || !plm_sym_equal(a->labels, b->labels) ||
	    !plm_sym_equal(a->ns, b->ns)) {
		return false;
	}
	if (a->volumes == 0 || plm_sym_equal(a->shape, b->shape)) {
		return plm_sym_equal(a->shape, b->shape);
	}
	x = without_volumes(pass, a->shape);
	y = without_volumes(pass, b->shape);
	return memcmp(&x, &y, sizeof(x)) == 0;
}

static uint32_t hash_of(const struct plm_pass *pass, const struct plm_want_shape *shape)
{
	struct plm_shape bare;

	if (shape->volumes == 0) {
		return shape_hash(shape->shape, shape->labels, shape->ns);
	}
	bare = without_volumes(pass, shape->shape);
	return (uint32_t)(plm_hash_bytes(plm_slice_of(&bare, sizeof(bare))) + shape->volumes) +
	       shape_hash((plm_sym){0}, shape->labels, shape->ns);
}

static uint32_t shape_of(struct plm_pass *pass, const struct plm_want_shape *shape)
{
	uint32_t at = hash_of(pass, shape);

	for (;; at++) {
		uint32_t index = pass->shape_index[at & pass->shape_mask];

		if (index == 0) {
			break;
		}
		if (same_shape(pass, &pass->shapes[index - 1], shape)) {
			return index - 1;
		}
	}
	PLM_ASSERT(pass->shape_count < pass->shape_room);
	pass->shapes[pass->shape_count] = *shape;
	pass->shape_index[at & pass->shape_mask] = ++pass->shape_count;
	return pass->shape_count - 1;
}

static void make_room(struct plm_pass *pass, uint32_t wants)
{
	uint32_t size = 64;

	while (size < wants * 2) {
		size *= 2;
	}
	pass->want_room = wants;
	pass->wants = PLM_NEW_ARRAY(pass->arena, wants, struct plm_want);
	pass->order = PLM_NEW_ARRAY(pass->arena, wants, uint32_t);
	pass->shapes = PLM_NEW_ARRAY(pass->arena, wants, struct plm_want_shape);
	pass->shape_index = PLM_NEW_ARRAY(pass->arena, size, uint32_t);
	pass->shape_mask = size - 1;
	pass->shape_room = wants;
}

/* Does the shape make topology groups of its own? */
static bool shape_has_topology(const struct plm_shape *shape)
{
	return shape->spread.n != 0 || shape->affinity.n != 0 || shape->anti_affinity.n != 0 ||
	       shape->preferred_affinity.n != 0 || shape->preferred_anti_affinity.n != 0;
}

static void want_add(struct plm_pass *pass, plm_id pod, const struct plm_want_shape *like)
{
	struct plm_want *want = &pass->wants[pass->want_count];
	struct plm_want_shape shape = *like;

	PLM_ASSERT(pass->want_count < pass->want_room);
	shape.set = pass->gang.n == 0 ? 0 : want->set + 1;
	if (!pass->by_labels) {
		shape.labels = (plm_sym){0};
		shape.ns = (plm_sym){0};
	}
	want->pod = pod;
	want->shape = shape_of(pass, &shape);
	pass->order[pass->want_count] = pass->want_count;
	pass->want_count++;
}

/* A node that goes away, or none: its pods have to move. */
static bool leaves(const struct plm_pass *pass, plm_sym node)
{
	plm_id id = plm_find(pass->st, PLM_KIND_NODE, (plm_sym){0}, node);
	const struct plm_node *slot = NULL;

	if (id.n == 0) {
		return false;
	}
	slot = plm_node_at(pass->st, id);
	if (slot->object.deleting_ms != PLM_UNSET) {
		return true;
	}
	return slot->claim.n != 0 && plm_claim_leaves(plm_node_claim_at(pass->st, slot->claim));
}

bool plm_claim_leaves(const struct plm_node_claim *claim)
{
	return claim->phase == PLM_CLAIM_ENDING || claim->object.deleting_ms != PLM_UNSET;
}

bool plm_target_stands(const struct plm_state *st, plm_sym target, bool is_claim)
{
	plm_id id =
		plm_find(st, is_claim ? PLM_KIND_NODE_CLAIM : PLM_KIND_NODE, (plm_sym){0}, target);

	if (target.n == 0 || id.n == 0) {
		return false;
	}
	if (is_claim) {
		return !plm_claim_leaves(plm_node_claim_at(st, id));
	}
	if (plm_node_at(st, id)->object.deleting_ms != PLM_UNSET) {
		return false;
	}
	id = plm_node_at(st, id)->claim;
	return id.n == 0 || !plm_claim_leaves(plm_node_claim_at(st, id));
}

bool plm_pod_crowded_out(const struct plm_pass *pass, const struct plm_pod *pod)
{
	for (uint32_t i = 0; pod->node.n == 0 && i < pass->demand->crowded_count; i++) {
		if (plm_sym_equal(pass->demand->crowded[i], pod->target)) {
			return true;
		}
	}
	return false;
}

static bool needs_place(const struct plm_pass *pass, const struct plm_pod *pod)
{
	plm_sym key = {0};

	if (pod->node.n != 0) {
		if (!leaves(pass, pod->node) || !plm_pod_moves(&pass->pdbs, pod)) {
			return false;
		}
	} else if (!plm_pod_pending(&pass->sched, pod)) {
		return false;
	}
	return (!plm_target_stands(pass->st, pod->target, pod->target_claim != 0) ||
		plm_pod_crowded_out(pass, pod)) &&
	       plm_pod_refused(&pass->sched, pod, &key) == PLM_RULE_NONE;
}

/* Topology looks at labels as soon as one pod here or one bound pod keeps others away. */
static bool any_topology(const struct plm_pass *pass, const uint32_t *pods, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct plm_pod *pod = plm_pod_at(pass->st, (plm_id){pods[i]});

		if (shape_has_topology(shape_at(pass, pod->shape))) {
			return true;
		}
	}
	if (pass->st->pods.filled) {
		return pass->st->pods.keepers > 0;
	}
	PLM_EACH(pass->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(pass->st, id);

		if (pod->shape.n != 0 && plm_pod_holds(pod) &&
		    shape_at(pass, pod->shape)->anti_affinity.n != 0) {
			return true;
		}
	}
	return false;
}

/* Pods that may need a place, as bits by slot: those that wait, and those whose node goes away. */
static uint64_t *candidates(const struct plm_pass *pass, uint32_t words)
{
	const struct plm_state *st = pass->st;
	const struct plm_pod_index *index = &st->pods;
	uint64_t *bits = PLM_NEW_ARRAY(pass->arena, words, uint64_t);

	if (!index->filled) {
		memset(bits, 0xff, words * sizeof(*bits));
		return bits;
	}
	for (uint32_t w = 0; w < words && w < index->wait_words; w++) {
		bits[w] = index->waits[w];
	}
	for (uint32_t c = 1; c < index->cell_count; c++) {
		if (index->cells[c].running == 0 || plm_cell_stands(st, &index->cells[c])) {
			continue;
		}
		for (plm_id pod = plm_pod_index_next(st, c, PLM_SIDE_BOUND, (plm_id){0});
		     pod.n != 0; pod = plm_pod_index_next(st, c, PLM_SIDE_BOUND, pod)) {
			PLM_BIT_SET(bits, pod.n);
		}
	}
	return bits;
}

static void want_pods(struct plm_pass *pass)
{
	uint32_t words = plm_pod_bound(pass->st) / 64 + 1;
	const uint64_t *bits = candidates(pass, words);
	uint32_t *pods = PLM_NEW_ARRAY(pass->arena, plm_pod_live(pass->st), uint32_t);
	uint32_t count = 0;

	for (uint32_t w = 0; w < words; w++) {
		for (uint64_t word = bits[w]; word != 0; word &= word - 1) {
			plm_id id = {w * 64 + (uint32_t)__builtin_ctzll(word)};

			if (id.n != 0 && id.n < plm_pod_bound(pass->st) &&
			    plm_pod_at(pass->st, id)->object.used != 0 &&
			    needs_place(pass, plm_pod_at(pass->st, id))) {
				pods[count++] = id.n;
			}
		}
	}
	pass->by_labels = any_topology(pass, pods, count);
	make_room(pass, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct plm_pod *pod = plm_pod_at(pass->st, (plm_id){pods[i]});

		struct plm_volume_owner owner = plm_volume_owner_of(&pass->sched, pod);

		want_add(pass, (plm_id){pods[i]},
			 &(struct plm_want_shape){.shape = pod->shape,
						  .labels = pod->object.labels,
						  .ns = pod->object.ns,
						  .volumes = plm_volume_set_of(pass, &owner)});
	}
}

static void want_gang(struct plm_pass *pass, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(pass->st, id);
	uint32_t count = 0;
	uint32_t total = 0;
	const struct plm_pod_set *sets =
		PLM_SPAN(pass->st, workload->pod_sets, struct plm_pod_set, &count);

	for (uint32_t s = 0; s < count; s++) {
		pass->by_labels =
			pass->by_labels || shape_has_topology(shape_at(pass, sets[s].shape));
		total += (uint32_t)plm_gang_count(pass->st, workload, &sets[s]);
	}
	pass->by_labels = pass->by_labels || any_topology(pass, NULL, 0);
	make_room(pass, total);
	for (uint32_t s = 0; s < count; s++) {
		int64_t pods = plm_gang_count(pass->st, workload, &sets[s]);
		struct plm_volume_owner owner = {.ns = workload->object.ns,
						 .uses = shape_at(pass, sets[s].shape)->volumes};
		struct plm_want_shape shape = {.shape = sets[s].shape,
					       .labels = sets[s].labels,
					       .ns = workload->object.ns,
					       .volumes = plm_volume_set_of(pass, &owner)};

		for (int64_t i = 0; i < pods; i++) {
			pass->wants[pass->want_count].set = s;
			want_add(pass, (plm_id){0}, &shape);
		}
	}
}

int64_t plm_gang_count(const struct plm_state *st, const struct plm_workload *workload,
		       const struct plm_pod_set *set)
{
	uint32_t count = 0;
	const struct plm_assignment *assignments =
		PLM_SPAN(st, workload->assignments, struct plm_assignment, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(assignments[i].name, set->name)) {
			return assignments[i].count;
		}
	}
	return set->count;
}

void plm_pass_wants(struct plm_pass *pass, const struct plm_demand *demand)
{
	pass->gang = demand->workload;
	if (demand->workload.n != 0) {
		want_gang(pass, demand->workload);
	} else if (demand->pods) {
		want_pods(pass);
	} else {
		make_room(pass, 0);
	}
	for (uint32_t i = 0; i < pass->shape_count; i++) {
		plm_res_note(pass, shape_at(pass, pass->shapes[i].shape)->requests);
	}
}

/* ---- kinds ------------------------------------------------------------------------------------- */

/* What has no part in where a pod fits, requests apart, is cleared before shapes are compared. */
static struct plm_shape without_requests(const struct plm_shape *shape)
{
	struct plm_shape bare = *shape;

	bare.requests = (plm_sym){0};
	bare.runtime_class = (plm_sym){0};
	bare.scheduler = (plm_sym){0};
	bare.priority_class = (plm_sym){0};
	bare.over_limit = (plm_sym){0};
	bare.never_preempt = 0;
	bare.priority = 0;
	bare.containers = (plm_sym){0};
	bare.overhead = (plm_sym){0};
	bare.out_of_range = (plm_sym){0};
	bare.has_claims = 0;
	bare.volumes = (plm_sym){0};
	return bare;
}

static uint32_t kind_of(struct plm_pass *pass, const struct plm_want_shape *shape, uint32_t *index,
			uint32_t mask)
{
	struct plm_shape bare = without_requests(shape_at(pass, shape->shape));
	uint64_t hash = plm_hash_bytes(plm_slice_of(&bare, sizeof(bare))) +
			shape_hash(shape->labels, shape->ns, (plm_sym){0}) + shape->volumes;
	struct plm_want_kind *kind = NULL;

	for (; index[hash & mask] != 0; hash++) {
		kind = &pass->kinds[index[hash & mask] - 1];
		if (memcmp(&kind->shape, &bare, sizeof(bare)) == 0 &&
		    plm_sym_equal(kind->labels, shape->labels) &&
		    plm_sym_equal(kind->ns, shape->ns) && kind->set == shape->set &&
		    kind->volumes == shape->volumes) {
			return index[hash & mask] - 1;
		}
	}
	pass->kinds[pass->kind_count] = (struct plm_want_kind){.shape = bare,
							       .labels = shape->labels,
							       .ns = shape->ns,
							       .set = shape->set,
							       .volumes = shape->volumes};
	index[hash & mask] = ++pass->kind_count;
	return pass->kind_count - 1;
}

#define ASKS_FIRST 4U

static void build_asks(struct plm_pass *pass, struct plm_want_kind *kind)
{
	enum plm_ask_mode mode = plm_root(pass->st)->preferences == PLM_PREFERENCES_IGNORE
					 ? PLM_ASK_IGNORE
					 : PLM_ASK_RESPECT;
	uint32_t room = ASKS_FIRST;

	kind->asks = PLM_NEW_ARRAY(pass->arena, room, struct plm_ask);
	kind->asks[0] = plm_ask_first(&pass->sched, &kind->shape, mode);
	kind->ask_count = 1;
	for (;;) {
		if (kind->ask_count == room) {
			struct plm_ask *more = PLM_NEW_ARRAY(pass->arena, room * 2, struct plm_ask);

			memcpy(more, kind->asks, room * sizeof(*more));
			kind->asks = more;
			room *= 2;
		}
		if (!plm_ask_relax(&pass->sched, &kind->shape, &kind->asks[kind->ask_count - 1],
				   pass->soft_taints, &kind->asks[kind->ask_count])) {
			return;
		}
		kind->ask_count++;
	}
}

void plm_pass_kinds(struct plm_pass *pass)
{
	uint32_t *index = PLM_NEW_ARRAY(pass->arena, (size_t)pass->shape_mask + 1, uint32_t);

	pass->kinds = PLM_NEW_ARRAY(pass->arena, pass->shape_count, struct plm_want_kind);
	for (uint32_t i = 0; i < pass->shape_count; i++) {
		struct plm_want_shape *shape = &pass->shapes[i];

		shape->kind = kind_of(pass, shape, index, pass->shape_mask);
		shape->requests = plm_res_of_pod(pass, shape_at(pass, shape->shape)->requests);
	}
	for (uint32_t k = 0; k < pass->kind_count; k++) {
		build_asks(pass, &pass->kinds[k]);
		pass->kinds[k].first_ask = pass->ask_count;
		pass->ask_count += pass->kinds[k].ask_count;
		if (pass->kinds[k].set != 0) {
			plm_gang_asks(pass, &pass->kinds[k]);
		}
	}
	for (uint32_t i = 0; i < pass->shape_count; i++) {
		pass->shapes[i].first_try = pass->try_count;
		pass->try_count += pass->kinds[pass->shapes[i].kind].ask_count;
	}
	pass->try_words = (pass->try_count + 63) / 64;
}

/* ---- order ------------------------------------------------------------------------------------- */

static int by_number(int64_t a, int64_t b)
{
	return a < b ? -1 : (a > b ? 1 : 0);
}

static int bigger_first(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_pass *pass = context;
	const struct plm_want *x = &pass->wants[a];
	const struct plm_want *y = &pass->wants[b];
	const int64_t *ask_x = pass->shapes[x->shape].requests;
	const int64_t *ask_y = pass->shapes[y->shape].requests;
	const struct plm_pod *pod_x = plm_pod_at(pass->st, x->pod);
	const struct plm_pod *pod_y = plm_pod_at(pass->st, y->pod);
	int order = by_number(ask_y[pass->res.cpu], ask_x[pass->res.cpu]);

	if (order == 0) {
		order = by_number(ask_y[pass->res.memory], ask_x[pass->res.memory]);
	}
	if (order == 0) {
		order = by_number(pod_x->object.created_ms, pod_y->object.created_ms);
	}
	if (order == 0) {
		order = plm_sym_compare(pass->st, pod_x->object.uid, pod_y->object.uid);
	}
	return order != 0 ? order : by_number(a, b);
}

void plm_pass_order(struct plm_pass *pass)
{
	plm_sort(pass->order, pass->want_count, bigger_first, pass, pass->arena);
}
