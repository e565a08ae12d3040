"""What must hold whatever is decided: properties.py ASK.

Random states under --compat better and strict, until stable and for one cycle. Not what is decided is
compared, but: no quota or limit is exceeded that was not before; every victim may be taken by the
policies; none of them could have been spared; what waits and was not held up by others does not fit.
In queues that may take victims of their own only, all subsets of them are tried: victims are found when
some subset is enough, and no part of those that were found is.
"""
import itertools
import os
import sys

import generate
from assign import MODE_FIT, MODE_NO_FIT, Assigner
from check import Asker, of_program
from cycle import Oracle
from model import UNLIMITED, World, add, seconds
from preempt import Search, satisfies
from quotas import Tree

STATES = 300 if os.environ.get("PLM_SHORT") else 3000
SUBSETS = 8
HUGE = UNLIMITED // 4


class Judge:
    """One state and what the program made of it."""

    def __init__(self, docs, got, cycles):
        self.docs, self.got, self.cycles = docs, got, cycles
        self.world = World(docs)
        self.oracle = Oracle(self.world, seconds(generate.NOW))
        self.works = {work.key: work for work in self.world.works}
        self.new = {key: row for key, row in got["admitted"].items()
                    if not self.works[key].queue}
        self.before = Tree(self.world, self.oracle.inactive)
        self.homes = {work.key: self.oracle.queue_of(work) for work in self.world.works}

    def enter(self):
        """Book what was admitted."""
        self.started = {key for key, work in self.works.items() if work.queue}
        for key, row in self.new.items():
            work = self.works[key]
            work.queue, work.reserved_at = row["clusterQueue"], self.oracle.now
            for pod_set in work.sets:
                got = row["podSets"][pod_set.name]
                for resource, flavor in got["flavors"].items():
                    each = 1 if resource == "pods" else pod_set.each[resource]
                    pair = (flavor, resource)
                    work.usage[pair] = add(work.usage.get(pair, 0), each * got["count"])
        # Who has to go counts no more: upstream gives away at once what victims leave over.
        for key in self.got["preempted"]:
            self.works[key].queue = None
        self.after = Tree(self.world, self.oracle.inactive)
        for key in self.got["preempted"]:
            self.works[key].queue = self.new.get(key, {}).get("clusterQueue") or "gone"

    def limits(self):
        if any(value >= HUGE for work in self.world.works for value in work.usage.values()):
            return  # sums that are cut at the largest number say nothing any more
        for key, row in self.new.items():
            name = row["clusterQueue"]
            for pair, value in self.works[key].usage.items():
                old = self.before.queues[name].available(pair)
                left = self.after.queues[name].available(pair)
                if value > 0 and left < min(0, old):
                    yield f"{key} has {value} of {pair}, and {name} is over its limits: {left}"
            for pod_set in self.works[key].sets:
                count = row["podSets"][pod_set.name]["count"]
                least = pod_set.count if pod_set.least is None else pod_set.least
                if not least <= count <= max(pod_set.count, pod_set.spec_count):
                    yield f"{key} has {count} pods of {pod_set.name}"

    def legal(self):
        """Each victim may be taken by the policy of some queue that waits."""
        for key, reason in self.got["preempted"].items():
            victim = self.works[key]
            if not any(self.may_take(work, victim, reason) for work in self.world.works
                       if not work.queue or key in self.new):
                yield f"{key} was preempted ({reason}), and nobody may do that"

    def may_take(self, work, victim, reason):
        queue = self.homes[work.key]
        home = victim.queue or self.new.get(victim.key, {}).get("clusterQueue")
        if queue is None or home is None:
            return False
        same = queue.name == home
        if same != (reason == "InClusterQueue"):
            return False
        roots = [self.before.queues[name].root() for name in (queue.name, home)]
        return roots[0] is roots[1] and satisfies(queue.within if same else queue.reclaim, work,
                                                  victim)

    def idle(self):
        """Nobody was preempted, no strict queue keeps quota of the tree for its head: what waits does not
        fit."""
        if self.cycles is not None or self.got["preempted"]:
            return
        if any(work.evicted and work.queue for work in self.world.works):
            return
        cycle = self.ready(self.after)
        strict = [self.before.queues[self.homes[work.key].name].root() for work in self.world.works
                  if not work.queue and self.homes[work.key] and self.homes[work.key].strict]
        for work in self.world.works:
            queue = self.homes[work.key]
            if work.queue or queue is None or queue.strict or not work.active:
                continue
            if any(self.before.queues[queue.name].root() is root for root in strict):
                continue
            if work in self.oracle.parked[queue.name] or queue.name in self.oracle.inactive:
                continue
            if any(value >= HUGE for pod_set in work.sets for value in pod_set.each.values()):
                continue  # sums saturate: who came first is not told from them
            if queue.preempt_first:
                continue  # a flavor that borrows and needs victims besides hides the next (kueue.md 2.6)
            if cycle.checked(work, queue):
                continue
            result = Assigner(cycle, work, queue, {}, None).evaluate()
            if result.mode == MODE_FIT and cycle.fits(Tried(work, queue, result)):
                yield f"{work.key} waits, and it fits: {result.flavors}"

    def ready(self, tree):
        cycle = self.oracle
        cycle.tree, cycle.gone, cycle.victims, cycle.holders = tree, set(), {}, {}
        for work in self.world.works:
            if work.queue:
                cycle.holders.setdefault(work.queue, []).append(work)
        return cycle

    def subsets(self):
        """Queues that preempt within themselves only, by trying everything; for one cycle."""
        heads = {name: self.oracle.head(name) for name in self.world.queues}
        cycle = self.ready(self.before)
        for name, work in heads.items():
            queue = self.world.queues[name]
            if work is None or queue.reclaim != "Never" or cycle.checked(work, queue):
                continue
            if any(pod_set.least is not None for pod_set in work.sets):
                continue
            result = Assigner(cycle, work, queue, {}, None).assign(
                [pod_set.count for pod_set in work.sets])
            if result.mode in (MODE_FIT, MODE_NO_FIT):
                continue
            yield from self.compare_subsets(cycle, work, queue, result)

    def compare_subsets(self, cycle, work, queue, result):
        search = Search(cycle, work, queue, result.pairs, result.wants)
        candidates = search.candidates(queue.name, queue.within)
        mine = {key for key, reason in self.got["preempted"].items()
                if reason == "InClusterQueue" and self.works[key].queue == queue.name}
        if len(candidates) > SUBSETS or any(w.evicted for w in candidates):
            return
        enough = [set(w.key for w in chosen) for size in range(1, len(candidates) + 1)
                  for chosen in itertools.combinations(candidates, size)
                  if fits_without(search, chosen)]
        others = {key for key in self.got["preempted"]} - mine
        if others:
            return  # what they leave may be enough for less
        alone = sum(self.oracle.head(name) is not None for name in self.world.queues) == 1
        if mine and mine not in enough:
            yield f"{sorted(mine)} are not enough for {work.key}"
        elif any(chosen < mine for chosen in enough) and not self.last_needless(enough, mine):
            yield f"{sorted(mine)} are more than {work.key} needs"
        elif enough and not mine and alone and search.work.key not in self.new:
            if all(pair[1] != "pods" for pair in result.usage):
                yield f"{sorted(enough[0])} would do for {work.key}, and nobody was preempted"

    def last_needless(self, enough, mine):
        """Upstream never spares the victim that it took last: only one may be too many."""
        return all(len(mine - chosen) <= 1 for chosen in enough if chosen < mine)


def fits_without(search, chosen):
    for work in chosen:
        search.remove(work)
    fits = search.fits(True)
    for work in chosen:
        search.restore(work)
    return fits


class Tried:
    def __init__(self, work, queue, result):
        self.work, self.queue, self.result = work, queue, result


def faults(docs, got, cycles, compat):
    judge = Judge(docs, got, cycles)
    if cycles == 1 and compat == "strict":
        yield from judge.subsets()
        judge = Judge(docs, got, cycles)
    yield from judge.legal()
    judge.enter()
    yield from judge.limits()
    if compat == "better":
        yield from judge.idle()  # upstream's cursor can keep a queue from all but its head


def main(binary, only):
    seed = int(os.environ.get("PLM_SEED", "1"))
    first = seed * 1000003 + 500000
    seeds = [only] if only is not None else range(first, first + STATES)
    asker, failed = Asker(binary), False
    print(f"# PLM_SEED={seed}, {len(seeds)} states\n1..4")
    number = 0
    for compat in ("strict", "better"):
        for cycles in (1, None):
            number += 1
            bad = []
            for one in seeds:
                docs = generate.make(one)
                code, got = asker.decide(docs, cycles, compat)
                found = ([f"exit {code}: {got}"] if code != 0 else
                         list(faults(docs, of_program(got), cycles, compat)))
                bad += [f"# seed {one}: {fault}" for fault in found]
                if len(bad) > 5:
                    break
            print(f"{'not ok' if bad else 'ok'} {number} - --compat {compat} --cycles "
                  f"{cycles or 'stable'} keeps what must hold", flush=True)
            for line in bad:
                print(line)
            failed = failed or bool(bad)
    asker.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None))
