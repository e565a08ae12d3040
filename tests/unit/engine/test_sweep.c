/* Lists: what a complete one does not show is gone, whatever happens around it. */
#include "codec/codec.h"
#include "core/limits.h"
#include "engine/engine.h"
#include "engine/replay.h"
#include "hash/state_hash.h"
#include "plm_test.h"
#include "store/log_mem.h"

#include <stdio.h>

struct bench {
	struct plm_log_disk *disk;
	struct plm_log *log;
	struct plm_engine *engine;
	struct plm_arena arena;
	int64_t now_ms;
};

static int64_t wall_ns(void *self)
{
	return ((struct bench *)self)->now_ms * 1000000;
}

static int64_t boot_ms(void *self)
{
	return ((struct bench *)self)->now_ms;
}

static void start(struct bench *b)
{
	struct plm_engine_options options = {
		.clock = {b, wall_ns, boot_ms},
		.cluster_uid = "test-cluster",
		.profile = PLM_PROFILE_SMALL,
	};
	struct plm_error err;

	plm_assert_ok(plm_log_open_disk(b->disk, PLM_LOG_WRITE, &b->log, &err), &err);
	options.log = b->log;
	plm_assert_ok(plm_engine_open(&options, &b->engine, &err), &err);
}

static void stop(struct bench *b)
{
	plm_engine_close(b->engine);
	plm_log_close(b->log);
}

static void step(struct bench *b)
{
	struct plm_error err;
	bool did = false;

	b->now_ms += 10;
	plm_assert_ok(plm_engine_step(b->engine, &did, &err), &err);
}

static int setup(void **state)
{
	struct bench *b = test_calloc(1, sizeof(*b));
	struct plm_error err;

	b->disk = plm_log_disk_new();
	b->now_ms = 1767225600000;
	plm_assert_ok(plm_arena_init(&b->arena, 1U << 28, &err), &err);
	start(b);
	*state = b;
	return 0;
}

/* What was inferred is in the log: folding it gives the same state. */
static void check_replay(struct bench *b)
{
	struct plm_fold_options o = {.to = UINT64_MAX, .recompute = true};
	struct plm_fold_report report;
	struct plm_state st;
	struct plm_error err;
	struct plm_hash128 live;

	step(b);
	live = plm_state_hash_slow(plm_engine_state(b->engine));
	plm_assert_ok(plm_state_init(&st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_fold(b->log, &o, &st, &report, &err), &err);
	assert_int_equal(report.diverged, 0);
	assert_true(report.state_hash.low == live.low && report.state_hash.high == live.high);
	plm_state_fini(&st);
}

static int teardown(void **state)
{
	struct bench *b = *state;

	check_replay(b);
	stop(b);
	plm_log_disk_free(b->disk);
	plm_arena_fini(&b->arena);
	test_free(b);
	return 0;
}

/* The number of times that it had to be put. */
static uint32_t put(struct bench *b, enum plm_event_type type, const void *value,
		    enum plm_observed observed)
{
	struct plm_observation o = {
		.source = PLM_SOURCE_KUBE,
		.type = type,
		.observed = observed,
		.pos = plm_slice_str("7"),
		.payload = plm_payload_encode(plm_event_info((uint16_t)type), value,
					      (struct plm_slice){0}, &b->arena),
	};
	struct plm_error err;
	enum plm_code code = plm_engine_observe(b->engine, &o, &err);
	uint32_t times = 1;

	for (; code == PLM_E_AGAIN; times++) {
		step(b);
		code = plm_engine_observe(b->engine, &o, &err);
	}
	plm_assert_ok(code, &err);
	return times;
}

static void pod(struct bench *b, const char *name, const char *uid, int64_t generation)
{
	struct plm_w_pod pod = {
		.meta = {.ns = plm_slice_str("ns"),
			 .name = plm_slice_str(name),
			 .uid = plm_slice_str(uid),
			 .deleting_ms = PLM_UNSET,
			 .generation = generation},
	};

	(void)put(b, PLM_EV_POD, &pod, PLM_OBSERVED_FACT);
}

static void space(struct bench *b, const char *name)
{
	struct plm_w_namespace space = {
		.meta = {.name = plm_slice_str(name), .uid = plm_slice_str(name)}};

	space.meta.deleting_ms = PLM_UNSET;
	(void)put(b, PLM_EV_NAMESPACE, &space, PLM_OBSERVED_FACT);
}

static void gone(struct bench *b, const char *name, enum plm_observed observed)
{
	struct plm_w_gone gone = {.kind = PLM_KIND_POD,
				  .ns = plm_slice_str("ns"),
				  .name = plm_slice_str(name),
				  .uid = plm_slice_str(name)};

	(void)put(b, PLM_EV_GONE, &gone, observed);
}

static void begins(struct bench *b, enum plm_kind kind)
{
	struct plm_w_listed list = {.kind = kind};

	(void)put(b, PLM_EV_LISTED, &list, PLM_OBSERVED_LIST_BEGINS);
}

static uint32_t ends(struct bench *b, enum plm_kind kind)
{
	struct plm_w_listed list = {.kind = kind, .revision = plm_slice_str("7")};

	return put(b, PLM_EV_LISTED, &list, PLM_OBSERVED_FACT);
}

static bool has(struct bench *b, enum plm_kind kind, const char *ns, const char *name)
{
	return plm_find_text(plm_engine_state(b->engine), kind, ns, name).n != 0;
}

static bool has_pod(struct bench *b, const char *name)
{
	return has(b, PLM_KIND_POD, "ns", name);
}

/* Events of 'type' in the log. */
static uint32_t count(struct bench *b, enum plm_event_type type)
{
	struct plm_reader *reader = NULL;
	struct plm_logged logged = {0};
	struct plm_error err;
	uint32_t found = 0;

	step(b);
	plm_assert_ok(plm_reader_open(b->log, 1, &reader, &err), &err);
	while (plm_reader_next(reader, &logged, &err) == PLM_OK) {
		found += logged.envelope.type == type;
	}
	plm_reader_close(reader);
	return found;
}

static void what_a_list_does_not_show_is_gone(void **state)
{
	struct bench *b = *state;

	pod(b, "a", "a", 0);
	pod(b, "b", "b", 0);
	space(b, "ns");
	begins(b, PLM_KIND_POD);
	pod(b, "b", "b", 0);
	pod(b, "c", "c", 0);
	assert_true(has_pod(b, "a"));
	(void)ends(b, PLM_KIND_POD);
	assert_false(has_pod(b, "a"));
	assert_true(has_pod(b, "b"));
	assert_true(has_pod(b, "c"));
	assert_true(has(b, PLM_KIND_NAMESPACE, "", "ns"));
	assert_int_equal(plm_engine_stats(b->engine).inferred, 1);
	assert_int_equal(count(b, PLM_EV_GONE), 1);
	assert_int_equal(count(b, PLM_EV_LISTED), 1);
}

static void it_works_for_what_went_while_nobody_looked(void **state)
{
	struct bench *b = *state;

	pod(b, "a", "a", 0);
	pod(b, "b", "b", 0);
	step(b);
	stop(b);
	start(b);
	begins(b, PLM_KIND_POD);
	pod(b, "a", "a", 0);
	(void)ends(b, PLM_KIND_POD);
	assert_true(has_pod(b, "a"));
	assert_false(has_pod(b, "b"));
}

static void a_list_that_is_cut_off_makes_nothing_gone(void **state)
{
	struct bench *b = *state;

	pod(b, "a", "a", 0);
	pod(b, "b", "b", 0);
	begins(b, PLM_KIND_POD);
	pod(b, "a", "a", 0);
	begins(b, PLM_KIND_POD); /* and what the first one showed does not count */
	pod(b, "b", "b", 0);
	assert_true(has_pod(b, "a"));
	(void)ends(b, PLM_KIND_POD);
	assert_false(has_pod(b, "a"));
	assert_true(has_pod(b, "b"));
}

static void a_list_without_a_beginning_makes_nothing_gone(void **state)
{
	struct bench *b = *state;

	pod(b, "a", "a", 0);
	(void)ends(b, PLM_KIND_POD);
	assert_true(has_pod(b, "a"));
	assert_int_equal(count(b, PLM_EV_LISTED), 1);
}

static void watch_events_in_between_do_no_harm(void **state)
{
	struct bench *b = *state;

	pod(b, "a", "a", 0);
	pod(b, "b", "b", 0);
	pod(b, "c", "c", 0);
	begins(b, PLM_KIND_POD);
	pod(b, "a", "a", 0);
	gone(b, "a", PLM_OBSERVED_FACT); /* its slot is free, and marked */
	gone(b, "b", PLM_OBSERVED_FACT);
	pod(b, "b", "b2", 0);
	pod(b, "c", "c", 0);
	begins(b, PLM_KIND_NODE);
	(void)ends(b, PLM_KIND_NODE);
	(void)ends(b, PLM_KIND_POD);
	assert_false(has_pod(b, "a"));
	assert_true(has_pod(b, "b"));
	assert_true(has_pod(b, "c"));
}

static void what_stands_unread_is_not_gone(void **state)
{
	struct bench *b = *state;

	pod(b, "a", "a", 0);
	begins(b, PLM_KIND_POD);
	gone(b, "a", PLM_OBSERVED_STANDS);
	gone(b, "never-seen", PLM_OBSERVED_STANDS);
	(void)ends(b, PLM_KIND_POD);
	assert_true(has_pod(b, "a"));
	assert_int_equal(count(b, PLM_EV_GONE), 0);
}

static void a_list_that_says_nothing_new_is_not_logged(void **state)
{
	struct bench *b = *state;

	pod(b, "a", "a", 0);
	begins(b, PLM_KIND_POD);
	pod(b, "a", "a", 0);
	(void)ends(b, PLM_KIND_POD);
	assert_int_equal(count(b, PLM_EV_LISTED), 0);
	begins(b, PLM_KIND_POD);
	(void)ends(b, PLM_KIND_POD);
	assert_int_equal(count(b, PLM_EV_LISTED), 1);
	/* What is decided waits for the first list of claims and nodes. */
	for (int i = 0; i < 3; i++) {
		begins(b, PLM_KIND_NODE);
		(void)ends(b, PLM_KIND_NODE);
		begins(b, PLM_KIND_NODE_CLAIM);
		(void)ends(b, PLM_KIND_NODE_CLAIM);
	}
	assert_int_equal(count(b, PLM_EV_LISTED), 3);
	stop(b);
	start(b);
	begins(b, PLM_KIND_NODE);
	(void)ends(b, PLM_KIND_NODE);
	assert_int_equal(count(b, PLM_EV_LISTED), 4);
}

/* And for one after the API server was away. */
static void after_an_outage_the_list_of_nodes_is_news(void **state)
{
	struct bench *b = *state;
	struct plm_w_reach reach = {.source = PLM_SOURCE_KUBE, .away = 1};

	begins(b, PLM_KIND_NODE);
	(void)ends(b, PLM_KIND_NODE);
	(void)put(b, PLM_EV_REACH, &reach, PLM_OBSERVED_FACT);
	step(b);
	assert_int_not_equal(plm_root(plm_engine_state(b->engine))->kube_away_ms, PLM_UNSET);
	begins(b, PLM_KIND_NODE);
	(void)ends(b, PLM_KIND_NODE);
	assert_int_equal(count(b, PLM_EV_LISTED), 2);
	assert_int_equal(plm_root(plm_engine_state(b->engine))->kube_away_ms, PLM_UNSET);
}

/* Instances are listed without a beginning, and have no table of objects. */
static void only_objects_can_be_listed_with_a_beginning(void **state)
{
	struct bench *b = *state;
	struct plm_w_listed list = {.kind = PLM_KIND_NONE};
	struct plm_observation o = {
		.source = PLM_SOURCE_KUBE,
		.type = PLM_EV_LISTED,
		.observed = PLM_OBSERVED_LIST_BEGINS,
	};
	struct plm_error err;

	o.payload = plm_payload_encode(plm_event_info(PLM_EV_LISTED), &list, (struct plm_slice){0},
				       &b->arena);
	assert_int_equal(plm_engine_observe(b->engine, &o, &err), PLM_E_INPUT);
	(void)ends(b, PLM_KIND_NONE);
	assert_int_equal(count(b, PLM_EV_LISTED), 1);
}

/* More than a batch holds: the rest comes with the next ones, LISTED last. */
static void many_go_in_several_batches(void **state)
{
	struct bench *b = *state;
	uint32_t most = PLM_LIMIT_BATCH_FACTS * 5 / 2;
	char name[32];

	for (uint32_t i = 0; i < most; i++) {
		(void)snprintf(name, sizeof(name), "p%u", i);
		pod(b, name, name, 0);
	}
	step(b);
	begins(b, PLM_KIND_POD);
	pod(b, "p7", "p7", 0);
	assert_int_equal(ends(b, PLM_KIND_POD), 3);
	assert_true(has_pod(b, "p7"));
	assert_int_equal(plm_pod_live(plm_engine_state(b->engine)), 1);
	assert_int_equal(count(b, PLM_EV_GONE), most - 1);
}

static void an_older_view_is_dropped_but_not_in_a_list(void **state)
{
	struct bench *b = *state;

	pod(b, "a", "a", 5);
	pod(b, "a", "a", 4);
	assert_int_equal(plm_engine_stats(b->engine).stale, 1);
	pod(b, "a", "a", 6);
	pod(b, "a", "other", 1); /* another object of that name */
	assert_int_equal(plm_engine_stats(b->engine).stale, 1);
	pod(b, "a", "other", 9);
	begins(b, PLM_KIND_POD);
	pod(b, "a", "other", 3);
	(void)ends(b, PLM_KIND_POD);
	assert_int_equal(plm_engine_stats(b->engine).stale, 1);
	assert_true(has_pod(b, "a"));
}

static void other_events_are_no_signs(void **state)
{
	struct bench *b = *state;
	struct plm_w_namespace space = {.meta = {.name = plm_slice_str("x")}};
	struct plm_observation o = {
		.source = PLM_SOURCE_KUBE,
		.type = PLM_EV_NAMESPACE,
		.observed = PLM_OBSERVED_STANDS,
	};
	struct plm_error err;

	o.payload = plm_payload_encode(plm_event_info(PLM_EV_NAMESPACE), &space,
				       (struct plm_slice){0}, &b->arena);
	assert_int_equal(plm_engine_observe(b->engine, &o, &err), PLM_E_INPUT);
}

#define WITH_ENGINE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	static struct plm_tests tests;
	const struct CMUnitTest list[] = {
		WITH_ENGINE(what_a_list_does_not_show_is_gone),
		WITH_ENGINE(it_works_for_what_went_while_nobody_looked),
		WITH_ENGINE(a_list_that_is_cut_off_makes_nothing_gone),
		WITH_ENGINE(a_list_without_a_beginning_makes_nothing_gone),
		WITH_ENGINE(watch_events_in_between_do_no_harm),
		WITH_ENGINE(what_stands_unread_is_not_gone),
		WITH_ENGINE(a_list_that_says_nothing_new_is_not_logged),
		WITH_ENGINE(after_an_outage_the_list_of_nodes_is_news),
		WITH_ENGINE(only_objects_can_be_listed_with_a_beginning),
		WITH_ENGINE(many_go_in_several_batches),
		WITH_ENGINE(an_older_view_is_dropped_but_not_in_a_list),
		WITH_ENGINE(other_events_are_no_signs),
	};

	memcpy(tests.list, list, sizeof(list));
	tests.count = PLM_COUNTOF(list);
	return plm_tests_run(&tests, "sweep");
}
