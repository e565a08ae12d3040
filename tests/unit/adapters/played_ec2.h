/*
 * played_ec2.h - EC2 and time, both played, under the client's own functions
 *
 * Owns: instances with their tags and states, launch templates, a token store as EC2 has it, stock-outs, how late what is
 * new is shown, faults of single calls or by chance. Defines plm_aws_send(), plm_aws_cancel() and libuv's timers, so a test
 * that uses it does not link the client, and minutes pass in no time. What is answered goes through the real judge of
 * answers (outcome.h) and the real pages (page.h). One world at a time.
 */
#ifndef PLM_TESTS_PLAYED_EC2_H
#define PLM_TESTS_PLAYED_EC2_H

#include "adapters/ec2/client.h"
#include "core/ports.h"

enum played_fault {
	PLAYED_WELL,
	PLAYED_UNSENT,	    /* no connection */
	PLAYED_THROTTLED,   /* 503 RequestLimitExceeded */
	PLAYED_LOST_BEFORE, /* reset; it was not carried out */
	PLAYED_LOST_AFTER,  /* reset; it was */
	PLAYED_500_BEFORE,
	PLAYED_500_AFTER, /* InternalError, though it was carried out */
	PLAYED_GARBLED,	  /* carried out; a page of HTML comes */
	PLAYED_EMPTY,	  /* carried out; the answer is one, but says nothing */
	PLAYED_FAULTS,
	PLAYED_CODE, /* an error of the test's own */
};

struct played_instance {
	char id[32], type[32], zone[32], lifecycle[16];
	char tags[64][2][128];
	int tag_count;
	int64_t born_ms, ending_ms; /* ending: PLM_UNSET = it is not */
	bool protected;		    /* it cannot be terminated */
	bool hidden;		    /* no list shows it */
};

#define PLAYED_INSTANCES 4096

struct played_ec2 {
	struct played_instance list[PLAYED_INSTANCES];
	int count;
	int64_t lag_ms;		 /* from a launch to its first sight */
	int64_t delay_ms;	 /* of every answer */
	int64_t token_forget_ms; /* after it a token is forgotten; 0 = never */
	int page;		 /* instances of a page; 0 = all */
	/* The next 'fault_count' calls of 'fault_action' (NULL = of any) after 'fault_skip' of them. */
	enum played_fault fault;
	const char *fault_action;
	int fault_skip, fault_count;
	unsigned fault_status; /* PLAYED_CODE */
	const char *fault_code;
	/* Faults by chance, and answers in any order; 0 = none. */
	uint64_t weather;
	unsigned weather_percent;
	/* Overrides of that type or zone (NULL = any) are out of stock, by 'out_code'; NULL = none are. */
	const char *out_code, *out_type, *out_zone;
	bool forget_templates; /* the next launch finds none of them */
	/* Counted. */
	int calls, launches_asked, tokens, mismatches, lists, terminates, tag_calls, templates_made,
		templates_deleted;
	int most_in_a_terminate;
};
extern struct played_ec2 played;

void played_start(void);
/* Ends what is left of calls and timers. */
void played_stop(void);
int64_t played_now(void);
struct plm_clock played_clock(void);
/* Let time pass: timers and answers in their order. */
void played_run(int64_t time_ms);
/* What is under way is lost with who asked; it may have been carried out. */
void played_forget_calls(void);

const char *played_tag(const struct played_instance *instance, const char *key);
const char *played_state(const struct played_instance *instance);
/* That have the tag plimsoll/intent of 'intent'; 'alive' = only those that have not ended. */
int played_of_intent(uint64_t intent, bool alive);
/* Not shutting down or terminated. */
int played_alive(void);
/* An instance that nobody launched here, with the tags of this cluster. */
struct played_instance *played_add(const char *id, const char *type);
/* The whole form that was sent last for 'action'; "" = none was. */
const char *played_sent(const char *action);

#endif
