/* Kubeconfig files and a pod's own account, good and bad. */
#include "plm_test.h"

#include "adapters/kube/config.h"
#include "files.h"

#include <stdio.h>

#define HEAD "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
#define CONTEXT "contexts:\n- name: c\n  context: {cluster: k, user: u, namespace: ml}\n"
#define CLUSTER "clusters:\n- name: k\n  cluster: {server: 'https://k:6443'}\n"
#define USER(text) "users:\n- name: u\n  user: {" text "}\n"
#define GOOD(text) HEAD CONTEXT CLUSTER USER(text)
#define EXEC(text) GOOD("exec: {" text "}")
#define V1 "apiVersion: client.authentication.k8s.io/v1, "
/* "secret" */
#define SECRET "c2VjcmV0"

static enum plm_code load(const char *paths, const char *context, struct plm_kube_login **out,
			  struct plm_error *err)
{
	struct plm_kube_login_options options = {.kubeconfig = paths, .context = context};

	return plm_kube_login_load(&options, out, err);
}

static const struct bad_case {
	const char *why, *text, *context;
	const char *says; /* part of the error */
} bad_table[] = {
	{"no YAML", "a: [", NULL, ": not YAML"},
	{"a list", "- a", NULL, "is not a kubeconfig"},
	{"nothing", "", NULL, "current-context: no context is chosen"},
	{"no current context", CONTEXT CLUSTER, NULL, "current-context: no context is chosen"},
	{"a context that is not there", HEAD CLUSTER, NULL,
	 "there is no context \"c\", which current-context names"},
	{"a chosen context that is not there", GOOD("token: a"), "other",
	 "there is no context \"other\", which --context names"},
	{"a cluster that is not there", HEAD CONTEXT USER("token: a"), NULL,
	 "there is no cluster \"k\", which context \"c\" names"},
	{"a user that is not there", HEAD CONTEXT CLUSTER, NULL,
	 "there is no user \"u\", which context \"c\" names"},
	{"a context without a cluster", HEAD "contexts:\n- name: c\n  context: {user: u}\n", NULL,
	 "context c: contexts[0].context: cluster: it names none"},
	{"clusters that are no list", HEAD CONTEXT "clusters: {a: b}\n", NULL,
	 "clusters: must be a list, is a map"},
	{"no server", HEAD CONTEXT "clusters:\n- name: k\n  cluster: {}\n", NULL,
	 "cluster k: clusters[0].cluster: server: it names none"},
	{"a server that is no URL",
	 HEAD CONTEXT "clusters:\n- name: k\n  cluster: {server: 'k:6443'}\n", NULL,
	 "clusters[0].cluster.server: must begin with https:// or http://"},
	{"a CA that is not base64",
	 HEAD CONTEXT "clusters:\n- name: k\n  cluster: {server: 'https://k', "
		      "certificate-authority-data: 'a*b='}\n",
	 NULL, "cluster k: clusters[0].cluster.certificate-authority-data: is not base64"},
	{"a CA that is no file",
	 HEAD CONTEXT "clusters:\n- name: k\n  cluster: {server: 'https://k', "
		      "certificate-authority: none.crt}\n",
	 NULL, "none.crt: cannot be read: No such file or directory"},
	{"a CA, and none is to be looked at",
	 HEAD CONTEXT "clusters:\n- name: k\n  cluster: {server: 'https://k', "
		      "insecure-skip-tls-verify: true, certificate-authority-data: " SECRET "}\n",
	 NULL, "there is a certificate-authority beside it"},
	{"a text where true or false stands",
	 HEAD CONTEXT
	 "clusters:\n- name: k\n  cluster: {server: 'https://k', insecure-skip-tls-verify: 'x'}\n",
	 NULL, "insecure-skip-tls-verify: must be true or false"},
	{"an auth provider", GOOD("auth-provider: {name: gcp}"), NULL,
	 "user u: users[0].user.auth-provider: auth provider \"gcp\""},
	{"somebody else", GOOD("token: a, as: root"), NULL,
	 "users[0].user.as: impersonation is not supported"},
	{"groups of somebody else", GOOD("token: a, as-groups: [g]"), NULL,
	 "users[0].user.as-groups: impersonation is not supported"},
	{"a certificate without its key", GOOD("client-certificate-data: " SECRET), NULL,
	 "client-certificate and client-key are given together"},
	{"token and name", GOOD("token: a, username: b"), NULL,
	 "user u: users[0].user: one of token, username and exec, not several"},
	{"token and plugin", GOOD("token: a, exec: {" V1 "command: x}"), NULL,
	 "one of token, username and exec"},
	{"a token of two lines", GOOD("token: \"hidden\\nthing\""), NULL,
	 "users[0].user.token: has a character that no token has"},
	{"a token that is a number", GOOD("token: 31337"), NULL,
	 "users[0].user.token: must be a text, in quotes"},
	{"a password that is a number", GOOD("username: a, password: 31337"), NULL,
	 "users[0].user.password: must be a text, in quotes"},
	{"a plugin without a version", EXEC("command: x"), NULL,
	 "users[0].user.exec: apiVersion: must be client.authentication.k8s.io/v1 or"},
	{"a plugin of an old version",
	 EXEC("apiVersion: client.authentication.k8s.io/v1alpha1, command: x"), NULL,
	 "apiVersion: must be client.authentication.k8s.io/v1 or"},
	{"a plugin without a command", EXEC(V1 "args: [a]"), NULL,
	 "users[0].user.exec: command: it names none"},
	{"a plugin that asks somebody", EXEC(V1 "command: x, interactiveMode: Always"), NULL,
	 "interactiveMode: a plugin that always asks somebody cannot be used here"},
	{"a variable without a name", EXEC(V1 "command: x, env: [{value: a}]"), NULL,
	 "users[0].user.exec.env[0]"},
	{"a variable that is a number", EXEC(V1 "command: x, env: [{name: A, value: 31337}]"), NULL,
	 "users[0].user.exec.env[0].value: must be a text, in quotes"},
};

static void bad_row(const struct bad_case *row)
{
	struct plm_kube_login *login = NULL;
	struct plm_error err = {0};
	const char *path = NULL;

	(void)files_folder();
	path = files_write("config", row->text);
	plm_assert_fails(load(path, row->context, &login, &err), PLM_E_CONFIG, err, row->says);
	assert_null(login);
	assert_non_null(strstr(err.text, path));
	/* No value of a secret field is ever told. */
	assert_null(strstr(err.text, "31337"));
	assert_null(strstr(err.text, "hidden"));
	assert_null(strstr(err.text, SECRET));
	files_remove();
}
PLM_TEST_ROWS(bad_row, struct bad_case)

/* ---- good ones --------------------------------------------------------------------------------- */

static struct plm_kube_login *loaded(const char *paths, const char *context)
{
	struct plm_kube_login *login = NULL;
	struct plm_error err = {0};

	plm_assert_ok(load(paths, context, &login, &err), &err);
	return login;
}

static void everything(void **state)
{
	struct plm_kube_login *login = NULL;

	(void)state;
	(void)files_folder();
	login = loaded(files_write("config", HEAD CONTEXT
				   "clusters:\n- name: k\n  cluster:\n    server: https://k:6443/\n"
				   "    tls-server-name: inner\n    proxy-url: http://p:3128\n"
				   "    certificate-authority-data: " SECRET
				   "\n    certificate-authority: ignored.crt\n"
				   "users:\n- name: u\n  user:\n    token: abc\n"
				   "    client-certificate-data: " SECRET
				   "\n    client-key-data: aw==\n    unknown: 7\n"),
		       NULL);
	assert_string_equal(login->server, "https://k:6443");
	assert_string_equal(login->server_name, "inner");
	assert_string_equal(login->proxy, "http://p:3128");
	assert_string_equal(login->ns, "ml");
	assert_string_equal(login->ca_file, "");
	plm_assert_text(login->ca_pem, "secret");
	plm_assert_text(login->cert_pem, "secret");
	plm_assert_text(login->key_pem, "k");
	plm_assert_text(login->token, "abc");
	assert_false(login->insecure);
	assert_null(login->plugin.command);
	plm_kube_login_free(login);
	files_remove();
}

/* Paths begin at the folder of the file that says them. */
static void files_beside(void **state)
{
	struct plm_kube_login *login = NULL;
	char want[128];

	(void)state;
	(void)snprintf(want, sizeof(want), "%s/sub/token", files_folder());
	(void)files_write("sub/ca.crt", "CA");
	(void)files_write("sub/c.crt", "CERT");
	(void)files_write("sub/c.key", "KEY");
	login = loaded(files_write("sub/config", HEAD CONTEXT
				   "clusters:\n- name: k\n  cluster: {server: "
				   "'http://k', certificate-authority: ca.crt}\n" USER(
					   "client-certificate: c.crt, client-key: ./c.key, "
					   "tokenFile: token")),
		       NULL);
	plm_assert_text(login->ca_pem, "CA");
	plm_assert_text(login->cert_pem, "CERT");
	plm_assert_text(login->key_pem, "KEY");
	assert_string_equal(login->token_file, want);
	plm_kube_login_free(login);
	files_remove();
}

/* JSON is YAML. */
static void json(void **state)
{
	struct plm_kube_login *login = NULL;

	(void)state;
	(void)files_folder();
	login = loaded(files_write("config",
				   "{\"current-context\": \"c\", \"contexts\": [{\"name\": \"c\", "
				   "\"context\": {\"cluster\": \"k\", \"user\": \"\"}}],\n"
				   " \"clusters\": [{\"name\": \"k\", \"cluster\": "
				   "{\"server\": \"https://k\"}}], \"users\": null}"),
		       NULL);
	assert_string_equal(login->server, "https://k");
	assert_int_equal(login->token.size, 0);
	assert_string_equal(login->ns, "");
	plm_kube_login_free(login);
	files_remove();
}

/* As client-go: the first file that has a name wins as a whole, and what it does not name is added. */
static void merged(void **state)
{
	char paths[512];
	char one[160];
	char two[160];
	struct plm_kube_login *login = NULL;

	(void)state;
	(void)files_folder();
	(void)snprintf(
		one, sizeof(one), "%s",
		files_write("a/one",
			    "contexts:\n- name: c\n  context: {cluster: k, user: u}\n"
			    "- name: d\n  context: {cluster: k, user: v}\n" USER("token: first")));
	(void)snprintf(two, sizeof(two), "%s",
		       files_write("b/two", "current-context: d\n" CONTEXT CLUSTER
					    "users:\n- name: u\n  user: {token: second}\n"
					    "- name: v\n  user: {tokenFile: t}\n"));
	(void)snprintf(paths, sizeof(paths), "%s:%s.absent::%s", one, one, two);
	login = loaded(paths, NULL);
	assert_string_equal(login->context, "d");
	assert_string_equal(login->user, "v");
	assert_non_null(strstr(login->token_file, "/b/t"));
	plm_kube_login_free(login);
	login = loaded(paths, "c");
	plm_assert_text(login->token, "first");
	assert_string_equal(login->ns, "");
	assert_string_equal(login->server, "https://k:6443");
	plm_kube_login_free(login);
	files_remove();
}

static void absent(void **state)
{
	struct plm_kube_login *login = NULL;
	struct plm_error err = {0};

	(void)state;
	plm_assert_fails(load("/nowhere/config", NULL, &login, &err), PLM_E_CONFIG, err,
			 "/nowhere/config: cannot be read: No such file");
	plm_assert_fails(load("/nowhere/a:/nowhere/b", NULL, &login, &err), PLM_E_CONFIG, err,
			 "there is no such kubeconfig file");
	plm_assert_fails(load("/tmp", NULL, &login, &err), PLM_E_CONFIG, err,
			 "/tmp: cannot be read");
}

static void plugin(void **state)
{
	struct plm_kube_login *login = NULL;
	const char *folder = files_folder();
	char want[128];

	(void)state;
	(void)snprintf(want, sizeof(want), "%s/bin/get-token", folder);
	login = loaded(
		files_write("config", HEAD CONTEXT
			    "clusters:\n- name: k\n  cluster:\n    server: https://k\n"
			    "    certificate-authority-data: " SECRET "\n    extensions:\n"
			    "    - name: client.authentication.k8s.io/exec\n"
			    "      extension: {audience: a, deep: [1, true, null]}\n" USER(
				    "exec: {apiVersion: client.authentication.k8s.io/v1beta1, "
				    "command: ./bin/get-token, args: [-c, k], env: [{name: A, "
				    "value: b=c}], installHint: get it, provideClusterInfo: "
				    "true}")),
		NULL);
	assert_non_null(strstr(login->plugin.command, "bin/get-token"));
	assert_string_equal(login->plugin.version, "client.authentication.k8s.io/v1beta1");
	assert_string_equal(login->plugin.args[1], "k");
	assert_null(login->plugin.args[2]);
	assert_string_equal(login->plugin.env[0], "A=b=c");
	assert_null(login->plugin.env[1]);
	assert_string_equal(login->plugin.hint, "get it");
	assert_string_equal(login->plugin.told,
			    "{\"server\":\"https://k\",\"certificate-authority-data\":\"" SECRET
			    "\",\"config\":{\"audience\":\"a\",\"deep\":[1,true,null]}}");
	plm_kube_login_free(login);
	login = loaded(files_write("config", EXEC(V1 "command: aws")), NULL);
	assert_string_equal(login->plugin.command, "aws"); /* along PATH */
	assert_null(login->plugin.told);
	plm_kube_login_free(login);
	files_remove();
}

/* ---- in a pod ---------------------------------------------------------------------------------- */

static void pod(void **state)
{
	static const char *const four[] = {"A=b", "KUBERNETES_SERVICE_HOST=10.0.0.1",
					   "KUBERNETES_SERVICE_PORT=443", NULL};
	static const char *const six[] = {"KUBERNETES_SERVICE_PORT=6443",
					  "KUBERNETES_SERVICE_HOST=fd00::1", NULL};
	struct plm_kube_login_options options = {
		.kubeconfig = PLM_KUBE_IN_CLUSTER,
		.environment = four,
		.account = files_folder(),
	};
	struct plm_kube_login *login = NULL;
	struct plm_error err = {0};

	(void)state;
	(void)files_write("token", "abc\n");
	(void)files_write("ca.crt", "CA");
	plm_assert_fails(plm_kube_login_load(&options, &login, &err), PLM_E_CONFIG, err,
			 "in-cluster: ");
	(void)files_write("namespace", "plimsoll-system\n");
	plm_assert_ok(plm_kube_login_load(&options, &login, &err), &err);
	assert_string_equal(login->server, "https://10.0.0.1:443");
	assert_string_equal(login->ns, "plimsoll-system");
	plm_assert_text(login->ca_pem, "CA");
	assert_non_null(strstr(login->token_file, "/token"));
	plm_kube_login_free(login);
	options.environment = six;
	plm_assert_ok(plm_kube_login_load(&options, &login, &err), &err);
	assert_string_equal(login->server, "https://[fd00::1]:6443");
	plm_kube_login_free(login);
	options.environment = NULL;
	plm_assert_fails(plm_kube_login_load(&options, &login, &err), PLM_E_CONFIG, err,
			 "this is no pod");
	files_remove();
}

static const struct base64_case {
	const char *why, *text, *want; /* NULL: it is none */
} base64_table[] = {
	{"empty", "", ""},
	{"one byte", "Zg==", "f"},
	{"two bytes", "Zm8=", "fo"},
	{"three bytes", "Zm9v", "foo"},
	{"six bytes", "Zm9vYmFy", "foobar"},
	{"in lines", "Zm9v\n  YmFy\r\n", "foobar"},
	{"no padding", "Zg", NULL},
	{"too much padding", "Zm9v====", NULL},
	{"padding alone", "====", NULL},
	{"one digit", "Z===", NULL},
	{"behind the padding", "Zg==Zg==", NULL},
	{"another alphabet", "Zm9-", NULL},
};

static void base64_row(const struct base64_case *row)
{
	struct plm_arena arena = {0};
	struct plm_slice out = {0};

	plm_assert_ok(plm_arena_init(&arena, 4096, NULL), NULL);
	assert_int_equal(plm_kube_base64(&arena, plm_slice_str(row->text), &out),
			 row->want != NULL);
	if (row->want != NULL) {
		plm_assert_text(out, row->want);
	}
	if (row->want != NULL && strchr(row->text, '\n') == NULL) {
		assert_string_equal(plm_kube_base64_write(&arena, out), row->text);
	}
	plm_arena_fini(&arena);
}
PLM_TEST_ROWS(base64_row, struct base64_case)

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, bad_row, bad_table);
	PLM_TEST_ADD(&tests, everything);
	PLM_TEST_ADD(&tests, files_beside);
	PLM_TEST_ADD(&tests, json);
	PLM_TEST_ADD(&tests, merged);
	PLM_TEST_ADD(&tests, absent);
	PLM_TEST_ADD(&tests, plugin);
	PLM_TEST_ADD(&tests, pod);
	PLM_TEST_TABLE(&tests, base64_row, base64_table);
	return plm_tests_run(&tests, "config");
}
