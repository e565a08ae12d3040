/*
 * port.c - the world's instances behind the port of clouds (core/cloud.h)
 *
 * What a world tells of instances goes to the inbox of this port with all else that it tells; the effects of a cloud and those
 * of a cluster are carried out by the same hands.
 */
#include "adapters/sim/world.h"

/* Its catalogue is given with it: there is none to be looked for. */
static const char *place(const void *self)
{
	(void)self;
	return "";
}

static void start(void *self, const struct plm_cloud_start *start)
{
	struct plm_world *w = self;

	w->options.inbox = start->inbox;
}

static struct plm_effects effects(void *self)
{
	return plm_world_effects(self);
}

static void saw(void *self, const struct plm_observation *observation)
{
	(void)self;
	(void)observation; /* the world has its classes from whoever applied them */
}

static void resume(void *self)
{
	(void)self; /* what a full inbox refused is told again by the world's clock */
}

static size_t ready(const void *self, struct plm_ready_check *out, size_t max)
{
	const struct plm_world *w = self;

	if (max == 0) {
		return 0;
	}
	*out = (struct plm_ready_check){.name = "cloud",
					.ok = !plm_sim_is_down(w, PLM_SIM_EC2_DOWN)};
	return 1;
}

static void tell(const void *self,
		 void (*one)(void *ctx, enum plm_cloud_number number, const char *label,
			     int64_t value),
		 void *ctx)
{
	const struct plm_world *w = self;
	int64_t running = 0;

	for (const struct plm_sim_instance *i = w->instances; i != NULL; i = i->next) {
		running += i->state < PLM_SIM_SHUTTING_DOWN;
	}
	one(ctx, PLM_CLOUD_INSTANCES, "", running);
}

static void give_back(void *self)
{
	(void)self; /* the world is its owner's */
}

struct plm_cloud plm_world_cloud(struct plm_world *w)
{
	return (struct plm_cloud){
		.self = w,
		.name = "sim",
		.place = place,
		.start = start,
		.effects = effects,
		.saw = saw,
		.resume = resume,
		.ready = ready,
		.tell = tell,
		.free = give_back,
	};
}
