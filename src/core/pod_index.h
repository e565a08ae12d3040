/*
 * pod_index.h - which pods stand where, so that planning need not read all of them
 *
 * Owns: per name of a node or claim the lists of pods that are bound there and that are expected there;
 * a bit for each pod that is neither bound nor over; names whose node, claim or pods changed since
 * somebody last asked. Does not: decide anything, write the image.
 *
 * Whoever asks to write a slot of a pod, node or claim (plm_slot_edit()) leaves a note, and
 * plm_pod_index_settle() works the notes off at the end of each event. Outside the image: made anew
 * after a load. The order within lists is never seen by a decision. The slow twin is
 * plm_pod_index_check().
 */
#ifndef PLM_CORE_POD_INDEX_H
#define PLM_CORE_POD_INDEX_H

#include "core/arena.h"
#include "core/tables.h"

struct plm_state;

enum plm_pod_side {
	PLM_SIDE_BOUND,
	PLM_SIDE_EXPECTED,
	PLM_SIDES
};

/* A pod in the lists of its two sides: cell and neighbours + 1, 0 = none. */
struct plm_pod_link {
	uint32_t cell[PLM_SIDES], next[PLM_SIDES], prev[PLM_SIDES];
	plm_sym shape;	  /* whose requests are in the sums of 'counted' */
	uint32_t counted; /* cell, 0 = none */
	uint32_t running; /* 1: bound and not over */
	uint32_t keeps;	  /* 1: it holds a place and keeps others away from there */
};

/* Resources that are summed up: all others are looked at when it comes to that. */
enum {
	PLM_SUM_CPU,
	PLM_SUM_MEMORY,
	PLM_SUM_PODS,
	PLM_SUMS
};

/* The pods of one node or claim, known by its name. */
struct plm_pod_cell {
	plm_sym name;
	uint32_t is_claim;
	plm_id slot;		   /* the node or claim, 0 = there is none */
	uint32_t first[PLM_SIDES]; /* pod slot, 0 = none */
	uint32_t running;	   /* bound and not over */
	uint32_t changed;	   /* 1: it is in the list of those that changed */
	uint32_t listed;	   /* 1: it is in the list of names */
	/* The owner's of this index, true until the cell changes. */
	uint32_t note;
	plm_id peer;
	int64_t room[PLM_SUMS];
	/* At most what pods that run there, or are expected and not bound, ask for. */
	int64_t used[PLM_SUMS];
};

struct plm_pod_index {
	struct plm_pod_link *links; /* owned, by pod slot */
	uint32_t link_count;
	uint64_t *waits; /* owned, bits by pod slot: not bound, not over */
	uint32_t wait_words;
	struct plm_pod_cell *cells; /* owned; cell 0 is none */
	uint32_t cell_count, cell_room;
	uint32_t *hash; /* owned, open addressing: cell, 0 = empty */
	uint32_t hash_mask;
	uint32_t *
		names; /* owned: cells that have a slot, by name, nodes first; then those that came */
	uint32_t name_count, name_room, name_sorted;
	plm_sym cpu, memory;
	uint32_t *changed; /* owned: cells */
	uint32_t changed_count, changed_room;
	/* Slots of pods, nodes and claims written since the last settling; cells of their names. */
	uint32_t *noted[4]; /* owned */
	uint32_t noted_count[4], noted_room[4];
	uint32_t keepers; /* pods with 'keeps' */
	bool filled;	  /* false after a load, and until somebody asks for it */
};

void plm_pod_index_fini(struct plm_pod_index *index);
/* Make it from the tables when it is not filled. */
void plm_pod_index_fill(struct plm_state *st);
/* A slot of a pod, node or claim is about to be written: called by plm_slot_edit(). */
void plm_pod_index_note_pod(struct plm_state *st, plm_id id);
void plm_pod_index_note_node(struct plm_state *st, plm_id id);
void plm_pod_index_note_claim(struct plm_state *st, plm_id id);
void plm_pod_index_settle(struct plm_state *st);
/* Is it filled, and no pod was written since the last settling? */
bool plm_pod_index_true(const struct plm_state *st);
/* The cell of a name, 0 when nothing of it was ever seen. */
uint32_t plm_pod_index_cell(const struct plm_state *st, plm_sym name, bool is_claim);
/* Put the list of names in order, and take those off it that have no slot any more. */
void plm_pod_index_sort(struct plm_state *st, struct plm_arena *scratch);
/* Forget what has changed. */
void plm_pod_index_taken(struct plm_state *st);
/* The pod after 'pod' in the list of 'cell', the first after 0; 0 at the end. */
plm_id plm_pod_index_next(const struct plm_state *st, uint32_t cell, enum plm_pod_side side,
			  plm_id pod);

/* The pod after 'id' that is neither bound nor over, by slot; any pod when the index is not filled. */
plm_id plm_pod_index_waiting(const struct plm_state *st, plm_id id);
#define PLM_EACH_WAITING(st, id)                                                                   \
	for (plm_id id = plm_pod_index_waiting((st), (plm_id){0}); id.n != 0;                      \
	     id = plm_pod_index_waiting((st), id))

/* Assert that it is what plm_pod_index_fill() makes. */
void plm_pod_index_check(const struct plm_state *st);

#endif
