#include "web.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "clock.h"
#include "core/limits.h"

#define HOST_SIZE 64
#define TOKEN_HEADER "Plimsoll-Token"
#define BEARER "Bearer "
/* How often connections are looked at that take too long. */
#define WATCH_MS 1000
#define STREAM_BLOCK ((size_t)16 * 1024)
/* Nothing that an answer holds may load or run anything, wherever it is looked at. */
#define POLICY "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/* What a connection is doing; a list of them for the watch. */
struct connection {
	struct connection *next, **link;
	int fd;
	int64_t due_ms; /* boot time: cut off then; INT64_MAX = never (a stream) */
};

static char bad_mark[1];

struct plm_web {
	struct MHD_Daemon *daemon; /* owned */
	struct plm_web_options options;

	pthread_t watch;
	bool watching;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t changed;
	bool stopping;
	struct connection *connections;
	struct plm_web_stats stats;
};

static void lock(struct plm_web *web)
{
	int rc = pthread_mutex_lock(&web->lock);

	PLM_ASSERT(rc == 0);
}

static void unlock(struct plm_web *web)
{
	int rc = pthread_mutex_unlock(&web->lock);

	PLM_ASSERT(rc == 0);
}

static struct connection *connection_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info == NULL ? NULL : info->socket_context;
}

/* ---- answers ----------------------------------------------------------------------------------- */

void plm_web_put(struct plm_web_answer *out, unsigned status, const char *type,
		 struct plm_slice text)
{
	char *copy = malloc(text.size + 1);

	free(out->bytes);
	out->bytes = copy;
	out->size = copy == NULL ? 0 : text.size;
	out->status = copy == NULL ? 503 : status;
	out->type = type;
	if (copy != NULL && text.size > 0) {
		memcpy(copy, text.ptr, text.size);
	}
}

void plm_web_print(struct plm_web_answer *out, unsigned status, const char *format, ...)
{
	char text[1024];
	va_list args;
	int size = 0;

	va_start(args, format);
	size = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	PLM_ASSERT(size >= 0);
	size = size < (int)sizeof(text) ? size : (int)sizeof(text) - 1;
	plm_web_put(out, status, "text/plain; charset=utf-8", plm_slice_of(text, (size_t)size));
}

/* ---- streams ----------------------------------------------------------------------------------- */

struct flow {
	struct plm_web *web;
	struct plm_web_stream stream;
	struct connection *connection; /* borrowed; may be NULL */
};

static void set_due(struct plm_web *web, struct connection *one, int64_t due_ms)
{
	if (one != NULL) {
		lock(web);
		one->due_ms = due_ms;
		unlock(web);
	}
}

static bool is_stopping(struct plm_web *web)
{
	bool stopping = false;

	lock(web);
	stopping = web->stopping;
	unlock(web);
	return stopping;
}

static ssize_t on_flow(void *self, uint64_t position, char *bytes, size_t size)
{
	struct flow *flow = self;

	(void)position;
	set_due(flow->web, flow->connection, INT64_MAX); /* it took what it was given */
	while (!is_stopping(flow->web)) {
		ssize_t got = flow->stream.read(flow->stream.self, bytes, size);

		if (got > 0) {
			set_due(flow->web, flow->connection,
				plm_clock_boot_ms() + PLM_LIMIT_WEB_ANSWER_MS);
			return got;
		}
		if (got < 0) {
			break;
		}
	}
	return MHD_CONTENT_READER_END_OF_STREAM;
}

static void on_flow_end(void *self)
{
	struct flow *flow = self;

	flow->stream.close(flow->stream.self);
	lock(flow->web);
	flow->web->stats.streams--;
	unlock(flow->web);
	free(flow);
}

static struct MHD_Response *stream_response(struct plm_web *web, struct connection *connection,
					    const struct plm_web_stream *stream)
{
	struct flow *flow = calloc(1, sizeof(*flow));
	struct MHD_Response *response = NULL;

	if (flow != NULL) {
		*flow = (struct flow){.web = web, .stream = *stream, .connection = connection};
		response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK,
							     on_flow, flow, on_flow_end);
	}
	if (response == NULL) {
		stream->close(stream->self);
		free(flow);
		return NULL;
	}
	lock(web);
	web->stats.streams++;
	unlock(web);
	return response;
}

/* ---- one request ------------------------------------------------------------------------------- */

static bool add_headers(struct MHD_Response *response, const struct plm_web_answer *answer)
{
	char number[16];
	const struct {
		const char *name, *value;
	} headers[] = {
		{MHD_HTTP_HEADER_CONTENT_TYPE, answer->type},
		{"Content-Security-Policy", POLICY},
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "no-referrer"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{MHD_HTTP_HEADER_CACHE_CONTROL, answer->tag[0] != '\0' ? "no-cache" : "no-store"},
		{MHD_HTTP_HEADER_ETAG, answer->tag[0] != '\0' ? answer->tag : NULL},
		{MHD_HTTP_HEADER_RETRY_AFTER, answer->retry_after_s != 0 ? number : NULL},
		{MHD_HTTP_HEADER_WWW_AUTHENTICATE, answer->ask_token ? "Bearer" : NULL},
		{MHD_HTTP_HEADER_ALLOW, answer->status == 405 ? "GET, HEAD" : NULL},
		{MHD_HTTP_HEADER_CONNECTION,
		 answer->status == 405 || answer->status == 413 ? "close" : NULL},
	};

	(void)snprintf(number, sizeof(number), "%u", answer->retry_after_s);
	for (size_t i = 0; i < PLM_COUNTOF(headers); i++) {
		if (headers[i].value != NULL &&
		    MHD_add_response_header(response, headers[i].name, headers[i].value) !=
			    MHD_YES) {
			return false;
		}
	}
	return true;
}

static enum MHD_Result respond(struct plm_web *web, struct MHD_Connection *connection,
			       const struct plm_web_answer *answer)
{
	struct MHD_Response *response = NULL;
	enum MHD_Result result = MHD_NO;

	if (answer->stream.read != NULL) {
		response = stream_response(web, connection_of(connection), &answer->stream);
	} else {
		response = MHD_create_response_from_buffer(answer->size, answer->bytes,
							   MHD_RESPMEM_MUST_FREE);
	}
	if (response == NULL) {
		return MHD_NO;
	}
	if (add_headers(response, answer)) {
		result = MHD_queue_response(connection, answer->status, response);
	}
	MHD_destroy_response(response);
	return result;
}

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* kube-apiserver's service proxy takes Authorization for itself, so ours comes first. */
static const char *token_of(struct MHD_Connection *connection)
{
	const char *own = header_of(connection, TOKEN_HEADER);
	const char *usual = header_of(connection, MHD_HTTP_HEADER_AUTHORIZATION);

	if (own != NULL) {
		return own;
	}
	return usual != NULL && strncasecmp(usual, BEARER, sizeof(BEARER) - 1) == 0
		       ? usual + sizeof(BEARER) - 1
		       : NULL;
}

struct pairs {
	struct plm_api_pair list[PLM_LIMIT_WEB_PARAMETERS];
	size_t count;
	bool more;
};

static enum MHD_Result on_pair(void *self, enum MHD_ValueKind kind, const char *name,
			       const char *value)
{
	struct pairs *pairs = self;

	(void)kind;
	pairs->more = pairs->count == PLM_COUNTOF(pairs->list);
	if (pairs->more) {
		return MHD_NO;
	}
	pairs->list[pairs->count++] =
		(struct plm_api_pair){.name = name, .value = value != NULL ? value : "true"};
	return MHD_YES;
}

static bool has_body(struct MHD_Connection *connection)
{
	const char *length = header_of(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return header_of(connection, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL ||
	       (length != NULL && strspn(length, "0") != strlen(length));
}

static void count_request(struct plm_web *web, bool refused)
{
	lock(web);
	web->stats.requests++;
	web->stats.refused += refused ? 1 : 0;
	unlock(web);
}

static bool is_get(const char *method)
{
	return strcmp(method, MHD_HTTP_METHOD_GET) == 0 ||
	       strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
}

static bool is_question(struct MHD_Connection *connection, const char *method)
{
	return is_get(method) && !has_body(connection);
}

static void answer_of(struct plm_web *web, struct MHD_Connection *connection, const char *url,
		      const char *method, struct plm_web_answer *answer)
{
	struct pairs pairs = {.count = 0};
	struct plm_web_request request = {
		.address = {.path = url},
		.token = token_of(connection),
		.last_event_id = header_of(connection, "Last-Event-ID"),
		.if_none_match = header_of(connection, MHD_HTTP_HEADER_IF_NONE_MATCH),
		.accept = header_of(connection, MHD_HTTP_HEADER_ACCEPT),
		.host = header_of(connection, MHD_HTTP_HEADER_HOST),
	};

	(void)MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, on_pair, &pairs);
	request.address.pairs = pairs.list;
	request.address.count = pairs.count;
	if (!is_get(method)) {
		plm_web_print(answer, 405, "only GET and HEAD\n");
	} else if (has_body(connection)) {
		plm_web_print(answer, 413, "a question has no body\n");
	} else if (pairs.more) {
		plm_web_print(answer, 400, "more than %d parameters\n", PLM_LIMIT_WEB_PARAMETERS);
	} else {
		web->options.answer(web->options.self, &request, answer);
	}
	count_request(web, answer->status == 405 || answer->status == 413);
}

/* ---- connections ------------------------------------------------------------------------------- */

static void on_connection(void *self, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode what)
{
	struct plm_web *web = self;
	struct connection *one = *context;
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	lock(web);
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		one = info == NULL ? NULL : calloc(1, sizeof(*one));
		if (one != NULL) {
			one->fd = info->connect_fd;
			one->due_ms = plm_clock_boot_ms() + PLM_LIMIT_WEB_HEADER_MS;
			one->next = web->connections;
			one->link = &web->connections;
			if (one->next != NULL) {
				one->next->link = &one->next;
			}
			web->connections = one;
		}
		*context = one;
		web->stats.connections++;
	} else {
		web->stats.connections--;
		if (one != NULL) {
			*one->link = one->next;
			if (one->next != NULL) {
				one->next->link = one->link;
			}
			free(one);
		}
		*context = NULL;
	}
	unlock(web);
}

/* The answer is out: the next header has its own time. */
static void on_completed(void *self, struct MHD_Connection *connection, void **state,
			 enum MHD_RequestTerminationCode how)
{
	(void)state;
	(void)how;
	set_due(self, connection_of(connection), plm_clock_boot_ms() + PLM_LIMIT_WEB_HEADER_MS);
}

/* What it gives is the first '*state': an address with a zero byte would be cut there in silence. */
static void *on_address(void *self, const char *raw, struct MHD_Connection *connection)
{
	(void)self;
	(void)connection;
	return strstr(raw, "%00") == NULL ? NULL : bad_mark;
}

/* NOLINTNEXTLINE(readability-function-size): the signature is MHD_AccessHandlerCallback's */
static enum MHD_Result on_request(void *self, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **state)
{
	struct plm_web *web = self;
	struct plm_web_answer answer = {.status = 0};

	(void)version;
	(void)upload;
	(void)upload_size;
	if (*state == bad_mark) {
		(void)MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
						(unsigned)PLM_LIMIT_WEB_SILENCE_S);
		plm_web_print(&answer, 400, "an address holds no zero bytes\n");
		count_request(web, true);
		return respond(web, connection, &answer);
	}
	/* Answered at the first call a connection is closed: that is for what has, or may have, a body. */
	if (*state == NULL && is_question(connection, method)) {
		*state = web;
		return MHD_YES;
	}
	/* How long it is worked on, and silent, is its own matter; 'due_ms' bounds the rest. */
	(void)MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0U);
	set_due(web, connection_of(connection), INT64_MAX);
	answer_of(web, connection, url, method, &answer);
	if (answer.status == 0) {
		plm_web_print(&answer, 404, "no such page\n");
	}
	if (answer.stream.read == NULL) {
		set_due(web, connection_of(connection),
			plm_clock_boot_ms() + PLM_LIMIT_WEB_ANSWER_MS);
	}
	return respond(web, connection, &answer);
}

/* Cut off who takes too long: a byte now and then keeps nobody's place. */
static void *watch_main(void *self)
{
	struct plm_web *web = self;

	lock(web);
	while (!web->stopping) {
		struct timespec until = {0};
		int64_t now = plm_clock_boot_ms();

		for (struct connection *one = web->connections; one != NULL; one = one->next) {
			if (one->due_ms <= now) {
				(void)shutdown(one->fd, SHUT_RDWR);
				one->due_ms = INT64_MAX;
				web->stats.refused++;
			}
		}
		(void)clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += WATCH_MS / 1000;
		(void)pthread_cond_timedwait(&web->changed, &web->lock, &until);
	}
	unlock(web);
	return NULL;
}

/* ---- listening --------------------------------------------------------------------------------- */

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

static bool read_port(const char *text, uint16_t *out)
{
	char *end = NULL;
	unsigned long port = 0;

	if (*text < '0' || *text > '9') {
		return false;
	}
	port = strtoul(text, &end, 10);
	*out = (uint16_t)port;
	return *end == '\0' && port <= UINT16_MAX;
}

/* "host:port" with a numeric host; names are not looked up. */
static bool read_address(const char *text, union address *out)
{
	const char *colon = strrchr(text, ':');
	bool six = *text == '[';
	size_t size = colon == NULL ? 0 : (size_t)(colon - text);
	char host[HOST_SIZE] = {0};
	uint16_t port = 0;

	*out = (union address){0};
	if (colon == NULL || size >= sizeof(host) || !read_port(colon + 1, &port)) {
		return false;
	}
	if (six && (size < 2 || text[size - 1] != ']')) {
		return false;
	}
	memcpy(host, six ? text + 1 : text, six ? size - 2 : size);
	if (six) {
		out->six.sin6_family = AF_INET6;
		out->six.sin6_port = htons(port);
		return inet_pton(AF_INET6, host, &out->six.sin6_addr) == 1;
	}
	out->four.sin_family = AF_INET;
	out->four.sin_port = htons(port);
	return size == 0 || inet_pton(AF_INET, host, &out->four.sin_addr) == 1;
}

static bool is_local(const union address *address)
{
	return address->any.sa_family == AF_INET6
		       ? IN6_IS_ADDR_LOOPBACK(&address->six.sin6_addr)
		       : (ntohl(address->four.sin_addr.s_addr) >> 24) == 127;
}

static enum plm_code listen_on(struct plm_web *web, union address *address, struct plm_error *err)
{
	unsigned flags =
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL;

	flags |= address->any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0;
	errno = 0;
	web->daemon = MHD_start_daemon(
		flags, 0, NULL, NULL, on_request, web, MHD_OPTION_SOCK_ADDR, &address->any,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)PLM_LIMIT_WEB_CONNECTIONS,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)PLM_LIMIT_WEB_CONNECTIONS_OF_ONE,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)PLM_LIMIT_WEB_SILENCE_S,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)PLM_LIMIT_WEB_HEADER_BYTES,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, web, MHD_OPTION_NOTIFY_COMPLETED,
		on_completed, web, MHD_OPTION_URI_LOG_CALLBACK, on_address, NULL, MHD_OPTION_END);
	if (web->daemon == NULL) {
		char text[128];
		const char *why = strerror_r(errno, text, sizeof(text));

		return plm_fail(err, PLM_E_IO, "cannot listen on %s: %s", web->options.address,
				why);
	}
	return PLM_OK;
}

static void init_lock(struct plm_web *web)
{
	pthread_condattr_t attributes;
	int rc = pthread_mutex_init(&web->lock, NULL);

	PLM_ASSERT(rc == 0);
	rc = pthread_condattr_init(&attributes);
	PLM_ASSERT(rc == 0);
	rc = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	PLM_ASSERT(rc == 0);
	rc = pthread_cond_init(&web->changed, &attributes);
	PLM_ASSERT(rc == 0);
	(void)pthread_condattr_destroy(&attributes);
}

enum plm_code plm_web_start(const struct plm_web_options *options, struct plm_web **out,
			    struct plm_error *err)
{
	struct plm_web *web = NULL;
	union address address;
	enum plm_code code = PLM_OK;

	if (!read_address(options->address, &address)) {
		return plm_fail(err, PLM_E_CONFIG, "\"%s\" is not an address like 127.0.0.1:8080",
				options->address);
	}
	web = calloc(1, sizeof(*web));
	if (web == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "http: out of memory");
	}
	web->options = *options;
	init_lock(web);
	code = listen_on(web, &address, err);
	if (code == PLM_OK) {
		web->watching = pthread_create(&web->watch, NULL, watch_main, web) == 0;
		code = web->watching ? PLM_OK
				     : plm_fail(err, PLM_E_LIMIT, "http: cannot start a thread");
	}
	if (code != PLM_OK) {
		plm_web_stop(web);
		return code;
	}
	*out = web;
	return PLM_OK;
}

void plm_web_stop(struct plm_web *web)
{
	if (web == NULL) {
		return;
	}
	lock(web);
	web->stopping = true;
	(void)pthread_cond_broadcast(&web->changed);
	unlock(web);
	if (web->daemon != NULL) {
		MHD_stop_daemon(web->daemon);
	}
	if (web->watching) {
		(void)pthread_join(web->watch, NULL);
	}
	(void)pthread_cond_destroy(&web->changed);
	(void)pthread_mutex_destroy(&web->lock);
	free(web);
}

unsigned plm_web_port(const struct plm_web *web)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(web->daemon, MHD_DAEMON_INFO_BIND_PORT);

	return info == NULL ? 0 : info->port;
}

bool plm_web_address_is_local(const char *address)
{
	union address read;

	return read_address(address, &read) && is_local(&read);
}

struct plm_web_stats plm_web_stats(struct plm_web *web)
{
	struct plm_web_stats stats;

	lock(web);
	stats = web->stats;
	unlock(web);
	return stats;
}
