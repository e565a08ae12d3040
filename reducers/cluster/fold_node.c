/* Nodes and what they are bought from: karpenter.md 1; dialect.md Nodes. */
#include "ec2/capacity.h"
#include "reducers/cluster/fold.h"

/* Keep the index from provider id to slot true while the id of a slot changes. */
static void move_provider(struct plm_state *st, uint32_t key, plm_sym from, plm_sym to, plm_id id)
{
	if (from.n != 0 && !plm_sym_equal(from, to)) {
		plm_index_drop(st, key, from.n, 0);
	}
	if (to.n != 0) {
		plm_index_put(st, key, to.n, 0, id);
	}
}

void plm_fold_node(const struct plm_folding *in, const struct plm_w_node *w)
{
	struct plm_state *st = in->f.st;
	bool made = false;
	plm_id id = plm_fold_object(in, PLM_KIND_NODE, &w->meta, &made);
	struct plm_node *node = plm_node_edit(st, id);
	plm_sym provider = plm_fold_text(&in->f, w->provider_id);

	move_provider(st, PLM_KEY_NODE_PROVIDER, node->provider_id, provider, id);
	node->provider_id = provider;
	node->taints = plm_fold_taints(&in->f, w->taints);
	node->capacity = plm_fold_amounts(&in->f, w->capacity);
	node->allocatable = plm_fold_amounts(&in->f, w->allocatable);
	node->ready = w->ready == 1;
	node->unschedulable = w->unschedulable == 1;
	node->do_not_disrupt = w->do_not_disrupt == 1;
	node->termination_finalizer = w->termination_finalizer == 1;
	plm_root_change(st)->domains_freed = 1;
	if (made) {
		node->empty_since_ms = PLM_UNSET;
		plm_fold_node_pods(st, id);
	}
}

/* One text of hash and stamps; when it changes, what was asked for is answered or no longer right. */
static void fold_stamps(const struct plm_folding *in, plm_sym *to, struct plm_slice text,
			uint32_t *told)
{
	plm_sym value = plm_fold_text(&in->f, text);

	if (!plm_sym_equal(*to, value)) {
		*to = value;
		*told = 0;
	}
}

void plm_fold_node_pool(const struct plm_folding *in, const struct plm_w_node_pool *w)
{
	plm_id id = plm_fold_object(in, PLM_KIND_NODE_POOL, &w->meta, NULL);
	struct plm_node_pool *pool = plm_node_pool_edit(in->f.st, id);

	pool->class_kind = (uint32_t)w->class_kind;
	pool->class_name = plm_fold_text(&in->f, w->class_name);
	pool->template_labels = plm_fold_kvs(&in->f, w->labels);
	pool->taints = plm_fold_taints(&in->f, w->taints);
	pool->startup_taints = plm_fold_taints(&in->f, w->startup_taints);
	pool->requirements = plm_fold_exprs(&in->f, w->requirements);
	pool->limits = plm_fold_amounts(&in->f, w->limits);
	pool->budgets = plm_fold_budgets(&in->f, w->budgets);
	pool->consolidation = (uint32_t)w->consolidation;
	pool->dialect = w->dialect == 1;
	pool->not_ready = plm_fold_text(&in->f, w->not_ready);
	pool->by_condition = w->by_condition == 1;
	pool->weight = w->weight;
	pool->min_size = w->min_size;
	pool->max_size = w->max_size;
	pool->expire_ms = w->expire_ms;
	pool->grace_ms = w->grace_ms;
	pool->consolidate_after_ms = w->consolidate_after_ms;
	fold_stamps(in, &pool->hash, w->hash, &pool->told);
	fold_stamps(in, &pool->stamped_hash, w->stamped_hash, &pool->told);
	fold_stamps(in, &pool->stamped_version, w->stamped_version, &pool->told);
	if (pool->generation != w->meta.generation) {
		pool->generation = w->meta.generation;
		pool->launches = 0; /* of another template: it says nothing about this one */
		pool->launch_ring = 0;
	}
}

void plm_fold_node_class(const struct plm_folding *in, const struct plm_w_node_class *w)
{
	enum plm_kind kind =
		w->kind == PLM_KIND_NODE_TEMPLATE ? PLM_KIND_NODE_TEMPLATE : PLM_KIND_NODE_CLASS;
	plm_id id = plm_fold_object(in, kind, &w->meta, NULL);
	struct plm_node_class *class = plm_node_class_edit(in->f.st, id);

	class->instance_types = plm_fold_texts(&in->f, w->instance_types);
	class->ami_family = plm_fold_text(&in->f, w->ami_family);
	class->tags = plm_fold_kvs(&in->f, w->tags);
	class->not_ready = plm_fold_text(&in->f, w->not_ready);
	class->by_condition = w->by_condition == 1;
	fold_stamps(in, &class->hash, w->hash, &class->told);
	fold_stamps(in, &class->stamped_hash, w->stamped_hash, &class->told);
	fold_stamps(in, &class->stamped_version, w->stamped_version, &class->told);
	class->capacity = plm_ec2_class_capacity(w);
}

void plm_fold_class_status(const struct plm_folding *in, const struct plm_w_class_status *w)
{
	enum plm_kind kind =
		w->kind == PLM_KIND_NODE_TEMPLATE ? PLM_KIND_NODE_TEMPLATE : PLM_KIND_NODE_CLASS;
	plm_sym name = plm_sym_find(in->f.st, w->name);
	plm_id id = name.n == 0 ? (plm_id){0} : plm_find(in->f.st, kind, (plm_sym){0}, name);
	struct plm_node_class *class = NULL;

	if (id.n == 0) {
		return;
	}
	class = plm_node_class_edit(in->f.st, id);
	class->looked_up = 1;
	class->status_uid = plm_fold_text(&in->f, w->uid);
	class->status_hash = plm_fold_text(&in->f, w->class_hash);
	class->status_not_ready = plm_fold_text(&in->f, w->not_ready);
	class->subnets = plm_fold_class_subnets(&in->f, w->subnets);
	class->images = plm_fold_class_images(&in->f, w->images);
	class->security_groups = plm_fold_class_groups(&in->f, w->security_groups);
	class->conditions = plm_fold_class_conditions(&in->f, w->conditions);
	class->instance_profile = plm_fold_text(&in->f, w->instance_profile);
	class->recipe = plm_fold_text(&in->f, w->recipe);
	class->reserves = w->reservations.count > 0 ? 1 : 0;
	class->status_low = in->ev->print_low;
	class->status_high = in->ev->print_high;
}

/* A fact about a claim that we decided keeps what is ours. */
static void begin_claim(const struct plm_root *root, struct plm_node_claim *claim,
			const struct plm_w_node_claim *w)
{
	claim->phase = PLM_CLAIM_WANTED;
	if (w->initialized_ms != PLM_UNSET) {
		claim->phase = PLM_CLAIM_READY;
	} else if (w->registered_ms != PLM_UNSET) {
		claim->phase = PLM_CLAIM_JOINED;
	} else if (w->launched_ms != PLM_UNSET || w->provider_id.size > 0) {
		claim->phase = PLM_CLAIM_LAUNCHED;
	}
	claim->decided_ms = w->meta.created_ms;
	claim->price_micro = PLM_UNSET;
	claim->launched_ms = w->launched_ms;
	claim->registered_ms = w->registered_ms;
	claim->initialized_ms = w->initialized_ms;
	claim->blind_kube_ms = root->kube_blind_ms;
	claim->blind_cloud_ms = root->cloud_blind_ms;
}

/* An object whose status does not say yet what we have launched for it takes nothing away. */
static void fold_instance(const struct plm_folding *in, struct plm_node_claim *claim,
			  const struct plm_w_node_claim *w, plm_id id)
{
	plm_sym provider = plm_fold_text(&in->f, w->provider_id);

	move_provider(in->f.st, PLM_KEY_CLAIM_PROVIDER, claim->provider_id, provider, id);
	claim->provider_id = provider;
	claim->node = plm_fold_text(&in->f, w->node);
	claim->capacity = plm_fold_amounts(&in->f, w->capacity);
	claim->allocatable = plm_fold_amounts(&in->f, w->allocatable);
	claim->launched_ms = w->launched_ms;
	claim->registered_ms = w->registered_ms;
	claim->initialized_ms = w->initialized_ms;
}

/* Where its status is ours to write it tells nothing of a launched claim but what was known before. */
static bool is_echo(const struct plm_state *st, const struct plm_node_claim *claim)
{
	return (plm_root(st)->publish & PLM_PUBLISH_NODES) != 0 && claim->provider_id.n != 0;
}

void plm_fold_node_claim(const struct plm_folding *in, const struct plm_w_node_claim *w)
{
	struct plm_state *st = in->f.st;
	bool made = false;
	plm_id id = plm_fold_object(in, PLM_KIND_NODE_CLAIM, &w->meta, &made);
	struct plm_node_claim *claim = plm_node_claim_edit(st, id);

	if (w->provider_id.size > 0 && !is_echo(st, claim)) {
		fold_instance(in, claim, w, id);
	}
	claim->pool = plm_fold_text(&in->f, w->pool);
	claim->requirements = plm_fold_exprs(&in->f, w->requirements);
	claim->requests = plm_fold_amounts(&in->f, w->requests);
	claim->taints = plm_fold_taints(&in->f, w->taints);
	claim->startup_taints = plm_fold_taints(&in->f, w->startup_taints);
	claim->consolidatable_ms = w->consolidatable_ms;
	claim->drifted_ms = w->drifted_ms;
	claim->grace_ms = w->grace_ms;
	claim->last_pod_event_ms = w->pod_event_ms;
	claim->do_not_disrupt = w->do_not_disrupt == 1;
	claim->class_kind = (uint32_t)w->class_kind;
	claim->class_name = plm_fold_text(&in->f, w->class_name);
	claim->pool_hash = plm_fold_text(&in->f, w->pool_hash);
	claim->pool_hash_version = plm_fold_text(&in->f, w->pool_hash_version);
	claim->class_hash = plm_fold_text(&in->f, w->class_hash);
	claim->class_hash_version = plm_fold_text(&in->f, w->class_hash_version);
	claim->termination_finalizer = w->termination_finalizer == 1;
	claim->expire_ms = w->expire_ms;
	claim->registering_ms = w->registering_ms;
	if (made) {
		begin_claim(plm_root(st), claim, w);
	}
}

void plm_fold_daemon_set(const struct plm_folding *in, const struct plm_w_daemon_set *w)
{
	plm_id id = plm_fold_object(in, PLM_KIND_DAEMON_SET, &w->meta, NULL);
	struct plm_vec one = {&w->template, 1};

	plm_daemon_set_edit(in->f.st, id)->template_set = plm_fold_pod_sets(&in->f, one);
}

static enum plm_kind replicator_kind(int64_t kind)
{
	if (kind == PLM_KIND_REPLICA_SET || kind == PLM_KIND_STATEFUL_SET) {
		return (enum plm_kind)kind;
	}
	return PLM_KIND_DEPLOYMENT;
}

void plm_fold_replicator(const struct plm_folding *in, const struct plm_w_replicator *w)
{
	plm_id id = plm_fold_object(in, replicator_kind(w->kind), &w->meta, NULL);
	struct plm_vec one = {&w->template, 1};
	struct plm_replicator *replicator = plm_replicator_edit(in->f.st, id);

	replicator->template_set = plm_fold_pod_sets(&in->f, one);
	replicator->replicas = w->replicas;
}
