/* What the table of core/integration.h cannot say of a kind of job. */
#include "adapters/manifest/project_job.h"

#include "core/units.h"

/* ---- amounts ----------------------------------------------------------------------------------- */

/* 'amount' in the place of what 'shape' asks for of 'resource'. */
static void set_amount(struct plm_project *p, struct plm_w_shape *shape, struct plm_slice resource,
		       int64_t amount)
{
	const struct plm_w_amount *had = shape->requests.ptr;
	struct plm_w_amount *list = plm_project_array(p, shape->requests.count + 1, sizeof(*list));
	size_t count = 0;
	bool placed = false;

	for (size_t i = 0; i < shape->requests.count; i++) {
		int order = plm_slice_compare(had[i].resource, resource);

		if (order >= 0 && !placed) {
			list[count++] = (struct plm_w_amount){resource, amount};
			placed = true;
		}
		if (order != 0) {
			list[count++] = had[i];
		}
	}
	if (!placed) {
		list[count++] = (struct plm_w_amount){resource, amount};
	}
	shape->requests = (struct plm_vec){list, count};
}

/* ---- Ray --------------------------------------------------------------------------------------- */

#define SUBMITTER_MILLI_CPU 500
#define SUBMITTER_BYTES (200LL * 1024 * 1024)

/* Kueue counts the Job that submits as KubeRay makes it; nothing where Ray is asked over HTTP. */
static void ray_submitter(struct plm_sets *sets, struct plm_doc *root)
{
	struct plm_project *p = sets->p;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_slice mode = plm_doc_text(p->tree, spec, "submissionMode");
	struct plm_doc *template = plm_doc_map(p->tree, spec, "submitterPodTemplate");
	struct plm_w_pod_set_spec *set = NULL;

	if (mode.size > 0 && !plm_slice_is(mode, "K8sJobMode")) {
		return;
	}
	set = plm_sets_add(sets, plm_slice_str("submitter"), template, 1);
	plm_project_topology_wish(p, template, NULL, set);
	if (template == NULL) {
		set_amount(p, &set->shape, plm_slice_str("cpu"), SUBMITTER_MILLI_CPU);
		set_amount(p, &set->shape, plm_slice_str("memory"), SUBMITTER_BYTES);
	}
}

/* ---- Spark ------------------------------------------------------------------------------------- */

/* Java's units are binary: the unit of Kubernetes for its letter, NULL for any other. */
static const char *java_unit(uint8_t letter)
{
	switch (letter) {
	case 'k':
	case 'K':
		return "Ki";
	case 'm':
	case 'M':
		return "Mi";
	case 'g':
	case 'G':
		return "Gi";
	case 't':
	case 'T':
		return "Ti";
	default:
		return NULL;
	}
}

/* "512m", "2g" and "2gb" as Java has them; a text with a unit of Kubernetes stays what it is. */
static void spark_memory(struct plm_project *p, struct plm_doc *role, const char *key,
			 struct plm_w_shape *shape)
{
	struct plm_slice text = plm_doc_text(p->tree, role, key);
	struct plm_error err = {0};
	int64_t bytes = 0;
	const char *unit = NULL;

	if (text.size == 0) {
		return;
	}
	if (text.size > 1 && (text.ptr[text.size - 1] | 0x20) == 'b') {
		text.size--;
	}
	unit = java_unit(text.ptr[text.size - 1]);
	if (unit != NULL) {
		text = plm_arena_format(p->arena, "%.*s%s", (int)text.size - 1,
					(const char *)text.ptr, unit);
	}
	if (plm_quantity_parse(text, PLM_SCALE_WHOLE, &bytes, &err) != PLM_OK) {
		plm_doc_fail(p->tree, plm_doc_get(role, key), "%s", err.text);
		return;
	}
	set_amount(p, shape, plm_slice_str("memory"), bytes);
}

static void spark_cpu(struct plm_project *p, struct plm_doc *role, struct plm_w_shape *shape)
{
	static const char *const keys[] = {"coreRequest",
					   "coreLimit"}; /* a request, else the limit */

	for (size_t i = 0; i < PLM_COUNTOF(keys); i++) {
		int64_t milli =
			plm_doc_quantity(p->tree, role, keys[i], PLM_SCALE_MILLI, PLM_UNSET);

		if (milli != PLM_UNSET) {
			set_amount(p, shape, plm_slice_str("cpu"), milli);
			return;
		}
	}
}

/* Driver or executor: what its fields say is laid over its template, as the Spark operator does. */
static void spark_role(struct plm_sets *sets, struct plm_doc *root, const char *key,
		       struct plm_w_pod_set_spec *set)
{
	struct plm_project *p = sets->p;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *role = plm_doc_map(p->tree, spec, key);
	struct plm_doc *gpu = plm_doc_map(p->tree, role, "gpu");
	struct plm_doc *common = plm_doc_map(p->tree, spec, "nodeSelector");
	struct plm_slice class = plm_doc_text(p->tree, role, "priorityClassName");

	spark_cpu(p, role, &set->shape);
	if (plm_doc_get(role, "memory") != NULL) {
		spark_memory(p, role, "memory", &set->shape);
	} else {
		spark_memory(p, role, "memoryLimit", &set->shape);
	}
	if (gpu != NULL) {
		set_amount(p, &set->shape, plm_doc_text_required(p->tree, gpu, "name"),
			   plm_doc_count(p->tree, gpu, "quantity", 0));
	}
	if (plm_doc_get(role, "nodeSelector") != NULL || common != NULL) {
		set->shape.node_selector =
			plm_project_node_labels(p, common != NULL ? spec : role, "nodeSelector");
	}
	if (plm_doc_get(role, "tolerations") != NULL) {
		set->shape.tolerations = plm_project_tolerations(p, role, "tolerations");
	}
	if (plm_doc_get(role, "labels") != NULL) {
		set->labels = plm_doc_kv(p->tree, role, "labels");
	}
	set->shape.priority_class = class.size > 0 ? class : set->shape.priority_class;
}

static void spark(struct plm_sets *sets, struct plm_doc *root)
{
	struct plm_project *p = sets->p;
	struct plm_doc *executor = plm_doc_at(root, "spec.executor");

	if (sets->count != 2) {
		plm_doc_fail(p->tree, plm_doc_get(root, "spec"),
			     "driver and executor are required");
		return;
	}
	sets->list[1].count = plm_doc_count(p->tree, executor, "instances", 0);
	spark_role(sets, root, "driver", &sets->list[0]);
	spark_role(sets, root, "executor", &sets->list[1]);
}

/* ---- LeaderWorkerSet --------------------------------------------------------------------------- */

/* Of 'size' pods of a group one is the leader; without a template of its own it is as the others. */
static void leader(struct plm_sets *sets)
{
	if (sets->count == 1) {
		sets->list[0].name = plm_slice_str("main");
	} else if (sets->count == 2) {
		sets->list[1].count = plm_max(0, sets->list[1].count - 1);
	}
}

/* ---- AppWrapper -------------------------------------------------------------------------------- */

static size_t digits(struct plm_slice text, size_t *at)
{
	size_t value = 0;

	for (; *at < text.size && text.ptr[*at] >= '0' && text.ptr[*at] <= '9' && value < 10000;
	     ++*at) {
		value = value * 10 + (size_t)(text.ptr[*at] - '0');
	}
	return value;
}

/* "template.spec.replicatedJobs[0].template": names and indexes from the component on. */
static struct plm_doc *walk(struct plm_project *p, struct plm_doc *component, struct plm_slice path)
{
	struct plm_doc *at = component;
	size_t i = 0;

	while (at != NULL && i < path.size) {
		if (path.ptr[i] == '[') {
			size_t index = 0;

			i++;
			index = digits(path, &i);
			i += i < path.size ? 1 : 0;
			at = plm_doc_items(at);
			for (; at != NULL && index > 0; index--) {
				at = at->next;
			}
		} else {
			size_t from = i + (path.ptr[i] == '.' ? 1 : 0);

			for (i = from; i < path.size && path.ptr[i] != '.' && path.ptr[i] != '[';) {
				i++;
			}
			at = plm_doc_get(at, (const char *)plm_arena_format(
						     p->arena, "%.*s", (int)(i - from),
						     (const char *)path.ptr + from)
						     .ptr);
		}
	}
	return at;
}

static void declared_sets(struct plm_sets *sets, struct plm_doc *component, struct plm_doc *list)
{
	struct plm_project *p = sets->p;

	for (struct plm_doc *item = plm_doc_items(list); item != NULL; item = item->next) {
		struct plm_slice path = plm_doc_text_required(p->tree, item, "path");
		struct plm_doc *template = walk(p, component, path);

		if (template == NULL) {
			plm_doc_fail(p->tree, item, "there is nothing at %.*s", (int)path.size,
				     (const char *)path.ptr);
			return;
		}
		plm_project_topology_wish(
			p, template, NULL,
			plm_sets_add(sets, plm_slice_str("main"), template,
				     plm_doc_count(p->tree, item, "replicas", 1)));
	}
}

/* Kinds that are no jobs of the table, but whose pods an AppWrapper knows. */
static void pods_of(struct plm_sets *sets, enum plm_kind kind, struct plm_doc *object)
{
	struct plm_project *p = sets->p;
	struct plm_doc *spec = plm_doc_map(p->tree, object, "spec");

	if (kind == PLM_KIND_POD) {
		(void)plm_sets_add(sets, plm_slice_str("main"), object, 1);
	} else if (kind == PLM_KIND_DEPLOYMENT || kind == PLM_KIND_STATEFUL_SET) {
		(void)plm_sets_add(sets, plm_slice_str("main"),
				   plm_doc_map(p->tree, spec, "template"),
				   plm_doc_count(p->tree, spec, "replicas", 1));
	}
}

/* The pod sets of each component: as declared, else as its kind has them; named by their number. */
static void components(struct plm_sets *sets, struct plm_doc *root)
{
	struct plm_project *p = sets->p;
	struct plm_doc *item = plm_doc_items(plm_doc_at(root, "spec.components"));

	for (; item != NULL; item = item->next) {
		struct plm_doc *object = plm_doc_map(p->tree, item, "template");
		struct plm_doc *declared = plm_doc_list(p->tree, item, "podSets");
		const struct plm_kind_row *row =
			plm_kind_find(plm_doc_text(p->tree, object, "apiVersion"),
				      plm_doc_text(p->tree, object, "kind"));

		if (declared != NULL && declared->count > 0) {
			declared_sets(sets, item, declared);
		} else if (row != NULL && row->kind != PLM_KIND_APP_WRAPPER) {
			plm_sets_by_table(sets, row->kind, object);
			pods_of(sets, row->kind, object);
		}
	}
	for (size_t i = 0; i < sets->count; i++) {
		sets->list[i].name = plm_arena_format(p->arena, "%.*s-%zu", (int)p->meta.name.size,
						      (const char *)p->meta.name.ptr, i);
	}
}

/* ---- Trainer ----------------------------------------------------------------------------------- */

/* The pods that train: the replicated job called node. A runtime says how many in its policy. */
static void runtime_nodes(struct plm_sets *sets, struct plm_doc *root)
{
	struct plm_doc *policy = plm_doc_at(root, "spec.mlPolicy");
	int64_t nodes = plm_doc_count(sets->p->tree, policy, "numNodes", PLM_UNSET);

	for (size_t i = 0; i < sets->count; i++) {
		if (plm_slice_is(sets->list[i].name, PLM_TRAIN_NODE) && nodes != PLM_UNSET) {
			sets->list[i].count = nodes;
		}
	}
}

/* What a TrainJob says of the pods of its runtime, which is an object of its own. */
static void trainer(struct plm_project *p, struct plm_doc *root, struct plm_w_job *job)
{
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *runtime = plm_doc_map(p->tree, spec, "runtimeRef");
	struct plm_doc *trainer = plm_doc_map(p->tree, spec, "trainer");
	struct plm_doc *each = plm_doc_map(p->tree, trainer, "resourcesPerNode");
	struct plm_vec limits = plm_doc_amounts(p->tree, each, "limits");
	const struct plm_w_amount *limit = limits.ptr;
	struct plm_w_shape asked = {.requests = plm_doc_amounts(p->tree, each, "requests")};
	struct plm_slice kind = plm_doc_text(p->tree, runtime, "kind");

	if (runtime == NULL) {
		plm_doc_fail(p->tree, spec == NULL ? root : spec, "runtimeRef is required");
	} else {
		job->runtime = plm_doc_text_required(p->tree, runtime, "name");
	}
	job->runtime_kind = plm_slice_is(kind, "TrainingRuntime")
				    ? PLM_KIND_TRAINING_RUNTIME
				    : PLM_KIND_CLUSTER_TRAINING_RUNTIME;
	job->nodes = plm_doc_count(p->tree, trainer, "numNodes", PLM_UNSET);
	for (size_t i = 0; i < limits.count; i++) { /* a request that is missing is the limit */
		const struct plm_w_amount *have = asked.requests.ptr;
		size_t at = 0;

		while (at < asked.requests.count &&
		       !plm_slice_equal(have[at].resource, limit[i].resource)) {
			at++;
		}
		if (at == asked.requests.count) {
			set_amount(p, &asked, limit[i].resource, limit[i].amount);
		}
	}
	job->node_requests = asked.requests;
}

void plm_sets_special(struct plm_sets *sets, struct plm_doc *root, struct plm_w_job *job)
{
	switch ((int)job->kind) {
	case PLM_KIND_RAY_JOB:
		if (plm_doc_at(root, "spec.clusterSelector") == NULL) {
			ray_submitter(sets, root);
		} else {
			job->managed = -1; /* it runs on a cluster that is there: Kueue skips it */
		}
		break;
	case PLM_KIND_SPARK_APPLICATION:
		spark(sets, root);
		break;
	case PLM_KIND_APP_WRAPPER:
		components(sets, root);
		break;
	case PLM_KIND_LEADER_WORKER_SET:
		leader(sets);
		break;
	case PLM_KIND_TRAIN_JOB:
		trainer(sets->p, root, job);
		break;
	case PLM_KIND_TRAINING_RUNTIME:
	case PLM_KIND_CLUSTER_TRAINING_RUNTIME:
		runtime_nodes(sets, root);
		break;
	default:
		break;
	}
}

/* ---- Job --------------------------------------------------------------------------------------- */

#define MIN_PARALLELISM "kueue.x-k8s.io/job-min-parallelism"

static void job_status(struct plm_sets *sets, struct plm_doc *root, struct plm_w_job *job)
{
	struct plm_project *p = sets->p;
	struct plm_doc *status = plm_doc_map(p->tree, root, "status");
	int64_t left = 0;

	job->active = plm_doc_count(p->tree, status, "active", 0);
	job->ready = plm_doc_count(p->tree, status, "ready", 0);
	job->succeeded = plm_doc_count(p->tree, status, "succeeded", 0);
	job->failed = plm_doc_count(p->tree, status, "failed", 0);
	left = job->completions - job->succeeded;
	if (job->parallelism > 1 && job->succeeded > 0 && left < job->parallelism) {
		struct plm_w_pod_count *back = plm_project_array(p, 1, sizeof(*back));

		*back = (struct plm_w_pod_count){plm_slice_str("main"), job->parallelism - left};
		job->reclaimable = (struct plm_vec){back, 1};
	}
}

static void job_rest(struct plm_sets *sets, struct plm_doc *root, struct plm_w_job *job)
{
	static const char *const ignored[] = {"selector", "manualSelector",
					      "ttlSecondsAfterFinished", "completionMode",
					      "podReplacementPolicy"};
	struct plm_project *p = sets->p;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_slice sync =
		plm_project_annotation(p, root, "kueue.x-k8s.io/job-completions-equal-parallelism");
	int64_t pods = 0;

	job->parallelism = plm_doc_count(p->tree, spec, "parallelism", 1);
	job->completions =
		plm_doc_count(p->tree, spec, "completions", plm_max(job->parallelism, 1));
	job->indexed = plm_slice_is(plm_doc_text(p->tree, spec, "completionMode"), "Indexed");
	job->min_parallelism = plm_project_whole(p, root, "annotation " MIN_PARALLELISM,
						 plm_project_annotation(p, root, MIN_PARALLELISM));
	job->sync_completions = plm_slice_is(sync, "true");
	pods = plm_min(job->parallelism, job->completions);
	plm_project_pods_limit(p, spec, "parallelism", pods);
	plm_project_pods_limit(p, spec, "completions", job->indexed ? job->completions : pods);
	if (job->min_parallelism != PLM_UNSET && job->min_parallelism < pods && sets->count > 0) {
		sets->list[0].min_count = job->min_parallelism;
	}
	if (job->indexed == 0 && sets->count > 0) {
		sets->list[0].pod_index_label = (struct plm_slice){0};
	}
	job_status(sets, root, job);
	for (size_t i = 0; i < PLM_COUNTOF(ignored); i++) {
		plm_doc_ignore(plm_doc_get(spec, ignored[i]));
	}
}

/* ---- PodSet ------------------------------------------------------------------------------------ */

/* Queue: the label, then spec.queueName, then spec.workQueue; else the reducer looks for the only one. */
static void pod_set_rest(struct plm_sets *sets, struct plm_doc *root, struct plm_w_job *job)
{
	struct plm_project *p = sets->p;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_slice queue = plm_doc_text(p->tree, spec, "queueName");

	job->queue = job->queue.size > 0 ? job->queue : queue;
	job->work_queue = plm_doc_text(p->tree, spec, "workQueue");
	job->managed = 1;
	job->indexed = 1;
	job->started_ms = PLM_UNSET;
	job->priority_class =
		sets->count == 0 ? job->priority_class : sets->list[0].shape.priority_class;
	if (job->priority_class.size == 0) {
		job->priority_class = plm_doc_text(p->tree, spec, "priorityClassName");
	}
	plm_project_pods_limit(p, spec, "replicas", job->parallelism);
}

void plm_sets_rest(struct plm_sets *sets, struct plm_doc *root, struct plm_w_job *job)
{
	if (job->kind == PLM_KIND_JOB) {
		job_rest(sets, root, job);
	} else if (job->kind == PLM_KIND_POD_SET) {
		pod_set_rest(sets, root, job);
	} else if (job->kind == PLM_KIND_LEADER_WORKER_SET) {
		job->completions =
			plm_doc_count(sets->p->tree, plm_doc_get(root, "spec"), "replicas", 1);
		plm_project_pods_limit(sets->p, plm_doc_get(root, "spec"), "replicas",
				       plm_mul_sat(job->completions, job->parallelism));
	}
}
