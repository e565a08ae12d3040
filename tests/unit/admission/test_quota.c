/* The formulas of the quota tree, by numbers: kueue.md 2.7. */
#include "plm_test.h"
#include "reducers/admission/quota.h"

#define NONE PLM_UNSET
#define INF PLM_UNLIMITED

/* root cohort <- middle cohort <- queue; each {nominal, borrowing, lending, used}. */
struct chain {
	int64_t root[4], middle[4], queue[4];
};

struct tree {
	struct plm_quota_node nodes[3];
	struct plm_cell cells[3];
	struct plm_quota_tree tree;
};

enum {
	QUEUE,
	MIDDLE,
	ROOT
};

static void build(struct tree *t, const struct chain *chain)
{
	const int64_t *rows[3] = {chain->queue, chain->middle, chain->root};

	*t = (struct tree){.tree = {t->nodes, 3}};
	for (uint32_t n = 0; n < 3; n++) {
		t->cells[n] = (struct plm_cell){
			.nominal = rows[n][0],
			.borrowing = rows[n][1],
			.lending = rows[n][2],
			.subtree = rows[n][0],
		};
		t->nodes[n] = (struct plm_quota_node){
			.parent = n == ROOT ? PLM_NO_NODE : n + 1,
			.height = n,
			.cells = &t->cells[n],
		};
	}
	plm_quota_gather(&t->nodes[MIDDLE], &t->nodes[QUEUE], 1);
	plm_quota_gather(&t->nodes[ROOT], &t->nodes[MIDDLE], 1);
	for (uint32_t n = 0; n < 3; n++) {
		plm_quota_use(&t->tree, n, 0, rows[n][3]);
	}
}

static const struct quota_row {
	const char *why;
	struct chain chain;
	int64_t available, potential;
} quota_rows[] = {
	{"everything is lent and borrowed",
	 {{10, NONE, NONE, 0}, {5, NONE, NONE, 0}, {1, NONE, NONE, 0}},
	 16,
	 16},
	{"a queue's borrowing limit",
	 {{10, NONE, NONE, 0}, {5, NONE, NONE, 0}, {1, 2, NONE, 0}},
	 3,
	 3},
	{"a cohort's borrowing limit",
	 {{10, NONE, NONE, 0}, {5, 3, NONE, 0}, {1, NONE, NONE, 0}},
	 9,
	 9},
	{"no borrowing at all", {{10, NONE, NONE, 0}, {5, NONE, NONE, 0}, {1, 0, NONE, 0}}, 1, 1},
	{"what is not lent stays",
	 {{10, NONE, NONE, 0}, {5, NONE, NONE, 0}, {4, NONE, 1, 0}},
	 19,
	 19},
	{"own quota is used before what is borrowed",
	 {{10, NONE, NONE, 0}, {5, NONE, NONE, 0}, {4, 2, 0, 3}},
	 3,
	 6},
	{"use of the limit", {{10, NONE, NONE, 0}, {5, NONE, NONE, 0}, {4, 2, NONE, 5}}, 1, 6},
	{"others have used the cohort up",
	 {{10, NONE, NONE, 14}, {5, NONE, NONE, 0}, {1, NONE, NONE, 0}},
	 2,
	 16},
	{"over-used is negative",
	 {{10, NONE, NONE, 20}, {5, NONE, NONE, 0}, {1, NONE, NONE, 0}},
	 -4,
	 16},
	{"an unlimited root",
	 {{INF, NONE, NONE, 7}, {5, NONE, NONE, 0}, {1, NONE, NONE, 0}},
	 INF,
	 INF},
	{"unlimited above, limited by the queue",
	 {{INF, NONE, NONE, 7}, {5, NONE, NONE, 0}, {1, 4, NONE, 0}},
	 5,
	 5},
	{"sums do not overflow",
	 {{INT64_MAX - 1, NONE, NONE, 0}, {INT64_MAX - 1, NONE, NONE, 0}, {1, NONE, NONE, 0}},
	 INF,
	 INF},
};

static void quota_row(const struct quota_row *row)
{
	struct tree t;
	struct plm_cell before[3];

	build(&t, &row->chain);
	assert_int_equal(plm_quota_available(&t.tree, QUEUE, 0), row->available);
	assert_int_equal(plm_quota_potential(&t.tree, QUEUE, 0), row->potential);
	memcpy(before, t.cells, sizeof(before));
	plm_quota_use(&t.tree, QUEUE, 0, 3);
	plm_quota_free(&t.tree, QUEUE, 0, 3);
	assert_memory_equal(before, t.cells, sizeof(before));
}
PLM_TEST_ROWS(quota_row, struct quota_row)

static const struct fit_row {
	const char *why;
	struct chain chain;
	int64_t amount;
	uint32_t height;
	bool smaller;
} fit_rows[] = {
	{"within the queue",
	 {{10, NONE, NONE, 0}, {5, NONE, NONE, 0}, {4, NONE, NONE, 0}},
	 4,
	 0,
	 true},
	{"within the next cohort",
	 {{10, NONE, NONE, 0}, {5, NONE, NONE, 0}, {4, NONE, NONE, 0}},
	 9,
	 1,
	 true},
	{"the root", {{10, NONE, NONE, 0}, {5, NONE, NONE, 0}, {4, NONE, NONE, 0}}, 10, 2, false},
	{"not even there",
	 {{10, NONE, NONE, 0}, {5, NONE, NONE, 0}, {4, NONE, NONE, 0}},
	 99,
	 2,
	 false},
	{"what the queue keeps is taken off",
	 {{10, NONE, NONE, 0}, {5, NONE, NONE, 0}, {4, NONE, 0, 0}},
	 9,
	 1,
	 true},
	{"usage counts", {{10, NONE, NONE, 0}, {5, NONE, NONE, 0}, {4, NONE, NONE, 2}}, 4, 1, true},
};

static void fit_row(const struct fit_row *row)
{
	struct tree t;
	struct plm_fit fit;

	build(&t, &row->chain);
	fit = plm_quota_lowest_fit(&t.tree, QUEUE, 0, row->amount);
	assert_int_equal(fit.height, row->height);
	assert_int_equal(fit.smaller, row->smaller);
}
PLM_TEST_ROWS(fit_row, struct fit_row)

static void unlimited_arithmetic(void **state)
{
	(void)state;
	assert_int_equal(plm_quota_add(INF, -5), INF);
	assert_int_equal(plm_quota_sub(INF, 5), INF);
	assert_int_equal(plm_quota_sub(INF, INF), 0);
	assert_int_equal(plm_quota_sub(5, INF), INT64_MIN);
	assert_int_equal(plm_quota_add(INT64_MAX - 1, 5), INF);
}

static void binding_names_the_limit(void **state)
{
	const struct chain chain = {{10, NONE, NONE, 0}, {5, 3, NONE, 0}, {1, NONE, NONE, 0}};
	struct tree t;
	bool limit = false;

	(void)state;
	build(&t, &chain);
	assert_int_equal(plm_quota_binding(&t.tree, QUEUE, 0, &limit), MIDDLE);
	assert_true(limit);
	t.cells[MIDDLE].borrowing = NONE;
	assert_int_equal(plm_quota_binding(&t.tree, QUEUE, 0, &limit), ROOT);
	assert_false(limit);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, quota_row, quota_rows);
	PLM_TEST_TABLE(&tests, fit_row, fit_rows);
	PLM_TEST_ADD(&tests, unlimited_arithmetic);
	PLM_TEST_ADD(&tests, binding_names_the_limit);
	return plm_tests_run(&tests, "admission quota");
}
