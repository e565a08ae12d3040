/*
 * test_seeds.c - random scenarios, each of which must keep every invariant
 *
 *	test_seeds [PART PARTS]		seeds of which (seed mod PARTS) is PART
 *	test_seeds --write N FILE	the scenario of seed N as a file
 *
 * PLM_SEED is the first seed (1), PLM_SEEDS how many (300; 60 with PLM_SHORT, 1000 with PLM_SOAK). Each
 * runs in a child, so that an assert or a hang of one is a failure of that one. A failure is shrunk and
 * written to the build folder; the command that repeats it is printed.
 */
#include "plm_test.h"
#include "tools/sim/generate.h"
#include "tools/sim/sim_run.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT_MAX 700
#define SHRINK_TRIES 40
#define SEEDS_MAX 4000

/* What a child says on its pipe. */
struct verdict {
	bool failed;
	char text[TEXT_MAX];
	struct plm_sha256 head;
	struct plm_hash128 state;
	uint64_t events;
	int64_t simulated_ms;
};

static unsigned patience_s = 60;

static void run(const struct plm_generated *scenario, struct verdict *out)
{
	static const char *const families[] = {"m5", "c5", "r5", NULL};
	static char text[PLM_GENERATED_BYTES];
	struct plm_sim_run_options options = {.scenario = "random.yaml",
					      .seed = scenario->seed,
					      .until_ms = PLM_UNSET,
					      .families = families};
	struct plm_sim_report report;
	struct plm_error err = {0};
	enum plm_code code = PLM_OK;

	options.text = plm_slice_of(text, plm_generated_yaml(scenario, text));
	code = plm_sim_run(&options, &report, &err);
	if (code != PLM_OK) {
		out->failed = true;
		(void)snprintf(out->text, sizeof(out->text), "%s", err.text);
	} else if (report.violations > 0) {
		out->failed = true;
		(void)snprintf(out->text, sizeof(out->text), "%s (at event %" PRIu64 ")",
			       report.violation, report.violation_seq);
	}
	out->head = report.log_head;
	out->state = report.state_hash;
	out->events = report.events;
	out->simulated_ms = report.simulated_ms;
}

/* The last line that the child wrote on its standard error, for asserts. */
static void last_words(FILE *errors, char *text, size_t size)
{
	char line[TEXT_MAX];

	if (fseek(errors, 0, SEEK_SET) != 0) {
		return;
	}
	while (fgets(line, sizeof(line), errors) != NULL) {
		if (strlen(line) > 1 && (text[0] == '\0' || strstr(line, "ERROR") != NULL)) {
			(void)snprintf(text, size, "%s", line);
			text[strcspn(text, "\n")] = '\0';
		}
	}
}

static void run_in_child(const struct plm_generated *scenario, struct verdict *out)
{
	FILE *errors = tmpfile();
	int ends[2];
	int status = 0;
	pid_t child = 0;

	*out = (struct verdict){0};
	if (errors == NULL) {
		fail_msg("no file for what the child says");
		return;
	}
	if (pipe(ends) != 0) {
		(void)fclose(errors);
		fail_msg("no pipe to the child");
		return;
	}
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct verdict mine = {0};

		(void)alarm(patience_s);
		(void)dup2(fileno(errors), STDERR_FILENO);
		run(scenario, &mine);
		_exit(write(ends[1], &mine, sizeof(mine)) == (ssize_t)sizeof(mine) ? 0 : 1);
	}
	(void)close(ends[1]);
	if (read(ends[0], out, sizeof(*out)) != (ssize_t)sizeof(*out)) {
		*out = (struct verdict){.failed = true};
	}
	(void)close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (out->failed && out->text[0] == '\0') {
		last_words(errors, out->text, sizeof(out->text));
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
			(void)snprintf(out->text, sizeof(out->text), "no end within %u s",
				       patience_s);
		}
	}
	(void)fclose(errors);
}

/* The same kind of failure: the words up to the first digit or quote. */
static bool alike(const char *a, const char *b)
{
	size_t same = strcspn(a, "0123456789'");

	return strncmp(a, b, same > 24 ? 24 : same) == 0;
}

static bool still_fails(void *ctx, const struct plm_generated *scenario)
{
	const struct verdict *first = ctx;
	struct verdict verdict;

	run_in_child(scenario, &verdict);
	return verdict.failed && alike(first->text, verdict.text);
}

static bool write_yaml(const struct plm_generated *scenario, const char *path)
{
	static char text[PLM_GENERATED_BYTES];
	size_t size = plm_generated_yaml(scenario, text);
	FILE *file = fopen(path, "w");
	bool done = false;

	if (file == NULL) {
		return false;
	}
	done = fwrite(text, 1, size, file) == size;
	return fclose(file) == 0 && done;
}

static void tell(struct plm_generated *scenario, struct verdict *verdict)
{
	const char *root = getenv("PLM_BUILD_ROOT");
	char path[512];
	struct verdict smaller;

	plm_generated_shrink(scenario, still_fails, verdict, SHRINK_TRIES);
	run_in_child(scenario, &smaller);
	(void)snprintf(path, sizeof(path), "%s/failed-seed-%" PRIu64 ".yaml",
		       root == NULL ? "." : root, scenario->seed);
	(void)write_yaml(scenario, path);
	print_message("seed %" PRIu64 ": %s\n  made smaller: %s\n"
		      "  repeat with: %s/tests/sim/sim_tool %s --small --seed %" PRIu64
		      " --text --trace -\n",
		      scenario->seed, verdict->text, smaller.text, root == NULL ? "build" : root,
		      path, scenario->seed);
}

static void seed_holds(void **state)
{
	uint64_t seed = *(const uint64_t *)*state;
	struct plm_generated scenario;
	struct verdict verdict;
	struct verdict again;

	plm_generate(seed, &scenario);
	run_in_child(&scenario, &verdict);
	if (verdict.failed) {
		tell(&scenario, &verdict);
		fail();
	}
	if (getenv("PLM_VERBOSE") != NULL) {
		print_message("seed %" PRIu64 ": %" PRIu64 " events, %" PRId64 " s\n", seed,
			      verdict.events, (int64_t)(verdict.simulated_ms / 1000));
	}
	if (seed % 10 == 0) { /* the same again, to the byte */
		run_in_child(&scenario, &again);
		assert_memory_equal(&verdict.head, &again.head, sizeof(verdict.head));
		assert_memory_equal(&verdict.state, &again.state, sizeof(verdict.state));
	}
}

static uint64_t number(const char *name, uint64_t absent)
{
	const char *text = getenv(name);

	return text == NULL ? absent : strtoull(text, NULL, 10);
}

static uint64_t seed_count(void)
{
	if (getenv("PLM_SHORT") != NULL) {
		return number("PLM_SEEDS", 60);
	}
	return number("PLM_SEEDS", getenv("PLM_SOAK") != NULL ? 1000 : 300);
}

int main(int argc, char **argv)
{
	static struct plm_tests tests;
	static uint64_t seeds[SEEDS_MAX];
	static char names[SEEDS_MAX][32];
	uint64_t first = number("PLM_SEED", 1);
	uint64_t count = seed_count();
	uint64_t part = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t parts = argc == 3 ? strtoull(argv[2], NULL, 10) : 1;

	if (argc == 4 && strcmp(argv[1], "--write") == 0) {
		struct plm_generated scenario;

		plm_generate(strtoull(argv[2], NULL, 10), &scenario);
		return write_yaml(&scenario, argv[3]) ? 0 : 1;
	}
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
	patience_s *= 8;
#endif
#endif
	for (uint64_t i = 0; i < count && i < SEEDS_MAX; i++) {
		if ((first + i) % parts != part) {
			continue;
		}
		seeds[i] = first + i;
		(void)snprintf(names[i], sizeof(names[i]), "seed %" PRIu64, seeds[i]);
		plm_tests_add(&tests, names[i], seed_holds, &seeds[i]);
	}
	return plm_tests_run(&tests, "seeds");
}
