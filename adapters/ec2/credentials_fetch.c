/* One way through a plan: the region, the first keys, then role by role. Each request is tried a few times. */
#include "adapters/ec2/credentials_private.h"

#include "adapters/ec2/tree.h"
#include "core/event.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const struct plm_backoff_rule try_rule = {
	.first_ms = PLM_LIMIT_AWS_TRY_FIRST_MS,
	.last_ms = PLM_LIMIT_AWS_TRY_LAST_MS,
};

/* ---- the end ------------------------------------------------------------------------------------------- */

void plm_aws_fetch_cancel(struct plm_aws_fetch *fetch)
{
	if (fetch == NULL) {
		return;
	}
	if (fetch->call != NULL) {
		plm_http_cancel(fetch->call);
	}
	(void)uv_timer_stop(&fetch->owner->again);
	explicit_bzero(fetch, sizeof(*fetch));
	free(fetch);
}

void plm_aws_fetch_fail(struct plm_aws_fetch *fetch, const char *format, ...)
{
	char text[512];
	int size = snprintf(text, sizeof(text), "%s%s", fetch->plan.source,
			    fetch->plan.source[0] == '\0' ? "" : ": ");
	va_list args;

	PLM_ASSERT(size >= 0 && (size_t)size < sizeof(text));
	va_start(args, format);
	(void)vsnprintf(text + size, sizeof(text) - (size_t)size, format, args);
	va_end(args);
	plm_aws_fetched(fetch->owner, text);
}

/* ---- requests ------------------------------------------------------------------------------------------ */

static struct plm_http_peer *server_of(struct plm_aws_credentials *credentials, const char *url,
				       struct plm_error *err)
{
	struct plm_http_peer_options options = {
		.url = url, .ca_pem = credentials->ca, .connections_max = 2};
	struct plm_aws_server *server = NULL;

	for (server = credentials->servers; server != NULL; server = server->next) {
		if (strcmp(server->url, url) == 0) {
			return server->peer;
		}
	}
	server = calloc(1, sizeof(*server) + strlen(url) + 1);
	PLM_ASSERT(server != NULL);
	if (plm_http_peer_new(credentials->options.http, &options, &server->peer, err) != PLM_OK) {
		free(server);
		return NULL;
	}
	memcpy(server->url, url, strlen(url) + 1);
	server->next = credentials->servers;
	credentials->servers = server;
	return server->peer;
}

static void on_again(uv_timer_t *timer)
{
	struct plm_aws_credentials *credentials = timer->data;

	credentials->fetch->step(credentials->fetch);
}

void plm_aws_fetch_again(struct plm_aws_fetch *fetch, int64_t retry_after_ms, const char *why)
{
	int64_t wait = plm_backoff_failed(&fetch->backoff, plm_aws_loop_ms(), retry_after_ms);

	fetch->tries++;
	if (fetch->tries >= PLM_LIMIT_AWS_TRIES) {
		plm_aws_fetch_fail(fetch, "%s%s%s", why, fetch->hint == NULL ? "" : "; ",
				   fetch->hint == NULL ? "" : fetch->hint);
		return;
	}
	wait = wait > PLM_LIMIT_AWS_TRY_LAST_MS ? PLM_LIMIT_AWS_TRY_LAST_MS : wait;
	PLM_ASSERT(uv_timer_start(&fetch->owner->again, on_again, (uint64_t)wait, 0) == 0);
}

static void on_outcome(void *self, const struct plm_http_outcome *outcome)
{
	struct plm_aws_fetch *fetch = self;
	char why[320];

	fetch->call = NULL;
	if (outcome->fate != PLM_HTTP_ANSWERED) {
		plm_aws_fetch_again(fetch, outcome->retry_after_ms, outcome->text);
		return;
	}
	if (outcome->status >= 500 || outcome->status == 429) {
		(void)snprintf(why, sizeof(why), "answered HTTP %u", outcome->status);
		plm_aws_fetch_again(fetch, outcome->retry_after_ms, why);
		return;
	}
	fetch->hint = NULL;
	fetch->heard(fetch, outcome);
}

void plm_aws_fetch_go(struct plm_aws_fetch *fetch, void (*step)(struct plm_aws_fetch *fetch))
{
	fetch->step = step;
	fetch->tries = 0;
	plm_backoff_init(&fetch->backoff, &try_rule, fetch->owner->random);
	step(fetch);
}

void plm_aws_fetch_ask(struct plm_aws_fetch *fetch, const struct plm_aws_ask *ask,
		       void (*heard)(struct plm_aws_fetch *fetch,
				     const struct plm_http_outcome *outcome))
{
	struct plm_error err = {0};
	struct plm_http_request request = {
		.peer = server_of(fetch->owner, ask->url, &err),
		.method = ask->method,
		.path = ask->path,
		.headers = ask->headers,
		.sign = ask->sign,
		.body = ask->body,
		.connect_ms = ask->connect_ms,
		.total_ms = ask->total_ms,
		.body_max = PLM_LIMIT_AWS_KEYS_BYTES,
		.on_done = on_outcome,
		.self = fetch,
	};

	if (request.peer == NULL) {
		plm_aws_fetch_fail(fetch, "%.200s: %s", ask->url, err.text);
		return;
	}
	fetch->heard = heard;
	fetch->call = plm_http_send(fetch->owner->options.http, &request);
}

int64_t plm_aws_near_ms(const struct plm_aws_fetch *fetch)
{
	int64_t own_ms = fetch->owner->options.near_ms;

	return own_ms > 0 ? own_ms : PLM_LIMIT_AWS_NEAR_MS;
}

/* ---- what answers have in common ------------------------------------------------------------------------- */

const char *plm_aws_fetch_code(struct plm_slice code, char out[65])
{
	size_t size = 0;

	while (size < code.size && size < 64 &&
	       ((code.ptr[size] >= 'a' && code.ptr[size] <= 'z') ||
		(code.ptr[size] >= 'A' && code.ptr[size] <= 'Z') ||
		(code.ptr[size] >= '0' && code.ptr[size] <= '9') || code.ptr[size] == '.')) {
		out[size] = (char)code.ptr[size];
		size++;
	}
	out[size] = '\0';
	return out;
}

bool plm_aws_fetch_take(struct plm_aws_fetch *fetch, const struct plm_aws_node *node,
			const struct plm_aws_names *names)
{
	struct plm_aws_held keys = {.expires_ms = plm_aws_time_ms(node, names->expires)};
	bool good =
		plm_aws_keep(keys.key_id, sizeof(keys.key_id), plm_aws_text(node, names->key_id)) &&
		plm_aws_keep(keys.secret, sizeof(keys.secret), plm_aws_text(node, names->secret)) &&
		plm_aws_keep(keys.token, sizeof(keys.token), plm_aws_text(node, names->token)) &&
		keys.key_id[0] != '\0' && keys.secret[0] != '\0' &&
		(keys.expires_ms != PLM_UNSET || plm_aws_text(node, names->expires).size == 0);

	if (good) {
		fetch->keys = keys;
	}
	explicit_bzero(&keys, sizeof(keys));
	return good;
}

enum plm_code plm_aws_token_read(const char *path, char **out, struct plm_error *err)
{
	char *text = NULL;
	size_t size = 0;
	enum plm_code code = plm_aws_file_read(path, PLM_LIMIT_AWS_FILE_BYTES, &text, err);

	if (code != PLM_OK) {
		return code;
	}
	size = strlen(text);
	while (size > 0 && strchr(" \t\r\n", text[size - 1]) != NULL) {
		text[--size] = '\0';
	}
	if (size == 0 || size > PLM_LIMIT_SIGNED_TOKEN_BYTES ||
	    text[strcspn(text, "\r\n")] != '\0') {
		plm_aws_file_free(text);
		return plm_fail(err, PLM_E_CONFIG, "%.300s: not a token", path);
	}
	*out = text;
	return PLM_OK;
}

/* ---- the way ------------------------------------------------------------------------------------------- */

void plm_aws_fetch_next(struct plm_aws_fetch *fetch)
{
	int64_t expires = fetch->keys.expires_ms;

	if (expires != PLM_UNSET && expires - plm_aws_wall_ms() < PLM_LIMIT_AWS_LEFT_MS) {
		plm_aws_fetch_fail(fetch, "the keys that came have expired: is the clock right?");
	} else if (fetch->hops_left > 0) {
		plm_aws_fetch_go(fetch, plm_aws_sts_assume);
	} else {
		plm_aws_fetched(fetch->owner, NULL);
	}
}

void plm_aws_fetch_base(struct plm_aws_fetch *fetch)
{
	switch (fetch->plan.base) {
	case PLM_AWS_BASE_KEYS:
		fetch->keys = fetch->plan.keys;
		plm_aws_fetch_next(fetch);
		return;
	case PLM_AWS_BASE_WEB_IDENTITY:
		plm_aws_fetch_go(fetch, plm_aws_sts_web_identity);
		return;
	case PLM_AWS_BASE_CONTAINER:
		plm_aws_fetch_go(fetch, plm_aws_container);
		return;
	case PLM_AWS_BASE_IMDS:
		plm_aws_fetch_go(fetch, plm_aws_imds);
		return;
	case PLM_AWS_BASE_NONE:
		break;
	}
	plm_aws_fetch_fail(fetch,
			   "no source of keys is set up, and AWS_EC2_METADATA_DISABLED is true");
}

void plm_aws_fetch_begin(struct plm_aws_credentials *credentials)
{
	const char *const *environment = credentials->options.environment;
	struct plm_aws_fetch *fetch = calloc(1, sizeof(*fetch));
	struct plm_error err = {0};

	PLM_ASSERT(fetch != NULL && credentials->fetch == NULL);
	fetch->owner = credentials;
	credentials->fetch = fetch;
	if (plm_aws_plan_make(&credentials->options, &fetch->plan, &err) != PLM_OK) {
		fetch->plan.source[0] = '\0'; /* the text names it */
		plm_aws_fetch_fail(fetch, "%s", err.text);
		return;
	}
	fetch->hops_left = fetch->plan.hop_count;
	if (fetch->plan.region[0] != '\0') {
		plm_aws_fetch_base(fetch);
	} else if (fetch->plan.base == PLM_AWS_BASE_NONE || plm_aws_imds_off(environment)) {
		plm_aws_fetch_fail(fetch, "the region is not known: set AWS_REGION");
	} else {
		plm_aws_fetch_go(fetch, plm_aws_imds);
	}
}
