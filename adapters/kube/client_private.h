/*
 * client_private.h - the inside of the client: what client.c, sent.c, discovery.c and their parts share
 */
#ifndef PLM_ADAPTERS_KUBE_CLIENT_PRIVATE_H
#define PLM_ADAPTERS_KUBE_CLIENT_PRIVATE_H

#include "adapters/http/bucket.h"
#include "adapters/kube/access.h"
#include "adapters/kube/client.h"

/* A connection's TLS material. Another certificate is another door; the old one goes with its last call. */
struct plm_kube_door {
	struct plm_kube_door *next;
	struct plm_http_peer *peer; /* owned */
	uint64_t tls;
	uint32_t calls;
};

struct plm_kube_sent {
	struct plm_kube_sent *next, *before; /* in 'waiting' or in 'under_way' */
	struct plm_kube_client *client;
	struct plm_kube_request request;     /* its slices point into 'body', which is owned */
	const struct plm_kube_call_row *row; /* NULL: discovery's own */
	char *path;			     /* owned; NULL = it fails with 'fate' */
	const char *accept;		     /* static */
	uint8_t *body;			     /* owned */
	enum plm_kube_fate fate;
	char why[PLM_ERROR_TEXT_SIZE];
	struct plm_http_call *call; /* NULL: it waits */
	struct plm_kube_door *door;
	uint64_t serial; /* of the credentials it carried */
	bool paused, repeated, uncounted, counted;
};

struct plm_kube_list {
	struct plm_kube_sent *first, *last;
};

struct plm_kube_discovery; /* discovery.c; one round under way */

struct plm_kube_client {
	struct plm_kube_client_options options;
	struct plm_kube_login *login;	/* owned */
	struct plm_kube_access *access; /* owned */
	struct plm_kube_door *doors;	/* the first is the one in use */
	struct plm_kube_list waiting, under_way;
	struct plm_bucket bucket;
	unsigned modes;
	uv_timer_t pump; /* what waits is looked at again */
	uv_timer_t look; /* discovery */
	unsigned open;	 /* timers that are not closed */
	bool closing;

	struct plm_kube_server server;
	const char *versions[PLM_KUBE_RES_COUNT]; /* static; NULL = not there */
	bool discovered;
	uint64_t groups_hash;  /* of the list of groups, as it was last seen */
	int64_t discovered_ms; /* loop time */
	int64_t missed_ms;     /* when a call was last answered NO_RESOURCE; PLM_UNSET = never */
	struct plm_kube_discovery *round;
};

/* ---- path.c ------------------------------------------------------------------------------------ */

/* "/apis/batch/v1/namespaces/ns/jobs/name/status?query"; owned. NULL: out of memory. */
char *plm_kube_path_make(const struct plm_kube_request *request, const char *version,
			 const char *field_manager);
const char *plm_kube_method(enum plm_kube_verb verb);	    /* "GET" */
const char *plm_kube_content_type(enum plm_kube_verb verb); /* header line; NULL = no body */

/* ---- status.c ---------------------------------------------------------------------------------- */

struct plm_kube_reply {
	unsigned status;
	struct plm_slice body;
	bool eviction, json_patch;
};
struct plm_kube_judged {
	enum plm_kube_fate fate;
	char reason[64];
	char message[512];
};
void plm_kube_judge(const struct plm_kube_reply *reply, struct plm_kube_judged *out);

/* ---- sent.c ------------------------------------------------------------------------------------ */

/* The connections for 'credential', opened anew where its TLS material is other. */
enum plm_code plm_kube_door_for(struct plm_kube_client *client,
				const struct plm_kube_credential *credential,
				struct plm_kube_door **out, struct plm_error *err) PLM_MUST_CHECK;
/* A GET of a path that is discovery's own. */
struct plm_kube_sent *plm_kube_send_path(struct plm_kube_client *client, const char *path,
					 const char *accept,
					 void (*on_done)(void *, const struct plm_kube_answer *),
					 void *self);
/* Look at what waits, from the loop. */
void plm_kube_pump_soon(struct plm_kube_client *client);
void plm_kube_pump(struct plm_kube_client *client);
/* Forget all calls without telling anybody. */
void plm_kube_drop_all(struct plm_kube_client *client);

/* ---- discovery.c ------------------------------------------------------------------------------- */

/* A call was answered NO_RESOURCE: look soon. */
void plm_kube_discovery_missed(struct plm_kube_client *client);
void plm_kube_discovery_drop(struct plm_kube_client *client);
void plm_kube_discovery_on_timer(uv_timer_t *timer);

/* Which resources the answers name (discovery_read.c). */
struct plm_kube_found {
	/* Bit n: version n of the resource's row is served. */
	uint8_t served[PLM_KUBE_RES_COUNT];
	bool aggregated;
};
/* A body of /api or /apis; false: it is neither. With 'aggregated' false only groups are known then. */
bool plm_kube_found_read(struct plm_slice body, struct plm_kube_found *found);
/* An APIResourceList of 'group' and 'version'. */
bool plm_kube_found_list(struct plm_slice body, const char *group, const char *version,
			 struct plm_kube_found *found);
/* The best version, or NULL. */
const char *plm_kube_found_version(const struct plm_kube_found *found,
				   enum plm_kube_resource_id resource);
/* A body of /version. */
bool plm_kube_version_read(struct plm_slice body, struct plm_kube_server *server);
/* metadata.uid of an object. */
bool plm_kube_uid_read(struct plm_slice body, char *uid, size_t size);

#endif
