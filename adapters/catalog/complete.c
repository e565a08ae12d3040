#include "adapters/catalog/complete.h"

#include "adapters/catalog/labels.h"

/* Insert by bytes; what is there already stays single. */
void plm_catalog_put_text(struct plm_slice *list, size_t *count, struct plm_slice value)
{
	size_t at = *count;

	while (at > 0 && plm_slice_compare(list[at - 1], value) > 0) {
		at--;
	}
	if (at > 0 && plm_slice_equal(list[at - 1], value)) {
		return;
	}
	memmove(&list[at + 1], &list[at], (*count - at) * sizeof(*list));
	list[at] = value;
	*count += 1;
}

/* Insert by key; false: the key is there already. */
bool plm_catalog_put_expr(struct plm_w_expr *list, size_t *count, struct plm_w_expr expr)
{
	size_t at = *count;

	while (at > 0 && plm_slice_compare(list[at - 1].key, expr.key) > 0) {
		at--;
	}
	if (at > 0 && plm_slice_equal(list[at - 1].key, expr.key)) {
		return false;
	}
	memmove(&list[at + 1], &list[at], (*count - at) * sizeof(*list));
	list[at] = expr;
	*count += 1;
	return true;
}

static bool has_key(const struct plm_w_expr *list, size_t count, struct plm_slice key)
{
	for (size_t i = 0; i < count; i++) {
		if (plm_slice_equal(list[i].key, key)) {
			return true;
		}
	}
	return false;
}

/* ---- rules 1 and 2 ----------------------------------------------------------------------------- */

/* The value of 'key' that an offering has as a member of its own, or an empty one. */
static struct plm_slice place(const struct plm_w_offering *offering, struct plm_slice key)
{
	if (plm_slice_is(key, plm_catalog_labels[PLM_LABEL_ZONE])) {
		return offering->zone;
	}
	if (plm_slice_is(key, plm_catalog_labels[PLM_LABEL_CAPACITY_TYPE])) {
		return offering->capacity_type;
	}
	if (plm_slice_is(key, plm_catalog_labels[PLM_LABEL_CAPACITY_RESERVATION_ID])) {
		return offering->reservation;
	}
	return plm_slice_str("");
}

/* The values of 'key' that an offering requires beyond those. */
static struct plm_vec extra(const struct plm_w_offering *offering, struct plm_slice key)
{
	const struct plm_w_expr *exprs = offering->requirements.ptr;

	for (size_t i = 0; i < offering->requirements.count; i++) {
		if (plm_slice_equal(exprs[i].key, key) && exprs[i].op == PLM_OP_IN) {
			return exprs[i].values;
		}
	}
	return (struct plm_vec){0};
}

/* Rule 1: 'key' becomes In, the union of the values over all offerings, available or not. */
static void add_union(struct plm_arena *arena, struct plm_vec offerings, struct plm_slice key,
		      struct plm_w_expr *list, size_t *count)
{
	const struct plm_w_offering *all = offerings.ptr;
	struct plm_w_expr expr = {.key = key, .op = PLM_OP_IN, .min_values = PLM_UNSET};
	struct plm_slice *values = NULL;
	size_t room = 0;

	for (size_t i = 0; i < offerings.count; i++) {
		room += extra(&all[i], key).count + (place(&all[i], key).size > 0 ? 1 : 0);
	}
	values = PLM_NEW_ARRAY(arena, room, struct plm_slice);
	for (size_t i = 0; i < offerings.count; i++) {
		struct plm_slice value = place(&all[i], key);
		struct plm_vec more = extra(&all[i], key);
		const struct plm_slice *texts = more.ptr;

		if (value.size > 0) {
			plm_catalog_put_text(values, &expr.values.count, value);
		}
		for (size_t j = 0; j < more.count; j++) {
			plm_catalog_put_text(values, &expr.values.count, texts[j]);
		}
	}
	expr.values.ptr = values;
	if (expr.values.count > 0) {
		(void)plm_catalog_put_expr(list, count, expr);
	}
}

void plm_catalog_add_unions(struct plm_arena *arena, struct plm_vec offerings,
			    struct plm_w_expr *list, size_t *count)
{
	static const enum plm_catalog_label places[] = {PLM_LABEL_ZONE, PLM_LABEL_CAPACITY_TYPE,
							PLM_LABEL_CAPACITY_RESERVATION_ID};
	const struct plm_w_offering *all = offerings.ptr;

	for (size_t i = 0; i < PLM_COUNTOF(places); i++) {
		struct plm_slice key = plm_slice_str(plm_catalog_labels[places[i]]);

		if (!has_key(list, *count, key)) {
			add_union(arena, offerings, key, list, count);
		}
	}
	for (size_t i = 0; i < offerings.count; i++) {
		const struct plm_w_expr *exprs = all[i].requirements.ptr;

		for (size_t j = 0; j < all[i].requirements.count; j++) {
			if (!has_key(list, *count, exprs[j].key)) {
				add_union(arena, offerings, exprs[j].key, list, count);
			}
		}
	}
}

void plm_catalog_add_absent(struct plm_w_expr *list, size_t *count)
{
	for (size_t i = 0; i < PLM_LABEL_COUNT; i++) {
		(void)plm_catalog_put_expr(list, count,
					   (struct plm_w_expr){
						   .key = plm_slice_str(plm_catalog_labels[i]),
						   .op = PLM_OP_DOES_NOT_EXIST,
						   .min_values = PLM_UNSET,
					   });
	}
}
