#include "adapters/kube/reflector.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The server's own end of a watch may come this much late. */
#define GRACE_MS (30LL * 1000)

static const char *name_of(const struct plm_reflector *r)
{
	return plm_kube_resource(r->id)->name;
}

void plm_reflector_say(const struct plm_reflector *r, const char *format, ...)
{
	char text[PLM_ERROR_TEXT_SIZE];
	int used = snprintf(text, sizeof(text), "%s: ", name_of(r));
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text + used, sizeof(text) - (size_t)used, format, args);
	va_end(args);
	r->all->options.note(r->all->options.self, text);
}

void plm_reflector_drop_next(struct plm_reflector *r)
{
	free(r->next);
	r->next = NULL;
}

/* What others wait for at the start has happened, or will not soon. */
void plm_reflector_settle(struct plm_reflector *r)
{
	if (!r->settled) {
		r->settled = true;
		plm_reflect_advance(r->all);
	}
}

/* ---- calls ------------------------------------------------------------------------------------- */

static void pay(struct plm_reflector *r);

/* A query value: what is not surely plain is escaped. */
static void add_value(char *query, size_t size, const char *text)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t at = strlen(query);

	for (; *text != '\0' && at + 4 < size; text++) {
		uint8_t byte = (uint8_t)*text;

		if ((byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
		    (byte >= 'A' && byte <= 'Z') || byte == '-' || byte == '_' || byte == '.') {
			query[at++] = *text;
			continue;
		}
		query[at++] = '%';
		query[at++] = hex[byte >> 4];
		query[at++] = hex[byte & 15];
	}
	query[at] = '\0';
}

static void told_whole(struct plm_reflector *r)
{
	r->listing = false;
	r->synced = true;
	r->expired = false;
	r->stats.lists++;
	plm_backoff_good(&r->backoff);
}

/* What a list tells is in no order; after it each revision is newer than the one before. */
static void keep_revision(struct plm_reflector *r, const struct plm_split_item *item)
{
	if (r->phase == PHASE_WATCH && item->revision[0] != '\0') {
		memcpy(r->revision, item->revision, sizeof(r->revision));
	}
}

static enum plm_code take_mark(struct plm_reflector *r, const struct plm_split_item *item)
{
	r->marks = true;
	if (item->initial_end && r->phase == PHASE_STREAM) {
		enum plm_code code =
			plm_kube_observe_listed(r->all->options.observer, r->id, item->revision);

		if (code == PLM_E_AGAIN) {
			return code;
		}
		r->phase = PHASE_WATCH;
		told_whole(r);
		plm_reflector_settle(r);
	}
	keep_revision(r, item);
	return PLM_OK;
}

static enum plm_code take_item(void *self, const struct plm_split_item *item, struct plm_error *err)
{
	struct plm_reflector *r = self;
	enum plm_code code = PLM_OK;

	if (item->type == PLM_SPLIT_ERROR) {
		r->status_code = item->code;
		return plm_fail(err, PLM_E_REFUSED, "%s", item->message);
	}
	if (item->type == PLM_SPLIT_BOOKMARK) {
		code = take_mark(r, item);
		return code == PLM_OK ? code : plm_fail(err, code, "the inbox is full");
	}
	code = plm_kube_observe_item(r->all->options.observer, r->id, r->version, item);
	if (code != PLM_OK) {
		return plm_fail(err, code, "the inbox is full");
	}
	keep_revision(r, item);
	return PLM_OK;
}

/* False: the answer is of no use any more. */
static bool feed(struct plm_reflector *r, struct plm_slice piece)
{
	struct plm_error err;
	enum plm_code code = plm_split_feed(r->split, piece, &err);
	bool full = code == PLM_E_AGAIN;

	if (code == PLM_OK || full) {
		if (r->sent != NULL && r->paused != full) {
			plm_kube_pause(r->sent, full);
		}
		r->paused = full;
		return true;
	}
	r->refused = true;
	(void)snprintf(r->ending.message, sizeof(r->ending.message), "%.250s", err.text);
	return false;
}

static bool on_body(void *self, struct plm_slice piece)
{
	struct plm_reflector *r = self;

	r->heard_ms = plm_reflect_now(r->all);
	plm_reflect_heard(r->all);
	return feed(r, piece);
}

static void on_done(void *self, const struct plm_kube_answer *answer)
{
	struct plm_reflector *r = self;

	r->sent = NULL;
	r->ending.fate = answer->fate;
	r->ending.retry_after_ms = answer->retry_after_ms;
	if (!r->refused) {
		(void)snprintf(r->ending.message, sizeof(r->ending.message), "%.*s",
			       (int)plm_min((int64_t)answer->message.size, 250),
			       answer->message.size == 0 ? "" : (const char *)answer->message.ptr);
	}
	if (answer->status != 0) {
		plm_reflect_heard(r->all);
	} else {
		plm_reflect_failing(r->all);
	}
	r->ended = true;
	if (!plm_split_waits(r->split)) {
		plm_reflector_finish(r);
	}
	r->all->options.due(r->all->options.self);
}

static void send_call(struct plm_reflector *r, enum plm_reflect_phase phase, const char *query)
{
	const struct plm_kube_request request = {
		.resource = r->id,
		.subresource = "",
		.verb = phase == PHASE_PAGES ? PLM_KUBE_LIST : PLM_KUBE_WATCH,
		.query = query,
		.on_body = on_body,
		.on_done = on_done,
		.self = r,
	};

	r->version = plm_kube_version(r->all->options.client, r->id);
	if (r->version == NULL) { /* gone since: the list finds that out */
		r->version = plm_kube_resource(r->id)->versions[0];
	}
	r->phase = phase;
	r->ended = false;
	r->paused = false;
	r->refused = false;
	r->status_code = 0;
	r->ending.retry_after_ms = PLM_UNSET; /* what the call before was told */
	r->begun_ms = plm_reflect_now(r->all);
	r->heard_ms = r->begun_ms;
	plm_split_begin(r->split, phase == PHASE_PAGES ? PLM_SPLIT_LIST : PLM_SPLIT_WATCH,
			take_item, r);
	r->sent = plm_kube_send(r->all->options.client, &request);
}

static void send_watch(struct plm_reflector *r, bool stream)
{
	int64_t seconds = plm_reflect_draw(r->all, PLM_LIMIT_WATCH_LEAST_S, PLM_LIMIT_WATCH_MOST_S);
	char query[3 * PLM_SPLIT_TEXT + 256];

	(void)snprintf(query, sizeof(query),
		       "watch=1&allowWatchBookmarks=true&timeoutSeconds=%" PRId64 "&%s", seconds,
		       stream ? "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
			      : "resourceVersion=");
	if (!stream) {
		add_value(query, sizeof(query), r->revision);
	}
	r->limit_ms = seconds * 1000 + GRACE_MS;
	send_call(r, stream ? PHASE_STREAM : PHASE_WATCH, query);
}

void plm_reflector_watch(struct plm_reflector *r)
{
	send_watch(r, false);
}

void plm_reflector_page(struct plm_reflector *r)
{
	static const char next[] = "&continue=";
	size_t size = 128 + 3 * (r->next == NULL ? 0 : strlen(r->next));
	char *query = calloc(1, size);

	PLM_ASSERT(query != NULL);
	if (!r->whole_pages) {
		(void)snprintf(query, size, "limit=%d%s", PLM_LIMIT_LIST_PAGE,
			       r->next == NULL ? "" : next);
		add_value(query, size, r->next == NULL ? "" : r->next);
	}
	send_call(r, PHASE_PAGES, query[0] == '\0' ? NULL : query);
	free(query);
}

/* ---- lists ------------------------------------------------------------------------------------- */

static void be_absent(struct plm_reflector *r)
{
	if (r->stats.lists > 0) {
		plm_reflector_say(
			r, "the server does not have this resource any more: its objects are gone");
	}
	r->phase = PHASE_ABSENT;
	r->owed = OWED_ABSENT;
	pay(r);
}

/* Has the server got it since? The client asks it again from time to time. */
void plm_reflector_look(struct plm_reflector *r)
{
	if (r->phase == PHASE_ABSENT && r->owed == OWED_NONE &&
	    plm_kube_version(r->all->options.client, r->id) != NULL) {
		plm_reflector_say(r, "the server has this resource now");
		plm_reflector_list(r);
	}
}

/* Begin to list, from the start. */
void plm_reflector_list(struct plm_reflector *r)
{
	r->listing = true;
	plm_reflector_drop_next(r);
	if (plm_kube_version(r->all->options.client, r->id) == NULL) {
		be_absent(r);
		return;
	}
	r->phase = PHASE_WAIT;
	r->due_ms = PLM_REFLECT_NEVER;
	r->owed = OWED_BEGIN;
	pay(r);
}

/* All pages were told: the watch goes on from them. */
static void listed(struct plm_reflector *r)
{
	told_whole(r);
	r->whole_pages = false;
	if (r->phase != PHASE_ABSENT) {
		plm_reflector_watch(r);
	}
	plm_reflector_settle(r);
}

/* Tell what is owed, then go on; the inbox may be full. */
static void pay(struct plm_reflector *r)
{
	struct plm_kube_observer *observer = r->all->options.observer;
	enum plm_reflect_owed owed = r->owed;
	enum plm_code code = PLM_OK;

	if (owed == OWED_BEGIN || owed == OWED_ABSENT) {
		code = plm_kube_observe_list_begins(observer, r->id);
	} else if (owed == OWED_LISTED) {
		code = plm_kube_observe_listed(observer, r->id,
					       r->phase == PHASE_ABSENT ? "" : r->revision);
	}
	if (code == PLM_E_AGAIN || owed == OWED_NONE) {
		return;
	}
	r->owed = OWED_NONE;
	if (owed == OWED_ABSENT) {
		r->owed = OWED_LISTED;
		pay(r);
	} else if (owed == OWED_LISTED) {
		listed(r);
	} else if (r->by_pages) {
		plm_reflector_page(r);
	} else {
		send_watch(r, true);
	}
}

void plm_reflector_end_list(struct plm_reflector *r)
{
	r->phase = PHASE_WAIT;
	r->due_ms = PLM_REFLECT_NEVER;
	r->owed = OWED_LISTED;
	pay(r);
}

void plm_reflector_cancel(struct plm_reflector *r)
{
	if (r->sent != NULL) {
		plm_kube_cancel(r->sent);
		r->sent = NULL;
	}
	r->ended = false;
	r->paused = false;
	plm_split_begin(r->split, PLM_SPLIT_WATCH, take_item, r);
}

void plm_reflector_resume(struct plm_reflector *r)
{
	if (r->owed != OWED_NONE) {
		pay(r);
		return;
	}
	if (!plm_split_waits(r->split)) {
		return;
	}
	if (!feed(r, (struct plm_slice){0}) && r->sent != NULL) {
		plm_kube_cancel(r->sent);
		r->sent = NULL;
		r->ended = true;
	}
	if (r->ended && !plm_split_waits(r->split)) {
		plm_reflector_finish(r);
	}
}
