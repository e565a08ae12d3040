#include "adapters/ec2/pace.h"

#include "core/units.h"

#define STEPS 8	   /* back to full speed, one each second */
#define SLOWEST 16 /* the part of the full rate that is always left */
#define SECOND_MS 1000

void plm_aws_pace_init(struct plm_aws_pace *pace, int64_t rate_milli, int64_t most_milli,
		       int64_t burst, int64_t now_ms)
{
	PLM_ASSERT(rate_milli >= SLOWEST && most_milli >= rate_milli);
	*pace = (struct plm_aws_pace){.full_milli = rate_milli,
				      .most_milli = most_milli,
				      .changed_ms = now_ms,
				      .slowed_ms = now_ms,
				      .not_before_ms = now_ms};
	plm_bucket_init(&pace->bucket, rate_milli, burst, now_ms);
}

static void recover(struct plm_aws_pace *pace, int64_t now_ms)
{
	int64_t seconds = plm_min((now_ms - pace->changed_ms) / SECOND_MS, STEPS);
	int64_t rate_milli = pace->bucket.rate_milli;

	if (seconds <= 0) {
		return;
	}
	if (rate_milli < pace->full_milli) {
		rate_milli = plm_min(pace->full_milli,
				     rate_milli + seconds * (pace->full_milli / STEPS));
	} else if (pace->wanted) {
		rate_milli = plm_min(pace->most_milli, rate_milli + pace->full_milli / STEPS);
	}
	pace->bucket.rate_milli = rate_milli;
	pace->changed_ms = now_ms;
	pace->wanted = false;
}

int64_t plm_aws_pace_take(struct plm_aws_pace *pace, int64_t now_ms)
{
	int64_t wait_ms = 0;

	if (now_ms < pace->not_before_ms) {
		return pace->not_before_ms - now_ms;
	}
	recover(pace, now_ms);
	wait_ms = plm_bucket_take(&pace->bucket, now_ms);
	pace->wanted = pace->wanted || wait_ms > 0;
	return wait_ms;
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
