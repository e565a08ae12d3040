/*
 * reflector.h - one resource: its list, its watch, how its calls end; nobody but reflect*.c includes it
 *
 * reflector.c sends and takes in, reflector_end.c says what follows when a call has ended, reflect.c has them
 * all, and the time.
 */
#ifndef PLM_ADAPTERS_KUBE_REFLECTOR_H
#define PLM_ADAPTERS_KUBE_REFLECTOR_H

#include "adapters/http/backoff.h"
#include "adapters/kube/reflect.h"

#define PLM_REFLECT_FIRST (PLM_KUBE_RES_NONE + 1)
#define PLM_REFLECT_END PLM_KUBE_RES_EVENTS /* call.h: those from here on are not watched */
#define PLM_REFLECT_NEVER INT64_MAX

enum plm_reflect_phase {
	PHASE_IDLE,   /* its turn has not come */
	PHASE_WAIT,   /* for 'due_ms': then a list, or the watch goes on */
	PHASE_STREAM, /* a watch that tells all objects first */
	PHASE_PAGES,  /* a page of a list */
	PHASE_WATCH,
	PHASE_ABSENT, /* the server does not have this resource */
	PHASE_ENDED,  /* a call outside the table: never again */
};

/* What has to be told before anything else is done. */
enum plm_reflect_owed {
	OWED_NONE,
	OWED_BEGIN,
	OWED_LISTED,
	OWED_ABSENT, /* that a list begins, of a resource that is not there */
};

/* How a call ended, kept while objects of it wait for the inbox. */
struct plm_reflect_ending {
	enum plm_kube_fate fate;
	int64_t retry_after_ms;
	char message[256];
};

struct plm_reflector {
	struct plm_kube_reflect *all;
	enum plm_kube_resource_id id;
	enum plm_reflect_phase phase;
	enum plm_reflect_owed owed;
	struct plm_split *split;    /* owned */
	struct plm_kube_sent *sent; /* under way, else NULL */
	struct plm_reflect_ending ending;
	bool ended;	  /* the call has, its objects wait */
	bool paused;	  /* the answer is held back */
	bool refused;	  /* we ended the answer ourselves */
	bool listing;	  /* what is tried is a list; else the watch goes on */
	bool by_pages;	  /* the server does not stream lists */
	bool whole_pages; /* a continue token expired: no pages, all in one answer */
	bool expired;	  /* a revision was too old, and no list was told whole since */
	bool marks;	  /* bookmarks have come on watches of this resource */
	bool settled;	  /* listed, absent or failed once: the next one may begin */
	bool synced;
	bool denied_said;
	bool patient;	     /* the wait is not for a server that cannot be reached */
	int64_t status_code; /* of an ERROR event, else 0 */
	int64_t due_ms, relist_ms, begun_ms, heard_ms, limit_ms;
	struct plm_backoff backoff;
	const char *version; /* that the call under way asks for */
	char revision[PLM_SPLIT_TEXT];
	char *next; /* owned: the continue token of the next page, NULL = first page */
	struct plm_kube_reflector_status stats;
};

struct plm_kube_reflect {
	struct plm_kube_reflect_options options;
	struct plm_reflector list[PLM_REFLECT_END];
	uint64_t random;
	enum plm_kube_resource_id turn; /* the next one to begin at the start */
	bool started;
	int64_t look_ms;    /* when what was absent is looked for again */
	int64_t said_ms;    /* the last note about a cut: one for all watches that it hit */
	int64_t failing_ms; /* since when nothing is answered; PLM_REFLECT_NEVER = it is */
	bool away, away_told;
};

static inline int64_t plm_reflect_now(const struct plm_kube_reflect *all)
{
	return all->options.clock.boot_ms(all->options.clock.self);
}
/* A number in [least, most]: jitter is made here, never in a reducer. */
int64_t plm_reflect_draw(struct plm_kube_reflect *all, int64_t least, int64_t most);
/* The server has answered, or has not. */
void plm_reflect_heard(struct plm_kube_reflect *all);
void plm_reflect_failing(struct plm_kube_reflect *all);
/* The next one may begin, at the start. */
void plm_reflect_advance(struct plm_kube_reflect *all);

/* ---- reflector.c ---- */

void plm_reflector_say(const struct plm_reflector *r, const char *format, ...) PLM_PRINTF(2, 3);
/* What others wait for at the start has happened, or will not soon. */
void plm_reflector_settle(struct plm_reflector *r);
/* List from the start. */
void plm_reflector_list(struct plm_reflector *r);
/* The page behind the last one. */
void plm_reflector_page(struct plm_reflector *r);
/* Go on from the newest revision that was told. */
void plm_reflector_watch(struct plm_reflector *r);
/* All pages were told, up to r->revision. */
void plm_reflector_end_list(struct plm_reflector *r);
/* Forget the call that is under way. */
void plm_reflector_cancel(struct plm_reflector *r);
void plm_reflector_drop_next(struct plm_reflector *r);
/* The inbox has room: tell what is owed, go on with what waits. */
void plm_reflector_resume(struct plm_reflector *r);
/* Has the server got the resource since? */
void plm_reflector_look(struct plm_reflector *r);

/* ---- reflector_end.c ---- */

/* A call has ended and all that it brought is told. */
void plm_reflector_finish(struct plm_reflector *r);
/* What is under way says nothing any more: it is tried again. */
void plm_reflector_silent(struct plm_reflector *r);

#endif
