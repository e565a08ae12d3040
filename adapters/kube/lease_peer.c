/* Whether a peer lives: its Lease is read again and again, and its times are never compared with ours. */
#include <stdio.h>
#include <stdlib.h>

#include "adapters/http/jitter.h"
#include "adapters/kube/lease_record.h"
#include "core/limits.h"

struct plm_peer {
	struct plm_peer_options options;
	char *ns, *name;
	uv_timer_t timer;
	uint64_t random; /* of the jitter */
	struct plm_kube_sent *sent;
	enum plm_peer_state state;
	struct plm_lease_watch watch;
	char holder[256]; /* as it was told last */
	char why[256];	  /* of the last answer that was none; "" = none */
};

const char *plm_peer_state_name(enum plm_peer_state state)
{
	static const char *const names[] = {
		[PLM_PEER_UNKNOWN] = "unknown",
		[PLM_PEER_ABSENT] = "absent",
		[PLM_PEER_STALE] = "stale",
		[PLM_PEER_FRESH] = "fresh",
	};

	return names[state];
}

static int64_t boot_ms(const struct plm_peer *peer)
{
	return peer->options.clock.boot_ms(peer->options.clock.self);
}

static void become(struct plm_peer *peer, enum plm_peer_state state)
{
	const char *holder = peer->watch.record.holder;
	bool same = peer->state == state && strcmp(peer->holder, holder) == 0;

	(void)snprintf(peer->holder, sizeof(peer->holder), "%s", holder);
	peer->state = state;
	if (!same) {
		peer->options.on_change(peer->options.self, state, peer->holder);
	}
}

static void on_answer(void *self, const struct plm_kube_answer *answer);

static void look(uv_timer_t *timer)
{
	struct plm_peer *peer = timer->data;
	struct plm_kube_request request = {
		.resource = PLM_KUBE_RES_LEASES,
		.subresource = "",
		.verb = PLM_KUBE_GET,
		.ns = plm_slice_str(peer->ns),
		.name = plm_slice_str(peer->name),
		.on_done = on_answer,
		.self = peer,
	};

	peer->sent = plm_kube_send(peer->options.client, &request);
}

static void again(struct plm_peer *peer)
{
	int64_t wait_ms =
		PLM_LIMIT_PEER_LOOK_MS + plm_jitter(&peer->random, 0, PLM_LIMIT_LEASE_JITTER_MS);
	int64_t left_ms = plm_lease_watch_end(&peer->watch) - boot_ms(peer);

	/* It is told stale no later than it is. */
	if (peer->watch.seen && left_ms >= 0 && left_ms < wait_ms) {
		wait_ms = left_ms + 1;
	}
	(void)uv_timer_start(&peer->timer, look, (uint64_t)wait_ms, 0);
}

/*
 * As it stands: fresh once it changed before our eyes, stale when it did not for as long as it lasts. What
 * was first seen just now may be either.
 */
static void judge(struct plm_peer *peer, bool first, bool changed)
{
	if (peer->watch.record.holder[0] == '\0') {
		become(peer, PLM_PEER_ABSENT);
	} else if (boot_ms(peer) >= plm_lease_watch_end(&peer->watch)) {
		become(peer, PLM_PEER_STALE);
	} else if (changed && !first) {
		become(peer, PLM_PEER_FRESH);
	} else if (peer->state == PLM_PEER_ABSENT) {
		become(peer, PLM_PEER_FRESH); /* somebody took it meanwhile */
	}
}

static void on_answer(void *self, const struct plm_kube_answer *answer)
{
	struct plm_peer *peer = self;
	bool first = !peer->watch.seen;
	int64_t changed_ms = peer->watch.changed_ms;
	struct plm_error err;

	peer->sent = NULL;
	if (answer->fate == PLM_KUBE_NOT_FOUND) {
		plm_lease_record_fini(&peer->watch.record);
		peer->watch.seen = false;
		become(peer, PLM_PEER_ABSENT);
	} else if (answer->fate == PLM_KUBE_DONE &&
		   plm_lease_watch_read(&peer->watch, answer->body, boot_ms(peer), &err) ==
			   PLM_OK) {
		judge(peer, first, peer->watch.changed_ms != changed_ms);
	}
	/* Otherwise nothing was learnt; without an API server nobody acts. */
	(void)snprintf(peer->why, sizeof(peer->why), "%.*s",
		       answer->fate == PLM_KUBE_DONE || answer->fate == PLM_KUBE_NOT_FOUND
			       ? 0
			       : (int)answer->message.size,
		       (const char *)answer->message.ptr);
	again(peer);
}

struct plm_peer *plm_peer_new(const struct plm_peer_options *options)
{
	struct plm_peer *peer = calloc(1, sizeof(*peer));

	PLM_ASSERT(peer != NULL);
	peer->options = *options;
	peer->ns = strdup(options->ns);
	peer->name = strdup(options->name);
	PLM_ASSERT(peer->ns != NULL && peer->name != NULL);
	peer->random = options->seed;
	PLM_ASSERT(uv_timer_init(options->loop, &peer->timer) == 0);
	peer->timer.data = peer;
	(void)uv_timer_start(&peer->timer, look, 0, 0);
	return peer;
}

static void on_closed(uv_handle_t *handle)
{
	struct plm_peer *peer = handle->data;

	free(peer->ns);
	free(peer->name);
	free(peer);
}

void plm_peer_free(struct plm_peer *peer)
{
	if (peer == NULL) {
		return;
	}
	if (peer->sent != NULL) {
		plm_kube_cancel(peer->sent);
	}
	plm_lease_record_fini(&peer->watch.record);
	uv_close((uv_handle_t *)&peer->timer, on_closed);
}

enum plm_peer_state plm_peer_state(const struct plm_peer *peer)
{
	return peer->state;
}

const char *plm_peer_why(const struct plm_peer *peer)
{
	return peer->why;
}

const char *plm_peer_holder(const struct plm_peer *peer)
{
	return peer->holder;
}
