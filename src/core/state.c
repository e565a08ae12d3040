#include "core/state.h"

#include "core/hashing.h"
#include "core/limits.h"

#include <stdlib.h>
#include <sys/mman.h>

#define CHUNK ((uint64_t)PLM_LIMIT_CHUNK_BYTES)
#define INDEX_FIRST_SIZE 1024U

static const struct plm_table_info infos[PLM_TABLE_COUNT] = {
#define INFO(NAME, name, type, small, cluster, ceiling)                                            \
	{#name,                                                                                    \
	 sizeof(struct type),                                                                      \
	 {small, cluster},                                                                         \
	 ceiling,                                                                                  \
	 PLM_TABLE_##NAME != PLM_TABLE_ROOT && PLM_TABLE_##NAME != PLM_TABLE_INSTANCE_TYPE &&      \
		 PLM_TABLE_##NAME != PLM_TABLE_STOCK_OUT &&                                        \
		 PLM_TABLE_##NAME != PLM_TABLE_INTENT && PLM_TABLE_##NAME != PLM_TABLE_CONSUMED && \
		 PLM_TABLE_##NAME != PLM_TABLE_INSTANCE &&                                         \
		 PLM_TABLE_##NAME != PLM_TABLE_SEEN_MEMORY &&                                      \
		 PLM_TABLE_##NAME != PLM_TABLE_RETRY},
	PLM_TABLES(INFO)
#undef INFO
};

#define CHECK_LAYOUT(NAME, name, type, small, cluster, ceiling)                                    \
	PLM_STATIC_ASSERT(sizeof(struct type) % 8 == 0, #type " has a hole at its end");
PLM_TABLES(CHECK_LAYOUT)
#undef CHECK_LAYOUT

const struct plm_table_info *plm_table_info(enum plm_table table)
{
	PLM_ASSERT(table < PLM_TABLE_COUNT);
	return &infos[table];
}

/* Every kind has a row: test_state asks for each. ROOT: no table holds it. */
static const enum plm_table tables_of[] = {
	[PLM_KIND_NONE] = PLM_TABLE_ROOT,
	[PLM_KIND_NAMESPACE] = PLM_TABLE_NAMESPACE,
	[PLM_KIND_FLAVOR] = PLM_TABLE_FLAVOR,
	[PLM_KIND_COHORT] = PLM_TABLE_COHORT,
	[PLM_KIND_CLUSTER_QUEUE] = PLM_TABLE_CLUSTER_QUEUE,
	[PLM_KIND_LOCAL_QUEUE] = PLM_TABLE_LOCAL_QUEUE,
	[PLM_KIND_WORK_QUEUE] = PLM_TABLE_WORK_QUEUE,
	[PLM_KIND_PRIORITY_CLASS] = PLM_TABLE_PRIORITY_CLASS,
	[PLM_KIND_WORKLOAD_PRIORITY_CLASS] = PLM_TABLE_PRIORITY_CLASS,
	[PLM_KIND_ADMISSION_CHECK] = PLM_TABLE_ADMISSION_CHECK,
	[PLM_KIND_TOPOLOGY] = PLM_TABLE_TOPOLOGY,
	[PLM_KIND_WORKLOAD] = PLM_TABLE_WORKLOAD,
	[PLM_KIND_JOB] = PLM_TABLE_JOB,
	[PLM_KIND_POD_SET] = PLM_TABLE_JOB,
	[PLM_KIND_JOB_SET] = PLM_TABLE_JOB,
	[PLM_KIND_MPI_JOB] = PLM_TABLE_JOB,
	[PLM_KIND_PYTORCH_JOB] = PLM_TABLE_JOB,
	[PLM_KIND_TF_JOB] = PLM_TABLE_JOB,
	[PLM_KIND_PADDLE_JOB] = PLM_TABLE_JOB,
	[PLM_KIND_XGBOOST_JOB] = PLM_TABLE_JOB,
	[PLM_KIND_JAX_JOB] = PLM_TABLE_JOB,
	[PLM_KIND_TRAIN_JOB] = PLM_TABLE_JOB,
	[PLM_KIND_TRAINING_RUNTIME] = PLM_TABLE_JOB,
	[PLM_KIND_CLUSTER_TRAINING_RUNTIME] = PLM_TABLE_JOB,
	[PLM_KIND_RAY_JOB] = PLM_TABLE_JOB,
	[PLM_KIND_RAY_CLUSTER] = PLM_TABLE_JOB,
	[PLM_KIND_RAY_SERVICE] = PLM_TABLE_JOB,
	[PLM_KIND_SPARK_APPLICATION] = PLM_TABLE_JOB,
	[PLM_KIND_APP_WRAPPER] = PLM_TABLE_JOB,
	[PLM_KIND_LEADER_WORKER_SET] = PLM_TABLE_JOB,
	[PLM_KIND_POD_GROUP] = PLM_TABLE_JOB,
	[PLM_KIND_POD] = PLM_TABLE_POD,
	[PLM_KIND_NODE] = PLM_TABLE_NODE,
	[PLM_KIND_NODE_POOL] = PLM_TABLE_NODE_POOL,
	[PLM_KIND_NODE_CLAIM] = PLM_TABLE_NODE_CLAIM,
	[PLM_KIND_NODE_CLASS] = PLM_TABLE_NODE_CLASS,
	[PLM_KIND_NODE_TEMPLATE] = PLM_TABLE_NODE_CLASS,
	[PLM_KIND_DAEMON_SET] = PLM_TABLE_DAEMON_SET,
	[PLM_KIND_DEPLOYMENT] = PLM_TABLE_REPLICATOR,
	[PLM_KIND_REPLICA_SET] = PLM_TABLE_REPLICATOR,
	[PLM_KIND_STATEFUL_SET] = PLM_TABLE_REPLICATOR,
	[PLM_KIND_LIMIT_RANGE] = PLM_TABLE_LIMIT_RANGE,
	[PLM_KIND_RUNTIME_CLASS] = PLM_TABLE_RUNTIME_CLASS,
	[PLM_KIND_POD_DISRUPTION_BUDGET] = PLM_TABLE_PDB,
	[PLM_KIND_VOLUME_CLAIM] = PLM_TABLE_VOLUME_CLAIM,
	[PLM_KIND_VOLUME] = PLM_TABLE_VOLUME,
	[PLM_KIND_STORAGE_CLASS] = PLM_TABLE_STORAGE_CLASS,
	[PLM_KIND_CSI_NODE] = PLM_TABLE_CSI_NODE,
	[PLM_KIND_VOLUME_ATTACHMENT] = PLM_TABLE_VOLUME_ATTACHMENT,
};

enum plm_table plm_kind_table(enum plm_kind kind)
{
	PLM_ASSERT((size_t)kind < PLM_COUNTOF(tables_of));
	return tables_of[kind];
}

/* ---- regions ----------------------------------------------------------------------------------- */

static void *reserve(uint64_t bytes)
{
	void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return base == MAP_FAILED ? NULL : base;
}

static uint64_t chunk_count(const struct plm_region *region)
{
	return (region->reserved + CHUNK - 1) / CHUNK;
}

static enum plm_code region_init(struct plm_region *region, uint64_t bytes, uint32_t slot_size,
				 struct plm_error *err)
{
	*region = (struct plm_region){.reserved = bytes, .slot_size = slot_size, .hint = 1};
	region->base = reserve(bytes);
	region->dirty = reserve(chunk_count(region));
	region->chunks = reserve(chunk_count(region) * sizeof(struct plm_chunk));
	if (region->base == NULL || region->dirty == NULL || region->chunks == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "cannot reserve %llu bytes for state",
				(unsigned long long)bytes);
	}
	return PLM_OK;
}

static void region_fini(struct plm_region *region)
{
	if (region->base != NULL) {
		(void)munmap(region->base, region->reserved);
	}
	if (region->dirty != NULL) {
		(void)munmap(region->dirty, chunk_count(region));
	}
	if (region->chunks != NULL) {
		(void)munmap(region->chunks, chunk_count(region) * sizeof(struct plm_chunk));
	}
	*region = (struct plm_region){0};
}

static void region_keep(const struct plm_region *region)
{
	if (region->base != NULL) {
		(void)madvise(region->base, region->reserved, MADV_DONTFORK);
		(void)madvise(region->dirty, chunk_count(region), MADV_DONTFORK);
		(void)madvise(region->chunks, chunk_count(region) * sizeof(struct plm_chunk),
			      MADV_DONTFORK);
	}
}

static void region_touch(struct plm_region *region, uint64_t from, uint64_t to)
{
	PLM_ASSERT(from < to && to <= region->reserved);
	for (uint64_t chunk = from / CHUNK; chunk <= (to - 1) / CHUNK; chunk++) {
		region->dirty[chunk] = 1;
	}
	if (to > region->bytes) {
		region->bytes = to;
	}
}

/* Slot 0 of every table and symbol 0 of the heap are there from the start, zeroed. */
static void region_begin(struct plm_region *region)
{
	region_touch(region, 0, region->slot_size == 1 ? 8 : region->slot_size);
}

/* ---- life -------------------------------------------------------------------------------------- */

enum plm_code plm_state_init(struct plm_state *st, enum plm_profile profile, struct plm_error *err)
{
	*st = (struct plm_state){0};
	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		uint64_t slots = (uint64_t)infos[t].ceiling + 1;

		if (region_init(&st->tables[t], slots * infos[t].slot_size, infos[t].slot_size,
				err) != PLM_OK) {
			plm_state_fini(st);
			return PLM_E_LIMIT;
		}
		st->tables[t].capacity = infos[t].capacity[profile];
		region_begin(&st->tables[t]);
	}
	if (region_init(&st->heap, PLM_LIMIT_HEAP_CEILING, 1, err) != PLM_OK) {
		plm_state_fini(st);
		return PLM_E_LIMIT;
	}
	st->heap.capacity =
		profile == PLM_PROFILE_SMALL ? PLM_LIMIT_HEAP_SMALL : PLM_LIMIT_HEAP_CLUSTER;
	region_begin(&st->heap);
	(void)plm_slot_new(st, PLM_TABLE_ROOT);
	plm_root_change(st)->batch_opened_ms = PLM_UNSET;
	plm_root_change(st)->batch_touched_ms = PLM_UNSET;
	plm_root_change(st)->kube_away_ms = PLM_UNSET;
	plm_root_change(st)->cloud_away_ms = PLM_UNSET;
	return PLM_OK;
}

void plm_state_fini(struct plm_state *st)
{
	if (st == NULL) {
		return;
	}
	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		region_fini(&st->tables[t]);
	}
	region_fini(&st->heap);
	free(st->strings.cells);
	free(st->keys.cells);
	plm_queue_index_fini(&st->queues);
	plm_marks_fini(&st->marks);
	plm_host_pods_fini(&st->host_pods);
	plm_pod_index_fini(&st->pods);
	*st = (struct plm_state){0};
}

void plm_state_keep_from_children(const struct plm_state *st)
{
	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		region_keep(&st->tables[t]);
	}
	region_keep(&st->heap);
}

/* ---- indexes: linear probing, deletion by moving later cells back ------------------------------ */

static uint32_t *index_cells(uint32_t count)
{
	uint32_t *cells = calloc(count, sizeof(uint32_t));

	PLM_ASSERT(cells != NULL);
	return cells;
}

/* ---- symbols ----------------------------------------------------------------------------------- */

/* A heap record: size (4), zero (4), bytes, zeroes up to a multiple of 8. A symbol is its offset / 8. */
#define RECORD_HEAD 8U

static uint64_t record_bytes(size_t size)
{
	return RECORD_HEAD + ((uint64_t)size + 7) / 8 * 8;
}

struct plm_slice plm_str(const struct plm_state *st, plm_sym sym)
{
	const uint8_t *record = st->heap.base + (uint64_t)sym.n * 8;
	uint32_t size = 0;

	PLM_ASSERT((uint64_t)sym.n * 8 < st->heap.bytes);
	memcpy(&size, record, sizeof(size));
	return plm_slice_of(record + RECORD_HEAD, size);
}

static void strings_grow(struct plm_state *st)
{
	struct plm_string_index old = st->strings;
	uint32_t size = old.cells == NULL ? INDEX_FIRST_SIZE : (old.mask + 1) * 2;

	st->strings.cells = index_cells(size);
	st->strings.mask = size - 1;
	for (uint32_t i = 0; old.cells != NULL && i <= old.mask; i++) {
		if (old.cells[i] != 0) {
			uint64_t at = plm_hash_bytes(plm_str(st, (plm_sym){old.cells[i]}));

			while (st->strings.cells[at & st->strings.mask] != 0) {
				at++;
			}
			st->strings.cells[at & st->strings.mask] = old.cells[i];
		}
	}
	free(old.cells);
}

plm_sym plm_sym_find(const struct plm_state *st, struct plm_slice bytes)
{
	if (bytes.size == 0 || st->strings.cells == NULL) {
		return (plm_sym){0};
	}
	for (uint64_t at = plm_hash_bytes(bytes);; at++) {
		uint32_t sym = st->strings.cells[at & st->strings.mask];

		if (sym == 0 || plm_slice_equal(plm_str(st, (plm_sym){sym}), bytes)) {
			return (plm_sym){sym};
		}
	}
}

static void strings_enter(struct plm_state *st, plm_sym sym)
{
	uint64_t at = 0;

	if (st->strings.cells == NULL || st->strings.count >= st->strings.mask / 2) {
		strings_grow(st);
	}
	at = plm_hash_bytes(plm_str(st, sym));
	while (st->strings.cells[at & st->strings.mask] != 0) {
		at++;
	}
	st->strings.cells[at & st->strings.mask] = sym.n;
	st->strings.count++;
}

plm_sym plm_intern(struct plm_state *st, struct plm_slice bytes)
{
	plm_sym sym = plm_sym_find(st, bytes);
	uint64_t at = st->heap.bytes;
	uint32_t size = (uint32_t)bytes.size;

	if (sym.n != 0 || bytes.size == 0) {
		return sym;
	}
	PLM_ASSERT(bytes.size <= UINT32_MAX);
	PLM_ASSERT(at + record_bytes(bytes.size) <= st->heap.reserved);
	region_touch(&st->heap, at, at + record_bytes(bytes.size));
	memcpy(st->heap.base + at, &size, sizeof(size));
	memcpy(st->heap.base + at + RECORD_HEAD, bytes.ptr, bytes.size);
	sym.n = (uint32_t)(at / 8);
	strings_enter(st, sym);
	return sym;
}

int plm_sym_compare(const struct plm_state *st, plm_sym a, plm_sym b)
{
	return a.n == b.n ? 0 : plm_slice_compare(plm_str(st, a), plm_str(st, b));
}

bool plm_sym_is(const struct plm_state *st, plm_sym sym, const char *text)
{
	return plm_slice_is(plm_str(st, sym), text);
}

bool plm_kv_get(const struct plm_state *st, plm_sym span, plm_sym key, plm_sym *out)
{
	uint32_t count = 0;
	const struct plm_kv *list = PLM_SPAN(st, span, struct plm_kv, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i].key, key)) {
			*out = list[i].value;
			return true;
		}
	}
	return false;
}

bool plm_kv_has_all(const struct plm_state *st, plm_sym span, plm_sym asked)
{
	uint32_t count = 0;
	const struct plm_kv *pairs = PLM_SPAN(st, asked, struct plm_kv, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_sym value = {0};

		if (!plm_kv_get(st, span, pairs[i].key, &value) ||
		    !plm_sym_equal(value, pairs[i].value)) {
			return false;
		}
	}
	return true;
}

bool plm_syms_have(const struct plm_state *st, plm_sym span, plm_sym sym)
{
	uint32_t count = 0;
	const plm_sym *list = PLM_SPAN(st, span, plm_sym, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i], sym)) {
			return true;
		}
	}
	return false;
}

/* ---- slots ------------------------------------------------------------------------------------- */

const void *plm_slot(const struct plm_state *st, enum plm_table table, plm_id id)
{
	const struct plm_region *region = &st->tables[table];

	PLM_ASSERT(id.n <= region->high);
	return region->base + (uint64_t)id.n * region->slot_size;
}

void *plm_slot_edit_unnoted(struct plm_state *st, enum plm_table table, plm_id id)
{
	struct plm_region *region = &st->tables[table];
	uint64_t at = (uint64_t)id.n * region->slot_size;

	PLM_ASSERT(id.n != 0 && id.n <= region->high);
	region_touch(region, at, at + region->slot_size);
	return region->base + at;
}

void *plm_slot_edit(struct plm_state *st, enum plm_table table, plm_id id)
{
	void *slot = plm_slot_edit_unnoted(st, table, id);

	if (table == PLM_TABLE_WORKLOAD) {
		plm_marks_note_workload(st, id);
	} else if (table == PLM_TABLE_JOB) {
		plm_marks_note_job(st, id);
	} else if (table == PLM_TABLE_POD) {
		plm_pod_index_note_pod(st, id);
	} else if (table == PLM_TABLE_NODE) {
		plm_pod_index_note_node(st, id);
	} else if (table == PLM_TABLE_NODE_CLAIM) {
		plm_pod_index_note_claim(st, id);
	}
	return slot;
}

static bool slot_used(const struct plm_region *region, uint32_t n)
{
	uint32_t used = 0;

	memcpy(&used, region->base + (uint64_t)n * region->slot_size, sizeof(used));
	return used != 0;
}

plm_id plm_slot_new(struct plm_state *st, enum plm_table table)
{
	struct plm_region *region = &st->tables[table];
	uint32_t n = region->hint;
	uint32_t used = 1;

	while (n <= region->high && slot_used(region, n)) {
		n++;
	}
	PLM_ASSERT(n <= infos[table].ceiling);
	if (n > region->high) {
		region->high = n;
	}
	region->hint = n + 1;
	region->live++;
	memcpy(plm_slot_edit(st, table, (plm_id){n}), &used, sizeof(used));
	return (plm_id){n};
}

plm_id plm_slot_new_object(struct plm_state *st, enum plm_kind kind, plm_sym ns, plm_sym name)
{
	enum plm_table table = plm_kind_table(kind);
	plm_id id = plm_slot_new(st, table);
	struct plm_object *object = plm_slot_edit(st, table, id);

	PLM_ASSERT(infos[table].keyed);
	object->kind = (uint32_t)kind;
	object->ns = ns;
	object->name = name;
	object->deleting_ms = PLM_UNSET;
	plm_index_put(st, (uint32_t)kind, ns.n, name.n, id);
	return id;
}

void plm_slot_free(struct plm_state *st, enum plm_table table, plm_id id)
{
	struct plm_region *region = &st->tables[table];
	uint8_t *slot = plm_slot_edit(st, table, id);

	PLM_ASSERT(slot_used(region, id.n));
	if (infos[table].keyed) {
		const struct plm_object *object = (const struct plm_object *)slot;

		plm_index_drop(st, object->kind, object->ns.n, object->name.n);
	}
	if (table == PLM_TABLE_WORKLOAD) {
		plm_queue_index_drop(st, id);
	}
	memset(slot, 0, region->slot_size);
	region->live--;
	if (id.n < region->hint) {
		region->hint = id.n;
	}
}

plm_id plm_slot_next(const struct plm_state *st, enum plm_table table, plm_id id)
{
	const struct plm_region *region = &st->tables[table];

	for (uint32_t n = id.n + 1; n <= region->high; n++) {
		if (slot_used(region, n)) {
			return (plm_id){n};
		}
	}
	return (plm_id){0};
}

void plm_slots_recount(struct plm_state *st)
{
	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		struct plm_region *region = &st->tables[t];

		region->live = 0;
		region->hint = region->high + 1;
		for (uint32_t n = region->high; n > 0; n--) {
			if (slot_used(region, n)) {
				region->live++;
			} else {
				region->hint = n;
			}
		}
	}
}

enum plm_code plm_strings_rebuild(struct plm_state *st, struct plm_error *err)
{
	free(st->strings.cells);
	st->strings = (struct plm_string_index){0};
	for (uint64_t at = RECORD_HEAD; at < st->heap.bytes;) {
		uint32_t size = 0;

		memcpy(&size, st->heap.base + at, sizeof(size));
		if (size == 0 || record_bytes(size) > st->heap.bytes - at) {
			return plm_fail(err, PLM_E_CORRUPT, "symbol %llu of the image is cut",
					(unsigned long long)(at / 8));
		}
		strings_enter(st, (plm_sym){(uint32_t)(at / 8)});
		at += record_bytes(size);
	}
	return PLM_OK;
}
