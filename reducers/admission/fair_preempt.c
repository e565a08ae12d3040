/* Victims under fair sharing: kueue.md 2.12. */
#include "reducers/admission/fair_preempt.h"

#include "core/sort.h"
#include "reducers/admission/fair.h"

#define NO_CANDIDATE UINT32_MAX

struct candidate {
	const struct plm_holder *holder;
	bool evicted, own;
	uint32_t next; /* of the same queue */
};

struct search {
	const struct plm_preemptor *p;
	const struct plm_need *need;
	struct plm_quotas *snap;
	struct candidate *list;
	uint32_t count, capacity;
	uint32_t *turn;
	uint32_t *first; /* by node: the first candidate left, NO_CANDIDATE */
	uint8_t *pruned; /* by node */
	uint32_t *retry; /* candidates that the first strategy left */
	uint32_t retry_count;
	struct plm_targets targets;
	bool within;		   /* the preemptor's queue borrows nothing of F, itself included */
	struct plm_share *initial; /* by node; once 'known': its share before there were victims */
	uint8_t *known;
};

/* ---- candidates -------------------------------------------------------------------------------- */

static void add(struct search *s, const struct plm_holder *holder)
{
	if (s->count == s->capacity) {
		uint32_t next = s->capacity == 0 ? 32 : 2 * s->capacity;
		struct candidate *list = PLM_NEW_ARRAY(s->snap->arena, next, struct candidate);

		if (s->count > 0) {
			memcpy(list, s->list, s->count * sizeof(*list));
		}
		s->list = list;
		s->capacity = next;
	}
	s->list[s->count++] = (struct candidate){
		.holder = holder,
		.own = holder->node == s->p->node,
		.evicted = holder->evicted,
	};
}

static void collect_queue(struct search *s, uint32_t node, uint32_t policy)
{
	const struct plm_holders *holders = plm_quotas_holders(s->snap, node);

	for (uint32_t i = 0; i < holders->count; i++) {
		const struct plm_holder *holder = &holders->list[i];

		(*s->p->spent)++;
		if (s->snap->gone[holder->workload.n] == 0 && plm_preempt_uses(holder, s->need) &&
		    plm_preempt_policy(s->p, policy, holder)) {
			add(s, holder);
		}
	}
}

static void collect(struct search *s)
{
	const struct plm_cluster_queue *queue = plm_quotas_queue(s->snap, s->p->node);
	uint32_t root = s->snap->tree.nodes[s->p->node].tree;

	collect_queue(s, s->p->node, queue->within);
	if (queue->reclaim == PLM_PREEMPTION_NEVER) {
		return;
	}
	for (uint32_t n = plm_quotas_walk(s->snap, root, root, false); n != PLM_NO_NODE;
	     n = plm_quotas_walk(s->snap, root, n, false)) {
		if (s->snap->tree.nodes[n].queue && n != s->p->node &&
		    !plm_preempt_within(s->snap, n, s->need)) {
			collect_queue(s, n, queue->reclaim);
		}
	}
}

static int by_turn(const void *context, uint32_t a, uint32_t b)
{
	const struct search *s = context;
	const struct candidate *left = &s->list[a];
	const struct candidate *right = &s->list[b];

	if (left->evicted != right->evicted) {
		return left->evicted ? -1 : 1;
	}
	if (left->own != right->own) {
		return left->own ? 1 : -1;
	}
	return plm_preempt_order(left->holder, right->holder);
}

/* Queues of candidates per node, from 'list' in order; nothing is pruned. */
static void begin(struct search *s, const uint32_t *list, uint32_t count)
{
	for (uint32_t n = 0; n < s->snap->tree.count; n++) {
		s->first[n] = NO_CANDIDATE;
		s->pruned[n] = 0;
	}
	for (uint32_t i = count; i-- > 0;) {
		struct candidate *c = &s->list[list[i]];

		c->next = s->first[c->holder->node];
		s->first[c->holder->node] = list[i];
	}
}

static struct candidate *pop(struct search *s, uint32_t node)
{
	struct candidate *c = &s->list[s->first[node]];

	s->first[node] = c->next;
	return c;
}

/* ---- which queue is next ----------------------------------------------------------------------- */

static bool on_path(const struct search *s, uint32_t node)
{
	for (uint32_t n = s->p->node; n != PLM_NO_NODE; n = s->snap->tree.nodes[n].parent) {
		if (n == node) {
			return true;
		}
	}
	return false;
}

struct best {
	uint32_t node;
	struct plm_share share;
};

/* Among the queues right below 'cohort': the highest share, ties by the first candidate. */
static struct best best_queue(struct search *s, uint32_t cohort)
{
	const struct plm_quota_node *nodes = s->snap->tree.nodes;
	struct best best = {.node = PLM_NO_NODE};

	for (uint32_t n = nodes[cohort].first_child; n != PLM_NO_NODE; n = nodes[n].next_sibling) {
		struct plm_share share = {0};
		int order = 0;

		if (!nodes[n].queue || s->pruned[n]) {
			continue;
		}
		share = plm_fair_share(s->snap, n);
		if ((!share.borrowing && n != s->p->node) || s->first[n] == NO_CANDIDATE) {
			s->pruned[n] = 1;
			continue;
		}
		order = best.node == PLM_NO_NODE ? 1 : plm_fair_compare(share, best.share);
		if (order > 0 || (order == 0 && by_turn(s, s->first[n], s->first[best.node]) < 0)) {
			best = (struct best){n, share};
		}
	}
	return best;
}

/* Among the cohorts right below: the highest share, the last of equals. */
static struct best best_cohort(struct search *s, uint32_t cohort)
{
	const struct plm_quota_node *nodes = s->snap->tree.nodes;
	struct best best = {.node = PLM_NO_NODE};

	for (uint32_t n = nodes[cohort].first_child; n != PLM_NO_NODE; n = nodes[n].next_sibling) {
		struct plm_share share = {0};

		if (nodes[n].queue || s->pruned[n]) {
			continue;
		}
		share = plm_fair_share(s->snap, n);
		if (!share.borrowing && !on_path(s, n)) {
			s->pruned[n] = 1;
		} else if (best.node == PLM_NO_NODE || plm_fair_compare(share, best.share) >= 0) {
			best = (struct best){n, share};
		}
	}
	return best;
}

/* The next queue to take a victim from, PLM_NO_NODE when there is none left. */
static uint32_t next_queue(struct search *s)
{
	const struct plm_quota_node *nodes = s->snap->tree.nodes;
	uint32_t root = nodes[s->p->node].tree;
	uint32_t at = root;

	if (nodes[root].queue) {
		return s->first[root] == NO_CANDIDATE ? PLM_NO_NODE : root;
	}
	while (!s->pruned[root]) {
		struct best queue = best_queue(s, at);
		struct best cohort = best_cohort(s, at);

		if (queue.node == PLM_NO_NODE && cohort.node == PLM_NO_NODE) {
			s->pruned[at] = 1;
			at = root;
		} else if (cohort.node != PLM_NO_NODE &&
			   (queue.node == PLM_NO_NODE ||
			    plm_fair_compare(cohort.share, queue.share) >= 0)) {
			at = cohort.node;
		} else {
			return queue.node;
		}
	}
	return PLM_NO_NODE;
}

/* ---- strategies -------------------------------------------------------------------------------- */

/* The preemptor fits, its own simulated usage aside. */
static bool fits(const struct search *s)
{
	bool fit = false;

	plm_quotas_free(s->snap, s->p->node, s->need->wants);
	fit = plm_preempt_fits(s->p, s->need, true);
	plm_quotas_use(s->snap, s->p->node, s->need->wants);
	return fit;
}

static bool take(struct search *s, const struct candidate *c, enum plm_reason reason)
{
	(*s->p->spent)++;
	plm_quotas_remove(s->snap, c->holder);
	s->targets.list[s->targets.count++] = (struct plm_target){c->holder, reason};
	return fits(s);
}

/* The nodes just below the lowest cohort that 'a' and 'b' share. */
static void below_common(const struct search *s, uint32_t *a, uint32_t *b)
{
	const struct plm_quota_node *nodes = s->snap->tree.nodes;

	while (nodes[*a].parent != nodes[*b].parent) {
		if (nodes[*a].depth >= nodes[*b].depth) {
			*a = nodes[*a].parent;
		} else {
			*b = nodes[*b].parent;
		}
	}
}

static struct plm_share share_without(const struct search *s, uint32_t node,
				      const struct candidate *c)
{
	struct plm_share share = {0};

	plm_quotas_remove(s->snap, c->holder);
	share = plm_fair_share(s->snap, node);
	plm_quotas_restore(s->snap, c->holder);
	return share;
}

/*
 * Not under strict compatibility: whoever preempts ends below what the other one had, so that the other
 * one could not preempt it back. A victim that takes nothing off the share is no use for that.
 */
static bool gains(const struct search *s, struct plm_share mine, uint32_t theirs)
{
	PLM_ASSERT(s->known[theirs] != 0);
	return !s->p->better || plm_fair_compare(mine, s->initial[theirs]) < 0;
}

/* The first strategy on another queue: pop until one passes. True when the preemptor fits. */
static bool contend(struct search *s, uint32_t node, bool final)
{
	uint32_t mine = s->p->node;
	uint32_t theirs = node;
	struct plm_share new_share = {0};
	struct plm_share old_share = {0};
	bool hopeless = false;

	below_common(s, &mine, &theirs);
	new_share = plm_fair_share(s->snap, mine);
	old_share = plm_fair_share(s->snap, theirs);
	if (s->known[theirs] == 0) {
		s->initial[theirs] = old_share;
		s->known[theirs] = 1;
	}
	hopeless = plm_fair_infinite(new_share) && !plm_fair_infinite(old_share);
	while (s->first[node] != NO_CANDIDATE) {
		uint32_t index = s->first[node];
		struct candidate *c = pop(s, node);
		bool passes = false;

		if (!hopeless && final) {
			passes = plm_fair_compare(new_share, share_without(s, theirs, c)) <= 0 &&
				 gains(s, new_share, theirs);
		} else if (!hopeless) {
			passes = plm_fair_compare(new_share, old_share) < 0;
		}
		if (passes) {
			return take(s, c, PLM_REASON_IN_COHORT_FAIR_SHARING);
		}
		s->retry[s->retry_count++] = index;
	}
	return false;
}

static bool first_strategy(struct search *s, bool final)
{
	begin(s, s->turn, s->count);
	for (uint32_t node = next_queue(s); node != PLM_NO_NODE; node = next_queue(s)) {
		bool done = false;

		if (node == s->p->node) {
			done = take(s, pop(s, node), PLM_REASON_IN_CLUSTER_QUEUE);
		} else if (s->within) {
			done = take(s, pop(s, node), PLM_REASON_IN_COHORT_RECLAMATION);
		} else {
			done = contend(s, node, final);
		}
		if (done) {
			return true;
		}
	}
	return false;
}

/* LessThanInitialShare on what the first one left, one candidate per queue. */
static bool second_strategy(struct search *s)
{
	begin(s, s->retry, s->retry_count);
	for (uint32_t node = next_queue(s); node != PLM_NO_NODE; node = next_queue(s)) {
		uint32_t mine = s->p->node;
		uint32_t theirs = node;

		below_common(s, &mine, &theirs);
		if (plm_fair_compare(plm_fair_share(s->snap, mine),
				     plm_fair_share(s->snap, theirs)) < 0 &&
		    take(s, pop(s, node), PLM_REASON_IN_COHORT_FAIR_SHARING)) {
			return true;
		}
		s->pruned[node] = 1;
	}
	return false;
}

static bool run(struct search *s)
{
	uint32_t strategies = plm_root(s->snap->st)->fair_strategies;

	if (strategies == PLM_FAIR_INITIAL) {
		return first_strategy(s, false);
	}
	return first_strategy(s, true) ||
	       (strategies == PLM_FAIR_FINAL_THEN_INITIAL && second_strategy(s));
}

/* ---- fill-back --------------------------------------------------------------------------------- */

/* Would each victim taken by its share be taken again, with those that are out now? */
static bool legal(const struct search *s)
{
	bool all = true;

	plm_quotas_use(s->snap, s->p->node, s->need->wants);
	for (uint32_t i = 0; all && i < s->targets.count; i++) {
		const struct plm_target *target = &s->targets.list[i];
		uint32_t mine = s->p->node;
		uint32_t theirs = target->holder->node;

		if (target->reason == PLM_REASON_IN_COHORT_FAIR_SHARING) {
			below_common(s, &mine, &theirs);
			all = gains(s, plm_fair_share(s->snap, mine), theirs);
		}
	}
	plm_quotas_free(s->snap, s->p->node, s->need->wants);
	return all;
}

/*
 * Upstream takes back every victim that is not needed for room. One of the preemptor's own queue raises
 * its share again, and then others may have been taken against the rules: two workloads preempt each
 * other for ever. Here such a one stays out.
 */
static void fill_back(struct search *s)
{
	struct plm_targets *targets = &s->targets;

	for (uint32_t i = targets->count - 1; i-- > 0;) {
		struct plm_target target = targets->list[i];

		plm_quotas_restore(s->snap, target.holder);
		targets->list[i] = targets->list[--targets->count];
		if (plm_preempt_fits(s->p, s->need, true) && legal(s)) {
			continue;
		}
		targets->list[targets->count++] = targets->list[i];
		targets->list[i] = target;
		plm_quotas_remove(s->snap, target.holder);
	}
	PLM_ASSERT(legal(s));
	for (uint32_t i = 0; i < targets->count; i++) {
		plm_quotas_restore(s->snap, targets->list[i].holder);
	}
}

static void prepare(struct search *s)
{
	struct plm_arena *arena = s->snap->arena;

	s->turn = PLM_NEW_ARRAY(arena, s->count, uint32_t);
	s->retry = PLM_NEW_ARRAY(arena, s->count, uint32_t);
	s->targets.list = PLM_NEW_ARRAY(arena, s->count, struct plm_target);
	s->first = PLM_NEW_ARRAY(arena, s->snap->tree.count, uint32_t);
	s->pruned = PLM_NEW_ARRAY(arena, s->snap->tree.count, uint8_t);
	s->known = PLM_NEW_ARRAY(arena, s->snap->tree.count, uint8_t);
	s->initial = PLM_NEW_ARRAY(arena, s->snap->tree.count, struct plm_share);
	for (uint32_t i = 0; i < s->count; i++) {
		s->turn[i] = i;
	}
	plm_preempt_rank(s->snap, s->p->node);
	plm_sort(s->turn, s->count, by_turn, s, arena);
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
	plm_tas_prepare(s->snap->tas);
	mark = plm_arena_mark(s->snap->arena);
	holders = PLM_NEW_ARRAY(s->snap->arena, s->count, const struct plm_holder *);
	for (uint32_t i = 0; i < s->count; i++) {
		holders[i] = s->list[i].holder;
	}
	found = plm_preempt_places(s->snap, s->need, holders, s->count);
	plm_arena_rewind(s->snap->arena, mark);
	return !found;
}

struct plm_targets plm_fair_preempt_find(const struct plm_preemptor *p, const struct plm_need *need)
{
	struct search s = {.p = p, .need = need, .snap = p->snap};
	bool done = false;

	collect(&s);
	if (s.count == 0 || without_domains(&s)) {
		return (struct plm_targets){0};
	}
	prepare(&s);
	plm_quotas_use(p->snap, p->node, need->wants);
	s.within = plm_preempt_within(p->snap, p->node, need);
	done = run(&s);
	plm_quotas_free(p->snap, p->node, need->wants);
	if (done && p->better) {
		fill_back(&s);
		return s.targets;
	}
	if (done) {
		plm_preempt_fill_back(p, need, &s.targets, true);
		return s.targets;
	}
	for (uint32_t i = 0; i < s.targets.count; i++) {
		plm_quotas_restore(p->snap, s.targets.list[i].holder);
	}
	return (struct plm_targets){0};
}
