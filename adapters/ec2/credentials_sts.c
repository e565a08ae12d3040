/* STS: keys for a token of another issuer, unsigned; keys of a role for keys, signed. */
#include "adapters/ec2/credentials_private.h"

#include "adapters/ec2/endpoint.h"
#include "adapters/ec2/query.h"
#include "adapters/ec2/tree.h"
#include "core/event.h"

#include <stdio.h>
#include <stdlib.h>

/* A form has at most its token, each byte as three, and its answer as a tree. */
#define ARENA_BYTES (4UL * 1024 * 1024)

static void open_arena(struct plm_arena *arena)
{
	struct plm_error err = {0};

	PLM_ASSERT(plm_arena_init(arena, ARENA_BYTES, &err) == PLM_OK);
}

static void close_arena(struct plm_arena *arena)
{
	explicit_bzero(arena->base, arena->touched > arena->used ? arena->touched : arena->used);
	plm_arena_fini(arena);
}

static void post(struct plm_aws_fetch *fetch, struct plm_slice form,
		 const struct plm_http_sign *sign,
		 void (*heard)(struct plm_aws_fetch *fetch, const struct plm_http_outcome *outcome))
{
	static const char *const headers[] = {
		"Content-Type: application/x-www-form-urlencoded; charset=utf-8", NULL};
	const struct plm_aws_credentials_options *options = &fetch->owner->options;
	const char *instead =
		plm_aws_endpoint_override(PLM_AWS_STS, options->endpoint, options->environment);
	struct plm_aws_endpoint endpoint;
	struct plm_error err = {0};
	struct plm_aws_ask ask = {
		.url = endpoint.url,
		.method = "POST",
		.path = "/",
		.headers = headers,
		.sign = sign,
		.body = form,
		.connect_ms = PLM_LIMIT_AWS_STS_MS / 2,
		.total_ms = PLM_LIMIT_AWS_STS_MS,
	};

	if (plm_aws_endpoint_of(PLM_AWS_STS, fetch->plan.region, instead, &endpoint, &err) !=
	    PLM_OK) {
		plm_aws_fetch_fail(fetch, "%s", err.text);
		return;
	}
	plm_aws_fetch_ask(fetch, &ask, heard);
}

static void put_role(struct plm_query *query, const char *action, const struct plm_aws_hop *hop)
{
	plm_query_text(query, "Action", action);
	plm_query_text(query, "Version", "2011-06-15");
	plm_query_text(query, "RoleArn", hop->role);
	plm_query_text(query, "RoleSessionName", hop->session);
	if (hop->duration_s != PLM_UNSET) {
		plm_query_number(query, hop->duration_s, "DurationSeconds");
	}
	if (hop->external_id[0] != '\0') {
		plm_query_text(query, "ExternalId", hop->external_id);
	}
}

/* ---- answers --------------------------------------------------------------------------------------------- */

static void take_error(struct plm_aws_fetch *fetch, const char *what, const char *role,
		       const struct plm_http_outcome *outcome, const struct plm_aws_node *root)
{
	char code[65], why[512];

	(void)plm_aws_fetch_code(plm_aws_text(plm_aws_get(root, "Error"), "Code"), code);
	(void)snprintf(why, sizeof(why), "%s for role %.200s: %s (HTTP %u)", what, role,
		       code[0] == '\0' ? "an answer that is none of STS" : code, outcome->status);
	if (strcmp(code, "IDPCommunicationError") == 0 || strcmp(code, "Throttling") == 0 ||
	    strcmp(code, "RequestLimitExceeded") == 0) {
		plm_aws_fetch_again(fetch, outcome->retry_after_ms, why);
	} else {
		plm_aws_fetch_fail(fetch, "%s", why);
	}
}

/* Keys of an answer to 'action', AssumeRole or AssumeRoleWithWebIdentity; false: it was told otherwise. */
static bool take(struct plm_aws_fetch *fetch, const char *action, const char *role,
		 const struct plm_http_outcome *outcome)
{
	static const struct plm_aws_names names = {"AccessKeyId", "SecretAccessKey", "SessionToken",
						   "Expiration"};
	const struct plm_aws_node *root = NULL;
	struct plm_error err = {0};
	struct plm_arena arena;
	char result[64];
	bool read = false;

	open_arena(&arena);
	(void)snprintf(result, sizeof(result), "%sResult", action);
	if (plm_aws_xml(outcome->body, &arena, &root, &err) != PLM_OK) {
		root = NULL;
	}
	read = outcome->status == 200 && root != NULL &&
	       plm_aws_fetch_take(fetch, plm_aws_get(plm_aws_get(root, result), "Credentials"),
				  &names) &&
	       fetch->keys.expires_ms != PLM_UNSET;
	if (!read) {
		take_error(fetch, action, role, outcome, root);
	}
	close_arena(&arena);
	return read;
}

/* ---- a token of another issuer ----------------------------------------------------------------------------- */

static void heard_web_identity(struct plm_aws_fetch *fetch, const struct plm_http_outcome *outcome)
{
	if (take(fetch, "AssumeRoleWithWebIdentity", fetch->plan.web.role, outcome)) {
		plm_aws_fetch_next(fetch);
	}
}

/* The token is read each time: the kubelet renews it. */
void plm_aws_sts_web_identity(struct plm_aws_fetch *fetch)
{
	struct plm_arena arena;
	struct plm_query query;
	struct plm_error err = {0};
	char *token = NULL;

	if (plm_aws_token_read(fetch->plan.token_file, &token, &err) != PLM_OK) {
		plm_aws_fetch_fail(fetch, "%s", err.text);
		return;
	}
	open_arena(&arena);
	plm_query_init(&query, &arena);
	put_role(&query, "AssumeRoleWithWebIdentity", &fetch->plan.web);
	plm_query_text(&query, "WebIdentityToken", token);
	plm_aws_file_free(token);
	post(fetch, plm_query_form(&query), NULL, heard_web_identity);
	close_arena(&arena);
}

/* ---- a role by keys -------------------------------------------------------------------------------------- */

static void heard_assume(struct plm_aws_fetch *fetch, const struct plm_http_outcome *outcome)
{
	const char *role = fetch->plan.hops[fetch->hops_left - 1].role;

	if (take(fetch, "AssumeRole", role, outcome)) {
		fetch->hops_left--;
		plm_aws_fetch_next(fetch);
	}
}

void plm_aws_sts_assume(struct plm_aws_fetch *fetch)
{
	const struct plm_aws_hop *hop = &fetch->plan.hops[fetch->hops_left - 1];
	struct plm_http_sign sign = {
		.region = fetch->plan.region,
		.service = plm_aws_service(PLM_AWS_STS)->name,
		.key_id = fetch->keys.key_id,
		.secret = fetch->keys.secret,
		.token = fetch->keys.token,
	};
	struct plm_arena arena;
	struct plm_query query;

	open_arena(&arena);
	plm_query_init(&query, &arena);
	put_role(&query, "AssumeRole", hop);
	post(fetch, plm_query_form(&query), &sign, heard_assume);
	close_arena(&arena);
}
