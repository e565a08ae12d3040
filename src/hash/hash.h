/*
 * hash.h - the two hashes of the project
 *
 * SHA-256 (OpenSSL EVP, digest fetched once) for what an auditor sees: leaves, batch roots, the
 * chain, object hashes, idempotency keys. XXH3 (xxHash) for accidental damage and fingerprints
 * only.
 *
 * Owns: the two algorithms and the shape of the tree (RFC 9162). Does not: say what is hashed.
 * Any thread may call anything here. Nothing here fails: running out of memory is a bug (base.h).
 */
#ifndef PLM_HASH_HASH_H
#define PLM_HASH_HASH_H

#include "core/slice.h"

#define PLM_SHA256_SIZE 32

struct plm_sha256 {
	uint8_t bytes[PLM_SHA256_SIZE];
};

struct plm_hash128 {
	uint64_t low;
	uint64_t high;
};

/* SHA-256 over the concatenation of 'count' parts. */
struct plm_sha256 plm_sha256_parts(const struct plm_slice *parts, size_t count);
struct plm_sha256 plm_sha256(struct plm_slice bytes);

/* SHA-1 only where upstream's names are made of it (exact.md 8); never for integrity. */
#define PLM_SHA1_SIZE 20
struct plm_sha1 {
	uint8_t bytes[PLM_SHA1_SIZE];
};
struct plm_sha1 plm_sha1(struct plm_slice bytes);

uint64_t plm_xxh64(struct plm_slice bytes);	       /* XXH3-64, seed 0 */
struct plm_hash128 plm_xxh128(struct plm_slice bytes); /* XXH3-128, seed 0 */
/* XXH3-64 over the concatenation of 'count' parts. */
uint64_t plm_xxh64_parts(const struct plm_slice *parts, size_t count);

/* XXH3-64 of bytes that come piece by piece. */
struct plm_xxh_stream;
struct plm_xxh_stream *plm_xxh_stream_new(void); /* owned by the caller; never NULL */
void plm_xxh_stream_add(struct plm_xxh_stream *stream, struct plm_slice bytes);
uint64_t plm_xxh_stream_value(const struct plm_xxh_stream *stream); /* of all bytes so far */
void plm_xxh_stream_free(struct plm_xxh_stream *stream);	    /* NULL-safe */

/* leaf = SHA-256(0x00 || envelope), node = SHA-256(0x01 || l || r): RFC 9162, section 2.1.1. */
struct plm_sha256 plm_merkle_leaf(struct plm_slice envelope);
/* Root over 'count' >= 1 leaves; 'leaves' is overwritten. */
struct plm_sha256 plm_merkle_root(struct plm_sha256 *leaves, size_t count);

/* Lower-case hex with a terminating zero; 'text' holds 2 * size + 1 bytes. */
void plm_hex(struct plm_slice bytes, char *text);

#endif
