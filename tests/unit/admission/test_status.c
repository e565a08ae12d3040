/* What is said of a state to others: conditions, queue status, Kubernetes Events, metrics. */
#include <stdarg.h>
#include <stdio.h>

#include "reducers/admission/explain.h"
#include "reducers/status/announce.h"
#include "reducers/status/board.h"
#include "reducers/status/condition.h"
#include "reducers/status/metric.h"
#include "world.h"

struct words {
	char text[16384];
	size_t used;
	struct plm_metric_run run;
};

PLM_PRINTF(2, 3) static void say(struct words *out, const char *format, ...)
{
	va_list args;
	int size = 0;

	va_start(args, format);
	size = vsnprintf(out->text + out->used, sizeof(out->text) - out->used, format, args);
	va_end(args);
	assert_true(size >= 0 && (size_t)size < sizeof(out->text) - out->used);
	out->used += (size_t)size;
}

#define TEXT(slice) (int)(slice).size, (const char *)(slice).ptr

/* ---- conditions -------------------------------------------------------------------------------- */

struct condition_row {
	const char *why, *lines, *workload, *want;
};

static const struct condition_row condition_rows[] = {
	{"waiting for quota", "queue a cpu=1\nworkload x queue=a cpu=2", "x",
	 "Admitted=False NoReservation: The workload has no reservation\n"
	 "QuotaReserved=False ExceedsMaxQuota: couldn't assign flavors to pod set main: "
	 "insufficient quota for cpu in flavor default, previously considered podsets requests + "
	 "current podset request (2) > maximum capacity (1)\n"},
	{"no queue", "workload x queue=nowhere cpu=1", "x",
	 "Admitted=False NoReservation: The workload has no reservation\n"
	 "QuotaReserved=False Misconfigured: LocalQueue nowhere doesn't exist\n"},
	{"admitted", "queue a cpu=2\nworkload x queue=a cpu=2", "x",
	 "Admitted=True Admitted: The workload is admitted\n"
	 "QuotaReserved=True QuotaReserved: Quota reserved in ClusterQueue a\n"},
	{"reserved, a check is open", "check c\nqueue a cpu=2 check=c\nworkload x queue=a cpu=2",
	 "x",
	 "Admitted=False UnsatisfiedAdmissionChecks: The workload has not all checks ready\n"
	 "QuotaReserved=True QuotaReserved: Quota reserved in ClusterQueue a\n"},
	{"preempted",
	 "queue a cpu=2 within=LowerPriority\nworkload old queue=a cpu=2 prio=1 held=default\n"
	 "workload new queue=a cpu=2 prio=9",
	 "old",
	 "Admitted=True Admitted: The workload is admitted\n"
	 "Evicted=True Preempted: Preempted to accommodate workload ns/new (UID: new) due to "
	 "prioritization in the ClusterQueue\n"
	 "Preempted=True InClusterQueue: Preempted to accommodate workload ns/new (UID: new) due "
	 "to "
	 "prioritization in the ClusterQueue\n"
	 "QuotaReserved=True QuotaReserved: Quota reserved in ClusterQueue a\n"},
	{"deactivated while it waits", "queue a cpu=2\nworkload x queue=a cpu=1 off", "x",
	 "Admitted=False NoReservation: The workload has no reservation\n"
	 "Evicted=True Deactivated: The workload is deactivated\n"
	 "QuotaReserved=False Deactivated: The workload is deactivated\n"},
	{"its preemptor",
	 "queue a cpu=2 within=LowerPriority\nworkload old queue=a cpu=2 prio=1 held=default\n"
	 "workload new queue=a cpu=2 prio=9",
	 "new",
	 "Admitted=False NoReservation: The workload has no reservation\n"
	 "QuotaReserved=False WaitingForPreemptedWorkloads: couldn't assign flavors to pod set "
	 "main: insufficient unused quota for cpu in flavor default, 2 more needed. Pending the "
	 "preemption of workloads\n"},
};

static void condition_row(const struct condition_row *row)
{
	struct world w;
	struct words out = {.used = 0};
	struct plm_conditions conditions;
	struct plm_w_explain why;
	plm_id id = {0};
	bool explained = false;

	world_init(&w);
	world_setup(&w, row->lines);
	(void)world_run(&w, 0);
	id = world_workload(&w, row->workload);
	explained = plm_admission_explain(&w.st, id, &w.memory, &why, NULL);
	plm_status_conditions(&w.st, id, explained ? &why : NULL, &w.memory, &conditions);
	for (uint32_t i = 0; i < conditions.count; i++) {
		const struct plm_condition *one = &conditions.list[i];

		say(&out, "%s=%s %.*s: %.*s\n", one->type, one->is_true ? "True" : "False",
		    TEXT(one->reason), TEXT(one->message));
	}
	assert_string_equal(out.text, row->want);
	assert_null(plm_status_condition(&conditions, "Requeued"));
	world_fini(&w);
}

PLM_TEST_ROWS(condition_row, struct condition_row)

/* ---- queues ------------------------------------------------------------------------------------ */

struct board_row {
	const char *why, *lines, *want;
};

static const struct board_row board_rows[] = {
	{"counts and borrowing",
	 "cohort c\nqueue a cohort=c cpu=2\nqueue b cohort=c cpu=4\n"
	 "workload x queue=a cpu=3\nworkload y queue=a cpu=9\n"
	 "workload z queue=b cpu=1",
	 "a Ready active=0 parked=1 reserving=1 admitted=1 cpu 3/2 used 3 borrowed 1\n"
	 "b Ready active=0 parked=0 reserving=1 admitted=1 cpu 1/4 used 1 borrowed 0\n"},
	{"reserved is not yet used", "check c\nqueue a cpu=2 check=c\nworkload x queue=a cpu=2",
	 "a Ready active=0 parked=0 reserving=1 admitted=0 cpu 2/2 used 0 borrowed 0\n"},
	{"stopped: who waits there is inadmissible",
	 "queue a cpu=2 stop=Hold\nworkload x queue=a cpu=2",
	 "a Stopped active=0 parked=1 reserving=0 admitted=0 cpu 0/2 used 0 borrowed 0\n"},
	{"a flavor is missing", "queue a flavor:gone cpu=2\nworkload x queue=a cpu=2",
	 "a FlavorNotFound active=0 parked=1 reserving=0 admitted=0 cpu 0/2 used 0 borrowed 0\n"},
	{"finished", "queue a cpu=2\nworkload x queue=a cpu=2 held=default\nfinish x",
	 "a Ready active=0 parked=0 reserving=0 admitted=0 cpu 0/2 used 0 borrowed 0\n"},
};

static void board_row(const struct board_row *row)
{
	struct world w;
	struct words out = {.used = 0};
	struct plm_board board;

	world_init(&w);
	world_setup(&w, row->lines);
	(void)world_run(&w, 0);
	plm_status_board(&w.st, &w.memory, &board);
	PLM_EACH(&w.st, cluster_queue, id)
	{
		const struct plm_queue_status *status = &board.queues[id.n];
		struct plm_slice name =
			plm_str(&w.st, plm_cluster_queue_at(&w.st, id)->object.name);

		say(&out, "%.*s %.*s active=%d parked=%d reserving=%d admitted=%d", TEXT(name),
		    TEXT(status->active.reason), (int)status->counts.pending,
		    (int)status->counts.inadmissible, (int)status->counts.reserving,
		    (int)status->counts.admitted);
		for (uint32_t i = 0; i < status->lines.count; i++) {
			const struct plm_quota_line *line = &status->lines.list[i];

			say(&out, " %.*s %d/%d used %d borrowed %d",
			    TEXT(plm_str(&w.st, line->resource)), (int)(line->reserved / 1000),
			    (int)(line->nominal / 1000), (int)(line->used / 1000),
			    (int)(line->borrowed / 1000));
		}
		say(&out, "\n");
	}
	assert_string_equal(out.text, row->want);
	world_fini(&w);
}

PLM_TEST_ROWS(board_row, struct board_row)

static void test_shares(void **state)
{
	struct plm_w_config config = {.compat = PLM_COMPAT_STRICT, .fair_sharing = 1};
	struct world w;
	struct plm_board board;
	plm_id queue = {0};

	(void)state;
	world_init(&w);
	world_config(&w, &config);
	world_setup(&w, "cohort c\nqueue a cohort=c cpu=0 weight=200\nqueue b cohort=c cpu=9\n"
			"queue none cohort=c cpu=0 weight=0\nworkload x queue=a cpu=2\n"
			"workload y queue=none cpu=1");
	(void)world_run(&w, 0);
	plm_status_board(&w.st, &w.memory, &board);
	/* 1000 x 2 / 9 / 2 = 111.1, rounded up. */
	queue = plm_find_text(&w.st, PLM_KIND_CLUSTER_QUEUE, "", "a");
	assert_int_equal(board.queues[queue.n].weighted_share, 112);
	queue = plm_find_text(&w.st, PLM_KIND_CLUSTER_QUEUE, "", "b");
	assert_int_equal(board.queues[queue.n].weighted_share, 0);
	queue = plm_find_text(&w.st, PLM_KIND_CLUSTER_QUEUE, "", "none");
	assert_true(board.queues[queue.n].weighted_share == PLM_SHARE_INFINITE);
	assert_int_equal(board.cohort_count, 1);
	assert_int_equal(board.cohorts[0].admitted, 2);
	world_fini(&w);
}

/* ---- Kubernetes Events and counters ------------------------------------------------------------ */

static void hear(struct world *w, const struct plm_event *event)
{
	struct words *out = w->before_self;
	struct plm_announcements told;

	plm_status_announce(&w->st, event, &w->memory, &told);
	for (uint32_t i = 0; i < told.count; i++) {
		const struct plm_announcement *one = &told.list[i];

		say(out, "%s %.*s %.*s: %.*s\n", one->warning ? "Warning" : "Normal",
		    TEXT(one->name), TEXT(one->reason), TEXT(one->message));
	}
}

static void test_announcements(void **state)
{
	struct words out = {.used = 0};
	struct world w;

	(void)state;
	world_init(&w);
	w.before = hear;
	w.before_self = &out;
	world_setup(&w, "queue a cpu=2 within=LowerPriority\n"
			"workload old queue=a cpu=2 prio=1\n");
	(void)world_run(&w, 0);
	world_setup(&w, "workload new queue=a cpu=2 prio=9\n");
	(void)world_run(&w, 0);
	world_setup(&w, "queue b cpu=2\nworkload big queue=b cpu=3");
	(void)world_run(&w, 0);
	assert_string_equal(
		out.text,
		"Normal old QuotaReserved: Quota reserved in ClusterQueue a, wait time since "
		"queued was 1000s\n"
		"Normal old Admitted: Admitted by ClusterQueue a, wait time since reservation was "
		"0s\n"
		"Normal old EvictedDueToPreempted: Preempted to accommodate another workload\n"
		"Normal old Preempted: Preempted to accommodate workload ns/new (reason: "
		"InClusterQueue)\n"
		"Normal new PreemptedWorkload: Preempted workload ns/old (reason: "
		"InClusterQueue)\n"
		"Warning new WaitingForPreemptedWorkloads: couldn't assign flavors to pod set "
		"main: insufficient unused quota for cpu in "
		"flavor default, 2 more needed. Pending the preemption of workloads\n"
		"Warning big ExceedsMaxQuota: couldn't assign flavors to pod set main: "
		"insufficient quota for cpu in flavor default, "
		"previously considered podsets requests + current podset request (3) > maximum "
		"capacity (2)\n");
	world_fini(&w);
}

static void write_metric(void *self, const struct plm_metric *metric)
{
	const struct plm_metric_family *family = plm_metric_family(metric->id);

	if (family->type == PLM_METRIC_HISTOGRAM || strstr(family->name, "local_queue") != NULL) {
		return;
	}
	say(self, "%s", family->name);
	for (size_t i = 0; family->labels[i] != NULL; i++) {
		say(self, " %s=%.*s", family->labels[i], TEXT(metric->labels[i]));
	}
	say(self, " %lld%s\n", (long long)metric->value, metric->decimals == 3 ? "m" : "");
}

static void count(struct world *w, const struct plm_event *event)
{
	struct words *out = w->before_self;

	plm_metric_event(&w->st, event, &out->run, write_metric, out);
}

static void test_increments(void **state)
{
	struct words out = {.used = 0};
	struct world w;

	(void)state;
	world_init(&w);
	w.before = count;
	w.before_self = &out;
	world_setup(&w, "cohort c\nqueue a cohort=c cpu=2 within=LowerPriority\n"
			"workload old queue=a cpu=2 prio=1\n");
	(void)world_run(&w, 0);
	world_setup(&w, "workload new queue=a cpu=2 prio=9");
	(void)world_run(&w, 0);
	world_setup(&w, "release old");
	(void)world_run(&w, 0);
	world_setup(&w, "finish new");
	assert_string_equal(
		out.text,
		"kueue_quota_reserved_workloads_total cluster_queue=a priority_class= 1\n"
		"kueue_admitted_workloads_total cluster_queue=a priority_class= 1\n"
		"kueue_cohort_subtree_admitted_workloads_total cohort=c priority_class= 1\n"
		"kueue_admission_attempts_total result=success 1\n"
		"kueue_evicted_workloads_total cluster_queue=a reason=Preempted "
		"underlying_cause= priority_class= 1\n"
		"kueue_evicted_workloads_once_total cluster_queue=a reason=Preempted "
		"underlying_cause= priority_class= 1\n"
		"kueue_preempted_workloads_total preempting_cluster_queue=a "
		"reason=InClusterQueue 1\n"
		"kueue_admission_attempts_total result=inadmissible 1\n"
		"kueue_quota_reserved_workloads_total cluster_queue=a priority_class= 1\n"
		"kueue_admitted_workloads_total cluster_queue=a priority_class= 1\n"
		"kueue_cohort_subtree_admitted_workloads_total cohort=c priority_class= 1\n"
		"kueue_admission_attempts_total result=success 1\n"
		"kueue_finished_workloads_total cluster_queue=a priority_class= 1\n");
	world_fini(&w);
}

static void test_gauges(void **state)
{
	struct words out = {.used = 0};
	struct world w;

	(void)state;
	world_init(&w);
	world_setup(&w, "cohort c\nqueue a cohort=c cpu=2\nworkload x queue=a cpu=1\n"
			"workload y queue=a cpu=4");
	(void)world_run(&w, 0);
	plm_metric_gauges(&w.st, &w.memory, write_metric, &out);
	assert_non_null(strstr(out.text, "kueue_pending_workloads cluster_queue=a "
					 "status=inadmissible 1\n"));
	assert_non_null(
		strstr(out.text, "kueue_cluster_queue_status cluster_queue=a status=active 1\n"));
	assert_non_null(strstr(out.text, "kueue_cluster_queue_info cluster_queue=a "
					 "parent_cohort=c root_cohort=c 1\n"));
	assert_non_null(strstr(out.text, "kueue_unadmitted_workloads cluster_queue=a "
					 "reason=NoReservation underlying_cause=ExceedsMaxQuota "
					 "1\n"));
	assert_non_null(strstr(out.text, "kueue_cluster_queue_resource_pending cluster_queue=a "
					 "resource=cpu 4000m\n"));
	assert_non_null(strstr(out.text, "kueue_cluster_queue_resource_usage cohort=c "
					 "cluster_queue=a flavor=default resource=cpu 1000m\n"));
	assert_non_null(strstr(out.text, "kueue_cohort_subtree_quota cohort=c flavor=default "
					 "resource=cpu 2000m\n"));
	world_fini(&w);
}

static void test_buckets(void **state)
{
	uint32_t count = 0;
	const int64_t *bounds = plm_metric_bounds(PLM_METRIC_HISTOGRAM, &count);

	(void)state;
	assert_int_equal(count, 14);
	assert_int_equal(bounds[0], 1000);
	assert_int_equal(bounds[1], 2500);
	assert_int_equal(bounds[2], 5000);
	assert_int_equal(bounds[13], 10240000);
	assert_null(plm_metric_bounds(PLM_METRIC_SUMMARY, &count));
	assert_int_equal(count, 0);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, condition_row, condition_rows);
	PLM_TEST_TABLE(&tests, board_row, board_rows);
	PLM_TEST_ADD(&tests, test_shares);
	PLM_TEST_ADD(&tests, test_announcements);
	PLM_TEST_ADD(&tests, test_increments);
	PLM_TEST_ADD(&tests, test_gauges);
	PLM_TEST_ADD(&tests, test_buckets);
	return plm_tests_run(&tests, "admission status");
}
