/*
 * test_daemon.c - the whole daemon inside the test, so that the thread sanitizer sees all its threads
 */
#include "plm_test.h"

#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

static char folder[] = "/tmp/plm-daemon-XXXXXX";
static char scenario[1024];

/* SIGTERM to ourselves after the daemon had 'arg' ms. */
static void *end_it(void *arg)
{
	const long *ms = arg;
	const struct timespec wait = {*ms / 1000, *ms % 1000 * 1000000};

	(void)nanosleep(&wait, NULL);
	(void)kill(getpid(), SIGTERM);
	return NULL;
}

#define MAX_ARGS 24

/* 'line' taken apart at blanks. */
static int split(char *line, char *argv[MAX_ARGS])
{
	int argc = 0;

	for (char *at = line; at != NULL; argc++) {
		char *blank = strchr(at, ' ');

		assert_true(argc < MAX_ARGS);
		argv[argc] = at;
		if (blank != NULL) {
			*blank++ = '\0';
		}
		at = blank;
	}
	return argc;
}

static int run_for(long ms)
{
	char line[2048];
	char *argv[MAX_ARGS];
	int lines = dup(STDOUT_FILENO);
	int file = open("/dev/null", O_WRONLY);
	pthread_t thread;
	int code = 0;

	(void)snprintf(line, sizeof(line),
		       "--cloud sim --data-dir %s --scenario %s --log-level debug --no-ballast "
		       "--snapshot-events 1 --profile small --allow-any-filesystem "
		       "--listen 127.0.0.1:0 --health-listen 127.0.0.1:0",
		       folder, scenario);
	if (lines < 0 || file < 0) {
		fail_msg("no descriptors");
		return -1;
	}
	(void)fflush(stdout);
	assert_true(dup2(file, STDOUT_FILENO) >= 0);
	assert_int_equal(pthread_create(&thread, NULL, end_it, &ms), 0);
	code = plm_run_main(split(line, argv), argv);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(dup2(lines, STDOUT_FILENO) >= 0);
	(void)close(lines);
	(void)close(file);
	return code;
}

static void begins_works_and_ends(void **state)
{
	(void)state;
	assert_int_equal(run_for(4000), 0);
}

static void goes_on_with_its_own_log(void **state)
{
	(void)state;
	assert_int_equal(run_for(2000), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int main(void)
{
	static struct plm_tests tests;
	int code = 0;

	(void)snprintf(scenario, sizeof(scenario), "%s/tests/run/data/many.yaml",
		       getenv("PLM_SOURCE_ROOT"));
	if (mkdtemp(folder) == NULL) {
		return 1;
	}
	PLM_TEST_ADD(&tests, begins_works_and_ends);
	PLM_TEST_ADD(&tests, goes_on_with_its_own_log);
	code = plm_tests_run(&tests, "daemon");
	(void)nftw(folder, remove_one, 8, FTW_DEPTH);
	return code;
}
