#include "adapters/ec2/context.h"
#include "codec/codec.h"
#include "core/limits.h"

#include <stdlib.h>

struct plm_ec2_waiting {
	struct plm_ec2_waiting *next;
	struct plm_observation observation; /* its bytes follow */
	uint8_t bytes[];
};

int64_t plm_ec2_now_ms(const struct plm_ec2_context *context)
{
	return context->clock.wall_ns(context->clock.self) / 1000000;
}

bool plm_ec2_told(const struct plm_ec2_context *context)
{
	return context->first == NULL;
}

static bool put(struct plm_ec2_context *context, const struct plm_observation *observation)
{
	enum plm_code code = context->inbox.put(context->inbox.self, observation);

	if (code == PLM_E_AGAIN) {
		return false;
	}
	PLM_ASSERT(code == PLM_OK); /* what can never fit is a bug of the part that made it */
	if (context->inbox.accepted != NULL) {
		context->put = context->inbox.accepted(context->inbox.self);
	}
	return true;
}

static void keep(struct plm_ec2_context *context, const struct plm_observation *observation)
{
	size_t size = observation->pos.size + observation->payload.size;
	struct plm_ec2_waiting *waiting = malloc(sizeof(*waiting) + size);
	uint8_t *at = NULL;

	PLM_ASSERT(waiting != NULL);
	*waiting = (struct plm_ec2_waiting){.observation = *observation};
	at = waiting->bytes;
	if (observation->pos.size > 0) {
		memcpy(at, observation->pos.ptr, observation->pos.size);
	}
	waiting->observation.pos = plm_slice_of(at, observation->pos.size);
	at += observation->pos.size;
	memcpy(at, observation->payload.ptr, observation->payload.size);
	waiting->observation.payload = plm_slice_of(at, observation->payload.size);
	if (context->last != NULL) {
		context->last->next = waiting;
	} else {
		context->first = waiting;
	}
	context->last = waiting;
	context->waiting++;
}

static void tell(struct plm_ec2_context *context, const struct plm_observation *observation)
{
	if (context->first != NULL || !put(context, observation)) {
		keep(context, observation);
	}
}

static void encode_and_tell(struct plm_ec2_context *context, struct plm_observation *observation,
			    const void *value)
{
	const struct plm_event_info *info = plm_event_info((uint16_t)observation->type);
	struct plm_arena arena;
	struct plm_error err;

	PLM_ASSERT(plm_arena_init(&arena, 2 * PLM_LIMIT_PAYLOAD_BYTES, &err) == PLM_OK);
	observation->payload = plm_payload_encode(info, value, (struct plm_slice){0}, &arena);
	tell(context, observation);
	plm_arena_fini(&arena);
}

void plm_ec2_tell(struct plm_ec2_context *context, enum plm_event_type type, const void *value,
		  uint64_t intent, const char *pos)
{
	struct plm_observation observation = {
		.source = PLM_SOURCE_CLOUD,
		.type = type,
		.intent = intent,
		.pos = plm_slice_str(pos),
		.observed = PLM_OBSERVED_FACT,
	};

	plm_ec2_known_saw(&context->known, type, value);
	encode_and_tell(context, &observation, value);
}

void plm_ec2_tell_sign(struct plm_ec2_context *context, enum plm_observed observed,
		       enum plm_event_type type, const void *value)
{
	struct plm_observation observation = {
		.source = PLM_SOURCE_CLOUD, .type = type, .observed = observed};

	if (observed == PLM_OBSERVED_FACT) {
		plm_ec2_known_saw(&context->known, type, value);
	}
	encode_and_tell(context, &observation, value);
}

void plm_ec2_tell_more(struct plm_ec2_context *context)
{
	while (context->first != NULL && put(context, &context->first->observation)) {
		struct plm_ec2_waiting *told = context->first;

		context->first = told->next;
		if (context->first == NULL) {
			context->last = NULL;
		}
		context->waiting--;
		free(told);
	}
}

void plm_ec2_context_fini(struct plm_ec2_context *context)
{
	while (context->first != NULL) {
		struct plm_ec2_waiting *next = context->first->next;

		free(context->first);
		context->first = next;
	}
	context->last = NULL;
	context->waiting = 0;
	plm_ec2_known_fini(&context->known);
}
