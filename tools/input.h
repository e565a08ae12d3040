/*
 * input.h - where a verb reads from, and when
 *
 * Owns: opening the one source of a call (-L: a log folder or a .plog file; -f: manifests, from which a
 * log is made in memory by one decision round; in the daemon: its own log, live.h), resolving points
 * and ranges on it, folding it to a point. A log folder is read through the store's child processes, so that damage ends a verb with
 * PLM_E_CORRUPT and never by a signal.
 * Does not: print.
 */
#ifndef PLM_TOOLS_INPUT_H
#define PLM_TOOLS_INPUT_H

#include "engine/replay.h"
#include "tools/command.h"
#include "tools/point.h"

struct plm_round;

struct plm_input {
	struct plm_log *log;	 /* owned, or the round's */
	struct plm_round *round; /* owned; -f only */
	const char *snapshots;	 /* arena; folder of snapshots, NULL when there is none */
	const char *name;	 /* borrowed: how errors call it */
	struct plm_state *ready; /* borrowed: the state at 'pinned'; NULL = none, or it was taken */
	uint64_t pinned;	 /* HEAD; 0 = the end of the log */
};

/*
 * PLM_E_USAGE: neither -L nor -f, or both. PLM_E_UNREACHABLE: nothing is there. Else what the store or
 * the manifests say. 'out' need not be closed after a failure.
 */
enum plm_code plm_input_open(struct plm_cli *call, struct plm_input *out,
			     struct plm_error *err) PLM_MUST_CHECK;
void plm_input_close(struct plm_input *input); /* NULL-safe, idempotent */

/*
 * The event that 'point' names: the state just after it is meant, or just before when 'before' is set.
 * 0 (or the number before the first of a part) = before the first event. PLM_E_NOT_FOUND: it lies
 * outside; 'err' says what the range is.
 */
enum plm_code plm_input_resolve(const struct plm_input *input, const struct plm_point *point,
				bool before, uint64_t *out, struct plm_error *err) PLM_MUST_CHECK;
/*
 * --at or --before of the call, else the end. '*out_ms' is the moment where one was named, which may lie
 * behind the last event before it; PLM_UNSET otherwise.
 */
enum plm_code plm_input_at(const struct plm_cli *call, const struct plm_input *input, uint64_t *out,
			   int64_t *out_ms, struct plm_error *err) PLM_MUST_CHECK;
struct plm_seq_range {
	uint64_t after; /* A: excluded */
	uint64_t to;	/* B: included */
};
/* 'text' A..B, or one point P as P-1..P; NULL = all. */
enum plm_code plm_input_range(const struct plm_input *input, const char *text,
			      struct plm_seq_range *out, struct plm_error *err) PLM_MUST_CHECK;
/* The event that HEAD names. */
uint64_t plm_input_head(const struct plm_input *input);
/* Wall time in ms of event 'seq'; of the first event for 0. */
enum plm_code plm_input_time(const struct plm_input *input, uint64_t seq, int64_t *out_ms,
			     struct plm_error *err) PLM_MUST_CHECK;

/*
 * A reader before event 'from': where that is the end of a payload in PARTs, before the first of these.
 * PLM_E_NOT_FOUND: it lies before a part of a log.
 */
enum plm_code plm_input_reader(const struct plm_input *input, uint64_t from,
			       struct plm_reader **out, struct plm_error *err) PLM_MUST_CHECK;
/* The event 'seq', decoded into 'arena'; of a PART the event that it belongs to. */
enum plm_code plm_input_event(const struct plm_input *input, uint64_t seq, struct plm_arena *arena,
			      struct plm_logged *out, struct plm_error *err) PLM_MUST_CHECK;
/* The same for any event that a reader gave: a copy that outlives it. */
enum plm_code plm_event_keep(const struct plm_logged *event, struct plm_arena *arena,
			     struct plm_logged *out, struct plm_error *err) PLM_MUST_CHECK;

/* Fold to 'seq' into the new state 'st' (plm_state_fini() is the caller's, also after a failure). */
enum plm_code plm_input_fold(struct plm_input *input, uint64_t seq, struct plm_state *st,
			     struct plm_fold_report *report, struct plm_error *err) PLM_MUST_CHECK;

#endif
