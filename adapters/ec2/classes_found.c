#include "adapters/ec2/classes_found.h"

#include "core/limits.h"
#include "core/utf8.h"

#define FIRST_ROWS 16

static const size_t row_sizes[PLM_EC2_WHAT_COUNT] = {
	[PLM_EC2_SUBNETS] = sizeof(struct plm_ec2_subnet),
	[PLM_EC2_GROUPS] = sizeof(struct plm_ec2_group),
	[PLM_EC2_IMAGES] = sizeof(struct plm_ec2_found_image),
	[PLM_EC2_RESERVATIONS] = sizeof(struct plm_ec2_found_reservation),
	[PLM_EC2_PLACEMENT] = sizeof(struct plm_ec2_group),
	[PLM_EC2_PARAMETER] = sizeof(struct plm_slice),
	[PLM_EC2_PROFILE] = sizeof(struct plm_ec2_found_profile),
	[PLM_EC2_CLUSTER] = sizeof(struct plm_ec2_found_cluster),
};

/* Where the items of a page are, under its root; NULL: the answer is one thing. */
static const char *const sets[PLM_EC2_WHAT_COUNT] = {
	[PLM_EC2_SUBNETS] = "subnetSet",
	[PLM_EC2_GROUPS] = "securityGroupInfo",
	[PLM_EC2_IMAGES] = "imagesSet",
	[PLM_EC2_RESERVATIONS] = "capacityReservationSet",
	[PLM_EC2_PLACEMENT] = "placementGroupSet",
};

/* ---- room ---------------------------------------------------------------------------------------- */

static bool text_of(struct plm_ec2_rows *rows, struct plm_slice from, struct plm_slice *out)
{
	uint8_t *bytes = NULL;

	*out = (struct plm_slice){0};
	from.size = plm_utf8_prefix(from); /* JSON may hold anything */
	if (from.size == 0) {
		return true;
	}
	bytes = plm_arena_try(rows->arena, from.size);
	if (bytes == NULL) {
		return false;
	}
	memcpy(bytes, from.ptr, from.size);
	*out = plm_slice_of(bytes, from.size);
	return true;
}

static bool copy(struct plm_ec2_rows *rows, const struct plm_aws_node *node, const char *name,
		 struct plm_slice *out)
{
	return text_of(rows, plm_aws_text(node, name), out);
}

static void *new_row(struct plm_ec2_rows *rows)
{
	size_t size = row_sizes[rows->what];

	if (rows->count == PLM_LIMIT_CLASS_ROWS) {
		return NULL;
	}
	if (rows->count == rows->room) {
		size_t room = rows->room == 0 ? FIRST_ROWS : 2 * rows->room;
		void *list = plm_arena_try(rows->arena, room * size);

		if (list == NULL) {
			return NULL;
		}
		if (rows->count > 0) {
			memcpy(list, rows->list, rows->count * size);
		}
		rows->list = list;
		rows->room = room;
	}
	return (uint8_t *)rows->list + rows->count++ * size;
}

/* ---- items --------------------------------------------------------------------------------------- */

static bool has(const struct plm_aws_node *item, const char *name)
{
	return plm_aws_text(item, name).size > 0;
}

static bool read_subnet(struct plm_ec2_rows *rows, const struct plm_aws_node *item)
{
	struct plm_ec2_subnet *row = NULL;

	if (!has(item, "subnetId") || !has(item, "availabilityZone")) {
		return true;
	}
	row = new_row(rows);
	if (row == NULL) {
		return false;
	}
	row->free = plm_aws_number(item, "availableIpAddressCount", 0);
	return copy(rows, item, "subnetId", &row->id) &&
	       copy(rows, item, "availabilityZone", &row->zone) &&
	       copy(rows, item, "availabilityZoneId", &row->zone_id);
}

/* Security groups and placement groups: the latter only while they can be used. */
static bool read_group(struct plm_ec2_rows *rows, const struct plm_aws_node *item)
{
	struct plm_ec2_group *row = NULL;

	if (!has(item, "groupId") ||
	    (has(item, "state") && !plm_slice_is(plm_aws_text(item, "state"), "available"))) {
		return true;
	}
	row = new_row(rows);
	return row != NULL && copy(rows, item, "groupId", &row->id) &&
	       copy(rows, item, "groupName", &row->name);
}

static const char *arch_of(struct plm_slice machine)
{
	if (plm_slice_is(machine, "x86_64")) {
		return "amd64";
	}
	return plm_slice_is(machine, "arm64") ? "arm64" : NULL;
}

static bool read_image(struct plm_ec2_rows *rows, const struct plm_aws_node *item)
{
	const char *arch = arch_of(plm_aws_text(item, "architecture"));
	struct plm_ec2_found_image *row = NULL;

	if (!has(item, "imageId") || arch == NULL) {
		return true;
	}
	row = new_row(rows);
	if (row == NULL) {
		return false;
	}
	row->arch = arch;
	row->created_ms = plm_aws_time_ms(item, "creationDate");
	row->deprecated_ms = plm_aws_time_ms(item, "deprecationTime");
	return copy(rows, item, "imageId", &row->id) && copy(rows, item, "name", &row->name);
}

static bool read_reservation(struct plm_ec2_rows *rows, const struct plm_aws_node *item)
{
	struct plm_slice kind = plm_aws_text(item, "reservationType");
	struct plm_ec2_found_reservation *row = NULL;

	if (!has(item, "capacityReservationId") || !has(item, "availabilityZone")) {
		return true;
	}
	row = new_row(rows);
	if (row == NULL) {
		return false;
	}
	row->end_ms = plm_aws_time_ms(item, "endDate");
	row->interruptible = plm_aws_true(item, "interruptible");
	return copy(rows, item, "capacityReservationId", &row->id) &&
	       copy(rows, item, "availabilityZone", &row->zone) &&
	       copy(rows, item, "instanceType", &row->instance_type) &&
	       copy(rows, item, "ownerId", &row->owner) &&
	       copy(rows, item, "instanceMatchCriteria", &row->criteria) &&
	       text_of(rows, kind.size > 0 ? kind : plm_slice_str("default"), &row->kind);
}

/* ---- single things ------------------------------------------------------------------------------- */

static bool read_parameter(struct plm_ec2_rows *rows, const struct plm_aws_node *root)
{
	struct plm_slice *row = NULL;

	if (!has(plm_aws_get(root, "Parameter"), "Value")) {
		return true;
	}
	row = new_row(rows);
	return row != NULL && copy(rows, plm_aws_get(root, "Parameter"), "Value", row);
}

static bool read_profile(struct plm_ec2_rows *rows, const struct plm_aws_node *root)
{
	const struct plm_aws_node *profile =
		plm_aws_get(plm_aws_get(root, "GetInstanceProfileResult"), "InstanceProfile");
	const struct plm_aws_node *role = plm_aws_get(plm_aws_get(profile, "Roles"), "member");
	struct plm_ec2_found_profile *row = NULL;

	if (!has(profile, "InstanceProfileName")) {
		return true;
	}
	row = new_row(rows);
	return row != NULL && copy(rows, profile, "InstanceProfileName", &row->name) &&
	       copy(rows, profile, "Path", &row->path) && copy(rows, role, "RoleName", &row->role);
}

static bool read_cluster(struct plm_ec2_rows *rows, const struct plm_aws_node *root)
{
	const struct plm_aws_node *cluster = plm_aws_get(root, "cluster");
	const struct plm_aws_node *network = plm_aws_get(cluster, "kubernetesNetworkConfig");
	struct plm_ec2_found_cluster *row = NULL;

	if (!has(cluster, "name")) {
		return true;
	}
	row = new_row(rows);
	if (row == NULL) {
		return false;
	}
	row->ipv6 = plm_slice_is(plm_aws_text(network, "ipFamily"), "ipv6");
	return copy(rows, cluster, "endpoint", &row->endpoint) &&
	       copy(rows, cluster, "version", &row->version) &&
	       copy(rows, plm_aws_get(cluster, "certificateAuthority"), "data", &row->ca) &&
	       copy(rows, network, row->ipv6 ? "serviceIpv6Cidr" : "serviceIpv4Cidr", &row->cidr);
}

static bool read_item(struct plm_ec2_rows *rows, const struct plm_aws_node *item)
{
	switch (rows->what) {
	case PLM_EC2_SUBNETS:
		return read_subnet(rows, item);
	case PLM_EC2_GROUPS:
	case PLM_EC2_PLACEMENT:
		return read_group(rows, item);
	case PLM_EC2_IMAGES:
		return read_image(rows, item);
	case PLM_EC2_RESERVATIONS:
		return read_reservation(rows, item);
	case PLM_EC2_PARAMETER:
		return read_parameter(rows, item);
	case PLM_EC2_PROFILE:
		return read_profile(rows, item);
	case PLM_EC2_CLUSTER:
		return read_cluster(rows, item);
	case PLM_EC2_WHAT_COUNT:
		break;
	}
	PLM_UNREACHABLE();
}

static enum plm_code too_many(struct plm_error *err)
{
	return plm_fail(err, PLM_E_LIMIT, "selects more than %d things", PLM_LIMIT_CLASS_ROWS);
}

static enum plm_code read_one(struct plm_ec2_rows *rows, const struct plm_aws_node *root,
			      struct plm_error *err)
{
	rows->count = 0;
	if (!read_item(rows, root)) {
		return too_many(err);
	}
	if (rows->count == 0) {
		return plm_fail(err, PLM_E_INPUT, "the answer does not hold what was asked for");
	}
	return PLM_OK;
}

enum plm_code plm_ec2_found_read(struct plm_ec2_rows *rows, const struct plm_aws_node *root,
				 struct plm_error *err)
{
	const struct plm_aws_node *set = NULL;

	if (sets[rows->what] == NULL) {
		return read_one(rows, root, err);
	}
	set = plm_aws_get(root, sets[rows->what]);
	if (set == NULL) {
		return plm_fail(err, PLM_E_INPUT, "the answer has no %s", sets[rows->what]);
	}
	for (const struct plm_aws_node *item = set->child; item != NULL; item = item->next) {
		if (!read_item(rows, item)) {
			return too_many(err);
		}
	}
	return PLM_OK;
}
