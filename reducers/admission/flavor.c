#include "reducers/admission/flavor.h"

#include "reducers/admission/fair.h"
#include "reducers/admission/match.h"
#include "reducers/admission/topology.h"
#include "reducers/tas/tas.h"

/* Room for two scans: a group has 64 flavors at most (kueue.md 1.1). */
#define ATTEMPTS_MAX 128U

/* Pod sets that are given flavors together, and what they ask for in sum: kueue.md 2.6. */
struct bundle {
	uint32_t *members; /* indexes of pod sets */
	uint32_t member_count;
	struct plm_request *list;
	int64_t *amounts; /* by request, of all members */
	uint32_t count;
};

/* One scan: the flavors of a resource group for the requests of a bundle that it covers. */
struct scan {
	struct plm_applicant *a;
	struct plm_assess *out;
	const struct bundle *bundle;
	uint32_t set; /* its first pod set */
	const struct plm_group *group;
	struct plm_pick *now;  /* of the flavor at hand, one per request of the set */
	struct plm_pick *best; /* resource 0 where the group does not cover it */
	struct plm_rank best_rank;
	enum plm_severity least; /* of the flavors that did not fit; NONE = there was none */
	bool any_failed;
};

static struct plm_quotas *snap_of(const struct scan *s)
{
	return s->a->preemptor.snap;
}

/* ---- order of preference ----------------------------------------------------------------------- */

bool plm_flavor_preferred(struct plm_rank a, struct plm_rank b, uint32_t preference)
{
	bool a_viable = a.way > PLM_WAY_NO_CANDIDATES;
	bool b_viable = b.way > PLM_WAY_NO_CANDIDATES;

	if (a.way == PLM_WAY_NO_FIT) {
		return false;
	}
	if (b.way == PLM_WAY_NO_FIT) {
		return true;
	}
	if (a_viable != b_viable) {
		return a_viable;
	}
	if (preference == PLM_PREFER_PREEMPTION_OVER_BORROWING) {
		return a.height != b.height ? a.height < b.height : a.way > b.way;
	}
	return a.way != b.way ? a.way > b.way : a.height < b.height;
}

static bool try_next(const struct plm_cluster_queue *queue, struct plm_rank rank)
{
	bool preempts = rank.way == PLM_WAY_PREEMPT || rank.way == PLM_WAY_RECLAIM;

	return rank.way <= PLM_WAY_NO_CANDIDATES ||
	       (preempts && queue->when_can_preempt == PLM_FUNGIBILITY_TRY_NEXT_FLAVOR) ||
	       (rank.height > 0 && queue->when_can_borrow == PLM_FUNGIBILITY_TRY_NEXT_FLAVOR);
}

/* ---- quota of one resource --------------------------------------------------------------------- */

static int64_t assumed(const struct plm_assess *out, uint32_t pair)
{
	for (uint32_t i = 0; i < out->usage.count; i++) {
		if (out->usage.list[i].pair == pair) {
			return out->usage.list[i].amount;
		}
	}
	return 0;
}

/* The oracle: victims for this FR alone. */
static struct plm_rank ask_oracle(const struct scan *s, uint32_t pair, int64_t amount,
				  struct plm_fit fit)
{
	struct plm_quotas *snap = snap_of(s);
	uint32_t node = s->a->preemptor.node;
	struct plm_use want = {.amount = amount, .pair = pair};
	struct plm_need need = {.pairs = &pair, .count = 1, .wants = {&want, 1}};
	struct plm_targets targets = {0};
	struct plm_rank rank = {PLM_WAY_NO_CANDIDATES, fit.height};
	size_t mark = 0;

	plm_quotas_prepare(snap, node);
	mark = plm_arena_mark(snap->arena);
	targets = plm_preempt_find(&s->a->preemptor, &need);
	if (targets.count > 0) {
		rank.way = PLM_WAY_RECLAIM;
		for (uint32_t i = 0; i < targets.count; i++) {
			if (targets.list[i].holder->node == node) {
				rank.way = PLM_WAY_PREEMPT;
			}
			plm_quotas_remove(snap, targets.list[i].holder);
		}
		rank.height = plm_quota_lowest_fit(&snap->tree, node, pair, amount).height;
		for (uint32_t i = 0; i < targets.count; i++) {
			plm_quotas_restore(snap, targets.list[i].holder);
		}
	}
	plm_arena_rewind(snap->arena, mark);
	return rank;
}

static bool preempts_while_borrowing(const struct scan *s)
{
	return s->a->queue->borrow_within != PLM_PREEMPTION_NEVER ||
	       (plm_fair_sharing(snap_of(s), s->a->preemptor.node) &&
		s->a->queue->reclaim != PLM_PREEMPTION_NEVER);
}

/* fitsResourceQuota; fills the amounts of 'attempt' when it does not fit at once. */
static struct plm_rank fit_quota(const struct scan *s, uint32_t pair, int64_t amount,
				 struct plm_attempt *attempt)
{
	struct plm_quotas *snap = snap_of(s);
	uint32_t node = s->a->preemptor.node;
	int64_t need = plm_quota_add(assumed(s->out, pair), amount);
	int64_t potential = plm_quota_potential(&snap->tree, node, pair);
	int64_t available = plm_quotas_available(snap, node, pair);
	struct plm_fit fit = {0};
	bool limit = false;

	attempt->need = need;
	attempt->limit = potential;
	attempt->have = plm_max(-PLM_UNLIMITED, plm_quota_available(&snap->tree, node, pair));
	if (need > potential) {
		attempt->rule = PLM_RULE_MAX_QUOTA;
		attempt->severity = PLM_SEVERITY_MAX_QUOTA;
		attempt->have = potential;
		return (struct plm_rank){PLM_WAY_NO_FIT, 0};
	}
	fit = plm_quota_lowest_fit(&snap->tree, node, pair, need);
	attempt->rule = PLM_RULE_FITS;
	if (need <= available) {
		return (struct plm_rank){PLM_WAY_FIT, fit.height};
	}
	attempt->key = snap->tree.nodes[plm_quota_binding(&snap->tree, node, pair, &limit)].name;
	attempt->rule = limit ? PLM_RULE_BORROWING_LIMIT : PLM_RULE_QUOTA;
	if (plm_quotas_cell(snap, node, pair)->nominal >= need || fit.smaller ||
	    preempts_while_borrowing(s)) {
		return ask_oracle(s, pair, need, fit);
	}
	attempt->severity = PLM_SEVERITY_QUOTA;
	return (struct plm_rank){PLM_WAY_NO_FIT, 0};
}

/* ---- one flavor -------------------------------------------------------------------------------- */

static bool covered(const struct plm_state *st, const struct plm_group *group, plm_sym resource)
{
	uint32_t count = 0;
	const plm_sym *resources = PLM_SPAN(st, group->resources, plm_sym, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(resources[i], resource)) {
			return true;
		}
	}
	return false;
}

static bool was_tried(const struct plm_state *st, const struct plm_workload *workload,
		      plm_sym flavor)
{
	uint32_t count = 0;
	const plm_sym *tried = PLM_SPAN(st, workload->tried, plm_sym, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(tried[i], flavor)) {
			return true;
		}
	}
	return false;
}

/* kueue.md 2.6 c. False: not eligible, and 'attempt' says why. */
static bool eligible(const struct scan *s, plm_sym name, struct plm_attempt *attempt)
{
	const struct plm_state *st = snap_of(s)->st;
	plm_id id = plm_find(st, PLM_KIND_FLAVOR, (plm_sym){0}, name);
	const struct plm_flavor *flavor = id.n == 0 ? NULL : plm_flavor_at(st, id);
	const struct plm_flavor_view view = {name, flavor, s->group};
	struct plm_mismatch mismatch = {PLM_RULE_NONE, {0}};

	attempt->severity = PLM_SEVERITY_MISMATCH;
	if (flavor == NULL && s->a->queue->dialect == 0) {
		attempt->rule = PLM_RULE_FLAVOR_MISSING;
		return false;
	}
	for (uint32_t i = 0; i < s->bundle->member_count; i++) {
		const struct plm_set_request *set = &s->a->requests.sets[s->bundle->members[i]];

		mismatch.rule = plm_topology_match(s->a, set, &view, &mismatch.key);
		if (mismatch.rule == PLM_RULE_NONE) {
			mismatch = plm_match_flavor(st, flavor, set->shape);
		}
		if (mismatch.rule != PLM_RULE_NONE) {
			attempt->rule = mismatch.rule;
			attempt->key = mismatch.key;
			return false;
		}
	}
	if (was_tried(st, s->a->workload, name)) {
		attempt->rule = PLM_RULE_GANG;
		attempt->severity = PLM_SEVERITY_CAPACITY;
		return false;
	}
	attempt->severity = PLM_SEVERITY_NONE;
	return true;
}

/* The attempts that come next are those of a new scan; the scan that ends the search is kept whole. */
static void begin_scan(struct plm_assess *out)
{
	if (out->attempt_count > out->attempt_capacity / 2) {
		out->attempt_count = 0;
	}
	out->scans++;
}

static void note(struct plm_assess *out, const struct plm_attempt *attempt)
{
	if (out->attempt_count < out->attempt_capacity) {
		out->attempts[out->attempt_count++] = *attempt;
	}
}

/* The quota of one resource with 'flavor' into its pick; 'attempt' says how it went. */
static struct plm_rank try_resource(const struct scan *s, uint32_t index,
				    struct plm_attempt *attempt)
{
	const struct plm_request *request = &s->bundle->list[index];
	struct plm_pick *pick = &s->now[index];
	struct plm_rank rank = {PLM_WAY_NO_FIT, 0};

	attempt->resource = request->resource;
	*pick = (struct plm_pick){
		.resource = request->resource,
		.flavor = attempt->flavor,
		.injected = request->injected,
		.amount = s->bundle->amounts[index],
		.pair = plm_quotas_pair(snap_of(s), s->a->preemptor.node, attempt->flavor,
					request->resource),
	};
	if (pick->pair == PLM_NO_PAIR) {
		attempt->rule = PLM_RULE_UNDECLARED_RESOURCE;
		attempt->severity = PLM_SEVERITY_MISMATCH;
	} else {
		rank = fit_quota(s, pick->pair, pick->amount, attempt);
	}
	pick->rule = attempt->rule;
	pick->binding = attempt->key;
	pick->have = attempt->have;
	pick->limit = attempt->limit;
	pick->way = rank.way;
	pick->height = rank.height;
	attempt->way = rank.way;
	return rank;
}

/* Every resource of the group with 'flavor'; the worst is the flavor's rank. */
static struct plm_rank try_flavor(struct scan *s, struct plm_attempt *attempt)
{
	const struct bundle *bundle = s->bundle;
	const struct plm_attempt begun = *attempt;
	struct plm_rank rank = {PLM_WAY_FIT, 0};
	bool first = true;

	for (uint32_t i = 0; i < bundle->count; i++) {
		struct plm_attempt one = begun;
		struct plm_rank mine = {PLM_WAY_NO_FIT, 0};
		bool worse = false;

		s->now[i] = (struct plm_pick){0};
		if (!covered(snap_of(s)->st, s->group, bundle->list[i].resource)) {
			continue;
		}
		mine = try_resource(s, i, &one);
		worse = plm_flavor_preferred(rank, mine, s->a->queue->preference);
		if (mine.way == PLM_WAY_NO_FIT && rank.way == PLM_WAY_NO_FIT) {
			worse = one.severity > attempt->severity;
		}
		if (first || worse) {
			*attempt = one;
		}
		if (plm_flavor_preferred(rank, mine, s->a->queue->preference)) {
			rank = mine;
		}
		first = false;
	}
	return rank;
}

/* ---- the scan ---------------------------------------------------------------------------------- */

static bool pinned_out(const struct scan *s, plm_sym flavor, plm_sym resource)
{
	const struct plm_set_picks *picks = NULL;

	if (s->a->pin == NULL) {
		return false;
	}
	picks = &s->a->pin->sets[s->set];
	for (uint32_t i = 0; i < picks->list_count; i++) {
		if (plm_sym_equal(picks->list[i].resource, resource)) {
			return !plm_sym_equal(picks->list[i].flavor, flavor);
		}
	}
	return false;
}

static uint32_t start_after(const struct plm_set_picks *picks, plm_sym resource)
{
	for (uint32_t i = 0; i < picks->list_count; i++) {
		if (plm_sym_equal(picks->list[i].resource, resource)) {
			PLM_ASSERT(picks->list[i].tried >= -1);
			return (uint32_t)(picks->list[i].tried + 1);
		}
	}
	return 0;
}

/* The flavor index to begin with: the one after the cursor's. */
static uint32_t start_of(const struct scan *s, plm_sym resource)
{
	const struct plm_state *st = snap_of(s)->st;
	uint32_t count = 0;
	const struct plm_cursor *cursor = PLM_SPAN(st, s->a->cursor, struct plm_cursor, &count);
	plm_sym name = s->a->requests.sets[s->set].set->name;

	if (s->a->after != NULL) {
		return start_after(&s->a->after->sets[s->set], resource);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(cursor[i].pod_set, name) &&
		    plm_sym_equal(cursor[i].resource, resource)) {
			return (uint32_t)(cursor[i].tried + 1);
		}
	}
	return 0;
}

/* The flavor at hand is the best so far. */
static void keep(struct scan *s, struct plm_rank rank)
{
	memcpy(s->best, s->now, s->bundle->count * sizeof(*s->best));
	s->best_rank = rank;
}

/* Looks at one flavor; true when the scan ends with it. */
static bool scan_flavor(struct scan *s, plm_sym flavor)
{
	struct plm_attempt attempt = {
		.flavor = flavor,
		.need = PLM_UNSET,
		.have = PLM_UNSET,
		.limit = PLM_UNSET,
		.set = s->set,
		.scan = s->out->scans,
	};
	struct plm_rank rank = {PLM_WAY_NO_FIT, 0};
	bool next = true;

	if (eligible(s, flavor, &attempt)) {
		rank = try_flavor(s, &attempt);
		next = try_next(s->a->queue, rank);
	}
	note(s->out, &attempt);
	if (rank.way == PLM_WAY_NO_FIT && (!s->any_failed || attempt.severity < s->least)) {
		s->least = attempt.severity;
	}
	s->any_failed = s->any_failed || rank.way == PLM_WAY_NO_FIT;
	if (!next || plm_flavor_preferred(rank, s->best_rank, s->a->queue->preference)) {
		keep(s, rank);
	}
	return !next;
}

static void scan_group(struct scan *s, plm_sym resource)
{
	const struct plm_state *st = snap_of(s)->st;
	uint32_t count = 0;
	const struct plm_flavor_quota *flavors =
		PLM_SPAN(st, s->group->flavors, struct plm_flavor_quota, &count);
	int64_t last = -1;

	begin_scan(s->out);
	for (uint32_t f = start_of(s, resource); f < count; f++) {
		if (pinned_out(s, flavors[f].flavor, resource)) {
			continue;
		}
		last = f;
		if (scan_flavor(s, flavors[f].flavor)) {
			break;
		}
	}
	if (last == (int64_t)count - 1) {
		last = -1;
	}
	for (uint32_t i = 0; i < s->bundle->count; i++) {
		s->best[i].tried = last;
	}
}

/* ---- pod sets ---------------------------------------------------------------------------------- */

static bool has_pick(const struct plm_set_picks *picks, plm_sym resource)
{
	for (uint32_t i = 0; i < picks->list_count; i++) {
		if (plm_sym_equal(picks->list[i].resource, resource)) {
			return true;
		}
	}
	return false;
}

/* Undeclared and zero: skipped. Undeclared otherwise: it fails. */
static bool undeclared(struct scan *s, uint32_t index, bool *out_fails)
{
	const struct plm_request *request = &s->bundle->list[index];
	struct plm_attempt attempt = {
		.resource = request->resource,
		.rule = PLM_RULE_UNDECLARED_RESOURCE,
		.severity = PLM_SEVERITY_MISMATCH,
		.need = s->bundle->amounts[index],
		.have = PLM_UNSET,
		.limit = PLM_UNSET,
		.set = s->set,
		.scan = s->out->scans + 1,
	};

	s->group = plm_request_group(snap_of(s)->st, s->a->queue, request->resource);
	if (s->group != NULL) {
		return false;
	}
	*out_fails =
		s->bundle->amounts[index] > 0 && plm_root(snap_of(s)->st)->ignore_undeclared == 0;
	if (*out_fails) {
		begin_scan(s->out);
		note(s->out, &attempt);
	}
	return true;
}

/* The picks of a scan into those of the bundle; false when there is none. */
static bool take_best(const struct scan *s, struct plm_set_picks *picks, bool *all_fit)
{
	if (s->best_rank.way == PLM_WAY_NO_FIT) {
		return false;
	}
	*all_fit = *all_fit && s->best_rank.way == PLM_WAY_FIT;
	for (uint32_t i = 0; i < s->bundle->count; i++) {
		if (s->best[i].resource.n != 0) {
			picks->list[picks->list_count++] = s->best[i];
		}
	}
	return true;
}

static enum plm_mode set_mode(const struct plm_set_picks *picks, bool all_fit)
{
	for (uint32_t i = 0; !all_fit && i < picks->list_count; i++) {
		if (picks->list[i].way != PLM_WAY_FIT) {
			return PLM_MODE_PREEMPT;
		}
	}
	return PLM_MODE_FIT;
}

/* Flavors for a bundle into 'picks'; false: nothing after it is looked at. */
static bool assign_bundle(struct plm_applicant *a, struct plm_assess *out,
			  const struct bundle *bundle, struct plm_set_picks *picks, bool *all_fit)
{
	struct plm_arena *arena = a->preemptor.snap->arena;
	bool scanned = false;

	for (uint32_t i = 0; i < bundle->count; i++) {
		struct scan s = {.a = a, .out = out, .bundle = bundle, .set = bundle->members[0]};
		bool fails = false;

		if (has_pick(picks, bundle->list[i].resource)) {
			continue;
		}
		if (undeclared(&s, i, &fails)) {
			if (!fails) {
				continue;
			}
			out->severity = scanned ? out->severity : PLM_SEVERITY_MISMATCH;
			return false;
		}
		s.now = PLM_NEW_ARRAY(arena, bundle->count, struct plm_pick);
		s.best = PLM_NEW_ARRAY(arena, bundle->count, struct plm_pick);
		scan_group(&s, bundle->list[i].resource);
		scanned = true;
		if (s.any_failed && s.least > out->severity) {
			out->severity = s.least;
		}
		if (!take_best(&s, picks, all_fit)) {
			return false;
		}
	}
	return true;
}

static uint32_t request_count(const struct plm_requests *requests)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < requests->count; i++) {
		total += requests->sets[i].list_count;
	}
	return total;
}

/* The pod sets of the group of set 'first', itself first, with what they ask for in sum. */
static struct bundle bundle_of(const struct plm_applicant *a, const struct plm_assess *out,
			       uint32_t first)
{
	struct plm_arena *arena = a->preemptor.snap->arena;
	uint32_t room = request_count(&a->requests);
	plm_sym group = a->requests.sets[first].set->topology_group;
	struct bundle b = {
		.members = PLM_NEW_ARRAY(arena, a->requests.count, uint32_t),
		.list = PLM_NEW_ARRAY(arena, room, struct plm_request),
		.amounts = PLM_NEW_ARRAY(arena, room, int64_t),
	};

	for (uint32_t i = first; i < a->requests.count; i++) {
		const struct plm_set_request *set = &a->requests.sets[i];

		if (i != first &&
		    (group.n == 0 || !plm_sym_equal(set->set->topology_group, group))) {
			continue;
		}
		b.members[b.member_count++] = i;
		for (uint32_t j = 0; j < set->list_count; j++) {
			uint32_t at = 0;

			while (at < b.count &&
			       !plm_sym_equal(b.list[at].resource, set->list[j].resource)) {
				at++;
			}
			if (at == b.count) {
				b.list[b.count++] = set->list[j];
			}
			b.amounts[at] = plm_add_sat(
				b.amounts[at], plm_mul_sat(set->list[j].each, out->sets[i].count));
		}
	}
	plm_request_sort(a->preemptor.snap->st, b.list, b.amounts, b.count);
	return b;
}

/* Each pod set keeps the flavors of what it asks for itself. */
static void hand_out(const struct plm_applicant *a, struct plm_assess *out, uint32_t member,
		     const struct plm_set_picks *group, bool all_fit)
{
	const struct plm_set_request *set = &a->requests.sets[member];
	struct plm_set_picks *picks = &out->sets[member];

	picks->list = PLM_NEW_ARRAY(a->preemptor.snap->arena,
				    set->list_count == 0 ? group->list_count : set->list_count,
				    struct plm_pick);
	for (uint32_t j = 0; set->list_count == 0 && j < group->list_count; j++) {
		/* It asks for nothing, but is placed with its group. */
		if (set->set->topology_group.n != 0 &&
		    plm_tas_flavor(a->preemptor.snap->st, group->list[j].flavor)) {
			picks->list[picks->list_count] = group->list[j];
			picks->list[picks->list_count++].amount = 0;
		}
	}
	for (uint32_t i = 0; i < set->list_count; i++) {
		for (uint32_t j = 0; j < group->list_count; j++) {
			if (plm_sym_equal(group->list[j].resource, set->list[i].resource)) {
				struct plm_pick *pick = &picks->list[picks->list_count++];

				*pick = group->list[j];
				pick->amount = plm_mul_sat(set->list[i].each, picks->count);
			}
		}
	}
	picks->mode = set_mode(picks, all_fit);
}

/* What the pod set's picks mean for the workload. */
static void sum_up(struct plm_assess *out, const struct plm_set_picks *picks)
{
	for (uint32_t i = 0; i < picks->list_count; i++) {
		const struct plm_pick *pick = &picks->list[i];
		bool known = false;

		plm_uses_add(&out->usage, pick->pair, pick->amount);
		if (!pick->injected && pick->amount > 0) {
			plm_uses_add(&out->wants, pick->pair, pick->amount);
		}
		out->height = pick->height > out->height ? pick->height : out->height;
		for (uint32_t j = 0; j < out->pair_count; j++) {
			known = known || out->pairs[j] == pick->pair;
		}
		if (pick->way != PLM_WAY_FIT && !known) {
			out->pairs[out->pair_count++] = pick->pair;
		}
	}
}

void plm_flavor_assign(struct plm_applicant *a, const int64_t *counts, struct plm_assess *out)
{
	struct plm_arena *arena = a->preemptor.snap->arena;
	uint32_t total = request_count(&a->requests);

	*out = (struct plm_assess){
		.sets = PLM_NEW_ARRAY(arena, a->requests.count, struct plm_set_picks),
		.count = a->requests.count,
		.mode = PLM_MODE_FIT,
		.usage = {PLM_NEW_ARRAY(arena, total, struct plm_use), 0},
		.wants = {PLM_NEW_ARRAY(arena, total, struct plm_use), 0},
		.pairs = PLM_NEW_ARRAY(arena, total, uint32_t),
		.attempts = PLM_NEW_ARRAY(arena, ATTEMPTS_MAX, struct plm_attempt),
		.attempt_capacity = ATTEMPTS_MAX,
	};
	for (uint32_t i = 0; i < out->count; i++) {
		out->sets[i].count = counts[i];
	}
	for (uint32_t i = 0; i < out->count; i++) {
		struct bundle bundle;
		struct plm_set_picks picks = {0};
		bool all_fit = true;

		if (out->sets[i].list != NULL) {
			continue; /* with its group */
		}
		bundle = bundle_of(a, out, i);
		picks.list = PLM_NEW_ARRAY(arena, bundle.count, struct plm_pick);
		out->severity = PLM_SEVERITY_NONE; /* only sets that do not fit count */
		if (!assign_bundle(a, out, &bundle, &picks, &all_fit)) {
			out->mode = PLM_MODE_NO_FIT;
			return;
		}
		for (uint32_t m = 0; m < bundle.member_count; m++) {
			struct plm_set_picks *set = &out->sets[bundle.members[m]];

			hand_out(a, out, bundle.members[m], &picks, all_fit);
			sum_up(out, set);
			out->mode = set->mode < out->mode ? set->mode : out->mode;
		}
	}
}
