/*
 * unpack.h - a positional reader of canonical msgpack
 *
 * Owns: the tokens we allow (nil, integers, text, bytes, arrays), each in its shortest form only, each
 * bounds-checked; no allocation. Does not: maps, floats, booleans, extensions: they have no place in
 * the log and are refused like any other byte that does not fit.
 *
 * A function that returns false has put the reason into 'why'; the reader is then not used further.
 */
#ifndef PLM_CODEC_UNPACK_H
#define PLM_CODEC_UNPACK_H

#include "core/error.h"
#include "core/slice.h"

struct plm_unpack {
	const uint8_t *at;  /* borrowed: the next byte */
	const uint8_t *end; /* borrowed */
	const char *why;    /* static: what is wrong at 'at' */
};

static inline struct plm_unpack plm_unpack_begin(struct plm_slice bytes)
{
	return (struct plm_unpack){.at = bytes.ptr,
				   .end = bytes.size == 0 ? bytes.ptr : bytes.ptr + bytes.size};
}

static inline size_t plm_unpack_left(const struct plm_unpack *in)
{
	return (size_t)(in->end - in->at);
}

/* Take a nil if one is next. */
static inline bool plm_unpack_nil(struct plm_unpack *in)
{
	if (in->at == in->end || *in->at != 0xc0) {
		return false;
	}
	in->at++;
	return true;
}

bool plm_unpack_uint(struct plm_unpack *in, uint64_t *out);
/* As plm_unpack_uint(), at most 'max'. */
bool plm_unpack_uint_max(struct plm_unpack *in, uint64_t max, uint64_t *out);
bool plm_unpack_int(struct plm_unpack *in, int64_t *out); /* nil is PLM_UNSET */
bool plm_unpack_text(struct plm_unpack *in, struct plm_slice *out);
bool plm_unpack_bytes(struct plm_unpack *in, struct plm_slice *out);
/* '*out' <= bytes that are left, since an element has one at least. */
bool plm_unpack_array(struct plm_unpack *in, uint32_t *out);
/* Nothing is left. */
bool plm_unpack_end(struct plm_unpack *in);

/* false, with the reason. */
static inline bool plm_unpack_refuse(struct plm_unpack *in, const char *why)
{
	in->why = why;
	return false;
}

#endif
