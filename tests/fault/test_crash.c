/*
 * The machine dies at every write and every sync of a run, and the disk holds any of the images
 * that a disk may hold then. What is recovered is a prefix that contains everything acknowledged.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disk.h"
#include "plm_test.h"
#include "shim.h"
#include "tests/unit/store/store_test.h"
#include "world.h"

static struct world world;

struct tally {
	size_t images;
	size_t judged; /* the others are equal to one that was */
	size_t wrong;
	size_t lost_commits;
	char first[1200]; /* the first wrong one */
};

static void note(struct tally *tally, size_t op, int image, const char *wrong)
{
	static const char *const kinds[] = {
		[SHIM_CREATE] = "create",
		[SHIM_WRITE] = "write",
		[SHIM_TRUNCATE] = "truncate",
		[SHIM_SYNC] = "sync",
		[SHIM_SYNC_FOLDER] = "sync of folder",
		[SHIM_RENAME] = "rename",
		[SHIM_UNLINK] = "unlink",
	};

	tally->judged++;
	if (wrong == NULL) {
		return;
	}
	if (tally->wrong++ == 0) {
		(void)snprintf(tally->first, sizeof(tally->first), "call %zu (%s %s), image %d: %s",
			       shim_op(op)->call, kinds[shim_op(op)->kind], shim_op(op)->path,
			       image, wrong);
	}
	if (strstr(wrong, "acknowledged is lost") != NULL ||
	    strstr(wrong, "cannot be opened") != NULL) {
		tally->lost_commits++;
	}
}

/* Record one run of 'commits', then die at each of its calls, every 'stride'-th of them. */
static void die_everywhere(size_t commits, enum disk_lie lie, size_t stride, struct tally *tally)
{
	char folder[STORE_PATH_MAX];
	char image_folder[STORE_PATH_MAX];
	struct disk *disk = disk_new(lie);
	struct world_run run;
	uint64_t random = plm_test_seed();

	store_folder(folder);
	store_folder(image_folder);
	shim_watch(folder, true);
	world_run(folder, commits, &run);
	shim_stop();
	plm_assert_ok(run.code, &run.err);
	for (size_t op = 0; op < shim_count(); op++) {
		for (int image = 0; image < DISK_IMAGES && op % stride == 0; image++) {
			uint64_t seed = plm_test_random(&random);

			tally->images++;
			if (disk_is_kept(op, (enum disk_image)image)) {
				continue;
			}
			store_remove(image_folder);
			assert_int_equal(mkdir(image_folder, 0755), 0);
			disk_build(disk, op, (enum disk_image)image, seed, image_folder);
			note(tally, op, image,
			     world_judge(&world, image_folder, shim_op(op)->acked,
					 shim_op(op)->stamp));
		}
		disk_apply(disk, op);
	}
	disk_free(disk);
	store_remove(folder);
	store_remove(image_folder);
}

/* In short runs every so manieth call. */
static size_t stride_of(size_t in_short)
{
	return getenv("PLM_SHORT") == NULL ? 1 : in_short;
}

static void nothing_acknowledged_is_ever_lost(void **state)
{
	struct tally tally = {0};
	size_t stride = stride_of(7);

	(void)state;
	die_everywhere(WORLD_COMMITS, DISK_HONEST, stride, &tally);
	print_message("%zu calls, %zu images, %zu of them different, %zu wrong\n", shim_calls(),
		      tally.images, tally.judged, tally.wrong);
	if (tally.wrong > 0) {
		fail_msg("%s", tally.first);
	}
	/*
	 * Each commit makes a write or more, a sync, a write of the meta page and one of the
	 * witness.
	 */
	assert_true(shim_calls() >= (size_t)WORLD_COMMITS * 4);
	assert_true(tally.images * stride >= (size_t)WORLD_COMMITS * 4 * DISK_IMAGES);
}

/* The test of the test: a disk that lies is found out. */
static const struct lie_case {
	const char *why;
	enum disk_lie lie;
} lie_table[] = {
	{"a disk that ignores syncs is noticed", DISK_IGNORES_SYNC},
	{"a disk that ignores O_DSYNC is noticed", DISK_IGNORES_DSYNC},
	{"a disk that ignores syncs of folders is noticed", DISK_IGNORES_FOLDER_SYNC},
};

static void lie_row(const struct lie_case *row)
{
	struct tally tally = {0};

	die_everywhere(12, row->lie, stride_of(3), &tally);
	print_message("%zu of %zu images show the loss, such as: %s\n", tally.wrong, tally.judged,
		      tally.first);
	assert_true(tally.lost_commits > 0);
}
PLM_TEST_ROWS(lie_row, struct lie_case)

/* Commit and say so through 'fd' until the run is over. */
PLM_NORETURN static void commit_and_tell(const char *folder, int fd)
{
	struct plm_log *log = NULL;

	if (plm_log_open(folder, PLM_LOG_WRITE, &log, NULL) != PLM_OK) {
		_exit(1);
	}
	for (uint64_t i = 0; i < WORLD_COMMITS; i++) {
		if (store_commit(log, i % 7 + 1, NULL) != PLM_OK ||
		    write(fd, &i, sizeof(i)) != (ssize_t)sizeof(i)) {
			_exit(1);
		}
	}
	_exit(0);
}

/* Let it run for 'us' microseconds, kill it; how many commits it told of. */
static size_t run_and_kill(const char *folder, useconds_t us)
{
	int ends[2];
	size_t acked = 0;
	uint64_t commit = 0;
	pid_t pid = -1;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		commit_and_tell(folder, ends[1]);
	}
	(void)close(ends[1]);
	(void)usleep(us);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	while (read(ends[0], &commit, sizeof(commit)) == (ssize_t)sizeof(commit)) {
		acked = commit + 1;
	}
	(void)close(ends[0]);
	return acked;
}

/* A real process, killed at any moment while it commits. */
static void a_killed_process_loses_nothing(void **state)
{
	uint64_t random = plm_test_seed();

	(void)state;
	for (int round = 0; round < 20; round++) {
		char folder[STORE_PATH_MAX];
		const char *wrong = NULL;
		size_t acked = 0;

		store_folder(folder);
		acked = run_and_kill(folder, (useconds_t)(2000 + plm_test_below(&random, 8000)));
		wrong = world_judge(&world, folder, acked, 0);
		if (wrong != NULL) {
			fail_msg("killed after %zu commits: %s", acked, wrong);
		}
		store_remove(folder);
	}
}

int main(void)
{
	struct plm_tests tests = {0};

	world_init(&world);
	PLM_TEST_ADD(&tests, nothing_acknowledged_is_ever_lost);
	PLM_TEST_TABLE(&tests, lie_row, lie_table);
	PLM_TEST_ADD(&tests, a_killed_process_loses_nothing);
	return plm_tests_run(&tests, "crash");
}
