/*
 * interrupt.c - what the cloud says of instances beforehand or afterwards: karpenter.md 3.11
 *
 * The messages that EventBridge and the status checks give, as one kind of observation; and what they
 * announce comes true: a spot or reserved instance is taken, one with a scheduled change goes then, one
 * of a capacity block half an hour before the block's end, one that stops takes its node with it. An
 * instance that is impaired goes on as it is.
 */
#include "adapters/sim/world.h"

/* EC2 ends the instances of a capacity block so long before its end. */
#define BLOCK_END_MS (30 * PLM_MS_PER_MINUTE)

static bool may_hear(const struct plm_sim_interrupt *what, const struct plm_sim_instance *i)
{
	bool spot = what->kind == PLM_INTERRUPT_SPOT || what->kind == PLM_INTERRUPT_REBALANCE;

	return i->state == PLM_SIM_RUNNING && (!spot || plm_slice_is(i->capacity_type, "spot"));
}

/* The instance stops or ends: nothing runs there any more. */
static void change_state(struct plm_world *w, struct plm_sim_instance *i, struct plm_slice state)
{
	if (plm_slice_is(state, "terminated") || plm_slice_is(state, "shutting-down")) {
		plm_sim_instance_end(w, i);
	} else if (i->node != NULL && !i->node->gone) {
		plm_sim_node_lost(w, i->node);
	}
}

static int64_t comes_true_in(enum plm_interrupt kind, int64_t notice_ms)
{
	switch (kind) {
	case PLM_INTERRUPT_SPOT:
	case PLM_INTERRUPT_RESERVATION:
	case PLM_INTERRUPT_SCHEDULED:
		return notice_ms;
	case PLM_INTERRUPT_BLOCK:
		return plm_max(0, notice_ms - BLOCK_END_MS);
	case PLM_INTERRUPT_REBALANCE:
	case PLM_INTERRUPT_STATE:
	case PLM_INTERRUPT_IMPAIRED:
		return PLM_UNSET;
	}
	PLM_UNREACHABLE();
}

void plm_sim_warned(struct plm_world *w, struct plm_sim_instance *i,
		    const struct plm_w_interruption *fact)
{
	int64_t notice_ms =
		fact->at_ms == PLM_UNSET ? 0 : plm_max(0, plm_sub_sat(fact->at_ms, w->now_ms));
	int64_t in_ms = comes_true_in((enum plm_interrupt)fact->kind, notice_ms);

	if (in_ms != PLM_UNSET && !i->warned) {
		w->stats.reclaims++;
		plm_sim_plan(w, in_ms, PLM_SIM_DUE_INSTANCE_KILLED, i, 0);
	}
	/* Its end is in other hands: S12 does not ask who ran there. */
	i->warned = i->warned || in_ms != PLM_UNSET || fact->kind == PLM_INTERRUPT_IMPAIRED;
}

static void say(struct plm_world *w, const struct plm_sim_interrupt *what,
		struct plm_sim_instance *i)
{
	struct plm_w_interruption fact = {.provider_id = i->provider_id,
					  .at_ms = plm_add_sat(w->now_ms, what->notice_ms),
					  .kind = what->kind,
					  .state = what->state};

	if (what->kind == PLM_INTERRUPT_REBALANCE || what->kind == PLM_INTERRUPT_STATE) {
		fact.at_ms = PLM_UNSET;
	}
	plm_sim_warned(w, i, &fact);
	plm_sim_tell(w, PLM_SOURCE_CLOUD, PLM_EV_INTERRUPTION, &fact, 0);
	if (what->kind == PLM_INTERRUPT_STATE) {
		change_state(w, i, what->state);
	}
}

static int64_t share_of(const struct plm_world *w, const struct plm_sim_interrupt *what)
{
	int64_t running = 0;

	if (what->count != PLM_UNSET) {
		return what->count;
	}
	for (const struct plm_sim_instance *i = w->instances; i != NULL; i = i->next) {
		running += may_hear(what, i) ? 1 : 0;
	}
	return plm_div_ceil(running * what->percent, 100);
}

/* 'token' is the index, and above it how often it was said. */
void plm_sim_interrupt(struct plm_world *w, size_t token)
{
	size_t index = token & 0xffffffffU;
	size_t said = token >> 32;
	const struct plm_sim_interrupt *what = &w->options.interrupts[index];
	int64_t left = share_of(w, what);

	plm_sim_disturb(w);
	for (struct plm_sim_instance *i = w->instances; i != NULL && left > 0; i = i->next) {
		if (may_hear(what, i)) {
			say(w, what, i);
			left--;
		}
	}
	if ((int64_t)said + 1 < what->times) {
		plm_sim_plan(w, what->every_ms, PLM_SIM_DUE_INTERRUPT, NULL,
			     (said + 1) << 32 | index);
	}
}
