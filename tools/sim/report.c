/*
 * report.c - the figures of a run, for people and for scripts
 */
#include "core/sort.h"
#include "core/timefmt.h"
#include "tools/sim/runner.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- figures ------------------------------------------------------------------------------------ */

static int order(const void *context, uint32_t a, uint32_t b)
{
	const int64_t *waits = context;

	if (waits[a] != waits[b]) {
		return waits[a] < waits[b] ? -1 : 1;
	}
	return a < b ? -1 : (a > b ? 1 : 0);
}

size_t plm_runner_waits(const struct plm_world *world, struct plm_arena *arena, int64_t **out)
{
	struct plm_sim_work work;
	size_t total = 0;
	size_t count = 0;
	int64_t *waits = NULL;
	int64_t *sorted = NULL;
	uint32_t *rows = NULL;

	while (plm_world_work(world, total, &work)) {
		total++;
	}
	waits = PLM_NEW_ARRAY(arena, total, int64_t);
	sorted = PLM_NEW_ARRAY(arena, total, int64_t);
	rows = PLM_NEW_ARRAY(arena, total, uint32_t);
	for (size_t i = 0; plm_world_work(world, i, &work); i++) {
		if (work.running_ms != PLM_UNSET) {
			waits[count] = work.running_ms - work.created_ms;
			rows[count] = (uint32_t)count;
			count++;
		}
	}
	plm_sort(rows, count, order, waits, arena);
	for (size_t i = 0; i < count; i++) {
		sorted[i] = waits[rows[i]];
	}
	*out = sorted;
	return count;
}

int64_t plm_runner_percentile(const int64_t *waits, size_t count, int64_t percent)
{
	size_t rank = 0;

	if (count == 0) {
		return PLM_UNSET;
	}
	rank = (size_t)plm_div_ceil((int64_t)count * percent, 100);
	return waits[rank == 0 ? 0 : rank - 1];
}

static void copy_text(char *to, size_t size, struct plm_slice text)
{
	(void)snprintf(to, size, "%.*s", (int)text.size, (const char *)text.ptr);
}

void plm_runner_report(struct plm_runner *r)
{
	struct plm_sim_report *out = r->report;
	struct plm_sim_stats stats = plm_world_stats(r->world);
	const struct plm_w_amount *used = stats.used_permille.ptr;
	struct plm_sim_work work;
	int64_t *waits = NULL;
	size_t count = plm_runner_waits(r->world, &r->arena, &waits);

	copy_text(out->name, sizeof(out->name), r->scenario.name);
	out->simulated_ms = r->now_ms - r->scenario.world.start_ms;
	out->duplicates = r->stats.duplicates;
	out->wait_p50_ms = plm_runner_percentile(waits, count, 50);
	out->wait_p95_ms = plm_runner_percentile(waits, count, 95);
	out->wait_max_ms = plm_runner_percentile(waits, count, 100);
	for (size_t i = 0; plm_world_work(r->world, i, &work); i++) {
		out->submitted++;
		out->finished += work.finished_ms != PLM_UNSET;
		out->failed += work.failed;
	}
	out->pods_bound = stats.pods_bound;
	out->created = stats.created;
	out->written = stats.written;
	out->launches = stats.launches;
	out->terminations = stats.terminations;
	out->reclaims = stats.reclaims;
	out->node_hours_milli = stats.node_ms / (PLM_MS_PER_HOUR / 1000);
	out->cost_micro_usd = stats.cost_micro_usd;
	for (size_t i = 0; i < stats.used_permille.count && i < PLM_SIM_RESOURCES_SHOWN; i++) {
		copy_text(out->used[i].resource, sizeof(out->used[i].resource), used[i].resource);
		out->used[i].permille = used[i].amount;
	}
	out->used_count = stats.used_permille.count < PLM_SIM_RESOURCES_SHOWN
				  ? stats.used_permille.count
				  : PLM_SIM_RESOURCES_SHOWN;
}

/* ---- JSON: keys in order of their bytes ---------------------------------------------------------- */

static void json_text(FILE *to, const char *text)
{
	(void)fputc('"', to);
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\') {
			(void)fprintf(to, "\\%c", c);
		} else if (c < 0x20) {
			(void)fprintf(to, "\\u%04x", c);
		} else {
			(void)fputc(c, to);
		}
	}
	(void)fputc('"', to);
}

static void json_int(FILE *to, const char *key, int64_t value)
{
	if (value == PLM_UNSET) {
		(void)fprintf(to, "\"%s\":null,", key);
	} else {
		(void)fprintf(to, "\"%s\":%" PRId64 ",", key, value);
	}
}

static void json_count(FILE *to, const char *key, uint64_t value)
{
	(void)fprintf(to, "\"%s\":%" PRIu64 ",", key, value);
}

static void json_hex(FILE *to, const char *key, const void *bytes, size_t size)
{
	(void)fprintf(to, "\"%s\":\"", key);
	for (size_t i = 0; i < size; i++) {
		(void)fprintf(to, "%02x", ((const uint8_t *)bytes)[i]);
	}
	(void)fputs("\",", to);
}

static void json_comparison(const struct plm_sim_report *r, FILE *to)
{
	if (!r->compared) {
		(void)fputs("\"comparison\":null,", to);
		return;
	}
	(void)fputs("\"comparison\":{\"model\":\"pendingPods\",\"pendingPods\":{", to);
	json_int(to, "costMicroUSD", r->other_cost_micro_usd);
	json_count(to, "finished", r->other_finished);
	json_int(to, "nodeHoursMilli", r->other_node_hours_milli);
	(void)fputs("\"waitP50Ms\":", to);
	(void)fprintf(to, r->other_wait_p50_ms == PLM_UNSET ? "null" : "%" PRId64,
		      r->other_wait_p50_ms);
	(void)fputs("},\"plimsoll\":{", to);
	json_int(to, "costMicroUSD", r->cost_micro_usd);
	json_count(to, "finished", r->finished);
	json_int(to, "nodeHoursMilli", r->node_hours_milli);
	(void)fputs("\"waitP50Ms\":", to);
	(void)fprintf(to, r->wait_p50_ms == PLM_UNSET ? "null" : "%" PRId64, r->wait_p50_ms);
	(void)fputs("}},", to);
}

/* Resources in order of their names. */
static void json_used(const struct plm_sim_report *r, FILE *to)
{
	const char *last = "";

	(void)fputs("\"utilisationPermille\":{", to);
	for (size_t n = 0; n < r->used_count; n++) {
		const struct plm_sim_used *next = NULL;

		for (size_t i = 0; i < r->used_count; i++) {
			if (strcmp(r->used[i].resource, last) > 0 &&
			    (next == NULL || strcmp(r->used[i].resource, next->resource) < 0)) {
				next = &r->used[i];
			}
		}
		if (next == NULL) {
			break;
		}
		(void)fputs(n == 0 ? "" : ",", to);
		json_text(to, next->resource);
		(void)fprintf(to, ":%" PRId64, next->permille);
		last = next->resource;
	}
	(void)fputs("},", to);
}

void plm_sim_report_json(const struct plm_sim_report *r, FILE *to)
{
	(void)fputs("{", to);
	json_count(to, "admitted", r->admitted);
	(void)fputs("\"apiVersion\":\"plimsoll.dev/v1alpha1\",", to);
	json_comparison(r, to);
	json_int(to, "costMicroUSD", r->cost_micro_usd);
	json_count(to, "crashes", r->crashes);
	json_count(to, "cycles", r->cycles);
	json_count(to, "decisions", r->decisions);
	json_count(to, "duplicates", r->duplicates);
	json_count(to, "events", r->events);
	json_count(to, "facts", r->facts);
	json_count(to, "failed", r->failed);
	json_count(to, "finished", r->finished);
	json_count(to, "intents", r->intents);
	json_count(to, "invariantViolations", r->violations);
	(void)fputs("\"kind\":\"SimReport\",", to);
	json_count(to, "launches", r->launches);
	json_hex(to, "logHead", &r->log_head, sizeof(r->log_head));
	json_count(to, "logSeq", r->log_seq);
	json_int(to, "nodeHoursMilli", r->node_hours_milli);
	json_count(to, "podsBound", r->pods_bound);
	json_count(to, "preemptions", r->preemptions);
	json_count(to, "reclaims", r->reclaims);
	(void)fputs("\"scenario\":", to);
	json_text(to, r->name);
	(void)fputs(",", to);
	json_count(to, "seed", r->seed);
	json_int(to, "simulatedMs", r->simulated_ms);
	json_hex(to, "stateHash", &r->state_hash, sizeof(r->state_hash));
	json_count(to, "submitted", r->submitted);
	json_count(to, "terminations", r->terminations);
	json_used(r, to);
	(void)fputs("\"violation\":", to);
	if (r->violations == 0) {
		(void)fputs("null,", to);
	} else {
		json_text(to, r->violation);
		(void)fputs(",", to);
	}
	json_int(to, "waitMaxMs", r->wait_max_ms);
	json_int(to, "waitP50Ms", r->wait_p50_ms);
	(void)fputs("\"waitP95Ms\":", to);
	(void)fprintf(to, r->wait_p95_ms == PLM_UNSET ? "null" : "%" PRId64, r->wait_p95_ms);
	(void)fputs("}\n", to);
}

/* ---- text ---------------------------------------------------------------------------------------- */

static void dollars(FILE *to, int64_t micro)
{
	(void)fprintf(to, "$%" PRId64 ".%02" PRId64, micro / 1000000, micro % 1000000 / 10000);
}

static const char *wait_text(int64_t ms, char text[PLM_TIME_SIZE])
{
	if (ms == PLM_UNSET) {
		return "-";
	}
	return plm_duration_format(ms, text);
}

void plm_sim_report_text(const struct plm_sim_report *r, FILE *to)
{
	char a[PLM_TIME_SIZE];
	char b[PLM_TIME_SIZE];
	char c[PLM_TIME_SIZE];

	(void)fprintf(to, "%s (seed %" PRIu64 "): %s simulated, %" PRIu64 " events\n", r->name,
		      r->seed, plm_duration_format(r->simulated_ms, a), r->events);
	(void)fprintf(to,
		      "  work      %" PRIu64 " submitted, %" PRIu64 " admissions, %" PRIu64
		      " finished, %" PRIu64 " failed, %" PRIu64 " preemptions\n",
		      r->submitted, r->admitted, r->finished, r->failed, r->preemptions);
	(void)fprintf(to,
		      "  wait      p50 %s, p95 %s, longest %s (submission to all pods running)\n",
		      wait_text(r->wait_p50_ms, a), wait_text(r->wait_p95_ms, b),
		      wait_text(r->wait_max_ms, c));
	(void)fprintf(to,
		      "  nodes     %" PRIu64 " launched, %" PRIu64 " terminated, %" PRIu64
		      " reclaimed, %" PRId64 ".%03" PRId64 " node hours, ",
		      r->launches, r->terminations, r->reclaims, r->node_hours_milli / 1000,
		      r->node_hours_milli % 1000);
	dollars(to, r->cost_micro_usd);
	(void)fputs("\n  used     ", to);
	for (size_t i = 0; i < r->used_count; i++) {
		(void)fprintf(to, " %s %" PRId64 ".%" PRId64 "%%", r->used[i].resource,
			      r->used[i].permille / 10, r->used[i].permille % 10);
	}
	(void)fputs("\n", to);
	if (r->created + r->written > 0) {
		(void)fprintf(to,
			      "  written   %" PRIu64 " objects made, %" PRIu64
			      " statuses (Kubernetes Events apart)\n",
			      r->created, r->written);
	}
	if (r->compared) {
		(void)fprintf(to, "  compared  pending pods and node groups: wait p50 %s, ",
			      wait_text(r->other_wait_p50_ms, a));
		dollars(to, r->other_cost_micro_usd);
		(void)fputs("\n", to);
	}
	if (r->violations > 0) {
		(void)fprintf(to, "  BROKEN    %s (at event %" PRIu64 ")\n", r->violation,
			      r->violation_seq);
	}
}
