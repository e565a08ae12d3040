#include "adapters/catalog/read_json.h"

#include <stdio.h>

#include "core/limits.h"
#include "core/quantity.h"

/* Above this a number of the JSON reader is no longer exact. */
#define NUMBER_DIGITS 15

enum plm_code plm_read_fail(struct plm_reader *in, const char *field, const char *what)
{
	const char *dot = in->path[0] == '\0' || field[0] == '\0' ? "" : ": ";

	return plm_fail(in->err, PLM_E_INPUT, "%s: %s%s%s: %s", in->file, in->path, dot, field,
			what);
}

enum plm_code plm_read_fail_at(struct plm_reader *in, struct plm_slice text, const char *at,
			       const char *what)
{
	const char *start = (const char *)text.ptr;
	size_t line = 1;
	size_t column = 1;

	for (const char *c = start; c < at && c < start + text.size; c++) {
		column = *c == '\n' ? 1 : column + 1;
		line += *c == '\n' ? 1 : 0;
	}
	return plm_fail(in->err, PLM_E_INPUT, "%s:%zu:%zu: %s", in->file, line, column, what);
}

/* ---- JSON values ------------------------------------------------------------------------------- */

/* 'item' is an object that has no field outside 'allowed' (ends with NULL) and none twice. */
enum plm_code plm_read_object(struct plm_reader *in, const cJSON *item, const char *field,
			      const char *const *allowed)
{
	const cJSON *child = NULL;
	uint64_t seen = 0;

	if (!cJSON_IsObject(item)) {
		return plm_read_fail(in, field, item == NULL ? "is missing" : "is not an object");
	}
	cJSON_ArrayForEach(child, item)
	{
		uint32_t i = 0;

		while (allowed[i] != NULL && strcmp(allowed[i], child->string) != 0) {
			i++;
		}
		if (allowed[i] == NULL) {
			return plm_read_fail(in, child->string,
					     "is no field of the catalogue format");
		}
		if ((seen >> i & 1U) != 0) {
			return plm_read_fail(in, child->string, "stands there twice");
		}
		seen |= 1ULL << i;
	}
	return PLM_OK;
}

const cJSON *plm_read_get(const cJSON *object, const char *field)
{
	return cJSON_GetObjectItemCaseSensitive(object, field);
}

static enum plm_code within_limit(struct plm_reader *in, const cJSON *item, const char *field,
				  size_t *out)
{
	int size = cJSON_GetArraySize(item);

	if (size > PLM_LIMIT_CATALOG_LIST) {
		return plm_read_fail(in, field, "has more entries than PLM_LIMIT_CATALOG_LIST");
	}
	*out = (size_t)size;
	return PLM_OK;
}

enum plm_code plm_read_list(struct plm_reader *in, const cJSON *item, const char *field,
			    size_t *out)
{
	if (item != NULL && !cJSON_IsArray(item)) {
		return plm_read_fail(in, field, "is not a list");
	}
	return within_limit(in, item, field, out);
}

enum plm_code plm_read_text(struct plm_reader *in, const cJSON *item, const char *field,
			    struct plm_slice *out)
{
	if (!cJSON_IsString(item)) {
		return plm_read_fail(in, field, item == NULL ? "is missing" : "is not a text");
	}
	*out = plm_arena_copy(in->arena, plm_slice_str(item->valuestring));
	return PLM_OK;
}

/* A whole number from 0; absent gives PLM_UNSET. */
enum plm_code plm_read_count(struct plm_reader *in, const cJSON *item, const char *field,
			     int64_t *out)
{
	char digits[64] = {0};
	int64_t value = 0;

	if (item == NULL) {
		*out = PLM_UNSET;
		return PLM_OK;
	}
	if (!cJSON_IsNumber(item) ||
	    !cJSON_PrintPreallocated((cJSON *)(uintptr_t)item, digits, sizeof(digits), false) ||
	    strlen(digits) > NUMBER_DIGITS) {
		return plm_read_fail(in, field, "is not a whole number from 0 to 10^15");
	}
	for (const char *c = digits; *c != '\0'; c++) {
		if (*c < '0' || *c > '9') {
			return plm_read_fail(in, field, "is not a whole number from 0 to 10^15");
		}
		value = value * 10 + (*c - '0');
	}
	*out = value;
	return PLM_OK;
}

/* ---- amounts ----------------------------------------------------------------------------------- */

static enum plm_code read_quantity(struct plm_reader *in, const cJSON *item, int64_t *out)
{
	struct plm_slice resource = plm_slice_str(item->string);
	char number[64] = {0};
	const char *text = item->valuestring;

	if (cJSON_IsNumber(item) &&
	    cJSON_PrintPreallocated((cJSON *)(uintptr_t)item, number, sizeof(number), false)) {
		text = number;
	}
	if (text == NULL) {
		return plm_read_fail(in, item->string, "is not a quantity");
	}
	if (plm_quantity_parse(plm_slice_str(text), plm_resource_scale(resource), out, in->err) !=
	    PLM_OK) {
		return plm_fail_prefix(in->err, PLM_E_INPUT, "%s: %s: %s", in->file, in->path,
				       item->string);
	}
	return PLM_OK;
}

/* Insert by name; false: it is there already. */
static bool put_amount(struct plm_w_amount *list, size_t *count, struct plm_w_amount amount)
{
	size_t at = *count;

	while (at > 0 && plm_slice_compare(list[at - 1].resource, amount.resource) > 0) {
		at--;
	}
	if (at > 0 && plm_slice_equal(list[at - 1].resource, amount.resource)) {
		return false;
	}
	memmove(&list[at + 1], &list[at], (*count - at) * sizeof(*list));
	list[at] = amount;
	*count += 1;
	return true;
}

/* A map of resource to quantity; absent is empty. */
enum plm_code plm_read_amounts(struct plm_reader *in, const cJSON *item, const char *field,
			       struct plm_vec *out)
{
	struct plm_w_amount *list = NULL;
	const cJSON *child = NULL;
	size_t count = 0;
	size_t room = 0;
	enum plm_code code = PLM_OK;

	if (item == NULL) {
		*out = (struct plm_vec){0};
		return PLM_OK;
	}
	if (!cJSON_IsObject(item)) {
		return plm_read_fail(in, field, "is not a map of resource to quantity");
	}
	code = within_limit(in, item, field, &room);
	if (code != PLM_OK) {
		return code;
	}
	list = PLM_NEW_ARRAY(in->arena, room, struct plm_w_amount);
	cJSON_ArrayForEach(child, item)
	{
		struct plm_w_amount amount = {0};

		code = read_quantity(in, child, &amount.amount);
		if (code != PLM_OK) {
			return code;
		}
		amount.resource = plm_arena_copy(in->arena, plm_slice_str(child->string));
		if (!put_amount(list, &count, amount)) {
			return plm_read_fail(in, child->string, "stands there twice");
		}
	}
	*out = (struct plm_vec){.ptr = list, .count = count};
	return PLM_OK;
}
