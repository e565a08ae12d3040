/*
 * A flipped bit, a zeroed page, a page in another's place, anywhere in any file of a log: reading
 * gives the same answer or PLM_E_CORRUPT, verifying too, and a writer goes on rightly or refuses.
 * Nothing else ever, and no signal.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plm_test.h"
#include "store/snapshot.h"
#include "tests/unit/store/store_test.h"
#include "world.h"

#define PAGE 4096

static struct world world;

struct target {
	const char *name;
	uint8_t *bytes; /* as it should be */
	size_t size;
};

struct injection {
	const struct target *target;
	size_t at;
	size_t size;
	uint8_t bytes[PAGE];
};

enum injury {
	FLIPPED_BIT,
	ZEROED_PAGE,
	SWAPPED_PAGE,
	INJURIES,
};

static struct injection injure(const struct target *target, enum injury injury, uint64_t *random)
{
	struct injection out = {.target = target};
	size_t pages = (target->size + PAGE - 1) / PAGE;
	size_t page = plm_test_below(random, pages);
	size_t other = plm_test_below(random, pages);

	out.at = page * PAGE;
	out.size = target->size - out.at < PAGE ? target->size - out.at : PAGE;
	switch (injury) {
	case FLIPPED_BIT:
		out.at = plm_test_below(random, target->size);
		out.size = 1;
		out.bytes[0] = target->bytes[out.at] ^ (uint8_t)(1U << plm_test_below(random, 8));
		break;
	case ZEROED_PAGE:
	case INJURIES:
		break;
	case SWAPPED_PAGE:
		for (size_t i = 0; i < out.size && other * PAGE + i < target->size; i++) {
			out.bytes[i] = target->bytes[other * PAGE + i];
		}
		break;
	}
	return out;
}

static void poke(const char *folder, const char *name, size_t at, const uint8_t *bytes, size_t size)
{
	char path[STORE_PATH_MAX];
	int fd = open(store_path(path, folder, name), O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, size, (off_t)at), size);
	(void)close(fd);
}

struct tally {
	size_t same;
	size_t corrupt;
	size_t by_signal; /* of the reading child; the verdict was PLM_E_CORRUPT all the same */
	size_t writer_same;
	size_t writer_corrupt;
};

/* Read it all. PLM_OK: every record and the head are as they were. */
static enum plm_code read_again(const char *folder, struct plm_error *err)
{
	struct plm_log *log = NULL;
	struct plm_log_head head;
	uint64_t last = 0;
	enum plm_code code = plm_log_open(folder, PLM_LOG_READ, &log, err);

	if (code != PLM_OK) {
		return code;
	}
	head = plm_log_head(log);
	code = store_read(log, 1, &last, err);
	plm_log_close(log);
	if (code == PLM_OK) {
		assert_int_equal(last, world.heads[WORLD_COMMITS].seq);
		assert_memory_equal(&head, &world.heads[WORLD_COMMITS], sizeof(head));
	}
	return code;
}

static void judge(const char *folder, const struct injection *injection, struct tally *tally)
{
	struct plm_error err = {0};
	struct plm_log_stat stat = {0};
	uint64_t good = 0;
	enum plm_code code = read_again(folder, &err);

	if (code != PLM_OK && code != PLM_E_CORRUPT) {
		fail_msg("%s at %zu: code %d: %s", injection->target->name, injection->at,
			 (int)code, err.text);
	}
	tally->same += code == PLM_OK ? 1 : 0;
	tally->corrupt += code == PLM_OK ? 0 : 1;
	tally->by_signal += strstr(err.text, "is damaged (") != NULL ? 1 : 0;
	code = plm_log_verify(folder, NULL, &stat, &good, &err);
	if (code != PLM_OK && code != PLM_E_CORRUPT) {
		fail_msg("verify: %s at %zu: code %d: %s", injection->target->name, injection->at,
			 (int)code, err.text);
	}
	assert_true(good <= world.heads[WORLD_COMMITS].seq);
}

/*
 * A writer on a copy: 0 = it refused, 1 = it went on and what is there then is right; else wrong.
 */
static int write_on(const char *folder)
{
	struct plm_log *log = NULL;
	struct plm_error err = {0};
	enum plm_code code = plm_log_open(folder, PLM_LOG_WRITE, &log, &err);

	if (code == PLM_OK) {
		code = store_commit(log, WORLD_COMMITS % 7 + 1, &err);
		plm_log_close(log);
	}
	if (code == PLM_OK) {
		struct plm_log_stat stat = {0};
		uint64_t good = 0;

		/* Reading may still find damage that the writer had no reason to meet. */
		code = plm_log_verify(folder, NULL, &stat, &good, &err);
		if (code == PLM_OK) {
			return memcmp(&stat.head.chain, &world.heads[WORLD_COMMITS + 1].chain,
				      PLM_SHA256_SIZE) == 0
				       ? 1
				       : 2;
		}
	}
	if (code != PLM_E_CORRUPT) {
		(void)fprintf(stderr, "writer: code %d: %s\n", (int)code, err.text);
		return 3;
	}
	return 0;
}

static void judge_writer(const char *folder, const struct injection *injection,
			 const struct target *targets, size_t count, struct tally *tally)
{
	char copy[STORE_PATH_MAX];
	char path[STORE_PATH_MAX];
	int status = 0;
	pid_t pid = -1;

	(void)folder;
	store_folder(copy);
	assert_int_equal(mkdir(store_path(path, copy, PLM_SNAPSHOT_FOLDER), 0755), 0);
	for (size_t i = 0; i < count; i++) {
		store_store(store_path(path, copy, targets[i].name), targets[i].bytes,
			    targets[i].size);
	}
	poke(copy, injection->target->name, injection->at, injection->bytes, injection->size);
	pid = fork();
	if (pid == 0) {
		_exit(write_on(copy));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
		fail_msg("writer: %s at %zu of %zu bytes: status 0x%x", injection->target->name,
			 injection->at, injection->size, (unsigned int)status);
	}
	tally->writer_same += WEXITSTATUS(status) == 1 ? 1 : 0;
	tally->writer_corrupt += WEXITSTATUS(status) == 0 ? 1 : 0;
	store_remove(copy);
}

static void load_targets(const char *folder, struct target *targets, size_t count)
{
	char path[STORE_PATH_MAX];

	for (size_t i = 0; i < count; i++) {
		targets[i].bytes =
			store_load(store_path(path, folder, targets[i].name), &targets[i].size);
	}
	assert_true(targets[0].size <= (size_t)512 * 1024);
}

static void the_same_answer_or_damage(void **state)
{
	char snapshot[64];
	struct target targets[] = {
		{.name = "data.mdb"},
		{.name = "head"},
		{.name = snapshot},
	};
	char folder[STORE_PATH_MAX];
	struct tally tally = {0};
	uint64_t random = plm_test_seed();
	size_t rounds = getenv("PLM_SHORT") == NULL ? 10000 : 1000;

	(void)state;
	store_folder(folder);
	world_make(folder, WORLD_COMMITS);
	(void)snprintf(snapshot, sizeof(snapshot), "snapshots/%020llu.snap",
		       (unsigned long long)plm_snapshot_newest_name(folder));
	load_targets(folder, targets, PLM_COUNTOF(targets));
	for (size_t i = 0; i < rounds; i++) {
		const struct target *target = &targets[i % 50 == 7 ? 1 : i % 50 == 8 ? 2 : 0];
		struct injection injection = injure(target, (enum injury)(i % INJURIES), &random);

		poke(folder, target->name, injection.at, injection.bytes, injection.size);
		judge(folder, &injection, &tally);
		poke(folder, target->name, injection.at, target->bytes + injection.at,
		     injection.size);
		if (i % 5 == 0) {
			judge_writer(folder, &injection, targets, PLM_COUNTOF(targets), &tally);
		}
	}
	print_message(
		"%zu injections: %zu give the same answer, %zu are damage (%zu by a signal in "
		"the child); writers: %zu go on, %zu refuse\n",
		rounds, tally.same, tally.corrupt, tally.by_signal, tally.writer_same,
		tally.writer_corrupt);
	/* The injections bite: most of a log is records. */
	assert_true(tally.corrupt > rounds / 3);
	assert_true(tally.same > 0 && tally.by_signal > 0 && tally.writer_corrupt > 0);
	for (size_t i = 0; i < PLM_COUNTOF(targets); i++) {
		free(targets[i].bytes);
	}
	store_remove(folder);
}

int main(void)
{
	struct plm_tests tests = {0};

	world_init(&world);
	PLM_TEST_ADD(&tests, the_same_answer_or_damage);
	return plm_tests_run(&tests, "damage");
}
