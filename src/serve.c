#include "serve.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "clock.h"
#include "core/limits.h"
#include "question.h"
#include "tools/view.h"

#define JSON "application/json"
#define PLAIN "text/plain; charset=utf-8"
#define EVENTS "text/event-stream"
#define METRICS "text/plain; version=0.0.4; charset=utf-8"
/* What `--server` asks for: "plimsoll EXIT NOTES\n", the notes, what the verb printed. */
#define ENVELOPE "application/vnd.plimsoll.answer"
#define STREAM_WAIT_MS 200
#define STREAM_ARENA ((size_t)1024 * 1024 * 1024)

struct plm_serve {
	struct plm_serve_options options;
	bool open;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t done;
	uint32_t working, streaming, scraping;
	uint64_t asked, busy;
};

static void lock(struct plm_serve *serve)
{
	int rc = pthread_mutex_lock(&serve->lock);

	PLM_ASSERT(rc == 0);
}

static void unlock(struct plm_serve *serve)
{
	int rc = pthread_mutex_unlock(&serve->lock);

	PLM_ASSERT(rc == 0);
}

/* ---- how much at once -------------------------------------------------------------------------- */

static bool begin_work(struct plm_serve *serve)
{
	struct timespec until = {0};
	bool begun = false;
	int rc = 0;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += PLM_LIMIT_WEB_WAIT_MS / 1000;
	lock(serve);
	while (serve->working >= PLM_LIMIT_WEB_WORK && rc == 0) {
		rc = pthread_cond_timedwait(&serve->done, &serve->lock, &until);
	}
	begun = serve->working < PLM_LIMIT_WEB_WORK;
	serve->working += begun ? 1 : 0;
	serve->asked++;
	serve->busy += begun ? 0 : 1;
	unlock(serve);
	return begun;
}

static void end_work(struct plm_serve *serve)
{
	lock(serve);
	serve->working--;
	(void)pthread_cond_signal(&serve->done);
	unlock(serve);
}

/* ---- failures ---------------------------------------------------------------------------------- */

static unsigned status_of(enum plm_code code)
{
	switch (code) {
	case PLM_OK:
		return 200;
	case PLM_E_USAGE:
	case PLM_E_INPUT:
		return 400;
	case PLM_E_NOT_FOUND:
		return 404;
	case PLM_E_REFUSED:
		return 403;
	case PLM_E_INCOMPLETE:
		return 422;
	case PLM_E_VERSION:
		return 501;
	case PLM_E_UNREACHABLE:
	case PLM_E_AGAIN:
	case PLM_E_TIMEOUT:
	case PLM_E_LIMIT:
		return 503;
	case PLM_E_CORRUPT:
	case PLM_E_DIVERGED:
	case PLM_E_FULL:
	case PLM_E_IO:
	case PLM_E_CONFIG:
		return 500;
	}
	PLM_UNREACHABLE();
}

static bool wants_envelope(const struct plm_web_request *request)
{
	return request->accept != NULL && strcmp(request->accept, ENVELOPE) == 0;
}

/* 'notes' and 'bytes' in the form that `--server` asks for. */
static void put_envelope(struct plm_web_answer *out, unsigned status, int exit_code,
			 struct plm_slice notes, struct plm_slice bytes)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (file != NULL) {
		(void)fprintf(file, "plimsoll %d %zu\n", exit_code, notes.size);
		(void)fwrite(notes.ptr, 1, notes.size, file);
		(void)fwrite(bytes.ptr, 1, bytes.size, file);
		(void)fclose(file);
		plm_web_put(out, status, ENVELOPE, plm_slice_of(text, size));
	} else {
		plm_web_print(out, 503, "no memory for the answer now\n");
	}
	free(text);
}

static void put_error(const struct plm_web_request *request, enum plm_code code,
		      const struct plm_error *err, struct plm_web_answer *out)
{
	const char *text = err->text[0] != '\0' ? err->text : plm_code_text(code);
	unsigned status = out->status != 0 ? out->status : status_of(code);
	struct plm_arena arena = {0};
	struct plm_json *doc = NULL;
	char *bytes = NULL;
	size_t size = 0;
	FILE *file = NULL;

	out->retry_after_s = status == 503 ? 1 : 0;
	if (wants_envelope(request)) {
		put_envelope(out, status, plm_code_exit(code), plm_slice_str(text),
			     (struct plm_slice){0});
		return;
	}
	file = open_memstream(&bytes, &size);
	if (file == NULL || plm_arena_init(&arena, (size_t)1024 * 1024, NULL) != PLM_OK) {
		plm_web_print(out, 503, "no memory for the answer now\n");
	} else {
		doc = plm_json_document(&arena, "Error");
		plm_json_put_int(doc, "exitCode", plm_code_exit(code));
		plm_json_put_str(doc, "message", text);
		plm_json_put_str(doc, "reason", plm_code_text(code));
		plm_json_put_int(doc, "status", status);
		plm_json_write(file, doc, PLM_JSON_PRETTY);
		(void)fflush(file);
		plm_web_put(out, status, JSON, plm_slice_of(bytes, size));
	}
	if (file != NULL) {
		(void)fclose(file);
	}
	free(bytes);
	plm_arena_fini(&arena);
}

/* ---- who may ask ------------------------------------------------------------------------------- */

/* "localhost", or digits: what a page of another site cannot be led here by. */
static bool is_own_name(const char *host)
{
	size_t size = strcspn(host, ":");

	return host[0] == '[' || (size == 9 && strncasecmp(host, "localhost", size) == 0) ||
	       (size > 0 && strspn(host, "0123456789.") == size);
}

static bool may_ask(struct plm_serve *serve, const struct plm_web_request *request,
		    struct plm_web_answer *out)
{
	struct plm_error err = {0};
	struct plm_slice token = plm_slice_str(request->token != NULL ? request->token : "");
	enum plm_verdict verdict = PLM_VERDICT_UNKNOWN;

	if (serve->open) {
		if (request->host == NULL || is_own_name(request->host)) {
			return true;
		}
		out->status = 403;
		(void)plm_fail(&err, PLM_E_REFUSED,
			       "this address answers to localhost and to numbers only");
		put_error(request, PLM_E_REFUSED, &err, out);
		return false;
	}
	if (serve->options.access != NULL) {
		verdict = plm_access_check(serve->options.access, token);
	}
	if (verdict == PLM_VERDICT_ALLOWED) {
		return true;
	}
	out->status = verdict == PLM_VERDICT_STRANGER ? 401 : 403;
	out->ask_token = verdict == PLM_VERDICT_STRANGER;
	(void)plm_fail(&err, PLM_E_UNREACHABLE, "%s",
		       verdict == PLM_VERDICT_STRANGER
			       ? "a token is needed, in Plimsoll-Token or Authorization: Bearer"
		       : verdict == PLM_VERDICT_FORBIDDEN
			       ? "the token's user may not get views.plimsoll.dev"
			       : "nobody can say now whether the token is good");
	put_error(request, PLM_E_UNREACHABLE, &err, out);
	return false;
}

/* ---- the API ----------------------------------------------------------------------------------- */

static const char *type_of(const struct plm_cli *call)
{
	const char *format = plm_cli_has(call, PLM_FLAG_HASH) ? "text" : plm_cli_format(call);

	if (strcmp(format, "json") == 0) {
		return JSON;
	}
	return strcmp(format, "sse") == 0     ? EVENTS
	       : strcmp(format, "jsonl") == 0 ? "application/jsonl"
	       : strcmp(format, "yaml") == 0  ? "application/yaml"
					      : PLAIN;
}

static void write_tag(char tag[PLM_WEB_TAG_SIZE], const char *hash, uint64_t seq)
{
	(void)snprintf(tag, PLM_WEB_TAG_SIZE, "\"%s-%" PRIu64 "\"", hash, seq);
}

static bool has_tag(const struct plm_web_request *request, const char *tag)
{
	return tag[0] != '\0' && request->if_none_match != NULL &&
	       strstr(request->if_none_match, tag) != NULL;
}

/* Does the answer follow from the state of now alone? Then nothing need be done to compare. */
static bool is_about_now(const struct plm_cli *call)
{
	return plm_command_flag(call->command, "at", 2) != PLM_FLAG_NONE &&
	       !plm_cli_has(call, PLM_FLAG_AT) && !plm_cli_has(call, PLM_FLAG_BEFORE) &&
	       !plm_cli_has(call, PLM_FLAG_CONTINUE);
}

static bool is_unchanged(struct plm_serve *serve, const struct plm_web_request *request,
			 const struct plm_cli *call, struct plm_web_answer *out)
{
	struct plm_follower_report report;
	char hash[33];
	char tag[PLM_WEB_TAG_SIZE];

	if (request->if_none_match == NULL || !is_about_now(call)) {
		return false;
	}
	report = plm_follower_point(serve->options.follower);
	plm_hash_text(report.hash, hash);
	write_tag(tag, hash, report.seq);
	if (!report.caught_up || !has_tag(request, tag)) {
		return false;
	}
	out->status = 304;
	memcpy(out->tag, tag, sizeof(tag));
	return true;
}

static struct plm_live live_of(const struct plm_serve *serve)
{
	struct plm_status status = plm_metrics_get(serve->options.metrics);
	struct plm_follower_report report = plm_follower_report(serve->options.follower);

	return (struct plm_live){
		.folder = serve->options.folder,
		.about = {.queues = status.enforces_queues ? "enforce" : "observe",
			  .nodes = status.enforces_nodes ? "enforce" : "observe",
			  .lag_events = (int64_t)(report.head - report.seq)},
	};
}

static void put_reply(const struct plm_web_request *request, const struct plm_cli *call,
		      struct plm_reply *reply, struct plm_web_answer *out)
{
	if (reply->code != PLM_OK) {
		put_error(request, reply->code, &reply->err, out);
		return;
	}
	if (reply->point.seq != 0) {
		write_tag(out->tag, reply->point.hash, reply->point.seq);
	}
	if (has_tag(request, out->tag)) {
		out->status = 304;
	} else if (wants_envelope(request)) {
		put_envelope(out, 200, reply->exit_code,
			     plm_slice_of(reply->notes, reply->notes_size),
			     plm_slice_of(reply->bytes, reply->size));
	} else {
		out->status = 200;
		out->type = type_of(call);
		out->bytes = reply->bytes;
		out->size = reply->size;
		reply->bytes = NULL;
	}
}

static void ask(struct plm_serve *serve, const struct plm_web_request *request,
		struct plm_cli *call, struct plm_web_answer *out)
{
	struct plm_question question = {
		.call = call, .follower = serve->options.follower, .live = live_of(serve)};
	struct plm_reply reply = {.code = PLM_OK};
	struct plm_error err = {0};
	enum plm_code code = PLM_OK;

	if (!begin_work(serve)) {
		(void)plm_fail(&err, PLM_E_AGAIN, "too many questions at once");
		put_error(request, PLM_E_AGAIN, &err, out);
		return;
	}
	code = plm_question_ask(&question, &reply, &err);
	end_work(serve);
	if (code != PLM_OK) {
		put_error(request, code, &err, out);
	} else {
		put_reply(request, call, &reply, out);
	}
	plm_reply_free(&reply);
}

/* ---- streams ----------------------------------------------------------------------------------- */

struct stream {
	struct plm_serve *serve;
	struct plm_arena arena; /* owned: the call */
	struct plm_cli call;
	struct plm_kid kid;
	char *token; /* owned; NULL: nobody needs one */
	int64_t checked_ms;
};

static bool still_allowed(struct stream *stream)
{
	int64_t now = plm_clock_boot_ms();

	if (stream->token == NULL || now - stream->checked_ms < PLM_LIMIT_ACCESS_STREAM_MS) {
		return true;
	}
	stream->checked_ms = now;
	return plm_access_check(stream->serve->options.access, plm_slice_str(stream->token)) ==
	       PLM_VERDICT_ALLOWED;
}

static ssize_t read_stream(void *self, char *bytes, size_t size)
{
	struct stream *stream = self;
	size_t got = 0;
	struct plm_error err;
	enum plm_code code = PLM_OK;

	if (!still_allowed(stream)) {
		return -1;
	}
	code = plm_kid_read(&stream->kid, bytes, size, STREAM_WAIT_MS, &got, &err);
	if (code == PLM_E_TIMEOUT) {
		return 0;
	}
	return code == PLM_OK && got > 0 ? (ssize_t)got : -1;
}

static void close_stream(void *self)
{
	struct stream *stream = self;

	plm_kid_stop(&stream->kid);
	lock(stream->serve);
	stream->serve->streaming--;
	unlock(stream->serve);
	if (stream->token != NULL) {
		explicit_bzero(stream->token, strlen(stream->token));
		free(stream->token);
	}
	plm_arena_fini(&stream->arena);
	free(stream);
}

static bool begin_streaming(struct plm_serve *serve)
{
	bool begun = false;

	lock(serve);
	begun = serve->streaming < PLM_LIMIT_WEB_STREAMS;
	serve->streaming += begun ? 1 : 0;
	unlock(serve);
	return begun;
}

/* The stream takes over the call and its arena. */
static void start_stream(struct plm_serve *serve, const struct plm_web_request *request,
			 struct plm_cli *call, struct plm_web_answer *out)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	struct plm_question question = {
		.follower = serve->options.follower, .live = live_of(serve), .stream = true};
	struct plm_error err = {0};
	enum plm_code code = PLM_OK;

	if (stream == NULL || !begin_streaming(serve)) {
		free(stream);
		(void)plm_fail(&err, PLM_E_AGAIN, "too many streams at once");
		put_error(request, PLM_E_AGAIN, &err, out);
		return;
	}
	stream->serve = serve;
	stream->arena = *call->arena;
	stream->call = *call;
	stream->call.arena = &stream->arena;
	*call->arena = (struct plm_arena){0};
	stream->checked_ms = plm_clock_boot_ms();
	stream->token = serve->open || request->token == NULL ? NULL : strdup(request->token);
	question.call = &stream->call;
	code = serve->open || stream->token != NULL
		       ? plm_question_begin(&question, &stream->kid, &err)
		       : plm_fail(&err, PLM_E_AGAIN, "no memory for a stream now");
	if (code != PLM_OK) {
		close_stream(stream);
		put_error(request, code, &err, out);
		return;
	}
	out->status = 200;
	out->type = type_of(&stream->call);
	out->stream = (struct plm_web_stream){read_stream, close_stream, stream};
}

/* ---- one request ------------------------------------------------------------------------------- */

/* Last-Event-ID stands for from=, where the stream is taken up again. */
static struct plm_api_request resumed(const struct plm_web_request *request,
				      struct plm_api_pair *pairs)
{
	struct plm_api_request address = request->address;
	size_t count = 0;

	if (request->last_event_id == NULL || strcmp(address.path, "/api/v1/stream") != 0) {
		return address;
	}
	for (size_t i = 0; i < address.count; i++) {
		if (strcmp(address.pairs[i].name, "from") != 0) {
			pairs[count++] = address.pairs[i];
		}
	}
	pairs[count++] = (struct plm_api_pair){"from", request->last_event_id};
	address.pairs = pairs;
	address.count = count;
	return address;
}

static void answer_api(struct plm_serve *serve, const struct plm_web_request *request,
		       struct plm_web_answer *out)
{
	struct plm_api_pair pairs[PLM_LIMIT_WEB_PARAMETERS + 1];
	struct plm_api_request address = resumed(request, pairs);
	const struct plm_api_route *route = NULL;
	struct plm_arena arena = {0};
	struct plm_cli call = {.arena = &arena, .program = "plimsoll"};
	struct plm_error err = {0};
	enum plm_code code = plm_arena_init(&arena, PLM_LIMIT_WEB_ARENA_BYTES, &err);

	if (code == PLM_OK) {
		code = plm_api_call(&address, &call, &route, &err);
	}
	if (code != PLM_OK) {
		put_error(request, code, &err, out);
	} else if (route->stream) {
		start_stream(serve, request, &call, out);
	} else if (!is_unchanged(serve, request, &call, out)) {
		ask(serve, request, &call, out);
	}
	plm_arena_fini(&arena);
}

static void answer_document(struct plm_web_answer *out)
{
	struct plm_arena arena = {0};
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (file == NULL || plm_arena_init(&arena, STREAM_ARENA, NULL) != PLM_OK) {
		plm_web_print(out, 503, "no memory for the answer now\n");
	} else {
		plm_json_write(file, plm_api_document(&arena), PLM_JSON_PRETTY);
		(void)fflush(file);
		plm_web_put(out, 200, JSON, plm_slice_of(text, size));
	}
	if (file != NULL) {
		(void)fclose(file);
	}
	free(text);
	plm_arena_fini(&arena);
}

static uint64_t bytes_on_disk(const char *folder)
{
	char path[4096];
	struct stat info;

	(void)snprintf(path, sizeof(path), "%s/data.mdb", folder);
	return stat(path, &info) == 0 ? (uint64_t)info.st_blocks * 512 : 0;
}

static void write_metrics(struct plm_serve *serve, struct plm_web_answer *out)
{
	struct plm_metrics_page page = plm_metrics_page(serve->options.metrics);
	struct plm_question question = {
		.follower = serve->options.follower, .write = plm_metrics_write, .ctx = &page};
	struct plm_follower_report report = plm_follower_report(serve->options.follower);
	struct plm_reply reply = {.code = PLM_OK};
	struct plm_error err = {0};

	page.status.log_bytes = report.bytes;
	page.status.oldest_ms = report.oldest_ms;
	page.status.map_bytes = bytes_on_disk(serve->options.folder);
	lock(serve);
	page.status.questions = serve->asked;
	page.status.questions_refused = serve->busy;
	page.status.streams = serve->streaming;
	unlock(serve);
	if (plm_question_ask(&question, &reply, &err) != PLM_OK) {
		plm_web_print(out, 503, "%s\n", err.text);
		return;
	}
	out->status = 200;
	out->type = METRICS;
	out->bytes = reply.bytes;
	out->size = reply.size;
	reply.bytes = NULL;
	plm_reply_free(&reply);
}

static void answer_metrics(struct plm_serve *serve, struct plm_web_answer *out)
{
	bool room = false;

	lock(serve);
	room = serve->scraping < PLM_LIMIT_WEB_SCRAPES;
	serve->scraping += room ? 1 : 0;
	unlock(serve);
	if (!room) {
		plm_web_print(out, 503, "metrics are being read already\n");
		return;
	}
	write_metrics(serve, out);
	lock(serve);
	serve->scraping--;
	unlock(serve);
}

void plm_serve_health(void *self, const struct plm_web_request *request, struct plm_web_answer *out)
{
	struct plm_serve *serve = self;
	bool verbose = false;

	for (size_t i = 0; i < request->address.count; i++) {
		verbose = verbose || strcmp(request->address.pairs[i].name, "verbose") == 0;
	}
	plm_metrics_health(serve->options.metrics, request->address.path, verbose, out);
}

void plm_serve_answer(void *self, const struct plm_web_request *request, struct plm_web_answer *out)
{
	struct plm_serve *serve = self;
	const char *path = request->address.path;

	if (strcmp(path, "/metrics") == 0) {
		answer_metrics(serve, out);
	} else if (strcmp(path, "/version") == 0) {
		plm_metrics_version(out);
	} else if (strcmp(path, "/api/openapi.json") == 0) {
		if (may_ask(serve, request, out)) {
			answer_document(out);
		}
	} else if (plm_api_owns(path)) {
		if (may_ask(serve, request, out)) {
			answer_api(serve, request, out);
		}
	} else {
		plm_serve_health(self, request, out);
	}
}

/* ---- life -------------------------------------------------------------------------------------- */

struct plm_serve *plm_serve_new(const struct plm_serve_options *options)
{
	struct plm_serve *serve = calloc(1, sizeof(*serve));
	pthread_condattr_t attributes;
	int rc = serve == NULL ? -1 : pthread_mutex_init(&serve->lock, NULL);

	rc = rc == 0 ? pthread_condattr_init(&attributes) : rc;
	rc = rc == 0 ? pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) : rc;
	rc = rc == 0 ? pthread_cond_init(&serve->done, &attributes) : rc;
	PLM_ASSERT(rc == 0);
	(void)pthread_condattr_destroy(&attributes);
	serve->options = *options;
	return serve;
}

void plm_serve_free(struct plm_serve *serve)
{
	if (serve != NULL) {
		(void)pthread_cond_destroy(&serve->done);
		(void)pthread_mutex_destroy(&serve->lock);
		free(serve);
	}
}

void plm_serve_open(struct plm_serve *serve, bool open)
{
	serve->open = open;
}
