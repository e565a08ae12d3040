#include "plm_test.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/limits.h"
#include "hash/hash.h"
#include "tools/intake.h"

#define NOW_MS 1767261600000

static struct plm_arena arena; /* of all tests: opened in main() */

/* What came out of a second look: the observations, hashed in order. */
struct taken {
	uint64_t count;
	uint64_t sum;
	uint64_t namespaces;
};

static enum plm_code take(void *ctx, const struct plm_observation *observation,
			  struct plm_error *err)
{
	struct taken *taken = ctx;

	(void)err;
	taken->count++;
	taken->sum = taken->sum * 1000003 + plm_xxh64(observation->payload);
	taken->namespaces += observation->type == PLM_EV_NAMESPACE ? 1 : 0;
	return PLM_OK;
}

/* A file with 'text', removed by the caller. */
static const char *file_with(const char *text)
{
	char *path = (char *)(uintptr_t)plm_arena_format(&arena, "%s/intake-XXXXXX.yaml",
							 getenv("TMPDIR") != NULL ? getenv("TMPDIR")
										  : "/tmp")
			     .ptr;
	int fd = mkstemps(path, 5);
	size_t size = strlen(text);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), (ssize_t)size);
	assert_int_equal(close(fd), 0);
	return path;
}

struct looked {
	struct taken taken;
	int64_t newest;
	uint64_t objects;
	bool wants_catalog;
	struct plm_w_config config;
};

static struct looked look_at(const char *path, size_t keep_bytes)
{
	const char *paths[] = {path};
	struct plm_cli call = {.arena = &arena, .out = stdout, .notes = stderr};
	struct plm_intake *intake = NULL;
	struct plm_error err;
	struct looked out = {.newest = PLM_UNSET};

	call.flags[PLM_FLAG_FILENAME] = (struct plm_flag_value){.texts = paths, .count = 1};
	plm_assert_ok(plm_intake_open(&call, keep_bytes, &intake, &err), &err);
	plm_assert_ok(plm_intake_read(intake, &out.config, &err), &err);
	out.newest = plm_intake_newest(intake);
	out.objects = plm_intake_objects(intake);
	out.wants_catalog = plm_intake_wants_catalog(intake);
	plm_assert_ok(plm_intake_feed(intake, NOW_MS, take, &out.taken, &err), &err);
	plm_intake_close(intake);
	return out;
}

static const char sample[] =
	"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n---\n"
	"apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: x}\n"
	"spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}\n---\n"
	"apiVersion: v1\nkind: Pod\n"
	"metadata: {name: b, namespace: y, creationTimestamp: \"2026-01-01T09:00:00Z\"}\n"
	"spec: {containers: [{name: c}]}\n---\n"
	"apiVersion: v1\nkind: Namespace\nmetadata: {name: y}\n";

/* What does not fit into memory is read again, and nothing else is different. */
static void a_large_input_gives_the_same_facts(void **state)
{
	const char *path = file_with(sample);
	struct looked kept = look_at(path, PLM_INTAKE_KEEP_BYTES);
	struct looked again = look_at(path, 64);

	(void)state;
	assert_int_equal(kept.objects, 3);
	assert_int_equal(kept.taken.count, 4);
	assert_int_equal(kept.taken.namespaces, 2);
	assert_int_equal(kept.newest, 1767258000000);
	assert_false(kept.wants_catalog);
	assert_int_equal(kept.config.fair_sharing, 1);
	assert_int_equal(again.taken.count, kept.taken.count);
	assert_int_equal(again.taken.sum, kept.taken.sum);
	assert_int_equal(again.newest, kept.newest);
	assert_int_equal(unlink(path), 0);
}

static void a_pool_wants_the_catalogue(void **state)
{
	const char *path = file_with("apiVersion: karpenter.sh/v1\nkind: NodePool\n"
				     "metadata: {name: p}\nspec: {template: {spec: {nodeClassRef: "
				     "{group: karpenter.k8s.aws, kind: EC2NodeClass, name: d}, "
				     "requirements: []}}}\n");

	(void)state;
	assert_true(look_at(path, PLM_INTAKE_KEEP_BYTES).wants_catalog);
	assert_int_equal(unlink(path), 0);
}

static void what_is_not_there_is_unreachable(void **state)
{
	const char *paths[] = {"/nowhere/at/all.yaml"};
	struct plm_cli call = {.arena = &arena, .out = stdout, .notes = stderr};
	struct plm_intake *intake = NULL;
	struct plm_w_config config = {0};
	struct plm_error err;

	(void)state;
	call.flags[PLM_FLAG_FILENAME] = (struct plm_flag_value){.texts = paths, .count = 1};
	plm_assert_ok(plm_intake_open(&call, PLM_INTAKE_KEEP_BYTES, &intake, &err), &err);
	plm_assert_fails(plm_intake_read(intake, &config, &err), PLM_E_UNREACHABLE, err,
			 "/nowhere/at/all.yaml");
	plm_intake_close(intake);
}

int main(void)
{
	static struct plm_tests tests;
	int failed = 0;

	if (plm_arena_init(&arena, 1 << 26, NULL) != PLM_OK) {
		return 255;
	}
	PLM_TEST_ADD(&tests, a_large_input_gives_the_same_facts);
	PLM_TEST_ADD(&tests, a_pool_wants_the_catalogue);
	PLM_TEST_ADD(&tests, what_is_not_there_is_unreachable);
	failed = plm_tests_run(&tests, "intake");
	plm_arena_fini(&arena);
	return failed;
}
