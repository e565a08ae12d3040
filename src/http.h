/*
 * http.h - a few pages for machines: health and metrics
 *
 * Owns: one listening socket with a thread of its own (libmicrohttpd), GET and HEAD only. Does not: know
 * what a page says; it is asked for on that thread.
 */
#ifndef PLM_HTTP_H
#define PLM_HTTP_H

#include "core/error.h"

struct plm_http; /* opaque */

#define PLM_HTTP_PAGE_SIZE ((size_t)16 * 1024)

struct plm_http_page {
	unsigned status;  /* 200, 503, ...; 404 when there is no such page */
	const char *type; /* static: content type */
	char text[PLM_HTTP_PAGE_SIZE];
	size_t size;
};

struct plm_http_options {
	const char *
		address; /* "127.0.0.1:8080", "[::1]:8080", ":8080" = all addresses; port 0 = any */
	/* Fill in 'out' for 'path'; any thread. */
	void (*page)(void *self, const char *path, struct plm_http_page *out);
	void *self;
};

/* PLM_E_CONFIG: not an address. PLM_E_IO: it cannot be listened on. */
enum plm_code plm_http_start(const struct plm_http_options *options, struct plm_http **out,
			     struct plm_error *err) PLM_MUST_CHECK;
void plm_http_stop(struct plm_http *http); /* NULL-safe */
unsigned plm_http_port(const struct plm_http *http);

/* Append formatted text to a page; what does not fit is cut. */
void plm_http_add(struct plm_http_page *page, const char *format, ...) PLM_PRINTF(2, 3);

#endif
