#include "plm_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "codec/codec.h"
#include "handover.h"

static struct plm_arena arena;
static atomic_int notified;

static void notify(void *self)
{
	(void)self;
	notified++;
}

/* What came out, as a text: "d5 e7:n1 ". */
struct seen {
	char text[256];
	size_t size;
	uint64_t effects;
};

static void see(struct seen *seen, const char *letter, uint64_t number, struct plm_slice name)
{
	int size =
		snprintf(seen->text + seen->size, sizeof(seen->text) - seen->size, "%s%llu%s%.*s ",
			 letter, (unsigned long long)number, name.size > 0 ? ":" : "",
			 (int)name.size, name.size > 0 ? (const char *)name.ptr : "");

	seen->size += (size_t)size;
}

static void see_effect(void *self, const struct plm_effect *effect)
{
	struct seen *seen = self;
	const struct plm_w_req_node_delete *request = effect->request;

	seen->effects++;
	if (seen->size < 200) {
		see(seen, "e", effect->intent, request->node);
	}
}

static void see_durable(void *self, uint64_t seq)
{
	struct seen *seen = self;

	if (seen->size < 200) {
		see(seen, "d", seq, (struct plm_slice){0});
	}
}

static void submit(const struct plm_effects *port, uint64_t intent, const char *node)
{
	const struct plm_w_req_node_delete request = {.node = plm_slice_str(node)};
	struct plm_effect effect = {
		.intent = intent, .call = PLM_CALL_NODE_DELETE, .key = "key", .request = &request};

	effect.frozen = plm_wire_encode(&plm_type_req_node_delete, &request, &arena);
	port->submit(port->self, &effect);
}

static void in_the_order_of_the_engine_and_notes_together(void **state)
{
	struct plm_handover *handover = NULL;
	struct plm_effects in;
	struct seen seen = {.size = 0};
	const struct plm_effects out = {
		.self = &seen, .submit = see_effect, .durable = see_durable};
	uint64_t intent = 0;
	struct plm_error err;

	(void)state;
	plm_arena_reset(&arena);
	plm_assert_ok(plm_handover_new(notify, NULL, &handover, &err), &err);
	in = plm_handover_effects(handover);
	assert_false(plm_handover_deliver(handover, &out, &arena, &intent));
	in.durable(in.self, 5);
	submit(&in, 3, "n1");
	submit(&in, 4, "n2");
	in.durable(in.self, 8);
	in.durable(in.self, 9);
	assert_int_equal(plm_handover_count(handover), 4);
	assert_int_equal(notified, 4);
	assert_true(plm_handover_deliver(handover, &out, &arena, &intent));
	assert_int_equal(intent, 0);
	assert_true(plm_handover_deliver(handover, &out, &arena, &intent));
	assert_int_equal(intent, 3);
	while (plm_handover_deliver(handover, &out, &arena, &intent)) {
	}
	assert_string_equal(seen.text, "d5 e3:n1 e4:n2 d9 ");
	plm_handover_free(handover);
}

static void what_is_left_goes_with_it(void **state)
{
	struct plm_handover *handover = NULL;
	struct plm_effects in;
	struct plm_error err;

	(void)state;
	plm_arena_reset(&arena);
	plm_assert_ok(plm_handover_new(notify, NULL, &handover, &err), &err);
	in = plm_handover_effects(handover);
	submit(&in, 3, "n1");
	in.durable(in.self, 8);
	plm_handover_free(handover);
	plm_handover_free(NULL);
}

#define MANY 5000

static void *many(void *arg)
{
	const struct plm_effects *port = arg;

	for (uint64_t i = 1; i <= MANY; i++) {
		port->durable(port->self, i);
		submit(port, i, "n");
	}
	return NULL;
}

static void across_threads(void **state)
{
	struct plm_handover *handover = NULL;
	struct plm_effects in;
	struct seen seen = {.size = 0};
	const struct plm_effects out = {
		.self = &seen, .submit = see_effect, .durable = see_durable};
	struct plm_arena scratch;
	uint64_t last = 0;
	pthread_t thread;
	struct plm_error err;

	(void)state;
	plm_arena_reset(&arena);
	plm_assert_ok(plm_arena_init(&scratch, 1U << 20, &err), &err);
	plm_assert_ok(plm_handover_new(notify, NULL, &handover, &err), &err);
	in = plm_handover_effects(handover);
	assert_int_equal(pthread_create(&thread, NULL, many, &in), 0);
	while (seen.effects < MANY) {
		uint64_t intent = 0;

		if (plm_handover_deliver(handover, &out, &scratch, &intent) && intent != 0) {
			assert_int_equal(intent, last + 1);
			last = intent;
		}
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	plm_handover_free(handover);
	plm_arena_fini(&scratch);
}

int main(void)
{
	static struct plm_tests tests;
	struct plm_error err;

	plm_assert_ok(plm_arena_init(&arena, 16U << 20, &err), &err);
	PLM_TEST_ADD(&tests, in_the_order_of_the_engine_and_notes_together);
	PLM_TEST_ADD(&tests, what_is_left_goes_with_it);
	PLM_TEST_ADD(&tests, across_threads);
	return plm_tests_run(&tests, "handover");
}
