"""The quota tree by its recursive definitions: kueue.md 2.7, and the dominant share: 2.9."""
from model import add, nano, read_groups, sub


class Node:
    """A ClusterQueue (leaf) or a cohort."""

    def __init__(self, name, leaf, groups, weight):
        self.name, self.leaf, self.weight = name, leaf, weight
        self.parent = None
        self.children = []  # active ones
        self.lenders = []  # all of them
        self.active = True
        self.nominal, self.borrowing, self.lending = {}, {}, {}
        for _, flavors in groups:
            for flavor, quotas in flavors:
                for resource, (nominal, borrowing, lending) in quotas.items():
                    pair = (flavor, resource)
                    self.nominal[pair] = nominal
                    if borrowing is not None:
                        self.borrowing[pair] = borrowing
                    if lending is not None:
                        self.lending[pair] = lending
        self.subtree, self.usage = {}, {}
        self.tall = None

    # ---- what is given -------------------------------------------------------------------------

    def local(self, pair):
        limit = self.lending.get(pair)
        return 0 if limit is None else max(0, sub(self.subtree.get(pair, 0), limit))

    def local_available(self, pair):
        return max(0, sub(self.local(pair), self.usage.get(pair, 0)))

    def root(self):
        return self if self.parent is None else self.parent.root()

    def path(self):
        return [self] + (self.parent.path() if self.parent else [])

    def queues(self):
        """Active leaves below, and itself."""
        return [self] if self.leaf else [leaf for child in self.children for leaf in child.queues()]

    def height(self):
        if self.leaf:
            return 0
        if self.tall is None:
            inner = [1 + child.height() for child in self.children if not child.leaf]
            self.tall = max([min(1, len(self.children))] + inner)
        return self.tall

    # ---- what can be had -----------------------------------------------------------------------

    def available(self, pair):
        subtree, used = self.subtree.get(pair, 0), self.usage.get(pair, 0)
        if self.parent is None:
            return sub(subtree, used)
        above = self.parent.available(pair)
        if pair in self.borrowing:
            local = self.local(pair)
            stored = max(0, sub(used, local))
            most = add(sub(sub(subtree, local), stored), self.borrowing[pair])
            above = min(above, most)
        return add(self.local_available(pair), above)

    def potential(self, pair):
        subtree = self.subtree.get(pair, 0)
        if self.parent is None:
            return subtree
        most = add(self.local(pair), self.parent.potential(pair))
        if pair in self.borrowing:
            most = min(most, add(subtree, self.borrowing[pair]))
        return most

    def borrows(self, pair, value):
        return self.subtree.get(pair, 0) < add(self.usage.get(pair, 0), value)

    def within_nominal(self, pairs):
        return all(self.subtree.get(pair, 0) >= self.usage.get(pair, 0) for pair in pairs)

    def lowest_fit(self, pair, value):
        """(height, smaller than the whole tree)"""
        if not self.borrows(pair, value) or self.parent is None:
            return 0, self.parent is not None
        left = sub(value, self.local_available(pair))
        above = self.parent
        while True:
            if not above.borrows(pair, left):
                return above.height(), above.parent is not None
            if above.parent is None:
                return above.height(), False
            left = sub(left, above.local_available(pair))
            above = above.parent

    # ---- use -----------------------------------------------------------------------------------

    def use(self, pair, value):
        local = self.local_available(pair)
        self.usage[pair] = add(self.usage.get(pair, 0), value)
        if self.parent is not None and value > local:
            self.parent.use(pair, sub(value, local))

    def free(self, pair, value):
        stored = sub(self.usage.get(pair, 0), self.local(pair))
        self.usage[pair] = sub(self.usage.get(pair, 0), value)
        if self.parent is not None and stored > 0:
            self.parent.free(pair, min(value, stored))

    # ---- dominant resource share ---------------------------------------------------------------

    def share(self):
        """(over, lendable, weight, borrowing): over/lendable/weight is the share."""
        if self.parent is None:
            return 0, 1, self.weight, False
        over, borrowing = {}, False
        for pair in set(self.subtree) | set(self.usage):
            more = sub(self.usage.get(pair, 0), self.subtree.get(pair, 0))
            if more > 0:
                borrowing = True
                over[pair[1]] = add(over.get(pair[1], 0), more)
        lendable = {}
        for pair in self.root().subtree:
            if pair[1] in over:
                lendable[pair[1]] = add(lendable.get(pair[1], 0), self.parent.potential(pair))
        best = (0, 1)
        for resource in sorted(over):
            mine = (over[resource], lendable.get(resource, 0))
            if mine[1] > 0 and mine[0] * best[1] > best[0] * mine[1]:
                best = mine
        return best[0], best[1], self.weight, borrowing


def infinite(share):
    return share[0] > 0 and share[2] == 0


def compare(a, b):
    """-1, 0, 1"""
    if infinite(a) != infinite(b):
        return 1 if infinite(a) else -1
    left, right = a[0] * b[1], b[0] * a[1]
    if not infinite(a):
        # over / lendable / weight; what is not borrowed is 0 whatever the weight.
        left, right = left * (b[2] if b[0] else 1), right * (a[2] if a[0] else 1)
    return (left > right) - (left < right)


class Tree:
    """All trees of a world, with the usage of those that hold quota."""

    def __init__(self, world, inactive):
        self.queues = {name: Node(name, True, queue.groups, queue.weight)
                       for name, queue in world.queues.items()}
        self.cohorts = {}
        for name, spec in world.cohorts.items():
            weight = nano((spec.get("fairSharing") or {}).get("weight", "1"))
            self.cohorts[name] = Node(name, False, read_groups(spec), weight)
        for name in sorted(self.queues):
            self.join(self.queues[name], world.queues[name].cohort)
        for name, spec in sorted(world.cohorts.items()):
            self.join(self.cohorts[name], spec.get("parentName") or spec.get("parent"))
        self.cut_rings()
        for name in inactive:
            self.queues[name].active = False
        for node in [*self.queues.values(), *self.cohorts.values()]:
            if node.parent is not None:
                node.parent.lenders.append(node)
        for node in self.all():
            node.lenders.sort(key=lambda child: (child.leaf, child.name))
            node.children = [child for child in node.lenders if child.active]
        for work in world.works:
            for pair, value in work.usage.items():
                if work.queue in self.queues:
                    used = self.queues[work.queue].usage
                    used[pair] = add(used.get(pair, 0), value)
        self.sum_up()

    def all(self):
        return [*self.queues.values(), *self.cohorts.values()]

    def join(self, node, cohort):
        if not cohort:
            return
        if cohort not in self.cohorts:
            self.cohorts[cohort] = Node(cohort, False, [], 10**9)
        node.parent = self.cohorts[cohort]

    def cut_rings(self):
        ringed = []
        for node in self.all():
            seen, at = 0, node
            while at is not None and seen <= len(self.cohorts) + 1:
                at, seen = at.parent, seen + 1
            if at is not None:
                ringed.append(node)
        for node in ringed:
            node.parent, node.active = None, False

    def sum_up(self):
        """Quota and usage of cohorts, by definition."""
        done = set()

        def visit(node):
            if node in done:
                return
            done.add(node)
            node.subtree = dict(node.nominal)
            for child in node.lenders:
                visit(child)
                for pair, quota in child.subtree.items():
                    given = sub(quota, child.local(pair))
                    node.subtree[pair] = add(node.subtree.get(pair, 0), given)
                for pair, used in child.usage.items():
                    more = max(0, sub(used, child.local(pair)))
                    node.usage[pair] = add(node.usage.get(pair, 0), more)

        for node in self.all():
            visit(node)

    def book(self, work):
        for pair, value in work.usage.items():
            self.queues[work.queue].use(pair, value)

    def unbook(self, work):
        for pair, value in work.usage.items():
            self.queues[work.queue].free(pair, value)
