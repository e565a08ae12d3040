/* Which pods leave a node that goes, and what PodDisruptionBudgets say of them. */
#include "yard.h"

#include "reducers/disruption/leave.h"
#include "reducers/disruption/pdb.h"
#include "reducers/provision/pass.h"

#define NOW YARD_START_MS

/* ---- one pod ------------------------------------------------------------------------------------ */

enum {
	EVICTABLE = 1,
	DRAINABLE = 2,
	WAITS = 4,
	RESCHEDULABLE = 8,
	DISRUPTABLE = 16,
};
#define ALL (EVICTABLE | DRAINABLE | WAITS | RESCHEDULABLE | DISRUPTABLE)

static const struct pod_row {
	const char *name;
	const char *owner;
	const char *tolerates; /* the key; "*" = everything */
	int64_t do_not_disrupt, deleting_ms;
	enum plm_phase phase;
	int want;
} pod_rows[] = {
	{"a plain pod", "ReplicaSet", NULL, 0, PLM_UNSET, PLM_PHASE_RUNNING, ALL},
	{"of a DaemonSet", "DaemonSet", NULL, 0, PLM_UNSET, PLM_PHASE_RUNNING,
	 ALL & ~RESCHEDULABLE},
	{"of the kubelet", "Node", NULL, 0, PLM_UNSET, PLM_PHASE_RUNNING, DISRUPTABLE},
	{"over", "Job", NULL, 0, PLM_UNSET, PLM_PHASE_SUCCEEDED, DRAINABLE | DISRUPTABLE},
	{"on its way out", "ReplicaSet", NULL, 0, NOW + 5000, PLM_PHASE_RUNNING,
	 DRAINABLE | WAITS | DISRUPTABLE},
	{"of a StatefulSet, on its way out", "StatefulSet", NULL, 0, NOW + 5000, PLM_PHASE_RUNNING,
	 DRAINABLE | WAITS | RESCHEDULABLE | DISRUPTABLE},
	{"a minute late", "ReplicaSet", NULL, 0, NOW - 60000, PLM_PHASE_RUNNING,
	 DRAINABLE | WAITS | DISRUPTABLE},
	{"more than a minute late", "ReplicaSet", NULL, 0, NOW - 60001, PLM_PHASE_RUNNING,
	 DISRUPTABLE},
	{"protected", "ReplicaSet", NULL, 1, PLM_UNSET, PLM_PHASE_RUNNING,
	 DRAINABLE | WAITS | RESCHEDULABLE},
	{"protected a while longer", "ReplicaSet", NULL, NOW + 1, PLM_UNSET, PLM_PHASE_RUNNING,
	 DRAINABLE | WAITS | RESCHEDULABLE},
	{"protected until now", "ReplicaSet", NULL, NOW, PLM_UNSET, PLM_PHASE_RUNNING, ALL},
	{"protected, on its way out", "ReplicaSet", NULL, 1, NOW, PLM_PHASE_RUNNING,
	 DRAINABLE | WAITS | DISRUPTABLE},
	{"an annotation that says nothing", "ReplicaSet", NULL, -1, PLM_UNSET, PLM_PHASE_RUNNING,
	 ALL},
	{"that tolerates the drain", "ReplicaSet", "karpenter.sh/disrupted", 0, PLM_UNSET,
	 PLM_PHASE_RUNNING, RESCHEDULABLE | DISRUPTABLE},
	{"that tolerates everything", "DaemonSet", "", 0, PLM_UNSET, PLM_PHASE_RUNNING,
	 DISRUPTABLE},
	{"that tolerates something else", "ReplicaSet", "other", 0, PLM_UNSET, PLM_PHASE_RUNNING,
	 ALL},
};

static void pod_case(const struct pod_row *row)
{
	void *state = NULL;
	struct yard *y = NULL;
	struct plm_sched *sched = NULL;
	struct plm_w_pod w = {0};
	struct plm_w_toleration toleration = {.op = PLM_TOLERATION_EXISTS};
	const struct plm_pod *pod = NULL;
	int got = 0;

	assert_int_equal(yard_open(&state), 0);
	y = state;
	sched = PLM_NEW(&y->texts, struct plm_sched);
	w = yard_pod(y, "p", 100, 0);
	w.meta.owner_kind = plm_slice_str(row->owner);
	w.meta.owner_uid = plm_slice_str("owner");
	w.meta.deleting_ms = row->deleting_ms;
	w.phase = row->phase;
	w.do_not_disrupt = row->do_not_disrupt;
	if (row->tolerates != NULL) {
		toleration.key = plm_slice_str(row->tolerates);
		w.shape.tolerations = (struct plm_vec){&toleration, 1};
	}
	yard_fold(y, PLM_EV_POD, &w);
	pod = yard_pod_at(y, "p");
	plm_sched_init(sched, &y->st, &y->texts);
	got |= plm_pod_evictable(sched, pod, NOW) ? EVICTABLE : 0;
	got |= plm_pod_drainable(sched, pod, NOW) ? DRAINABLE : 0;
	got |= plm_pod_waits(sched, pod, NOW) ? WAITS : 0;
	got |= plm_pod_reschedulable(sched, pod) ? RESCHEDULABLE : 0;
	got |= plm_pod_disruptable(pod, NOW) ? DISRUPTABLE : 0;
	assert_int_equal(got, row->want);
	assert_int_equal(pod->misprotected, row->do_not_disrupt < 0);
	assert_int_equal(yard_close(&state), 0);
}
PLM_TEST_ROWS(pod_case, struct pod_row)

/* ---- budgets ------------------------------------------------------------------------------------ */

static void budget(struct yard *y, const char *name, struct plm_w_pdb pdb)
{
	struct plm_slice *app = PLM_NEW(&y->texts, struct plm_slice);
	struct plm_w_expr *expr = PLM_NEW(&y->texts, struct plm_w_expr);

	*app = plm_slice_str("web");
	*expr = (struct plm_w_expr){
		.key = plm_slice_str("app"), .op = PLM_OP_IN, .values = {app, 1}};
	pdb.meta = yard_meta("ns", name);
	pdb.selector = (struct plm_w_selector){.present = 1, .exprs = {expr, 1}};
	yard_fold(y, PLM_EV_POD_DISRUPTION_BUDGET, &pdb);
}

/* 'replicas' of ReplicaSet "web", of which so many are bound and ready. */
static void web(struct yard *y, int64_t replicas, uint32_t ready)
{
	static const char *const names[] = {"w0", "w1", "w2", "w3", "w4"};
	struct plm_w_replicator set = {
		.meta = yard_meta("ns", "web"), .kind = PLM_KIND_REPLICA_SET, .replicas = replicas};
	struct plm_w_kv *label = PLM_NEW(&y->texts, struct plm_w_kv);

	*label = (struct plm_w_kv){plm_slice_str("app"), plm_slice_str("web")};
	yard_fold(y, PLM_EV_REPLICATOR, &set);
	for (uint32_t i = 0; i < replicas; i++) {
		struct plm_w_pod pod = yard_pod(y, names[i], 100, 0);

		pod.meta.labels = (struct plm_vec){label, 1};
		pod.meta.owner_kind = plm_slice_str("ReplicaSet");
		pod.meta.owner_name = plm_slice_str("web");
		pod.meta.owner_uid = plm_slice_str("uid-web");
		pod.node = plm_slice_str("node");
		pod.unschedulable = 0;
		pod.phase = PLM_PHASE_RUNNING;
		pod.ready = i < ready;
		pod.not_ready = i >= ready;
		yard_fold(y, PLM_EV_POD, &pod);
	}
}

static void gather(struct yard *y, struct plm_pdbs *out)
{
	struct plm_sched *sched = PLM_NEW(&y->texts, struct plm_sched);

	plm_sched_init(sched, &y->st, &y->texts);
	plm_pdbs_gather(out, sched, NOW);
}

static const struct count_row {
	const char *name;
	int64_t min, min_percent, max, max_percent;
	int64_t replicas;
	uint32_t ready;
	int64_t allowed, desired, expected;
} count_rows[] = {
	{"at least 2 of 3", 2, 0, PLM_UNSET, 0, 3, 3, 1, 2, 3},
	{"at least 2 of 2", 2, 0, PLM_UNSET, 0, 2, 2, 0, 2, 2},
	{"one of them is down already", 2, 0, PLM_UNSET, 0, 3, 2, 0, 2, 3},
	{"half of 3, rounded up", 50, 1, PLM_UNSET, 0, 3, 3, 1, 2, 3},
	{"all", 100, 1, PLM_UNSET, 0, 3, 3, 0, 3, 3},
	{"at most 1 away", PLM_UNSET, 0, 1, 0, 3, 3, 1, 2, 3},
	{"a third of 4, rounded up", PLM_UNSET, 0, 33, 1, 4, 4, 2, 2, 4},
	{"nobody away", PLM_UNSET, 0, 0, 0, 3, 3, 0, 3, 3},
	{"more than there are", PLM_UNSET, 0, 9, 0, 3, 3, 3, 0, 3},
	{"nothing said", PLM_UNSET, 0, PLM_UNSET, 0, 3, 3, 0, 0, 0},
};

static void count_case(const struct count_row *row)
{
	void *state = NULL;
	struct yard *y = NULL;
	struct plm_pdbs pdbs = {0};
	struct plm_pdb_count count = {0};

	assert_int_equal(yard_open(&state), 0);
	y = state;
	web(y, row->replicas, row->ready);
	budget(y, "b",
	       (struct plm_w_pdb){.min_available = row->min,
				  .min_percent = row->min_percent,
				  .max_unavailable = row->max,
				  .max_percent = row->max_percent});
	gather(y, &pdbs);
	count = plm_pdb_count(pdbs.sched, plm_pdb_at(&y->st, pdbs.list[0].id));
	assert_int_equal(count.allowed, row->allowed);
	assert_int_equal(count.desired, row->desired);
	assert_int_equal(count.expected, row->expected);
	assert_int_equal(count.healthy, row->ready);
	assert_int_equal(pdbs.list[0].allowed, row->allowed);
	assert_int_equal(yard_close(&state), 0);
}
PLM_TEST_ROWS(count_case, struct count_row)

static struct plm_w_pdb counted(int64_t allowed)
{
	return (struct plm_w_pdb){.min_available = 1,
				  .max_unavailable = PLM_UNSET,
				  .has_status = 1,
				  .allowed = allowed};
}

static void a_status_wins_over_counting(void **state)
{
	struct yard *y = *state;
	struct plm_pdbs pdbs = {0};
	struct plm_pdb_answer answer = {0};

	web(y, 3, 3);
	budget(y, "b", counted(0));
	gather(y, &pdbs);
	answer = plm_pdbs_ask(&pdbs, yard_pod_at(y, "w0"));
	assert_int_equal(answer.word, PLM_PDB_USED_UP);
	assert_true(
		plm_slice_is(plm_str(&y->st, plm_pdb_at(&y->st, answer.pdb)->object.name), "b"));
	/* It lets nobody go now, but not for good: a place is looked for. */
	assert_true(plm_pod_moves(&pdbs, yard_pod_at(y, "w0")));
	budget(y, "b", counted(1));
	gather(y, &pdbs);
	assert_int_equal(plm_pdbs_ask(&pdbs, yard_pod_at(y, "w0")).word, PLM_PDB_FREE);
}

static void two_budgets_are_too_many(void **state)
{
	struct yard *y = *state;
	struct plm_pdbs pdbs = {0};
	struct plm_pdb_answer answer = {0};

	web(y, 3, 3);
	budget(y, "later", counted(2));
	budget(y, "earlier", counted(2));
	gather(y, &pdbs);
	answer = plm_pdbs_ask(&pdbs, yard_pod_at(y, "w0"));
	assert_int_equal(answer.word, PLM_PDB_SEVERAL);
	assert_true(plm_slice_is(plm_str(&y->st, plm_pdb_at(&y->st, answer.pdb)->object.name),
				 "earlier"));
	assert_false(plm_pod_moves(&pdbs, yard_pod_at(y, "w0")));
}

static void what_never_lets_go_keeps_places_from_being_bought(void **state)
{
	struct yard *y = *state;
	struct plm_pdbs pdbs = {0};
	struct plm_w_pdb never = counted(0);

	web(y, 3, 2);
	never.min_available = PLM_UNSET;
	never.max_unavailable = 0;
	budget(y, "b", never);
	gather(y, &pdbs);
	assert_true(plm_pdbs_keep(&pdbs, yard_pod_at(y, "w0")));
	assert_false(plm_pod_moves(&pdbs, yard_pod_at(y, "w0")));
	assert_true(plm_pdbs_keep(&pdbs, yard_pod_at(y, "w2")));
	/* Pods that are not ready are free to go when the budget says so. */
	never.always_allow = 1;
	budget(y, "b", never);
	gather(y, &pdbs);
	assert_true(plm_pdbs_keep(&pdbs, yard_pod_at(y, "w0")));
	assert_false(plm_pdbs_keep(&pdbs, yard_pod_at(y, "w2")));
	assert_true(plm_pod_moves(&pdbs, yard_pod_at(y, "w2")));
}

static void jobs_have_no_scale(void **state)
{
	struct yard *y = *state;
	struct plm_pdbs pdbs = {0};
	struct plm_w_pod pod = yard_pod(y, "w9", 100, 0);
	struct plm_w_kv label = {plm_slice_str("app"), plm_slice_str("web")};

	web(y, 3, 3);
	pod.meta.labels = (struct plm_vec){&label, 1};
	pod.meta.owner_kind = plm_slice_str("Job");
	pod.meta.owner_uid = plm_slice_str("uid-job");
	pod.ready = 1;
	yard_fold(y, PLM_EV_POD, &pod);
	budget(y, "b", (struct plm_w_pdb){.min_available = PLM_UNSET, .max_unavailable = 1});
	gather(y, &pdbs);
	assert_int_equal(pdbs.list[0].allowed, 0);
	budget(y, "b", (struct plm_w_pdb){.min_available = 2, .max_unavailable = PLM_UNSET});
	gather(y, &pdbs);
	assert_int_equal(pdbs.list[0].allowed, 2);
}

#define WITH_YARD(function) {#function, function, yard_open, yard_close, NULL}

int main(void)
{
	static struct plm_tests tests;
	static const struct CMUnitTest stories[] = {
		WITH_YARD(a_status_wins_over_counting),
		WITH_YARD(two_budgets_are_too_many),
		WITH_YARD(what_never_lets_go_keeps_places_from_being_bought),
		WITH_YARD(jobs_have_no_scale),
	};

	for (size_t i = 0; i < PLM_COUNTOF(stories); i++) {
		tests.list[tests.count++] = stories[i];
	}
	PLM_TEST_TABLE(&tests, pod_case, pod_rows);
	PLM_TEST_TABLE(&tests, count_case, count_rows);
	return plm_tests_run(&tests, "leave");
}
