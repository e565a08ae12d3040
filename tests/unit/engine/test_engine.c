/* The engine over a memory log: batches, duplicates, restart, replay, what it refuses. */
#include "codec/codec.h"
#include "engine/engine.h"
#include "engine/outbox.h"
#include "engine/replay.h"
#include "hash/state_hash.h"
#include "plm_test.h"
#include "store/log_mem.h"

#define START_MS 1767225600000 /* 2026-01-01 */

struct bench {
	struct plm_log_disk *disk;
	struct plm_log *log;
	struct plm_engine *engine;
	struct plm_arena arena;
	int64_t now_ms;
	uint64_t effects, durable, last_intent;
	bool early; /* an effect left before its intent was durable */
};

static int64_t wall_ns(void *self)
{
	return ((struct bench *)self)->now_ms * 1000000;
}

static int64_t boot_ms(void *self)
{
	return ((struct bench *)self)->now_ms - START_MS;
}

static void submit(void *self, const struct plm_effect *effect)
{
	struct bench *b = self;

	b->effects++;
	b->last_intent = effect->intent;
	b->early = b->early || effect->intent > b->durable;
	assert_int_equal(strlen(effect->key), PLM_INTENT_KEY_SIZE - 1);
}

static void durable(void *self, uint64_t seq)
{
	((struct bench *)self)->durable = seq;
}

static struct plm_engine_options options(struct bench *b)
{
	return (struct plm_engine_options){
		.log = b->log,
		.clock = {b, wall_ns, boot_ms},
		.effects = {b, submit, durable},
		.cluster_uid = "test-cluster",
		.profile = PLM_PROFILE_SMALL,
		.config = {.cluster_name = plm_slice_str("test"),
			   .region = plm_slice_str("us-west-2"),
			   .batch_idle_ms = 0,
			   .batch_max_ms = 0,
			   .gang_timeout_ms = 600000,
			   .registration_timeout_ms = 900000,
			   .launch_timeout_ms = 300000,
			   .stock_out_ms = 180000},
	};
}

static void start(struct bench *b)
{
	struct plm_engine_options o;
	struct plm_error err;

	plm_assert_ok(plm_log_open_disk(b->disk, PLM_LOG_WRITE, &b->log, &err), &err);
	o = options(b);
	plm_assert_ok(plm_engine_open(&o, &b->engine, &err), &err);
}

static void stop(struct bench *b)
{
	plm_engine_close(b->engine);
	plm_log_close(b->log);
	b->engine = NULL;
	b->log = NULL;
}

static int setup(void **state)
{
	struct bench *b = test_calloc(1, sizeof(*b));
	struct plm_error err;

	b->disk = plm_log_disk_new();
	b->now_ms = START_MS;
	plm_assert_ok(plm_arena_init(&b->arena, 1U << 28, &err), &err);
	start(b);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	stop(b);
	plm_log_disk_free(b->disk);
	plm_arena_fini(&b->arena);
	test_free(b);
	return 0;
}

static void observe(struct bench *b, enum plm_event_type type, const void *value)
{
	struct plm_observation o = {
		.source = PLM_SOURCE_KUBE,
		.type = type,
		.pos = plm_slice_str("1"),
		.payload = plm_payload_encode(plm_event_info((uint16_t)type), value,
					      (struct plm_slice){0}, &b->arena),
	};
	struct plm_error err;

	plm_assert_ok(plm_engine_observe(b->engine, &o, &err), &err);
}

static struct plm_w_meta meta(const char *ns, const char *name, const char *uid)
{
	return (struct plm_w_meta){
		.ns = plm_slice_str(ns),
		.name = plm_slice_str(name),
		.uid = plm_slice_str(uid),
		.created_ms = START_MS,
		.deleting_ms = PLM_UNSET,
		.generation = 1,
	};
}

static void observe_namespace(struct bench *b, const char *name, const char *uid)
{
	struct plm_w_namespace w = {.meta = meta("", name, uid)};

	observe(b, PLM_EV_NAMESPACE, &w);
}

static bool step(struct bench *b)
{
	struct plm_error err;
	bool did = false;

	plm_assert_ok(plm_engine_step(b->engine, &did, &err), &err);
	return did;
}

/* Replay of what is durable, from the start, gives the live state and the recorded decisions. */
static void check_replay(struct bench *b)
{
	struct plm_fold_options o = {.to = UINT64_MAX, .recompute = true};
	struct plm_fold_report report;
	struct plm_state st;
	struct plm_error err;
	struct plm_hash128 live = plm_state_hash_slow(plm_engine_state(b->engine));

	plm_assert_ok(plm_state_init(&st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_fold(b->log, &o, &st, &report, &err), &err);
	assert_int_equal(report.diverged, 0);
	assert_int_equal(report.last, plm_log_head(b->log).seq);
	assert_true(report.state_hash.low == live.low && report.state_hash.high == live.high);
	plm_state_check(&st);
	plm_state_fini(&st);
}

static void a_new_log_begins_with_who_writes(void **state)
{
	struct bench *b = *state;
	static const uint16_t want[] = {PLM_EV_GENESIS, PLM_EV_LIMITS, PLM_EV_EPOCH,
					PLM_EV_SOFTWARE, PLM_EV_CONFIG};
	struct plm_reader *reader = NULL;
	struct plm_logged logged;
	struct plm_error err;

	plm_assert_ok(plm_reader_open(b->log, 1, &reader, &err), &err);
	for (size_t i = 0; i < PLM_COUNTOF(want); i++) {
		plm_assert_ok(plm_reader_next(reader, &logged, &err), &err);
		assert_int_equal(logged.envelope.type, want[i]);
		assert_int_equal(logged.envelope.seq, i + 1);
		assert_int_equal(logged.envelope.epoch, 1);
	}
	assert_int_equal(plm_reader_next(reader, &logged, &err), PLM_E_NOT_FOUND);
	plm_reader_close(reader);
	check_replay(b);
}

static void an_equal_projection_does_not_reach_the_log(void **state)
{
	struct bench *b = *state;
	uint64_t seq = 0;

	observe_namespace(b, "ml", "u1");
	assert_true(step(b));
	seq = plm_log_head(b->log).seq;
	observe_namespace(b, "ml", "u1");
	assert_false(step(b));
	assert_int_equal(plm_log_head(b->log).seq, seq);
	assert_int_equal(plm_engine_stats(b->engine).duplicates, 1);
	observe_namespace(b, "ml", "u2");
	assert_true(step(b));
	assert_true(plm_log_head(b->log).seq > seq);
	check_replay(b);
}

static void the_end_of_an_older_object_is_stale(void **state)
{
	struct bench *b = *state;
	struct plm_w_gone old = {PLM_KIND_NAMESPACE, {0}, plm_slice_str("ml"), plm_slice_str("u1")};
	struct plm_w_gone now = {PLM_KIND_NAMESPACE, {0}, plm_slice_str("ml"), plm_slice_str("u2")};

	observe_namespace(b, "ml", "u1");
	observe_namespace(b, "ml", "u2");
	(void)step(b);
	observe(b, PLM_EV_GONE, &old);
	assert_int_equal(plm_engine_stats(b->engine).stale, 1);
	assert_int_not_equal(
		plm_find_text(plm_engine_state(b->engine), PLM_KIND_NAMESPACE, "", "ml").n, 0);
	observe(b, PLM_EV_GONE, &now);
	assert_int_equal(plm_find_text(plm_engine_state(b->engine), PLM_KIND_NAMESPACE, "", "ml").n,
			 0);
	(void)step(b);
	check_replay(b);
}

/* A reader that begins at the number of a split event (an outbox after a restart) reads all of it. */
static void read_big(struct bench *b, uint64_t from)
{
	struct plm_reader *reader = NULL;
	struct plm_logged logged = {0};
	struct plm_error err;
	uint64_t seq = 0;

	plm_assert_ok(plm_reader_open(b->log, from, &reader, &err), &err);
	plm_assert_ok(plm_reader_next(reader, &logged, &err), &err);
	seq = logged.envelope.seq;
	plm_reader_close(reader);
	assert_true(seq > from);
	plm_assert_ok(plm_reader_open(b->log, seq, &reader, &err), &err);
	plm_assert_ok(plm_reader_next(reader, &logged, &err), &err);
	assert_int_equal(logged.envelope.seq, seq);
	plm_assert_text(((const struct plm_w_namespace *)logged.payload)->meta.name, "big");
	plm_reader_close(reader);
}

static void a_long_payload_is_split_and_joined(void **state)
{
	struct bench *b = *state;
	struct plm_w_kv labels[200];
	struct plm_w_namespace w = {.meta = meta("", "big", "u1")};
	uint64_t seq = plm_log_head(b->log).seq;

	for (size_t i = 0; i < PLM_COUNTOF(labels); i++) {
		labels[i].key = plm_arena_format(&b->arena, "example.com/key-%03zu", i);
		labels[i].value = plm_arena_format(&b->arena, "value-%zu", i * 7919);
	}
	w.meta.labels = (struct plm_vec){labels, PLM_COUNTOF(labels)};
	observe(b, PLM_EV_NAMESPACE, &w);
	(void)step(b);
	assert_true(plm_log_head(b->log).seq > seq + 3);
	check_replay(b);
	read_big(b, seq + 1);
}

static void a_restart_goes_on_where_the_log_ends(void **state)
{
	struct bench *b = *state;
	struct plm_hash128 before;
	uint64_t seq = 0;

	for (uint32_t i = 0; i < 50; i++) {
		struct plm_slice name = plm_arena_format(&b->arena, "ns-%u", i);

		observe_namespace(b, (const char *)name.ptr, "u1");
		(void)step(b);
	}
	seq = plm_log_head(b->log).seq;
	before = plm_state_hash_slow(plm_engine_state(b->engine));
	stop(b);
	b->now_ms -= 5000; /* the clock has stepped back meanwhile: wall time in the log does not */
	start(b);
	assert_int_equal(plm_log_head(b->log).seq, seq + 1); /* EPOCH alone */
	assert_int_equal(plm_root(plm_engine_state(b->engine))->epoch, 2);
	assert_int_equal(plm_namespace_live(plm_engine_state(b->engine)), 50);
	assert_true(before.low !=
		    plm_state_hash_slow(plm_engine_state(b->engine)).low); /* the epoch is state */
	check_replay(b);
}

static void hash_points_come_every_4096_events(void **state)
{
	struct bench *b = *state;
	struct plm_reader *reader = NULL;
	struct plm_logged logged;
	struct plm_error err;
	uint32_t hashes = 0;

	for (uint32_t i = 0; i < 900; i++) {
		struct plm_slice name = plm_arena_format(&b->arena, "ns-%u", i);

		for (uint32_t k = 0; k < 10; k++) {
			struct plm_slice uid = plm_arena_format(&b->arena, "u-%u-%u", i, k);

			observe_namespace(b, (const char *)name.ptr, (const char *)uid.ptr);
		}
		(void)step(b);
	}
	plm_assert_ok(plm_reader_open(b->log, 1, &reader, &err), &err);
	while (plm_reader_next(reader, &logged, &err) == PLM_OK) {
		hashes += logged.envelope.type == PLM_EV_HASH ? 1 : 0;
	}
	plm_reader_close(reader);
	assert_int_equal(hashes, 2);
	check_replay(b);
}

static void another_clusters_log_is_refused(void **state)
{
	struct bench *b = *state;
	struct plm_engine_options o;
	struct plm_engine *other = NULL;
	struct plm_error err;

	plm_engine_close(b->engine);
	b->engine = NULL;
	o = options(b);
	o.cluster_uid = "another";
	plm_assert_fails(plm_engine_open(&o, &other, &err), PLM_E_REFUSED, err, "test-cluster");
}

static void what_is_no_event_from_outside_is_refused(void **state)
{
	struct bench *b = *state;
	struct plm_error err;
	struct plm_observation o = {.type = PLM_EV_CYCLE, .payload = plm_slice_str("x")};

	(void)step(b); /* the cycle that a new configuration wants */
	plm_assert_fails(plm_engine_observe(b->engine, &o, &err), PLM_E_INPUT, err, "outside");
	o.type = PLM_EV_NAMESPACE;
	plm_assert_fails(plm_engine_observe(b->engine, &o, &err), PLM_E_INPUT, err, "NAMESPACE");
	assert_false(step(b));
}

static void a_full_batch_asks_to_be_committed(void **state)
{
	struct bench *b = *state;
	struct plm_error err;
	uint32_t taken = 0;

	for (uint32_t i = 0; i < 2000; i++) {
		struct plm_slice name = plm_arena_format(&b->arena, "ns-%u", i);
		struct plm_w_namespace w = {.meta = meta("", (const char *)name.ptr, "u")};
		struct plm_observation o = {
			.type = PLM_EV_NAMESPACE,
			.payload = plm_payload_encode(plm_event_info(PLM_EV_NAMESPACE), &w,
						      (struct plm_slice){0}, &b->arena),
		};

		if (plm_engine_observe(b->engine, &o, &err) != PLM_OK) {
			assert_int_equal(err.code, PLM_E_AGAIN);
			break;
		}
		taken++;
	}
	assert_int_equal(taken, 1024);
	assert_true(step(b));
	check_replay(b);
}

/* Capacities grow up to the ceiling, in the log; nothing is refused before. */
static void tables_grow_between_batches(void **state)
{
	struct bench *b = *state;

	for (uint32_t i = 0; i < 3000; i++) {
		struct plm_slice name = plm_arena_format(&b->arena, "ns-%u", i);

		observe_namespace(b, (const char *)name.ptr, "u");
		if (i % 500 == 499) {
			(void)step(b);
		}
	}
	assert_int_equal(plm_namespace_live(plm_engine_state(b->engine)), 3000);
	assert_true(plm_engine_state(b->engine)->tables[PLM_TABLE_NAMESPACE].capacity >= 3000);
	assert_int_equal(plm_engine_stats(b->engine).rejected, 0);
	check_replay(b);
}

static void keys_depend_on_cluster_and_number(void **state)
{
	char a[PLM_INTENT_KEY_SIZE];
	char b[PLM_INTENT_KEY_SIZE];

	(void)state;
	plm_intent_key(plm_slice_str("c"), 7, a);
	/* base32(SHA-256("c" || 00 00 00 00 00 00 00 07)), computed with Python's base64 and hashlib */
	assert_string_equal(a, "zppobqzmkupxudc7nvdeulwxytwdmdehfetfsbpl7ihdhjsuxi4a");
	plm_intent_key(plm_slice_str("c"), 8, b);
	assert_string_not_equal(a, b);
	plm_intent_key(plm_slice_str("d"), 7, b);
	assert_string_not_equal(a, b);
}

#define WITH_ENGINE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	static struct plm_tests tests;
	const struct CMUnitTest list[] = {
		WITH_ENGINE(a_new_log_begins_with_who_writes),
		WITH_ENGINE(an_equal_projection_does_not_reach_the_log),
		WITH_ENGINE(the_end_of_an_older_object_is_stale),
		WITH_ENGINE(a_long_payload_is_split_and_joined),
		WITH_ENGINE(a_restart_goes_on_where_the_log_ends),
		WITH_ENGINE(hash_points_come_every_4096_events),
		WITH_ENGINE(another_clusters_log_is_refused),
		WITH_ENGINE(what_is_no_event_from_outside_is_refused),
		WITH_ENGINE(a_full_batch_asks_to_be_committed),
		WITH_ENGINE(tables_grow_between_batches),
		WITH_ENGINE(keys_depend_on_cluster_and_number),
	};

	memcpy(tests.list, list, sizeof(list));
	tests.count = PLM_COUNTOF(list);
	return plm_tests_run(&tests, "engine");
}
