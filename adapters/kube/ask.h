/*
 * ask.h - the API server, asked question after question by a verb that has nothing else to do
 *
 * Owns: a loop, a client and an answer at a time; lists item by item over all pages, in the memory of one
 * item. Does not: watch, write, or repeat: what fails is told.
 */
#ifndef PLM_ADAPTERS_KUBE_ASK_H
#define PLM_ADAPTERS_KUBE_ASK_H

#include "adapters/kube/client.h"
#include "adapters/kube/split.h"

struct plm_kube_ask; /* opaque */

struct plm_kube_ask_options {
	const char *kubeconfig, *context; /* as for the client */
	const char *user_agent;		  /* static */
	unsigned modes;
};

/* Connect and discover. PLM_E_CONFIG: the kubeconfig; PLM_E_UNREACHABLE: no answer, or no right. */
enum plm_code plm_kube_ask_open(const struct plm_kube_ask_options *options,
				struct plm_kube_ask **out, struct plm_error *err) PLM_MUST_CHECK;
void plm_kube_ask_close(struct plm_kube_ask *ask); /* NULL-safe */
const struct plm_kube_server *plm_kube_ask_server(const struct plm_kube_ask *ask);
struct plm_kube_client *plm_kube_ask_client(const struct plm_kube_ask *ask);

/*
 * Every object of 'resource'. PLM_E_NOT_FOUND: the server does not have this resource. PLM_E_UNREACHABLE: no
 * answer, or no right to it. 'item' as of split.h; what it returns but PLM_OK ends the list.
 */
enum plm_code plm_kube_ask_list(struct plm_kube_ask *ask, enum plm_kube_resource_id resource,
				plm_split_sink item, void *self,
				struct plm_error *err) PLM_MUST_CHECK;

#endif
