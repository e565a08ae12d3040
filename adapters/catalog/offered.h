/*
 * offered.h - a type with all its offerings, from facts, places and prices
 *
 * Owns: which offerings a type has, in which order, at which price, and what it therefore requires of zone, zone id,
 * capacity type and reservation. The built-in table and what EC2 was asked for go the same way, so that
 * the same data give the same type.
 * Does not: know where facts and prices came from (builtin.c, adapters/ec2).
 * Sources: karpenter.md 1.6, 2.12.
 */
#ifndef PLM_CATALOG_OFFERED_H
#define PLM_CATALOG_OFFERED_H

#include "adapters/catalog/ec2_type.h"

/* An instance of a reservation costs next to nothing more: its price on demand by this, rounded up. */
#define PLM_CATALOG_RESERVED_DIVISOR 10000000

struct plm_catalog_price {
	int64_t micro;	/* PLM_UNSET = unknown */
	bool estimated; /* not seen for this very type and place */
};

/* A zone where the type is offered. Texts live as long as what is made from them. */
struct plm_catalog_place {
	struct plm_slice zone, zone_id; /* id empty = not known */
	struct plm_catalog_price spot;
};

struct plm_catalog_reservation {
	struct plm_slice id, zone;
	struct plm_slice type; /* "default", "capacity-block" */
	int64_t left;
	bool interruptible;
	bool available;
};

struct plm_catalog_offered {
	const struct plm_ec2_facts *facts;
	struct plm_catalog_price demand;
	struct plm_vec places;	     /* struct plm_catalog_place, by zone */
	struct plm_vec reservations; /* struct plm_catalog_reservation, by id; in those zones */
};

/* Is there anything of it that could be launched? */
bool plm_catalog_launchable(const struct plm_catalog_offered *offered);
/* The whole type, in 'arena'; launchable. */
void plm_catalog_offer(const struct plm_catalog_offered *offered, struct plm_slice region,
		       struct plm_arena *arena, struct plm_w_instance_type *out);

/* What a spot price is taken for that was never seen: a share of the price on demand. */
struct plm_catalog_price plm_catalog_spot_guess(struct plm_catalog_price demand);

/* Of the built-in table: a type's facts, NULL = it is not there. */
const struct plm_ec2_facts *plm_catalog_known(struct plm_slice type);
/* A price of it in 'region', of another region's where it has none; unknown for a type that is not there. */
struct plm_catalog_price plm_catalog_known_demand(struct plm_slice region, struct plm_slice type);
struct plm_catalog_price plm_catalog_known_spot(struct plm_slice region, struct plm_slice type);

#endif
