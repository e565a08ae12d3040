/*
 * plog.h - the layout of an exported log, a .plog file (private to store/)
 *
 * Owns: its header, blocks and end mark. The file checks itself: it says which chain it
 * continues, holds whole batches with their frames, and ends with where the log stood; a cut file
 * has no end mark. Numbers are big-endian.
 *
 *	header, PLM_PLOG_HEADER_SIZE bytes	block header, PLM_PLOG_BLOCK_SIZE bytes
 *	 0  8  magic "PLMPLOG1"			 0  4  kind: 1 data, 2 end
 *	 8  4  version, PLM_PLOG_VERSION	 4  4  zero
 *	12  4  size of the header		 8  8  newest record in the block
 *	16  8  first record			16  8  size of the content
 *	24 64  the log before it: a "place"	24  8  size of the body
 *	88  8  XXH3-64 of the bytes before	32  8  XXH3-64 of the bytes before and the body
 *
 *	place: seq, frames, bytes, epoch (8 each), chain head (32)
 *
 * The body of a data block is one zstd frame whose content is blobs (frame.h), one behind the
 * other. The body of the end block is the place at the end; the file ends with it.
 */
#ifndef PLM_STORE_PLOG_H
#define PLM_STORE_PLOG_H

#include "core/limits.h"
#include "store/frame.h"

#define PLM_PLOG_VERSION 1
#define PLM_PLOG_HEADER_SIZE 96
#define PLM_PLOG_BLOCK_SIZE 40
#define PLM_PLOG_PLACE_SIZE 64
#define PLM_PLOG_END_SIZE (PLM_PLOG_BLOCK_SIZE + PLM_PLOG_PLACE_SIZE)
/* A data block is closed when its content reaches this; one batch may make it larger. */
#define PLM_PLOG_CONTENT_BYTES (512 * 1024)
#define PLM_PLOG_CONTENT_MAX                                                                       \
	((uint64_t)PLM_PLOG_CONTENT_BYTES + PLM_FRAME_SIZE + 4 * PLM_LIMIT_FRAME_RECORDS +         \
	 PLM_LIMIT_FRAME_BYTES)
#define PLM_PLOG_MAGIC "PLMPLOG1"

enum plm_plog_kind {
	PLM_PLOG_DATA = 1,
	PLM_PLOG_END = 2,
};

struct plm_plog_block {
	enum plm_plog_kind kind;
	uint64_t last;
	uint64_t content_size;
	uint64_t body_size;
	uint64_t xxh3;
};

/* Checksum of a block: its header before the checksum, and its body. */
uint64_t plm_plog_sum(const uint8_t header[PLM_PLOG_BLOCK_SIZE], struct plm_slice body);
void plm_plog_put_place(uint8_t out[PLM_PLOG_PLACE_SIZE], const struct plm_log_head *head);
struct plm_log_head plm_plog_get_place(const uint8_t bytes[PLM_PLOG_PLACE_SIZE]);

#endif
