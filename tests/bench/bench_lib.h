/*
 * bench_lib.h - what the benchmarks in C share: clocks, percentiles, one JSON line per figure
 *
 * A figure is {"name", "value", "unit", "raw", "note"}; run.py makes the table and says on which
 * machine it was taken. A run takes about five seconds in all, or PLM_BENCH_SECONDS per figure
 * where that is set. With PLM_SHORT, which is how `check` runs them, each is a test of its own
 * paths in well under a second: the answers count, the figures do not.
 */
#ifndef PLM_BENCH_LIB_H
#define PLM_BENCH_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int64_t bench_now_ns(void);
/* Processor time of this process: what a busy machine does not spoil. */
int64_t bench_cpu_ns(void);
/* Time for one figure. */
int64_t bench_budget_ns(int64_t default_ms);

/* Latencies of one kind of call. Zeroed = empty. */
struct bench_times {
	int64_t *ns; /* owned */
	size_t count;
	size_t capacity;
	int64_t sum_ns;
};
void bench_times_add(struct bench_times *times, int64_t ns);
void bench_times_fini(struct bench_times *times);
int64_t bench_times_at(const struct bench_times *times, unsigned int permille);
/* 'count' things per call, as things per second. */
int64_t bench_times_rate(const struct bench_times *times, size_t count);

/* One line; 'raw' 0 = none to compare with. Names and notes hold no quotes. */
void bench_print(const char *name, int64_t value, const char *unit, int64_t raw, const char *note);
/* The same for a time, which is printed in milliseconds. */
void bench_print_ms(const char *name, int64_t ns, int64_t raw_ns, const char *note);
/* PLM_SHORT is set: small loads, one run; the answers are checked all the same. */
bool bench_short(void);

/* A new folder below argv[1], on the disk of the build (PLM_BUILD_ROOT), or in /var/tmp. */
void bench_folder(int argc, char **argv, char *out, size_t size);
void bench_remove(const char *folder);
/* Kind of file system, for the notes. Borrowed, static. */
const char *bench_file_system(const char *folder);

#define BENCH_EVENT_BYTES 343
/* Event 'seq': bytes that are like those of a log, and pack like them. */
void bench_event(uint64_t seq, uint8_t out[BENCH_EVENT_BYTES]);

/* Ends the program with 'what' when 'good' is false. */
void bench_check(bool good, const char *what);

#endif
