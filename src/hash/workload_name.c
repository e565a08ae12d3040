#include "hash/workload_name.h"

#include "hash/hash.h"

#include <string.h>

/* Kueue cuts kind and name to this, so that the suffix fits into 253 characters. */
#define PREFIX_MAX 247

static struct plm_slice lower(struct plm_arena *arena, const char *kind)
{
	size_t size = strlen(kind);
	uint8_t *text = plm_arena_take(arena, size);

	for (size_t i = 0; i < size; i++) {
		uint8_t byte = (uint8_t)kind[i];

		text[i] = byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + ('a' - 'A')) : byte;
	}
	return plm_slice_of(text, size);
}

struct plm_slice plm_workload_name(struct plm_arena *arena, const char *kind, const char *group,
				   struct plm_slice name, struct plm_slice uid)
{
	struct plm_slice small = lower(arena, kind);
	struct plm_slice prefix =
		plm_arena_format(arena, "%.*s-%.*s", (int)small.size, (const char *)small.ptr,
				 (int)name.size, (const char *)name.ptr);
	struct plm_slice hashed =
		plm_arena_format(arena, "%s\n%s\n%.*s\n%.*s", kind, group, (int)name.size,
				 (const char *)name.ptr, (int)uid.size, (const char *)uid.ptr);
	struct plm_sha1 hash;
	char hex[2 * PLM_SHA1_SIZE + 1];

	prefix.size = prefix.size > PREFIX_MAX ? PREFIX_MAX : prefix.size;
	if (uid.size == 0) {
		return prefix;
	}
	hash = plm_sha1(hashed);
	plm_hex(plm_slice_of(hash.bytes, sizeof(hash.bytes)), hex);
	return plm_arena_format(arena, "%.*s-%.5s", (int)prefix.size, (const char *)prefix.ptr,
				hex);
}
