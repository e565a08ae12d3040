#include "adapters/catalog/catalog.h"

#include <stdio.h>

#include "adapters/catalog/complete.h"
#include "adapters/catalog/labels.h"
#include "adapters/catalog/read_json.h"
#include "core/sort.h"

PLM_DEFINE_CLEANUP(cJSON *, cJSON_Delete)

/* ---- capacity ---------------------------------------------------------------------------------- */

/* Take 'part' off 'from'; a resource that is not there stays away, as in Karpenter. */
static void subtract(struct plm_w_amount *from, size_t count, struct plm_vec part)
{
	const struct plm_w_amount *amounts = part.ptr;

	for (size_t i = 0; i < part.count; i++) {
		for (size_t j = 0; j < count; j++) {
			if (plm_slice_equal(from[j].resource, amounts[i].resource)) {
				from[j].amount = plm_sub_sat(from[j].amount, amounts[i].amount);
			}
		}
	}
}

static enum plm_code read_capacity(struct plm_reader *in, const cJSON *item,
				   struct plm_w_instance_type *out)
{
	static const char *const parts[] = {"kubeReserved", "systemReserved", "evictionThreshold",
					    NULL};
	const cJSON *overhead = plm_read_get(item, "overhead");
	struct plm_w_amount *left = NULL;
	enum plm_code code =
		plm_read_amounts(in, plm_read_get(item, "capacity"), "capacity", &out->capacity);

	if (code == PLM_OK && plm_read_get(item, "capacity") == NULL) {
		code = plm_read_fail(in, "capacity", "is missing");
	}
	if (code == PLM_OK && overhead != NULL) {
		code = plm_read_object(in, overhead, "overhead", parts);
	}
	if (code != PLM_OK) {
		return code;
	}
	left = PLM_NEW_ARRAY(in->arena, out->capacity.count, struct plm_w_amount);
	if (out->capacity.count > 0) {
		memcpy(left, out->capacity.ptr, out->capacity.count * sizeof(*left));
	}
	for (size_t i = 0; parts[i] != NULL; i++) {
		struct plm_vec part = {0};

		code = plm_read_amounts(in, plm_read_get(overhead, parts[i]), parts[i], &part);
		if (code != PLM_OK) {
			return code;
		}
		subtract(left, out->capacity.count, part);
	}
	out->allocatable = (struct plm_vec){.ptr = left, .count = out->capacity.count};
	return PLM_OK;
}

/* ---- requirements ------------------------------------------------------------------------------ */

static enum plm_code read_values(struct plm_reader *in, const cJSON *item, struct plm_w_expr *out)
{
	bool wants = out->op == PLM_OP_IN || out->op == PLM_OP_NOT_IN;
	struct plm_slice *list = NULL;
	const cJSON *child = NULL;
	size_t count = 0;
	size_t room = 0;
	enum plm_code code = plm_read_list(in, item, "values", &room);

	if (code != PLM_OK) {
		return code;
	}
	if (wants != (room > 0)) {
		return plm_read_fail(in, "values",
				     wants ? "is empty, but In and NotIn need values"
					   : "is given, but Exists and DoesNotExist have none");
	}
	list = PLM_NEW_ARRAY(in->arena, room, struct plm_slice);
	cJSON_ArrayForEach(child, item)
	{
		struct plm_slice value = {0};

		code = plm_read_text(in, child, "values", &value);
		if (code != PLM_OK) {
			return code;
		}
		plm_catalog_put_text(list, &count, value);
	}
	out->values = (struct plm_vec){.ptr = list, .count = count};
	return PLM_OK;
}

static enum plm_code read_expr(struct plm_reader *in, const cJSON *item, struct plm_w_expr *out)
{
	static const char *const allowed[] = {"key", "operator", "values", NULL};
	struct plm_slice op = {0};
	enum plm_code code = plm_read_object(in, item, "requirements", allowed);

	if (code == PLM_OK) {
		code = plm_read_text(in, plm_read_get(item, "key"), "key", &out->key);
	}
	if (code == PLM_OK) {
		code = plm_read_text(in, plm_read_get(item, "operator"), "operator", &op);
	}
	if (code != PLM_OK) {
		return code;
	}
	out->min_values = PLM_UNSET;
	out->op = plm_names_find(&plm_names_op, op);
	if (out->op != PLM_OP_IN && out->op != PLM_OP_NOT_IN && out->op != PLM_OP_EXISTS &&
	    out->op != PLM_OP_DOES_NOT_EXIST) {
		return plm_read_fail(in, "operator", "is none of In, NotIn, Exists, DoesNotExist");
	}
	return read_values(in, plm_read_get(item, "values"), out);
}

/* A list of requirements, sorted by key. */
static enum plm_code read_exprs(struct plm_reader *in, const cJSON *item,
				struct plm_w_expr **out_list, size_t *out_count)
{
	struct plm_w_expr *list = NULL;
	const cJSON *child = NULL;
	size_t count = 0;
	size_t room = 0;
	enum plm_code code = plm_read_list(in, item, "requirements", &room);

	if (code != PLM_OK) {
		return code;
	}
	list = PLM_NEW_ARRAY(in->arena, room, struct plm_w_expr);
	cJSON_ArrayForEach(child, item)
	{
		struct plm_w_expr expr = {0};

		code = read_expr(in, child, &expr);
		if (code != PLM_OK) {
			return code;
		}
		if (!plm_catalog_put_expr(list, &count, expr)) {
			return plm_read_fail(in, "requirements", "names a key twice");
		}
	}
	*out_list = list;
	*out_count = count;
	return PLM_OK;
}

/* ---- offerings --------------------------------------------------------------------------------- */

/* Take the one value of 'label' out of the list into 'out'; it stays empty when there is none. */
static enum plm_code take_one(struct plm_reader *in, struct plm_w_expr *list, size_t *count,
			      enum plm_catalog_label label, struct plm_slice *out)
{
	for (size_t i = 0; i < *count; i++) {
		const struct plm_slice *values = list[i].values.ptr;

		if (!plm_slice_is(list[i].key, plm_catalog_labels[label])) {
			continue;
		}
		if (list[i].op != PLM_OP_IN || list[i].values.count != 1) {
			return plm_read_fail(
				in, plm_catalog_labels[label],
				"is not one value: an offering has one zone, one capacity type "
				"and at most one reservation");
		}
		*out = values[0];
		memmove(&list[i], &list[i + 1], (*count - i - 1) * sizeof(*list));
		*count -= 1;
		return PLM_OK;
	}
	return PLM_OK;
}

static enum plm_code read_available(struct plm_reader *in, const cJSON *item, int64_t *out)
{
	if (item != NULL && !cJSON_IsBool(item)) {
		return plm_read_fail(in, "available", "is neither true nor false");
	}
	*out = item == NULL || cJSON_IsTrue(item) ? 1 : 0;
	return PLM_OK;
}

static enum plm_code read_places(struct plm_reader *in, const cJSON *item,
				 struct plm_w_offering *out)
{
	struct plm_w_expr *list = NULL;
	size_t count = 0;
	enum plm_code code = read_exprs(in, plm_read_get(item, "requirements"), &list, &count);

	if (code == PLM_OK) {
		code = take_one(in, list, &count, PLM_LABEL_ZONE, &out->zone);
	}
	if (code == PLM_OK) {
		code = take_one(in, list, &count, PLM_LABEL_CAPACITY_TYPE, &out->capacity_type);
	}
	if (code == PLM_OK) {
		code = take_one(in, list, &count, PLM_LABEL_CAPACITY_RESERVATION_ID,
				&out->reservation);
	}
	if (code == PLM_OK && (out->zone.size == 0 || out->capacity_type.size == 0)) {
		code = plm_read_fail(in, "requirements", "names no zone or no capacity type");
	}
	out->requirements = (struct plm_vec){.ptr = list, .count = count};
	return code;
}

static enum plm_code read_offering(struct plm_reader *in, const cJSON *item,
				   struct plm_w_offering *out)
{
	static const char *const allowed[] = {"requirements", "priceMicroUSDPerHour", "available",
					      "reservationCapacity", NULL};
	enum plm_code code = plm_read_object(in, item, "", allowed);

	if (code == PLM_OK) {
		code = read_places(in, item, out);
	}
	if (code == PLM_OK) {
		code = plm_read_count(in, plm_read_get(item, "priceMicroUSDPerHour"),
				      "priceMicroUSDPerHour", &out->price_micro);
	}
	if (code == PLM_OK) {
		code = plm_read_count(in, plm_read_get(item, "reservationCapacity"),
				      "reservationCapacity", &out->reserved_left);
	}
	if (code == PLM_OK) {
		code = read_available(in, plm_read_get(item, "available"), &out->available);
	}
	return code;
}

static enum plm_code read_offerings(struct plm_reader *in, const cJSON *item, struct plm_vec *out)
{
	struct plm_w_offering *list = NULL;
	const cJSON *child = NULL;
	size_t prefix = strlen(in->path);
	size_t count = 0;
	size_t room = 0;
	enum plm_code code = plm_read_list(in, item, "offerings", &room);

	if (code == PLM_OK && item == NULL) {
		code = plm_read_fail(in, "offerings", "is missing");
	}
	if (code != PLM_OK) {
		return code;
	}
	list = PLM_NEW_ARRAY(in->arena, room, struct plm_w_offering);
	cJSON_ArrayForEach(child, item)
	{
		(void)snprintf(in->path + prefix, sizeof(in->path) - prefix, ": offerings[%zu]",
			       count);
		code = read_offering(in, child, &list[count++]);
		if (code != PLM_OK) {
			return code;
		}
	}
	in->path[prefix] = '\0';
	*out = (struct plm_vec){.ptr = list, .count = count};
	return PLM_OK;
}

/* All that the type requires: what the file says, its name, rule 1, rule 2. */
static enum plm_code read_requirements(struct plm_reader *in, const cJSON *item,
				       struct plm_w_instance_type *out)
{
	const struct plm_w_offering *all = out->offerings.ptr;
	struct plm_slice *name = PLM_NEW(in->arena, struct plm_slice);
	struct plm_w_expr *given = NULL;
	struct plm_w_expr *list = NULL;
	size_t count = 0;
	size_t room = PLM_LABEL_COUNT;
	enum plm_code code = read_exprs(in, item, &given, &count);

	if (code != PLM_OK) {
		return code;
	}
	room += count;
	for (size_t i = 0; i < out->offerings.count; i++) {
		room += all[i].requirements.count;
	}
	list = PLM_NEW_ARRAY(in->arena, room, struct plm_w_expr);
	if (count > 0) {
		memcpy(list, given, count * sizeof(*list));
	}
	*name = out->name;
	(void)plm_catalog_put_expr(
		list, &count,
		(struct plm_w_expr){
			.key = plm_slice_str(plm_catalog_labels[PLM_LABEL_INSTANCE_TYPE]),
			.op = PLM_OP_IN,
			.values = {.ptr = name, .count = 1},
			.min_values = PLM_UNSET,
		});
	plm_catalog_add_unions(in->arena, out->offerings, list, &count);
	plm_catalog_add_absent(list, &count);
	out->requirements = (struct plm_vec){.ptr = list, .count = count};
	return PLM_OK;
}

/* ---- types and the file ------------------------------------------------------------------------ */

static enum plm_code read_type(struct plm_reader *in, const cJSON *item,
			       struct plm_w_instance_type *out)
{
	static const char *const allowed[] = {"name",	  "requirements", "capacity",
					      "overhead", "offerings",	  NULL};
	enum plm_code code = plm_read_object(in, item, "", allowed);

	if (code == PLM_OK) {
		code = plm_read_text(in, plm_read_get(item, "name"), "name", &out->name);
	}
	if (code == PLM_OK && out->name.size == 0) {
		code = plm_read_fail(in, "name", "is empty");
	}
	if (code != PLM_OK) {
		return code;
	}
	(void)snprintf(in->path, sizeof(in->path), "%.*s",
		       (int)plm_min((int64_t)out->name.size, 100), (const char *)out->name.ptr);
	code = read_capacity(in, item, out);
	if (code == PLM_OK) {
		code = read_offerings(in, plm_read_get(item, "offerings"), &out->offerings);
	}
	if (code == PLM_OK) {
		code = read_requirements(in, plm_read_get(item, "requirements"), out);
	}
	return code;
}

static int by_name(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_w_instance_type *types = context;
	int order = plm_slice_compare(types[a].name, types[b].name);

	return order != 0 ? order : (a > b) - (a < b);
}

/* The types by name; a name that stands there twice is refused. */
static enum plm_code sort_types(struct plm_reader *in, const struct plm_w_instance_type *types,
				size_t count, struct plm_vec *out)
{
	struct plm_w_instance_type *sorted =
		PLM_NEW_ARRAY(in->arena, count, struct plm_w_instance_type);
	uint32_t *order = PLM_NEW_ARRAY(in->arena, count, uint32_t);

	for (size_t i = 0; i < count; i++) {
		order[i] = (uint32_t)i;
	}
	plm_sort(order, count, by_name, types, in->arena);
	for (size_t i = 0; i < count; i++) {
		sorted[i] = types[order[i]];
		if (i > 0 && plm_slice_equal(sorted[i - 1].name, sorted[i].name)) {
			(void)snprintf(in->path, sizeof(in->path), "instanceTypes[%u] and [%u]",
				       order[i - 1], order[i]);
			return plm_read_fail(in, "name", "is the same");
		}
	}
	*out = (struct plm_vec){.ptr = sorted, .count = count};
	return PLM_OK;
}

static enum plm_code read_types(struct plm_reader *in, const cJSON *item, struct plm_vec *out)
{
	struct plm_w_instance_type *types = NULL;
	const cJSON *child = NULL;
	size_t count = 0;

	if (!cJSON_IsArray(item)) {
		return plm_read_fail(in, "instanceTypes",
				     item == NULL ? "is missing" : "is not a list");
	}
	types = PLM_NEW_ARRAY(in->arena, (size_t)cJSON_GetArraySize(item),
			      struct plm_w_instance_type);
	cJSON_ArrayForEach(child, item)
	{
		enum plm_code code = PLM_OK;

		(void)snprintf(in->path, sizeof(in->path), "instanceTypes[%zu]", count);
		code = read_type(in, child, &types[count++]);
		if (code != PLM_OK) {
			return code;
		}
	}
	in->path[0] = '\0';
	return sort_types(in, types, count, out);
}

/* "apiVersion" and "kind" say that this is a catalogue and not something else. */
static enum plm_code read_kind(struct plm_reader *in, const cJSON *document)
{
	static const char *const allowed[] = {"apiVersion", "kind", "instanceTypes", NULL};
	const cJSON *version = plm_read_get(document, "apiVersion");
	const cJSON *kind = plm_read_get(document, "kind");

	if (!cJSON_IsString(version) ||
	    strcmp(version->valuestring, "plimsoll.dev/v1alpha1") != 0) {
		return plm_read_fail(in, "apiVersion", "is not plimsoll.dev/v1alpha1");
	}
	if (!cJSON_IsString(kind) || strcmp(kind->valuestring, "Catalog") != 0) {
		return plm_read_fail(in, "kind", "is not Catalog");
	}
	return plm_read_object(in, document, "", allowed);
}

size_t plm_catalog_room(size_t file_size)
{
	/*
	 * What grows most is the smallest type, {"name":"a","capacity":{},"offerings":[]}: its 43
	 * bytes become a requirement for every well-known label and two type structs.
	 */
	size_t smallest = 43;
	size_t type = (PLM_LABEL_COUNT + 2) * sizeof(struct plm_w_expr) +
		      4 * sizeof(struct plm_w_instance_type);

	return file_size / smallest * type + file_size * 16 + 4096;
}

enum plm_code plm_catalog_read(struct plm_slice text, const char *name, struct plm_arena *arena,
			       struct plm_w_catalog *out, struct plm_error *err)
{
	struct plm_reader in = {.file = name, .arena = arena, .err = err};
	const char *start = (const char *)text.ptr;
	const char *end = start;
	PLM_CLEANUP(cJSON_Delete) cJSON *document = NULL;
	struct plm_vec types = {0};
	enum plm_code code = PLM_OK;

	if (arena->capacity - arena->used < plm_catalog_room(text.size)) {
		return plm_fail(err, PLM_E_LIMIT, "%s: %zu bytes are more than there is room for",
				name, text.size);
	}
	document = cJSON_ParseWithLengthOpts(start, text.size, &end, false);
	if (document == NULL) {
		return plm_read_fail_at(&in, text, end, "is not JSON from here on");
	}
	while (end < start + text.size && strchr(" \t\r\n", *end) != NULL && *end != '\0') {
		end++;
	}
	if (end < start + text.size) {
		return plm_read_fail_at(&in, text, end, "something follows the document");
	}
	code = read_kind(&in, document);
	if (code == PLM_OK) {
		code = read_types(&in, plm_read_get(document, "instanceTypes"), &types);
	}
	if (code == PLM_OK) {
		*out = (struct plm_w_catalog){
			.source = plm_arena_copy(arena, plm_slice_str(name)),
			.types = types,
		};
	}
	return code;
}
