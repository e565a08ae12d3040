#include "plm_test.h"

#include "core/arena.h"

#define CAPACITY ((size_t)4096)

static struct plm_arena fresh(size_t capacity)
{
	struct plm_arena arena = {0};
	struct plm_error err = {0};

	plm_assert_ok(plm_arena_init(&arena, capacity, &err), &err);
	return arena;
}

static void takes_are_zeroed_and_aligned(void **state)
{
	struct plm_arena arena = fresh(CAPACITY);

	(void)state;
	for (size_t size = 0; size < 40; size++) {
		const uint8_t *bytes = plm_arena_take(&arena, size);

		assert_int_equal((uintptr_t)bytes % 8, 0);
		for (size_t i = 0; i < size; i++) {
			assert_int_equal(bytes[i], 0);
		}
	}
	plm_arena_fini(&arena);
}

static void taken_again_is_zeroed_again(void **state)
{
	struct plm_arena arena = fresh(CAPACITY);
	size_t mark = 0;

	(void)state;
	(void)plm_arena_take(&arena, 16);
	mark = plm_arena_mark(&arena);
	memset(plm_arena_take(&arena, 100), 0xff, 100);
	plm_arena_rewind(&arena, mark);
	for (size_t round = 0; round < 3; round++) {
		uint8_t *bytes = plm_arena_take(&arena, 60);

		for (size_t i = 0; i < 60; i++) {
			assert_int_equal(bytes[i], 0);
		}
		memset(bytes, 0xee, 60);
	}
	plm_arena_fini(&arena);
}

static void try_says_no_when_full(void **state)
{
	struct plm_arena arena = fresh(CAPACITY);

	(void)state;
	assert_null(plm_arena_try(&arena, CAPACITY + 1));
	assert_null(plm_arena_try(&arena, SIZE_MAX));
	assert_non_null(plm_arena_try(&arena, CAPACITY - 8));
	assert_null(plm_arena_try(&arena, 64));
	plm_arena_reset(&arena);
	assert_non_null(plm_arena_try(&arena, 64));
	plm_arena_fini(&arena);
}

static void taking_too_much_is_a_bug(void **state)
{
	struct plm_arena arena = fresh(CAPACITY);

	(void)state;
	plm_assert_panics((void)plm_arena_take(&arena, CAPACITY + 1));
	plm_assert_panics((void)plm_arena_array(&arena, SIZE_MAX / 2, 3));
	plm_assert_panics(plm_arena_rewind(&arena, 8));
	plm_arena_fini(&arena);
}

static void too_much_address_space_is_refused(void **state)
{
	struct plm_arena arena = {.used = 7};
	struct plm_error err = {0};
	enum plm_code code = plm_arena_init(&arena, SIZE_MAX / 2, &err);

	(void)state;
	plm_assert_fails(code, PLM_E_LIMIT, err, "address space");
	assert_null(arena.base);
	assert_int_equal(arena.used, 0);
	plm_arena_fini(&arena);
	plm_arena_fini(NULL);
}

static void copies_and_formats_live_in_the_arena(void **state)
{
	struct plm_arena arena = fresh(CAPACITY);
	char text[] = "zone-a";
	struct plm_slice copy = plm_arena_copy(&arena, plm_slice_str(text));
	struct plm_slice said = plm_arena_format(&arena, "%s/%d", text, 42);

	(void)state;
	text[0] = 'x';
	plm_assert_text(copy, "zone-a");
	plm_assert_text(said, "zone-a/42");
	assert_int_equal(said.ptr[said.size], 0);
	plm_assert_text(plm_arena_copy(&arena, plm_slice_str(NULL)), "");
	plm_arena_fini(&arena);
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_ADD(&tests, takes_are_zeroed_and_aligned);
	PLM_TEST_ADD(&tests, taken_again_is_zeroed_again);
	PLM_TEST_ADD(&tests, try_says_no_when_full);
	PLM_TEST_ADD(&tests, taking_too_much_is_a_bug);
	PLM_TEST_ADD(&tests, too_much_address_space_is_refused);
	PLM_TEST_ADD(&tests, copies_and_formats_live_in_the_arena);
	return plm_tests_run(&tests, "arena");
}
