/* The requirement algebra, one row per pair of operators: karpenter.md 2.4. */
#include "sched_words.h"

static struct words world;

static const struct pair_case {
	const char *why;
	const char *a, *b;
	const char *both; /* of a and b; the order must not matter */
	bool meets;
} pair_table[] = {
	{"In and In: what both have", "In a,b", "In b,c", "In b", true},
	{"In and In: nothing in common", "In a", "In b", "DoesNotExist", false},
	{"In and NotIn: what is not excluded", "In a,b", "NotIn b", "In a", true},
	{"In and NotIn: all excluded", "In a", "NotIn a,b", "DoesNotExist", false},
	{"In and Exists", "In a,b", "Exists", "In a,b", true},
	{"In and DoesNotExist", "In a", "DoesNotExist", "DoesNotExist", false},
	{"In and Gt: integers above", "In 1,5,9", "Gt 5", "In 9", true},
	{"In and Gt: none above", "In 1,5", "Gt 5", "DoesNotExist", false},
	{"In and Gt: what is no integer drops out", "In a,7", "Gt 5", "In 7", true},
	{"In and Lt: integers below", "In 1,5,9", "Lt 5", "In 1", true},
	{"In and Lt: none below", "In 5,9", "Lt 5", "DoesNotExist", false},
	{"In and Gte: the bound counts", "In 4,5,6", "Gte 5", "In 5,6", true},
	{"In and Lte: the bound counts", "In 4,5,6", "Lte 5", "In 4,5", true},
	{"NotIn and NotIn: both exclusions", "NotIn a", "NotIn b", "NotIn a,b", true},
	{"NotIn and Exists", "NotIn a", "Exists", "NotIn a", true},
	{"NotIn and DoesNotExist: empty", "NotIn a", "DoesNotExist", "DoesNotExist", false},
	{"NotIn and Gt: exclusions out of bounds drop", "NotIn 3,7", "Gt 5", "NotIn 7 >=6", true},
	{"NotIn and Lt", "NotIn 3,7", "Lt 5", "NotIn 3 <=4", true},
	{"NotIn and Gte", "NotIn 5", "Gte 5", "NotIn 5 >=5", true},
	{"NotIn and Lte", "NotIn 5,x", "Lte 5", "NotIn 5 <=5", true},
	{"Exists and Exists", "Exists", "Exists", "Exists", true},
	{"Exists and DoesNotExist", "Exists", "DoesNotExist", "DoesNotExist", false},
	{"Exists and Gt", "Exists", "Gt 5", "Exists >=6", true},
	{"Exists and Lt", "Exists", "Lt 5", "Exists <=4", true},
	{"Exists and Gte", "Exists", "Gte 5", "Exists >=5", true},
	{"Exists and Lte", "Exists", "Lte 5", "Exists <=5", true},
	{"DoesNotExist and DoesNotExist", "DoesNotExist", "DoesNotExist", "DoesNotExist", false},
	{"DoesNotExist and Gt", "DoesNotExist", "Gt 5", "DoesNotExist", false},
	{"DoesNotExist and Lt", "DoesNotExist", "Lt 5", "DoesNotExist", false},
	{"DoesNotExist and Gte", "DoesNotExist", "Gte 5", "DoesNotExist", false},
	{"DoesNotExist and Lte", "DoesNotExist", "Lte 5", "DoesNotExist", false},
	{"Gt and Gt: the higher", "Gt 3", "Gt 5", "Exists >=6", true},
	{"Gt and Lt: a range", "Gt 3", "Lt 9", "Exists >=4 <=8", true},
	{"Gt and Lt: nothing between", "Gt 3", "Lt 4", "DoesNotExist", false},
	{"Gt and Gte", "Gt 3", "Gte 9", "Exists >=9", true},
	{"Gt and Lte: one value", "Gt 3", "Lte 4", "Exists >=4 <=4", true},
	{"Lt and Lt: the lower", "Lt 3", "Lt 5", "Exists <=2", true},
	{"Lt and Gte", "Lt 5", "Gte 5", "DoesNotExist", false},
	{"Lt and Lte", "Lt 5", "Lte 5", "Exists <=4", true},
	{"Gte and Gte", "Gte 5", "Gte 3", "Exists >=5", true},
	{"Gte and Lte: the same number", "Gte 5", "Lte 5", "Exists >=5 <=5", true},
	{"Gte and Lte: crossed", "Gte 6", "Lte 5", "DoesNotExist", false},
	{"Lte and Lte", "Lte 5", "Lte 3", "Exists <=3", true},
	{"Gt of the greatest integer is empty", "Gt 9223372036854775807", "Exists", "DoesNotExist",
	 false},
	{"a bound that is no integer is empty", "Gt five", "Exists", "DoesNotExist", false},
};

static void pair_row(const struct pair_case *row)
{
	struct plm_req a = words_req(&world, "k", row->a);
	struct plm_req b = words_req(&world, "k", row->b);
	struct plm_req both = plm_req_intersect(&world.sched, &a, &b);
	struct plm_req turned = plm_req_intersect(&world.sched, &b, &a);

	assert_string_equal(words_show(&world, &both), row->both);
	assert_true(plm_req_equal(&both, &turned));
	assert_int_equal(plm_req_meets(&world.sched, &a, &b), row->meets);
	assert_int_equal(plm_req_meets(&world.sched, &b, &a), row->meets);
}
PLM_TEST_ROWS(pair_row, struct pair_case)

static const struct has_case {
	const char *why;
	const char *req, *value;
	bool has;
} has_table[] = {
	{"In has its values", "In a,b", "b", true},
	{"In has no others", "In a,b", "c", false},
	{"NotIn has all others", "NotIn a", "c", true},
	{"NotIn has none of its own", "NotIn a", "a", false},
	{"Exists has everything", "Exists", "x", true},
	{"DoesNotExist has nothing", "DoesNotExist", "x", false},
	{"Gt does not have the bound", "Gt 5", "5", false},
	{"Gt has what is above", "Gt 5", "6", true},
	{"Gte has the bound", "Gte 5", "5", true},
	{"Lt does not have the bound", "Lt 5", "5", false},
	{"Lte has the bound", "Lte 5", "5", true},
	{"bounds have integers only", "Lte 5", "a", false},
	{"a sign is an integer's", "Lt 0", "-3", true},
};

static void has_row(const struct has_case *row)
{
	struct plm_req req = words_req(&world, "k", row->req);

	assert_int_equal(plm_req_has(&world.sched, &req, word(&world, row->value)), row->has);
}
PLM_TEST_ROWS(has_row, struct has_case)

static const struct fit_case {
	const char *why;
	const char *supplier, *asked;
	bool known_ok, fits;
	const char *bad; /* the key that does not fit */
} fit_table[] = {
	{"nothing asked", "zone In a", "", false, true, NULL},
	{"an own label must be there", "zone In a", "team In x", true, false, "team"},
	{"a well-known label need not be", "team In x", "topology.kubernetes.io/zone In a", true,
	 true, NULL},
	{"on a node it must", "team In x", "topology.kubernetes.io/zone In a", false, false,
	 "topology.kubernetes.io/zone"},
	{"NotIn of a missing label is fine", "zone In a", "team NotIn x", false, true, NULL},
	{"DoesNotExist of a missing label is fine", "zone In a", "team DoesNotExist", false, true,
	 NULL},
	{"Exists of a missing label is not", "zone In a", "team Exists", false, false, "team"},
	{"values must meet", "team In x", "team In y", false, false, "team"},
	{"two refusals agree", "team NotIn x", "team DoesNotExist", false, true, NULL},
	{"a refusal against a value", "team DoesNotExist", "team In x", false, false, "team"},
	{"the supplier's other labels do not matter", "a In 1; b In 2; c In 3", "b In 2", false,
	 true, NULL},
	{"an old name is the same label", "topology.kubernetes.io/zone In a",
	 "failure-domain.beta.kubernetes.io/zone In a", false, true, NULL},
};

static void fit_row(const struct fit_case *row)
{
	struct plm_reqs supplier = words_reqs(&world, row->supplier);
	struct plm_reqs asked = words_reqs(&world, row->asked);
	plm_sym bad = {0};

	assert_int_equal(plm_reqs_compatible(&world.sched, &supplier, &asked, row->known_ok, &bad),
			 row->fits);
	if (row->bad != NULL) {
		plm_assert_text(plm_sched_text(&world.sched, bad), row->bad);
	}
}
PLM_TEST_ROWS(fit_row, struct fit_case)

static void minimum_values_are_the_greater(void **state)
{
	struct plm_expr a = words_expr(&world, "k", "In a,b,c");
	struct plm_expr b = words_expr(&world, "k", "DoesNotExist");
	struct plm_req both;
	struct plm_req x;
	struct plm_req y;

	(void)state;
	a.min_values = 3;
	b.min_values = 1;
	x = plm_req_of(&world.sched, &a);
	y = plm_req_of(&world.sched, &b);
	both = plm_req_intersect(&world.sched, &x, &y);
	assert_int_equal(both.min_values, 3);
}

static void a_set_has_one_requirement_per_key(void **state)
{
	struct plm_reqs set = words_reqs(&world, "b In 1,2; a Exists; b In 2,3; c Gt 1");

	(void)state;
	assert_int_equal(set.count, 3);
	assert_string_equal(words_show(&world, plm_reqs_get(&set, word(&world, "b"))), "In 2");
	assert_null(plm_reqs_get(&set, word(&world, "d")));
}

int main(void)
{
	static struct plm_tests tests;
	int failed = 0;

	words_begin(&world);
	PLM_TEST_TABLE(&tests, pair_row, pair_table);
	PLM_TEST_TABLE(&tests, has_row, has_table);
	PLM_TEST_TABLE(&tests, fit_row, fit_table);
	PLM_TEST_ADD(&tests, minimum_values_are_the_greater);
	PLM_TEST_ADD(&tests, a_set_has_one_requirement_per_key);
	failed = plm_tests_run(&tests, "requirement");
	words_end(&world);
	return failed;
}
