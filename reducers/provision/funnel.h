/*
 * funnel.h - what stands between a pod without a place and each node that a pool could make
 *
 * Owns: the *gates* of a pool for one pod of a shape: every rule that has a say in whether a new node
 * could hold it, each judged by itself, as if all the others held. From them come the funnel (what is
 * left of the pool's types after each gate, ux.md 2.4) and the rule that an explanation names: the one that
 * took the last candidates. What would lift the gates: lift.h. Everything lives in the pass's arena.
 * Does not: pack, write events, compose sentences.
 *
 * Each cause is told once. A type that the pool's own requirements exclude is not held against the pod's
 * on the same label; where pool and pod both allow the type but not the same value of it, that is the pod's
 * gate; offerings are looked at only where the requirements hold, stock only where there is an offering. So a
 * type that exactly one gate stops would do once that gate is open.
 */
#ifndef PLM_REDUCERS_PROVISION_FUNNEL_H
#define PLM_REDUCERS_PROVISION_FUNNEL_H

#include "reducers/provision/pass.h"

struct plm_gate {
	enum plm_rule rule;
	const struct plm_req *req; /* POOL_REQUIREMENTS, REQUIREMENTS, MIN_VALUES: of this label */
	uint32_t resource;	   /* RESOURCES, POOL_LIMIT: index among the pass's resources */
	int64_t need, have;	   /* PLM_UNSET = no numbers */
	const struct plm_taint *taint;
	const struct plm_reqs *way; /* VOLUME: the first to the volumes */
	struct plm_slice detail;
	uint64_t *passes; /* types that it lets through */
	uint32_t left;	  /* after it and all before */
};

struct plm_funnel {
	const struct plm_pool *pool;
	const struct plm_ask *ask; /* in the last state of its preferences */
	const int64_t *requests;
	struct plm_reqs reqs;	  /* the pool's with the pod's */
	struct plm_slice volumes; /* where they are */
	struct plm_gate *gates;
	uint32_t count;
	uint32_t verdict; /* gate that took the last candidates; 'count' = some are left */
	uint64_t *
		stops; /* by type: bits of the gates that stop it; those from 63 on share the last */
	int64_t *lacks;	  /* by type: what is missing of all that is asked, in permille */
	uint32_t nearest; /* of the last candidates, by plm_funnel_better(); types.count = none */
};

/* The gates of 'pool' for one more pod of 'shape', after what the pass has placed. */
void plm_funnel_of(struct plm_pass *pass, struct plm_pool *pool, uint32_t shape,
		   struct plm_funnel *out);
/* Fewer gates stop type 'a' than 'b'; of equals it lacks less, then is cheaper, then is before it by name. */
bool plm_funnel_better(const struct plm_pass *pass, const struct plm_funnel *funnel, uint32_t a,
		       uint32_t b);
/* A loop: the compiler's own word for it is a call of its library, which reducers do not make. */
static inline uint32_t plm_stops(const struct plm_funnel *funnel, uint32_t type)
{
	uint32_t count = 0;

	for (uint64_t word = funnel->stops[type]; word != 0; word &= word - 1) {
		count++;
	}
	return count;
}
static inline bool plm_gate_stops(const struct plm_funnel *funnel, uint32_t gate, uint32_t type)
{
	return PLM_BIT(funnel->gates[gate].passes, type) == 0;
}
/* Price of a type's cheapest offering in stock, wherever that is; INT64_MAX = none. */
int64_t plm_funnel_price(const struct plm_pass *pass, uint32_t type);
/* What 'type' has of resource 'r' for pods, beside the daemons that the pool has on it. */
int64_t plm_funnel_room(const struct plm_pass *pass, const struct plm_pool *pool, uint32_t type,
			uint32_t r);
/* Is the nearest type of 'a' nearer than that of 'b'? Of equals the one whose labels the pod asks for, then the
 * one that lacks less, then the cheaper, then the pool before. */
bool plm_funnel_nearer(const struct plm_pass *pass, const struct plm_funnel *a,
		       const struct plm_funnel *b);
/* Rules that stop all types of a pool or none. */
bool plm_gate_of_pool(enum plm_rule rule);
/* "In amd64, arm64", ">= 4" */
struct plm_slice plm_req_words(const struct plm_pass *pass, const struct plm_req *req);

#endif
