#include "tools/state_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <strings.h>

#include "tools/layout.h"
#include "tools/spell.h"

struct walk {
	struct plm_arena *arena;
	const struct plm_state *st;
};

static struct plm_json *layout_tree(const struct walk *walk, const struct plm_layout *layout,
				    const void *base, int depth);

static struct plm_json *map_of_kv(const struct walk *walk, const struct plm_kv *rows,
				  uint32_t count)
{
	struct plm_json *map = plm_json_object(walk->arena);

	for (uint32_t i = 0; i < count; i++) {
		plm_json_put_key(map, plm_str(walk->st, rows[i].key),
				 plm_json_text(walk->arena, plm_str(walk->st, rows[i].value)));
	}
	return map;
}

static struct plm_json *map_of_amounts(const struct walk *walk, const struct plm_amount *rows,
				       uint32_t count)
{
	struct plm_json *map = plm_json_object(walk->arena);

	for (uint32_t i = 0; i < count; i++) {
		struct plm_slice resource = plm_str(walk->st, rows[i].resource);

		plm_json_put_key(map, resource,
				 plm_json_text(walk->arena, plm_spell_amount(walk->arena, resource,
									     rows[i].amount)));
	}
	return map;
}

static struct plm_json *span_tree(const struct walk *walk, const struct plm_member *member,
				  plm_sym span, int depth)
{
	uint32_t count = 0;
	const uint8_t *bytes = plm_span_bytes(walk->st, span, member->part->size, &count);
	struct plm_json *out = NULL;

	if (count == 0) {
		return NULL;
	}
	if (member->part == &plm_layout_kv) {
		return map_of_kv(walk, PLM_SPAN(walk->st, span, struct plm_kv, &count), count);
	}
	if (member->part == &plm_layout_amount) {
		return map_of_amounts(walk, PLM_SPAN(walk->st, span, struct plm_amount, &count),
				      count);
	}
	if (member->kind == PLM_MEMBER_ONE) {
		return layout_tree(walk, member->part, bytes, depth + 1);
	}
	out = plm_json_list(walk->arena);
	for (uint32_t i = 0; i < count; i++) {
		plm_json_add(out, layout_tree(walk, member->part, bytes + i * member->part->size,
					      depth + 1));
	}
	return out;
}

static struct plm_json *texts_tree(const struct walk *walk, plm_sym span)
{
	uint32_t count = 0;
	const plm_sym *texts = PLM_SPAN(walk->st, span, plm_sym, &count);
	struct plm_json *out = NULL;

	if (count == 0) {
		return NULL;
	}
	out = plm_json_list(walk->arena);
	for (uint32_t i = 0; i < count; i++) {
		plm_json_add_text(out, plm_str(walk->st, texts[i]));
	}
	return out;
}

static struct plm_json *number_tree(const struct walk *walk, const struct plm_layout *layout,
				    const struct plm_member *member, const void *base)
{
	enum plm_spelling spelling = plm_spell_of(member->name);
	int64_t number = plm_member_number(member, base);
	struct plm_slice resource = {0};

	if (spelling == PLM_SPELL_AMOUNT && strcmp(layout->members[0].name, "resource") == 0) {
		resource = plm_str(walk->st, plm_member_sym(&layout->members[0], base));
	} else if (number == 0 && spelling != PLM_SPELL_DURATION) {
		return NULL;
	}
	return plm_spell_value(walk->arena, spelling, number, resource);
}

static struct plm_json *id_tree(const struct walk *walk, const struct plm_member *member,
				const void *base)
{
	plm_id id = {(uint32_t)plm_member_number(member, base)};

	if (id.n == 0) {
		return NULL;
	}
	return plm_json_text(walk->arena, plm_slot_key(walk->arena, walk->st, member->table, id));
}

/* NULL: nothing to say. */
static struct plm_json *member_tree(const struct walk *walk, const struct plm_layout *layout,
				    const struct plm_member *member, const void *base, int depth)
{
	struct plm_slice text = {0};
	struct plm_json *part = NULL;

	switch (member->kind) {
	case PLM_MEMBER_SKIP:
		return NULL;
	case PLM_MEMBER_TEXT:
		text = plm_str(walk->st, plm_member_sym(member, base));
		return text.size == 0 ? NULL : plm_json_text(walk->arena, text);
	case PLM_MEMBER_TEXTS:
		return texts_tree(walk, plm_member_sym(member, base));
	case PLM_MEMBER_LIST:
	case PLM_MEMBER_ONE:
		return span_tree(walk, member, plm_member_sym(member, base), depth);
	case PLM_MEMBER_PART:
		part = layout_tree(walk, member->part, (const uint8_t *)base + member->offset,
				   depth + 1);
		return part->count == 0 ? NULL : part;
	case PLM_MEMBER_ENUM:
		text = plm_slice_str(
			plm_names_text(member->names, plm_member_number(member, base)));
		return text.size == 0 ? NULL : plm_json_text(walk->arena, text);
	case PLM_MEMBER_BOOL:
		return plm_member_number(member, base) == 0 ? NULL
							    : plm_json_bool(walk->arena, true);
	case PLM_MEMBER_U32:
	case PLM_MEMBER_I32:
	case PLM_MEMBER_U64:
	case PLM_MEMBER_I64:
		return number_tree(walk, layout, member, base);
	case PLM_MEMBER_ID:
		return id_tree(walk, member, base);
	}
	PLM_UNREACHABLE();
}

static struct plm_json *layout_tree(const struct walk *walk, const struct plm_layout *layout,
				    const void *base, int depth)
{
	struct plm_json *out = plm_json_object(walk->arena);

	PLM_ASSERT(depth < PLM_JSON_MAX_DEPTH);
	for (uint32_t i = 0; i < layout->count; i++) {
		const struct plm_member *member = &layout->members[i];
		struct plm_json *item = member_tree(walk, layout, member, base, depth);

		if (item != NULL) {
			plm_json_put_key(out, plm_spell_key(walk->arena, member->name), item);
		}
	}
	return out;
}

struct plm_json *plm_object_tree(struct plm_arena *arena, const struct plm_state *st,
				 enum plm_table table, plm_id id)
{
	struct walk walk = {.arena = arena, .st = st};

	return layout_tree(&walk, plm_table_layout(table), plm_slot(st, table, id), 0);
}

/* ---- names ------------------------------------------------------------------------------------- */

const char *plm_slot_group(const struct plm_state *st, enum plm_table table, plm_id id)
{
	if (plm_table_info(table)->keyed) {
		const struct plm_object *object = plm_slot(st, table, id);

		return plm_kind_info((enum plm_kind)object->kind)->plural;
	}
	if (table == PLM_TABLE_INSTANCE_TYPE) {
		return "instanceTypes";
	}
	if (table == PLM_TABLE_STOCK_OUT) {
		return "stockOuts";
	}
	if (table == PLM_TABLE_CONSUMED) {
		return "consumed";
	}
	if (table == PLM_TABLE_INSTANCE) {
		return "instances";
	}
	if (table == PLM_TABLE_SEEN_MEMORY) {
		return "seenMemory";
	}
	if (table == PLM_TABLE_RETRY) {
		return "retries";
	}
	PLM_ASSERT(table == PLM_TABLE_INTENT || table == PLM_TABLE_ROOT);
	return table == PLM_TABLE_INTENT ? "intents" : "root";
}

static struct plm_slice stock_out_key(struct plm_arena *arena, const struct plm_state *st,
				      const struct plm_stock_out *row)
{
	struct plm_slice type = plm_str(st, row->instance_type);
	struct plm_slice zone = plm_str(st, row->zone);
	struct plm_slice capacity = plm_str(st, row->capacity_type);

	return plm_arena_format(arena, "%.*s/%.*s/%.*s", (int)type.size, (const char *)type.ptr,
				(int)zone.size, (const char *)zone.ptr, (int)capacity.size,
				(const char *)capacity.ptr);
}

static struct plm_slice retry_key(struct plm_arena *arena, const struct plm_state *st,
				  const struct plm_retry *row)
{
	struct plm_slice name = plm_str(st, row->name);

	return plm_arena_format(arena, "%s/%s/%.*s", plm_names_text(&plm_names_call, row->call),
				plm_names_text(&plm_names_kind, row->kind), (int)name.size,
				(const char *)name.ptr);
}

static struct plm_slice consumed_key(struct plm_arena *arena, const struct plm_state *st,
				     const struct plm_consumed *row)
{
	const struct plm_object *local = &plm_local_queue_at(st, row->local)->object;
	struct plm_slice ns = plm_str(st, local->ns);
	struct plm_slice name = plm_str(st, local->name);
	struct plm_slice resource = plm_str(st, row->amount.resource);

	return plm_arena_format(arena, "%.*s/%.*s/%.*s", (int)ns.size, (const char *)ns.ptr,
				(int)name.size, (const char *)name.ptr, (int)resource.size,
				(const char *)resource.ptr);
}

struct plm_slice plm_slot_key(struct plm_arena *arena, const struct plm_state *st,
			      enum plm_table table, plm_id id)
{
	if (plm_table_info(table)->keyed) {
		struct plm_subject subject = plm_subject_of(st, plm_slot(st, table, id));

		return plm_subject_name(arena, &subject);
	}
	if (table == PLM_TABLE_INSTANCE_TYPE) {
		return plm_str(st, plm_instance_type_at(st, id)->name);
	}
	if (table == PLM_TABLE_STOCK_OUT) {
		return stock_out_key(arena, st, plm_stock_out_at(st, id));
	}
	if (table == PLM_TABLE_SEEN_MEMORY) {
		const struct plm_seen_memory *row = plm_seen_memory_at(st, id);
		struct plm_slice type = plm_str(st, row->instance_type);
		struct plm_slice class = plm_str(st, row->class_name);

		return plm_arena_format(arena, "%.*s/%.*s", (int)class.size,
					(const char *)class.ptr, (int)type.size,
					(const char *)type.ptr);
	}
	if (table == PLM_TABLE_RETRY) {
		return retry_key(arena, st, plm_retry_at(st, id));
	}
	if (table == PLM_TABLE_CONSUMED) {
		return consumed_key(arena, st, plm_consumed_at(st, id));
	}
	if (table == PLM_TABLE_INSTANCE) {
		return plm_str(st, plm_instance_at(st, id)->provider_id);
	}
	if (table == PLM_TABLE_INTENT) {
		return plm_arena_format(arena, "%" PRIu64, plm_intent_at(st, id)->seq);
	}
	PLM_ASSERT(table == PLM_TABLE_ROOT);
	return plm_slice_str("root");
}

static void put_slot(struct plm_json *tree, const struct plm_state *st, enum plm_table table,
		     plm_id id)
{
	struct plm_slice group = plm_slice_str(plm_slot_group(st, table, id));
	struct plm_json *item = plm_object_tree(tree->arena, st, table, id);
	struct plm_json *objects = NULL;

	if (table == PLM_TABLE_ROOT) {
		plm_json_put_key(tree, group, item);
		return;
	}
	objects = plm_json_get(tree, group);
	if (objects == NULL) {
		objects = plm_json_object(tree->arena);
		plm_json_put_key(tree, group, objects);
	}
	plm_json_put_key(objects, plm_slot_key(tree->arena, st, table, id), item);
}

struct plm_json *plm_state_tree(struct plm_arena *arena, const struct plm_state *st)
{
	struct plm_json *tree = plm_json_object(arena);

	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		enum plm_table table = (enum plm_table)t;

		for (plm_id id = plm_slot_next(st, table, (plm_id){0}); id.n != 0;
		     id = plm_slot_next(st, table, id)) {
			put_slot(tree, st, table, id);
		}
	}
	return tree;
}

/* ---- paths ------------------------------------------------------------------------------------- */

/* Does 'key' stand at the head of 'path', followed by a dot or the end? */
static bool heads(struct plm_slice key, const char *path)
{
	return key.size > 0 && strlen(path) >= key.size &&
	       strncasecmp((const char *)key.ptr, path, key.size) == 0 &&
	       (path[key.size] == '.' || path[key.size] == '\0');
}

static struct plm_json *step(struct plm_json *node, const char *path, size_t *used)
{
	struct plm_json *best = NULL;
	char *end = NULL;
	size_t index = 0;

	*used = 0;
	if (node->kind == PLM_JSON_LIST) {
		index = strtoul(path, &end, 10);
		if (end == path || (*end != '.' && *end != '\0') || index >= node->count) {
			return NULL;
		}
		*used = (size_t)(end - path);
		return node->items[index];
	}
	for (size_t i = 0; node->kind == PLM_JSON_OBJECT && i < node->count; i++) {
		if (heads(node->keys[i], path) && node->keys[i].size > *used) {
			best = node->items[i];
			*used = node->keys[i].size;
		}
	}
	return best;
}

struct plm_json *plm_tree_find(struct plm_json *tree, const char *path, const char **out_rest)
{
	struct plm_json *node = tree;

	while (node != NULL && *path != '\0') {
		size_t used = 0;
		struct plm_json *next = step(node, path, &used);

		if (next == NULL) {
			*out_rest = path;
			return NULL;
		}
		node = next;
		path += used + (path[used] == '.' ? 1 : 0);
	}
	*out_rest = "";
	return node;
}
