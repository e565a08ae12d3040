/*
 * generate_yaml.c - the parts of a random scenario as the documents that a person would write
 */
#include "tools/sim/generate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct page {
	char *text;
	size_t size;
};

static void put(struct page *page, const char *format, ...) PLM_PRINTF(2, 3);
static void put(struct page *page, const char *format, ...)
{
	va_list args;
	int added = 0;

	va_start(args, format);
	added = vsnprintf(page->text + page->size, PLM_GENERATED_BYTES - page->size, format, args);
	va_end(args);
	PLM_ASSERT(added >= 0 && (size_t)added < PLM_GENERATED_BYTES - page->size);
	page->size += (size_t)added;
}

/* ---- documents ----------------------------------------------------------------------------------- */

static const char *const node_types[] = {"m5.large", "m5.xlarge", "m5.2xlarge"};
static const char *const families[] = {"m5", "c5", "r5"};
static const char *const type_lists[] = {"[m5.large, m5.xlarge]", "[c5.xlarge, c5.2xlarge]",
					 "[m5.xlarge, m5.2xlarge, r5.xlarge]"};
static const char *const stock_types[] = {"m5.large",  "m5.xlarge", "m5.2xlarge",
					  "c5.xlarge", "r5.xlarge", ""};
static const char *const zones[] = {"us-west-2a", "us-west-2b", "us-west-2c", ""};
static const char *const policies[] = {"Never", "LowerPriority", "Any"};

static void put_pod_spec(struct page *page, int64_t cpu_milli, int64_t priority)
{
	put(page, "{containers: [{name: c, image: i, resources: {requests: {cpu: %" PRId64 "m}}}]",
	    cpu_milli);
	if (priority > 0) {
		put(page, ", priorityClassName: prio-%" PRId64, priority - 1);
	}
}

static void put_daemon_set(struct page *page, const int64_t *n)
{
	put(page, "---\napiVersion: apps/v1\nkind: DaemonSet\n"
		  "metadata: {name: agent, namespace: system}\n"
		  "spec: {selector: {matchLabels: {app: agent}}, "
		  "template: {metadata: {labels: {app: agent}}, spec: ");
	put_pod_spec(page, n[1], 0);
	put(page, ", tolerations: [{operator: Exists}]}}}\n");
}

static void put_stateful_set(struct page *page, const int64_t *n)
{
	put(page,
	    "---\napiVersion: apps/v1\nkind: StatefulSet\n"
	    "metadata: {name: store, namespace: work}\n"
	    "spec: {replicas: %" PRId64 ", selector: {matchLabels: {app: store}}, "
	    "template: {metadata: {labels: {app: store}}, spec: ",
	    n[1]);
	put_pod_spec(page, n[2], 0);
	put(page, "}}}\n");
}

static void put_flavor(struct page *page, const int64_t *n)
{
	put(page,
	    "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {name: "
	    "flavor-%" PRId64 "}\n",
	    n[0]);
	if (n[1] != 0) {
		put(page, "spec: {nodeLabels: {karpenter.sh/capacity-type: spot}}\n");
	}
}

static void put_cohort(struct page *page, const int64_t *n)
{
	put(page,
	    "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: Cohort\nmetadata: {name: cohort-0}\n"
	    "spec: {resourceGroups: [{coveredResources: [cpu], flavors: [{name: flavor-0, "
	    "resources: [{name: cpu, nominalQuota: %" PRId64 "}]}]}]}\n",
	    n[1]);
}

static void put_queue_spec(struct page *page, const int64_t *n, int64_t cpu)
{
	put(page,
	    "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: "
	    "queue-%" PRId64 "}\nspec:\n  namespaceSelector: {}\n",
	    n[0]);
	if (n[1] != 0) {
		put(page, "  cohort: cohort-0\n");
	}
	if (n[6] != 0) {
		put(page, "  queueingStrategy: StrictFIFO\n");
	}
	put(page, "  preemption: {withinClusterQueue: %s, reclaimWithinCohort: %s}\n",
	    n[4] == 0 ? "Never" : "LowerPriority", policies[n[5] % 3]);
	put(page, "  resourceGroups:\n  - coveredResources: [cpu]\n    flavors:\n");
	put(page, "    - {name: flavor-0, resources: [{name: cpu, nominalQuota: %" PRId64, cpu);
	if (n[1] != 0 && n[3] >= 0) {
		put(page, ", borrowingLimit: %" PRId64, n[3]);
	}
	put(page, "}]}\n");
	if (n[7] != 0) {
		put(page, "    - {name: flavor-1, resources: [{name: cpu, nominalQuota: 4}]}\n");
	}
}

static void put_queue(struct page *page, const int64_t *n)
{
	put(page, "---\n");
	put_queue_spec(page, n, n[2]);
	put(page,
	    "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {name: "
	    "local-%" PRId64 ", namespace: work}\nspec: {clusterQueue: queue-%" PRId64 "}\n",
	    n[0], n[0]);
}

static void put_simple_queue(struct page *page, const int64_t *n)
{
	put(page,
	    "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: "
	    "simple-%" PRId64 "}\nspec:\n  resources: [{name: cpu, minAllowed: %" PRId64
	    ", maxAllowed: %" PRId64 "}]\n  preemption: {enabled: %s}\n  weight: %" PRId64 "\n",
	    n[0], n[1], n[2], n[3] != 0 ? "true" : "false", n[5]);
	put(page,
	    "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: WorkQueue\nmetadata: {name: "
	    "works-%" PRId64 "}\nspec:\n  clusterQueue: simple-%" PRId64 "\n",
	    n[0], n[0]);
	if (n[4] > 0) {
		put(page, "  maxParallelJobs: %" PRId64 "\n", n[4]);
	}
	put(page,
	    "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {name: "
	    "easy-%" PRId64 ", namespace: work}\nspec: {workQueue: works-%" PRId64 "}\n",
	    n[0], n[0]);
}

static void put_pool(struct page *page, const int64_t *n)
{
	put(page,
	    "---\napiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: "
	    "class-%" PRId64 "}\nspec: {role: node, amiSelectorTerms: [{alias: al2023@latest}], "
	    "subnetSelectorTerms: [{tags: {a: "
	    "b}}], securityGroupSelectorTerms: [{tags: {a: b}}]}\n",
	    n[0]);
	put(page,
	    "---\napiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: pool-%" PRId64
	    "}\nspec:\n",
	    n[0]);
	if (n[3] > 0) {
		put(page, "  limits: {cpu: %" PRId64 "}\n", n[3]);
	}
	put(page,
	    "  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 5m}\n"
	    "  template:\n    spec:\n"
	    "      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: "
	    "class-%" PRId64 "}\n      requirements:\n"
	    "      - {key: karpenter.k8s.aws/instance-family, operator: In, values: [%s]}\n"
	    "      - {key: karpenter.sh/capacity-type, operator: In, values: [%s]}\n",
	    n[0], families[n[1] % 3], n[2] != 0 ? "spot, on-demand" : "on-demand");
}

static void put_simple_pool(struct page *page, const int64_t *n)
{
	put(page,
	    "---\napiVersion: karpenter.sh/v1alpha5\nkind: NodeTemplate\nmetadata: {name: "
	    "template-%" PRId64 "}\nspec: {amiFamily: Ubuntu22.04, instanceTypes: %s}\n",
	    n[0], type_lists[n[1] % 3]);
	put(page,
	    "---\napiVersion: karpenter.sh/v1alpha5\nkind: NodePool\nmetadata: {name: pool-%" PRId64
	    "}\nspec:\n  minSize: %" PRId64 "\n  templateRef: {name: template-%" PRId64 "}\n",
	    n[0], n[2], n[0]);
	if (n[3] > 0) {
		put(page, "  maxSize: %" PRId64 "\n", n[2] + n[3] / 4);
	}
	if (n[4] != 0) {
		put(page, "  template: {spec: {taints: [{key: dedicated, value: \"\", effect: "
			  "NoSchedule}]}}\n");
	}
}

static void put_documents(struct page *page, const struct plm_generated_part *part)
{
	const int64_t *n = part->n;

	switch (part->kind) {
	case PLM_GENERATED_PRIORITY:
		put(page,
		    "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: "
		    "prio-%" PRId64 "}\nvalue: %" PRId64 "\n",
		    n[0], n[1]);
		return;
	case PLM_GENERATED_FLAVOR:
		put_flavor(page, n);
		return;
	case PLM_GENERATED_COHORT:
		put_cohort(page, n);
		return;
	case PLM_GENERATED_QUEUE:
		put_queue(page, n);
		return;
	case PLM_GENERATED_SIMPLE_QUEUE:
		put_simple_queue(page, n);
		return;
	case PLM_GENERATED_POOL:
		put_pool(page, n);
		return;
	case PLM_GENERATED_SIMPLE_POOL:
		put_simple_pool(page, n);
		return;
	case PLM_GENERATED_DAEMON_SET:
		put_daemon_set(page, n);
		return;
	case PLM_GENERATED_STATEFUL_SET:
		put_stateful_set(page, n);
		return;
	case PLM_GENERATED_STOP:
	case PLM_GENERATED_DROP_POOL:
	case PLM_GENERATED_NODES:
	case PLM_GENERATED_JOBS:
	case PLM_GENERATED_SETS:
	case PLM_GENERATED_DEPLOYMENT:
	case PLM_GENERATED_WORK:
	case PLM_GENERATED_PODS:
	case PLM_GENERATED_STOCK_OUT:
	case PLM_GENERATED_RECLAIM:
	case PLM_GENERATED_LAUNCH_FAILS:
	case PLM_GENERATED_FAULT:
	case PLM_GENERATED_DELETE:
	case PLM_GENERATED_CUT:
		return; /* fields of the Scenario */
	}
	PLM_UNREACHABLE();
}

/* ---- the Scenario -------------------------------------------------------------------------------- */

static bool any(const struct plm_generated *g, enum plm_generated_kind a, enum plm_generated_kind b)
{
	for (size_t i = 0; i < g->count; i++) {
		if (g->parts[i].on && (g->parts[i].kind == a || g->parts[i].kind == b)) {
			return true;
		}
	}
	return false;
}

static int64_t upstream_queues(const struct plm_generated *g)
{
	int64_t count = 0;

	for (size_t i = 0; i < g->count; i++) { /* also those that were taken away */
		count += g->parts[i].kind == PLM_GENERATED_QUEUE;
	}
	return count;
}

static void put_queue_label(struct page *page, const struct plm_generated *g, int64_t queue)
{
	int64_t upstream = upstream_queues(g);

	if (queue < upstream) {
		put(page, "labels: {kueue.x-k8s.io/queue-name: local-%" PRId64 "}", queue);
	} else {
		put(page, "labels: {kueue.x-k8s.io/queue-name: easy-%" PRId64 "}",
		    queue - upstream);
	}
}

static void put_jobs(struct page *page, const struct plm_generated *g,
		     const struct plm_generated_part *part)
{
	const int64_t *n = part->n;
	bool set = part->kind == PLM_GENERATED_SETS;

	put(page,
	    "  - at: 5s\n    count: %" PRId64 "\n    every: %" PRId64
	    "s\n    runtime: {min: 30s, max: 10m}\n    failPercent: %" PRId64 "\n    object:\n",
	    n[2], n[3], n[9]);
	put(page, "      apiVersion: %s\n      kind: %s\n      metadata: {name: row%" PRId64,
	    set ? "kueue.x-k8s.io/v1beta1" : "batch/v1", set ? "PodSet" : "Job", n[0]);
	put(page, ", namespace: work, ");
	put_queue_label(page, g, n[1]);
	put(page, "}\n      spec:\n");
	if (set) {
		put(page, "        replicas: %" PRId64 "\n", n[4]);
	} else {
		put(page, "        parallelism: %" PRId64 "\n        completions: %" PRId64 "\n",
		    n[4], n[5]);
		put(page, "        backoffLimit: 2\n%s",
		    (n[8] & 2) != 0 ? "        completionMode: Indexed\n" : "");
	}
	put(page, "        template: {spec: ");
	put_pod_spec(page, n[6], n[7]);
	if ((n[8] & 1) != 0) {
		put(page, ", tolerations: [{key: dedicated, operator: Exists}]");
	}
	put(page, "%s}}\n", set ? "" : ", restartPolicy: Never");
}

/* "{spec: {...}}" */
static void put_template(struct page *page, const char *key, const int64_t *n)
{
	put(page, "%s{spec: ", key);
	put_pod_spec(page, n[5], n[6]);
	put(page, "}}");
}

static void put_work_spec(struct page *page, const int64_t *n)
{
	switch (n[7]) {
	case 0:
		put_template(page,
			     "{replicatedJobs: [{name: driver, template: {spec: {template: ", n);
		put(page, "}}}, {name: workers, replicas: %" PRId64, n[4]);
		put_template(page, ", template: {spec: {template: ", n);
		put(page, "}}}]}\n");
		return;
	case 1:
		put_template(page, "{pytorchReplicaSpecs: {Master: {template: ", n);
		put(page, "}, Worker: {replicas: %" PRId64, n[4]);
		put_template(page, ", template: ", n);
		put(page, "}}}\n");
		return;
	case 2:
		put_template(page,
			     "{submissionMode: HTTPMode, rayClusterSpec: {headGroupSpec: "
			     "{template: ",
			     n);
		put(page, "}, workerGroupSpecs: [{groupName: w, replicas: %" PRId64, n[4]);
		put_template(page, ", template: ", n);
		put(page, "}]}}\n");
		return;
	case 3:
		put(page, "{replicas: 2, leaderWorkerTemplate: {size: %" PRId64, n[4]);
		put_template(page, ", workerTemplate: ", n);
		put(page, "}}\n");
		return;
	default:
		put(page, "{replicas: %" PRId64 ", selector: {matchLabels: {app: w}}", n[4]);
		put_template(page, ", template: ", n);
		put(page, "}\n");
		return;
	}
}

static void put_work(struct page *page, const struct plm_generated *g, const int64_t *n)
{
	static const char *const kinds[PLM_GENERATED_WORK_KINDS][2] = {
		{"jobset.x-k8s.io/v1alpha2", "JobSet"},
		{"kubeflow.org/v1", "PyTorchJob"},
		{"ray.io/v1", "RayJob"},
		{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"},
		{"apps/v1", "Deployment"},
	};

	put(page,
	    "  - at: 15s\n    count: %" PRId64 "\n    every: %" PRId64
	    "s\n    runtime: {min: 30s, max: 10m}\n    object:\n",
	    n[7] >= 3 ? 1 : n[2], n[3]);
	put(page, "      apiVersion: %s\n      kind: %s\n      metadata: {name: work%" PRId64,
	    kinds[n[7]][0], kinds[n[7]][1], n[0]);
	put(page, ", namespace: work, ");
	put_queue_label(page, g, n[1]);
	put(page, "}\n      spec: ");
	put_work_spec(page, n);
}

static void put_pods(struct page *page, const int64_t *n)
{
	put(page,
	    "  - at: 20s\n    count: %" PRId64 "\n    every: %" PRId64
	    "s\n    runtime: {min: 1m, max: 15m}\n    object:\n"
	    "      apiVersion: v1\n      kind: Pod\n      metadata: {name: loose, namespace: "
	    "work, labels: {app: loose}}\n"
	    "      spec: ",
	    n[1], n[2]);
	put_pod_spec(page, n[3], 0);
	if (n[4] == 1) {
		put(page, ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
			  "topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, "
			  "labelSelector: {matchLabels: {app: loose}}}]");
	} else if (n[4] == 2) {
		put(page, ", affinity: {podAntiAffinity: "
			  "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
			  "kubernetes.io/hostname, labelSelector: {matchLabels: {app: loose}}}]}}");
	}
	put(page, "}\n");
}

static void put_deployment(struct page *page, const int64_t *n)
{
	put(page,
	    "  - at: 10s\n    object:\n      apiVersion: apps/v1\n      kind: Deployment\n"
	    "      metadata: {name: web, namespace: work}\n      spec:\n        replicas: %" PRId64
	    "\n        selector: {matchLabels: {app: web}}\n"
	    "        template: {metadata: {labels: {app: web}}, spec: ",
	    n[1]);
	put_pod_spec(page, n[2], 0);
	put(page, "}}\n");
}

static void put_arrivals(struct page *page, const struct plm_generated *g)
{
	put(page, "  arrivals:\n");
	for (size_t i = 0; i < g->count; i++) {
		const struct plm_generated_part *part = &g->parts[i];

		if (!part->on) {
			continue;
		}
		if (part->kind == PLM_GENERATED_JOBS || part->kind == PLM_GENERATED_SETS) {
			put_jobs(page, g, part);
		} else if (part->kind == PLM_GENERATED_WORK) {
			put_work(page, g, part->n);
		} else if (part->kind == PLM_GENERATED_PODS) {
			put_pods(page, part->n);
		} else if (part->kind == PLM_GENERATED_DEPLOYMENT) {
			put_deployment(page, part->n);
		}
	}
}

static void put_nodes(struct page *page, const struct plm_generated *g)
{
	if (!any(g, PLM_GENERATED_NODES, PLM_GENERATED_NODES)) {
		return;
	}
	put(page, "  cluster:\n    nodes:\n");
	for (size_t i = 0; i < g->count; i++) {
		if (g->parts[i].on && g->parts[i].kind == PLM_GENERATED_NODES) {
			put(page,
			    "    - {count: %" PRId64 ", instanceType: %s, zone: us-west-2a}\n",
			    g->parts[i].n[0], node_types[g->parts[i].n[1] % 3]);
		}
	}
}

static void put_cloud(struct page *page, const struct plm_generated *g)
{
	put(page,
	    "  cloud:\n    region: us-west-2\n    zones: [us-west-2a, us-west-2b, us-west-2c]\n");
	for (size_t i = 0; i < g->count; i++) {
		const int64_t *n = g->parts[i].n;

		if (!g->parts[i].on) {
			continue;
		}
		if (g->parts[i].kind == PLM_GENERATED_STOCK_OUT) {
			put(page,
			    "    stockOut: [{instanceType: \"%s\", zone: \"%s\", from: %" PRId64
			    "s, to: %" PRId64 "s}]\n",
			    stock_types[n[0] % 6], zones[n[1] % 4], n[2], n[3]);
		} else if (g->parts[i].kind == PLM_GENERATED_RECLAIM) {
			put(page, "    spotReclaims: [{at: %" PRId64 "s, percent: %" PRId64 "}]\n",
			    n[0], n[1]);
		} else if (g->parts[i].kind == PLM_GENERATED_LAUNCH_FAILS) {
			put(page, "    launchFailures: {percent: %" PRId64 "}\n", n[0]);
		}
	}
}

static const char *const fault_kinds[] = {"crash",	     "apiServerDown", "ec2Down",
					  "lostResponses",   "conflicts",     "watchGone",
					  "duplicateEvents", "diskFull",      "clockStep"};

/*
 * How long a fault lasts. Faults of single calls last longer; the API server is away for less than a node
 * has to register: an engine that cannot see nodes takes them for lost, as it must.
 */
static int64_t fault_seconds(int64_t kind, int64_t drawn)
{
	if (kind == 3 || kind == 4 || kind == 6) {
		return drawn * 6;
	}
	return kind == 1 ? drawn / 2 : drawn;
}

static void put_faults(struct page *page, const struct plm_generated *g)
{
	if (!any(g, PLM_GENERATED_FAULT, PLM_GENERATED_FAULT)) {
		return;
	}
	put(page, "  faults:\n");
	for (size_t i = 0; i < g->count; i++) {
		const int64_t *n = g->parts[i].n;

		if (!g->parts[i].on || g->parts[i].kind != PLM_GENERATED_FAULT) {
			continue;
		}
		put(page, "  - {kind: %s, at: %" PRId64 "s", fault_kinds[n[0]], n[1]);
		if (n[0] == 8) {
			put(page, ", by: %" PRId64 "s}\n", n[3] % 2 == 0 ? n[2] : -n[2]);
		} else {
			put(page, ", for: %" PRId64 "s, percent: %" PRId64 "}\n",
			    fault_seconds(n[0], n[2]), n[3]);
		}
	}
}

static const struct plm_generated_part *queue_part(const struct plm_generated *g, int64_t number)
{
	for (size_t i = 0; i < g->count; i++) {
		if (g->parts[i].kind == PLM_GENERATED_QUEUE && g->parts[i].n[0] == number) {
			return &g->parts[i];
		}
	}
	return NULL;
}

/* Queue n[0] with n[1] cpu and the fields 'more', applied again at n[2]. */
static void put_cut(struct page *page, const struct plm_generated *g, const int64_t *n,
		    const char *more)
{
	const struct plm_generated_part *queue = queue_part(g, n[0]);
	struct page inner = {.text = page->text, .size = page->size};
	size_t from = 0;
	size_t length = 0;
	char document[4096];

	if (queue == NULL) {
		return;
	}
	/* The queue's document, indented: written behind the page first, then line by line into it. */
	put_queue_spec(&inner, queue->n, n[1]);
	put(&inner, "%s", more);
	length = inner.size - page->size;
	PLM_ASSERT(length < sizeof(document));
	memcpy(document, page->text + page->size, length);
	put(page, "  - at: %" PRId64 "s\n    apply:\n", n[2]);
	while (from < length) {
		const char *line = document + from;
		size_t size = (size_t)((const char *)memchr(line, '\n', length - from) - line);

		put(page, "      %.*s\n", (int)size, line);
		from += size + 1;
	}
}

static void put_stop(struct page *page, const struct plm_generated *g, const int64_t *n)
{
	const struct plm_generated_part *queue = queue_part(g, n[0]);
	int64_t cut[3] = {n[0], 0, n[2]};

	if (queue == NULL) {
		return;
	}
	cut[1] = queue->n[2];
	put_cut(page, g, cut, n[1] != 0 ? "  stopPolicy: HoldAndDrain\n" : "  stopPolicy: Hold\n");
	cut[2] = n[3];
	put_cut(page, g, cut, "");
}

static bool is_set(const struct plm_generated *g, int64_t row)
{
	for (size_t i = 0; i < g->count; i++) {
		if (g->parts[i].kind == PLM_GENERATED_SETS && g->parts[i].n[0] == row) {
			return true;
		}
	}
	return false;
}

static void put_changes(struct page *page, const struct plm_generated *g)
{
	if (!any(g, PLM_GENERATED_DELETE, PLM_GENERATED_CUT) &&
	    !any(g, PLM_GENERATED_STOP, PLM_GENERATED_DROP_POOL) &&
	    !any(g, PLM_GENERATED_DEPLOYMENT, PLM_GENERATED_DEPLOYMENT)) {
		return;
	}
	put(page, "  changes:\n");
	for (size_t i = 0; i < g->count; i++) {
		const int64_t *n = g->parts[i].n;

		if (!g->parts[i].on) {
			continue;
		}
		if (g->parts[i].kind == PLM_GENERATED_DELETE) {
			put(page,
			    "  - {at: %" PRId64
			    "s, delete: {kind: %s, namespace: work, name: row%" PRId64 "-%" PRId64
			    "}}\n",
			    n[2], is_set(g, n[0]) ? "PodSet" : "Job", n[0], n[1]);
		} else if (g->parts[i].kind == PLM_GENERATED_CUT) {
			put_cut(page, g, n, "");
		} else if (g->parts[i].kind == PLM_GENERATED_STOP) {
			put_stop(page, g, n);
		} else if (g->parts[i].kind == PLM_GENERATED_DROP_POOL) {
			put(page,
			    "  - {at: %" PRId64 "s, delete: {kind: NodePool, name: pool-%" PRId64
			    "}}\n",
			    n[1], n[0]);
		} else if (g->parts[i].kind == PLM_GENERATED_DEPLOYMENT) {
			put(page,
			    "  - {at: %" PRId64 "s, scale: {kind: Deployment, namespace: work, "
			    "name: web-1, replicas: %" PRId64 "}}\n",
			    n[4], n[3]);
		}
	}
}

size_t plm_generated_yaml(const struct plm_generated *g, char text[PLM_GENERATED_BYTES])
{
	struct page page = {.text = text};

	put(&page,
	    "apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nmetadata: {name: random-%" PRIu64
	    "}\nspec:\n  duration: 24h\n",
	    g->seed);
	put_nodes(&page, g);
	put_cloud(&page, g);
	if (any(g, PLM_GENERATED_JOBS, PLM_GENERATED_SETS) ||
	    any(g, PLM_GENERATED_DEPLOYMENT, PLM_GENERATED_PODS)) {
		put_arrivals(&page, g);
	}
	put_changes(&page, g);
	put_faults(&page, g);
	for (size_t i = 0; i < g->count; i++) {
		if (g->parts[i].on) {
			put_documents(&page, &g->parts[i]);
		}
	}
	return page.size;
}
