/*
 * claims.c - what the API server does with calls about nodes and claims: labels, taints, stamps, finalizers
 *
 * A claim that has a finalizer stays, marked as being deleted, until the finalizer is taken off it.
 */
#include "adapters/sim/world.h"

static void answer(struct plm_w_result *out, enum plm_result_class class, const char *code)
{
	out->class = class;
	out->code = plm_slice_str(code);
}

static struct plm_sim_object *target(struct plm_world *w, enum plm_kind kind, struct plm_slice name,
				     struct plm_slice uid)
{
	struct plm_sim_object *object = plm_sim_find(w, kind, (struct plm_slice){0}, name);

	if (object == NULL || (uid.size > 0 && !plm_slice_equal(object->of.meta->uid, uid))) {
		return NULL;
	}
	return object;
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static bool same_taint(const struct plm_w_taint *a, const struct plm_w_taint *b)
{
	return plm_slice_equal(a->key, b->key) && a->effect == b->effect;
}

static bool taken_away(struct plm_vec keys, struct plm_slice key)
{
	const struct plm_slice *list = keys.ptr;

	for (size_t i = 0; i < keys.count; i++) {
		if (plm_slice_equal(list[i], key)) {
			return true;
		}
	}
	return false;
}

/* Without the keys of 'untaint', with those of 'add' that are not there yet. */
static struct plm_vec taints_after(struct plm_world *w, struct plm_vec had,
				   const struct plm_w_req_node_sync *request)
{
	const struct plm_w_taint *from = had.ptr;
	const struct plm_w_taint *add = request->taints.ptr;
	struct plm_w_taint *list =
		PLM_NEW_ARRAY(&w->arena, had.count + request->taints.count, struct plm_w_taint);
	size_t count = 0;

	for (size_t i = 0; i < had.count; i++) {
		if (!taken_away(request->untaint, from[i].key)) {
			list[count++] = from[i];
		}
	}
	for (size_t i = 0; i < request->taints.count; i++) {
		size_t k = 0;

		while (k < count && !same_taint(&list[k], &add[i])) {
			k++;
		}
		if (k == count) {
			list[count] = add[i];
			list[count].key = plm_arena_copy(&w->arena, add[i].key);
			list[count].value = plm_arena_copy(&w->arena, add[i].value);
			count++;
		}
	}
	return (struct plm_vec){list, count};
}

void plm_sim_node_sync(struct plm_world *w, const struct plm_effect *effect,
		       struct plm_w_result *out)
{
	const struct plm_w_req_node_sync *request = effect->request;
	struct plm_sim_object *object = target(w, PLM_KIND_NODE, request->node, request->uid);
	struct plm_w_node *node = NULL;

	if (object == NULL) {
		answer(out, PLM_RESULT_CONFLICT, "NotFound");
		return;
	}
	node = object->of.node;
	node->taints = taints_after(w, node->taints, request);
	node->meta.labels = plm_sim_merge(
		w, node->meta.labels, plm_wire_copy_list(&plm_type_kv, request->labels, &w->arena));
	if (request->finalizers.count > 0) {
		node->termination_finalizer = 1;
	}
	plm_sim_touch(w, object);
	plm_sim_node_evict_untolerated(w, object);
	plm_sim_schedule_later(w);
	answer(out, PLM_RESULT_DONE, "");
}

/* ---- annotations ------------------------------------------------------------------------------- */

static void stamp(struct plm_world *w, struct plm_vec annotations, const char *key,
		  struct plm_slice *to)
{
	const struct plm_w_kv *list = annotations.ptr;

	for (size_t i = 0; i < annotations.count; i++) {
		if (plm_slice_is(list[i].key, key)) {
			*to = plm_arena_copy(&w->arena, list[i].value);
		}
	}
}

void plm_sim_annotate(struct plm_world *w, const struct plm_effect *effect,
		      struct plm_w_result *out)
{
	const struct plm_w_req_annotate *request = effect->request;
	struct plm_sim_object *object =
		target(w, (enum plm_kind)request->kind, request->name, request->uid);
	struct plm_vec all = request->annotations;

	if (object == NULL) {
		answer(out, PLM_RESULT_CONFLICT, "NotFound");
		return;
	}
	if (object->kind == PLM_KIND_NODE_CLAIM) {
		stamp(w, all, "karpenter.sh/nodepool-hash", &object->of.claim->pool_hash);
		stamp(w, all, "karpenter.sh/nodepool-hash-version",
		      &object->of.claim->pool_hash_version);
		stamp(w, all, "karpenter.k8s.aws/ec2nodeclass-hash", &object->of.claim->class_hash);
		stamp(w, all, "karpenter.k8s.aws/ec2nodeclass-hash-version",
		      &object->of.claim->class_hash_version);
	} else if (object->kind == PLM_KIND_NODE_POOL) {
		stamp(w, all, "karpenter.sh/nodepool-hash", &object->of.pool->stamped_hash);
		stamp(w, all, "karpenter.sh/nodepool-hash-version",
		      &object->of.pool->stamped_version);
	} else {
		PLM_ASSERT(object->kind == PLM_KIND_NODE_CLASS);
		stamp(w, all, "karpenter.k8s.aws/ec2nodeclass-hash",
		      &object->of.class->stamped_hash);
		stamp(w, all, "karpenter.k8s.aws/ec2nodeclass-hash-version",
		      &object->of.class->stamped_version);
	}
	plm_sim_touch(w, object);
	answer(out, PLM_RESULT_DONE, "");
}

/* ---- claims ------------------------------------------------------------------------------------ */

void plm_sim_claim_deleted(struct plm_world *w, struct plm_sim_object *object)
{
	PLM_ASSERT(object->kind == PLM_KIND_NODE_CLAIM);
	if (object->of.claim->termination_finalizer == 0) {
		plm_sim_remove(w, object);
	} else if (object->of.meta->deleting_ms == PLM_UNSET) {
		object->of.meta->deleting_ms = w->now_ms;
		plm_sim_touch(w, object);
	}
}

void plm_sim_claim_delete(struct plm_world *w, const struct plm_effect *effect,
			  struct plm_w_result *out)
{
	const struct plm_w_req_claim *request = effect->request;
	struct plm_sim_object *object = target(w, PLM_KIND_NODE_CLAIM, request->name, request->uid);

	if (object == NULL || object->of.meta->deleting_ms != PLM_UNSET) {
		answer(out, PLM_RESULT_ALREADY_DONE, object == NULL ? "NotFound" : "");
		return;
	}
	plm_sim_claim_deleted(w, object);
	answer(out, PLM_RESULT_DONE, "");
}

void plm_sim_claim_finalize(struct plm_world *w, const struct plm_effect *effect,
			    struct plm_w_result *out)
{
	const struct plm_w_req_claim *request = effect->request;
	struct plm_sim_object *object = target(w, PLM_KIND_NODE_CLAIM, request->name, request->uid);

	if (object == NULL || object->of.claim->termination_finalizer == 0) {
		answer(out, PLM_RESULT_ALREADY_DONE, object == NULL ? "NotFound" : "");
		return;
	}
	object->of.claim->termination_finalizer = 0;
	if (object->of.meta->deleting_ms != PLM_UNSET) {
		plm_sim_remove(w, object);
	} else {
		plm_sim_touch(w, object);
	}
	answer(out, PLM_RESULT_DONE, "");
}
