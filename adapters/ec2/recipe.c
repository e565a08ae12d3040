#include "adapters/ec2/recipe.h"

#include "codec/codec.h"
#include "core/wire_table.h"

#define TYPE struct plm_w_ec2_reservation
DEFINE_TYPE(ec2_reservation, PLM_EC2_RESERVATION_FIELDS)
#undef TYPE
#define TYPE struct plm_w_ec2_recipe
DEFINE_TYPE(ec2_recipe, PLM_EC2_RECIPE_FIELDS)
#undef TYPE

/* One byte says the version, so that what follows is only read by who knows it. */
struct plm_slice plm_ec2_recipe_write(const struct plm_w_ec2_recipe *recipe,
				      struct plm_arena *arena)
{
	struct plm_slice body = plm_wire_encode(&plm_type_ec2_recipe, recipe, arena);
	uint8_t *bytes = PLM_NEW_ARRAY(arena, body.size + 1, uint8_t);

	_Static_assert(PLM_EC2_RECIPE_VERSION < 128, "one byte");
	bytes[0] = PLM_EC2_RECIPE_VERSION;
	memcpy(bytes + 1, body.ptr, body.size);
	return plm_slice_of(bytes, body.size + 1);
}

enum plm_code plm_ec2_recipe_read(struct plm_slice bytes, struct plm_arena *arena,
				  const struct plm_w_ec2_recipe **out, struct plm_error *err)
{
	const void *value = NULL;
	enum plm_code code = PLM_OK;

	if (bytes.size == 0) {
		return plm_fail(err, PLM_E_CORRUPT, "the launch has no recipe of its class");
	}
	if (bytes.ptr[0] != PLM_EC2_RECIPE_VERSION) {
		return plm_fail(err, PLM_E_VERSION,
				"the recipe of the class has version %u, this program knows %d",
				bytes.ptr[0], PLM_EC2_RECIPE_VERSION);
	}
	code = plm_wire_decode(&plm_type_ec2_recipe, plm_slice_of(bytes.ptr + 1, bytes.size - 1),
			       arena, &value, err);
	if (code == PLM_OK) {
		*out = value;
	}
	return code;
}

struct plm_slice plm_ec2_recipe_subnet(const struct plm_w_ec2_recipe *recipe, struct plm_slice zone)
{
	const struct plm_w_class_subnet *list = recipe->subnets.ptr;

	for (size_t i = 0; i < recipe->subnets.count; i++) {
		if (plm_slice_equal(list[i].zone, zone)) {
			return list[i].id;
		}
	}
	return (struct plm_slice){0};
}

bool plm_ec2_recipe_same(const struct plm_w_offer *a, const struct plm_w_offer *b)
{
	return a->image == b->image && a->pods == b->pods &&
	       plm_slice_equal(a->capacity_type, b->capacity_type) &&
	       plm_slice_equal(a->reservation, b->reservation);
}

static const struct plm_w_ec2_reservation *reservation_of(const struct plm_w_ec2_recipe *recipe,
							  struct plm_slice id)
{
	const struct plm_w_ec2_reservation *list = recipe->reservations.ptr;

	for (size_t i = 0; i < recipe->reservations.count; i++) {
		if (id.size > 0 && plm_slice_equal(list[i].id, id)) {
			return &list[i];
		}
	}
	return NULL;
}

enum plm_code plm_ec2_recipe_launch(const struct plm_w_ec2_recipe *recipe,
				    const struct plm_w_req_launch *request,
				    const struct plm_w_offer *offer, struct plm_arena *arena,
				    struct plm_ec2_launch *out, struct plm_error *err)
{
	const struct plm_w_ec2_reservation *reservation =
		reservation_of(recipe, offer->reservation);
	const struct plm_slice *images = request->images.ptr;
	struct plm_ec2_cluster *cluster = PLM_NEW(arena, struct plm_ec2_cluster);

	if (offer->image < 0 || (uint64_t)offer->image >= request->images.count) {
		return plm_fail(err, PLM_E_INPUT, "claim %.*s: the offer of %.*s names no image",
				(int)request->claim.size, (const char *)request->claim.ptr,
				(int)offer->instance_type.size,
				(const char *)offer->instance_type.ptr);
	}
	if (offer->reservation.size > 0 && reservation == NULL) {
		return plm_fail(err, PLM_E_INPUT,
				"claim %.*s: class %.*s does not select capacity reservation %.*s",
				(int)request->claim.size, (const char *)request->claim.ptr,
				(int)request->class_name.size,
				(const char *)request->class_name.ptr, (int)offer->reservation.size,
				(const char *)offer->reservation.ptr);
	}
	*cluster = (struct plm_ec2_cluster){recipe->cluster, recipe->endpoint, recipe->ca,
					    recipe->service_cidr, recipe->dns_ip};
	*out = (struct plm_ec2_launch){
		.boot = {.class = &recipe->class,
			 .cluster = cluster,
			 .labels = request->labels,
			 .taints = request->taints,
			 .startup_taints = request->startup_taints,
			 .max_pods = offer->pods,
			 .default_mounts = recipe->default_mounts == 1},
		.pool = request->pool,
		.image = images[offer->image],
		.instance_profile = recipe->instance_profile,
		.security_groups = recipe->security_groups,
		.capacity_type = offer->capacity_type,
		.reservation = offer->reservation,
		.capacity_block = reservation != NULL && reservation->block == 1,
		.interruptible = reservation != NULL && reservation->interruptible == 1,
		.efa_count = request->efa == PLM_UNSET ? 0 : request->efa,
		.placement_group = recipe->placement_group,
	};
	return PLM_OK;
}

enum plm_code plm_ec2_recipe_template(const struct plm_w_ec2_recipe *recipe,
				      const struct plm_w_req_launch *request,
				      const struct plm_w_offer *offer, struct plm_arena *arena,
				      struct plm_ec2_template *out, struct plm_error *err)
{
	struct plm_ec2_launch launch = {0};
	enum plm_code code = plm_ec2_recipe_launch(recipe, request, offer, arena, &launch, err);

	if (code == PLM_OK) {
		code = plm_ec2_template(&launch, arena, out, err);
	}
	if (code == PLM_OK && recipe->ipv6 == 1) {
		out->ipv6 = true;
	}
	return code;
}
