/*
 * decay.h - half-lives in integers
 *
 * Owns: what is left of a quantity after a time, 2^-(time / half-life), as a fraction of 2^64.
 *
 * Error: at most 50 units of 2^-64, so less than 2^-58, of a value between 0 and 1. The exponent is cut to
 * 64 bits (0.7 units); its upper 32 bits choose among 32 constants that are rounded to half a unit
 * and multiplied with a floor (1.5 units each, and no factor is above 1, so errors only shrink); the
 * lower 32 bits are linear (0.3 units, and one for the floor); the whole part is a shift (one unit).
 * tests/unit/admission/test_decay.c holds it against long double. Source: kueue.md 2.13.
 */
#ifndef PLM_REDUCERS_ADMISSION_DECAY_H
#define PLM_REDUCERS_ADMISSION_DECAY_H

#include "core/wide.h"

/* 2^64 * 2^-(passed / half_life); both above 0. */
uint64_t plm_decay(int64_t passed_ms, int64_t half_life_ms);

/*
 * 'from' on its way to 'to' when 'left' of the distance is left: to + (from - to) * left / 2^64, floored
 * towards 'to'. Both are not negative and below 2^95.
 */
plm_u128 plm_decay_towards(plm_u128 from, plm_u128 to, uint64_t left);

#endif
