#include "hash/state_hash.h"

#include "core/limits.h"

#include <xxhash.h>

#define CHUNK ((uint64_t)PLM_LIMIT_CHUNK_BYTES)

static struct plm_chunk hash_chunk(const struct plm_region *region, uint64_t index)
{
	uint64_t from = index * CHUNK;
	uint64_t size = region->bytes - from < CHUNK ? region->bytes - from : CHUNK;
	struct plm_hash128 hash = plm_xxh128(plm_slice_of(region->base + from, size));

	return (struct plm_chunk){hash.low, hash.high};
}

/* The region's share of the root; 'cached' may use and fill the chunk cache. */
static void add_region(XXH3_state_t *root, const struct plm_region *region, uint64_t number,
		       bool cached)
{
	uint64_t head[2] = {number, region->bytes};

	(void)XXH3_128bits_update(root, head, sizeof(head));
	for (uint64_t i = 0; i * CHUNK < region->bytes; i++) {
		struct plm_chunk chunk;

		if (cached) {
			if (region->dirty[i] != 0) {
				region->chunks[i] = hash_chunk(region, i);
				region->dirty[i] = 0;
			}
			chunk = region->chunks[i];
		} else {
			chunk = hash_chunk(region, i);
		}
		(void)XXH3_128bits_update(root, &chunk, sizeof(chunk));
	}
}

static struct plm_hash128 hash_state(const struct plm_state *st, bool cached)
{
	XXH3_state_t *root = XXH3_createState();
	XXH128_hash_t hash;

	PLM_ASSERT(root != NULL);
	(void)XXH3_128bits_reset(root);
	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		add_region(root, &st->tables[t], t, cached);
	}
	add_region(root, &st->heap, PLM_TABLE_COUNT, cached);
	hash = XXH3_128bits_digest(root);
	(void)XXH3_freeState(root);
	return (struct plm_hash128){hash.low64, hash.high64};
}

struct plm_hash128 plm_state_hash(struct plm_state *st)
{
	return hash_state(st, true);
}

struct plm_hash128 plm_state_hash_slow(const struct plm_state *st)
{
	return hash_state(st, false);
}
