/*
 * The order of things: which area folds when, and which takes its turn when.
 *
 * Facts and decisions are folded by cluster first, so that the areas see the object. GONE and RESULT
 * are folded by cluster last: it frees the slot that the others still want to look at.
 */
#include "reducers/area.h"
#include "reducers/publish/publish.h"

typedef void apply_fn(struct plm_state *st, const struct plm_event *ev, struct plm_arena *scratch);

static apply_fn *const areas[] = {
	plm_cluster_apply,
	plm_admission_apply,
	plm_provision_apply,
	plm_disruption_apply,
};

/* After this many returns from provisioning to admission in one cycle the rest waits for the next. */
#define RETURNS_MAX 64U

/* The steps of a cycle, in order; 'nodes' and 'queues' say for which "only" they run. */
static const struct {
	plm_step_fn *step;
	enum plm_phase_of_cycle phase;
	bool queues, nodes;
} turns[] = {
	{plm_lifecycle_step, PLM_CYCLE_LIFECYCLE, true, false},
	{plm_claims_step, PLM_CYCLE_CLAIMS, false, true},
	{plm_admission_step, PLM_CYCLE_ADMISSION, true, false},
	{plm_provision_step, PLM_CYCLE_PROVISION, false, true},
	{plm_lifecycle_step, PLM_CYCLE_START, true, false},
	{plm_disruption_step, PLM_CYCLE_DISRUPTION, false, true},
	{plm_publish_step, PLM_CYCLE_PUBLISH, true, true},
};

/*
 * Where we write Workloads, queues are not decided on before those that there are were listed once: jobs that
 * another program let in would be taken for new ones, and stopped.
 */
static bool knows_workloads(const struct plm_state *st)
{
	return (plm_root(st)->publish & PLM_PUBLISH_QUEUES) == 0 ||
	       plm_root(st)->workloads_listed != PLM_LISTED_NEVER;
}

static bool takes_part(const struct plm_state *st, size_t turn)
{
	if (turns[turn].queues && !turns[turn].nodes && !knows_workloads(st)) {
		return false;
	}
	switch (plm_root(st)->only) {
	case PLM_ONLY_QUEUES:
		return turns[turn].queues;
	case PLM_ONLY_NODES:
		return turns[turn].nodes;
	case PLM_ONLY_NOTHING:
		return false;
	default:
		return true;
	}
}

void plm_apply(struct plm_state *st, const struct plm_event *ev, struct plm_arena *scratch)
{
	bool last = ev->type == PLM_EV_GONE || ev->type == PLM_EV_RESULT;
	size_t mark = plm_arena_mark(scratch);

	PLM_ASSERT(plm_event_info(ev->type) != NULL);
	plm_admission_before(st, ev);
	for (size_t i = 0; i < PLM_COUNTOF(areas); i++) {
		size_t area = last ? (i + 1) % PLM_COUNTOF(areas) : i;

		areas[area](st, ev, scratch);
		plm_arena_rewind(scratch, mark);
	}
	plm_publish_fold_board(st, ev);
	plm_publish_fold_nodes(st, ev);
	plm_marks_settle(st);
	plm_pod_index_settle(st);
	if (ev->type == PLM_EV_CYCLE && takes_part(st, (size_t)PLM_CYCLE_PROVISION)) {
		plm_provision_look(st, scratch);
		plm_arena_rewind(scratch, mark);
	}
	st->seq = ev->seq;
}

void plm_cycle_begin(struct plm_cycle_run *run, const struct plm_w_cycle *cycle)
{
	*run = (struct plm_cycle_run){.cycle = *cycle, .phase = PLM_CYCLE_LIFECYCLE};
}

/* Quota came back: admission looks again in the same cycle, be it for another flavor. */
static bool gave_back(const struct plm_out *out)
{
	for (uint32_t handle = 1; handle <= out->count; handle++) {
		if (plm_out_item(out, handle)->type == PLM_EV_RELEASE) {
			return true;
		}
	}
	return false;
}

bool plm_cycle_step(const struct plm_state *st, struct plm_cycle_run *run,
		    struct plm_arena *scratch, struct plm_out *out)
{
	size_t turn = (size_t)run->phase;

	PLM_ASSERT(turn < PLM_COUNTOF(turns));
	PLM_ASSERT(turns[turn].phase == run->phase);
	if (takes_part(st, turn) && !turns[turn].step(st, run, scratch, out)) {
		return false;
	}
	if (run->phase > PLM_CYCLE_ADMISSION && gave_back(out) && run->returns < RETURNS_MAX &&
	    takes_part(st, (size_t)PLM_CYCLE_ADMISSION)) {
		run->returns++;
		run->step = 0;
		run->phase = PLM_CYCLE_ADMISSION;
		return false;
	}
	run->step = 0;
	run->phase++;
	return run->phase == PLM_CYCLE_DONE;
}

int64_t plm_next_due(const struct plm_state *st)
{
	static const struct {
		int64_t (*due)(const struct plm_state *st);
		enum plm_phase_of_cycle phase;
	} timers[] = {
		{plm_lifecycle_next_due, PLM_CYCLE_LIFECYCLE},
		{plm_claims_next_due, PLM_CYCLE_CLAIMS},
		{plm_admission_next_due, PLM_CYCLE_ADMISSION},
		{plm_provision_next_due, PLM_CYCLE_PROVISION},
		{plm_disruption_next_due, PLM_CYCLE_DISRUPTION},
		{plm_publish_next_due, PLM_CYCLE_PUBLISH},
	};
	int64_t first = PLM_UNSET;

	/* A timer of an area that takes no turn would stay due for ever. */
	for (size_t i = 0; i < PLM_COUNTOF(timers); i++) {
		int64_t due =
			takes_part(st, (size_t)timers[i].phase) ? timers[i].due(st) : PLM_UNSET;

		if (due != PLM_UNSET && (first == PLM_UNSET || due < first)) {
			first = due;
		}
	}
	return first;
}

bool plm_cycle_wanted(const struct plm_state *st, int64_t now_ms)
{
	const struct plm_root *root = plm_root(st);
	int64_t due = plm_next_due(st);

	if (root->only == PLM_ONLY_NOTHING) {
		return false;
	}
	return root->queues_dirty == 1 || root->nodes_dirty == 1 ||
	       (due != PLM_UNSET && due <= now_ms);
}

bool plm_waits_for_list(enum plm_kind kind)
{
	return kind == PLM_KIND_NODE || kind == PLM_KIND_NODE_CLAIM || /* adopt.h; orphan.h */
	       kind == PLM_KIND_WORKLOAD;			       /* publish.h */
}
