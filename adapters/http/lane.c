/* One curl multi handle on the loop: its sockets, its timer, its messages. */
#include <stdlib.h>

#include "adapters/http/inner.h"

struct plm_http_socket {
	uv_poll_t poll;
	struct plm_http_client *client; /* borrowed; outlives the lane */
	struct plm_http_link link;
	struct plm_http_lane *lane;
	curl_socket_t fd;
	int events; /* of uv, that curl wants */
};

static void collect(struct plm_http_lane *lane)
{
	CURLMsg *message;
	int left = 0;

	while ((message = curl_multi_info_read(lane->multi, &left)) != NULL) {
		CURLcode code = message->data.result;
		struct plm_http_call *call = NULL;

		PLM_ASSERT(message->msg == CURLMSG_DONE);
		(void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &call);
		plm_http_finish(call, code);
	}
}

static void on_nudge(uv_timer_t *timer)
{
	struct plm_http_lane *lane = timer->data;
	int running = 0;

	lane->client->inside++;
	(void)curl_multi_perform(lane->multi, &running);
	lane->client->inside--;
	collect(lane);
	plm_http_settle(lane->client);
}

/*
 * libcurl 7.88 may take an HTTP/2 answer in while it still sends the request, and then ask for no socket: the
 * call would lie until its time is up. Where calls are under way and no socket is looked at, they are
 * looked at once more.
 */
static void nudge(struct plm_http_lane *lane)
{
	if (!plm_http_link_empty(&lane->running) && plm_http_link_empty(&lane->sockets)) {
		(void)uv_timer_start(&lane->nudge, on_nudge, 0, 0);
	}
}

static void act(struct plm_http_lane *lane, curl_socket_t fd, int events)
{
	struct plm_http_client *client = lane->client;
	int running = 0;
	CURLMcode code;

	client->inside++;
	code = curl_multi_socket_action(lane->multi, fd, events, &running);
	client->inside--;
	/* A socket that curl has let go of meanwhile is no error. */
	PLM_ASSERT(code == CURLM_OK || code == CURLM_BAD_SOCKET);
	collect(lane);
	nudge(lane);
	plm_http_settle(client);
}

/* ---- sockets ---- */

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct plm_http_socket *socket = poll->data;
	int flags = 0;

	if (status < 0) {
		/*
		 * A reset. Told as an error curl would not look closer; by reading it learns of the reset
		 * and of whether the request may be sent again. uv has stopped looking.
		 */
		flags = CURL_CSELECT_IN | CURL_CSELECT_OUT;
		(void)uv_poll_start(poll, socket->events, on_poll);
	}
	flags |= (events & UV_READABLE) != 0 ? CURL_CSELECT_IN : 0;
	flags |= (events & UV_WRITABLE) != 0 ? CURL_CSELECT_OUT : 0;
	act(socket->lane, socket->fd, flags);
}

static void on_socket_closed(uv_handle_t *handle)
{
	struct plm_http_socket *socket = handle->data;
	struct plm_http_client *client = socket->client;

	free(socket);
	plm_http_client_release(client);
}

static void socket_close(struct plm_http_socket *socket)
{
	plm_http_link_remove(&socket->link);
	(void)uv_poll_stop(&socket->poll);
	uv_close((uv_handle_t *)&socket->poll, on_socket_closed);
}

static struct plm_http_socket *socket_new(struct plm_http_lane *lane, curl_socket_t fd)
{
	struct plm_http_socket *socket = plm_http_must(calloc(1, sizeof(*socket)));

	socket->lane = lane;
	socket->fd = fd;
	PLM_ASSERT(uv_poll_init_socket(lane->client->options.loop, &socket->poll, fd) == 0);
	socket->poll.data = socket;
	socket->client = lane->client;
	lane->client->handles++;
	plm_http_link_init(&socket->link, socket);
	plm_http_link_append(&lane->sockets, &socket->link);
	return socket;
}

/* Curl: look at 'fd' for 'what' from now on. */
static int on_watch(CURL *easy, curl_socket_t fd, int what, void *self, void *known)
{
	struct plm_http_lane *lane = self;
	struct plm_http_socket *socket = known;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (socket != NULL) {
			(void)curl_multi_assign(lane->multi, fd, NULL);
			socket_close(socket);
		}
		return 0;
	}
	if (socket == NULL) {
		socket = socket_new(lane, fd);
		(void)curl_multi_assign(lane->multi, fd, socket);
	}
	socket->events = (what & CURL_POLL_IN) != 0 ? UV_READABLE : 0;
	socket->events |= (what & CURL_POLL_OUT) != 0 ? UV_WRITABLE : 0;
	PLM_ASSERT(uv_poll_start(&socket->poll, socket->events, on_poll) == 0);
	return 0;
}

/* ---- time ---- */

static void on_time(uv_timer_t *timer)
{
	act(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timeout(CURLM *multi, long timeout_ms, void *self)
{
	struct plm_http_lane *lane = self;

	(void)multi;
	if (timeout_ms < 0) {
		(void)uv_timer_stop(&lane->timer);
	} else {
		(void)uv_timer_start(&lane->timer, on_time, (uint64_t)timeout_ms, 0);
	}
	return 0;
}

/* ---- life ---- */

#define SET(multi, option, value)                                                                  \
	PLM_ASSERT(curl_multi_setopt((multi), (option), (value)) == CURLM_OK)

enum plm_code plm_http_lane_new(struct plm_http_peer *peer, enum plm_http_lane_kind kind,
				struct plm_http_lane **out, struct plm_error *err)
{
	struct plm_http_lane *lane = plm_http_must(calloc(1, sizeof(*lane)));

	lane->client = peer->client;
	lane->peer = peer;
	lane->kind = kind;
	plm_http_link_init(&lane->link, lane);
	plm_http_link_init(&lane->sockets, NULL);
	plm_http_link_init(&lane->waiting, NULL);
	plm_http_link_init(&lane->running, NULL);
	lane->multi = curl_multi_init();
	if (lane->multi == NULL) {
		free(lane);
		return plm_fail(err, PLM_E_IO, "curl gives no handle for %s", peer->shown);
	}
	PLM_ASSERT(uv_timer_init(lane->client->options.loop, &lane->timer) == 0);
	lane->timer.data = lane;
	PLM_ASSERT(uv_timer_init(lane->client->options.loop, &lane->nudge) == 0);
	lane->nudge.data = lane;
	lane->client->handles++;
	SET(lane->multi, CURLMOPT_SOCKETFUNCTION, on_watch);
	SET(lane->multi, CURLMOPT_SOCKETDATA, lane);
	SET(lane->multi, CURLMOPT_TIMERFUNCTION, on_timeout);
	SET(lane->multi, CURLMOPT_TIMERDATA, lane);
	SET(lane->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
	if (kind == PLM_HTTP_LANE_CALLS) {
		SET(lane->multi, CURLMOPT_MAXCONNECTS, (long)peer->connections_max);
		SET(lane->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)peer->connections_max);
	}
	plm_http_link_append(&peer->all, &lane->link);
	*out = lane;
	return PLM_OK;
}

void plm_http_lane_retire(struct plm_http_lane *lane)
{
	struct plm_http_lane *next = NULL;

	if (lane->retired || plm_http_lane_new(lane->peer, lane->kind, &next, NULL) != PLM_OK) {
		return;
	}
	lane->retired = true;
	lane->peer->lanes[lane->kind] = next;
	while (!plm_http_link_empty(&lane->waiting)) {
		struct plm_http_call *call = lane->waiting.next->owner;

		plm_http_link_remove(&call->link);
		plm_http_link_append(&next->waiting, &call->link);
		call->lane = next;
		lane->waiting_count--;
		next->waiting_count++;
	}
}

static void on_lane_closed(uv_handle_t *handle)
{
	struct plm_http_lane *lane = handle->data;
	struct plm_http_client *client = lane->client;

	lane->handles--;
	if (lane->handles == 0) {
		free(lane);
		plm_http_client_release(client);
	}
}

void plm_http_lane_free(struct plm_http_lane *lane)
{
	if (lane == NULL) {
		return;
	}
	PLM_ASSERT(plm_http_link_empty(&lane->waiting) && plm_http_link_empty(&lane->running));
	plm_http_link_remove(&lane->link);
	while (!plm_http_link_empty(&lane->sockets)) {
		socket_close(lane->sockets.next->owner);
	}
	/* Connections end now, and curl must not come back about them. */
	SET(lane->multi, CURLMOPT_SOCKETFUNCTION, NULL);
	SET(lane->multi, CURLMOPT_TIMERFUNCTION, NULL);
	PLM_ASSERT(curl_multi_cleanup(lane->multi) == CURLM_OK);
	lane->multi = NULL;
	lane->peer = NULL;
	lane->handles = 2;
	uv_close((uv_handle_t *)&lane->nudge, on_lane_closed);
	uv_close((uv_handle_t *)&lane->timer, on_lane_closed);
}
