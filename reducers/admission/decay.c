#include "reducers/admission/decay.h"

/* 2^64 * ln 2 */
#define LN2 0xb17217f7d1cf79acULL

/* 2^64 * 2^-(2^-(i + 1)), rounded to the nearest. */
static const uint64_t roots[32] = {
	0xb504f333f9de6484ULL, 0xd744fccad69d6af4ULL, 0xeac0c6e7dd24392fULL, 0xf5257d152486cc2cULL,
	0xfa83b2db722a033aULL, 0xfd3e0c0cf486c175ULL, 0xfe9e115c7b8f884cULL, 0xff4ecb59511ec8a5ULL,
	0xffa756521c8daed2ULL, 0xffd3a751c0f7e10cULL, 0xffe9d2b2f7db2756ULL, 0xfff4e91bff1b8c3eULL,
	0xfffa747ea0040664ULL, 0xfffd3a3b7814eb54ULL, 0xfffe9d1cc60ddab1ULL, 0xffff4e8e25879bfaULL,
	0xffffa7470363f451ULL, 0xffffd3a37dda0313ULL, 0xffffe9d1bdf703afULL, 0xfffff4e8debe025eULL,
	0xfffffa746f4fa150ULL, 0xfffffd3a37a3f8b0ULL, 0xfffffe9d1bd1065aULL, 0xffffff4e8de845aeULL,
	0xffffffa746f41377ULL, 0xffffffd3a37a05e4ULL, 0xffffffe9d1bd01fcULL, 0xfffffff4e8de80c0ULL,
	0xfffffffa746f4051ULL, 0xfffffffd3a37a025ULL, 0xfffffffe9d1bd011ULL, 0xffffffff4e8de808ULL,
};

uint64_t plm_decay(int64_t passed_ms, int64_t half_life_ms)
{
	uint64_t passed = (uint64_t)passed_ms;
	uint64_t half = (uint64_t)half_life_ms;
	uint64_t whole = 0;
	uint64_t fraction = 0;
	uint64_t left = 0;

	PLM_ASSERT(passed_ms > 0 && half_life_ms > 0);
	whole = passed / half;
	if (whole >= 64) {
		return 0;
	}
	fraction = (uint64_t)(((plm_u128)(passed % half) << 64) / half);
	if (fraction == 0 && whole > 0) {
		return 1ULL << (64 - whole);
	}
	left = UINT64_MAX - (uint64_t)(((plm_u128)(fraction & UINT32_MAX) * LN2) >> 64);
	for (unsigned i = 0; i < 32; i++) {
		if ((fraction >> (63 - i) & 1) != 0) {
			left = (uint64_t)(((plm_u128)left * roots[i]) >> 64);
		}
	}
	return left >> whole;
}

plm_u128 plm_decay_towards(plm_u128 from, plm_u128 to, uint64_t left)
{
	plm_u128 way = from > to ? from - to : to - from;

	PLM_ASSERT(from >> 95 == 0 && to >> 95 == 0);
	way = (way >> 64) * left + (((plm_u128)(uint64_t)way * left) >> 64);
	return from > to ? to + way : to - way;
}
