/*
 * The life of our Lease. One timer, and at most one call at a time: ask (GET), or write (CREATE, UPDATE) on
 * what was read last. After a write whose end is not known, and after a conflict, it is asked again.
 */
#include "adapters/kube/lease.h"

#include <stdio.h>
#include <stdlib.h>

#include "adapters/http/jitter.h"
#include "adapters/kube/lease_record.h"
#include "core/limits.h"

enum doing {
	DOING_NOTHING,
	DOING_GET,
	DOING_WRITE
};

struct plm_lease {
	struct plm_lease_options options;
	char *ns, *name, *identity;
	uv_timer_t timer;
	uv_timer_t late;	    /* when nothing may leave any more */
	uint64_t random;	    /* of the jitter */
	struct plm_kube_sent *sent; /* the call under way */
	enum doing doing;
	enum plm_lease_state state;
	struct plm_lease_watch watch; /* what was read last */
	bool known;		      /* the next write may be made on it */
	bool hurry;		      /* a conflict was not asked about yet */
	int64_t sent_ms;	      /* when the call under way was sent */
	int64_t renewed_ms;	      /* when the last write that succeeded was sent */
	bool renewed;
	bool witnessed;
	struct plm_lease_head witness;
	char why[256];
	void (*on_released)(void *self, bool released);
	void *released_self;
	uint32_t handles;
};

static void step(struct plm_lease *lease);

const char *plm_lease_state_name(enum plm_lease_state state)
{
	static const char *const names[] = {
		[PLM_LEASE_ASKING] = "asking",	   [PLM_LEASE_STANDBY] = "standby",
		[PLM_LEASE_BEHIND] = "behind",	   [PLM_LEASE_HELD] = "held",
		[PLM_LEASE_LATE] = "late",	   [PLM_LEASE_LOST] = "lost",
		[PLM_LEASE_RELEASED] = "released",
	};

	return names[state];
}

static int64_t boot_ms(const struct plm_lease *lease)
{
	return lease->options.clock.boot_ms(lease->options.clock.self);
}

static bool is_ours(const struct plm_lease *lease)
{
	return strcmp(lease->watch.record.holder, lease->identity) == 0;
}

/* It is that of a process on this volume, which is dead: we have the lock on the log. */
static bool is_of_volume(const struct plm_lease *lease)
{
	size_t size = strcspn(lease->identity, "_");

	return strncmp(lease->watch.record.holder, lease->identity, size) == 0 &&
	       (lease->watch.record.holder[size] == '_' ||
		lease->watch.record.holder[size] == '\0');
}

static bool is_over(const struct plm_lease *lease)
{
	return lease->state == PLM_LEASE_LOST || lease->state == PLM_LEASE_RELEASED;
}

static bool was_held(const struct plm_lease *lease)
{
	return lease->state == PLM_LEASE_HELD || lease->state == PLM_LEASE_LATE;
}

/* The last renewal still counts. */
static bool is_fresh(const struct plm_lease *lease)
{
	return boot_ms(lease) - lease->renewed_ms < PLM_LIMIT_LEASE_ACT_MS;
}

static void become(struct plm_lease *lease, enum plm_lease_state state, const char *why)
{
	if (lease->state == state) {
		return;
	}
	lease->state = state;
	lease->options.on_change(lease->options.self, state, why);
}

static void on_timer(uv_timer_t *timer)
{
	step(timer->data);
}

static void rest(struct plm_lease *lease, int64_t time_ms)
{
	(void)uv_timer_start(&lease->timer, on_timer, time_ms > 0 ? (uint64_t)time_ms : 0, 0);
}

/* Until the usual next time, or until 'end_ms' where that is sooner. */
static void rest_turn(struct plm_lease *lease, int64_t end_ms)
{
	int64_t jitter_ms = plm_jitter(&lease->random, 0, PLM_LIMIT_LEASE_JITTER_MS);
	int64_t turn_ms = PLM_LIMIT_LEASE_RENEW_MS + jitter_ms;
	int64_t left_ms = end_ms - boot_ms(lease) + jitter_ms;

	rest(lease, left_ms < turn_ms ? left_ms : turn_ms);
}

/* ---- what went wrong ---- */

static void complain(struct plm_lease *lease, const struct plm_kube_answer *answer)
{
	(void)snprintf(lease->why, sizeof(lease->why), "Lease %s/%s: %.*s", lease->ns, lease->name,
		       (int)(answer->message.size < 160 ? answer->message.size : 160),
		       answer->message.size == 0 ? "" : (const char *)answer->message.ptr);
}

static void on_late(uv_timer_t *timer);

/* Wake when the last renewal no longer counts. */
static void watch_for_late(struct plm_lease *lease)
{
	int64_t left_ms = lease->renewed_ms + PLM_LIMIT_LEASE_ACT_MS - boot_ms(lease);

	(void)uv_timer_start(&lease->late, on_late, left_ms > 0 ? (uint64_t)left_ms : 0, 0);
}

static void on_late(uv_timer_t *timer)
{
	struct plm_lease *lease = timer->data;

	if (lease->state == PLM_LEASE_HELD && !is_fresh(lease)) {
		become(lease, PLM_LEASE_LATE,
		       lease->why[0] != '\0' ? lease->why : "the Lease was not renewed in time");
	} else if (lease->state == PLM_LEASE_HELD) {
		watch_for_late(lease);
	}
}

static void release_done(struct plm_lease *lease, bool released)
{
	void (*on_released)(void *self, bool released) = lease->on_released;

	lease->on_released = NULL;
	become(lease, PLM_LEASE_RELEASED, "");
	if (on_released != NULL) {
		on_released(lease->released_self, released);
	}
}

/* ---- calls ---- */

static void on_get(void *self, const struct plm_kube_answer *answer);
static void on_write(void *self, const struct plm_kube_answer *answer);

static void call(struct plm_lease *lease, enum plm_kube_verb verb, const char *body)
{
	struct plm_kube_request request = {
		.resource = PLM_KUBE_RES_LEASES,
		.subresource = "",
		.verb = verb,
		.ns = plm_slice_str(lease->ns),
		.name = plm_slice_str(lease->name),
		.body = plm_slice_str(body),
		.on_done = verb == PLM_KUBE_GET ? on_get : on_write,
		.self = lease,
	};

	lease->doing = verb == PLM_KUBE_GET ? DOING_GET : DOING_WRITE;
	lease->sent_ms = boot_ms(lease);
	lease->sent = plm_kube_send(lease->options.client, &request);
	rest(lease, PLM_LIMIT_LEASE_CALL_MS);
}

static void write_it(struct plm_lease *lease, const char *holder)
{
	bool create = lease->watch.record.object == NULL;
	struct plm_lease_write write = {
		.ns = lease->ns,
		.name = lease->name,
		.holder = holder,
		.wall_ns = lease->options.clock.wall_ns(lease->options.clock.self),
		.taken = holder[0] != '\0' && (create || !was_held(lease)),
	};
	char *body;

	lease->options.head(lease->options.self, &write.head);
	body = plm_lease_body(&lease->watch.record, &write);
	call(lease, create ? PLM_KUBE_CREATE : PLM_KUBE_UPDATE, body);
	plm_lease_body_free(body);
}

/* ---- the witness ---- */

/* NULL: our log may follow on what the Lease tells. */
static const char *unfit(struct plm_lease *lease)
{
	const struct plm_lease_record *record = &lease->watch.record;
	struct plm_lease_head ours = {0};

	if (lease->options.accept_behind || (!record->witnessed && !record->garbled)) {
		return NULL;
	}
	if (record->garbled) {
		return "its annotation plimsoll.dev/head cannot be read";
	}
	lease->options.head(lease->options.self, &ours);
	if (ours.seq < record->head.seq) {
		return "the log is shorter than the one that its last holder had";
	}
	if (ours.epoch < record->head.epoch) {
		return "the log is of an older epoch than the one that its last holder had";
	}
	if (ours.seq == record->head.seq &&
	    strncmp(ours.root, record->head.root, strlen(record->head.root)) != 0) {
		return "the log is another one than its last holder had";
	}
	if (ours.seq > record->head.seq && lease->options.holds != NULL &&
	    !lease->options.holds(lease->options.self, &record->head)) {
		return "the log parted from the one that its last holder had";
	}
	return NULL;
}

static void refuse(struct plm_lease *lease, const char *problem)
{
	struct plm_lease_head ours = {0};
	char one[PLM_LEASE_HEAD_SIZE], two[PLM_LEASE_HEAD_SIZE];

	lease->options.head(lease->options.self, &ours);
	(void)snprintf(lease->why, sizeof(lease->why),
		       "Lease %.30s/%.40s: %.70s (%.40s, it had %.40s)", lease->ns, lease->name,
		       problem, plm_lease_head_text(&ours, one),
		       plm_lease_head_text(&lease->watch.record.head, two));
	become(lease, PLM_LEASE_BEHIND, lease->why);
	rest_turn(lease, INT64_MAX / 2);
}

/* ---- what to do next ---- */

/* It is free, or its holder has gone: ours, if our log fits. */
static void take(struct plm_lease *lease)
{
	const char *problem = unfit(lease);

	if (problem != NULL) {
		refuse(lease, problem);
		return;
	}
	if (lease->watch.record.witnessed) {
		lease->witnessed = true;
		lease->witness = lease->watch.record.head;
	}
	write_it(lease, lease->identity);
}

static void stand_by(struct plm_lease *lease)
{
	if (was_held(lease)) {
		(void)snprintf(lease->why, sizeof(lease->why),
			       "Lease %.60s/%.60s was taken by %.100s", lease->ns, lease->name,
			       lease->watch.record.holder);
		(void)uv_timer_stop(&lease->timer);
		become(lease, PLM_LEASE_LOST, lease->why);
		return;
	}
	become(lease, PLM_LEASE_STANDBY, lease->watch.record.holder);
	rest_turn(lease, plm_lease_watch_end(&lease->watch));
}

/* On what was just read. */
static void decide(struct plm_lease *lease)
{
	const struct plm_lease_record *record = &lease->watch.record;

	if (was_held(lease) && (is_ours(lease) || record->object == NULL)) {
		write_it(lease, lease->identity); /* the next renewal */
	} else if (was_held(lease)) {
		stand_by(lease);
	} else if (record->object == NULL || is_of_volume(lease)) {
		take(lease);
	} else if (record->holder[0] == '\0' ||
		   boot_ms(lease) >= plm_lease_watch_end(&lease->watch)) {
		take(lease);
	} else {
		stand_by(lease);
	}
}

static void step(struct plm_lease *lease)
{
	if (lease->sent != NULL) { /* it is too late for an answer */
		plm_kube_cancel(lease->sent);
		lease->sent = NULL;
		lease->known = lease->known && lease->doing != DOING_WRITE;
		lease->doing = DOING_NOTHING;
		(void)snprintf(lease->why, sizeof(lease->why),
			       "Lease %s/%s: the API server did not answer in time", lease->ns,
			       lease->name);
		if (lease->on_released != NULL) {
			release_done(lease, false);
			return;
		}
	}
	if (is_over(lease)) {
		if (lease->on_released != NULL) {
			release_done(lease, true);
		}
		return;
	}
	if (!lease->known || !was_held(lease)) {
		call(lease, PLM_KUBE_GET, "");
	} else {
		write_it(lease, lease->on_released != NULL ? "" : lease->identity);
	}
}

/* ---- answers ---- */

static void answered(struct plm_lease *lease)
{
	lease->sent = NULL;
	lease->doing = DOING_NOTHING;
	(void)uv_timer_stop(&lease->timer);
}

static void failed(struct plm_lease *lease, const struct plm_kube_answer *answer)
{
	complain(lease, answer);
	if (lease->on_released != NULL) {
		release_done(lease, false);
		return;
	}
	rest_turn(lease, INT64_MAX / 2);
}

static bool take_body(struct plm_lease *lease, const struct plm_kube_answer *answer)
{
	struct plm_error err;

	if (plm_lease_watch_read(&lease->watch, answer->body, boot_ms(lease), &err) != PLM_OK) {
		(void)snprintf(lease->why, sizeof(lease->why), "Lease %s/%s: %.150s", lease->ns,
			       lease->name, err.text);
		return false;
	}
	return true;
}

static void on_get(void *self, const struct plm_kube_answer *answer)
{
	struct plm_lease *lease = self;

	answered(lease);
	if (answer->fate == PLM_KUBE_NOT_FOUND) {
		plm_lease_record_fini(&lease->watch.record);
		lease->watch.seen = false;
	} else if (answer->fate != PLM_KUBE_DONE) {
		failed(lease, answer);
		return;
	} else if (!take_body(lease, answer)) {
		rest_turn(lease, INT64_MAX / 2);
		return;
	}
	lease->known = true;
	if (lease->on_released == NULL) {
		decide(lease);
	} else if (is_ours(lease)) {
		write_it(lease, "");
	} else {
		release_done(lease, true); /* it is not ours any more, or gone */
	}
}

static void written(struct plm_lease *lease, const struct plm_kube_answer *answer)
{
	lease->known = take_body(lease, answer);
	lease->hurry = false;
	if (lease->on_released != NULL && lease->watch.record.holder[0] == '\0') {
		release_done(lease, true);
		return;
	}
	lease->renewed = true;
	lease->renewed_ms = lease->sent_ms;
	lease->why[0] = '\0';
	watch_for_late(lease);
	become(lease, PLM_LEASE_HELD, "");
	if (lease->on_released != NULL) {
		rest(lease, 0);
	} else {
		rest_turn(lease, INT64_MAX / 2);
	}
}

static void on_write(void *self, const struct plm_kube_answer *answer)
{
	struct plm_lease *lease = self;
	bool changed = answer->fate == PLM_KUBE_CONFLICT || answer->fate == PLM_KUBE_EXISTS ||
		       answer->fate == PLM_KUBE_NOT_FOUND;

	answered(lease);
	if (answer->fate == PLM_KUBE_DONE) {
		written(lease, answer);
		return;
	}
	/* Surely not carried out: what was read before still holds. */
	lease->known = lease->known &&
		       (answer->fate == PLM_KUBE_UNSENT || answer->fate == PLM_KUBE_THROTTLED);
	if (changed && !lease->hurry) {
		lease->hurry = true; /* once at once, then in turn */
		complain(lease, answer);
		rest(lease, 0);
		return;
	}
	lease->hurry = false;
	failed(lease, answer);
}

/* ---- lease.h ---- */

static char *copy(const char *text)
{
	char *copied = strdup(text);

	PLM_ASSERT(copied != NULL);
	return copied;
}

struct plm_lease *plm_lease_new(const struct plm_lease_options *options)
{
	struct plm_lease *lease = calloc(1, sizeof(*lease));

	PLM_ASSERT(lease != NULL && options->identity[0] != '\0');
	lease->options = *options;
	lease->ns = copy(options->ns);
	lease->name = copy(options->name);
	lease->identity = copy(options->identity);
	lease->random = options->seed;
	PLM_ASSERT(uv_timer_init(options->loop, &lease->timer) == 0);
	PLM_ASSERT(uv_timer_init(options->loop, &lease->late) == 0);
	lease->timer.data = lease;
	lease->late.data = lease;
	lease->handles = 2;
	rest(lease, 0);
	return lease;
}

static void on_closed(uv_handle_t *handle)
{
	struct plm_lease *lease = handle->data;

	lease->handles--;
	if (lease->handles == 0) {
		free(lease->ns);
		free(lease->name);
		free(lease->identity);
		free(lease);
	}
}

void plm_lease_free(struct plm_lease *lease)
{
	if (lease == NULL) {
		return;
	}
	if (lease->sent != NULL) {
		plm_kube_cancel(lease->sent);
	}
	plm_lease_record_fini(&lease->watch.record);
	uv_close((uv_handle_t *)&lease->timer, on_closed);
	uv_close((uv_handle_t *)&lease->late, on_closed);
}

bool plm_lease_may_act(const struct plm_lease *lease)
{
	return lease->state == PLM_LEASE_HELD && lease->on_released == NULL && is_fresh(lease);
}

void plm_lease_release(struct plm_lease *lease, void (*on_done)(void *self, bool released),
		       void *self)
{
	PLM_ASSERT(lease->on_released == NULL && on_done != NULL);
	lease->on_released = on_done;
	lease->released_self = self;
	if (lease->sent != NULL) { /* a renewal, or somebody is asked: what is now will be read */
		plm_kube_cancel(lease->sent);
		lease->sent = NULL;
		lease->known = false;
	}
	rest(lease, 0);
}

struct plm_lease_status plm_lease_status(const struct plm_lease *lease)
{
	struct plm_lease_status status = {
		.state = lease->state,
		.renewed_ms = lease->renewed ? boot_ms(lease) - lease->renewed_ms : PLM_UNSET,
		.transitions = lease->watch.record.transitions,
		.witnessed = lease->witnessed,
		.witness = lease->witness,
	};

	(void)snprintf(status.holder, sizeof(status.holder), "%s", lease->watch.record.holder);
	(void)snprintf(status.why, sizeof(status.why), "%s", lease->why);
	return status;
}
