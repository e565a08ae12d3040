#include "store_test.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plm_test.h"

struct plm_slice store_record(uint64_t seq, char *room)
{
	int size = snprintf(room, STORE_RECORD_MAX, "record %llu ", (unsigned long long)seq);
	size_t length = (size_t)size + seq * 37 % 300;

	memset(room + size, '.', length - (size_t)size);
	return plm_slice_of(room, length);
}

enum plm_code store_commit(struct plm_log *log, size_t count, struct plm_error *err)
{
	static char rooms[STORE_BATCH_MAX][STORE_RECORD_MAX];
	struct plm_slice records[STORE_BATCH_MAX];
	uint64_t seq = plm_log_head(log).seq;

	assert_true(count <= STORE_BATCH_MAX);
	for (size_t i = 0; i < count; i++) {
		records[i] = store_record(seq + 1 + i, rooms[i]);
	}
	return plm_log_commit(log, records, count, err);
}

enum plm_code store_read(struct plm_log *log, uint64_t from, uint64_t *last, struct plm_error *err)
{
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	char room[STORE_RECORD_MAX];
	enum plm_code code = plm_log_cursor_open(log, from, &cursor, err);

	*last = from - 1;
	while (code == PLM_OK) {
		code = plm_log_cursor_next(cursor, &record, err);
		if (code == PLM_OK) {
			assert_int_equal(record.seq, *last + 1);
			assert_true(plm_slice_equal(record.bytes, store_record(record.seq, room)));
			assert_int_equal(record.last_of_frame, record.seq == record.head.seq);
			*last = record.seq;
		}
	}
	plm_log_cursor_close(cursor);
	return code == PLM_E_NOT_FOUND ? PLM_OK : code;
}

uint64_t store_read_all(struct plm_log *log, uint64_t from)
{
	struct plm_error err = {0};
	uint64_t last = 0;

	plm_assert_ok(store_read(log, from, &last, &err), &err);
	return last;
}

void store_folder(char *out)
{
	const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	(void)snprintf(out, STORE_PATH_MAX, "%s/plm-store-XXXXXX", base);
	assert_non_null(mkdtemp(out));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

void store_remove(const char *path)
{
	(void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *store_path(char *out, const char *folder, const char *name)
{
	(void)snprintf(out, STORE_PATH_MAX, "%s/%s", folder, name);
	return out;
}

uint8_t *store_load(const char *path, size_t *size)
{
	struct stat status;
	uint8_t *bytes = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	PLM_ASSERT(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	*size = (size_t)status.st_size;
	bytes = malloc(*size + 1);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, *size), *size);
	(void)close(fd);
	return bytes;
}

void store_store(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	(void)close(fd);
}

struct plm_log_head store_make(const char *folder, size_t batches)
{
	struct plm_log *log = NULL;
	struct plm_log_head head;
	struct plm_error err = {0};

	plm_assert_ok(plm_log_open(folder, PLM_LOG_WRITE, &log, &err), &err);
	for (size_t i = 0; i < batches; i++) {
		plm_assert_ok(store_commit(log, i % 7 + 1, &err), &err);
	}
	head = plm_log_head(log);
	plm_log_close(log);
	return head;
}
