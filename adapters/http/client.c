/* The client and its peers: what they hold from their making to their end. */
#include "adapters/http/client.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "adapters/http/inner.h"
#include "core/limits.h"

/* ---- the client ---- */

enum plm_code plm_http_client_new(const struct plm_http_client_options *options,
				  struct plm_http_client **out, struct plm_error *err)
{
	struct plm_http_client *client;

	PLM_ASSERT(options->loop != NULL && options->calls_max > 0);
	if (plm_http_curl_init() != CURLE_OK) {
		return plm_fail(err, PLM_E_IO, "curl cannot be initialized");
	}
	client = plm_http_must(calloc(1, sizeof(*client)));
	client->options = *options;
	client->due_ms = PLM_HTTP_NEVER;
	plm_http_link_init(&client->peers, NULL);
	plm_http_link_init(&client->finished, NULL);
	plm_http_link_init(&client->doomed, NULL);
	plm_http_link_init(&client->resumed, NULL);
	PLM_ASSERT(uv_timer_init(options->loop, &client->due) == 0);
	PLM_ASSERT(uv_timer_init(options->loop, &client->kick) == 0);
	client->due.data = client;
	client->kick.data = client;
	client->handles = 2;
	*out = client;
	return PLM_OK;
}

void plm_http_client_release(struct plm_http_client *client)
{
	PLM_ASSERT(client->handles > 0);
	client->handles--;
	if (client->handles == 0) {
		free(client);
		curl_global_cleanup();
	}
}

static void on_closed(uv_handle_t *handle)
{
	plm_http_client_release(handle->data);
}

static void detach(struct plm_http_peer *peer)
{
	plm_http_link_remove(&peer->link);
	plm_http_resolve_forget(peer);
	while (!plm_http_link_empty(&peer->all)) {
		plm_http_lane_free(peer->all.next->owner);
	}
	peer->client = NULL;
}

void plm_http_client_free(struct plm_http_client *client)
{
	if (client == NULL) {
		return;
	}
	PLM_ASSERT(client->inside == 0 && !client->dying);
	client->dying = true;
	plm_http_drop_all(client);
	while (!plm_http_link_empty(&client->peers)) {
		detach(client->peers.next->owner);
	}
	uv_close((uv_handle_t *)&client->due, on_closed);
	uv_close((uv_handle_t *)&client->kick, on_closed);
}

struct plm_http_stats plm_http_client_stats(const struct plm_http_client *client)
{
	return client->stats;
}

/* ---- a peer ---- */

static char *format(const char *pattern, ...) PLM_PRINTF(1, 2);

static char *format(const char *pattern, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, pattern);
	PLM_ASSERT(vasprintf(&text, pattern, args) >= 0);
	va_end(args);
	return text;
}

static char *part_of(CURLU *url, CURLUPart part, unsigned flags)
{
	char *text = NULL;

	return curl_url_get(url, part, &text, flags) == CURLUE_OK ? text : NULL;
}

static bool is_plain(CURLU *url)
{
	static const CURLUPart unwanted[] = {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY,
					     CURLUPART_FRAGMENT};
	bool plain = true;

	for (size_t i = 0; i < PLM_COUNTOF(unwanted); i++) {
		char *text = part_of(url, unwanted[i], 0);

		plain = plain && text == NULL;
		curl_free(text);
	}
	return plain;
}

/* The URL with 'name' for its host; connections go to the host that it had. */
static bool rename_host(struct plm_http_peer *peer, CURLU *url, const char *name)
{
	char *host = part_of(url, CURLUPART_HOST, 0);
	char *port = part_of(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
	bool good = curl_url_set(url, CURLUPART_HOST, name, 0) == CURLUE_OK;

	peer->host = format("Host: %s:%s", host, port);
	peer->connect_to = format("::%s:%s", host, port);
	peer->connect_list = plm_http_must(curl_slist_append(NULL, peer->connect_to));
	curl_free(host);
	curl_free(port);
	return good;
}

static enum plm_code take_url(struct plm_http_peer *peer, CURLU *url,
			      const struct plm_http_peer_options *options, struct plm_error *err)
{
	char *scheme, *host, *port, *text;
	bool http;

	if (curl_url_set(url, CURLUPART_URL, options->url, CURLU_PATH_AS_IS) != CURLUE_OK) {
		return plm_fail(err, PLM_E_CONFIG, "server is not a URL");
	}
	scheme = part_of(url, CURLUPART_SCHEME, 0);
	http = scheme != NULL && (strcmp(scheme, "https") == 0 || strcmp(scheme, "http") == 0);
	peer->tls = http && strcmp(scheme, "https") == 0;
	curl_free(scheme);
	if (!http || !is_plain(url)) {
		return plm_fail(
			err, PLM_E_CONFIG,
			"server must be https://host:port without user, query and fragment");
	}
	host = part_of(url, CURLUPART_HOST, 0);
	port = part_of(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
	peer->shown = format("%s:%s", host, port);
	plm_http_resolve_init(peer, host, port);
	curl_free(host);
	curl_free(port);
	if (options->server_name != NULL && !rename_host(peer, url, options->server_name)) {
		return plm_fail(err, PLM_E_CONFIG, "server name '%s' is not the name of a host",
				options->server_name);
	}
	text = part_of(url, CURLUPART_URL, 0);
	peer->url = format("%s", text);
	curl_free(text);
	for (size_t size = strlen(peer->url); size > 0 && peer->url[size - 1] == '/'; size--) {
		peer->url[size - 1] = '\0';
	}
	return PLM_OK;
}

static uint8_t *copy(struct plm_slice from, size_t *size)
{
	uint8_t *bytes = NULL;

	*size = from.size;
	if (from.size > 0) {
		bytes = plm_http_must(malloc(from.size));
		memcpy(bytes, from.ptr, from.size);
	}
	return bytes;
}

static enum plm_code fill(struct plm_http_peer *peer, const struct plm_http_peer_options *options,
			  struct plm_error *err)
{
	CURLU *url = plm_http_must(curl_url());
	enum plm_code code;

	peer->proxy = format("%s", options->proxy == NULL ? "" : options->proxy);
	code = take_url(peer, url, options, err);

	curl_url_cleanup(url);
	if (code == PLM_OK) {
		code = plm_http_pem_check(options, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	peer->insecure = options->insecure;
	peer->connections_max = options->connections_max > 0 ? options->connections_max
							     : PLM_LIMIT_HTTP_CONNECTIONS;
	peer->ca = copy(options->ca_pem, &peer->ca_size);
	peer->cert = copy(options->cert_pem, &peer->cert_size);
	peer->key = copy(options->key_pem, &peer->key_size);
	for (size_t i = 0; i < PLM_HTTP_LANES && code == PLM_OK; i++) {
		code = plm_http_lane_new(peer, (enum plm_http_lane_kind)i, &peer->lanes[i], err);
	}
	return code;
}

enum plm_code plm_http_peer_new(struct plm_http_client *client,
				const struct plm_http_peer_options *options,
				struct plm_http_peer **out, struct plm_error *err)
{
	struct plm_http_peer *peer = plm_http_must(calloc(1, sizeof(*peer)));
	enum plm_code code;

	PLM_ASSERT(!client->dying);
	peer->client = client;
	plm_http_link_init(&peer->link, peer);
	plm_http_link_init(&peer->all, NULL);
	code = fill(peer, options, err);
	if (code != PLM_OK) {
		plm_http_peer_free(peer);
		return code;
	}
	plm_http_link_append(&client->peers, &peer->link);
	*out = peer;
	return PLM_OK;
}

void plm_http_peer_free(struct plm_http_peer *peer)
{
	if (peer == NULL) {
		return;
	}
	if (peer->client != NULL) {
		PLM_ASSERT(peer->client->inside == 0);
		detach(peer);
	}
	if (peer->key_size > 0) {
		explicit_bzero(peer->key, peer->key_size);
	}
	plm_http_resolve_fini(peer);
	curl_slist_free_all(peer->connect_list);
	free(peer->url);
	free(peer->host);
	free(peer->connect_to);
	free(peer->shown);
	free(peer->proxy);
	free(peer->ca);
	free(peer->cert);
	free(peer->key);
	free(peer);
}
