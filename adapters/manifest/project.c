#include "adapters/manifest/project.h"

#include "core/limits.h"

#include "core/units.h"

#include <stdio.h>

/* ---- the table of kinds ------------------------------------------------------------------------ */

#define KUEUE                                                                                      \
	"kueue.x-k8s.io",                                                                          \
	{                                                                                          \
		"v1beta1", "v1beta2", NULL                                                         \
	}
#define KUEUE_OURS                                                                                 \
	"kueue.x-k8s.io",                                                                          \
	{                                                                                          \
		"v1beta1", "v1beta2", NULL                                                         \
	}
#define KUBEFLOW                                                                                   \
	"kubeflow.org",                                                                            \
	{                                                                                          \
		"v1", NULL                                                                         \
	}
#define RAY                                                                                        \
	"ray.io",                                                                                  \
	{                                                                                          \
		"v1", "v1alpha1", NULL                                                             \
	}
#define TRAINER                                                                                    \
	"trainer.kubeflow.org",                                                                    \
	{                                                                                          \
		"v1alpha1", NULL                                                                   \
	}
#define CORE                                                                                       \
	"",                                                                                        \
	{                                                                                          \
		"v1", NULL                                                                         \
	}
#define STORAGE                                                                                    \
	"storage.k8s.io",                                                                          \
	{                                                                                          \
		"v1", NULL                                                                         \
	}
#define APPS                                                                                       \
	"apps",                                                                                    \
	{                                                                                          \
		"v1", NULL                                                                         \
	}

static const struct plm_kind_row kinds[] = {
	{CORE, PLM_KIND_POD, PLM_EV_POD, true, plm_project_pod},
	{CORE, PLM_KIND_NODE, PLM_EV_NODE, false, plm_project_node},
	{CORE, PLM_KIND_NAMESPACE, PLM_EV_NAMESPACE, false, plm_project_namespace},
	{KUEUE, PLM_KIND_WORKLOAD, PLM_EV_WORKLOAD, true, plm_project_workload},
	{KUEUE, PLM_KIND_LOCAL_QUEUE, PLM_EV_LOCAL_QUEUE, true, plm_project_local_queue},
	{KUEUE, PLM_KIND_CLUSTER_QUEUE, PLM_EV_CLUSTER_QUEUE, false, plm_project_cluster_queue},
	{KUEUE, PLM_KIND_FLAVOR, PLM_EV_FLAVOR, false, plm_project_flavor},
	{KUEUE, PLM_KIND_COHORT, PLM_EV_COHORT, false, plm_project_cohort},
	{KUEUE, PLM_KIND_ADMISSION_CHECK, PLM_EV_ADMISSION_CHECK, false,
	 plm_project_admission_check},
	{KUEUE, PLM_KIND_WORKLOAD_PRIORITY_CLASS, PLM_EV_PRIORITY_CLASS, false,
	 plm_project_priority_class},
	{KUEUE, PLM_KIND_TOPOLOGY, PLM_EV_TOPOLOGY, false, plm_project_tas_topology},
	{KUEUE_OURS, PLM_KIND_WORK_QUEUE, PLM_EV_WORK_QUEUE, false, plm_project_work_queue},
	{KUEUE_OURS, PLM_KIND_POD_SET, PLM_EV_JOB, true, plm_project_job},
	{"scheduling.k8s.io",
	 {"v1", NULL},
	 PLM_KIND_PRIORITY_CLASS,
	 PLM_EV_PRIORITY_CLASS,
	 false,
	 plm_project_priority_class},
	{"batch", {"v1", NULL}, PLM_KIND_JOB, PLM_EV_JOB, true, plm_project_job},
	{APPS, PLM_KIND_DAEMON_SET, PLM_EV_DAEMON_SET, true, plm_project_daemon_set},
	{APPS, PLM_KIND_DEPLOYMENT, PLM_EV_REPLICATOR, true, plm_project_replicator},
	{APPS, PLM_KIND_REPLICA_SET, PLM_EV_REPLICATOR, true, plm_project_replicator},
	{APPS, PLM_KIND_STATEFUL_SET, PLM_EV_REPLICATOR, true, plm_project_replicator},
	{"karpenter.sh",
	 {"v1", "v1alpha5", NULL},
	 PLM_KIND_NODE_POOL,
	 PLM_EV_NODE_POOL,
	 false,
	 plm_project_node_pool},
	{"karpenter.sh",
	 {"v1", NULL},
	 PLM_KIND_NODE_CLAIM,
	 PLM_EV_NODE_CLAIM,
	 false,
	 plm_project_node_claim},
	{"karpenter.k8s.aws",
	 {"v1", NULL},
	 PLM_KIND_NODE_CLASS,
	 PLM_EV_NODE_CLASS,
	 false,
	 plm_project_node_class},
	{"karpenter.sh",
	 {"v1alpha5", NULL},
	 PLM_KIND_NODE_TEMPLATE,
	 PLM_EV_NODE_CLASS,
	 false,
	 plm_project_node_template},
	{CORE, PLM_KIND_LIMIT_RANGE, PLM_EV_LIMIT_RANGE, true, plm_project_limit_range},
	{"node.k8s.io",
	 {"v1", NULL},
	 PLM_KIND_RUNTIME_CLASS,
	 PLM_EV_RUNTIME_CLASS,
	 false,
	 plm_project_runtime_class},
	{"policy",
	 {"v1", NULL},
	 PLM_KIND_POD_DISRUPTION_BUDGET,
	 PLM_EV_POD_DISRUPTION_BUDGET,
	 true,
	 plm_project_pdb},
	{"jobset.x-k8s.io",
	 {"v1alpha2", NULL},
	 PLM_KIND_JOB_SET,
	 PLM_EV_JOB,
	 true,
	 plm_project_job},
	{"kubeflow.org",
	 {"v2beta1", "v1", NULL},
	 PLM_KIND_MPI_JOB,
	 PLM_EV_JOB,
	 true,
	 plm_project_job},
	{KUBEFLOW, PLM_KIND_PYTORCH_JOB, PLM_EV_JOB, true, plm_project_job},
	{KUBEFLOW, PLM_KIND_TF_JOB, PLM_EV_JOB, true, plm_project_job},
	{KUBEFLOW, PLM_KIND_PADDLE_JOB, PLM_EV_JOB, true, plm_project_job},
	{KUBEFLOW, PLM_KIND_XGBOOST_JOB, PLM_EV_JOB, true, plm_project_job},
	{KUBEFLOW, PLM_KIND_JAX_JOB, PLM_EV_JOB, true, plm_project_job},
	{TRAINER, PLM_KIND_TRAIN_JOB, PLM_EV_JOB, true, plm_project_job},
	{TRAINER, PLM_KIND_TRAINING_RUNTIME, PLM_EV_JOB, true, plm_project_job},
	{TRAINER, PLM_KIND_CLUSTER_TRAINING_RUNTIME, PLM_EV_JOB, false, plm_project_job},
	{RAY, PLM_KIND_RAY_JOB, PLM_EV_JOB, true, plm_project_job},
	{RAY, PLM_KIND_RAY_CLUSTER, PLM_EV_JOB, true, plm_project_job},
	{RAY, PLM_KIND_RAY_SERVICE, PLM_EV_JOB, true, plm_project_job},
	{"sparkoperator.k8s.io",
	 {"v1beta2", NULL},
	 PLM_KIND_SPARK_APPLICATION,
	 PLM_EV_JOB,
	 true,
	 plm_project_job},
	{"workload.codeflare.dev",
	 {"v1beta2", NULL},
	 PLM_KIND_APP_WRAPPER,
	 PLM_EV_JOB,
	 true,
	 plm_project_job},
	{"leaderworkerset.x-k8s.io",
	 {"v1", NULL},
	 PLM_KIND_LEADER_WORKER_SET,
	 PLM_EV_JOB,
	 true,
	 plm_project_job},
	{CORE, PLM_KIND_VOLUME_CLAIM, PLM_EV_VOLUME_CLAIM, true, plm_project_volume_claim},
	{CORE, PLM_KIND_VOLUME, PLM_EV_VOLUME, false, plm_project_volume},
	{STORAGE, PLM_KIND_STORAGE_CLASS, PLM_EV_STORAGE_CLASS, false, plm_project_storage_class},
	{STORAGE, PLM_KIND_CSI_NODE, PLM_EV_CSI_NODE, false, plm_project_csi_node},
	{STORAGE, PLM_KIND_VOLUME_ATTACHMENT, PLM_EV_VOLUME_ATTACHMENT, false,
	 plm_project_volume_attachment},
};

/* 'version' is "group/v", or "v" for the group without a name. */
static bool has_version(const struct plm_kind_row *row, struct plm_slice version)
{
	size_t group = strlen(row->group);
	size_t skip = group == 0 ? 0 : group + 1;

	if (version.size <= skip || memcmp(version.ptr, row->group, group) != 0 ||
	    (group > 0 && version.ptr[group] != '/')) {
		return false;
	}
	version = plm_slice_of(version.ptr + skip, version.size - skip);
	for (size_t i = 0; row->versions[i] != NULL; i++) {
		if (plm_slice_is(version, row->versions[i])) {
			return true;
		}
	}
	return false;
}

const struct plm_kind_row *plm_kind_find(struct plm_slice version, struct plm_slice kind)
{
	for (size_t i = 0; i < PLM_COUNTOF(kinds); i++) {
		if (plm_slice_is(kind, plm_names_text(&plm_names_kind, kinds[i].kind)) &&
		    has_version(&kinds[i], version)) {
			return &kinds[i];
		}
	}
	return NULL;
}

bool plm_kind_known(struct plm_slice kind)
{
	for (size_t i = 0; i < PLM_COUNTOF(kinds); i++) {
		if (plm_slice_is(kind, plm_names_text(&plm_names_kind, kinds[i].kind))) {
			return true;
		}
	}
	return false;
}

/* ---- metadata ---------------------------------------------------------------------------------- */

bool plm_project_is_name(struct plm_slice text)
{
	bool edge = true; /* the last byte may not be the last or the first of a label */

	for (size_t i = 0; i < text.size; i++) {
		uint8_t byte = text.ptr[i];
		bool plain = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9');

		if (!plain && ((byte != '-' && byte != '.') || (i == 0) || (byte == '.' && edge))) {
			return false;
		}
		edge = !plain;
	}
	return text.size > 0 && text.size <= 253 && !edge;
}

static struct plm_slice read_name(struct plm_project *p, struct plm_doc *meta, const char *key)
{
	struct plm_slice name = plm_doc_text(p->tree, meta, key);

	if (name.size > 0 && !plm_project_is_name(name)) {
		plm_doc_fail(p->tree, plm_doc_get(meta, key),
			     "\"%.*s\" is not a name (small letters, digits, '-', '.')",
			     (int)name.size, (const char *)name.ptr);
	}
	return name;
}

static void read_owner(struct plm_project *p, struct plm_doc *meta)
{
	struct plm_doc *owner = plm_doc_items(plm_doc_list(p->tree, meta, "ownerReferences"));

	for (; owner != NULL; owner = owner->next) {
		if (plm_doc_bool(p->tree, owner, "controller", 0) == 1) {
			p->meta.owner_kind = plm_doc_text(p->tree, owner, "kind");
			p->meta.owner_name = plm_doc_text(p->tree, owner, "name");
			p->meta.owner_uid = plm_doc_text(p->tree, owner, "uid");
			return;
		}
	}
}

void plm_project_meta(struct plm_project *p, struct plm_doc *root,
		      const struct plm_manifest_naming *naming, int64_t now_ms)
{
	struct plm_doc *meta = plm_doc_map(p->tree, root, "metadata");
	struct plm_w_meta *m = &p->meta;

	m->name = read_name(p, meta, "name");
	m->ns = p->row->namespaced ? read_name(p, meta, "namespace") : m->ns;
	if (naming != NULL && naming->name.size > 0) {
		m->name = naming->name;
	}
	if (naming != NULL && naming->ns.size > 0 && p->row->namespaced) {
		m->ns = naming->ns;
	}
	if (m->name.size == 0) {
		plm_doc_fail(p->tree, meta == NULL ? root : meta, "name is required");
	}
	if (p->row->namespaced && m->ns.size == 0) {
		m->ns = plm_slice_str("default");
	}
	m->uid = plm_doc_text(p->tree, meta, "uid");
	m->created_ms = plm_doc_time(p->tree, meta, "creationTimestamp");
	m->created_ms = m->created_ms == PLM_UNSET ? now_ms : m->created_ms;
	m->deleting_ms = plm_doc_time(p->tree, meta, "deletionTimestamp");
	m->generation = plm_doc_int(p->tree, meta, "generation", 0);
	m->labels = plm_doc_kv(p->tree, meta, "labels");
	read_owner(p, meta);
	p->had_uid = m->uid.size > 0;
	if (!p->had_uid) {
		m->uid = plm_manifest_uid(p->arena, p->row->kind, m->ns, m->name);
	}
}

struct plm_slice plm_manifest_uid(struct plm_arena *arena, enum plm_kind kind, struct plm_slice ns,
				  struct plm_slice name)
{
	const char *text = plm_names_text(&plm_names_kind, kind);
	struct plm_slice parts[] = {
		plm_slice_str("plimsoll/uid\n"),
		plm_slice_str(text),
		plm_slice_str("\n"),
		ns,
		plm_slice_str("\n"),
		name,
	};
	struct plm_sha256 hash = plm_sha256_parts(parts, PLM_COUNTOF(parts));
	char hex[2 * PLM_SHA256_SIZE + 1];

	/* version 8 (free form) and the RFC 9562 variant */
	hash.bytes[6] = (uint8_t)((hash.bytes[6] & 0x0FU) | 0x80U);
	hash.bytes[8] = (uint8_t)((hash.bytes[8] & 0x3FU) | 0x80U);
	plm_hex(plm_slice_of(hash.bytes, sizeof(hash.bytes)), hex);
	return plm_arena_format(arena, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12,
				hex + 16, hex + 20);
}

/* ---- what several kinds read ------------------------------------------------------------------- */

void *plm_project_array(struct plm_project *p, size_t count, size_t size)
{
	return count == 0 ? NULL : plm_arena_array(p->arena, count, size);
}

struct plm_doc *plm_project_condition(struct plm_project *p, struct plm_doc *root, const char *type)
{
	struct plm_doc *status = plm_doc_map(p->tree, root, "status");
	struct plm_doc *item = plm_doc_items(plm_doc_list(p->tree, status, "conditions"));

	for (; item != NULL; item = item->next) {
		if (plm_slice_is(plm_doc_text(p->tree, item, "type"), type)) {
			return item;
		}
	}
	return NULL;
}

bool plm_project_is_true(struct plm_project *p, struct plm_doc *condition)
{
	return condition != NULL &&
	       plm_slice_is(plm_doc_text(p->tree, condition, "status"), "True");
}

int64_t plm_project_condition_ms(struct plm_project *p, struct plm_doc *root, const char *type)
{
	struct plm_doc *condition = plm_project_condition(p, root, type);
	int64_t ms = PLM_UNSET;

	if (!plm_project_is_true(p, condition)) {
		return PLM_UNSET;
	}
	ms = plm_doc_time(p->tree, condition, "lastTransitionTime");
	if (ms != PLM_UNSET) {
		return ms;
	}
	return p->meta.created_ms != PLM_UNSET ? p->meta.created_ms : 0;
}

struct plm_slice plm_project_annotation(struct plm_project *p, struct plm_doc *root,
					const char *name)
{
	struct plm_doc *annotations = plm_doc_get(plm_doc_get(root, "metadata"), "annotations");

	return plm_doc_text(p->tree, plm_doc_map(p->tree, annotations, NULL), name);
}

bool plm_project_is_elastic(struct plm_project *p, struct plm_doc *root)
{
	return plm_slice_is(plm_project_annotation(p, root, "kueue.x-k8s.io/elastic-job"), "true");
}

struct plm_slice plm_project_label(const struct plm_project *p, const char *name)
{
	const struct plm_w_kv *labels = p->meta.labels.ptr;

	for (size_t i = 0; i < p->meta.labels.count; i++) {
		if (plm_slice_is(labels[i].key, name)) {
			return labels[i].value;
		}
	}
	return (struct plm_slice){0};
}

int64_t plm_project_condition_said(struct plm_project *p, struct plm_doc *root,
				   struct plm_slice *not_ready)
{
	struct plm_doc *ready = plm_project_condition(p, root, "Ready");
	struct plm_slice reason = plm_doc_text(p->tree, ready, "reason");
	struct plm_slice message = plm_doc_text(p->tree, ready, "message");

	if (ready == NULL || plm_project_is_true(p, ready) || not_ready->size > 0) {
		return 0;
	}
	*not_ready = plm_arena_format(p->arena, "condition Ready is not True%s%.*s%s%.*s",
				      reason.size > 0 ? ": " : "", (int)reason.size,
				      (const char *)reason.ptr, message.size > 0 ? ", " : "",
				      (int)message.size, (const char *)message.ptr);
	return 1;
}

void plm_project_undecided(struct plm_doc *node)
{
	if (node != NULL) {
		node->seen = 0;
	}
}

void plm_project_pods_limit(struct plm_project *p, struct plm_doc *spec, const char *key,
			    int64_t pods)
{
	if (pods > PLM_LIMIT_POD_SET_PODS) {
		plm_doc_fail(p->tree, plm_doc_get(spec, key), "at most %d pods",
			     PLM_LIMIT_POD_SET_PODS);
	}
}

static struct plm_doc *first_of(struct plm_doc *map, const char *const *paths)
{
	for (size_t i = 0; paths[i] != NULL; i++) {
		struct plm_doc *node = plm_doc_at(map, paths[i]);

		if (node != NULL) {
			return node;
		}
	}
	return NULL;
}

bool plm_project_dialect(struct plm_project *p, struct plm_doc *map, const char *const *first,
			 const char *const *second)
{
	struct plm_doc *one = first_of(map, first);
	struct plm_doc *other = first_of(map, second);

	if (one != NULL && other != NULL) {
		struct plm_slice path = plm_doc_path(p->tree, one);

		plm_doc_fail(
			p->tree, other,
			"this field and %s belong to two dialects; an object is written in one",
			(const char *)path.ptr);
	}
	return one != NULL && other == NULL;
}
