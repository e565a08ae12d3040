/*
 * plain.c - the other side of a comparison: a node group per type that grows by pending pods
 *
 * What a team has without Plimsoll: Jobs start at once, the scheduler binds what fits, and an autoscaler
 * looks at pending pods every so often. For each it takes the cheapest type whose empty node holds it and
 * counts the nodes that are needed; nodes without work for long enough are removed.
 */
#include "adapters/sim/world.h"

void plm_world_plain(struct plm_world *w, const struct plm_sim_plain *plain)
{
	PLM_ASSERT(w->options.plain && plain->scan_ms > 0);
	w->plain = *plain;
	plm_sim_plan(w, plain->scan_ms, PLM_SIM_DUE_PLAIN, NULL, 0);
}

/* Room that nodes on their way will have: what pods of this scan were promised. */
struct promise {
	const struct plm_w_instance_type *type;
	int64_t left[PLM_SIM_RESOURCES];
};

struct scan {
	struct promise *list;
	size_t count, capacity;
	int64_t nodes;
};

static bool fits(const struct plm_world *w, const int64_t *room, const int64_t *request)
{
	for (size_t r = 0; r < w->resource_count; r++) {
		if (request[r] > room[r]) {
			return false;
		}
	}
	return true;
}

static void promise_add(struct plm_world *w, struct scan *scan,
			const struct plm_w_instance_type *type)
{
	struct promise *promise = &scan->list[scan->count];

	PLM_ASSERT(scan->count < scan->capacity);
	scan->count++;
	promise->type = type;
	plm_sim_amounts(w, type->allocatable, promise->left);
}

static bool use_promise(const struct plm_world *w, struct scan *scan, const int64_t *request)
{
	for (size_t i = 0; i < scan->count; i++) {
		if (fits(w, scan->list[i].left, request)) {
			for (size_t r = 0; r < w->resource_count; r++) {
				scan->list[i].left[r] -= request[r];
			}
			return true;
		}
	}
	return false;
}

/* The cheapest on-demand offer of the group's types that holds 'request' on an empty node. */
static bool cheapest(struct plm_world *w, const int64_t *request, struct plm_w_offer *out)
{
	const struct plm_slice *names = w->plain.types.ptr;
	int64_t best = INT64_MAX;

	for (size_t t = 0; t < w->plain.types.count; t++) {
		const struct plm_w_instance_type *type = plm_sim_type(w, names[t]);
		const struct plm_w_offering *offerings = type == NULL ? NULL : type->offerings.ptr;
		int64_t room[PLM_SIM_RESOURCES];

		if (type == NULL) {
			continue;
		}
		plm_sim_amounts(w, type->allocatable, room);
		for (size_t i = 0; fits(w, room, request) && i < type->offerings.count; i++) {
			struct plm_w_offer offer = plm_sim_offer(type->name, &offerings[i]);

			if (plm_slice_is(offer.capacity_type, "on-demand") &&
			    offerings[i].price_micro < best &&
			    plm_sim_offering(w, &offer) != NULL) {
				best = offerings[i].price_micro;
				*out = offer;
			}
		}
	}
	return best != INT64_MAX;
}

static bool may_use_group(const struct plm_world *w, const struct plm_sim_object *pod)
{
	const struct plm_w_shape *shape = &pod->of.pod->shape;

	return plm_sim_tolerates(shape->tolerations, w->plain.taints);
}

static void grow(struct plm_world *w, struct scan *scan)
{
	struct plm_w_req_launch *request = PLM_NEW(&w->arena, struct plm_w_req_launch);

	request->labels = w->plain.labels;
	request->taints = w->plain.taints;
	for (struct plm_sim_object *p = w->waiting; p != NULL; p = p->my.pod->wait_next) {
		const int64_t *need = p->my.pod->template->request;
		struct plm_w_offer offer = {0};

		if (p->of.pod->unschedulable == 0 || !may_use_group(w, p) ||
		    use_promise(w, scan, need)) {
			continue;
		}
		if ((w->plain.max_nodes != PLM_UNSET && scan->nodes >= w->plain.max_nodes) ||
		    !cheapest(w, need, &offer)) {
			continue;
		}
		plm_sim_start_instance(w, request, &offer, 0);
		scan->nodes++;
		promise_add(w, scan, plm_sim_type(w, offer.instance_type));
		use_promise(w, scan, need);
	}
}

static bool idle(const struct plm_world *w, const struct plm_sim_object *node)
{
	for (const struct plm_sim_object *pod = node->my.node->pods; pod != NULL;
	     pod = pod->my.pod->node_next) {
		if (!pod->my.pod->daemon) {
			return false;
		}
	}
	return w->now_ms - node->my.node->idle_since_ms >= w->plain.idle_ms;
}

void plm_sim_plain_scan(struct plm_world *w)
{
	struct scan scan = {0};

	for (const struct plm_sim_object *p = w->waiting; p != NULL; p = p->my.pod->wait_next) {
		scan.capacity++;
	}
	for (struct plm_sim_instance *i = w->instances; i != NULL; i = i->next) {
		scan.nodes += i->state < PLM_SIM_SHUTTING_DOWN;
		scan.capacity++;
	}
	scan.list = PLM_NEW_ARRAY(&w->scratch, scan.capacity, struct promise);
	for (struct plm_sim_instance *i = w->instances; i != NULL; i = i->next) {
		if (i->state < PLM_SIM_SHUTTING_DOWN &&
		    (i->node == NULL || i->node->of.node->ready == 0)) {
			promise_add(w, &scan, i->type);
		} else if (i->state == PLM_SIM_RUNNING && idle(w, i->node)) {
			plm_sim_instance_end(w, i);
		}
	}
	grow(w, &scan);
	plm_sim_plan(w, w->plain.scan_ms, PLM_SIM_DUE_PLAIN, NULL, 0); /* until the run ends */
}
