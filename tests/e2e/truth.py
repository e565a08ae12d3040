"""What must hold after anything: the log's state is what the API server has, and nothing was done twice."""
import collections
import json

from cluster import what
from kube import condition
from objects import BATCH, KUEUE


def ours(daemon, kind):
    """{(namespace, name): item} of a kind in the state at the log's head."""
    items = json.loads(daemon.cli("get", kind, "-o", "json"))["items"]
    return {(one["object"].get("ns"), one["object"]["name"]): one for one in items}


def theirs(admin, path):
    return {(one["metadata"].get("namespace"), one["metadata"]["name"]): one for one in admin.items(path)}


def same_keys(kind, have, want):
    assert set(have) == set(want), (
        f"{kind}: only in the log {sorted(set(have) - set(want), key=str)[:5]}, "
        f"only in the cluster {sorted(set(want) - set(have), key=str)[:5]}")
    for key, item in have.items():
        assert item["object"]["uid"] == want[key]["metadata"]["uid"], (kind, key)


def flavors_of(assignments, field):
    return sorted((one["name"], one.get("count"), sorted((one.get("flavors") or {}).items()))
                  for one in assignments or [])


def agree(e2e, daemon):
    """The state of a daemon that is down, with the API server's truth: Workloads, Jobs, pods, nodes."""
    have, want = ours(daemon, "workloads"), theirs(e2e.admin, f"{KUEUE}/workloads")
    same_keys("workloads", have, want)
    for key, item in have.items():
        admission = want[key].get("status", {}).get("admission") or {}
        assert (item.get("clusterQueue") if item.get("assignments") else None) == \
            admission.get("clusterQueue"), (key, item, admission)
        mine = sorted((one["name"], one["count"], sorted(one["flavors"].items()))
                      for one in item.get("assignments") or [])
        given = sorted((one["name"], one["count"], sorted(one["flavors"].items()))
                       for one in admission.get("podSetAssignments") or [])
        assert mine == given, (key, mine, given)
        assert ("finishedAt" in item) == (
            condition(want[key], "Finished").get("status") == "True"), (key, item)
    have, want = ours(daemon, "jobs"), theirs(e2e.admin, f"{BATCH}/jobs")
    same_keys("jobs", have, want)
    have, want = ours(daemon, "pods"), theirs(e2e.admin, "/api/v1/pods")
    same_keys("pods", have, want)
    for key, item in have.items():
        assert (item.get("node") or None) == want[key]["spec"].get("nodeName"), (key, item)
    same_keys("nodes", ours(daemon, "nodes"), {
        (None, name): one for (_, name), one in theirs(e2e.admin, "/api/v1/nodes").items()})


def nothing_twice(e2e):
    """No object was created twice by us: a second attempt is refused by its name."""
    made = collections.Counter(
        (one["objectRef"]["resource"], one["objectRef"].get("namespace"), one["objectRef"].get("name"))
        for one in e2e.our_writes()
        if one["verb"] == "create" and one.get("responseStatus", {}).get("code") == 201 and
        one["objectRef"].get("name") and not one["objectRef"].get("subresource"))
    twice = {key: count for key, count in made.items() if count > 1}
    assert not twice, twice


def same_write_again(e2e, limit=1):
    """Writes that succeeded although the same one to the same object had: what a repetition would be."""
    done = collections.Counter(what(one) for one in e2e.our_writes()
                               if one.get("responseStatus", {}).get("code", 0) // 100 == 2)
    return {key: count for key, count in done.items() if count > limit}
