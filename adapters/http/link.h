/*
 * link.h - a ring of structs that each hold their own link
 *
 * The owner's link is the ring's head. A link that is in no ring points at itself.
 */
#ifndef PLM_ADAPTERS_HTTP_LINK_H
#define PLM_ADAPTERS_HTTP_LINK_H

#include "core/base.h"

struct plm_http_link {
	struct plm_http_link *next, *prev;
	void *owner; /* the struct that holds it; NULL for a head */
};

static inline void plm_http_link_init(struct plm_http_link *link, void *owner)
{
	link->next = link;
	link->prev = link;
	link->owner = owner;
}

static inline bool plm_http_link_empty(const struct plm_http_link *head)
{
	return head->next == head;
}

/* Put 'link', which is in no ring, at the end of 'head's. */
static inline void plm_http_link_append(struct plm_http_link *head, struct plm_http_link *link)
{
	PLM_ASSERT(link->next == link);
	link->prev = head->prev;
	link->next = head;
	head->prev->next = link;
	head->prev = link;
}

static inline void plm_http_link_remove(struct plm_http_link *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	link->next = link;
	link->prev = link;
}

#endif
