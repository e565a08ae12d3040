/*
 * run.c - RunInstances for a class of the simple dialect: one instance of the first offer
 *
 * A call has one type and one subnet. What it refuses is told as that offer's, and the reducers go on with the next by an
 * intent, and so a token, of its own: a token is spent by a call that launched nothing. No launch template is needed, so
 * nothing is left behind.
 */
#include "adapters/ec2/fleet.h"
#include "adapters/ec2/template_form.h"

static const struct plm_w_offer *first_offer(const struct plm_ec2_order *order,
					     struct plm_slice *subnet)
{
	const struct plm_w_offer *offers = order->request->offers.ptr;

	for (size_t i = 0; i < order->request->offers.count; i++) {
		*subnet = plm_ec2_recipe_subnet(order->recipe, offers[i].zone);
		if (subnet->size > 0) {
			return &offers[i];
		}
	}
	return NULL;
}

/* The template tags interfaces and the request of spot capacity; these two are born with our own tags. */
static void put_tags(struct plm_query *query, struct plm_vec tags)
{
	plm_query_text(query, "TagSpecification.1.ResourceType", "instance");
	plm_query_tags(query, "TagSpecification.1", tags);
	plm_query_text(query, "TagSpecification.2.ResourceType", "volume");
	plm_query_tags(query, "TagSpecification.2", tags);
}

/* All interfaces of an instance are in its subnet; beside interfaces it may not be named for the whole. */
static void put_place(struct plm_query *query, const struct plm_ec2_order *order,
		      const struct plm_ec2_template *value, struct plm_slice subnet)
{
	for (size_t i = 0; i < value->interfaces.count; i++) {
		plm_query_put(query, subnet, "NetworkInterface.%zu.SubnetId", i + 1);
	}
	if (plm_slice_is(order->request->tenancy, "dedicated")) {
		plm_query_put(query, order->request->tenancy, "Placement.Tenancy");
	}
}

enum plm_code plm_ec2_run(const struct plm_ec2_order *order, struct plm_arena *arena,
			  struct plm_ec2_launching *out, struct plm_error *err)
{
	const struct plm_w_req_launch *request = order->request;
	struct plm_slice subnet = {0};
	const struct plm_w_offer *offer = first_offer(order, &subnet);
	struct plm_w_offer *taken = PLM_NEW(arena, struct plm_w_offer);
	struct plm_ec2_template value;
	struct plm_ec2_launch launch = {0};
	struct plm_query query;
	enum plm_code code = PLM_OK;

	if (offer == NULL) {
		return plm_fail(
			err, PLM_E_INPUT, "class %.*s has no subnet in a zone of the offers",
			(int)request->class_name.size, (const char *)request->class_name.ptr);
	}
	code = plm_ec2_recipe_launch(order->recipe, request, offer, arena, &launch, err);
	if (code == PLM_OK) {
		code = plm_ec2_recipe_template(order->recipe, request, offer, arena, &value, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	plm_query_init(&query, arena);
	plm_query_text(&query, "ClientToken", order->key);
	plm_query_put(&query, offer->instance_type, "InstanceType");
	plm_query_number(&query, 1, "MaxCount");
	plm_query_number(&query, 1, "MinCount");
	if (value.spot) {
		plm_query_text(&query, "InstanceMarketOptions.MarketType", "spot");
	}
	put_place(&query, order, &value, subnet);
	put_tags(&query, plm_ec2_instance_tags(order, &launch, arena));
	plm_ec2_template_put(&query, "", &value, 3);
	*taken = *offer;
	*out = (struct plm_ec2_launching){
		.call = PLM_AWS_CALL_RUN_INSTANCES,
		.body = plm_query_whole(&query, PLM_AWS_CALL_RUN_INSTANCES),
		.offers = {taken, 1},
		.images = request->images,
	};
	return PLM_OK;
}
