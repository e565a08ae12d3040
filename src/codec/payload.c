/*
 * payload.c - the payload of an event: a struct, or for a fact the pair [projection, object hash]
 *
 * The projection stands alone in the pair so that two observations of one object compare by its bytes,
 * whatever the bytes of the source were (exact.md 1).
 */
#include "codec/codec.h"
#include "codec/pack.h"
#include "codec/wire_read.h"
#include "hash/hash.h"

#define PAIR 2

struct plm_slice plm_payload_encode(const struct plm_event_info *info, const void *value,
				    struct plm_slice object_hash, struct plm_arena *arena)
{
	struct plm_pack pack;
	size_t size = 0;

	if (info->class != PLM_CLASS_FACT) {
		return plm_wire_encode(info->payload, value, arena);
	}
	PLM_ASSERT(object_hash.size == 0 || object_hash.size == PLM_SHA256_SIZE);
	size = plm_pack_array_size(PAIR) + plm_pack_wire_size(info->payload, value);
	size += object_hash.size == 0 ? 1 : plm_pack_bytes_size(object_hash.size);
	plm_pack_begin(&pack, size, arena);
	plm_pack_array(&pack, PAIR);
	plm_pack_wire(&pack, info->payload, value);
	if (object_hash.size == 0) {
		plm_pack_nil(&pack);
	} else {
		plm_pack_bytes(&pack, object_hash);
	}
	return plm_pack_end(&pack, size);
}

static bool read_hash(struct plm_unpack *in, struct plm_slice *out)
{
	if (plm_unpack_nil(in)) {
		return true;
	}
	if (!plm_unpack_bytes(in, out)) {
		return false;
	}
	return out->size == PLM_SHA256_SIZE ||
	       plm_unpack_refuse(in, "has an object hash of another size");
}

static bool read_pair(struct plm_wire_reader *reader, struct plm_payload *out)
{
	const uint8_t *begin = NULL;
	uint32_t count = 0;

	if (!plm_unpack_array(&reader->in, &count)) {
		return false;
	}
	if (count != PAIR) {
		return plm_unpack_refuse(&reader->in, "is not the pair of a fact");
	}
	begin = reader->in.at;
	if (!plm_wire_read(reader, out->info->payload, &out->value)) {
		return false;
	}
	out->projection = plm_slice_of(begin, (size_t)(reader->in.at - begin));
	return read_hash(&reader->in, &out->hash);
}

enum plm_code plm_payload_decode(const struct plm_event_info *info, struct plm_slice bytes,
				 struct plm_arena *arena, struct plm_payload *out,
				 struct plm_error *err)
{
	struct plm_wire_reader reader = {.in = plm_unpack_begin(bytes), .arena = arena};
	size_t mark = plm_arena_mark(arena);
	struct plm_payload payload = {.info = info, .projection = bytes};
	bool good = false;

	if (info->class == PLM_CLASS_FACT) {
		good = read_pair(&reader, &payload);
	} else {
		good = plm_wire_read(&reader, info->payload, &payload.value);
	}
	if (!good || !plm_unpack_end(&reader.in)) {
		plm_arena_rewind(arena, mark);
		(void)plm_wire_read_fail(&reader, bytes, err);
		return plm_fail_prefix(err, reader.full ? PLM_E_LIMIT : PLM_E_CORRUPT, "%s",
				       info->name);
	}
	*out = payload;
	return PLM_OK;
}
