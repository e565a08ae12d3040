#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

static const struct kind_case {
	const char *why;
	uint64_t magic;
	const char *want;
} kind_table[] = {
	{"ext4", 0xef53, NULL},
	{"xfs", 0x58465342, NULL},
	{"btrfs", 0x9123683e, NULL},
	{"tmpfs", 0x01021994, NULL},
	{"overlay", 0x794c7630, "overlay"},
	{"NFS", 0x6969, "NFS"},
	{"9P", 0x01021997, "9P"},
	{"FUSE", 0x65735546, "FUSE"},
	{"CIFS", 0xff534d42, "CIFS"},
};

static void kind_row(const struct kind_case *row)
{
	const char *have = plm_room_refused_kind(row->magic);

	if (row->want == NULL) {
		assert_null(have);
	} else {
		assert_string_equal(have, row->want);
	}
}
PLM_TEST_ROWS(kind_row, struct kind_case)

static void a_network_file_system_names_the_folder(void **state)
{
	struct plm_error err = {0};

	(void)state;
	plm_assert_fails(plm_room_check_kind("/nowhere/at/all", &err), PLM_E_IO, err,
			 "/nowhere/at/all");
}

static void the_ballast_takes_room_and_gives_it_back(void **state)
{
	char folder[] = "/tmp/plm-room-XXXXXX";
	char path[64];
	struct stat st;
	struct plm_error err;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/ballast", folder);
	assert_false(plm_ballast_release(folder));
	plm_assert_ok(plm_ballast_make(folder, 1 << 20, &err), &err);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 1 << 20);
	assert_true(st.st_blocks * 512 >= 1 << 20);
	plm_assert_ok(plm_ballast_make(folder, 1 << 20, &err), &err);
	plm_assert_ok(plm_ballast_make(folder, 1 << 16, &err), &err);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 1 << 16);
	assert_true(plm_ballast_release(folder));
	assert_false(plm_ballast_release(folder));
	plm_assert_ok(plm_ballast_make(folder, 1 << 16, &err), &err);
	plm_assert_ok(plm_ballast_make(folder, 0, &err), &err);
	assert_int_not_equal(stat(path, &st), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void a_ballast_that_does_not_fit_leaves_nothing(void **state)
{
	char folder[] = "/tmp/plm-room-XXXXXX";
	struct plm_error err = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_true(plm_ballast_make(folder, 1ULL << 60, &err) != PLM_OK);
	assert_int_equal(rmdir(folder), 0);
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
	PLM_TEST_TABLE(&tests, kind_row, kind_table);
	PLM_TEST_ADD(&tests, a_network_file_system_names_the_folder);
	PLM_TEST_ADD(&tests, the_ballast_takes_room_and_gives_it_back);
	PLM_TEST_ADD(&tests, a_ballast_that_does_not_fit_leaves_nothing);
	PLM_TEST_ADD(&tests, the_room_is_the_systems);
	return plm_tests_run(&tests, "room");
}
