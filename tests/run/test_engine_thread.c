/*
 * test_engine_thread.c - the engine thread around an engine that is made for the test
 *
 * The functions of engine/engine.h that the thread calls are defined here and stand in for the real
 * ones when this program is linked, so that batches, failures and timers can be made to happen.
 */
#include "plm_test.h"

#include <pthread.h>
#include <stdatomic.h>

#include "clock.h"
#include "engine_thread.h"

#define BATCH 8

/* Touched by the engine thread only, but for the atomics. */
struct plm_engine {
	uint64_t in_batch, largest_batch, next_intent;
	atomic_ullong committed, steps, refused;
	uint64_t fail_at_step; /* 0 = never */
	enum plm_code fail_code;
	bool out_of_order;
	atomic_llong due_ms;
};

enum plm_code plm_engine_observe(struct plm_engine *engine,
				 const struct plm_observation *observation, struct plm_error *err)
{
	if (observation->type == PLM_EV_MARK) {
		engine->refused++;
		return plm_fail(err, PLM_E_INPUT, "MARK: not canonical");
	}
	if (engine->in_batch == BATCH) {
		return PLM_E_AGAIN;
	}
	engine->out_of_order |= observation->intent != engine->next_intent;
	engine->next_intent++;
	engine->in_batch++;
	return PLM_OK;
}

enum plm_code plm_engine_step(struct plm_engine *engine, bool *out_did, struct plm_error *err)
{
	if (++engine->steps == engine->fail_at_step) {
		return plm_fail(err, engine->fail_code, "the disk is gone");
	}
	*out_did = engine->in_batch > 0;
	if (engine->in_batch > engine->largest_batch) {
		engine->largest_batch = engine->in_batch;
	}
	engine->committed += engine->in_batch;
	engine->in_batch = 0;
	if (engine->due_ms != PLM_UNSET) {
		engine->due_ms = PLM_UNSET;
		*out_did = true;
	}
	return PLM_OK;
}

int64_t plm_engine_next_due(const struct plm_engine *engine)
{
	return engine->due_ms;
}

/* Only its number is looked at. */
const struct plm_state *plm_engine_state(const struct plm_engine *engine)
{
	static struct plm_state st;

	st.seq = engine->committed;
	return &st;
}

struct plm_engine_stats plm_engine_stats(const struct plm_engine *engine)
{
	return (struct plm_engine_stats){.facts = engine->committed};
}

struct plm_log_head plm_engine_head(const struct plm_engine *engine)
{
	return (struct plm_log_head){.seq = engine->committed};
}

static atomic_int notified;

static void notify(void *self)
{
	(void)self;
	notified++;
}

static struct plm_engine engine;
static struct plm_ring *ring;
static struct plm_engine_thread *thread;

static void begin(void)
{
	struct plm_error err;

	engine = (struct plm_engine){.due_ms = PLM_UNSET};
	notified = 0;
	plm_assert_ok(plm_ring_new(4096, 32, &ring, &err), &err);
}

static void start(void)
{
	const struct plm_engine_thread_options options = {
		.engine = &engine, .ring = ring, .clock = plm_clock_system(), .notify = notify};
	struct plm_error err;

	plm_assert_ok(plm_engine_thread_start(&options, &thread, &err), &err);
}

static struct plm_engine_report end(void)
{
	struct plm_engine_report report;

	plm_engine_thread_stop(thread);
	report = plm_engine_thread_join(thread);
	plm_ring_free(ring);
	return report;
}

static void put(enum plm_event_type type, uint64_t intent)
{
	const struct plm_observation in = {.type = type, .intent = intent};

	while (plm_ring_put(ring, &in) == PLM_E_AGAIN) {
	}
}

static void all_is_committed_in_order_and_in_batches(void **state)
{
	struct plm_engine_report report;

	(void)state;
	begin();
	for (uint64_t i = 0; i < 20; i++) {
		put(PLM_EV_GONE, i);
	}
	start();
	for (uint64_t i = 20; i < 2000; i++) {
		put(PLM_EV_GONE, i);
	}
	report = end();
	assert_true(report.ended);
	assert_int_equal(report.code, PLM_OK);
	assert_int_equal(engine.committed, 2000);
	assert_int_equal(report.stats.facts, 2000);
	assert_int_equal(report.seq, 2000);
	assert_true(report.batch_boot_ms > 0);
	assert_false(engine.out_of_order);
	assert_int_equal(engine.largest_batch, BATCH);
	assert_true(notified > 0);
}

static void what_is_in_the_ring_is_committed_before_the_end(void **state)
{
	(void)state;
	begin();
	for (uint64_t i = 0; i < 30; i++) {
		put(PLM_EV_GONE, i);
	}
	start();
	(void)end();
	assert_int_equal(engine.committed, 30);
}

static void a_failed_commit_ends_the_thread_and_says_so(void **state)
{
	struct plm_engine_report report;

	(void)state;
	begin();
	engine.fail_at_step = 3;
	engine.fail_code = PLM_E_IO;
	start();
	for (uint64_t i = 0; i < 20; i++) {
		put(PLM_EV_GONE, i);
	}
	while (!plm_engine_thread_report(thread).ended) {
		plm_ring_wake(ring);
	}
	assert_int_equal(engine.steps, 3);
	report = end();
	assert_int_equal(report.code, PLM_E_IO);
	assert_string_equal(report.err.text, "the disk is gone");
}

static void a_bad_observation_is_counted_and_left_out(void **state)
{
	struct plm_engine_report report;

	(void)state;
	begin();
	put(PLM_EV_GONE, 0);
	put(PLM_EV_MARK, 0);
	put(PLM_EV_GONE, 1);
	start();
	report = end();
	assert_int_equal(report.rejected, 1);
	assert_string_equal(report.rejection.text, "MARK: not canonical");
	assert_int_equal(engine.committed, 2);
}

static void a_timer_needs_nobody_to_wake_it(void **state)
{
	struct plm_clock clock = plm_clock_system();
	int64_t from = clock.boot_ms(clock.self);

	(void)state;
	begin();
	engine.due_ms = plm_clock_wall_ms(&clock) + 60;
	start();
	while (engine.due_ms != PLM_UNSET) {
		assert_true(clock.boot_ms(clock.self) - from < 20000);
	}
	(void)end();
}

/* Nothing to do: the thread sleeps. */
static void idle_is_quiet(void **state)
{
	unsigned long long steps = 0;

	(void)state;
	begin();
	start();
	put(PLM_EV_GONE, 0);
	while (engine.committed == 0) {
	}
	plm_ring_wait(ring, 50);
	steps = engine.steps;
	plm_ring_wait(ring, 200);
	assert_true(engine.steps <= steps + 2);
	(void)end();
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_ADD(&tests, all_is_committed_in_order_and_in_batches);
	PLM_TEST_ADD(&tests, what_is_in_the_ring_is_committed_before_the_end);
	PLM_TEST_ADD(&tests, a_failed_commit_ends_the_thread_and_says_so);
	PLM_TEST_ADD(&tests, a_bad_observation_is_counted_and_left_out);
	PLM_TEST_ADD(&tests, a_timer_needs_nobody_to_wake_it);
	PLM_TEST_ADD(&tests, idle_is_quiet);
	return plm_tests_run(&tests, "engine thread");
}
