/* Snapshots: what is written comes back, and nothing that is damaged or foreign does. */
#include "store/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plm_test.h"
#include "store/frame.h"
#include "store_test.h"

#define LAYOUT 0x1122334455667788U

static struct plm_snapshot_info info_of(uint64_t seq)
{
	return (struct plm_snapshot_info){
		.seq = seq,
		.chain = {{(uint8_t)seq, 1, 2, 3}},
		.state = {.low = seq * 3, .high = seq * 5},
		.layout_digest = LAYOUT,
		.limits_digest = 77,
	};
}

/* A snapshot of 'seq' with three parts, one empty, one that packs well. */
static void write_one(const char *folder, uint64_t seq)
{
	static uint8_t zeros[300000];
	char text[32];
	struct plm_snapshot_info info = info_of(seq);
	struct plm_slice parts[3] = {{zeros, sizeof(zeros)}, {NULL, 0}, {NULL, 0}};
	struct plm_error err = {0};

	(void)snprintf(text, sizeof(text), "state %llu", (unsigned long long)seq);
	parts[2] = plm_slice_str(text);
	plm_assert_ok(plm_snapshot_write(folder, &info, parts, 3, &err), &err);
}

static void is_snapshot(const struct plm_snapshot *snapshot, uint64_t seq)
{
	char text[32];
	struct plm_snapshot_info want = info_of(seq);

	(void)snprintf(text, sizeof(text), "state %llu", (unsigned long long)seq);
	assert_int_equal(snapshot->info.seq, seq);
	assert_memory_equal(&snapshot->info.chain, &want.chain, sizeof(want.chain));
	assert_memory_equal(&snapshot->info.state, &want.state, sizeof(want.state));
	assert_int_equal(snapshot->info.layout_digest, LAYOUT);
	assert_int_equal(snapshot->info.limits_digest, 77);
	assert_int_equal(snapshot->part_count, 3);
	assert_int_equal(snapshot->parts[0].size, 300000);
	for (size_t i = 0; i < snapshot->parts[0].size; i++) {
		assert_int_equal(snapshot->parts[0].ptr[i], 0);
	}
	assert_int_equal(snapshot->parts[1].size, 0);
	plm_assert_text(snapshot->parts[2], text);
}

static const char *file_of(char *out, const char *folder, uint64_t seq)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "snapshots/%020llu.snap", (unsigned long long)seq);
	return store_path(out, folder, name);
}

struct told {
	unsigned int count;
	char last[PLM_ERROR_TEXT_SIZE];
	uint64_t refuse_seq;
};

static void ignored(void *ctx, const char *text)
{
	struct told *told = ctx;

	told->count++;
	(void)snprintf(told->last, sizeof(told->last), "%s", text);
}

static bool accept(void *ctx, const struct plm_snapshot_info *info, struct plm_error *err)
{
	const struct told *told = ctx;

	if (info->seq == told->refuse_seq) {
		(void)plm_fail(err, PLM_E_CORRUPT, "the HASH event knows another state");
		return false;
	}
	return true;
}

static uint64_t load(const char *folder, uint64_t max_seq, struct told *told)
{
	struct plm_snapshot_want want = {
		.max_seq = max_seq,
		.layout_digest = LAYOUT,
		.accept = accept,
		.ignored = ignored,
		.ctx = told,
	};
	struct plm_snapshot snapshot = {0};
	struct plm_error err = {0};
	enum plm_code code = plm_snapshot_load(folder, &want, &snapshot, &err);
	uint64_t seq = snapshot.info.seq;

	if (code != PLM_OK) {
		plm_assert_fails(code, PLM_E_NOT_FOUND, err, "no snapshot serves");
		return 0;
	}
	is_snapshot(&snapshot, seq);
	plm_snapshot_fini(&snapshot);
	return seq;
}

static void the_newest_that_counts_is_loaded(void **state)
{
	char folder[STORE_PATH_MAX];
	struct told told = {0};
	uint64_t *list = NULL;
	struct plm_snapshot_info info = {0};
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	assert_int_equal(load(folder, 1000, &told), 0);
	for (uint64_t seq = 10; seq <= 40; seq += 10) {
		write_one(folder, seq);
	}
	assert_int_equal(load(folder, 1000, &told), 40);
	assert_int_equal(load(folder, 40, &told), 40);
	assert_int_equal(load(folder, 39, &told), 30);
	assert_int_equal(load(folder, 9, &told), 0);
	assert_int_equal(told.count, 0);
	told.refuse_seq = 40;
	assert_int_equal(load(folder, 1000, &told), 30);
	assert_int_equal(told.count, 1);
	assert_string_equal(told.last, "the HASH event knows another state");

	assert_int_equal(plm_snapshot_list(folder, &list), 4);
	assert_int_equal(list[0], 10);
	assert_int_equal(list[3], 40);
	free(list);
	assert_int_equal(plm_snapshot_newest_name(folder), 40);
	assert_int_equal(plm_snapshot_newest_valid(folder), 40);
	assert_int_equal(plm_snapshot_count_valid(folder), 4);
	plm_assert_ok(plm_snapshot_info(folder, 20, &info, &err), &err);
	assert_int_equal(info.image_bytes, 300008);
	plm_assert_ok(plm_snapshot_remove(folder, 40, &err), &err);
	plm_assert_ok(plm_snapshot_remove(folder, 40, &err), &err);
	assert_int_equal(plm_snapshot_newest_name(folder), 30);
	plm_assert_ok(plm_snapshot_verify(folder, &err), &err);
	store_remove(folder);
}

static void what_is_no_snapshot_is_no_matter(void **state)
{
	static const char *const names[] = {
		"snapshots/readme",
		"snapshots/00000000000000000050.snap.tmp",
		"snapshots/0000000000000000005x.snap",
		"snapshots/99999999999999999999.snap",
		"snapshots/00000000000000000000.snap",
	};
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct told told = {0};
	uint64_t *list = NULL;

	(void)state;
	store_folder(folder);
	write_one(folder, 10);
	for (size_t i = 0; i < PLM_COUNTOF(names); i++) {
		store_store(store_path(path, folder, names[i]), "x", 1);
	}
	assert_int_equal(plm_snapshot_list(folder, &list), 1);
	free(list);
	assert_int_equal(load(folder, 1000, &told), 10);
	assert_int_equal(told.count, 0);
	store_remove(folder);
}

/* Every bit of the newest is flipped in turn: the older one serves, and the file is named. */
static void a_damaged_one_is_ignored(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	uint8_t *bytes = NULL;
	size_t size = 0;

	(void)state;
	store_folder(folder);
	write_one(folder, 10);
	write_one(folder, 20);
	bytes = store_load(file_of(path, folder, 20), &size);
	assert_true(size < 1000);
	for (size_t bit = 0; bit < size * 8; bit += 3) {
		struct told told = {0};

		bytes[bit / 8] ^= (uint8_t)(1U << (bit % 8));
		store_store(path, bytes, size);
		assert_int_equal(load(folder, 1000, &told), 10);
		assert_int_equal(told.count, 1);
		assert_non_null(strstr(told.last, "20.snap"));
		bytes[bit / 8] ^= (uint8_t)(1U << (bit % 8));
	}
	for (size_t cut = 0; cut < size; cut += 7) {
		struct told told = {0};

		store_store(path, bytes, cut);
		assert_int_equal(load(folder, 1000, &told), 10);
		assert_int_equal(told.count, 1);
	}
	free(bytes);
	store_remove(folder);
}

/* Change 'size' bytes at 'at' of snapshot 20 and put the right checksum behind the header. */
static void forge(const char *folder, size_t at, const void *value, size_t size)
{
	char path[STORE_PATH_MAX];
	size_t file_size = 0;
	size_t header = 136 + 8 * 3 + 8;
	uint8_t *bytes = store_load(file_of(path, folder, 20), &file_size);

	memcpy(bytes + at, value, size);
	plm_put_be64(bytes + header - 8, plm_xxh64(plm_slice_of(bytes, header - 8)));
	store_store(path, bytes, file_size);
	free(bytes);
}

static const struct forge_case {
	const char *why;
	size_t at;
	size_t size;
	const char *value;
	const char *want;
} forge_table[] = {
	{"a newer version", 8, 4, "\0\0\0\2", "snapshot version 2, this build knows 1"},
	{"another byte order", 12, 4, "\x0a\x0b\x0c\x0d", "another byte order"},
	{"too many parts", 16, 8, "\0\0\0\0\0\0\0\x41", "65 parts"},
	{"another count of parts", 16, 8, "\0\0\0\0\0\0\0\2", "2 parts"},
	{"another record's", 32, 8, "\0\0\0\0\0\0\0\x15", "another record's state"},
	{"another layout", 88, 8, "\0\0\0\0\0\0\0\1", "laid out differently"},
	{"a larger image", 104, 8, "\0\0\0\0\xff\0\0\0", "sizes do not add up"},
	{"a larger body", 112, 8, "\0\0\0\0\xff\0\0\0", "sizes do not add up"},
	{"another body", 120, 8, "\0\0\0\0\0\0\0\1", "checksum of its body"},
	{"another image", 128, 8, "\0\0\0\0\0\0\0\1", "not what its header says"},
	{"a part above the limit", 136, 8, "\xff\0\0\0\0\0\0\0", "larger than any"},
	{"parts that do not add up", 136, 8, "\0\0\0\0\0\0\0\1", "sizes do not add up"},
};

static void forge_row(const struct forge_case *row)
{
	char folder[STORE_PATH_MAX];
	struct told told = {0};

	store_folder(folder);
	write_one(folder, 10);
	write_one(folder, 20);
	forge(folder, row->at, row->value, row->size);
	assert_int_equal(load(folder, 1000, &told), 10);
	assert_int_equal(told.count, 1);
	assert_non_null(strstr(told.last, row->want));
	store_remove(folder);
}
PLM_TEST_ROWS(forge_row, struct forge_case)

static void verification_names_the_damaged_one(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_log_stat stat = {0};
	struct plm_error err = {0};
	struct plm_snapshot_info info = {0};
	uint64_t good = 0;

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 20);
	write_one(folder, 10);
	write_one(folder, 20);
	plm_assert_ok(plm_log_verify(folder, NULL, &stat, &good, &err), &err);
	assert_int_equal(stat.snapshots, 2);
	forge(folder, 120, "\0\0\0\0\0\0\0\1", 8);
	plm_assert_fails(plm_log_verify(folder, NULL, &stat, &good, &err), PLM_E_CORRUPT, err,
			 "20.snap");
	assert_int_equal(good, 77);
	plm_assert_ok(plm_log_stat(folder, &stat, &err), &err);
	assert_int_equal(stat.snapshots, 1);
	forge(folder, 8, "\0\0\0\2", 4);
	plm_assert_fails(plm_log_verify(folder, NULL, &stat, &good, &err), PLM_E_VERSION, err,
			 "snapshot version 2");
	plm_assert_fails(plm_snapshot_info(folder, 20, &info, &err), PLM_E_VERSION, err, "2");
	store_store(file_of(path, folder, 20), "", 0);
	plm_assert_fails(plm_snapshot_info(folder, 20, &info, &err), PLM_E_CORRUPT, err, "cut");
	plm_assert_fails(plm_snapshot_info(folder, 30, &info, &err), PLM_E_NOT_FOUND, err, "30");
	store_remove(folder);
}

static void limits_and_refusals(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_snapshot_info info = info_of(5);
	struct plm_slice parts[PLM_LIMIT_SNAPSHOT_PARTS + 1] = {{NULL, 0}};
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	plm_assert_fails(plm_snapshot_write(folder, &info, parts, PLM_COUNTOF(parts), &err),
			 PLM_E_LIMIT, err, "65 parts");
	parts[0].size = (size_t)PLM_LIMIT_SNAPSHOT_BYTES + 1;
	plm_assert_fails(plm_snapshot_write(folder, &info, parts, 1, &err), PLM_E_LIMIT, err,
			 "17179869184 bytes");
	parts[0].size = 0;
	plm_assert_ok(plm_snapshot_write(folder, &info, parts, PLM_COUNTOF(parts) - 1, &err), &err);
	plm_assert_ok(plm_snapshot_write(folder, &info, parts, 0, &err), &err);
	plm_assert_fails(
		plm_snapshot_write(store_path(path, folder, "no/log"), &info, parts, 1, &err),
		PLM_E_UNREACHABLE, err, "no/log/snapshots");
	store_remove(folder);
}

/* A full volume: /dev/full cannot be a folder, so the file that is written is a link to it. */
static void a_full_volume_leaves_no_trace(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct plm_snapshot_info info = info_of(10);
	const struct plm_slice part = plm_slice_str("state");
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	assert_int_equal(mkdir(store_path(path, folder, "snapshots"), 0755), 0);
	store_path(path, folder, "snapshots/00000000000000000010.snap.tmp");
	assert_int_equal(symlink("/dev/full", path), 0);
	plm_assert_fails(plm_snapshot_write(folder, &info, &part, 1, &err), PLM_E_FULL, err,
			 "snap.tmp");
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(plm_snapshot_newest_name(folder), 0);
	store_remove(folder);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, the_newest_that_counts_is_loaded);
	PLM_TEST_ADD(&tests, what_is_no_snapshot_is_no_matter);
	PLM_TEST_ADD(&tests, a_damaged_one_is_ignored);
	PLM_TEST_TABLE(&tests, forge_row, forge_table);
	PLM_TEST_ADD(&tests, verification_names_the_damaged_one);
	PLM_TEST_ADD(&tests, limits_and_refusals);
	PLM_TEST_ADD(&tests, a_full_volume_leaves_no_trace);
	return plm_tests_run(&tests, "snapshot");
}
