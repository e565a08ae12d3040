/*
 * quantity.h - Kubernetes quantities as integers, exact
 *
 * Owns: the grammar of resource.Quantity (signs, decimals, n u m k M G T P E, Ki ... Ei, e and E
 * exponents) and its canonical spelling. No floats, no locale. Rounding goes away from zero, as
 * MilliValue and Value do, so memory "500m" is 1 byte; what does not fit int64 saturates (for a quota
 * INT64_MAX is PLM_UNLIMITED, as kueue.md 0 wants it).
 */
#ifndef PLM_CORE_QUANTITY_H
#define PLM_CORE_QUANTITY_H

#include "core/error.h"
#include "core/slice.h"

/* The unit that one of the integers stands for. */
enum plm_scale {
	PLM_SCALE_WHOLE,
	PLM_SCALE_MILLI,
	PLM_SCALE_NANO, /* fair-sharing weights */
};

/* Enough for every plm_quantity_format(), with the terminating zero. */
#define PLM_QUANTITY_SIZE 32

/* MILLI for cpu (also "requests.cpu", "limits.cpu"), WHOLE for every other resource. */
enum plm_scale plm_resource_scale(struct plm_slice resource);

/*
 * '*out' = 'text' in units of 'scale', rounded away from zero, saturated.
 * PLM_E_INPUT: not a quantity, or longer than PLM_LIMIT_QUANTITY_CHARS; '*out' is untouched.
 */
enum plm_code plm_quantity_parse(struct plm_slice text, enum plm_scale scale, int64_t *out,
				 struct plm_error *err) PLM_MUST_CHECK;

/*
 * '*out_nano' = 'text' in units of 10^-9, for exact sums; what is finer is rounded away from zero, and the
 * whole part saturates at INT64_MAX. Fails as plm_quantity_parse().
 */
enum plm_code plm_quantity_parse_exact(struct plm_slice text, plm_i128 *out_nano,
				       struct plm_error *err) PLM_MUST_CHECK;
/* A sum of such numbers in units of 'scale', rounded away from zero, saturated. */
int64_t plm_quantity_round(plm_i128 nano, enum plm_scale scale);

/*
 * The canonical spelling of 'amount' of 'resource' (in the unit of plm_resource_scale()): cpu 500 is
 * "500m", memory 4294967296 is "4Gi", pods 110 is "110". Binary suffixes for memory, storage and
 * hugepages, decimal ones otherwise. PLM_UNLIMITED is written as its number. Returns 'text'.
 */
const char *plm_quantity_format(struct plm_slice resource, int64_t amount,
				char text[PLM_QUANTITY_SIZE]);

/*
 * '*out' = a decimal integer: an optional sign, then digits only. False, and '*out' untouched, for anything
 * else and for what does not fit. Gt, Lt and their kin compare such numbers only.
 */
bool plm_integer_parse(struct plm_slice text, int64_t *out);

#endif
