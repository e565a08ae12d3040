/*
 * frame.h - the frame that closes a batch, and a batch as one run of bytes
 *
 * Owns: the layout of a frame, its checks, and the "blob" in which a whole batch travels (memory
 * log, reading child, .plog). Does not: read or write a file.
 *
 * A frame is PLM_FRAME_SIZE bytes, numbers big-endian:
 *
 *	 0  2  version, PLM_FRAME_VERSION	 48  8  sum of record bytes up to and with this batch
 *	 2  2  size of this frame		 56  8  XXH3-64 of the records, one behind the other
 *	 4  4  count of records			 64 32  chain head
 *	 8  8  number of the frame, from 1	 96  8  XXH3-64 of the bytes 0 .. 95
 *	16  8  first seq
 *	24  8  last seq				chain head = SHA-256(0x02 || prev || be64 first ||
 *	32  8  epoch of the writer		be64 last || R), R = RFC 9162 root over the leaves of
 *	40  8  sum of record bytes		this batch, prev of the first frame = 32 zero bytes
 *
 * A root over the whole log will be one more field before the last; that is version 2 and a
 * larger size.
 *
 * A blob is the frame, then count times be32 record size, then the records one behind the other.
 *
 * Codes: PLM_E_CORRUPT says where and what the last good record is; PLM_E_VERSION a newer frame.
 */
#ifndef PLM_STORE_FRAME_H
#define PLM_STORE_FRAME_H

#include "store/log.h"

#define PLM_FRAME_VERSION 1
#define PLM_FRAME_SIZE 104

struct plm_frame {
	uint32_t count;
	uint64_t number;
	uint64_t first;
	uint64_t last;
	uint64_t epoch;
	uint64_t bytes;
	uint64_t total_bytes;
	uint64_t xxh3;
	struct plm_sha256 chain;
};

/* Room for the leaves of a batch, kept between batches. Zeroed = empty. */
struct plm_leaves {
	struct plm_sha256 *list; /* owned */
	size_t capacity;
};
void plm_leaves_fini(struct plm_leaves *leaves);

void plm_frame_encode(const struct plm_frame *frame, uint8_t out[PLM_FRAME_SIZE]);
/* The frame's own checksum, version, and numbers that agree with each other. */
enum plm_code plm_frame_decode(struct plm_slice bytes, struct plm_frame *out,
			       struct plm_error *err) PLM_MUST_CHECK;

/* The frame of 'count' >= 1 records (borrowed) that follow 'before'. */
struct plm_frame plm_frame_build(const struct plm_log_head *before, uint64_t epoch,
				 const struct plm_slice *records, size_t count,
				 struct plm_leaves *leaves);
/* Where the log stands at the end of 'frame'. */
struct plm_log_head plm_frame_head(const struct plm_frame *frame);

/* A batch as bytes; grows, is reused. Zeroed = empty. */
struct plm_blob {
	uint8_t *bytes; /* owned */
	size_t size;
	size_t capacity;
};
void plm_blob_reserve(struct plm_blob *blob, size_t capacity); /* keeps what it holds */
void plm_blob_fini(struct plm_blob *blob);

/* Size of the blob of a batch. */
size_t plm_blob_size(const struct plm_frame *frame);
void plm_blob_build(struct plm_blob *blob, const struct plm_frame *frame,
		    const struct plm_slice *records);
/*
 * Check everything that can be checked of a blob that claims to follow 'before': the frame, the
 * sizes, the checksum, the chain. '*after' is where the log stands behind it.
 */
enum plm_code plm_blob_check(struct plm_slice blob, const struct plm_log_head *before,
			     struct plm_leaves *leaves, struct plm_log_head *after,
			     struct plm_error *err) PLM_MUST_CHECK;
/*
 * Record 'index' of a checked blob begins at '*offset' of its records; '*offset' moves behind it.
 */
struct plm_slice plm_blob_record(const struct plm_blob *blob, uint32_t index, size_t *offset);
/* The frame of a checked blob. */
struct plm_frame plm_blob_frame(const struct plm_blob *blob);

/* Big-endian numbers at any address. */
void plm_put_be16(uint8_t *at, uint16_t value);
void plm_put_be32(uint8_t *at, uint32_t value);
void plm_put_be64(uint8_t *at, uint64_t value);
uint16_t plm_get_be16(const uint8_t *at);
uint32_t plm_get_be32(const uint8_t *at);
uint64_t plm_get_be64(const uint8_t *at);

#endif
