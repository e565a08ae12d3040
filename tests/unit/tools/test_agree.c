/* What a peer does with Workloads and NodeClaims, beside what would be done here. */
#include "plm_test.h"

#include <stdio.h>

#include "adapters/manifest/manifest.h"
#include "core/limits.h"
#include "hash/state_hash.h"
#include "reducers/reducer.h"
#include "tools/agree.h"

#define START_MS 1767225600000LL /* 2026-01-01 */

static struct plm_arena arena; /* of all tests: opened in main() */

struct watch {
	struct plm_state st;
	struct plm_agree *agree;
	int64_t now_ms;
};

static const char queues[] =
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: spot}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: default}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: cq}\nspec:\n"
	"  namespaceSelector: {}\n  resourceGroups:\n  - coveredResources: [cpu]\n    flavors:\n"
	"    - {name: default, resources: [{name: cpu, nominalQuota: 2}]}\n"
	"    - {name: spot, resources: [{name: cpu, nominalQuota: 2}]}\n---\n"
	"apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\n"
	"metadata: {name: lq, namespace: ns}\nspec: {clusterQueue: cq}\n";

static void fold(struct watch *w, enum plm_event_type type, const void *payload)
{
	const struct plm_event_info *info = plm_event_info((uint16_t)type);
	const struct plm_logged logged = {
		.envelope = {.seq = w->st.seq + 1,
			     .tick_ms = (uint64_t)w->now_ms,
			     .wall_ns = (uint64_t)w->now_ms * 1000000,
			     .type = (uint16_t)type},
		.info = info,
		.payload = payload,
	};
	const struct plm_event event = {
		.seq = logged.envelope.seq,
		.wall_ns = logged.envelope.wall_ns,
		.tick_ms = logged.envelope.tick_ms,
		.type = (uint16_t)type,
		.payload = payload,
	};
	struct plm_error err;

	plm_assert_ok(plm_agree_event(w->agree, &w->st, &logged, &err), &err);
	plm_apply(&w->st, &event, &arena);
}

static enum plm_code on_fact(void *ctx, const struct plm_manifest_fact *fact, struct plm_error *err)
{
	(void)err;
	fold(ctx, fact->type, fact->payload);
	return PLM_OK;
}

static void tell(struct watch *w, const char *text)
{
	const struct plm_manifest_sink sink = {.ctx = w, .fact = on_fact};
	const struct plm_manifest_options options = {.now_ms = START_MS, .updates = true};
	struct plm_manifest *reader = NULL;
	struct plm_error err;

	plm_assert_ok(plm_manifest_open(&reader, &options, &sink, &err), &err);
	plm_assert_ok(plm_manifest_read_text(reader, "facts.yaml", plm_slice_str(text), &err),
		      &err);
	plm_manifest_close(reader);
}

/* A Workload of one pod of 'cpu'; with 'flavor' it was let in. */
static void workload(struct watch *w, const char *name, int cpu, const char *flavor)
{
	char text[2048];
	char status[1024] = "";

	if (flavor != NULL) {
		(void)snprintf(status, sizeof(status),
			       "status:\n  admission:\n    clusterQueue: cq\n"
			       "    podSetAssignments: [{name: main, count: 1, flavors: {cpu: %s},"
			       " resourceUsage: {cpu: %d}}]\n"
			       "  conditions:\n"
			       "  - {type: QuotaReserved, status: 'True', reason: QuotaReserved,"
			       " lastTransitionTime: '2026-01-01T00:00:00Z'}\n"
			       "  - {type: Admitted, status: 'True', reason: Admitted,"
			       " lastTransitionTime: '2026-01-01T00:00:00Z'}\n",
			       flavor, cpu);
	}
	(void)snprintf(
		text, sizeof(text),
		"apiVersion: kueue.x-k8s.io/v1beta2\nkind: Workload\n"
		"metadata: {name: %s, namespace: ns}\nspec:\n  queueName: lq\n  podSets:\n"
		"  - {name: main, count: 1, template: {spec: {containers: [{name: c, resources:"
		" {requests: {cpu: %d}}}]}}}\n%s",
		name, cpu, status);
	tell(w, text);
}

static void begin(struct watch *w)
{
	static const struct plm_w_genesis genesis = {.started_ms = START_MS};
	static const struct plm_w_config config = {.only = PLM_ONLY_NOTHING};
	static const struct plm_w_listed listed = {.kind = PLM_KIND_WORKLOAD};
	struct plm_error err;

	*w = (struct watch){.now_ms = START_MS};
	plm_assert_ok(plm_state_init(&w->st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_agree_new(&w->agree, &err), &err);
	fold(w, PLM_EV_GENESIS, &genesis);
	fold(w, PLM_EV_CONFIG, &config);
	tell(w, "apiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n");
	tell(w, queues);
	fold(w, PLM_EV_LISTED, &listed);
}

static void end(struct watch *w)
{
	plm_agree_end(w->agree);
}

static void close_watch(struct watch *w)
{
	plm_agree_free(w->agree);
	plm_state_fini(&w->st);
}

static void same_flavors_are_the_same(void **state)
{
	struct watch w;

	(void)state;
	begin(&w);
	workload(&w, "one", 1, NULL);
	workload(&w, "one", 1, "default");
	end(&w);
	assert_int_equal(plm_agree_count(w.agree, PLM_AGREE_ADMISSION, PLM_AGREE_SAME), 1);
	close_watch(&w);
}

static void other_flavors_are_told(void **state)
{
	struct watch w;
	size_t count = 0;
	const struct plm_agree_row *rows = NULL;

	(void)state;
	begin(&w);
	workload(&w, "one", 1, NULL);
	workload(&w, "one", 1, "spot");
	end(&w);
	rows = plm_agree_rows(w.agree, &count);
	assert_int_equal(count, 1);
	assert_int_equal(rows[0].how, PLM_AGREE_OTHER);
	assert_true(plm_slice_is(rows[0].theirs, "main: cpu=spot"));
	assert_true(plm_slice_is(rows[0].ours, "main: cpu=default"));
	close_watch(&w);
}

static void what_would_not_fit_is_theirs_alone(void **state)
{
	struct watch w;

	(void)state;
	begin(&w);
	workload(&w, "big", 9, NULL);
	workload(&w, "big", 9, "default");
	end(&w);
	assert_int_equal(plm_agree_count(w.agree, PLM_AGREE_ADMISSION, PLM_AGREE_ONLY_THEM), 1);
	close_watch(&w);
}

static void late_and_never(void **state)
{
	struct watch w;

	(void)state;
	begin(&w);
	workload(&w, "late", 1, NULL);
	workload(&w, "never", 1, NULL);
	w.now_ms += 1000;
	tell(&w, "apiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n"); /* a look */
	w.now_ms += 2 * PLM_AGREE_LATE_MS;
	workload(&w, "late", 1, "default");
	w.now_ms += 1000;
	tell(&w, "apiVersion: v1\nkind: Namespace\nmetadata: {name: more}\n");
	end(&w);
	assert_int_equal(plm_agree_count(w.agree, PLM_AGREE_ADMISSION, PLM_AGREE_LATER), 1);
	assert_int_equal(plm_agree_count(w.agree, PLM_AGREE_ADMISSION, PLM_AGREE_ONLY_US), 1);
	close_watch(&w);
}

static void our_own_decisions_are_not_compared(void **state)
{
	static const struct plm_w_config ours = {.only = PLM_ONLY_QUEUES};
	struct watch w;

	(void)state;
	begin(&w);
	workload(&w, "one", 1, NULL);
	fold(&w, PLM_EV_CONFIG, &ours);
	workload(&w, "one", 1, "spot");
	end(&w);
	for (uint32_t how = 0; how < PLM_AGREE_HOWS; how++) {
		assert_int_equal(plm_agree_count(w.agree, PLM_AGREE_ADMISSION, how), 0);
	}
	close_watch(&w);
}

static void ignore(void *self, enum plm_event_type type, const void *payload)
{
	(void)payload;
	*(uint32_t *)self += type == PLM_EV_RESERVE ? 1 : 0;
}

static void a_look_changes_nothing(void **state)
{
	struct watch w;
	struct plm_shadow *shadow = NULL;
	struct plm_hash128 before, after;
	uint32_t reserved = 0;
	struct plm_error err;

	(void)state;
	begin(&w);
	workload(&w, "one", 1, NULL);
	before = plm_state_hash(&w.st);
	plm_assert_ok(plm_shadow_new(&shadow, &err), &err);
	for (int i = 0; i < 3; i++) {
		plm_assert_ok(plm_shadow_look(shadow, &w.st, START_MS, ignore, &reserved, &err),
			      &err);
	}
	assert_int_equal(reserved, 3);
	after = plm_state_hash(&w.st);
	assert_true(before.low == after.low && before.high == after.high);
	plm_shadow_free(shadow);
	close_watch(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_flavors_are_the_same),
		cmocka_unit_test(other_flavors_are_told),
		cmocka_unit_test(what_would_not_fit_is_theirs_alone),
		cmocka_unit_test(late_and_never),
		cmocka_unit_test(our_own_decisions_are_not_compared),
		cmocka_unit_test(a_look_changes_nothing),
	};
	struct plm_error err;
	int failed = 0;

	if (plm_arena_init(&arena, PLM_LIMIT_EVENT_ARENA, &err) != PLM_OK) {
		return 1;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	plm_arena_fini(&arena);
	return failed;
}
