/*
 * played.h - a played API server under the client's own functions
 *
 * Owns: objects in memory, what GET, create, patches, delete and eviction do to them, a log of what was
 * asked, and faults at chosen calls: not sent, refused, lost before or after it was carried out. It defines
 * plm_kube_send() and its kin, so a test that uses it does not link the client. Answers come from the loop.
 */
#ifndef PLM_TESTS_PLAYED_H
#define PLM_TESTS_PLAYED_H

#include <cjson/cJSON.h>

#include "adapters/kube/client.h"

enum played_fault {
	PLAYED_WELL,
	PLAYED_UNSENT,	    /* not carried out, and that is sure */
	PLAYED_LOST_BEFORE, /* not carried out, but nobody knows */
	PLAYED_LOST_AFTER,  /* carried out, but nobody knows */
	PLAYED_CONFLICT,    /* it changed under us, once */
	PLAYED_THROTTLED,
	PLAYED_GARBLED, /* carried out; the answer is no JSON */
	PLAYED_UNAUTHORIZED,
	PLAYED_DENIED,
	PLAYED_FAULTS,
};

#define PLAYED_OBJECTS 64
#define PLAYED_LOG (1024 * 1024)

struct played_object {
	enum plm_kube_resource_id resource;
	cJSON *json; /* owned; NULL = free */
};

struct plm_kube_client {
	uv_loop_t *loop;
	struct played_object objects[PLAYED_OBJECTS];
	int revision;
	int calls, writes; /* made so far */
	/* The 'fault_at'-th call (from 0) has 'fault', and those after it, 'fault_count' in all. */
	enum played_fault fault;
	int fault_at, fault_count;
	int created; /* objects, by creates */
	int under_way, most_under_way;
	const cJSON *versions; /* resource name to version; borrowed; NULL = the first of each */
	bool refuse;	       /* evictions: a budget says no */
	char *log;	       /* owned; what was asked, bodies indented */
	size_t log_size;
};

void played_init(struct plm_kube_client *played, uv_loop_t *loop);
void played_fini(struct plm_kube_client *played);
/* A copy of 'object' is there, with a resourceVersion if it has none. */
void played_have(struct plm_kube_client *played, const cJSON *object);
/* Borrowed; NULL: it is not there. */
cJSON *played_find(const struct plm_kube_client *played, enum plm_kube_resource_id resource,
		   const char *name);
/* All objects without what differs by the number of writes; freed by the caller. */
char *played_state(const struct plm_kube_client *played);

#endif
