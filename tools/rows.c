#include "tools/rows_private.h"

#include <inttypes.h>

#include "tools/spell.h"

/* ---- cells ------------------------------------------------------------------------------------- */

void plm_cell_sym(const struct plm_rows *rows, struct plm_grid *grid, plm_sym text)
{
	plm_grid_cell(grid, plm_str(rows->st, text));
}

void plm_cell_number(struct plm_grid *grid, int64_t value)
{
	plm_grid_format(grid, "%" PRId64, value);
}

static void number_or_none(struct plm_grid *grid, int64_t value)
{
	if (value == PLM_UNSET || value == 0) {
		plm_grid_cell(grid, (struct plm_slice){0});
	} else {
		plm_cell_number(grid, value);
	}
}

void plm_cell_age(const struct plm_rows *rows, struct plm_grid *grid, int64_t ms)
{
	plm_grid_cell(grid, ms == PLM_UNSET ? (struct plm_slice){0}
					    : plm_spell_age(rows->arena, rows->now_ms - ms));
}

static void price(const struct plm_rows *rows, struct plm_grid *grid, int64_t micro)
{
	plm_grid_cell(grid, plm_spell_price(rows->arena, micro));
}

/* "cpu=3,memory=4Gi" */
static void amounts(const struct plm_rows *rows, struct plm_grid *grid, plm_sym span)
{
	struct plm_slice text = {0};
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(rows->st, span, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct plm_slice name = plm_str(rows->st, list[i].resource);
		struct plm_slice value = plm_spell_amount(rows->arena, name, list[i].amount);

		text = plm_arena_format(rows->arena, "%.*s%s%.*s=%.*s", (int)text.size,
					(const char *)text.ptr, i > 0 ? "," : "", (int)name.size,
					(const char *)name.ptr, (int)value.size,
					(const char *)value.ptr);
	}
	plm_grid_cell(grid, text);
}

static void labels(const struct plm_rows *rows, struct plm_grid *grid, plm_sym span)
{
	struct plm_slice text = {0};
	uint32_t count = 0;
	const struct plm_kv *list = PLM_SPAN(rows->st, span, struct plm_kv, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct plm_slice key = plm_str(rows->st, list[i].key);
		struct plm_slice value = plm_str(rows->st, list[i].value);

		text = plm_arena_format(rows->arena, "%.*s%s%.*s=%.*s", (int)text.size,
					(const char *)text.ptr, i > 0 ? "," : "", (int)key.size,
					(const char *)key.ptr, (int)value.size,
					(const char *)value.ptr);
	}
	plm_grid_cell(grid, text);
}

static int64_t amount_of(const struct plm_rows *rows, plm_sym span, plm_sym resource)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(rows->st, span, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i].resource, resource)) {
			return list[i].amount;
		}
	}
	return 0;
}

static struct plm_slice label_of(const struct plm_rows *rows, plm_sym span, const char *key)
{
	uint32_t count = 0;
	const struct plm_kv *list = PLM_SPAN(rows->st, span, struct plm_kv, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_is(rows->st, list[i].key, key)) {
			return plm_str(rows->st, list[i].value);
		}
	}
	return (struct plm_slice){0};
}

/* ---- workloads --------------------------------------------------------------------------------- */

static const struct plm_column workload_columns[] = {
	{"NAMESPACE", false, false}, {"NAME", false, false},   {"JOB TYPE", false, false},
	{"JOB NAME", false, false},  {"QUEUE", false, false},  {"CLUSTERQUEUE", false, false},
	{"STATUS", false, false},    {"REASON", false, false}, {"POSITION", true, false},
	{"WAIT", true, false},	     {"AGE", true, false},     {"PRIORITY", true, true},
	{"PODS", true, true},	     {"FLAVORS", false, true}, {"LAST DECISION", true, true},
};

const char *plm_workload_status(const struct plm_workload *workload)
{
	switch ((enum plm_stage)workload->stage) {
	case PLM_STAGE_PENDING:
		return "Pending";
	case PLM_STAGE_RESERVED:
		return workload->evicted_ms != PLM_UNSET ? "Evicting" : "QuotaReserved";
	case PLM_STAGE_ADMITTED:
		return workload->evicted_ms != PLM_UNSET ? "Evicting" : "Admitted";
	case PLM_STAGE_FINISHED:
		return "Finished";
	}
	PLM_UNREACHABLE();
}

static int64_t pod_count(const struct plm_rows *rows, plm_sym sets)
{
	uint32_t count = 0;
	const struct plm_pod_set *list = PLM_SPAN(rows->st, sets, struct plm_pod_set, &count);
	int64_t pods = 0;

	for (uint32_t i = 0; i < count; i++) {
		pods = plm_add_sat(pods, list[i].count);
	}
	return pods;
}

static void flavors(const struct plm_rows *rows, struct plm_grid *grid, plm_sym assignments)
{
	uint32_t count = 0;
	const struct plm_assignment *list =
		PLM_SPAN(rows->st, assignments, struct plm_assignment, &count);

	labels(rows, grid, count > 0 ? list[0].flavors : (plm_sym){0});
}

/* How long it waited for quota, or waits still. */
static void wait(const struct plm_rows *rows, struct plm_grid *grid,
		 const struct plm_workload *workload)
{
	int64_t end = workload->reserved_ms != PLM_UNSET ? workload->reserved_ms : rows->now_ms;

	if (workload->stage == PLM_STAGE_FINISHED && workload->reserved_ms == PLM_UNSET) {
		plm_grid_cell(grid, (struct plm_slice){0});
		return;
	}
	plm_grid_cell(grid, plm_spell_age(rows->arena, end - workload->object.created_ms));
}

static void workload_row(const struct plm_rows *rows, plm_id id, struct plm_grid *grid)
{
	const struct plm_workload *w = plm_workload_at(rows->st, id);
	const struct plm_job *job = w->job.n != 0 ? plm_job_at(rows->st, w->job) : NULL;
	bool pending = plm_is_pending(w);
	enum plm_colour colour = pending			  ? PLM_COLOUR_WAIT
				 : w->stage == PLM_STAGE_ADMITTED ? PLM_COLOUR_GOOD
								  : PLM_COLOUR_NONE;

	plm_cell_sym(rows, grid, w->object.ns);
	plm_cell_sym(rows, grid, w->object.name);
	plm_grid_cell(grid,
		      job != NULL ? plm_slice_str(plm_names_text(&plm_names_kind, job->object.kind))
				  : plm_str(rows->st, w->object.owner_kind));
	plm_cell_sym(rows, grid, job != NULL ? job->object.name : w->object.owner_name);
	plm_cell_sym(rows, grid, w->queue);
	plm_cell_sym(rows, grid, pending ? plm_queue_of(rows->st, w) : w->reserved_in);
	plm_grid_colour_cell(grid, plm_slice_str(plm_workload_status(w)), colour);
	plm_grid_cell(grid, plm_slice_str(plm_names_text(&plm_names_reason, w->why.reason)));
	number_or_none(grid, rows->order.positions[id.n]);
	wait(rows, grid, w);
	plm_cell_age(rows, grid, w->object.created_ms);
	plm_cell_number(grid, w->priority);
	plm_cell_number(grid, pod_count(rows, w->pod_sets));
	flavors(rows, grid, w->assignments);
	number_or_none(grid, (int64_t)w->why.seq);
}

/* ---- flavors ------------------------------------------------------------------------------------ */

static const struct plm_column flavor_columns[] = {
	{"NAME", false, false},
	{"NODE LABELS", false, false},
	{"TOPOLOGY", false, false},
	{"AGE", true, false},
};

static void flavor_row(const struct plm_rows *rows, plm_id id, struct plm_grid *grid)
{
	const struct plm_flavor *flavor = plm_flavor_at(rows->st, id);

	plm_cell_sym(rows, grid, flavor->object.name);
	labels(rows, grid, flavor->node_labels);
	plm_cell_sym(rows, grid, flavor->topology);
	plm_cell_age(rows, grid, flavor->object.created_ms);
}

/* ---- work -------------------------------------------------------------------------------------- */

static const struct plm_column job_columns[] = {
	{"NAMESPACE", false, false}, {"NAME", false, false},  {"WORKLOAD", false, false},
	{"STATUS", false, false},    {"ACTIVE", true, false}, {"READY", true, false},
	{"SUCCEEDED", true, false},  {"FAILED", true, false}, {"AGE", true, false},
};

static const char *job_status(const struct plm_job *job)
{
	if (job->end != PLM_JOB_OPEN) {
		return plm_names_text(&plm_names_job_end, job->end);
	}
	return job->active > 0 ? "Running" : job->suspended == 1 ? "Suspended" : "Pending";
}

static void job_row(const struct plm_rows *rows, plm_id id, struct plm_grid *grid)
{
	const struct plm_job *job = plm_job_at(rows->st, id);

	plm_cell_sym(rows, grid, job->object.ns);
	plm_cell_sym(rows, grid, job->object.name);
	plm_cell_sym(rows, grid, job->workload);
	plm_grid_cell(grid, plm_slice_str(job_status(job)));
	plm_cell_number(grid, job->active);
	plm_cell_number(grid, job->ready);
	plm_cell_number(grid, job->succeeded);
	plm_cell_number(grid, job->failed);
	plm_cell_age(rows, grid, job->object.created_ms);
}

static const struct plm_column pod_columns[] = {
	{"NAMESPACE", false, false}, {"NAME", false, false},  {"OWNER", false, false},
	{"NODE", false, false},	     {"PHASE", false, false}, {"NOMINATED", false, false},
	{"REASON", false, false},    {"AGE", true, false},    {"PRIORITY", true, true},
};

static void pod_row(const struct plm_rows *rows, plm_id id, struct plm_grid *grid)
{
	const struct plm_pod *pod = plm_pod_at(rows->st, id);

	plm_cell_sym(rows, grid, pod->object.ns);
	plm_cell_sym(rows, grid, pod->object.name);
	plm_cell_sym(rows, grid, pod->object.owner_name);
	plm_cell_sym(rows, grid, pod->node);
	plm_grid_cell(grid, plm_slice_str(plm_names_text(&plm_names_phase, pod->phase)));
	plm_cell_sym(rows, grid, pod->target.n != 0 ? pod->target : pod->nominated);
	plm_grid_cell(grid, plm_slice_str(plm_names_text(&plm_names_reason, pod->why.reason)));
	plm_cell_age(rows, grid, pod->object.created_ms);
	plm_cell_number(grid, pod->priority);
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static const struct plm_column node_columns[] = {
	{"NAME", false, false},	    {"POOL", false, false}, {"TYPE", false, false},
	{"CAPACITY", false, false}, {"ZONE", false, false}, {"CPU%", true, false},
	{"MEM%", true, false},	    {"PODS", true, false},  {"STATE", false, false},
	{"AGE", true, false},
};

/* Requests of the pods on 'node' in percent of what it offers. */
static void used_percent(const struct plm_rows *rows, struct plm_grid *grid,
			 const struct plm_node *node, const char *resource)
{
	plm_sym name = plm_sym_find(rows->st, plm_slice_str(resource));
	int64_t offered = amount_of(rows, node->allocatable, name);
	int64_t used = 0;

	PLM_EACH(rows->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(rows->st, id);
		uint32_t count = 0;
		const struct plm_shape *shape = NULL;

		if (pod->node.n != node->object.name.n || pod->phase == PLM_PHASE_SUCCEEDED ||
		    pod->phase == PLM_PHASE_FAILED) {
			continue;
		}
		shape = PLM_SPAN(rows->st, pod->shape, struct plm_shape, &count);
		used = plm_add_sat(used, count == 1 ? amount_of(rows, shape->requests, name) : 0);
	}
	if (offered <= 0) {
		plm_grid_cell(grid, (struct plm_slice){0});
	} else {
		plm_grid_format(grid, "%" PRId64, plm_mul_sat(used, 100) / offered);
	}
}

static const char *node_state(const struct plm_node *node)
{
	if (node->object.deleting_ms != PLM_UNSET) {
		return "Deleting";
	}
	if (node->ready == 0) {
		return "NotReady";
	}
	return node->unschedulable == 1 ? "Cordoned" : "Ready";
}

static void node_row(const struct plm_rows *rows, plm_id id, struct plm_grid *grid)
{
	const struct plm_node *node = plm_node_at(rows->st, id);

	plm_cell_sym(rows, grid, node->object.name);
	plm_grid_cell(grid, label_of(rows, node->object.labels, "karpenter.sh/nodepool"));
	plm_grid_cell(grid,
		      label_of(rows, node->object.labels, "node.kubernetes.io/instance-type"));
	plm_grid_cell(grid, label_of(rows, node->object.labels, "karpenter.sh/capacity-type"));
	plm_grid_cell(grid, label_of(rows, node->object.labels, "topology.kubernetes.io/zone"));
	used_percent(rows, grid, node, "cpu");
	used_percent(rows, grid, node, "memory");
	plm_cell_number(grid, node->pods);
	plm_grid_colour_cell(grid, plm_slice_str(node_state(node)),
			     node->ready == 1 ? PLM_COLOUR_GOOD : PLM_COLOUR_WAIT);
	plm_cell_age(rows, grid, node->object.created_ms);
}

static const struct plm_column pool_columns[] = {
	{"NAME", false, false},	 {"NODECLASS", false, false}, {"NODES", true, false},
	{"MIN", true, false},	 {"MAX", true, false},	      {"READY", false, false},
	{"$/H", true, false},	 {"AGE", true, false},	      {"WEIGHT", true, true},
	{"LIMITS", false, true},
};

static void pool_row(const struct plm_rows *rows, plm_id id, struct plm_grid *grid)
{
	const struct plm_node_pool *pool = plm_node_pool_at(rows->st, id);
	int64_t nodes = 0;
	int64_t cost = 0;

	PLM_EACH(rows->st, node_claim, c)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(rows->st, c);

		if (claim->pool.n == pool->object.name.n) {
			nodes++;
			cost = claim->price_micro == PLM_UNSET
				       ? cost
				       : plm_add_sat(cost, claim->price_micro);
		}
	}
	plm_cell_sym(rows, grid, pool->object.name);
	plm_cell_sym(rows, grid, pool->class_name);
	plm_cell_number(grid, nodes);
	number_or_none(grid, pool->min_size);
	number_or_none(grid, pool->max_size);
	plm_grid_colour_cell(grid,
			     pool->not_ready.n == 0 ? plm_slice_str("true")
						    : plm_str(rows->st, pool->not_ready),
			     pool->not_ready.n == 0 ? PLM_COLOUR_GOOD : PLM_COLOUR_BAD);
	price(rows, grid, cost);
	plm_cell_age(rows, grid, pool->object.created_ms);
	number_or_none(grid, pool->weight);
	amounts(rows, grid, pool->limits);
}

static const struct plm_column claim_columns[] = {
	{"NAME", false, false},	    {"TYPE", false, false}, {"CAPACITY", false, false},
	{"ZONE", false, false},	    {"NODE", false, false}, {"PHASE", false, false},
	{"$/H", true, false},	    {"AGE", true, false},   {"NODEPOOL", false, true},
	{"NODECLASS", false, true}, {"ID", false, true},    {"FOR", false, true},
	{"REQUESTS", false, true},
};

static const char *claim_phase(const struct plm_node_claim *claim)
{
	switch ((enum plm_claim_phase)claim->phase) {
	case PLM_CLAIM_WANTED:
		return "Wanted";
	case PLM_CLAIM_LAUNCHED:
		return "Launched";
	case PLM_CLAIM_JOINED:
		return "Joined";
	case PLM_CLAIM_READY:
		return "Ready";
	case PLM_CLAIM_ENDING:
		return "Ending";
	}
	PLM_UNREACHABLE();
}

/* The type that the cloud gave, or the cheapest of those that may be had. */
static void claim_type(const struct plm_rows *rows, struct plm_grid *grid,
		       const struct plm_node_claim *claim)
{
	uint32_t count = 0;
	const plm_sym *types = PLM_SPAN(rows->st, claim->types, plm_sym, &count);

	plm_cell_sym(rows, grid,
		     claim->instance_type.n != 0 || count == 0 ? claim->instance_type : types[0]);
}

static void claim_row(const struct plm_rows *rows, plm_id id, struct plm_grid *grid)
{
	const struct plm_node_claim *claim = plm_node_claim_at(rows->st, id);

	plm_cell_sym(rows, grid, claim->object.name);
	claim_type(rows, grid, claim);
	plm_cell_sym(rows, grid, claim->capacity_type);
	plm_cell_sym(rows, grid, claim->zone);
	plm_cell_sym(rows, grid, claim->node);
	plm_grid_cell(grid, plm_slice_str(claim_phase(claim)));
	price(rows, grid, claim->price_micro);
	plm_cell_age(rows, grid, claim->object.created_ms);
	plm_cell_sym(rows, grid, claim->pool);
	plm_cell_sym(rows, grid, claim->class_name);
	plm_cell_sym(rows, grid, claim->provider_id);
	plm_cell_sym(rows, grid, claim->for_name);
	amounts(rows, grid, claim->requests);
}

/* ---- the rest ---------------------------------------------------------------------------------- */

static const struct plm_column plain_columns[] = {
	{"NAMESPACE", false, false}, {"NAME", false, false}, {"AGE", true, false}};

/* ---- by kind ----------------------------------------------------------------------------------- */

#define SHAPE(kind, name) {PLM_KIND_##kind, name##_columns, PLM_COUNTOF(name##_columns), name##_row}

/* Of all kinds of work. */
static const struct plm_row_shape job_shape = SHAPE(JOB, job);

static const struct plm_row_shape shapes[] = {
	SHAPE(WORKLOAD, workload), SHAPE(FLAVOR, flavor),  SHAPE(POD, pod),
	SHAPE(NODE, node),	   SHAPE(NODE_POOL, pool), SHAPE(NODE_CLAIM, claim),
};

static const struct plm_row_shape *shape_of(enum plm_kind kind)
{
	for (size_t i = 0; i < PLM_COUNTOF(shapes); i++) {
		if (shapes[i].kind == kind) {
			return &shapes[i];
		}
	}
	for (const struct plm_row_shape *shape = plm_queue_shapes; shape->row != NULL; shape++) {
		if (shape->kind == kind) {
			return shape;
		}
	}
	return plm_kind_table(kind) == PLM_TABLE_JOB ? &job_shape : NULL;
}

void plm_rows_begin(const struct plm_rows *rows, enum plm_kind kind, struct plm_grid *grid)
{
	const struct plm_row_shape *shape = shape_of(kind);

	if (shape == NULL) {
		plm_grid_init(grid, rows->arena, plain_columns, PLM_COUNTOF(plain_columns));
	} else {
		plm_grid_init(grid, rows->arena, shape->columns, shape->count);
	}
}

void plm_rows_add(const struct plm_rows *rows, enum plm_kind kind, plm_id id, struct plm_grid *grid)
{
	const struct plm_row_shape *shape = shape_of(kind);
	const struct plm_object *object = plm_slot(rows->st, plm_kind_table(kind), id);

	if (shape != NULL) {
		shape->row(rows, id, grid);
		return;
	}
	plm_cell_sym(rows, grid, object->ns);
	plm_cell_sym(rows, grid, object->name);
	plm_cell_age(rows, grid, object->created_ms);
}
