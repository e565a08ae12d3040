/*
 * rows_private.h - cells that rows.c and rows_queue.c share, and the rows of queues
 */
#ifndef PLM_TOOLS_ROWS_PRIVATE_H
#define PLM_TOOLS_ROWS_PRIVATE_H

#include "tools/rows.h"

void plm_cell_sym(const struct plm_rows *rows, struct plm_grid *grid, plm_sym text);
void plm_cell_number(struct plm_grid *grid, int64_t value);
/* Empty for PLM_UNSET. */
void plm_cell_age(const struct plm_rows *rows, struct plm_grid *grid, int64_t ms);

typedef void plm_row_fn(const struct plm_rows *rows, plm_id id, struct plm_grid *grid);

struct plm_row_shape {
	enum plm_kind kind;
	const struct plm_column *columns;
	size_t count;
	plm_row_fn *row;
};

/* ClusterQueue, LocalQueue, WorkQueue, Cohort; ends with a row of kind NONE. */
extern const struct plm_row_shape plm_queue_shapes[];

#endif
