/* Paths, methods and content types of calls. */
#include "plm_test.h"

#include "adapters/kube/client_private.h"

#include <stdlib.h>

#define RES(id) PLM_KUBE_RES_##id

static const struct path_case {
	const char *why;
	enum plm_kube_resource_id resource;
	const char *subresource;
	enum plm_kube_verb verb;
	const char *ns, *name, *query, *version;
	const char *want;
} path_table[] = {
	{"a list of all namespaces", RES(PODS), "", PLM_KUBE_LIST, "", "", "limit=500", "v1",
	 "/api/v1/pods?limit=500"},
	{"one object", RES(JOBS), "", PLM_KUBE_GET, "ml", "train", NULL, "v1",
	 "/apis/batch/v1/namespaces/ml/jobs/train"},
	{"without a namespace where there is none", RES(NODES), "", PLM_KUBE_GET, "ml", "n", NULL,
	 "v1", "/api/v1/nodes/n"},
	{"a watch says so", RES(NODES), "", PLM_KUBE_WATCH, "", "", "resourceVersion=7", "v1",
	 "/api/v1/nodes?resourceVersion=7&watch=1"},
	{"and not twice", RES(NODES), "", PLM_KUBE_WATCH, "", "", "watch=true", "v1",
	 "/api/v1/nodes?watch=true"},
	{"what is created is named in its body", RES(WORKLOADS), "", PLM_KUBE_CREATE, "ml", "w",
	 NULL, "v1beta2",
	 "/apis/kueue.x-k8s.io/v1beta2/namespaces/ml/workloads?fieldManager=pl%2Fm"},
	{"an eviction is named in its path", RES(PODS), "eviction", PLM_KUBE_CREATE, "ml", "p",
	 NULL, "v1", "/api/v1/namespaces/ml/pods/p/eviction?fieldManager=pl%2Fm"},
	{"a status", RES(NODE_CLAIMS), "status", PLM_KUBE_PATCH_MERGE, "", "c", NULL, "v1",
	 "/apis/karpenter.sh/v1/nodeclaims/c/status?fieldManager=pl%2Fm"},
	{"a query and the manager", RES(WORKLOADS), "status", PLM_KUBE_APPLY, "ml", "w",
	 "force=true", "v1beta1",
	 "/apis/kueue.x-k8s.io/v1beta1/namespaces/ml/workloads/w/"
	 "status?force=true&fieldManager=pl%2Fm"},
	{"a delete has no manager", RES(NODES), "", PLM_KUBE_DELETE, "", "n", NULL, "v1",
	 "/api/v1/nodes/n"},
	{"an empty query", RES(NODES), "", PLM_KUBE_LIST, "", "", "", "v1", "/api/v1/nodes"},
	{"a name is one segment", RES(PODS), "", PLM_KUBE_GET, "a/../b", "x?y#z%", NULL, "v1",
	 "/api/v1/namespaces/a%2F..%2Fb/pods/x%3Fy%23z%25"},
	{"a name is no step", RES(PODS), "", PLM_KUBE_GET, "..", ".", NULL, "v1",
	 "/api/v1/namespaces/%2E%2E/pods/%2E"},
};

static void path_row(const struct path_case *row)
{
	struct plm_kube_request request = {
		.resource = row->resource,
		.subresource = row->subresource,
		.verb = row->verb,
		.ns = plm_slice_str(row->ns),
		.name = plm_slice_str(row->name),
		.query = row->query,
	};
	char *path = plm_kube_path_make(&request, row->version, "pl/m");

	assert_non_null(path);
	assert_string_equal(path, row->want);
	free(path);
}
PLM_TEST_ROWS(path_row, struct path_case)

static const struct verb_case {
	const char *why;
	enum plm_kube_verb verb;
	const char *method, *type;
} verb_table[] = {
	{"get", PLM_KUBE_GET, "GET", NULL},
	{"list", PLM_KUBE_LIST, "GET", NULL},
	{"watch", PLM_KUBE_WATCH, "GET", NULL},
	{"create", PLM_KUBE_CREATE, "POST", "Content-Type: application/json"},
	{"update", PLM_KUBE_UPDATE, "PUT", "Content-Type: application/json"},
	{"delete", PLM_KUBE_DELETE, "DELETE", "Content-Type: application/json"},
	{"JSON patch", PLM_KUBE_PATCH_JSON, "PATCH", "Content-Type: application/json-patch+json"},
	{"merge patch", PLM_KUBE_PATCH_MERGE, "PATCH",
	 "Content-Type: application/merge-patch+json"},
	{"apply", PLM_KUBE_APPLY, "PATCH", "Content-Type: application/apply-patch+yaml"},
};

static void verb_row(const struct verb_case *row)
{
	const char *type = plm_kube_content_type(row->verb);

	assert_string_equal(plm_kube_method(row->verb), row->method);
	assert_int_equal(type == NULL, row->type == NULL);
	if (type != NULL) {
		assert_string_equal(type, row->type);
	}
}
PLM_TEST_ROWS(verb_row, struct verb_case)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, path_row, path_table);
	PLM_TEST_TABLE(&tests, verb_row, verb_table);
	return plm_tests_run(&tests, "path");
}
