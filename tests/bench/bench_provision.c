/*
 * bench_provision - Karpenter's benchmark mix, growth with pods, and a plan after a change of k pods
 *
 * Bare reducers: facts are folded, nothing is encoded or kept. A figure is the processor time of the
 * provisioning step: places, claims and explanations, ready to be folded. Raw: what Karpenter's own
 * benchmark took for its packing alone on two cores like ours (karpenter.md 6; better of two ends).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_lib.h"
#include "bench_mix.h"
#include "core/limits.h"
#include "reducers/area.h"
#include "reducers/provision/pass.h"
#include "reducers/reducer.h"

#define SEED 42
#define MS 1000000

struct yard {
	struct plm_state st;
	struct plm_arena scratch, step;
	struct bench_mix mix;
	uint64_t seq;
};

static void fold(void *self, enum plm_event_type type, const void *payload)
{
	struct yard *y = self;
	struct plm_event event = {.seq = ++y->seq, .type = (uint16_t)type, .payload = payload};

	plm_arena_reset(&y->scratch);
	plm_apply(&y->st, &event, &y->scratch);
}

static void yard_open(struct yard *y, enum plm_compat compat, enum plm_preference_policy wishes)
{
	struct plm_error err = {0};

	*y = (struct yard){.seq = 0};
	bench_check(plm_state_init(&y->st, PLM_PROFILE_CLUSTER, &err) == PLM_OK, err.text);
	bench_check(plm_arena_init(&y->scratch, PLM_LIMIT_STEP_ARENA, &err) == PLM_OK &&
			    plm_arena_init(&y->step, PLM_LIMIT_STEP_ARENA, &err) == PLM_OK,
		    err.text);
	y->mix = (struct bench_mix){
		.fold = fold, .self = y, .compat = compat, .preferences = wishes};
	bench_mix_open(&y->mix, SEED);
	bench_mix_cluster(&y->mix);
}

static void yard_close(struct yard *y)
{
	bench_mix_close(&y->mix);
	plm_arena_fini(&y->scratch);
	plm_arena_fini(&y->step);
	plm_state_fini(&y->st);
}

static void begin_cycle(struct yard *y)
{
	struct plm_w_cycle cycle = {.now_ms = BENCH_MIX_NOW_MS, .budget = PLM_LIMIT_CYCLE_BUDGET};

	fold(y, PLM_EV_CYCLE, &cycle);
}

/* Processor time of the provisioning step; what it decided is in 'out'. */
static int64_t plan(struct yard *y, struct plm_out *out, uint64_t *spent)
{
	struct plm_cycle_run run;
	struct plm_w_cycle cycle = {.now_ms = BENCH_MIX_NOW_MS, .budget = PLM_LIMIT_CYCLE_BUDGET};
	int64_t begin = 0;

	plm_cycle_begin(&run, &cycle);
	plm_arena_reset(&y->step);
	plm_out_init(out, &y->step);
	begin = bench_cpu_ns();
	bench_check(plm_provision_step(&y->st, &run, &y->step, out), "the step is not over");
	begin = bench_cpu_ns() - begin;
	*spent = run.spent;
	return begin;
}

/* What a decision is: claims, pods with a place, price of the claims. */
struct answer {
	uint32_t claims, placed;
	int64_t price_micro;
};

static struct answer read_answer(const struct plm_out *out)
{
	struct answer answer = {0};

	for (uint32_t handle = 1; handle <= out->count; handle++) {
		const struct plm_out_item *item = plm_out_item(out, handle);

		if (item->type == PLM_EV_CLAIM) {
			const struct plm_w_claim *w = item->payload;

			answer.claims++;
			answer.price_micro += w->price_micro == PLM_UNSET ? 0 : w->price_micro;
		} else if (item->type == PLM_EV_NOMINATE) {
			const struct plm_w_nominate *w = item->payload;

			answer.placed += (uint32_t)w->pods.count;
		}
	}
	return answer;
}

static const char *name_of(enum plm_compat compat)
{
	return compat == PLM_COMPAT_STRICT ? "strict" : "better";
}

static int runs_of(uint32_t pods)
{
	return bench_short() || pods >= 10000 ? 1 : (pods >= 1000 ? 3 : 9);
}

/* Median time of one plan over all pending pods; they stay pending. */
static int64_t time_plan(struct yard *y, uint32_t pods, struct answer *answer, uint64_t *spent)
{
	struct bench_times times = {0};
	int64_t median = 0;

	for (int i = 0; i < runs_of(pods); i++) {
		struct plm_out out;

		bench_times_add(&times, plan(y, &out, spent));
		*answer = read_answer(&out);
	}
	median = bench_times_at(&times, 500);
	bench_times_fini(&times);
	return median;
}

static void tell(const char *what, uint32_t pods, int64_t karpenter, int64_t ns,
		 const struct answer *answer)
{
	char name[128];
	char note[256];

	(void)snprintf(name, sizeof(name), "provision: %s", what);
	(void)snprintf(note, sizeof(note), "aim 100x; CPU %.2f ms, %u nodes, %.3f USD/h%s",
		       (double)ns / MS, answer->claims, (double)answer->price_micro / 1e6,
		       karpenter == 0 ? "" : "; raw: Karpenter's packing");
	bench_print(name, (int64_t)pods * 1000000000 / ns, "pods/s", karpenter, note);
	bench_check(answer->placed == pods, "a pod was not placed");
	bench_check(answer->claims > 0 && answer->price_micro > 0, "no nodes");
}

/* ---- the mix ----------------------------------------------------------------------------------- */

static const struct {
	uint32_t pods;
	int64_t karpenter; /* pods/s */
} sizes[] = {
	{1, 0},	     {50, 0},	  {100, 310},	{500, 240},   {1000, 235},
	{2000, 225}, {5000, 250}, {10000, 225}, {20000, 143},
};

/* The exponent of growth from 'a' to 'b', in thousandths. */
static double exponent(uint32_t a, int64_t a_ns, uint32_t b, int64_t b_ns)
{
	return log((double)b_ns / (double)a_ns) / log((double)b / (double)a);
}

static void mix(enum plm_compat compat)
{
	int64_t first_ns = 0;
	char note[160];
	char name[64];

	for (size_t i = 0; i < PLM_COUNTOF(sizes); i++) {
		struct answer answer;
		struct yard y;
		uint64_t spent = 0;
		int64_t ns = 0;

		if (bench_short() && sizes[i].pods > 500) {
			break;
		}
		yard_open(&y, compat, PLM_PREFERENCES_RESPECT);
		bench_mix_pods(&y.mix, 0, sizes[i].pods);
		begin_cycle(&y);
		ns = time_plan(&y, sizes[i].pods, &answer, &spent);
		(void)snprintf(name, sizeof(name), "mix of %u, %s", sizes[i].pods, name_of(compat));
		tell(name, sizes[i].pods, sizes[i].karpenter, ns, &answer);
		if (sizes[i].pods == 100) {
			first_ns = ns;
		} else if (i + 1 == PLM_COUNTOF(sizes)) {
			(void)snprintf(name, sizeof(name), "provision: growth of the mix, %s",
				       name_of(compat));
			(void)snprintf(note, sizeof(note),
				       "time grows with pods to the power of %.2f from 100 to %u",
				       exponent(100, first_ns, sizes[i].pods, ns), sizes[i].pods);
			bench_print(name,
				    (int64_t)(100 * exponent(100, first_ns, sizes[i].pods, ns)),
				    "/100", 0, note);
		}
		yard_close(&y);
	}
}

static void wishes(enum plm_compat compat, enum plm_preference_policy policy)
{
	uint32_t pods = bench_short() ? 300 : 4000;
	bool respect = policy == PLM_PREFERENCES_RESPECT;
	struct answer answer;
	struct yard y;
	uint64_t spent = 0;
	int64_t ns = 0;
	char name[96];

	yard_open(&y, compat, policy);
	bench_mix_wishes(&y.mix, pods);
	begin_cycle(&y);
	ns = time_plan(&y, pods, &answer, &spent);
	(void)snprintf(name, sizeof(name), "%u full of preferences, %s, %s", pods,
		       respect ? "respected" : "ignored", name_of(compat));
	tell(name, pods, respect ? 46 : 1382, ns, &answer);
	yard_close(&y);
}

/* ---- after a change ---------------------------------------------------------------------------- */

/* One whole cycle: folding CYCLE, all phases but what they decide, and when the next is due. */
static int64_t time_cycle(struct yard *y, struct plm_out *out, uint64_t *spent)
{
	int64_t begin = bench_cpu_ns();
	int64_t step = 0;

	begin_cycle(y);
	begin = bench_cpu_ns() - begin;
	step = plan(y, out, spent);
	return begin + step;
}

static void change(uint32_t nodes, uint32_t pods, bool mixed)
{
	static const uint32_t counts[] = {1, 10, 100, 1000};
	char name[96];
	char note[160];

	for (size_t i = 0; i < PLM_COUNTOF(counts); i++) {
		struct bench_times times = {0};
		struct answer answer = {0};
		struct plm_out out;
		struct yard y;
		uint64_t spent = 0;

		if (bench_short() && counts[i] > 10) {
			break;
		}
		yard_open(&y, PLM_COMPAT_STRICT, PLM_PREFERENCES_RESPECT);
		bench_mix_running(&y.mix, nodes, pods / nodes, mixed);
		begin_cycle(&y);
		if (mixed) {
			bench_mix_pods(&y.mix, 0, counts[i]);
		} else {
			bench_mix_plain(&y.mix, counts[i]);
		}
		for (int run = 0; run < runs_of(counts[i]); run++) {
			bench_times_add(&times, time_cycle(&y, &out, &spent));
			answer = read_answer(&out);
		}
		bench_check(answer.placed == counts[i], "a pod was not placed");
		(void)snprintf(name, sizeof(name), "provision: %u %s pods come", counts[i],
			       mixed ? "mixed" : "plain");
		(void)snprintf(
			note, sizeof(note),
			"CPU of one cycle; %u nodes, %u pods run; %u new nodes, %.0f KB used",
			nodes, pods, answer.claims, (double)y.step.used / 1024);
		bench_print_ms(name, bench_times_at(&times, 500), 0, note);
		bench_times_fini(&times);
		yard_close(&y);
	}
}

/* ---- memory ------------------------------------------------------------------------------------ */

static int64_t state_bytes(const struct plm_state *st)
{
	int64_t bytes = (int64_t)st->heap.bytes + 4 * ((int64_t)st->strings.mask + 1) +
			(int64_t)sizeof(struct plm_key_cell) * ((int64_t)st->keys.mask + 1);

	for (uint32_t t = 0; t < PLM_TABLE_COUNT; t++) {
		bytes += (int64_t)st->tables[t].bytes;
	}
	return bytes;
}

/* The index of pods: what it keeps beside the image. */
static int64_t index_bytes(const struct plm_pod_index *index)
{
	return (int64_t)sizeof(*index->links) * index->link_count +
	       (int64_t)sizeof(*index->cells) * index->cell_count +
	       4 * ((int64_t)index->hash_mask + 1) + 8 * (int64_t)index->wait_words;
}

static void memory(void)
{
	uint32_t nodes = bench_short() ? 50 : 5000;
	uint32_t pods = bench_short() ? 100 : 10000;
	struct plm_out out;
	struct yard y;
	int64_t at[3];
	uint64_t spent = 0;
	char note[160];

	yard_open(&y, PLM_COMPAT_STRICT, PLM_PREFERENCES_RESPECT);
	at[0] = state_bytes(&y.st);
	bench_mix_running(&y.mix, nodes, 0, false);
	begin_cycle(&y);
	at[1] = state_bytes(&y.st);
	(void)snprintf(note, sizeof(note), "with its NodeClaim, and %ld B of index; %u of them",
		       index_bytes(&y.st.pods) / nodes, nodes);
	bench_print("provision: state per node", (at[1] - at[0]) / nodes, "B", 0, note);
	bench_mix_pods(&y.mix, 0, pods);
	begin_cycle(&y);
	at[2] = state_bytes(&y.st);
	(void)snprintf(note, sizeof(note), "and %zu B of index; %u of them",
		       sizeof(struct plm_pod_link), pods);
	bench_print("provision: state per pending pod", (at[2] - at[1]) / pods, "B", 0, note);
	(void)plan(&y, &out, &spent);
	(void)snprintf(note, sizeof(note), "arena of a pass over %u nodes and %u pods", nodes,
		       pods);
	bench_print("provision: a pass, per pending pod", (int64_t)y.step.used / pods, "B", 0,
		    note);
	yard_close(&y);
}

int main(void)
{
	static const enum plm_compat both[] = {PLM_COMPAT_STRICT, PLM_COMPAT_BETTER};

	for (size_t i = 0; i < PLM_COUNTOF(both); i++) {
		mix(both[i]);
		wishes(both[i], PLM_PREFERENCES_RESPECT);
		wishes(both[i], PLM_PREFERENCES_IGNORE);
	}
	change(bench_short() ? 50 : 5000, bench_short() ? 1000 : 100000, false);
	change(bench_short() ? 50 : 5000, bench_short() ? 1000 : 100000, true);
	memory();
	return 0;
}
