/*
 * beliefs.c - what the engine believes of the cluster beside what the cluster has
 */
#include "tools/sim/runner.h"

static const enum plm_table tables[] = {
	PLM_TABLE_NAMESPACE,
	PLM_TABLE_FLAVOR,
	PLM_TABLE_COHORT,
	PLM_TABLE_CLUSTER_QUEUE,
	PLM_TABLE_LOCAL_QUEUE,
	PLM_TABLE_WORK_QUEUE,
	PLM_TABLE_PRIORITY_CLASS,
	PLM_TABLE_ADMISSION_CHECK,
	PLM_TABLE_WORKLOAD,
	PLM_TABLE_JOB,
	PLM_TABLE_POD,
	PLM_TABLE_NODE,
	PLM_TABLE_DAEMON_SET,
	PLM_TABLE_REPLICATOR,
	PLM_TABLE_NODE_POOL,
	PLM_TABLE_NODE_CLASS,
	PLM_TABLE_NODE_CLAIM,
	PLM_TABLE_TOPOLOGY,
	PLM_TABLE_LIMIT_RANGE,
	PLM_TABLE_RUNTIME_CLASS,
	PLM_TABLE_PDB,
	PLM_TABLE_VOLUME_CLAIM,
	PLM_TABLE_VOLUME,
	PLM_TABLE_STORAGE_CLASS,
	PLM_TABLE_CSI_NODE,
	PLM_TABLE_VOLUME_ATTACHMENT,
};

struct belief {
	enum plm_kind kind;
	struct plm_slice ns, name, uid;
};

static size_t count_beliefs(const struct plm_state *st)
{
	size_t count = 0;

	for (size_t t = 0; t < PLM_COUNTOF(tables); t++) {
		count += st->tables[tables[t]].live;
	}
	return count;
}

/* Copied first: telling the engine may change its state. */
static size_t collect(struct plm_runner *r, const struct plm_state *st, struct belief *out)
{
	size_t count = 0;

	for (size_t t = 0; t < PLM_COUNTOF(tables); t++) {
		for (plm_id id = plm_slot_next(st, tables[t], (plm_id){0}); id.n != 0;
		     id = plm_slot_next(st, tables[t], id)) {
			const struct plm_object *object = plm_slot(st, tables[t], id);

			if (object->seq == 0) {
				continue; /* known from a decision only: no object of the API */
			}
			out[count++] = (struct belief){
				.kind = (enum plm_kind)object->kind,
				.ns = plm_arena_copy(&r->arena, plm_str(st, object->ns)),
				.name = plm_arena_copy(&r->arena, plm_str(st, object->name)),
				.uid = plm_arena_copy(&r->arena, plm_str(st, object->uid)),
			};
		}
	}
	return count;
}

/* Objects on both sides, by kind and name. */
void plm_runner_check_beliefs(struct plm_runner *r, const struct plm_state *st)
{
	size_t mark = plm_arena_mark(&r->arena);
	struct belief *beliefs = PLM_NEW_ARRAY(&r->arena, count_beliefs(st), struct belief);
	size_t count = collect(r, st, beliefs);
	size_t have = 0;

	if (plm_intent_live(st) != 0) {
		plm_runner_broken(r, "L4: %llu intents are still open",
				  (unsigned long long)plm_intent_live(st));
	}
	for (size_t i = 0; i < count; i++) {
		if (beliefs[i].kind != PLM_KIND_WORKLOAD &&
		    !plm_world_exists(r->world, beliefs[i].kind, beliefs[i].ns, beliefs[i].name,
				      beliefs[i].uid)) {
			plm_runner_broken(
				r, "L4: the engine believes in %s %.*s/%.*s, which is gone",
				plm_names_text(&plm_names_kind, beliefs[i].kind),
				(int)beliefs[i].ns.size, (const char *)beliefs[i].ns.ptr,
				(int)beliefs[i].name.size, (const char *)beliefs[i].name.ptr);
		}
		have += beliefs[i].kind != PLM_KIND_WORKLOAD;
	}
	if (have < plm_world_objects(r->world)) {
		plm_runner_broken(r, "L4: the cluster has %llu objects, the engine knows %llu",
				  (unsigned long long)plm_world_objects(r->world),
				  (unsigned long long)have);
	}
	plm_arena_rewind(&r->arena, mark);
}
