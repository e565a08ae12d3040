#include "adapters/ec2/sight.h"

#include <stdlib.h>

#include "core/limits.h"
#include "hash/hash.h"

/* ---- table --------------------------------------------------------------------------------------- */

static size_t bucket_of(const struct plm_sights *sights, const char *id)
{
	return (size_t)plm_xxh128(plm_slice_str(id)).low & (sights->bucket_count - 1);
}

static void put(struct plm_sights *sights, struct plm_sight *sight)
{
	struct plm_sight **bucket = &sights->buckets[bucket_of(sights, sight->id)];

	sight->hash_next = *bucket;
	*bucket = sight;
}

static void grow(struct plm_sights *sights)
{
	size_t count = sights->bucket_count == 0 ? 64 : sights->bucket_count * 2;

	free(sights->buckets);
	sights->buckets = calloc(count, sizeof(*sights->buckets));
	PLM_ASSERT(sights->buckets != NULL);
	sights->bucket_count = count;
	for (struct plm_sight *at = sights->first; at != NULL; at = at->next) {
		put(sights, at);
	}
}

struct plm_sight *plm_sights_find(const struct plm_sights *sights, const char *id)
{
	struct plm_sight *at =
		sights->bucket_count == 0 ? NULL : sights->buckets[bucket_of(sights, id)];

	while (at != NULL && strcmp(at->id, id) != 0) {
		at = at->hash_next;
	}
	return at;
}

struct plm_sight *plm_sights_get(struct plm_sights *sights, const char *id)
{
	struct plm_sight *sight = plm_sights_find(sights, id);

	if (sight != NULL) {
		return sight;
	}
	if (sights->count >= sights->bucket_count) {
		grow(sights);
	}
	sight = calloc(1, sizeof(*sight));
	PLM_ASSERT(sight != NULL && strlen(id) < sizeof(sight->id));
	memcpy(sight->id, id, strlen(id));
	sight->answered_ms = PLM_UNSET;
	sight->missing_ms = PLM_UNSET;
	sight->ended_ms = PLM_UNSET;
	sight->next = sights->first;
	if (sight->next != NULL) {
		sight->next->prev = sight;
	}
	sights->first = sight;
	sights->count++;
	put(sights, sight);
	return sight;
}

void plm_sights_drop(struct plm_sights *sights, struct plm_sight *sight)
{
	struct plm_sight **at = &sights->buckets[bucket_of(sights, sight->id)];

	while (*at != sight) {
		at = &(*at)->hash_next;
	}
	*at = sight->hash_next;
	*(sight->prev == NULL ? &sights->first : &sight->prev->next) = sight->next;
	if (sight->next != NULL) {
		sight->next->prev = sight->prev;
	}
	sights->count--;
	free(sight->texts);
	free(sight);
}

void plm_sights_fini(struct plm_sights *sights)
{
	struct plm_sight *next = NULL;

	for (struct plm_sight *at = sights->first; at != NULL; at = next) {
		next = at->next;
		free(at->texts);
		free(at);
	}
	free(sights->buckets);
	*sights = (struct plm_sights){0};
}

/* ---- one row ------------------------------------------------------------------------------------- */

static struct plm_slice keep(uint8_t **at, struct plm_slice text)
{
	struct plm_slice kept = plm_slice_of(*at, text.size);

	if (text.size > 0) {
		memcpy(*at, text.ptr, text.size);
	}
	*at += text.size;
	return kept;
}

static void keep_fact(struct plm_sight *sight, const struct plm_w_instance *fact)
{
	size_t size = fact->provider_id.size + fact->state.size + fact->instance_type.size +
		      fact->zone.size + fact->capacity_type.size + fact->claim.size +
		      fact->pool.size + fact->reservation.size;
	uint8_t *texts = malloc(size + 1);
	uint8_t *at = texts;

	PLM_ASSERT(texts != NULL);
	sight->fact = *fact;
	sight->fact.provider_id = keep(&at, fact->provider_id);
	sight->fact.state = keep(&at, fact->state);
	sight->fact.instance_type = keep(&at, fact->instance_type);
	sight->fact.zone = keep(&at, fact->zone);
	sight->fact.capacity_type = keep(&at, fact->capacity_type);
	sight->fact.claim = keep(&at, fact->claim);
	sight->fact.pool = keep(&at, fact->pool);
	sight->fact.reservation = keep(&at, fact->reservation);
	free(sight->texts);
	sight->texts = texts;
}

static bool is_same(const struct plm_w_instance *a, const struct plm_w_instance *b)
{
	return plm_slice_equal(a->provider_id, b->provider_id) &&
	       plm_slice_equal(a->state, b->state) &&
	       plm_slice_equal(a->instance_type, b->instance_type) &&
	       plm_slice_equal(a->zone, b->zone) &&
	       plm_slice_equal(a->capacity_type, b->capacity_type) &&
	       plm_slice_equal(a->claim, b->claim) && plm_slice_equal(a->pool, b->pool) &&
	       plm_slice_equal(a->reservation, b->reservation) && a->intent == b->intent &&
	       a->launched_ms == b->launched_ms && a->ours == b->ours;
}

/* How far it is on its way out; before that it may be stopped and started as often as one likes. */
static int ended(struct plm_slice state)
{
	return plm_slice_is(state, "terminated") ? 2 : plm_slice_is(state, "shutting-down") ? 1 : 0;
}

static void follow(struct plm_sight *sight, int64_t now_ms)
{
	if (ended(sight->fact.state) == 2) {
		sight->watch = PLM_SIGHT_CALM;
		sight->ended_ms = sight->ended_ms == PLM_UNSET ? now_ms : sight->ended_ms;
	} else if (ended(sight->fact.state) == 1) {
		plm_sight_watch(sight, PLM_SIGHT_ENDING, now_ms);
	} else if (plm_slice_is(sight->fact.state, "pending")) {
		plm_sight_watch(sight, PLM_SIGHT_FRESH, now_ms);
	} else if (sight->watch != PLM_SIGHT_ENDING) {
		sight->watch = PLM_SIGHT_CALM;
	}
}

bool plm_sight_see(struct plm_sight *sight, const struct plm_w_instance *fact, int64_t now_ms)
{
	sight->missing_ms = PLM_UNSET;
	if (sight->absent) {
		sight->absent = false;
		sight->told = false;
		sight->ended_ms = PLM_UNSET;
	} else if (ended(fact->state) < ended(sight->fact.state)) {
		return false;
	}
	if (sight->told && is_same(&sight->fact, fact)) {
		if (sight->watch == PLM_SIGHT_MISSING) {
			follow(sight, now_ms);
		}
		return false;
	}
	keep_fact(sight, fact);
	sight->told = true;
	follow(sight, now_ms);
	return true;
}

void plm_sight_watch(struct plm_sight *sight, enum plm_sight_watch watch, int64_t now_ms)
{
	if (sight->watch == watch || sight->ended_ms != PLM_UNSET) {
		return;
	}
	sight->watch = watch;
	sight->wait_ms = PLM_LIMIT_EC2_LOOK_FIRST_MS;
	sight->due_ms = now_ms + sight->wait_ms;
}

void plm_sight_looked(struct plm_sight *sight, int64_t now_ms)
{
	sight->wait_ms = plm_min(2 * sight->wait_ms, PLM_LIMIT_EC2_LOOK_MS);
	sight->due_ms = now_ms + sight->wait_ms;
}

bool plm_sight_miss(struct plm_sight *sight, int64_t now_ms)
{
	struct plm_w_instance gone = sight->fact;

	if (sight->ended_ms != PLM_UNSET) {
		return false;
	}
	if (sight->missing_ms == PLM_UNSET) {
		sight->missing_ms = now_ms;
	}
	if (sight->watch == PLM_SIGHT_CALM) {
		plm_sight_watch(sight, PLM_SIGHT_MISSING, now_ms);
	}
	if (now_ms - sight->missing_ms < PLM_LIMIT_EC2_GONE_MS) {
		return false;
	}
	if (sight->fact.state.size == 0) {
		return true;
	}
	gone.state = plm_slice_str("terminated");
	keep_fact(sight, &gone);
	sight->told = true;
	sight->absent = true;
	follow(sight, now_ms);
	return true;
}
