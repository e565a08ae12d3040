#include "reducers/status/board.h"

#include "reducers/admission/activity.h"
#include "reducers/admission/fair.h"
#include "reducers/admission/queue.h"
#include "reducers/admission/request.h"

#define NANO 1000000000LL

struct making {
	const struct plm_state *st;
	struct plm_arena *arena;
	struct plm_board *board;
	struct plm_quotas snap;
};

static struct plm_slice words(const struct making *m, const char *before, plm_sym name)
{
	struct plm_slice text = plm_str(m->st, name);

	return plm_arena_format(m->arena, "%s%.*s", before, (int)text.size, (const char *)text.ptr);
}

/* ---- the Active condition ---------------------------------------------------------------------- */

static struct plm_queue_active inactive(const char *reason, struct plm_slice message)
{
	return (struct plm_queue_active){false, plm_slice_str(reason), message};
}

static struct plm_queue_active active(const char *message)
{
	return (struct plm_queue_active){true, plm_slice_str("Ready"), plm_slice_str(message)};
}

/* The rule QUEUE_INACTIVE stands for several of upstream's reasons. */
static struct plm_queue_active inactive_queue(const struct making *m,
					      const struct plm_cluster_queue *queue, plm_sym detail)
{
	uint32_t count = 0;
	const struct plm_check_use *use =
		PLM_SPAN(m->st, queue->checks, struct plm_check_use, &count);

	if (queue->misconfigured.n != 0) {
		return inactive("Misconfigured",
				words(m, "Can't admit new workloads: ", queue->misconfigured));
	}
	if (queue->object.deleting_ms != PLM_UNSET) {
		return inactive("Terminating",
				plm_slice_str("Can't admit new workloads: clusterQueue is "
					      "terminating"));
	}
	for (uint32_t i = 0; i < count; i++) {
		bool there = plm_find(m->st, PLM_KIND_ADMISSION_CHECK, (plm_sym){0}, detail).n != 0;

		if (!plm_sym_equal(use[i].name, detail)) {
			continue;
		}
		return there ? inactive("AdmissionCheckInactive",
					words(m,
					      "Can't admit new workloads: references inactive "
					      "AdmissionCheck(s): ",
					      detail))
			     : inactive("AdmissionCheckNotFound",
					words(m,
					      "Can't admit new workloads: references missing "
					      "AdmissionCheck(s): ",
					      detail));
	}
	return inactive("Unknown", words(m, "Can't admit new workloads: ", detail));
}

static struct plm_queue_active queue_active(const struct making *m, plm_id id)
{
	struct plm_activity activity = plm_activity_of(m->st, id);

	if (activity.rule == PLM_RULE_NONE) {
		return active("Can admit new workloads");
	}
	if (activity.rule == PLM_RULE_QUEUE_STOPPED) {
		return inactive("Stopped", plm_slice_str("Can't admit new workloads: is stopped"));
	}
	if (activity.rule == PLM_RULE_FLAVOR_MISSING) {
		return inactive("FlavorNotFound",
				words(m,
				      "Can't admit new workloads: references missing "
				      "ResourceFlavor(s): ",
				      activity.flavor));
	}
	if (activity.rule == PLM_RULE_MULTIKUEUE_TWICE) {
		return inactive("MultipleMultiKueueAdmissionChecks",
				plm_slice_str("Can't admit new workloads: Cannot use multiple "
					      "MultiKueue AdmissionChecks on the same "
					      "ClusterQueue"));
	}
	if (activity.rule == PLM_RULE_MULTIKUEUE_PER_FLAVOR) {
		return inactive(
			"MultiKueueAdmissionCheckAppliedPerFlavor",
			plm_slice_str("Can't admit new workloads: Cannot specify MultiKueue "
				      "AdmissionCheck per flavor"));
	}
	if (activity.rule == PLM_RULE_MULTIKUEUE_AND_PROVISIONING) {
		return inactive("MultiKueueWithProvisioningRequest",
				plm_slice_str("Can't admit new workloads: Cannot use MultiKueue "
					      "AdmissionCheck together with ProvisioningRequest "
					      "AdmissionCheck"));
	}
	if (activity.rule == PLM_RULE_COHORT_RING) {
		return inactive("Misconfigured",
				words(m,
				      "Can't admit new workloads: a ring of parents above cohort ",
				      activity.detail));
	}
	return inactive_queue(m, plm_cluster_queue_at(m->st, id), activity.detail);
}

static struct plm_queue_active local_active(const struct making *m,
					    const struct plm_local_queue *local, plm_id cluster)
{
	if (local->stop != PLM_STOP_NONE) {
		return inactive("Stopped", plm_slice_str("LocalQueue is stopped"));
	}
	if (local->work_queue.n != 0 &&
	    plm_find(m->st, PLM_KIND_WORK_QUEUE, (plm_sym){0}, local->work_queue).n == 0) {
		return inactive("WorkQueueDoesNotExist",
				words(m, "Can't submit new workloads: there is no WorkQueue ",
				      local->work_queue));
	}
	if (cluster.n == 0) {
		return inactive("ClusterQueueDoesNotExist",
				plm_slice_str("Can't submit new workloads to clusterQueue"));
	}
	if (!m->board->queues[cluster.n].active.is_true) {
		return inactive("ClusterQueueIsInactive",
				plm_slice_str("Can't submit new workloads to clusterQueue"));
	}
	return active("Can submit new workloads to localQueue");
}

/* ---- lines ------------------------------------------------------------------------------------- */

/* Does the queue list this flavor for the resource? Its tree has more. */
static bool lists(const struct making *m, uint32_t node, const struct plm_pair *pair)
{
	const struct plm_group *group =
		plm_request_group(m->st, plm_quotas_queue(&m->snap, node), pair->resource);
	uint32_t count = 0;
	const struct plm_flavor_quota *flavor =
		group == NULL ? NULL
			      : PLM_SPAN(m->st, group->flavors, struct plm_flavor_quota, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(flavor[i].flavor, pair->flavor)) {
			return true;
		}
	}
	return false;
}

static struct plm_quota_lines node_lines(const struct making *m, uint32_t node)
{
	uint32_t pairs = plm_quotas_pair_count(&m->snap, node);
	struct plm_quota_line *list = PLM_NEW_ARRAY(m->arena, pairs, struct plm_quota_line);
	uint32_t count = 0;

	for (uint32_t f = 0; f < pairs; f++) {
		const struct plm_pair *pair = plm_quotas_pair_at(&m->snap, node, f);
		const struct plm_cell *cell = plm_quotas_cell(&m->snap, node, f);
		bool queue = m->snap.tree.nodes[node].queue;
		bool empty = cell->nominal == 0 && cell->usage == 0 && cell->subtree == 0;

		if (queue ? !lists(m, node, pair) && cell->usage == 0 : empty) {
			continue;
		}
		list[count++] = (struct plm_quota_line){
			.flavor = pair->flavor,
			.resource = pair->resource,
			.nominal = cell->nominal,
			.borrowing = cell->borrowing,
			.lending = cell->lending,
			.subtree = cell->subtree,
			.reserved = cell->usage,
			.borrowed = plm_max(0, plm_quota_sub(cell->usage, cell->nominal)),
		};
	}
	return (struct plm_quota_lines){list, count};
}

/* ceil(1000 x share): kueue.md 2.9, "Reported weightedShare". */
static int64_t weighted(const struct making *m, uint32_t node)
{
	struct plm_share share;
	plm_i128 above = 0;
	plm_i128 below = 0;

	if (!plm_fair_sharing(&m->snap, node)) {
		return PLM_UNSET;
	}
	share = plm_fair_share(&m->snap, node);
	if (plm_fair_infinite(share)) {
		return PLM_SHARE_INFINITE;
	}
	if (share.over == 0) {
		return 0;
	}
	above = (plm_i128)share.over * 1000 * NANO;
	below = (plm_i128)share.lendable * share.weight_nano;
	above = (above + below - 1) / below;
	return above > PLM_SHARE_INFINITE ? PLM_SHARE_INFINITE : (int64_t)above;
}

static plm_sym root_name(const struct making *m, uint32_t node)
{
	uint32_t root = m->snap.tree.nodes[node].tree;

	return root == node ? (plm_sym){0} : m->snap.tree.nodes[root].name;
}

static void line_add(const struct plm_quota_lines *lines, const struct plm_pair *pair,
		     int64_t reserved, int64_t used)
{
	struct plm_quota_line *line = lines->list;

	for (uint32_t i = 0; i < lines->count; i++) {
		if (plm_sym_equal(line[i].flavor, pair->flavor) &&
		    plm_sym_equal(line[i].resource, pair->resource)) {
			line[i].reserved = plm_add_sat(line[i].reserved, reserved);
			line[i].used = plm_add_sat(line[i].used, used);
			return;
		}
	}
}

/* ---- queues ------------------------------------------------------------------------------------ */

static void fill_queues(const struct making *m)
{
	PLM_EACH(m->st, cluster_queue, id)
	{
		struct plm_queue_status *status = &m->board->queues[id.n];
		uint32_t node = m->snap.queue_nodes[id.n];

		status->active = queue_active(m, id);
		status->cohort = plm_cluster_queue_at(m->st, id)->cohort;
		status->root = root_name(m, node);
		status->lines = node_lines(m, node);
		status->weighted_share = weighted(m, node);
	}
}

static plm_id cluster_of(const struct making *m, const struct plm_local_queue *local)
{
	plm_sym name = local->cluster_queue;

	if (local->work_queue.n != 0) {
		plm_id work = plm_find(m->st, PLM_KIND_WORK_QUEUE, (plm_sym){0}, local->work_queue);

		name = work.n == 0 ? (plm_sym){0} : plm_work_queue_at(m->st, work)->cluster_queue;
	}
	return plm_find(m->st, PLM_KIND_CLUSTER_QUEUE, (plm_sym){0}, name);
}

static void fill_locals(const struct making *m)
{
	PLM_EACH(m->st, local_queue, id)
	{
		const struct plm_local_queue *local = plm_local_queue_at(m->st, id);
		plm_id cluster = cluster_of(m, local);
		struct plm_local_status *status = &m->board->locals[id.n];

		status->active = local_active(m, local, cluster);
		status->cluster_queue = local->cluster_queue;
		if (cluster.n == 0) {
			continue;
		}
		status->cluster_queue = plm_cluster_queue_at(m->st, cluster)->object.name;
		status->lines = node_lines(m, m->snap.queue_nodes[cluster.n]);
		for (uint32_t i = 0; i < status->lines.count; i++) {
			struct plm_quota_line *line = &status->lines.list[i];

			*line = (struct plm_quota_line){.flavor = line->flavor,
							.resource = line->resource,
							.borrowing = PLM_UNSET,
							.lending = PLM_UNSET};
		}
	}
}

static void fill_cohorts(const struct making *m)
{
	const struct plm_quota_tree *tree = &m->snap.tree;
	struct plm_board *board = m->board;

	board->cohorts = PLM_NEW_ARRAY(m->arena, tree->count, struct plm_cohort_status);
	for (uint32_t n = 0; n < tree->count; n++) {
		const struct plm_quota_node *node = &tree->nodes[n];
		uint32_t at = board->cohort_count;

		if (node->queue) {
			continue;
		}
		for (;
		     at > 0 && plm_sym_compare(m->st, board->cohorts[at - 1].name, node->name) > 0;
		     at--) {
			board->cohorts[at] = board->cohorts[at - 1];
		}
		board->cohorts[at] = (struct plm_cohort_status){
			.name = node->name,
			.parent = node->parent == PLM_NO_NODE ? (plm_sym){0}
							      : tree->nodes[node->parent].name,
			.root = tree->nodes[node->tree].name,
			.lines = node_lines(m, n),
			.weighted_share = weighted(m, n),
		};
		board->cohort_count++;
	}
}

/* ---- workloads --------------------------------------------------------------------------------- */

static void count(struct plm_queue_counts *counts, const struct plm_workload *workload, bool tried)
{
	switch ((enum plm_stage)workload->stage) {
	case PLM_STAGE_PENDING:
		*(tried ? &counts->pending : &counts->inadmissible) += 1;
		break;
	case PLM_STAGE_RESERVED:
		counts->reserving++;
		break;
	case PLM_STAGE_ADMITTED:
		counts->reserving++;
		counts->admitted++;
		break;
	case PLM_STAGE_FINISHED:
		counts->finished++;
		break;
	}
}

static void add_admitted(const struct making *m, uint32_t node)
{
	for (uint32_t at = m->snap.tree.nodes[node].parent; at != PLM_NO_NODE;
	     at = m->snap.tree.nodes[at].parent) {
		for (uint32_t c = 0; c < m->board->cohort_count; c++) {
			if (plm_sym_equal(m->board->cohorts[c].name, m->snap.tree.nodes[at].name)) {
				m->board->cohorts[c].admitted++;
			}
		}
	}
}

static void count_workload(const struct making *m, const struct plm_workload *workload)
{
	struct plm_route route = plm_queue_route(m->st, workload);
	bool holds = workload->stage == PLM_STAGE_RESERVED || workload->stage == PLM_STAGE_ADMITTED;
	plm_id cluster = holds ? workload->cluster_queue : route.cluster;
	bool tried = route.rule == PLM_RULE_NONE && workload->place == PLM_QUEUE_ACTIVE &&
		     route.cluster.n != 0 && m->board->queues[route.cluster.n].active.is_true;
	struct plm_queue_status *queue = cluster.n == 0 ? NULL : &m->board->queues[cluster.n];
	struct plm_local_status *local =
		route.local.n == 0 ? NULL : &m->board->locals[route.local.n];
	bool admitted = workload->stage == PLM_STAGE_ADMITTED;
	struct plm_uses uses = {0};

	if (queue != NULL) {
		count(&queue->counts, workload, tried);
	}
	if (local != NULL) {
		count(&local->counts, workload, tried);
	}
	if (!holds || queue == NULL) {
		return;
	}
	uses = plm_quotas_uses(&m->snap, m->snap.queue_nodes[cluster.n], workload->assignments,
			       workload);
	for (uint32_t i = 0; i < uses.count; i++) {
		const struct plm_pair *pair = plm_quotas_pair_at(
			&m->snap, m->snap.queue_nodes[cluster.n], uses.list[i].pair);

		line_add(&queue->lines, pair, 0, admitted ? uses.list[i].amount : 0);
		if (local != NULL) {
			line_add(&local->lines, pair, uses.list[i].amount,
				 admitted ? uses.list[i].amount : 0);
		}
	}
	if (admitted) {
		add_admitted(m, m->snap.queue_nodes[cluster.n]);
	}
}

void plm_status_board(const struct plm_state *st, struct plm_arena *arena, struct plm_board *out)
{
	struct making m = {.st = st, .arena = arena, .board = out};
	uint32_t queues = plm_cluster_queue_bound(st);
	uint8_t *wanted = PLM_NEW_ARRAY(arena, queues, uint8_t);

	*out = (struct plm_board){
		.queues = PLM_NEW_ARRAY(arena, queues, struct plm_queue_status),
		.locals = PLM_NEW_ARRAY(arena, plm_local_queue_bound(st), struct plm_local_status),
	};
	PLM_EACH(st, cluster_queue, id)
	{
		wanted[id.n] = 1;
	}
	plm_quotas_make(&m.snap, st, arena, wanted, true);
	fill_queues(&m);
	fill_locals(&m);
	fill_cohorts(&m);
	PLM_EACH(st, workload, id)
	{
		count_workload(&m, plm_workload_at(st, id));
	}
}
