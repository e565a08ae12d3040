/* What pods ask of nodes, summed up at a CYCLE, is what reading the pods gives. */
#include "plot.h"

#include "reducers/tas/tree.h"

struct sums_case {
	const char *why;
	const char *lines; /* pods beside four nodes of eight cpus */
};

#define NODES                                                                                      \
	"flavor\nnode b1/r1/x1 cpu=8\nnode b1/r1/x2 cpu=8 gpu=2\nnode b1/r2/x3 cpu=8\nnode "       \
	"b2/r3/x4 "                                                                                \
	"cpu=8 "                                                                                   \
	"down\n"

static const struct sums_case cases[] = {
	{"no pod", ""},
	{"pods of nobody", "pod a node=x1 cpu=2\npod b node=x1 cpu=1\npod c node=x3 cpu=8\n"},
	{"several resources", "pod a node=x2 cpu=2 gpu=1\npod b node=x2 gpu=1\n"},
	{"resources that no node has", "pod a node=x1 cpu=1 disk=5\n"},
	{"pods that have ended",
	 "pod a node=x1 cpu=2 phase=Failed\npod b node=x1 phase=Succeeded\n"},
	{"pods that ask for a topology", "pod a node=x1 cpu=2 tas\npod b node=x1 cpu=3\n"},
	{"nodes that are not ready or unknown", "pod a node=x4 cpu=2\npod b node=x9 cpu=2\n"},
	{"pods of a workload with places", "held w cpu=1 b1/r1/x1:2\npod a node=x1 cpu=2\n"},
};

/* A workload without places, and a pod of it. */
static void add_owned(struct plot *p, plm_sym host)
{
	struct plm_w_pod pod = {.meta = {.name = plm_slice_str("owned"),
					 .ns = plm_slice_str("ns"),
					 .uid = plm_slice_str("owned-uid")},
				.node = plm_str(&p->st, host),
				.phase = PLM_PHASE_RUNNING};
	struct plm_w_amount cpu = {plm_slice_str("cpu"), 3000};
	struct plm_event ev = {.seq = ++p->seq, .type = PLM_EV_POD, .payload = &pod};
	plm_id workload = plm_slot_new_object(&p->st, PLM_KIND_WORKLOAD, (plm_sym){0},
					      plm_intern(&p->st, plm_slice_str("waiting")));

	pod.shape.requests = (struct plm_vec){&cpu, 1};
	plm_apply(&p->st, &ev, &p->scratch);
	plm_index_put(&p->st, PLM_KEY_WORKLOAD_OWNER,
		      plm_intern(&p->st, plm_slice_str("owned-uid")).n, 0, workload);
}

/* Free amounts of all nodes as numbers, by the sums or by the pods. */
static const int64_t *free_amounts(struct plot *p, bool fresh, size_t *count)
{
	struct plm_tas *tas = NULL;

	if (fresh) {
		plm_host_pods_refresh(&p->st);
	}
	assert_true(p->st.host_pods.fresh == fresh);
	tas = plm_tas_make(&p->st, &p->step);
	plm_tas_prepare(tas);
	*count = (size_t)tas->node_count * tas->width;
	return tas->free;
}

static void sums_row(const struct sums_case *row)
{
	struct plot p;
	const int64_t *slow = NULL;
	const int64_t *fast = NULL;
	size_t count = 0;
	size_t other = 0;

	plot_init(&p);
	(void)plot_run(&p, NODES);
	(void)plot_run(&p, row->lines);
	add_owned(&p, plm_sym_find(&p.st, plm_slice_str("x3")));
	slow = free_amounts(&p, false, &count);
	fast = free_amounts(&p, true, &other);
	assert_int_equal(count, other);
	assert_true(count > 0);
	assert_memory_equal(slow, fast, count * sizeof(*slow));
	plot_fini(&p);
}
PLM_TEST_ROWS(sums_row, struct sums_case)

static void test_stale_after_a_fact(void **unused)
{
	struct plot p;

	(void)unused;
	plot_init(&p);
	(void)plot_run(&p, NODES "pod a node=x1 cpu=2\n");
	plm_host_pods_refresh(&p.st);
	assert_true(p.st.host_pods.fresh);
	(void)plot_run(&p, "pod b node=x1 cpu=2\n");
	assert_false(p.st.host_pods.fresh);
	plot_fini(&p);
}

int main(void)
{
	static struct plm_tests tests;

	PLM_TEST_TABLE(&tests, sums_row, cases);
	PLM_TEST_ADD(&tests, test_stale_after_a_fact);
	return plm_tests_run(&tests, "sums");
}
