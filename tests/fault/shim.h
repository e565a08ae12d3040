/*
 * shim.h - the system calls of this executable, recorded and made to fail
 *
 * Owns: write, pwrite, writev, pwritev, fsync, fdatasync, msync, ftruncate, rename, unlink and
 * statvfs as the whole program sees them, liblmdb included; the kernel is reached by syscall().
 * Calls on files below the watched folder are numbered from 0 and kept as a journal, or one of
 * them fails as planned. The lock file is left out: it means nothing after a crash.
 * Does not: know what a log is.
 *
 * A write on a descriptor with O_DSYNC (LMDB's meta page) is a write and a sync of it in one.
 */
#ifndef PLM_FAULT_SHIM_H
#define PLM_FAULT_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHIM_PATH_MAX 256

enum shim_kind {
	SHIM_CREATE, /* a file is written to for the first time: no call of its own */
	SHIM_WRITE,
	SHIM_TRUNCATE,
	SHIM_SYNC,
	SHIM_SYNC_FOLDER,
	SHIM_RENAME,
	SHIM_UNLINK,
};

struct shim_op {
	enum shim_kind kind;
	size_t call;  /* its number; that of the next call for SHIM_CREATE */
	int file;     /* number of the file, from 0 */
	bool durable; /* a write through O_DSYNC */
	uint64_t offset;
	size_t size;
	uint8_t *bytes;
	char path[SHIM_PATH_MAX]; /* relative to the watched folder; the folder itself is "." */
	char to[SHIM_PATH_MAX];	  /* of a rename */
	uint64_t acked;		  /* shim_mark() at the time of the call */
	uint64_t stamp;
};

/* Watch 'folder'; with 'record' keep the journal, else only count. Forgets what was before. */
void shim_watch(const char *folder, bool record);
void shim_stop(void);	 /* the journal stays */
size_t shim_count(void); /* entries of the journal */
const struct shim_op *shim_op(size_t index);
size_t shim_calls(void); /* calls so far */
void shim_mark(uint64_t acked, uint64_t stamp);

enum shim_fault {
	SHIM_NO_FAULT,
	SHIM_SYNC_FAILS, /* this call, if it is a sync: EIO; a write with O_DSYNC takes place first */
	SHIM_SYNC_FORGETS, /* the same, but the write with O_DSYNC does not take place */
	SHIM_DISK_FULL, /* this call writes so many bytes at most; it and later ones find no room */
	SHIM_FILLS_UP,	/* the same, and statvfs() says so from then on */
};
/* Plan a fault for call number 'call' of the watched folder. */
void shim_plan(enum shim_fault fault, size_t call, size_t bytes);
bool shim_struck(void); /* the planned fault has happened */
/* statvfs() below the watched folder says that so many bytes are free; UINT64_MAX: the truth. */
void shim_room(uint64_t free_bytes);

#endif
