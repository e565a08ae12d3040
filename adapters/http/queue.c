/* The life of a call: it waits its turn, curl has it, its end is told. See inner.h for who may be inside whom. */
#include <stdio.h>

#include "adapters/http/inner.h"
#include "core/limits.h"

static struct plm_http_call *call_of(struct plm_http_link *link)
{
	return link->owner;
}

/* ---- out of the lists ---- */

static void stop_running(struct plm_http_call *call)
{
	struct plm_http_lane *lane = call->lane;

	PLM_ASSERT(lane->client->inside == 0);
	PLM_ASSERT(curl_multi_remove_handle(lane->multi, call->easy) == CURLM_OK);
	lane->running_count--;
	lane->client->counted -= lane->kind == PLM_HTTP_LANE_CALLS ? 1 : 0;
	lane->client->stats.under_way--;
}

void plm_http_unlink(struct plm_http_call *call)
{
	struct plm_http_lane *lane = call->lane;

	if (call->state == PLM_HTTP_WAITING) {
		lane->waiting_count--;
		lane->client->stats.waiting--;
	} else if (call->state == PLM_HTTP_RUNNING || call->state == PLM_HTTP_DOOMED) {
		stop_running(call);
	}
	if (call->paused) {
		call->paused = false;
		lane->paused_count--;
	}
	plm_http_link_remove(&call->resumed);
	plm_http_link_remove(&call->link);
}

static void finished(struct plm_http_call *call)
{
	plm_http_unlink(call);
	call->state = PLM_HTTP_FINISHED;
	plm_http_link_append(&call->lane->client->finished, &call->link);
}

void plm_http_finish(struct plm_http_call *call, CURLcode code)
{
	if (call->state == PLM_HTTP_DOOMED) {
		return; /* settle takes it away */
	}
	plm_http_call_conclude(call, code);
	finished(call);
}

static void reap(struct plm_http_client *client)
{
	while (!plm_http_link_empty(&client->doomed)) {
		struct plm_http_call *call = call_of(client->doomed.next);

		plm_http_unlink(call);
		plm_http_call_free(call);
	}
}

/* ---- deadlines ---- */

static int64_t deadline(const struct plm_http_call *call)
{
	const struct plm_http_request *request = &call->request;
	int64_t total = request->total_ms > 0 ? call->born_ms + request->total_ms : PLM_HTTP_NEVER;
	int64_t stall = PLM_HTTP_NEVER;

	if (request->stall_ms > 0 && call->state == PLM_HTTP_RUNNING &&
	    call->lane->paused_count == 0) {
		stall = call->active_ms + request->stall_ms;
	}
	return total < stall ? total : stall;
}

void plm_http_due(struct plm_http_client *client, const struct plm_http_call *call)
{
	int64_t due_ms = deadline(call), now = plm_http_now_ms();

	if (due_ms < client->due_ms) {
		client->due_ms = due_ms;
		(void)uv_timer_start(&client->due, plm_http_on_due,
				     due_ms > now ? (uint64_t)(due_ms - now) : 0, 0);
	}
}

/* A call is given up. Nothing came over its lane since it was sent: the next ones get another connection. */
static void suspect(const struct plm_http_call *call)
{
	struct plm_http_lane *lane = call->lane;

	if (call->state == PLM_HTTP_RUNNING && lane->multiplexed && call->tries > 0 &&
	    lane->heard_ms <= call->sent_ms) {
		plm_http_lane_retire(lane);
	}
}

static void expire(struct plm_http_call *call)
{
	const struct plm_http_request *request = &call->request;
	char why[128];

	if (request->total_ms == 0 || plm_http_now_ms() < call->born_ms + request->total_ms) {
		(void)snprintf(why, sizeof(why), "no byte came for %lld ms",
			       (long long)request->stall_ms);
	} else if (call->state == PLM_HTTP_WAITING) {
		(void)snprintf(why, sizeof(why), "waited %lld ms for its turn",
			       (long long)request->total_ms);
	} else {
		(void)snprintf(why, sizeof(why), "not answered within %lld ms",
			       (long long)request->total_ms);
	}
	suspect(call);
	plm_http_call_give_up(call, why);
	finished(call);
}

static void look_at(struct plm_http_client *client, struct plm_http_link *head)
{
	struct plm_http_link *next;

	for (struct plm_http_link *link = head->next; link != head; link = next) {
		next = link->next;
		if (deadline(call_of(link)) <= plm_http_now_ms()) {
			expire(call_of(link));
		} else {
			plm_http_due(client, call_of(link));
		}
	}
}

void plm_http_on_due(uv_timer_t *timer)
{
	struct plm_http_client *client = timer->data;

	client->due_ms = PLM_HTTP_NEVER;
	for (struct plm_http_link *at = client->peers.next; at != &client->peers; at = at->next) {
		struct plm_http_peer *peer = at->owner;

		for (struct plm_http_link *in = peer->all.next; in != &peer->all; in = in->next) {
			struct plm_http_lane *lane = in->owner;

			look_at(client, &lane->waiting);
			look_at(client, &lane->running);
		}
	}
	plm_http_settle(client);
}

/* ---- turns ---- */

/*
 * One connection carries them all where it can. With more streams than it takes, curl would open a connection
 * for each.
 */
static uint32_t bound(const struct plm_http_lane *lane)
{
	return lane->multiplexed ? PLM_LIMIT_HTTP_STREAMS : lane->peer->connections_max;
}

static bool may_start(const struct plm_http_lane *lane)
{
	const struct plm_http_client *client = lane->client;

	if (plm_http_link_empty(&lane->waiting)) {
		return false;
	}
	return lane->kind == PLM_HTTP_LANE_STREAMS ||
	       (client->counted < client->options.calls_max && lane->running_count < bound(lane));
}

/* Peers take turns; within one, first come first. */
static struct plm_http_call *next_call(struct plm_http_client *client)
{
	for (struct plm_http_link *at = client->peers.next; at != &client->peers; at = at->next) {
		struct plm_http_peer *peer = at->owner;

		for (size_t i = 0; i < PLM_HTTP_LANES; i++) {
			if (may_start(peer->lanes[i]) && plm_http_resolved(peer)) {
				plm_http_link_remove(at);
				plm_http_link_append(&client->peers, at);
				return call_of(peer->lanes[i]->waiting.next);
			}
		}
	}
	return NULL;
}

static void launch(struct plm_http_call *call)
{
	struct plm_http_lane *lane = call->lane;

	if (!plm_http_call_prepare(call)) {
		plm_http_call_give_up(call, call->why);
		finished(call);
		return;
	}
	plm_http_link_remove(&call->link);
	lane->waiting_count--;
	lane->client->stats.waiting--;
	call->state = PLM_HTTP_RUNNING;
	call->active_ms = plm_http_now_ms();
	plm_http_link_append(&lane->running, &call->link);
	lane->running_count++;
	lane->client->counted += lane->kind == PLM_HTTP_LANE_CALLS ? 1 : 0;
	lane->client->stats.under_way++;
	PLM_ASSERT(curl_multi_add_handle(lane->multi, call->easy) == CURLM_OK);
	plm_http_due(lane->client, call);
}

void plm_http_unresolved(struct plm_http_peer *peer, const char *why)
{
	char text[160];

	(void)snprintf(text, sizeof(text), "cannot resolve its name: %.100s", why);
	for (size_t i = 0; i < PLM_HTTP_LANES; i++) {
		while (!plm_http_link_empty(&peer->lanes[i]->waiting)) {
			struct plm_http_call *call = call_of(peer->lanes[i]->waiting.next);

			plm_http_call_give_up(call, text);
			finished(call);
		}
	}
}

static void start(struct plm_http_client *client)
{
	struct plm_http_call *call;

	while ((call = next_call(client)) != NULL) {
		launch(call);
	}
}

/* ---- what is left to do when nobody is inside ---- */

static void resume(struct plm_http_client *client)
{
	while (!plm_http_link_empty(&client->resumed)) {
		struct plm_http_call *call = client->resumed.next->owner;
		CURLcode code;

		plm_http_link_remove(&call->resumed);
		call->pause_told = false;
		client->inside++;
		code = curl_easy_pause(call->easy, CURLPAUSE_CONT); /* may call on_body */
		client->inside--;
		if (code != CURLE_OK) {
			plm_http_finish(call, code);
		}
	}
}

/* Lanes that are retired and empty end. */
static void sweep(struct plm_http_client *client)
{
	for (struct plm_http_link *at = client->peers.next; at != &client->peers; at = at->next) {
		struct plm_http_peer *peer = at->owner;
		struct plm_http_link *next;

		for (struct plm_http_link *in = peer->all.next; in != &peer->all; in = next) {
			struct plm_http_lane *lane = in->owner;

			next = in->next;
			if (lane->retired && plm_http_link_empty(&lane->running)) {
				plm_http_lane_free(lane);
			}
		}
	}
}

static bool deliver(struct plm_http_client *client)
{
	bool some = false;

	while (!client->dying && !plm_http_link_empty(&client->finished)) {
		struct plm_http_call *call = call_of(client->finished.next);

		plm_http_link_remove(&call->link);
		call->state = PLM_HTTP_DELIVERING;
		call->request.on_done(call->request.self, &call->outcome);
		plm_http_call_free(call);
		some = true;
	}
	return some;
}

void plm_http_settle(struct plm_http_client *client)
{
	bool some = true;

	if (client->inside > 0 || client->settling) {
		return;
	}
	client->settling = true;
	while (some && !client->dying) {
		reap(client);
		resume(client);
		sweep(client);
		some = deliver(client);
		if (!client->dying) {
			start(client);
		}
		some = some || !plm_http_link_empty(&client->finished) ||
		       !plm_http_link_empty(&client->doomed);
	}
	client->settling = false;
}

void plm_http_on_kick(uv_timer_t *timer)
{
	plm_http_settle(timer->data);
}

static void kick(struct plm_http_client *client)
{
	(void)uv_timer_start(&client->kick, plm_http_on_kick, 0, 0);
}

/* ---- client.h ---- */

struct plm_http_call *plm_http_send(struct plm_http_client *client,
				    const struct plm_http_request *request)
{
	struct plm_http_call *call = plm_http_call_new(request, plm_http_now_ms());
	enum plm_http_lane_kind kind =
		request->on_body != NULL ? PLM_HTTP_LANE_STREAMS : PLM_HTTP_LANE_CALLS;

	PLM_ASSERT(!client->dying && request->peer->client == client);
	call->lane = request->peer->lanes[kind];
	call->state = PLM_HTTP_WAITING;
	plm_http_link_append(&call->lane->waiting, &call->link);
	call->lane->waiting_count++;
	client->stats.waiting++;
	client->stats.calls++;
	plm_http_due(client, call);
	if (client->inside == 0 && !client->settling) {
		start(client);
	}
	if (!plm_http_link_empty(&client->finished)) {
		kick(client); /* it is told from the loop */
	}
	return call;
}

void plm_http_cancel(struct plm_http_call *call)
{
	struct plm_http_client *client = call->lane->client;

	if (call->state == PLM_HTTP_DELIVERING) {
		return;
	}
	PLM_ASSERT(call->state != PLM_HTTP_DOOMED);
	if (call->state == PLM_HTTP_RUNNING && client->inside > 0) {
		call->state = PLM_HTTP_DOOMED;
		plm_http_link_remove(&call->link);
		plm_http_link_append(&client->doomed, &call->link);
		return;
	}
	plm_http_unlink(call);
	plm_http_call_free(call);
	kick(client); /* somebody may have waited for its place */
}

/* Meanwhile the others of the lane may have missed bytes that lay behind the paused ones. */
static void forgive(struct plm_http_lane *lane)
{
	int64_t now = plm_http_now_ms();

	for (struct plm_http_link *at = lane->running.next; at != &lane->running; at = at->next) {
		call_of(at)->active_ms = now;
		plm_http_due(lane->client, call_of(at));
	}
}

void plm_http_pause(struct plm_http_call *call, bool paused)
{
	struct plm_http_lane *lane = call->lane;

	PLM_ASSERT(call->request.on_body != NULL);
	if (call->paused == paused || call->state == PLM_HTTP_DELIVERING ||
	    call->state == PLM_HTTP_FINISHED) {
		return;
	}
	PLM_ASSERT(call->state != PLM_HTTP_DOOMED);
	call->paused = paused;
	if (paused) {
		lane->paused_count++;
		plm_http_link_remove(&call->resumed);
		return;
	}
	lane->paused_count--;
	if (lane->paused_count == 0) {
		forgive(lane);
	}
	if (call->pause_told) {
		plm_http_link_append(&lane->client->resumed, &call->resumed);
		kick(lane->client);
	}
}

static void drop(struct plm_http_link *head)
{
	while (!plm_http_link_empty(head)) {
		struct plm_http_call *call = call_of(head->next);

		plm_http_unlink(call);
		plm_http_call_free(call);
	}
}

void plm_http_drop_all(struct plm_http_client *client)
{
	drop(&client->finished);
	drop(&client->doomed);
	for (struct plm_http_link *at = client->peers.next; at != &client->peers; at = at->next) {
		struct plm_http_peer *peer = at->owner;

		for (struct plm_http_link *in = peer->all.next; in != &peer->all; in = in->next) {
			struct plm_http_lane *lane = in->owner;

			drop(&lane->waiting);
			drop(&lane->running);
		}
	}
}
