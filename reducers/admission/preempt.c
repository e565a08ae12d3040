#include "reducers/admission/preempt.h"

#include "core/sort.h"
#include "reducers/admission/fair.h"
#include "reducers/admission/fair_preempt.h"
#include "reducers/admission/queue.h"
#include "reducers/admission/rest.h"

/* Victims that are picked one by one before all candidates are sorted. */
#define PICKED 8U

enum list {
	LIST_HIERARCHY,
	LIST_PRIORITY,
	LIST_SAME
};

/* Candidates by what their going is good for. */
enum freed {
	FREED_OWN,
	FREED_OTHERS,
	FREED_NOT_BORROWING, /* only without borrowing may they be taken */
	FREED_COUNT
};

struct candidate {
	const struct plm_holder *holder;
	uint32_t lca; /* node; PLM_NO_NODE: same queue */
	enum list list;
	bool no_borrowing; /* ReclaimWithoutBorrowing */
	enum plm_reason reason;
};

struct search {
	const struct plm_preemptor *p;
	const struct plm_need *need;
	const struct plm_workload *workload;
	const struct plm_cluster_queue *queue;
	struct candidate *list;
	uint32_t count, capacity;
	uint32_t others, hierarchy;
	struct {
		int64_t by[FREED_COUNT];
	} *freed;	/* by want */
	uint64_t *keys; /* by turn as far as 'ready'; candidate in the lower half */
	uint32_t ready;
};

/* ---- parts ------------------------------------------------------------------------------------- */

bool plm_preempt_policy(const struct plm_preemptor *p, uint32_t policy,
			const struct plm_holder *candidate)
{
	const struct plm_state *st = p->snap->st;
	const struct plm_workload *w = plm_workload_at(st, p->workload);

	if (p->spent_turn && candidate->preempted && !candidate->evicted) {
		return false;
	}
	switch ((enum plm_preemption)policy) {
	case PLM_PREEMPTION_NEVER:
		return false;
	case PLM_PREEMPTION_LOWER_PRIORITY:
		return w->priority > candidate->priority;
	case PLM_PREEMPTION_LOWER_OR_NEWER_EQUAL:
		return w->priority > candidate->priority ||
		       (w->priority == candidate->priority &&
			plm_queue_since(st, w) <
				plm_queue_since(st, plm_workload_at(st, candidate->workload)));
	case PLM_PREEMPTION_ANY:
		return true;
	}
	PLM_UNREACHABLE();
}

bool plm_preempt_uses(const struct plm_holder *holder, const struct plm_need *need)
{
	uint64_t pairs = 0;

	for (uint32_t j = 0; j < need->count; j++) {
		pairs |= UINT64_C(1) << (need->pairs[j] % 64);
	}
	if ((holder->pairs & pairs) == 0) {
		return false;
	}
	for (uint32_t i = 0; i < holder->uses.count; i++) {
		for (uint32_t j = 0; j < need->count; j++) {
			if (holder->uses.list[i].pair == need->pairs[j]) {
				return true;
			}
		}
	}
	return false;
}

/* Own workloads were taken out, and their place is not enough: more would be borrowed than before. */
static bool borrows_again(const struct plm_preemptor *p, const struct plm_use *want)
{
	const struct plm_cell *cell = plm_quotas_cell(p->snap, p->node, want->pair);
	int64_t before = p->usage_before == NULL ? 0 : p->usage_before[want->pair];

	return p->usage_before != NULL && cell->usage < before &&
	       plm_quota_add(cell->usage, want->amount) > plm_max(cell->subtree, before);
}

/* Are there domains for it, as the snapshot is now? */
static bool finds_domains(const struct plm_quotas *snap, const struct plm_need *need)
{
	size_t mark = 0;
	struct plm_tas_set *places = NULL;
	bool found = false;

	if (need->ask_count == 0) {
		return true;
	}
	plm_tas_prepare(snap->tas);
	mark = plm_arena_mark(snap->arena);
	places = PLM_NEW_ARRAY(snap->arena, need->ask_count, struct plm_tas_set);
	found = plm_tas_place(snap->tas, need->asks, need->ask_count, false, places, NULL);
	plm_arena_rewind(snap->arena, mark);
	return found;
}

bool plm_preempt_places(const struct plm_quotas *snap, const struct plm_need *need,
			const struct plm_holder *const *holders, uint32_t count)
{
	bool found = true;

	if (need->ask_count != 1) {
		return true; /* what is given to one may take away from the next: only trying tells */
	}
	for (uint32_t i = 0; i < count; i++) {
		plm_tas_add(snap->tas, holders[i]->tas.list, holders[i]->tas.count, -1);
	}
	found = finds_domains(snap, need);
	for (uint32_t i = 0; i < count; i++) {
		plm_tas_add(snap->tas, holders[i]->tas.list, holders[i]->tas.count, 1);
	}
	return found;
}

bool plm_preempt_fits(const struct plm_preemptor *p, const struct plm_need *need, bool borrowing)
{
	for (uint32_t i = 0; i < need->wants.count; i++) {
		const struct plm_use *want = &need->wants.list[i];

		if (!borrowing && plm_quota_borrows(plm_quotas_cell(p->snap, p->node, want->pair),
						    want->amount)) {
			return false;
		}
		if (borrows_again(p, want) ||
		    want->amount > plm_quotas_available(p->snap, p->node, want->pair)) {
			return false;
		}
	}
	return finds_domains(p->snap, need);
}

bool plm_preempt_within(const struct plm_quotas *snap, uint32_t node, const struct plm_need *need)
{
	for (uint32_t i = 0; i < need->count; i++) {
		if (!plm_quota_within(plm_quotas_cell(snap, node, need->pairs[i]))) {
			return false;
		}
	}
	return true;
}

void plm_preempt_fill_back(const struct plm_preemptor *p, const struct plm_need *need,
			   struct plm_targets *targets, bool borrowing)
{
	for (uint32_t i = targets->count - 1; i-- > 0;) {
		plm_quotas_restore(p->snap, targets->list[i].holder);
		if (plm_preempt_fits(p, need, borrowing)) {
			targets->list[i] = targets->list[--targets->count];
		} else {
			plm_quotas_remove(p->snap, targets->list[i].holder);
		}
	}
	for (uint32_t i = 0; i < targets->count; i++) {
		plm_quotas_restore(p->snap, targets->list[i].holder);
	}
}

/* ---- candidates -------------------------------------------------------------------------------- */

static void add(struct search *s, struct candidate candidate)
{
	if (s->count == s->capacity) {
		uint32_t next = s->capacity == 0 ? 32 : 2 * s->capacity;
		struct candidate *list = PLM_NEW_ARRAY(s->p->snap->arena, next, struct candidate);

		if (s->count > 0) {
			memcpy(list, s->list, s->count * sizeof(*list));
		}
		s->list = list;
		s->capacity = next;
	}
	s->list[s->count++] = candidate;
}

/* kueue.md 2.11 "variant". */
static void classify(const struct search *s, struct candidate *c)
{
	int64_t priority = c->holder->priority;
	bool while_borrowing =
		s->queue->borrow_within != PLM_PREEMPTION_NEVER &&
		priority < s->workload->priority &&
		(s->queue->borrow_threshold == PLM_UNSET || priority <= s->queue->borrow_threshold);

	c->reason = PLM_REASON_IN_COHORT_RECLAMATION;
	if (c->list == LIST_PRIORITY) {
		c->no_borrowing = !while_borrowing;
		if (while_borrowing) {
			c->reason = PLM_REASON_IN_COHORT_RECLAIM_WHILE_BORROWING;
		}
	}
}

/* No holder of the queue has so low a priority that 'policy' allows to take it. */
static bool all_above(const struct search *s, const struct plm_holders *holders, uint32_t policy)
{
	int64_t priority = s->workload->priority;

	switch ((enum plm_preemption)policy) {
	case PLM_PREEMPTION_NEVER:
		return true;
	case PLM_PREEMPTION_LOWER_PRIORITY:
		return priority <= holders->least_priority;
	case PLM_PREEMPTION_LOWER_OR_NEWER_EQUAL:
		return priority < holders->least_priority;
	case PLM_PREEMPTION_ANY:
		return false;
	}
	PLM_UNREACHABLE();
}

/* What would come free of each want if the candidate went, in the sum of its like. */
static void count_freed(const struct search *s, const struct candidate *c)
{
	enum freed like = c->list == LIST_SAME ? FREED_OWN
			  : c->no_borrowing    ? FREED_NOT_BORROWING
					       : FREED_OTHERS;

	for (uint32_t i = 0; i < c->holder->uses.count; i++) {
		const struct plm_use *use = &c->holder->uses.list[i];

		for (uint32_t j = 0; j < s->need->wants.count; j++) {
			if (use->pair == s->need->wants.list[j].pair) {
				int64_t *sum = &s->freed[j].by[like];

				*sum = plm_quota_add(*sum, use->amount);
			}
		}
	}
}

static void collect_queue(struct search *s, uint32_t node, struct candidate kind, uint32_t policy)
{
	const struct plm_holders *holders = plm_quotas_holders(s->p->snap, node);

	if (all_above(s, holders, policy)) {
		(*s->p->spent)++;
		return;
	}
	for (uint32_t i = 0; i < holders->count; i++) {
		const struct plm_holder *holder = &holders->list[i];

		(*s->p->spent)++;
		if (s->p->snap->gone[holder->workload.n] != 0 ||
		    !plm_preempt_uses(holder, s->need) ||
		    !plm_preempt_policy(s->p, policy, holder)) {
			continue;
		}
		kind.holder = holder;
		if (kind.list == LIST_SAME) {
			kind.reason = PLM_REASON_IN_CLUSTER_QUEUE;
		} else {
			classify(s, &kind);
			s->others++;
			s->hierarchy += kind.list == LIST_HIERARCHY;
		}
		count_freed(s, &kind);
		add(s, kind);
	}
}

/*
 * Not even all candidates together make room: what a node can have grows by no more than what is freed
 * somewhere in its tree, and what it uses itself shrinks by no more than what its own free.
 */
static bool hopeless(const struct search *s, bool borrowing)
{
	for (uint32_t i = 0; i < s->need->wants.count; i++) {
		const struct plm_use *want = &s->need->wants.list[i];
		const struct plm_cell *cell = plm_quotas_cell(s->p->snap, s->p->node, want->pair);
		int64_t own = s->freed[i].by[FREED_OWN];
		int64_t freed = plm_quota_add(own, s->freed[i].by[FREED_OTHERS]);
		int64_t have = plm_quota_available(&s->p->snap->tree, s->p->node, want->pair);

		if (!borrowing) {
			freed = plm_quota_add(freed, s->freed[i].by[FREED_NOT_BORROWING]);
		}
		if (want->amount > plm_max(0, plm_quota_add(have, freed))) {
			return true;
		}
		if (!borrowing &&
		    cell->subtree < plm_quota_add(plm_quota_sub(cell->usage, own), want->amount)) {
			return true;
		}
	}
	return false;
}

/* The subtree of 'top' without the part below 'visited'. */
static void collect_tree(struct search *s, uint32_t top, uint32_t visited, bool advantage)
{
	const struct plm_quotas *snap = s->p->snap;
	struct candidate kind = {
		.lca = top,
		.list = advantage ? LIST_HIERARCHY : LIST_PRIORITY,
	};
	bool skip = false;

	for (uint32_t n = plm_quotas_walk(snap, top, top, false); n != PLM_NO_NODE;
	     n = plm_quotas_walk(snap, top, n, skip)) {
		skip = n == visited || plm_preempt_within(snap, n, s->need);
		if (!skip && snap->tree.nodes[n].queue) {
			collect_queue(s, n, kind, s->queue->reclaim);
		}
	}
}

/* quantitiesFit: takes from 'left' what is available at the node itself. */
static bool quantities_fit(const struct plm_quotas *snap, uint32_t node, struct plm_uses left)
{
	bool fits = true;

	for (uint32_t i = 0; i < left.count; i++) {
		const struct plm_cell *cell = plm_quotas_cell(snap, node, left.list[i].pair);
		int64_t amount = left.list[i].amount;

		fits = fits && !plm_quota_borrows(cell, amount);
		left.list[i].amount =
			plm_max(0, plm_quota_sub(amount, plm_quota_local_available(cell)));
	}
	return fits;
}

/* q uses less than its nominal quota of every needed FR. */
static bool under_nominal(const struct search *s)
{
	for (uint32_t i = 0; i < s->need->count; i++) {
		const struct plm_cell *cell =
			plm_quotas_cell(s->p->snap, s->p->node, s->need->pairs[i]);

		if (cell->usage >= cell->nominal) {
			return false;
		}
	}
	return true;
}

/* Only victims that may be taken while the queue borrows will do: attempts() looks at no others then. */
static bool only_borrowing(const struct search *s)
{
	return s->queue->borrow_within == PLM_PREEMPTION_NEVER && !under_nominal(s);
}

static void collect_others(struct search *s)
{
	struct plm_quotas *snap = s->p->snap;
	struct plm_uses left = {
		PLM_NEW_ARRAY(snap->arena, s->need->wants.count, struct plm_use),
		s->need->wants.count,
	};
	uint32_t visited = s->p->node;
	bool only = only_borrowing(s);
	bool advantage = false;

	if (s->queue->reclaim == PLM_PREEMPTION_NEVER) {
		return;
	}
	if (left.count > 0) {
		memcpy(left.list, s->need->wants.list, left.count * sizeof(*left.list));
	}
	advantage = quantities_fit(snap, visited, left);
	for (uint32_t t = snap->tree.nodes[visited].parent; t != PLM_NO_NODE;
	     t = snap->tree.nodes[t].parent) {
		bool fits = false;

		if (advantage || !only) {
			collect_tree(s, t, visited, advantage);
		}
		fits = quantities_fit(snap, t, left);
		advantage = advantage || fits;
		visited = t;
	}
}

/* The turn of candidates, as numbers: those being evicted, then by list, then by rank. */
static void make_keys(struct search *s)
{
	plm_preempt_rank(s->p->snap, s->p->node);
	s->keys = PLM_NEW_ARRAY(s->p->snap->arena, s->count, uint64_t);
	for (uint32_t i = 0; i < s->count; i++) {
		const struct candidate *c = &s->list[i];
		uint64_t place = (uint64_t)(c->holder->evicted ? 0 : 4) + (uint64_t)c->list;

		PLM_ASSERT(c->holder->rank < 1U << 28);
		s->keys[i] = place << 60 | (uint64_t)c->holder->rank << 32 | i;
	}
}

/* Most searches end with a few victims: the first ones are picked, the rest is sorted when it is needed. */
static const struct candidate *at_turn(struct search *s, uint32_t turn)
{
	PLM_ASSERT(turn < s->count && turn <= s->ready);
	if (turn == s->ready && turn < PICKED) {
		uint64_t *keys = s->keys;
		uint64_t least = keys[turn];
		uint32_t at = turn;

		for (uint32_t i = turn + 1; i < s->count; i++) {
			if (keys[i] < least) {
				least = keys[i];
				at = i;
			}
		}
		keys[at] = keys[turn];
		keys[turn] = least;
		s->ready++;
	} else if (turn == s->ready) {
		plm_sort_numbers(s->keys + turn, s->count - turn, s->p->snap->arena);
		s->ready = s->count;
	}
	return &s->list[(uint32_t)s->keys[turn]];
}

/* ---- attempts ---------------------------------------------------------------------------------- */

/* May the candidate still be taken? */
static bool valid(const struct search *s, const struct candidate *c, bool borrowing)
{
	const struct plm_quotas *snap = s->p->snap;

	if (c->list == LIST_SAME) {
		return true;
	}
	if (borrowing && c->no_borrowing) {
		return false;
	}
	for (uint32_t n = c->holder->node; n != c->lca; n = snap->tree.nodes[n].parent) {
		if (plm_preempt_within(snap, n, s->need)) {
			return false;
		}
	}
	return true;
}

/* Not even all candidates together make room in the domains. */
static bool without_domains(const struct search *s)
{
	size_t mark = 0;
	const struct plm_holder **holders = NULL;
	bool found = true;

	if (s->need->ask_count != 1) {
		return false;
	}
	plm_tas_prepare(s->p->snap->tas);
	mark = plm_arena_mark(s->p->snap->arena);
	holders = PLM_NEW_ARRAY(s->p->snap->arena, s->count, const struct plm_holder *);
	for (uint32_t i = 0; i < s->count; i++) {
		holders[i] = s->list[i].holder;
	}
	found = plm_preempt_places(s->p->snap, s->need, holders, s->count);
	plm_arena_rewind(s->p->snap->arena, mark);
	return !found;
}

/* The first 'want' of the victims out, where the first 'have' are. */
static void move_prefix(const struct search *s, const struct plm_targets *targets, uint32_t have,
			uint32_t want)
{
	for (; have < want; have++) {
		plm_quotas_remove(s->p->snap, targets->list[have].holder);
	}
	for (; have > want; have--) {
		plm_quotas_restore(s->p->snap, targets->list[have - 1].holder);
	}
}

/*
 * Fewer than the first 'bad' victims are not enough, all that are out are: the least number that is, by
 * halves. Room only grows with every victim, so this is what trying one after the other finds.
 */
static void shorten(const struct search *s, struct plm_targets *targets, uint32_t bad,
		    bool borrowing)
{
	uint32_t good = targets->count;
	uint32_t at = good;

	while (good - bad > 1) {
		uint32_t middle = bad + (good - bad) / 2;

		move_prefix(s, targets, at, middle);
		at = middle;
		if (plm_preempt_fits(s->p, s->need, borrowing)) {
			good = middle;
		} else {
			bad = middle;
		}
	}
	move_prefix(s, targets, at, good);
	targets->count = good;
}

/* When to look again after 'count' victims were too few; placing is too dear to be tried each time. */
static uint32_t next_look(const struct search *s, uint32_t count)
{
	bool leaps = s->need->ask_count == 1 && s->p->usage_before == NULL;

	return leaps ? count + 1 + count / 2 : count + 1;
}

static struct plm_targets attempt(struct search *s, bool borrowing)
{
	struct plm_targets targets = {NULL, 0};
	uint32_t few = 0; /* victims that are known to be too few */
	uint32_t look = 1;

	if (hopeless(s, borrowing)) {
		return targets;
	}
	if (s->keys == NULL) {
		make_keys(s);
	}
	targets.list = PLM_NEW_ARRAY(s->p->snap->arena, s->count, struct plm_target);
	for (uint32_t i = 0; i < s->count; i++) {
		const struct candidate *c = at_turn(s, i);

		(*s->p->spent)++;
		if (!valid(s, c, borrowing)) {
			continue;
		}
		plm_quotas_remove(s->p->snap, c->holder);
		targets.list[targets.count++] = (struct plm_target){c->holder, c->reason};
		if (targets.count < look) {
			continue;
		}
		if (plm_preempt_fits(s->p, s->need, borrowing)) {
			shorten(s, &targets, few, borrowing);
			plm_preempt_fill_back(s->p, s->need, &targets, borrowing);
			return targets;
		}
		few = targets.count;
		look = next_look(s, few);
	}
	if (few < targets.count && plm_preempt_fits(s->p, s->need, borrowing)) {
		shorten(s, &targets, few, borrowing);
		plm_preempt_fill_back(s->p, s->need, &targets, borrowing);
		return targets;
	}
	for (uint32_t i = 0; i < targets.count; i++) {
		plm_quotas_restore(s->p->snap, targets.list[i].holder);
	}
	targets.count = 0;
	return targets;
}

static struct plm_targets attempts(struct search *s)
{
	bool while_borrowing = s->queue->borrow_within != PLM_PREEMPTION_NEVER;
	bool first = true;
	struct plm_targets targets = {0};

	if (s->others == 0 || only_borrowing(s)) {
		return attempt(s, true);
	}
	if (!while_borrowing && s->hierarchy == 0) {
		first = false;
	}
	targets = attempt(s, first);
	return targets.count > 0 ? targets : attempt(s, !first);
}

static struct plm_targets find_classical(const struct plm_preemptor *p, const struct plm_need *need)
{
	struct search s = {
		.p = p,
		.need = need,
		.workload = plm_workload_at(p->snap->st, p->workload),
		.queue = plm_quotas_queue(p->snap, p->node),
		.freed = plm_arena_take(p->snap->arena, need->wants.count * sizeof(*s.freed)),
	};

	collect_queue(&s, p->node, (struct candidate){.lca = PLM_NO_NODE, .list = LIST_SAME},
		      s.queue->within);
	collect_others(&s);
	if (s.count == 0 || without_domains(&s)) {
		return (struct plm_targets){0};
	}
	return attempts(&s);
}

/* Another queue of the tree uses less than its own, may take it back, and somebody waits in it. */
static bool lender_waits(const struct plm_preemptor *p, const struct plm_need *need)
{
	const struct plm_quotas *snap = p->snap;
	uint32_t root = snap->tree.nodes[p->node].tree;

	for (uint32_t n = plm_quotas_walk(snap, root, root, false); n != PLM_NO_NODE;
	     n = plm_quotas_walk(snap, root, n, false)) {
		bool under = false;

		if (!snap->tree.nodes[n].queue || n == p->node ||
		    plm_quotas_queue(snap, n)->reclaim == PLM_PREEMPTION_NEVER) {
			continue;
		}
		for (uint32_t i = 0; i < need->count; i++) {
			const struct plm_cell *cell = plm_quotas_cell(snap, n, need->pairs[i]);

			under = under || cell->usage < cell->nominal;
		}
		if (under && plm_queue_awaited(snap->st, snap->tree.nodes[n].slot)) {
			return true;
		}
	}
	return false;
}

struct plm_targets plm_preempt_find(const struct plm_preemptor *p, const struct plm_need *need)
{
	const struct plm_workload *workload = plm_workload_at(p->snap->st, p->workload);
	const struct plm_cluster_queue *queue = plm_quotas_queue(p->snap, p->node);
	struct plm_preemptor bound = *p;

	if (workload->polite == 1 || (queue->preempt_threshold != PLM_UNSET &&
				      workload->priority < queue->preempt_threshold)) {
		return (struct plm_targets){0};
	}
	bound.spent_turn = p->better && plm_rest_spent(p->snap->st, p->workload);
	if (p->better && queue->within != PLM_PREEMPTION_NEVER && lender_waits(p, need)) {
		uint32_t pairs = plm_quotas_pair_count(p->snap, p->node);
		int64_t *usage = PLM_NEW_ARRAY(p->snap->arena, pairs, int64_t);

		for (uint32_t f = 0; f < pairs; f++) {
			usage[f] = plm_quotas_cell(p->snap, p->node, f)->usage;
		}
		bound.usage_before = usage;
	}
	return plm_fair_sharing(p->snap, p->node) ? plm_fair_preempt_find(&bound, need)
						  : find_classical(&bound, need);
}
