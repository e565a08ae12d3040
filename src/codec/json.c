/*
 * json.c - a wire struct as JSON for people
 *
 * Written twice by the same code: first to count, then to fill exactly that much of the arena.
 */
#include <stdio.h>

#include "codec/codec.h"

struct json {
	uint8_t *out; /* arena; NULL while counting */
	size_t size;
};

static void write_struct(struct json *json, const struct plm_wire_type *type, const void *value);

static void put(struct json *json, const void *bytes, size_t size)
{
	if (json->out != NULL && size > 0) {
		memcpy(json->out + json->size, bytes, size);
	}
	json->size += size;
}

static void put_char(struct json *json, char c)
{
	put(json, &c, 1);
}

/* "price_micro" as "priceMicro". */
static void put_key(struct json *json, const char *name)
{
	put_char(json, '"');
	for (const char *c = name; *c != '\0'; c++) {
		if (*c == '_' && c[1] != '\0') {
			c++;
			put_char(json, (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c));
		} else {
			put_char(json, *c);
		}
	}
	put(json, "\":", 2);
}

static void put_escape(struct json *json, uint8_t c)
{
	static const char letters[] = "btn\0fr"; /* for 8 ... 13; 11 has none */
	char text[8];

	if (c == '"' || c == '\\') {
		put_char(json, '\\');
		put_char(json, (char)c);
	} else if (c >= 8 && c <= 13 && letters[c - 8] != '\0') {
		put_char(json, '\\');
		put_char(json, letters[c - 8]);
	} else {
		(void)snprintf(text, sizeof(text), "\\u%04x", c);
		put(json, text, 6);
	}
}

static void put_text(struct json *json, struct plm_slice text)
{
	size_t from = 0;

	put_char(json, '"');
	for (size_t i = 0; i < text.size; i++) {
		uint8_t c = text.ptr[i];

		if (c >= 0x20 && c != '"' && c != '\\') {
			continue;
		}
		put(json, text.ptr + from, i - from);
		put_escape(json, c);
		from = i + 1;
	}
	put(json, text.size == 0 ? NULL : text.ptr + from, text.size - from);
	put_char(json, '"');
}

static void put_hex(struct json *json, struct plm_slice bytes)
{
	static const char digits[] = "0123456789abcdef";

	put_char(json, '"');
	for (size_t i = 0; i < bytes.size; i++) {
		put_char(json, digits[bytes.ptr[i] >> 4]);
		put_char(json, digits[bytes.ptr[i] & 15U]);
	}
	put_char(json, '"');
}

static void put_int(struct json *json, int64_t value)
{
	char text[24];
	int size = snprintf(text, sizeof(text), "%lld", (long long)value);

	PLM_ASSERT(size > 0);
	put(json, text, (size_t)size);
}

static void write_texts(struct json *json, const struct plm_vec *texts)
{
	const struct plm_slice *list = texts->ptr;

	put_char(json, '[');
	for (size_t i = 0; i < texts->count; i++) {
		put(json, ",", i > 0);
		put_text(json, list[i]);
	}
	put_char(json, ']');
}

static void write_list(struct json *json, const struct plm_vec *list,
		       const struct plm_wire_type *type)
{
	const uint8_t *at = list->ptr;

	put_char(json, '[');
	for (size_t i = 0; i < list->count; i++, at += type->size) {
		put(json, ",", i > 0);
		write_struct(json, type, at);
	}
	put_char(json, ']');
}

static bool absent(const struct plm_wire_field *field, const void *member);

static bool all_absent(const struct plm_wire_type *type, const void *value)
{
	const uint8_t *bytes = value;

	for (uint32_t i = 0; i < type->field_count; i++) {
		if (!absent(&type->fields[i], bytes + type->fields[i].offset)) {
			return false;
		}
	}
	return true;
}

static bool absent(const struct plm_wire_field *field, const void *member)
{
	int64_t number = 0;

	switch (field->kind) {
	case PLM_WIRE_TEXT:
	case PLM_WIRE_BYTES:
		return ((const struct plm_slice *)member)->size == 0;
	case PLM_WIRE_INT:
		return *(const int64_t *)member == PLM_UNSET;
	case PLM_WIRE_ENUM:
		number = *(const int64_t *)member;
		return *plm_names_text(field->names, number) == '\0';
	case PLM_WIRE_TEXTS:
	case PLM_WIRE_LIST:
		return ((const struct plm_vec *)member)->count == 0;
	case PLM_WIRE_STRUCT:
		return all_absent(field->type, member);
	}
	PLM_UNREACHABLE();
}

static void write_value(struct json *json, const struct plm_wire_field *field, const void *member)
{
	int64_t number = 0;

	switch (field->kind) {
	case PLM_WIRE_TEXT:
		put_text(json, *(const struct plm_slice *)member);
		return;
	case PLM_WIRE_BYTES:
		put_hex(json, *(const struct plm_slice *)member);
		return;
	case PLM_WIRE_INT:
		put_int(json, *(const int64_t *)member);
		return;
	case PLM_WIRE_ENUM:
		number = *(const int64_t *)member;
		put_text(json, plm_slice_str(plm_names_text(field->names, number)));
		return;
	case PLM_WIRE_TEXTS:
		write_texts(json, member);
		return;
	case PLM_WIRE_STRUCT:
		write_struct(json, field->type, member);
		return;
	case PLM_WIRE_LIST:
		write_list(json, member, field->type);
		return;
	}
	PLM_UNREACHABLE();
}

static void write_struct(struct json *json, const struct plm_wire_type *type, const void *value)
{
	const uint8_t *bytes = value;
	bool any = false;

	put_char(json, '{');
	for (uint32_t i = 0; i < type->field_count; i++) {
		const struct plm_wire_field *field = &type->fields[i];

		if (absent(field, bytes + field->offset)) {
			continue;
		}
		put(json, ",", any);
		put_key(json, field->name);
		write_value(json, field, bytes + field->offset);
		any = true;
	}
	put_char(json, '}');
}

struct plm_slice plm_wire_json(const struct plm_wire_type *type, const void *value,
			       struct plm_arena *arena)
{
	struct json count = {0};
	struct json fill = {0};

	write_struct(&count, type, value);
	fill.out = plm_arena_take(arena, count.size);
	write_struct(&fill, type, value);
	PLM_ASSERT(fill.size == count.size);
	return plm_slice_of(fill.out, fill.size);
}
