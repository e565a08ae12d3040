/*
 * order.h - effects in the order of their objects
 *
 * Owns: one line per object that has effects; only the first of a line may go. Does not: know an effect.
 */
#ifndef PLM_ADAPTERS_KUBE_ORDER_H
#define PLM_ADAPTERS_KUBE_ORDER_H

#include "core/slice.h"
#include "hash/hash.h"

/* A member of what is to be ordered. */
struct plm_order_entry {
	struct plm_hash128 object;
	struct plm_order_entry *behind; /* in the same line */
	struct plm_order_entry *last;	/* of the first of a line: its end */
	struct plm_order_entry *next;	/* of the first of a line: the next line of the bucket */
};

struct plm_order {
	struct plm_order_entry **buckets; /* owned; a power of two */
	size_t bucket_count;
	size_t lines;
};

void plm_order_fini(struct plm_order *order); /* idempotent; entries are not looked at */
/* At the end of its object's line; true: it is the first. */
bool plm_order_add(struct plm_order *order, struct plm_order_entry *entry);
/* The first of a line is over: the one behind it, now the first, or NULL. */
struct plm_order_entry *plm_order_done(struct plm_order *order, struct plm_order_entry *entry);

#endif
