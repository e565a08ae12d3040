#include "handover.h"

#include <pthread.h>
#include <stdlib.h>

#include "codec/codec.h"

struct item {
	struct item *next; /* owned */
	uint64_t durable;  /* when 'effect.intent' is 0 */
	struct plm_effect effect;
	uint8_t frozen[]; /* the bytes of effect.frozen */
};

struct plm_handover {
	pthread_mutex_t lock;
	void (*notify)(void *self);
	void *self;
	struct item *first; /* owned */
	struct item *last;
	size_t count;
};

enum plm_code plm_handover_new(void (*notify)(void *self), void *self, struct plm_handover **out,
			       struct plm_error *err)
{
	struct plm_handover *handover = calloc(1, sizeof(*handover));

	if (handover == NULL || pthread_mutex_init(&handover->lock, NULL) != 0) {
		free(handover);
		return plm_fail(err, PLM_E_LIMIT, "handover queue: out of memory");
	}
	handover->notify = notify;
	handover->self = self;
	*out = handover;
	return PLM_OK;
}

void plm_handover_free(struct plm_handover *handover)
{
	if (handover == NULL) {
		return;
	}
	while (handover->first != NULL) {
		struct item *item = handover->first;

		handover->first = item->next;
		free(item);
	}
	(void)pthread_mutex_destroy(&handover->lock);
	free(handover);
}

static void lock(struct plm_handover *handover)
{
	int rc = pthread_mutex_lock(&handover->lock);

	PLM_ASSERT(rc == 0);
}

static void unlock(struct plm_handover *handover)
{
	int rc = pthread_mutex_unlock(&handover->lock);

	PLM_ASSERT(rc == 0);
}

static struct item *item_new(size_t frozen_size)
{
	struct item *item = calloc(1, sizeof(*item) + frozen_size);

	PLM_ASSERT(item != NULL);
	return item;
}

static void push(struct plm_handover *handover, struct item *item)
{
	lock(handover);
	if (handover->last == NULL) {
		handover->first = item;
	} else {
		handover->last->next = item;
	}
	handover->last = item;
	handover->count++;
	unlock(handover);
	handover->notify(handover->self);
}

static void submit(void *self, const struct plm_effect *effect)
{
	struct item *item = item_new(effect->frozen.size);

	PLM_ASSERT(effect->intent != 0);
	item->effect = *effect;
	item->effect.request = NULL;
	if (effect->frozen.size > 0) {
		memcpy(item->frozen, effect->frozen.ptr, effect->frozen.size);
	}
	item->effect.frozen = plm_slice_of(item->frozen, effect->frozen.size);
	push(self, item);
}

/* The newest note says what those before it said: two in a row are one. */
static bool merge_durable(struct plm_handover *handover, uint64_t seq)
{
	bool merged = false;

	lock(handover);
	merged = handover->last != NULL && handover->last->effect.intent == 0;
	if (merged) {
		handover->last->durable = seq;
	}
	unlock(handover);
	return merged;
}

static void durable(void *self, uint64_t seq)
{
	struct item *item = NULL;

	if (!merge_durable(self, seq)) {
		item = item_new(0);
		item->durable = seq;
		push(self, item);
	}
}

struct plm_effects plm_handover_effects(struct plm_handover *handover)
{
	return (struct plm_effects){.self = handover, .submit = submit, .durable = durable};
}

static struct item *take(struct plm_handover *handover)
{
	struct item *item = NULL;

	lock(handover);
	item = handover->first;
	if (item != NULL) {
		handover->first = item->next;
		handover->last = item->next == NULL ? NULL : handover->last;
		handover->count--;
	}
	unlock(handover);
	return item;
}

static void deliver_effect(struct plm_effect *effect, const struct plm_effects *effects,
			   struct plm_arena *scratch)
{
	size_t mark = plm_arena_mark(scratch);
	struct plm_error err;
	enum plm_code code = plm_wire_decode(plm_call_request(effect->call), effect->frozen,
					     scratch, &effect->request, &err);

	/* The engine froze it from this very struct. */
	PLM_ASSERT(code == PLM_OK);
	effects->submit(effects->self, effect);
	plm_arena_rewind(scratch, mark);
}

bool plm_handover_deliver(struct plm_handover *handover, const struct plm_effects *effects,
			  struct plm_arena *scratch, uint64_t *out_intent)
{
	struct item *item = take(handover);

	if (item == NULL) {
		return false;
	}
	*out_intent = item->effect.intent;
	if (item->effect.intent != 0) {
		deliver_effect(&item->effect, effects, scratch);
	} else if (effects->durable != NULL) {
		effects->durable(effects->self, item->durable);
	}
	free(item);
	return true;
}

size_t plm_handover_count(struct plm_handover *handover)
{
	size_t count = 0;

	lock(handover);
	count = handover->count;
	unlock(handover);
	return count;
}
