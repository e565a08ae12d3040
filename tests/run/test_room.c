#include "plm_test.h"

#include "core/limits.h"
#include "room.h"

#define GIB (1024ULL * 1024 * 1024)

static const struct level_case {
	const char *why;
	uint64_t free_bytes, total_bytes;
	enum plm_room_level want;
} level_table[] = {
	{"all free", 100 * GIB, 100 * GIB, PLM_ROOM_PLENTY},
	{"exactly a fifth", 20 * GIB, 100 * GIB, PLM_ROOM_PLENTY},
	{"just below", 20 * GIB - 1000, 100 * GIB, PLM_ROOM_WARN},
	{"a tenth", 10 * GIB, 100 * GIB, PLM_ROOM_WARN},
	{"below a tenth", 9 * GIB, 100 * GIB, PLM_ROOM_LOW},
	{"a twentieth", 5 * GIB, 100 * GIB, PLM_ROOM_LOW},
	{"below a twentieth", 4 * GIB, 100 * GIB, PLM_ROOM_OBSERVE},
	{"the last bytes", PLM_LIMIT_ROOM_LAST_BYTES - 1, 100 * GIB, PLM_ROOM_NONE},
	{"the last bytes of a small disk", PLM_LIMIT_ROOM_LAST_BYTES - 1, PLM_LIMIT_ROOM_LAST_BYTES,
	 PLM_ROOM_NONE},
	{"full", 0, 100 * GIB, PLM_ROOM_NONE},
};

static void level_row(const struct level_case *row)
{
	const struct plm_room room = {row->free_bytes, row->total_bytes};

	assert_int_equal(plm_room_level(room), row->want);
}
PLM_TEST_ROWS(level_row, struct level_case)

static void a_folder_that_is_not_there_is_named(void **state)
{
	struct plm_room room;
	struct plm_error err = {0};

	(void)state;
	plm_assert_fails(plm_room_measure("/nowhere/at/all", &room, &err), PLM_E_IO, err,
			 "/nowhere/at/all");
}

static void the_room_is_the_systems(void **state)
{
	struct plm_room room;
	struct plm_error err;

	(void)state;
	plm_assert_ok(plm_room_measure("/tmp", &room, &err), &err);
	assert_true(room.total_bytes > 0);
	assert_true(room.free_bytes <= room.total_bytes);
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, level_row, level_table);
	PLM_TEST_ADD(&tests, a_folder_that_is_not_there_is_named);
	PLM_TEST_ADD(&tests, the_room_is_the_systems);
	return plm_tests_run(&tests, "room");
}
