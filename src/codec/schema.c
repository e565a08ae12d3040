/*
 * schema.c - do the field tables make sense
 */
#include "codec/upcast.h"

#include "core/limits.h"

uint32_t plm_wire_depth(const struct plm_wire_type *type)
{
	uint32_t below = 0;

	for (uint32_t i = 0; i < type->field_count; i++) {
		const struct plm_wire_field *field = &type->fields[i];
		uint32_t depth = field->kind == PLM_WIRE_TEXTS ? 1 : 0;

		if (field->type != NULL) {
			depth = plm_wire_depth(field->type);
			depth += field->kind == PLM_WIRE_LIST ? 1 : 0;
		}
		below = depth > below ? depth : below;
	}
	return 1 + below;
}

static size_t member_size(const struct plm_wire_field *field)
{
	switch (field->kind) {
	case PLM_WIRE_TEXT:
	case PLM_WIRE_BYTES:
		return sizeof(struct plm_slice);
	case PLM_WIRE_INT:
	case PLM_WIRE_ENUM:
		return sizeof(int64_t);
	case PLM_WIRE_TEXTS:
	case PLM_WIRE_LIST:
		return sizeof(struct plm_vec);
	case PLM_WIRE_STRUCT:
		return field->type->size;
	}
	PLM_UNREACHABLE();
}

static bool field_fits_kind(const struct plm_wire_field *field)
{
	bool nested = field->kind == PLM_WIRE_STRUCT || field->kind == PLM_WIRE_LIST;

	return (field->type != NULL) == nested &&
	       (field->names != NULL) == (field->kind == PLM_WIRE_ENUM);
}

/* The members follow each other without holes, as the declaration made them. */
static enum plm_code check_type(const struct plm_wire_type *type, struct plm_error *err)
{
	size_t offset = 0;

	for (uint32_t i = 0; i < type->field_count; i++) {
		const struct plm_wire_field *field = &type->fields[i];

		if (!field_fits_kind(field) || field->offset != offset) {
			return plm_fail(err, PLM_E_VERSION, "%s.%s: the field table is wrong",
					type->name, field->name);
		}
		offset += member_size(field);
	}
	if (offset != type->size) {
		return plm_fail(err, PLM_E_VERSION, "%s: the field table is not complete",
				type->name);
	}
	for (uint32_t i = 0; i < type->field_count; i++) {
		enum plm_code code = PLM_OK;

		if (type->fields[i].type != NULL) {
			code = check_type(type->fields[i].type, err);
		}
		if (code != PLM_OK) {
			return code;
		}
	}
	return PLM_OK;
}

static enum plm_code check_depth(const char *name, const struct plm_wire_type *type, uint32_t outer,
				 struct plm_error *err)
{
	uint32_t depth = outer + plm_wire_depth(type);

	if (depth > PLM_LIMIT_PAYLOAD_DEPTH) {
		return plm_fail(err, PLM_E_VERSION, "%s: %u levels deep, %d are allowed", name,
				depth, PLM_LIMIT_PAYLOAD_DEPTH);
	}
	return check_type(type, err);
}

static enum plm_code check_ways_up(struct plm_upcasters upcasters,
				   const struct plm_event_info *info, struct plm_error *err)
{
	for (uint16_t schema = PLM_SCHEMA_FLOOR; schema < info->schema; schema++) {
		uint32_t found = 0;

		for (uint32_t i = 0; i < upcasters.count; i++) {
			found += upcasters.rows[i].type == info->type &&
				 upcasters.rows[i].from == schema;
		}
		if (found != 1) {
			return plm_fail(err, PLM_E_VERSION, "%s: %u upcasters from schema %u",
					info->name, found, schema);
		}
	}
	return PLM_OK;
}

enum plm_code plm_schema_check(struct plm_upcasters upcasters, struct plm_error *err)
{
	uint32_t count = 0;
	const struct plm_event_info *infos = plm_event_infos(&count);
	enum plm_code code = PLM_OK;

	for (uint32_t i = 0; i < count && code == PLM_OK; i++) {
		code = check_depth(infos[i].name, infos[i].payload,
				   infos[i].class == PLM_CLASS_FACT ? 1 : 0, err);
		if (code == PLM_OK) {
			code = check_ways_up(upcasters, &infos[i], err);
		}
	}
	for (int64_t call = 1; call < plm_names_call.count && code == PLM_OK; call++) {
		code = check_depth(plm_names_text(&plm_names_call, call),
				   plm_call_request((enum plm_call)call), 0, err);
	}
	return code;
}
