#include "reducers/provision/class_use.h"

/* ---- may it be used? --------------------------------------------------------------------------- */

bool plm_class_known(const struct plm_node_class *class)
{
	return class->looked_up != 0 && plm_sym_equal(class->status_hash, class->hash) &&
	       plm_sym_equal(class->status_uid, class->object.uid);
}

static enum plm_class_stand by_cloud(const struct plm_state *st, const struct plm_node_class *class,
				     struct plm_slice *why)
{
	if (class->looked_up == 0) {
		*why = plm_slice_str("its class has not been looked up yet");
		return plm_root(st)->class_status != 0 ? PLM_CLASS_WAITS : PLM_CLASS_STANDS;
	}
	if (!plm_class_known(class)) {
		*why = plm_slice_str("its class has changed and is being looked up again");
		return PLM_CLASS_WAITS;
	}
	*why = plm_str(st, class->status_not_ready);
	return class->status_not_ready.n != 0 ? PLM_CLASS_REFUSES : PLM_CLASS_STANDS;
}

/* Its own condition is an echo of ours where there is somebody who looks it up. */
static bool speaks_itself(const struct plm_state *st, const struct plm_node_class *class)
{
	return class->by_condition == 0 ||
	       (class->looked_up == 0 && plm_root(st)->class_status == 0);
}

enum plm_class_stand plm_class_stand(const struct plm_state *st, plm_id id, struct plm_slice *why)
{
	const struct plm_node_class *class = plm_node_class_at(st, id);
	struct plm_slice unused = {0};

	why = why == NULL ? &unused : why;
	*why = (struct plm_slice){0};
	if (id.n == 0) {
		return PLM_CLASS_STANDS;
	}
	if (class->not_ready.n != 0 && speaks_itself(st, class)) {
		*why = plm_str(st, class->not_ready);
		return PLM_CLASS_REFUSES;
	}
	if (class->object.deleting_ms != PLM_UNSET) {
		return PLM_CLASS_REFUSES;
	}
	return by_cloud(st, class, why);
}

plm_sym plm_pool_refusal(const struct plm_state *st, const struct plm_node_pool *pool)
{
	bool ours = pool->by_condition != 0 && (plm_root(st)->publish & PLM_PUBLISH_NODES) != 0;

	return ours ? (plm_sym){0} : pool->not_ready;
}

/* ---- zones ------------------------------------------------------------------------------------- */

bool plm_class_zones(const struct plm_sched *sched, plm_id id, struct plm_reqs *reqs)
{
	const struct plm_node_class *class = plm_node_class_at(sched->st, id);
	uint32_t count = 0;
	const struct plm_class_subnet *subnets =
		PLM_SPAN(sched->st, class->subnets, struct plm_class_subnet, &count);
	plm_sym *zones = NULL;
	struct plm_req req;

	if (id.n == 0 || !plm_class_known(class)) {
		return false;
	}
	if (class->recipe.n != 0 && class->reserves == 0) {
		req = plm_req_make(sched, sched->known[PLM_KNOWN_CAPACITY_TYPE], PLM_OP_NOT_IN,
				   &sched->known[PLM_KNOWN_RESERVED], 1);
		*reqs = plm_reqs_add(sched, reqs, &req);
	}
	if (count == 0) {
		return false;
	}
	zones = PLM_NEW_ARRAY(sched->arena, count, plm_sym);
	for (uint32_t i = 0; i < count; i++) {
		zones[i] = subnets[i].zone;
	}
	req = plm_req_make(sched, sched->known[PLM_KNOWN_ZONE], PLM_OP_IN, zones, count);
	*reqs = plm_reqs_add(sched, reqs, &req);
	return true;
}

/* ---- images ------------------------------------------------------------------------------------ */

/* Types that meet the requirements of 'image' and have none yet get this one. */
static void put_image(struct plm_pass *pass, const struct plm_class_image *image, uint32_t number,
		      uint32_t *images)
{
	size_t mark = plm_arena_mark(pass->arena);
	uint64_t *bits = PLM_NEW_ARRAY(pass->arena, pass->types.words, uint64_t);
	struct plm_reqs reqs = plm_reqs_of_exprs(&pass->sched, image->requirements);

	for (uint32_t t = 0; t < pass->types.count; t++) {
		PLM_BIT_SET(bits, t);
	}
	for (uint32_t i = 0; i < reqs.count; i++) {
		plm_types_meet(pass, &reqs.list[i], bits);
	}
	for (uint32_t t = 0; t < pass->types.count; t++) {
		if (images[t] == 0 && PLM_BIT(bits, t)) {
			images[t] = number;
		}
	}
	plm_arena_rewind(pass->arena, mark);
}

const uint32_t *plm_class_images(struct plm_pass *pass, plm_id id)
{
	const struct plm_node_class *class = plm_node_class_at(pass->st, id);
	uint32_t count = 0;
	const struct plm_class_image *list =
		PLM_SPAN(pass->st, class->images, struct plm_class_image, &count);
	uint32_t *images = NULL;

	if (id.n == 0 || !plm_class_known(class) || (count == 0 && class->recipe.n == 0)) {
		return NULL;
	}
	images = PLM_NEW_ARRAY(pass->arena, pass->types.count, uint32_t);
	for (uint32_t i = 0; i < count; i++) {
		put_image(pass, &list[i], i + 1, images);
	}
	return images;
}

void plm_class_with_image(const struct plm_pass *pass, const struct plm_capacity *has,
			  uint64_t *bits)
{
	for (uint32_t t = 0; has->images != NULL && t < pass->types.count; t++) {
		if (has->images[t] == 0) {
			bits[t / 64] &= ~((uint64_t)1 << (t % 64));
		}
	}
}

/* ---- the request ------------------------------------------------------------------------------- */

static int64_t efa_of(struct plm_vec requests)
{
	const struct plm_w_amount *list = requests.ptr;

	for (size_t i = 0; i < requests.count; i++) {
		if (plm_slice_is(list[i].resource, "vpc.amazonaws.com/efa")) {
			return list[i].amount;
		}
	}
	return 0;
}

/* Images of the class that are in the request, in the order in which offers came to them. */
struct chosen {
	uint32_t *of_class; /* by image of the class: its number in the request, + 1 */
	struct plm_slice *ids;
	uint32_t count;
};

static int64_t choose(struct chosen *chosen, uint32_t image, struct plm_slice id)
{
	if (chosen->of_class[image] == 0) {
		chosen->ids[chosen->count++] = id;
		chosen->of_class[image] = chosen->count;
	}
	return (int64_t)chosen->of_class[image] - 1;
}

void plm_class_launch(struct plm_pass *pass, plm_id id, struct plm_vec requests,
		      struct plm_w_req_launch *request)
{
	const struct plm_node_class *class = plm_node_class_at(pass->st, id);
	const struct plm_capacity *has = NULL;
	uint32_t count = 0;
	const struct plm_class_image *images =
		PLM_SPAN(pass->st, class->images, struct plm_class_image, &count);
	struct plm_w_offer *offers =
		PLM_NEW_ARRAY(pass->arena, request->offers.count, struct plm_w_offer);
	struct chosen chosen = {.of_class = PLM_NEW_ARRAY(pass->arena, count, uint32_t),
				.ids = PLM_NEW_ARRAY(pass->arena, count, struct plm_slice)};

	if (id.n == 0 || !plm_class_known(class)) {
		return;
	}
	has = plm_pass_capacity(pass, id);
	for (size_t i = 0; i < request->offers.count; i++) {
		uint32_t t = 0;

		offers[i] = ((const struct plm_w_offer *)request->offers.ptr)[i];
		t = plm_types_find(pass, plm_sym_find(pass->st, offers[i].instance_type));
		PLM_ASSERT(t < pass->types.count);
		offers[i].pods = has->allocatable[(size_t)t * pass->res.count + pass->res.pods];
		if (has->images != NULL && has->images[t] != 0) {
			uint32_t image = has->images[t] - 1;

			offers[i].image = choose(&chosen, image,
						 plm_sched_text(&pass->sched, images[image].id));
		}
	}
	request->offers.ptr = offers;
	request->images = (struct plm_vec){chosen.ids, chosen.count};
	request->efa = efa_of(requests);
	request->recipe = plm_sched_text(&pass->sched, class->recipe);
}
