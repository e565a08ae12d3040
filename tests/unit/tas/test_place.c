#include "plot.h"

/*
 * Facts of upstream's TestFindTopologyAssignments (kueue.md 5), in rows of our own, and what we have to
 * get right besides: shared hosts, trials, leaders that upstream loses, replacement of nodes.
 */
struct place_case {
	const char *why;
	const char *lines;
	const char *want;
};

#define UNEVEN                                                                                     \
	"node b1/r1/x3 cpu=1000 mem=1073741824\n"                                                  \
	"node b1/r2/x5 cpu=1000 mem=1073741824\n"                                                  \
	"node b1/r2/x1 cpu=1000 mem=1073741824\n"                                                  \
	"node b1/r2/x6 cpu=1000 mem=1073741824\n"                                                  \
	"node b2/r1/x2 cpu=1000 mem=1073741824\n"                                                  \
	"node b2/r2/x4 cpu=2000 mem=4294967296\n"

#define SCATTERED                                                                                  \
	"node b1/r1/x3 cpu=4000 mem=1073741824\n"                                                  \
	"node b1/r1/x5 cpu=1000 mem=1073741824\n"                                                  \
	"node b1/r1/x1 cpu=1000 mem=1073741824\n"                                                  \
	"node b2/r1/x6 cpu=2000 mem=1073741824\n"                                                  \
	"node b2/r1/x2 cpu=1000 mem=1073741824\n"

#define WIDE                                                                                       \
	"node b1/r1/x3 cpu=10000 mem=1073741824\n"                                                 \
	"node b1/r2/x5 cpu=10000 mem=1073741824\n"                                                 \
	"node b1/r2/x1 cpu=10000 mem=1073741824\n"                                                 \
	"node b1/r2/x6 cpu=10000 mem=1073741824\n"                                                 \
	"node b2/r1/x2 cpu=10000 mem=1073741824\n"                                                 \
	"node b2/r2/x4 cpu=20000 mem=4294967296\n"

#define BINARY                                                                                     \
	"node b1/r1/x3 cpu=1000 mem=1073741824\n"                                                  \
	"node b1/r1/x5 cpu=1000 mem=1073741824\n"                                                  \
	"node b1/r2/x1 cpu=1000 mem=1073741824\n"                                                  \
	"node b1/r2/x6 cpu=1000 mem=1073741824\n"                                                  \
	"node b2/r1/x2 cpu=1000 mem=1073741824\n"                                                  \
	"node b2/r1/x4 cpu=1000 mem=1073741824\n"                                                  \
	"node b2/r2/x7 cpu=1000 mem=1073741824\n"                                                  \
	"node b2/r2/x8 cpu=1000 mem=1073741824\n"

static const struct place_case place_table[] = {
	{"fewest racks before fewest hosts",
	 "node b1/r1/x3 cpu=2000\n"
	 "node b1/r2/x5 cpu=2000\n"
	 "node b1/r3/x1 cpu=1000\n"
	 "node b1/r3/x6 cpu=1000\n"
	 "node b1/r3/x2 cpu=1000\n"
	 "node b1/r3/x4 cpu=1000\n"
	 "ask one count=4 cpu=1000 required=block\n"
	 "place",
	 "one: x1=1 x2=1 x4=1 x6=1"},
	{"a host for all of them",
	 "node b1/r1/x3 cpu=2000\n"
	 "node b1/r1/x5 cpu=1000\n"
	 "node b1/r1/x1 cpu=1000\n"
	 "ask one count=2 cpu=1000 required=block\n"
	 "place",
	 "one: x3=2"},
	{"implied: emptiest capacity first, over blocks",
	 SCATTERED "ask one count=6 cpu=1000 implied\n"
		   "place",
	 "one: x1=1 x3=1 x5=1 x2=1 x6=2"},
	{"unconstrained: emptiest capacity first, over blocks",
	 SCATTERED "ask one count=6 cpu=1000 unconstrained\n"
		   "place",
	 "one: x1=1 x3=1 x5=1 x2=1 x6=2"},
	{"unconstrained: the first host with the least capacity",
	 UNEVEN "ask one count=1 cpu=1000 unconstrained\n"
		"place",
	 "one: x3=1"},
	{"a block of four hosts",
	 BINARY "ask one count=4 cpu=1000 required=block\n"
		"place",
	 "one: x3=1 x5=1 x1=1 x6=1"},
	{"a host for one pod",
	 UNEVEN "ask one count=1 cpu=1000 required=host\n"
		"place",
	 "one: x3=1"},
	{"the tightest rack for one pod",
	 UNEVEN "levels block rack\n"
		"ask one count=1 cpu=1000 required=rack\n"
		"place",
	 "one: b1/r1=1"},
	{"the only rack for three pods",
	 UNEVEN "levels block rack\n"
		"ask one count=3 cpu=1000 required=rack\n"
		"place",
	 "one: b1/r2=3"},
	{"the tightest last block",
	 "path block\n"
	 "node b1 cpu=2000\n"
	 "node b2 cpu=1000\n"
	 "node b3 cpu=4000\n"
	 "ask one count=5 cpu=1000 preferred=block\n"
	 "place",
	 "one: b2=1 b3=4"},
	{"the tightest rack for two pods",
	 UNEVEN "levels block rack\n"
		"ask one count=2 cpu=1000 required=rack\n"
		"place",
	 "one: b2/r2=2"},
	{"no rack for four pods",
	 UNEVEN "levels block rack\n"
		"ask one count=4 cpu=1000 required=rack\n"
		"place",
	 "one: room for 3 of 4; 4 leaves"},
	{"the tightest block and rack for one pod",
	 UNEVEN "levels block rack\n"
		"ask one count=1 cpu=1000 required=block\n"
		"place",
	 "one: b2/r1=1"},
	{"a block over two racks",
	 UNEVEN "levels block rack\n"
		"ask one count=4 cpu=1000 required=block\n"
		"place",
	 "one: b1/r1=1 b1/r2=3"},
	{"a pod that no node can take",
	 UNEVEN "levels block rack\n"
		"ask one count=1 cpu=4000 required=block\n"
		"place",
	 "one: room for 0 of 1; 4 leaves, cpu 4"},
	{"no block for five pods",
	 UNEVEN "levels block rack\n"
		"ask one count=5 cpu=1000 required=block\n"
		"place",
	 "one: room for 4 of 5; 4 leaves"},
	{"room by memory alone",
	 UNEVEN "levels block rack\n"
		"ask one count=4 mem=1024 required=rack\n"
		"place",
	 "one: b1/r1=4"},
	{"preferred rack: its block instead",
	 UNEVEN "levels block rack\n"
		"ask one count=4 cpu=1000 preferred=rack\n"
		"place",
	 "one: b1/r1=1 b1/r2=3"},
	{"preferred rack: blocks instead",
	 UNEVEN "levels block rack\n"
		"ask one count=6 cpu=1000 preferred=rack\n"
		"place",
	 "one: b1/r1=1 b1/r2=3 b2/r2=2"},
	{"preferred block: several of them",
	 UNEVEN "levels block rack\n"
		"ask one count=6 cpu=1000 preferred=block\n"
		"place",
	 "one: b1/r1=1 b1/r2=3 b2/r2=2"},
	{"preferred block: not enough anywhere",
	 UNEVEN "levels block rack\n"
		"ask one count=10 cpu=1000 preferred=block\n"
		"place",
	 "one: room for 7 of 10; 4 leaves"},
	{"node labels of the flavor: none has them",
	 "path host\n"
	 "flavor label=zone:zone-b\n"
	 "node x3 cpu=1000 label=zone:zone-a down\n"
	 "ask one count=1 cpu=1000 required=host\n"
	 "place",
	 "one: no domains kubernetes.io/hostname"},
	{"node labels of the flavor: one has them",
	 "path host\n"
	 "flavor label=zone:zone-a\n"
	 "node x3 cpu=1000 label=zone:zone-a\n"
	 "ask one count=1 cpu=1000 required=host\n"
	 "place",
	 "one: x3=1"},
	{"a node without the label of a level",
	 "node b1/r1/- cpu=1000\n"
	 "ask one count=1 cpu=1000 required=rack\n"
	 "place",
	 "one: no domains rack"},
	{"a pod that is not bound takes nothing",
	 "path host\n"
	 "node x3 cpu=1000\n"
	 "pod test-unscheduled cpu=600\n"
	 "ask one count=1 cpu=600 required=host\n"
	 "place",
	 "one: x3=1"},
	{"pods that ended take nothing",
	 "path host\n"
	 "node x3 cpu=1000\n"
	 "pod test-failed node=x3 cpu=600 phase=Failed\n"
	 "pod test-succeeded node=x3 cpu=600 phase=Succeeded\n"
	 "ask one count=1 cpu=600 required=host\n"
	 "place",
	 "one: x3=1"},
	{"a bound pod that has not started takes room",
	 "path host\n"
	 "node x3 cpu=1000\n"
	 "pod test-pending node=x3 cpu=600 phase=Pending\n"
	 "ask one count=1 cpu=600 required=host\n"
	 "place",
	 "one: room for 0 of 1; 1 leaves, cpu 1"},
	{"a running pod takes room",
	 "path host\n"
	 "node x3 cpu=1000\n"
	 "pod test-running node=x3 cpu=600 phase=Running\n"
	 "ask one count=1 cpu=600 required=host\n"
	 "place",
	 "one: room for 0 of 1; 1 leaves, cpu 1"},
	{"pods take places as well",
	 "path host\n"
	 "node x3 pods=10\n"
	 "pod running1 node=x3 phase=Running\n"
	 "pod running2 node=x3 phase=Running\n"
	 "ask one count=9 cpu=0 required=host\n"
	 "place",
	 "one: room for 8 of 9; 1 leaves"},
	{"room on the next node",
	 "path host\n"
	 "node x3 cpu=1000\n"
	 "node x5 cpu=1000\n"
	 "pod test-pod node=x3 cpu=600\n"
	 "ask one count=1 cpu=600 required=host\n"
	 "place",
	 "one: x5=1"},
	{"a node that is not ready",
	 "path host\n"
	 "flavor label=zone:zone-a\n"
	 "node x3 cpu=1000 label=zone:zone-a down\n"
	 "ask one count=1 cpu=1000 required=host\n"
	 "place",
	 "one: no domains kubernetes.io/hostname"},
	{"a cordoned node",
	 "path host\n"
	 "flavor label=zone:zone-a\n"
	 "node x3 cpu=1000 label=zone:zone-a cordoned\n"
	 "ask one count=1 cpu=1000 required=host\n"
	 "place",
	 "one: no domains kubernetes.io/hostname"},
	{"a taint that is not tolerated",
	 "path host\n"
	 "flavor label=zone:zone-a\n"
	 "node x3 cpu=1000 label=zone:zone-a taint=gpu:present\n"
	 "ask one count=1 cpu=1000 required=host\n"
	 "place",
	 "one: room for 0 of 1; 1 leaves, taint gpu 1"},
	{"every rule with its count",
	 "path host\n"
	 "node x1 cpu=1000 taint=key:value\n"
	 "node x2 cpu=1000 label=zone:zone-b\n"
	 "node x3 cpu=2000 label=zone:zone-b\n"
	 "node x4 cpu=100 label=zone:zone-a\n"
	 "ask one count=1 cpu=1000 required=host selector=zone:zone-a\n"
	 "place",
	 "one: room for 0 of 1; 4 leaves, taint key 1, selector 2, cpu 1"},
	{"the first resource by name binds",
	 "path host\n"
	 "node dual-shortage cpu=500 gpu=0\n"
	 "ask one count=1 cpu=1000 gpu=1 required=host\n"
	 "place",
	 "one: room for 0 of 1; 1 leaves, cpu 1"},
	{"a taint that is tolerated",
	 "path host\n"
	 "flavor label=zone:zone-a\n"
	 "node x3 cpu=1000 label=zone:zone-a taint=gpu:present\n"
	 "ask one count=1 cpu=1000 required=host tolerate=gpu:present\n"
	 "place",
	 "one: x3=1"},
	{"no place for another pod",
	 "path host\n"
	 "flavor label=zone:zone-a\n"
	 "node x3 cpu=1000 pods=1 label=zone:zone-a\n"
	 "pod test-running node=x3 cpu=300 phase=Running\n"
	 "ask one count=1 cpu=300 required=host\n"
	 "place",
	 "one: room for 0 of 1; 1 leaves, pods 1"},
	{"a selector that no node has",
	 "path host\n"
	 "flavor label=zone:zone-a\n"
	 "node x3 cpu=1000 label=zone:zone-a\n"
	 "ask one count=1 cpu=300 required=host selector=disk:ssd\n"
	 "place",
	 "one: room for 0 of 1; 1 leaves, selector 1"},
	{"a selector with another value",
	 "path host\n"
	 "flavor label=zone:zone-a\n"
	 "node x3 cpu=1000 label=zone:zone-a label=disk:hdd\n"
	 "ask one count=1 cpu=300 required=host selector=disk:ssd\n"
	 "place",
	 "one: room for 0 of 1; 1 leaves, selector 1"},
	{"a selector that one node has",
	 "path host\n"
	 "flavor label=zone:zone-a\n"
	 "node x3 cpu=1000 label=zone:zone-a label=disk:hdd\n"
	 "node x5 cpu=1000 label=zone:zone-a label=disk:ssd\n"
	 "ask one count=1 cpu=1000 required=host selector=disk:ssd\n"
	 "place",
	 "one: x5=1"},
	{"slices of hosts: one each",
	 "node b1/r1/x3 cpu=3000\n"
	 "node b1/r1/x5 cpu=3000\n"
	 "node b1/r1/x1 cpu=3000\n"
	 "ask one count=6 cpu=1000 required=block slices=host:2\n"
	 "place",
	 "one: x1=2 x3=2 x5=2"},
	{"slices of hosts: most slices first, the tightest last",
	 "node b1/r1/x3 cpu=6000\n"
	 "node b1/r1/x5 cpu=5000\n"
	 "node b1/r1/x1 cpu=4000\n"
	 "node b1/r1/x6 cpu=2000\n"
	 "ask one count=12 cpu=1000 required=block slices=host:2\n"
	 "place",
	 "one: x1=4 x3=6 x6=2"},
	{"slices of hosts: tight ones only",
	 "node b1/r1/x3 cpu=3000\n"
	 "node b1/r1/x5 cpu=2000\n"
	 "node b1/r1/x1 cpu=2000\n"
	 "ask one count=4 cpu=1000 required=block slices=host:2\n"
	 "place",
	 "one: x1=2 x5=2"},
	{"slices of racks",
	 "node b1/r1/x3 cpu=1000\n"
	 "node b1/r1/x5 cpu=1000\n"
	 "node b1/r2/x1 cpu=1000\n"
	 "node b1/r2/x6 cpu=1000\n"
	 "node b1/r2/x2 cpu=1000\n"
	 "node b2/r1/x4 cpu=1000\n"
	 "node b2/r1/x7 cpu=1000\n"
	 "ask one count=4 cpu=1000 required=block slices=rack:2\n"
	 "place",
	 "one: x3=1 x5=1 x1=1 x2=1"},
	{"slices of racks over blocks",
	 UNEVEN "ask one count=4 cpu=1000 preferred=block slices=rack:2\n"
		"place",
	 "one: x1=1 x5=1 x4=2"},
	{"slices of hosts: the last one as tight as can be",
	 "node b1/r1/x3 cpu=4000\n"
	 "node b1/r1/x5 cpu=3000\n"
	 "node b1/r1/x1 cpu=2000\n"
	 "ask one count=6 cpu=1000 required=block slices=host:2\n"
	 "place",
	 "one: x1=2 x3=4"},
	{"slices of racks: room, but no slice",
	 "node b1/r1/x3 cpu=2000\n"
	 "node b1/r2/x5 cpu=2000\n"
	 "node b1/r3/x1 cpu=2000\n"
	 "ask one count=6 cpu=1000 required=block slices=rack:3\n"
	 "place",
	 "one: room for 0 of 2 slices; 3 leaves"},
	{"slices of racks: one of two",
	 "node b1/r1/x3 cpu=3000\n"
	 "node b1/r2/x5 cpu=1000\n"
	 "node b1/r3/x1 cpu=1000\n"
	 "node b1/r4/x6 cpu=1000\n"
	 "ask one count=6 cpu=1000 required=block slices=rack:3\n"
	 "place",
	 "one: room for 1 of 2 slices; 4 leaves"},
	{"slices of racks: the block whose racks hold them",
	 "node b1/r1/x3 cpu=2000\n"
	 "node b1/r2/x5 cpu=2000\n"
	 "node b1/r3/x1 cpu=2000\n"
	 "node b2/r4/x6 cpu=3000\n"
	 "node b2/r5/x2 cpu=3000\n"
	 "ask one count=6 cpu=1000 required=block slices=rack:3\n"
	 "place",
	 "one: x6=3 x2=3"},
	{"slices above the level of the pod set",
	 UNEVEN "ask one count=1 cpu=1000 required=host slices=block:1\n"
		"place",
	 "one: slices above block"},
	{"slices at a level that is not there",
	 UNEVEN "ask one count=1 cpu=1000 required=block slices=shelf:1\n"
		"place",
	 "one: no level shelf"},
	{"slices only: hosts",
	 "node b1/r1/x3 cpu=3000\n"
	 "node b1/r1/x5 cpu=3000\n"
	 "node b1/r1/x1 cpu=3000\n"
	 "ask one count=6 cpu=1000 slices=host:2\n"
	 "place",
	 "one: x1=2 x3=2 x5=2"},
	{"slices only: hosts in two blocks",
	 SCATTERED "ask one count=6 cpu=1000 slices=host:2\n"
		   "place",
	 "one: x3=4 x6=2"},
	{"slices only: racks in two blocks",
	 UNEVEN "ask one count=4 cpu=1000 slices=rack:2\n"
		"place",
	 "one: x1=1 x5=1 x4=2"},
	{"a second pod set beside the first",
	 "path block\n"
	 "node b1 cpu=2000 pods=10\n"
	 "node b2 cpu=2000 pods=10\n"
	 "node b3 cpu=2000 pods=10\n"
	 "ask podset1 count=3 cpu=1000 preferred=block\n"
	 "ask podset2 count=3 cpu=1000 preferred=block\n"
	 "place",
	 "podset1: b1=2 b2=1; podset2: b2=1 b3=2"},
	{"leader and workers in one block",
	 "path block\n"
	 "node b1 cpu=2000 gpu=2\n"
	 "node b2 cpu=5000 gpu=4\n"
	 "node b3 cpu=2000 gpu=2\n"
	 "ask leader count=1 cpu=1000 required=block group=g\n"
	 "ask workers count=4 cpu=1000 gpu=1 required=block group=g\n"
	 "place",
	 "leader: b2=1; workers: b2=4"},
	{"leader and workers: the block that holds both",
	 "path block\n"
	 "node b1 cpu=2000 gpu=2\n"
	 "node b2 cpu=8000 gpu=8\n"
	 "node b3 cpu=2000 gpu=2\n"
	 "ask leader count=1 cpu=1000 required=block group=g\n"
	 "ask workers count=4 cpu=1000 gpu=2 required=block group=g\n"
	 "place",
	 "leader: b2=1; workers: b2=4"},
	{"leader and workers: workers alone would fit",
	 "path block\n"
	 "node b1 cpu=1000 gpu=0\n"
	 "node b2 cpu=4000 gpu=4\n"
	 "ask leader count=1 cpu=1000 required=block group=g\n"
	 "ask workers count=4 cpu=1000 gpu=1 required=block group=g\n"
	 "place",
	 "workers: room for 4 of 4; 2 leaves, gpu 1"},
	{"leader and workers: not the block that is tight for workers only",
	 "path block\n"
	 "node b1 cpu=11000 gpu=8\n"
	 "node b2 cpu=4000 gpu=4\n"
	 "ask leader count=1 cpu=1000 required=block group=g\n"
	 "ask workers count=4 cpu=1000 gpu=1 required=block group=g\n"
	 "place",
	 "leader: b1=1; workers: b1=4"},
	{"leader and workers in slices of hosts",
	 "node b1/r1/x1 cpu=20000 gpu=4\n"
	 "node b1/r1/x2 cpu=20000 gpu=2\n"
	 "node b1/r1/x3 cpu=20000 gpu=2\n"
	 "node b1/r1/x4 cpu=20000 gpu=2\n"
	 "ask leader count=1 cpu=1000 preferred=block group=g\n"
	 "ask workers count=6 cpu=1000 gpu=1 preferred=block slices=host:2 group=g\n"
	 "place",
	 "leader: x1=1; workers: x1=4 x2=2"},
	{"leader and workers: a leader that fits nowhere",
	 "path block\n"
	 "node b1 cpu=4000 gpu=4\n"
	 "node b2 cpu=4000 gpu=4\n"
	 "ask leader count=1 cpu=10000 required=block group=g\n"
	 "ask workers count=4 cpu=1000 gpu=1 required=block group=g\n"
	 "place",
	 "workers: room for 4 of 4; 2 leaves"},
	{"leader and workers: on different hosts of one block",
	 "node b1/r1/x3 cpu=2000 gpu=1\n"
	 "node b1/r1/x5 cpu=2000 gpu=1\n"
	 "node b1/r1/x1 cpu=2000 gpu=1\n"
	 "node b2/r4/x6 cpu=1000 gpu=1\n"
	 "node b2/r5/x2 cpu=2000 gpu=1\n"
	 "node b2/r6/x4 cpu=2000 gpu=1\n"
	 "ask leader count=1 cpu=2000 required=block group=g\n"
	 "ask workers count=2 cpu=1000 gpu=1 required=block group=g\n"
	 "place",
	 "leader: x1=1; workers: x3=1 x5=1"},
	{"leader and workers: beside each other in one block",
	 "node b1/r1/x3 cpu=1000 gpu=1\n"
	 "node b1/r1/x5 cpu=1000 gpu=1\n"
	 "node b1/r2/x1 cpu=1000 gpu=1\n"
	 "node b1/r2/x6 cpu=1000 gpu=1\n"
	 "node b2/r3/x2 cpu=1000 gpu=1\n"
	 "node b2/r3/x4 cpu=1000 gpu=1\n"
	 "node b2/r4/x7 cpu=1000 gpu=1\n"
	 "node b2/r4/x8 cpu=1000 gpu=1\n"
	 "ask leader count=1 cpu=1000 gpu=1 required=block group=g\n"
	 "ask workers count=2 cpu=1000 gpu=1 required=block group=g\n"
	 "place",
	 "leader: x3=1; workers: x5=1 x1=1"},
	{"two pod sets that need different things",
	 WIDE "levels block rack\n"
	      "ask podset1 count=2 cpu=1000 required=rack\n"
	      "ask podset2 count=1 mem=1024 required=rack\n"
	      "place",
	 "podset1: b1/r1=2; podset2: b1/r1=1"},
	{"required, then unconstrained",
	 WIDE "ask podset1 count=8 cpu=1000 required=block\n"
	      "ask podset2 count=2 cpu=1000 unconstrained\n"
	      "place",
	 "podset1: x2=8; podset2: x2=2"},
	{"a selector of the second pod set only",
	 "path host\n"
	 "node x1 cpu=4000 mem=4294967296\n"
	 "node x2 cpu=4000 mem=4294967296\n"
	 "ask ps1 count=1 cpu=1000 mem=1000 implied\n"
	 "ask ps2 count=1 cpu=1000 mem=1000 implied selector=never:match\n"
	 "place",
	 "ps2: room for 0 of 1; 2 leaves, selector 2"},
	{"layers: racks of four in hosts of two",
	 "node b1/r1/x1 cpu=1000\n"
	 "node b1/r1/x2 cpu=4000\n"
	 "node b1/r2/x3 cpu=3000\n"
	 "node b1/r2/x4 cpu=4000\n"
	 "ask one count=8 cpu=1000 required=block slices=rack:4 slices=host:2\n"
	 "place",
	 "one: x2=4 x3=2 x4=2"},
	{"one layer: racks of four",
	 "node b1/r1/x1 cpu=1000\n"
	 "node b1/r1/x2 cpu=4000\n"
	 "node b1/r2/x3 cpu=3000\n"
	 "node b1/r2/x4 cpu=4000\n"
	 "ask one count=8 cpu=1000 required=block slices=rack:4\n"
	 "place",
	 "one: x1=1 x2=3 x3=3 x4=1"},
	{"layers: hosts round the rack down",
	 "node b1/r1/x1 cpu=3000\n"
	 "node b1/r1/x2 cpu=3000\n"
	 "node b1/r1/x3 cpu=0\n"
	 "ask one count=6 cpu=1000 required=block slices=rack:6 slices=host:2\n"
	 "place",
	 "one: room for 0 of 1 slices; 3 leaves, cpu 1, 0/1 in rack, 2/3 in "
	 "kubernetes.io/hostname"},
	{"layers: one of two racks",
	 "node b1/r1/x1 cpu=7000\n"
	 "node b1/r1/x2 cpu=4000\n"
	 "node b1/r2/x3 cpu=7000\n"
	 "node b1/r2/x4 cpu=3000\n"
	 "ask one count=16 cpu=1000 required=block slices=rack:8 slices=host:4\n"
	 "place",
	 "one: room for 1 of 2 slices; 4 leaves, 1/2 in rack, 3/4 in kubernetes.io/hostname"},
	{"layers: enough for hosts, none for racks",
	 "node b1/r1/x1 cpu=4000\n"
	 "node b1/r2/x2 cpu=4000\n"
	 "node b1/r3/x3 cpu=4000\n"
	 "ask one count=12 cpu=1000 required=block slices=rack:6 slices=host:2\n"
	 "place",
	 "one: room for 0 of 2 slices; 3 leaves, 0/2 in rack, 6/6 in kubernetes.io/hostname"},
	/* ours */
	{"levels of different flavors share hosts",
	 "also other host\n"
	 "flavor label=zone:a\n"
	 "node b1/r1/x1 cpu=4 label=zone:a\n"
	 "node b1/r1/x2 cpu=4 label=zone:b\n"
	 "ask one count=3 cpu=1 required=host\n"
	 "ask two count=4 cpu=1 required=host flavor=other\n"
	 "place",
	 "one: x1=3; two: x2=4"},
	{"another flavor's pods on a shared host",
	 "also other host\n"
	 "node b1/r1/x1 cpu=4\n"
	 "ask one count=3 cpu=1 required=host\n"
	 "ask two count=2 cpu=1 required=host flavor=other\n"
	 "place",
	 "two: room for 1 of 2; 1 leaves"},
	{"racks are not shared between flavors",
	 "levels block rack\n"
	 "also other block rack\n"
	 "node b1/r1/x1 cpu=4\n"
	 "ask one count=3 cpu=1 required=rack\n"
	 "ask two count=3 cpu=1 required=rack flavor=other\n"
	 "place",
	 "one: b1/r1=3; two: b1/r1=3"},
	{"admitted workloads hold their places",
	 "node b1/r1/x1 cpu=4\n"
	 "node b1/r1/x2 cpu=4\n"
	 "held old cpu=1 x1:3 x2:1\n"
	 "ask one count=4 cpu=1 required=rack\n"
	 "place",
	 "one: x1=1 x2=3"},
	{"as if no workload held a place",
	 "node b1/r1/x1 cpu=4\n"
	 "held old cpu=1 x1:3\n"
	 "pod other node=x1 cpu=1\n"
	 "ask one count=3 cpu=1 required=host\n"
	 "place\n"
	 "ask one count=3 cpu=1 required=host\n"
	 "place empty\n"
	 "ask one count=4 cpu=1 required=host\n"
	 "place empty",
	 "one: room for 0 of 3; 1 leaves, cpu 1; one: x1=3; one: room for 3 of 4; 1 leaves"},
	{"places of a workload by rack",
	 "levels block rack\n"
	 "node b1/r1/x1 cpu=4\n"
	 "node b1/r2/x2 cpu=4\n"
	 "held old cpu=1 b1/r2:3\n"
	 "ask one count=5 cpu=1 required=block\n"
	 "place",
	 "one: b1/r1=4 b1/r2=1"},
	{"places on a node that is gone",
	 "node b1/r1/x1 cpu=4\n"
	 "held old cpu=1 x9:3\n"
	 "ask one count=4 cpu=1 required=host\n"
	 "place",
	 "one: x1=4"},
	{"pods placed by topology are counted once",
	 "node b1/r1/x1 cpu=4\n"
	 "held old cpu=1 x1:2\n"
	 "pod old-0 node=x1 cpu=1 tas\n"
	 "pod old-1 node=x1 cpu=1 tas\n"
	 "ask one count=2 cpu=1 required=host\n"
	 "place",
	 "one: x1=2"},
	{"a trial, and taken back",
	 "node b1/r1/x1 cpu=4\n"
	 "use cpu=2 x1:2\n"
	 "ask one count=1 cpu=1 required=host\n"
	 "place\n"
	 "free cpu=2 x1:1\n"
	 "ask one count=2 cpu=1 required=host\n"
	 "place",
	 "one: room for 0 of 1; 1 leaves, cpu 1; one: x1=2"},
	{"do these domains still hold?",
	 "node b1/r1/x1 cpu=4\n"
	 "node b1/r1/x2 cpu=4 pods=1\n"
	 "fits cpu=1 x1:4 x2:1\n"
	 "fits cpu=1 x1:5\n"
	 "fits x2:2\n"
	 "fits cpu=1 x9:1\n"
	 "fits cpu=3 x1:1 x1:1\n"
	 "fits gpu=1 x1:1",
	 "fits; does not fit; does not fit; does not fit; does not fit; does not fit"},
	{"do these domains still hold? upstream does not count pods",
	 "strict\n"
	 "node b1/r1/x2 cpu=4 pods=1\n"
	 "fits cpu=1 x2:4\n"
	 "fits cpu=1 x2:5",
	 "fits; does not fit"},
	{"a place that is held twice over",
	 "node b1/r1/x1 cpu=4\n"
	 "held old cpu=3 x1:2\n"
	 "ask one count=1 cpu=1 required=host\n"
	 "place",
	 "one: room for 0 of 1; 1 leaves, cpu 1"},
	{"tolerations of the flavor count as the pods' own",
	 "flavor tolerate=spot\n"
	 "node b1/r1/x1 cpu=1 taint=spot\n"
	 "node b1/r1/x2 cpu=1 taint=spot taint=gpu\n"
	 "ask one count=2 cpu=1 required=rack\n"
	 "place\n"
	 "ask one count=2 cpu=1 required=rack tolerate=gpu\n"
	 "place",
	 "one: room for 1 of 2; 2 leaves, taint gpu 1; one: x1=1 x2=1"},
	{"affinity of the pods",
	 "node b1/r1/x1 cpu=1 label=disk:hdd\n"
	 "node b1/r1/x2 cpu=1 label=disk:ssd\n"
	 "node b1/r1/x3 cpu=1\n"
	 "ask one count=1 cpu=1 required=rack affinity=disk:ssd\n"
	 "ask two count=1 cpu=1 required=rack affinity=disk:ssd\n"
	 "place",
	 "two: room for 0 of 1; 3 leaves, affinity 2, cpu 1"},
	{"selectors are not looked at above the host",
	 "levels block rack\n"
	 "node b1/r1/x1 cpu=1 taint=gpu\n"
	 "ask one count=1 cpu=1 required=rack selector=disk:ssd\n"
	 "place",
	 "one: b1/r1=1"},
	{"a flavor without topology",
	 "node b1/r1/x1 cpu=1\n"
	 "ask one count=1 cpu=1 required=rack flavor=none\n"
	 "place",
	 "one: no topology "},
	{"neither a level nor anything else is asked for",
	 "node b1/r1/x1 cpu=1\n"
	 "ask one count=1 cpu=1\n"
	 "place",
	 "one: no level "},
	{"no pods at all",
	 "node b1/r1/x1 cpu=1\n"
	 "ask one count=0 cpu=1 required=rack\n"
	 "ask two count=1 cpu=1 required=rack\n"
	 "place",
	 "one:; two: x1=1"},
	{"a resource that no node has",
	 "node b1/r1/x1 cpu=1\n"
	 "node b1/r1/x2 cpu=0\n"
	 "ask one count=1 cpu=1 gpu=1 required=rack\n"
	 "place",
	 "one: room for 0 of 1; 2 leaves, cpu 1, gpu 1"},
	{"leaders go where they cost least when the rest would not fit otherwise",
	 "node b1/r1/x1 cpu=10 gpu=1\n"
	 "node b1/r1/x2 cpu=8 gpu=4\n"
	 "ask workers count=17 cpu=1 required=rack group=g\n"
	 "ask leader count=1 cpu=1 gpu=1 required=rack group=g\n"
	 "place\n"
	 "ask workers count=8 cpu=2 required=rack group=g\n"
	 "ask leader count=1 cpu=1 required=rack group=g\n"
	 "place",
	 "workers: x1=9 x2=8; leader: x1=1; workers: x1=4 x2=4; leader: x1=1"},
	{"a leader beside workers without slices in a rack",
	 "levels block rack host\n"
	 "node b1/r1/x1 cpu=5 gpu=1\n"
	 "node b1/r1/x2 cpu=4\n"
	 "ask workers count=7 cpu=1 required=rack slices=rack:7 group=g\n"
	 "ask leader count=1 cpu=2 gpu=1 required=rack group=g\n"
	 "place",
	 "workers: x1=3 x2=4; leader: x1=1"},
	{"unconstrained leader and workers: the first host that holds both",
	 "node b1/r1/x1 cpu=3\n"
	 "node b1/r1/x2 cpu=4\n"
	 "node b1/r1/x3 cpu=5\n"
	 "ask workers count=3 cpu=1 unconstrained group=g\n"
	 "ask leader count=1 cpu=1 unconstrained group=g\n"
	 "place",
	 "workers: x2=3; leader: x2=1"},
	{"the pod set with fewer pods leads, whichever comes first",
	 "node b1/r1/x1 cpu=3\n"
	 "ask first count=1 cpu=1 required=host group=g\n"
	 "ask second count=2 cpu=1 required=host group=g\n"
	 "place",
	 "first: x1=1; second: x1=2"},
	{"odd pods are refused",
	 "node b1/r1/x1 cpu=9\n"
	 "ask one count=5 cpu=1 required=rack slices=host:2\n"
	 "place",
	 "one: slice divides kubernetes.io/hostname"},
	{"odd pods are forgotten, as upstream",
	 "strict\n"
	 "node b1/r1/x1 cpu=9\n"
	 "ask one count=5 cpu=1 required=rack slices=host:2\n"
	 "place",
	 "one: x1=4"},
	{"an inner layer above the outer one",
	 "node b1/r1/x1 cpu=9\n"
	 "ask one count=4 cpu=1 required=block slices=rack:4 slices=block:2\n"
	 "place",
	 "one: layer above block"},
	{"an inner layer that does not divide the outer one",
	 "node b1/r1/x1 cpu=9\n"
	 "ask one count=4 cpu=1 required=block slices=rack:4 slices=host:3\n"
	 "place",
	 "one: layer divides kubernetes.io/hostname"},
	{"three layers",
	 "path dc block rack host\n"
	 "node d/b1/r1/x1 cpu=5\n"
	 "node d/b1/r1/x2 cpu=3\n"
	 "node d/b1/r2/x3 cpu=4\n"
	 "node d/b2/r3/x4 cpu=8\n"
	 "ask one count=16 cpu=1 required=dc slices=block:8 slices=rack:4 slices=host:2\n"
	 "place",
	 "one: x1=2 x2=2 x3=4 x4=8"},
	{"a topology of racks with many nodes",
	 "levels rack\n"
	 "node b1/r1/x1 cpu=2\n"
	 "node b1/r1/x2 cpu=3\n"
	 "node b2/r2/x3 cpu=4\n"
	 "ask one count=5 cpu=1 required=rack\n"
	 "place",
	 "one: r1=5"},
	{"racks of the same name in different blocks",
	 "node b1/r1/x1 cpu=1\n"
	 "node b2/r1/x2 cpu=1\n"
	 "ask one count=2 cpu=1 required=rack\n"
	 "place",
	 "one: room for 1 of 2; 2 leaves"},
	{"a failed node: its pods go to the tightest place",
	 "node b1/r1/x1 cpu=4\n"
	 "node b1/r1/x2 cpu=9\n"
	 "node b2/r1/x3 cpu=2\n"
	 "held one cpu=1 x1:4 x9:2\n"
	 "ask one count=6 cpu=1 preferred=host lost=x9 before=x1:4 before=x9:2\n"
	 "place",
	 "one: x1=4 x3=2"},
	{"a failed node: within the required rack",
	 "node b1/r1/x1 cpu=4\n"
	 "node b1/r1/x2 cpu=9\n"
	 "node b2/r1/x3 cpu=2\n"
	 "held one cpu=1 x1:4 x9:2\n"
	 "ask one count=6 cpu=1 required=rack lost=x9 before=x1:4 before=x9:2\n"
	 "place",
	 "one: x1=4 x2=2"},
	{"a failed node: no room in the required rack",
	 "node b1/r1/x1 cpu=4\n"
	 "node b2/r1/x3 cpu=2\n"
	 "held one cpu=1 x1:4 x9:2\n"
	 "ask one count=6 cpu=1 required=rack lost=x9 before=x1:4 before=x9:2\n"
	 "place",
	 "one: room for 0 of 2; 2 leaves, domain 1, cpu 1"},
	{"a failed node: more pods on a node that has some",
	 "node b1/r1/x1 cpu=9\n"
	 "held one cpu=1 x1:4 x9:2\n"
	 "ask one count=6 cpu=1 required=rack lost=x9 before=x1:4 before=x9:2\n"
	 "place",
	 "one: x1=6"},
	{"a failed node: it was the only one",
	 "node b1/r1/x1 cpu=1\n"
	 "node b2/r1/x3 cpu=2\n"
	 "ask one count=2 cpu=1 required=host lost=x9 before=x9:2\n"
	 "place",
	 "one: x3=2"},
	{"a failed node: another one is gone too",
	 "node b1/r1/x1 cpu=4\n"
	 "ask one count=6 cpu=1 required=rack lost=x9 before=x1:2 before=x8:2 before=x9:2\n"
	 "place",
	 "one: stale x8"},
	{"a failed node: the slice that it was part of",
	 "node b1/r1/x1 cpu=3\n"
	 "node b1/r1/x2 cpu=3\n"
	 "node b1/r2/x3 cpu=3\n"
	 "node b1/r2/x4 cpu=9\n"
	 "held one cpu=1 x1:3 x3:3 x9:1\n"
	 "ask one count=8 cpu=1 required=block slices=rack:4 lost=x9 before=x3:4 before=x1:3 "
	 "before=x9:1\n"
	 "place",
	 "one: x1=3 x2=1 x3=4"},
	{"a failed node: whole slices go anywhere",
	 "node b1/r1/x1 cpu=2\n"
	 "node b2/r2/x3 cpu=2\n"
	 "held one cpu=1 x1:2 x9:2\n"
	 "ask one count=4 cpu=1 preferred=block slices=host:2 lost=x9 before=x1:2 before=x9:2\n"
	 "place",
	 "one: x1=2 x3=2"},
	{"a failed node: only the inner layer is whole",
	 "node b1/r1/x1 cpu=2\n"
	 "node b1/r1/x2 cpu=1\n"
	 "node b1/r1/x3 cpu=2\n"
	 "node b1/r2/x4 cpu=4\n"
	 "held one cpu=1 x1:2 x9:2\n"
	 "ask one count=4 cpu=1 required=block slices=rack:4 slices=host:2 lost=x9 before=x1:2 "
	 "before=x9:2\n"
	 "place",
	 "one: x1=2 x3=2"},
	{"ranks fill the domains in order",
	 "held w cpu=1 x1:2 x2:1\n"
	 "pod a index=2 gated\n"
	 "pod b index=0 gated\n"
	 "pod c index=1 gated\n"
	 "rank w",
	 "a>x2 b>x1 c>x1"},
	{"ranks by a label of the pods",
	 "held w cpu=1 x1:1 x2:1\n"
	 "pod a index=0 label=rank:1 gated\n"
	 "pod b index=1 label=rank:0 gated\n"
	 "rank w index=rank",
	 "a>x2 b>x1"},
	{"ranks in groups",
	 "held w cpu=1 x1:2 x2:2\n"
	 "pod a label=job:1 label=rank:0 gated\n"
	 "pod b label=job:0 label=rank:1 gated\n"
	 "pod c label=job:1 label=rank:1 gated\n"
	 "pod d label=job:0 label=rank:0 gated\n"
	 "rank w index=rank groups=job:2",
	 "a>x2 b>x1 c>x2 d>x1"},
	{"workers' ranks begin behind their leader",
	 "held w cpu=1 x1:1 x2:1\n"
	 "pod a label=rank:2 gated\n"
	 "pod b label=rank:1 gated\n"
	 "rank w index=rank offset=1",
	 "a>x2 b>x1"},
	{"a rank twice: whoever comes first by name",
	 "held w cpu=1 x1:1 x2:1\n"
	 "pod a index=1 gated\n"
	 "pod b index=1 gated\n"
	 "rank w",
	 "a>x1 b>x2"},
	{"a pod elsewhere than its rank says: wherever one is missing",
	 "held w cpu=1 x1:2 x2:1\n"
	 "pod a index=0 on=x2\n"
	 "pod b index=1 gated\n"
	 "pod c index=2 gated\n"
	 "rank w",
	 "b>x1 c>x1"},
	{"pods without ranks, some of them let go before",
	 "held w cpu=1 x1:2 x2:2\n"
	 "pod a on=x1\n"
	 "pod b gated\n"
	 "pod c gated\n"
	 "pod d gated\n"
	 "rank w",
	 "b>x1 c>x2 d>x2"},
	{"more pods than places",
	 "held w cpu=1 x1:1\n"
	 "pod a gated\n"
	 "pod b gated\n"
	 "rank w",
	 "a>x1 b>-"},
	{"a rank beyond the pod set",
	 "held w cpu=1 x1:1 x2:1\n"
	 "pod a index=5 gated\n"
	 "pod b index=0 gated\n"
	 "rank w",
	 "a>x1 b>x2"},
	{"two pod sets on one failed node",
	 "node b1/r1/x1 cpu=3\n"
	 "node b1/r1/x2 cpu=2\n"
	 "ask one count=2 cpu=1 preferred=host lost=x9 before=x9:2\n"
	 "ask two count=1 cpu=1 preferred=host lost=x9 before=x9:1\n"
	 "place",
	 "one: x2=2; two: x1=1"},
};

static void place_row(const struct place_case *row)
{
	struct plot *p = test_calloc(1, sizeof(*p));

	plot_init(p);
	assert_string_equal(plot_run(p, row->lines), row->want);
	plot_fini(p);
	test_free(p);
}
PLM_TEST_ROWS(place_row, struct place_case)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, place_row, place_table);
	return plm_tests_run(&tests, "tas place");
}
