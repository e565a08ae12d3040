#include "tools/wire_tree.h"

#include "codec/codec.h"
#include "core/timefmt.h"
#include "tools/spell.h"
#include "tools/subject.h"

#define NS_PER_MS 1000000ULL

static struct plm_slice text_of(const void *value, const struct plm_wire_field *field)
{
	struct plm_slice text = {0};

	memcpy(&text, (const uint8_t *)value + field->offset, sizeof(text));
	return text;
}

static int64_t number_of(const void *value, const struct plm_wire_field *field)
{
	int64_t number = 0;

	memcpy(&number, (const uint8_t *)value + field->offset, sizeof(number));
	return number;
}

static struct plm_vec list_of(const void *value, const struct plm_wire_field *field)
{
	struct plm_vec list = {0};

	memcpy(&list, (const uint8_t *)value + field->offset, sizeof(list));
	return list;
}

static struct plm_slice copy(struct plm_arena *arena, struct plm_slice text)
{
	return plm_arena_copy(arena, text);
}

/* The resource that amounts of this struct are of. */
static struct plm_slice resource_of(const struct plm_wire_type *type, const void *value)
{
	for (uint32_t i = 0; i < type->field_count; i++) {
		if (strcmp(type->fields[i].name, "resource") == 0) {
			return text_of(value, &type->fields[i]);
		}
	}
	return (struct plm_slice){0};
}

static struct plm_json *map_of_kv(struct plm_arena *arena, struct plm_vec list)
{
	const struct plm_w_kv *rows = list.ptr;
	struct plm_json *map = plm_json_object(arena);

	for (size_t i = 0; i < list.count; i++) {
		plm_json_put_key(map, copy(arena, rows[i].key),
				 plm_json_text(arena, copy(arena, rows[i].value)));
	}
	return map;
}

static struct plm_json *map_of_amounts(struct plm_arena *arena, struct plm_vec list)
{
	const struct plm_w_amount *rows = list.ptr;
	struct plm_json *map = plm_json_object(arena);

	for (size_t i = 0; i < list.count; i++) {
		plm_json_put_key(map, copy(arena, rows[i].resource),
				 plm_json_text(arena, plm_spell_amount(arena, rows[i].resource,
								       rows[i].amount)));
	}
	return map;
}

static struct plm_json *list_tree(struct plm_arena *arena, const struct plm_wire_type *type,
				  struct plm_vec list)
{
	struct plm_json *out = NULL;

	if (list.count == 0) {
		return NULL;
	}
	if (type == &plm_type_kv) {
		return map_of_kv(arena, list);
	}
	if (type == &plm_type_amount) {
		return map_of_amounts(arena, list);
	}
	out = plm_json_list(arena);
	for (size_t i = 0; i < list.count; i++) {
		plm_json_add(out, plm_wire_tree(arena, type,
						(const uint8_t *)list.ptr + i * type->size));
	}
	return out;
}

static struct plm_json *texts_tree(struct plm_arena *arena, struct plm_vec list)
{
	const struct plm_slice *texts = list.ptr;
	struct plm_json *out = NULL;

	if (list.count == 0) {
		return NULL;
	}
	out = plm_json_list(arena);
	for (size_t i = 0; i < list.count; i++) {
		plm_json_add_text(out, copy(arena, texts[i]));
	}
	return out;
}

static struct plm_json *hex_tree(struct plm_arena *arena, struct plm_slice bytes)
{
	char *hex = NULL;

	if (bytes.size == 0) {
		return NULL;
	}
	hex = plm_arena_take(arena, bytes.size * 2 + 1);
	plm_hex(bytes, hex);
	return plm_json_str(arena, hex);
}

static struct plm_json *int_tree(struct plm_arena *arena, const struct plm_wire_type *type,
				 const struct plm_wire_field *field, const void *value)
{
	enum plm_spelling spelling = plm_spell_of(field->name);
	int64_t number = number_of(value, field);

	if (number == 0 && spelling != PLM_SPELL_AMOUNT && spelling != PLM_SPELL_DURATION) {
		return NULL;
	}
	return plm_spell_value(arena, spelling, number, resource_of(type, value));
}

/* NULL: nothing to say. */
static struct plm_json *field_tree(struct plm_arena *arena, const struct plm_wire_type *type,
				   const struct plm_wire_field *field, const void *value)
{
	struct plm_slice text = {0};
	struct plm_json *part = NULL;

	switch (field->kind) {
	case PLM_WIRE_TEXT:
		text = text_of(value, field);
		return text.size == 0 ? NULL : plm_json_text(arena, copy(arena, text));
	case PLM_WIRE_BYTES:
		return hex_tree(arena, text_of(value, field));
	case PLM_WIRE_INT:
		return int_tree(arena, type, field, value);
	case PLM_WIRE_ENUM:
		text = plm_slice_str(plm_names_text(field->names, number_of(value, field)));
		return text.size == 0 ? NULL : plm_json_text(arena, text);
	case PLM_WIRE_TEXTS:
		return texts_tree(arena, list_of(value, field));
	case PLM_WIRE_STRUCT:
		part = plm_wire_tree(arena, field->type, (const uint8_t *)value + field->offset);
		return part->count == 0 ? NULL : part;
	case PLM_WIRE_LIST:
		return list_tree(arena, field->type, list_of(value, field));
	}
	PLM_UNREACHABLE();
}

struct plm_json *plm_wire_tree(struct plm_arena *arena, const struct plm_wire_type *type,
			       const void *value)
{
	struct plm_json *out = plm_json_object(arena);

	for (uint32_t i = 0; i < type->field_count; i++) {
		struct plm_json *item = field_tree(arena, type, &type->fields[i], value);

		if (item != NULL) {
			plm_json_put_key(out, plm_spell_key(arena, type->fields[i].name), item);
		}
	}
	return out;
}

/* An INTENT's request, decoded, in place of its bytes. */
static struct plm_json *intent_tree(struct plm_arena *arena, const struct plm_w_intent *intent)
{
	struct plm_w_intent shown = *intent;
	const struct plm_wire_type *type = plm_call_request((enum plm_call)intent->call);
	const void *request = NULL;
	struct plm_json *out = NULL;

	shown.frozen = (struct plm_slice){0};
	out = plm_wire_tree(arena, &plm_type_intent, &shown);
	if (type != NULL &&
	    plm_wire_decode(type, intent->frozen, arena, &request, NULL) == PLM_OK) {
		plm_json_put(out, "request", plm_wire_tree(arena, type, request));
	}
	return out;
}

static struct plm_json *seq_or_null(struct plm_arena *arena, uint64_t seq)
{
	return seq == 0 ? plm_json_null(arena) : plm_json_int(arena, (int64_t)seq);
}

struct plm_json *plm_event_tree(struct plm_arena *arena, const struct plm_logged *event)
{
	const struct plm_envelope *envelope = &event->envelope;
	struct plm_subject subject = plm_event_subject(event);
	struct plm_json *out = plm_json_object(arena);

	plm_json_put_int(out, "seq", (int64_t)envelope->seq);
	plm_json_put_text(out, "time",
			  plm_spell_time(arena, (int64_t)(envelope->wall_ns / NS_PER_MS)));
	plm_json_put_int(out, "tick", (int64_t)envelope->tick_ms);
	plm_json_put_int(out, "epoch", (int64_t)envelope->epoch);
	plm_json_put_str(out, "source", plm_names_text(&plm_names_source, envelope->source));
	plm_json_put_str(out, "type", event->info->name);
	plm_json_put_str(out, "class", plm_class_text(event->info->class));
	plm_json_put(out, "object",
		     subject.kind != PLM_KIND_NONE
			     ? plm_json_text(arena, plm_subject_text(arena, &subject))
			     : plm_json_null(arena));
	plm_json_put(out, "cause", seq_or_null(arena, envelope->cause));
	plm_json_put(out, "intent", seq_or_null(arena, envelope->intent));
	if (event->object_hash.size > 0) {
		plm_json_put(out, "objectHash", hex_tree(arena, event->object_hash));
	}
	plm_json_put(out, "payload",
		     envelope->type == PLM_EV_INTENT
			     ? intent_tree(arena, event->payload)
			     : plm_wire_tree(arena, event->info->payload, event->payload));
	return out;
}
