/*
 * fuzz_plog.c - an exported file from anywhere is read to its end or refused
 *
 * Input: one byte (1: put the right checksums into the header and the blocks), then the file.
 * Reading it from its beginning, from its middle and by a full verification must agree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/log.h"
#include "store/plog.h"
#include "tests/fuzz/fuzz.h"

static void reseal(uint8_t *bytes, size_t size)
{
	size_t at = PLM_PLOG_HEADER_SIZE;

	if (size < PLM_PLOG_HEADER_SIZE) {
		return;
	}
	plm_put_be64(bytes + at - 8, plm_xxh64(plm_slice_of(bytes, at - 8)));
	while (size - at >= PLM_PLOG_BLOCK_SIZE) {
		uint64_t body = plm_get_be64(bytes + at + 24);
		uint8_t *header = bytes + at;

		at += PLM_PLOG_BLOCK_SIZE;
		if (body > size - at) {
			return;
		}
		plm_put_be64(header + 32, plm_plog_sum(header, plm_slice_of(bytes + at, body)));
		at += body;
	}
}

static enum plm_code read_from(struct plm_log *log, uint64_t from, uint64_t *last)
{
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;
	enum plm_code code = plm_log_cursor_open(log, from, &cursor, NULL);

	*last = from - 1;
	while (code == PLM_OK) {
		code = plm_log_cursor_next(cursor, &record, NULL);
		if (code == PLM_OK) {
			PLM_ASSERT(record.seq == *last + 1);
			*last = record.seq;
		}
	}
	plm_log_cursor_close(cursor);
	return code;
}

static void try_file(const char *path)
{
	struct plm_log *log = NULL;
	struct plm_log_stat stat;
	uint64_t good = 0;
	uint64_t last = 0;
	uint64_t first = 0;
	uint64_t middle = 0;
	enum plm_code verdict = plm_log_verify(path, NULL, &stat, &good, NULL);

	if (plm_log_open(path, PLM_LOG_READ, &log, NULL) != PLM_OK) {
		PLM_ASSERT(verdict != PLM_OK);
		return;
	}
	first = plm_log_first(log);
	if (read_from(log, first, &last) == PLM_E_NOT_FOUND) {
		PLM_ASSERT(verdict == PLM_OK && good == last && last == plm_log_head(log).seq);
		middle = last < first ? first : first + (last - first) / 2;
		PLM_ASSERT(read_from(log, middle, &last) == PLM_E_NOT_FOUND);
		PLM_ASSERT(last == good);
	} else {
		PLM_ASSERT(verdict != PLM_OK);
	}
	plm_log_close(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	uint8_t *bytes = NULL;
	int fd = -1;

	if (size == 0) {
		return 0;
	}
	bytes = malloc(size);
	PLM_ASSERT(bytes != NULL);
	memcpy(bytes, data + 1, size - 1);
	if (data[0] == 1) {
		reseal(bytes, size - 1);
	}
	fd = memfd_create("plog", MFD_CLOEXEC);
	PLM_ASSERT(fd >= 0 && write(fd, bytes, size - 1) == (ssize_t)(size - 1));
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	try_file(path);
	(void)close(fd);
	free(bytes);
	return 0;
}
