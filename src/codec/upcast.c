#include "codec/upcast.h"

struct plm_upcasters plm_upcasters(void)
{
	/* All schemas are at the first number that is read. */
	return (struct plm_upcasters){0};
}

static const struct plm_upcaster *find(struct plm_upcasters upcasters, uint16_t type, uint16_t from)
{
	for (uint32_t i = 0; i < upcasters.count; i++) {
		if (upcasters.rows[i].type == type && upcasters.rows[i].from == from) {
			return &upcasters.rows[i];
		}
	}
	return NULL;
}

/* Lift 'out->value' from 'schema' to today's. */
static enum plm_code lift(struct plm_upcasters upcasters, uint16_t schema, struct plm_arena *arena,
			  struct plm_payload *out, struct plm_error *err)
{
	for (uint16_t at = schema; at < out->info->schema; at++) {
		const struct plm_upcaster *row = find(upcasters, out->info->type, at);

		if (row == NULL) {
			return plm_fail(err, PLM_E_VERSION, "%s: no way up from schema %u",
					out->info->name, at);
		}
		out->value = row->lift(out->value, arena);
	}
	return PLM_OK;
}

/* How a payload of 'schema' looks: today's description with the field table of its time. */
static enum plm_code describe(struct plm_upcasters upcasters, const struct plm_envelope *envelope,
			      struct plm_event_info *out, struct plm_error *err)
{
	const struct plm_event_info *info = plm_event_info(envelope->type);
	const struct plm_upcaster *row = NULL;

	if (info == NULL) {
		return plm_fail(err, PLM_E_VERSION, "event type %u is not known to this build",
				envelope->type);
	}
	if (envelope->schema > info->schema) {
		return plm_fail(err, PLM_E_VERSION, "%s of schema %u: this build reads up to %u",
				info->name, envelope->schema, info->schema);
	}
	*out = *info;
	if (envelope->schema == info->schema) {
		return PLM_OK;
	}
	row = find(upcasters, envelope->type, envelope->schema);
	if (row == NULL) {
		return plm_fail(err, PLM_E_VERSION, "%s of schema %u is not known to this build%s",
				info->name, envelope->schema,
				envelope->schema < PLM_SCHEMA_FLOOR
					? ": it was written before the first release"
					: "");
	}
	out->payload = row->old;
	return PLM_OK;
}

enum plm_code plm_payload_lift(struct plm_upcasters upcasters, const struct plm_envelope *envelope,
			       struct plm_arena *arena, struct plm_payload *out,
			       struct plm_error *err)
{
	struct plm_event_info then;
	struct plm_payload payload = {0};
	enum plm_code code = describe(upcasters, envelope, &then, err);

	if (code == PLM_OK) {
		code = plm_payload_decode(&then, envelope->payload, arena, &payload, err);
	}
	if (code == PLM_OK) {
		payload.info = plm_event_info(envelope->type);
		code = lift(upcasters, envelope->schema, arena, &payload, err);
	}
	if (code == PLM_OK) {
		*out = payload;
	}
	return code;
}
