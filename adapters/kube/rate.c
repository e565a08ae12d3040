#include "adapters/kube/rate.h"

#include "core/units.h"

#define ONE 1000

void plm_kube_rate_init(struct plm_kube_rate *bucket, uint32_t rate, uint32_t burst)
{
	*bucket = (struct plm_kube_rate){
		.rate = rate,
		.burst = burst == 0 ? 1 : burst,
		.at_ms = PLM_UNSET,
	};
	bucket->milli = (int64_t)bucket->burst * ONE;
}

int64_t plm_kube_rate_take(struct plm_kube_rate *bucket, int64_t now_ms)
{
	int64_t most = (int64_t)bucket->burst * ONE;
	int64_t passed_ms = 0;

	if (bucket->rate == 0) {
		return 0;
	}
	if (bucket->at_ms != PLM_UNSET) {
		/* A full bucket gains nothing: bounded, so that the product is too. */
		passed_ms = plm_min(now_ms - bucket->at_ms, most);
	}
	bucket->at_ms = now_ms;
	bucket->milli = plm_min(most, bucket->milli + passed_ms * bucket->rate);
	if (bucket->milli >= ONE) {
		bucket->milli -= ONE;
		return 0;
	}
	return (ONE - bucket->milli + bucket->rate - 1) / bucket->rate;
}
