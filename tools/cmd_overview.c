/* What a screen begins with: head (where a log ends), summary (counts), and pending (who waits). */
#include <inttypes.h>

#include "core/event.h"
#include "core/sort.h"
#include "reducers/reducer.h"
#include "reducers/status/condition.h"
#include "tools/live.h"
#include "tools/page.h"
#include "tools/print.h"
#include "tools/queue_order.h"
#include "tools/rows.h"
#include "tools/spell.h"
#include "tools/verbs.h"

/* ---- head -------------------------------------------------------------------------------------- */

static struct plm_json *versions_tree(struct plm_arena *arena)
{
	struct plm_json *versions = plm_json_object(arena);

	plm_json_put_str(versions, "version", PLM_VERSION);
	plm_json_put_int(versions, "logFormat", PLM_ENVELOPE_FORMAT);
	plm_json_put_int(versions, "bundle", PLM_BUNDLE);
	return versions;
}

/* What only a daemon knows of itself. */
static void put_daemon(struct plm_json *doc, const struct plm_live *source)
{
	struct plm_json *mode = plm_json_object(doc->arena);

	if (source == NULL) {
		return;
	}
	plm_json_put_str(mode, "queues", source->about.queues);
	plm_json_put_str(mode, "nodes", source->about.nodes);
	plm_json_put(doc, "mode", mode);
	plm_json_put_int(doc, "lagEvents", source->about.lag_events);
}

enum plm_code plm_cmd_head(struct plm_cli *call, struct plm_error *err)
{
	struct plm_view view = {0};
	struct plm_json *doc = plm_json_document(call->arena, "Head");
	enum plm_code code = plm_view_open(call, &view, err);

	if (code == PLM_OK) {
		plm_json_put_int(doc, "seq", (int64_t)view.seq);
		plm_json_put_text(doc, "time", plm_spell_time(call->arena, view.time_ms));
		plm_json_put_str(doc, "stateHash", plm_view_hash(&view));
		plm_json_put(doc, "versions", versions_tree(call->arena));
		put_daemon(doc, call->live);
		if (plm_print_is_document(call)) {
			plm_print_document(call, doc);
		} else {
			(void)fprintf(call->out, "event %" PRIu64 " at %.*s, state %s\n", view.seq,
				      (int)plm_spell_time(call->arena, view.time_ms).size,
				      (const char *)plm_spell_time(call->arena, view.time_ms).ptr,
				      plm_view_hash(&view));
		}
	}
	plm_view_close(&view);
	return code;
}

/* ---- counts by name ---------------------------------------------------------------------------- */

/* Add to the number 'key' of 'object'. */
static void count(struct plm_json *object, struct plm_slice key, int64_t more)
{
	struct plm_json *number = plm_json_get(object, key);

	if (number == NULL) {
		plm_json_put_key(object, key, plm_json_int(object->arena, more));
	} else {
		number->number = plm_add_sat(number->number, more);
	}
}

static void print_counts(struct plm_cli *call, const char *title, struct plm_json *counts)
{
	plm_json_sort(counts);
	(void)fprintf(call->out, "%s\n", title);
	for (size_t i = 0; i < counts->count; i++) {
		(void)fprintf(call->out, "  %-32.*s %" PRId64 "\n", (int)counts->keys[i].size,
			      (const char *)counts->keys[i].ptr, counts->items[i]->number);
	}
}

/* ---- summary ----------------------------------------------------------------------------------- */

static struct plm_json *count_workloads(const struct plm_state *st, struct plm_arena *arena,
					struct plm_json *reasons)
{
	struct plm_json *counts = plm_json_object(arena);

	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);

		count(counts, plm_slice_str(plm_workload_status(workload)), 1);
		if (plm_is_pending(workload)) {
			count(reasons,
			      plm_slice_str(
				      plm_names_text(&plm_names_reason, workload->why.reason)),
			      1);
		}
	}
	return counts;
}

static struct plm_json *count_pods(const struct plm_state *st, struct plm_arena *arena)
{
	static const char *const phases[] = {"Pending", "Running", "Succeeded", "Failed",
					     "Unknown"};
	struct plm_json *counts = plm_json_object(arena);

	PLM_EACH(st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(st, id);

		count(counts, plm_slice_str(phases[pod->phase % PLM_COUNTOF(phases)]), 1);
	}
	return counts;
}

static struct plm_json *count_nodes(const struct plm_state *st, struct plm_arena *arena)
{
	struct plm_json *counts = plm_json_object(arena);

	PLM_EACH(st, node, id)
	{
		const struct plm_node *node = plm_node_at(st, id);

		count(counts, plm_slice_str("total"), 1);
		count(counts, plm_slice_str("ready"), node->ready != 0 ? 1 : 0);
		count(counts, plm_slice_str("managed"), node->claim.n != 0 ? 1 : 0);
	}
	return counts;
}

/* Node claims by pool, and what they cost an hour. */
static int64_t count_claims(const struct plm_state *st, struct plm_json *counts)
{
	int64_t micro = 0;

	PLM_EACH(st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(st, id);

		count(counts, plm_str(st, claim->pool), 1);
		if (claim->launched_ms != PLM_UNSET && claim->price_micro != PLM_UNSET) {
			micro = plm_add_sat(micro, claim->price_micro);
		}
	}
	return micro;
}

enum plm_code plm_cmd_summary(struct plm_cli *call, struct plm_error *err)
{
	struct plm_view view = {0};
	struct plm_json *doc = plm_json_document(call->arena, "Summary");
	struct plm_json *reasons = plm_json_object(call->arena);
	struct plm_json *claims = plm_json_object(call->arena);
	enum plm_code code = plm_view_open(call, &view, err);

	if (code == PLM_OK) {
		const struct plm_state *st = &view.state;
		struct plm_json *workloads = count_workloads(st, call->arena, reasons);
		struct plm_json *pods = count_pods(st, call->arena);
		struct plm_json *nodes = count_nodes(st, call->arena);

		plm_json_put_int(doc, "costMicroUSDPerHour", count_claims(st, claims));
		plm_json_put_int(doc, "clusterQueues", plm_cluster_queue_live(st));
		plm_json_put_int(doc, "openEffects", plm_intent_live(st));
		plm_json_put(doc, "at", plm_view_point(&view));
		plm_json_put_str(doc, "stateHash", plm_view_hash(&view));
		plm_json_put(doc, "workloads", workloads);
		plm_json_put(doc, "pendingByReason", reasons);
		plm_json_put(doc, "pods", pods);
		plm_json_put(doc, "nodes", nodes);
		plm_json_put(doc, "nodeClaimsByPool", claims);
		if (plm_print_is_document(call)) {
			plm_print_document(call, doc);
		} else {
			print_counts(call, "WORKLOADS", workloads);
			print_counts(call, "PENDING BY REASON", reasons);
			print_counts(call, "PODS", pods);
			print_counts(call, "NODES", nodes);
			print_counts(call, "NODE CLAIMS BY POOL", claims);
		}
	}
	plm_view_close(&view);
	return code;
}

/* ---- pending ----------------------------------------------------------------------------------- */

static const struct plm_column pending_columns[] = {
	{"CLUSTERQUEUE", false, false}, {"POSITION", true, false},     {"WORKLOAD", false, false},
	{"QUEUE", false, false},	{"PRIORITY", true, false},     {"REASON", false, false},
	{"WAIT", true, false},		{"LAST DECISION", true, true},
};

struct pending {
	struct plm_cli *call;
	struct plm_view view;
	struct plm_page page;
	struct plm_queue_order order;
	struct plm_json *groups; /* counts by reason or queue */
	struct plm_json *items;
	struct plm_grid grid;
};

static struct plm_json *pending_tree(struct pending *p, plm_id id)
{
	struct plm_arena *arena = p->call->arena;
	const struct plm_state *st = &p->view.state;
	const struct plm_workload *workload = plm_workload_at(st, id);
	struct plm_subject subject = plm_subject_of(st, &workload->object);
	struct plm_json *row = plm_json_object(arena);

	plm_json_put_text(row, "workload", plm_subject_name(arena, &subject));
	plm_json_put_some(row, "clusterQueue", plm_str(st, p->order.queues[id.n]));
	plm_json_put_some(row, "localQueue", plm_str(st, workload->queue));
	plm_json_put_int(row, "priority", workload->priority);
	plm_json_put_str(row, "reason", plm_names_text(&plm_names_reason, workload->why.reason));
	plm_json_put_text(row, "since", plm_spell_time(arena, workload->object.created_ms));
	if (p->order.positions[id.n] != 0) {
		plm_json_put_int(row, "position", p->order.positions[id.n]);
	}
	if (workload->why.seq != 0) {
		plm_json_put_int(row, "decision", (int64_t)workload->why.seq);
	}
	return row;
}

static void pending_row(struct pending *p, plm_id id)
{
	struct plm_arena *arena = p->call->arena;
	const struct plm_state *st = &p->view.state;
	const struct plm_workload *workload = plm_workload_at(st, id);
	struct plm_subject subject = plm_subject_of(st, &workload->object);
	int64_t waits = plm_view_now(&p->view) - workload->object.created_ms;
	uint32_t position = p->order.positions[id.n];

	plm_grid_cell(&p->grid, plm_str(st, p->order.queues[id.n]));
	plm_grid_cell(&p->grid, position == 0 ? (struct plm_slice){0}
					      : plm_arena_format(arena, "%u", position));
	plm_grid_cell(&p->grid, plm_subject_name(arena, &subject));
	plm_grid_cell(&p->grid, plm_str(st, workload->queue));
	plm_grid_format(&p->grid, "%" PRId64, workload->priority);
	plm_grid_cell(&p->grid,
		      plm_slice_str(plm_names_text(&plm_names_reason, workload->why.reason)));
	plm_grid_cell(&p->grid, plm_spell_age(arena, waits));
	plm_grid_format(&p->grid, "%" PRIu64, workload->why.seq);
}

/* Those of --namespace, by their standing. */
static uint64_t list_pending(struct pending *p)
{
	const struct plm_state *st = &p->view.state;
	struct plm_slice ns = plm_slice_str(plm_cli_text(p->call, PLM_FLAG_NAMESPACE, ""));
	bool by_queue = strcmp(plm_cli_text(p->call, PLM_FLAG_GROUP, "reason"), "queue") == 0;
	uint64_t rows = 0;

	for (uint32_t i = 0; i < p->order.count; i++) {
		plm_id id = {p->order.ids[i]};
		const struct plm_workload *workload = plm_workload_at(st, id);
		struct plm_slice queue = plm_str(st, p->order.queues[id.n]);

		if (ns.size > 0 && !plm_slice_equal(plm_str(st, workload->object.ns), ns)) {
			continue;
		}
		count(p->groups,
		      by_queue ? queue
			       : plm_slice_str(
					 plm_names_text(&plm_names_reason, workload->why.reason)),
		      1);
		if (plm_page_has(&p->page, rows++)) {
			plm_json_add(p->items, pending_tree(p, id));
			pending_row(p, id);
		}
	}
	return rows;
}

enum plm_code plm_cmd_pending(struct plm_cli *call, struct plm_error *err)
{
	struct pending p = {.call = call,
			    .groups = plm_json_object(call->arena),
			    .items = plm_json_list(call->arena)};
	enum plm_code code = plm_page_begin(call, &p.page, err);

	plm_grid_init(&p.grid, call->arena, pending_columns, PLM_COUNTOF(pending_columns));
	if (code == PLM_OK) {
		code = plm_view_open(call, &p.view, err);
	}
	if (code == PLM_OK) {
		struct plm_json *doc = plm_json_document(call->arena, "PendingList");
		uint64_t rows = 0;

		p.order = plm_queue_order(&p.view.state, call->arena);
		rows = list_pending(&p);
		plm_json_put(doc, "at", plm_view_point(&p.view));
		plm_json_put(doc, "groups", p.groups);
		plm_json_put(doc, "items", p.items);
		plm_page_end(&p.page, p.view.seq, rows, doc);
		if (plm_print_is_document(call)) {
			plm_print_document(call, doc);
		} else {
			plm_print_grid(call, &p.grid);
		}
	}
	plm_view_close(&p.view);
	return code;
}
