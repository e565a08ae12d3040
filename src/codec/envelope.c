/*
 * envelope.c - the envelope: a positional array of 13 (eventsourcing.md D2)
 *
 * The format number comes first and is looked at before anything else, so that a newer layout is told
 * from damage whatever it looks like.
 */
#include "codec/codec.h"
#include "codec/pack.h"
#include "codec/unpack.h"

#define FIELDS 13

static size_t pos_size(struct plm_slice pos)
{
	return pos.ptr == NULL ? 1 : plm_pack_bytes_size(pos.size);
}

static size_t envelope_size(const struct plm_envelope *envelope)
{
	const uint64_t numbers[] = {
		envelope->format,  envelope->seq,    envelope->epoch, envelope->wall_ns,
		envelope->tick_ms, envelope->source, envelope->type,  envelope->schema,
		envelope->cause,   envelope->intent, envelope->flags,
	};
	size_t size = plm_pack_array_size(FIELDS);

	PLM_STATIC_ASSERT(PLM_COUNTOF(numbers) + 2 == FIELDS, "position and payload come on top");
	for (size_t i = 0; i < PLM_COUNTOF(numbers); i++) {
		size += plm_pack_uint_size(numbers[i]);
	}
	return size + pos_size(envelope->pos) + plm_pack_bytes_size(envelope->payload.size);
}

struct plm_slice plm_envelope_encode(const struct plm_envelope *envelope, struct plm_arena *arena)
{
	struct plm_pack pack;
	size_t size = envelope_size(envelope);

	PLM_ASSERT(envelope->format == PLM_ENVELOPE_FORMAT);
	PLM_ASSERT(envelope->source < plm_names_source.count);
	plm_pack_begin(&pack, size, arena);
	plm_pack_array(&pack, FIELDS);
	plm_pack_uint(&pack, envelope->format);
	plm_pack_uint(&pack, envelope->seq);
	plm_pack_uint(&pack, envelope->epoch);
	plm_pack_uint(&pack, envelope->wall_ns);
	plm_pack_uint(&pack, envelope->tick_ms);
	plm_pack_uint(&pack, envelope->source);
	if (envelope->pos.ptr == NULL) {
		plm_pack_nil(&pack);
	} else {
		plm_pack_bytes(&pack, envelope->pos);
	}
	plm_pack_uint(&pack, envelope->type);
	plm_pack_uint(&pack, envelope->schema);
	plm_pack_uint(&pack, envelope->cause);
	plm_pack_uint(&pack, envelope->intent);
	plm_pack_uint(&pack, envelope->flags);
	plm_pack_bytes(&pack, envelope->payload);
	return plm_pack_end(&pack, size);
}

static bool read_u16(struct plm_unpack *in, uint16_t *out)
{
	uint64_t value = 0;

	if (!plm_unpack_uint_max(in, UINT16_MAX, &value)) {
		return false;
	}
	*out = (uint16_t)value;
	return true;
}

static bool read_u8(struct plm_unpack *in, uint8_t *out)
{
	uint64_t value = 0;

	if (!plm_unpack_uint_max(in, UINT8_MAX, &value)) {
		return false;
	}
	*out = (uint8_t)value;
	return true;
}

static bool read_source(struct plm_unpack *in, uint16_t *out)
{
	return read_u16(in, out) && (*out < plm_names_source.count ||
				     plm_unpack_refuse(in, "has a source that is not known"));
}

static bool read_pos(struct plm_unpack *in, struct plm_slice *out)
{
	return plm_unpack_nil(in) || plm_unpack_bytes(in, out);
}

/* What follows the format, in the order of the design. */
static bool read_fields(struct plm_unpack *in, struct plm_envelope *out)
{
	return plm_unpack_uint(in, &out->seq) && plm_unpack_uint(in, &out->epoch) &&
	       plm_unpack_uint(in, &out->wall_ns) && plm_unpack_uint(in, &out->tick_ms) &&
	       read_source(in, &out->source) && read_pos(in, &out->pos) &&
	       read_u16(in, &out->type) && read_u16(in, &out->schema) &&
	       plm_unpack_uint(in, &out->cause) && plm_unpack_uint(in, &out->intent) &&
	       read_u8(in, &out->flags) && plm_unpack_bytes(in, &out->payload) &&
	       plm_unpack_end(in);
}

static enum plm_code corrupt(const struct plm_unpack *in, struct plm_slice bytes,
			     struct plm_error *err)
{
	return plm_fail(err, PLM_E_CORRUPT, "envelope %s (byte %zu of %zu)", in->why,
			bytes.size - plm_unpack_left(in), bytes.size);
}

enum plm_code plm_envelope_decode(struct plm_slice bytes, struct plm_envelope *out,
				  struct plm_error *err)
{
	struct plm_unpack in = plm_unpack_begin(bytes);
	struct plm_envelope envelope = {0};
	uint64_t format = 0;
	uint32_t count = 0;

	if (!plm_unpack_array(&in, &count) || !plm_unpack_uint(&in, &format)) {
		return corrupt(&in, bytes, err);
	}
	if (format > PLM_ENVELOPE_FORMAT) {
		return plm_fail(err, PLM_E_VERSION,
				"envelope of format %llu: this build reads up to %d",
				(unsigned long long)format, PLM_ENVELOPE_FORMAT);
	}
	if (format != PLM_ENVELOPE_FORMAT || count != FIELDS) {
		in.why = "is not an array of 13 that begins with its format";
		return corrupt(&in, bytes, err);
	}
	envelope.format = (uint8_t)format;
	if (!read_fields(&in, &envelope)) {
		return corrupt(&in, bytes, err);
	}
	*out = envelope;
	return PLM_OK;
}
