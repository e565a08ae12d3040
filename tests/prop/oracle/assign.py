"""Which flavors, how many pods, which victims: kueue.md 2.6 and 2.8."""
import preempt
from model import add, by_hash

NO_FIT, NO_CANDIDATES, PREEMPT, RECLAIM, FIT = range(5)
MODE_NO_FIT, MODE_PREEMPT, MODE_DEFERRED, MODE_FIT = range(4)
SEVERITY = [None, "TopologyPlacementFailed", "WaitingForQuota", "ExceedsMaxQuota",
            "NoMatchingFlavor"]
QUOTA, MAX_QUOTA, MISMATCH = 2, 3, 4


def preferred(a, b, preempt_first):
    """Is (way, height) a strictly better than b?"""
    if a[0] == NO_FIT:
        return False
    if b[0] == NO_FIT:
        return True
    if (a[0] > NO_CANDIDATES) != (b[0] > NO_CANDIDATES):
        return a[0] > NO_CANDIDATES
    if preempt_first:
        return (a[1], -a[0]) < (b[1], -b[0])
    return (-a[0], a[1]) < (-b[0], b[1])


def tolerated(taint, tolerations):
    for row in tolerations:
        if row.get("effect") and row["effect"] != taint["effect"]:
            continue
        operator = row.get("operator") or "Equal"
        if not row.get("key"):
            if operator == "Exists":
                return True
        elif row["key"] == taint["key"]:
            if operator == "Exists" or (row.get("value") or "") == (taint.get("value") or ""):
                return True
    return False


def expression_holds(row, labels):
    there, values = row["key"] in labels, row.get("values") or []
    have = labels.get(row["key"])
    operator = row["operator"]
    if operator == "In":
        return there and have in values
    if operator == "NotIn":
        return not there or have not in values
    if operator == "Exists":
        return there
    if operator == "DoesNotExist":
        return not there
    try:
        return int(have) > int(values[0]) if operator == "Gt" else int(have) < int(values[0])
    except (TypeError, ValueError):
        return False


def eligible(flavor, pod_set):
    for taint in flavor.get("nodeTaints") or []:
        if taint["effect"] in ("NoSchedule", "NoExecute") and not tolerated(
                taint, pod_set.tolerations + (flavor.get("tolerations") or [])):
            return False
    labels = flavor.get("nodeLabels") or {}
    if any(key in labels and labels[key] != value for key, value in pod_set.selector.items()):
        return False
    if not pod_set.terms:
        return True
    terms = [[row for row in term if row["key"] in labels] for term in pod_set.terms]
    return any(not term or all(expression_holds(row, labels) for row in term) for term in terms)


class Assignment:
    def __init__(self, counts):
        self.mode = MODE_FIT
        self.counts = counts
        self.flavors = [{} for _ in counts]  # by pod set: resource -> flavor
        self.usage = {}
        self.wants = {}  # R
        self.pairs = []  # F
        self.height = 0
        self.cursor = {}
        self.pending = False  # some scan stopped before the last flavor
        self.severity = 0


class Assigner:
    def __init__(self, cycle, work, queue, cursor, pin):
        self.cycle, self.world = cycle, cycle.world
        self.work, self.queue = work, queue
        self.node = cycle.tree.queues[queue.name]
        self.cursor, self.pin = cursor, pin

    def oracle(self, pair, value, height):
        targets = preempt.find(self.cycle, self.work, self.queue, [pair], {pair: value})
        if not targets:
            return NO_CANDIDATES, height
        for victim in targets:
            self.cycle.tree.unbook(victim.work)
        height = self.node.lowest_fit(pair, value)[0]
        for victim in targets:
            self.cycle.tree.book(victim.work)
        own = any(victim.work.queue == self.queue.name for victim in targets)
        return (PREEMPT if own else RECLAIM), height

    def quota(self, pair, value):
        """((way, height), severity)"""
        if value > self.node.potential(pair):
            return (NO_FIT, 0), MAX_QUOTA
        height, smaller = self.node.lowest_fit(pair, value)
        if value <= max(0, self.node.available(pair)):
            return (FIT, height), 0
        borrowing = self.queue.borrow_policy != "Never" or (
            self.world.fair and self.queue.reclaim != "Never")
        if self.node.nominal.get(pair, 0) >= value or smaller or borrowing:
            return self.oracle(pair, value, height), 0
        return (NO_FIT, 0), QUOTA

    def try_flavor(self, name, wants, out):
        """(worst rank, rank by resource, severity)"""
        worst, ranks, severity = None, {}, 0
        for resource in by_hash(wants):
            pair = (name, resource)
            rank, bad = self.quota(pair, add(out.usage.get(pair, 0), wants[resource]))
            ranks[resource] = rank
            severity = max(severity, bad)
            if worst is None or preferred(worst, rank, self.queue.preempt_first):
                worst = rank
        return worst, ranks, severity

    def goes_on(self, rank):
        return (rank[0] <= NO_CANDIDATES
                or (rank[0] in (PREEMPT, RECLAIM) and self.queue.next_if_preempts)
                or (rank[1] > 0 and self.queue.next_if_borrows))

    def scan(self, index, resource, members, wants, out):
        """(picks {resource: (flavor, rank)}, its rank, tried, severities of those that failed)"""
        first = self.work.sets[members[0]].name
        flavors = self.queue.groups[index][1]
        best, picks, last, failed = (NO_FIT, 0), {}, -1, []
        start = self.cursor.get((first, resource), -1) + 1
        for at in range(start, len(flavors)):
            name = flavors[at][0]
            if self.pin is not None and self.pin.get((first, resource), name) != name:
                continue
            last = at
            flavor = self.world.flavors.get(name)
            if flavor is None or not all(eligible(flavor, self.work.sets[m]) for m in members):
                failed.append(MISMATCH)
                continue
            rank, ranks, severity = self.try_flavor(name, wants, out)
            if rank[0] == NO_FIT:
                failed.append(severity)
            stop = not self.goes_on(rank)
            if stop or preferred(rank, best, self.queue.preempt_first):
                best, picks = rank, {r: (name, ranks[r]) for r in wants}
            if stop:
                break
        return picks, best, (-1 if last == len(flavors) - 1 else last), failed

    def bundle(self, members, out):
        """Flavors for pod sets that go together; False: there is none for something."""
        totals = {}
        for member in members:
            pod_set = self.work.sets[member]
            wants = {r: each * out.counts[member] for r, each in pod_set.each.items()}
            wants.pop("pods", None)
            if self.queue.group_of("pods") is not None:
                wants["pods"] = out.counts[member]
            for resource, value in wants.items():
                totals[resource] = totals.get(resource, 0) + value
        picks, tried, all_fit, severity, scanned = {}, {}, True, 0, False
        for resource in by_hash(totals):
            if resource in picks:
                continue
            index = self.queue.group_of(resource)
            if index is None:
                if totals[resource] > 0 and not self.world.ignore_undeclared:
                    return self.no_fit(out, severity if scanned else MISMATCH)
                continue
            covered = self.queue.groups[index][0]
            wants = {r: value for r, value in totals.items() if r in covered}
            found, rank, stopped, failed = self.scan(index, resource, members, wants, out)
            scanned = True
            if failed:
                severity = max(severity, min(failed))
            if rank[0] == NO_FIT:
                return self.no_fit(out, severity)
            all_fit = all_fit and rank[0] == FIT
            picks.update(found)
            tried.update({r: stopped for r in found})
        for member in members:
            self.hand_out(member, picks, tried, all_fit, out)
        return True

    def no_fit(self, out, severity):
        out.mode, out.severity = MODE_NO_FIT, severity
        return False

    def hand_out(self, member, picks, tried, all_fit, out):
        pod_set, count = self.work.sets[member], out.counts[member]
        mine = {r: each * count for r, each in pod_set.each.items() if r != "pods"}
        own = {pair for pair in mine}
        if "pods" in picks:
            mine["pods"] = count
        mode = MODE_FIT
        for resource in by_hash(mine):
            if resource not in picks:
                continue
            flavor, rank = picks[resource]
            pair = (flavor, resource)
            out.flavors[member][resource] = flavor
            out.usage[pair] = add(out.usage.get(pair, 0), mine[resource])
            if resource in own and mine[resource] > 0:
                out.wants[pair] = add(out.wants.get(pair, 0), mine[resource])
            out.height = max(out.height, rank[1])
            out.cursor[pod_set.name, resource] = tried[resource]
            out.pending = out.pending or tried[resource] >= 0
            if rank[0] != FIT:
                if pair not in out.pairs:
                    out.pairs.append(pair)
                if not all_fit:
                    mode = MODE_PREEMPT
        out.mode = min(out.mode, mode)

    def assign(self, counts):
        out = Assignment(counts)
        done = set()
        for index, pod_set in enumerate(self.work.sets):
            if index in done:
                continue
            members = [index]
            if pod_set.group:
                members = [i for i in range(index, len(self.work.sets))
                           if self.work.sets[i].group == pod_set.group]
            done.update(members)
            if not self.bundle(members, out):
                break
        return out

    def with_targets(self, counts):
        out = self.assign(counts)
        out.targets = []
        if out.mode == MODE_PREEMPT:
            out.targets = preempt.find(self.cycle, self.work, self.queue, out.pairs, out.wants)
        return out

    def evaluate(self):
        full = self.with_targets([pod_set.count for pod_set in self.work.sets])
        if full.mode == MODE_FIT or full.targets:
            return full
        return self.fewer() or full

    def fewer(self):
        deltas = [0 if p.least is None else max(0, p.spec_count - p.least) for p in self.work.sets]
        total = sum(deltas)
        if total == 0:
            return None
        low, high, good, found = 0, total + 1, None, None
        while low < high:
            middle = (low + high) // 2
            out = self.with_targets([p.spec_count - d * middle // total
                                     for p, d in zip(self.work.sets, deltas)])
            if out.mode == MODE_FIT or out.targets:
                found, good, high = out, middle, middle
            else:
                low = middle + 1
        return found if good == low else None
