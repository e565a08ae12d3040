#include "announce.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/limits.h"
#include "reducers/status/announce.h"

struct row {
	struct row *next;
	struct plm_kube_event event; /* its texts follow the row */
};

struct plm_announce {
	struct plm_announce_options options;
	pthread_mutex_t lock; /* guards all that follows */
	struct row *first, **last;
	uint32_t count;
	uint64_t dropped;
};

static void acquire(struct plm_announce *announce)
{
	int rc = pthread_mutex_lock(&announce->lock);

	PLM_ASSERT(rc == 0);
}

static void release(struct plm_announce *announce)
{
	int rc = pthread_mutex_unlock(&announce->lock);

	PLM_ASSERT(rc == 0);
}

struct plm_announce *plm_announce_new(const struct plm_announce_options *options)
{
	struct plm_announce *announce = calloc(1, sizeof(*announce));
	int rc = announce == NULL ? -1 : pthread_mutex_init(&announce->lock, NULL);

	PLM_ASSERT(rc == 0);
	announce->options = *options;
	announce->last = &announce->first;
	return announce;
}

void plm_announce_free(struct plm_announce *announce)
{
	if (announce == NULL) {
		return;
	}
	for (struct row *row = announce->first, *next = NULL; row != NULL; row = next) {
		next = row->next;
		free(row);
	}
	(void)pthread_mutex_destroy(&announce->lock);
	free(announce);
}

static struct plm_slice keep(uint8_t **at, struct plm_slice text)
{
	struct plm_slice kept = {*at, text.size};

	if (text.size > 0) {
		memcpy(*at, text.ptr, text.size);
		*at += text.size;
	}
	return kept;
}

static struct row *row_of(const struct plm_announcement *from, const struct plm_event *event,
			  uint32_t index)
{
	struct row *row = malloc(sizeof(*row) + from->ns.size + from->name.size + from->uid.size +
				 from->reason.size + from->message.size);
	uint8_t *at = (uint8_t *)(row + 1);

	PLM_ASSERT(row != NULL);
	row->next = NULL;
	row->event = (struct plm_kube_event){
		.seq = event->seq,
		.index = index,
		.at_ms = (int64_t)(event->wall_ns / 1000000),
		.kind = from->kind,
		.ns = keep(&at, from->ns),
		.name = keep(&at, from->name),
		.uid = keep(&at, from->uid),
		.warning = from->warning,
		.reason = keep(&at, from->reason),
		.message = keep(&at, from->message),
	};
	return row;
}

static void add(struct plm_announce *announce, struct row *row)
{
	bool full = false;

	acquire(announce);
	full = announce->count >= PLM_LIMIT_ANNOUNCED;
	if (full) {
		announce->dropped++;
	} else {
		*announce->last = row;
		announce->last = &row->next;
		announce->count++;
	}
	release(announce);
	if (full) {
		free(row);
	}
}

void plm_announce_take(void *self, const struct plm_state *st, const struct plm_event *event,
		       struct plm_arena *scratch)
{
	struct plm_announce *announce = self;
	struct plm_announcements found;
	size_t mark = plm_arena_mark(scratch);

	if ((int64_t)(event->wall_ns / 1000000) < announce->options.since_ms) {
		return;
	}
	plm_status_announce(st, event, scratch, &found);
	for (uint32_t i = 0; i < found.count; i++) {
		if (found.list[i].uid.size > 0) { /* an object that was never seen has no Events */
			add(announce, row_of(&found.list[i], event, i));
		}
	}
	plm_arena_rewind(scratch, mark);
	if (found.count > 0) {
		announce->options.wake(announce->options.self);
	}
}

void plm_announce_deliver(struct plm_announce *announce,
			  void (*send)(void *self, const struct plm_kube_event *event), void *self)
{
	struct row *row = NULL;

	acquire(announce);
	row = announce->first;
	announce->first = NULL;
	announce->last = &announce->first;
	announce->count = 0;
	release(announce);
	while (row != NULL) {
		struct row *next = row->next;

		send(self, &row->event);
		free(row);
		row = next;
	}
}

uint64_t plm_announce_dropped(struct plm_announce *announce)
{
	uint64_t dropped = 0;

	acquire(announce);
	dropped = announce->dropped;
	release(announce);
	return dropped;
}
