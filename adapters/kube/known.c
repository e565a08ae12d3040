#include "adapters/kube/known.h"

#include <stdlib.h>

#include "adapters/kube/tree.h"
#include "core/limits.h"
#include "core/quantity.h"
#include "hash/hash.h"

/* Conditions of a Workload that are ours: Kueue writes them where we do not, and nobody else does. */
static const char *const conditions[] = {
	"QuotaReserved",
	"Admitted",
	"PodsReady",
	"Evicted",
	"Preempted",
	"Requeued",
	"Finished",
	"DeactivationTarget",
	"Waiting",
	"Delayed",
	"BlockedOnPreemptionGates",
};

/* The bit of a condition; 0: it is another's. */
static uint32_t bit_of(struct plm_slice type)
{
	for (size_t i = 0; i < PLM_COUNTOF(conditions); i++) {
		if (plm_slice_is(type, conditions[i])) {
			return 1U << i;
		}
	}
	return 0;
}

bool plm_known_is_ours(struct plm_slice type)
{
	return bit_of(type) != 0;
}

void plm_known_fini(struct plm_known_table *table)
{
	free(table->slots);
	*table = (struct plm_known_table){0};
}

static size_t slot_of(const struct plm_known_table *table, struct plm_hash128 print)
{
	size_t at = (size_t)print.low & (table->capacity - 1);

	while ((table->slots[at].low != 0 || table->slots[at].high != 0) &&
	       (table->slots[at].low != print.low || table->slots[at].high != print.high)) {
		at = (at + 1) & (table->capacity - 1);
	}
	return at;
}

static bool is_empty(const struct plm_known *known)
{
	return known->low == 0 && known->high == 0;
}

static void grow(struct plm_known_table *table)
{
	struct plm_known_table more = {.capacity = table->capacity == 0 ? 256 : table->capacity * 2,
				       .count = table->count};

	more.slots = calloc(more.capacity, sizeof(*more.slots));
	PLM_ASSERT(more.slots != NULL);
	for (size_t i = 0; i < table->capacity; i++) {
		const struct plm_known *old = &table->slots[i];

		if (!is_empty(old)) {
			more.slots[slot_of(&more, (struct plm_hash128){old->low, old->high})] =
				*old;
		}
	}
	free(table->slots);
	*table = more;
}

const struct plm_known *plm_known_find(const struct plm_known_table *table, struct plm_slice uid)
{
	const struct plm_known *known = NULL;

	if (table->capacity == 0 || uid.size == 0) {
		return NULL;
	}
	known = &table->slots[slot_of(table, plm_xxh128(uid))];
	return is_empty(known) ? NULL : known;
}

void plm_known_forget(struct plm_known_table *table, struct plm_slice uid)
{
	size_t hole = 0;

	if (plm_known_find(table, uid) == NULL) {
		return;
	}
	hole = slot_of(table, plm_xxh128(uid));
	for (size_t at = (hole + 1) & (table->capacity - 1); !is_empty(&table->slots[at]);
	     at = (at + 1) & (table->capacity - 1)) {
		size_t home = (size_t)table->slots[at].low & (table->capacity - 1);

		/* What would not be found across the hole moves into it. */
		if (((at - home) & (table->capacity - 1)) >=
		    ((at - hole) & (table->capacity - 1))) {
			table->slots[hole] = table->slots[at];
			hole = at;
		}
	}
	table->slots[hole] = (struct plm_known){0};
	table->count--;
}

/* Both are numbers, and 'revision' is the smaller one: an echo that comes late. */
static bool is_older(struct plm_slice revision, const char *than)
{
	int64_t mine = 0;
	int64_t other = 0;

	return plm_integer_parse(revision, &mine) &&
	       plm_integer_parse(plm_slice_str(than), &other) && mine < other;
}

static void look(struct plm_known *known, const cJSON *workload)
{
	const cJSON *list = plm_tree_at(workload, "status.conditions");

	known->conditions = 0;
	known->others = false;
	for (const cJSON *at = list == NULL ? NULL : list->child; at != NULL; at = at->next) {
		uint32_t bit = bit_of(plm_tree_text(at, "type"));

		known->conditions |= bit;
		known->others = known->others || bit == 0;
	}
	if (plm_tree_at(workload, "status.admissionChecks") != NULL) {
		known->others = true;
	}
}

void plm_known_saw(struct plm_known_table *table, struct plm_slice uid, struct plm_slice revision,
		   const cJSON *workload)
{
	struct plm_hash128 print = plm_xxh128(uid);
	struct plm_known *known = NULL;

	if (uid.size == 0 || revision.size == 0 || revision.size >= PLM_KUBE_REVISION_SIZE) {
		plm_known_forget(table, uid);
		return;
	}
	if (plm_known_find(table, uid) == NULL) {
		if (table->count == PLM_LIMIT_KNOWN_WORKLOADS) {
			return;
		}
		if (2 * (table->count + 1) > table->capacity) {
			grow(table);
		}
		table->count++;
	}
	known = &table->slots[slot_of(table, print)];
	if (!is_empty(known) && is_older(revision, known->revision)) {
		return;
	}
	*known = (struct plm_known){.low = print.low, .high = print.high};
	memcpy(known->revision, revision.ptr, revision.size);
	look(known, workload);
}

bool plm_known_covered(const struct plm_known *known, struct plm_vec said)
{
	const struct plm_w_condition *list = said.ptr;
	uint32_t bits = 0;

	for (size_t i = 0; i < said.count; i++) {
		bits |= bit_of(list[i].type);
	}
	return !known->others && (known->conditions & ~bits) == 0;
}
