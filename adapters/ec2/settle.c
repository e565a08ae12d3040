/*
 * settle.c - what became of a launch whose answer nobody has: the instance that carries its tag
 *
 * Instances of a fleet do not carry the caller's token, so they are looked for by plimsoll/intent and plimsoll/cluster, whatever
 * their state. Nothing seen proves nothing for a while: launch.c waits.
 */
#include "adapters/ec2/flight.h"
#include "adapters/ec2/query.h"
#include "core/wire_copy.h"

#include <stdio.h>

/* One that lives before one that has ended; then the older one, then by id. */
static bool is_better(const struct plm_w_instance *a, const struct plm_w_instance *b)
{
	bool a_ended = plm_ec2_has_ended(a->state);
	bool b_ended = plm_ec2_has_ended(b->state);

	if (a_ended != b_ended) {
		return b_ended;
	}
	if (a->launched_ms != b->launched_ms) {
		return a->launched_ms < b->launched_ms;
	}
	return plm_slice_compare(a->provider_id, b->provider_id) < 0;
}

static void see(void *self, const struct plm_aws_node *item)
{
	struct plm_ec2_flight *flight = self;
	const struct plm_ec2_context *context = plm_ec2_effect_context(flight->effect);
	const struct plm_ec2_whose whose = {context->cluster_uid, context->options.cluster_name};
	struct plm_w_instance instance;
	const struct plm_w_instance *copy = NULL;

	if (!plm_ec2_instance_read(item, &whose, plm_ec2_effect_arena(flight->effect), &instance) ||
	    instance.intent != (int64_t)flight->intent) {
		return;
	}
	if (flight->launch.seen && !is_better(&instance, &flight->launch.found)) {
		return;
	}
	copy = plm_wire_copy(&plm_type_instance, &instance, &flight->arena);
	flight->launch.found = *copy;
	flight->launch.found_image = plm_arena_copy(&flight->arena, plm_aws_text(item, "imageId"));
	flight->launch.seen = true;
}

static bool on_page(void *self, const struct plm_aws_node *root)
{
	plm_ec2_instances_each(root, see, self);
	return true;
}

static void on_end(void *self, const struct plm_aws_answer *answer)
{
	struct plm_ec2_flight *flight = self;

	flight->launch.look = NULL;
	plm_ec2_launch_looked(flight, answer);
}

void plm_ec2_settle_look(struct plm_ec2_flight *flight)
{
	const struct plm_ec2_context *context = plm_ec2_effect_context(flight->effect);
	struct plm_query query;
	char intent[24];

	(void)snprintf(intent, sizeof(intent), "%llu", (unsigned long long)flight->intent);
	plm_query_init(&query, plm_ec2_effect_arena(flight->effect));
	plm_query_filter_one(&query, "tag:" PLM_EC2_TAG_CLUSTER,
			     plm_slice_str(context->cluster_uid));
	plm_query_filter_one(&query, "tag:" PLM_EC2_TAG_INTENT, plm_slice_str(intent));
	flight->launch.seen = false;
	flight->launch.look = plm_aws_pages_start(context->client,
						  &(struct plm_aws_paging){
							  .call = PLM_AWS_CALL_DESCRIBE_INSTANCES,
							  .body = plm_query_form(&query),
							  .on_page = on_page,
							  .on_end = on_end,
							  .self = flight,
						  });
}
