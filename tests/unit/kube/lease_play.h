/*
 * lease_play.h - an API server with one Lease, and time, both played
 *
 * Defines plm_kube_send(), plm_kube_cancel() and libuv's timers, so that minutes pass in no time and every
 * order of answers can be had. One world at a time.
 */
#ifndef PLM_TESTS_LEASE_PLAY_H
#define PLM_TESTS_LEASE_PLAY_H

#include "adapters/kube/lease.h"

/* What becomes of the calls from now on. */
enum play_fault {
	PLAY_NONE,
	PLAY_UNSENT,	/* refused before anything left */
	PLAY_THROTTLED, /* 429 */
	PLAY_LOST,	/* carried out, answered UNKNOWN */
	PLAY_BROKEN,	/* not carried out, answered UNKNOWN */
	PLAY_SILENT,	/* carried out, never answered */
	PLAY_DENIED,
};

void play_start(void);
/* Ends what is left of calls and timers. */
void play_stop(void);
int64_t play_now(void);
struct plm_clock play_clock(void);
/* Let time pass: timers and answers in their order. */
void play_run(int64_t time_ms);

void play_fault(enum play_fault fault);
/* Chosen anew for every call by 'seed', with delays up to 'delay_ms'; 0 ends it. */
void play_weather(uint64_t seed, int64_t delay_ms);
void play_delay(int64_t delay_ms); /* of every answer */

/* The Lease as it is, NULL = none; text is valid until the next change. */
const char *play_lease(void);
void play_set_lease(const char *json); /* with any resourceVersion; NULL deletes */
/* The holder renews it: only renewTime changes. */
void play_renew(void);
/* A text of spec or metadata.annotations, "" = none. Static, until the next call. */
const char *play_spec(const char *name);
const char *play_annotation(const char *name);

struct play_counts {
	uint32_t gets, creates, updates, conflicts, cancelled;
};
struct play_counts play_counts(void);

#endif
