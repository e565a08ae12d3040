/* Limits, and the image: what is hashed and what a snapshot holds. */
#include "core/hashing.h"
#include "core/limits.h"
#include "core/state.h"

#define HEAP_NAME "heap_bytes"

/* ---- limits ------------------------------------------------------------------------------------ */

static struct plm_w_limit limit_row(const char *name, uint64_t capacity)
{
	return (struct plm_w_limit){plm_slice_str(name), (int64_t)capacity};
}

void plm_state_limits(const struct plm_state *st, struct plm_arena *arena, struct plm_w_limits *out)
{
	struct plm_w_limit *rows = PLM_NEW_ARRAY(arena, PLM_TABLE_COUNT + 1, struct plm_w_limit);

	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		rows[t] = limit_row(plm_table_info(t)->name, st->tables[t].capacity);
	}
	rows[PLM_TABLE_COUNT] = limit_row(HEAP_NAME, st->heap.capacity);
	out->tables = (struct plm_vec){rows, PLM_TABLE_COUNT + 1};
}

static void raise_limit(struct plm_region *region, int64_t wanted, uint64_t ceiling)
{
	uint64_t capacity = wanted < 0 ? 0 : (uint64_t)wanted;

	capacity = capacity > ceiling ? ceiling : capacity;
	if (capacity > region->capacity) {
		region->capacity = (uint32_t)capacity;
	}
}

void plm_state_set_limits(struct plm_state *st, const struct plm_w_limits *limits)
{
	const struct plm_w_limit *rows = limits->tables.ptr;

	for (size_t i = 0; i < limits->tables.count; i++) {
		if (plm_slice_is(rows[i].table, HEAP_NAME)) {
			raise_limit(&st->heap, rows[i].capacity, PLM_LIMIT_HEAP_CEILING);
		}
		for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
			if (plm_slice_is(rows[i].table, plm_table_info(t)->name)) {
				raise_limit(&st->tables[t], rows[i].capacity,
					    plm_table_info(t)->ceiling);
			}
		}
	}
}

/* What facts may use: all but a twentieth, which is kept for decisions. */
static uint64_t for_facts(uint64_t capacity)
{
	return capacity - capacity / 20;
}

const char *plm_state_full(const struct plm_state *st, uint64_t payload_bytes)
{
	/* An interned span is at most four times as large as its text on the wire. */
	if (st->heap.bytes + payload_bytes * 4 > for_facts(st->heap.capacity)) {
		return HEAP_NAME;
	}
	for (uint32_t t = PLM_TABLE_NAMESPACE; t < PLM_TABLE_COUNT; t++) {
		if (st->tables[t].live + 1 > for_facts(st->tables[t].capacity)) {
			return plm_table_info(t)->name;
		}
	}
	return NULL;
}

static uint64_t grown(uint64_t used, uint64_t capacity, uint64_t ceiling)
{
	if (used * 5 <= capacity * 4 || capacity >= ceiling) {
		return 0;
	}
	return capacity * 2 > ceiling ? ceiling : capacity * 2;
}

bool plm_state_grow(const struct plm_state *st, struct plm_arena *arena, struct plm_w_limits *out)
{
	struct plm_w_limit *rows = PLM_NEW_ARRAY(arena, PLM_TABLE_COUNT + 1, struct plm_w_limit);
	size_t count = 0;

	for (uint32_t t = PLM_TABLE_NAMESPACE; t < PLM_TABLE_COUNT; t++) {
		const struct plm_region *table = &st->tables[t];
		uint64_t wanted = grown(table->live, table->capacity, plm_table_info(t)->ceiling);

		if (wanted != 0) {
			rows[count++] = limit_row(plm_table_info(t)->name, wanted);
		}
	}
	if (grown(st->heap.bytes, st->heap.capacity, PLM_LIMIT_HEAP_CEILING) != 0) {
		rows[count++] = limit_row(HEAP_NAME, grown(st->heap.bytes, st->heap.capacity,
							   PLM_LIMIT_HEAP_CEILING));
	}
	out->tables = (struct plm_vec){rows, count};
	return count > 0;
}

/* ---- image ------------------------------------------------------------------------------------- */

struct header {
	uint64_t layout;
	uint64_t heap_bytes;
	uint64_t heap_capacity;
	struct {
		uint32_t high;
		uint32_t capacity;
	} tables[PLM_TABLE_COUNT];
};

uint64_t plm_image_layout(void)
{
	uint64_t sizes[PLM_TABLE_COUNT];

	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		sizes[t] = plm_table_info(t)->slot_size;
	}
	return plm_hash_bytes(plm_slice_of(sizes, sizeof(sizes)));
}

void plm_image_parts(const struct plm_state *st, struct plm_arena *arena, struct plm_slice *parts)
{
	struct header *header = PLM_NEW(arena, struct header);

	header->layout = plm_image_layout();
	header->heap_bytes = st->heap.bytes;
	header->heap_capacity = st->heap.capacity;
	parts[0] = plm_slice_of(header, sizeof(*header));
	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		header->tables[t].high = st->tables[t].high;
		header->tables[t].capacity = st->tables[t].capacity;
		parts[1 + t] = plm_slice_of(st->tables[t].base, st->tables[t].bytes);
	}
	parts[1 + PLM_TABLE_COUNT] = plm_slice_of(st->heap.base, st->heap.bytes);
}

static bool header_fits(const struct header *header, size_t image_size)
{
	uint64_t total = sizeof(*header) + header->heap_bytes;

	if (header->layout != plm_image_layout() || header->heap_bytes % 8 != 0 ||
	    header->heap_bytes < 8 || header->heap_bytes > PLM_LIMIT_HEAP_CEILING ||
	    header->heap_capacity > PLM_LIMIT_HEAP_CEILING) {
		return false;
	}
	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		const struct plm_table_info *info = plm_table_info(t);

		if (header->tables[t].high > info->ceiling ||
		    header->tables[t].capacity > info->ceiling) {
			return false;
		}
		total += ((uint64_t)header->tables[t].high + 1) * info->slot_size;
	}
	return total == image_size;
}

static const uint8_t *region_load(struct plm_region *region, const uint8_t *from, uint64_t bytes)
{
	memcpy(region->base, from, bytes);
	if (region->bytes > bytes) {
		memset(region->base + bytes, 0, region->bytes - bytes);
	}
	region->bytes = bytes;
	memset(region->dirty, 1, bytes / PLM_LIMIT_CHUNK_BYTES + 1);
	return from + bytes;
}

enum plm_code plm_image_load(struct plm_state *st, struct plm_slice image, struct plm_error *err)
{
	struct header header;
	const uint8_t *from = image.ptr + sizeof(header);

	if (image.size < sizeof(header)) {
		return plm_fail(err, PLM_E_CORRUPT, "state image of %zu bytes is cut", image.size);
	}
	memcpy(&header, image.ptr, sizeof(header));
	if (!header_fits(&header, image.size)) {
		return plm_fail(err, PLM_E_CORRUPT, "state image has another layout");
	}
	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		uint64_t slots = (uint64_t)header.tables[t].high + 1;

		from = region_load(&st->tables[t], from, slots * st->tables[t].slot_size);
		st->tables[t].high = header.tables[t].high;
		st->tables[t].capacity = header.tables[t].capacity;
	}
	(void)region_load(&st->heap, from, header.heap_bytes);
	st->heap.capacity = (uint32_t)header.heap_capacity;
	if (plm_strings_rebuild(st, err) != PLM_OK) {
		return PLM_E_CORRUPT;
	}
	plm_slots_recount(st);
	plm_index_rebuild(st);
	plm_queue_index_reset(&st->queues);
	plm_marks_rebuild(st);
	st->host_pods.fresh = false;
	plm_pod_index_fini(&st->pods);
	return PLM_OK;
}

/* ---- check ------------------------------------------------------------------------------------- */

static void check_table(const struct plm_state *st, enum plm_table table)
{
	const struct plm_region *region = &st->tables[table];
	uint32_t live = 0;

	PLM_ASSERT(region->bytes == ((uint64_t)region->high + 1) * region->slot_size);
	for (plm_id id = plm_slot_next(st, table, (plm_id){0}); id.n != 0;
	     id = plm_slot_next(st, table, id)) {
		live++;
		PLM_ASSERT(id.n >= 1);
		if (plm_table_info(table)->keyed) {
			const struct plm_object *object = plm_slot(st, table, id);

			PLM_ASSERT(plm_kind_table(object->kind) == table);
			PLM_ASSERT(plm_find(st, object->kind, object->ns, object->name).n == id.n);
		}
	}
	PLM_ASSERT(live == region->live);
}

/* The count of gated pods is what counting them gives. */
static void check_gates(const struct plm_state *st)
{
	uint32_t gated = 0;

	PLM_EACH(st, pod, id)
	{
		gated += plm_pod_at(st, id)->gated == 1 ? 1 : 0;
	}
	PLM_ASSERT(gated == plm_root(st)->gated_pods);
}

void plm_state_check(const struct plm_state *st)
{
	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		check_table(st, t);
	}
	PLM_ASSERT(st->heap.bytes % 8 == 0);
	check_gates(st);
	plm_queue_index_check(st);
	plm_marks_check(st);
	plm_pod_index_check(st);
}
