#include "reducers/status/absent.h"

#include "reducers/admission/activity.h"
#include "reducers/admission/queue.h"

static bool has_claims(const struct plm_state *st, const struct plm_workload *workload)
{
	uint32_t count = 0;
	const struct plm_pod_set *sets =
		PLM_SPAN(st, workload->pod_sets, struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t one = 0;
		const struct plm_shape *shape = PLM_SPAN(st, sets[i].shape, struct plm_shape, &one);

		if (shape->has_claims == 1) {
			return true;
		}
	}
	return false;
}

static struct plm_absent devices(const struct plm_state *st)
{
	if (plm_root(st)->device_classes == 1) {
		return (struct plm_absent){
			.feature = "dynamic resource allocation (resourceClaims)",
			.instead = "it waits, since deviceClassMappings ask for its devices to be "
				   "counted",
			.lift = "a pod template without resourceClaims, or a Configuration without "
				"deviceClassMappings",
		};
	}
	return (struct plm_absent){
		.feature = "dynamic resource allocation (resourceClaims)",
		.instead = "its devices are not counted against any quota",
		.lift = "devices as extended resources in requests",
	};
}

uint32_t plm_absent_of(const struct plm_state *st, plm_id id, struct plm_absent *out)
{
	const struct plm_workload *workload = plm_workload_at(st, id);
	struct plm_route route = plm_queue_route(st, workload);
	plm_id queue = workload->cluster_queue.n != 0 ? workload->cluster_queue : route.cluster;
	uint32_t count = 0;

	if (workload->elastic == 1) {
		out[count++] = (struct plm_absent){
			.feature = "elastic jobs (workload slices)",
			.instead = "it is counted with the size that it was admitted with",
			.lift = "a job that is stopped and submitted with its new size",
		};
	}
	if (has_claims(st, workload)) {
		out[count++] = devices(st);
	}
	if (queue.n != 0 && plm_cluster_queue_at(st, queue)->concurrent == 1) {
		out[count++] = (struct plm_absent){
			.feature = "concurrent admission",
			.instead = "its flavors are tried one after the other, and it stays on the "
				   "one that it got",
			.lift = "a ClusterQueue without concurrentAdmissionPolicy",
			.object = plm_cluster_queue_at(st, queue)->object.name,
		};
	}
	if (queue.n != 0 && plm_check_elsewhere(st, queue).n != 0) {
		out[count++] = (struct plm_absent){
			.feature = "MultiKueue",
			.instead = "nothing sends it to another cluster; with its quota it waits "
				   "for whoever sets the check Ready",
			.lift = "a ClusterQueue without this admission check",
			.object = plm_check_elsewhere(st, queue),
		};
	}
	PLM_ASSERT(count <= PLM_ABSENT_MAX);
	return count;
}
