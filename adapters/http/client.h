/*
 * client.h - HTTP calls out of the daemon: libcurl's multi interface on a libuv loop
 *
 * Owns: connections (keep-alive, HTTP/2, a bound per host), TLS (always verified unless the peer says
 * otherwise), the three timeouts, bounds of bodies, Retry-After, request ids, and telling apart what was
 * surely not carried out from what may have been. Does not: repeat a call (backoff.h computes when its
 * user may), know what a body means, or block. Everything is called on the loop's thread; callbacks come
 * from the loop, never from inside plm_http_send().
 *
 * Secrets: header lines and key material never appear in an error text.
 */
#ifndef PLM_ADAPTERS_HTTP_CLIENT_H
#define PLM_ADAPTERS_HTTP_CLIENT_H

#include <uv.h>

#include "core/error.h"
#include "core/slice.h"

struct plm_http_client; /* opaque: one per loop */
struct plm_http_peer;	/* opaque: one server with its TLS material */
struct plm_http_call;	/* opaque: one call under way */

struct plm_http_client_options {
	uv_loop_t *loop; /* borrowed */
	/*
	 * Under way at once, all peers; more wait: peers take turns, within one first come first. Calls with
	 * on_body (lists, watches) have connections of their own, never wait and count for no bound, so that
	 * they cannot hold up a call.
	 */
	uint32_t calls_max;
	const char *user_agent; /* static */
};
enum plm_code plm_http_client_new(const struct plm_http_client_options *options,
				  struct plm_http_client **out,
				  struct plm_error *err) PLM_MUST_CHECK;
/*
 * Cancels what is under way without telling anybody; not from on_body. NULL-safe. The loop still has to run
 * its closes. Peers are freed before or after.
 */
void plm_http_client_free(struct plm_http_client *client);

/* PEM texts are copied; sizes 0 = none. Without 'ca_pem' the system's store. */
struct plm_http_peer_options {
	const char *url; /* "https://host:port/prefix", without a slash at its end; copied */
	struct plm_slice ca_pem, cert_pem, key_pem;
	const char *server_name;  /* SNI and the name that is verified; NULL = of the URL */
	const char *proxy;	  /* NULL = none: variables of the environment are not looked at */
	bool insecure;		  /* do not verify: only where a kubeconfig says so */
	uint32_t connections_max; /* of calls, to this host; 0 = PLM_LIMIT_HTTP_CONNECTIONS */
};
/* PLM_E_CONFIG: not a URL, not PEM, a key that does not belong to its certificate. */
enum plm_code plm_http_peer_new(struct plm_http_client *client,
				const struct plm_http_peer_options *options,
				struct plm_http_peer **out, struct plm_error *err) PLM_MUST_CHECK;
void plm_http_peer_free(struct plm_http_peer *peer); /* NULL-safe; no call of it may be under way */

enum plm_http_fate {
	PLM_HTTP_ANSWERED, /* there is a status and the body was received whole */
	PLM_HTTP_NOT_SENT, /* no byte of the request left: surely not carried out */
	PLM_HTTP_LOST, /* reset, cut off or too late after it was sent: may have been carried out */
	PLM_HTTP_TOO_LARGE, /* the body passed body_max; the status is known */
	PLM_HTTP_REFUSED,   /* on_body said no */
};

struct plm_http_outcome {
	enum plm_http_fate fate;
	unsigned status;	/* 0 = none came */
	int64_t retry_after_ms; /* of the answer; PLM_UNSET = it named none */
	struct plm_slice body;	/* whole, unless on_body took it; borrowed for the call */
	char request_id[64];	/* Audit-Id, x-amzn-RequestId, X-Request-Id; else empty */
	char text[256];		/* why, when it was not answered: one line without secrets */
	int64_t elapsed_ms;
	char error_type[64]; /* x-amzn-ErrorType; else empty */
};

/* AWS Signature Version 4, made by libcurl. All copied for the call; never in a text. */
struct plm_http_sign {
	const char *region, *service; /* "us-west-2", "ec2" */
	const char *key_id, *secret;
	const char *token; /* of a session, sent as x-amz-security-token; NULL or "" = none */
};

struct plm_http_request {
	struct plm_http_peer *peer;
	const char *method;	    /* static: "GET", ... */
	const char *path;	    /* with query, after the peer's URL; copied */
	const char *const *headers; /* "Name: value", copied; ends with NULL; may be NULL */
	const struct plm_http_sign
		*sign;	       /* NULL = not signed; path and headers as signing asks (sign.h) */
	struct plm_slice body; /* copied */
	/* Of each connection; of all since plm_http_send(), waiting included, 0 = no bound (watches). */
	int64_t connect_ms, total_ms;
	int64_t stall_ms; /* no byte for so long ends it; 0 = no bound */
	/* Of the answer; 0 = PLM_LIMIT_HTTP_BODY_BYTES, with on_body no bound. */
	size_t body_max;
	/*
	 * NULL: the body is collected. Else pieces as they come once status is 2xx (an error's body is
	 * collected). False ends the call (REFUSED).
	 */
	bool (*on_body)(void *self, struct plm_slice piece);
	void (*on_done)(void *self, const struct plm_http_outcome *outcome); /* once, last */
	void *self;
};

/*
 * Never fails at once: what is wrong comes by on_done. The call is valid until on_done returned. A read (GET,
 * HEAD) may be sent again when a kept connection ends before any answer; nothing else ever is.
 */
struct plm_http_call *plm_http_send(struct plm_http_client *client,
				    const struct plm_http_request *request);
/* Nothing comes of it any more, on_done neither. */
void plm_http_cancel(struct plm_http_call *call);
/* Stop and go on reading the answer (a full ring): TCP holds the sender back. Stalls do not count then. */
void plm_http_pause(struct plm_http_call *call, bool paused);

struct plm_http_stats {
	uint64_t calls, bytes_in, bytes_out, connections;
	uint32_t under_way, waiting;
};
struct plm_http_stats plm_http_client_stats(const struct plm_http_client *client);

#endif
