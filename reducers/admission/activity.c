#include "reducers/admission/activity.h"

#include "reducers/admission/queue.h"
#include "reducers/tas/tas.h"

static bool is_capacity(const struct plm_state *st, const struct plm_admission_check *check)
{
	return plm_sym_is(st, check->controller, PLM_CAPACITY_CONTROLLER);
}

#define MULTIKUEUE "kueue.x-k8s.io/multikueue"
#define PROVISIONING "kueue.x-k8s.io/provisioning-request"

/* Is 'name' an admission check whose controller is 'controller'? */
static bool is_run_by(const struct plm_state *st, plm_sym name, const char *controller)
{
	plm_id id = plm_find(st, PLM_KIND_ADMISSION_CHECK, (plm_sym){0}, name);

	return id.n != 0 && plm_sym_is(st, plm_admission_check_at(st, id)->controller, controller);
}

/* One MultiKueue check at most, on all flavors, and none that provisions here: kueue.md 1.1, 2.18. */
static enum plm_rule elsewhere_of(const struct plm_state *st, const struct plm_cluster_queue *queue)
{
	uint32_t count = 0;
	const struct plm_check_use *use = PLM_SPAN(st, queue->checks, struct plm_check_use, &count);
	uint32_t elsewhere = 0;
	bool per_flavor = false;
	bool here = false;

	for (uint32_t i = 0; i < count; i++) {
		if (is_run_by(st, use[i].name, MULTIKUEUE)) {
			elsewhere++;
			per_flavor = per_flavor || use[i].flavors.n != 0;
		}
		here = here || is_run_by(st, use[i].name, PROVISIONING);
	}
	if (elsewhere > 1) {
		return PLM_RULE_MULTIKUEUE_TWICE;
	}
	if (elsewhere == 1 && per_flavor) {
		return PLM_RULE_MULTIKUEUE_PER_FLAVOR;
	}
	return elsewhere == 1 && here ? PLM_RULE_MULTIKUEUE_AND_PROVISIONING : PLM_RULE_NONE;
}

/* The first flavor without object, or (the flavors being there) without its Topology. */
static struct plm_activity flavors_of(const struct plm_state *st,
				      const struct plm_cluster_queue *queue, bool topologies)
{
	uint32_t groups = 0;
	const struct plm_group *group = PLM_SPAN(st, queue->groups, struct plm_group, &groups);

	for (uint32_t g = 0; g < groups; g++) {
		uint32_t count = 0;
		const struct plm_flavor_quota *flavor =
			PLM_SPAN(st, group[g].flavors, struct plm_flavor_quota, &count);

		for (uint32_t f = 0; f < count; f++) {
			plm_sym name = flavor[f].flavor;
			uint32_t levels = 0;

			if (topologies && plm_tas_flavor(st, name) &&
			    plm_tas_levels(st, name, &levels) == NULL) {
				return (struct plm_activity){.rule = PLM_RULE_TOPOLOGY_MISSING,
							     .flavor = name};
			}
			if (!topologies &&
			    plm_find(st, PLM_KIND_FLAVOR, (plm_sym){0}, name).n == 0) {
				return (struct plm_activity){.rule = PLM_RULE_FLAVOR_MISSING,
							     .flavor = name};
			}
		}
	}
	return (struct plm_activity){.rule = PLM_RULE_NONE};
}

static struct plm_activity checks_of(const struct plm_state *st,
				     const struct plm_cluster_queue *queue)
{
	uint32_t count = 0;
	const struct plm_check_use *use = PLM_SPAN(st, queue->checks, struct plm_check_use, &count);

	for (uint32_t i = 0; i < count; i++) {
		plm_id id = plm_find(st, PLM_KIND_ADMISSION_CHECK, (plm_sym){0}, use[i].name);

		if (id.n == 0 || (plm_admission_check_at(st, id)->active == 0 &&
				  !is_capacity(st, plm_admission_check_at(st, id)))) {
			return (struct plm_activity){.rule = PLM_RULE_QUEUE_INACTIVE,
						     .detail = use[i].name};
		}
	}
	return (struct plm_activity){.rule = PLM_RULE_NONE};
}

struct plm_activity plm_activity_of(const struct plm_state *st, plm_id id)
{
	const struct plm_cluster_queue *queue = plm_cluster_queue_at(st, id);
	struct plm_activity activity = {.rule = PLM_RULE_NONE};

	if (queue->misconfigured.n != 0) {
		return (struct plm_activity){.rule = PLM_RULE_QUEUE_INACTIVE,
					     .detail = queue->misconfigured};
	}
	if (queue->object.deleting_ms != PLM_UNSET) {
		return (struct plm_activity){.rule = PLM_RULE_QUEUE_INACTIVE};
	}
	if (queue->stop != PLM_STOP_NONE) {
		return (struct plm_activity){.rule = PLM_RULE_QUEUE_STOPPED};
	}
	if (queue->cohort.n != 0 && plm_queue_root(st, queue->cohort).n == 0) {
		return (struct plm_activity){.rule = PLM_RULE_COHORT_RING, .detail = queue->cohort};
	}
	if (queue->dialect == 0) {
		activity = flavors_of(st, queue, false);
	}
	if (activity.rule == PLM_RULE_NONE) {
		activity = checks_of(st, queue);
	}
	if (activity.rule == PLM_RULE_NONE) {
		activity.rule = elsewhere_of(st, queue);
	}
	return activity.rule == PLM_RULE_NONE ? flavors_of(st, queue, true) : activity;
}

plm_sym plm_check_elsewhere(const struct plm_state *st, plm_id id)
{
	uint32_t count = 0;
	const struct plm_check_use *use =
		PLM_SPAN(st, plm_cluster_queue_at(st, id)->checks, struct plm_check_use, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (is_run_by(st, use[i].name, MULTIKUEUE)) {
			return use[i].name;
		}
	}
	return (plm_sym){0};
}

static bool has_flavor(const struct plm_state *st, const struct plm_flavors *flavors, plm_sym name)
{
	uint32_t sets = 0;
	const struct plm_assignment *set =
		PLM_SPAN(st, flavors->assignments, struct plm_assignment, &sets);

	for (uint32_t i = 0; i < flavors->count; i++) {
		if (plm_sym_equal(flavors->list[i], name)) {
			return true;
		}
	}
	for (uint32_t i = 0; i < sets; i++) {
		uint32_t count = 0;
		const struct plm_kv *pair = PLM_SPAN(st, set[i].flavors, struct plm_kv, &count);

		for (uint32_t j = 0; j < count; j++) {
			if (plm_sym_equal(pair[j].value, name)) {
				return true;
			}
		}
	}
	return false;
}

/* Does the check apply to one of the flavors? */
static bool applies(const struct plm_state *st, const struct plm_check_use *use,
		    const struct plm_flavors *flavors)
{
	uint32_t only = 0;
	const plm_sym *named = PLM_SPAN(st, use->flavors, plm_sym, &only);

	for (uint32_t i = 0; i < only; i++) {
		if (has_flavor(st, flavors, named[i])) {
			return true;
		}
	}
	return only == 0;
}

static bool asks_capacity(const struct plm_state *st, const struct plm_check_use *use)
{
	plm_id check = plm_find(st, PLM_KIND_ADMISSION_CHECK, (plm_sym){0}, use->name);

	return check.n != 0 && is_capacity(st, plm_admission_check_at(st, check));
}

static const struct plm_check_use *uses_of(const struct plm_state *st, plm_id queue,
					   uint32_t *count)
{
	return PLM_SPAN(st, plm_cluster_queue_at(st, queue)->checks, struct plm_check_use, count);
}

bool plm_capacity_needed(const struct plm_state *st, plm_id queue,
			 const struct plm_flavors *flavors)
{
	uint32_t count = 0;
	const struct plm_check_use *use = uses_of(st, queue, &count);

	if (plm_cluster_queue_at(st, queue)->capacity_check == 1) {
		return true;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (asks_capacity(st, &use[i]) && applies(st, &use[i], flavors)) {
			return true;
		}
	}
	return false;
}

static struct plm_flavors flavors_held(const struct plm_workload *workload)
{
	PLM_ASSERT(workload->cluster_queue.n != 0);
	return (struct plm_flavors){.assignments = workload->assignments};
}

bool plm_capacity_needed_held(const struct plm_state *st, const struct plm_workload *workload)
{
	struct plm_flavors flavors = flavors_held(workload);

	return plm_capacity_needed(st, workload->cluster_queue, &flavors);
}

static enum plm_check_state state_of(const struct plm_state *st, plm_sym statuses, plm_sym name)
{
	uint32_t count = 0;
	const struct plm_check_status *status =
		PLM_SPAN(st, statuses, struct plm_check_status, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(status[i].name, name)) {
			return (enum plm_check_state)status[i].state;
		}
	}
	return PLM_CHECK_PENDING;
}

bool plm_checks_ready(const struct plm_state *st, plm_id queue, const struct plm_workload *workload,
		      const struct plm_flavors *flavors, plm_sym *out_open)
{
	uint32_t count = 0;
	const struct plm_check_use *use = uses_of(st, queue, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (!asks_capacity(st, &use[i]) && applies(st, &use[i], flavors) &&
		    state_of(st, workload->checks, use[i].name) != PLM_CHECK_READY) {
			if (out_open != NULL) {
				*out_open = use[i].name;
			}
			return false;
		}
	}
	return true;
}

bool plm_checks_ready_held(const struct plm_state *st, const struct plm_workload *workload)
{
	struct plm_flavors flavors = {.assignments = workload->assignments};

	if (workload->cluster_queue.n == 0) {
		return false; /* nobody says what it needs */
	}
	return plm_checks_ready(st, workload->cluster_queue, workload, &flavors, NULL);
}

uint32_t plm_checks_needed_held(const struct plm_state *st, const struct plm_workload *workload,
				struct plm_arena *arena, plm_sym **out)
{
	struct plm_flavors flavors = flavors_held(workload);
	uint32_t uses = 0;
	uint32_t count = 0;
	const struct plm_check_use *use = uses_of(st, workload->cluster_queue, &uses);
	plm_sym *list = PLM_NEW_ARRAY(arena, uses, plm_sym);

	for (uint32_t i = 0; i < uses; i++) {
		uint32_t at = count;

		if (!applies(st, &use[i], &flavors)) {
			continue;
		}
		for (; at > 0 && plm_sym_compare(st, list[at - 1], use[i].name) > 0; at--) {
			list[at] = list[at - 1];
		}
		list[at] = use[i].name;
		count++;
	}
	*out = list;
	return count;
}

bool plm_check_is_capacity(const struct plm_state *st, plm_sym name)
{
	return asks_capacity(st, &(struct plm_check_use){.name = name});
}

bool plm_checks_failed(const struct plm_state *st, const struct plm_workload *workload,
		       enum plm_check_state *out_state, plm_sym *out_name)
{
	uint32_t count = 0;
	const struct plm_check_status *status =
		PLM_SPAN(st, workload->checks, struct plm_check_status, &count);

	*out_state = PLM_CHECK_READY;
	for (uint32_t i = 0; i < count; i++) {
		if ((status[i].state == PLM_CHECK_RETRY || status[i].state == PLM_CHECK_REJECTED) &&
		    status[i].state > *out_state) {
			*out_state = (enum plm_check_state)status[i].state;
			*out_name = status[i].name;
		}
	}
	return *out_state != PLM_CHECK_READY;
}

bool plm_checks_failed_held(const struct plm_state *st, const struct plm_workload *workload,
			    enum plm_check_state *out_state, plm_sym *out_name)
{
	struct plm_flavors flavors = {.assignments = workload->assignments};
	uint32_t count = 0;
	const struct plm_check_use *use = NULL;

	if (workload->cluster_queue.n == 0) {
		return plm_checks_failed(st, workload, out_state, out_name);
	}
	use = uses_of(st, workload->cluster_queue, &count);
	*out_state = PLM_CHECK_READY;
	for (uint32_t i = 0; i < count; i++) {
		enum plm_check_state state = state_of(st, workload->checks, use[i].name);

		if (applies(st, &use[i], &flavors) &&
		    (state == PLM_CHECK_RETRY || state == PLM_CHECK_REJECTED) &&
		    state > *out_state) {
			*out_state = state;
			*out_name = use[i].name;
		}
	}
	return *out_state != PLM_CHECK_READY;
}
