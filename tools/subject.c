#include "tools/subject.h"

#include <strings.h>

static const struct plm_kind_info kinds[] = {
	{PLM_KIND_NAMESPACE, "namespaces", "namespaces|namespace|ns", false},
	{PLM_KIND_FLAVOR, "resourceFlavors", "resourceflavors|resourceflavor|flavors|flavor|rf",
	 false},
	{PLM_KIND_COHORT, "cohorts", "cohorts|cohort|co", false},
	{PLM_KIND_CLUSTER_QUEUE, "clusterQueues", "clusterqueues|clusterqueue|cq", false},
	{PLM_KIND_LOCAL_QUEUE, "localQueues", "localqueues|localqueue|lq|queue|queues", true},
	{PLM_KIND_WORK_QUEUE, "workQueues", "workqueues|workqueue|wq", false},
	{PLM_KIND_PRIORITY_CLASS, "priorityClasses", "priorityclasses|priorityclass|pc", false},
	{PLM_KIND_WORKLOAD_PRIORITY_CLASS, "workloadPriorityClasses",
	 "workloadpriorityclasses|workloadpriorityclass|wpc", false},
	{PLM_KIND_ADMISSION_CHECK, "admissionChecks", "admissionchecks|admissioncheck|ac", false},
	{PLM_KIND_WORKLOAD, "workloads", "workloads|workload|wl|kwl", true},
	{PLM_KIND_JOB, "jobs", "jobs|job", true},
	{PLM_KIND_POD_SET, "podSets", "podsets|podset|ps", true},
	{PLM_KIND_POD, "pods", "pods|pod|po", true},
	{PLM_KIND_NODE, "nodes", "nodes|node|no", false},
	{PLM_KIND_NODE_POOL, "nodePools", "nodepools|nodepool|np|pool", false},
	{PLM_KIND_NODE_CLAIM, "nodeClaims", "nodeclaims|nodeclaim|nc|claim", false},
	{PLM_KIND_NODE_CLASS, "ec2NodeClasses",
	 "ec2nodeclasses|ec2nodeclass|ec2nc|nodeclasses|nodeclass", false},
	{PLM_KIND_NODE_TEMPLATE, "nodeTemplates", "nodetemplates|nodetemplate|nt", false},
	{PLM_KIND_DAEMON_SET, "daemonSets", "daemonsets|daemonset|ds", true},
	{PLM_KIND_DEPLOYMENT, "deployments", "deployments|deployment|deploy", true},
	{PLM_KIND_REPLICA_SET, "replicaSets", "replicasets|replicaset|rs", true},
	{PLM_KIND_STATEFUL_SET, "statefulSets", "statefulsets|statefulset|sts", true},
	{PLM_KIND_TOPOLOGY, "topologies", "topologies|topology|topo", false},
	{PLM_KIND_LIMIT_RANGE, "limitRanges", "limitranges|limitrange|limits", true},
	{PLM_KIND_RUNTIME_CLASS, "runtimeClasses", "runtimeclasses|runtimeclass", false},
	{PLM_KIND_POD_DISRUPTION_BUDGET, "podDisruptionBudgets",
	 "poddisruptionbudgets|poddisruptionbudget|pdb", true},
	{PLM_KIND_JOB_SET, "jobSets", "jobsets|jobset", true},
	{PLM_KIND_MPI_JOB, "mpiJobs", "mpijobs|mpijob", true},
	{PLM_KIND_PYTORCH_JOB, "pytorchJobs", "pytorchjobs|pytorchjob", true},
	{PLM_KIND_TF_JOB, "tfJobs", "tfjobs|tfjob", true},
	{PLM_KIND_PADDLE_JOB, "paddleJobs", "paddlejobs|paddlejob", true},
	{PLM_KIND_XGBOOST_JOB, "xgboostJobs", "xgboostjobs|xgboostjob", true},
	{PLM_KIND_JAX_JOB, "jaxJobs", "jaxjobs|jaxjob", true},
	{PLM_KIND_TRAIN_JOB, "trainJobs", "trainjobs|trainjob", true},
	{PLM_KIND_TRAINING_RUNTIME, "trainingRuntimes", "trainingruntimes|trainingruntime", true},
	{PLM_KIND_CLUSTER_TRAINING_RUNTIME, "clusterTrainingRuntimes",
	 "clustertrainingruntimes|clustertrainingruntime", false},
	{PLM_KIND_RAY_JOB, "rayJobs", "rayjobs|rayjob", true},
	{PLM_KIND_RAY_CLUSTER, "rayClusters", "rayclusters|raycluster", true},
	{PLM_KIND_RAY_SERVICE, "rayServices", "rayservices|rayservice", true},
	{PLM_KIND_SPARK_APPLICATION, "sparkApplications",
	 "sparkapplications|sparkapplication|sparkapp", true},
	{PLM_KIND_APP_WRAPPER, "appWrappers", "appwrappers|appwrapper|aw", true},
	{PLM_KIND_LEADER_WORKER_SET, "leaderWorkerSets", "leaderworkersets|leaderworkerset|lws",
	 true},
	{PLM_KIND_POD_GROUP, "podGroups", "podgroups|podgroup|pg", true},
	{PLM_KIND_VOLUME_CLAIM, "persistentVolumeClaims",
	 "persistentvolumeclaims|persistentvolumeclaim|pvc", true},
	{PLM_KIND_VOLUME, "persistentVolumes", "persistentvolumes|persistentvolume|pv", false},
	{PLM_KIND_STORAGE_CLASS, "storageClasses", "storageclasses|storageclass|sc", false},
	{PLM_KIND_CSI_NODE, "csiNodes", "csinodes|csinode", false},
	{PLM_KIND_VOLUME_ATTACHMENT, "volumeAttachments", "volumeattachments|volumeattachment",
	 false},
};

/* Of ASCII, whatever the locale. */
static char small(char byte)
{
	return (char)(byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte);
}

const struct plm_kind_info *plm_kind_info(enum plm_kind kind)
{
	for (size_t i = 0; i < PLM_COUNTOF(kinds); i++) {
		if (kinds[i].kind == kind) {
			return &kinds[i];
		}
	}
	PLM_UNREACHABLE();
}

const struct plm_kind_info *plm_kind_by_name(const char *name, size_t size)
{
	char lower[32];

	if (size == 0 || size >= sizeof(lower)) {
		return NULL;
	}
	for (size_t i = 0; i < size; i++) {
		lower[i] = small(name[i]);
	}
	lower[size] = '\0';
	for (size_t i = 0; i < PLM_COUNTOF(kinds); i++) {
		if (plm_choice_has(kinds[i].aliases, lower)) {
			return &kinds[i];
		}
	}
	return NULL;
}

bool plm_subject_equal(const struct plm_subject *a, const struct plm_subject *b)
{
	return a->kind == b->kind && plm_slice_equal(a->ns, b->ns) &&
	       plm_slice_equal(a->name, b->name);
}

struct plm_slice plm_subject_name(struct plm_arena *arena, const struct plm_subject *subject)
{
	if (subject->ns.size == 0) {
		return plm_arena_copy(arena, subject->name);
	}
	return plm_arena_format(arena, "%.*s/%.*s", (int)subject->ns.size,
				(const char *)subject->ns.ptr, (int)subject->name.size,
				(const char *)subject->name.ptr);
}

struct plm_slice plm_subject_text(struct plm_arena *arena, const struct plm_subject *subject)
{
	struct plm_slice name = plm_subject_name(arena, subject);
	char kind[40];
	size_t at = 0;

	for (const char *text = plm_names_text(&plm_names_kind, subject->kind);
	     text[at] != '\0' && at + 1 < sizeof(kind); at++) {
		kind[at] = small(text[at]);
	}
	kind[at] = '\0';
	return plm_arena_format(arena, "%s/%.*s", kind, (int)name.size, (const char *)name.ptr);
}

/* ---- in a call --------------------------------------------------------------------------------- */

static enum plm_code unknown_kind(const char *name, size_t size, struct plm_error *err)
{
	return plm_fail(
		err, PLM_E_USAGE,
		"no kind '%.*s'; try workload, job, podset, pod, node, nodeclaim, nodepool, "
		"clusterqueue, localqueue, workqueue, cohort or resourceflavor",
		(int)size, name);
}

enum plm_code plm_subject_parse(const struct plm_cli *call, size_t first, struct plm_subject *out,
				struct plm_error *err)
{
	const char *word = call->operands[first];
	size_t size = strcspn(word, "/");
	const struct plm_kind_info *kind = plm_kind_by_name(word, size);
	const char *rest = word[size] == '/' ? word + size + 1 : "";
	const char *slash = NULL;

	if (kind == NULL) {
		return unknown_kind(word, size, err);
	}
	if (rest[0] == '\0' && first + 1 < call->operand_count) {
		rest = call->operands[first + 1];
	}
	if (rest[0] == '\0') {
		return plm_fail(err, PLM_E_USAGE, "'%s' has no name: write KIND/NAME", word);
	}
	*out = (struct plm_subject){
		.kind = kind->kind,
		.ns = plm_slice_str(plm_cli_text(call, PLM_FLAG_NAMESPACE, "")),
		.name = plm_slice_str(rest),
	};
	slash = strchr(rest, '/');
	if (!kind->namespaced) {
		out->ns = (struct plm_slice){0};
	} else if (slash != NULL) {
		out->ns = plm_slice_of(rest, (size_t)(slash - rest));
		out->name = plm_slice_str(slash + 1);
	}
	return PLM_OK;
}

/* ---- in state ---------------------------------------------------------------------------------- */

static const struct plm_object *object_at(const struct plm_state *st, enum plm_table table,
					  plm_id id)
{
	return plm_slot(st, table, id);
}

struct plm_subject plm_subject_of(const struct plm_state *st, const struct plm_object *object)
{
	return (struct plm_subject){
		.kind = (enum plm_kind)object->kind,
		.ns = plm_str(st, object->ns),
		.name = plm_str(st, object->name),
	};
}

static enum plm_code not_found(const struct plm_subject *subject, struct plm_error *err)
{
	return plm_fail(err, PLM_E_NOT_FOUND, "no %s is called %.*s%s%.*s at that point",
			plm_names_text(&plm_names_kind, subject->kind), (int)subject->ns.size,
			(const char *)subject->ns.ptr, subject->ns.size > 0 ? "/" : "",
			(int)subject->name.size, (const char *)subject->name.ptr);
}

/* The one object of that name in any namespace. */
static enum plm_code find_anywhere(const struct plm_state *st, struct plm_subject *subject,
				   plm_id *out, struct plm_error *err)
{
	enum plm_table table = plm_kind_table(subject->kind);
	plm_id found = {0};

	for (plm_id id = plm_slot_next(st, table, (plm_id){0}); id.n != 0;
	     id = plm_slot_next(st, table, id)) {
		const struct plm_object *object = object_at(st, table, id);

		if (object->kind != (uint32_t)subject->kind ||
		    !plm_slice_equal(plm_str(st, object->name), subject->name)) {
			continue;
		}
		if (found.n != 0) {
			struct plm_slice a = plm_str(st, object_at(st, table, found)->ns);
			struct plm_slice b = plm_str(st, object->ns);

			return plm_fail(err, PLM_E_USAGE,
					"%.*s is in several namespaces (%.*s, %.*s): add -n",
					(int)subject->name.size, (const char *)subject->name.ptr,
					(int)a.size, (const char *)a.ptr, (int)b.size,
					(const char *)b.ptr);
		}
		found = id;
	}
	if (found.n == 0) {
		return not_found(subject, err);
	}
	subject->ns = plm_str(st, object_at(st, table, found)->ns);
	*out = found;
	return PLM_OK;
}

enum plm_code plm_subject_find(const struct plm_state *st, struct plm_subject *subject, plm_id *out,
			       struct plm_error *err)
{
	plm_sym name = plm_sym_find(st, subject->name);
	plm_id id = {0};

	if (plm_kind_info(subject->kind)->namespaced && subject->ns.size == 0) {
		return find_anywhere(st, subject, out, err);
	}
	if (name.n != 0 && (subject->ns.size == 0 || plm_sym_find(st, subject->ns).n != 0)) {
		id = plm_find(st, subject->kind, plm_sym_find(st, subject->ns), name);
	}
	if (id.n == 0) {
		return not_found(subject, err);
	}
	*out = id;
	return PLM_OK;
}

/* ---- in an event ------------------------------------------------------------------------------- */

const char *plm_class_text(enum plm_event_class class)
{
	switch (class) {
	case PLM_CLASS_CONTROL:
		return "Control";
	case PLM_CLASS_FACT:
		return "Fact";
	case PLM_CLASS_DECISION:
		return "Decision";
	case PLM_CLASS_INTENT:
		return "Intent";
	case PLM_CLASS_RESULT:
		return "Result";
	}
	PLM_UNREACHABLE();
}

static const struct plm_wire_field *field_called(const struct plm_wire_type *type, const char *name)
{
	for (uint32_t i = 0; i < type->field_count; i++) {
		if (strcmp(type->fields[i].name, name) == 0) {
			return &type->fields[i];
		}
	}
	return NULL;
}

static struct plm_slice text_called(const struct plm_wire_type *type, const void *value,
				    const char *name)
{
	const struct plm_wire_field *field = field_called(type, name);
	struct plm_slice text = {0};

	if (field != NULL && field->kind == PLM_WIRE_TEXT) {
		memcpy(&text, (const uint8_t *)value + field->offset, sizeof(text));
	}
	return text;
}

struct plm_subject plm_event_subject(const struct plm_logged *event)
{
	const struct plm_wire_type *type = event->info->payload;
	const struct plm_w_meta *meta = event->payload;
	struct plm_subject subject = {.kind = plm_event_kind(event->info, event->payload)};

	if (event->envelope.type == PLM_EV_EXPLAINED) {
		const struct plm_w_explained *explained = event->payload;

		return (struct plm_subject){.kind = (enum plm_kind)explained->why.kind,
					    .ns = explained->why.ns,
					    .name = explained->why.name};
	}
	if (event->envelope.type == PLM_EV_NOMINATE) {
		const struct plm_w_nominate *nominate = event->payload;

		return (struct plm_subject){.kind = nominate->claim != 0 ? PLM_KIND_NODE_CLAIM
									 : PLM_KIND_NODE,
					    .name = nominate->target};
	}
	if (type->field_count > 0 && type->fields[0].type == &plm_type_meta) {
		subject.ns = meta->ns;
		subject.name = meta->name;
	} else {
		subject.ns = text_called(type, event->payload, "ns");
		subject.name = text_called(type, event->payload, "name");
	}
	if (subject.name.size == 0) {
		subject.kind = PLM_KIND_NONE;
	}
	return subject;
}

const struct plm_w_explain *plm_event_why(const struct plm_logged *event)
{
	const struct plm_wire_field *field = field_called(event->info->payload, "why");
	const void *at = NULL;

	if (field == NULL || field->type != &plm_type_explain) {
		return NULL;
	}
	at = (const uint8_t *)event->payload + field->offset;
	return at;
}
