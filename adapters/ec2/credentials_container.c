/* The agent beside a container: ECS, and EKS Pod Identity, which wants a token of a file. */
#include "adapters/ec2/credentials_private.h"

#include "adapters/ec2/tree.h"
#include "core/event.h"

#include <stdio.h>
#include <stdlib.h>

/* Keys of JSON; 'code' gets what the answer says instead. */
static bool take(struct plm_aws_fetch *fetch, const struct plm_http_outcome *outcome, char code[65])
{
	static const struct plm_aws_names names = {"AccessKeyId", "SecretAccessKey", "Token",
						   "Expiration"};
	const struct plm_aws_node *root = NULL;
	struct plm_error err = {0};
	struct plm_arena arena;
	bool read = false;

	PLM_ASSERT(plm_arena_init(&arena, 4 * PLM_LIMIT_AWS_KEYS_BYTES, &err) == PLM_OK);
	code[0] = '\0';
	if (plm_aws_json(outcome->body, &arena, &root, &err) == PLM_OK) {
		read = outcome->status == 200 && plm_aws_fetch_take(fetch, root, &names);
		(void)plm_aws_fetch_code(plm_aws_text(root, "code"), code);
	}
	explicit_bzero(arena.base, arena.touched > arena.used ? arena.touched : arena.used);
	plm_arena_fini(&arena);
	return read;
}

static void heard(struct plm_aws_fetch *fetch, const struct plm_http_outcome *outcome)
{
	char code[65];

	if (take(fetch, outcome, code)) {
		plm_aws_fetch_next(fetch);
		return;
	}
	plm_aws_fetch_fail(fetch, "HTTP %u%s%s", outcome->status,
			   outcome->status == 200 ? ", not keys" : (code[0] == '\0' ? "" : ", "),
			   outcome->status == 200 ? "" : code);
}

/* "Authorization: TOKEN" of file or environment into 'line', owned; NULL = none is wanted. False: it failed. */
static bool authorization(struct plm_aws_fetch *fetch, char **line)
{
	struct plm_error err = {0};
	char *token = NULL;

	*line = NULL;
	if (fetch->plan.token_file[0] != '\0') {
		if (plm_aws_token_read(fetch->plan.token_file, &token, &err) != PLM_OK) {
			plm_aws_fetch_fail(fetch, "%s", err.text);
			return false;
		}
		PLM_ASSERT(asprintf(line, "Authorization: %s", token) > 0);
		plm_aws_file_free(token);
	} else if (fetch->plan.authorization[0] != '\0') {
		PLM_ASSERT(asprintf(line, "Authorization: %s", fetch->plan.authorization) > 0);
	}
	return true;
}

void plm_aws_container(struct plm_aws_fetch *fetch)
{
	const char *url = fetch->plan.url;
	size_t host =
		strcspn(strstr(url, "://") + 3, "/?") + (size_t)(strstr(url, "://") + 3 - url);
	char server[PLM_AWS_ROLE_SIZE], path[PLM_AWS_ROLE_SIZE + 1];
	char *line = NULL;
	struct plm_aws_ask ask = {
		.url = server,
		.method = "GET",
		.path = path,
		.connect_ms = PLM_LIMIT_AWS_NEAR_CONNECT_MS,
		.total_ms = plm_aws_near_ms(fetch),
	};

	if (!authorization(fetch, &line)) {
		return;
	}
	ask.headers = (const char *const[]){"Accept: application/json", line, NULL};
	(void)snprintf(server, sizeof(server), "%.*s", (int)host, url);
	(void)snprintf(path, sizeof(path), "%s%s", url[host] == '/' ? "" : "/", url + host);
	plm_aws_fetch_ask(fetch, &ask, heard);
	plm_aws_file_free(line);
}
