/*
 * seen.h - which objects and which warnings there were
 *
 * Owns: two sets of fingerprints (XXH3-128; two different texts with one fingerprint do not happen in
 * 2^60 objects). 24 bytes an object.
 */
#ifndef PLM_ADAPTERS_MANIFEST_SEEN_H
#define PLM_ADAPTERS_MANIFEST_SEEN_H

#include "core/error.h"
#include "core/slice.h"

struct plm_seen_place {
	uint64_t low, high; /* fingerprint; both 0: an empty slot */
	uint32_t file;
	int line;
};

struct plm_seen {
	struct plm_seen_place *slots; /* owned */
	size_t count;
	size_t capacity; /* 0 or a power of two */
};

void plm_seen_fini(struct plm_seen *seen); /* idempotent */

/*
 * Note 'text' at 'file' and 'line'. '*out_before' is where it was before, or NULL when it is new; it is
 * valid until the next call. PLM_E_LIMIT: out of memory.
 */
enum plm_code plm_seen_note(struct plm_seen *seen, struct plm_slice text,
			    const struct plm_seen_place *place,
			    const struct plm_seen_place **out_before,
			    struct plm_error *err) PLM_MUST_CHECK;

#endif
