/* Karpenter's cost model, number by number: karpenter.md 3.3. */
#include "plm_test.h"

#include "core/timefmt.h"
#include "reducers/disruption/cost.h"

#define ONE PLM_COST_ONE

static const struct eviction_case {
	const char *why;
	int64_t priority, deletion_cost;
	int64_t cost;
} eviction_table[] = {
	{"a plain pod", 0, PLM_UNSET, ONE},
	{"a deletion cost of 0 is none", 0, 0, ONE},
	{"a deletion cost of 2^27 counts one", 0, 1LL << 27, 2 * ONE},
	{"the smallest step", 0, 1, ONE + 1},
	{"a priority of 2^25 counts one", 1LL << 25, PLM_UNSET, 2 * ONE},
	{"both", 1LL << 25, -(1LL << 26), ONE + ONE / 2},
	{"exactly nothing", 0, -(1LL << 27), 0},
	{"less than nothing", -(1LL << 26), PLM_UNSET, -ONE},
	{"the lowest deletion cost", 0, INT32_MIN, -10 * ONE},
	{"the highest deletion cost", 0, INT32_MAX, 10 * ONE},
	{"the highest priority of a user", 1000000000, PLM_UNSET, 10 * ONE},
	{"a system priority", 2000001000, PLM_UNSET, 10 * ONE},
	{"the lowest priority", INT32_MIN, PLM_UNSET, -10 * ONE},
};

static void eviction_row(const struct eviction_case *row)
{
	assert_int_equal(plm_cost_eviction(row->priority, row->deletion_cost), row->cost);
}
PLM_TEST_ROWS(eviction_row, struct eviction_case)

static const struct lifetime_case {
	const char *why;
	int64_t expire_ms, age_ms;
	struct plm_ratio left;
} lifetime_table[] = {
	{"never", PLM_UNSET, 1000 * PLM_MS_PER_HOUR, {1, 1}},
	{"new", 720 * PLM_MS_PER_HOUR, 0, {1, 1}},
	{"half", 10 * PLM_MS_PER_HOUR, 5 * PLM_MS_PER_HOUR, {1, 2}},
	{"a tenth", 10 * PLM_MS_PER_HOUR, 9 * PLM_MS_PER_HOUR, {1, 10}},
	{"at its end", PLM_MS_PER_HOUR, PLM_MS_PER_HOUR, {0, 1}},
	{"past its end", PLM_MS_PER_HOUR, 7 * PLM_MS_PER_HOUR, {0, 1}},
	{"from the future", PLM_MS_PER_HOUR, -PLM_MS_PER_HOUR, {1, 1}},
	{"no life at all", 0, 0, {0, 1}},
};

static void lifetime_row(const struct lifetime_case *row)
{
	assert_int_equal(
		plm_ratio_compare(plm_cost_lifetime(row->expire_ms, row->age_ms), row->left), 0);
}
PLM_TEST_ROWS(lifetime_row, struct lifetime_case)

static const struct node_case {
	const char *why;
	struct {
		int64_t eviction;
		bool moves;
	} pods[3];
	uint32_t count;
	struct plm_ratio lifetime;
	int64_t disruption, reschedule;
	bool empty;
} node_table[] = {
	{"no pods", {{0, false}}, 0, {1, 1}, 0, ONE, true},
	{"one pod", {{ONE, true}}, 1, {1, 1}, ONE, 2 * ONE, false},
	{"one of a DaemonSet does not move", {{ONE, false}}, 1, {1, 1}, ONE, ONE, true},
	{"nobody misses it", {{0, true}, {-3 * ONE, true}}, 2, {1, 1}, -3 * ONE, ONE, true},
	{"none makes up for another",
	 {{-5 * ONE, true}, {1, true}},
	 2,
	 {1, 1},
	 1 - 5 * ONE,
	 ONE + 1,
	 false},
	{"half its life is over",
	 {{ONE, true}, {ONE, true}, {ONE, true}},
	 3,
	 {1, 2},
	 3 * ONE / 2,
	 4 * ONE,
	 false},
	{"its life is over", {{ONE, true}, {2 * ONE, true}}, 2, {0, 1}, 0, 4 * ONE, false},
};

static void node_row(const struct node_case *row)
{
	struct plm_node_cost cost = plm_cost_none();

	for (uint32_t i = 0; i < row->count; i++) {
		plm_cost_add(&cost, row->pods[i].eviction, row->pods[i].moves);
	}
	assert_int_equal(plm_cost_disruption(&cost, row->lifetime), row->disruption);
	assert_int_equal(cost.reschedule, row->reschedule);
	assert_int_equal(plm_cost_is_empty(&cost), row->empty);
}
PLM_TEST_ROWS(node_row, struct node_case)

static const struct savings_case {
	const char *why;
	int64_t price_a, price_b; /* micro-USD per hour */
	int64_t pods_a, pods_b;	  /* plain pods that move */
	int order;
} savings_table[] = {
	{"the dearer of two empty nodes", 192000, 96000, 0, 0, 1},
	{"equal", 96000, 96000, 3, 3, 0},
	{"the one with fewer pods", 96000, 96000, 1, 2, 1},
	{"twice the price for twice the cost", 192000, 96000, 3, 1, 0},
	{"a little less than twice", 191999, 96000, 3, 1, -1},
	{"a price that is not known is none", PLM_UNSET, 0, 0, 0, 0},
	{"the dearest there is", INT64_MAX, INT64_MAX - 1, 100, 100, 1},
};

static void savings_row(const struct savings_case *row)
{
	struct plm_node_cost a = plm_cost_none();
	struct plm_node_cost b = plm_cost_none();

	for (int64_t i = 0; i < row->pods_a; i++) {
		plm_cost_add(&a, ONE, true);
	}
	for (int64_t i = 0; i < row->pods_b; i++) {
		plm_cost_add(&b, ONE, true);
	}
	assert_int_equal(plm_ratio_compare(plm_cost_savings(row->price_a, &a),
					   plm_cost_savings(row->price_b, &b)),
			 row->order);
	assert_int_equal(plm_ratio_compare(plm_cost_savings(row->price_b, &b),
					   plm_cost_savings(row->price_a, &a)),
			 -row->order);
}
PLM_TEST_ROWS(savings_row, struct savings_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, eviction_row, eviction_table);
	PLM_TEST_TABLE(&tests, lifetime_row, lifetime_table);
	PLM_TEST_TABLE(&tests, node_row, node_table);
	PLM_TEST_TABLE(&tests, savings_row, savings_table);
	return plm_tests_run(&tests, "cost");
}
