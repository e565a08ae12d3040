/*
 * jitter.h - numbers that keep those who failed together from coming back together
 *
 * They follow from the seed alone (splitmix64), so that tests are exact. For waits of adapters only: a
 * reducer has no chance in it.
 */
#ifndef PLM_ADAPTERS_HTTP_JITTER_H
#define PLM_ADAPTERS_HTTP_JITTER_H

#include "core/base.h"

/* From 'least' to 'most', evenly; the bias of % on 64 bits is nothing here. '*random' begins as the seed. */
static inline int64_t plm_jitter(uint64_t *random, int64_t least, int64_t most)
{
	uint64_t mixed;

	PLM_ASSERT(least <= most && most - least < INT64_MAX);
	*random += 0x9e3779b97f4a7c15U;
	mixed = *random;
	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
	mixed ^= mixed >> 31;
	return least + (int64_t)(mixed % (uint64_t)(most - least + 1));
}

#endif
