/* Forged plans: the checker says what is wrong with each, and nothing of the plan that was not forged. */
#include "yard.h"

#include <stdio.h>

#include "core/pod_index.h"
#include "tools/feasible/feasible.h"

struct heard {
	char text[4096];
	uint32_t count;
};

static void hear(void *self, const char *text)
{
	struct heard *heard = self;
	size_t used = strlen(heard->text);

	(void)snprintf(heard->text + used, sizeof(heard->text) - used, "%s\n", text);
	heard->count++;
}

static void look(struct yard *y, struct heard *heard)
{
	struct plm_feasible memory = {0};
	const struct plm_feasible_says says = {.self = heard, .broken = hear};

	memset(heard, 0, sizeof(*heard));
	plm_feasible_look(&memory, &y->st, &y->scratch, &says);
	plm_feasible_end(&memory);
}

/* ---- tools of a forger --------------------------------------------------------------------------- */

static plm_sym word(struct yard *y, const char *text)
{
	return plm_intern(&y->st, plm_slice_str(text));
}

static plm_id pod_id(struct yard *y, const char *name)
{
	return plm_find_text(&y->st, PLM_KIND_POD, "ns", name);
}

static struct plm_node_claim *the_claim(struct yard *y)
{
	plm_id id = plm_node_claim_next(&y->st, (plm_id){0});

	assert_int_not_equal(id.n, 0);
	return plm_node_claim_edit(&y->st, id);
}

static struct plm_node_pool *the_pool(struct yard *y)
{
	return plm_node_pool_edit(&y->st, plm_node_pool_next(&y->st, (plm_id){0}));
}

static struct plm_shape shape_of(struct yard *y, const char *pod)
{
	uint32_t count = 0;

	return *PLM_SPAN(&y->st, plm_pod_at(&y->st, pod_id(y, pod))->shape, struct plm_shape,
			 &count);
}

static void reshape(struct yard *y, const char *pod, const struct plm_shape *shape)
{
	plm_sym span = plm_intern_span(&y->st, shape, 1, sizeof(*shape));

	plm_pod_edit(&y->st, pod_id(y, pod))->shape = span;
}

static plm_sym one_expr(struct yard *y, const char *key, enum plm_op op, const char *value)
{
	plm_sym values = word(y, value);
	struct plm_expr expr = {.key = word(y, key),
				.op = op,
				.values = plm_intern_span(&y->st, &values, 1, sizeof(values))};

	return plm_intern_span(&y->st, &expr, 1, sizeof(expr));
}

static plm_sym one_kv(struct yard *y, const char *key, const char *value)
{
	struct plm_kv kv = {word(y, key), word(y, value)};

	return plm_intern_span(&y->st, &kv, 1, sizeof(kv));
}

static plm_sym one_amount(struct yard *y, const char *resource, int64_t amount)
{
	struct plm_amount row = {.resource = word(y, resource), .amount = amount};

	return plm_intern_span(&y->st, &row, 1, sizeof(row));
}

static plm_sym one_taint(struct yard *y, const char *key)
{
	struct plm_taint taint = {.key = word(y, key), .effect = PLM_EFFECT_NO_SCHEDULE};

	return plm_intern_span(&y->st, &taint, 1, sizeof(taint));
}

static void call_it(struct yard *y, const char *pod, const char *app)
{
	plm_sym labels = one_kv(y, "app", app);

	plm_pod_edit(&y->st, pod_id(y, pod))->object.labels = labels;
}

static plm_sym near_app(struct yard *y, const char *app, const char *key)
{
	struct plm_affinity term = {
		.topology_key = word(y, key),
		.selector = {.present = 1, .exprs = one_expr(y, "app", PLM_OP_IN, app)}};

	return plm_intern_span(&y->st, &term, 1, sizeof(term));
}

static void set_types(struct yard *y, const char *type)
{
	plm_sym name = word(y, type);
	plm_sym span = plm_intern_span(&y->st, &name, 1, sizeof(name));

	the_claim(y)->types = span;
}

/* ---- forgeries ----------------------------------------------------------------------------------- */

static void nothing(struct yard *y)
{
	(void)y;
}

static void a_type_that_is_too_small(struct yard *y)
{
	set_types(y, "small");
}

static void a_type_that_nobody_has(struct yard *y)
{
	set_types(y, "huge");
}

static void no_type(struct yard *y)
{
	the_claim(y)->types = (plm_sym){0};
}

static void a_zone_that_is_not(struct yard *y)
{
	plm_sym span = one_expr(y, "topology.kubernetes.io/zone", PLM_OP_IN, "c");

	the_claim(y)->requirements = span;
}

static void out_of_stock(struct yard *y)
{
	plm_id id = plm_slot_new(&y->st, PLM_TABLE_STOCK_OUT);
	plm_sym type = word(y, "large");

	plm_stock_out_edit(&y->st, id)->instance_type = type;
	plm_stock_out_edit(&y->st, id)->until_ms = INT64_MAX;
}

static void a_limit_below(struct yard *y)
{
	plm_sym span = one_amount(y, "cpu", 7999);

	the_pool(y)->limits = span;
}

static void a_limit_of_nodes(struct yard *y)
{
	plm_sym span = one_amount(y, "nodes", 0);

	the_pool(y)->limits = span;
}

static void no_size_left(struct yard *y)
{
	the_pool(y)->max_size = 0;
}

static void a_taint(struct yard *y)
{
	plm_sym span = one_taint(y, "dedicated");

	the_claim(y)->taints = span;
}

static void a_zone_left_open(struct yard *y)
{
	struct plm_shape shape = shape_of(y, "one");

	shape.node_selector = one_kv(y, "topology.kubernetes.io/zone", "b");
	reshape(y, "one", &shape);
}

static void a_label_nobody_has(struct yard *y)
{
	struct plm_shape shape = shape_of(y, "one");

	shape.node_selector = one_kv(y, "team", "x");
	reshape(y, "one", &shape);
}

static void one_port_twice(struct yard *y)
{
	struct plm_port port = {.protocol = word(y, "TCP"), .port = 80};
	plm_sym span = plm_intern_span(&y->st, &port, 1, sizeof(port));
	struct plm_shape shape = shape_of(y, "one");

	shape.ports = span;
	reshape(y, "one", &shape);
	reshape(y, "two", &shape);
}

static void enemies_on_one_node(struct yard *y)
{
	struct plm_shape shape = shape_of(y, "one");

	shape.anti_affinity = near_app(y, "x", "kubernetes.io/hostname");
	reshape(y, "one", &shape);
	call_it(y, "two", "x");
}

static void enemies_in_open_zones(struct yard *y)
{
	struct plm_shape shape = shape_of(y, "two");

	shape.anti_affinity = near_app(y, "x", "topology.kubernetes.io/zone");
	reshape(y, "two", &shape);
	call_it(y, "one", "x");
}

static void nobody_to_be_with(struct yard *y)
{
	struct plm_shape shape = shape_of(y, "one");

	shape.affinity = near_app(y, "x", "kubernetes.io/hostname");
	reshape(y, "one", &shape);
}

static void spread(struct yard *y, const char *key)
{
	struct plm_spread rule = {
		.topology_key = word(y, key),
		.when = PLM_SPREAD_DO_NOT_SCHEDULE,
		.selector = {.present = 1, .exprs = one_expr(y, "app", PLM_OP_IN, "x")},
		.max_skew = 1,
		.min_domains = PLM_UNSET};
	plm_sym span = plm_intern_span(&y->st, &rule, 1, sizeof(rule));
	struct plm_shape shape = shape_of(y, "one");

	shape.spread = span;
	reshape(y, "one", &shape);
	reshape(y, "two", &shape);
	call_it(y, "one", "x");
	call_it(y, "two", "x");
}

static void two_on_one_node(struct yard *y)
{
	spread(y, "kubernetes.io/hostname");
}

static void a_spread_over_open_zones(struct yard *y)
{
	spread(y, "topology.kubernetes.io/zone");
}

static void daemons_forgotten(struct yard *y)
{
	struct plm_w_daemon_set set = {.meta = yard_meta("ns", "agent")};
	struct plm_w_pod pod = yard_pod(y, "agent", 3000, 0);

	set.template.name = plm_slice_str("main");
	set.template.count = 1;
	set.template.shape = pod.shape;
	yard_fold(y, PLM_EV_DAEMON_SET, &set);
}

static void too_few_values(struct yard *y)
{
	plm_sym values = word(y, "large");
	struct plm_expr expr = {.key = word(y, "node.kubernetes.io/instance-type"),
				.op = PLM_OP_IN,
				.values = plm_intern_span(&y->st, &values, 1, sizeof(values)),
				.min_values = 4};
	plm_sym span = plm_intern_span(&y->st, &expr, 1, sizeof(expr));

	the_claim(y)->requirements = span;
}

static void a_full_node(struct yard *y)
{
	yard_launched(y, (const char *)plm_str(&y->st, the_claim(y)->object.name).ptr, "small");
}

static const struct forged_case {
	const char *why;
	void (*forge)(struct yard *y);
	const char *said;
} forged_table[] = {
	{"as it was planned", nothing, NULL},
	{"a type that is too small", a_type_that_is_too_small,
	 "as small: 6000 of cpu are asked for, it has 2000"},
	{"a type that nobody has", a_type_that_nobody_has, "type huge is not in the catalogue"},
	{"no type", no_type, NULL}, /* decided by nobody: not ours to judge */
	{"a zone that is not", a_zone_that_is_not, "does not meet its requirement on topology"},
	{"out of stock", out_of_stock, "type large cannot be bought within its requirements"},
	{"a limit", a_limit_below, "pool pool: 8000 of cpu, its limit is 7999"},
	{"a limit of nodes", a_limit_of_nodes, "pool pool: 1 of nodes, its limit is 0"},
	{"no size left", no_size_left, "pool pool: 1 nodes, maxSize is 0"},
	{"a taint", a_taint, "taint dedicated keeps it off"},
	{"a zone left open", a_zone_left_open, "the node is not what it asks for"},
	{"a label nobody has", a_label_nobody_has, "the node is not what it asks for"},
	{"one port twice", one_port_twice, "want the same port of one node"},
	{"enemies on one node", enemies_on_one_node, "must not be in one domain"},
	{"enemies in zones that are open", enemies_in_open_zones, "must not be in one domain"},
	{"nobody to be with", nobody_to_be_with, "nobody that it wants to be with"},
	{"two on one node", two_on_one_node, "2 of its kind in its kubernetes.io/hostname"},
	{"a spread over open zones", a_spread_over_open_zones, "may be in 2 of them"},
	{"daemons forgotten", daemons_forgotten, "9000 of cpu are asked for, it has 8000"},
	{"too few values", too_few_values, "4 are the least"},
	{"a smaller node came", a_full_node, "6000 of cpu are asked for, it has 2000"},
};

static void forged_row(const struct forged_case *row)
{
	void *state = NULL;
	struct yard *y = NULL;
	struct plm_w_node_pool pool = yard_pool("pool");
	struct heard heard;

	assert_int_equal(yard_open(&state), 0);
	y = state;
	yard_add_pool(y, &pool);
	yard_add_pod(y, "one", 3000, 0);
	yard_add_pod(y, "two", 3000, 0);
	yard_at(y, 1);
	yard_run(y, plm_provision_step);
	look(y, &heard);
	assert_string_equal(heard.text, "");
	row->forge(y);
	plm_pod_index_settle(&y->st);
	look(y, &heard);
	if (row->said == NULL) {
		assert_string_equal(heard.text, "");
	} else {
		assert_non_null(strstr(heard.text, row->said));
	}
	assert_int_equal(yard_close(&state), 0);
}
PLM_TEST_ROWS(forged_row, struct forged_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, forged_row, forged_table);
	return plm_tests_run(&tests, "feasible");
}
