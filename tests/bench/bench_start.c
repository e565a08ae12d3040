/*
 * bench_start - from the call of `plimsoll` to its first byte, and what it costs in memory
 *
 * Raw beside it: the same for /bin/true, whose "first byte" is the end of its output.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_lib.h"
#include "core/base.h"

#define RUNS 21

struct start {
	struct bench_times first; /* to the first byte, or the end of the output */
	int64_t peak_bytes;
};

static void child(const char *const argv[], int out)
{
	(void)dup2(out, STDOUT_FILENO);
	(void)execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

static void once(struct start *start, const char *const argv[])
{
	int ends[2];
	int64_t begin = 0;
	char byte[4096];
	ssize_t got = 0;
	struct rusage usage;
	int status = 0;
	pid_t pid = 0;

	bench_check(pipe2(ends, O_CLOEXEC) == 0, "pipe");
	begin = bench_now_ns();
	pid = fork();
	bench_check(pid >= 0, "fork");
	if (pid == 0) {
		child(argv, ends[1]);
	}
	(void)close(ends[1]);
	got = read(ends[0], byte, sizeof(byte));
	bench_times_add(&start->first, bench_now_ns() - begin);
	while (got > 0) {
		got = read(ends[0], byte, sizeof(byte));
	}
	bench_check(wait4(pid, &status, 0, &usage) == pid, "wait");
	bench_check(WIFEXITED(status) && WEXITSTATUS(status) == 0, argv[0]);
	start->peak_bytes = (int64_t)usage.ru_maxrss * 1024;
	(void)close(ends[0]);
}

static int64_t measure(const char *name, const char *const argv[], int64_t raw)
{
	struct start start = {0};
	int64_t median = 0;
	char note[96];

	for (int i = 0; i < (bench_short() ? 1 : RUNS); i++) {
		once(&start, argv);
	}
	median = bench_times_at(&start.first, 500);
	(void)snprintf(note, sizeof(note), "p99 %.1f ms; %.1f MiB at most; aim 10 ms",
		       (double)bench_times_at(&start.first, 990) / 1e6,
		       (double)start.peak_bytes / (1024 * 1024));
	if (raw > 0) {
		bench_print_ms(name, median, raw, note);
	}
	bench_times_fini(&start.first);
	return median;
}

int main(int argc, char **argv)
{
	const char *root = getenv("PLM_BUILD_ROOT");
	char folder[4000];
	char program[4096];
	char input[4096];
	const char *nothing[] = {"/bin/true", NULL};
	const char *version[] = {program, "version", NULL};
	const char *decide[] = {program, "decide", "-f", input, NULL};
	int64_t raw = measure("", nothing, 0);
	FILE *file = NULL;

	bench_folder(argc, argv, folder, sizeof(folder));
	(void)snprintf(program, sizeof(program), "%s/plimsoll", root == NULL ? "build" : root);
	(void)snprintf(input, sizeof(input), "%s/empty.yaml", folder);
	file = fopen(input, "we");
	bench_check(file != NULL && fclose(file) == 0, "empty input");
	(void)measure("start: version, first byte", version, raw);
	(void)measure("start: decide on nothing, first byte", decide, raw);
	bench_remove(folder);
	return 0;
}
