/*
 * known.h - instances that the engine was told of, by their id
 *
 * Owns: from an instance's id to the provider id under which it was told (INSTANCE facts, RESULTs of launches): EC2's
 * messages name the id alone, and speak of all instances of the account. Everything that is told goes by here (tell.c), so
 * no part has to remember for another. An instance that was told as terminated is forgotten.
 * At PLM_LIMIT_EC2_KNOWN all are forgotten but those of the last half as many facts.
 */
#ifndef PLM_ADAPTERS_EC2_KNOWN_H
#define PLM_ADAPTERS_EC2_KNOWN_H

#include "core/event.h"

struct plm_ec2_known_row {
	char *id, *provider_id; /* owned; NULL = a free cell */
	char *reservation;	/* "" = runs in none */
	int64_t block_end_ms; /* for catalog.c: the end of its block as it was told; 0 = none was */
	uint64_t serial;      /* the later told, the larger */
};

struct plm_ec2_known {
	struct plm_ec2_known_row *cells; /* owned: open addressing, a power of two */
	uint32_t size, count;
	uint64_t serial;
	uint64_t lists;	   /* whole lists that were told */
	uint64_t reserved; /* launches into reservations that were told as done */
};

/* Any fact or RESULT that is told; 'value' is its wire struct. */
void plm_ec2_known_saw(struct plm_ec2_known *known, enum plm_event_type type, const void *value);
/* By "i-..."; NULL: none of ours. Borrowed until the next plm_ec2_known_saw(). */
const struct plm_ec2_known_row *plm_ec2_known_find(const struct plm_ec2_known *known,
						   struct plm_slice id);
/* The next one that runs in 'reservation', from cell '*at' on; NULL: no more. */
struct plm_ec2_known_row *plm_ec2_known_in(struct plm_ec2_known *known,
					   struct plm_slice reservation, uint32_t *at);
void plm_ec2_known_fini(struct plm_ec2_known *known);

#endif
