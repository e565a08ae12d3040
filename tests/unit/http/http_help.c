#include "http_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plm_test.h"

#define NAMES_MAX 16
#define FILES_MAX 16

static struct {
	pid_t pid;
	int input; /* the server ends with it */
	char folder[64];
	struct {
		char name[32];
		int port;
	} ports[NAMES_MAX];
	size_t port_count;
	struct {
		char name[32];
		uint8_t *bytes;
		size_t size;
	} files[FILES_MAX];
	size_t file_count;
} server;

static void child(int input, int output)
{
	char script[512];

	(void)snprintf(script, sizeof(script), "%s/tests/unit/http/http_server.py",
		       getenv("PLM_SOURCE_ROOT"));
	(void)dup2(input, 0);
	(void)dup2(output, 1);
	for (int fd = 3; fd < 64; fd++) {
		(void)close(fd);
	}
	(void)execl("/usr/bin/python3", "python3", script, server.folder, (char *)NULL);
	_exit(127);
}

static void read_ports(FILE *from)
{
	char line[128];

	while (fgets(line, sizeof(line), from) != NULL && strcmp(line, "ready\n") != 0) {
		char *space = strchr(line, ' ');

		assert_non_null(space);
		assert_true(server.port_count < NAMES_MAX);
		*space = '\0';
		(void)snprintf(server.ports[server.port_count].name, sizeof(server.ports[0].name),
			       "%.31s", line);
		server.ports[server.port_count].port = (int)strtol(space + 1, NULL, 10);
		server.port_count++;
	}
}

void http_server_start(void)
{
	int input[2], output[2];
	FILE *from;

	(void)snprintf(server.folder, sizeof(server.folder), "/tmp/plm-http-XXXXXX");
	PLM_ASSERT(mkdtemp(server.folder) != NULL);
	PLM_ASSERT(pipe(input) == 0 && pipe(output) == 0);
	server.pid = fork();
	PLM_ASSERT(server.pid >= 0);
	if (server.pid == 0) {
		child(input[0], output[1]);
	}
	(void)close(input[0]);
	(void)close(output[1]);
	server.input = input[1];
	from = fdopen(output[0], "r");
	PLM_ASSERT(from != NULL);
	read_ports(from);
	(void)fclose(from);
	PLM_ASSERT(server.port_count > 0);
}

void http_server_stop(void)
{
	char command[128];
	int status = 0;

	(void)close(server.input);
	(void)waitpid(server.pid, &status, 0);
	for (size_t i = 0; i < server.file_count; i++) {
		free(server.files[i].bytes);
	}
	(void)snprintf(command, sizeof(command), "%s", server.folder);
	if (fork() == 0) {
		(void)execlp("rm", "rm", "-rf", command, (char *)NULL);
		_exit(127);
	}
	(void)wait(&status);
}

static int port_of(const char *name)
{
	for (size_t i = 0; i < server.port_count; i++) {
		if (strcmp(server.ports[i].name, name) == 0) {
			return server.ports[i].port;
		}
	}
	fail_msg("no port %s", name);
	return 0;
}

const char *http_server_url(const char *port)
{
	static char url[128];
	bool plain = strcmp(port, "plain") == 0 || strcmp(port, "closed") == 0;

	(void)snprintf(url, sizeof(url), "%s://127.0.0.1:%d", plain ? "http" : "https",
		       port_of(port));
	return url;
}

struct plm_slice http_server_file(const char *name)
{
	size_t at = server.file_count;
	char path[128];
	FILE *file;

	for (size_t i = 0; i < server.file_count; i++) {
		if (strcmp(server.files[i].name, name) == 0) {
			return plm_slice_of(server.files[i].bytes, server.files[i].size);
		}
	}
	assert_true(at < FILES_MAX);
	(void)snprintf(path, sizeof(path), "%s/%s", server.folder, name);
	file = fopen(path, "r");
	PLM_ASSERT(file != NULL);
	server.files[at].bytes = malloc(65536);
	assert_non_null(server.files[at].bytes);
	server.files[at].size = fread(server.files[at].bytes, 1, 65536, file);
	(void)fclose(file);
	(void)snprintf(server.files[at].name, sizeof(server.files[at].name), "%s", name);
	server.file_count++;
	return plm_slice_of(server.files[at].bytes, server.files[at].size);
}

/* ---- a client on a loop ---- */

void stage_open(struct stage *stage, uint32_t calls_max)
{
	struct plm_http_client_options options = {
		.loop = &stage->loop, .calls_max = calls_max, .user_agent = "plimsoll/test"};
	struct plm_error err;

	memset(stage, 0, sizeof(*stage));
	assert_int_equal(uv_loop_init(&stage->loop), 0);
	plm_assert_ok(plm_http_client_new(&options, &stage->client, &err), &err);
}

void stage_close(struct stage *stage)
{
	plm_http_client_free(stage->client);
	(void)uv_run(&stage->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&stage->loop), 0);
}

struct plm_http_peer *stage_peer(struct stage *stage, const char *port, uint32_t connections)
{
	struct plm_http_peer_options options = {
		.url = http_server_url(port),
		.ca_pem = http_server_file("ca.pem"),
		.connections_max = connections,
	};
	struct plm_http_peer *peer = NULL;
	struct plm_error err;

	plm_assert_ok(plm_http_peer_new(stage->client, &options, &peer, &err), &err);
	return peer;
}

static void keep(struct heard *heard, struct plm_slice piece)
{
	for (size_t i = 0; i < piece.size && heard->size + i + 1 < sizeof(heard->body); i++) {
		heard->body[heard->size + i] = (char)piece.ptr[i];
	}
	heard->size += piece.size;
}

static bool on_body(void *self, struct plm_slice piece)
{
	struct heard *heard = self;

	keep(heard, piece);
	heard->pieces++;
	return heard->piece == NULL || heard->piece(heard);
}

static void on_done(void *self, const struct plm_http_outcome *outcome)
{
	struct heard *heard = self;

	heard->done++;
	heard->outcome = *outcome;
	if (outcome->body.size > 0) {
		keep(heard, outcome->body);
	}
	if (heard->end != NULL) {
		heard->end(heard);
	}
}

struct plm_http_request heard_get(struct heard *heard, struct plm_http_peer *peer, const char *path)
{
	return (struct plm_http_request){
		.peer = peer,
		.method = "GET",
		.path = path,
		.connect_ms = 20000,
		.total_ms = 20000,
		.on_done = on_done,
		.self = heard,
	};
}

void heard_stream(struct plm_http_request *request)
{
	request->on_body = on_body;
	request->total_ms = 0;
}

void heard_send(struct stage *stage, struct heard *heard, const struct plm_http_request *request)
{
	heard->stage = stage;
	heard->call = plm_http_send(stage->client, request);
	assert_int_equal(heard->done, 0);
}

void heard_wait(struct stage *stage, const struct heard *heard)
{
	int64_t end_ms = (int64_t)(uv_hrtime() / 1000000U) + 60000;

	while (heard->done == 0) {
		run_for(stage, 1);
		assert_true((int64_t)(uv_hrtime() / 1000000U) < end_ms);
	}
	assert_int_equal(heard->done, 1);
}

void heard_call(struct stage *stage, struct heard *heard, const struct plm_http_request *request)
{
	heard_send(stage, heard, request);
	heard_wait(stage, heard);
}

static void on_over(uv_timer_t *timer)
{
	*(bool *)timer->data = true;
	uv_stop(timer->loop); /* else it would go on to wait for something else */
}

static void on_closed(uv_handle_t *handle)
{
	handle->data = NULL;
}

void run_for(struct stage *stage, int64_t time_ms)
{
	uv_timer_t timer;
	bool over = false;

	(void)uv_timer_init(&stage->loop, &timer);
	timer.data = &over;
	(void)uv_timer_start(&timer, on_over, (uint64_t)time_ms, 0);
	while (!over) {
		(void)uv_run(&stage->loop, UV_RUN_DEFAULT);
	}
	uv_close((uv_handle_t *)&timer, on_closed);
	while (timer.data != NULL) {
		(void)uv_run(&stage->loop, UV_RUN_NOWAIT);
	}
}

int64_t server_count(const char *what)
{
	struct stage stage;
	struct heard heard = {0};
	struct plm_http_request request;
	struct plm_http_peer *peer;
	char path[128];

	stage_open(&stage, 8);
	peer = stage_peer(&stage, "plain", 1);
	(void)snprintf(path, sizeof(path), "/count?of=%s", what);
	request = heard_get(&heard, peer, path);
	heard_call(&stage, &heard, &request);
	stage_close(&stage);
	plm_http_peer_free(peer);
	return strtol(heard.body, NULL, 10);
}

void assert_has(const struct heard *heard, const char *part)
{
	if (strstr(heard->body, part) == NULL) {
		fail_msg("'%s' is not in: %s", part, heard->body);
	}
}
