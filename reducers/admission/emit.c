/* Decisions of a round, in the words of the log. */
#include "reducers/admission/activity.h"
#include "reducers/admission/round.h"

static struct plm_slice text(const struct plm_round *round, plm_sym sym)
{
	return plm_str(round->st, sym);
}

/* ---- assignments ------------------------------------------------------------------------------- */

static int by_name(const struct plm_state *st, plm_sym a, plm_sym b)
{
	return plm_sym_compare(st, a, b);
}

/* Picks by resource name: the order of lists in the log. */
static void sort_picks(const struct plm_state *st, struct plm_pick *list, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct plm_pick pick = list[i];
		uint32_t at = i;

		for (; at > 0 && by_name(st, list[at - 1].resource, pick.resource) > 0; at--) {
			list[at] = list[at - 1];
		}
		list[at] = pick;
	}
}

struct plm_vec plm_emit_texts(const struct plm_round *round, const plm_sym *list, uint32_t count)
{
	struct plm_slice *out = PLM_NEW_ARRAY(round->arena, count, struct plm_slice);

	for (uint32_t i = 0; i < count; i++) {
		out[i] = text(round, list[i]);
	}
	return (struct plm_vec){out, count};
}

struct plm_vec plm_emit_domains(const struct plm_round *round, const struct plm_tas_set *places)
{
	uint32_t count = places->domain_count;
	struct plm_w_topology_domain *out =
		PLM_NEW_ARRAY(round->arena, count, struct plm_w_topology_domain);

	for (uint32_t i = 0; i < count; i++) {
		out[i].values =
			plm_emit_texts(round, places->domains[i].values, places->level_count);
		out[i].count = places->domains[i].count;
	}
	return (struct plm_vec){out, count};
}

static struct plm_w_assignment assignment(const struct plm_round *round,
					  const struct plm_set_request *set,
					  const struct plm_set_picks *picks)
{
	struct plm_w_kv *flavors = PLM_NEW_ARRAY(round->arena, picks->list_count, struct plm_w_kv);
	struct plm_w_amount *usage =
		PLM_NEW_ARRAY(round->arena, picks->list_count, struct plm_w_amount);

	sort_picks(round->st, picks->list, picks->list_count);
	for (uint32_t i = 0; i < picks->list_count; i++) {
		const struct plm_pick *pick = &picks->list[i];

		flavors[i] =
			(struct plm_w_kv){text(round, pick->resource), text(round, pick->flavor)};
		usage[i] = (struct plm_w_amount){text(round, pick->resource), pick->amount};
	}
	return (struct plm_w_assignment){
		.name = text(round, set->set->name),
		.count = picks->count,
		.flavors = {flavors, picks->list_count},
		.usage = {usage, picks->list_count},
		.levels = plm_emit_texts(round, picks->places.levels, picks->places.level_count),
		.domains = plm_emit_domains(round, &picks->places),
		.delayed = picks->delayed,
	};
}

static struct plm_vec assignments(const struct plm_round *round, const struct plm_entry *entry)
{
	const struct plm_assess *assess = &entry->result.assess;
	struct plm_w_assignment *list =
		PLM_NEW_ARRAY(round->arena, assess->count, struct plm_w_assignment);

	for (uint32_t i = 0; i < assess->count; i++) {
		list[i] = assignment(round, &entry->applicant.requests.sets[i], &assess->sets[i]);
	}
	return (struct plm_vec){list, assess->count};
}

/* Does the workload run at once, with what it was given? */
static bool runs_at_once(const struct plm_round *round, const struct plm_entry *entry)
{
	const struct plm_assess *assess = &entry->result.assess;
	plm_id queue = round->snap.tree.nodes[entry->node].slot;
	struct plm_flavors flavors = {0};
	plm_sym *list = NULL;
	uint32_t count = 0;

	for (uint32_t i = 0; i < assess->count; i++) {
		if (assess->sets[i].delayed == PLM_DELAYED_PENDING) {
			return false;
		}
		count += assess->sets[i].list_count;
	}
	list = PLM_NEW_ARRAY(round->arena, count, plm_sym);
	for (uint32_t i = 0; i < assess->count; i++) {
		for (uint32_t j = 0; j < assess->sets[i].list_count; j++) {
			list[flavors.count++] = assess->sets[i].list[j].flavor;
		}
	}
	flavors.list = list;
	/* With topologies its places are the domains. */
	return (assess->tas.count > 0 || !plm_capacity_needed(round->st, queue, &flavors)) &&
	       plm_checks_ready(round->st, queue, entry->applicant.workload, &flavors, NULL);
}

void plm_emit_reserve(struct plm_round *round, struct plm_entry *entry)
{
	struct plm_w_reserve *reserve = PLM_NEW(round->arena, struct plm_w_reserve);
	const struct plm_object *object = &entry->applicant.workload->object;

	entry->key = (struct plm_why){
		.rule = PLM_RULE_FITS,
		.object = round->snap.tree.nodes[entry->node].name,
	};
	entry->need = PLM_UNSET;
	entry->have = PLM_UNSET;
	entry->limit = PLM_UNSET;
	entry->detail = (plm_sym){0};
	reserve->ns = text(round, object->ns);
	reserve->name = text(round, object->name);
	reserve->cluster_queue = text(round, entry->key.object);
	reserve->assignments = assignments(round, entry);
	reserve->admitted = runs_at_once(round, entry);
	entry->key.reason = reserve->admitted ? PLM_REASON_ADMITTED : PLM_REASON_QUOTA_RESERVED;
	plm_why_fill(round->st, round->arena, entry, &reserve->why);
	(void)plm_out_add(round->out, PLM_EV_RESERVE, reserve, PLM_CAUSE_CYCLE);
	round->changed = true;
}

/* ---- waiting ----------------------------------------------------------------------------------- */

/* The cursor of an assessment: where a scan stopped before the last flavor. */
static struct plm_vec cursor_of(const struct plm_round *round, const struct plm_entry *entry)
{
	const struct plm_assess *assess = &entry->result.assess;
	struct plm_w_cursor *list = NULL;
	uint32_t count = 0;

	for (uint32_t i = 0; i < assess->count; i++) {
		count += assess->sets[i].list_count;
	}
	list = PLM_NEW_ARRAY(round->arena, count, struct plm_w_cursor);
	count = 0;
	for (uint32_t i = 0; i < assess->count; i++) {
		for (uint32_t j = 0; j < assess->sets[i].list_count; j++) {
			const struct plm_pick *pick = &assess->sets[i].list[j];

			if (pick->tried >= 0) {
				list[count++] = (struct plm_w_cursor){
					.pod_set = text(
						round, entry->applicant.requests.sets[i].set->name),
					.resource = text(round, pick->resource),
					.tried = pick->tried,
				};
			}
		}
	}
	return (struct plm_vec){list, count};
}

static bool same_cursor(const struct plm_round *round, plm_sym have, struct plm_vec want)
{
	uint32_t count = 0;
	const struct plm_cursor *list = PLM_SPAN(round->st, have, struct plm_cursor, &count);
	const struct plm_w_cursor *other = want.ptr;

	if (count != want.count) {
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (list[i].tried != other[i].tried ||
		    !plm_slice_equal(text(round, list[i].pod_set), other[i].pod_set) ||
		    !plm_slice_equal(text(round, list[i].resource), other[i].resource)) {
			return false;
		}
	}
	return true;
}

/* kueue.md 2.4, requeue after a cycle. */
static enum plm_queue_place place_after(const struct plm_entry *entry, enum plm_requeue how,
					bool pending_flavors)
{
	bool strict = entry->applicant.queue->strategy == PLM_STRATEGY_STRICT_FIFO;
	bool immediate = strict ? how != PLM_REQUEUE_NAMESPACE_MISMATCH
				: how == PLM_REQUEUE_PENDING_PREEMPTION ||
					  how == PLM_REQUEUE_AFTER_NOMINATION;

	return immediate || pending_flavors ? PLM_QUEUE_ACTIVE : PLM_QUEUE_PARKED;
}

static bool parks_alike(const struct plm_entry *entry, enum plm_requeue how)
{
	return entry->applicant.queue->strategy == PLM_STRATEGY_BEST_EFFORT_FIFO &&
	       (how == PLM_REQUEUE_NO_FIT || how == PLM_REQUEUE_NO_CANDIDATES);
}

/*
 * It was told a reason in this cycle already. Heads that stay active may see their reason alternate
 * without end (kueue.md 2.20 (10)); unless each strict cycle is asked for, the first one stands.
 */
static bool goes_on_waiting(const struct plm_round *round, const struct plm_workload *workload)
{
	const struct plm_root *root = plm_root(round->st);

	return !round->better && root->settle == 1 && workload->why.seq > root->cycle_seq;
}

/* Where the scan for the same pod set and resource ends in 'list'; -1 = it is not there. */
static int64_t tried_in(const struct plm_round *round, struct plm_vec list,
			const struct plm_cursor *at)
{
	const struct plm_w_cursor *cursor = list.ptr;

	for (uint32_t i = 0; i < list.count; i++) {
		if (plm_slice_equal(text(round, at->pod_set), cursor[i].pod_set) &&
		    plm_slice_equal(text(round, at->resource), cursor[i].resource)) {
			return cursor[i].tried;
		}
	}
	return -1;
}

/* Every scan of 'have' goes on at least as far in 'want', and one further. */
static bool advances(const struct plm_round *round, plm_sym have, struct plm_vec want)
{
	uint32_t count = 0;
	const struct plm_cursor *list = PLM_SPAN(round->st, have, struct plm_cursor, &count);
	bool further = want.count > count;

	for (uint32_t i = 0; i < count; i++) {
		int64_t tried = tried_in(round, want, &list[i]);

		if (tried < list[i].tried) {
			return false;
		}
		further = further || tried > list[i].tried;
	}
	return further;
}

/*
 * Not under strict compatibility: flavors are left to try, but it was looked at in this cycle before and
 * no scan has come further. Upstream goes round like that for ever, and tries nobody behind it.
 */
static bool goes_round(const struct plm_round *round, const struct plm_entry *entry,
		       const struct plm_w_pend *pend, enum plm_requeue how)
{
	const struct plm_workload *workload = entry->applicant.workload;

	return round->better && parks_alike(entry, how) && pend->cursor.count > 0 &&
	       workload->cursor_seq > plm_root(round->st)->cycle_seq &&
	       !advances(round, workload->cursor, pend->cursor);
}

void plm_emit_pend(struct plm_round *round, struct plm_entry *entry, enum plm_requeue how,
		   bool keep_cursor)
{
	const struct plm_workload *workload = entry->applicant.workload;
	plm_id queue = round->snap.tree.nodes[entry->node].slot;
	struct plm_w_pend *pend = PLM_NEW(round->arena, struct plm_w_pend);
	bool told = false;
	bool same = false;

	pend->ns = text(round, workload->object.ns);
	pend->name = text(round, workload->object.name);
	if (keep_cursor && !round->better) {
		pend->cursor = cursor_of(round, entry);
	}
	if (goes_round(round, entry, pend, how)) {
		pend->cursor = (struct plm_vec){0};
	}
	pend->place = place_after(entry, how, pend->cursor.count > 0);
	pend->sticky = how == PLM_REQUEUE_PENDING_PREEMPTION;
	pend->park_alike = pend->place == PLM_QUEUE_PARKED && parks_alike(entry, how);
	pend->round = (int64_t)round->run->round;
	plm_why_fill(round->st, round->arena, entry, &pend->why);
	told = plm_why_same(&workload->why, &entry->key) || goes_on_waiting(round, workload);
	same = same_cursor(round, workload->cursor, pend->cursor) &&
	       (pend->cursor.count == 0 || round->better);
	round->changed =
		round->changed || pend->place == PLM_QUEUE_PARKED ||
		(workload->why.reason != entry->key.reason && !goes_on_waiting(round, workload));
	if (told && same && pend->place == PLM_QUEUE_ACTIVE &&
	    (pend->sticky == 0 ||
	     plm_cluster_queue_at(round->st, queue)->sticky.n == entry->workload.n)) {
		return;
	}
	(void)plm_out_add(round->out, PLM_EV_PEND, pend, PLM_CAUSE_CYCLE);
}

void plm_emit_told(struct plm_round *round, const struct plm_entry *said)
{
	const struct plm_workload *workload = plm_workload_at(round->st, said->workload);
	struct plm_w_pend *pend = NULL;

	if (plm_why_same(&workload->why, &said->key)) {
		return;
	}
	pend = PLM_NEW(round->arena, struct plm_w_pend);
	pend->ns = text(round, workload->object.ns);
	pend->name = text(round, workload->object.name);
	pend->place = PLM_QUEUE_KEEP;
	plm_why_fill(round->st, round->arena, said, &pend->why);
	(void)plm_out_add(round->out, PLM_EV_PEND, pend, PLM_CAUSE_CYCLE);
	round->changed = true;
}

/* ---- preemption -------------------------------------------------------------------------------- */

void plm_emit_victims(struct plm_round *round, const struct plm_entry *entry)
{
	const struct plm_targets *targets = &entry->result.targets;

	for (uint32_t i = 0; i < targets->count; i++) {
		const struct plm_workload *victim =
			plm_workload_at(round->st, targets->list[i].holder->workload);
		struct plm_entry said = *entry;
		struct plm_w_evict *evict = NULL;

		if (victim->evicted_ms != PLM_UNSET) {
			continue; /* it is on its way out already */
		}
		evict = PLM_NEW(round->arena, struct plm_w_evict);
		evict->ns = text(round, victim->object.ns);
		evict->name = text(round, victim->object.name);
		evict->reason = PLM_REASON_PREEMPTED;
		evict->preemption = targets->list[i].reason;
		evict->by_ns = text(round, entry->applicant.workload->object.ns);
		evict->by_name = text(round, entry->applicant.workload->object.name);
		said.workload = targets->list[i].holder->workload;
		said.assessed = false;
		said.key.rule = PLM_RULE_PREEMPTION;
		said.key.reason = targets->list[i].reason;
		said.detail = entry->applicant.workload->object.name;
		plm_why_fill(round->st, round->arena, &said, &evict->why);
		(void)plm_out_add(round->out, PLM_EV_EVICT, evict, PLM_CAUSE_CYCLE);
		round->changed = true;
	}
}

static bool same_claim(const struct plm_round *round, plm_sym have, struct plm_vec want)
{
	uint32_t count = 0;
	const struct plm_assignment *list =
		PLM_SPAN(round->st, have, struct plm_assignment, &count);
	const struct plm_w_assignment *other = want.ptr;

	if (count != want.count) {
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t flavors = 0;
		const struct plm_kv *kv =
			PLM_SPAN(round->st, list[i].flavors, struct plm_kv, &flavors);
		const struct plm_w_kv *other_kv = other[i].flavors.ptr;

		if (list[i].count != other[i].count || flavors != other[i].flavors.count) {
			return false;
		}
		for (uint32_t j = 0; j < flavors; j++) {
			if (!plm_slice_equal(text(round, kv[j].value), other_kv[j].value)) {
				return false;
			}
		}
	}
	return true;
}

void plm_emit_hold(struct plm_round *round, const struct plm_entry *entry, bool keep)
{
	const struct plm_workload *workload = entry->applicant.workload;
	struct plm_vec want = {0};
	struct plm_w_hold *hold = NULL;

	if (!round->better || (!keep && workload->hold.n == 0)) {
		return;
	}
	if (keep) {
		want = assignments(round, entry);
	}
	if (keep && same_claim(round, workload->hold, want)) {
		return;
	}
	hold = PLM_NEW(round->arena, struct plm_w_hold);
	hold->ns = text(round, workload->object.ns);
	hold->name = text(round, workload->object.name);
	hold->cluster_queue = text(round, round->snap.tree.nodes[entry->node].name);
	hold->assignments = want;
	(void)plm_out_add(round->out, PLM_EV_HOLD, hold, PLM_CAUSE_CYCLE);
}
