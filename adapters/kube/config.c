#include "adapters/kube/config_private.h"

#include "core/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount"

static const char *text_of(struct plm_arena *arena, struct plm_slice text)
{
	return (const char *)plm_arena_format(arena, "%.*s", (int)text.size, (const char *)text.ptr)
		.ptr;
}

const char *plm_kube_variable(const char *const *environment, const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
		if (strncmp(environment[i], name, size) == 0 && environment[i][size] == '=') {
			return environment[i] + size + 1;
		}
	}
	return NULL;
}

/* ---- reading fields ---------------------------------------------------------------------------- */

const char *plm_kube_field(struct plm_kube_source *from, struct plm_doc *map, const char *key)
{
	return text_of(from->tree.arena, plm_doc_text(&from->tree, map, key));
}

/* As plm_doc_text(), whose failure would say what a number is. */
static struct plm_slice secret(struct plm_kube_source *from, struct plm_doc *map, const char *key)
{
	struct plm_doc *node = plm_doc_get(map, key);

	if (node != NULL && node->kind != PLM_DOC_TEXT) {
		plm_doc_fail(&from->tree, node, "must be a text, in quotes");
		return (struct plm_slice){0};
	}
	return node == NULL ? (struct plm_slice){0} : node->text;
}

const char *plm_kube_path(struct plm_kube_source *from, const char *path)
{
	if (path[0] == '/' || path[0] == '\0' || from->folder[0] == '\0') {
		return path;
	}
	return (const char *)plm_arena_format(from->tree.arena, "%s/%s", from->folder, path).ptr;
}

/* PEM from 'key'-data, which wins, or from the file that 'key' names; '*file' is its path, or "". */
static struct plm_slice pem(struct plm_kube_source *from, struct plm_doc *map, const char *key,
			    const char **file)
{
	struct plm_slice name = plm_arena_format(from->tree.arena, "%s-data", key);
	struct plm_slice data = secret(from, map, (const char *)name.ptr);
	const char *path = plm_kube_path(from, plm_kube_field(from, map, key));
	struct plm_slice out = {0};
	struct plm_error err = {0};

	*file = "";
	if (data.size > 0) {
		if (!plm_kube_base64(from->tree.arena, data, &out)) {
			plm_doc_fail(&from->tree, plm_doc_get(map, (const char *)name.ptr),
				     "is not base64");
		}
		return out;
	}
	if (path[0] == '\0') {
		return out;
	}
	*file = path;
	if (plm_kube_file_read(from->tree.arena, path, &out, &err) != PLM_OK) {
		plm_doc_fail(&from->tree, plm_doc_get(map, key), "%s", err.text);
	}
	return out;
}

/* ---- files and their entries ------------------------------------------------------------------- */

struct load {
	struct plm_kube_login *login;
	struct plm_kube_source sources[PLM_LIMIT_KUBECONFIG_FILES];
	size_t count;
	bool several; /* files of a list may be absent */
};

static enum plm_code result(const struct plm_kube_source *from, struct plm_error *err)
{
	enum plm_code code = plm_doc_result(&from->tree, err);

	if (code != PLM_OK && err != NULL) {
		err->code = PLM_E_CONFIG;
	}
	return code == PLM_OK ? PLM_OK : PLM_E_CONFIG;
}

static enum plm_code add_file(struct load *load, struct plm_slice path, struct plm_error *err)
{
	struct plm_arena *arena = &load->login->arena;
	struct plm_kube_source *from = &load->sources[load->count];
	const char *file = text_of(arena, path);
	const char *slash = strrchr(file, '/');
	struct plm_slice bytes = {0};
	enum plm_code code = PLM_OK;

	if (path.size == 0 || (load->several && access(file, F_OK) != 0 && errno == ENOENT)) {
		return PLM_OK;
	}
	if (load->count == PLM_LIMIT_KUBECONFIG_FILES) {
		return plm_fail(err, PLM_E_CONFIG, "%s: more than %d kubeconfig files", file,
				PLM_LIMIT_KUBECONFIG_FILES);
	}
	code = plm_kube_file_read(arena, file, &bytes, err);
	if (code != PLM_OK) {
		return code;
	}
	*from = (struct plm_kube_source){.tree = {.file = file, .arena = arena}};
	from->folder =
		slash == NULL ? "" : text_of(arena, plm_slice_of(file, (size_t)(slash - file)));
	plm_yaml_parse(&from->tree, bytes, 1);
	if (from->tree.code == PLM_OK && from->tree.root != NULL &&
	    from->tree.root->kind != PLM_DOC_MAP) {
		plm_doc_fail(&from->tree, NULL, "is not a kubeconfig");
	}
	load->count++;
	return result(from, err);
}

static enum plm_code add_files(struct load *load, const char *paths, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	load->several = strchr(paths, ':') != NULL;
	while (code == PLM_OK && *paths != '\0') {
		size_t size = strcspn(paths, ":");

		code = add_file(load, plm_slice_of(paths, size), err);
		paths += size;
		paths += *paths == ':' ? 1 : 0;
	}
	return code;
}

/* An entry of one of the lists, and the file that has it first. */
struct entry {
	struct plm_kube_source *from;
	struct plm_doc *body; /* NULL: it says nothing */
};

static bool find_in(struct plm_kube_source *from, const char *kind, const char *name,
		    struct entry *out)
{
	struct plm_slice list = plm_arena_format(from->tree.arena, "%ss", kind);
	struct plm_doc *item =
		plm_doc_items(plm_doc_list(&from->tree, from->tree.root, (const char *)list.ptr));

	for (; item != NULL; item = item->next) {
		if (plm_slice_is(plm_doc_text(&from->tree, item, "name"), name)) {
			from->tree.kind = plm_slice_str(kind);
			from->tree.name = plm_slice_str(name);
			*out = (struct entry){from, plm_doc_map(&from->tree, item, kind)};
			return true;
		}
	}
	return false;
}

/* 'kind' is "context", "cluster" or "user"; 'named_by' says who asks for it. */
static enum plm_code find(struct load *load, const char *kind, const char *name,
			  const char *named_by, struct entry *out, struct plm_error *err)
{
	for (size_t i = 0; i < load->count; i++) {
		bool found = find_in(&load->sources[i], kind, name, out);
		enum plm_code code = result(&load->sources[i], err);

		if (found || code != PLM_OK) {
			return code;
		}
	}
	return plm_fail(err, PLM_E_CONFIG, "%s: there is no %s \"%s\", which %s names",
			load->login->file, kind, name, named_by);
}

/* ---- context, cluster, user -------------------------------------------------------------------- */

static enum plm_code choose(struct load *load, const char *wanted, struct plm_error *err)
{
	struct plm_kube_login *login = load->login;

	login->context = wanted == NULL ? "" : text_of(&login->arena, plm_slice_str(wanted));
	for (size_t i = 0; i < load->count && login->context[0] == '\0'; i++) {
		struct plm_kube_source *from = &load->sources[i];

		login->context = plm_kube_field(from, from->tree.root, "current-context");
		if (from->tree.code != PLM_OK) {
			return result(from, err);
		}
	}
	if (login->context[0] == '\0') {
		return plm_fail(err, PLM_E_CONFIG, "%s: current-context: no context is chosen",
				login->file);
	}
	return PLM_OK;
}

static enum plm_code read_context(struct load *load, const char *wanted, struct plm_error *err)
{
	struct plm_kube_login *login = load->login;
	struct entry entry = {0};
	enum plm_code code = choose(load, wanted, err);

	if (code == PLM_OK) {
		code = find(load, "context", login->context,
			    wanted == NULL ? "current-context" : "--context", &entry, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	login->cluster = plm_kube_field(entry.from, entry.body, "cluster");
	login->user = plm_kube_field(entry.from, entry.body, "user");
	login->ns = plm_kube_field(entry.from, entry.body, "namespace");
	if (login->cluster[0] == '\0') {
		plm_doc_fail(&entry.from->tree, entry.body, "cluster: it names none");
	}
	return result(entry.from, err);
}

static void check_server(struct plm_kube_source *from, struct plm_doc *body,
			 const struct plm_kube_login *login)
{
	const char *server = login->server;

	if (server[0] == '\0') {
		plm_doc_fail(&from->tree, body, "server: it names none");
	} else if (strncmp(server, "https://", 8) != 0 && strncmp(server, "http://", 7) != 0) {
		plm_doc_fail(&from->tree, plm_doc_get(body, "server"),
			     "must begin with https:// or http://");
	}
	if (login->insecure && login->ca_pem.size > 0) {
		plm_doc_fail(&from->tree, plm_doc_get(body, "insecure-skip-tls-verify"),
			     "there is a certificate-authority beside it: one of them");
	}
}

static enum plm_code read_cluster(struct load *load, struct entry *cluster, struct plm_error *err)
{
	struct plm_kube_login *login = load->login;
	struct plm_kube_source *from = NULL;
	struct plm_doc *body = NULL;
	struct plm_slice server = {0};
	enum plm_code code = PLM_OK;
	const char *who =
		(const char *)plm_arena_format(&login->arena, "context \"%s\"", login->context).ptr;

	code = find(load, "cluster", login->cluster, who, cluster, err);
	if (code != PLM_OK) {
		return code;
	}
	from = cluster->from;
	body = cluster->body;
	server = plm_doc_text(&from->tree, body, "server");
	while (server.size > 0 && server.ptr[server.size - 1] == '/') {
		server.size--;
	}
	login->server = text_of(&login->arena, server);
	login->server_name = plm_kube_field(from, body, "tls-server-name");
	login->proxy = plm_kube_field(from, body, "proxy-url");
	login->insecure = plm_doc_bool(&from->tree, body, "insecure-skip-tls-verify", 0) != 0;
	login->ca_pem = pem(from, body, "certificate-authority", &login->ca_file);
	check_server(from, body, login);
	return result(from, err);
}

/* What we do not do is refused, rather than somebody else spoken for. */
static void refuse(struct plm_kube_source *from, struct plm_doc *user)
{
	static const char *const others[] = {"as", "as-uid", "as-groups", "as-user-extra"};
	struct plm_doc *provider = plm_doc_get(user, "auth-provider");

	if (provider != NULL) {
		plm_doc_fail(&from->tree, provider,
			     "auth provider \"%s\": auth providers are no longer part of "
			     "Kubernetes, use its exec plugin",
			     plm_kube_field(from, provider, "name"));
	}
	for (size_t i = 0; i < PLM_COUNTOF(others); i++) {
		struct plm_doc *node = plm_doc_get(user, others[i]);

		if (node != NULL) {
			plm_doc_fail(&from->tree, node, "impersonation is not supported");
		}
	}
}

static void check_user(struct plm_kube_source *from, struct plm_doc *user,
		       const struct plm_kube_login *login)
{
	bool token = login->token.size > 0 || login->token_file[0] != '\0';
	bool basic = login->username.size > 0 || login->password.size > 0;
	int ways = (token ? 1 : 0) + (basic ? 1 : 0) + (login->plugin.command != NULL ? 1 : 0);

	if (ways > 1) {
		plm_doc_fail(&from->tree, user, "one of token, username and exec, not several");
	}
	if ((login->cert_pem.size > 0) != (login->key_pem.size > 0)) {
		plm_doc_fail(&from->tree, user,
			     "client-certificate and client-key are given together or not at all");
	}
	for (size_t i = 0; i < login->token.size; i++) {
		if (login->token.ptr[i] <= ' ' || login->token.ptr[i] > '~') {
			plm_doc_fail(&from->tree, plm_doc_get(user, "token"),
				     "has a character that no token has");
		}
	}
}

static enum plm_code read_user(struct load *load, const struct entry *cluster,
			       struct plm_error *err)
{
	struct plm_kube_login *login = load->login;
	struct plm_kube_source *from = NULL;
	struct plm_doc *user = NULL;
	struct entry entry = {0};
	enum plm_code code = PLM_OK;
	const char *who =
		(const char *)plm_arena_format(&login->arena, "context \"%s\"", login->context).ptr;

	login->token_file = login->cert_file = login->key_file = "";
	if (login->user[0] == '\0') {
		return PLM_OK; /* nobody: the server may let anonymous in */
	}
	code = find(load, "user", login->user, who, &entry, err);
	if (code != PLM_OK) {
		return code;
	}
	from = entry.from;
	user = entry.body;
	refuse(from, user);
	login->cert_pem = pem(from, user, "client-certificate", &login->cert_file);
	login->key_pem = pem(from, user, "client-key", &login->key_file);
	login->token = secret(from, user, "token");
	login->token_file = plm_kube_path(from, plm_kube_field(from, user, "tokenFile"));
	login->username = secret(from, user, "username");
	login->password = secret(from, user, "password");
	plm_kube_plugin_read(from, user, &login->plugin);
	if (login->plugin.command != NULL &&
	    plm_doc_bool(&from->tree, plm_doc_get(user, "exec"), "provideClusterInfo", 0) != 0) {
		login->plugin.told = plm_kube_plugin_told(login, cluster->body);
	}
	check_user(from, user, login);
	return result(from, err);
}

static enum plm_code load_files(struct plm_kube_login *login,
				const struct plm_kube_login_options *options, struct plm_error *err)
{
	struct load *load = PLM_NEW(&login->arena, struct load);
	struct entry cluster = {0};
	enum plm_code code = PLM_OK;

	load->login = login;
	login->file = text_of(&login->arena, plm_slice_str(options->kubeconfig));
	code = add_files(load, login->file, err);
	if (code == PLM_OK && load->count == 0) {
		code = plm_fail(err, PLM_E_CONFIG, "%s: there is no such kubeconfig file",
				login->file);
	}
	if (code == PLM_OK) {
		code = read_context(load, options->context, err);
	}
	if (code == PLM_OK) {
		code = read_cluster(load, &cluster, err);
	}
	return code == PLM_OK ? read_user(load, &cluster, err) : code;
}

/* ---- in a pod ---------------------------------------------------------------------------------- */

static const char *account_file(struct plm_kube_login *login, const char *folder, const char *name)
{
	return (const char *)plm_arena_format(&login->arena, "%s/%s", folder, name).ptr;
}

static enum plm_code load_pod(struct plm_kube_login *login,
			      const struct plm_kube_login_options *options, struct plm_error *err)
{
	const char *host = plm_kube_variable(options->environment, "KUBERNETES_SERVICE_HOST");
	const char *port = plm_kube_variable(options->environment, "KUBERNETES_SERVICE_PORT");
	const char *folder = options->account == NULL ? ACCOUNT : options->account;
	bool brackets = host != NULL && strchr(host, ':') != NULL;
	struct plm_slice ns = {0};
	enum plm_code code = PLM_OK;

	if (host == NULL || port == NULL || host[0] == '\0' || port[0] == '\0') {
		return plm_fail(err, PLM_E_CONFIG,
				"in-cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT "
				"are not set: this is no pod");
	}
	login->file = login->context = login->cluster = PLM_KUBE_IN_CLUSTER;
	login->user = "service account";
	login->server_name = login->proxy = login->cert_file = login->key_file = "";
	login->server =
		(const char *)plm_arena_format(&login->arena, "https://%s%s%s:%s",
					       brackets ? "[" : "", host, brackets ? "]" : "", port)
			.ptr;
	login->token_file = account_file(login, folder, "token");
	login->ca_file = account_file(login, folder, "ca.crt");
	code = plm_kube_file_read(&login->arena, login->token_file, &login->token, err);
	if (code == PLM_OK) {
		code = plm_kube_file_read(&login->arena, login->ca_file, &login->ca_pem, err);
	}
	if (code == PLM_OK) {
		code = plm_kube_file_read(&login->arena, account_file(login, folder, "namespace"),
					  &ns, err);
	}
	if (code != PLM_OK) {
		return plm_fail_prefix(err, code, "in-cluster");
	}
	while (ns.size > 0 && ns.ptr[ns.size - 1] <= ' ') {
		ns.size--;
	}
	login->ns = text_of(&login->arena, ns);
	return PLM_OK;
}

enum plm_code plm_kube_login_load(const struct plm_kube_login_options *options,
				  struct plm_kube_login **out, struct plm_error *err)
{
	struct plm_kube_login *login = calloc(1, sizeof(*login));
	enum plm_code code = PLM_OK;

	if (login == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "out of memory");
	}
	code = plm_arena_init(&login->arena, PLM_LIMIT_DOC_BYTES, err);
	if (code == PLM_OK) {
		code = strcmp(options->kubeconfig, PLM_KUBE_IN_CLUSTER) == 0
			       ? load_pod(login, options, err)
			       : load_files(login, options, err);
	}
	if (code != PLM_OK) {
		plm_kube_login_free(login);
		return code;
	}
	*out = login;
	return PLM_OK;
}

void plm_kube_login_free(struct plm_kube_login *login)
{
	if (login == NULL) {
		return;
	}
	if (login->arena.base != NULL) {
		explicit_bzero(login->arena.base, login->arena.touched);
	}
	plm_arena_fini(&login->arena);
	free(login);
}
