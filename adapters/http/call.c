/* One call: curl's handle, what comes of the answer, and what may be said of its fate. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>

#include "adapters/http/inner.h"
#include "adapters/http/sign.h"
#include "core/event.h"
#include "core/limits.h"

#define BODY_FIRST 4096

/* ---- the request's copies ---- */

static bool has_header(const char *const *headers, const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; headers != NULL && headers[i] != NULL; i++) {
		if (strncasecmp(headers[i], name, size) == 0 && headers[i][size] == ':') {
			return true;
		}
	}
	return false;
}

static bool is_read(const char *method)
{
	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

static bool is_line(const char *text)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f) {
			return false;
		}
	}
	return true;
}

static bool is_path(const char *path)
{
	return path[0] == '/' && strchr(path, ' ') == NULL && strchr(path, '#') == NULL &&
	       is_line(path);
}

static void add_header(struct plm_http_call *call, const char *line)
{
	call->headers = plm_http_must(curl_slist_append(call->headers, line));
}

static bool copy_headers(struct plm_http_call *call, const struct plm_http_request *request)
{
	const char *const *headers = request->headers;

	for (size_t i = 0; headers != NULL && headers[i] != NULL; i++) {
		if (strchr(headers[i], ':') == NULL || !is_line(headers[i])) {
			return false;
		}
		add_header(call, headers[i]);
	}
	if (request->peer->host != NULL && !has_header(headers, "Host")) {
		add_header(call, request->peer->host);
	}
	if (!is_read(request->method) && request->sign == NULL) {
		add_header(call, "Expect:"); /* no round trip before a large body */
		if (!has_header(headers, "Content-Type")) {
			add_header(call, "Content-Type:");
		}
	}
	return true;
}

static void check_and_copy(struct plm_http_call *call, const struct plm_http_request *request)
{
	const char *fault = NULL;

	if (!is_path(request->path)) {
		fault = "path is not one of HTTP";
	} else if (!copy_headers(call, request)) {
		fault = "header line is not one of HTTP";
	} else if (request->sign != NULL) {
		fault = plm_http_sign_fault(request);
	}
	if (fault != NULL) {
		(void)snprintf(call->why, sizeof(call->why), "%s%s",
			       request->sign == NULL ? "" : "cannot be signed: ", fault);
	} else if (request->sign != NULL) {
		plm_http_signature_take(call, request);
	}
}

struct plm_http_call *plm_http_call_new(const struct plm_http_request *request, int64_t born_ms)
{
	struct plm_http_call *call = plm_http_must(calloc(1, sizeof(*call)));
	const struct plm_http_peer *peer = request->peer;
	size_t size = strlen(peer->url) + strlen(request->path) + 1;

	plm_http_link_init(&call->link, call);
	plm_http_link_init(&call->resumed, call);
	call->request = *request;
	call->born_ms = born_ms;
	call->active_ms = born_ms;
	call->outcome.retry_after_ms = PLM_UNSET;
	call->url = plm_http_must(malloc(size));
	(void)snprintf(call->url, size, "%s%s", peer->url, request->path);
	if (request->body.size > 0) {
		call->sent_body = plm_http_must(malloc(request->body.size));
		memcpy(call->sent_body, request->body.ptr, request->body.size);
	}
	check_and_copy(call, request);
	call->request.path = NULL;
	call->request.headers = NULL;
	call->request.sign = NULL;
	call->request.body = plm_slice_of(call->sent_body, request->body.size);
	return call;
}

/* It may hold a token, as a TokenReview and its answer do. */
static void wipe(uint8_t *bytes, size_t size)
{
	if (bytes != NULL) {
		explicit_bzero(bytes, size);
	}
	free(bytes);
}

void plm_http_call_free(struct plm_http_call *call)
{
	PLM_ASSERT(call->link.next == &call->link);
	if (call->easy != NULL) {
		curl_easy_cleanup(call->easy);
	}
	for (struct curl_slist *line = call->headers; line != NULL; line = line->next) {
		explicit_bzero(line->data, strlen(line->data)); /* a token, perhaps */
	}
	curl_slist_free_all(call->headers);
	plm_http_signature_free(call);
	free(call->url);
	wipe(call->sent_body, call->request.body.size);
	wipe(call->body, call->body_room);
	free(call);
}

/* ---- what curl tells; client->inside is set ---- */

static bool is_wanted(const struct plm_http_call *call)
{
	return call->state == PLM_HTTP_RUNNING;
}

static unsigned status_of(const struct plm_http_call *call)
{
	long status = 0;

	(void)curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
	return status < 0 ? 0 : (unsigned)status;
}

static bool was_sent(const struct plm_http_call *call)
{
	long size = 0;

	(void)curl_easy_getinfo(call->easy, CURLINFO_REQUEST_SIZE, &size);
	return call->tries > 0 && size > call->refused_size;
}

/*
 * What curl writes for people is the only place where it says that the far end refused the stream unseen
 * (HTTP/2: REFUSED_STREAM, or a GOAWAY that names an earlier one).
 */
static int on_text(CURL *easy, curl_infotype type, char *text, size_t size, void *self)
{
	static const char refused[] = "REFUSED_STREAM";
	struct plm_http_call *call = self;

	(void)easy;
	if (type == CURLINFO_TEXT && size >= sizeof(refused) - 1 &&
	    memcmp(text, refused, sizeof(refused) - 1) == 0) {
		(void)curl_easy_getinfo(call->easy, CURLINFO_REQUEST_SIZE, &call->refused_size);
	}
	return 0;
}

/*
 * A connection is there and the request is about to be written. Curl comes here again when a stream was
 * refused, or when a kept connection died before any answer; then only a read is sent twice.
 */
static int on_ready(void *self, char *to, char *from, int to_port, int from_port)
{
	struct plm_http_call *call = self;

	(void)to;
	(void)from;
	(void)to_port;
	(void)from_port;
	call->active_ms = plm_http_now_ms();
	call->sent_ms = call->active_ms;
	if (!is_wanted(call)) {
		return CURL_PREREQFUNC_ABORT;
	}
	if (was_sent(call) && !is_read(call->request.method)) {
		call->repeated = true;
		return CURL_PREREQFUNC_ABORT;
	}
	call->tries++;
	return CURL_PREREQFUNC_OK;
}

static void heard(struct plm_http_call *call, size_t size)
{
	call->active_ms = plm_http_now_ms();
	call->lane->heard_ms = call->active_ms;
	call->lane->client->stats.bytes_in += size;
}

static size_t on_header(char *bytes, size_t one, size_t size, void *self)
{
	struct plm_http_call *call = self;
	struct plm_slice line = plm_slice_of(bytes, size);

	PLM_ASSERT(one == 1);
	if (!is_wanted(call)) {
		return 0;
	}
	heard(call, size);
	if (size > 7 && memcmp(bytes, "HTTP/", 5) == 0) {
		call->lane->multiplexed = bytes[5] == '2';
	}
	plm_http_answer_line(&call->answer, line);
	return size;
}

static size_t body_max(const struct plm_http_call *call, bool streamed)
{
	if (call->request.body_max > 0) {
		return call->request.body_max;
	}
	return streamed ? SIZE_MAX : PLM_LIMIT_HTTP_BODY_BYTES;
}

static void collect(struct plm_http_call *call, struct plm_slice piece)
{
	size_t room = call->body_room == 0 ? BODY_FIRST : call->body_room;

	while (room < call->body_size + piece.size) {
		room *= 2;
	}
	if (room != call->body_room) {
		call->body = plm_http_must(realloc(call->body, room));
		call->body_room = room;
	}
	memcpy(call->body + call->body_size, piece.ptr, piece.size);
}

static size_t on_piece(char *bytes, size_t one, size_t size, void *self)
{
	struct plm_http_call *call = self;
	struct plm_slice piece = plm_slice_of(bytes, size);
	unsigned status = status_of(call);
	bool streamed = call->request.on_body != NULL && status >= 200 && status < 300;

	PLM_ASSERT(one == 1);
	if (!is_wanted(call)) {
		return 0;
	}
	if (call->paused && streamed) {
		call->pause_told = true;
		return CURL_WRITEFUNC_PAUSE; /* curl keeps the piece and comes again */
	}
	heard(call, size);
	if (size > body_max(call, streamed) - call->body_size) {
		call->too_large = true;
		return 0;
	}
	if (!streamed) {
		collect(call, piece);
	}
	call->body_size += size;
	if (streamed && !call->request.on_body(call->request.self, piece)) {
		call->refused = true;
		return 0;
	}
	return is_wanted(call) ? size : 0;
}

/* The kernel gives up a connection whose far end no longer acknowledges, long before TCP would. */
static int on_socket(void *self, curl_socket_t fd, curlsocktype purpose)
{
	struct plm_http_call *call = self;
	unsigned timeout_ms = PLM_LIMIT_HTTP_UNACKED_MS;

	(void)purpose;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms));
	call->lane->client->stats.connections++;
	return CURL_SOCKOPT_OK;
}

/* ---- curl's handle ---- */

/* An option that this build of curl does not take is an error of the build. */
#define SET(easy, option, value) PLM_ASSERT(curl_easy_setopt((easy), (option), (value)) == CURLE_OK)

static void set_blob(CURL *easy, CURLoption option, uint8_t *bytes, size_t size)
{
	struct curl_blob blob = {.data = bytes, .len = size, .flags = CURL_BLOB_NOCOPY};

	if (size > 0) {
		SET(easy, option, &blob);
	}
}

static void set_tls(CURL *easy, const struct plm_http_peer *peer)
{
	SET(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(easy, CURLOPT_SSL_VERIFYPEER, peer->insecure ? 0L : 1L);
	SET(easy, CURLOPT_SSL_VERIFYHOST, peer->insecure ? 0L : 2L);
	if (peer->ca_size > 0) {
		/* Debian's folder of certificates would be trusted beside the blob. */
		SET(easy, CURLOPT_CAPATH, NULL);
		set_blob(easy, CURLOPT_CAINFO_BLOB, peer->ca, peer->ca_size);
	}
	set_blob(easy, CURLOPT_SSLCERT_BLOB, peer->cert, peer->cert_size);
	set_blob(easy, CURLOPT_SSLKEY_BLOB, peer->key, peer->key_size);
}

static void set_connection(CURL *easy, const struct plm_http_call *call)
{
	const struct plm_http_peer *peer = call->request.peer;
	bool many = peer->tls && call->scope == NULL; /* signed as it is written by HTTP/1.1 */

	SET(easy, CURLOPT_NOSIGNAL, 1L);
	SET(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	SET(easy, CURLOPT_PROXY, peer->proxy);
	SET(easy, CURLOPT_NOPROXY, "");
	/* Wait for the first connection to tell whether it takes many calls: TLS tells it. */
	SET(easy, CURLOPT_HTTP_VERSION,
	    (long)(many ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
	SET(easy, CURLOPT_PIPEWAIT, many ? 1L : 0L);
	SET(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	SET(easy, CURLOPT_TCP_KEEPIDLE, PLM_LIMIT_HTTP_KEEPALIVE_S);
	SET(easy, CURLOPT_TCP_KEEPINTVL, PLM_LIMIT_HTTP_KEEPALIVE_S);
	SET(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)call->request.connect_ms);
	if (peer->addresses != NULL) {
		SET(easy, CURLOPT_RESOLVE, peer->addresses);
	}
	if (peer->connect_list != NULL) {
		SET(easy, CURLOPT_CONNECT_TO, peer->connect_list);
	}
	if (call->request.on_body != NULL) {
		SET(easy, CURLOPT_BUFFERSIZE, PLM_LIMIT_HTTP_PIECE_BYTES);
	}
}

static void set_callbacks(CURL *easy, struct plm_http_call *call)
{
	SET(easy, CURLOPT_PRIVATE, call);
	SET(easy, CURLOPT_ERRORBUFFER, call->why);
	SET(easy, CURLOPT_PREREQFUNCTION, on_ready);
	SET(easy, CURLOPT_PREREQDATA, call);
	SET(easy, CURLOPT_HEADERFUNCTION, on_header);
	SET(easy, CURLOPT_HEADERDATA, call);
	SET(easy, CURLOPT_WRITEFUNCTION, on_piece);
	SET(easy, CURLOPT_WRITEDATA, call);
	if (!is_read(call->request.method)) {
		SET(easy, CURLOPT_VERBOSE, 1L);
		SET(easy, CURLOPT_DEBUGFUNCTION, on_text);
		SET(easy, CURLOPT_DEBUGDATA, call);
	}
	SET(easy, CURLOPT_SOCKOPTFUNCTION, on_socket);
	SET(easy, CURLOPT_SOCKOPTDATA, call);
}

static void set_request(CURL *easy, const struct plm_http_call *call)
{
	const char *method = call->request.method;
	const char *user_agent = call->lane->client->options.user_agent;

	SET(easy, CURLOPT_URL, call->url);
	SET(easy, CURLOPT_PATH_AS_IS, 1L);
	SET(easy, CURLOPT_HTTPHEADER, call->headers);
	if (user_agent != NULL) {
		SET(easy, CURLOPT_USERAGENT, user_agent);
	}
	if (strcmp(method, "HEAD") == 0) {
		SET(easy, CURLOPT_NOBODY, 1L);
	} else if (strcmp(method, "GET") != 0) {
		if (call->request.body.size > 0 || strcmp(method, "DELETE") != 0) {
			SET(easy, CURLOPT_POST, 1L);
			SET(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->request.body.size);
			SET(easy, CURLOPT_POSTFIELDS,
			    call->sent_body == NULL ? "" : (const char *)call->sent_body);
		}
		SET(easy, CURLOPT_CUSTOMREQUEST, method);
	}
}

bool plm_http_call_prepare(struct plm_http_call *call)
{
	if (call->why[0] != '\0') {
		return false;
	}
	call->easy = plm_http_must(curl_easy_init());
	set_callbacks(call->easy, call);
	set_connection(call->easy, call);
	set_tls(call->easy, call->request.peer);
	set_request(call->easy, call);
	plm_http_signature_set(call->easy, call);
	return true;
}

/* ---- the end ---- */

static void count_out(struct plm_http_call *call)
{
	curl_off_t body = 0;
	long head = 0;

	if (call->easy != NULL) {
		(void)curl_easy_getinfo(call->easy, CURLINFO_REQUEST_SIZE, &head);
		(void)curl_easy_getinfo(call->easy, CURLINFO_SIZE_UPLOAD_T, &body);
	}
	call->lane->client->stats.bytes_out += (uint64_t)head + (uint64_t)body;
}

static void explain(struct plm_http_call *call, const char *why)
{
	struct plm_http_outcome *outcome = &call->outcome;

	(void)snprintf(outcome->text, sizeof(outcome->text), "%s %.60s: %.180s",
		       call->request.method, call->request.peer->shown, why);
	for (char *at = outcome->text; *at != '\0'; at++) {
		if ((unsigned char)*at < 0x20) {
			*at = ' ';
		}
	}
}

static void fill(struct plm_http_call *call, enum plm_http_fate fate)
{
	struct plm_http_outcome *outcome = &call->outcome;
	uv_timeval64_t now = {0};

	(void)uv_gettimeofday(&now);
	outcome->fate = fate;
	outcome->status = call->easy == NULL ? 0 : status_of(call);
	outcome->retry_after_ms = plm_http_answer_retry_ms(&call->answer, now.tv_sec);
	outcome->body = plm_slice_of(call->body, call->body == NULL ? 0 : call->body_size);
	memcpy(outcome->request_id, call->answer.request_id, sizeof(outcome->request_id));
	memcpy(outcome->error_type, call->answer.error_type, sizeof(outcome->error_type));
	outcome->elapsed_ms = plm_http_now_ms() - call->born_ms;
	count_out(call);
}

static enum plm_http_fate unanswered(const struct plm_http_call *call)
{
	return call->easy != NULL && was_sent(call) ? PLM_HTTP_LOST : PLM_HTTP_NOT_SENT;
}

void plm_http_call_conclude(struct plm_http_call *call, CURLcode code)
{
	if (code == CURLE_OK) {
		fill(call, PLM_HTTP_ANSWERED);
	} else if (call->too_large) {
		fill(call, PLM_HTTP_TOO_LARGE);
		explain(call, "the answer's body is larger than its bound");
	} else if (call->refused) {
		fill(call, PLM_HTTP_REFUSED);
		explain(call, "the answer was refused by its reader");
	} else if (call->repeated) {
		fill(call, PLM_HTTP_LOST);
		explain(call, "the connection ended before an answer");
	} else {
		fill(call, unanswered(call));
		explain(call, call->why[0] != '\0' ? call->why : curl_easy_strerror(code));
	}
}

void plm_http_call_give_up(struct plm_http_call *call, const char *why)
{
	fill(call, unanswered(call));
	explain(call, why);
}
