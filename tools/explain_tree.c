#include "tools/explain_tree.h"

#include "reducers/status/render.h"
#include "tools/spell.h"

static void put_amount(struct plm_json *row, const char *key, struct plm_slice resource,
		       int64_t amount)
{
	bool price = plm_slice_is(resource, "priceMicroUSDPerHour");
	struct plm_json *value = plm_spell_value(
		row->arena, price ? PLM_SPELL_PLAIN : PLM_SPELL_AMOUNT, amount, resource);

	if (value != NULL) {
		plm_json_put(row, key, value);
	}
}

static struct plm_json *candidate_tree(struct plm_arena *arena,
				       const struct plm_w_candidate *candidate)
{
	struct plm_json *row = plm_json_object(arena);

	plm_json_put_text(row, "candidate", plm_arena_copy(arena, candidate->candidate));
	plm_json_put_str(row, "outcome", plm_render_outcome((enum plm_rule)candidate->rule));
	plm_json_put_str(row, "rule", plm_names_text(&plm_names_rule, candidate->rule));
	plm_json_put_some(row, "resource", plm_arena_copy(arena, candidate->resource));
	put_amount(row, "need", candidate->resource, candidate->need);
	put_amount(row, "have", candidate->resource, candidate->have);
	if (candidate->need != PLM_UNSET && candidate->have != PLM_UNSET) {
		put_amount(row, "short", candidate->resource,
			   plm_max(0, plm_sub_sat(candidate->need, candidate->have)));
	}
	plm_json_put_some(row, "detail", plm_render_candidate(arena, candidate));
	return row;
}

struct plm_json *plm_considered_tree(struct plm_arena *arena, const struct plm_w_explain *why)
{
	const struct plm_w_candidate *candidates = why->considered.ptr;
	struct plm_json *list = plm_json_list(arena);

	for (size_t i = 0; i < why->considered.count; i++) {
		plm_json_add(list, candidate_tree(arena, &candidates[i]));
	}
	return list;
}

static void add_once(struct plm_json *list, struct plm_slice text)
{
	if (text.size == 0) {
		return;
	}
	for (size_t i = 0; i < list->count; i++) {
		if (plm_slice_equal(list->items[i]->text, text)) {
			return;
		}
	}
	plm_json_add_text(list, text);
}

static int64_t amount_of(const struct plm_state *st, plm_sym span, plm_sym resource)
{
	uint32_t count = 0;
	const struct plm_amount *rows = PLM_SPAN(st, span, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(rows[i].resource, resource)) {
			return rows[i].amount;
		}
	}
	return 0;
}

static int64_t least_price(const struct plm_state *st, const struct plm_instance_type *type)
{
	uint32_t count = 0;
	const struct plm_offering *rows =
		PLM_SPAN(st, type->offerings, struct plm_offering, &count);
	int64_t least = PLM_UNSET;

	for (uint32_t i = 0; i < count; i++) {
		bool lower = least == PLM_UNSET || rows[i].price_micro < least;

		if (rows[i].price_micro != PLM_UNSET && rows[i].available == 1 && lower &&
		    !plm_sym_is(st, rows[i].capacity_type, "spot")) {
			least = rows[i].price_micro;
		}
	}
	return least;
}

/* The cheapest type with enough of the resource: which change would be the smallest. */
static struct plm_slice large_enough(struct plm_arena *arena, const struct plm_state *st,
				     const struct plm_w_candidate *candidate)
{
	plm_sym resource = plm_sym_find(st, candidate->resource);
	const struct plm_instance_type *best = NULL;
	struct plm_slice text;
	struct plm_slice price;
	int64_t least = PLM_UNSET;

	PLM_EACH(st, instance_type, id)
	{
		const struct plm_instance_type *type = plm_instance_type_at(st, id);
		int64_t at = least_price(st, type);

		if (at != PLM_UNSET && (least == PLM_UNSET || at < least) &&
		    amount_of(st, type->allocatable, resource) >= candidate->need) {
			best = type;
			least = at;
		}
	}
	if (best == NULL) {
		return (struct plm_slice){0};
	}
	text = plm_render_candidate_unblock(arena, candidate);
	price = plm_spell_price(arena, least);
	return plm_arena_format(arena, "%.*s; the cheapest there is: %.*s at %.*s", (int)text.size,
				(const char *)text.ptr, (int)plm_str(st, best->name).size,
				(const char *)plm_str(st, best->name).ptr, (int)price.size,
				(const char *)price.ptr);
}

/* Is the candidate the one that the record itself is about? The record knows more of it. */
static bool binds(const struct plm_w_explain *why, const struct plm_w_candidate *candidate)
{
	return why->rule == candidate->rule &&
	       plm_slice_equal(why->resource, candidate->resource) &&
	       (plm_slice_equal(why->flavor, candidate->candidate) ||
		plm_slice_equal(why->object, candidate->candidate));
}

/* One text per option: changes that must come together are told together. */
static void add_lifts(struct plm_json *list, const struct plm_lifts *lifts)
{
	struct plm_slice text = {0};

	for (uint32_t i = 0; i < lifts->count; i++) {
		struct plm_slice one = plm_render_lift(list->arena, &lifts->list[i]);
		bool last =
			i + 1 == lifts->count || lifts->list[i + 1].option != lifts->list[i].option;

		text = text.size == 0 ? one
				      : plm_arena_format(list->arena, "%.*s; %.*s", (int)text.size,
							 (const char *)text.ptr, (int)one.size,
							 (const char *)one.ptr);
		if (last) {
			add_once(list, text);
			text = (struct plm_slice){0};
		}
	}
}

static void put_lift_amount(struct plm_json *row, const struct plm_lift *lift)
{
	if (lift->amount == PLM_UNSET) {
		return;
	}
	if (lift->action == PLM_LIFT_WAIT) {
		plm_json_put_text(row, "until", plm_spell_time(row->arena, lift->amount));
	} else if (lift->resource.size > 0) {
		put_amount(row, "by", lift->resource, lift->amount);
	} else {
		plm_json_put_int(row, "by", lift->amount);
	}
}

static struct plm_json *lift_tree(struct plm_arena *arena, const struct plm_lift *lift)
{
	struct plm_json *row = plm_json_object(arena);

	plm_json_put_str(row, "action", plm_lift_action_text(lift->action));
	plm_json_put_int(row, "option", lift->option);
	plm_json_put_str(row, "kind", plm_names_text(&plm_names_kind, lift->kind));
	plm_json_put_some(row, "namespace", plm_arena_copy(arena, lift->ns));
	plm_json_put_some(row, "name", plm_arena_copy(arena, lift->name));
	plm_json_put_some(row, "flavor", plm_arena_copy(arena, lift->flavor));
	plm_json_put_some(row, "resource", plm_arena_copy(arena, lift->resource));
	plm_json_put_some(row, "key", plm_arena_copy(arena, lift->key));
	plm_json_put_some(row, "value", plm_arena_copy(arena, lift->value));
	plm_json_put_some(row, "effect", plm_arena_copy(arena, lift->effect));
	put_lift_amount(row, lift);
	return row;
}

struct plm_json *plm_actions_tree(struct plm_arena *arena, const struct plm_lifts *lifts)
{
	struct plm_json *list = plm_json_list(arena);

	for (uint32_t i = 0; i < lifts->count; i++) {
		plm_json_add(list, lift_tree(arena, &lifts->list[i]));
	}
	return list;
}

struct plm_json *plm_unblock_tree(struct plm_arena *arena, const struct plm_state *st,
				  const struct plm_lifts *lifts, const struct plm_w_explain *why)
{
	const struct plm_w_candidate *candidates = why->considered.ptr;
	struct plm_json *list = plm_json_list(arena);

	if (lifts != NULL) {
		add_lifts(list, lifts);
	}
	if (list->count > 0) {
		return list;
	}
	for (size_t i = 0; i < why->considered.count; i++) {
		struct plm_slice text = {0};

		if (st != NULL && candidates[i].rule == PLM_RULE_RESOURCES) {
			text = large_enough(arena, st, &candidates[i]);
		} else if (binds(why, &candidates[i])) {
			text = plm_render_unblock(arena, why);
		}
		add_once(list, text.size > 0 ? text
					     : plm_render_candidate_unblock(arena, &candidates[i]));
	}
	if (list->count == 0) { /* none of them is what decided */
		add_once(list, plm_render_unblock(arena, why));
	}
	return list;
}

struct plm_json *plm_binding_tree(struct plm_arena *arena, const struct plm_w_explain *why)
{
	struct plm_json *row = plm_json_object(arena);

	plm_json_put_some(row, "object", plm_arena_copy(arena, why->object));
	plm_json_put_some(row, "flavor", plm_arena_copy(arena, why->flavor));
	plm_json_put_some(row, "resource", plm_arena_copy(arena, why->resource));
	plm_json_put_some(row, "detail", plm_arena_copy(arena, why->detail));
	put_amount(row, "need", why->resource, why->need);
	put_amount(row, "have", why->resource, why->have);
	put_amount(row, "limit", why->resource, why->limit);
	return row;
}

struct plm_json *plm_funnel_tree(struct plm_arena *arena, const struct plm_w_explain *why)
{
	const struct plm_w_step *steps = why->funnel.ptr;
	struct plm_json *list = plm_json_list(arena);
	struct plm_json *of_pool = NULL;

	for (size_t i = 0; i < why->funnel.count; i++) {
		struct plm_json *row = plm_json_object(arena);

		if (i == 0 || !plm_slice_equal(steps[i].pool, steps[i - 1].pool)) {
			struct plm_json *pool = plm_json_object(arena);

			of_pool = plm_json_list(arena);
			plm_json_put_text(pool, "nodePool", plm_arena_copy(arena, steps[i].pool));
			plm_json_put(pool, "steps", of_pool);
			plm_json_add(list, pool);
		}
		plm_json_put_str(row, "rule", plm_names_text(&plm_names_rule, steps[i].rule));
		plm_json_put_int(row, "left", steps[i].left);
		plm_json_put_some(row, "subject", plm_arena_copy(arena, steps[i].subject));
		put_amount(row, "need", steps[i].subject, steps[i].need);
		put_amount(row, "have", steps[i].subject, steps[i].have);
		plm_json_put_some(row, "detail", plm_arena_copy(arena, steps[i].detail));
		plm_json_add(of_pool, row);
	}
	return list;
}
