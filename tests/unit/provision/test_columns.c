/* The packing that looks at prices: what it fills, and the rules that it keeps. reducers/provision/columns.c */
#include "yard.h"

static void open_yard(struct yard **y, void **state, enum plm_compat compat)
{
	assert_int_equal(yard_open(state), 0);
	*y = *state;
	(*y)->config.compat = compat;
	yard_fold(*y, PLM_EV_CONFIG, &(*y)->config);
}

static void add_pods(struct yard *y, const char *const *names, uint32_t count, int64_t cpu,
		     int64_t gpus)
{
	for (uint32_t i = 0; i < count; i++) {
		yard_add_pod(y, names[i], cpu, gpus);
	}
}

static int64_t price_of(const struct yard *y)
{
	int64_t price = 0;

	for (uint32_t i = 0; i < yard_count(y, PLM_EV_CLAIM); i++) {
		price += ((const struct plm_w_claim *)yard_event(y, PLM_EV_CLAIM, i))->price_micro;
	}
	return price;
}

static const char *const plain[] = {"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"};
static const char *const train[] = {"t0", "t1", "t2", "t3"};

static const struct fill_case {
	const char *why;
	uint32_t gpu_pods, gpus, pods;
	int64_t cpu;
	uint32_t claims;
	int64_t price;
} fill_table[] = {
	{"gaps beside GPU pods cost nothing", 4, 1, 4, 1000, 1, 1000},
	{"what does not fit there gets the cheapest node", 4, 1, 6, 1000, 2, 1100},
	{"four small nodes' worth goes to a large one", 0, 0, 8, 1000, 1, 390},
	{"a tail goes to a small one", 0, 0, 5, 2000, 2, 490},
	{"two GPU nodes when one has not enough", 4, 2, 4, 1000, 2, 2000},
};

static void fill_row(const struct fill_case *row)
{
	void *state = NULL;
	struct yard *y = NULL;
	struct plm_w_node_pool pool = yard_pool("pool");

	open_yard(&y, &state, PLM_COMPAT_BETTER);
	yard_add_pool(y, &pool);
	add_pods(y, train, row->gpu_pods, 1000, row->gpus);
	add_pods(y, plain, row->pods, row->cpu, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	assert_int_equal(yard_count(y, PLM_EV_EXPLAINED), 0);
	assert_int_equal(price_of(y), row->price);
	assert_int_equal(yard_count(y, PLM_EV_CLAIM), row->claims);
	assert_int_equal(yard_close(&state), 0);
}
PLM_TEST_ROWS(fill_row, struct fill_case)

static const struct rule_case {
	const char *why;
	const char *resource; /* of a limit; NULL = none */
	int64_t limit;
	int64_t min_values; /* of instance types */
	uint32_t placed;    /* of eight pods of one cpu */
	int64_t price;
} rule_table[] = {
	{"no rule: one large node", NULL, 0, 0, 8, 390},
	{"a claim keeps two types", NULL, 0, 2, 8, 390},
	{"a claim keeps three types, so none outgrows the smallest", NULL, 0, 3, 8, 400},
	{"a limit of one node", "nodes", 1, 0, 8, 390},
	{"one node and three types: fewer pods have a place", "nodes", 1, 3, 2, 100},
	{"a limit on cpu that no node is below", "cpu", 1000, 0, 0, 0},
};

static void rule_row(const struct rule_case *row)
{
	void *state = NULL;
	struct yard *y = NULL;
	struct plm_w_node_pool pool = yard_pool("pool");
	struct plm_slice types[3] = {plm_slice_str("gpu"), plm_slice_str("large"),
				     plm_slice_str("small")};
	struct plm_w_expr expr = {.key = plm_slice_str("node.kubernetes.io/instance-type"),
				  .op = PLM_OP_IN,
				  .values = {types, 3},
				  .min_values = row->min_values};
	struct plm_w_amount limit = {plm_slice_str(row->resource == NULL ? "" : row->resource),
				     row->limit};
	size_t placed = 0;

	open_yard(&y, &state, PLM_COMPAT_BETTER);
	pool.requirements = (struct plm_vec){&expr, row->min_values > 0 ? 1 : 0};
	pool.limits = (struct plm_vec){&limit, row->resource == NULL ? 0 : 1};
	yard_add_pool(y, &pool);
	add_pods(y, plain, 8, 1000, 0);
	yard_at(y, 0);
	yard_run(y, plm_provision_step);
	for (uint32_t i = 0; i < yard_count(y, PLM_EV_NOMINATE); i++) {
		placed += ((const struct plm_w_nominate *)yard_event(y, PLM_EV_NOMINATE, i))
				  ->pods.count;
	}
	for (uint32_t i = 0; i < yard_count(y, PLM_EV_CLAIM); i++) {
		const struct plm_w_claim *claim = yard_event(y, PLM_EV_CLAIM, i);

		assert_true((int64_t)claim->types.count >= row->min_values);
	}
	assert_int_equal(placed, row->placed);
	assert_int_equal(price_of(y), row->price);
	assert_int_equal(yard_close(&state), 0);
}
PLM_TEST_ROWS(rule_row, struct rule_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, fill_row, fill_table);
	PLM_TEST_TABLE(&tests, rule_row, rule_table);
	return plm_tests_run(&tests, "columns");
}
