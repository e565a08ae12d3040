#include "engine/decide.h"

#include "codec/codec.h"
#include "core/limits.h"

enum plm_code plm_decider_init(struct plm_decider *decider, struct plm_error *err)
{
	*decider = (struct plm_decider){0};
	return plm_arena_init(&decider->arena, PLM_LIMIT_STEP_ARENA, err);
}

void plm_decider_fini(struct plm_decider *decider)
{
	plm_arena_fini(&decider->arena);
}

void plm_decider_begin(struct plm_decider *decider, const struct plm_w_cycle *cycle)
{
	PLM_ASSERT(!decider->active);
	plm_cycle_begin(&decider->run, cycle);
	decider->active = true;
	decider->last = false;
	decider->out = (struct plm_out){0};
}

void plm_decider_step(struct plm_decider *decider, const struct plm_state *st)
{
	PLM_ASSERT(decider->active && !decider->last);
	plm_arena_reset(&decider->arena);
	plm_out_init(&decider->out, &decider->arena);
	decider->last = plm_cycle_step(st, &decider->run, &decider->arena, &decider->out);
}

struct plm_slice plm_decider_payload(const struct plm_decider *decider, uint32_t handle,
				     struct plm_arena *arena, const void **out_value)
{
	const struct plm_out_item *item = plm_out_item(&decider->out, handle);
	const struct plm_event_info *info = plm_event_info((uint16_t)item->type);

	*out_value = item->payload;
	if (item->type == PLM_EV_INTENT) {
		struct plm_w_intent *intent = PLM_NEW(arena, struct plm_w_intent);

		*intent = *(const struct plm_w_intent *)item->payload;
		intent->frozen = plm_wire_encode(plm_call_request((enum plm_call)intent->call),
						 item->request, arena);
		*out_value = intent;
	}
	return plm_payload_encode(info, *out_value, (struct plm_slice){0}, arena);
}
