/*
 * wire_read.c - canonical msgpack to a wire struct, driven by its field table
 *
 * Positional: a struct is an array with exactly its fields, so nothing is looked up and nothing is
 * guessed. The depth of the calls is the depth of the type (plm_schema_check() bounds it), never of the
 * input. Memory is taken only for lists whose elements can be in the bytes that are left, so that a
 * forged count costs nothing.
 */
#include "codec/wire_read.h"

#include "codec/codec.h"

static bool read_struct(struct plm_wire_reader *reader, const struct plm_wire_type *type,
			uint8_t *out);

static void *room(struct plm_wire_reader *reader, size_t count, size_t size)
{
	size_t bytes = 0;
	void *memory = NULL;

	if (!__builtin_mul_overflow(count, size, &bytes)) {
		memory = plm_arena_try(reader->arena, bytes);
	}
	if (memory == NULL) {
		reader->full = true;
		reader->in.why = "does not fit into the memory it may take";
	}
	return memory;
}

static bool read_texts(struct plm_wire_reader *reader, struct plm_vec *out)
{
	struct plm_slice *list = NULL;
	uint32_t count = 0;

	if (!plm_unpack_array(&reader->in, &count)) {
		return false;
	}
	if (count == 0) {
		return true;
	}
	list = room(reader, count, sizeof(*list));
	if (list == NULL) {
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!plm_unpack_text(&reader->in, &list[i])) {
			return false;
		}
	}
	*out = (struct plm_vec){.ptr = list, .count = count};
	return true;
}

static bool read_list(struct plm_wire_reader *reader, const struct plm_wire_type *type,
		      struct plm_vec *out)
{
	uint8_t *list = NULL;
	uint32_t count = 0;

	if (!plm_unpack_array(&reader->in, &count)) {
		return false;
	}
	if (count == 0) {
		return true;
	}
	/* An element is its array's lead byte and one byte per field at least. */
	if (count > plm_unpack_left(&reader->in) / (1 + (size_t)type->field_count)) {
		return plm_unpack_refuse(&reader->in, "has more elements than bytes for them");
	}
	list = room(reader, count, type->size);
	if (list == NULL) {
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!read_struct(reader, type, list + (size_t)i * type->size)) {
			return false;
		}
	}
	*out = (struct plm_vec){.ptr = list, .count = count};
	return true;
}

static bool read_enum(struct plm_wire_reader *reader, const struct plm_wire_names *names,
		      int64_t *out)
{
	uint64_t value = 0;

	if (!plm_unpack_uint(&reader->in, &value)) {
		return false;
	}
	if (value >= names->count) {
		return plm_unpack_refuse(&reader->in, "is a value that has no name");
	}
	*out = (int64_t)value;
	return true;
}

static bool read_field(struct plm_wire_reader *reader, const struct plm_wire_field *field,
		       void *member)
{
	switch (field->kind) {
	case PLM_WIRE_TEXT:
		return plm_unpack_text(&reader->in, member);
	case PLM_WIRE_BYTES:
		return plm_unpack_bytes(&reader->in, member);
	case PLM_WIRE_INT:
		return plm_unpack_int(&reader->in, member);
	case PLM_WIRE_ENUM:
		return read_enum(reader, field->names, member);
	case PLM_WIRE_TEXTS:
		return read_texts(reader, member);
	case PLM_WIRE_STRUCT:
		return read_struct(reader, field->type, member);
	case PLM_WIRE_LIST:
		return read_list(reader, field->type, member);
	}
	PLM_UNREACHABLE();
}

/* Remember the innermost place only: the first one to say something. */
static bool failed_at(struct plm_wire_reader *reader, const struct plm_wire_type *type,
		      const char *field)
{
	if (reader->type == NULL) {
		reader->type = type->name;
		reader->field = field;
	}
	return false;
}

static bool read_struct(struct plm_wire_reader *reader, const struct plm_wire_type *type,
			uint8_t *out)
{
	uint32_t count = 0;

	if (!plm_unpack_array(&reader->in, &count)) {
		return failed_at(reader, type, NULL);
	}
	if (count != type->field_count) {
		reader->in.why = "has another number of fields";
		return failed_at(reader, type, NULL);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct plm_wire_field *field = &type->fields[i];

		if (!read_field(reader, field, out + field->offset)) {
			return failed_at(reader, type, field->name);
		}
	}
	return true;
}

bool plm_wire_read(struct plm_wire_reader *reader, const struct plm_wire_type *type,
		   const void **out)
{
	uint8_t *value = room(reader, 1, type->size);

	if (value == NULL || !read_struct(reader, type, value)) {
		return false;
	}
	*out = value;
	return true;
}

enum plm_code plm_wire_read_fail(const struct plm_wire_reader *reader, struct plm_slice bytes,
				 struct plm_error *err)
{
	size_t at = reader->in.at == NULL ? 0 : (size_t)(reader->in.at - bytes.ptr);

	PLM_ASSERT(reader->in.why != NULL);
	return plm_fail(err, reader->full ? PLM_E_LIMIT : PLM_E_CORRUPT, "%s%s%s %s (byte %zu)",
			reader->type == NULL ? "payload" : reader->type,
			reader->field == NULL ? "" : ".",
			reader->field == NULL ? "" : reader->field, reader->in.why, at);
}

enum plm_code plm_wire_decode(const struct plm_wire_type *type, struct plm_slice bytes,
			      struct plm_arena *arena, const void **out, struct plm_error *err)
{
	struct plm_wire_reader reader = {.in = plm_unpack_begin(bytes), .arena = arena};
	size_t mark = plm_arena_mark(arena);
	const void *value = NULL;

	if (!plm_wire_read(&reader, type, &value) || !plm_unpack_end(&reader.in)) {
		plm_arena_rewind(arena, mark);
		return plm_wire_read_fail(&reader, bytes, err);
	}
	*out = value;
	return PLM_OK;
}
