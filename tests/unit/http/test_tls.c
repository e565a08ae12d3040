/* client.h over TLS: who is trusted, by which name, and who is let in. */
#include <stdio.h>
#include <stdlib.h>

#include "http_help.h"
#include "plm_test.h"

static const struct trust_case {
	const char *why;
	const char *port, *ca, *cert, *key, *server_name;
	bool insecure;
	enum plm_http_fate fate;
	const char *text; /* in the text of what was not answered */
	const char *body; /* in the body of what was */
} trust_table[] = {
	{"right CA", "tls", "ca.pem", NULL, NULL, NULL, false, PLM_HTTP_ANSWERED, "", "sni=-\n"},
	{"wrong CA", "tls", "otherca.pem", NULL, NULL, NULL, false, PLM_HTTP_NOT_SENT,
	 "certificate", ""},
	{"system's CAs", "tls", NULL, NULL, NULL, NULL, false, PLM_HTTP_NOT_SENT, "certificate",
	 ""},
	{"wrong CA where nobody looks", "tls", "otherca.pem", NULL, NULL, NULL, true,
	 PLM_HTTP_ANSWERED, "", "method=GET\n"},
	{"name that is not the host's", "named", "ca.pem", NULL, NULL, NULL, false,
	 PLM_HTTP_NOT_SENT, "127.0.0.1", ""},
	{"server name", "named", "ca.pem", NULL, NULL, "api.example", false, PLM_HTTP_ANSWERED, "",
	 "sni=api.example\n"},
	{"host stays with a server name", "named", "ca.pem", NULL, NULL, "api.example", false,
	 PLM_HTTP_ANSWERED, "", "host: 127.0.0.1:"},
	{"wrong server name", "named", "ca.pem", NULL, NULL, "other.example", false,
	 PLM_HTTP_NOT_SENT, "other.example", ""},
	{"server name and wrong CA", "named", "otherca.pem", NULL, NULL, "api.example", false,
	 PLM_HTTP_NOT_SENT, "certificate", ""},
	{"client certificate", "mutual", "ca.pem", "client.pem", "client.key", NULL, false,
	 PLM_HTTP_ANSWERED, "", "method=GET\n"},
	{"plain server", "slam", "ca.pem", NULL, NULL, NULL, false, PLM_HTTP_NOT_SENT, "", ""},
};

static struct plm_slice file(const char *name)
{
	return name == NULL ? plm_slice_of(NULL, 0) : http_server_file(name);
}

static void ask(const struct trust_case *row, struct heard *heard)
{
	struct plm_http_peer_options options = {
		.url = http_server_url(row->port),
		.ca_pem = file(row->ca),
		.cert_pem = file(row->cert),
		.key_pem = file(row->key),
		.server_name = row->server_name,
		.insecure = row->insecure,
	};
	struct plm_http_peer *peer = NULL;
	struct plm_http_request request;
	struct plm_error err;
	struct stage stage;

	stage_open(&stage, 4);
	plm_assert_ok(plm_http_peer_new(stage.client, &options, &peer, &err), &err);
	request = heard_get(heard, peer, "/hello");
	heard_call(&stage, heard, &request);
	stage_close(&stage);
	plm_http_peer_free(peer);
}

static void trust_row(const struct trust_case *row)
{
	struct heard heard = {0};

	ask(row, &heard);
	assert_int_equal(heard.outcome.fate, row->fate);
	assert_non_null(strstr(heard.outcome.text, row->text));
	assert_has(&heard, row->body);
}
PLM_TEST_ROWS(trust_row, struct trust_case)

/*
 * A server that wants a certificate says so after TLS 1.3's handshake, when the request may have been written:
 * nothing is claimed but that there is no answer.
 */
static void without_client_certificate(void **state)
{
	static const struct trust_case none = {.port = "mutual", .ca = "ca.pem"};
	static const struct trust_case stranger = {
		.port = "mutual", .ca = "ca.pem", .cert = "stranger.pem", .key = "stranger.key"};
	struct heard heard = {0};

	(void)state;
	ask(&none, &heard);
	assert_int_not_equal(heard.outcome.fate, PLM_HTTP_ANSWERED);
	assert_int_equal(heard.outcome.status, 0);
	memset(&heard, 0, sizeof(heard));
	ask(&stranger, &heard);
	assert_int_not_equal(heard.outcome.fate, PLM_HTTP_ANSWERED);
}

static const struct config_case {
	const char *why;
	const char *url, *ca, *cert, *key, *server_name;
	const char *text;
} config_table[] = {
	{"not a URL", "::::", NULL, NULL, NULL, NULL, "not a URL"},
	{"empty", "", NULL, NULL, NULL, NULL, "not a URL"},
	{"another scheme", "ftp://host", NULL, NULL, NULL, NULL, "https://"},
	{"with a password", "https://me:secret@host", NULL, NULL, NULL, NULL, "without user"},
	{"with a query", "https://host/?a=b", NULL, NULL, NULL, NULL, "without user"},
	{"CA is a key", "https://host", "ca.key", NULL, NULL, NULL, "CA is not PEM"},
	{"certificate alone", "https://host", NULL, "client.pem", NULL, NULL, "together"},
	{"key alone", "https://host", NULL, NULL, "client.key", NULL, "together"},
	{"certificate is a key", "https://host", NULL, "client.key", "client.key", NULL,
	 "client certificate is not PEM"},
	{"key is a certificate", "https://host", NULL, "client.pem", "client.pem", NULL,
	 "client key is not PEM"},
	{"another's key", "https://host", NULL, "client.pem", "stranger.key", NULL,
	 "does not belong"},
	{"not a name", "https://host", NULL, NULL, NULL, "a b", "not the name"},
};

static void config_row(const struct config_case *row)
{
	struct plm_http_peer_options options = {
		.url = row->url,
		.ca_pem = file(row->ca),
		.cert_pem = file(row->cert),
		.key_pem = file(row->key),
		.server_name = row->server_name,
	};
	struct plm_http_peer *peer = NULL;
	struct plm_error err;
	struct stage stage;

	stage_open(&stage, 4);
	plm_assert_fails(plm_http_peer_new(stage.client, &options, &peer, &err), PLM_E_CONFIG, err,
			 row->text);
	assert_null(strstr(err.text, "secret"));
	assert_null(peer);
	stage_close(&stage);
}
PLM_TEST_ROWS(config_row, struct config_case)

/* A prefix, and slashes at its end. */
static void url_prefix(void **state)
{
	char url[160];
	struct plm_http_peer_options options = {.url = url, .ca_pem = file("ca.pem")};
	struct plm_http_peer *peer = NULL;
	struct plm_http_request request;
	struct heard heard = {0};
	struct plm_error err;
	struct stage stage;

	(void)state;
	(void)snprintf(url, sizeof(url), "%s/k8s/clusters/c-1//", http_server_url("tls"));
	stage_open(&stage, 4);
	plm_assert_ok(plm_http_peer_new(stage.client, &options, &peer, &err), &err);
	request = heard_get(&heard, peer, "/api/v1/pods?limit=1");
	heard_call(&stage, &heard, &request);
	assert_has(&heard, "target=/k8s/clusters/c-1/api/v1/pods?limit=1\n");
	stage_close(&stage);
	plm_http_peer_free(peer);
}

/* A name is looked up off the loop; it is what is verified, and what SNI says. */
static void by_name(void **state)
{
	char url[160];
	struct plm_http_peer_options options = {.url = url, .ca_pem = file("ca.pem")};
	struct plm_http_peer *peer = NULL;
	struct plm_http_request request;
	struct plm_error err;
	struct stage stage;

	(void)state;
	(void)snprintf(url, sizeof(url), "https://localhost%s",
		       strrchr(http_server_url("tls"), ':'));
	stage_open(&stage, 4);
	plm_assert_ok(plm_http_peer_new(stage.client, &options, &peer, &err), &err);
	for (int i = 0; i < 2; i++) {
		struct heard heard = {0};

		request = heard_get(&heard, peer, "/hello");
		heard_call(&stage, &heard, &request);
		assert_has(&heard, "sni=localhost\n");
		assert_has(&heard, "host: localhost:");
		assert_has(&heard, i == 0 ? "n=1\n" : "n=2\n");
	}
	stage_close(&stage);
	plm_http_peer_free(peer);
}

static void name_that_is_none(void **state)
{
	struct plm_http_peer_options options = {.url = "https://nobody.invalid:1"};
	struct plm_http_peer *peer = NULL;
	struct plm_http_request request;
	struct heard heard[2] = {0};
	struct plm_error err;
	struct stage stage;

	(void)state;
	stage_open(&stage, 4);
	plm_assert_ok(plm_http_peer_new(stage.client, &options, &peer, &err), &err);
	for (size_t i = 0; i < 2; i++) {
		request = heard_get(&heard[i], peer, "/hello");
		request.total_ms = 15000;
		heard_send(&stage, &heard[i], &request);
	}
	for (size_t i = 0; i < 2; i++) {
		heard_wait(&stage, &heard[i]);
		assert_int_equal(heard[i].outcome.fate, PLM_HTTP_NOT_SENT);
		assert_non_null(strstr(heard[i].outcome.text, "nobody.invalid:1: cannot resolve"));
	}
	/* Given up while somebody looks: nothing waits for that. */
	memset(heard, 0, sizeof(heard));
	request = heard_get(&heard[0], peer, "/hello");
	heard_send(&stage, &heard[0], &request);
	plm_http_client_free(stage.client);
	stage.client = NULL;
	stage_close(&stage);
	assert_int_equal(heard[0].done, 0);
	plm_http_peer_free(peer);
}

/* Nothing of the environment leads a call elsewhere. */
static void environment_is_not_looked_at(void **state)
{
	static const struct trust_case plain = {.port = "plain"};
	static const struct trust_case tls = {.port = "tls", .ca = "ca.pem"};
	struct heard heard = {0}, other = {0};

	(void)state;
	(void)setenv("http_proxy", "http://127.0.0.1:1", 1);
	(void)setenv("https_proxy", "http://127.0.0.1:1", 1);
	(void)setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
	ask(&plain, &heard);
	ask(&tls, &other);
	(void)unsetenv("http_proxy");
	(void)unsetenv("https_proxy");
	(void)unsetenv("ALL_PROXY");
	assert_int_equal(heard.outcome.fate, PLM_HTTP_ANSWERED);
	assert_int_equal(other.outcome.fate, PLM_HTTP_ANSWERED);
}

int main(void)
{
	static struct plm_tests tests;
	int failed;

	http_server_start();
	PLM_TEST_TABLE(&tests, trust_row, trust_table);
	PLM_TEST_ADD(&tests, without_client_certificate);
	PLM_TEST_TABLE(&tests, config_row, config_table);
	PLM_TEST_ADD(&tests, url_prefix);
	PLM_TEST_ADD(&tests, by_name);
	PLM_TEST_ADD(&tests, name_that_is_none);
	PLM_TEST_ADD(&tests, environment_is_not_looked_at);
	failed = plm_tests_run(&tests, "http tls");
	http_server_stop();
	return failed;
}
