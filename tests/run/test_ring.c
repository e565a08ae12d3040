#include "plm_test.h"

#include <pthread.h>
#include <stdio.h>

#include "ring.h"

static struct plm_observation observation(const char *payload)
{
	return (struct plm_observation){.source = PLM_SOURCE_KUBE,
					.type = PLM_EV_GONE,
					.intent = 7,
					.pos = plm_slice_str("12"),
					.payload = plm_slice_str(payload)};
}

static struct plm_ring *ring_new(size_t bytes, size_t entries)
{
	struct plm_ring *ring = NULL;
	struct plm_error err;

	plm_assert_ok(plm_ring_new(bytes, entries, &ring, &err), &err);
	return ring;
}

static void take(struct plm_ring *ring, const char *payload)
{
	struct plm_observation out;

	assert_true(plm_ring_peek(ring, &out));
	plm_assert_text(out.payload, payload);
	plm_ring_pop(ring);
}

static void comes_out_as_it_went_in(void **state)
{
	struct plm_ring *ring = ring_new(4096, 16);
	struct plm_observation in = observation("payload");
	struct plm_observation out;

	(void)state;
	assert_false(plm_ring_peek(ring, &out));
	assert_int_equal(plm_ring_put(ring, &in), PLM_OK);
	assert_true(plm_ring_peek(ring, &out));
	assert_int_equal(out.source, PLM_SOURCE_KUBE);
	assert_int_equal(out.type, PLM_EV_GONE);
	assert_int_equal(out.intent, 7);
	plm_assert_text(out.pos, "12");
	plm_assert_text(out.payload, "payload");
	assert_true(out.payload.ptr != in.payload.ptr);
	plm_ring_pop(ring);
	assert_false(plm_ring_peek(ring, &out));
	plm_ring_free(ring);
}

static void no_position_is_not_an_empty_one(void **state)
{
	struct plm_ring *ring = ring_new(4096, 16);
	struct plm_observation in = observation("");
	struct plm_observation out;

	(void)state;
	in.pos = (struct plm_slice){0};
	assert_int_equal(plm_ring_put(ring, &in), PLM_OK);
	in.pos = plm_slice_str("");
	assert_int_equal(plm_ring_put(ring, &in), PLM_OK);
	assert_true(plm_ring_peek(ring, &out));
	assert_null(out.pos.ptr);
	plm_ring_pop(ring);
	assert_true(plm_ring_peek(ring, &out));
	assert_non_null(out.pos.ptr);
	plm_ring_free(ring);
}

static void full_is_try_again_and_nothing_is_lost(void **state)
{
	struct plm_ring *ring = ring_new(256, 16);
	struct plm_observation in = observation("0123456789012345678901234567890123456789");
	uint64_t count = 0;

	(void)state;
	while (plm_ring_put(ring, &in) == PLM_OK) {
		count++;
	}
	assert_true(count >= 2);
	assert_int_equal(plm_ring_stats(ring).entries, count);
	assert_int_equal(plm_ring_stats(ring).refused, 1);
	take(ring, "0123456789012345678901234567890123456789");
	assert_int_equal(plm_ring_put(ring, &in), PLM_OK);
	assert_int_equal(plm_ring_put(ring, &in), PLM_E_AGAIN);
	for (uint64_t i = 0; i < count; i++) {
		take(ring, "0123456789012345678901234567890123456789");
	}
	plm_ring_free(ring);
}

static void entries_are_bounded_too(void **state)
{
	struct plm_ring *ring = ring_new(4096, 2);
	struct plm_observation in = observation("x");

	(void)state;
	assert_int_equal(plm_ring_put(ring, &in), PLM_OK);
	assert_int_equal(plm_ring_put(ring, &in), PLM_OK);
	assert_int_equal(plm_ring_put(ring, &in), PLM_E_AGAIN);
	plm_ring_free(ring);
}

static void what_can_never_fit_is_told_apart(void **state)
{
	static const uint8_t large[512];
	struct plm_ring *ring = ring_new(256, 4);
	struct plm_observation in = observation("");

	(void)state;
	in.payload = plm_slice_of(large, sizeof(large));
	assert_int_equal(plm_ring_put(ring, &in), PLM_E_LIMIT);
	in.payload = plm_slice_of(large, 250);
	assert_int_equal(plm_ring_put(ring, &in), PLM_E_LIMIT);
	in.payload = plm_slice_of(large, 192);
	assert_int_equal(plm_ring_put(ring, &in), PLM_OK);
	plm_ring_free(ring);
}

/* Random sizes go round the end of the memory at every alignment; compared with a list of numbers. */
static void keeps_order_round_and_round(void **state)
{
	struct plm_ring *ring = ring_new(1000, 1000);
	uint64_t random = plm_test_seed();
	uint64_t written = 0;
	uint64_t read = 0;
	uint8_t bytes[300];

	(void)state;
	for (int step = 0; step < 20000; step++) {
		struct plm_observation at;

		if (plm_test_below(&random, 2) == 0) {
			struct plm_observation in = observation("");
			size_t size = plm_test_below(&random, sizeof(bytes));

			memset(bytes, (int)(written & 0xff), size);
			in.intent = written;
			in.payload = plm_slice_of(bytes, size);
			written += plm_ring_put(ring, &in) == PLM_OK;
		} else if (plm_ring_peek(ring, &at)) {
			assert_int_equal(at.intent, read);
			for (size_t i = 0; i < at.payload.size; i++) {
				assert_int_equal(at.payload.ptr[i], read & 0xff);
			}
			read++;
			plm_ring_pop(ring);
		}
	}
	assert_true(read > 1000);
	assert_int_equal(plm_ring_stats(ring).entries, written - read);
	assert_int_equal(plm_ring_stats(ring).taken, read);
	plm_ring_free(ring);
}

static void a_sleep_ends_by_time_and_by_waking(void **state)
{
	struct plm_ring *ring = ring_new(256, 4);
	struct plm_observation in = observation("x");

	(void)state;
	plm_ring_wait(ring, 0);
	plm_ring_wait(ring, 20);
	plm_ring_wake(ring);
	plm_ring_wait(ring, -1);
	assert_int_equal(plm_ring_put(ring, &in), PLM_OK);
	plm_ring_wait(ring, -1);
	take(ring, "x");
	plm_ring_free(ring);
}

#define PRODUCERS 4
#define EACH 5000

struct producer {
	struct plm_ring *ring;
	uint64_t number;
};

static void *produce(void *arg)
{
	const struct producer *me = arg;

	for (uint64_t i = 0; i < EACH;) {
		char text[32];
		struct plm_observation in;

		(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)i);
		in = observation(text);
		in.intent = me->number * EACH + i;
		i += plm_ring_put(me->ring, &in) == PLM_OK;
	}
	return NULL;
}

static void many_threads_put_and_each_keeps_its_order(void **state)
{
	struct plm_ring *ring = ring_new(2048, 64);
	struct producer producers[PRODUCERS];
	pthread_t threads[PRODUCERS];
	uint64_t next[PRODUCERS] = {0};
	uint64_t taken = 0;

	(void)state;
	for (uint64_t i = 0; i < PRODUCERS; i++) {
		producers[i] = (struct producer){ring, i};
		assert_int_equal(pthread_create(&threads[i], NULL, produce, &producers[i]), 0);
	}
	while (taken < PRODUCERS * EACH) {
		struct plm_observation out;
		char text[32];

		plm_ring_wait(ring, 1000);
		while (plm_ring_peek(ring, &out)) {
			uint64_t who = out.intent / EACH;

			assert_true(who < PRODUCERS);
			assert_int_equal(out.intent % EACH, next[who]);
			(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)next[who]);
			plm_assert_text(out.payload, text);
			next[who]++;
			taken++;
			plm_ring_pop(ring);
		}
	}
	for (int i = 0; i < PRODUCERS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	}
	plm_ring_free(ring);
}

/* What is accepted is counted at once, what is settled only when the consumer says so. */
static void counts_tell_what_is_durable(void **state)
{
	struct plm_ring *ring = ring_new(1024, 16);
	struct plm_inbox inbox = plm_ring_inbox(ring);
	struct plm_observation in = observation("x");

	(void)state;
	assert_int_equal(inbox.put(inbox.self, &in), PLM_OK);
	assert_int_equal(inbox.put(inbox.self, &in), PLM_OK);
	assert_int_equal(inbox.accepted(inbox.self), 2);
	take(ring, "x");
	assert_int_equal(inbox.settled(inbox.self), 0);
	plm_ring_settle(ring);
	assert_int_equal(inbox.settled(inbox.self), 1);
	assert_int_equal(inbox.accepted(inbox.self), 2);
	take(ring, "x");
	plm_ring_settle(ring);
	assert_int_equal(inbox.settled(inbox.self), 2);
	plm_ring_free(ring);
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_ADD(&tests, comes_out_as_it_went_in);
	PLM_TEST_ADD(&tests, no_position_is_not_an_empty_one);
	PLM_TEST_ADD(&tests, full_is_try_again_and_nothing_is_lost);
	PLM_TEST_ADD(&tests, entries_are_bounded_too);
	PLM_TEST_ADD(&tests, what_can_never_fit_is_told_apart);
	PLM_TEST_ADD(&tests, keeps_order_round_and_round);
	PLM_TEST_ADD(&tests, a_sleep_ends_by_time_and_by_waking);
	PLM_TEST_ADD(&tests, many_threads_put_and_each_keeps_its_order);
	PLM_TEST_ADD(&tests, counts_tell_what_is_durable);
	return plm_tests_run(&tests, "ring");
}
