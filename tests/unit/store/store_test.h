/*
 * store_test.h - what the tests of the store share: records one can recognise, folders that go away
 *
 * Record 'seq' is its number as text, of a length that varies with it, so that any record read
 * back can be checked without a copy of what was written.
 */
#ifndef PLM_STORE_TEST_H
#define PLM_STORE_TEST_H

#include "store/log.h"

#define STORE_BATCH_MAX 64
#define STORE_RECORD_MAX 400
#define STORE_PATH_MAX 512

/* Record 'seq' in 'room' of STORE_RECORD_MAX bytes. */
struct plm_slice store_record(uint64_t seq, char *room);
/* Append one batch of 'count' such records. */
enum plm_code store_commit(struct plm_log *log, size_t count, struct plm_error *err);
/*
 * Read from 'from' to the end. Fails when a record is not what store_record() makes. '*last' is the
 * newest record read; returns PLM_OK at the end, else what the cursor said.
 */
enum plm_code store_read(struct plm_log *log, uint64_t from, uint64_t *last, struct plm_error *err);
/* As store_read(), which must succeed; returns the newest record. */
uint64_t store_read_all(struct plm_log *log, uint64_t from);

/* A new empty folder in memory where there is one; '*out' has STORE_PATH_MAX bytes. */
void store_folder(char *out);
/* Remove 'path' and all below. */
void store_remove(const char *path);
/* "folder/name" in 'out'. */
const char *store_path(char *out, const char *folder, const char *name);
/* A file's bytes (owned by the caller: free) and back. */
uint8_t *store_load(const char *path, size_t *size);
void store_store(const char *path, const void *bytes, size_t size);

/* A new log of batches of 1, 2, ... 'batches' % 7 + 1 records in 'folder', closed again. */
struct plm_log_head store_make(const char *folder, size_t batches);

#endif
