#include "tools/remote.h"

#include <stdlib.h>
#include <strings.h>
#include <uv.h>

#include "adapters/http/client.h"
#include "core/limits.h"
#include "tools/api.h"

#define ENVELOPE "application/vnd.plimsoll.answer"
#define TOKEN_VARIABLE "PLIMSOLL_TOKEN"
#define CONNECT_MS 5000
#define SPARE_BYTES ((size_t)64 * 1024)
#define CA_BYTES ((size_t)1024 * 1024)

struct remote {
	struct plm_cli *call;
	struct plm_http_call *sent;
	bool done;
	enum plm_code code;
	struct plm_error *err;
};

/* ---- what comes back --------------------------------------------------------------------------- */

static enum plm_code code_of_exit(int64_t exit_code)
{
	static const enum plm_code codes[] = {
#define CODE_ROW(name, value, text, exit) PLM_##name,
		PLM_CODES(CODE_ROW)
#undef CODE_ROW
	};

	for (size_t i = 1; i < PLM_COUNTOF(codes); i++) {
		if (plm_code_exit(codes[i]) == exit_code) {
			return codes[i];
		}
	}
	return PLM_E_IO;
}

/* A number and the byte behind it; false when there is none. */
static bool take_number(struct plm_slice *text, char behind, int64_t *out)
{
	int64_t value = 0;
	size_t at = 0;

	for (; at < text->size && text->ptr[at] >= '0' && text->ptr[at] <= '9' && at < 12; at++) {
		value = value * 10 + (text->ptr[at] - '0');
	}
	if (at == 0 || at == text->size || text->ptr[at] != (uint8_t)behind) {
		return false;
	}
	*text = plm_slice_of(text->ptr + at + 1, text->size - at - 1);
	*out = value;
	return true;
}

/* "plimsoll EXIT NOTES\n", the notes, what the verb printed. */
static bool take_head(struct plm_slice *body, int64_t *exit_code, struct plm_slice *notes)
{
	static const char word[] = "plimsoll ";
	int64_t size = 0;

	if (body->size < sizeof(word) || memcmp(body->ptr, word, sizeof(word) - 1) != 0) {
		return false;
	}
	*body = plm_slice_of(body->ptr + sizeof(word) - 1, body->size - sizeof(word) + 1);
	if (!take_number(body, ' ', exit_code) || !take_number(body, '\n', &size) ||
	    (size_t)size > body->size) {
		return false;
	}
	*notes = plm_slice_of(body->ptr, (size_t)size);
	*body = plm_slice_of(body->ptr + size, body->size - (size_t)size);
	return true;
}

static enum plm_code print_answer(struct remote *remote, struct plm_slice body, int64_t exit_code,
				  struct plm_slice notes)
{
	struct plm_cli *call = remote->call;

	if (exit_code > 1 && exit_code != 70) {
		return plm_fail(remote->err, code_of_exit(exit_code), "%.*s", (int)notes.size,
				(const char *)notes.ptr);
	}
	(void)fwrite(notes.ptr, 1, notes.size, call->notes);
	(void)fwrite(body.ptr, 1, body.size, call->out);
	call->finding = exit_code == 1;
	call->bug = exit_code == 70;
	return PLM_OK;
}

/* Of something else than a daemon, or in between. */
static enum plm_code strange_answer(struct remote *remote, const struct plm_http_outcome *outcome)
{
	const char *server = plm_cli_text(remote->call, PLM_FLAG_SERVER, "");
	size_t line = 0;

	while (line < outcome->body.size && line < 200 && outcome->body.ptr[line] != '\n') {
		line++;
	}
	return plm_fail(remote->err, PLM_E_UNREACHABLE, "%s: no daemon's answer (status %u): %.*s",
			server, outcome->status, (int)line, (const char *)outcome->body.ptr);
}

static void on_done(void *self, const struct plm_http_outcome *outcome)
{
	struct remote *remote = self;
	struct plm_slice body = outcome->body;
	struct plm_slice notes = {0};
	int64_t exit_code = 0;

	remote->done = true;
	if (outcome->fate == PLM_HTTP_REFUSED) {
		clearerr(remote->call->out); /* nobody reads it any more: no failure of ours */
		return;
	}
	if (outcome->fate != PLM_HTTP_ANSWERED) {
		remote->code = plm_fail(remote->err, PLM_E_UNREACHABLE, "%s: %s",
					plm_cli_text(remote->call, PLM_FLAG_SERVER, ""),
					outcome->fate == PLM_HTTP_TOO_LARGE
						? "the answer is too large: ask for a part"
						: outcome->text);
	} else if (take_head(&body, &exit_code, &notes)) {
		remote->code = print_answer(remote, body, exit_code, notes);
	} else if (!plm_cli_has(remote->call, PLM_FLAG_FOLLOW) || outcome->status != 200) {
		remote->code = strange_answer(remote, outcome);
	}
}

/* A stream is printed as it comes. */
static bool on_body(void *self, struct plm_slice piece)
{
	struct remote *remote = self;

	(void)fwrite(piece.ptr, 1, piece.size, remote->call->out);
	return fflush(remote->call->out) == 0;
}

/* ---- what is sent ------------------------------------------------------------------------------ */

static enum plm_code read_file(struct plm_arena *arena, const char *path, size_t limit,
			       struct plm_slice *out, struct plm_error *err)
{
	FILE *file = fopen(path, "r");
	char *bytes = plm_arena_take(arena, limit + 1);
	size_t size = 0;

	if (file == NULL) {
		return plm_fail(err, PLM_E_USAGE, "%s cannot be read", path);
	}
	size = fread(bytes, 1, limit + 1, file);
	(void)fclose(file);
	if (size > limit) {
		return plm_fail(err, PLM_E_USAGE, "%s is larger than %zu bytes", path, limit);
	}
	*out = plm_slice_of(bytes, size);
	return PLM_OK;
}

/* Without the line end that files have; empty = none. */
static enum plm_code read_token(struct plm_cli *call, struct plm_slice *out, struct plm_error *err)
{
	const char *path = plm_cli_text(call, PLM_FLAG_TOKEN_FILE, NULL);
	const char *variable = getenv(TOKEN_VARIABLE);
	enum plm_code code = PLM_OK;

	*out = plm_slice_str(variable != NULL ? variable : "");
	if (path != NULL) {
		code = read_file(call->arena, path, PLM_LIMIT_TOKEN_BYTES, out, err);
	}
	while (code == PLM_OK && out->size > 0 && out->ptr[out->size - 1] <= ' ') {
		out->size--;
	}
	for (size_t i = 0; code == PLM_OK && i < out->size; i++) {
		if (out->ptr[i] <= ' ' || out->ptr[i] > '~') {
			code = plm_fail(err, PLM_E_USAGE,
					"the token holds bytes that no token has");
		}
	}
	return code;
}

static bool is_local(const char *url)
{
	const char *host = url + sizeof("http://") - 1;

	return strncmp(host, "127.", 4) == 0 || strncmp(host, "[::1]", 5) == 0 ||
	       strncmp(host, "localhost:", 10) == 0 || strcmp(host, "localhost") == 0;
}

static enum plm_code check_url(const char *url, bool has_token, struct plm_error *err)
{
	bool plain = strncasecmp(url, "http://", 7) == 0;

	if (!plain && strncasecmp(url, "https://", 8) != 0) {
		return plm_fail(err, PLM_E_USAGE,
				"--server: '%s' is no URL like http://127.0.0.1:8080", url);
	}
	if (plain && has_token && !is_local(url)) {
		return plm_fail(err, PLM_E_REFUSED,
				"--server: a token is not sent in the clear; use https://");
	}
	return PLM_OK;
}

static enum plm_code check_call(const struct plm_cli *call, struct plm_error *err)
{
	static const enum plm_flag sources[] = {PLM_FLAG_LOG, PLM_FLAG_FILENAME};

	for (size_t i = 0; i < PLM_COUNTOF(sources); i++) {
		if (plm_cli_has(call, sources[i])) {
			return plm_fail(err, PLM_E_USAGE, "one source: --server, -L or -f");
		}
	}
	return PLM_OK;
}

static enum plm_code new_peer(struct plm_cli *call, struct plm_http_client *client,
			      struct plm_http_peer **out, struct plm_error *err)
{
	const char *url = plm_cli_text(call, PLM_FLAG_SERVER, "");
	const char *path = plm_cli_text(call, PLM_FLAG_CA_FILE, NULL);
	struct plm_http_peer_options options = {.connections_max = 1};
	size_t size = strlen(url);
	enum plm_code code = PLM_OK;

	while (size > 0 && url[size - 1] == '/') {
		size--;
	}
	options.url = (const char *)plm_arena_format(call->arena, "%.*s", (int)size, url).ptr;
	if (path != NULL) {
		code = read_file(call->arena, path, CA_BYTES, &options.ca_pem, err);
	}
	if (code == PLM_OK && plm_http_peer_new(client, &options, out, err) != PLM_OK) {
		struct plm_error why = *err;

		code = plm_fail(err, PLM_E_USAGE, "--server: %s", why.text);
	}
	return code;
}

static const char *header(struct plm_arena *arena, const char *name, struct plm_slice value)
{
	return (const char *)plm_arena_format(arena, "%s%.*s", name, (int)value.size,
					      (const char *)value.ptr)
		.ptr;
}

static void send_and_wait(struct remote *remote, uv_loop_t *loop, struct plm_http_client *client,
			  struct plm_http_peer *peer, const char *path, struct plm_slice token)
{
	struct plm_arena *arena = remote->call->arena;
	bool follows = plm_cli_has(remote->call, PLM_FLAG_FOLLOW);
	const char *headers[4] = {"Accept: " ENVELOPE};
	struct plm_http_request request = {
		.peer = peer,
		.method = "GET",
		.path = path,
		.headers = headers,
		.connect_ms = CONNECT_MS,
		.total_ms = follows ? 0 : PLM_LIMIT_WEB_ANSWER_MS,
		.body_max = follows ? 0 : (size_t)PLM_LIMIT_WEB_ANSWER_BYTES + SPARE_BYTES,
		.on_body = follows ? on_body : NULL,
		.on_done = on_done,
		.self = remote,
	};

	if (token.size > 0) {
		headers[1] = header(arena, "Plimsoll-Token: ", token);
		headers[2] = header(arena, "Authorization: Bearer ", token);
	}
	remote->sent = plm_http_send(client, &request);
	while (!remote->done && uv_run(loop, UV_RUN_ONCE) != 0) {
	}
}

enum plm_code plm_remote_run(struct plm_cli *call, struct plm_error *err)
{
	struct remote remote = {.call = call, .err = err};
	struct plm_http_client_options options = {.calls_max = 1,
						  .user_agent = "plimsoll/" PLM_VERSION};
	struct plm_http_client *client = NULL;
	struct plm_http_peer *peer = NULL;
	struct plm_slice path = {0};
	struct plm_slice token = {0};
	uv_loop_t loop;
	enum plm_code code = check_call(call, err);

	if (code == PLM_OK) {
		code = read_token(call, &token, err);
	}
	if (code == PLM_OK) {
		code = check_url(plm_cli_text(call, PLM_FLAG_SERVER, ""), token.size > 0, err);
	}
	if (code == PLM_OK) {
		code = plm_api_address(call, &path, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	if (uv_loop_init(&loop) != 0) {
		return plm_fail(err, PLM_E_LIMIT, "no event loop");
	}
	options.loop = &loop;
	code = plm_http_client_new(&options, &client, err);
	if (code == PLM_OK) {
		code = new_peer(call, client, &peer, err);
	}
	if (code == PLM_OK) {
		send_and_wait(&remote, &loop, client, peer, (const char *)path.ptr, token);
		code = remote.code;
	}
	plm_http_peer_free(peer);
	plm_http_client_free(client);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&loop);
	return code;
}
