/*
 * factories.c - Deployment, ReplicaSet, StatefulSet, DaemonSet as factories of pods
 *
 * Their pods run until they are deleted. A Deployment makes one ReplicaSet; rolling updates are not
 * played: a changed template holds for pods made later.
 */
#include "adapters/sim/world.h"

void plm_sim_sync_later(struct plm_world *w, struct plm_sim_object *object)
{
	static const struct plm_sim_range lag = {1, 10};

	if (object->syncing || object->gone) {
		return;
	}
	if (object->info->type == PLM_EV_JOB || object->info->type == PLM_EV_REPLICATOR ||
	    object->kind == PLM_KIND_DAEMON_SET || object->kind == PLM_KIND_VOLUME_CLAIM ||
	    object->kind == PLM_KIND_NODE) {
		object->syncing = true;
		plm_sim_plan(w, plm_sim_draw(w, lag), PLM_SIM_DUE_CONTROLLER, object, 0);
	}
}

void plm_sim_sync(struct plm_world *w, struct plm_sim_object *object)
{
	object->syncing = false;
	if (object->gone) {
		return;
	}
	switch ((int)object->kind) {
	case PLM_KIND_JOB:
		plm_sim_job_sync(w, object);
		return;
	case PLM_KIND_POD_SET:
		plm_sim_pod_set_sync(w, object);
		return;
	case PLM_KIND_DAEMON_SET:
		plm_sim_daemon_set_sync(w, object);
		return;
	case PLM_KIND_VOLUME_CLAIM:
		plm_sim_claim_sync(w, object);
		return;
	case PLM_KIND_NODE:
		plm_sim_csi_sync(w, object);
		return;
	default:
		break;
	}
	if (object->info->type == PLM_EV_JOB) {
		plm_sim_work_sync(w, object);
	} else {
		plm_sim_factory_sync(w, object);
	}
}

static void deployment_sync(struct plm_world *w, struct plm_sim_object *object)
{
	const struct plm_w_replicator *deployment = object->of.replicator;
	struct plm_w_replicator *set = NULL;
	struct plm_sim_object *child = object->child;

	if (child != NULL) {
		if (child->of.replicator->replicas != deployment->replicas) {
			child->of.replicator->replicas = deployment->replicas;
			plm_sim_touch(w, child);
			plm_sim_sync_later(w, child);
		}
		return;
	}
	set = PLM_NEW(&w->arena, struct plm_w_replicator);
	*set = *deployment;
	set->kind = PLM_KIND_REPLICA_SET;
	set->meta.name = plm_sim_new_name(w, PLM_KIND_REPLICA_SET, deployment->meta.ns,
					  deployment->meta.name);
	set->meta.uid = (struct plm_slice){0};
	set->meta.created_ms = PLM_UNSET;
	set->meta.owner_kind = plm_slice_str("Deployment");
	set->meta.owner_name = deployment->meta.name;
	set->meta.owner_uid = deployment->meta.uid;
	child = plm_sim_create(w, PLM_KIND_REPLICA_SET, PLM_EV_REPLICATOR, set);
	child->my.template = object->my.template;
	child->extra = object->extra;
	plm_sim_adopt(object, child);
	plm_sim_sync_later(w, child);
}

static void replica_set_sync(struct plm_world *w, struct plm_sim_object *object)
{
	int64_t have = 0;
	int64_t want = object->of.replicator->replicas;
	struct plm_sim_object *before = NULL;

	for (struct plm_sim_object *pod = object->child, *next = NULL; pod != NULL; pod = next) {
		next = pod->sibling_next;
		if (plm_sim_pod_over(pod)) {
			plm_sim_remove(w, pod);
		} else if (pod->of.meta->deleting_ms == PLM_UNSET) {
			have++;
		}
	}
	for (struct plm_sim_object *pod = object->last_child; pod != NULL && have > want;
	     pod = before) {
		before = pod->sibling_prev;
		if (pod->of.meta->deleting_ms == PLM_UNSET) {
			plm_sim_pod_delete(w, pod);
			have--;
		}
	}
	for (; have < want; have++) {
		plm_sim_wait_add(w, plm_sim_pod_new(w, object, object->my.template,
						    plm_sim_pod_name(w, object), 0));
	}
}

/* Ordered: number n is made when all before it are ready, the last one goes first. */
static void stateful_set_sync(struct plm_world *w, struct plm_sim_object *object)
{
	int64_t want = object->of.replicator->replicas;
	const struct plm_w_meta *meta = object->of.meta;

	if (object->of.replicator->claims.count > 0) {
		object->my.template->simple = false; /* each pod has claims of its own */
	}
	for (struct plm_sim_object *pod = object->child, *next = NULL; pod != NULL; pod = next) {
		next = pod->sibling_next;
		if (plm_sim_pod_over(pod)) {
			plm_sim_remove(w, pod);
		} else if (pod->of.pod->index >= want && pod->of.meta->deleting_ms == PLM_UNSET) {
			plm_sim_pod_delete(w, pod);
		}
	}
	for (int64_t n = 0; n < want; n++) {
		struct plm_slice name =
			plm_arena_format(&w->arena, "%.*s-%lld", (int)meta->name.size,
					 (const char *)meta->name.ptr, (long long)n);
		struct plm_sim_object *pod = plm_sim_find(w, PLM_KIND_POD, meta->ns, name);

		if (pod == NULL) {
			pod = plm_sim_pod_new(w, object, object->my.template, name, n);
			plm_sim_set_claims(w, object, pod);
			plm_sim_wait_add(w, pod);
			return;
		}
		if (pod->of.pod->ready == 0) {
			return;
		}
	}
}

void plm_sim_factory_sync(struct plm_world *w, struct plm_sim_object *object)
{
	if (object->kind == PLM_KIND_DEPLOYMENT) {
		deployment_sync(w, object);
	} else if (object->kind == PLM_KIND_REPLICA_SET) {
		replica_set_sync(w, object);
	} else {
		stateful_set_sync(w, object);
	}
}

static bool has_pod_of(const struct plm_sim_object *set, const struct plm_sim_object *node)
{
	for (const struct plm_sim_object *pod = set->child; pod != NULL; pod = pod->sibling_next) {
		if (pod->my.pod->node == node && !plm_sim_pod_over(pod)) {
			return true;
		}
	}
	return false;
}

void plm_sim_daemon_set_sync(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_sim_template *template = object->my.template;

	PLM_SIM_EACH(w, PLM_KIND_NODE, node)
	{
		struct plm_sim_object *pod = NULL;

		if (node->of.node->ready == 0 || has_pod_of(object, node) ||
		    !plm_sim_node_matches(&template->shape, node->of.node) ||
		    !plm_sim_tolerates(template->shape.tolerations, node->of.node->taints) ||
		    !plm_sim_node_holds(node, template, w->resource_count)) {
			continue;
		}
		pod = plm_sim_pod_new(w, object, template, plm_sim_pod_name(w, object), 0);
		pod->my.pod->daemon = true;
		pod->my.pod->runtime_ms = PLM_UNSET;
		plm_sim_bind(w, pod, node);
	}
}
