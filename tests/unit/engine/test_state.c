/* State: slots, symbols, keys, image, hash; with their slow twins. In engine's folder for its hash. */
#include "core/state.h"
#include "hash/state_hash.h"
#include "plm_test.h"

#include <stdio.h>

static struct plm_state *new_state(void)
{
	struct plm_state *st = test_calloc(1, sizeof(*st));
	struct plm_error err;

	plm_assert_ok(plm_state_init(st, PLM_PROFILE_SMALL, &err), &err);
	return st;
}

static void drop_state(struct plm_state *st)
{
	plm_state_fini(st);
	test_free(st);
}

static void symbols_follow_first_appearance(void **state)
{
	struct plm_state *st = new_state();
	plm_sym a = plm_intern(st, plm_slice_str("alpha"));
	plm_sym b = plm_intern(st, plm_slice_str("a longer text than eight bytes"));

	(void)state;
	assert_true(a.n < b.n);
	assert_int_equal(plm_intern(st, plm_slice_str("alpha")).n, a.n);
	assert_int_equal(plm_sym_find(st, plm_slice_str("beta")).n, 0);
	assert_int_equal(plm_intern(st, plm_slice_str("")).n, 0);
	plm_assert_text(plm_str(st, b), "a longer text than eight bytes");
	assert_true(plm_sym_compare(st, b, a) < 0); /* by bytes: ' ' before 'l' */
	drop_state(st);
}

static void the_lowest_free_slot_is_taken_and_zeroed(void **state)
{
	struct plm_state *st = new_state();
	plm_id ids[10];

	(void)state;
	for (uint32_t i = 0; i < 10; i++) {
		ids[i] = plm_slot_new(st, PLM_TABLE_STOCK_OUT);
		plm_stock_out_edit(st, ids[i])->until_ms = 1000 + i;
	}
	plm_slot_free(st, PLM_TABLE_STOCK_OUT, ids[6]);
	plm_slot_free(st, PLM_TABLE_STOCK_OUT, ids[2]);
	assert_int_equal(plm_stock_out_at(st, ids[6])->until_ms, 0);
	assert_int_equal(plm_slot_new(st, PLM_TABLE_STOCK_OUT).n, ids[2].n);
	assert_int_equal(plm_slot_new(st, PLM_TABLE_STOCK_OUT).n, ids[6].n);
	assert_int_equal(plm_slot_new(st, PLM_TABLE_STOCK_OUT).n, 11);
	assert_int_equal(plm_stock_out_live(st), 11);
	drop_state(st);
}

/* One random change of a state. */
static void change(struct plm_state *st, uint64_t *seed)
{
	char text[32];
	uint64_t kind = plm_test_below(seed, 3);
	plm_sym name;
	plm_id id;

	(void)snprintf(text, sizeof(text), "n-%llu", (unsigned long long)plm_test_below(seed, 400));
	name = plm_intern(st, plm_slice_str(text));
	id = plm_find(st, PLM_KIND_POD, (plm_sym){0}, name);
	if (kind == 0 && id.n != 0) {
		plm_slot_free(st, PLM_TABLE_POD, id);
	} else if (id.n == 0) {
		(void)plm_slot_new_object(st, PLM_KIND_POD, (plm_sym){0}, name);
	} else {
		plm_pod_edit(st, id)->priority = (int64_t)plm_test_below(seed, 100);
	}
}

static void incremental_equals_recomputed(void **state)
{
	struct plm_state *st = new_state();
	uint64_t seed = plm_test_seed();

	(void)state;
	for (uint32_t i = 0; i < 20000; i++) {
		change(st, &seed);
		if (i % 500 == 0) {
			struct plm_hash128 fast = plm_state_hash(st);
			struct plm_hash128 slow = plm_state_hash_slow(st);

			assert_true(fast.low == slow.low && fast.high == slow.high);
			plm_state_check(st);
		}
	}
	drop_state(st);
}

static struct plm_slice image_of(const struct plm_state *st, struct plm_arena *arena)
{
	struct plm_slice parts[PLM_IMAGE_PARTS];
	size_t size = 0;
	uint8_t *image = NULL;

	plm_image_parts(st, arena, parts);
	for (size_t i = 0; i < PLM_IMAGE_PARTS; i++) {
		size += parts[i].size;
	}
	image = plm_arena_take(arena, size);
	size = 0;
	for (size_t i = 0; i < PLM_IMAGE_PARTS; i++) {
		memcpy(image + size, parts[i].ptr, parts[i].size);
		size += parts[i].size;
	}
	return plm_slice_of(image, size);
}

/* A loaded state behaves as the one it was taken from: the same changes give the same hash. */
static void an_image_is_the_whole_state(void **state)
{
	struct plm_state *a = new_state();
	struct plm_state *b = new_state();
	struct plm_arena arena;
	struct plm_error err;
	uint64_t seed = plm_test_seed();
	uint64_t same = 0;
	struct plm_hash128 ha;
	struct plm_hash128 hb;

	(void)state;
	plm_assert_ok(plm_arena_init(&arena, 1U << 28, &err), &err);
	for (uint32_t i = 0; i < 3000; i++) {
		change(a, &seed);
		change(b, &same); /* what was there before must not shine through */
	}
	plm_assert_ok(plm_image_load(b, image_of(a, &arena), &err), &err);
	plm_state_check(b);
	same = seed;
	for (uint32_t i = 0; i < 3000; i++) {
		change(a, &seed);
		change(b, &same);
	}
	ha = plm_state_hash(a);
	hb = plm_state_hash_slow(b);
	assert_true(ha.low == hb.low && ha.high == hb.high);
	plm_arena_fini(&arena);
	drop_state(a);
	drop_state(b);
}

static void a_cut_image_is_refused(void **state)
{
	struct plm_state *st = new_state();
	struct plm_arena arena;
	struct plm_error err;
	struct plm_slice image;

	(void)state;
	plm_assert_ok(plm_arena_init(&arena, 1U << 28, &err), &err);
	image = image_of(st, &arena);
	for (size_t size = 0; size < image.size; size += 97) {
		assert_int_equal(plm_image_load(st, plm_slice_of(image.ptr, size), &err),
				 PLM_E_CORRUPT);
	}
	plm_arena_fini(&arena);
	drop_state(st);
}

static void keys_survive_removals_around_them(void **state)
{
	struct plm_state *st = new_state();
	uint64_t seed = plm_test_seed();
	bool there[2000] = {false};

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t key = (uint32_t)plm_test_below(&seed, PLM_COUNTOF(there));

		if (there[key]) {
			plm_index_drop(st, PLM_KEY_INTENT, key, key * 7);
		} else {
			plm_index_put(st, PLM_KEY_INTENT, key, key * 7, (plm_id){key + 1});
		}
		there[key] = !there[key];
	}
	for (uint32_t key = 0; key < PLM_COUNTOF(there); key++) {
		assert_int_equal(plm_index_find(st, PLM_KEY_INTENT, key, key * 7).n,
				 there[key] ? key + 1 : 0);
	}
	drop_state(st);
}

static void a_full_table_is_named(void **state)
{
	struct plm_state *st = new_state();
	uint32_t room = st->tables[PLM_TABLE_COHORT].capacity;

	(void)state;
	assert_null(plm_state_full(st, 100));
	for (uint32_t i = 0; i < room - room / 20; i++) {
		(void)plm_slot_new(st, PLM_TABLE_COHORT);
	}
	assert_string_equal(plm_state_full(st, 100), "cohort");
	drop_state(st);
}

static void every_kind_has_a_table(void **state)
{
	(void)state;
	for (uint32_t kind = PLM_KIND_NONE + 1; kind < plm_names_kind.count; kind++) {
		assert_int_not_equal(plm_kind_table((enum plm_kind)kind), PLM_TABLE_ROOT);
	}
	assert_int_equal(plm_kind_table(PLM_KIND_NONE), PLM_TABLE_ROOT);
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_ADD(&tests, symbols_follow_first_appearance);
	PLM_TEST_ADD(&tests, the_lowest_free_slot_is_taken_and_zeroed);
	PLM_TEST_ADD(&tests, incremental_equals_recomputed);
	PLM_TEST_ADD(&tests, an_image_is_the_whole_state);
	PLM_TEST_ADD(&tests, a_cut_image_is_refused);
	PLM_TEST_ADD(&tests, keys_survive_removals_around_them);
	PLM_TEST_ADD(&tests, a_full_table_is_named);
	PLM_TEST_ADD(&tests, every_kind_has_a_table);
	return plm_tests_run(&tests, "state");
}
