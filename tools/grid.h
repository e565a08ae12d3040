/*
 * grid.h - aligned columns for people
 *
 * Owns: widths, alignment, the header line, colour of cells. Columns are separated by three spaces, as
 * kubectl does; numbers are flush right; an empty cell is "-". Cells are never cut.
 * Does not: decide what is shown.
 */
#ifndef PLM_TOOLS_GRID_H
#define PLM_TOOLS_GRID_H

#include <stdio.h>

#include "core/arena.h"
#include "tools/term.h"

#define PLM_GRID_MAX_COLUMNS 32

struct plm_column {
	const char *header; /* static, upper case */
	bool right;	    /* flush right */
	bool wide;	    /* only with -o wide */
};

struct plm_cell {
	struct plm_slice text; /* arena */
	enum plm_colour colour;
};

struct plm_grid {
	struct plm_arena *arena; /* borrowed */
	const struct plm_column *columns;
	size_t column_count;
	struct plm_cell *cells; /* row by row, every column */
	size_t cell_count, cell_capacity;
};

/* 'columns' is borrowed, 'count' <= PLM_GRID_MAX_COLUMNS. */
void plm_grid_init(struct plm_grid *table, struct plm_arena *arena,
		   const struct plm_column *columns, size_t count);
/* The next cell, from left to right; a row is complete when every column has one. */
void plm_grid_cell(struct plm_grid *table, struct plm_slice text);
void plm_grid_colour_cell(struct plm_grid *table, struct plm_slice text, enum plm_colour colour);
void plm_grid_format(struct plm_grid *table, const char *format, ...) PLM_PRINTF(2, 3);

struct plm_grid_style {
	bool wide;	 /* with the wide columns */
	bool no_headers; /* without the header line */
	int indent;	 /* spaces before each line */
};
void plm_grid_print(FILE *out, const struct plm_grid *table, const struct plm_grid_style *style);

#endif
