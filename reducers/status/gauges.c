/* The gauges of a state: metric.h. */
#include "core/quantity.h"
#include "reducers/admission/afs.h"
#include "reducers/admission/queue.h"
#include "reducers/status/board.h"
#include "reducers/status/condition.h"
#include "reducers/status/metric.h"

struct gauging {
	const struct plm_state *st;
	struct plm_arena *arena;
	struct plm_board board;
	plm_metric_sink *sink;
	void *self;
};

static struct plm_slice text(const struct gauging *g, plm_sym sym)
{
	return plm_str(g->st, sym);
}

static void put(const struct gauging *g, struct plm_metric metric)
{
	g->sink(g->self, &metric);
}

/* cpu is held in thousandths. */
static uint32_t decimals_of(struct plm_slice resource)
{
	return plm_resource_scale(resource) == PLM_SCALE_MILLI ? 3 : 0;
}

static void put_status(const struct gauging *g, struct plm_slice name,
		       const struct plm_object *object, bool active)
{
	const char *now = object->deleting_ms != PLM_UNSET ? "terminating"
			  : active			   ? "active"
							   : "pending";
	static const char *const all[] = {"pending", "active", "terminating"};

	for (size_t i = 0; i < PLM_COUNTOF(all); i++) {
		put(g,
		    (struct plm_metric){.id = PLM_METRIC_QUEUE_STATUS,
					.labels = {name, plm_slice_str(all[i])},
					.value = plm_slice_is(plm_slice_str(now), all[i]) ? 1 : 0,
					.decimals = 0});
	}
}

static void put_line(const struct gauging *g, struct plm_slice queue, struct plm_slice cohort,
		     const struct plm_quota_line *line)
{
	const struct {
		enum plm_metric_id id;
		int64_t value;
	} values[] = {
		{PLM_METRIC_RESOURCE_RESERVATION, line->reserved},
		{PLM_METRIC_RESOURCE_USAGE, line->used},
		{PLM_METRIC_NOMINAL, line->nominal},
		{PLM_METRIC_BORROWING, line->borrowing},
		{PLM_METRIC_LENDING, line->lending},
	};
	struct plm_slice resource = text(g, line->resource);

	for (size_t i = 0; i < PLM_COUNTOF(values); i++) {
		if (values[i].value != PLM_UNSET) {
			put(g, (struct plm_metric){
				       .id = values[i].id,
				       .labels = {cohort, queue, text(g, line->flavor), resource},
				       .value = values[i].value,
				       .decimals = decimals_of(resource)});
		}
	}
	put(g, (struct plm_metric){.id = PLM_METRIC_DIALECT_USED,
				   .labels = {queue, resource},
				   .value = line->reserved,
				   .decimals = decimals_of(resource)});
}

static void put_queue(const struct gauging *g, plm_id id)
{
	const struct plm_cluster_queue *queue = plm_cluster_queue_at(g->st, id);
	const struct plm_queue_status *status = &g->board.queues[id.n];
	struct plm_slice name = text(g, queue->object.name);
	struct plm_slice cohort = text(g, status->cohort);
	const struct {
		enum plm_metric_id id;
		const char *label;
		int64_t value;
	} counts[] = {
		{PLM_METRIC_PENDING, "active", status->counts.pending},
		{PLM_METRIC_PENDING, "inadmissible", status->counts.inadmissible},
		{PLM_METRIC_FINISHED_NOW, "", status->counts.finished},
		{PLM_METRIC_RESERVING, "", status->counts.reserving},
		{PLM_METRIC_ADMITTED_NOW, "", status->counts.admitted},
	};

	for (size_t i = 0; i < PLM_COUNTOF(counts); i++) {
		put(g, (struct plm_metric){.id = counts[i].id,
					   .labels = {name, plm_slice_str(counts[i].label)},
					   .value = counts[i].value,
					   .decimals = 0});
	}
	put_status(g, name, &queue->object, status->active.is_true);
	put(g, (struct plm_metric){.id = PLM_METRIC_QUEUE_INFO,
				   .labels = {name, cohort, text(g, status->root)},
				   .value = 1,
				   .decimals = 0});
	for (uint32_t i = 0; i < status->lines.count; i++) {
		put_line(g, name, cohort, &status->lines.list[i]);
	}
	if (status->weighted_share != PLM_UNSET) {
		put(g, (struct plm_metric){.id = PLM_METRIC_SHARE,
					   .labels = {name, cohort},
					   .value = status->weighted_share,
					   .decimals = 0});
	}
}

static void put_cohort(const struct gauging *g, const struct plm_cohort_status *cohort)
{
	struct plm_slice name = text(g, cohort->name);

	put(g, (struct plm_metric){.id = PLM_METRIC_COHORT_INFO,
				   .labels = {name, text(g, cohort->parent), text(g, cohort->root)},
				   .value = 1,
				   .decimals = 0});
	put(g, (struct plm_metric){.id = PLM_METRIC_SUBTREE_ADMITTED_NOW,
				   .labels = {name},
				   .value = cohort->admitted,
				   .decimals = 0});
	if (cohort->weighted_share != PLM_UNSET) {
		put(g, (struct plm_metric){.id = PLM_METRIC_COHORT_SHARE,
					   .labels = {name},
					   .value = cohort->weighted_share,
					   .decimals = 0});
	}
	for (uint32_t i = 0; i < cohort->lines.count; i++) {
		const struct plm_quota_line *line = &cohort->lines.list[i];
		struct plm_slice flavor = text(g, line->flavor);
		struct plm_slice resource = text(g, line->resource);

		put(g, (struct plm_metric){.id = PLM_METRIC_SUBTREE_QUOTA,
					   .labels = {name, flavor, resource},
					   .value = line->subtree,
					   .decimals = decimals_of(resource)});
		put(g, (struct plm_metric){.id = PLM_METRIC_SUBTREE_RESERVATION,
					   .labels = {name, flavor, resource},
					   .value = line->reserved,
					   .decimals = decimals_of(resource)});
	}
}

/* Usage has 32 binary digits and weights of resources are in 10^-9, as that of the LocalQueue. */
static int64_t fair_usage_milli(const struct plm_afs_usage *usage)
{
	const uint64_t *limb = usage->amount.limb;
	plm_u128 whole = ((plm_u128)limb[2] << 96) | ((plm_u128)limb[1] << 32) | (limb[0] >> 32);

	if (usage->weight_nano == 0 || limb[3] != 0 || limb[2] >> 32 != 0) {
		return INT64_MAX;
	}
	whole /= usage->weight_nano;
	return whole > INT64_MAX ? INT64_MAX : (int64_t)whole;
}

static void put_fair_usage(const struct gauging *g, plm_id local, struct plm_slice name,
			   struct plm_slice ns)
{
	plm_id cluster = plm_find(g->st, PLM_KIND_CLUSTER_QUEUE, (plm_sym){0},
				  g->board.locals[local.n].cluster_queue);
	struct plm_afs_usage usage;

	if (cluster.n == 0 || !plm_afs_on(g->st, cluster)) {
		return;
	}
	usage = plm_afs_usage(g->st, local);
	put(g, (struct plm_metric){.id = PLM_METRIC_LOCAL_FAIR_USAGE,
				   .labels = {name, ns},
				   .value = fair_usage_milli(&usage),
				   .decimals = 3});
}

static void put_local(const struct gauging *g, plm_id id)
{
	const struct plm_local_queue *local = plm_local_queue_at(g->st, id);
	const struct plm_local_status *status = &g->board.locals[id.n];
	struct plm_slice name = text(g, local->object.name);
	struct plm_slice ns = text(g, local->object.ns);
	const struct {
		enum plm_metric_id id;
		const char *label;
		int64_t value;
	} counts[] = {
		{PLM_METRIC_LOCAL_PENDING, "active", status->counts.pending},
		{PLM_METRIC_LOCAL_PENDING, "inadmissible", status->counts.inadmissible},
		{PLM_METRIC_LOCAL_FINISHED_NOW, "", status->counts.finished},
		{PLM_METRIC_LOCAL_RESERVING, "", status->counts.reserving},
		{PLM_METRIC_LOCAL_ADMITTED_NOW, "", status->counts.admitted},
		{PLM_METRIC_LOCAL_STATUS, "true", status->active.is_true ? 1 : 0},
		{PLM_METRIC_LOCAL_STATUS, "false", status->active.is_true ? 0 : 1},
		{PLM_METRIC_LOCAL_STATUS, "unknown", 0},
	};

	for (size_t i = 0; i < PLM_COUNTOF(counts); i++) {
		put(g, (struct plm_metric){.id = counts[i].id,
					   .labels = {name, ns, plm_slice_str(counts[i].label)},
					   .value = counts[i].value,
					   .decimals = 0});
	}
	put_fair_usage(g, id, name, ns);
	for (uint32_t i = 0; i < status->lines.count; i++) {
		const struct plm_quota_line *line = &status->lines.list[i];
		struct plm_slice flavor = text(g, line->flavor);
		struct plm_slice resource = text(g, line->resource);

		put(g, (struct plm_metric){.id = PLM_METRIC_LOCAL_RESERVATION,
					   .labels = {name, ns, flavor, resource},
					   .value = line->reserved,
					   .decimals = decimals_of(resource)});
		put(g, (struct plm_metric){.id = PLM_METRIC_LOCAL_USAGE,
					   .labels = {name, ns, flavor, resource},
					   .value = line->used,
					   .decimals = decimals_of(resource)});
	}
}

/* ---- workloads without admission --------------------------------------------------------------- */

/* What a waiting workload asks for, in all its pods. */
static void put_asked(const struct gauging *g, const struct plm_workload *workload,
		      struct plm_slice queue)
{
	uint32_t count = 0;
	const struct plm_pod_set *set =
		PLM_SPAN(g->st, workload->pod_sets, struct plm_pod_set, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t shapes = 0;
		uint32_t amounts = 0;
		const struct plm_shape *shape =
			PLM_SPAN(g->st, set[i].shape, struct plm_shape, &shapes);
		const struct plm_amount *amount =
			shapes == 0 ? NULL
				    : PLM_SPAN(g->st, shape->requests, struct plm_amount, &amounts);

		for (uint32_t a = 0; a < amounts; a++) {
			struct plm_slice resource = text(g, amount[a].resource);

			put(g, (struct plm_metric){
				       .id = PLM_METRIC_RESOURCE_PENDING,
				       .labels = {queue, resource},
				       .value = plm_mul_sat(amount[a].amount, set[i].count),
				       .decimals = decimals_of(resource)});
		}
	}
}

static void put_unadmitted(const struct gauging *g, plm_id id)
{
	const struct plm_workload *workload = plm_workload_at(g->st, id);
	struct plm_route route = plm_queue_route(g->st, workload);
	struct plm_conditions conditions;
	const struct plm_condition *quota = NULL;
	struct plm_slice reason = plm_slice_str("NoReservation");
	struct plm_slice cause = plm_slice_str("PendingEvaluation");
	struct plm_slice queue = {0};

	if (workload->stage != PLM_STAGE_PENDING && workload->stage != PLM_STAGE_RESERVED) {
		return;
	}
	plm_status_conditions(g->st, id, NULL, g->arena, &conditions);
	quota = plm_status_condition(&conditions, "QuotaReserved");
	if (plm_status_condition(&conditions, "Admitted") != NULL) {
		reason = plm_status_condition(&conditions, "Admitted")->reason;
	}
	if (quota != NULL) {
		cause = quota->is_true ? (struct plm_slice){0} : quota->reason;
	}
	if (route.cluster.n != 0) {
		queue = text(g, plm_cluster_queue_at(g->st, route.cluster)->object.name);
		put(g, (struct plm_metric){.id = PLM_METRIC_UNADMITTED,
					   .labels = {queue, reason, cause},
					   .value = 1,
					   .decimals = 0});
	}
	if (route.local.n != 0) {
		const struct plm_object *local = &plm_local_queue_at(g->st, route.local)->object;

		put(g, (struct plm_metric){.id = PLM_METRIC_LOCAL_UNADMITTED,
					   .labels = {text(g, local->name), text(g, local->ns),
						      queue, reason, cause},
					   .value = 1,
					   .decimals = 0});
	}
	if (workload->stage == PLM_STAGE_PENDING && route.cluster.n != 0) {
		put_asked(g, workload, queue);
	}
	if (workload->stage == PLM_STAGE_PENDING && route.work.n != 0) {
		put(g,
		    (struct plm_metric){
			    .id = PLM_METRIC_DIALECT_PENDING,
			    .labels = {text(g, plm_work_queue_at(g->st, route.work)->object.name)},
			    .value = 1,
			    .decimals = 0});
	}
}

void plm_metric_gauges(const struct plm_state *st, struct plm_arena *arena, plm_metric_sink *sink,
		       void *self)
{
	struct gauging g = {.st = st, .arena = arena, .sink = sink, .self = self};

	plm_status_board(st, arena, &g.board);
	PLM_EACH(st, cluster_queue, id)
	{
		put_queue(&g, id);
	}
	for (uint32_t i = 0; i < g.board.cohort_count; i++) {
		put_cohort(&g, &g.board.cohorts[i]);
	}
	PLM_EACH(st, local_queue, id)
	{
		put_local(&g, id);
	}
	PLM_EACH(st, work_queue, id)
	{
		put(&g, (struct plm_metric){
				.id = PLM_METRIC_DIALECT_PENDING,
				.labels = {text(&g, plm_work_queue_at(st, id)->object.name)},
				.value = 0,
				.decimals = 0});
	}
	PLM_EACH(st, workload, id)
	{
		put_unadmitted(&g, id);
	}
}
