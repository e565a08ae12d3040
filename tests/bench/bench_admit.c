/*
 * bench_admit - admissions decided per CPU second, one cycle among many pending, and how that grows
 *
 * "reducers" figures fold the facts and decisions into the state and nothing else; "engine" figures
 * encode, hash and chain them as well, into a log in memory. No figure writes a file. Beside the rates
 * stands Kueue's own, taken with its real cache, queues and scheduler and status writes that do nothing
 * on two cores like these (kueue.md 4.1): 2,100 per CPU second with 30 queues, 2,614 with 1,000.
 */
#include <stdio.h>

#include "bench_lib.h"
#include "bench_world.h"

#define RUNS 5
#define CYCLES 300
#define NODES 5000

static int runs(void)
{
	return bench_short() ? 1 : RUNS;
}

/* ---- a deep queue drains ------------------------------------------------------------------------ */

struct drain {
	const char *name;
	const struct bench_shape *shape;
	bool engine;
	enum plm_compat compat;
	int64_t beside; /* Kueue's rate */
};

static void drain(const struct drain *plan)
{
	struct bench_times cpu = {0};
	struct bench_shape shape = *plan->shape;
	char name[128];
	char note[256];
	uint32_t total = 0;
	uint32_t rounds = 0;

	shape.nominal = 100000;
	shape.queues = bench_short() ? 2 : shape.queues;
	total = bench_shape_workloads(&shape);
	for (int i = 0; i < runs(); i++) {
		struct bench_world_options options = {
			.engine = plan->engine, .compat = plan->compat, .only = PLM_ONLY_QUEUES};
		struct bench_world w;
		int64_t begin = 0;

		bench_world_open(&w, &options);
		bench_world_queues(&w, &shape);
		bench_world_fill(&w, &shape);
		bench_world_flush(&w);
		begin = bench_cpu_ns();
		bench_world_cycle(&w, 0);
		bench_times_add(&cpu, bench_cpu_ns() - begin);
		rounds = w.rounds;
		bench_check(w.reserved == total, "not everything was admitted");
		bench_world_close(&w);
	}
	(void)snprintf(name, sizeof(name), "admit: %s, %s, %s", plan->name,
		       plan->engine ? "engine" : "reducers",
		       plan->compat == PLM_COMPAT_STRICT ? "strict" : "better");
	(void)snprintf(note, sizeof(note),
		       "aim 200,000; beside Kueue's; %u workloads, %u queues, one cycle of %u "
		       "rounds, %.1f ms CPU",
		       total, bench_shape_queues(&shape), rounds,
		       (double)bench_times_at(&cpu, 500) / 1e6);
	bench_print(name, (int64_t)((plm_i128)total * 1000000000 / bench_times_at(&cpu, 500)),
		    "/CPU s", plan->beside, note);
	bench_times_fini(&cpu);
}

/* ---- one cycle ---------------------------------------------------------------------------------- */

/* Everybody is alike, so that who finishes is the one that was let in first. */
static const struct bench_class plain = {"plain", 1, 50, 1000, 1, 0, 1};

/* A full cluster: in each cycle one workload has finished and the next is let in. */
static void cycles(uint32_t pending, uint32_t queues, uint32_t nodes)
{
	struct bench_shape shape = {
		.cohorts = 10, .queues = queues / 10, .nominal = 20, .borrow = 100};
	struct bench_world_options options = {.cluster = true, .compat = PLM_COMPAT_BETTER};
	uint32_t each = pending / queues + 20;
	uint32_t count = bench_short() ? 10 : CYCLES;
	struct bench_times times = {0};
	struct bench_world w;
	char name[128];
	char note[256];

	bench_world_open(&w, &options);
	bench_world_queues(&w, &shape);
	bench_world_nodes(&w, nodes);
	for (uint32_t i = 0; i < each; i++) {
		for (uint32_t q = 0; q < queues; q++) {
			bench_world_workload(&w, &plain, q, i, i);
		}
	}
	bench_world_cycle(&w, 0);
	bench_check(w.reserved == 20 * queues, "the cluster is not full");
	for (uint32_t i = 0; i < count; i++) {
		int64_t begin = 0;

		w.now_ms += 100;
		begin = bench_cpu_ns();
		bench_world_finish(&w, &plain, i % queues, i / queues);
		bench_world_cycle(&w, 0);
		bench_times_add(&times, bench_cpu_ns() - begin);
		bench_check(w.reserved == 1, "one in for one out");
	}
	(void)snprintf(name, sizeof(name), "cycle: %u pending, %u queues, %u nodes, p99", pending,
		       queues, nodes);
	(void)snprintf(note, sizeof(note),
		       "reducers; aim 50 ms at 100,000 and 5,000; one fact and one admission; "
		       "CPU time; p50 "
		       "%.3f ms, longest %.3f ms",
		       (double)bench_times_at(&times, 500) / 1e6,
		       (double)bench_times_at(&times, 1000) / 1e6);
	bench_print_ms(name, bench_times_at(&times, 990), 0, note);
	bench_times_fini(&times);
	bench_world_close(&w);
}

int main(void)
{
	static const struct drain drains[] = {
		{"30 queues", &bench_baseline, false, PLM_COMPAT_STRICT, 2100},
		{"30 queues", &bench_baseline, false, PLM_COMPAT_BETTER, 2100},
		{"30 queues", &bench_baseline, true, PLM_COMPAT_BETTER, 2100},
		{"1,000 queues", &bench_large, false, PLM_COMPAT_STRICT, 2614},
		{"1,000 queues", &bench_large, false, PLM_COMPAT_BETTER, 2614},
		{"1,000 queues", &bench_large, true, PLM_COMPAT_BETTER, 2614},
	};

	for (size_t i = 0; i < PLM_COUNTOF(drains); i++) {
		drain(&drains[i]);
	}
	if (bench_short()) {
		cycles(1000, 100, 50);
		return 0;
	}
	cycles(1000, 100, NODES);
	cycles(10000, 100, NODES);
	cycles(100000, 100, NODES);
	cycles(100000, 1000, NODES);
	cycles(1000000, 100, NODES);
	return 0;
}
