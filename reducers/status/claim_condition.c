#include "reducers/status/claim_condition.h"

static void add(struct plm_claim_conditions *out, const char *type, const char *status,
		const char *reason, int64_t since_ms)
{
	PLM_ASSERT(out->count < PLM_CLAIM_CONDITIONS_MAX);
	out->list[out->count++] = (struct plm_claim_condition){type, status, reason, since_ms};
}

/* What the grace period has cut off is False, as nobody waits for it any more. */
static void add_done(struct plm_claim_conditions *out, const char *type, bool cut, int64_t since_ms)
{
	add(out, type, cut ? "False" : "True", cut ? "TerminationGracePeriodElapsed" : type,
	    since_ms);
}

void plm_status_claim_conditions(const struct plm_node_claim *claim,
				 struct plm_claim_conditions *out)
{
	enum plm_drain_stage stage = (enum plm_drain_stage)claim->drain_stage;

	out->count = 0;
	if (stage == PLM_DRAIN_NONE) {
		return;
	}
	if (stage == PLM_DRAIN_DRAINING) {
		add(out, "Drained", "Unknown", "Draining", claim->draining_ms);
		return;
	}
	if (claim->node.n != 0 || claim->draining_ms != claim->terminating_ms) {
		add_done(out, "Drained", (claim->drain_marks & PLM_CUT_PODS) != 0,
			 claim->drained_ms);
		if (stage == PLM_DRAIN_DETACHING) {
			add(out, "VolumesDetached", "Unknown", "AwaitingVolumeDetachment",
			    claim->drained_ms);
			return;
		}
		add_done(out, "VolumesDetached", (claim->drain_marks & PLM_CUT_VOLUMES) != 0,
			 claim->terminating_ms);
	}
	add(out, "InstanceTerminating", "True", "InstanceTerminating", claim->terminating_ms);
}
