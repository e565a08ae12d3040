/*
 * client.h - the only way to the Kubernetes API
 *
 * Owns: paths, verbs and content types from the table of calls (call.h), credentials of each call
 * (access.h: re-read tokens, exec plugins), which version of a resource the server has (discovery.h), the
 * modes that are allowed at this moment, and reading a Status answer. A call that is not in the table, or
 * not of an allowed mode, ends the process in tests and is answered FORBIDDEN_HERE otherwise: nothing
 * leaves. Does not: repeat, decide, or hold an answer.
 */
#ifndef PLM_ADAPTERS_KUBE_CLIENT_H
#define PLM_ADAPTERS_KUBE_CLIENT_H

#include "adapters/http/client.h"
#include "adapters/kube/call.h"

struct plm_kube_client; /* opaque */

enum plm_kube_fate {
	PLM_KUBE_DONE,	      /* 2xx */
	PLM_KUBE_NOT_FOUND,   /* 404 of the object (not of the resource) */
	PLM_KUBE_NO_RESOURCE, /* the server does not have this resource */
	PLM_KUBE_EXISTS,      /* 409 AlreadyExists */
	PLM_KUBE_CONFLICT, /* 409 Conflict, a resourceVersion or UID that is not so; 422 of a JSON patch test */
	PLM_KUBE_OWNED,		 /* 409 of server-side apply: another manager has the field */
	PLM_KUBE_BUDGET,	 /* 429 of an eviction: a PodDisruptionBudget */
	PLM_KUBE_THROTTLED,	 /* 429: not carried out, try later */
	PLM_KUBE_GONE,		 /* 410: the revision is too old */
	PLM_KUBE_INVALID,	 /* 400, 422: it will never do */
	PLM_KUBE_DENIED,	 /* 401, 403 */
	PLM_KUBE_FORBIDDEN_HERE, /* not in the table, or not in this mode */
	PLM_KUBE_UNSENT,	 /* surely not carried out */
	PLM_KUBE_UNKNOWN,	 /* lost, 5xx, 504: may have been carried out */
};

struct plm_kube_answer {
	enum plm_kube_fate fate;
	unsigned status;
	struct plm_slice body;	  /* borrowed for the call; empty where on_body took it */
	struct plm_slice reason;  /* Status.reason, "" = none; borrowed */
	struct plm_slice message; /* Status.message or why there is no answer; borrowed */
	int64_t retry_after_ms;	  /* PLM_UNSET = none named */
	char request_id[64];	  /* Audit-Id */
};

struct plm_kube_request {
	enum plm_kube_resource_id resource;
	const char *subresource; /* "" = none */
	enum plm_kube_verb verb;
	struct plm_slice ns, name; /* empty where the call has none */
	const char *query; /* "limit=500&...", NULL = none; fieldManager is added by the client */
	struct plm_slice body; /* JSON, copied */
	int64_t stall_ms;      /* for watches; else 0 = the table's timeout alone */
	size_t body_max;       /* 0 = PLM_LIMIT_ITEM_BYTES; without bound where on_body is given */
	bool (*on_body)(void *self, struct plm_slice piece);
	void (*on_done)(void *self, const struct plm_kube_answer *answer);
	void *self;
};

/*
 * As plm_http_send(): valid until on_done returned, which comes from the loop. 'query' of an APPLY may say
 * force=true only where the table names fields to be taken over.
 */
struct plm_kube_sent;
struct plm_kube_sent *plm_kube_send(struct plm_kube_client *client,
				    const struct plm_kube_request *request);
void plm_kube_cancel(struct plm_kube_sent *sent);
void plm_kube_pause(struct plm_kube_sent *sent, bool paused);

/*
 * The namespace of the context or of the pod, "default" where none is said. The credentials may be
 * repeated once by the client itself: a call answered 401 goes out again with what is newer.
 */
const char *plm_kube_namespace(const struct plm_kube_client *client);

/* The modes that calls may be made in from now on (enum plm_kube_mode, or'ed). */
void plm_kube_client_allow(struct plm_kube_client *client, unsigned modes);
/* The version that the server has of 'resource' ("v1beta2"), NULL = it has none. After discovery. */
const char *plm_kube_version(const struct plm_kube_client *client,
			     enum plm_kube_resource_id resource);

struct plm_kube_client_options {
	uv_loop_t *loop;	      /* borrowed */
	struct plm_http_client *http; /* borrowed */
	const char *kubeconfig;	      /* path, several separated by ':', or "in-cluster" */
	const char *context;	      /* NULL = the current one */
	const char *field_manager;    /* "plimsoll"; static */
	void (*note)(void *self,
		     const char *text); /* one line: a token was renewed, a plugin failed */
	void *self;
	/* "NAME=value", ends with NULL: where a pod's API server is; of plugins. Borrowed; NULL = empty. */
	const char *const *environment;
	const char *
		account; /* folder of a pod's token, ca.crt, namespace; NULL = where kubelet puts it */
	/*
	 * Thousandths of calls a second, and calls at once after a pause; 0 = no bound. Leases, Events,
	 * reviews and watches do not count.
	 */
	int64_t rate_milli, burst;
	bool strict; /* tests: a call outside of the table, or of the modes, ends the process */
	/* The server has other resources, or versions of them, than it had; not after the first time. */
	void (*on_resources)(void *self);
};
/* PLM_E_CONFIG: names file, entry and field. Does no I/O on the network. */
enum plm_code plm_kube_client_new(const struct plm_kube_client_options *options,
				  struct plm_kube_client **out,
				  struct plm_error *err) PLM_MUST_CHECK;
void plm_kube_client_free(struct plm_kube_client *client); /* NULL-safe */

/*
 * Ask the server what it has: version, groups, resources, the cluster's UID (that of namespace
 * kube-system). 'on_done' once; a failure may be tried again. Other calls are allowed after it only. From
 * then on it is asked again every PLM_LIMIT_DISCOVERY_MS, and soon after its list of groups changed or a
 * call was answered NO_RESOURCE.
 */
struct plm_kube_server {
	char version[32]; /* "v1.37.2" */
	unsigned minor, emulated_minor;
	char cluster_uid[64];
	bool mutating_policies; /* MutatingAdmissionPolicy v1 is served */
};
void plm_kube_discover(struct plm_kube_client *client,
		       void (*on_done)(void *self, enum plm_code code, const char *why),
		       void *self);
const struct plm_kube_server *plm_kube_server(const struct plm_kube_client *client);

#endif
