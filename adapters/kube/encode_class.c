/* The status of EC2NodeClasses: what was found for them in the cloud. */
#include "adapters/kube/encode.h"

static cJSON *subnets_of(struct plm_vec subnets)
{
	const struct plm_w_class_subnet *list = subnets.ptr;
	cJSON *out = plm_tree_list();

	for (size_t i = 0; i < subnets.count; i++) {
		cJSON *subnet = plm_tree_map();

		plm_tree_put_text(subnet, "id", list[i].id);
		plm_tree_put_text(subnet, "zone", list[i].zone);
		if (list[i].zone_id.size > 0) {
			plm_tree_put_text(subnet, "zoneID", list[i].zone_id);
		}
		plm_tree_add(out, subnet);
	}
	return out;
}

static cJSON *groups_of(struct plm_vec groups)
{
	const struct plm_w_class_group *list = groups.ptr;
	cJSON *out = plm_tree_list();

	for (size_t i = 0; i < groups.count; i++) {
		cJSON *group = plm_tree_map();

		plm_tree_put_text(group, "id", list[i].id);
		if (list[i].name.size > 0) {
			plm_tree_put_text(group, "name", list[i].name);
		}
		plm_tree_add(out, group);
	}
	return out;
}

static cJSON *requirements_of(struct plm_vec requirements)
{
	const struct plm_w_expr *list = requirements.ptr;
	cJSON *out = plm_tree_list();

	for (size_t i = 0; i < requirements.count; i++) {
		cJSON *need = plm_tree_map();

		plm_tree_put_text(need, "key", list[i].key);
		plm_tree_put_string(need, "operator", plm_names_text(&plm_names_op, list[i].op));
		if (list[i].values.count > 0) {
			plm_tree_put(need, plm_slice_str("values"), plm_tree_texts(list[i].values));
		}
		plm_tree_add(out, need);
	}
	return out;
}

static cJSON *images_of(struct plm_vec images)
{
	const struct plm_w_class_image *list = images.ptr;
	cJSON *out = plm_tree_list();

	for (size_t i = 0; i < images.count; i++) {
		cJSON *image = plm_tree_map();

		plm_tree_put_text(image, "id", list[i].id);
		if (list[i].name.size > 0) {
			plm_tree_put_text(image, "name", list[i].name);
		}
		if (list[i].deprecated == 1) {
			plm_tree_put(image, plm_slice_str("deprecated"), cJSON_CreateTrue());
		}
		plm_tree_put(image, plm_slice_str("requirements"),
			     requirements_of(list[i].requirements));
		plm_tree_add(out, image);
	}
	return out;
}

void plm_encode_class_status(const struct plm_encode *in, struct plm_step *out)
{
	const struct plm_w_req_class_status *request = in->request;
	const struct plm_w_class_status *status = &request->status;
	struct plm_target target = plm_encode_target(in->call, request);
	const cJSON *class = plm_encode_object(in, out, target, request->uid, PLM_RESULT_CONFLICT);
	struct plm_patch patch;

	if (class == NULL) {
		return;
	}
	plm_patch_init(&patch, class, request->uid);
	plm_patch_set(&patch, "/status/subnets", subnets_of(status->subnets));
	plm_patch_set(&patch, "/status/securityGroups", groups_of(status->security_groups));
	plm_patch_set(&patch, "/status/amis", images_of(status->images));
	if (status->instance_profile.size > 0) {
		plm_patch_set(&patch, "/status/instanceProfile",
			      plm_tree_string(status->instance_profile));
	}
	plm_patch_set(&patch, "/status/conditions",
		      plm_encode_conditions(plm_tree_at(class, "status.conditions"),
					    request->conditions));
	plm_step_patch(in, out, target, &patch);
	out->subresource = "status";
}
