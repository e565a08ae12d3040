/*
 * http_help.h - a server that misbehaves on request, and calls whose end can be waited for
 */
#ifndef PLM_TESTS_HTTP_HELP_H
#define PLM_TESTS_HTTP_HELP_H

#include "adapters/http/client.h"

/* The server of http_server.py; started once per program, ended with it. */
void http_server_start(void);
void http_server_stop(void);
/* "https://127.0.0.1:PORT" of a port of the server ("tls", "plain", ...). Static, until the next call. */
const char *http_server_url(const char *port);
/* A file that it made ("ca.pem"), whole. Owned by this file. */
struct plm_slice http_server_file(const char *name);

struct stage {
	uv_loop_t loop;
	struct plm_http_client *client;
};
void stage_open(struct stage *stage, uint32_t calls_max);
/* Free the client, run what is left, and see that nothing is. Peers are freed before or after. */
void stage_close(struct stage *stage);
struct plm_http_peer *stage_peer(struct stage *stage, const char *port, uint32_t connections);

/* A call under way and what became of it. */
struct heard {
	struct stage *stage;
	struct plm_http_call *call;
	struct plm_http_outcome outcome;
	char body[4096]; /* of the outcome, or the first pieces; with a zero */
	size_t size, pieces;
	uint32_t done;
	/* Called by on_body and on_done when set, before they return. */
	bool (*piece)(struct heard *heard);
	void (*end)(struct heard *heard);
};

/* GET 'path' with timeouts of 20 s; 'streamed' reads by on_body. */
struct plm_http_request heard_get(struct heard *heard, struct plm_http_peer *peer,
				  const char *path);
void heard_stream(struct plm_http_request *request);
void heard_send(struct stage *stage, struct heard *heard, const struct plm_http_request *request);
/* Run the loop until 'heard' is done; fails after 60 s. */
void heard_wait(struct stage *stage, const struct heard *heard);
/* Both. */
void heard_call(struct stage *stage, struct heard *heard, const struct plm_http_request *request);
void run_for(struct stage *stage, int64_t time_ms);
/* A counter of the server, asked over port "plain". */
int64_t server_count(const char *what);
void assert_has(const struct heard *heard, const char *part);

#endif
