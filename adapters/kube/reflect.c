#include "adapters/kube/reflector.h"

#include <stdlib.h>

#include "adapters/http/jitter.h"

/* Within this time all go on once the server answers again. */
#define HURRY_MS 500
/* But only after it has not answered for so long: one that answers by turns is not to be hurried. */
#define HURRY_AFTER_MS 2000

/* Waits are jittered here, never in a reducer. */
int64_t plm_reflect_draw(struct plm_kube_reflect *all, int64_t least, int64_t most)
{
	return plm_jitter(&all->random, least, most);
}

/* Between 'ms' and twice that. */
static int64_t jitter(struct plm_kube_reflect *all, int64_t ms)
{
	return plm_reflect_draw(all, ms, 2 * ms);
}

/* The server answers again: those that wait for it need not wait longer. */
static void hurry(struct plm_kube_reflect *all)
{
	for (size_t i = PLM_REFLECT_FIRST; i < PLM_REFLECT_END; i++) {
		struct plm_reflector *r = &all->list[i];

		if (r->phase == PHASE_WAIT && r->owed == OWED_NONE && !r->patient) {
			r->due_ms = plm_min(r->due_ms, plm_reflect_now(all) +
							       plm_reflect_draw(all, 0, HURRY_MS));
		}
	}
	all->options.due(all->options.self);
}

/* REACH: told when it changes and the inbox has room. */
static void reach(struct plm_kube_reflect *all)
{
	bool away = all->failing_ms != PLM_REFLECT_NEVER &&
		    plm_reflect_now(all) - all->failing_ms >= PLM_LIMIT_AWAY_MS;

	if (away != all->away) {
		all->away = away;
		all->options.note(all->options.self, away ? "the API server cannot be reached"
							  : "the API server can be reached again");
	}
	if (all->away != all->away_told &&
	    plm_kube_observe_reach(all->options.observer, all->away) != PLM_E_AGAIN) {
		all->away_told = all->away;
	}
}

void plm_reflect_heard(struct plm_kube_reflect *all)
{
	int64_t since_ms = all->failing_ms;

	if (since_ms == PLM_REFLECT_NEVER) {
		return;
	}
	all->failing_ms = PLM_REFLECT_NEVER;
	if (plm_reflect_now(all) - since_ms >= HURRY_AFTER_MS) {
		hurry(all);
	}
	reach(all);
}

void plm_reflect_failing(struct plm_kube_reflect *all)
{
	if (all->failing_ms == PLM_REFLECT_NEVER) {
		all->failing_ms = plm_reflect_now(all);
	}
}

static void look_all(struct plm_kube_reflect *all)
{
	for (size_t i = PLM_REFLECT_FIRST; i < PLM_REFLECT_END; i++) {
		plm_reflector_look(&all->list[i]);
	}
}

/* ---- time -------------------------------------------------------------------------------------- */

static int64_t stall_ms(const struct plm_reflector *r)
{
	if (r->listing) {
		return PLM_LIMIT_LIST_STALL_MS;
	}
	return r->marks ? PLM_LIMIT_WATCH_STALL_MS : r->limit_ms;
}

/* When this reflector wants to be looked at. */
static int64_t due(const struct plm_reflector *r)
{
	int64_t at = PLM_REFLECT_NEVER;

	if (r->phase == PHASE_WAIT) {
		return r->due_ms;
	}
	if (r->sent != NULL && !r->paused) {
		at = plm_min(r->heard_ms + stall_ms(r), r->begun_ms + r->limit_ms);
		at = r->listing ? r->heard_ms + stall_ms(r) : at;
	}
	return r->phase == PHASE_WATCH && !r->paused ? plm_min(at, r->relist_ms) : at;
}

static void plan_relist(struct plm_reflector *r)
{
	int64_t every = r->all->options.relist_ms;

	r->relist_ms = every == 0 ? PLM_REFLECT_NEVER
				  : plm_add_sat(plm_reflect_now(r->all), jitter(r->all, every / 2));
}

static void act(struct plm_reflector *r)
{
	if (r->phase == PHASE_WAIT) {
		r->due_ms = PLM_REFLECT_NEVER;
		if (r->listing) {
			plm_reflector_list(r);
		} else {
			plm_reflector_watch(r);
		}
		return;
	}
	if (r->phase == PHASE_WATCH && plm_reflect_now(r->all) >= r->relist_ms) {
		plan_relist(r);
		plm_reflector_cancel(r);
		plm_reflector_list(r);
		return;
	}
	if (!r->listing && plm_reflect_now(r->all) < r->heard_ms + stall_ms(r)) {
		plm_reflector_cancel(r); /* it goes on longer than was asked for */
		r->stats.restarts_closed++;
		plm_reflector_watch(r);
		return;
	}
	plm_reflector_silent(r);
}

int64_t plm_kube_reflect_tick(struct plm_kube_reflect *reflect)
{
	int64_t now = plm_reflect_now(reflect);
	int64_t next = PLM_REFLECT_NEVER;

	if (!reflect->started) {
		return PLM_REFLECT_NEVER;
	}
	reach(reflect);
	if (now >= reflect->look_ms) {
		reflect->look_ms = plm_add_sat(now, PLM_LIMIT_LOOK_MS);
		look_all(reflect);
	}
	next = reflect->look_ms;
	for (size_t i = PLM_REFLECT_FIRST; i < PLM_REFLECT_END; i++) {
		if (due(&reflect->list[i]) <= now) {
			act(&reflect->list[i]);
		}
		next = plm_min(next, due(&reflect->list[i]));
	}
	if (reflect->failing_ms != PLM_REFLECT_NEVER && !reflect->away) {
		next = plm_min(next, plm_max(now + 1, reflect->failing_ms + PLM_LIMIT_AWAY_MS));
	}
	return next;
}

void plm_kube_reflect_resume(struct plm_kube_reflect *reflect)
{
	reach(reflect);
	for (size_t i = PLM_REFLECT_FIRST; i < PLM_REFLECT_END; i++) {
		plm_reflector_resume(&reflect->list[i]);
	}
}

/* ---- life -------------------------------------------------------------------------------------- */

void plm_reflect_advance(struct plm_kube_reflect *all)
{
	struct plm_reflector *r = NULL;

	if (all->turn == PLM_REFLECT_END) {
		return;
	}
	r = &all->list[all->turn];
	all->turn++;
	plan_relist(r);
	plm_reflector_list(r);
}

void plm_kube_reflect_start(struct plm_kube_reflect *reflect)
{
	PLM_ASSERT(!reflect->started);
	reflect->started = true;
	plm_reflect_advance(reflect);
}

enum plm_code plm_kube_reflect_new(const struct plm_kube_reflect_options *options,
				   struct plm_kube_reflect **out, struct plm_error *err)
{
	struct plm_kube_reflect *all = calloc(1, sizeof(*all));
	enum plm_code code = PLM_OK;

	if (all == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "out of memory");
	}
	all->options = *options;
	all->random = options->seed;
	all->turn = (enum plm_kube_resource_id)PLM_REFLECT_FIRST;
	all->failing_ms = PLM_REFLECT_NEVER;
	all->said_ms = plm_reflect_now(all) - PLM_LIMIT_AWAY_MS;
	for (size_t i = PLM_REFLECT_FIRST; i < PLM_REFLECT_END && code == PLM_OK; i++) {
		all->list[i] = (struct plm_reflector){
			.all = all,
			.id = (enum plm_kube_resource_id)i,
			.due_ms = PLM_REFLECT_NEVER,
		};
		plm_backoff_init(&all->list[i].backoff, &plm_backoff_watch,
				 (uint64_t)plm_reflect_draw(all, 0, INT64_MAX - 1));
		code = plm_split_new(&all->list[i].split, err);
	}
	if (code != PLM_OK) {
		plm_kube_reflect_free(all);
		return code;
	}
	*out = all;
	return PLM_OK;
}

void plm_kube_reflect_free(struct plm_kube_reflect *reflect)
{
	if (reflect == NULL) {
		return;
	}
	for (size_t i = PLM_REFLECT_FIRST; i < PLM_REFLECT_END; i++) {
		struct plm_reflector *r = &reflect->list[i];

		if (r->sent != NULL) {
			plm_kube_cancel(r->sent);
		}
		plm_split_free(r->split);
		free(r->next);
	}
	free(reflect);
}

static int64_t lag_ms(const struct plm_reflector *r)
{
	return r->phase == PHASE_ABSENT || r->phase == PHASE_IDLE
		       ? 0
		       : plm_max(0, plm_reflect_now(r->all) - r->heard_ms);
}

struct plm_kube_reflect_status plm_kube_reflect_status(const struct plm_kube_reflect *reflect)
{
	struct plm_kube_reflect_status status = {.synced = reflect->started, .away = reflect->away};

	for (size_t i = PLM_REFLECT_FIRST; i < PLM_REFLECT_END; i++) {
		const struct plm_reflector *r = &reflect->list[i];

		status.synced = status.synced && r->synced;
		status.waits = status.waits || r->owed != OWED_NONE || plm_split_waits(r->split);
		status.lag_ms = plm_max(status.lag_ms, lag_ms(r));
		status.restarts +=
			r->stats.restarts_gone + r->stats.restarts_closed + r->stats.restarts_error;
		status.memory += plm_split_memory(r->split);
	}
	return status;
}

bool plm_kube_reflector_status(const struct plm_kube_reflect *reflect,
			       enum plm_kube_resource_id resource,
			       struct plm_kube_reflector_status *out)
{
	const struct plm_reflector *r = NULL;

	if (resource < PLM_REFLECT_FIRST || resource >= PLM_REFLECT_END) {
		return false;
	}
	r = &reflect->list[resource];
	*out = r->stats;
	out->synced = r->synced;
	out->lag_ms = lag_ms(r);
	return r->phase != PHASE_ABSENT && r->phase != PHASE_IDLE;
}
