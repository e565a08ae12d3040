#include "adapters/kube/refusals.h"

static bool is_it(const struct plm_refusal *row, enum plm_call call, struct plm_hash128 object)
{
	return row->call == call && row->object.low == object.low &&
	       row->object.high == object.high;
}

static const struct plm_refusal *find(const struct plm_refusals *refusals, enum plm_call call,
				      struct plm_hash128 object)
{
	for (uint32_t i = 0; i < refusals->used; i++) {
		if (is_it(&refusals->rows[i], call, object)) {
			return &refusals->rows[i];
		}
	}
	return NULL;
}

/* A row to be taken: an empty one, else the one that is due first. */
static struct plm_refusal *room(struct plm_refusals *refusals)
{
	struct plm_refusal *first = &refusals->rows[0];

	for (uint32_t i = 0; i < refusals->used; i++) {
		if (refusals->rows[i].call == PLM_CALL_NONE) {
			return &refusals->rows[i];
		}
		if (refusals->rows[i].due_ms < first->due_ms) {
			first = &refusals->rows[i];
		}
	}
	return refusals->used < PLM_LIMIT_REFUSALS ? &refusals->rows[refusals->used++] : first;
}

static int64_t wait_of(uint32_t count, int64_t first_ms)
{
	int64_t wait_ms = first_ms;

	for (uint32_t i = 1; i < count && wait_ms < PLM_LIMIT_REFUSED_MS; i++) {
		wait_ms *= 2;
	}
	return plm_min(wait_ms, PLM_LIMIT_REFUSED_MS);
}

void plm_refusals_failed(struct plm_refusals *refusals, enum plm_call call,
			 struct plm_hash128 object, int64_t first_ms, int64_t now_ms)
{
	const struct plm_refusal *had = find(refusals, call, object);
	struct plm_refusal *row =
		had == NULL ? room(refusals) : &refusals->rows[had - refusals->rows];
	uint32_t count = had == NULL ? 1 : had->count + 1;

	*row = (struct plm_refusal){.object = object,
				    .call = call,
				    .count = count,
				    .due_ms = now_ms + wait_of(count, first_ms)};
}

void plm_refusals_done(struct plm_refusals *refusals, enum plm_call call, struct plm_hash128 object)
{
	const struct plm_refusal *had = find(refusals, call, object);

	if (had != NULL) {
		refusals->rows[had - refusals->rows].call = PLM_CALL_NONE;
	}
}

int64_t plm_refusals_wait_ms(const struct plm_refusals *refusals, enum plm_call call,
			     struct plm_hash128 object, int64_t now_ms)
{
	const struct plm_refusal *row = find(refusals, call, object);

	return row == NULL ? 0 : plm_max(0, row->due_ms - now_ms);
}
