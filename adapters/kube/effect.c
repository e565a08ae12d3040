#include "adapters/kube/effect.h"

#include <stdlib.h>

#include "adapters/kube/flight.h"
#include "adapters/kube/refusals.h"
#include "codec/codec.h"
#include "core/limits.h"
#include "core/utf8.h"

struct list {
	struct plm_flight *first, *last;
};

/* A RESULT that the inbox had no room for; its payload follows it. */
struct told {
	struct told *next;
	uint64_t intent;
	size_t size;
	uint8_t bytes[];
};

struct plm_kube_effector {
	struct plm_kube_effector_options options;
	struct plm_arena step_arena, tell_arena;
	struct plm_known_table known;
	struct plm_order order;
	struct plm_refusals refusals;
	struct list ready, going, waiting;
	struct told *told_first, *told_last;
	uv_timer_t *timer; /* owned until its close */
	uint64_t count;	   /* without a final RESULT */
	uint32_t going_count;
	int64_t armed_ms; /* when the timer fires; INT64_MAX = it does not */
	uint64_t seed;	  /* of the jitter */
	bool filling;
};

/* ---- lists --------------------------------------------------------------------------------------- */

static struct list *list_of(struct plm_kube_effector *effector, enum plm_flight_state state)
{
	switch (state) {
	case PLM_FLIGHT_LINED:
		return NULL;
	case PLM_FLIGHT_READY:
		return &effector->ready;
	case PLM_FLIGHT_GOING:
		return &effector->going;
	case PLM_FLIGHT_WAITING:
		return &effector->waiting;
	}
	PLM_UNREACHABLE();
}

static void unlink_flight(struct plm_flight *flight)
{
	struct list *list = list_of(flight->effector, flight->state);

	if (list == NULL) {
		return;
	}
	*(flight->prev == NULL ? &list->first : &flight->prev->next) = flight->next;
	*(flight->next == NULL ? &list->last : &flight->next->prev) = flight->prev;
	flight->prev = NULL;
	flight->next = NULL;
}

static void become(struct plm_flight *flight, enum plm_flight_state state)
{
	struct list *list = list_of(flight->effector, state);

	unlink_flight(flight);
	flight->effector->going_count -= flight->state == PLM_FLIGHT_GOING;
	flight->state = state;
	flight->effector->going_count += state == PLM_FLIGHT_GOING;
	if (list != NULL) {
		flight->prev = list->last;
		*(list->last == NULL ? &list->first : &list->last->next) = flight;
		list->last = flight;
	}
}

/* ---- who goes ------------------------------------------------------------------------------------ */

static int64_t boot_ms(const struct plm_kube_effector *effector)
{
	return effector->options.clock.boot_ms(effector->options.clock.self);
}

/* Not from inside a step: what ends at once would go on inside of what began it. */
static void fill(struct plm_kube_effector *effector)
{
	if (effector->filling) {
		return;
	}
	effector->filling = true;
	while (effector->ready.first != NULL &&
	       effector->going_count < PLM_LIMIT_EFFECTS_UNDER_WAY) {
		struct plm_flight *flight = effector->ready.first;

		become(flight, PLM_FLIGHT_GOING);
		plm_flight_go(flight);
	}
	effector->filling = false;
}

static void on_timer(uv_timer_t *timer);

static void arm(struct plm_kube_effector *effector)
{
	int64_t next_ms = INT64_MAX;

	for (const struct plm_flight *at = effector->waiting.first; at != NULL; at = at->next) {
		next_ms = plm_min(next_ms, at->due_ms);
	}
	effector->armed_ms = next_ms;
	if (next_ms == INT64_MAX) {
		(void)uv_timer_stop(effector->timer);
		return;
	}
	(void)uv_timer_start(effector->timer, on_timer,
			     (uint64_t)plm_max(1, next_ms - boot_ms(effector)), 0);
}

static void on_timer(uv_timer_t *timer)
{
	struct plm_kube_effector *effector = timer->data;
	int64_t now_ms = boot_ms(effector);
	struct plm_flight *next = NULL;

	for (struct plm_flight *at = effector->waiting.first; at != NULL; at = next) {
		next = at->next;
		if (at->due_ms <= now_ms) {
			become(at, PLM_FLIGHT_READY);
		}
	}
	fill(effector);
	arm(effector);
}

static void wait_for(struct plm_flight *flight, const struct plm_flight_end *end)
{
	struct plm_kube_effector *effector = flight->effector;
	int64_t now_ms = boot_ms(effector);
	int64_t wait_ms = plm_backoff_failed(&flight->backoff, now_ms, end->wait_ms);

	wait_ms = end->quiet ? plm_min(wait_ms, (int64_t)PLM_LIMIT_EFFECT_LOOK_MS) : wait_ms;
	flight->due_ms = now_ms + wait_ms;
	become(flight, PLM_FLIGHT_WAITING);
	if (flight->due_ms < effector->armed_ms) {
		arm(effector);
	}
}

/* ---- results ------------------------------------------------------------------------------------- */

static bool put(struct plm_kube_effector *effector, uint64_t intent, struct plm_slice payload)
{
	const struct plm_observation observation = {
		.source = PLM_SOURCE_KUBE,
		.type = PLM_EV_RESULT,
		.intent = intent,
		.payload = payload,
	};

	return effector->options.inbox.put(effector->options.inbox.self, &observation) !=
	       PLM_E_AGAIN;
}

static void keep(struct plm_kube_effector *effector, uint64_t intent, struct plm_slice payload)
{
	struct told *told = calloc(1, sizeof(*told) + payload.size);

	PLM_ASSERT(told != NULL);
	told->intent = intent;
	told->size = payload.size;
	memcpy(told->bytes, payload.ptr, payload.size);
	*(effector->told_last == NULL ? &effector->told_first : &effector->told_last->next) = told;
	effector->told_last = told;
}

static struct plm_slice readable(struct plm_slice text)
{
	if (text.size > PLM_LIMIT_RESULT_MESSAGE) {
		text.size = PLM_LIMIT_RESULT_MESSAGE;
	}
	text.size = plm_utf8_prefix(text);
	return text;
}

static void tell(struct plm_flight *flight, const struct plm_flight_end *end)
{
	struct plm_kube_effector *effector = flight->effector;
	const struct plm_w_result result = {
		.intent = (int64_t)flight->intent,
		.class = end->class,
		.code = readable(end->code),
		.message = readable(end->message),
		.price_micro = PLM_UNSET,
	};
	struct plm_slice payload = {0};

	plm_arena_reset(&effector->tell_arena);
	payload = plm_payload_encode(plm_event_info(PLM_EV_RESULT), &result, (struct plm_slice){0},
				     &effector->tell_arena);
	if (effector->told_first != NULL || !put(effector, flight->intent, payload)) {
		keep(effector, flight->intent, payload);
	}
}

void plm_kube_effector_resume(struct plm_kube_effector *effector)
{
	while (effector->told_first != NULL) {
		struct told *told = effector->told_first;

		if (!put(effector, told->intent, plm_slice_of(told->bytes, told->size))) {
			return;
		}
		effector->told_first = told->next;
		effector->told_last = told->next == NULL ? NULL : effector->told_last;
		free(told);
	}
}

/* Once each: the engine need not hear of every try. */
static void tell_waits(struct plm_flight *flight, const struct plm_flight_end *end)
{
	bool *told =
		end->class == PLM_RESULT_UNKNOWN ? &flight->told_unknown : &flight->told_retryable;

	if (!*told && !flight->told_unknown) {
		tell(flight, end);
	}
	*told = true;
}

static void leave(struct plm_flight *flight)
{
	struct plm_kube_effector *effector = flight->effector;
	struct plm_order_entry *behind = plm_order_done(&effector->order, &flight->order);

	unlink_flight(flight);
	effector->going_count -= flight->state == PLM_FLIGHT_GOING;
	plm_flight_free(flight);
	effector->count--;
	if (behind != NULL) {
		become((struct plm_flight *)behind, PLM_FLIGHT_READY);
	}
}

void plm_effector_ended(struct plm_flight *flight, const struct plm_flight_end *end)
{
	struct plm_kube_effector *effector = flight->effector;

	if (end->final) {
		if (end->class == PLM_RESULT_FAILED) {
			plm_refusals_failed(&effector->refusals, flight->call, flight->order.object,
					    effector->options.wait_first_ms, boot_ms(effector));
		} else if (end->class != PLM_RESULT_CONFLICT) {
			plm_refusals_done(&effector->refusals, flight->call, flight->order.object);
		}
		tell(flight, end);
		leave(flight);
	} else {
		if (!end->quiet) {
			tell_waits(flight, end);
		}
		wait_for(flight, end);
	}
	fill(effector);
}

/* ---- the port ------------------------------------------------------------------------------------ */

/* It goes when there is room, or after what its sort has to wait. */
static void line_up(struct plm_flight *flight)
{
	struct plm_kube_effector *effector = flight->effector;
	int64_t now_ms = boot_ms(effector);
	int64_t wait_ms = plm_refusals_wait_ms(&effector->refusals, flight->call,
					       flight->order.object, now_ms);

	if (wait_ms == 0) {
		become(flight, PLM_FLIGHT_READY);
		return;
	}
	flight->due_ms = now_ms + wait_ms;
	become(flight, PLM_FLIGHT_WAITING);
	if (flight->due_ms < effector->armed_ms) {
		arm(effector);
	}
}

static void submit(void *self, const struct plm_effect *effect)
{
	struct plm_kube_effector *effector = self;
	struct plm_flight *flight = NULL;

	PLM_ASSERT(plm_encode_knows(effect->call));
	flight = plm_flight_new(effector, effect);
	plm_backoff_init(&flight->backoff,
			 &(struct plm_backoff_rule){.first_ms = effector->options.wait_first_ms,
						    .last_ms = PLM_LIMIT_EFFECT_WAIT_MS},
			 effect->intent ^ (uint64_t)boot_ms(effector));
	effector->count++;
	if (plm_order_add(&effector->order, &flight->order)) {
		line_up(flight);
	}
	fill(effector);
}

struct plm_effects plm_kube_effector_port(struct plm_kube_effector *effector)
{
	return (struct plm_effects){.self = effector, .submit = submit};
}

bool plm_kube_effector_carries(enum plm_call call)
{
	return plm_encode_knows(call);
}

uint64_t plm_kube_effector_under_way(const struct plm_kube_effector *effector)
{
	return effector->count;
}

void plm_kube_effector_saw_workload(struct plm_kube_effector *effector, struct plm_slice uid,
				    struct plm_slice revision, struct plm_slice item)
{
	cJSON *workload = plm_tree_parse(item);

	if (workload == NULL) {
		plm_known_forget(&effector->known, uid);
		return;
	}
	plm_known_saw(&effector->known, uid, revision, workload);
	cJSON_Delete(workload);
}

/* ---- what flight.c needs ------------------------------------------------------------------------- */

struct plm_kube_client *plm_effector_client(const struct plm_kube_effector *effector)
{
	return effector->options.client;
}

struct plm_known_table *plm_effector_known(struct plm_kube_effector *effector)
{
	return &effector->known;
}

struct plm_arena *plm_effector_arena(struct plm_kube_effector *effector)
{
	plm_arena_reset(&effector->step_arena);
	return &effector->step_arena;
}

int64_t plm_effector_wall_ms(const struct plm_kube_effector *effector)
{
	return effector->options.clock.wall_ns(effector->options.clock.self) / 1000000;
}

/* ---- life ---------------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

enum plm_code plm_kube_effector_new(const struct plm_kube_effector_options *options,
				    struct plm_kube_effector **out, struct plm_error *err)
{
	struct plm_kube_effector *effector = calloc(1, sizeof(*effector));
	int failed = 0;

	PLM_ASSERT(effector != NULL);
	effector->options = *options;
	if (options->wait_first_ms == 0) {
		effector->options.wait_first_ms = PLM_LIMIT_EFFECT_WAIT_FIRST_MS;
	}
	if (plm_arena_init(&effector->step_arena, PLM_LIMIT_EVENT_ARENA, err) != PLM_OK ||
	    plm_arena_init(&effector->tell_arena, PLM_LIMIT_EVENT_ARENA, err) != PLM_OK) {
		plm_arena_fini(&effector->step_arena);
		free(effector);
		return PLM_E_LIMIT;
	}
	effector->timer = calloc(1, sizeof(*effector->timer));
	PLM_ASSERT(effector->timer != NULL);
	failed = uv_timer_init(options->loop, effector->timer);
	PLM_ASSERT(failed == 0);
	effector->timer->data = effector;
	effector->armed_ms = INT64_MAX;
	*out = effector;
	return PLM_OK;
}

static void free_line(struct plm_order_entry *entry)
{
	struct plm_order_entry *behind = NULL;

	for (; entry != NULL; entry = behind) {
		behind = entry->behind;
		plm_flight_free((struct plm_flight *)entry);
	}
}

void plm_kube_effector_free(struct plm_kube_effector *effector)
{
	struct told *next = NULL;

	if (effector == NULL) {
		return;
	}
	for (size_t i = 0; i < effector->order.bucket_count; i++) {
		struct plm_order_entry *line = NULL;

		for (struct plm_order_entry *at = effector->order.buckets[i]; at != NULL;
		     at = line) {
			line = at->next;
			free_line(at);
		}
	}
	for (struct told *told = effector->told_first; told != NULL; told = next) {
		next = told->next;
		free(told);
	}
	uv_close((uv_handle_t *)effector->timer, on_closed);
	plm_order_fini(&effector->order);
	plm_known_fini(&effector->known);
	plm_arena_fini(&effector->step_arena);
	plm_arena_fini(&effector->tell_arena);
	free(effector);
}
