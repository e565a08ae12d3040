/* The roles hold what the table of calls needs, and nothing else. */
#include "plm_test.h"

#include "adapters/kube/rbac.h"
#include "adapters/manifest/build.h"

#include <stdio.h>
#include <stdlib.h>

struct text {
	char bytes[65536];
	size_t size;
};

static void put(void *self, const char *piece)
{
	struct text *text = self;
	size_t size = strlen(piece);

	assert_true(text->size + size < sizeof(text->bytes));
	memcpy(text->bytes + text->size, piece, size + 1);
	text->size += size;
}

/* One role, written and read again. */
struct role {
	enum plm_kube_role which;
	struct text text;
	struct plm_arena arena;
	struct plm_doc_tree tree;
	struct plm_doc *rules;
};

static struct role *role_open(enum plm_kube_role which)
{
	struct role *role = calloc(1, sizeof(*role));
	struct plm_kube_rbac_sink sink;
	struct plm_error err = {0};

	assert_non_null(role);
	role->which = which;
	sink = (struct plm_kube_rbac_sink){.self = &role->text, .put = put};
	plm_kube_rbac_write(which, NULL, &sink);
	plm_assert_ok(plm_arena_init(&role->arena, 16 << 20, &err), &err);
	role->tree = (struct plm_doc_tree){.file = "role", .arena = &role->arena};
	plm_yaml_parse(&role->tree, plm_slice_of(role->text.bytes, role->text.size), 1);
	plm_assert_ok(plm_doc_result(&role->tree, &err), &err);
	role->rules = plm_doc_get(role->tree.root, "rules");
	assert_non_null(role->rules);
	return role;
}

static void role_close(struct role *role)
{
	plm_arena_fini(&role->arena);
	free(role);
}

static bool among(struct plm_doc *rule, const char *key, const char *text)
{
	struct plm_doc *item = plm_doc_items(plm_doc_get(rule, key));

	for (; item != NULL; item = item->next) {
		if (plm_slice_is(item->text, text)) {
			return true;
		}
	}
	return false;
}

/* As the API server's authorizer: does a rule of 'role' allow it? 'name' "" = none is known. */
static bool allows(const struct role *role, const char *group, const char *resource,
		   const char *verb, const char *name)
{
	struct plm_doc *rule = plm_doc_items(role->rules);

	for (; rule != NULL; rule = rule->next) {
		if (among(rule, "apiGroups", group) && among(rule, "resources", resource) &&
		    among(rule, "verbs", verb) &&
		    (plm_doc_get(rule, "resourceNames") == NULL ||
		     among(rule, "resourceNames", name))) {
			return true;
		}
	}
	return false;
}

static const char *verb_text(enum plm_kube_verb verb)
{
	static const char *const texts[] = {
		[PLM_KUBE_GET] = "get",		 [PLM_KUBE_LIST] = "list",
		[PLM_KUBE_WATCH] = "watch",	 [PLM_KUBE_CREATE] = "create",
		[PLM_KUBE_PATCH_JSON] = "patch", [PLM_KUBE_PATCH_MERGE] = "patch",
		[PLM_KUBE_APPLY] = "patch",	 [PLM_KUBE_UPDATE] = "update",
		[PLM_KUBE_DELETE] = "delete",
	};

	return texts[verb];
}

static void target(const struct plm_kube_call_row *row, char *out, size_t size)
{
	(void)snprintf(out, size, "%s%s%s", plm_kube_resource(row->resource)->name,
		       row->subresource[0] == '\0' ? "" : "/", row->subresource);
}

static bool any_allows(struct role *const roles[4], const struct plm_kube_call_row *row,
		       const char *name)
{
	const char *group = plm_kube_resource(row->resource)->group;
	char resource[96];
	bool any = false;

	target(row, resource, sizeof(resource));
	for (size_t i = 0; i < 4; i++) {
		any = any || allows(roles[i], group, resource, verb_text(row->verb), name);
	}
	return any;
}

static void open_all(struct role *roles[4])
{
	for (unsigned i = 0; i < 4; i++) {
		roles[i] = role_open((enum plm_kube_role)i);
	}
}

static void close_all(struct role *roles[4])
{
	for (unsigned i = 0; i < 4; i++) {
		role_close(roles[i]);
	}
}

static void enough(void **state)
{
	size_t count = 0;
	const struct plm_kube_call_row *rows = plm_kube_calls(&count);
	struct role *roles[4];

	(void)state;
	open_all(roles);
	for (size_t i = 0; i < count; i++) {
		const char *names = rows[i].name_only;
		char name[128];

		if (rows[i].modes == PLM_KUBE_DOCTOR) {
			continue;
		}
		if (names == NULL) {
			assert_true(any_allows(roles, &rows[i], "x"));
		}
		for (; names != NULL && *names != '\0'; names += *names == ',' ? 1 : 0) {
			(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(names, ","), names);
			names += strcspn(names, ",");
			/* The name of what is created is not known to the authorizer. */
			assert_true(any_allows(roles, &rows[i],
					       rows[i].verb == PLM_KUBE_CREATE ? "" : name));
		}
	}
	close_all(roles);
}

/* Is there a row for this right, about this name, that is of this role's modes? */
static bool wanted(enum plm_kube_role role, const char *group, const char *resource,
		   const char *verb, struct plm_slice name)
{
	static const unsigned modes[] = {
		[PLM_KUBE_ROLE_OBSERVE] = PLM_KUBE_OBSERVE,
		[PLM_KUBE_ROLE_ENFORCE] = PLM_KUBE_QUEUES | PLM_KUBE_NODES,
		[PLM_KUBE_ROLE_LEASE] = PLM_KUBE_OBSERVE | PLM_KUBE_QUEUES | PLM_KUBE_NODES,
		[PLM_KUBE_ROLE_SERVE] = PLM_KUBE_SERVE,
	};
	size_t count = 0;
	const struct plm_kube_call_row *rows = plm_kube_calls(&count);
	char text[96];

	for (size_t i = 0; i < count; i++) {
		target(&rows[i], text, sizeof(text));
		if (strcmp(text, resource) == 0 && strcmp(verb_text(rows[i].verb), verb) == 0 &&
		    strcmp(plm_kube_resource(rows[i].resource)->group, group) == 0 &&
		    (rows[i].modes & modes[role]) != 0 &&
		    (name.size == 0 ? rows[i].name_only == NULL || strcmp(verb, "create") == 0
				    : plm_kube_call_names(&rows[i], name))) {
			return true;
		}
	}
	return false;
}

static void no_more_of(const struct role *role, struct plm_doc *rule)
{
	const char *group = (const char *)plm_doc_items(plm_doc_get(rule, "apiGroups"))->text.ptr;
	struct plm_doc *resource = plm_doc_items(plm_doc_get(rule, "resources"));

	for (; resource != NULL; resource = resource->next) {
		struct plm_doc *verb = plm_doc_items(plm_doc_get(rule, "verbs"));

		for (; verb != NULL; verb = verb->next) {
			struct plm_doc *name = plm_doc_items(plm_doc_get(rule, "resourceNames"));

			if (name == NULL) {
				assert_true(wanted(
					role->which, group, (const char *)resource->text.ptr,
					(const char *)verb->text.ptr, (struct plm_slice){0}));
			}
			for (; name != NULL; name = name->next) {
				assert_true(wanted(role->which, group,
						   (const char *)resource->text.ptr,
						   (const char *)verb->text.ptr, name->text));
			}
		}
	}
}

static void no_more(void **state)
{
	struct role *roles[4];

	(void)state;
	open_all(roles);
	for (size_t i = 0; i < 4; i++) {
		struct plm_doc *rule = plm_doc_items(roles[i]->rules);

		for (; rule != NULL; rule = rule->next) {
			if (plm_doc_get(rule, "nonResourceURLs") == NULL) {
				no_more_of(roles[i], rule);
			}
		}
	}
	close_all(roles);
}

/* What a reader would look for first. */
static const struct right_case {
	const char *why;
	enum plm_kube_role role;
	const char *group, *resource, *verb, *name;
	bool want;
} right_table[] = {
	{"observe watches pods", PLM_KUBE_ROLE_OBSERVE, "", "pods", "watch", "", true},
	{"observe deletes none", PLM_KUBE_ROLE_OBSERVE, "", "pods", "delete", "p", false},
	{"observe reads no secret", PLM_KUBE_ROLE_OBSERVE, "", "secrets", "get", "s", false},
	{"observe reads Kueue's settings", PLM_KUBE_ROLE_OBSERVE, "", "configmaps", "get",
	 "kueue-manager-config", true},
	{"and no others", PLM_KUBE_ROLE_OBSERVE, "", "configmaps", "get", "x", false},
	{"observe reads a peer's Lease", PLM_KUBE_ROLE_OBSERVE, "coordination.k8s.io", "leases",
	 "get", "karpenter-leader-election", true},
	{"ours only where it is", PLM_KUBE_ROLE_OBSERVE, "coordination.k8s.io", "leases", "get",
	 "plimsoll", false},
	{"our Lease", PLM_KUBE_ROLE_LEASE, "coordination.k8s.io", "leases", "update", "plimsoll",
	 true},
	{"a peer's is not written", PLM_KUBE_ROLE_LEASE, "coordination.k8s.io", "leases", "update",
	 "karpenter-leader-election", false},
	{"enforce evicts", PLM_KUBE_ROLE_ENFORCE, "", "pods/eviction", "create", "", true},
	{"enforce makes pods", PLM_KUBE_ROLE_ENFORCE, "", "pods", "create", "", true},
	{"enforce clears a start time", PLM_KUBE_ROLE_ENFORCE, "batch", "jobs/status", "patch", "j",
	 true},
	{"enforce makes no nodes", PLM_KUBE_ROLE_ENFORCE, "", "nodes", "create", "", false},
	{"enforce changes no queue", PLM_KUBE_ROLE_ENFORCE, "kueue.x-k8s.io", "clusterqueues",
	 "patch", "q", false},
	{"but its status", PLM_KUBE_ROLE_ENFORCE, "kueue.x-k8s.io", "clusterqueues/status", "patch",
	 "q", true},
	{"reviews are served's", PLM_KUBE_ROLE_SERVE, "authentication.k8s.io", "tokenreviews",
	 "create", "", true},
	{"and not enforce's", PLM_KUBE_ROLE_ENFORCE, "authentication.k8s.io", "tokenreviews",
	 "create", "", false},
};

static void right_row(const struct right_case *row)
{
	struct role *role = role_open(row->role);

	assert_int_equal(allows(role, row->group, row->resource, row->verb, row->name), row->want);
	role_close(role);
}
PLM_TEST_ROWS(right_row, struct right_case)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, enough);
	PLM_TEST_ADD(&tests, no_more);
	PLM_TEST_TABLE(&tests, right_row, right_table);
	return plm_tests_run(&tests, "rbac");
}
