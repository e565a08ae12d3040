/* The table of calls and of resources, as a whole. */
#include "plm_test.h"

#include "adapters/kube/call.h"
#include "adapters/manifest/project.h"
#include "core/integration.h"

#include <stdio.h>

static bool is_read(enum plm_kube_verb verb)
{
	return verb == PLM_KUBE_GET || verb == PLM_KUBE_LIST || verb == PLM_KUBE_WATCH;
}

#define EACH_RESOURCE(id) for (unsigned id = PLM_KUBE_RES_NONE + 1; id < PLM_KUBE_RES_COUNT; id++)

static const struct plm_kube_resource *resource(unsigned id)
{
	return plm_kube_resource((enum plm_kube_resource_id)id);
}

/* What is watched is what adapters/manifest projects, in versions that it reads. */
static void projected_versions(void **state)
{
	(void)state;
	EACH_RESOURCE(id)
	{
		const struct plm_kube_resource *r = resource(id);
		char version[128];

		for (size_t v = 0; r->versions[v] != NULL && r->projected != PLM_KIND_NONE; v++) {
			const struct plm_kind_row *row = NULL;

			(void)snprintf(version, sizeof(version), "%s%s%s", r->group,
				       r->group[0] == '\0' ? "" : "/", r->versions[v]);
			row = plm_kind_find(plm_slice_str(version), plm_slice_str(r->kind));
			assert_non_null(row);
			assert_int_equal(row->kind, r->projected);
			assert_int_equal(row->namespaced, r->namespaced);
		}
		assert_non_null(r->versions[0]);
		assert_int_equal(r->projected != PLM_KIND_NONE, id < PLM_KUBE_RES_EVENTS);
	}
}

static void every_kind_has_one(void **state)
{
	(void)state;
	for (int64_t kind = PLM_KIND_NONE + 1; kind < (int64_t)plm_names_kind.count; kind++) {
		enum plm_kube_resource_id id = plm_kube_resource_of((enum plm_kind)kind);

		if (kind != PLM_KIND_POD_GROUP) { /* of pods, no object */
			assert_int_not_equal(id, PLM_KUBE_RES_NONE);
			assert_string_equal(plm_kube_resource(id)->kind,
					    plm_names_text(&plm_names_kind, kind));
		}
	}
	assert_int_equal(plm_kube_resource_of(PLM_KIND_NONE), PLM_KUBE_RES_NONE);
}

static void what_is_watched(void **state)
{
	static const enum plm_kube_verb reads[] = {PLM_KUBE_GET, PLM_KUBE_LIST, PLM_KUBE_WATCH};

	(void)state;
	EACH_RESOURCE(id)
	{
		for (size_t i = 0; i < PLM_COUNTOF(reads) && id < PLM_KUBE_RES_EVENTS; i++) {
			const struct plm_kube_call_row *row =
				plm_kube_call_find((enum plm_kube_resource_id)id, "", reads[i]);

			assert_non_null(row);
			assert_int_equal(row->modes, PLM_KUBE_OBSERVE);
			assert_int_equal(row->total_ms == 0, reads[i] != PLM_KUBE_GET);
		}
	}
}

static void rows_are_sound(void **state)
{
	size_t count = 0;
	const struct plm_kube_call_row *rows = plm_kube_calls(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct plm_kube_call_row *r = &rows[i];
		bool watched = r->resource < PLM_KUBE_RES_EVENTS;

		/* One row per call, so that a row is what is allowed. */
		assert_ptr_equal(plm_kube_call_find(r->resource, r->subresource, r->verb), r);
		/* While nothing is enforced nothing is written. */
		assert_true(is_read(r->verb) || (r->modes & PLM_KUBE_OBSERVE) == 0);
		assert_true(r->modes != 0);
		assert_true(r->when[0] != '\0');
		/* A write ends before a Lease could pass on: eventsourcing.md D16. */
		assert_true(is_read(r->verb) || (r->total_ms > 0 && r->total_ms <= 5000));
		assert_true(watched || r->name_only == NULL || strchr(r->name_only, ' ') == NULL);
	}
}

/* Work that has a flag can be stopped and started. */
static void work_can_be_stopped(void **state)
{
	size_t count = 0;
	const struct plm_integration *rows = plm_integrations(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		enum plm_kube_resource_id id = plm_kube_resource_of(rows[i].kind);

		if (rows[i].start != PLM_START_BY_FLAG) {
			continue;
		}
		assert_non_null(plm_kube_call_find(id, "", PLM_KUBE_PATCH_JSON));
	}
}

static void what_there_is_not(void **state)
{
	(void)state;
	assert_null(plm_kube_call_find(PLM_KUBE_RES_NAMESPACES, "", PLM_KUBE_DELETE));
	assert_null(plm_kube_call_find(PLM_KUBE_RES_NODES, "", PLM_KUBE_CREATE));
	assert_null(plm_kube_call_find(PLM_KUBE_RES_PODS, "exec", PLM_KUBE_CREATE));
	assert_null(plm_kube_call_find(PLM_KUBE_RES_CLUSTER_QUEUES, "", PLM_KUBE_PATCH_JSON));
	assert_null(plm_kube_call_find(PLM_KUBE_RES_EVENTS, "", PLM_KUBE_LIST));
}

static const struct name_case {
	const char *why;
	enum plm_kube_resource_id resource;
	enum plm_kube_verb verb;
	const char *name;
	bool want;
} name_table[] = {
	{"our Lease", PLM_KUBE_RES_LEASES, PLM_KUBE_UPDATE, "plimsoll", true},
	{"a peer's is not written", PLM_KUBE_RES_LEASES, PLM_KUBE_UPDATE,
	 "karpenter-leader-election", false},
	{"but read", PLM_KUBE_RES_LEASES, PLM_KUBE_GET, "karpenter-leader-election", true},
	{"the first of a list", PLM_KUBE_RES_LEASES, PLM_KUBE_GET, "plimsoll", true},
	{"a part of a name", PLM_KUBE_RES_LEASES, PLM_KUBE_GET, "plims", false},
	{"no name", PLM_KUBE_RES_LEASES, PLM_KUBE_GET, "", false},
	{"two names", PLM_KUBE_RES_LEASES, PLM_KUBE_GET, "plimsoll,c1f6bfd2.kueue.x-k8s.io", false},
	{"any node", PLM_KUBE_RES_NODES, PLM_KUBE_DELETE, "n", true},
	{"another ConfigMap", PLM_KUBE_RES_CONFIG_MAPS, PLM_KUBE_GET, "coredns", false},
};

static void name_row(const struct name_case *row)
{
	const struct plm_kube_call_row *call = plm_kube_call_find(row->resource, "", row->verb);

	assert_non_null(call);
	assert_int_equal(plm_kube_call_names(call, plm_slice_str(row->name)), row->want);
}
PLM_TEST_ROWS(name_row, struct name_case)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, projected_versions);
	PLM_TEST_ADD(&tests, every_kind_has_one);
	PLM_TEST_ADD(&tests, what_is_watched);
	PLM_TEST_ADD(&tests, rows_are_sound);
	PLM_TEST_ADD(&tests, work_can_be_stopped);
	PLM_TEST_ADD(&tests, what_there_is_not);
	PLM_TEST_TABLE(&tests, name_row, name_table);
	return plm_tests_run(&tests, "call");
}
