/*
 * What is kept from event to event equals what is made anew, after every event of random histories.
 *
 * Kept: places of workloads in queues, sums of what is held, marks, quota trees. Made anew: from an image
 * of the state, and from its objects. Passes that look at marked workloads alone decide what they decide
 * when every workload is marked.
 */
#include <stdio.h>
#include <stdlib.h>

#include "reducers/admission/queue.h"
#include "reducers/admission/round.h"
#include "reducers/admission/skeleton.h"
#include "world.h"

#define WORLDS 400
#define WORLDS_SHORT 40
#define ACTS 80

struct twin {
	struct plm_state st;
	struct plm_arena arena;
	uint64_t checks;
};

/* ---- the twin ---------------------------------------------------------------------------------- */

static void load(struct twin *twin, const struct plm_state *st)
{
	struct plm_slice parts[PLM_IMAGE_PARTS];
	struct plm_error err;
	size_t size = 0;
	uint8_t *bytes = NULL;
	size_t at = 0;

	plm_image_parts(st, &twin->arena, parts);
	for (size_t i = 0; i < PLM_IMAGE_PARTS; i++) {
		size += parts[i].size;
	}
	bytes = plm_arena_take(&twin->arena, size);
	for (size_t i = 0; i < PLM_IMAGE_PARTS; i++) {
		memcpy(bytes + at, parts[i].ptr, parts[i].size);
		at += parts[i].size;
	}
	plm_assert_ok(plm_image_load(&twin->st, plm_slice_of(bytes, size), &err), &err);
	twin->st.seq = st->seq;
	plm_queue_fill(&twin->st);
	twin->st.queues.stale = false;
}

/* ---- places and sums --------------------------------------------------------------------------- */

static void same_link(const struct plm_link *kept, const struct plm_link *anew)
{
	assert_int_equal(kept->standing, anew->standing);
	if (kept->standing == PLM_STANDS_NOWHERE) {
		return;
	}
	assert_int_equal(kept->queue, anew->queue);
	assert_int_equal(kept->lane, anew->lane);
	assert_int_equal(kept->priority, anew->priority);
	assert_int_equal(kept->since_ms, anew->since_ms);
	assert_int_equal(kept->uid.n, anew->uid.n);
	assert_int_equal(kept->pod_sets.n, anew->pod_sets.n);
	assert_int_equal(kept->reclaimable.n, anew->reclaimable.n);
	assert_int_equal(kept->assignments.n, anew->assignments.n);
	assert_int_equal(kept->reserved, anew->reserved);
	assert_int_equal(kept->parked, anew->parked);
	assert_int_equal(kept->local, anew->local);
	assert_int_equal(kept->by_usage, anew->by_usage);
}

static plm_i128 sum_of(const struct plm_helds *helds, plm_sym flavor, plm_sym resource)
{
	for (uint32_t i = 0; i < helds->count; i++) {
		if (plm_sym_equal(helds->list[i].flavor, flavor) &&
		    plm_sym_equal(helds->list[i].resource, resource)) {
			return helds->list[i].sum;
		}
	}
	return 0;
}

static void same_sums(const struct plm_helds *a, const struct plm_helds *b)
{
	for (uint32_t i = 0; i < a->count; i++) {
		assert_true(a->list[i].sum == sum_of(b, a->list[i].flavor, a->list[i].resource));
	}
}

static void same_places(const struct plm_state *kept, const struct plm_state *anew)
{
	for (uint32_t n = 1; n < plm_workload_bound(kept); n++) {
		same_link(plm_queue_index_link(kept, (plm_id){n}),
			  plm_queue_index_link(anew, (plm_id){n}));
	}
	for (uint32_t n = 1; n < plm_cluster_queue_bound(kept); n++) {
		const struct plm_queue_cell *a = plm_queue_index_cell(kept, (plm_id){n});
		const struct plm_queue_cell *b = plm_queue_index_cell(anew, (plm_id){n});

		assert_int_equal(a->lane.count, b->lane.count);
		assert_int_equal(a->parked_count, b->parked_count);
		assert_int_equal(a->holding_count, b->holding_count);
		assert_true(a->lane.count == 0 || a->lane.heap[0] == b->lane.heap[0]);
		same_sums(&a->held, &b->held);
		same_sums(&b->held, &a->held);
	}
	assert_int_equal(kept->queues.parked_total, anew->queues.parked_total);
	assert_int_equal(kept->queues.reserved, anew->queues.reserved);
}

/* ---- quota trees ------------------------------------------------------------------------------- */

static void same_node(const struct plm_quotas *kept, const struct plm_quotas *anew, uint32_t n)
{
	const struct plm_quota_node *a = &kept->tree.nodes[n];
	const struct plm_quota_node *b = &anew->tree.nodes[n];

	assert_int_equal(a->name.n, b->name.n);
	assert_int_equal(a->slot.n, b->slot.n);
	assert_int_equal(a->parent, b->parent);
	assert_int_equal(a->first_child, b->first_child);
	assert_int_equal(a->next_sibling, b->next_sibling);
	assert_int_equal(a->tree, b->tree);
	assert_int_equal(a->height, b->height);
	assert_int_equal(a->depth, b->depth);
	assert_int_equal(a->queue, b->queue);
	assert_int_equal(a->active, b->active);
	assert_int_equal(kept->order[n], anew->order[n]);
	for (uint32_t f = 0; f < plm_quotas_pair_count(anew, n); f++) {
		const struct plm_pair *pair = plm_quotas_pair_at(anew, n, f);
		uint32_t other = plm_quotas_pair(kept, n, pair->flavor, pair->resource);

		assert_int_not_equal(other, PLM_NO_PAIR);
		assert_memory_equal(plm_quotas_cell(anew, n, f), plm_quotas_cell(kept, n, other),
				    sizeof(struct plm_cell));
	}
}

static void same_trees(const struct plm_state *st, struct plm_arena *arena)
{
	uint8_t *wanted = PLM_NEW_ARRAY(arena, plm_cluster_queue_bound(st), uint8_t);
	struct plm_quotas kept;
	struct plm_quotas anew;

	memset(wanted, 1, plm_cluster_queue_bound(st));
	plm_quotas_make(&kept, st, arena, wanted, false);
	plm_quotas_make(&anew, st, arena, wanted, true);
	assert_int_equal(kept.tree.count, anew.tree.count);
	for (uint32_t n = 0; n < anew.tree.count; n++) {
		same_node(&kept, &anew, n);
	}
}

/* ---- passes ------------------------------------------------------------------------------------ */

static void same_out(const struct plm_out *a, const struct plm_out *b)
{
	assert_int_equal(a->count, b->count);
	for (uint32_t handle = 1; handle <= a->count; handle++) {
		assert_int_equal(plm_out_item(a, handle)->type, plm_out_item(b, handle)->type);
	}
}

static void mark_all(struct plm_state *st)
{
	PLM_EACH(st, workload, id)
	{
		plm_marks_put(st, id, PLM_MARK_BACKOFF, true);
		plm_marks_put(st, id, PLM_MARK_BEGUN, true);
	}
}

static struct plm_out policy(const struct plm_state *st, struct plm_arena *arena, int64_t now_ms)
{
	struct plm_cycle_run run = {.cycle = {.now_ms = now_ms}, .phase = PLM_CYCLE_ADMISSION};
	struct plm_out out;
	struct plm_round round = {.st = st, .run = &run, .arena = arena, .out = &out};

	plm_out_init(&out, arena);
	plm_policy_pass(&round);
	return out;
}

static struct plm_out lifecycle(const struct plm_state *st, struct plm_arena *arena, int64_t now_ms)
{
	struct plm_cycle_run run = {.cycle = {.now_ms = now_ms}, .phase = PLM_CYCLE_LIFECYCLE};
	struct plm_out out;

	plm_out_init(&out, arena);
	(void)plm_lifecycle_step(st, &run, arena, &out);
	return out;
}

static void same_passes(const struct plm_state *kept, struct twin *twin, int64_t now_ms)
{
	struct plm_out by_marks = policy(kept, &twin->arena, now_ms);
	struct plm_out lives = lifecycle(kept, &twin->arena, now_ms);
	struct plm_out all;

	mark_all(&twin->st);
	all = policy(&twin->st, &twin->arena, now_ms);
	same_out(&by_marks, &all);
	all = lifecycle(&twin->st, &twin->arena, now_ms);
	same_out(&lives, &all);
}

/* ---- histories --------------------------------------------------------------------------------- */

static void check(struct world *w, const struct plm_event *event)
{
	struct twin *twin = w->before_self;

	(void)event;
	plm_arena_reset(&twin->arena);
	plm_state_check(&w->st);
	if (!w->st.queues.filled || w->st.queues.stale) {
		return; /* in the middle of a run of queue objects */
	}
	load(twin, &w->st);
	same_places(&w->st, &twin->st);
	same_trees(&w->st, &twin->arena);
	same_passes(&w->st, twin, w->now_ms);
	twin->checks++;
}

static unsigned roll(uint64_t *dice, unsigned sides)
{
	return (unsigned)plm_test_below(dice, sides);
}

static void object_line(uint64_t *dice, char *text, size_t size)
{
	static const char *const policies[] = {"Never", "LowerPriority", "Any"};
	unsigned queue = roll(dice, 5);

	switch (roll(dice, 7)) {
	case 0:
		(void)snprintf(text, size, "cohort c%u parent=%s cpu=%u", roll(dice, 3),
			       roll(dice, 2) == 0 ? "root" : "c1", roll(dice, 5));
		break;
	case 1:
		(void)snprintf(text, size, "local l%u queue=q%u stop=%s", queue, roll(dice, 5),
			       roll(dice, 3) == 0 ? "Hold" : "None");
		break;
	case 2:
		(void)snprintf(text, size, "work k%u queue=q%u max=%u", roll(dice, 2), queue,
			       1 + roll(dice, 3));
		break;
	case 3:
		(void)snprintf(text, size, "gone %s q%u",
			       roll(dice, 2) == 0 ? "LocalQueue" : "ClusterQueue", queue);
		break;
	case 4:
		(void)snprintf(text, size, "local l%u work=k%u", queue, roll(dice, 2));
		break;
	default:
		(void)snprintf(text, size,
			       "queue q%u cohort=c%u %s cpu=%u/%u/%u reclaim=%s within=%s stop=%s "
			       "flavor:f%u mem=%u",
			       queue, roll(dice, 3), roll(dice, 3) == 0 ? "strict" : "",
			       roll(dice, 6), roll(dice, 8), roll(dice, 4), policies[roll(dice, 3)],
			       policies[roll(dice, 2)], roll(dice, 8) == 0 ? "Hold" : "None",
			       roll(dice, 2), roll(dice, 6));
		break;
	}
}

static void work_line(uint64_t *dice, char *text, size_t size)
{
	unsigned workload = roll(dice, 25);

	switch (roll(dice, 8)) {
	case 0:
		(void)snprintf(text, size, "gone Workload w%u", workload);
		break;
	case 1:
		(void)snprintf(text, size, "release w%u", workload);
		break;
	case 2:
		(void)snprintf(text, size, "workload w%u queue=q%u cpu=%u prio=%u at=%u retryAt=%u",
			       workload, roll(dice, 5), 1 + roll(dice, 4), roll(dice, 3),
			       roll(dice, 9), 1000 + roll(dice, 20));
		break;
	default:
		(void)snprintf(text, size, "workload w%u queue=%c%u cpu=%u prio=%u at=%u %s %s",
			       workload, roll(dice, 4) == 0 ? 'l' : 'q', roll(dice, 5),
			       1 + roll(dice, 4), roll(dice, 3), roll(dice, 9),
			       roll(dice, 12) == 0 ? "gated" : "",
			       roll(dice, 12) == 0 ? "off" : "");
		break;
	}
}

/* A Job that runs or not, be that as its workload would have it or not; or it goes. */
static void fold_job(struct world *w, uint64_t *dice)
{
	char name[16];
	char queue[16];
	struct plm_w_amount cpu = {plm_slice_str("cpu"), 1000};
	struct plm_w_pod_set_spec set = {
		.name = plm_slice_str("main"),
		.count = 1,
		.min_count = PLM_UNSET,
		.shape = {.requests = {&cpu, 1}, .priority = PLM_UNSET},
	};
	struct plm_w_job job = {
		.meta = {.ns = plm_slice_str("ns"), .deleting_ms = PLM_UNSET},
		.kind = PLM_KIND_JOB,
		.managed = 1,
		.suspended = roll(dice, 2),
		.parallelism = 1,
		.completions = 1,
		.active = roll(dice, 2),
		.end = roll(dice, 4) == 0 ? PLM_JOB_COMPLETE : PLM_JOB_OPEN,
		.min_parallelism = PLM_UNSET,
		.ended_ms = PLM_UNSET,
		.started_ms = PLM_UNSET,
		.pod_sets = {&set, 1},
		.max_exec_s = PLM_UNSET,
	};

	(void)snprintf(name, sizeof(name), "j%u", roll(dice, 6));
	(void)snprintf(queue, sizeof(queue), "q%u", roll(dice, 5));
	job.meta.name = plm_slice_str(name);
	job.meta.uid = plm_slice_str(name);
	job.workload = plm_slice_str(name);
	job.queue = plm_slice_str(queue);
	if (roll(dice, 6) == 0) {
		struct plm_w_gone gone = {
			.kind = PLM_KIND_JOB, .ns = job.meta.ns, .name = job.meta.name};

		world_fold(w, PLM_EV_GONE, &gone);
	} else {
		world_fold(w, PLM_EV_JOB, &job);
	}
}

static uint64_t live(uint64_t seed)
{
	struct plm_w_config config = {
		.compat = seed % 2 == 0 ? PLM_COMPAT_STRICT : PLM_COMPAT_BETTER,
		.fair_sharing = seed % 3 == 0,
		.settle = seed % 5 == 0,
	};
	uint64_t dice = seed * 7919 + 1;
	struct twin twin = {.checks = 0};
	struct plm_error err;
	struct world w;
	char text[256];

	plm_assert_ok(plm_state_init(&twin.st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_arena_init(&twin.arena, 1U << 28, &err), &err);
	world_init(&w);
	w.before = check;
	w.before_self = &twin;
	world_config(&w, &config);
	world_setup(&w, "flavor f0\nflavor f1");
	for (unsigned act = 0; act < ACTS; act++) {
		if (roll(&dice, 4) == 0) {
			object_line(&dice, text, sizeof(text));
		} else {
			work_line(&dice, text, sizeof(text));
		}
		world_setup(&w, text);
		if (roll(&dice, 4) == 0) {
			fold_job(&w, &dice);
		}
		if (roll(&dice, 3) == 0) {
			w.now_ms += 1000 * roll(&dice, 4);
			(void)world_run(&w, roll(&dice, 3));
		}
	}
	w.before = NULL;
	world_fini(&w);
	plm_state_fini(&twin.st);
	plm_arena_fini(&twin.arena);
	return twin.checks;
}

static void kept_equals_made_anew(void **state)
{
	uint64_t seed = plm_test_seed() * 1000;
	unsigned worlds = getenv("PLM_SHORT") != NULL ? WORLDS_SHORT : WORLDS;
	uint64_t checks = 0;

	(void)state;
	for (unsigned i = 0; i < worlds; i++) {
		checks += live(seed + i);
	}
	assert_true(checks > worlds * (uint64_t)ACTS / 2);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, kept_equals_made_anew);
	return plm_tests_run(&tests, "increments");
}
