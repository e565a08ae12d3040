/*
 * watch.c - how the engine hears of changes: a stream that lags a little, lists, lost objects
 *
 * Changes of one object between two deliveries are told as one, as a watch cache may do; the order of
 * objects is that of their first change. A dead API server stops the stream without losing anything.
 */
#include "adapters/sim/world.h"
#include "codec/codec.h"

#include <stdlib.h>

static const struct plm_sim_range watch_lag = {1, 12};

/* ---- the inbox --------------------------------------------------------------------------------- */

static void backlog_add(struct plm_world *w, const struct plm_observation *observation)
{
	size_t pos = observation->pos.size;
	size_t size = observation->payload.size;
	struct plm_sim_backlog *item = calloc(1, sizeof(*item) + pos + size);
	uint8_t *bytes = NULL;

	PLM_ASSERT(item != NULL);
	bytes = (uint8_t *)(item + 1);
	item->observation = *observation;
	if (pos > 0) {
		memcpy(bytes, observation->pos.ptr, pos);
	}
	if (size > 0) {
		memcpy(bytes + pos, observation->payload.ptr, size);
	}
	item->observation.pos = plm_slice_of(bytes, pos);
	item->observation.payload = plm_slice_of(bytes + pos, size);
	if (w->last_backlog != NULL) {
		w->last_backlog->next = item;
	} else {
		w->backlog = item;
	}
	w->last_backlog = item;
}

static void backlog_pop(struct plm_world *w)
{
	struct plm_sim_backlog *item = w->backlog;

	w->backlog = item->next;
	if (w->backlog == NULL) {
		w->last_backlog = NULL;
	}
	free(item);
}

void plm_sim_backlog_drain(struct plm_world *w)
{
	while (w->backlog != NULL &&
	       w->options.inbox.put(w->options.inbox.self, &w->backlog->observation) !=
		       PLM_E_AGAIN) {
		backlog_pop(w);
	}
}

void plm_sim_backlog_drop(struct plm_world *w)
{
	while (w->backlog != NULL) {
		backlog_pop(w);
	}
}

/* Nothing overtakes what waits for room. Any answer but PLM_E_AGAIN means that nobody listens. */
static void put(struct plm_world *w, const struct plm_observation *observation)
{
	if (w->backlog != NULL ||
	    w->options.inbox.put(w->options.inbox.self, observation) == PLM_E_AGAIN) {
		backlog_add(w, observation);
	}
	w->stats.observations++;
}

void plm_sim_observe(struct plm_world *w, const struct plm_observation *observation)
{
	if (w->options.inbox.put == NULL || !w->connected) {
		return;
	}
	put(w, observation);
	if (plm_sim_chance(w, plm_sim_fault_percent(w, PLM_SIM_DUPLICATE_EVENTS))) {
		put(w, observation);
		w->stats.duplicates_sent++;
	}
}

/* ---- objects ----------------------------------------------------------------------------------- */

void plm_sim_tell(struct plm_world *w, enum plm_source source, enum plm_event_type type,
		  const void *payload, uint64_t intent)
{
	size_t mark = plm_arena_mark(&w->scratch);
	struct plm_observation observation = {.source = source, .type = type, .intent = intent};

	observation.payload = plm_payload_encode(plm_event_info((uint16_t)type), payload,
						 (struct plm_slice){0}, &w->scratch);
	plm_sim_observe(w, &observation);
	plm_arena_rewind(&w->scratch, mark);
}

void plm_sim_gone(struct plm_world *w, const struct plm_w_gone *gone)
{
	plm_sim_tell(w, PLM_SOURCE_KUBE, PLM_EV_GONE, gone, 0);
}

/* What is kept of a PodSet's status here serves the world's checks and is not told. */
static struct plm_slice encode(struct plm_world *w, const struct plm_sim_object *object)
{
	struct plm_w_job set;

	if (object->kind != PLM_KIND_POD_SET) {
		return plm_payload_encode(object->info, object->of.payload, (struct plm_slice){0},
					  &w->scratch);
	}
	set = *object->of.job;
	set.active = 0;
	set.ready = 0;
	set.succeeded = 0;
	set.failed = 0;
	set.end = PLM_JOB_OPEN;
	set.ended_ms = PLM_UNSET;
	return plm_payload_encode(object->info, &set, (struct plm_slice){0}, &w->scratch);
}

static void deliver(struct plm_world *w, struct plm_sim_object *object)
{
	size_t mark = plm_arena_mark(&w->scratch);
	struct plm_observation observation = {.source = PLM_SOURCE_KUBE,
					      .type = (enum plm_event_type)object->info->type};

	if (object->gone) {
		const struct plm_w_gone gone = {.kind = object->kind,
						.ns = object->of.meta->ns,
						.name = object->of.meta->name,
						.uid = object->of.meta->uid};

		if (object->delivered != 0) {
			plm_sim_gone(w, &gone);
		}
		return;
	}
	object->delivered = object->version;
	observation.pos =
		plm_arena_format(&w->scratch, "%llu", (unsigned long long)object->version);
	observation.payload = encode(w, object);
	plm_sim_observe(w, &observation);
	plm_arena_rewind(&w->scratch, mark);
}

static void plan_flush(struct plm_world *w)
{
	if (!w->watch_planned && w->options.inbox.put != NULL) {
		w->watch_planned = true;
		plm_sim_plan(w, plm_sim_draw(w, watch_lag), PLM_SIM_DUE_WATCH, NULL, 0);
	}
}

static void enqueue(struct plm_world *w, struct plm_sim_object *object)
{
	if (object->queued || !w->connected || w->options.inbox.put == NULL) {
		return;
	}
	if (w->watch_count == w->watch_capacity) {
		size_t capacity = w->watch_capacity == 0 ? 256 : w->watch_capacity * 2;
		struct plm_sim_object **grown = realloc(w->watch, capacity * sizeof(*grown));

		PLM_ASSERT(grown != NULL);
		w->watch = grown;
		w->watch_capacity = capacity;
	}
	w->watch[w->watch_count++] = object;
	object->queued = true;
	plan_flush(w);
}

void plm_sim_touch(struct plm_world *w, struct plm_sim_object *object)
{
	object->version = ++w->version;
	enqueue(w, object);
	plm_sim_pdb_later(w, object);
}

void plm_sim_watch_flush(struct plm_world *w)
{
	w->watch_planned = false;
	if (!plm_world_reachable(w)) {
		return; /* the end of the fault flushes */
	}
	for (size_t i = 0; i < w->watch_count; i++) {
		w->watch[i]->queued = false;
		deliver(w, w->watch[i]);
	}
	w->watch_count = 0;
}

bool plm_world_reachable(const struct plm_world *w)
{
	return !plm_sim_is_down(w, PLM_SIM_API_SERVER_DOWN);
}

void plm_world_disconnect(struct plm_world *w)
{
	w->connected = false;
	plm_sim_backlog_drop(w);
	for (size_t i = 0; i < w->watch_count; i++) {
		w->watch[i]->queued = false;
	}
	w->watch_count = 0;
	for (size_t i = 0; i < w->flying_count; i++) {
		w->flying[i]->orphan = true;
	}
	plm_sim_disturb(w);
}

static void tell_listed(struct plm_world *w, enum plm_kind kind)
{
	struct plm_w_listed listed = {.kind = kind};

	listed.revision = plm_arena_format(&w->scratch, "%llu", (unsigned long long)w->version);
	plm_sim_tell(w, kind == PLM_KIND_NONE ? PLM_SOURCE_CLOUD : PLM_SOURCE_KUBE, PLM_EV_LISTED,
		     &listed, 0);
}

void plm_sim_reach(struct plm_world *w, enum plm_source source, bool away)
{
	struct plm_w_reach reach = {.source = source, .away = away ? 1 : 0};

	plm_sim_tell(w, source, PLM_EV_REACH, &reach, 0);
}

/* All objects of a kind, in the bracket that lets the engine infer which ones are gone (core/ports.h). */
static void list_kind(struct plm_world *w, enum plm_kind kind)
{
	size_t mark = plm_arena_mark(&w->scratch);
	const struct plm_w_listed listed = {.kind = kind};
	const struct plm_observation begins = {
		.source = PLM_SOURCE_KUBE,
		.type = PLM_EV_LISTED,
		.payload = plm_payload_encode(plm_event_info(PLM_EV_LISTED), &listed,
					      (struct plm_slice){0}, &w->scratch),
		.observed = PLM_OBSERVED_LIST_BEGINS,
	};

	plm_sim_observe(w, &begins);
	plm_arena_rewind(&w->scratch, mark);
	PLM_SIM_EACH(w, kind, object)
	{
		if (!object->gone) {
			deliver(w, object);
		}
	}
	tell_listed(w, kind);
}

/*
 * Lists come kind by kind. What the lost watch had still to tell is in them, and what they do not show was
 * deleted in between.
 */
void plm_world_relist(struct plm_world *w)
{
	bool was_connected = w->connected;

	PLM_ASSERT(plm_world_reachable(w));
	w->connected = true;
	for (size_t i = 0; i < w->watch_count; i++) {
		w->watch[i]->queued = false;
	}
	w->watch_count = 0;
	if (w->object_number == 0) {
		return; /* nobody has applied anything yet: the first list comes later */
	}
	for (int64_t kind = PLM_KIND_NONE + 1; kind < plm_names_kind.count; kind++) {
		if (kind != PLM_KIND_POD_GROUP) { /* made of its pods, no object of the API */
			list_kind(w, (enum plm_kind)kind);
		}
	}
	if (!was_connected) {
		plm_sim_list_instances(w);
	}
}

void plm_world_listed(struct plm_world *w)
{
	tell_listed(w, PLM_KIND_NODE_CLAIM);
	tell_listed(w, PLM_KIND_NODE);
	if (w->options.publishes) {
		tell_listed(w, PLM_KIND_WORKLOAD);
	}
	plm_sim_list_instances(w);
}

void plm_sim_list_instances(struct plm_world *w)
{
	static const struct plm_sim_range again = {10000, 20000};

	if (plm_sim_is_down(w, PLM_SIM_EC2_DOWN)) {
		plm_sim_plan(w, plm_sim_draw(w, again), PLM_SIM_DUE_LISTED, NULL, 1);
		return;
	}
	for (struct plm_sim_instance *i = w->instances; i != NULL; i = i->next) {
		plm_sim_describe(w, i);
	}
	tell_listed(w, PLM_KIND_NONE);
}
