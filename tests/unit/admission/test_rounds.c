/* Whole rounds: a setup in lines, the decisions in words. Source: kueue.md 2.3-2.11, dialect.md Queues. */
#include "world.h"

struct row {
	const char *why;
	const char *setup;
	int64_t rounds;
	const char *want;
};

static const struct row strict_rows[] = {
	{"one head per queue and round",
	 "queue a cpu=10\nworkload x queue=a cpu=1 at=1\n"
	 "workload y queue=a cpu=1 at=2",
	 1, "reserve x=default"},
	{"rounds go on to the fixed point",
	 "queue a cpu=10\nworkload x queue=a cpu=1 at=1\nworkload y queue=a cpu=1 at=2", 0,
	 "reserve x=default; reserve y=default"},
	{"higher priority goes first, then the older one",
	 "queue a cpu=10\nworkload x queue=a cpu=1 at=1\nworkload y queue=a cpu=1 at=2 prio=5\n"
	 "workload z queue=a cpu=1 at=1 prio=5",
	 0, "reserve z=default; reserve y=default; reserve x=default"},
	{"best effort passes a head that does not fit",
	 "queue a cpu=10\nworkload big queue=a cpu=11 at=1\nworkload x queue=a cpu=1 at=2", 0,
	 "pend big ExceedsMaxQuota parked; reserve x=default"},
	{"strict order does not",
	 "queue a strict cpu=10\nworkload big queue=a cpu=11 at=1\nworkload x queue=a cpu=1 at=2",
	 0, "pend big ExceedsMaxQuota"},
	{"workloads alike are parked with the first",
	 "queue a cpu=1\nworkload x queue=a cpu=2 at=1\nworkload y queue=a cpu=2 at=2\n"
	 "workload z queue=a cpu=3 at=3",
	 0, "pend x ExceedsMaxQuota parked; pend z ExceedsMaxQuota parked"},
	{"borrowing stops at the limit",
	 "queue a cohort=c cpu=1/2\nqueue b cohort=c cpu=9\nworkload x queue=a cpu=3 at=1\n"
	 "workload y queue=a cpu=1 at=2",
	 0, "reserve x=default; pend y WaitingForQuota parked"},
	{"what is not lent cannot be borrowed",
	 "queue a cohort=c cpu=1\nqueue b cohort=c cpu=9/-/2\nworkload x queue=a cpu=4 at=1\n"
	 "workload y queue=a cpu=3 at=2",
	 0, "pend x ExceedsMaxQuota parked; reserve y=default"},
	{"the queue that borrows less goes first",
	 "queue a cohort=c cpu=1\nqueue b cohort=c cpu=3\nworkload x queue=a cpu=2 at=1\n"
	 "workload y queue=b cpu=3 at=2",
	 1, "reserve y=default; pend x WaitingForQuota"},
	{"an untolerated taint leads to the next flavor",
	 "flavor spot taint=spot\nqueue a flavor:spot cpu=5 flavor:default cpu=5\n"
	 "workload x queue=a cpu=1 at=1\nworkload y queue=a cpu=1 at=2 tolerate=spot",
	 0, "reserve x=default; reserve y=spot"},
	{"a selector binds only by keys that the flavor has",
	 "flavor arm label=arch:arm\nflavor x86 label=arch:x86\n"
	 "queue a flavor:arm cpu=5 flavor:x86 cpu=5\n"
	 "workload x queue=a cpu=1 at=1 selector=arch:x86\n"
	 "workload y queue=a cpu=1 at=2 selector=disk:ssd",
	 0, "reserve x=x86; reserve y=arm"},
	{"no flavor matches",
	 "flavor arm label=arch:arm\nqueue a flavor:arm cpu=5\n"
	 "workload x queue=a cpu=1 selector=arch:x86",
	 0, "pend x NoMatchingFlavor parked"},
	{"a resource that the queue does not cover",
	 "queue a cpu=5\nworkload x queue=a cpu=1 mem=1", 0, "pend x NoMatchingFlavor parked"},
	{"fewer pods are let in where that is allowed",
	 "queue a cpu=5\nworkload x queue=a cpu=1 count=9 min=3", 0, "reserve x=default*5"},
	{"reclaimable pods are not counted",
	 "queue a cpu=5\nworkload x queue=a cpu=1 count=9 back=5", 0, "reserve x=default*4"},
	{"lower priority in the queue makes room",
	 "queue a cpu=5 within=LowerPriority\nworkload low queue=a cpu=5 prio=1 held=default\n"
	 "workload x queue=a cpu=2 prio=2",
	 1, "evict low InClusterQueue; pend x WaitingForPreemptedWorkloads"},
	{"equal priority does not",
	 "queue a cpu=5 within=LowerPriority\nworkload same queue=a cpu=5 prio=2 held=default\n"
	 "workload x queue=a cpu=2 prio=2",
	 1, "pend x WaitingForQuota parked"},
	{"but a newer one of equal priority may be asked for it",
	 "queue a cpu=5 within=LowerOrNewerEqualPriority\n"
	 "workload same queue=a cpu=5 prio=2 at=9 held=default\nworkload x queue=a cpu=2 prio=2 "
	 "at=3",
	 1, "evict same InClusterQueue; pend x WaitingForPreemptedWorkloads"},
	{"only as many victims as are needed, the youngest reservation first",
	 "queue a cpu=4 within=LowerPriority\nworkload v1 queue=a cpu=2 held=default since=1\n"
	 "workload v2 queue=a cpu=2 held=default since=2\nworkload x queue=a cpu=2 prio=2",
	 1, "evict v2 InClusterQueue; pend x WaitingForPreemptedWorkloads"},
	{"what was lent is taken back",
	 "queue a cohort=c cpu=3 reclaim=Any\nqueue b cohort=c cpu=3\n"
	 "workload v queue=b cpu=6 prio=9 held=default\nworkload x queue=a cpu=3",
	 1, "evict v InCohortReclamation; pend x WaitingForPreemptedWorkloads"},
	{"what is within its quota is not",
	 "queue a cohort=c cpu=3 reclaim=Any\nqueue b cohort=c cpu=3\n"
	 "workload v queue=b cpu=3 held=default\nworkload x queue=a cpu=4",
	 1, "pend x WaitingForQuota parked"},
	{"borrowing takes only from lower priorities below the threshold",
	 "queue a cohort=c cpu=1 reclaim=Any borrowWithin=LowerPriority threshold=3\n"
	 "queue b cohort=c cpu=3\nworkload v queue=b cpu=4 prio=2 held=default\n"
	 "workload x queue=a cpu=2 prio=5",
	 1, "evict v InCohortReclaimWhileBorrowing; pend x WaitingForPreemptedWorkloads"},
	{"not above it",
	 "queue a cohort=c cpu=1 reclaim=Any borrowWithin=LowerPriority threshold=1\n"
	 "queue b cohort=c cpu=3\nworkload v queue=b cpu=4 prio=2 held=default\n"
	 "workload x queue=a cpu=2 prio=5",
	 1, "pend x WaitingForQuota parked"},
	{"the dialect's threshold holds the preemptor back",
	 "queue a cpu=5 within=LowerPriority preemptFrom=5\n"
	 "workload low queue=a cpu=5 prio=1 held=default\nworkload x queue=a cpu=2 prio=4",
	 1, "pend x WaitingForQuota parked"},
	{"a head that cannot preempt keeps its quota from others in this round",
	 "queue a cohort=c cpu=2 strict within=LowerPriority reclaim=LowerPriority\n"
	 "queue b cohort=c cpu=2\nworkload v queue=b cpu=3 prio=9 held=default\n"
	 "workload x queue=a cpu=2 prio=1 at=1\nworkload y queue=b cpu=1 at=2",
	 1, "pend x WaitingForQuota; pend y WaitingForQuota"},
	{"a victim is taken by one preemptor only",
	 "queue a cohort=c cpu=2 reclaim=Any\nqueue b cohort=c cpu=2 reclaim=Any\n"
	 "queue z cohort=c cpu=0\nworkload v queue=z cpu=4 held=default\n"
	 "workload x queue=a cpu=2 at=1\nworkload y queue=b cpu=2 at=2",
	 1,
	 "evict v InCohortReclamation; pend x WaitingForPreemptedWorkloads; "
	 "pend y WaitingForPreemptedWorkloads"},
	{"gated, deactivated and homeless ones say so",
	 "queue a cpu=5\nworkload x queue=a cpu=1 gated\nworkload y queue=a cpu=1 off\n"
	 "workload z queue=nowhere cpu=1",
	 0, "pend x AdmissionGated; evict y Deactivated; pend z Misconfigured"},
	{"a stopped queue admits nothing", "queue a cpu=5 stop=Hold\nworkload x queue=a cpu=1", 0,
	 "pend x Suspended"},
	{"and may be drained",
	 "queue a cpu=5 stop=HoldAndDrain\nworkload x queue=a cpu=1 held=default", 0,
	 "evict x ClusterQueueStopped"},
	{"a missing flavor makes the queue inactive",
	 "queue a flavor:gone cpu=5\nworkload x queue=a cpu=1", 0, "pend x Misconfigured"},
	{"a ring of cohorts disables its queues",
	 "cohort c parent=d\ncohort d parent=c\nqueue a cohort=c cpu=5\nworkload x queue=a cpu=1",
	 0, "pend x Misconfigured"},
	{"a check that is open keeps it from running",
	 "check ok\nqueue a cpu=5 check=ok\nworkload x queue=a cpu=1", 0,
	 "reserve x=default unadmitted"},
	{"a check that is ready does not",
	 "check ok\nqueue a cpu=5 check=ok\nworkload x queue=a cpu=1 check=ok:Ready", 0,
	 "reserve x=default"},
	{"one that asks for a retry keeps it waiting",
	 "check ok\nqueue a cpu=5 check=ok\nworkload x queue=a cpu=1 check=ok:Retry", 0,
	 "evict x AdmissionCheck; reserve x=default unadmitted"},
	{"capacity has to be found first", "queue a cpu=5 capacity\nworkload x queue=a cpu=1", 0,
	 "reserve x=default unadmitted"},
	{"a full work queue holds back only its own",
	 "queue a cpu=9\nwork w queue=a max=1\nlocal lw work=w\n"
	 "workload x queue=lw cpu=1 at=1\nworkload y queue=lw cpu=1 at=2\nworkload z queue=a cpu=1 "
	 "at=3",
	 0, "reserve x=default; pend y MaxParallelJobs; reserve z=default"},
	{"a backoff that is not over", "queue a cpu=5\nworkload x queue=a cpu=1 retryAt=99999", 0,
	 "pend x PendingEvaluation"},
	{"and one that is", "queue a cpu=5\nworkload x queue=a cpu=1 retryAt=900", 0,
	 "requeue x BackoffFinished; reserve x=default"},
	{"the dialect's flavor needs no object",
	 "queue a dialect cohort=plimsoll-elastic cpu=1/4/0\nworkload x queue=a cpu=5", 0,
	 "reserve x=default"},
};

static void strict_row(const struct row *row)
{
	struct world w;

	world_init(&w);
	world_setup(&w, row->setup);
	assert_string_equal(world_run(&w, row->rounds), row->want);
	world_fini(&w);
}
PLM_TEST_ROWS(strict_row, struct row)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, strict_row, strict_rows);
	return plm_tests_run(&tests, "admission rounds");
}
