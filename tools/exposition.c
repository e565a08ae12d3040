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
	return hash;
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
	return true;
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
		struct plm_metric metric = {.id = e->series[i].id};

		memcpy(metric.labels, e->series[i].labels, sizeof(metric.labels));
		*cell_of(e, &metric) = (uint32_t)i + 1;
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
	*series = (struct plm_series){.id = metric->id, .decimals = metric->decimals};
	for (size_t i = 0; i < PLM_METRIC_LABELS_MAX; i++) {
		series->labels[i] = plm_arena_copy(e->arena, metric->labels[i]);
	}
	*cell = (uint32_t)e->count;
	return series;
}

void plm_exposition_add(void *self, const struct plm_metric *metric)
{
	struct plm_series *series = series_of(self, metric);

	PLM_ASSERT(series->decimals == metric->decimals);
	series->sum = plm_add_sat(series->sum, metric->value);
	series->count++;
	if (plm_metric_family(metric->id)->type != PLM_METRIC_HISTOGRAM) {
		return;
	}
	for (uint32_t i = 0; i < PLM_METRIC_BUCKETS; i++) {
		if (metric->value <= plm_metric_bucket_ms(i)) {
			series->buckets[i]++;
			return;
		}
	}
}

/* ---- text -------------------------------------------------------------------------------------- */

static void print_value(FILE *out, int64_t value, uint32_t decimals)
{
	if (decimals == 0 || value % 1000 == 0) {
		(void)fprintf(out, "%" PRId64, decimals == 0 ? value : value / 1000);
	} else {
		(void)fprintf(out, "%s%" PRId64 ".%03" PRId64, value < 0 ? "-" : "",
			      (value < 0 ? -value : value) / 1000,
			      (value < 0 ? -value : value) % 1000);
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

/* "name_suffix{...,le="..."} " */
static void print_name(FILE *out, const struct plm_series *series, const char *suffix,
		       const char *le)
{
	const struct plm_metric_family *family = plm_metric_family(series->id);

	(void)fprintf(out, "%s%s{", family->name, suffix);
	for (size_t i = 0; family->labels[i] != NULL; i++) {
		(void)fprintf(out, "%s=\"", family->labels[i]);
		print_label_value(out, series->labels[i]);
		(void)fputs("\",", out);
	}
	if (le != NULL) {
		(void)fprintf(out, "le=\"%s\",", le);
	}
	(void)fputs("replica_role=\"standalone\"} ", out);
}

static void print_histogram(FILE *out, const struct plm_series *series)
{
	uint64_t upto = 0;
	char le[32];

	for (uint32_t i = 0; i < PLM_METRIC_BUCKETS; i++) {
		int64_t bound = plm_metric_bucket_ms(i);

		upto += series->buckets[i];
		(void)snprintf(le, sizeof(le), bound % 1000 == 0 ? "%" PRId64 : "%" PRId64 ".5",
			       bound / 1000);
		print_name(out, series, "_bucket", le);
		(void)fprintf(out, "%" PRIu64 "\n", upto);
	}
	print_name(out, series, "_bucket", "+Inf");
	(void)fprintf(out, "%" PRIu64 "\n", series->count);
	print_name(out, series, "_sum", NULL);
	print_value(out, series->sum, 3);
	(void)fputc('\n', out);
	print_name(out, series, "_count", NULL);
	(void)fprintf(out, "%" PRIu64 "\n", series->count);
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
	return 0;
}

void plm_exposition_print(struct plm_exposition *e, FILE *out)
{
	static const char *const types[] = {"gauge", "counter", "histogram"};
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
		if (family->type == PLM_METRIC_HISTOGRAM) {
			print_histogram(out, series);
			continue;
		}
		print_name(out, series, "", NULL);
		print_value(out, series->sum, series->decimals);
		(void)fputc('\n', out);
	}
}
