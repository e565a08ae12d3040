#include "adapters/ec2/pace.h"

#include "core/units.h"

#define STEPS 8	   /* back to full speed, one each second */
#define SLOWEST 16 /* the part of the full rate that is always left */
#define SECOND_MS 1000

void plm_aws_pace_init(struct plm_aws_pace *pace, int64_t rate_milli, int64_t burst, int64_t now_ms)
{
	PLM_ASSERT(rate_milli >= SLOWEST);
	*pace = (struct plm_aws_pace){.full_milli = rate_milli,
				      .changed_ms = now_ms,
				      .slowed_ms = now_ms,
				      .not_before_ms = now_ms};
	plm_bucket_init(&pace->bucket, rate_milli, burst, now_ms);
}

static void recover(struct plm_aws_pace *pace, int64_t now_ms)
{
	int64_t seconds = (now_ms - pace->changed_ms) / SECOND_MS;

	if (pace->bucket.rate_milli == pace->full_milli || seconds <= 0) {
		return;
	}
	seconds = plm_min(seconds, STEPS);
	pace->bucket.rate_milli = plm_min(
		pace->full_milli, pace->bucket.rate_milli + seconds * (pace->full_milli / STEPS));
	pace->changed_ms = now_ms;
}

int64_t plm_aws_pace_take(struct plm_aws_pace *pace, int64_t now_ms)
{
	if (now_ms < pace->not_before_ms) {
		return pace->not_before_ms - now_ms;
	}
	recover(pace, now_ms);
	return plm_bucket_take(&pace->bucket, now_ms);
}

void plm_aws_pace_throttled(struct plm_aws_pace *pace, int64_t left_ms, int64_t now_ms,
			    int64_t retry_after_ms)
{
	if (retry_after_ms != PLM_UNSET) {
		pace->not_before_ms = plm_max(pace->not_before_ms, now_ms + retry_after_ms);
	}
	if (left_ms < pace->slowed_ms) {
		return; /* it left before we slowed down: known already */
	}
	pace->bucket.rate_milli = plm_max(pace->full_milli / SLOWEST, pace->bucket.rate_milli / 2);
	pace->bucket.parts = 0;
	pace->bucket.filled_ms = now_ms;
	pace->changed_ms = pace->slowed_ms = now_ms;
	pace->slowed++;
}
