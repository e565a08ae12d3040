/*
 * bench_kueue - Kueue's own benchmark on virtual time: makespan beside the bound by quota
 *
 * Workload objects come as its generator makes them and end a fixed time after they were admitted;
 * evictions are complete at once, as its runner does it (kueue.md 4.1). Nothing takes time but that: a
 * cycle runs at every instant at which something came or ended, and costs no virtual time. The reducers
 * decide, bare; what they cost in processor time stands in the note. Beside the makespan: the bound by
 * quota, and for the rest what Kueue's check expects of itself (seconds of wall time there).
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench_lib.h"
#include "bench_world.h"

#define CLASSES 3

struct run {
	const struct bench_class *class;
	uint32_t queue, number;
	int64_t created_ms, admitted_ms, ends_ms;
	bool let_in, ended;
};

struct playing {
	struct bench_world world;
	const struct bench_shape *shape;
	struct run *runs; /* owned, by slot of the workload */
	uint32_t count;
	uint32_t *running; /* owned: slots */
	uint32_t running_count, ended;
	uint32_t preemptions;
	int64_t wasted_ms; /* milli cpu seconds of work that was cut off, times 1 */
	int64_t now_ms;
	struct bench_times waits[CLASSES];
};

/* ---- decisions --------------------------------------------------------------------------------- */

static struct run *run_of(struct playing *p, struct plm_slice name, uint32_t *out_slot)
{
	const struct plm_state *st = bench_world_state(&p->world);
	plm_id id = plm_find(st, PLM_KIND_WORKLOAD, plm_sym_find(st, plm_slice_str("bench")),
			     plm_sym_find(st, name));

	bench_check(id.n != 0 && id.n <= p->count, "a decision on nobody");
	*out_slot = id.n;
	return &p->runs[id.n];
}

static void let_in(struct playing *p, struct run *run, uint32_t slot)
{
	size_t class = (size_t)(run->class - p->shape->classes);

	bench_check(!run->let_in && !run->ended, "let in twice");
	if (run->admitted_ms == PLM_UNSET) {
		bench_times_add(&p->waits[class], (p->now_ms - run->created_ms) * 1000000);
	}
	run->let_in = true;
	run->admitted_ms = p->now_ms;
	run->ends_ms = p->now_ms + run->class->runtime_ms;
	p->running[p->running_count++] = slot;
}

static void put_out(struct playing *p, struct run *run, uint32_t slot)
{
	bench_check(run->let_in, "put out, and was not in");
	run->let_in = false;
	p->preemptions++;
	p->wasted_ms += run->class->cpu * (p->now_ms - run->admitted_ms);
	for (uint32_t i = 0; i < p->running_count; i++) {
		if (p->running[i] == slot) {
			p->running[i] = p->running[--p->running_count];
			return;
		}
	}
	bench_check(false, "it did not run");
}

static void hear(void *self, enum plm_event_type type, const void *payload)
{
	struct playing *p = self;
	uint32_t slot = 0;

	if (type == PLM_EV_RESERVE) {
		const struct plm_w_reserve *reserve = payload;
		const struct plm_w_assignment *set = reserve->assignments.ptr;
		struct run *run = run_of(p, reserve->name, &slot);

		bench_check(p->shape->racks == 0 || set->domains.count > 0, "it has no place");
		let_in(p, run, slot);
	} else if (type == PLM_EV_EVICT) {
		struct run *run = run_of(p, ((const struct plm_w_evict *)payload)->name, &slot);

		put_out(p, run, slot);
	}
}

/* ---- time -------------------------------------------------------------------------------------- */

/* What has come by now; when the next comes, or INT64_MAX. */
static int64_t arrive(struct playing *p, uint32_t *next)
{
	int64_t soonest = INT64_MAX;

	for (uint32_t c = 0; c < p->shape->class_count; c++) {
		const struct bench_class *class = &p->shape->classes[c];

		for (; next[c] < class->count && next[c] * class->every_ms <= p->now_ms;
		     next[c]++) {
			for (uint32_t q = 0; q < bench_shape_queues(p->shape); q++) {
				bench_world_workload(&p->world, class, q, next[c], p->now_ms);
				p->runs[++p->count] = (struct run){
					.class = class,
					.queue = q,
					.number = next[c],
					.created_ms = p->now_ms,
					.admitted_ms = PLM_UNSET,
				};
			}
		}
		if (next[c] < class->count && next[c] * class->every_ms < soonest) {
			soonest = next[c] * class->every_ms;
		}
	}
	return soonest;
}

/* What has ended by now; when the next ends, or INT64_MAX. */
static int64_t finish(struct playing *p)
{
	int64_t soonest = INT64_MAX;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->running_count; i++) {
		struct run *run = &p->runs[p->running[i]];

		if (run->ends_ms > p->now_ms) {
			soonest = plm_min(soonest, run->ends_ms);
			p->running[kept++] = p->running[i];
			continue;
		}
		run->ended = true;
		run->let_in = false;
		p->ended++;
		bench_world_finish(&p->world, run->class, run->queue, run->number);
	}
	p->running_count = kept;
	return soonest;
}

static int64_t next_end(const struct playing *p)
{
	int64_t soonest = INT64_MAX;

	for (uint32_t i = 0; i < p->running_count; i++) {
		soonest = plm_min(soonest, p->runs[p->running[i]].ends_ms);
	}
	return soonest;
}

static void play(struct playing *p)
{
	uint32_t total = bench_shape_workloads(p->shape);
	uint32_t next[CLASSES] = {0};
	int64_t start_ms = p->world.now_ms;

	while (p->ended < total) {
		int64_t comes = INT64_MAX;
		int64_t ends = INT64_MAX;

		(void)finish(p);
		comes = arrive(p, next);
		bench_world_cycle(&p->world, 0);
		ends = next_end(p);
		if (p->ended < total) {
			p->now_ms = plm_min(comes, ends);
			bench_check(p->now_ms != INT64_MAX, "they wait for ever");
			p->world.now_ms = start_ms + p->now_ms;
		}
	}
}

/* ---- figures ----------------------------------------------------------------------------------- */

/* All work by all quota, of one cohort. */
static int64_t bound_ms(const struct bench_shape *shape)
{
	int64_t work = 0;

	for (uint32_t c = 0; c < shape->class_count; c++) {
		work += shape->classes[c].cpu * shape->classes[c].runtime_ms *
			shape->classes[c].count;
	}
	return work / shape->nominal;
}

static void tell(const struct playing *p, const char *what, int64_t cpu_ns)
{
	char name[128];
	char note[320];

	(void)snprintf(name, sizeof(name), "kueue: %s, makespan", what);
	(void)snprintf(note, sizeof(note),
		       "virtual; aim 1.2 of the bound by quota; %u workloads, %u queues, %u "
		       "preempted, %.0f cpu s lost; reducers: %.1f s CPU",
		       p->ended, bench_shape_queues(p->shape), p->preemptions,
		       (double)p->wasted_ms / 1e3, (double)cpu_ns / 1e9);
	bench_print_ms(name, p->now_ms * 1000000, bound_ms(p->shape) * 1000000, note);
	for (uint32_t c = 0; c < p->shape->class_count; c++) {
		(void)snprintf(name, sizeof(name), "kueue: %s, %s, time to admission", what,
			       p->shape->classes[c].name);
		(void)snprintf(note, sizeof(note), "virtual; mean; p50 %.3f s, p99 %.3f s",
			       (double)bench_times_at(&p->waits[c], 500) / 1e9,
			       (double)bench_times_at(&p->waits[c], 990) / 1e9);
		bench_print_ms(name, p->waits[c].sum_ns / (int64_t)p->waits[c].count, 0, note);
	}
}

static void benchmark(const struct bench_shape *shape, const char *what, enum plm_compat compat)
{
	struct bench_world_options options = {
		.cluster = true, .compat = compat, .only = PLM_ONLY_QUEUES, .settle = true};
	struct playing p = {.shape = shape};
	size_t room = (size_t)bench_shape_workloads(shape) + 1;
	int64_t begin = 0;

	p.runs = calloc(room, sizeof(*p.runs));
	p.running = calloc(room, sizeof(*p.running));
	bench_check(p.runs != NULL && p.running != NULL, "no memory");
	bench_world_open(&p.world, &options);
	p.world.hear = hear;
	p.world.hear_self = &p;
	bench_world_queues(&p.world, shape);
	begin = bench_cpu_ns();
	play(&p);
	tell(&p, what, bench_cpu_ns() - begin);
	bench_world_close(&p.world);
	for (uint32_t c = 0; c < CLASSES; c++) {
		bench_times_fini(&p.waits[c]);
	}
	free(p.runs);
	free(p.running);
}

int main(void)
{
	struct bench_shape small = bench_baseline;
	struct bench_shape large = bench_large;
	struct bench_shape tas = bench_tas;

	if (bench_short()) {
		small.cohorts = 1;
		small.queues = 2;
		tas.cohorts = 1;
		tas.queues = 2;
		benchmark(&tas, "1,000 with topology", PLM_COMPAT_BETTER);
		benchmark(&small, "1,000 over 2 queues", PLM_COMPAT_STRICT);
		benchmark(&small, "1,000 over 2 queues", PLM_COMPAT_BETTER);
		return 0;
	}
	benchmark(&small, "15,000 over 30 queues, strict", PLM_COMPAT_STRICT);
	benchmark(&small, "15,000 over 30 queues", PLM_COMPAT_BETTER);
	benchmark(&tas, "15,000 with topology, strict", PLM_COMPAT_STRICT);
	benchmark(&tas, "15,000 with topology", PLM_COMPAT_BETTER);
	benchmark(&large, "50,000 over 1,000 queues, strict", PLM_COMPAT_STRICT);
	benchmark(&large, "50,000 over 1,000 queues", PLM_COMPAT_BETTER);
	return 0;
}
