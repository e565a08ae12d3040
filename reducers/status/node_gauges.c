/* The gauges of nodes, pods, pools and the catalogue: metric_nodes.h. */
#include "core/limits.h"
#include "core/quantity.h"
#include "core/sort.h"
#include "reducers/disruption/budget.h"
#include "reducers/status/metric.h"

/* Sums of one resource on one node. */
struct sum {
	plm_sym resource;
	int64_t requests, limits, daemon_requests, daemon_limits;
};
struct sums {
	struct sum *list;
	uint32_t count, capacity;
};

struct gauging {
	const struct plm_state *st;
	struct plm_arena *arena;
	int64_t now_ms;
	struct sums *nodes; /* by node slot */
	plm_metric_sink *sink;
	void *self;
};

/* Labels of nodes that are labels of its metrics, by upstream's name: karpenter.md 1.6. */
static const struct {
	const char *label, *name;
} known[] = {
	{"karpenter.sh/nodepool", "nodepool"},
	{"topology.kubernetes.io/zone", "zone"},
	{"topology.kubernetes.io/region", "region"},
	{"node.kubernetes.io/instance-type", "instance_type"},
	{"kubernetes.io/arch", "arch"},
	{"kubernetes.io/os", "os"},
	{"karpenter.sh/capacity-type", "capacity_type"},
	{"node.kubernetes.io/windows-build", "windows_build"},
	{"karpenter.k8s.aws/capacity-reservation-id", "capacity_reservation_id"},
	{"karpenter.k8s.aws/capacity-reservation-type", "capacity_reservation_type"},
	{"karpenter.k8s.aws/capacity-reservation-interruptible",
	 "capacity_reservation_interruptible"},
	{"karpenter.k8s.aws/instance-hypervisor", "instance_hypervisor"},
	{"karpenter.k8s.aws/instance-encryption-in-transit-supported",
	 "instance_encryption_in_transit_supported"},
	{"karpenter.k8s.aws/instance-category", "instance_category"},
	{"karpenter.k8s.aws/instance-capability-flex", "instance_capability_flex"},
	{"karpenter.k8s.aws/instance-family", "instance_family"},
	{"karpenter.k8s.aws/instance-generation", "instance_generation"},
	{"karpenter.k8s.aws/instance-size", "instance_size"},
	{"karpenter.k8s.aws/instance-local-nvme", "instance_local_nvme"},
	{"karpenter.k8s.aws/instance-cpu", "instance_cpu"},
	{"karpenter.k8s.aws/instance-cpu-manufacturer", "instance_cpu_manufacturer"},
	{"karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz",
	 "instance_cpu_sustained_clock_speed_mhz"},
	{"karpenter.k8s.aws/instance-memory", "instance_memory"},
	{"karpenter.k8s.aws/instance-ebs-bandwidth", "instance_ebs_bandwidth"},
	{"karpenter.k8s.aws/instance-network-bandwidth", "instance_network_bandwidth"},
	{"karpenter.k8s.aws/instance-gpu-name", "instance_gpu_name"},
	{"karpenter.k8s.aws/instance-gpu-manufacturer", "instance_gpu_manufacturer"},
	{"karpenter.k8s.aws/instance-gpu-count", "instance_gpu_count"},
	{"karpenter.k8s.aws/instance-gpu-memory", "instance_gpu_memory"},
	{"karpenter.k8s.aws/instance-accelerator-name", "instance_accelerator_name"},
	{"karpenter.k8s.aws/instance-accelerator-manufacturer",
	 "instance_accelerator_manufacturer"},
	{"karpenter.k8s.aws/instance-accelerator-count", "instance_accelerator_count"},
	{"topology.k8s.aws/zone-id", "zone_id"},
	{"karpenter.k8s.aws/instance-tenancy", "instance_tenancy"},
	{"karpenter.k8s.aws/placement-group-id", "placement_group_id"},
	{"karpenter.k8s.aws/placement-group-partition", "placement_group_partition"},
};

static struct plm_slice text(const struct gauging *g, plm_sym sym)
{
	return plm_str(g->st, sym);
}

static void put(const struct gauging *g, struct plm_metric metric)
{
	g->sink(g->self, &metric);
}

static uint32_t decimals_of(struct plm_slice resource)
{
	return plm_resource_scale(resource) == PLM_SCALE_MILLI ? 3 : 0;
}

/* As upstream spells it in a label: small letters, no dashes. */
static struct plm_slice resource_label(const struct gauging *g, plm_sym resource)
{
	struct plm_slice from = text(g, resource);
	uint8_t *to = plm_arena_take(g->arena, from.size);

	for (size_t i = 0; i < from.size; i++) {
		uint8_t c = from.ptr[i];

		to[i] = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
	}
	return plm_slice_of(to, from.size);
}

static void put_amount(const struct gauging *g, enum plm_metric_id id, struct plm_slice more,
		       plm_sym resource, int64_t value)
{
	put(g, (struct plm_metric){.id = id,
				   .labels = {resource_label(g, resource)},
				   .value = value,
				   .decimals = decimals_of(text(g, resource)),
				   .more = more});
}

/* ---- labels as text ---------------------------------------------------------------------------- */

struct label_text {
	uint8_t *bytes;
	size_t size, capacity;
};

static void add_byte(struct label_text *out, uint8_t byte)
{
	PLM_ASSERT(out->size < out->capacity);
	out->bytes[out->size++] = byte;
}

/* name="value"; capacity is the caller's to know: the value may double. */
static void add_label(struct label_text *out, const char *name, struct plm_slice value)
{
	if (out->size > 0) {
		add_byte(out, ',');
	}
	for (; *name != '\0'; name++) {
		add_byte(out, (uint8_t)*name);
	}
	add_byte(out, '=');
	add_byte(out, '"');
	for (size_t i = 0; i < value.size; i++) {
		uint8_t c = value.ptr[i];

		if (c == '"' || c == '\\' || c == '\n') {
			add_byte(out, '\\');
			c = c == '\n' ? 'n' : c;
		}
		add_byte(out, c);
	}
	add_byte(out, '"');
}

static struct label_text label_room(const struct gauging *g, size_t names, size_t values)
{
	size_t capacity = names + 2 * values;

	return (struct label_text){plm_arena_take(g->arena, capacity), 0, capacity};
}

static struct plm_slice value_of(const struct gauging *g, plm_sym labels, const char *key)
{
	uint32_t count = 0;
	const struct plm_kv *list = PLM_SPAN(g->st, labels, struct plm_kv, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_is(g->st, list[i].key, key)) {
			return text(g, list[i].value);
		}
	}
	return (struct plm_slice){0};
}

#define NAMES_SIZE 1600U

static struct plm_slice node_labels(const struct gauging *g, const struct plm_node *node)
{
	struct plm_slice values[PLM_COUNTOF(known)];
	struct plm_slice name = text(g, node->object.name);
	size_t size = name.size;
	struct label_text out = {0};

	for (size_t i = 0; i < PLM_COUNTOF(known); i++) {
		values[i] = value_of(g, node->object.labels, known[i].label);
		size += values[i].size;
	}
	out = label_room(g, NAMES_SIZE, size);
	for (size_t i = 0; i < PLM_COUNTOF(known); i++) {
		add_label(&out, known[i].name, values[i]);
	}
	add_label(&out, "node_name", name);
	add_label(&out, "phase", (struct plm_slice){0});
	add_label(&out, "managed", plm_slice_str(values[0].size > 0 ? "true" : "false"));
	return plm_slice_of(out.bytes, out.size);
}

/* ---- what pods ask of their nodes -------------------------------------------------------------- */

static struct sum *sum_of(const struct gauging *g, struct sums *sums, plm_sym resource)
{
	for (uint32_t i = 0; i < sums->count; i++) {
		if (plm_sym_equal(sums->list[i].resource, resource)) {
			return &sums->list[i];
		}
	}
	if (sums->count == sums->capacity) {
		uint32_t capacity = sums->capacity == 0 ? 4 : sums->capacity * 2;
		struct sum *list = PLM_NEW_ARRAY(g->arena, capacity, struct sum);

		if (sums->count > 0) {
			memcpy(list, sums->list, sums->count * sizeof(*list));
		}
		sums->list = list;
		sums->capacity = capacity;
	}
	sums->list[sums->count] = (struct sum){.resource = resource};
	return &sums->list[sums->count++];
}

static void add_requests(const struct gauging *g, struct sums *sums, plm_sym amounts, bool daemon)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(g->st, amounts, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct sum *sum = sum_of(g, sums, list[i].resource);

		sum->requests = plm_add_sat(sum->requests, list[i].amount);
		if (daemon) {
			sum->daemon_requests = plm_add_sat(sum->daemon_requests, list[i].amount);
		}
	}
}

/* Limits of the containers that run together. */
static void add_limits(const struct gauging *g, struct sums *sums, plm_sym containers, bool daemon)
{
	uint32_t count = 0;
	const struct plm_container *list =
		PLM_SPAN(g->st, containers, struct plm_container, &count);

	for (uint32_t c = 0; c < count; c++) {
		uint32_t amounts = 0;
		const struct plm_amount *amount =
			PLM_SPAN(g->st, list[c].limits, struct plm_amount, &amounts);

		for (uint32_t i = 0; i < amounts && list[c].role != PLM_CONTAINER_INIT; i++) {
			struct sum *sum = sum_of(g, sums, amount[i].resource);

			sum->limits = plm_add_sat(sum->limits, amount[i].amount);
			if (daemon) {
				sum->daemon_limits =
					plm_add_sat(sum->daemon_limits, amount[i].amount);
			}
		}
	}
}

static bool is_over(const struct plm_pod *pod)
{
	return pod->phase == PLM_PHASE_SUCCEEDED || pod->phase == PLM_PHASE_FAILED;
}

static void sum_pods(struct gauging *g)
{
	plm_sym pods = plm_sym_find(g->st, plm_slice_str("pods"));

	g->nodes = PLM_NEW_ARRAY(g->arena, plm_node_bound(g->st), struct sums);
	PLM_EACH(g->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(g->st, id);
		plm_id node = plm_find(g->st, PLM_KIND_NODE, (plm_sym){0}, pod->node);
		bool daemon = plm_sym_is(g->st, pod->object.owner_kind, "DaemonSet");
		uint32_t shapes = 0;
		const struct plm_shape *shape =
			PLM_SPAN(g->st, pod->shape, struct plm_shape, &shapes);

		if (pod->node.n == 0 || node.n == 0 || is_over(pod) || shapes == 0) {
			continue;
		}
		add_requests(g, &g->nodes[node.n], shape->requests, daemon);
		add_limits(g, &g->nodes[node.n], shape->containers, daemon);
		if (pods.n != 0) {
			struct sum *sum = sum_of(g, &g->nodes[node.n], pods);

			sum->requests++;
			sum->daemon_requests += daemon ? 1 : 0;
		}
	}
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static int64_t amount_in(const struct gauging *g, plm_sym amounts, plm_sym resource)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(g->st, amounts, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (plm_sym_equal(list[i].resource, resource)) {
			return list[i].amount;
		}
	}
	return 0;
}

static void put_capacity(const struct gauging *g, const struct plm_node *node,
			 struct plm_slice labels, struct sums *whole)
{
	uint32_t count = 0;
	const struct plm_amount *list =
		PLM_SPAN(g->st, node->allocatable, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct sum *sum = sum_of(g, whole, list[i].resource);
		int64_t capacity = amount_in(g, node->capacity, list[i].resource);

		put_amount(g, PLM_METRIC_NODE_ALLOCATABLE, labels, list[i].resource,
			   list[i].amount);
		put_amount(g, PLM_METRIC_NODE_OVERHEAD, labels, list[i].resource,
			   plm_sub_sat(capacity, list[i].amount));
		sum->limits = plm_add_sat(sum->limits, list[i].amount);
	}
}

static void put_node(const struct gauging *g, plm_id id, struct sums *whole)
{
	const struct plm_node *node = plm_node_at(g->st, id);
	struct plm_slice labels = node_labels(g, node);
	const struct sums *sums = &g->nodes[id.n];

	put_capacity(g, node, labels, whole);
	for (uint32_t i = 0; i < sums->count; i++) {
		const struct sum *sum = &sums->list[i];
		struct sum *all = sum_of(g, whole, sum->resource);

		put_amount(g, PLM_METRIC_NODE_POD_REQUESTS, labels, sum->resource, sum->requests);
		put_amount(g, PLM_METRIC_NODE_POD_LIMITS, labels, sum->resource, sum->limits);
		put_amount(g, PLM_METRIC_NODE_DAEMON_REQUESTS, labels, sum->resource,
			   sum->daemon_requests);
		put_amount(g, PLM_METRIC_NODE_DAEMON_LIMITS, labels, sum->resource,
			   sum->daemon_limits);
		all->requests = plm_add_sat(all->requests, sum->requests);
	}
	put(g, (struct plm_metric){.id = PLM_METRIC_NODE_AGE,
				   .value = plm_max(0, g->now_ms - node->object.created_ms),
				   .decimals = 3,
				   .more = labels});
}

/* In 'whole' the limits are what nodes can give. */
static void put_utilization(const struct gauging *g, const struct sums *whole)
{
	for (uint32_t i = 0; i < whole->count; i++) {
		const struct sum *sum = &whole->list[i];

		if (sum->limits > 0) {
			put(g, (struct plm_metric){.id = PLM_METRIC_UTILIZATION,
						   .labels = {resource_label(g, sum->resource)},
						   .value = (int64_t)((plm_i128)sum->requests *
								      100000 / sum->limits),
						   .decimals = 3});
		}
	}
}

static void put_cluster(const struct gauging *g)
{
	const struct plm_root *root = plm_root(g->st);
	int64_t nodes = plm_node_live(g->st);
	int64_t away = root->kube_away_ms;

	PLM_EACH(g->st, node_claim, id)
	{
		nodes += plm_node_claim_at(g->st, id)->node.n == 0 ? 1 : 0;
	}
	if (away == PLM_UNSET || (root->cloud_away_ms != PLM_UNSET && root->cloud_away_ms < away)) {
		away = root->cloud_away_ms;
	}
	put(g, (struct plm_metric){.id = PLM_METRIC_NODE_COUNT, .value = nodes});
	put(g, (struct plm_metric){.id = PLM_METRIC_SYNCED, .value = away == PLM_UNSET ? 1 : 0});
	put(g, (struct plm_metric){.id = PLM_METRIC_UNSYNCED,
				   .value = away == PLM_UNSET ? 0 : plm_max(0, g->now_ms - away),
				   .decimals = 3});
}

/* ---- pools ------------------------------------------------------------------------------------- */

static void put_pool_amounts(const struct gauging *g, enum plm_metric_id id, struct plm_slice pool,
			     plm_sym amounts)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(g->st, amounts, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		put(g, (struct plm_metric){.id = id,
					   .labels = {resource_label(g, list[i].resource), pool},
					   .value = list[i].amount,
					   .decimals = decimals_of(text(g, list[i].resource))});
	}
}

static void put_budgets(const struct gauging *g, const struct plm_sched *sched, plm_id pool,
			struct plm_slice name)
{
	static const char *const reasons[] = {"Empty", "Drifted", "Underutilized"};

	for (size_t i = 0; i < PLM_COUNTOF(reasons); i++) {
		struct plm_allowance a = plm_budget_allowance(sched, pool, reasons[i], g->now_ms);

		put(g, (struct plm_metric){.id = PLM_METRIC_POOL_ALLOWED,
					   .labels = {name, plm_slice_str(reasons[i])},
					   .value = plm_min(a.left, INT32_MAX)});
		put(g, (struct plm_metric){.id = PLM_METRIC_POOL_CONSUMING,
					   .labels = {name, plm_slice_str(reasons[i])},
					   .value = a.going});
	}
}

static void put_pools(const struct gauging *g)
{
	struct plm_sched sched;

	plm_sched_init(&sched, g->st, g->arena);
	PLM_EACH(g->st, node_pool, id)
	{
		const struct plm_node_pool *pool = plm_node_pool_at(g->st, id);
		struct plm_slice name = text(g, pool->object.name);

		put_pool_amounts(g, PLM_METRIC_POOL_LIMIT, name, pool->limits);
		put_budgets(g, &sched, id, name);
		put(g, (struct plm_metric){.id = PLM_METRIC_POOL_COST,
					   .labels = {name},
					   .value = 0,
					   .decimals = 6});
		put(g, (struct plm_metric){.id = PLM_METRIC_POOL_USAGE,
					   .labels = {plm_slice_str("nodes"), name},
					   .value = 0});
	}
}

static void put_claim(const struct gauging *g, const struct plm_node_claim *claim)
{
	struct plm_slice pool = text(g, claim->pool);

	put_pool_amounts(g, PLM_METRIC_POOL_USAGE, pool, claim->capacity);
	put(g, (struct plm_metric){.id = PLM_METRIC_POOL_USAGE,
				   .labels = {plm_slice_str("nodes"), pool},
				   .value = 1});
	if (claim->launched_ms == PLM_UNSET || claim->price_micro == PLM_UNSET) {
		return;
	}
	put(g, (struct plm_metric){.id = PLM_METRIC_POOL_COST,
				   .labels = {pool},
				   .value = claim->price_micro,
				   .decimals = 6});
	put(g, (struct plm_metric){.id = PLM_METRIC_OWN_COST,
				   .labels = {pool, text(g, claim->capacity_type)},
				   .value = claim->price_micro,
				   .decimals = 6});
}

/* Nodes that are empty, for which consolidateAfter has passed, and that nothing keeps. */
static void put_claims(const struct gauging *g)
{
	int64_t empty = 0;

	PLM_EACH(g->st, node_claim, id)
	{
		const struct plm_node_claim *claim = plm_node_claim_at(g->st, id);
		plm_id node = plm_find(g->st, PLM_KIND_NODE, (plm_sym){0}, claim->node);

		put_claim(g, claim);
		if (node.n != 0 && plm_node_at(g->st, node)->empty_since_ms != PLM_UNSET &&
		    claim->consolidatable_ms != PLM_UNSET && claim->blocked.seq == 0) {
			empty++;
		}
	}
	put(g, (struct plm_metric){.id = PLM_METRIC_ELIGIBLE,
				   .labels = {plm_slice_str("empty")},
				   .value = empty});
}

/* ---- pods -------------------------------------------------------------------------------------- */

/* "/apis/batch/v1/namespaces/ns/jobs/name": what upstream makes of the owner, for kinds that it knows. */
static struct plm_slice owner_link(const struct gauging *g, const struct plm_object *pod)
{
	static const struct {
		const char *kind, *path;
	} kinds[] = {
		{"Job", "batch/v1"},
		{"ReplicaSet", "apps/v1"},
		{"StatefulSet", "apps/v1"},
		{"DaemonSet", "apps/v1"},
		{"Node", "v1"},
		{"PodSet", "kueue.x-k8s.io/v1beta1"},
	};
	static const char *const small[] = {"job",	 "replicaset", "statefulset",
					    "daemonset", "node",       "podset"};
	struct plm_slice ns = text(g, pod->ns);
	struct plm_slice name = text(g, pod->owner_name);

	for (size_t i = 0; i < PLM_COUNTOF(kinds); i++) {
		if (plm_sym_is(g->st, pod->owner_kind, kinds[i].kind)) {
			return plm_arena_format(g->arena, "/apis/%s/namespaces/%.*s/%ss/%.*s",
						kinds[i].path, (int)ns.size, (const char *)ns.ptr,
						small[i], (int)name.size, (const char *)name.ptr);
		}
	}
	return name;
}

static struct plm_slice pod_labels(const struct gauging *g, const struct plm_pod *pod)
{
	static const char *const phases[] = {"Pending", "Running", "Succeeded", "Failed",
					     "Unknown"};
	plm_id id = plm_find(g->st, PLM_KIND_NODE, (plm_sym){0}, pod->node);
	plm_sym labels = id.n == 0 ? (plm_sym){0} : plm_node_at(g->st, id)->object.labels;
	struct plm_slice owner = owner_link(g, &pod->object);
	struct plm_slice pool = value_of(g, labels, "karpenter.sh/nodepool");
	const struct {
		const char *name;
		struct plm_slice value;
	} list[] = {
		{"name", text(g, pod->object.name)},
		{"namespace", text(g, pod->object.ns)},
		{"owner", owner},
		{"node", text(g, pod->node)},
		{"scheduled", plm_slice_str(pod->node.n != 0 ? "true" : "false")},
		{"nodepool", pool},
		{"zone", value_of(g, labels, "topology.kubernetes.io/zone")},
		{"arch", value_of(g, labels, "kubernetes.io/arch")},
		{"capacity_type", value_of(g, labels, "karpenter.sh/capacity-type")},
		{"instance_type", value_of(g, labels, "node.kubernetes.io/instance-type")},
		{"phase", plm_slice_str(phases[pod->phase % PLM_COUNTOF(phases)])},
		{"ready", plm_slice_str(pod->ready != 0 ? "true" : "false")},
		{"managed", plm_slice_str(pool.size > 0 ? "true" : "false")},
	};
	struct label_text out = {0};
	size_t size = 0;

	for (size_t i = 0; i < PLM_COUNTOF(list); i++) {
		size += list[i].value.size;
	}
	out = label_room(g, NAMES_SIZE, size);
	for (size_t i = 0; i < PLM_COUNTOF(list); i++) {
		add_label(&out, list[i].name, list[i].value);
	}
	return plm_slice_of(out.bytes, out.size);
}

static void put_pod(const struct gauging *g, const struct plm_pod *pod)
{
	int64_t age = plm_max(0, g->now_ms - pod->object.created_ms);

	put(g, (struct plm_metric){
		       .id = PLM_METRIC_POD_STATE, .value = 1, .more = pod_labels(g, pod)});
	if (pod->phase == PLM_PHASE_PENDING && pod->node.n == 0) {
		put(g, (struct plm_metric){
			       .id = PLM_METRIC_POD_UNBOUND,
			       .labels = {text(g, pod->object.name), text(g, pod->object.ns)},
			       .value = age,
			       .decimals = 3});
	}
	if (!is_over(pod) && pod->started_ms == PLM_UNSET && pod->ready == 0) {
		put(g, (struct plm_metric){
			       .id = PLM_METRIC_POD_UNSTARTED,
			       .labels = {text(g, pod->object.name), text(g, pod->object.ns)},
			       .value = age,
			       .decimals = 3});
	}
}

/* What a pod refers to cannot be found or used. */
static bool is_ignored(const struct plm_pod *pod)
{
	return pod->why.rule >= PLM_RULE_CLAIM_MISSING && pod->why.rule <= PLM_RULE_VOLUME_DRIVER;
}

static void put_queue(const struct gauging *g, const int64_t counts[3])
{
	struct plm_slice provisioner = plm_slice_str("provisioner");

	put(g, (struct plm_metric){
		       .id = PLM_METRIC_QUEUE_DEPTH, .labels = {provisioner}, .value = counts[0]});
	put(g, (struct plm_metric){.id = PLM_METRIC_UNSCHEDULABLE,
				   .labels = {provisioner},
				   .value = counts[1]});
	put(g, (struct plm_metric){.id = PLM_METRIC_IGNORED, .value = counts[2]});
}

static void put_pods(const struct gauging *g)
{
	int64_t counts[3] = {0};
	int64_t shown = 0;
	int64_t dropped = 0;

	PLM_EACH(g->st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(g->st, id);

		if (pod->phase == PLM_PHASE_PENDING && pod->node.n == 0) {
			counts[0] += pod->target.n == 0 && pod->gated == 0 ? 1 : 0;
			counts[1] += pod->why.reason == PLM_REASON_UNSCHEDULABLE ? 1 : 0;
			counts[2] += is_ignored(pod) ? 1 : 0;
		}
		if (shown < PLM_LIMIT_METRIC_PODS) {
			put_pod(g, pod);
			shown++;
		} else {
			dropped++;
		}
	}
	put_queue(g, counts);
	put(g, (struct plm_metric){.id = PLM_METRIC_OWN_DROPPED,
				   .labels = {plm_slice_str("karpenter_pods_state")},
				   .value = dropped});
}

/* ---- the catalogue ----------------------------------------------------------------------------- */

static void put_type(const struct gauging *g, const struct plm_instance_type *type)
{
	struct plm_slice name = text(g, type->name);
	plm_sym cpu = plm_sym_find(g->st, plm_slice_str("cpu"));
	plm_sym memory = plm_sym_find(g->st, plm_slice_str("memory"));
	uint32_t count = 0;
	const struct plm_offering *list =
		PLM_SPAN(g->st, type->offerings, struct plm_offering, &count);

	put(g, (struct plm_metric){.id = PLM_METRIC_TYPE_CORES,
				   .labels = {name},
				   .value = amount_in(g, type->capacity, cpu),
				   .decimals = 3});
	put(g, (struct plm_metric){.id = PLM_METRIC_TYPE_MEMORY,
				   .labels = {name},
				   .value = amount_in(g, type->capacity, memory)});
	for (uint32_t i = 0; i < count; i++) {
		struct plm_slice capacity = text(g, list[i].capacity_type);
		struct plm_slice zone = text(g, list[i].zone);

		if (list[i].reservation.n != 0) {
			continue; /* upstream's labels do not tell reservations apart */
		}
		put(g, (struct plm_metric){.id = PLM_METRIC_OFFERING_AVAILABLE,
					   .labels = {name, capacity, zone},
					   .value = list[i].available != 0 ? 1 : 0});
		if (list[i].price_micro != PLM_UNSET) {
			put(g, (struct plm_metric){.id = PLM_METRIC_OFFERING_PRICE,
						   .labels = {name, capacity, zone},
						   .value = list[i].price_micro,
						   .decimals = 6});
		}
	}
}

void plm_metric_node_gauges(const struct plm_state *st, int64_t now_ms, struct plm_arena *arena,
			    plm_metric_sink *sink, void *self)
{
	struct gauging g = {.st = st, .arena = arena, .now_ms = now_ms, .sink = sink, .self = self};
	struct sums whole = {0};

	sum_pods(&g);
	PLM_EACH(st, node, id)
	{
		put_node(&g, id, &whole);
	}
	put_utilization(&g, &whole);
	put_cluster(&g);
	put_pools(&g);
	put_claims(&g);
	put_pods(&g);
	PLM_EACH(st, instance_type, id)
	{
		put_type(&g, plm_instance_type_at(st, id));
	}
}
