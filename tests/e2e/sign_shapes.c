/*
 * sign_shapes URL SEED COUNT: COUNT requests of random shapes, signed for a random service, to the server at URL. Most of
 * them break a rule of adapters/http/sign.h here and there; those must not leave, and all others are for the server to
 * judge. Prints "sent N refused M". Keys are the environment's, as AWS_ACCESS_KEY_ID and its kin.
 */
#include "adapters/http/client.h"

#include <stdio.h>
#include <stdlib.h>

#define TEXT 512

struct probe {
	uv_loop_t loop;
	struct plm_http_client *http;
	struct plm_http_peer *peer;
	uint64_t random;
	long left, sent, refused, lost;
};

static uint64_t below(struct probe *probe, uint64_t bound)
{
	uint64_t mixed = probe->random += 0x9e3779b97f4a7c15U;

	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
	return (mixed ^ (mixed >> 31)) % bound;
}

/* 'size' bytes onto 'to', which has room for TEXT. */
static void put(char *to, const char *bytes, size_t size)
{
	size_t have = strlen(to);

	PLM_ASSERT(have + size < TEXT);
	memcpy(to + have, bytes, size);
	to[have + size] = '\0';
}

/* Up to 'most' pieces of 'pieces', which a space separates; rarely one that should not be there. */
static void append(struct probe *probe, char *to, const char *pieces, uint64_t most)
{
	uint64_t count = below(probe, most + 1);
	uint64_t kinds = 1;

	for (const char *at = pieces; *at != '\0'; at++) {
		kinds += *at == ' ' ? 1 : 0;
	}
	for (uint64_t i = 0; i < count; i++) {
		const char *at = pieces;

		for (uint64_t skip = below(probe, kinds); skip > 0; skip--) {
			at = strchr(at, ' ') + 1;
		}
		put(to, at, strcspn(at, " "));
	}
}

static void make_path(struct probe *probe, char path[TEXT])
{
	(void)snprintf(path, TEXT, "/");
	append(probe, path, "a B 9 - _ . ~ /x ab", 8);
	if (below(probe, 20) == 0) {
		append(probe, path, "%41 : // /../ /./ + , @", 2);
	}
	if (below(probe, 2) == 0) {
		char key = 'a';

		put(path, "?", 1);
		for (uint64_t i = below(probe, 4);; i--) {
			char pair[TEXT] = {key, '\0'};

			append(probe, pair, "- . _ a Z 0 %2F %C3%BC", 3);
			put(pair, "=", 1);
			append(probe, pair, "- ~ a Z 0 %2F %20 %00", 3);
			if (below(probe, 40) == 0) {
				append(probe, pair, "/ + %2f = &", 1);
			}
			put(path, pair, strlen(pair));
			if (i == 0) {
				break;
			}
			put(path, "&", 1);
			key = (char)(key + (below(probe, 30) == 0 ? -1 : 1));
		}
	}
}

static void make_headers(struct probe *probe, char text[6][TEXT], const char *headers[7])
{
	uint64_t count = below(probe, 5);
	uint64_t at = 0;

	if (below(probe, 10) != 0) {
		(void)snprintf(text[at], TEXT, "Content-Type: application/x-amz-json-1.%d",
			       (int)below(probe, 2));
		headers[at] = text[at];
		at++;
	}
	for (uint64_t i = 0; i < count; i++) {
		(void)snprintf(text[at], TEXT, "X-Amz-");
		append(probe, text[at], "a b C t z 0 -x", 6);
		put(text[at], ":", 1);
		append(probe, text[at], "a Z 9 = ; , : / + \" .", 12);
		if (below(probe, 3) == 0) {
			put(text[at], "  a   b  ", 9);
		}
		headers[at] = text[at];
		at++;
	}
	headers[at] = NULL;
}

static void on_done(void *self, const struct plm_http_outcome *outcome)
{
	struct probe *probe = self;

	if (outcome->fate == PLM_HTTP_ANSWERED) {
		probe->sent++;
	} else if (outcome->fate == PLM_HTTP_NOT_SENT &&
		   strstr(outcome->text, "cannot be signed") != NULL) {
		probe->refused++;
	} else {
		(void)fprintf(stderr, "%s\n", outcome->text);
		probe->lost++;
	}
	probe->left--;
	if (probe->left == 0) {
		plm_http_client_free(probe->http);
	}
}

static void send_one(struct probe *probe)
{
	static const char *const methods[] = {"GET", "POST", "DELETE", "PUT", "HEAD", "PATCH"};
	static const char *const services[] = {"ec2", "sqs", "eks", "pricing"};
	char path[TEXT] = "", text[6][TEXT] = {""}, body[TEXT] = "";
	const char *headers[7] = {NULL};
	const struct plm_http_sign sign = {
		.region = getenv("AWS_REGION"),
		.service = services[below(probe, 4)],
		.key_id = getenv("AWS_ACCESS_KEY_ID"),
		.secret = getenv("AWS_SECRET_ACCESS_KEY"),
		.token = below(probe, 2) == 0 ? NULL : getenv("AWS_SESSION_TOKEN"),
	};
	struct plm_http_request request = {
		.peer = probe->peer,
		.method = methods[below(probe, 6)],
		.path = path,
		.headers = headers,
		.sign = &sign,
		.connect_ms = 10000,
		.total_ms = 60000,
		.on_done = on_done,
		.self = probe,
	};

	make_path(probe, path);
	make_headers(probe, text, headers);
	if (request.method[0] == 'P' || below(probe, 20) == 0) {
		append(probe, body, "a & = % \xc3\xbc { \" \n", 40);
		/* A zero within. */
		request.body = plm_slice_of(body, strlen(body) + below(probe, 2));
	}
	(void)plm_http_send(probe->http, &request);
}

int main(int argc, char **argv)
{
	struct probe probe = {0};
	struct plm_http_client_options http = {
		.loop = &probe.loop, .calls_max = 8, .user_agent = "plimsoll/test"};
	struct plm_http_peer_options peer = {0};
	struct plm_error err = {0};

	PLM_ASSERT(argc == 4 && uv_loop_init(&probe.loop) == 0);
	peer.url = argv[1];
	probe.random = strtoull(argv[2], NULL, 10);
	probe.left = strtol(argv[3], NULL, 10);
	PLM_ASSERT(plm_http_client_new(&http, &probe.http, &err) == PLM_OK);
	PLM_ASSERT(plm_http_peer_new(probe.http, &peer, &probe.peer, &err) == PLM_OK);
	for (long i = probe.left; i > 0; i--) {
		send_one(&probe);
	}
	(void)uv_run(&probe.loop, UV_RUN_DEFAULT);
	plm_http_peer_free(probe.peer);
	PLM_ASSERT(uv_loop_close(&probe.loop) == 0);
	(void)printf("sent %ld refused %ld\n", probe.sent, probe.refused);
	return probe.lost == 0 ? 0 : 1;
}
