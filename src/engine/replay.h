/*
 * replay.h - read a log back: fold it to a point, or recompute every decision
 *
 * Owns: joining PARTs, decoding, the comparison of recorded with recomputed decisions, HASH points.
 * Reads through the log's cursor only, so what it sees was verified. Sources: eventsourcing.md
 * D20, D21; CLI contract of `replay`, `state`, `get`, `why`.
 */
#ifndef PLM_ENGINE_REPLAY_H
#define PLM_ENGINE_REPLAY_H

#include "core/state.h"
#include "hash/hash.h"
#include "store/log.h"

/* An event as the log holds it, PARTs joined. Borrowed until the next call. */
struct plm_logged {
	struct plm_envelope envelope;	   /* payload: joined */
	const struct plm_event_info *info; /* never NULL */
	const void *payload;		   /* decoded wire struct */
	struct plm_slice object_hash;	   /* FACT: 32 bytes or empty */
	struct plm_slice projection;	   /* the bytes that fingerprints compare */
	bool last_of_frame;
	struct plm_log_head head; /* of the log as of the end of its frame */
};

/* As reducers are told of it. */
static inline struct plm_event plm_logged_event(const struct plm_logged *logged)
{
	return (struct plm_event){
		.seq = logged->envelope.seq,
		.wall_ns = logged->envelope.wall_ns,
		.tick_ms = logged->envelope.tick_ms,
		.cause = logged->envelope.cause,
		.type = logged->envelope.type,
		.payload = logged->payload,
	};
}

struct plm_reader; /* opaque: a cursor that joins and decodes */

/* Before event 'from': its PARTs, which stand before it, are read with it. */
enum plm_code plm_reader_open(struct plm_log *log, uint64_t from, struct plm_reader **out,
			      struct plm_error *err) PLM_MUST_CHECK;
/* PLM_E_NOT_FOUND at the end; PLM_E_CORRUPT, PLM_E_VERSION (newer fmt, schema or bundle). */
enum plm_code plm_reader_next(struct plm_reader *reader, struct plm_logged *out,
			      struct plm_error *err) PLM_MUST_CHECK;
void plm_reader_close(struct plm_reader *reader); /* NULL-safe */

struct plm_fold_options {
	const char *
		snapshots; /* the log's folder, to start from a snapshot there; NULL = from the start */
	uint64_t to;	   /* fold up to and with this seq; UINT64_MAX = the end */
	bool recompute; /* decide again and compare with what is recorded */
	uint64_t
		snapshot_max; /* with 'snapshots': the newest that may be used; 0 = no bound but 'to' */
	void (*ignored)(void *ctx, const char *text); /* told of snapshots that do not count */
	void (*progress)(void *ctx, uint64_t seq);    /* now and then; may be NULL */
	void *ctx;
};

struct plm_fold_report {
	uint64_t events, cycles, decisions;
	uint64_t from;	   /* first seq folded: 1, or after the snapshot that was used */
	uint64_t last;	   /* seq reached */
	uint64_t diverged; /* recompute: seq of the first event that differs; 0 = none */
	char difference[256];
	struct plm_hash128 state_hash;
	uint64_t last_wall_ns, last_tick_ms;
	uint64_t since_hash; /* events after the last HASH */
};

/*
 * Fold 'log' into the empty state 'st'. A divergence ends the fold and is a report, not an error.
 * PLM_E_NOT_FOUND: 'to' lies beyond the end.
 */
/* The engine's fold of one logged event: what live, replay and tests share. */
void plm_fold_event(struct plm_state *st, const struct plm_logged *logged,
		    struct plm_arena *scratch);

enum plm_code plm_fold(struct plm_log *log, const struct plm_fold_options *options,
		       struct plm_state *st, struct plm_fold_report *out,
		       struct plm_error *err) PLM_MUST_CHECK;

#endif
