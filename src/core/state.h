/*
 * state.h - the folded state: slot tables, interned bytes, and what is derived from them
 *
 * Owns: one fixed-size slot table per kind (tables.h), the heap of interned strings and spans
 * (parts.h), the image that is hashed and kept as a snapshot. Does not: know what a slot means.
 *
 * Image = per table the slots 0 ... high (slot 0 is the zeroed "none"; free slots are zeroed) and the
 * used bytes of the heap. There is no pointer and no padding in it, and it depends on the log only:
 * a free slot with the lowest number is taken first, symbols follow first appearance. Indexes lie
 * outside, are rebuilt on load, and their order is never seen.
 *
 * Reducers hold the state const; apply() writes through plm_<table>_edit(), which marks the 64 KiB
 * chunk dirty for the incremental hash (hash/state_hash.h). One thread.
 */
#ifndef PLM_CORE_STATE_H
#define PLM_CORE_STATE_H

#include "core/arena.h"
#include "core/event.h"
#include "core/host_pods.h"
#include "core/marks.h"
#include "core/pod_index.h"
#include "core/queue_index.h"
#include "core/tables.h"

enum plm_table {
#define PLM_TABLE_ENUM(NAME, name, type, small, cluster, ceiling) PLM_TABLE_##NAME,
	PLM_TABLES(PLM_TABLE_ENUM)
#undef PLM_TABLE_ENUM
	PLM_TABLE_COUNT
};

enum plm_profile {
	PLM_PROFILE_SMALL,   /* decide, sim, tests */
	PLM_PROFILE_CLUSTER, /* run */
};

struct plm_table_info {
	const char *name;
	uint32_t slot_size;
	uint32_t capacity[2]; /* by enum plm_profile */
	uint32_t ceiling;
	bool keyed; /* slots begin with struct plm_object */
};

/* A hash of one 64 KiB chunk of the image, kept while the chunk is clean. */
struct plm_chunk {
	uint64_t low, high;
};

/* Memory of one table, or of the heap (slot_size 1). */
struct plm_region {
	uint8_t *base;	   /* owned, reserved up to the ceiling */
	uint64_t reserved; /* bytes */
	uint64_t bytes;	   /* of the image: up to and with the highest slot ever used */
	uint8_t *dirty;	   /* one byte per chunk: 1 = 'chunks' is stale */
	struct plm_chunk *chunks;
	uint32_t slot_size;
	uint32_t capacity; /* slots, slot 0 not counted */
	uint32_t high;	   /* highest slot ever used */
	uint32_t live;
	uint32_t hint; /* no free slot lies below */
};

/* Open addressing from bytes to symbols, 0 = empty cell. Outside the image. */
struct plm_string_index {
	uint32_t *cells; /* owned */
	uint32_t mask;
	uint32_t count;
};

/* (kind, a, b) to a slot; 'id' 0 = empty cell. */
struct plm_key_cell {
	uint32_t kind, a, b;
	plm_id id;
};
struct plm_key_index {
	struct plm_key_cell *cells; /* owned */
	uint32_t mask;
	uint32_t count;
};

struct plm_state {
	struct plm_region tables[PLM_TABLE_COUNT];
	struct plm_region heap;
	struct plm_string_index strings;
	struct plm_key_index keys;
	struct plm_queue_index queues;
	struct plm_marks marks;
	struct plm_host_pods host_pods;
	struct plm_pod_index pods;
	uint64_t seq; /* of the last event applied; not part of the image */
};

const struct plm_table_info *plm_table_info(enum plm_table table);

/* An empty state with the capacities of 'profile'. PLM_E_LIMIT: address space is refused. */
enum plm_code plm_state_init(struct plm_state *st, enum plm_profile profile,
			     struct plm_error *err) PLM_MUST_CHECK;
void plm_state_fini(struct plm_state *st); /* NULL-safe */
/*
 * Children of this process do not get the state: a fork need not copy its page tables, and no write has
 * to copy a page for them. For the state of an engine that must not be held up.
 */
void plm_state_keep_from_children(const struct plm_state *st);

/* ---- limits ---- */

/* The capacities as a LIMITS payload; lists live in 'arena'. */
void plm_state_limits(const struct plm_state *st, struct plm_arena *arena,
		      struct plm_w_limits *out);
/* Fold a LIMITS event. Unknown names are ignored, capacities are cut to the ceiling, never lowered. */
void plm_state_set_limits(struct plm_state *st, const struct plm_w_limits *limits);
/*
 * The name of a table that has no room for one more fact with 'payload_bytes' of payload, else NULL.
 * A twentieth of each table and of the heap is kept for what decisions add.
 */
const char *plm_state_full(const struct plm_state *st, uint64_t payload_bytes);
/* Capacities doubled where a table is more than 80 % used. True when something changed in 'out'. */
bool plm_state_grow(const struct plm_state *st, struct plm_arena *arena, struct plm_w_limits *out);

/* ---- symbols ---- */

/* The symbol of 'bytes', made when new. Writes the heap. */
plm_sym plm_intern(struct plm_state *st, struct plm_slice bytes);
/* The symbol of 'bytes', 0 when it was never interned (or is empty). */
plm_sym plm_sym_find(const struct plm_state *st, struct plm_slice bytes);
/* The bytes of 'sym', static as long as the state; not zero-terminated. */
struct plm_slice plm_str(const struct plm_state *st, plm_sym sym);
/* By bytes, never by number: <0, 0, >0. */
int plm_sym_compare(const struct plm_state *st, plm_sym a, plm_sym b);
bool plm_sym_is(const struct plm_state *st, plm_sym sym, const char *text);

static inline const void *plm_span_bytes(const struct plm_state *st, plm_sym span, size_t size,
					 uint32_t *count)
{
	struct plm_slice bytes = plm_str(st, span);

	PLM_ASSERT(bytes.size % size == 0);
	*count = (uint32_t)(bytes.size / size);
	return bytes.ptr;
}
/* The elements of a span: const type *, with '*count' set. */
#define PLM_SPAN(st, span, type, count)                                                            \
	((const type *)plm_span_bytes((st), (span), sizeof(type), (count)))
static inline plm_sym plm_intern_span(struct plm_state *st, const void *elements, size_t count,
				      size_t size)
{
	return plm_intern(st, plm_slice_of(elements, count * size));
}

/* The value of 'key' in a span of plm_kv; false, and '*out' untouched, when it is not there. */
bool plm_kv_get(const struct plm_state *st, plm_sym span, plm_sym key, plm_sym *out);
/* Does the span have every pair of 'asked', a span of plm_kv as well? */
bool plm_kv_has_all(const struct plm_state *st, plm_sym span, plm_sym asked);
/* Is 'sym' in a span of plm_sym? */
bool plm_syms_have(const struct plm_state *st, plm_sym span, plm_sym sym);

/* ---- slots ---- */

/* Keys besides enum plm_kind, for plm_index_*. */
enum {
	PLM_KEY_INTENT = 1000,	/* (seq low, seq high) -> intent */
	PLM_KEY_INSTANCE_TYPE,	/* (name, 0) -> instance type */
	PLM_KEY_CLAIM_PROVIDER, /* (provider id, 0) -> node claim */
	PLM_KEY_NODE_PROVIDER,	/* (provider id, 0) -> node */
	PLM_KEY_WORKLOAD_OWNER, /* (owner uid, 0) -> workload */
	PLM_KEY_JOB_UID,	/* (uid, 0) -> job of any kind */
	PLM_KEY_INSTANCE,	/* (provider id, 0) -> instance without a claim */
	PLM_KEY_PREBUILT,	/* (namespace, name) -> job whose workload somebody else makes */
};

/* The table that objects of 'kind' live in; PLM_TABLE_ROOT for PLM_KIND_NONE. */
enum plm_table plm_kind_table(enum plm_kind kind);
/* The slot of an object, 0 when there is none. */
plm_id plm_find(const struct plm_state *st, enum plm_kind kind, plm_sym ns, plm_sym name);
/* As plm_find() by text; for edges and tests. */
plm_id plm_find_text(const struct plm_state *st, enum plm_kind kind, const char *ns,
		     const char *name);
plm_id plm_index_find(const struct plm_state *st, uint32_t kind, uint32_t a, uint32_t b);
void plm_index_put(struct plm_state *st, uint32_t kind, uint32_t a, uint32_t b, plm_id id);
void plm_index_drop(struct plm_state *st, uint32_t kind, uint32_t a, uint32_t b);
/* Enter every key anew from the slots: after a load. */
void plm_index_rebuild(struct plm_state *st);
/* Enter every symbol of the heap anew. PLM_E_CORRUPT: the heap is not a run of records. */
enum plm_code plm_strings_rebuild(struct plm_state *st, struct plm_error *err) PLM_MUST_CHECK;
/* Slots used again after a load: live, hint. */
void plm_slots_recount(struct plm_state *st);

const void *plm_slot(const struct plm_state *st, enum plm_table table, plm_id id);
void *plm_slot_edit(struct plm_state *st, enum plm_table table, plm_id id);
/* The same without a note for the marks: for members that none of them looks at (place, failed). */
void *plm_slot_edit_unnoted(struct plm_state *st, enum plm_table table, plm_id id);
/* Take the lowest free slot, zeroed but for used = 1; a full table is a bug (see plm_state_full()). */
plm_id plm_slot_new(struct plm_state *st, enum plm_table table);
/* Take a slot for an object and enter its key. */
plm_id plm_slot_new_object(struct plm_state *st, enum plm_kind kind, plm_sym ns, plm_sym name);
/* Zero a slot and give it back; drops its key when the table is keyed. */
void plm_slot_free(struct plm_state *st, enum plm_table table, plm_id id);
/* The used slot after 'id' in slot order, 0 at the end; begin with {0}. */
plm_id plm_slot_next(const struct plm_state *st, enum plm_table table, plm_id id);

#define PLM_TABLE_ACCESS(NAME, name, type, small, cluster, ceiling)                                \
	static inline const struct type *plm_##name##_at(const struct plm_state *st, plm_id id)    \
	{                                                                                          \
		return (const struct type *)plm_slot(st, PLM_TABLE_##NAME, id);                    \
	}                                                                                          \
	static inline struct type *plm_##name##_edit(struct plm_state *st, plm_id id)              \
	{                                                                                          \
		return (struct type *)plm_slot_edit(st, PLM_TABLE_##NAME, id);                     \
	}                                                                                          \
	static inline plm_id plm_##name##_next(const struct plm_state *st, plm_id id)              \
	{                                                                                          \
		return plm_slot_next(st, PLM_TABLE_##NAME, id);                                    \
	}                                                                                          \
	static inline uint32_t plm_##name##_live(const struct plm_state *st)                       \
	{                                                                                          \
		return st->tables[PLM_TABLE_##NAME].live;                                          \
	}                                                                                          \
	/* Bound of slot numbers, for arrays indexed by slot: high + 1. */                         \
	static inline uint32_t plm_##name##_bound(const struct plm_state *st)                      \
	{                                                                                          \
		return st->tables[PLM_TABLE_##NAME].high + 1;                                      \
	}
PLM_TABLES(PLM_TABLE_ACCESS)
#undef PLM_TABLE_ACCESS

/* for (each used slot of a table, in slot order) */
#define PLM_EACH(st, name, id)                                                                     \
	for (plm_id id = plm_##name##_next((st), (plm_id){0}); id.n != 0;                          \
	     id = plm_##name##_next((st), id))

static inline const struct plm_root *plm_root(const struct plm_state *st)
{
	return plm_root_at(st, (plm_id){1});
}
static inline struct plm_root *plm_root_change(struct plm_state *st)
{
	return plm_root_edit(st, (plm_id){1});
}

/* ---- image ---- */

#define PLM_IMAGE_PARTS (PLM_TABLE_COUNT + 2)
/* Digest of the layout: sizes of all slots and parts. An image of another layout is not loaded. */
uint64_t plm_image_layout(void);
/* The image as PLM_IMAGE_PARTS borrowed slices: a header, the tables, the heap. Valid until a write. */
void plm_image_parts(const struct plm_state *st, struct plm_arena *arena, struct plm_slice *parts);
/*
 * Replace the state by an image that plm_image_parts() gave, as one run of bytes, and rebuild the
 * indexes. PLM_E_CORRUPT: it is no such image; the state is then empty.
 */
enum plm_code plm_image_load(struct plm_state *st, struct plm_slice image,
			     struct plm_error *err) PLM_MUST_CHECK;

/* Assert the invariants between tables and indexes: for tests and after loads. */
void plm_state_check(const struct plm_state *st);

#endif
