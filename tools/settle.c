#include "tools/settle.h"

#include <stdlib.h>

#include "adapters/sim/sim.h"
#include "codec/codec.h"

#define SCRATCH_BYTES ((size_t)1024 * 1024 * 1024)

struct plm_settle {
	struct plm_world *world;  /* owned */
	struct plm_arena scratch; /* owned: one fact */
	int64_t now_ms;
};

enum plm_code plm_settle_open(int64_t now_ms, const struct plm_w_catalog *catalog,
			      int64_t reserved_enis, const struct plm_inbox *take,
			      struct plm_settle **out, struct plm_error *err)
{
	struct plm_settle *settle = calloc(1, sizeof(*settle));
	struct plm_sim_options options;
	enum plm_code code = PLM_OK;

	PLM_ASSERT(settle != NULL);
	settle->now_ms = now_ms;
	plm_sim_defaults(&options);
	options.start_ms = now_ms;
	options.instant = true;
	options.catalog = catalog;
	options.inbox = *take;
	options.reserved_enis = reserved_enis;
	code = plm_arena_init(&settle->scratch, SCRATCH_BYTES, err);
	if (code == PLM_OK) {
		code = plm_world_new(&options, &settle->world, err);
	}
	if (code != PLM_OK) {
		plm_settle_close(settle);
		return code;
	}
	*out = settle;
	return PLM_OK;
}

void plm_settle_close(struct plm_settle *settle)
{
	if (settle == NULL) {
		return;
	}
	plm_world_free(settle->world);
	plm_arena_fini(&settle->scratch);
	free(settle);
}

struct plm_effects plm_settle_effects(struct plm_settle *settle)
{
	return plm_world_effects(settle->world);
}

enum plm_code plm_settle_apply(struct plm_settle *settle, const struct plm_observation *fact,
			       struct plm_error *err)
{
	struct plm_payload payload;
	enum plm_code code = PLM_OK;

	plm_arena_reset(&settle->scratch);
	code = plm_payload_decode(plm_event_info((uint16_t)fact->type), fact->payload,
				  &settle->scratch, &payload, err);
	if (code == PLM_OK) {
		plm_world_apply(settle->world, fact->type, payload.value, NULL);
	}
	return code;
}

void plm_settle_listed(struct plm_settle *settle)
{
	plm_world_listed(settle->world);
}

bool plm_settle_advance(struct plm_settle *settle)
{
	int64_t due = plm_world_next_due(settle->world);

	if (due == PLM_UNSET || due > settle->now_ms) {
		return false;
	}
	plm_world_advance(settle->world, settle->now_ms);
	return true;
}
