/*
 * credentials_private.h - what the files of credentials*.c share; nobody else includes it
 *
 * Owns: the plan (where keys come from, as environment and files say it now), the fetch (one way through a plan) and
 * what is held. Secrets lie in structs of fixed size, which are wiped as a whole when they end.
 */
#ifndef PLM_ADAPTERS_EC2_CREDENTIALS_PRIVATE_H
#define PLM_ADAPTERS_EC2_CREDENTIALS_PRIVATE_H

#include "adapters/ec2/credentials.h"
#include "adapters/ec2/endpoint.h"
#include "adapters/http/backoff.h"
#include "core/limits.h"

/* Texts of one setting, the zero included. What is longer is refused by name. */
#define PLM_AWS_PATH_SIZE 4096
#define PLM_AWS_ROLE_SIZE 2049
#define PLM_AWS_NAME_SIZE 129
#define PLM_AWS_REGION_ROOM 65

struct plm_aws_held {
	char key_id[129], secret[257];
	char token[PLM_LIMIT_SIGNED_TOKEN_BYTES + 1]; /* "" = none */
	int64_t expires_ms;			      /* wall; PLM_UNSET = never */
};

/* ---- plan: credentials_plan.c ------------------------------------------------------------------------------ */

enum plm_aws_base {
	PLM_AWS_BASE_KEYS,
	PLM_AWS_BASE_WEB_IDENTITY,
	PLM_AWS_BASE_CONTAINER,
	PLM_AWS_BASE_IMDS,
	PLM_AWS_BASE_NONE, /* nothing is set up, and the instance must not be asked */
};

/* AssumeRole with the keys at hand. */
struct plm_aws_hop {
	char role[PLM_AWS_ROLE_SIZE], session[65], external_id[1225];
	int64_t duration_s; /* PLM_UNSET = STS' default */
};

struct plm_aws_plan {
	enum plm_aws_base base;
	char source[PLM_AWS_NAME_SIZE + 16]; /* as plm_aws_credentials_source() says it */
	char region[PLM_AWS_REGION_ROOM];    /* "" = IMDS knows */
	struct plm_aws_held keys;	     /* KEYS */
	char token_file[PLM_AWS_PATH_SIZE];  /* WEB_IDENTITY; CONTAINER: "" = none */
	struct plm_aws_hop web;		     /* WEB_IDENTITY: the role that the token is for */
	char url[PLM_AWS_ROLE_SIZE];	     /* CONTAINER: whole */
	char authorization[PLM_LIMIT_SIGNED_TOKEN_BYTES + 1]; /* CONTAINER, when there is no file */
	struct plm_aws_hop hops[PLM_LIMIT_AWS_HOPS];	      /* the last one is done first */
	size_t hop_count;
};

/* PLM_E_CONFIG: 'err' names variable, or file and profile. '*plan' is to be wiped in any case. */
enum plm_code plm_aws_plan_make(const struct plm_aws_credentials_options *options,
				struct plm_aws_plan *plan, struct plm_error *err) PLM_MUST_CHECK;
/* IMDS must not be asked. */
bool plm_aws_imds_off(const char *const *environment);
/* Copy into 'room' bytes; false: it does not fit, or has control characters. */
bool plm_aws_keep(char *to, size_t room, struct plm_slice text);

/* ---- profiles: credentials_profile.c ------------------------------------------------------------------------ */

struct plm_aws_profile {
	bool found;
	char file[PLM_AWS_PATH_SIZE]; /* that it was last found in */
	char key_id[129], secret[257], token[PLM_LIMIT_SIGNED_TOKEN_BYTES + 1];
	char role_arn[PLM_AWS_ROLE_SIZE], source_profile[PLM_AWS_NAME_SIZE], credential_source[33];
	char token_file[PLM_AWS_PATH_SIZE], session[65], external_id[1225], duration[9];
	char region[PLM_AWS_REGION_ROOM];
	const char *unsupported; /* a setting of it that is another way to keys; static */
	bool mfa;
};

/* Of both files; not found is no error. PLM_E_CONFIG: 'err' names the file, the profile and the setting. */
enum plm_code plm_aws_profile_read(const char *const *environment, const char *name,
				   struct plm_aws_profile *out,
				   struct plm_error *err) PLM_MUST_CHECK;
/* The file 'path' whole, up to 'most' bytes: owned, with a zero; wiped by plm_aws_file_free(). */
enum plm_code plm_aws_file_read(const char *path, size_t most, char **out,
				struct plm_error *err) PLM_MUST_CHECK;
void plm_aws_file_free(char *text); /* NULL-safe */

/* ---- one way through a plan: credentials_fetch.c ------------------------------------------------------------ */

struct plm_aws_fetch {
	struct plm_aws_credentials *owner;
	struct plm_aws_plan plan;
	struct plm_aws_held keys; /* so far */
	size_t hops_left;
	char imds_token[1025], imds_role[PLM_AWS_NAME_SIZE];
	/* The request that is under way or waits to be sent again. */
	void (*step)(struct plm_aws_fetch *fetch);
	void (*heard)(struct plm_aws_fetch *fetch, const struct plm_http_outcome *outcome);
	const char *hint; /* for people, when no answer comes; NULL */
	uint32_t tries, imds_tokens;
	struct plm_backoff backoff;
	struct plm_http_call *call; /* NULL = none is under way */
};

/* A server that was asked once: its connections and addresses are kept. */
struct plm_aws_server {
	struct plm_aws_server *next;
	struct plm_http_peer *peer;
	char url[];
};

struct plm_aws_wait {
	struct plm_aws_wait *next;
	uint64_t number;
	void (*done)(void *self, const struct plm_aws_keys *keys, const char *why);
	void *self;
};

struct plm_aws_credentials {
	struct plm_aws_credentials_options options;
	struct plm_aws_held held; /* key_id "" = none */
	char region[PLM_AWS_REGION_ROOM], source[PLM_AWS_NAME_SIZE + 16];
	struct plm_aws_fetch *fetch; /* NULL = none is under way */
	struct plm_aws_server *servers;
	struct plm_slice ca; /* PEM, owned; empty = the system's */
	struct plm_aws_wait *waits, **waits_end;
	uint64_t waits_made;
	uv_timer_t look;  /* is it time to renew? */
	uv_timer_t kick;  /* somebody waits */
	uv_timer_t again; /* of the fetch */
	uint32_t handles;
	uint64_t random;
	int64_t renew_ms;	     /* wall; PLM_UNSET = never */
	int64_t fetched_ms, next_ms; /* loop time: of the last fetch; none begins before */
	struct plm_backoff backoff;
	bool refused, failed, delivering, dying;
	char why[256]; /* of the last failure */
};

void plm_aws_fetch_begin(struct plm_aws_credentials *credentials);
void plm_aws_fetch_cancel(struct plm_aws_fetch *fetch); /* NULL-safe; frees and wipes */
/* credentials.c: it ended; 'why' NULL = with keys. Frees it. */
void plm_aws_fetched(struct plm_aws_credentials *credentials, const char *why);

/* ---- steps of a fetch, for credentials_sts.c, credentials_imds.c and credentials_container.c ------------------- */

struct plm_aws_ask {
	const char *url; /* of the server */
	const char *method, *path;
	const char *const *headers;
	const struct plm_http_sign *sign;
	struct plm_slice body;
	int64_t connect_ms, total_ms;
};
/* Begin with 'step', which asks; it is called again when its request is tried again. */
void plm_aws_fetch_go(struct plm_aws_fetch *fetch, void (*step)(struct plm_aws_fetch *fetch));
/*
 * 'heard' gets the answer, whatever its status below 500 but 429. Those, and no answer, are tried again, and fail the
 * fetch at the end.
 */
void plm_aws_fetch_ask(struct plm_aws_fetch *fetch, const struct plm_aws_ask *ask,
		       void (*heard)(struct plm_aws_fetch *fetch,
				     const struct plm_http_outcome *outcome));
/* How long an answer of IMDS or of the agent beside us may take. */
int64_t plm_aws_near_ms(const struct plm_aws_fetch *fetch);
/* The answer was one for now only: the step again, or the end with 'why'. */
void plm_aws_fetch_again(struct plm_aws_fetch *fetch, int64_t retry_after_ms, const char *why);
/* The end. The text never has a part of an answer but a code. */
void plm_aws_fetch_fail(struct plm_aws_fetch *fetch, const char *format, ...) PLM_PRINTF(2, 3);
/* fetch->keys are there: the next role, or the end. */
void plm_aws_fetch_next(struct plm_aws_fetch *fetch);
/* The region is known: the first keys. */
void plm_aws_fetch_base(struct plm_aws_fetch *fetch);

/* What an answer calls its parts. */
struct plm_aws_names {
	const char *key_id, *secret, *token, *expires;
};
struct plm_aws_node;
/* Into fetch->keys; false: a part is missing or too long. No time at all is PLM_UNSET. */
bool plm_aws_fetch_take(struct plm_aws_fetch *fetch, const struct plm_aws_node *node,
			const struct plm_aws_names *names);
/* 'code' as it may be shown: letters, digits and points, 64 of them. */
const char *plm_aws_fetch_code(struct plm_slice code, char out[65]);

void plm_aws_sts_web_identity(struct plm_aws_fetch *fetch); /* steps */
void plm_aws_sts_assume(struct plm_aws_fetch *fetch);
void plm_aws_container(struct plm_aws_fetch *fetch);
void plm_aws_imds(
	struct plm_aws_fetch *fetch); /* the region where it is not known, then the keys */
/* A file with a token: trimmed; owned, as of plm_aws_file_read(). */
enum plm_code plm_aws_token_read(const char *path, char **out,
				 struct plm_error *err) PLM_MUST_CHECK;

int64_t plm_aws_wall_ms(void);
int64_t plm_aws_loop_ms(void);

#endif
