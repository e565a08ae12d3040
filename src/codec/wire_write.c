/*
 * wire_write.c - a wire struct to canonical msgpack, driven by its field table
 *
 * The depth of the calls is the depth of the type, which plm_schema_check() bounds.
 */
#include "codec/codec.h"
#include "codec/pack.h"

static size_t texts_size(const struct plm_vec *texts)
{
	const struct plm_slice *list = texts->ptr;
	size_t size = plm_pack_array_size(texts->count);

	for (size_t i = 0; i < texts->count; i++) {
		size += plm_pack_text_size(list[i].size);
	}
	return size;
}

static size_t list_size(const struct plm_vec *list, const struct plm_wire_type *type)
{
	const uint8_t *at = list->ptr;
	size_t size = plm_pack_array_size(list->count);

	for (size_t i = 0; i < list->count; i++, at += type->size) {
		size += plm_pack_wire_size(type, at);
	}
	return size;
}

static size_t field_size(const struct plm_wire_field *field, const void *member)
{
	switch (field->kind) {
	case PLM_WIRE_TEXT:
		return plm_pack_text_size(((const struct plm_slice *)member)->size);
	case PLM_WIRE_BYTES:
		return plm_pack_bytes_size(((const struct plm_slice *)member)->size);
	case PLM_WIRE_INT:
	case PLM_WIRE_ENUM:
		return plm_pack_int_size(*(const int64_t *)member);
	case PLM_WIRE_TEXTS:
		return texts_size(member);
	case PLM_WIRE_STRUCT:
		return plm_pack_wire_size(field->type, member);
	case PLM_WIRE_LIST:
		return list_size(member, field->type);
	}
	PLM_UNREACHABLE();
}

size_t plm_pack_wire_size(const struct plm_wire_type *type, const void *value)
{
	const uint8_t *bytes = value;
	size_t size = plm_pack_array_size(type->field_count);

	for (uint32_t i = 0; i < type->field_count; i++) {
		size += field_size(&type->fields[i], bytes + type->fields[i].offset);
	}
	return size;
}

static void pack_texts(struct plm_pack *pack, const struct plm_vec *texts)
{
	const struct plm_slice *list = texts->ptr;

	plm_pack_array(pack, texts->count);
	for (size_t i = 0; i < texts->count; i++) {
		plm_pack_text(pack, list[i]);
	}
}

static void pack_list(struct plm_pack *pack, const struct plm_vec *list,
		      const struct plm_wire_type *type)
{
	const uint8_t *at = list->ptr;

	plm_pack_array(pack, list->count);
	for (size_t i = 0; i < list->count; i++, at += type->size) {
		plm_pack_wire(pack, type, at);
	}
}

static void pack_field(struct plm_pack *pack, const struct plm_wire_field *field,
		       const void *member)
{
	int64_t number = 0;

	switch (field->kind) {
	case PLM_WIRE_TEXT:
		plm_pack_text(pack, *(const struct plm_slice *)member);
		return;
	case PLM_WIRE_BYTES:
		plm_pack_bytes(pack, *(const struct plm_slice *)member);
		return;
	case PLM_WIRE_INT:
		plm_pack_int(pack, *(const int64_t *)member);
		return;
	case PLM_WIRE_ENUM:
		number = *(const int64_t *)member;
		PLM_ASSERT(number >= 0 && number < field->names->count);
		plm_pack_int(pack, number);
		return;
	case PLM_WIRE_TEXTS:
		pack_texts(pack, member);
		return;
	case PLM_WIRE_STRUCT:
		plm_pack_wire(pack, field->type, member);
		return;
	case PLM_WIRE_LIST:
		pack_list(pack, member, field->type);
		return;
	}
	PLM_UNREACHABLE();
}

void plm_pack_wire(struct plm_pack *pack, const struct plm_wire_type *type, const void *value)
{
	const uint8_t *bytes = value;

	plm_pack_array(pack, type->field_count);
	for (uint32_t i = 0; i < type->field_count; i++) {
		pack_field(pack, &type->fields[i], bytes + type->fields[i].offset);
	}
}

struct plm_slice plm_wire_encode(const struct plm_wire_type *type, const void *value,
				 struct plm_arena *arena)
{
	struct plm_pack pack;
	size_t size = plm_pack_wire_size(type, value);

	plm_pack_begin(&pack, size, arena);
	plm_pack_wire(&pack, type, value);
	return plm_pack_end(&pack, size);
}
