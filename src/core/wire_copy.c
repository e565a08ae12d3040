#include "core/wire_copy.h"

static void copy_into(struct plm_arena *arena, const struct plm_wire_type *type, uint8_t *out,
		      const uint8_t *in);

static struct plm_vec copy_texts(struct plm_arena *arena, struct plm_vec list)
{
	const struct plm_slice *in = list.ptr;
	struct plm_slice *out = PLM_NEW_ARRAY(arena, list.count, struct plm_slice);

	for (size_t i = 0; i < list.count; i++) {
		out[i] = plm_arena_copy(arena, in[i]);
	}
	return (struct plm_vec){.ptr = out, .count = list.count};
}

struct plm_vec plm_wire_copy_list(const struct plm_wire_type *type, struct plm_vec list,
				  struct plm_arena *arena)
{
	const uint8_t *in = list.ptr;
	uint8_t *out = plm_arena_array(arena, list.count, type->size);

	for (size_t i = 0; i < list.count; i++) {
		copy_into(arena, type, out + i * type->size, in + i * type->size);
	}
	return (struct plm_vec){.ptr = out, .count = list.count};
}

static void copy_field(struct plm_arena *arena, const struct plm_wire_field *field, uint8_t *out,
		       const uint8_t *in)
{
	struct plm_slice text;
	struct plm_vec list;

	switch (field->kind) {
	case PLM_WIRE_TEXT:
	case PLM_WIRE_BYTES:
		memcpy(&text, in, sizeof(text));
		text = plm_arena_copy(arena, text);
		memcpy(out, &text, sizeof(text));
		return;
	case PLM_WIRE_INT:
	case PLM_WIRE_ENUM:
		memcpy(out, in, sizeof(int64_t));
		return;
	case PLM_WIRE_TEXTS:
		memcpy(&list, in, sizeof(list));
		list = copy_texts(arena, list);
		memcpy(out, &list, sizeof(list));
		return;
	case PLM_WIRE_STRUCT:
		copy_into(arena, field->type, out, in);
		return;
	case PLM_WIRE_LIST:
		memcpy(&list, in, sizeof(list));
		list = plm_wire_copy_list(field->type, list, arena);
		memcpy(out, &list, sizeof(list));
		return;
	}
	PLM_UNREACHABLE();
}

/* Recursion is bounded by the nesting of the types, PLM_LIMIT_PAYLOAD_DEPTH. */
static void copy_into(struct plm_arena *arena, const struct plm_wire_type *type, uint8_t *out,
		      const uint8_t *in)
{
	for (uint32_t i = 0; i < type->field_count; i++) {
		const struct plm_wire_field *field = &type->fields[i];

		copy_field(arena, field, out + field->offset, in + field->offset);
	}
}

void *plm_wire_copy(const struct plm_wire_type *type, const void *value, struct plm_arena *arena)
{
	uint8_t *out = plm_arena_take(arena, type->size);

	copy_into(arena, type, out, value);
	return out;
}
