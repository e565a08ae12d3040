#include "adapters/ec2/effect.h"

#include <stdlib.h>

#include "adapters/ec2/flight.h"
#include "adapters/ec2/template_sweep.h"
#include "codec/codec.h"
#include "core/limits.h"
#include "core/utf8.h"

struct list {
	struct plm_ec2_flight *first, *last;
};

struct plm_ec2_effect {
	struct plm_ec2_context *context;
	struct plm_ec2_instances *instances; /* borrowed; may be NULL */
	struct plm_ec2_templates *templates;
	struct plm_ec2_template_sweep *sweep; /* NULL = not started */
	struct plm_ec2_terminate *terminate;
	struct plm_ec2_tagging *tagging;
	struct plm_arena step_arena;
	struct list lists[PLM_EC2_STATES];
	uv_timer_t *timer; /* owned until its close */
	int64_t armed_ms;  /* when it fires; INT64_MAX = it does not */
	uint64_t count;	   /* without a final RESULT */
	uint32_t launches; /* that are GOING */
	bool filling;
};

/* ---- lists --------------------------------------------------------------------------------------- */

static void unlink_flight(struct plm_ec2_flight *flight)
{
	struct list *list = &flight->effect->lists[flight->state];

	*(flight->prev == NULL ? &list->first : &flight->prev->next) = flight->next;
	*(flight->next == NULL ? &list->last : &flight->next->prev) = flight->prev;
	flight->prev = NULL;
	flight->next = NULL;
	flight->effect->launches -=
		flight->state == PLM_EC2_GOING && flight->call == PLM_CALL_LAUNCH;
}

static void link_flight(struct plm_ec2_flight *flight, enum plm_ec2_flight_state state)
{
	struct list *list = &flight->effect->lists[state];

	flight->state = state;
	flight->prev = list->last;
	*(list->last == NULL ? &list->first : &list->last->next) = flight;
	list->last = flight;
	flight->effect->launches += state == PLM_EC2_GOING && flight->call == PLM_CALL_LAUNCH;
}

static void become(struct plm_ec2_flight *flight, enum plm_ec2_flight_state state)
{
	unlink_flight(flight);
	link_flight(flight, state);
}

/* ---- who goes ------------------------------------------------------------------------------------ */

static void go(struct plm_ec2_flight *flight)
{
	become(flight, PLM_EC2_GOING);
	switch ((uint32_t)flight->call) {
	case PLM_CALL_LAUNCH:
		plm_ec2_launch_go(flight);
		return;
	case PLM_CALL_TERMINATE:
		plm_ec2_terminate_go(flight->effect->terminate, flight);
		return;
	case PLM_CALL_INSTANCE_TAG:
		plm_ec2_tagging_go(flight->effect->tagging, flight);
		return;
	default:
		PLM_UNREACHABLE();
	}
}

/* Launches wait for each other; what ends instances or tags them never waits for a launch. */
static struct plm_ec2_flight *next_ready(const struct plm_ec2_effect *effect)
{
	struct plm_ec2_flight *at = effect->lists[PLM_EC2_READY].first;

	while (at != NULL && at->call == PLM_CALL_LAUNCH &&
	       effect->launches >= PLM_LIMIT_EC2_LAUNCHES) {
		at = at->next;
	}
	return at;
}

/* Not from inside a step: what ends at once would go on inside of what began it. */
static void fill(struct plm_ec2_effect *effect)
{
	struct plm_ec2_flight *flight = NULL;

	if (effect->filling) {
		return;
	}
	effect->filling = true;
	while ((flight = next_ready(effect)) != NULL) {
		go(flight);
	}
	effect->filling = false;
}

/* ---- waits --------------------------------------------------------------------------------------- */

static void on_timer(uv_timer_t *timer);

static void arm(struct plm_ec2_effect *effect)
{
	int64_t next_ms = INT64_MAX;

	for (const struct plm_ec2_flight *at = effect->lists[PLM_EC2_WAITING].first; at != NULL;
	     at = at->next) {
		next_ms = plm_min(next_ms, at->due_ms);
	}
	effect->armed_ms = next_ms;
	if (next_ms == INT64_MAX) {
		(void)uv_timer_stop(effect->timer);
		return;
	}
	(void)uv_timer_start(effect->timer, on_timer,
			     (uint64_t)plm_max(1, next_ms - plm_ec2_effect_boot_ms(effect)), 0);
}

static void on_timer(uv_timer_t *timer)
{
	struct plm_ec2_effect *effect = timer->data;
	int64_t now_ms = plm_ec2_effect_boot_ms(effect);
	struct plm_ec2_flight *next = NULL;

	for (struct plm_ec2_flight *at = effect->lists[PLM_EC2_WAITING].first; at != NULL;
	     at = next) {
		next = at->next;
		if (at->due_ms <= now_ms) {
			become(at, PLM_EC2_READY);
		}
	}
	fill(effect);
	arm(effect);
}

/* ---- results ------------------------------------------------------------------------------------- */

static struct plm_slice readable(struct plm_slice text)
{
	if (text.size > PLM_LIMIT_RESULT_MESSAGE) {
		text.size = PLM_LIMIT_RESULT_MESSAGE;
	}
	text.size = plm_utf8_prefix(text);
	return text;
}

static void tell(struct plm_ec2_flight *flight, struct plm_w_result *result, const char *request_id)
{
	result->intent = (int64_t)flight->intent;
	result->code = readable(result->code);
	result->message = readable(result->message);
	plm_ec2_tell(flight->effect->context, PLM_EV_RESULT, result, flight->intent, request_id);
}

static void free_flight(struct plm_ec2_flight *flight)
{
	uint8_t *frozen = NULL;

	if (flight->call == PLM_CALL_LAUNCH) {
		plm_ec2_launch_cancel(flight);
	}
	if (flight->sent != NULL) {
		plm_aws_cancel(flight->sent);
	}
	memcpy(&frozen, &flight->frozen.ptr, sizeof(frozen));
	free(frozen);
	plm_arena_fini(&flight->arena);
	free(flight);
}

/* What follows for whoever watches instances. */
static void tell_instances(const struct plm_ec2_flight *flight, const struct plm_w_result *result)
{
	struct plm_ec2_instances *instances = flight->effect->instances;
	bool done = result->class == PLM_RESULT_DONE || result->class == PLM_RESULT_ALREADY_DONE;

	if (instances == NULL) {
		return;
	}
	if (flight->call == PLM_CALL_LAUNCH && done) {
		plm_ec2_instances_launched(instances, result->provider_id);
	} else if (flight->call == PLM_CALL_LAUNCH) {
		plm_ec2_instances_unlaunched(instances, flight->intent);
	} else if (flight->call == PLM_CALL_TERMINATE && done) {
		plm_ec2_instances_ending(instances, flight->id);
	}
}

void plm_ec2_flight_final(struct plm_ec2_flight *flight, struct plm_w_result *result,
			  const char *request_id)
{
	struct plm_ec2_effect *effect = flight->effect;

	PLM_ASSERT(flight->sent == NULL);
	tell(flight, result, request_id);
	tell_instances(flight, result);
	unlink_flight(flight);
	free_flight(flight);
	effect->count--;
	fill(effect);
}

void plm_ec2_flight_ends(struct plm_ec2_flight *flight, enum plm_result_class class,
			 const char *code, const char *message)
{
	struct plm_w_result result = {
		.class = class,
		.code = plm_slice_str(code),
		.message = plm_slice_str(message),
		.price_micro = PLM_UNSET,
	};

	plm_ec2_flight_final(flight, &result, "");
}

/* Once each: the engine need not hear of every try. */
static void tell_waits(struct plm_ec2_flight *flight, const struct plm_ec2_later *later)
{
	bool *told = later->class == PLM_RESULT_UNKNOWN ? &flight->told_unknown
							: &flight->told_retryable;
	struct plm_w_result result = {
		.class = later->class,
		.code = plm_slice_str(later->code),
		.message = plm_slice_str(later->message),
		.price_micro = PLM_UNSET,
	};

	if (!*told && !flight->told_unknown) {
		tell(flight, &result, "");
	}
	*told = true;
}

void plm_ec2_flight_later(struct plm_ec2_flight *flight, const struct plm_ec2_later *later)
{
	struct plm_ec2_effect *effect = flight->effect;
	int64_t now_ms = plm_ec2_effect_boot_ms(effect);
	int64_t wait_ms = plm_backoff_failed(&flight->backoff, now_ms, later->wait_ms);

	tell_waits(flight, later);
	if (later->most_ms > 0) {
		wait_ms = plm_min(wait_ms, later->most_ms);
	}
	flight->due_ms = now_ms + wait_ms;
	become(flight, PLM_EC2_WAITING);
	if (flight->due_ms < effect->armed_ms) {
		arm(effect);
	}
	fill(effect);
}

void plm_ec2_flight_failed(struct plm_ec2_flight *flight, const struct plm_aws_answer *answer)
{
	const struct plm_ec2_later later = {
		.class = answer->class == PLM_AWS_UNKNOWN ? PLM_RESULT_UNKNOWN
							  : PLM_RESULT_RETRYABLE,
		.code = answer->code,
		.message = answer->message,
		.wait_ms = answer->retry_after_ms,
	};

	plm_ec2_flight_later(flight, &later);
}

bool plm_ec2_flight_gone(struct plm_ec2_flight *flight)
{
	int64_t now_ms = plm_ec2_effect_boot_ms(flight->effect);
	int64_t age_ms = flight->effect->instances == NULL
				 ? PLM_UNSET
				 : plm_ec2_instances_age_ms(flight->effect->instances, flight->id);

	if (flight->unknown_since_ms == 0) {
		flight->unknown_since_ms = now_ms;
	}
	return (age_ms != PLM_UNSET && age_ms >= PLM_LIMIT_EC2_GONE_MS) ||
	       now_ms - flight->unknown_since_ms >= PLM_LIMIT_EC2_GONE_MS;
}

const void *plm_ec2_flight_request(const struct plm_ec2_flight *flight, struct plm_arena *arena)
{
	const void *request = NULL;
	struct plm_error err;
	enum plm_code code = plm_wire_decode(plm_call_request(flight->call), flight->frozen, arena,
					     &request, &err);

	PLM_ASSERT(code == PLM_OK); /* the engine has decoded the same bytes before */
	return request;
}

/* ---- the port ------------------------------------------------------------------------------------ */

static struct plm_slice id_of(const struct plm_effect *effect)
{
	const struct plm_w_req_terminate *terminate = effect->request;
	const struct plm_w_req_instance_tag *tag = effect->request;

	return effect->call == PLM_CALL_TERMINATE ? terminate->provider_id : tag->provider_id;
}

static struct plm_ec2_flight *new_flight(struct plm_ec2_effect *effect,
					 const struct plm_effect *from)
{
	struct plm_ec2_flight *flight = calloc(1, sizeof(*flight));
	uint8_t *frozen = malloc(from->frozen.size + 1);

	PLM_ASSERT(flight != NULL && frozen != NULL && from->frozen.size > 0);
	memcpy(frozen, from->frozen.ptr, from->frozen.size);
	flight->effect = effect;
	flight->call = from->call;
	flight->intent = from->intent;
	memcpy(flight->key, from->key, sizeof(flight->key));
	flight->frozen = plm_slice_of(frozen, from->frozen.size);
	flight->deadline_ms = from->deadline_ms;
	flight->launch.doubt = from->resent;
	flight->launch.settled_ms = plm_ec2_effect_boot_ms(effect) + PLM_LIMIT_EC2_SETTLE_MS;
	plm_backoff_init(&flight->backoff,
			 &(struct plm_backoff_rule){.first_ms = PLM_LIMIT_EC2_WAIT_FIRST_MS,
						    .last_ms = PLM_LIMIT_EC2_WAIT_MS},
			 from->intent ^ effect->context->options.seed);
	return flight;
}

static void submit(void *self, const struct plm_effect *from)
{
	struct plm_ec2_effect *effect = self;
	struct plm_ec2_flight *flight = NULL;

	PLM_ASSERT(plm_cloud_carries(from->call));
	flight = new_flight(effect, from);
	effect->count++;
	link_flight(flight, PLM_EC2_READY);
	if (from->call != PLM_CALL_LAUNCH && !plm_ec2_instance_id(id_of(from), flight->id)) {
		plm_ec2_flight_ends(flight, PLM_RESULT_FAILED, "InvalidInstanceID.Malformed",
				    "the provider id names no instance of EC2");
		return;
	}
	fill(effect);
}

struct plm_effects plm_ec2_effects(struct plm_ec2_effect *effect)
{
	return (struct plm_effects){.self = effect, .submit = submit};
}

uint64_t plm_ec2_effect_under_way(const struct plm_ec2_effect *effect)
{
	return effect->count;
}

/* ---- what those that carry out need -------------------------------------------------------------- */

struct plm_ec2_context *plm_ec2_effect_context(const struct plm_ec2_effect *effect)
{
	return effect->context;
}

struct plm_ec2_templates *plm_ec2_effect_templates(const struct plm_ec2_effect *effect)
{
	return effect->templates;
}

struct plm_ec2_instances *plm_ec2_effect_instances(const struct plm_ec2_effect *effect)
{
	return effect->instances;
}

int64_t plm_ec2_effect_boot_ms(const struct plm_ec2_effect *effect)
{
	return effect->context->clock.boot_ms(effect->context->clock.self);
}

struct plm_arena *plm_ec2_effect_arena(struct plm_ec2_effect *effect)
{
	plm_arena_reset(&effect->step_arena);
	return &effect->step_arena;
}

/* ---- life ---------------------------------------------------------------------------------------- */

enum plm_code plm_ec2_effect_new(struct plm_ec2_context *context, struct plm_ec2_effect **out,
				 struct plm_error *err)
{
	struct plm_ec2_effect *effect = calloc(1, sizeof(*effect));
	uv_loop_t *loop = context->options.loop;
	int failed = 0;

	PLM_ASSERT(effect != NULL);
	if (plm_arena_init(&effect->step_arena, PLM_LIMIT_EVENT_ARENA, err) != PLM_OK) {
		free(effect);
		return PLM_E_LIMIT;
	}
	effect->context = context;
	effect->templates = plm_ec2_templates_new(context);
	effect->terminate = plm_ec2_terminate_new(effect, loop);
	effect->tagging = plm_ec2_tagging_new(effect, loop);
	effect->timer = calloc(1, sizeof(*effect->timer));
	PLM_ASSERT(effect->timer != NULL);
	failed = uv_timer_init(loop, effect->timer);
	PLM_ASSERT(failed == 0);
	effect->timer->data = effect;
	effect->armed_ms = INT64_MAX;
	*out = effect;
	return PLM_OK;
}

void plm_ec2_effect_start(struct plm_ec2_effect *effect, struct plm_ec2_instances *instances)
{
	effect->instances = instances;
	effect->sweep = plm_ec2_template_sweep_new(effect->context, effect->templates);
}

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

void plm_ec2_effect_free(struct plm_ec2_effect *effect)
{
	if (effect == NULL) {
		return;
	}
	plm_ec2_template_sweep_free(effect->sweep);
	plm_ec2_terminate_free(effect->terminate);
	plm_ec2_tagging_free(effect->tagging);
	for (size_t i = 0; i < PLM_COUNTOF(effect->lists); i++) {
		struct plm_ec2_flight *next = NULL;

		for (struct plm_ec2_flight *at = effect->lists[i].first; at != NULL; at = next) {
			next = at->next;
			free_flight(at);
		}
	}
	plm_ec2_templates_free(effect->templates);
	uv_close((uv_handle_t *)effect->timer, on_closed);
	plm_arena_fini(&effect->step_arena);
	free(effect);
}
