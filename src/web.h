/*
 * web.h - the listening side of HTTP: connections, bounds, headers
 *
 * Owns: a listening socket with a thread of its own and one per connection (libmicrohttpd), GET and HEAD
 * only, the bounds of limits.h (connections, those of one address, bytes of a header, time for a header,
 * time for an answer), the headers that every answer has: a policy that lets a browser load nothing, and
 * no permission for other origins. Does not: know what an address means; it is asked for on the
 * connection's thread, which may block.
 *
 * Why libmicrohttpd: it is in Debian, parses and bounds HTTP/1.1, and a thread per connection lets an
 * answer wait for its work without a state machine; there are few connections by design.
 */
#ifndef PLM_WEB_H
#define PLM_WEB_H

#include "core/error.h"
#include "tools/api.h"

struct plm_web; /* opaque */

struct plm_web_request {
	struct plm_api_request address;
	const char *token; /* of Plimsoll-Token, else of Authorization: Bearer; NULL = none */
	const char *last_event_id, *if_none_match, *accept, *host; /* NULL = not there */
};

/* An answer without an end: 'read' gives bytes as they come. */
struct plm_web_stream {
	/* At most 'size' bytes, waits for them; 0 = none for a while, < 0 = it is over. */
	ssize_t (*read)(void *self, char *bytes, size_t size);
	void (*close)(void *self); /* once, also when 'read' was never called */
	void *self;
};

#define PLM_WEB_TAG_SIZE 80
struct plm_web_answer {
	unsigned status;  /* 200, 503, ... */
	const char *type; /* static: content type */
	char *bytes;	  /* malloc'd, taken over; may be NULL */
	size_t size;
	char tag[PLM_WEB_TAG_SIZE];   /* ETag with its quotes; "" = none */
	unsigned retry_after_s;	      /* 0 = none */
	bool ask_token;		      /* with 401: WWW-Authenticate */
	struct plm_web_stream stream; /* in place of 'bytes' when 'read' is set */
};

struct plm_web_options {
	const char *
		address; /* "127.0.0.1:8080", "[::1]:8080", ":8080" = all addresses; port 0 = any */
	/* Fill in 'out', which says 404 at first; on the connection's thread. */
	void (*answer)(void *self, const struct plm_web_request *request,
		       struct plm_web_answer *out);
	void *self;
};

/* PLM_E_CONFIG: not an address. PLM_E_IO: it cannot be listened on. */
enum plm_code plm_web_start(const struct plm_web_options *options, struct plm_web **out,
			    struct plm_error *err) PLM_MUST_CHECK;
/* Ends streams, waits for what is being answered. NULL-safe. */
void plm_web_stop(struct plm_web *web);
unsigned plm_web_port(const struct plm_web *web);
/* Can only processes of this machine reach what listens there? */
bool plm_web_address_is_local(const char *address);

struct plm_web_stats {
	uint64_t requests, refused; /* refused: another method, a body, too late with its header */
	uint32_t connections, streams;
};
struct plm_web_stats plm_web_stats(struct plm_web *web);

/* 'text' with its size as the answer's bytes; a copy. */
void plm_web_put(struct plm_web_answer *out, unsigned status, const char *type,
		 struct plm_slice text);
void plm_web_print(struct plm_web_answer *out, unsigned status, const char *format, ...)
	PLM_PRINTF(3, 4);

#endif
