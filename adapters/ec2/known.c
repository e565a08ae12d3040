#include "adapters/ec2/known.h"

#include <stdlib.h>

#include "adapters/ec2/instance_read.h"
#include "core/hashing.h"
#include "core/limits.h"

/* ---- the table --------------------------------------------------------------------------------- */

static uint32_t cell_of(const struct plm_ec2_known *known, struct plm_slice id)
{
	uint32_t at = (uint32_t)plm_hash_mix(plm_hash_bytes(id)) & (known->size - 1);

	while (known->cells[at].id != NULL && !plm_slice_is(id, known->cells[at].id)) {
		at = (at + 1) & (known->size - 1);
	}
	return at;
}

const struct plm_ec2_known_row *plm_ec2_known_find(const struct plm_ec2_known *known,
						   struct plm_slice id)
{
	const struct plm_ec2_known_row *row =
		known->size == 0 ? NULL : &known->cells[cell_of(known, id)];

	return row == NULL || row->id == NULL ? NULL : row;
}

static void free_row(struct plm_ec2_known_row *row)
{
	free(row->id);
	free(row->provider_id);
	free(row->reservation);
	*row = (struct plm_ec2_known_row){0};
}

/* Move all rows that were told after 'after' into 'size' cells; the others are forgotten. */
static void rebuild(struct plm_ec2_known *known, uint32_t size, uint64_t after)
{
	struct plm_ec2_known_row *old = known->cells;
	uint32_t old_size = known->size;

	known->cells = calloc(size, sizeof(*known->cells));
	PLM_ASSERT(known->cells != NULL);
	known->size = size;
	known->count = 0;
	for (uint32_t i = 0; i < old_size; i++) {
		if (old[i].id != NULL && old[i].serial > after) {
			known->cells[cell_of(known, plm_slice_str(old[i].id))] = old[i];
			known->count++;
		} else {
			free_row(&old[i]);
		}
	}
	free(old);
}

/* Serials are single, so no more than this many are later. */
static void forget_half(struct plm_ec2_known *known)
{
	rebuild(known, known->size, known->serial - PLM_LIMIT_EC2_KNOWN / 2);
}

static void make_room(struct plm_ec2_known *known)
{
	if (known->count >= PLM_LIMIT_EC2_KNOWN) {
		forget_half(known);
	}
	if (known->size == 0 || known->count + 1 > known->size / 2) {
		rebuild(known, known->size == 0 ? 256 : known->size * 2, 0);
	}
}

/* Rows behind a freed cell move up, so that no search ends too soon. */
static void forget(struct plm_ec2_known *known, struct plm_slice provider_id)
{
	uint32_t mask = known->size - 1;
	uint32_t hole = 0;
	char id[PLM_EC2_ID_SIZE];

	if (known->size == 0 || !plm_ec2_instance_id(provider_id, id)) {
		return;
	}
	hole = cell_of(known, plm_slice_str(id));
	if (known->cells[hole].id == NULL) {
		return;
	}
	free_row(&known->cells[hole]);
	known->count--;
	for (uint32_t at = (hole + 1) & mask; known->cells[at].id != NULL; at = (at + 1) & mask) {
		struct plm_ec2_known_row row = known->cells[at];

		known->cells[at] = (struct plm_ec2_known_row){0};
		known->cells[cell_of(known, plm_slice_str(row.id))] = row;
	}
}

static char *text_of(struct plm_slice from)
{
	char *to = strndup(from.size == 0 ? "" : (const char *)from.ptr, from.size);

	PLM_ASSERT(to != NULL);
	return to;
}

static void keep(struct plm_ec2_known *known, struct plm_slice provider_id,
		 struct plm_slice reservation)
{
	struct plm_ec2_known_row *row = NULL;
	int64_t block_end_ms = 0;
	char id[PLM_EC2_ID_SIZE];

	if (!plm_ec2_instance_id(provider_id, id)) {
		return;
	}
	make_room(known);
	row = &known->cells[cell_of(known, plm_slice_str(id))];
	known->count += row->id == NULL ? 1 : 0;
	block_end_ms = row->block_end_ms;
	free_row(row);
	*row = (struct plm_ec2_known_row){.id = text_of(plm_slice_str(id)),
					  .provider_id = text_of(provider_id),
					  .reservation = text_of(reservation),
					  .block_end_ms = block_end_ms,
					  .serial = ++known->serial};
}

struct plm_ec2_known_row *plm_ec2_known_in(struct plm_ec2_known *known,
					   struct plm_slice reservation, uint32_t *at)
{
	while (*at < known->size) {
		struct plm_ec2_known_row *row = &known->cells[(*at)++];

		if (row->id != NULL && plm_slice_is(reservation, row->reservation)) {
			return row;
		}
	}
	return NULL;
}

void plm_ec2_known_fini(struct plm_ec2_known *known)
{
	for (uint32_t i = 0; i < known->size; i++) {
		free_row(&known->cells[i]);
	}
	free(known->cells);
	*known = (struct plm_ec2_known){0};
}

/* ---- what is told ------------------------------------------------------------------------------ */

static void saw_result(struct plm_ec2_known *known, const struct plm_w_result *result)
{
	bool done = result->class == PLM_RESULT_DONE || result->class == PLM_RESULT_ALREADY_DONE;

	if (done && result->provider_id.size > 0) {
		keep(known, result->provider_id, result->reservation);
		known->reserved += result->reservation.size > 0 ? 1 : 0;
	}
}

void plm_ec2_known_saw(struct plm_ec2_known *known, enum plm_event_type type, const void *value)
{
	if (type == PLM_EV_RESULT) {
		saw_result(known, value);
	} else if (type == PLM_EV_LISTED) {
		known->lists++;
	} else if (type == PLM_EV_INSTANCE) {
		const struct plm_w_instance *instance = value;

		if (plm_slice_is(instance->state, "terminated")) {
			forget(known, instance->provider_id);
		} else {
			keep(known, instance->provider_id, instance->reservation);
		}
	}
}
