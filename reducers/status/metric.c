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

/* 1, 2.5, 5, 10, ... s (x 2): kueue.md 3.1. */
static const int64_t waits[] = {1000,	2500,	5000,	10000,	 20000,	  40000,   80000,
				160000, 320000, 640000, 1280000, 2560000, 5120000, 10240000};
/* Those of controller-runtime and what Karpenter adds behind a minute. */
static const int64_t durations[] = {
	5,     10,    25,    50,    100,    150,    200,    250,    300,   350,	  400,	 450,
	500,   600,   700,   800,   900,    1000,   1250,   1500,   1750,  2000,  2500,	 3000,
	3500,  4000,  4500,  5000,  6000,   7000,   8000,   9000,   10000, 15000, 20000, 25000,
	30000, 40000, 50000, 60000, 120000, 150000, 300000, 450000, 600000};
/* Of a client library where nothing else is said. */
static const int64_t defaults[] = {5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000};
#define MINUTE 60000LL
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
static const int64_t lifetimes[] = {
	15 * MINUTE, 30 * MINUTE, 45 * MINUTE, HOUR,	  2 * HOUR,  4 * HOUR, 6 * HOUR,
	8 * HOUR,    10 * HOUR,	  12 * HOUR,   16 * HOUR, 20 * HOUR, DAY,      2 * DAY,
	3 * DAY,     5 * DAY,	  10 * DAY,    15 * DAY,  20 * DAY,  25 * DAY, 30 * DAY};
static const int64_t powers[] = {1000,	2000,	4000,	8000,	16000,	 32000,
				 64000, 128000, 256000, 512000, 1024000, 2048000};

const int64_t *plm_metric_bounds(enum plm_metric_type type, uint32_t *count)
{
	switch (type) {
	case PLM_METRIC_HISTOGRAM:
		*count = PLM_COUNTOF(waits);
		return waits;
	case PLM_METRIC_DURATIONS:
		*count = PLM_COUNTOF(durations);
		return durations;
	case PLM_METRIC_DEFAULTS:
		*count = PLM_COUNTOF(defaults);
		return defaults;
	case PLM_METRIC_LIFETIMES:
		*count = PLM_COUNTOF(lifetimes);
		return lifetimes;
	case PLM_METRIC_POWERS_11:
		*count = PLM_COUNTOF(powers) - 1;
		return powers;
	case PLM_METRIC_POWERS_12:
		*count = PLM_COUNTOF(powers);
		return powers;
	case PLM_METRIC_GAUGE:
	case PLM_METRIC_COUNTER:
	case PLM_METRIC_SUMMARY:
		break;
	}
	*count = 0;
	return NULL;
}
