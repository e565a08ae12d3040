/*
 * disk.h - what a disk may hold after a crash, from the shim's journal
 *
 * Owns: a model of files and folder entries: what is durable, what is only written. A write becomes
 * durable by a sync of its file, or at once through O_DSYNC; a new, renamed or removed entry by a
 * sync of its folder. Does not: run anything.
 */
#ifndef PLM_FAULT_DISK_H
#define PLM_FAULT_DISK_H

#include "shim.h"

/* The images of a crash (exact.md 5). */
enum disk_image {
	DISK_ALL_LOST, /* nothing that was not synced is there */
	DISK_ALL_KEPT,
	DISK_TORN_512,	/* all is there, but the newest write is cut after 512 bytes */
	DISK_TORN_4096, /* ... after 4,096 bytes */
	DISK_MIXED_1,	/* of each write some sectors, in any order; each entry or not */
	DISK_MIXED_2,
	DISK_MIXED_3,
	DISK_IMAGES,
};

/* Lies of the model: to show that the tests notice a disk that loses what it confirmed. */
enum disk_lie {
	DISK_HONEST,
	DISK_IGNORES_SYNC,	  /* fsync and fdatasync do nothing */
	DISK_IGNORES_DSYNC,	  /* O_DSYNC does nothing */
	DISK_IGNORES_FOLDER_SYNC, /* a sync of a folder does nothing */
};

struct disk;

struct disk *disk_new(enum disk_lie lie);
void disk_free(struct disk *disk);
/* The next call of the journal has taken place. */
void disk_apply(struct disk *disk, size_t op);
/* Does 'image' of a crash during 'op' equal DISK_ALL_KEPT, since there is nothing to tear? */
bool disk_is_kept(size_t op, enum disk_image image);
/*
 * Write into the empty folder 'path' what a crash leaves while 'op' is under way (everything
 * before it was applied); 'seed' for the mixed ones.
 */
void disk_build(const struct disk *disk, size_t op, enum disk_image image, uint64_t seed,
		const char *path);

#endif
