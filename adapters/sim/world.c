/*
 * world.c - the queue of what is due, chance, time, faults
 */
#include "adapters/sim/world.h"

#include <stdlib.h>

#define WORLD_BYTES ((size_t)8 * 1024 * 1024 * 1024)
#define SCRATCH_BYTES ((size_t)256 * 1024 * 1024)
/* Events at one instant; more means that something plans itself again without end. */
#define INSTANT_EVENTS_MAX 20000000ULL

PLM_STATIC_ASSERT((int)PLM_SIM_KIND_COUNT > (int)PLM_KIND_STATEFUL_SET, "room for every kind");

#define FAULT_TEXT(value, text) text,
static const char *const fault_texts[] = {PLM_SIM_FAULT_LIST(FAULT_TEXT)};
const struct plm_wire_names plm_names_sim_fault_kind = {
	.name = "sim_fault_kind", .texts = fault_texts, .count = PLM_COUNTOF(fault_texts)};

/* ---- chance: splitmix64 ------------------------------------------------------------------------ */

uint64_t plm_world_random(struct plm_world *w)
{
	uint64_t z = 0;

	w->random += 0x9e3779b97f4a7c15ULL;
	z = w->random;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

int64_t plm_sim_draw(struct plm_world *w, struct plm_sim_range range)
{
	uint64_t width = 0;

	if (w->options.instant) {
		return 0;
	}
	PLM_ASSERT(range.min_ms >= 0 && range.max_ms >= range.min_ms);
	width = (uint64_t)(range.max_ms - range.min_ms) + 1;
	return range.min_ms + (int64_t)(plm_world_random(w) % width);
}

bool plm_sim_chance(struct plm_world *w, int64_t percent)
{
	if (percent <= 0 || w->options.instant) {
		return false;
	}
	return (int64_t)(plm_world_random(w) % 100) < percent;
}

/* ---- the queue: a binary heap by (due, number) -------------------------------------------------- */

static bool before(const struct plm_sim_event *a, const struct plm_sim_event *b)
{
	if (a->due_ms != b->due_ms) {
		return a->due_ms < b->due_ms;
	}
	return a->number < b->number;
}

static void heap_grow(struct plm_world *w)
{
	size_t capacity = w->heap_capacity == 0 ? 256 : w->heap_capacity * 2;
	struct plm_sim_event *heap = realloc(w->heap, capacity * sizeof(*heap));

	PLM_ASSERT(heap != NULL);
	w->heap = heap;
	w->heap_capacity = capacity;
}

void plm_sim_plan(struct plm_world *w, int64_t after_ms, enum plm_sim_due kind, void *subject,
		  uint64_t token)
{
	struct plm_sim_event event = {
		.due_ms = plm_add_sat(w->now_ms, w->options.instant ? 0 : after_ms),
		.number = ++w->event_number,
		.kind = kind,
		.subject = subject,
		.token = token};
	size_t at = w->heap_count;

	PLM_ASSERT(after_ms >= 0);
	if (w->heap_count == w->heap_capacity) {
		heap_grow(w);
	}
	w->heap_count++;
	while (at > 0 && before(&event, &w->heap[(at - 1) / 2])) {
		w->heap[at] = w->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	w->heap[at] = event;
}

static struct plm_sim_event heap_pop(struct plm_world *w)
{
	struct plm_sim_event top = w->heap[0];
	struct plm_sim_event moved = w->heap[--w->heap_count];
	size_t at = 0;

	for (size_t child = 1; child < w->heap_count; child = at * 2 + 1) {
		if (child + 1 < w->heap_count && before(&w->heap[child + 1], &w->heap[child])) {
			child++;
		}
		if (!before(&w->heap[child], &moved)) {
			break;
		}
		w->heap[at] = w->heap[child];
		at = child;
	}
	w->heap[at] = moved;
	return top;
}

/* ---- faults ------------------------------------------------------------------------------------ */

void plm_sim_disturb(struct plm_world *w)
{
	w->disturbed_ms = w->now_ms;
	w->calm_effects = 0;
}

int64_t plm_sim_fault_percent(const struct plm_world *w, enum plm_sim_fault_kind kind)
{
	int64_t percent = 0;

	if (w->active[kind] == 0) {
		return 0;
	}
	for (size_t i = 0; i < w->options.fault_count; i++) {
		const struct plm_sim_fault *fault = &w->options.faults[i];

		if (fault->kind == kind && w->now_ms >= fault->at_ms &&
		    w->now_ms < plm_add_sat(fault->at_ms, fault->for_ms)) {
			percent = plm_max(percent, fault->percent);
		}
	}
	return percent;
}

/* The first fault of a source cuts it off, the end of the last one brings it back. */
static void reach(struct plm_world *w, enum plm_sim_fault_kind kind, bool away)
{
	if (w->active[kind] != (away ? 1U : 0U)) {
		return;
	}
	if (kind == PLM_SIM_API_SERVER_DOWN) {
		plm_sim_reach(w, PLM_SOURCE_KUBE, away);
	} else if (kind == PLM_SIM_EC2_DOWN) {
		plm_sim_reach(w, PLM_SOURCE_CLOUD, away);
	}
}

static void fault_begin(struct plm_world *w, const struct plm_sim_fault *fault)
{
	plm_sim_disturb(w);
	switch (fault->kind) {
	case PLM_SIM_CLOCK_STEP:
		w->clock_offset_ms = plm_add_sat(w->clock_offset_ms, fault->by_ms);
		return;
	case PLM_SIM_WATCH_GONE:
		if (w->connected && plm_world_reachable(w)) {
			plm_world_relist(w);
		}
		return;
	case PLM_SIM_CRASH:
	case PLM_SIM_DISK_FULL:
	case PLM_SIM_LEADER_CHANGE:
		return;
	case PLM_SIM_API_SERVER_DOWN:
	case PLM_SIM_EC2_DOWN:
	case PLM_SIM_LOST_RESPONSES:
	case PLM_SIM_CONFLICTS:
	case PLM_SIM_DUPLICATE_EVENTS:
		w->active[fault->kind]++;
		reach(w, fault->kind, true);
		return;
	}
	PLM_UNREACHABLE();
}

static void fault_end(struct plm_world *w, const struct plm_sim_fault *fault)
{
	plm_sim_disturb(w);
	PLM_ASSERT(w->active[fault->kind] > 0);
	w->active[fault->kind]--;
	if (fault->kind == PLM_SIM_API_SERVER_DOWN && plm_world_reachable(w) && w->connected) {
		plm_world_relist(w); /* where the watch stopped is too old by now (410) */
	}
	reach(w, fault->kind, false);
}

static bool fault_lasts(enum plm_sim_fault_kind kind)
{
	return kind == PLM_SIM_API_SERVER_DOWN || kind == PLM_SIM_EC2_DOWN ||
	       kind == PLM_SIM_LOST_RESPONSES || kind == PLM_SIM_CONFLICTS ||
	       kind == PLM_SIM_DUPLICATE_EVENTS;
}

static void plan_faults(struct plm_world *w)
{
	for (size_t i = 0; i < w->options.fault_count; i++) {
		const struct plm_sim_fault *fault = &w->options.faults[i];
		int64_t after = plm_max(0, fault->at_ms - w->now_ms);

		plm_sim_plan(w, after, PLM_SIM_DUE_FAULT, NULL, i);
		if (fault_lasts(fault->kind)) {
			plm_sim_plan(w, plm_add_sat(after, fault->for_ms), PLM_SIM_DUE_FAULT_END,
				     NULL, i);
		}
	}
	for (size_t i = 0; i < w->options.interrupt_count; i++) {
		plm_sim_plan(w, plm_max(0, w->options.interrupts[i].at_ms - w->now_ms),
			     PLM_SIM_DUE_INTERRUPT, NULL, i);
	}
	for (size_t i = 0; i < w->options.reclaim_count; i++) {
		plm_sim_plan(w, plm_max(0, w->options.reclaims[i].at_ms - w->now_ms),
			     PLM_SIM_DUE_RECLAIM, NULL, i);
	}
}

/* ---- dispatch ---------------------------------------------------------------------------------- */

static void happen_to_instance(struct plm_world *w, const struct plm_sim_event *event)
{
	struct plm_sim_instance *instance = event->subject;

	if (event->kind == PLM_SIM_DUE_NODE_JOIN) {
		plm_sim_instance_joins(w, instance);
	} else if (event->kind == PLM_SIM_DUE_NODE_READY) {
		plm_sim_instance_ready(w, instance);
	} else if (event->kind == PLM_SIM_DUE_INSTANCE_GONE) {
		plm_sim_instance_gone(w, instance);
	} else if (event->kind == PLM_SIM_DUE_DESCRIBE) {
		plm_sim_describe(w, instance);
	} else {
		plm_sim_disturb(w);
		plm_sim_instance_end(w, instance);
	}
}

static void tell_listed(struct plm_world *w, bool objects)
{
	if (objects) {
		plm_world_listed(w);
	} else {
		plm_sim_list_instances(w);
	}
}

static void happen(struct plm_world *w, const struct plm_sim_event *event)
{
	switch (event->kind) {
	case PLM_SIM_DUE_WATCH:
		plm_sim_watch_flush(w);
		return;
	case PLM_SIM_DUE_SCHEDULER:
		plm_sim_schedule(w);
		return;
	case PLM_SIM_DUE_CONTROLLER:
		plm_sim_sync(w, event->subject);
		return;
	case PLM_SIM_DUE_POD_START:
		plm_sim_pod_start(w, event->subject, event->token);
		return;
	case PLM_SIM_DUE_POD_FINISH:
		plm_sim_pod_finish(w, event->subject, event->token);
		return;
	case PLM_SIM_DUE_POD_GONE:
		plm_sim_remove(w, event->subject);
		return;
	case PLM_SIM_DUE_CALL:
		plm_sim_call(w, event->subject);
		return;
	case PLM_SIM_DUE_REPLY:
		plm_sim_reply(w, event->subject);
		return;
	case PLM_SIM_DUE_NODE_READY:
	case PLM_SIM_DUE_NODE_JOIN:
	case PLM_SIM_DUE_INSTANCE_DIES:
	case PLM_SIM_DUE_INSTANCE_KILLED:
	case PLM_SIM_DUE_INSTANCE_GONE:
	case PLM_SIM_DUE_DESCRIBE:
		happen_to_instance(w, event);
		return;
	case PLM_SIM_DUE_INTERRUPT:
		plm_sim_interrupt(w, event->token);
		return;
	case PLM_SIM_DUE_RECLAIM:
		plm_sim_reclaim(w, event->token);
		return;
	case PLM_SIM_DUE_FAULT:
		fault_begin(w, &w->options.faults[event->token]);
		return;
	case PLM_SIM_DUE_FAULT_END:
		fault_end(w, &w->options.faults[event->token]);
		return;
	case PLM_SIM_DUE_PLAIN:
		plm_sim_plain_scan(w);
		return;
	case PLM_SIM_DUE_VOLUMES:
		plm_sim_volumes_sweep(w);
		return;
	case PLM_SIM_DUE_STARTUP_DONE:
		plm_sim_startup_done(w, event->subject);
		return;
	case PLM_SIM_DUE_LISTED:
		tell_listed(w, event->token == 0);
		return;
	case PLM_SIM_DUE_PDBS:
		plm_sim_pdb_sync(w);
		return;
	}
	PLM_UNREACHABLE();
}

void plm_world_advance(struct plm_world *w, int64_t now_ms)
{
	uint64_t done = 0;

	plm_sim_backlog_drain(w);
	while (w->heap_count > 0 && w->heap[0].due_ms <= now_ms) {
		struct plm_sim_event event = heap_pop(w);

		PLM_ASSERT(++done < INSTANT_EVENTS_MAX);
		w->now_ms = plm_max(w->now_ms, event.due_ms);
		plm_sim_account(w);
		happen(w, &event);
		plm_arena_reset(&w->scratch);
	}
	w->now_ms = plm_max(w->now_ms, now_ms);
	plm_sim_account(w);
	plm_sim_check_time(w);
}

int64_t plm_world_next_due(const struct plm_world *w)
{
	if (w->backlog != NULL) {
		return w->now_ms;
	}
	return w->heap_count == 0 ? PLM_UNSET : w->heap[0].due_ms;
}

/* ---- clock ------------------------------------------------------------------------------------- */

int64_t plm_world_now(const struct plm_world *w)
{
	return w->now_ms;
}

int64_t plm_world_clock_offset(const struct plm_world *w)
{
	return w->clock_offset_ms;
}

static int64_t clock_wall(void *self)
{
	const struct plm_world *w = self;

	return (w->now_ms + w->clock_offset_ms) * 1000000;
}

static int64_t clock_boot(void *self)
{
	const struct plm_world *w = self;

	return w->now_ms - w->options.start_ms;
}

struct plm_clock plm_world_clock(struct plm_world *w)
{
	return (struct plm_clock){.self = w, .wall_ns = clock_wall, .boot_ms = clock_boot};
}

/* The first watch has told everything by then. */
#define FIRST_LIST_MS 20

/* ---- life -------------------------------------------------------------------------------------- */

void plm_sim_defaults(struct plm_sim_options *options)
{
	*options = (struct plm_sim_options){
		.seed = 1,
		.start_ms = 1767225600000, /* 2026-01-01T00:00:00Z */
		.region = plm_slice_str("us-west-2"),
		.scheduler_latency_ms = 50,
		.pod_start = {1000, 3000},
		.api_latency = {80, 400},
		.boot = {25000, 45000},
		.describe_lag = {0, 5000},
	};
}

enum plm_code plm_world_new(const struct plm_sim_options *options, struct plm_world **out,
			    struct plm_error *err)
{
	struct plm_world *w = calloc(1, sizeof(*w));
	enum plm_code code = PLM_OK;

	if (w == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "simulated world: no memory");
	}
	code = plm_arena_init(&w->arena, WORLD_BYTES, err);
	if (code == PLM_OK) {
		code = plm_arena_init(&w->scratch, SCRATCH_BYTES, err);
	}
	if (code != PLM_OK) {
		plm_world_free(w);
		return code;
	}
	w->options = *options;
	w->random = options->seed;
	w->now_ms = options->start_ms;
	w->stats_ms = options->start_ms;
	w->disturbed_ms = options->start_ms;
	w->connected = true;
	plm_sim_resource(w, plm_slice_str("pods"));
	plm_sim_cloud_init(w);
	plan_faults(w);
	if (!w->options.instant && !w->options.plain) {
		plm_sim_plan(w, FIRST_LIST_MS, PLM_SIM_DUE_LISTED, NULL, 0);
	}
	*out = w;
	return PLM_OK;
}

void plm_world_free(struct plm_world *w)
{
	if (w == NULL) {
		return;
	}
	plm_sim_backlog_drop(w);
	plm_arena_fini(&w->scratch);
	plm_arena_fini(&w->arena);
	free(w->heap);
	free(w->work);
	free(w->watch);
	free(w->flying);
	free(w);
}
