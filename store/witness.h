/*
 * witness.h - the file "head" beside the log (private to store/)
 *
 * Owns: its 64 bytes, numbers big-endian: magic "PLMHEAD1", seq, number of frames, chain head,
 * XXH3-64 of what stands before. Written unsynced behind each durable commit, so it may be
 * missing, older or torn after a power cut, and then says nothing; but what it validly says was
 * durable once.
 */
#ifndef PLM_STORE_WITNESS_H
#define PLM_STORE_WITNESS_H

#include "store/frame.h"

#define PLM_WITNESS_FILE "head"

struct plm_witness {
	bool valid; /* false: it says nothing */
	uint64_t seq;
	uint64_t frames;
	struct plm_sha256 chain;
};

/* Read it in 'folder'. Missing or torn is no failure. */
enum plm_code plm_witness_read(const char *folder, struct plm_witness *out,
			       struct plm_error *err) PLM_MUST_CHECK;
/* Write it through 'fd', which is open on it. */
enum plm_code plm_witness_write(int fd, const struct plm_log_head *head,
				struct plm_error *err) PLM_MUST_CHECK;
/* Open it for writing; '*out' is owned by the caller. */
enum plm_code plm_witness_open(const char *folder, int *out, struct plm_error *err) PLM_MUST_CHECK;

#endif
