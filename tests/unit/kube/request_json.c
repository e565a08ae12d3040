#include "request_json.h"

#include "plm_test.h"

static void fill(const struct plm_wire_type *type, const cJSON *json, struct plm_arena *arena,
		 uint8_t *out);

static int64_t number_of(const struct plm_wire_field *field, const cJSON *value)
{
	if (cJSON_IsString(value) && strcmp(value->valuestring, "unset") == 0) {
		return PLM_UNSET;
	}
	if (field->kind == PLM_WIRE_ENUM) {
		int64_t found = 0;

		assert_true(cJSON_IsString(value));
		found = plm_names_find(field->names, plm_slice_str(value->valuestring));
		assert_true(found >= 0);
		return found;
	}
	assert_true(cJSON_IsNumber(value) || cJSON_IsBool(value));
	return cJSON_IsNumber(value) ? (int64_t)value->valuedouble : cJSON_IsTrue(value);
}

static struct plm_vec list_of(const struct plm_wire_field *field, const cJSON *value,
			      struct plm_arena *arena)
{
	size_t count = (size_t)cJSON_GetArraySize(value);
	size_t size = field->kind == PLM_WIRE_TEXTS ? sizeof(struct plm_slice) : field->type->size;
	uint8_t *list = plm_arena_array(arena, count, size);
	uint8_t *at = list;

	assert_true(cJSON_IsArray(value));
	for (const cJSON *item = value->child; item != NULL; item = item->next) {
		if (field->kind == PLM_WIRE_TEXTS) {
			const struct plm_slice text = plm_slice_str(item->valuestring);

			memcpy(at, &text, sizeof(text));
		} else {
			fill(field->type, item, arena, at);
		}
		at += size;
	}
	return (struct plm_vec){list, count};
}

static void fill_field(const struct plm_wire_field *field, const cJSON *value,
		       struct plm_arena *arena, uint8_t *at)
{
	struct plm_slice text = {0};
	struct plm_vec list = {0};
	int64_t number = 0;

	switch (field->kind) {
	case PLM_WIRE_TEXT:
	case PLM_WIRE_BYTES:
		assert_true(cJSON_IsString(value));
		text = plm_slice_str(value->valuestring);
		memcpy(at, &text, sizeof(text));
		return;
	case PLM_WIRE_INT:
	case PLM_WIRE_ENUM:
		number = number_of(field, value);
		memcpy(at, &number, sizeof(number));
		return;
	case PLM_WIRE_TEXTS:
	case PLM_WIRE_LIST:
		list = list_of(field, value, arena);
		memcpy(at, &list, sizeof(list));
		return;
	case PLM_WIRE_STRUCT:
		fill(field->type, value, arena, at);
		return;
	}
	fail();
}

static void fill(const struct plm_wire_type *type, const cJSON *json, struct plm_arena *arena,
		 uint8_t *out)
{
	uint32_t used = 0;

	assert_true(cJSON_IsObject(json));
	for (uint32_t i = 0; i < type->field_count; i++) {
		const struct plm_wire_field *field = &type->fields[i];
		const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, field->name);

		if (value != NULL) {
			fill_field(field, value, arena, out + field->offset);
			used++;
		}
	}
	if (used != (uint32_t)cJSON_GetArraySize(json)) {
		fail_msg("%s has %d keys, %u are fields", type->name, cJSON_GetArraySize(json),
			 used);
	}
}

const void *request_from_json(const struct plm_wire_type *type, const cJSON *json,
			      struct plm_arena *arena)
{
	uint8_t *out = plm_arena_take(arena, type->size);

	fill(type, json, arena, out);
	return out;
}
