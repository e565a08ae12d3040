/* Every kind of the table as people write it: its pod sets in order, its end, what runs, what is back. */
#include "manifest_help.h"

#define POD(cpu) "{spec: {containers: [{name: c, resources: {requests: {cpu: " cpu "}}}]}}"
#define META(kind, version, rest)                                                                  \
	"apiVersion: " version "\nkind: " kind                                                     \
	"\nmetadata: {name: x, labels: {kueue.x-k8s.io/queue-name: q}" rest "}\n"
#define SET(name, count) "{\"name\":\"" name "\",\"count\":" count ",\"shape\""
#define CPU(milli) "\"requests\":[{\"resource\":\"cpu\",\"amount\":" milli "}]"

#define JOBSET                                                                                     \
	META("JobSet", "jobset.x-k8s.io/v1alpha2", "")                                             \
	"spec:\n  replicatedJobs:\n"                                                               \
	"  - {name: Driver, template: {spec: {template: " POD(                                     \
		"1") "}}}\n"                                                                       \
		     "  - {name: workers, replicas: 3, template: {spec: {parallelism: 4, "         \
		     "completions: 2, "                                                            \
		     "template: " POD("2") "}}}\n"
#define TORCH                                                                                      \
	META("PyTorchJob", "kubeflow.org/v1", "")                                                  \
	"spec:\n  runPolicy: {suspend: true, schedulingPolicy: {priorityClass: high}}\n"           \
	"  pytorchReplicaSpecs:\n    Worker: {replicas: 2, template: " POD(                        \
		"2") "}\n"                                                                         \
		     "    Master: {template: " POD("1") "}\n"
#define CLUSTER                                                                                    \
	"{headGroupSpec: {template: " POD("1") "}, workerGroupSpecs: [{groupName: GPU, replicas: " \
					       "2, numOfHosts: 3, template: " POD("2") "}]}\n"
#define RAYJOB(more) META("RayJob", "ray.io/v1", "") "spec:\n  rayClusterSpec: " CLUSTER more
#define SPARK                                                                                      \
	META("SparkApplication", "sparkoperator.k8s.io/v1beta2", "")                               \
	"spec:\n  type: Python\n  driver: {coreRequest: 500m, memory: 512m, nodeSelector: {a: "    \
	"b}}\n  executor: {instances: 3, coreLimit: 1200m, memory: 2g, gpu: {name: "               \
	"nvidia.com/gpu, quantity: 1}}\n"
#define WRAPPER(components)                                                                        \
	META("AppWrapper", "workload.codeflare.dev/v1beta2", "")                                   \
	"spec:\n  components:\n" components
#define LWS(spec) META("LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", "") "spec: {" spec "}\n"
#define GROUPED(more)                                                                              \
	"apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {kueue.x-k8s.io/queue-name: q, "   \
	"kueue.x-k8s.io/pod-group-name: g}, annotations: {" more "}}\nspec: {containers: []}\n"

static const struct plm_said_case kind_table[] = {
	{"jobset: replicas times the smaller of parallelism and completions, names in small "
	 "letters",
	 JOBSET,
	 {"\"workload\":\"jobset-x\"", SET("driver", "1"), CPU("1000"), SET("workers", "6"),
	  CPU("2000"), "\"managed\":1,\"suspended\":1,\"parallelism\":7"},
	 NULL,
	 NULL},
	{"jobset: what has succeeded is given back Job by Job, and what is active counts pods",
	 JOBSET "status: {replicatedJobsStatus: [{name: workers, succeeded: 1, active: 2, ready: "
		"2}]}\n",
	 {"\"reclaimable\":[{\"name\":\"workers\",\"count\":2}]",
	  "\"active\":4,\"ready\":4,\"succeeded\":2"},
	 NULL,
	 NULL},
	{"jobset that is done",
	 JOBSET "status: {conditions: [{type: Completed, status: 'True', lastTransitionTime: "
		"'1970-01-01T00:00:05Z'}]}\n",
	 {"\"end\":\"Complete\",\"endedMs\":5000"},
	 NULL,
	 NULL},
	{"pytorchjob: the master first, whatever order they are written in",
	 TORCH,
	 {"\"priorityClass\":\"high\"", "\"podSets\":[" SET("master", "1"), SET("worker", "2"),
	  "\"suspended\":1"},
	 NULL,
	 NULL},
	{"pytorchjob that runs",
	 TORCH "status: {replicaStatuses: {Master: {active: 1}, Worker: {active: 2, failed: 1}}, "
	       "conditions: [{type: Running, status: 'True'}]}\n",
	 {"\"active\":3,\"ready\":3,\"succeeded\":0,\"failed\":1"},
	 NULL,
	 NULL},
	{"mpijob",
	 META("MPIJob", "kubeflow.org/v2beta1",
	      "") "spec: {mpiReplicaSpecs: {Worker: {replicas: "
		  "2, template: " POD("2") "}, Launcher: "
					   "{template: " POD("1") "}}}\n",
	 {"\"podSets\":[" SET("launcher", "1"), SET("worker", "2")},
	 NULL,
	 NULL},
	{"tfjob: chief, master, ps, worker, evaluator",
	 META("TFJob", "kubeflow.org/v1", "") "spec: {tfReplicaSpecs: {PS: {template: " POD(
		 "1") "}, Evaluator: {template: " POD("1") "}, Chief: {template: " POD("1") "}}}\n",
	 {"\"podSets\":[" SET("chief", "1"), SET("ps", "1"), SET("evaluator", "1")},
	 NULL,
	 NULL},
	{"rayjob: head, groups of hosts, and the Job that submits",
	 RAYJOB(""),
	 {"\"podSets\":[" SET("head", "1"), SET("gpu", "6"), SET("submitter", "1"),
	  "\"requests\":[{\"resource\":\"cpu\",\"amount\":500},{\"resource\":\"memory\","
	  "\"amount\":209715200}]"},
	 NULL,
	 NULL},
	{"rayjob over HTTP submits from nowhere",
	 RAYJOB("  submissionMode: HTTPMode\n"),
	 {SET("head", "1"), SET("gpu", "6")},
	 NULL,
	 "submitter"},
	{"rayjob on a cluster that is there is not queued",
	 META("RayJob", "ray.io/v1", "") "spec: {clusterSelector: {ray.io/cluster: c}}\n",
	 {"\"managed\":-1"},
	 NULL,
	 NULL},
	{"rayjob that is complete and has failed",
	 RAYJOB("") "status: {jobDeploymentStatus: Complete, jobStatus: FAILED}\n",
	 {"\"end\":\"Failed\""},
	 NULL,
	 NULL},
	{"rayjob that runs",
	 RAYJOB("") "status: {jobDeploymentStatus: Running, jobStatus: RUNNING}\n",
	 {"\"suspended\":0", "\"active\":8,\"ready\":8"},
	 NULL,
	 "\"end\""},
	{"raycluster",
	 META("RayCluster", "ray.io/v1", "") "spec: " CLUSTER,
	 {"\"podSets\":[" SET("head", "1"), SET("gpu", "6")},
	 NULL,
	 NULL},
	{"rayservice: the flag stands in its cluster",
	 META("RayService", "ray.io/v1", "") "spec: {serveConfigV2: s, rayClusterConfig: {suspend: "
					     "true, headGroupSpec: {template: " POD("1") "}}}\n",
	 {SET("head", "1"), "\"suspended\":1"},
	 NULL,
	 NULL},
	{"spark: Java's units, a limit where the request is missing",
	 SPARK,
	 {"\"podSets\":[" SET("driver", "1"),
	  "\"requests\":[{\"resource\":\"cpu\",\"amount\":500},{\"resource\":\"memory\","
	  "\"amount\":536870912}],\"nodeSelector\":[{\"key\":\"a\",\"value\":\"b\"}]",
	  SET("executor", "3"),
	  "{\"resource\":\"cpu\",\"amount\":1200},{\"resource\":\"memory\",\"amount\":2147483648},"
	  "{\"resource\":\"nvidia.com/gpu\",\"amount\":1}"},
	 NULL,
	 NULL},
	{"spark that failed to submit",
	 SPARK "status: {applicationState: {state: SUBMISSION_FAILED}, terminationTime: "
	       "'1970-01-01T00:00:07Z'}\n",
	 {"\"end\":\"Failed\",\"endedMs\":7000"},
	 NULL,
	 NULL},
	{"spark needs both roles",
	 META("SparkApplication", "sparkoperator.k8s.io/v1beta2", "") "spec: {driver: {}}\n",
	 {NULL},
	 "spec: driver and executor are required",
	 NULL},
	{"appwrapper: pod sets as declared, else as the kind has them",
	 WRAPPER("  - {podSets: [{replicas: 2, path: 'template.spec.replicatedJobs[1].template'}], "
		 "template: {apiVersion: example.com/v1, kind: Odd, spec: {replicatedJobs: [{}, "
		 "{template: " POD("1") "}]}}}\n"
					"  - {template: {apiVersion: apps/v1, kind: Deployment, "
					"spec: {replicas: 3, template: " POD("2") "}}}\n"),
	 {"\"podSets\":[" SET("x-0", "2"), CPU("1000"), SET("x-1", "3"), CPU("2000")},
	 NULL,
	 NULL},
	{"appwrapper: a path that leads nowhere",
	 WRAPPER("  - {podSets: [{path: template.spec.template}], template: {kind: Odd}}\n"),
	 {NULL},
	 "there is nothing at template.spec.template",
	 NULL},
	{"appwrapper that failed holds on while its resources are there",
	 WRAPPER("  - {template: {apiVersion: v1, kind: Pod, spec: {containers: []}}}\n") "status: "
											  "{phase: "
											  "Failed, "
											  "conditio"
											  "ns: "
											  "[{type: "
											  "Resource"
											  "sDeploye"
											  "d, "
											  "status: "
											  "'True'}]"
											  "}\n",
	 {SET("x-0", "1")},
	 NULL,
	 "\"end\""},
	{"leaderworkerset with a leader",
	 LWS("replicas: 2, leaderWorkerTemplate: {size: 4, leaderTemplate: " POD(
		 "1") ", workerTemplate: " POD("2") "}"),
	 {"\"podSets\":[" SET("leader", "1"), SET("worker", "3"), "\"completions\":2"},
	 NULL,
	 NULL},
	{"leaderworkerset of equals",
	 LWS("leaderWorkerTemplate: {size: 4, workerTemplate: " POD("2") "}"),
	 {"\"podSets\":[" SET("main", "4"), "\"completions\":1"},
	 NULL,
	 NULL},
	{"trainjob: what it says of its runtime's pods",
	 META("TrainJob", "trainer.kubeflow.org/v1alpha1",
	      "") "spec: {runtimeRef: {name: torch}, trainer: {numNodes: 4, resourcesPerNode: "
		  "{requests: {cpu: 2}, limits: {cpu: 3, memory: 1Gi}}}}\n",
	 {"\"runtimeKind\":\"ClusterTrainingRuntime\",\"runtime\":\"torch\",\"nodes\":4",
	  "\"nodeRequests\":[{\"resource\":\"cpu\",\"amount\":2000},{\"resource\":\"memory\","
	  "\"amount\":1073741824}]"},
	 NULL,
	 NULL},
	{"trainjob without a runtime",
	 META("TrainJob", "trainer.kubeflow.org/v1alpha1", "") "spec: {trainer: {numNodes: 4}}\n",
	 {NULL},
	 "spec: runtimeRef is required",
	 NULL},
	{"trainjob whose runtime has no name",
	 META("TrainJob", "trainer.kubeflow.org/v1alpha1", "") "spec: {runtimeRef: {kind: x}}\n",
	 {NULL},
	 "spec.runtimeRef: name is required",
	 NULL},
	{"training runtime: as many nodes as its policy says",
	 "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata: {name: r}\n"
	 "spec: {mlPolicy: {numNodes: 2}, template: {spec: {replicatedJobs: [{name: node, "
	 "template: {spec: {template: " POD("1") "}}}]}}}\n",
	 {SET("node", "2")},
	 NULL,
	 NULL},
	{"no pod template at all",
	 META("PyTorchJob", "kubeflow.org/v1", "") "spec: {pytorchReplicaSpecs: {}}\n",
	 {NULL},
	 "spec: no pod template",
	 NULL},
	{"too many pods in one set",
	 META("JobSet", "jobset.x-k8s.io/v1alpha2",
	      "") "spec: {replicatedJobs: [{name: a, replicas: 50000, template: {spec: "
		  "{parallelism: 4, template: " POD("1") "}}}]}\n",
	 {NULL},
	 "at most 100000 pods",
	 NULL},

	{"the longest time that a job may run",
	 "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, labels: "
	 "{kueue.x-k8s.io/max-exec-time-seconds: '90'}}\nspec: {template: {}}\n",
	 {"\"maxExecS\":90"},
	 NULL,
	 NULL},
	{"a time that is none",
	 "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, labels: "
	 "{kueue.x-k8s.io/max-exec-time-seconds: soon}}\nspec: {template: {}}\n",
	 {NULL},
	 "label kueue.x-k8s.io/max-exec-time-seconds must be a whole number above 0",
	 NULL},
	{"a workload that somebody else makes",
	 "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, labels: "
	 "{kueue.x-k8s.io/prebuilt-workload-name: mine}}\nspec: {template: {}}\n",
	 {"\"workload\":\"mine\"", "\"prebuilt\":1"},
	 NULL,
	 NULL},
	{"completions follow parallelism, and what is done is given back",
	 "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, annotations: "
	 "{kueue.x-k8s.io/job-completions-equal-parallelism: 'true', "
	 "kueue.x-k8s.io/job-min-parallelism: '2'}}\n"
	 "spec: {parallelism: 4, template: {}}\nstatus: {succeeded: 3, active: 1}\n",
	 {"\"reclaimable\":[{\"name\":\"main\",\"count\":3}]", "\"syncCompletions\":1",
	  "\"minCount\":2"},
	 NULL,
	 NULL},

	{"a pod by itself is held like the policy holds it",
	 "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {kueue.x-k8s.io/queue-name: q}}\n"
	 "spec: {containers: []}\n",
	 {"\"gated\":1", "\"gates\":[\"kueue.x-k8s.io/admission\"]",
	  "\"queue\":\"q\",\"group\":\"pod-p\",\"role\":\"main\",\"groupTotal\":1,\"groupFlags\":"
	  "1"},
	 NULL,
	 NULL},
	{"a pod that runs and never went through the gate is left alone",
	 "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {kueue.x-k8s.io/queue-name: q}}\n"
	 "spec: {nodeName: n, containers: []}\nstatus: {phase: Running}\n",
	 {"\"gated\":0"},
	 NULL,
	 "\"group\""},
	{"a group",
	 GROUPED("kueue.x-k8s.io/pod-group-total-count: '3', kueue.x-k8s.io/pod-group-serving: "
		 "'true', kueue.x-k8s.io/pod-group-fast-admission: 'true', "
		 "kueue.x-k8s.io/role-hash: leader"),
	 {"\"group\":\"g\",\"role\":\"leader\",\"groupTotal\":3,\"groupFlags\":6"},
	 NULL,
	 NULL},
	{"a group without its count",
	 GROUPED(""),
	 {NULL},
	 "annotation kueue.x-k8s.io/pod-group-total-count must be a number from 1 to 100000",
	 NULL},
};
PLM_TEST_ROWS(plm_said_row, struct plm_said_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, plm_said_row, kind_table);
	return plm_tests_run(&tests, "project_kinds");
}
