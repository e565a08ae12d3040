/*
 * agree.h - would we have decided what a peer decided?
 *
 * Owns: finding in the facts of a log what Kueue and Karpenter did (a Workload let in or preempted, a
 * NodeClaim made or removed), asking on the state just before what we would have done (engine/shadow.h), and
 * counting how the two compare. A function of the log: the same log gives the same report.
 *
 * What is "same": let in with the same flavors; preempted; a claim of a pool that we would have bought from
 * too; the same claim removed. "later" is the same, but more than PLM_AGREE_LATE_MS after we would have.
 * "onlyUs" was wanted by us for that long and did not come; "onlyThem" was not wanted by us at that point.
 * Decisions of our own (areas that are enforced) are not compared. Source: exact.md 9 (Observe).
 */
#ifndef PLM_TOOLS_AGREE_H
#define PLM_TOOLS_AGREE_H

#include "engine/replay.h"
#include "engine/shadow.h"

#define PLM_AGREE_LATE_MS 10000
/* Differences that are kept for the report; of more only the number is. */
#define PLM_AGREE_KEPT 1000

enum plm_agree_what {
	PLM_AGREE_ADMISSION,
	PLM_AGREE_PREEMPTION,
	PLM_AGREE_CLAIM,
	PLM_AGREE_REMOVAL,
	PLM_AGREE_WHATS,
};
enum plm_agree_how {
	PLM_AGREE_SAME,
	PLM_AGREE_OTHER, /* other flavors */
	PLM_AGREE_LATER,
	PLM_AGREE_ONLY_US,
	PLM_AGREE_ONLY_THEM,
	PLM_AGREE_HOWS,
};
extern const char *const plm_agree_what_names[PLM_AGREE_WHATS];
extern const char *const plm_agree_how_names[PLM_AGREE_HOWS];

struct plm_agree_row {
	uint64_t seq;
	int64_t at_ms;
	enum plm_agree_what what;
	enum plm_agree_how how;
	struct plm_slice ns, name, theirs, ours;
};

struct plm_agree; /* opaque */

enum plm_code plm_agree_new(struct plm_agree **out, struct plm_error *err) PLM_MUST_CHECK;
void plm_agree_free(struct plm_agree *agree); /* NULL-safe */
/* 'logged' is about to be folded into 'st'. */
enum plm_code plm_agree_event(struct plm_agree *agree, const struct plm_state *st,
			      const struct plm_logged *logged,
			      struct plm_error *err) PLM_MUST_CHECK;
/* After the last event. */
void plm_agree_end(struct plm_agree *agree);

uint64_t plm_agree_count(const struct plm_agree *agree, enum plm_agree_what what,
			 enum plm_agree_how how);
/* Differences in the order of the log; borrowed. */
const struct plm_agree_row *plm_agree_rows(const struct plm_agree *agree, size_t *count);

#endif
