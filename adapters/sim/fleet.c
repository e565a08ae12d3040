/*
 * fleet.c - which offer a launch gets, and what is said of those that it does not get
 *
 * A fleet tries its offers in the order of its allocation strategy: lowest-price takes them as they come,
 * price-capacity-optimized prefers deep pools. How deep a pool of spot instances is, is drawn once per
 * type and zone from their names, so that the same request is answered the same on every machine.
 */
#include "adapters/sim/world.h"
#include "core/sort.h"

/* A pool that is empty looks this much dearer than a full one. */
#define SHALLOW_PERCENT 20
#define DEPTHS 10

bool plm_sim_launch_error(const struct plm_world *w, struct plm_w_result *out)
{
	for (size_t i = 0; i < w->options.launch_error_count; i++) {
		const struct plm_sim_launch_error *error = &w->options.launch_errors[i];

		if (w->now_ms >= error->from_ms && w->now_ms < error->to_ms) {
			out->class = PLM_RESULT_FAILED;
			out->code = error->code;
			out->message = error->message;
			return true;
		}
	}
	return false;
}

static int64_t running_in(const struct plm_world *w, struct plm_slice reservation)
{
	int64_t count = 0;

	for (const struct plm_sim_instance *i = w->instances; i != NULL; i = i->next) {
		count += i->state < PLM_SIM_SHUTTING_DOWN &&
			 plm_slice_equal(i->reservation, reservation);
	}
	return count;
}

/* Why the offer cannot be had; an empty text: it can. */
static struct plm_slice obstacle(const struct plm_world *w, const struct plm_w_offer *offer)
{
	const struct plm_w_offering *offering = plm_sim_offering(w, offer);
	struct plm_slice code = plm_sim_out_of_stock(w, offer);

	if (offering == NULL) {
		return plm_slice_str("InsufficientInstanceCapacity");
	}
	if (code.size == 0 && offering->reservation.size > 0 &&
	    offering->reserved_left != PLM_UNSET &&
	    running_in(w, offering->reservation) >= offering->reserved_left) {
		return plm_slice_str("ReservationCapacityExceeded");
	}
	return code;
}

static uint32_t depth(const struct plm_w_offer *offer)
{
	const struct plm_slice parts[] = {offer->instance_type, offer->zone};
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t p = 0; p < PLM_COUNTOF(parts); p++) {
		for (size_t i = 0; i < parts[p].size; i++) {
			hash = (hash ^ parts[p].ptr[i]) * 0x100000001b3ULL;
		}
	}
	return (uint32_t)((hash ^ hash >> 32) % DEPTHS);
}

struct pools {
	int64_t *cost; /* price, and what a shallow pool adds to it */
};

static int best_first(const void *context, uint32_t a, uint32_t b)
{
	const struct pools *pools = context;

	if (pools->cost[a] != pools->cost[b]) {
		return pools->cost[a] < pools->cost[b] ? -1 : 1;
	}
	return a < b ? -1 : (a > b ? 1 : 0);
}

static uint32_t *fleet_order(struct plm_world *w, const struct plm_w_req_launch *request)
{
	const struct plm_w_offer *offers = request->offers.ptr;
	uint32_t count = (uint32_t)request->offers.count;
	uint32_t *order = PLM_NEW_ARRAY(&w->scratch, count, uint32_t);
	struct pools pools = {PLM_NEW_ARRAY(&w->scratch, count, int64_t)};

	for (uint32_t i = 0; i < count; i++) {
		const struct plm_w_offering *offering = plm_sim_offering(w, &offers[i]);
		int64_t price = offering == NULL || offering->price_micro == PLM_UNSET
					? INT64_MAX / 1000
					: offering->price_micro;
		int64_t shallow = DEPTHS - 1 - depth(&offers[i]);

		order[i] = i;
		pools.cost[i] = price + price * shallow * SHALLOW_PERCENT / (100 * (DEPTHS - 1));
	}
	if (!w->options.instant && plm_slice_is(request->strategy, "price-capacity-optimized")) {
		plm_sort(order, count, best_first, &pools, &w->scratch);
	}
	return order;
}

const struct plm_w_offer *plm_sim_fleet_pick(struct plm_world *w,
					     const struct plm_w_req_launch *request,
					     struct plm_vec *refused)
{
	const struct plm_w_offer *offers = request->offers.ptr;
	const uint32_t *order = fleet_order(w, request);
	struct plm_w_refusal *list =
		PLM_NEW_ARRAY(&w->arena, request->offers.count, struct plm_w_refusal);

	*refused = (struct plm_vec){.ptr = list};
	for (size_t i = 0; i < request->offers.count; i++) {
		const struct plm_w_offer *offer = &offers[order[i]];
		struct plm_slice code = obstacle(w, offer);

		if (code.size == 0) {
			return offer;
		}
		list[refused->count++] =
			(struct plm_w_refusal){.instance_type = offer->instance_type,
					       .zone = offer->zone,
					       .capacity_type = offer->capacity_type,
					       .reservation = offer->reservation,
					       .code = code};
	}
	return NULL;
}

/* ---- instances that were there before ---------------------------------------------------------- */

const struct plm_w_req_launch *plm_sim_claim_request(struct plm_world *w,
						     const struct plm_w_node_claim *claim)
{
	struct plm_w_req_launch *request = PLM_NEW(&w->arena, struct plm_w_req_launch);

	*request = (struct plm_w_req_launch){.claim = claim->meta.name,
					     .pool = claim->pool,
					     .class_name = claim->class_name,
					     .labels = claim->meta.labels,
					     .taints = claim->taints,
					     .startup_taints = claim->startup_taints};
	return request;
}

/* The instance of a claim that comes with its provider id: it has been running since it was launched. */
void plm_sim_claim_given(struct plm_world *w, const struct plm_w_node_claim *claim)
{
	struct plm_sim_instance *instance = NULL;
	struct plm_w_offer offer = {
		.instance_type =
			plm_sim_label(claim->meta.labels, "node.kubernetes.io/instance-type"),
		.zone = plm_sim_label(claim->meta.labels, "topology.kubernetes.io/zone"),
		.capacity_type = plm_sim_label(claim->meta.labels, "karpenter.sh/capacity-type")};

	if (claim->provider_id.size == 0 || plm_sim_type(w, offer.instance_type) == NULL ||
	    plm_sim_instance_of(w, claim->provider_id) != NULL) {
		return;
	}
	instance = plm_sim_instance_new(w, &offer, plm_sim_claim_request(w, claim));
	instance->state = PLM_SIM_RUNNING;
	instance->provider_id = claim->provider_id;
	instance->launched_ms =
		claim->launched_ms != PLM_UNSET ? claim->launched_ms : claim->meta.created_ms;
	plm_sim_instance_find_node(w, instance);
	if (instance->node == NULL) {
		plm_sim_instance_boots(w, instance);
	}
}

enum plm_code plm_world_add_instance(struct plm_world *w, const struct plm_sim_leftover *leftover,
				     struct plm_error *err)
{
	struct plm_w_req_launch *request = PLM_NEW(&w->arena, struct plm_w_req_launch);
	struct plm_w_offer offer = {
		.instance_type = plm_arena_copy(&w->arena, leftover->instance_type),
		.zone = plm_arena_copy(&w->arena, leftover->zone),
		.capacity_type = plm_arena_copy(&w->arena, leftover->capacity_type)};
	struct plm_sim_instance *instance = NULL;

	if (plm_sim_type(w, offer.instance_type) == NULL) {
		return plm_fail(err, PLM_E_INPUT,
				"cloud.instances: instance type %.*s is not in the catalogue",
				(int)offer.instance_type.size,
				(const char *)offer.instance_type.ptr);
	}
	request->claim = plm_arena_copy(&w->arena, leftover->claim);
	request->pool = plm_arena_copy(&w->arena, leftover->pool);
	instance = plm_sim_instance_new(w, &offer, request);
	instance->state = PLM_SIM_RUNNING;
	instance->foreign = leftover->foreign;
	instance->provider_id = plm_arena_format(&w->arena, "aws:///%.*s/i-%017llx",
						 (int)offer.zone.size, (const char *)offer.zone.ptr,
						 (unsigned long long)instance->number);
	instance->launched_ms = w->now_ms - leftover->age_ms;
	plm_sim_plan(w, 0, PLM_SIM_DUE_DESCRIBE, instance, 0);
	return PLM_OK;
}
