/*
 * config.h - where the API server is and as whom we speak: kubeconfig files and a pod's own account
 *
 * Owns: reading kubeconfig files (several are merged as client-go does: the first file that names an entry
 * or the current context wins), choosing a context, the files that an entry refers to, and the same for
 * a process in a pod. Does not: run a plugin (exec.h), renew anything (access.h), or use the network.
 *
 * Errors name file, line, entry and field, and never a value of a secret field.
 */
#ifndef PLM_ADAPTERS_KUBE_CONFIG_H
#define PLM_ADAPTERS_KUBE_CONFIG_H

#include "core/arena.h"

#define PLM_KUBE_IN_CLUSTER "in-cluster"

/* users[].user.exec: client.authentication.k8s.io. Texts are arena, zero-terminated. */
struct plm_kube_plugin {
	const char *command; /* NULL = none */
	const char **args;   /* ends with NULL */
	const char **env;    /* "NAME=value", ends with NULL */
	const char *version; /* "client.authentication.k8s.io/v1" */
	const char *hint;    /* installHint, "" = none */
	const char *told;    /* JSON of spec.cluster, NULL = it is not told */
};

/* What one context says. Texts are arena, zero-terminated; "" and empty slices = none. */
struct plm_kube_login {
	struct plm_arena arena; /* owned; holds everything below */
	const char *file;	/* where it comes from, for messages */
	const char *context, *cluster, *user;
	const char *ns; /* of the context, or of the pod; "" = none said */

	const char *server; /* "https://host:port" */
	const char *server_name, *proxy;
	bool insecure;
	struct plm_slice ca_pem;
	const char *ca_file; /* where 'ca_pem' came from; "" = it stood in the file itself */

	struct plm_slice cert_pem, key_pem;
	const char *cert_file, *key_file; /* "" = they stood in the file itself */
	struct plm_slice token;
	const char *token_file; /* read again as it changes; wins over 'token' */
	struct plm_slice username, password;
	struct plm_kube_plugin plugin;
};

struct plm_kube_login_options {
	const char *kubeconfig; /* path, several separated by ':', or PLM_KUBE_IN_CLUSTER */
	const char *context;	/* NULL = the current one */
	/* "NAME=value", ends with NULL: where the API server is, for a pod; NULL = empty. Borrowed. */
	const char *const *environment;
	const char *
		account; /* folder of a pod's token, ca.crt and namespace; NULL = where kubelet puts it */
};

/* PLM_E_CONFIG. '*out' is owned: plm_kube_login_free(). */
enum plm_code plm_kube_login_load(const struct plm_kube_login_options *options,
				  struct plm_kube_login **out,
				  struct plm_error *err) PLM_MUST_CHECK;
void plm_kube_login_free(struct plm_kube_login *login); /* NULL-safe; wipes it */

/* The value of 'name' in a list of "NAME=value" (may be NULL), or NULL. */
const char *plm_kube_variable(const char *const *environment, const char *name);

/*
 * The bytes of 'path' in the arena, zero-terminated. PLM_E_CONFIG: not to be read, or longer than
 * PLM_LIMIT_KUBECONFIG_BYTES.
 */
enum plm_code plm_kube_file_read(struct plm_arena *arena, const char *path, struct plm_slice *out,
				 struct plm_error *err) PLM_MUST_CHECK;
/* Base64 (RFC 4648, white space allowed) in the arena, zero-terminated. False: it is none. */
bool plm_kube_base64(struct plm_arena *arena, struct plm_slice text, struct plm_slice *out);
const char *plm_kube_base64_write(struct plm_arena *arena, struct plm_slice bytes);

#endif
