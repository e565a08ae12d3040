/* Credential plugins as programs: what they are given, what they print, and how they fail. */
#include "plm_test.h"

#include "adapters/kube/access.h"
#include "core/timefmt.h"
#include "core/units.h"
#include "files.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define SCRIPT "#!/bin/sh\n"
#define V1 "client.authentication.k8s.io/v1"
#define CREDENTIAL(status)                                                                         \
	"{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":" status "}"

/* ---- one run ----------------------------------------------------------------------------------- */

struct seen {
	int count;
	bool ok;
	int64_t expires_ms;
	char token[256], cert[64], key[64], text[512];
};

static void copy(char *to, size_t size, struct plm_slice from)
{
	(void)snprintf(to, size, "%.*s", (int)from.size, (const char *)from.ptr);
}

static void on_done(void *self, const struct plm_kube_exec_result *result)
{
	struct seen *seen = self;

	seen->count++;
	seen->ok = result->ok;
	seen->expires_ms = result->expires_ms;
	copy(seen->token, sizeof(seen->token), result->token);
	copy(seen->cert, sizeof(seen->cert), result->cert_pem);
	copy(seen->key, sizeof(seen->key), result->key_pem);
	(void)snprintf(seen->text, sizeof(seen->text), "%s",
		       result->text == NULL ? "" : result->text);
}

static const char *const environment[] = {"PATH=/usr/bin:/bin", "A=ours", "B=kept",
					  "KUBERNETES_EXEC_INFO=stale", NULL};

static void run(const char *command, const char **args, const char **env, int64_t limit_ms,
		struct seen *seen)
{
	static const char *none[] = {NULL};
	struct plm_kube_plugin plugin = {
		.command = command,
		.args = args == NULL ? none : args,
		.env = env == NULL ? none : env,
		.version = V1,
		.hint = "install it",
		.told = "{\"server\":\"https://k\"}",
	};
	uv_loop_t loop;
	struct plm_kube_exec_options options = {
		.loop = &loop,
		.plugin = &plugin,
		.environment = environment,
		.limit_ms = limit_ms,
		.on_done = on_done,
		.self = seen,
	};

	*seen = (struct seen){0};
	assert_int_equal(uv_loop_init(&loop), 0);
	assert_non_null(plm_kube_exec_start(&options));
	assert_int_equal(seen->count, 0); /* from the loop only */
	assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
	assert_int_equal(uv_loop_close(&loop), 0);
	assert_int_equal(seen->count, 1);
}

static const struct script_case {
	const char *why, *script;
	const char *token; /* NULL: it fails */
	const char *says;
} script_table[] = {
	{"a token", "echo '" CREDENTIAL("{\"token\":\"abc\"}") "'", "abc", ""},
	{"our variables", "printf '%s' '" CREDENTIAL("{\"token\":\"'\"$B\"'\"}") "'", "kept", ""},
	{"its variables win", "printf '%s' '" CREDENTIAL("{\"token\":\"'\"$A\"'\"}") "'", "its",
	 ""},
	{"its words", "printf '%s' '" CREDENTIAL("{\"token\":\"'\"$#$2\"'\"}") "'", "2word", ""},
	{"what it is told",
	 "[ \"$KUBERNETES_EXEC_INFO\" = '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
	 "\",\"spec\":{\"cluster\":{\"server\":\"https://k\"},\"interactive\":false}}' ] && echo "
	 "'" CREDENTIAL("{\"token\":\"told\"}") "'",
	 "told", ""},
	{"nobody to ask", "read line && exit 1; echo '" CREDENTIAL("{\"token\":\"a\"}") "'", "a",
	 ""},
	{"it fails", "echo 'no session: log in' >&2; echo more >&2; exit 3", NULL,
	 "ended with 3: no session: log in"},
	{"it fails and says nothing", "exit 1", NULL, "ended with 1"},
	{"it is killed", "kill -9 $$", NULL, "ended by signal 9"},
	{"it prints nothing", "exit 0", NULL, "what it printed is not JSON"},
	{"it prints a text", "echo hidden", NULL, "what it printed is not JSON"},
	{"it prints half", "printf '{\"kind\":\"ExecCredential\",\"status\":{\"token\":\"hidden'",
	 NULL, "what it printed is not JSON"},
	{"it prints something else", "echo '{\"kind\":\"Status\"}'", NULL, "is no ExecCredential"},
	{"it prints another version",
	 "echo "
	 "'{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\","
	 "\"status\":{\"token\":\"hidden\"}}'",
	 NULL, "apiVersion of what it printed is not that of the kubeconfig"},
	{"no status", "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\"}'", NULL,
	 "has no status"},
	{"an empty status", "echo '" CREDENTIAL("{}") "'", NULL,
	 "status has neither token nor clientCertificateData"},
	{"half a certificate", "echo '" CREDENTIAL("{\"clientKeyData\":\"hidden\"}") "'", NULL,
	 "status has one of clientCertificateData and clientKeyData"},
	{"a token of two lines", "echo '" CREDENTIAL("{\"token\":\"hidden\\\\r\\\\nX: y\"}") "'",
	 NULL, "status.token has a character that no token has"},
	{"a time that is none",
	 "echo '" CREDENTIAL("{\"token\":\"hidden\",\"expirationTimestamp\":\"soon\"}") "'", NULL,
	 "status.expirationTimestamp is not a time"},
	{"too much", "head -c 300000 /dev/zero; exec sleep 60", NULL,
	 "printed more than 262144 bytes"},
	{"too late", "exec sleep 60", NULL, "not done within 300 ms"},
	{"much on stderr",
	 "head -c 300000 /dev/zero >&2; echo '" CREDENTIAL("{\"token\":\"a\"}") "'", "a", ""},
};

static void script_row(const struct script_case *row)
{
	const char *args[] = {"--", "word", NULL};
	const char *env[] = {"A=its", NULL};
	bool late = strcmp(row->why, "too late") == 0;
	char text[2048];
	struct seen seen;

	(void)snprintf(text, sizeof(text), SCRIPT "%s\n", row->script);
	(void)files_folder();
	run(files_program("plugin", text), args, env, late ? 300 : 20000, &seen);
	assert_int_equal(seen.ok, row->token != NULL);
	assert_string_equal(seen.token, row->token == NULL ? "" : row->token);
	assert_non_null(strstr(seen.text, row->says));
	assert_null(strstr(seen.text, "hidden")); /* no byte of what was printed */
	files_remove();
}
PLM_TEST_ROWS(script_row, struct script_case)

static void certificate_and_time(void **state)
{
	struct seen seen;

	(void)state;
	(void)files_folder();
	run(files_program(
		    "plugin", SCRIPT
		    "echo '" CREDENTIAL("{\"clientCertificateData\":\"C\",\"clientKeyData\":\"K\","
					"\"expirationTimestamp\":\"2030-01-01T00:00:00Z\"}") "'\n"),
	    NULL, NULL, 20000, &seen);
	assert_true(seen.ok);
	assert_string_equal(seen.cert, "C");
	assert_string_equal(seen.key, "K");
	assert_int_equal(seen.expires_ms, 1893456000000);
	files_remove();
}

static void not_installed(void **state)
{
	struct seen seen;

	(void)state;
	run("/nowhere/plugin", NULL, NULL, 20000, &seen);
	assert_false(seen.ok);
	assert_string_equal(seen.text, "credential plugin /nowhere/plugin: cannot be started: no "
				       "such file or directory: install it");
}

static void along_path(void **state)
{
	const char *args[] = {"-c", "echo '" CREDENTIAL("{\"token\":\"found\"}") "'", NULL};
	struct seen seen;

	(void)state;
	run("sh", args, NULL, 20000, &seen);
	assert_string_equal(seen.token, "found");
}

/* Stopped before it is done: nothing is told, and the process is waited for. */
static void stopped(void **state)
{
	const char *args[] = {"60", NULL};
	const char *env[] = {NULL};
	struct plm_kube_plugin plugin = {
		.command = "sleep", .args = args, .env = env, .version = V1, .hint = ""};
	struct seen seen = {0};
	uv_loop_t loop;
	struct plm_kube_exec_options options = {
		.loop = &loop,
		.plugin = &plugin,
		.environment = environment,
		.limit_ms = 50000,
		.on_done = on_done,
		.self = &seen,
	};

	(void)state;
	assert_int_equal(uv_loop_init(&loop), 0);
	plm_kube_exec_stop(plm_kube_exec_start(&options));
	assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
	assert_int_equal(uv_loop_close(&loop), 0);
	assert_int_equal(seen.count, 0);
}

/* What the plugin started goes with it. */
static void its_children(void **state)
{
	char script[512], path[256], text[32] = {0};
	const char *folder = files_folder();
	FILE *file = NULL;
	int status = 0;
	pid_t child = 0;
	struct seen seen;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	(void)snprintf(path, sizeof(path), "%s/child", folder);
	(void)snprintf(script, sizeof(script), SCRIPT "sleep 8 & echo $! > %s\nwait\n", path);
	run(files_program("plugin", script), NULL, NULL, 1000, &seen);
	assert_non_null(strstr(seen.text, "not done within"));
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	(void)fclose(file);
	child = (pid_t)strtol(text, NULL, 10);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
	files_remove();
}

/* ---- kept fresh -------------------------------------------------------------------------------- */

struct world {
	uv_loop_t loop;
	struct plm_kube_login *login;
	struct plm_kube_access *access;
	int changes, notes;
	char note[512];
};

static void on_change(void *self)
{
	((struct world *)self)->changes++;
}

static void on_note(void *self, const char *text)
{
	struct world *w = self;

	w->notes++;
	(void)snprintf(w->note, sizeof(w->note), "%s", text);
}

static void begin(struct world *w, const char *user)
{
	struct plm_kube_login_options options = {0};
	struct plm_kube_access_options access = {
		.loop = &w->loop,
		.environment = environment,
		.on_change = on_change,
		.note = on_note,
		.self = w,
	};
	struct plm_error err = {0};
	char text[1024];

	*w = (struct world){0};
	(void)snprintf(text, sizeof(text),
		       "current-context: c\n"
		       "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
		       "clusters: [{name: k, cluster: {server: 'https://k'}}]\n"
		       "users: [{name: u, user: {%s}}]\n",
		       user);
	options.kubeconfig = files_write("config", text);
	plm_assert_ok(plm_kube_login_load(&options, &w->login, &err), &err);
	assert_int_equal(uv_loop_init(&w->loop), 0);
	access.login = w->login;
	plm_assert_ok(plm_kube_access_new(&access, &w->access, &err), &err);
}

static void end(struct world *w)
{
	plm_kube_access_free(w->access);
	assert_int_equal(uv_run(&w->loop, UV_RUN_DEFAULT), 0);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	plm_kube_login_free(w->login);
	files_remove();
}

static struct plm_kube_credential now(struct world *w, enum plm_kube_access_state want)
{
	struct plm_kube_credential it = {0};

	assert_int_equal(plm_kube_access_now(w->access, &it), want);
	return it;
}

static void static_ones(void **state)
{
	struct world w;

	(void)state;
	(void)files_folder();
	begin(&w, "token: abc");
	assert_string_equal(now(&w, PLM_KUBE_ACCESS_READY).header, "Authorization: Bearer abc");
	/* There is nothing newer: the call is not repeated. */
	assert_false(plm_kube_access_refused(w.access, now(&w, PLM_KUBE_ACCESS_READY).serial));
	end(&w);
	(void)files_folder();
	begin(&w, "username: me, password: 'pa:ss'");
	assert_string_equal(now(&w, PLM_KUBE_ACCESS_READY).header,
			    "Authorization: Basic bWU6cGE6c3M=");
	end(&w);
	(void)files_folder();
	begin(&w, "");
	assert_null(now(&w, PLM_KUBE_ACCESS_READY).header);
	end(&w);
}

/* A token in a file is used as it changes, at once after a 401, and kept when the file is away. */
static void token_file(void **state)
{
	struct world w;
	struct plm_kube_credential it;

	(void)state;
	(void)files_folder();
	(void)files_write("token", "one\n");
	begin(&w, "tokenFile: token");
	it = now(&w, PLM_KUBE_ACCESS_READY);
	assert_string_equal(it.header, "Authorization: Bearer one");
	assert_false(plm_kube_access_refused(w.access, it.serial));
	(void)files_write("token", "two\n");
	assert_string_equal(now(&w, PLM_KUBE_ACCESS_READY).header, "Authorization: Bearer one");
	assert_true(plm_kube_access_refused(w.access, it.serial));
	assert_string_equal(now(&w, PLM_KUBE_ACCESS_READY).header, "Authorization: Bearer two");
	/* Another call that carried the old one. */
	assert_true(plm_kube_access_refused(w.access, it.serial));
	it = now(&w, PLM_KUBE_ACCESS_READY);
	assert_int_equal(remove(files_write("token", "x")), 0);
	assert_false(plm_kube_access_refused(w.access, it.serial));
	assert_non_null(strstr(w.note, "token: cannot be read"));
	assert_string_equal(now(&w, PLM_KUBE_ACCESS_READY).header, "Authorization: Bearer two");
	(void)files_write("token", "hidden\nthing");
	assert_false(plm_kube_access_refused(w.access, it.serial));
	assert_non_null(strstr(w.note, "has a character that no token has"));
	assert_null(strstr(w.note, "hidden"));
	(void)files_write("token", "");
	assert_false(plm_kube_access_refused(w.access, it.serial));
	assert_non_null(strstr(w.note, "is empty"));
	(void)files_write("token", "three");
	assert_true(plm_kube_access_refused(w.access, it.serial));
	assert_string_equal(now(&w, PLM_KUBE_ACCESS_READY).header, "Authorization: Bearer three");
	end(&w);
}

/* Certificates in files are renewed too: connections get a new number then. */
static void certificate_files(void **state)
{
	struct world w;
	struct plm_kube_credential it;

	(void)state;
	(void)files_folder();
	(void)files_write("c.crt", "C1");
	(void)files_write("c.key", "K1");
	begin(&w, "client-certificate: c.crt, client-key: c.key");
	it = now(&w, PLM_KUBE_ACCESS_READY);
	plm_assert_text(it.cert_pem, "C1");
	(void)files_write("c.crt", "C2");
	(void)files_write("c.key", "K2");
	assert_true(plm_kube_access_refused(w.access, it.serial));
	assert_int_not_equal(now(&w, PLM_KUBE_ACCESS_READY).tls, it.tls);
	plm_assert_text(now(&w, PLM_KUBE_ACCESS_READY).cert_pem, "C2");
	plm_assert_text(now(&w, PLM_KUBE_ACCESS_READY).key_pem, "K2");
	end(&w);
}

#define COUNTING                                                                                   \
	SCRIPT "cd \"$(dirname \"$0\")\"; n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n > "   \
	       "n\n"
#define PLUGIN "exec: {apiVersion: " V1 ", command: ./plugin}"

static void until_change(struct world *w, int changes)
{
	while (w->changes < changes) {
		(void)uv_run(&w->loop, UV_RUN_ONCE);
	}
}

static void plugin_is_run_once(void **state)
{
	struct world w;
	struct plm_kube_credential it;

	(void)state;
	(void)files_folder();
	(void)files_program("plugin", COUNTING "echo '" CREDENTIAL("{\"token\":\"'$n'\"}") "'\n");
	begin(&w, PLUGIN);
	(void)now(&w, PLM_KUBE_ACCESS_WAITS);
	(void)now(&w, PLM_KUBE_ACCESS_WAITS);
	until_change(&w, 1);
	it = now(&w, PLM_KUBE_ACCESS_READY);
	assert_string_equal(it.header, "Authorization: Bearer 1");
	/* A 401 has it run again; calls wait meanwhile. */
	assert_true(plm_kube_access_refused(w.access, it.serial));
	assert_true(plm_kube_access_refused(w.access, it.serial));
	(void)now(&w, PLM_KUBE_ACCESS_WAITS);
	until_change(&w, 2);
	assert_string_equal(now(&w, PLM_KUBE_ACCESS_READY).header, "Authorization: Bearer 2");
	assert_true(plm_kube_access_refused(w.access, it.serial));
	it = now(&w, PLM_KUBE_ACCESS_READY);
	assert_string_equal(it.header, "Authorization: Bearer 2");
	/* The new one is refused as well: it is not run for every call. */
	assert_false(plm_kube_access_refused(w.access, it.serial));
	assert_string_equal(now(&w, PLM_KUBE_ACCESS_READY).header, "Authorization: Bearer 2");
	end(&w);
}

static void plugin_that_fails(void **state)
{
	struct world w;

	(void)state;
	(void)files_folder();
	(void)files_program("plugin", COUNTING "echo 'log in' >&2; exit 1\n");
	begin(&w, PLUGIN);
	(void)now(&w, PLM_KUBE_ACCESS_WAITS);
	until_change(&w, 1);
	/* Not run again at once, however often it is asked for. */
	assert_non_null(strstr(now(&w, PLM_KUBE_ACCESS_FAILED).why, "ended with 1: log in"));
	(void)now(&w, PLM_KUBE_ACCESS_FAILED);
	assert_int_equal(w.notes, 1);
	end(&w);
}

/* What expires is renewed ahead, while it is still used. */
static void plugin_renewed_ahead(void **state)
{
	char script[512];
	char when[PLM_TIME_SIZE];
	uv_timeval64_t wall = {0};
	struct world w;

	(void)state;
	assert_int_equal(uv_gettimeofday(&wall), 0);
	(void)files_folder();
	(void)snprintf(script, sizeof(script),
		       COUNTING "echo '" CREDENTIAL(
			       "{\"token\":\"'$n'\",\"expirationTimestamp\":\"%s\"}") "'\n",
		       plm_time_format(wall.tv_sec * 1000 + 2000, when));
	(void)files_program("plugin", script);
	begin(&w, PLUGIN);
	(void)now(&w, PLM_KUBE_ACCESS_WAITS);
	until_change(&w, 1);
	assert_string_equal(now(&w, PLM_KUBE_ACCESS_READY).header, "Authorization: Bearer 1");
	/* A fifth of two seconds is left: asked again, nothing waits. */
	do {
		assert_int_equal(uv_gettimeofday(&wall), 0);
		uv_update_time(&w.loop);
		(void)uv_run(&w.loop, UV_RUN_NOWAIT);
		(void)now(&w, PLM_KUBE_ACCESS_READY);
	} while (w.changes < 2);
	assert_string_equal(now(&w, PLM_KUBE_ACCESS_READY).header, "Authorization: Bearer 2");
	end(&w);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_TABLE(&tests, script_row, script_table);
	PLM_TEST_ADD(&tests, certificate_and_time);
	PLM_TEST_ADD(&tests, not_installed);
	PLM_TEST_ADD(&tests, along_path);
	PLM_TEST_ADD(&tests, stopped);
	PLM_TEST_ADD(&tests, its_children);
	PLM_TEST_ADD(&tests, static_ones);
	PLM_TEST_ADD(&tests, token_file);
	PLM_TEST_ADD(&tests, certificate_files);
	PLM_TEST_ADD(&tests, plugin_is_run_once);
	PLM_TEST_ADD(&tests, plugin_that_fails);
	PLM_TEST_ADD(&tests, plugin_renewed_ahead);
	return plm_tests_run(&tests, "exec");
}
