"""What a hostile or careless user does: an answer with its reason, or an error that names the place."""
import json
import subprocess
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


def test_why_no_domain_holds_the_pods(run, folder):
    topology = ("apiVersion: kueue.x-k8s.io/v1beta1\nkind: Topology\nmetadata: {name: t}\n"
                "spec: {levels: [{nodeLabel: r}, {nodeLabel: kubernetes.io/hostname}]}\n---\n")
    flavor = "metadata: {name: default}\nspec: {topologyName: t, nodeLabels: {p: m}}\n"
    node = ("apiVersion: v1\nkind: Node\nmetadata: {name: n, labels: "
            "{p: m, r: a, kubernetes.io/hostname: n}}\n"
            "status: {allocatable: {cpu: 8, pods: 10}, "
            "conditions: [{type: Ready, status: 'True'}]}\n---\n")
    wish = ("apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n"
            "metadata: {name: w, namespace: default}\nspec: {queueName: lq, podSets: [{name: main, "
            "count: 6, topologyRequest: {required: r, podSetSliceRequiredTopology: "
            "kubernetes.io/hostname, podSetSliceSize: SIZE}, template: {spec: {containers: "
            "[{name: c, resources: {requests: {cpu: 1}}}]}}}]}\n---\n")
    text = topology + queue().replace("metadata: {name: default}\n", flavor, 1)
    for size, nodes, message, unblock in (
            (1, "", "topology of flavor default allows to fit only 0 out of 6 pods within one "
             "domain of r", "room for 6 more pods within one domain of r in flavor default"),
            (4, node, "slices of pods cannot be laid out in the topology of flavor default: "
             "kubernetes.io/hostname, 6 pods are no multiple of 4",
             "slices that the topology can hold")):
        log = folder / f"log-{size}"
        said = waits(run, folder, text + nodes + wish.replace("SIZE", str(size)), "-L", log)
        assert said["w"] == ("TopologyPlacementFailed", message), said
        assert unblock in run("why", "workload/w", "-n", "default", "-L", log), unblock
        run("replay", "-L", log)


def test_what_is_wrong_with_a_queue_is_said_in_full(run, folder):
    said = waits(run, folder, queue(flavor="other") + job("j"))
    assert said["job-j"][0] == "Misconfigured", said
    assert said["job-j"][1].endswith("flavor default not found"), said
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


def test_a_priority_class_that_is_not_there_is_named_once(run, folder):
    more = "priorityClassName: urgent"
    decide(run, folder, queue() + job("a", more=more) + job("b", more=more))
    assert run.err.count("PriorityClass urgent is not in the input") == 1, run.err
    decide(run, folder, queue() + job("a"))
    assert "PriorityClass" not in run.err, run.err


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



def test_what_stands_twice_is_refused(run, folder):
    text = queue()
    flavor = '{name: default, resources: [{name: cpu, nominalQuota: "10"}]}'
    decide(run, folder, text.replace(flavor, f"{flavor}\n    - {flavor}"), want=2)
    assert "in.yaml:" in run.err and "flavor default stands twice" in run.err, run.err
    one = '{name: cpu, nominalQuota: "10"}'
    decide(run, folder, text.replace("[cpu]", "[cpu, cpu]").replace(f"[{one}]", f"[{one}, {one}]"),
           want=2)
    assert "in.yaml:" in run.err and "cpu stands twice" in run.err, run.err
    decide(run, folder, "kind: Pod\nmetadata: {name: a}\n", want=2)
    assert "in.yaml:1: Pod a: an object needs an apiVersion" in run.err, run.err


def deployment(replicas):
    return ("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\n"
            f"spec:\n  replicas: {replicas}\n  template:\n    spec:\n      containers: [{{name: c, "
            'resources: {requests: {cpu: "1"}}}]\n---\n')


NODES = """apiVersion: karpenter.sh/v1alpha5
kind: NodeTemplate
metadata: {name: nt}
spec: {amiFamily: AL2023, instanceTypes: [m5.large]}
---
apiVersion: karpenter.sh/v1alpha5
kind: NodePool
metadata: {name: POOL}
spec: {template: {spec: {}}, minSize: COUNT, templateRef: {name: nt}}
---
"""


def nodes(pool, count):
    return NODES.replace("POOL", pool).replace("COUNT", str(count))


def test_counts_that_no_cluster_has_are_refused(run, folder):
    many = 2147483647
    for text, part in [
            (deployment(many), "Deployment default/web: spec.replicas: at most 100000 pods"),
            (job("j").replace("spec:\n", f"spec:\n  parallelism: {many}\n", 1),
             "Job default/j: spec.parallelism: at most 100000 pods"),
            (job("j").replace("spec:\n", f"spec:\n  completionMode: Indexed\n  parallelism: 1\n"
                              f"  completions: {many}\n", 1),
             "Job default/j: spec.completions: at most 100000 pods"),
            (nodes("np", many), "NodePool np: spec.minSize: at most 20000 nodes")]:
        decide(run, folder, text, want=2)
        assert part in run.err, run.err


def test_a_gang_of_no_pods_is_let_in(run, folder):
    text = ("apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: r}\n"
            "spec: {resources: [{name: cpu, minAllowed: 8, maxAllowed: 32}]}\n---\n"
            "apiVersion: kueue.x-k8s.io/v1beta1\nkind: WorkQueue\nmetadata: {name: w}\n"
            "spec: {clusterQueue: r}\n---\n"
            "apiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\n"
            "metadata: {name: queue, namespace: r}\nspec: {workQueue: w}\n---\n"
            "apiVersion: kueue.x-k8s.io/v1beta1\nkind: PodSet\n"
            "metadata: {name: gang, namespace: r}\nspec: {replicas: 0, template: {spec: "
            "{containers: [{name: c, resources: {requests: {cpu: 3}}}]}}}\n")
    for cycles in ("1", "stable", "settled"):
        doc = decide(run, folder, text, "--cycles", cycles, "--timeout", "20s")
        assert [row["workload"] for row in doc["admitted"]] == ["r/podset-gang"], doc


def test_no_two_of_many_have_one_name(run, folder):
    doc = decide(run, folder, deployment(15000))
    assert len({row["pod"] for row in doc["unschedulable"]}) == 15000
    doc = decide(run, folder, nodes("np", 15000))
    names = {row["name"] for row in doc["nodeClaims"]}
    assert len(doc["nodeClaims"]) == 15000 and len(names) == 15000, len(names)
    doc = decide(run, folder, nodes("p" * 200, 2))
    assert all(len(row["name"]) == 63 for row in doc["nodeClaims"]), doc["nodeClaims"]


def test_pods_bound_to_a_node_count_in_any_order(run, folder):
    node = ("apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: '2', "
            "pods: '9'}, conditions: [{type: Ready, status: 'True'}]}\n---\n")

    def pod(name, cpu, more=""):
        return (f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: default}}\nspec:\n"
                f"  {more}\n  containers: [{{name: c, resources: {{requests: {{cpu: '{cpu}'}}}}}}]\n"
                "---\n")
    held = pod("r", 3, "nodeName: n")
    for text in (node + held + pod("q", 1), held + pod("q", 1) + node, pod("q", 1) + node + held,
                 node + pod("r", 9223372036854775807, "nodeName: n") +
                 pod("s", 9223372036854775807, "nodeName: n") + pod("q", 1)):
        doc = decide(run, folder, text)
        assert not doc["placements"], (text, doc["placements"])
        assert doc["unschedulable"][0]["pod"] == "default/q", doc


def test_a_scenario_says_what_it_cannot_mean(run, folder):
    for more, part in [
            ("changes: [{at: 1m, scale: {kind: ClusterQueue, name: cq, replicas: 2}}]",
             "spec.changes[0].scale.kind: cannot be scaled"),
            ("changes: [{at: 1m, scale: {kind: Deployment, name: a, replicas: 100000000}}]",
             "spec.changes[0].scale.replicas: at most 100000 pods")]:
        sim(run, folder, more, want=2)
        assert "sim.yaml:" in run.err and part in run.err, run.err
    file = folder / "many.yaml"
    file.write_text(GANGS.replace("MORE", "").replace("count: 6", "count: 1000000000"))
    run("sim", file, want=2)
    assert "spec.arrivals[0].count: more than 200000" in run.err, run.err
    file.write_text(GANGS.replace("MORE", "cluster: {nodes: [{count: 0, instanceType: m5.large}]}"))
    run("sim", file, "--until", "1s")
    sim(run, folder, "changes: [{at: 1m, scale: {kind: Deployment, namespace: a, name: b}}, "
        "{at: 1m, delete: {kind: Pod, namespace: a, name: c}}]")
    assert "nothing to scale after 60 s: there is no Deployment a/b" in run.err, run.err
    assert "nothing to delete after 60 s: there is no Pod a/c" in run.err, run.err


def test_what_cannot_be_read_or_made_is_4(run, folder):
    (folder / "d" / "sub.yaml").mkdir(parents=True)
    (folder / "loop.yaml").symlink_to("loop.yaml")
    for words in (["decide", "-f", folder / "d"], ["decide", "-f", folder / "loop.yaml"],
                  ["decide", "-f", "queues.yaml", "-L", folder / "a" / "b"],
                  ["log", "export", "-L", run.log("queues"), "-o", folder / "a" / "b.plog"]):
        run(*words, want=4)
        assert run.err.startswith("error: "), run.err
    run("log", "export", "-L", run.log("queues"), "-o", folder / "a.plog")
    run("log", "import", folder / "a.plog", "--into", folder / "x" / "y", want=4)
    assert "make the folder" in run.err, run.err
    run("decide", "-f", "/dev/zero", want=2)
    assert "longer than" in run.err, run.err


def test_a_closed_standard_input_is_not_another_file(run, folder):
    done = subprocess.run(["sh", "-c", 'exec "$0" decide -f - <&-', run.binary], env=run.env(),
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 4 and "standard input" in done.stderr, (done.returncode, done.stderr)


def test_times_beyond_the_log_s_range(run, folder):
    for now in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        doc = decide(run, folder, queue() + job("j"), "--now", now)
        assert [row["workload"] for row in doc["admitted"]] == ["default/job-j"], doc


if __name__ == "__main__":
    sys.exit(harness.main(sys.modules[__name__], sys.argv))
