/*
 * scenario.h - a scenario as it was read: manifests, arrivals, changes, faults
 *
 * Owns: the translation of "kind: Scenario" (scenario.md) and the manifests beside it into things
 * that happen to the embedded world, in order of time. Everything lives in the scenario's arena.
 * Does not: run anything.
 *
 * Draws (run times) are made here, while reading, in the order of the file, from the generator that the
 * world goes on with: both sides of a comparison so get the same load.
 */
#ifndef PLM_TOOLS_SIM_SCENARIO_H
#define PLM_TOOLS_SIM_SCENARIO_H

#include "adapters/sim/sim.h"
#include "core/arena.h"

enum plm_sim_what {
	PLM_SIM_APPLY,
	PLM_SIM_DELETE,
	PLM_SIM_SCALE,
	PLM_SIM_PATCH,
};

struct plm_sim_action {
	int64_t at_ms; /* Unix milliseconds */
	enum plm_sim_what what;
	/* APPLY; PATCH has its payload, and kind and name of the Workload */
	enum plm_event_type type;
	void *payload;
	struct plm_sim_extra extra;
	/* DELETE, SCALE */
	enum plm_kind kind;
	struct plm_slice ns, name;
	int64_t replicas;
};

struct plm_sim_compare {
	bool wanted;
	int64_t scan_ms, idle_ms;
};

struct plm_scenario {
	struct plm_arena arena;
	struct plm_slice name;
	int64_t duration_ms;
	struct plm_sim_options world; /* seed: what the generator stands at after reading */
	struct plm_w_config config;
	struct plm_w_catalog catalog;
	struct plm_sim_node *nodes; /* arena */
	size_t node_count;
	struct plm_sim_leftover *leftovers; /* arena */
	size_t leftover_count;
	struct plm_sim_action *actions; /* owned; in order of time, then of the files */
	size_t action_count, action_capacity;
	struct plm_sim_compare compare;
};

struct plm_scenario_source {
	const char *path;      /* a file or a folder; names the text; NULL = 'manifests' only */
	struct plm_slice text; /* when not empty: instead of a file */
	const char *const *manifests; /* more files and folders, read before 'path' */
	size_t manifest_count;
	const char *region;	     /* unless a Scenario says otherwise; NULL = the default */
	const char *catalog;	     /* NULL or "builtin", or a file */
	const char *const *families; /* only types of these ("m5"), NULL-terminated; NULL = all */
	uint64_t seed;
	void (*warn)(void *ctx, const char *text); /* may be NULL */
	void *ctx;
};

/* With 'path' there must be a Scenario. PLM_E_INPUT names file, line and field. 'out' need not be closed after a failure. */
enum plm_code plm_scenario_read(const struct plm_scenario_source *source, struct plm_scenario *out,
				struct plm_error *err) PLM_MUST_CHECK;
void plm_scenario_fini(struct plm_scenario *scenario); /* NULL-safe */

/* Settings that decide, as the daemon has them when nothing is configured. */
void plm_sim_config_defaults(struct plm_w_config *config);

/* scenario_spec.c: fill in from "spec" of the document. */
struct plm_scenario_reading;
void plm_scenario_spec(struct plm_scenario_reading *reading);

#endif
