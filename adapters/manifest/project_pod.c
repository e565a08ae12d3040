/* Pod specs, pods, and what is made of one pod template: DaemonSet, Deployment and its kin. */
#include "adapters/manifest/project.h"

#include "codec/codec.h"
#include "codec/pack.h"
#include "core/integration.h"
#include "core/limits.h"
#include "core/quantity.h"
#include "core/tables.h"
#include "core/timefmt.h"
#include "core/units.h"
#include "hash/workload_name.h"

/* ---- the shape --------------------------------------------------------------------------------- */

static struct plm_doc *containers(struct plm_project *p, struct plm_doc *spec, bool init)
{
	const char *key = init ? "initContainers" : "containers";

	return plm_doc_items(plm_doc_list(p->tree, spec, key));
}

/* Host ports of one container into 'out' (NULL: only count). With the host's network every port is one. */
static size_t container_ports(struct plm_project *p, struct plm_doc *container, bool host,
			      struct plm_w_port *out)
{
	struct plm_doc *item = plm_doc_items(plm_doc_list(p->tree, container, "ports"));
	size_t count = 0;

	for (; item != NULL; item = item->next) {
		int64_t port = plm_doc_count(p->tree, item, "hostPort", 0);
		struct plm_slice protocol = plm_doc_text(p->tree, item, "protocol");
		struct plm_slice ip = plm_doc_text(p->tree, item, "hostIP");

		if (port == 0 && host) {
			port = plm_doc_count(p->tree, item, "containerPort", 0);
		}
		if (port == 0) {
			continue;
		}
		if (out != NULL) {
			out[count] = (struct plm_w_port){
				.ip = ip.size > 0 ? ip : plm_slice_str("0.0.0.0"),
				.protocol = protocol.size > 0 ? protocol : plm_slice_str("TCP"),
				.port = port,
			};
		}
		count++;
	}
	return count;
}

static size_t collect_ports(struct plm_project *p, struct plm_doc *spec, struct plm_w_port *out)
{
	bool host = plm_doc_bool(p->tree, spec, "hostNetwork", 0) == 1;
	size_t count = 0;

	for (int init = 0; init <= 1; init++) {
		struct plm_doc *item = containers(p, spec, init == 1);

		for (; item != NULL; item = item->next) {
			struct plm_w_port *at = out == NULL ? NULL : out + count;

			count += container_ports(p, item, host, at);
		}
	}
	return count;
}

static struct plm_vec read_ports(struct plm_project *p, struct plm_doc *spec)
{
	size_t count = collect_ports(p, spec, NULL);
	struct plm_w_port *ports = plm_project_array(p, count, sizeof(*ports));

	if (count > 0) {
		(void)collect_ports(p, spec, ports);
	}
	return (struct plm_vec){ports, count};
}

/* What the scheduler never looks at; images, commands and environments are not even visited. */
static void ignore_rest(struct plm_doc *spec)
{
	static const char *const fields[] = {
		"containers",
		"initContainers",
		"ephemeralContainers",
		"volumes",
		"overhead",
		"resources",
		"restartPolicy",
		"terminationGracePeriodSeconds",
		"activeDeadlineSeconds",
		"dnsPolicy",
		"dnsConfig",
		"serviceAccount",
		"serviceAccountName",
		"automountServiceAccountToken",
		"hostPID",
		"hostIPC",
		"hostUsers",
		"hostAliases",
		"hostname",
		"hostnameOverride",
		"subdomain",
		"setHostnameAsFQDN",
		"shareProcessNamespace",
		"securityContext",
		"imagePullSecrets",
		"enableServiceLinks",
		"readinessGates",
		"os",
		"tolerations",
	};

	for (size_t i = 0; i < PLM_COUNTOF(fields); i++) {
		plm_doc_ignore(plm_doc_get(spec, fields[i]));
	}
}

void plm_project_shape(struct plm_project *p, struct plm_doc *spec, struct plm_w_shape *shape)
{
	struct plm_slice policy = plm_doc_text(p->tree, spec, "preemptionPolicy");
	struct plm_doc *claims = plm_doc_list(p->tree, spec, "resourceClaims");

	plm_project_requests(p, spec, shape);
	plm_project_topology(p, spec, shape);
	shape->node_selector = plm_project_node_labels(p, spec, "nodeSelector");
	shape->tolerations = plm_project_tolerations(p, spec, "tolerations");
	shape->ports = read_ports(p, spec);
	shape->volumes = plm_project_volume_uses(p, spec);
	shape->runtime_class = plm_doc_text(p->tree, spec, "runtimeClassName");
	shape->scheduler = plm_doc_text(p->tree, spec, "schedulerName");
	if (plm_slice_is(shape->scheduler, "default-scheduler")) {
		shape->scheduler = (struct plm_slice){0}; /* what an API server fills in */
	}
	shape->priority_class = plm_doc_text(p->tree, spec, "priorityClassName");
	shape->priority = plm_doc_int32(p->tree, spec, "priority", PLM_UNSET);
	shape->never_preempt = plm_slice_is(policy, "Never");
	shape->has_claims = claims != NULL && claims->count > 0;
	plm_project_undecided(claims); /* devices are not counted yet */
	ignore_rest(spec);
}

void plm_project_template(struct plm_project *p, struct plm_doc *template, const char *name,
			  int64_t count, struct plm_w_pod_set_spec *out)
{
	struct plm_doc *meta = plm_doc_map(p->tree, template, "metadata");
	struct plm_doc *spec = plm_doc_map(p->tree, template, "spec");

	out->name = plm_slice_str(name);
	out->count = count;
	out->min_count = PLM_UNSET;
	out->labels = plm_doc_kv(p->tree, meta, "labels");
	plm_project_shape(p, spec, &out->shape);
	plm_doc_ignore(plm_doc_get(spec, "nodeName"));
	plm_doc_ignore(plm_doc_get(spec, "schedulingGates"));
	plm_doc_ignore(meta);
}

/* ---- Pod --------------------------------------------------------------------------------------- */

/* As do_not_disrupt of struct plm_w_pod: the annotation also takes a duration since the pod's start. */
static int64_t do_not_disrupt(struct plm_project *p, struct plm_doc *root, int64_t started_ms)
{
	struct plm_slice text = plm_project_annotation(p, root, PLM_ANNOTATION_DO_NOT_DISRUPT);
	int64_t ms = 0;

	if (plm_slice_is(text, "true")) {
		return 1;
	}
	if (text.size == 0) {
		return 0;
	}
	if (plm_duration_parse_ms(text, &ms, NULL) != PLM_OK || ms <= 0) {
		return -1;
	}
	return started_ms == PLM_UNSET ? 1 : plm_add_sat(started_ms, ms);
}

static int64_t deletion_cost(struct plm_project *p, struct plm_doc *root)
{
	struct plm_slice text =
		plm_project_annotation(p, root, "controller.kubernetes.io/pod-deletion-cost");
	int64_t cost = 0;

	return plm_integer_parse(text, &cost) && cost >= INT32_MIN && cost <= INT32_MAX ? cost : 0;
}

/* The completion index of a Job's pod, or the number behind the last dash of a PodSet's. */
static int64_t pod_index(struct plm_project *p, struct plm_doc *root)
{
	struct plm_slice text =
		plm_project_annotation(p, root, "batch.kubernetes.io/job-completion-index");
	int64_t index = PLM_UNSET;
	size_t at = p->meta.name.size;

	if (text.size == 0 && plm_slice_is(p->meta.owner_kind, "PodSet")) {
		while (at > 0 && p->meta.name.ptr[at - 1] != '-') {
			at--;
		}
		text = plm_slice_of(p->meta.name.ptr + at, p->meta.name.size - at);
	}
	(void)plm_integer_parse(text, &index);
	return index;
}

static void pod_status(struct plm_project *p, struct plm_doc *root, struct plm_w_pod *pod)
{
	struct plm_doc *status = plm_doc_map(p->tree, root, "status");
	struct plm_doc *scheduled = plm_project_condition(p, root, "PodScheduled");
	struct plm_doc *ready = plm_project_condition(p, root, "Ready");

	pod->nominated = plm_doc_text(p->tree, status, "nominatedNodeName");
	pod->phase = plm_doc_enum(p->tree, status, "phase", &plm_names_phase, PLM_PHASE_PENDING);
	pod->no_status = status == NULL || status->count == 0;
	pod->unschedulable =
		scheduled != NULL &&
		plm_slice_is(plm_doc_text(p->tree, scheduled, "status"), "False") &&
		plm_slice_is(plm_doc_text(p->tree, scheduled, "reason"), "Unschedulable");
	pod->ready = plm_project_is_true(p, ready);
	pod->not_ready =
		ready != NULL && plm_slice_is(plm_doc_text(p->tree, ready, "status"), "False");
	pod->started_ms = plm_doc_time(p->tree, status, "startTime");
}

static struct plm_vec gate_names(struct plm_project *p, struct plm_doc *gates)
{
	size_t count = gates == NULL ? 0 : gates->count;
	struct plm_slice *names = PLM_NEW_ARRAY(p->arena, count, struct plm_slice);

	for (struct plm_doc *gate = plm_doc_items(gates); gate != NULL; gate = gate->next) {
		names[gate->index] = plm_doc_text(p->tree, gate, "name");
	}
	return (struct plm_vec){names, count};
}

/* Eight digits by which pods of a group that look alike are one role; Kueue's own hash wins. */
static struct plm_slice role_of(struct plm_project *p, struct plm_doc *root,
				const struct plm_w_pod *pod)
{
	struct plm_slice written = plm_project_annotation(p, root, "kueue.x-k8s.io/role-hash");
	struct plm_sha256 hash;
	char hex[2 * PLM_SHA256_SIZE + 1];

	if (written.size > 0) {
		return written;
	}
	hash = plm_sha256(plm_wire_encode(&plm_type_shape, &pod->shape, p->arena));
	plm_hex(plm_slice_of(hash.bytes, sizeof(hash.bytes)), hex);
	return plm_arena_format(p->arena, "%.8s", hex);
}

static bool annotated(struct plm_project *p, struct plm_doc *root, const char *name,
		      const char *value)
{
	return plm_slice_is(plm_project_annotation(p, root, name), value);
}

static bool has_gate(const struct plm_w_pod *pod, const char *name)
{
	const struct plm_slice *gates = pod->gates.ptr;

	for (size_t i = 0; i < pod->gates.count; i++) {
		if (plm_slice_is(gates[i], name)) {
			return true;
		}
	}
	return false;
}

static void add_gate(struct plm_project *p, struct plm_w_pod *pod, const char *name)
{
	struct plm_slice *gates = plm_project_array(p, pod->gates.count + 1, sizeof(*gates));

	for (size_t i = 0; i < pod->gates.count; i++) {
		gates[i] = ((const struct plm_slice *)pod->gates.ptr)[i];
	}
	gates[pod->gates.count] = plm_slice_str(name);
	pod->gates = (struct plm_vec){gates, pod->gates.count + 1};
	pod->gated = 1;
}

/* A group that its labels name, with what its annotations say of it. */
static void named_group(struct plm_project *p, struct plm_doc *root, struct plm_w_pod *pod)
{
	struct plm_slice total =
		plm_project_annotation(p, root, "kueue.x-k8s.io/pod-group-total-count");
	int64_t count = 0;

	if (!plm_integer_parse(total, &count) || count < 1 || count > PLM_LIMIT_POD_SET_PODS) {
		plm_doc_fail(p->tree, plm_doc_get(root, "metadata"),
			     "annotation kueue.x-k8s.io/pod-group-total-count must be a number "
			     "from 1 to %d",
			     PLM_LIMIT_POD_SET_PODS);
	}
	pod->group_total = count;
	pod->role = role_of(p, root, pod);
	pod->pod_set = pod->role;
	if (annotated(p, root, "kueue.x-k8s.io/pod-group-fast-admission", "true")) {
		pod->group_flags |= PLM_GROUP_FAST;
	}
	if (annotated(p, root, "kueue.x-k8s.io/pod-group-serving", "true")) {
		pod->group_flags |= PLM_GROUP_SERVING;
	}
	if (annotated(p, root, "kueue.x-k8s.io/retriable-in-group", "false")) {
		pod->group_flags |= PLM_GROUP_UNRETRIABLE;
	}
}

/*
 * A pod that is queued by itself. One that somebody wrote and that runs nowhere is held as the admission
 * policy holds it; of others the gate or the label tells that they went through it.
 */
static void pod_queue(struct plm_project *p, struct plm_doc *root, struct plm_w_pod *pod)
{
	struct plm_slice queue = plm_project_label(p, PLM_LABEL_QUEUE);
	struct plm_slice group = plm_project_label(p, "kueue.x-k8s.io/pod-group-name");
	bool marked = plm_slice_is(plm_project_label(p, "kueue.x-k8s.io/managed"), "true");
	bool written = pod->no_status == 1 && pod->node.size == 0;
	bool held = has_gate(pod, PLM_GATE_ADMISSION);

	pod->max_exec_s = PLM_UNSET;
	if (group.size == 0) {
		group = plm_project_annotation(p, root, "kueue.x-k8s.io/pod-group-name");
	}
	if (queue.size == 0 || (!held && !marked && !written)) {
		return;
	}
	pod->queue = queue;
	pod->queue_class = plm_project_label(p, PLM_LABEL_PRIORITY);
	pod->max_exec_s = plm_project_max_exec(p, root);
	if (written && !held) {
		add_gate(p, pod, PLM_GATE_ADMISSION);
	}
	if (group.size > 0) {
		pod->group = group;
		named_group(p, root, pod);
		return;
	}
	pod->group = plm_workload_name(p->arena, "Pod", "", p->meta.name,
				       p->had_uid ? p->meta.uid : (struct plm_slice){0});
	pod->role = plm_slice_str("main");
	pod->pod_set = pod->role;
	pod->group_total = 1;
	pod->group_flags = PLM_GROUP_SINGLE;
}

void plm_project_pod(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_pod *pod = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");
	struct plm_doc *gates = plm_doc_list(p->tree, spec, "schedulingGates");

	plm_project_shape(p, spec, &pod->shape);
	pod->node = plm_doc_text(p->tree, spec, "nodeName");
	pod->gated = gates != NULL && gates->count > 0;
	pod->gates = gate_names(p, gates);
	pod_status(p, root, pod);
	pod->do_not_disrupt = do_not_disrupt(p, root, pod->started_ms);
	pod->deletion_cost = deletion_cost(p, root);
	pod->grace_s = plm_doc_int(p->tree, spec, "terminationGracePeriodSeconds", 30);
	pod->scheduled_ms = plm_project_condition_ms(p, root, "PodScheduled");
	pod->pod_set = plm_project_label(p, PLM_LABEL_POD_SET);
	pod->index = pod_index(p, root);
	pod_queue(p, root, pod);
	pod->tas = plm_project_is_tas(p, root);
	pod->managed = plm_project_finalized(p, root, PLM_FINALIZER_MANAGED);
}

/* ---- pod factories ----------------------------------------------------------------------------- */

void plm_project_daemon_set(struct plm_project *p, struct plm_doc *root, void *payload)
{
	struct plm_w_daemon_set *set = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");

	plm_project_template(p, plm_doc_map(p->tree, spec, "template"), "main", 1, &set->template);
	plm_doc_ignore(plm_doc_get(spec, "selector"));
	plm_doc_ignore(plm_doc_get(spec, "updateStrategy"));
	plm_doc_ignore(plm_doc_get(spec, "minReadySeconds"));
	plm_doc_ignore(plm_doc_get(spec, "revisionHistoryLimit"));
}

void plm_project_replicator(struct plm_project *p, struct plm_doc *root, void *payload)
{
	static const char *const ignored[] = {
		"selector",
		"strategy",
		"updateStrategy",
		"minReadySeconds",
		"serviceName",
		"revisionHistoryLimit",
		"podManagementPolicy",
		"progressDeadlineSeconds",
		"ordinals",
		"persistentVolumeClaimRetentionPolicy",
	};
	struct plm_w_replicator *set = payload;
	struct plm_doc *spec = plm_doc_map(p->tree, root, "spec");

	set->kind = p->row->kind;
	set->replicas = plm_doc_count(p->tree, spec, "replicas", 1);
	plm_project_pods_limit(p, spec, "replicas", set->replicas);
	plm_project_template(p, plm_doc_map(p->tree, spec, "template"), "main", set->replicas,
			     &set->template);
	set->claims = plm_project_claim_templates(p, spec);
	for (size_t i = 0; i < PLM_COUNTOF(ignored); i++) {
		plm_doc_ignore(plm_doc_get(spec, ignored[i]));
	}
}
