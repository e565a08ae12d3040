"""Whole cycles: kueue.md 2.3 to 2.5, 2.9 and 2.10."""
import functools

import assign
from assign import MODE_DEFERRED, MODE_FIT, MODE_NO_FIT, MODE_PREEMPT, SEVERITY, expression_holds
from model import add, sub
from quotas import Tree, compare

QUIET = 12
ROUNDS = 1000


def selector_matches(selector, labels):
    if selector is None:
        return False
    return (all(labels.get(key) == value for key, value in
                (selector.get("matchLabels") or {}).items())
            and all(expression_holds(row, labels) for row in
                    selector.get("matchExpressions") or []))


class Entry:
    def __init__(self, work, queue):
        self.work, self.queue = work, queue
        self.result = None


class Oracle:
    """The scheduler on a world; 'now' in seconds."""

    def __init__(self, world, now):
        self.world, self.now = world, now
        self.active = {name: [] for name in world.queues}
        self.parked = {name: [] for name in world.queues}
        self.failed = {name: set() for name in world.queues}
        self.sticky = {}
        self.generation = {name: 0 for name in world.queues}
        self.cursors = {}  # key -> (cursor, cycle, generation)
        self.reasons = {}
        self.admitted = {}
        self.preempted = {}
        self.cycle_number = 0
        self.inactive = [name for name in world.queues if self.is_inactive(name)]
        for work in world.works:
            self.enter(work)

    def is_inactive(self, name):
        queue = self.world.queues[name]
        if queue.stopped or any(f not in self.world.flavors for f in queue.flavors):
            return True
        if any(not self.world.check_active(check) for check in self.world.queue_checks[name]):
            return True
        seen, at = 0, queue.cohort
        while at and seen <= len(self.world.cohorts) + 1:
            spec = self.world.cohorts.get(at) or {}
            at, seen = spec.get("parentName") or spec.get("parent"), seen + 1
        return bool(at)

    def queue_of(self, work):
        local = self.world.locals.get((work.ns, work.local))
        if local is None or local[1] != "None" or local[0] not in self.world.queues:
            return None
        return self.world.queues[local[0]]

    def enter(self, work):
        queue = self.queue_of(work)
        if work.queue or work.finished or not work.active or queue is None:
            return
        if work.held_back or (work.requeue_at is not None and work.requeue_at > self.now):
            self.parked[queue.name].append(work)
        else:
            self.active[queue.name].append(work)

    # ---- heads ---------------------------------------------------------------------------------

    def head(self, name):
        queue = self.world.queues[name]

        def key(work):
            sticky = self.sticky.get(name) == work.key and not queue.strict
            return (not sticky, -work.priority, work.since, work.uid)

        if name in self.inactive or not self.active[name]:
            return None
        return min(self.active[name], key=key)

    def checked(self, work, queue):
        """(reason, requeue) when it is not even looked at"""
        if any(state in ("Retry", "Rejected") for state in work.checks.values()):
            return "PendingEvaluation", "Generic"
        if work.ns not in self.world.namespaces:
            return "Misconfigured", "Generic"
        if not selector_matches(queue.selector, self.world.namespaces[work.ns]):
            return "Misconfigured", "NamespaceMismatch"
        if any(pod_set.over_limit for pod_set in work.sets):
            return "Misconfigured", "Generic"
        return None

    def cursor_of(self, work, queue):
        kept = self.cursors.get(work.key)
        if kept is None:
            return {}
        if kept[1] + 1 >= self.cycle_number or kept[2] == self.generation[queue.name]:
            return kept[0]
        return {}

    # ---- order ---------------------------------------------------------------------------------

    def plain(self, entry):
        return (-entry.work.priority, entry.work.since, entry.work.name, entry.work.ns)

    def ordered(self, entries):
        if not self.world.fair:
            yield from sorted(entries, key=lambda e: (e.result.height, *self.plain(e)))
            return
        left = sorted(entries, key=lambda e: e.queue.name)
        while left:
            root = self.tree.queues[left[0].queue.name].root()
            entry = left[0]
            if not root.leaf:
                self.shown = {e: self.show(e) for e in left
                              if self.tree.queues[e.queue.name].root() is root}
                entry = self.tournament(root, left)
            left.remove(entry)
            yield entry

    def tournament(self, node, left):
        """The winner among the entries below 'node'."""
        if node.leaf:
            return next((e for e in left if self.tree.queues[e.queue.name] is node), None)
        winners = [(child, self.tournament(child, left)) for child in node.children]
        winners = [(child, entry) for child, entry in winners if entry is not None]
        if not winners:
            return None
        return min(winners, key=functools.cmp_to_key(self.duel))[1]

    def show(self, entry):
        """By node of its path: (borrows, share) with the usage of 'entry'. Sums that are cut at the
        largest number do not come back when it is taken away again; upstream's do not either."""
        leaf = self.tree.queues[entry.queue.name]
        usage = entry.result.usage
        wanted = [pair for pair, value in usage.items() if value > 0]
        for pair, value in usage.items():
            leaf.use(pair, value)
        shown = {node: (not node.within_nominal(wanted), node.share()) for node in leaf.path()}
        for pair, value in usage.items():
            leaf.free(pair, value)
        return shown

    def duel(self, a, b):
        left, right = self.shown[a[1]][a[0]], self.shown[b[1]][b[0]]
        if left[0] != right[0]:
            return 1 if left[0] else -1
        order = compare(left[1], right[1])
        if order == 0:
            mine, theirs = self.plain(a[1]), self.plain(b[1])
            order = -1 if mine < theirs else 1
        return order

    # ---- one cycle -----------------------------------------------------------------------------

    def run_cycle(self):
        """False: nobody is waiting actively. Sets self.changed."""
        heads = [(self.world.queues[name], self.head(name)) for name in sorted(self.world.queues)]
        entries = [Entry(work, queue) for queue, work in heads if work is not None]
        if not entries:
            return False
        self.changed = False
        self.tree = Tree(self.world, self.inactive)
        self.holders = {}
        for work in self.world.works:
            if work.queue:
                self.holders.setdefault(work.queue, []).append(work)
        self.gone = set()
        self.victims = {}
        self.begun = dict(self.generation)
        nominated = []
        for entry in entries:
            self.active[entry.queue.name].remove(entry.work)
            refused = self.checked(entry.work, entry.queue)
            if refused:
                self.cursors.pop(entry.work.key, None)
                self.put_back(entry, refused[1], refused[0], None)
                continue
            cursor = self.cursor_of(entry.work, entry.queue)
            entry.result = assign.Assigner(self, entry.work, entry.queue, cursor, None).evaluate()
            nominated.append(entry)
        for entry in self.ordered(nominated):
            self.process(entry)
        self.cycle_number += 1
        return True

    def say(self, work, reason):
        if self.reasons.get(work.key) != reason:
            self.reasons[work.key] = reason
            self.changed = True

    def put_back(self, entry, how, reason, cursor):
        work, queue = entry.work, entry.queue
        self.say(work, reason)
        pending = cursor is not None and any(at >= 0 for at in cursor.values())
        if cursor is None:
            self.cursors.pop(work.key, None)
        else:
            self.cursors[work.key] = (cursor, self.cycle_number, self.begun[queue.name])
        if how == "PendingPreemption":
            self.sticky[queue.name] = work.key
        at_once = (how != "NamespaceMismatch" if queue.strict
                   else how in ("PendingPreemption", "FailedAfterNomination"))
        if at_once or pending:
            self.active[queue.name].append(work)
            return
        self.changed = True
        self.parked[queue.name].append(work)
        if how in ("NoFit", "NoCandidates") and not queue.strict:
            alike = [w for w in self.active[queue.name] if w.shape == work.shape]
            for other in alike:
                self.active[queue.name].remove(other)
                self.parked[queue.name].append(other)

    def others_out(self):
        for work in self.victims.values():
            self.tree.unbook(work)
            self.gone.add(work.key)

    def others_back(self):
        for work in self.victims.values():
            self.tree.book(work)
            self.gone.discard(work.key)

    def overlaps(self, entry):
        return any(victim.work.key in self.victims for victim in entry.result.targets)

    def fits(self, entry):
        out = {**self.victims, **{v.work.key: v.work for v in entry.result.targets}}
        for work in out.values():
            self.tree.unbook(work)
        node = self.tree.queues[entry.queue.name]
        fits = all(max(0, node.available(pair)) >= value
                   for pair, value in entry.result.usage.items())
        for work in out.values():
            self.tree.book(work)
        return fits

    def recompute(self, entry):
        pin = {}
        for pod_set, flavors in zip(entry.work.sets, entry.result.flavors):
            for resource, flavor in flavors.items():
                pin[pod_set.name, resource] = flavor
        self.others_out()
        entry.result = assign.Assigner(self, entry.work, entry.queue, {}, pin).evaluate()
        self.others_back()
        if entry.result.mode == MODE_FIT:
            entry.result.mode = MODE_DEFERRED

    def reserve(self, entry):
        node = self.tree.queues[entry.queue.name]
        for pair, value in entry.result.usage.items():
            used, nominal = node.usage.get(pair, 0), node.nominal.get(pair, 0)
            if entry.result.height == 0:
                value = max(0, min(value, sub(nominal, used)))
            elif pair in node.borrowing:
                value = min(value, sub(add(nominal, node.borrowing[pair]), used))
            node.use(pair, value)

    def use(self, entry):
        for pair, value in entry.result.usage.items():
            self.tree.queues[entry.queue.name].use(pair, value)

    def process(self, entry):
        if self.overlaps(entry):
            self.recompute(entry)
        fits = self.fits(entry)
        result = entry.result
        if result.mode == MODE_NO_FIT:
            self.put_back(entry, "NoFit", SEVERITY[result.severity], result.cursor)
        elif result.mode == MODE_PREEMPT and not result.targets:
            if entry.queue.reclaim != "Any":
                self.reserve(entry)
            self.put_back(entry, "NoCandidates", "WaitingForQuota", result.cursor)
        elif result.mode == MODE_DEFERRED:
            self.use(entry)
            self.put_back(entry, "PendingPreemption", "WaitingForPreemptedWorkloads", None)
        elif self.overlaps(entry) or not fits:
            self.put_back(entry, "FailedAfterNomination", "WaitingForQuota", result.cursor)
        elif result.mode == MODE_PREEMPT:
            self.evict(entry)
            self.use(entry)
            self.put_back(entry, "PendingPreemption", "WaitingForPreemptedWorkloads", None)
        else:
            self.use(entry)
            self.admit(entry)

    def evict(self, entry):
        for victim in entry.result.targets:
            self.victims[victim.work.key] = victim.work
            if not victim.work.evicted:
                self.preempted[victim.work.key] = victim.reason
                self.late_evictions.append(victim.work)
                self.generation[victim.work.queue] += 1
                self.changed = True

    def admit(self, entry):
        work, result = entry.work, entry.result
        self.admitted[work.key] = {
            "clusterQueue": entry.queue.name,
            "podSets": {p.name: {"count": count, "flavors": flavors} for p, count, flavors in
                        zip(work.sets, result.counts, result.flavors)},
        }
        self.late_admissions.append((work, entry.queue.name, dict(result.usage)))
        self.reasons.pop(work.key, None)
        self.cursors.pop(work.key, None)
        self.generation[entry.queue.name] += 1
        if self.sticky.get(entry.queue.name) == work.key:
            del self.sticky[entry.queue.name]
        self.changed = True

    def step(self):
        self.late_admissions, self.late_evictions = [], []
        if not self.run_cycle():
            return False
        for work in self.late_evictions:
            work.evicted = True
        for work, queue, usage in self.late_admissions:
            work.queue, work.usage, work.reserved_at = queue, usage, self.now
            work.evicted = False
            work.since = work.created
        return True

    # ---- runs ----------------------------------------------------------------------------------

    def state(self):
        """All that the next cycle depends on."""
        cursors = tuple(sorted(
            (key, tuple(sorted(cursor.items())), min(2, self.cycle_number - cycle),
             generation == self.generation[self.where(key)])
            for key, (cursor, cycle, generation) in self.cursors.items()))
        return (cursors, tuple(sorted(self.sticky.items())), tuple(sorted(self.reasons.items())),
                tuple(tuple(sorted(w.key for w in works)) for works in self.active.values()),
                len(self.admitted), len(self.preempted))

    def where(self, key):
        for name, works in self.active.items():
            if any(work.key == key for work in works):
                return name
        for name, works in self.parked.items():
            if any(work.key == key for work in works):
                return name
        raise AssertionError(key)

    def run(self, cycles):
        """'cycles' of them, or None = until stable. Returns False when it did not come to rest."""
        quiet, seen, number = 0, {}, 0
        limit = ROUNDS if cycles is None else cycles
        while number < limit:
            if not self.step():
                return True
            number += 1
            quiet = 0 if self.changed else quiet + 1
            if quiet >= QUIET:
                return True
            if number > 2 * QUIET and number < limit:
                # What repeats itself goes on so: leave out whole periods.
                now = (self.state(), quiet)
                if now in seen:
                    period = number - seen[now]
                    number += (limit - number) // period * period
                    seen = {}
                else:
                    seen[now] = number
        return cycles is not None

    def pending(self):
        return sorted(work.key for work in self.world.works if not work.queue and not work.finished)
