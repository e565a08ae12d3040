/* The rows of queues and cohorts, from what their status says. */
#include "tools/rows_private.h"
#include "tools/spell.h"

static const struct plm_board *board(const struct plm_rows *rows)
{
	return plm_status_source_board(rows->status);
}

static void active_cell(struct plm_grid *grid, bool active)
{
	plm_grid_colour_cell(grid, plm_slice_str(active ? "true" : "false"),
			     active ? PLM_COLOUR_GOOD : PLM_COLOUR_BAD);
}

/* ---- ClusterQueue ------------------------------------------------------------------------------ */

static const struct plm_column cluster_queue_columns[] = {
	{"NAME", false, false},	  {"COHORT", false, false},  {"STRATEGY", false, false},
	{"PENDING", true, false}, {"ADMITTED", true, false}, {"USED/NOMINAL", false, false},
	{"ACTIVE", false, false}, {"AGE", true, false},	     {"INADMISSIBLE", true, true},
	{"SHARE", true, true},	  {"REASON", false, true},
};

/* "cpu 3/10, memory 4Gi/8Gi": over all flavors, in the order of the groups. */
static void used_cell(const struct plm_rows *rows, struct plm_grid *grid,
		      const struct plm_quota_lines *lines)
{
	struct plm_slice text = {0};

	for (uint32_t i = 0; i < lines->count; i++) {
		struct plm_slice name = plm_str(rows->st, lines->list[i].resource);
		int64_t used = 0;
		int64_t nominal = 0;
		bool seen = false;

		for (uint32_t j = 0; j < lines->count; j++) {
			if (plm_sym_equal(lines->list[j].resource, lines->list[i].resource)) {
				seen = seen || j < i;
				used = plm_add_sat(used, lines->list[j].reserved);
				nominal = plm_add_sat(nominal, lines->list[j].nominal);
			}
		}
		if (!seen) {
			struct plm_slice a = plm_spell_amount(rows->arena, name, used);
			struct plm_slice b = plm_spell_amount(rows->arena, name, nominal);

			text = plm_arena_format(rows->arena, "%.*s%s%.*s %.*s/%.*s", (int)text.size,
						(const char *)text.ptr, text.size > 0 ? ", " : "",
						(int)name.size, (const char *)name.ptr, (int)a.size,
						(const char *)a.ptr, (int)b.size,
						(const char *)b.ptr);
		}
	}
	plm_grid_cell(grid, text);
}

static void share_cell(struct plm_grid *grid, int64_t share)
{
	if (share == PLM_UNSET) {
		plm_grid_cell(grid, (struct plm_slice){0});
	} else if (share == PLM_SHARE_INFINITE) {
		plm_grid_cell(grid, plm_slice_str("infinite"));
	} else {
		plm_cell_number(grid, share);
	}
}

static void cluster_queue_row(const struct plm_rows *rows, plm_id id, struct plm_grid *grid)
{
	const struct plm_cluster_queue *queue = plm_cluster_queue_at(rows->st, id);
	const struct plm_queue_status *status = &board(rows)->queues[id.n];

	plm_cell_sym(rows, grid, queue->object.name);
	plm_cell_sym(rows, grid, queue->cohort);
	plm_grid_cell(grid, plm_slice_str(plm_names_text(&plm_names_strategy, queue->strategy)));
	plm_cell_number(grid, status->counts.pending + status->counts.inadmissible);
	plm_cell_number(grid, status->counts.reserving);
	used_cell(rows, grid, &status->lines);
	active_cell(grid, status->active.is_true);
	plm_cell_age(rows, grid, queue->object.created_ms);
	plm_cell_number(grid, status->counts.inadmissible);
	share_cell(grid, status->weighted_share);
	plm_grid_cell(grid, status->active.is_true ? (struct plm_slice){0} : status->active.reason);
}

/* ---- LocalQueue, WorkQueue --------------------------------------------------------------------- */

static const struct plm_column local_queue_columns[] = {
	{"NAMESPACE", false, false}, {"NAME", false, false},   {"CLUSTERQUEUE", false, false},
	{"WORKQUEUE", false, false}, {"PENDING", true, false}, {"ADMITTED", true, false},
	{"AGE", true, false},	     {"ACTIVE", false, true},  {"REASON", false, true},
};

static void local_queue_row(const struct plm_rows *rows, plm_id id, struct plm_grid *grid)
{
	const struct plm_local_queue *queue = plm_local_queue_at(rows->st, id);
	const struct plm_local_status *status = &board(rows)->locals[id.n];

	plm_cell_sym(rows, grid, queue->object.ns);
	plm_cell_sym(rows, grid, queue->object.name);
	plm_cell_sym(rows, grid, queue->cluster_queue);
	plm_cell_sym(rows, grid, queue->work_queue);
	plm_cell_number(grid, status->counts.pending + status->counts.inadmissible);
	plm_cell_number(grid, status->counts.reserving);
	plm_cell_age(rows, grid, queue->object.created_ms);
	active_cell(grid, status->active.is_true);
	plm_grid_cell(grid, status->active.is_true ? (struct plm_slice){0} : status->active.reason);
}

static const struct plm_column work_queue_columns[] = {
	{"NAME", false, false},
	{"CLUSTERQUEUE", false, false},
	{"MAX PARALLEL", true, false},
	{"AGE", true, false},
};

static void work_queue_row(const struct plm_rows *rows, plm_id id, struct plm_grid *grid)
{
	const struct plm_work_queue *queue = plm_work_queue_at(rows->st, id);

	plm_cell_sym(rows, grid, queue->object.name);
	plm_cell_sym(rows, grid, queue->cluster_queue);
	if (queue->max_parallel == PLM_UNSET) {
		plm_grid_cell(grid, (struct plm_slice){0});
	} else {
		plm_cell_number(grid, queue->max_parallel);
	}
	plm_cell_age(rows, grid, queue->object.created_ms);
}

/* ---- Cohort ------------------------------------------------------------------------------------ */

static const struct plm_column cohort_columns[] = {
	{"NAME", false, false}, {"PARENT", false, false}, {"QUEUES", true, false},
	{"AGE", true, false},	{"SHARE", true, true},
};

static void cohort_row(const struct plm_rows *rows, plm_id id, struct plm_grid *grid)
{
	const struct plm_cohort *cohort = plm_cohort_at(rows->st, id);
	int64_t queues = 0;
	int64_t share = PLM_UNSET;

	PLM_EACH(rows->st, cluster_queue, q)
	{
		queues += plm_cluster_queue_at(rows->st, q)->cohort.n == cohort->object.name.n ? 1
											       : 0;
	}
	for (uint32_t i = 0; i < board(rows)->cohort_count; i++) {
		if (plm_sym_equal(board(rows)->cohorts[i].name, cohort->object.name)) {
			share = board(rows)->cohorts[i].weighted_share;
		}
	}
	plm_cell_sym(rows, grid, cohort->object.name);
	plm_cell_sym(rows, grid, cohort->parent);
	plm_cell_number(grid, queues);
	plm_cell_age(rows, grid, cohort->object.created_ms);
	share_cell(grid, share);
}

const struct plm_row_shape plm_queue_shapes[] = {
	{PLM_KIND_CLUSTER_QUEUE, cluster_queue_columns, PLM_COUNTOF(cluster_queue_columns),
	 cluster_queue_row},
	{PLM_KIND_LOCAL_QUEUE, local_queue_columns, PLM_COUNTOF(local_queue_columns),
	 local_queue_row},
	{PLM_KIND_WORK_QUEUE, work_queue_columns, PLM_COUNTOF(work_queue_columns), work_queue_row},
	{PLM_KIND_COHORT, cohort_columns, PLM_COUNTOF(cohort_columns), cohort_row},
	{PLM_KIND_NONE, NULL, 0, NULL},
};
