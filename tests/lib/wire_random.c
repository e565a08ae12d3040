#include "wire_random.h"

#include "plm_test.h"

static const int64_t corners[] = {
	0,     1,	  127,	      128,	 255,	    256,	  32767,	 65535,
	65536, INT32_MAX, UINT32_MAX, 1LL << 32, INT64_MAX, -1,		  -32,		 -33,
	-128,  -129,	  -32768,     -32769,	 INT32_MIN, -(1LL << 33), INT64_MIN + 1, PLM_UNSET,
};

static const char *const words[] = {
	"", "a", "cpu", "nvidia.com/gpu", "größe", "日本語", "\xf0\x9f\x9a\xa2"};

static struct plm_slice random_text(uint64_t *random, struct plm_arena *arena)
{
	static const uint64_t sizes[] = {31, 32, 33, 255, 256};
	uint64_t pick = plm_test_below(random, 12);
	struct plm_slice text = {0};
	uint8_t *bytes = NULL;

	if (pick > 0) {
		return plm_slice_str(words[plm_test_below(random, PLM_COUNTOF(words))]);
	}
	text.size = sizes[plm_test_below(random, PLM_COUNTOF(sizes))];
	bytes = plm_arena_take(arena, text.size);
	memset(bytes, 'x', text.size);
	text.ptr = bytes;
	return text;
}

static struct plm_slice random_bytes(uint64_t *random, struct plm_arena *arena)
{
	size_t size = plm_test_below(random, 40);
	uint8_t *bytes = plm_arena_take(arena, size);

	for (size_t i = 0; i < size; i++) {
		bytes[i] = (uint8_t)plm_test_random(random);
	}
	return plm_slice_of(bytes, size);
}

static int64_t random_int(uint64_t *random)
{
	if (plm_test_below(random, 4) == 0) {
		return (int64_t)(plm_test_random(random) >> plm_test_below(random, 64));
	}
	return corners[plm_test_below(random, PLM_COUNTOF(corners))];
}

static struct plm_vec random_texts(uint64_t *random, struct plm_arena *arena)
{
	size_t count = plm_test_below(random, 20) == 0 ? 17 : plm_test_below(random, 4);
	struct plm_slice *list = PLM_NEW_ARRAY(arena, count, struct plm_slice);

	for (size_t i = 0; i < count; i++) {
		list[i] = random_text(random, arena);
	}
	return (struct plm_vec){.ptr = list, .count = count};
}

static void fill(const struct plm_wire_type *type, uint8_t *value, uint64_t *random,
		 struct plm_arena *arena);

static struct plm_vec random_list(const struct plm_wire_type *type, uint64_t *random,
				  struct plm_arena *arena)
{
	size_t count = plm_test_below(random, 3);
	uint8_t *list = plm_arena_array(arena, count, type->size);

	for (size_t i = 0; i < count; i++) {
		fill(type, list + i * type->size, random, arena);
	}
	return (struct plm_vec){.ptr = list, .count = count};
}

static void fill_field(const struct plm_wire_field *field, void *member, uint64_t *random,
		       struct plm_arena *arena)
{
	switch (field->kind) {
	case PLM_WIRE_TEXT:
		*(struct plm_slice *)member = random_text(random, arena);
		return;
	case PLM_WIRE_BYTES:
		*(struct plm_slice *)member = random_bytes(random, arena);
		return;
	case PLM_WIRE_INT:
		*(int64_t *)member = random_int(random);
		return;
	case PLM_WIRE_ENUM:
		*(int64_t *)member = (int64_t)plm_test_below(random, field->names->count);
		return;
	case PLM_WIRE_TEXTS:
		*(struct plm_vec *)member = random_texts(random, arena);
		return;
	case PLM_WIRE_STRUCT:
		fill(field->type, member, random, arena);
		return;
	case PLM_WIRE_LIST:
		*(struct plm_vec *)member = random_list(field->type, random, arena);
		return;
	}
	PLM_UNREACHABLE();
}

static void fill(const struct plm_wire_type *type, uint8_t *value, uint64_t *random,
		 struct plm_arena *arena)
{
	for (uint32_t i = 0; i < type->field_count; i++) {
		fill_field(&type->fields[i], value + type->fields[i].offset, random, arena);
	}
}

void *plm_wire_random(const struct plm_wire_type *type, uint64_t *random, struct plm_arena *arena)
{
	void *value = plm_arena_take(arena, type->size);

	fill(type, value, random, arena);
	return value;
}

static bool texts_equal(const struct plm_vec *a, const struct plm_vec *b)
{
	const struct plm_slice *left = a->ptr;
	const struct plm_slice *right = b->ptr;

	for (size_t i = 0; a->count == b->count && i < a->count; i++) {
		if (!plm_slice_equal(left[i], right[i])) {
			return false;
		}
	}
	return a->count == b->count;
}

static bool list_equal(const struct plm_wire_type *type, const struct plm_vec *a,
		       const struct plm_vec *b)
{
	const uint8_t *left = a->ptr;
	const uint8_t *right = b->ptr;

	for (size_t i = 0; a->count == b->count && i < a->count; i++) {
		if (!plm_wire_equal(type, left + i * type->size, right + i * type->size)) {
			return false;
		}
	}
	return a->count == b->count;
}

static bool field_equal(const struct plm_wire_field *field, const void *a, const void *b)
{
	switch (field->kind) {
	case PLM_WIRE_TEXT:
	case PLM_WIRE_BYTES:
		return plm_slice_equal(*(const struct plm_slice *)a, *(const struct plm_slice *)b);
	case PLM_WIRE_INT:
	case PLM_WIRE_ENUM:
		return *(const int64_t *)a == *(const int64_t *)b;
	case PLM_WIRE_TEXTS:
		return texts_equal(a, b);
	case PLM_WIRE_STRUCT:
		return plm_wire_equal(field->type, a, b);
	case PLM_WIRE_LIST:
		return list_equal(field->type, a, b);
	}
	PLM_UNREACHABLE();
}

bool plm_wire_equal(const struct plm_wire_type *type, const void *a, const void *b)
{
	const uint8_t *left = a;
	const uint8_t *right = b;

	for (uint32_t i = 0; i < type->field_count; i++) {
		uint32_t offset = type->fields[i].offset;

		if (!field_equal(&type->fields[i], left + offset, right + offset)) {
			return false;
		}
	}
	return true;
}
