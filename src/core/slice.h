/*
 * slice.h - borrowed bytes and borrowed arrays
 *
 * Neither owns anything: the lender says how long they live. Comparison is by bytes, so that no order
 * ever depends on an address or a locale.
 */
#ifndef PLM_CORE_SLICE_H
#define PLM_CORE_SLICE_H

#include "core/base.h"

struct plm_slice {
	const uint8_t *ptr; /* borrowed; may be NULL when size is 0 */
	size_t size;	    /* bytes */
};

/* An array of 'count' structs; the element type is said where the member is declared. */
struct plm_vec {
	const void *ptr; /* borrowed or arena */
	size_t count;
};

static inline struct plm_slice plm_slice_of(const void *bytes, size_t size)
{
	return (struct plm_slice){.ptr = bytes, .size = size};
}

static inline struct plm_slice plm_slice_str(const char *text)
{
	return plm_slice_of(text, text == NULL ? 0 : strlen(text));
}

/* Bytes first, then length: <0, 0, >0. */
static inline int plm_slice_compare(struct plm_slice a, struct plm_slice b)
{
	size_t common = a.size < b.size ? a.size : b.size;
	int order = common == 0 ? 0 : memcmp(a.ptr, b.ptr, common);

	if (order != 0) {
		return order;
	}
	return a.size < b.size ? -1 : (a.size > b.size ? 1 : 0);
}

static inline bool plm_slice_equal(struct plm_slice a, struct plm_slice b)
{
	if (a.size != b.size || a.size == 0) {
		return a.size == b.size;
	}
	PLM_ASSERT(a.ptr != NULL && b.ptr != NULL);
	return memcmp(a.ptr, b.ptr, a.size) == 0;
}

static inline bool plm_slice_is(struct plm_slice a, const char *text)
{
	return plm_slice_equal(a, plm_slice_str(text));
}

#endif
