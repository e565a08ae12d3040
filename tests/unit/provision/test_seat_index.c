/*
 * A step that takes seats and pods from the index decides what a step does that reads all tables, after
 * every event of random histories of nodes, claims and pods; and the index is what it would be made anew.
 */
#include <stdio.h>
#include <stdlib.h>

#include "yard.h"

#include "reducers/provision/pass.h"

#define WORLDS 40
#define WORLDS_SHORT 6
#define ACTS 60
#define PODS 24
#define NODES 6

static unsigned roll(uint64_t *dice, unsigned sides)
{
	return (unsigned)plm_test_below(dice, sides);
}

static struct plm_slice s(struct yard *y, const char *text)
{
	return plm_arena_copy(&y->texts, plm_slice_str(text));
}

/* ---- facts ------------------------------------------------------------------------------------- */

/* Keeps pods with its label off its host, or is spread over zones with them. */
static void constrain(struct yard *y, uint64_t *dice, struct plm_w_shape *shape)
{
	struct plm_w_expr expr = {.key = s(y, "app"), .op = PLM_OP_IN};
	struct plm_slice value = s(y, roll(dice, 2) == 0 ? "x" : "z");
	struct plm_w_expr *exprs = PLM_NEW(&y->texts, struct plm_w_expr);
	struct plm_slice *values = PLM_NEW(&y->texts, struct plm_slice);
	struct plm_w_affinity *term = PLM_NEW(&y->texts, struct plm_w_affinity);
	struct plm_w_spread *spread = PLM_NEW(&y->texts, struct plm_w_spread);

	*values = value;
	expr.values = (struct plm_vec){values, 1};
	*exprs = expr;
	term->topology_key = s(y, "kubernetes.io/hostname");
	term->selector = (struct plm_w_selector){.present = 1, .exprs = {exprs, 1}};
	spread->topology_key = s(y, "topology.kubernetes.io/zone");
	spread->max_skew = 1;
	spread->min_domains = PLM_UNSET;
	spread->selector = term->selector;
	if (roll(dice, 2) == 0) {
		shape->anti_affinity = (struct plm_vec){term, 1};
	} else {
		shape->spread = (struct plm_vec){spread, 1};
	}
}

static void fold_some_pod(struct yard *y, uint64_t *dice)
{
	char name[16];
	char node[16];
	struct plm_w_pod pod;
	struct plm_w_kv *label = PLM_NEW(&y->texts, struct plm_w_kv);

	(void)snprintf(name, sizeof(name), "p%u", roll(dice, PODS));
	(void)snprintf(node, sizeof(node), "n%u", roll(dice, NODES + 1));
	pod = yard_pod(y, name, 250 * (1 + roll(dice, 8)), roll(dice, 6) == 0 ? 1 : 0);
	pod.meta.name = s(y, name);
	pod.meta.uid = pod.meta.name;
	*label = (struct plm_w_kv){s(y, "app"), s(y, roll(dice, 2) == 0 ? "x" : "z")};
	pod.meta.labels = (struct plm_vec){label, 1};
	if (roll(dice, 3) == 0) {
		constrain(y, dice, &pod.shape);
	}
	if (roll(dice, 2) == 0) {
		pod.node = s(y, node);
		pod.unschedulable = 0;
		pod.phase = roll(dice, 5) == 0 ? PLM_PHASE_SUCCEEDED : PLM_PHASE_RUNNING;
	}
	if (roll(dice, 6) == 0) {
		pod.meta.deleting_ms = y->now_ms;
	}
	yard_fold(y, PLM_EV_POD, &pod);
}

static void fold_some_node(struct yard *y, uint64_t *dice)
{
	char name[16];
	struct plm_w_amount *rows = PLM_NEW_ARRAY(&y->texts, 3, struct plm_w_amount);
	struct plm_w_node node = {.ready = 1, .unschedulable = roll(dice, 6) == 0};
	struct plm_w_kv *label = PLM_NEW(&y->texts, struct plm_w_kv);

	(void)snprintf(name, sizeof(name), "n%u", roll(dice, NODES));
	rows[0] = (struct plm_w_amount){s(y, "cpu"), 1000 * (int64_t)roll(dice, 9)};
	rows[1] = (struct plm_w_amount){s(y, "memory"), INT64_C(16) << 30};
	rows[2] = (struct plm_w_amount){s(y, "pods"), roll(dice, 6)};
	node.meta = yard_meta("", name);
	node.meta.name = s(y, name);
	node.meta.uid = node.meta.name;
	*label = (struct plm_w_kv){s(y, "topology.kubernetes.io/zone"),
				   s(y, roll(dice, 2) == 0 ? "a" : "b")};
	node.meta.labels = (struct plm_vec){label, 1};
	node.capacity = (struct plm_vec){rows, 3};
	node.allocatable = node.capacity;
	if (roll(dice, 8) == 0) {
		node.meta.deleting_ms = y->now_ms;
	}
	yard_fold(y, PLM_EV_NODE, &node);
}

static void fold_gone(struct yard *y, uint64_t *dice)
{
	char name[16];
	bool pod = roll(dice, 2) == 0;
	struct plm_w_gone gone = {.kind = pod ? PLM_KIND_POD : PLM_KIND_NODE};

	(void)snprintf(name, sizeof(name), "%c%u", pod ? 'p' : 'n', roll(dice, pod ? PODS : NODES));
	gone.ns = s(y, pod ? "ns" : "");
	gone.name = s(y, name);
	yard_fold(y, PLM_EV_GONE, &gone);
}

/* A claim that was asked for is launched, refused, or its node comes. */
static void answer(struct yard *y, uint64_t *dice)
{
	plm_id id = plm_node_claim_next(&y->st, (plm_id){0});
	char name[64];
	char node[72];

	for (unsigned n = roll(dice, 3); n > 0 && id.n != 0; n--) {
		id = plm_node_claim_next(&y->st, id);
	}
	if (id.n == 0 || plm_node_claim_at(&y->st, id)->intent == 0) {
		return;
	}
	(void)snprintf(
		name, sizeof(name), "%.*s",
		(int)plm_str(&y->st, plm_node_claim_at(&y->st, id)->object.name).size,
		(const char *)plm_str(&y->st, plm_node_claim_at(&y->st, id)->object.name).ptr);
	(void)snprintf(node, sizeof(node), "%s-node", name);
	if (plm_node_claim_at(&y->st, id)->phase == PLM_CLAIM_WANTED) {
		yard_launched(y, name, roll(dice, 2) == 0 ? "small" : "large");
	} else {
		yard_joined(y, name, node);
	}
}

static void act(struct yard *y, uint64_t *dice)
{
	switch (roll(dice, 8)) {
	case 0:
	case 1:
		fold_some_node(y, dice);
		break;
	case 2:
		fold_gone(y, dice);
		break;
	case 3:
		answer(y, dice);
		break;
	default:
		fold_some_pod(y, dice);
		break;
	}
}

/* ---- both ways --------------------------------------------------------------------------------- */

static void same_texts(const struct plm_vec *a, const struct plm_vec *b)
{
	const struct plm_slice *x = a->ptr;
	const struct plm_slice *z = b->ptr;

	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_true(plm_slice_equal(x[i], z[i]));
	}
}

static void same_why(const struct plm_w_explain *a, const struct plm_w_explain *b)
{
	assert_int_equal(a->rule, b->rule);
	assert_int_equal(a->need, b->need);
	assert_int_equal(a->have, b->have);
	assert_int_equal(a->limit, b->limit);
	assert_true(plm_slice_equal(a->name, b->name));
	assert_true(plm_slice_equal(a->object, b->object));
	assert_true(plm_slice_equal(a->resource, b->resource));
}

static void same_item(const struct plm_out_item *a, const struct plm_out_item *b)
{
	assert_int_equal(a->type, b->type);
	if (a->type == PLM_EV_NOMINATE) {
		const struct plm_w_nominate *x = a->payload;
		const struct plm_w_nominate *z = b->payload;

		assert_true(plm_slice_equal(x->target, z->target));
		same_texts(&x->pods, &z->pods);
	} else if (a->type == PLM_EV_CLAIM) {
		const struct plm_w_claim *x = a->payload;
		const struct plm_w_claim *z = b->payload;

		assert_true(plm_slice_equal(x->name, z->name));
		same_texts(&x->types, &z->types);
		same_why(&x->why, &z->why);
	} else if (a->type == PLM_EV_EXPLAINED) {
		same_why(&((const struct plm_w_explained *)a->payload)->why,
			 &((const struct plm_w_explained *)b->payload)->why);
	}
}

static struct plm_out step(struct yard *y)
{
	struct plm_cycle_run run = {.cycle = {.now_ms = y->now_ms, .budget = 1000000}};
	struct plm_out out;

	plm_out_init(&out, &y->step);
	(void)plm_provision_step(&y->st, &run, &y->step, &out);
	return out;
}

/* Returns how much was decided. */
static uint32_t same_steps(struct yard *y)
{
	struct plm_out by_index;
	struct plm_out by_tables;

	plm_arena_reset(&y->step);
	assert_true(y->st.pods.filled);
	by_index = step(y);
	y->st.pods.filled = false;
	by_tables = step(y);
	y->st.pods.filled = true;
	assert_int_equal(by_index.count, by_tables.count);
	for (uint32_t handle = 1; handle <= by_index.count; handle++) {
		same_item(plm_out_item(&by_index, handle), plm_out_item(&by_tables, handle));
	}
	return by_index.count;
}

static void one_daemon(struct yard *y)
{
	struct plm_w_daemon_set set = {.meta = yard_meta("ns", "agent")};
	struct plm_w_amount *cpu = PLM_NEW(&y->texts, struct plm_w_amount);

	*cpu = (struct plm_w_amount){s(y, "cpu"), 100};
	set.template = (struct plm_w_pod_set_spec){
		.name = s(y, "main"),
		.count = 1,
		.min_count = PLM_UNSET,
		.shape = {.requests = {cpu, 1}, .priority = PLM_UNSET},
	};
	yard_fold(y, PLM_EV_DAEMON_SET, &set);
}

static uint32_t live(uint64_t seed)
{
	void *state = NULL;
	struct yard *y = NULL;
	struct plm_w_node_pool pool = yard_pool("pool");
	uint64_t dice = seed * 7919 + 1;
	uint32_t decided = 0;

	assert_int_equal(yard_open(&state), 0);
	y = state;
	y->config.compat = seed % 2 == 0 ? PLM_COMPAT_STRICT : PLM_COMPAT_BETTER;
	yard_fold(y, PLM_EV_CONFIG, &y->config);
	yard_add_pool(y, &pool);
	if (seed % 3 == 0) {
		one_daemon(y);
	}
	for (unsigned i = 0; i < ACTS; i++) {
		act(y, &dice);
		if (roll(&dice, 3) == 0) {
			yard_at(y, 1000 * (int64_t)i);
			decided += same_steps(y);
			yard_run(y, roll(&dice, 4) == 0 ? plm_claims_step : plm_provision_step);
			decided += same_steps(y); /* with what was decided since the CYCLE */
		}
		plm_state_check(&y->st);
	}
	(void)yard_close(&state);
	return decided;
}

static void index_or_tables(void **state)
{
	uint64_t seed = plm_test_seed() * 1000;
	unsigned worlds = getenv("PLM_SHORT") != NULL ? WORLDS_SHORT : WORLDS;
	uint32_t decided = 0;

	(void)state;
	for (unsigned i = 0; i < worlds; i++) {
		decided += live(seed + i);
	}
	assert_true(decided > worlds * 10);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, index_or_tables);
	return plm_tests_run(&tests, "seat index");
}
