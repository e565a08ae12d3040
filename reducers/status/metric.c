#include "reducers/status/metric.h"

static const struct plm_metric_family families[PLM_METRIC_COUNT] = {
#define PLM_METRIC_ROW(id, name, type, help, ...)                                                  \
	[PLM_METRIC_##id] = {name, help, PLM_METRIC_##type, {__VA_ARGS__, NULL}},
	PLM_METRICS(PLM_METRIC_ROW)
#undef PLM_METRIC_ROW
};

const struct plm_metric_family *plm_metric_family(enum plm_metric_id id)
{
	PLM_ASSERT((uint32_t)id < PLM_METRIC_COUNT);
	return &families[id];
}

int64_t plm_metric_bucket_ms(uint32_t bucket)
{
	PLM_ASSERT(bucket < PLM_METRIC_BUCKETS);
	return bucket == 0 ? 1000 : 2500LL << (bucket - 1);
}
