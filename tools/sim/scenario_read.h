/*
 * scenario_read.h - what scenario.c and scenario_spec.c share while a scenario is read
 */
#ifndef PLM_TOOLS_SIM_SCENARIO_READ_H
#define PLM_TOOLS_SIM_SCENARIO_READ_H

#include "adapters/manifest/manifest.h"
#include "tools/sim/scenario.h"

struct plm_scenario_reading {
	const struct plm_scenario_source *source;
	struct plm_scenario *scenario;
	struct plm_manifest *reader;
	struct plm_doc_tree *tree; /* of the Scenario, while it is read */
	uint64_t random;
	bool found;
	const struct plm_sim_action
		*like; /* projected facts become actions like it; NULL: the start */
};

/* Time and extras of an action; its payload is filled by projecting an object. */
struct plm_sim_action *plm_scenario_action(struct plm_scenario *scenario);

#endif
