/*
 * client_private.h - the inside of the client: what client.c and sent.c share
 */
#ifndef PLM_ADAPTERS_EC2_CLIENT_PRIVATE_H
#define PLM_ADAPTERS_EC2_CLIENT_PRIVATE_H

#include "adapters/ec2/client.h"
#include "adapters/ec2/endpoint.h"
#include "adapters/ec2/outcome.h"
#include "adapters/ec2/pace.h"

/* A bucket for each family of EC2, and one for each other service. */
#define PLM_AWS_LANES ((size_t)PLM_AWS_OTHER + (size_t)PLM_AWS_SERVICE_COUNT)

enum plm_aws_stage {
	PLM_AWS_WAITS,	/* for its time or its turn: in client->waiting */
	PLM_AWS_KEYS,	/* for credentials: in client->under_way, as what follows */
	PLM_AWS_ABROAD, /* an HTTP call */
	PLM_AWS_TOLD,	/* inside of on_done */
};

struct plm_aws_sent {
	struct plm_aws_sent *next, *before;
	struct plm_aws_client *client;
	const struct plm_aws_call_row *row;
	struct plm_aws_request request; /* its texts are those two: */
	uint8_t *body;			/* owned; whole */
	char *path;			/* owned */
	enum plm_aws_stage stage;
	uint64_t wait;		    /* of credentials */
	struct plm_http_call *call; /* ABROAD */
	int64_t due_ms;		    /* WAITS: not before */
	int64_t left_ms;	    /* ABROAD: when it left */
	unsigned tries;		    /* times that it left */
	bool renewed;		    /* was repeated with new keys */
	const char *refusal;	    /* static; not NULL = it never leaves, FORBIDDEN */
};

struct plm_aws_list {
	struct plm_aws_sent *first, *last;
};

struct plm_aws_door {
	struct plm_http_peer *peer; /* owned; NULL = not yet opened */
	struct plm_aws_endpoint endpoint;
};

struct plm_aws_client {
	struct plm_aws_client_options options;
	char *ca; /* owned; NULL = the system's */
	size_t ca_size;
	struct plm_aws_door doors[PLM_AWS_SERVICE_COUNT];
	struct plm_aws_pace lanes[PLM_AWS_LANES];
	struct plm_aws_list waiting, under_way;
	unsigned modes;
	char region[PLM_AWS_REGION_SIZE];
	uint64_t random; /* of jitter */
	uv_timer_t pump; /* what waits is looked at again */
	bool closing;
	struct {
		uint64_t answers[PLM_AWS_FORBIDDEN + 1]; /* by class */
		uint64_t throttled, ms;
	} counts[PLM_AWS_CALL_COUNT];
};

/* ---- client.c ---------------------------------------------------------------------------------- */

/* The door of 'service' in the region of the keys. PLM_E_CONFIG: there is none. */
enum plm_code plm_aws_door_of(struct plm_aws_client *client, enum plm_aws_service service,
			      const char *region, struct plm_aws_door **out,
			      struct plm_error *err) PLM_MUST_CHECK;

/* ---- sent.c ------------------------------------------------------------------------------------ */

void plm_aws_pump_soon(struct plm_aws_client *client);
/* Forget all calls without telling anybody. */
void plm_aws_drop_all(struct plm_aws_client *client);

#endif
