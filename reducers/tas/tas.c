#include "reducers/tas/tas.h"

static const struct plm_flavor *flavor_of(const struct plm_state *st, plm_sym name)
{
	plm_id id = plm_find(st, PLM_KIND_FLAVOR, (plm_sym){0}, name);

	return id.n == 0 ? NULL : plm_flavor_at(st, id);
}

const plm_sym *plm_tas_levels(const struct plm_state *st, plm_sym name, uint32_t *count)
{
	const struct plm_flavor *flavor = flavor_of(st, name);
	plm_id topology = {0};

	*count = 0;
	if (flavor == NULL || flavor->topology.n == 0) {
		return NULL;
	}
	topology = plm_find(st, PLM_KIND_TOPOLOGY, (plm_sym){0}, flavor->topology);
	if (topology.n == 0) {
		return NULL;
	}
	return PLM_SPAN(st, plm_tas_topology_at(st, topology)->levels, plm_sym, count);
}

bool plm_tas_flavor(const struct plm_state *st, plm_sym name)
{
	const struct plm_flavor *flavor = flavor_of(st, name);

	return flavor != NULL && flavor->topology.n != 0;
}

/* Flavors of the queue, and how many of them have a topology. */
static uint32_t count_flavors(const struct plm_state *st, const struct plm_cluster_queue *queue,
			      uint32_t *out_with)
{
	uint32_t groups = 0;
	const struct plm_group *group = PLM_SPAN(st, queue->groups, struct plm_group, &groups);
	uint32_t total = 0;

	*out_with = 0;
	for (uint32_t g = 0; g < groups; g++) {
		uint32_t count = 0;
		const struct plm_flavor_quota *flavor =
			PLM_SPAN(st, group[g].flavors, struct plm_flavor_quota, &count);

		for (uint32_t f = 0; f < count; f++) {
			*out_with += plm_tas_flavor(st, flavor[f].flavor) ? 1 : 0;
		}
		total += count;
	}
	PLM_ASSERT(*out_with <= total);
	return total;
}

bool plm_tas_queue_any(const struct plm_state *st, const struct plm_cluster_queue *queue)
{
	uint32_t with = 0;

	(void)count_flavors(st, queue, &with);
	return with > 0;
}

bool plm_tas_queue_all(const struct plm_state *st, const struct plm_cluster_queue *queue)
{
	uint32_t with = 0;
	uint32_t total = count_flavors(st, queue, &with);

	return total > 0 && with == total;
}

bool plm_tas_assigned(const struct plm_state *st, plm_sym assignments)
{
	uint32_t count = 0;
	const struct plm_assignment *set = PLM_SPAN(st, assignments, struct plm_assignment, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (set[i].domains.n != 0) {
			return true;
		}
	}
	return false;
}

bool plm_tas_workload(const struct plm_state *st, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(st, id);
	uint32_t count = 0;
	const struct plm_pod_set *set =
		PLM_SPAN(st, workload->pod_sets, struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (set[i].topology_asked == 1) {
			return true;
		}
	}
	return plm_tas_assigned(st, workload->assignments);
}

bool plm_tas_pod(const struct plm_state *st, const struct plm_pod *pod)
{
	plm_id workload = {0};

	if (pod->tas == 1 || pod->ungating == 1) {
		return true;
	}
	workload = plm_pod_workload(st, pod);
	return workload.n != 0 && plm_tas_workload(st, workload);
}

/* Facts that change what pods ask of which node, or whose pods they are; decisions never do. */
static bool moves_pods(uint16_t type)
{
	return type == PLM_EV_POD || type == PLM_EV_NODE || type == PLM_EV_JOB ||
	       type == PLM_EV_WORKLOAD || type == PLM_EV_GONE;
}

/* A queue with a topology has somebody who is tried. */
static bool looks_at_domains(const struct plm_state *st)
{
	if (plm_tas_topology_live(st) == 0) {
		return false;
	}
	PLM_EACH(st, cluster_queue, queue)
	{
		if (plm_queue_index_cell(st, queue)->lane.count > 0 &&
		    plm_tas_queue_any(st, plm_cluster_queue_at(st, queue))) {
			return true;
		}
	}
	return false;
}

void plm_tas_see(struct plm_state *st, const struct plm_event *ev)
{
	if (moves_pods(ev->type)) {
		st->host_pods.fresh = false;
	} else if (ev->type == PLM_EV_CYCLE && looks_at_domains(st)) {
		plm_host_pods_refresh(st);
	}
}
