/* The instance's own: IMDSv2, which gives a token first. Version 1 is not asked: a forged request gets at it. */
#include "adapters/ec2/credentials_private.h"

#include "adapters/ec2/tree.h"
#include "core/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define PATH "/latest/meta-data/"

bool plm_aws_imds_off(const char *const *environment)
{
	const char *off = plm_aws_variable(environment, "AWS_EC2_METADATA_DISABLED");

	return off != NULL && strcasecmp(off, "true") == 0;
}

static const char *server_of(const struct plm_aws_fetch *fetch)
{
	const char *const *environment = fetch->owner->options.environment;
	const char *given = plm_aws_variable(environment, "AWS_EC2_METADATA_SERVICE_ENDPOINT");
	const char *mode = plm_aws_variable(environment, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE");

	if (given != NULL) {
		return given;
	}
	return mode != NULL && strcasecmp(mode, "IPv6") == 0 ? "http://[fd00:ec2::254]"
							     : "http://169.254.169.254";
}

static void ask(struct plm_aws_fetch *fetch, const char *method, const char *path,
		const char *header,
		void (*heard)(struct plm_aws_fetch *fetch, const struct plm_http_outcome *outcome))
{
	const char *const headers[] = {header, NULL};
	struct plm_aws_ask ask = {
		.url = server_of(fetch),
		.method = method,
		.path = path,
		.headers = headers,
		.connect_ms = PLM_LIMIT_AWS_NEAR_CONNECT_MS,
		.total_ms = plm_aws_near_ms(fetch),
	};

	plm_aws_fetch_ask(fetch, &ask, heard);
}

static void get(struct plm_aws_fetch *fetch, const char *path,
		void (*heard)(struct plm_aws_fetch *fetch, const struct plm_http_outcome *outcome))
{
	char header[sizeof(fetch->imds_token) + 32];

	(void)snprintf(header, sizeof(header), "X-aws-ec2-metadata-token: %s", fetch->imds_token);
	ask(fetch, "GET", path, header, heard);
	explicit_bzero(header, sizeof(header));
}

/* The first line of an answer into 'room' bytes. */
static bool keep_line(const struct plm_http_outcome *outcome, char *to, size_t room)
{
	struct plm_slice line = outcome->body;
	const void *end = line.size == 0 ? NULL : memchr(line.ptr, '\n', line.size);

	if (end != NULL) {
		line.size = (size_t)((const uint8_t *)end - line.ptr);
	}
	return line.size > 0 && plm_aws_keep(to, room, line);
}

/* Is it an answer to go on with? A token that is refused is asked for anew, once. */
static bool is_good(struct plm_aws_fetch *fetch, const struct plm_http_outcome *outcome,
		    const char *what)
{
	if (outcome->status == 200) {
		return true;
	}
	if (outcome->status == 401 && fetch->imds_tokens < 2) {
		plm_aws_fetch_go(fetch, plm_aws_imds);
	} else if (outcome->status == 404) {
		plm_aws_fetch_fail(fetch, "IMDS has no %s", what);
	} else {
		plm_aws_fetch_fail(fetch, "IMDS answered HTTP %u for its %s", outcome->status,
				   what);
	}
	return false;
}

/* ---- keys -------------------------------------------------------------------------------------------------- */

/* An instance that cannot renew its keys says so by giving old ones, which are honoured meanwhile. */
static void stretch(struct plm_aws_fetch *fetch)
{
	int64_t now = plm_aws_wall_ms();

	if (fetch->keys.expires_ms != PLM_UNSET &&
	    fetch->keys.expires_ms - now < PLM_LIMIT_AWS_LEFT_MS) {
		fetch->keys.expires_ms = now + PLM_LIMIT_AWS_STALE_MS;
	}
}

static void heard_keys(struct plm_aws_fetch *fetch, const struct plm_http_outcome *outcome)
{
	static const struct plm_aws_names names = {"AccessKeyId", "SecretAccessKey", "Token",
						   "Expiration"};
	const struct plm_aws_node *root = NULL;
	struct plm_error err = {0};
	struct plm_arena arena;
	char code[65];
	bool read = false;

	if (!is_good(fetch, outcome, "role")) {
		return;
	}
	PLM_ASSERT(plm_arena_init(&arena, 4 * PLM_LIMIT_AWS_KEYS_BYTES, &err) == PLM_OK);
	if (plm_aws_json(outcome->body, &arena, &root, &err) != PLM_OK) {
		root = NULL;
	}
	(void)plm_aws_fetch_code(plm_aws_text(root, "Code"), code);
	read = strcmp(code, "Success") == 0 && plm_aws_fetch_take(fetch, root, &names);
	explicit_bzero(arena.base, arena.touched > arena.used ? arena.touched : arena.used);
	plm_arena_fini(&arena);
	if (read) {
		stretch(fetch);
		plm_aws_fetch_next(fetch);
	} else {
		plm_aws_fetch_fail(fetch, "IMDS gave no keys%s%s", code[0] == '\0' ? "" : ": ",
				   strcmp(code, "Success") == 0 ? "a part is missing" : code);
	}
}

static void ask_keys(struct plm_aws_fetch *fetch)
{
	char path[PLM_AWS_NAME_SIZE + 64];

	(void)snprintf(path, sizeof(path), PATH "iam/security-credentials/%s", fetch->imds_role);
	get(fetch, path, heard_keys);
}

static void heard_role(struct plm_aws_fetch *fetch, const struct plm_http_outcome *outcome)
{
	if (!is_good(fetch, outcome, "role: the instance has no profile")) {
		return;
	}
	if (!keep_line(outcome, fetch->imds_role, sizeof(fetch->imds_role)) ||
	    strpbrk(fetch->imds_role, " /?#%") != NULL) {
		plm_aws_fetch_fail(fetch, "IMDS names a role that is none");
		return;
	}
	plm_aws_fetch_go(fetch, ask_keys);
}

static void ask_role(struct plm_aws_fetch *fetch)
{
	get(fetch, PATH "iam/security-credentials/", heard_role);
}

/* ---- region and token --------------------------------------------------------------------------------------- */

static void heard_region(struct plm_aws_fetch *fetch, const struct plm_http_outcome *outcome)
{
	char *region = fetch->plan.region;

	if (!is_good(fetch, outcome, "region")) {
		return;
	}
	if (!keep_line(outcome, region, sizeof(fetch->plan.region)) ||
	    region[strspn(region, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0') {
		region[0] = '\0';
		plm_aws_fetch_fail(fetch, "IMDS names a region that is none");
	} else if (fetch->plan.base == PLM_AWS_BASE_IMDS) {
		plm_aws_fetch_go(fetch, ask_role);
	} else {
		plm_aws_fetch_base(fetch);
	}
}

static void ask_region(struct plm_aws_fetch *fetch)
{
	get(fetch, PATH "placement/region", heard_region);
}

static void heard_token(struct plm_aws_fetch *fetch, const struct plm_http_outcome *outcome)
{
	if (outcome->status == 403) {
		plm_aws_fetch_fail(fetch, "IMDS is turned off for this instance");
	} else if (outcome->status != 200 ||
		   !keep_line(outcome, fetch->imds_token, sizeof(fetch->imds_token))) {
		plm_aws_fetch_fail(fetch, "IMDS gave no token (HTTP %u)", outcome->status);
	} else if (fetch->plan.region[0] == '\0') {
		plm_aws_fetch_go(fetch, ask_region);
	} else {
		plm_aws_fetch_go(fetch, ask_role);
	}
}

/* The answer to PUT has few hops to live: in a pod with its own network none comes, where the limit is one. */
void plm_aws_imds(struct plm_aws_fetch *fetch)
{
	if (fetch->tries == 0) {
		fetch->imds_tokens++;
	}
	fetch->hint = fetch->plan.region[0] == '\0'
			      ? "set AWS_REGION, and keys or an identity of the pod; from a pod "
				"IMDS answers only with a hop limit of 2 or more"
			      : "set up keys or an identity of the pod; from a pod IMDS answers "
				"only with a hop limit of 2 or more";
	ask(fetch, "PUT", "/latest/api/token", "X-aws-ec2-metadata-token-ttl-seconds: 21600",
	    heard_token);
}
