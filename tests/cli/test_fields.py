"""Kueue's API: every field is read or named, and what is not there yet is said of the workload that meets it."""
import json
import pathlib
import sys

import harness
from test_hostile import QUEUE, job

# All that is said of fields.yaml; what is missing here is read.
NAMED = """ClusterQueue: spec.concurrentAdmissionPolicy is not decided on
Workload: spec.preemptionGates[].name is not decided on
AdmissionCheck: spec.parameters is not decided on
ProvisioningRequestConfig (kueue.x-k8s.io/{version}) is ignored: nothing decides on it
Configuration: multiKueue is not decided on
Configuration: featureGates is not decided on""".splitlines()

# Fields that v1beta1 spells in its own way, and those that it has not.
OLD = (("v1beta2", "v1beta1"), ("cohortName: c", "cohort: c"),
       ("accumulatedPastExecutionTimeSeconds", "accumulatedPastExexcutionTimeSeconds"),
       ("flavorsUsage: []", "flavorsUsage: [], pendingWorkloadsStatus: {}"),
       ("  concurrentAdmissionPolicy: {migration: {mode: TryPreferredFlavors, constraints: "
        "{lastAcceptableFlavorName: f}}}\n", ""),
       ("priorityClassRef: {group: kueue.x-k8s.io, kind: WorkloadPriorityClass, name: p}",
        "priorityClassName: p\n  priorityClassSource: kueue.x-k8s.io/workloadpriorityclass"))


def warnings(run, folder, text):
    file = folder / "in.yaml"
    file.write_text(text)
    run("decide", "-f", file, "--only", "queues")
    return [line.removeprefix("warning: ") for line in run.err.splitlines()]


def test_every_field_of_v1beta2_is_read_or_named(run, folder):
    text = (pathlib.Path(__file__).parent / "fields.yaml").read_text()
    assert warnings(run, folder, text) == [w.format(version="v1beta2") for w in NAMED], run.err


def test_every_field_of_v1beta1_is_read_or_named(run, folder):
    text = (pathlib.Path(__file__).parent / "fields.yaml").read_text()
    for new, old in OLD:
        assert new in text, new
        text = text.replace(new, old)
    text = text.replace("config.kueue.x-k8s.io/v1beta1", "config.kueue.x-k8s.io/v1beta2")
    want = [w.format(version="v1beta1") for w in NAMED if "concurrent" not in w]
    assert warnings(run, folder, text) == want, run.err


def why(run, folder, text, name="job/j"):
    file = folder / "in.yaml"
    file.write_text(text)
    doc = json.loads(run("why", name, "-f", file, "-o", "json"))
    return doc, {row["feature"].split(" (")[0]: row for row in doc.get("notThereYet", [])}


CHECK = """apiVersion: kueue.x-k8s.io/v1beta1
kind: AdmissionCheck
metadata: {name: NAME}
spec: {controllerName: CONTROLLER}
---
"""
MULTI = CHECK.replace("NAME", "mk").replace("CONTROLLER", "kueue.x-k8s.io/multikueue")


def with_checks(*names):
    return QUEUE.replace("COHORT", "admissionChecks: [" + ", ".join(names) + "]")


def test_multikueue_waits_with_its_reason(run, folder):
    doc, rows = why(run, folder, MULTI + with_checks("mk") + job("j"))
    assert doc["state"] == "QuotaReserved" and "MultiKueue is not there yet" in doc["message"], doc
    assert rows["MultiKueue"]["askedForBy"] == "mk", rows


def test_multikueue_as_upstream_refuses_it(run, folder):
    other = MULTI.replace("mk", "mk2")
    prov = CHECK.replace("NAME", "pr").replace("CONTROLLER", "kueue.x-k8s.io/provisioning-request")
    for text, part in ((MULTI + other + with_checks("mk", "mk2"), "multiple MultiKueue"),
                       (MULTI + prov + with_checks("mk", "pr"), "together with ProvisioningRequest"),
                       (MULTI + QUEUE.replace("COHORT", "admissionChecksStrategy: {admissionChecks: "
                                              "[{name: mk, onFlavors: [default]}]}"),
                        "per flavor")):
        doc, _ = why(run, folder, text + job("j"))
        assert doc["reason"] == "Misconfigured" and part in doc["message"], doc


def test_claims_for_devices(run, folder):
    text = QUEUE.replace("COHORT", "") + job("j", more="resourceClaims: [{name: x, resourceClaimName: y}]")
    doc, rows = why(run, folder, text)
    assert doc["reason"] == "Admitted", doc
    assert "not counted" in rows["dynamic resource allocation"]["instead"], rows
    text += """---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
resources: {deviceClassMappings: [{name: gpus, deviceClassNames: [gpu.example.com]}]}
"""
    doc, rows = why(run, folder, text)
    assert doc["reason"] == "Misconfigured" and "resourceClaims" in doc["message"], doc
    assert "waits" in rows["dynamic resource allocation"]["instead"], rows


def test_elastic_jobs_and_concurrent_admission(run, folder):
    elastic = job("j").replace("name: j,", 'name: j, annotations: {kueue.x-k8s.io/elastic-job: "true"},')
    policy = "concurrentAdmissionPolicy: {migration: {mode: RetainFirstAdmission}}"
    doc, rows = why(run, folder, QUEUE.replace("COHORT", policy) + elastic)
    assert doc["reason"] == "Admitted" and len(rows) == 2, doc
    assert rows["concurrent admission"]["askedForBy"] == "cq", rows
    assert "admitted with" in rows["elastic jobs"]["instead"], rows
    doc, rows = why(run, folder, QUEUE.replace("COHORT", "") + job("j"))
    assert not rows, rows


def test_a_job_that_is_being_deleted_is_not_let_in(run, folder):
    gone = job("j").replace("name: j,", 'name: j, deletionTimestamp: "2026-01-01T00:00:00Z",')
    for compat in ("strict", "better"):
        file = folder / "in.yaml"
        file.write_text(QUEUE.replace("COHORT", "") + gone)
        doc = json.loads(run("decide", "-f", file, "--compat", compat, "-o", "json"))
        assert not doc["admitted"] and "being deleted" in doc["pending"][0]["message"], doc


def test_a_job_without_pods_is_let_in_and_stays(run, folder):
    doc, _ = why(run, folder, QUEUE.replace("COHORT", "") +
                 job("j").replace("spec:\n", "spec:\n  parallelism: 0\n", 1))
    assert doc["reason"] == "Admitted" and doc["state"] != "Finished", doc


if __name__ == "__main__":
    sys.exit(harness.main(sys.modules[__name__], sys.argv))
