/*
 * sight.h - what is known of each instance, and what of it is news
 *
 * Owns: a row per instance: what was told of it last, since when it is missing, when it is looked at again by its id. Pure
 * data on times that it is given; instances.c asks and tells. Views of EC2 may be older than those before: one that was seen as
 * ended does not come back. One that was only not shown may, and is told then: it must not be lost.
 */
#ifndef PLM_ADAPTERS_EC2_SIGHT_H
#define PLM_ADAPTERS_EC2_SIGHT_H

#include "adapters/ec2/instance_read.h"

/* Why an instance is looked at between the lists. */
enum plm_sight_watch {
	PLM_SIGHT_CALM,
	PLM_SIGHT_FRESH,   /* launched, and not yet seen as more than pending */
	PLM_SIGHT_ENDING,  /* until it is terminated */
	PLM_SIGHT_MISSING, /* a list did not show it */
};

struct plm_sight {
	struct plm_sight *hash_next, *prev, *next; /* of all */
	char id[PLM_EC2_ID_SIZE];
	struct plm_w_instance fact; /* its texts follow the row; state "" = it was never seen */
	void *texts;		    /* owned */
	bool told;
	bool asked;  /* by the look under way */
	bool absent; /* it counts as terminated because it was not shown for long */
	enum plm_sight_watch watch;
	int64_t due_ms, wait_ms; /* of the next look; boot clock */
	int64_t answered_ms;	 /* our launch was answered; PLM_UNSET = by another process */
	int64_t missing_ms;	 /* since when; PLM_UNSET = it is not */
	int64_t ended_ms;	 /* terminated, as it was told; PLM_UNSET = not */
	uint64_t round;		 /* the newest list that showed it */
};

struct plm_sights {
	struct plm_sight **buckets; /* owned */
	size_t bucket_count, count;
	struct plm_sight *first;
};

void plm_sights_fini(struct plm_sights *sights);
struct plm_sight *plm_sights_find(const struct plm_sights *sights, const char *id);
/* Found or made. */
struct plm_sight *plm_sights_get(struct plm_sights *sights, const char *id);
void plm_sights_drop(struct plm_sights *sights, struct plm_sight *sight);

/*
 * EC2 showed it so at 'now_ms'. True: that is news, and 'fact' is what is to be told (told is set). An older view is no
 * news.
 */
bool plm_sight_see(struct plm_sight *sight, const struct plm_w_instance *fact, int64_t now_ms);
/* Look at it from now on; the first time after PLM_LIMIT_EC2_LOOK_FIRST_MS. */
void plm_sight_watch(struct plm_sight *sight, enum plm_sight_watch watch, int64_t now_ms);
/* It was looked at: the next time is later. */
void plm_sight_looked(struct plm_sight *sight, int64_t now_ms);
/*
 * A list or look at 'now_ms' did not show it. True: for long enough, so it is gone and 'fact' says terminated; or it was
 * never seen and its row can be dropped ('fact.state' is empty).
 */
bool plm_sight_miss(struct plm_sight *sight, int64_t now_ms);

#endif
