/*
 * open_list.h - the open claims of a pass in the order of trial
 *
 * Owns: the order (claims with fewest pods first; karpenter.md 2.5), which claims are open, what they
 * refused, in the arena of the pass. Does not: know why something was refused.
 */
#ifndef PLM_REDUCERS_PROVISION_OPEN_LIST_H
#define PLM_REDUCERS_PROVISION_OPEN_LIST_H

#include "core/base.h"

struct plm_pass;
struct plm_open;

/* Sites: claims between which topology makes no difference, host names apart. */
#define PLM_OPEN_SITES 62U
#define PLM_OPEN_SITE_ANY 62U  /* not told apart */
#define PLM_OPEN_SITE_OPEN 63U /* not looked at yet */

/* What claims said to one try, bits by claim. */
struct plm_open_row {
	uint64_t *never;  /* no for good */
	uint64_t *passed; /* thrifty: no until the claim changes */
	uint32_t words;
	uint32_t seen; /* changes of claims that the row knows of */
};

struct plm_open_link {
	uint32_t next, prev; /* claims with as many pods: index + 1, 0 = none */
	uint32_t pods;
	uint32_t site;
	int64_t rank; /* grows along the list */
};

struct plm_open_ends {
	uint32_t first, last; /* index + 1, 0 = none */
};

struct plm_open_list {
	struct plm_open_link *links; /* by claim */
	uint64_t *open;		     /* bits by claim */
	uint32_t words;		     /* of bits by claim: there is room for as many claims */
	struct plm_open_ends *ends;  /* by number of pods */
	uint64_t *some;		     /* bits by number of pods: the list is not empty */
	uint32_t ends_room;
	int64_t front, back;	   /* ranks given last */
	struct plm_open_row *rows; /* by try */
	uint32_t *changed;	   /* claims whose price or room changed, in order */
	uint32_t changed_count, changed_room;
};

/* A claim that was opened just now; pass->claims has it afterwards. */
void plm_opens_add(struct plm_pass *pass, struct plm_open *claim);
/* It got one pod more. */
void plm_opens_grew(struct plm_pass *pass, const struct plm_open *claim);
/* Its requirements changed. */
void plm_opens_narrowed(struct plm_pass *pass, const struct plm_open *claim);
/* Its price or room changed: whoever was passed over may ask again. */
void plm_opens_changed(struct plm_pass *pass, const struct plm_open *claim);
/* It refuses 'try' for good, or until it changes. */
void plm_opens_never(struct plm_pass *pass, uint32_t try, const struct plm_open *claim);
void plm_opens_pass_over(struct plm_pass *pass, uint32_t try, const struct plm_open *claim);

/* One look at all claims that may take a pod of one try; ends with the first that did. */
struct plm_open_walk {
	struct plm_pass *pass;
	struct plm_open_row *row;
	uint64_t sites; /* bits: sites that said no */
	uint32_t left;	/* candidates; as many as FEW when there are more */
	bool few, begun;
	uint32_t next; /* index + 1 */
	uint32_t pods; /* where the walk is */
	int64_t rank;
};
struct plm_open_walk plm_opens_walk(struct plm_pass *pass, uint32_t try);
struct plm_open *plm_opens_next(struct plm_open_walk *walk);
/* The claim's site said no: no other claim there is asked. */
void plm_opens_not_there(struct plm_open_walk *walk, const struct plm_open *claim);

#endif
