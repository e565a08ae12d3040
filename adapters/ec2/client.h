/*
 * client.h - the only way to make a call to AWS
 *
 * Owns: endpoints of a region, signing with the keys at hand, the mode (a call that it forbids ends at once as
 * FORBIDDEN and never leaves), client-side token buckets per family and the slowing down that throttling answers ask
 * for, XML or JSON of an answer as a bounded tree, and which class an answer is. Repeats reads (list and get) by
 * itself when they were throttled or lost, and any call once with new keys when the keys were refused; never repeats
 * anything else: that is for whoever owns the intent. Everything on the loop's thread.
 * Does not: page (page.h), know what an answer means.
 * Sources: ec2-test.md 2 and 4, eventsourcing.md D14.
 */
#ifndef PLM_ADAPTERS_EC2_CLIENT_H
#define PLM_ADAPTERS_EC2_CLIENT_H

#include "adapters/ec2/call.h"
#include "adapters/ec2/credentials.h"
#include "adapters/ec2/tree.h"
#include "core/ports.h"

struct plm_aws_client; /* opaque */
struct plm_aws_sent;   /* opaque: a call under way */

struct plm_aws_client_options {
	uv_loop_t *loop; /* borrowed, as 'http' and 'credentials' */
	struct plm_http_client *http;
	struct plm_aws_credentials *credentials;
	struct plm_clock clock;
	/* Instead of all of AWS' own hosts, for tests; NULL. AWS_ENDPOINT_URL and AWS_ENDPOINT_URL_<SERVICE> are looked
	 * at as the SDKs do. */
	const char *endpoint;
	/* Borrowed. AWS_CA_BUNDLE stands for the system's authorities. */
	const char *const *environment;
	uint64_t seed;	  /* of jitter */
	int64_t again_ms; /* the first wait before a read is repeated, for tests; 0 = the limit's */
	void (*note)(void *self, const char *text);
	void *self;
	/* May be NULL: each request that was answered or lost, as one line: service and action, class and code,
	 * status, time, AWS' id of it. Never a body. */
	void (*traced)(void *self, const char *text);
};
enum plm_code plm_aws_client_new(const struct plm_aws_client_options *options,
				 struct plm_aws_client **out, struct plm_error *err) PLM_MUST_CHECK;
void plm_aws_client_free(struct plm_aws_client *client); /* NULL-safe; tells nobody */
/* Which calls may be made from now on: enum plm_aws_mode, or'ed. None before. */
void plm_aws_client_allow(struct plm_aws_client *client, unsigned modes);
/* Known once the first keys were: "" before. */
const char *plm_aws_region(const struct plm_aws_client *client);

enum plm_aws_class {
	PLM_AWS_DONE, /* 2xx with a tree that its root element or first byte says is the answer */
	PLM_AWS_NOT_FOUND, /* its code says that the thing is not there */
	PLM_AWS_EXISTS,	   /* already there, already done */
	PLM_AWS_THROTTLED, /* surely not carried out: later */
	PLM_AWS_REFUSED,   /* permanent: parameters, rights, quota, capacity; 'code' says which */
	PLM_AWS_MISMATCH,  /* the token was used with other parameters */
	PLM_AWS_UNKNOWN, /* lost, 5xx, or an answer that cannot be read: it may have been carried out */
	PLM_AWS_NOT_SENT,  /* surely not carried out: no connection, no credentials */
	PLM_AWS_FORBIDDEN, /* by the mode; nothing left the process */
};

struct plm_aws_answer {
	enum plm_aws_class class;
	unsigned status;  /* 0 = none */
	const char *code; /* AWS' word, or our own: "NoCredentials", "Timeout", ...; "" when done */
	const char *message;		 /* one line, bounded, without secrets */
	const char *request_id;		 /* "" = none came */
	int64_t retry_after_ms;		 /* PLM_UNSET */
	const struct plm_aws_node *root; /* of the answer when DONE, else NULL */
};

struct plm_aws_request {
	enum plm_aws_call call;
	struct plm_slice body; /* form without Action and Version, or JSON; copied */
	const char *path;      /* REST: "/clusters/NAME", escaped; SQS: NULL */
	bool exact;	       /* 'body' is the whole frozen form, Action and Version included */
	int64_t total_ms;      /* 0 = the table's; long polls say theirs */
	void (*on_done)(void *self, const struct plm_aws_answer *answer); /* once, from the loop */
	void *self;
};
/* Never fails at once. Body and answer are the caller's for the time of the calls only. */
struct plm_aws_sent *plm_aws_send(struct plm_aws_client *client,
				  const struct plm_aws_request *request);
void plm_aws_cancel(struct plm_aws_sent *sent); /* nothing comes of it any more */

/* Numbers of it, for struct plm_cloud.tell. */
void plm_aws_client_tell(const struct plm_aws_client *client,
			 void (*one)(void *ctx, enum plm_cloud_number number, const char *label,
				     int64_t value),
			 void *ctx);

#endif
