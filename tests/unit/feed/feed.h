/*
 * feed.h - answers of EC2 as sheets, and an inbox that remembers, for the tests of what EC2 tells by itself
 */
#ifndef PLM_TEST_FEED_H
#define PLM_TEST_FEED_H

#include "adapters/ec2/context.h"
#include "adapters/ec2/seen.h"

#define FEED_FACTS 256

/* 'xml' is what stands inside of the answer's root. */
void feed_read(struct plm_ec2_sheet *sheet, const char *xml);
void feed_read_json(struct plm_ec2_sheet *sheet, const char *json, const char *currency);
/* All of a file beside this one; ends with a zero, owned. */
char *feed_file(const char *name);

/* What was told, newest last, decoded. */
struct feed_inbox {
	struct plm_inbox inbox;
	struct feed_fact {
		enum plm_event_type type;
		enum plm_observed observed;
		const void *value;
		char pos[128];
		size_t size; /* of the payload */
	} facts[FEED_FACTS];
	int count;
	bool full;	  /* takes nothing */
	uint64_t settled; /* of what it took */
	struct plm_arena arena;
};
void feed_inbox_open(struct feed_inbox *inbox);
void feed_inbox_close(struct feed_inbox *inbox);
/* The newest but 'back' of them, which must be one of 'type'. */
const void *feed_fact(const struct feed_inbox *inbox, int back, enum plm_event_type type);
/* Tell an instance of ours, and the end of a list. */
void feed_instance(struct plm_ec2_context *context, const char *provider_id, const char *state,
		   const char *reservation);
void feed_listed(struct plm_ec2_context *context);

#endif
