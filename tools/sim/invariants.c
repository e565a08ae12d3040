/*
 * invariants.c - what the harness checks: S2, S3, S7, S8, S13, L2, L4, F, P3
 *
 * The quota check is a model of its own: usage summed from the workloads that hold it, the tree formulas
 * of kueue.md 2.7 written down anew, without anything that the admission reducer has computed.
 */
#include "engine/replay.h"
#include "reducers/admission/activity.h"
#include "reducers/admission/explain.h"
#include "tools/sim/runner.h"

#include <stdio.h>

/* ---- S2: quota ---------------------------------------------------------------------------------- */

/* A queue or cohort and one (flavor, resource). */
struct node {
	plm_sym name, parent;
	bool cohort;
	int64_t nominal, borrowing, lending; /* PLM_UNSET: no limit */
	int64_t usage;			     /* own */
	int64_t subtree, held;		     /* filled from below */
	bool done;
};

struct quota_model {
	struct plm_runner *r;
	const struct plm_state *st;
	struct node *nodes;
	size_t count;
	plm_sym flavor, resource;
};

/* A quota and the flavor that it is of. */
struct row {
	plm_sym flavor;
	const struct plm_quota *quota;
};

struct rows {
	struct row *list;
	size_t count;
};

#define ROWS_MAX 256

/* All quotas of 'groups', one after another. */
static struct rows rows_of(struct plm_arena *arena, const struct plm_state *st, plm_sym groups)
{
	struct rows rows = {.list = PLM_NEW_ARRAY(arena, ROWS_MAX, struct row)};
	uint32_t group_count = 0;
	const struct plm_group *group = PLM_SPAN(st, groups, struct plm_group, &group_count);

	for (uint32_t g = 0; g < group_count; g++) {
		uint32_t flavors = 0;
		const struct plm_flavor_quota *f =
			PLM_SPAN(st, group[g].flavors, struct plm_flavor_quota, &flavors);

		for (uint32_t i = 0; i < flavors; i++) {
			uint32_t quotas = 0;
			const struct plm_quota *q =
				PLM_SPAN(st, f[i].quotas, struct plm_quota, &quotas);

			for (uint32_t k = 0; k < quotas && rows.count < ROWS_MAX; k++) {
				rows.list[rows.count++] = (struct row){f[i].flavor, &q[k]};
			}
		}
	}
	return rows;
}

/* Nominal, borrowing and lending of one (flavor, resource) in 'groups'; as it was when not there. */
static void find_quota(const struct quota_model *m, plm_sym groups, struct node *out)
{
	size_t mark = plm_arena_mark(&m->r->arena);
	struct rows rows = rows_of(&m->r->arena, m->st, groups);

	for (size_t i = 0; i < rows.count; i++) {
		const struct plm_quota *quota = rows.list[i].quota;

		if (plm_sym_equal(rows.list[i].flavor, m->flavor) &&
		    plm_sym_equal(quota->resource, m->resource)) {
			out->nominal = quota->nominal;
			out->borrowing = quota->borrowing;
			out->lending = quota->lending;
			break;
		}
	}
	plm_arena_rewind(&m->r->arena, mark);
}

/* Pods of 'set' that are done and will not come again need nothing any more. */
static int64_t pods_left(const struct quota_model *m, const struct plm_workload *w,
			 const struct plm_assignment *set)
{
	uint32_t specs = 0;
	uint32_t backs = 0;
	const struct plm_pod_set *spec = PLM_SPAN(m->st, w->pod_sets, struct plm_pod_set, &specs);
	const struct plm_pod_count *back =
		PLM_SPAN(m->st, w->reclaimable, struct plm_pod_count, &backs);
	int64_t left = set->count;

	for (uint32_t k = 0; k < specs * backs; k++) {
		const struct plm_pod_set *of = &spec[k / backs];

		if (plm_sym_equal(of->name, set->name) &&
		    plm_sym_equal(back[k % backs].name, set->name)) {
			left = plm_min(left, plm_max(0, of->count - back[k % backs].count));
		}
	}
	return left;
}

static int64_t usage_of_set(const struct quota_model *m, const struct plm_workload *w,
			    const struct plm_assignment *set)
{
	int64_t left = pods_left(m, w, set);
	uint32_t flavors = 0;
	uint32_t amounts = 0;
	const struct plm_kv *f = PLM_SPAN(m->st, set->flavors, struct plm_kv, &flavors);
	const struct plm_amount *a = PLM_SPAN(m->st, set->usage, struct plm_amount, &amounts);
	int64_t sum = 0;

	for (uint32_t k = 0; k < flavors * amounts; k++) {
		const struct plm_kv *kv = &f[k / amounts];
		const struct plm_amount *amount = &a[k % amounts];

		if (plm_sym_equal(kv->key, m->resource) && plm_sym_equal(kv->value, m->flavor) &&
		    plm_sym_equal(amount->resource, m->resource)) {
			sum = plm_add_sat(sum, left == set->count
						       ? amount->amount
						       : amount->amount / set->count * left);
		}
	}
	return sum;
}

static int64_t usage_of(const struct quota_model *m, plm_id queue)
{
	int64_t sum = 0;

	PLM_EACH(m->st, workload, id)
	{
		const struct plm_workload *w = plm_workload_at(m->st, id);
		uint32_t sets = 0;
		const struct plm_assignment *set =
			PLM_SPAN(m->st, w->assignments, struct plm_assignment, &sets);

		if (w->cluster_queue.n != queue.n ||
		    (w->stage != PLM_STAGE_RESERVED && w->stage != PLM_STAGE_ADMITTED)) {
			continue;
		}
		for (uint32_t i = 0; i < sets; i++) {
			sum = plm_add_sat(sum, usage_of_set(m, w, &set[i]));
		}
	}
	return sum;
}

static void add_nodes(struct quota_model *m)
{
	m->nodes = PLM_NEW_ARRAY(&m->r->arena,
				 (size_t)plm_cluster_queue_live(m->st) + plm_cohort_live(m->st),
				 struct node);
	PLM_EACH(m->st, cluster_queue, id)
	{
		const struct plm_cluster_queue *queue = plm_cluster_queue_at(m->st, id);
		struct node *node = &m->nodes[m->count++];

		*node = (struct node){.name = queue->object.name,
				      .parent = queue->cohort,
				      .borrowing = PLM_UNSET,
				      .lending = PLM_UNSET};
		find_quota(m, queue->groups, node);
		node->usage = usage_of(m, id);
	}
	PLM_EACH(m->st, cohort, id)
	{
		const struct plm_cohort *cohort = plm_cohort_at(m->st, id);
		struct node *node = &m->nodes[m->count++];

		*node = (struct node){.name = cohort->object.name,
				      .parent = cohort->parent,
				      .cohort = true,
				      .borrowing = PLM_UNSET,
				      .lending = PLM_UNSET};
		find_quota(m, cohort->groups, node);
	}
}

/* What a node lends to its parent, and what it keeps for itself. */
static int64_t kept(const struct node *node)
{
	return node->lending == PLM_UNSET ? 0 : plm_max(0, node->subtree - node->lending);
}

static bool is_child(const struct node *child, const struct node *parent)
{
	return parent->cohort && child->parent.n != 0 && plm_sym_equal(child->parent, parent->name);
}

static bool children_done(const struct quota_model *m, const struct node *parent)
{
	for (size_t i = 0; i < m->count; i++) {
		if (!m->nodes[i].done && &m->nodes[i] != parent && is_child(&m->nodes[i], parent)) {
			return false;
		}
	}
	return true;
}

static void sum_up(const struct quota_model *m, struct node *node)
{
	node->subtree = node->nominal;
	node->held = node->usage;
	for (size_t i = 0; i < m->count; i++) {
		const struct node *child = &m->nodes[i];

		if (child != node && is_child(child, node)) {
			node->subtree = plm_add_sat(node->subtree, child->subtree - kept(child));
			node->held = plm_add_sat(node->held, plm_max(0, child->held - kept(child)));
		}
	}
	node->done = true;
}

/* Bottom up; a cycle of cohorts is never finished and is not judged (Kueue admits nothing there). */
static void fold_tree(const struct quota_model *m)
{
	bool again = true;

	while (again) {
		again = false;
		for (size_t i = 0; i < m->count; i++) {
			if (!m->nodes[i].done && children_done(m, &m->nodes[i])) {
				sum_up(m, &m->nodes[i]);
				again = true;
			}
		}
	}
}

/* The root of an implicit cohort has no bound of its own that a file states: the dialect's pool. */
static bool has_node(const struct quota_model *m, plm_sym cohort)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->nodes[i].cohort && plm_sym_equal(m->nodes[i].name, cohort)) {
			return true;
		}
	}
	return false;
}

/* An implicit cohort: what its queues may use together is what they have together. */
static int64_t implicit_limit(const struct quota_model *m, plm_sym cohort, int64_t *out_held)
{
	int64_t limit = 0;

	*out_held = 0;
	for (size_t i = 0; i < m->count; i++) {
		if (plm_sym_equal(m->nodes[i].parent, cohort)) {
			limit = plm_add_sat(limit, m->nodes[i].subtree - kept(&m->nodes[i]));
			*out_held = plm_add_sat(*out_held,
						plm_max(0, m->nodes[i].held - kept(&m->nodes[i])));
		}
	}
	return limit;
}

/* Over is a violation when it is more than it was: after a cut of quota usage may only fall. */
static void judge(const struct quota_model *m, plm_sym name, int64_t held, int64_t limit)
{
	struct plm_runner *r = m->r;
	char key[160];
	size_t at = 0;

	(void)snprintf(key, sizeof(key), "%.*s/%.*s/%.*s", (int)plm_str(m->st, name).size,
		       (const char *)plm_str(m->st, name).ptr, (int)plm_str(m->st, m->flavor).size,
		       (const char *)plm_str(m->st, m->flavor).ptr,
		       (int)plm_str(m->st, m->resource).size,
		       (const char *)plm_str(m->st, m->resource).ptr);
	while (at < r->over_count && strcmp(r->over[at].node, key) != 0) {
		at++;
	}
	if (at == r->over_count) {
		if (r->over_count == PLM_SIM_OVER_MAX) {
			return;
		}
		memcpy(r->over[at].node, key, sizeof(key));
		r->over[at].usage = 0;
		r->over_count++;
	}
	if (held > limit && held > r->over[at].usage) {
		plm_runner_broken(r, "S2: %s uses %lld of %lld", key, (long long)held,
				  (long long)limit);
	}
	r->over[at].usage = held;
}

static void judge_all(const struct quota_model *m)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct node *node = &m->nodes[i];
		int64_t limit = node->subtree;
		bool root = node->parent.n == 0;

		if (!node->done) {
			continue;
		}
		if (!root && node->borrowing == PLM_UNSET) {
			limit = INT64_MAX;
		} else if (!root) {
			limit = plm_add_sat(limit, node->borrowing);
		}
		judge(m, node->name, node->held, limit);
		if (!root && !has_node(m, node->parent) &&
		    !plm_sym_is(m->st, node->parent, "plimsoll-elastic")) {
			int64_t held = 0;
			int64_t sum = implicit_limit(m, node->parent, &held);

			judge(m, node->parent, held, sum);
		}
	}
}

/* Each (flavor, resource) that some queue names, once. */
static bool seen_before(const struct plm_kv *pairs, size_t count, plm_sym flavor, plm_sym resource)
{
	for (size_t i = 0; i < count; i++) {
		if (plm_sym_equal(pairs[i].key, flavor) &&
		    plm_sym_equal(pairs[i].value, resource)) {
			return true;
		}
	}
	return false;
}

#define PAIRS_MAX 256

struct pairs {
	const struct plm_state *st;
	struct plm_kv *list;
	size_t count;
};

/* Add those of 'groups'; how many there are then. */
static size_t add_pairs(struct plm_arena *arena, const struct pairs *so_far, plm_sym groups)
{
	size_t mark = plm_arena_mark(arena);
	struct rows rows = rows_of(arena, so_far->st, groups);
	size_t count = so_far->count;

	for (size_t i = 0; i < rows.count && count < PAIRS_MAX; i++) {
		struct plm_kv pair = {rows.list[i].flavor, rows.list[i].quota->resource};

		if (!seen_before(so_far->list, count, pair.key, pair.value)) {
			so_far->list[count++] = pair;
		}
	}
	plm_arena_rewind(arena, mark);
	return count;
}

void plm_runner_check_quota(struct plm_runner *r, const struct plm_state *st)
{
	size_t mark = plm_arena_mark(&r->arena);
	struct plm_kv *pairs = PLM_NEW_ARRAY(&r->arena, PAIRS_MAX, struct plm_kv);
	size_t count = 0;

	PLM_EACH(st, cluster_queue, id)
	{
		count = add_pairs(&r->arena, &(struct pairs){st, pairs, count},
				  plm_cluster_queue_at(st, id)->groups);
	}
	for (size_t i = 0; i < count; i++) {
		struct quota_model m = {
			.r = r, .st = st, .flavor = pairs[i].key, .resource = pairs[i].value};

		add_nodes(&m);
		fold_tree(&m);
		judge_all(&m);
	}
	plm_arena_rewind(&r->arena, mark);
}

void plm_runner_check_limits(struct plm_runner *r, const struct plm_state *st, uint64_t rejected)
{
	if (rejected > 0 || plm_root(st)->observe_only != 0) {
		plm_runner_broken(r, "S13: a limit of the state was reached");
	}
}

/* ---- F: what is planned can be carried out -------------------------------------------------------- */

static void not_feasible(void *self, const char *text)
{
	plm_runner_broken(self, "F: %s", text);
}

void plm_runner_check_plans(struct plm_runner *r, const struct plm_state *st)
{
	const struct plm_feasible_says says = {.self = r, .broken = not_feasible};

	plm_feasible_look(&r->feasible, st, &r->arena, &says);
}

/* ---- after each step ---------------------------------------------------------------------------- */

void plm_runner_check_step(struct plm_runner *r)
{
	const struct plm_state *st = plm_engine_state(r->engine);
	struct plm_engine_stats stats = plm_engine_stats(r->engine);

	plm_runner_check_limits(r, st, stats.rejected);
	if (stats.decisions != r->checked_decisions) {
		r->checked_decisions = stats.decisions;
		plm_runner_check_quota(r, st);
		plm_runner_check_budgets(r, st);
		plm_runner_check_plans(r, st);
	}
}

/* ---- S8: after a crash --------------------------------------------------------------------------- */

void plm_runner_check_reopened(struct plm_runner *r)
{
	struct plm_log_head head = plm_log_head(r->log);
	struct plm_log_cursor *cursor = NULL;
	struct plm_log_record record;

	if (r->known.seq == 0) {
		return;
	}
	if (head.seq < r->known.seq) {
		plm_runner_broken(r, "S8: event %llu was acknowledged, the log ends at %llu",
				  (unsigned long long)r->known.seq, (unsigned long long)head.seq);
		return;
	}
	if (head.frames > r->known.frames + 1) {
		plm_runner_broken(r, "S8: the log holds %llu batches that were never acknowledged",
				  (unsigned long long)(head.frames - r->known.frames));
	}
	if (plm_log_cursor_open(r->log, r->known.seq, &cursor, NULL) != PLM_OK ||
	    plm_log_cursor_next(cursor, &record, NULL) != PLM_OK ||
	    memcmp(&record.head.chain, &r->known.chain, sizeof(r->known.chain)) != 0) {
		plm_runner_broken(r, "S8: up to event %llu the log is not what was acknowledged",
				  (unsigned long long)r->known.seq);
	}
	plm_log_cursor_close(cursor);
}

/* ---- S7: replay ---------------------------------------------------------------------------------- */

static bool same_hash(struct plm_hash128 a, struct plm_hash128 b)
{
	return a.low == b.low && a.high == b.high;
}

void plm_runner_check_replay(struct plm_runner *r, struct plm_log *log, struct plm_hash128 live)
{
	const struct plm_fold_options options = {.to = UINT64_MAX, .recompute = true};
	struct plm_fold_report report;
	struct plm_state st;
	struct plm_error err = {0};

	if (plm_state_init(&st, PLM_PROFILE_SMALL, &err) != PLM_OK) {
		r->failed = PLM_E_LIMIT;
		r->err = err;
		return;
	}
	if (plm_fold(log, &options, &st, &report, &err) != PLM_OK) {
		plm_runner_broken(r, "S7: the log does not replay: %s", err.text);
	} else if (report.diverged != 0) {
		plm_runner_broken(r, "S7: event %llu is decided otherwise: %s",
				  (unsigned long long)report.diverged, report.difference);
	} else if (!same_hash(report.state_hash, live)) {
		plm_runner_broken(r, "S7: replay from the start gives another state");
	}
	plm_state_fini(&st);
}

/* From the newest snapshot: load it and fold what came after. */
static void check_snapshot(struct plm_runner *r, struct plm_hash128 live)
{
	struct plm_reader *reader = NULL;
	struct plm_logged logged;
	struct plm_state st;
	struct plm_error err = {0};
	enum plm_code code = plm_state_init(&st, PLM_PROFILE_SMALL, &err);

	if (code == PLM_OK) {
		code = plm_image_load(&st, plm_slice_of(r->image.bytes, r->image.size), &err);
	}
	if (code == PLM_OK) {
		st.seq = r->image.seq;
		code = plm_reader_open(r->log, r->image.seq + 1, &reader, &err);
	}
	while (code == PLM_OK) {
		code = plm_reader_next(reader, &logged, &err);
		if (code == PLM_OK) {
			plm_arena_reset(&r->arena);
			plm_fold_event(&st, &logged, &r->arena);
		}
	}
	plm_reader_close(reader);
	if (code != PLM_E_NOT_FOUND) {
		plm_runner_broken(r, "S7: the snapshot at %llu does not load: %s",
				  (unsigned long long)r->image.seq, err.text);
	} else if (!same_hash(plm_state_hash_slow(&st), live)) {
		plm_runner_broken(r, "S7: replay from the snapshot at %llu gives another state",
				  (unsigned long long)r->image.seq);
	}
	plm_state_fini(&st);
}

/* ---- S3 and L2: work ----------------------------------------------------------------------------- */

/* Written down, or, for one that was parked because another just like it cannot be let in, at hand. */
static bool has_reason(struct plm_runner *r, const struct plm_state *st, plm_id workload)
{
	const struct plm_workload *w = plm_workload_at(st, workload);
	size_t mark = plm_arena_mark(&r->arena);
	struct plm_w_explain why = {0};
	bool said = w->stage != PLM_STAGE_PENDING || w->why.seq != 0;

	if (!said && plm_admission_explain(st, workload, &r->arena, &why, NULL)) {
		said = why.reason != PLM_REASON_NONE && why.rule != PLM_RULE_NONE;
	}
	plm_arena_rewind(&r->arena, mark);
	return said;
}

static void say_work(struct plm_runner *r, const struct plm_sim_work *work, const char *rule,
		     const char *what)
{
	plm_runner_broken(r, "%s: %s %.*s/%.*s %s", rule,
			  plm_names_text(&plm_names_kind, work->kind), (int)work->ns.size,
			  (const char *)work->ns.ptr, (int)work->name.size,
			  (const char *)work->name.ptr, what);
}

/* Somebody else's check is open: when that is answered is not the engine's to say. */
static bool awaits_others(const struct plm_state *st, const struct plm_workload *workload)
{
	return workload->cluster_queue.n != 0 && !plm_checks_ready_held(st, workload);
}

/* At rest quota is held by what runs, by what waits for somebody's check, and by nothing else. */
void plm_runner_check_holders(struct plm_runner *r, const struct plm_state *st)
{
	struct plm_sim_work work;

	for (size_t i = 0; plm_world_work(r->world, i, &work); i++) {
		plm_id id = plm_find(st, work.kind, plm_sym_find(st, work.ns),
				     plm_sym_find(st, work.name));
		const struct plm_job *job = id.n == 0 ? NULL : plm_job_at(st, id);
		enum plm_stage stage = PLM_STAGE_PENDING;

		if (work.deleted || job == NULL || job->managed == 0 || job->workload_id.n == 0) {
			continue;
		}
		stage = (enum plm_stage)plm_workload_at(st, job->workload_id)->stage;
		if (stage == PLM_STAGE_ADMITTED && !work.running) {
			say_work(r, &work, "S2", "holds quota and does not run");
		} else if (stage == PLM_STAGE_RESERVED &&
			   !awaits_others(st, plm_workload_at(st, job->workload_id))) {
			say_work(r, &work, "L1",
				 "holds quota and waits for nothing that will come");
		} else if (stage != PLM_STAGE_ADMITTED && work.running) {
			say_work(r, &work, "S2", "runs without quota");
		}
	}
}

void plm_runner_check_work(struct plm_runner *r, const struct plm_state *st)
{
	struct plm_sim_work work;

	for (size_t i = 0; plm_world_work(r->world, i, &work); i++) {
		plm_id id = plm_find(st, work.kind, plm_sym_find(st, work.ns),
				     plm_sym_find(st, work.name));
		const struct plm_job *job = id.n == 0 ? NULL : plm_job_at(st, id);

		if (work.deleted) {
			continue;
		}
		if (job != NULL && job->end != PLM_JOB_OPEN && job->workload_id.n == 0) {
			continue; /* it was over, and its Workload has been cleared away */
		}
		if (job == NULL || (job->managed == 1 && job->workload_id.n == 0)) {
			say_work(r, &work, "S3", "is lost");
		} else if (job->managed == 1 && job->workload_id.n != 0 &&
			   !has_reason(r, st, job->workload_id)) {
			say_work(r, &work, "L2", "waits without a reason");
		}
	}
}

/* ---- P3: what was decided is written ------------------------------------------------------------- */

static void say_workload(struct plm_runner *r, const struct plm_state *st, plm_id id,
			 const char *what)
{
	struct plm_slice ns = plm_str(st, plm_workload_at(st, id)->object.ns);
	struct plm_slice name = plm_str(st, plm_workload_at(st, id)->object.name);

	plm_runner_broken(r, "P3: Workload %.*s/%.*s %s", (int)ns.size, (const char *)ns.ptr,
			  (int)name.size, (const char *)name.ptr, what);
}

/* Written down anew, from the conditions alone. */
static bool object_agrees(const struct plm_state *st, const struct plm_workload *workload,
			  const struct plm_w_workload *object)
{
	bool over = workload->stage == PLM_STAGE_FINISHED;
	bool runs = workload->stage == PLM_STAGE_ADMITTED;
	bool holds = runs || workload->stage == PLM_STAGE_RESERVED;

	if (over) {
		return object->finished_ms != PLM_UNSET;
	}
	return object->finished_ms == PLM_UNSET && holds == (object->reserved_ms != PLM_UNSET) &&
	       runs == (object->admitted_ms != PLM_UNSET) &&
	       (workload->evicted_ms != PLM_UNSET) == (object->evicted_ms != PLM_UNSET) &&
	       workload->requeued == object->requeued &&
	       (!holds ||
		plm_slice_equal(plm_str(st, workload->reserved_in), object->cluster_queue));
}

void plm_runner_check_written(struct plm_runner *r, const struct plm_state *st)
{
	if ((plm_root(st)->publish & PLM_PUBLISH_QUEUES) == 0) {
		return;
	}
	PLM_EACH(st, workload, id)
	{
		const struct plm_workload *workload = plm_workload_at(st, id);
		const struct plm_w_workload *object =
			plm_world_workload(r->world, plm_str(st, workload->object.ns),
					   plm_str(st, workload->object.name));

		if (plm_marks_has(st, id, PLM_MARK_UNMADE)) {
			say_workload(r, st, id, "was not made");
		} else if (workload->writing == 1 || plm_marks_has(st, id, PLM_MARK_UNWRITTEN)) {
			say_workload(r, st, id, "is not written");
		} else if (workload->object.seq != 0 &&
			   (object == NULL || !object_agrees(st, workload, object))) {
			say_workload(r, st, id, "says another thing than was decided");
		}
	}
}

/* ---- at the end ---------------------------------------------------------------------------------- */

void plm_runner_check_end(struct plm_runner *r)
{
	const struct plm_state *st = plm_engine_state(r->engine);
	struct plm_hash128 live = plm_state_hash_slow(st);

	plm_runner_check_replay(r, r->log, live);
	if (r->image.bytes != NULL) {
		check_snapshot(r, live);
	}
	if (!r->quiet) {
		return;
	}
	plm_runner_check_work(r, st);
	plm_runner_check_holders(r, st);
	plm_runner_check_beliefs(r, st);
	plm_runner_check_written(r, st);
}
