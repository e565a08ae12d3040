#include "tools/grid.h"

#include <stdarg.h>

#define GAP 3
#define FIRST_CAPACITY 64U

void plm_grid_init(struct plm_grid *table, struct plm_arena *arena,
		   const struct plm_column *columns, size_t count)
{
	PLM_ASSERT(count > 0 && count <= PLM_GRID_MAX_COLUMNS);
	*table = (struct plm_grid){.arena = arena, .columns = columns, .column_count = count};
}

void plm_grid_colour_cell(struct plm_grid *table, struct plm_slice text, enum plm_colour colour)
{
	if (table->cell_count == table->cell_capacity) {
		size_t capacity =
			table->cell_capacity == 0 ? FIRST_CAPACITY : table->cell_capacity * 2;
		struct plm_cell *cells = PLM_NEW_ARRAY(table->arena, capacity, struct plm_cell);

		if (table->cell_count > 0) {
			memcpy(cells, table->cells, table->cell_count * sizeof(struct plm_cell));
		}
		table->cells = cells;
		table->cell_capacity = capacity;
	}
	if (text.size == 0) {
		text = plm_slice_str("-");
		colour = PLM_COLOUR_NONE;
	}
	table->cells[table->cell_count++] = (struct plm_cell){.text = text, .colour = colour};
}

void plm_grid_cell(struct plm_grid *table, struct plm_slice text)
{
	plm_grid_colour_cell(table, text, PLM_COLOUR_NONE);
}

void plm_grid_format(struct plm_grid *table, const char *format, ...)
{
	char text[256];
	va_list args;
	int size = 0;

	va_start(args, format);
	size = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	PLM_ASSERT(size >= 0);
	plm_grid_cell(table, plm_arena_copy(table->arena, plm_slice_str(text)));
}

static size_t width_of(struct plm_slice text)
{
	return plm_text_width((const char *)text.ptr, text.size);
}

static bool shown(const struct plm_grid *table, size_t column, const struct plm_grid_style *style)
{
	return style->wide || !table->columns[column].wide;
}

struct layout {
	size_t widths[PLM_GRID_MAX_COLUMNS];
	size_t last; /* the last column that is shown */
};

static void measure(const struct plm_grid *table, const struct plm_grid_style *style,
		    struct layout *layout)
{
	for (size_t c = 0; c < table->column_count; c++) {
		size_t widest = style->no_headers ? 0 : strlen(table->columns[c].header);

		for (size_t i = c; i < table->cell_count; i += table->column_count) {
			size_t width = width_of(table->cells[i].text);

			widest = width > widest ? width : widest;
		}
		layout->widths[c] = widest;
		layout->last = shown(table, c, style) ? c : layout->last;
	}
}

static void print_cell(FILE *out, const struct plm_cell *cell, size_t width, bool right)
{
	size_t have = width_of(cell->text);
	int pad = (int)(width > have ? width - have : 0);

	(void)fprintf(out, "%*s%s%.*s%s", right ? pad : 0, "", plm_colour_begin(out, cell->colour),
		      (int)cell->text.size, (const char *)cell->text.ptr,
		      plm_colour_end(out, cell->colour));
}

static void print_row(FILE *out, const struct plm_grid *table, const struct plm_cell *cells,
		      const struct layout *layout, const struct plm_grid_style *style)
{
	(void)fprintf(out, "%*s", style->indent, "");
	for (size_t c = 0; c <= layout->last; c++) {
		bool right = table->columns[c].right;
		size_t width = layout->widths[c];

		if (!shown(table, c, style)) {
			continue;
		}
		print_cell(out, &cells[c], width, right);
		if (c < layout->last) {
			size_t have = right ? width : width_of(cells[c].text);

			(void)fprintf(out, "%*s", (int)(width - have) + GAP, "");
		}
	}
	(void)fputc('\n', out);
}

void plm_grid_print(FILE *out, const struct plm_grid *table, const struct plm_grid_style *style)
{
	struct plm_cell headers[PLM_GRID_MAX_COLUMNS] = {0};
	struct layout layout = {0};

	PLM_ASSERT(table->cell_count % table->column_count == 0);
	measure(table, style, &layout);
	for (size_t c = 0; c < table->column_count; c++) {
		headers[c].text = plm_slice_str(table->columns[c].header);
		headers[c].colour = PLM_COLOUR_BOLD;
	}
	if (!style->no_headers) {
		print_row(out, table, headers, &layout, style);
	}
	for (size_t i = 0; i < table->cell_count; i += table->column_count) {
		print_row(out, table, &table->cells[i], &layout, style);
	}
}
