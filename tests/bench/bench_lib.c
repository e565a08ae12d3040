#include "bench_lib.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/sort.h"

int64_t bench_now_ns(void)
{
	struct timespec now;

	bench_check(clock_gettime(CLOCK_MONOTONIC, &now) == 0, "clock");
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t bench_cpu_ns(void)
{
	struct timespec now;

	bench_check(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0, "clock");
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t bench_budget_ns(int64_t default_ms)
{
	const char *text = getenv("PLM_BENCH_SECONDS");

	if (bench_short()) {
		return 5 * 1000000;
	}
	return text == NULL ? default_ms * 1000000 : strtoll(text, NULL, 10) * 1000000000;
}

void bench_check(bool good, const char *what)
{
	if (!good) {
		(void)fprintf(stderr, "bench: %s\n", what);
		exit(1);
	}
}

/* ---- times --------------------------------------------------------------------------------- */

void bench_times_add(struct bench_times *times, int64_t ns)
{
	if (times->count == times->capacity) {
		times->capacity = times->capacity == 0 ? 4096 : times->capacity * 2;
		times->ns = reallocarray(times->ns, times->capacity, sizeof(*times->ns));
		bench_check(times->ns != NULL, "no memory");
	}
	times->ns[times->count++] = ns;
	times->sum_ns += ns;
}

void bench_times_fini(struct bench_times *times)
{
	free(times->ns);
	*times = (struct bench_times){0};
}

static int by_time(const void *context, uint32_t a, uint32_t b)
{
	const int64_t *ns = context;

	if (ns[a] != ns[b]) {
		return ns[a] < ns[b] ? -1 : 1;
	}
	return (a > b) - (a < b);
}

int64_t bench_times_at(const struct bench_times *times, unsigned int permille)
{
	struct plm_arena arena;
	uint32_t *order = NULL;
	int64_t out = 0;

	if (times->count == 0) {
		return 0;
	}
	bench_check(plm_arena_init(&arena, times->count * 16 + 4096, NULL) == PLM_OK, "no memory");
	order = PLM_NEW_ARRAY(&arena, times->count, uint32_t);
	for (uint32_t i = 0; i < times->count; i++) {
		order[i] = i;
	}
	plm_sort(order, times->count, by_time, times->ns, &arena);
	out = times->ns[order[(times->count - 1) * permille / 1000]];
	plm_arena_fini(&arena);
	return out;
}

int64_t bench_times_rate(const struct bench_times *times, size_t count)
{
	if (times->sum_ns == 0) {
		return 0;
	}
	return (int64_t)((plm_i128)times->count * (plm_i128)count * 1000000000 / times->sum_ns);
}

/* ---- output -------------------------------------------------------------------------------- */

void bench_print(const char *name, int64_t value, const char *unit, int64_t raw, const char *note)
{
	(void)printf("{\"name\": \"%s\", \"value\": %" PRId64 ", \"unit\": \"%s\"", name, value,
		     unit);
	if (raw > 0) {
		(void)printf(", \"raw\": %" PRId64, raw);
	}
	(void)printf(", \"note\": \"%s\"}\n", note);
	(void)fflush(stdout);
}

void bench_print_ms(const char *name, int64_t ns, int64_t raw_ns, const char *note)
{
	(void)printf("{\"name\": \"%s\", \"value\": %.3f, \"unit\": \"ms\"", name,
		     (double)ns / 1e6);
	if (raw_ns > 0) {
		(void)printf(", \"raw\": %.3f", (double)raw_ns / 1e6);
	}
	(void)printf(", \"note\": \"%s\"}\n", note);
	(void)fflush(stdout);
}

bool bench_short(void)
{
	return getenv("PLM_SHORT") != NULL;
}

/* ---- folders ------------------------------------------------------------------------------- */

void bench_folder(int argc, char **argv, char *out, size_t size)
{
	const char *root = argc > 1 ? argv[1] : getenv("PLM_BUILD_ROOT");

	(void)snprintf(out, size, "%s/bench-XXXXXX", root == NULL ? "/var/tmp" : root);
	bench_check(mkdtemp(out) != NULL, "cannot make a folder");
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

void bench_remove(const char *folder)
{
	(void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *bench_file_system(const char *folder)
{
	static const struct {
		unsigned long magic;
		const char *name;
	} known[] = {
		{0xef53, "ext4"},     {0x58465342, "xfs"},     {0x9123683e, "btrfs"},
		{0x1021994, "tmpfs"}, {0x794c7630, "overlay"}, {0x2fc12fc1, "zfs"},
	};
	struct statfs status;

	if (statfs(folder, &status) == 0) {
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			if (known[i].magic == (unsigned long)status.f_type) {
				return known[i].name;
			}
		}
	}
	return "unknown file system";
}

void bench_event(uint64_t seq, uint8_t out[BENCH_EVENT_BYTES])
{
	uint64_t word = seq * 0x9e3779b97f4a7c15U;

	(void)snprintf((char *)out, BENCH_EVENT_BYTES,
		       "%" PRIu64 " default/job-train-%" PRIu64
		       " workload queue team-a cpu 3000m memory 12884901888 gpu 8 ",
		       seq, seq / 7);
	for (size_t i = 120; i < BENCH_EVENT_BYTES; i++) {
		word ^= word << 13;
		word ^= word >> 7;
		word ^= word << 17;
		/* Every second byte is random: about as zstd finds real events. */
		out[i] = i % 2 == 0 ? (uint8_t)word : (uint8_t)'a';
	}
}
