/*
 * server.h - an HTTP server on the loop of a test, answering as the test says
 *
 * HTTP/1.1 without TLS, keep-alive, bodies by Content-Length. What is asked is handed to the test, which
 * fills the answer.
 */
#ifndef PLM_TEST_KUBE_SERVER_H
#define PLM_TEST_KUBE_SERVER_H

#include <uv.h>

#include "core/slice.h"

struct server_request {
	char method[16];
	char path[512];		 /* with query */
	char authorization[512]; /* "" = none */
	char content_type[64], accept[512];
	char target[128];      /* X-Amz-Target; "" = none */
	struct plm_slice body; /* borrowed */
	const char *head;      /* borrowed: the first line and all headers */
};

struct server_answer {
	unsigned status;
	const char *body;    /* static or the test's */
	const char *headers; /* "Name: value\r\n" each, besides; NULL = none */
	bool hang;	     /* no answer comes at all */
	bool close;	     /* the connection is closed instead */
};

struct server {
	uv_loop_t *loop;
	uv_tcp_t listener;
	int port;
	struct server_peer *peers;
	/* Fill 'answer'; it is a 404 with a plain text until then. */
	void (*ask)(void *self, const struct server_request *request, struct server_answer *answer);
	void *self;
};

/* 'loop', 'ask' and 'self' are set. */
void server_open(struct server *server);
/* The loop still has to run its closes. */
void server_close(struct server *server);

#endif
