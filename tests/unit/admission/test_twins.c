/*
 * Seeded worlds: what is kept incrementally equals what is made anew.
 *
 * A state that was loaded from an image in the middle of a history ends as the one that lived through
 * it; sums of the queue index equal sums over the workload table; nobody is let in beyond his quota.
 */
#include "reducers/admission/afs.h"
#include "reducers/admission/snapshot.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

#define WORLDS 60
#define ACTS 60

struct dice {
	uint64_t state;
};

static unsigned roll(struct dice *dice, unsigned sides)
{
	return (unsigned)plm_test_below(&dice->state, sides);
}

/* A line about a random object; names come from small ranges, so that they meet. */
static void line(struct dice *dice, char *text, size_t size)
{
	static const char *const policies[] = {"Never", "LowerPriority", "Any"};
	unsigned queue = roll(dice, 4);
	unsigned workload = roll(dice, 25);

	switch (roll(dice, 14)) {
	case 0:
		(void)snprintf(text, size,
			       "queue q%u cohort=c%u %s %s cpu=%u/%u/%u reclaim=%s "
			       "within=LowerPriority",
			       queue, roll(dice, 2), roll(dice, 3) == 0 ? "strict" : "",
			       roll(dice, 2) == 0 ? "byUsage" : "", roll(dice, 6), roll(dice, 8),
			       roll(dice, 4), policies[roll(dice, 3)]);
		break;
	case 1:
		(void)snprintf(text, size, "cohort c%u parent=%s cpu=%u", roll(dice, 2),
			       roll(dice, 2) == 0 ? "root" : "c1", roll(dice, 5));
		break;
	case 2:
		(void)snprintf(text, size, "gone Workload w%u", workload);
		break;
	case 3:
		(void)snprintf(text, size, "release w%u", workload);
		break;
	case 4:
		(void)snprintf(text, size, "local l%u %s%u stop=%s weight=%u consumed=%u", queue,
			       roll(dice, 2) == 0 ? "work=k" : "queue=q", roll(dice, 2),
			       roll(dice, 4) == 0 ? "Hold" : "None", roll(dice, 3) * 100,
			       roll(dice, 3));
		break;
	case 5:
		(void)snprintf(text, size, "work k%u queue=q%u max=%u", roll(dice, 2), queue,
			       1 + roll(dice, 3));
		break;
	case 6:
		(void)snprintf(text, size, "gone %s %c%u",
			       roll(dice, 2) == 0 ? "LocalQueue" : "ClusterQueue", 'q', queue);
		break;
	case 7:
		(void)snprintf(text, size,
			       "workload w%u queue=q%u cpu=%u prio=%u at=%u "
			       "retryAt=%u",
			       workload, queue, 1 + roll(dice, 4), roll(dice, 3), roll(dice, 9),
			       1000 + roll(dice, 20));
		break;
	default:
		(void)snprintf(text, size, "workload w%u queue=%c%u cpu=%u prio=%u at=%u %s %s",
			       workload, roll(dice, 4) == 0 ? 'l' : 'q', queue, 1 + roll(dice, 4),
			       roll(dice, 3), roll(dice, 9), roll(dice, 12) == 0 ? "gated" : "",
			       roll(dice, 12) == 0 ? "off" : "");
		break;
	}
}

/* ---- images ------------------------------------------------------------------------------------ */

static struct plm_slice image(const struct plm_state *st, struct plm_arena *arena)
{
	struct plm_slice parts[PLM_IMAGE_PARTS];
	uint8_t *bytes = NULL;
	size_t size = 0;
	size_t at = 0;

	plm_image_parts(st, arena, parts);
	for (size_t i = 0; i < PLM_IMAGE_PARTS; i++) {
		size += parts[i].size;
	}
	bytes = plm_arena_take(arena, size);
	for (size_t i = 0; i < PLM_IMAGE_PARTS; i++) {
		memcpy(bytes + at, parts[i].ptr, parts[i].size);
		at += parts[i].size;
	}
	return plm_slice_of(bytes, size);
}

static void same_images(const struct plm_state *a, const struct plm_state *b,
			struct plm_arena *arena)
{
	size_t mark = plm_arena_mark(arena);
	struct plm_slice left = image(a, arena);
	struct plm_slice right = image(b, arena);

	assert_int_equal(left.size, right.size);
	assert_memory_equal(left.ptr, right.ptr, left.size);
	plm_arena_rewind(arena, mark);
}

static void reload(struct world *w, struct plm_state *mirror)
{
	size_t mark = plm_arena_mark(&w->memory);
	struct plm_error err;

	plm_assert_ok(plm_image_load(mirror, image(&w->st, &w->memory), &err), &err);
	mirror->seq = w->st.seq;
	plm_arena_rewind(&w->memory, mark);
}

/* ---- sums -------------------------------------------------------------------------------------- */

static void same_sums(struct world *w)
{
	struct plm_quotas fast;
	struct plm_quotas slow;
	uint8_t *wanted = NULL;

	plm_arena_reset(&w->step);
	wanted = PLM_NEW_ARRAY(&w->step, plm_cluster_queue_bound(&w->st), uint8_t);
	memset(wanted, 1, plm_cluster_queue_bound(&w->st));
	plm_quotas_make(&fast, &w->st, &w->step, wanted, false);
	plm_quotas_make(&slow, &w->st, &w->step, wanted, true);
	assert_int_equal(fast.tree.count, slow.tree.count);
	for (uint32_t n = 0; n < fast.tree.count; n++) {
		uint32_t pairs = plm_quotas_pair_count(&slow, n);

		for (uint32_t f = 0; f < pairs; f++) {
			const struct plm_pair *pair = plm_quotas_pair_at(&slow, n, f);
			uint32_t other = plm_quotas_pair(&fast, n, pair->flavor, pair->resource);

			assert_int_not_equal(other, PLM_NO_PAIR);
			assert_memory_equal(plm_quotas_cell(&slow, n, f),
					    plm_quotas_cell(&fast, n, other),
					    sizeof(struct plm_cell));
		}
	}
}

/* What LocalQueues count as, by the index and by the tables. */
static void same_usage(struct world *w)
{
	PLM_EACH(&w->st, local_queue, id)
	{
		struct plm_afs_usage fast = plm_afs_usage(&w->st, id);
		struct plm_afs_usage slow;

		w->st.queues.stale = true;
		slow = plm_afs_usage(&w->st, id);
		w->st.queues.stale = false;
		assert_memory_equal(&fast, &slow, sizeof(fast));
	}
}

/* ---- the property ------------------------------------------------------------------------------ */

static void live(uint64_t seed, int64_t compat)
{
	struct plm_w_config config = {
		.compat = compat,
		.fair_sharing = seed % 3 == 0,
		.afs = seed % 4 > 1,
		.afs_half_life_ms = 10000,
		.afs_interval_ms = 3000,
	};
	struct dice dice = {seed * 7919 + 1};
	struct plm_state mirror;
	struct plm_error err;
	struct world w;
	char text[256];

	plm_assert_ok(plm_state_init(&mirror, PLM_PROFILE_SMALL, &err), &err);
	world_init(&w);
	world_config(&w, &config);
	reload(&w, &mirror);
	w.mirror = &mirror;
	for (unsigned act = 0; act < ACTS; act++) {
		line(&dice, text, sizeof(text));
		world_setup(&w, text);
		if (roll(&dice, 3) == 0) {
			w.now_ms += 1000;
			(void)world_run(&w, roll(&dice, 3));
			same_sums(&w);
			same_usage(&w);
		}
		same_images(&w.st, &mirror, &w.memory);
		if (roll(&dice, 4) == 0) {
			reload(&w, &mirror);
		}
	}
	w.mirror = NULL;
	plm_state_fini(&mirror);
	world_fini(&w);
}

static void loaded_equals_lived(void **state)
{
	uint64_t seed = plm_test_seed() * 1000;

	(void)state;
	for (uint64_t i = 0; i < WORLDS; i++) {
		live(seed + i, i % 2 == 0 ? PLM_COMPAT_STRICT : PLM_COMPAT_BETTER);
	}
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, loaded_equals_lived);
	return plm_tests_run(&tests, "admission twins");
}
