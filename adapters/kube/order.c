#include "adapters/kube/order.h"

#include <stdlib.h>

void plm_order_fini(struct plm_order *order)
{
	free(order->buckets);
	*order = (struct plm_order){0};
}

static struct plm_order_entry **bucket_of(const struct plm_order *order, struct plm_hash128 object)
{
	return &order->buckets[(size_t)object.low & (order->bucket_count - 1)];
}

static bool same(struct plm_hash128 a, struct plm_hash128 b)
{
	return a.low == b.low && a.high == b.high;
}

static void grow(struct plm_order *order)
{
	struct plm_order more = {.bucket_count =
					 order->bucket_count == 0 ? 64 : order->bucket_count * 4,
				 .lines = order->lines};

	more.buckets = calloc(more.bucket_count, sizeof(struct plm_order_entry *));
	PLM_ASSERT(more.buckets != NULL);
	for (size_t i = 0; i < order->bucket_count; i++) {
		struct plm_order_entry *next = NULL;

		for (struct plm_order_entry *at = order->buckets[i]; at != NULL; at = next) {
			struct plm_order_entry **to = bucket_of(&more, at->object);

			next = at->next;
			at->next = *to;
			*to = at;
		}
	}
	free(order->buckets);
	*order = more;
}

bool plm_order_add(struct plm_order *order, struct plm_order_entry *entry)
{
	struct plm_order_entry **bucket = NULL;

	if (order->lines >= order->bucket_count) {
		grow(order);
	}
	bucket = bucket_of(order, entry->object);
	entry->behind = NULL;
	for (struct plm_order_entry *at = *bucket; at != NULL; at = at->next) {
		if (same(at->object, entry->object)) {
			at->last->behind = entry;
			at->last = entry;
			return false;
		}
	}
	entry->last = entry;
	entry->next = *bucket;
	*bucket = entry;
	order->lines++;
	return true;
}

struct plm_order_entry *plm_order_done(struct plm_order *order, struct plm_order_entry *entry)
{
	struct plm_order_entry **at = bucket_of(order, entry->object);
	struct plm_order_entry *behind = entry->behind;

	while (*at != entry) {
		PLM_ASSERT(*at != NULL);
		at = &(*at)->next;
	}
	if (behind == NULL) {
		*at = entry->next;
		order->lines--;
		return NULL;
	}
	behind->last = entry->last;
	behind->next = entry->next;
	*at = behind;
	return behind;
}
