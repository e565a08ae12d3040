/*
 * flight.h - one effect on its way, between effect.c and flight.c
 *
 * Owns: an effect from its submission to its final RESULT. effect.c says when it may go, waits between its
 * tries and tells its RESULTs; flight.c goes through the steps of one try.
 */
#ifndef PLM_ADAPTERS_KUBE_FLIGHT_H
#define PLM_ADAPTERS_KUBE_FLIGHT_H

#include "adapters/http/backoff.h"
#include "adapters/kube/effect.h"
#include "adapters/kube/encode.h"
#include "adapters/kube/known.h"
#include "adapters/kube/order.h"
#include "adapters/kube/outcome.h"

enum plm_flight_state {
	PLM_FLIGHT_LINED,   /* another effect on its object is before it */
	PLM_FLIGHT_READY,   /* it may go when there is room */
	PLM_FLIGHT_GOING,   /* a step of it is at the API server */
	PLM_FLIGHT_WAITING, /* until 'due_ms' */
};

struct plm_flight {
	struct plm_order_entry order; /* first */
	struct plm_kube_effector *effector;
	struct plm_flight *prev, *next; /* of all that are in the same state but LINED */
	enum plm_flight_state state;
	enum plm_call call;
	uint64_t intent;
	char key[PLM_INTENT_KEY_SIZE];
	struct plm_slice frozen; /* owned */
	int64_t deadline_ms;
	struct plm_backoff backoff;
	int64_t due_ms; /* boot clock; WAITING */
	uint32_t tries; /* that ended in WAIT */
	uint32_t steps; /* of this try */
	uint32_t conflicts;
	bool told_unknown, told_retryable;
	bool wrote;	 /* a write of ours was answered as done */
	bool name_taken; /* a create of this try was */
	struct plm_read_object reads[PLM_READ_COUNT];
	struct plm_step step; /* at the API server; texts are not kept */
	struct plm_kube_sent *sent;
};

/* How it ended, or that it waits; texts borrowed for the call. */
struct plm_flight_end {
	bool final;
	enum plm_result_class class;
	struct plm_slice code, message;
	int64_t wait_ms; /* !final: PLM_UNSET = as it is usual */
	bool quiet;	 /* !final: nothing failed, it is but not yet time */
};

/* ---- flight.c ------------------------------------------------------------------------------------ */

struct plm_flight *plm_flight_new(struct plm_kube_effector *effector,
				  const struct plm_effect *effect);
void plm_flight_free(struct plm_flight *flight); /* cancels what is under way */
/* Begin a try. Ends in plm_effector_ended(), perhaps at once. */
void plm_flight_go(struct plm_flight *flight);

/* ---- effect.c ------------------------------------------------------------------------------------ */

struct plm_kube_client *plm_effector_client(const struct plm_kube_effector *effector);
struct plm_known_table *plm_effector_known(struct plm_kube_effector *effector);
/* For one step; empty at its beginning. */
struct plm_arena *plm_effector_arena(struct plm_kube_effector *effector);
int64_t plm_effector_wall_ms(const struct plm_kube_effector *effector);
void plm_effector_ended(struct plm_flight *flight, const struct plm_flight_end *end);

#endif
