/*
 * child_read.h - a reader of a folder's log that lives in a child process (private to store/)
 *
 * Owns: the stream between the two. The child opens the folder itself, reads, checks and sends
 * batches ahead of its parent, as far as the socket's buffer allows; so checking and folding run
 * on two cores. At the end of the log it says so and waits to be asked again. While it waits for
 * anybody it holds no read transaction.
 */
#ifndef PLM_STORE_CHILD_READ_H
#define PLM_STORE_CHILD_READ_H

#include "store/backend.h"

/* A reader of the folder 'path' (copied); the child starts with its first seek. */
struct plm_reader *plm_child_reader_new(const char *path);

#endif
