/*
 * The requirement algebra against sets that are written out.
 *
 * Every requirement that can be made over a few values is held against the set of values that it means,
 * over those values and two that nobody names: another number and another word. Where Karpenter's algebra
 * is not that of sets is said in meets_as_upstream() and nowhere else.
 */
#include "sched_words.h"

#include <stdio.h>

#include "reducers/provision/emit.h"

static struct words world;

#define NAMED 5
static const char *const universe[] = {"0", "1", "2", "a", "b", "7", "z"};
#define VALUES PLM_COUNTOF(universe)
static plm_sym values[VALUES];

#define MOST 96
static struct plm_req all[MOST];
static uint32_t count;

static uint32_t meaning(const struct plm_req *req)
{
	uint32_t mask = 0;

	for (uint32_t v = 0; v < VALUES; v++) {
		mask |= plm_req_has(&world.sched, req, values[v]) ? 1U << v : 0U;
	}
	return mask;
}

static void add(enum plm_op op, const plm_sym *list, uint32_t n)
{
	assert_true(count < MOST);
	all[count++] = plm_req_make(&world.sched, word(&world, "k"), op, list, n);
}

static void make_all(void)
{
	static const enum plm_op bounds[] = {PLM_OP_GT, PLM_OP_LT, PLM_OP_GTE, PLM_OP_LTE};

	count = 0;
	for (uint32_t v = 0; v < VALUES; v++) {
		values[v] = word(&world, universe[v]);
	}
	for (uint32_t subset = 1; subset < 1U << NAMED; subset++) {
		plm_sym list[NAMED];
		uint32_t n = 0;

		for (uint32_t v = 0; v < NAMED; v++) {
			if ((subset >> v & 1U) != 0) {
				list[n++] = values[v];
			}
		}
		add(PLM_OP_IN, list, n);
		add(PLM_OP_NOT_IN, list, n);
	}
	add(PLM_OP_EXISTS, NULL, 0);
	add(PLM_OP_DOES_NOT_EXIST, NULL, 0);
	for (uint32_t b = 0; b < PLM_COUNTOF(bounds); b++) {
		for (uint32_t v = 0; v < 3; v++) {
			add(bounds[b], &values[v], 1);
		}
	}
}

/* What each operator means, from the words of the manifest and nothing else. */
static bool means(enum plm_op op, const plm_sym *list, uint32_t n, uint32_t v)
{
	int64_t have = 0;
	int64_t bound = 0;
	bool number = plm_sched_integer(&world.sched, values[v], &have);
	bool among = false;

	for (uint32_t i = 0; i < n; i++) {
		among = among || plm_sym_equal(list[i], values[v]);
	}
	switch (op) {
	case PLM_OP_IN:
		return among;
	case PLM_OP_NOT_IN:
		return !among;
	case PLM_OP_EXISTS:
		return true;
	case PLM_OP_DOES_NOT_EXIST:
		return false;
	case PLM_OP_GT:
	case PLM_OP_LT:
	case PLM_OP_GTE:
	case PLM_OP_LTE:
		break;
	}
	assert_true(plm_sched_integer(&world.sched, list[0], &bound));
	return number && (op == PLM_OP_GT    ? have > bound
			  : op == PLM_OP_LT  ? have < bound
			  : op == PLM_OP_GTE ? have >= bound
					     : have <= bound);
}

static void each_operator_means_its_values(void **state)
{
	(void)state;
	for (uint32_t op = 0; op <= PLM_OP_LTE; op++) {
		for (uint32_t v = 0; v < 3; v++) {
			struct plm_req req = plm_req_make(
				&world.sched, word(&world, "k"), (enum plm_op)op, &values[v],
				op == PLM_OP_EXISTS || op == PLM_OP_DOES_NOT_EXIST ? 0 : 1);

			for (uint32_t w = 0; w < VALUES; w++) {
				assert_int_equal(plm_req_has(&world.sched, &req, values[w]),
						 means((enum plm_op)op, &values[v], 1, w));
			}
		}
	}
}

/*
 * Is there a common value? Of two complements upstream only looks at the bounds: what they exclude is
 * not held against a range that may be short, so NotIn 3 within 3 .. 3 counts as having one.
 */
static bool meets_as_upstream(const struct plm_req *a, const struct plm_req *b)
{
	if (a->complement != 0 && b->complement != 0) {
		return plm_max(a->gte, b->gte) <= plm_min(a->lte, b->lte);
	}
	return (meaning(a) & meaning(b)) != 0;
}

static void pairs_mean_what_both_mean(void **state)
{
	uint32_t looser = 0;

	(void)state;
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = 0; j < count; j++) {
			size_t mark = plm_arena_mark(&world.arena);
			struct plm_req both = plm_req_intersect(&world.sched, &all[i], &all[j]);
			bool meets = plm_req_meets(&world.sched, &all[i], &all[j]);
			struct plm_req turned = plm_req_intersect(&world.sched, &all[j], &all[i]);

			assert_int_equal(meaning(&both), meaning(&all[i]) & meaning(&all[j]));
			assert_true(plm_req_equal(&both, &turned));
			assert_int_equal(meets, meets_as_upstream(&all[i], &all[j]));
			assert_int_equal(meets, plm_req_op(&both) != PLM_OP_DOES_NOT_EXIST);
			looser += meets && meaning(&both) == 0 ? 1 : 0;
			plm_arena_rewind(&world.arena, mark);
		}
	}
	assert_true(looser > 0); /* the exception does occur */
}

static void order_and_grouping_do_not_matter(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t j = i; j < count; j += 3) {
			for (uint32_t k = j; k < count; k += 5) {
				size_t mark = plm_arena_mark(&world.arena);
				struct plm_req ij =
					plm_req_intersect(&world.sched, &all[i], &all[j]);
				struct plm_req jk =
					plm_req_intersect(&world.sched, &all[j], &all[k]);
				struct plm_req left = plm_req_intersect(&world.sched, &ij, &all[k]);
				struct plm_req right =
					plm_req_intersect(&world.sched, &all[i], &jk);

				assert_int_equal(meaning(&left), meaning(&right));
				assert_int_equal(meaning(&left), meaning(&all[i]) &
									 meaning(&all[j]) &
									 meaning(&all[k]));
				plm_arena_rewind(&world.arena, mark);
			}
		}
	}
}

/* The greatest and the smallest number: no bound wraps around. */
static void bounds_end_at_the_numbers(void **state)
{
	static const struct {
		enum plm_op op;
		const char *bound;
		bool low, high;
	} rows[] = {
		{PLM_OP_GT, "9223372036854775807", false, false},
		{PLM_OP_GT, "9223372036854775806", false, true},
		{PLM_OP_GTE, "9223372036854775807", false, true},
		{PLM_OP_LT, "-9223372036854775808", false, false},
		{PLM_OP_LTE, "-9223372036854775808", true, false},
		{PLM_OP_LT, "-9223372036854775807", true, false},
	};
	plm_sym low = word(&world, "-9223372036854775808");
	plm_sym high = word(&world, "9223372036854775807");

	(void)state;
	for (size_t i = 0; i < PLM_COUNTOF(rows); i++) {
		plm_sym bound = word(&world, rows[i].bound);
		struct plm_req req =
			plm_req_make(&world.sched, word(&world, "k"), rows[i].op, &bound, 1);

		assert_int_equal(plm_req_has(&world.sched, &req, low), rows[i].low);
		assert_int_equal(plm_req_has(&world.sched, &req, high), rows[i].high);
		assert_false(plm_req_has(&world.sched, &req, word(&world, "word")));
	}
}

/* ---- back to a claim --------------------------------------------------------------------------- */

static const struct claim_case {
	const char *why;
	const char *reqs, *claim;
} claim_table[] = {
	{"values by name", "k In b,a", "k In a,b;"},
	{"what is excluded", "k NotIn b,a", "k NotIn a,b;"},
	{"any value, and none", "a Exists; b DoesNotExist", "a Exists;b DoesNotExist;"},
	{"one bound", "k Gt 4", "k Gte 5;"},
	{"two bounds are two entries", "k Gt 4; k Lt 9", "k Gte 5;k Lte 8;"},
	{"with a bound exclusions are lost, as upstream", "k Gt 4; k NotIn 7", "k Gte 5;"},
	{"an old name is written as the new one", "beta.kubernetes.io/os In linux",
	 "kubernetes.io/os In linux;"},
	{"the name of the host is left out", "kubernetes.io/hostname In x; a In 1", "a In 1;"},
};

static void claim_row(const struct claim_case *row)
{
	struct plm_reqs reqs = words_reqs(&world, row->reqs);
	struct plm_vec vec = plm_emit_reqs(&world.sched, &reqs);
	const struct plm_w_expr *exprs = vec.ptr;
	char text[256] = {0};
	size_t used = 0;

	for (size_t i = 0; i < vec.count; i++) {
		const struct plm_slice *list = exprs[i].values.ptr;

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%.*s %s",
					 (int)exprs[i].key.size, (const char *)exprs[i].key.ptr,
					 plm_names_text(&plm_names_op, exprs[i].op));
		for (size_t v = 0; v < exprs[i].values.count; v++) {
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.*s",
						 v == 0 ? " " : ",", (int)list[v].size,
						 (const char *)list[v].ptr);
		}
		used += (size_t)snprintf(text + used, sizeof(text) - used, ";");
	}
	assert_string_equal(text, row->claim);
}
PLM_TEST_ROWS(claim_row, struct claim_case)

int main(void)
{
	static struct plm_tests tests;
	int failed = 0;

	words_begin(&world);
	make_all();
	PLM_TEST_ADD(&tests, each_operator_means_its_values);
	PLM_TEST_ADD(&tests, pairs_mean_what_both_mean);
	PLM_TEST_ADD(&tests, order_and_grouping_do_not_matter);
	PLM_TEST_ADD(&tests, bounds_end_at_the_numbers);
	PLM_TEST_TABLE(&tests, claim_row, claim_table);
	failed = plm_tests_run(&tests, "algebra");
	words_end(&world);
	return failed;
}
