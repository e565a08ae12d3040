#include "adapters/ec2/fleet.h"

#include "adapters/ec2/template_form.h"
#include "core/limits.h"

/* Our templates never have another one: what their name says is what they are. */
#define TEMPLATE_VERSION "1"

/* ---- tags ---------------------------------------------------------------------------------------- */

static void put_tag(struct plm_w_kv *list, size_t *count, struct plm_slice key,
		    struct plm_slice value)
{
	size_t at = 0;

	while (at < *count && plm_slice_compare(list[at].key, key) < 0) {
		at++;
	}
	if (at == *count || !plm_slice_equal(list[at].key, key)) {
		memmove(&list[at + 1], &list[at], (*count - at) * sizeof(*list));
		(*count)++;
	}
	list[at] = (struct plm_w_kv){key, value};
}

struct plm_vec plm_ec2_instance_tags(const struct plm_ec2_order *order,
				     const struct plm_ec2_launch *launch, struct plm_arena *arena)
{
	const struct plm_vec lists[] = {order->request->tags, plm_ec2_tags(launch, arena)};
	const struct plm_w_kv own[] = {
		{plm_slice_str(PLM_EC2_TAG_CLAIM), order->request->claim},
		{plm_slice_str(PLM_EC2_TAG_CLUSTER), plm_slice_str(order->cluster_uid)},
		{plm_slice_str(PLM_EC2_TAG_INTENT),
		 plm_arena_format(arena, "%llu", (unsigned long long)order->intent)},
	};
	struct plm_w_kv *list = PLM_NEW_ARRAY(
		arena, lists[0].count + lists[1].count + PLM_COUNTOF(own), struct plm_w_kv);
	size_t count = 0;

	for (size_t l = 0; l < PLM_COUNTOF(lists); l++) {
		const struct plm_w_kv *from = lists[l].ptr;

		for (size_t i = 0; i < lists[l].count; i++) {
			put_tag(list, &count, from[i].key, from[i].value);
		}
	}
	for (size_t i = 0; i < PLM_COUNTOF(own); i++) {
		put_tag(list, &count, own[i].key, own[i].value);
	}
	return (struct plm_vec){list, count};
}

/* ---- groups: offers that one template serves ----------------------------------------------------- */

struct group {
	const struct plm_w_offer *like; /* its first offer */
	size_t overrides;
};

struct building {
	const struct plm_ec2_order *order;
	struct plm_arena *arena;
	struct plm_query query;
	struct group *groups;
	size_t group_count;
	struct plm_ec2_need *needs; /* one per group */
	struct plm_w_offer *offers; /* that are in it */
	size_t offer_count;
};

static struct group *group_of(struct building *b, const struct plm_w_offer *offer)
{
	for (size_t i = 0; i < b->group_count; i++) {
		if (plm_ec2_recipe_same(b->groups[i].like, offer)) {
			return &b->groups[i];
		}
	}
	return NULL;
}

static enum plm_code new_group(struct building *b, const struct plm_w_offer *offer,
			       struct group **out, struct plm_error *err)
{
	struct plm_ec2_template value;
	enum plm_code code = plm_ec2_recipe_template(b->order->recipe, b->order->request, offer,
						     b->arena, &value, err);
	struct plm_ec2_need *need = &b->needs[b->group_count];

	if (code != PLM_OK) {
		return code;
	}
	need->name = plm_ec2_template_name(plm_ec2_template_json(&value, b->arena), b->arena);
	need->form = plm_ec2_template_form(&value, need->name, b->arena);
	*out = &b->groups[b->group_count++];
	**out = (struct group){.like = offer};
	plm_query_put(&b->query, need->name,
		      "LaunchTemplateConfigs.%zu.LaunchTemplateSpecification.LaunchTemplateName",
		      b->group_count);
	plm_query_put(&b->query, plm_slice_str(TEMPLATE_VERSION),
		      "LaunchTemplateConfigs.%zu.LaunchTemplateSpecification.Version",
		      b->group_count);
	return PLM_OK;
}

/* The cheapest of a type and zone is enough; the reducers name each once per reservation. */
static bool is_there(const struct building *b, const struct plm_w_offer *offer)
{
	for (size_t i = 0; i < b->offer_count; i++) {
		if (plm_slice_equal(b->offers[i].instance_type, offer->instance_type) &&
		    plm_slice_equal(b->offers[i].zone, offer->zone) &&
		    plm_slice_equal(b->offers[i].reservation, offer->reservation)) {
			return true;
		}
	}
	return false;
}

static enum plm_code put_offer(struct building *b, const struct plm_w_offer *offer,
			       struct plm_error *err)
{
	struct plm_slice subnet = plm_ec2_recipe_subnet(b->order->recipe, offer->zone);
	struct group *group = group_of(b, offer);
	struct plm_slice prefix = {0};
	const char *p = NULL;
	enum plm_code code = PLM_OK;

	if (subnet.size == 0 || b->offer_count == PLM_LIMIT_EC2_OVERRIDES || is_there(b, offer)) {
		return PLM_OK;
	}
	if (group == NULL) {
		code = new_group(b, offer, &group, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	prefix = plm_arena_format(b->arena, "LaunchTemplateConfigs.%zu.Overrides.%zu.",
				  (size_t)(group - b->groups) + 1, ++group->overrides);
	p = (const char *)prefix.ptr;
	plm_query_put(&b->query, offer->instance_type, "%sInstanceType", p);
	plm_query_put(&b->query, subnet, "%sSubnetId", p);
	plm_query_put(&b->query, offer->zone, "%sAvailabilityZone", p);
	/* Offers come cheapest first: their order stands for their prices. */
	plm_query_number(&b->query, (int64_t)b->offer_count, "%sPriority", p);
	if (plm_slice_is(b->order->request->tenancy, "dedicated")) {
		plm_query_put(&b->query, b->order->request->tenancy, "%sPlacement.Tenancy", p);
	}
	b->offers[b->offer_count++] = *offer;
	return PLM_OK;
}

/* ---- the rest ------------------------------------------------------------------------------------ */

/* All offers have one capacity type, and reservations of one kind. */
static void put_target(struct building *b, const struct plm_ec2_launch *launch)
{
	struct plm_query *q = &b->query;
	struct plm_slice strategy = b->order->request->strategy;
	const char *type = "on-demand";

	if (launch->capacity_block) {
		type = "capacity-block";
	} else if (launch->interruptible) {
		type = "reserved-capacity";
		plm_query_text(q, "ReservedCapacityOptions.ReservationType.1",
			       "interruptible-capacity-reservation");
	} else if (plm_slice_is(launch->capacity_type, "spot")) {
		type = "spot";
		plm_query_put(q, strategy, "SpotOptions.AllocationStrategy");
	} else {
		plm_query_put(q, strategy, "OnDemandOptions.AllocationStrategy");
	}
	plm_query_text(q, "TargetCapacitySpecification.DefaultTargetCapacityType", type);
	plm_query_number(q, 1, "TargetCapacitySpecification.TotalTargetCapacity");
	plm_query_text(q, "Type", "instant");
}

/* The request of spot capacity is tagged by the template: here EC2 takes these three only. */
static void put_tags(struct building *b, const struct plm_ec2_launch *launch)
{
	static const char *const resources[] = {"instance", "volume", "fleet"};
	struct plm_vec tags = plm_ec2_instance_tags(b->order, launch, b->arena);

	for (size_t i = 0; i < PLM_COUNTOF(resources); i++) {
		struct plm_slice prefix = plm_arena_format(b->arena, "TagSpecification.%zu", i + 1);

		plm_query_put(&b->query, plm_slice_str(resources[i]), "%s.ResourceType",
			      (const char *)prefix.ptr);
		plm_query_tags(&b->query, (const char *)prefix.ptr, tags);
	}
}

static enum plm_code fleet(struct building *b, struct plm_ec2_launching *out, struct plm_error *err)
{
	const struct plm_w_req_launch *request = b->order->request;
	const struct plm_w_offer *offers = request->offers.ptr;
	struct plm_slice context = b->order->recipe->class.setup.context;
	struct plm_ec2_launch launch = {0};
	enum plm_code code = PLM_OK;

	for (size_t i = 0; i < request->offers.count && code == PLM_OK; i++) {
		code = put_offer(b, &offers[i], err);
	}
	if (code == PLM_OK && b->offer_count == 0) {
		code = plm_fail(
			err, PLM_E_INPUT, "class %.*s has no subnet in a zone of the offers",
			(int)request->class_name.size, (const char *)request->class_name.ptr);
	}
	if (code == PLM_OK) {
		code = plm_ec2_recipe_launch(b->order->recipe, request, &b->offers[0], b->arena,
					     &launch, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	plm_query_text(&b->query, "ClientToken", b->order->key);
	if (context.size > 0) {
		plm_query_put(&b->query, context, "Context");
	}
	put_target(b, &launch);
	put_tags(b, &launch);
	*out = (struct plm_ec2_launching){
		.call = PLM_AWS_CALL_CREATE_FLEET,
		.body = plm_query_whole(&b->query, PLM_AWS_CALL_CREATE_FLEET),
		.needs = {b->needs, b->group_count},
		.offers = {b->offers, b->offer_count},
		.images = request->images,
	};
	return PLM_OK;
}

enum plm_code plm_ec2_launching(const struct plm_ec2_order *order, struct plm_arena *arena,
				struct plm_ec2_launching *out, struct plm_error *err)
{
	size_t count = order->request->offers.count;
	struct building b = {.order = order, .arena = arena};

	if (order->recipe->class.kind == PLM_KIND_NODE_TEMPLATE) {
		return plm_ec2_run(order, arena, out, err);
	}
	b.groups = PLM_NEW_ARRAY(arena, count, struct group);
	b.needs = PLM_NEW_ARRAY(arena, count, struct plm_ec2_need);
	b.offers = PLM_NEW_ARRAY(arena, count, struct plm_w_offer);
	plm_query_init(&b.query, arena);
	return fleet(&b, out, err);
}
