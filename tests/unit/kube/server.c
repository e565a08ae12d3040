#include "server.h"

#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define ROOM 65536

struct server_peer {
	struct server_peer *next;
	struct server *server;
	uv_tcp_t tcp;
	char bytes[ROOM];
	size_t size;
};

struct reply {
	uv_write_t write;
	char bytes[ROOM];
};

static void on_peer_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void drop(struct server_peer *peer)
{
	struct server_peer **at = &peer->server->peers;

	if (uv_is_closing((uv_handle_t *)&peer->tcp)) {
		return;
	}
	while (*at != peer) {
		at = &(*at)->next;
	}
	*at = peer->next;
	uv_close((uv_handle_t *)&peer->tcp, on_peer_closed);
}

static void on_written(uv_write_t *write, int status)
{
	(void)status;
	free(write->data);
}

static void reply_with(struct server_peer *peer, const struct server_answer *answer)
{
	struct reply *reply = calloc(1, sizeof(*reply));
	uv_buf_t buf;
	int size = 0;

	assert_non_null(reply);
	size = snprintf(reply->bytes, sizeof(reply->bytes),
			"HTTP/1.1 %u X\r\nContent-Type: application/json\r\nAudit-Id: audit-7\r\n"
			"%sContent-Length: %zu\r\n\r\n%s",
			answer->status, answer->headers == NULL ? "" : answer->headers,
			strlen(answer->body), answer->body);
	assert_in_range(size, 1, sizeof(reply->bytes) - 1);
	reply->write.data = reply;
	buf = uv_buf_init(reply->bytes, (unsigned)size);
	assert_int_equal(uv_write(&reply->write, (uv_stream_t *)&peer->tcp, &buf, 1, on_written),
			 0);
}

/* The value of header 'name' in 'head', in 'out'; "" when absent. */
static void header(const char *head, const char *name, char *out, size_t size)
{
	const char *line = strstr(head, "\r\n");

	out[0] = '\0';
	for (; line != NULL; line = strstr(line + 2, "\r\n")) {
		if (strncasecmp(line + 2, name, strlen(name)) == 0 &&
		    line[2 + strlen(name)] == ':') {
			const char *value = line + 2 + strlen(name) + 1;

			value += strspn(value, " ");
			(void)snprintf(out, size, "%.*s", (int)strcspn(value, "\r"), value);
		}
	}
}

/* Serve one request of what has come; false: it is not whole. */
static bool serve(struct server_peer *peer)
{
	struct server_request request = {0};
	struct server_answer answer = {.status = 404, .body = "404 page not found\n"};
	char *end = memmem(peer->bytes, peer->size, "\r\n\r\n", 4);
	char length[32];
	size_t head = 0;
	size_t body = 0;

	if (end == NULL) {
		return false;
	}
	head = (size_t)(end - peer->bytes) + 4;
	*end = '\0';
	header(peer->bytes, "Content-Length", length, sizeof(length));
	body = (size_t)strtoul(length, NULL, 10);
	if (peer->size < head + body) {
		*end = '\r';
		return false;
	}
	header(peer->bytes, "Authorization", request.authorization, sizeof(request.authorization));
	header(peer->bytes, "Content-Type", request.content_type, sizeof(request.content_type));
	header(peer->bytes, "X-Amz-Target", request.target, sizeof(request.target));
	header(peer->bytes, "Accept", request.accept, sizeof(request.accept));
	(void)snprintf(request.method, sizeof(request.method), "%.*s",
		       (int)strcspn(peer->bytes, " "), peer->bytes);
	(void)snprintf(request.path, sizeof(request.path), "%.*s",
		       (int)strcspn(strchr(peer->bytes, ' ') + 1, " "),
		       strchr(peer->bytes, ' ') + 1);
	request.body = plm_slice_of(peer->bytes + head, body);
	request.head = peer->bytes;
	peer->server->ask(peer->server->self, &request, &answer);
	peer->size -= head + body;
	memmove(peer->bytes, peer->bytes + head + body, peer->size);
	if (answer.close) {
		drop(peer);
		return false;
	}
	if (!answer.hang) {
		reply_with(peer, &answer);
	}
	return true;
}

static void on_room(uv_handle_t *handle, size_t wanted, uv_buf_t *buf)
{
	struct server_peer *peer = handle->data;

	(void)wanted;
	*buf = uv_buf_init(peer->bytes + peer->size, (unsigned)(ROOM - peer->size));
}

static void on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf)
{
	struct server_peer *peer = stream->data;

	(void)buf;
	if (got < 0) {
		drop(peer);
		return;
	}
	peer->size += (size_t)got;
	while (serve(peer)) {
	}
}

static void on_connection(uv_stream_t *listener, int status)
{
	struct server *server = listener->data;
	struct server_peer *peer = calloc(1, sizeof(*peer));

	assert_int_equal(status, 0);
	assert_non_null(peer);
	peer->server = server;
	peer->next = server->peers;
	server->peers = peer;
	assert_int_equal(uv_tcp_init(server->loop, &peer->tcp), 0);
	peer->tcp.data = peer;
	assert_int_equal(uv_accept(listener, (uv_stream_t *)&peer->tcp), 0);
	assert_int_equal(uv_read_start((uv_stream_t *)&peer->tcp, on_room, on_read), 0);
}

void server_open(struct server *server)
{
	struct sockaddr_in address;
	int size = (int)sizeof(address);

	assert_int_equal(uv_ip4_addr("127.0.0.1", 0, &address), 0);
	assert_int_equal(uv_tcp_init(server->loop, &server->listener), 0);
	server->listener.data = server;
	assert_int_equal(uv_tcp_bind(&server->listener, (struct sockaddr *)&address, 0), 0);
	assert_int_equal(uv_listen((uv_stream_t *)&server->listener, 16, on_connection), 0);
	assert_int_equal(uv_tcp_getsockname(&server->listener, (struct sockaddr *)&address, &size),
			 0);
	server->port = ntohs(address.sin_port);
}

void server_close(struct server *server)
{
	while (server->peers != NULL) {
		drop(server->peers);
	}
	uv_close((uv_handle_t *)&server->listener, NULL);
}
