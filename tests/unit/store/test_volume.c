/* The volume of a log: which file systems are refused, and the ballast. */
#include "store/volume.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/limits.h"
#include "plm_test.h"
#include "store_test.h"

static const struct kind_case {
	const char *why;
	uint64_t magic;
	const char *want; /* NULL = fit */
} kind_table[] = {
	{"overlay is refused", 0x794c7630, "overlay"},
	{"nfs is refused", 0x6969, "nfs"},
	{"cifs is refused", 0xff534d42, "cifs"},
	{"fuse is refused", 0x65735546, "fuse"},
	{"ext4 is fit", 0xef53, NULL},
	{"xfs is fit", 0x58465342, NULL},
	{"btrfs is fit", 0x9123683e, NULL},
	{"tmpfs is fit", 0x01021994, NULL},
};

static void kind_row(const struct kind_case *row)
{
	const char *have = plm_volume_refused(row->magic);

	if (row->want == NULL) {
		assert_null(have);
	} else {
		assert_string_equal(have, row->want);
	}
}
PLM_TEST_ROWS(kind_row, struct kind_case)

static void a_local_volume_is_fit(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	plm_assert_ok(plm_volume_check(folder, &err), &err);
	plm_assert_fails(plm_volume_check("/nonexistent", &err), PLM_E_NOT_FOUND, err,
			 "/nonexistent");
	store_remove(folder);
}

static void ballast_comes_and_goes(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct stat status;
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	store_path(path, folder, "ballast");
	plm_assert_ok(plm_volume_ballast_make(folder, &err), &err);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, PLM_LIMIT_BALLAST_BYTES);
	assert_true((int64_t)status.st_blocks * 512 >= PLM_LIMIT_BALLAST_BYTES);
	plm_assert_ok(plm_volume_ballast_make(folder, &err), &err);
	plm_assert_ok(plm_volume_ballast_release(folder, &err), &err);
	assert_int_not_equal(stat(path, &status), 0);
	plm_assert_ok(plm_volume_ballast_release(folder, &err), &err);
	plm_assert_fails(plm_volume_ballast_make("/nonexistent", &err), PLM_E_NOT_FOUND, err,
			 "/nonexistent/ballast");
	store_remove(folder);
}

/* Where it does not fit, nothing is left. A limit of the file size stands for a small volume. */
static void ballast_that_does_not_fit_leaves_nothing(void **state)
{
	char folder[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	struct stat status;
	int ended = 0;
	pid_t pid = -1;

	(void)state;
	store_folder(folder);
	pid = fork();
	if (pid == 0) {
		struct rlimit small = {.rlim_cur = 4096, .rlim_max = 4096};
		struct sigaction ignore = {.sa_handler = SIG_IGN};

		if (setrlimit(RLIMIT_FSIZE, &small) != 0 ||
		    sigaction(SIGXFSZ, &ignore, NULL) != 0) {
			_exit(2);
		}
		_exit(plm_volume_ballast_make(folder, NULL) == PLM_E_IO ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &ended, 0), pid);
	assert_int_equal(ended, 0);
	assert_int_not_equal(stat(store_path(path, folder, "ballast"), &status), 0);
	store_remove(folder);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, kind_row, kind_table);
	PLM_TEST_ADD(&tests, a_local_volume_is_fit);
	PLM_TEST_ADD(&tests, ballast_comes_and_goes);
	PLM_TEST_ADD(&tests, ballast_that_does_not_fit_leaves_nothing);
	return plm_tests_run(&tests, "volume");
}
