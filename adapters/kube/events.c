#include "adapters/kube/events.h"

#include <stdio.h>
#include <stdlib.h>

#include "adapters/http/bucket.h"
#include "adapters/kube/tree.h"
#include "core/limits.h"
#include "core/utf8.h"
#include "hash/hash.h"

#define COMPONENT "plimsoll"

/* One Event object, and how often it was told. */
struct series {
	struct series *next, *prev; /* by the time of the last telling, oldest first */
	struct series *after;	    /* in the queue */
	struct series *bucket_next;
	struct plm_hash128 print;
	enum plm_kube_resource_id resource;
	char *ns, *name, *uid, *reason, *message; /* owned; of the object that it is about */
	char event[320];			  /* name of the Event */
	int64_t first_ms, last_ms;
	int64_t told_ms; /* boot clock */
	int64_t count;
	uint32_t tries;
	bool warning;
	bool created; /* the object is there: it is patched */
	bool queued;
	bool changed; /* told again while it was sent */
	struct plm_kube_sent *sent;
	struct plm_kube_announcer *announcer;
};

#define BUCKETS 4096

struct plm_kube_announcer {
	struct plm_kube_announcer_options options;
	char *instance; /* owned */
	struct series *buckets[BUCKETS];
	struct series *oldest, *newest;
	struct series *queue_first, *queue_last;
	size_t count;
	uint32_t under_way;
	struct plm_bucket rate;
	uv_timer_t *timer; /* owned until its close */
	int64_t pause_ms;  /* boot clock: nothing goes before */
	struct plm_arena arena;
	struct plm_kube_announcer_stats stats;
};

static void send_some(struct plm_kube_announcer *announcer);

static int64_t boot_ms(const struct plm_kube_announcer *announcer)
{
	return announcer->options.clock.boot_ms(announcer->options.clock.self);
}

/* ---- series -------------------------------------------------------------------------------------- */

static char *text_of(struct plm_slice slice)
{
	char *text = calloc(1, slice.size + 1);

	PLM_ASSERT(text != NULL);
	if (slice.size > 0) {
		memcpy(text, slice.ptr, slice.size);
	}
	return text;
}

static struct series **bucket_of(struct plm_kube_announcer *announcer, struct plm_hash128 print)
{
	return &announcer->buckets[(size_t)print.low % BUCKETS];
}

static struct plm_hash128 print_of(const struct plm_kube_event *event, struct plm_arena *arena)
{
	const struct plm_slice parts[] = {event->ns, event->name, event->uid, event->reason,
					  event->message};
	size_t size = 8;
	uint8_t *text = NULL;
	size_t used = 2;

	for (size_t i = 0; i < PLM_COUNTOF(parts); i++) {
		size += parts[i].size + 1;
	}
	text = plm_arena_take(arena, size);
	text[0] = (uint8_t)event->kind;
	text[1] = event->warning;
	for (size_t i = 0; i < PLM_COUNTOF(parts); i++) {
		if (parts[i].size > 0) {
			memcpy(text + used, parts[i].ptr, parts[i].size);
		}
		used += parts[i].size + 1; /* and a zero between them */
	}
	return plm_xxh128(plm_slice_of(text, used));
}

static struct series *find(struct plm_kube_announcer *announcer, struct plm_hash128 print)
{
	for (struct series *at = *bucket_of(announcer, print); at != NULL; at = at->bucket_next) {
		if (at->print.low == print.low && at->print.high == print.high) {
			return at;
		}
	}
	return NULL;
}

static void unlink_age(struct series *series)
{
	struct plm_kube_announcer *announcer = series->announcer;

	*(series->prev == NULL ? &announcer->oldest : &series->prev->next) = series->next;
	*(series->next == NULL ? &announcer->newest : &series->next->prev) = series->prev;
	series->prev = NULL;
	series->next = NULL;
}

static void is_newest(struct series *series)
{
	struct plm_kube_announcer *announcer = series->announcer;

	series->prev = announcer->newest;
	series->next = NULL;
	*(announcer->newest == NULL ? &announcer->oldest : &announcer->newest->next) = series;
	announcer->newest = series;
}

static void forget(struct series *series)
{
	struct series **at = bucket_of(series->announcer, series->print);

	PLM_ASSERT(!series->queued);
	while (*at != series) {
		at = &(*at)->bucket_next;
	}
	*at = series->bucket_next;
	unlink_age(series);
	series->announcer->count--;
	if (series->sent != NULL) {
		plm_kube_cancel(series->sent);
	}
	free(series->ns);
	free(series->name);
	free(series->uid);
	free(series->reason);
	free(series->message);
	free(series);
}

/* Those that nothing is to be done about and that are over, or when there is no room for another. */
static void make_room(struct plm_kube_announcer *announcer)
{
	int64_t now_ms = boot_ms(announcer);
	struct series *next = NULL;
	int looks = 32; /* at each telling: when all wait to be sent there is nothing to find */

	for (struct series *at = announcer->oldest; at != NULL && looks > 0; at = next, looks--) {
		next = at->next;
		if (now_ms - at->told_ms < PLM_LIMIT_EVENT_SERIES_MS &&
		    announcer->count < PLM_LIMIT_EVENT_SERIES) {
			return;
		}
		if (!at->queued && at->sent == NULL) {
			forget(at);
		}
	}
}

/* ---- bodies -------------------------------------------------------------------------------------- */

static const char *namespace_of(const struct series *series)
{
	return series->ns[0] == '\0' ? "default" : series->ns; /* of what has none, as Kubernetes */
}

static cJSON *object_of(const struct series *series)
{
	const struct plm_kube_resource *row = plm_kube_resource(series->resource);
	const char *version = plm_kube_version(series->announcer->options.client, series->resource);
	char api[128];
	cJSON *object = plm_tree_map();

	version = version == NULL ? row->versions[0] : version;
	(void)snprintf(api, sizeof(api), "%s%s%s", row->group, row->group[0] == '\0' ? "" : "/",
		       version);
	plm_tree_put_string(object, "apiVersion", api);
	plm_tree_put_string(object, "kind", row->kind);
	if (series->ns[0] != '\0') {
		plm_tree_put_string(object, "namespace", series->ns);
	}
	plm_tree_put_string(object, "name", series->name);
	if (series->uid[0] != '\0') {
		plm_tree_put_string(object, "uid", series->uid);
	}
	return object;
}

static void put_count(cJSON *body, const struct series *series)
{
	plm_tree_put_time(body, "lastTimestamp", series->last_ms);
	plm_tree_put_int(body, "count", series->count);
}

static cJSON *new_body(const struct series *series)
{
	cJSON *meta = plm_tree_map();
	cJSON *source = plm_tree_map();
	cJSON *body = plm_tree_map();

	plm_tree_put_string(body, "apiVersion", "v1");
	plm_tree_put_string(body, "kind", "Event");
	plm_tree_put_string(meta, "name", series->event);
	plm_tree_put_string(meta, "namespace", namespace_of(series));
	plm_tree_put(body, plm_slice_str("metadata"), meta);
	plm_tree_put(body, plm_slice_str("involvedObject"), object_of(series));
	plm_tree_put_string(body, "reason", series->reason);
	plm_tree_put_string(body, "message", series->message);
	plm_tree_put_string(body, "type", series->warning ? "Warning" : "Normal");
	plm_tree_put_string(source, "component", COMPONENT);
	plm_tree_put(body, plm_slice_str("source"), source);
	plm_tree_put_string(body, "reportingComponent", COMPONENT);
	plm_tree_put_string(body, "reportingInstance", series->announcer->instance);
	plm_tree_put_time(body, "firstTimestamp", series->first_ms);
	put_count(body, series);
	return body;
}

/* ---- sending ------------------------------------------------------------------------------------- */

static void enqueue(struct series *series)
{
	struct plm_kube_announcer *announcer = series->announcer;

	if (series->queued) {
		return;
	}
	if (series->sent != NULL) {
		series->changed = true;
		return;
	}
	series->queued = true;
	series->after = NULL;
	*(announcer->queue_last == NULL ? &announcer->queue_first : &announcer->queue_last->after) =
		series;
	announcer->queue_last = series;
}

static struct series *dequeue(struct plm_kube_announcer *announcer)
{
	struct series *series = announcer->queue_first;

	announcer->queue_first = series->after;
	announcer->queue_last = series->after == NULL ? NULL : announcer->queue_last;
	series->queued = false;
	return series;
}

/* Not there yet, or not any more; later, perhaps; or never. */
static void not_sent(struct series *series, enum plm_kube_fate fate)
{
	struct plm_kube_announcer *announcer = series->announcer;
	bool later =
		fate == PLM_KUBE_UNSENT || fate == PLM_KUBE_UNKNOWN || fate == PLM_KUBE_THROTTLED;

	if (fate == PLM_KUBE_NOT_FOUND && series->created) {
		series->created = false; /* the API server keeps Events for an hour */
		enqueue(series);
	} else if (later && ++series->tries < PLM_LIMIT_EVENT_TRIES) {
		announcer->pause_ms = boot_ms(announcer) + PLM_LIMIT_EVENT_WAIT_MS;
		enqueue(series);
	} else {
		announcer->stats.failed++;
		forget(series);
	}
}

static void on_done(void *self, const struct plm_kube_answer *answer)
{
	struct series *series = self;
	struct plm_kube_announcer *announcer = series->announcer;

	series->sent = NULL;
	announcer->under_way--;
	if (answer->fate == PLM_KUBE_DONE || answer->fate == PLM_KUBE_EXISTS) {
		announcer->stats.sent++;
		series->created = true;
		series->tries = 0;
		if (series->changed) {
			series->changed = false;
			enqueue(series);
		}
	} else {
		not_sent(series, answer->fate);
	}
	send_some(announcer);
}

static void send_one(struct series *series)
{
	struct plm_kube_announcer *announcer = series->announcer;
	cJSON *body = series->created ? plm_tree_map() : new_body(series);
	struct plm_kube_request request = {
		.resource = PLM_KUBE_RES_EVENTS,
		.subresource = "",
		.verb = series->created ? PLM_KUBE_PATCH_MERGE : PLM_KUBE_CREATE,
		.ns = plm_slice_str(namespace_of(series)),
		.on_done = on_done,
		.self = series,
	};

	if (series->created) {
		request.name = plm_slice_str(series->event);
		put_count(body, series);
	}
	plm_arena_reset(&announcer->arena);
	request.body = plm_tree_print(body, &announcer->arena);
	cJSON_Delete(body);
	announcer->under_way++;
	series->sent = plm_kube_send(announcer->options.client, &request);
}

static void on_timer(uv_timer_t *timer)
{
	send_some(timer->data);
}

static void send_some(struct plm_kube_announcer *announcer)
{
	int64_t now_ms = boot_ms(announcer);
	int64_t wait_ms = plm_max(0, announcer->pause_ms - now_ms);

	while (announcer->queue_first != NULL && wait_ms == 0 &&
	       announcer->under_way < PLM_LIMIT_EVENTS_UNDER_WAY) {
		wait_ms = plm_bucket_take(&announcer->rate, now_ms);
		if (wait_ms == 0) {
			send_one(dequeue(announcer));
		}
	}
	if (announcer->queue_first != NULL && wait_ms > 0) {
		(void)uv_timer_start(announcer->timer, on_timer, (uint64_t)wait_ms, 0);
	}
}

/* ---- telling ------------------------------------------------------------------------------------- */

/* "NAME.HASH": the same for the same event of the log, whoever tells it. */
static void name_event(struct series *series, const struct plm_kube_event *event)
{
	uint8_t bytes[12];
	int most = 253 - 17;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		uint64_t number = i < 8 ? event->seq : event->index;

		bytes[i] = (uint8_t)(number >> (8 * (i % 8)));
	}
	(void)snprintf(series->event, sizeof(series->event), "%.*s.%016llx", most, series->name,
		       (unsigned long long)plm_xxh64(plm_slice_of(bytes, sizeof(bytes))));
}

static struct series *add(struct plm_kube_announcer *announcer, const struct plm_kube_event *event,
			  struct plm_hash128 print)
{
	struct series *series = calloc(1, sizeof(*series));
	struct plm_slice message = event->message;
	struct series **bucket = bucket_of(announcer, print);

	PLM_ASSERT(series != NULL);
	if (message.size > PLM_LIMIT_EVENT_MESSAGE) {
		message.size = PLM_LIMIT_EVENT_MESSAGE;
		message.size = plm_utf8_prefix(message);
	}
	series->announcer = announcer;
	series->print = print;
	series->resource = plm_kube_resource_of(event->kind);
	series->ns = text_of(event->ns);
	series->name = text_of(event->name);
	series->uid = text_of(event->uid);
	series->reason = text_of(event->reason);
	series->message = text_of(message);
	series->warning = event->warning;
	series->first_ms = event->at_ms;
	name_event(series, event);
	series->bucket_next = *bucket;
	*bucket = series;
	announcer->count++;
	is_newest(series);
	return series;
}

void plm_kube_announcer_tell(struct plm_kube_announcer *announcer,
			     const struct plm_kube_event *event)
{
	struct plm_hash128 print;
	struct series *series = NULL;

	if (plm_kube_resource_of(event->kind) == PLM_KUBE_RES_NONE) {
		announcer->stats.dropped++; /* no object that it could stand at */
		return;
	}
	plm_arena_reset(&announcer->arena);
	print = print_of(event, &announcer->arena);
	make_room(announcer);
	series = find(announcer, print);
	if (series == NULL && announcer->count >= PLM_LIMIT_EVENT_SERIES) {
		announcer->stats.dropped++;
		return;
	}
	if (series == NULL) {
		series = add(announcer, event, print);
	} else {
		announcer->stats.repeated++;
		unlink_age(series);
		is_newest(series);
	}
	series->count++;
	series->last_ms = event->at_ms;
	series->told_ms = boot_ms(announcer);
	enqueue(series);
	send_some(announcer);
}

struct plm_kube_announcer_stats plm_kube_announcer_stats(const struct plm_kube_announcer *announcer)
{
	return announcer->stats;
}

/* ---- life ---------------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
	free(handle);
}

enum plm_code plm_kube_announcer_new(const struct plm_kube_announcer_options *options,
				     struct plm_kube_announcer **out, struct plm_error *err)
{
	struct plm_kube_announcer *announcer = calloc(1, sizeof(*announcer));
	int failed = 0;

	PLM_ASSERT(announcer != NULL);
	announcer->options = *options;
	if (plm_arena_init(&announcer->arena, PLM_LIMIT_EVENT_ARENA, err) != PLM_OK) {
		free(announcer);
		return PLM_E_LIMIT;
	}
	announcer->instance = text_of(plm_slice_str(options->instance));
	announcer->timer = calloc(1, sizeof(*announcer->timer));
	PLM_ASSERT(announcer->timer != NULL);
	failed = uv_timer_init(options->loop, announcer->timer);
	PLM_ASSERT(failed == 0);
	announcer->timer->data = announcer;
	plm_bucket_init(&announcer->rate, 1000 * PLM_LIMIT_EVENT_RATE, PLM_LIMIT_EVENT_BURST,
			boot_ms(announcer));
	*out = announcer;
	return PLM_OK;
}

void plm_kube_announcer_free(struct plm_kube_announcer *announcer)
{
	if (announcer == NULL) {
		return;
	}
	while (announcer->queue_first != NULL) {
		(void)dequeue(announcer);
	}
	for (struct series *at = announcer->oldest, *next = NULL; at != NULL; at = next) {
		next = at->next;
		forget(at);
	}
	uv_close((uv_handle_t *)announcer->timer, on_closed);
	plm_arena_fini(&announcer->arena);
	free(announcer->instance);
	free(announcer);
}
