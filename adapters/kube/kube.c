#include "adapters/kube/kube.h"

#include "adapters/kube/effect.h"
#include "adapters/kube/events.h"
#include "adapters/kube/reflect.h"

#include <stdlib.h>

struct plm_kube {
	struct plm_kube_options options;
	struct plm_kube_observer *observer;   /* owned */
	struct plm_kube_reflect *reflect;     /* owned */
	struct plm_kube_effector *effector;   /* owned */
	struct plm_kube_announcer *announcer; /* owned */
	uv_timer_t timer;
	bool has_timer, started, closing;
};

static void note(void *self, const char *text)
{
	struct plm_kube *kube = self;

	kube->options.note(kube->options.self, text);
}

static void saw_workload(void *self, struct plm_slice uid, struct plm_slice revision,
			 struct plm_slice item)
{
	struct plm_kube *kube = self;

	plm_kube_effector_saw_workload(kube->effector, uid, revision, item);
}

/* ---- time -------------------------------------------------------------------------------------- */

static void tick(uv_timer_t *timer);

static void plan(struct plm_kube *kube, int64_t ms)
{
	int rc = 0;

	if (kube->closing || !kube->started) {
		return;
	}
	rc = uv_timer_start(&kube->timer, tick, (uint64_t)ms, 0);
	PLM_ASSERT(rc == 0);
}

static void tick(uv_timer_t *timer)
{
	struct plm_kube *kube = timer->data;
	int64_t due = plm_kube_reflect_tick(kube->reflect);
	int64_t now = kube->options.clock.boot_ms(kube->options.clock.self);

	plan(kube, plm_max(1, plm_sub_sat(due, now)));
}

/* A call has ended: look at the clock from the loop, not from inside of it. */
static void due(void *self)
{
	plan(self, 0);
}

void plm_kube_start(struct plm_kube *kube)
{
	kube->started = true;
	plm_kube_reflect_start(kube->reflect);
	plan(kube, 0);
}

void plm_kube_resume(struct plm_kube *kube)
{
	plm_kube_reflect_resume(kube->reflect);
	plm_kube_effector_resume(kube->effector);
	plan(kube, 0);
}

/* ---- life -------------------------------------------------------------------------------------- */

static enum plm_code make_reflect(struct plm_kube *kube, struct plm_error *err)
{
	const struct plm_kube_observer_options observing = {
		.inbox = kube->options.inbox,
		.note = note,
		.workload = saw_workload,
		.self = kube,
	};
	struct plm_kube_reflect_options reflecting = {
		.client = kube->options.client,
		.clock = kube->options.clock,
		.relist_ms = kube->options.relist_ms,
		.seed = uv_hrtime(),
		.note = note,
		.due = due,
		.self = kube,
	};
	enum plm_code code = plm_kube_observer_new(&observing, &kube->observer, err);

	if (code != PLM_OK) {
		return code;
	}
	reflecting.observer = kube->observer;
	return plm_kube_reflect_new(&reflecting, &kube->reflect, err);
}

static enum plm_code make_effects(struct plm_kube *kube, struct plm_error *err)
{
	const struct plm_kube_effector_options effecting = {
		.loop = kube->options.loop,
		.client = kube->options.client,
		.inbox = kube->options.inbox,
		.clock = kube->options.clock,
		.note = note,
		.self = kube,
	};
	const struct plm_kube_announcer_options announcing = {
		.loop = kube->options.loop,
		.client = kube->options.client,
		.clock = kube->options.clock,
		.instance = kube->options.instance == NULL ? "plimsoll" : kube->options.instance,
		.note = note,
		.self = kube,
	};
	enum plm_code code = plm_kube_effector_new(&effecting, &kube->effector, err);

	return code == PLM_OK ? plm_kube_announcer_new(&announcing, &kube->announcer, err) : code;
}

enum plm_code plm_kube_new(const struct plm_kube_options *options, struct plm_kube **out,
			   struct plm_error *err)
{
	struct plm_kube *kube = calloc(1, sizeof(*kube));
	enum plm_code code = PLM_OK;

	if (kube == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "out of memory");
	}
	kube->options = *options;
	code = make_effects(kube, err);
	if (code == PLM_OK) {
		code = make_reflect(kube, err);
	}
	if (code == PLM_OK && uv_timer_init(options->loop, &kube->timer) != 0) {
		code = plm_fail(err, PLM_E_LIMIT, "no timer");
	}
	if (code != PLM_OK) {
		plm_kube_free(kube);
		return code;
	}
	kube->timer.data = kube;
	kube->has_timer = true;
	*out = kube;
	return PLM_OK;
}

static void closed(uv_handle_t *timer)
{
	free(timer->data);
}

void plm_kube_free(struct plm_kube *kube)
{
	if (kube == NULL) {
		return;
	}
	kube->closing = true;
	plm_kube_reflect_free(kube->reflect);
	plm_kube_observer_free(kube->observer);
	plm_kube_announcer_free(kube->announcer);
	plm_kube_effector_free(kube->effector);
	if (kube->has_timer) {
		uv_close((uv_handle_t *)&kube->timer, closed);
	} else {
		free(kube);
	}
}

/* ---- the other ends ---------------------------------------------------------------------------- */

bool plm_kube_carries(enum plm_call call)
{
	return plm_kube_effector_carries(call);
}

struct plm_effects plm_kube_effects(struct plm_kube *kube)
{
	return plm_kube_effector_port(kube->effector);
}

void plm_kube_announce(struct plm_kube *kube, const struct plm_kube_event *event)
{
	plm_kube_announcer_tell(kube->announcer, event);
}

struct plm_kube_status plm_kube_status(const struct plm_kube *kube)
{
	struct plm_kube_reflect_status reflect = plm_kube_reflect_status(kube->reflect);
	struct plm_kube_observer_stats seen = plm_kube_observer_stats(kube->observer);

	return (struct plm_kube_status){
		.synced = reflect.synced,
		.away = reflect.away,
		.lag_ms = reflect.lag_ms,
		.objects = seen.objects,
		.gone = seen.gone,
		.unreadable = seen.unreadable,
		.restarts = reflect.restarts,
		.effects_under_way = plm_kube_effector_under_way(kube->effector),
	};
}

bool plm_kube_watch_status(const struct plm_kube *kube, enum plm_kube_resource_id resource,
			   struct plm_kube_watch_status *out)
{
	struct plm_kube_reflector_status status;

	if (!plm_kube_reflector_status(kube->reflect, resource, &status)) {
		return false;
	}
	*out = (struct plm_kube_watch_status){
		.resource = plm_kube_resource(resource)->name,
		.lag_ms = status.lag_ms,
		.restarts_gone = status.restarts_gone,
		.restarts_closed = status.restarts_closed,
		.restarts_error = status.restarts_error,
		.synced = status.synced,
	};
	return true;
}
