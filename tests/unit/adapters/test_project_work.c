#include "manifest_help.h"

#define WL(spec)                                                                                   \
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: w}\nspec:\n" spec
#define SETS "  podSets: [{count: 3, template: {spec: {containers: []}}}]\n"
#define JOB(meta, spec)                                                                            \
	"apiVersion: batch/v1\nkind: Job\nmetadata: {name: j" meta "}\nspec: {" spec "}\n"
#define PODSET(meta, spec)                                                                         \
	"apiVersion: kueue.x-k8s.io/v1beta1\nkind: PodSet\nmetadata: {name: s" meta                \
	"}\nspec: {" spec "}\n"

static const struct plm_said_case work_table[] = {
	{"workload with defaults",
	 WL(SETS),
	 {"\"active\":1,\"gated\":0,\"podSets\":[{\"name\":\"main\",\"count\":3,\"shape\":",
	  "\"requeued\":0"},
	 NULL,
	 "priority\""},
	{"workload with everything",
	 "apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\nmetadata: {name: w, annotations: "
	 "{kueue.x-k8s.io/admission-gated-by: x}}\nspec: {queueName: q, priority: 5, "
	 "priorityClassRef: {group: "
	 "kueue.x-k8s.io, kind: WorkloadPriorityClass, name: c}, active: false, podSets: [{name: "
	 "a, count: 3, "
	 "minCount: 2, template: {metadata: {labels: {x: y}}}}, {name: b}]}\n",
	 {"\"queue\":\"q\",\"priority\":5,\"priorityClass\":\"c\",\"active\":0,\"gated\":1",
	  "{\"name\":\"a\",\"count\":3,\"minCount\":2,\"labels\":[{\"key\":\"x\",\"value\":\"y\"}]",
	  "{\"name\":\"b\",\"count\":1"},
	 NULL,
	 NULL},
	{"v1beta1 priority class",
	 WL("  priorityClassName: c\n  priorityClassSource: x\n" SETS),
	 {"\"priorityClass\":\"c\""},
	 NULL,
	 NULL},
	{"topology request",
	 WL("  podSets: [{topologyRequest: {required: r, preferred: p, unconstrained: true}}]\n"),
	 {"\"topologyRequired\":\"r\",\"topologyPreferred\":\"p\",\"topologyUnconstrained\":1"},
	 NULL,
	 NULL},
	{"workload with quota",
	 WL(SETS "status:\n  admission: {clusterQueue: c, podSetAssignments: [{name: main, "
		 "flavors: {memory: g, cpu: f}, "
		 "resourceUsage: {memory: 1Ki, cpu: '3'}, count: 2}]}\n"
		 "  conditions: [{type: QuotaReserved, status: 'True', lastTransitionTime: "
		 "'1970-01-01T00:00:05Z'}, "
		 "{type: Admitted, status: 'True', lastTransitionTime: '1970-01-01T00:00:06Z'}]\n"),
	 {"\"clusterQueue\":\"c\",\"assignments\":[{\"name\":\"main\",\"count\":2,\"flavors\":[{"
	  "\"key\":\"cpu\",\"value\":"
	  "\"f\"},{\"key\":\"memory\",\"value\":\"g\"}],\"usage\":[{\"resource\":\"cpu\","
	  "\"amount\":3000},{\"resource\":"
	  "\"memory\",\"amount\":1024}]}],\"reservedMs\":5000,\"admittedMs\":6000"},
	 NULL,
	 "evictedMs"},
	{"assignment without a count has the pod set's",
	 WL(SETS "status: {admission: {clusterQueue: c, podSetAssignments: [{name: main}]}}\n"),
	 {"\"assignments\":[{\"name\":\"main\",\"count\":3}]"},
	 NULL,
	 NULL},
	{"evicted, requeued, checked",
	 WL(SETS "status:\n  conditions: [{type: Evicted, status: 'True', reason: Preempted, "
		 "lastTransitionTime: "
		 "'1970-01-01T00:00:05Z'}, {type: Requeued, status: 'False'}, {type: "
		 "QuotaReserved, status: 'False'}]\n"
		 "  requeueState: {count: 1, requeueAt: '1970-01-01T00:01:00Z'}\n"
		 "  admissionChecks: [{name: a, state: Retry, lastTransitionTime: "
		 "'1970-01-01T00:00:02Z', "
		 "requeueAfterSeconds: 9}]\n  reclaimablePods: [{name: main, count: 1}]\n"),
	 {"\"evictedMs\":5000,\"evictedReason\":\"Preempted\",\"requeued\":-1,\"requeueAtMs\":"
	  "60000",
	  "\"checks\":[{\"name\":\"a\",\"state\":\"Retry\",\"sinceMs\":2000,\"requeueAfterMs\":"
	  "9000,\"retryCount\":0}],\"reclaimable\":[{"
	  "\"name\":\"main\",\"count\":1}]"},
	 NULL,
	 "reservedMs"},
	{"finished",
	 WL(SETS "status: {conditions: [{type: Finished, status: 'True', reason: Succeeded, "
		 "lastTransitionTime: "
		 "'1970-01-01T00:00:05Z'}, {type: Requeued, status: 'True'}]}\n"),
	 {"\"requeued\":1,\"finishedMs\":5000,\"finishedReason\":\"Succeeded\""},
	 NULL,
	 NULL},
	{"quota without admission",
	 WL(SETS "status: {conditions: [{type: QuotaReserved, status: 'True'}]}\n"),
	 {NULL},
	 "QuotaReserved is True, but there is no admission",
	 NULL},
	{"no pod sets", WL("  queueName: q\n"), {NULL}, "podSets is required", NULL},
	{"minimum above count",
	 WL("  podSets: [{count: 1, minCount: 2}]\n"),
	 {NULL},
	 "spec.podSets[0]: minCount is above count",
	 NULL},

	{"job with defaults",
	 JOB("", "template: {}"),
	 {"\"kind\":\"Job\",\"workload\":\"job-j\",\"managed\":0,\"suspended\":0,\"parallelism\":1,"
	  "\"completions\":1,"
	  "\"backoffLimit\":6,\"indexed\":0,\"active\":0",
	  "\"podSets\":[{\"name\":\"main\",\"count\":1,\"shape\""},
	 NULL,
	 "minParallelism"},
	{"job with a queue is suspended until it is let in",
	 JOB(", uid: u, labels: {kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/priority-class: p}",
	     "parallelism: 3"),
	 {"\"workload\":\"job-j-",
	  "\"queue\":\"q\",\"priorityClass\":\"p\",\"managed\":1,\"suspended\":1,\"parallelism\":3,"
	  "\"completions\":3"},
	 NULL,
	 NULL},
	{"job with a queue that runs",
	 JOB(", labels: {kueue.x-k8s.io/queue-name: q}",
	     "suspend: false") "status: {active: 2, ready: 1, startTime: '1970-01-01T00:00:05Z'}\n",
	 {"\"managed\":1,\"suspended\":0",
	  "\"active\":2,\"ready\":1,\"succeeded\":0,\"failed\":0,\"startedMs\":5000"},
	 NULL,
	 NULL},
	{"suspended job", JOB("", "suspend: true"), {"\"managed\":0,\"suspended\":1"}, NULL, NULL},
	{"job of fewer completions than parallelism",
	 JOB("", "parallelism: 8, completions: 5, completionMode: Indexed, backoffLimit: 0"),
	 {"\"parallelism\":8,\"completions\":5,\"backoffLimit\":0,\"indexed\":1", "\"count\":5"},
	 NULL,
	 NULL},
	{"job that may run with fewer pods",
	 JOB(", annotations: {kueue.x-k8s.io/job-min-parallelism: '2'}", "parallelism: 4"),
	 {"\"minParallelism\":2", "\"count\":4,\"minCount\":2"},
	 NULL,
	 NULL},
	{"minimum that is no number",
	 JOB(", annotations: {kueue.x-k8s.io/job-min-parallelism: few}", "parallelism: 4"),
	 {NULL},
	 "annotation kueue.x-k8s.io/job-min-parallelism must be a whole number above 0",
	 NULL},
	{"complete job",
	 JOB("", "template: {}") "status: {succeeded: 1, conditions: [{type: Complete, status: "
				 "'True', lastTransitionTime: "
				 "'1970-01-01T00:00:05Z'}]}\n",
	 {"\"succeeded\":1,\"failed\":0,\"end\":\"Complete\",\"endedMs\":5000"},
	 NULL,
	 NULL},
	{"failed job",
	 JOB("",
	     "template: {}") "status: {failed: 1, conditions: [{type: Failed, status: 'True'}]}\n",
	 {"\"failed\":1,\"end\":\"Failed\",\"endedMs\":1000"},
	 NULL,
	 NULL},

	{"pod set with defaults",
	 PODSET("", "template: {spec: {priorityClassName: high}}"),
	 {"\"kind\":\"PodSet\",\"workload\":\"podset-s\",\"priorityClass\":\"high\",\"managed\":1,"
	  "\"suspended\":1,"
	  "\"parallelism\":1,\"completions\":1,\"backoffLimit\":6"},
	 NULL,
	 "queue\""},
	{"pod set with everything",
	 PODSET(", labels: {kueue.x-k8s.io/queue-name: l}",
		"replicas: 4, queueName: q, workQueue: w, priorityClassName: p, "
		"backoffLimit: 1"),
	 {"\"queue\":\"l\",\"workQueue\":\"w\",\"priorityClass\":\"p\"",
	  "\"parallelism\":4,\"completions\":4,\"backoffLimit\":1"},
	 NULL,
	 NULL},
	{"pod set's queue by field", PODSET("", "queueName: q"), {"\"queue\":\"q\""}, NULL, NULL},
	{"the template's class wins",
	 PODSET("", "priorityClassName: a, template: {spec: {priorityClassName: b}}"),
	 {"\"priorityClass\":\"b\",\"managed\""},
	 NULL,
	 NULL},
	{"pod set that is done",
	 PODSET("", "replicas: 1") "status: {phase: Succeeded}\n",
	 {"\"end\":\"Complete\""},
	 NULL,
	 NULL},
	{"pod set that is too large",
	 PODSET("", "replicas: 100001"),
	 {NULL},
	 "spec.replicas: at most 100000 pods",
	 NULL},
};
PLM_TEST_ROWS(plm_said_row, struct plm_said_case)

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, plm_said_row, work_table);
	return plm_tests_run(&tests, "project_work");
}
