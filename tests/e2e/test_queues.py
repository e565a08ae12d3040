"""Jobs of upstream's kind through queues of upstream's kind: admitted, run, preempted, moved, finished."""
import time

from kube import condition, holds, until
from objects import BATCH, KUEUE, Queues, flavor, job, priority_class

SAMPLE = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {{name: {ns}-default-flavor}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: {ns}-cluster-queue}}
spec:
  namespaceSelector: {{}}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: {ns}-default-flavor
      resources:
      - {{name: cpu, nominalQuota: 9}}
      - {{name: memory, nominalQuota: 36Gi}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{namespace: {ns}, name: user-queue}}
spec: {{clusterQueue: {ns}-cluster-queue}}
"""
SAMPLE_JOB = """
apiVersion: batch/v1
kind: Job
metadata:
  generateName: sample-job-
  namespace: {ns}
  labels: {{kueue.x-k8s.io/queue-name: user-queue}}
spec:
  parallelism: 3
  completions: 3
  suspend: true
  template:
    spec:
      containers:
      - name: dummy-job
        image: registry.invalid/agnhost:2.53
        args: [entrypoint-tester, hello, world]
        resources: {{requests: {{cpu: 1, memory: 200Mi}}}}
      restartPolicy: Never
"""


def done(queues, name):
    return lambda: holds(queues.get_job(name), "Complete")


def test_samples_run(e2e):
    """The getting-started setup: three pods of one CPU run on a kwok node and the Workload is finished."""
    e2e.cluster.node(f"{e2e.namespace}-node")
    e2e.kubectl("apply", "-f", "-", stdin=SAMPLE.format(ns=e2e.namespace))
    daemon = e2e.daemon()
    name = e2e.kubectl("create", "-o", "name", "-f", "-", stdin=SAMPLE_JOB.format(ns=e2e.namespace))
    name = name.strip().partition("/")[2]
    path = f"{BATCH}/namespaces/{e2e.namespace}/jobs/{name}"
    until("the sample job is complete", lambda: holds(e2e.admin.get(path), "Complete"), 40)
    workloads = f"{KUEUE}/namespaces/{e2e.namespace}/workloads"

    def finished():
        rows = e2e.admin.items(workloads)
        assert len(rows) == 1, [one["metadata"]["name"] for one in rows]
        return holds(rows[0], "Finished") and rows[0]
    workload = until("its workload is finished", finished)
    assert condition(workload, "Finished")["reason"] == "Succeeded", workload["status"]
    table = e2e.kubectl("-n", e2e.namespace, "get", "workloads").split("\n")
    assert [word.strip() for word in table[0].split("   ") if word.strip()] == [
        "NAME", "QUEUE", "RESERVED IN", "ADMITTED", "FINISHED", "AGE"], table
    cells = table[1].split()
    assert cells[1:3] == ["user-queue", f"{e2e.namespace}-cluster-queue"], table
    assert "True" in cells[3:], table
    daemon.stop()
    daemon.replay()


def test_waits_then_runs(e2e):
    """Two Jobs of three CPUs in a queue of four: one after the other; columns, reasons and Events."""
    queues = Queues(e2e, cpu="4")
    daemon = e2e.daemon()
    queues.job("first", cpu="3", run="6s")
    until("the first runs", lambda: queues.get_job("first")["status"].get("active") == 1)
    queues.job("second", cpu="3", run="1s")
    waits = until("the second waits", lambda: queues.workload("second") and condition(
        queues.workload("second"), "QuotaReserved").get("status") == "False" and
        queues.workload("second"))
    assert "insufficient unused quota for cpu" in condition(waits, "QuotaReserved")["message"], waits
    assert queues.get_job("second")["spec"]["suspend"] is True
    local = until("the LocalQueue counts them", lambda: [
        line for line in e2e.kubectl("-n", queues.ns, "get", "localqueues").split("\n")
        if line.split()[-2:] == ["1", "1"]])
    assert local[0].split()[:2] == ["user-queue", queues.name], local
    until("both are done", lambda: done(queues, "first")() and done(queues, "second")(), 40)
    for name in ("first", "second"):
        assert queues.get_job(name)["status"]["succeeded"] == 1
        about_job = until("Events of the job", lambda name=name: "FinishedWorkload" in
                          queues.events(name) and queues.events(name))
        for reason in ("CreatedWorkload", "Started", "FinishedWorkload"):
            assert about_job.count(reason) == 1, (reason, about_job)
        about_workload = queues.events(queues.workload(name)["metadata"]["name"])
        for reason in ("QuotaReserved", "Admitted"):
            assert about_workload.count(reason) == 1, (reason, about_workload)
    daemon.stop()
    daemon.replay()


def test_born_suspended(e2e):
    """A Job with a queue label and no suspend is suspended by our admission policy, with no daemon at all."""
    queues = Queues(e2e, cpu="1")
    assert queues.job("large", cpu="2", suspend=False)["spec"]["suspend"] is True
    plain = job(queues.ns, "plain", queues.queue, suspend=False)
    del plain["metadata"]["labels"]
    made = e2e.admin.create(f"{BATCH}/namespaces/{queues.ns}/jobs", plain)
    assert not made["spec"].get("suspend"), made["spec"]
    e2e.daemon()
    until("its workload", lambda: queues.workload("large"))
    until("the other one is done", done(queues, "plain"))
    assert queues.get_job("large")["spec"]["suspend"] is True
    assert queues.workload("plain") is None


def test_preempted_and_back(e2e):
    """A higher priority takes the quota; the victim is suspended, waits, and runs to its end."""
    low, high = f"{e2e.namespace}-low", f"{e2e.namespace}-high"
    e2e.cluster.apply(priority_class(low, 10), priority_class(high, 1000))
    queues = Queues(e2e, cpu="4", preemption={"withinClusterQueue": "LowerPriority"})
    daemon = e2e.daemon()
    queues.job("victim", cpu="3", run="5s", priority=low)
    until("the victim runs", lambda: queues.get_job("victim")["status"].get("active") == 1)
    queues.job("urgent", cpu="3", run="2s", priority=high)
    until("the victim is suspended", lambda: queues.get_job("victim")["spec"]["suspend"])
    evicted = until("the victim is evicted", lambda: holds(queues.workload("victim"), "Evicted") and
                    queues.workload("victim"))
    assert condition(evicted, "Evicted")["reason"] == "Preempted", evicted["status"]
    assert condition(evicted, "Preempted")["reason"] == "InClusterQueue", evicted["status"]
    until("the urgent one is done", done(queues, "urgent"), 30)
    back = until("its eviction is taken back", lambda: holds(queues.workload("victim"), "Admitted") and
                 not holds(queues.workload("victim"), "Evicted") and
                 queues.workload("victim"), 30)
    for kind in ("Evicted", "Preempted"):
        said = condition(back, kind)
        assert (said["status"], said["reason"]) == ("False", "QuotaReserved"), back["status"]
        assert said["message"].startswith("Previously: Preempted to accommodate"), back["status"]
    until("the victim is done", done(queues, "victim"), 40)
    reasons = queues.events(queues.workload("victim")["metadata"]["name"])
    assert reasons.count("Preempted") == 1 and reasons.count("EvictedDueToPreempted") == 1, reasons
    assert reasons.count("Admitted") == 2, reasons
    daemon.stop()
    daemon.replay()


def test_readmitted_to_another_flavor(e2e):
    """A Job that has started gets the node selector of the flavor that it is readmitted to."""
    ns = e2e.namespace
    low, high = f"{ns}-low", f"{ns}-high"
    e2e.cluster.apply(priority_class(low, 10), priority_class(high, 1000))
    flavors = [(f"{ns}-{name}", {"cpu": "2"}, flavor(f"{ns}-{name}", {"e2e/side": name}))
               for name in ("left", "right")]
    queues = Queues(e2e, preemption={"withinClusterQueue": "LowerPriority"}, flavors=flavors, nodes=0)
    for name in ("left", "right"):
        e2e.cluster.node(f"{ns}-{name}", labels={"e2e/side": name})
    daemon = e2e.daemon()

    def side(name):
        spec = queues.get_job(name)["spec"]
        return not spec.get("suspend") and spec["template"]["spec"].get("nodeSelector", {}).get("e2e/side")
    queues.job("moved", cpu="2", run="8s", priority=low)
    until("it runs left", lambda: side("moved") == "left" and
          queues.get_job("moved")["status"].get("startTime"))
    # Only the left flavor's nodes are wanted by this one, so it takes that quota back.
    e2e.admin.create(f"{BATCH}/namespaces/{ns}/jobs", selecting(queues, "urgent", high, "left"))
    until("the urgent one runs left", lambda: queues.get_job("urgent")["status"].get("active") == 1)
    until("the moved one runs right", lambda: side("moved") == "right", 30)
    until("both are done", lambda: done(queues, "moved")() and done(queues, "urgent")(), 60)
    daemon.stop()
    daemon.replay()


def selecting(queues, name, priority, side):
    obj = job(queues.ns, name, queues.queue, cpu="2", run="10s", priority=priority)
    obj["spec"]["template"]["spec"]["nodeSelector"] = {"e2e/side": side}
    return obj


def test_stable_cluster_writes_only_the_lease(e2e):
    """Queues, a finished Job and one that waits: nothing is written but the Lease."""
    queues = Queues(e2e, cpu="2")
    daemon = e2e.daemon()
    queues.job("done")
    queues.job("waits", cpu="3")
    until("one is done", done(queues, "done"), 30)
    until("the other waits", lambda: condition(queues.workload("waits"), "QuotaReserved"))
    time.sleep(6)
    mark = e2e.cluster.mark()
    time.sleep(15)
    writes = [one for one in e2e.our_writes(mark) if one["objectRef"]["resource"] != "leases"]
    assert not writes, [one["requestURI"] for one in writes]
    assert daemon.alive()
