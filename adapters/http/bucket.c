#include "adapters/http/bucket.h"

#define TOKEN 1000000LL
/* Longer than any bucket takes to fill; also keeps the product in 64 bits. */
#define REST_MS (1LL << 31)
#define RATE_MAX (1LL << 31)
#define BURST_MAX (1LL << 31)

void plm_bucket_init(struct plm_bucket *bucket, int64_t rate_milli, int64_t burst, int64_t now_ms)
{
	PLM_ASSERT(rate_milli >= 0 && rate_milli <= RATE_MAX);
	PLM_ASSERT(rate_milli == 0 || (burst > 0 && burst <= BURST_MAX));
	*bucket = (struct plm_bucket){
		.rate_milli = rate_milli,
		.burst = burst,
		.parts = burst * TOKEN,
		.filled_ms = now_ms,
	};
}

static void fill(struct plm_bucket *bucket, int64_t now_ms)
{
	int64_t rest_ms = now_ms - bucket->filled_ms;
	int64_t room = bucket->burst * TOKEN - bucket->parts;

	if (rest_ms <= 0) {
		return;
	}
	rest_ms = rest_ms < REST_MS ? rest_ms : REST_MS;
	bucket->filled_ms = now_ms;
	bucket->parts += rest_ms * bucket->rate_milli < room ? rest_ms * bucket->rate_milli : room;
}

int64_t plm_bucket_take(struct plm_bucket *bucket, int64_t now_ms)
{
	int64_t lacking;

	if (bucket->rate_milli == 0) {
		return 0;
	}
	fill(bucket, now_ms);
	if (bucket->parts >= TOKEN) {
		bucket->parts -= TOKEN;
		return 0;
	}
	lacking = TOKEN - bucket->parts;
	return (lacking + bucket->rate_milli - 1) / bucket->rate_milli;
}
