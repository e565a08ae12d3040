/* `plimsoll rbac print`: the roles of adapters/kube/rbac.h on stdout. */
#include "adapters/kube/rbac.h"
#include "adapters/manifest/project.h"
#include "verbs.h"

static void put(void *self, const char *text)
{
	(void)fputs(text, self); /* plm_cli_main() looks at the stream's error */
}

enum plm_code plm_verb_rbac_print(struct plm_cli *call, struct plm_error *err)
{
	static const struct {
		enum plm_kube_role role;
		const char *mode;
	} roles[] = {
		{PLM_KUBE_ROLE_OBSERVE, "observe"},
		{PLM_KUBE_ROLE_ENFORCE, "enforce"},
		{PLM_KUBE_ROLE_LEASE, "enforce"},
		{PLM_KUBE_ROLE_SERVE, "serve"},
	};
	const struct plm_kube_rbac_sink sink = {.self = call->out, .put = put};
	const char *mode = plm_cli_text(call, PLM_FLAG_ROLES, NULL);
	const char *ns = plm_cli_text(call, PLM_FLAG_NAMESPACE, NULL);

	if (ns != NULL && !plm_project_is_name(plm_slice_str(ns))) {
		return plm_fail(err, PLM_E_USAGE, "--namespace: '%.80s' is no name of a namespace",
				ns);
	}
	for (size_t i = 0; i < PLM_COUNTOF(roles); i++) {
		if (mode == NULL || strcmp(mode, roles[i].mode) == 0) {
			plm_kube_rbac_write(roles[i].role, ns, &sink);
		}
	}
	return PLM_OK;
}
