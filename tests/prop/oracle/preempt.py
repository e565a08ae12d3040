"""Who has to go: kueue.md 2.11 and 2.12, step by step as they are written."""
from quotas import compare, infinite

FAR = 2**62


def satisfies(policy, work, other):
    if policy == "Any":
        return True
    if policy in ("LowerPriority", "LowerOrNewerEqualPriority") and work.priority > other.priority:
        return True
    return (policy == "LowerOrNewerEqualPriority" and work.priority == other.priority
            and work.since < other.since)


def turn(work, queue):
    """CandidatesOrdering for a preemptor of 'queue'."""
    reserved = FAR if work.reserved_at is None else work.reserved_at
    return (not work.evicted, work.queue == queue, work.priority, -reserved, work.uid)


class Victim:
    def __init__(self, work, reason, listed, common=None, lends=True):
        self.work, self.reason, self.listed = work, reason, listed
        self.common = common  # the lowest cohort it shares with the preemptor
        self.lends = lends  # may be taken while the preemptor borrows


class Search:
    def __init__(self, cycle, work, queue, pairs, wants):
        self.cycle, self.tree = cycle, cycle.tree
        self.work, self.queue = work, queue
        self.node = self.tree.queues[queue.name]
        self.pairs, self.wants = pairs, wants
        self.removed = []

    # ---- trial changes -------------------------------------------------------------------------

    def remove(self, work):
        self.tree.unbook(work)
        self.cycle.gone.add(work.key)

    def restore(self, work):
        self.tree.book(work)
        self.cycle.gone.discard(work.key)

    def candidates(self, name, policy):
        return [work for work in self.cycle.holders.get(name, ())
                if work.key not in self.cycle.gone and any(pair in work.usage for pair in self.pairs)
                and satisfies(policy, self.work, work)]

    def fits(self, borrowing):
        for pair, value in self.wants.items():
            if not borrowing and self.node.borrows(pair, value):
                return False
            if value > max(0, self.node.available(pair)):
                return False
        return True

    def fill_back(self, targets, borrowing):
        """Restores everything; what is left is returned."""
        at = len(targets) - 2
        while at >= 0:
            self.restore(targets[at].work)
            if self.fits(borrowing):
                targets[at] = targets[-1]
                targets.pop()
            else:
                self.remove(targets[at].work)
            at -= 1
        for victim in targets:
            self.restore(victim.work)
        return targets

    # ---- classical -----------------------------------------------------------------------------

    def quantities_fit(self, node, left):
        fits, rest = True, {}
        for pair, value in left.items():
            fits = fits and not node.borrows(pair, value)
            rest[pair] = max(0, value - node.local_available(pair))
        return fits, rest

    def below(self, node, visited):
        """Leaves of 'node' outside of 'visited' that are not, nor is a cohort above, within nominal."""
        for child in node.children:
            if child is visited or child.within_nominal(self.pairs):
                continue
            if child.leaf:
                yield child
            else:
                yield from self.below(child, visited)

    def others(self):
        found = []
        if self.queue.reclaim == "Never":
            return found
        advantage, left = self.quantities_fit(self.node, self.wants)
        visited, at = self.node, self.node.parent
        while at is not None:
            for leaf in self.below(at, visited):
                if leaf is self.node:
                    continue
                for work in self.candidates(leaf.name, self.queue.reclaim):
                    found.append(self.classified(work, at, advantage))
            fits, left = self.quantities_fit(at, left)
            advantage = advantage or fits
            visited, at = at, at.parent
        return found

    def classified(self, work, common, advantage):
        if advantage:
            return Victim(work, "InCohortReclamation", 0, common)
        threshold = self.queue.borrow_threshold
        if (self.queue.borrow_policy == "Never" or work.priority >= self.work.priority
                or (threshold is not None and work.priority > threshold)):
            return Victim(work, "InCohortReclamation", 1, common, lends=False)
        return Victim(work, "InCohortReclaimWhileBorrowing", 1, common)

    def still_valid(self, victim, borrowing):
        if victim.common is None:
            return True
        if borrowing and not victim.lends:
            return False
        at = self.tree.queues[victim.work.queue]
        while at is not victim.common:
            if at.within_nominal(self.pairs):
                return False
            at = at.parent
        return True

    def attempt(self, victims, borrowing):
        targets = []
        for victim in victims:
            if not self.still_valid(victim, borrowing):
                continue
            self.remove(victim.work)
            targets.append(victim)
            if self.fits(borrowing):
                return self.fill_back(targets, borrowing)
        for victim in targets:
            self.restore(victim.work)
        return []

    def classical(self):
        same = [Victim(work, "InClusterQueue", 2)
                for work in self.candidates(self.queue.name, self.queue.within)]
        others = self.others()
        victims = sorted(same + others, key=lambda victim: (
            not victim.work.evicted, victim.listed, turn(victim.work, self.queue.name)))
        off = self.queue.borrow_policy == "Never"
        under = all(self.node.usage.get(pair, 0) < self.node.nominal.get(pair, 0)
                    for pair in self.pairs)
        if not others or (off and not under):
            order = [True]
        elif off and not any(victim.listed == 0 for victim in others):
            order = [False, True]
        else:
            order = [True, False]
        for borrowing in order:
            targets = self.attempt(victims, borrowing)
            if targets:
                return targets
        return []

    # ---- fair sharing --------------------------------------------------------------------------

    def fair(self):
        victims = [Victim(work, None, 0)
                   for work in self.candidates(self.queue.name, self.queue.within)]
        if self.node.parent is not None and self.queue.reclaim != "Never":
            for leaf in self.node.root().queues():
                if leaf is not self.node and not leaf.within_nominal(self.pairs):
                    victims += [Victim(work, None, 0)
                                for work in self.candidates(leaf.name, self.queue.reclaim)]
        victims.sort(key=lambda victim: turn(victim.work, self.queue.name))
        if not victims:
            return []
        self.taken = []
        for pair, value in self.wants.items():
            self.node.use(pair, value)
        done = self.strategies(victims)
        for pair, value in self.wants.items():
            self.node.free(pair, value)
        if done:
            return self.fill_back(self.taken, True)
        for victim in self.taken:
            self.restore(victim.work)
        return []

    def strategies(self, victims):
        names = self.cycle.world.strategies
        retry = []
        if self.first(victims, names[0], retry):
            return True
        return len(names) > 1 and self.second(retry)

    def begin(self, victims):
        self.left, self.pruned = {}, set()
        for victim in victims:
            self.left.setdefault(victim.work.queue, []).append(victim)

    def take(self, victim, reason):
        self.remove(victim.work)
        victim.reason = reason
        self.taken.append(victim)
        for pair, value in self.wants.items():
            self.node.free(pair, value)
        fits = self.fits(True)
        for pair, value in self.wants.items():
            self.node.use(pair, value)
        return fits

    def next_queue(self):
        root = self.node.root()
        if root.leaf:
            return root if self.left.get(root.name) else None
        while root not in self.pruned:
            found = self.descend(root)
            if found is not None:
                return found
        return None

    def descend(self, cohort):
        """The queue to take from below 'cohort'; None when a cohort was pruned: begin anew."""
        own = self.node.path()
        queue = inner = None
        for child in cohort.children:
            if child in self.pruned:
                continue
            share = child.share()
            if child.leaf:
                if (not share[3] and child is not self.node) or not self.left.get(child.name):
                    self.pruned.add(child)
                elif queue is None or self.worse(share, child, queue):
                    queue = (share, child)
            elif not share[3] and child not in own:
                self.pruned.add(child)
            elif inner is None or compare(share, inner[0]) >= 0:
                inner = (share, child)
        if queue is None and inner is None:
            self.pruned.add(cohort)
            return None
        if inner is not None and (queue is None or compare(inner[0], queue[0]) >= 0):
            return self.descend(inner[1])
        return queue[1]

    def worse(self, share, child, best):
        order = compare(share, best[0])
        if order == 0:
            mine, theirs = self.left[child.name][0], self.left[best[1].name][0]
            return turn(mine.work, self.queue.name) < turn(theirs.work, self.queue.name)
        return order > 0

    def below_common(self, other):
        mine, theirs = self.node.path(), other.path()
        while len(mine) > 1 and len(theirs) > 1 and mine[-2] is theirs[-2]:
            mine.pop()
            theirs.pop()
        return mine[-2], theirs[-2]

    def first(self, victims, strategy, retry):
        within = self.node.within_nominal(self.pairs)
        self.begin(victims)
        while True:
            leaf = self.next_queue()
            if leaf is None:
                return False
            mine = self.left[leaf.name]
            if leaf is self.node:
                done = self.take(mine.pop(0), "InClusterQueue")
            elif within:
                done = self.take(mine.pop(0), "InCohortReclamation")
            else:
                done = self.contend(leaf, mine, strategy, retry)
            if done:
                return True

    def contend(self, leaf, mine, strategy, retry):
        ours, theirs = self.below_common(leaf)
        new, old = ours.share(), theirs.share()
        hopeless = infinite(new) and not infinite(old)
        while mine:
            victim = mine.pop(0)
            if hopeless:
                passes = False
            elif strategy == "LessThanOrEqualToFinalShare":
                self.remove(victim.work)
                passes = compare(new, theirs.share()) <= 0
                self.restore(victim.work)
            else:
                passes = compare(new, old) < 0
            if passes:
                return self.take(victim, "InCohortFairSharing")
            retry.append(victim)
        return False

    def second(self, retry):
        self.begin(retry)
        while True:
            leaf = self.next_queue()
            if leaf is None:
                return False
            ours, theirs = self.below_common(leaf)
            victim = self.left[leaf.name].pop(0)
            if compare(ours.share(), theirs.share()) < 0:
                if self.take(victim, "InCohortFairSharing"):
                    return True
            self.pruned.add(leaf)


def find(cycle, work, queue, pairs, wants):
    search = Search(cycle, work, queue, pairs, wants)
    return search.fair() if cycle.world.fair else search.classical()
