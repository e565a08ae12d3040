/*
 * snapshot.h - images of the state as files beside the log: a cache, never the truth
 *
 * Owns: the files <log folder>/snapshots/<seq, 20 digits>.snap, their layout and checks, and how
 * one comes to be: written under a temporary name, synced, renamed, the folder synced. Does not:
 * know what is in an image, or whether a state hash is right: the engine gives both and is asked.
 * Any of them may be missing, damaged or from elsewhere: then an older one serves, or none.
 *
 * The layout, numbers big-endian but for the byte order mark:
 *
 *	 0  8  magic "PLMSNAP1"			 72 16  state hash (low, high)
 *	 8  4  version, PLM_SNAPSHOT_VERSION	 88  8  layout digest of the state tables
 *	12  4  byte order mark 0x0a0b0c0d,	 96  8  digest of the LIMITS
 *	       as the machine writes it		104  8  size of the image
 *	16  8  count of parts			112  8  size of the body
 *	24  8  size of the header		120  8  XXH3-64 of the body
 *	32  8  seq: the state after it		128  8  XXH3-64 of the image
 *	40 32  the log's chain head there	136  8  size of each part ... then XXH3-64 of all before
 *
 * The body, one zstd frame of the parts one behind the other, follows and ends the file.
 *
 * Writing may happen on any thread, beside the writer's commits.
 */
#ifndef PLM_STORE_SNAPSHOT_H
#define PLM_STORE_SNAPSHOT_H

#include "core/error.h"
#include "core/limits.h"
#include "core/slice.h"
#include "hash/hash.h"

#define PLM_SNAPSHOT_VERSION 1
#define PLM_SNAPSHOT_FOLDER "snapshots"

struct plm_snapshot_info {
	uint64_t seq;		  /* the state after this record, which ends a batch */
	struct plm_sha256 chain;  /* the log's chain head there: says which log it belongs to */
	struct plm_hash128 state; /* hash of that state, as the HASH event behind it says */
	uint64_t layout_digest;	  /* of the state tables' sizes and offsets */
	uint64_t limits_digest;	  /* of the LIMITS in force */
	uint64_t image_bytes;	  /* sum of the parts; set by reading */
	uint64_t file_bytes;	  /* set by reading */
};

/* An image in memory. Zeroed = none. */
struct plm_snapshot {
	struct plm_snapshot_info info;
	uint8_t *image;					  /* owned */
	struct plm_slice parts[PLM_LIMIT_SNAPSHOT_PARTS]; /* borrowed from 'image' */
	size_t part_count;
};
void plm_snapshot_fini(struct plm_snapshot *snapshot);

/*
 * Write the snapshot of 'info->seq' into the log's folder; one of the same number is replaced.
 * 'parts' are borrowed. PLM_E_LIMIT: more parts or bytes than the limits name. PLM_E_FULL,
 * PLM_E_IO: nothing is there under the final name but what was before; the log is not concerned.
 */
enum plm_code plm_snapshot_write(const char *folder, const struct plm_snapshot_info *info,
				 const struct plm_slice *parts, size_t count,
				 struct plm_error *err) PLM_MUST_CHECK;

/* Which snapshot to load, and who is told about those that do not count. */
struct plm_snapshot_want {
	uint64_t max_seq;	/* this one or older */
	uint64_t layout_digest; /* another one is ignored */
	/*
	 * The header is sound: does it belong to this log and state (chain, state hash, limits)?
	 * When not, say why in 'err'. NULL = yes.
	 */
	bool (*accept)(void *ctx, const struct plm_snapshot_info *info, struct plm_error *err);
	/* 'text' says which file is ignored and why. May be NULL. */
	void (*ignored)(void *ctx, const char *text);
	void *ctx; /* borrowed */
};

/*
 * The newest that counts. PLM_E_NOT_FOUND: none does, replay from the start. Never anything else.
 */
enum plm_code plm_snapshot_load(const char *folder, const struct plm_snapshot_want *want,
				struct plm_snapshot *out, struct plm_error *err) PLM_MUST_CHECK;

/*
 * Numbers of the snapshot files, by their names, oldest first; '*out' is owned by the caller
 * (free).
 */
size_t plm_snapshot_list(const char *folder, uint64_t **out);
/* Header of the snapshot of 'seq'. PLM_E_NOT_FOUND, PLM_E_CORRUPT, PLM_E_VERSION, PLM_E_IO. */
enum plm_code plm_snapshot_info(const char *folder, uint64_t seq, struct plm_snapshot_info *out,
				struct plm_error *err) PLM_MUST_CHECK;
/* Remove the snapshot of 'seq'; done when there is none. */
enum plm_code plm_snapshot_remove(const char *folder, uint64_t seq,
				  struct plm_error *err) PLM_MUST_CHECK;

/* The newest by name; the newest that is whole; how many are whole. 0 = none. */
uint64_t plm_snapshot_newest_name(const char *folder);
uint64_t plm_snapshot_newest_valid(const char *folder);
uint64_t plm_snapshot_count_valid(const char *folder);
/* Are all of them whole? PLM_E_CORRUPT names the first that is not. */
enum plm_code plm_snapshot_verify(const char *folder, struct plm_error *err) PLM_MUST_CHECK;

/* Decode a whole file (for the tests and the fuzzer). PLM_E_CORRUPT, PLM_E_VERSION. */
enum plm_code plm_snapshot_decode(struct plm_slice file, struct plm_snapshot *out,
				  struct plm_error *err) PLM_MUST_CHECK;

#endif
