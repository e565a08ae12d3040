#include "reducers/disruption/pdb.h"

#include "core/sort.h"
#include "reducers/disruption/leave.h"
#include "reducers/sched/selector.h"

/* ---- counting, as the disruption controller does ------------------------------------------------ */

bool plm_pdb_selects(const struct plm_state *st, const struct plm_pdb *pdb,
		     const struct plm_pod *pod)
{
	return plm_sym_equal(pdb->object.ns, pod->object.ns) &&
	       plm_selector_matches(st, &pdb->selector, pod->object.labels);
}

/* Owners whose replicas are counted once each. */
struct owners {
	struct owner {
		plm_sym uid;
		int64_t pods;	  /* of it, that the budget selects */
		int64_t replicas; /* PLM_UNSET = the owner is not known here */
	} *list;
	uint32_t count;
	bool unscalable; /* one owner has no scale: the controller then lets nobody go */
};

static enum plm_kind kind_of(const struct plm_sched *sched, plm_sym kind)
{
	int64_t found = plm_names_find(&plm_names_kind, plm_sched_text(sched, kind));

	return found < 0 ? PLM_KIND_NONE : (enum plm_kind)found;
}

static bool has_scale(enum plm_kind kind)
{
	return kind == PLM_KIND_REPLICA_SET || kind == PLM_KIND_STATEFUL_SET ||
	       kind == PLM_KIND_DEPLOYMENT;
}

/* Replicas of the pod's owner; those of the Deployment where the owner is one of its ReplicaSets. */
static int64_t replicas_of(const struct plm_sched *sched, const struct plm_pod *pod,
			   enum plm_kind kind)
{
	const struct plm_state *st = sched->st;
	plm_id id = plm_find(st, kind, pod->object.ns, pod->object.owner_name);
	const struct plm_replicator *owner = plm_replicator_at(st, id);
	plm_id above = {0};

	if (id.n == 0) {
		return PLM_UNSET;
	}
	if (kind == PLM_KIND_REPLICA_SET &&
	    kind_of(sched, owner->object.owner_kind) == PLM_KIND_DEPLOYMENT) {
		above = plm_find(st, PLM_KIND_DEPLOYMENT, pod->object.ns, owner->object.owner_name);
	}
	return above.n != 0 ? plm_replicator_at(st, above)->replicas : owner->replicas;
}

static void count_owner(const struct plm_sched *sched, struct owners *owners,
			const struct plm_pod *pod)
{
	enum plm_kind kind = kind_of(sched, pod->object.owner_kind);

	if (pod->object.owner_uid.n == 0) {
		return; /* nobody's pod: it is healthy or not, but nobody expects it */
	}
	for (uint32_t i = 0; i < owners->count; i++) {
		if (plm_sym_equal(owners->list[i].uid, pod->object.owner_uid)) {
			owners->list[i].pods++;
			return;
		}
	}
	owners->unscalable = owners->unscalable || !has_scale(kind);
	owners->list[owners->count++] =
		(struct owner){.uid = pod->object.owner_uid,
			       .pods = 1,
			       .replicas = has_scale(kind) ? replicas_of(sched, pod, kind) : 0};
}

/* Running pods of files have no status: what is bound counts as healthy there. */
static bool is_healthy(const struct plm_pod *pod)
{
	return pod->object.deleting_ms == PLM_UNSET &&
	       (pod->ready != 0 || (pod->no_status != 0 && pod->node.n != 0));
}

static int64_t scaled(int64_t amount, uint32_t percent, int64_t expected)
{
	return percent == 0 ? amount : plm_div_ceil(plm_mul_sat(amount, expected), 100);
}

struct plm_pdb_count plm_pdb_count(const struct plm_sched *sched, const struct plm_pdb *pdb)
{
	const struct plm_state *st = sched->st;
	struct owners owners = {
		.list = PLM_NEW_ARRAY(sched->arena, plm_pod_live(st), struct owner)};
	struct plm_pdb_count count = {0};
	int64_t pods = 0;

	PLM_EACH(st, pod, id)
	{
		const struct plm_pod *pod = plm_pod_at(st, id);

		if (plm_pdb_selects(st, pdb, pod)) {
			pods++;
			count.healthy += is_healthy(pod) ? 1 : 0;
			count_owner(sched, &owners, pod);
		}
	}
	for (uint32_t i = 0; i < owners.count; i++) {
		const struct owner *owner = &owners.list[i];

		count.expected += owner->replicas == PLM_UNSET ? owner->pods : owner->replicas;
	}
	if (pdb->max_unavailable != PLM_UNSET) {
		count.desired = count.expected -
				scaled(pdb->max_unavailable, pdb->max_percent, count.expected);
	} else if (pdb->min_available != PLM_UNSET && pdb->min_percent != 0) {
		count.desired = scaled(pdb->min_available, 1, count.expected);
	} else if (pdb->min_available != PLM_UNSET) {
		count.desired = pdb->min_available;
		count.expected = pods;
		owners.unscalable = false; /* nobody asks for a scale then */
	} else {
		count.expected = 0;
	}
	count.desired = plm_max(0, count.desired);
	if (count.expected > 0 && !owners.unscalable) {
		count.allowed = plm_max(0, count.healthy - count.desired);
	}
	PLM_ASSERT(count.allowed >= 0 && count.allowed <= count.healthy);
	return count;
}

/* ---- the book ----------------------------------------------------------------------------------- */

static bool blocks_fully(const struct plm_pdb *pdb)
{
	return pdb->max_unavailable == 0 || (pdb->min_percent != 0 && pdb->min_available == 100);
}

static int by_name(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_state *st = context;
	const struct plm_object *left = &plm_pdb_at(st, (plm_id){a})->object;
	const struct plm_object *right = &plm_pdb_at(st, (plm_id){b})->object;
	int order = plm_sym_compare(st, left->ns, right->ns);

	return order != 0 ? order : plm_sym_compare(st, left->name, right->name);
}

void plm_pdbs_gather(struct plm_pdbs *out, const struct plm_sched *sched, int64_t now_ms)
{
	const struct plm_state *st = sched->st;
	uint32_t room = plm_pdb_live(st);
	uint32_t *order = PLM_NEW_ARRAY(sched->arena, room, uint32_t);
	uint32_t count = 0;

	*out = (struct plm_pdbs){.sched = sched,
				 .now_ms = now_ms,
				 .list = PLM_NEW_ARRAY(sched->arena, room, struct plm_pdb_seen)};
	PLM_EACH(st, pdb, id)
	{
		order[count++] = id.n;
	}
	plm_sort(order, count, by_name, st, sched->arena);
	for (uint32_t i = 0; i < count; i++) {
		const struct plm_pdb *pdb = plm_pdb_at(st, (plm_id){order[i]});
		struct plm_pdb_count counted = {pdb->allowed, pdb->healthy, pdb->desired,
						pdb->expected};

		if (pdb->has_status == 0) {
			counted = plm_pdb_count(sched, pdb);
		}
		out->list[i] = (struct plm_pdb_seen){.id = {order[i]},
						     .allowed = counted.allowed,
						     .healthy = counted.healthy,
						     .desired = counted.desired,
						     .blocks_fully = blocks_fully(pdb)};
	}
	out->count = count;
}

/* The first budget of the pod, and how many there are. */
static const struct plm_pdb_seen *budget_of(const struct plm_pdbs *pdbs, const struct plm_pod *pod,
					    uint32_t *out_count)
{
	const struct plm_state *st = pdbs->sched->st;
	const struct plm_pdb_seen *first = NULL;

	*out_count = 0;
	for (uint32_t i = 0; i < pdbs->count; i++) {
		if (plm_pdb_selects(st, plm_pdb_at(st, pdbs->list[i].id), pod)) {
			first = first == NULL ? &pdbs->list[i] : first;
			(*out_count)++;
		}
	}
	PLM_ASSERT((first == NULL) == (*out_count == 0));
	return first;
}

/* The budget lets pods that are not ready go, and this one is not. */
static bool is_exempt(const struct plm_pdbs *pdbs, const struct plm_pdb_seen *seen,
		      const struct plm_pod *pod)
{
	return plm_pdb_at(pdbs->sched->st, seen->id)->always_allow != 0 && pod->not_ready != 0;
}

static struct plm_pdb_answer ask(const struct plm_pdbs *pdbs, const struct plm_pod *pod, bool fully)
{
	struct plm_pdb_answer free_to_go = {PLM_PDB_FREE, {0}};
	const struct plm_pdb_seen *seen = NULL;
	uint32_t count = 0;

	if (pdbs->count == 0 || !plm_pod_evictable(pdbs->sched, pod, pdbs->now_ms)) {
		return free_to_go;
	}
	seen = budget_of(pdbs, pod, &count);
	if (count == 0) {
		return free_to_go;
	}
	if (count > 1) {
		return (struct plm_pdb_answer){PLM_PDB_SEVERAL, seen->id};
	}
	if (is_exempt(pdbs, seen, pod) || !(fully ? seen->blocks_fully : seen->allowed == 0)) {
		return free_to_go;
	}
	return (struct plm_pdb_answer){PLM_PDB_USED_UP, seen->id};
}

struct plm_pdb_answer plm_pdbs_ask(const struct plm_pdbs *pdbs, const struct plm_pod *pod)
{
	return ask(pdbs, pod, false);
}

struct plm_pdb_answer plm_pdbs_evict(const struct plm_pdbs *pdbs, const struct plm_pod *pod,
				     int64_t *left)
{
	struct plm_pdb_answer free_to_go = {PLM_PDB_FREE, {0}};
	const struct plm_pdb_seen *seen = NULL;
	uint32_t count = 0;

	if (pdbs->count == 0 || pod->phase == PLM_PHASE_PENDING) {
		return free_to_go;
	}
	seen = budget_of(pdbs, pod, &count);
	if (count == 0) {
		return free_to_go;
	}
	if (count > 1) {
		return (struct plm_pdb_answer){PLM_PDB_SEVERAL, seen->id};
	}
	if (pod->ready == 0 && pod->no_status == 0 &&
	    (plm_pdb_at(pdbs->sched->st, seen->id)->always_allow != 0 ||
	     (seen->healthy >= seen->desired && seen->desired > 0))) {
		return free_to_go;
	}
	if (left[seen - pdbs->list] <= 0) {
		return (struct plm_pdb_answer){PLM_PDB_USED_UP, seen->id};
	}
	left[seen - pdbs->list]--;
	return free_to_go;
}

bool plm_pdbs_keep(const struct plm_pdbs *pdbs, const struct plm_pod *pod)
{
	return ask(pdbs, pod, true).word != PLM_PDB_FREE;
}

bool plm_pod_moves(const struct plm_pdbs *pdbs, const struct plm_pod *pod)
{
	return pod->node.n != 0 && plm_pod_reschedulable(pdbs->sched, pod) &&
	       plm_pod_disruptable(pod, pdbs->now_ms) && !plm_pdbs_keep(pdbs, pod);
}
