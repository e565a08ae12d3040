/*
 * marks.h - sets of workloads that passes look at, so that none has to read the whole table
 *
 * Owns: a bit per workload slot and mark. Most are functions of the slot and its job: whoever asks to
 * write a slot (plm_slot_edit()) leaves a note, and plm_marks_settle() works the notes off at the end of
 * each event. OUTSIDE follows the queue index, STICKY whoever writes it. Does not: decide anything, write the image.
 *
 * Outside the image: made anew after a load. Iteration is in slot order, as over the table itself, so a
 * pass over marked slots gives what a pass over all of them gives. The slow twin is plm_marks_check().
 */
#ifndef PLM_CORE_MARKS_H
#define PLM_CORE_MARKS_H

#include "core/tables.h"

struct plm_state;

enum plm_mark {
	PLM_MARK_LIVE,	    /* any workload */
	PLM_MARK_BEGUN,	    /* not pending: it holds quota, or is finished */
	PLM_MARK_HOLDING,   /* it holds quota */
	PLM_MARK_RESERVED,  /* it holds quota, and its checks are open */
	PLM_MARK_OUTSIDE,   /* pending, and in no queue */
	PLM_MARK_BACKOFF,   /* pending, parked, and something besides room must come first */
	PLM_MARK_LOOSE,	    /* its job is not suspended though it does not hold quota as admitted */
	PLM_MARK_PLACES,    /* places are reserved for it */
	PLM_MARK_TRIED,	    /* flavors had no capacity for it, or it asks politely */
	PLM_MARK_PREEMPTED, /* it knows who preempts it */
	PLM_MARK_INACTIVE,  /* pending, and deactivated by us */
	PLM_MARK_STICKY,    /* a ClusterQueue may have promised it something */
	PLM_MARK_UNMADE,    /* its job is to have a Workload object, and none was asked for */
	PLM_MARK_UNWRITTEN, /* its object does not say what became of it, and no write is under way */
	PLM_MARK_UNSAID,    /* its object does not say why it waits, likewise */
	PLM_MARK_COUNT,
};
#define PLM_MARKED(mark) (1U << (mark))

struct plm_marks {
	uint64_t *words; /* owned; PLM_MARK_COUNT in a row for each 64 slots */
	uint32_t count;	 /* groups of 64 slots */
	/* Slots that were written since the last settling: workloads, then jobs. */
	uint32_t *noted[2]; /* owned */
	uint32_t noted_count[2], noted_capacity[2];
};

void plm_marks_fini(struct plm_marks *marks);
/* Make all anew from the tables; OUTSIDE is the queue index's to set again. */
void plm_marks_rebuild(struct plm_state *st);

/* A slot of a workload or job is about to be written: called by plm_slot_edit(). */
void plm_marks_note_workload(struct plm_state *st, plm_id id);
void plm_marks_note_job(struct plm_state *st, plm_id id);
void plm_marks_settle(struct plm_state *st);
void plm_marks_put(struct plm_state *st, plm_id workload, enum plm_mark mark, bool on);
bool plm_marks_has(const struct plm_state *st, plm_id workload, enum plm_mark mark);

/*
 * The next workload after 'id' with any of 'marks' (PLM_MARKED()), 0 at the end. Marks must be settled
 * when it begins; what is written on the way is noted and changes no mark before the next settling.
 */
plm_id plm_marks_next(const struct plm_state *st, plm_id id, uint32_t marks);

#define PLM_EACH_MARKED(st, marks, id)                                                             \
	for (plm_id id = plm_marks_next((st), (plm_id){0}, (marks)); id.n != 0;                    \
	     id = plm_marks_next((st), id, (marks)))

/* Assert that the marks are those that a rebuild makes. */
void plm_marks_check(const struct plm_state *st);

#endif
