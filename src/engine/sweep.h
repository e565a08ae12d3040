/*
 * sweep.h - what a complete list of a kind no longer shows is gone
 *
 * Owns: one bit per slot and kind while a list of that kind is told: set by each fact of the kind, dropped
 * as a duplicate or not, and by STANDS (ports.h). At its end the objects without a mark that are known
 * from facts are gone; those that are known from decisions only wait for theirs. Bits are neither logged
 * nor hashed nor part of the state: what the list told is in the log, so are the GONE events made of it,
 * and after a restart the list begins anew. Works for objects that went while nobody looked.
 */
#ifndef PLM_ENGINE_SWEEP_H
#define PLM_ENGINE_SWEEP_H

#include "core/state.h"

struct plm_sweep {
	uint64_t *seen; /* owned; a bit per slot */
	uint32_t words;
	bool open;   /* a list is being told */
	bool swept;  /* it has made something gone */
	bool listed; /* one was told whole in this process */
	plm_id at;   /* where the search for what is gone goes on */
};

#define PLM_SWEEP_ONE(name, text) +1
struct plm_sweeps {
	struct plm_sweep kinds[PLM_KIND_LIST(PLM_SWEEP_ONE)];
};
#undef PLM_SWEEP_ONE

void plm_sweeps_fini(struct plm_sweeps *sweeps);

/* A list of 'kind' begins; what one before it showed is forgotten. */
void plm_sweep_begin(struct plm_sweeps *sweeps, enum plm_kind kind);
/* Is one being told? */
bool plm_sweep_open(const struct plm_sweeps *sweeps, enum plm_kind kind);
void plm_sweep_mark(struct plm_sweeps *sweeps, enum plm_kind kind, plm_id id);
/* The next object of 'kind' that the list did not show, 0 at the end. The caller takes it out of 'st'. */
plm_id plm_sweep_next(struct plm_sweeps *sweeps, const struct plm_state *st, enum plm_kind kind);
/* What a list was that has ended. */
struct plm_sweep_end {
	bool first; /* of its kind in this process */
	bool swept; /* it made something gone */
};
struct plm_sweep_end plm_sweep_end(struct plm_sweeps *sweeps, enum plm_kind kind);

#endif
