/*
 * volumes.h - where a pod's volumes can be used, and how many a node can attach
 *
 * Owns: the look at claims, volumes and classes (karpenter.md 2.1, 2.10), the ways in which all volumes
 * of a pod can be reached, and what is attached to the nodes that are there (2.6). Does not: place pods.
 *
 * A *use* is one volume of a pod. A *set* is what a pod's uses come to: its *ways*, one of which must
 * hold where it goes, and what it attaches. Pods whose claims differ but ask for the same share a set,
 * and with it their tries: the replicas of a StatefulSet in one zone cost little more than one.
 */
#ifndef PLM_REDUCERS_PROVISION_VOLUMES_H
#define PLM_REDUCERS_PROVISION_VOLUMES_H

#include "core/out.h"
#include "reducers/sched/requirement.h"

/* Whose volumes they are. 'bound': the pod stands on a node and will be made anew. */
struct plm_volume_owner {
	plm_sym ns, name; /* no name: a pod of a template, which does not exist yet */
	bool bound;
	plm_sym uses; /* span of plm_volume_use */
};

/* What one use comes to; ids are 0 where there is none. */
struct plm_volume_view {
	struct plm_slice name; /* of the claim */
	plm_id claim, volume, class_id;
	plm_sym driver;	      /* 0: nothing that attaches */
	plm_sym terms;	      /* span of plm_term, one of which must hold; 0 = none */
	bool local;	      /* host names in the terms do not count */
	bool own;	      /* nobody else can use it */
	bool astray;	      /* something it names is not there */
	enum plm_rule refuse; /* why no pod that pends may use it; PLM_RULE_NONE = it may */
};

struct plm_volume_owner plm_volume_owner_of(const struct plm_sched *sched,
					    const struct plm_pod *pod);
void plm_volume_look(const struct plm_sched *sched, const struct plm_volume_owner *owner,
		     const struct plm_volume_use *use, struct plm_volume_view *out);
/* Why a pending pod is not looked at; PLM_RULE_NONE = its volumes do not stand in the way. */
enum plm_rule plm_volumes_refuse(const struct plm_sched *sched, const struct plm_pod *pod);
/* The same as operands: 'object' the claim, 'detail' the volume, class or driver that it is about. */
void plm_volumes_explain(const struct plm_sched *sched, const struct plm_volume_owner *owner,
			 struct plm_w_explain *out);
/* Does 'rule' speak of claims? Then plm_volumes_explain() has its operands. */
bool plm_rule_of_volumes(enum plm_rule rule);
/* "data-0 in us-west-2a, logs-0 in us-west-2b": uses that are not reached from everywhere. */
struct plm_slice plm_volumes_places(const struct plm_sched *sched,
				    const struct plm_volume_owner *owner);

/* ---- of a pass (volume_sets.c, volume_rooms.c) ----------------------------------------------- */

/* Volumes of one driver that a pod attaches: 'own' that no other pod uses, and those that one may. */
struct plm_volume_load {
	plm_sym driver;
	uint32_t own;
	uint32_t shared_count;
	const plm_id *shared; /* claims */
};

struct plm_volume_set {
	const uint32_t *key;
	uint32_t key_count;
	const struct plm_reqs *ways;
	uint32_t way_count; /* 0: anywhere */
	const struct plm_volume_load *loads;
	uint32_t load_count;
	enum plm_rule refuse; /* no place can do: PLM_RULE_NONE = some may */
	bool astray;	      /* strict: Karpenter knew nothing of its volumes and topology */
	bool no_seats;	      /* strict: and no node that is there is tried */
};

/* What a node can attach of one driver. */
struct plm_volume_room {
	plm_sym driver;
	int64_t limit, used;
	plm_id *shared; /* claims of 'used' that more pods may use */
	uint32_t shared_count, shared_room;
};

struct plm_volume_rooms {
	struct plm_volume_room *list;
	uint32_t count;
};

struct plm_pass;
struct plm_seat;
struct plm_volume_sets;

/* The set of 'owner', index + 1; 0 = it has no volumes that count. */
uint32_t plm_volume_set_of(struct plm_pass *pass, const struct plm_volume_owner *owner);
/* What 'owner' attaches, by driver. */
const struct plm_volume_load *
plm_volume_loads(struct plm_pass *pass, const struct plm_volume_owner *owner, uint32_t *count);
/* NULL for 0. */
const struct plm_volume_set *plm_volume_set_at(const struct plm_pass *pass, uint32_t set);
/*
 * What is left of '*reqs' where 'way' is to hold, too; untouched when it does already. 'known_ok' as for
 * plm_reqs_compatible(). False: nothing.
 */
bool plm_volume_join(const struct plm_pass *pass, const struct plm_reqs *way, bool known_ok,
		     struct plm_reqs *reqs);
/* Does a way to the volumes of set 'set' (index + 1) lead to the seat? */
bool plm_volume_seat_reached(const struct plm_pass *pass, const struct plm_seat *seat,
			     uint32_t set);
/* Limits of a seat's drivers; nothing when no volume matters to this pass. */
void plm_volume_seat(struct plm_pass *pass, struct plm_seat *seat);
/* 'owner' stands or is expected on 'seat'. */
void plm_volume_seat_take(struct plm_pass *pass, struct plm_seat *seat,
			  const struct plm_volume_owner *owner);
/* Can the seat attach what pods of set 'set' (index + 1) use? */
bool plm_volume_seat_fits(const struct plm_pass *pass, const struct plm_seat *seat, uint32_t set);
void plm_volume_seat_add(struct plm_pass *pass, struct plm_seat *seat, uint32_t set);

#endif
