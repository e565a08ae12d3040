/* Where keys come from, as environment and files say it now. The first source that is set up holds, and when it does
 * not work, none of the others is tried: what is asked as somebody else is worse than an error. */
#include "adapters/ec2/credentials_private.h"

#include "core/event.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define SESSION "plimsoll"

bool plm_aws_keep(char *to, size_t room, struct plm_slice text)
{
	if (text.size >= room) {
		return false;
	}
	for (size_t i = 0; i < text.size; i++) {
		if (text.ptr[i] < 0x20 || text.ptr[i] == 0x7f) {
			return false;
		}
	}
	if (text.size > 0) {
		memcpy(to, text.ptr, text.size);
	}
	to[text.size] = '\0';
	return true;
}

struct planning {
	const char *const *environment;
	struct plm_aws_plan *plan;
	struct plm_aws_profile *profile; /* read last */
	const char *name;		 /* of the profile that was asked for */
	struct plm_error *err;
};

static const char *variable(const struct planning *planning, const char *name)
{
	return plm_aws_variable(planning->environment, name);
}

/* The value of 'name' into 'room' bytes; "" when unset. */
static enum plm_code keep_variable(struct planning *planning, const char *name, char *to,
				   size_t room)
{
	const char *value = variable(planning, name);

	if (value != NULL && !plm_aws_keep(to, room, plm_slice_str(value))) {
		return plm_fail(planning->err, PLM_E_CONFIG, "%s is too long or not a text", name);
	}
	return PLM_OK;
}

static void source(struct planning *planning, const char *text)
{
	if (planning->plan->source[0] == '\0') {
		(void)snprintf(planning->plan->source, sizeof(planning->plan->source), "%s", text);
	}
}

/* ---- environment ----------------------------------------------------------------------------------------- */

static enum plm_code from_keys(struct planning *planning)
{
	struct plm_aws_held *keys = &planning->plan->keys;
	enum plm_code code =
		keep_variable(planning, "AWS_ACCESS_KEY_ID", keys->key_id, sizeof(keys->key_id));

	planning->plan->base = PLM_AWS_BASE_KEYS;
	keys->expires_ms = PLM_UNSET;
	if (code == PLM_OK) {
		code = keep_variable(planning, "AWS_SECRET_ACCESS_KEY", keys->secret,
				     sizeof(keys->secret));
	}
	if (code == PLM_OK) {
		code = keep_variable(planning, "AWS_SESSION_TOKEN", keys->token,
				     sizeof(keys->token));
	}
	if (code == PLM_OK && (keys->key_id[0] == '\0' || keys->secret[0] == '\0')) {
		code = plm_fail(planning->err, PLM_E_CONFIG,
				"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY go together");
	}
	source(planning, "environment");
	return code;
}

static enum plm_code from_web_identity(struct planning *planning)
{
	struct plm_aws_plan *plan = planning->plan;
	enum plm_code code = keep_variable(planning, "AWS_WEB_IDENTITY_TOKEN_FILE",
					   plan->token_file, sizeof(plan->token_file));

	plan->base = PLM_AWS_BASE_WEB_IDENTITY;
	(void)snprintf(plan->web.session, sizeof(plan->web.session), SESSION);
	plan->web.duration_s = PLM_UNSET;
	if (code == PLM_OK) {
		code = keep_variable(planning, "AWS_ROLE_ARN", plan->web.role,
				     sizeof(plan->web.role));
	}
	if (code == PLM_OK) {
		code = keep_variable(planning, "AWS_ROLE_SESSION_NAME", plan->web.session,
				     sizeof(plan->web.session));
	}
	if (code == PLM_OK && plan->web.role[0] == '\0') {
		code = plm_fail(planning->err, PLM_E_CONFIG,
				"AWS_WEB_IDENTITY_TOKEN_FILE is set and AWS_ROLE_ARN is not");
	}
	source(planning, "web identity");
	return code;
}

/* http is for addresses of this machine and of the agents of ECS and EKS alone. */
static bool is_near(const char *host, size_t size)
{
	static const char *const known[] = {"localhost", "169.254.170.2", "169.254.170.23",
					    "[fd00:ec2::23]", "[::1]"};
	char text[64];
	struct in_addr address;

	for (size_t i = 0; i < PLM_COUNTOF(known); i++) {
		if (strlen(known[i]) == size && strncasecmp(known[i], host, size) == 0) {
			return true;
		}
	}
	return plm_aws_keep(text, sizeof(text), plm_slice_of(host, size)) &&
	       inet_pton(AF_INET, text, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

static bool is_allowed(const char *url)
{
	if (strncasecmp(url, "https://", 8) == 0) {
		return true;
	}
	if (strncasecmp(url, "http://", 7) != 0) {
		return false;
	}
	url += 7;
	return is_near(url, url[0] == '[' ? strcspn(url, "]") + 1 : strcspn(url, ":/?"));
}

static enum plm_code from_container(struct planning *planning)
{
	struct plm_aws_plan *plan = planning->plan;
	const char *relative = variable(planning, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
	enum plm_code code = PLM_OK;

	plan->base = PLM_AWS_BASE_CONTAINER;
	source(planning, "container");
	if (relative != NULL) {
		int size =
			snprintf(plan->url, sizeof(plan->url), "http://169.254.170.2%s", relative);

		if (relative[0] != '/' || (size_t)size >= sizeof(plan->url)) {
			return plm_fail(planning->err, PLM_E_CONFIG,
					"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not a path");
		}
	} else {
		code = keep_variable(planning, "AWS_CONTAINER_CREDENTIALS_FULL_URI", plan->url,
				     sizeof(plan->url));
	}
	if (code == PLM_OK && relative == NULL && !is_allowed(plan->url)) {
		return plm_fail(planning->err, PLM_E_CONFIG,
				"AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or http to this "
				"machine or an agent of ECS or EKS");
	}
	if (code == PLM_OK) {
		code = keep_variable(planning, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
				     plan->token_file, sizeof(plan->token_file));
	}
	if (code == PLM_OK) {
		code = keep_variable(planning, "AWS_CONTAINER_AUTHORIZATION_TOKEN",
				     plan->authorization, sizeof(plan->authorization));
	}
	return code;
}

static bool is_container(const struct planning *planning)
{
	return variable(planning, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != NULL ||
	       variable(planning, "AWS_CONTAINER_CREDENTIALS_FULL_URI") != NULL;
}

static enum plm_code from_imds(struct planning *planning)
{
	if (plm_aws_imds_off(planning->environment)) {
		planning->plan->base = PLM_AWS_BASE_NONE;
		return PLM_OK;
	}
	planning->plan->base = PLM_AWS_BASE_IMDS;
	source(planning, "IMDS");
	return PLM_OK;
}

/* ---- profiles ------------------------------------------------------------------------------------------ */

static enum plm_code bad(struct planning *planning, const char *name, const char *what)
{
	return plm_fail(planning->err, PLM_E_CONFIG, "%.200s: profile '%s': %s",
			planning->profile->file, name, what);
}

static bool read_seconds(const char *text, int64_t *out)
{
	char *end = NULL;
	long value = strtol(text, &end, 10);

	*out = text[0] == '\0' ? PLM_UNSET : value;
	return text[0] == '\0' || (*end == '\0' && value >= 900 && value <= 43200);
}

static enum plm_code fill_hop(struct planning *planning, const char *name, struct plm_aws_hop *hop)
{
	const struct plm_aws_profile *profile = planning->profile;

	if (!read_seconds(profile->duration, &hop->duration_s)) {
		return bad(planning, name, "duration_seconds is not 900 to 43200");
	}
	(void)snprintf(hop->role, sizeof(hop->role), "%s", profile->role_arn);
	(void)snprintf(hop->external_id, sizeof(hop->external_id), "%s", profile->external_id);
	(void)snprintf(hop->session, sizeof(hop->session), "%s",
		       profile->session[0] == '\0' ? SESSION : profile->session);
	return PLM_OK;
}

static enum plm_code from_profile_keys(struct planning *planning, const char *name)
{
	const struct plm_aws_profile *profile = planning->profile;
	struct plm_aws_held *keys = &planning->plan->keys;

	if (profile->key_id[0] == '\0' || profile->secret[0] == '\0') {
		return bad(planning, name,
			   "aws_access_key_id and aws_secret_access_key go together");
	}
	planning->plan->base = PLM_AWS_BASE_KEYS;
	memcpy(keys->key_id, profile->key_id, sizeof(keys->key_id));
	memcpy(keys->secret, profile->secret, sizeof(keys->secret));
	memcpy(keys->token, profile->token, sizeof(keys->token));
	keys->expires_ms = PLM_UNSET;
	return PLM_OK;
}

static enum plm_code from_profile_token(struct planning *planning, const char *name)
{
	struct plm_aws_plan *plan = planning->plan;

	if (planning->profile->role_arn[0] == '\0') {
		return bad(planning, name, "web_identity_token_file needs role_arn");
	}
	plan->base = PLM_AWS_BASE_WEB_IDENTITY;
	memcpy(plan->token_file, planning->profile->token_file, sizeof(plan->token_file));
	return fill_hop(planning, name, &plan->web);
}

static enum plm_code from_named(struct planning *planning, const char *name)
{
	const char *named = planning->profile->credential_source;

	if (strcmp(named, "Environment") == 0) {
		if (variable(planning, "AWS_WEB_IDENTITY_TOKEN_FILE") != NULL &&
		    variable(planning, "AWS_ACCESS_KEY_ID") == NULL) {
			return from_web_identity(planning);
		}
		return from_keys(planning);
	}
	if (strcmp(named, "EcsContainer") == 0) {
		return is_container(planning) ? from_container(planning)
					      : bad(planning, name,
						    "credential_source is EcsContainer, and no "
						    "AWS_CONTAINER_CREDENTIALS_*_URI is set");
	}
	if (strcmp(named, "Ec2InstanceMetadata") == 0) {
		return from_imds(planning);
	}
	return bad(planning, name,
		   "credential_source is none of Environment, Ec2InstanceMetadata, EcsContainer");
}

/* What one profile says of where keys come from. */
enum step {
	STEP_FAILED,
	STEP_DONE,    /* the plan has its base */
	STEP_NOTHING, /* it says nothing of keys */
	STEP_SOURCE,  /* source_profile goes on */
};

static enum step of_code(enum plm_code code)
{
	return code == PLM_OK ? STEP_DONE : STEP_FAILED;
}

/* A role that is assumed with other keys. */
static enum step with_role(struct planning *planning, const char *name)
{
	const struct plm_aws_profile *profile = planning->profile;
	struct plm_aws_plan *plan = planning->plan;

	if (profile->source_profile[0] != '\0' && profile->credential_source[0] != '\0') {
		return of_code(bad(planning, name,
				   "source_profile and credential_source exclude each other"));
	}
	if (profile->mfa) {
		return of_code(bad(planning, name, "mfa_serial asks for a person"));
	}
	if (plan->hop_count == PLM_LIMIT_AWS_HOPS) {
		return of_code(bad(planning, name, "too many profiles, or they name each other"));
	}
	if (fill_hop(planning, name, &plan->hops[plan->hop_count]) != PLM_OK) {
		return STEP_FAILED;
	}
	plan->hop_count++;
	return profile->credential_source[0] == '\0' ? STEP_SOURCE
						     : of_code(from_named(planning, name));
}

static enum step with_profile(struct planning *planning, const char *name, bool own_keys)
{
	const struct plm_aws_profile *profile = planning->profile;
	bool sourced = profile->source_profile[0] != '\0' || profile->credential_source[0] != '\0';

	if (profile->role_arn[0] != '\0' && sourced && !own_keys) {
		return with_role(planning, name);
	}
	if (profile->key_id[0] != '\0' || profile->secret[0] != '\0') {
		return of_code(from_profile_keys(planning, name));
	}
	if (profile->token_file[0] != '\0') {
		return of_code(from_profile_token(planning, name));
	}
	if (profile->role_arn[0] != '\0') {
		return of_code(
			bad(planning, name, "role_arn needs source_profile or credential_source"));
	}
	if (profile->unsupported != NULL) {
		char text[96];

		(void)snprintf(text, sizeof(text), "%s is not supported", profile->unsupported);
		return of_code(bad(planning, name, text));
	}
	return STEP_NOTHING;
}

/* The profile that 'source_profile' names: itself means its own keys. */
static enum step follow(struct planning *planning, char name[PLM_AWS_NAME_SIZE], bool *own_keys)
{
	char next[PLM_AWS_NAME_SIZE];

	memcpy(next, planning->profile->source_profile, sizeof(next));
	*own_keys = strcmp(name, next) == 0;
	if (*own_keys) {
		return STEP_SOURCE;
	}
	explicit_bzero(planning->profile, sizeof(*planning->profile));
	if (plm_aws_profile_read(planning->environment, next, planning->profile, planning->err) !=
	    PLM_OK) {
		return STEP_FAILED;
	}
	if (!planning->profile->found) {
		return of_code(plm_fail(planning->err, PLM_E_CONFIG,
					"profile '%s': source_profile '%s' is not there", name,
					next));
	}
	memcpy(name, next, sizeof(next));
	return STEP_SOURCE;
}

/* PLM_E_NOT_FOUND: the profile says nothing of keys. */
static enum plm_code from_profile(struct planning *planning)
{
	char name[PLM_AWS_NAME_SIZE];
	char text[PLM_AWS_NAME_SIZE + 16];
	bool own_keys = false;
	enum step step = STEP_SOURCE;

	(void)snprintf(name, sizeof(name), "%s", planning->name);
	(void)snprintf(text, sizeof(text), "profile %s", name);
	if (planning->profile->role_arn[0] != '\0' || planning->profile->key_id[0] != '\0' ||
	    planning->profile->secret[0] != '\0' || planning->profile->token_file[0] != '\0') {
		source(planning, text);
	}
	while (step == STEP_SOURCE) {
		step = with_profile(planning, name, own_keys);
		if (step == STEP_SOURCE) {
			step = follow(planning, name, &own_keys);
		}
	}
	if (step == STEP_NOTHING && planning->plan->hop_count > 0) {
		return bad(planning, name, "it is a source_profile and has no keys");
	}
	return step == STEP_DONE ? PLM_OK : (step == STEP_NOTHING ? PLM_E_NOT_FOUND : PLM_E_CONFIG);
}

/* ---- the plan ------------------------------------------------------------------------------------------- */

static enum plm_code choose(struct planning *planning)
{
	enum plm_code code = PLM_OK;

	if (variable(planning, "AWS_ACCESS_KEY_ID") != NULL ||
	    variable(planning, "AWS_SECRET_ACCESS_KEY") != NULL) {
		return from_keys(planning);
	}
	if (variable(planning, "AWS_WEB_IDENTITY_TOKEN_FILE") != NULL) {
		return from_web_identity(planning);
	}
	code = from_profile(planning);
	if (code != PLM_E_NOT_FOUND) {
		return code;
	}
	return is_container(planning) ? from_container(planning) : from_imds(planning);
}

static enum plm_code choose_region(struct planning *planning, const char *first)
{
	const char *const named[] = {first, variable(planning, "AWS_REGION"),
				     variable(planning, "AWS_DEFAULT_REGION"),
				     planning->profile->region};
	static const char *const names[] = {"the region that was given", "AWS_REGION",
					    "AWS_DEFAULT_REGION", "the profile's region"};

	for (size_t i = 0; i < PLM_COUNTOF(named); i++) {
		const char *value = named[i];

		if (value == NULL || value[0] == '\0') {
			continue;
		}
		if (value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0' ||
		    !plm_aws_keep(planning->plan->region, sizeof(planning->plan->region),
				  plm_slice_str(value))) {
			return plm_fail(planning->err, PLM_E_CONFIG, "%s is none of AWS", names[i]);
		}
		return PLM_OK;
	}
	return PLM_OK;
}

static enum plm_code read_profile(struct planning *planning)
{
	const char *name = variable(planning, "AWS_PROFILE");
	bool asked = false;
	enum plm_code code = PLM_OK;

	name = name != NULL ? name : variable(planning, "AWS_DEFAULT_PROFILE");
	asked = name != NULL;
	planning->name = asked ? name : "default";
	if (strlen(planning->name) >= PLM_AWS_NAME_SIZE) {
		return plm_fail(planning->err, PLM_E_CONFIG, "AWS_PROFILE is too long");
	}
	code = plm_aws_profile_read(planning->environment, planning->name, planning->profile,
				    planning->err);
	if (code == PLM_OK && asked && !planning->profile->found) {
		code = plm_fail(planning->err, PLM_E_CONFIG, "%.200s: there is no profile '%s'",
				planning->profile->file, planning->name);
	}
	return code;
}

enum plm_code plm_aws_plan_make(const struct plm_aws_credentials_options *options,
				struct plm_aws_plan *plan, struct plm_error *err)
{
	struct planning planning = {.environment = options->environment, .plan = plan, .err = err};
	enum plm_code code = PLM_OK;

	explicit_bzero(plan, sizeof(*plan));
	planning.profile = calloc(1, sizeof(*planning.profile));
	PLM_ASSERT(planning.profile != NULL);
	code = read_profile(&planning);
	if (code == PLM_OK) {
		code = choose_region(&planning, options->region);
	}
	if (code == PLM_OK) {
		code = choose(&planning);
	}
	explicit_bzero(planning.profile, sizeof(*planning.profile));
	free(planning.profile);
	return code;
}
