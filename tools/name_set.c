#include "tools/name_set.h"

#include "core/hashing.h"

#define FIRST_CELLS 64U

/* The cell that holds 'name', or the empty one where it belongs. */
static size_t cell_of(const struct plm_name_set *set, struct plm_slice name)
{
	size_t at = plm_hash_bytes(name) & (set->cell_count - 1);

	while (set->cells[at] != 0 && !plm_slice_equal(set->names[set->cells[at] - 1], name)) {
		at = (at + 1) & (set->cell_count - 1);
	}
	return at;
}

static void grow(struct plm_name_set *set)
{
	size_t capacity = set->capacity == 0 ? FIRST_CELLS / 2 : set->capacity * 2;
	struct plm_slice *names = PLM_NEW_ARRAY(set->arena, capacity, struct plm_slice);

	if (set->count > 0) {
		memcpy(names, set->names, set->count * sizeof(*names));
	}
	set->names = names;
	set->capacity = capacity;
	set->cell_count = capacity * 2;
	set->cells = PLM_NEW_ARRAY(set->arena, set->cell_count, uint32_t);
	for (size_t i = 0; i < set->count; i++) {
		set->cells[cell_of(set, names[i])] = (uint32_t)i + 1;
	}
}

bool plm_name_set_has(const struct plm_name_set *set, struct plm_slice name)
{
	return set->cell_count > 0 && set->cells[cell_of(set, name)] != 0;
}

bool plm_name_set_add(struct plm_name_set *set, struct plm_slice name)
{
	if (plm_name_set_has(set, name)) {
		return false;
	}
	if (set->count == set->capacity) {
		grow(set);
	}
	set->cells[cell_of(set, name)] = (uint32_t)set->count + 1;
	set->names[set->count] = plm_arena_copy(set->arena, name);
	set->count++;
	return true;
}
