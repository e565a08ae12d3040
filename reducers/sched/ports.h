/*
 * ports.h - host ports: two pods on one node must not want the same (karpenter.md 2.10)
 */
#ifndef PLM_REDUCERS_SCHED_PORTS_H
#define PLM_REDUCERS_SCHED_PORTS_H

#include "reducers/sched/known.h"

/* Ports taken on a node or claim: a list of spans of plm_port. */
struct plm_ports {
	const struct plm_ports *next; /* arena */
	plm_sym span;
};

/* Do two spans of plm_port want the same port on overlapping addresses? */
bool plm_ports_conflict(const struct plm_sched *sched, plm_sym a, plm_sym b);
/* Does 'span' conflict with any of the 'taken' (may be NULL)? */
bool plm_ports_taken(const struct plm_sched *sched, const struct plm_ports *taken, plm_sym span);
/* 'taken' with 'span' before it. */
const struct plm_ports *plm_ports_add(const struct plm_sched *sched, const struct plm_ports *taken,
				      plm_sym span);

#endif
