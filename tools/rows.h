/*
 * rows.h - a line about each object of a kind: the columns of `get`
 *
 * Owns: columns and cells per kind (ux.md 2.3), the numbers that are sums over other tables (what a
 * queue holds, what a node has free). Does not: choose objects, print.
 */
#ifndef PLM_TOOLS_ROWS_H
#define PLM_TOOLS_ROWS_H

#include "tools/grid.h"
#include "tools/queue_order.h"
#include "tools/status_tree.h"
#include "tools/subject.h"
#include "tools/view.h"

struct plm_rows {
	struct plm_arena *arena;
	const struct plm_state *st;
	int64_t now_ms;
	struct plm_queue_order order;
	struct plm_status_source *status; /* borrowed */
};

/* Begin 'grid' with the columns of 'kind'. */
void plm_rows_begin(const struct plm_rows *rows, enum plm_kind kind, struct plm_grid *grid);
/* The cells of the object in slot 'id'. */
void plm_rows_add(const struct plm_rows *rows, enum plm_kind kind, plm_id id,
		  struct plm_grid *grid);

/* "Pending", "QuotaReserved", "Admitted", "Evicting", "Finished"; static. */
const char *plm_workload_status(const struct plm_workload *workload);

#endif
