#include "reducers/admission/afs.h"

#include "core/quantity.h"
#include "reducers/admission/decay.h"
#include "reducers/admission/queue.h"

#define NANO 1000000000ULL

bool plm_afs_on(const struct plm_state *st, plm_id queue)
{
	return plm_root(st)->afs == 1 && queue.n != 0 &&
	       plm_cluster_queue_at(st, queue)->admission_mode == PLM_ADMISSION_BY_USAGE;
}

/* ---- amounts ----------------------------------------------------------------------------------- */

static plm_u128 fixed_of(const struct plm_fixed *fixed)
{
	PLM_ASSERT(fixed->whole >= 0);
	return (plm_u128)(uint64_t)fixed->whole << 32 | fixed->fraction;
}

static void set_fixed(struct plm_fixed *fixed, plm_u128 value)
{
	if (value >> 95 != 0) {
		value = ((plm_u128)1 << 95) - 1;
	}
	fixed->whole = (int64_t)(value >> 32);
	fixed->fraction = (uint32_t)value;
}

/* ---- what a LocalQueue counts as --------------------------------------------------------------- */

static uint64_t weight_of(const struct plm_state *st, plm_sym resource)
{
	uint32_t count = 0;
	const struct plm_amount *weights =
		PLM_SPAN(st, plm_root(st)->afs_weights, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(weights[i].resource, resource)) {
			return (uint64_t)plm_max(0, weights[i].amount);
		}
	}
	return NANO;
}

/*
 * Below 2^63 (weight) * 2^95 (amount) * 2^10 (milli) * 2^20 (resources) = 2^188, and times the weight of
 * another LocalQueue below 2^251.
 */
static void count_amount(const struct plm_state *st, plm_sym resource, plm_u128 amount,
			 struct plm_wide *sum)
{
	bool milli = plm_resource_scale(plm_str(st, resource)) == PLM_SCALE_MILLI;
	struct plm_wide part = plm_wide_mul(plm_wide_of(amount), weight_of(st, resource));

	*sum = plm_wide_add(*sum, plm_wide_mul(part, milli ? 1 : 1000));
}

/* Penalties of 'local' without an index. */
static void count_pending_slowly(const struct plm_state *st, plm_id local, struct plm_wide *sum)
{
	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);
		uint32_t count = 0;
		const struct plm_fixed *list =
			PLM_SPAN(st, workload->penalty, struct plm_fixed, &count);

		if (count == 0 || plm_queue_route(st, workload).local.n != local.n) {
			continue;
		}
		for (uint32_t i = 0; i < count; i++) {
			count_amount(st, list[i].resource, fixed_of(&list[i]), sum);
		}
	}
}

struct plm_afs_usage plm_afs_usage(const struct plm_state *st, plm_id local)
{
	const struct plm_local_queue *queue = plm_local_queue_at(st, local);
	struct plm_afs_usage usage = {.weight_nano = (uint64_t)plm_max(0, queue->weight_nano)};
	const struct plm_helds *pending = &plm_queue_index_local(st, local)->pending;

	PLM_ASSERT(local.n != 0);
	for (plm_id row = queue->consumed; row.n != 0; row = plm_consumed_at(st, row)->next) {
		const struct plm_fixed *amount = &plm_consumed_at(st, row)->amount;

		count_amount(st, amount->resource, fixed_of(amount), &usage.amount);
	}
	if (!st->queues.filled || st->queues.stale) {
		count_pending_slowly(st, local, &usage.amount);
		return usage;
	}
	for (uint32_t i = 0; i < pending->count; i++) {
		plm_i128 sum = pending->list[i].sum;

		PLM_ASSERT(sum >= 0);
		count_amount(st, pending->list[i].resource,
			     sum >> 95 != 0 ? ((plm_u128)1 << 95) - 1 : (plm_u128)sum,
			     &usage.amount);
	}
	return usage;
}

int plm_afs_compare(const struct plm_afs_usage *a, const struct plm_afs_usage *b)
{
	if (a->weight_nano == 0 || b->weight_nano == 0) {
		return (a->weight_nano == 0) - (b->weight_nano == 0);
	}
	return plm_wide_compare(plm_wide_mul(a->amount, b->weight_nano),
				plm_wide_mul(b->amount, a->weight_nano));
}

int plm_afs_order(const struct plm_state *st, plm_id a, plm_id b)
{
	struct plm_afs_usage left;
	struct plm_afs_usage right;

	if (a.n == b.n || a.n == 0 || b.n == 0) {
		return 0;
	}
	left = plm_afs_usage(st, a);
	right = plm_afs_usage(st, b);
	return plm_afs_compare(&left, &right);
}

/* ---- consumption ------------------------------------------------------------------------------- */

/*
 * The row of 'resource', made in its place by name when there is none; 0 when the table is at its
 * ceiling: that resource is not counted then.
 */
static plm_id row_of(struct plm_state *st, plm_id local, plm_sym resource)
{
	plm_id before = {0};
	plm_id row = plm_local_queue_at(st, local)->consumed;
	plm_id made = {0};

	while (row.n != 0 &&
	       plm_sym_compare(st, plm_consumed_at(st, row)->amount.resource, resource) < 0) {
		before = row;
		row = plm_consumed_at(st, row)->next;
	}
	if (row.n != 0 && plm_sym_equal(plm_consumed_at(st, row)->amount.resource, resource)) {
		return row;
	}
	if (plm_consumed_live(st) >= plm_table_info(PLM_TABLE_CONSUMED)->ceiling) {
		return (plm_id){0};
	}
	made = plm_slot_new(st, PLM_TABLE_CONSUMED);
	plm_consumed_edit(st, made)->amount.resource = resource;
	plm_consumed_edit(st, made)->next = row;
	plm_consumed_edit(st, made)->local = local;
	if (before.n == 0) {
		plm_local_queue_edit(st, local)->consumed = made;
	} else {
		plm_consumed_edit(st, before)->next = made;
	}
	return made;
}

static void consume(struct plm_state *st, plm_id local, plm_sym resource, plm_u128 amount)
{
	plm_id row = row_of(st, local, resource);

	if (row.n != 0) {
		struct plm_fixed *fixed = &plm_consumed_edit(st, row)->amount;

		set_fixed(fixed, fixed_of(fixed) + amount);
	}
}

/* The resource of 'helds' that comes after 'last' by name, NULL at the end: rows are made in that order. */
static const struct plm_held *held_after(const struct plm_state *st, const struct plm_helds *helds,
					 plm_sym last)
{
	const struct plm_held *next = NULL;

	for (uint32_t i = 0; i < helds->count; i++) {
		const struct plm_held *held = &helds->list[i];

		if (plm_held_amount(held) > 0 &&
		    (last.n == 0 || plm_sym_compare(st, held->resource, last) > 0) &&
		    (next == NULL || plm_sym_compare(st, held->resource, next->resource) < 0)) {
			next = held;
		}
	}
	return next;
}

/* Usage of 'resource' by the admitted workloads of 'local', as fixed point. */
static plm_u128 used(const struct plm_helds *helds, plm_sym resource)
{
	for (uint32_t i = 0; i < helds->count; i++) {
		if (plm_sym_equal(helds->list[i].resource, resource)) {
			return (plm_u128)(uint64_t)plm_max(0, plm_held_amount(&helds->list[i]))
			       << 32;
		}
	}
	return 0;
}

/* All resources of 'local', 'passed_ms' later. */
static void decay(struct plm_state *st, plm_id local, int64_t passed_ms)
{
	const struct plm_helds *admitted = &plm_queue_index_local(st, local)->admitted;
	int64_t half_life_ms = plm_root(st)->afs_half_life_ms;
	uint64_t left = 0;

	if (half_life_ms > 0 && passed_ms <= 0) {
		return;
	}
	left = half_life_ms == 0 ? 0 : plm_decay(passed_ms, half_life_ms);
	for (const struct plm_held *held = held_after(st, admitted, (plm_sym){0});
	     held != NULL && half_life_ms > 0; held = held_after(st, admitted, held->resource)) {
		(void)row_of(st, local, held->resource);
	}
	for (plm_id row = plm_local_queue_at(st, local)->consumed; row.n != 0;
	     row = plm_consumed_at(st, row)->next) {
		struct plm_fixed *fixed = &plm_consumed_edit(st, row)->amount;
		plm_u128 to = half_life_ms == 0 ? 0 : used(admitted, fixed->resource);

		set_fixed(fixed, plm_decay_towards(fixed_of(fixed), to, left));
	}
}

/* What its status says; without one it has consumed what it uses now, as upstream after a start. */
static void begin(struct plm_state *st, plm_id local, int64_t now_ms)
{
	struct plm_local_queue *queue = plm_local_queue_edit(st, local);
	const struct plm_helds *admitted = &plm_queue_index_local(st, local)->admitted;
	bool said = queue->reported_ms != PLM_UNSET && queue->reported_ms <= now_ms;
	uint32_t count = 0;
	const struct plm_amount *amounts = PLM_SPAN(st, queue->reported, struct plm_amount, &count);

	queue->sampled_ms = said ? queue->reported_ms : now_ms;
	for (plm_id row = queue->consumed; row.n != 0; row = plm_consumed_at(st, row)->next) {
		set_fixed(&plm_consumed_edit(st, row)->amount, 0);
	}
	for (uint32_t i = 0; said && i < count; i++) {
		consume(st, local, amounts[i].resource,
			(plm_u128)(uint64_t)plm_max(0, amounts[i].amount) << 32);
	}
	for (const struct plm_held *held = held_after(st, admitted, (plm_sym){0});
	     held != NULL && !said; held = held_after(st, admitted, held->resource)) {
		consume(st, local, held->resource, used(admitted, held->resource));
	}
}

/* A status that is newer than what was sampled here is what another writer knows. */
static bool begins(const struct plm_local_queue *queue)
{
	return queue->sampled_ms == PLM_UNSET ||
	       (queue->reported_ms != PLM_UNSET && queue->reported_ms > queue->sampled_ms);
}

void plm_afs_sample(struct plm_state *st, int64_t now_ms, bool cycle)
{
	int64_t interval = plm_root(st)->afs_interval_ms;
	int64_t due = INT64_MAX;

	if (plm_root(st)->afs == 0 || now_ms < plm_root(st)->afs_due_ms ||
	    (!cycle && plm_root(st)->afs_due_ms == 0)) {
		return;
	}
	PLM_ASSERT(interval > 0);
	plm_queue_refresh(st);
	PLM_EACH(st, local_queue, id)
	{
		int64_t passed = 0;

		if (cycle && begins(plm_local_queue_at(st, id))) {
			begin(st, id, now_ms);
		}
		if (plm_local_queue_at(st, id)->sampled_ms == PLM_UNSET) {
			due = 0;
			continue;
		}
		passed = plm_max(0, now_ms - plm_local_queue_at(st, id)->sampled_ms);
		passed -= passed % interval;
		if (passed > 0) {
			decay(st, id, passed);
			plm_local_queue_edit(st, id)->sampled_ms += passed;
		}
		due = plm_min(due, plm_add_sat(plm_local_queue_at(st, id)->sampled_ms, interval));
	}
	plm_root_change(st)->afs_due_ms = due;
}

int64_t plm_afs_next_due(const struct plm_state *st)
{
	const struct plm_root *root = plm_root(st);
	int64_t first = PLM_UNSET;

	if (root->afs == 0 || root->afs_due_ms == INT64_MAX) {
		return PLM_UNSET;
	}
	if (!st->queues.filled) {
		return root->afs_due_ms;
	}
	for (uint32_t n = 1; st->queues.contended > 0 && n < st->queues.local_count; n++) {
		const struct plm_local_cell *cell = &st->queues.locals[n];
		int64_t due = 0;

		if (cell->lane.count == 0 ||
		    plm_queue_index_cell(st, (plm_id){cell->queue})->locals < 2) {
			continue;
		}
		due = plm_local_queue_at(st, (plm_id){n})->sampled_ms;
		due = due == PLM_UNSET ? root->now_ms : plm_add_sat(due, root->afs_interval_ms);
		first = first == PLM_UNSET ? due : plm_min(first, due);
	}
	return first;
}

/* ---- penalties --------------------------------------------------------------------------------- */

static bool is_pods(const struct plm_state *st, plm_sym resource)
{
	return plm_sym_is(st, resource, "pods");
}

/* 'amount' of 'resource' more in 'list', which has room for it. */
static uint32_t add_amount(struct plm_amount *list, uint32_t count, const struct plm_amount *more)
{
	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i].resource, more->resource)) {
			list[i].amount = plm_add_sat(list[i].amount, more->amount);
			return count;
		}
	}
	list[count] = *more;
	return count + 1;
}

/* All that the workload was assigned, by resource, without the pods that are counted besides. */
static uint32_t total(const struct plm_state *st, const struct plm_workload *workload,
		      struct plm_arena *scratch, struct plm_amount **out)
{
	uint32_t sets = 0;
	const struct plm_assignment *set =
		PLM_SPAN(st, workload->assignments, struct plm_assignment, &sets);
	uint32_t room = 0;
	uint32_t count = 0;
	uint32_t amounts = 0;

	for (uint32_t i = 0; i < sets; i++) {
		(void)PLM_SPAN(st, set[i].usage, struct plm_amount, &amounts);
		room += amounts;
	}
	*out = PLM_NEW_ARRAY(scratch, room, struct plm_amount);
	for (uint32_t i = 0; i < sets; i++) {
		const struct plm_amount *usage =
			PLM_SPAN(st, set[i].usage, struct plm_amount, &amounts);

		for (uint32_t j = 0; j < amounts; j++) {
			if (usage[j].amount > 0 && !is_pods(st, usage[j].resource)) {
				count = add_amount(*out, count, &usage[j]);
			}
		}
	}
	return count;
}

void plm_afs_charge(struct plm_state *st, plm_id id, struct plm_arena *scratch)
{
	const struct plm_root *root = plm_root(st);
	const struct plm_workload *workload = plm_workload_at(st, id);
	struct plm_amount *amounts = NULL;
	struct plm_fixed *list = NULL;
	uint32_t count = 0;
	uint64_t left = 0;

	if (!plm_afs_on(st, workload->cluster_queue) || root->afs_half_life_ms == 0) {
		return;
	}
	left = plm_decay(root->afs_interval_ms, root->afs_half_life_ms);
	count = total(st, workload, scratch, &amounts);
	list = PLM_NEW_ARRAY(scratch, count, struct plm_fixed);
	for (uint32_t i = 0; i < count; i++) {
		plm_u128 amount = (plm_u128)(uint64_t)amounts[i].amount << 32;

		list[i].resource = amounts[i].resource;
		set_fixed(&list[i], amount - plm_decay_towards(amount, 0, left));
	}
	plm_workload_edit(st, id)->penalty = plm_intern_span(st, list, count, sizeof(*list));
}

void plm_afs_settle(struct plm_state *st, plm_id id)
{
	plm_id local = {plm_queue_index_link(st, id)->local};
	uint32_t count = 0;
	const struct plm_fixed *list =
		PLM_SPAN(st, plm_workload_at(st, id)->penalty, struct plm_fixed, &count);
	int64_t now_ms = plm_root(st)->now_ms;

	PLM_ASSERT(plm_workload_at(st, id)->stage == PLM_STAGE_ADMITTED);
	if (count == 0) {
		return;
	}
	plm_workload_edit(st, id)->penalty = (plm_sym){0};
	plm_queue_place(st, id);
	if (local.n == 0 || plm_local_queue_at(st, local)->sampled_ms == PLM_UNSET) {
		return;
	}
	decay(st, local, now_ms - plm_local_queue_at(st, local)->sampled_ms);
	plm_local_queue_edit(st, local)->sampled_ms =
		plm_max(now_ms, plm_local_queue_at(st, local)->sampled_ms);
	for (uint32_t i = 0; i < count; i++) {
		consume(st, local, list[i].resource, fixed_of(&list[i]));
	}
}

void plm_afs_drop(struct plm_state *st, plm_id id, plm_id local_before)
{
	const struct plm_workload *workload = plm_workload_at(st, id);
	bool moved = local_before.n != 0 && plm_queue_index_link(st, id)->local != local_before.n;
	bool off = workload->stage == PLM_STAGE_PENDING && workload->active == 0;

	if (workload->penalty.n == 0) {
		return;
	}
	if (workload->stage == PLM_STAGE_FINISHED || off || moved) {
		plm_workload_edit(st, id)->penalty = (plm_sym){0};
		plm_queue_place(st, id);
	}
}

void plm_afs_forget(struct plm_state *st, plm_id local)
{
	const struct plm_local_queue *queue = plm_local_queue_at(st, local);

	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);

		if (workload->penalty.n != 0 &&
		    plm_sym_equal(workload->queue, queue->object.name) &&
		    plm_sym_equal(workload->object.ns, queue->object.ns)) {
			plm_workload_edit(st, id)->penalty = (plm_sym){0};
		}
	}
}
