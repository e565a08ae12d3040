/*
 * What wakes a parked workload: one row per trigger of kueue.md 2.4. In each row x is parked by the first
 * cycle; nothing that does not matter wakes it; the trigger does.
 */
#include "reducers/admission/queue.h"
#include "world.h"

static const struct row {
	const char *why;
	const char *setup;   /* x is parked then */
	const char *idle;    /* does not wake it */
	const char *trigger; /* does */
} rows[] = {
	{"a workload of the queue finished",
	 "queue a cpu=2\nqueue z cpu=1\nworkload s queue=z cpu=1 held=default\n"
	 "workload r queue=a cpu=1 held=default\nworkload x queue=a cpu=2",
	 "finish s", "finish r"},
	{"a workload of another queue of the tree finished",
	 "cohort root\ncohort c parent=root\nqueue a cohort=c cpu=1\nqueue b cohort=root cpu=1\n"
	 "workload r queue=b cpu=1 held=default\nworkload x queue=a cpu=2",
	 "workload s queue=b cpu=9", "finish r"},
	{"a waiting workload was deleted",
	 "queue a cpu=1\nworkload r queue=a cpu=5 prio=5\nworkload x queue=a cpu=2", "",
	 "gone Workload r"},
	{"one that held quota was deleted",
	 "queue a cpu=2\nworkload r queue=a cpu=1 held=default\nworkload x queue=a cpu=2", "",
	 "gone Workload r"},
	{"a waiting workload was deactivated",
	 "queue a cpu=1\nworkload r queue=a cpu=5 prio=5\nworkload x queue=a cpu=2", "",
	 "workload r queue=a cpu=5 prio=5 off"},
	{"an eviction was completed",
	 "queue a cpu=2\nworkload r queue=a cpu=1 held=default evicted\nworkload x queue=a cpu=2",
	 "", "release r"},
	{"pods of an admitted workload became reclaimable",
	 "queue a cpu=2\nworkload r queue=a cpu=1 count=2 held=default\nworkload x queue=a cpu=1",
	 "workload r queue=a cpu=1 count=2 held=default",
	 "workload r queue=a cpu=1 count=2 back=1 held=default"},
	{"its own priority changed", "queue a cpu=1\nworkload x queue=a cpu=2 prio=1",
	 "workload x queue=a cpu=2 prio=1", "workload x queue=a cpu=2 prio=2"},
	{"it asks for something else", "queue a cpu=1\nworkload x queue=a cpu=3",
	 "workload x queue=a cpu=3", "workload x queue=a cpu=2"},
	{"its reclaimable pods changed", "queue a cpu=1\nworkload x queue=a cpu=1 count=3",
	 "workload x queue=a cpu=1 count=3", "workload x queue=a cpu=1 count=3 back=1"},
	{"its queue changed", "queue a cpu=1\nworkload x queue=a cpu=2",
	 "workload z queue=a cpu=7 at=9", "queue a cpu=2"},
	{"a queue was added to its cohort", "queue a cohort=c cpu=1\nworkload x queue=a cpu=2", "",
	 "queue b cohort=c cpu=1"},
	{"a queue of its cohort went",
	 "queue a cohort=c cpu=1\nqueue b cohort=c cpu=0\n"
	 "workload x queue=a cpu=2",
	 "", "gone ClusterQueue b"},
	{"its cohort changed", "cohort c\nqueue a cohort=c cpu=1\nworkload x queue=a cpu=2", "",
	 "cohort c cpu=1"},
	{"a cohort was created", "queue a cohort=c cpu=1\nworkload x queue=a cpu=2", "",
	 "cohort c cpu=1"},
	{"a flavor changed", "flavor f taint=t\nqueue a flavor:f cpu=1\nworkload x queue=a cpu=1",
	 "", "flavor f"},
	{"a flavor was created", "flavor f\nqueue a flavor:f cpu=1\nworkload x queue=a cpu=2", "",
	 "flavor g"},
	{"a flavor was deleted",
	 "flavor f\nflavor g\nqueue a flavor:f cpu=1\nworkload x queue=a cpu=2", "",
	 "gone ResourceFlavor g"},
	{"an admission check changed", "check c\nqueue a check=c cpu=1\nworkload x queue=a cpu=2",
	 "", "check c off"},
	{"an admission check was created", "queue a cpu=1\nworkload x queue=a cpu=2", "",
	 "check c"},
	{"an admission check was deleted", "check c\nqueue a cpu=1\nworkload x queue=a cpu=2", "",
	 "gone AdmissionCheck c"},
	{"its namespace matches the queue now",
	 "queue a selects=team:red cpu=1\nworkload x queue=a cpu=1", "",
	 "namespace ns label=team:red"},
	{"a topology was created", "queue a cpu=1\nworkload x queue=a cpu=2", "", "topology t"},
	{"its LocalQueue is there again",
	 "queue a cpu=1\nlocal l queue=a\nworkload x queue=l cpu=2", "",
	 "gone LocalQueue l\nlocal l queue=a"},
	{"its LocalQueue goes on", "queue a cpu=1\nlocal l queue=a\nworkload x queue=l cpu=2",
	 "local l queue=a stop=Hold", "local l queue=a"},
	{"its WorkQueue changed",
	 "queue a cpu=1\nwork w queue=a max=1\nlocal l work=w\nworkload x queue=l cpu=2", "",
	 "work w queue=a max=2"},
};

static uint32_t place(const struct world *w)
{
	return plm_workload_at(&w->st, world_workload(w, "x"))->place;
}

static void wakes(const struct row *row)
{
	struct world w;

	world_init(&w);
	world_setup(&w, row->setup);
	(void)world_run(&w, 0);
	assert_int_equal(place(&w), PLM_QUEUE_PARKED);
	w.now_ms += 3600000;
	(void)world_run(&w, 0); /* time alone does nothing */
	assert_int_equal(place(&w), PLM_QUEUE_PARKED);
	world_setup(&w, row->idle);
	assert_int_equal(place(&w), PLM_QUEUE_PARKED);
	(void)world_run(&w, 0);
	assert_int_equal(place(&w), PLM_QUEUE_PARKED);
	world_setup(&w, row->trigger);
	assert_int_equal(place(&w), PLM_QUEUE_ACTIVE);
	(void)world_run(&w, 0);
	world_fini(&w);
}
PLM_TEST_ROWS(wakes, struct row)

/* The time that a check or a timeout gave it is over: only then, and then by itself. */
static void backoff_expires(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	world_setup(&w, "queue a cpu=1\nworkload x queue=a cpu=1 retryAt=1010");
	(void)world_run(&w, 0);
	assert_int_equal(place(&w), PLM_QUEUE_PARKED);
	assert_int_equal(plm_queue_next_timer(&w.st), 1010000);
	world_setup(&w, "queue a cpu=2"); /* would wake it, were it not for the backoff */
	assert_int_equal(place(&w), PLM_QUEUE_PARKED);
	w.now_ms = 1009999;
	assert_string_equal(world_run(&w, 0), "");
	w.now_ms = 1010000;
	assert_string_equal(world_run(&w, 0), "requeue x BackoffFinished; reserve x=default");
	world_fini(&w);
}

/* StrictFIFO parks nobody for want of quota: its head is tried in every cycle. */
static void strict_fifo_does_not_park(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	world_setup(&w, "queue a strict cpu=1\nworkload x queue=a cpu=2");
	(void)world_run(&w, 0);
	assert_int_equal(place(&w), PLM_QUEUE_ACTIVE);
	world_fini(&w);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, wakes, rows);
	PLM_TEST_ADD(&tests, backoff_expires);
	PLM_TEST_ADD(&tests, strict_fifo_does_not_park);
	return plm_tests_run(&tests, "admission wake");
}
