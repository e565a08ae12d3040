/* Taints, selectors, host ports and the ladder of preferences. */
#include "sched_words.h"

#include "reducers/sched/ports.h"
#include "reducers/sched/selector.h"

static struct words world;

/* ---- taints ---- */

static const struct taint_case {
	const char *why;
	const char *key, *value;
	enum plm_taint_effect effect;
	const char *t_key, *t_value;
	enum plm_toleration_op op;
	enum plm_taint_effect t_effect;
	bool tolerated;
} taint_table[] = {
	{"equal in all", "k", "v", PLM_EFFECT_NO_SCHEDULE, "k", "v", PLM_TOLERATION_EQUAL,
	 PLM_EFFECT_NO_SCHEDULE, true},
	{"another value", "k", "v", PLM_EFFECT_NO_SCHEDULE, "k", "w", PLM_TOLERATION_EQUAL,
	 PLM_EFFECT_NO_SCHEDULE, false},
	{"Exists takes any value", "k", "v", PLM_EFFECT_NO_SCHEDULE, "k", "", PLM_TOLERATION_EXISTS,
	 PLM_EFFECT_NO_SCHEDULE, true},
	{"no effect is every effect", "k", "v", PLM_EFFECT_NO_EXECUTE, "k", "v",
	 PLM_TOLERATION_EQUAL, PLM_EFFECT_ANY, true},
	{"another effect", "k", "v", PLM_EFFECT_NO_EXECUTE, "k", "v", PLM_TOLERATION_EQUAL,
	 PLM_EFFECT_NO_SCHEDULE, false},
	{"no key and Exists is everything", "k", "v", PLM_EFFECT_NO_SCHEDULE, "", "",
	 PLM_TOLERATION_EXISTS, PLM_EFFECT_ANY, true},
	{"another key", "k", "v", PLM_EFFECT_NO_SCHEDULE, "l", "v", PLM_TOLERATION_EQUAL,
	 PLM_EFFECT_ANY, false},
	{"preferring taints are hard first", "k", "", PLM_EFFECT_PREFER_NO_SCHEDULE, "l", "",
	 PLM_TOLERATION_EXISTS, PLM_EFFECT_ANY, false},
	{"Lt compares integers", "k", "5", PLM_EFFECT_NO_SCHEDULE, "k", "6", PLM_TOLERATION_LT,
	 PLM_EFFECT_ANY, true},
	{"Gt compares integers", "k", "5", PLM_EFFECT_NO_SCHEDULE, "k", "6", PLM_TOLERATION_GT,
	 PLM_EFFECT_ANY, false},
	{"Gt of no integer", "k", "x", PLM_EFFECT_NO_SCHEDULE, "k", "6", PLM_TOLERATION_GT,
	 PLM_EFFECT_ANY, false},
};

static void taint_row(const struct taint_case *row)
{
	struct plm_taint taint = {.key = word(&world, row->key),
				  .value = word(&world, row->value),
				  .effect = row->effect};
	struct plm_toleration toleration = {.key = word(&world, row->t_key),
					    .value = word(&world, row->t_value),
					    .op = row->op,
					    .effect = row->t_effect};
	struct plm_tolerations tolerations = {&toleration, 1, false};
	struct plm_taints taints = {&taint, 1};

	assert_int_equal(plm_taint_tolerated(&world.sched, &taint, &tolerations), row->tolerated);
	assert_int_equal(plm_taints_refuse(&world.sched, &taints, &tolerations) == NULL,
			 row->tolerated);
}
PLM_TEST_ROWS(taint_row, struct taint_case)

static void soft_taints_are_tolerated_at_last(void **state)
{
	struct plm_taint taint = {.key = word(&world, "k"),
				  .effect = PLM_EFFECT_PREFER_NO_SCHEDULE};
	struct plm_tolerations none = {NULL, 0, false};
	struct plm_tolerations soft = {NULL, 0, true};

	(void)state;
	assert_false(plm_taint_tolerated(&world.sched, &taint, &none));
	assert_true(plm_taint_tolerated(&world.sched, &taint, &soft));
}

static const struct starting_case {
	const char *why;
	const char *key, *value;
	enum plm_taint_effect effect;
	bool ephemeral;
} starting_table[] = {
	{"not ready", "node.kubernetes.io/not-ready", "", PLM_EFFECT_NO_SCHEDULE, true},
	{"not ready, evicting", "node.kubernetes.io/not-ready", "", PLM_EFFECT_NO_EXECUTE, true},
	{"unreachable", "node.kubernetes.io/unreachable", "", PLM_EFFECT_NO_SCHEDULE, true},
	{"unreachable, evicting", "node.kubernetes.io/unreachable", "", PLM_EFFECT_NO_EXECUTE,
	 false},
	{"cloud provider", "node.cloudprovider.kubernetes.io/uninitialized", "true",
	 PLM_EFFECT_NO_SCHEDULE, true},
	{"unregistered", "karpenter.sh/unregistered", "", PLM_EFFECT_NO_EXECUTE, true},
	{"readiness gate", "readiness.k8s.io/cni", "", PLM_EFFECT_NO_SCHEDULE, true},
	{"any other", "team", "a", PLM_EFFECT_NO_SCHEDULE, false},
};

static void starting_row(const struct starting_case *row)
{
	struct plm_taint taint = {.key = word(&world, row->key),
				  .value = word(&world, row->value),
				  .effect = row->effect};

	assert_int_equal(plm_taint_ephemeral(&world.sched, &taint), row->ephemeral);
}
PLM_TEST_ROWS(starting_row, struct starting_case)

/* ---- selectors ---- */

static const struct selector_case {
	const char *why;
	const char *expr; /* on label "app"; NULL = an empty selector */
	const char *labels;
	bool matches;
} selector_table[] = {
	{"empty selects all", NULL, "app=web", true},
	{"In", "In web,db", "app=web", true},
	{"In, another", "In db", "app=web", false},
	{"In, missing", "In db", "tier=x", false},
	{"NotIn", "NotIn db", "app=web", true},
	{"NotIn, missing", "NotIn db", "tier=x", true},
	{"Exists", "Exists", "app=web", true},
	{"Exists, missing", "Exists", "tier=x", false},
	{"DoesNotExist", "DoesNotExist", "tier=x", true},
	{"DoesNotExist, there", "DoesNotExist", "app=web", false},
	{"Gt", "Gt 4", "app=5", true},
	{"Lt", "Lt 4", "app=5", false},
};

static void selector_row(const struct selector_case *row)
{
	struct plm_selector selector = {.present = 1};
	struct plm_selector absent = {0};
	plm_sym labels = words_labels(&world, row->labels);

	if (row->expr != NULL) {
		struct plm_expr expr = words_expr(&world, "app", row->expr);

		selector.exprs = plm_intern_span(&world.st, &expr, 1, sizeof(expr));
	}
	assert_int_equal(plm_selector_matches(world.sched.st, &selector, labels), row->matches);
	assert_false(plm_selector_matches(world.sched.st, &absent, labels));
}
PLM_TEST_ROWS(selector_row, struct selector_case)

/* ---- ports ---- */

static plm_sym port(const char *ip, const char *protocol, int64_t number)
{
	struct plm_port one = {
		.ip = word(&world, ip), .protocol = word(&world, protocol), .port = number};

	return plm_intern_span(&world.st, &one, 1, sizeof(one));
}

static const struct port_case {
	const char *why;
	const char *a_ip, *a_protocol;
	int64_t a_port;
	const char *b_ip, *b_protocol;
	int64_t b_port;
	bool conflict;
} port_table[] = {
	{"the same", "", "TCP", 80, "", "TCP", 80, true},
	{"another port", "", "TCP", 80, "", "TCP", 81, false},
	{"another protocol", "", "TCP", 80, "", "UDP", 80, false},
	{"two addresses", "10.0.0.1", "TCP", 80, "10.0.0.2", "TCP", 80, false},
	{"one address", "10.0.0.1", "TCP", 80, "10.0.0.1", "TCP", 80, true},
	{"any address", "0.0.0.0", "TCP", 80, "10.0.0.1", "TCP", 80, true},
	{"any address of six", "::", "TCP", 80, "10.0.0.1", "TCP", 80, true},
	{"no address is any", "", "TCP", 80, "10.0.0.1", "TCP", 80, true},
};

static void port_row(const struct port_case *row)
{
	plm_sym a = port(row->a_ip, row->a_protocol, row->a_port);
	plm_sym b = port(row->b_ip, row->b_protocol, row->b_port);
	const struct plm_ports *taken = plm_ports_add(&world.sched, NULL, a);

	assert_int_equal(plm_ports_conflict(&world.sched, a, b), row->conflict);
	assert_int_equal(plm_ports_taken(&world.sched, taken, b), row->conflict);
	assert_false(plm_ports_taken(&world.sched, NULL, b));
}
PLM_TEST_ROWS(port_row, struct port_case)

/* ---- the ladder of preferences ---- */

static plm_sym term(const char *key, const char *expr, int64_t weight)
{
	struct plm_expr one = words_expr(&world, key, expr);
	struct plm_term made = {.weight = weight};

	made.exprs = plm_intern_span(&world.st, &one, 1, sizeof(one));
	return plm_intern_span(&world.st, &made, 1, sizeof(made));
}

static plm_sym joined(plm_sym a, plm_sym b)
{
	struct plm_term both[2];
	uint32_t count = 0;

	both[0] = *PLM_SPAN(&world.st, a, struct plm_term, &count);
	both[1] = *PLM_SPAN(&world.st, b, struct plm_term, &count);
	return plm_intern_span(&world.st, both, 2, sizeof(*both));
}

static plm_sym spreads(enum plm_spread_when first, enum plm_spread_when second)
{
	struct plm_spread both[2] = {{.topology_key = word(&world, "z"), .when = first},
				     {.topology_key = word(&world, "h"), .when = second}};

	return plm_intern_span(&world.st, both, 2, sizeof(*both));
}

static void preferences_go_in_order(void **state)
{
	struct plm_shape shape = {
		.required = joined(term("a", "In 1", 0), term("a", "In 2", 0)),
		.required_present = 1,
		.preferred = joined(term("p", "In light", 1), term("p", "In heavy", 9)),
		.spread = spreads(PLM_SPREAD_SCHEDULE_ANYWAY, PLM_SPREAD_DO_NOT_SCHEDULE),
	};
	struct plm_ask ask = plm_ask_first(&world.sched, &shape, PLM_ASK_RESPECT);
	plm_sym p = word(&world, "p");
	plm_sym a = word(&world, "a");

	(void)state;
	assert_string_equal(words_show(&world, plm_reqs_get(&ask.reqs, p)), "In heavy");
	assert_string_equal(words_show(&world, plm_reqs_get(&ask.reqs, a)), "In 1");
	assert_null(plm_reqs_get(&ask.strict, p));
	assert_true(plm_ask_relax(&world.sched, &shape, &ask, true, &ask));
	assert_string_equal(words_show(&world, plm_reqs_get(&ask.reqs, a)), "In 2");
	assert_true(plm_ask_relax(&world.sched, &shape, &ask, true, &ask));
	assert_string_equal(words_show(&world, plm_reqs_get(&ask.reqs, p)), "In light");
	assert_true(plm_ask_relax(&world.sched, &shape, &ask, true, &ask));
	assert_null(plm_reqs_get(&ask.reqs, p));
	assert_int_equal(ask.spread_count, 2);
	assert_true(plm_ask_relax(&world.sched, &shape, &ask, true, &ask));
	assert_int_equal(ask.spread_count, 1);
	assert_int_equal(ask.spread[0], 1);
	assert_false(ask.tolerations.all_soft);
	assert_true(plm_ask_relax(&world.sched, &shape, &ask, true, &ask));
	assert_true(ask.tolerations.all_soft);
	assert_false(plm_ask_relax(&world.sched, &shape, &ask, true, &ask));
}

static void without_soft_taints_the_ladder_is_shorter(void **state)
{
	struct plm_shape shape = {.preferred = term("p", "In x", 1)};
	struct plm_ask ask = plm_ask_first(&world.sched, &shape, PLM_ASK_RESPECT);

	(void)state;
	assert_true(plm_ask_relax(&world.sched, &shape, &ask, false, &ask));
	assert_false(plm_ask_relax(&world.sched, &shape, &ask, false, &ask));
}

static void ignored_preferences_are_no_rungs(void **state)
{
	struct plm_shape shape = {
		.preferred = term("p", "In x", 1),
		.spread = spreads(PLM_SPREAD_SCHEDULE_ANYWAY, PLM_SPREAD_DO_NOT_SCHEDULE),
	};
	struct plm_ask ask = plm_ask_first(&world.sched, &shape, PLM_ASK_IGNORE);

	(void)state;
	assert_int_equal(ask.reqs.count, 0);
	assert_int_equal(ask.spread_count, 1);
	assert_false(plm_ask_relax(&world.sched, &shape, &ask, false, &ask));
}

int main(void)
{
	static struct plm_tests tests;
	int failed = 0;

	words_begin(&world);
	PLM_TEST_TABLE(&tests, taint_row, taint_table);
	PLM_TEST_ADD(&tests, soft_taints_are_tolerated_at_last);
	PLM_TEST_TABLE(&tests, starting_row, starting_table);
	PLM_TEST_TABLE(&tests, selector_row, selector_table);
	PLM_TEST_TABLE(&tests, port_row, port_table);
	PLM_TEST_ADD(&tests, preferences_go_in_order);
	PLM_TEST_ADD(&tests, without_soft_taints_the_ladder_is_shorter);
	PLM_TEST_ADD(&tests, ignored_preferences_are_no_rungs);
	failed = plm_tests_run(&tests, "match");
	words_end(&world);
	return failed;
}
