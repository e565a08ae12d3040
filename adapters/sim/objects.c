/*
 * objects.c - the API's store: create, apply, scale, delete, garbage collection by owner
 */
#include "adapters/sim/world.h"

#include <stdio.h>

static size_t bucket_of(enum plm_kind kind, struct plm_slice ns, struct plm_slice name)
{
	const struct plm_slice parts[2] = {ns, name};
	uint64_t hash = 0xcbf29ce484222325ULL ^ (uint64_t)kind;

	for (size_t p = 0; p < 2; p++) {
		for (size_t i = 0; i < parts[p].size; i++) {
			hash = (hash ^ parts[p].ptr[i]) * 0x100000001b3ULL;
		}
		hash = (hash ^ '/') * 0x100000001b3ULL;
	}
	return (size_t)(hash % PLM_SIM_BUCKETS);
}

struct plm_sim_object *plm_sim_find(const struct plm_world *w, enum plm_kind kind,
				    struct plm_slice ns, struct plm_slice name)
{
	struct plm_sim_object *object = w->buckets[bucket_of(kind, ns, name)];

	while (object != NULL &&
	       (object->kind != kind || !plm_slice_equal(object->of.meta->name, name) ||
		!plm_slice_equal(object->of.meta->ns, ns))) {
		object = object->hash_next;
	}
	return object;
}

static void hash_drop(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_sim_object **link =
		&w->buckets[bucket_of(object->kind, object->of.meta->ns, object->of.meta->name)];

	while (*link != object) {
		PLM_ASSERT(*link != NULL);
		link = &(*link)->hash_next;
	}
	*link = object->hash_next;
}

/* A uid that depends on the seed and the order of creation only. */
static struct plm_slice uid_new(struct plm_world *w)
{
	uint64_t n = w->object_number * 0x9e3779b97f4a7c15ULL ^ w->options.seed;

	n = (n ^ (n >> 31)) * 0xbf58476d1ce4e5b9ULL;
	return plm_arena_format(&w->arena, "%08x-%04x-4%03x-8%03x-%012llx", (unsigned)(n >> 32),
				(unsigned)(n >> 16 & 0xffff), (unsigned)(n >> 4 & 0xfff),
				(unsigned)(w->object_number & 0xfff),
				(unsigned long long)w->object_number);
}

static void list_add(struct plm_world *w, struct plm_sim_object *object)
{
	object->prev = w->last[object->kind];
	if (object->prev != NULL) {
		object->prev->next = object;
	} else {
		w->first[object->kind] = object;
	}
	w->last[object->kind] = object;
}

static void list_drop(struct plm_world *w, struct plm_sim_object *object)
{
	if (object->prev != NULL) {
		object->prev->next = object->next;
	} else {
		w->first[object->kind] = object->next;
	}
	if (object->next != NULL) {
		object->next->prev = object->prev;
	} else {
		w->last[object->kind] = object->prev;
	}
}

struct plm_sim_object *plm_sim_create(struct plm_world *w, enum plm_kind kind,
				      enum plm_event_type type, void *payload)
{
	struct plm_sim_object *object = PLM_NEW(&w->arena, struct plm_sim_object);
	struct plm_w_meta *meta = payload;
	size_t bucket = bucket_of(kind, meta->ns, meta->name);

	PLM_ASSERT(plm_sim_find(w, kind, meta->ns, meta->name) == NULL);
	object->info = plm_event_info((uint16_t)type);
	PLM_ASSERT(object->info != NULL && kind != PLM_KIND_NONE);
	object->kind = kind;
	object->of.payload = payload;
	object->number = ++w->object_number;
	object->extra.runtime_ms = PLM_UNSET;
	if (meta->uid.size == 0) {
		meta->uid = uid_new(w);
	}
	if (meta->created_ms == 0 || meta->created_ms == PLM_UNSET) {
		meta->created_ms = w->now_ms;
	}
	meta->generation = plm_max(meta->generation, 1);
	object->hash_next = w->buckets[bucket];
	w->buckets[bucket] = object;
	list_add(w, object);
	plm_sim_touch(w, object);
	return object;
}

void plm_sim_adopt(struct plm_sim_object *owner, struct plm_sim_object *child)
{
	child->owner = owner;
	child->sibling_prev = owner->last_child;
	if (owner->last_child != NULL) {
		owner->last_child->sibling_next = child;
	} else {
		owner->child = child;
	}
	owner->last_child = child;
}

static void orphan(struct plm_sim_object *child)
{
	struct plm_sim_object *owner = child->owner;

	if (owner == NULL) {
		return;
	}
	if (child->sibling_prev != NULL) {
		child->sibling_prev->sibling_next = child->sibling_next;
	} else {
		owner->child = child->sibling_next;
	}
	if (child->sibling_next != NULL) {
		child->sibling_next->sibling_prev = child->sibling_prev;
	} else {
		owner->last_child = child->sibling_prev;
	}
	child->owner = NULL;
	child->sibling_prev = NULL;
	child->sibling_next = NULL;
}

/* Children of a removed owner: pods in grace stay for it, the rest goes. One level at a time. */
static void collect_children(struct plm_world *w, struct plm_sim_object *object)
{
	while (object->child != NULL) {
		struct plm_sim_object *child = object->child;

		orphan(child);
		plm_sim_delete(w, child);
	}
}

void plm_sim_remove(struct plm_world *w, struct plm_sim_object *object)
{
	struct plm_sim_object *owner = object->owner;

	if (object->gone) {
		return;
	}
	if (object->kind == PLM_KIND_POD && object->of.pod->managed == 1) {
		plm_sim_pod_hold(w, object);
		return;
	}
	if (object->kind == PLM_KIND_POD) {
		plm_sim_pod_leave(w, object);
	} else if (object->kind == PLM_KIND_NODE) {
		plm_sim_node_lost(w, object);
		plm_sim_csi_gone(w, object);
	} else if (object->kind == PLM_KIND_VOLUME) {
		plm_sim_volume_removed(w, object);
	}
	object->gone = true;
	hash_drop(w, object);
	list_drop(w, object);
	orphan(object);
	plm_sim_touch(w, object);
	collect_children(w, object);
	if (owner != NULL) {
		plm_sim_sync_later(w, owner);
	}
}

void plm_sim_delete(struct plm_world *w, struct plm_sim_object *object)
{
	if (object->kind == PLM_KIND_POD) {
		plm_sim_pod_delete(w, object);
	} else if (object->kind == PLM_KIND_NODE_CLAIM) {
		plm_sim_claim_deleted(w, object);
	} else if (object->kind == PLM_KIND_VOLUME_CLAIM) {
		plm_sim_claim_deleted_by_hand(w, object);
	} else if (object->kind == PLM_KIND_NODE) {
		plm_sim_node_delete(w, object);
	} else {
		plm_sim_remove(w, object);
	}
}

/* ---- what people do ---------------------------------------------------------------------------- */

enum plm_kind plm_sim_kind_of(enum plm_event_type type, const void *payload)
{
	static const struct {
		enum plm_event_type type;
		enum plm_kind kind;
	} kinds[] = {
		{PLM_EV_NAMESPACE, PLM_KIND_NAMESPACE},
		{PLM_EV_FLAVOR, PLM_KIND_FLAVOR},
		{PLM_EV_COHORT, PLM_KIND_COHORT},
		{PLM_EV_CLUSTER_QUEUE, PLM_KIND_CLUSTER_QUEUE},
		{PLM_EV_LOCAL_QUEUE, PLM_KIND_LOCAL_QUEUE},
		{PLM_EV_WORK_QUEUE, PLM_KIND_WORK_QUEUE},
		{PLM_EV_ADMISSION_CHECK, PLM_KIND_ADMISSION_CHECK},
		{PLM_EV_WORKLOAD, PLM_KIND_WORKLOAD},
		{PLM_EV_POD, PLM_KIND_POD},
		{PLM_EV_NODE, PLM_KIND_NODE},
		{PLM_EV_NODE_POOL, PLM_KIND_NODE_POOL},
		{PLM_EV_NODE_CLAIM, PLM_KIND_NODE_CLAIM},
		{PLM_EV_DAEMON_SET, PLM_KIND_DAEMON_SET},
		{PLM_EV_TOPOLOGY, PLM_KIND_TOPOLOGY},
		{PLM_EV_LIMIT_RANGE, PLM_KIND_LIMIT_RANGE},
		{PLM_EV_RUNTIME_CLASS, PLM_KIND_RUNTIME_CLASS},
		{PLM_EV_POD_DISRUPTION_BUDGET, PLM_KIND_POD_DISRUPTION_BUDGET},
		{PLM_EV_VOLUME_CLAIM, PLM_KIND_VOLUME_CLAIM},
		{PLM_EV_VOLUME, PLM_KIND_VOLUME},
		{PLM_EV_STORAGE_CLASS, PLM_KIND_STORAGE_CLASS},
		{PLM_EV_CSI_NODE, PLM_KIND_CSI_NODE},
		{PLM_EV_VOLUME_ATTACHMENT, PLM_KIND_VOLUME_ATTACHMENT},
	};

	/* The others say it themselves. */
	if (type == PLM_EV_JOB) {
		return (enum plm_kind)((const struct plm_w_job *)payload)->kind;
	}
	if (type == PLM_EV_PRIORITY_CLASS) {
		return (enum plm_kind)((const struct plm_w_priority_class *)payload)->kind;
	}
	if (type == PLM_EV_NODE_CLASS) {
		return (enum plm_kind)((const struct plm_w_node_class *)payload)->kind;
	}
	if (type == PLM_EV_REPLICATOR) {
		return (enum plm_kind)((const struct plm_w_replicator *)payload)->kind;
	}
	for (size_t i = 0; i < PLM_COUNTOF(kinds); i++) {
		if (kinds[i].type == type) {
			return kinds[i].kind;
		}
	}
	return PLM_KIND_NONE;
}

/* What a controller of the world needs beside a new object. */
void plm_sim_born(struct plm_world *w, struct plm_sim_object *object)
{
	if (object->info->type == PLM_EV_JOB) {
		plm_sim_job_born(w, object);
		plm_sim_sync_later(w, object);
		return;
	}
	switch ((int)object->kind) {
	case PLM_KIND_VOLUME_CLAIM:
	case PLM_KIND_VOLUME:
	case PLM_KIND_STORAGE_CLASS:
		plm_sim_volume_born(w, object);
		return;
	case PLM_KIND_DEPLOYMENT:
	case PLM_KIND_REPLICA_SET:
	case PLM_KIND_STATEFUL_SET:
		object->my.template = plm_sim_template_new(w, &object->of.replicator->template);
		break;
	case PLM_KIND_POD_DISRUPTION_BUDGET:
		plm_sim_pdbs_plan(w);
		return;
	case PLM_KIND_DAEMON_SET:
		object->my.template = plm_sim_template_new(w, &object->of.daemon_set->template);
		break;
	default:
		return;
	}
	plm_sim_sync_later(w, object);
}

/* A pod that somebody wrote: bound ones run, the others wait for the scheduler. */
static void pod_given(struct plm_world *w, struct plm_w_pod *pod, const struct plm_sim_extra *extra)
{
	struct plm_sim_object *node =
		plm_sim_find(w, PLM_KIND_NODE, (struct plm_slice){0}, pod->node);
	struct plm_w_pod_set_spec spec = {.labels = pod->meta.labels, .shape = pod->shape};
	struct plm_sim_object *object = plm_sim_create(w, PLM_KIND_POD, PLM_EV_POD, pod);

	object->my.pod = PLM_NEW(&w->arena, struct plm_sim_pod);
	object->my.pod->template = plm_sim_template_new(w, &spec);
	object->my.pod->runtime_ms = PLM_UNSET;
	if (extra != NULL) {
		object->extra = *extra;
		object->my.pod->runtime_ms = extra->runtime_ms;
		object->my.pod->fail_percent = extra->fail_percent;
		object->my.pod->stop_ms = extra->stop_ms;
		object->my.pod->protect_ms = plm_max(0, extra->protect_ms);
	}
	w->stats.pods_created++;
	if (plm_sim_pod_over(object)) {
		return;
	}
	plm_sim_pod_claims(w, object);
	if (node != NULL) {
		plm_sim_bind(w, object, node);
	} else if (pod->node.size == 0) {
		pod->no_status = 0;
		pod->unschedulable = 0;
		plm_sim_wait_add(w, object);
	} else {
		plm_sim_stray_add(w, object);
	}
}

static void node_given(struct plm_world *w, struct plm_w_node *node)
{
	int64_t ready = node->ready;
	struct plm_sim_instance *instance = plm_sim_instance_of(w, node->provider_id);
	struct plm_sim_object *object = plm_sim_node_new(w, node, instance);

	if (instance != NULL) {
		instance->node = object;
	}
	if (ready != 0) {
		plm_sim_node_ready(w, object);
	}
}

void plm_sim_instance_find_node(struct plm_world *w, struct plm_sim_instance *instance)
{
	PLM_SIM_EACH(w, PLM_KIND_NODE, node)
	{
		if (plm_slice_equal(node->of.node->provider_id, instance->provider_id)) {
			node->my.node->instance = instance;
			instance->node = node;
		}
	}
}

static void create_given(struct plm_world *w, enum plm_kind kind, enum plm_event_type type,
			 void *payload, const struct plm_sim_extra *extra)
{
	struct plm_sim_object *object = NULL;

	if (kind == PLM_KIND_POD) {
		pod_given(w, payload, extra);
		return;
	}
	if (kind == PLM_KIND_NODE) {
		node_given(w, payload);
		return;
	}
	object = plm_sim_create(w, kind, type, payload);
	if (extra != NULL) {
		object->extra = *extra;
	}
	plm_sim_born(w, object);
	if (kind == PLM_KIND_NODE_CLAIM) {
		plm_sim_claim_given(w, object->of.claim);
	}
}

/* The status of the spec before stands until the controller has counted anew. */
static void pdb_updated(struct plm_world *w, const struct plm_sim_object *object,
			struct plm_w_pdb *next)
{
	const struct plm_w_pdb *had = object->of.pdb;

	next->has_status = had->has_status;
	next->stale = 1;
	next->allowed = had->allowed;
	next->healthy = had->healthy;
	next->desired = had->desired;
	next->expected = had->expected;
	plm_sim_pdbs_plan(w);
}

/* An apply keeps what the system wrote: uid, times, owner, and the status that lies beside the spec. */
static void update(struct plm_world *w, struct plm_sim_object *object, void *payload)
{
	struct plm_w_meta had = *object->of.meta;
	struct plm_w_meta *meta = payload;

	meta->uid = had.uid;
	meta->created_ms = had.created_ms;
	meta->deleting_ms = had.deleting_ms;
	meta->generation = had.generation + 1;
	if (object->info->type == PLM_EV_JOB) {
		struct plm_w_job *job = payload;
		const struct plm_w_job *old = object->of.job;

		job->suspended = old->suspended;
		job->active = old->active;
		job->ready = old->ready;
		job->succeeded = old->succeeded;
		job->failed = old->failed;
		job->end = old->end;
		job->ended_ms = old->ended_ms;
		job->started_ms = old->started_ms;
		job->pod_sets = old->pod_sets; /* immutable */
		object->my.job->parallelism = job->parallelism;
		object->my.job->completions = job->completions;
	}
	if (object->kind == PLM_KIND_POD_DISRUPTION_BUDGET) {
		pdb_updated(w, object, payload);
	}
	object->of.payload = payload;
	if (object->info->type == PLM_EV_REPLICATOR) {
		object->my.template = plm_sim_template_new(w, &object->of.replicator->template);
	}
	plm_sim_touch(w, object);
	plm_sim_sync_later(w, object);
}

/* The API server refuses an object whose namespace is missing; here it is made instead. */
static void need_namespace(struct plm_world *w, struct plm_slice name)
{
	struct plm_w_namespace *namespace = NULL;
	struct plm_w_kv *label = NULL;

	if (name.size == 0 ||
	    plm_sim_find(w, PLM_KIND_NAMESPACE, (struct plm_slice){0}, name) != NULL) {
		return;
	}
	namespace = PLM_NEW(&w->arena, struct plm_w_namespace);
	label = PLM_NEW(&w->arena, struct plm_w_kv);
	*label = (struct plm_w_kv){plm_slice_str("kubernetes.io/metadata.name"), name};
	namespace->meta = (struct plm_w_meta){.name = name,
					      .created_ms = PLM_UNSET,
					      .deleting_ms = PLM_UNSET,
					      .labels = {.ptr = label, .count = 1}};
	(void)plm_sim_create(w, PLM_KIND_NAMESPACE, PLM_EV_NAMESPACE, namespace);
}

void plm_world_apply(struct plm_world *w, enum plm_event_type type, const void *payload,
		     const struct plm_sim_extra *extra)
{
	const struct plm_event_info *info = plm_event_info((uint16_t)type);
	enum plm_kind kind = plm_sim_kind_of(type, payload);
	struct plm_sim_object *object = NULL;
	void *mine = NULL;

	PLM_ASSERT(info != NULL);
	plm_sim_disturb(w);
	if (kind == PLM_KIND_NONE) {
		return; /* a fact that is no object of the API, such as the catalogue */
	}
	mine = plm_wire_copy(info->payload, payload, &w->arena);
	object = plm_sim_find(w, kind, ((struct plm_w_meta *)mine)->ns,
			      ((struct plm_w_meta *)mine)->name);
	if (object == NULL) {
		need_namespace(w, ((struct plm_w_meta *)mine)->ns);
		create_given(w, kind, type, mine, extra);
	} else if (kind != PLM_KIND_POD && kind != PLM_KIND_NODE) {
		update(w, object, mine);
	}
	plm_arena_reset(&w->scratch);
}

bool plm_world_delete(struct plm_world *w, enum plm_kind kind, struct plm_slice ns,
		      struct plm_slice name)
{
	struct plm_sim_object *object = plm_sim_find(w, kind, ns, name);

	if (object == NULL) {
		return false;
	}
	plm_sim_disturb(w);
	plm_sim_delete(w, object);
	return true;
}

bool plm_world_scale(struct plm_world *w, enum plm_kind kind, struct plm_slice ns,
		     struct plm_slice name, int64_t replicas)
{
	struct plm_sim_object *object = plm_sim_find(w, kind, ns, name);

	if (object == NULL) {
		return false;
	}
	if (object->info->type == PLM_EV_REPLICATOR) {
		object->of.replicator->replicas = replicas;
	} else if (object->info->type == PLM_EV_JOB) {
		object->of.job->parallelism = replicas;
		object->my.job->parallelism = replicas;
	} else {
		return false;
	}
	plm_sim_disturb(w);
	object->of.meta->generation++;
	plm_sim_touch(w, object);
	plm_sim_sync_later(w, object);
	return true;
}

uint64_t plm_world_objects(const struct plm_world *w)
{
	uint64_t count = 0;

	for (size_t kind = 0; kind < PLM_SIM_KIND_COUNT; kind++) {
		for (const struct plm_sim_object *o = w->first[kind]; o != NULL; o = o->next) {
			count += kind != PLM_KIND_WORKLOAD;
		}
	}
	return count;
}

bool plm_world_exists(const struct plm_world *w, enum plm_kind kind, struct plm_slice ns,
		      struct plm_slice name, struct plm_slice uid)
{
	const struct plm_sim_object *object = plm_sim_find(w, kind, ns, name);

	return object != NULL && (uid.size == 0 || plm_slice_equal(object->of.meta->uid, uid));
}
