#include "tools/sim/generate.h"

/* ---- chance -------------------------------------------------------------------------------------- */

struct dice {
	uint64_t state;
};

static uint64_t roll(struct dice *dice)
{
	uint64_t z = 0;

	dice->state += 0x9e3779b97f4a7c15ULL;
	z = dice->state;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* From 'low' to 'high', both included. */
static int64_t between(struct dice *dice, int64_t low, int64_t high)
{
	return low + (int64_t)(roll(dice) % (uint64_t)(high - low + 1));
}

static bool chance(struct dice *dice, int64_t percent)
{
	return between(dice, 1, 100) <= percent;
}

/* ---- parts --------------------------------------------------------------------------------------- */

struct making {
	struct dice dice;
	struct plm_generated *out;
	int64_t queues, simple_queues, jobs;
};

static int64_t *add(struct making *m, enum plm_generated_kind kind)
{
	struct plm_generated_part *part = NULL;

	PLM_ASSERT(m->out->count < PLM_GENERATED_PARTS);
	part = &m->out->parts[m->out->count++];
	*part = (struct plm_generated_part){.kind = kind, .on = true};
	return part->n;
}

static void add_queues(struct making *m)
{
	struct dice *d = &m->dice;
	bool cohort = chance(d, 60);
	int64_t *n = NULL;

	m->queues = between(d, 0, 3);
	m->simple_queues = m->queues == 0 ? between(d, 1, 2) : between(d, 0, 2);
	if (m->queues > 0) {
		n = add(m, PLM_GENERATED_FLAVOR);
		n[0] = 0;
		if (chance(d, 40)) {
			n = add(m, PLM_GENERATED_FLAVOR);
			n[0] = 1;
			n[1] = chance(d, 50);
		}
	}
	if (m->queues > 0 && cohort && chance(d, 50)) {
		n = add(m, PLM_GENERATED_COHORT);
		n[1] = between(d, 0, 16);
	}
	for (int64_t q = 0; q < m->queues; q++) {
		n = add(m, PLM_GENERATED_QUEUE);
		n[0] = q;
		n[1] = cohort;
		n[2] = between(d, 2, 24);
		n[3] = chance(d, 40) ? between(d, 0, 16) : -1;
		n[4] = between(d, 0, 2);
		n[5] = between(d, 0, 2);
		n[6] = chance(d, 30);
		n[7] = m->out->count > 2 && chance(d, 50); /* uses the second flavor too */
	}
	for (int64_t q = 0; q < m->simple_queues; q++) {
		n = add(m, PLM_GENERATED_SIMPLE_QUEUE);
		n[0] = q;
		n[1] = between(d, 0, 8);
		n[2] = n[1] + between(d, 2, 32);
		n[3] = chance(d, 50);
		n[4] = chance(d, 40) ? between(d, 1, 4) : 0;
		n[5] = chance(d, 40) ? between(d, 0, 300) : 100;
	}
}

static void add_capacity(struct making *m)
{
	struct dice *d = &m->dice;
	int64_t pools = between(d, 0, 2);
	int64_t *n = NULL;

	if (pools == 0 || chance(d, 40)) {
		n = add(m, PLM_GENERATED_NODES);
		n[0] = between(d, 1, 4);
		n[1] = between(d, 0, 2);
	}
	for (int64_t p = 0; p < pools; p++) {
		n = add(m, chance(d, 50) ? PLM_GENERATED_POOL : PLM_GENERATED_SIMPLE_POOL);
		n[0] = p;
		n[1] = between(d, 0, 2);
		n[2] = m->out->parts[m->out->count - 1].kind == PLM_GENERATED_POOL
			       ? chance(d, 50)
			       : between(d, 0, 1);
		n[3] = chance(d, 50) ? between(d, 4, 40) : 0;
		n[4] = chance(d, 25);
	}
	if (pools > 0 && chance(d, 40)) {
		n = add(m, PLM_GENERATED_STOCK_OUT);
		n[0] = between(d, 0, 5);
		n[1] = between(d, 0, 3);
		n[2] = between(d, 0, 600);
		n[3] = n[2] + between(d, 60, 2400);
	}
	if (pools > 0 && chance(d, 30)) {
		n = add(m, PLM_GENERATED_RECLAIM);
		n[0] = between(d, 300, 3600);
		n[1] = between(d, 10, 100);
	}
	if (pools > 0 && chance(d, 25)) {
		add(m, PLM_GENERATED_LAUNCH_FAILS)[0] = between(d, 1, 60);
	}
}

static void add_jobs(struct making *m)
{
	struct dice *d = &m->dice;
	int64_t rows = between(d, 1, 4);

	for (m->jobs = 0; m->jobs < rows; m->jobs++) {
		bool set = chance(d, 40);
		int64_t *n = add(m, set ? PLM_GENERATED_SETS : PLM_GENERATED_JOBS);

		n[0] = m->jobs;
		n[1] = between(d, 0, m->queues + m->simple_queues - 1);
		n[2] = between(d, 1, 8);
		n[3] = between(d, 0, 90);
		n[4] = between(d, 1, 4);
		n[5] = set ? 0 : n[4] * between(d, 1, 2);
		n[6] = between(d, 1, 12) * 250;
		n[7] = between(d, 0, 2);
		n[8] = between(d, 0, 7); /* bits: tolerates, indexed, memory */
		n[9] = chance(d, 20) ? between(d, 10, 60) : 3;
	}
	if (chance(d, 30)) {
		int64_t *n = add(m, PLM_GENERATED_DELETE);

		n[0] = between(d, 0, rows - 1);
		n[1] = 1;
		n[2] = between(d, 30, 1200);
	}
	if (m->queues > 0 && chance(d, 20)) {
		int64_t *n = add(m, PLM_GENERATED_CUT);

		n[0] = between(d, 0, m->queues - 1);
		n[1] = between(d, 0, 8);
		n[2] = between(d, 60, 1800);
	}
	if (m->queues > 0 && chance(d, 20)) {
		int64_t *n = add(m, PLM_GENERATED_STOP);

		n[0] = between(d, 0, m->queues - 1);
		n[1] = chance(d, 50);
		n[2] = between(d, 30, 900);
		n[3] = n[2] + between(d, 30, 900);
	}
}

static void add_plain_work(struct making *m)
{
	struct dice *d = &m->dice;
	int64_t *n = NULL;

	if (chance(d, 25)) {
		n = add(m, PLM_GENERATED_DEPLOYMENT);
		n[1] = between(d, 1, 6);
		n[2] = between(d, 1, 6) * 250;
		n[3] = between(d, 0, 10);
		n[4] = between(d, 60, 1800);
	}
	if (chance(d, 25)) {
		n = add(m, PLM_GENERATED_PODS);
		n[1] = between(d, 1, 6);
		n[2] = between(d, 0, 60);
		n[3] = between(d, 1, 8) * 250;
		n[4] = between(d, 0, 3);
	}
	if (chance(d, 20)) {
		n = add(m, PLM_GENERATED_DAEMON_SET);
		n[1] = between(d, 1, 4) * 50;
	}
	if (chance(d, 20)) {
		n = add(m, PLM_GENERATED_STATEFUL_SET);
		n[1] = between(d, 1, 4);
		n[2] = between(d, 1, 8) * 250;
	}
	if (chance(d, 10)) {
		n = add(m, PLM_GENERATED_DROP_POOL);
		n[0] = between(d, 0, 1);
		n[1] = between(d, 60, 1800);
	}
}

/* Each kind of fault is there in half of the scenarios that have faults at all. */
static void add_faults(struct making *m)
{
	struct dice *d = &m->dice;
	bool any = chance(d, 70);

	for (int64_t kind = 0; kind < 9; kind++) {
		bool on = any && chance(d, 40);
		int64_t times = kind == 0 ? between(d, 1, 5) : between(d, 1, 2);

		for (int64_t i = 0; on && i < times; i++) {
			int64_t *n = add(m, PLM_GENERATED_FAULT);

			n[0] = kind;
			n[1] = between(d, 0, 1800);
			n[2] = between(d, 5, 600);
			n[3] = between(d, 1, 40);
		}
	}
}

/* Last, so that what a seed has made so far stays the same. */
static void add_work(struct making *m)
{
	struct dice *d = &m->dice;
	int64_t rows = between(d, 0, 2);

	for (int64_t row = 0; row < rows; row++) {
		int64_t *n = add(m, PLM_GENERATED_WORK);

		n[0] = row;
		n[1] = between(d, 0, m->queues + m->simple_queues - 1);
		n[2] = between(d, 1, 4);
		n[3] = between(d, 0, 90);
		n[4] = between(d, 1, 4);
		n[5] = between(d, 1, 8) * 250;
		n[6] = between(d, 0, 2);
		n[7] = between(d, 0, PLM_GENERATED_WORK_KINDS - 1);
	}
}

void plm_generate(uint64_t seed, struct plm_generated *out)
{
	struct making m = {.dice = {seed * 0x2545f4914f6cdd1dULL + 1}, .out = out};

	*out = (struct plm_generated){.seed = seed};
	for (int64_t p = 0; p < 2; p++) {
		int64_t *n = add(&m, PLM_GENERATED_PRIORITY);

		n[0] = p;
		n[1] = p == 0 ? 50 : 100;
	}
	add_queues(&m);
	add_capacity(&m);
	add_jobs(&m);
	add_plain_work(&m);
	add_faults(&m);
	add_work(&m);
}

/* ---- smaller ------------------------------------------------------------------------------------- */

struct shrinking {
	plm_generated_fails *fails;
	void *ctx;
	int tries;
};

static bool keep_if_fails(struct shrinking *s, struct plm_generated *now,
			  const struct plm_generated *smaller)
{
	if (s->tries <= 0) {
		return false;
	}
	s->tries--;
	if (!s->fails(s->ctx, smaller)) {
		return false;
	}
	*now = *smaller;
	return true;
}

/* Runs of parts first, then single ones. */
static bool drop_parts(struct shrinking *s, struct plm_generated *now)
{
	bool smaller = false;

	for (size_t run = now->count / 2; run > 0; run /= 2) {
		for (size_t at = 0; at < now->count; at += run) {
			struct plm_generated next = *now;
			bool changed = false;

			for (size_t i = at; i < at + run && i < next.count; i++) {
				changed = changed || next.parts[i].on;
				next.parts[i].on = false;
			}
			smaller = (changed && keep_if_fails(s, now, &next)) || smaller;
		}
	}
	return smaller;
}

/* Counts, times and amounts; not the numbers that name something. */
static bool halves(enum plm_generated_kind kind, size_t at)
{
	return at > 1 || kind == PLM_GENERATED_NODES || kind == PLM_GENERATED_LAUNCH_FAILS;
}

static bool halve_numbers(struct shrinking *s, struct plm_generated *now)
{
	bool smaller = false;

	for (size_t i = 0; i < now->count; i++) {
		for (size_t k = 0; now->parts[i].on && k < PLM_GENERATED_NUMBERS; k++) {
			struct plm_generated next = *now;

			if (!halves(now->parts[i].kind, k) || now->parts[i].n[k] <= 1) {
				continue;
			}
			next.parts[i].n[k] /= 2;
			smaller = keep_if_fails(s, now, &next) || smaller;
		}
	}
	return smaller;
}

void plm_generated_shrink(struct plm_generated *scenario, plm_generated_fails *fails, void *ctx,
			  int tries)
{
	struct shrinking s = {.fails = fails, .ctx = ctx, .tries = tries};
	bool smaller = true;

	while (smaller && s.tries > 0) {
		smaller = drop_parts(&s, scenario);
		smaller = halve_numbers(&s, scenario) || smaller;
	}
}
