/* Kubeconfigs over TLS: whose certificate is trusted, which one is shown, and connections that follow it. */
#include "plm_test.h"

#include "adapters/kube/client_private.h"
#include "files.h"
#include "tests/unit/http/http_help.h"

#include <stdio.h>

struct world {
	struct stage stage;
	struct plm_kube_client *client;
	int count;
	enum plm_kube_fate fate;
	char body[1024], message[512];
};

static void on_answer(void *self, const struct plm_kube_answer *answer)
{
	struct world *w = self;

	w->count++;
	w->fate = answer->fate;
	(void)snprintf(w->body, sizeof(w->body), "%.*s", (int)answer->body.size,
		       (const char *)answer->body.ptr);
	(void)snprintf(w->message, sizeof(w->message), "%.*s", (int)answer->message.size,
		       (const char *)answer->message.ptr);
}

/* As files_write(), of a file that the server made, with 'more' behind it. */
static void keep(const char *name, const char *made, const char *more)
{
	struct plm_slice bytes = http_server_file(made);
	char text[8192];

	(void)snprintf(text, sizeof(text), "%.*s%s", (int)bytes.size, (const char *)bytes.ptr,
		       more);
	(void)files_write(name, text);
}

static void begin(struct world *w, const char *port, const char *cluster, const char *user)
{
	struct plm_kube_client_options options = {.field_manager = "plimsoll"};
	struct plm_error err = {0};
	char text[2048];

	*w = (struct world){0};
	(void)snprintf(text, sizeof(text),
		       "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
		       "clusters: [{name: k, cluster: {server: '%s', %s}}]\n"
		       "users: [{name: u, user: {%s}}]\n",
		       http_server_url(port), cluster, user);
	options.kubeconfig = files_write("config", text);
	stage_open(&w->stage, 8);
	options.loop = &w->stage.loop;
	options.http = w->stage.client;
	plm_assert_ok(plm_kube_client_new(&options, &w->client, &err), &err);
}

static void ask(struct world *w)
{
	int before = w->count;

	(void)plm_kube_send_path(w->client, "/hello", NULL, on_answer, w);
	while (w->count == before) {
		(void)uv_run(&w->stage.loop, UV_RUN_NOWAIT);
		uv_sleep(1);
	}
}

static void end(struct world *w)
{
	plm_kube_client_free(w->client);
	stage_close(&w->stage);
	files_remove();
}

static const struct trust_case {
	const char *why, *port, *cluster, *user;
	enum plm_kube_fate fate;
	const char *part; /* of the body or of the message */
} trust_table[] = {
	{"its authority", "tls", "certificate-authority: ca.pem", "token: hidden", PLM_KUBE_DONE,
	 "authorization: Bearer hidden"},
	{"another authority", "tls", "certificate-authority: otherca.pem", "token: hidden",
	 PLM_KUBE_UNSENT, "certificate"},
	{"nobody looks", "tls", "insecure-skip-tls-verify: true", "token: hidden", PLM_KUBE_DONE,
	 "method=GET"},
	{"another name", "named", "certificate-authority: ca.pem", "", PLM_KUBE_UNSENT,
	 "127.0.0.1"},
	{"the name that is said", "named",
	 "certificate-authority: ca.pem, tls-server-name: api.example", "", PLM_KUBE_DONE,
	 "sni=api.example"},
	{"a client certificate", "mutual", "certificate-authority: ca.pem",
	 "client-certificate: client.pem, client-key: client.key", PLM_KUBE_DONE, "method=GET"},
	{"one from a plugin", "mutual", "certificate-authority: ca.pem",
	 "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin}", PLM_KUBE_DONE,
	 "method=GET"},
};

/* Prints client.pem and client.key of its folder. */
#define PLUGIN                                                                                     \
	"#!/bin/sh\ncd \"$(dirname \"$0\")\"\nline() { sed ':a;N;$!ba;s/\\n/\\\\n/g' \"$1\"; }\n"  \
	"printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\"," \
	"\"status\":{\"clientCertificateData\":\"%s\",\"clientKeyData\":\"%s\"}}' "                \
	"\"$(line client.pem)\" \"$(line client.key)\"\n"

static void put_files(void)
{
	(void)files_folder();
	keep("ca.pem", "ca.pem", "");
	keep("otherca.pem", "otherca.pem", "");
	keep("client.pem", "client.pem", "");
	keep("client.key", "client.key", "");
	(void)files_program("plugin", PLUGIN);
}

static void trust_row(const struct trust_case *row)
{
	struct world w;

	put_files();
	begin(&w, row->port, row->cluster, row->user);
	ask(&w);
	assert_int_equal(w.fate, row->fate);
	assert_non_null(strstr(w.fate == PLM_KUBE_DONE ? w.body : w.message, row->part));
	assert_null(strstr(w.message, "hidden"));
	end(&w);
}
PLM_TEST_ROWS(trust_row, struct trust_case)

/* A certificate that was renewed is shown from the next call on, by connections of its own. */
static void renewed(void **state)
{
	struct world w;
	struct plm_kube_credential old = {0};
	const struct plm_kube_door *door = NULL;

	(void)state;
	put_files();
	begin(&w, "mutual", "certificate-authority: ca.pem",
	      "client-certificate: client.pem, client-key: client.key");
	ask(&w);
	assert_int_equal(w.fate, PLM_KUBE_DONE);
	door = w.client->doors;
	assert_int_equal(plm_kube_access_now(w.client->access, &old), PLM_KUBE_ACCESS_READY);
	keep("client.pem", "client.pem", "\n");
	assert_true(plm_kube_access_refused(w.client->access, old.serial));
	ask(&w);
	assert_int_equal(w.fate, PLM_KUBE_DONE);
	assert_ptr_not_equal(w.client->doors, door);
	assert_null(w.client->doors->next); /* the old one went with its last call */
	/* What is no certificate any more is no reason to stop: it is told, and nothing leaves. */
	assert_int_equal(plm_kube_access_now(w.client->access, &old), PLM_KUBE_ACCESS_READY);
	(void)files_write("client.pem", "nonsense");
	assert_true(plm_kube_access_refused(w.client->access, old.serial));
	ask(&w);
	assert_int_equal(w.fate, PLM_KUBE_UNSENT);
	keep("client.pem", "client.pem", "");
	assert_int_equal(plm_kube_access_now(w.client->access, &old), PLM_KUBE_ACCESS_READY);
	assert_true(plm_kube_access_refused(w.client->access, old.serial));
	ask(&w);
	assert_int_equal(w.fate, PLM_KUBE_DONE);
	end(&w);
}

int main(void)
{
	struct plm_tests tests = {0};
	int failed = 0;

	http_server_start();
	PLM_TEST_TABLE(&tests, trust_row, trust_table);
	PLM_TEST_ADD(&tests, renewed);
	failed = plm_tests_run(&tests, "tls");
	http_server_stop();
	return failed;
}
