/* Explanations: the binding rule of an entry and its operands. Source: kueue.md 2.6, 2.10. */
#include "reducers/admission/round.h"

void plm_why_none(struct plm_entry *entry, enum plm_rule rule, enum plm_reason reason)
{
	entry->key.rule = rule;
	entry->key.reason = reason;
}

static enum plm_reason reason_of(enum plm_severity severity)
{
	switch (severity) {
	case PLM_SEVERITY_CAPACITY:
		return PLM_REASON_NO_CAPACITY;
	case PLM_SEVERITY_PLACEMENT:
		return PLM_REASON_TOPOLOGY_PLACEMENT_FAILED;
	case PLM_SEVERITY_QUOTA:
		return PLM_REASON_WAITING_FOR_QUOTA;
	case PLM_SEVERITY_MAX_QUOTA:
		return PLM_REASON_EXCEEDS_MAX_QUOTA;
	case PLM_SEVERITY_NONE:
	case PLM_SEVERITY_MISMATCH:
		break;
	}
	return PLM_REASON_NO_MATCHING_FLAVOR;
}

/* The pod set that it is about; with one there is nothing to tell apart. */
static plm_sym set_name(const struct plm_entry *entry, uint32_t set)
{
	const struct plm_requests *requests = &entry->applicant.requests;

	PLM_ASSERT(set < requests->count);
	return requests->count > 1 ? requests->sets[set].set->name : (plm_sym){0};
}

static void from_attempt(const struct plm_round *round, struct plm_entry *entry,
			 const struct plm_attempt *attempt)
{
	bool about_node = attempt->rule == PLM_RULE_FLAVOR_TAINT ||
			  attempt->rule == PLM_RULE_FLAVOR_AFFINITY ||
			  attempt->rule == PLM_RULE_TOPOLOGY_LEVEL;

	entry->key.rule = attempt->rule;
	entry->key.resource = attempt->resource;
	entry->key.flavor = attempt->flavor;
	entry->key.object = round->snap.tree.nodes[entry->node].name;
	if (about_node) {
		entry->detail = attempt->key;
	} else if (attempt->rule != PLM_RULE_GANG) {
		entry->detail = set_name(entry, attempt->set);
	}
	if (!about_node && attempt->key.n != 0) {
		entry->key.object = attempt->key;
	}
	entry->need = attempt->need;
	entry->have = attempt->have;
	entry->limit = attempt->limit;
	entry->scan = attempt->scan;
}

/* The rule that ended the search for domains. */
static enum plm_rule placement_rule(enum plm_tas_verdict verdict)
{
	switch (verdict) {
	case PLM_TAS_NO_TOPOLOGY:
		return PLM_RULE_TOPOLOGY_MISSING;
	case PLM_TAS_NO_LEVEL:
		return PLM_RULE_TOPOLOGY_LEVEL;
	case PLM_TAS_SLICES_ABOVE:
	case PLM_TAS_LAYER_ABOVE:
	case PLM_TAS_LAYER_DIVIDES:
	case PLM_TAS_SLICE_DIVIDES:
		return PLM_RULE_TOPOLOGY_SLICES;
	case PLM_TAS_STALE:
		return PLM_RULE_NODE_FAILED;
	case PLM_TAS_PLACED:
	case PLM_TAS_NO_ROOM:
	case PLM_TAS_NO_DOMAINS: /* the level is there, but there are no nodes: room for 0 */
		break;
	}
	return PLM_RULE_TOPOLOGY_PLACEMENT;
}

void plm_why_unplaced(const struct plm_round *round, struct plm_entry *entry)
{
	const struct plm_assess *assess = &entry->result.assess;
	const struct plm_tas_failure *why = &assess->unplaced;

	bool numbers = why->verdict == PLM_TAS_SLICE_DIVIDES ||
		       placement_rule(why->verdict) != PLM_RULE_TOPOLOGY_SLICES;

	PLM_ASSERT(assess->is_unplaced && why->ask < assess->ask_count);
	entry->key = (struct plm_why){
		.rule = placement_rule(why->verdict),
		.object = round->snap.tree.nodes[entry->node].name,
		.flavor = assess->asks[why->ask].flavor,
	};
	entry->need = numbers ? why->need : PLM_UNSET;
	entry->have = numbers ? why->fit : PLM_UNSET;
	entry->limit = PLM_UNSET;
	entry->detail = why->level;
}

/* No flavor: the last attempt of the severity that decided. */
void plm_why_assess(const struct plm_round *round, struct plm_entry *entry)
{
	const struct plm_assess *assess = &entry->result.assess;
	const struct plm_attempt *found = NULL;

	if (assess->is_unplaced && assess->severity == PLM_SEVERITY_PLACEMENT) {
		plm_why_unplaced(round, entry);
		entry->key.reason = PLM_REASON_TOPOLOGY_PLACEMENT_FAILED;
		return;
	}

	for (uint32_t i = 0; i < assess->attempt_count; i++) {
		const struct plm_attempt *attempt = &assess->attempts[i];

		if (attempt->way == PLM_WAY_NO_FIT &&
		    (found == NULL || attempt->severity == assess->severity)) {
			found = attempt;
		}
	}
	entry->key = (struct plm_why){.object = round->snap.tree.nodes[entry->node].name};
	if (found != NULL) {
		from_attempt(round, entry, found);
	}
	entry->key.reason = reason_of(assess->severity);
}

/* The first pick that needs victims: the assessment's first pair; NULL when there is none. */
static const struct plm_pick *pick_of(const struct plm_assess *assess, uint32_t *out_set)
{
	for (uint32_t i = 0; assess->pair_count > 0 && i < assess->count; i++) {
		for (uint32_t j = 0; j < assess->sets[i].list_count; j++) {
			const struct plm_pick *pick = &assess->sets[i].list[j];

			if (pick->pair == assess->pairs[0] && pick->way != PLM_WAY_FIT) {
				*out_set = i;
				return pick;
			}
		}
	}
	return NULL;
}

/* The scan in which the pod set was offered the flavor. */
static uint32_t scan_of(const struct plm_assess *assess, uint32_t set, plm_sym flavor)
{
	for (uint32_t i = assess->attempt_count; i-- > 0;) {
		const struct plm_attempt *attempt = &assess->attempts[i];

		if (attempt->set == set && plm_sym_equal(attempt->flavor, flavor) &&
		    attempt->way > PLM_WAY_NO_FIT) {
			return attempt->scan;
		}
	}
	return 0;
}

/* A flavor that needs victims: the first such resource, and what all pod sets need of it. */
void plm_why_pair(const struct plm_round *round, struct plm_entry *entry, enum plm_rule rule,
		  enum plm_reason reason)
{
	const struct plm_assess *assess = &entry->result.assess;
	uint32_t set = 0;
	const struct plm_pick *pick = pick_of(assess, &set);

	if (assess->is_unplaced && rule == PLM_RULE_PREEMPTION) {
		plm_why_unplaced(round, entry); /* the quota would do: victims free a domain */
		entry->key.reason = reason;
		return;
	}
	entry->key = (struct plm_why){.object = round->snap.tree.nodes[entry->node].name};
	if (pick != NULL) {
		entry->key.resource = pick->resource;
		entry->key.flavor = pick->flavor;
		entry->key.object = pick->binding.n != 0 ? pick->binding : entry->key.object;
		entry->detail = set_name(entry, set);
		entry->have = pick->have;
		entry->limit = pick->limit;
		entry->scan = scan_of(assess, set, pick->flavor);
	}
	for (uint32_t i = 0; pick != NULL && i < assess->usage.count; i++) {
		if (assess->usage.list[i].pair == pick->pair) {
			entry->need = assess->usage.list[i].amount;
		}
	}
	entry->key.rule = rule;
	entry->key.reason = reason;
}

/* Nobody can be asked to leave. In a queue that never preempts that goes without saying. */
void plm_why_blocked(const struct plm_round *round, struct plm_entry *entry)
{
	const struct plm_cluster_queue *queue = entry->applicant.queue;
	const struct plm_pick *pick = NULL;
	uint32_t set = 0;

	if (entry->result.assess.is_unplaced) {
		plm_why_unplaced(round, entry);
		entry->key.reason = round->better ? PLM_REASON_TOPOLOGY_PLACEMENT_FAILED
						  : PLM_REASON_WAITING_FOR_QUOTA;
		return;
	}
	plm_why_pair(round, entry, PLM_RULE_NO_PREEMPTION_CANDIDATES, PLM_REASON_WAITING_FOR_QUOTA);
	pick = pick_of(&entry->result.assess, &set);
	if (pick != NULL && queue->within == PLM_PREEMPTION_NEVER &&
	    queue->reclaim == PLM_PREEMPTION_NEVER) {
		PLM_ASSERT(pick->rule == PLM_RULE_QUOTA || pick->rule == PLM_RULE_BORROWING_LIMIT);
		entry->key.rule = pick->rule;
	}
}

bool plm_why_same(const struct plm_why *a, const struct plm_why *b)
{
	return a->rule == b->rule && a->reason == b->reason &&
	       plm_sym_equal(a->object, b->object) && plm_sym_equal(a->resource, b->resource) &&
	       plm_sym_equal(a->flavor, b->flavor);
}

void plm_activity_say(const struct plm_state *st, plm_id queue, const struct plm_activity *activity,
		      struct plm_entry *out)
{
	bool stopped = activity->rule == PLM_RULE_QUEUE_STOPPED;

	out->key = (struct plm_why){
		.rule = activity->rule,
		.reason = stopped ? PLM_REASON_SUSPENDED : PLM_REASON_MISCONFIGURED,
		.object = plm_cluster_queue_at(st, queue)->object.name,
		.flavor = activity->flavor,
	};
	out->detail = activity->detail;
}

/*
 * The flavors that were looked at. Of a workload that waits only those of the scan that binds: another
 * flavor for what has one already would not help it.
 */
static struct plm_vec considered(const struct plm_state *st, struct plm_arena *arena,
				 const struct plm_entry *entry)
{
	const struct plm_assess *assess = &entry->result.assess;
	struct plm_w_candidate *list =
		PLM_NEW_ARRAY(arena, PLM_EXPLAIN_MAX_CANDIDATES, struct plm_w_candidate);
	uint32_t count = 0;

	for (uint32_t i = 0; i < assess->attempt_count && count < PLM_EXPLAIN_MAX_CANDIDATES; i++) {
		const struct plm_attempt *attempt = &assess->attempts[i];

		if (entry->scan != 0 && attempt->scan != entry->scan) {
			continue;
		}
		list[count++] = (struct plm_w_candidate){
			.candidate = plm_str(st, attempt->flavor),
			.rule = attempt->rule,
			.resource = plm_str(st, attempt->resource),
			.need = attempt->need,
			.have = attempt->have,
			.detail = plm_str(st, attempt->key),
		};
	}
	return (struct plm_vec){list, count};
}

/* Nodes that can take no pod, how many by which rule. */
static struct plm_vec nodes_considered(const struct plm_state *st, struct plm_arena *arena,
				       const struct plm_assess *assess)
{
	static const enum plm_rule rules[] = {
		[PLM_TAS_BY_TAINT] = PLM_RULE_NODES_TAINT,
		[PLM_TAS_BY_SELECTOR] = PLM_RULE_NODES_SELECTOR,
		[PLM_TAS_BY_AFFINITY] = PLM_RULE_NODES_AFFINITY,
		[PLM_TAS_BY_DOMAIN] = PLM_RULE_NODES_DOMAIN,
		[PLM_TAS_BY_RESOURCE] = PLM_RULE_NODES_RESOURCES,
	};
	const struct plm_tas_failure *why = &assess->unplaced;
	uint32_t count = why->excluded_count < PLM_EXPLAIN_MAX_CANDIDATES
				 ? why->excluded_count
				 : PLM_EXPLAIN_MAX_CANDIDATES;
	struct plm_w_candidate *list = PLM_NEW_ARRAY(arena, count, struct plm_w_candidate);

	for (uint32_t i = 0; i < count; i++) {
		list[i] = (struct plm_w_candidate){
			.candidate = plm_str(st, assess->asks[why->ask].flavor),
			.rule = rules[why->excluded[i].rule],
			.need = PLM_UNSET,
			.have = why->excluded[i].leaves,
			.detail = plm_str(st, why->excluded[i].key),
		};
	}
	return (struct plm_vec){list, count};
}

struct plm_entry plm_entry_said(plm_id workload, struct plm_why key)
{
	return (struct plm_entry){
		.workload = workload,
		.key = key,
		.need = PLM_UNSET,
		.have = PLM_UNSET,
		.limit = PLM_UNSET,
	};
}

void plm_why_fill(const struct plm_state *st, struct plm_arena *arena,
		  const struct plm_entry *entry, struct plm_w_explain *out)
{
	const struct plm_workload *workload = plm_workload_at(st, entry->workload);
	bool fits = entry->key.rule == PLM_RULE_FITS;

	*out = (struct plm_w_explain){
		.kind = PLM_KIND_WORKLOAD,
		.ns = plm_str(st, workload->object.ns),
		.name = plm_str(st, workload->object.name),
		.rule = entry->key.rule,
		.reason = entry->key.reason,
		.object = plm_str(st, entry->key.object),
		.resource = plm_str(st, entry->key.resource),
		.flavor = plm_str(st, entry->key.flavor),
		.need = entry->need,
		.have = entry->have,
		.limit = entry->limit,
		.detail = entry->path.size > 0 ? entry->path : plm_str(st, entry->detail),
	};
	if (entry->assessed && (!fits || entry->result.assess.attempt_count > 1)) {
		out->considered = considered(st, arena, entry);
	}
	if (entry->assessed && entry->key.rule == PLM_RULE_TOPOLOGY_PLACEMENT) {
		out->considered = nodes_considered(st, arena, &entry->result.assess);
	}
}
