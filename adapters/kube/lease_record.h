/*
 * lease_record.h - what a Lease says, and what is written into it
 *
 * Owns: the JSON of it; everything in an object that we do not write stays as it was read. Does not: know
 * what follows.
 */
#ifndef PLM_ADAPTERS_KUBE_LEASE_RECORD_H
#define PLM_ADAPTERS_KUBE_LEASE_RECORD_H

#include "adapters/kube/lease.h"

struct cJSON;

/* Zeroed = there is none. */
struct plm_lease_record {
	struct cJSON *object; /* owned: the Lease as read */
	char version[64];     /* resourceVersion; "" = not read */
	char holder[256];
	char acquired[64], renewed[64]; /* as written there */
	int64_t duration_ms;		/* of its holder; ours where it says none */
	int64_t transitions;
	bool witnessed; /* it has a head */
	bool garbled;	/* it has an annotation that should be a head and is none */
	struct plm_lease_head head;
};

/* PLM_E_INPUT: not a Lease; 'out' is untouched. Else what it held is freed. */
enum plm_code plm_lease_record_read(struct plm_slice body, struct plm_lease_record *out,
				    struct plm_error *err) PLM_MUST_CHECK;
void plm_lease_record_fini(struct plm_lease_record *record);
/* The same holder, of the same time: nothing happened. */
bool plm_lease_record_same(const struct plm_lease_record *one, const struct plm_lease_record *two);

struct plm_lease_write {
	const char *ns, *name;
	const char *holder; /* "" = nobody: it is given back */
	int64_t wall_ns;
	bool taken; /* by this write: acquireTime is now, and a new holder counts as a transition */
	struct plm_lease_head head;
};
/* The whole object to be sent, of 'record' (which may be none). Freed by plm_lease_body_free(). */
char *plm_lease_body(const struct plm_lease_record *record, const struct plm_lease_write *write);
void plm_lease_body_free(char *body);

/* "SEQ:ROOT:EPOCH". False: it is not one; 'out' is untouched. */
bool plm_lease_head_read(struct plm_slice text, struct plm_lease_head *out);
#define PLM_LEASE_HEAD_SIZE 64
const char *plm_lease_head_text(const struct plm_lease_head *head, char text[PLM_LEASE_HEAD_SIZE]);

/* Whether a record has run out, by looking at it alone. One per Lease that is looked at. */
struct plm_lease_watch {
	struct plm_lease_record record;
	int64_t changed_ms; /* of our clock: when it was first seen as it is */
	bool seen;
};
/* 'body' was read at 'now_ms'. */
enum plm_code plm_lease_watch_read(struct plm_lease_watch *watch, struct plm_slice body,
				   int64_t now_ms, struct plm_error *err) PLM_MUST_CHECK;
/* When it will have run out if nothing happens. */
int64_t plm_lease_watch_end(const struct plm_lease_watch *watch);

#endif
