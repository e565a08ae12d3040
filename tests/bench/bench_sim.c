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

/* ---- Kueue's benchmark, as Jobs ----------------------------------------------------------------- */

struct class
{
	const char *name;
	int cpu, priority, runtime_ms, every_ms, count; /* of one queue */
};

static const struct class classes[] = {
	{"small", 1, 50, 200, 100, 350},
	{"medium", 5, 100, 500, 500, 100},
	{"large", 20, 200, 1000, 1200, 50},
};

/* One queue of cohort c: 20 cpu of its own, 100 to borrow. */
static void write_queue(FILE *out, int queue)
{
	(void)fprintf(out,
		      "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\n"
		      "metadata: {name: q%d}\nspec: {cohortName: c, namespaceSelector: {}, "
		      "preemption: {reclaimWithinCohort: Any, withinClusterQueue: LowerPriority}, "
		      "resourceGroups: [{coveredResources: [cpu], flavors: [{name: default, "
		      "resources: [{name: cpu, nominalQuota: 20, borrowingLimit: 100}]}]}]}\n"
		      "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
		      "metadata: {name: q%d, namespace: load}\nspec: {clusterQueue: q%d}\n",
		      queue, queue, queue);
}

static void write_arrivals(FILE *out, int queue, const struct class *class, int count)
{
	(void)fprintf(
		out,
		"  - {at: 0s, count: %d, every: %dms, runtime: {min: %dms, max: %dms}, "
		"object: {apiVersion: batch/v1, kind: Job, metadata: {name: %s-%d, "
		"namespace: load, labels: {kueue.x-k8s.io/queue-name: q%d, "
		"kueue.x-k8s.io/priority-class: %s}}, spec: {parallelism: 1, completions: 1, "
		"suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: c, "
		"image: x, resources: {requests: {cpu: %d}}}]}}}}}\n",
		count, class->every_ms, class->runtime_ms, class->runtime_ms, class->name, queue,
		queue, class->name, class->cpu);
}

static struct plm_slice write_scenario(int queues, int share)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	bench_check(out != NULL, "no memory");
	(void)fprintf(out, "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\n"
			   "metadata: {name: default}\n");
	for (int q = 0; q < queues; q++) {
		write_queue(out, q);
	}
	for (size_t c = 0; c < PLM_COUNTOF(classes); c++) {
		(void)fprintf(out,
			      "---\napiVersion: kueue.x-k8s.io/v1beta2\n"
			      "kind: WorkloadPriorityClass\nmetadata: {name: %s}\nvalue: %d\n",
			      classes[c].name, classes[c].priority);
	}
	(void)fprintf(out,
		      "---\napiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\n"
		      "metadata: {name: kueue}\nspec:\n  duration: 1h\n  cluster:\n"
		      "    nodes: [{count: %d, name: n, capacity: {cpu: 120, memory: 100Gi, pods: "
		      "1000}}]\n    schedulerLatency: 0s\n    podStart: {min: 0s, max: 0s}\n"
		      "  cloud: {apiLatency: {min: 0s, max: 0s}}\n  arrivals:\n",
		      queues);
	for (int q = 0; q < queues; q++) {
		for (size_t c = 0; c < PLM_COUNTOF(classes); c++) {
			write_arrivals(out, q, &classes[c], classes[c].count / share);
		}
	}
	(void)fclose(out);
	return plm_slice_of(text, size);
}

/* 'queues' of one cohort with 1/'share' of its workloads; the bound by quota is 66 s / share. */
static void kueue(int queues, int share)
{
	struct plm_slice text = write_scenario(queues, share);
	struct plm_sim_run_options options = {
		.scenario = "kueue", .text = text, .seed = 1, .until_ms = PLM_UNSET};
	struct plm_sim_report report = {0};
	struct plm_error err = {0};
	int64_t begin = bench_cpu_ns();
	char note[192];

	bench_check(plm_sim_run(&options, &report, &err) == PLM_OK, err.text);
	bench_check(report.violations == 0, report.violation);
	bench_check(report.finished == report.submitted && report.submitted > 0, "not all ended");
	(void)snprintf(note, sizeof(note),
		       "virtual; beside the bound by quota (aim 1.2); %llu Jobs in %d queues, %llu "
		       "preempted, latencies of the cluster in it; %.1f s CPU",
		       (unsigned long long)report.submitted, queues,
		       (unsigned long long)report.preemptions,
		       (double)(bench_cpu_ns() - begin) / 1e9);
	bench_print_ms("sim: Kueue's benchmark as Jobs, makespan", report.simulated_ms * 1000000,
		       INT64_C(66000000000) / share, note);
	free((void *)(uintptr_t)text.ptr);
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
	kueue(bench_short() ? 2 : 6, bench_short() ? 50 : 1);
	return 0;
}
