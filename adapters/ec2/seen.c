#include "adapters/ec2/seen.h"

#include <stdlib.h>

#include "core/grow.h"
#include "core/limits.h"
#include "core/quantity.h"
#include "core/sort.h"
#include "core/utf8.h"

static const size_t row_sizes[PLM_EC2_SEEN_COUNT] = {
	[PLM_EC2_SEEN_ZONES] = sizeof(struct plm_ec2_zone_row),
	[PLM_EC2_SEEN_TYPES] = sizeof(struct plm_ec2_facts),
	[PLM_EC2_SEEN_OFFERS] = sizeof(struct plm_ec2_price_row),
	[PLM_EC2_SEEN_SPOT] = sizeof(struct plm_ec2_price_row),
	[PLM_EC2_SEEN_DEMAND] = sizeof(struct plm_ec2_price_row),
	[PLM_EC2_SEEN_RESERVATIONS] = sizeof(struct plm_ec2_reservation_row),
};

const char *plm_ec2_sheet_name(enum plm_ec2_sheet_kind kind)
{
	static const char *const names[PLM_EC2_SEEN_COUNT] = {
		[PLM_EC2_SEEN_ZONES] = "zones",
		[PLM_EC2_SEEN_TYPES] = "instance types",
		[PLM_EC2_SEEN_OFFERS] = "offerings",
		[PLM_EC2_SEEN_SPOT] = "spot prices",
		[PLM_EC2_SEEN_DEMAND] = "prices on demand",
		[PLM_EC2_SEEN_RESERVATIONS] = "capacity reservations",
	};

	return names[kind];
}

void plm_ec2_sheet_init(struct plm_ec2_sheet *sheet, enum plm_ec2_sheet_kind kind)
{
	struct plm_error err;

	*sheet = (struct plm_ec2_sheet){.kind = kind};
	PLM_ASSERT(plm_arena_init(&sheet->texts, PLM_LIMIT_EC2_TEXT_BYTES, &err) == PLM_OK);
}

void plm_ec2_sheet_fini(struct plm_ec2_sheet *sheet)
{
	if (sheet != NULL) {
		plm_arena_fini(&sheet->texts);
		free(sheet->rows);
		*sheet = (struct plm_ec2_sheet){.kind = sheet->kind};
	}
}

bool plm_ec2_sheet_text(struct plm_ec2_sheet *sheet, struct plm_slice from, struct plm_slice *out)
{
	char *to = NULL;

	if (plm_utf8_prefix(from) != from.size) {
		return false;
	}
	to = plm_arena_try(&sheet->texts, from.size + 1); /* with a zero behind it */
	if (to == NULL) {
		return false;
	}
	if (from.size > 0) {
		memcpy(to, from.ptr, from.size);
	}
	*out = plm_slice_of(to, from.size);
	return true;
}

void *plm_ec2_sheet_row(struct plm_ec2_sheet *sheet)
{
	uint32_t most =
		sheet->kind == PLM_EC2_SEEN_TYPES ? PLM_LIMIT_EC2_TYPES : PLM_LIMIT_EC2_ROWS;
	size_t size = row_sizes[sheet->kind];

	if (sheet->count == most) {
		sheet->left_out++;
		return NULL;
	}
	sheet->rows = plm_grown(sheet->rows, &sheet->room, sheet->count + 1, size);
	return (char *)sheet->rows + sheet->count++ * size;
}

int64_t plm_ec2_micro(struct plm_slice text)
{
	struct plm_error err;
	plm_i128 nano = 0;
	int64_t micro = 0;
	int64_t rest = 0;

	for (size_t i = 0; i < text.size; i++) {
		if (text.ptr[i] != '.' && (text.ptr[i] < '0' || text.ptr[i] > '9')) {
			return PLM_UNSET;
		}
	}
	if (plm_quantity_parse_exact(text, &nano, &err) != PLM_OK ||
	    nano > (plm_i128)1000000000 * 1000000000) {
		return PLM_UNSET;
	}
	micro = (int64_t)(nano / 1000);
	rest = (int64_t)(nano % 1000);
	return micro + (rest > 500 || (rest == 500 && micro % 2 == 1) ? 1 : 0);
}

/* ---- order ------------------------------------------------------------------------------------- */

static int by_zone(const void *a, const void *b)
{
	const struct plm_ec2_zone_row *x = a;
	const struct plm_ec2_zone_row *y = b;

	return plm_slice_compare(x->zone, y->zone);
}

static int by_name(const void *a, const void *b)
{
	const struct plm_ec2_facts *x = a;
	const struct plm_ec2_facts *y = b;

	return strcmp(x->name, y->name);
}

static int by_type_and_zone(const void *a, const void *b)
{
	const struct plm_ec2_price_row *x = a;
	const struct plm_ec2_price_row *y = b;
	int order = plm_slice_compare(x->type, y->type);

	return order != 0 ? order : plm_slice_compare(x->zone, y->zone);
}

/* Of one type and zone the newest first, and of two at one time the cheaper. */
static int by_age(const void *a, const void *b)
{
	const struct plm_ec2_price_row *x = a;
	const struct plm_ec2_price_row *y = b;
	int order = by_type_and_zone(a, b);

	if (order == 0) {
		order = (x->at_ms < y->at_ms) - (x->at_ms > y->at_ms);
	}
	return order != 0 ? order : (x->micro > y->micro) - (x->micro < y->micro);
}

static int by_type_and_id(const void *a, const void *b)
{
	const struct plm_ec2_reservation_row *x = a;
	const struct plm_ec2_reservation_row *y = b;
	int order = plm_slice_compare(x->type, y->type);

	return order != 0 ? order : plm_slice_compare(x->id, y->id);
}

typedef int compare(const void *a, const void *b);

static const struct {
	compare *sort, *same;
} orders[PLM_EC2_SEEN_COUNT] = {
	[PLM_EC2_SEEN_ZONES] = {by_zone, by_zone},
	[PLM_EC2_SEEN_TYPES] = {by_name, by_name},
	[PLM_EC2_SEEN_OFFERS] = {by_type_and_zone, by_type_and_zone},
	[PLM_EC2_SEEN_SPOT] = {by_age, by_type_and_zone},
	[PLM_EC2_SEEN_DEMAND] = {by_age, by_type_and_zone},
	[PLM_EC2_SEEN_RESERVATIONS] = {by_type_and_id, by_type_and_id},
};

/* A row as it stands in a sheet, and those that equal it by where they stand. */
static int by_row(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_ec2_sheet *sheet = context;
	size_t size = row_sizes[sheet->kind];
	const char *rows = sheet->rows;
	int order = orders[sheet->kind].sort(rows + a * size, rows + b * size);

	return order != 0 ? order : (a > b) - (a < b);
}

void plm_ec2_sheet_close(struct plm_ec2_sheet *sheet)
{
	size_t size = row_sizes[sheet->kind];
	uint32_t count = sheet->count;
	uint32_t *order = NULL;
	const char *from = sheet->rows;
	char *rows = NULL;
	struct plm_arena arena;
	struct plm_error err;

	if (count == 0) {
		return;
	}
	PLM_ASSERT(plm_arena_init(&arena, (size_t)count * 16 + 4096, &err) == PLM_OK);
	order = PLM_NEW_ARRAY(&arena, count, uint32_t);
	rows = calloc(sheet->room, size);
	PLM_ASSERT(rows != NULL);
	for (uint32_t i = 0; i < count; i++) {
		order[i] = i;
	}
	plm_sort(order, count, by_row, sheet, &arena);
	sheet->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const char *row = from + order[i] * size;
		char *to = rows + sheet->count * size;

		if (sheet->count == 0 || orders[sheet->kind].same(to - size, row) != 0) {
			memcpy(to, row, size);
			sheet->count++;
		}
	}
	free(sheet->rows);
	sheet->rows = rows;
	plm_arena_fini(&arena);
}

static bool same_reservation(const struct plm_ec2_reservation_row *x,
			     const struct plm_ec2_reservation_row *y)
{
	return by_type_and_id(x, y) == 0 && plm_slice_equal(x->zone, y->zone) &&
	       plm_slice_equal(x->kind, y->kind) && plm_slice_equal(x->state, y->state) &&
	       x->left == y->left && x->end_ms == y->end_ms && x->interruptible == y->interruptible;
}

bool plm_ec2_reservations_equal(const struct plm_ec2_sheet *a, const struct plm_ec2_sheet *b)
{
	PLM_ASSERT(a->kind == PLM_EC2_SEEN_RESERVATIONS && b->kind == a->kind);
	for (uint32_t i = 0; i < a->count && a->count == b->count; i++) {
		if (!same_reservation((const struct plm_ec2_reservation_row *)a->rows + i,
				      (const struct plm_ec2_reservation_row *)b->rows + i)) {
			return false;
		}
	}
	return a->count == b->count;
}
