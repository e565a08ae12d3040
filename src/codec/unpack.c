#include "codec/unpack.h"

#include "core/units.h"
#include "core/utf8.h"

#define SHORT_INPUT "ends in the middle of a value"

/* The big-endian number of 'width' bytes after the lead byte; checks that they are there. */
static bool number(struct plm_unpack *in, unsigned width, uint64_t *out)
{
	uint64_t value = 0;

	if (plm_unpack_left(in) < 1 + (size_t)width) {
		return plm_unpack_refuse(in, SHORT_INPUT);
	}
	for (unsigned i = 1; i <= width; i++) {
		value = value << 8 | in->at[i];
	}
	in->at += 1 + width;
	*out = value;
	return true;
}

/* Width in bytes of the token whose lead byte is 'lead' in a row of four (8, 16, 32, 64 bits). */
static unsigned width_of(uint8_t lead, uint8_t first)
{
	return 1U << (lead - first);
}

/* Smallest number that needs 'width' bytes as an unsigned integer. */
static uint64_t smallest(unsigned width)
{
	return width == 1 ? 0x80 : 1ULL << (width * 4);
}

bool plm_unpack_uint(struct plm_unpack *in, uint64_t *out)
{
	uint64_t value = 0;
	unsigned width = 0;

	if (in->at == in->end) {
		return plm_unpack_refuse(in, SHORT_INPUT);
	}
	if (*in->at < 0x80) {
		*out = *in->at++;
		return true;
	}
	if (*in->at < 0xcc || *in->at > 0xcf) {
		return plm_unpack_refuse(in, "is not a number of zero or more");
	}
	width = width_of(*in->at, 0xcc);
	if (!number(in, width, &value)) {
		return false;
	}
	if (value < smallest(width)) {
		return plm_unpack_refuse(in, "is a number in a longer form than needed");
	}
	*out = value;
	return true;
}

bool plm_unpack_uint_max(struct plm_unpack *in, uint64_t max, uint64_t *out)
{
	uint64_t value = 0;

	if (!plm_unpack_uint(in, &value)) {
		return false;
	}
	if (value > max) {
		return plm_unpack_refuse(in, "is a number out of range");
	}
	*out = value;
	return true;
}

static int64_t sign_extend(uint64_t value, unsigned width)
{
	unsigned unused = 64 - 8 * width;

	return (int64_t)(value << unused) >> unused;
}

/* Greatest negative number that needs 'width' bytes as a signed integer. */
static int64_t greatest(unsigned width)
{
	return width == 1 ? -33 : -(int64_t)(1ULL << (width * 4 - 1)) - 1;
}

static bool negative(struct plm_unpack *in, int64_t *out)
{
	unsigned width = width_of(*in->at, 0xd0);
	uint64_t bits = 0;
	int64_t value = 0;

	if (!number(in, width, &bits)) {
		return false;
	}
	value = sign_extend(bits, width);
	if (value > greatest(width)) {
		return plm_unpack_refuse(in, "is a number in a longer form than needed");
	}
	if (value == PLM_UNSET) {
		return plm_unpack_refuse(in, "is the number that nil stands for");
	}
	*out = value;
	return true;
}

bool plm_unpack_int(struct plm_unpack *in, int64_t *out)
{
	uint64_t value = 0;

	if (plm_unpack_nil(in)) {
		*out = PLM_UNSET;
		return true;
	}
	if (in->at != in->end && *in->at >= 0xe0) {
		*out = (int64_t)*in->at++ - 0x100;
		return true;
	}
	if (in->at != in->end && *in->at >= 0xd0 && *in->at <= 0xd3) {
		return negative(in, out);
	}
	if (!plm_unpack_uint_max(in, INT64_MAX, &value)) {
		return false;
	}
	*out = (int64_t)value;
	return true;
}

static bool body(struct plm_unpack *in, uint64_t size, struct plm_slice *out)
{
	if (size > plm_unpack_left(in)) {
		return plm_unpack_refuse(in, SHORT_INPUT);
	}
	*out = plm_slice_of(in->at, size);
	in->at += size;
	return true;
}

/* Size of a text or bytes of a form with a length of its own (8, 16, 32 bits). */
static bool long_size(struct plm_unpack *in, uint8_t first, uint64_t least, uint64_t *out)
{
	unsigned width = width_of(*in->at, first);
	uint64_t size = 0;

	if (!number(in, width, &size)) {
		return false;
	}
	if (size < (width == 1 ? least : 1ULL << (width * 4))) {
		return plm_unpack_refuse(in, "has its length in a longer form than needed");
	}
	*out = size;
	return true;
}

bool plm_unpack_text(struct plm_unpack *in, struct plm_slice *out)
{
	struct plm_slice text = {0};
	uint64_t size = 0;

	if (in->at == in->end) {
		return plm_unpack_refuse(in, SHORT_INPUT);
	}
	if ((*in->at & 0xe0U) == 0xa0) {
		size = *in->at++ & 0x1fU;
	} else if (*in->at < 0xd9 || *in->at > 0xdb) {
		return plm_unpack_refuse(in, "is not a text");
	} else if (!long_size(in, 0xd9, 32, &size)) {
		return false;
	}
	if (!body(in, size, &text)) {
		return false;
	}
	if (plm_utf8_prefix(text) != text.size) {
		return plm_unpack_refuse(in, "is a text that is not UTF-8");
	}
	*out = text;
	return true;
}

bool plm_unpack_bytes(struct plm_unpack *in, struct plm_slice *out)
{
	uint64_t size = 0;

	if (in->at == in->end) {
		return plm_unpack_refuse(in, SHORT_INPUT);
	}
	if (*in->at < 0xc4 || *in->at > 0xc6) {
		return plm_unpack_refuse(in, "is not a byte string");
	}
	return long_size(in, 0xc4, 0, &size) && body(in, size, out);
}

bool plm_unpack_array(struct plm_unpack *in, uint32_t *out)
{
	uint64_t count = 0;
	unsigned width = 0;

	if (in->at == in->end) {
		return plm_unpack_refuse(in, SHORT_INPUT);
	}
	if ((*in->at & 0xf0U) == 0x90) {
		count = *in->at++ & 0x0fU;
	} else if (*in->at != 0xdc && *in->at != 0xdd) {
		return plm_unpack_refuse(in, "is not an array");
	} else {
		width = *in->at == 0xdc ? 2 : 4;
		if (!number(in, width, &count)) {
			return false;
		}
		if (count < (width == 2 ? 16U : 1U << 16)) {
			return plm_unpack_refuse(in, "has its count in a longer form than needed");
		}
	}
	if (count > plm_unpack_left(in)) {
		return plm_unpack_refuse(in, SHORT_INPUT);
	}
	*out = (uint32_t)count;
	return true;
}

bool plm_unpack_end(struct plm_unpack *in)
{
	return in->at == in->end || plm_unpack_refuse(in, "has bytes after its end");
}
