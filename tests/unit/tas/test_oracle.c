#include "plot.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * Random small topologies against plain recursive counting: a placement is found exactly when there is
 * room, never exceeds a leaf, keeps slices together, uses as few and as tight domains as BestFit says,
 * and depends neither on the order in which nodes came nor on trials that were taken back.
 */

#define LEVELS 3
#define HOSTS_MAX 18
#define RESOURCES 3 /* cpu, gpu, pods */

static const char *const level_names[LEVELS] = {"block", "rack", "host"};

struct host {
	uint32_t block, rack; /* racks are numbered within their block */
	int64_t room[RESOURCES];
	int64_t held; /* pods of an admitted workload, 1 cpu each */
	bool tainted;
};

struct query {
	uint32_t first, last; /* levels of the topology: level_names[first .. last] */
	int32_t level;	      /* asked for; -1 = none: unconstrained or slices only */
	bool required, unconstrained, led, empty;
	uint32_t layer_count;
	uint32_t layer_level[LEVELS];
	int64_t layer_size[LEVELS];
	int64_t count;
	int64_t worker[RESOURCES], leader[RESOURCES];
};

struct map {
	struct host hosts[HOSTS_MAX];
	uint32_t count;
	struct query query;
	/* by host, as the oracle sees it: what a leaf of hosts has left lies at its first host */
	int64_t left[HOSTS_MAX][RESOURCES];
};

static uint64_t random_state;
static uint64_t current, placed_maps, led_maps;

static int64_t draw(int64_t low, int64_t high)
{
	return low + (int64_t)(plm_test_random(&random_state) % (uint64_t)(high - low + 1));
}

/* ---- random maps ------------------------------------------------------------------------------- */

static void draw_hosts(struct map *m)
{
	uint32_t blocks = (uint32_t)draw(1, 3);

	m->count = 0;
	for (uint32_t b = 0; b < blocks; b++) {
		uint32_t racks = (uint32_t)draw(1, 3);

		for (uint32_t i = 0; i < racks * 2U; i++) {
			struct host *host = &m->hosts[m->count++];

			*host = (struct host){.block = b, .rack = i % racks};
			host->room[0] = draw(0, 9);
			host->room[1] = draw(0, 3);
			host->room[2] = draw(2, 12);
			host->held = draw(0, 3) == 0 ? draw(1, 2) : 0;
			host->tainted = draw(0, 9) == 0;
		}
	}
}

static void draw_layers(struct query *q)
{
	int64_t size = draw(1, 4);
	uint32_t level = (uint32_t)draw(plm_max(q->first, q->level), q->last);

	q->layer_count = 0;
	if (draw(0, 2) > 0) {
		return;
	}
	q->layer_level[q->layer_count] = level;
	q->layer_size[q->layer_count++] = size;
	if (level < q->last && size % 2 == 0 && draw(0, 1) == 0) {
		q->layer_level[q->layer_count] = (uint32_t)draw(level + 1, q->last);
		q->layer_size[q->layer_count++] = 2;
	}
}

static void draw_query(struct query *q)
{
	*q = (struct query){.first = (uint32_t)draw(0, 1), .last = (uint32_t)draw(1, 2)};
	q->level = (int32_t)draw((int64_t)q->first - 1, q->last);
	q->level = q->level < (int32_t)q->first ? -1 : q->level;
	q->required = q->level >= 0 && draw(0, 1) == 0;
	draw_layers(q);
	q->unconstrained = q->level < 0 && q->layer_count == 0;
	q->led = draw(0, 3) == 0;
	q->empty = draw(0, 4) == 0;
	q->count = draw(1, 14) * (q->layer_count > 0 ? q->layer_size[0] : 1);
	q->worker[0] = draw(0, 2);
	q->worker[1] = draw(0, 3) == 0;
	q->worker[2] = 1;
	q->leader[0] = draw(0, 4);
	q->leader[1] = draw(0, 1);
	q->leader[2] = 1;
}

/* ---- in words ---------------------------------------------------------------------------------- */

struct lines {
	char text[8192];
	size_t used;
};

static void say(struct lines *lines, const char *format, ...) PLM_PRINTF(2, 3);
static void say(struct lines *lines, const char *format, ...)
{
	va_list args;
	int size = 0;

	va_start(args, format);
	size = vsnprintf(lines->text + lines->used, sizeof(lines->text) - lines->used, format,
			 args);
	va_end(args);
	assert_true(size >= 0 && lines->used + (size_t)size < sizeof(lines->text));
	lines->used += (size_t)size;
}

/* Nodes in the order of 'step' (coprime to their number), usage and levels. */
static void describe(const struct map *m, uint32_t step, struct lines *lines)
{
	const struct query *q = &m->query;

	lines->used = 0;
	say(lines, "levels");
	for (uint32_t i = q->first; i <= q->last; i++) {
		say(lines, " %s", level_names[i]);
	}
	for (uint32_t k = 0; k < m->count; k++) {
		uint32_t i = k * step % m->count;
		const struct host *host = &m->hosts[i];

		say(lines, "\nnode b%u/r%u/x%02u cpu=%lld gpu=%lld pods=%lld%s", host->block,
		    host->rack, i, (long long)host->room[0], (long long)host->room[1],
		    (long long)host->room[2], host->tainted ? " taint=gpu" : "");
		if (host->held == 0) {
			continue;
		}
		say(lines, "\nheld w%u cpu=1 ", i);
		if (q->last == 2) {
			say(lines, "x%02u:%lld", i, (long long)host->held);
		} else if (q->first == 0) {
			say(lines, "b%u/r%u:%lld", host->block, host->rack, (long long)host->held);
		} else {
			say(lines, "r%u:%lld", host->rack, (long long)host->held);
		}
	}
	say(lines, "\n");
}

static void ask(const struct query *q, struct lines *lines)
{
	lines->used = 0;
	say(lines, "ask workers count=%lld cpu=%lld gpu=%lld%s", (long long)q->count,
	    (long long)q->worker[0], (long long)q->worker[1], q->led ? " group=g" : "");
	if (q->level >= 0) {
		say(lines, " %s=%s", q->required ? "required" : "preferred", level_names[q->level]);
	}
	if (q->unconstrained) {
		say(lines, " unconstrained");
	}
	for (uint32_t i = 0; i < q->layer_count; i++) {
		say(lines, " slices=%s:%lld", level_names[q->layer_level[i]],
		    (long long)q->layer_size[i]);
	}
	if (q->led) {
		say(lines, "\nask leader count=1 cpu=%lld gpu=%lld group=g",
		    (long long)q->leader[0], (long long)q->leader[1]);
	}
	say(lines, "\nplace%s", q->empty ? " empty" : "");
}

/* ---- the oracle -------------------------------------------------------------------------------- */

/* Do two hosts lie in one domain of 'level'? Levels above the topology's first do not count. */
static bool together(const struct map *m, uint32_t a, uint32_t b, uint32_t level)
{
	const struct host *left = &m->hosts[a];
	const struct host *right = &m->hosts[b];

	if (level >= 2 && a != b) {
		return false;
	}
	if (level >= 1 && left->rack != right->rack) {
		return false;
	}
	return m->query.first > 0 || left->block == right->block;
}

/* The first host of its domain: what names a domain. */
static uint32_t head_of(const struct map *m, uint32_t host, uint32_t level)
{
	uint32_t i = 0;

	while (!together(m, i, host, level)) {
		i++;
	}
	return i;
}

/* What leaves have left for pods, as amounts. */
static void survey(struct map *m)
{
	const struct query *q = &m->query;

	memset(m->left, 0, sizeof(m->left));
	for (uint32_t i = 0; i < m->count; i++) {
		uint32_t leaf = head_of(m, i, q->last);

		for (uint32_t r = 0; r < RESOURCES; r++) {
			m->left[leaf][r] += m->hosts[i].room[r];
		}
		if (!q->empty) {
			m->left[leaf][0] -= m->hosts[i].held;
			m->left[leaf][2] -= m->hosts[i].held;
		}
	}
}

static int64_t fits_in(const int64_t left[RESOURCES], const int64_t each[RESOURCES])
{
	int64_t best = INT32_MAX;

	for (uint32_t r = 0; r < RESOURCES; r++) {
		if (each[r] > 0) {
			best = plm_min(best, plm_max(0, left[r]) / each[r]);
		}
	}
	return best;
}

static int64_t inner_at(const struct query *q, uint32_t level)
{
	for (uint32_t i = 1; i < q->layer_count; i++) {
		if (level > q->layer_level[i - 1] && level <= q->layer_level[i]) {
			return q->layer_size[i];
		}
	}
	return 1;
}

static uint32_t slice_level(const struct query *q)
{
	return q->layer_count > 0 ? q->layer_level[0] : q->last;
}

static int64_t slice_size(const struct query *q)
{
	return q->layer_count > 0 ? q->layer_size[0] : 1;
}

/* Workers that fit below a domain with the leader (or none, -1) on leaf 'leader'. */
static int64_t pods_below(const struct map *m, uint32_t head, uint32_t level, int64_t leader)
{
	const struct query *q = &m->query;
	int64_t sum = 0;

	if (level == q->last) {
		int64_t left[RESOURCES];

		if (q->last == 2 && m->hosts[head].tainted) {
			return 0;
		}
		for (uint32_t r = 0; r < RESOURCES; r++) {
			left[r] = m->left[head][r] - (leader == (int64_t)head ? q->leader[r] : 0);
		}
		return fits_in(left, q->worker);
	}
	for (uint32_t i = 0; i < m->count; i++) {
		if (together(m, i, head, level) && head_of(m, i, level + 1) == i) {
			int64_t inner = inner_at(q, level + 1);

			sum += pods_below(m, i, level + 1, leader) / inner * inner;
		}
	}
	return sum;
}

static int64_t slices_below(const struct map *m, uint32_t head, uint32_t level, int64_t leader)
{
	int64_t sum = 0;

	if (level == slice_level(&m->query)) {
		return pods_below(m, head, level, leader) / slice_size(&m->query);
	}
	for (uint32_t i = 0; i < m->count; i++) {
		if (together(m, i, head, level) && head_of(m, i, level + 1) == i) {
			sum += slices_below(m, i, level + 1, leader);
		}
	}
	return sum;
}

static bool leads(const struct map *m, uint32_t leaf)
{
	const struct query *q = &m->query;

	return head_of(m, leaf, q->last) == leaf && !(q->last == 2 && m->hosts[leaf].tainted) &&
	       fits_in(m->left[leaf], q->leader) > 0;
}

/* Slices that fit into a domain beside the leader wherever that is best, -1 when it fits nowhere. */
static int64_t best_below(const struct map *m, uint32_t head, uint32_t level)
{
	int64_t best = -1;

	if (!m->query.led) {
		return slices_below(m, head, level, -1);
	}
	for (uint32_t i = 0; i < m->count; i++) {
		if (together(m, i, head, level) && leads(m, i)) {
			best = plm_max(best, slices_below(m, head, level, i));
		}
	}
	return best;
}

/* Slices over all domains of 'level' together. */
static int64_t best_everywhere(const struct map *m, uint32_t level)
{
	int64_t plain = 0;
	int64_t cost = INT64_MAX;

	for (uint32_t i = 0; i < m->count; i++) {
		int64_t alone = 0;
		int64_t led = 0;

		if (head_of(m, i, level) != i) {
			continue;
		}
		alone = slices_below(m, i, level, -1);
		led = best_below(m, i, level);
		plain += alone;
		cost = led < 0 ? cost : plm_min(cost, alone - led);
	}
	return cost == INT64_MAX ? -1 : plain - cost;
}

/* The tightest domain of 'level' that holds all slices: its slices, -1 when there is none. */
static int64_t tightest(const struct map *m, uint32_t level, int64_t slices)
{
	int64_t best = -1;

	for (uint32_t i = 0; i < m->count; i++) {
		int64_t room = head_of(m, i, level) == i ? best_below(m, i, level) : -1;

		if (room >= slices && (best < 0 || room < best)) {
			best = room;
		}
	}
	return best;
}

enum feasible {
	NEVER,
	MAYBE, /* with a leader over several domains upstream's greed may miss it */
	ALWAYS
};

static enum feasible feasible(const struct map *m)
{
	const struct query *q = &m->query;
	int64_t slices = q->count / slice_size(q);
	uint32_t level =
		q->level >= 0 ? (uint32_t)q->level : (q->layer_count > 0 ? q->first : q->last);

	if (q->required) {
		return tightest(m, level, slices) >= 0 ? ALWAYS : NEVER;
	}
	if (tightest(m, level, slices) >= 0) {
		return ALWAYS;
	}
	if (best_everywhere(m, q->level >= 0 ? q->first : level) < slices) {
		return NEVER;
	}
	return q->led ? MAYBE : ALWAYS;
}

/* ---- what came out ----------------------------------------------------------------------------- */

struct result {
	int64_t workers[HOSTS_MAX], leaders[HOSTS_MAX]; /* by leaf */
};

static uint32_t leaf_named(const struct map *m, const struct plot *p, const plm_sym *values,
			   uint32_t count)
{
	char name[64] = "";
	char leaf[64] = "";

	for (uint32_t i = 0; i < count; i++) {
		struct plm_slice text = plm_str(&p->st, values[i]);
		size_t used = strlen(name);

		(void)snprintf(name + used, sizeof(name) - used, "%s%.*s", i > 0 ? "/" : "",
			       (int)text.size, (const char *)text.ptr);
	}
	for (uint32_t i = 0; i < m->count; i++) {
		if (m->query.last == 2) {
			(void)snprintf(leaf, sizeof(leaf), "x%02u", i);
		} else if (m->query.first == 0) {
			(void)snprintf(leaf, sizeof(leaf), "b%u/r%u", m->hosts[i].block,
				       m->hosts[i].rack);
		} else {
			(void)snprintf(leaf, sizeof(leaf), "r%u", m->hosts[i].rack);
		}
		if (strcmp(leaf, name) == 0) {
			return head_of(m, i, m->query.last);
		}
	}
	fail_msg("no leaf is called %s", name);
	return 0;
}

static void collect(const struct map *m, const struct plot *p, struct result *result)
{
	*result = (struct result){{0}, {0}};
	for (uint32_t s = 0; s < (m->query.led ? 2U : 1U); s++) {
		const struct plm_tas_set *set = &p->sets[s];

		for (uint32_t i = 0; i < set->domain_count; i++) {
			uint32_t leaf = leaf_named(m, p, set->domains[i].values, set->level_count);

			assert_true(set->domains[i].count > 0);
			(s == 0 ? result->workers : result->leaders)[leaf] += set->domains[i].count;
		}
	}
}

static int64_t pods_in(const struct map *m, const struct result *result, uint32_t head,
		       uint32_t level)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		sum += together(m, i, head, level) ? result->workers[i] : 0;
	}
	return sum;
}

/* All pods are somewhere, no leaf has more than it can take, refused ones have none. */
static void check_room(const struct map *m, const struct result *result)
{
	const struct query *q = &m->query;
	int64_t workers = 0;
	int64_t leaders = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		workers += result->workers[i];
		leaders += result->leaders[i];
		if (result->workers[i] + result->leaders[i] == 0) {
			continue;
		}
		assert_false(q->last == 2 && m->hosts[i].tainted);
		for (uint32_t r = 0; r < RESOURCES; r++) {
			int64_t need = result->workers[i] * q->worker[r] +
				       result->leaders[i] * q->leader[r];

			assert_true(need == 0 || need <= m->left[i][r]);
		}
	}
	assert_int_equal(workers, q->count);
	assert_int_equal(leaders, q->led ? 1 : 0);
}

/* Slices are whole in the domains that must hold them; required pods are in one domain. */
static void check_shape(const struct map *m, const struct result *result)
{
	const struct query *q = &m->query;

	for (uint32_t level = q->first; level <= q->last; level++) {
		int64_t size = level == slice_level(q) ? slice_size(q) : inner_at(q, level);

		for (uint32_t i = 0; i < m->count; i++) {
			assert_true(level < slice_level(q) || head_of(m, i, level) != i ||
				    pods_in(m, result, i, level) % size == 0);
		}
	}
	for (uint32_t i = 0; q->required && i < m->count; i++) {
		int64_t pods = pods_in(m, result, i, (uint32_t)q->level);

		assert_true(pods == 0 || pods == q->count);
		assert_true(result->leaders[i] == 0 || pods == q->count);
	}
}

static uint32_t used_domains(const struct map *m, const struct result *result, uint32_t level)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		used += head_of(m, i, level) == i && pods_in(m, result, i, level) > 0;
	}
	return used;
}

/* How few domains of 'level' hold all slices, of those below domains in use one level up. */
static uint32_t fewest(const struct map *m, const struct result *result, uint32_t level,
		       uint32_t above)
{
	int64_t rooms[HOSTS_MAX] = {0};
	uint32_t count = 0;
	uint32_t used = 0;
	int64_t slices = m->query.count / slice_size(&m->query);

	for (uint32_t i = 0; i < m->count; i++) {
		if (head_of(m, i, level) == i &&
		    (above == level || pods_in(m, result, head_of(m, i, above), above) > 0)) {
			rooms[count++] = slices_below(m, i, level, -1);
		}
	}
	for (; slices > 0; used++) {
		uint32_t best = 0;

		assert_true(used < count);
		for (uint32_t i = 0; i < count; i++) {
			best = rooms[i] > rooms[best] ? i : best;
		}
		slices -= rooms[best];
		rooms[best] = 0;
	}
	return used;
}

/* BestFit without leader: the lowest level that holds all, tight; on down as few domains as can be. */
static void check_best_fit(const struct map *m, const struct result *result)
{
	const struct query *q = &m->query;
	int64_t slices = q->count / slice_size(q);
	int32_t level = q->level;

	if (q->level < 0 || q->led) {
		return;
	}
	while (level > (int32_t)q->first && tightest(m, (uint32_t)level, slices) < 0) {
		level--;
	}
	for (uint32_t i = 0; i < m->count; i++) {
		int64_t tight = tightest(m, (uint32_t)level, slices);

		if (tight >= 0 && head_of(m, i, (uint32_t)level) == i &&
		    pods_in(m, result, i, (uint32_t)level) > 0) {
			assert_int_equal(slices_below(m, i, (uint32_t)level, -1), tight);
			assert_int_equal(pods_in(m, result, i, (uint32_t)level), q->count);
		}
	}
	for (uint32_t at = (uint32_t)level; at <= slice_level(q); at++) {
		uint32_t above = at == (uint32_t)level ? at : at - 1;

		assert_int_equal(used_domains(m, result, at), fewest(m, result, at, above));
	}
}

/* ---- one map ----------------------------------------------------------------------------------- */

static void again(const struct map *m, uint32_t step, const struct lines *wanted, const char *want)
{
	struct plot *p = test_calloc(1, sizeof(*p));
	struct lines lines = {{0}, 0};

	describe(m, step, &lines);
	plot_init(p);
	plot_run(p, lines.text);
	if (m->query.last == 2) {
		plot_run(p, "use cpu=2 x00:3 x01:2\nfree cpu=2 x01:2 x00:3");
	}
	assert_string_equal(plot_run(p, wanted->text), want);
	plot_fini(p);
	test_free(p);
}

static void judge(struct map *m, bool placed, const struct plot *p)
{
	enum feasible can = feasible(m);
	struct result result;

	if (can != MAYBE) {
		assert_int_equal(placed, can == ALWAYS);
	}
	placed_maps += placed;
	led_maps += placed && m->query.led;
	if (placed) {
		collect(m, p, &result);
		check_room(m, &result);
		check_shape(m, &result);
		check_best_fit(m, &result);
	}
}

static uint32_t coprime(uint32_t count)
{
	return count % 5 != 0 ? 5 : (count % 7 != 0 ? 7 : 1);
}

static void try_map(struct map *m)
{
	struct plot *p = test_calloc(1, sizeof(*p));
	struct lines lines = {{0}, 0};
	char want[4096];

	draw_hosts(m);
	draw_query(&m->query);
	survey(m);
	describe(m, 1, &lines);
	plot_init(p);
	plot_run(p, lines.text);
	ask(&m->query, &lines);
	(void)snprintf(want, sizeof(want), "%s", plot_run(p, lines.text));
	judge(m, p->why.verdict == PLM_TAS_PLACED, p);
	plot_fini(p);
	test_free(p);
	again(m, coprime(m->count), &lines, want);
}

static void random_maps(void **state)
{
	const char *seeds = getenv("PLM_SHORT");
	uint64_t first = plm_test_seed();
	uint64_t count = seeds != NULL ? 300 : 3000;
	struct map *m = test_calloc(1, sizeof(*m));

	(void)state;
	for (uint64_t i = 0; i < count; i++) {
		random_state = first * 1000003 + i;
		current = i;
		try_map(m);
	}
	/* The draw is no use when everything or nothing fits. */
	assert_true(placed_maps > count / 4 && placed_maps < count * 3 / 4);
	assert_true(led_maps > count / 50);
	test_free(m);
}

int main(void)
{
	struct plm_tests tests = {0};

	int failed = 0;

	PLM_TEST_ADD(&tests, random_maps);
	failed = plm_tests_run(&tests, "tas oracle");
	print_message("# the last map was %llu; %llu placed, %llu with a leader\n",
		      (unsigned long long)current, (unsigned long long)placed_maps,
		      (unsigned long long)led_maps);
	return failed;
}
