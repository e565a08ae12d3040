/*
 * state_hash.h - the hash of a state image
 *
 * XXH3-128 over, for every table and then the heap: its number, its used bytes, and the XXH3-128 of
 * each of its 64 KiB chunks. Chunks are hashed again only when they were written since
 * (incremental); plm_state_hash_slow() hashes everything and is its twin. Source: eventsourcing.md
 * D20.
 */
#ifndef PLM_HASH_STATE_HASH_H
#define PLM_HASH_STATE_HASH_H

#include "core/state.h"
#include "hash/hash.h"

/* Marks chunks clean: the only thing it changes. */
struct plm_hash128 plm_state_hash(struct plm_state *st);
struct plm_hash128 plm_state_hash_slow(const struct plm_state *st);

#endif
