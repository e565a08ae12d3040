/*
 * bench_sim - simulated seconds per second of wall time, invariants checked after every event
 *
 * Scenarios of examples/, without their comparison runs. How much a simulated second holds differs from
 * one to the next, so each has its events per second beside it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench_lib.h"
#include "tools/sim/sim_run.h"

static void run(const char *source, const char *name)
{
	char path[4096];
	char label[96];
	char note[160];
	struct plm_sim_run_options options = {
		.scenario = path,
		.seed = 1,
		.until_ms = PLM_UNSET,
	};
	struct plm_sim_report report = {0};
	struct plm_error err = {0};
	int64_t begin = bench_now_ns();
	int64_t ns = 0;

	(void)snprintf(path, sizeof(path), "%s/examples/%s.yaml", source, name);
	bench_check(plm_sim_run(&options, &report, &err) == PLM_OK, err.text);
	ns = bench_now_ns() - begin;
	bench_check(report.violations == 0, report.violation);
	bench_check(report.events > 0, "nothing happened");
	(void)snprintf(label, sizeof(label), "sim: %s", name);
	(void)snprintf(note, sizeof(note),
		       "%lld simulated seconds in %.0f ms; %llu events, %lld events/s; its log "
		       "replayed for the invariants",
		       (long long)report.simulated_ms / 1000, (double)ns / 1e6,
		       (unsigned long long)report.events,
		       (long long)((plm_i128)report.events * 1000000000 / ns));
	bench_print(label, (int64_t)((plm_i128)report.simulated_ms * 1000000 / ns), "s/s", 0, note);
}

int main(void)
{
	static const char *const scenarios[] = {
		"gpu-gang-stock-out",
		"team-preemption",
		"web-burst",
		"parallel-training-100",
	};
	const char *source = getenv("PLM_SOURCE_ROOT");

	for (size_t i = 0; i < (bench_short() ? 1 : PLM_COUNTOF(scenarios)); i++) {
		run(source == NULL ? "." : source, scenarios[i]);
	}
	return 0;
}
