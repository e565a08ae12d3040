#include "adapters/kube/flight.h"

#include <stdio.h>
#include <stdlib.h>

#include "codec/codec.h"
#include "core/limits.h"

/* ---- life ---------------------------------------------------------------------------------------- */

static struct plm_hash128 print_of(enum plm_call call, const void *request)
{
	struct plm_target target = plm_encode_target(call, request);
	char text[1024];
	int size = snprintf(text, sizeof(text), "%d/%.*s/%.*s", (int)target.resource,
			    (int)target.ns.size, (const char *)target.ns.ptr, (int)target.name.size,
			    (const char *)target.name.ptr);

	PLM_ASSERT(size > 0 && (size_t)size < sizeof(text));
	return plm_xxh128(plm_slice_of(text, (size_t)size));
}

struct plm_flight *plm_flight_new(struct plm_kube_effector *effector,
				  const struct plm_effect *effect)
{
	struct plm_flight *flight = calloc(1, sizeof(*flight));
	uint8_t *frozen = malloc(effect->frozen.size + 1);

	PLM_ASSERT(flight != NULL && frozen != NULL && effect->frozen.size > 0);
	memcpy(frozen, effect->frozen.ptr, effect->frozen.size);
	flight->effector = effector;
	flight->call = effect->call;
	flight->intent = effect->intent;
	memcpy(flight->key, effect->key, sizeof(flight->key));
	flight->frozen = plm_slice_of(frozen, effect->frozen.size);
	flight->deadline_ms = effect->deadline_ms;
	flight->order.object = print_of(effect->call, effect->request);
	return flight;
}

static void forget(struct plm_flight *flight, enum plm_read read)
{
	cJSON_Delete(flight->reads[read].object);
	flight->reads[read] = (struct plm_read_object){.state = PLM_READ_NOT_YET};
}

static void forget_reads(struct plm_flight *flight)
{
	forget(flight, PLM_READ_TARGET);
	forget(flight, PLM_READ_OTHER);
}

static void take_frozen(struct plm_flight *flight, uint8_t **out)
{
	memcpy(out, &flight->frozen.ptr, sizeof(*out));
	flight->frozen = (struct plm_slice){0};
}

void plm_flight_free(struct plm_flight *flight)
{
	uint8_t *frozen = NULL;

	if (flight->sent != NULL) {
		plm_kube_cancel(flight->sent);
	}
	forget_reads(flight);
	take_frozen(flight, &frozen);
	free(frozen);
	free(flight);
}

/* ---- steps --------------------------------------------------------------------------------------- */

static const char *version(void *self, enum plm_kube_resource_id resource)
{
	return plm_kube_version(self, resource);
}

static const void *request_of(struct plm_flight *flight, struct plm_arena *arena)
{
	const void *request = NULL;
	struct plm_error err;
	enum plm_code code = plm_wire_decode(plm_call_request(flight->call), flight->frozen, arena,
					     &request, &err);

	PLM_ASSERT(code == PLM_OK); /* the engine has decoded the same bytes before */
	return request;
}

static void final(struct plm_flight *flight, enum plm_result_class class, struct plm_slice code,
		  struct plm_slice message)
{
	const struct plm_flight_end end = {
		.final = true, .class = class, .code = code, .message = message};

	plm_effector_ended(flight, &end);
}

static void later(struct plm_flight *flight, const struct plm_outcome *outcome)
{
	const struct plm_flight_end end = {
		.class = outcome->class,
		.code = outcome->code,
		.message = outcome->message,
		.wait_ms = outcome->wait_ms,
	};

	forget_reads(flight);
	flight->tries++;
	plm_effector_ended(flight, &end);
}

static void next_step(struct plm_flight *flight);

static void again(struct plm_flight *flight, const struct plm_outcome *outcome)
{
	if (flight->conflicts == PLM_LIMIT_EFFECT_CONFLICTS) {
		final(flight, outcome->class, outcome->code, outcome->message);
		return;
	}
	flight->conflicts++;
	forget_reads(flight);
	next_step(flight);
}

/* What a Workload is now, as the answer of a write or read of it says. */
static void know(struct plm_flight *flight, const cJSON *object)
{
	const cJSON *meta = plm_tree_get(object, "metadata");

	if (plm_tree_is(object, "kind", "Workload")) {
		plm_known_saw(plm_effector_known(flight->effector), plm_tree_text(meta, "uid"),
			      plm_tree_text(meta, "resourceVersion"), object);
	}
}

/* An object came; one that is no JSON object is as good as no answer. */
static bool take(struct plm_flight *flight, enum plm_read read, struct plm_slice body)
{
	cJSON *object = plm_tree_parse(body);

	if (object == NULL) {
		return false;
	}
	know(flight, object);
	cJSON_Delete(flight->reads[read].object);
	flight->reads[read] = (struct plm_read_object){PLM_READ_THERE, object};
	return true;
}

static void unreadable(struct plm_flight *flight)
{
	const struct plm_outcome outcome = {
		.class = flight->step.kind == PLM_STEP_READ ? PLM_RESULT_RETRYABLE
							    : PLM_RESULT_UNKNOWN,
		.code = plm_slice_str("BadAnswer"),
		.message = plm_slice_str("the answer is no JSON object"),
		.wait_ms = PLM_UNSET,
	};

	later(flight, &outcome);
}

static void went_well(struct plm_flight *flight, const struct plm_kube_answer *answer)
{
	if (flight->step.kind == PLM_STEP_READ) {
		if (take(flight, flight->step.read, answer->body)) {
			next_step(flight);
		} else {
			unreadable(flight);
		}
		return;
	}
	flight->wrote = true;
	if (flight->step.more) {
		if (take(flight, PLM_READ_TARGET, answer->body)) {
			next_step(flight);
		} else {
			unreadable(flight);
		}
		return;
	}
	if (flight->step.resource == PLM_KUBE_RES_WORKLOADS) {
		(void)take(flight, PLM_READ_TARGET, answer->body);
	}
	final(flight, PLM_RESULT_DONE, (struct plm_slice){0}, (struct plm_slice){0});
}

static void on_done(void *self, const struct plm_kube_answer *answer)
{
	struct plm_flight *flight = self;
	struct plm_outcome outcome;

	PLM_ASSERT(flight->state == PLM_FLIGHT_GOING);
	flight->sent = NULL;
	plm_outcome(flight->call, &flight->step, answer, &outcome);
	switch (outcome.next) {
	case PLM_OUTCOME_GO_ON:
		went_well(flight, answer);
		return;
	case PLM_OUTCOME_ABSENT:
		flight->reads[flight->step.read].state = PLM_READ_ABSENT;
		next_step(flight);
		return;
	case PLM_OUTCOME_TAKEN:
		flight->name_taken = true;
		forget(flight, PLM_READ_OTHER); /* it is now what has the name */
		next_step(flight);
		return;
	case PLM_OUTCOME_AGAIN:
		again(flight, &outcome);
		return;
	case PLM_OUTCOME_WAIT:
		later(flight, &outcome);
		return;
	case PLM_OUTCOME_END:
		final(flight, outcome.class, outcome.code, outcome.message);
		return;
	}
	PLM_UNREACHABLE();
}

static void send_step(struct plm_flight *flight, const struct plm_step *step)
{
	const struct plm_kube_request request = {
		.resource = step->resource,
		.subresource = step->subresource,
		.verb = step->verb,
		.ns = step->ns,
		.name = step->name,
		.query = step->query,
		.body = step->body,
		.stall_ms = step->verb == PLM_KUBE_LIST ? PLM_LIMIT_EFFECT_STALL_MS : 0,
		.on_done = on_done,
		.self = flight,
	};

	flight->step = *step;
	flight->step.ns = (struct plm_slice){0};
	flight->step.name = (struct plm_slice){0};
	flight->step.body = (struct plm_slice){0};
	flight->step.query = NULL;
	flight->sent = plm_kube_send(plm_effector_client(flight->effector), &request);
}

/* Only the newest that is known, and nothing that failed before in this try. */
static const struct plm_known *known_of(const struct plm_flight *flight, const void *request)
{
	const struct plm_w_req_workload_status *status = request;

	if (flight->call != PLM_CALL_WORKLOAD_STATUS || flight->conflicts > 0 ||
	    flight->tries > 0) {
		return NULL;
	}
	return plm_known_find(plm_effector_known(flight->effector), status->uid);
}

/* After it nothing is written any more; what has been is still found out. */
static bool too_late(const struct plm_flight *flight, const struct plm_step *step)
{
	return step->kind == PLM_STEP_WRITE && flight->deadline_ms != PLM_UNSET &&
	       plm_effector_wall_ms(flight->effector) > flight->deadline_ms;
}

static void look_again(struct plm_flight *flight)
{
	const struct plm_flight_end end = {.quiet = true, .wait_ms = PLM_UNSET};

	forget_reads(flight);
	flight->tries++;
	plm_effector_ended(flight, &end);
}

static void next_step(struct plm_flight *flight)
{
	static const struct plm_outcome too_many = {
		.class = PLM_RESULT_RETRYABLE,
		.code = {(const uint8_t *)"TooManySteps", 12},
		.wait_ms = PLM_UNSET,
	};
	struct plm_arena *arena = plm_effector_arena(flight->effector);
	struct plm_encode in = {
		.call = flight->call,
		.key = plm_slice_str(flight->key),
		.reads = flight->reads,
		.name_taken = flight->name_taken,
		.look = flight->conflicts > 0 || flight->tries > 0,
		.arena = arena,
		.version = version,
		.self = plm_effector_client(flight->effector),
	};
	struct plm_step step;

	if (flight->steps++ == PLM_LIMIT_EFFECT_STEPS) {
		later(flight, &too_many);
		return;
	}
	in.request = request_of(flight, arena);
	in.known = known_of(flight, in.request);
	plm_encode(&in, &step);
	if (step.kind == PLM_STEP_WAIT) {
		look_again(flight);
	} else if (too_late(flight, &step)) {
		final(flight, PLM_RESULT_FAILED, plm_slice_str("DeadlineExceeded"),
		      (struct plm_slice){0});
	} else if (step.kind == PLM_STEP_ANSWER) {
		final(flight,
		      flight->wrote && step.class == PLM_RESULT_ALREADY_DONE ? PLM_RESULT_DONE
									     : step.class,
		      plm_slice_str(step.code), step.message);
	} else {
		send_step(flight, &step);
	}
}

void plm_flight_go(struct plm_flight *flight)
{
	flight->steps = 0;
	flight->conflicts = 0;
	flight->name_taken = false;
	next_step(flight);
}
