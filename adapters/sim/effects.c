/*
 * effects.c - the way of an effect: sent, carried out, answered; or lost and tried again
 *
 * An effect reaches its server after half the latency and its answer needs the other half. A server
 * that is down or an answer that is lost makes the result unknown: that is said once, and the call is
 * repeated with the same key until there is an answer. When the engine dies, requests on their way are
 * still carried out and nobody hears of it.
 */
#include "adapters/sim/world.h"

#include <stdlib.h>

#define RETRY_MAX_MS 30000

static const struct plm_sim_range kube_latency = {4, 40};
static const struct plm_sim_range timeout = {5000, 10000};

bool plm_sim_call_is_cloud(enum plm_call call)
{
	return call == PLM_CALL_LAUNCH || call == PLM_CALL_TERMINATE;
}

static int64_t half_latency(struct plm_world *w, enum plm_call call)
{
	return plm_sim_draw(w,
			    plm_sim_call_is_cloud(call) ? w->options.api_latency : kube_latency) /
	       2;
}

static void submit(void *self, const struct plm_effect *effect)
{
	struct plm_world *w = self;
	struct plm_sim_effect *mine = PLM_NEW(&w->arena, struct plm_sim_effect);

	plm_sim_check_submit(w, effect);
	mine->effect = *effect;
	mine->effect.request =
		plm_wire_copy(plm_call_request(effect->call), effect->request, &w->arena);
	mine->effect.frozen = plm_arena_copy(&w->arena, effect->frozen);
	w->stats.effects++;
	if (w->flying_count == w->flying_capacity) {
		size_t capacity = w->flying_capacity == 0 ? 64 : w->flying_capacity * 2;
		struct plm_sim_effect **grown = realloc(w->flying, capacity * sizeof(*grown));

		PLM_ASSERT(grown != NULL);
		w->flying = grown;
		w->flying_capacity = capacity;
	}
	w->flying[w->flying_count++] = mine;
	plm_sim_plan(w, half_latency(w, effect->call), PLM_SIM_DUE_CALL, mine, 0);
}

static void durable(void *self, uint64_t seq)
{
	struct plm_world *w = self;

	w->durable = seq;
}

struct plm_effects plm_world_effects(struct plm_world *w)
{
	return (struct plm_effects){.self = w, .submit = submit, .durable = durable};
}

static void land(struct plm_world *w, const struct plm_sim_effect *effect)
{
	for (size_t i = 0; i < w->flying_count; i++) {
		if (w->flying[i] == effect) {
			w->flying[i] = w->flying[--w->flying_count];
			return;
		}
	}
	PLM_UNREACHABLE();
}

static void tell_result(struct plm_world *w, const struct plm_sim_effect *effect,
			const struct plm_w_result *result)
{
	if (!effect->orphan) {
		plm_sim_tell(w,
			     plm_sim_call_is_cloud(effect->effect.call) ? PLM_SOURCE_CLOUD
									: PLM_SOURCE_KUBE,
			     PLM_EV_RESULT, result, effect->effect.intent);
	}
}

/* No answer: say so once, then go on with the same key. */
static void try_again(struct plm_world *w, struct plm_sim_effect *effect, const char *code)
{
	struct plm_w_result unknown = {.intent = (int64_t)effect->effect.intent,
				       .class = PLM_RESULT_UNKNOWN,
				       .code = plm_slice_str(code),
				       .price_micro = PLM_UNSET};
	int64_t wait = plm_sim_draw(w, timeout) << (effect->attempts < 3 ? effect->attempts : 3);

	if (effect->orphan) {
		land(w, effect);
		return;
	}
	if (!effect->told_unknown) {
		effect->told_unknown = true;
		tell_result(w, effect, &unknown);
	}
	effect->attempts++;
	plm_sim_plan(w, plm_min(wait, RETRY_MAX_MS), PLM_SIM_DUE_CALL, effect, 0);
}

void plm_sim_call(struct plm_world *w, struct plm_sim_effect *effect)
{
	bool cloud = plm_sim_call_is_cloud(effect->effect.call);

	if (plm_sim_is_down(w, cloud ? PLM_SIM_EC2_DOWN : PLM_SIM_API_SERVER_DOWN)) {
		try_again(w, effect, cloud ? "RequestTimeout" : "ServiceUnavailable");
		return;
	}
	effect->result = (struct plm_w_result){.intent = (int64_t)effect->effect.intent,
					       .price_micro = PLM_UNSET};
	/* A repeated call whose answer was lost finds what it did, by its tests or its uid. */
	if (!cloud && plm_sim_chance(w, plm_sim_fault_percent(w, PLM_SIM_CONFLICTS)) &&
	    !effect->executed && !effect->effect.resent) {
		w->stats.conflicts++;
		effect->result.class = PLM_RESULT_CONFLICT;
		effect->result.code = plm_slice_str("Conflict");
		effect->result.message = plm_slice_str("the object has been modified");
	} else {
		plm_sim_execute(w, effect);
		effect->executed = true;
	}
	if (plm_sim_chance(w, plm_sim_fault_percent(w, PLM_SIM_LOST_RESPONSES))) {
		w->stats.responses_lost++;
		try_again(w, effect, "ConnectionReset");
		return;
	}
	plm_sim_plan(w, half_latency(w, effect->effect.call), PLM_SIM_DUE_REPLY, effect, 0);
}

void plm_sim_reply(struct plm_world *w, struct plm_sim_effect *effect)
{
	tell_result(w, effect, &effect->result);
	land(w, effect);
}
