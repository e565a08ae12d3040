/*
 * stage.h - a client of AWS on a loop of its own, with keys and a server that play what the test says
 *
 * Owns: loop, HTTP client, server, keys, the client (which may do everything), and a list of what was asked. It defines
 * plm_aws_credentials_get() and its kin, so a test that uses it does not link the real chain.
 */
#ifndef PLM_TEST_AWS_STAGE_H
#define PLM_TEST_AWS_STAGE_H

#include "adapters/ec2/client.h"

#include "../kube/server.h"

#define STAGE_ASKED 512

struct plm_aws_credentials {
	uv_loop_t *loop;
	const char *why; /* not NULL: there are no keys, and why */
	const char *key_id, *token;
	int gets, refused;
	bool hold; /* nobody gets any while it stands */
	struct stage_wait *waits;
	uint64_t waited; /* waits begun so far */
};

/* What the server was asked. */
struct stage_asked {
	char method[16], path[256], target[128];
	char action[64]; /* of the form, or of the target, or the path */
	char *body;	 /* owned; with a zero */
	char authorization[512], content_type[64];
};

struct stage {
	uv_loop_t loop;
	struct plm_http_client *http;
	struct server server;
	struct plm_aws_credentials keys;
	struct plm_aws_client *client;
	struct plm_clock clock;
	char url[64];
	struct stage_asked asked[STAGE_ASKED];
	size_t count;
	/* The answer to the newest of 'asked'; an empty success of its action where this is NULL. */
	void (*answer)(struct stage *stage, const struct stage_asked *asked,
		       struct server_answer *answer);
	void *self;	  /* of 'answer' */
	char text[32768]; /* for it to write into */
	char notes[2048], trace[2048];
};

/* All modes are allowed. */
void stage_open(struct stage *stage);
/* Frees the client and all of it; nothing may be left. */
void stage_close(struct stage *stage);
/* Run the loop until '*flag' is at least 'value'; fails after 30 s. */
void stage_until(struct stage *stage, const int *flag, int value);
void stage_run(struct stage *stage, int64_t ms);
/* "<ActionResponse><requestId>...<body></ActionResponse>", or the body alone where it is JSON. In stage->text. */
void stage_say(struct stage *stage, const struct stage_asked *asked, struct server_answer *answer,
	       const char *body);
/* An error as its protocol writes it. In stage->text. */
void stage_refuse(struct stage *stage, const struct stage_asked *asked,
		  struct server_answer *answer, unsigned status, const char *code);
/* How often 'action' was asked. */
int stage_times(const struct stage *stage, const char *action);

/* A call and what became of it. */
struct heard {
	int done;
	enum plm_aws_class class;
	unsigned status;
	char code[128], message[PLM_ERROR_TEXT_SIZE], request_id[64];
	int64_t retry_after_ms;
	char root[64]; /* name of the answer's root, or of its first child for JSON */
	struct plm_aws_sent *sent;
};
/* 'body' may be NULL. */
void heard_send(struct stage *stage, struct heard *heard, enum plm_aws_call call, const char *body);
/* And wait for it. */
void heard_call(struct stage *stage, struct heard *heard, enum plm_aws_call call, const char *body);
void heard_done(void *self, const struct plm_aws_answer *answer);

#endif
