/* The client against a server of the test: discovery, what leaves and what does not, what comes back. */
#include "plm_test.h"

#include "adapters/kube/client.h"
#include "core/limits.h"
#include "core/units.h"
#include "files.h"
#include "server.h"

#include <stdio.h>
#include <stdlib.h>

#define RES(id) PLM_KUBE_RES_##id
#define V1 "client.authentication.k8s.io/v1"

/* ---- what the server has ----------------------------------------------------------------------- */

#define R(name) "{\"resource\":\"" name "\"}"
#define GROUP(name, version, resources)                                                            \
	"{\"metadata\":{\"name\":\"" name "\"},\"versions\":[{\"version\":\"" version              \
	"\",\"resources\":[" resources "]}]}"
#define DISCOVERY(items)                                                                           \
	"{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/"                \
	"v2\",\"items\":[" items "]}"
#define LIST(resources) "{\"kind\":\"APIResourceList\",\"resources\":[" resources "]}"
#define N(name) "{\"name\":\"" name "\"}"
#define CORE_ALL R("pods") "," R("nodes") "," R("namespaces") "," R("events")
#define LEASES GROUP("coordination.k8s.io", "v1", R("leases"))
#define WORK GROUP("batch", "v1", R("jobs"))
#define KUEUE                                                                                      \
	"{\"metadata\":{\"name\":\"kueue.x-k8s.io\"},\"versions\":["                               \
	"{\"version\":\"v1beta1\",\"resources\":[" R("workloads") "," R(                           \
		"podsets") "]},"                                                                   \
			   "{\"version\":\"v1beta2\",\"resources\":[" R("workloads") "]}]}"

struct world {
	uv_loop_t loop;
	struct server server;
	struct plm_http_client *http;
	struct plm_kube_client *client;
	bool plain, kueue,
		broken; /* no aggregated discovery; CRDs are installed; /version is garbage */
	unsigned discovery_status; /* of /apis, 0 = 200 */
	int rounds;		   /* of discovery: how often /version was asked for */
	/* The last call that was not discovery. */
	int calls;
	struct server_request request;
	char body[256];
	char order[256]; /* first letters of the names of paths, as they came */
	struct server_answer answer;
	const char *token; /* any other is answered 401; NULL = none is needed */
	/* What the client told. */
	int discovered, changes, notes;
	enum plm_code code;
	char why[700];
};

static bool discovery(struct world *w, const char *path, bool aggregated, const char **body)
{
	if (strcmp(path, "/version") == 0) {
		w->rounds++;
		*body = w->broken ? "<html>"
				  : "{\"major\":\"1\",\"minor\":\"37+\",\"gitVersion\":\"v1.37.2\","
				    "\"emulationMajor\":\"1\",\"emulationMinor\":\"35\"}";
	} else if (strcmp(path, "/api") == 0) {
		*body = aggregated ? DISCOVERY(GROUP("", "v1", CORE_ALL))
				   : "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}";
	} else if (strcmp(path, "/apis") == 0 && aggregated) {
		*body = w->kueue ? DISCOVERY(LEASES "," WORK "," KUEUE)
				 : DISCOVERY(LEASES "," WORK);
	} else if (strcmp(path, "/apis") == 0) {
		*body = w->kueue ? "{\"kind\":\"APIGroupList\",\"groups\":[1]}"
				 : "{\"kind\":\"APIGroupList\",\"groups\":[]}";
	} else if (strcmp(path, "/api/v1/namespaces/kube-system") == 0) {
		*body = "{\"metadata\":{\"uid\":\"u-1\"}}";
	} else if (strcmp(path, "/api/v1") == 0) {
		*body = LIST(N("pods") "," N("nodes") "," N("pods/status"));
	} else if (strcmp(path, "/apis/kueue.x-k8s.io/v1beta1") == 0) {
		*body = LIST(N("workloads"));
	} else {
		return false;
	}
	return true;
}

static void note_call(struct world *w, const struct server_request *request)
{
	const char *name = strrchr(request->path, '/') + 1;
	size_t size = strlen(w->order);

	w->calls++;
	w->request = *request;
	(void)snprintf(w->body, sizeof(w->body), "%.*s", (int)request->body.size,
		       (const char *)request->body.ptr);
	if (size + 1 < sizeof(w->order)) {
		w->order[size] = *name;
	}
}

static void on_ask(void *self, const struct server_request *request, struct server_answer *answer)
{
	struct world *w = self;
	char bearer[300];
	bool aggregated = strstr(request->accept, "apidiscovery") != NULL && !w->plain;

	(void)snprintf(bearer, sizeof(bearer), "Bearer %s", w->token == NULL ? "" : w->token);
	if (w->token != NULL && strcmp(request->authorization, bearer) != 0) {
		*answer = (struct server_answer){.status = 401,
						 .body = "{\"reason\":\"Unauthorized\"}"};
		note_call(w, request);
		return;
	}
	answer->status = 200;
	if (strcmp(request->path, "/apis") == 0 && w->discovery_status != 0) {
		*answer = (struct server_answer){.status = w->discovery_status,
						 .body = "{\"message\":\"no\"}"};
		return;
	}
	if (discovery(w, request->path, aggregated, &answer->body)) {
		return;
	}
	answer->status = 404;
	if (strncmp(request->path, "/apis/", 6) == 0 && strrchr(request->path, '/')[1] == 'v') {
		return; /* a group that is not there */
	}
	note_call(w, request);
	*answer = w->answer;
}

/* ---- the world --------------------------------------------------------------------------------- */

static void on_resources(void *self)
{
	((struct world *)self)->changes++;
}

static void on_note(void *self, const char *text)
{
	(void)text;
	((struct world *)self)->notes++;
}

static void on_discovered(void *self, enum plm_code code, const char *why)
{
	struct world *w = self;

	w->discovered++;
	w->code = code;
	(void)snprintf(w->why, sizeof(w->why), "%s", why);
}

/* Until 'count' is at least 'least', for 20 s. A poll that waits would sleep over what a timer just did. */
static void until(struct world *w, const int *count, int least)
{
	uint64_t end = uv_hrtime() + 20000000000ULL;

	for (unsigned turn = 0; *count < least; turn++) {
		assert_true(uv_hrtime() < end);
		(void)uv_run(&w->loop, UV_RUN_NOWAIT);
		if (turn > 100) {
			uv_sleep(1);
		}
	}
}

static struct plm_kube_client_options options_of(struct world *w)
{
	return (struct plm_kube_client_options){
		.loop = &w->loop,
		.http = w->http,
		.field_manager = "plimsoll",
		.note = on_note,
		.self = w,
		.on_resources = on_resources,
	};
}

static void begin(struct world *w, const char *user, struct plm_kube_client_options options)
{
	struct plm_error err = {0};
	char text[1024];

	(void)snprintf(text, sizeof(text),
		       "current-context: c\n"
		       "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
		       "clusters: [{name: k, cluster: {server: 'http://127.0.0.1:%d'}}]\n"
		       "users: [{name: u, user: {%s}}]\n",
		       w->server.port, user);
	options.kubeconfig = files_write("config", text);
	plm_assert_ok(plm_kube_client_new(&options, &w->client, &err), &err);
}

static void discover(struct world *w)
{
	int before = w->discovered;

	plm_kube_discover(w->client, on_discovered, w);
	until(w, &w->discovered, before + 1);
}

static void open_world(struct world *w)
{
	struct plm_http_client_options http = {
		.loop = &w->loop, .calls_max = 16, .user_agent = "test"};
	struct plm_error err = {0};

	*w = (struct world){.answer = {.status = 200, .body = "{}"}};
	(void)files_folder();
	assert_int_equal(uv_loop_init(&w->loop), 0);
	w->server = (struct server){.loop = &w->loop, .ask = on_ask, .self = w};
	server_open(&w->server);
	plm_assert_ok(plm_http_client_new(&http, &w->http, &err), &err);
}

/* With a client that has asked what there is. */
static void open_all(struct world *w)
{
	open_world(w);
	w->kueue = true;
	begin(w, "token: abc", options_of(w));
	discover(w);
	assert_int_equal(w->code, PLM_OK);
}

static void close_world(struct world *w)
{
	plm_kube_client_free(w->client);
	plm_http_client_free(w->http);
	server_close(&w->server);
	assert_int_equal(uv_run(&w->loop, UV_RUN_DEFAULT), 0);
	assert_int_equal(uv_loop_close(&w->loop), 0);
	files_remove();
}

/* ---- one call ---------------------------------------------------------------------------------- */

struct heard {
	struct world *world;
	int count;
	enum plm_kube_fate fate;
	unsigned status;
	char message[600], reason[64], body[256], request_id[64];
	int64_t retry_after_ms;
};

static void copy(char *to, size_t size, struct plm_slice from)
{
	(void)snprintf(to, size, "%.*s", (int)from.size, (const char *)from.ptr);
}

static void on_answer(void *self, const struct plm_kube_answer *answer)
{
	struct heard *h = self;

	h->count++;
	h->fate = answer->fate;
	h->status = answer->status;
	h->retry_after_ms = answer->retry_after_ms;
	copy(h->message, sizeof(h->message), answer->message);
	copy(h->reason, sizeof(h->reason), answer->reason);
	copy(h->body, sizeof(h->body), answer->body);
	(void)snprintf(h->request_id, sizeof(h->request_id), "%s", answer->request_id);
}

static struct plm_kube_request request_of(enum plm_kube_resource_id resource,
					  enum plm_kube_verb verb, const char *name)
{
	return (struct plm_kube_request){
		.resource = resource,
		.subresource = "",
		.verb = verb,
		.ns = plm_slice_str("ns"),
		.name = plm_slice_str(name),
	};
}

static struct plm_kube_sent *begin_call(struct world *w, struct heard *h,
					struct plm_kube_request request)
{
	*h = (struct heard){.world = w};
	request.on_done = on_answer;
	request.self = h;
	return plm_kube_send(w->client, &request);
}

static void call(struct world *w, struct heard *h, struct plm_kube_request request)
{
	(void)begin_call(w, h, request);
	assert_int_equal(h->count, 0); /* from the loop only */
	until(w, &h->count, 1);
}

/* ---- discovery --------------------------------------------------------------------------------- */

static void aggregated(void **state)
{
	struct world w;
	const struct plm_kube_server *server = NULL;

	(void)state;
	open_all(&w);
	server = plm_kube_server(w.client);
	assert_string_equal(server->version, "v1.37.2");
	assert_int_equal(server->minor, 37);
	assert_int_equal(server->emulated_minor, 35);
	assert_string_equal(server->cluster_uid, "u-1");
	assert_false(server->mutating_policies);
	assert_string_equal(plm_kube_version(w.client, RES(PODS)), "v1");
	assert_string_equal(plm_kube_version(w.client, RES(WORKLOADS)), "v1beta2");
	assert_string_equal(plm_kube_version(w.client, RES(POD_SETS)), "v1beta1");
	assert_null(plm_kube_version(w.client, RES(NODE_POOLS)));
	assert_string_equal(plm_kube_namespace(w.client), "default");
	assert_int_equal(w.changes, 0);
	close_world(&w);
}

static void group_by_group(void **state)
{
	struct world w;

	(void)state;
	open_world(&w);
	w.plain = true;
	begin(&w, "token: abc", options_of(&w));
	discover(&w);
	assert_int_equal(w.code, PLM_OK);
	assert_string_equal(plm_kube_version(w.client, RES(NODES)), "v1");
	assert_string_equal(plm_kube_version(w.client, RES(WORKLOADS)), "v1beta1");
	assert_null(plm_kube_version(w.client, RES(JOBS)));
	close_world(&w);
}

static void discovery_fails_and_is_repeated(void **state)
{
	struct world w;

	(void)state;
	open_world(&w);
	begin(&w, "token: abc", options_of(&w));
	w.broken = true;
	discover(&w);
	assert_int_equal(w.code, PLM_E_INPUT);
	assert_non_null(strstr(w.why, "this is no Kubernetes API server"));
	w.broken = false;
	w.discovery_status = 403;
	discover(&w);
	assert_int_equal(w.code, PLM_E_REFUSED);
	w.discovery_status = 503;
	discover(&w);
	assert_int_equal(w.code, PLM_E_UNREACHABLE);
	w.discovery_status = 0;
	discover(&w);
	assert_int_equal(w.code, PLM_OK);
	close_world(&w);
}

static void nobody_listens(void **state)
{
	struct world w;

	(void)state;
	open_world(&w);
	begin(&w, "token: hidden", options_of(&w));
	server_close(&w.server);
	discover(&w);
	assert_int_equal(w.code, PLM_E_UNREACHABLE);
	assert_null(strstr(w.why, "hidden"));
	plm_kube_client_free(w.client);
	plm_http_client_free(w.http);
	assert_int_equal(uv_run(&w.loop, UV_RUN_DEFAULT), 0);
	assert_int_equal(uv_loop_close(&w.loop), 0);
	files_remove();
}

/* A CRD that goes, and comes back: calls notice, the owner is told. */
static void resources_come_and_go(void **state)
{
	struct world w;
	struct heard h;

	(void)state;
	open_all(&w);
	w.kueue = false;
	w.answer = (struct server_answer){.status = 404, .body = "404 page not found\n"};
	call(&w, &h, request_of(RES(WORKLOADS), PLM_KUBE_LIST, ""));
	assert_int_equal(h.fate, PLM_KUBE_NO_RESOURCE);
	until(&w, &w.changes, 1);
	assert_null(plm_kube_version(w.client, RES(WORKLOADS)));
	/* Not asked for any more. */
	w.calls = 0;
	call(&w, &h, request_of(RES(WORKLOADS), PLM_KUBE_LIST, ""));
	assert_int_equal(h.fate, PLM_KUBE_NO_RESOURCE);
	assert_int_equal(w.calls, 0);
	w.kueue = true;
	discover(&w);
	assert_int_equal(w.changes, 2);
	assert_string_equal(plm_kube_version(w.client, RES(WORKLOADS)), "v1beta2");
	/* An object that is not there is no reason to look. */
	w.rounds = 0;
	w.answer.body = "{\"reason\":\"NotFound\",\"details\":{\"name\":\"x\"}}";
	call(&w, &h, request_of(RES(WORKLOADS), PLM_KUBE_GET, "x"));
	assert_int_equal(h.fate, PLM_KUBE_NOT_FOUND);
	assert_int_equal(w.rounds, 0);
	close_world(&w);
}

/* ---- what leaves ------------------------------------------------------------------------------- */

static void one_call(void **state)
{
	struct world w;
	struct heard h;
	struct plm_kube_request request = request_of(RES(WORKLOADS), PLM_KUBE_PATCH_MERGE, "w");

	(void)state;
	open_all(&w);
	plm_kube_client_allow(w.client, PLM_KUBE_QUEUES);
	w.answer = (struct server_answer){.status = 200, .body = "{\"a\":1}"};
	request.subresource = "status";
	request.body = plm_slice_str("{\"status\":{}}");
	call(&w, &h, request);
	assert_int_equal(h.fate, PLM_KUBE_DONE);
	assert_int_equal(h.status, 200);
	assert_string_equal(h.body, "{\"a\":1}");
	assert_string_equal(h.request_id, "audit-7");
	assert_int_equal(h.retry_after_ms, PLM_UNSET);
	assert_string_equal(w.request.method, "PATCH");
	assert_string_equal(w.request.path,
			    "/apis/kueue.x-k8s.io/v1beta2/namespaces/ns/workloads/w/"
			    "status?fieldManager=plimsoll");
	assert_string_equal(w.request.authorization, "Bearer abc");
	assert_string_equal(w.request.content_type, "application/merge-patch+json");
	assert_string_equal(w.body, "{\"status\":{}}");
	close_world(&w);
}

/* Every call that the table does not have, of whatever resource, subresource and verb: nothing leaves. */
static void outside_of_the_table(void **state)
{
	static const char *const subs[] = {"", "status", "eviction", "exec", "finalizers", "scale"};
	struct world w;
	struct heard h;
	size_t refused = 0;

	(void)state;
	open_all(&w);
	plm_kube_client_allow(w.client, ~0U);
	for (unsigned id = RES(NONE) + 1; id < RES(COUNT); id++) {
		for (size_t i = 0; i < PLM_COUNTOF(subs) * 9; i++) {
			struct plm_kube_request request =
				request_of((enum plm_kube_resource_id)id,
					   (enum plm_kube_verb)(i % 9), "plimsoll");

			request.subresource = subs[i / 9];
			if (plm_kube_call_find(request.resource, request.subresource,
					       request.verb) != NULL) {
				continue;
			}
			call(&w, &h, request);
			assert_int_equal(h.fate, PLM_KUBE_FORBIDDEN_HERE);
			refused++;
		}
	}
	assert_int_equal(w.calls, 0);
	assert_true(refused > 2000);
	close_world(&w);
}

/* Each row, in each mode: it leaves where the table says so and nowhere else. */
static void modes(void **state)
{
	static const unsigned each[] = {PLM_KUBE_OBSERVE, PLM_KUBE_QUEUES, PLM_KUBE_NODES,
					PLM_KUBE_SERVE, PLM_KUBE_DOCTOR};
	size_t count = 0;
	const struct plm_kube_call_row *rows = plm_kube_calls(&count);
	struct world w;
	struct heard h;

	(void)state;
	open_all(&w);
	for (size_t i = 0; i < count * PLM_COUNTOF(each); i++) {
		const struct plm_kube_call_row *row = &rows[i % count];
		unsigned mode = each[i / count];
		bool allowed = (row->modes & (mode | PLM_KUBE_OBSERVE)) != 0;
		bool served = plm_kube_version(w.client, row->resource) != NULL;
		struct plm_kube_request request = request_of(row->resource, row->verb, "x");

		if (row->name_only != NULL) {
			request.name = plm_slice_of(row->name_only, strcspn(row->name_only, ","));
		}
		request.subresource = row->subresource;
		plm_kube_client_allow(w.client, mode);
		w.calls = 0;
		call(&w, &h, request);
		assert_int_equal(h.fate, !allowed  ? PLM_KUBE_FORBIDDEN_HERE
					 : !served ? PLM_KUBE_NO_RESOURCE
						   : PLM_KUBE_DONE);
		assert_int_equal(w.calls, allowed && served ? 1 : 0);
	}
	close_world(&w);
}

static void names_and_force(void **state)
{
	struct world w;
	struct heard h;
	struct plm_kube_request request = request_of(RES(WORKLOADS), PLM_KUBE_APPLY, "w");

	(void)state;
	open_all(&w);
	plm_kube_client_allow(w.client, PLM_KUBE_QUEUES | PLM_KUBE_NODES);
	call(&w, &h, request_of(RES(LEASES), PLM_KUBE_UPDATE, "karpenter-leader-election"));
	assert_int_equal(h.fate, PLM_KUBE_FORBIDDEN_HERE);
	call(&w, &h, request_of(RES(LEASES), PLM_KUBE_UPDATE, "plimsoll"));
	assert_int_equal(h.fate, PLM_KUBE_DONE);
	request.subresource = "status";
	request.query = "force=true";
	call(&w, &h, request);
	assert_int_equal(h.fate, PLM_KUBE_DONE);
	request = request_of(RES(PODS), PLM_KUBE_PATCH_JSON, "p");
	request.query = "force=true";
	call(&w, &h, request);
	assert_int_equal(h.fate, PLM_KUBE_FORBIDDEN_HERE);
	close_world(&w);
}

static void strict_dies(void **state)
{
	struct plm_kube_client_options options;
	struct world w;
	struct heard h;

	(void)state;
	open_world(&w);
	options = options_of(&w);
	options.strict = true;
	begin(&w, "token: abc", options);
	discover(&w);
	plm_assert_panics((void)begin_call(&w, &h, request_of(RES(NODES), PLM_KUBE_DELETE, "n")));
	close_world(&w);
}

/* ---- credentials ------------------------------------------------------------------------------- */

static void renewed_after_401(void **state)
{
	struct world w;
	struct heard h;

	(void)state;
	open_world(&w);
	(void)files_write("token", "one");
	w.token = "one";
	begin(&w, "tokenFile: token", options_of(&w));
	discover(&w);
	(void)files_write("token", "two");
	w.token = "two";
	w.calls = 0;
	call(&w, &h, request_of(RES(PODS), PLM_KUBE_GET, "p"));
	assert_int_equal(h.fate, PLM_KUBE_DONE);
	assert_int_equal(w.calls, 2);
	/* Once, and only where there is something newer. */
	w.token = "three";
	w.calls = 0;
	call(&w, &h, request_of(RES(PODS), PLM_KUBE_GET, "p"));
	assert_int_equal(h.fate, PLM_KUBE_DENIED);
	assert_string_equal(h.reason, "Unauthorized");
	assert_int_equal(w.calls, 1);
	(void)files_write("token", "four");
	w.calls = 0;
	call(&w, &h, request_of(RES(PODS), PLM_KUBE_GET, "p"));
	assert_int_equal(h.fate, PLM_KUBE_DENIED);
	assert_int_equal(w.calls, 2);
	close_world(&w);
}

#define PLUGIN "exec: {apiVersion: " V1 ", command: ./plugin}"
#define PRINTS(token)                                                                              \
	"#!/bin/sh\necho '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1                       \
	"\",\"status\":{\"token\":\"" token "\"}}'\n"

static void calls_wait_for_a_plugin(void **state)
{
	struct world w;
	struct heard h[3];

	(void)state;
	open_world(&w);
	(void)files_program("plugin", PRINTS("one"));
	w.token = "one";
	begin(&w, PLUGIN, options_of(&w));
	discover(&w);
	assert_int_equal(w.code, PLM_OK);
	/* All are answered 401, one run renews, all go out again. */
	(void)files_program("plugin", PRINTS("two"));
	w.token = "two";
	for (size_t i = 0; i < PLM_COUNTOF(h); i++) {
		(void)begin_call(&w, &h[i], request_of(RES(PODS), PLM_KUBE_GET, "p"));
	}
	for (size_t i = 0; i < PLM_COUNTOF(h); i++) {
		until(&w, &h[i].count, 1);
		assert_int_equal(h[i].fate, PLM_KUBE_DONE);
	}
	close_world(&w);
}

static void plugin_fails(void **state)
{
	struct world w;

	(void)state;
	open_world(&w);
	(void)files_program("plugin", "#!/bin/sh\necho 'log in first' >&2\nexit 1\n");
	begin(&w, PLUGIN, options_of(&w));
	discover(&w);
	assert_int_equal(w.code, PLM_E_UNREACHABLE);
	assert_non_null(strstr(w.why, "log in first"));
	assert_int_equal(w.notes, 1);
	close_world(&w);
}

/* The client goes while a plugin runs and calls wait for it. */
static void freed_meanwhile(void **state)
{
	struct world w;

	(void)state;
	open_world(&w);
	(void)files_program("plugin", "#!/bin/sh\nexec sleep 60\n");
	begin(&w, PLUGIN, options_of(&w));
	plm_kube_discover(w.client, on_discovered, &w);
	(void)uv_run(&w.loop, UV_RUN_NOWAIT);
	close_world(&w);
	assert_int_equal(w.discovered, 0);
}

/* ---- turns, ends ------------------------------------------------------------------------------- */

static void turns(void **state)
{
	struct plm_kube_client_options options;
	struct world w;
	struct heard h[4];
	uint64_t start = 0;

	(void)state;
	open_world(&w);
	options = options_of(&w);
	options.rate_milli = 10000;
	options.burst = 1;
	begin(&w, "token: abc", options);
	discover(&w);
	plm_kube_client_allow(w.client, PLM_KUBE_QUEUES);
	start = uv_hrtime();
	(void)begin_call(&w, &h[0], request_of(RES(PODS), PLM_KUBE_GET, "1"));
	(void)begin_call(&w, &h[1], request_of(RES(PODS), PLM_KUBE_GET, "2"));
	(void)begin_call(&w, &h[2], request_of(RES(PODS), PLM_KUBE_GET, "3"));
	(void)begin_call(&w, &h[3], request_of(RES(LEASES), PLM_KUBE_UPDATE, "plimsoll"));
	until(&w, &h[3].count, 1);
	assert_int_equal(h[2].count, 0); /* a Lease waits for nobody */
	until(&w, &h[2].count, 1);
	assert_true(uv_hrtime() - start >= 150000000U);
	assert_int_equal(h[1].count, 1);
	close_world(&w);
}

static void lost_and_unsent(void **state)
{
	struct world w;
	struct heard h;

	(void)state;
	open_all(&w);
	plm_kube_client_allow(w.client, PLM_KUBE_QUEUES);
	w.answer.close = true;
	call(&w, &h, request_of(RES(PODS), PLM_KUBE_CREATE, "p"));
	assert_int_equal(h.fate, PLM_KUBE_UNKNOWN);
	assert_true(h.message[0] != '\0');
	w.answer = (struct server_answer){.status = 504, .body = "{\"reason\":\"Timeout\"}"};
	call(&w, &h, request_of(RES(PODS), PLM_KUBE_CREATE, "p"));
	assert_int_equal(h.fate, PLM_KUBE_UNKNOWN);
	assert_string_equal(h.reason, "Timeout");
	close_world(&w);
}

static void cancelled(void **state)
{
	struct world w;
	struct heard h[3];
	struct plm_kube_sent *sent = NULL;

	(void)state;
	open_all(&w);
	w.answer.hang = true;
	w.calls = 0;
	sent = begin_call(&w, &h[0], request_of(RES(PODS), PLM_KUBE_GET, "p"));
	until(&w, &w.calls, 1);
	plm_kube_cancel(sent); /* under way */
	plm_kube_cancel(begin_call(&w, &h[1], request_of(RES(PODS), PLM_KUBE_DELETE, "p")));
	w.answer.hang = false;
	call(&w, &h[2], request_of(RES(PODS), PLM_KUBE_GET, "p"));
	assert_int_equal(h[0].count + h[1].count, 0);
	close_world(&w);
}

/* From inside an answer: send another, cancel another. */
static struct plm_kube_sent *other;

static void on_first(void *self, const struct plm_kube_answer *answer)
{
	struct heard *h = self;
	struct plm_kube_request request = request_of(RES(PODS), PLM_KUBE_GET, "again");

	on_answer(self, answer);
	plm_kube_cancel(other);
	request.on_done = on_answer;
	request.self = h;
	(void)plm_kube_send(h->world->client, &request);
}

static void from_inside(void **state)
{
	struct world w;
	struct heard first = {0};
	struct heard second = {0};
	struct plm_kube_request request = request_of(RES(NODES), PLM_KUBE_DELETE, "n");

	(void)state;
	open_all(&w);
	first.world = &w;
	request.on_done = on_first;
	request.self = &first;
	(void)plm_kube_send(w.client, &request); /* not of this mode: answered by the loop */
	other = begin_call(&w, &second, request_of(RES(NODES), PLM_KUBE_DELETE, "n"));
	until(&w, &first.count, 2);
	assert_int_equal(second.count, 0);
	assert_int_equal(first.fate, PLM_KUBE_DONE);
	close_world(&w);
}

static void bad_server(void **state)
{
	struct world w;
	struct plm_kube_client_options options;
	struct plm_error err = {0};

	(void)state;
	open_world(&w);
	options = options_of(&w);
	options.kubeconfig = files_write(
		"config",
		"current-context: c\ncontexts: [{name: c, context: {cluster: k, user: ''}}]\n"
		"clusters: [{name: k, cluster: {server: 'https://k', "
		"certificate-authority-data: c2VjcmV0}}]\n");
	plm_assert_fails(plm_kube_client_new(&options, &w.client, &err), PLM_E_CONFIG, err,
			 "/config: ");
	assert_null(w.client);
	close_world(&w);
}

int main(void)
{
	struct plm_tests tests = {0};

	PLM_TEST_ADD(&tests, aggregated);
	PLM_TEST_ADD(&tests, group_by_group);
	PLM_TEST_ADD(&tests, discovery_fails_and_is_repeated);
	PLM_TEST_ADD(&tests, nobody_listens);
	PLM_TEST_ADD(&tests, resources_come_and_go);
	PLM_TEST_ADD(&tests, one_call);
	PLM_TEST_ADD(&tests, outside_of_the_table);
	PLM_TEST_ADD(&tests, modes);
	PLM_TEST_ADD(&tests, names_and_force);
	PLM_TEST_ADD(&tests, strict_dies);
	PLM_TEST_ADD(&tests, renewed_after_401);
	PLM_TEST_ADD(&tests, calls_wait_for_a_plugin);
	PLM_TEST_ADD(&tests, plugin_fails);
	PLM_TEST_ADD(&tests, freed_meanwhile);
	PLM_TEST_ADD(&tests, turns);
	PLM_TEST_ADD(&tests, lost_and_unsent);
	PLM_TEST_ADD(&tests, cancelled);
	PLM_TEST_ADD(&tests, from_inside);
	PLM_TEST_ADD(&tests, bad_server);
	return plm_tests_run(&tests, "client");
}
