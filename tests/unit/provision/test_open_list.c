/*
 * The order in which open claims are tried equals that of a list which is sorted before each try, stable
 * and in place, whatever was refused, passed over or given a pod before.
 */
#include "plm_test.h"

#include "reducers/provision/pass.h"

#define WORLDS 60
#define ACTS 400
#define CLAIMS 200
#define TRIES 5

struct naive {
	struct plm_open *list[CLAIMS]; /* in the order that the sort before left */
	bool never[TRIES][CLAIMS], passed[TRIES][CLAIMS];
	uint32_t count;
};

struct world {
	struct plm_pass pass;
	struct plm_arena arena;
	struct naive naive;
	uint64_t dice;
};

/* By pods, stable. */
static void sort(struct naive *naive)
{
	for (uint32_t i = 1; i < naive->count; i++) {
		struct plm_open *claim = naive->list[i];
		uint32_t at = i;

		for (; at > 0 && naive->list[at - 1]->pods > claim->pods; at--) {
			naive->list[at] = naive->list[at - 1];
		}
		naive->list[at] = claim;
	}
}

static void open_claim(struct world *w)
{
	struct plm_open *claim = PLM_NEW(&w->arena, struct plm_open);

	claim->index = w->pass.claim_count;
	claim->pods = 1;
	plm_opens_add(&w->pass, claim);
	w->naive.list[w->naive.count++] = claim;
}

static bool refused(const struct world *w, uint32_t try, const struct plm_open *claim)
{
	return w->naive.never[try][claim->index] || w->naive.passed[try][claim->index];
}

/* A try that the claim which is the 'at'-th to be asked takes; all before it say no in some way. */
static void try_once(struct world *w, uint32_t try, uint32_t at)
{
	struct plm_open_walk walk = plm_opens_walk(&w->pass, try);
	struct naive *naive = &w->naive;
	struct plm_open *claim = NULL;
	uint32_t asked = 0;

	sort(naive);
	for (uint32_t i = 0; i < naive->count; i++) {
		if (refused(w, try, naive->list[i])) {
			continue;
		}
		claim = plm_opens_next(&walk);
		assert_ptr_equal(claim, naive->list[i]);
		if (asked++ == at) {
			claim->pods++;
			plm_opens_grew(&w->pass, claim);
			return;
		}
		if (plm_test_below(&w->dice, 3) == 0) {
			naive->never[try][claim->index] = true;
			plm_opens_never(&w->pass, try, claim);
		} else if (plm_test_below(&w->dice, 3) == 0) {
			naive->passed[try][claim->index] = true;
			plm_opens_pass_over(&w->pass, try, claim);
		}
	}
	assert_null(plm_opens_next(&walk));
}

static void change(struct world *w)
{
	uint32_t index = (uint32_t)plm_test_below(&w->dice, w->pass.claim_count);

	plm_opens_changed(&w->pass, w->pass.claims[index]);
	for (uint32_t t = 0; t < TRIES; t++) {
		w->naive.passed[t][index] = false;
	}
}

static void order_of_trial(void **state)
{
	struct world *w = test_calloc(1, sizeof(*w));
	struct plm_error err = {0};

	(void)state;
	plm_assert_ok(plm_arena_init(&w->arena, (size_t)64 << 20, &err), &err);
	w->dice = plm_test_seed();
	for (uint32_t i = 0; i < WORLDS; i++) {
		plm_arena_reset(&w->arena);
		w->pass = (struct plm_pass){.arena = &w->arena, .try_count = TRIES};
		memset(&w->naive, 0, sizeof(w->naive));
		for (uint32_t act = 0; act < ACTS; act++) {
			if (w->naive.count == 0 ||
			    (w->naive.count < CLAIMS && plm_test_below(&w->dice, 3) == 0)) {
				open_claim(w);
			} else if (plm_test_below(&w->dice, 8) == 0) {
				change(w);
			} else {
				try_once(w, (uint32_t)plm_test_below(&w->dice, TRIES),
					 (uint32_t)plm_test_below(&w->dice, 6));
			}
		}
		assert_int_equal(w->pass.claim_count, w->naive.count);
	}
	plm_arena_fini(&w->arena);
	test_free(w);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, order_of_trial);
	return plm_tests_run(&tests, "open list");
}
