/*
 * Names to addresses, off the loop. Curl's own resolver is waited for when a call that needs it is given up,
 * which stops the loop for as long as a name server is silent; so curl is only ever told addresses.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>

#include "adapters/http/inner.h"
#include "core/limits.h"

struct plm_http_resolve {
	uv_getaddrinfo_t request;
	struct plm_http_client *client; /* borrowed; outlives this */
	struct plm_http_peer *peer;	/* NULL: it has gone */
};

void plm_http_resolve_init(struct plm_http_peer *peer, const char *host, const char *port)
{
	struct in6_addr address;

	/* An address as it is, or in the brackets of a URL; or the proxy's to find. */
	if (inet_pton(AF_INET, host, &address) == 1 || host[0] == '[' || peer->proxy[0] != '\0') {
		return;
	}
	peer->name = strdup(host);
	peer->port = strdup(port);
	PLM_ASSERT(peer->name != NULL && peer->port != NULL);
}

/* ",ADDRESS" onto 'text', while there is room. */
static size_t append(char *text, size_t size, size_t room, const struct addrinfo *info)
{
	char address[INET6_ADDRSTRLEN + 2];
	bool six = info->ai_family == AF_INET6;
	int added;

	if (getnameinfo(info->ai_addr, info->ai_addrlen, address, sizeof(address), NULL, 0,
			NI_NUMERICHOST) != 0) {
		return size;
	}
	added = snprintf(text + size, room - size, "%s%s%s%s", text[size - 1] == ':' ? "" : ",",
			 six ? "[" : "", address, six ? "]" : "");
	if (added < 0 || (size_t)added >= room - size) {
		text[size] = '\0';
		return size;
	}
	return size + (size_t)added;
}

static void take(struct plm_http_peer *peer, const struct addrinfo *found)
{
	char text[2048];
	int start = snprintf(text, sizeof(text), "%.1000s:%.10s:", peer->name, peer->port);
	size_t size = (size_t)start, first = size;

	PLM_ASSERT(start > 0);
	for (const struct addrinfo *info = found; info != NULL; info = info->ai_next) {
		size = append(text, size, sizeof(text), info);
	}
	if (size > first) {
		curl_slist_free_all(peer->addresses);
		peer->addresses = curl_slist_append(NULL, text);
		PLM_ASSERT(peer->addresses != NULL);
	}
}

static void on_found(uv_getaddrinfo_t *request, int status, struct addrinfo *found)
{
	struct plm_http_resolve *resolve = request->data;
	struct plm_http_client *client = resolve->client;
	struct plm_http_peer *peer = resolve->peer;

	if (peer != NULL) {
		peer->resolve = NULL;
		peer->resolved_ms = plm_http_now_ms();
		if (status == 0) {
			take(peer, found);
		}
		if (peer->addresses == NULL) {
			plm_http_unresolved(peer, status == 0 ? "no address" : uv_strerror(status));
		}
		plm_http_settle(client);
	}
	uv_freeaddrinfo(found);
	free(resolve);
	plm_http_client_release(client);
}

static void begin(struct plm_http_peer *peer)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct plm_http_resolve *resolve = calloc(1, sizeof(*resolve));

	PLM_ASSERT(resolve != NULL);
	resolve->client = peer->client;
	resolve->peer = peer;
	resolve->request.data = resolve;
	PLM_ASSERT(uv_getaddrinfo(peer->client->options.loop, &resolve->request, on_found,
				  peer->name, peer->port, &hints) == 0);
	peer->client->handles++;
	peer->resolve = resolve;
}

bool plm_http_resolved(struct plm_http_peer *peer)
{
	bool old = plm_http_now_ms() - peer->resolved_ms >= PLM_LIMIT_HTTP_RESOLVE_MS;

	if (peer->name == NULL) {
		return true;
	}
	if (peer->resolve == NULL && (peer->addresses == NULL || old)) {
		begin(peer);
	}
	return peer->addresses != NULL; /* old ones serve until there are new ones */
}

void plm_http_resolve_forget(struct plm_http_peer *peer)
{
	if (peer->resolve != NULL) {
		peer->resolve->peer = NULL;
		(void)uv_cancel((uv_req_t *)&peer->resolve->request);
		peer->resolve = NULL;
	}
}

void plm_http_resolve_fini(struct plm_http_peer *peer)
{
	curl_slist_free_all(peer->addresses);
	free(peer->name);
	free(peer->port);
}
