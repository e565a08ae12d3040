#include "adapters/ec2/launch_answer.h"

#include "adapters/ec2/instance_read.h"
#include "adapters/ec2/text.h"
#include "core/limits.h"

struct reading {
	const struct plm_ec2_launching *launching;
	const struct plm_w_ec2_recipe *recipe;
	struct plm_arena *arena;
	struct plm_w_result *out;
};

/* ---- which offer --------------------------------------------------------------------------------- */

/* The zone is said by newer answers; the subnet, one of ours, has always been. */
static struct plm_slice zone_of(const struct reading *in, const struct plm_aws_node *override)
{
	struct plm_slice zone = plm_aws_text(override, "availabilityZone");
	struct plm_slice subnet = plm_aws_text(override, "subnetId");
	const struct plm_w_class_subnet *list = in->recipe->subnets.ptr;

	for (size_t i = 0; zone.size == 0 && i < in->recipe->subnets.count; i++) {
		if (plm_slice_equal(list[i].id, subnet)) {
			zone = list[i].zone;
		}
	}
	return zone;
}

/* The name of the template that it was launched by tells reservations apart. */
static bool by_template(const struct reading *in, const struct plm_w_offer *offer,
			struct plm_slice name)
{
	const struct plm_w_offer *offers = in->launching->offers.ptr;
	const struct plm_ec2_need *needs = in->launching->needs.ptr;
	size_t group = 0;

	for (size_t i = 0; i < in->launching->offers.count && &offers[i] <= offer; i++) {
		bool first = true;

		for (size_t k = 0; k < i && first; k++) {
			first = !plm_ec2_recipe_same(&offers[k], &offers[i]);
		}
		if (plm_ec2_recipe_same(&offers[i], offer) && first) {
			return group < in->launching->needs.count &&
			       plm_slice_equal(needs[group].name, name);
		}
		group += first;
	}
	return false;
}

static const struct plm_w_offer *offer_of(const struct reading *in, const struct plm_aws_node *item,
					  struct plm_slice type)
{
	const struct plm_aws_node *both = plm_aws_get(item, "launchTemplateAndOverrides");
	struct plm_slice zone = zone_of(in, plm_aws_get(both, "overrides"));
	struct plm_slice name = plm_aws_text(plm_aws_get(both, "launchTemplateSpecification"),
					     "launchTemplateName");
	const struct plm_w_offer *offers = in->launching->offers.ptr;
	const struct plm_w_offer *found = NULL;

	if (type.size == 0) {
		type = plm_aws_text(plm_aws_get(both, "overrides"), "instanceType");
	}
	for (size_t i = 0; i < in->launching->offers.count; i++) {
		if (!plm_slice_equal(offers[i].instance_type, type) ||
		    !plm_slice_equal(offers[i].zone, zone)) {
			continue;
		}
		if (by_template(in, &offers[i], name)) {
			return &offers[i];
		}
		found = found == NULL ? &offers[i] : found;
	}
	return found;
}

static struct plm_slice image_of(const struct reading *in, const struct plm_w_offer *offer)
{
	const struct plm_slice *images = in->launching->images.ptr;

	return offer->image >= 0 && (uint64_t)offer->image < in->launching->images.count
		       ? images[offer->image]
		       : (struct plm_slice){0};
}

/* ---- CreateFleet --------------------------------------------------------------------------------- */

static bool take_instance(const struct reading *in, const struct plm_aws_node *item)
{
	const struct plm_aws_node *ids = plm_aws_get(item, "instanceIds");
	struct plm_slice id =
		ids == NULL || ids->child == NULL ? (struct plm_slice){0} : ids->child->text;
	struct plm_slice type = plm_aws_text(item, "instanceType");
	const struct plm_w_offer *offer = offer_of(in, item, type);
	struct plm_w_result *out = in->out;

	if (id.size == 0) {
		return false;
	}
	out->zone =
		offer != NULL
			? offer->zone
			: zone_of(in, plm_aws_get(plm_aws_get(item, "launchTemplateAndOverrides"),
						  "overrides"));
	out->class = PLM_RESULT_DONE;
	out->provider_id = plm_ec2_provider_id(out->zone, id, in->arena);
	out->instance_type = type;
	out->capacity_type = offer != NULL ? offer->capacity_type : plm_aws_text(item, "lifecycle");
	if (offer != NULL) {
		out->instance_type = offer->instance_type;
		out->reservation = offer->reservation;
		out->image = image_of(in, offer);
	}
	return true;
}

/* "code: text" of each, once: what is vague is told apart by its text. */
static void add_message(struct plm_text *text, struct plm_slice code, struct plm_slice message)
{
	struct plm_slice said = plm_text_slice(text);
	struct plm_slice one =
		plm_arena_format(text->arena, "%.*s: %.*s", (int)code.size, (const char *)code.ptr,
				 (int)message.size, (const char *)message.ptr);

	for (size_t at = 0; at + one.size <= said.size; at++) {
		if (memcmp(said.ptr + at, one.ptr, one.size) == 0) {
			return;
		}
	}
	if (said.size + one.size < PLM_LIMIT_RESULT_MESSAGE) {
		plm_text_putf(text, "%s", said.size > 0 ? "; " : "");
		plm_text_put(text, one);
	}
}

static void take_errors(const struct reading *in, const struct plm_aws_node *set)
{
	struct plm_text text = {.arena = in->arena};
	struct plm_w_refusal *list = PLM_NEW_ARRAY(in->arena, set->count, struct plm_w_refusal);
	size_t count = 0;

	for (const struct plm_aws_node *at = set->child; at != NULL; at = at->next) {
		const struct plm_w_offer *offer = offer_of(in, at, (struct plm_slice){0});
		struct plm_slice code = plm_aws_text(at, "errorCode");

		add_message(&text, code, plm_aws_text(at, "errorMessage"));
		if (in->out->class != PLM_RESULT_DONE) {
			in->out->code = code;
		}
		if (offer != NULL) {
			list[count++] = (struct plm_w_refusal){
				.instance_type = offer->instance_type,
				.zone = offer->zone,
				.capacity_type = offer->capacity_type,
				.reservation = offer->reservation,
				.code = code,
			};
		}
	}
	in->out->refused = (struct plm_vec){list, count};
	if (in->out->class != PLM_RESULT_DONE) {
		in->out->message = plm_text_slice(&text);
	}
}

static bool fleet_answer(const struct reading *in, const struct plm_aws_node *root)
{
	const struct plm_aws_node *set = plm_aws_get(root, "fleetInstanceSet");
	const struct plm_aws_node *errors = plm_aws_get(root, "errorSet");
	bool has = false;

	for (const struct plm_aws_node *at = set == NULL ? NULL : set->child; at != NULL && !has;
	     at = at->next) {
		has = take_instance(in, at);
	}
	if (errors != NULL && errors->child != NULL) {
		take_errors(in, errors);
		has = true;
	}
	return has;
}

/* ---- RunInstances -------------------------------------------------------------------------------- */

static bool run_answer(const struct reading *in, const struct plm_aws_node *root)
{
	const struct plm_aws_node *set = plm_aws_get(root, "instancesSet");
	const struct plm_w_offer *offer = in->launching->offers.ptr;
	struct plm_w_instance instance;

	if (set == NULL || set->child == NULL ||
	    !plm_ec2_instance_read(set->child, &(struct plm_ec2_whose){NULL, NULL}, in->arena,
				   &instance)) {
		return false;
	}
	plm_ec2_launch_found(&instance, image_of(in, offer), in->out);
	if (in->out->class == PLM_RESULT_ALREADY_DONE) { /* not one that has ended since */
		in->out->class = PLM_RESULT_DONE;
	}
	in->out->capacity_type = offer->capacity_type;
	in->out->reservation = offer->reservation;
	return true;
}

bool plm_ec2_launch_answer(const struct plm_ec2_launching *launching,
			   const struct plm_w_ec2_recipe *recipe, const struct plm_aws_node *root,
			   struct plm_arena *arena, struct plm_w_result *out)
{
	const struct reading in = {launching, recipe, arena, out};

	*out = (struct plm_w_result){.class = PLM_RESULT_FAILED, .price_micro = PLM_UNSET};
	return launching->call == PLM_AWS_CALL_CREATE_FLEET ? fleet_answer(&in, root)
							    : run_answer(&in, root);
}

void plm_ec2_launch_refused(const struct plm_ec2_launching *launching, const char *code,
			    const char *message, struct plm_arena *arena, struct plm_w_result *out)
{
	const struct plm_w_offer *offer = launching->offers.ptr;
	struct plm_w_refusal *refusal = NULL;

	*out = (struct plm_w_result){
		.class = PLM_RESULT_FAILED,
		.code = plm_arena_copy(arena, plm_slice_str(code)),
		.message = plm_arena_copy(arena, plm_slice_str(message)),
		.price_micro = PLM_UNSET,
	};
	if (launching->call != PLM_AWS_CALL_RUN_INSTANCES) {
		return;
	}
	refusal = PLM_NEW(arena, struct plm_w_refusal);
	*refusal = (struct plm_w_refusal){
		.instance_type = offer->instance_type,
		.zone = offer->zone,
		.capacity_type = offer->capacity_type,
		.reservation = offer->reservation,
		.code = out->code,
	};
	out->refused = (struct plm_vec){refusal, 1};
}

void plm_ec2_launch_found(const struct plm_w_instance *instance, struct plm_slice image,
			  struct plm_w_result *out)
{
	*out = (struct plm_w_result){
		.class = PLM_RESULT_ALREADY_DONE,
		.provider_id = instance->provider_id,
		.instance_type = instance->instance_type,
		.zone = instance->zone,
		.capacity_type = instance->capacity_type,
		.reservation = instance->reservation,
		.image = image,
		.price_micro = PLM_UNSET,
	};
	if (plm_ec2_has_ended(instance->state)) {
		out->class = PLM_RESULT_FAILED;
		out->code = plm_slice_str("IdempotentInstanceTerminated");
	}
}
