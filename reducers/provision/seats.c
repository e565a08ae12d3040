/* Nodes and claims that exist, with what is free on them: karpenter.md 2.6. */
#include "core/sort.h"
#include "reducers/provision/pass.h"

/* ---- what a node is ---------------------------------------------------------------------------- */

static bool label_true(const struct plm_pass *pass, plm_sym labels, enum plm_known_word key)
{
	plm_sym value = {0};

	return plm_kv_get(pass->st, labels, pass->sched.known[key], &value) &&
	       plm_sym_equal(value, pass->sched.known[PLM_KNOWN_TRUE]);
}

static bool is_initialized(const struct plm_pass *pass, const struct plm_seat *seat)
{
	if (seat->node.n == 0) {
		return false;
	}
	if (seat->claim.n == 0 ||
	    plm_node_claim_at(pass->st, seat->claim)->phase == PLM_CLAIM_READY) {
		return true;
	}
	return label_true(pass, plm_node_at(pass->st, seat->node)->object.labels,
			  PLM_KNOWN_INITIALIZED);
}

static bool is_registered(const struct plm_pass *pass, const struct plm_seat *seat)
{
	if (seat->node.n == 0) {
		return false;
	}
	return seat->claim.n == 0 || seat->initialized ||
	       label_true(pass, plm_node_at(pass->st, seat->node)->object.labels,
			  PLM_KNOWN_REGISTERED);
}

static bool among(const struct plm_taints *taints, const struct plm_taint *taint)
{
	for (uint32_t i = 0; i < taints->count; i++) {
		if (plm_taint_equal(&taints->list[i], taint)) {
			return true;
		}
	}
	return false;
}

/* A node that starts: what goes away by itself and its startup taints do not count. */
static void drop_starting_taints(const struct plm_pass *pass, struct plm_seat *seat,
				 plm_sym startup)
{
	struct plm_taints starting = plm_taints_of(&pass->sched, startup);
	struct plm_taint *kept = PLM_NEW_ARRAY(pass->arena, seat->taints.count, struct plm_taint);
	uint32_t count = 0;

	for (uint32_t i = 0; i < seat->taints.count; i++) {
		const struct plm_taint *taint = &seat->taints.list[i];

		if (!plm_taint_ephemeral(&pass->sched, taint) && !among(&starting, taint)) {
			kept[count++] = *taint;
		}
	}
	seat->taints = (struct plm_taints){kept, count};
}

static void add_cordon(const struct plm_pass *pass, struct plm_seat *seat)
{
	struct plm_taint *list =
		PLM_NEW_ARRAY(pass->arena, seat->taints.count + 1, struct plm_taint);

	if (seat->taints.count > 0) {
		memcpy(list, seat->taints.list, seat->taints.count * sizeof(*list));
	}
	list[seat->taints.count] =
		(struct plm_taint){.key = pass->sched.known[PLM_KNOWN_UNSCHEDULABLE],
				   .effect = PLM_EFFECT_NO_SCHEDULE};
	seat->taints = (struct plm_taints){list, seat->taints.count + 1};
}

/* ---- what is free ------------------------------------------------------------------------------ */

/* That of the claim's pool, while it has one. */
static const struct plm_capacity *capacity_of(const struct plm_pass *pass,
					      const struct plm_node_claim *claim)
{
	for (uint32_t i = 0; i < pass->pool_count; i++) {
		if (plm_sym_equal(pass->pools[i].slot->object.name, claim->pool)) {
			return pass->pools[i].has;
		}
	}
	return &pass->types.own;
}

/* A claim without a type yet: what every type that it may become has. */
static void fill_smallest(const struct plm_pass *pass, const struct plm_node_claim *claim,
			  int64_t *out)
{
	const struct plm_capacity *has = capacity_of(pass, claim);
	uint32_t count = 0;
	const plm_sym *list = PLM_SPAN(pass->st, claim->types, plm_sym, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t t = plm_types_find(pass, list[i]);
		const int64_t *have = has->allocatable + (size_t)t * pass->res.count;

		for (uint32_t r = 0; t < pass->types.count && r < pass->res.count; r++) {
			out[r] = i == 0 ? have[r] : plm_min(out[r], have[r]);
		}
	}
}

static void fill_allocatable(const struct plm_pass *pass, struct plm_seat *seat)
{
	const struct plm_node *node = plm_node_at(pass->st, seat->node);
	const struct plm_node_claim *claim = plm_node_claim_at(pass->st, seat->claim);
	int64_t *reported = NULL;

	if (seat->claim.n != 0 && !seat->initialized) {
		if (claim->allocatable.n == 0) {
			fill_smallest(pass, claim, seat->left);
		}
		plm_res_fill(pass, claim->allocatable, seat->left);
	}
	reported = plm_res_vector(pass, node->allocatable);
	for (uint32_t r = 0; r < pass->res.count; r++) {
		if (seat->initialized || reported[r] != 0) {
			seat->left[r] = reported[r];
		}
	}
}

static void begin_seat(struct plm_pass *pass, struct plm_seat *seat)
{
	const struct plm_node *node = plm_node_at(pass->st, seat->node);
	const struct plm_node_claim *claim = plm_node_claim_at(pass->st, seat->claim);
	bool registered = false;
	struct plm_req host;

	seat->initialized = is_initialized(pass, seat);
	registered = is_registered(pass, seat);
	seat->name = seat->node.n != 0 ? node->object.name : claim->object.name;
	seat->reqs = plm_reqs_of_labels(&pass->sched,
					registered ? node->object.labels : claim->object.labels);
	if (seat->node.n == 0 && claim->phase == PLM_CLAIM_WANTED) {
		struct plm_reqs asked = plm_reqs_of_exprs(&pass->sched, claim->requirements);

		seat->reqs = plm_reqs_merge(&pass->sched, &seat->reqs, &asked);
	}
	host = plm_req_make(&pass->sched, pass->sched.known[PLM_KNOWN_HOSTNAME], PLM_OP_IN,
			    &seat->name, 1);
	if (plm_reqs_get(&seat->reqs, host.key) == NULL) {
		seat->reqs = plm_reqs_add(&pass->sched, &seat->reqs, &host);
	}
	seat->taints = plm_taints_of(&pass->sched, registered ? node->taints : claim->taints);
	if (seat->claim.n != 0 && !seat->initialized) {
		drop_starting_taints(pass, seat, claim->startup_taints);
	}
	if (seat->node.n != 0 && node->unschedulable != 0 && !pass->strict) {
		add_cordon(pass, seat);
	}
	seat->left = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
	fill_allocatable(pass, seat);
	plm_volume_seat(pass, seat);
	seat->failed = PLM_NEW_ARRAY(pass->arena, pass->try_words, uint64_t);
	seat->absorbed = PLM_NEW_ARRAY(pass->arena, (pass->ask_count + 63) / 64, uint64_t);
}

/* ---- who sits there already -------------------------------------------------------------------- */

/* Scratch of plm_pass_seats(). */
struct seating {
	uint32_t *of_node; /* slot of a node or claim to its seat's index + 1 */
	uint32_t *of_claim;
	int64_t *daemons; /* per seat: requests of daemon pods that run there */
};

static uint32_t seat_of_target(const struct plm_pass *pass, const struct seating *seating,
			       plm_sym target, bool is_claim)
{
	plm_id id = plm_find(pass->st, is_claim ? PLM_KIND_NODE_CLAIM : PLM_KIND_NODE, (plm_sym){0},
			     target);

	if (target.n == 0 || id.n == 0) {
		return 0;
	}
	return is_claim ? seating->of_claim[id.n] : seating->of_node[id.n];
}

static void take(const struct plm_pass *pass, struct plm_seat *seat, const struct plm_shape *shape)
{
	size_t mark = plm_arena_mark(pass->arena);

	plm_res_sub(pass, seat->left, plm_res_of_pod(pass, shape->requests));
	plm_arena_rewind(pass->arena, mark);
	seat->ports = plm_ports_add(&pass->sched, seat->ports, shape->ports);
}

static void use_place(const struct plm_pass *pass, const struct plm_pod *pod, uint32_t seat)
{
	plm_sym set = {0};
	plm_id workload = plm_pod_gang(&pass->sched, pod, &set);

	for (uint32_t i = 0; workload.n != 0 && i < pass->place_count; i++) {
		struct plm_seat_hold *held = &pass->places[i];

		if (held->workload.n == workload.n && plm_sym_equal(held->set, set) &&
		    held->seat == seat && held->left > 0) {
			held->left--;
			return;
		}
	}
}

/* A pod that is being deleted leaves its place to the one that is made for it. */
static bool gives_way(const struct plm_pass *pass, const struct plm_pod *pod)
{
	return pod->object.deleting_ms != PLM_UNSET &&
	       !plm_sym_equal(pod->object.owner_kind, pass->sched.known[PLM_KNOWN_STATEFUL_SET]);
}

static void take_volumes(struct plm_pass *pass, struct plm_seat *seat, const struct plm_pod *pod)
{
	struct plm_volume_owner owner = {0};

	if (seat->rooms.count > 0) {
		owner = plm_volume_owner_of(&pass->sched, pod);
		plm_volume_seat_take(pass, seat, &owner);
	}
}

static void seat_pod(struct plm_pass *pass, const struct seating *seating,
		     const struct plm_pod *pod)
{
	uint32_t count = 0;
	const struct plm_shape *shape = PLM_SPAN(pass->st, pod->shape, struct plm_shape, &count);
	uint32_t bound = seat_of_target(pass, seating, pod->node, false);
	uint32_t target = seat_of_target(pass, seating, pod->target, pod->target_claim != 0);

	if (count == 0) {
		return;
	}
	if (bound != 0) {
		take(pass, &pass->seats[bound - 1], shape);
		take_volumes(pass, &pass->seats[bound - 1], pod);
		use_place(pass, pod, bound - 1);
		if (plm_pod_of_daemon(&pass->sched, pod)) {
			int64_t *daemons = seating->daemons + (size_t)(bound - 1) * pass->res.count;
			size_t mark = plm_arena_mark(pass->arena);

			plm_res_add(pass, daemons, plm_res_of_pod(pass, shape->requests));
			plm_arena_rewind(pass->arena, mark);
		}
	}
	if (target != 0 && target != bound && (pod->node.n == 0 || bound == 0) &&
	    !gives_way(pass, pod) && !plm_pod_crowded_out(pass, pod)) {
		if (pod->node.n == 0) {
			pass->seats[target - 1].expected = pod->target;
		}
		take(pass, &pass->seats[target - 1], shape);
		take_volumes(pass, &pass->seats[target - 1], pod);
		use_place(pass, pod, target - 1);
	}
}

/* Room for daemons that have not come yet. */
static void reserve_daemons(struct plm_pass *pass, const struct seating *seating, uint32_t index)
{
	struct plm_seat *seat = &pass->seats[index];
	const int64_t *running = seating->daemons + (size_t)index * pass->res.count;
	size_t mark = plm_arena_mark(pass->arena);
	int64_t *expected = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);

	for (uint32_t d = 0; d < pass->daemon_count; d++) {
		if (plm_daemon_runs(pass, &pass->daemons[d], &seat->taints, &seat->reqs)) {
			plm_res_add(pass, expected, pass->daemons[d].requests);
		}
	}
	for (uint32_t r = 0; r < pass->res.count; r++) {
		seat->left[r] = plm_sub_sat(seat->left[r], plm_max(0, expected[r] - running[r]));
	}
	plm_arena_rewind(pass->arena, mark);
}

/* ---- reserved places --------------------------------------------------------------------------- */

static void collect_places(struct plm_pass *pass, const struct seating *seating)
{
	uint32_t total = 0;
	uint32_t count = 0;

	PLM_EACH_MARKED(pass->st, PLM_MARKED(PLM_MARK_PLACES), id)
	{
		(void)PLM_SPAN(pass->st, plm_workload_at(pass->st, id)->places, struct plm_place,
			       &count);
		total += count;
	}
	pass->places = PLM_NEW_ARRAY(pass->arena, total, struct plm_seat_hold);
	PLM_EACH_MARKED(pass->st, PLM_MARKED(PLM_MARK_PLACES), id)
	{
		const struct plm_place *places = PLM_SPAN(
			pass->st, plm_workload_at(pass->st, id)->places, struct plm_place, &count);

		for (uint32_t i = 0; i < count; i++) {
			uint32_t seat = seat_of_target(pass, seating, places[i].target,
						       places[i].claim != 0);

			if (seat != 0 && id.n != pass->gang.n) {
				pass->places[pass->place_count++] =
					(struct plm_seat_hold){.workload = id,
							       .set = places[i].pod_set,
							       .seat = seat - 1,
							       .left = places[i].count};
			}
		}
	}
}

static void hold_places(struct plm_pass *pass)
{
	for (uint32_t i = 0; i < pass->place_count; i++) {
		const struct plm_seat_hold *held = &pass->places[i];
		uint32_t count = 0;
		const struct plm_pod_set *sets =
			PLM_SPAN(pass->st, plm_workload_at(pass->st, held->workload)->pod_sets,
				 struct plm_pod_set, &count);

		for (uint32_t s = 0; s < count; s++) {
			uint32_t one = 0;
			const struct plm_shape *shape =
				PLM_SPAN(pass->st, sets[s].shape, struct plm_shape, &one);

			if (!plm_sym_equal(sets[s].name, held->set)) {
				continue;
			}
			for (int64_t n = 0; n < held->left; n++) {
				take(pass, &pass->seats[held->seat], shape);
			}
		}
	}
}

/* ---- all seats --------------------------------------------------------------------------------- */

static int initialized_first(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_pass *pass = context;
	const struct plm_seat *x = &pass->seats[a];
	const struct plm_seat *y = &pass->seats[b];
	int order = 0;

	if (x->initialized != y->initialized) {
		return x->initialized ? -1 : 1;
	}
	order = plm_sym_compare(pass->st, x->name, y->name);
	return order != 0 ? order : (a < b ? -1 : (a > b ? 1 : 0));
}

static void order_seats(struct plm_pass *pass)
{
	uint32_t *order = PLM_NEW_ARRAY(pass->arena, pass->seat_count, uint32_t);
	struct plm_seat *seats = PLM_NEW_ARRAY(pass->arena, pass->seat_count, struct plm_seat);

	for (uint32_t i = 0; i < pass->seat_count; i++) {
		order[i] = i;
	}
	plm_sort(order, pass->seat_count, initialized_first, pass, pass->arena);
	for (uint32_t i = 0; i < pass->seat_count; i++) {
		seats[i] = pass->seats[order[i]];
	}
	pass->seats = seats;
}

static void find_seats(struct plm_pass *pass)
{
	PLM_EACH(pass->st, node, id)
	{
		const struct plm_node *node = plm_node_at(pass->st, id);

		if (plm_target_stands(pass->st, node->object.name, false)) {
			pass->seats[pass->seat_count++] =
				(struct plm_seat){.node = id, .claim = node->claim};
		}
	}
	PLM_EACH(pass->st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(pass->st, id);
		bool has_node = claim->node.n != 0 &&
				plm_find(pass->st, PLM_KIND_NODE, (plm_sym){0}, claim->node).n != 0;

		if (!has_node && !plm_claim_leaves(claim)) {
			pass->seats[pass->seat_count++] = (struct plm_seat){.claim = id};
		}
	}
}

void plm_pass_seats(struct plm_pass *pass)
{
	struct seating seating = {
		.of_node = PLM_NEW_ARRAY(pass->arena, plm_node_bound(pass->st), uint32_t),
		.of_claim = PLM_NEW_ARRAY(pass->arena, plm_node_claim_bound(pass->st), uint32_t),
	};

	pass->seats =
		PLM_NEW_ARRAY(pass->arena, plm_node_live(pass->st) + plm_node_claim_live(pass->st),
			      struct plm_seat);
	find_seats(pass);
	for (uint32_t i = 0; i < pass->seat_count; i++) {
		begin_seat(pass, &pass->seats[i]);
	}
	order_seats(pass);
	for (uint32_t i = 0; i < pass->seat_count; i++) {
		seating.of_node[pass->seats[i].node.n] = i + 1;
		seating.of_claim[pass->seats[i].claim.n] = i + 1;
	}
	seating.of_node[0] = 0;
	seating.of_claim[0] = 0;
	seating.daemons =
		PLM_NEW_ARRAY(pass->arena, (size_t)pass->seat_count * pass->res.count, int64_t);
	collect_places(pass, &seating);
	PLM_EACH(pass->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(pass->st, id);

		if (plm_pod_holds(pod)) {
			seat_pod(pass, &seating, pod);
		}
	}
	hold_places(pass);
	for (uint32_t i = 0; i < pass->seat_count; i++) {
		reserve_daemons(pass, &seating, i);
	}
}

const plm_sym *plm_pass_crowded(const struct plm_pass *pass, uint32_t *count)
{
	plm_sym *targets = PLM_NEW_ARRAY(pass->arena, pass->seat_count, plm_sym);

	*count = 0;
	for (uint32_t i = 0; i < pass->seat_count; i++) {
		const struct plm_seat *seat = &pass->seats[i];
		bool over = false;

		for (uint32_t r = 0; r < pass->res.count; r++) {
			over = over || seat->left[r] < 0;
		}
		if (over && seat->expected.n != 0) {
			targets[(*count)++] = seat->expected;
		}
	}
	return targets;
}
