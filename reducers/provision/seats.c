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

bool plm_seat_initialized(const struct plm_pass *pass, const struct plm_seat *seat)
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

	registered = is_registered(pass, seat);
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
	seat->absorbed = PLM_NEW_ARRAY(pass->arena, (pass->ask_count + 63) / 64, uint64_t);
}

/* ---- who sits there already -------------------------------------------------------------------- */

static uint32_t seat_of_target(const struct plm_pass *pass, plm_sym target, bool is_claim)
{
	plm_id id = plm_find(pass->st, is_claim ? PLM_KIND_NODE_CLAIM : PLM_KIND_NODE, (plm_sym){0},
			     target);

	if (target.n == 0 || id.n == 0) {
		return 0;
	}
	return is_claim ? pass->seat_of_claim[id.n] : pass->seat_of_node[id.n];
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
	plm_id workload =
		pass->place_count == 0 ? (plm_id){0} : plm_pod_gang(&pass->sched, pod, &set);

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

/* It takes room on one seat at most: where it is bound, or else where it is expected. */
static void seat_pod(struct plm_pass *pass, const struct plm_pod *pod, int64_t *daemons)
{
	uint32_t count = 0;
	const struct plm_shape *shape = PLM_SPAN(pass->st, pod->shape, struct plm_shape, &count);
	uint32_t bound = seat_of_target(pass, pod->node, false);
	uint32_t target = seat_of_target(pass, pod->target, pod->target_claim != 0);

	if (count == 0) {
		return;
	}
	if (bound != 0) {
		take(pass, &pass->seats[bound - 1], shape);
		take_volumes(pass, &pass->seats[bound - 1], pod);
		use_place(pass, pod, bound - 1);
		if (plm_pod_of_daemon(&pass->sched, pod)) {
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

/* Room for daemons that have not come yet; 'running' is what those that have ask for. */
static void reserve_daemons(struct plm_pass *pass, struct plm_seat *seat, const int64_t *running)
{
	size_t mark = plm_arena_mark(pass->arena);
	int64_t *expected = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
	struct plm_reqs reqs = seat->reqs;

	/* A daemon set may wait for a node that is up; Karpenter forgets such ones while it starts. */
	if (!pass->strict && !seat->initialized) {
		reqs = plm_reqs_when_up(pass, &reqs);
	}
	for (uint32_t d = 0; d < pass->daemon_count; d++) {
		if (plm_daemon_runs(pass, &pass->daemons[d], &seat->taints, &reqs)) {
			plm_res_add(pass, expected, pass->daemons[d].requests);
		}
	}
	for (uint32_t r = 0; r < pass->res.count; r++) {
		seat->left[r] = plm_sub_sat(seat->left[r], plm_max(0, expected[r] - running[r]));
	}
	plm_arena_rewind(pass->arena, mark);
}

/* ---- reserved places --------------------------------------------------------------------------- */

static void collect_places(struct plm_pass *pass)
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
			uint32_t seat =
				seat_of_target(pass, places[i].target, places[i].claim != 0);

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

static void hold_place(struct plm_pass *pass, const struct plm_seat_hold *held)
{
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

static void hold_places(struct plm_pass *pass, uint32_t seat)
{
	for (uint32_t i = 0; i < pass->place_count; i++) {
		if (pass->places[i].seat == seat) {
			hold_place(pass, &pass->places[i]);
		}
	}
}

/* ---- one seat ---------------------------------------------------------------------------------- */

static int by_slot(const void *context, uint32_t a, uint32_t b)
{
	(void)context;
	return a < b ? -1 : (a > b ? 1 : 0);
}

/* Pods of one list behind those that are in 'pods' already. */
static uint32_t gather(const struct plm_pass *pass, uint32_t cell, enum plm_pod_side side,
		       uint32_t *pods, uint32_t count)
{
	for (plm_id pod = plm_pod_index_next(pass->st, cell, side, (plm_id){0}); pod.n != 0;
	     pod = plm_pod_index_next(pass->st, cell, side, pod)) {
		if (pods != NULL) {
			pods[count] = pod.n;
		}
		count++;
	}
	return count;
}

/* Pods that are bound to the seat or expected there; 'pods' NULL = how many. */
static uint32_t pods_of(const struct plm_pass *pass, const struct plm_seat *seat, uint32_t *pods)
{
	const struct plm_state *st = pass->st;
	uint32_t node = plm_pod_index_cell(st, plm_node_at(st, seat->node)->object.name, false);
	uint32_t claim =
		plm_pod_index_cell(st, plm_node_claim_at(st, seat->claim)->object.name, true);
	uint32_t count = gather(pass, node, PLM_SIDE_BOUND, pods, 0);

	count = gather(pass, node, PLM_SIDE_EXPECTED, pods, count);
	return gather(pass, claim, PLM_SIDE_EXPECTED, pods, count);
}

/* The seat whose room the pod takes: index + 1, 0 = none. */
static uint32_t sits_at(const struct plm_pass *pass, const struct plm_pod *pod)
{
	uint32_t bound = seat_of_target(pass, pod->node, false);

	if (!plm_pod_holds(pod)) {
		return 0;
	}
	return bound != 0 ? bound : seat_of_target(pass, pod->target, pod->target_claim != 0);
}

/* Without the index of pods: who sits where, by one walk over all pods, from the last. */
static void find_sitters(struct plm_pass *pass)
{
	const struct plm_state *st = pass->st;

	pass->sitters = PLM_NEW_ARRAY(pass->arena, pass->seat_count, uint32_t);
	pass->next_sitter = PLM_NEW_ARRAY(pass->arena, plm_pod_bound(st), uint32_t);
	for (uint32_t n = plm_pod_bound(st) - 1; n > 0; n--) {
		const struct plm_pod *pod = plm_pod_at(st, (plm_id){n});
		uint32_t seat = pod->object.used != 0 ? sits_at(pass, pod) : 0;

		if (seat != 0) {
			pass->next_sitter[n] = pass->sitters[seat - 1];
			pass->sitters[seat - 1] = n;
		}
	}
}

/* In the order of their slots, as a walk over all pods would meet them. */
static void seat_pods(struct plm_pass *pass, uint32_t index, int64_t *daemons)
{
	const struct plm_seat *seat = &pass->seats[index];
	uint32_t count = pods_of(pass, seat, NULL);
	uint32_t *pods = PLM_NEW_ARRAY(pass->arena, count, uint32_t);

	(void)pods_of(pass, seat, pods);
	plm_sort(pods, count, by_slot, NULL, pass->arena);
	for (uint32_t i = 0; i < count; i++) {
		const struct plm_pod *pod = plm_pod_at(pass->st, (plm_id){pods[i]});

		if ((i == 0 || pods[i] != pods[i - 1]) && sits_at(pass, pod) == index + 1) {
			seat_pod(pass, pod, daemons);
		}
	}
}

/* All that is to know of a seat: what it is, who sits there, what is kept for others. */
static void fill_seat(struct plm_pass *pass, uint32_t index)
{
	struct plm_seat *seat = &pass->seats[index];
	int64_t *daemons = NULL;

	seat->filled = true;
	begin_seat(pass, seat);
	daemons = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);
	if (pass->st->pods.filled) {
		seat_pods(pass, index, daemons);
	} else {
		for (uint32_t n = pass->sitters[index]; n != 0; n = pass->next_sitter[n]) {
			seat_pod(pass, plm_pod_at(pass->st, (plm_id){n}), daemons);
		}
	}
	hold_places(pass, index);
	reserve_daemons(pass, seat, daemons);
}

struct plm_seat *plm_seat_at(struct plm_pass *pass, uint32_t index)
{
	PLM_ASSERT(index < pass->seat_count);
	if (!pass->seats[index].filled) {
		fill_seat(pass, index);
	}
	return &pass->seats[index];
}

void plm_pass_fill_seats(struct plm_pass *pass)
{
	for (uint32_t i = 0; i < pass->seat_count; i++) {
		(void)plm_seat_at(pass, i);
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

static void add_seat(struct plm_pass *pass, plm_id node, plm_id claim)
{
	struct plm_seat *seat = &pass->seats[pass->seat_count++];

	seat->node = node;
	seat->claim = claim;
	seat->name = node.n != 0 ? plm_node_at(pass->st, node)->object.name
				 : plm_node_claim_at(pass->st, claim)->object.name;
	seat->initialized = plm_seat_initialized(pass, seat);
}

static bool claim_has_seat(const struct plm_state *st, const struct plm_node_claim *claim)
{
	bool has_node =
		claim->node.n != 0 && plm_find(st, PLM_KIND_NODE, (plm_sym){0}, claim->node).n != 0;

	return !has_node && !plm_claim_leaves(claim);
}

static void find_seats(struct plm_pass *pass)
{
	PLM_EACH(pass->st, node, id)
	{
		const struct plm_node *node = plm_node_at(pass->st, id);

		if (plm_target_stands(pass->st, node->object.name, false)) {
			add_seat(pass, id, node->claim);
		}
	}
	PLM_EACH(pass->st, node_claim, id)
	{
		if (claim_has_seat(pass->st, plm_node_claim_at(pass->st, id))) {
			add_seat(pass, (plm_id){0}, id);
		}
	}
}

void plm_pass_seats(struct plm_pass *pass)
{
	uint32_t room = plm_node_live(pass->st) + plm_node_claim_live(pass->st);

	pass->seat_of_node = PLM_NEW_ARRAY(pass->arena, plm_node_bound(pass->st), uint32_t);
	pass->seat_of_claim = PLM_NEW_ARRAY(pass->arena, plm_node_claim_bound(pass->st), uint32_t);
	pass->seats = PLM_NEW_ARRAY(pass->arena, room, struct plm_seat);
	pass->seat_rows = PLM_NEW_ARRAY(pass->arena, pass->try_count, uint64_t *);
	if (plm_seats_known(pass)) {
		plm_seats_find(pass);
	} else {
		find_seats(pass);
		order_seats(pass);
	}
	for (uint32_t i = 0; i < pass->seat_count; i++) {
		pass->seat_of_node[pass->seats[i].node.n] = i + 1;
		pass->seat_of_claim[pass->seats[i].claim.n] = i + 1;
	}
	pass->seat_of_node[0] = 0;
	pass->seat_of_claim[0] = 0;
	collect_places(pass);
	if (!pass->st->pods.filled) {
		find_sitters(pass);
	}
}

/* Pods that are expected somewhere make their seats known; no other can be crowded. */
static void fill_expected(struct plm_pass *pass)
{
	PLM_EACH_WAITING(pass->st, id)
	{
		uint32_t seat = sits_at(pass, plm_pod_at(pass->st, id));

		if (seat != 0) {
			(void)plm_seat_at(pass, seat - 1);
		}
	}
}

const plm_sym *plm_pass_crowded(struct plm_pass *pass, uint32_t *count)
{
	plm_sym *targets = PLM_NEW_ARRAY(pass->arena, pass->seat_count, plm_sym);

	*count = 0;
	fill_expected(pass);
	for (uint32_t i = 0; i < pass->seat_count; i++) {
		const struct plm_seat *seat = &pass->seats[i];
		bool over = false;

		for (uint32_t r = 0; seat->expected.n != 0 && r < pass->res.count; r++) {
			over = over || seat->left[r] < 0;
		}
		if (over) {
			targets[(*count)++] = seat->expected;
		}
	}
	return targets;
}

plm_sym plm_seat_host(const struct plm_pass *pass, const struct plm_seat *seat)
{
	plm_sym host = seat->name;

	(void)plm_kv_get(pass->st,
			 is_registered(pass, seat)
				 ? plm_node_at(pass->st, seat->node)->object.labels
				 : plm_node_claim_at(pass->st, seat->claim)->object.labels,
			 pass->sched.known[PLM_KNOWN_HOSTNAME], &host);
	return host;
}
