#include "adapters/kube/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/quantity.h"
#include "core/timefmt.h"

/* ---- reading ------------------------------------------------------------------------------------- */

cJSON *plm_tree_get(const cJSON *map, const char *key)
{
	cJSON *node = cJSON_IsObject(map) ? cJSON_GetObjectItemCaseSensitive(map, key) : NULL;

	return cJSON_IsNull(node) ? NULL : node;
}

static const cJSON *child_named(const cJSON *node, const char *name, size_t size)
{
	if (!cJSON_IsObject(node)) {
		return NULL;
	}
	for (const cJSON *child = node->child; child != NULL; child = child->next) {
		if (strlen(child->string) == size && memcmp(child->string, name, size) == 0) {
			return child;
		}
	}
	return NULL;
}

const cJSON *plm_tree_at(const cJSON *root, const char *path)
{
	const cJSON *at = root;

	while (at != NULL && *path != '\0') {
		size_t size = strcspn(path, ".");

		at = child_named(at, path, size);
		path += path[size] == '.' ? size + 1 : size;
	}
	return at == NULL || cJSON_IsNull(at) ? NULL : at;
}

#define STEP_SIZE 512 /* keys of labels and annotations are at most 317 bytes */

/* The next step of a pointer without its escapes, and what follows it. */
static const char *next_step(const char *pointer, char out[STEP_SIZE])
{
	size_t used = 0;

	PLM_ASSERT(*pointer == '/');
	for (pointer++; *pointer != '\0' && *pointer != '/'; pointer++) {
		char byte = *pointer;

		if (byte == '~' && (pointer[1] == '0' || pointer[1] == '1')) {
			byte = pointer[1] == '0' ? '~' : '/';
			pointer++;
		}
		PLM_ASSERT(used + 1 < STEP_SIZE);
		out[used++] = byte;
	}
	out[used] = '\0';
	return pointer;
}

static cJSON *step_into(const cJSON *at, const char *step)
{
	if (cJSON_IsArray(at)) {
		int64_t index = 0;

		return plm_integer_parse(plm_slice_str(step), &index) && index >= 0 &&
				       index < INT32_MAX
			       ? cJSON_GetArrayItem(at, (int)index)
			       : NULL;
	}
	return cJSON_IsObject(at) ? cJSON_GetObjectItemCaseSensitive(at, step) : NULL;
}

const cJSON *plm_tree_pointer(const cJSON *root, const char *pointer)
{
	char step[STEP_SIZE];
	const cJSON *at = root;

	while (at != NULL && *pointer != '\0') {
		pointer = next_step(pointer, step);
		at = step_into(at, step);
	}
	return at == NULL || cJSON_IsNull(at) ? NULL : at;
}

struct plm_slice plm_tree_text(const cJSON *map, const char *key)
{
	const cJSON *node = plm_tree_get(map, key);

	return cJSON_IsString(node) ? plm_slice_str(node->valuestring) : (struct plm_slice){0};
}

int64_t plm_tree_whole(const cJSON *node, int64_t absent)
{
	bool exact = cJSON_IsNumber(node) && node->valueint != INT32_MAX &&
		     node->valueint != INT32_MIN; /* what larger ones are cut down to */

	return exact ? node->valueint : absent;
}

int64_t plm_tree_int(const cJSON *map, const char *key, int64_t absent)
{
	return plm_tree_whole(plm_tree_get(map, key), absent);
}

bool plm_tree_is_true(const cJSON *node)
{
	return cJSON_IsTrue(node) != 0;
}

bool plm_tree_is(const cJSON *map, const char *key, const char *text)
{
	return plm_slice_is(plm_tree_text(map, key), text);
}

cJSON *plm_tree_parse(struct plm_slice body)
{
	cJSON *root =
		body.size == 0 ? NULL : cJSON_ParseWithLength((const char *)body.ptr, body.size);

	if (!cJSON_IsObject(root)) {
		cJSON_Delete(root);
		return NULL;
	}
	return root;
}

/* ---- building ------------------------------------------------------------------------------------ */

static cJSON *made(cJSON *node)
{
	PLM_ASSERT(node != NULL);
	return node;
}

/* Zero-terminated; freed by the caller. */
static char *terminated(struct plm_slice text)
{
	char *copy = malloc(text.size + 1);

	PLM_ASSERT(copy != NULL);
	if (text.size > 0) {
		memcpy(copy, text.ptr, text.size);
	}
	copy[text.size] = '\0';
	return copy;
}

cJSON *plm_tree_map(void)
{
	return made(cJSON_CreateObject());
}

cJSON *plm_tree_list(void)
{
	return made(cJSON_CreateArray());
}

cJSON *plm_tree_string(struct plm_slice text)
{
	char *copy = terminated(text);
	cJSON *node = made(cJSON_CreateString(copy));

	free(copy);
	return node;
}

cJSON *plm_tree_number(int64_t value)
{
	char text[32];

	if (value < INT32_MAX && value > INT32_MIN) {
		return made(cJSON_CreateNumber((int)value));
	}
	(void)snprintf(text, sizeof(text), "%lld", (long long)value);
	return made(cJSON_CreateRaw(text));
}

cJSON *plm_tree_copy(const cJSON *node)
{
	return node == NULL ? NULL : made(cJSON_Duplicate(node, true));
}

void plm_tree_put(cJSON *map, struct plm_slice key, cJSON *value)
{
	char *name = terminated(key);
	cJSON_bool done = 0;

	PLM_ASSERT(cJSON_IsObject(map) && value != NULL);
	if (cJSON_GetObjectItemCaseSensitive(map, name) != NULL) {
		done = cJSON_ReplaceItemInObjectCaseSensitive(map, name, value);
	} else {
		done = cJSON_AddItemToObject(map, name, value);
	}
	PLM_ASSERT(done);
	free(name);
}

void plm_tree_put_text(cJSON *map, const char *key, struct plm_slice value)
{
	plm_tree_put(map, plm_slice_str(key), plm_tree_string(value));
}

void plm_tree_put_string(cJSON *map, const char *key, const char *value)
{
	plm_tree_put_text(map, key, plm_slice_str(value));
}

void plm_tree_put_int(cJSON *map, const char *key, int64_t value)
{
	plm_tree_put(map, plm_slice_str(key), plm_tree_number(value));
}

void plm_tree_put_time(cJSON *map, const char *key, int64_t ms)
{
	char text[PLM_TIME_SIZE];

	plm_tree_put_string(map, key, plm_time_format(ms - ms % PLM_MS_PER_SECOND, text));
}

void plm_tree_add(cJSON *list, cJSON *value)
{
	cJSON_bool done = cJSON_IsArray(list) && value != NULL && cJSON_AddItemToArray(list, value);

	PLM_ASSERT(done);
}

cJSON *plm_tree_over(const cJSON *map, struct plm_vec pairs)
{
	const struct plm_w_kv *list = pairs.ptr;
	cJSON *out = cJSON_IsObject(map) ? plm_tree_copy(map) : NULL;

	for (size_t i = 0; i < pairs.count; i++) {
		out = out == NULL ? plm_tree_map() : out;
		plm_tree_put(out, list[i].key, plm_tree_string(list[i].value));
	}
	return out;
}

cJSON *plm_tree_amounts(struct plm_vec amounts)
{
	const struct plm_w_amount *list = amounts.ptr;
	char text[PLM_QUANTITY_SIZE];
	cJSON *map = plm_tree_map();

	for (size_t i = 0; i < amounts.count; i++) {
		plm_tree_put(map, list[i].resource,
			     plm_tree_string(plm_slice_str(
				     plm_quantity_format(list[i].resource, list[i].amount, text))));
	}
	return map;
}

cJSON *plm_tree_texts(struct plm_vec texts)
{
	const struct plm_slice *list = texts.ptr;
	cJSON *out = plm_tree_list();

	for (size_t i = 0; i < texts.count; i++) {
		plm_tree_add(out, plm_tree_string(list[i]));
	}
	return out;
}

/* How Go spells byte 'at' of 'text', NULL = as it is; 'out_taken' bytes are spelled by it. */
static const char *spelled(const char *at, size_t *out_taken)
{
	*out_taken = 1;
	switch (*at) {
	case '<':
		return "\\u003c";
	case '>':
		return "\\u003e";
	case '&':
		return "\\u0026";
	default:
		break;
	}
	if (strncmp(at, "\xe2\x80\xa8", 3) == 0 || strncmp(at, "\xe2\x80\xa9", 3) == 0) {
		*out_taken = 3;
		return (unsigned char)at[2] == 0xa8 ? "\\u2028" : "\\u2029";
	}
	return NULL;
}

struct plm_slice plm_tree_print(const cJSON *node, struct plm_arena *arena)
{
	char *text = cJSON_PrintUnformatted(node);
	size_t size = 0;
	size_t taken = 0;
	uint8_t *out = NULL;
	size_t used = 0;

	PLM_ASSERT(text != NULL);
	for (const char *at = text; *at != '\0'; at += taken) {
		size += spelled(at, &taken) == NULL ? 1 : 6;
	}
	out = plm_arena_take(arena, size + 1);
	for (const char *at = text; *at != '\0'; at += taken) {
		const char *other = spelled(at, &taken);

		if (other != NULL) {
			memcpy(out + used, other, 6);
			used += 6;
		} else {
			out[used++] = (uint8_t)*at;
		}
	}
	cJSON_free(text);
	PLM_ASSERT(used == size);
	return plm_slice_of(out, used);
}

/* ---- JSON patch ---------------------------------------------------------------------------------- */

static void op(struct plm_patch *patch, const char *what, const char *pointer, cJSON *value)
{
	cJSON *item = plm_tree_map();

	plm_tree_put_string(item, "op", what);
	plm_tree_put_string(item, "path", pointer);
	if (value != NULL) {
		plm_tree_put(item, plm_slice_str("value"), value);
	}
	plm_tree_add(patch->ops, item);
}

void plm_patch_test(struct plm_patch *patch, const char *pointer, cJSON *value)
{
	op(patch, "test", pointer, value == NULL ? made(cJSON_CreateNull()) : value);
}

void plm_patch_init(struct plm_patch *patch, const cJSON *object, struct plm_slice uid)
{
	*patch = (struct plm_patch){.ops = plm_tree_list(), .work = plm_tree_copy(object)};
	if (uid.size > 0) {
		plm_patch_test(patch, "/metadata/uid", plm_tree_string(uid));
	}
}

void plm_patch_fini(struct plm_patch *patch)
{
	cJSON_Delete(patch->ops);
	cJSON_Delete(patch->work);
	*patch = (struct plm_patch){0};
}

/* Put 'value' (owned, NULL = nothing) where 'step' of 'parent' says. */
static void place(cJSON *parent, const char *step, cJSON *value)
{
	PLM_ASSERT(cJSON_IsObject(parent));
	if (value != NULL) {
		plm_tree_put(parent, plm_slice_str(step), value);
	} else {
		cJSON_DeleteItemFromObjectCaseSensitive(parent, step);
	}
}

/* The map that 'pointer' ends in, made on the way where it is not there; 'step' is the last step. */
static cJSON *parent_of(struct plm_patch *patch, const char *pointer, char step[STEP_SIZE])
{
	const char *rest = next_step(pointer, step);
	cJSON *at = patch->work;

	while (*rest != '\0') {
		cJSON *next = step_into(at, step);

		if (next == NULL || cJSON_IsNull(next)) {
			char *here = terminated(plm_slice_of(pointer, (size_t)(rest - pointer)));

			plm_patch_test(patch, here, NULL);
			op(patch, "add", here, plm_tree_map());
			next = plm_tree_map();
			place(at, step, next);
			free(here);
		}
		at = next;
		rest = next_step(rest, step);
	}
	return at;
}

void plm_patch_set(struct plm_patch *patch, const char *pointer, cJSON *value)
{
	char step[STEP_SIZE];
	const cJSON *had = plm_tree_pointer(patch->work, pointer);
	cJSON *parent = NULL;

	if ((had == NULL && value == NULL) ||
	    (had != NULL && value != NULL && cJSON_Compare(had, value, true))) {
		cJSON_Delete(value);
		return;
	}
	patch->changes = true;
	parent = parent_of(patch, pointer, step);
	if (!cJSON_IsNumber(had) || plm_tree_whole(had, PLM_UNSET) != PLM_UNSET) {
		plm_patch_test(patch, pointer, plm_tree_copy(had));
	}
	op(patch, value == NULL ? "remove" : "add", pointer, plm_tree_copy(value));
	place(parent, step, value);
}

const char *plm_pointer(struct plm_arena *arena, const char *format, ...)
{
	char text[1024];
	va_list args;
	int size = 0;

	va_start(args, format);
	size = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	PLM_ASSERT(size >= 0 && (size_t)size < sizeof(text));
	return (const char *)plm_arena_copy(arena, plm_slice_of(text, (size_t)size + 1)).ptr;
}
