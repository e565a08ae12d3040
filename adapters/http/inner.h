/*
 * inner.h - what the files of adapters/http share; nobody else includes it
 *
 * Owns: the structs behind client.h and who is linked where. A peer has two lanes, each a curl multi handle with
 * connections of its own: CALLS, whose number is bounded and in which calls wait their turn, and STREAMS
 * for calls with on_body. A stream that is paused holds up what shares its connection (curl takes no more
 * frames then), so that a full ring must never be able to hold up a Lease.
 * Does not: know libuv's handles of a lane (lane.c).
 *
 * Curl refuses to be called from inside its own callbacks, and users may do anything inside on_body: while
 * client->inside, calls are only marked or queued, and plm_http_settle() does the work afterwards.
 */
#ifndef PLM_ADAPTERS_HTTP_INNER_H
#define PLM_ADAPTERS_HTTP_INNER_H

#include <curl/curl.h>

#include "adapters/http/client.h"
#include "adapters/http/link.h"

enum plm_http_lane_kind {
	PLM_HTTP_LANE_CALLS,
	PLM_HTTP_LANE_STREAMS,
	PLM_HTTP_LANES
};

struct plm_http_socket;
struct plm_http_resolve;

struct plm_http_lane {
	struct plm_http_client *client; /* borrowed */
	struct plm_http_peer *peer; /* borrowed; NULL: it has gone, only the timer is still open */
	enum plm_http_lane_kind kind;
	struct plm_http_link link; /* peer->all */
	CURLM *multi;
	uv_timer_t timer;	      /* curl's */
	uv_timer_t nudge;	      /* see nudge() in lane.c */
	uint32_t handles;	      /* that are being closed */
	struct plm_http_link sockets; /* of struct plm_http_socket */
	struct plm_http_link waiting; /* calls, first come first */
	struct plm_http_link running; /* calls that curl has */
	uint32_t running_count, waiting_count;
	uint32_t paused_count; /* of running: no byte is missed meanwhile */
	bool multiplexed;      /* the last answer was HTTP/2: many calls share a connection */
	int64_t heard_ms;      /* loop time: when the last byte came */
	/*
	 * Its connection is silent: the peer has another lane for new calls, and this one ends with its last.
	 * Curl would go on to use the connection, however many calls were given up on it.
	 */
	bool retired;
};

struct plm_http_peer {
	struct plm_http_client *client;		     /* borrowed */
	struct plm_http_link link;		     /* client->peers */
	struct plm_http_lane *lanes[PLM_HTTP_LANES]; /* for new calls */
	struct plm_http_link all;		     /* lanes, retired ones too */
	char *url;				     /* with the name that is verified for a host */
	char *host;	  /* header line "Host: ..." when that is another; else NULL */
	char *connect_to; /* curl's "::host:port" then; else NULL */
	char *shown;	  /* "host:port" for people */
	struct curl_slist *connect_list; /* of connect_to */
	char *proxy;			 /* "" = none */
	char *name, *port; /* that are resolved; NULL: 'url' has an address, or a proxy looks */
	struct curl_slist *addresses;	  /* curl's "name:port:address,..."; NULL = not known yet */
	struct plm_http_resolve *resolve; /* under way; NULL = none */
	int64_t resolved_ms;
	bool tls, insecure;
	uint32_t connections_max;
	uint8_t *ca, *cert, *key; /* PEM */
	size_t ca_size, cert_size, key_size;
};

struct plm_http_client {
	struct plm_http_client_options options;
	struct plm_http_link peers;    /* the one whose turn it is first */
	struct plm_http_link finished; /* calls whose on_done is due */
	struct plm_http_link doomed;   /* calls that were cancelled inside a callback */
	struct plm_http_link resumed;  /* calls that curl does not know to go on */
	uv_timer_t due;		       /* the next deadline of a call */
	uv_timer_t kick;	       /* settle as soon as the loop turns */
	int64_t due_ms;		       /* PLM_HTTP_NEVER: 'due' is not armed */
	uint32_t inside;	       /* curl is on the stack */
	uint32_t counted;	       /* running in lanes CALLS */
	uint32_t handles; /* uv handles that are not closed yet; the last one frees this */
	bool settling;
	bool dying;
	struct plm_http_stats stats;
};

#define PLM_HTTP_NEVER INT64_MAX

enum plm_http_state {
	PLM_HTTP_WAITING,
	PLM_HTTP_RUNNING,
	PLM_HTTP_FINISHED,   /* on_done is due */
	PLM_HTTP_DELIVERING, /* inside on_done */
	PLM_HTTP_DOOMED,
};

/* What was read of the headers of an answer. */
struct plm_http_answer {
	char request_id[64];
	char error_type[64];
	bool best_id;	      /* Audit-Id or x-amzn-RequestId was there */
	char retry_after[64]; /* "" = none */
	char date[64];
};

struct plm_http_call {
	struct plm_http_link link;
	struct plm_http_link resumed; /* client->resumed */
	struct plm_http_lane *lane;
	enum plm_http_state state;
	CURL *easy;
	struct curl_slist *headers;
	struct plm_http_request request; /* peer and callbacks; texts are the copies below */
	char *url;
	char *scope; /* curl's "aws:amz:region:service"; NULL = not signed */
	char *key_id, *secret;
	uint8_t *sent_body;
	int64_t born_ms, active_ms; /* loop time: of the sending, of the last byte */
	uint32_t tries;		    /* times that curl began to send it */
	int64_t sent_ms;	    /* loop time: when it began so last */
	long refused_size;	    /* bytes that were sent in vain: refused unseen */
	bool paused;
	bool pause_told; /* what curl knows of 'paused' */
	bool too_large, refused, repeated;
	uint8_t *body;
	size_t body_size, body_room;
	struct plm_http_answer answer;
	struct plm_http_outcome outcome;
	char why[CURL_ERROR_SIZE];
};

static inline void *plm_http_must(void *memory)
{
	PLM_ASSERT(memory != NULL);
	return memory;
}

static inline int64_t plm_http_now_ms(void)
{
	return (int64_t)(uv_hrtime() / 1000000U);
}

/* call.c */
struct plm_http_call *plm_http_call_new(const struct plm_http_request *request, int64_t now_ms);
/* Make curl's handle; false: 'outcome' says why not. */
bool plm_http_call_prepare(struct plm_http_call *call);
/* Fill 'outcome' from what curl says. */
void plm_http_call_conclude(struct plm_http_call *call, CURLcode code);
/* The same for a call that this side ends. */
void plm_http_call_give_up(struct plm_http_call *call, const char *why);
void plm_http_call_free(struct plm_http_call *call);

/* queue.c: the life of a call between the lists. */
void plm_http_unlink(struct plm_http_call *call);
void plm_http_finish(struct plm_http_call *call, CURLcode code);
void plm_http_settle(struct plm_http_client *client);
void plm_http_due(struct plm_http_client *client, const struct plm_http_call *call);
void plm_http_on_due(uv_timer_t *timer);
void plm_http_on_kick(uv_timer_t *timer);
/* Its name has no address: what waits for one was not sent. */
void plm_http_unresolved(struct plm_http_peer *peer, const char *why);
void plm_http_drop_all(struct plm_http_client *client);

/* lane.c */
enum plm_code plm_http_lane_new(struct plm_http_peer *peer, enum plm_http_lane_kind kind,
				struct plm_http_lane **out, struct plm_error *err) PLM_MUST_CHECK;
void plm_http_lane_retire(struct plm_http_lane *lane);
void plm_http_lane_free(struct plm_http_lane *lane); /* NULL-safe; no call may be in it */
/* Let go of one uv handle of the client; the last frees it. */
void plm_http_client_release(struct plm_http_client *client);

/* resolve.c */
void plm_http_resolve_init(struct plm_http_peer *peer, const char *host, const char *port);
/* Whether calls may start; begins to look where they may not, or where the answer is old. */
bool plm_http_resolved(struct plm_http_peer *peer);
void plm_http_resolve_forget(struct plm_http_peer *peer); /* nothing comes of it any more */
void plm_http_resolve_fini(struct plm_http_peer *peer);

/* answer.c */
void plm_http_answer_line(struct plm_http_answer *answer, struct plm_slice line);
/* PLM_UNSET: none, or it cannot be read. 'now_s' stands in for a missing Date. */
int64_t plm_http_answer_retry_ms(const struct plm_http_answer *answer, int64_t now_s);

/* sign.c: what signing needs, copied into a call; it keeps the rules of sign.h. */
void plm_http_signature_take(struct plm_http_call *call, const struct plm_http_request *request);
void plm_http_signature_set(CURL *easy, const struct plm_http_call *call);
void plm_http_signature_free(struct plm_http_call *call);

/* memory.c */
void plm_http_wipe(char *text); /* and free it; NULL-safe */
CURLcode plm_http_curl_init(void);

/* tls.c */
enum plm_code plm_http_pem_check(const struct plm_http_peer_options *options,
				 struct plm_error *err) PLM_MUST_CHECK;

#endif
