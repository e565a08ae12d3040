/*
 * upcast.h - payloads of older schemas, lifted to today's structs
 *
 * Owns: the table of upcasters, one row for each schema number that is no longer current, and the check
 * that it is complete. An old payload is decoded with the field table of its time and lifted step by
 * step, so that reducers know one form only. A row and its old field table are never removed.
 */
#ifndef PLM_CODEC_UPCAST_H
#define PLM_CODEC_UPCAST_H

#include "codec/codec.h"

struct plm_upcaster {
	uint16_t type;			 /* enum plm_event_type */
	uint16_t from;			 /* the schema that it lifts to 'from' + 1 */
	const struct plm_wire_type *old; /* static: how a payload of 'from' looks */
	/* The next form of 'value', in 'arena'; texts stay borrowed. Total: it cannot fail. */
	const void *(*lift)(const void *value, struct plm_arena *arena);
};

struct plm_upcasters {
	const struct plm_upcaster *rows; /* borrowed; may be NULL when there are none */
	uint32_t count;
};

/* The program's own. */
struct plm_upcasters plm_upcasters(void);

/*
 * The payload of 'envelope' (PARTs joined) as today's struct. PLM_E_VERSION: a type or a schema that
 * this build does not know; otherwise as plm_payload_decode().
 */
enum plm_code plm_payload_lift(struct plm_upcasters upcasters, const struct plm_envelope *envelope,
			       struct plm_arena *arena, struct plm_payload *out,
			       struct plm_error *err) PLM_MUST_CHECK;

/* Levels of arrays that a value of 'type' can have. */
uint32_t plm_wire_depth(const struct plm_wire_type *type);
/*
 * Every event's field tables make sense, are no deeper than PLM_LIMIT_PAYLOAD_DEPTH, and each older
 * schema has its upcaster. PLM_E_VERSION names what does not hold.
 */
enum plm_code plm_schema_check(struct plm_upcasters upcasters,
			       struct plm_error *err) PLM_MUST_CHECK;

#endif
