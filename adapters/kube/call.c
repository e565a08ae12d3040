#include "adapters/kube/call.h"

/* clang-format off */
#define RES(id) PLM_KUBE_RES_##id

/* ---- resources --------------------------------------------------------------------------------- */

#define KUEUE "kueue.x-k8s.io", {"v1beta2", "v1beta1"}
#define KARPENTER "karpenter.sh", {"v1"}
#define CORE "", {"v1"}
#define APPS "apps", {"v1"}
#define STORAGE "storage.k8s.io", {"v1"}
#define KUBEFLOW "kubeflow.org", {"v1"}
#define TRAINER "trainer.kubeflow.org", {"v1alpha1"}
#define RAY "ray.io", {"v1", "v1alpha1"}
#define ADMISSION "admissionregistration.k8s.io", {"v1"}

/* Versions best first; those that adapters/manifest projects, a test compares. */
static const struct plm_kube_resource resources[] = {
	[RES(NAMESPACES)] = {CORE, "namespaces", "Namespace", PLM_KIND_NAMESPACE, false, false},
	[RES(PRIORITY_CLASSES)] = {"scheduling.k8s.io", {"v1"}, "priorityclasses", "PriorityClass", PLM_KIND_PRIORITY_CLASS, false, false},
	[RES(WORKLOAD_PRIORITY_CLASSES)] = {KUEUE, "workloadpriorityclasses", "WorkloadPriorityClass", PLM_KIND_WORKLOAD_PRIORITY_CLASS, false, true},
	[RES(RUNTIME_CLASSES)] = {"node.k8s.io", {"v1"}, "runtimeclasses", "RuntimeClass", PLM_KIND_RUNTIME_CLASS, false, false},
	[RES(LIMIT_RANGES)] = {CORE, "limitranges", "LimitRange", PLM_KIND_LIMIT_RANGE, true, false},
	[RES(STORAGE_CLASSES)] = {STORAGE, "storageclasses", "StorageClass", PLM_KIND_STORAGE_CLASS, false, false},
	[RES(VOLUMES)] = {CORE, "persistentvolumes", "PersistentVolume", PLM_KIND_VOLUME, false, false},
	[RES(VOLUME_CLAIMS)] = {CORE, "persistentvolumeclaims", "PersistentVolumeClaim", PLM_KIND_VOLUME_CLAIM, true, false},
	[RES(CSI_NODES)] = {STORAGE, "csinodes", "CSINode", PLM_KIND_CSI_NODE, false, false},
	[RES(VOLUME_ATTACHMENTS)] = {STORAGE, "volumeattachments", "VolumeAttachment", PLM_KIND_VOLUME_ATTACHMENT, false, false},
	[RES(NODE_CLASSES)] = {"karpenter.k8s.aws", {"v1"}, "ec2nodeclasses", "EC2NodeClass", PLM_KIND_NODE_CLASS, false, true},
	[RES(NODE_TEMPLATES)] = {"karpenter.sh", {"v1alpha5"}, "nodetemplates", "NodeTemplate", PLM_KIND_NODE_TEMPLATE, false, true},
	[RES(NODE_POOLS)] = {"karpenter.sh", {"v1", "v1alpha5"}, "nodepools", "NodePool", PLM_KIND_NODE_POOL, false, true},
	[RES(NODE_CLAIMS)] = {KARPENTER, "nodeclaims", "NodeClaim", PLM_KIND_NODE_CLAIM, false, true},
	[RES(NODES)] = {CORE, "nodes", "Node", PLM_KIND_NODE, false, false},
	[RES(TOPOLOGIES)] = {KUEUE, "topologies", "Topology", PLM_KIND_TOPOLOGY, false, true},
	[RES(FLAVORS)] = {KUEUE, "resourceflavors", "ResourceFlavor", PLM_KIND_FLAVOR, false, true},
	[RES(ADMISSION_CHECKS)] = {KUEUE, "admissionchecks", "AdmissionCheck", PLM_KIND_ADMISSION_CHECK, false, true},
	[RES(COHORTS)] = {KUEUE, "cohorts", "Cohort", PLM_KIND_COHORT, false, true},
	[RES(CLUSTER_QUEUES)] = {KUEUE, "clusterqueues", "ClusterQueue", PLM_KIND_CLUSTER_QUEUE, false, true},
	[RES(LOCAL_QUEUES)] = {KUEUE, "localqueues", "LocalQueue", PLM_KIND_LOCAL_QUEUE, true, true},
	[RES(WORK_QUEUES)] = {KUEUE, "workqueues", "WorkQueue", PLM_KIND_WORK_QUEUE, false, true},
	[RES(TRAINING_RUNTIMES)] = {TRAINER, "trainingruntimes", "TrainingRuntime", PLM_KIND_TRAINING_RUNTIME, true, true},
	[RES(CLUSTER_TRAINING_RUNTIMES)] = {TRAINER, "clustertrainingruntimes", "ClusterTrainingRuntime", PLM_KIND_CLUSTER_TRAINING_RUNTIME, false, true},
	[RES(WORKLOADS)] = {KUEUE, "workloads", "Workload", PLM_KIND_WORKLOAD, true, true},
	[RES(JOBS)] = {"batch", {"v1"}, "jobs", "Job", PLM_KIND_JOB, true, false},
	[RES(POD_SETS)] = {KUEUE, "podsets", "PodSet", PLM_KIND_POD_SET, true, true},
	[RES(JOB_SETS)] = {"jobset.x-k8s.io", {"v1alpha2"}, "jobsets", "JobSet", PLM_KIND_JOB_SET, true, true},
	[RES(MPI_JOBS)] = {"kubeflow.org", {"v2beta1", "v1"}, "mpijobs", "MPIJob", PLM_KIND_MPI_JOB, true, true},
	[RES(PYTORCH_JOBS)] = {KUBEFLOW, "pytorchjobs", "PyTorchJob", PLM_KIND_PYTORCH_JOB, true, true},
	[RES(TF_JOBS)] = {KUBEFLOW, "tfjobs", "TFJob", PLM_KIND_TF_JOB, true, true},
	[RES(PADDLE_JOBS)] = {KUBEFLOW, "paddlejobs", "PaddleJob", PLM_KIND_PADDLE_JOB, true, true},
	[RES(XGBOOST_JOBS)] = {KUBEFLOW, "xgboostjobs", "XGBoostJob", PLM_KIND_XGBOOST_JOB, true, true},
	[RES(JAX_JOBS)] = {KUBEFLOW, "jaxjobs", "JAXJob", PLM_KIND_JAX_JOB, true, true},
	[RES(TRAIN_JOBS)] = {TRAINER, "trainjobs", "TrainJob", PLM_KIND_TRAIN_JOB, true, true},
	[RES(RAY_JOBS)] = {RAY, "rayjobs", "RayJob", PLM_KIND_RAY_JOB, true, true},
	[RES(RAY_CLUSTERS)] = {RAY, "rayclusters", "RayCluster", PLM_KIND_RAY_CLUSTER, true, true},
	[RES(RAY_SERVICES)] = {RAY, "rayservices", "RayService", PLM_KIND_RAY_SERVICE, true, true},
	[RES(SPARK_APPLICATIONS)] = {"sparkoperator.k8s.io", {"v1beta2"}, "sparkapplications", "SparkApplication", PLM_KIND_SPARK_APPLICATION, true, true},
	[RES(APP_WRAPPERS)] = {"workload.codeflare.dev", {"v1beta2"}, "appwrappers", "AppWrapper", PLM_KIND_APP_WRAPPER, true, true},
	[RES(LEADER_WORKER_SETS)] = {"leaderworkerset.x-k8s.io", {"v1"}, "leaderworkersets", "LeaderWorkerSet", PLM_KIND_LEADER_WORKER_SET, true, true},
	[RES(DEPLOYMENTS)] = {APPS, "deployments", "Deployment", PLM_KIND_DEPLOYMENT, true, false},
	[RES(REPLICA_SETS)] = {APPS, "replicasets", "ReplicaSet", PLM_KIND_REPLICA_SET, true, false},
	[RES(STATEFUL_SETS)] = {APPS, "statefulsets", "StatefulSet", PLM_KIND_STATEFUL_SET, true, false},
	[RES(DAEMON_SETS)] = {APPS, "daemonsets", "DaemonSet", PLM_KIND_DAEMON_SET, true, false},
	[RES(POD_DISRUPTION_BUDGETS)] = {"policy", {"v1"}, "poddisruptionbudgets", "PodDisruptionBudget", PLM_KIND_POD_DISRUPTION_BUDGET, true, false},
	[RES(PODS)] = {CORE, "pods", "Pod", PLM_KIND_POD, true, false},
	[RES(EVENTS)] = {CORE, "events", "Event", PLM_KIND_NONE, true, false},
	[RES(LEASES)] = {"coordination.k8s.io", {"v1"}, "leases", "Lease", PLM_KIND_NONE, true, false},
	[RES(CONFIG_MAPS)] = {CORE, "configmaps", "ConfigMap", PLM_KIND_NONE, true, false},
	[RES(TOKEN_REVIEWS)] = {"authentication.k8s.io", {"v1"}, "tokenreviews", "TokenReview", PLM_KIND_NONE, false, false},
	[RES(SUBJECT_ACCESS_REVIEWS)] = {"authorization.k8s.io", {"v1"}, "subjectaccessreviews", "SubjectAccessReview", PLM_KIND_NONE, false, false},
	[RES(CRDS)] = {"apiextensions.k8s.io", {"v1"}, "customresourcedefinitions", "CustomResourceDefinition", PLM_KIND_NONE, false, true},
	[RES(MUTATING_WEBHOOKS)] = {ADMISSION, "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", PLM_KIND_NONE, false, true},
	[RES(VALIDATING_WEBHOOKS)] = {ADMISSION, "validatingwebhookconfigurations", "ValidatingWebhookConfiguration", PLM_KIND_NONE, false, true},
	[RES(MUTATING_POLICIES)] = {"admissionregistration.k8s.io", {"v1", "v1beta1", "v1alpha1"}, "mutatingadmissionpolicies", "MutatingAdmissionPolicy", PLM_KIND_NONE, false, true},
	[RES(VALIDATING_POLICIES)] = {ADMISSION, "validatingadmissionpolicies", "ValidatingAdmissionPolicy", PLM_KIND_NONE, false, true},
	[RES(SELF_SUBJECT_ACCESS_REVIEWS)] = {"authorization.k8s.io", {"v1"}, "selfsubjectaccessreviews", "SelfSubjectAccessReview", PLM_KIND_NONE, false, false},
};

/* ---- calls ------------------------------------------------------------------------------------- */

/* A write ends before a Lease could pass to another process (eventsourcing.md D16). */
#define WRITE_MS 5000
#define READ_MS 10000
#define REVIEW_MS 5000
#define NO_BOUND 0

#define OBSERVE PLM_KUBE_OBSERVE
#define QUEUES PLM_KUBE_QUEUES
#define NODES_AREA PLM_KUBE_NODES
#define EITHER (PLM_KUBE_QUEUES | PLM_KUBE_NODES)
#define SERVE PLM_KUBE_SERVE
#define DOCTOR PLM_KUBE_DOCTOR

#define READ(id) \
	{RES(id), "", PLM_KUBE_GET, OBSERVE, READ_MS, NULL, "an object that an effect is about", ""}, \
	{RES(id), "", PLM_KUBE_LIST, OBSERVE, NO_BOUND, NULL, "at a start, after a gap, and once in a while", ""}, \
	{RES(id), "", PLM_KUBE_WATCH, OBSERVE, NO_BOUND, NULL, "always", ""}
#define WRITE(id, sub, verb, modes, when) \
	{RES(id), sub, PLM_KUBE_##verb, modes, WRITE_MS, NULL, when, ""}
#define CALL(id, verb, modes, ms, names, when) \
	{RES(id), "", PLM_KUBE_##verb, modes, ms, names, when, ""}

/* A kind that has a suspend flag. */
#define WORK(id) \
	READ(id), \
	WRITE(id, "", PATCH_JSON, QUEUES, "admitted, evicted, or suspended on sight"), \
	WRITE(id, "", DELETE, QUEUES, "finished long ago, or to be made anew")
/* A status of ours. */
#define STATUS(id, modes, when) \
	WRITE(id, "status", PATCH_JSON, modes, when), \
	WRITE(id, "status", PATCH_MERGE, modes, when)

#define CRD_NAMES \
	"workloads.kueue.x-k8s.io,clusterqueues.kueue.x-k8s.io,localqueues.kueue.x-k8s.io," \
	"cohorts.kueue.x-k8s.io,resourceflavors.kueue.x-k8s.io,admissionchecks.kueue.x-k8s.io," \
	"topologies.kueue.x-k8s.io,workloadpriorityclasses.kueue.x-k8s.io," \
	"workqueues.kueue.x-k8s.io,podsets.kueue.x-k8s.io,nodepools.karpenter.sh," \
	"nodeclaims.karpenter.sh,nodetemplates.karpenter.sh,ec2nodeclasses.karpenter.k8s.aws"

static const struct plm_kube_call_row rows[] = {
	/* What decides, and is only read. */
	READ(NAMESPACES),
	READ(PRIORITY_CLASSES),
	READ(WORKLOAD_PRIORITY_CLASSES),
	READ(RUNTIME_CLASSES),
	READ(LIMIT_RANGES),
	READ(STORAGE_CLASSES),
	READ(VOLUMES),
	READ(VOLUME_CLAIMS),
	READ(CSI_NODES),
	READ(VOLUME_ATTACHMENTS),
	READ(TOPOLOGIES),
	READ(FLAVORS),
	READ(ADMISSION_CHECKS),
	READ(TRAINING_RUNTIMES),
	READ(CLUSTER_TRAINING_RUNTIMES),
	READ(DEPLOYMENTS),
	READ(REPLICA_SETS),
	READ(STATEFUL_SETS),
	READ(DAEMON_SETS),
	READ(POD_DISRUPTION_BUDGETS),

	/* Nodes. */
	READ(NODE_CLASSES),
	WRITE(NODE_CLASSES, "", PATCH_JSON, NODES_AREA, "its hash annotations"),
	STATUS(NODE_CLASSES, NODES_AREA, "what was resolved changed"),
	READ(NODE_TEMPLATES),
	WRITE(NODE_TEMPLATES, "", PATCH_JSON, NODES_AREA, "its hash annotations"),
	STATUS(NODE_TEMPLATES, NODES_AREA, "what was resolved changed"),
	READ(NODE_POOLS),
	WRITE(NODE_POOLS, "", PATCH_JSON, NODES_AREA, "its hash annotations"),
	STATUS(NODE_POOLS, NODES_AREA, "its nodes or conditions changed"),
	READ(NODE_CLAIMS),
	WRITE(NODE_CLAIMS, "", CREATE, NODES_AREA, "a node was decided"),
	WRITE(NODE_CLAIMS, "", PATCH_JSON, NODES_AREA, "annotations; our finalizer"),
	WRITE(NODE_CLAIMS, "", DELETE, NODES_AREA, "its node is to go"),
	STATUS(NODE_CLAIMS, NODES_AREA, "it was launched, registered, initialized, ..."),
	READ(NODES),
	WRITE(NODES, "", PATCH_JSON, NODES_AREA, "labels, taints and finalizer of a node of ours"),
	WRITE(NODES, "", DELETE, NODES_AREA, "it is empty, or its instance is gone"),

	/* Queues. */
	READ(COHORTS),
	STATUS(COHORTS, QUEUES, "its share changed"),
	READ(CLUSTER_QUEUES),
	STATUS(CLUSTER_QUEUES, QUEUES, "its counts or conditions changed"),
	READ(LOCAL_QUEUES),
	STATUS(LOCAL_QUEUES, QUEUES, "its counts or conditions changed"),
	READ(WORK_QUEUES),
	STATUS(WORK_QUEUES, QUEUES, "its counts or conditions changed"),
	READ(WORKLOADS),
	WRITE(WORKLOADS, "", CREATE, QUEUES, "a job was queued"),
	WRITE(WORKLOADS, "", PATCH_JSON, QUEUES, "deactivated; upstream's finalizer"),
	WRITE(WORKLOADS, "", DELETE, QUEUES, "its job is gone, or it is kept no longer"),
	STATUS(WORKLOADS, QUEUES, "it was decided on"),
	{RES(WORKLOADS), "status", PLM_KUBE_APPLY, QUEUES, WRITE_MS, NULL, "it was decided on",
	 "status.admission, status.admissionChecks, status.conditions, status.requeueState"},

	/* Work. */
	WORK(JOBS),
	STATUS(JOBS, QUEUES, "its startTime, before its selectors can change"),
	WORK(POD_SETS),
	STATUS(POD_SETS, QUEUES, "its counts or conditions changed"),
	WORK(JOB_SETS),
	WORK(MPI_JOBS),
	WORK(PYTORCH_JOBS),
	WORK(TF_JOBS),
	WORK(PADDLE_JOBS),
	WORK(XGBOOST_JOBS),
	WORK(JAX_JOBS),
	WORK(TRAIN_JOBS),
	WORK(RAY_JOBS),
	WORK(RAY_CLUSTERS),
	WORK(RAY_SERVICES),
	WORK(SPARK_APPLICATIONS),
	WORK(APP_WRAPPERS),
	WORK(LEADER_WORKER_SETS),
	READ(PODS),
	WRITE(PODS, "", CREATE, QUEUES, "a pod of a PodSet"),
	WRITE(PODS, "", PATCH_JSON, QUEUES, "its gate, once it is admitted; our finalizer"),
	WRITE(PODS, "", DELETE, EITHER, "it was preempted, or its drain is at its end"),
	WRITE(PODS, "eviction", CREATE, EITHER, "its node is drained"),

	/* What is said, who may act, and the settings of a peer. */
	WRITE(EVENTS, "", CREATE, EITHER, "a Kubernetes Event"),
	WRITE(EVENTS, "", PATCH_MERGE, EITHER, "the same Event once more"),
	CALL(LEASES, GET, OBSERVE | DOCTOR, WRITE_MS, PLM_KUBE_LEASE "," PLM_KUBE_PEER_LEASES,
	     "who may act: ours, and a peer's"),
	CALL(LEASES, CREATE, EITHER, WRITE_MS, PLM_KUBE_LEASE, "at the first start"),
	CALL(LEASES, UPDATE, EITHER, WRITE_MS, PLM_KUBE_LEASE, "every two seconds"),
	CALL(CONFIG_MAPS, GET, OBSERVE | DOCTOR, READ_MS, "kueue-manager-config",
	     "at a start: the settings of Kueue"),
	CALL(CRDS, GET, OBSERVE | DOCTOR, READ_MS, CRD_NAMES, "whose CRDs these are"),

	/* While it is listened to beyond the loopback. */
	CALL(TOKEN_REVIEWS, CREATE, SERVE, REVIEW_MS, NULL, "somebody asks with a token"),
	CALL(SUBJECT_ACCESS_REVIEWS, CREATE, SERVE, REVIEW_MS, NULL, "whether they may"),

	/* By the verbs doctor and migrate, with the rights of who calls them. */
	CALL(CRDS, LIST, DOCTOR, NO_BOUND, NULL, "doctor"),
	CALL(LEASES, LIST, DOCTOR, NO_BOUND, NULL, "doctor: whose controllers live"),
	CALL(MUTATING_WEBHOOKS, LIST, DOCTOR, NO_BOUND, NULL, "doctor: webhooks of the departed"),
	CALL(VALIDATING_WEBHOOKS, LIST, DOCTOR, NO_BOUND, NULL, "doctor: webhooks of the departed"),
	CALL(MUTATING_POLICIES, LIST, DOCTOR, NO_BOUND, NULL, "doctor: are ours there"),
	CALL(VALIDATING_POLICIES, LIST, DOCTOR, NO_BOUND, NULL, "doctor: are ours there"),
	CALL(SELF_SUBJECT_ACCESS_REVIEWS, CREATE, DOCTOR, REVIEW_MS, NULL, "doctor: what is allowed"),
};
/* clang-format on */

PLM_STATIC_ASSERT(PLM_COUNTOF(resources) == PLM_KUBE_RES_COUNT, "every resource has a row");

const struct plm_kube_resource *plm_kube_resource(enum plm_kube_resource_id id)
{
	PLM_ASSERT(id > PLM_KUBE_RES_NONE && id < PLM_KUBE_RES_COUNT);
	PLM_ASSERT(resources[id].name != NULL);
	return &resources[id];
}

enum plm_kube_resource_id plm_kube_resource_of(enum plm_kind kind)
{
	for (unsigned id = PLM_KUBE_RES_NONE + 1; id < PLM_KUBE_RES_COUNT; id++) {
		if (kind != PLM_KIND_NONE && resources[id].projected == kind) {
			return (enum plm_kube_resource_id)id;
		}
	}
	return PLM_KUBE_RES_NONE;
}

const struct plm_kube_call_row *plm_kube_calls(size_t *count)
{
	*count = PLM_COUNTOF(rows);
	return rows;
}

const struct plm_kube_call_row *plm_kube_call_find(enum plm_kube_resource_id resource,
						   const char *subresource, enum plm_kube_verb verb)
{
	for (size_t i = 0; i < PLM_COUNTOF(rows); i++) {
		if (rows[i].resource == resource && rows[i].verb == verb &&
		    strcmp(rows[i].subresource, subresource) == 0) {
			return &rows[i];
		}
	}
	return NULL;
}

bool plm_kube_call_names(const struct plm_kube_call_row *row, struct plm_slice name)
{
	const char *at = row->name_only;

	if (at == NULL) {
		return true;
	}
	while (*at != '\0') {
		size_t size = strcspn(at, ",");

		if (plm_slice_equal(plm_slice_of(at, size), name)) {
			return true;
		}
		at += size;
		at += *at == ',' ? 1 : 0;
	}
	return false;
}
