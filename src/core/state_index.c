/* The index from (kind, a, b) to a slot: linear probing, deletion by moving later cells back. */
#include "core/hashing.h"
#include "core/state.h"

#include <stdlib.h>

#define FIRST_SIZE 1024U

static uint32_t home(const struct plm_key_index *index, uint32_t kind, uint32_t a, uint32_t b)
{
	uint64_t hash = plm_hash_mix(((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15ULL + kind);

	return (uint32_t)hash & index->mask;
}

static bool same(const struct plm_key_cell *cell, uint32_t kind, uint32_t a, uint32_t b)
{
	return cell->kind == kind && cell->a == a && cell->b == b;
}

/* The cell that holds the key, or the empty one where it would go. */
static uint32_t probe(const struct plm_key_index *index, uint32_t kind, uint32_t a, uint32_t b)
{
	uint32_t at = home(index, kind, a, b);

	while (index->cells[at].id.n != 0 && !same(&index->cells[at], kind, a, b)) {
		at = (at + 1) & index->mask;
	}
	return at;
}

static void grow(struct plm_key_index *index)
{
	struct plm_key_index old = *index;
	uint32_t size = old.cells == NULL ? FIRST_SIZE : (old.mask + 1) * 2;

	index->cells = calloc(size, sizeof(*index->cells));
	PLM_ASSERT(index->cells != NULL);
	index->mask = size - 1;
	for (uint32_t i = 0; old.cells != NULL && i <= old.mask; i++) {
		const struct plm_key_cell *cell = &old.cells[i];

		if (cell->id.n != 0) {
			index->cells[probe(index, cell->kind, cell->a, cell->b)] = *cell;
		}
	}
	free(old.cells);
}

plm_id plm_index_find(const struct plm_state *st, uint32_t kind, uint32_t a, uint32_t b)
{
	if (st->keys.cells == NULL) {
		return (plm_id){0};
	}
	return st->keys.cells[probe(&st->keys, kind, a, b)].id;
}

void plm_index_put(struct plm_state *st, uint32_t kind, uint32_t a, uint32_t b, plm_id id)
{
	struct plm_key_index *index = &st->keys;
	struct plm_key_cell *cell = NULL;

	PLM_ASSERT(id.n != 0);
	if (index->cells == NULL || index->count >= index->mask / 2) {
		grow(index);
	}
	cell = &index->cells[probe(index, kind, a, b)];
	if (cell->id.n == 0) {
		index->count++;
	}
	*cell = (struct plm_key_cell){kind, a, b, id};
}

void plm_index_drop(struct plm_state *st, uint32_t kind, uint32_t a, uint32_t b)
{
	struct plm_key_index *index = &st->keys;
	uint32_t hole = 0;

	if (index->cells == NULL) {
		return;
	}
	hole = probe(index, kind, a, b);
	if (index->cells[hole].id.n == 0) {
		return;
	}
	index->count--;
	for (uint32_t at = (hole + 1) & index->mask; index->cells[at].id.n != 0;
	     at = (at + 1) & index->mask) {
		const struct plm_key_cell *cell = &index->cells[at];
		uint32_t want = home(index, cell->kind, cell->a, cell->b);

		/* The cell may move back unless its home lies between the hole and itself. */
		if (((at - want) & index->mask) >= ((at - hole) & index->mask)) {
			index->cells[hole] = *cell;
			hole = at;
		}
	}
	index->cells[hole] = (struct plm_key_cell){0};
}

static void enter_objects(struct plm_state *st, enum plm_table table)
{
	for (plm_id id = plm_slot_next(st, table, (plm_id){0}); id.n != 0;
	     id = plm_slot_next(st, table, id)) {
		const struct plm_object *object = plm_slot(st, table, id);

		plm_index_put(st, object->kind, object->ns.n, object->name.n, id);
	}
}

void plm_index_rebuild(struct plm_state *st)
{
	free(st->keys.cells);
	st->keys = (struct plm_key_index){0};
	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		if (plm_table_info(t)->keyed) {
			enter_objects(st, t);
		}
	}
	PLM_EACH(st, intent, id)
	{
		uint64_t seq = plm_intent_at(st, id)->seq;

		plm_index_put(st, PLM_KEY_INTENT, (uint32_t)seq, (uint32_t)(seq >> 32), id);
	}
	PLM_EACH(st, instance_type, id)
	{
		plm_index_put(st, PLM_KEY_INSTANCE_TYPE, plm_instance_type_at(st, id)->name.n, 0,
			      id);
	}
	PLM_EACH(st, node_claim, id)
	{
		plm_sym provider = plm_node_claim_at(st, id)->provider_id;

		if (provider.n != 0) {
			plm_index_put(st, PLM_KEY_CLAIM_PROVIDER, provider.n, 0, id);
		}
	}
	PLM_EACH(st, instance, id)
	{
		plm_index_put(st, PLM_KEY_INSTANCE, plm_instance_at(st, id)->provider_id.n, 0, id);
	}
	PLM_EACH(st, workload, id)
	{
		plm_sym owner = plm_workload_at(st, id)->object.owner_uid;

		if (owner.n != 0) {
			plm_index_put(st, PLM_KEY_WORKLOAD_OWNER, owner.n, 0, id);
		}
	}
	PLM_EACH(st, job, id)
	{
		const struct plm_job *job = plm_job_at(st, id);

		plm_index_put(st, PLM_KEY_JOB_UID, job->object.uid.n, 0, id);
		if (job->prebuilt == 1) {
			plm_index_put(st, PLM_KEY_PREBUILT, job->object.ns.n, job->workload.n, id);
		}
	}
	PLM_EACH(st, node, id)
	{
		plm_sym provider = plm_node_at(st, id)->provider_id;

		if (provider.n != 0) {
			plm_index_put(st, PLM_KEY_NODE_PROVIDER, provider.n, 0, id);
		}
	}
}

plm_id plm_find(const struct plm_state *st, enum plm_kind kind, plm_sym ns, plm_sym name)
{
	return plm_index_find(st, (uint32_t)kind, ns.n, name.n);
}

plm_id plm_find_text(const struct plm_state *st, enum plm_kind kind, const char *ns,
		     const char *name)
{
	plm_sym ns_sym = plm_sym_find(st, plm_slice_str(ns));
	plm_sym name_sym = plm_sym_find(st, plm_slice_str(name));

	if ((ns_sym.n == 0 && ns[0] != '\0') || (name_sym.n == 0 && name[0] != '\0')) {
		return (plm_id){0};
	}
	return plm_find(st, kind, ns_sym, name_sym);
}
