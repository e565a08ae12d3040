#include "core/utf8.h"

/* Smallest code point of a sequence of that many bytes: what is below is an overlong form. */
static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};

static size_t sequence_size(uint8_t lead)
{
	if (lead >= 0xF0) {
		return lead <= 0xF4 ? 4 : 0;
	}
	if (lead >= 0xE0) {
		return 3;
	}
	return lead >= 0xC2 ? 2 : 0;
}

/* Size of the well-formed sequence at 'bytes', 0 when there is none. */
static size_t sequence(const uint8_t *bytes, size_t left)
{
	size_t size = sequence_size(bytes[0]);
	uint32_t point = 0;

	if (size == 0 || size > left) {
		return 0;
	}
	point = bytes[0] & (0xFFU >> (size + 1));
	for (size_t i = 1; i < size; i++) {
		if ((bytes[i] & 0xC0U) != 0x80U) {
			return 0;
		}
		point = (point << 6) | (bytes[i] & 0x3FU);
	}
	if (point < smallest[size] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
		return 0;
	}
	return size;
}

/* Eight bytes that are all ASCII and none of them NUL: the common case. */
static bool plain(const uint8_t *bytes)
{
	uint64_t word = 0;
	uint64_t zeros = 0;

	memcpy(&word, bytes, sizeof(word));
	zeros = (word - 0x0101010101010101U) & ~word & 0x8080808080808080U;
	return (word & 0x8080808080808080U) == 0 && zeros == 0;
}

size_t plm_utf8_prefix(struct plm_slice text)
{
	size_t at = 0;

	while (at < text.size) {
		size_t size = 1;

		if (text.size - at >= 8 && plain(text.ptr + at)) {
			at += 8;
			continue;
		}
		if (text.ptr[at] >= 0x80) {
			size = sequence(text.ptr + at, text.size - at);
		} else if (text.ptr[at] == 0) {
			size = 0;
		}
		if (size == 0) {
			return at;
		}
		at += size;
	}
	return at;
}
