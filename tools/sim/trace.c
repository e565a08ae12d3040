/*
 * trace.c - a run as a story: one line per decision, effect and outcome, read back from the log
 *
 *	    0:00:12.345  admission   reserve  ml/job-train-1 in ml-queue: QuotaReserved (fits)
 *
 * Time is virtual time since the start. Facts are told when they say something new that a person would
 * tell: work that arrives or ends, pods that are bound or end, nodes that come and go. For that the log
 * is folded beside the reading, and each fact is compared with what was known before it.
 */
#include "codec/codec.h"
#include "core/quantity.h"
#include "core/timefmt.h"
#include "engine/replay.h"
#include "reducers/status/render.h"
#include "tools/sim/runner.h"

#include <inttypes.h>
#include <stdio.h>

#define SHOWN_CANDIDATES 4

struct story {
	FILE *to;
	struct plm_sim_report *report;
	const struct plm_logged *logged;
	struct plm_state st; /* before the event */
	struct plm_arena *scratch;
	int64_t began_ms;
	bool telling;
};

/* ---- pieces of a line ---------------------------------------------------------------------------- */

static void begin(const struct story *s, const char *who, const char *what)
{
	int64_t ms = (int64_t)s->logged->envelope.tick_ms - s->began_ms;

	(void)fprintf(s->to,
		      "%5" PRId64 ":%02" PRId64 ":%02" PRId64 ".%03" PRId64 "  %-10s  %-9s  ",
		      (int64_t)(ms / PLM_MS_PER_HOUR), (int64_t)(ms / PLM_MS_PER_MINUTE % 60),
		      ms / 1000 % 60, ms % 1000, who, what);
}

static void say(const struct story *s, struct plm_slice text)
{
	(void)fwrite(text.ptr, 1, text.size, s->to);
}

static void say_name(const struct story *s, struct plm_slice ns, struct plm_slice name)
{
	if (ns.size > 0) {
		say(s, ns);
		(void)fputc('/', s->to);
	}
	say(s, name);
}

static void say_amount(const struct story *s, struct plm_slice resource, int64_t amount)
{
	char text[PLM_QUANTITY_SIZE];
	char duration[PLM_TIME_SIZE];

	if (amount == PLM_UNLIMITED) {
		(void)fputs("unlimited", s->to);
		return;
	}
	if (resource.size > 2 && memcmp(resource.ptr + resource.size - 2, "Ms", 2) == 0) {
		(void)fputs(plm_duration_format(amount, duration), s->to);
		return;
	}
	(void)fputs(plm_quantity_format(resource, amount, text), s->to);
}

static void say_operands(const struct story *s, struct plm_slice resource, int64_t need,
			 int64_t have)
{
	if (need != PLM_UNSET) {
		(void)fputs(", needs ", s->to);
		say_amount(s, resource, need);
		if (resource.size > 0) {
			(void)fputc(' ', s->to);
			say(s, resource);
		}
	}
	if (have != PLM_UNSET) {
		(void)fputs(need == PLM_UNSET ? ", has " : ", there is ", s->to);
		say_amount(s, resource, have);
	}
}

static void say_candidate(const struct story *s, const struct plm_w_candidate *candidate)
{
	say(s, candidate->candidate);
	(void)fprintf(s->to, ": %s", plm_names_text(&plm_names_rule, candidate->rule));
	say_operands(s, candidate->resource, candidate->need, candidate->have);
	if (candidate->detail.size > 0) {
		(void)fputc(' ', s->to);
		say(s, candidate->detail);
	}
}

static void say_lists(const struct story *s, const struct plm_w_explain *why)
{
	const struct plm_w_candidate *candidates = why->considered.ptr;
	const struct plm_w_step *steps = why->funnel.ptr;

	for (size_t i = 0; i < why->considered.count && i < SHOWN_CANDIDATES; i++) {
		(void)fputs(i == 0 ? " [" : "; ", s->to);
		say_candidate(s, &candidates[i]);
	}
	if (why->considered.count > SHOWN_CANDIDATES) {
		(void)fprintf(s->to, "; and %zu more", why->considered.count - SHOWN_CANDIDATES);
	}
	(void)fputs(why->considered.count > 0 ? "]" : "", s->to);
	for (size_t i = 0; i < why->funnel.count; i++) {
		(void)fputs(i == 0 ? " {" : ", ", s->to);
		say(s, steps[i].pool);
		(void)fprintf(s->to, " %s %" PRId64, plm_names_text(&plm_names_rule, steps[i].rule),
			      steps[i].left);
	}
	(void)fputs(why->funnel.count > 0 ? "}" : "", s->to);
}

/* Rules whose limit is a time. */
static bool is_time(int64_t rule)
{
	return rule == PLM_RULE_TIMEOUT || rule == PLM_RULE_PODS_READY ||
	       rule == PLM_RULE_MAX_EXECUTION || rule == PLM_RULE_NODES_STARTING;
}

static void say_why(const struct story *s, const struct plm_w_explain *why)
{
	const char *reason = plm_names_text(&plm_names_reason, why->reason);

	(void)fprintf(s->to, ": %s%s%s", reason, reason[0] == '\0' ? "" : ", ",
		      plm_names_text(&plm_names_rule, why->rule));
	say_operands(s, why->resource, why->need, why->have);
	if (why->limit != PLM_UNSET && (why->limit != 0 || why->have <= 0)) {
		(void)fputs(" of ", s->to);
		say_amount(s, is_time(why->rule) ? plm_slice_str("limitMs") : why->resource,
			   why->limit);
	}
	if (why->object.size > 0) {
		(void)fputs(" in ", s->to);
		say(s, why->object);
	}
	if (why->flavor.size > 0) {
		(void)fputs(" (flavor ", s->to);
		say(s, why->flavor);
		(void)fputc(')', s->to);
	}
	if (why->detail.size > 0) {
		(void)fputs("; ", s->to);
		say(s, why->detail);
	}
	say_lists(s, why);
}

static void end(const struct story *s)
{
	(void)fputc('\n', s->to);
}

/* ---- decisions ----------------------------------------------------------------------------------- */

/* Of a workload that is let in with fewer pods than it asked for. */
static void say_fewer(const struct story *s, const struct plm_w_reserve *w)
{
	const struct plm_w_assignment *sets = w->assignments.ptr;
	plm_id id = plm_find(&s->st, PLM_KIND_WORKLOAD, plm_sym_find(&s->st, w->ns),
			     plm_sym_find(&s->st, w->name));
	uint32_t count = 0;
	const struct plm_pod_set *asked =
		id.n == 0 ? NULL
			  : PLM_SPAN(&s->st, plm_workload_at(&s->st, id)->pod_sets,
				     struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count && i < w->assignments.count; i++) {
		if (asked[i].min_count != PLM_UNSET && sets[i].count < asked[i].count) {
			(void)fprintf(s->to, " with %" PRId64 " of %" PRId64 " pods", sets[i].count,
				      asked[i].count);
		}
	}
}

/* Where the pods go: "; 5 on b-0, 3 on b-1". Values of levels are joined by a slash. */
static void say_domains(const struct story *s, struct plm_vec assignments)
{
	const struct plm_w_assignment *sets = assignments.ptr;
	size_t told = 0;

	for (size_t i = 0; i < assignments.count; i++) {
		const struct plm_w_topology_domain *domains = sets[i].domains.ptr;

		for (size_t d = 0; d < sets[i].domains.count; d++, told++) {
			const struct plm_slice *values = domains[d].values.ptr;

			(void)fprintf(s->to, "%s%" PRId64 " on ", told == 0 ? "; " : ", ",
				      domains[d].count);
			for (size_t v = 0; v < domains[d].values.count; v++) {
				(void)fputs(v == 0 ? "" : "/", s->to);
				say(s, values[v]);
			}
		}
	}
}

static void tell_assigned(const struct story *s, const struct plm_w_assigned *w)
{
	begin(s, "admission", "place");
	say_name(s, w->ns, w->name);
	say_why(s, &w->why);
	say_domains(s, w->assignments);
	end(s);
}

static void tell_reserve(const struct story *s, const struct plm_w_reserve *w)
{
	begin(s, "admission", w->admitted != 0 ? "admit" : "reserve");
	say_name(s, w->ns, w->name);
	(void)fputs(" in ", s->to);
	say(s, w->cluster_queue);
	say_fewer(s, w);
	say_why(s, &w->why);
	say_domains(s, w->assignments);
	end(s);
}

static void tell_explained(const struct story *s, const char *who, const char *what,
			   const struct plm_w_explain *why)
{
	begin(s, who, what);
	say_name(s, why->ns, why->name);
	say_why(s, why);
	end(s);
}

/* What keeps a node from going; that pods leave and instances end is seen by itself. */
static void tell_drain(const struct story *s, const struct plm_w_drain *w)
{
	if (w->why.reason != PLM_REASON_FAILED_DRAINING &&
	    w->why.reason != PLM_REASON_AWAITING_VOLUMES && w->why.rule != PLM_RULE_GRACE_ENDING) {
		return;
	}
	begin(s, "nodes", "drain");
	say(s, w->name);
	(void)fputs(": ", s->to);
	say(s, plm_render_message(s->scratch, &w->why));
	end(s);
}

static void tell_evict(const struct story *s, const struct plm_w_evict *w)
{
	begin(s, "admission", "evict");
	say_name(s, w->ns, w->name);
	if (w->by_name.size > 0) {
		(void)fputs(" for ", s->to);
		say_name(s, w->by_ns, w->by_name);
	}
	say_why(s, &w->why);
	end(s);
}

static void tell_places(const struct story *s, const struct plm_w_places *w)
{
	const struct plm_w_place *places = w->places.ptr;

	begin(s, "capacity", w->places.count > 0 ? "places" : "unplace");
	say_name(s, w->ns, w->name);
	for (size_t i = 0; i < w->places.count; i++) {
		(void)fprintf(s->to, "%s%" PRId64 " on ", i == 0 ? ": " : ", ", places[i].count);
		say(s, places[i].target);
	}
	if (w->places.count == 0) {
		say_why(s, &w->why);
	}
	end(s);
}

static void tell_nominate(const struct story *s, const struct plm_w_nominate *w)
{
	const struct plm_slice *pods = w->pods.ptr;

	begin(s, "nodes", "nominate");
	for (size_t i = 0; i < w->pods.count && i < SHOWN_CANDIDATES; i++) {
		(void)fputs(i == 0 ? "" : ", ", s->to);
		say(s, pods[i]);
	}
	if (w->pods.count > SHOWN_CANDIDATES) {
		(void)fprintf(s->to, " and %zu more", w->pods.count - SHOWN_CANDIDATES);
	}
	(void)fputs(" on ", s->to);
	say(s, w->target);
	end(s);
}

static void tell_claim(const struct story *s, const struct plm_w_claim *w)
{
	const struct plm_slice *types = w->types.ptr;

	begin(s, "nodes", "claim");
	say(s, w->name);
	(void)fputs(" of ", s->to);
	say(s, w->pool);
	if (w->types.count > 0) {
		(void)fputs(", cheapest ", s->to);
		say(s, types[0]);
		(void)fprintf(s->to, " of %zu types", w->types.count);
	}
	if (w->price_micro != PLM_UNSET) {
		(void)fprintf(s->to, " at $%" PRId64 ".%04" PRId64 " per hour",
			      w->price_micro / 1000000, w->price_micro % 1000000 / 100);
	}
	if (w->for_name.size > 0) {
		(void)fputs(" for ", s->to);
		say_name(s, w->for_ns, w->for_name);
	}
	say_why(s, &w->why);
	end(s);
}

static void tell_claim_end(const struct story *s, const struct plm_w_claim_end *w)
{
	begin(s, "nodes", "end");
	say(s, w->name);
	say_why(s, &w->why);
	end(s);
}

/* What was noted of a claim, an instance that nobody knows. */
static void tell_noted(const struct story *s, const char *what, struct plm_slice name,
		       const struct plm_w_explain *why)
{
	begin(s, "nodes", what);
	say(s, name);
	say_why(s, why);
	end(s);
}

static const struct plm_w_explain *pend_why(const struct plm_w_pend *w)
{
	return w->why.rule == PLM_RULE_NONE && w->why.reason == PLM_REASON_NONE ? NULL : &w->why;
}

/* Decisions of provisioning and removal. */
static void tell_nodes(const struct story *s)
{
	const void *w = s->logged->payload;

	switch (s->logged->envelope.type) {
	case PLM_EV_PLACES:
		tell_places(s, w);
		return;
	case PLM_EV_NOMINATE:
		tell_nominate(s, w);
		return;
	case PLM_EV_CLAIM:
		tell_claim(s, w);
		return;
	case PLM_EV_CLAIM_END:
		tell_claim_end(s, w);
		return;
	case PLM_EV_CLAIM_NOTE: {
		const struct plm_w_claim_note *note = w;

		tell_noted(s, "note", note->name, &note->why);
		return;
	}
	case PLM_EV_ORPHAN: {
		const struct plm_w_orphan *orphan = w;

		tell_noted(s, "orphan", orphan->provider_id, &orphan->why);
		return;
	}
	case PLM_EV_DRAIN:
		tell_drain(s, w);
		return;
	case PLM_EV_DISRUPT:
		tell_explained(s, "nodes",
			       ((const struct plm_w_disrupt *)w)->validate_ms == PLM_UNSET ? "drop"
											   : "plan",
			       &((const struct plm_w_disrupt *)w)->why);
		return;
	case PLM_EV_BLOCKED:
		tell_explained(s, "nodes", "keep", &((const struct plm_w_blocked *)w)->why);
		return;
	case PLM_EV_EXPLAINED:
		tell_explained(s, "nodes", "wait", &((const struct plm_w_explained *)w)->why);
		return;
	default:
		return;
	}
}

static void tell_decision(const struct story *s)
{
	const void *w = s->logged->payload;

	switch (s->logged->envelope.type) {
	case PLM_EV_RESERVE:
		tell_reserve(s, w);
		return;
	case PLM_EV_ADMIT:
		tell_explained(s, "capacity", "admit", &((const struct plm_w_admit *)w)->why);
		return;
	case PLM_EV_PEND:
		if (pend_why(w) != NULL) {
			tell_explained(s, "admission", "wait", pend_why(w));
		}
		return;
	case PLM_EV_EVICT:
		tell_evict(s, w);
		return;
	case PLM_EV_ASSIGNED:
		tell_assigned(s, w);
		return;
	case PLM_EV_UNHEALTHY:
		tell_explained(s, "admission", "lost", &((const struct plm_w_unhealthy *)w)->why);
		return;
	case PLM_EV_RELEASE:
		tell_explained(s, "admission", "release", &((const struct plm_w_release *)w)->why);
		return;
	case PLM_EV_REQUEUE:
		tell_explained(s, "admission", "requeue", &((const struct plm_w_requeue *)w)->why);
		return;
	case PLM_EV_FINISH:
		tell_explained(s, "admission", "finish", &((const struct plm_w_finish *)w)->why);
		return;
	case PLM_EV_POSTPONE:
		tell_explained(s, "admission", "postpone",
			       &((const struct plm_w_postpone *)w)->why);
		return;
	default:
		tell_nodes(s);
		return;
	}
}

/* ---- effects ------------------------------------------------------------------------------------- */

static void tell_intent(const struct story *s, const struct plm_w_intent *w)
{
	begin(s, "effect", "ask");
	(void)fprintf(s->to, "%s ", plm_names_text(&plm_names_call, w->call));
	say_name(s, w->ns, w->name);
	end(s);
}

static void tell_refusals(const struct story *s, struct plm_vec refused)
{
	const struct plm_w_refusal *offers = refused.ptr;

	for (size_t i = 0; i < refused.count && i < SHOWN_CANDIDATES; i++) {
		(void)fputs(i == 0 ? ", refused " : ", ", s->to);
		say(s, offers[i].instance_type);
		(void)fputc(' ', s->to);
		say(s, offers[i].zone);
		(void)fputc(' ', s->to);
		say(s, offers[i].capacity_type);
	}
	if (refused.count > SHOWN_CANDIDATES) {
		(void)fprintf(s->to, " and %zu more", refused.count - SHOWN_CANDIDATES);
	}
}

static void tell_result(const struct story *s, const struct plm_w_result *w)
{
	plm_id id = plm_index_find(&s->st, PLM_KEY_INTENT, (uint32_t)w->intent,
				   (uint32_t)((uint64_t)w->intent >> 32));
	const struct plm_intent *intent = id.n == 0 ? NULL : plm_intent_at(&s->st, id);

	if (intent == NULL) {
		return; /* an answer that was heard before */
	}
	if (w->class == PLM_RESULT_DONE && intent->call != PLM_CALL_LAUNCH) {
		return; /* as asked; what came of it the facts tell */
	}
	begin(s, "effect", plm_names_text(&plm_names_result_class, w->class));
	(void)fprintf(s->to, "%s ", plm_names_text(&plm_names_call, intent->call));
	say_name(s, plm_str(&s->st, intent->ns), plm_str(&s->st, intent->name));
	if (w->provider_id.size > 0) {
		(void)fputs(": ", s->to);
		say(s, w->instance_type);
		(void)fputc(' ', s->to);
		say(s, w->zone);
		(void)fputc(' ', s->to);
		say(s, w->capacity_type);
	}
	if (w->code.size > 0) {
		(void)fputs(": ", s->to);
		say(s, w->code);
	}
	tell_refusals(s, w->refused);
	end(s);
}

/* ---- outcomes ------------------------------------------------------------------------------------ */

static plm_id known(const struct story *s, enum plm_kind kind, const struct plm_w_meta *meta)
{
	return plm_find(&s->st, kind, plm_sym_find(&s->st, meta->ns),
			plm_sym_find(&s->st, meta->name));
}

static void tell_job(const struct story *s, const struct plm_w_job *w)
{
	const char *kind = plm_names_text(&plm_names_kind, w->kind);
	plm_id id = known(s, (enum plm_kind)w->kind, &w->meta);

	if (id.n == 0) {
		begin(s, "cluster", "new");
		(void)fprintf(s->to, "%s ", kind);
		say_name(s, w->meta.ns, w->meta.name);
		end(s);
		return;
	}
	if (w->end != PLM_JOB_OPEN && plm_job_at(&s->st, id)->end == PLM_JOB_OPEN) {
		begin(s, "cluster", w->end == PLM_JOB_COMPLETE ? "complete" : "failed");
		(void)fprintf(s->to, "%s ", kind);
		say_name(s, w->meta.ns, w->meta.name);
		end(s);
	}
}

static void tell_pod(const struct story *s, const struct plm_w_pod *w)
{
	plm_id id = known(s, PLM_KIND_POD, &w->meta);
	const struct plm_pod *pod = id.n == 0 ? NULL : plm_pod_at(&s->st, id);
	bool over = w->phase == PLM_PHASE_SUCCEEDED || w->phase == PLM_PHASE_FAILED;
	const char *what = NULL;

	if (over && (pod == NULL || pod->phase != w->phase)) {
		what = w->phase == PLM_PHASE_FAILED ? "failed" : "succeeded";
	} else if (w->node.size > 0 && (pod == NULL || pod->node.n == 0)) {
		what = "bound";
	}
	if (what == NULL) {
		return;
	}
	begin(s, "cluster", what);
	(void)fputs("Pod ", s->to);
	say_name(s, w->meta.ns, w->meta.name);
	if (!over) {
		(void)fputs(" on ", s->to);
		say(s, w->node);
	}
	end(s);
}

static void tell_node(const struct story *s, const struct plm_w_node *w)
{
	plm_id id = known(s, PLM_KIND_NODE, &w->meta);
	bool was = id.n != 0 && plm_node_at(&s->st, id)->ready == 1;

	if ((w->ready == 1) == was) {
		return;
	}
	begin(s, "cluster", w->ready == 1 ? "ready" : "lost");
	(void)fputs("Node ", s->to);
	say(s, w->meta.name);
	end(s);
}

static void tell_gone(const struct story *s, const struct plm_w_gone *w)
{
	if (w->kind == PLM_KIND_POD) {
		return;
	}
	begin(s, "cluster", "gone");
	(void)fprintf(s->to, "%s ", plm_names_text(&plm_names_kind, w->kind));
	say_name(s, w->ns, w->name);
	end(s);
}

static void tell_replicas(const struct story *s, const struct plm_w_replicator *w)
{
	plm_id id = known(s, (enum plm_kind)w->kind, &w->meta);

	if (w->kind == PLM_KIND_REPLICA_SET ||
	    (id.n != 0 && plm_replicator_at(&s->st, id)->replicas == w->replicas)) {
		return;
	}
	begin(s, "cluster", id.n == 0 ? "new" : "scale");
	(void)fprintf(s->to, "%s ", plm_names_text(&plm_names_kind, w->kind));
	say_name(s, w->meta.ns, w->meta.name);
	(void)fprintf(s->to, " to %" PRId64 " replicas", w->replicas);
	end(s);
}

static void tell_control(const struct story *s)
{
	const void *w = s->logged->payload;

	if (s->logged->envelope.type == PLM_EV_EPOCH &&
	    ((const struct plm_w_epoch *)w)->epoch > 1) {
		begin(s, "engine", "restart");
		(void)fprintf(s->to, "epoch %" PRId64, ((const struct plm_w_epoch *)w)->epoch);
		end(s);
	} else if (s->logged->envelope.type == PLM_EV_CLOCK_STEP) {
		begin(s, "engine", "clock");
		(void)fprintf(s->to, "stepped by %" PRId64 " ms",
			      ((const struct plm_w_clock_step *)w)->by_ms);
		end(s);
	}
}

static void tell_interruption(const struct story *s, const struct plm_w_interruption *w)
{
	char time[PLM_TIME_SIZE];

	begin(s, "cloud", "warning");
	say(s, w->provider_id);
	if (w->kind == PLM_INTERRUPT_SPOT) {
		(void)fputs(" is taken back in two minutes", s->to);
		end(s);
		return;
	}
	(void)fprintf(s->to, ": %s", plm_names_text(&plm_names_interrupt, w->kind));
	if (w->state.size > 0) {
		(void)fputc(' ', s->to);
		say(s, w->state);
	}
	if (w->at_ms != PLM_UNSET) {
		(void)fprintf(s->to, " %s", plm_time_format(w->at_ms, time));
	}
	end(s);
}

static void tell_patch(const struct story *s, const struct plm_w_workload_patch *w)
{
	const struct plm_w_check_status *checks = w->checks.ptr;
	const struct plm_w_pod_count *back = w->reclaimable.ptr;

	begin(s, "operator", "patch");
	say_name(s, w->ns, w->name);
	if (w->active != PLM_UNSET) {
		(void)fprintf(s->to, ": active %s", w->active == 1 ? "true" : "false");
	}
	for (size_t i = 0; i < w->checks.count; i++) {
		(void)fputs(": check ", s->to);
		say(s, checks[i].name);
		(void)fprintf(s->to, " %s",
			      plm_names_text(&plm_names_check_state, checks[i].state));
		if (checks[i].message.size > 0) {
			(void)fputs(", ", s->to);
			say(s, checks[i].message);
		}
	}
	for (size_t i = 0; i < w->reclaimable.count; i++) {
		(void)fprintf(s->to, ": gives back %" PRId64 " of ", back[i].count);
		say(s, back[i].name);
	}
	end(s);
}

static void tell_fact(const struct story *s)
{
	const void *w = s->logged->payload;

	switch (s->logged->envelope.type) {
	case PLM_EV_JOB:
		tell_job(s, w);
		return;
	case PLM_EV_POD:
		tell_pod(s, w);
		return;
	case PLM_EV_NODE:
		tell_node(s, w);
		return;
	case PLM_EV_GONE:
		tell_gone(s, w);
		return;
	case PLM_EV_WORKLOAD_PATCH:
		tell_patch(s, w);
		return;
	case PLM_EV_REPLICATOR:
		tell_replicas(s, w);
		return;
	case PLM_EV_INTERRUPTION:
		tell_interruption(s, w);
		return;
	default:
		return;
	}
}

/* ---- the log, once ------------------------------------------------------------------------------- */

static void tell(const struct story *s)
{
	switch (s->logged->info->class) {
	case PLM_CLASS_CONTROL:
		tell_control(s);
		return;
	case PLM_CLASS_FACT:
		tell_fact(s);
		return;
	case PLM_CLASS_DECISION:
		tell_decision(s);
		return;
	case PLM_CLASS_INTENT:
		tell_intent(s, s->logged->payload);
		return;
	case PLM_CLASS_RESULT:
		tell_result(s, s->logged->payload);
		return;
	}
	PLM_UNREACHABLE();
}

static void count(const struct story *s)
{
	struct plm_sim_report *out = s->report;
	const void *w = s->logged->payload;
	uint16_t type = s->logged->envelope.type;

	out->events++;
	out->facts += s->logged->info->class == PLM_CLASS_FACT;
	out->decisions += s->logged->info->class == PLM_CLASS_DECISION;
	out->intents += s->logged->info->class == PLM_CLASS_INTENT;
	out->results += s->logged->info->class == PLM_CLASS_RESULT;
	out->cycles += type == PLM_EV_CYCLE;
	out->admitted += type == PLM_EV_ADMIT || (type == PLM_EV_RESERVE &&
						  ((const struct plm_w_reserve *)w)->admitted != 0);
	out->preemptions += type == PLM_EV_EVICT &&
			    ((const struct plm_w_evict *)w)->reason == PLM_REASON_PREEMPTED;
}

static enum plm_code read_all(struct story *s, struct plm_reader *reader, struct plm_error *err)
{
	struct plm_logged logged;
	enum plm_code code = PLM_OK;

	s->logged = &logged;
	while (code == PLM_OK) {
		code = plm_reader_next(reader, &logged, err);
		if (code != PLM_OK) {
			break;
		}
		if (s->began_ms == 0) {
			s->began_ms = (int64_t)logged.envelope.tick_ms;
		}
		count(s);
		if (s->telling) {
			tell(s);
			plm_arena_reset(s->scratch);
			plm_fold_event(&s->st, &logged, s->scratch);
		}
	}
	s->logged = NULL;
	return code == PLM_E_NOT_FOUND ? PLM_OK : code;
}

enum plm_code plm_runner_trace(struct plm_runner *r, struct plm_log *log, struct plm_error *err)
{
	struct plm_arena scratch = {0};
	struct story s = {.to = r->options->trace,
			  .report = r->report,
			  .scratch = &scratch,
			  .telling = r->options->trace != NULL};
	struct plm_reader *reader = NULL;
	enum plm_code code = plm_state_init(&s.st, PLM_PROFILE_SMALL, err);

	if (code == PLM_OK) {
		code = plm_arena_init(&scratch, (size_t)256 * 1024 * 1024, err);
	}
	if (code == PLM_OK) {
		code = plm_reader_open(log, 1, &reader, err);
	}
	if (code == PLM_OK) {
		code = read_all(&s, reader, err);
	}
	plm_reader_close(reader);
	plm_arena_fini(&scratch);
	plm_state_fini(&s.st);
	return code;
}
