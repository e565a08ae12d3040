/*
 * cloud.c - instances by the catalogue: launch by token, boot, spot warnings, end, bills
 *
 * A token is answered the same for ever, also when it launched nothing; with other parameters it is
 * refused; the token of a terminated instance is answered as EC2 does.
 */
#include "adapters/sim/world.h"
#include "core/sort.h"
#include "ec2/capacity.h"

#define TOKEN_BUCKETS 1024U
/* A terminated instance is told of for this long. */
#define VISIBLE_MS (60 * PLM_MS_PER_MINUTE)
/* From launch to the Node object, in percent of the whole boot. */
#define JOIN_PERCENT 80

static const struct plm_sim_range shut_down = {5000, 30000};
static const struct plm_sim_range node_cleanup = {5000, 20000};

/* ---- the catalogue ----------------------------------------------------------------------------- */

static const struct plm_w_instance_type *type_at(const struct plm_world *w, size_t index)
{
	return &((const struct plm_w_instance_type *)w->options.catalog->types.ptr)[index];
}

static int type_order(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_world *w = context;
	int order = plm_slice_compare(type_at(w, a)->name, type_at(w, b)->name);

	return order != 0 ? order : (a < b ? -1 : (a > b ? 1 : 0));
}

void plm_sim_cloud_init(struct plm_world *w)
{
	size_t count = w->options.catalog == NULL ? 0 : w->options.catalog->types.count;

	w->types = PLM_NEW_ARRAY(&w->arena, count, uint32_t);
	for (size_t i = 0; i < count; i++) {
		w->types[i] = (uint32_t)i;
	}
	plm_sort(w->types, count, type_order, w, &w->scratch);
}

const struct plm_w_instance_type *plm_sim_type(const struct plm_world *w, struct plm_slice name)
{
	size_t low = 0;
	size_t high = w->options.catalog == NULL ? 0 : w->options.catalog->types.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct plm_w_instance_type *type = type_at(w, w->types[middle]);
		int order = plm_slice_compare(name, type->name);

		if (order == 0) {
			return type;
		}
		if (order < 0) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return NULL;
}

static bool zone_open(const struct plm_world *w, struct plm_slice zone)
{
	const struct plm_slice *zones = w->options.zones.ptr;

	for (size_t i = 0; i < w->options.zones.count; i++) {
		if (plm_slice_equal(zones[i], zone)) {
			return true;
		}
	}
	return w->options.zones.count == 0;
}

static bool matches(struct plm_slice pattern, struct plm_slice text)
{
	return pattern.size == 0 || plm_slice_equal(pattern, text);
}

const struct plm_w_offering *plm_sim_offering(const struct plm_world *w,
					      const struct plm_w_offer *offer)
{
	const struct plm_w_instance_type *type = plm_sim_type(w, offer->instance_type);
	const struct plm_w_offering *list = type == NULL ? NULL : type->offerings.ptr;

	if (type == NULL || !zone_open(w, offer->zone)) {
		return NULL;
	}
	for (size_t i = 0; i < type->offerings.count; i++) {
		if (plm_slice_equal(list[i].zone, offer->zone) && list[i].available != 0 &&
		    plm_slice_equal(list[i].capacity_type, offer->capacity_type) &&
		    matches(offer->reservation, list[i].reservation)) {
			return &list[i];
		}
	}
	return NULL;
}

struct plm_slice plm_sim_out_of_stock(const struct plm_world *w, const struct plm_w_offer *offer)
{
	for (size_t i = 0; i < w->options.stock_out_count; i++) {
		const struct plm_sim_stock_out *out = &w->options.stock_outs[i];

		if (matches(out->instance_type, offer->instance_type) &&
		    matches(out->zone, offer->zone) &&
		    matches(out->capacity_type, offer->capacity_type) &&
		    w->now_ms >= out->from_ms && w->now_ms < out->to_ms) {
			return out->code.size > 0 ? out->code
						  : plm_slice_str("InsufficientInstanceCapacity");
		}
	}
	return (struct plm_slice){0};
}

/* ---- launch ------------------------------------------------------------------------------------ */

static size_t token_bucket(const char *key)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *key != '\0'; key++) {
		hash = (hash ^ (uint8_t)*key) * 0x100000001b3ULL;
	}
	return (size_t)(hash % TOKEN_BUCKETS);
}

static struct plm_sim_token *token_find(struct plm_world *w, const char *key)
{
	struct plm_sim_token *token = w->tokens[token_bucket(key)];

	while (token != NULL && strcmp(token->key, key) != 0) {
		token = token->hash_next;
	}
	return token;
}

static const struct plm_w_node_class *class_of(struct plm_world *w,
					       const struct plm_w_req_launch *request)
{
	static const enum plm_kind kinds[] = {PLM_KIND_NODE_CLASS, PLM_KIND_NODE_TEMPLATE};

	for (size_t i = 0; i < PLM_COUNTOF(kinds); i++) {
		const struct plm_sim_object *class =
			plm_sim_find(w, kinds[i], (struct plm_slice){0}, request->class_name);

		if (class != NULL) {
			return class->of.payload;
		}
	}
	return NULL;
}

/* The amounts that a class has a say in, over those of the type. */
static struct plm_vec under_class(struct plm_world *w, struct plm_vec base, const int64_t *amounts)
{
	struct plm_w_amount *own =
		PLM_NEW_ARRAY(&w->arena, PLM_EC2_RESOURCE_COUNT, struct plm_w_amount);
	struct plm_vec list = {.ptr = own};

	for (size_t r = 0; r < PLM_EC2_RESOURCE_COUNT; r++) {
		bool there = false;
		const struct plm_w_amount *had = base.ptr;

		for (size_t i = 0; i < base.count; i++) {
			there = there || plm_slice_is(had[i].resource, plm_ec2_resources[r]);
		}
		if (there || amounts[r] != 0) {
			own[list.count++] = (struct plm_w_amount){
				.resource = plm_slice_str(plm_ec2_resources[r]),
				.amount = amounts[r]};
		}
	}
	return plm_sim_amounts_over(w, base, list);
}

/* User data and volumes of its class make the node what it is. */
static void set_up(struct plm_world *w, struct plm_sim_instance *instance)
{
	const struct plm_w_node_class *class = class_of(w, instance->request);
	const struct plm_ec2_settings settings = {.reserved_enis = w->options.reserved_enis};
	struct plm_class_capacity says = {0};
	struct plm_type_facts facts;
	struct plm_ec2_amounts amounts;

	instance->capacity = instance->type->capacity;
	instance->allocatable = instance->type->allocatable;
	if (class != NULL) {
		says = plm_ec2_class_capacity(class);
	}
	if (instance->type->facts.count == 0 || plm_ec2_is_plain(&says, &settings)) {
		return;
	}
	facts = plm_ec2_facts_of(instance->type->facts.ptr);
	plm_ec2_amounts(&facts, &says, &settings, 0, &amounts);
	instance->capacity = under_class(w, instance->capacity, amounts.capacity);
	instance->allocatable = under_class(w, instance->allocatable, amounts.allocatable);
}

static void keep(struct plm_world *w, struct plm_sim_instance *instance)
{
	if (w->last_instance != NULL) {
		w->last_instance->next = instance;
	} else {
		w->instances = instance;
	}
	w->last_instance = instance;
}

struct plm_sim_instance *plm_sim_instance_new(struct plm_world *w, const struct plm_w_offer *offer,
					      const struct plm_w_req_launch *request)
{
	const struct plm_w_offering *offering = plm_sim_offering(w, offer);
	struct plm_sim_instance *instance = PLM_NEW(&w->arena, struct plm_sim_instance);

	instance->number = ++w->instance_number;
	instance->type = plm_sim_type(w, offer->instance_type);
	instance->zone = offer->zone;
	instance->capacity_type = offer->capacity_type;
	instance->reservation = offer->reservation;
	instance->price_micro =
		offering == NULL || offering->price_micro == PLM_UNSET ? 0 : offering->price_micro;
	instance->launched_ms = w->now_ms;
	instance->ended_ms = PLM_UNSET;
	instance->node_gone_ms = PLM_UNSET;
	instance->request = request;
	PLM_ASSERT(instance->type != NULL);
	set_up(w, instance);
	keep(w, instance);
	return instance;
}

struct plm_sim_instance *plm_sim_instance_of(const struct plm_world *w,
					     struct plm_slice provider_id)
{
	struct plm_sim_instance *instance = provider_id.size == 0 ? NULL : w->instances;

	while (instance != NULL && !plm_slice_equal(instance->provider_id, provider_id)) {
		instance = instance->next;
	}
	return instance;
}

/* From launch to a ready node, unless it dies before. */
void plm_sim_instance_boots(struct plm_world *w, struct plm_sim_instance *instance)
{
	int64_t boot = plm_sim_draw(w, w->options.boot);

	instance->fails = plm_sim_chance(w, w->options.launch_fail_percent);
	if (instance->fails) {
		plm_sim_plan(w, boot / 2, PLM_SIM_DUE_INSTANCE_DIES, instance, 0);
	} else {
		plm_sim_plan(w, boot * JOIN_PERCENT / 100, PLM_SIM_DUE_NODE_JOIN, instance, 0);
		plm_sim_plan(w, boot, PLM_SIM_DUE_NODE_READY, instance, 0);
	}
}

struct plm_sim_instance *plm_sim_start_instance(struct plm_world *w,
						const struct plm_w_req_launch *request,
						const struct plm_w_offer *offer, uint64_t intent)
{
	const struct plm_w_offering *offering = plm_sim_offering(w, offer);
	struct plm_sim_instance *instance = NULL;
	struct plm_w_offer taken = {.instance_type = offer->instance_type};

	PLM_ASSERT(offering != NULL);
	taken.zone = offering->zone;
	taken.capacity_type = offering->capacity_type;
	taken.reservation = offering->reservation;
	instance = plm_sim_instance_new(w, &taken, request);
	instance->provider_id = plm_arena_format(
		&w->arena, "aws:///%.*s/i-%017llx", (int)offering->zone.size,
		(const char *)offering->zone.ptr, (unsigned long long)instance->number);
	instance->intent = intent;
	w->stats.launches++;
	plm_sim_instance_boots(w, instance);
	return instance;
}

static struct plm_sim_token *token_spend(struct plm_world *w, const struct plm_effect *effect)
{
	const struct plm_w_req_launch *request = effect->request;
	struct plm_sim_token *token = PLM_NEW(&w->arena, struct plm_sim_token);
	const struct plm_w_offer *offer = plm_sim_fleet_pick(w, request, &token->refused);
	size_t bucket = token_bucket(effect->key);

	memcpy(token->key, effect->key, sizeof(token->key));
	token->intent = effect->intent;
	token->frozen = effect->frozen;
	token->code = plm_slice_str("InsufficientInstanceCapacity");
	if (offer != NULL) {
		token->instance = plm_sim_start_instance(w, request, offer, effect->intent);
		token->code = (struct plm_slice){0};
	} else if (token->refused.count > 0) {
		const struct plm_w_refusal *last = token->refused.ptr;

		token->code = last[token->refused.count - 1].code;
	}
	token->hash_next = w->tokens[bucket];
	w->tokens[bucket] = token;
	return token;
}

void plm_sim_token_add(struct plm_world *w, const struct plm_effect *launch,
		       struct plm_sim_instance *instance)
{
	struct plm_sim_token *token = PLM_NEW(&w->arena, struct plm_sim_token);
	size_t bucket = token_bucket(launch->key);

	memcpy(token->key, launch->key, sizeof(token->key));
	token->intent = launch->intent;
	token->frozen = plm_arena_copy(&w->arena, launch->frozen);
	token->code = (struct plm_slice){0};
	token->instance = instance;
	token->hash_next = w->tokens[bucket];
	w->tokens[bucket] = token;
}

static void answer_instance(const struct plm_sim_instance *instance, struct plm_w_result *out)
{
	out->provider_id = instance->provider_id;
	out->instance_type = instance->type->name;
	out->zone = instance->zone;
	out->capacity_type = instance->capacity_type;
	out->reservation = instance->reservation;
	out->price_micro = instance->price_micro;
	out->capacity = instance->capacity;
	out->allocatable = instance->allocatable;
}

void plm_sim_launch(struct plm_world *w, const struct plm_effect *effect, struct plm_w_result *out)
{
	struct plm_sim_token *token = token_find(w, effect->key);
	bool again = token != NULL;

	if (token == NULL && plm_sim_launch_error(w, out)) {
		return; /* nothing was tried, and the token is as good as new */
	}
	if (token == NULL) {
		plm_sim_check_launch(w, effect);
		token = token_spend(w, effect);
	} else if (!plm_slice_equal(token->frozen, effect->frozen)) {
		plm_sim_broken(w, "S5: intent %llu: its token was used with other parameters",
			       (unsigned long long)effect->intent);
		out->class = PLM_RESULT_FAILED;
		out->code = plm_slice_str("IdempotentParameterMismatch");
		return;
	}
	out->refused = token->refused;
	if (token->instance == NULL) {
		out->class = PLM_RESULT_FAILED;
		out->code = token->code;
		out->message = plm_slice_str("no offer has capacity");
		return;
	}
	answer_instance(token->instance, out);
	if (token->instance->state >= PLM_SIM_SHUTTING_DOWN) {
		out->class = PLM_RESULT_FAILED;
		out->code = plm_slice_str("IdempotentInstanceTerminated");
		return;
	}
	out->class = again ? PLM_RESULT_ALREADY_DONE : PLM_RESULT_DONE;
}

/* ---- from instance to node --------------------------------------------------------------------- */

static struct plm_vec node_labels(struct plm_world *w, const struct plm_sim_instance *instance,
				  struct plm_slice name)
{
	struct plm_w_kv *own = PLM_NEW_ARRAY(&w->arena, 8, struct plm_w_kv);
	const struct plm_w_expr *all = instance->type->requirements.ptr;
	struct plm_slice arch = plm_slice_str("amd64");
	struct plm_vec list = {.ptr = own};

	for (size_t i = 0; i < instance->type->requirements.count; i++) {
		if (plm_slice_is(all[i].key, "kubernetes.io/arch") && all[i].values.count == 1) {
			arch = *(const struct plm_slice *)all[i].values.ptr;
		}
	}
	own[list.count++] = (struct plm_w_kv){plm_slice_str("karpenter.sh/capacity-type"),
					      instance->capacity_type};
	if (instance->request->sync_taints == 0 && !w->options.plain) {
		own[list.count++] = (struct plm_w_kv){
			plm_slice_str("karpenter.sh/do-not-sync-taints"), plm_slice_str("true")};
	}
	own[list.count++] = (struct plm_w_kv){plm_slice_str("kubernetes.io/arch"), arch};
	own[list.count++] = (struct plm_w_kv){plm_slice_str("kubernetes.io/hostname"), name};
	own[list.count++] =
		(struct plm_w_kv){plm_slice_str("kubernetes.io/os"), plm_slice_str("linux")};
	own[list.count++] = (struct plm_w_kv){plm_slice_str("node.kubernetes.io/instance-type"),
					      instance->type->name};
	own[list.count++] = (struct plm_w_kv){plm_slice_str("topology.kubernetes.io/region"),
					      w->options.region};
	own[list.count++] =
		(struct plm_w_kv){plm_slice_str("topology.kubernetes.io/zone"), instance->zone};
	if (instance->request->pool.size > 0) {
		struct plm_w_kv *pool = PLM_NEW(&w->arena, struct plm_w_kv);
		struct plm_vec one = {.ptr = pool, .count = 1};

		*pool = (struct plm_w_kv){plm_slice_str("karpenter.sh/nodepool"),
					  instance->request->pool};
		list = plm_sim_merge(w, list, one);
	}
	/* What an instance is stands above what somebody asked for. */
	return plm_sim_merge(w, instance->request->labels, list);
}

/*
 * What the kubelet registers with: the taint that keeps pods away until the node is registered, and, but for
 * images of the user's own, all others.
 */
static struct plm_vec boot_taints(struct plm_world *w, const struct plm_w_req_launch *request)
{
	struct plm_w_taint *own = PLM_NEW(&w->arena, struct plm_w_taint);
	struct plm_vec list = {own, 1};

	*own = (struct plm_w_taint){.key = plm_slice_str("karpenter.sh/unregistered"),
				    .effect = PLM_EFFECT_NO_EXECUTE};
	if (request->sync_taints != 0) {
		return list;
	}
	if (w->options.plain) {
		list.count = 0; /* nobody would take it away */
	}
	list = plm_sim_concat(w, sizeof(*own), list, request->taints);
	return plm_sim_concat(w, sizeof(*own), list, request->startup_taints);
}

/* The capacity that is a list of the type, with what a node labels itself. */
void plm_sim_instance_joins(struct plm_world *w, struct plm_sim_instance *instance)
{
	struct plm_w_node *node = PLM_NEW(&w->arena, struct plm_w_node);
	struct plm_slice name = plm_arena_format(
		&w->arena, "ip-10-0-%u-%u.%.*s.compute.internal",
		(unsigned)(instance->number / 250 % 250), (unsigned)(instance->number % 250),
		(int)w->options.region.size, (const char *)w->options.region.ptr);

	if (instance->state >= PLM_SIM_SHUTTING_DOWN || instance->node != NULL) {
		return; /* or its Node was given to us */
	}
	instance->state = PLM_SIM_RUNNING;
	if (plm_sim_find(w, PLM_KIND_NODE, (struct plm_slice){0}, name) != NULL) {
		name = plm_arena_format(&w->arena, "%.*s-%llu", (int)name.size,
					(const char *)name.ptr,
					(unsigned long long)instance->number);
	}
	node->meta = (struct plm_w_meta){.name = name,
					 .created_ms = PLM_UNSET,
					 .deleting_ms = PLM_UNSET,
					 .labels = node_labels(w, instance, name)};
	node->provider_id = instance->provider_id;
	node->capacity = instance->capacity;
	node->allocatable = instance->allocatable;
	node->taints = boot_taints(w, instance->request);
	instance->node = plm_sim_node_new(w, node, instance);
	plm_sim_describe(w, instance);
}

/* Startup taints go when whoever set them has done its work. */
void plm_sim_startup_done(struct plm_world *w, const struct plm_sim_instance *instance)
{
	const struct plm_w_taint *gone = instance->request->startup_taints.ptr;
	struct plm_w_taint *kept = NULL;
	struct plm_w_node *node = NULL;
	const struct plm_w_taint *had = NULL;
	size_t count = 0;

	if (instance->node == NULL || instance->node->gone) {
		return;
	}
	node = instance->node->of.node;
	had = node->taints.ptr;
	kept = PLM_NEW_ARRAY(&w->arena, node->taints.count, struct plm_w_taint);
	for (size_t i = 0; i < node->taints.count; i++) {
		size_t k = 0;

		while (k < instance->request->startup_taints.count &&
		       !(plm_slice_equal(had[i].key, gone[k].key) &&
			 had[i].effect == gone[k].effect)) {
			k++;
		}
		if (k == instance->request->startup_taints.count) {
			kept[count++] = had[i];
		}
	}
	node->taints = (struct plm_vec){kept, count};
	plm_sim_touch(w, instance->node);
	plm_sim_schedule_later(w);
}

void plm_sim_instance_ready(struct plm_world *w, struct plm_sim_instance *instance)
{
	struct plm_sim_object *node = instance->node;

	if (node == NULL || node->gone || instance->state >= PLM_SIM_SHUTTING_DOWN) {
		return;
	}
	if (instance->request->startup_taints.count > 0) {
		int64_t work = plm_sim_draw(w, w->options.startup_taints);

		if (work == 0) {
			plm_sim_startup_done(w, instance);
		} else {
			plm_sim_plan(w, work, PLM_SIM_DUE_STARTUP_DONE, instance, 0);
		}
	}
	plm_sim_node_ready(w, node);
}

/* ---- describe ---------------------------------------------------------------------------------- */

void plm_sim_describe(struct plm_world *w, struct plm_sim_instance *instance)
{
	static const char *const words[] = {"pending", "running", "shutting-down", "terminated"};
	struct plm_w_instance fact = {.provider_id = instance->provider_id,
				      .state = plm_slice_str(words[instance->state]),
				      .instance_type = instance->type->name,
				      .zone = instance->zone,
				      .capacity_type = instance->capacity_type,
				      .intent = (int64_t)instance->intent,
				      .launched_ms = instance->launched_ms,
				      .claim = instance->request->claim,
				      .pool = instance->request->pool,
				      .ours = instance->foreign ? 0 : 1,
				      .reservation = instance->reservation};

	if (instance->state == PLM_SIM_TERMINATED && w->now_ms > instance->ended_ms + VISIBLE_MS) {
		return;
	}
	if (plm_sim_is_down(w, PLM_SIM_EC2_DOWN)) {
		static const struct plm_sim_range again = {10000, 20000};

		plm_sim_plan(w, plm_sim_draw(w, again), PLM_SIM_DUE_DESCRIBE, instance, 0);
		return;
	}
	plm_sim_tell(w, PLM_SOURCE_CLOUD, PLM_EV_INSTANCE, &fact, instance->intent);
}

static void describe_later(struct plm_world *w, struct plm_sim_instance *instance)
{
	plm_sim_plan(w, plm_sim_draw(w, w->options.describe_lag), PLM_SIM_DUE_DESCRIBE, instance,
		     0);
}

/* ---- end --------------------------------------------------------------------------------------- */

void plm_sim_instance_end(struct plm_world *w, struct plm_sim_instance *instance)
{
	if (instance->state >= PLM_SIM_SHUTTING_DOWN) {
		return;
	}
	instance->state = PLM_SIM_SHUTTING_DOWN;
	instance->ended_ms = w->now_ms;
	w->stats.terminations++;
	describe_later(w, instance);
	if (instance->node != NULL && !instance->node->gone) {
		plm_sim_node_lost(w, instance->node);
	}
	plm_sim_plan(w, plm_sim_draw(w, shut_down), PLM_SIM_DUE_INSTANCE_GONE, instance, 0);
}

/* Twice: first the instance is terminated, then the node controller removes its Node. */
void plm_sim_instance_gone(struct plm_world *w, struct plm_sim_instance *instance)
{
	if (instance->state == PLM_SIM_SHUTTING_DOWN) {
		instance->state = PLM_SIM_TERMINATED;
		describe_later(w, instance);
		plm_sim_plan(w, plm_sim_draw(w, node_cleanup), PLM_SIM_DUE_INSTANCE_GONE, instance,
			     0);
		return;
	}
	if (instance->node != NULL && !instance->node->gone) {
		plm_sim_node_delete(w, instance->node);
	}
}

void plm_sim_terminate(struct plm_world *w, const struct plm_w_req_terminate *request,
		       struct plm_w_result *out)
{
	struct plm_sim_instance *instance = plm_sim_instance_of(w, request->provider_id);

	if (instance == NULL) {
		out->class = PLM_RESULT_FAILED;
		out->code = plm_slice_str("InvalidInstanceID.NotFound");
		return;
	}
	if (instance->state >= PLM_SIM_SHUTTING_DOWN) {
		out->class = PLM_RESULT_ALREADY_DONE;
		out->code = plm_slice_str(instance->state == PLM_SIM_TERMINATED ? "terminated"
										: "shutting-down");
		return;
	}
	plm_sim_check_terminate(w, instance);
	plm_sim_instance_end(w, instance);
	out->class = PLM_RESULT_DONE;
}

/* Every n-th running spot instance in order of launch gets its warning. */
void plm_sim_reclaim(struct plm_world *w, size_t index)
{
	int64_t percent = w->options.reclaims[index].percent;
	int64_t running = 0;
	int64_t take = 0;

	for (const struct plm_sim_instance *i = w->instances; i != NULL; i = i->next) {
		running += i->state == PLM_SIM_RUNNING && plm_slice_is(i->capacity_type, "spot");
	}
	take = plm_div_ceil(running * percent, 100);
	plm_sim_disturb(w);
	for (struct plm_sim_instance *i = w->instances; i != NULL && take > 0; i = i->next) {
		struct plm_w_interruption warning = {.provider_id = i->provider_id,
						     .at_ms = w->now_ms + PLM_SIM_WARNING_MS};

		if (i->state != PLM_SIM_RUNNING || i->warned ||
		    !plm_slice_is(i->capacity_type, "spot")) {
			continue;
		}
		i->warned = true;
		take--;
		w->stats.reclaims++;
		plm_sim_tell(w, PLM_SOURCE_CLOUD, PLM_EV_INTERRUPTION, &warning, 0);
		plm_sim_plan(w, PLM_SIM_WARNING_MS, PLM_SIM_DUE_INSTANCE_KILLED, i, 0);
	}
}
