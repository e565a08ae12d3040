#include "core/integration.h"

#define KUBEFLOW_JOB(NAME, text, lead0, lead1, lead2)                                              \
	{.kind = PLM_KIND_##NAME,                                                                  \
	 .framework = "kubeflow.org/" text,                                                        \
	 .suspend = "spec.runPolicy.suspend",                                                      \
	 .priority = "spec.runPolicy.schedulingPolicy.priorityClass",                              \
	 .managed_by = "spec.runPolicy.managedBy",                                                 \
	 .counts = "replicaStatuses",                                                              \
	 .ready = "Running",                                                                       \
	 .done = PLM_DONE_LEAD,                                                                    \
	 .leads = {lead0, lead1, lead2},                                                           \
	 .backoff = "spec.runPolicy.backoffLimit",                                                 \
	 .backoff_default = 6}

/* Upstream's order of integrations: kueue.md 1.9. */
static const struct plm_integration integrations[] = {
	{.kind = PLM_KIND_JOB,
	 .framework = "batch/job",
	 .suspend = "spec.suspend",
	 .managed_by = "spec.managedBy",
	 .reclaims = true,
	 .backoff = "spec.backoffLimit",
	 .backoff_default = 6},
	{.kind = PLM_KIND_JOB_SET,
	 .framework = "jobset.x-k8s.io/jobset",
	 .suspend = "spec.suspend",
	 .managed_by = "spec.managedBy",
	 .counts = "replicatedJobsStatus",
	 .reclaims = true,
	 .backoff = "spec.failurePolicy.maxRestarts"},
	{.kind = PLM_KIND_MPI_JOB,
	 .framework = "kubeflow.org/mpijob",
	 .suspend = "spec.runPolicy.suspend",
	 .priority = "spec.runPolicy.schedulingPolicy.priorityClass",
	 .managed_by = "spec.runPolicy.managedBy",
	 .counts = "replicaStatuses",
	 .ready = "Running",
	 .done = PLM_DONE_LEAD,
	 .leads = {"launcher"},
	 .serves = true,
	 .backoff = "spec.runPolicy.backoffLimit",
	 .backoff_default = 6},
	KUBEFLOW_JOB(PYTORCH_JOB, "pytorchjob", "master", "worker", NULL),
	KUBEFLOW_JOB(TF_JOB, "tfjob", "chief", "master", "worker"),
	KUBEFLOW_JOB(PADDLE_JOB, "paddlejob", "master", "worker", NULL),
	KUBEFLOW_JOB(XGBOOST_JOB, "xgboostjob", "master", "worker", NULL),
	KUBEFLOW_JOB(JAX_JOB, "jaxjob", "worker", NULL, NULL),
	{.kind = PLM_KIND_TRAIN_JOB,
	 .framework = "trainer.kubeflow.org/trainjob",
	 .suspend = "spec.suspend",
	 .managed_by = "spec.managedBy",
	 .counts = "jobsStatus",
	 .reclaims = true},
	{.kind = PLM_KIND_TRAINING_RUNTIME, .start = PLM_START_NEVER, .framework = ""},
	{.kind = PLM_KIND_CLUSTER_TRAINING_RUNTIME, .start = PLM_START_NEVER, .framework = ""},
	{.kind = PLM_KIND_RAY_JOB,
	 .framework = "ray.io/rayjob",
	 .suspend = "spec.suspend",
	 .managed_by = "spec.managedBy",
	 .state = "jobDeploymentStatus",
	 .idle = {"", "Suspended"},
	 .ready = "Running",
	 .done = PLM_DONE_LEAD,
	 .leads = {"submitter", "head"},
	 .serves = true,
	 .backoff = "spec.backoffLimit"},
	{.kind = PLM_KIND_RAY_CLUSTER,
	 .framework = "ray.io/raycluster",
	 .suspend = "spec.suspend",
	 .managed_by = "spec.managedBy",
	 .state = "state",
	 .idle = {"", "suspended", "failed"},
	 .ready = "ready",
	 .done = PLM_DONE_NEVER},
	{.kind = PLM_KIND_RAY_SERVICE,
	 .framework = "ray.io/rayservice",
	 .suspend = "spec.rayClusterConfig.suspend",
	 .managed_by = "spec.managedBy",
	 .running = "Ready",
	 .ready = "Ready",
	 .done = PLM_DONE_NEVER},
	{.kind = PLM_KIND_SPARK_APPLICATION,
	 .framework = "sparkoperator.k8s.io/sparkapplication",
	 .suspend = "spec.suspend",
	 .state = "applicationState.state",
	 .idle = {"", "SUSPENDED", "SUBMISSION_FAILED"},
	 .ready = "RUNNING",
	 .done = PLM_DONE_LEAD,
	 .leads = {"driver"},
	 .serves = true,
	 .backoff = "spec.restartPolicy.onFailureRetries"},
	{.kind = PLM_KIND_APP_WRAPPER,
	 .framework = "workload.codeflare.dev/appwrapper",
	 .suspend = "spec.suspend",
	 .managed_by = "spec.managedBy",
	 .running = "QuotaReserved",
	 .ready = "PodsReady"},
	{.kind = PLM_KIND_LEADER_WORKER_SET,
	 .start = PLM_START_NEVER, /* its pods are groups */
	 .framework = "leaderworkerset.x-k8s.io/leaderworkerset",
	 .done = PLM_DONE_NEVER},
	{.kind = PLM_KIND_POD_GROUP, .start = PLM_START_BY_GATES, .framework = "pod"},
	{.kind = PLM_KIND_POD_SET,
	 .start = PLM_START_BY_PODS,
	 .framework = "",
	 .backoff = "spec.backoffLimit",
	 .backoff_default = 6},
};

#define REPLICAS(NAME, specs, type)                                                                \
	{.kind = PLM_KIND_##NAME,                                                                  \
	 .at = "spec." specs "." type,                                                             \
	 .template = "template",                                                                   \
	 .name = type,                                                                             \
	 .count = "replicas",                                                                      \
	 .index = "training.kubeflow.org/replica-index"}

#define RAY(NAME, cluster)                                                                         \
	{.kind = PLM_KIND_##NAME,                                                                  \
	 .at = cluster "headGroupSpec",                                                            \
	 .template = "template",                                                                   \
	 .name = "head"},                                                                          \
		{.kind = PLM_KIND_##NAME,                                                          \
		 .place = PLM_SET_EACH,                                                            \
		 .at = cluster "workerGroupSpecs",                                                 \
		 .template = "template",                                                           \
		 .name_at = "groupName",                                                           \
		 .count = "replicas",                                                              \
		 .times = "numOfHosts"}

#define JOBS(NAME, list)                                                                           \
	{.kind = PLM_KIND_##NAME,                                                                  \
	 .place = PLM_SET_EACH,                                                                    \
	 .at = list,                                                                               \
	 .template = "template.spec.template",                                                     \
	 .name_at = "name",                                                                        \
	 .count = "template.spec.parallelism",                                                     \
	 .at_most = "template.spec.completions",                                                   \
	 .times = "replicas",                                                                      \
	 .index = "batch.kubernetes.io/job-completion-index",                                      \
	 .group = "jobset.sigs.k8s.io/job-index"}

/* In the order in which Kueue makes the pod sets. */
static const struct plm_set_rule set_rules[] = {
	{.kind = PLM_KIND_JOB,
	 .at = "spec",
	 .template = "template",
	 .name = "main",
	 .count = "parallelism",
	 .at_most = "completions",
	 .index = "batch.kubernetes.io/job-completion-index"},
	{.kind = PLM_KIND_POD_SET,
	 .at = "spec",
	 .template = "template",
	 .name = "main",
	 .count = "replicas"},
	JOBS(JOB_SET, "spec.replicatedJobs"),
	REPLICAS(MPI_JOB, "mpiReplicaSpecs", "Launcher"),
	REPLICAS(MPI_JOB, "mpiReplicaSpecs", "Worker"),
	REPLICAS(PYTORCH_JOB, "pytorchReplicaSpecs", "Master"),
	REPLICAS(PYTORCH_JOB, "pytorchReplicaSpecs", "Worker"),
	REPLICAS(TF_JOB, "tfReplicaSpecs", "Chief"),
	REPLICAS(TF_JOB, "tfReplicaSpecs", "Master"),
	REPLICAS(TF_JOB, "tfReplicaSpecs", "PS"),
	REPLICAS(TF_JOB, "tfReplicaSpecs", "Worker"),
	REPLICAS(TF_JOB, "tfReplicaSpecs", "Evaluator"),
	REPLICAS(PADDLE_JOB, "paddleReplicaSpecs", "Master"),
	REPLICAS(PADDLE_JOB, "paddleReplicaSpecs", "Worker"),
	REPLICAS(XGBOOST_JOB, "xgbReplicaSpecs", "Master"),
	REPLICAS(XGBOOST_JOB, "xgbReplicaSpecs", "Worker"),
	REPLICAS(JAX_JOB, "jaxReplicaSpecs", "Worker"),
	JOBS(TRAINING_RUNTIME, "spec.template.spec.replicatedJobs"),
	JOBS(CLUSTER_TRAINING_RUNTIME, "spec.template.spec.replicatedJobs"),
	RAY(RAY_JOB, "spec.rayClusterSpec."),
	RAY(RAY_CLUSTER, "spec."),
	RAY(RAY_SERVICE, "spec.rayClusterConfig."),
	{.kind = PLM_KIND_SPARK_APPLICATION,
	 .at = "spec.driver",
	 .template = "template",
	 .name = "driver"},
	{.kind = PLM_KIND_SPARK_APPLICATION,
	 .at = "spec.executor",
	 .template = "template",
	 .name = "executor",
	 .count = "instances"},
	{.kind = PLM_KIND_LEADER_WORKER_SET,
	 .at = "spec.leaderWorkerTemplate.leaderTemplate",
	 .template = "",
	 .name = "leader"},
	{.kind = PLM_KIND_LEADER_WORKER_SET,
	 .at = "spec.leaderWorkerTemplate",
	 .template = "workerTemplate",
	 .name = "worker",
	 .count = "size",
	 .index = "leaderworkerset.sigs.k8s.io/worker-index"},
};

#define ENDS(NAME, complete, failed)                                                               \
	{.kind = PLM_KIND_##NAME, .condition = complete, .end = PLM_JOB_COMPLETE},                 \
	{                                                                                          \
		.kind = PLM_KIND_##NAME, .condition = failed, .end = PLM_JOB_FAILED                \
	}

#define ENDS_AT(NAME, at, complete, failed)                                                        \
	{.kind = PLM_KIND_##NAME, .path = at, .value = complete, .end = PLM_JOB_COMPLETE},         \
	{                                                                                          \
		.kind = PLM_KIND_##NAME, .path = at, .value = failed, .end = PLM_JOB_FAILED        \
	}

static const struct plm_end_rule end_rules[] = {
	ENDS(JOB, "Complete", "Failed"),
	ENDS(JOB_SET, "Completed", "Failed"),
	ENDS(MPI_JOB, "Succeeded", "Failed"),
	ENDS(PYTORCH_JOB, "Succeeded", "Failed"),
	ENDS(TF_JOB, "Succeeded", "Failed"),
	ENDS(PADDLE_JOB, "Succeeded", "Failed"),
	ENDS(XGBOOST_JOB, "Succeeded", "Failed"),
	ENDS(JAX_JOB, "Succeeded", "Failed"),
	ENDS(TRAIN_JOB, "Complete", "Failed"),
	{.kind = PLM_KIND_RAY_JOB,
	 .path = "jobDeploymentStatus",
	 .value = "Complete",
	 .end = PLM_JOB_COMPLETE,
	 .only_at = "jobStatus",
	 .only = "SUCCEEDED"},
	{.kind = PLM_KIND_RAY_JOB,
	 .path = "jobDeploymentStatus",
	 .value = "Failed",
	 .end = PLM_JOB_FAILED},
	ENDS_AT(SPARK_APPLICATION, "applicationState.state", "COMPLETED", "FAILED"),
	{.kind = PLM_KIND_SPARK_APPLICATION,
	 .path = "applicationState.state",
	 .value = "SUBMISSION_FAILED",
	 .end = PLM_JOB_FAILED},
	{.kind = PLM_KIND_APP_WRAPPER,
	 .path = "phase",
	 .value = "Succeeded",
	 .end = PLM_JOB_COMPLETE},
	{.kind = PLM_KIND_APP_WRAPPER,
	 .path = "phase",
	 .value = "Failed",
	 .end = PLM_JOB_FAILED,
	 .unless = "ResourcesDeployed"},
	ENDS_AT(POD_SET, "phase", "Succeeded", "Failed"),
};

const struct plm_integration *plm_integration(enum plm_kind kind)
{
	for (size_t i = 0; i < PLM_COUNTOF(integrations); i++) {
		if (integrations[i].kind == kind) {
			return &integrations[i];
		}
	}
	return NULL;
}

const struct plm_integration *plm_integrations(size_t *count)
{
	*count = PLM_COUNTOF(integrations);
	return integrations;
}

const struct plm_set_rule *plm_set_rules(size_t *count)
{
	*count = PLM_COUNTOF(set_rules);
	return set_rules;
}

const struct plm_end_rule *plm_end_rules(size_t *count)
{
	*count = PLM_COUNTOF(end_rules);
	return end_rules;
}

enum plm_kind plm_job_kind(int64_t kind)
{
	return plm_integration((enum plm_kind)kind) == NULL ? PLM_KIND_JOB : (enum plm_kind)kind;
}

/* ---- owners in the state ------------------------------------------------------------------------ */

plm_id plm_job_above(const struct plm_state *st, plm_sym owner_uid)
{
	for (uint32_t i = 0; i < PLM_OWNERS_MAX && owner_uid.n != 0; i++) {
		plm_id id = plm_index_find(st, PLM_KEY_JOB_UID, owner_uid.n, 0);

		if (id.n == 0 || plm_job_at(st, id)->workload_id.n != 0) {
			return id;
		}
		owner_uid = plm_job_at(st, id)->object.owner_uid;
	}
	return (plm_id){0};
}
