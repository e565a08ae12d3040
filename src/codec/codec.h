/*
 * codec.h - wire structs to canonical bytes and back
 *
 * Owns: canonical msgpack (shortest integers, no floats, no maps, valid UTF-8, depth at most
 * PLM_LIMIT_PAYLOAD_DEPTH), envelopes, and the JSON form that people see. One meaning has one byte
 * string; the decoder refuses every other spelling. PLM_UNSET is nil. The payload of a FACT is the pair
 * [projection, SHA-256 of the object's source bytes or nil]; of every other class the struct itself.
 * Source: eventsourcing.md D2. Writing goes through msgpack-c, reading is a positional reader of
 * our own without allocation (wire_read.c).
 */
#ifndef PLM_CODEC_CODEC_H
#define PLM_CODEC_CODEC_H

#include "core/arena.h"
#include "core/event.h"

/* Encode 'value' of 'type' into 'arena'. A text that is not UTF-8 is a bug: edges check their input. */
struct plm_slice plm_wire_encode(const struct plm_wire_type *type, const void *value,
				 struct plm_arena *arena);
/* Decode into 'arena'; texts borrow 'bytes'. PLM_E_CORRUPT: not canonical, or not of this type. */
enum plm_code plm_wire_decode(const struct plm_wire_type *type, struct plm_slice bytes,
			      struct plm_arena *arena, const void **out,
			      struct plm_error *err) PLM_MUST_CHECK;

/* The payload of an event of 'info': 'object_hash' (32 bytes or empty) counts for facts only. */
struct plm_slice plm_payload_encode(const struct plm_event_info *info, const void *value,
				    struct plm_slice object_hash, struct plm_arena *arena);
struct plm_payload {
	const struct plm_event_info *info; /* static */
	const void *value;		   /* arena: the wire struct; texts borrow the bytes */
	struct plm_slice hash;		   /* FACT: the object's hash or empty; borrowed */
	struct plm_slice projection;	   /* the part that fingerprints compare; borrowed */
};

/* A payload of today's schema; codec/upcast.h reads older ones too. PLM_E_CORRUPT as above. */
enum plm_code plm_payload_decode(const struct plm_event_info *info, struct plm_slice bytes,
				 struct plm_arena *arena, struct plm_payload *out,
				 struct plm_error *err) PLM_MUST_CHECK;

struct plm_slice plm_envelope_encode(const struct plm_envelope *envelope, struct plm_arena *arena);
/* PLM_E_VERSION: a newer format. PLM_E_CORRUPT: anything else that is not an envelope. */
enum plm_code plm_envelope_decode(struct plm_slice bytes, struct plm_envelope *out,
				  struct plm_error *err) PLM_MUST_CHECK;

/*
 * JSON of a wire struct: an object with the field names in order of the schema, camelCase, absent and
 * empty fields left out, enums by their texts. For people and scripts; never hashed.
 */
struct plm_slice plm_wire_json(const struct plm_wire_type *type, const void *value,
			       struct plm_arena *arena);

#endif
