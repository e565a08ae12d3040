/*
 * file.h - the few file calls that the store makes itself (private to store/)
 *
 * Owns: whole reads and writes, and the durable rename: write, fsync, rename, fsync of the folder.
 * Does not: know what is in a file. errno is translated here: ENOSPC and EDQUOT are PLM_E_FULL,
 * ENOENT is PLM_E_NOT_FOUND, everything else PLM_E_IO; the text begins with 'what' or the path.
 */
#ifndef PLM_STORE_FILE_H
#define PLM_STORE_FILE_H

#include "store/frame.h"

#define PLM_PATH_SIZE 4096

/* "folder/name" into 'out' of PLM_PATH_SIZE bytes. PLM_E_LIMIT: longer than that. */
enum plm_code plm_path_join(char *out, const char *folder, const char *name,
			    struct plm_error *err) PLM_MUST_CHECK;
/* Fail with 'number' (an errno) and its text. */
enum plm_code plm_file_fail(struct plm_error *err, int number, const char *what, const char *path);
enum plm_code plm_file_fail_make(struct plm_error *err, int number, const char *what,
				 const char *path);
void plm_fd_close(int fd); /* nothing when negative */

static inline void plm_fd_close_cleanup(int *fd)
{
	plm_fd_close(*fd);
}

/* All 'size' bytes, from where the descriptor stands. */
enum plm_code plm_file_write(int fd, const void *bytes, size_t size, const char *path,
			     struct plm_error *err) PLM_MUST_CHECK;
/* The whole file, which must have at most 'limit' bytes (PLM_E_LIMIT). */
enum plm_code plm_file_read(const char *path, uint64_t limit, struct plm_blob *out,
			    struct plm_error *err) PLM_MUST_CHECK;
enum plm_code plm_file_sync(int fd, const char *path, struct plm_error *err) PLM_MUST_CHECK;
enum plm_code plm_file_sync_folder(const char *folder, struct plm_error *err) PLM_MUST_CHECK;
/* mkdir, durable; done when it is there already. */
enum plm_code plm_file_make_folder(const char *folder, struct plm_error *err) PLM_MUST_CHECK;

#endif
