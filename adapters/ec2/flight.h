/*
 * flight.h - one effect on its way, between effect.c and those that carry it out
 *
 * Owns: an effect from its submission to its final RESULT. effect.c says when it may go, waits between its tries and tells
 * its RESULTs; launch.c, terminate.c and tags.c go through one try.
 */
#ifndef PLM_ADAPTERS_EC2_FLIGHT_H
#define PLM_ADAPTERS_EC2_FLIGHT_H

#include "adapters/ec2/effect.h"
#include "adapters/ec2/fleet.h"
#include "adapters/ec2/instance_read.h"
#include "adapters/ec2/page.h"
#include "adapters/ec2/template_call.h"
#include "adapters/http/backoff.h"

enum plm_ec2_flight_state {
	PLM_EC2_READY,	 /* it may go when there is room */
	PLM_EC2_GOING,	 /* its try is under way */
	PLM_EC2_WAITING, /* until 'due_ms' */
	PLM_EC2_STATES
};

/* A launch, beside what every effect has. In 'arena' of its flight. */
struct plm_ec2_launch_try {
	bool built;
	const struct plm_w_req_launch *request;
	const struct plm_w_ec2_recipe *recipe;
	struct plm_ec2_launching launching;
	struct plm_ec2_template_wait template_wait;
	size_t need; /* of launching.needs that is looked at */
	bool made_again;
	/*
	 * A call may have been carried out whose answer nobody has: an instance may be there, or come. 'refused' once a
	 * repetition was: it is believed when nothing was seen until 'settled_ms'.
	 */
	bool doubt;
	int64_t settled_ms; /* boot clock */
	bool refused;
	struct plm_w_result refusal;
	struct plm_aws_pages *look;
	bool seen;
	struct plm_w_instance found; /* the best of what was seen */
	struct plm_slice found_image;
};

struct plm_ec2_flight {
	struct plm_ec2_effect *effect;
	struct plm_ec2_flight *prev, *next; /* of all in the same state */
	struct plm_ec2_flight *line; /* behind it in its batch or queue; terminate.c, tags.c */
	enum plm_ec2_flight_state state;
	enum plm_call call;
	uint64_t intent;
	char key[PLM_INTENT_KEY_SIZE];
	struct plm_slice frozen; /* owned */
	int64_t deadline_ms;	 /* wall; PLM_UNSET */
	struct plm_backoff backoff;
	int64_t due_ms; /* boot clock; WAITING */
	bool told_unknown, told_retryable;
	struct plm_arena arena;	   /* a launch's, from its first try on */
	struct plm_aws_sent *sent; /* of this flight alone */
	char id[PLM_EC2_ID_SIZE];  /* of the instance: terminate, tag */
	bool alone;		   /* terminate: its id goes in a call of its own */
	int64_t unknown_since_ms;  /* EC2 does not know the instance; 0 = it has not said so */
	struct plm_ec2_launch_try launch;
};

/* ---- effect.c ------------------------------------------------------------------------------------ */

struct plm_ec2_context *plm_ec2_effect_context(const struct plm_ec2_effect *effect);
struct plm_ec2_templates *plm_ec2_effect_templates(const struct plm_ec2_effect *effect);
struct plm_ec2_instances *plm_ec2_effect_instances(const struct plm_ec2_effect *effect);
int64_t plm_ec2_effect_boot_ms(const struct plm_ec2_effect *effect);
/* For the time of one step; empty at its beginning. */
struct plm_arena *plm_ec2_effect_arena(struct plm_ec2_effect *effect);

/* It is over; texts borrowed for the call. The flight is no more. */
void plm_ec2_flight_final(struct plm_ec2_flight *flight, struct plm_w_result *result,
			  const char *request_id);
/* The same with no more than a word. */
void plm_ec2_flight_ends(struct plm_ec2_flight *flight, enum plm_result_class class,
			 const char *code, const char *message);
/*
 * It could not be carried out now (RETRYABLE) or is not known to be (UNKNOWN): told once, and tried again.
 */
struct plm_ec2_later {
	enum plm_result_class class;
	const char *code, *message;
	int64_t wait_ms; /* PLM_UNSET = as it is usual */
	int64_t most_ms; /* and not longer than this; 0 = no bound */
};
void plm_ec2_flight_later(struct plm_ec2_flight *flight, const struct plm_ec2_later *later);
/* By the class of an answer that is neither done nor refused. */
void plm_ec2_flight_failed(struct plm_ec2_flight *flight, const struct plm_aws_answer *answer);
/* EC2 does not know the instance: gone for good, or not visible yet. True: believe it. */
bool plm_ec2_flight_gone(struct plm_ec2_flight *flight);
/* Its typed request, in 'arena'. */
const void *plm_ec2_flight_request(const struct plm_ec2_flight *flight, struct plm_arena *arena);

/* ---- those that carry out ------------------------------------------------------------------------ */

/* launch.c, settle.c */
void plm_ec2_launch_go(struct plm_ec2_flight *flight);
void plm_ec2_launch_cancel(struct plm_ec2_flight *flight);
/* Look for the instance by tag; ends in plm_ec2_launch_looked(). */
void plm_ec2_settle_look(struct plm_ec2_flight *flight);
void plm_ec2_launch_looked(struct plm_ec2_flight *flight, const struct plm_aws_answer *answer);

/* terminate.c */
struct plm_ec2_terminate; /* opaque */
struct plm_ec2_terminate *plm_ec2_terminate_new(struct plm_ec2_effect *effect, uv_loop_t *loop);
void plm_ec2_terminate_free(struct plm_ec2_terminate *terminate); /* before the flights */
void plm_ec2_terminate_go(struct plm_ec2_terminate *terminate, struct plm_ec2_flight *flight);

/* tags.c */
struct plm_ec2_tagging; /* opaque */
struct plm_ec2_tagging *plm_ec2_tagging_new(struct plm_ec2_effect *effect, uv_loop_t *loop);
void plm_ec2_tagging_free(struct plm_ec2_tagging *tagging); /* before the flights */
void plm_ec2_tagging_go(struct plm_ec2_tagging *tagging, struct plm_ec2_flight *flight);

#endif
