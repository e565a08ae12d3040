#include "plm_test.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child_pid;

void plm_tests_add(struct plm_tests *tests, const char *name, CMUnitTestFunction run,
		   const void *row)
{
	PLM_ASSERT(tests->count < PLM_TESTS_MAX);
	tests->list[tests->count++] = (struct CMUnitTest){
		.name = name,
		.test_func = run,
		/* CMocka hands this back as it came; PLM_TEST_ROWS makes it const again. */
		.initial_state = (void *)(uintptr_t)row,
	};
}

void plm_tests_add_rows(struct plm_tests *tests, CMUnitTestFunction run, const void *rows,
			size_t count, size_t size)
{
	for (size_t i = 0; i < count; i++) {
		const uint8_t *row = (const uint8_t *)rows + i * size;
		const char *name = NULL;

		memcpy((void *)&name, row, sizeof(name));
		plm_tests_add(tests, name, run, row);
	}
}

int plm_tests_run(const struct plm_tests *tests, const char *group)
{
	int failed = 0;

	PLM_ASSERT(tests->count > 0);
	failed = _cmocka_run_group_tests(group, tests->list, tests->count, NULL, NULL);
	return failed > 255 ? 255 : failed;
}

uint64_t plm_test_seed(void)
{
	static uint64_t seed;
	const char *text = getenv("PLM_SEED");

	if (seed != 0) {
		return seed;
	}
	seed = 1;
	if (text != NULL && strcmp(text, "random") == 0) {
		PLM_ASSERT(getrandom(&seed, sizeof(seed), 0) == (ssize_t)sizeof(seed));
	} else if (text != NULL) {
		seed = strtoull(text, NULL, 10);
	}
	(void)printf("# PLM_SEED=%" PRIu64 "\n", seed);
	return seed;
}

uint64_t plm_test_random(uint64_t *state)
{
	uint64_t mixed = (*state += 0x9e3779b97f4a7c15U);

	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
	return mixed ^ (mixed >> 31);
}

uint64_t plm_test_below(uint64_t *state, uint64_t bound)
{
	PLM_ASSERT(bound > 0);
	return plm_test_random(state) % bound;
}

void plm_test_ok(enum plm_code code, const struct plm_error *err, const char *file, int line)
{
	if (code != PLM_OK) {
		print_error("%s: %s\n", plm_code_text(code), err == NULL ? "" : err->text);
		_fail(file, line);
	}
}

void plm_test_fails(enum plm_code have, enum plm_code want, const struct plm_error *err,
		    const char *part, struct plm_test_place place)
{
	if (have != want || err->code != want) {
		print_error("\"%s\" (%s) is not \"%s\"\n", plm_code_text(have), err->text,
			    plm_code_text(want));
		_fail(place.file, place.line);
	}
	if (strstr(err->text, part) == NULL) {
		print_error("\"%s\" does not say \"%s\"\n", err->text, part);
		_fail(place.file, place.line);
	}
}

void plm_test_slice(struct plm_slice have, const char *want, const char *file, int line)
{
	if (!plm_slice_is(have, want)) {
		print_error("\"%.*s\" is not \"%s\"\n", (int)have.size, (const char *)have.ptr,
			    want);
		_fail(file, line);
	}
}

bool plm_test_child(void)
{
	(void)fflush(NULL);
	child_pid = fork();
	PLM_ASSERT(child_pid >= 0);
	if (child_pid == 0) {
		struct rlimit none = {0};
		struct sigaction usual = {.sa_handler = SIG_DFL};
		int quiet = open("/dev/null", O_WRONLY);

		/* No core file, no noise, and CMocka must not catch the signal. */
		(void)setrlimit(RLIMIT_CORE, &none);
		PLM_ASSERT(quiet >= 0 && dup2(quiet, STDERR_FILENO) >= 0);
		(void)sigaction(SIGABRT, &usual, NULL);
		return true;
	}
	return false;
}

void plm_test_survived(void)
{
	_exit(0);
}

void plm_test_died(const char *file, int line)
{
	int status = 0;

	PLM_ASSERT(waitpid(child_pid, &status, 0) == child_pid);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) {
		print_error("the assertion did not fire\n");
		_fail(file, line);
	}
}
