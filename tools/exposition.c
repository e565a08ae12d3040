#include "tools/exposition.h"

#include <inttypes.h>

#include "core/hashing.h"
#include "core/sort.h"

#define FIRST_CELLS 256U

static uint64_t hash_of(const struct plm_metric *metric)
{
	uint64_t hash = (uint64_t)metric->id;

	for (size_t i = 0; i < PLM_METRIC_LABELS_MAX; i++) {
		hash = plm_hash_mix(hash ^ plm_hash_bytes(metric->labels[i]));
	}
	return metric->more.size == 0 ? hash : plm_hash_mix(hash ^ plm_hash_bytes(metric->more));
}

static bool same(const struct plm_series *series, const struct plm_metric *metric)
{
	if (series->id != metric->id) {
		return false;
	}
	for (size_t i = 0; i < PLM_METRIC_LABELS_MAX; i++) {
		if (!plm_slice_equal(series->labels[i], metric->labels[i])) {
			return false;
		}
	}
	return plm_slice_equal(series->more, metric->more);
}

/* The cell that holds the series, or the empty one where it belongs. */
static uint32_t *cell_of(const struct plm_exposition *e, const struct plm_metric *metric)
{
	size_t at = hash_of(metric) & (e->cell_count - 1);

	while (e->cells[at] != 0 && !same(&e->series[e->cells[at] - 1], metric)) {
		at = (at + 1) & (e->cell_count - 1);
	}
	return &e->cells[at];
}

static void grow(struct plm_exposition *e)
{
	size_t capacity = e->capacity == 0 ? FIRST_CELLS / 2 : e->capacity * 2;
	struct plm_series *series = PLM_NEW_ARRAY(e->arena, capacity, struct plm_series);

	if (e->count > 0) {
		memcpy(series, e->series, e->count * sizeof(*series));
	}
	e->series = series;
	e->capacity = capacity;
	e->cell_count = capacity * 2;
	e->cells = PLM_NEW_ARRAY(e->arena, e->cell_count, uint32_t);
	for (size_t i = 0; i < e->count; i++) {
		struct plm_metric metric = {.id = e->series[i].id, .more = e->series[i].more};

		memcpy(metric.labels, e->series[i].labels, sizeof(metric.labels));
		*cell_of(e, &metric) = (uint32_t)i + 1;
	}
}

static void add_room(struct plm_exposition *e, struct plm_series *series)
{
	enum plm_metric_type type = plm_metric_family(series->id)->type;
	uint32_t count = 0;

	(void)plm_metric_bounds(type, &count);
	if (count > 0) {
		series->buckets = PLM_NEW_ARRAY(e->arena, count, uint64_t);
	}
	if (type == PLM_METRIC_SUMMARY) {
		series->samples = PLM_NEW_ARRAY(e->arena, PLM_SUMMARY_SAMPLES, struct plm_sample);
	}
}

static struct plm_series *series_of(struct plm_exposition *e, const struct plm_metric *metric)
{
	uint32_t *cell = NULL;
	struct plm_series *series = NULL;

	if (e->count == e->capacity) {
		grow(e);
	}
	cell = cell_of(e, metric);
	if (*cell != 0) {
		return &e->series[*cell - 1];
	}
	series = &e->series[e->count++];
	*series = (struct plm_series){
		.id = metric->id, .decimals = metric->decimals, .more = metric->more};
	add_room(e, series);
	for (size_t i = 0; i < PLM_METRIC_LABELS_MAX; i++) {
		series->labels[i] = plm_arena_copy(e->arena, metric->labels[i]);
	}
	*cell = (uint32_t)e->count;
	return series;
}

void plm_exposition_add(void *self, const struct plm_metric *metric)
{
	struct plm_exposition *e = self;
	struct plm_series *series = series_of(e, metric);
	const int64_t *bounds = NULL;
	uint32_t count = 0;

	PLM_ASSERT(series->decimals == metric->decimals);
	series->sum = plm_add_sat(series->sum, metric->value);
	bounds = plm_metric_bounds(plm_metric_family(metric->id)->type, &count);
	if (series->samples != NULL) {
		series->samples[series->count % PLM_SUMMARY_SAMPLES] =
			(struct plm_sample){.at_ms = e->now_ms, .value = metric->value};
	}
	series->count++;
	for (uint32_t i = 0; i < count; i++) {
		if (metric->value <= bounds[i]) {
			series->buckets[i]++;
			return;
		}
	}
}

/* ---- text -------------------------------------------------------------------------------------- */

static void print_value(FILE *out, int64_t value, uint32_t decimals)
{
	int64_t unit = decimals == 0 ? 1 : decimals == 3 ? 1000 : 1000000;
	int64_t rest = value % unit;

	PLM_ASSERT(decimals == 0 || decimals == 3 || decimals == 6);
	if (rest == 0) {
		(void)fprintf(out, "%" PRId64, value / unit);
	} else {
		(void)fprintf(out, "%s%" PRId64 ".%0*" PRId64, value < 0 ? "-" : "",
			      value < 0 ? -(value / unit) : value / unit, (int)decimals,
			      rest < 0 ? -rest : rest);
	}
}

static void print_label_value(FILE *out, struct plm_slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		if (text.ptr[i] == '\n') {
			(void)fputs("\\n", out);
			continue;
		}
		if (text.ptr[i] == '"' || text.ptr[i] == '\\') {
			(void)fputc('\\', out);
		}
		(void)fputc(text.ptr[i], out);
	}
}

/* "name_suffix{...,key="value"} "; no braces where there are no labels. */
static void print_name(FILE *out, const struct plm_series *series, const char *suffix,
		       const char *key, const char *value)
{
	const struct plm_metric_family *family = plm_metric_family(series->id);
	const char *before = "{";

	(void)fprintf(out, "%s%s", family->name, suffix);
	for (size_t i = 0; family->labels[i] != NULL; i++) {
		(void)fprintf(out, "%s%s=\"", before, family->labels[i]);
		print_label_value(out, series->labels[i]);
		(void)fputc('"', out);
		before = ",";
	}
	if (series->more.size > 0) {
		(void)fprintf(out, "%s%.*s", before, (int)series->more.size,
			      (const char *)series->more.ptr);
		before = ",";
	}
	if (key != NULL) {
		(void)fprintf(out, "%s%s=\"%s\"", before, key, value);
		before = ",";
	}
	if (strncmp(family->name, "kueue_", 6) == 0) {
		(void)fprintf(out, "%sreplica_role=\"standalone\"", before);
		before = ",";
	}
	(void)fputs(*before == ',' ? "} " : " ", out);
}

static void print_sum_and_count(FILE *out, const struct plm_series *series)
{
	print_name(out, series, "_sum", NULL, NULL);
	print_value(out, series->sum, 3);
	(void)fputc('\n', out);
	print_name(out, series, "_count", NULL, NULL);
	(void)fprintf(out, "%" PRIu64 "\n", series->count);
}

static void print_histogram(FILE *out, const struct plm_series *series)
{
	uint32_t count = 0;
	const int64_t *bounds = plm_metric_bounds(plm_metric_family(series->id)->type, &count);
	uint64_t upto = 0;
	char le[32];

	for (uint32_t i = 0; i < count; i++) {
		int64_t rest = bounds[i] % 1000;
		int size =
			snprintf(le, sizeof(le), "%" PRId64 ".%03" PRId64, bounds[i] / 1000, rest);

		/* as Go writes it: without zeros at the end */
		while (le[size - 1] == '0' || le[size - 1] == '.') {
			bool dot = le[size - 1] == '.';

			le[--size] = '\0';
			if (dot) {
				break;
			}
		}
		upto += series->buckets[i];
		print_name(out, series, "_bucket", "le", le);
		(void)fprintf(out, "%" PRIu64 "\n", upto);
	}
	print_name(out, series, "_bucket", "le", "+Inf");
	(void)fprintf(out, "%" PRIu64 "\n", series->count);
	print_sum_and_count(out, series);
}

static int by_value(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_sample *samples = context;

	if (samples[a].value != samples[b].value) {
		return samples[a].value < samples[b].value ? -1 : 1;
	}
	return (a > b) - (a < b);
}

static void print_summary(const struct plm_exposition *e, FILE *out,
			  const struct plm_series *series)
{
	static const struct {
		const char *text;
		uint32_t permille;
	} quantiles[] = {{"0", 0}, {"0.5", 500}, {"0.9", 900}, {"0.99", 990}, {"1", 1000}};
	uint32_t *order = PLM_NEW_ARRAY(e->arena, PLM_SUMMARY_SAMPLES, uint32_t);
	uint32_t have =
		series->count < PLM_SUMMARY_SAMPLES ? (uint32_t)series->count : PLM_SUMMARY_SAMPLES;
	uint32_t count = 0;

	for (uint32_t i = 0; i < have; i++) {
		if (series->samples[i].at_ms >= e->now_ms - PLM_SUMMARY_WINDOW_MS) {
			order[count++] = i;
		}
	}
	plm_sort(order, count, by_value, series->samples, e->arena);
	for (size_t i = 0; i < PLM_COUNTOF(quantiles); i++) {
		uint32_t rank = (count * quantiles[i].permille + 999) / 1000;

		print_name(out, series, "", "quantile", quantiles[i].text);
		if (count == 0) {
			(void)fputs("NaN", out);
		} else {
			print_value(out, series->samples[order[rank == 0 ? 0 : rank - 1]].value, 3);
		}
		(void)fputc('\n', out);
	}
	print_sum_and_count(out, series);
}

static int by_labels(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_exposition *e = context;
	const struct plm_series *left = &e->series[a];
	const struct plm_series *right = &e->series[b];

	if (left->id != right->id) {
		return left->id < right->id ? -1 : 1;
	}
	for (size_t i = 0; i < PLM_METRIC_LABELS_MAX; i++) {
		int order = plm_slice_compare(left->labels[i], right->labels[i]);

		if (order != 0) {
			return order;
		}
	}
	return plm_slice_compare(left->more, right->more);
}

void plm_exposition_print(struct plm_exposition *e, FILE *out)
{
	static const char *const types[] = {
		[PLM_METRIC_GAUGE] = "gauge",	      [PLM_METRIC_COUNTER] = "counter",
		[PLM_METRIC_HISTOGRAM] = "histogram", [PLM_METRIC_DURATIONS] = "histogram",
		[PLM_METRIC_DEFAULTS] = "histogram",  [PLM_METRIC_LIFETIMES] = "histogram",
		[PLM_METRIC_POWERS_11] = "histogram", [PLM_METRIC_POWERS_12] = "histogram",
		[PLM_METRIC_SUMMARY] = "summary",
	};
	uint32_t *order = PLM_NEW_ARRAY(e->arena, e->count, uint32_t);
	const struct plm_metric_family *last = NULL;

	for (size_t i = 0; i < e->count; i++) {
		order[i] = (uint32_t)i;
	}
	plm_sort(order, (uint32_t)e->count, by_labels, e, e->arena);
	for (size_t i = 0; i < e->count; i++) {
		const struct plm_series *series = &e->series[order[i]];
		const struct plm_metric_family *family = plm_metric_family(series->id);

		if (family != last) {
			(void)fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", family->name,
				      family->help, family->name, types[family->type]);
			last = family;
		}
		if (series->buckets != NULL) {
			print_histogram(out, series);
			continue;
		}
		if (series->samples != NULL) {
			print_summary(e, out, series);
			continue;
		}
		print_name(out, series, "", NULL, NULL);
		print_value(out, series->sum, series->decimals);
		(void)fputc('\n', out);
	}
}
