#include "adapters/ec2/classes_form.h"

#include "adapters/ec2/query.h"
#include "adapters/ec2/text.h"

/* ---- terms --------------------------------------------------------------------------------------- */

static void filter_tags(struct plm_query *query, struct plm_vec tags, struct plm_arena *arena)
{
	const struct plm_w_kv *list = tags.ptr;

	for (size_t i = 0; i < tags.count; i++) {
		if (plm_slice_is(list[i].value, "*")) {
			plm_query_filter_one(query, "tag-key", list[i].key);
		} else {
			struct plm_slice name =
				plm_arena_format(arena, "tag:%.*s", (int)list[i].key.size,
						 (const char *)list[i].key.ptr);

			plm_query_filter_one(query, (const char *)name.ptr, list[i].value);
		}
	}
}

static void add(struct plm_ec2_forms *forms, const struct plm_query *query)
{
	forms->list[forms->count++] = plm_query_form(query);
}

/* Sorted, each once, in place. */
static size_t make_single(struct plm_slice *list, size_t count)
{
	size_t left = 0;

	for (size_t i = 1; i < count; i++) {
		struct plm_slice item = list[i];
		size_t at = i;

		for (; at > 0 && plm_slice_compare(list[at - 1], item) > 0; at--) {
			list[at] = list[at - 1];
		}
		list[at] = item;
	}
	for (size_t i = 0; i < count; i++) {
		if (left == 0 || !plm_slice_equal(list[left - 1], list[i])) {
			list[left++] = list[i];
		}
	}
	return left;
}

/* A question for all that is named by its id or name. */
static void add_named(struct plm_ec2_forms *forms, const char *filter, struct plm_slice *names,
		      size_t count, struct plm_arena *arena)
{
	struct plm_query query = {0};

	if (count == 0) {
		return;
	}
	plm_query_init(&query, arena);
	plm_query_filter(&query, filter, (struct plm_vec){names, make_single(names, count)});
	add(forms, &query);
}

/* EC2 takes no MaxResults beside ids, and needs none. Only what is active can be launched into. */
static void add_reservation(struct plm_ec2_forms *forms, const struct plm_w_select_term *term,
			    struct plm_arena *arena)
{
	struct plm_query query = {0};

	plm_query_init(&query, arena);
	plm_query_filter_one(&query, "state", plm_slice_str("active"));
	if (term->id.size > 0) {
		plm_query_put(&query, term->id, "CapacityReservationId.1");
	} else {
		if (term->owner.size > 0) {
			plm_query_filter_one(&query, "owner-id", term->owner);
		}
		filter_tags(&query, term->tags, arena);
		if (term->criteria.size > 0) {
			plm_query_filter_one(&query, "instance-match-criteria", term->criteria);
		}
		plm_query_number(&query, 1000, "MaxResults");
	}
	add(forms, &query);
}

static void add_tagged(struct plm_ec2_forms *forms, struct plm_vec tags, struct plm_arena *arena)
{
	struct plm_query query = {0};

	plm_query_init(&query, arena);
	filter_tags(&query, tags, arena);
	plm_query_number(&query, 500, "MaxResults");
	add(forms, &query);
}

struct plm_ec2_forms plm_ec2_forms_select(enum plm_ec2_what what, struct plm_vec terms,
					  struct plm_arena *arena)
{
	const struct plm_w_select_term *list = terms.ptr;
	struct plm_ec2_forms forms = {PLM_NEW_ARRAY(arena, terms.count + 2, struct plm_slice), 0};
	struct plm_slice *ids = PLM_NEW_ARRAY(arena, terms.count + 1, struct plm_slice);
	struct plm_slice *names = PLM_NEW_ARRAY(arena, terms.count + 1, struct plm_slice);
	size_t id_count = 0;
	size_t name_count = 0;

	for (size_t i = 0; i < terms.count; i++) {
		if (what == PLM_EC2_RESERVATIONS) {
			add_reservation(&forms, &list[i], arena);
		} else if (list[i].id.size > 0) {
			ids[id_count++] = list[i].id;
		} else if (list[i].name.size > 0) {
			names[name_count++] = list[i].name;
		} else {
			add_tagged(&forms, list[i].tags, arena);
		}
	}
	add_named(&forms, what == PLM_EC2_SUBNETS ? "subnet-id" : "group-id", ids, id_count, arena);
	add_named(&forms, "group-name", names, name_count, arena);
	return forms;
}

/* ---- images -------------------------------------------------------------------------------------- */

static void begin_images(struct plm_query *query, struct plm_arena *arena)
{
	plm_query_init(query, arena);
	plm_query_filter_one(query, "state", plm_slice_str("available"));
	plm_query_bool(query, "IncludeDeprecated", true);
}

/* By name only images of ourselves and Amazon are taken, unless an owner is named: others may call theirs the same. */
static void add_image_term(struct plm_ec2_forms *forms, const struct plm_w_image_term *term,
			   struct plm_arena *arena)
{
	struct plm_query query = {0};

	begin_images(&query, arena);
	if (term->owner.size > 0) {
		plm_query_put(&query, term->owner, "Owner.1");
	} else if (term->name.size > 0) {
		plm_query_put(&query, plm_slice_str("self"), "Owner.1");
		plm_query_put(&query, plm_slice_str("amazon"), "Owner.2");
	}
	if (term->name.size > 0) {
		plm_query_filter_one(&query, "name", term->name);
	}
	filter_tags(&query, term->tags, arena);
	plm_query_number(&query, 1000, "MaxResults");
	add(forms, &query);
}

struct plm_ec2_forms plm_ec2_forms_images(struct plm_vec terms, struct plm_vec ids,
					  struct plm_arena *arena)
{
	const struct plm_w_image_term *list = terms.ptr;
	struct plm_ec2_forms forms = {PLM_NEW_ARRAY(arena, terms.count + 1, struct plm_slice), 0};
	struct plm_slice *all = PLM_NEW_ARRAY(arena, terms.count + ids.count + 1, struct plm_slice);
	size_t count = ids.count;

	for (size_t i = 0; i < ids.count; i++) {
		all[i] = ((const struct plm_slice *)ids.ptr)[i];
	}
	for (size_t i = 0; i < terms.count; i++) {
		if (list[i].id.size > 0) {
			all[count++] = list[i].id;
		} else if (list[i].alias.size == 0 && list[i].ssm_parameter.size == 0) {
			add_image_term(&forms, &list[i], arena);
		}
	}
	if (count > 0) {
		struct plm_query query = {0};

		begin_images(&query, arena);
		plm_query_filter(&query, "image-id",
				 (struct plm_vec){all, make_single(all, count)});
		add(&forms, &query);
	}
	return forms;
}

/* ---- the rest ------------------------------------------------------------------------------------ */

struct plm_slice plm_ec2_form_placement(struct plm_slice id, struct plm_slice name,
					struct plm_arena *arena)
{
	struct plm_query query = {0};

	plm_query_init(&query, arena);
	plm_query_filter_one(&query, id.size > 0 ? "group-id" : "group-name",
			     id.size > 0 ? id : name);
	return plm_query_form(&query);
}

struct plm_slice plm_ec2_form_parameter(struct plm_slice path, struct plm_arena *arena)
{
	struct plm_text out = {.arena = arena};

	plm_text_putf(&out, "{\"Name\":");
	plm_text_quote(&out, path);
	plm_text_putf(&out, "}");
	return plm_text_slice(&out);
}

struct plm_slice plm_ec2_form_profile(struct plm_slice name, struct plm_arena *arena)
{
	struct plm_query query = {0};

	plm_query_init(&query, arena);
	plm_query_put(&query, name, "InstanceProfileName");
	return plm_query_form(&query);
}

struct plm_slice plm_ec2_form_cluster(struct plm_slice name, struct plm_arena *arena)
{
	struct plm_slice escaped = plm_query_escape(name, arena);

	return plm_arena_format(arena, "/clusters/%.*s", (int)escaped.size,
				(const char *)escaped.ptr);
}
