/*
 * units.h - wrapped numbers and checked integer arithmetic
 *
 * Units in the tree, one per dimension: cpu in milli-units, every other resource in whole units
 * (bytes, pieces), both rounded up as Kubernetes' MilliValue and Value do; time in milliseconds;
 * money in micro-USD per hour. int64_t throughout, so that differences are safe; what comes from
 * outside is added and multiplied through the helpers here only.
 */
#ifndef PLM_CORE_UNITS_H
#define PLM_CORE_UNITS_H

#include "core/base.h"

/* "No value" of an optional integer, in events and in state. */
#define PLM_UNSET INT64_MIN
/* "No limit" of a quota (kueue.md 0): greater than every amount, absorbs addition. */
#define PLM_UNLIMITED INT64_MAX

/* An interned string or span; 0 is the empty one. Numbers follow first appearance in the log. */
typedef struct {
	uint32_t n;
} plm_sym;

/* A slot of a state table; 0 is none. */
typedef struct {
	uint32_t n;
} plm_id;

static inline bool plm_sym_equal(plm_sym a, plm_sym b)
{
	return a.n == b.n;
}

/* a + b, saturating at the ends of int64. */
static inline int64_t plm_add_sat(int64_t a, int64_t b)
{
	int64_t sum = 0;

	if (__builtin_add_overflow(a, b, &sum)) {
		return b > 0 ? INT64_MAX : INT64_MIN;
	}
	return sum;
}

/* a - b, saturating. */
static inline int64_t plm_sub_sat(int64_t a, int64_t b)
{
	int64_t difference = 0;

	if (__builtin_sub_overflow(a, b, &difference)) {
		return b < 0 ? INT64_MAX : INT64_MIN;
	}
	return difference;
}

/* a * b, saturating. */
static inline int64_t plm_mul_sat(int64_t a, int64_t b)
{
	int64_t product = 0;

	if (__builtin_mul_overflow(a, b, &product)) {
		return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
	}
	return product;
}

/* Quotient rounded towards minus infinity; 'b' > 0. */
static inline int64_t plm_div_floor(int64_t a, int64_t b)
{
	PLM_ASSERT(b > 0);
	return a / b - (a % b < 0 ? 1 : 0);
}

/* Quotient rounded towards plus infinity; 'b' > 0. */
static inline int64_t plm_div_ceil(int64_t a, int64_t b)
{
	PLM_ASSERT(b > 0);
	return a / b + (a % b > 0 ? 1 : 0);
}

static inline int64_t plm_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t plm_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

#endif
