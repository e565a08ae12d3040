/*
 * The fields of a Scenario. Every read marks its field; what is left unread is unknown and refused.
 */
#include "core/limits.h"
#include "core/state.h"
#include "core/timefmt.h"
#include "core/wire_copy.h"
#include "tools/sim/scenario_read.h"

/* Arrivals and changes of one scenario. */
#define ACTIONS_MAX 200000

static int64_t percent(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
		       int64_t absent)
{
	int64_t value = plm_doc_int(tree, map, key, absent);

	if (value < 0 || value > 100) {
		plm_doc_fail(tree, plm_doc_get(map, key), "must be 0 to 100");
		return absent;
	}
	return value;
}

static struct plm_sim_range range(struct plm_doc_tree *tree, struct plm_doc *map, const char *key,
				  struct plm_sim_range absent)
{
	struct plm_doc *node = plm_doc_map(tree, map, key);
	struct plm_sim_range out = absent;

	if (node == NULL) {
		return absent;
	}
	out.min_ms = plm_doc_duration(tree, node, "min", absent.min_ms);
	out.max_ms = plm_doc_duration(tree, node, "max", plm_max(absent.max_ms, out.min_ms));
	if (out.max_ms < out.min_ms) {
		plm_doc_fail(tree, node, "max is less than min");
		return absent;
	}
	return out;
}

static struct plm_slice keep(const struct plm_scenario_reading *r, struct plm_slice text)
{
	return plm_arena_copy(&r->scenario->arena, text);
}

/* A point of time given as the duration since the start. */
static int64_t at(const struct plm_scenario_reading *r, struct plm_doc *map, const char *key,
		  int64_t absent)
{
	return plm_add_sat(r->scenario->world.start_ms,
			   plm_doc_duration(r->tree, map, key, absent));
}

static size_t count_of(struct plm_doc *list)
{
	return list == NULL ? 0 : list->count;
}

/* ---- cluster ----------------------------------------------------------------------------------- */

static struct plm_vec taints(struct plm_scenario_reading *r, struct plm_doc *map)
{
	struct plm_doc *list = plm_doc_list(r->tree, map, "taints");
	struct plm_w_taint *out =
		PLM_NEW_ARRAY(&r->scenario->arena, count_of(list), struct plm_w_taint);
	size_t count = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		out[count].key = keep(r, plm_doc_text_required(r->tree, item, "key"));
		out[count].value = keep(r, plm_doc_text(r->tree, item, "value"));
		out[count].effect = plm_doc_enum(r->tree, item, "effect", &plm_names_taint_effect,
						 PLM_EFFECT_NO_SCHEDULE);
		count++;
	}
	return (struct plm_vec){.ptr = out, .count = count};
}

static struct plm_vec keep_kv(const struct plm_scenario_reading *r, struct plm_vec list)
{
	return plm_wire_copy_list(&plm_type_kv, list, &r->scenario->arena);
}

static struct plm_slice node_name(struct plm_scenario_reading *r, struct plm_doc *item,
				  int64_t index, int64_t count)
{
	struct plm_slice name = plm_doc_text(r->tree, item, "name");
	struct plm_arena *arena = &r->scenario->arena;

	if (name.size == 0) {
		return plm_arena_format(arena, "node-%zu", r->scenario->node_count + 1);
	}
	if (count == 1) {
		return plm_arena_copy(arena, name);
	}
	return plm_arena_format(arena, "%.*s-%lld", (int)name.size, (const char *)name.ptr,
				(long long)index);
}

static void one_row_of_nodes(struct plm_scenario_reading *r, struct plm_doc *item, int64_t count)
{
	struct plm_scenario *s = r->scenario;

	for (int64_t i = 0; i < count; i++) {
		struct plm_sim_node *node = &s->nodes[s->node_count];

		node->name = node_name(r, item, i, count);
		node->instance_type = keep(r, plm_doc_text(r->tree, item, "instanceType"));
		node->zone = keep(r, plm_doc_text(r->tree, item, "zone"));
		node->labels = keep_kv(r, plm_doc_kv(r->tree, item, "labels"));
		node->taints = taints(r, item);
		node->capacity = plm_wire_copy_list(
			&plm_type_amount, plm_doc_amounts(r->tree, item, "capacity"), &s->arena);
		s->node_count++;
	}
	if (count == 0) {
		plm_doc_ignore(item);
	}
	if (count > 0 && s->nodes[s->node_count - 1].instance_type.size == 0 &&
	    s->nodes[s->node_count - 1].capacity.count == 0) {
		plm_doc_fail(r->tree, item, "needs instanceType or capacity");
	}
}

static void cluster(struct plm_scenario_reading *r, struct plm_doc *spec)
{
	struct plm_scenario *s = r->scenario;
	struct plm_doc *map = plm_doc_map(r->tree, spec, "cluster");
	struct plm_doc *list = plm_doc_list(r->tree, map, "nodes");
	int64_t total = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		total += plm_doc_count(r->tree, item, "count", 1);
	}
	if (total > 100000) {
		plm_doc_fail(r->tree, list, "more than 100000 nodes");
		return;
	}
	s->nodes = PLM_NEW_ARRAY(&s->arena, (size_t)total, struct plm_sim_node);
	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		one_row_of_nodes(r, item, plm_doc_count(r->tree, item, "count", 1));
	}
	s->world.scheduler_latency_ms =
		plm_doc_duration(r->tree, map, "schedulerLatency", s->world.scheduler_latency_ms);
	s->world.pod_start = range(r->tree, map, "podStart", s->world.pod_start);
}

/* ---- cloud ------------------------------------------------------------------------------------- */

static void stock_outs(struct plm_scenario_reading *r, struct plm_doc *map)
{
	struct plm_doc *list = plm_doc_list(r->tree, map, "stockOut");
	struct plm_sim_stock_out *out =
		PLM_NEW_ARRAY(&r->scenario->arena, count_of(list), struct plm_sim_stock_out);
	size_t count = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		out[count].instance_type = keep(r, plm_doc_text(r->tree, item, "instanceType"));
		out[count].zone = keep(r, plm_doc_text(r->tree, item, "zone"));
		out[count].capacity_type = keep(r, plm_doc_text(r->tree, item, "capacityType"));
		out[count].from_ms = at(r, item, "from", 0);
		out[count].to_ms = at(r, item, "to", INT64_MAX);
		out[count].code = keep(r, plm_doc_text(r->tree, item, "code"));
		count++;
	}
	r->scenario->world.stock_outs = out;
	r->scenario->world.stock_out_count = count;
}

static void launch_errors(struct plm_scenario_reading *r, struct plm_doc *map)
{
	struct plm_doc *list = plm_doc_list(r->tree, map, "launchErrors");
	struct plm_sim_launch_error *out =
		PLM_NEW_ARRAY(&r->scenario->arena, count_of(list), struct plm_sim_launch_error);
	size_t count = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		out[count].code = keep(r, plm_doc_text_required(r->tree, item, "code"));
		out[count].message = keep(r, plm_doc_text(r->tree, item, "message"));
		out[count].from_ms = at(r, item, "from", 0);
		out[count].to_ms = at(r, item, "to", INT64_MAX);
		count++;
	}
	r->scenario->world.launch_errors = out;
	r->scenario->world.launch_error_count = count;
}

static void leftovers(struct plm_scenario_reading *r, struct plm_doc *map)
{
	struct plm_doc *list = plm_doc_list(r->tree, map, "instances");
	struct plm_sim_leftover *out =
		PLM_NEW_ARRAY(&r->scenario->arena, count_of(list), struct plm_sim_leftover);
	size_t count = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		out[count++] = (struct plm_sim_leftover){
			.instance_type =
				keep(r, plm_doc_text_required(r->tree, item, "instanceType")),
			.zone = keep(r, plm_doc_text_required(r->tree, item, "zone")),
			.capacity_type =
				keep(r, plm_doc_text_required(r->tree, item, "capacityType")),
			.claim = keep(r, plm_doc_text(r->tree, item, "nodeClaim")),
			.pool = keep(r, plm_doc_text(r->tree, item, "nodePool")),
			.age_ms = plm_doc_duration(r->tree, item, "age", 0),
			.foreign = plm_doc_bool(r->tree, item, "otherCluster", 0) != 0,
		};
	}
	r->scenario->leftovers = out;
	r->scenario->leftover_count = count;
}

static void reclaims(struct plm_scenario_reading *r, struct plm_doc *map)
{
	struct plm_doc *list = plm_doc_list(r->tree, map, "spotReclaims");
	struct plm_sim_reclaim *out =
		PLM_NEW_ARRAY(&r->scenario->arena, count_of(list), struct plm_sim_reclaim);
	size_t count = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		out[count].at_ms = at(r, item, "at", 0);
		out[count].percent = percent(r->tree, item, "percent", 100);
		count++;
	}
	r->scenario->world.reclaims = out;
	r->scenario->world.reclaim_count = count;
}

/* How long before it comes true the cloud says it, where a scenario does not. */
static int64_t notice_of(enum plm_interrupt kind)
{
	switch (kind) {
	case PLM_INTERRUPT_SPOT:
	case PLM_INTERRUPT_RESERVATION:
		return 2 * PLM_MS_PER_MINUTE;
	case PLM_INTERRUPT_SCHEDULED:
		return 2 * PLM_MS_PER_HOUR;
	case PLM_INTERRUPT_BLOCK:
		return PLM_MS_PER_HOUR;
	case PLM_INTERRUPT_REBALANCE:
	case PLM_INTERRUPT_STATE:
	case PLM_INTERRUPT_IMPAIRED:
		return 0;
	}
	PLM_UNREACHABLE();
}

static void one_interrupt(struct plm_scenario_reading *r, struct plm_doc *item,
			  struct plm_sim_interrupt *out)
{
	bool counted = plm_doc_get(item, "count") != NULL;

	out->kind = (enum plm_interrupt)plm_doc_enum(r->tree, item, "kind", &plm_names_interrupt,
						     PLM_INTERRUPT_SPOT);
	if (plm_doc_get(item, "kind") == NULL) {
		plm_doc_fail(r->tree, item, "kind is missing");
	}
	out->at_ms = at(r, item, "at", 0);
	out->count = plm_doc_count(r->tree, item, "count", PLM_UNSET);
	out->percent = percent(r->tree, item, "percent", 100);
	if (counted && plm_doc_get(item, "percent") != NULL) {
		plm_doc_fail(r->tree, item, "has both count and percent");
	}
	out->notice_ms = plm_doc_duration(r->tree, item, "notice", notice_of(out->kind));
	out->times = plm_doc_count(r->tree, item, "times", 1);
	if (out->times < 1 || out->times > 1000) {
		plm_doc_fail(r->tree, plm_doc_get(item, "times"), "1 to 1000");
	}
	out->every_ms = plm_doc_duration(r->tree, item, "every", 0);
	out->state = keep(r, plm_doc_text(r->tree, item, "state"));
	if (out->kind == PLM_INTERRUPT_STATE && !plm_slice_is(out->state, "stopping") &&
	    !plm_slice_is(out->state, "stopped") && !plm_slice_is(out->state, "shutting-down") &&
	    !plm_slice_is(out->state, "terminated")) {
		plm_doc_fail(r->tree, item,
			     "state must be stopping, stopped, shutting-down or terminated");
	}
}

static void interrupts(struct plm_scenario_reading *r, struct plm_doc *map)
{
	struct plm_doc *list = plm_doc_list(r->tree, map, "interruptions");
	struct plm_sim_interrupt *out =
		PLM_NEW_ARRAY(&r->scenario->arena, count_of(list), struct plm_sim_interrupt);
	size_t count = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		one_interrupt(r, item, &out[count++]);
	}
	r->scenario->world.interrupts = out;
	r->scenario->world.interrupt_count = count;
}

static void cloud(struct plm_scenario_reading *r, struct plm_doc *spec)
{
	struct plm_sim_options *world = &r->scenario->world;
	struct plm_doc *map = plm_doc_map(r->tree, spec, "cloud");
	struct plm_slice region = plm_doc_text(r->tree, map, "region");
	struct plm_vec zones = plm_doc_texts(r->tree, map, "zones");
	const struct plm_slice *names = zones.ptr;
	struct plm_slice *kept = PLM_NEW_ARRAY(&r->scenario->arena, zones.count, struct plm_slice);

	if (region.size > 0) {
		world->region = keep(r, region);
	}
	for (size_t i = 0; i < zones.count; i++) {
		kept[i] = keep(r, names[i]);
	}
	world->zones = (struct plm_vec){.ptr = kept, .count = zones.count};
	world->api_latency = range(r->tree, map, "apiLatency", world->api_latency);
	world->boot = range(r->tree, map, "boot", world->boot);
	world->startup_taints = range(r->tree, map, "startupTaints", world->startup_taints);
	world->describe_lag = range(r->tree, map, "describeLag", world->describe_lag);
	world->launch_fail_percent =
		percent(r->tree, plm_doc_map(r->tree, map, "launchFailures"), "percent", 0);
	stock_outs(r, map);
	launch_errors(r, map);
	leftovers(r, map);
	reclaims(r, map);
	interrupts(r, map);
}

/* ---- faults ------------------------------------------------------------------------------------ */

static void faults(struct plm_scenario_reading *r, struct plm_doc *spec)
{
	struct plm_doc *list = plm_doc_list(r->tree, spec, "faults");
	struct plm_sim_fault *out =
		PLM_NEW_ARRAY(&r->scenario->arena, count_of(list), struct plm_sim_fault);
	size_t count = 0;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		struct plm_slice by = plm_doc_text(r->tree, item, "by");
		struct plm_sim_fault *fault = &out[count++];

		fault->kind = (enum plm_sim_fault_kind)plm_doc_enum(
			r->tree, item, "kind", &plm_names_sim_fault_kind, PLM_SIM_CRASH);
		if (plm_doc_get(item, "kind") == NULL) {
			plm_doc_fail(r->tree, item, "kind is missing");
		}
		fault->at_ms = at(r, item, "at", 0);
		fault->for_ms = plm_doc_duration(r->tree, item, "for", 0);
		fault->percent = percent(r->tree, item, "percent", 100);
		if (by.size > 0 && plm_duration_parse_ms(by, &fault->by_ms, NULL) != PLM_OK) {
			plm_doc_fail(r->tree, plm_doc_get(item, "by"), "is not a duration");
		}
		if (fault->kind == PLM_SIM_LEADER_CHANGE) {
			plm_doc_fail(r->tree, plm_doc_get(item, "kind"),
				     "leaderChange needs replication, which does not exist yet");
		}
	}
	r->scenario->world.faults = out;
	r->scenario->world.fault_count = count;
}

/* ---- arrivals and changes ----------------------------------------------------------------------- */

static uint64_t draw(struct plm_scenario_reading *r)
{
	uint64_t z = 0;

	r->random += 0x9e3779b97f4a7c15ULL;
	z = r->random;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Project 'object' under 'name' into a new action; false after a failure. */
static bool project(struct plm_scenario_reading *r, struct plm_doc *object, struct plm_slice name,
		    const struct plm_sim_action *like)
{
	const struct plm_manifest_naming naming = {.name = name};
	size_t had = r->scenario->action_count;
	size_t mark = plm_arena_mark(r->tree->arena);
	struct plm_error err;

	r->like = like;
	if (plm_manifest_project(r->reader, r->tree, object, &naming, &err) != PLM_OK) {
		plm_doc_fail(r->tree, object, "%s", err.text);
	}
	r->like = NULL;
	plm_arena_rewind(r->tree->arena, mark); /* the action has a copy */
	if (r->tree->code == PLM_OK && r->scenario->action_count == had) {
		plm_doc_fail(r->tree, object, "is of no kind that the cluster knows");
	}
	return r->tree->code == PLM_OK;
}

static void one_arrival(struct plm_scenario_reading *r, struct plm_doc *item)
{
	struct plm_doc *object = plm_doc_map(r->tree, item, "object");
	struct plm_slice name =
		object == NULL
			? (struct plm_slice){0}
			: plm_doc_text_required(r->tree, plm_doc_get(object, "metadata"), "name");
	int64_t count = plm_doc_count(r->tree, item, "count", 1);
	int64_t every = plm_doc_duration(r->tree, item, "every", 0);
	int64_t first = at(r, item, "at", 0);
	bool runs = plm_doc_get(item, "runtime") != NULL;
	struct plm_sim_range runtime =
		range(r->tree, item, "runtime", (struct plm_sim_range){0, 0});
	struct plm_sim_action like = {.what = PLM_SIM_APPLY};

	if (object == NULL) {
		plm_doc_fail(r->tree, item, "object is missing");
		return;
	}
	if (count > ACTIONS_MAX || r->scenario->action_count + (size_t)count > ACTIONS_MAX) {
		plm_doc_fail(r->tree, plm_doc_get(item, "count"), "more than %d arrivals",
			     ACTIONS_MAX);
		return;
	}
	like.extra.fail_percent = percent(r->tree, item, "failPercent", 0);
	for (int64_t n = 0; n < count; n++) {
		struct plm_slice numbered =
			plm_arena_format(&r->scenario->arena, "%.*s-%lld", (int)name.size,
					 (const char *)name.ptr, (long long)n + 1);
		uint64_t width = (uint64_t)(runtime.max_ms - runtime.min_ms) + 1;

		like.at_ms = plm_add_sat(first, plm_mul_sat(every, n));
		like.extra.runtime_ms =
			runs ? runtime.min_ms + (int64_t)(draw(r) % width) : PLM_UNSET;
		if (!project(r, object, numbered, &like)) {
			return;
		}
	}
	plm_doc_ignore(object);
}

static void reference(struct plm_scenario_reading *r, struct plm_doc *map,
		      struct plm_sim_action *action)
{
	action->kind =
		(enum plm_kind)plm_doc_enum(r->tree, map, "kind", &plm_names_kind, PLM_KIND_NONE);
	action->ns = keep(r, plm_doc_text(r->tree, map, "namespace"));
	action->name = keep(r, plm_doc_text_required(r->tree, map, "name"));
	if (action->kind == PLM_KIND_NONE) {
		plm_doc_fail(r->tree, map, "kind is missing");
	}
}

static bool scales(enum plm_kind kind)
{
	return kind == PLM_KIND_DEPLOYMENT || kind == PLM_KIND_REPLICA_SET ||
	       kind == PLM_KIND_STATEFUL_SET || kind == PLM_KIND_JOB || kind == PLM_KIND_POD_SET ||
	       kind == PLM_KIND_NONE; /* said already */
}

/* What a controller of a check, or a person with kubectl, writes into a Workload. */
static void patch_change(struct plm_scenario_reading *r, struct plm_doc *map,
			 struct plm_sim_action *action)
{
	struct plm_w_workload_patch patch;

	plm_manifest_patch(r->tree, map, &patch);
	action->what = PLM_SIM_PATCH;
	action->type = PLM_EV_WORKLOAD_PATCH;
	action->payload = plm_wire_copy(&plm_type_workload_patch, &patch, &r->scenario->arena);
	action->kind = PLM_KIND_WORKLOAD;
	action->ns = ((struct plm_w_workload_patch *)action->payload)->ns;
	action->name = ((struct plm_w_workload_patch *)action->payload)->name;
}

static void one_change(struct plm_scenario_reading *r, struct plm_doc *item)
{
	struct plm_doc *apply = plm_doc_map(r->tree, item, "apply");
	struct plm_doc *delete = plm_doc_map(r->tree, item, "delete");
	struct plm_doc *scale = plm_doc_map(r->tree, item, "scale");
	struct plm_doc *patch = plm_doc_map(r->tree, item, "patch");
	struct plm_sim_action like = {.at_ms = at(r, item, "at", 0)};

	if ((apply != NULL) + (delete != NULL) + (scale != NULL) + (patch != NULL) != 1) {
		plm_doc_fail(r->tree, item, "needs exactly one of apply, delete, scale, patch");
		return;
	}
	like.extra.runtime_ms = PLM_UNSET;
	if (patch != NULL) {
		patch_change(r, patch, &like);
		*plm_scenario_action(r->scenario) = like;
		return;
	}
	if (apply != NULL) {
		(void)project(r, apply, (struct plm_slice){0}, &like);
		plm_doc_ignore(apply);
		return;
	}
	like.what = delete != NULL ? PLM_SIM_DELETE : PLM_SIM_SCALE;
	reference(r, delete != NULL ? delete : scale, &like);
	if (scale != NULL) {
		like.replicas = plm_doc_count(r->tree, scale, "replicas", 1);
		if (like.replicas > PLM_LIMIT_POD_SET_PODS) {
			plm_doc_fail(r->tree, plm_doc_get(scale, "replicas"), "at most %d pods",
				     PLM_LIMIT_POD_SET_PODS);
		}
		if (!scales(like.kind)) {
			plm_doc_fail(r->tree, plm_doc_get(scale, "kind"), "cannot be scaled");
		}
	}
	*plm_scenario_action(r->scenario) = like;
}

static void each(struct plm_scenario_reading *r, struct plm_doc *list,
		 void (*one)(struct plm_scenario_reading *r, struct plm_doc *item))
{
	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		if (r->tree->code == PLM_OK) {
			one(r, item);
		}
	}
}

static void compare(struct plm_scenario_reading *r, struct plm_doc *spec)
{
	struct plm_doc *map = plm_doc_map(r->tree, spec, "compare");
	struct plm_slice model = plm_doc_text(r->tree, map, "model");
	struct plm_sim_compare *out = &r->scenario->compare;

	if (map == NULL) {
		return;
	}
	if (!plm_slice_is(model, "pendingPods")) {
		plm_doc_fail(r->tree, map, "model must be pendingPods");
	}
	out->wanted = true;
	out->scan_ms = plm_doc_duration(r->tree, map, "scanInterval", 10 * PLM_MS_PER_SECOND);
	out->idle_ms = plm_doc_duration(r->tree, map, "scaleDownAfter", 10 * PLM_MS_PER_MINUTE);
	if (out->scan_ms == 0) {
		plm_doc_fail(r->tree, map, "scanInterval must not be 0");
	}
}

/* Areas whose decisions are written into objects, as in a real cluster. */
static void publish(struct plm_scenario_reading *r, struct plm_doc *spec)
{
	struct plm_vec areas = plm_doc_texts(r->tree, spec, "publish");
	const struct plm_slice *area = areas.ptr;

	for (size_t i = 0; i < areas.count; i++) {
		if (plm_slice_is(area[i], "queues")) {
			r->scenario->config.publish |= PLM_PUBLISH_QUEUES;
		} else if (plm_slice_is(area[i], "nodes")) {
			r->scenario->config.publish |= PLM_PUBLISH_NODES;
		} else {
			plm_doc_fail(r->tree, plm_doc_get(spec, "publish"),
				     "must be queues or nodes");
		}
	}
	r->scenario->world.publishes = areas.count > 0;
}

void plm_scenario_spec(struct plm_scenario_reading *r)
{
	struct plm_scenario *s = r->scenario;
	struct plm_doc *spec = plm_doc_map(r->tree, r->tree->root, "spec");
	int64_t start = plm_doc_time(r->tree, spec, "start");

	if (start != PLM_UNSET) {
		s->world.start_ms = start;
	}
	s->duration_ms = plm_doc_duration(r->tree, spec, "duration", PLM_UNSET);
	if (s->duration_ms == PLM_UNSET) {
		plm_doc_fail(r->tree, spec, "duration is missing");
		return;
	}
	cluster(r, spec);
	cloud(r, spec);
	faults(r, spec);
	publish(r, spec);
	each(r, plm_doc_list(r->tree, spec, "arrivals"), one_arrival);
	each(r, plm_doc_list(r->tree, spec, "changes"), one_change);
	compare(r, spec);
}
