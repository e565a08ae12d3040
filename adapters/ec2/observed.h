/*
 * observed.h - the catalogue of a region from what EC2 said of it, over the built-in table
 *
 * Owns: which says what: what a closed sheet says counts; of what was not asked or not answered the fallback (the
 * catalogue that the engine started with) stands, as do single prices that are missing, marked as estimated.
 * Types that changed since they were told last, by a hash of each.
 * Does not: ask EC2 (catalog.c).
 * Sources: karpenter.md 2.12, 4.1.
 */
#ifndef PLM_ADAPTERS_EC2_OBSERVED_H
#define PLM_ADAPTERS_EC2_OBSERVED_H

#include "adapters/ec2/seen.h"
#include "core/event.h"
#include "hash/hash.h"

struct plm_ec2_observed {
	/* What is known; NULL = not yet. Borrowed. */
	const struct plm_ec2_sheet *sheets[PLM_EC2_SEEN_COUNT];
	const struct plm_w_catalog *fallback; /* NULL = none; types by name */
	struct plm_slice region;
	int64_t now_ms;
	bool strict; /* a spot price that EC2 does not name is unknown, as upstream */
};

/* In 'arena' (PLM_CATALOG_ARENA_BYTES). Types by name; none where nothing is known at all. */
void plm_ec2_observed_catalog(const struct plm_ec2_observed *observed, struct plm_arena *arena,
			      struct plm_w_catalog *out);

/* What was told last. */
struct plm_ec2_said_type {
	struct plm_hash128 name, all;
	bool reserved; /* it has an offering of a reservation */
};

struct plm_ec2_said {
	struct plm_ec2_said_type *types; /* owned */
	uint32_t count, room;
};
void plm_ec2_said_fini(struct plm_ec2_said *said);

/*
 * Of 'catalog' what differs from 'said', which is then 'catalog': false = nothing does. 'out' is all of it when a type
 * came or went or most differ, else a part: what differs, and with it every type that has or had a
 * reservation, since how many are left is counted from the newest CATALOG on ('again': tell those in any case).
 */
bool plm_ec2_said_next(struct plm_ec2_said *said, const struct plm_w_catalog *catalog, bool again,
		       struct plm_arena *arena, struct plm_w_catalog *out);

#endif
