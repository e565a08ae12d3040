/*
 * rbac.h - the rights that the table of calls asks for, as Kubernetes' roles
 *
 * Owns: turning rows into rules, no more and no less. Pure.
 *
 * OBSERVE is a ClusterRole of reads. ENFORCE adds, as a second one, the writes of both areas, and a Role in
 * our own namespace for the Lease. SERVE is for a daemon that others than the loopback may ask.
 */
#ifndef PLM_ADAPTERS_KUBE_RBAC_H
#define PLM_ADAPTERS_KUBE_RBAC_H

#include "adapters/kube/call.h"

enum plm_kube_role {
	PLM_KUBE_ROLE_OBSERVE, /* ClusterRole plimsoll-observe */
	PLM_KUBE_ROLE_ENFORCE, /* ClusterRole plimsoll-enforce */
	PLM_KUBE_ROLE_LEASE,   /* Role plimsoll-lease */
	PLM_KUBE_ROLE_SERVE,   /* ClusterRole plimsoll-serve */
};

struct plm_kube_rbac_sink {
	void *self;
	void (*put)(void *self, const char *text);
};
/* The service account that is bound where a namespace is said. */
#define PLM_KUBE_ACCOUNT "plimsoll"

/*
 * One YAML document, beginning with "---". 'ns' of a Role; NULL = it names none (kubectl -n). With 'ns' comes
 * a second one: the role's binding to service account PLM_KUBE_ACCOUNT of that namespace.
 */
void plm_kube_rbac_write(enum plm_kube_role role, const char *ns,
			 const struct plm_kube_rbac_sink *sink);
const char *plm_kube_role_name(enum plm_kube_role role); /* "plimsoll-observe" */

#endif
