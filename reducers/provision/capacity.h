/*
 * capacity.h - what the types of the catalogue have under one class
 *
 * Owns: the way from a NodePool's class to what the scheduler counts with. The catalogue is a fact per
 * region; an EC2NodeClass changes pods, memory, storage and interfaces of its types (karpenter.md 4.4).
 * That is derived on demand by ec2/capacity.h, never stored: types without facts of EC2 (a catalogue
 * file) hold for every class as they are. And the least memory that nodes of a type were seen to have,
 * which then stands for the estimate.
 */
#ifndef PLM_REDUCERS_PROVISION_CAPACITY_H
#define PLM_REDUCERS_PROVISION_CAPACITY_H

#include "ec2/capacity.h"
#include "reducers/cluster/parts.h"

/* False: the class leaves the type as the catalogue has it, and 'out' is untouched. */
bool plm_capacity_under(const struct plm_state *st, plm_id type, plm_id class_id,
			struct plm_ec2_amounts *out);

/* The amounts of 'type' for an instance of 'class_id', as a span: capacity or allocatable. */
plm_sym plm_capacity_span(const struct plm_fold *fold, plm_id type, plm_id class_id,
			  bool allocatable);

/* What an offering of 'type' costs by the catalogue, which may be PLM_UNSET; false: there is no such offering. */
struct plm_bought_at {
	plm_sym zone, capacity_type, reservation;
};
bool plm_capacity_price(const struct plm_state *st, plm_id type, struct plm_bought_at at,
			int64_t *out);

/* 'node' came or changed: how much memory has it? */
void plm_capacity_see(struct plm_state *st, plm_id node);

#endif
