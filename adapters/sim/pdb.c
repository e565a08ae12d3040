/*
 * pdb.c - PodDisruptionBudgets: the disruption controller that counts, the eviction API that heeds them
 *
 * The count is the world's own: reducers have another one for budgets that nobody has counted yet, and
 * neither knows the other.
 */
#include "adapters/sim/world.h"

#define SYNC_MS 10

/* ---- the disruption controller ------------------------------------------------------------------ */

static bool selects(const struct plm_sim_object *pdb, const struct plm_sim_object *pod)
{
	return plm_slice_equal(pdb->of.meta->ns, pod->of.meta->ns) &&
	       pdb->of.pdb->selector.present != 0 &&
	       plm_sim_selector_matches(&pdb->of.pdb->selector, pod->of.meta->labels);
}

static bool is_healthy(const struct plm_sim_object *pod)
{
	return pod->of.meta->deleting_ms == PLM_UNSET && pod->of.pod->ready != 0;
}

/* The controller whose replicas count: the Deployment above a ReplicaSet. NULL = nobody has a scale. */
static const struct plm_sim_object *scaled_owner(const struct plm_sim_object *pod)
{
	const struct plm_sim_object *owner = pod->owner;

	if (owner == NULL || owner->info->type != PLM_EV_REPLICATOR) {
		return NULL;
	}
	return owner->owner != NULL && owner->owner->kind == PLM_KIND_DEPLOYMENT ? owner->owner
										 : owner;
}

/* Has a pod before 'pod' of the same budget the same owner? Then it is counted already. */
static bool counted_before(const struct plm_world *w, const struct plm_sim_object *pdb,
			   const struct plm_sim_object *pod)
{
	for (const struct plm_sim_object *o = w->first[PLM_KIND_POD]; o != pod; o = o->next) {
		if (o->owner != NULL && selects(pdb, o) && scaled_owner(o) == scaled_owner(pod)) {
			return true;
		}
	}
	return false;
}

static int64_t part_of(int64_t amount, int64_t percent, int64_t all)
{
	return percent != 0 ? plm_div_ceil(amount * all, 100) : amount;
}

struct tally {
	int64_t pods, healthy, scale;
	bool no_scale; /* of one of the owners: the controller then lets nobody go */
};

static struct tally tally_pods(const struct plm_world *w, const struct plm_sim_object *pdb)
{
	struct tally tally = {0};

	for (const struct plm_sim_object *o = w->first[PLM_KIND_POD]; o != NULL; o = o->next) {
		const struct plm_sim_object *owner = scaled_owner(o);

		if (!selects(pdb, o)) {
			continue;
		}
		tally.pods++;
		tally.healthy += is_healthy(o) ? 1 : 0;
		if (owner != NULL && !counted_before(w, pdb, o)) {
			tally.scale += owner->of.replicator->replicas;
		} else if (owner == NULL && o->owner != NULL) {
			tally.no_scale = true;
		} else if (owner == NULL && o->of.meta->owner_uid.size > 0) {
			tally.scale++; /* a controller that the scenario does not have */
		}
	}
	return tally;
}

static void count(const struct plm_world *w, const struct plm_sim_object *pdb,
		  struct plm_w_pdb *out)
{
	struct tally tally = tally_pods(w, pdb);
	bool fixed = out->min_available != PLM_UNSET && out->min_percent == 0;

	out->has_status = 1;
	out->stale = 0;
	out->healthy = tally.healthy;
	out->expected = fixed ? tally.pods : tally.scale;
	out->desired = 0;
	if (out->max_unavailable != PLM_UNSET) {
		out->desired = out->expected -
			       part_of(out->max_unavailable, out->max_percent, out->expected);
	} else if (out->min_available != PLM_UNSET) {
		out->desired = part_of(out->min_available, out->min_percent, out->expected);
	} else {
		out->expected = 0;
	}
	out->desired = plm_max(0, out->desired);
	out->allowed = plm_max(0, out->healthy - out->desired);
	if (out->expected == 0 || (tally.no_scale && !fixed)) {
		out->allowed = 0;
	}
}

void plm_sim_pdb_sync(struct plm_world *w)
{
	w->pdbs_planned = false;
	PLM_SIM_EACH(w, PLM_KIND_POD_DISRUPTION_BUDGET, pdb)
	{
		struct plm_w_pdb had = *pdb->of.pdb;

		if (w->options.instant && had.has_status != 0) {
			continue; /* a file says how things stand */
		}
		count(w, pdb, pdb->of.pdb);
		if (had.has_status == 0 || had.stale != 0 || had.allowed != pdb->of.pdb->allowed ||
		    had.healthy != pdb->of.pdb->healthy || had.desired != pdb->of.pdb->desired ||
		    had.expected != pdb->of.pdb->expected) {
			plm_sim_touch(w, pdb);
		}
	}
}

void plm_sim_pdbs_plan(struct plm_world *w)
{
	if (w->first[PLM_KIND_POD_DISRUPTION_BUDGET] != NULL && !w->pdbs_planned) {
		w->pdbs_planned = true;
		plm_sim_plan(w, SYNC_MS, PLM_SIM_DUE_PDBS, NULL, 0);
	}
}

void plm_sim_pdb_later(struct plm_world *w, const struct plm_sim_object *changed)
{
	if (changed->kind == PLM_KIND_POD || changed->info->type == PLM_EV_REPLICATOR) {
		plm_sim_pdbs_plan(w);
	}
}

/* ---- eviction ----------------------------------------------------------------------------------- */

static void refuse(struct plm_w_result *out, const char *code, const char *message)
{
	out->class = PLM_RESULT_FAILED;
	out->code = plm_slice_str(code);
	out->message = plm_slice_str(message);
}

/* The budget of the pod; 'out_several' when it has more than one. */
static struct plm_sim_object *budget_of(struct plm_world *w, const struct plm_sim_object *pod,
					bool *out_several)
{
	struct plm_sim_object *found = NULL;

	*out_several = false;
	PLM_SIM_EACH(w, PLM_KIND_POD_DISRUPTION_BUDGET, pdb)
	{
		if (selects(pdb, pod)) {
			*out_several = found != NULL;
			found = pdb;
			if (*out_several) {
				break;
			}
		}
	}
	return found;
}

/* A pod that is not ready goes when the policy says so, or when enough others are. */
static bool goes_unhealthy(const struct plm_w_pdb *pdb, const struct plm_w_pod *pod)
{
	return pod->ready == 0 &&
	       (pdb->always_allow != 0 || (pdb->healthy >= pdb->desired && pdb->desired > 0));
}

void plm_sim_evict(struct plm_world *w, const struct plm_effect *effect, struct plm_sim_object *pod,
		   struct plm_w_result *out)
{
	bool several = false;
	struct plm_sim_object *pdb = NULL;

	if (pod->of.pod->phase == PLM_PHASE_RUNNING) {
		plm_sim_pdb_sync(w);
		pdb = budget_of(w, pod, &several);
	}
	if (several) {
		refuse(out, "InternalError",
		       "This pod has more than one PodDisruptionBudget, which the eviction "
		       "subresource does not support.");
		return;
	}
	if (pdb != NULL && !goes_unhealthy(pdb->of.pdb, pod->of.pod)) {
		if (pdb->of.pdb->allowed <= 0) {
			refuse(out, "TooManyRequests",
			       "Cannot evict pod as it would violate the pod's disruption budget.");
			return;
		}
		pdb->of.pdb->allowed--;
		plm_sim_touch(w, pdb);
	}
	plm_sim_check_evict(w, pod, pdb, effect);
	plm_sim_pod_delete(w, pod);
	out->class = PLM_RESULT_DONE;
}

/* S12: no eviction takes a budget below its minimum, and no protected pod is evicted. */
void plm_sim_check_evict(struct plm_world *w, const struct plm_sim_object *pod,
			 const struct plm_sim_object *pdb, const struct plm_effect *effect)
{
	int64_t until_ms = pod->of.pod->do_not_disrupt;
	struct plm_w_pdb truth = {0};

	if (until_ms == 1 || (until_ms > w->now_ms && w->clock_offset_ms == 0)) {
		plm_sim_broken(w,
			       "S12: intent %llu evicts pod %.*s/%.*s, which says do-not-disrupt",
			       (unsigned long long)effect->intent, (int)pod->of.meta->ns.size,
			       (const char *)pod->of.meta->ns.ptr, (int)pod->of.meta->name.size,
			       (const char *)pod->of.meta->name.ptr);
	}
	if (pdb == NULL || pod->of.pod->ready == 0) {
		return;
	}
	truth = *pdb->of.pdb;
	count(w, pdb, &truth);
	if (truth.healthy - 1 < truth.desired) {
		plm_sim_broken(w,
			       "S12: intent %llu evicts pod %.*s/%.*s: %lld of %lld pods of "
			       "PodDisruptionBudget %.*s are left",
			       (unsigned long long)effect->intent, (int)pod->of.meta->ns.size,
			       (const char *)pod->of.meta->ns.ptr, (int)pod->of.meta->name.size,
			       (const char *)pod->of.meta->name.ptr, (long long)truth.healthy - 1,
			       (long long)truth.desired, (int)pdb->of.meta->name.size,
			       (const char *)pdb->of.meta->name.ptr);
	}
}
