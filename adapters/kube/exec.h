/*
 * exec.h - one run of a credential plugin (client.authentication.k8s.io), without ever blocking
 *
 * Owns: the process, its environment (ours, what the kubeconfig adds, KUBERNETES_EXEC_INFO), its time limit
 * and the bound of its output, and reading the ExecCredential it prints. Does not: decide when one is
 * needed (access.h). Loop thread only.
 *
 * What a plugin prints is secret: no byte of its stdout gets into a text. Of stderr one line does.
 */
#ifndef PLM_ADAPTERS_KUBE_EXEC_H
#define PLM_ADAPTERS_KUBE_EXEC_H

#include <uv.h>

#include "adapters/kube/config.h"

/* Borrowed for the call. Without 'ok' only 'text' is set. */
struct plm_kube_exec_result {
	bool ok;
	struct plm_slice token, cert_pem, key_pem; /* empty = not given */
	int64_t expires_ms;			   /* Unix; PLM_UNSET = it never does */
	const char *text;			   /* why there is none: one line */
};

struct plm_kube_exec_options {
	uv_loop_t *loop;		      /* borrowed */
	const struct plm_kube_plugin *plugin; /* borrowed until the end */
	const char *const *environment;	      /* borrowed; may be NULL */
	int64_t limit_ms;
	void (*on_done)(void *self, const struct plm_kube_exec_result *result); /* once */
	void *self;
};

struct plm_kube_exec; /* opaque; valid until on_done returned */
/* Never fails at once. NULL: out of memory. */
struct plm_kube_exec *plm_kube_exec_start(const struct plm_kube_exec_options *options);
/* Kill it; on_done does not come. NULL-safe. The loop still has to run its closes. */
void plm_kube_exec_stop(struct plm_kube_exec *exec);

/* Of what the plugin printed. PLM_E_CONFIG with a text without secrets. Slices are in 'arena'. */
enum plm_code plm_kube_exec_read(const struct plm_kube_plugin *plugin, struct plm_slice output,
				 struct plm_arena *arena, struct plm_kube_exec_result *out,
				 struct plm_error *err) PLM_MUST_CHECK;

#endif
