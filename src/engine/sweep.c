#include "engine/sweep.h"

#include <stdlib.h>

static struct plm_sweep *sweep_of(struct plm_sweeps *sweeps, enum plm_kind kind)
{
	PLM_ASSERT((size_t)kind < PLM_COUNTOF(sweeps->kinds));
	return &sweeps->kinds[kind];
}

void plm_sweeps_fini(struct plm_sweeps *sweeps)
{
	for (size_t i = 0; i < PLM_COUNTOF(sweeps->kinds); i++) {
		free(sweeps->kinds[i].seen);
		sweeps->kinds[i] = (struct plm_sweep){0};
	}
}

void plm_sweep_begin(struct plm_sweeps *sweeps, enum plm_kind kind)
{
	struct plm_sweep *sweep = sweep_of(sweeps, kind);

	free(sweep->seen);
	*sweep = (struct plm_sweep){.open = true, .listed = sweep->listed};
}

bool plm_sweep_open(const struct plm_sweeps *sweeps, enum plm_kind kind)
{
	PLM_ASSERT((size_t)kind < PLM_COUNTOF(sweeps->kinds));
	return sweeps->kinds[kind].open;
}

void plm_sweep_mark(struct plm_sweeps *sweeps, enum plm_kind kind, plm_id id)
{
	struct plm_sweep *sweep = sweep_of(sweeps, kind);
	uint32_t word = id.n / 64;

	if (!sweep->open || id.n == 0) {
		return;
	}
	if (word >= sweep->words) {
		uint32_t words = word * 2 + 16;
		uint64_t *seen = realloc(sweep->seen, words * sizeof(*seen));

		PLM_ASSERT(seen != NULL);
		memset(seen + sweep->words, 0, (words - sweep->words) * sizeof(*seen));
		sweep->seen = seen;
		sweep->words = words;
	}
	sweep->seen[word] |= UINT64_C(1) << (id.n % 64);
}

static bool is_marked(const struct plm_sweep *sweep, plm_id id)
{
	uint32_t word = id.n / 64;

	return word < sweep->words && (sweep->seen[word] >> (id.n % 64) & 1) != 0;
}

plm_id plm_sweep_next(struct plm_sweeps *sweeps, const struct plm_state *st, enum plm_kind kind)
{
	struct plm_sweep *sweep = sweep_of(sweeps, kind);
	enum plm_table table = plm_kind_table(kind);

	/* Kinds share tables; 'seq' 0 is known from a decision only. */
	for (plm_id id = plm_slot_next(st, table, sweep->at); id.n != 0;
	     id = plm_slot_next(st, table, id)) {
		const struct plm_object *object = plm_slot(st, table, id);

		sweep->at = id;
		if (object->kind == (uint32_t)kind && object->seq != 0 && !is_marked(sweep, id)) {
			sweep->swept = true;
			return id;
		}
	}
	return (plm_id){0};
}

struct plm_sweep_end plm_sweep_end(struct plm_sweeps *sweeps, enum plm_kind kind)
{
	struct plm_sweep *sweep = sweep_of(sweeps, kind);
	struct plm_sweep_end end = {.first = !sweep->listed, .swept = sweep->swept};

	free(sweep->seen);
	*sweep = (struct plm_sweep){.listed = true};
	return end;
}
