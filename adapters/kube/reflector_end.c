/* How a call ends, and what follows from it. */
#include "adapters/kube/reflector.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A watch that ends sooner than this is not begun again at once. */
#define SHORT_WATCH_MS 1000

/* The wait after a failure: doubled each time, jittered. */
static int64_t backoff(struct plm_reflector *r)
{
	return plm_backoff_failed(&r->backoff, plm_reflect_now(r->all), r->ending.retry_after_ms);
}

static void wait_for(struct plm_reflector *r, int64_t ms)
{
	r->phase = PHASE_WAIT;
	r->patient = false;
	r->due_ms = plm_add_sat(plm_reflect_now(r->all), ms);
}

/* What was tried is tried again: a list from its beginning, a watch from where it was. */
static void retry(struct plm_reflector *r, int64_t ms)
{
	plm_reflector_drop_next(r);
	wait_for(r, ms);
	plm_reflector_settle(r);
}

static void end_page(struct plm_reflector *r)
{
	const struct plm_split_head *head = plm_split_head(r->split);

	plm_reflector_drop_next(r);
	if (head->next[0] != '\0') {
		r->next = strdup(head->next);
		PLM_ASSERT(r->next != NULL);
		plm_reflector_page(r);
		return;
	}
	memcpy(r->revision, head->revision, sizeof(r->revision));
	plm_reflector_end_list(r);
}

/* The revision is too old for the server: all objects anew. */
static void too_old(struct plm_reflector *r)
{
	if (r->phase == PHASE_PAGES && r->next != NULL) {
		r->whole_pages = true;
	}
	r->stats.restarts_gone++;
	r->listing = true;
	if (r->expired) {
		retry(r, backoff(r));
		return;
	}
	r->expired = true;
	plm_reflector_list(r);
}

static void closed(struct plm_reflector *r)
{
	bool quick = plm_reflect_now(r->all) - r->begun_ms < SHORT_WATCH_MS;

	if (r->phase == PHASE_PAGES) {
		end_page(r);
		return;
	}
	r->stats.restarts_closed++;
	if (r->phase == PHASE_STREAM || quick) {
		retry(r, backoff(r));
		return;
	}
	plm_backoff_good(&r->backoff);
	plm_reflector_watch(r);
}

/* A single cut is no news, and when the server is away all watches have it. */
static void say_cut(struct plm_reflector *r, const char *what)
{
	int64_t now = plm_reflect_now(r->all);

	bool unreadable = r->refused && r->status_code == 0;

	if (unreadable || (r->backoff.failures == 2 && !r->all->away &&
			   now - r->all->said_ms >= PLM_LIMIT_AWAY_MS)) {
		r->all->said_ms = now;
		plm_reflector_say(r, "%s: %s", what, r->ending.message);
	}
}

/* The first cut of a watch that has lived is mended at once, but not by all that it hit together. */
static void broken(struct plm_reflector *r, const char *what)
{
	bool asked = r->ending.retry_after_ms != PLM_UNSET;
	bool first = r->phase == PHASE_WATCH && r->backoff.failures == 0 && !asked &&
		     plm_reflect_now(r->all) - r->begun_ms >= SHORT_WATCH_MS;
	int64_t ms = 0;

	r->stats.restarts_error++;
	say_cut(r, what);
	ms = backoff(r);
	retry(r, first ? plm_reflect_draw(r->all, 0, PLM_LIMIT_WATCH_BACKOFF_FIRST_MS) : ms);
	r->patient = asked;
}

void plm_reflector_silent(struct plm_reflector *r)
{
	(void)snprintf(r->ending.message, sizeof(r->ending.message),
		       "nothing came for %" PRId64 " s",
		       (plm_reflect_now(r->all) - r->heard_ms) / 1000);
	r->ending.retry_after_ms = PLM_UNSET;
	r->refused = false;
	plm_reflector_cancel(r);
	plm_reflect_failing(r->all);
	broken(r, r->listing ? "the list is silent" : "the watch is silent");
}

static void denied(struct plm_reflector *r)
{
	if (!r->denied_said) {
		plm_reflector_say(r, "not allowed to list and watch, tried again each minute: %s",
				  r->ending.message);
	}
	r->denied_said = true;
	r->stats.restarts_error++;
	retry(r,
	      plm_reflect_draw(r->all, PLM_LIMIT_WATCH_DENIED_MS / 2, PLM_LIMIT_WATCH_DENIED_MS));
	r->patient = true;
}

static void invalid(struct plm_reflector *r)
{
	if (r->phase == PHASE_STREAM) {
		r->by_pages = true;
		plm_reflector_list(r);
		return;
	}
	r->listing = true;
	broken(r, "the server refuses the call");
}

/* Its CRD has gone, or its version: the client asks what there is now, and then the list says more. */
static void not_found(struct plm_reflector *r)
{
	r->stats.restarts_error++;
	r->listing = true;
	retry(r, backoff(r));
}

/* By the fate of an answer that we did not end ourselves. */
static void finish_fate(struct plm_reflector *r)
{
	switch (r->ending.fate) {
	case PLM_KUBE_DONE:
		r->denied_said = false;
		if (plm_split_whole(r->split)) {
			closed(r);
		} else {
			broken(r, "the answer is cut off");
		}
		return;
	case PLM_KUBE_GONE:
		too_old(r);
		return;
	case PLM_KUBE_INVALID:
		invalid(r);
		return;
	case PLM_KUBE_DENIED:
		denied(r);
		return;
	case PLM_KUBE_NOT_FOUND:
	case PLM_KUBE_NO_RESOURCE:
		not_found(r);
		return;
	case PLM_KUBE_FORBIDDEN_HERE:
		plm_reflector_say(r, "the call is not in the table of calls");
		r->phase = PHASE_ENDED;
		plm_reflector_settle(r);
		return;
	case PLM_KUBE_EXISTS:
	case PLM_KUBE_CONFLICT:
	case PLM_KUBE_OWNED:
	case PLM_KUBE_BUDGET:
	case PLM_KUBE_THROTTLED:
	case PLM_KUBE_UNSENT:
	case PLM_KUBE_UNKNOWN:
		break;
	}
	broken(r, r->listing ? "the list failed" : "the watch was cut");
}

/* A call has ended and all that it brought is told. */
void plm_reflector_finish(struct plm_reflector *r)
{
	r->ended = false;
	if (r->status_code == 410) {
		too_old(r);
	} else if (r->refused) {
		r->listing = r->listing || r->status_code == 0;
		broken(r, r->status_code == 0 ? "the answer cannot be read"
			  : r->listing	      ? "the list failed"
					      : "the watch failed");
	} else {
		finish_fate(r);
	}
}
