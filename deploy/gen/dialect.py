"""The kinds that only the simple dialect has. What it writes in ClusterQueue, LocalQueue and NodePool is in theirs."""
from . import aws, nodes, queues
from .pieces import AGE, boolean, condition_at, conditions, crd, mapping, name, obj, pod_template, text, time, unique, whole

STATUS = {"status": {}}


def work_queue():
    spec = obj({
        "clusterQueue": name("The ClusterQueue that it feeds.", minLength=1),
        "maxParallelJobs": whole("How many workloads that came through it may run at once.", minimum=1),
    }, ["clusterQueue"])
    status = obj({"conditions": conditions(16), **queues.counts()})
    return crd(queues.GROUP, "WorkQueue", "workqueues", {"spec": spec, "status": status}, {"v1beta1": None},
               storage="v1beta1", required=["spec"], short=["wq"], subresources=STATUS,
               doc="A way into a ClusterQueue that counts.",
               columns=[("ClusterQueue", "string", ".spec.clusterQueue"), ("Max Parallel", "integer", ".spec.maxParallelJobs"),
                        ("Running", "integer", ".status.admittedWorkloads"), AGE])


def pod_set():
    spec = obj({
        "replicas": whole("How many pods, all or none.", minimum=1, default=1),
        "template": pod_template("The pods."),
        "queueName": name("The LocalQueue; label kueue.x-k8s.io/queue-name wins."),
        "workQueue": name("Else the one LocalQueue of the namespace that is bound to this WorkQueue."),
        "priorityClassName": name(),
        "backoffLimit": whole("How many failed pods are replaced.", minimum=0, default=6),
    }, ["template"])
    status = obj({
        "phase": text("Pending, Reserved, Running, Succeeded, Failed or Preempted."),
        "conditions": conditions(16),
        "active": whole(), "ready": whole(), "succeeded": whole(), "failed": whole(),
        "startTime": time(), "completionTime": time(),
        "replicas": whole(), "selector": text(),
    })
    return crd(queues.GROUP, "PodSet", "podsets", {"spec": spec, "status": status}, {"v1beta1": None}, storage="v1beta1",
               namespaced=True, required=["spec"], subresources=STATUS, doc="Pods that run together, once there is room for all.",
               columns=[("Status", "string", ".status.phase"), AGE])


def node_template():
    spec = obj({
        "amiFamily": text("Ubuntu22.04, Ubuntu24.04, AL2023, Bottlerocket, …"),
        "instanceTypes": unique(text(), "Those that may be launched; absent: all that fit."),
        "tags": mapping(text()),
        "sshPublicKey": text("Goes into the user data."),
        "metadata": obj({"disableCloudInit": boolean("True: no user data is made.")}),
        "subnetSelectorTerms": aws.subnet_terms(),
        "securityGroupSelectorTerms": aws.group_terms(),
        "role": text(), "instanceProfile": text(), "userData": text(),
        "blockDeviceMappings": aws.devices(),
        "amiSelectorTerms": aws.ami_terms(),
        "metadataOptions": aws.metadata_options(),
        "detailedMonitoring": boolean(), "instanceStorePolicy": text(), "associatePublicIPAddress": boolean(),
        "context": text(),
    }, ["amiFamily"])
    del spec["properties"]["metadataOptions"]["default"]
    return crd(nodes.GROUP, "NodeTemplate", "nodetemplates", {"spec": spec, "status": aws.status()}, {"v1alpha5": None},
               storage="v1alpha5", required=["spec"], categories=["karpenter"], subresources=STATUS,
               doc="How an instance of a pool is set up.",
               columns=[("AMI Family", "string", ".spec.amiFamily"), ("Ready", "string", condition_at("Ready")), AGE])


KINDS = [work_queue, pod_set, node_template]
