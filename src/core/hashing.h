/*
 * hashing.h - the hash of in-memory indexes
 *
 * Only for tables whose order is never seen; it may change with every build. What is stored or shown
 * is hashed by hash/hash.h.
 */
#ifndef PLM_CORE_HASHING_H
#define PLM_CORE_HASHING_H

#include "core/slice.h"

/* Any number; builds with another one decide the same (./dev soak), since the order is never seen. */
#ifndef PLM_HASH_KEY
#define PLM_HASH_KEY 0x9e3779b97f4a7c15ULL
#endif

static inline uint64_t plm_hash_mix(uint64_t hash)
{
	hash ^= PLM_HASH_KEY;
	hash ^= hash >> 32;
	hash *= 0xd6e8feb86659fd93ULL;
	hash ^= hash >> 32;
	return hash;
}

static inline uint64_t plm_hash_bytes(struct plm_slice bytes)
{
	uint64_t hash = PLM_HASH_KEY ^ bytes.size;
	size_t i = 0;

	for (; i + 8 <= bytes.size; i += 8) {
		uint64_t word = 0;

		memcpy(&word, bytes.ptr + i, 8);
		hash = (hash ^ word) * 0x9fb21c651e98df25ULL;
		hash ^= hash >> 29;
	}
	for (; i < bytes.size; i++) {
		hash = (hash ^ bytes.ptr[i]) * 0x100000001b3ULL;
	}
	return plm_hash_mix(hash);
}

#endif
