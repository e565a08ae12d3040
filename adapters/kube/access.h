/*
 * access.h - what a call carries to say who we are, now
 *
 * Owns: the Authorization header, the certificates of a connection, and keeping both fresh: files are
 * looked at again every PLM_LIMIT_TOKEN_LOOK_MS and at once after a 401, a plugin is run again before what
 * it gave expires. Does not: make a connection. Loop thread only; files are small and local, so they are
 * read in place.
 */
#ifndef PLM_ADAPTERS_KUBE_ACCESS_H
#define PLM_ADAPTERS_KUBE_ACCESS_H

#include "adapters/kube/exec.h"

struct plm_kube_access; /* opaque */

struct plm_kube_access_options {
	uv_loop_t *loop;			    /* borrowed */
	const struct plm_kube_login *login;	    /* borrowed */
	const char *const *environment;		    /* of plugins; borrowed; may be NULL */
	void (*on_change)(void *self);		    /* what was waited for is there, or failed */
	void (*note)(void *self, const char *text); /* one line for people; may be NULL */
	void *self;
};
enum plm_code plm_kube_access_new(const struct plm_kube_access_options *options,
				  struct plm_kube_access **out,
				  struct plm_error *err) PLM_MUST_CHECK;
void plm_kube_access_free(struct plm_kube_access *access); /* NULL-safe */

enum plm_kube_access_state {
	PLM_KUBE_ACCESS_READY,
	PLM_KUBE_ACCESS_WAITS,	/* on_change will come */
	PLM_KUBE_ACCESS_FAILED, /* 'why' says so; later it may be otherwise */
};

/* Borrowed until the loop goes on. */
struct plm_kube_credential {
	const char *header; /* "Authorization: ...", NULL = none */
	struct plm_slice ca_pem, cert_pem, key_pem;
	uint64_t tls;	 /* another number: the three above are others, connections must be new */
	uint64_t serial; /* another number: anything is */
	const char *why;
};
enum plm_kube_access_state plm_kube_access_now(struct plm_kube_access *access,
					       struct plm_kube_credential *out);
/*
 * A call that carried 'serial' was answered 401. True: there is something newer, or there will be, so that
 * the call may be repeated once.
 */
bool plm_kube_access_refused(struct plm_kube_access *access, uint64_t serial);

#endif
