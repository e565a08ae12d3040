"""Objects that tests apply, in the API's own words."""
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
BATCH = "/apis/batch/v1"
LABEL = "kueue.x-k8s.io/queue-name"


def kueue(kind, name, spec, namespace=None, **meta):
    meta = {"name": name, **({"namespace": namespace} if namespace else {}), **meta}
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "metadata": meta, "spec": spec}


def flavor(name, labels=None, **spec):
    return kueue("ResourceFlavor", name, {**({"nodeLabels": labels} if labels else {}), **spec})


def cluster_queue(name, flavors, cohort=None, preemption=None, **spec):
    """flavors: [(name, {resource: quota})]"""
    rows = [{"name": one, "resources": [{"name": resource, "nominalQuota": quota}
                                        for resource, quota in quotas.items()]}
            for one, quotas in flavors]
    group = {"coveredResources": sorted(flavors[0][1]), "flavors": [
        {**row, "resources": sorted(row["resources"], key=lambda one: one["name"])} for row in rows]}
    return kueue("ClusterQueue", name, {
        "namespaceSelector": {}, "resourceGroups": [group],
        **({"cohortName": cohort} if cohort else {}),
        **({"preemption": preemption} if preemption else {}), **spec})


def local_queue(namespace, name, cluster_queue_name):
    return kueue("LocalQueue", name, {"clusterQueue": cluster_queue_name}, namespace)


def priority_class(name, value):
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "WorkloadPriorityClass",
            "metadata": {"name": name}, "value": value}


def job(namespace, name, queue, cpu="1", count=1, run="1s", priority=None, suspend=True, **spec):
    labels = {LABEL: queue, **({"kueue.x-k8s.io/priority-class": priority} if priority else {})}
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "namespace": namespace, "labels": labels},
            "spec": {"parallelism": count, "completions": count, "backoffLimit": 0,
                     **({"suspend": True} if suspend else {}), **spec,
                     "template": {"metadata": {"annotations": {"e2e/run": run}},
                                  "spec": {"restartPolicy": "Never", "containers": [
                                      {"name": "main", "image": "none",
                                       "resources": {"requests": {"cpu": cpu}}}]}}}}


def node_class(aws, instance_profile=None):
    """Everything of the account that is tagged as the cluster's; its role, unless there is a profile."""
    here = [{"tags": {"karpenter.sh/discovery": aws.name}}]
    return {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": "default"},
            "spec": {**({"instanceProfile": instance_profile} if instance_profile else {"role": aws.role}),
                     "amiSelectorTerms": [{"alias": "al2023@latest"}],
                     "subnetSelectorTerms": here, "securityGroupSelectorTerms": here}}


def node_pool(name="default", requirements=(), labels=None, taints=None, **spec):
    """Of on-demand capacity; more of the spec by name: disruption, limits, weight."""
    wants = [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}, *requirements]
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name},
            "spec": {"template": {
                **({"metadata": {"labels": labels}} if labels else {}),
                "spec": {
                    "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
                    "requirements": wants, **({"taints": taints} if taints else {})}}, **spec}}


def one_of(key, *values):
    return {"key": key, "operator": "In", "values": list(values)}


class Queues:
    """One flavor, one ClusterQueue and one LocalQueue with the test's names, and what lies in them."""

    def __init__(self, e2e, cpu="4", queue="user-queue", preemption=None, flavors=None, nodes=1):
        self.e2e, self.ns, self.queue = e2e, e2e.namespace, queue
        self.name = f"{e2e.namespace}-cq"
        flavors = flavors or [(f"{e2e.namespace}-default", {"cpu": cpu})]
        e2e.cluster.apply({"apiVersion": "v1", "kind": "List", "items": [
            *(one[2] if len(one) > 2 else flavor(one[0]) for one in flavors),
            cluster_queue(self.name, [one[:2] for one in flavors], preemption=preemption),
            local_queue(self.ns, queue, self.name)]})
        for number in range(nodes):
            e2e.cluster.node(f"{self.ns}-{number}")

    def job(self, name, **more):
        return self.e2e.admin.create(f"{BATCH}/namespaces/{self.ns}/jobs",
                                     job(self.ns, name, self.queue, **more))

    def get_job(self, name):
        return self.e2e.admin.get(f"{BATCH}/namespaces/{self.ns}/jobs/{name}")

    def workloads(self):
        return self.e2e.admin.items(f"{KUEUE}/namespaces/{self.ns}/workloads")

    def workload(self, owner):
        """The Workload of a Job, or None."""
        found = [one for one in self.workloads()
                 if any(ref["name"] == owner for ref in one["metadata"].get("ownerReferences", []))]
        assert len(found) < 2, f"{len(found)} Workloads of {owner}"
        return found[0] if found else None

    def events(self, about=None):
        """Reasons of the Events on an object of the namespace, in order; one that counts more, more often."""
        rows = self.e2e.admin.items(f"/api/v1/namespaces/{self.ns}/events")
        rows.sort(key=lambda one: (one.get("eventTime") or one.get("lastTimestamp") or "",
                                   one["metadata"]["name"]))
        return [one["reason"] for one in rows if about in (None, one["involvedObject"]["name"])
                for _ in range(one.get("count") or 1)]
