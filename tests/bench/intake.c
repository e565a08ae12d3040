/*
 * intake.c - a cluster taken in from an API server: intake KUBECONFIG [NAMES]
 *
 * The real client, reflectors and engine (on a memory log), on one thread; what the daemon adds is a ring and
 * a disk. Ends when every resource is listed, or with NAMES when it is told so by SIGTERM, and prints one JSON
 * object. NAMES is a file that then holds the nodes and pods in state, a line each: kind, ns/name, uid;
 * SIGUSR1 writes it as it is now.
 * bench_intake.py runs it against a played server, tests/e2e/own_lists.py against a real one.
 */
#include "adapters/http/client.h"
#include "adapters/kube/client.h"
#include "adapters/kube/reflect.h"
#include "engine/engine.h"
#include "store/log_mem.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

struct intake {
	uv_loop_t loop;
	uv_timer_t timer;
	uv_check_t after; /* behind each turn of the loop: a batch */
	struct plm_http_client *http;
	struct plm_kube_client *client;
	struct plm_kube_observer *observer;
	struct plm_kube_reflect *reflect;
	struct plm_log_disk *disk;
	struct plm_log *log;
	struct plm_engine *engine;
	uv_signal_t term, usr1;
	const char *names;
	int64_t begin_ms, synced_ms;
	bool stay, told;  /* to end */
	uint64_t refused; /* times that the inbox was full */
	size_t window;	  /* most bytes of the windows at once */
	bool failed;
};

static void must(enum plm_code code, const struct plm_error *err)
{
	if (code != PLM_OK) {
		(void)fprintf(stderr, "intake: %s\n", err->text);
		exit(1);
	}
}

static int64_t wall_ns(void *self)
{
	struct timespec now;

	(void)self;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t boot_ms(void *self)
{
	(void)self;
	return (int64_t)(uv_hrtime() / 1000000);
}

static int64_t cpu_ms(void)
{
	struct rusage usage;

	(void)getrusage(RUSAGE_SELF, &usage);
	return (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

/* VmHWM: what getrusage() says was handed down by whoever started this. */
static int64_t peak_kib(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	int64_t kib = 0;

	while (status != NULL && fgets(line, sizeof(line), status) != NULL) {
		if (strncmp(line, "VmHWM:", 6) == 0) {
			kib = strtol(line + 6, NULL, 10);
		}
	}
	if (status != NULL) {
		(void)fclose(status);
	}
	return kib;
}

static void note(void *self, const char *text)
{
	(void)self;
	(void)fprintf(stderr, "%s\n", text);
}

static enum plm_code put(void *self, const struct plm_observation *observation)
{
	struct intake *in = self;
	struct plm_error err;
	enum plm_code code = plm_engine_observe(in->engine, observation, &err);

	if (code == PLM_E_AGAIN) {
		in->refused++;
	} else if (code != PLM_OK) {
		(void)fprintf(stderr, "intake: not taken: %s\n", err.text);
		in->failed = true;
	}
	return code;
}

static void tick(uv_timer_t *timer)
{
	struct intake *in = timer->data;
	int64_t due = plm_kube_reflect_tick(in->reflect);
	int64_t left = plm_max(1, plm_min(1000, plm_sub_sat(due, boot_ms(NULL))));

	(void)uv_timer_start(&in->timer, tick, (uint64_t)left, 0);
}

static void on_due(void *self)
{
	struct intake *in = self;

	(void)uv_timer_start(&in->timer, tick, 0, 0);
}

static void stop(struct intake *in)
{
	plm_kube_reflect_free(in->reflect);
	plm_kube_client_free(in->client);
	plm_http_client_free(in->http);
	uv_close((uv_handle_t *)&in->timer, NULL);
	uv_close((uv_handle_t *)&in->after, NULL);
	uv_close((uv_handle_t *)&in->term, NULL);
	uv_close((uv_handle_t *)&in->usr1, NULL);
}

static void on_term(uv_signal_t *term, int number)
{
	(void)number;
	((struct intake *)term->data)->told = true;
}

static void after(uv_check_t *check)
{
	struct intake *in = check->data;
	struct plm_kube_reflect_status status = plm_kube_reflect_status(in->reflect);
	struct plm_error err;

	if ((int64_t)status.memory > (int64_t)in->window) {
		in->window = status.memory;
	}
	must(plm_engine_flush(in->engine, &err), &err);
	if (status.waits) {
		plm_kube_reflect_resume(in->reflect);
		on_due(in);
	}
	if (in->synced_ms == 0 && status.synced) {
		in->synced_ms = boot_ms(NULL);
		note(NULL, "synced");
	}
	if (in->synced_ms != 0 && (!in->stay || in->told)) {
		stop(in);
	}
}

static void begin(void *self, enum plm_code code, const char *why)
{
	struct intake *in = self;
	const struct plm_kube_observer_options observing = {
		.inbox = {.self = in, .put = put}, .note = note, .self = in};
	struct plm_kube_reflect_options reflecting = {
		.client = in->client,
		.clock = {in, wall_ns, boot_ms},
		.seed = 1,
		.note = note,
		.due = on_due,
		.self = in,
	};
	struct plm_engine_options engine = {
		.log = in->log,
		.clock = {in, wall_ns, boot_ms},
		.profile = PLM_PROFILE_CLUSTER,
	};
	struct plm_error err;

	if (code != PLM_OK) {
		(void)fprintf(stderr, "intake: %s\n", why);
		exit(1);
	}
	engine.cluster_uid = plm_kube_server(in->client)->cluster_uid;
	must(plm_engine_open(&engine, &in->engine, &err), &err);
	must(plm_kube_observer_new(&observing, &in->observer, &err), &err);
	reflecting.observer = in->observer;
	must(plm_kube_reflect_new(&reflecting, &in->reflect, &err), &err);
	(void)uv_check_start(&in->after, after);
	in->begin_ms = boot_ms(NULL);
	plm_kube_reflect_start(in->reflect);
	on_due(in);
}

static void print(const struct intake *in)
{
	const struct plm_state *st = plm_engine_state(in->engine);
	struct plm_engine_stats stats = plm_engine_stats(in->engine);
	struct plm_kube_observer_stats seen = plm_kube_observer_stats(in->observer);
	uint64_t state = st->heap.bytes;

	for (size_t i = 0; i < PLM_TABLE_COUNT; i++) {
		state += st->tables[i].bytes;
	}
	(void)printf("{\"syncedMs\": %lld, \"cpuMs\": %lld, \"nodes\": %u, \"pods\": %u, "
		     "\"facts\": %llu, \"duplicates\": %llu, \"inferred\": %llu, "
		     "\"unreadable\": %llu, \"full\": %llu, \"windowBytes\": %zu, "
		     "\"stateBytes\": %llu, \"peakKib\": %lld}\n",
		     (long long)(in->synced_ms - in->begin_ms), (long long)cpu_ms(),
		     plm_node_live(st), plm_pod_live(st), (unsigned long long)stats.facts,
		     (unsigned long long)stats.duplicates, (unsigned long long)stats.inferred,
		     (unsigned long long)seen.unreadable, (unsigned long long)in->refused,
		     in->window, (unsigned long long)state, (long long)peak_kib());
}

static void write_object(const struct plm_state *st, const struct plm_object *object, FILE *out)
{
	struct plm_slice ns = plm_str(st, object->ns);
	struct plm_slice name = plm_str(st, object->name);
	struct plm_slice uid = plm_str(st, object->uid);

	(void)fprintf(out, "%s %.*s/%.*s %.*s\n", plm_names_text(&plm_names_kind, object->kind),
		      (int)ns.size, (const char *)ns.ptr, (int)name.size, (const char *)name.ptr,
		      (int)uid.size, (const char *)uid.ptr);
}

/* Whoever waits for the file sees all of it or nothing. */
static void write_names(const struct intake *in)
{
	const struct plm_state *st = plm_engine_state(in->engine);
	char path[4096];
	FILE *out = NULL;

	(void)snprintf(path, sizeof(path), "%s.new", in->names);
	out = fopen(path, "w");
	if (out == NULL) {
		(void)fprintf(stderr, "intake: %s cannot be written\n", path);
		exit(1);
	}
	PLM_EACH(st, node, id)
	{
		write_object(st, &plm_node_at(st, id)->object, out);
	}
	PLM_EACH(st, pod, id)
	{
		write_object(st, &plm_pod_at(st, id)->object, out);
	}
	(void)fclose(out);
	(void)rename(path, in->names);
}

static void on_usr1(uv_signal_t *usr1, int number)
{
	struct intake *in = usr1->data;

	(void)number;
	if (in->engine != NULL) {
		write_names(in);
	}
}

int main(int argc, char **argv)
{
	static struct intake in;
	const struct plm_http_client_options http = {
		.loop = &in.loop, .calls_max = 128, .user_agent = "plimsoll-intake"};
	struct plm_kube_client_options kube = {
		.loop = &in.loop, .field_manager = "plimsoll", .note = note, .self = &in};
	struct plm_error err;

	if (argc < 2) {
		(void)fprintf(stderr, "usage: intake KUBECONFIG [NAMES]\n");
		return 2;
	}
	in.stay = argc > 2;
	in.names = argv[2];
	(void)uv_loop_init(&in.loop);
	(void)uv_timer_init(&in.loop, &in.timer);
	(void)uv_check_init(&in.loop, &in.after);
	(void)uv_signal_init(&in.loop, &in.term);
	(void)uv_signal_init(&in.loop, &in.usr1);
	in.timer.data = in.after.data = in.term.data = in.usr1.data = &in;
	(void)uv_signal_start(&in.term, on_term, SIGTERM);
	if (in.stay) {
		(void)uv_signal_start(&in.usr1, on_usr1, SIGUSR1);
	}
	in.disk = plm_log_disk_new();
	must(plm_log_open_disk(in.disk, PLM_LOG_WRITE, &in.log, &err), &err);
	must(plm_http_client_new(&http, &in.http, &err), &err);
	kube.http = in.http;
	kube.kubeconfig = argv[1];
	must(plm_kube_client_new(&kube, &in.client, &err), &err);
	plm_kube_discover(in.client, begin, &in);
	(void)uv_run(&in.loop, UV_RUN_DEFAULT);
	print(&in);
	if (in.stay) {
		write_names(&in);
	}
	plm_kube_observer_free(in.observer);
	plm_engine_close(in.engine);
	plm_log_close(in.log);
	plm_log_disk_free(in.disk);
	return in.failed ? 1 : 0;
}
