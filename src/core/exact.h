/*
 * exact.h - amounts that are exact to 10^-9, and products of them
 *
 * Owns: the pair in which an exact amount is kept ('amount', rounded up to the unit of the resource, and
 * 'excess_nano', what the rounding added in 10^-9 of a whole), sums by resource, and decimals for the
 * products of resource transformations. Does not: read texts (quantity.h).
 *
 * A sum that is rounded once at the end is what Kubernetes' quantities give; rounding each summand is
 * not: four containers with 100.5m ask for 402m. Source: kueue.md 0, 2.1.
 */
#ifndef PLM_CORE_EXACT_H
#define PLM_CORE_EXACT_H

#include "core/arena.h"
#include "core/quantity.h"
#include "core/units.h"

/* The amount in 10^-9; 'amount' in units of 'scale'. */
plm_i128 plm_exact_nano(int64_t amount, int64_t excess_nano, enum plm_scale scale);
/* The other way: rounded up, saturated (then without excess). */
void plm_exact_split(plm_i128 nano, enum plm_scale scale, int64_t *out_amount,
		     int64_t *out_excess_nano);

/* ---- sums by resource -------------------------------------------------------------------------- */

/* As a member of what lives in an arena, which aligns to 8 only. */
typedef plm_i128 plm_i128_in_arena __attribute__((aligned(8)));

/* 'key' is whatever names the resource to the caller: a symbol's number, an index. */
struct plm_ask {
	uint32_t key;
	plm_i128_in_arena nano;
};

/* In the order in which resources first appeared. */
struct plm_asks {
	struct plm_ask *list; /* arena, 'capacity' of them */
	uint32_t count, capacity;
};

struct plm_asks plm_asks_make(struct plm_arena *arena, uint32_t capacity);
/* The one of 'key', or NULL. */
struct plm_ask *plm_asks_find(const struct plm_asks *asks, uint32_t key);
/* Added to what is there, the higher of both, in place of it, or only where nothing is. */
void plm_asks_add(struct plm_asks *to, uint32_t key, plm_i128 nano);
void plm_asks_raise(struct plm_asks *to, uint32_t key, plm_i128 nano);
void plm_asks_put(struct plm_asks *to, uint32_t key, plm_i128 nano);
void plm_asks_fill(struct plm_asks *to, uint32_t key, plm_i128 nano);

/*
 * Kubernetes' pod request rule (KEP-753): the containers together with the sidecars, or what the init
 * sequence needs at its highest with the sidecars started before, whichever is more; replaced by what
 * the pod asks for as a whole; plus overhead.
 */
struct plm_pod_sum {
	struct plm_asks total, sidecars, highest, one;
};

enum plm_pod_part {
	PLM_POD_PART_MAIN,
	PLM_POD_PART_INIT,
	PLM_POD_PART_SIDECAR
};

/* 'capacity': resources that the parts name, all counted. */
struct plm_pod_sum plm_pod_sum_begin(struct plm_arena *arena, uint32_t capacity);
/* In the order of the pod spec, as far as init containers and sidecars go. */
void plm_pod_sum_add(struct plm_pod_sum *sum, enum plm_pod_part part, const struct plm_asks *asks);
/* 'whole' and 'overhead' may be NULL. The result lives in 'sum'. */
const struct plm_asks *plm_pod_sum_end(struct plm_pod_sum *sum, const struct plm_asks *whole,
				       const struct plm_asks *overhead);

/* ---- decimals ---------------------------------------------------------------------------------- */

/*
 * digits * 10^-places. Products and sums are exact up to 38 digits; beyond that the last ones behind the
 * point are rounded up, and what is too big in front of it saturates.
 */
struct plm_decimal {
	plm_i128_in_arena digits;
	uint32_t places;
};

struct plm_decimal plm_decimal_of(plm_i128 nano);
struct plm_decimal plm_decimal_mul(struct plm_decimal a, struct plm_decimal b);
struct plm_decimal plm_decimal_add(struct plm_decimal a, struct plm_decimal b);
/* In units of 'scale', rounded up, saturated. */
int64_t plm_decimal_round(struct plm_decimal a, enum plm_scale scale);

#endif
