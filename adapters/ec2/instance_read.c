#include "adapters/ec2/instance_read.h"

#include "adapters/ec2/fleet.h"
#include "core/arena.h"

static struct plm_slice tag(const struct plm_aws_node *item, const char *key)
{
	const struct plm_aws_node *set = plm_aws_get(item, "tagSet");

	for (const struct plm_aws_node *at = set == NULL ? NULL : set->child; at != NULL;
	     at = at->next) {
		if (plm_slice_is(plm_aws_text(at, "key"), key)) {
			return plm_aws_text(at, "value");
		}
	}
	return (struct plm_slice){0};
}

static int64_t number(struct plm_slice text)
{
	int64_t value = 0;

	for (size_t i = 0; i < text.size; i++) {
		uint8_t digit = (uint8_t)(text.ptr[i] - '0');

		if (digit > 9 || value > (INT64_MAX - digit) / 10) {
			return 0;
		}
		value = value * 10 + digit;
	}
	return value;
}

static struct plm_slice capacity_type(const struct plm_aws_node *item)
{
	struct plm_slice lifecycle = plm_aws_text(item, "instanceLifecycle");

	if (plm_slice_is(lifecycle, "spot")) {
		return lifecycle;
	}
	return plm_slice_str(plm_aws_text(item, "capacityReservationId").size > 0 ? "reserved"
										  : "on-demand");
}

/* What the reducers may count as theirs: this cluster's name and a pool stand there. */
static bool is_ours(const struct plm_aws_node *item, const struct plm_ec2_whose *whose)
{
	return whose->cluster_name != NULL && tag(item, PLM_EC2_TAG_POOL).size > 0 &&
	       plm_slice_is(tag(item, PLM_EC2_TAG_EKS), whose->cluster_name);
}

bool plm_ec2_instance_read(const struct plm_aws_node *item, const struct plm_ec2_whose *whose,
			   struct plm_arena *arena, struct plm_w_instance *out)
{
	struct plm_slice id = plm_aws_text(item, "instanceId");
	struct plm_slice state = plm_aws_text(plm_aws_get(item, "instanceState"), "name");
	struct plm_slice zone = plm_aws_text(plm_aws_get(item, "placement"), "availabilityZone");
	bool of_this_log = whose->cluster_uid != NULL &&
			   plm_slice_is(tag(item, PLM_EC2_TAG_CLUSTER), whose->cluster_uid);

	if (id.size == 0 || id.size >= PLM_EC2_ID_SIZE || state.size == 0) {
		return false;
	}
	*out = (struct plm_w_instance){
		.provider_id = plm_ec2_provider_id(zone, id, arena),
		.state = state,
		.instance_type = plm_aws_text(item, "instanceType"),
		.zone = zone,
		.capacity_type = capacity_type(item),
		.intent = of_this_log ? number(tag(item, PLM_EC2_TAG_INTENT)) : 0,
		.launched_ms = plm_aws_time_ms(item, "launchTime"),
		.claim = tag(item, PLM_EC2_TAG_CLAIM),
		.pool = tag(item, PLM_EC2_TAG_POOL),
		.ours = is_ours(item, whose) ? 1 : 0,
		.reservation = plm_aws_text(item, "capacityReservationId"),
	};
	return true;
}

struct plm_slice plm_ec2_provider_id(struct plm_slice zone, struct plm_slice id,
				     struct plm_arena *arena)
{
	return plm_arena_format(arena, "aws:///%.*s/%.*s", (int)zone.size, (const char *)zone.ptr,
				(int)id.size, (const char *)id.ptr);
}

bool plm_ec2_instance_id(struct plm_slice provider_id, char out[PLM_EC2_ID_SIZE])
{
	size_t from = provider_id.size;
	size_t size = 0;

	while (from > 0 && provider_id.ptr[from - 1] != '/') {
		from--;
	}
	size = provider_id.size - from;
	if (size < 3 || size >= PLM_EC2_ID_SIZE || memcmp(provider_id.ptr + from, "i-", 2) != 0) {
		return false;
	}
	for (size_t i = from; i < provider_id.size; i++) {
		uint8_t c = provider_id.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) {
			return false;
		}
	}
	memcpy(out, provider_id.ptr + from, size);
	out[size] = '\0';
	return true;
}

bool plm_ec2_has_ended(struct plm_slice state)
{
	return plm_slice_is(state, "shutting-down") || plm_slice_is(state, "terminated");
}

void plm_ec2_instances_each(const struct plm_aws_node *root,
			    void (*one)(void *self, const struct plm_aws_node *item), void *self)
{
	const struct plm_aws_node *set = plm_aws_get(root, "reservationSet");

	for (const struct plm_aws_node *r = set == NULL ? NULL : set->child; r != NULL;
	     r = r->next) {
		const struct plm_aws_node *list = plm_aws_get(r, "instancesSet");

		for (const struct plm_aws_node *i = list == NULL ? NULL : list->child; i != NULL;
		     i = i->next) {
			one(self, i);
		}
	}
}
