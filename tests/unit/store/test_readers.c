/* Readers beside a live writer: on other threads, many, slow ones. */
#include <lmdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/limits.h"
#include "plm_test.h"
#include "store_test.h"

#define COMMITS 200

struct share {
	struct plm_log *log;
	uint64_t until;
	uint64_t last;
	bool good;
};

/* Follow the writer's own handle until record 'until' has come by. */
static void *follow(void *ctx)
{
	struct share *share = ctx;
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	struct plm_error err;
	char room[STORE_RECORD_MAX];
	enum plm_code code = plm_log_cursor_open(share->log, 1, &cursor, &err);

	share->good = code == PLM_OK;
	while (share->good && share->last < share->until) {
		code = plm_log_cursor_next(cursor, &record, &err);
		if (code == PLM_OK) {
			share->good = record.seq == share->last + 1 &&
				      plm_slice_equal(record.bytes, store_record(record.seq, room));
			share->last = record.seq;
		} else if (code == PLM_E_NOT_FOUND) {
			(void)usleep(200);
		} else {
			share->good = false;
		}
	}
	plm_log_cursor_close(cursor);
	return NULL;
}

static void cursors_on_other_threads_follow_the_writer(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct share shares[3];
	pthread_t threads[3];
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	for (size_t i = 0; i < 3; i++) {
		shares[i] = (struct share){.log = log, .until = COMMITS * 4};
		assert_int_equal(pthread_create(&threads[i], NULL, follow, &shares[i]), 0);
	}
	for (int i = 0; i < COMMITS; i++) {
		plm_assert_ok(store_commit(log, 4, &err), &err);
	}
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_true(shares[i].good);
		assert_int_equal(shares[i].last, COMMITS * 4);
	}
	plm_log_close(log);
	store_remove(folder);
}

static int count_transactions(const char *line, void *ctx)
{
	int *count = ctx;

	/* "    pid     thread     txnid": a reader between transactions has "-" for the last. */
	if (strstr(line, "pid") == NULL && strchr(line, '-') == NULL &&
	    strstr(line, "no active") == NULL) {
		++*count;
	}
	return 0;
}

/* Open read transactions in 'folder', as a process of its own sees them. */
static int transactions(const char *folder)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		MDB_env *env = NULL;
		int count = 0;

		if (mdb_env_create(&env) != 0 || mdb_env_open(env, folder, MDB_RDONLY, 0644) != 0 ||
		    mdb_reader_list(env, count_transactions, &count) < 0) {
			_exit(255);
		}
		_exit(count);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 255);
	return WEXITSTATUS(status);
}

/* Neither one that has read all nor one whose owner does not take what it sends. */
static void a_slow_reader_pins_no_page(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_cursor *stalled = NULL;
	struct plm_log_cursor *done = NULL;
	struct plm_log_record record;
	struct plm_error err = {0};
	int tries = 100;

	(void)state;
	store_folder(folder);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	for (int i = 0; i < 400; i++) {
		plm_assert_ok(store_commit(log, STORE_BATCH_MAX, &err), &err);
	}
	plm_assert_ok(plm_log_cursor_open(log, 1, &stalled, &err), &err);
	plm_assert_ok(plm_log_cursor_next(stalled, &record, &err), &err);
	plm_assert_ok(plm_log_cursor_open(log, 25600, &done, &err), &err);
	plm_assert_ok(plm_log_cursor_next(done, &record, &err), &err);
	plm_assert_fails(plm_log_cursor_next(done, &record, &err), PLM_E_NOT_FOUND, err, "ends");
	while (transactions(folder) > 0 && --tries > 0) {
		(void)usleep(20000);
	}
	assert_true(tries > 0);
	/* They go on all the same. */
	plm_assert_ok(store_commit(log, 1, &err), &err);
	plm_assert_ok(plm_log_cursor_next(done, &record, &err), &err);
	assert_int_equal(record.seq, 25601);
	for (uint64_t seq = 2; seq <= 25601; seq++) {
		plm_assert_ok(plm_log_cursor_next(stalled, &record, &err), &err);
		assert_int_equal(record.seq, seq);
	}
	plm_log_cursor_close(stalled);
	plm_log_cursor_close(done);
	plm_log_close(log);
	store_remove(folder);
}

/* Send 'number' to one of our children. */
static int signal_child(int number)
{
	char text[64] = "";
	char path[64];
	FILE *file = NULL;
	long pid = 0;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "re");
	PLM_ASSERT(file != NULL);
	if (fgets(text, sizeof(text), file) != NULL) {
		pid = strtol(text, NULL, 10);
	}
	(void)fclose(file);
	return pid > 0 ? kill((pid_t)pid, number) : -1;
}

static int kill_child(void)
{
	return signal_child(SIGKILL);
}

/* Not damage: somebody ended the child, an administrator or the kernel for want of memory. */
static void a_killed_child_is_no_damage(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 3);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_READ, &log, &err), &err);
	plm_assert_ok(plm_log_cursor_open(log, 1, &cursor, &err), &err);
	for (int i = 0; i < 6; i++) {
		plm_assert_ok(plm_log_cursor_next(cursor, &record, &err), &err);
	}
	plm_assert_fails(plm_log_cursor_next(cursor, &record, &err), PLM_E_NOT_FOUND, err, "ends");
	assert_int_equal(kill_child(), 0);
	plm_assert_fails(plm_log_cursor_next(cursor, &record, &err), PLM_E_IO, err, "Killed");
	plm_log_cursor_close(cursor);
	plm_log_close(log);
	store_remove(folder);
}

/* What a terminal sends to the whole group is for the parent to answer. */
static void an_interrupt_does_not_end_a_child(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	struct plm_error err = {0};

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 1);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	plm_assert_ok(plm_log_cursor_open(log, 1, &cursor, &err), &err);
	plm_assert_ok(plm_log_cursor_next(cursor, &record, &err), &err);
	plm_assert_fails(plm_log_cursor_next(cursor, &record, &err), PLM_E_NOT_FOUND, err, "ends");
	assert_int_equal(signal_child(SIGINT), 0);
	assert_int_equal(signal_child(SIGTERM), 0);
	plm_assert_ok(store_commit(log, 1, &err), &err);
	plm_assert_ok(plm_log_cursor_next(cursor, &record, &err), &err);
	assert_int_equal(record.seq, 2);
	plm_log_cursor_close(cursor);
	plm_log_close(log);
	store_remove(folder);
}

static void too_many_readers_are_told_to_wait(void **state)
{
	char folder[STORE_PATH_MAX];
	struct plm_log *log = NULL;
	struct plm_log_cursor *cursors[PLM_LIMIT_READERS + 1] = {NULL};
	struct plm_log_record record;
	struct plm_error err = {0};
	struct plm_log_cursor *more = NULL;
	enum plm_code code = PLM_OK;
	size_t count = 0;

	(void)state;
	store_folder(folder);
	(void)store_make(folder, 3);
	plm_assert_ok(plm_log_open(folder, PLM_LOG_READ, &log, &err), &err);
	while (count <= PLM_LIMIT_READERS && code == PLM_OK) {
		code = plm_log_cursor_open(log, 1, &cursors[count], &err);
		count += code == PLM_OK ? 1 : 0;
	}
	plm_assert_fails(code, PLM_E_AGAIN, err, folder);
	assert_in_range(count, PLM_LIMIT_READERS - 1, PLM_LIMIT_READERS);
	plm_log_cursor_close(cursors[0]);
	plm_assert_ok(plm_log_cursor_open(log, 1, &cursors[0], &err), &err);
	plm_assert_ok(plm_log_cursor_next(cursors[0], &record, &err), &err);
	/* A place is also given back when a reader was killed. */
	assert_int_equal(kill_child(), 0);
	for (int tries = 0; tries < 200 && code == PLM_E_AGAIN; tries++) {
		(void)usleep(10000);
		code = plm_log_cursor_open(log, 1, &more, &err);
	}
	plm_assert_ok(code, &err);
	plm_log_cursor_close(more);
	for (size_t i = 0; i < count; i++) {
		plm_log_cursor_close(cursors[i]);
	}
	plm_log_close(log);
	store_remove(folder);
}

static void a_path_has_a_limit(void **state)
{
	char path[5000];
	struct plm_log *log = NULL;
	struct plm_error err = {0};

	(void)state;
	memset(path, 'x', sizeof(path));
	memcpy(path, "/dev/shm/", 9);
	path[4500] = '\0';
	plm_assert_fails(plm_log_open(path, PLM_LOG_READ, &log, &err), PLM_E_LIMIT, err, "4095");
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, cursors_on_other_threads_follow_the_writer);
	PLM_TEST_ADD(&tests, a_slow_reader_pins_no_page);
	PLM_TEST_ADD(&tests, a_killed_child_is_no_damage);
	PLM_TEST_ADD(&tests, an_interrupt_does_not_end_a_child);
	PLM_TEST_ADD(&tests, too_many_readers_are_told_to_wait);
	PLM_TEST_ADD(&tests, a_path_has_a_limit);
	return plm_tests_run(&tests, "readers");
}
