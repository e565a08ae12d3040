/*
 * credentials_private.h - what the files of credentials*.c share; nobody else includes it
 *
 * Owns: the plan (where keys come from, as environment and files say it now), the fetch (one way through a plan) and
 * what is held. Secrets lie in structs of fixed size, which are wiped as a whole when they end.
 */
#ifndef PLM_ADAPTERS_EC2_CREDENTIALS_PRIVATE_H
#define PLM_ADAPTERS_EC2_CREDENTIALS_PRIVATE_H

#include "adapters/ec2/credentials.h"
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
/* The value of 'name', or NULL where it is unset or empty. */
const char *plm_aws_setting(const char *const *environment, const char *name);
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

/* What an answer is to be told apart for. */
struct plm_aws_heard {
	unsigned status; /* 0 = none came; 'why' says why not */
	struct plm_slice body;
	const char *why;
};

struct plm_aws_fetch {
	struct plm_aws_credentials *owner;
	struct plm_aws_plan plan;
	struct plm_aws_held keys; /* so far */
	size_t hops_left;
	char imds_token[1025], imds_role[PLM_AWS_NAME_SIZE];
	/* The request that is under way or waits to be sent again. */
	void (*step)(struct plm_aws_fetch *fetch);
	void (*heard)(struct plm_aws_fetch *fetch, const struct plm_aws_heard *heard);
	uint32_t tries;
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
int64_t plm_aws_wall_ms(void);
int64_t plm_aws_loop_ms(void);

#endif
