/*
 * bench_input - a list of 200 MB in bounded memory
 *
 * `plimsoll decide` reads pods and nodes as `kubectl get -o json` dumps them, from a file and from a
 * pipe. Figures: throughput, raw beside it SHA-256 over the same bytes, which every object's hash asks
 * for; the most memory that the process ever had, less the state that it ends with (tables, texts and
 * their indexes). With PLM_SHORT the list is of 12 MB and the memory is bounded: that is the test.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapters/manifest/manifest.h"
#include "bench_lib.h"
#include "bench_load.h"
#include "codec/codec.h"
#include "engine/engine.h"

#define PODS 30000U
#define SHORT_PODS 1800U
#define MIB (1024 * 1024)
/* For the short list: the program itself, one item, the log of a few thousand facts. */
#define SHORT_BOUND (24L * MIB)

/* ---- the state's size -------------------------------------------------------------------------- */

struct folding {
	struct plm_engine *engine;
	struct plm_arena scratch;
};

static enum plm_code fold(void *ctx, const struct plm_manifest_fact *fact, struct plm_error *err)
{
	struct folding *folding = ctx;
	struct plm_observation seen = {.source = PLM_SOURCE_FILE, .type = fact->type};
	enum plm_code code = PLM_OK;

	plm_arena_reset(&folding->scratch);
	seen.payload = plm_payload_encode(
		plm_event_info((uint16_t)fact->type), fact->payload,
		plm_slice_of(fact->object_hash.bytes, sizeof(fact->object_hash.bytes)),
		&folding->scratch);
	code = plm_engine_observe(folding->engine, &seen, err);
	if (code == PLM_E_AGAIN) {
		code = plm_engine_flush(folding->engine, err);
		code = code == PLM_OK ? plm_engine_observe(folding->engine, &seen, err) : code;
	}
	return code;
}

static int64_t wall_ns(void *self)
{
	(void)self;
	return INT64_C(1767225600000000000);
}

static int64_t boot_ms(void *self)
{
	(void)self;
	return 0;
}

static int64_t bytes_of(const struct plm_state *st)
{
	int64_t sum = (int64_t)st->heap.bytes + 4 * ((int64_t)st->strings.mask + 1) +
		      (int64_t)sizeof(struct plm_key_cell) * ((int64_t)st->keys.mask + 1);

	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		sum += (int64_t)st->tables[t].bytes;
	}
	return sum;
}

static int64_t state_bytes(const char *path)
{
	struct plm_error err = {0};
	struct plm_log *log = NULL;
	struct folding folding = {0};
	struct plm_engine_options options = {
		.clock = {.wall_ns = wall_ns, .boot_ms = boot_ms},
		.cluster_uid = "bench",
		.config = {.cluster_name = plm_slice_str("bench")},
	};
	struct plm_manifest_options reading = {.now_ms = 0};
	struct plm_manifest_sink sink = {.ctx = &folding, .fact = fold};
	struct plm_manifest *reader = NULL;
	int64_t bytes = 0;

	bench_check(plm_log_open_memory(&log, &err) == PLM_OK, err.text);
	options.log = log;
	bench_check(plm_arena_init(&folding.scratch, (size_t)1 << 28, &err) == PLM_OK &&
			    plm_engine_open(&options, &folding.engine, &err) == PLM_OK &&
			    plm_manifest_open(&reader, &reading, &sink, &err) == PLM_OK &&
			    plm_manifest_read(reader, path, &err) == PLM_OK &&
			    plm_engine_flush(folding.engine, &err) == PLM_OK,
		    err.text);
	bytes = bytes_of(plm_engine_state(folding.engine));
	plm_manifest_close(reader);
	plm_engine_close(folding.engine);
	plm_log_close(log);
	plm_arena_fini(&folding.scratch);
	return bytes;
}

/* ---- the program ------------------------------------------------------------------------------- */

struct spent {
	int64_t ns, cpu_ns, peak_bytes;
};

static int64_t ns_of(struct timeval time)
{
	return (int64_t)time.tv_sec * 1000000000 + (int64_t)time.tv_usec * 1000;
}

/* Run 'command' in a shell; the most memory is that of the largest of its processes. */
static struct spent run(const char *command)
{
	int64_t begin = bench_now_ns();
	struct rusage usage;
	int status = 0;
	pid_t child = fork();

	bench_check(child >= 0, "fork");
	if (child == 0) {
		(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	bench_check(wait4(child, &status, 0, &usage) == child, "wait");
	bench_check(WIFEXITED(status) && WEXITSTATUS(status) == 0, command);
	return (struct spent){
		.ns = bench_now_ns() - begin,
		.cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime),
		.peak_bytes = (int64_t)usage.ru_maxrss * 1024,
	};
}

static int64_t hash_ns(const char *path)
{
	static uint8_t chunk[256 * 1024];
	int file = open(path, O_RDONLY | O_CLOEXEC);
	int64_t begin = bench_now_ns();
	ssize_t got = 0;
	struct plm_sha256 sum = {0};

	bench_check(file >= 0, "input");
	while ((got = read(file, chunk, sizeof(chunk))) > 0) {
		struct plm_sha256 one = plm_sha256(plm_slice_of(chunk, (size_t)got));

		sum.bytes[0] ^= one.bytes[0];
	}
	begin = bench_now_ns() - begin;
	(void)close(file);
	return begin > 0 ? begin : 1;
}

static void report(const char *how, const char *path, const char *command, int64_t size)
{
	int64_t state = state_bytes(path);
	struct spent spent = run(command);
	int64_t above = spent.peak_bytes - state;
	char name[96];
	char note[192];

	(void)snprintf(name, sizeof(name), "input: %ld MB list from a %s, decided", size / 1000000,
		       how);
	(void)snprintf(note, sizeof(note), "beside SHA-256 of the same bytes; %.2f s of CPU",
		       (double)spent.cpu_ns / 1e9);
	bench_print(name, size * 1000 / spent.ns, "MB/s", size * 1000 / hash_ns(path), note);
	(void)snprintf(name, sizeof(name), "input: %ld MB list from a %s, memory above the state",
		       size / 1000000, how);
	(void)snprintf(note, sizeof(note),
		       "aim below 64 for 200 MB; %ld MiB at most, state %ld MiB",
		       spent.peak_bytes / MIB, state / MIB);
	bench_print(name, above / MIB, "MiB", 0, note);
	bench_check(!bench_short() || above < SHORT_BOUND,
		    "more memory than a short list may cost");
}

int main(int argc, char **argv)
{
	const char *root = getenv("PLM_BUILD_ROOT");
	char folder[4000];
	char path[4096];
	char command[16384];
	struct bench_load load;
	struct stat info;

	bench_folder(argc, argv, folder, sizeof(folder));
	(void)snprintf(path, sizeof(path), "%s/dump.json", folder);
	bench_load_begin(&load, path, false);
	bench_load_dump(&load, 0, bench_short() ? SHORT_PODS : PODS);
	(void)bench_load_end(&load);
	bench_load_fini(&load);
	bench_check(stat(path, &info) == 0, "input");
	root = root == NULL ? "build" : root;
	(void)snprintf(command, sizeof(command),
		       "exec '%s/plimsoll' decide -o json -f '%s' > '%s/out' 2>&1", root, path,
		       folder);
	report("file", path, command, (int64_t)info.st_size);
	(void)snprintf(command, sizeof(command),
		       "cat '%s' | '%s/plimsoll' decide -o json -f - > '%s/out' 2>&1", path, root,
		       folder);
	report("pipe", path, command, (int64_t)info.st_size);
	bench_remove(folder);
	return 0;
}
