/*
 * wide.h - unsigned integers of 256 bits, for products that are only compared
 *
 * Owns: exact products of up to four 64-bit factors, and their sums. Ratios are compared by cross
 * multiplication, so nothing is ever divided or rounded. What does not fit is a bug: the callers say
 * why theirs do.
 */
#ifndef PLM_CORE_WIDE_H
#define PLM_CORE_WIDE_H

#include "core/base.h"

__extension__ typedef unsigned __int128 plm_u128;

#define PLM_WIDE_LIMBS 4

struct plm_wide {
	uint64_t limb[PLM_WIDE_LIMBS]; /* the lowest first */
};

static inline struct plm_wide plm_wide_of(plm_u128 value)
{
	return (struct plm_wide){{(uint64_t)value, (uint64_t)(value >> 64), 0, 0}};
}

static inline struct plm_wide plm_wide_mul(struct plm_wide a, uint64_t b)
{
	uint64_t carry = 0;

	for (int i = 0; i < PLM_WIDE_LIMBS; i++) {
		plm_u128 product = (plm_u128)a.limb[i] * b + carry;

		a.limb[i] = (uint64_t)product;
		carry = (uint64_t)(product >> 64);
	}
	PLM_ASSERT(carry == 0);
	return a;
}

static inline struct plm_wide plm_wide_add(struct plm_wide a, struct plm_wide b)
{
	uint64_t carry = 0;

	for (int i = 0; i < PLM_WIDE_LIMBS; i++) {
		plm_u128 sum = (plm_u128)a.limb[i] + b.limb[i] + carry;

		a.limb[i] = (uint64_t)sum;
		carry = (uint64_t)(sum >> 64);
	}
	PLM_ASSERT(carry == 0);
	return a;
}

/* <0, 0, >0 */
static inline int plm_wide_compare(struct plm_wide a, struct plm_wide b)
{
	for (int i = PLM_WIDE_LIMBS - 1; i >= 0; i--) {
		if (a.limb[i] != b.limb[i]) {
			return a.limb[i] < b.limb[i] ? -1 : 1;
		}
	}
	return 0;
}

#endif
