"""EC2NodeClass of karpenter.k8s.aws."""
from .pieces import (AGE, anything, atomic, boolean, condition_at, conditions, crd, enum, mapping, obj, plain, rule, text, time,
                     whole)

# Family in an alias -> amiFamily.
FAMILIES = {"al2": "AL2", "al2023": "AL2023", "bottlerocket": "Bottlerocket", "windows2019": "Windows2019",
            "windows2022": "Windows2022", "windows2025": "Windows2025"}
# In gigabytes, by unit.
GIB, GB, TIB, TB = ("[1-9][0-9]{0,3}|[1-4][0-9]{4}|5[0-8][0-9]{3}|59000",
                    "[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-3][0-9]{3}|64000",
                    "[1-9]|[1-4][0-9]|5[0-8]", "[1-9]|[1-5][0-9]|6[0-4]")
VOLUME_SIZE = f"^(({GIB})Gi|({GB})G|({TIB})Ti|({TB})T)$"


def filled(title):
    return text(**{"x-kubernetes-validations": [rule("self != ''", f"{title} may not be empty")]})


# ---- selectors --------------------------------------------------------------------------------------

def tags():
    return mapping(text(), "All of them; '*': the key is there.", maxProperties=20,
                   rules=[rule("self.all(k, k != '' && self[k] != '')", "neither a key nor a value may be empty")])


def one(fields):
    """CEL: at least one of these fields is in each term."""
    return rule(f"self.all(t, {' || '.join(f'has(t.{field})' for field in fields)})", f"a term needs one of {', '.join(fields)}")


def alone(field, others):
    """
    Terms that are all of this kind. Upstream looks for a term that is not mixed, not for one that is; a stricter rule would
    refuse what it takes.
    """
    return rule(f"!self.all(t, has(t.{field}) && ({' || '.join(f'has(t.{other})' for other in others)}))",
                f"{field} stands alone in a term")


def ami_terms():
    families = sorted(FAMILIES)
    windows = [family for family in families if family.startswith("windows")]
    alias = text("family@version", maxLength=30, **{"x-kubernetes-validations": [
        rule("self.matches('^[a-zA-Z0-9]+@.+$')", "an alias is family@version"),
        rule(f"self.split('@')[0] in {families}", f"known families: {', '.join(families)}"),
        rule(f"!(self.split('@')[0] in {windows}) || self.split('@')[1] == 'latest'", "Windows has only version latest"),
    ]})
    term = obj({"alias": alias, "id": text(pattern="ami-[0-9a-z]+"), "name": text(), "owner": text(), "tags": tags(),
                "ssmParameter": text()})
    others = "has(t.tags) || has(t.name) || has(t.owner)"
    return plain(term, minItems=1, maxItems=30, rules=[
        one(["tags", "id", "name", "alias", "ssmParameter"]),
        rule(f"self.all(t, !has(t.id) || !(has(t.alias) || {others}))", "id stands alone in a term"),
        rule(f"self.all(t, !has(t.alias) || !(has(t.id) || {others}))", "alias stands alone in a term"),
        rule("self.all(t, !has(t.alias)) || size(self) == 1", "an alias is the only term"),
    ])


def subnet_terms(**keys):
    return plain(obj({"tags": tags(), "id": text(pattern="subnet-[0-9a-z]+")}), maxItems=30, rules=[
        rule("size(self) != 0", "may not be empty"), one(["tags", "id"]), alone("id", ["tags"])], **keys)


def group_terms(**keys):
    return plain(obj({"tags": tags(), "id": text(pattern="sg-[0-9a-z]+"), "name": text()}), maxItems=30, rules=[
        rule("size(self) != 0", "may not be empty"), one(["tags", "id", "name"]),
        alone("id", ["tags", "name"]), alone("name", ["tags", "id"])], **keys)


def reservation_terms():
    term = obj({"tags": tags(), "id": text(pattern="^cr-[0-9a-z]+$"), "ownerID": text(pattern="^[0-9]{12}$"),
                "instanceMatchCriteria": enum("open", "targeted")})
    return plain(term, maxItems=30, rules=[one(["tags", "id", "instanceMatchCriteria"]),
                                           rule("size(self) == 0 || !self.all(t, has(t.id) && (has(t.tags) || "
                                                "has(t.ownerID) || has(t.instanceMatchCriteria)))",
                                                "id stands alone in a term")])


# ---- the instance -----------------------------------------------------------------------------------

def devices():
    ebs = obj({
        "volumeSize": text(pattern=VOLUME_SIZE),
        "volumeType": enum("standard", "io1", "io2", "gp2", "sc1", "st1", "gp3"),
        "iops": whole(bits=64), "throughput": whole(bits=64),
        "encrypted": boolean(), "kmsKeyID": text(), "snapshotID": text(),
        "deleteOnTermination": boolean(),
        "volumeInitializationRate": whole(minimum=100, maximum=300),
    }, rules=[
        rule("has(self.snapshotID) || has(self.volumeSize)", "volumeSize or snapshotID is required"),
        rule("!has(self.volumeInitializationRate) || (has(self.snapshotID) && self.snapshotID != '')",
             "volumeInitializationRate needs snapshotID"),
    ])
    return plain(obj({"deviceName": text(), "rootVolume": boolean(), "ebs": ebs}), maxItems=50,
                 rules=[rule("size(self.filter(d, has(d.rootVolume) && d.rootVolume)) <= 1", "one root volume at most")])


def interfaces():
    card = obj({"networkCardIndex": whole(minimum=0), "deviceIndex": whole(minimum=0),
                "interfaceType": enum("interface", "efa-only")}, ["networkCardIndex", "deviceIndex", "interfaceType"])
    return plain(card, maxItems=150, rules=[
        rule("size(self) == 0 || self.exists(n, n.networkCardIndex == 0 && n.deviceIndex == 0 && "
             "n.interfaceType == 'interface')", "device 0 of card 0 must be of type interface"),
        rule("self.all(n, self.filter(m, m.networkCardIndex == n.networkCardIndex && m.deviceIndex == n.deviceIndex)"
             ".size() == 1)", "a card has each device once"),
        rule("self.all(n, n.interfaceType != 'efa-only' || self.filter(m, m.networkCardIndex == n.networkCardIndex && "
             "m.interfaceType == 'efa-only').size() == 1)", "a card has one efa-only device at most"),
    ])


METADATA = {"httpEndpoint": "enabled", "httpProtocolIPv6": "disabled", "httpPutResponseHopLimit": 1,
            "httpTokens": "required"}


def metadata_options():
    return obj({
        "httpEndpoint": enum("enabled", "disabled", default=METADATA["httpEndpoint"]),
        "httpProtocolIPv6": enum("enabled", "disabled", default=METADATA["httpProtocolIPv6"]),
        "httpPutResponseHopLimit": whole(bits=64, minimum=1, maximum=64, default=METADATA["httpPutResponseHopLimit"]),
        "httpTokens": enum("required", "optional", default=METADATA["httpTokens"]),
    }, default=METADATA)


def tracking():
    return obj({
        "tcpEstablishedTimeout": whole(minimum=60, maximum=432000),
        "udpStreamTimeout": whole(minimum=60, maximum=180),
        "udpTimeout": whole(minimum=30, maximum=60),
    }, rules=[rule("has(self.tcpEstablishedTimeout) || has(self.udpStreamTimeout) || has(self.udpTimeout)",
                   "one of the timeouts is required")])


def own_tags():
    reserved = ["eks:eks-cluster-name", "karpenter.sh/nodepool", "karpenter.sh/nodeclaim", "karpenter.k8s.aws/ec2nodeclass"]
    return mapping(text(), rules=[
        rule("self.all(k, k != '')", "a key may not be empty"),
        rule(f"self.all(k, !(k in {reserved}) && !k.startsWith('kubernetes.io/cluster'))",
             f"reserved: kubernetes.io/cluster…, {', '.join(reserved)}"),
    ])


# ---- EC2NodeClass -----------------------------------------------------------------------------------

def spec():
    aliased = "self.amiSelectorTerms.exists(t, has(t.alias))"
    group = obj({"name": text(minLength=1), "id": text(pattern="^pg-[0-9a-z]+$")},
                rules=[rule("has(self.name) != has(self.id)", "exactly one of name and id")])
    return obj({
        "amiFamily": enum(*FAMILIES.values(), "Custom"),
        "amiSelectorTerms": ami_terms(),
        "subnetSelectorTerms": subnet_terms(),
        "securityGroupSelectorTerms": group_terms(),
        "capacityReservationSelectorTerms": reservation_terms(),
        "role": filled("role"),
        "instanceProfile": filled("instanceProfile"),
        "userData": text(),
        "tags": own_tags(),
        "kubelet": anything("KubeletConfiguration."),
        "blockDeviceMappings": devices(),
        "instanceStorePolicy": enum("RAID0"),
        "networkInterfaces": interfaces(),
        "ipPrefixCount": whole(minimum=0),
        "associatePublicIPAddress": boolean(),
        "detailedMonitoring": boolean(),
        "context": text(),
        "cpuOptions": obj({"nestedVirtualization": enum("enabled", "disabled")}),
        "enclaveOptions": obj({"enabled": boolean()}, ["enabled"]),
        "connectionTracking": tracking(),
        "metadataOptions": metadata_options(),
        "placementGroupSelector": group,
    }, ["amiSelectorTerms", "subnetSelectorTerms", "securityGroupSelectorTerms"], rules=[
        rule("has(self.role) != has(self.instanceProfile)", "exactly one of role and instanceProfile"),
        rule(f"has(self.amiFamily) || {aliased}", "amiFamily is required where no alias tells it"),
        rule("!has(self.amiFamily) || self.amiFamily == 'Custom' || self.amiSelectorTerms.all(t, !has(t.alias) || "
             "t.alias.find('^[^@]+') == self.amiFamily.lowerAscii())", "amiFamily is Custom or the alias's family"),
    ])


def status():
    requirement = obj({"key": text(), "operator": text(), "values": atomic(text())}, ["key", "operator"])
    reservation = obj({
        "id": text(pattern="^cr-[0-9a-z]+$"), "ownerID": text(pattern="^[0-9]{12}$"),
        "availabilityZone": text(), "instanceType": text(), "instanceMatchCriteria": enum("open", "targeted"),
        "reservationType": enum("default", "capacity-block", default="default"),
        "state": enum("active", "expiring", default="active"),
        "endTime": time(), "interruptible": boolean(),
    }, ["id", "ownerID", "availabilityZone", "instanceType", "instanceMatchCriteria"])
    return obj({
        "conditions": conditions(list_type=False),
        "subnets": plain(obj({"id": text(), "zone": text(), "zoneID": text()}, ["id", "zone"])),
        "securityGroups": plain(obj({"id": text(), "name": text()}, ["id"])),
        "amis": plain(obj({"id": text(), "name": text(), "deprecated": boolean(), "requirements": plain(requirement)},
                          ["id", "requirements"])),
        "capacityReservations": plain(reservation),
        "instanceProfile": text(),
    })


def node_class():
    return crd("karpenter.k8s.aws", "EC2NodeClass", "ec2nodeclasses", {"spec": spec(), "status": status()}, {"v1": None},
               storage="v1", short=["ec2nc", "ec2ncs"], categories=["karpenter"], subresources={"status": {}},
               doc="How an EC2 instance of a pool is set up.",
               columns=[("Ready", "string", condition_at("Ready")), AGE, ("Role", "string", ".spec.role", True)])


KINDS = [node_class]
