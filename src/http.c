#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define HOST_SIZE 64
/* Connections at once, and seconds that a silent one is kept. */
#define CONNECTIONS 64U
#define SILENCE_S 10U

struct plm_http {
	struct MHD_Daemon *daemon; /* owned */
	struct plm_http_options options;
};

void plm_http_add(struct plm_http_page *page, const char *format, ...)
{
	size_t room = sizeof(page->text) - page->size;
	va_list args;
	int size = 0;

	va_start(args, format);
	size = vsnprintf(page->text + page->size, room, format, args);
	va_end(args);
	PLM_ASSERT(size >= 0);
	page->size += (size_t)size < room ? (size_t)size : room - 1;
}

/* ---- one request ------------------------------------------------------------------------------- */

static enum MHD_Result respond(struct MHD_Connection *connection, const struct plm_http_page *page)
{
	char copy[PLM_HTTP_PAGE_SIZE];
	struct MHD_Response *response = NULL;
	enum MHD_Result result = MHD_NO;

	memcpy(copy, page->text, page->size);
	response = MHD_create_response_from_buffer(page->size, copy, MHD_RESPMEM_MUST_COPY);
	if (response == NULL) {
		return MHD_NO;
	}
	(void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, page->type);
	result = MHD_queue_response(connection, page->status, response);
	MHD_destroy_response(response);
	return result;
}

/* NOLINTNEXTLINE(readability-function-size): the signature is MHD_AccessHandlerCallback's */
static enum MHD_Result on_request(void *self, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **state)
{
	const struct plm_http *http = self;
	struct plm_http_page page = {.status = MHD_HTTP_NOT_FOUND, .type = "text/plain"};

	(void)version;
	(void)upload;
	(void)state;
	if (*upload_size > 0) {
		*upload_size = 0;
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
		page.status = MHD_HTTP_METHOD_NOT_ALLOWED;
	} else {
		http->options.page(http->options.self, url, &page);
	}
	if (page.size == 0) {
		plm_http_add(&page, "%u\n", page.status);
	}
	return respond(connection, &page);
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

enum plm_code plm_http_start(const struct plm_http_options *options, struct plm_http **out,
			     struct plm_error *err)
{
	struct plm_http *http = NULL;
	union address address;
	unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD;

	if (!read_address(options->address, &address)) {
		return plm_fail(err, PLM_E_CONFIG, "\"%s\" is not an address like 127.0.0.1:8080",
				options->address);
	}
	http = calloc(1, sizeof(*http));
	if (http == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "http: out of memory");
	}
	http->options = *options;
	flags |= address.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0;
	errno = 0;
	http->daemon =
		MHD_start_daemon(flags, 0, NULL, NULL, on_request, http, MHD_OPTION_SOCK_ADDR,
				 &address.any, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
				 MHD_OPTION_CONNECTION_TIMEOUT, SILENCE_S, MHD_OPTION_END);
	if (http->daemon == NULL) {
		char text[128];
		const char *why = strerror_r(errno, text, sizeof(text));

		free(http);
		return plm_fail(err, PLM_E_IO, "cannot listen on %s: %s", options->address, why);
	}
	*out = http;
	return PLM_OK;
}

void plm_http_stop(struct plm_http *http)
{
	if (http != NULL) {
		MHD_stop_daemon(http->daemon);
		free(http);
	}
}

unsigned plm_http_port(const struct plm_http *http)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT);

	return info == NULL ? 0 : info->port;
}
