#include "engine/shadow.h"

#include <stdlib.h>

#include "core/limits.h"
#include "engine/decide.h"

struct plm_shadow {
	struct plm_decider decider;
	struct plm_arena arena, scratch;
	struct plm_state copy;
};

/* Who is told what a look found. */
struct telling {
	void (*decided)(void *self, enum plm_event_type type, const void *payload);
	void *self;
};

enum plm_code plm_shadow_new(struct plm_shadow **out, struct plm_error *err)
{
	struct plm_shadow *shadow = calloc(1, sizeof(*shadow));
	enum plm_code code = PLM_OK;

	if (shadow == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "shadow: out of memory");
	}
	code = plm_decider_init(&shadow->decider, err);
	if (code == PLM_OK) {
		code = plm_arena_init(&shadow->arena, PLM_LIMIT_BATCH_ARENA, err);
	}
	if (code == PLM_OK) {
		code = plm_arena_init(&shadow->scratch, PLM_LIMIT_EVENT_ARENA, err);
	}
	if (code == PLM_OK) {
		code = plm_state_init(&shadow->copy, PLM_PROFILE_SMALL, err);
	}
	if (code != PLM_OK) {
		plm_shadow_free(shadow);
		return code;
	}
	*out = shadow;
	return PLM_OK;
}

void plm_shadow_free(struct plm_shadow *shadow)
{
	if (shadow == NULL) {
		return;
	}
	plm_state_fini(&shadow->copy);
	plm_arena_fini(&shadow->scratch);
	plm_arena_fini(&shadow->arena);
	plm_decider_fini(&shadow->decider);
	free(shadow);
}

static enum plm_code copy_state(struct plm_shadow *shadow, const struct plm_state *st,
				struct plm_error *err)
{
	struct plm_slice parts[PLM_IMAGE_PARTS];
	size_t size = 0;
	uint8_t *image = NULL;
	uint8_t *at = NULL;

	plm_arena_reset(&shadow->arena);
	plm_image_parts(st, &shadow->arena, parts);
	for (size_t i = 0; i < PLM_IMAGE_PARTS; i++) {
		size += parts[i].size;
	}
	image = PLM_NEW_ARRAY(&shadow->arena, size, uint8_t);
	at = image;
	for (size_t i = 0; i < PLM_IMAGE_PARTS; i++) {
		if (parts[i].size > 0) {
			memcpy(at, parts[i].ptr, parts[i].size);
			at += parts[i].size;
		}
	}
	return plm_image_load(&shadow->copy, plm_slice_of(image, size), err);
}

static void apply(struct plm_shadow *shadow, enum plm_event_type type, const void *payload,
		  int64_t now_ms)
{
	const struct plm_event event = {
		.seq = shadow->copy.seq + 1,
		.wall_ns = (uint64_t)now_ms * 1000000,
		.tick_ms = (uint64_t)now_ms,
		.type = (uint16_t)type,
		.payload = payload,
	};

	plm_apply(&shadow->copy, &event, &shadow->scratch);
	plm_arena_reset(&shadow->scratch);
}

static void take_step(struct plm_shadow *shadow, int64_t now_ms, const struct telling *telling)
{
	for (uint32_t handle = 1; handle <= shadow->decider.out.count; handle++) {
		const struct plm_out_item *item = plm_out_item(&shadow->decider.out, handle);

		if (item->type != PLM_EV_INTENT) {
			telling->decided(telling->self, item->type, item->payload);
		}
		apply(shadow, item->type, item->payload, now_ms);
	}
}

enum plm_code plm_shadow_look(struct plm_shadow *shadow, const struct plm_state *st, int64_t now_ms,
			      void (*decided)(void *self, enum plm_event_type type,
					      const void *payload),
			      void *self, struct plm_error *err)
{
	const struct telling telling = {decided, self};
	struct plm_w_cycle cycle = {.now_ms = now_ms, .budget = PLM_LIMIT_CYCLE_BUDGET};
	enum plm_code code = copy_state(shadow, st, err);

	if (code != PLM_OK) {
		return code;
	}
	shadow->copy.seq = st->seq;
	plm_root_change(&shadow->copy)->only = PLM_ONLY_ALL;
	plm_root_change(&shadow->copy)->publish = 0;
	apply(shadow, PLM_EV_CYCLE, &cycle, now_ms);
	plm_decider_begin(&shadow->decider, &cycle);
	while (!shadow->decider.last) {
		plm_decider_step(&shadow->decider, &shadow->copy);
		take_step(shadow, now_ms, &telling);
	}
	shadow->decider.active = false;
	return PLM_OK;
}
