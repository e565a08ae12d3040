#include "adapters/kube/rbac.h"

#include <stdio.h>

/* Verbs as bits, in the order in which they are written. */
static const char *const verbs[] = {"get", "list", "watch", "create", "patch", "update", "delete"};
enum {
	GET,
	LIST,
	WATCH,
	CREATE,
	PATCH,
	UPDATE,
	DELETE
};

/* What one rule of one resource says; rules of the same group that say the same are written as one. */
struct rule {
	const struct plm_kube_call_row *row; /* the first of its rows */
	char names[1024];		     /* resourceNames, separated by commas; "" = all */
	unsigned verbs;
};

static unsigned verb_bit(enum plm_kube_verb verb)
{
	switch (verb) {
	case PLM_KUBE_GET:
		return 1U << GET;
	case PLM_KUBE_LIST:
		return 1U << LIST;
	case PLM_KUBE_WATCH:
		return 1U << WATCH;
	case PLM_KUBE_CREATE:
		return 1U << CREATE;
	case PLM_KUBE_PATCH_JSON:
	case PLM_KUBE_PATCH_MERGE:
	case PLM_KUBE_APPLY: /* of what is there already; else it would need create as well */
		return 1U << PATCH;
	case PLM_KUBE_UPDATE:
		return 1U << UPDATE;
	case PLM_KUBE_DELETE:
		return 1U << DELETE;
	}
	PLM_UNREACHABLE();
}

const char *plm_kube_role_name(enum plm_kube_role role)
{
	switch (role) {
	case PLM_KUBE_ROLE_OBSERVE:
		return "plimsoll-observe";
	case PLM_KUBE_ROLE_ENFORCE:
		return "plimsoll-enforce";
	case PLM_KUBE_ROLE_LEASE:
		return "plimsoll-lease";
	case PLM_KUBE_ROLE_SERVE:
		return "plimsoll-serve";
	}
	PLM_UNREACHABLE();
}

/* ---- which rows are whose ---------------------------------------------------------------------- */

/* Our Lease is in our namespace: a Role of its own; the peers' are read wherever they are. */
static bool belongs(const struct plm_kube_call_row *row, enum plm_kube_role role)
{
	bool observe = (row->modes & PLM_KUBE_OBSERVE) != 0;
	bool areas = (row->modes & (PLM_KUBE_QUEUES | PLM_KUBE_NODES)) != 0;
	bool lease = row->resource == PLM_KUBE_RES_LEASES;

	switch (role) {
	case PLM_KUBE_ROLE_OBSERVE:
		return observe;
	case PLM_KUBE_ROLE_ENFORCE:
		return areas && !observe && !lease;
	case PLM_KUBE_ROLE_LEASE:
		return lease && (areas || observe);
	case PLM_KUBE_ROLE_SERVE:
		return (row->modes & PLM_KUBE_SERVE) != 0;
	}
	PLM_UNREACHABLE();
}

/*
 * resourceNames of 'row' in 'role'. None restricts create: the name of what is created is not known when
 * the right to do so is looked at.
 */
static void names_of(const struct plm_kube_call_row *row, enum plm_kube_role role, char *out,
		     size_t size)
{
	const char *names =
		row->name_only == NULL || row->verb == PLM_KUBE_CREATE ? "" : row->name_only;

	if (row->resource == PLM_KUBE_RES_LEASES && names[0] != '\0') {
		names = role == PLM_KUBE_ROLE_LEASE ? PLM_KUBE_LEASE : PLM_KUBE_PEER_LEASES;
	}
	(void)snprintf(out, size, "%s", names);
}

static bool same_target(const struct plm_kube_call_row *a, const struct plm_kube_call_row *b)
{
	return a->resource == b->resource && strcmp(a->subresource, b->subresource) == 0;
}

/* The rule that begins with row 'index'; false: an earlier row has it, or it is of another role. */
static bool rule_at(size_t index, enum plm_kube_role role, struct rule *out)
{
	size_t count = 0;
	const struct plm_kube_call_row *rows = plm_kube_calls(&count);
	char names[sizeof(out->names)];

	if (!belongs(&rows[index], role)) {
		return false;
	}
	*out = (struct rule){.row = &rows[index]};
	names_of(&rows[index], role, out->names, sizeof(out->names));
	for (size_t i = 0; i < count; i++) {
		if (!belongs(&rows[i], role) || !same_target(&rows[i], out->row)) {
			continue;
		}
		names_of(&rows[i], role, names, sizeof(names));
		if (strcmp(names, out->names) != 0) {
			continue;
		}
		if (i < index) {
			return false;
		}
		out->verbs |= verb_bit(rows[i].verb);
	}
	return true;
}

static bool merges(const struct rule *a, const struct rule *b)
{
	const char *group = plm_kube_resource(a->row->resource)->group;

	return strcmp(group, plm_kube_resource(b->row->resource)->group) == 0 &&
	       a->verbs == b->verbs && a->names[0] == '\0' && b->names[0] == '\0';
}

/* ---- writing ----------------------------------------------------------------------------------- */

static void put(const struct plm_kube_rbac_sink *sink, const char *text)
{
	sink->put(sink->self, text);
}

static void put_names(const struct plm_kube_rbac_sink *sink, const char *names)
{
	char name[128];

	put(sink, "  resourceNames:\n");
	while (*names != '\0') {
		size_t size = strcspn(names, ",");

		(void)snprintf(name, sizeof(name), "  - %.*s\n", (int)size, names);
		put(sink, name);
		names += size;
		names += *names == ',' ? 1 : 0;
	}
}

static void put_target(const struct plm_kube_rbac_sink *sink, const struct rule *rule)
{
	const struct plm_kube_call_row *row = rule->row;
	char text[128];

	(void)snprintf(text, sizeof(text), "  - %s%s%s\n", plm_kube_resource(row->resource)->name,
		       row->subresource[0] == '\0' ? "" : "/", row->subresource);
	put(sink, text);
}

static void put_verbs(const struct plm_kube_rbac_sink *sink, unsigned bits)
{
	const char *before = "";

	put(sink, "  verbs: [");
	for (unsigned i = 0; i < PLM_COUNTOF(verbs); i++) {
		if ((bits & (1U << i)) != 0) {
			put(sink, before);
			put(sink, verbs[i]);
			before = ", ";
		}
	}
	put(sink, "]\n");
}

/* The rule at 'index' with all later ones that say the same; an earlier one may have it. */
static void put_rule(const struct plm_kube_rbac_sink *sink, enum plm_kube_role role, size_t index)
{
	size_t count = 0;
	const char *group = NULL;
	struct rule rule;
	struct rule other;

	(void)plm_kube_calls(&count);
	if (!rule_at(index, role, &rule)) {
		return;
	}
	for (size_t i = 0; i < index; i++) {
		if (rule_at(i, role, &other) && merges(&other, &rule)) {
			return;
		}
	}
	group = plm_kube_resource(rule.row->resource)->group;
	put(sink, "- apiGroups: [");
	put(sink, group[0] == '\0' ? "\"\"" : group);
	put(sink, "]\n  resources:\n");
	put_target(sink, &rule);
	for (size_t i = index + 1; i < count; i++) {
		if (rule_at(i, role, &other) && merges(&rule, &other)) {
			put_target(sink, &other);
		}
	}
	if (rule.names[0] != '\0') {
		put_names(sink, rule.names);
	}
	put_verbs(sink, rule.verbs);
}

/* apiVersion, kind and metadata of a role or of its binding. */
static void put_head(const struct plm_kube_rbac_sink *sink, enum plm_kube_role role,
		     const char *binding, const char *ns)
{
	bool lease = role == PLM_KUBE_ROLE_LEASE;

	put(sink, "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ");
	put(sink, lease ? "Role" : "ClusterRole");
	put(sink, binding);
	put(sink, "\nmetadata:\n  name: ");
	put(sink, plm_kube_role_name(role));
	if (lease && ns != NULL) {
		put(sink, "\n  namespace: ");
		put(sink, ns);
	}
	put(sink, "\n  labels:\n    app.kubernetes.io/name: plimsoll\n");
}

static void put_binding(const struct plm_kube_rbac_sink *sink, enum plm_kube_role role,
			const char *ns)
{
	put_head(sink, role, "Binding", ns);
	put(sink, "roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ");
	put(sink, role == PLM_KUBE_ROLE_LEASE ? "Role" : "ClusterRole");
	put(sink, "\n  name: ");
	put(sink, plm_kube_role_name(role));
	put(sink,
	    "\nsubjects:\n- kind: ServiceAccount\n  name: " PLM_KUBE_ACCOUNT "\n  namespace: ");
	put(sink, ns);
	put(sink, "\n");
}

void plm_kube_rbac_write(enum plm_kube_role role, const char *ns,
			 const struct plm_kube_rbac_sink *sink)
{
	size_t count = 0;

	(void)plm_kube_calls(&count);
	put_head(sink, role, "", ns);
	put(sink, "rules:\n");
	if (role == PLM_KUBE_ROLE_OBSERVE) {
		put(sink, "- nonResourceURLs: [/version, /api, /api/*, /apis, /apis/*]\n"
			  "  verbs: [get]\n");
	}
	for (size_t i = 0; i < count; i++) {
		put_rule(sink, role, i);
	}
	if (ns != NULL) {
		put_binding(sink, role, ns);
	}
}
