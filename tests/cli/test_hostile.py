"""What a hostile or careless user does: an answer with its reason, or an error that names the place."""
import json
import sys

import harness

QUEUE = """apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: cq}
spec:
  COHORT
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - {name: default, resources: [{name: cpu, nominalQuota: "10"}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: lq, namespace: default}
spec: {clusterQueue: cq}
---
"""


def job(name, cpu=1, more=""):
    return f"""apiVersion: batch/v1
kind: Job
metadata: {{name: {name}, namespace: default, labels: {{kueue.x-k8s.io/queue-name: lq}}}}
spec:
  template:
    spec:
      restartPolicy: Never
      {more}
      containers: [{{name: c, resources: {{requests: {{cpu: "{cpu}"}}}}}}]
---
"""


def queue(extra="", flavor="default"):
    return QUEUE.replace("COHORT", extra).replace("{name: default}\n", f"{{name: {flavor}}}\n", 1)


def decide(run, folder, text, *words, want=0):
    file = folder / "in.yaml"
    file.write_text(text)
    out = run("decide", "-f", file, "-o", "json", *words, want=want)
    return json.loads(out) if out else None


def waits(run, folder, text, *words):
    """Reason and message of what waits, by name."""
    doc = decide(run, folder, text, *words)
    return {row["workload"].split("/")[1]: (row["reason"], row["message"]) for row in doc["pending"]}


def cohort(name, parent):
    return (f"apiVersion: kueue.x-k8s.io/v1beta1\nkind: Cohort\nmetadata: {{name: {name}}}\n"
            f"spec: {{parentName: {parent}}}\n---\n")


def test_a_ring_of_cohorts_is_said(run, folder):
    for ring in (cohort("a", "a"), cohort("a", "b") + cohort("b", "a")):
        for compat in ("strict", "better"):
            said = waits(run, folder, queue("cohort: a") + ring + job("j"), "--compat", compat)
            assert said["job-j"][0] == "Misconfigured", said
            assert "ring" in said["job-j"][1] and "cq" in said["job-j"][1], said


def test_what_is_wrong_with_a_queue_is_said_in_full(run, folder):
    said = waits(run, folder, queue(flavor="other") + job("j"))
    assert said["job-j"] == ("Misconfigured", "flavor default not found"), said
    text = queue() + job("j")
    simple = text[:text.index("apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue")] + (
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: cq}\nspec:\n"
        "  resources: [{name: cpu, minAllowed: 5, maxAllowed: 2}]\n---\n"
    ) + text[text.index("apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue"):]
    said = waits(run, folder, simple)
    assert said["job-j"][1].startswith("ClusterQueue cq is inactive: spec.resources[0]"), said


def test_who_waits_behind_another_is_told_whom(run, folder):
    text = queue("queueingStrategy: StrictFIFO") + job("big", 11) + job("small")
    for cycles in ("1", "stable", "settled"):
        said = waits(run, folder, text, "--cycles", cycles)
        assert said["job-small"] == ("PendingEvaluation", "waits behind job-big"), said


def test_a_full_work_queue_says_its_numbers(run, folder):
    text = queue().replace("spec: {clusterQueue: cq}", "spec: {workQueue: wq}") + (
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: WorkQueue\nmetadata: {name: wq}\n"
        "spec: {clusterQueue: cq, maxParallelJobs: 1}\n---\n") + job("j") + job("k")
    said = waits(run, folder, text)
    assert said["job-k"] == ("MaxParallelJobs", "1 of 1 jobs of work queue wq are running"), said


GANGS = """apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
metadata: {name: hostile}
spec:
  duration: 40m
  MORE
  arrivals:
  - at: 0s
    count: 6
    every: 10s
    runtime: {min: 1m, max: 4m}
    object:
      apiVersion: kueue.x-k8s.io/v1beta1
      kind: PodSet
      metadata: {name: t, namespace: default, labels: {kueue.x-k8s.io/queue-name: lq}}
      spec: {replicas: 3, template: {spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: cq}
spec:
  resources: [{name: cpu, maxAllowed: "40"}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: lq, namespace: default}
spec: {clusterQueue: cq}
---
apiVersion: karpenter.sh/v1alpha5
kind: NodeTemplate
metadata: {name: nt}
spec: {amiFamily: AL2023, instanceTypes: [m5.large, m5.xlarge]}
---
apiVersion: karpenter.sh/v1alpha5
kind: NodePool
metadata: {name: np}
spec: {template: {spec: {}}, maxSize: 20, templateRef: {name: nt}}
"""


def sim(run, folder, more="", want=0):
    file = folder / "sim.yaml"
    file.write_text(GANGS.replace("MORE", more))
    out = run("sim", file, "-o", "json", want=want)
    return json.loads(out) if out else None


def test_a_queue_deleted_under_reserved_gangs(run, folder):
    report = sim(run, folder, "changes: [{at: 50s, delete: {kind: ClusterQueue, name: cq}}]")
    assert report["invariantViolations"] == 0, report
    assert report["admitted"] < 6 and report["terminations"] == report["launches"], report


if __name__ == "__main__":
    sys.exit(harness.main(sys.modules[__name__], sys.argv))
